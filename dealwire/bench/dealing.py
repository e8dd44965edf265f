"""What each verb of a step does at the device: hands, power, states, dealing, counting."""

from __future__ import annotations

from itertools import pairwise

from dealwire.bench import plan_device as d
from dealwire.bench.books import Book
from dealwire.bench.hands import OFF_MS
from dealwire.bench.moves import distinct
from dealwire.bench.probe import MS
from dealwire.bench.profiles import BADGE
from dealwire.bench.record import Failed, NotRun
from dealwire.bench.stand import LIFT_MS, Stand
from dealwire.bench.values import Wanted, milliseconds, spell
from protocol.faults import Fault
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.messages import Resolution, Status
from protocol.tdp.outputs import Timing

BY_PERSON_MAX = 24
"""Events that a person is asked to cause one by one."""
TO = ("community", *(f"seat {number}" for number in range(1, 9)), "dealer")
"""Where hands lay the packets, in turn."""


def do(stand: Stand, step: d.ActAtDevice) -> None:
    """`do`."""
    stand.act(step.do, step.fields)


def fault(stand: Stand, step: d.Faulting) -> None:
    """`fault`."""
    stand.fault(step.fault, step.fields)


def power(stand: Stand, step: d.Power) -> None:
    """`power`."""
    if step.power in ("off", "cycle"):
        stand.power(False)
    if step.power == "cycle":
        stand.rest(OFF_MS)
    if step.power in ("on", "cycle"):
        stand.power(True)


def prepare(stand: Stand, step: d.Prepare) -> None:
    """`prepare`."""
    stand.prepare(step.prepare)
    stand.probe.mark = len(stand.probe.heard)


def state(stand: Stand, step: d.StateIs) -> None:
    """`state`."""
    names = [step.state] if isinstance(step.state, str) else step.state
    limit_ms = milliseconds(step.within) + stand.hands.patience_ms
    wanted: dict[str, Wanted] = {"state": list(names), **step.where}
    if stand.wait_for(stand.profile.status, wanted, limit_ms) is None:
        words = spell(stand.probe.status) if stand.probe.status is not None else "no status at all"
        raise Failed(f"no status with {wanted} within {limit_ms} ms; the last one: {words}")


def deal(stand: Stand, step: d.DealPackets) -> None:
    """`deal`."""
    book = _book(stand)
    if not book.under_way:
        _accepted(stand, m.DispenseMessage())
        stand.need("PacketDispensed", {"ordinal": 1}, LIFT_MS)
    while (book := _book(stand)).lifted < step.deal:
        _lift(stand, book)
    if step.finish:
        finish(stand)


def _lift(stand: Stand, book: Book) -> None:
    ordinal = book.lifted + 1
    if len(book.packets) < ordinal:
        # it may have come while another step looked on
        stand.need("PacketDispensed", {"ordinal": ordinal}, LIFT_MS)
    if stand.probe.status is not None and stand.state() == "MISDEAL":
        raise Failed(f"the red lamp is lit at packet {ordinal}")
    stand.act("lift", {"to": TO[(ordinal - 1) % len(TO)]})
    stand.need("PacketLifted", {"ordinal": ordinal}, 1000 + stand.hands.patience_ms)
    stand.pause(600)


def wrong_packet(stand: Stand, step: d.WrongPacket) -> None:
    """`wrong_packet`."""
    ordinal, by = step.wrong_packet, step.by
    number = Fault.PACKET_SHORT if by < 0 else Fault.PACKET_LONG
    if ordinal == 1:
        _accepted(stand, m.DispenseMessage())
    packet = stand.need("PacketDispensed", {"ordinal": ordinal}, LIFT_MS)
    assert isinstance(packet, m.PacketDispensedMessage)
    if packet.counted != packet.expected + by:
        raise Failed(f"packet {ordinal} counts {packet.counted} where {packet.expected + by} came")
    stand.need("RedLamp", {"lit": 1, "fault": int(number)}, 1000)
    stand.need("Misdeal", {"fault": int(number)}, 1000)
    books(stand, d.Books(books="misdeal"))
    stand.need(stand.profile.status, {"state": "MISDEAL", "lamps": "+RED", "faults": f"+{number}"}, 1500)
    reply = stand.ask(m.ClearMisdealMessage(BADGE, Resolution.RESUME))
    if reply.status != Status.DONE:
        raise Failed(f"the lamp was not cleared: {spell(reply)}")
    stand.act("lift", {"to": TO[(ordinal - 1) % len(TO)]})
    stand.need("PacketLifted", {"ordinal": ordinal}, 1000 + stand.hands.patience_ms)
    stand.pause(600)
    finish(stand)


def finish(stand: Stand) -> None:
    """The remainder comes, is lifted, and everything adds up."""
    _accepted(stand, m.DumpMessage())
    stand.need("RemainderDumped", {}, LIFT_MS)
    stand.act("lift", {"to": "remainder"})
    stand.need("RemainderLifted", {}, 1000 + stand.hands.patience_ms)
    wrong = _book(stand).wrong()
    if wrong:
        raise Failed(wrong)


def _book(stand: Stand) -> Book:
    """The round so far; a deck that was counted before the check began is in the status."""
    book = Book.of(distinct(stand))
    if not book.loaded and isinstance(stand.probe.status, m.ShufflerStatusMessage):
        book.loaded = stand.probe.status.loaded
    return book


def _accepted(stand: Stand, command: m.Message) -> None:
    reply = stand.ask(command)
    if reply.status != Status.ACCEPTED:
        raise Failed(f"{message_name(command)} should have been accepted; came: {spell(reply)}")


def books(stand: Stand, step: d.Books) -> None:
    """`books`."""
    seen = distinct(stand)
    if step.books == "remainder":
        wrong = Book.of(seen).wrong(missing=step.missing)
        if wrong:
            raise Failed(wrong)
        return
    record = next((event for event in reversed(seen) if isinstance(event, m.MisdealMessage)), None)
    if record is None:
        raise Failed("no misdeal record came")
    wrong = Book.of(seen).differs(record, missing=step.missing)
    if wrong:
        raise Failed(wrong)


def poke(stand: Stand, step: d.Poke) -> None:
    """`poke`."""
    ways = stand.profile.poke
    if isinstance(ways[0], str) and stand.hands.patience_ms and step.poke > BY_PERSON_MAX:
        raise NotRun(f"needs {step.poke} presses of a key in a row, too many for a person")
    for turn in range(step.poke):
        way = ways[turn % len(ways)]
        if isinstance(way, str):
            stand.act(way)
            continue
        reply = stand.ask(way)
        if reply.status == Status.REFUSED:
            raise Failed(f"{spell(way)} was refused: {spell(reply)}")
    stand.requested_ns = stand.probe.wire.now_ns()


def measure(stand: Stand, step: d.Measuring) -> None:
    """`measure`."""
    took = {"hello": _hellos, "reply": _replies, "status": _statuses, "resend": _resends}[step.measure](
        stand, step.times
    )
    for ms in took:
        stand.time(step.measure, ms, step.limit)
    worst, best = max(took), min(took)
    if step.limit is not None and worst > milliseconds(step.limit) + stand.allowance_ms:
        raise Failed(f"{step.measure}: {worst:.0f} ms, more than {milliseconds(step.limit)} ms")
    if step.at_least is not None and best < milliseconds(step.at_least) - stand.allowance_ms:
        raise Failed(f"{step.measure}: {best:.0f} ms, less than {milliseconds(step.at_least)} ms")


def _hellos(stand: Stand, times: int) -> list[float]:
    return [_took(stand, stand.make("Hello", {}), "HelloReply") for _ in range(times)]


def _replies(stand: Stand, times: int) -> list[float]:
    return [_took(stand, m.ReportStatusMessage(), "Reply") for _ in range(times)]


def _took(stand: Stand, message: m.Message, answer: str) -> float:
    began_ns = stand.probe.wire.now_ns()
    stand.probe.send(message, stand.probe.new_request() if answer == "Reply" else 0)
    found = stand.wait_for(answer, {}, 2 * Timing().retry_ns // MS)
    if found is None:
        raise Failed(f"no {answer}")
    return (found[0].at_ns - began_ns) / MS


def _statuses(stand: Stand, times: int) -> list[float]:
    start = len(stand.probe.heard)
    stand.pause((times + 1) * 1000 + 500)
    at = [h.at_ns for h in stand.probe.heard[start:] if message_name(h.envelope.message) == stand.profile.status]
    if len(at) < 2:
        raise Failed(f"{len(at)} status messages in {times + 1.5:g} s")
    return [(later - earlier) / MS for earlier, later in pairwise(at)]


def _resends(stand: Stand, times: int) -> list[float]:
    """How long an event without acknowledgement waits to be sent again."""
    stand.probe.acks = False
    poke(stand, d.Poke(poke=1))
    start = len(stand.probe.heard)
    stand.pause((times + 1) * Timing().resend_ns // MS + 500)
    stand.probe.acks = True
    at = [
        h.at_ns for h in stand.probe.heard[max(0, start - 8) :] if _number(h.envelope.message) == stand.probe.last_event
    ]
    if len(at) < 2:
        raise Failed("an event that was not acknowledged did not come again")
    return [(later - earlier) / MS for earlier, later in pairwise(at)][:times]


def _number(message: m.Message) -> int:
    return message.number if isinstance(message, m.Event) else 0
