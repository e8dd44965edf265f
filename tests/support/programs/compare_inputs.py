"""Program that makes the evenings for `compare_commits`; it runs in the tree of commit 659696b and uses the random
players of that tree's tests.

    PYTHONPATH=TREE python -P compare_inputs.py EVENINGS SEED PROCEDURES > INPUTS

For each procedure: evenings at simulated devices, with cases of its clauses and faults of the devices; random walks
over all possible reports, from none to one in five of them wrong; a dealer who does what is legal and now and then
anything at all; the dealt hands and the transcripts of its tests. Every evening comes again with some reports dropped,
doubled, swapped or changed. Every option takes each of its values.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

from dealer_flow.machine import DealerFlow
from dealer_flow.procedure import Procedure, ProcedureError, known_procedures, load_procedure
from dealer_flow.result import RoundResult
from dealer_flow.states import State
from devices import events as e
from devices.simulator.catalogue import find_scenario, scenario_ids, set_up, shoe_scenario_ids
from devices.simulator.strict import ScenarioError
from protocol.cards import CARDS, DECK, UNREAD, Card
from protocol.places import Place
from protocol.tdp.messages import Role
from rules.game import game_id_of, load_game_of
from rules.readings import READINGS
from tests.support import dealt_hands, told
from tests.support.hand_table import HandTable
from tests.support.legal_play import LegalPlay
from tests.support.procedures import Cases
from tests.support.race_evenings import RaceEvening
from tests.support.table_evenings import TableEvening
from tests.support.table_events import CONTROLLER, DEVICE, Report, reports

sys.path.append(str(Path(__file__).parent))  # which -P leaves out
from compare_plain import Options, Readings, changed, recordings, report

SPEED = 20.0
RACE = "race-to-the-flush"
WRONG = (0.0, 0.0, 0.02, 0.06, 0.2)
"""Shares of a walk's reports that depart from what is due, from evening to evening."""
ERRORS = (e.PacketDispensed, e.CardsCounted, e.CardMishandled, e.RemainderDumped, e.HandRevealed, e.CardUnread)
"""Errors that make up half of a walk's errors: these rarely break the procedure, and a clause says what they mean."""


class Walk:
    """A table whose possible reports are drawn one after the other, with faces from one deck."""

    def __init__(self, procedure: Procedure, options: Options, random: Random, wrong: float) -> None:
        self.flow = DealerFlow(procedure, options=options)
        self.random, self.wrong = random, wrong
        self.reads = random.random() < 0.5
        self.rounds, self.deck, self.shoes = 0, 0, 0
        self.sessions = {DEVICE: 0xA1B2C3D4, CONTROLLER: 0x0C0FFEE0}
        self.seen: list[e.Seen] = []
        self._numbers: Counter[str] = Counter()
        self._begin()

    def run(self, rounds: int, most: int) -> list[e.Seen]:
        """Return the reports of so many rounds; a round with more than `most` reports is ended with END GAME."""
        while self.rounds < rounds and len(self.seen) < 3 * rounds * most:
            if len(self.seen) - self._began > most:
                self.see(CONTROLLER, e.GameEnded(self.flow._round.number))
            else:
                self.step()
        return self.seen

    def see(self, device: str, body: e.Body) -> None:
        self._numbers[device] += 1
        at_ns = 1_700_000_000_000_000_000 + 10_000_000 * len(self.seen)
        seen = e.Seen(device, self.sessions[device], self._numbers[device], at_ns, body)
        self.seen.append(seen)
        if isinstance(body, e.SessionChanged):
            self.sessions[device] += 1
        if any(isinstance(item, RoundResult) for item in self.flow.handle(seen)):
            self.rounds += 1
            self._begin()

    def step(self) -> None:
        """Send a report that is due, or now and then one that is not."""
        wrong = self.random.random() < self.wrong
        if wrong and self.random.random() < 0.1:
            anything = SimpleNamespace(random=self.random, see=lambda body: self.see(self._device(body), body))
            LegalPlay.anything(anything)  # type: ignore[arg-type]
            return
        every = list(reports(self.flow))
        due = [report for report in every if report.due]
        errors = [report for report in every if not report.due and isinstance(report.body, ERRORS)]
        if wrong and self.random.random() < 0.5:
            every = errors or every
        report: Report = self.random.choice(every if wrong or not due else due)
        self.see(report.device, self._faced(report.body))
        if isinstance(report.body, e.LinkLost) and self.random.random() < 0.7:
            self.see(report.device, e.LinkUp(self.sessions[report.device], "any", "maker", "m", "1", "1", True, True))

    def _device(self, body: e.Body) -> str:
        at_controller = (e.WagerPlaced, e.DecisionMade, e.HandRevealed, e.CardsCounted, e.BadgeSwiped, e.Confirmed)
        return CONTROLLER if isinstance(body, at_controller) else self.random.choice((DEVICE, CONTROLLER))

    # ------------------------------------------------------------------ bets, decks and faces

    def _begin(self) -> None:
        """Report a fresh deck or shoe, and bets at a few seats."""
        self._began = len(self.seen)
        plan, deck = self.flow.plan, self.flow.procedure.deck
        self._cards, self._laid = list[Card](), defaultdict[Place, list[Card]](list)
        if plan.from_shoe:
            if not self.shoes or deck.fresh == "each-round" or self.random.random() < 0.3:
                self.shoes += 1
                self.see(DEVICE, e.ShoeLoaded(self.shoes, plan.decks, plan.loaded))
            elif self.random.random() < 0.1:
                self.see(DEVICE, e.CutCardSeen())
        else:
            self.deck = self.deck % deck.alternating + 1
            missing = self.random.random() < self.wrong
            self.see(DEVICE, e.DeckVerified(self.deck, deck.cards, deck.cards - missing))
        if self.flow.state is not State.BETTING:
            return
        seats = self.random.sample(range(1, plan.most_seats + 1), self.random.randint(1, min(4, plan.most_seats)))
        self._antes = {number: self.random.choice((100, 500, 1000, 2500, 333)) for number in seats}
        for number in sorted(seats):
            offered = [bet for bet in plan.bets.values() if bet.placed == "before-deal"]
            alone = self.random.choice(offered).number if plan.decisions == {} else 0
            for bet in offered:
                if bet.number == alone or (not alone and bet.enters) or self.random.random() < 0.4:
                    other = self.random.random() < 0.3 * (self.wrong > 0)
                    self.see(CONTROLLER, e.WagerPlaced(number, bet.number, 700 if other else self._antes[number]))

    def _faced(self, body: e.Body) -> e.Body:
        """Return the report with faces of the round's deck, and amounts that fit the seat's bet."""
        match body:
            case e.PacketDispensed() if self.reads:
                return replace(body, cards=self._draw(min(body.counted, 60)))
            case e.HandRevealed():
                return replace(body, cards=self._faces(body.place, len(body.cards)))
            case e.CardDrawn():
                return replace(body, card=self._draw(1)[0])
            case e.WagerPlaced(seat=seat) if body.cents:
                times = self.random.choice((1, 1, 1, 2, 3))
                return replace(body, cents=times * getattr(self, "_antes", {}).get(seat, 500))
        return body

    def _faces(self, place: Place, count: int) -> tuple[Card, ...]:
        ledger = self.flow._round.ledger
        hand = ledger.hands.get(place)
        cards = list((ledger.playing(place) if hand.burned is not None else hand.cards) if hand else ())[:count]
        if len(cards) < count or UNREAD in cards:
            laid = self._laid[place]
            laid += self._draw(max(count - len(laid), 0))
            cards = laid[:count]
        if cards and self.random.random() < self.wrong:
            cards[self.random.randrange(len(cards))] = self.random.choice(DECK)
        return tuple(cards)

    def _draw(self, count: int) -> tuple[Card, ...]:
        while len(self._cards) < count:
            deck = self.flow.procedure.deck
            fresh = [*DECK, *(CARDS[0x51 + joker] for joker in range(min(deck.jokers, 4)))]
            if self.random.random() < 0.2:  # as it came from the factory: straight flushes, for the meters
                cut = self.random.randrange(len(fresh))
                self._cards = [*fresh[cut:], *fresh[:cut], *self._cards]
            else:
                self._cards = self.random.sample(fresh, len(fresh)) + self._cards
        return tuple(self._cards.pop() for _ in range(count))


class Play(LegalPlay):
    """A dealer who does what is legal; the reports are kept."""

    def __init__(self, procedure: Procedure, options: Options, random: Random) -> None:
        self.seen: list[e.Seen] = []
        self._options = options
        super().__init__(procedure, random)

    def fill(self) -> None:
        if not self.seen:
            self.flow = DealerFlow(self.flow.procedure, options=self._options)
        super().fill()

    def see(self, body: e.Body) -> None:
        self.seen.append(e.Seen("table", 1, len(self.seen) + 1, 1, body))
        super().see(body)


def played(procedure: Procedure, options: Options, random: Random, wrong: float) -> list[e.Seen]:
    """Return reports of legal play, now and then anything at all, and END GAME."""
    play = Play(procedure, options, random)
    for _ in range(random.randint(60, 200)):
        if random.random() < wrong:
            play.anything()
        elif random.random() < 0.01:
            play.see(e.GameEnded(play.flow._round.number))
        else:
            play.step(rare=wrong > 0)
    return play.seen


def simulated(procedure: Procedure, options: Options, random: Random) -> list[e.Seen]:
    """Return a few rounds at simulated devices, with real links between."""
    if not procedure.step:
        name = random.choice(shoe_scenario_ids())
        scenario: Any = replace(find_scenario(name), seed=random.randrange(2**31))  # type: ignore[type-var]
        return RaceEvening(scenario, random.choice(("tdp", "angel-eye", "bee-tek"))).run().seen
    made = Cases(procedure, options, players=random.randint(1, 3))
    cases = random.sample(cases := made.all(), min(3, len(cases)))
    for case in cases:
        _vary(case.round, made, random)
    more: dict[str, Any] = {} if made.at_shoe else {"recognition": random.random() < 0.6}
    for _ in range(2):
        with suppress(ScenarioError):
            scenario = made.scenario_of(cases, seed=random.randrange(2**31), **more)
            evening = TableEvening(set_up(scenario, speed=SPEED), role=Role.OPERATE)
            with suppress(AssertionError):  # a dealer who waits for ever was heard, too
                evening.run(limit_s=300)
            return evening.seen
        cases = [made.clean()]  # what was varied is no scenario of this game
    raise AssertionError("a clean round is a scenario of every game")


def _vary(table: dict[str, Any], made: Cases, random: Random) -> None:
    """Vary the amounts, the plans of the players, and a line or a device that fails."""
    names = [choice.name for choice in made.procedure.decision]
    for player in table["players"]:
        ante = random.choice((100, 500, 1500))
        player["wagers"] = dict.fromkeys(player["wagers"], ante)
        if names and random.random() < 0.2:
            player["decision"] = random.choice(names)
    line = {"device": "table-controller"} if random.random() < 0.5 else {}
    trouble = random.choice(
        (
            {"what": "noise", "bytes": random.randint(1, 60), **line},
            {"what": "drop", "bytes": random.randint(1, 60), **line},
            {"what": "flip", "bits": random.randint(1, 6), **line},
            {"what": "stall", "ms": 400, **line},
            {"what": "misdeal-called"},
            {"what": "error", "card": 2} if made.at_shoe else {"what": "power"},
        )
    )
    if random.random() < 0.25:
        table.setdefault("troubles", []).append({"packet": 2, **trouble} if trouble["what"] != "error" else trouble)


@contextmanager
def overheard() -> Iterator[list[tuple[DealerFlow, list[e.Seen]]]]:
    """Collect every flow that is dealt to in this context, with its reports."""
    flows: dict[int, tuple[DealerFlow, list[e.Seen]]] = {}
    out: list[tuple[DealerFlow, list[e.Seen]]] = []
    handle = DealerFlow.handle

    def listen(self: DealerFlow, seen: e.Seen) -> Any:
        if id(self) not in flows:
            flows[id(self)] = (self, [])
            out.append(flows[id(self)])
        flows[id(self)][1].append(seen)
        return handle(self, seen)

    DealerFlow.handle = listen  # type: ignore[method-assign]
    try:
        yield out
    finally:
        DealerFlow.handle = handle  # type: ignore[method-assign]


def written(names: Sequence[str]) -> Iterator[tuple[str, DealerFlow, list[e.Seen]]]:
    """Yield the dealt hands, the transcripts and the scenarios of these procedures."""
    for name in dealt_hands.games():
        if name not in names:
            continue
        for number, case in enumerate([dealt_hands.clean(name), *dealt_hands.cases(name)]):
            with overheard() as flows:
                options = {key.replace("-", "_"): value for key, value in case.options.items()}
                HandTable(name, **options).play(list(case.lines)).say("end")
            yield from ((f"{name}/hand-{number}", flow, seen) for flow, seen in flows)
    folder = dealt_hands.FOLDER.parent / "told"
    for path in sorted(folder.glob("*.txt")):
        for number, transcript in enumerate(told.transcripts(path)):
            name = transcript.head.partition(": ")[0].split()[0]
            if name in names:
                with overheard() as flows, suppress(ProcedureError):
                    told.played(transcript, {})
                yield from ((f"{name}/{path.stem}-{number}", flow, seen) for flow, seen in flows)
    for scenario_id in scenario_ids():
        scenario = find_scenario(scenario_id)
        if scenario.game.name in names:
            seen = TableEvening(set_up(scenario, speed=SPEED), role=Role.OPERATE).run().seen
            procedure = scenario.game.name
            yield f"{procedure}/{scenario_id}", DealerFlow(load_procedure(procedure)), seen


# ---------------------------------------------------------------------- settlement


@cache
def _is_settled(procedure: str) -> bool:
    return game_id_of(procedure) is not None


def terms(name: str, random: Random, *, plainly: bool) -> dict[str, Any]:
    """Return the terms of the rounds: the game's own, or any pay tables, readings, tokens and meters."""
    if not _is_settled(name):
        return {}
    game = load_game_of(name)
    meters = {meter: random.randrange(10_000, 50_000_000) for meter in game.meters()}
    if plainly:
        return {"meters": meters}
    return {
        "meters": meters if random.random() < 0.8 else {},
        "paytables": {bet.name: random.choice(bet.paytables) for bet in game.spec.bets if bet.paytables},
        "readings": {reading: random.choice(list(READINGS[reading])) for reading in game.spec.readings},
        "token_cents": random.choice((1, 25, 100)),
        "envy_base_cents": random.choice((100, 500)),
        "accept_suspect": True,
    }


def evenings(name: str, count: int, seed: int) -> Iterator[tuple[str, Options, list[e.Seen]]]:
    """Yield the random evenings of a procedure; three times as many where money moves."""
    procedure = load_procedure(name)
    count *= 3 if _is_settled(name) else 1
    readings = Readings(procedure, Random(f"{seed} {name}"))
    for number in range(count):
        random = Random(f"{seed} {name} {number}")
        options, wrong = readings.next(number), random.choice(WRONG)
        kinds: dict[str, Callable[[], list[e.Seen]]] = {
            "walk": lambda: Walk(procedure, options, random, wrong).run(random.randint(2, 5), 120),  # noqa: B023
            "simulated": lambda: simulated(procedure, options, random),  # noqa: B023
            "play": lambda: played(procedure, options, random, wrong),  # noqa: B023
        }
        kind = ("walk", "simulated", "walk", "play")[number % 4]
        yield f"{name}/{kind}-{number}", options, kinds[kind]()


def lines(names: Iterable[str], count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield every input, each followed by its changed twin."""
    names = list(names)
    made = [(each for each in evenings(name, count, seed)) for name in names]
    random_ones = (each for of_one in made for each in of_one)
    fixed = ((key, flow.plan.options, seen) for key, flow, seen in written(names))
    for key, options, seen in (one for source in (random_ones, fixed) for one in source):
        random = Random(f"{seed} {key}")
        procedure, told = key.partition("/")[0], [report(each) for each in seen]
        settled = terms(procedure, random, plainly=random.random() < 0.5)
        head = {"procedure": procedure, "options": dict(options), "terms": settled}
        yield {"id": key, **head, "reports": told}
        if len(told) > 1:
            yield {"id": f"{key}~", **head, "reports": changed(told, random)}


def main(arguments: list[str]) -> None:
    """Write the inputs to standard output."""
    count, seed, *names = arguments
    chosen = names or list(known_procedures())
    heard = (
        [] if set(chosen) < set(known_procedures()) else recordings(Path(sys.path[0] or "."))
    )  # PYTHONPATH: the tree
    for source in (heard, lines(chosen, int(count), int(seed))):
        for line in source:
            print(json.dumps(line, separators=(",", ":")))


if __name__ == "__main__":
    main(sys.argv[1:])
