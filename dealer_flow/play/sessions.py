"""What is known of the devices' lines: in which session each device speaks, and whether one was silent."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Self

from msgspec import Struct

import devices.events as e
from dealer_flow.play.guards import SUPERVISORS
from dealer_flow.record.incidents import Incident
from dealer_flow.table.round import Round
from devices.events import Seen


class LinesState(Struct, frozen=True):
    """What is known of the lines, as it is kept on disk; the fields are those of `Lines`."""

    sessions: dict[str, int]


@dataclass(slots=True)
class Lines:
    """The lines of one table. They outlive the rounds; `patient` from a line's silence to the end of its round."""

    sessions: dict[str, int] = field(default_factory=dict)
    patient: bool = False

    def state(self) -> LinesState:
        """All that outlives a round, in the order of the lines' names."""
        return LinesState(sessions=dict(sorted(self.sessions.items())))

    @classmethod
    def restore(cls, state: LinesState) -> Self:
        """The lines as they were kept."""
        return cls(sessions=dict(state.sessions))

    def meet(self, round_: Round, seen: Seen) -> None:
        """A device speaks: in a session this table may not have seen."""
        if seen.session and self.sessions.get(seen.device) != seen.session:
            self._restarted(round_, seen, self.sessions.get(seen.device), seen.session)

    def take(self, round_: Round, seen: Seen) -> None:
        """A report of the line itself."""
        LINE_REPORTS[type(seen.body)](self, round_, seen, seen.body)

    def _restarted(self, round_: Round, seen: Seen, previous: int | None, session: int) -> None:
        self.sessions[seen.device] = session
        if previous is None or previous == session:
            return
        _forget_shoe(round_, seen)
        anew = partial(Incident, code="session-changed", clause="procedure", device=seen.device, unreliable=True)
        if (round_.in_play and seen.device in round_.devices) or seen.device in round_.bettors:
            before, now = f"{previous:08x}", f"{session:08x}"
            round_.report(anew(reason="in-round", session=now, previous=before), seen)
        elif round_.ledger.packets and not round_.in_play:
            round_.report(anew(reason="begun"), seen)
        elif not round_.in_play and seen.device in round_.devices:
            round_.decks.forget()

    def _session_changed(self, round_: Round, seen: Seen, body: e.SessionChanged) -> None:
        self._restarted(round_, seen, self.sessions.get(seen.device, body.previous), body.session)

    def _booted(self, round_: Round, seen: Seen, body: e.Booted) -> None:
        if not body.mid_round:
            return
        lost = Incident(
            code="power-lost", clause="procedure", reason="in-round", device=seen.device, unreliable=round_.in_play
        )
        round_.report(lost, seen)
        if not round_.in_play:
            round_.restarted.add(seen.device)

    def _events_lost(self, round_: Round, seen: Seen, body: e.EventsLost) -> None:
        lost = partial(Incident, code="events-lost", clause="procedure", device=seen.device, unreliable=True)
        numbered = body.first or body.last
        round_.report(lost(first=body.first, last=body.last) if numbered else lost(), seen)
        _forget_shoe(round_, seen)

    def _badge(self, round_: Round, seen: Seen, body: e.BadgeSwiped) -> None:
        round_.badge = (body.badge, body.level)
        if body.level in SUPERVISORS:
            round_.called = None
            if not round_.in_play:
                round_.decks.exchange()

    def _link_lost(self, round_: Round, seen: Seen, body: e.LinkLost) -> None:
        if round_.in_play or round_.bettors:
            round_.report(Incident(code="link-lost", clause="procedure", device=seen.device, words=body.why), seen)
            self.patient = True

    def _bytes_dropped(self, round_: Round, seen: Seen, body: e.BytesDropped) -> None:
        # A device that keeps its events tells them again; of one that does not, an EventsLost follows.
        if round_.in_play or round_.bettors:
            round_.report(Incident(code="line-flooded", clause="procedure", device=seen.device), seen)
            self.patient = True


def _forget_shoe(round_: Round, seen: Seen) -> None:
    """Reports of the shoe are missing: cards may have left it unseen."""
    if round_.shoes is not None and round_.shoes.device == seen.device and round_.shoes.current is not None:
        round_.shoes.current.forget()


LINE_REPORTS: Final[dict[type[e.Body], Callable[[Lines, Round, Seen, Any], None]]] = {
    e.SessionChanged: Lines._session_changed,
    e.Booted: Lines._booted,
    e.EventsLost: Lines._events_lost,
    e.BadgeSwiped: Lines._badge,
    e.LinkLost: Lines._link_lost,
    e.BytesDropped: Lines._bytes_dropped,
}
"""Reports of a line itself, and what each does."""
