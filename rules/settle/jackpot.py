"""Jackpot awards: the seats that earned a part of the posted amount in a round (47.1-1060, 47.1-1017.41(1)).

A hand counts only if it was shown: a player who discards it unseen claims nothing. An award is held if the rules do not
cover the case.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, Final, NamedTuple

from dealer_flow.english import dollars
from dealer_flow.record.result import Seat
from protocol.cards import UNREAD
from rules.bets.bet import Holds
from rules.bets.hold import Hold, fold_doubt_of
from rules.facts.rake import offers_jackpot
from rules.facts.seen import View
from rules.game.hand_input import best_allowed_hand
from rules.game.jackpot_spec import EarnedBy, JackpotAward, JackpotShare
from rules.hands import Ranked
from rules.hands.hand_spec import OWN
from rules.pots.main import TablePots
from rules.settlement import MeterTotal, SettlementLine, make_line

JACKPOT: Final = "jackpot"
"""Bet name of the lines of an award; they have no stake."""


class EarnedAward(NamedTuple):
    """An award that was earned: the seats of each part, and the facts in words."""

    parts: Mapping[str, tuple[int, ...]]
    facts: str


class AwardResult(NamedTuple):
    """Result of an award: its lines, and the meter of the posted amount if part of it was paid."""

    lines: tuple[SettlementLine, ...] = ()
    meters: tuple[MeterTotal, ...] = ()


_NONE: Final = AwardResult()


def jackpot_award(view: View, seats: Sequence[Seat], holds: Holds, pots: TablePots | None = None) -> AwardResult:
    """Return the award of a round that was played out; empty if the game has none or no hand earned it.

    `holds` gives the bets of a seat that are held, `pots` the pots of the round.
    """
    award = view.terms.jackpot or view.terms.game.spec.jackpot
    if award is None or view.result.outcome != "complete":
        return _NONE
    total = sum(pot.cents for pot in pots.pots) if pots is not None else 0
    if view.terms.rake is not None and not offers_jackpot(view.terms.rake, view.result, total):
        return _NONE
    found = earned(view, seats, award, holds)
    if found is None:
        return _NONE
    posted = view.terms.meters.get(award.meter)
    if not isinstance(found, Hold) and posted is None:
        found = Hold(f"{found.facts}, and the posted amount was not given", award.clause)
    if isinstance(found, Hold):
        first = min(seat.seat for seat in seats if seat.status == "live" or fold_doubt_of(seat.seat, holds))
        return AwardResult((make_line(first, JACKPOT, 0, "held", found.why, found.clause),))
    assert posted is not None, "else it is held"
    lines = tuple(_lines(found, award, posted.cents))
    paid = sum(line.pay for line in lines)
    return AwardResult(lines, (MeterTotal(award.meter, posted.cents, paid, 0, posted.cents - paid),))


def earned(view: View, seats: Sequence[Seat], award: JackpotAward, holds: Holds) -> EarnedAward | Hold | None:
    """Return the seats of each part of an award.

    Returns None if no seat shares in it or no shown hand earned it, and a Hold if the rules do not say or the answer
    depends on something uncertain.
    """
    by, sharing = award.earned_by, {seat.seat for seat in seats if _shares(seat, award, holds)}
    live = [seat for seat in seats if seat.status == "live" or fold_doubt_of(seat.seat, holds)]
    hands = {seat.seat: view.hand(by.hand, seat) for seat in live if _was_shown(seat)}
    known = {seat: hand for seat, hand in hands.items() if not isinstance(hand, str)}
    unknown = [seat for seat in live if isinstance(hands.get(seat.seat), str)]
    good = {seat.seat for seat in live if seat.seat in known and _counts(view, seat, known[seat.seat], by)}
    best = max((hand.strength for hand in known.values()), default=None)
    earning = {seat for seat in good if award.beaten is None or known[seat].strength < best}
    if not sharing:
        return None
    if award.beaten is not None and len(hands) < 2:
        return None  # no other hand was shown that could beat it
    if unknown and earning:
        why = f"{by.words} was shown, and it is not known whether another hand counts"
        return Hold(f"{why}: {hands[unknown[0].seat]}", by.clause)
    if not earning:
        least = min((known[seat].strength for seat in good), default=None)
        return _may_be_earned(view, award, unknown, least, best)
    beat = {seat for seat, hand in known.items() if hand.strength == best} if award.beaten is not None else set[int]()
    if doubt := next(filter(None, (_doubt(seat, award, holds, sharing | earning | beat) for seat in seats)), None):
        why = f"{by.words} was shown, and the shares of the award depend on a bet that is held"
        return Hold(f"{why}: {doubt.why}", doubt.clause)
    highest = max(known[seat].strength for seat in earning)
    if any(known[seat].strength != highest for seat in earning):
        if _rule_or_reading(view, award.several, "beaten-hands") == "held":
            return Hold(
                f"several hands of {by.words} count, and the rules do not say which of them earns the award", by.clause
            )
        earning = {seat for seat in earning if known[seat].strength == highest}
    if max(len(earning), len(beat)) > 1 and _rule_or_reading(view, award.tied, "tied-shares") == "held":
        return Hold("hands tie, and the rules do not say whether they divide their part", by.clause)
    return _shared(award, known, earning, beat, sharing)


def _may_be_earned(view: View, award: JackpotAward, unknown: Sequence[Seat], least: Any, best: Any) -> Hold | None:
    """Return the reason that it is uncertain whether an award was earned, given that no known hand earns it.

    `least` is the strength of the lowest known hand that is high enough, `best` that of the highest known hand; None if
    there is none.
    """
    by = award.earned_by

    def matters(hand: Ranked) -> bool:
        counts = view.terms.reaches(by.hand, hand, by.at_least)
        is_beaten = award.beaten is None or len(unknown) > 1 or (best is not None and hand.strength < best)
        return (counts and is_beaten) or (least is not None and hand.strength > least)

    for seat in unknown:
        if view.may_be(by.hand, seat, matters):
            return Hold(f"it is not known whether {by.words} earns the award: {view.hand(by.hand, seat)}", by.clause)
    return None


def _shared(
    award: JackpotAward, known: Mapping[int, Ranked], earning: set[int], beat: set[int], sharing: set[int]
) -> EarnedAward | Hold:
    if stranger := min((earning | beat) - sharing, default=0):
        return Hold(
            f"seat {stranger} did not bet {award.stake}, and the rules do not say who gets its part", award.clause
        )
    others = tuple(sorted(sharing - earning - beat))
    one, two = tuple(sorted(earning)), tuple(sorted(beat))
    facts = " and ".join(f"{known[seat].text} of seat {seat}" for seat in one)
    facts += f", beaten by {' and '.join(f'{known[seat].text} of seat {seat}' for seat in two)}" if two else ""
    return EarnedAward({"beaten": one, "holder": one, "winner": two, "others": others}, facts)


def _doubt(seat: Seat, award: JackpotAward, holds: Holds, concerned: Set[int]) -> Hold | None:
    """Return the reason that it is uncertain whether a seat among `concerned` shares in the award."""
    if seat.seat not in concerned:
        return None
    return fold_doubt_of(seat.seat, holds) or holds.get(seat.seat, {}).get(award.stake)


def _was_shown(seat: Seat) -> bool:
    """Return True if any card of a hand was shown: a player who discards it unseen claims nothing."""
    return any(card != UNREAD.text for card in seat.cards)


def _shares(seat: Seat, award: JackpotAward, holds: Holds) -> bool:
    """Return True if a seat has a part of the award, or may have one."""
    stays = seat.status == "live" or fold_doubt_of(seat.seat, holds) is not None
    if award.stake:
        return stays and seat.wagers.get(award.stake, 0) > seat.returned.get(award.stake, 0)
    return stays or (seat.status == "folded" and award.folded_share)


def _counts(view: View, seat: Seat, hand: Ranked, by: EarnedBy) -> bool:
    """Return True if a hand is high enough and contains the required number of its player's own cards."""
    if not view.terms.reaches(by.hand, hand, by.at_least):
        return False
    spec, cards = view.terms.game.spec.hands[by.hand], view.cards(by.hand, seat)
    if not by.own or list(spec.of) == [OWN] or isinstance(cards, str):
        return True
    with_own = spec.model_copy(update={"takes": {**spec.takes, OWN: (by.own, int(spec.of[OWN]))}})
    best = best_allowed_hand(with_own, cards, view.terms.ranks(by.hand))
    return bool(best.strength == hand.strength)


def _rule_or_reading(view: View, rule: str | None, reading: str) -> str:
    """Return the rule if it is set, else the option of the reading, else `held`."""
    return rule or view.terms.readings.get(reading, "held")


def _lines(found: EarnedAward, award: JackpotAward, posted: int) -> Iterator[SettlementLine]:
    """Yield a line for each seat that has a part; an undivided remainder or an unclaimed part stays on the meter."""
    for share in award.shares:
        whose = found.parts[share.to]
        for seat in whose:
            cents = posted * share.percent // 100 // len(whose)
            if cents:
                yield _line(seat, cents, share, len(whose), posted, found.facts, award.meter)


def _line(
    seat: int, cents: int, share: JackpotShare, parts: int, posted: int, facts: str, meter: str
) -> SettlementLine:
    part = f"{share.percent} % of the posted {dollars(posted)}" + (f", one of {parts} parts" if parts > 1 else "")
    return make_line(seat, JACKPOT, 0, "win", f"{facts}: {part}", share.clause, pay=cents, meter=meter)
