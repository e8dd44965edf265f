"""Every clause that a procedure or a game cites is a paragraph of the text; `docs/clauses.md` says how many cite it."""

import re
from pathlib import Path
from typing import Final

import pytest

from docs._print.clauses import files, pages, single
from tests.support.reading.each import of_each
from tests.support.reading.paragraphs import known

ROOT: Final = Path(__file__).parents[1]
KNOWN: Final = known()
FILES: Final = files()
WRITTEN: Final = sorted([*ROOT.glob("dealer_flow/procedure/*/*.toml"), *ROOT.glob("dealer_flow/games/*/*.toml")])
_MENTIONED: Final = re.compile(r"47\.1-10\d\d(?:\.\d+)?(?:\(\w+(?:\.\d+)?\))*")


def strange(section: str, paragraph: str) -> bool:
    """Return True if the text has no such paragraph."""
    return section not in KNOWN or bool(paragraph and paragraph not in KNOWN[section])


@of_each("file", FILES)
def test_every_clause_that_is_cited_stands_in_the_text(file: str) -> None:
    found = {citation: list(single(citation)) for citation in FILES[file]}
    assert [citation for citation, clauses in found.items() if any(strange(*clause) for clause in clauses)] == []


@of_each("path", WRITTEN, ids=lambda path: path.name)
def test_every_clause_that_is_mentioned_stands_in_the_text(path: Path) -> None:
    """Notes and reasons are checked, too."""
    found = {mention[0] for mention in _MENTIONED.finditer(path.read_text(encoding="utf-8"))}
    parts = {mention: mention.partition("(") for mention in found}
    assert sorted(text for text, (section, bracket, rest) in parts.items() if strange(section, bracket + rest)) == []


@pytest.mark.parametrize(
    ("citation", "found"),
    [
        ("procedure", []),
        ("WA NC 5, MGL 6", []),
        ("47.1-1036", [("47.1-1036", "")]),
        ("47.1-1017.10(8), (10)(d)", [("47.1-1017.10", "(8)"), ("47.1-1017.10", "(10)(d)")]),
        ("47.1-1017.12(12)(a)-(c)", [("47.1-1017.12", "(12)(a)"), ("47.1-1017.12", "(12)(c)")]),
        ("47.1-1017.48 7-9", [("47.1-1017.48", "(7)"), ("47.1-1017.48", "(9)")]),
        ("47.1-1017.51 card delivery (7), (9)", [("47.1-1017.51", "card delivery (7)"), ("47.1-1017.51", "(9)")]),
        ("47.1-1017.14 envy bonus (i)", [("47.1-1017.14", "envy bonus (i)")]),
        ("47.1-1017.49(17), (18), appendix A", [("47.1-1017.49", each) for each in ("(17)", "(18)", "appendix A")]),
        ("47.1-1017.48 4, 47.1-1011(2)", [("47.1-1017.48", "(4)"), ("47.1-1011", "(2)")]),
    ],
)
def test_a_citation_is_read(citation: str, found: list[tuple[str, str]]) -> None:
    assert list(single(citation)) == found


def test_a_citation_of_no_paragraph_is_refused() -> None:
    with pytest.raises(ValueError, match="is no paragraph"):
        list(single("47.1-1036 somewhere"))
    assert "(5)(a)" not in KNOWN["47.1-1017.16"]


def test_the_page_says_who_cites_what() -> None:
    for path, text in pages().items():
        assert (ROOT / "docs" / path).read_text(encoding="utf-8") == text


def test_every_section_of_the_general_rules_is_answered_for() -> None:
    """`docs/regulations.md` has a row for each paragraph of 1002 to 1062."""
    page = (ROOT / "docs" / "regulations.md").read_text(encoding="utf-8")
    rows = [line.split(" | ")[0].removeprefix("| ") for line in page.splitlines() if line.startswith("| 10")]
    spoken = {clause for row in rows for clause in _spoken(row)}
    general = {section for section in KNOWN if 1002 <= float(section.removeprefix("47.1-")) <= 1062 and "." not in
               section.removeprefix("47.1-")}  # fmt: skip
    games = {f"47.1-{number}" for number in range(1012, 1018)}
    wanted = {(section, part) for section in general - games for part in KNOWN[section] | {""} if part.count("(") <= 1}
    whole = {section for section, part in spoken if not part}
    missing = {(section, part) for section, part in wanted - spoken if section not in whole}
    missing = {(section, part) for section, part in missing if part or not KNOWN[section]}
    assert sorted(missing) == []


def _spoken(row: str) -> list[tuple[str, str]]:
    """Return the clauses of one row such as `1002(1), (3)-(5)`; a range includes all between."""
    section, found = "", []
    for part in row.split(", "):
        head, bracket, rest = part.partition("(")
        section = f"47.1-{head}" if head else section
        if not bracket:
            first, _, last = head.partition("-")
            found += [(f"47.1-{number}", "") for number in range(int(first), int(last or first) + 1)]
            continue
        first, _, last = (bracket + rest).partition("-")
        known = sorted(
            KNOWN[section], key=lambda text: [float(word) for word in re.findall(r"[\d.]+", text)][:1] or [0]
        )
        known = [text for text in known if text.count("(") == 1]
        found += [(section, text) for text in known[known.index(first) : known.index(last or first) + 1]]
    return found
