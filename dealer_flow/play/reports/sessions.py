"""State of the devices' lines: the device on each, its session, and whether a line was silent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple, Self

from msgspec import Struct
from msgspec.structs import replace

import devices.events as e
from dealer_flow.play.course.identity import AttestedFirmware, DeviceIdentity, Pin, Unlike, unlike
from dealer_flow.play.order.rounds import SUPERVISORS
from dealer_flow.play.verdicts import dealing
from dealer_flow.play.verdicts.contradictions import badge_refused
from dealer_flow.procedure.plan import Plan
from dealer_flow.record.details import FirmwareRecord
from dealer_flow.record.incidents import Incident
from dealer_flow.table.round import Round
from devices.events import Seen

_NOBODY: Final = DeviceIdentity()
_DIFFERS: Final = "statements-differ"
_LOST: Final = "events-lost"
_NOT_YET: Final = "it has not answered since it connected"
_YES_OR_NO: Final = ("locked", "red-lamp")
_BOOTED: Final = 1
"""Number of a session's first event."""
_WRAP: Final = 1 << 32
"""A controller's round counter continues from 0 after its highest value."""


class RoundOrigin(NamedTuple):
    """Origin of a round: the devices that dealt and counted it, as they name themselves, their sessions, and its
    number.

    `session` is 0 if no card was dealt. A round dealt by hand is the controller's own.
    """

    dealing: str
    session: int
    controller: str
    controller_session: int
    number: int


class LinesState(Struct, frozen=True):
    """State of the lines as saved on disk; the fields are those of `Lines`."""

    sessions: dict[str, int]
    devices: dict[str, DeviceIdentity]
    returned: dict[str, int]
    started: dict[str, tuple[int, int, int]] = {}
    elsewhere: dict[str, str] = {}
    attested: dict[str, AttestedFirmware] = {}


@dataclass(slots=True)
class Lines:
    """Lines of one table. They outlive the rounds. `pins` are the devices required on the lines, by the lines' names;
    `patient` is set from a line's silence to the end of its round."""

    pins: Mapping[str, Pin] = field(default_factory=dict)
    sessions: dict[str, int] = field(default_factory=dict)
    devices: dict[str, DeviceIdentity] = field(default_factory=dict)
    """Device that came up last on each line."""
    returned: dict[str, int] = field(default_factory=dict)
    """Lines on which a session that had ended reports again, until a new one begins."""
    started: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """Latest START GAME by line: its session, the event's number, the round's number."""
    elsewhere: dict[str, str] = field(default_factory=dict)
    """Lines whose device reports on another line at the same time, and the name of that line."""
    attested: dict[str, AttestedFirmware] = field(default_factory=dict)
    """Standing of each line whose device must prove its firmware."""
    patient: bool = False
    gaps: set[str] = field(default_factory=set)
    """Lines that lost events since the last START or END GAME. Empty between rounds at rest."""

    def state(self) -> LinesState:
        """Return everything that outlives a round."""
        known = self.sessions.copy(), self.devices.copy(), self.returned.copy(), self.started.copy()
        return LinesState(*known, self.elsewhere.copy(), self.attested.copy())

    @classmethod
    def restore(cls, state: LinesState, pins: Mapping[str, Pin]) -> Self:
        """Restore the lines from their saved state."""
        known = dict(state.sessions), dict(state.devices), dict(state.returned), dict(state.started)
        return cls(pins, *known, dict(state.elsewhere), dict(state.attested))

    def meet(self, round_: Round, seen: Seen) -> None:
        """Note the session of a device that reports, which this table may not have seen."""
        if isinstance(seen.body, e.SessionChanged):
            return  # the report itself says how much of the earlier session is known
        if seen.session and self.sessions.get(seen.device) != seen.session:
            self._restarted(round_, seen, self.sessions.get(seen.device), seen.session)

    def take(self, round_: Round, seen: Seen) -> None:
        """Take a report of the line itself."""
        LINE_REPORTS[type(seen.body)](self, round_, seen, seen.body)

    def origin(self, round_: Round) -> RoundOrigin:
        """Return the origin of a round that ends now."""
        controller, session = round_.started_by
        dealing = self.devices.get(round_.dealt_by, _NOBODY).text
        return RoundOrigin(dealing, round_.session, self.devices.get(controller, _NOBODY).text, session, round_.number)

    def doubt(self, round_: Round, seen: Seen) -> None:
        """Report at the start of a round everything that makes a device untrustworthy; the round is then unreliable."""
        for device, session in sorted(self.returned.items()) if self.returned else ():
            round_.report(_returned(device, session, unreliable=True), seen)
        for device, where in sorted(self.elsewhere.items()) if self.elsewhere else ():
            round_.report(_elsewhere(device, where, unreliable=True), seen)
        for device in sorted(self.pins):
            self._judge_pin(round_, seen, device, unreliable=True)
        for device, standing in sorted(self.attested.items()) if self.attested else ():
            if standing.why:
                round_.report(_unproved(device, standing.why, unreliable=True), seen)
        self._judge_number(round_, seen)

    def doubt_at_end(self, round_: Round, seen: Seen) -> None:
        """Report at the end of a round each device that has not proved its firmware since it started."""
        for device in sorted(self.attested):
            if not self.attested[device].why and not self._has_proved(device):
                round_.report(_unproved(device, _NOT_YET, unreliable=True), seen)

    def firmware(self) -> tuple[FirmwareRecord, ...]:
        """Return the firmware that the devices have proved, by line."""
        return tuple(
            FirmwareRecord(device=device, sha256=standing.sha256, version=standing.version)
            for device, standing in sorted(self.attested.items())
            if self._has_proved(device)
        )

    def _has_proved(self, device: str) -> bool:
        standing = self.attested[device]
        return standing.proved and standing.session == self.sessions.get(device, standing.session)

    def began_unheard(self, seen: Seen, number: int) -> bool:
        """Return True if END GAME of round `number` ends a round whose START GAME is among the lost events."""
        session, _, started = self.started.get(seen.device, (seen.session, 0, None))
        if seen.device in self.gaps and (session, started) != (seen.session, number):
            return True
        self.gaps.clear()
        return False

    def doubt_unheard(self, round_: Round, seen: Seen) -> None:
        """Report that a round is published of which only END GAME was received."""
        lost = Incident(code="start-lost", clause="procedure", device=seen.device, number=round_.number)
        round_.report(replace(lost, unreliable=True), seen)
        self._judge_number(round_, seen)

    def doubt_cards(self, round_: Round, seen: Seen) -> None:
        """Report that the end of the previous round was lost, and wait for the other line.

        Cards that it has yet to report may belong to that round.
        """
        round_.report(Incident(code=_LOST, clause="procedure", device=seen.device, unreliable=True), seen)
        self.patient = True

    def _name_lost_rounds(self, round_: Round, seen: Seen) -> None:
        """Report the rounds that came and went while a controller's events were lost, according to its counter."""
        controller_lost = seen.device in self.gaps
        self.gaps.clear()
        if not controller_lost:
            return
        if round_.in_play and not any(each.code in (_LOST, "start-lost") for each in round_.incidents):
            self.doubt_cards(round_, seen)
        session, _, number = self.started.get(seen.device, (0, 0, 0))
        missed = (round_.number - number - 1) % _WRAP if session == seen.session else 0
        if 0 < missed < _WRAP // 2:
            first, last = (number + 1) % _WRAP, (round_.number - 1) % _WRAP
            lost = Incident(code="rounds-lost", clause="procedure", device=seen.device, first=first)
            round_.report(replace(lost, last=last) if last != first else lost, seen)

    def _judge_number(self, round_: Round, seen: Seen) -> None:
        """Check that a controller counts its rounds up within a session. An event that is repeated is the same
        round."""
        if self.gaps:
            self._name_lost_rounds(round_, seen)
        session, event, number = self.started.get(seen.device, (seen.session, 0, 0))
        if event and session == seen.session and event >= seen.number:
            return
        self.started[seen.device] = seen.session, seen.number, round_.number
        if event and session == seen.session and not 0 < (round_.number - number) % _WRAP < _WRAP // 2:
            due = (number + 1) % _WRAP
            again = Incident(code="round-number-again", clause="procedure", number=round_.number, expected=due)
            round_.report(replace(again, device=seen.device, unreliable=True), seen)

    def _up(self, round_: Round, seen: Seen, body: e.LinkUp) -> None:
        """Compare a device that comes up with the one before and with the one required."""
        before, now = self.devices.get(seen.device), DeviceIdentity.of(body)
        self.devices[seen.device] = now
        changed = unlike(before, now) if before is not None else None
        if changed is not None:
            matters = _matters(round_, seen.device)
            round_.report(_another("device-swapped", seen.device, changed, unreliable=matters), seen)
        self._judge_pin(round_, seen, seen.device, unreliable=_matters(round_, seen.device))

    def _judge_pin(self, round_: Round, seen: Seen, device: str, *, unreliable: bool) -> None:
        pin = self.pins.get(device)
        wrong = unlike(pin, self.devices.get(device, DeviceIdentity())) if pin is not None else None
        if wrong is not None:
            round_.report(_another("device-not-pinned", device, wrong, unreliable=unreliable), seen)

    def _session_returned(self, round_: Round, seen: Seen, body: e.SessionReturned) -> None:
        self.returned[seen.device] = body.session
        round_.report(_returned(seen.device, body.session, unreliable=_matters(round_, seen.device)), seen)
        _forget_shoe(round_, seen)

    def _restarted(self, round_: Round, seen: Seen, previous: int | None, session: int, *, whole: bool = False) -> None:
        self.sessions[seen.device] = session
        if self.returned.get(seen.device, session) != session:
            del self.returned[seen.device]
        if previous is None or previous == session:
            return
        _forget_shoe(round_, seen)
        counts = whole and _may_restart(round_, seen.device)
        anew = partial(Incident, code="session-changed", clause="procedure", device=seen.device, unreliable=not counts)
        if (round_.in_play and seen.device in round_.devices) or seen.device in round_.bettors:
            before, now = f"{previous:08x}", f"{session:08x}"
            round_.report(anew(reason="in-round", session=now, previous=before), seen)
            round_.decks.forget()
        elif round_.ledger.packets and not round_.in_play:
            round_.report(anew(reason="begun"), seen)
        elif not round_.in_play and seen.device in round_.devices:
            round_.decks.forget()

    def _session_changed(self, round_: Round, seen: Seen, body: e.SessionChanged) -> None:
        before = self.sessions.get(seen.device, body.previous)
        session, _, number = self.started.get(seen.device, (0, 0, 0))
        if body.whole and session == body.previous != body.session:
            self.started[seen.device] = body.session, _BOOTED, number  # its counter of rounds survives a power cut
        self._restarted(round_, seen, before, body.session, whole=body.whole)

    def _booted(self, round_: Round, seen: Seen, body: e.Booted) -> None:
        if not body.mid_round:
            return
        harms = round_.in_play and not _has_dealt(round_, seen.device)
        lost = Incident(code="power-lost", clause="procedure", reason="in-round", device=seen.device, unreliable=harms)
        round_.report(lost, seen)
        if not round_.in_play:
            round_.restarted.add(seen.device)

    def _events_lost(self, round_: Round, seen: Seen, body: e.EventsLost) -> None:
        lost = partial(Incident, code=_LOST, clause="procedure", device=seen.device, unreliable=True)
        numbered = body.first or body.last
        round_.report(lost(first=body.first, last=body.last) if numbered else lost(), seen)
        self.gaps.add(seen.device)
        _forget_shoe(round_, seen)

    def _badge(self, round_: Round, seen: Seen, body: e.BadgeSwiped) -> None:
        if body.refused:
            round_.badge = (body.badge, "")
            badge_refused(round_, seen, body.badge, body.refused)
            return
        round_.badge = (body.badge, body.level)
        if body.level in SUPERVISORS:
            round_.called = None
            if not round_.in_play and not round_.plan.from_shoe:
                dealing.deck_changed(round_)
            if not round_.in_play:
                dealing.of_decks(round_, round_.decks.exchange(youngest=_youngest(round_.plan)), seen)

    def _status_differs(self, round_: Round, seen: Seen, body: e.StatusDiffers) -> None:
        """Report each difference once a round, by what it is about."""
        known = [each.reason for each in round_.incidents if each.code == _DIFFERS and each.device == seen.device]
        if body.what in known:
            return
        found = Incident(code=_DIFFERS, clause="procedure", reason=body.what, device=seen.device)
        if body.what == "sensors":
            seat = ((body.stated ^ body.known) & -(body.stated ^ body.known)).bit_length()
            found = replace(found, number=seat)
        elif body.what not in _YES_OR_NO:
            found = replace(found, counted=body.stated, expected=body.known)
        round_.report(replace(found, unreliable=_matters(round_, seen.device)), seen)

    def _device_elsewhere(self, round_: Round, seen: Seen, body: e.DeviceElsewhere) -> None:
        if not body.where:
            self.elsewhere.pop(seen.device, None)
            return
        self.elsewhere[seen.device] = body.where
        round_.report(_elsewhere(seen.device, body.where, unreliable=_matters(round_, seen.device)), seen)

    def _firmware_attested(self, round_: Round, seen: Seen, body: e.FirmwareAttested) -> None:
        before = self.attested.get(seen.device, AttestedFirmware(seen.session))
        now = self.attested[seen.device] = before.after(seen.session, body)
        matters = _matters(round_, seen.device)
        if now.why:
            round_.report(_unproved(seen.device, now.why, unreliable=matters), seen)
        changed = before.changed_to(now)
        if changed is not None:
            round_.report(_another("firmware-changed", seen.device, changed, unreliable=matters), seen)

    def _link_lost(self, round_: Round, seen: Seen, body: e.LinkLost) -> None:
        self.elsewhere.pop(seen.device, None)
        if round_.in_play or round_.bettors:
            round_.report(Incident(code="link-lost", clause="procedure", device=seen.device, words=body.why), seen)
            self.patient = True
        round_.silent = True

    def _bytes_dropped(self, round_: Round, seen: Seen, body: e.BytesDropped) -> None:
        # A device that stores its events sends them again; for any other an EventsLost follows.
        if round_.in_play or round_.bettors:
            round_.report(Incident(code="line-flooded", clause="procedure", device=seen.device), seen)
            self.patient = True
        round_.silent = True


def _another(code: str, device: str, parts: Unlike, *, unreliable: bool) -> Incident:
    """Return the incident that a line has another device than before, or than required."""
    was, now = parts.one, parts.other
    return Incident(
        code=code, clause="procedure", device=device, parts=parts.parts, was=was, now=now, unreliable=unreliable
    )


def _youngest(plan: Plan) -> int:
    """Return the number of rounds below which a badge is no sign of a new deck.

    A shuffler reports itself which deck it holds; in a game with a progressive the badge may have been swiped for a
    jackpot.
    """
    return plan.youngest_deck if (plan.from_shoe or plan.from_hand) and plan.progressive is None else 0


def _matters(round_: Round, device: str) -> bool:
    """Return True if news of a device concerns the round: one is under way, or the device has reported bets for one."""
    return round_.in_play or device in round_.bettors


def _has_dealt(round_: Round, device: str) -> bool:
    """Return True if a shuffler has finished its part of the round: the remainder was counted, so all cards are
    accounted for."""
    return device == round_.dealt_by and not round_.plan.from_shoe and round_.ledger.remainder is not None


def _may_restart(round_: Round, device: str) -> bool:
    """Return True if a round counts although the device restarted, provided all its earlier reports are known.

    It does if the round is dealt out, or nothing of it is dealt. If a deal was under way all the same, *Booted* says
    so.
    """
    if _has_dealt(round_, device):
        return True
    others = {*round_.bettors, round_.started_by[0]}
    if round_.plan.from_hand:  # a shuffler beside the game has handed out the deck
        return device not in (*others, round_.dealt_by)
    return device not in others and not (round_.ledger.packets or round_.plan.from_shoe)


def _returned(device: str, session: int, *, unreliable: bool) -> Incident:
    return Incident(
        code="session-returned", clause="procedure", device=device, session=f"{session:08x}", unreliable=unreliable
    )


def _elsewhere(device: str, where: str, *, unreliable: bool) -> Incident:
    return Incident(code="device-elsewhere", clause="procedure", device=device, words=where, unreliable=unreliable)


def _unproved(device: str, why: str, *, unreliable: bool) -> Incident:
    return Incident(code="device-not-attested", clause="procedure", device=device, words=why, unreliable=unreliable)


def _forget_shoe(round_: Round, seen: Seen) -> None:
    """Forget what is known of the shoe, since its reports are missing: cards may have left it unseen."""
    if round_.shoes is not None and round_.shoes.device == seen.device and round_.shoes.current is not None:
        round_.shoes.current.forget()


LINE_REPORTS: Final[dict[type[e.Body], Callable[[Lines, Round, Seen, Any], None]]] = {
    e.LinkUp: Lines._up,
    e.SessionChanged: Lines._session_changed,
    e.SessionReturned: Lines._session_returned,
    e.Booted: Lines._booted,
    e.EventsLost: Lines._events_lost,
    e.BadgeSwiped: Lines._badge,
    e.LinkLost: Lines._link_lost,
    e.BytesDropped: Lines._bytes_dropped,
    e.DeviceElsewhere: Lines._device_elsewhere,
    e.FirmwareAttested: Lines._firmware_attested,
    e.StatusDiffers: Lines._status_differs,
}
"""Handlers of reports of the line itself."""
