"""Program that makes more evenings for `compare_commits`, for every game in which players bet against each other or
that came later than 659696b; it runs in the tree of commit 517dc6e7 and uses that tree's players.

    PYTHONPATH=TREE python -P compare_later.py EVENINGS SEED PROCEDURES > INPUTS

Evenings of poker with their rakes, meters and readings; a dealer who does what is legal, and one who now and then sends
any possible report; the dealt hands, the second reader's hands and the transcripts. Every evening comes again with some
reports dropped, doubled, swapped or changed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from dealer_flow.play.flow import DealerFlow
from dealer_flow.procedure.load import known_procedures, load_procedure
from devices import events as e
from protocol.errors import LocalError
from rules.game import Game, game_id_of, load_game
from rules.readings import READINGS
from tests.support import chips, dealt_hands, poker_evenings, read_hands, transcripts
from tests.support.flow_points import round_of
from tests.support.hand_table import HandTable
from tests.support.legal_play import LegalPlay
from tests.support.table_events import reports

sys.path.append(str(Path(__file__).parent))  # which -P leaves out
from compare_plain import Options, Readings, changed, recordings, report

WRONG = (0.0, 0.0, 0.02, 0.06, 0.2)
"""Shares of a walk's reports that depart from what is due, from evening to evening."""
POKER_EVENINGS = 4
"""Evenings of poker for each one of another kind."""
chips.ACTIONS.setdefault("chop", e.BettingAction.CHOP)  # which `legal()` of that tree lists
Heard = tuple[DealerFlow, list[e.Seen]]


class Play(LegalPlay):
    """A dealer who does what is legal, in sessions and numbers as devices have them; the reports are kept."""

    def __init__(self, name: str, options: Options, random: Random) -> None:
        self.seen: list[e.Seen] = []
        self._options = options
        super().__init__(load_procedure(name), random)

    def fill(self) -> None:
        if not self.seen:
            self.flow = DealerFlow(self.flow.procedure, options=self._options)
        super().fill()

    def see(self, body: e.Body) -> None:
        self.seen.append(e.Seen("table", 1, len(self.seen) + 1, 1_000_000_000 * len(self.seen), body))
        if any(item.__class__.__name__ == "RoundResult" for item in self.flow.handle(self.seen[-1])):
            self.fill()


def played(name: str, options: Options, random: Random, wrong: float) -> list[e.Seen]:
    """Return reports of legal play, now and then any possible report, and END GAME of a hand that does not end."""
    play = Play(name, options, random)
    with suppress(AssertionError):  # of a dealer who finds nothing to do: the evening is over
        for number in range(random.randint(60, 240)):
            if random.random() < wrong:
                play.see(random.choice(list(reports(play.flow))).body)
            elif number % 120 == 119:
                play.see(e.GameEnded(round_of(play.flow).number))
            else:
                play.step(rare=wrong > 0)
    return play.seen


@contextmanager
def overheard() -> Iterator[list[Heard]]:
    """Collect every flow that is dealt to in this context, with its reports."""
    flows: dict[int, Heard] = {}
    out: list[Heard] = []
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


def written(names: Iterable[str]) -> Iterator[tuple[str, str, Options, list[e.Seen]]]:
    """Yield the hands and transcripts of these procedures, each with its procedure and options."""
    names = set(names)
    tables: list[tuple[str, str, Any]] = []
    for name in dealt_hands.games():
        for number, case in enumerate([dealt_hands.clean(name), *dealt_hands.cases(name)] if name in names else ()):
            tables.append((f"{name}/hand-{number}", name, case))
    for number, hand in enumerate(read_hands.read_rounds()):
        if hand.game in names:
            tables.append((f"{hand.game}/read-{number}", hand.game, hand))
    for path in sorted((dealt_hands.FOLDER.parent / "transcripts").glob("*.txt")):
        for number, transcript in enumerate(transcripts.transcripts(path)):
            name = transcript.head.partition(": ")[0].split()[0]
            if name in names:
                tables.append((f"{name}/{path.stem}-{number}", name, transcript))
    for key, name, table in tables:
        with overheard() as flows, suppress(LocalError, AssertionError):
            if isinstance(table, transcripts.Transcript):
                transcripts.played(table, {})
            else:
                given = {option.replace("-", "_"): value for option, value in table.options.items()}
                lines = list(table.lines) if isinstance(table, dealt_hands.Case) else table.lines.splitlines()
                HandTable(name, **given).play(lines)
        for flow, seen in flows:
            yield key, name, dict(flow.plan.options), seen


# ---------------------------------------------------------------------- settlement


def game_of(name: str, options: Options) -> Game | None:
    found = game_id_of(name, options)
    return None if found is None else load_game(found)


def terms(game: Game | None, random: Random) -> dict[str, Any]:
    """Return any readings, meters and pay tables of the game; in every second evening its own."""
    if game is None:
        return {}
    meters = {meter: random.randrange(10_000, 50_000_000) for meter in game.meters()}
    if random.random() < 0.5:
        return {"meters": meters}
    readings = {reading: random.choice(list(READINGS[reading])) for reading in game.spec.readings}
    tables = {name: random.choice(game.paytables_under(name, readings)) for name in game.default_paytables(readings)}
    more = {"token_cents": random.choice((1, 25, 100)), "accept_suspect": True}
    return {"meters": meters, "readings": readings, "paytables": tables, **more}


def poker_terms(name: str, seed: int) -> dict[str, Any]:
    """Return the terms of the evening with this seed."""
    random = Random(f"{name} {seed}")
    found = poker_evenings._terms(name, poker_evenings._options(name, random), random)
    if found is None:
        return {}
    rake = {} if found.rake is None else {"rake": msgspec.to_builtins(found.rake)}
    return {"meters": found.meters, "readings": dict(found.readings), "token_cents": found.token_cents, **rake}


def evenings(name: str, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the random evenings of a procedure."""
    readings = Readings(load_procedure(name), Random(f"{seed} {name}"))
    for number in range(count):
        random = Random(f"{seed} {name} later {number}")
        options = readings.next(number)
        seen = played(name, options, random, random.choice(WRONG))
        yield line(f"{name}/later-{number}", name, options, seen, terms(game_of(name, options), random))
    if name not in (*poker_evenings.BETTING, *poker_evenings.CHOOSING):
        return
    for number in range(seed, seed + POKER_EVENINGS * count):
        with overheard() as flows, suppress(AssertionError):
            poker_evenings.evening(name, number)
        ((flow, seen),) = flows
        yield line(f"{name}/poker-{number}", name, dict(flow.plan.options), seen, poker_terms(name, number))


def line(key: str, name: str, options: Options, seen: list[e.Seen], settled: dict[str, Any]) -> dict[str, Any]:
    game = game_id_of(name, options)
    told = [report(each) for each in seen]
    return {"id": key, "procedure": name, "game": game, "options": options, "terms": settled, "reports": told}


def lines(names: Iterable[str], count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield every input, each followed by its changed twin."""
    names = list(names)
    random_ones = (each for name in names for each in evenings(name, count, seed))
    fixed = (
        line(key, name, options, seen, terms(game_of(name, options), Random(f"{seed} {key}")))
        for key, name, options, seen in written(names)
    )
    for made in (each for source in (random_ones, fixed) for each in source):
        yield made
        if len(made["reports"]) > 1:
            twin = changed(made["reports"], Random(f"{seed} {made['id']}"))
            yield made | {"id": f"{made['id']}~", "reports": twin}


def main(arguments: list[str]) -> None:
    """Write the inputs to standard output."""
    count, seed, *names = arguments
    heard = () if names else recordings(Path(sys.path[0] or "."))  # PYTHONPATH: the tree
    for source in (heard, lines(names or list(known_procedures()), int(count), int(seed))):
        for each in source:
            print(json.dumps(each, separators=(",", ":")))


if __name__ == "__main__":
    main(sys.argv[1:])
