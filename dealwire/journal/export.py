"""Export of a journal's raw record as a capture for Wireshark and `dealwire replay`."""

from collections.abc import Mapping
from pathlib import Path

from dealwire.journal.contents import JournalLine
from dealwire.journal.errors import JournalError, JournalUnwritable
from dealwire.journal.reader import JournalReader
from dealwire.journal.records import LINE, NOTE, RAW
from devices.drive.address import short_name
from devices.record.capture import CaptureWriter


def export_capture(reader: JournalReader, table: str, output: Path, *, overwrite: bool = False) -> int:
    """Write everything that passed on the lines of `table` to `output`; return the number of reads and writes.

    The bytes are unsealed there and may contain faces that were not shown. KeyUnknown without the key,
    CaptureInaccessible if the file cannot be created, JournalUnwritable if the disk does not take it all.
    """
    lines = {number: line for number, line in reader.lines().items() if line.table == table}
    procedure = next((line.procedure for line in lines.values()), "")
    for record in reader.records():
        if record.table == table and record.kind in RAW:
            reader.raw(record)  # raises without the key, before a file is created
            break
    try:
        with CaptureWriter(output, overwrite=overwrite, procedure=procedure) as writer:
            count = _write(reader, table, lines, writer)
    except JournalError:  # a later record needs another key or is damaged: leave no partial capture
        output.unlink(missing_ok=True)
        raise
    if writer.failed is not None:
        raise JournalUnwritable(output, writer.failed)
    return count


def _write(reader: JournalReader, table: str, lines: Mapping[int, JournalLine], writer: CaptureWriter) -> int:
    count, interfaces = 0, dict[int, int]()

    def interface_of(number: int) -> int:
        if number not in interfaces:
            interfaces[number] = _interface(writer, number, lines.get(number))
        return interfaces[number]

    for record in reader.records():
        if record.table != table:
            continue
        if record.kind == LINE:
            interface_of(record.line)
        elif record.kind in RAW:
            for each in reader.passed(record):
                count += 1
                writer.chunk(interface_of(each.line), each.at_ns, each.sent, each.data)
        elif record.kind == NOTE:
            writer.note(interface_of(record.line), record.at_ns, record.text)
    return count


def _interface(writer: CaptureWriter, number: int, line: JournalLine | None) -> int:
    """Return a line's interface in a capture; without a name if it was registered before this file begins."""
    if line is None:
        return writer.interface(f"line {number}", device="")
    return writer.interface(
        line.name, device=line.device, dialect=line.dialect, line=short_name(line.address), baud=line.baud
    )
