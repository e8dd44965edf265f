"""Shufflers with a correct line and a faulty machine: lamp, power, door and deal, each wrong in one habit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from devices.simulator.deck import Bay
from devices.simulator.host import TableModel
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.shuffler_parts import Motion
from devices.simulator.shuffler_states import ShufflerCause
from protocol.faults import Fault
from protocol.places import MUCK, Place
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope, encode
from protocol.tdp.messages import Reason, Resolution
from protocol.tdp.messages import ShufflerState as S
from tests.support.broken.base import Broken, Caught, Rewriting, changed

# ------------------------------------------------------------------ the red lamp


class LampOutWithPower(ShufflerModel):
    """The red lamp goes out with the power outside of a round."""

    def power_on(self, now_ns: int) -> None:
        if self.round is None:
            self.latched.clear()
        super().power_on(now_ns)


class ResumesWrongTotal(ShufflerModel):
    """RESUME is done after a wrong total."""

    def may_clear(self, resolution: int) -> bool:
        wrong_total = bool({101, 102}.intersection(self.latched))
        return super().may_clear(resolution) or (self.state is S.MISDEAL and wrong_total)


class RefusesAfterLoss(ShufflerModel):
    """RESUME is refused after a card was lost inside."""

    def may_clear(self, resolution: int) -> bool:
        refused = resolution == Resolution.RESUME and Fault.CARD_LOST in self.latched
        return super().may_clear(resolution) and not refused


class RefusesAfterRemainder(ShufflerModel):
    """RESUME is refused after a wrong remainder."""

    def may_clear(self, resolution: int) -> bool:
        refused = resolution == Resolution.RESUME and Fault.REMAINDER_COUNT_WRONG in self.latched
        return super().may_clear(resolution) and not refused


class ForgetsNext(ShufflerModel):
    """After a packet that was lifted early the next one never comes."""

    def lift(self, to: Place, now_ns: int) -> int:
        early = self.motion is Motion.DISPENSE
        taken = super().lift(to, now_ns)
        self.owed = None if early else self.owed
        return taken


class ResumesAnyCall(ShufflerModel):
    """RESUME is done no matter with which number the host lit the lamp."""

    called = False

    def alarm(self, fault: int, value: int = 0, request: int = 0) -> None:
        self.called = bool(request)
        super().alarm(fault, value, request)

    def may_clear(self, resolution: int) -> bool:
        return super().may_clear(resolution) or (self.state is S.MISDEAL and self.called)


class CalledBy505Only(Rewriting):
    """The host may light the lamp with 505 but with no other number."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        other = isinstance(message, m.RaiseLampMessage) and message.fault != Fault.MISDEAL_CALLED_BY_HOST
        return [changed(envelope, fault=0) if other else envelope.body]


class LightsAgain(ShufflerModel):
    """A second fault reports RedLamp and Misdeal again, although the lamp is lit."""

    def alarm(self, fault: int, value: int = 0, request: int = 0) -> None:
        before, self.latched = self.latched, []
        super().alarm(fault, value, request)
        self.latched = [*before, *(one for one in self.latched if one not in before)]


class ClearsOne(ShufflerModel):
    """FaultCleared comes for only the first of two faults."""

    first = 0

    def clear(self, badge: int, resolution: Resolution, now_ns: int, request: int = 0) -> bool:
        self.first = self.latched[0] if self.latched else 0
        done = super().clear(badge, resolution, now_ns, request)
        self.first = 0
        return done

    def say(self, event: type[m.Event], request: int = 0, **fields: Any) -> None:
        if event is not m.FaultClearedMessage or self.first in (0, fields["fault"]):
            super().say(event, request, **fields)


class ClearsAfterwards(ShufflerModel):
    """FaultCleared comes after MisdealCleared."""

    held: tuple[int, ...] | None = None

    def clear(self, badge: int, resolution: Resolution, now_ns: int, request: int = 0) -> bool:
        self.held = ()
        done = super().clear(badge, resolution, now_ns, request)
        self.held = None
        return done

    def say(self, event: type[m.Event], request: int = 0, **fields: Any) -> None:
        if event is m.FaultClearedMessage and self.held is not None:
            self.held = (*self.held, fields["fault"])
            return
        super().say(event, request, **fields)
        if event is m.MisdealClearedMessage:
            faults, self.held = self.held or (), None
            for fault in faults:
                super().say(m.FaultClearedMessage, fault=fault)


class ClearsMore(ShufflerModel):
    """Base of shufflers that clear another fault together with the lamp."""

    fault: Fault

    def clear(self, badge: int, resolution: Resolution, now_ns: int, request: int = 0) -> bool:
        if self.may_clear(resolution) and self.fault in (*self.faults(),) and self.fault not in self.latched:
            self.say(m.FaultClearedMessage, fault=self.fault)
        return super().clear(badge, resolution, now_ns, request)


class ClearsHost(ClearsMore):
    """Clearing the lamp clears 601 as well, while the host is lost."""

    fault = Fault.HOST_LOST


class ClearsSensor(ClearsMore):
    """Clearing the lamp clears 205 as well, while the sensor is out of order."""

    fault = Fault.SENSOR_FAILED


class ForgetsGame(ShufflerModel):
    """A power cut puts it back to packets of five."""

    def power_off(self) -> None:
        super().power_off()
        self.game = replace(self.game, packet_size=5)


class StateBeforeLamp(ShufflerModel):
    """StateChanged comes before RedLamp if the host lights the lamp."""

    def alarm(self, fault: int, value: int = 0, request: int = 0) -> None:
        if request:
            self.latched.append(fault)
            self.settle(ShufflerCause.ALARM, 0)  # nothing begins while the lamp is lit, so the time is none
            self.latched.remove(fault)
        super().alarm(fault, value, request)


class SilentOfHost(ShufflerModel):
    """A lost host is not reported while the lamp is lit."""

    def host_gone(self, now_ns: int) -> None:
        if not self.latched:
            super().host_gone(now_ns)


class SilentOfPacket(ShufflerModel):
    """A packet that is lifted while the lamp is lit is not reported."""

    def say(self, event: type[m.Event], request: int = 0, **fields: Any) -> None:
        if event is not m.PacketLiftedMessage or not self.latched:
            super().say(event, request, **fields)


class SilentOfRemainder(ShufflerModel):
    """A remainder that is lifted while the lamp is lit is not reported."""

    def say(self, event: type[m.Event], request: int = 0, **fields: Any) -> None:
        if event is not m.RemainderLiftedMessage or not self.latched:
            super().say(event, request, **fields)


class LampStopsMotion(ShufflerModel):
    """The packet on its way stays inside if the host lights the lamp."""

    stopped = False

    def alarm(self, fault: int, value: int = 0, request: int = 0) -> None:
        self.stopped = bool(request) and self.motion is Motion.DISPENSE
        super().alarm(fault, value, request)

    def tick(self, now_ns: int) -> None:
        if self.stopped and self.motion_due_ns <= now_ns:
            self.stopped, self.motion, self.owed = False, None, Motion.DISPENSE
            self.settle(ShufflerCause.OUT, now_ns)
        super().tick(now_ns)


class DoorStopsNothing(ShufflerModel):
    """The packet on its way comes out of the open door."""

    def _stop_for_door(self) -> None:
        moving = self.motion
        super()._stop_for_door()
        if moving is Motion.DISPENSE:
            self.motion, self.owed = moving, None


class TakesBothDecks(ShufflerModel):
    """REMOVE_DECK takes out the deck in the input as well."""

    def _take_out(self) -> None:
        super()._take_out()
        for deck in self.cards.backs((Bay.INPUT,)):
            self.say(m.DeckRemovedMessage, deck=deck)
        self.cards.lift(Bay.INPUT, MUCK)


# ------------------------------------------------------------------ the deal


class DispensesRemainder(Rewriting):
    """DISPENSE while a packet is in the tray brings the remainder."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._model: ShufflerModel = table.shuffler  # type: ignore[attr-defined]
        self._dumps: dict[int, bool] = {}

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        if not isinstance(envelope.message, m.DispenseMessage):
            return [envelope.body]
        waits = self._model.state is S.PACKET_WAIT and self._model.cards.count(Bay.TRAY) > 0
        if not self._dumps.setdefault(envelope.request, waits):
            return [envelope.body]
        return [encode(m.DumpMessage(), link_sequence=envelope.link_sequence, request=envelope.request)]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message, request = envelope.message, envelope.request
        if not isinstance(message, m.ReplyMessage) or not self._dumps.get(request):
            return [envelope.body]
        return [encode(message, link_sequence=envelope.link_sequence, request=request, message_id=0x0121)]


class DeafOnTheWay(ShufflerModel):
    """Green while a packet is on its way is not remembered."""

    def green(self, now_ns: int, request: int = 0) -> bool:
        return self.state is not S.DISPENSING and super().green(now_ns, request)


class SilentOfGreen(ShufflerModel):
    """Green that has no effect is not reported."""

    def press_green(self, now_ns: int) -> bool:
        return self.state in (S.READY, S.DISPENSING, S.PACKET_WAIT) and super().press_green(now_ns)


class GreenInSafe(ShufflerModel):
    """Green in SAFE brings the remainder: it takes the button for its host."""

    def press_green(self, now_ns: int) -> bool:
        if self.state is S.SAFE and self.round:
            self.host_back(now_ns)
        return super().press_green(now_ns)


class LiftsNothing(ShufflerModel):
    """A remainder of no card is reported as lifted."""

    def say(self, event: type[m.Event], request: int = 0, **fields: Any) -> None:
        super().say(event, request, **fields)
        if event is m.RemainderDumpedMessage and not fields["counted"]:
            super().say(m.RemainderLiftedMessage, deck=fields["deck"])


class RoundFromFirstPacket(ShufflerModel):
    """mid_round is 0 until the first packet is out."""

    @property
    def mid_round(self) -> bool:
        return self.round is not None and bool(self.round.packets)


class RoundUntilCounted(ShufflerModel):
    """mid_round is 0 once the remainder is counted."""

    @property
    def mid_round(self) -> bool:
        return self.round is not None and self.round.remainder is None


class RoundUntilNext(ShufflerModel):
    """mid_round is 1 until the next deck is ready."""

    dealt = False

    @property
    def mid_round(self) -> bool:
        return self.round is not None or self.dealt

    def say(self, event: type[m.Event], request: int = 0, **fields: Any) -> None:
        super().say(event, request, **fields)
        if event in (m.RemainderLiftedMessage, m.DeckVerifiedMessage):
            self.dealt = event is m.RemainderLiftedMessage


class NeverSafeAtRemainder(ShufflerModel):
    """Without its host it is not SAFE while the remainder waits."""

    def _target(self) -> S:
        state = super()._target()
        counted = self.round is not None and self.round.remainder is not None
        return S.REMAINDER_WAIT if counted and state is S.SAFE else state


class AnyProgram(Rewriting):
    """packet_size 0 is taken for a game for which it has no program."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        zero = isinstance(message, m.SelectGameMessage) and not message.packet_size
        return [changed(envelope, packet_size=5) if zero else envelope.body]


class NeverBusy(Broken):
    """It refuses for the state and never as busy."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        busy = isinstance(message, m.ReplyMessage) and message.reason == Reason.BUSY
        return [changed(envelope, reason=Reason.WRONG_STATE) if busy else envelope.body]


# ------------------------------------------------------------------ the checks that catch each


def _machine(model: type[ShufflerModel], *by: str) -> Caught:
    """Return a device with this machine in a simulated shuffler, on its own line."""

    def device(table: TableModel) -> TableModel:
        table.shuffler.__class__ = model  # type: ignore[attr-defined]
        return table

    device.__name__, device.__doc__ = model.__name__, model.__doc__
    return Caught(device, by)


def _line(device: Callable[[TableModel], TableModel], *by: str) -> Caught:
    return Caught(device, by)


MOTION_DEVICES: Final = (
    _machine(LampOutWithPower, "fault.outlasts-the-power"),
    _machine(ResumesWrongTotal, "fault.wrong-total-stays"),
    _machine(RefusesAfterLoss, "fault.resume-204"),
    _machine(RefusesAfterRemainder, "fault.resume-305"),
    _machine(ForgetsNext, "fault.resume-303"),
    _machine(ResumesAnyCall, "fault.called-otherwise"),
    _line(CalledBy505Only, "fault.called-otherwise", "fault.unknown-number"),
    _machine(LightsAgain, "fault.second-fault"),
    _machine(ClearsOne, "fault.second-fault"),
    _machine(ClearsAfterwards, "fault.second-fault", "fault.cleared-without-a-host"),
    _machine(ClearsHost, "fault.cleared-without-a-host"),
    _machine(ClearsSensor, "fault.sensor-and-lamp"),
    _machine(ForgetsGame, "deal.game-through-a-power-cut"),
    _machine(StateBeforeLamp, "fault.called-505"),
    _machine(SilentOfHost, "fault.host-lost-in-a-misdeal", "fault.cleared-without-a-host", "safe.green-remembered"),
    _machine(SilentOfPacket, "fault.lifted-while-lit", "always.book"),
    _machine(SilentOfRemainder, "fault.lifted-while-lit", "always.decks"),
    _machine(LampStopsMotion, "fault.called-in-motion"),
    _machine(DoorStopsNothing, "fault.door-in-motion"),
    _machine(TakesBothDecks, "fault.other-deck-stays"),
    _line(DispensesRemainder, "deal.only-lifting"),
    _machine(DeafOnTheWay, "deal.green-on-the-way"),
    _machine(SilentOfGreen, "deal.green-elsewhere", "safe.green", "deal.green-in-misdeal"),
    _machine(GreenInSafe, "safe.green"),
    _machine(LiftsNothing, "deal.no-remainder"),
    _machine(RoundFromFirstPacket, "fault.power-at-the-start"),
    _machine(RoundUntilCounted, "fault.power-at-the-remainder"),
    _machine(RoundUntilNext, "fault.power-after-the-round"),
    _machine(NeverSafeAtRemainder, "safe.remainder"),
    _line(AnyProgram, "deal.no-program"),
    _line(NeverBusy, "deal.busy"),
)
"""Devices whose machine breaks the page."""
