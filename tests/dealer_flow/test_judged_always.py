"""A flow judges only what a report can have changed. One that judges everything at each report, caches nothing and
skips nothing must give the same incidents, states and rounds, for arbitrary reports in any order."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from msgspec.structs import replace

from dealer_flow.play import flow as flows
from dealer_flow.play.flow import CONCERNED, DealerFlow
from dealer_flow.play.machine.states import State
from dealer_flow.play.order import order
from dealer_flow.play.reports import controller as handle_controller
from dealer_flow.play.reports.shuffler import HANDLERS
from dealer_flow.play.seen import publish
from dealer_flow.play.verdicts import wagers
from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.table.betting import Betting
from dealer_flow.table.decks import Decks
from dealer_flow.table.ledger import Ledger
from dealer_flow.table.round import Round
from devices import events as e
from devices.drive.replay import play
from devices.events import Seen
from devices.record.capture import Capture
from protocol.cards import DECK, UNREAD
from protocol.places import PLACES
from tests.support.dealing.flow_points import round_of

CAPTURES: Final = Path(__file__).parents[2] / "captures"
RECORDED: Final = {
    "two-rounds": "flushes-gone-wild.co",
    "player-short": "flushes-gone-wild.co",
    "dealer-long": "flushes-gone-wild.co",
    "clean-8": "flushes-gone-wild.co",
    "ultimate-texas-holdem.co": "ultimate-texas-holdem.co",
    "pai-gow.co": "pai-gow.co",
    "three-card-split.co": "three-card-split.co",
    "let-it-ride.co": "let-it-ride.co",
    "players-choice.co": "players-choice.co",
    "208.co": "208.co",
    "caribbean-draw.co": "caribbean-draw.co",
    "emperors-challenge.co": "emperors-challenge.co",
    "texas-holdem-bonus.co": "texas-holdem-bonus.co",
    "eighty-eight.co": "eighty-eight.co",
    "holdem.co": "holdem.co",
    "seven-card-stud.co": "seven-card-stud.co",
    "draw.co": "draw.co",
    "race-11.tdp": "race-to-the-flush",
}
"""A recording -> the procedure that it was dealt by."""
DISTURBED: Final = 6
"""Times that each is dealt with something wrong anywhere in it."""
MOST: Final = 10
"""Times at most that it is dealt without what was reported of a seat or place, and with another bet."""
_NUMBERS: Final = ("seat", "counted", "ordinal", "cents", "decision", "bet", "pot", "drawn")
_SAID: Final[tuple[e.Body, ...]] = (
    e.MisdealCalled(0, 0),
    e.Confirmed(),
    e.BadgeSwiped(7, e.Level.SUPERVISOR),
    e.LinkLost("silent"),
)


# ------------------------------------------------------------------ what is reported


@cache
def recorded(name: str) -> tuple[Seen, ...]:
    """Return the reports of the devices in a recording."""
    found: list[Seen] = []
    play(Capture(CAPTURES / f"{name}.pcapng"), found.append)
    return tuple(found)


def disturbed(seen: tuple[Seen, ...], random: Random) -> list[Seen]:
    """The reports with some of them gone, told twice, out of turn, or otherwise."""
    reports = list(seen)
    for _ in range(max(2, len(reports) // random.choice((12, 40, 100)))):
        at = random.randrange(len(reports) - 1)
        what = random.randrange(7)
        if what == 0:
            del reports[at]
        elif what == 1:
            reports.insert(at, random.choice(seen))
        elif what == 2:
            reports[at], reports[at + 1] = reports[at + 1], reports[at]
        elif what == 3:
            reports.insert(at, replace(reports[at], body=random.choice(_SAID)))
        elif what == 4 and (shown := [each for each in reports[:at] if isinstance(each.body, e.HandRevealed)]):
            body = random.choice(shown).body
            right = e.HandCorrected(body.place, 7, e.Level.SUPERVISOR, _otherwise(body, random).cards)
            reports.insert(at, replace(reports[at], body=right))
        else:
            reports[at] = replace(reports[at], body=_otherwise(reports[at].body, random))
    return reports


def lacking(seen: tuple[Seen, ...]) -> Iterator[list[Seen]]:
    """The reports without all those of a kind that are about one seat or place."""
    for kind in (e.DecisionMade, e.HandRevealed):
        for about in dict.fromkeys(_about(each.body) for each in seen if type(each.body) is kind):
            yield [each for each in seen if type(each.body) is not kind or _about(each.body) != about]


def _about(body: Any) -> object:
    return getattr(body, "seat", None) or getattr(body, "place", None)


def raised(seen: tuple[Seen, ...]) -> Iterator[list[Seen]]:
    """The reports with one bet higher by $3 than it was, each in turn."""
    for at, each in enumerate(seen):
        if isinstance(each.body, e.WagerPlaced) and each.body.cents:
            more = replace(each, body=replace(each.body, cents=each.body.cents + 300))
            yield [*seen[:at], more, *seen[at + 1 :]]


def _otherwise(body: Any, random: Random) -> Any:
    """The same report of another number, place or cards, where it has any."""
    names = [name for name in body.__struct_fields__ if name in (*_NUMBERS, "place", "cards")]
    name = random.choice(names) if names else ""
    value = getattr(body, name, None)
    if name == "place":
        return replace(body, place=random.choice((*PLACES[:8], *PLACES[0x40:0x4A])))
    if name == "cards" and isinstance(value, tuple) and value:
        at = random.randrange(len(value))
        others = ((), (value[at], value[at]), (UNREAD,), (random.choice(DECK),))
        return replace(body, cards=(*value[:at], *random.choice(others), *value[at + 1 :]))
    if name in _NUMBERS and isinstance(value, int):
        return replace(body, **{name: max(value + random.choice((-1, 1, 2, 500)), 0)})
    return body


# ------------------------------------------------------------------ everything at each report


@contextmanager
def judging_everything() -> Iterator[None]:
    """No report is too small to be judged, and nothing is known from before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flows, "PASSES_BY", frozenset(HANDLERS))
        patch.setattr(flows, "_MOVES_NOTHING", frozenset())
        patch.setattr(Round, "ends_early", _always(True))
        patch.setattr(Decks, "quiet_until_ns", _always(0))
        patch.setattr(Ledger, "close", lambda _: None)
        for module in (flows, order):
            patch.setattr(module, "rules_of", RulesAnew)
        for module, name in ((order, "_rows_at"), (wagers, "_breaches_of")):
            patch.setattr(module, name, getattr(module, name).__wrapped__)
        patch.setattr(wagers, "_bets_as_it_should", lambda round_, number, which: False)
        patch.setattr(publish, "_plain", lambda round_, outcome: False)
        patch.setattr(handle_controller, "judge_start", _forgetting(handle_controller.judge_start))
        yield


def _always(value: object) -> property:
    """Return a field that keeps this value even if written."""
    return property(lambda _: value, lambda _, __: None)


class RulesAnew:
    """The rules of a game, looked for at each report."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def __getitem__(self, state: State) -> Any:
        return order._rules_at(self._plan, state)


def _forgetting(judge_start: Callable[[Round, Seen], None]) -> Callable[[Round, Seen], None]:
    """START GAME, after which END GAME asks every rule again."""

    def judged_again(round_: Round, seen: Seen) -> None:
        judge_start(round_, seen)
        round_.judged.clear()

    return judged_again


@dataclass
class Dealt:
    """Output and state of a flow after each report."""

    flow: DealerFlow
    everything: bool = False

    def deal(self, reports: list[Seen]) -> list[object]:
        """Each report in turn, then the end of the input."""
        said: list[object] = []
        for seen in reports:
            if self.everything and round_of(self.flow).in_play:
                self.flow._shown_at = (-1, False)  # the machine is asked where the step stands
            said += [self.flow.handle(seen), self.flow.state, self.flow.kept()]
            agrees(round_of(self.flow))
        return [*said, self.flow.finish()]


def agrees(round_: Round) -> None:
    """Check that cached fields of a round equal the values they are derived from."""
    plan = round_.plan
    assert round_.step is (plan.steps[round_.at] if plan.steps else None)
    assert round_.doing == (round_.step.do if round_.step is not None else "")
    assert round_.incidents or not (round_.over or round_.house_wrong), "nothing ends a play of which nothing was found"
    gave_up = {number for number, made in round_.choices.items() if not plan.folds.isdisjoint(made.values())}
    assert round_.gave_up == gave_up
    assert plan.betting is not None or round_.betting == Betting()


@pytest.mark.every(6)
@pytest.mark.parametrize("name", RECORDED)
def test_to_judge_everything_comes_to_the_same(name: str) -> None:
    procedure = load_procedure(RECORDED[name])
    seen = recorded(name)
    evenings = [list(seen), *islice(lacking(seen), MOST), *islice(raised(seen), MOST)]
    evenings += [disturbed(seen, Random(f"{name} {number}")) for number in range(DISTURBED)]
    for number, reports in enumerate(evenings):
        known = Dealt(DealerFlow(procedure)).deal(reports)
        with judging_everything():
            anew = Dealt(DealerFlow(procedure), everything=True).deal(reports)
        differing = next((at for at, pair in enumerate(zip(known, anew, strict=True)) if pair[0] != pair[1]), None)
        assert differing is None, (number, reports[differing // 3 : differing // 3 + 1], known[differing])


def test_the_disturbed_evenings_are_disturbed() -> None:
    """They are no evenings of which nothing is to be said."""
    found = set[str]()
    for name in RECORDED:
        flow = DealerFlow(load_procedure(RECORDED[name]))
        reports = disturbed(recorded(name), Random(f"{name} 0"))
        assert any(type(seen.body) in CONCERNED for seen in reports)
        found |= {item.code for seen in reports for item in flow.handle(seen) if hasattr(item, "code")}
    assert len(found) > 10, found
