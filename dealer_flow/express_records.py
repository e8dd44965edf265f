"""The records that differ from round to round, made fast: what is in them was already compared.

Making a record checks every field, which costs several times what it costs to fill one that checks nothing and to say
then of which class it is. The result is the frozen record itself, equal to one that was checked.
"""

from typing import Any, Final

from dealer_flow.result import Hand, Record, RoundResult, Seat

_new: Final = object.__new__
_SEAT: Final = set(Seat.model_fields)
_HAND: Final = set(Hand.model_fields)
_ROUND: Final = set(RoundResult.model_fields)
"""One set for all records of a class: they are frozen, so nobody adds to it."""


class _Blank(Record):
    """A record that may still be filled. Both, because the interpreter sets attributes directly only then."""

    __setattr__ = object.__setattr__
    __delattr__ = object.__delattr__


class _BlankSeat(_Blank): ...


class _BlankHand(_Blank): ...


class _BlankRound(_Blank): ...


def seat_of(
    number: int, *, folds: bool, cards: tuple[str, ...], counted: int, decision: str | None, wagers: dict[str, int]
) -> Seat:
    """A seat that has the cards it should, and at most one choice."""
    seat: Any = _new(_BlankSeat)
    seat.seat = number
    seat.status = "folded" if folds else "live"
    seat.cards = cards
    seat.counted = seat.expected = counted
    seat.decision = decision
    seat.decisions = ()
    seat.wagers = wagers
    seat.returned = {}
    seat.__pydantic_fields_set__ = _SEAT
    seat.__pydantic_extra__ = seat.__pydantic_private__ = None
    seat.__class__ = Seat
    made: Seat = seat
    return made


def hand_of(cards: tuple[str, ...], counted: int) -> Hand:
    """The dealer's hand, with the cards it should have."""
    hand: Any = _new(_BlankHand)
    hand.cards = cards
    hand.counted = hand.expected = counted
    hand.__pydantic_fields_set__ = _HAND
    hand.__pydantic_extra__ = hand.__pydantic_private__ = None
    hand.__class__ = Hand
    made: Hand = hand
    return made


def round_of(**content: Any) -> RoundResult:
    """A round from all its fields."""
    result: Any = _new(_BlankRound)
    result.__dict__ = content
    result.__pydantic_fields_set__ = _ROUND
    result.__pydantic_extra__ = result.__pydantic_private__ = None
    result.__class__ = RoundResult
    made: RoundResult = result
    return made
