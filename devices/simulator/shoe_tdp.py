"""The simulated shoe's TDP front end: what it reports as messages, what a host asks of it."""

from collections.abc import Callable
from typing import Any, Final

from devices import events as e
from devices.simulator.command_rules import SHOE_RULES, states_of
from devices.simulator.device_meters import SHOE_METERS, DeviceMeters
from devices.simulator.outbox import EventDraft, Outgoing
from devices.simulator.shoe import ShoeModel
from protocol.faults import Fault
from protocol.places import NOWHERE, SHOE, parse_place
from protocol.tdp import messages as m
from protocol.tdp.messages import DeviceMeter, Reason, Status
from protocol.tdp.messages import ShoeState as S

STATES: Final = states_of(SHOE_RULES)
"""Where each command is done."""
SURE: Final = 99
"""Percent the reader claims for a card it read."""


_IN_ROUND: Final = (S.ROUND.name, S.CUT_CARD_SEEN.name)
_AFTER_ROUND: Final = (S.STANDBY.name, S.SHOE_END.name)


def _place(where: str | None) -> int:
    return NOWHERE if where is None else parse_place(where)


class TdpShoe:
    """What `Unit` drives: the model, its outbox in TDP's words, and its answers to commands."""

    def __init__(self, model: ShoeModel) -> None:
        self.shoe = model
        self.outbox: list[Outgoing] = []
        self.host_lost = False
        self.device_meters = DeviceMeters(SHOE_METERS)
        self._request = 0
        model.say = self._say

    @property
    def next_deadline_ns(self) -> int | None:
        """When `tick` is due."""
        return self.shoe.next_deadline_ns

    @property
    def mid_round(self) -> bool:
        """Whether a round is under way."""
        return self.shoe.mid_round

    def power_on(self, now_ns: int) -> None:
        """Start."""
        self.shoe.power_on(now_ns)

    def power_off(self) -> None:
        """Stop at once; what was not yet said is lost."""
        self.shoe.power_off()
        self.outbox.clear()
        self.host_lost = False

    def tick(self, now_ns: int) -> None:
        """Do what is due."""
        self.shoe.tick(now_ns)

    def host_gone(self, now_ns: int) -> None:
        """A shoe has no motor to stop: people go on drawing, and the host reads it later."""
        self.host_lost = True
        fields = {"fault": Fault.HOST_LOST, "place": SHOE, "value": 0}
        self.device_meters.reported(m.FaultRaisedMessage, fields)
        self.outbox.append(EventDraft(m.FaultRaisedMessage, 0, fields))

    def host_back(self, now_ns: int) -> None:
        """The host is heard again."""
        if self.host_lost:
            self.host_lost = False
            self.outbox.append(EventDraft(m.FaultClearedMessage, 0, {"fault": Fault.HOST_LOST}))

    def status(self, session: int, last_event: int, uptime_ms: int) -> m.ShoeStatusMessage:
        """The whole visible state. It carries no card."""
        shoe = self.shoe
        faults = [fault for fault in (shoe.fault, Fault.HOST_LOST if self.host_lost else Fault.NONE) if fault]
        return m.ShoeStatusMessage(
            session=session,
            last_event=last_event,
            uptime_ms=uptime_ms,
            state=shoe.state,
            locked=int(shoe.locked),
            halted=int(bool(shoe.fault)),
            shoe=shoe.shoe,
            decks=shoe.decks,
            loaded=shoe.loaded,
            drawn=len(shoe.drawn),
            in_round=shoe.in_round,
            cut_card_seen=int(shoe.cut_card_seen),
            faults=tuple(faults),
        )

    def answer(self, request: int, command: m.Message, now_ns: int) -> m.ReplyMessage:
        """Do or refuse a command; what follows of it is sent after the reply."""
        self._request = request
        try:
            done, reason = self._obey(command)
        finally:
            self._request = 0
        return m.ReplyMessage(Status.DONE if done else Status.REFUSED, Reason.NONE if done else reason, self.shoe.state)

    def _obey(self, command: m.Message) -> tuple[bool, Reason]:
        states = STATES.get(type(command))
        if states is not None and self.shoe.state not in states:
            return False, Reason.WRONG_STATE
        match command:
            case m.LockShoeMessage(locked):
                return self.shoe.lock(bool(locked)), Reason.WRONG_STATE
            case m.ClearShoeErrorMessage(fault, badge):
                if fault != self.shoe.fault:
                    return False, Reason.BAD_PARAMETER
                return self.shoe.clear(badge), Reason.WRONG_STATE
            case m.EndRoundMessage():
                return self.shoe.end_round(), Reason.WRONG_STATE
        return False, Reason.UNKNOWN_COMMAND

    def _say(self, body: e.Body) -> None:
        event, fields = _WORDS[type(body)](body, len(self.shoe.drawn))
        self.device_meters.reported(event, fields)
        if isinstance(body, e.StateChanged) and body.previous in _IN_ROUND and body.state in _AFTER_ROUND:
            self.device_meters.count(DeviceMeter.ROUNDS)
        self.outbox.append(EventDraft(event, self._request, fields))


Spoken = tuple[type[m.Event], dict[str, Any]]
"""An event and its fields, number and time apart."""


def _drawn(body: e.CardDrawn, drawn: int) -> Spoken:
    confidence = SURE if body.confidence is None else body.confidence
    reader = sum(m.Reader[flag.upper()] for flag in body.reader or (e.ReaderFlag.INDEX, e.ReaderFlag.CODE))
    read = {"card": body.card, "confidence": confidence, "reader": reader}
    return m.CardDrawnMessage, {"ordinal": drawn, "place": _place(body.where), **read}


def _unread(body: e.CardUnread, drawn: int) -> Spoken:
    return m.CardUnreadableMessage, {"ordinal": drawn, "place": _place(body.where), "reader": m.Reader.DIRTY}


def _again(body: e.CardReportedAgain, drawn: int) -> Spoken:
    return m.CardReportedAgainMessage, {"ordinal": drawn, "card": body.card, "place": _place(body.where)}


def _outside(card: int, mode: m.ShoeMode, drawn: int) -> Spoken:
    return m.CardDrawnOutsideMessage, {"ordinal": drawn, "card": card, "mode": mode}


def _halting(event: type[m.Event]) -> Callable[[Any, int], Spoken]:
    return lambda body, drawn: (event, {"ordinal": drawn, "halted": int(body.halted)})


def _pushed_back(body: e.CardPushedBack, drawn: int) -> Spoken:
    """The card is back in the shoe, and named by the ordinal it had."""
    return m.PushedBackMessage, {"ordinal": drawn + 1, "halted": int(body.halted)}


def _state(body: e.StateChanged, _: int) -> Spoken:
    return m.StateChangedMessage, {"state": S[body.state], "previous": S[body.previous]}


_WORDS: Final[dict[type[e.Body], Callable[[Any, int], Spoken]]] = {
    e.StateChanged: _state,
    e.ShoeLoaded: lambda body, _: (
        m.ShoeLoadedMessage,
        {"shoe": body.shoe, "decks": body.decks, "cards": body.cards},
    ),
    e.ShoeEnded: lambda body, _: (m.ShoeEndedMessage, {"shoe": body.shoe, "drawn": body.drawn}),
    e.BurnStarted: lambda body, _: (m.BurnStartedMessage, {"count": body.count}),
    e.CardDrawn: _drawn,
    e.CardUnread: _unread,
    e.CardReportedAgain: _again,
    e.DrawWhileLocked: lambda body, drawn: _outside(body.card, m.ShoeMode.LOCKED, drawn),
    e.CardDrawnOutside: lambda body, drawn: _outside(body.card, m.ShoeMode[body.mode.upper()], drawn),
    e.CutCardSeen: lambda _, drawn: (m.CutCardSeenMessage, {"drawn": drawn}),
    e.Overdrawn: _halting(m.OverdrawMessage),
    e.CardPushedBack: _pushed_back,
    e.CardPulledBack: _halting(m.PulledBackMessage),
    e.ShoeError: lambda body, _: (m.ShoeErrorMessage, {"fault": body.fault, "halted": int(body.halted)}),
    e.ShoeErrorCleared: lambda body, _: (m.ShoeErrorClearedMessage, {"fault": body.fault, "badge": body.badge}),
    e.ShoeLocked: lambda body, _: (m.ShoeLockMovedMessage, {"locked": int(body.locked)}),
}
