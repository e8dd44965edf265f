"""Every order of events on a small table, breadth first, until nothing new is found.

A table is one or two seats; counts are right or one short; a burn is right or wrong. Rounds that stand the same are
followed once. What must hold is checked at every step, and a round that ends as `complete` is checked against the
path that led there, not against what the flow believes.
"""

from collections.abc import Callable, Iterator

import pytest

from dealer_flow.play.flow import DealerFlow
from dealer_flow.play.machine.states import State
from dealer_flow.play.seen.legal import Legal
from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealer_flow.table.round import Round
from devices import events as e
from protocol.cards import DECK
from protocol.places import COMMUNITY, DEALER, REMAINDER, parse_place
from tests.support.dealing.flow_points import Point, load, round_of, save

PROCEDURE = load_procedure("flushes-gone-wild.co")
FACES = {
    COMMUNITY: DECK[2:4],
    DEALER: DECK[40:45],
    **{parse_place(f"seat {n}"): DECK[5 * n : 5 * n + 5] for n in (1, 2)},
}

Name = str
Step = Callable[[Round], e.Body]


def _left(now: Round) -> int:
    return 52 - sum(packet.counted for packet in now.ledger.lifted) - now.ledger.rejected


def alphabet(seats: int) -> dict[Name, Step]:
    steps: dict[Name, Step] = {
        "start": lambda now: e.GameStarted(1),
        "bring": lambda now: e.PacketDispensed(1, len(now.ledger.lifted) + 1, 5, 5, ()),
        "bring short": lambda now: e.PacketDispensed(1, len(now.ledger.lifted) + 1, 5, 4, ()),
        "lift": lambda now: e.PacketLifted(len(now.ledger.lifted) + 1),
        "dump": lambda now: e.RemainderDumped(1, _left(now), _left(now)),
        "dump short": lambda now: e.RemainderDumped(1, _left(now), _left(now) - 1),
        "burn": lambda now: e.BurnConfirmed(COMMUNITY, (1, 2, 5), "left-to-right"),
        "burn wrong": lambda now: e.BurnConfirmed(COMMUNITY, (1, 2, 4), "left-to-right"),
        "show dealer": lambda now: e.HandRevealed(DEALER, FACES[DEALER], False),
        "show community": lambda now: e.HandRevealed(COMMUNITY, FACES[COMMUNITY], False),
        "misdeal": lambda now: e.MisdealCalled(7, 0),
        "jam": lambda now: e.RedLamp(True, 201),
        "resume": lambda now: e.MisdealCleared(201, 7, True),
        "end": lambda now: e.GameEnded(1),
    }
    for number in range(1, seats + 1):
        place = parse_place(f"seat {number}")
        steps |= {
            f"ante {number}": lambda now, n=number: e.WagerPlaced(n, 1, 500),
            f"play bet {number}": lambda now, n=number: e.WagerPlaced(n, 3, 1000),
            f"play {number}": lambda now, n=number: e.DecisionMade(n, 2),
            f"fold {number}": lambda now, n=number: e.DecisionMade(n, 1),
            f"show {number}": lambda now, p=place: e.HandRevealed(p, FACES[p], False),
        }
    steps["progressive 1"] = lambda now: e.WagerPlaced(1, 5, 100)
    steps["recount 1 short"] = lambda now: e.CardsCounted(parse_place("seat 1"), 4)
    return steps


def fingerprint(state: State, now: Round) -> tuple[object, ...]:
    ledger = now.ledger
    return (
        state,
        tuple((packet.counted, packet.lifted) for packet in ledger.packets.values()),
        tuple((hand.counted, hand.revealed is not None) for hand in ledger.hands.values()),
        ledger.conserved,
        ledger.remainder is not None,
        tuple(now.burns),
        tuple(sorted((number, tuple(sorted(bets))) for number, bets in now.wagers.items())),
        tuple(sorted((number, *made.values()) for number, made in now.choices.items())),
        tuple(sorted(now.dead)),
        (now.unreliable, now.defective, now.misdeal, now.house_wrong, now.red_lamp),
        tuple(sorted(now.shown)),
    )


class Walker:
    """Moves one flow back and forth between rounds it has been in."""

    def __init__(self) -> None:
        self.flow = DealerFlow(PROCEDURE)

    def save(self) -> Point:
        return save(self.flow)

    def load(self, point: Point) -> None:
        load(self.flow, point)

    def step(self, body: e.Body) -> list[RoundResult | Incident]:
        return self.flow.handle(e.Seen("table", 1, 1, 1, body))


def matches(item: Legal, body: e.Body, now: Round) -> bool:
    if item.event != type(body).__name__:
        return False
    place = getattr(body, "place", None)
    seat = getattr(body, "seat", None)
    value = next((getattr(body, key) for key in ("bet", "decision", "ordinal") if hasattr(body, key)), None)
    return (
        (place is None or item.place == place.text)
        and (seat is None or item.place == f"seat {seat}")
        and (value is None or value == item.value)
    )


def check_complete(path: tuple[Name, ...], result: RoundResult) -> None:
    """Against the path alone: what a complete round must have had, and in which order."""
    assert "burn" in path
    assert "burn wrong" not in path
    burn = path.index("burn")
    shown = [index for index, name in enumerate(path) if name in ("show dealer", "show community")]
    assert all(index > burn for index in shown)
    assert path.index("start") < path.index("lift")
    assert "misdeal" not in path or any(name.startswith(("play ", "fold ")) for name in path[: path.index("misdeal")])
    brought = [name for name in path if name.startswith("bring")][: len(result.packets)]
    assert brought[0] == "bring"
    assert brought[-1] == "bring"
    for seat in result.seats:
        chose = {f"play {seat.seat}", f"fold {seat.seat}"} & set(path)
        assert seat.status in ("dead", "out") or chose or seat.held.keys() == seat.wagers.keys()  # 47.1-1024
        assert seat.status in ("dead", "out") or seat.counted == 5
    assert result.remainder is not None
    held = [result.dealer.counted if result.dealer else 0, 5, *(seat.counted for seat in result.seats)]
    assert sum(count or 0 for count in held) + (result.remainder.counted or 0) + result.rejected == 52


FAULTS = {"bring short", "dump short", "burn wrong", "misdeal", "jam", "resume", "recount 1 short"}
Node = tuple[tuple[Name, ...], Point, int]


@pytest.mark.parametrize(
    ("seats", "departures", "depth", "at_least"),
    [
        pytest.param(1, 1, 32, 800, marks=pytest.mark.more),
        pytest.param(1, 2, 32, 4000, marks=pytest.mark.slow),
        pytest.param(2, 0, 40, 400, marks=pytest.mark.slow),
    ],
)
def test_every_order(seats: int, departures: int, depth: int, at_least: int) -> None:
    """Every order of legal steps with at most so many faults or steps out of turn among them, to the end."""
    walker = Walker()
    steps = alphabet(seats)
    frontier: list[Node] = [((), walker.save(), departures)]
    seen = {(fingerprint(*frontier[0][1][:2]), departures)}
    outcomes: set[str] = set()
    for _ in range(depth):
        following: list[Node] = []
        for path, point, left in frontier:
            for name, new, legal in _steps_from(walker, point, steps, outcomes, path):
                remaining = left - (name in FAULTS or not legal)
                key = (fingerprint(*new[:2]), remaining)
                if remaining >= 0 and key not in seen:
                    seen.add(key)
                    following.append(((*path, name), new, remaining))
        frontier = following
    assert not frontier, "the depth is too small to follow every order to its end"
    assert len(seen) >= at_least
    assert outcomes >= {"complete", "unreliable"}
    assert not departures or outcomes >= {"misdeal", "progressive-only", "defective-deck"}


def _steps_from(
    walker: Walker,
    point: Point,
    steps: dict[Name, Step],
    outcomes: set[str],
    path: tuple[Name, ...],
) -> Iterator[tuple[Name, Point, bool]]:
    if point.state is State.HALTED:  # only END GAME leads on from there
        steps = {"end": steps["end"]}
    for name, make in steps.items():
        walker.load(point)
        before, allowed = round_of(walker.flow), walker.flow.legal()
        assert allowed, path
        dead = set(before.dead)
        body = make(before)
        expected = any(matches(item, body, before) for item in allowed)
        found = walker.step(body)
        codes = {item.code for item in found if isinstance(item, Incident)}
        if expected:
            assert not codes & {"out-of-turn", "unknown-seat", "wrong-burn"} or name == "burn wrong", (
                path,
                name,
                codes,
            )
        assert dead <= before.dead
        for item in found:
            if isinstance(item, RoundResult):
                outcomes.add(item.outcome)
                assert RoundResult.from_json(item.to_json()) == item
                if item.outcome == "complete":
                    check_complete((*path, name), item)
        if before is round_of(walker.flow):
            yield name, walker.save(), expected


def test_a_packet_of_the_wrong_place_is_never_counted_as_the_remainder() -> None:
    walker = Walker()
    for body in (
        e.WagerPlaced(1, 1, 500),
        e.GameStarted(1),
        e.PacketDispensed(1, 1, 5, 5, ()),
        e.CardsCounted(REMAINDER, 47),
    ):
        walker.step(body)
    assert walker.flow.state is State.DEALING
    assert round_of(walker.flow).ledger.dealt == 0
