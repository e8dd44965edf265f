"""The kinds of steps a game is dealt in: what each may say, and what it means."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal, NamedTuple, Protocol, get_args

from pydantic import Field

from dealer_flow.procedure.must_draw import MustPart
from dealer_flow.procedure.tables import (
    AgePart,
    Clause,
    Consequence,
    Name,
    Recipient,
    WhenPart,
    a,
    cards,
    listed,
    place,
)
from dealer_flow.procedure.tomlfile import TomlTable
from protocol.places import BURN, DEALER, Place, pile, seat
from protocol.tomlfile import Key

if TYPE_CHECKING:
    from dealer_flow.procedure.plan import Plan
    from dealer_flow.procedure.schema import Procedure

Complaint = tuple[Key, str]
"""A key of the file, and what does not fit there."""


class Due(NamedTuple):
    """Cards that come next: so many to `place`, by this step. `why`: they are dealt, they replace discards, they
    complete a hand that was short, or came there too many. `at_most`: fewer may come, since the house decides how many
    it exchanges."""

    place: Place
    cards: int
    step: str
    why: Literal["deal", "exchange", "complete", "extra"] = "deal"
    at_most: bool = False


class RoundView(Protocol):
    """A round as far as steps ask: the flow's `Round`, or what a simulated dealer knows."""

    @property
    def plan(self) -> "Plan":
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


@dataclass(slots=True)
class CardsSoFar:
    """What the steps so far did with the cards, by recipient."""

    dealt: dict[Recipient, int] = field(default_factory=dict)
    """Cards of a whole hand, burned ones included."""
    burned: dict[Recipient, int] = field(default_factory=dict)
    open: dict[Recipient, int | None] = field(default_factory=dict)
    """How many may lie open, None for all. Cards dealt face up count; before the reveal nothing else of the house may
    be seen."""
    shown: dict[Recipient, int] = field(default_factory=dict)
    """How many were turned up by steps that show cards."""
    offered: set[Recipient] = field(default_factory=set)
    everywhere: bool = False
    """Whether positions got cards where nobody plays."""
    by_number: bool = False
    """Whether a number drawn says who got the first cards."""
    choices: set[Name] = field(default_factory=set)
    """What was offered."""

    def held(self, recipient: Recipient) -> int:
        """Cards that lie there and were not burned."""
        return self.dealt.get(recipient, 0) - self.burned.get(recipient, 0)

    def undealt(self, key: Key, recipients: tuple[Recipient, ...]) -> Iterator[Complaint]:
        """A complaint for each of them without cards."""
        for recipient in recipients:
            if recipient not in self.dealt:
                yield key, f"{recipient!r} has no cards at this step; allowed: {', '.join(self.dealt) or 'none'}"


class PlannedBurn(NamedTuple):
    """Which cards of the packet at `place` are burned: `positions` from the dealer's left, `size` cards in all."""

    place: Place
    positions: frozenset[int]
    size: int
    top_at_left: bool
    clause: str

    def from_left(self, positions: tuple[int, ...], spread: str) -> frozenset[int]:
        """Positions counted from the dealer's left: position p from the right of n is n + 1 - p from the left."""
        if spread == "right-to-left":
            return frozenset(self.size + 1 - position for position in positions)
        return frozenset(positions)

    def from_top(self, position: int) -> int:
        """Index in the packet, its top card 0, of the card at `position` from the dealer's left."""
        return position - 1 if self.top_at_left else self.size - position


class Step(TomlTable):
    """What every step has. `name` is unique in the file. `settles`: bets that are settled once it is over and stay so,
    whatever voids the round later; with `settles_when` under that reading only."""

    name: Name
    when: WhenPart | None = None
    settles: tuple[Name, ...] = ()
    settles_when: WhenPart | None = None
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

    def mistakes(self, game: "Procedure", so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Why it cannot follow the steps before it, and what it names that the procedure does not have."""
        yield from ()

    def words(self, game: "Procedure") -> str:
        """What the dealer does, in a sentence or more."""
        raise NotImplementedError

    def brief(self) -> str:
        """The same in a few words; empty where no card moves and nobody chooses."""
        return ""


def _for_anybody(view: RoundView, only: str | None) -> bool:
    """False while all who are in play lack the bet that a step is for."""
    return only is None or not view.live or any(only in view.wagers[number] for number in view.live)


def unknown_bets(key: Key, named: Iterable[str], bets: list[str]) -> Iterator[Complaint]:
    """A complaint for each name that is none of these bets'."""
    for name in named:
        if name not in bets:
            yield key, f"no bet {name!r}; allowed: {', '.join(bets)}"


def _no_bet(game: "Procedure", key: Key, only: str | None) -> Iterator[Complaint]:
    yield from unknown_bets((*key, "only"), () if only is None else (only,), [bet.name for bet in game.bet])


_ENDS: Final = {"left", "right"}
"""Where a packet's top card may lie."""


class _DealtStep(Step):
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


class DealStep(_DealtStep):
    """Cards go out: to every place of `to` in turn, the seats clockwise from the dealer's left.

    `by = "packet"`: each place gets its `cards` at once. `by = "single"`: one card at a time in rotation until each has
    `cards`; `rotation = "there-and-back"`: every second one goes round the other way. `seats`: which of them: those
    that `entered`, those still `live` (neither folded nor dead nor finished), or `all` positions up to the most,
    whether anybody plays there or not. `first`: the place that gets cards first;
    `number`: one that is selected for this round by a number drawn, the others follow in the direction of `count`;
    `button`: the one at the left of the selected seat, the others clockwise; the dealer's place counts as one.
    `only`: of the seats those with this bet; while all in play lack it, nobody gets cards by this step.
    `origin = "hand"`: dealt by hand, no device sees it; the dealer confirms. `first_spot`: the option that says which
    card of a packet, its `top` or its `bottom` one, lies on the first of numbered spots. `moves`: the option that says
    in which direction the button goes on to the next player after a round, and the clause.
    """

    do: Literal["deal"]
    to: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    cards: Annotated[int, Field(ge=1, le=52)]
    by: Literal["packet", "single"]
    rotation: Literal["round", "there-and-back"] = "round"
    seats: Literal["entered", "live", "all"] = "entered"
    face: Literal["down", "up"] = "down"
    first: Literal["dealer-left", "number", "button"] = "dealer-left"
    count: Literal["clockwise", "counter-clockwise"] = "counter-clockwise"
    first_spot: Name | None = None
    moves: AgePart | None = None

    places_key = "to"
    gives = True

    def dues(self, view: RoundView) -> Iterator[Due]:
        """Packets or single cards, place after place or in rotation; a shoe gives single cards."""
        places = self.turns(view)
        if self.first == "number" and view.first is None and view.plan.assign is not None:
            places = [pile(number) for number in range(1, len(places) + 1)]
        if self.by == "single":
            ways = places, places[::-1] if self.rotation == "there-and-back" else places
            yield from (Due(place, 1, self.name) for turn in range(self.cards) for place in ways[turn % 2])
        elif self.from_device and view.plan.from_shoe:
            yield from (Due(place, 1, self.name) for place in places for _ in range(self.cards))
        else:
            yield from (Due(place, self.cards, self.name) for place in places)

    def turns(self, view: RoundView) -> list[Place]:
        """Who gets cards, in the order they go out."""
        if not _for_anybody(view, self.only):
            return []
        seats, places = self._seats(view), list[Place]()
        for to in self.to:
            places += seats if to == "seats" else [view.plan.place(to)]
        if self.first == "dealer-left" or view.first is None:
            return places
        around = list(view.plan.around())
        if self.first == "number" and self.count == "counter-clockwise":
            around.reverse()
        start = around.index(seat(view.first) if view.first else DEALER) + (self.first == "button")
        order = [*around[start:], *around[:start]]
        turns = [place for place in order if place in places]
        return turns + [place for place in places if place not in turns]

    def _seats(self, view: RoundView) -> list[Place]:
        if self.seats == "all":
            return [seat(number) for number in range(1, view.plan.most_seats + 1)]
        numbers = view.drawing if self.seats == "live" else view.active
        return [seat(number) for number in numbers if self.only is None or self.only in view.wagers[number]]

    @property
    def selects_first(self) -> bool:
        """Unless the first cards go to the place at the dealer's left."""
        return self.first != "dealer-left"

    def most_cards(self, seats: int, most: int) -> int:
        """To every position where it deals to all."""
        seats = most if self.seats == "all" else seats
        return sum(self.cards * (seats if to == "seats" else 1) for to in self.to)

    def happen(self, so_far: CardsSoFar) -> None:
        """Face up they lie open."""
        for to in self.to:
            so_far.dealt[to] = so_far.dealt.get(to, 0) + self.cards
            if self.face == "up":
                known = so_far.open.get(to, 0)
                so_far.open[to] = None if known is None else known + self.cards
        so_far.everywhere |= self.seats == "all"
        so_far.by_number |= self.first == "number"

    def mistakes(self, game: "Procedure", so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """A bet there is none of; who is first where no seat gets cards."""
        yield from _no_bet(game, key, self.only)
        if self.selects_first and "seats" not in self.to:
            yield (*key, "first"), "who is first is said of the seats; this step deals to none"
        if self.rotation == "there-and-back" and (self.by == "packet" or self.cards == 1):
            yield (*key, "rotation"), 'said of several cards that go out one at a time: by = "single"'
        options = {option.name: {*option.allowed} for option in game.option}
        if self.first_spot is not None and options.get(self.first_spot) != {"top", "bottom"}:
            yield (*key, "first-spot"), "must name an option whose allowed values are 'top' and 'bottom'"

    def words(self, game: "Procedure") -> str:
        """To whom, how many, how."""
        seats = {
            "entered": "each seat that entered",
            "live": "each seat still in play",
            "all": f"each of the {game.seats.most} positions, also where nobody plays",
        }
        bet = f" with {a(self.only)} bet" if self.only else ""
        whom = [f"{seats[self.seats]}{bet}" if to == "seats" else place(to) for to in self.to]
        start = {"seats": ", clockwise from your left"}
        to = ", then ".join(f"{each}{start.get(name, '')}" for name, each in zip(self.to, whom, strict=True))
        if self.selects_first:
            to = self._rotation(game, whom)
        what = f"{cards(self.cards)}, face {self.face}"
        if self.by == "single" and self.cards > 1:
            turn = " in rotation" if len(whom) > 1 or self.to == ("seats",) else ""
            turn = ", there and back" if self.rotation == "there-and-back" else turn
            text = f"Deal {cards(self.cards)}, one at a time{turn}, face {self.face}, to {to}."
        elif game.device == "packet-shuffler" and self.from_device:
            text = f"Take a packet of {what}, to {to}."
        else:
            text = f"Deal {what}, to {to}."
        if self.first_spot:
            text += f" They lie on numbered spots from left to right (`{self.first_spot}`)."
        if self.from_device:
            return text
        return f"{text} Deal by hand: no device sees these cards. Press CONFIRM when every place has its own."

    def _rotation(self, game: "Procedure", whom: list[str]) -> str:
        """To whom, where the deal begins at a place that was selected; the dealer has a turn like everybody."""
        count = self.count if self.first == "number" else "clockwise"
        own = {"dealer": "yourself in your turn"}
        others = "".join(f", {own.get(to, place(to))}" for to in self.to if to != "seats")
        first = "whose number was drawn" if self.first == "number" else "at the left of the button"
        text = f"{whom[self.to.index('seats')]}{others}, {count} from the place {first}"
        if any(isinstance(step, AssignStep) for step in game.step):
            text += "; as long as no number is drawn, in front of the tray, one hand beside the other"
        return text

    def selecting(self) -> str:
        """How the place is selected that gets the first cards."""
        if self.first == "button":
            return "Move the button and select its seat. The first cards go to the place at its left, then clockwise."
        return f"Draw the number and select the place that gets the first cards. You count as one, {self.count}."

    def brief(self) -> str:
        """`5 at once to seats, dealer`."""
        how = (" one at a time" if self.by == "single" else " at once") if self.cards > 1 else ""
        return f"{self.cards}{how} to {', '.join(self.to)}"


class BurnStep(Step):
    """Cards of a spread packet are burned and do not play; the dealer confirms which. `top_card` names the option that
    says where its top card lies; positions `from-top` count from that end."""

    do: Literal["burn"]
    of: Recipient
    positions: Annotated[tuple[Annotated[int, Field(ge=1, le=16)], ...], Field(min_length=1)]
    spread: Literal["left-to-right", "right-to-left", "from-top"]
    top_card: Name

    state = "burning"
    places_key = "of"

    def burn(self, at: Place, size: int, options: Mapping[str, str]) -> PlannedBurn:
        """The burn of a packet of so many cards at this place."""
        plain = PlannedBurn(at, frozenset(), size, options[self.top_card] == "left", self.clause)
        spread: str = self.spread
        if spread == "from-top":
            spread = "left-to-right" if plain.top_at_left else "right-to-left"
        return plain._replace(positions=plain.from_left(self.positions, spread))

    def happen(self, so_far: CardsSoFar) -> None:
        """They are no longer held."""
        if self.of in so_far.dealt:
            so_far.burned[self.of] = so_far.burned.get(self.of, 0) + len(self.positions)

    def mistakes(self, game: "Procedure", so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """A packet once, of the house or the community, and not all of it."""
        if next((set(option.allowed) for option in game.option if option.name == self.top_card), set()) != _ENDS:
            yield (*key, "top-card"), "must name an option whose allowed values are 'left' and 'right'"
        if self.of not in so_far.dealt:
            yield from so_far.undealt((*key, "of"), (self.of,))
            return
        if self.of == "seats":
            yield (*key, "of"), "a packet of the house or the community is burned, not a player's"
        if self.of in so_far.burned:
            why = f"cards of {self.of!r} were burned by a step before; name all positions in one step"
            yield (*key, "of"), why
        size, last = so_far.held(self.of), max(self.positions)
        if last > size:
            yield (*key, "positions"), f"position {last} of a packet of {size}; allowed: 1 to {size}"
        if len(set(self.positions)) != len(self.positions) or len(self.positions) >= size:
            yield (*key, "positions"), f"each position once, and fewer than the {size} cards of the packet"

    def words(self, game: "Procedure") -> str:
        """Which cards, counted from where."""
        side = {"left-to-right": "from your left", "right-to-left": "from your right", "from-top": "from the top card"}
        numbers = [str(position) for position in self.positions]
        what = f"card {numbers[0]}" if len(numbers) == 1 else f"cards {listed(numbers)}"
        how = f"burn {what}, counted {side[self.spread]}"
        return f"Spread the cards of {place(self.of)} and {how}. Confirm the burn before anything is shown."

    def brief(self) -> str:
        """`burn 1, 2 of community`."""
        return f"burn {', '.join(map(str, self.positions))} of {self.of}"


class BurnCardStep(_DealtStep):
    """Cards off the top of the deck are burned before the next are dealt. `if_drawn`: only when a seat draws by the
    choice it made last. `only`: not while all in play lack this bet."""

    do: Literal["burn-card"]
    cards: Annotated[int, Field(ge=1, le=5)] = 1
    if_drawn: bool = False

    def dues(self, view: RoundView) -> Iterator[Due]:
        """None while nobody needs the cards that follow."""
        drawn = not self.if_drawn or any(view.draws(number) for number in view.live)
        if drawn and _for_anybody(view, self.only):
            yield from (Due(BURN, 1, self.name) for _ in range(self.cards))

    def most_cards(self, seats: int, most: int) -> int:
        """However many play."""
        return self.cards

    def mistakes(self, game: "Procedure", so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """A bet there is none of."""
        yield from _no_bet(game, key, self.only)

    def words(self, game: "Procedure") -> str:
        """How many, and when."""
        when = ", if any player draws" if self.if_drawn else ""
        when += f", if a player in play has {a(self.only)} bet" if self.only else ""
        tail = "" if self.from_device else " by hand, then press CONFIRM"
        return f"Burn {cards(self.cards)} off the top of the deck, face down{when}{tail}. Keep burned cards apart."

    def brief(self) -> str:
        """`burn 1 off the top`."""
        return f"burn {self.cards} off the top"


class DecideStep(Step):
    """Every live seat makes one of these choices, names of `[[decision]]`. `only`: every live seat with this bet.
    `optional`: a seat that says nothing made the first of them. `about`: a hand that is offered; without it
    nobody is asked, and if nobody bets on it, it is dead. `takers`: all may, or the first one alone. `order`: they act
    as they like, or clockwise from the dealer's left. `blind`: bets of later steps that may be placed already now."""

    do: Literal["decide"]
    choices: Annotated[tuple[Name, ...], Field(min_length=1)]
    only: Name | None = None
    order: Literal["any", "clockwise"] = "any"
    blind: tuple[Name, ...] = ()
    optional: bool = False
    about: Name | None = None
    takers: Literal["each", "one"] = "each"

    state = "deciding"

    def happen(self, so_far: CardsSoFar) -> None:
        """No card moves."""
        so_far.choices |= set(self.choices)

    def mistakes(self, game: "Procedure", so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Cards to decide on come before, the hand that is offered too; choices and bets there are."""
        known = [choice.name for choice in game.decision]
        for name in self.choices:
            if name not in known:
                yield (*key, "choices"), f"no choice {name!r}; known: {', '.join(known) or 'none'}"
        if len(set(self.choices)) != len(self.choices):
            yield (*key, "choices"), "each choice once"
        yield from _no_bet(game, key, self.only)
        late = [bet.name for bet in game.bet if bet.placed == "by-decision"]
        yield from unknown_bets((*key, "blind"), self.blind, late)
        if not so_far.dealt:
            yield (*key, "do"), "nobody has cards yet to decide on; a deal comes before"
        if self.about is not None and self.about not in so_far.offered:
            allowed = ", ".join(sorted(so_far.offered)) or "none"
            yield (*key, "about"), f"{self.about!r} is no hand that is offered before; allowed: {allowed}"
        if self.takers == "one" and self.about is None:
            yield (*key, "takers"), "one taker of what? give 'about' too"

    def words(self, game: "Procedure") -> str:
        """Who chooses between what."""
        choices = {choice.name: choice for choice in game.decision}
        who = f"Each player with {a(self.only)} bet" if self.only else "Each player still in play"
        offered = "; ".join(choices[name].words() for name in self.choices)
        silent = f" Who says nothing has chosen {self.choices[0]}." if self.optional else ""
        if self.about:
            who = f"While {place(self.about)} is there{' and not taken' * (self.takers == 'one')}, {who.lower()}"
            silent += " The first who takes it plays it alone." if self.takers == "one" else ""
        order = ", clockwise from your left," if self.order == "clockwise" else ""
        blind = f" {listed([*self.blind]).capitalize()} may be placed now, in the blind." if self.blind else ""
        return f"{who}{order} chooses: {offered}.{silent}{blind}"

    def brief(self) -> str:
        """`choice`."""
        return "choice"


class ExchangeStep(Step):
    """Cards discarded at a place are replaced: as many as the place's last choice `draws`; the dealer and hands of the
    house draw as many as are dealt to them, `most` at most. `adds`: nothing was discarded, the cards are added.

    `must`: what a hand is to draw by what it holds, with the cards at `counting`; `otherwise`: what it means when it
    drew another number, or kept other cards. `exposes`: a player's hand is turned up before its card comes; by the
    choice `unless` it then gets none. `discards`: what it means when another number of cards was reported as laid away
    from a hand than it draws.
    """

    do: Literal["exchange"]
    to: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    most: Annotated[int, Field(ge=1, le=7)]
    adds: bool = False
    by: Literal["packet", "single"] = "single"
    must: tuple[MustPart, ...] = ()
    counting: tuple[Recipient, ...] = ()
    otherwise: Consequence | None = None
    exposes: bool = False
    unless: Name | None = None
    discards: Consequence | None = None

    state = "exchanging"
    places_key = "to"
    gives = True
    deals = True

    def dues(self, view: RoundView) -> Iterator[Due]:
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

    def most_cards(self, seats: int, most: int) -> int:
        """As many as everybody may ask for."""
        return sum(self.most * (seats if to == "seats" else 1) for to in self.to)

    def happen(self, so_far: CardsSoFar) -> None:
        """Hands that are turned up lie open."""
        if self.exposes:
            so_far.open |= dict.fromkeys(self.to, None)

    def mistakes(self, game: "Procedure", so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Cards, and a choice that draws some, come before."""
        yield from so_far.undealt((*key, "to"), self.to)
        yield from so_far.undealt((*key, "counting"), self.counting)
        if bool(self.must) != (self.otherwise is not None):
            yield (*key, "must"), "'must' and 'otherwise' go together: what a hand draws, and what if it does not"
        if self.must and self.by != "single":
            yield (*key, "must"), "only of single cards is it known how many came"
        if self.unless is not None and not (self.exposes and self.to == ("seats",)):
            yield (*key, "unless"), "a hand of the seats that gets no card is turned up: give exposes = true too"
        if self.unless is not None and self.unless not in [choice.name for choice in game.decision]:
            yield (*key, "unless"), f"no choice {self.unless!r}"
        if "seats" in self.to and not any(choice.draws for choice in game.decision if choice.name in so_far.choices):
            yield (*key, "to"), "no choice before this step draws cards; a [[decision]] with draws comes before"

    def words(self, game: "Procedure") -> str:
        """To whom, and at most how many."""
        whom = listed([place(to) for to in self.to])
        must = f" Each {'; '.join(row.words() for row in self.must)}." if self.must else ""
        if self.exposes:
            none = f" {self.unless}: no card for it." if self.unless else ""
            return (
                f"One after the other from your left: turn up the hand, then deal {cards(self.most)} to it.{none}{must}"
            )
        if self.adds:
            return f"Give {whom} the cards they asked for, at most {self.most} each."
        own = " You take as many as your rules ask for." if "dealer" in self.to and not must else ""
        own += f" Your own hand {'; '.join(row.words() for row in self.must)}." if must else ""
        return f"Take in what was discarded and give {whom} as many cards, at most {self.most} each.{own}"

    def brief(self) -> str:
        """`up to 3 drawn by seats`."""
        return f"up to {self.most} drawn by {', '.join(self.to)}"


class ShowStep(Step):
    """Cards are turned face up before play goes on. `cards`: how many lie open at each place after it; absent: all of
    them. `which`: any, or those at the bottom of the packet. `optional`: they may be, from here on; play does not wait
    for it, and a player's hand that is shown so is declared. `until`: a later step; once something of it was reported,
    a hand is no longer declared."""

    do: Literal["show"]
    of: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    cards: Annotated[int, Field(ge=1, le=7)] | None = None
    which: Literal["any", "bottom"] = "any"
    optional: bool = False
    until: Name | None = None

    state = "showing"
    places_key = "of"

    def happen(self, so_far: CardsSoFar) -> None:
        """So many lie open."""
        for recipient in self.of:
            so_far.open[recipient] = self.cards
            so_far.shown[recipient] = so_far.held(recipient) if self.cards is None else self.cards

    def mistakes(self, game: "Procedure", so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """More than lay open, and not more than there are."""
        yield from so_far.undealt((*key, "of"), self.of)
        for recipient in self.of:
            held, least = so_far.held(recipient), so_far.shown.get(recipient, 0) + 1
            if self.cards is not None and held and not least <= self.cards <= held:
                yield (*key, "cards"), f"{self.cards} cards of {recipient!r} lie open; allowed: {least} to {held}"
        if self.which == "bottom" and self.cards is None:
            yield (*key, "which"), "the bottom of all cards is all of them; give 'cards' too"
        names = [step.name for step in game.step]
        later = names[names.index(self.name) + 1 :]
        if self.until is not None and not (self.optional and self.until in later):
            yield (*key, "until"), f"of a show that is optional, one of the later steps: {', '.join(later)}"

    def words(self, game: "Procedure") -> str:
        """Whose, which and how many."""
        whose = listed([place(to, dealer="your own hand") for to in self.of])
        if self.optional:
            late = f" Once {self.until} has begun it is too late to declare." if self.until else ""
            return f"From here on cards of {whose} may be shown.{late}"
        if self.cards is None:
            return f"Turn up all cards of {whose}."
        if self.which == "bottom":
            return f"Turn up the bottom {'card' if self.cards == 1 else cards(self.cards)} of {whose}."
        return f"Turn up cards of {whose} until {cards(self.cards)} lie{'s' * (self.cards == 1)} open."


class OfferHandStep(Step):
    """The cards of a position where nobody plays become the hand `to`, unseen. `from_` is the option that says which
    position: `last-unplayed`, the last one dealt to, or a seat by its number such as `seat-6`. Without such a position
    there is no such hand in the round."""

    do: Literal["offer-hand"]
    to: Name
    from_: Name

    state = "dealing"
    places_key = "to"
    gives = True

    def happen(self, so_far: CardsSoFar) -> None:
        """It is as large as a seat's."""
        so_far.dealt[self.to] = so_far.held("seats")
        so_far.offered.add(self.to)

    def mistakes(self, game: "Procedure", so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """A hand of the game, from a position that may have no player."""
        hands, most = [hand.name for hand in game.hand], game.seats.most
        if self.to not in hands:
            yield (*key, "to"), f"{self.to!r} is no [[hand]]; allowed: {', '.join(hands) or 'none'}"
        values = next((option.allowed for option in game.option if option.name == self.from_), None)
        positions = {"last-unplayed", *(f"seat-{number}" for number in range(1, most + 1))}
        if values is None or not set(values) <= positions:
            what = f"no option {self.from_!r} that chooses between positions"
            yield (*key, "from"), f"{what}: last-unplayed, seat-1 to seat-{most}"
        if not so_far.everywhere:
            yield (*key, "do"), "every position has a player; a deal with seats = 'all' comes before"

    def words(self, game: "Procedure") -> str:
        """Which cards become what."""
        return f"Cards of a position where nobody plays become {place(self.to)}, unseen (`{self.from_}`)."


class AssignStep(Step):
    """The number is drawn now: of the hands that lie in front of the tray the first goes to the place it names, the
    others follow as the deal before has it. `bets`: whether bets may change until then, or START GAME closed them.
    `early`: the number may also come before the first packet, each hand then goes to its place at once."""

    do: Literal["assign"]
    bets: Literal["closed", "open"] = "closed"
    early: bool = False

    state = "assigning"

    def mistakes(self, game: "Procedure", so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """A deal whose first place a number names comes before, and nothing else was done with its cards."""
        if not so_far.by_number:
            yield (*key, "do"), "no hand waits for a number; a deal with first = 'number' comes before"
        if so_far.choices or so_far.offered or so_far.shown or so_far.burned:
            yield (*key, "do"), "hands are assigned before anything is chosen, offered, burned or shown"

    def words(self, game: "Procedure") -> str:
        """What is done with the number."""
        bets = " Bets may change until then." if self.bets == "open" else ""
        return (
            "Now draw the number and count the places with yourself as one: the first hand goes to the place it"
            f" names, the next ones follow in the same direction, your own among them.{bets}"
        )

    def brief(self) -> str:
        """`hands to their places`."""
        return "hands to their places by the number"


class SetStep(Step):
    """Every player arranges a hand: `low` cards of it are the low hand, or the first one, all others the high one or
    the second. Who cannot may have it set the house way. Nobody waits for a report of it: what was not reported is not
    known. `choices`: only seats that made one of these have a hand to arrange."""

    do: Literal["set"]
    of: Annotated[tuple[Recipient, ...], Field(min_length=1)] = ("seats",)
    low: Annotated[int, Field(ge=1, le=5)]
    parts: tuple[Clause, Clause] = ("low", "high")
    choices: tuple[Name, ...] = ()

    state = "setting"
    places_key = "of"

    def mistakes(self, game: "Procedure", so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Hands there are, with more cards than the low one gets; a choice that was offered."""
        yield from so_far.undealt((*key, "of"), self.of)
        for recipient in self.of:
            if recipient in so_far.dealt and so_far.held(recipient) <= self.low:
                yield (*key, "low"), f"{recipient!r} has {so_far.held(recipient)} cards; allowed: fewer in its low hand"
        for name in self.choices:
            if name not in so_far.choices:
                yield (
                    (*key, "choices"),
                    f"no choice {name!r} before; known: {', '.join(sorted(so_far.choices)) or 'none'}",
                )

    def words(self, game: "Procedure") -> str:
        """Who arranges what."""
        own = [place(to) for to in self.of if to not in ("seats", "dealer")]
        who = "Each player still in play" if "seats" in self.of else f"Whoever plays {listed(own)}"
        only = f" who chose {listed([*self.choices], 'or')}" if self.choices else ""
        one, other = self.parts
        return (
            f"{who}{only} sets the hand: {cards(self.low)} for the {one} hand, the others for the {other} hand."
            f"{' You set your own the house way, once it lies open.' * ('dealer' in self.of)}"
            " Key what was set, by the player or the house way; what nobody keys is not on record."
        )

    def brief(self) -> str:
        """`set 2 low`."""
        return f"{self.low} of each hand set {self.parts[0]}"


class CollectStep(Step):
    """Hands dealt to positions where nobody plays are picked up unseen and discarded. No device sees it."""

    do: Literal["collect"]

    state = "dealing"

    def mistakes(self, game: "Procedure", so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """There are such hands."""
        if not so_far.everywhere:
            yield (*key, "do"), "every position has a player; a deal with seats = 'all' comes before"

    def words(self, game: "Procedure") -> str:
        """Which hands."""
        return "Pick up the hands of positions where nobody plays, unseen, and place them in the discard rack."


class RevealStep(Step):
    """The last step: hands are shown in this order and settled until END GAME; `from_`: at which side of the dealer
    the players' hands begin."""

    do: Literal["reveal"]
    order: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    from_: Literal["dealer-left", "dealer-right"] = "dealer-right"

    state = "revealing"
    places_key = "order"

    @property
    def side(self) -> str:
        """`left` or `right`, of the dealer: where the first player's hand is shown."""
        return self.from_.removeprefix("dealer-")

    def in_order(self, seats: Sequence[int]) -> list[int]:
        """These seats, given from the dealer's left, as their hands are shown."""
        return [*seats] if self.from_ == "dealer-left" else [*reversed(seats)]

    def happen(self, so_far: CardsSoFar) -> None:
        """Everything lies open."""
        so_far.open |= dict.fromkeys(so_far.dealt, None)

    def mistakes(self, game: "Procedure", so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Hands without cards."""
        yield from so_far.undealt((*key, "order"), self.order)

    def words(self, game: "Procedure") -> str:
        """In which order."""
        order = [place(to, dealer="your own hand") for to in self.order]
        return f"Show {', then '.join(order)}; players' hands from your {self.side}. Compare and settle each."


AnyStep = Annotated[
    DealStep
    | BurnStep
    | BurnCardStep
    | DecideStep
    | ExchangeStep
    | ShowStep
    | OfferHandStep
    | AssignStep
    | SetStep
    | CollectStep
    | RevealStep,
    Field(discriminator="do"),
]

STEPS: Final[dict[str, type[Step]]] = {
    get_args(kind.model_fields["do"].annotation)[0]: kind for kind in get_args(get_args(AnyStep)[0])
}
"""What a step may do -> its kind."""
