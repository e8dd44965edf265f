"""The same race dealt by three simulated shoes, each in its own dialect through its real link, is the same round."""

from typing import Any

import pytest
from msgspec.structs import replace

from dealer_flow.play.flow import DealerFlow
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from devices import events as e
from protocol.cards import UNREAD, parse_cards
from protocol.places import SHOE
from protocol.tdp import messages as m
from rules import settle
from tests.support.dealing.races import GAME, PROCEDURE, SPOTS
from tests.support.evenings.simulated_shoe import DIALECTS, ShoeEvening

# Seed of the simulated shoe -> the card at which its first race ends; 17 stands for no flush in 16.
SEEDS = {109: 5, 12: 11, 11: 16, 4: 17}


def evening(dialect: str, seed: int, *acts: str, **options: int) -> ShoeEvening:
    return ShoeEvening(["fill", "begin 0", *acts, "end round"], dialect, decks=1, seed=seed, **options).run()


def play(shoe: ShoeEvening, name: str | None = None, moved: int = 0) -> tuple[RoundResult, list[Incident]]:
    """Play the shoe's reports, with a person who bets, closes the bets before the first card and ends the game.

    `name` is the name a supervisor gives an unread card; `moved` cents go to hearts before the 17th card.
    """
    flow = DealerFlow(PROCEDURE)
    out: list[RoundResult | Incident] = []
    numbers = iter(range(1, 100))

    def table(*bodies: e.Body) -> None:
        for body in bodies:
            out.extend(flow.handle(e.Seen("controller-1", 7, next(numbers), 1, body)))

    table(e.WagerPlaced(1, SPOTS["red"], 500), e.WagerPlaced(2, SPOTS["number-17"], 400))
    drawn = 0
    for seen in shoe.seen:
        if isinstance(seen.body, e.CardDrawn | e.CardUnread):
            if not drawn:
                table(e.GameStarted(1))
            if drawn == 16 and moved:
                table(e.WagerPlaced(2, SPOTS["switch-hearts"], moved))
            drawn += 1
        out.extend(flow.handle(seen))
        if isinstance(seen.body, e.CardUnread) and name:
            table(e.BadgeSwiped(77, "supervisor"), e.HandRevealed(SHOE, parse_cards(name), True))
    table(e.GameEnded(1))
    results = [item for item in out if isinstance(item, RoundResult)]
    assert len(results) == 1
    return results[0], [item for item in out if isinstance(item, Incident)]


def unsigned(result: RoundResult) -> RoundResult:
    """Without the power-up session, which is random, and the events' numbers, which each dialect counts its own way."""
    bare = tuple(replace(item, events=()) for item in result.incidents)
    return replace(result, session="", incidents=bare)


@pytest.mark.parametrize(("seed", "ends"), SEEDS.items())
def test_a_clean_race(seed: int, ends: int) -> None:
    draws = ["draw"] * ends
    told = {dialect: play(evening(dialect, seed, *draws), moved=100 if ends == 17 else 0) for dialect in DIALECTS}
    rounds = [unsigned(result) for result, _ in told.values()]
    assert rounds[0] == rounds[1] == rounds[2]
    assert rounds[0].to_json() == rounds[1].to_json() == rounds[2].to_json()
    assert rounds[0].outcome == "complete"
    assert all(incidents == [] for _, incidents in told.values())
    assert rounds[0].draw is not None
    assert rounds[0].draw.finish is not None
    assert rounds[0].draw.finish.cards == ends
    assert settle(rounds[0], GAME).status == "settled"


def test_an_unread_card_that_a_supervisor_names() -> None:
    acts = ["draw", "draw", "draw unread", "clear", *["draw"] * 8]
    truth = evening("tdp", 12, *acts).table.model.drawn[2].text
    rounds = [play(evening(dialect, 12, *acts), name=truth)[0] for dialect in DIALECTS]
    assert [result.outcome for result in rounds] == ["complete"] * 3
    assert rounds[0].draw == rounds[1].draw == rounds[2].draw
    assert rounds[0].draw is not None
    assert rounds[0].draw.named[0].card == truth
    assert UNREAD.text not in rounds[0].draw.cards


def test_an_unread_card_that_nobody_names() -> None:
    acts = ["draw", "draw", "draw unread", "clear", *["draw"] * 8]
    for dialect in DIALECTS:
        result, _ = play(evening(dialect, 12, *acts))
        assert result.outcome == "unreliable"
        assert settle(result, GAME).status == "held"


def test_a_card_that_the_simulated_shoe_doubts() -> None:
    """The confidence of its model's reader arrives over the wire; the same card named gives the same race."""
    shoe = ShoeEvening(["fill", "begin 0", *["draw"] * 11, "end round"], "tdp", decks=1, seed=12)
    say = shoe.table.model.say

    def doubting(event: type[m.Event], request: int = 0, **fields: Any) -> bool:
        third = event is m.CardDrawnMessage and fields["ordinal"] == 3
        return say(event, request, **fields | ({"confidence": 35} if third else {}))

    shoe.table.model.say = doubting  # type: ignore[method-assign]
    result, incidents = play(shoe.run())
    assert [item.code for item in incidents] == ["card-doubtful", *["draw-before-named"] * 8, "out-of-turn"]
    assert (incidents[0].number, incidents[0].confidence, incidents[0].flags) == (3, 35, ("index", "code"))
    assert incidents[0].cards == (shoe.table.model.drawn[2].text,)
    assert result.outcome == "unreliable"


def test_an_overdraw_in_every_dialect() -> None:
    rounds = [unsigned(play(evening(dialect, 12, *["draw"] * 12))[0]) for dialect in DIALECTS]
    assert rounds[0] == rounds[1] == rounds[2]
    assert [item.code for item in rounds[0].incidents] == ["card-overdrawn"]
    assert rounds[0].outcome == "complete"


def test_the_cut_card_mid_race() -> None:
    rounds = [unsigned(play(evening(dialect, 12, *["draw"] * 11, cut_after=4))[0]) for dialect in ("tdp", "angel-eye")]
    assert rounds[0] == rounds[1]
    assert [item.code for item in rounds[0].incidents] == ["cut-card"]
    assert rounds[0].outcome == "complete"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_card_pushed_back_is_never_settled(dialect: str) -> None:
    result, incidents = play(evening(dialect, 12, *["draw"] * 4, "push back", "clear", *["draw"] * 8))
    assert incidents
    assert result.outcome in ("unreliable", "defective-deck")
    assert settle(result, GAME).totals.players == 0


def test_a_listener_hears_every_card_three_times_and_deals_each_once() -> None:
    shoe = evening("angel-eye", 12, *["draw"] * 11)
    assert shoe.link.stats.repeats > 11  # type: ignore[attr-defined]
    result, incidents = play(shoe)
    assert result.draw is not None
    assert (len(result.draw.cards), incidents) == (11, [])
