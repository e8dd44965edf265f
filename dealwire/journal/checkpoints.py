"""Signed checkpoints of a journal's tree: size and root, in the form of C2SP.

No two roots of one size are ever signed: a checkpoint covers only what is on the disk, where the tree only grows.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import DecodeError
from msgspec.json import decode, encode

from dealwire.journal.logbook import LogBook, origin_of
from dealwire.journal.record_writer import RecordWriter
from dealwire.journal.records import CHECKPOINT, COSIGNED, LOG
from dealwire.journal.signing import SignatureLine, SigningPair, TreeHead, signed_checkpoint

NEW: Final = "new"
"""The journal had no tree."""
OTHER_KEY: Final = "key"
"""The tree before was signed with another key."""
RESTORED: Final = "restored"
"""An older copy of the journal was put back, and the operator accepted it."""


def given_up_in(payload: bytes) -> list[str]:
    """Return the logs that a record `log` gives up by name, besides the one before it."""
    try:
        return [str(each) for each in decode(payload).get("gives_up", ())]
    except (DecodeError, AttributeError, TypeError):
        return []


def why_begun(payload: bytes) -> str:
    """Return why a tree began, by its record `log`; empty if it cannot be read."""
    try:
        return str(decode(payload)["why"])
    except (DecodeError, KeyError, TypeError):
        return ""


class Checkpoints:
    """The checkpoints of the journal that `writer` writes, signed by `pair`: None signs none, and the tree goes on.

    `newest` is the number of the newest checkpoint's record. A `soon` one does not wait for its time.
    """

    soon = False
    noted: tuple[int, str] | None = None
    """Record and note of the newest checkpoint of this opening."""
    signed: tuple[int, int] | None = None
    """Size and time of the newest checkpoint of this log, as far as it is known."""

    def __init__(self, writer: RecordWriter, pair: SigningPair | None, newest: int) -> None:
        self.pair, self.newest = pair, newest
        self._writer, self._signed_ns = writer, 0

    @property
    def log(self) -> LogBook:
        """The tree."""
        return self._writer.log

    @property
    def due(self) -> bool:
        """True if records followed the newest checkpoint."""
        return self.pair is not None and self._writer.head.sequence > self.newest

    def open(self, at_ns: int) -> None:
        """Begin a tree if there is none, or if another key signed it."""
        if self.pair is None:
            return
        log = self._writer.log
        if not log.tree:
            self.begin(at_ns, NEW)
        elif log.key != self.pair.vkey(log.origin):
            self.begin(at_ns, OTHER_KEY)

    def begin(self, at_ns: int, why: str, gives_up: Iterable[str] = ()) -> None:
        """Begin another tree, under another name: `why` is `new`, `key`, or what the start found. Once an opening.
        `gives_up` are names of logs that the file does not have, and that the operator gave up with the one before."""
        origin = origin_of(self._writer.identity, self._writer.epoch)
        if self.pair is None or not self._writer.is_open() or self._writer.log.origin == origin:
            return
        fields: dict[str, object] = {"origin": origin, "key": self.pair.vkey(origin), "why": why}
        if names := sorted(gives_up):
            fields["gives_up"] = names
        self._writer.add(at_ns, 0, LOG, "", encode(fields))

    def cosigned(self, size: int, line: SignatureLine, at_ns: int) -> None:
        """Record that a witness signed the checkpoint of this size; its `line` was verified."""
        fields = {"origin": self._writer.log.origin, "size": size, "by": line.name, "line": str(line)}
        self._writer.add(at_ns, 0, COSIGNED, "", encode(fields))

    def beat(self, now_ns: int, every_ns: int) -> None:
        """Sign if it is time: once in `every_ns`, if anything was written since."""
        if self.due and (self.soon or now_ns - self._signed_ns >= every_ns or now_ns < self._signed_ns):
            self.sign(now_ns)

    def sign(self, at_ns: int) -> str | None:
        """Write what is open, then sign the tree as it is on the disk and add the checkpoint. Return its note; None if
        nothing is to be signed or the disk did not take what was open."""
        writer = self._writer
        if self.pair is None or not writer.log.tree or not writer.is_open() or not writer.secure():
            return None
        log, self._signed_ns, self.soon = writer.log, at_ns, False
        size = log.size  # the checkpoint will be a leaf itself
        note = signed_checkpoint(TreeHead(log.origin, size, log.root()), self.pair)
        fields = {"tree": log.tree, "size": size, "root": log.root().hex(), "origin": log.origin, "key": log.key}
        self.newest = writer.add(at_ns, 0, CHECKPOINT, "", encode({**fields, "note": note, "at_ns": at_ns}))
        self.noted, self.signed = (self.newest, note), (size, at_ns)
        return note
