"""For arbitrary reports of a shoe and a table in any order the flow answers, and no uncertain race is complete."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dealer_flow.play.flow import DealerFlow
from dealer_flow.record.catalogue import INCIDENTS
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from devices import events as e
from protocol.cards import CARDS, DECK, UNREAD, Card
from protocol.places import PLACES, SHOE
from rules import settle
from tests.support.dealing.races import GAME, PROCEDURE

ordinals = st.none() | st.integers(0, 20)
places = st.sampled_from([None, "player", "burn"])
cards = st.sampled_from(DECK) | st.sampled_from(CARDS)
any_body = st.one_of(
    st.builds(e.CardDrawn, ordinals, cards, places),
    st.builds(e.CardDrawn, st.none(), st.sampled_from(DECK), st.none()),
    st.builds(e.CardUnread, ordinals, places),
    st.builds(e.CardReportedAgain, ordinals, cards, places),
    st.builds(e.DrawWhileLocked, cards),
    st.builds(e.CardDrawnOutside, cards, st.sampled_from(["error", "setup"])),
    st.just(e.CutCardSeen()),
    st.builds(e.Overdrawn, st.booleans()),
    st.builds(e.CardPushedBack, st.booleans()),
    st.builds(e.CardPulledBack, st.booleans()),
    st.builds(e.ShoeError, st.integers(0, 700), st.booleans(), st.just("words")),
    st.builds(e.ShoeErrorCleared, st.integers(0, 700), st.integers(0, 9)),
    st.builds(e.ShoeLoaded, st.integers(0, 9), st.integers(0, 9), st.sampled_from([0, 1, 51, 52, 416])),
    st.builds(e.ShoeEnded, st.integers(0, 9), st.integers(0, 60)),
    st.builds(e.BurnStarted, st.integers(0, 3)),
    st.builds(e.ShoeLocked, st.booleans()),
    st.just(e.ShoeResult("banker")),
    st.builds(e.BadgeSwiped, st.integers(0, 9), st.sampled_from(["dealer", "supervisor", "0x07"])),
    st.builds(
        e.HandRevealed, st.sampled_from([SHOE, PLACES[1]]), st.lists(cards, max_size=2).map(tuple), st.booleans()
    ),
    st.builds(e.CardsCounted, st.sampled_from([SHOE, PLACES[1]]), st.integers(0, 60)),
    st.builds(e.WagerPlaced, st.integers(0, 9), st.integers(0, 50), st.integers(0, 500)),
    st.builds(e.MisdealCalled, st.integers(0, 9), st.integers(0, 700)),
    st.builds(e.FaultRaised, st.integers(0, 700), st.just(SHOE), st.just(0)),
    st.builds(e.PacketLifted, st.integers(0, 3)),
    st.builds(e.EventsLost, st.just(1), st.just(2)),
    st.builds(e.LinkLost, st.just("silent")),
    st.builds(e.SessionChanged, st.just(1), st.integers(1, 3)),
    st.builds(e.GameStarted, st.just(1)),
    st.builds(e.GameEnded, st.just(1)),
)
DOUBT = {"draw-before-close", "events-lost", "session-changed", "shoe-over", "other-shoe"}


Report = tuple[str, e.Body]
any_report = st.tuples(st.sampled_from(["shoe-1", "controller-1"]), any_body)


@given(st.lists(any_report, max_size=40))
@settings(max_examples=120)
def test_anything_may_be_reported(reports: list[Report]) -> None:
    play(reports)


@pytest.mark.more
@given(st.permutations(DECK), st.lists(st.tuples(st.integers(0, 19), any_report), max_size=3))
@example(list(DECK), [(0, ("shoe-1", e.WagerPlaced(1, 5, 1))), (3, ("shoe-1", e.WagerPlaced(1, 5, 0)))])
@settings(max_examples=200)
def test_a_race_into_which_anything_is_reported(
    deck: list[Card], strange: list[tuple[int, tuple[str, e.Body]]]
) -> None:
    reports: list[Report] = [
        ("controller-1", e.WagerPlaced(1, 21, 500)),
        ("controller-1", e.GameStarted(1)),
    ]
    suits = [card.suit for card in deck]
    ends = next((n for n in range(5, 17) if suits[:n].count(suits[n - 1]) == 5), 16)
    reports += [("shoe-1", e.CardDrawn(number, card, None)) for number, card in enumerate(deck[:ends], 1)]
    for at, report in strange:
        reports.insert(at, report)
    results = play([*reports, ("controller-1", e.GameEnded(1))])
    assert strange or [result.outcome for result in results] == ["complete"]


def play(reports: list[Report]) -> list[RoundResult]:
    flow = DealerFlow(PROCEDURE)
    out: list[RoundResult | Incident] = []
    for number, (device, body) in enumerate(reports, 1):
        out += flow.handle(e.Seen(device, 1, number, number, body))
        assert flow.legal()
    out += flow.finish()
    assert {item.code for item in out if isinstance(item, Incident)} <= set(INCIDENTS)
    results = [item for item in out if isinstance(item, RoundResult)]
    for result in results:
        judge(result)
    return results


def judge(result: RoundResult) -> None:
    assert RoundResult.from_json(result.to_json()) == result
    settlement = settle(result, GAME)
    assert settlement.totals.players + settlement.totals.house == 0
    if result.outcome != "complete":
        assert settlement.totals.players == 0
        return
    assert result.draw is not None
    assert result.draw.finish is not None
    assert UNREAD.text not in result.draw.cards
    assert not DOUBT & {incident.code for incident in result.incidents}
    assert (settlement.status == "settled") == (not any(seat.held for seat in result.seats))
    suits = [card[1] for card in result.draw.cards]
    ends = next((n for n in range(5, 17) if suits[:n].count(suits[n - 1]) == 5), 16)
    assert result.draw.finish.cards == len(suits)
    assert len(suits) in (ends, 17)
