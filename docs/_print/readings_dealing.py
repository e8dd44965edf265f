"""Table of the readings of the dealing: `docs/readings-dealing.md`. `readings_money` prints those of the money."""

from collections.abc import Iterator

from dealer_flow.procedure.load import known_procedures, load_procedure
from dealer_flow.procedure.tables import OptionPart
from docs._print import printed, table

LISTED_MAX = 4
"""Maximum number of procedures that a row lists in sight."""


def pages() -> dict[str, str]:
    """Return the page by its path under `docs/`."""
    return {"readings-dealing.md": printed("readings-dealing.md", _rows())}


def _rows() -> Iterator[str]:
    """Yield one row for each reading with its reason; procedures that share both share the row."""
    shared: dict[OptionPart, list[str]] = {}
    for procedure in map(load_procedure, known_procedures()):
        for option in procedure.option:
            shared.setdefault(option, []).append(f"[{procedure.id}](games/{procedure.id}.md)")
    rows = (
        (f"`{option.name}`", values(option, "**{}**"), sentence(option.reason), _folded(names))
        for option, names in sorted(shared.items(), key=lambda each: (each[0].name, each[1]))
    )
    yield from table(("reading", "values (default in bold)", "reason", "procedures"), rows)


def _folded(names: list[str]) -> str:
    """Return the links to procedures; a long list is folded under its number, so that the reasons stay in sight."""
    links = ", ".join(names)
    return (
        links if len(names) <= LISTED_MAX else f"<details><summary>{len(names)} procedures</summary>{links}</details>"
    )


def values(option: OptionPart, default: str) -> str:
    """Return the values of a reading, the default first and written as this format has it."""
    others = (value for value in option.allowed if value != option.default)
    return ", ".join([default.format(option.default), *others])


def sentence(reason: str) -> str:
    """Return the reason as a sentence."""
    return f"{reason[:1].upper()}{reason[1:]}."
