"""Facts of the table that break a rule. The bets affected are held, with the clause; no result is guessed."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from operator import itemgetter
from typing import Final

from dealer_flow.english import dollars, listed
from dealer_flow.procedure.bet_rules import Breach
from dealer_flow.procedure.bets import Amount
from dealer_flow.procedure.betting import broken_limits
from dealer_flow.procedure.law import Law
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult, Seat
from protocol.cards import DECK, UNREAD, Card, parse_card
from rules.bets.hold import Hold
from rules.game.load import Game
from rules.hands.hand_spec import Cards

_PLAYING: Final = frozenset(DECK)
_UNREAD: Final = UNREAD.text
FACES: Final = {card.text: card for card in DECK}
"""The 52 cards by their text."""


def faces(texts: Sequence[str]) -> tuple[Card, ...]:
    """Return the playing cards of these texts; raise KeyError if one is not a playing card. A plain `map` takes three
    times as long."""
    return itemgetter(*texts)(FACES) if len(texts) > 1 else tuple(map(FACES.__getitem__, texts))


def known_cards(texts: Sequence[str], wanted: Cards, whose: str, *, jokers: bool = False) -> tuple[Card, ...] | str:
    """Return the `wanted` playing cards of a place, or a phrase that says what is missing; `jokers` allows jokers."""
    try:
        cards = faces(texts)
        if len(cards) == wanted:
            return cards
    except KeyError:  # a joker, or a card that was not read
        cards = tuple(parse_card(text) for text in texts)
    least, most = (wanted, wanted) if isinstance(wanted, int) else wanted
    if not least <= len(cards) <= most:
        number = str(most) if least == most else f"{least} to {most}"
        return f"{len(cards)} of {number} cards of {whose} were seen"
    # An unread card has no face; a joker counts only where the ranking takes one.
    if not (_PLAYING.issuperset(cards) or (jokers and all(card.is_face for card in cards))):
        unread = " ".join(card.text for card in cards if not (card.is_playing or (jokers and card.is_face)))
        return f"the faces of {whose} are not all known ({unread})"
    return cards


def seen_too_often(result: RoundResult, decks: int, *, laid_aside: bool = False) -> str | None:
    """Return a phrase for a face that is in more places at once than the decks allow, or None. `laid_aside`: a seat's
    discards may also be listed with its hand."""
    lying = [*result.community, *result.burned]
    for hand in (*result.seats, result.dealer, *result.hands):
        if hand is not None:
            lying += hand.cards
            if hand.discards:
                lying += (Counter(hand.discards) - Counter(hand.cards)).elements() if laid_aside else hand.discards
    more = len(lying) - len(set(lying))
    if more == max(result.burned.count(_UNREAD) - 1, 0) or more == lying.count(_UNREAD) - 1:
        return None  # fast path: usually only burned cards are unread
    seen = Counter(lying)
    found = next((text for text, times in seen.items() if times > decks and parse_card(text).is_face), None)
    return f"{found} is in {'two' if decks == 1 else decks + 1} places" if found else None


def held_at_table(result: RoundResult, seat: Seat) -> dict[str, Hold]:
    """Return the bets that the round itself holds, with the incident's sentence as the reason."""
    if not seat.held:
        return {}
    holds = {bet: Hold(f"{bet} is held", clause) for bet, clause in seat.held.items()}
    for found in reversed(result.incidents):  # reversed, so that the first incident of a bet wins
        for bet in (found.bet, *found.bets) if found.seat == seat.seat else ():
            if bet in holds and found.code in _HOLDS and found.clause == holds[bet].clause:
                holds[bet] = Hold(found.text, found.clause)
    return holds


_HOLDS: Final = frozenset({"wager-held", "side-bet-alone", "decision-bet-differs"})
"""Incidents by which a bet is held."""


def unknown_bets(seat: Seat, game: Game) -> dict[str, Hold]:
    """Return holds for the bets of a seat that the game does not have, since their pay is unknown."""
    strange = {bet: cents for bet, cents in seat.wagers.items() if cents and bet not in game.bets}
    return {
        bet: Hold(f"seat {seat.seat} has {dollars(cents)} on {bet}, which is not a bet of {game.id}", "procedure")
        for bet, cents in strange.items()
    }


def broken_rules(
    seat: Seat,
    game: Game,
    law: Law | None,
    limit_cents: int | None = None,
    at_table: Mapping[str, Hold] | None = None,
    *,
    complete: bool = True,
) -> dict[str, Hold]:
    """Return the reason that each bet is held, by name.

    A stake that breaks a rule also holds the bets that some rule compares it with, because only the order in which they
    were placed shows which one is wrong. A bet already held `at_table` is held alone.

    `law` has the rules of the round's procedure, None if unknown. `limit_cents` is the maximum of one bet at this
    table; None leaves it to the law. `complete`: the round was played to its end.
    """
    at_table = at_table or {}
    holds: dict[str, Hold] = dict(at_table)
    if (too_many := _too_many_games(seat, game)) is not None:
        return {bet.name: holds.get(bet.name, too_many) for bet in game.bets.values()}
    faults = [*_faults(seat, game, law, limit_cents, complete)]
    if not faults and not holds:
        return holds
    alone = [(bets, hold) for bets, hold in faults if at_table.keys().isdisjoint(bets)]
    for bets, hold in alone:  # a bet's own fault takes precedence over one that it is compared in
        holds |= {bet: hold for bet in bets if bet not in holds}
    for bets, hold in alone:
        for name in (other for bet in bets for other in (law.tied.get(bet, (bet,)) if law is not None else (bet,))):
            holds |= {other: hold for other in game.tied[name] if other not in holds}
    for tip in game.bets.values():
        if tip.tip_for in holds:
            holds.setdefault(tip.name, holds[tip.tip_for])
    return holds


def _faults(
    seat: Seat, game: Game, law: Law | None, limit_cents: int | None, complete: bool
) -> Iterator[tuple[tuple[str, ...], Hold]]:
    """Yield the invalid stakes with their reasons: over the table's limit, on a folded hand, or against the law."""
    wagers = seat.wagers
    if limit_cents is not None and wagers and max(wagers.values()) > limit_cents:
        yield from _over_limit(seat, game, law, limit_cents)
    for bet in game.made_by_playing if seat.status == "folded" else ():
        if stake := wagers.get(bet.name):
            why = f"{bet.name} of {dollars(stake)} on a hand that folded"
            yield (bet.name,), Hold(why, bet.clauses.fold, fold_in_doubt=True)
    if law is None:
        return
    made = choices_of(seat)
    every = bool(seat.choices) or not law.by_steps
    for breach in law.of_round(seat.wagers, made, alive=complete and seat.status == "live", all_choices=every):
        if law.is_all_in(breach, seat.wagers, seat.stake):
            continue
        lacking = any(not seat.wagers.get(bet) for bet in breach.bets)
        yield breach.bets, Hold(in_words(breach, seat.wagers), breach.rule.clause, fold_in_doubt=lacking)
    if seat.propositions:
        for breach in law.of_propositions(seat.propositions):
            yield breach.bets, Hold(in_words(breach, seat.wagers), breach.rule.clause)
        for tip, alone, clause in law.lone_tips(seat.propositions):
            yield (tip,), Hold(f"{tip} without a bet on {listed([*alone])}", clause)


def over_limits(result: RoundResult, law: Law) -> Iterator[tuple[int, dict[str, Hold]]]:
    """Yield the seats whose actions bet or raised over a limit, with their bets of that betting round, which are held,
    and those that bet more than their stake. The flow refuses such an action with the same sentence."""
    if (part := law.betting) is None:
        return
    blinds = 0
    for seat in result.seats:  # inlined for speed: this runs for every round with betting
        lies = 0
        for bet in part.live:
            if bet in seat.wagers:
                lies += seat.wagers[bet]
        blinds = lies if lies > blinds and seat.status != "out" else blinds
        put = 0
        for bet in seat.wagers:
            put += seat.wagers[bet]
        if seat.stake is not None and put > seat.stake:
            why = f"seat {seat.seat} has bet {dollars(put)} of a stake of {dollars(seat.stake)}"
            yield seat.seat, dict.fromkeys(seat.wagers, Hold(why, part.stakes_clause))
    if blinds and law.raising.full_blind and law.full_blind is not None:
        blinds = max(blinds, law.full_blind)
    for each, high, (guard, clause) in broken_limits(part, result.actions, blinds, law.raising):
        report = Incident(
            code="action-refused",
            clause=clause,
            reason=guard,
            report="PlayerActed",
            seat=each.seat,
            how=each.action,
            cents=each.cents,
            wanted=high,
        )
        own = law.bet_of.get(each.step, "")
        laid = next((seat.wagers for seat in result.seats if seat.seat == each.seat), {})
        yield each.seat, dict.fromkeys((own,) if own in laid else laid, Hold(report.text, clause))


def choices_of(seat: Seat) -> Collection[str]:
    """Return every choice that a round records for a seat."""
    if not seat.choices and not seat.decisions:
        return (seat.decision,) if seat.decision is not None else ()
    return {*filter(None, (seat.decision,)), *seat.decisions, *seat.choices.values()}


def fold_doubt(seat: Seat, game: Game, law: Law | None) -> Hold | None:
    """Return the reason, from its bets, that it is uncertain whether a hand folded in a round played to its end; other
    holds do not matter."""
    faults = _faults(seat, game, law, None, complete=True)
    return next((fault for _, fault in faults if fault.fold_in_doubt), None)


def _too_many_games(seat: Seat, game: Game) -> Hold | None:
    if game.spec.limit is None or (games := game.spec.limit.games) is None:
        return None
    played = dict.fromkeys(bet.counts_as for bet in game.bets.values() if seat.wagers.get(bet.name))
    if len(played) <= games.most:
        return None
    return Hold(f"bets in {len(played)} games ({', '.join(played)}), at most {games.most} are allowed", games.clause)


def _over_limit(seat: Seat, game: Game, law: Law | None, limit_cents: int) -> Iterator[tuple[tuple[str, ...], Hold]]:
    """Yield the bets over the table's own limit; none if that is the law's limit, which the law checks itself. The
    total on a spot after raises is more than one bet."""
    if law is not None and limit_cents == law.most_cents:
        return
    own = law.limit if law is not None and law.limit is not None else game.spec.limit
    clause = own.clause if own else "house limit"
    for name, stake in seat.wagers.items():
        if stake > limit_cents and name in game.bets and (law is None or name not in law.by_action):
            yield (name,), Hold(f"{name} of {dollars(stake)} is over the limit of {dollars(limit_cents)}", clause)


def in_words(breach: Breach, wagers: Mapping[str, int]) -> str:
    """Describe how a seat's stakes break a rule: `play of $5 is not equal to 2 times the ante of $5`."""
    rule, amount = breach.rule, breach.rule.amount
    of = listed([f"{bet} of {dollars(wagers.get(bet, 0))}" for bet in breach.bets])
    if amount is not None:
        return f"{of}{_COMPARED[rule.kind]}{_amount(amount, wagers)}"
    if rule.kind == "due":
        return f"a live hand without a bet on {listed([*breach.bets])}"
    if rule.kind in _OF_ONE_BET:
        return f"{of}{_OF_ONE_BET[rule.kind]}"
    if rule.kind == "excludes":
        return f"{breach.bets[0]} of {dollars(breach.cents)} together with {listed([*breach.bets[1:]])}"
    present = [bet for bet in rule.others if wagers.get(bet)]
    if rule.kind == "same-as":
        return f"{of} is not as much as {listed(present)}"
    absent = [bet for bet in rule.others if bet not in present]
    return f"{of} without a bet on {listed(absent, 'and' if rule.kind == 'needs' else 'or')}"


_OF_ONE_BET: Final = {
    "left": " matches no choice that was made",
    "taken-back": " was taken back",
    "offered": " is not offered under the house's options",
}
"""Sentence for a stake that is not compared with an amount, by kind of rule."""
_COMPARED: Final = {
    "equal": " is not equal to ",
    "exactly": " is not ",
    "at-most": " is more than ",
    "at-least": " is less than ",
    "multiple-of": " is not a multiple of ",
    "limit": " is over the limit of ",
    "total-over": " add up to more than ",
    "total-under": " add up to less than ",
    "tip-over": " is more than ",
}
"""Phrase between a stake and the amount it is compared with, by kind of rule."""


def _amount(amount: Amount, wagers: Mapping[str, int]) -> str:
    """Describe an amount: `$1`, `2 times the ante of $5`, `half the ante of $5`."""
    if not amount.bet:
        return dollars(int(amount.times))
    times = {1: "", Fraction(1, 2): "half "}.get(amount.times, f"{amount.times} times ")
    return f"{times}the {amount.bet} of {dollars(wagers.get(amount.bet, 0))}"
