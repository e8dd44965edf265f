"""Shufflers whose habits are broken on purpose, each in one way: their refusals, counts, memory or repetitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from devices.simulator.host import TableModel
from devices.simulator.shuffler_parts import Motion
from protocol.faults import Fault
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope
from protocol.tdp.messages import Reason, Resolution, ShufflerState, Status
from protocol.tdp.outputs import MESSAGE_IDS
from tests.support.broken.base import Broken, Caught, Rewriting, changed
from tests.support.broken.fields import Deciding, Field


class VaryingBacks(Field):
    """It sees another back whenever a deck is loaded."""

    message = m.DeckLoadedMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"back": message.number % 200 + 1}


class NamesTwice(Field):
    """A jam that is not freed appears twice among the faults of STATUS."""

    message = m.ShufflerStatusMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"faults": (*message.faults, *(fault for fault in message.faults if fault == Fault.EXIT_JAM))}


class RecordWithoutRejects(Field):
    """The misdeal record says that the reject tray is empty."""

    message = m.MisdealMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"rejected": 0}


class RecordCountsNothing(Field):
    """The misdeal record gives a remainder that was not counted as 0."""

    message = m.MisdealMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"remainder": message.remainder % 0xFFFF}


class TrayStaysFull(Broken):
    """STATUS still counts the cards of the tray after the deck was taken out."""

    in_tray = stays = 0

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.MisdealClearedMessage) and message.resolution == Resolution.REMOVE_DECK:
            self.stays = self.in_tray
        if isinstance(message, m.PacketDispensedMessage):
            self.stays = 0
        if not isinstance(message, m.ShufflerStatusMessage):
            return [envelope.body]
        self.in_tray = message.in_tray
        return [changed(envelope, in_tray=message.in_tray or self.stays)]


class Refusing(Rewriting):
    """Base of devices that refuse what others do, or give another reason for refusing."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._asked: set[int] = set()

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        if self.minds(envelope.message):
            self._asked.add(envelope.request)
        return [envelope.body]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if not isinstance(message, m.ReplyMessage) or envelope.request not in self._asked:
            return [envelope.body]
        reason = self.refuses(message)
        return [envelope.body if reason is None else changed(envelope, status=Status.REFUSED, reason=reason)]

    def minds(self, message: Any) -> bool:
        """Return True if `message` is one of the commands that this device refuses wrongly."""
        raise NotImplementedError

    def refuses(self, reply: m.ReplyMessage) -> Reason | None:
        """Return the reason that the device gives in place of this reply."""
        raise NotImplementedError


class ParametersFirst(Refusing):
    """It checks the parameters of CLEAR-MISDEAL before its state."""

    def minds(self, message: Any) -> bool:
        return isinstance(message, m.ClearMisdealMessage) and message.resolution > Resolution.REMOVE_DECK

    def refuses(self, reply: m.ReplyMessage) -> Reason | None:
        return Reason.BAD_PARAMETER


class LockOnlyAtRest(Refusing):
    """SET-LOCK is refused in the middle of a round, even if it changes nothing."""

    def minds(self, message: Any) -> bool:
        return isinstance(message, m.SetLockMessage) and not message.locked

    def refuses(self, reply: m.ReplyMessage) -> Reason | None:
        in_round = reply.state in (ShufflerState.PACKET_WAIT, ShufflerState.DISPENSING)
        return Reason.WRONG_STATE if in_round else None


class NoGameInSetup(Refusing):
    """SELECT-GAME is refused in set-up."""

    def minds(self, message: Any) -> bool:
        return isinstance(message, m.SelectGameMessage)

    def refuses(self, reply: m.ReplyMessage) -> Reason | None:
        return Reason.WRONG_STATE if reply.state == ShufflerState.SETUP else None


class KnownNumbersOnly(Deciding):
    """RAISE-LAMP with a number unknown to it is refused."""

    def taken_for(self, message: Any) -> dict[str, object]:
        unknown = isinstance(message, m.RaiseLampMessage) and message.fault not in Fault._value2member_map_
        return {"fault": 0} if unknown else {}


class AnyGameName(Rewriting):
    """SELECT-GAME takes a name that is not ASCII: it reads seven bits of each letter."""

    def unread(self, body: bytes) -> bytes:
        selects = int.from_bytes(body[6:8], "little") == MESSAGE_IDS[m.SelectGameMessage]
        return body[:12] + bytes(letter & 0x7F for letter in body[12:]) if selects else body


# ------------------------------------------------------------------ actions of the device, not its reports


def _shuffler(table: TableModel) -> Any:
    return table.shuffler  # type: ignore[attr-defined]


class TwoWays(Broken):
    """A packet that was not lifted goes back with DUMP, but stays a packet with the green button."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        shuffler = _shuffler(table)
        dump, press = shuffler.dump, shuffler.press_green

        def dumped(now_ns: int, request: int = 0) -> bool:
            shuffler.packet_stays = False
            return bool(dump(now_ns, request))

        def pressed(now_ns: int) -> bool:
            shuffler.packet_stays = True
            return bool(press(now_ns))

        shuffler.dump, shuffler.press_green = dumped, pressed


class NamesLastFault(Broken):
    """Clearing the lamp names the last fault instead of its own."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        shuffler = _shuffler(table)
        clear = shuffler.clear

        def cleared(*given: Any) -> bool:
            shuffler.latched.reverse()
            done = bool(clear(*given))
            shuffler.latched.reverse()
            return done

        shuffler.clear = cleared


class DumpsInSafe(Broken):
    """Green pressed earlier brings the remainder although the host is lost."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        shuffler = _shuffler(table)
        held_back = shuffler._held_back

        def held() -> bool:
            lost, shuffler.host_lost = shuffler.host_lost, shuffler.host_lost and shuffler.owed is not Motion.DUMP
            back = bool(held_back())
            shuffler.host_lost = lost
            return back

        shuffler._held_back = held


class NeverRecounts(Broken):
    """A ready deck stays ready when another deck composition is selected."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        shuffler = _shuffler(table)
        select = shuffler.select_game

        def selected(setting: Any, now_ns: int, request: int = 0) -> None:
            shuffler.game = setting
            select(setting, now_ns, request)

        shuffler.select_game = selected


class CountsWhatShouldCome(Broken):
    """Its meter CARDS counts the cards that packets should have."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        meters = _shuffler(table).device_meters
        reported = meters.reported

        def counted(event: type[m.Event], fields: dict[str, Any]) -> None:
            expects = event is m.PacketDispensedMessage
            reported(event, {**fields, "counted": fields["expected"]} if expects else fields)

        meters.reported = counted


def _caught(device: Callable[[TableModel], TableModel], *by: str, quick: tuple[str, ...] = ()) -> Caught:
    return Caught(device, by, quick=quick)


DEAL_DEVICES: Final = (
    _caught(VaryingBacks, "always.backs", quick=("status.decks", "deal.two-decks")),
    _caught(NamesTwice, "always.faults-once", quick=("fault.jam-stuck-203",)),
    _caught(RecordWithoutRejects, "count.rejected-then-short", "always.book"),
    _caught(
        RecordCountsNothing, "fault.jam-stuck-203", "fault.packet-short-301", "fault.packet-long-302",
        "fault.lifted-early-303", "count.first-short", "count.middle-short", "count.middle-long", "count.last-short",
        "count.last-long", "always.book",
    ),
    _caught(TrayStaysFull, "status.deck-out"),
    _caught(ParametersFirst, "deal.state-before-parameters"),
    _caught(LockOnlyAtRest, "deal.lock-as-it-is"),
    _caught(NoGameInSetup, "deal.setup-game"),
    _caught(KnownNumbersOnly, "fault.unknown-number", "fault.called-otherwise"),
    _caught(AnyGameName, "deal.game-not-ascii"),
    _caught(TwoWays, "always.unlifted", quick=("deal.whole", "deal.green-button", "status.remainder")),
    _caught(NamesLastFault, "fault.first-of-two", "always.first-fault", "fault.second-fault"),
    _caught(DumpsInSafe, "safe.green-remembered"),
    _caught(NeverRecounts, "deal.recount"),
    _caught(CountsWhatShouldCome, "deal.meters-short", "deal.meters-early"),
)  # fmt: skip
"""Devices whose habits at a deal are wrong."""
