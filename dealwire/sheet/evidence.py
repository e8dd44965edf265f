"""The part of a sheet that ties it to the journal."""

from collections.abc import Iterator
from shlex import quote

from dealwire.sheet.model import RoundSheet, RulesFile
from dealwire.sheet.paper import Block, Cell, PaperFacts, PaperHeading, PaperRemark, table

WHAT = {"first": "first record", "round": "result", "settlement": "settlement", "last": "last record"}


def evidence(sheet: RoundSheet) -> Iterator[Block]:
    """Yield the records in the chain, what was verified, and the commands that verify it."""
    yield PaperHeading("Evidence")
    rows = ((WHAT[each.what], each.record, each.epoch, each.hash) for each in sheet.places)
    yield table("|>record|opening|*SHA-256 in the chain", rows)
    yield PaperFacts(
        (
            (
                "journal",
                f"{sheet.journal}, number {sheet.file}, written by {sheet.written_by or 'a program not named'}",
            ),
            ("follows record", sheet.before),
            *_files(sheet),
            ("chain", _chain(sheet)),
            ("seals", _seals(sheet)),
            ("made by", f"{sheet.program}, {sheet.made}"),
        )
    )
    last = sheet.place("last")
    if last is not None:
        yield PaperRemark("To check that all of this is in the journal, and that nothing before it was altered:")
        yield PaperRemark(f"dealwire journal verify {quote(sheet.journal)} --expect {last.record}:{last.hash}")
        yield PaperRemark("To replay the raw record and compare every line, with the key:")
        yield PaperRemark(f"dealwire journal rebuild {quote(sheet.journal)} --key KEYFILE")


def _files(sheet: RoundSheet) -> Iterator[tuple[str, Cell]]:
    files = (("procedure", sheet.procedure), ("edition", sheet.edition), ("game", sheet.game))
    for name, file in files:
        if file is not None and file.sha256:
            yield f"{name}'s SHA-256", file.sha256 + _same(file)
    if sheet.house is not None:
        yield "house rules' SHA-256", sheet.house.sha256


def _same(file: RulesFile) -> str:
    if file.same is None:
        return " (this program has no such file)"
    return "" if file.same else " (this program has another file of that name; the title is that one's)"


def _chain(sheet: RoundSheet) -> str:
    found = sheet.checked
    return (
        f"verified for this round when the sheet was made: {found.records} records in an unbroken chain. "
        "The rest of the journal was not verified"
    )


def _seals(sheet: RoundSheet) -> str:
    found = sheet.checked
    opened = f", {found.opened} opened with the key" if sheet.faces is not None else ", not opened"
    return f"{found.sealed} raw records sealed{opened}; {found.clear} in clear text"
