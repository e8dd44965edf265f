"""Cross-checks of a game file: names and keys that must agree with each other."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from protocol.cards import parse_card
from protocol.tomlfile import Key
from rules.bets.bet import Bet
from rules.bets.bet_keys import unknown
from rules.bets.bet_terms import ByReading
from rules.game.house_ways import houseway_ids
from rules.game.jackpot_spec import JackpotAward, award_faults
from rules.game.keep_rules import keep_ids, load_keep
from rules.game.pool_spec import PoolSpec
from rules.game.pot_spec import POT, is_of_pot
from rules.game.readings import READINGS
from rules.game.schema import GameSpec
from rules.hands import Ranking
from rules.hands.hand_spec import HandSpec
from rules.kinds.against import AgainstBet
from rules.kinds.to_pool import ToPoolBet
from rules.kinds.to_pot import ToPotBet
from rules.paytables.conditions import CONDITIONS
from rules.paytables.paytable import paytable_faults


def faults(spec: GameSpec, tips: Collection[str] = ()) -> Iterator[tuple[Key, str]]:
    """Yield the errors between keys. `tips` are the names of the tips that players may place."""
    names = [*(bet.name for bet in spec.bets), *tips]
    for name, hand in spec.hands.items():
        yield from unknown(("hands", name, "whole"), "hand", (hand.whole,) if hand.whole else (), spec.hands)
        yield from _keep_faults(name, hand)
    yield from _set_faults(spec, names)
    if (not spec.hands) == (spec.race is None):
        yield ("hands",), "give either [hands.NAME] or [race]"
    for name, reading in spec.readings.items():
        if name not in READINGS:
            yield ("readings", name), f"unknown reading; allowed: {', '.join(READINGS)}"
        elif reading.default not in READINGS[name]:
            why = f"unknown option {reading.default!r}; allowed: {', '.join(READINGS[name])}"
            yield ("readings", name, "default"), why
    ordered = [*names, *([POT] if spec.pot is not None else [])]
    for number, phase in enumerate(spec.order):
        yield from unknown(("order", number, "bets"), "bet", phase.bets, ordered)
    yield from _pot_faults(spec, names)
    if spec.jackpot is not None:
        yield from _jackpot_faults(spec, spec.jackpot, names)
    yield from _pool_faults(spec)
    for index, row in enumerate(spec.bets):
        if row.name in names[:index]:
            yield ("bets", index, "name"), f"bet {row.name!r} appears twice"
        yield from _bet_faults(spec, index, row, names)
    if spec.maximum is not None:
        yield from unknown(("maximum", "bets"), "bet", spec.maximum.bets, names)
    yield from _table_faults(spec)
    yield from _by_reading_faults(spec)


def _table_faults(spec: GameSpec) -> Iterator[tuple[Key, str]]:
    """Check the pay tables within the file, each under its own name."""
    for name, table in spec.paytables.items():
        at = ("paytables", name)
        if table.id not in ("", name):
            yield (*at, "id"), f"is {table.id!r}; the table's name requires {name!r}"
        yield from (((*at, *key), why) for key, why in paytable_faults(table))


def _bet_faults(spec: GameSpec, index: int, bet: Bet, names: list[str]) -> Iterator[tuple[Key, str]]:
    at = ("bets", index)
    if bet.on_race != (spec.race is not None):
        needs = "race" if bet.on_race else "hands.NAME"
        yield (*at, "kind"), f"a bet of kind {bet.kind} needs a [{needs}]"
        return
    if bet.by_hand:
        yield from unknown((*at, "hand"), "hand", (bet.hand, *(each.hand for each in bet.hand_when)), spec.hands)
    if bet.instead is not None:
        yield from unknown((*at, "instead", "hand"), "hand", (bet.instead.hand,), spec.hands)
    yield from _option_faults(spec, at, bet)
    for each in bet.hand_when:
        yield from unknown((*at, "hand-when"), "reading", (each.reading,) if each.reading else (), spec.readings)
        yield from unknown((*at, "hand-when"), "pay table", each.paytables, bet.paytables)
    if bet.fold == "lose" and not bet.clauses.fold:
        yield (*at, "clauses"), "fold: missing, and folding loses the bet"
    yield from (((*at, *key), why) for key, why in bet.faults(spec, names))
    if bet.pairs_with:
        yield from unknown((*at, "pairs-with"), "bet", (bet.pairs_with.bet,), names)
        pair = [each for each in spec.bets if each.name == bet.pairs_with.bet]
        if pair and len(pair[0].to_choose) != len(bet.to_choose):
            printed = f"{len(bet.to_choose)} tables of {bet.name!r} and {len(pair[0].to_choose)} of {pair[0].name!r}"
            yield (*at, "pairs-with"), f"{printed} do not form pairs"
    yield from unknown((*at, "table-as"), "bet", (bet.table_as,) if bet.table_as else (), names)
    yield from unknown((*at, "on"), "bet", (bet.on,) if bet.on else (), names)


def _jackpot_faults(spec: GameSpec, award: JackpotAward, names: list[str]) -> Iterator[tuple[Key, str]]:
    """Check that an award names hands and bets of the game."""
    found = [*award_faults(award, ("jackpot",))]
    yield from found
    if not found:
        which = "beaten" if award.beaten is not None else "held"
        yield from unknown(("jackpot", which, "hand"), "hand", (award.earned_by.hand,), spec.hands)
    yield from unknown(("jackpot", "stake"), "bet", filter(None, (award.stake,)), names)


def _pot_faults(spec: GameSpec, names: list[str]) -> Iterator[tuple[Key, str]]:
    """Check that a pot and wagers into it come together, and that its winning hands exist."""
    wagers = [index for index, bet in enumerate(spec.bets) if isinstance(bet, ToPotBet)]
    if spec.pot is None:
        if wagers:
            yield ("bets", wagers[0], "kind"), "a bet of kind to-pot needs a [pot]"
        return
    if not wagers:
        yield ("pot",), "no bet goes into it; allowed: bets of kind to-pot"
    if spec.pot.high is None and spec.pot.low is None:
        yield ("pot",), "no hand can win it; allowed: [pot.high], [pot.low] or both"
    if not spec.pot.clauses.uncalled and not (spec.pot.alike or spec.pot.matched):
        yield ("pot", "clauses"), "bets may differ, so part of one may stay unmatched; give uncalled, or [pot] alike"
    yield from unknown(("pot", "all-in"), "bet", spec.pot.all_in, names)
    if spec.pot.rolls is not None:
        yield from unknown(("pot", "rolls", "qualifier"), "qualifier", (spec.pot.rolls.qualifier,), spec.qualifiers)
        yield from unknown(("pot", "rolls", "enters"), "bet", (spec.pot.rolls.enters,), names)
    if spec.pot.high is None and (spec.pot.rolls or spec.pot.matched):
        yield ("pot",), "a pot that rolls over, or that losers match, is won by a high hand; give [pot.high]"
    for index, bet in enumerate(spec.bets):
        if is_of_pot(bet.name):
            yield (
                ("bets", index, "name"),
                f"{bet.name!r} is the name of the pot in a settlement; allowed: any other name",
            )
    for which, way in (("high", spec.pot.high), ("low", spec.pot.low)):
        if way is None:
            continue
        yield from unknown(("pot", which, "hand"), "hand", (way.hand,), spec.hands)
        for each in way.qualified:
            yield from unknown(("pot", which, "qualified"), "qualifier", (each.qualifier,), spec.qualifiers)
            yield from unknown(("pot", which, "qualified"), "reading", each.when, spec.readings)


def _pool_faults(spec: GameSpec) -> Iterator[tuple[Key, str]]:
    """Check that a pool, wagers into it and a pot come together; the winner of the pot gets the runner."""
    wagers = [index for index, bet in enumerate(spec.bets) if isinstance(bet, ToPoolBet)]
    if spec.pool is None:
        if wagers:
            yield ("bets", wagers[0], "kind"), "a bet of kind to-pool needs a [pool]"
        return
    if not wagers:
        yield ("pool",), "no bet goes into it; allowed: bets of kind to-pool"
    if spec.pot is None or spec.pot.high is None or spec.pot.low is not None:
        yield ("pool",), "the winner of the pot gets the runner; allowed: with a [pot] that the high hand wins"
    for index, bet in enumerate(spec.bets):
        if bet.name == spec.pool.meter:
            yield (
                ("bets", index, "name"),
                f"{bet.name!r} is the name of the pool in a settlement; allowed: any other name",
            )
    yield from unknown(("pool", "hand"), "hand", (spec.pool.hand,), spec.hands)


def _keep_faults(name: str, hand: HandSpec) -> Iterator[tuple[Key, str]]:
    """Check that the keep rules of a house are for as many cards as the first place has."""
    if not hand.keeps:
        return
    yield from unknown(("hands", name, "keeps"), "house way", (hand.keeps,), keep_ids())
    place, cards = next(iter(hand.of.items()))
    if hand.keeps in keep_ids() and cards != (of := load_keep(hand.keeps).cards):
        yield ("hands", name, "of", place), f"{cards} cards, and {hand.keeps} keeps some of {of}; allowed: {of}"


def _set_faults(spec: GameSpec, names: list[str]) -> Iterator[tuple[Key, str]]:
    """Check the hands that are set in two, and the house ways."""
    for index, each in enumerate(spec.sets):
        yield from unknown(("sets", index), "hand", (each.low, each.rest), spec.hands)
        yield from unknown(("sets", index, "bets"), "bet", each.bets, names)
    yield from unknown(("houseways",), "house way", spec.houseways, houseway_ids())


def _option_faults(spec: GameSpec, at: Key, bet: Bet) -> Iterator[tuple[Key, str]]:
    """Check the readings that a bet depends on, apart from those of its hands."""
    if bet.commission and spec.commission is None:
        yield (*at, "commission"), "the game has no [commission]"
    if bet.commission_when:
        yield from unknown((*at, "commission-when"), "reading", (bet.commission_when.reading,), spec.readings)


# ------------------------------------------------------------------ readings


def _by_reading_faults(spec: GameSpec) -> Iterator[tuple[Key, str]]:
    """Check the rows by a reading, the options marked as suspect, and the signatures."""
    for name, reading in spec.readings.items():
        yield from unknown(("readings", name, "suspect"), "option", reading.suspect, READINGS.get(name, {}))
    for index, signature in enumerate(spec.signed):
        for name, option in signature.readings.items():
            at: Key = ("signed", index, "readings", name)
            yield from unknown(at, "reading", (name,), spec.readings)
            yield from unknown(at, "option", (option,) if name in spec.readings else (), READINGS.get(name, {}))
    for index, bet in enumerate(spec.bets):
        for number, row in enumerate(bet.by_reading):
            yield from _by_reading_row_faults(spec, ("bets", index, "by-reading", number), bet, row)
        yield from _by_reading_gaps(("bets", index, "by-reading"), bet)


def _by_reading_row_faults(spec: GameSpec, at: Key, bet: Bet, row: ByReading) -> Iterator[tuple[Key, str]]:
    """Check one row by a reading: known names, and an outcome that a bet of its kind can have."""
    yield from unknown((*at, "reading"), "reading", (row.reading,), spec.readings)
    yield from unknown((*at, "is"), "option", (row.is_,), READINGS.get(row.reading, {}))
    yield from unknown((*at, "hand"), "hand", (row.hand,) if row.hand else (), spec.hands)
    yield from unknown((*at, "made"), "bet", (row.made,) if row.made else (), [each.name for each in spec.bets])
    if row.tie and not isinstance(bet, AgainstBet):
        yield (*at, "tie"), f"a bet of kind {bet.kind} has no tie of its own; allowed: a bet of kind against"
    if row.unqualified and (not isinstance(bet, AgainstBet) or bet.unqualified is None):
        yield (
            (*at, "unqualified"),
            "the bet does not check whether the other hand qualifies; allowed: a bet with unqualified",
        )
    if "win" in (row.tie, row.unqualified) and bet.paytables:
        key = "tie" if row.tie else "unqualified"
        yield (*at, key), "'win' is paid by no row of a table, and the bet has no pays; allowed: push, lose, acts, held"


def _by_reading_gaps(at: Key, bet: Bet) -> Iterator[tuple[Key, str]]:
    """Check that at most one option of a reading has no row; that option leaves the bet unchanged."""
    for reading in dict.fromkeys(row.reading for row in bet.by_reading):
        have = {row.is_ for row in bet.by_reading if row.reading == reading}
        left = [option for option in READINGS.get(reading, {}) if option not in have]
        if len(left) > 1:
            yield (
                at,
                f"reading {reading} has no row for {' and '.join(left)}; allowed: one such option at most",
            )


# ------------------------------------------------------------------ cards and rows, by the rankings of the hands


def minimum_hand_faults(spec: GameSpec, rankings: Mapping[str, Ranking]) -> Iterator[tuple[Key, str]]:
    """Check minimum hands and rows against the rankings.

    Yields an error for a minimum hand of an unknown hand, for invalid, too many or, with one deck, repeated cards, and
    for a tie by a row that no table of the other hand can have.
    """
    for name, each in spec.qualifiers.items():
        yield from _least_hand_faults(spec, rankings, each.hand, each.at_least, ("qualifiers", name))
    if spec.pool is not None:
        yield from _runner_faults(spec.pool, rankings)
    decides = _Decides(spec, rankings)
    for number, bet in enumerate(spec.bets):
        yield from ((("bets", number, *key), why) for key, why in bet.ranked_faults(decides))


@dataclass(frozen=True, slots=True)
class _Decides:
    """Checks, by the rankings of the file's hands, of cards and rows that a bet names."""

    spec: GameSpec
    rankings: Mapping[str, Ranking]

    def least(self, hand: str, cards: str, key: Key) -> Iterator[tuple[Key, str]]:
        """Yield the errors in the cards of a minimum hand."""
        return _least_hand_faults(self.spec, self.rankings, hand, cards, key)

    def row(self, hand: str, row: str, key: Key) -> Iterator[tuple[Key, str]]:
        """Yield an error for a row that no table of the hand can have."""
        conditions = CONDITIONS[self.rankings[hand].vocabulary]
        if conditions.check(row) is None:
            yield key, f"{row!r} is not a row of a hand {hand!r}; allowed: {conditions.allowed}"


def _runner_faults(pool: PoolSpec, rankings: Mapping[str, Ranking]) -> Iterator[tuple[Key, str]]:
    """Yield an error for each row of the pool that no table can have."""
    conditions = CONDITIONS[rankings[pool.hand].vocabulary]
    for place, more in enumerate(pool.more):
        if conditions.check(more.row) is None:
            why = f"{more.row!r} is not a row of a hand {pool.hand!r}; allowed: {conditions.allowed}"
            yield ("pool", "more", place, "row"), why


def _least_hand_faults(
    spec: GameSpec, rankings: Mapping[str, Ranking], hand: str, at_least: str, key: Key
) -> Iterator[tuple[Key, str]]:
    """Yield the errors in the cards of a minimum hand."""
    if hand not in rankings:
        yield (*key, "hand"), f"unknown hand {hand!r}; allowed: {', '.join(rankings)}"
        return
    readings = {name: reading.default for name, reading in spec.readings.items()}
    try:
        cards = tuple(parse_card(text) for text in at_least.split())
        rankings[hand].rank(cards, readings)
    except ValueError as error:
        yield (*key, "at-least"), str(error)
        return
    if spec.decks == 1 and len({*cards}) < len(cards):
        yield (*key, "at-least"), f"a card appears twice in {at_least!r}, and there is one deck"
