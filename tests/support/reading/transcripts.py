"""Transcripts: the actions at a table and their results, as lines of text written down and checked against the clauses.

== race-to-the-flush: the shoe does not read a card      a table; `reads`, `no-shoe` or `option=value` after the game
> draw AH ??                                             one thing that happens, in the words of `hand_table`
  card-unread at shoe [procedure] number 2               each incident: code, reason, place, clause and facts
  : naming | seat 1 live, ante 500 | 2 cards, 50 left    the state of the table, when it leaves a state
  = misdeal | seat 1 live, back ante 500                 how a round ended
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dealer_flow.play.machine.states import State
from dealer_flow.play.seen.snapshot import HandNow, SeatNow, Snapshot
from dealer_flow.procedure.load import Procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from protocol.cards import UNREAD
from tests.support.dealing.hand_table import HandTable
from tests.support.reading.sentences import facts


@dataclass(frozen=True)
class Transcript:
    """One table of a file: its head, and the lines below it."""

    head: str
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return self.head


def transcripts(path: Path) -> list[Transcript]:
    """Return every table of the file; lines that begin with `#` and empty ones do not count."""
    out: list[tuple[str, list[str]]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            out.append((line.removeprefix("== "), []))
        elif line.strip() and not line.startswith("#"):
            out[-1][1].append(line)
    return [Transcript(head, tuple(lines)) for head, lines in out]


def reprint(path: Path, games: Mapping[str, Procedure]) -> None:
    """Rewrite a file of transcripts with the current results; the actions remain."""
    intro = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    tables = ["\n".join([f"== {each.head}", *played(each, games)]) for each in transcripts(path)]
    path.write_text("\n\n".join(["\n".join(intro), *tables]) + "\n", encoding="utf-8")


def played(transcript: Transcript, games: Mapping[str, Procedure]) -> list[str]:
    """Return the transcript as the table has it now: actions and results."""
    setting, _, _ = transcript.head.partition(": ")
    game, *marks = setting.split()
    options = dict(mark.split("=") for mark in marks if "=" in mark)
    table = HandTable(games.get(game, game), reads="reads" in marks, filled="no-shoe" not in marks, **options)
    deeds = [line for line in transcript.lines if line.startswith("> ")]
    out: list[str] = []
    left = ""
    for deed in deeds:
        state, incidents, results = table.flow.state, len(table.incidents), len(table.results)
        table.say(deed.removeprefix("> "))
        if table.flow.state is not state and left:
            out.append(left)
        out += [deed, *(f"  {_incident(incident)}" for incident in table.incidents[incidents:])]
        out += [f"  = {_outcome(result)}" for result in table.results[results:]]
        left = "" if table.flow.state is State.BETTING else f"  : {_snapshot(table)}"
    return [*out, left] if left else out


# ------------------------------------------------------------------ text


def _incident(incident: Incident) -> str:
    head = " ".join(filter(None, (incident.code, incident.reason)))
    found = facts(incident)
    place = f" at {found.pop('place')}" if incident.place else ""
    rest = "; ".join(name if value is True else f"{name} {_value(value)}" for name, value in found.items())
    return f"{head}{place} [{incident.clause}] {rest}".rstrip()


def _value(value: object) -> str:
    if isinstance(value, Incident):
        return value.code
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _snapshot(table: HandTable) -> str:
    now = table.flow.snapshot()
    return " | ".join([now.state.value, *map(_seat, now.seats), *_places(now), *_deck(table, now)])


def _seat(seat: SeatNow) -> str:
    words = [f"seat {seat.number} {seat.status or 'betting'}", *filter(None, [seat.decision, _cents(seat.wagers)])]
    if seat.hand is not None:
        words.append(_hand(seat.hand))
    return ", ".join(words)


def _places(now: Snapshot) -> Iterator[str]:
    for hand in (now.dealer, now.community, *now.hands):
        if hand is not None:
            yield f"{hand.place} {_hand(hand)}"
    for column in now.columns:
        if column.cards:
            yield f"{column.place} {_cards(column.cards)}"
    if now.burned:
        yield f"burned {_cards(now.burned)}"


def _hand(hand: HandNow) -> str:
    """Return the hand's counted and due cards, its faces once one was shown, and the cards set aside."""
    faces = "" if all(card == UNREAD for card in hand.cards) else f" {_cards(hand.cards)}"
    aside = f" aside {_cards(hand.burned)}" if hand.burned else ""
    return f"{_known(hand.counted)}/{hand.expected}{faces}{aside}"


def _deck(table: HandTable, now: Snapshot) -> Iterator[str]:
    shoe = table.flow.shoe
    if shoe is not None:
        yield f"shoe {shoe.id}: {shoe.drawn} of {shoe.loaded} out, {_known(shoe.left)} left{', over' * shoe.over}"
    elif now.remainder is not None:
        yield f"{now.remainder} left"
    if now.unshown:
        yield f"unshown {_cards(sorted(now.unshown))}"


def _outcome(result: RoundResult) -> str:
    rows = [result.outcome]
    for seat in result.seats:
        back = f", back {_cents(seat.returned)}" if seat.returned else ""
        held = f", held {' '.join(seat.held)}" if seat.held else ""
        rows.append(f"seat {seat.seat} {seat.status}{back}{held}")
    rows += [f"{hand.name} {hand.status}" for hand in result.hands]
    if result.draw is not None:
        finish = result.draw.finish
        rows.append(f"{finish.column or 'no column'} after {finish.cards}" if finish else "not decided")
    return " | ".join(rows)


def _cents(bets: Mapping[str, int]) -> str:
    return " ".join(f"{name} {cents}" for name, cents in bets.items())


def _cards(cards: Iterable[object]) -> str:
    return " ".join(map(str, cards))


def _known(value: object) -> str:
    return "-" if value is None else str(value)
