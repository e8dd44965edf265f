"""A game as a strict TOML file: its bets, the clause that decides each outcome, its open readings, its pay tables."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, model_validator

from dealer_flow.procedure.tomlfile import TomlTable, fault_in, load, names_in
from protocol.tomlfile import Key, TomlFileError
from rules.amounts import MOST_TIMES, WagerField
from rules.conditions import LONGEST, LONGEST_RACE
from rules.hands import RANKINGS
from rules.paytable import FlatTable, PaidRow, PayField, PayTable, flatten, load_paytable
from rules.readings import READINGS

GAMES: Final = Path(__file__).parent / "games"

BetKind = Literal["against-dealer", "margin", "own-hand", "progressive", "race"]
_TABLE_OF: Final[Mapping[str, str]] = {
    "margin": "margin",
    "own-hand": "longest-flush",
    "progressive": "five-card",
    "race": "race",
}


class HandSpec(TomlTable):
    """How many cards make a hand, and how hands are ranked."""

    ranking: str
    own: Annotated[int, Field(ge=1)]
    community: Annotated[int, Field(ge=0)]
    clause: str


class RaceSpec(TomlTable):
    """A race of columns, one a suit: how many cards win in one, and after how many without a winner it is over."""

    column: Annotated[int, Field(ge=1)]
    most: Annotated[int, Field(ge=1, le=LONGEST_RACE)]
    clause: str


class Order(TomlTable):
    """In which order the dealer settles the seats; seat 1 is at the dealer's left."""

    seats: Literal["descending", "ascending"]
    clause: str


class Games(TomlTable):
    """In how many games at one table a player may bet; a bet says which game it `counts_as`."""

    most: Annotated[int, Field(ge=1)]
    clause: str


class Limit(TomlTable):
    """The most one bet may be; None when the text leaves the figure to the table."""

    each_bet_cents: WagerField | None = None
    clause: str
    games: Games | None = None


class ReturnClauses(TomlTable):
    """The clause that gives bets back, by what went wrong; empty where it cannot happen."""

    misdeal: str
    defective_deck: str
    dead_hand: str = ""
    no_jackpot_hand: str = ""


class Open(TomlTable):
    """A reading this game leaves open: the option taken unless told otherwise, and why it is open.

    `suspect`: option -> why it cannot be meant; with it, no real bet is settled unless the caller says so.
    """

    default: str
    because: str
    suspect: dict[str, str] = Field(default_factory=dict)


class Equals(TomlTable):
    """This bet must be `times` another."""

    bet: str
    times: Annotated[int, Field(ge=1, le=MOST_TIMES)]
    clause: str


class Beside(TomlTable):
    """This bet may only be made beside another."""

    bet: str
    clause: str


class Clauses(TomlTable):
    """What decides the bet. `tie` and `envy` where the bet can tie or earn envy."""

    win: str
    lose: str
    fold: str = ""
    tie: str = ""
    envy: str = ""


class Bet(TomlTable):
    """One bet. `fold`: what folding does to it; `absent` means it is made by not folding. `rows` are the rows of its
    pay tables that pay a race bet: one printed table serves many bets. `stage`: the step of the procedure after which
    the cards lie there that decide it, by whose they are; without one those of the end."""

    name: str
    kind: BetKind
    clauses: Clauses
    fold: Literal["lose", "stands", "absent"] = "stands"
    pays: PayField = None
    paytables: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    equals: Equals | None = None
    beside: Beside | None = None
    counts_as: str = "base game"
    stage: dict[Literal["own", "community", "dealer"], str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_paid_one_way(self) -> Self:
        if self.kind == "against-dealer" and (self.pays is None or self.pays.unit != "to" or self.paytables):
            raise ValueError(f"bet {self.name!r} against the dealer needs pays = 'A to B' and no paytables")
        if self.kind != "against-dealer" and (self.pays is not None or not self.paytables):
            raise ValueError(f"bet {self.name!r} of kind {self.kind} needs paytables and no pays")
        if (self.kind == "race") != bool(self.rows):
            raise ValueError(f"bet {self.name!r}: a race bet, and no other, says which rows pay it")
        return self


class GameSpec(TomlTable):
    """A game file."""

    schema_: Literal["dealwire.game/1"] = Field(alias="schema")
    id: str
    name: str
    jurisdiction: str
    procedures: Annotated[tuple[str, ...], Field(min_length=1)]
    hand: HandSpec | None = None
    race: RaceSpec | None = None
    order: Order
    limit: Limit | None = None
    returns: ReturnClauses
    readings: dict[str, Open]
    bets: Annotated[tuple[Bet, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Game:
    """A game ready to settle rounds. `sha256` covers the content of the game file and of all its pay tables."""

    spec: GameSpec
    bets: Mapping[str, Bet]
    tied: Mapping[str, frozenset[str]]
    """Bet -> the bets that are valid only together with it, itself included."""
    paytables: Mapping[str, PayTable]
    tables: Mapping[tuple[str, str], FlatTable]
    """Bet and pay table -> the table as that bet is paid by it."""
    fixed: Mapping[str, PaidRow]
    """Bet against the dealer -> what it pays."""
    sha256: str
    path: Path = field(compare=False)
    """The game file."""

    @property
    def id(self) -> str:
        """As in `flushes-gone-wild.co`."""
        return self.spec.id

    @property
    def hand(self) -> HandSpec:
        """What makes a hand, in a game of hands."""
        assert self.spec.hand is not None, "a game of hands has a [hand] table"
        return self.spec.hand

    @property
    def progressive(self) -> Bet | None:
        """The one bet that is resolved for the whole table at once."""
        return next((bet for bet in self.spec.bets if bet.kind == "progressive"), None)

    def default_paytables(self) -> dict[str, str]:
        """Bet name -> the pay table used unless told otherwise: the first one the rule prints."""
        return {bet.name: bet.paytables[0] for bet in self.spec.bets if bet.paytables}

    def meters(self) -> list[str]:
        """Names of the progressive meters its pay tables pay from."""
        rows = (row for table in self.paytables.values() for row in table.rows)
        return sorted({row.pays.meter for row in rows if row.pays.meter})

    def default_readings(self) -> dict[str, str]:
        """Reading -> the option used unless told otherwise."""
        return {name: reading.default for name, reading in self.spec.readings.items()}


def game_ids() -> tuple[str, ...]:
    """Ids of the games that come with this package."""
    return names_in(GAMES)


def game_id_of(procedure: str) -> str | None:
    """Id of the game of this package that settles rounds of a procedure: the one of the same id, else the first that
    names it. None when they are dealt only."""
    games = [game for game, names in _settled().items() if procedure in names]
    return procedure if procedure in games else next(iter(games), None)


def load_game_of(procedure: str) -> Game:
    """The game that settles rounds of a procedure, as `game_id_of` finds it; TomlFileError when there is none."""
    game = game_id_of(procedure)
    if game is None:
        known = dict.fromkeys(name for names in _settled().values() for name in names)
        raise TomlFileError(
            procedure, None, "", f"no such game, nor a game that settles it; allowed: {', '.join(known)}"
        )
    return load_game(game)


@cache
def _settled() -> dict[str, tuple[str, ...]]:
    return {game: load(GAMES / f"{game}.toml", GameSpec).procedures for game in game_ids()}


def load_game(source: str | Path) -> Game:
    """A game by id, or from a file whose pay tables stand in `paytables/` beside it.

    TomlFileError names the file, the line, the key and what is allowed, in one line.
    """
    path = Path(source)
    if isinstance(source, str) and path.suffix != ".toml" and len(path.parts) == 1:
        if source not in game_ids():
            raise TomlFileError(source, None, "", f"no such game; allowed: {', '.join(game_ids())}, or a .toml file")
        return _of_package(source)
    return _read(path)


@cache
def _of_package(game: str) -> Game:
    """A game that comes with the package: examined once."""
    return _read(GAMES / f"{game}.toml")


def _read(path: Path) -> Game:
    """A game and its pay tables, ready to settle rounds."""
    spec = load(path, GameSpec, _faults)
    paytables = _load_paytables(path, spec)
    content = [_content(spec), *(paytables[name].model_dump(mode="json") for name in sorted(paytables))]
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), default=str)
    return Game(
        spec=spec,
        bets={bet.name: bet for bet in spec.bets},
        tied=_tied(spec),
        paytables=paytables,
        fixed={bet.name: PaidRow("", bet.pays, bet.clauses.win) for bet in spec.bets if bet.kind == "against-dealer"},
        tables={(bet.name, name): flatten(paytables[name], bet.rows) for bet in spec.bets for name in bet.paytables},
        sha256=hashlib.sha256(canonical.encode()).hexdigest(),
        path=path,
    )


def _content(spec: GameSpec) -> dict[str, Any]:
    """What is hashed; a key that came later counts only where it is used."""
    content = spec.model_dump(mode="json")
    content["bets"] = [{key: value for key, value in bet.items() if value or key != "stage"} for bet in content["bets"]]
    return content


def _faults(spec: GameSpec) -> Iterator[tuple[Key, str]]:
    """What one key cannot know of another."""
    if (spec.hand is None) == (spec.race is None):
        yield ("hand",), "give [hand] or [race], one of them"
    if spec.hand is not None and spec.hand.ranking not in RANKINGS:
        yield ("hand", "ranking"), f"unknown ranking {spec.hand.ranking!r}; allowed: {', '.join(RANKINGS)}"
    if spec.hand is not None and spec.hand.own + spec.hand.community > LONGEST:
        cards = f"{spec.hand.own} own and {spec.hand.community} community cards"
        yield ("hand",), f"{cards} are too many; allowed: {LONGEST} together"
    for name, reading in spec.readings.items():
        if name not in READINGS:
            yield ("readings", name), f"unknown reading; allowed: {', '.join(READINGS)}"
        elif reading.default not in READINGS[name]:
            why = f"unknown option {reading.default!r}; allowed: {', '.join(READINGS[name])}"
            yield ("readings", name, "default"), why
    names = [bet.name for bet in spec.bets]
    for index, bet in enumerate(spec.bets):
        if bet.name in names[:index]:
            yield ("bets", index, "name"), f"bet {bet.name!r} stands twice"
        if (bet.kind == "race") != (spec.race is not None):
            needs = "race" if bet.kind == "race" else "hand"
            yield ("bets", index, "kind"), f"a bet of kind {bet.kind} needs a [{needs}]"
        if bet.kind == "progressive" and any(other.kind == bet.kind for other in spec.bets[:index]):
            yield ("bets", index, "kind"), "a game has at most one progressive bet"
        for key, other in (("equals", bet.equals), ("beside", bet.beside)):
            if other is not None and other.bet not in names:
                yield ("bets", index, key), f"unknown bet {other.bet!r}; allowed: {', '.join(names)}"


def _load_paytables(path: Path, spec: GameSpec) -> dict[str, PayTable]:
    found: dict[str, PayTable] = {}
    for index, bet in enumerate(spec.bets):
        for name in bet.paytables:
            file, key = path.parent / "paytables" / f"{name}.toml", ("bets", index, "paytables")
            if not file.is_file():
                known = ", ".join(sorted(each.stem for each in file.parent.glob("*.toml"))) or "none"
                raise fault_in(path, key, f"no pay table {name!r} in {file.parent.name}/; allowed: {known}")
            table = load_paytable(file)
            if table.kind != _TABLE_OF[bet.kind]:
                why = f"{name} is a {table.kind} table; a {bet.kind} bet needs a {_TABLE_OF[bet.kind]} table"
                raise fault_in(path, key, why)
            rows = [row.when for row in table.rows]
            for row in bet.rows:
                if row not in rows:
                    raise fault_in(
                        path, ("bets", index, "rows"), f"no row {row!r} in {name}; allowed: {', '.join(rows)}"
                    )
            found[name] = table
    return found


def _tied(spec: GameSpec) -> dict[str, frozenset[str]]:
    groups = {bet.name: frozenset({bet.name}) for bet in spec.bets}
    for bet in spec.bets:
        if bet.equals:
            merged = groups[bet.name] | groups[bet.equals.bet]
            groups.update(dict.fromkeys(merged, merged))
    return groups
