"""Simulated players at a table of a house: they bet as it has posted, and its dealer takes the posted rake."""

from collections.abc import Sequence
from dataclasses import replace

from msgspec.structs import replace as with_drop

from dealer_flow.procedure.load import Procedure
from dealwire.rehearsal.scenario import AnyScenario, Scenario
from dealwire.rehearsal.scenario_file import clean_scenario
from rules.facts.terms import agree
from rules.house.house import HouseRules
from rules.house.schema import HouseGamePart


def scenario_at_house(
    procedure: Procedure, seats: Sequence[int], source: str, house: HouseRules, part: HouseGamePart
) -> AnyScenario:
    """Return one clean round of a procedure with the options, blinds, sizes of bets and rake that a house has posted
    of a game."""
    posts = dict(part.forced_cents)
    if "big-blind" in posts and any(bet.name == "straddle" for bet in procedure.bet):
        posts.setdefault("straddle", 2 * posts["big-blind"])
    options = house.options(part, procedure)
    found = clean_scenario(procedure.at_house(house.posted(part)), seats, source=source, options=options, posts=posts)
    if not isinstance(found, Scenario) or part.structure is None:
        return found
    game = house.load(part)[1]
    rake = with_drop(house.rake(part), jackpot_cents=part.jackpot_rake_cents or 0)
    terms = agree(game, readings=house.readings(part, game), token_cents=house.spec.token_cents, rake=rake)
    return replace(found, terms=terms)
