"""Every game, dealt by somebody who does what `legal()` lists: it ends well. And by somebody who does not: it ends."""

from random import Random

import pytest

from dealer_flow.procedure.load import known_procedures, load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from tests.dealer_flow import test_step_games as games
from tests.support.evenings.legal_play import LegalPlay
from tests.support.evenings.procedure_rounds import DEALT_OTHERWISE
from tests.support.reading.each import of_each

SMALL = {
    "riding": games.LET_IT_RIDE,
    "holdem": games.HOLDEM,
    "stud": games.STUD,
    "draw": games.DRAW,
    "positions": games.PAI_GOW,
    "named": games.NAMED,
    "choices": games.CHOICES,
}
ALL = SMALL | {name: load_procedure(name) for name in known_procedures()} | DEALT_OTHERWISE
OUT_OF_ORDER = {"out-of-turn", "reveal-before-burn", "wrong-burn", "unknown-seat", "unknown-bet", "unknown-decision"}


def incidents(play: LegalPlay) -> list[Incident]:
    return [item for item in play.found if isinstance(item, Incident)]


@of_each("name", ALL)
def test_what_is_legal_leads_to_a_complete_round(name: str) -> None:
    """No misdeal is called, no badge swiped: the round is complete in any order."""
    play = LegalPlay(ALL[name], Random(name))
    for _ in range(400):
        play.step(rare=False)
        if any(isinstance(item, RoundResult) for item in play.found):
            break
    (result,) = [item for item in play.found if isinstance(item, RoundResult)]
    found = {incident.code for incident in incidents(play)} - {"cut-card", "misdeal-called", "award-taken-back"}
    if name == "race-to-the-flush":  # its cards are drawn from a few faces only
        found -= {"duplicate-face", "card-overdrawn"}
        assert result.outcome in ("complete", "defective-deck")
    else:
        assert (result.outcome, found) == ("complete", set())
        pots = {bet.name for bet in ALL[name].bet if bet.pot is not None}  # one that nobody else placed goes back
        assert all(set(seat.returned) <= pots for seat in result.seats)


@pytest.mark.every(4)
@pytest.mark.parametrize("name", ALL)
def test_what_is_legal_is_never_out_of_order(name: str) -> None:
    play = LegalPlay(ALL[name], Random(f"{name} again"))
    for _ in range(200):
        item = play.step()
        assert not {incident.code for incident in incidents(play)} & OUT_OF_ORDER, (item, play.found)


@pytest.mark.every(8)
@pytest.mark.parametrize("name", ALL)
def test_whatever_is_reported_is_answered(name: str) -> None:
    play = LegalPlay(ALL[name], Random(f"{name} wild"))
    for _ in range(250):
        if play.random.random() < 0.15:
            play.anything()
        else:
            play.step()
        assert play.flow.legal()
    for item in play.found:
        if isinstance(item, RoundResult):
            assert RoundResult.from_json(item.to_json()) == item
            for seat in item.seats:
                assert seat.returned.items() <= seat.wagers.items()
                assert not seat.returned or item.outcome != "unreliable"
