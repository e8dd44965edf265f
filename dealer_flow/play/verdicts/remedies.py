"""Remedies for a card that must not stay where it is.

It is dead and the next takes its place, it goes back into the deck, it is set aside, or it counts as the card that is
due next.
"""

from dealer_flow.play.course import burns, laying
from dealer_flow.play.course.face_up import lie_open
from dealer_flow.play.course.steps import deal_ahead
from dealer_flow.play.verdicts.in_hand import deal_again, early_in_hand
from dealer_flow.procedure.plan import Policy
from dealer_flow.procedure.steps.burn_card import BurnCardStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.due import Due
from dealer_flow.procedure.steps.show import ShowStep
from dealer_flow.record.incidents import Incident, at
from dealer_flow.table.hand import Hand
from dealer_flow.table.round import CardMark, Round
from devices.events import Mishap, Seen
from protocol.cards import Card
from protocol.places import BURN, MUCK, Place

REMEDIES = frozenset({"replace", "complete", "reshuffle", "set-aside", "kept", "bury", "stays-open"})
"""Consequences that fix what is wrong, so that play continues."""


def may_be(round_: Round, policy: Policy) -> bool:
    """Return False if the remedy is too late, or the device that deals cannot carry it out: a supervisor rules."""
    if policy.then not in REMEDIES or round_.over:
        return False
    revealing = round_.step is None or round_.step.do == "reveal"
    if revealing and any(hand.revealed is not None for hand in round_.ledger.hands.values()):
        return False
    return round_.plan.from_hand or round_.plan.from_shoe or policy.then == "reshuffle"


# ------------------------------------------------------------------ one card


def of_card(round_: Round, policy: Policy, place: Place, face: Card | None, seen: Seen, *, stray: bool = False) -> bool:
    """Apply the remedy to a card that is dead, dropped or misplaced; False if no card is known to be at the place.

    A `stray` card that lies face up is replaced at once (47.1-1037), any other as the policy says.
    """
    hand = round_.ledger.hands.get(place)
    if policy.then == "stays-open" and place.seat:
        round_.seen_last.add(place.seat)
        return True
    if hand is not None and hand.by_hand:
        return True  # the dealer replaces it from the deck in hand, unseen by any device
    if round_.plan.from_hand and (hand is None or not hand.counted):
        return False  # the dealer holds the deck: no card lies there that could go back
    if not round_.plan.from_shoe:
        return _anew(round_, place, policy, seen)
    index = laying.find(round_, place, face)
    if index is None and (spares := laying.spares(round_)):
        index = spares[-1]
    if index is None:
        return False
    sure = face in round_.from_shoe or hand is None or (hand.counted or 0) <= 1
    there = () if sure else tuple(card for card, due in laying.lying(round_) if due.place == place)
    if policy.then == "reshuffle" and policy.back != "card" and hand is not None:
        miscount(round_, policy, hand, 0, seen)  # all cards of its step go back, not only this one
        return True
    if hand is not None and not sure:
        _doubt(round_, hand, index)
    due = laying.laid(round_)[index]
    if policy.then == "complete" and not (stray and due is not None and lie_open(round_, due)):
        if stray and not policy.lap:
            deal_ahead(round_)
        laying.replace_later(round_, index, lap=policy.lap, joker=stray)
    elif policy.then == "reshuffle":
        laying.replace_at_once(round_, index, back=True)
        _into_deck(round_, policy, place, (round_.from_shoe[index],), seen, among=there)
    else:
        laying.replace_at_once(round_, index)
    return True


def _doubt(round_: Round, hand: Hand, index: int) -> None:
    """Forget the faces of a hand, since it is not known which of its cards is gone."""
    hand.recognised = ()
    if index < len(round_.from_shoe) - 1:
        round_.ledger.forget_places()


def complete(round_: Round, hand: Hand, missing: int) -> None:
    """Give the hand its missing cards after all others have theirs."""
    cards = [Due(hand.place, 1, hand.step, "complete")] * missing
    if round_.plan.from_hand:
        round_.by_hand += cards
    else:
        at = laying.before_burn(round_, hand.step)
        round_.dues[at:at] = cards


def owed(round_: Round, place: Place) -> int:
    """Return the number of cards that are still due to complete the hand at a place."""
    waiting = (*round_.dues[round_.given :], *round_.by_hand)
    return sum(due.cards for due in waiting if due.place == place and due.why == "complete")


# ------------------------------------------------------------------ too many cards, or a wrong number


def miscount(round_: Round, policy: Policy, hand: Hand, off: int, seen: Seen) -> None:
    """Put cards back into the deck from a place that has `off` too many (too few if negative): those, or all of the
    step."""
    if round_.plan.from_hand:
        deal_again(round_, policy, hand, seen)
        return
    if not round_.plan.from_shoe:
        _anew(round_, hand.place, policy, seen)
        return
    extra = [n for n, mark in round_.marks.items() if mark.why == "extra" and mark.place == hand.place]
    gone = extra[-off:] if off > 0 else []
    if policy.back != "card":
        gone = _of_step(round_, hand, policy)
        rest = round_.dues[round_.given :]
        round_.dues[round_.given :] = [due for due in rest if due.why != "complete" or due.place != hand.place]
    cards = laying.take_back(round_, gone)
    if policy.back != "card" and off < 0:  # cards that never came are due again, too
        due = [number for number, due in enumerate(round_.dues) if due.place == hand.place]
        after = due[-1] + 1 if due else round_.given
        round_.dues[after:after] = [Due(hand.place, 1, hand.step)] * -off
        hand.expected += off
    hand.person_count, hand.judged = None, 0
    if cards:
        _into_deck(round_, policy, hand.place, cards, seen)


def unshown_deal(round_: Round, place: Place) -> int | None:
    """Return the index of the step whose cards should have been shown before those that are dealt now.

    None if they were shown, or if the next card is due elsewhere.
    """
    hand, due, kind = round_.ledger.hands.get(place), round_.next_due, round_.plan.kind(place)
    if hand is None or due is None or not round_.plan.from_shoe or (due.place, due.step) != (place, hand.step):
        return None
    steps = round_.plan.steps[: round_.at]
    shows = [index for index, step in enumerate(steps) if isinstance(step, ShowStep) and kind in step.of]
    if not shows or round_.open.get(place, 0):
        return None
    deals = [index for index, step in enumerate(steps[: shows[-1]]) if isinstance(step, DealStep) and kind in step.to]
    return deals[-1] if deals else None


def deal_anew(round_: Round, policy: Policy, hand: Hand, first: int, seen: Seen) -> None:
    """Put all cards of a place back; the step that dealt the first of them deals again."""
    later, place = hand.step, hand.place
    gone = [index for index, due in enumerate(laying.laid(round_)) if due is not None and due.place == place]
    cards = laying.take_back(round_, gone)
    rest = round_.dues[round_.given :]
    round_.dues[round_.given :] = [due for due in rest if (due.place, due.step) != (place, later)]
    round_.go_to(first, opened=True)
    round_.stages.pop(place, None)
    hand.person_count, hand.judged = None, 0
    _into_deck(round_, policy, place, cards, seen)


def _of_step(round_: Round, hand: Hand, policy: Policy) -> list[int]:
    """Return the cards that this step dealt to the place, and the one burned before them if it goes back, too."""
    dues = laying.laid(round_)
    gone = [n for n, due in enumerate(dues) if due is not None and due.place == hand.place and due.step == hand.step]
    if policy.back == "step-and-burn" and gone:
        burned = [n for n, due in enumerate(dues[: gone[0]]) if due is not None and due.place == BURN]
        gone = [*burned[-1:], *gone]
    return gone


def _into_deck(
    round_: Round, policy: Policy, place: Place, cards: tuple[Card, ...], seen: Seen, *, among: tuple[Card, ...] = ()
) -> None:
    """Put cards back into the deck, which is shuffled: they may come again.

    If it is not known which cards they are, they are `among` these.
    """
    round_.stub_due = True
    if round_.shoes is not None:
        round_.shoes.on_table().take_back(cards, among=among)
    round_.ledger.forget_faces(place, cards)
    round_.open.pop(place, None)
    back = Incident(code="cards-put-back", clause=policy.clause, place=at(place), reason="shoe", counted=len(cards))
    round_.report(back, seen)


# ------------------------------------------------------------------ dealt too early


def early(round_: Round, policy: Policy, place: Place, face: Card | None, seen: Seen) -> bool:
    """Apply the remedy to cards that were dealt early; False if none is known."""
    if round_.plan.from_hand:
        return early_in_hand(round_, policy)
    if not round_.plan.from_shoe:
        if not round_.ledger.unplaced:
            return False
        round_.ledger.shuffled_in = round_.ledger.astray
        return _anew(round_, place, policy, seen)
    spares = [n for n in laying.spares(round_) if face is None or round_.from_shoe[n] == face] or laying.spares(round_)
    if spares and policy.then == "bury":
        _bury(round_, spares)
        return True
    if not spares:
        return policy.then == "reshuffle" and of_card(round_, policy, place, face, seen)
    if policy.then == "set-aside":
        spares = _burn_early(round_, spares)
    if policy.then == "reshuffle" and policy.back == "step":  # cards burned before them stay burned
        burned = _burned_before(round_, spares)
        burns.serve_next(round_, burned)
        spares = [index for index in spares if index not in burned]
    elif policy.then == "reshuffle":
        spares = [*burns.serving(round_), *spares]
    if policy.then == "reshuffle" or (policy.then == "set-aside" and _left(round_, place) <= len(spares)):
        _into_deck(round_, policy, place, laying.take_back(round_, spares), seen)
    elif policy.then == "kept":
        _keep(round_, place, spares)
    else:
        round_.marks.update(dict.fromkeys(spares, CardMark("aside", place)))
    return True


def _bury(round_: Round, cards: list[int]) -> None:
    """Bury cards of a street that came before the betting on the one before it.

    They are dead, and before the next street a card for each further player is discarded as well, so that the players
    get the cards of the next street, with its burn (47.1-1021).
    """
    gone = _burn_early(round_, cards)
    for index in gone:
        laying.discard(round_, index)
    round_.to_bury = max(len(round_.live) - len(gone), 0)
    _bury_rest(round_)


def _bury_rest(round_: Round) -> None:
    """Discard the cards to be buried once the next cards are due, before those."""
    step = round_.step
    if isinstance(step, DealStep | BurnCardStep) and round_.opened:
        round_.dues[round_.given : round_.given] = [Due(MUCK, 1, step.name)] * round_.to_bury
        round_.to_bury = 0


def _burn_early(round_: Round, cards: list[int]) -> list[int]:
    """Lay what was burned before cards that do not play with the burned cards; return the others.

    Another card is burned before those that play.
    """
    burned = _burned_before(round_, cards)
    step = round_.plan.steps[round_.at].name
    burns.serve_no_more(round_)
    laying.lies_at(round_, burned, BURN, step)
    return [index for index in cards if index not in burned]


def _keep(round_: Round, place: Place, cards: list[int]) -> None:
    """Keep the first of these early cards for the place, as many as the next step gives it; one burned before them is
    burned."""
    before = _burned_before(round_, cards)
    there = [index for index in cards if index not in before]
    kept = there[: _next_cards(round_, place)]
    if len(kept) < len(there):
        round_.ledger.forget_places()  # it is unknown which of them are here
    burns.serve_next(round_, before)
    round_.marks.update(dict.fromkeys(kept, CardMark("early", place)))


def _burned_before(round_: Round, cards: list[int]) -> list[int]:
    """Return the spare cards that were burned before the last of these cards was dealt."""
    return [index for index in laying.spares(round_) if index < cards[-1]][: burns.to_come(round_)]


def _next_cards(round_: Round, place: Place) -> int | None:
    """Return the number of cards from the next step that deals to this place; None if there is no such step."""
    kind = round_.plan.kind(place)
    steps = round_.plan.steps[round_.at + round_.opened :]
    return next((step.cards for step in steps if isinstance(step, DealStep) and kind in step.to), None)


def _to_come(round_: Round, place: Place) -> int:
    """Return the number of cards that later steps deal to this place."""
    kind = round_.plan.kind(place)
    steps = round_.plan.steps[round_.at + round_.opened :]
    return sum(step.cards for step in steps if isinstance(step, DealStep) and kind in step.to)


def _left(round_: Round, place: Place) -> int:
    """Return the number of cards that are due at this place, or will be."""
    return _to_come(round_, place) + sum(due.place == place for due in round_.dues[round_.given :])


def at_step(round_: Round) -> None:
    """Use a card that was dealt early when the step begins that deals it."""
    step = round_.step
    _bury_rest(round_)
    if not isinstance(step, DealStep | BurnCardStep) or not round_.marks:
        return
    if isinstance(step, BurnCardStep):
        burns.serve(round_, step)
    if isinstance(step, BurnCardStep) and any(
        mark.why == "aside" and _to_come(round_, mark.place) == 1 for mark in round_.marks.values()
    ):  # the last card comes from a reshuffled deck, and no burn is named for it
        round_.dues[round_.given :] = [due for due in round_.dues[round_.given :] if due.step != step.name]
    for place in {mark.place for mark in round_.marks.values() if mark.why in ("early", "aside")}:
        if not isinstance(step, DealStep) or round_.plan.kind(place) not in step.to:
            continue
        kept = [n for n, mark in round_.marks.items() if mark == CardMark("early", place)]
        laying.use(round_, kept, place, step.name)


def before_last(round_: Round, seen: Seen) -> None:
    """Put an early card that was set aside back into the deck before the last card of its place is dealt."""
    due = round_.next_due
    if due is None or not any(mark.why == "aside" for mark in round_.marks.values()):
        return
    aside = [n for n, mark in round_.marks.items() if mark == CardMark("aside", due.place)]
    if aside and _left(round_, due.place) == 1:
        row = round_.plan.mishap(Mishap.EARLY, round_.plan.kind(due.place), due.step)
        policy = row or Policy("set-aside", round_.plan.steps[round_.plan.order[due.step]].clause)
        _into_deck(round_, policy, due.place, laying.take_back(round_, aside), seen)


# ------------------------------------------------------------------ packets: the rest is dealt by hand


def _anew(round_: Round, place: Place, policy: Policy, seen: Seen) -> bool:
    """Put a packet back, to be shuffled by hand with the remaining cards, and deal by hand from there on."""
    hand, ledger = round_.ledger.hands.get(place), round_.ledger
    if hand is not None:
        round_.by_hand = [due for due in round_.by_hand if due.place != place]
        round_.by_hand.append(Due(place, hand.expected, hand.step))
        ledger.take_away(hand)
    round_.by_hand += round_.dues[round_.given :]
    del round_.dues[round_.given :]
    round_.dealt_by_hand, round_.stub_due = True, True
    round_.open.pop(place, None)
    back = Incident(code="cards-put-back", clause=policy.clause, place=at(place), reason="by-hand")
    round_.report(back, seen)
    return True
