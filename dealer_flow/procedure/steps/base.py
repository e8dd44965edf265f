"""What every step has, and what those have whose cards go out as soon as they begin."""

from collections.abc import Iterable, Iterator
from typing import ClassVar, Literal

from dealer_flow.procedure.complaints import Complaint, unknown_bets
from dealer_flow.procedure.steps.due import Due, RoundView
from dealer_flow.procedure.steps.views import CardsSoFar, ProcedureView
from dealer_flow.procedure.tables import Clause, Name, Recipient, SettlesPart, WhenPart
from dealer_flow.tomlfile import TomlTable
from protocol.tomlfile import Key


class Step(TomlTable):
    """What every step has. `name` is unique in the file. `settles`: bets that are settled once it is over and stay so,
    whatever voids the round later."""

    name: Name
    when: WhenPart | None = None
    settles: tuple[Name | SettlesPart, ...] = ()
    clause: Clause

    state: ClassVar[str]
    """The state a round is in meanwhile."""
    deals: ClassVar[bool] = False
    """Whether cards go out by it."""
    foreseen: ClassVar[bool] = False
    """Whether these are known before it begins, so that they may follow those of the step before at once."""
    places_key: ClassVar[str] = ""
    """The key that names whose cards it is about."""
    gives: ClassVar[bool] = False
    """Whether these have more cards after it."""

    @property
    def from_device(self) -> bool:
        """Whether it takes cards out of the device."""
        return self.deals

    @property
    def recipients(self) -> tuple[Recipient, ...]:
        """Whose cards it is about."""
        named: Recipient | tuple[Recipient, ...] = getattr(self, self.places_key, ())
        return (named,) if isinstance(named, str) else named

    @property
    def settling(self) -> tuple[SettlesPart, ...]:
        """The bets that are settled once it is over, and whose."""
        return tuple(SettlesPart(bet=row) if isinstance(row, str) else row for row in self.settles)

    @property
    def selects_first(self) -> bool:
        """Whether it waits for a place to be selected that gets the first cards."""
        return False

    def dues(self, view: RoundView) -> Iterator[Due]:
        """The cards that are due when it begins, as the round now stands."""
        yield from ()

    def most_cards(self, seats: int, most: int) -> int:
        """The most cards that go out with so many seats in play, of so many that there may be."""
        return 0

    def happen(self, so_far: CardsSoFar) -> None:
        """What it does with the cards."""

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Why it cannot follow the steps before it, and what it names that the procedure does not have."""
        yield from ()

    def words(self, game: ProcedureView) -> str:
        """What the dealer does, in a sentence or more."""
        raise NotImplementedError

    def brief(self) -> str:
        """The same in a few words; empty where no card moves and nobody chooses."""
        return ""


class DealtStep(Step):
    """Cards go out as soon as it begins. `only`: the bet for which they do; `origin = "hand"`: dealt by hand, no device
    sees it; the dealer confirms."""

    only: Name | None = None
    origin: Literal["device", "hand"] = "device"

    state = "dealing"
    deals = True
    foreseen = True

    @property
    def from_device(self) -> bool:
        """False where they are dealt by hand."""
        return self.origin == "device"

    def for_anybody(self, view: RoundView) -> bool:
        """False while all who are in play lack the bet that it is for."""
        return self.only is None or not view.live or any(self.only in view.wagers[number] for number in view.live)

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """A bet there is none of."""
        yield from unknown_bets((*key, "only"), filter(None, [self.only]), [bet.name for bet in game.bet])


def cards_needed(steps: Iterable[Step], seats: int, most: int) -> tuple[int, int]:
    """The most cards that leave the device, and that are dealt by hand, with so many seats in play."""
    device = by_hand = 0
    for step in steps:
        cards = step.most_cards(seats, most)
        device += cards if step.from_device else 0
        by_hand += 0 if step.from_device else cards
    return device, by_hand
