"""Scenarios: players, their bets and choices, and faults. `scenario_file` reads them.

An endless scenario repeats its rounds, with random faults if wanted.
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
"""Cents by name of the bet."""


class SimulatedPlayer(Part):
    """Player at one seat.

    - `wagers`: cents by bet.
    - `choices`: decisions in order; after these, `decision`, which is a choice by name or `basic` (by the cards).
    - `switch`: cents moved to another bet before the extra card of a race.
    - `declares`: reveals the hand wherever that is allowed.
    - `stake`: cents of a buy-in, whenever no chips are left, in games between players.
    - `style`: betting style, also for decisions by the cards.
    """

    seat: Annotated[int, Field(ge=1, le=SEATS_MAX)]
    wagers: Bets = Field(default_factory=dict)
    decision: str = "basic"
    choices: tuple[str, ...] = ()
    switch: Bets = Field(default_factory=dict)
    declares: bool = False
    stake: Annotated[int, Field(ge=1, le=2**32 - 1)] = STAKE
    style: StyleName = ""

    def chooses(self, offered: Sequence[str], made: int) -> str:
        """Return the planned choice after `made` others; `basic` if the cards decide, empty if there is none."""
        if made < len(self.choices):
            return self.choices[made]
        return self.decision if self.decision == "basic" or self.decision in offered else ""


class BasicPlay(Part):
    """Basic strategy of a player without a plan: plays with at least `least` cards of one suit, including `wild`
    ranks."""

    wild: Annotated[str, Field(pattern=f"^[{RANKS}]?$")] = ""
    least: Annotated[int, Field(ge=1, le=13)]


class HousePart(Part):
    """Terms of the house at this table, by which the dealer awards pots. Names are those of the options of `dealwire
    settle`; money is in cents."""

    token: WagerField = 25
    rake: str = NO_PERCENT
    rake_cap: WagerField | None = None
    rake_step: WagerField | None = None
    jackpot_rake: AmountField = 0
    readings: dict[str, str] = Field(default_factory=dict)

    def figure(self) -> HouseRake:
        """Return the rake."""
        return HouseRake(self.rake, self.rake_cap, self.rake_step, self.jackpot_rake)


class Award(Part):
    """Award at the controller after the hands were revealed: seat, hand button, and the card that completes it.

    If `slips`, the button is pressed by accident and again to undo it, before it is pressed for good.
    """

    seat: int
    hand: Annotated[int, Field(ge=1, le=255)]
    card: Literal["supervisor", "executive"] = "supervisor"
    slips: bool = False

    @property
    def level(self) -> BadgeLevel:
        """Level of the card."""
        return BadgeLevel[self.card.upper()]


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """One round.

    - `players`: in rising order of seats.
    - `number`: the seat that gets cards first if one is drawn, 0 for the dealer.
    - `house_draws`: number of cards that the house exchanges.
    - `ends`: number of cards after which a race ends, 0 for random.
    """

    players: tuple[SimulatedPlayer, ...]
    troubles: tuple[PlannedTrouble, ...]
    awards: tuple[Award, ...] = ()
    number: int | None = None
    house_draws: int = 0
    ends: int = 0

    def find(self, what: What, ordinal: int = 0) -> PlannedTrouble | None:
        """Return the trouble of a kind at a packet or card, or None."""
        return next((trouble for trouble in self.troubles if (trouble.what, trouble.ordinal) == (what, ordinal)), None)


DEVICES: Final = {"packet-shuffler": "shuffler", "card-shoe": "shoe", "hand": "hand"}
"""Device at the table, by the procedure's `device`. A game dealt by `hand` has none."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Script of a simulated table. The same seed gives the same cards."""

    id: str
    seed: int
    recognition: bool
    procedure: RehearsedProcedure
    rounds: tuple[RoundPlan, ...]
    basic: BasicPlay | None = None
    """Without it, players without a plan play any hand."""
    cut_after: int | None = None
    """Position of the cut card in a shoe."""
    dealt_by: str = ""
    """Procedure as the file names it: an id, or a file of your own."""
    packet_stays: bool = False
    """True if the shuffler counts a packet that was not lifted separately from the remainder."""
    posts: Mapping[str, int] = field(default_factory=dict)
    """Bets before the first card, in cents by bet, if they differ from the usual amounts."""
    house: HousePart = field(default_factory=HousePart)
    """Terms of the table."""
    terms: Terms | None = None
    """The terms as the game's rules have them, to award pots; None if no game decides who wins them."""
    forever: bool = False
    """True if the rounds are repeated endlessly."""
    faults: float | None = None
    """Share of those rounds, from 0 to 1, in which one random fault happens instead of the planned ones."""
    whole_deck: bool = False
    """True if a shuffler hands the dealer of a game by hand the whole deck."""

    @property
    def device(self) -> str:
        """Source of the cards: `shuffler`, `shoe` or the dealer's `hand`."""
        return DEVICES[self.procedure.plan.procedure.device]

    @property
    def beside(self) -> str:
        """Device at the table beside the controller: the source of the cards, or the shuffler of a whole deck."""
        return "shuffler" if self.whole_deck else self.device

    def plans(self) -> Iterator[RoundPlan]:
        """Yield the rounds in order. The same seed gives the same faults."""
        random = Random(self.seed)
        for turn, round_ in enumerate(cycle(self.rounds) if self.forever else self.rounds):
            plan = _with_button(round_, turn) if self.forever and self.procedure.plan.button else round_
            yield plan if self.faults is None else _by_chance(plan, self.faults, random, partial(_mishap, self))


class RaceGame:
    """Procedure whose cards are drawn into columns, as simulated people play it."""

    def __init__(self, procedure: Procedure) -> None:
        shoe = Plan(procedure, {}).shoe
        assert shoe is not None
        self.shoe = shoe
        self.all = shoe.all_end or len(shoe.columns) * ((shoe.column_end or 1) - 1) + 1
        """Maximum number of cards."""
        self.bets = {bet.name: bet.number for bet in procedure.bet}

    def end_of(self, cards: list[Card]) -> int:
        """Return the number of `cards` after which a column is full; `all` + 1 if none of the first `all` fills one, 0
        if the race is still open."""
        end = Draw(self.shoe, cards).end
        if end is None:
            return 0
        return end.cards if end.column else self.all + 1


@dataclass(frozen=True, slots=True)
class RaceScenario:
    """Script of a simulated shoe. The same seed gives the same cards."""

    id: str
    seed: int
    game: RaceGame
    decks: int
    cards: tuple[Card, ...]
    """First cards of the first shoe; empty for random ones."""
    burn: int
    cut_after: int | None
    round_limit: int | None
    rounds: tuple[RoundPlan, ...]
    dealt_by: str = ""
    """Procedure as the file names it: an id, or a file of your own."""
    forever: bool = False
    """True if the races are repeated endlessly. A race that cannot end as planned with the remaining cards ends at
    random."""
    faults: float | None = None
    """Share of random faults, as in `Scenario`."""
    device: ClassVar[str] = "shoe"

    def plans(self) -> Iterable[RoundPlan]:
        """Return the races in order."""
        return map(self._plan, count()) if self.forever else self.rounds

    def plans_from(self, number: int) -> Sequence[RoundPlan]:
        """Return the races from `number` (counted from 0), as many as a shoe may hold."""
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
    """Dealer's knowledge of a round: a `RoundView` for the procedure's steps. `plays` tells if a seat's hand is in
    play."""

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
        """Number of choices made, by seat."""
        self.chosen = {number: set[str]() for number in self.active}
        self._done = set[int]()
        self._draws = dict[int, int]()
        self._plays = plays

    @property
    def live(self) -> list[int]:
        """Seats that have not folded and whose hand is in play."""
        return [number for number in self.active if number not in self.folded and self._plays(number)]

    @property
    def drawing(self) -> list[int]:
        """Live seats that still have choices."""
        return [number for number in self.live if number not in self._done]

    def draws(self, number: int) -> int:
        """Return the number of cards that the seat exchanges."""
        return self._draws.get(number, 0)

    def chooses(self, step: DecideStep, number: int) -> bool:
        """Return True if the seat has a choice in this step."""
        return number in self.drawing and (step.only is None or step.only in self.wagers[number])

    def choose(self, number: int, choice: DecisionPart | None) -> None:
        """Record the seat's choice, or None."""
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
    """Return the planned packets of a round, including those dealt by hand. No hand is dead, and players who decide by
    the cards play on."""
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
    """Return the places of a round's packets, in the order of dealing."""
    return tuple(packet.place for packet in packets(procedure, round_))


# ------------------------------------------------------------------ without an end

AT_THE_BURN: Final = (What.BURN, What.REVEAL_BEFORE_BURN)


def _by_chance(
    plan: RoundPlan, rate: float, random: Random, mishap: Callable[[RoundPlan, Random], PlannedTrouble]
) -> RoundPlan:
    """Return the round with one random fault, or none."""
    return replace(plan, troubles=(mishap(plan, random),) if random.random() < rate else ())


def _with_button(plan: RoundPlan, turn: int) -> RoundPlan:
    """Return the round with the button moved by `turn` players."""
    seats = [player.seat for player in plan.players]
    first = next((at for at, number in enumerate(seats) if number >= (plan.number or 0)), 0)
    return replace(plan, number=seats[(first + turn) % len(seats)])


AnyKind = TypeVar("AnyKind", bound=AnyScenario)


def endless(scenario: AnyKind, *, faults: float | None = None, seed: int | None = None) -> AnyKind:
    """Return `scenario` without an end. With a rate `faults` (0 to 1), that share of its rounds has one random fault,
    instead of the scenario's own. `seed` also determines the cards; by default it is the scenario's."""
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
    """Return as many positions as are to be burned, but wrong ones."""
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
