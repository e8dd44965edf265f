"""Cards that are burned while no burn is due.

One that comes before its time serves as the burn that comes next: no other is due in that step. Any further one lies
with the burned cards and serves as none.
"""

from collections.abc import Iterable
from typing import Final

from dealer_flow.play.course import laying
from dealer_flow.procedure.steps.burn_card import BurnCardStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.due import Due
from dealer_flow.table.round import CardMark, Round
from protocol.cards import Card
from protocol.places import BURN, COMMUNITY

_EXTRA: Final = CardMark("deal", BURN)
"""Mark of a burned card that serves as no burn."""


def next_burn(round_: Round) -> BurnCardStep | None:
    """Return the step whose burn a card is that is burned now, before its time; None if no burn comes next."""
    if round_.next_due is not None and not _deal_begun(round_):
        return None
    steps = round_.plan.steps[round_.at + round_.opened :]
    step = next((each for each in steps if each.deals), None)
    if not isinstance(step, BurnCardStep) or not step.from_device:
        return None
    return step if _serving(round_, step.name) < step.cards else None


def _deal_begun(round_: Round) -> bool:
    """Return True in the middle of a deal: the burn before it was made, so that one made now is that of the next."""
    due, last = round_.next_due, laying.laid(round_)[-1] if round_.from_shoe else None
    return due is not None and last is not None and last.place != BURN and last.step == due.step


def before_start(round_: Round) -> bool:
    """Return True before START GAME if the round begins with a burn, and the deck in the shoe is that of the round."""
    shoe = round_.shoes.current if round_.shoes is not None else None
    fresh = round_.plan.procedure.deck.fresh == "each-round" and shoe is not None and not shoe.rounds
    return fresh and not round_.in_play and next_burn(round_) is not None


def burn_now(round_: Round, card: Card) -> None:
    """Lay a card with the burned ones that is burned while no burn is due."""
    step = next_burn(round_)
    serves = step.name if step is not None else ""
    round_.marks[len(round_.from_shoe)] = CardMark("deal", BURN, serves)
    round_.from_shoe.append(card)
    round_.ledger.draw(card, Due(BURN, 1, serves or (round_.step.name if round_.step is not None else "")))


def serve(round_: Round, step: BurnCardStep) -> None:
    """Drop what is due in this step for each card that was burned before it began."""
    for _ in range(_serving(round_, step.name)):
        owed = [n for n in range(round_.given, len(round_.dues)) if _is_burn(round_.dues[n], step.name)]
        if owed:
            del round_.dues[owed[0]]


def extra(round_: Round) -> int:
    """Return the number of burned cards that serve as no burn."""
    return sum(mark == _EXTRA for mark in round_.marks.values())


def early(round_: Round) -> int | None:
    """Return the number, among the burned cards, of the last one that came before its time; None if none did."""
    burned = [index for index, due in enumerate(laying.laid(round_)) if due is not None and due.place == BURN]
    came = (n for n, index in enumerate(burned, 1) if index in round_.marks and round_.marks[index] != _EXTRA)
    return max(came, default=None)


# ------------------------------------------------------------------ back on top


def last_is_early(round_: Round) -> bool:
    """Return True if the card drawn last was burned while no burn was due, or may have been: no place was due it."""
    mark = round_.marks.get(len(round_.from_shoe) - 1)
    if mark is None:
        return False
    return (mark.why, mark.place) == ("deal", BURN) or (mark == laying.SPARE and next_burn(round_) is not None)


def last_is_stray(round_: Round) -> bool:
    """Return True if the card drawn last was burned, or may have been, and is dead since no deck of the game has it: a
    joker."""
    mark = round_.marks.get(len(round_.from_shoe) - 1)
    if mark is None or mark.why != "dead" or round_.plan.in_deck(round_.from_shoe[-1]):
        return False
    return mark.place == BURN or round_.next_due is None


def put_back(round_: Round) -> None:
    """Take back the card drawn last, which was burned while no burn was due, or is a joker; its burn is due as
    before."""
    mark = round_.marks.pop(len(round_.from_shoe) - 1)
    round_.from_shoe.pop()
    if mark.why == "deal" and mark.place == BURN:
        round_.ledger.hands[BURN].put_back()
        _owe(round_, mark.step)


# ------------------------------------------------------------------ what a person reports, counts or shows


def claim(round_: Round, card: Card | None) -> bool:
    """Place a card with the burned ones that was burned while no burn was due; False if none is known.

    It is the card with this face, otherwise one that no place was due. The cards after it belong one place earlier.
    """
    known = [index for index, face in enumerate(round_.from_shoe) if face == card]
    spares = laying.spares(round_)
    index = known[-1] if known else next(iter(spares), None)
    if index is None:
        return False
    due = laying.laid(round_)[index]
    if due is not None and due.place == BURN:
        return True
    if due is not None:
        laying.burn(round_, index, "")
    elif index in spares:
        _claim_spare(round_, index, named=bool(known))
    return due is not None or index in spares


def _claim_spare(round_: Round, index: int, *, named: bool) -> None:
    """Take a card that no place was due for the burn that a later card was taken for, or for the one that comes next.

    If there is neither, a card too many came in the last street: its first one was burned, unless another is `named`.
    """
    later = laying.laid(round_)[index:]
    of = next((due.step for due in later if due is not None and due.place == BURN and due.step), None)
    first = _street(round_)
    if of is None:
        of = _burn_after(round_, first)
    if of is not None:
        laying.burn(round_, index, of, due=any(_is_burn(due, of) for due in round_.dues))
    else:
        laying.burn(round_, index if named or first is None else first, "")


def _burn_after(round_: Round, first: int | None) -> str | None:
    """Return the step that burns a card after the street whose first card this is; None if no burn comes next."""
    due = laying.laid(round_)[first] if first is not None else None
    steps = round_.plan.steps[round_.plan.order[due.step] + 1 if due is not None else 0 :]
    step = next((each for each in steps if each.deals), None)
    burns = isinstance(step, BurnCardStep) and step.from_device and _serving(round_, step.name) < step.cards
    return step.name if step is not None and burns else None


def count(round_: Round, more: int) -> None:
    """Take a person's count of so many burned cards more than are known: each was burned while no burn was due."""
    for _ in range(more):
        if not claim(round_, None) and (first := _street(round_)) is not None:
            laying.burn(round_, first, "")


def shown_extra(round_: Round, cards: tuple[Card, ...]) -> bool:
    """Return True if the community cards shown have one that no place was due, but not the first one of their street.

    That one was burned, and is placed with the burned cards.
    """
    first, spares = _street(round_), laying.spares(round_)
    if first is None or not spares or round_.from_shoe[first] in cards or round_.from_shoe[spares[0]] not in cards:
        return False
    if (due := laying.laid(round_)[first]) is None or due.place != COMMUNITY:
        return False
    laying.burn(round_, first, "")
    return True


def lies_before(round_: Round) -> bool:
    """Return True if a card that no place was due came before the last card that was taken for a burn."""
    spares = laying.spares(round_)
    burned = [index for index, due in enumerate(laying.laid(round_)) if due is not None and due.place == BURN]
    return bool(spares and burned) and spares[0] < burned[-1]


# ------------------------------------------------------------------ cards of a street that came before their time


def to_come(round_: Round) -> int:
    """Return the number of cards that are still to be burned before the next cards are dealt."""
    return sum(step.cards - _serving(round_, step.name) for step in _next_burns(round_))


def serve_next(round_: Round, indexes: Iterable[int]) -> None:
    """Place these cards with the burned ones; each serves as a burn before the cards that are dealt next."""
    for index in indexes:
        step = next(each.name for each in _next_burns(round_) if _serving(round_, each.name) < each.cards)
        owed = any(_is_burn(due, step) for due in round_.dues[round_.given :])
        laying.burn(round_, index, step, due=owed)


def serving(round_: Round) -> list[int]:
    """Return the indexes of cards burned before their time that serve before the next cards."""
    names = [step.name for step in _next_burns(round_)]
    lying = (index for index, mark in round_.marks.items() if mark.why == "deal" and mark.place == BURN)
    return [index for index in lying if round_.marks[index].step in names]


def serve_no_more(round_: Round) -> None:
    """Let a card burned before its time serve as no burn, since the cards that followed it do not play.

    Another card is burned before those that do.
    """
    for index in serving(round_):
        step = round_.marks[index].step
        round_.marks[index] = CardMark("deal", BURN, round_.plan.steps[round_.at].name)
        later = (other for other, mark in round_.marks.items() if other > index and mark == _EXTRA)
        instead = next(later, None)
        if instead is None:
            _owe(round_, step)
        else:
            round_.marks[instead] = CardMark("deal", BURN, step)


def _next_burns(round_: Round) -> tuple[BurnCardStep, ...]:
    """Return the burns right before the deal under way, or before the next one."""
    steps = round_.plan.steps
    end = next((n for n in range(round_.at, len(steps)) if isinstance(steps[n], DealStep)), len(steps))
    burns: list[BurnCardStep] = []
    for step in reversed(steps[:end]):
        if not isinstance(step, BurnCardStep):
            break
        burns.append(step)
    return tuple(burns)


def _serving(round_: Round, step: str) -> int:
    """Return the number of cards that were burned before this step and serve as its burn."""
    return sum(mark == CardMark("deal", BURN, step) for mark in round_.marks.values())


def _owe(round_: Round, step: str) -> None:
    """Make the burn of a step due again if the step has begun; otherwise it becomes due when it does."""
    at = round_.plan.order.get(step, len(round_.plan.steps))
    if at < round_.at + round_.opened:
        round_.dues.insert(round_.given, Due(BURN, 1, step))


def _is_burn(due: Due, step: str) -> bool:
    return due.place == BURN and due.step == step


def _street(round_: Round) -> int | None:
    """Return the index of the first card of the step that dealt the last card; None if no card was dealt."""
    dues = laying.laid(round_)
    steps = [due.step if due is not None and due.place != BURN else "" for due in dues]
    last = next((step for step in reversed(steps) if step), None)
    return steps.index(last) if last is not None else None
