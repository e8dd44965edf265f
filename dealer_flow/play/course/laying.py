"""Placement of the cards drawn from a shoe: each goes to the place that is due next, until somebody reports otherwise.

A dealer may fix an error first and report it afterwards, or report it first: both must lead to the same result. So
every card drawn is kept in order, and all are placed again after each such report. A card that somebody reports on is
*marked* (it is dead, it is one too many at a place, it went back into the deck) and takes no due; the others take the
dues in order, so every card after a marked one lies one place further. A card that no place was due is spare until
somebody reports where it lies or what happened to it.
"""

from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Final

from dealer_flow.play.course.cards_by_step import reached_step
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.due import Due
from dealer_flow.table.hand import Hand
from dealer_flow.table.round import CardMark, Round
from protocol.cards import Card
from protocol.places import BURN, COMMUNITY, Place

SPARE: Final = CardMark("spare")
_DEAD, _BACK = CardMark("dead"), CardMark("back")


def laid(round_: Round) -> list[Due | None]:
    """Return the due that each card drawn was taken for, in order; None for a card that lies at no place."""
    dues = iter(round_.dues)
    found: list[Due | None] = []
    for index in range(len(round_.from_shoe)):
        mark = round_.marks.get(index)
        if mark is None:
            found.append(next(dues, None))
        else:
            lies = mark.why in ("extra", "deal")
            found.append(Due(mark.place, 1, mark.step, "extra" if mark.why == "extra" else "deal") if lies else None)
    return found


def lying(round_: Round) -> list[tuple[Card, Due]]:
    """Return the cards drawn that lie at a place, each with the due it was taken for."""
    return [(card, due) for card, due in zip(round_.from_shoe, laid(round_), strict=True) if due is not None]


def lay(round_: Round, card: Card) -> Due | None:
    """Place a card where it is due; None if no place is due one: the card is spare."""
    due = round_.next_due
    round_.from_shoe.append(card)
    if due is None:
        round_.marks[len(round_.from_shoe) - 1] = SPARE
        _explain(round_)
        return None
    round_.ledger.draw(card, due)
    round_.given += 1
    reached_step(round_, due.step)
    return due


def _explain(round_: Round) -> None:
    """Explain a spare card: it is the last card of a hand that was counted with one too many, if no hand lacks one."""
    hands = [hand for hand in round_.ledger.hands.values() if hand.person_count is not None]
    more = {hand.place: (hand.person_count or 0) - (hand.device_count or 0) for hand in hands}
    long = [place for place, cards in more.items() if cards > 0]
    if len(long) == 1 and min(more.values()) >= 0:
        _hold(round_, long[0], min(more[long[0]], len(spares(round_))))


def spares(round_: Round) -> list[int]:
    """Return the indexes of cards that no place was due and no later report explains."""
    return [index for index, mark in round_.marks.items() if mark.why == "spare"]


def find(round_: Round, place: Place, face: Card | None = None) -> int | None:
    """Return the index of the card that a report means: one with this face, else the last one at the place.

    None if no card lies there.
    """
    there = [index for index, due in enumerate(laid(round_)) if due is not None and due.place == place]
    if (hand := round_.ledger.hands.get(place)) is not None and hand.counted == 0:
        there = []  # all cards dealt here were discarded
    if face is not None and face in round_.from_shoe:
        before = (CardMark("early", place), CardMark("aside", place))
        waits = [index for index, mark in round_.marks.items() if mark in before and round_.from_shoe[index] == face]
        if waits:
            return waits[-1]
        known = [index for index in there if round_.from_shoe[index] == face]
        gone = [index for index, card in enumerate(round_.from_shoe) if card == face and _moves(round_, index)]
        there = known or gone or there
    return there[-1] if there else None


def _moves(round_: Round, index: int) -> bool:
    return index not in round_.marks or round_.marks[index].why in ("spare", "extra")


# ------------------------------------------------------------------ a card that does not play


def replace_at_once(round_: Round, index: int, *, back: bool = False) -> None:
    """Mark a card as dead, or `back` in the deck; the next card takes its place, whether drawn already or not.

    If all cards of its step are out and no spare one followed, it has not been replaced yet: the replacement comes
    after them.
    """
    due, following = laid(round_)[index], round_.next_due
    deals = due is not None and following is not None and following.step == due.step
    deals = deals or (due is not None and _community_begun(round_, due))
    if due is not None and not deals and max(spares(round_), default=-1) <= index:
        replace_later(round_, index, back=back)
        return
    before = laid(round_)
    _owe_again(round_, index)
    _mark(round_, index, _BACK if back else _dead(before[index]))
    _settle(round_, before)


def _dead(due: Due | None) -> CardMark:
    """Return the mark of a dead card; that of a burned one says so, since it may be laid back on top."""
    return CardMark("dead", BURN) if due is not None and due.place == BURN else _DEAD


def discard(round_: Round, index: int) -> None:
    """Send a card that no place was due to the discards."""
    _mark(round_, index, _DEAD)


def _owe_again(round_: Round, index: int) -> None:
    """Make the due of a card that was dealt early the next due again.

    A burned card that serves as no burn is not replaced, and one whose step has yet to begin is due then.
    """
    mark = round_.marks.get(index)
    if mark is not None and mark.why == "deal" and _begun(round_, mark.step):
        round_.dues.insert(round_.given, Due(mark.place, 1, mark.step))


def _begun(round_: Round, step: str) -> bool:
    """Return True if this step is under way or over; False for the name of no step."""
    return round_.plan.order.get(step, round_.at + 1) < round_.at + round_.opened


def replace_later(round_: Round, index: int, *, back: bool = False, lap: bool = False, joker: bool = False) -> None:
    """Mark a card as dead, or `back` in the deck; its place gets another one after all others have theirs.

    With `lap` the replacement comes at the end of the lap around the table in which the card came. That of a `joker`
    comes after those of the other players' cards, too.
    """
    before, completes = laid(round_), False
    ahead = index in round_.marks and not _begun(round_, round_.marks[index].step)
    if index not in round_.marks:
        number = sum(other not in round_.marks for other in range(index))
        after = _lap_end(round_, number) if lap else _others_end(round_, round_.dues[number])
        after = after if lap or not joker else _players_end(round_, after)
        due = round_.dues[number]
        completes = due.why != "exchange"
        due = due._replace(why="complete") if due.why == "deal" else due
        round_.dues.insert(after if joker else _before_jokers(round_, after, due), due._replace(last=joker))
        del round_.dues[number]
    elif round_.marks[index].why == "deal" and not ahead:
        completes = True
        due = Due(round_.marks[index].place, 1, round_.marks[index].step, "complete", last=joker)
        after = before_burn(round_, due.step)
        round_.dues.insert(after if joker else _before_jokers(round_, after, due), due)
    _mark(round_, index, _BACK if back else _dead(before[index]))
    _settle(round_, before)
    if (lay := before[index]) is not None and lay.why == "deal" and not ahead:
        hand = round_.ledger.hand(lay.place)
        hand.expected, hand.judged = hand.expected + 1, hand.judged - completes


def _before_jokers(round_: Round, after: int, due: Due) -> int:
    """Return the index of a card for a player before those that replace jokers: all other players get theirs first
    (47.1-1037). A card of the house keeps its place."""
    while due.place.seat and after > round_.given and round_.dues[after - 1].last:
        after -= 1
    return after


def before_burn(round_: Round, step: str) -> int:
    """Return the index among the dues at which a card is burned for a later step.

    Up to there a hand of this step is completed.
    """
    to_come = range(round_.given, len(round_.dues))
    burns = (at for at in to_come if round_.dues[at].place == BURN and round_.dues[at].step != step)
    return next(burns, len(round_.dues))


def _others_end(round_: Round, due: Due) -> int:
    """Return the index among the dues at which all other places have their cards.

    In a game in which players bet against each other, the community cards dealt after the players' are a street of
    their own: a player's hand gets its card before them.
    """
    after, following = before_burn(round_, due.step), round_.next_due
    if round_.plan.betting is None or due.place.seat is None or following is None or following.place != COMMUNITY:
        return after
    while after and (round_.dues[after - 1].place, round_.dues[after - 1].step) == (COMMUNITY, following.step):
        after -= 1
    return after


def _players_end(round_: Round, after: int) -> int:
    """Return the index among the dues, up to `after`, at which all players have their cards: steps that deal to no
    player come later (47.1-1037)."""
    steps, order = round_.plan.steps, round_.plan.order
    while after and "seats" not in steps[order[round_.dues[after - 1].step]].recipients:
        after -= 1
    return after


def _community_begun(round_: Round, due: Due) -> bool:
    """Return True if community cards are being dealt, and one of them seems to have come, after a player's card."""
    return _others_end(round_, due) < round_.given


def _lap_end(round_: Round, number: int) -> int:
    """Return the index at which the lap of this due ends: before the next card that goes to a place a second time."""
    step = round_.plan.steps[round_.plan.order[round_.dues[number].step]]
    if not isinstance(step, DealStep) or step.by != "single":
        return len(round_.dues)
    places: set[Place] = set()
    for at, due in enumerate(round_.dues):
        if due.step != step.name and at > number:
            return at
        if due.step == step.name and due.why == "deal":
            if due.place in places:
                places.clear()
                if at > number:
                    return at
            places.add(due.place)
    return len(round_.dues)


def take_back(round_: Round, indexes: Iterable[int]) -> tuple[Card, ...]:
    """Put cards back into the deck, make what they were taken for due again, and return the cards."""
    before = laid(round_)
    gone = [index for index in indexes if round_.marks.get(index) != _BACK]
    for index in gone:
        _owe_again(round_, index)
    round_.marks.update(dict.fromkeys(gone, _BACK))
    _settle(round_, before)
    return tuple(round_.from_shoe[index] for index in gone)


def take_spares(round_: Round) -> None:
    """Take spare cards for what is due now."""
    before, owed = laid(round_), len(round_.dues) - round_.given
    for due in round_.dues[round_.given :]:
        _covers(round_, due.place)
    for index in spares(round_)[:owed]:
        del round_.marks[index]
    _settle(round_, before)


def unburn(round_: Round, step: str) -> None:
    """Undo the burn of this step, which burned no card: the card taken for it is the first one that followed."""
    own = [number for number, due in enumerate(round_.dues) if due.place == BURN and due.step == step]
    before = laid(round_)
    del round_.dues[own[-1]]
    _settle(round_, before)
    for hand in round_.ledger.hands.values():
        if hand.revealed is not None and len(hand.revealed) < (hand.device_count or 0):
            hand.opened, hand.revealed = hand.revealed, None  # the cards shown are no longer the whole hand


def use(round_: Round, indexes: Iterable[int], place: Place, step: str) -> None:
    """Take these cards, which were dealt early, for what this step owes the place next."""
    before = laid(round_)
    for index in indexes:
        owed = [n for n in range(round_.given, len(round_.dues)) if round_.dues[n].place == place]
        if not owed:
            break
        round_.dues.pop(owed[0])
        round_.marks[index] = CardMark("deal", place, step)
        _covers(round_, place)
    _settle(round_, before)


def burn(round_: Round, index: int, step: str, *, due: bool = False) -> None:
    """Place a card with the burned ones; with `due` it takes the burn of this step from the card that was taken for
    it."""
    before = laid(round_)
    if due:
        own = [number for number, each in enumerate(round_.dues) if each.place == BURN and each.step == step]
        del round_.dues[own[-1]]
    _mark(round_, index, CardMark("deal", BURN, step))
    _settle(round_, before)


def lies_at(round_: Round, indexes: Iterable[int], place: Place, step: str) -> None:
    """Place these cards in addition to those that are due there."""
    before = laid(round_)
    round_.marks.update(dict.fromkeys(indexes, CardMark("deal", place, step)))
    _settle(round_, before)


def _covers(round_: Round, place: Place) -> None:
    """Reopen a hand that is visible, since a card joins it: the cards shown are no longer the whole hand."""
    hand = round_.ledger.hands.get(place)
    if hand is not None and hand.revealed is not None:
        hand.opened, hand.revealed = hand.revealed, None


def _mark(round_: Round, index: int, mark: CardMark) -> None:
    """Mark a card so that it takes no due; the next spare card after it takes one instead."""
    took = index not in round_.marks
    round_.marks[index] = mark
    later = [spare for spare in spares(round_) if spare > index]
    if took and later:
        del round_.marks[later[0]]


# ------------------------------------------------------------------ counts


def count(round_: Round, place: Place, counted: int) -> None:
    """Take a count of the cards at a place, and place the cards drawn again if it shows how they lie."""
    hand = round_.ledger.hands.get(place)
    if hand is None or not round_.plan.from_shoe:
        return
    more = counted - (hand.counted or 0)
    if more > 0:
        _hold(round_, place, more)
    elif more < 0:
        _skip(round_, place, counted)
    else:
        _stop(round_, place)


def _hold(round_: Round, place: Place, more: int) -> None:
    """Give a place that has too many cards those that came right after its last one: every later hand got its card
    later.

    Nothing moves if no more cards were drawn than were due so far: then another hand is short of them.
    """
    before = laid(round_)
    there = [index for index, due in enumerate(before) if due is not None and due.place == place]
    later = [index for index in range(there[-1] + 1, len(before)) if _moves(round_, index)] if there else []
    if len(later) < more or not (_goes_on(round_, place, before) or max(spares(round_), default=-1) > there[-1]):
        return
    step = round_.ledger.hands[place].step
    for index in later[:more]:
        _mark(round_, index, CardMark("extra", place, step))
    _settle(round_, before, certain=there == [*range(there[0], later[0])], counted=True)


def _stop(round_: Round, place: Place) -> None:
    """Stop the deal to a place that is counted while it alone is due cards, or in the middle of those it gets at
    once."""
    rest, hand = round_.dues[round_.given :], round_.ledger.hands[place]
    own = list(takewhile(lambda due: due.place == place and due.why == "deal", rest))
    step = next((step for step in round_.plan.steps if own and step.name == own[0].step), None)
    # otherwise the place is counted before its card comes
    begun = own and (not hand.counted or own[0].step == hand.step)
    if begun and (len(own) == len(rest) or getattr(step, "by", "") == "packet"):
        if getattr(step, "by", "") == "single" and hand.counted:
            round_.ledger.forget_places()  # cards may have gone elsewhere if it was passed over before
        hand.expected, hand.step = hand.expected + len(own), own[0].step
        del round_.dues[round_.given : round_.given + len(own)]


def _deals(round_: Round, place: Place) -> bool:
    """Return True if the step that gave this place its cards has more to deal."""
    due = round_.next_due
    return due is not None and due.why != "complete" and due.step == round_.ledger.hands[place].step


def _goes_on(round_: Round, place: Place, dues: list[Due | None]) -> bool:
    """Return True if the deal that gave this place its cards is still under way, or the next step followed at once."""
    if _deals(round_, place):
        return True
    step = round_.ledger.hands[place].step
    hands = round_.ledger.hands.values()
    if any(hand.person_count is not None and hand.person_count < hand.expected for hand in hands):
        return False  # this hand has the card that another one lacks
    order, last = round_.plan.order, next((due for due in reversed(dues) if due is not None), None)
    return last is not None and step in order and last.step in order and order[last.step] > order[step]


def _skip(round_: Round, place: Place, counted: int) -> None:
    """Pass over a place with too few cards: every later card lies one place further on.

    If every hand has what it is due, the card lies elsewhere, and nothing moves.
    """
    hand = round_.ledger.hands[place]
    held = any(mark.why == "extra" and mark.step == hand.step for mark in round_.marks.values())
    if not (_deals(round_, place) or (held and round_.next_due is not None)):
        return
    while (hand.device_count or 0) > counted and round_.next_due is not None:
        before, had = laid(round_), hand.device_count
        own = [number for number, due in enumerate(round_.dues[: round_.given]) if due.place == place]
        due = round_.dues.pop(own[-1]) if own else None
        if due is None:
            break
        _settle(round_, before, certain=False, counted=True)
        hand.expected += due.why == "deal"  # it should still have it
        if due.why != "deal" and hand.device_count == had:
            break


def rename(round_: Round, homes: Mapping[Place, Place]) -> None:
    """Move the dues and marks of these places to others, from now on."""
    round_.dues = [due._replace(place=homes.get(due.place, due.place)) for due in round_.dues]
    round_.marks = {n: mark._replace(place=homes.get(mark.place, mark.place)) for n, mark in round_.marks.items()}


def met(round_: Round, place: Place) -> None:
    """Drop the dues that would complete a place, which has its number of cards."""
    rest = round_.dues[round_.given :]
    round_.dues[round_.given :] = [due for due in rest if due.place != place or due.why != "complete"]


def deals_around(round_: Round, place: Place) -> bool:
    """Return True if single cards of a shoe are still being dealt around the table and this hand is one that gets
    them."""
    due, hand = round_.next_due, round_.ledger.hands.get(place)
    if due is None or hand is None or not round_.plan.from_shoe or place.seat is None:
        return False
    step = round_.plan.steps[round_.plan.order[due.step]]
    return isinstance(step, DealStep) and step.by == "single" and due.why == "deal" and hand.step == step.name


def deal_out(round_: Round, place: Place) -> None:
    """Drop a dead hand from the single cards that are still dealt around the table."""
    if deals_around(round_, place):
        rest = round_.dues[round_.given :]
        round_.dues[round_.given :] = [due for due in rest if due.place != place]


def give_next(round_: Round, hand: Hand, missing: int) -> None:
    """Make the next cards due to this hand, before the deal continues around the table."""
    round_.dues[round_.given : round_.given] = [Due(hand.place, 1, hand.step)] * missing
    hand.expected, hand.judged = hand.expected - missing, 0


# ------------------------------------------------------------------ laid again


def _settle(round_: Round, before: list[Due | None], *, certain: bool = True, counted: bool = False) -> None:
    """Update the hands after the cards were placed again.

    Unless it is `certain` which card lies where, the faces that the shoe read are dropped from every hand. If a
    person's count says so (`counted`), no card moved, and counts stay.
    """
    free = [index for index in range(len(round_.from_shoe)) if index not in round_.marks]
    for index in free[len(round_.dues) :]:
        round_.marks[index] = SPARE
    round_.given = min(len(free), len(round_.dues))
    after = laid(round_)
    moved = [index for index in range(len(after)) if before[index] != after[index]]
    for index in moved:
        for due, sign in ((before[index], -1), (after[index], +1)):
            if due is not None:
                hand = round_.ledger.hand(due.place)
                hand.lay(due, sign, since_count=not counted or index >= hand.counted_at)
    for place in {due.place for index in moved for due in (before[index], after[index]) if due is not None}:
        hand = round_.ledger.hand(place)
        if hand.recognised == _faces(round_, before, place):
            hand.recognised = _faces(round_, after, place)
        else:
            hand.recognised = ()
    if not certain:
        round_.ledger.forget_places()


def _faces(round_: Round, dues: list[Due | None], place: Place) -> tuple[Card, ...]:
    lying = zip(round_.from_shoe, dues, strict=True)
    return tuple(card for card, due in lying if due is not None and due.place == place)
