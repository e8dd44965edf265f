"""A shoe whose races end where a scenario wants them to, by seeded chance."""

from collections.abc import Sequence
from random import Random
from typing import Final

from dealwire.rehearsal.race_scenario import RaceGame, RacePlan, RaceScenario
from dealwire.rehearsal.strict import ScenarioError
from dealwire.rehearsal.trouble import At
from protocol.cards import DECK, Card

TRIES: Final = 200_000
"""The rarest end, five of a suit in five cards of one deck, comes once in 505 tries."""


def stack(scenario: RaceScenario, plans: Sequence[RacePlan], rng: Random, first: Sequence[Card] = ()) -> list[Card]:
    """All cards of a shoe for the races `plans`, as far as it goes; `first` are its first cards.

    ScenarioError when no order was found in which a race ends as it should.
    """
    rest = list(DECK) * scenario.decks
    rng.shuffle(rest)
    for card in first:
        rest.remove(card)
    if first:
        return [*first, *rest]
    order = [rest.pop() for _ in range(scenario.burn)]
    for number, plan in enumerate(plans, 1):
        spare = len(plan.troubles) + sum(trouble.amount for trouble in plan.troubles)
        if len(rest) < scenario.game.all + 1 + spare:
            break
        race = _race(scenario.game, plan, rest, rng)
        if race is None:
            why = f"no race was found that ends after {plan.ends} cards; {len(rest)} are left in the shoe"
            raise ScenarioError(scenario.id, f"rounds[{number}].ends", why)
        for card in race:
            rest.remove(card)
        for position, card in enumerate(race, 1):
            if plan.find(At.LOCKED, position):
                order.append(rest.pop())
            order.append(card)
        overdrawn = plan.find(At.OVERDRAW)
        order += [rest.pop() for _ in range(overdrawn.amount if overdrawn else 0)]
    return order + rest


def _race(game: RaceGame, plan: RacePlan, rest: list[Card], rng: Random) -> list[Card] | None:
    """The cards that leave the shoe in this race, in order; None when chance did not give any."""
    for _ in range(TRIES):
        cards = rng.sample(rest, game.all + 1)
        end = game.end_of(cards)
        if plan.ends in (0, end):
            if end > game.all and not plan.switched:
                end = game.all
            stopped = [t.card for t in plan.troubles if t.what is At.UNREAD and not t.named and t.card < end]
            return cards[: min([end, *stopped])]
    return None
