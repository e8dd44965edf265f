"""Whatever is wrong in a round, the fast engine leaves it to the flow, and has changed nothing."""

from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

import pytest

from dealer_flow.decks import Decks
from dealer_flow.express import ExpressFlow
from dealer_flow.express_round import WholeRounds
from dealer_flow.machine import DealerFlow
from dealer_flow.plan import Plan
from dealer_flow.procedure import load_procedure
from dealer_flow.result import RoundResult
from devices.events_in_bulk import BulkRound
from devices.express import play_express
from protocol.places import COMMUNITY, DEALER, PLACES
from tests.support.evenings import evening

PLAN = Plan(load_procedure("flushes-gone-wild.co"), {})
Wrong = Callable[[BulkRound], dict[str, Any]]


@cache
def kept() -> list[tuple[BulkRound, Decks]]:
    """The rounds of a clean evening that are judged whole, and what was remembered of the decks before each."""
    rounds: list[tuple[BulkRound, Decks]] = []

    class Keeping(ExpressFlow):
        def take(self, bulk: BulkRound) -> bool:
            rounds.append((bulk, deepcopy(flow.decks)))
            return super().take(bulk)

    flow = DealerFlow(PLAN.procedure)
    play_express(evening(21, 40), Keeping(flow, lambda _: None))
    return rounds


def judge(bulk: BulkRound, decks: Decks) -> RoundResult | None:
    return WholeRounds(PLAN, "table-1").judge(bulk, decks)


def played() -> tuple[BulkRound, Decks]:
    """A round in which two seats or more play and one folds, and what was remembered of the decks before it."""
    for bulk, decks in kept():
        names = [PLAN.decisions[choice].name for _, choice in bulk.decisions]
        if len(names) > sum(name not in PLAN.folds for name in names) >= 2 and bulk.counted and bulk.loaded:
            return bulk, deepcopy(decks)
    raise AssertionError("no such round")


def test_the_rounds_are_right_as_they_are() -> None:
    assert len(kept()) == 39
    assert all(judge(bulk, deepcopy(decks)) is not None for bulk, decks in kept())


def first(values: list[Any], **fields: Any) -> list[Any]:
    """The same with the first one changed: `at0=…` sets its item 0."""
    changed = list(values[0])
    for name, value in fields.items():
        changed[int(name.removeprefix("at"))] = value
    return [tuple(changed), *values[1:]]


def live_seat(bulk: BulkRound) -> int:
    return next(seat for seat, choice in bulk.decisions if PLAN.decisions[choice].name not in PLAN.folds)


def with_faces(bulk: BulkRound, place: int, faces: bytes) -> dict[str, Any]:
    return {"shown": [(at, faces if at == place else cards) for at, cards in bulk.shown]}


def faces_at(bulk: BulkRound, place: int) -> bytes:
    return dict(bulk.shown)[place]


def later_first(bulk: BulkRound) -> dict[str, Any]:
    """The dealer's hand before a live player's, or the other way round: what the procedure has last comes first."""
    order = [PLAN.reveal_order.index(PLAN.kind(PLACES[at])) if _has_turn(at) else -1 for at, _ in bulk.shown]
    last = bulk.shown[order.index(max(order))]
    return {"shown": [last, *(item for item in bulk.shown if item != last)]}


def _has_turn(at: int) -> bool:
    return PLAN.kind(PLACES[at]) in PLAN.reveal_order


WRONG: dict[str, Wrong] = {
    "a bet at a seat that is none": lambda b: {"wagers": [(PLAN.most_seats + 1, *bet[1:]) for bet in b.wagers]},
    "a bet at seat 0": lambda b: {"wagers": first(b.wagers, at0=0)},
    "a spot that is no bet": lambda b: {"wagers": first(b.wagers, at1=99)},
    "a bet taken back": lambda b: {"wagers": [(seat, spot, 0) for seat, spot, _ in b.wagers]},
    "two rounds begun": lambda b: {"started": [*b.started, *b.started]},
    "the end of another round": lambda b: {"ended": [b.ended[0] + 1]},
    "no remainder": lambda b: {"dumped": []},
    "a remainder one short": lambda b: {"dumped": first(b.dumped, at2=b.dumped[0][2] - 1)},
    "a remainder of another deck": lambda b: {"dumped": first(b.dumped, at0=b.dumped[0][0] + 1)},
    "a packet one short": lambda b: {"dispensed": first(b.dispensed, at3=b.dispensed[0][3] - 1)},
    "a packet that is longer by order": lambda b: {"dispensed": first(b.dispensed, at2=b.dispensed[0][2] + 1)},
    "a packet of another deck": lambda b: {"dispensed": first(b.dispensed, at0=7)},
    "a packet whose faces were read": lambda b: {"dispensed": first(b.dispensed, at4=5)},
    "packets in another order": lambda b: {"dispensed": [b.dispensed[1], b.dispensed[0], *b.dispensed[2:]]},
    "another packet lifted": lambda b: {"lifted": [9, *b.lifted[1:]]},
    "no burn": lambda b: {"burns": []},
    "a burn of other cards": lambda b: {"burns": first(b.burns, at1=(1, 2, 3))},
    "a burn at another place": lambda b: {"burns": first(b.burns, at0=int(DEALER))},
    "a burn twice": lambda b: {"burns": [*b.burns, *b.burns]},
    "a choice that is none": lambda b: {"decisions": first(b.decisions, at1=99)},
    "a choice of a seat without a bet": lambda b: {"decisions": first(b.decisions, at0=PLAN.most_seats + 1)},
    "a seat that does not choose": lambda b: {"decisions": b.decisions[1:]},
    "a seat that chooses twice": lambda b: {"decisions": [*b.decisions, b.decisions[0]]},
    "a count one short": lambda b: {"counted": first(b.counted, at1=b.counted[0][1] - 1)},
    "a count where nothing lies": lambda b: {"counted": first(b.counted, at0=200)},
    "a place shown twice": lambda b: {"shown": [*b.shown, b.shown[-1]]},
    "a card shown at two places": lambda b: with_faces(
        b, live_seat(b), faces_at(b, live_seat(b))[:-1] + faces_at(b, COMMUNITY)[:1]
    ),
    "a card that is not of the deck": lambda b: with_faces(b, live_seat(b), faces_at(b, live_seat(b))[:-1] + b"\x51"),
    "a card too few": lambda b: with_faces(b, live_seat(b), faces_at(b, live_seat(b))[:-1]),
    "hands out of their turn": later_first,
    "a deck with another back": lambda b: {"loaded": [(b.dumped[0][0], 1), (b.dumped[0][0], 2)]},
    "a deck counted one short": lambda b: {"verified": [(b.dumped[0][0], PLAN.cards, PLAN.cards - 1)]},
    "a deck counted for another number": lambda b: {"verified": [(b.dumped[0][0], PLAN.cards + 1, PLAN.cards)]},
    "another order of reports": lambda b: {"order": b.order.replace(b"dl", b"ld", 1)},
    "a report that no list holds": lambda b: {"order": b"?" + b.order},
}


@pytest.mark.parametrize("what", WRONG)
def test_a_round_that_is_wrong_is_left_to_the_flow(what: str) -> None:
    bulk, decks = played()
    before = deepcopy(decks)
    assert judge(bulk._replace(**WRONG[what](bulk)), decks) is None
    assert decks == before
    assert judge(bulk, decks) is not None


@pytest.mark.parametrize(
    "wrong",
    [
        lambda decks, bulk: decks.find_defective(bulk.dumped[0][0], "two aces of spades"),
        lambda decks, bulk: setattr(decks, "last", bulk.dumped[0][0]),
        lambda decks, bulk: decks.backs.__setitem__(bulk.loaded[0][0], 99),
        lambda decks, bulk: setattr(decks, "counted_at_ns", 0),
    ],
    ids=["defective", "dealt twice running", "another back", "due to be counted"],
)
def test_decks_of_which_something_is_to_be_said(wrong: Callable[[Decks, BulkRound], None]) -> None:
    bulk, decks = played()
    wrong(decks, bulk)
    before = deepcopy(decks)
    assert judge(bulk, decks) is None
    assert decks == before
