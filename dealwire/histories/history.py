"""One hand as another program recorded it, in this project's words; amounts are whole numbers of `History.unit`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from dealwire.histories.forms import PokerForm
from devices.events import BettingAction
from protocol.cards import Card
from protocol.errors import DealwireError


class HistoryError(DealwireError):
    """Error of a history that cannot be read: the place, and what is wrong there."""

    def __init__(self, place: str, why: str) -> None:
        super().__init__(f"{place}: {why}")
        self.place, self.why = place, why


class Post(NamedTuple):
    """A bet put up before the first card."""

    seat: int
    bet: str
    amount: int


class Act(NamedTuple):
    """A player's action; `amount` lies in front of the seat afterwards, 0 for a call of whatever there is to call."""

    seat: int
    action: BettingAction
    amount: int = 0


class Thrown(NamedTuple):
    """Cards that a player discards, and those that come in their place; `??` where the record does not name them."""

    seat: int
    cards: tuple[Card, ...]
    drawn: tuple[Card, ...] = ()


class Showing(NamedTuple):
    """A hand at the showdown; no cards if it was thrown away unseen."""

    seat: int
    cards: tuple[Card, ...]


class Taken(NamedTuple):
    """A part of a pot that a seat took, as recorded; `pot` is the record's name of it."""

    seat: int
    pot: str
    amount: int


@dataclass
class Street:
    """A betting round, and the cards dealt before it."""

    board: tuple[Card, ...] = ()
    dealt: dict[int, tuple[Card, ...]] = field(default_factory=dict)
    """Cards of the seats, in a game that deals them from round to round."""
    thrown: list[Thrown] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)


@dataclass
class RecordedEnd:
    """Outcome as recorded; None where the record says nothing."""

    taken: list[Taken] | None = None
    """Parts of the pots, after the rake, without uncalled bets."""
    stacks: Mapping[int, int] | None = None
    """Chips of the seats after the hand."""
    back: dict[int, int] = field(default_factory=dict)
    """Uncalled bets that went back."""
    total: int | None = None
    """All pots together, before the rake."""
    rake: int | None = None


@dataclass
class History:
    """One hand. `unit` is the value of 1 in the record's own money, `place` the file and the hand in it."""

    place: str
    form: PokerForm
    stakes: dict[int, int]
    button: int | None = None
    name: str = ""
    unit: Fraction = Fraction(1, 100)
    posts: list[Post] = field(default_factory=list)
    streets: list[Street] = field(default_factory=list)
    showings: list[Showing] = field(default_factory=list)
    recorded: RecordedEnd = field(default_factory=RecordedEnd)
    not_expressible: str = ""
    """Reason that it cannot be played here; empty if nothing is known that forbids it."""
    as_posted: Callable[[], "History | HistoryError"] | None = None
    """The same hand if a blind that is all-in for less is called as it lies there; None if no blind is short."""

    @property
    def folded(self) -> set[int]:
        """Seats that folded in a betting round."""
        return {act.seat for street in self.streets for act in street.acts if act.action is BettingAction.FOLD}

    def street(self, number: int) -> Street:
        """Return the betting round with this number, from 0; it begins if it is not there."""
        while len(self.streets) <= number:
            self.streets.append(Street())
        return self.streets[number]
