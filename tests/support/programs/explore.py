"""Every order of reports at a small table, breadth first, for any procedure: the invariants are checked in every state.

Two seats play; the first has every bet that may be made together with others, the second only the bet that enters it.
From each state that was found, everything of `table_events` is reported to a real flow. Rounds in an equal state
(`flow_points.signature`) are followed once, and each with at most so many departures from what is due. The states of
one kind (step, stage, departures so far) wait in a queue of their own; the queues take turns with their first and their
last state, so a bound on the number of states leaves no step out. If the queues run empty before the bound, every order
was followed.

`python -m tests.support.programs.explore --write` puts the table into `docs/explored.md`; `--states` is the bound for
rounds without a departure, a third of it for those with one more.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from dealer_flow.play.flow import DealerFlow
from dealer_flow.play.machine.states import State
from dealer_flow.procedure.load import Procedure, known_procedures, load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.stakes import TIPS_EVERY, stakes_of
from devices import events as e
from tests.support.dealing.chips import STAKE, table_set
from tests.support.dealing.flow_points import Point, load, save, signature
from tests.support.evenings.legal_play import entering_stakes
from tests.support.evenings.table_events import CONTROLLER, DEVICE, Report, possible_reports
from tests.support.oracles.round_checks import Before, check_end, check_step

SHARES = 9
"""Interval of the departures that a bounded run takes: every ninth, others from state to state."""


@dataclass
class Explored:
    """Findings about one procedure. `whole`: every order with so many departures was followed to its end."""

    states: int = 0
    steps: int = 0
    depth: int = 0
    whole: bool = False
    ends: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Node:
    """A state, and the shortest way to it."""

    point: Point
    path: tuple[Report, ...]
    departures: int


class Kind(NamedTuple):
    """Kind of the states that wait in one queue."""

    step: int
    state: State
    departures: int


class Explorer:
    """Explorer of one procedure. An AssertionError has the way to the state in which an invariant fails."""

    def __init__(self, procedure: Procedure, *, states: int, departures: int, all_departures: bool = False) -> None:
        self.flow = DealerFlow(procedure)
        self.bound, self.departures = states, departures
        self.shares = 1 if all_departures else SHARES
        self.found = Explored()
        self._seen: set[Hashable] = set()
        self._lines: dict[Kind, deque[Node]] = {}

    def run(self) -> Explored:
        """Explore rounds without a departure first, then those with one, and so on; each needs many more reports a
        state."""
        self._set_up()
        for departures in range(self.departures + 1):
            self._run(departures, self.found.states + self.bound // 3**departures)
        self.found.whole = not any(self._lines.values()) and self.shares == 1
        return self.found

    def _run(self, departures: int, bound: int) -> None:
        """Follow the queues of rounds with so many departures in turn, until they are empty or the bound is reached."""
        left = True
        while left:
            left = False
            for kind in [kind for kind in self._lines if kind.departures == departures]:
                line = self._lines[kind]
                if line and self.found.states < bound:
                    self._follow(line.popleft() if self.found.states % 2 else line.pop())
                    left = True

    def _set_up(self) -> None:
        """Make bets and fill the shoe, before START GAME."""
        plan = self.flow.plan
        if plan.from_shoe:
            self._see(Report(DEVICE, e.ShoeLoaded(1, plan.decks, plan.loaded), True, True))
        if plan.betting is not None:
            for body in table_set(plan, {1: 2 * STAKE, 2: STAKE}, 2):
                self._see(Report(CONTROLLER, body, True, True))
            self._add(Node(save(self.flow), (), 0))
            return
        for number, bets in ((2, entering_stakes(plan)), (1, stakes_of(plan, TIPS_EVERY))):
            for bet in plan.bets.values():
                if bet.name in bets:
                    self._see(Report(CONTROLLER, e.WagerPlaced(number, bet.number, bets[bet.name]), True, True))
        self._add(Node(save(self.flow), (), 0))

    def _see(self, report: Report) -> list[RoundResult | Incident]:
        return self.flow.handle(e.Seen(report.device, 1, 1, 1, report.body))

    def _add(self, node: Node) -> None:
        key = (signature(self.flow), node.departures)
        if key in self._seen:
            return
        self._seen.add(key)
        now = node.point.round
        kind = Kind(now.at, node.point.state, node.departures)
        self._lines.setdefault(kind, deque()).append(node)

    def _follow(self, node: Node) -> None:
        """Report everything that is possible in this state."""
        self.found.states += 1
        self.found.depth = max(self.found.depth, len(node.path))
        load(self.flow, node.point)
        options = list(self._options(node))
        before = Before.of(self.flow)
        for report in options:
            load(self.flow, node.point)
            path = (*node.path, report)
            self.found.steps += 1
            try:
                self._step(node, path, before)
            except AssertionError as failure:
                way = "\n".join(f"  {step.body}" for step in path)
                raise AssertionError(f"{failure}\nafter:\n{way}") from failure

    def _options(self, node: Node) -> Iterator[Report]:
        """Yield the reports to follow: departures only while some are left; a round that a person must decide is only
        ended."""
        halted = node.point.state is State.HALTED
        spare = node.departures < self.departures and not halted
        for number, report in enumerate(possible_reports(self.flow)):
            if report.due or (spare and (number + self.found.states) % self.shares == 0):
                yield report

    def _step(self, node: Node, path: tuple[Report, ...], before: Before) -> None:
        flow, report = self.flow, path[-1]
        out = self._see(report)
        results = [item for item in out if isinstance(item, RoundResult)]
        check_step(before, flow, report, out)
        for result in results:
            self.found.ends[result.outcome] += 1
            check_end(flow.procedure, result, [step.body for step in path])
        if not results:
            self._add(Node(save(flow), path, node.departures + (not report.due)))


def explore(name: str, *, states: int, departures: int = 1, all_departures: bool = False) -> Explored:
    """Explore one procedure of the catalogue."""
    return Explorer(load_procedure(name), states=states, departures=departures, all_departures=all_departures).run()


PAGE = Path(__file__).parents[3] / "docs" / "explored.md"
BEGIN, END = "<!-- printed by python -m tests.support.programs.explore -->", "<!-- end of the explored procedures -->"
HEAD = (
    "| procedure | states | reports | longest way | rounds by their outcome |",
    "| --- | --- | --- | --- | --- |",
)


def row(name: str, found: Explored) -> str:
    """Return one line of the table."""
    ends = ", ".join(f"{outcome} {count:,}" for outcome, count in sorted(found.ends.items()))
    states = f"{found.states:,}{', all' if found.whole else ''}"
    return f"| {name} | {states} | {found.steps:,} | {found.depth} | {ends} |"


def listed(page: str) -> list[str]:
    """Return the procedures in the table of the page."""
    table = page.partition(BEGIN)[2].partition(END)[0]
    return re.findall(r"^\| ([a-z0-9.-]+) \|", table, re.MULTILINE)[2:]


def main(arguments: list[str]) -> int:
    """Explore every procedure with all departures, print the table, and put it into the page."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.support.programs.explore", description="Explore every procedure."
    )
    parser.add_argument("--states", type=int, default=250)
    parser.add_argument("--departures", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="put the table into docs/explored.md")
    args = parser.parse_args(arguments)
    lines = list(HEAD)
    for name in known_procedures():
        found = explore(name, states=args.states, departures=args.departures, all_departures=True)
        lines.append(row(name, found))
        print(lines[-1], flush=True)
    if args.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        PAGE.write_text("\n".join([before + BEGIN, *lines, END + after]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
