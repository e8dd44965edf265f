"""A game file as it is read: merged with all that it extends, with the rankings and pay tables it names."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from dealer_flow.games import paytable_files
from dealer_flow.layers import Whole
from dealer_flow.procedure.load import Procedure, ProcedureError, known_procedures, load_procedure
from dealer_flow.tomlfile import first_fault, named_faults, read, validated
from protocol.nearest import did_you_mean
from protocol.printable import printable
from protocol.tomlfile import Key, TomlFileError
from rules.bets.bet_keys import unknown
from rules.game.as_dealt import as_dealt, bets_in, repeated
from rules.game.faults import faults
from rules.game.keep_rules import load_keep
from rules.game.layers import compose
from rules.game.schema import GameSpec
from rules.hands import Ranking, UnknownRanking, ranking
from rules.hands.hand_spec import HandSpec
from rules.hands.poker import PokerRanking, load_ranking
from rules.paytables.conditions import CONDITIONS
from rules.paytables.paytable import PayTable, load_paytable

_NO_FILES: Final[Mapping[str, str | Path]] = {}


class Tip(NamedTuple):
    """A tip: settled as the bet it is `of`, for the dealer. `on` is the tip on whose stake it is paid, if that bet is
    paid on another's stake."""

    of: str
    clause: str
    on: str = ""


@dataclass(frozen=True)
class GameSource:
    """A game file merged with all that it extends. Every error names the file, line and key of the layer that contains
    it."""

    path: Path
    whole: Whole
    spec: GameSpec
    procedures: Mapping[str, Procedure]
    """The game's procedures that are available and valid, by id."""

    @classmethod
    def read(cls, path: Path, files: Mapping[str, str | Path] = _NO_FILES) -> Self:
        """Read the game file at `path`, whose procedures may be in these `files`, by id; raise TomlFileError for the
        first error."""
        return cls.of(read(path), path, files)

    @classmethod
    def of(cls, text: str, path: Path, files: Mapping[str, str | Path] = _NO_FILES) -> Self:
        """Parse a text like `read`, before it is written to `path`."""
        whole = compose(text, str(path))
        content = whole.content()
        procedures = _procedures(content.get("procedures"), whole, files)
        for key, why in repeated(content, procedures.values()):
            raise whole.fault(key, why)
        content = as_dealt(content, procedures)
        for key, why in _unknown_kind_errors(content) if len(whole.layers) > 1 else ():
            raise whole.fault(key, why)
        found, wrong = spec_of(content, procedures)
        return cls(path, whole, first_fault(found, named_faults(iter(wrong), whole.fault)), procedures)

    def fault(self, key: Key, why: str) -> TomlFileError:
        """Return the error for a key of the game, at its line."""
        return self.whole.fault(key, why)

    @cached_property
    def folders(self) -> tuple[Path, ...]:
        """Folders of the file and of all that it extends, its own first; files next to any of them are found."""
        return _folders(self.whole)

    def beside(self, folder: str, name: str) -> Path | None:
        """Return the file of this name in a folder next to the game file, or next to one that it extends."""
        files = (each / folder / f"{name}.toml" for each in self.folders)
        return next((file for file in files if file.is_file()), None)

    # ------------------------------------------------------------------ rankings

    def rankings(self) -> dict[str, Ranking]:
        """Return the ranking of each hand, which must rank as many cards as the hand has."""
        found: dict[str, Ranking] = {}
        for name, hand in self.spec.hands.items():
            found[name] = self._ranking(name, hand, hand.ranking, ("ranking",))
            for index, other in enumerate(hand.ranking_when):
                also = self._ranking(name, hand, other.ranking, ("ranking-when", index, "ranking"))
                if also.vocabulary != found[name].vocabulary:
                    why = (
                        f"{also.id} has the vocabulary {also.vocabulary}; allowed: a "
                        f"ranking with the vocabulary {found[name].vocabulary}"
                    )
                    raise self.fault(("hands", name, "ranking-when", index, "ranking"), why)
            if hand.pick is not None:
                self._ranking(name, hand, hand.pick.by, ("pick", "by"))
        return found

    def named(self) -> dict[str, Ranking]:
        """Return every ranking that the file names."""
        found: dict[str, Ranking] = {}
        for name, hand in self.spec.hands.items():
            picked = (hand.pick.by,) if hand.pick else ()
            for wanted in (hand.ranking, *(other.ranking for other in hand.ranking_when), *picked):
                found[wanted] = self._find_ranking(("hands", name), wanted)
        return found

    def own_rankings(self, rankings: Mapping[str, Ranking]) -> Iterator[Any]:
        """Yield the content of rankings next to the game; the others are part of the program."""
        beside = {folder / "rankings" for folder in self.folders}
        for _, each in sorted(rankings.items()):
            if isinstance(each, PokerRanking) and each.path.parent in beside:
                yield each.content()

    def _ranking(self, name: str, hand: HandSpec, wanted: str, key: Key) -> Ranking:
        """Return the ranking of this name; raise an error if it does not rank as many cards as this hand has."""
        found = self._find_ranking(("hands", name, *key), wanted)
        (least, most), (fewest, highest) = cards_of(hand), found.sizes
        if least < fewest or most > highest:
            cards = str(most) if least == most else f"{least} to {most}"
            raise self.fault(("hands", name, "of"), f"{cards} cards; allowed for {wanted}: {fewest} to {highest}")
        return found

    def _find_ranking(self, key: Key, name: str) -> Ranking:
        """Return a ranking by its name, or from a file of that name in `rankings/` next to the game."""
        own, file = None, self.beside("rankings", name)
        try:
            own = ranking(name)
        except UnknownRanking as unknown_ranking:
            if file is None:
                allowed = ", ".join(unknown_ranking.allowed)
                why = f"unknown ranking {name!r}; allowed: {allowed}, or {name}.toml in rankings/"
                raise self.fault(key, why) from None
        # A file must not silently replace a ranking of the program.
        if own and file is not None:
            raise self.fault(key, f"there are two rankings {name!r}, one of them in rankings/; rename that one")
        found = load_ranking(file) if own is None and file is not None else own
        assert found is not None, "named, or in a file"
        if found.vocabulary not in CONDITIONS:
            why = f"ranking {name!r} needs pay tables of kind {found.vocabulary!r}; allowed: {', '.join(CONDITIONS)}"
            raise self.fault(key, why)
        return found

    # ------------------------------------------------------------------ pay tables

    def paytables(self, rankings: Mapping[str, Ranking]) -> dict[str, PayTable]:
        """Return every pay table that may pay a bet, by name."""
        found: dict[str, PayTable] = {}
        for index, bet in enumerate(self.spec.bets):
            for name in bet.all_paytables:
                key: Key = ("bets", index, "paytables" if name in bet.paytables else "instead")
                found[name] = table = self._paytable(key, name)
                hand = bet.instead.hand if bet.instead and key[2] == "instead" else bet.hand
                wanted = bet.table_kind or rankings[hand].vocabulary
                if table.kind != wanted:
                    why = f"{name} is a {table.kind} table; a {bet.kind} bet on {hand} needs a {wanted} table"
                    raise self.fault(key, why)
                rows = [row.when for row in table.rows]
                for fault in unknown(("bets", index, "rows"), "row", bet.rows, rows):
                    raise self.fault(*fault)
        for name in self.spec.paytables.keys() - found.keys():
            if self.whole.place(("paytables", name))[0].file == str(self.path):
                raise self.fault(("paytables", name), f"pays no bet; allowed: {', '.join(sorted(found))}")
        return found

    def _paytable(self, key: Key, name: str) -> PayTable:
        """Return a pay table from the file itself, from `paytables/` next to it, or from the package, in that order."""
        if own := self.spec.paytables.get(name):
            filled = {each: getattr(own, each) for each in PayTable.model_fields}
            title = own.title or f"{self.spec.name}, {name}"
            return PayTable.model_construct(**{**filled, "id": name, "title": title})
        file = self.paytable_file(name)
        if file is None:
            known = sorted({*self.spec.paytables, *self._names_beside(), *paytable_files()})
            near = ", ".join(get_close_matches(name, known, 8, 0.5)) or f"{len(known)} others"
            why = f"no pay table {name!r} in this file, in paytables/ or in the package; they have {near}"
            raise self.fault(key, why)
        return load_paytable(file)

    def paytable_file(self, name: str) -> Path | None:
        """Return the file of a pay table that is not in the game file itself: in `paytables/` next to it, else the
        package's. None if there is none."""
        return self.beside("paytables", name) or paytable_files().get(name)

    def _names_beside(self) -> Iterator[str]:
        for folder in self.folders:
            yield from (each.stem for each in (folder / "paytables").glob("*.toml"))


def procedure_source(name: str, whole: Whole) -> str | Path | None:
    """Return the procedure with this id: from the package, else the file next to the game's, or next to one that it
    extends."""
    if name in known_procedures():
        return name
    files = (folder / f"{name}.toml" for folder in _folders(whole))
    return next((file for file in files if file.is_file() and str(file) != whole.own.file), None)


def _folders(whole: Whole) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(Path(layer.file).parent for layer in reversed(whole.layers)))


def _procedures(names: object, whole: Whole, files: Mapping[str, str | Path]) -> dict[str, Procedure]:
    """Load the procedures that are available. Errors in them are reported when the game is checked against them."""
    found: dict[str, Procedure] = {}
    for name in names if isinstance(names, list) else ():
        source = files.get(name) or procedure_source(name, whole) if isinstance(name, str) else None
        if source is not None:
            with suppress(ProcedureError):
                found[name] = load_procedure(source)
    return found


def spec_of(
    content: Mapping[str, Any], procedures: Mapping[str, Procedure]
) -> tuple[GameSpec | None, Iterable[tuple[Key, str]]]:
    """Return a game's content completed from its procedures, by id, and its errors. Errors in single keys leave no
    spec; cross-checks run only on a valid spec."""
    return validated(content, GameSpec, lambda spec: faults(spec, tips_of(spec, procedures.values())))


def _unknown_kind_errors(content: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    """Yield an error for each bet of a variant that is neither in its base nor new."""
    rows = dict(bets_in(content))
    names = [str(row.get("name")) for row in rows.values() if "kind" in row]
    for number, row in rows.items():
        if "kind" not in row:
            name = str(row.get("name"))
            why = f"the base has no bet {printable(repr(name))}{did_you_mean(name, names)}, and a new bet needs a kind"
            yield ("bets", number, "name"), f"{why}; known bets: {', '.join(names)}"


def tips_of(spec: GameSpec, procedures: Iterable[Procedure]) -> dict[str, Tip]:
    """Return the tips that players may place for the dealer, in the order of the procedures."""
    names = {bet.name for bet in spec.bets}
    found: dict[str, Tip] = {}
    for spot in (spot for procedure in procedures for spot in procedure.bet):
        if spot.tip_for in names:
            found[spot.name] = Tip(spot.tip_for, spot.clause)
            paid_on_it = (bet.name for bet in spec.bets if bet.on == spot.tip_for)
            found |= {f"tip-{name}": Tip(name, spot.clause, spot.name) for name in paid_on_it}
    return found


def cards_of(hand: HandSpec) -> tuple[int, int]:
    """Return the minimum and maximum number of cards of a hand."""
    if hand.fill is not None:
        return hand.fill, hand.fill
    ranges = [(cards, cards) if isinstance(cards, int) else cards for cards in hand.of.values()]
    if hand.keeps:
        ranges[0] = (load_keep(hand.keeps).kept,) * 2
    if hand.pick is not None:
        return ranges[0]
    return sum(least for least, _ in ranges), sum(most for _, most in ranges)
