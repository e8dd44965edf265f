"""Signed measurements in the raw record of a journal, checked again by who has only the makers' keys.

A table's verdicts are notes, written by the program. Each note that a device has proved its firmware needs a signature
before it, on the same line, that shows it. Of a journal whose beginning was pruned, a line counts from its next
HELLO-REPLY on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dealwire.journal import JournalReader
from dealwire.journal.records import NOTE, RAW
from devices.attestation import Evidence, FirmwareProof, Maker, NotAttested, check
from devices.attested import parse_note
from protocol.errors import BadPayload
from protocol.tdp.attestation import Certificate, Statement
from protocol.tdp.codec import decode
from protocol.tdp.framing import Frame, Framer
from protocol.tdp.messages import HelloReplyMessage, MeasuredMessage, VerifyMessage


class RecordedMeasurement(NamedTuple):
    """One measurement or note: where, when, what it shows, and why it does not hold; empty if it does."""

    table: str
    device: str
    at_ns: int
    shows: str
    wrong: str = ""


@dataclass(slots=True)
class _Line:
    """One line: what came and went so far, as far as it matters here."""

    sent: Framer = field(default_factory=Framer)
    came: Framer = field(default_factory=Framer)
    hello: HelloReplyMessage | None = None
    certificate: Certificate | None = None
    challenge: VerifyMessage | None = None
    proof: FirmwareProof | None = None


def recorded(reader: JournalReader, makers: Sequence[Maker]) -> Iterator[RecordedMeasurement]:
    """Yield each measurement and each note of a proof in a journal, oldest first. Errors as of `JournalReader.raw`."""
    named, lines = reader.lines(), dict[int, _Line]()
    for record in reader.records():
        if record.kind == NOTE and (note := parse_note(record.payload.decode("utf-8", "replace"))) is not None:
            line = lines.setdefault(record.line, _Line())
            if note.state == "proved" and (line.hello is not None or not reader.anchor.sequence):
                shows, proof = f"noted {note.version}, SHA-256 {note.sha256[:16]}", line.proof
                fits = proof is not None and proof.sha256.hex() == note.sha256 and proof.key.hex().startswith(note.key)
                wrong = "" if fits else "no signature before it shows this"
                yield RecordedMeasurement(record.table, named[record.line].name, record.at_ns, shows, wrong)
        for each in reader.passed(record) if record.kind in RAW else ():
            line = lines.setdefault(each.line, _Line())
            for shows, wrong in _measured(line, each.data, makers, sent=each.sent):
                yield RecordedMeasurement(named[each.line].table, named[each.line].name, each.at_ns, shows, wrong)


def _measured(line: _Line, data: bytes, makers: Sequence[Maker], *, sent: bool) -> Iterator[tuple[str, str]]:
    """Yield what each measurement in these bytes shows, and why it does not hold."""
    for piece in (line.sent if sent else line.came).feed(data):
        if not isinstance(piece, Frame):
            continue
        try:
            envelope = decode(piece.body)
        except BadPayload:
            continue
        message = envelope.message
        if sent and isinstance(message, VerifyMessage):
            line.challenge = message
        elif not sent and isinstance(message, HelloReplyMessage):
            line.hello, line.certificate = message, Certificate.read(envelope.extensions)
        elif not sent and isinstance(message, MeasuredMessage) and line.challenge is not None and line.hello:
            statement = Statement.read(envelope.extensions)
            yield _checked(line, Evidence(line.hello, line.certificate, line.challenge, message, statement), makers)


def _checked(line: _Line, found: Evidence, makers: Sequence[Maker]) -> tuple[str, str]:
    who = f"{found.hello.maker} {found.hello.model} {found.hello.serial}"
    try:
        line.proof = check(found, makers)
    except NotAttested as error:
        return who, error.why
    return f"{who} signed SHA-256 {line.proof.sha256.hex()[:16]}", ""
