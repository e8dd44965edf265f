"""Base of all steps, and of those whose cards go out as soon as they begin."""

from collections.abc import Iterable, Iterator
from typing import ClassVar, Literal

from dealer_flow.procedure.complaints import Complaint, unknown_bets
from dealer_flow.procedure.steps.due import Due, RoundView
from dealer_flow.procedure.steps.views import CardsSoFar, ProcedureView
from dealer_flow.procedure.tables import Clause, Name, Recipient, SettlesPart, WhenPart
from dealer_flow.tomlfile import TomlTable
from protocol.tomlfile import Key


class Step(TomlTable):
    """Base of all steps."""

    name: Name
    """Name of the step, unique in the file."""
    when: WhenPart | None = None
    """The step exists under this reading only."""
    settles: tuple[Name | SettlesPart, ...] = ()
    """Bets that are settled once the step is over and stay so even if the round is void later."""
    clause: Clause

    state: ClassVar[str]
    """State of the round while the step is under way."""
    deals: ClassVar[bool] = False
    """True if the step deals cards."""
    foreseen: ClassVar[bool] = False
    """True if the cards are known before the step begins, so that they may follow those of the step before at once."""
    places_key: ClassVar[str] = ""
    """Key that names the recipients of the step."""
    gives: ClassVar[bool] = False
    """True if the recipients have more cards after the step."""

    @property
    def from_device(self) -> bool:
        """True if the step takes cards out of the device."""
        return self.deals

    @property
    def recipients(self) -> tuple[Recipient, ...]:
        """Recipients that the step is about."""
        named: Recipient | tuple[Recipient, ...] = getattr(self, self.places_key, ())
        return (named,) if isinstance(named, str) else named

    @property
    def settling(self) -> tuple[SettlesPart, ...]:
        """Bets that are settled once the step is over, with the choices they depend on."""
        return tuple(SettlesPart(bet=row) if isinstance(row, str) else row for row in self.settles)

    @property
    def selects_first(self) -> bool:
        """True if the step waits until the place of the first cards is selected."""
        return False

    def dues(self, view: RoundView) -> Iterator[Due]:
        """Yield the cards that are due when the step begins, given the state of the round."""
        yield from ()

    def most_cards(self, seats: int, most: int) -> int:
        """Return the largest number of cards the step deals with `seats` seats in play, out of `most` possible."""
        return 0

    def happen(self, so_far: CardsSoFar) -> None:
        """Apply what the step does with the cards."""

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Yield why the step cannot follow those before it, and names in it that the procedure does not have."""
        yield from ()

    def words(self, game: ProcedureView) -> str:
        """Return the instruction for the dealer, one or more sentences."""
        raise NotImplementedError

    def brief(self) -> str:
        """Return the step in a few words; empty if no card moves and no one chooses."""
        return ""


class DealtStep(Step):
    """Base of steps whose cards go out as soon as they begin."""

    only: Name | None = None
    """The bet without which no cards go out: a seat in play must have it."""
    origin: Literal["device", "hand"] = "device"
    """`hand`: dealt by hand, unseen by any device; the dealer confirms."""

    state = "dealing"
    deals = True
    foreseen = True

    @property
    def from_device(self) -> bool:
        """False if the cards are dealt by hand."""
        return self.origin == "device"

    def for_anybody(self, view: RoundView) -> bool:
        """Return False if no seat in play has the bet that the step is for."""
        return self.only is None or not view.live or any(self.only in view.wagers[number] for number in view.live)

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Yield an error for an unknown bet."""
        yield from unknown_bets((*key, "only"), filter(None, [self.only]), [bet.name for bet in game.bet])


def cards_needed(steps: Iterable[Step], seats: int, most: int) -> tuple[int, int]:
    """Return the most cards that leave the device, and the most dealt by hand, with `seats` seats in play."""
    device = by_hand = 0
    for step in steps:
        cards = step.most_cards(seats, most)
        device += cards if step.from_device else 0
        by_hand += 0 if step.from_device else cards
    return device, by_hand
