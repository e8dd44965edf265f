"""The kinds of steps a game is dealt in: what each may say, and what it means."""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Final, Literal, NamedTuple, Protocol, get_args

from pydantic import Field

from dealer_flow.procedure.tables import Clause, Name, Part, Recipient, WhenPart
from protocol.places import BURN, DEALER, Place, seat


class Due(NamedTuple):
    """Cards that come next: so many to `place`, by this step. `why`: they are dealt, they replace discards, or they
    complete a hand that was short. `at_most`: fewer may come, since the house decides how many it exchanges."""

    place: Place
    cards: int
    step: str
    why: Literal["deal", "exchange", "complete"] = "deal"
    at_most: bool = False


class Layout(Protocol):
    """Where cards may lie, as far as steps ask: a `Plan`."""

    most_seats: int
    from_shoe: bool

    def place(self, recipient: Recipient) -> Place:
        """Where the cards of a recipient that is no seat lie."""

    def around(self) -> Sequence[Place]:
        """The places around the table clockwise, the dealer first."""


class TableView(Protocol):
    """A round as far as steps ask: the flow's `Round`, or what a simulated dealer knows."""

    @property
    def plan(self) -> Layout:
        """Where cards may lie."""

    @property
    def active(self) -> Sequence[int]:
        """Seats dealt in."""

    @property
    def live(self) -> Sequence[int]:
        """Those of them that neither folded nor are dead."""

    @property
    def drawing(self) -> Sequence[int]:
        """Those of them that get further cards: live, and not done with choosing."""

    @property
    def first(self) -> int | None:
        """The seat selected to get the first cards, 0 for the dealer."""

    @property
    def wagers(self) -> Mapping[int, Container[str]]:
        """The bets of every seat dealt in."""

    def draws(self, number: int) -> int:
        """How many cards the seat asked for in the last step that let it choose."""


class Step(Part):
    """What every step has. `name` is unique in the file."""

    name: Name
    when: WhenPart | None = None
    clause: Clause

    state: ClassVar[str]
    """The state a round is in meanwhile."""
    deals: ClassVar[bool] = False
    """Whether cards go out by it."""

    @property
    def from_device(self) -> bool:
        """Whether it takes cards out of the device."""
        return False

    def dues(self, view: TableView) -> Iterator[Due]:
        """The cards that are due when it begins, as the round now stands."""
        yield from ()


def _for_anybody(view: TableView, only: str | None) -> bool:
    """False while all who are in play lack the bet that a step is for."""
    return only is None or not view.live or any(only in view.wagers[number] for number in view.live)


class DealStep(Step):
    """Cards go out: to every place of `to` in turn, the seats clockwise from the dealer's left.

    `by = "packet"`: each place gets its `cards` at once. `by = "single"`: one card at a time in rotation until each has
    `cards`. `seats`: which of them: those that `entered`, those still `live` (neither folded nor dead nor finished), or
    `all` positions up to the most, whether anybody plays there or not. `first`: the place that gets cards first;
    `number`: one that is selected for this round by a number drawn, the others follow in the direction of `count`;
    `button`: the one at the left of the selected seat, the others clockwise; the dealer's place counts as one.
    `only`: of the seats those with this bet; while all in play lack it, nobody gets cards by this step.
    `origin = "hand"`: dealt by hand, no device sees it; the dealer confirms.
    """

    do: Literal["deal"]
    to: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    cards: Annotated[int, Field(ge=1, le=52)]
    by: Literal["packet", "single"]
    seats: Literal["entered", "live", "all"] = "entered"
    face: Literal["down", "up"] = "down"
    first: Literal["dealer-left", "number", "button"] = "dealer-left"
    count: Literal["clockwise", "counter-clockwise"] = "counter-clockwise"
    only: Name | None = None
    origin: Literal["device", "hand"] = "device"

    state = "dealing"
    deals = True

    @property
    def from_device(self) -> bool:
        """False where they are dealt by hand."""
        return self.origin == "device"

    def dues(self, view: TableView) -> Iterator[Due]:
        """Packets or single cards, place after place or in rotation; a shoe gives single cards."""
        places = self._turns(view)
        if self.by == "single":
            yield from (Due(place, 1, self.name) for _ in range(self.cards) for place in places)
        elif self.from_device and view.plan.from_shoe:
            yield from (Due(place, 1, self.name) for place in places for _ in range(self.cards))
        else:
            yield from (Due(place, self.cards, self.name) for place in places)

    def _turns(self, view: TableView) -> list[Place]:
        """Who gets cards, in the order they go out."""
        if not _for_anybody(view, self.only):
            return []
        seats, places = self._seats(view), list[Place]()
        for to in self.to:
            places += seats if to == "seats" else [view.plan.place(to)]
        if self.first == "dealer-left":
            return places
        around = list(view.plan.around())
        if self.first == "number" and self.count == "counter-clockwise":
            around.reverse()
        start = around.index(seat(view.first) if view.first else DEALER) + (self.first == "button")
        order = [*around[start:], *around[:start]]
        turns = [place for place in order if place in places]
        return turns + [place for place in places if place not in turns]

    def _seats(self, view: TableView) -> list[Place]:
        if self.seats == "all":
            return [seat(number) for number in range(1, view.plan.most_seats + 1)]
        numbers = view.drawing if self.seats == "live" else view.active
        return [seat(number) for number in numbers if self.only is None or self.only in view.wagers[number]]


class BurnStep(Step):
    """Cards of a spread packet are burned and do not play; the dealer confirms which. `top_card` names the option that
    says where its top card lies; positions `from-top` count from that end."""

    do: Literal["burn"]
    of: Recipient
    positions: Annotated[tuple[Annotated[int, Field(ge=1, le=16)], ...], Field(min_length=1)]
    spread: Literal["left-to-right", "right-to-left", "from-top"]
    top_card: Name

    state = "burning"


class BurnCardStep(Step):
    """Cards off the top of the deck are burned before the next are dealt. `if_drawn`: only when a seat draws by the
    choice it made last. `only`: not while all in play lack this bet."""

    do: Literal["burn-card"]
    cards: Annotated[int, Field(ge=1, le=5)] = 1
    if_drawn: bool = False
    only: Name | None = None
    origin: Literal["device", "hand"] = "device"

    state = "dealing"
    deals = True

    @property
    def from_device(self) -> bool:
        """False where they are dealt by hand."""
        return self.origin == "device"

    def dues(self, view: TableView) -> Iterator[Due]:
        """None while nobody needs the cards that follow."""
        drawn = not self.if_drawn or any(view.draws(number) for number in view.live)
        if drawn and _for_anybody(view, self.only):
            yield from (Due(BURN, 1, self.name) for _ in range(self.cards))


class DecideStep(Step):
    """Every live seat makes one of these choices, names of `[[decision]]`. `only`: every live seat with this bet.
    `optional`: a seat that says nothing made the first of them. `about`: an appointed hand that is offered; without it
    nobody is asked, and if nobody bets on it, it is dead. `takers`: all may, or the first one alone."""

    do: Literal["decide"]
    choices: Annotated[tuple[Name, ...], Field(min_length=1)]
    only: Name | None = None
    optional: bool = False
    about: Name | None = None
    takers: Literal["each", "one"] = "each"

    state = "deciding"


class ExchangeStep(Step):
    """Cards discarded at a place are replaced: as many as the place's last choice `draws`; the dealer and hands of the
    house draw as many as are dealt to them, `most` at most. `adds`: nothing was discarded, the cards are added."""

    do: Literal["exchange"]
    to: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    most: Annotated[int, Field(ge=1, le=7)]
    adds: bool = False
    by: Literal["packet", "single"] = "single"

    state = "exchanging"
    deals = True

    @property
    def from_device(self) -> bool:
        """Always."""
        return True

    def dues(self, view: TableView) -> Iterator[Due]:
        """Replacements, place after place. Only what the house takes shows how many it wants."""
        why: Literal["deal", "exchange"] = "deal" if self.adds else "exchange"
        whole = self.by == "packet" and not view.plan.from_shoe
        for to in self.to:
            if to != "seats":
                due = Due(view.plan.place(to), self.most if whole else 1, self.name, why, at_most=True)
                yield from [due] * (1 if whole else self.most)
                continue
            for number in view.live:
                draws = view.draws(number)
                if draws and whole:
                    yield Due(seat(number), draws, self.name, why)
                else:
                    yield from [Due(seat(number), 1, self.name, why)] * draws


class ShowStep(Step):
    """Cards are turned face up before play goes on. `cards`: how many lie open at each place after it; absent: all of
    them. `which`: any, or those at the bottom of the packet. `optional`: they may be, from here on; play does not wait
    for it."""

    do: Literal["show"]
    of: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    cards: Annotated[int, Field(ge=1, le=7)] | None = None
    which: Literal["any", "bottom"] = "any"
    optional: bool = False

    state = "showing"


class AppointStep(Step):
    """The cards of a position where nobody plays become the hand `to`, unseen. `from_` is the option that says which
    position: `last-unplayed`, the last one dealt to, or a seat by its number such as `seat-6`. Without such a position
    there is no such hand in the round."""

    do: Literal["appoint"]
    to: Name
    from_: Name

    state = "dealing"


class RevealStep(Step):
    """The last step: hands are shown in this order and settled until END GAME."""

    do: Literal["reveal"]
    order: Annotated[tuple[Recipient, ...], Field(min_length=1)]

    state = "revealing"


AnyStep = Annotated[
    DealStep | BurnStep | BurnCardStep | DecideStep | ExchangeStep | ShowStep | AppointStep | RevealStep,
    Field(discriminator="do"),
]

STEPS: Final[dict[str, type[Step]]] = {
    get_args(kind.model_fields["do"].annotation)[0]: kind for kind in get_args(get_args(AnyStep)[0])
}
"""What a step may do -> its kind."""
