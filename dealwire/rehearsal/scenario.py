"""Scenarios: who plays, what they bet and choose, and what goes wrong. `scenario_file` reads them.

One without an end has its rounds again and again, with faults thrown in if wanted.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, count, cycle
from random import Random
from typing import Annotated, ClassVar, Final, Literal, TypeVar

from pydantic import Field

from dealer_flow.procedure.load import Procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.burn import BurnStep
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.due import Due
from dealer_flow.procedure.tables import DecisionPart
from dealer_flow.table.columns import Draw
from dealwire.rehearsal.bettors import StyleName
from dealwire.rehearsal.chips import STAKE
from dealwire.rehearsal.parts import Part
from dealwire.rehearsal.rehearsed import RehearsedProcedure, packets_of
from dealwire.rehearsal.trouble import (
    AT_A_PACKET,
    AT_AN_ACTION,
    LINE,
    RACE,
    PlannedTrouble,
    What,
)
from protocol.cards import DECK, RANKS, Card
from protocol.places import SEATS_MAX, Place, seat
from protocol.tdp.messages import BadgeLevel
from rules.facts.terms import Terms
from rules.paytables.amounts import AmountField, WagerField
from rules.settlement import NO_PERCENT, HouseRake

Bets = dict[str, Annotated[int, Field(ge=1, le=2**32 - 1)]]
"""Cents by the bet's name."""


class SimulatedPlayer(Part):
    """One seat: bets in cents by name, what it chooses at each choice it has, and its `decision` where that says
    nothing: a choice by name, or `basic` (by the cards). `switch`: cents moved to another bet before the extra card of
    a race. `declares`: shows the hand wherever one may be declared. `stake`: cents that a player buys chips for, once
    none are left, where players bet against each other; `style`: how, and how one chooses that goes by the cards."""

    seat: Annotated[int, Field(ge=1, le=SEATS_MAX)]
    wagers: Bets = Field(default_factory=dict)
    decision: str = "basic"
    choices: tuple[str, ...] = ()
    switch: Bets = Field(default_factory=dict)
    declares: bool = False
    stake: Annotated[int, Field(ge=1, le=2**32 - 1)] = STAKE
    style: StyleName = ""

    def chooses(self, offered: Sequence[str], made: int) -> str:
        """The choice after `made` others, by plan; `basic` when the cards decide, empty when it says nothing."""
        if made < len(self.choices):
            return self.choices[made]
        return self.decision if self.decision == "basic" or self.decision in offered else ""


class BasicPlay(Part):
    """What a player without a plan goes by: plays with `least` cards of one suit, `wild` ranks included."""

    wild: Annotated[str, Field(pattern=f"^[{RANKS}]?$")] = ""
    least: Annotated[int, Field(ge=1, le=13)]


class HousePart(Part):
    """How the house of this table settles, where the dealer takes in pots by it: named as the options of `dealwire
    settle`, money in cents."""

    token: WagerField = 25
    rake: str = NO_PERCENT
    rake_cap: WagerField | None = None
    rake_step: WagerField | None = None
    jackpot_rake: AmountField = 0
    readings: dict[str, str] = Field(default_factory=dict)

    def figure(self) -> HouseRake:
        """What is taken of pots."""
        return HouseRake(self.rake, self.rake_cap, self.rake_step, self.jackpot_rake)


class Award(Part):
    """What is awarded at the controller after the hands were shown: a seat, its hand button, whose card completes it.

    `slips`: the button is pressed by accident and again to put it out, before it is pressed for good.
    """

    seat: int
    hand: Annotated[int, Field(ge=1, le=255)]
    card: Literal["supervisor", "executive"] = "supervisor"
    slips: bool = False

    @property
    def level(self) -> BadgeLevel:
        """Of the card."""
        return BadgeLevel[self.card.upper()]


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """One round: the players in rising order of seats, the troubles, and what is awarded in which order. `number`: the
    seat that gets cards first, where one is drawn for, 0 for the dealer; `house_draws`: cards the house exchanges;
    `ends`: after how many cards the shoe lets a race end, 0 as it falls."""

    players: tuple[SimulatedPlayer, ...]
    troubles: tuple[PlannedTrouble, ...]
    awards: tuple[Award, ...] = ()
    number: int | None = None
    house_draws: int = 0
    ends: int = 0

    def find(self, what: What, ordinal: int = 0) -> PlannedTrouble | None:
        """The trouble of a kind at a packet or card, if any."""
        return next((trouble for trouble in self.troubles if (trouble.what, trouble.ordinal) == (what, ordinal)), None)


DEVICES: Final = {"packet-shuffler": "shuffler", "card-shoe": "shoe", "hand": "hand"}
"""What a procedure is dealt from -> the name of the device at the table; from a `hand` there is none."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Everything the simulated table does. The same seed gives the same cards."""

    id: str
    seed: int
    recognition: bool
    procedure: RehearsedProcedure
    rounds: tuple[RoundPlan, ...]
    basic: BasicPlay | None = None
    """Without it players without a plan play on whatever they hold."""
    cut_after: int | None = None
    """Where the cut card lies in a shoe."""
    dealt_by: str = ""
    """The procedure as the file names it: an id, or a file of the house's own."""
    packet_stays: bool = False
    """The shuffler counts a packet that nobody lifted as a packet beside the remainder."""
    posts: Mapping[str, int] = field(default_factory=dict)
    """Cents by bet that are put up before the first card, where the house's figures are others than the usual."""
    house: HousePart = field(default_factory=HousePart)
    """How the table settles."""
    terms: Terms | None = None
    """The same as the rules of the game have it, by which pots are taken in; None where no game says who wins them."""
    forever: bool = False
    """The rounds are dealt again and again."""
    faults: float | None = None
    """In so large a share of those (0 to 1) one thing goes wrong by chance, and nothing else."""

    @property
    def device(self) -> str:
        """What the cards come from: `shuffler`, `shoe` or the dealer's `hand`."""
        return DEVICES[self.procedure.plan.procedure.device]

    def plans(self) -> Iterator[RoundPlan]:
        """The rounds in their order. The same seed goes wrong in the same ones."""
        random = Random(self.seed)
        for turn, round_ in enumerate(cycle(self.rounds) if self.forever else self.rounds):
            plan = _with_button(round_, turn) if self.forever and self.procedure.plan.button else round_
            yield plan if self.faults is None else _by_chance(plan, self.faults, random, partial(_mishap, self))


class RaceGame:
    """A procedure whose cards are drawn into columns, as simulated people play it."""

    def __init__(self, procedure: Procedure) -> None:
        shoe = Plan(procedure, {}).shoe
        assert shoe is not None
        self.shoe = shoe
        self.all = shoe.all_end or len(shoe.columns) * ((shoe.column_end or 1) - 1) + 1
        """After how many cards it is over at the latest."""
        self.bets = {bet.name: bet.number for bet in procedure.bet}

    def end_of(self, cards: list[Card]) -> int:
        """After how many of `cards` a column is full; `all` + 1 when none of the first `all` fills one, 0 when it is
        still open."""
        end = Draw(self.shoe, cards).end
        if end is None:
            return 0
        return end.cards if end.column else self.all + 1


@dataclass(frozen=True, slots=True)
class RaceScenario:
    """Everything that happens at a simulated shoe. The same seed gives the same cards."""

    id: str
    seed: int
    game: RaceGame
    decks: int
    cards: tuple[Card, ...]
    """The first cards of the first shoe; none when they fall by chance."""
    burn: int
    cut_after: int | None
    round_limit: int | None
    rounds: tuple[RoundPlan, ...]
    dealt_by: str = ""
    """The procedure as the file names it: an id, or a file of the house's own."""
    forever: bool = False
    """The races are drawn again and again; one that cannot end as it should with the cards that are left in the shoe
    ends as they fall."""
    faults: float | None = None
    """As in `Scenario`."""
    device: ClassVar[str] = "shoe"

    def plans(self) -> Iterable[RoundPlan]:
        """The races in their order."""
        return map(self._plan, count()) if self.forever else self.rounds

    def plans_from(self, number: int) -> Sequence[RoundPlan]:
        """Those from this one on, as many as a shoe may hold; the first is 0."""
        if not self.forever:
            return self.rounds[number:]
        most = self.decks * len(DECK) // (self.game.shoe.column_end or 1)
        return [self._plan(each) for each in range(number, number + most)]

    def _plan(self, number: int) -> RoundPlan:
        plan = self.rounds[number % len(self.rounds)]
        if self.faults is None:
            return plan
        random = Random(f"{self.seed} {number}")
        return _by_chance(plan, self.faults, random, partial(_mishap_of_race, self.game))


AnyScenario = Scenario | RaceScenario


class RoundUnderWay:
    """What the simulated dealer knows of a round: a `RoundView` for the procedure's steps. `plays`: whether a seat's
    hand is in play."""

    def __init__(
        self, procedure: RehearsedProcedure, round_: RoundPlan, plays: Callable[[int], bool] = lambda _: True
    ) -> None:
        self.plan = procedure.plan
        assign = procedure.plan.assign
        self.first = round_.number if assign is None or assign.early else None
        self.active = [player.seat for player in round_.players]
        self.wagers = {player.seat: set(player.wagers) for player in round_.players}
        self.folded = set[int]()
        self.made = Counter[int]()
        """Choices made, by seat."""
        self.chosen = {number: set[str]() for number in self.active}
        self._done = set[int]()
        self._draws = dict[int, int]()
        self._plays = plays

    @property
    def live(self) -> list[int]:
        """The seats that have neither folded nor a hand that is out of play."""
        return [number for number in self.active if number not in self.folded and self._plays(number)]

    @property
    def drawing(self) -> list[int]:
        """Those of them that are not done with choosing."""
        return [number for number in self.live if number not in self._done]

    def draws(self, number: int) -> int:
        """How many cards the seat exchanges."""
        return self._draws.get(number, 0)

    def chooses(self, step: DecideStep, number: int) -> bool:
        """Whether the seat has a choice in this step."""
        return number in self.drawing and (step.only is None or step.only in self.wagers[number])

    def choose(self, number: int, choice: DecisionPart | None) -> None:
        """The seat has chosen, or said nothing."""
        self.made[number] += 1
        if choice is None:
            return
        self.chosen[number].add(choice.name)
        self.wagers[number] |= set(choice.stakes)
        self.wagers[number].discard(choice.takes_back or "")
        self._draws[number] = choice.draws
        if choice.folds:
            self.folded.add(number)
        if choice.last:
            self._done.add(number)


def packets(procedure: RehearsedProcedure, round_: RoundPlan) -> list[Due]:
    """The packets of a round as planned, those dealt by hand too: nobody's hand is dead, and who goes by the cards
    plays on."""
    view, found = RoundUnderWay(procedure, round_), list[Due]()
    for step in procedure.steps:
        if isinstance(step, DecideStep):
            for player in round_.players:
                if view.chooses(step, player.seat):
                    name = player.chooses(step.choices, view.made[player.seat])
                    view.choose(player.seat, procedure.plan.choices.get(name))
        found += packets_of(step, view, round_.house_draws)
    return found


def places(procedure: RehearsedProcedure, round_: RoundPlan) -> tuple[Place, ...]:
    """To whom the packets of a round go, in the order they are dealt."""
    return tuple(packet.place for packet in packets(procedure, round_))


# ------------------------------------------------------------------ without an end

AT_THE_BURN: Final = (What.BURN, What.REVEAL_BEFORE_BURN)


def _by_chance(
    plan: RoundPlan, rate: float, random: Random, mishap: Callable[[RoundPlan, Random], PlannedTrouble]
) -> RoundPlan:
    """The round with one thing going wrong, or nothing."""
    return replace(plan, troubles=(mishap(plan, random),) if random.random() < rate else ())


def _with_button(plan: RoundPlan, turn: int) -> RoundPlan:
    """The button has gone on by so many players."""
    seats = [player.seat for player in plan.players]
    first = next((at for at, number in enumerate(seats) if number >= (plan.number or 0)), 0)
    return replace(plan, number=seats[(first + turn) % len(seats)])


AnyKind = TypeVar("AnyKind", bound=AnyScenario)


def endless(scenario: AnyKind, *, faults: float | None = None, seed: int | None = None) -> AnyKind:
    """`scenario` without an end. With a rate `faults` (0 to 1) so large a share of its rounds has one thing go wrong,
    and what the scenario itself has go wrong is left out. `seed` also shuffles the cards, otherwise the scenario's own
    does."""
    return replace(scenario, forever=True, faults=faults, seed=scenario.seed if seed is None else seed)


def _mishap(scenario: Scenario, plan: RoundPlan, random: Random) -> PlannedTrouble:
    dealt = packets(scenario.procedure, plan)
    burn = next((step.positions for step in scenario.procedure.steps if isinstance(step, BurnStep)), ())
    if scenario.device != "shuffler":
        betting = AT_AN_ACTION if scenario.procedure.plan.betting is not None else ()
        what = random.choice([What.MISDEAL_CALLED, *LINE, *betting])
    else:
        what = random.choice([*AT_A_PACKET, What.REMAINDER, *(AT_THE_BURN if burn else ())])
    if what is What.LIFTED_EARLY and min(packet.cards for packet in dealt) == 1:
        what = What.PACKET  # a single card is out at once: nobody grabs half of it
    first = 2 if what is What.REJECTED else 1  # before any packet came nobody can say that the card was this deck's
    ordinal = random.randint(min(first, len(dealt)), len(dealt)) if what in AT_A_PACKET else 0
    if what in AT_AN_ACTION:
        ordinal = random.randint(1, 2 * len(plan.players))
    if what is What.LIFTED_EARLY:  # people grab their own hand, not the house's
        own = [at for at, packet in enumerate(dealt, 1) if packet.place == seat(plan.players[0].seat)]
        ordinal = own[0] if own else ordinal
    device = "table-controller" if scenario.device == "hand" else scenario.device
    return PlannedTrouble(
        what,
        ordinal,
        _chance_amount(what, random),
        noticed=random.random() < 0.5,
        device=random.choice([device, "table-controller"]) if what in LINE else device,
        positions=_wrong_burn(burn, random) if what is What.BURN else (),
    )


def _wrong_burn(right: Sequence[int], random: Random) -> tuple[int, ...]:
    """As many positions as are to be burned, but not these."""
    others = [each for each in combinations(range(1, max(right) + 1), len(right)) if {*each} != {*right}]
    return random.choice(others) if others else (max(right) + 1,)


def _mishap_of_race(game: RaceGame, _: RoundPlan, random: Random) -> PlannedTrouble:
    what = random.choice(RACE)
    ordinal = 0 if what in (What.OVERDRAW, What.EARLY) else random.randint(1, game.shoe.column_end or 1)
    device = random.choice(["shoe", "table-controller"]) if what in LINE else "shoe"
    return PlannedTrouble(what, ordinal, _chance_amount(what, random), device=device)


def _chance_amount(what: What, random: Random) -> int:
    amounts = {
        What.PACKET: random.choice([-1, 1]),
        What.JAM: random.randint(1, 4),
        What.REJECTED: 1,
        What.REMAINDER: 1,
        What.OVERDRAW: 1,
        What.NOISE: random.randint(1, 60),
        What.DROP: random.randint(1, 30),
        What.FLIP: random.randint(1, 4),
        What.STALL: random.randint(50, 800),
    }
    return amounts.get(what, 0)
