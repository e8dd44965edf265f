"""Rounds read from JSON lines, and the terms that settle each. The terms of a game are made once, from the options that
apply to it."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, TypeVar

import msgspec

from dealer_flow.editions import Edition, edition_ids, load_edition
from dealer_flow.record.result import EditionRef, RoundResult
from dealwire.cli.amounts import cents
from dealwire.cli.exits import BY_ERRNO, Exit, Stop
from dealwire.cli.house_options import HouseTerms
from dealwire.cli.options import pairs
from dealwire.cli.table_options import make_terms
from dealwire.config.build import Banks
from dealwire.table.table import TableTerms
from protocol.errors import DealwireError
from rules.errors import SettlementRefused
from rules.game.load import Game, game_id_of, game_ids, load_game, load_game_of
from rules.game.pairing import check_fit
from rules.meters.bank import MeterBank, MeterRecord
from rules.meters.jackpot_book import JackpotBook
from rules.meters.settled_rounds import RoundRuns, SettledKey

T = TypeVar("T")

LINE_MAX_BYTES: Final = 256 * 1024
"""Maximum length of a line. A round of 32 seats takes six thousand bytes, a round of a whole shoe less."""

PASSED_OVER: Final = frozenset(
    {"incident", "settlement", "meter", "award", "event", "gap", "head", "status", "summary", "total"}
)
"""Types of objects that dealwire writes in addition to rounds. They are skipped."""

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_HEAD: Final = f'{{"schema":"{RoundResult.SCHEMA}","type":"{RoundResult.TYPE}",'.encode()
_BODY: Final = msgspec.json.Decoder(RoundResult)
_NO_SUCH_TEXT: Final = "Invalid enum value"
_NO_CARDS: Final = ("outcome", "status", "called")
"""Keys with an enumerated value that is not a card."""
_A_CARD: Final = "not a card; write rank, then suit, such as AS, TD or 2C, or ?? for a card that was not read"


class UnknownType(ValueError):
    """Error: object of a type that dealwire never writes, perhaps a misspelled round."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        super().__init__(f"unknown type {kind!r}")


def lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of `stream`. A line that is too long is cut, and `read_round` refuses it."""
    while line := stream.readline(LINE_MAX_BYTES + 1):
        yield line
        rest = line
        while len(rest) > LINE_MAX_BYTES and not rest.endswith(b"\n"):
            rest = stream.readline(LINE_MAX_BYTES + 1)


def read_round(line: bytes) -> RoundResult | None:
    """Return the round on this line, or None for an object of another type that dealwire writes.

    Raise ValueError: msgspec's ValidationError names the key, UnknownType the type. A key that appears twice is
    refused, because it is not known which was meant and money depends on it.
    """
    if len(line) > LINE_MAX_BYTES:
        raise ValueError(f"longer than {LINE_MAX_BYTES:,} bytes, the limit for a line")
    line = line.strip().removeprefix(_BYTE_ORDER_MARK)
    if (found := _as_written(line)) is not None:
        return found
    content = read_object(line)
    kind = content.get("type", RoundResult.TYPE)
    if kind != RoundResult.TYPE and isinstance(kind, str):
        if kind in PASSED_OVER:
            return None
        raise UnknownType(kind)
    return RoundResult.from_object(content)


def _as_written(line: bytes) -> RoundResult | None:
    """Return the round if the line is byte for byte what dealwire writes, and so has no duplicate keys. This takes a
    third of the time of checking every key. Return None for any other line, including a round with incidents."""
    if not line.startswith(_HEAD):
        return None
    body = b"{" + line[len(_HEAD) :]
    try:
        found = _BODY.decode(body)
    except (ValueError, RecursionError):  # said in other words where it is read key by key
        return None
    return found if msgspec.json.encode(found) == body else None


def read_object(line: bytes) -> dict[str, Any]:
    """Return the object on this line. Raise ValueError if a key appears twice."""
    found = msgspec.json.decode(line)
    content = msgspec.convert(found, dict[str, Any])
    if msgspec.json.encode(found) != line:  # it has spaces, escapes, or a key that stands twice
        json.JSONDecoder(object_pairs_hook=_once).decode(line.decode())
    return content


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise ValueError(f"key {twice!r} appears twice in one object")
    return found


def one_line(error: Exception) -> str:
    """Return the first error with its key, in one line."""
    if isinstance(error, RecursionError):
        return "objects or lists are nested too deeply"
    what, _, key = str(error).splitlines()[0].partition(" - at `$")
    if what.startswith(_NO_SUCH_TEXT) and not key.rstrip("`").endswith(_NO_CARDS):
        what = _A_CARD
    return f"{key.strip('.`') or 'the object'}: {what}" if isinstance(error, msgspec.ValidationError) else what


# ------------------------------------------------------------------ on which terms


_NAMED: Final[Mapping[str, str]] = {"paytables": "--paytable", "readings": "--reading", "meters": "--meter"}
"""Options about parts that a game may or may not have."""


class HouseTerm(NamedTuple):
    """Term that the house may set if the regulation of the game allows it.

    The fields are: a predicate of a game and the value; the value that equals not setting it; and the option to report
    as unused, empty if it belongs to another option.
    """

    settable: Callable[[Game, Any], object]
    unset: object = None
    option: str = ""


def _rakes(game: Game, _: object) -> bool:
    return game.rake is not None


def _rakes_for_a_jackpot(game: Game, _: object) -> bool:
    return game.spec.pot is not None and game.spec.pot.jackpot_rake is not None


_HOUSE: Final[Mapping[str, HouseTerm]] = {
    "commission": HouseTerm(lambda game, _: game.spec.commission, "0", "--commission"),
    "rake": HouseTerm(_rakes, "0", "--rake"),
    "rake_cap_cents": HouseTerm(_rakes),
    "rake_step_cents": HouseTerm(_rakes),
    "jackpot_rake_cents": HouseTerm(_rakes_for_a_jackpot, None, "--jackpot-rake"),
    "pool_rake": HouseTerm(lambda game, _: game.spec.pool, "0", "--pool-rake"),
    "jackpot": HouseTerm(lambda game, book: book and game.id in book.setup.games, None, "--jackpot"),
    "runners": HouseTerm(lambda game, _: game.spec.pool, (), "--runners"),
    "house_way": HouseTerm(lambda game, _: any(each.way for each in game.spec.sets), None, "--house-way"),
    "max_round_cents": HouseTerm(lambda game, _: game.spec.maximum, None, "--max-round"),
    "max_player_cents": HouseTerm(lambda game, _: game.spec.maximum, None, "--max-player"),
    "max_tip_cents": HouseTerm(lambda game, _: game.spec.maximum and game.spec.maximum.tips, None, "--max-tip"),
    "least_bet_cents": HouseTerm(lambda game, _: game.spec.maximum),
}
"""House terms, by the parameter of their option."""


DEALINGS_KEPT: Final = 256
"""Number of procedures with options whose game is cached; a file has few."""


class RoundTerms:
    """Terms by procedure and edition. If `game` is given, it settles every round, and an error in it or in an amount is
    raised at once. A round is settled by the given edition, else by its own, else by the text in the game's file.

    A file may hold rounds of several games: `--meter`, `--paytable` and `--reading` apply to games that have the meter,
    bet or reading. A name that no known game has is an error, as is a value that a game refuses.
    """

    def __init__(self, game: str | None, bank: MeterBank | None, options: Mapping[str, Any]) -> None:
        named = options.get("edition")
        self._bank, self._options = bank, dict(options)
        self._edition = load_edition(named) if named is not None else None
        self._chosen = {key: pairs(options[key], option) for key, option in _NAMED.items()}
        self._used: set[tuple[str, str]] = set()
        self._of: dict[tuple[str, str], TableTerms | DealwireError] = {}
        self._dealt: dict[tuple[object, ...], str | None] = {}
        self._house = HouseTerms.of(options.get("house"), options.get("house_game"), self._options | {"game": game})
        self._banks, self._by_house = Banks(), dict[tuple[str, str], TableTerms]()
        self._by_game: dict[tuple[str, str], TableTerms] = {}
        cents(options["meters"])
        self._game, self._given = game, dict[str, TableTerms]()
        if game is not None:
            self._given[""] = self._on_game(game, None)

    def of_round(self, result: RoundResult) -> TableTerms:
        """Return the terms of a round: the house's for its game if a house's file was given, else those `of` its
        procedure."""
        if self._house is None:
            return self.of(result.procedure.id, result.options, result.edition)
        part = self._house.part(self._house.house.source(result.procedure.id), result.house)
        own = result.edition if self._house.edition is None else None
        key = part.name, own.id if own is not None and self._edition is None else ""
        if key not in self._by_house:
            loaded = self._house.house.load(part, self._in(own))[1]
            options = self._house.about(part, loaded, self._options)
            self._by_house[key] = self._terms_on(loaded, options, self._house.jackpot(part, self._banks))
        return self._by_house[key]

    def posted_pools(self) -> list[MeterBank]:
        """Return the pools of the jackpots that the house's file offers."""
        parts = self._house.house.spec.jackpot.values() if self._house is not None else ()
        books = (self._banks.jackpot_of(part.file) for part in parts)
        return [book.bank for book in books if book is not None]

    def of(self, procedure: str, dealt: Mapping[str, str], edition: EditionRef | None = None) -> TableTerms:
        """Return the terms of a procedure's rounds that were `dealt` with these options, in that edition. Raise
        DealwireError if no game settles it or the edition is unknown, Stop for a wrong option."""
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
        """Yield a line for each option that applied to no round."""
        if self._game is not None or not self._by_game:
            return
        for key, option in _NAMED.items():
            for name in self._chosen[key]:
                if (key, name) not in self._used:
                    yield f"{option} {name}: not used, no round was of a game that has it"
        for key, term in _HOUSE.items():
            if term.option and self._options.get(key, term.unset) != term.unset and (key, "") not in self._used:
                yield f"{term.option}: not used, no round was of a game that has it"

    def _in(self, edition: EditionRef | None) -> Edition | None:
        """Return the edition to settle by, or None for the text in the game's file."""
        if self._edition is not None or edition is None:
            return self._edition
        if edition.id not in edition_ids():  # an id, never a path: a round chooses no file
            raise SettlementRefused("round of edition", edition.id, [*edition_ids(), "--edition FILE"])
        return load_edition(edition.id)

    def _on_game(self, game: str, edition: EditionRef | None) -> TableTerms:
        """Return the terms of the game that was given."""
        loaded = load_game(game, edition=self._in(edition))
        check_fit(loaded)
        return self._terms_on(loaded, self._options)

    def _terms_on(self, game: Game, options: Mapping[str, Any], jackpot: JackpotBook | None = None) -> TableTerms:
        """Return the terms of a game. Terms of the same game in another edition share its meters, because the money is
        the same."""
        terms = make_terms(game, options, self._bank, jackpot or options.get("jackpot"))
        for other in (*self._given.values(), *self._by_game.values(), *self._by_house.values()):
            if other.game.id == game.id:
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
                # Ignore options that a game's text does not have: another game of the file may have them.
                given = self._options
                without = {key: term.unset for key, term in _HOUSE.items() if not term.settable(game, given.get(key))}
                self._used |= {(key, "") for key in _HOUSE.keys() - without.keys()}
                self._by_game[game.id, law] = self._terms_on(game, given | self._about(game) | without)
            except SettlementRefused as error:
                raise Stop(Exit.USAGE, str(error)) from None
        return self._by_game[game.id, law]

    def _about(self, game: Game) -> dict[str, list[str]]:
        """Return the options that apply to this game."""
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


def _names(game: Game, key: str) -> Iterable[str]:
    if key == "meters":
        return game.meters()
    return game.default_paytables() if key == "paytables" else game.default_readings()


def resumed(shared: Callable[[Iterator[MeterRecord]], T], file: Path, settled: RoundRuns) -> T:
    """Restore shared meters or a jackpot from the records that `settle` printed into `file`, and add the rounds settled
    there to `settled`.

    Raise MeterRefused if a record is missing or out of order, Stop if the file cannot be read or is not output of
    settle.
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
                    raise Stop(Exit.USAGE, f"{file}: line {number} is not output of settle: {error}") from None

    try:
        return shared(records())
    except OSError as error:
        raise Stop(BY_ERRNO.get(error.errno or 0, Exit.USAGE), f"{file}: {error.strerror}") from None
