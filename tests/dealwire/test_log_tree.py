"""The tree over a journal: RFC 6962 by its recursive definition, and pymerkle as a foreign program."""

import hashlib
from random import Random

import pytest
from pymerkle import InmemoryTree, verify_consistency, verify_inclusion
from pymerkle.proof import InclusionProof, InvalidProof

from dealwire.journal.tree import (
    EMPTY_ROOT,
    GrowingTree,
    PathRefused,
    consistency_path,
    inclusion_path,
    is_consistent,
    leaf_hash,
    peaks_of,
    root_over,
)


def sha(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def mth(entries: list[bytes]) -> bytes:
    """Return the Merkle tree hash by the definition of RFC 6962, 2.1."""
    if not entries:
        return sha(b"")
    if len(entries) == 1:
        return sha(b"\0", entries[0])
    k = 1
    while k * 2 < len(entries):
        k *= 2
    return sha(b"\1", mth(entries[:k]), mth(entries[k:]))


def audit_path(m: int, entries: list[bytes]) -> list[bytes]:
    """Return PATH(m, D[n]) of RFC 6962, 2.1.1."""
    if len(entries) == 1:
        return []
    k = 1
    while k * 2 < len(entries):
        k *= 2
    if m < k:
        return [*audit_path(m, entries[:k]), mth(entries[k:])]
    return [*audit_path(m - k, entries[k:]), mth(entries[:k])]


def sub_proof(m: int, entries: list[bytes], whole: bool) -> list[bytes]:
    """Return SUBPROOF(m, D[n], b) of RFC 6962, 2.1.2."""
    if m == len(entries):
        return [] if whole else [mth(entries)]
    k = 1
    while k * 2 < len(entries):
        k *= 2
    if m <= k:
        return [*sub_proof(m, entries[:k], whole), mth(entries[k:])]
    return [*sub_proof(m - k, entries[k:], False), mth(entries[:k])]


ENTRIES = [number.to_bytes(4, "big") * 16 for number in range(300)]


def subtree(level: int, number: int) -> bytes:
    return mth(ENTRIES[number << level : (number + 1) << level])


def test_the_root_is_rfc_6962_s() -> None:
    tree, foreign = GrowingTree(), InmemoryTree(algorithm="sha256")
    assert (
        tree.root() == EMPTY_ROOT == bytes.fromhex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    )
    for size, entry in enumerate(ENTRIES, 1):
        for level, number, found in tree.add(leaf_hash(entry)):
            assert found == subtree(level, number)
        foreign.append_entry(entry)
        assert tree.root() == mth(ENTRIES[:size]) == foreign.get_root()
        assert tree.peaks == [subtree(*peak) for peak in peaks_of(size)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 100, 255, 256, 257, 300])
def test_paths_are_the_definition_s_and_lead_to_the_root(size: int) -> None:
    entries = ENTRIES[:size]
    root = mth(entries)
    for index in range(0, size, 1 if size < 20 else 7):
        path = inclusion_path(subtree, index, size)
        assert path == audit_path(index, entries)
        assert root_over(leaf_hash(ENTRIES[index]), index, size, path) == root
    for old in range(1, size + 1, 1 if size < 20 else 7):
        path = consistency_path(subtree, old, size)
        assert path == sub_proof(old, entries, True)
        assert is_consistent(old, mth(entries[:old]), size, root, path)


def test_a_foreign_program_checks_path_and_consistency() -> None:
    """pymerkle checks our paths. Its consistency proofs have another form than the RFC's, so it proves the roots."""
    draw, tree, foreign, roots = Random(6962), GrowingTree(), InmemoryTree(algorithm="sha256"), [EMPTY_ROOT]
    for entry in ENTRIES:
        tree.add(leaf_hash(entry))
        foreign.append_entry(entry)
        roots.append(tree.root())
    for _ in range(200):
        size = draw.randint(1, len(ENTRIES))
        index, old = draw.randrange(size), draw.randint(1, size)
        leaf, path = leaf_hash(ENTRIES[index]), inclusion_path(subtree, index, size)
        theirs = InclusionProof("sha256", True, size, index + 1, sides(index, size), [leaf, *path])
        verify_inclusion(leaf, roots[size], theirs)
        verify_consistency(roots[old], roots[size], foreign.prove_consistency(old, size))
        with pytest.raises(InvalidProof):
            verify_inclusion(leaf, roots[size - 1], theirs)


def sides(index: int, size: int) -> list[int]:
    """Return pymerkle's rule: for each step 1 if the sibling is left, then a closing 0."""
    found, start, end = list[int](), 0, size
    while end - start > 1:
        k = 1
        while k * 2 < end - start:
            k *= 2
        if index < start + k:
            found, end = [0, *found], start + k
        else:
            found, start = [1, *found], start + k
    return [*found, 0]


def test_a_path_that_does_not_fit_is_refused() -> None:
    size, index = 100, 41
    path, leaf, root = inclusion_path(subtree, index, size), leaf_hash(ENTRIES[index]), mth(ENTRIES[:size])
    for wrong, why in ((path[:-1], "too short"), ([*path, path[0]], "too long")):
        with pytest.raises(PathRefused, match=why):
            root_over(leaf, index, size, wrong)
    with pytest.raises(PathRefused, match="no leaf 100"):
        root_over(leaf, size, size, path)
    assert root_over(leaf, index + 1, size, path) != root
    for place in range(len(path)):
        altered = [*path[:place], bytes(32), *path[place + 1 :]]
        assert root_over(leaf, index, size, altered) != root


def test_a_tree_that_was_rewritten_is_not_consistent() -> None:
    for old, size in ((1, 2), (4, 9), (7, 8), (100, 300), (256, 257)):
        path = consistency_path(subtree, old, size)
        before, root = mth(ENTRIES[:old]), mth(ENTRIES[:size])
        assert is_consistent(old, before, size, root, path)
        assert not is_consistent(old, bytes(32), size, root, path)
        assert not is_consistent(old, before, size, bytes(32), path)
        assert not is_consistent(old, before, size, root, path[:-1])
        assert not is_consistent(old, before, size, root, [*path, bytes(32)])
        assert not is_consistent(size, root, old, before, path)
    assert is_consistent(0, EMPTY_ROOT, 5, mth(ENTRIES[:5]), [])
    assert not is_consistent(0, bytes(32), 5, mth(ENTRIES[:5]), [])
    assert not is_consistent(5, bytes(32), 5, mth(ENTRIES[:5]), [])
