"""The paragraphs of the texts.

    python -m tests.support.reading.paragraphs RULE10 FGW > tests/support/reading/paragraphs.txt

The texts themselves are not in this repository; the list of their sections and paragraphs is. A line is a section, then
its paragraphs: `47.1-1031 (1) (2) (3)`. Paragraphs under a heading of its own in a section have the heading in front,
as `card delivery (12)`. A number that the scan lost between two others is restored.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

LIST: Final = Path(__file__).with_suffix(".txt")
_SECTION: Final = re.compile(r"47[.-]1-(10\d\d(?:\.\d+)?)\b\.?\s+\S")
_MARK: Final = re.compile(r"\s*(?:- )?(?:\((?P<paren>[0-9.]+|[a-z]{1,4}|[A-Z]{1,3})\)|(?P<plain>[0-9]{1,2}|[a-f])\.) ")
_ROMAN: Final = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_HEADLESS: Final = ("Crazy 4 Poker is copyrighted", "47.1-1017.44")
"""Section whose heading the scan lost, by the line with which it begins."""
_HEADINGS: Final = {
    "CARD DELIVERY": "card delivery",
    "TAKE AND PAY": "take and pay",
    "SHOOTOUT BONUS": "shootout bonus",
    "ENVY BONUS": "envy bonus",
    "QUICK DRAW": "quick draw",
    "CARDS: NUMBER": "cards",
    "IF THE CASINO LICENSEE OFFERS THE OPTIONAL FLUSHES": "progressive",
}
_LETTERED: Final = {
    "Envy Bonus": "envy bonus",
    "Progressive Envy Bonus": "progressive envy bonus",
    "Appendix A": "appendix A",
}
"""Headings that may be cited as a whole, and the letters under them; a number continues what was before."""


def paragraphs(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield section and paragraph; the section itself has an empty paragraph."""
    section, heading, path, bare, lettered = "", "", list[str](), False, ""
    for line in lines:
        if (found := _SECTION.match(line)) and "(" not in line[:14]:
            section, heading, path, lettered = f"47.1-{found[1]}", "", [], ""
            yield section, ""
            continue
        if line.startswith(_HEADLESS[0]):
            section, heading, path = _HEADLESS[1], "", []
            yield section, ""
        for begins, name in _HEADINGS.items():
            if line.strip().startswith(begins):
                heading, path = f"{name} ", []
        for begins, name in _LETTERED.items():
            if section and line.startswith(begins):
                lettered = name
                yield section, name
        mark = _MARK.match(line)
        if lettered and mark is not None and not (label := mark["paren"] or mark["plain"]).isdigit():
            yield section, f"{lettered} ({label})"
        elif mark is None and line.startswith("- ") and path[1:] == []:
            bare = True  # perhaps a paragraph whose number the scan lost
        elif section and mark is not None:
            if bare and path and path[0].isdigit() and mark["paren"] == "a":
                path = [str(int(path[0]) + 1)]
                yield section, f"{heading}({path[0]})"
            bare, lettered = False, ""
            for each in _placed(path, mark["paren"] or mark["plain"]):
                yield section, heading + "".join(f"({part})" for part in each)


def _placed(path: list[str], mark: str) -> Iterator[tuple[str, ...]]:
    """Yield the path of a mark, which continues `path`, and update `path`. Marks of its kind that the scan lost come
    first."""
    if mark[0].isdigit():
        level = 0
    elif path and (mark not in _ROMAN or _letter_follows(path, mark)):
        level = 1
    elif path:
        level = min(len(path), 2)
    else:
        return
    before = path[level] if len(path) > level else ""
    for lost in _between(before, mark, level):
        yield (*path[:level], lost)
    path[level:] = [mark]
    yield tuple(path)


def _between(before: str, mark: str, level: int) -> Iterator[str]:
    if mark.isdigit() and (before.isdigit() or not before):
        first = int(before or 0) + 1
        yield from (str(number) for number in range(first, int(mark)) if int(mark) - first <= 3)
    elif level == 1 and len(mark) == 1 and mark.islower():
        first = ord(before) + 1 if len(before) == 1 else ord("a")
        yield from (chr(letter) for letter in range(first, ord(mark)) if ord(mark) - first <= 3)


def _letter_follows(path: list[str], mark: str) -> bool:
    """Return True if `(i)`, `(v)` or `(x)` is a letter here: the mark before it is its predecessor in the alphabet."""
    if len(mark) != 1 or len(path) < 2 or not path[1][0].isalpha():
        return False
    return len(path) == 2 and ord(path[1]) + 1 == ord(mark)


def main(files: list[str]) -> None:
    """Print the list."""
    known: dict[str, dict[str, None]] = {}
    for file in files:
        for section, paragraph in paragraphs(Path(file).read_text(encoding="utf-8").splitlines()):
            known.setdefault(section, {})[paragraph] = None
    for section, found in sorted(known.items(), key=lambda row: [float(row[0].removeprefix("47.1-")), row[0]]):
        print("; ".join([section, *filter(None, found)]))


def known() -> dict[str, frozenset[str]]:
    """Return the paragraphs of each section."""
    rows = [line.split("; ") for line in LIST.read_text(encoding="utf-8").splitlines()]
    return {section: frozenset(found) for section, *found in rows}


if __name__ == "__main__":
    main(sys.argv[1:])
