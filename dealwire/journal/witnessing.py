"""The memory of a witness: one line a log, at most 89 bytes, by which a rewrite, fork, cut or older copy is found.

A line is `BASE64(file and epoch) SIZE BASE64(root)`; the origin follows from file and epoch.
"""

import base64
import binascii
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from dealwire.journal.errors import JournalDamaged, KeyProblem, NoteRefused
from dealwire.journal.keyfiles import read_lines, write_text
from dealwire.journal.log_records import noted_tree
from dealwire.journal.log_tables import LogTables
from dealwire.journal.logbook import named_in, origin_of
from dealwire.journal.reader import JournalReader
from dealwire.journal.records import BALANCE, CHECKPOINT, LOG
from dealwire.journal.signing import NOTE_MOST, NoteVerifier, TreeHead, note_of, note_parts, opened_checkpoint
from dealwire.journal.tree import EMPTY_ROOT, is_consistent
from devices.files import read_file

STATE_MOST: Final = 89
"""Most bytes of a line."""
SIZE_MOST: Final = 9_999_999_999
"""Most leaves of a tree that is kept: a longer number does not fit into a line."""
MEMORY_MOST: Final = 1 << 26
"""Most bytes of a memory: more than 700,000 logs."""
_PREFIX: Final = "dealwire/"
Alarm = Literal["fork", "rewritten", "older"]


class LogContradicts(NoteRefused):
    """A log's signed checkpoint does not fit what a witness saw.

    A `fork`, another root of the same size, is proven by two signatures. The others are doubts, since anyone can alter
    a path or send an older checkpoint again: `rewritten`, a path that does not continue the tree seen; `older`, fewer
    leaves."""

    def __init__(self, kind: Alarm, why: str) -> None:
        self.kind = kind
        super().__init__(why)


def state_line(head: TreeHead) -> str:
    """Return a witness's line of a log. NoteRefused if the log is not a journal of this program."""
    name, identity, epoch = (*head.origin.split("/"), "", "")[:3]
    try:
        data = bytes.fromhex(identity) + bytes.fromhex(epoch)
    except ValueError:
        data = b""
    if f"{name}/" != _PREFIX or len(data) != 24 or head.origin != origin_of(data[:16], data[16:].hex()):
        raise NoteRefused(f"{head.origin}: not the log of a journal")
    return f"{base64.b64encode(data).decode()} {head.size} {base64.b64encode(head.root).decode()}\n"


def parsed_state(words: Sequence[str]) -> TreeHead:
    """Read a line; ValueError if it is none."""
    if len(words) != 3:
        raise ValueError(words)
    try:
        data, root = (base64.b64decode(each, validate=True) for each in (words[0], words[2]))
    except binascii.Error:
        raise ValueError(words) from None
    if len(data) != 24 or len(root) != 32 or not words[1].isascii() or not words[1].isdigit():
        raise ValueError(words)
    return TreeHead(origin_of(data[:16], data[16:].hex()), int(words[1]), root)


def read_state(path: Path) -> list[TreeHead]:
    """Return what a witness keeps. KeyProblem if the file cannot be read, a line is none, a log has two, or there is
    none: a memory is never empty."""
    found: dict[str, TreeHead] = {}
    for number, words in read_lines(path, secret=False, most=MEMORY_MOST):
        try:
            head = parsed_state(words)
        except ValueError:
            raise KeyProblem(path, "not a witness's line; allowed: BASE64 SIZE BASE64", number) from None
        if head.origin in found:
            raise KeyProblem(path, f"{head.origin} has two lines; allowed: one a log", number)
        found[head.origin] = head
    if not found:
        raise KeyProblem(path, "the memory of a witness is empty: put it back; whoever deletes it begins again")
    return list(found.values())


def write_state(path: Path, heads: Iterable[TreeHead]) -> None:
    """Write what a witness keeps and sync it: before its cosignature leaves. KeyProblem if that fails."""
    text = "".join(map(state_line, heads))
    if len(text) > MEMORY_MOST:
        raise KeyProblem(path, f"too many logs: a memory has at most {MEMORY_MOST} bytes")
    write_text(path.resolve(), text)  # of a link, what it points to


def _note_file(state: Path, head: TreeHead) -> Path:
    return state.with_name(f"{state.name}.notes") / "-".join(head.origin.split("/")[1:])


def keep_note(state: Path, head: TreeHead, note: str) -> None:
    """Keep the note of a checkpoint beside the memory, with the signature of its log alone: half of the evidence of a
    fork. KeyProblem if that fails; the memory does not need it."""
    body, lines = note_parts(note)
    path = _note_file(state.resolve(), head)
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise KeyProblem(path.parent, f"cannot be made: {error.strerror}") from error
    write_text(path, note_of(body, [line for line in lines if line.name == head.origin]))


def kept_note(state: Path, head: TreeHead, keys: Iterable[NoteVerifier]) -> str:
    """Return the note of a kept checkpoint; empty if it is not there or is another."""
    try:
        text = read_file(_note_file(state.resolve(), head), NOTE_MOST).decode()
        return text if opened_checkpoint(text, keys) == head else ""
    except (OSError, UnicodeDecodeError, NoteRefused):
        return ""


class Growth(NamedTuple):
    """The body of `add-checkpoint`: a consistency proof from `old` leaves on, and the note that it leads to."""

    old: int
    path: list[bytes]
    note: str

    @classmethod
    def parse(cls, text: str) -> "Growth":
        """Read it. NoteRefused if it is malformed."""
        top, found, note = text.partition("\n\n")
        first, *hashes = top.split("\n")
        try:
            old = int(first.removeprefix("old "))
            path = [base64.b64decode(each, validate=True) for each in hashes]
        except ValueError:
            old, path = -1, []
        if not found or first != f"old {old}" or old < 0 or len(path) > 63 or any(len(each) != 32 for each in path):
            raise NoteRefused("not a proof of growth: 'old SIZE', at most 63 hashes, an empty line, and a note")
        return cls(old, path, note)


def compared(seen: TreeHead | None, note: str, keys: Iterable[NoteVerifier]) -> TreeHead:
    """Return a signed checkpoint that does not contradict what was seen, as far as no proof of growth is needed.
    LogContradicts names the contradiction, NoteRefused a note that no key of its log signed."""
    head = opened_checkpoint(note, keys)
    if note_parts(note)[0] != head.body:
        raise NoteRefused(f"{head.origin}: a checkpoint with further lines or in another form, which is not cosigned")
    if head.size > SIZE_MOST or (head.size == 0 and head.root != EMPTY_ROOT):
        raise NoteRefused(f"{head.origin}: no tree has this size and root; allowed: at most {SIZE_MOST} leaves")
    if seen is None or seen.origin != head.origin:
        return head
    if head.size < seen.size:
        why = f"{head.origin} has {head.size} leaves, and had {seen.size}: its end was cut off, or it is an older copy"
        raise LogContradicts("older", why)
    if head.size == seen.size and head.root != seen.root:
        raise LogContradicts(
            "fork", f"{head.origin} signed two roots of {head.size} leaves: it was forked or rewritten"
        )
    return head


def grown(seen: TreeHead | None, text: str, keys: Iterable[NoteVerifier]) -> TreeHead:
    """Return what a witness keeps after a proof of growth. LogContradicts or NoteRefused if it must not cosign."""
    found = Growth.parse(text)
    head = compared(seen, found.note, keys)
    before = seen if seen is not None and seen.origin == head.origin else TreeHead(head.origin, 0, EMPTY_ROOT)
    if found.old != before.size:
        raise NoteRefused(f"a proof from {found.old} leaves on, not from {before.size}")
    if not is_consistent(before.size, before.root, head.size, head.root, found.path):
        why = f"the path does not show that the {head.size} leaves of {head.origin} continue the {before.size} seen"
        raise LogContradicts("rewritten", f"{why}: the path was altered, or the journal; get another proof from it")
    return head


def named_of(note: str) -> str:
    """Return the name of the log that a checkpoint says it is of. NoteRefused if it is none."""
    return TreeHead.parse(note_parts(note)[0]).origin


def fork_text(one: str, other: str) -> str:
    """Return the evidence of a fork: two notes that contradict one another, with the length of the first."""
    return f"fork {len(one)}\n{one}{other}"


def fork_parts(text: str) -> tuple[str, str]:
    """Return the two notes of such evidence. NoteRefused if it is none."""
    first, _, rest = text.partition("\n")
    digits = first.removeprefix("fork ")
    if first == digits or not digits.isascii() or not digits.isdigit() or len(digits) > 9:
        raise NoteRefused("not the evidence of a fork: 'fork LENGTH', and two notes")
    return rest[: int(digits)], rest[int(digits) :]


def check_against(reader: JournalReader, seen: Iterable[TreeHead], where: str) -> int:
    """Compare a verified journal with the lines of a witness, in the file `where`; return how many are of this journal.
    JournalDamaged says what does not match. In the copy of a day, only the sizes of that day can be compared."""
    trees, tables, count = trees_of(reader), LogTables(reader), 0
    for each in seen:
        if not each.origin.startswith(f"{_PREFIX}{reader.identity.hex()}/"):
            continue
        if each.origin not in trees and not reader.whole:
            continue
        if each.origin not in trees:
            why = f"{where} names the log {each.origin}, which is not in it: it was salvaged, or is another copy"
            raise JournalDamaged(reader.path, None, why)
        tree = trees[each.origin]
        size = tables.size_of(tree)
        if not reader.whole and not tables.begins_of(tree) <= each.size <= size:
            continue
        count += 1
        if size < each.size:
            why = (
                f"its tree has {size} leaves, and {where} saw {each.size}: the end was cut off, or it is an older copy"
            )
            raise JournalDamaged(reader.path, None, why)
        if tables.root_of(tree, each.size) != each.root:
            why = f"the tree of {each.size} leaves has another root than {where} saw: the journal was rewritten"
            raise JournalDamaged(reader.path, None, why)
    return count


def trees_of(reader: JournalReader) -> dict[str, int]:
    """Return the trees of a journal by the name of their log, as far as its records name them.

    A record `log` begins a tree. Other records are believed only of a tree whose `log` was pruned."""
    found: dict[str, int] = {}
    for record in reader.all_of(LOG):
        origin, _ = named_in(record.payload)
        if found.setdefault(origin, record.sequence) != record.sequence:
            raise JournalDamaged(reader.path, record.sequence, f"the log {origin} begins a second time")
    for kind in (BALANCE, CHECKPOINT):
        for record in filter(None, (reader.first_of(kind), reader.newest_of(kind))):
            noted = noted_tree(reader.path, record)
            if noted is None or not noted.tree <= reader.anchor.sequence:
                continue
            if found.setdefault(noted.origin, noted.tree) != noted.tree:
                raise JournalDamaged(reader.path, record.sequence, f"the log {noted.origin} is of another tree before")
    return found
