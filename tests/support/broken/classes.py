"""Card shoes and table controllers that are broken on purpose, each in one way."""

from collections.abc import Iterable
from typing import Any, ClassVar, Final

from devices.simulator.host import TableModel
from devices.simulator.table_controller import ControllerCause
from protocol.faults import Fault
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope
from protocol.tdp.messages import ControllerState, Reason, ShoeMode, Status
from protocol.tdp.outputs import MESSAGE_IDS
from tests.support.broken.base import Broken, Caught, changed


class Shoe(Broken):
    """Base of the shoes. `model` is the shoe without its line."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self.model: Any = table.model  # type: ignore[attr-defined]


class Forgetful(Shoe):
    """Base of shoes that lose something when the power goes."""

    lost: ClassVar[dict[str, object]]

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        power_on = self.model.power_on

        def started(now_ns: int) -> None:
            vars(self.model).update(self.lost)
            power_on(now_ns)

        self.model.power_on = started


class ForgetsRound(Forgetful):
    """A power cut ends the round."""

    lost: ClassVar = {"_round": False, "in_round": 0}


class ForgetsLock(Forgetful):
    """A power cut unlocks it."""

    lost: ClassVar = {"locked": False}


class ForgetsTrouble(Forgetful):
    """A power cut clears the trouble that halted it."""

    lost: ClassVar = {"fault": Fault.NONE}


class UnreadFirst(Shoe):
    """It reports that an unread card came before it reports that it halts for it."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        say, report = self.model.say, self.model._report

        def reported(card: int, place: int, readable: bool) -> None:
            held: list[tuple[type[m.Event], int, dict[str, Any]]] = []
            self.model.say = lambda event, request=0, **fields: held.append((event, request, fields)) is None
            report(card, place, readable)
            self.model.say = say
            for event, request, fields in sorted(held, key=lambda one: one[0] is not m.CardUnreadableMessage):
                say(event, request, **fields)

        self.model._report = reported


class ErrorIsSetup(Shoe):
    """A card drawn in error mode is reported as drawn in set-up."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        wrong = isinstance(message, m.CardDrawnOutsideMessage) and message.mode == ShoeMode.ERROR
        return [changed(envelope, mode=ShoeMode.SETUP) if wrong else envelope.body]


class CountsFromOne(Shoe):
    """Overdraw gives 1 if no card came before it."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        first = isinstance(message, m.OverdrawMessage) and message.ordinal == 0
        return [changed(envelope, ordinal=1) if first else envelope.body]


class Swapping(Shoe):
    """Base of shoes that report two events in the wrong order: `late` follows the StateChanged that ought to follow it,
    and the sequence numbers stay in order."""

    late: ClassVar[type[m.Event]]

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        say, held = self.model.say, []

        def said(event: type[m.Event], request: int = 0, **fields: Any) -> bool:
            if event is self.late:
                held.append((event, request, fields))
                return True
            done = bool(say(event, request, **fields))
            if event is m.StateChangedMessage:
                while held:
                    late, asked, of = held.pop(0)
                    say(late, asked, **of)
            return done

        self.model.say = said


class BurnsAfterwards(Swapping):
    """BurnStarted comes after StateChanged to BURN."""

    late = m.BurnStartedMessage


class EndsAfterwards(Swapping):
    """ShoeEnded comes after StateChanged."""

    late = m.ShoeEndedMessage


class CardBeforeRound(Shoe):
    """The first card of a round comes before StateChanged to ROUND."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        say, held = self.model.say, []

        def said(event: type[m.Event], request: int = 0, **fields: Any) -> bool:
            begins = event is m.StateChangedMessage and fields["previous"] == m.ShoeState.STANDBY
            if begins and fields["state"] == m.ShoeState.ROUND:
                held.append((event, request, fields))
                return True
            done = bool(say(event, request, **fields))
            while held:
                late, asked, of = held.pop(0)
                say(late, asked, **of)
            return done

        self.model.say = said


class EndsTwice(Shoe):
    """A shoe that is emptied after its end reports its end once more."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        empty = self.model.empty

        def emptied() -> int:
            if self.model.state is m.ShoeState.SHOE_END:
                self.model.say(m.ShoeEndedMessage, shoe=self.model.shoe, drawn=len(self.model.drawn))
            return int(empty())

        self.model.empty = emptied


class Obliging(Shoe):
    """Base of shoes that answer *done* to a command which is not carried out in this state."""

    command: ClassVar[type[m.Message]]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        refuses = isinstance(message, m.ReplyMessage) and message.reason == Reason.WRONG_STATE
        if refuses and envelope.message_id == MESSAGE_IDS[self.command]:
            return [changed(envelope, status=Status.DONE, reason=Reason.NONE)]
        return [envelope.body]


class EndsNoRound(Obliging):
    """EndRound is *done* without a round."""

    command = m.EndRoundMessage


class LocksAgain(Obliging):
    """LockShoe is *done* if it is already locked."""

    command = m.LockShoeMessage


class ClearsNothing(Obliging):
    """ClearShoeError is *done* without a trouble."""

    command = m.ClearShoeErrorMessage


# ------------------------------------------------------------------ table controllers


class Controller(Broken):
    """Base of the table controllers. `model` is the controller without its line."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self.model: Any = table.controller  # type: ignore[attr-defined]
        self._start, self._end = self.model.start_game, self.model.end_game
        self.model.start_game, self.model.end_game = self.start, self.end

    def start(self) -> bool:
        """Press START GAME."""
        return bool(self._start())

    def end(self) -> bool:
        """Press END GAME."""
        return bool(self._end())


class StartsInSafe(Controller):
    """START GAME begins a game without a host."""

    def start(self) -> bool:
        was, model = self.model.state, self.model
        if was is ControllerState.SAFE:
            model.state = ControllerState.BETS_OPEN
        started = super().start()
        if was is ControllerState.SAFE:
            model.outbox[-1].fields["previous"] = was
        return started


class KeepsHands(Controller):
    """END GAME leaves the hand buttons on."""

    hands: frozenset[int] = frozenset()

    def end(self) -> bool:
        self.hands = frozenset(self.model._hands)
        return super().end()

    def start(self) -> bool:
        started = super().start()
        self.model._hands |= self.hands
        return started and bool(self.model._settle(ControllerCause.HAND))


class CountsAnew(Controller):
    """Its count of rounds starts over with each start."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        power_on = self.model.power_on

        def started(now_ns: int) -> None:
            self.model.round = 0
            power_on(now_ns)

        self.model.power_on = started


class StateBeforeGame(Controller):
    """StateChanged to GAME comes before GameStarted."""

    def start(self) -> bool:
        say, held = self.model.say, []
        self.model.say = lambda event, request=0, **fields: held.insert(0, (event, request, fields)) or True
        started = super().start()
        self.model.say = say
        for event, request, fields in held:
            say(event, request, **fields)
        return started


OVERDRAWN: Final = ("shoe.overdraw-402", "shoe.overdraw-of-the-first-card", "shoe.cut-card-in-burn")


def _shoe(device: type[Broken], *by: str) -> Caught:
    return Caught(device, by, plan="shoe")


def _controller(device: type[Broken], *by: str) -> Caught:
    return Caught(device, by, plan="table-controller")


CLASS_DEVICES: Final = (
    _shoe(ForgetsRound, "shoe.power-in-a-round"),
    _shoe(ForgetsLock, "shoe.power-while-locked"),
    _shoe(ForgetsTrouble, "shoe.power-in-error"),
    _shoe(UnreadFirst, "shoe.unreadable-401"),
    _shoe(ErrorIsSetup, "shoe.drawn-in-error", *OVERDRAWN),
    _shoe(CountsFromOne, "shoe.overdraw-of-the-first-card", "always.shoe-book"),
    _shoe(BurnsAfterwards, "shoe.burn"),
    _shoe(CardBeforeRound, "shoe.fill-and-draw"),
    _shoe(EndsAfterwards, "shoe.cut-card", "shoe.cut-card-in-burn", "shoe.books"),
    _shoe(EndsTwice, "shoe.cut-card", "shoe.cut-card-in-burn"),
    _shoe(
        EndsNoRound,
        "shoe.wrong-state",
        "shoe.every-command-in-error",
        "shoe.every-command-locked",
        "shoe.every-state",
    ),
    _shoe(LocksAgain, "shoe.wrong-state", "shoe.every-command-in-error", "shoe.setup"),
    _shoe(ClearsNothing, "shoe.wrong-state", "shoe.every-command-locked", "shoe.every-state"),
    _controller(StartsInSafe, "game.without-a-host"),
    _controller(CountsAnew, "game.power-in-a-game"),
    _controller(StateBeforeGame, "game.start-and-end"),
    _controller(
        KeepsHands,
        "game.hand-buttons-go-out",
        "game.keys",
        "game.without-a-host",
        "game.power-in-a-game",
        "keys.reveal",
        "keys.set-hand",
        "keys.mishandled",
        "keys.laid-away",
    ),
)
"""Shoes and controllers that break a sentence of their class."""
