"""How a simulated dealer deals a game: its steps, bets and choices as data, and to whom the cards of a round go."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from dealwire.rehearsal.strict import Section
from devices.simulator.shuffler_parts import PacketGroup
from protocol.cards import RANKS
from protocol.places import BURN, COMMUNITY, DEALER, PLACES, SEATS_MAX, Place, parse_place, seat

HANDS: Final = tuple(place for place in PLACES if place.text.startswith("hand "))
"""Places of a game's own hands."""
TARGETS: Final = ("seats", "dealer", "community", *(place.text for place in HANDS))
DEALS: Final = ("deal", "burn-card", "exchange")
"""Steps that take cards off the deck."""
SPREADS: Final = ("left-to-right", "right-to-left", "from-top")
THEN: Final = (
    "nothing",
    "dead-hand",
    "progressive-only",
    "misdeal",
    "complete",
    "person",
    "defective-deck",
    "unreliable",
)
SIDES: Final = ("left", "right")
DOES: Final = ("deal", "burn", "burn-card", "decide", "exchange", "show", "reveal")
HOW: Final = ("short", "long", "exposed", "off-table", "fouled", "joker", "boxed")


@dataclass(frozen=True, slots=True)
class Step:
    """One step, in the words of a procedure file. What does not concern it is left at its default.

    `to`: to whom cards go, whose cards are burned, shown or revealed. `cards`: how many each gets, are burned off the
    deck, or lie open after a show (0: all); an exchange gives at most so many. `top_left`: the packet's top card lies
    at the dealer's left. `by_hand`: dealt by hand, the dealer confirms. `clockwise`: which way places follow the number
    drawn. `if_drawn`: burned only when somebody draws. `only`: the bet of those who choose or
    get cards. `adds`: nothing is
    discarded. `bottom`: shown are cards of the packet's bottom.
    """

    name: str
    do: str
    to: tuple[str, ...] = ()
    cards: int = 0
    by: str = "packet"
    seats: str = "entered"
    first: str = "dealer-left"
    by_hand: bool = False
    positions: tuple[int, ...] = ()
    spread: str = "left-to-right"
    top_left: bool = True
    choices: tuple[str, ...] = ()
    clockwise: bool = False
    if_drawn: bool = False
    only: str = ""
    adds: bool = False
    bottom: bool = False

    @property
    def from_device(self) -> bool:
        """Whether cards leave the device in this step."""
        return self.do in DEALS and not self.by_hand


@dataclass(frozen=True, slots=True)
class Choice:
    """What a player may choose: each of `bets` costs `times` the bet `of`; `takes_back` is a bet that goes back;
    `discards` cards are laid down and not replaced."""

    number: int
    folds: bool = False
    last: bool = False
    draws: int = 0
    discards: int = 0
    bets: tuple[str, ...] = ()
    of: str = ""
    times: int = 1
    takes_back: str = ""


@dataclass(frozen=True, slots=True)
class Wrong:
    """What the table does about cards that are wrong at a place of `of`; `at`: only in these steps; `missing`: only
    when so many are missing."""

    of: str
    how: tuple[str, ...]
    then: str
    at: tuple[str, ...] = ()
    missing: int = 1


@dataclass(frozen=True, slots=True)
class Game:
    """How the dealer deals and what bets and choices are called, as data.

    `cards` of one deck, `jokers` among them. `fresh`: a shoe is filled anew for each round, else after so many `rounds`
    (0: any number). `dump_after`: the step
    after which the remainder comes, empty: the last that deals. `counted`: a person counts the remainder too.
    `progressive` is the bet that lies on a sensor, empty where there is none. `wild` and `least`: what a player
    without a plan goes by.
    """

    name: str
    cards: int
    jokers: int
    decks: int
    fresh: bool
    rounds: int
    most: int
    steps: tuple[Step, ...]
    dump_after: str
    counted: bool
    shown_when_folded: tuple[str, ...]
    progressive: str
    bets: Mapping[str, int]
    decisions: Mapping[str, Choice]
    wrong: tuple[Wrong, ...]
    enters: tuple[str, ...]
    wild: str
    least: int

    @property
    def packet_size(self) -> int:
        """Cards of every packet; 0 when they differ."""
        program = self.program
        return program[0].cards if len(program) == 1 else 0

    @property
    def program(self) -> tuple[PacketGroup, ...]:
        """The groups of packets that leave a packet shuffler, in their order."""
        return tuple(group for group, _ in _groups(self.steps))

    def group_of(self, step: Step) -> int:
        """Which group of the program the step's packets belong to."""
        return next(number for number, (_, names) in enumerate(_groups(self.steps)) if step.name in names)

    @property
    def last_deal(self) -> str:
        """The step after which the remainder comes."""
        return self.dump_after or next((step.name for step in reversed(self.steps) if step.from_device), "")

    def then(self, place: Place, how: str, step: str, missing: int = 1) -> str:
        """What follows when the cards at `place` are wrong in this way; a person rules where nothing is said. A row for
        so many missing cards goes before one for fewer, a row for the step before one for all."""
        rows = [row for row in self.wrong if row.of == kind_of(place) and how in row.how]
        fitting = [row for row in rows if row.missing <= missing and (not row.at or step in row.at)]
        return max(fitting, key=lambda row: (row.missing, bool(row.at))).then if fitting else "person"


class Packet(NamedTuple):
    """Cards that go to one place at once."""

    step: Step
    place: Place
    cards: int


def kind_of(place: Place) -> str:
    """The word for a place in a game file."""
    return "seats" if place.seat else place.text


def place_of(target: str) -> Place:
    """The place of a word other than `seats`."""
    return {"dealer": DEALER, "community": COMMUNITY}.get(target) or parse_place(target)


def _groups(steps: Iterable[Step]) -> Iterator[tuple[PacketGroup, list[str]]]:
    """Steps one after the other with packets of one size make one group; any other step is a pause, and burned cards
    are a group of their own."""
    group, names, joins = PacketGroup(0), list[str](), False
    for step in steps:
        if not step.from_device:
            joins = joins and step.do in DEALS
            continue
        found = _group(step)
        if joins and step.do != "burn-card" and group.cards == found.cards:
            both = group.count + found.count if group.count and found.count else 0
            group, names = PacketGroup(group.cards, both), [*names, step.name]
        else:
            if names:
                yield group, names
            group, names = found, [step.name]
        joins = step.do != "burn-card"
    if names:
        yield group, names


def _group(step: Step) -> PacketGroup:
    """The packets of one step. How many the seats get is not known beforehand."""
    if step.do == "burn-card":
        return PacketGroup(1, step.cards)
    if step.do == "exchange":
        return PacketGroup(1)
    single = step.by == "single"
    count = 0 if "seats" in step.to else len(step.to) * (step.cards if single else 1)
    return PacketGroup(1 if single else step.cards, count)


def packets_of(
    step: Step, entered: Iterable[int], live: Iterable[int], most: int, number: int | None = None
) -> list[Packet]:
    """The packets of a deal or of burned cards in their order; `number`: the seat that gets cards first, 0 for the
    dealer."""
    if step.do == "burn-card":
        return [Packet(step, BURN, 1)] * step.cards
    numbers = {"entered": list(entered), "live": list(live), "all": list(range(1, most + 1))}[step.seats]
    order = [place for to in step.to for place in ([seat(n) for n in numbers] if to == "seats" else [place_of(to)])]
    if step.first != "dealer-left" and number is not None:
        order = _around(step, order, number, most)
    if step.by == "packet":
        return [Packet(step, place, step.cards) for place in order]
    return [Packet(step, place, 1) for _ in range(step.cards) for place in order]


def exchanged(step: Step, draws: Mapping[int, int], house: int) -> list[Packet]:
    """The packets of an exchange: a seat's as many cards as it draws, seat after seat, then the house's."""
    found: list[Packet] = []
    for to in step.to:
        wanted = {seat(n): cards for n, cards in draws.items()} if to == "seats" else {place_of(to): house}
        for place, drawn in wanted.items():
            cards = min(drawn, step.cards)
            single = step.by == "single"
            found += [Packet(step, place, 1 if single else cards)] * (cards if single else int(cards > 0))
    return found


def _around(step: Step, order: list[Place], number: int, most: int) -> list[Place]:
    """From the place of that number, or from the one at the left of the button; the dealer sits between the last seat
    and the first. Other places come last."""

    def turn(place: Place) -> int:
        at = (place.seat or 0) - number
        if step.first == "button":
            return (at - 1) % (most + 1)
        return (at if step.clockwise else -at) % (most + 1)

    around = [place for place in order if place.seat is not None or place == DEALER]
    return sorted(around, key=turn) + [place for place in order if place not in around]


# ------------------------------------------------------------------ reading


def read_game(section: Section) -> Game:
    """The game in a table; ScenarioError names the key and what is allowed."""
    bets = section.numbers("bets", 1, 255)
    jokers = section.integer("jokers", 0, 4, 0)
    decisions = section.section("decisions") if section.has("decisions") else None
    basic = section.section("basic") if section.has("basic") else None
    steps = tuple(_step(item) for item in section.sections("steps"))
    names = [step.name for step in steps]
    if len(set(names)) != len(names):
        raise section.error("steps", "two steps have the same name")
    choices = {name: _choice(decisions.section(name), bets) for name in decisions.names()} if decisions else {}
    for step in steps:
        if step.only and step.only not in bets:
            raise section.error("steps", f"{step.name}: no bet {step.only!r}; there are {', '.join(bets)}")
        if strange := [name for name in step.choices if name not in choices]:
            raise section.error("steps", f"{step.name}: no decision {strange[0]!r}; there are {', '.join(choices)}")
    game = Game(
        name=section.text("name"),
        cards=section.integer("cards", 52 + jokers, 52 + jokers),
        jokers=jokers,
        decks=section.integer("decks", 1, 8, 1),
        fresh=section.flag("fresh", True),
        rounds=section.integer("rounds", 0, 99, 0),
        most=section.integer("most", 1, SEATS_MAX, SEATS_MAX),
        steps=steps,
        dump_after=section.text("dump_after", "", allowed=["", *names]),
        counted=section.flag("counted", False),
        shown_when_folded=section.texts("shown_when_folded", bets, []),
        progressive=section.text("progressive", "", allowed=["", *bets]),
        bets=bets,
        decisions=choices,
        wrong=tuple(_wrong(item, names) for item in section.sections("wrong", [])),
        enters=section.texts("enters", bets),
        wild=basic.text("wild", "", allowed=["", *RANKS]) if basic else "",
        least=basic.integer("least", 1, 13) if basic else 0,
    )
    for part in (basic, section):
        if part is not None:
            part.done()
    return game


def _step(section: Section) -> Step:
    do, name = section.text("do", allowed=DOES), section.text("name")
    only = section.text("only", "") if do in ("deal", "burn-card", "decide") else ""
    match do:
        case "deal":
            step = Step(
                name,
                do,
                section.texts("to", TARGETS),
                section.integer("cards", 1, 52),
                by=section.text("by", "packet", allowed=("packet", "single")),
                seats=section.text("seats", "entered", allowed=("entered", "live", "all")),
                first=section.text("first", "dealer-left", allowed=("dealer-left", "number", "button")),
                by_hand=section.flag("by_hand", False),
                clockwise=section.flag("clockwise", False),
                only=only,
            )
        case "burn":
            of, positions = section.text("of", allowed=TARGETS), section.integers("positions", 1, 16)
            spread, top = section.text("spread", allowed=SPREADS), section.text("top_card", "left", allowed=SIDES)
            step = Step(name, do, (of,), positions=positions, spread=spread, top_left=top == "left")
        case "burn-card":
            cards, drawn = section.integer("cards", 1, 5, 1), section.flag("if_drawn", False)
            step = Step(name, do, cards=cards, by_hand=section.flag("by_hand", False), if_drawn=drawn, only=only)
        case "decide":
            step = Step(name, do, choices=section.words("choices"), only=only)
        case "exchange":
            by, adds = section.text("by", "single", allowed=("packet", "single")), section.flag("adds", False)
            step = Step(name, do, section.texts("to", TARGETS), section.integer("most", 1, 7), by=by, adds=adds)
        case "show":
            bottom = section.flag("bottom", False)
            step = Step(name, do, section.texts("of", TARGETS), section.integer("cards", 0, 7, 0), bottom=bottom)
        case _:
            step = Step(name, do, section.texts("order", TARGETS))
    section.done()
    return step


def _choice(section: Section, bets: Mapping[str, int]) -> Choice:
    names = ["", *bets]
    choice = Choice(
        number=section.integer("number", 1, 255),
        folds=section.flag("folds", False),
        last=section.flag("last", False),
        draws=section.integer("draws", 0, 7, 0),
        discards=section.integer("discards", 0, 7, 0),
        bets=section.texts("bets", bets, []),
        of=section.text("of", "", allowed=names),
        times=section.integer("times", 1, 100, 1),
        takes_back=section.text("takes_back", "", allowed=names),
    )
    if bool(choice.bets) != bool(choice.of):
        raise section.error("of", "bets that go with the choice need the bet they are multiples of; nothing else does")
    section.done()
    return choice


def _wrong(section: Section, steps: list[str]) -> Wrong:
    row = Wrong(
        of=section.text("of", allowed=(*TARGETS, "remainder")),
        how=section.texts("how", HOW),
        then=section.text("then", allowed=THEN),
        at=section.texts("at", steps, []),
        missing=section.integer("missing", 1, 7, 1),
    )
    section.done()
    return row
