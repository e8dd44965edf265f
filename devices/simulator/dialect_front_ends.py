"""Front ends of the simulated shoe for two dialects. Each reports only what its maker's shoe is known to report."""

from typing import Final

from devices.simulator.device_model import EventDraft
from devices.simulator.shoe import ShoeModel
from protocol.angel_eye import messages as am
from protocol.angel_eye.codec import encode as encode_angel_eye
from protocol.angel_eye.framing import NakReason
from protocol.angel_eye.link import DeviceLink as AngelEyeLink
from protocol.angel_eye.link import Timing
from protocol.bee_tek import messages as bm
from protocol.bee_tek.codec import encode as encode_bee_tek
from protocol.cards import CARDS, NONE
from protocol.faults import Fault, fault_text
from protocol.places import BURN
from protocol.tdp import messages as m
from protocol.tdp.messages import ShoeState as S


class ShoeFrontEnd:
    """A shoe on its line: it takes the bytes of the host and the time, and returns the bytes for the line.

    It cannot detect a listener, so it assumes a host from the start.
    """

    hosted = True
    host_lost = False

    def __init__(self, name: str, model: ShoeModel) -> None:
        self.name, self.model = name, model
        self._out: list[bytes] = []

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `tick`."""
        return self.model.next_deadline_ns

    @property
    def all_acknowledged(self) -> bool:
        """True if everything is on the line."""
        return True

    def power_on(self, now_ns: int) -> None:
        """Switch the shoe on."""
        self.model.power_on(now_ns)
        self.settle(now_ns)

    def power_off(self) -> None:
        """Pull the plug. Output that is not on the line is lost."""
        self.model.power_off()

    def receive(self, data: bytes, now_ns: int) -> None:
        """Process bytes from the host."""

    def tick(self, now_ns: int) -> None:
        """Run the timers that are due."""
        self.model.tick(now_ns)
        self.settle(now_ns)

    def settle(self, now_ns: int) -> None:
        """Report what is in the model's outbox. Call this after any action on the model."""
        outgoing, self.model.outbox[:] = self.model.outbox[:], []
        for each in outgoing:
            if isinstance(each, EventDraft):
                self._say(each.event(0, 0, **each.fields), now_ns)

    def take_output(self) -> list[bytes]:
        """Return the bytes for the line, one piece a frame."""
        out, self._out = self._out, []
        return out

    def _say(self, event: m.Event, now_ns: int) -> None:
        raise NotImplementedError


_TROUBLES: Final[dict[int, am.Trouble]] = {
    Fault.CARD_UNREADABLE: am.Trouble.CANNOT_READ,
    Fault.OVERDRAW: am.Trouble.OVERDRAW,
    Fault.WRONG_BUTTON: am.Trouble.WRONG_BUTTON,
    Fault.PUSHED_BACK: am.Trouble.PUSHED_BACK,
    Fault.PULLED_BACK: am.Trouble.PULLED_BACK,
    Fault.CARD_CODE_WRONG: am.Trouble.CODE_WRONG,
    Fault.DRAW_TOO_SLOW: am.Trouble.DRAW_TOO_SLOW,
}
_HALTS: Final[dict[type[m.Event], am.Trouble]] = {
    m.OverdrawMessage: am.Trouble.OVERDRAW,
    m.PushedBackMessage: am.Trouble.PUSHED_BACK,
    m.PulledBackMessage: am.Trouble.PULLED_BACK,
}
_MODES: Final[dict[int, am.Mode]] = {
    m.ShoeMode.LOCKED: am.Mode.LOCK,
    m.ShoeMode.ERROR: am.Mode.ERROR,
    m.ShoeMode.SETUP: am.Mode.SETTING,
}


class AngelEyeFrontEnd(ShoeFrontEnd):
    """Front end that sends each report up to three times until it is acknowledged, and carries out commands."""

    def __init__(self, name: str, model: ShoeModel, timing: Timing | None = None) -> None:
        super().__init__(name, model)
        self._timing = timing
        self._link = AngelEyeLink(timing)

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `tick`."""
        dues = (self.model.next_deadline_ns, self._link.next_deadline_ns)
        return min((due for due in dues if due is not None), default=None)

    @property
    def all_acknowledged(self) -> bool:
        """True if no report waits to be sent or repeated."""
        return self._link.next_deadline_ns is None

    def power_off(self) -> None:
        """Pull the plug. Waiting reports are dropped."""
        super().power_off()
        self._link = AngelEyeLink(self._timing)

    def receive(self, data: bytes, now_ns: int) -> None:
        """Process acknowledgments and commands."""
        if not self.model.powered:
            return
        self._out += self._link.receive(data, now_ns)
        while self._link.commands:
            self._out.append(encode_angel_eye(self._execute(self._link.commands.popleft())))
            self.settle(now_ns)

    def tick(self, now_ns: int) -> None:
        """Run the timers that are due, including repeats."""
        super().tick(now_ns)
        self._out += self._link.tick(now_ns)

    def _execute(self, command: am.Message) -> am.Message:
        if isinstance(command, am.LockMessage):
            done = self.model.locked == command.locked or self.model.lock(command.locked)
        elif isinstance(command, am.ClearErrorMessage):
            done = _TROUBLES.get(self.model.fault) == command.trouble and self.model.clear()
        else:
            done = isinstance(command, am.AskGameMessage)
        return am.AcknowledgedMessage() if done else am.RejectedMessage(NakReason.BUSY)

    def _say(self, event: m.Event, now_ns: int) -> None:
        for message in self._messages_for(event):
            self._out += self._link.report(message, now_ns)

    def _messages_for(self, event: m.Event) -> list[am.Message]:
        """Return the shoe's report of an event, or none."""
        match event:
            case m.StateChangedMessage(state=state, previous=previous):
                start = [am.StartedMessage()] if previous == S.BOOT else []
                return [*start, *([am.StandingByMessage()] if state == S.STANDBY else [])]
            case m.CardDrawnMessage(card=card, place=place):
                return [am.CardDrawnMessage(_destination(place), self._ordinal(place), CARDS[card])]
            case m.CardUnreadableMessage(place=place):
                return [am.CardDrawnMessage(_destination(place), self._ordinal(place), NONE)]
            case m.CardReportedAgainMessage(card=card, place=place):
                return [am.CardReportedAgainMessage(_destination(place), self._ordinal(place), CARDS[card])]
            case m.CardDrawnOutsideMessage(card=card, mode=mode):
                return [am.CardDrawnOutsideMessage(_MODES[mode], 0, CARDS[card])]
            case m.BurnStartedMessage(count=count):
                return [am.CardDrawnMessage(am.Destination.BURN_COUNT, count, NONE)]
            case m.CutCardSeenMessage():
                return [am.CutCardDrawnMessage()]
            case m.ShoeLockMovedMessage(locked=locked):
                return [am.LockMovedMessage(bool(locked))]
            case m.OverdrawMessage() | m.PushedBackMessage() | m.PulledBackMessage():
                return [am.ErrorRaisedMessage(bool(event.halted), _HALTS[type(event)])]
            case m.ShoeErrorMessage(fault=fault, halted=halted):
                return [am.ErrorRaisedMessage(bool(halted), _TROUBLES[fault])]
            case m.ShoeErrorClearedMessage(fault=fault):
                return [am.ErrorClearedMessage(_TROUBLES[fault])]
        return []

    def _ordinal(self, place: int) -> int:
        """Return the ordinal in four bits, as the shoe counts burned cards and those of a hand. A longer count
        wraps."""
        count = len(self.model.drawn) if place == BURN else self.model.in_round
        return (count - 1) % 15 + 1


def _destination(place: int) -> am.Destination:
    return am.Destination.BURN if place == BURN else am.Destination.PLAYER


_ALARMS: Final[dict[type[m.Event], str]] = {
    m.OverdrawMessage: "Overdraw",
    m.PushedBackMessage: "Card Pushed Back",
    m.PulledBackMessage: "Card Pulled Back",
}
"""Texts of alarms whose codes no public program shows. They are this simulator's own."""


class BeeTekFrontEnd(ShoeFrontEnd):
    """Front end that reports each reading once. No public program shows how the cut card, locks or the end of an error
    are reported."""

    def _say(self, event: m.Event, now_ns: int) -> None:
        message = self._message_for(event)
        if message is not None:
            self._out.append(encode_bee_tek(message))

    def _message_for(self, event: m.Event) -> bm.Message | None:
        match event:
            case m.CardDrawnMessage(card=card, place=place):
                return bm.CardDrawnMessage(_mode(place), CARDS[card])
            case m.CardUnreadableMessage(place=place):
                return bm.CardNotReadMessage(_mode(place))
            case m.CardDrawnOutsideMessage(card=card):
                return bm.CardDrawnMessage(bm.GAME, CARDS[card])
            case m.ShoeErrorMessage(fault=Fault.CARD_UNREADABLE):
                return bm.AlarmMessage(bm.ALARM, "E3", "Card Not Read")
            case m.ShoeErrorMessage(fault=fault):
                return bm.AlarmMessage(bm.ALARM, "E0", fault_text(fault))
            case m.OverdrawMessage() | m.PushedBackMessage() | m.PulledBackMessage():
                return bm.AlarmMessage(bm.ALARM, "E0", _ALARMS[type(event)])
        return None


def _mode(place: int) -> str:
    return bm.BURN if place == BURN else bm.GAME
