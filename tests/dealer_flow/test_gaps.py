"""Both lines are lost for a while, and each device has kept only its latest events: payments match the deal, and every
round is published by its number."""

from __future__ import annotations

from random import Random

import pytest

from dealer_flow.play.flow import DealerFlow
from dealer_flow.record.result import RoundResult
from devices import events as e
from protocol.cards import DECK
from tests.support.dealing.hand_table import CONTROLLER, DEVICE, HandTable

ROUNDS = 5


def evening(random: Random) -> HandTable:
    """Some rounds in which nothing goes wrong, no two alike."""
    table = HandTable(reads=True)
    for _ in range(ROUNDS):
        cards, seats = random.sample(DECK, 52), sorted(random.sample(range(1, 6), random.randint(1, 3)))
        antes = {seat: 100 * random.randint(1, 50) for seat in seats}
        for seat, ante in antes.items():
            table.bet(seat, ante=ante, blind=ante)
        table.start()
        for at in range(len(seats) + 2):
            table.deal(" ".join(card.text for card in cards[5 * at : 5 * at + 5]))
        table.dump().burn()
        for seat, ante in antes.items():
            table.bet(seat, play=ante).choose(seat, 2)
        table.end()
    assert [result.outcome for result in table.results] == ["complete"] * ROUNDS, table.codes
    return table


def heard_of(seen: list[e.Seen], random: Random) -> tuple[list[e.Seen], set[int]]:
    """Return the reports that a host receives, and the rounds whose END GAME is lost."""
    lost_at, back_at = sorted(random.sample(range(1, len(seen)), 2))
    at_ns = seen[back_at].at_ns
    backlog: dict[str, list[e.Seen]] = {CONTROLLER: [], DEVICE: []}
    for each in seen[lost_at:back_at]:
        backlog[each.device].append(each)
    gone: set[int] = set()
    for device, kept in backlog.items():
        full = kept[: random.choice([0, random.randint(0, len(kept))])]
        if full:
            gone |= {each.body.round for each in full if isinstance(each.body, e.GameEnded)}
            lost = e.EventsLost(full[0].number, full[-1].number)
            kept[: len(full)] = [e.Seen(device, full[0].session, 0, at_ns, lost)]
    merged = []
    while any(backlog.values()):
        merged.append(backlog[random.choice([device for device, kept in backlog.items() if kept])].pop(0))
    silent = [e.Seen(device, 0, 0, at_ns, e.LinkLost("unplugged")) for device in backlog]
    return [*seen[:lost_at], *silent, *merged, *seen[back_at:]], gone


def as_paid(result: RoundResult) -> object:
    """All that money follows from."""
    return result.seats, result.dealer, result.community, result.burned


@pytest.mark.every(3)
@pytest.mark.parametrize("seed", range(8))
def test_what_is_paid_was_dealt_and_every_round_is_made_known(seed: int) -> None:
    random = Random(seed)
    table = evening(random)
    truth = {result.round: as_paid(result) for result in table.results}
    whole = unreliable = 0
    for _ in range(12):
        flow = DealerFlow(table.procedure)
        seen, gone = heard_of(table.seen, random)
        found = [item for each in seen for item in flow.handle(each)] + [*flow.finish()]
        rounds = [item for item in found if isinstance(item, RoundResult)]
        named = [item for result in rounds for item in result.incidents if item.code == "rounds-lost"]
        told = {number for item in named for number in range(item.first or 0, (item.last or item.first or 0) + 1)}
        numbers = [result.round for result in rounds]
        assert len({*numbers}) == len(numbers), "no round twice"
        oldest, newest = min(numbers), max(numbers)  # whether there were any before, no count can say
        assert {*range(oldest, newest + 1)} == {*numbers} | told
        assert not told & {*numbers}
        assert told <= gone
        for result in rounds:
            if result.outcome == "complete":
                assert as_paid(result) == truth[result.round]
                whole += 1
            else:
                unreliable += 1
    assert whole
    assert unreliable
