"""An evening that does not end: the rounds of a scenario again and again, with faults thrown in if wanted."""

import dataclasses
from collections.abc import Iterator
from itertools import cycle
from random import Random
from typing import Final

from dealwire.rehearsal.scenario import RoundPlan, Scenario, places
from dealwire.rehearsal.trouble import AT_A_PACKET, LINE, PlannedTrouble, What
from protocol.places import seat

DEVICES: Final = ("shuffler", "table-controller")
AT_THE_END: Final = (What.REMAINDER, What.BURN, What.REVEAL_BEFORE_BURN)


@dataclasses.dataclass(frozen=True, slots=True)
class EndlessScenario(Scenario):
    """A scenario whose rounds are dealt again and again; a share `faults` (0 to 1) of them has one trouble more.

    The same seed gives the same rounds.
    """

    faults: float = 0.0

    def plans(self) -> Iterator[RoundPlan]:
        """The rounds in their order, without an end."""
        random = Random(self.seed)
        for plan in cycle(self.rounds):
            if random.random() >= self.faults:
                yield plan
                continue
            trouble = _trouble(self, plan, random)
            # A packet has one trouble: a dealer does not call a misdeal at what the device has stopped already.
            taken = {each.ordinal for each in plan.troubles}
            more = () if trouble.ordinal in taken else (trouble,)
            yield dataclasses.replace(plan, troubles=(*plan.troubles, *more))


def endless(scenario: Scenario, *, faults: float = 0.0, seed: int | None = None) -> EndlessScenario:
    """`scenario` without an end; `seed` also shuffles the cards, otherwise the scenario's own does."""
    content = {field.name: getattr(scenario, field.name) for field in dataclasses.fields(Scenario)}
    chosen = scenario.seed if seed is None else seed
    return EndlessScenario(**(content | {"faults": faults, "seed": chosen}))


def _trouble(scenario: Scenario, plan: RoundPlan, random: Random) -> PlannedTrouble:
    to = places(scenario.procedure, plan)
    what = random.choice([*AT_A_PACKET, *AT_THE_END])
    ordinal = random.randint(1, len(to)) if what in AT_A_PACKET else 0
    if what is What.LIFTED_EARLY:  # people grab their own hand, not the house's
        own = [at for at, place in enumerate(to, 1) if place == seat(plan.players[0].seat)]
        ordinal = own[0] if own else ordinal
    positions = range(1, scenario.procedure.packet_size + 1)
    amounts = {
        What.PACKET: random.choice([-1, 1]),
        What.JAM: random.randint(1, 4),
        What.REJECTED: 1,
        What.REMAINDER: 1,
        What.NOISE: random.randint(1, 60),
        What.DROP: random.randint(1, 30),
        What.FLIP: random.randint(1, 4),
        What.STALL: random.randint(50, 800),
    }
    return PlannedTrouble(
        what,
        ordinal,
        amounts.get(what, 0),
        noticed=random.random() < 0.5,
        device=random.choice(DEVICES) if what in LINE else "shuffler",
        positions=tuple(sorted(random.sample(positions, 3))) if what is What.BURN else (),
    )
