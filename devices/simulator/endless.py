"""An evening that does not end: the rounds of a scenario again and again, with faults thrown in if wanted."""

import dataclasses
from collections.abc import Iterator
from random import Random
from typing import Final

from devices.simulator.scenario import RoundPlan, Scenario, places
from devices.simulator.trouble import AT_A_PACKET, LINE, Trouble, What
from protocol.places import seat

DEVICES: Final = ("shuffler", "table-controller")
AT_THE_END: Final = (What.REMAINDER, What.BURN, What.REVEAL_BEFORE_BURN)


class Rounds(tuple[RoundPlan, ...]):
    """A scenario's rounds, of which there is always one more. A share `faults` (0 to 1) of them has one trouble more.

    The same `seed` gives the same rounds.
    """

    faults: float = 0.0
    seed: int = 0
    scenario: Scenario

    def __iter__(self) -> Iterator[RoundPlan]:
        random = Random(self.seed)
        while True:
            for plan in super().__iter__():
                if random.random() >= self.faults:
                    yield plan
                    continue
                trouble = _trouble(self.scenario, plan, random)
                # A packet has one trouble: a dealer does not call a misdeal at what the device has stopped already.
                taken = {each.ordinal for each in plan.troubles}
                more = () if trouble.ordinal in taken else (trouble,)
                yield dataclasses.replace(plan, troubles=(*plan.troubles, *more))


def endless(scenario: Scenario, *, faults: float = 0.0, seed: int | None = None) -> Scenario:
    """`scenario` without an end; `seed` also shuffles the cards, otherwise the scenario's own does."""
    chosen = scenario.seed if seed is None else seed
    rounds = Rounds(scenario.rounds)
    rounds.faults, rounds.seed, rounds.scenario = faults, chosen, scenario
    return dataclasses.replace(scenario, rounds=rounds, seed=chosen)


def _trouble(scenario: Scenario, plan: RoundPlan, random: Random) -> Trouble:
    packets = len(places(scenario.game, plan))
    what = random.choice([*AT_A_PACKET, *AT_THE_END])
    ordinal = random.randint(1, packets) if what in AT_A_PACKET else 0
    if what is What.LIFTED_EARLY:  # people grab their own hand, not the house's
        own = [at for at, place in enumerate(places(scenario.game, plan), 1) if place == seat(plan.players[0].seat)]
        ordinal = own[0] if own else ordinal
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
    return Trouble(
        what,
        ordinal,
        amounts.get(what, 0),
        noticed=random.random() < 0.5,
        device=random.choice(DEVICES) if what in LINE else "shuffler",
        positions=tuple(sorted(random.sample(range(1, scenario.game.packet_size + 1), 3))) if what is What.BURN else (),
    )
