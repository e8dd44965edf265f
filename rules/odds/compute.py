"""Odds of a game's bets, each kind of bet by its own exact count; nothing is sampled.

Bets that are decided together are counted by the solver that the game file names. Any other bet that a table pays
depends only on the cards, that is, on the number of deals for each key of its ranking. A bet that is not computed says
why.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from rules.bets.bet import Bet
from rules.errors import OddsRefused
from rules.game.readings import READINGS
from rules.hands.hand_spec import DISCARDS, OWN, HandSpec
from rules.odds.cards.counts import race_ends
from rules.odds.cards.decks import chosen_bets, deals, dealt_from, keeps_cards
from rules.odds.cards.distribution import distribution, readings_of
from rules.odds.decide.decisions import NoProcedure
from rules.odds.kept import remembered
from rules.odds.question import Question
from rules.odds.returns import NotComputed, Odds
from rules.odds.rows import meter_effects, paid_by_row, shares_of
from rules.odds.solvers import SOLVERS, answers_for, odds_faults, solver

JOINED: Final = "+"
"""Separator in the names of bets that are made together."""
BETWEEN_PLAYERS: Final = "players bet against each other"
"""Reason for a bet that the house has no part in."""


def odds(question: Question, bet: str = "", *, of: Collection[str] = ()) -> Iterator[Odds | NotComputed]:
    """Yield the odds of every bet, of `bet` alone, or of the bets `of` that are counted at once; slow ones come last.

    Bets that are valid only together come first under all their names joined by `+`, then one by one, with the bets
    that depend on them. `bet` may be such a name. A tip has the odds of the bet that it is for. Raises OddsRefused for
    an unknown bet, pay table, reading, meter or number of decks.
    """
    _check(question, bet)
    bets, found_any = question.game.bets, False
    wanted = {*of} or {bets[name].tip_for or name for name in filter(None, bet.split(JOINED))}
    joined: list[str] = []
    for group in _groups(question):
        names = [each.name for each in group]
        if wanted <= set(names) or (len(names) > 1 and JOINED in bet and wanted & set(names)):
            for found in remembered(question.kept, question.key(names), _of_group(question, group)):
                joined += [found.bet] if JOINED in found.bet else []
                for each in _with_tips(question, found):
                    if bet in ("", each.bet):
                        found_any = True
                        yield each
    if bet and question.paytable and not found_any:
        tables = dict.fromkeys(table for name in wanted for table in bets[name].paytables)
        raise OddsRefused(f"pay table of {bet}", question.paytable, tables)
    if JOINED in bet and not found_any:
        raise OddsRefused("bets", bet, dict.fromkeys(joined or bets))


def counted_how(question: Question) -> Iterator[tuple[str, str, float]]:
    """Yield the bets that were counted together and are cached, the method, and the seconds it took."""
    for group in _groups(question):
        names = [each.name for each in group]
        before = question.kept.get(question.key(names)) if question.kept else None
        if before is not None and any(isinstance(each, Odds) for each in before[0]):
            yield JOINED.join(names), _how(question, group), before[1]


def _how(question: Question, group: Sequence[Bet]) -> str:
    if group == answers_for(question.game):
        described = solver(question.game).__doc__ or ""
        return " ".join(described.partition(".")[0].split())
    return "Binomial coefficients" if group[0].on_race else "Count of hands up to the names of suits"


def _groups(question: Question) -> Iterator[list[Bet]]:
    """Yield the groups of bets that are counted together, the slow ones last."""
    together = answers_for(question.game)
    for each in question.game.bets.values():
        if not each.tip_for and each not in together:
            yield [each]
    if together:
        yield together


def _with_tips(question: Question, found: Odds | NotComputed) -> Iterator[Odds | NotComputed]:
    """Yield the odds and those of its tips. A tip that is bet from the start is its own unit; one that goes with a
    raise stays in units of the ante."""
    yield found
    for tip in question.game.bets.values():
        if not tip.tip_for or tip.tip_for != found.bet:
            continue
        if isinstance(found, Odds) and all(outcome.staked == 1 for outcome in found.outcomes):
            yield replace(found, bet=tip.name, unit=tip.name)
        else:
            yield replace(found, bet=tip.name)


def _of_group(question: Question, group: Sequence[Bet]) -> Iterator[Odds | NotComputed]:
    question.begin(JOINED.join(each.name for each in group))
    spec, first = question.game.spec.odds, group[0]
    why = spec.not_computed.get(first.name, "") if spec else ""
    if group == answers_for(question.game):
        yield from _solved(question, group)
    elif why:
        yield _not_computed(question, first, why)
    elif first.on_race:
        yield from _race(question, first)
    elif why := _undecided_reason(question, first):
        yield _not_computed(question, first, why)
    else:
        yield from _odds_by_cards(question, first)


def _solved(question: Question, group: Sequence[Bet]) -> Iterator[Odds | NotComputed]:
    """Yield the results of the game's solver, for the best play or for a strategy."""
    try:
        for found in solver(question.game)(question, group):
            if question.strategy is not None and isinstance(found, Odds):
                yield replace(found, also={**found.also, "strategy": question.strategy.spec.title})
            else:
                yield found
    except NoProcedure as why:
        raise question.game.fault(("procedures", 0), str(why)) from why


def _not_computed(question: Question, bet: Bet, why: str) -> NotComputed:
    return NotComputed(question.game.id, bet.name, deals(question.game), why)


def by_cards_alone(question: Question, bet: Bet) -> bool:
    """Return True if the cards decide the bet, regardless of any choice."""
    return not _undecided_reason(question, bet)


def _undecided_reason(question: Question, bet: Bet) -> str:
    """Return the reason that the cards alone do not decide the bet; empty if they do."""
    if bet.among_players:
        return BETWEEN_PLAYERS
    if not bet.by_cards:
        return f"no solver is named for a bet of kind {bet.kind}"
    hands = [question.game.hand(name) for name in (bet.hand, *(each.hand for each in bet.hand_when))]
    if bet.fold == "absent" or bet.name in chosen_bets(question.game):
        return "it depends on the player's choices, and no solver is named for them"
    if keeps_cards(question.game) and any(_uses_final_cards(hand) for hand in hands):
        return "it depends on which cards are kept, and no solver is named for that"
    if any(hand.part and not hand.whole for hand in hands):
        return "it depends on how the hand is set, and no solver is named for that"
    if any(hand.takes for hand in hands):
        return "it depends on the number of cards taken from each place, and no solver is named for that"
    if not all(map(_places, hands)):
        return "it depends on which cards are kept, and no solver is named for that"
    if any(len(question.game.paytables[name].groups) > 1 for name in bet.paytables):
        return "its rows pay in groups, and no solver is named for them"
    return ""


def _places(hand: HandSpec) -> tuple[int, ...]:
    """Return the number of cards from each place of a hand; empty if that depends on a choice."""
    if hand.fill and DISCARDS in hand.of:
        return (hand.fill,)  # all cards that the seat was dealt, discards included
    places = tuple(cards for cards in hand.of.values() if isinstance(cards, int))
    return places if len(places) == len(hand.of) and not hand.fill else ()


def _uses_final_cards(hand: HandSpec) -> bool:
    """Return True if the hand uses a seat's cards as they are at the end, without its discards."""
    return OWN in hand.of and OWN not in hand.at and DISCARDS not in hand.of


def _check(question: Question, bet: str) -> None:
    game = question.game
    for fault in odds_faults(game):
        raise fault
    for name in bet.split(JOINED) if bet else ():
        if name not in game.bets:
            raise OddsRefused("bet", name, game.bets)
    if question.paytable and question.paytable not in game.paytables:
        raise OddsRefused("pay table", question.paytable, sorted(game.paytables))
    for name, option in question.readings.items():
        if name not in game.spec.readings:
            raise OddsRefused("reading", name, game.spec.readings)
        if option not in READINGS[name]:
            raise OddsRefused(f"reading {name}", option, READINGS[name])
    for name in question.meters:
        if name not in game.meters():
            raise OddsRefused("meter", name, game.meters())
    spec = game.spec.odds
    able = sorted(name for name, row in SOLVERS.items() if row.by_strategy)
    if question.strategy is not None and (spec is None or spec.solver not in able):
        raise OddsRefused("strategy in a game counted by", spec.solver if spec else "none", able)
    if question.decks and question.decks not in (allowed := dealt_from(game).allowed):
        raise OddsRefused("number of decks", question.decks, map(str, allowed))


def _odds_by_cards(question: Question, bet: Bet) -> Iterator[Odds]:
    """Compute a bet paid by the hand that the cards make, regardless of any choice; envy and meters are separate
    figures."""
    game = question.game
    folds = {"assumes": "no paying hand is folded"} if bet.fold == "lose" else {}
    for table in question.tables(bet):
        also = folds
        names = {each.reading for each in bet.hand_when if each.reading and table.id in (each.paytables or (table.id,))}
        hands = {bet.hand, *(each.hand for each in bet.hand_when if table.id in (each.paytables or (table.id,)))}
        if (note := bet.note(table.id)) is not None:
            also = {"assumes": f"the note under the table is not in force ({note.reading})"}
        for readings in question.choices(*names.union(*(readings_of(game.rankings[hand]) for hand in hands))):
            if any(readings.get(name, option) != option for name, option in table.readings.items()):
                continue  # the table is printed for another option
            counted = key_counts(question, bet, readings, table.id)
            shares = shares_of(counted)
            meters = meter_effects(question, bet, table, shares) if bet.meter_effects else {}
            yield paid_by_row(question, bet, table, readings, shares, {**also, "deals": counted.total(), **meters})


def key_counts(question: Question, bet: Bet, readings: Mapping[str, str], table: str) -> Counter[Hashable]:
    """Count the deals for each key of the hand that decides the bet under these readings and this pay table."""
    game, source = question.game, dealt_from(question.game)
    name = bet.decided_by(readings, table)
    name = game.hand(name).whole or name
    places = _places(game.hand(name))
    shoe = source.shoe._replace(decks=question.decks or source.decks)
    return distribution(game.rankings[name], places, shoe, readings, question.progress)


def _race(question: Question, bet: Bet) -> Iterator[Odds]:
    """Compute a bet paid by the result of the race; only readings that can change this bet are listed."""
    race = question.game.spec.race
    assert race is not None, "a race bet stands in a game with a [race]"
    matter = {"ace in the flush": "ace-high", "straight flush": "royal-as-straight"}
    names = [matter[row] for row in bet.rows if row in matter]
    decks = question.decks or dealt_from(question.game).decks
    also = {"decks": decks}
    for table in question.tables(bet):
        for readings in question.choices(*names):
            ends = race_ends(race.column, race.most, readings, decks)
            yield paid_by_row(question, bet, table, readings, ends, also)
