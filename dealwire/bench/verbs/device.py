"""Steps that act at the device: manual actions, power, states, dealing, counting."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal, Self

from pydantic import Field, model_validator

from dealwire.bench.hands.actions import CABLE_IN, CABLE_OUT, POWER_OFF, POWER_ON
from dealwire.bench.hands.operator import OFF_MS
from dealwire.bench.hands.profiles import BADGE
from dealwire.bench.record import Failed, NotRun
from dealwire.bench.rules.card_ledger import Book
from dealwire.bench.values import STATES, Wanted, in_words, spell
from dealwire.bench.verbs.context import LIFT_MS, AnyCheckContext, CheckContext
from dealwire.bench.verbs.probe import MS
from dealwire.bench.verbs.step import STATUS_MS, HandNeed, Number, PlanStep, Prepared, State, States, Time
from dealwire.rehearsal.faults import act_named, fault_named
from devices.simulator.command_rules import CONTROLLER_RULES, SHOE_RULES, CommandRule
from protocol.faults import Fault
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.messages import DeviceClass, Message, Reason, Resolution, Status
from protocol.tdp.outputs import Timing

BY_PERSON_MAX: Final = 24
"""Maximum number of events that a person is asked to cause one by one."""
TO: Final = ("community", *(f"seat {number}" for number in range(1, 9)), "dealer")
"""Places where the operator puts the packets, in turn."""
_RESTS: Final = ("PACKET_WAIT", "MISDEAL")
"""States in which a deal waits for people."""


class StateIs(PlanStep):
    """`state`: a new status shows this state, or one of these."""

    state: States
    within: Time = 60_000
    where: dict[str, Wanted] = Field(default_factory=dict)

    def _run(self, context: CheckContext) -> None:
        limit_ms = self.within + context.hands.patience_ms
        wanted = self.of_status
        if context.wait_for(context.profile.status, wanted, limit_ms) is None:
            words = spell(context.probe.status) if context.probe.status is not None else "no status at all"
            raise Failed(f"no status with {in_words(wanted)} within {limit_ms} ms; the last one: {words}")

    @property
    def of_status(self) -> Mapping[str, Wanted]:
        """State and other fields."""
        return {"state": self.state, **self.where}


class ActAtDevice(PlanStep):
    """`do`: the operator does this at the device."""

    do: str
    fields: dict[str, int | str] = Field(default_factory=dict, alias="with")

    @model_validator(mode="after")
    def _known(self) -> Self:
        act_named(self.do).filled(self.fields)
        return self

    @property
    def needs(self) -> Sequence[HandNeed]:
        """The action."""
        return [(self.do, self.fields)]

    def _run(self, context: CheckContext) -> None:
        context.act(self.do, self.fields)


class Faulting(PlanStep):
    """`fault`: this goes wrong with the next operation."""

    fault: str
    fields: dict[str, int | str] = Field(default_factory=dict, alias="with")

    @model_validator(mode="after")
    def _known(self) -> Self:
        fault_named(self.fault).filled(self.fields)
        return self

    @property
    def needs(self) -> Sequence[HandNeed]:
        """The fault."""
        return [(self.fault, self.fields)]

    def _run(self, context: CheckContext) -> None:
        context.fault(self.fault, self.fields)


class Turning(PlanStep):
    """Base class of the steps that turn something off, on, or off and on after a second."""

    def _run(self, context: AnyCheckContext) -> None:
        for at, (action, _) in enumerate(self.needs):
            if at:
                context.rest(OFF_MS)
            context.turn(action)


class Power(Turning):
    """`power`: the device is switched off, on, or off and on after a second."""

    power: Literal["off", "on", "cycle"]

    @property
    def needs(self) -> Sequence[HandNeed]:
        """Actions of the power plug."""
        return [(action, {}) for action in (POWER_OFF, POWER_ON) if self.power in ("cycle", action.partition("-")[2])]


class Cable(Turning):
    """`cable`: the cable is pulled, put back, or both after a second. The device stays on."""

    cable: Literal["out", "in", "cycle"]

    @property
    def needs(self) -> Sequence[HandNeed]:
        """Actions of the cable."""
        return [(action, {}) for action in (CABLE_OUT, CABLE_IN) if self.cable in ("cycle", action.partition("-")[2])]


class Reopen(PlanStep):
    """`reopen`: the bench closes the line and opens it again, like a host that restarts."""

    reopen: Literal[True]

    def _run(self, context: CheckContext) -> None:
        context.reopen()


class Prepare(PlanStep):
    """`prepare`: the device is brought into this state by commands and manual actions, whatever its state."""

    prepare: Prepared

    def _run(self, context: CheckContext) -> None:
        context.prepare(self.prepare)
        context.probe.look_from_here()


# ------------------------------------------------------------------ dealing


class DealPackets(PlanStep):
    """`deal`: packets are dealt and lifted until this many have been taken; the next, if any, is then in the tray."""

    deal: int = Field(ge=0, le=25)
    finish: bool = False
    """Request and lift the remainder afterwards, and compare the counts."""

    @property
    def needs(self) -> Sequence[HandNeed]:
        """The manual action `lift`, if the step deals packets."""
        return [("lift", {})] if self.deal or self.finish else []

    def _run(self, context: CheckContext) -> None:
        if not _book(context).under_way:
            accepted(context, m.DispenseMessage())
            context.need("PacketDispensed", {"ordinal": 1}, LIFT_MS)
        while (book := _book(context)).lifted < self.deal:
            ordinal = book.lifted + 1
            if len(book.packets) < ordinal:
                # it may have come while another step looked on
                context.need("PacketDispensed", {"ordinal": ordinal}, LIFT_MS)
            if context.probe.status is not None and context.state() == "MISDEAL":
                raise Failed(f"the red lamp is lit at packet {ordinal}")
            _lift(context, ordinal)
        if self.finish:
            _finish(context)


class WrongPacket(PlanStep):
    """`wrong_packet`: this packet, the next to come, has too many cards (`by` below zero: too few). The lamp must be
    lit for it, and the misdeal record must add up; after clearing, the deal continues, and the remainder must add up
    too."""

    wrong_packet: int = Field(ge=1, le=25)
    by: int
    """Number of extra cards; below zero for missing ones."""

    @property
    def needs(self) -> Sequence[HandNeed]:
        """The manual action `lift`, if the step deals packets."""
        return [("lift", {})]

    def _run(self, context: CheckContext) -> None:
        ordinal, by = self.wrong_packet, self.by
        number = int(Fault.PACKET_SHORT if by < 0 else Fault.PACKET_LONG)
        if ordinal == 1:
            accepted(context, m.DispenseMessage())
        packet = context.need("PacketDispensed", {"ordinal": ordinal}, LIFT_MS)
        assert isinstance(packet, m.PacketDispensedMessage)
        if packet.counted != packet.expected + by:
            raise Failed(f"packet {ordinal} counts {packet.counted} where {packet.expected + by} came")
        context.need("RedLamp", {"lit": 1, "fault": number}, 1000)
        context.need("Misdeal", {"fault": number}, 1000)
        Books(books="misdeal")(context)
        context.need(context.profile.status, {"state": "MISDEAL", "lamps": "+RED", "faults": f"+{number}"}, 1500)
        reply = context.ask(m.ClearMisdealMessage(BADGE, Resolution.RESUME))
        if reply.status != Status.DONE:
            raise Failed(f"the lamp was not cleared: {spell(reply)}")
        _lift(context, ordinal)
        _finish(context)


class Books(PlanStep):
    """`books`: loaded = packets + remainder + rejected, in the misdeal record or at the remainder, less `missing`."""

    books: Literal["misdeal", "remainder"]
    missing: int = 0
    """Number of cards that may be missing."""

    def _run(self, context: CheckContext) -> None:
        seen, book = context.probe.events(), _book(context)
        if self.books == "remainder":
            wrong = book.wrong(missing=self.missing)
        else:
            record = next((event for event in reversed(seen) if isinstance(event, m.MisdealMessage)), None)
            wrong = book.differs(record, missing=self.missing) if record else "no misdeal record came"
        if wrong:
            raise Failed(wrong)


def _lift(context: CheckContext, ordinal: int) -> None:
    context.act("lift", {"to": TO[(ordinal - 1) % len(TO)]})
    context.need("PacketLifted", {"ordinal": ordinal}, 1000 + context.hands.patience_ms)
    context.pause(600)


def _finish(context: CheckContext) -> None:
    """Dump and lift the remainder, and check the sum."""
    dump(context)
    context.need("RemainderDumped", {}, LIFT_MS)
    context.act("lift", {"to": "remainder"})
    context.need("RemainderLifted", {}, 1000 + context.hands.patience_ms)
    if wrong := _book(context).wrong():
        raise Failed(wrong)


def dump(context: CheckContext) -> None:
    """Request the remainder, once a packet that may be on its way is in the tray."""
    end_ns = context.probe.wire.now_ns() + LIFT_MS * MS
    context.probe.run(end_ns, lambda: context.probe.status is not None and context.state() in _RESTS)
    accepted(context, m.DumpMessage())


def _book(context: CheckContext) -> Book:
    """Return the ledger of the round so far. A deck that was counted before the check is in the status."""
    book = Book.of(context.probe.events())
    if not book.loaded and isinstance(context.probe.status, m.ShufflerStatusMessage):
        book.loaded, book.verified = context.probe.status.loaded, True
    return book


def accepted(context: CheckContext, command: m.Message) -> None:
    """Send a command. Raise Failed if it is not accepted."""
    reply = context.ask(command)
    if reply.status != Status.ACCEPTED:
        raise Failed(f"{message_name(command)} should have been accepted; came: {spell(reply)}")


# ------------------------------------------------------------------ many of a kind


class Poke(PlanStep):
    """`poke`: this many events are caused, by commands if the device has one that causes an event."""

    poke: Number

    def _run(self, context: CheckContext) -> None:
        ways, times = context.profile.poke, context.number(self.poke)
        if isinstance(ways[0], str) and not context.hands.tireless and times > BY_PERSON_MAX:
            raise NotRun(f"needs {times} presses of a key in a row, too many for a person")
        for turn in range(times):
            way = ways[turn % len(ways)]
            if isinstance(way, str):
                context.act(way)
                continue
            reply = context.ask(way)
            if reply.status == Status.REFUSED:
                raise Failed(f"{spell(way)} was refused: {spell(reply)}")
        context.requested_ns = context.probe.wire.now_ns()


class Measuring(PlanStep):
    """`measure`: this many times of one kind are measured and compared with the limit of that name (none: only
    reported)."""

    measure: Literal["hello", "reply", "status", "resend"]
    times: int = Field(ge=1, le=1000)
    """Number of measurements."""
    limit: Time | None
    """Maximum time."""
    at_least: Time | None = None
    """Minimum time."""

    def _run(self, context: CheckContext) -> None:
        if self.measure == "hello":
            took = [_took(context, context.make("Hello", {}), "HelloReply") for _ in range(self.times)]
        elif self.measure == "reply":
            took = [_took(context, m.ReportStatusMessage(), "Reply") for _ in range(self.times)]
        else:
            took = (_statuses if self.measure == "status" else _resends)(context, self.times)
        for ms in took:
            context.time(self.measure, ms, self.limit)
        worst, best = max(took), min(took)
        if self.limit is not None and worst > self.limit + context.allowance_ms:
            raise Failed(f"{self.measure}: {worst:.0f} ms, more than {self.limit} ms")
        if self.at_least is not None and best < self.at_least - context.allowance_ms:
            raise Failed(f"{self.measure}: {best:.0f} ms, less than {self.at_least} ms")


def _took(context: CheckContext, message: m.Message, answer: str) -> float:
    began_ns = context.probe.wire.now_ns()
    context.probe.send(message, context.probe.new_request() if answer == "Reply" else 0)
    found = context.wait_for(answer, {}, 2 * Timing().retry_ns // MS)
    if found is None:
        raise Failed(f"no {answer}")
    return (found[0].at_ns - began_ns) / MS


def _statuses(context: CheckContext, times: int) -> list[float]:
    start = len(context.probe.heard)
    context.pause((times + 1) * 1000 + 500)
    at = [h.at_ns for h in context.probe.heard[start:] if message_name(h.message) == context.profile.status]
    if len(at) < 2:
        raise Failed(f"{len(at)} status messages in {times + 1.5:g} s")
    return [(later - earlier) / MS for earlier, later in pairwise(at)]


def _resends(context: CheckContext, times: int) -> list[float]:
    """Return the intervals after which an unacknowledged event is sent again."""
    probe = context.probe
    probe.acks = False
    Poke(poke=1)(context)
    start = max(0, len(probe.heard) - 8)
    context.pause((times + 1) * Timing().resend_ns // MS + 500)
    probe.acks = True
    heard = [(one.at_ns, one.message) for one in probe.heard[start:]]
    at = [at_ns for at_ns, event in heard if isinstance(event, m.Event) and event.number == probe.last_event]
    if len(at) < 2:
        raise Failed("an event that was not acknowledged did not come again")
    return [(later - earlier) / MS for earlier, later in pairwise(at)][:times]


# ------------------------------------------------------------------ what a state refuses

_RULES: Final[dict[int, tuple[CommandRule, ...]]] = {
    DeviceClass.SHOE: SHOE_RULES,
    DeviceClass.TABLE_CONTROLLER: CONTROLLER_RULES,
}
_FORMS: Final[dict[type[Message], tuple[Message, ...]]] = {
    m.LockShoeMessage: (m.LockShoeMessage(1), m.LockShoeMessage(0)),
    m.ClearShoeErrorMessage: tuple(
        m.ClearShoeErrorMessage(fault, BADGE) for fault in (Fault.NONE, Fault.CARD_UNREADABLE, Fault.PULLED_BACK)
    ),
    m.EndRoundMessage: (m.EndRoundMessage(),),
    m.SelfTestMessage: (m.SelfTestMessage(),),
}
"""Each command with parameters that are right and wrong: the state is looked at before them."""


class Sweep(PlanStep):
    """`sweep`: in this state the device refuses, with WRONG_STATE, every command of its class that the specification
    does not allow there, whatever its parameters. The state does not change."""

    sweep: State

    def _run(self, context: CheckContext) -> None:
        status, state = context.profile.status, STATES[context.profile.number][self.sweep]
        context.need(status, self.of_status, STATUS_MS + context.hands.patience_ms)
        commands = 0
        for rule in _RULES[context.profile.number]:
            for command in _FORMS[rule.command] if rule.states and state not in rule.states else ():
                commands += 1
                reply, words = context.ask(command), f"{spell(command)} in state {self.sweep}"
                if (reply.status, reply.reason) != (Status.REFUSED, Reason.WRONG_STATE):
                    raise Failed(f"{words} should have been refused for WRONG_STATE; came: {spell(reply)}")
                if reply.state != state:
                    raise Failed(f"{words} is refused with state {reply.state}, not {int(state)}")
        if not commands:
            raise Failed(f"every command is done in state {self.sweep}: there is nothing to ask for")
        context.need(status, self.of_status, STATUS_MS)

    @property
    def of_status(self) -> Mapping[str, Wanted]:
        """The state."""
        return {"state": (self.sweep,)}
