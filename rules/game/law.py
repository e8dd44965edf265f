"""Differences between two editions of the regulation, figure by figure, over all procedures and games."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from dealer_flow.editions import Edition, amend
from dealer_flow.editions.amend import cites
from dealer_flow.layers import texts_in
from dealer_flow.procedure.load import known_procedures, load_procedure
from protocol.tomlfile import TomlFileError
from rules.game.load import game_ids, load_game

CITED_AS = "cited-as"
"""Key of a difference in the citation alone."""


class LawDifference(NamedTuple):
    """One figure in two editions, None in an edition that lacks it; with the procedures that contain it, and the games
    that contain it or settle their rounds.

    `effective` and `until` are the days on which the change applies.
    """

    clause: str
    key: str
    was: Any
    now: Any
    effective: str | None
    until: str | None
    procedures: tuple[str, ...]
    games: tuple[str, ...]


def differences(old: Edition, new: Edition) -> list[LawDifference]:
    """Return every difference of `new` from `old`, in the order of the clauses."""
    found: dict[tuple[str, str, str], LawDifference] = {}
    for name, part, content in _printed(old, new):
        for each in {repr(each): each for each in _file_differences(content, old, new)}.values():
            at = each.clause, each.key, repr(each)
            known = found.get(at, each)
            names = {part: (*getattr(known, part), name)}
            # `part` is one of the two fields that hold names.
            found[at] = known._replace(**names)  # type: ignore[arg-type]
    dealt = {name: frozenset(load_game(name).spec.procedures) for name in game_ids()}
    return [
        each._replace(games=tuple(name for name in dealt if name in each.games or dealt[name] & {*each.procedures}))
        for _, each in sorted(found.items(), key=lambda item: item[0])
    ]


def edition_faults(
    edition: Edition, procedures: Iterable[Path] = (), games: Iterable[Path] = ()
) -> Iterator[TomlFileError]:
    """Yield the errors of an edition, checked against the procedures and games of its jurisdiction, from the package
    and from these files: changes that match none of them, and the first impossible one."""
    unknown = {number for number, change in enumerate(edition.part.change) if change.keys}
    try:
        for source, part, content in _printed(edition, procedures=procedures, games=games):
            _ = load_procedure(source, edition) if part == "procedures" else load_game(source, edition=edition)
            unknown -= {each.number for each in amend(content, edition)[1] if each.by is edition}
    except TomlFileError as fault:
        yield fault
        return
    for number in sorted(unknown):
        yield edition.fault(("change", number, "keys"), "no procedure or game has this key with this clause")


def _printed(
    *editions: Edition, procedures: Iterable[Path] = (), games: Iterable[Path] = ()
) -> Iterator[tuple[Any, Literal["procedures", "games"], Mapping[str, Any]]]:
    """Yield each procedure and game of the jurisdiction of all these editions, from the package and from these files:
    its id or file, its kind, and its content as printed."""
    sources: tuple[str | Path, ...] = (*known_procedures(), *procedures)
    for source in sources:
        procedure = load_procedure(source)
        if all(each.of(procedure.jurisdiction) for each in editions):
            yield source, "procedures", procedure.model_dump(by_alias=True, exclude_unset=True)
    sources = (*game_ids(), *games)
    for source in sources:
        game = load_game(source).source
        if all(each.of(game.spec.jurisdiction) for each in editions):
            yield source, "games", game.whole.content()


def _file_differences(content: Mapping[str, Any], old: Edition, new: Edition) -> Iterator[LawDifference]:
    """Yield each figure that differs in one file; names of files are not filled in."""
    before, after = _figures(content, old), _figures(content, new)
    for at, figure in {**before, **after}.items():
        was, now = (side[at].now if at in side else figure.printed for side in (before, after))
        if was != now:
            yield LawDifference(figure.clause, figure.key, was, now, *figure.days, (), ())
    texts = [*texts_in(content)]
    for clause in dict.fromkeys([*_citations(old), *_citations(new)]):
        was, now = (_citations(each).get(clause, clause) for each in (old, new))
        if was != now and any(cites(text, clause) for text in texts):
            yield LawDifference(clause, CITED_AS, was, now, new.part.effective, new.part.until, (), ())


class _Figure(NamedTuple):
    """A figure as printed in the file and as in an edition, with the days on which it applies."""

    clause: str
    key: str
    printed: Any
    now: Any
    days: tuple[str | None, str | None]


def _figures(content: Mapping[str, Any], edition: Edition) -> dict[str, _Figure]:
    """Return the figures that an edition changes, by clause, key and printed value; one changed twice counts once."""
    found: list[_Figure] = []
    for each in amend(content, edition)[1]:
        printed = each.was
        for before in found:
            if (before.key, before.clause, before.now) == (each.key, each.clause, each.was):
                found.remove(before)
                printed = before.printed
                break
        found.append(_Figure(each.clause, each.key, printed, each.now, each.by.days_of(each.number)))
    return {repr(each[:3]): each for each in found}


def _citations(edition: Edition) -> dict[str, str]:
    """Return the citations that an edition changes, by clause."""
    changes = (change for layer in edition.layers for change in layer.part.change if change.cited_as is not None)
    return {clause: str(change.cited_as) for change in changes for clause in change.clauses}
