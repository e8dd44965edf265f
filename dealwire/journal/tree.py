"""The tree over a journal's records: RFC 6962, section 2.1, with the checks of RFC 9162, 2.1.3.2 and 2.1.4.2.

Pure computation: which records are leaves is `logbook`'s. A proof asks for the hashes of complete subtrees, which
`SubtreeHash` finds: subtree `number` of `level` covers the leaves from `number << level`, `1 << level` of them.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Final

EMPTY_ROOT: Final = hashlib.sha256().digest()
"""Root of a tree without leaves."""

SubtreeHash = Callable[[int, int], bytes]
"""Returns the hash of a complete subtree, by level and number."""


class PathRefused(ValueError):
    """Error: a path does not belong to this leaf and size. The text says why."""


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of a leaf."""
    return hashlib.sha256(b"\0" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node with these two children."""
    return hashlib.sha256(b"\1" + left + right).digest()


class GrowingTree:
    """A tree that grows at its right end. It keeps one hash a bit of its size: its complete subtrees, largest first."""

    def __init__(self, size: int = 0, peaks: Sequence[bytes] = ()) -> None:
        self.size, self.peaks = size, list(peaks)

    def add(self, leaf: bytes) -> list[tuple[int, int, bytes]]:
        """Add the hash of a leaf; return the subtrees of level 1 and above that it completes: level, number, hash."""
        number, level, done = self.size, 0, list[tuple[int, int, bytes]]()
        self.size += 1
        while number & 1:
            leaf = node_hash(self.peaks.pop(), leaf)
            number, level = number >> 1, level + 1
            done.append((level, number, leaf))
        self.peaks.append(leaf)
        return done

    def root(self) -> bytes:
        """Return the root."""
        return root_of_peaks(self.peaks)


def root_of_peaks(peaks: Sequence[bytes]) -> bytes:
    """Return the root over complete subtrees, largest first."""
    if not peaks:
        return EMPTY_ROOT
    root = peaks[-1]
    for peak in reversed(peaks[:-1]):
        root = node_hash(peak, root)
    return root


def peaks_of(size: int) -> list[tuple[int, int]]:
    """Return the complete subtrees of a tree of `size` leaves, largest first: level and number."""
    return [(level, (size >> level) - 1) for level in range(size.bit_length() - 1, -1, -1) if size >> level & 1]


def _range_hash(subtree: SubtreeHash, start: int, end: int) -> bytes:
    """Return the hash over the leaves from `start` to before `end`; `start` is where a subtree of that range begins."""
    found = []
    for level, number in peaks_of(end - start):
        found.append(subtree(level, (start >> level) + number))
    return root_of_peaks(found)


def inclusion_path(subtree: SubtreeHash, index: int, size: int) -> list[bytes]:
    """Return the path of leaf `index`, from 0, in the tree of `size` leaves: the sibling of the leaf first."""
    start, end, path = 0, size, list[bytes]()
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(_range_hash(subtree, middle, end))
            end = middle
        else:
            path.append(_range_hash(subtree, start, middle))
            start = middle
    return path[::-1]


def consistency_path(subtree: SubtreeHash, old: int, size: int) -> list[bytes]:
    """Return the proof that the tree of `size` leaves continues its first `old`: empty if `old` is 0 or `size`."""
    if old in (0, size):
        return []
    start, end, whole, path = 0, size, True, list[bytes]()
    while old != end:
        middle = start + _split(end - start)
        if old <= middle:
            path.append(_range_hash(subtree, middle, end))
            end = middle
        else:
            path.append(_range_hash(subtree, start, middle))
            start, whole = middle, False
    if not whole:
        path.append(_range_hash(subtree, start, end))
    return path[::-1]


def _split(size: int) -> int:
    """Return the greatest power of two below `size`, which is above 1."""
    return 1 << (size - 1).bit_length() - 1


def root_over(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """Return the root that a path leads to from a leaf's hash. PathRefused if path, index and size do not fit."""
    here, last = index, size - 1
    if not 0 <= index < size:
        raise PathRefused(f"the tree of {size} leaves has no leaf {index}")
    for other in path:
        if last == 0:
            raise PathRefused("the path is too long")
        if here & 1 or here == last:
            leaf = node_hash(other, leaf)
            while not here & 1 and here:
                here, last = here >> 1, last >> 1
        else:
            leaf = node_hash(leaf, other)
        here, last = here >> 1, last >> 1
    if last:
        raise PathRefused("the path is too short")
    return leaf


def is_consistent(old: int, old_root: bytes, size: int, root: bytes, path: Sequence[bytes]) -> bool:
    """True if `path` shows that the tree with `root` continues the one with `old_root`."""
    if old > size or (old == 0 and old_root != EMPTY_ROOT):
        return False
    if old in (0, size):
        return not path and (old == 0 or old_root == root)
    hashes = [old_root, *path] if old & (old - 1) == 0 else list(path)
    if not hashes:
        return False
    here, last = old - 1, size - 1
    while here & 1:
        here, last = here >> 1, last >> 1
    older = newer = hashes[0]
    for other in hashes[1:]:
        if last == 0:
            return False
        if here & 1 or here == last:
            older, newer = node_hash(other, older), node_hash(other, newer)
            while not here & 1 and here:
                here, last = here >> 1, last >> 1
        else:
            newer = node_hash(newer, other)
        here, last = here >> 1, last >> 1
    return last == 0 and older == old_root and newer == root
