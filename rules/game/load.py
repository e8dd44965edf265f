"""A game, loaded from a strict TOML file: bets, the clause of each outcome, open readings and pay tables."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from dealer_flow.editions import Edition, amend, misfit, printed_edition
from dealer_flow.games import files_of
from dealer_flow.procedure.law import Law
from dealer_flow.procedure.load import in_edition as procedure_in
from dealer_flow.procedure.load import known_procedures
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.schema import Procedure
from dealer_flow.record.result import ProcedureRef
from dealer_flow.tomlfile import locate, read
from protocol.tomlfile import Key, TomlFileError
from rules.bets.bet import Bet
from rules.bets.bet_terms import Charge
from rules.game.as_dealt import as_dealt
from rules.game.faults import minimum_hand_faults
from rules.game.hand_input import takes_faults
from rules.game.layers import compose
from rules.game.order import settles_by_seat
from rules.game.schema import GameSpec
from rules.game.source import GameSource, Tip, spec_of, tips_of
from rules.game.source import cards_of as cards_of
from rules.hands import Ranking
from rules.hands.hand_spec import DISCARDS, OWN, DirectHand, HandSpec, SetHand, direct_hands
from rules.kinds.pot import PotBet
from rules.kinds.to_pool import ToPoolBet
from rules.kinds.to_pot import ToPotBet
from rules.paytables.paytable import FlatTable, PaidRow, PayTable, flatten
from rules.settlement import GameRef

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_NO_FILES: Final[Mapping[str, str | Path]] = MappingProxyType({})


@dataclass(frozen=True)
class Game:
    """A game ready to settle rounds. `sha256` covers the content of the game file and of all its pay tables."""

    spec: GameSpec
    bets: Mapping[str, Bet]
    """Bets by name, as settled: a tip is a copy of the bet it is for, under its own name."""
    tips: Mapping[str, Tip]
    instead: Mapping[str, Bet]
    """Bets as they are decided for a seat that made the choice they name, by name."""
    paytables: Mapping[str, PayTable]
    tables: Mapping[tuple[str, str], FlatTable]
    """Pay tables as a bet is paid by them, by bet and table."""
    rankings: Mapping[str, Ranking]
    """Ranking of each hand, unless a reading selects another."""
    named: Mapping[str, Ranking]
    """Every ranking that the file names."""
    sha256: str
    source: GameSource = field(compare=False, repr=False)
    """The game file, and all that it extends."""
    known_rounds: dict[tuple[ProcedureRef, tuple[tuple[str, str], ...]], tuple[Plan | None, Law | None]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """Cached plan and law of a procedure with the options of a round."""
    edition: Edition | None = None
    """The edition of the regulation it is loaded in; None if its jurisdiction has no edition."""
    _others: dict[tuple[str, ...], "Game"] = field(default_factory=dict, compare=False, repr=False)
    """The game under other options of the readings that affect its bets, cached."""

    @property
    def id(self) -> str:
        """Id, such as `flushes-gone-wild.co`."""
        return self.spec.id

    def hand(self, name: str = "player") -> HandSpec:
        """Return the cards that make a hand of this game, by its name in the file."""
        return self.spec.hands[name]

    def ranking_of(self, hand: str, readings: Mapping[str, str]) -> Ranking:
        """Return the ranking of a hand under these readings."""
        for other in self.spec.hands[hand].ranking_when:
            if other.holds(readings):
                return self.named[other.ranking]
        return self.rankings[hand]

    @property
    def path(self) -> Path:
        """Path of the game file."""
        return self.source.path

    def fault(self, key: Key, why: str) -> TomlFileError:
        """Return the error for a key of the game, at its line of the file that contains it."""
        return self.source.fault(key, why)

    @cached_property
    def deciding_readings(self) -> tuple[str, ...]:
        """Readings that decide how a bet ends, from the rows of the bets themselves."""
        rows = (row for bet in self.spec.bets for row in bet.by_reading)
        return tuple(sorted({row.reading for row in rows}))

    def under(self, readings: Mapping[str, str]) -> "Game":
        """Return the game with its bets under these options of readings, defaults for the others."""
        if not self.deciding_readings:
            return self
        used = {**self.default_readings(), **readings}
        key = tuple(used[name] for name in self.deciding_readings)
        if key not in self._others:
            self._others[key] = replace(self, **_bet_parts(self.spec, self.tips, used), _others=self._others)
        return self._others[key]

    @cached_property
    def known_bets(self) -> frozenset[str]:
        """Names of its bets."""
        return frozenset(self.bets)

    @cached_property
    def descending(self) -> bool:
        """True if the dealer goes from the highest seat to the lowest."""
        return self.spec.order[0].seats == "descending"

    @cached_property
    def seat_by_seat(self) -> bool:
        """True if all bets of a seat are settled before those of the next."""
        return settles_by_seat(self.spec.order)

    @cached_property
    def jackpot_fees(self) -> frozenset[str]:
        """Fees that go to a jackpot once they are collected."""
        return frozenset(name for name, bet in self.bets.items() if bet.for_jackpot)

    @cached_property
    def ref(self) -> GameRef:
        """Reference to the game in a settlement."""
        return GameRef(id=self.id, sha256=self.sha256)

    @property
    def procedures(self) -> Mapping[str, Procedure]:
        """The game's procedures that are available, by id."""
        return self.source.procedures

    @cached_property
    def law(self) -> Law | None:
        """Rules for its wagers, from the first of its procedures under the game's options; None if that is not
        available. A round is checked against the rules of its own procedure."""
        procedure = self.procedures.get(self.spec.procedures[0])
        ours = {name: allowed[0] for name, allowed in self.spec.options.items()}
        return Plan(procedure, ours).law if procedure is not None else None

    @cached_property
    def tied(self) -> Mapping[str, frozenset[str]]:
        """Bets that belong together, by bet and including itself; `Law.tied` has those that a rule compares."""
        groups = {name: frozenset({name}) for name in self.bets}
        for bet in self.bets.values():
            if bet.stands_with:
                merged = groups[bet.name].union(*(groups[other] for other in bet.stands_with))
                groups.update(dict.fromkeys(merged, merged))
        return groups

    @cached_property
    def made_by_playing(self) -> tuple[Bet, ...]:
        """Bets that are made instead of folding."""
        return tuple(bet for bet in self.bets.values() if bet.fold == "absent")

    @cached_property
    def paired(self) -> tuple[Bet, ...]:
        """Bets whose pay tables are printed in pairs with another's."""
        return tuple(bet for bet in self.bets.values() if bet.pairs_with and not bet.tip_for)

    @cached_property
    def sets_of(self) -> Mapping[str, tuple[SetHand, ...]]:
        """Hands set in two that decide a bet by how they were set, by bet; for a tip, those of the bet it is for."""
        return {
            name: tuple(each for each in self.spec.sets if (bet.tip_for or bet.name) in each.bets)
            for name, bet in self.bets.items()
        }

    @cached_property
    def for_table(self) -> tuple[Bet, ...]:
        """Bets that are settled, at least in part, for the whole table at once."""
        return tuple(bet for bet in self.bets.values() if bet.for_table)

    @cached_property
    def into_pot(self) -> tuple[ToPotBet, ...]:
        """Wagers into the table's pot."""
        return tuple(bet for bet in self.bets.values() if isinstance(bet, ToPotBet))

    @cached_property
    def dead_money(self) -> tuple[ToPotBet, ...]:
        """Those of `into_pot` that nobody has to match."""
        return tuple(bet for bet in self.into_pot if bet.dead)

    @cached_property
    def matched(self) -> tuple[ToPotBet, ...]:
        """The others of `into_pot`."""
        return tuple(bet for bet in self.into_pot if not bet.dead)

    @cached_property
    def into_pool(self) -> tuple[ToPoolBet, ...]:
        """Wagers into the table's pool."""
        return tuple(bet for bet in self.bets.values() if isinstance(bet, ToPoolBet))

    @cached_property
    def plain(self) -> Mapping[str, DirectHand]:
        """Hands that the fast path can make, by name. It can make most hands."""
        return direct_hands(self.spec.hands)

    @cached_property
    def seat_hands(self) -> frozenset[str]:
        """Hands made at least in part of a seat's own cards; any other is the same for all seats."""
        own = frozenset({OWN, DISCARDS})
        return frozenset(name for name, hand in self.spec.hands.items() if not own.isdisjoint(hand.of))

    @cached_property
    def progressive(self) -> Bet | None:
        """The bet that meters pay, if the game has one."""
        return next((bet for bet in self.bets.values() if bet.meter_effects), None)

    @cached_property
    def fixed(self) -> Mapping[str, PaidRow]:
        """Pays of the bets that always pay the same, by bet."""
        return {name: row for name, bet in self.bets.items() if (row := bet.fixed) is not None}

    def default_paytables(self, readings: Mapping[str, str] = _NOTHING) -> dict[str, str]:
        """Return the default pay table by bet: the first one printed under these readings."""
        return {
            name: self.paytables_under(name, readings)[0]
            for name, bet in self.bets.items()
            if bet.to_choose and bet.chosen_with == name
        }

    def paytables_under(self, bet: str, readings: Mapping[str, str]) -> tuple[str, ...]:
        """Return the pay tables of a bet that are printed under these readings, with defaults for the others."""
        used = {**self.default_readings(), **readings}
        names = self.bets[bet].to_choose
        return tuple(
            name
            for name in names
            if all(used.get(reading) == option for reading, option in self.paytables[name].readings.items())
        )

    def meters(self) -> list[str]:
        """Return the names of all its meters: those its pay tables pay from, those for a jackpot drop, for forfeited
        chips and for a pot that rolls over, that of the posted amount of an award, and that of its pool."""
        rows = (row for table in self.paytables.values() for row in table.rows)
        pot = self.spec.pot
        of_pot = (pot.jackpot_rake, pot.rolls, pot.forfeits) if pot is not None else ()
        own = {each.meter for each in (*of_pot, self.spec.jackpot, self.spec.pool) if each is not None}
        return sorted({row.pays.meter for row in rows if row.pays.meter} | own)

    @cached_property
    def rake(self) -> Charge | None:
        """The house's rake on its pots: on that of the table, or on each bet that is a pot of its own."""
        if self.spec.pot is not None:
            return self.spec.pot.rake
        return next((bet.rake for bet in self.bets.values() if isinstance(bet, PotBet) and bet.rake is not None), None)

    def default_readings(self) -> dict[str, str]:
        """Return the default option by reading."""
        return {name: reading.default for name, reading in self.spec.readings.items()}


def game_ids() -> tuple[str, ...]:
    """Return the ids of the games in this package."""
    return tuple(files_of("pays"))


def game_id_of(procedure: str, options: Mapping[str, str] = _NOTHING) -> str | None:
    """Return the id of the game that settles rounds of a procedure under these options: the one with the same id, else
    the first that names it. None if no game settles them."""
    # The game of the same id first: it is usually the one.
    for game in sorted(game_ids(), key=lambda game: game != procedure):
        procedures, ours = _procedures_of(game)
        if procedure in procedures and wrong_option(ours, options) is None:
            return game
    return None


def games_of(procedure: str) -> tuple[str, ...]:
    """Return the ids of the games in the package that settle rounds of a procedure, the game of the same id first."""
    ordered = sorted(game_ids(), key=lambda game: game != procedure)
    return tuple(game for game in ordered if procedure in _procedures_of(game)[0])


def wrong_option(ours: Mapping[str, Sequence[str]], options: Mapping[str, str]) -> str | None:
    """Return the option that makes a round of the procedure belong to another game; None if there is none."""
    return next((name for name, allowed in ours.items() if options.get(name, allowed[0]) not in allowed), None)


def load_game_of(
    procedure: str,
    options: Mapping[str, str] = _NOTHING,
    edition: Edition | None = None,
    *,
    source: str | Path | None = None,
) -> Game:
    """Load the game that settles rounds of a procedure (see `game_id_of`) in an edition of the regulation.

    `source` is the file of the procedure, unless it is the package's. Raises TomlFileError if there is no such game.
    """
    game = game_id_of(procedure, options)
    if game is None:
        known = dict.fromkeys(name for each in game_ids() for name in _procedures_of(each)[0])
        raise TomlFileError(
            procedure, None, "", f"no such game, and no game that settles it; allowed: {', '.join(known)}"
        )
    return load_game(game, {procedure: source} if source is not None else _NO_FILES, edition=edition)


@cache
def _procedures_of(game: str) -> tuple[Sequence[str], Mapping[str, Sequence[str]]]:
    """Return the procedures of a game of the package, and the options under which their rounds belong to it."""
    content = compose(read(path := files_of("pays")[game]), str(path)).content()
    return content["procedures"], content.get("options", {})


def load_game(
    source: str | Path, procedures: Mapping[str, str | Path] = _NO_FILES, *, edition: Edition | None = None
) -> Game:
    """Load a game by id or from a file, in an edition of the regulation, or else as printed.

    Its pay tables may be in `paytables/` and its rankings in `rankings/` next to the file. A procedure of its own is in
    one of `procedures`, by id, or in `ID.toml` next to the game's file. TomlFileError names the file, line, key and
    allowed values, in one line.
    """
    path = game_path(source)
    own = {name: file for name, file in procedures.items() if file not in known_procedures()}
    if isinstance(source, str) and source in game_ids() and not own:
        return _load_package_game(source, edition)
    return _read(path, edition, own)


def game_path(source: str | Path) -> Path:
    """Return the file of the game with this id, or the given path; raise TomlFileError for an unknown id."""
    return locate(source, files_of("pays"), "game", named="allowed")


@cache
def _load_package_game(game: str, edition: Edition | None) -> Game:
    """Return a game of the package; checked once per edition."""
    return _read(files_of("pays")[game], edition)


def _read(path: Path, edition: Edition | None, procedures: Mapping[str, str | Path] = _NO_FILES) -> Game:
    return game_of(GameSource.read(path, procedures), edition)


def in_edition(printed: GameSource, edition: Edition) -> GameSource:
    """Return a game's file and its procedures as amended by an edition of the regulation; raise EditionError for an
    impossible change."""
    if edition.base is None:
        return printed
    procedures = {name: procedure_in(each, edition) for name, each in printed.procedures.items()}
    content, changes = amend(printed.whole.content(), edition)
    if not changes:
        return replace(printed, procedures=procedures)
    found, wrong = spec_of(as_dealt(content, procedures), procedures)
    for key, why in wrong:
        raise misfit(changes, printed.spec.id, key, why)
    assert found is not None
    return replace(printed, spec=found, procedures=procedures)


def game_of(printed: GameSource, edition: Edition | None = None) -> Game:
    """Return a game and its pay tables, ready to settle rounds, in an edition of the regulation or else as printed. Its
    hash is that of the printed file in every edition."""
    edition = edition or printed_edition(printed.spec.jurisdiction)
    source = in_edition(printed, edition) if edition is not None else printed
    spec = source.spec
    rankings = source.rankings()
    of_hands = (takes_faults(name, hand, rankings[name]) for name, hand in spec.hands.items())
    for key, why in chain(minimum_hand_faults(spec, rankings), *of_hands):
        raise source.fault(key, why)
    tips = tips_of(spec, source.procedures.values())
    of_bets = _bet_parts(spec, tips, {name: reading.default for name, reading in spec.readings.items()})
    bets = of_bets["bets"]
    paytables = source.paytables(rankings)
    # The hash names the printed file; an edition has a reference of its own in each result.
    hashed = paytables if source is printed else printed.paytables(rankings)
    game = Game(
        spec=spec,
        tips=tips,
        **of_bets,
        paytables=paytables,
        rankings=rankings,
        named=source.named(),
        tables={
            (bet.name, name): flatten(paytables[name], bet.rows) for bet in bets.values() for name in bet.all_paytables
        },
        sha256=content_hash(content_of(printed.spec), hashed, source.own_rankings(rankings)),
        source=source,
        edition=edition,
    )
    # So that `under` with the defaults returns this very object.
    game._others[tuple(spec.readings[name].default for name in game.deciding_readings)] = game
    return game


def content_hash(content: Mapping[str, Any], paytables: Mapping[str, PayTable], rankings: Iterable[Any]) -> str:
    """Return the SHA-256 of the content of a game file with its pay tables and its own rankings."""
    whole = [content, *(paytables[name].content() for name in sorted(paytables)), *rankings]
    canonical = json.dumps(whole, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


def content_of(spec: GameSpec) -> dict[str, Any]:
    """Return the content of the file to be hashed. Pay tables within it are hashed like those in files of their own."""
    return spec.model_dump(mode="json", exclude_defaults=True, exclude={"paytables", "signed"})


def _bet_parts(spec: GameSpec, tips: Mapping[str, Tip], readings: Mapping[str, str]) -> dict[str, Any]:
    """Return the parts of a game that depend on its bets, under these readings."""
    bets = _bets_under(spec, tips, readings)
    return {"bets": bets, "instead": {name: bet.as_chosen(bet.instead) for name, bet in bets.items() if bet.instead}}


def _bets_under(spec: GameSpec, tips: Mapping[str, Tip], readings: Mapping[str, str]) -> dict[str, Bet]:
    """Return every bet by its name, under these readings; a tip is a copy of the bet it is for, under its own name."""
    rows: dict[str, Bet] = {row.name: row.under(readings) for row in spec.bets}
    return rows | {name: rows[tip.of].as_tip(name, tip.on) for name, tip in tips.items()}
