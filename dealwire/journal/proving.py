"""Proofs: that a round, or a record, is in the tree that a table signed; and that a tree grew from an older one.

A proof holds what a checker cannot compute: the place of the leaf, its path, the signature. The lines themselves are
not in it, and its root follows from them. `docs/journal.md` states the bytes; everything in them is a hash or a number,
so a proof names no face.
"""

import base64
import json
import re
import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, NamedTuple

from dealwire.journal.database import IS_PUBLICATION
from dealwire.journal.errors import (
    JournalDamaged,
    NoteRefused,
    NotProvable,
    ProofRefused,
    SealingUnavailable,
)
from dealwire.journal.log_records import NotedTree, fault_of_note, noted_cosignature, noted_tree
from dealwire.journal.log_tables import TREE_SINCE, LogTables
from dealwire.journal.logbook import blind_of, digest_of, origin_of
from dealwire.journal.reader import JournalReader
from dealwire.journal.records import CHECKPOINT, COSIGNED, LOG, TEXT_MAX, JournalRecord, heading
from dealwire.journal.signing import (
    LOG_TYPE,
    NoteVerifier,
    SignatureLine,
    TreeHead,
    cosigned_at,
    note_of,
    note_parts,
)
from dealwire.journal.tree import PathRefused, consistency_path, inclusion_path, leaf_hash, root_over

PROOF_MOST: Final = 1024
"""Most bytes of a proof of a round."""
MAGIC: Final = b"dwp1"
EPOCH: Final = re.compile("[0-9a-f]{16}")
_HEAD: Final = struct.Struct(">4sB16s8sQQ")
_PLACE: Final = struct.Struct(">QQ")
_HASH: Final = 32
_SIGNATURE: Final = 64
_COSIGNATURE: Final = 8 + _SIGNATURE


class ProvenRecord(NamedTuple):
    """A record in a proof: number, time, kind, table, and its payload as published."""

    sequence: int
    at_ns: int
    kind: str
    table: str
    payload: bytes

    @classmethod
    def of(cls, record: JournalRecord) -> "ProvenRecord":
        """Return what a proof says of a record."""
        return cls(record.sequence, record.at_ns, record.kind, record.table, record.payload)

    def digest(self) -> bytes:
        """Return its digest."""
        return digest_of(heading(self.sequence, self.at_ns, 0, self.kind, self.table), self.payload)


@dataclass(frozen=True, slots=True)
class RoundProof:
    """A proof of one leaf: `places` are number and time of the round and its settlement, or of one record of `kind`."""

    identity: bytes
    epoch: bytes
    index: int
    size: int
    places: Sequence[tuple[int, int]]
    kind: str
    blind: bytes
    signature: bytes
    path: Sequence[bytes]
    cosignatures: Sequence[SignatureLine] = ()

    @property
    def origin(self) -> str:
        """Name of the log."""
        return origin_of(self.identity, self.epoch.hex())

    def to_bytes(self, most: int = PROOF_MOST) -> bytes:
        """Return the proof's bytes, with as many cosignatures as fit."""
        found = bytearray(_HEAD.pack(MAGIC, len(self.places), self.identity, self.epoch, self.index, self.size))
        for place in self.places:
            found += _PLACE.pack(*place)
        if len(self.places) == 1:
            found += bytes((len(self.kind),)) + self.kind.encode()
        found += self.blind + self.signature + bytes((len(self.path),)) + b"".join(self.path)
        count, rest = 0, bytearray()
        for each in self.cosignatures:
            name = each.name.encode()
            one = bytes((len(name),)) + name + each.signature if len(name) < 256 else b""
            if one and len(found) + 1 + len(rest) + len(one) <= most and count < 255:
                count, rest = count + 1, rest + one
        return bytes(found) + bytes((count,)) + bytes(rest)

    @classmethod
    def parse(cls, data: bytes) -> "RoundProof":
        """Read a proof. ProofRefused if it is none, or has bytes too many."""
        try:
            return cls._read(data)
        except (struct.error, IndexError, UnicodeDecodeError):
            raise ProofRefused("not a proof, or one that is cut off") from None

    @classmethod
    def _read(cls, data: bytes) -> "RoundProof":
        magic, records, identity, epoch, index, size = _HEAD.unpack_from(data)
        if magic != MAGIC or records not in (1, 2):
            raise ProofRefused("not a proof")
        at, places, kind = _HEAD.size, list[tuple[int, int]](), "settlement"
        for _ in range(records):
            places.append(_PLACE.unpack_from(data, at))
            at += _PLACE.size
        if records == 1:
            kind = data[at + 1 : at + 1 + data[at]].decode()
            at += 1 + data[at]
        blind, signature, steps = data[at : at + _HASH], data[at + _HASH : at + 96], data[at + 96]
        at += 97
        path = [data[at + _HASH * n : at + _HASH * (n + 1)] for n in range(steps)]
        at += _HASH * steps
        cosignatures, count = list[SignatureLine](), data[at]
        at += 1
        for _ in range(count):
            name = data[at + 1 : at + 1 + data[at]].decode()
            at += 1 + data[at]
            cosignatures.append(SignatureLine(name, b"", data[at : at + _COSIGNATURE]))
            at += _COSIGNATURE
        if at != len(data) or (path and len(path[-1]) != _HASH):
            raise ProofRefused("not a proof: it has bytes too many, or too few")
        return cls(identity, epoch, index, size, places, kind, blind, signature, path, cosignatures)

    # ------------------------------------------------------------------ what it shows

    def head(self, lines: Sequence[bytes]) -> TreeHead:
        """Return the checkpoint that the proof leads to from the lines: of the round and its settlement, or of the one
        record. ProofRefused if the path does not fit."""
        if len(lines) != len(self.places):
            raise ProofRefused(f"it is a proof of {len(self.places)} lines; given: {len(lines)}")
        table = _table_in(lines[-1])
        kinds = ("round", self.kind) if len(lines) == 2 else (self.kind,)
        digests = [
            ProvenRecord(*place, kind, table, line).digest()
            for place, kind, line in zip(self.places, kinds, lines, strict=True)
        ]
        try:
            root = root_over(leaf_hash(self.blind + b"".join(digests[::-1])), self.index, self.size, self.path)
        except PathRefused as error:
            raise ProofRefused(str(error)) from None
        return TreeHead(self.origin, self.size, root)

    def check(self, lines: Sequence[bytes], key: NoteVerifier, witnesses: Sequence[NoteVerifier] = ()) -> list[str]:
        """Return the witnesses that cosigned the checkpoint. ProofRefused unless `key` signed the tree in which the
        lines are, and each of `witnesses` cosigned it."""
        if key.name != self.origin:  # whoever has a key can begin another log with it
            raise ProofRefused(f"it is of the log {self.origin}, not of {key.name}")
        if key.kind != LOG_TYPE:
            raise ProofRefused(f"{key.name}: the key of a witness; allowed: the key of a log")
        body = self.head(lines).body
        if not key.fits(body.encode(), self.signature):
            raise ProofRefused("the signature does not fit: these are not the lines that were proven, or not the key")
        for witness in witnesses:
            found = [each for each in self.cosignatures if each.name == witness.name]
            if not found:
                raise ProofRefused(f"{witness.name} did not cosign it")
            try:
                cosigned_at(body, found[0]._replace(key_id=witness.key_id), witness)
            except NoteRefused as error:
                raise ProofRefused(str(error)) from None
        return [each.name for each in witnesses]

    def shown(self, lines: Sequence[bytes]) -> list[str]:
        """Return what checked lines show, in words: kind, round and table of each, and a settlement that is missing."""
        kinds = ("round", self.kind) if len(lines) == 2 else (self.kind,)
        table = _table_in(lines[-1])
        found = [f"{_named(kind, line)} of table {table!r}" for kind, line in zip(kinds, lines, strict=True)]
        if "settlement" not in kinds:
            found.append("no settlement is shown: the round may have one that this proof leaves out; ask for it")
        return found


def _named(kind: str, line: bytes) -> str:
    """Return the kind of a published line with the number of its round, if it names one."""
    try:
        number = json.loads(line)["round"]
    except (ValueError, KeyError, TypeError, RecursionError):
        number = None
    if type(number) is not int:
        return kind
    return f"round {number}" if kind == "round" else f"{kind} of round {number}"


def _table_in(line: bytes) -> str:
    """Return the table in a published line."""
    try:
        table = str(json.loads(line)["table"])
        if len(table.encode()) > TEXT_MAX:
            raise ValueError(table)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ProofRefused("a line that names no table") from None
    return table


# ------------------------------------------------------------------ from a journal


class ProvenLines(NamedTuple):
    """A proof with its lines: of the round, and of its settlement if there is one."""

    proof: RoundProof
    lines: tuple[bytes, ...]


def prove(reader: JournalReader, record: JournalRecord, what: str) -> ProvenLines:
    """Return the proof of a round by its published record; `what` names it in errors.

    NotProvable if it is older than the tree, or newer than the newest checkpoint.
    """
    settlement = _settlement_of(reader, record)
    both = [record, settlement] if settlement is not None else [record]
    for records in (both, [record]):
        found = _proof_of(reader, records, what)
        if found is not None:
            return found
    raise NotProvable(reader.path, f"{what}: the tables of the tree do not match its records; verify the journal")


def _proof_of(reader: JournalReader, records: list[JournalRecord], what: str) -> ProvenLines | None:
    """Return the proof of the leaf of the last of these records; None if the others are not in it."""
    tables, last = LogTables(reader), records[-1]
    place = tables.leaf_of(last.sequence)
    if place is None:
        raise NotProvable(reader.path, f"{what}: {_why_no_leaf(reader)}")
    tree, index = place
    checkpoint = _checkpoint_after(reader, tree, last.sequence)
    if checkpoint is None:
        raise NotProvable(reader.path, f"{what}: it ended after the newest checkpoint; try again in a minute")
    head, signatures = _checkpoint_in(reader, checkpoint)
    epoch = head.origin.rpartition("/")[2]
    if head.origin != origin_of(reader.identity, epoch) or not EPOCH.fullmatch(epoch):
        raise JournalDamaged(reader.path, checkpoint.sequence, "a checkpoint of another journal's log")
    proof = RoundProof(
        reader.identity,
        bytes.fromhex(epoch),
        index,
        head.size,
        [(each.sequence, each.at_ns) for each in records],
        last.kind,
        blind_of(reader.hash_at(last.sequence - 1) or reader.anchor.hash),
        signatures[0].signature,
        inclusion_path(lambda level, number: tables.subtree(tree, level, number), index, head.size),
        list(cosignatures_of(reader, head, checkpoint.sequence)),
    )
    lines = tuple(each.payload for each in records)
    if proof.head(lines) != head:
        return None
    if len(proof.to_bytes()) > PROOF_MOST:
        raise NotProvable(reader.path, f"{what}: its path is longer than {PROOF_MOST} bytes allow")
    return ProvenLines(proof, lines)


def _settlement_of(reader: JournalReader, record: JournalRecord) -> JournalRecord | None:
    """Return the settlement that follows a round's record; None if another round of its table comes first."""
    where = f"{IS_PUBLICATION} AND kind IN ('round', 'settlement') AND tbl = ? AND sequence > ?"
    sql = f"SELECT sequence FROM record INDEXED BY publication WHERE {where} ORDER BY sequence LIMIT 1"
    rows = reader.rows(sql, record.table, record.sequence)
    found = next(reader.records(rows[0][0] - 1)) if rows else None
    return found if found is not None and found.kind == "settlement" else None


def _why_no_leaf(reader: JournalReader) -> str:
    begun = reader.first_of(LOG) if reader.version >= TREE_SINCE else None
    if begun is None:
        return "the journal has no tree: name signing-key-file in [journal]"
    return f"it is from before record {begun.sequence}, where the tree begins"


def _checkpoint_after(reader: JournalReader, tree: int, sequence: int) -> JournalRecord | None:
    """Return the first checkpoint of a tree after a record: the path is shortest there."""
    for record in reader.all_of(CHECKPOINT, sequence):
        if _noted(reader, record).tree == tree:
            return record
    return None


def _noted(reader: JournalReader, checkpoint: JournalRecord) -> NotedTree:
    found = noted_tree(reader.path, checkpoint)
    assert found is not None  # only a balance may name no tree
    return found


def _checkpoint_in(reader: JournalReader, record: JournalRecord) -> tuple[TreeHead, list[SignatureLine]]:
    """Return what the note of a checkpoint's record says, and the signature of its log. JournalDamaged if there is
    none."""
    noted = _noted(reader, record)
    with suppress(SealingUnavailable):  # then a checker finds what is wrong
        if (fault := fault_of_note(noted)) is not None:
            raise JournalDamaged(reader.path, record.sequence, f"a checkpoint that nobody signed: {fault}")
    _, lines = note_parts(noted.note)
    return noted.head, [each for each in lines if each.name == noted.origin]


def cosignatures_of(reader: JournalReader, head: TreeHead, after: int) -> Iterator[SignatureLine]:
    """Yield the cosignatures of a checkpoint, which come after its record."""
    for record in reader.all_of(COSIGNED, after):
        noted = noted_cosignature(reader.path, record)
        if noted.size > head.size:
            return
        if noted.size == head.size and noted.origin in ("", head.origin):
            yield noted.line


class NewestNote(NamedTuple):
    """The newest checkpoint: its tree, what it says, and its note with all cosignatures."""

    tree: int
    head: TreeHead
    note: str


def newest_note(reader: JournalReader, size: int | None = None) -> NewestNote:
    """Return the newest checkpoint, or the newest of the tree of `size` leaves. NotProvable if there is none."""
    record = reader.newest_of(CHECKPOINT) if reader.version >= TREE_SINCE else None
    tree = _noted(reader, record).tree if record is not None else 0
    while record is not None and size is not None:
        noted = _noted(reader, record)
        if (noted.tree, noted.size) == (tree, size):
            break
        record = reader.newest_of(CHECKPOINT, record.sequence - 1) if noted.tree == tree else None
    if record is None:
        why = "no checkpoint was signed: name signing-key-file in [journal]"
        raise NotProvable(reader.path, why if size is None else f"no checkpoint of {size} leaves is in it")
    head, lines = _checkpoint_in(reader, record)
    return NewestNote(tree, head, note_of(head.body, [*lines, *cosignatures_of(reader, head, record.sequence)]))


def growth(reader: JournalReader, old: int, size: int | None = None) -> str:
    """Return the proof that the newest checkpoint, or that of `size` leaves, continues the tree of `old` leaves: the
    body of C2SP's `add-checkpoint`. NotProvable if the tree is smaller."""
    found = newest_note(reader, size)
    if old > found.head.size:
        raise NotProvable(reader.path, f"its tree has {found.head.size} leaves at that checkpoint, fewer than {old}")
    tables = LogTables(reader)
    path = consistency_path(lambda level, number: tables.subtree(found.tree, level, number), old, found.head.size)
    hashes = "".join(f"{base64.b64encode(each).decode()}\n" for each in path)
    return f"old {old}\n{hashes}\n{found.note}"
