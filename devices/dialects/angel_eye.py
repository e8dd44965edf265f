"""Angel Eye II-EX style shoe: its reports as events, and its commands.

The shoe reads a card and reports its destination by its own baccarat rules. In any other game, only the face and `burn`
are used. Whatever the shoe does not report is left empty.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from devices import events as e
from devices.dialects.dialect import Dialect
from devices.dialects.translation import UnnumberedDriver, names_of
from protocol.angel_eye import messages as m
from protocol.angel_eye.codec import describe
from protocol.angel_eye.framing import Framer
from protocol.angel_eye.link import HostLink
from protocol.cards import UNREAD
from protocol.faults import Fault, fault_text
from protocol.tdp.messages import Role

FAULTS: Final[Mapping[int, Fault]] = {
    m.Trouble.CANNOT_READ: Fault.CARD_UNREADABLE,
    m.Trouble.OVERDRAW: Fault.OVERDRAW,
    m.Trouble.WRONG_BUTTON: Fault.WRONG_BUTTON,
    m.Trouble.PUSHED_BACK: Fault.PUSHED_BACK,
    m.Trouble.PULLED_BACK: Fault.PULLED_BACK,
    m.Trouble.CODE_WRONG: Fault.CARD_CODE_WRONG,
    m.Trouble.DRAW_TOO_SLOW: Fault.DRAW_TOO_SLOW,
}

_DESTINATIONS: Final = names_of(m.Destination)
_WINNERS: Final = names_of(m.Winner)
_MODES: Final[Mapping[int, str]] = {m.Mode.ERROR: "error", m.Mode.SETTING: "setup"}
_RAISED: Final[Mapping[int, Callable[[bool], e.Body]]] = {
    m.Trouble.OVERDRAW: e.Overdrawn,
    m.Trouble.PUSHED_BACK: e.CardPushedBack,
    m.Trouble.PULLED_BACK: e.CardPulledBack,
}


def _where(destination: int) -> str:
    return _DESTINATIONS[destination].lower().replace("_", " ")


def _drawn(report: m.CardDrawnMessage) -> e.Body:
    if report.destination == m.Destination.BURN_COUNT and not report.card.is_playing:
        return e.BurnStarted(report.ordinal)
    if report.card.is_playing:
        return e.CardDrawn(report.ordinal, report.card, _where(report.destination))
    return e.CardUnread(report.ordinal, _where(report.destination))


def _again(report: m.CardReportedAgainMessage) -> e.Body:
    card = report.card if report.card.is_playing else UNREAD
    return e.CardReportedAgain(report.ordinal, card, _where(report.destination))


def _outside(report: m.CardDrawnOutsideMessage) -> e.Body:
    card = report.card if report.card.is_playing else UNREAD
    if report.mode == m.Mode.LOCK:
        return e.DrawWhileLocked(card)
    return e.CardDrawnOutside(card, _MODES.get(report.mode, f"mode {report.mode}"))


def _raised(report: m.ErrorRaisedMessage) -> e.Body:
    make = _RAISED.get(report.trouble)
    if make is not None:
        return make(report.error_mode)
    fault = FAULTS.get(report.trouble, Fault.NONE)
    return e.ShoeError(fault, report.error_mode, fault_text(fault) if fault else f"error {report.trouble}")


def _result(report: m.GameResultMessage) -> e.Body:
    pairs = [
        name for name, there in (("player pair", report.player_pair), ("banker pair", report.banker_pair)) if there
    ]
    return e.ShoeResult(", ".join([_WINNERS[report.winner].lower().replace("_", " "), *pairs]))


EVENTS: Final[Mapping[type[m.Message], Callable[[Any], e.Body]]] = {
    m.StartedMessage: lambda _: e.Booted(0, False),
    m.StandingByMessage: lambda _: e.StateChanged("STANDBY", ""),
    m.CardDrawnMessage: _drawn,
    m.CardReportedAgainMessage: _again,
    m.CardDrawnOutsideMessage: _outside,
    m.CutCardDrawnMessage: lambda _: e.CutCardSeen(),
    m.GameResultMessage: _result,
    m.ErrorRaisedMessage: _raised,
    m.ErrorClearedMessage: lambda report: e.ShoeErrorCleared(FAULTS.get(report.trouble, Fault.NONE), 0),
    m.LockMovedMessage: lambda report: e.ShoeLocked(report.locked),
    m.SettingChangedMessage: lambda report: e.UnknownReported(f"setting {report.address} is now {report.value}"),
    m.UnknownReportMessage: lambda report: e.UnknownReported(f"report {report.letter!r} of {len(report.data)} bytes"),
    m.TextMessage: lambda report: e.UnknownReported(f"answer {report.text!r}"),
}


class AngelEyeShoe(UnnumberedDriver):
    """Driver of the shoe. The builders return commands for `Session.request`, which need the role `operate`."""

    events = EVENTS
    model = "Angel Eye style shoe"

    @staticmethod
    def lock(locked: bool) -> m.Message:
        """Return the command to lock or unlock the shoe."""
        return m.LockMessage(locked)

    @staticmethod
    def clear_error(fault: int) -> m.Message:
        """Return the command to clear the error `fault`. Raise ValueError if the shoe has no number for it."""
        for trouble, known in FAULTS.items():
            if known == fault:
                return m.ClearErrorMessage(trouble)
        raise ValueError(f"this shoe has no error number for {fault_text(fault)}")

    @staticmethod
    def ask_game() -> m.Message:
        """Return the command that requests the state of the game."""
        return m.AskGameMessage()


DIALECT: Final = Dialect(
    name="angel-eye",
    about="Angel Eye II-EX style baccarat shoe, from public code; never met on hardware",
    baud=4800,
    drivers={"shoe": AngelEyeShoe},
    make_link=lambda _kind, role, listen: HostLink(operate=role >= Role.OPERATE, listen=listen),
    make_framer=Framer,
    explain=describe,
    says_who=False,
)
