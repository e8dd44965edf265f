"""Restoring a flow to an earlier point: copies of everything in it that changes, and the facts that two points have in
common."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple

from dealer_flow.play.flow import DealerFlow
from dealer_flow.play.machine.states import State
from dealer_flow.play.reports.corrections import RoundReports
from dealer_flow.play.reports.sessions import Lines
from dealer_flow.table.betting import Betting
from dealer_flow.table.hand import Hand
from dealer_flow.table.round import Round
from dealer_flow.table.shoe import ShoeLedger, Shoes
from devices.events import GameEnded, Seen


def round_of(flow: DealerFlow) -> Round:
    """Return the round as the flow keeps it, with what no snapshot shows."""
    return flow._round


def held_reports(flow: DealerFlow) -> int:
    """Return the number of reports that wait for reports of the other line."""
    return len(flow._held)


def held_ends(flow: DealerFlow) -> int:
    """Return the number of held reports that are END GAME."""
    return sum(isinstance(held.body, GameEnded) for held in flow._held)


def patient(flow: DealerFlow) -> bool:
    """Return True if the flow waits for a silent line."""
    return flow._lines.patient


class Point(NamedTuple):
    """State of a flow that can be restored."""

    state: State
    round: Round
    lines: Lines
    held: tuple[Seen, ...]
    reported: int
    shown_at: tuple[int, bool]
    reports: RoundReports


def save(flow: DealerFlow) -> Point:
    """Return everything that the flow may change; after `load`, the flow continues with a copy of it."""
    held, reports = tuple(flow._held), clone(flow._reports, {})
    return Point(flow.state, flow._round, flow._lines, held, flow._reported, flow._shown_at, reports)


def load(flow: DealerFlow, point: Point) -> None:
    """Restore the flow to `point`, which remains as it is."""
    now = clone(point.round, {})
    flow._phase.state, flow._round, flow._lines = point.state, now, clone(point.lines, {})
    flow._held, flow._reported, flow._shown_at = deque(point.held), point.reported, point.shown_at
    flow._decks, flow._shoes = now.decks, now.shoes
    flow._reports = clone(point.reports, {})


def clone(value: Any, known: dict[int, Any]) -> Any:
    """Return a copy that shares nothing that changes; an object held twice is held twice in the copy."""
    kind = type(value)
    if kind is dict:
        return {key: clone(each, known) for key, each in value.items()}
    if kind is list:
        return [clone(each, known) for each in value]
    if kind is set or kind is Counter or kind is deque:
        return value.copy()
    names = _changing(kind)
    if not names:
        return value
    if id(value) not in known:
        new = known[id(value)] = object.__new__(kind)
        for name in names:
            setattr(new, name, clone(getattr(value, name), known))
    return known[id(value)]


@cache
def _changing(kind: type) -> tuple[str, ...]:
    """Return the fields of a class whose objects change; none for any other class."""
    if not is_dataclass(kind) or kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return ()
    return tuple(each.name for each in fields(kind))


def signature(flow: DealerFlow) -> Hashable:
    """Return everything that decides how a round continues. Counts are right, short or long; faces, times and sentences
    do not matter."""
    now, ledger = flow._round, flow._round.ledger
    if flow.state is State.HALTED:  # whatever led there, nothing is settled
        return (flow.state, now.at, now.opened)
    rest = ledger.remainder
    return (
        flow.state,
        (
            now.in_play,
            now.at,
            now.opened,
            now.first,
            now.drawn,
            tuple(now.splits),
            tuple(now.dues[now.given :]),
            tuple(now.by_hand),
        ),
        tuple((_sign(each.counted - each.expected), each.lifted) for each in ledger.packets.values()),
        tuple((int(place), *_hand(hand)) for place, hand in sorted(ledger.hands.items())),
        None if rest is None else _sign(rest - ledger.remainder_expected),
        (ledger.rejected > 0, ledger.astray > 0, ledger.conserved, now.rest_wrong),
        (tuple(now.burns), tuple(sorted(now.shown)), tuple(sorted(now.open.items())), now.red_lamp),
        tuple(sorted((number, tuple(sorted(bets))) for number, bets in now.wagers.items())),
        tuple(sorted((number, tuple(sorted(made.items()))) for number, made in now.choices.items())),
        (tuple(sorted(now.dead)), tuple(sorted(now.dead_hands)), tuple(sorted(now.too_late))),
        (now.unreliable, now.defective, now.misdeal, now.house_wrong, bool(now.called)),
        tuple((ruling.place, ruling.clause) for ruling in now.rulings),
        tuple(sorted(now.returns.rows.items(), key=repr)),
        (tuple(sorted(now.restarted)), tuple(sorted(now.bettors)), flow._lines.patient, len(flow._held)),
        _shoe(now.shoes),
        _chips(now.betting),
        None if now.draw is None else (len(now.draw.cards), now.draw.end, now.draw.unread, len(now.draw.overdrawn)),
    )


def _hand(hand: Hand) -> tuple[Hashable, ...]:
    off = _sign((hand.counted or 0) - hand.expected)
    shown = None if hand.revealed is None else len(hand.revealed)
    return (off, hand.expected, hand.person_count is not None, shown, len(hand.opened), hand.discarded, hand.burned)


def _chips(betting: Betting) -> Hashable:
    now = (betting.step, tuple(betting.put.items()), betting.high, betting.raises, betting.bring_in, betting.turns)
    acted = (tuple(betting.acted), tuple(betting.checked), betting.last, tuple(betting.passed), betting.substantial)
    return (now, acted, tuple(betting.behind.items()), tuple(betting.folded))


def _shoe(shoes: Shoes | None) -> Hashable:
    if shoes is None:
        return None
    shoe: ShoeLedger | None = shoes.current
    return (shoes.burns_due, None if shoe is None else (shoe.whole, shoe.over, shoe.cut_card))


def _sign(off: int) -> int:
    return (off > 0) - (off < 0)
