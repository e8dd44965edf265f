"""`docs/readings.md`: every reading of every procedure with its reason, printed from the files."""

from collections.abc import Iterable, Iterator
from typing import Final

from dealer_flow.procedure.load import Procedure, known_procedures, load_procedure
from dealer_flow.procedure.tables import OptionPart

INTRO: Final = (
    "# Readings",
    "<!-- printed by python -m dealer_flow.pages.write -->",
    "",
    "Where a rule text is silent, contradicts itself or leaves something to the house, a procedure does not guess.",
    "It has a named option with a default, the other values allowed, and the reason. A table may choose another value;",
    "every result carries the values it was dealt under. `dealwire games --json` gives the same as data.",
    "",
    "The words for what follows from a wrong count are explained in [procedures](procedures.md).",
)


def readings_page() -> str:
    """The page: readings that several procedures share, then those of one procedure, in the order of their ids."""
    procedures = [load_procedure(name) for name in known_procedures()]
    shared: dict[OptionPart, list[Procedure]] = {}
    for procedure in procedures:
        for option in procedure.option:
            shared.setdefault(option, []).append(procedure)
    lines = [*INTRO, "", "## Shared by several procedures", ""]
    for option in sorted((option for option in shared if len(shared[option]) > 1), key=_by_name):
        lines += [f"**`{option.name}`**: {_values(option)}. {_sentence(option.reason)}", ""]
        lines += [f"In {_listed(procedure.id for procedure in shared[option])}.", ""]
    for procedure in procedures:
        own = [option for option in procedure.option if len(shared[option]) == 1]
        lines += _own_readings(procedure, own)
    return "\n".join(lines)


def _own_readings(procedure: Procedure, own: list[OptionPart]) -> Iterator[str]:
    if not own:
        return
    yield from (f"## {procedure.title}", "", f"`{procedure.id}`, {procedure.clause}", "")
    yield from ("| reading | values, default first | why |", "| --- | --- | --- |")
    yield from (f"| `{option.name}` | {_values(option)} | {_sentence(option.reason)} |" for option in own)
    yield ""


def _values(option: OptionPart) -> str:
    others = [value for value in option.allowed if value != option.default]
    return ", ".join([f"**{option.default}**", *others])


def _listed(ids: Iterable[str]) -> str:
    return ", ".join(f"[{name}](games/{name}.md)" for name in ids)


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:]}."


def _by_name(option: OptionPart) -> str:
    return option.name
