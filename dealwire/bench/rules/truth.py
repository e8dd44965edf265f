"""Rules that compare a device's messages with each other: what one says, the others must confirm.

A statement about a session that was not received from its start, or about a missed event, is not judged.
"""

from dataclasses import dataclass, field
from typing import Final

from dealwire.bench.record import HeardFrame
from dealwire.bench.rules.rule import BenchRule, Known, name_of
from protocol.faults import Fault
from protocol.message import message_name
from protocol.places import NOWHERE, SHOE, SHUFFLER
from protocol.tdp import messages as m
from protocol.tdp import state_book
from protocol.tdp.bounds import bounds_of
from protocol.tdp.messages import Capability, DeviceClass, Lamp, Reason, Resolution, RevealSource, ShufflerState, Status
from protocol.tdp.outputs import MESSAGE_IDS, DeviceStatus

ANSWERED_KEPT: Final = 64
"""Number of requests whose first answer is remembered. A repeated request brings that reply again."""
PERCENT_MAX: Final = 100
_CLASS_OF: Final[dict[type[m.Message], DeviceClass]] = {
    m.ShufflerStatusMessage: DeviceClass.SHUFFLER,
    m.ShoeStatusMessage: DeviceClass.SHOE,
    m.ControllerStatusMessage: DeviceClass.TABLE_CONTROLLER,
}
_CLASSES: Final = {sent.value: sent for sent in _CLASS_OF.values()}
"""Device classes by the high byte of a message's number."""
_YES_OR_NO: Final = ("mid_round", "open", "door_open", "lit", "halted", "locked", "on", "cut_card_seen", "foul")


@dataclass
class _Identity(BenchRule, name="identity"):
    """HELLO-REPLY is the same throughout a session, has a valid range of versions, and names the class whose STATUS and
    events the device sends."""

    hello: m.HelloReplyMessage | None = None

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        message = heard.message
        if isinstance(message, m.HelloReplyMessage):
            before, self.hello = self.hello, message
            same = before is None or before.session != message.session or before == message
            lowest = message.lowest_major, message.lowest_minor
            highest = message.highest_major, message.highest_minor
            self.judge(same, "it says otherwise than before in the same session")
            self.judge(lowest <= highest, f"lowest version {lowest}, highest {highest}")
        if self.hello is not None and type(message) in _CLASS_OF:
            stated, sent = self.hello.device_class, _CLASS_OF[type(message)]
            self.judge(stated in (sent, DeviceClass.EMULATOR), f"class {stated} sends {name_of(heard)}")
        of = _CLASSES.get(heard.envelope.message_id >> 8)
        if self.hello is not None and isinstance(message, m.Event) and of is not None:
            stated = self.hello.device_class
            words = f"class {stated} sends {name_of(heard)} ({heard.envelope.message_id:04X}h), an event of class {of}"
            self.judge(stated in (of, DeviceClass.EMULATOR), words)


@dataclass
class _Boots(BenchRule, name="boots", kept=("sessions",)):
    """Booted agrees with HELLO-REPLY about the number of starts, and names the session before."""

    sessions: dict[int, int] = field(default_factory=dict)
    """Number of starts, by session."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        message, event = heard.message, heard.event
        if isinstance(message, m.HelloReplyMessage):
            self.sessions[message.session] = message.boot_count
        if isinstance(event, m.BootedMessage) and known.session in self.sessions:
            boots = self.sessions[known.session]
            words = f"Booted says {event.boot_count}, HELLO-REPLY {boots}"
            self.judge(event.boot_count == boots, words)
            ours = next((session for session, count in self.sessions.items() if count == boots - 1), None)
            if ours is not None:
                named = f"Booted names {event.previous_session:08X}h before it; it was {ours:08X}h"
                self.judge(event.previous_session == ours, named)


@dataclass
class _OneClock(BenchRule, name="one-clock"):
    """`device_ms` and `uptime_ms` are one clock: an event that a STATUS does not count is not earlier, one that it
    counts is not later."""

    before: tuple[int, int] | None = None
    """Last event and clock of the newest STATUS."""
    device_ms: int | None = None

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        newest_ms, self.before = self.device_ms, (status.last_event, status.uptime_ms)
        if newest_ms is not None and self.newest <= status.last_event:
            words = f"STATUS at {status.uptime_ms} ms knows event {self.newest}, which is of {newest_ms} ms"
            self.judge(not is_after(newest_ms, status.uptime_ms), words)

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        self.device_ms = event.device_ms
        if self.before is not None and event.number > self.before[0]:
            words = f"event {event.number} is of {event.device_ms} ms; a STATUS before it of {self.before[1]} ms"
            self.judge(not is_after(self.before[1], event.device_ms), words)


def is_after(one_ms: int, other_ms: int) -> bool:
    """Return True if a time of a device's clock is later than another, across its wrap-around."""
    return 0 < (one_ms - other_ms) % (1 << 32) < 1 << 31


class _YesOrNo(BenchRule, name="yes-or-no"):
    """Boolean fields are 1 or 0."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        stated = [(name, value) for name in _YES_OR_NO if (value := getattr(heard.message, name, None)) is not None]
        for name, value in stated:
            if bounds_of(type(heard.message), name, 0xFF) == (0, 1):  # the same name may stand for something else
                self.judge(value in (0, 1), f"{name_of(heard)}: {name} is {value}")


@dataclass
class _ReplyState(BenchRule, name="reply-state"):
    """The state in a reply is that of the STATUS before or after it, or one between them. For a command that changes
    the state at once, it is the one that the StateChanged after the reply names."""

    last: int | None = None
    session: int | None = None
    """Session of the last STATUS."""
    between: set[int] = field(default_factory=set)
    waiting: list[tuple[str, int]] = field(default_factory=list)
    answered: list[tuple[int, int]] = field(default_factory=list)
    at_once: dict[int, int] = field(default_factory=dict)
    """State in the reply, by request that was done at once."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        message, event = heard.message, heard.event
        self._compare(heard)
        if isinstance(event, m.StateChangedMessage):
            self.between |= {event.state, event.previous}
        if isinstance(message, m.ProgressMessage):
            self.judge(message.percent <= PERCENT_MAX, f"progress of {message.percent} percent")
            self.waiting.append(("the progress", message.state))
        if isinstance(message, m.ReplyMessage):
            request = heard.envelope.request, heard.envelope.message_id
            if request not in self.answered:
                self.answered = [*self.answered, request][-ANSWERED_KEPT:]
                self.waiting.append((f"the reply to message {request[1]:04X}h", message.state))
        if isinstance(message, DeviceStatus):
            seen = {message.state, *self.between} | ({self.last} if self.last is not None else set())
            # without a STATUS of the session before the reply, as a sealed line begins, the state before is unknown
            for what, state in self.waiting if not known.sealed or self.session == message.session else []:
                words = f"{what} says state {state}; the STATUS before and after it {sorted(seen)}"
                self.judge(state in seen, words)
            self.last, self.session, self.between, self.waiting = message.state, message.session, set(), []

    def _compare(self, heard: HeardFrame) -> None:
        message, request = heard.message, heard.envelope.request
        if isinstance(message, m.ReplyMessage):
            self.at_once.pop(request, None)
            if message.status == Status.DONE and heard.envelope.message_id in _AT_ONCE:
                self.at_once = {request: message.state}
        elif isinstance(heard.event, m.StateChangedMessage) and request in self.at_once:
            stated, state = self.at_once.pop(request), heard.event.state
            words = f"the reply to request {request} says state {stated}; what it changed at once is state {state}"
            self.judge(stated == state, words)


class _Capabilities(BenchRule, name="capabilities"):
    """The device does nothing that its capabilities leave out, and does not reject as unknown what they claim."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        if known.hello is None or known.hello.session != known.session:
            return
        has, message = Capability(known.hello.capabilities), heard.message
        for capability, done in _shown(message, heard.envelope.message_id):
            claimed = bool(has & capability)
            words = f"{name_of(heard)} {'shows' if done else 'denies'} {capability.name}, which HELLO-REPLY "
            words += "claims" if claimed else "leaves out"
            self.judge(claimed is done, words)


_AT_ONCE: Final = tuple(
    MESSAGE_IDS[command]
    for command in (m.SetLockMessage, m.LockShoeMessage, m.ClearShoeErrorMessage, m.EndRoundMessage)
)
"""Commands that change the state at once, or not at all."""
_NEEDS: Final = {
    MESSAGE_IDS[m.RaiseLampMessage]: Capability.HOST_LAMP,
    MESSAGE_IDS[m.ReadMetersMessage]: Capability.METERS,
    MESSAGE_IDS[m.VerifyMessage]: Capability.VERIFY,
    MESSAGE_IDS[m.SetSensorLightMessage]: Capability.BET_SENSORS,
}


def _shown(message: m.Message, answers: int) -> list[tuple[Capability, bool]]:
    """Return the capabilities that a message reveals, each with True if the device has it."""
    if isinstance(message, m.ReplyMessage) and answers in _NEEDS:
        if message.status != Status.REFUSED:
            return [(_NEEDS[answers], True)]
        if message.reason == Reason.NOT_SUPPORTED:
            return [(_NEEDS[answers], False)]
    if isinstance(message, m.NakMessage) and answers in _NEEDS and message.reason == Reason.UNKNOWN_COMMAND:
        return [(_NEEDS[answers], False)]
    if getattr(message, "deck", 0) == 2:
        return [(Capability.TWO_DECKS, True)]
    if isinstance(message, m.SensorChangedMessage) or getattr(message, "sensors", None):
        return [(Capability.BET_SENSORS, True)]
    if isinstance(message, m.HandRevealedMessage) and message.source == RevealSource.READER:
        return [(Capability.LAYOUT_READER, True)]
    if isinstance(message, m.CardDrawnMessage):
        return [(Capability.CARD_RECOGNITION, True)]
    if isinstance(message, m.PacketDispensedMessage) and message.counted != message.expected:
        return [(Capability.COUNTS_PACKETS, True)]
    return []


@dataclass
class _Instruments(BenchRule, name="instruments", kept=("shown",)):
    """Answers to ReadMeters and Verify carry their request and this session; meters only grow."""

    shown: dict[tuple[int, int], int] = field(default_factory=dict)
    total: int | None = None

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        message, answers = heard.message, heard.envelope.message_id
        if isinstance(message, m.ReplyMessage) and answers in (0x0024, 0x0025):
            self.seen += 1
        if isinstance(message, m.MetersMessage | m.MeasuredMessage):
            self.judge(message.session == known.session, f"{name_of(heard)} names another session")
        if isinstance(message, m.MetersMessage):
            before, self.total = self.total, message.total
            self.judge(before in (None, message.total), f"{message.total} meters, and {before} before")
            for meter, component, count in message.meters:
                last = self.shown.get((meter, component), count)
                self.shown[meter, component] = count
                words = f"meter {meter} of {component} went from {last} to {count}"
                self.judge((count - last) % (1 << 32) < 1 << 31, words)


class _GreenLamp(BenchRule, name="green-lamp"):
    """The green lamp is lit in READY and PACKET_WAIT and in no other state."""

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        if isinstance(status, m.ShufflerStatusMessage):
            waits = status.state in (ShufflerState.READY, ShufflerState.PACKET_WAIT)
            lit = bool(status.lamps & Lamp.GREEN)
            words = f"it is {'lit' if lit else 'dark'} in state {status.state}"
            self.judge(lit is waits, words)
            self.judge(status.lamps <= Lamp.RED | Lamp.GREEN, f"lamps {status.lamps:02X}h")


@dataclass
class _Decks(BenchRule, name="decks"):
    """Every message of a deal names the dealt deck: the one that was shuffled, counted and shown in STATUS."""

    shuffled: int = 0
    counted: int = 0
    dealt: int = 0
    due: int = 0
    """Deck that REMOVE_DECK takes out."""

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        if not isinstance(status, m.ShufflerStatusMessage) or status.last_event != self.newest:
            return
        if status.state == ShufflerState.READY:
            self._names("STATUS", status.deck, self.counted)

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        if not self.follows:
            self.shuffled = self.counted = self.dealt = self.due = 0
        deck = getattr(event, "deck", 0)
        name = message_name(event)
        match event:
            case m.ShuffleStartedMessage():
                self.shuffled = deck
            case m.DeckVerifiedMessage():
                self._names(name, deck, self.shuffled or self.counted)
                self.counted, self.shuffled = deck, 0
            case m.PacketDispensedMessage(ordinal=1):
                self._names(name, deck, self.counted)
                self.dealt = deck
            case m.PacketDispensedMessage() | m.RemainderDumpedMessage() | m.RemainderLiftedMessage():
                self._names(name, deck, self.dealt)
            case m.CardRejectedMessage():
                self._names(name, deck, self.dealt or self.counted)
            case m.MisdealMessage():
                self._names(name, deck, self.dealt or self.counted)
            case m.MisdealClearedMessage(resolution=Resolution.REMOVE_DECK):
                self.due = self.dealt or self.counted
            case m.DeckRemovedMessage():
                self._removed(deck)
            case m.StateChangedMessage():
                self.judge(not self.due, f"REMOVE_DECK, and no DeckRemoved of deck {self.due}")
                self.due = 0
        if isinstance(event, m.RemainderLiftedMessage):
            self.dealt, self.counted = 0, 0 if self.counted == deck else self.counted

    def _removed(self, deck: int) -> None:
        """Handle the removal of the dealt or counted deck. Another one may come out of the reject tray with it."""
        self.judge(deck in (1, 2), f"DeckRemoved names deck {deck}")
        self.due = 0 if deck == self.due else self.due
        self.counted, self.dealt = (0 if one == deck else one for one in (self.counted, self.dealt))

    def _names(self, name: str, deck: int, wanted: int) -> None:
        if wanted:
            self.judge(deck == wanted, f"{name} names deck {deck}; it is deck {wanted}")


_PLACES: Final[dict[int, tuple[int, ...]]] = {
    DeviceClass.SHUFFLER: (SHUFFLER,),
    DeviceClass.SHOE: (NOWHERE, SHOE),
    DeviceClass.TABLE_CONTROLLER: (NOWHERE,),
}
"""Places where a device may report a fault. There is no place for a table controller."""


@dataclass
class _FaultValues(BenchRule, name="fault-values"):
    """`place` of FaultRaised is the device's, and `value` is the count in the event before it."""

    before: m.Event | None = None

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        event = heard.event
        if event is None or known.hello is None:
            return
        before, self.before = self.before, event
        if not isinstance(event, m.FaultRaisedMessage):
            return
        shuffler = known.hello.device_class == DeviceClass.SHUFFLER
        places = _PLACES.get(known.hello.device_class)
        self.judge(places is None or event.place in places, f"fault {event.fault} at place {event.place:02X}h")
        wanted = _counted(event, before) if shuffler or event.fault == Fault.HOST_LOST else None
        words = f"fault {event.fault} has value {event.value}, not {wanted}"
        self.judge(wanted is None or event.value == wanted, words)


def _counted(event: m.FaultRaisedMessage, before: m.Event | None) -> int | None:
    """Return the required `value`, by the specification's table of faults; None if the event before does not determine
    it."""
    if event.fault in (205, 501, 502, 505, 601):
        return 0
    if before is None or before.number != event.number - 1:
        return None
    match before:
        case m.DeckVerifiedMessage() if event.fault in (101, 102):
            return before.counted
        case m.PacketDispensedMessage() if event.fault in (301, 302):
            return before.counted
        case m.PacketDispensedMessage() if event.fault == 204:
            return max(event.value, 1)  # some may be lost that the packet did not need
        case m.RemainderDumpedMessage() if event.fault == 305:
            return before.counted
    return None


_BOOKED: Final[dict[int, state_book.Entries]] = {
    DeviceClass.TABLE_CONTROLLER: state_book.CONTROLLER,
    DeviceClass.SHOE: state_book.SHOE,
}


@dataclass
class _StateBook(BenchRule, name="state-book"):
    """A status that counts the newest event, and nothing newer, shows the effects of the events before it."""

    book: state_book.StateBook = field(default_factory=dict)
    judge_at: int = 0
    """Number of the event at which a status may be judged."""

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        if not self.follows:
            self.book.clear()
        found = state_book.contradiction_of(self.book, event)
        if found is not None:
            self.judge(False, f"event {event.number} draws card {found.stated} once more, which was pushed back")
        entries = _BOOKED.get(known.hello.device_class, {}) if known.hello is not None else {}
        entry = entries.get(type(event))
        self.judge_at = event.number if entry is not None and entry(self.book, event) else 0

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        if not self.judge_at or not status.last_event == self.newest == self.judge_at:
            return
        found = state_book.contradictions(self.book, status)
        self.judge(not found, "".join(f"STATUS: {x.what} is {x.stated}; the events say {x.known}" for x in found[:1]))
