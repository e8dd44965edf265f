"""Transcripts: what is done at a table, and everything it tells, as lines of text written down and held to the clauses.

== race-to-the-flush: the shoe does not read a card      a table; `reads`, `no-shoe` or `option=value` after the game
> draw AH ??                                             one thing that happens, in the words of `hand_table`,
> device RedLamp: lit true; fault 205                    or a report with its fields
  card-unread at shoe [procedure] number 2               each incident: code, reason, place, clause and facts
? next                                                   what may happen next
? table                                                  the snapshot; `state` its first line
? round                                                  the last round that ended
? shoe                                                   the bookkeeping of the shoe
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from msgspec.structs import fields

from dealer_flow.play.legal import Legal
from dealer_flow.play.snapshot import HandNow, PacketNow, SeatNow
from dealer_flow.procedure.load import Procedure
from dealer_flow.record.incidents import Incident
from devices import events as e
from protocol.cards import Card, parse_card, parse_cards
from protocol.places import Place, parse_place
from tests.support.hand_table import CONTROLLER, DEVICE, HandTable
from tests.support.sentences import facts

LINES: Final = {"device": DEVICE, "controller": CONTROLLER, "other": "device-2"}


@dataclass(frozen=True)
class Transcript:
    """One table of a file. `told` are the lines below its head."""

    head: str
    told: tuple[str, ...]

    def __str__(self) -> str:
        return self.head


def transcripts(path: Path) -> list[Transcript]:
    """Every table of the file; lines that begin with `#` and empty ones do not count."""
    out: list[tuple[str, list[str]]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            out.append((line.removeprefix("== "), []))
        elif line.strip() and not line.startswith("#"):
            out[-1][1].append(line)
    return [Transcript(head, tuple(told)) for head, told in out]


def reprint(path: Path, games: dict[str, Procedure]) -> None:
    """Write a file of transcripts with what its tables tell now; what is done at them stays."""
    answers = iter([line for each in transcripts(path) for line in [*played(each, games), ""]])
    out: list[str] = []
    waiting = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(("> ", "? ")):
            waiting = waiting or next(answers) or next(answers)
            assert waiting == line
            out.append(line)
            while (waiting := next(answers)).startswith("  "):
                out.append(waiting)
        elif not line.startswith("  "):
            out.append(line)
    path.write_text("\n".join(out) + "\n", encoding="utf-8")


def played(transcript: Transcript, games: dict[str, Procedure]) -> list[str]:
    """The transcript as the table tells it: what is done and asked, and what is told now."""
    setting, _, _ = transcript.head.partition(": ")
    game, *marks = setting.split()
    options = dict(mark.split("=") for mark in marks if "=" in mark)
    table = ToldTable(games.get(game, game), reads="reads" in marks, shoe="no-shoe" not in marks, **options)
    out: list[str] = []
    for line in transcript.told:
        if line.startswith("> "):
            before = len(table.incidents)
            table.say(line.removeprefix("> "))
            out += [line, *(f"  {_incident(incident)}" for incident in table.incidents[before:])]
        elif line.startswith("? "):
            out += [line, *(f"  {answer}" for answer in table.answer(line.removeprefix("? ")))]
    return out


class ToldTable(HandTable):
    """A table that can be asked. Any report can be made of it: `device NAME: field value; field value`."""

    def __init__(self, procedure: str | Procedure, *, reads: bool, shoe: bool, **options: str) -> None:
        self.reads, self._deck_at_once = reads, shoe
        super().__init__(procedure, **options)
        self._numbers["device-2"] = 0

    def fresh_deck(self) -> None:
        """As always, but for the first deck of a table that begins without one."""
        if self._deck_at_once:
            super().fresh_deck()
        self._deck_at_once = True

    def say(self, line: str) -> None:
        """One line, or one report."""
        device, _, rest = line.partition(" ")
        if device in LINES:
            report = _report(rest)
            if isinstance(report, e.PacketDispensed):
                self.ordinal, self.dealt = report.ordinal, self.dealt + report.counted
            elif isinstance(report, e.CardDrawn | e.CardUnread):
                self.ordinal = report.ordinal or self.ordinal
            self.see(LINES[device], report)
        elif line == "fresh deck":
            self.fresh_deck()
        else:
            super().say(line)

    def _packet(self, rest: str) -> None:
        to, _, cards = rest.partition(": ")
        to, _, expected = to.partition(" should be ")
        faces = parse_cards(cards)
        self.ordinal += 1
        self.dealt += len(faces)
        shown = faces if self.reads else ()
        self.see(DEVICE, e.PacketDispensed(self.deck, self.ordinal, int(expected or len(faces)), len(faces), shown))
        self.see(DEVICE, e.PacketLifted(self.ordinal))

    def answer(self, question: str) -> Iterator[str]:
        """The lines that answer one of the questions."""
        asked: dict[str, Callable[[], Iterator[str]]] = {
            "next": self._next,
            "due": lambda: (line for line in self._next() if not line.startswith("supervisor")),
            "table": self._lies,
            "state": lambda: islice(self._lies(), 1),
            "round": self._round_told,
            "shoe": self._shoe,
        }
        yield from asked[question]()

    def _next(self) -> Iterator[str]:
        quoted = self.incidents + [each for result in self.results for each in result.incidents]
        yield from (_legal(item, quoted) for item in self.flow.legal())

    def _lies(self) -> Iterator[str]:
        now = self.flow.snapshot()
        yield f"{now.state.value} {now.number} {'in play' if now.in_play else 'between'}"
        yield from map(_seat, now.seats)
        yield from (_hand(hand) for hand in (now.dealer, now.community, *now.hands) if hand)
        yield from (f"column {_hand(column)}" for column in now.columns)
        if now.burned:
            yield f"burned: {_cards(now.burned)}"
        yield from map(_packet, now.packets)
        yield f"deck {now.deck}, {_known(now.remainder)} left"
        if now.unshown:
            yield f"unshown: {_cards(sorted(now.unshown))}"

    def _round_told(self) -> Iterator[str]:
        """As the JSON line, without what every round has alike."""
        content = json.loads(self.results[-1].to_json())
        for key in ("schema", "type", "table", "procedure", "options", "incidents"):
            content.pop(key, None)
        for key, value in content.items():
            if value in (None, [], {}, 0) and key != "remainder":
                continue
            if isinstance(value, list) and value and isinstance(value[0], dict):
                yield from (f"{key} {json.dumps(row)}" for row in value)
            else:
                yield f"{key} {json.dumps(value)}"

    def _shoe(self) -> Iterator[str]:
        shoe = self.flow.shoe
        if shoe is None:
            yield "none"
            return
        out = ", ".join(f"{card} {count}" for card, count in shoe.composition().items())
        over = ", over" * shoe.over
        yield f"shoe {shoe.id}: {shoe.drawn} of {shoe.loaded} out, {_known(shoe.left)} left, {shoe.penetration}{over}"
        yield f"out: {out or 'nothing'}"


def _report(text: str) -> e.Body:
    """`RedLamp: lit true; fault 205`."""
    name, _, rest = text.partition(":")
    given = dict(part.strip().partition(" ")[::2] for part in rest.split(";") if part.strip())
    body: type[e.Body] = getattr(e, name)
    return body(
        **{field.name: _READ[str(field.type)](given[field.name]) for field in fields(body) if field.name in given}
    )


_READ: Final[dict[str, Callable[[str], object]]] = {
    str(kind): read
    for kind, read in (
        (bool, "true".__eq__),
        (int, int),
        (str, str),
        (int | None, lambda text: None if text == "none" else int(text)),
        (str | None, lambda text: None if text == "none" else text),
        (Card, parse_card),
        (Place, parse_place),
        (tuple[Card, ...], parse_cards),
        (tuple[int, ...], lambda text: tuple(map(int, text.split()))),
        (tuple[tuple[int, int], ...], lambda text: tuple(tuple(map(int, pair.split("/"))) for pair in text.split())),
    )
}
"""Type of a report's field -> how it is read."""


# ------------------------------------------------------------------ as text


def _incident(incident: Incident) -> str:
    head = " ".join(filter(None, (incident.code, incident.reason)))
    said = facts(incident)
    place = f" at {said.pop('place')}" if incident.place else ""
    told = "; ".join(name if value is True else f"{name} {_value(value)}" for name, value in said.items())
    return f"{head}{place} [{incident.clause}] {told}".rstrip()


def _value(value: object) -> str:
    if isinstance(value, Incident):
        return value.code
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _legal(item: Legal, quoted: Iterable[Incident]) -> str:
    what = item.what
    for incident in quoted:
        what = what.replace(incident.text, incident.code)
    return f"{item.actor} {item.event}{' ' * bool(item.place)}{item.place} ({item.value}): {what}"


def _seat(seat: SeatNow) -> str:
    bets = ", ".join(f"{name} {cents}" for name, cents in seat.wagers.items())
    hand = f" | {_hand(seat.hand)}" if seat.hand else ""
    return f"seat {seat.number} {_known(seat.status)} {_known(seat.decision)} | {bets}{hand}"


def _hand(hand: HandNow) -> str:
    aside = f" aside {_cards(hand.burned)}" if hand.burned else ""
    return f"{hand.place} {_known(hand.counted)}/{hand.expected}: {_cards(hand.cards) or 'none'}{aside}"


def _packet(packet: PacketNow) -> str:
    out = "lifted" if packet.lifted else "to come"
    return f"packet {packet.ordinal} {packet.to} {_known(packet.counted)}/{_known(packet.expected)} {out}"


def _cards(cards: Iterable[Card]) -> str:
    return " ".join(card.text for card in cards)


def _known(value: object) -> str:
    return "-" if value is None else str(value)
