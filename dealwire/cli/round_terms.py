"""The terms of rounds from anywhere: each game's made once, of those options that are about it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from dealer_flow.editions import Edition, edition_ids, load_edition
from dealer_flow.record.result import EditionRef
from dealwire.cli.exits import BY_ERRNO, Exit, Stop
from dealwire.cli.options import cents, make_terms, pairs
from dealwire.cli.round_lines import lines
from dealwire.table.table import TableTerms
from protocol.errors import DealwireError
from rules.errors import SettlementRefused
from rules.game.load import Game, game_id_of, game_ids, load_game, load_game_of
from rules.game.pairing import must_fit
from rules.meters.bank import MeterBank, MeterRecord
from rules.meters.jackpot_book import JackpotBook
from rules.meters.settled_rounds import RoundRuns, SettledKey

T = TypeVar("T")

_NAMED: Final[Mapping[str, str]] = {"paytables": "--paytable", "readings": "--reading", "meters": "--meter"}
"""Options about something that a game may have or not."""


_HOUSE: Final[Mapping[str, str]] = {
    "commission": "--commission",
    "rake": "--rake",
    "jackpot_rake_cents": "--jackpot-rake",
    "pool_rake": "--pool-rake",
    "jackpot": "--jackpot",
    "runners": "--runners",
    "house_way": "--house-way",
    "max_round_cents": "--max-round",
    "max_player_cents": "--max-player",
    "max_tip_cents": "--max-tip",
}
"""What the house sets where a game's text lets it."""


DEALINGS_KEPT: Final = 256
"""Procedures under their options whose game is remembered: a file has few."""


class RoundTerms:
    """Terms by procedure and edition of the law. With a `game`, everything is settled by that; what is wrong with it,
    or with an amount, is raised at once. A round is settled by the edition that was given, else by its own, else as the
    game's file prints it.

    A file may hold rounds of several games: `--meter`, `--paytable` and `--reading` are for those that have the meter,
    the bet or the reading. What none of this program's games has is a wrong option, and so is one that a game refuses.
    """

    def __init__(self, game: str | None, bank: MeterBank | None, options: Mapping[str, Any]) -> None:
        named = options.get("edition")
        self._bank, self._options = bank, {key: value for key, value in options.items() if key != "edition"}
        self._edition = load_edition(named) if named is not None else None
        self._chosen = {key: pairs(options[key], option) for key, option in _NAMED.items()}
        self._used: set[tuple[str, str]] = set()
        self._of: dict[tuple[str, str], TableTerms | DealwireError] = {}
        self._dealt: dict[tuple[object, ...], str | None] = {}
        self._by_game: dict[tuple[str, str], TableTerms] = {}
        cents(options["meters"])
        self._game, self._given = game, dict[str, TableTerms]()
        if game is not None:
            self._given[""] = self._on_game(game, None)

    def of(self, procedure: str, dealt: Mapping[str, str], edition: EditionRef | None = None) -> TableTerms:
        """The terms of a procedure's rounds that were `dealt` under these options, in that edition of the law.
        DealwireError when no game settles it, or the edition is not known, Stop for a wrong option."""
        law = edition.id if edition is not None and self._edition is None else ""
        if self._game is not None:
            if law not in self._given:
                self._given[law] = self._on_game(self._game, edition)
            return self._given[law]
        dealing = procedure, *dealt.items()
        if dealing not in self._dealt:
            if len(self._dealt) >= DEALINGS_KEPT:
                self._dealt.clear()
            self._dealt[dealing] = game_id_of(procedure, dealt)
        game = self._dealt[dealing]
        found = self._of.get((game or procedure, law))
        if found is None:
            found = self._of[game or procedure, law] = self._make(procedure, dealt, edition)
        if isinstance(found, DealwireError):
            raise found
        return found

    def unused(self) -> Iterator[str]:
        """A line for each option that no round's game had."""
        if self._game is not None or not self._by_game:
            return
        for key, option in _NAMED.items():
            for name in self._chosen[key]:
                if (key, name) not in self._used:
                    yield f"{option} {name}: no round was of a game that has it"
        for key, option in _HOUSE.items():
            if self._options.get(key) not in (None, "0", ()) and (key, "") not in self._used:
                yield f"{option}: no round was of a game that has it"

    def _in(self, edition: EditionRef | None) -> Edition | None:
        """The edition to settle by; None for the text that a game's file prints."""
        if self._edition is not None or edition is None:
            return self._edition
        if edition.id not in edition_ids():  # an id, never a path: a round chooses no file
            raise SettlementRefused("round of edition", edition.id, [*edition_ids(), "--edition FILE"])
        return load_edition(edition.id)

    def _on_game(self, game: str, edition: EditionRef | None) -> TableTerms:
        """Terms on the game that was given."""
        loaded = load_game(game, edition=self._in(edition))
        must_fit(loaded)
        return self._sharing(make_terms(loaded, self._bank, **self._options), self._given.values())

    def _sharing(self, terms: TableTerms, others: Iterable[TableTerms]) -> TableTerms:
        """Terms on the meters of those on the same game in another edition: they are the same meters."""
        for other in others:
            if other.game.id == terms.game.id:
                terms.share(other)
                break
        return terms

    def _make(self, procedure: str, dealt: Mapping[str, str], edition: EditionRef | None) -> TableTerms | DealwireError:
        try:
            game = load_game_of(procedure, dealt, self._in(edition))
        except DealwireError as error:
            return error
        law = game.edition.id if game.edition is not None else ""
        if (game.id, law) not in self._by_game:
            try:
                without = _without(game, self._options.get("jackpot"))
                options = {**self._options, **self._about(game), **without}
                self._used |= {(key, "") for key in _HOUSE.keys() - without.keys()}
                made = self._sharing(make_terms(game, self._bank, **options), self._by_game.values())
                self._by_game[game.id, law] = made
            except SettlementRefused as error:
                raise Stop(Exit.USAGE, str(error)) from None
        return self._by_game[game.id, law]

    def _about(self, game: Game) -> dict[str, list[str]]:
        """The options about what this game has."""
        found: dict[str, list[str]] = {}
        for key in _NAMED:
            mine = {name for name in self._chosen[key] if name in _names(game, key)}
            for name in self._chosen[key].keys() - mine:
                self._must_be_known(key, name, game)
            self._used |= {(key, name) for name in mine}
            found[key] = [f"{name}={value}" for name, value in self._chosen[key].items() if name in mine]
        return found

    def _must_be_known(self, key: str, name: str, game: Game) -> None:
        if not any(name in _names(load_game(each), key) for each in game_ids()):
            allowed = ", ".join(sorted(_names(game, key))) or "none"
            raise Stop(Exit.USAGE, f"{_NAMED[key]} {name!r}: no game has it; {game.id} allows: {allowed}")


def _without(game: Game, jackpot: JackpotBook | None) -> dict[str, Any]:
    """What a game's text does not know of, as if it had not been given: another game of the file may."""
    found: dict[str, Any] = {}
    if jackpot is not None and game.id not in jackpot.setup.games:
        found["jackpot"] = None
    if game.spec.maximum is None:
        found |= dict.fromkeys(("max_round_cents", "max_player_cents", "max_tip_cents", "least_bet_cents"))
    elif not game.spec.maximum.tips:
        found["max_tip_cents"] = None
    if game.spec.commission is None:
        found["commission"] = "0"
    pot = game.spec.pot
    if pot is None or pot.rake is None:
        found |= {"rake": "0", "rake_cap_cents": None, "rake_step_cents": None}
    if pot is None or pot.jackpot_rake is None:
        found["jackpot_rake_cents"] = None
    if game.spec.pool is None:
        found |= {"pool_rake": "0", "runners": ()}
    return found if any(each.way for each in game.spec.sets) else found | {"house_way": None}


def _names(game: Game, key: str) -> Iterable[str]:
    if key == "meters":
        return game.meters()
    return game.default_paytables() if key == "paytables" else game.default_readings()


def resumed(shared: Callable[[Iterator[MeterRecord]], T], file: Path, settled: RoundRuns) -> T:
    """What several tables share, made by `shared` of the records that `settle` printed into `file`; the rounds settled
    there are added to `settled`.

    MeterRefused when a record is missing or does not follow; Stop when the file cannot be read or a line is none.
    """

    def records() -> Iterator[MeterRecord]:
        with file.open("rb") as stream:
            for number, line in enumerate(lines(stream), start=1):
                try:
                    content = msgspec.json.decode(line, type=dict[str, Any])
                    if content.get("type") == MeterRecord.TYPE:
                        yield MeterRecord.from_object(content)
                    elif content.get("type") == "settlement":
                        settled.add(SettledKey(content["table"], content["session"], content["round"]))
                except (ValueError, KeyError, RecursionError) as error:
                    raise Stop(Exit.USAGE, f"{file}: line {number} is not what settle printed: {error}") from None

    try:
        return shared(records())
    except OSError as error:
        raise Stop(BY_ERRNO.get(error.errno or 0, Exit.USAGE), f"{file}: {error.strerror}") from None
