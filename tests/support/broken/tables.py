"""Shoes and table controllers that send unknown codes, carry out a command in a state that the page does not list, or
remember their requests in a way of their own; each breaks one sentence of the page."""

from collections.abc import Iterable
from typing import Any, ClassVar, Final

from devices.simulator.device_model import EventDraft
from devices.simulator.host import TableModel
from devices.simulator.table_controller import ControllerCause
from protocol.cards import CARDS
from protocol.faults import Fault
from protocol.places import NOWHERE
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope, encode
from protocol.tdp.messages import Capability, ControllerState, Message, Reason, ShoeState, Spread, Status
from protocol.tdp.outputs import MESSAGE_IDS, SESSION_EXTENSION
from protocol.tdp.reply_cache import Entry, ReplyCache, Verdict
from tests.support.broken.base import Broken, Caught, Rewriting, changed
from tests.support.broken.classes import OVERDRAWN, Controller, Shoe

ACE_OF_14: Final = 0x1E
NO_PLACE: Final = NOWHERE + 0x30

# ------------------------------------------------------------------ a shoe's cards


class AcesOf14(Shoe):
    """An ace has rank 14 in its card codes."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message: Any = envelope.message
        card = CARDS[getattr(message, "card", 0)]
        return [changed(envelope, card=card + 13) if card.rank == 1 else envelope.body]


class StillDrawn(Shoe):
    """STATUS counts a card that was pushed back as one that has left."""

    back = 0

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.PushedBackMessage):
            self.back = 1
        if isinstance(message, m.CardReportedAgainMessage | m.ShoeLoadedMessage):
            self.back = 0
        if isinstance(message, m.ShoeStatusMessage) and self.back and message.loaded:
            return [changed(envelope, drawn=message.drawn + 1)]
        return [envelope.body]


class OverdrawnUntold(Shoe):
    """A card that no game calls for is reported as Overdraw, but not as drawn."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        say = self.model.say
        self.overdrawn = False

        def said(event: type[m.Event], request: int = 0, **fields: Any) -> bool:
            untold = self.overdrawn and event is m.CardDrawnOutsideMessage
            self.overdrawn = event is m.OverdrawMessage or (self.overdrawn and event is m.StateChangedMessage)
            return untold or say(event, request, **fields)

        self.model.say = said


class OverdrawnIncluded(Shoe):
    """Overdraw counts the card that follows it."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        wrong = isinstance(message, m.OverdrawMessage)
        return [changed(envelope, ordinal=message.ordinal + 1) if wrong else envelope.body]  # type: ignore[union-attr]


class HaltsForButtons(Shoe):
    """A wrong button counts as a trouble that halts the shoe."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        wrong = isinstance(message, m.ShoeErrorMessage) and message.fault == Fault.WRONG_BUTTON
        return [changed(envelope, halted=1) if wrong else envelope.body]


# ------------------------------------------------------------------ commands and states


class Reanswering(Shoe):
    """Base of devices that answer a command wrongly in one state."""

    command: ClassVar[type[Message]]
    states: ClassVar[tuple[int, ...]]
    instead: ClassVar[dict[str, object]] = {"status": Status.DONE, "reason": Reason.NONE}

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        refuses = isinstance(message, m.ReplyMessage) and message.reason == Reason.WRONG_STATE
        if refuses and envelope.message_id == MESSAGE_IDS[self.command] and self.model.state in self.states:
            return [changed(envelope, **self.instead)]
        return [envelope.body]


class LocksInError(Reanswering):
    """LockShoe is *done* in the error mode."""

    command, states = m.LockShoeMessage, (ShoeState.ERROR,)


class EndsWhileLocked(Reanswering):
    """EndRound is *done* while it is locked."""

    command, states = m.EndRoundMessage, (ShoeState.LOCKED,)


class ClearsWhenEmpty(Reanswering):
    """ClearShoeError is *done* in EMPTY, without anything to clear."""

    command, states = m.ClearShoeErrorMessage, (ShoeState.EMPTY,)


class ErrorFaultFirst(Reanswering):
    """ClearShoeError outside of the error mode is refused for its fault, not for the state."""

    command, states = m.ClearShoeErrorMessage, tuple(ShoeState)
    instead: ClassVar = {"reason": Reason.BAD_PARAMETER}


class BusyShoe(Reanswering):
    """EndRound outside of a round is refused as BUSY, though nothing moves."""

    command, states = m.EndRoundMessage, tuple(ShoeState)
    instead: ClassVar = {"reason": Reason.BUSY}


class TestsItself(Shoe):
    """SelfTest is *done* by a shoe."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        wrong = isinstance(message, m.ReplyMessage) and message.reason == Reason.UNKNOWN_COMMAND
        if wrong and envelope.message_id == MESSAGE_IDS[m.SelfTestMessage]:
            return [changed(envelope, status=Status.DONE, reason=Reason.NONE)]
        return [envelope.body]


class StateBefore(Shoe):
    """A reply has the state before the command changed it."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        unit: Any = table.units["shoe"]  # type: ignore[attr-defined]
        answer = unit._answer

        def answered(request: int, command: Message, now_ns: int) -> m.ReplyMessage:
            before = self.model.state
            reply = answer(request, command, now_ns)
            return m.ReplyMessage(reply.status, reply.reason, before)

        unit._answer = answered


# ------------------------------------------------------------------ requests and sessions


class OtherMemory(Shoe):
    """Base of shoes with another memory of requests."""

    Cache: ClassVar[type[ReplyCache]]

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        unit: Any = table.units["shoe"]  # type: ignore[attr-defined]
        power_on = unit.power_on

        def started(now_ns: int) -> None:
            power_on(now_ns)
            unit._link._cache = self.Cache()

        unit.power_on = started


class RemembersFour(OtherMemory):
    """It remembers its last four requests."""

    class Cache(ReplyCache):
        def judge(self, request: int, command: Message, now_ns: int) -> tuple[Verdict, Entry]:
            if request not in self._entries:
                while len(self._entries) >= 4:
                    del self._entries[next(iter(self._entries))]
            return super().judge(request, command, now_ns)


class ComparesNumbers(OtherMemory):
    """Two commands with one id are the same to it if their message numbers are."""

    class Cache(ReplyCache):
        def judge(self, request: int, command: Message, now_ns: int) -> tuple[Verdict, Entry]:
            entry = self._entries.get(request)
            same = entry is not None and type(entry.command) is type(command)
            return super().judge(request, entry.command if entry is not None and same else command, now_ns)


class NamesNewSession(Shoe):
    """The events of the session before name the new one in their extension."""

    session = 0

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.ShoeStatusMessage):
            self.session = message.session
        if not any(kind == SESSION_EXTENSION for kind, _ in envelope.extensions):
            return [envelope.body]
        named = ((SESSION_EXTENSION, self.session.to_bytes(4, "little")),)
        return [encode(message, link_sequence=envelope.link_sequence, request=envelope.request, extensions=named)]


class StickyRequest(Rewriting):
    """Events that people cause carry the id of the last command."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self.asked = 0
        self.given: dict[int, int] = {}

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        self.asked = envelope.request or self.asked
        return [envelope.body]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        event = envelope.message
        if not isinstance(event, m.CardDrawnMessage) or envelope.extensions:
            return [envelope.body]
        request = self.given.setdefault(event.number, self.asked)
        return [encode(event, link_sequence=envelope.link_sequence, request=request)]

    def power_on(self, now_ns: int) -> None:
        self.given.clear()
        super().power_on(now_ns)


# ------------------------------------------------------------------ a controller's reports


class Chatty(Controller):
    """Base of controllers that report one more event with CONFIRM."""

    event: ClassVar[type[m.Event]]
    fields: ClassVar[dict[str, object]]

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        confirm, model = self.model.confirm, self.model

        def confirmed() -> bool:
            done = bool(confirm())
            model.outbox.append(EventDraft(self.event, 0, dict(self.fields)))
            return done

        model.confirm = confirmed


class RevealsNowhere(Chatty):
    """It reveals cards at a place that does not exist."""

    event: ClassVar = m.HandRevealedMessage
    fields: ClassVar = {"place": NO_PLACE, "source": m.RevealSource.KEYED, "cards": b"\x11"}


class RevealsByNobody(Chatty):
    """It reveals cards that neither the reader nor a person named."""

    event: ClassVar = m.HandRevealedMessage
    fields: ClassVar = {"place": 1, "source": 0, "cards": b"\x11"}


class RevealsNoCard(Chatty):
    """It reveals a card code that does not exist."""

    event: ClassVar = m.HandRevealedMessage
    fields: ClassVar = {"place": 1, "source": m.RevealSource.KEYED, "cards": bytes([ACE_OF_14, 0x99])}


class MishandledNohow(Chatty):
    """The report of a mishandled card gives a number that names no kind of mishandling."""

    event: ClassVar = m.CardMishandledMessage
    fields: ClassVar = {"place": 1, "how": 0, "card": 0x60}


class LowOfMore(Chatty):
    """The low hand has more cards than the hand."""

    event: ClassVar = m.HandSetMessage
    fields: ClassVar = {"place": 1, "by": m.SetBy(1), "foul": 0, "low": 7, "cards": b"\x11\x12"}


class ActsNohow(Chatty):
    """The report of a player's action gives a number that names no action."""

    event: ClassVar = m.PlayerActedMessage
    fields: ClassVar = {"seat": 1, "action": 0, "manner": m.ActionManner.NONE, "cents": 500}


class AheadOfItself(Chatty):
    """It supports 1.2, but sends an event of 1.3."""

    event: ClassVar = m.StakeShownMessage
    fields: ClassVar = {"seat": 1, "cents": 50_000}

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        greets = isinstance(envelope.message, m.HelloReplyMessage)
        return [changed(envelope, highest_minor=2) if greets else envelope.body]


class SpeaksForShoe(Chatty):
    """It sends an event of a card shoe."""

    event: ClassVar = m.ShoeLockMovedMessage
    fields: ClassVar = {"locked": 1}


class CentsOf16Bits(Controller):
    """The cents of a wager are cut to 16 bits."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        wrong = isinstance(message, m.WagerPlacedMessage)
        return [changed(envelope, cents=message.cents & 0xFFFF) if wrong else envelope.body]  # type: ignore[union-attr]


class CountsFromBoth(Controller):
    """Burned cards are counted from the left, but reported as counted from the right."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        wrong = isinstance(envelope.message, m.BurnConfirmedMessage)
        return [changed(envelope, spread=Spread.RIGHT_TO_LEFT) if wrong else envelope.body]


class CountsFromRight(Controller):
    """Burned cards of five are counted from the right, as the page allows."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if not isinstance(message, m.BurnConfirmedMessage):
            return [envelope.body]
        mirrored = int(f"{message.positions:05b}"[::-1], 2)
        return [changed(envelope, positions=mirrored, spread=Spread.RIGHT_TO_LEFT)]


class Answering(Controller):
    """Base of controllers that answer a command wrongly."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        unit: Any = table.units["table-controller"]  # type: ignore[attr-defined]
        self.answer, unit._answer = unit._answer, self.answered

    def answered(self, request: int, command: Message, now_ns: int) -> m.ReplyMessage:
        """Return the reply."""
        why = self.other(command)
        if why is None:
            reply: m.ReplyMessage = self.answer(request, command, now_ns)
            return reply
        return m.ReplyMessage(Status.REFUSED if why else Status.DONE, why, self.model.state)

    def other(self, command: Message) -> Reason | None:
        """Return another reason than the true one; None for the true one."""
        raise NotImplementedError


class LightsSeatZero(Answering):
    """The light of seat 0 is accepted."""

    def other(self, command: Message) -> Reason | None:
        return Reason.NONE if isinstance(command, m.SetSensorLightMessage) and not command.seat else None


class LightsOnlyOne(Answering):
    """`lit` of 2 is refused."""

    def other(self, command: Message) -> Reason | None:
        return Reason.BAD_PARAMETER if isinstance(command, m.SetSensorLightMessage) and command.lit > 1 else None


class TextsOf39(Answering):
    """A text that fills its field is refused."""

    def other(self, command: Message) -> Reason | None:
        return Reason.BAD_PARAMETER if isinstance(command, m.ShowTextMessage) and len(command.text) == 40 else None


class MetersOf32Bits(Answering):
    """A meter of more than 32 bits is refused."""

    def other(self, command: Message) -> Reason | None:
        wide = isinstance(command, m.ShowMeterMessage) and command.cents >= 1 << 32
        return Reason.BAD_PARAMETER if wide else None


class TestsInGame(Answering):
    """SelfTest is *done* in a game."""

    def other(self, command: Message) -> Reason | None:
        in_game = self.model.state in (ControllerState.GAME, ControllerState.AWARD)
        return Reason.NONE if isinstance(command, m.SelfTestMessage) and in_game else None


class ClaimsNoSensors(Controller):
    """HELLO-REPLY leaves out the bet sensors, although it lights their lights."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if not isinstance(message, m.HelloReplyMessage):
            return [envelope.body]
        return [changed(envelope, capabilities=message.capabilities & ~Capability.BET_SENSORS)]


class StartsAgain(Controller):
    """START GAME in a game starts the next round."""

    def start(self) -> bool:
        if self.model.state is not ControllerState.GAME:
            return super().start()
        self.model.round += 1
        return bool(self.model.say(m.GameStartedMessage, round=self.model.round))


class EndsInBets(Controller):
    """END GAME reports the end of a game while bets are open."""

    def end(self) -> bool:
        if self.model.state is not ControllerState.BETS_OPEN:
            return super().end()
        return bool(self.model.say(m.GameEndedMessage, round=self.model.round))


class FirstOffEnds(Controller):
    """AWARD ends with the first hand button that is released."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        press, model = self.model.press_hand, self.model

        def pressed(hand: int) -> bool:
            off = hand in model._hands
            done = bool(press(hand))
            if off:
                others, model._hands = model._hands, set()
                model._settle(ControllerCause.HAND)
                model._hands = others
            return done

        model.press_hand = pressed


def _shoe(device: type[Broken], *by: str, quick: str = "") -> Caught:
    return Caught(device, by, plan="shoe", quick=(quick,) if quick else ())


def _controller(device: type[Broken], *by: str, quick: str = "") -> Caught:
    return Caught(device, by, plan="table-controller", quick=(quick,) if quick else ())


TABLE_DEVICES: Final = (
    _shoe(AcesOf14, "always.codes", quick="shoe.*"),
    _shoe(StillDrawn, "shoe.pushed-back-403", "always.shoe-book", "always.state-book"),
    _shoe(OverdrawnUntold, *OVERDRAWN, "always.shoe-book", "always.state-book"),
    _shoe(OverdrawnIncluded, *OVERDRAWN, "always.shoe-book"),
    _shoe(HaltsForButtons, "shoe.wrong-button-406"),
    _shoe(LocksInError, "shoe.every-command-in-error"),
    _shoe(EndsWhileLocked, "shoe.every-command-locked", "shoe.wrong-state"),
    _shoe(ClearsWhenEmpty, "shoe.every-state"),
    _shoe(ErrorFaultFirst, "shoe.every-state", "shoe.every-command-locked", "shoe.wrong-state"),
    _shoe(BusyShoe, "shoe.every-state", "shoe.every-command-locked", "shoe.every-command-in-error", "shoe.wrong-state"),
    _shoe(TestsItself, "shoe.no-self-test"),
    _shoe(StateBefore, "always.reply-state", quick="shoe.every-state"),
    _shoe(RemembersFour, "commands.remembers-32", "session.cable-pulled", "session.line-closed"),
    _shoe(ComparesNumbers, "commands.same-id-other-parameters"),
    _shoe(
        NamesNewSession,
        "session.previous-events",
        "session.previous-no-window",
        "session.previous-acknowledged",
        "session.previous-whole",
    ),
    _shoe(StickyRequest, "always.request-of-hands", quick="shoe.fill-and-draw"),
    _controller(RevealsNowhere, "always.codes", quick="game.keys"),
    _controller(RevealsByNobody, "always.codes", quick="game.keys"),
    _controller(RevealsNoCard, "always.codes", quick="game.keys"),
    _controller(MishandledNohow, "always.codes", quick="game.keys"),
    _controller(LowOfMore, "always.codes", quick="game.keys"),
    _controller(ActsNohow, "always.codes", quick="game.keys"),
    _controller(AheadOfItself, "always.layouts", quick="game.keys"),
    _controller(SpeaksForShoe, "always.identity", "always.status-on-change", quick="game.keys"),
    _controller(CentsOf16Bits, "game.wagers"),
    _controller(CountsFromBoth, "game.keys"),
    _controller(LightsSeatZero, "game.sensor-lights"),
    _controller(LightsOnlyOne, "game.sensor-lights"),
    _controller(TextsOf39, "game.lights-and-texts"),
    _controller(MetersOf32Bits, "game.lights-and-texts"),
    _controller(TestsInGame, "game.every-state"),
    _controller(ClaimsNoSensors, "always.capabilities", quick="game.lights-as-claimed"),
    _controller(StartsAgain, "game.keys-in-vain"),
    _controller(EndsInBets, "game.keys-in-vain"),
    _controller(FirstOffEnds, "game.two-hand-buttons"),
)
"""Shoes and controllers that are wrong in a code, a state or a request."""
