"""Remedies in a game dealt out of the hand: the dealer carries them out unseen, and here the cards are counted.

Nobody reports which card comes instead of which. So that the deck adds up at the end, each card that left it counts
where it lies: burned, in the muck, or set aside.
"""

from msgspec.structs import replace

from dealer_flow.procedure.plan import Policy
from dealer_flow.procedure.steps.burn_card import BurnCardStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.due import Due
from dealer_flow.record.incidents import Incident, at
from dealer_flow.table.hand import Hand
from dealer_flow.table.round import Round
from devices.events import Seen
from protocol.cards import Card
from protocol.places import BURN, COMMUNITY, MUCK, REMAINDER


def forget_dead(round_: Round, hand: Hand, card: Card | None) -> None:
    """Forget the face of a card that is dead, or every face of the hand if it is not known which one that is."""
    gone = (card,) if card is not None and card in hand.shown else hand.shown
    if gone:
        round_.ledger.forget_faces(hand.place, gone)


def deal_again(round_: Round, policy: Policy, hand: Hand, seen: Seen) -> None:
    """Put back the cards of a place that are too many, or all cards of its last step, which deals again."""
    place, step, there = hand.place, hand.step, hand.counted or 0
    right, again = hand.expected, list[Due]()
    if policy.back != "card":
        again = [due for due in round_.dues[: round_.given] if (due.place, due.step) == (place, step)]
        round_.dues = [due for due in round_.dues if due not in again]
        round_.given = len(round_.dues)
        right -= sum(due.cards for due in again)
    round_.by_hand = [*again, *(due for due in round_.by_hand if due.place != place or due.why != "complete")]
    round_.ledger.forget_faces(place, hand.shown)
    hand.expected = hand.device_count = right
    hand.opened, hand.person_count, hand.judged = (), None, 0
    hand.by_hand = right
    round_.open.pop(place, None)
    round_.stub_due = True
    back = Incident(code="cards-put-back", clause=policy.clause, place=at(place), reason="shoe", counted=there - right)
    round_.report(back, seen)


def early_in_hand(round_: Round, policy: Policy) -> bool:
    """Count cards that were dealt before their time; True, since the dealer has them in hand.

    Those that are kept or shuffled in again are counted when their time comes, with the burn before them.
    """
    step = next((step for step in round_.plan.steps[round_.at :] if isinstance(step, DealStep)), None)
    if step is None:
        return True
    if policy.then == "bury":
        if MUCK not in round_.ledger.hands or round_.ledger.hands[MUCK].step != step.name:
            _count_burn(round_, step)
            round_.ledger.by_hand(Due(MUCK, len(round_.live) * step.cards, step.name))
    elif policy.then == "set-aside" and not round_.aside:
        _count_burn(round_, step)
        round_.aside = step.cards
        round_.ledger.astray += step.cards
    return True


def _count_burn(round_: Round, before: DealStep) -> None:
    """Count the card burned before cards that do not play; another is burned before those that do."""
    index = round_.plan.order[before.name] - 1
    burn = round_.plan.steps[index] if index >= round_.at else None
    if isinstance(burn, BurnCardStep):
        round_.ledger.by_hand(Due(BURN, burn.cards, burn.name))


def run_out(round_: Round, policy: Policy, seen: Seen) -> Incident | None:
    """Report that the hand holds fewer cards than are due, and share out those that are left (47.1-1009(2)).

    None if there are enough, or the last were shared out before.
    """
    ledger = round_.ledger
    due = [each for each in round_.by_hand if each.place not in (BURN, COMMUNITY)]
    left = round_.plan.cards - ledger.dealt - sum(each.cards for each in round_.by_hand if each.place == BURN)
    wanted = sum(each.cards for each in due)
    if ledger.scrambled or round_.common_card or not due or wanted <= left:
        return None
    lying = ledger.hands[BURN].counted or 0 if BURN in ledger.hands else 0
    burned = lying + sum(each.cards for each in round_.by_hand if each.place == BURN)
    pool, by_hand = burned + min(left, 1), wanted - max(left - 1, 0)
    out = Incident(
        code="deck-runs-out", clause=policy.clause, reason="stop", place=REMAINDER.text, expected=wanted, left=left
    )
    round_.by_hand = due
    if policy.then.startswith("scramble") and pool >= by_hand:
        reason = "scramble-and-burn" if pool > by_hand else "scramble"
        out, burned = replace(out, reason=reason, burned=burned, by_hand=by_hand), pool - by_hand
    elif policy.then == "scramble-or-community" and left + burned > 1:
        out, burned = replace(out, reason="community", burned=burned), burned + min(left, 2) - 1
        round_.by_hand, round_.common_card = [Due(COMMUNITY, 1, due[0].step)], True
    elif policy.then != "misdeal":
        out, burned = replace(out, called="supervisor"), max(pool - by_hand, 0)
    ledger.scrambled = True
    ledger.lie_burned(burned)
    return round_.report(out, seen)
