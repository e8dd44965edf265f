"""Clauses that procedures and games cite, with the number of files that cite each: `docs/clauses.md`."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from dealer_flow.games import files_of
from dealer_flow.procedure.load import known_procedures, load_procedure
from docs._print import printed, table
from rules.game.load import load_game

OTHER: Final = ("procedure", "house limit", "SD", "WA", "WAC", "RTF")
"""Prefixes of citations outside Rule 10: the house's own rules, and the texts of South Dakota, Washington and Race to
the Flush."""
_SECTION: Final = re.compile(r"47\.1-10\d\d(?:\.\d+)?")
_PARAGRAPH: Final = re.compile(r"(?P<words>(?:[a-z]+ )*)(?P<first>(?:\(\w+(?:\.\d+)?\))+)(?:-(?P<last>\(\w+\)))?$")
_HEADING: Final = re.compile(r"(?:progressive )?envy bonus|appendix [A-Z]")
"""Part of a section that is cited as a whole."""
_PLAIN: Final = re.compile(r"(?P<first>\d+)(?:-(?P<last>\d+))?$")


def cited(value: Any, key: str = "") -> Iterator[str]:
    """Yield every clause in the tables of a file: the nonempty values of all keys that name one."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from cited(inner, name if "clause" in name or key != "clauses" else key)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from cited(inner, key)
    elif isinstance(value, str) and value and ("clause" in key or key == "bets_closed"):
        yield value


def single(citation: str) -> Iterator[tuple[str, str]]:
    """Yield section and paragraph of each clause in a citation; the paragraph is empty if the whole section is cited.
    `47.1-1017.10(8), (10)(d)` gives two, and `(8)-(9)` gives both ends. Raise ValueError if it is not a citation."""
    section = ""
    for part in citation.split(", "):
        if part.startswith(OTHER) or (not section and not part.startswith("47.1-")):
            return
        if found := _SECTION.match(part):
            section, part = found[0], part[found.end() :].strip()
        if not part or _HEADING.fullmatch(part):
            yield section, part
            continue
        plain, paragraph = _PLAIN.match(part), _PARAGRAPH.match(part)
        if plain:
            yield from ((section, f"({end})") for end in (plain["first"], plain["last"]) if end)
        elif paragraph:
            yield section, paragraph["words"] + paragraph["first"]
            if paragraph["last"]:
                before = paragraph["first"].rpartition("(")[0]
                yield section, paragraph["words"] + before + paragraph["last"]
        else:
            raise ValueError(f"{citation!r}: {part!r} is no paragraph")


def files() -> dict[str, list[str]]:
    """Return the citations of each file."""
    games = [*files_of("pays")]
    return {
        **{f"procedure {name}": [*cited(load_procedure(name).model_dump(mode="json"))] for name in known_procedures()},
        **{f"game {name}": [*cited(load_game(name).spec.model_dump(mode="json"))] for name in games},
    }


def pages() -> dict[str, str]:
    """Return the page `clauses.md` with its printed part."""
    return {"clauses.md": printed("clauses.md", _lines())}


def _lines() -> Iterator[str]:
    """Yield every cited clause with the number of files that cite it."""
    clauses: Counter[tuple[str, str]] = Counter()
    others: Counter[str] = Counter()
    for citations in files().values():
        clauses.update({clause for citation in citations for clause in single(citation)})
        others.update({citation for citation in citations if not list(single(citation))})
    names = {clause: f"{clause[0]}{' ' * clause[1][:1].isalpha()}{clause[1]}" for clause in clauses}
    yield from ("## Of Colorado's Rule 10", "")
    yield from table(("clause", "files"), ((names[clause], clauses[clause]) for clause in sorted(clauses, key=_order)))
    yield from ("", "## Of other texts, and of the house", "")
    yield from table(("clause", "files"), sorted(others.items()))


def _order(clause: tuple[str, str]) -> tuple[list[tuple[int, str]], ...]:
    """Return a sort key: numbers by value, letters by the alphabet."""
    return tuple(
        [(int(word), "") if word.isdigit() else (0, word) for word in re.findall(r"\d+|[a-zA-Z]+", part)]
        for part in clause
    )
