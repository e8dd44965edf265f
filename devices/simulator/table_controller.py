"""A table controller with keypad, bet sensors and layout reader, as a model: pure, driven by the dealer's hands."""

from enum import StrEnum
from typing import Final

from devices.simulator.command_rules import CONTROLLER_RULES, states_of
from devices.simulator.device_meters import CONTROLLER_METERS
from devices.simulator.device_model import DeviceModel
from devices.simulator.shuffler_parts import MS
from protocol.cards import UNREAD, Card
from protocol.faults import Fault
from protocol.places import NOWHERE, SEATS_MAX, Place
from protocol.tdp import messages as m
from protocol.tdp.messages import (
    ActionManner,
    BadgeLevel,
    DeviceMeter,
    Mishandling,
    PlayerAction,
    Reason,
    RevealSource,
    SetBy,
    Spread,
    Status,
)
from protocol.tdp.messages import ControllerState as S

BOOT_NS: Final = 1_000 * MS
METERS_MAX: Final = 256
"""Maximum number of progressive meters that the set-up can number."""


class ControllerCause(StrEnum):
    """Causes of a state change."""

    BOOTED = "started"
    START = "START GAME"
    END = "END GAME"
    HAND = "hand button"
    HOST_LOST = "host lost"
    HOST_BACK = "host back"
    SETUP = "set-up opened or closed"


ROWS: Final = (
    ((S.BOOT,), ControllerCause.BOOTED, (S.BETS_OPEN, S.GAME, S.SAFE)),
    ((S.BETS_OPEN,), ControllerCause.START, (S.GAME,)),
    ((S.GAME, S.AWARD), ControllerCause.END, (S.BETS_OPEN, S.SAFE)),
    ((S.GAME,), ControllerCause.HAND, (S.AWARD,)),
    ((S.AWARD,), ControllerCause.HAND, (S.GAME,)),
    ((S.BETS_OPEN,), ControllerCause.HOST_LOST, (S.SAFE,)),
    ((S.SAFE,), ControllerCause.HOST_BACK, (S.BETS_OPEN,)),
    ((S.BETS_OPEN,), ControllerCause.SETUP, (S.SETUP,)),
    ((S.SETUP,), ControllerCause.SETUP, (S.BETS_OPEN, S.SAFE)),
)
"""Every step: sources, cause, targets. A running game continues without a host; in SAFE none is started."""

ARCS: Final = frozenset(
    (source, cause, target) for sources, cause, targets in ROWS for source in sources for target in targets
)


class TableControllerModel(DeviceModel[S, ControllerCause]):
    """The device without its line.

    Actions return whether the device accepted them; it accepts none without power or before it has started. `meters` is
    the number of progressive meters that have a number, from 0.
    """

    place = NOWHERE
    arcs = ARCS
    commands = states_of(CONTROLLER_RULES)

    def __init__(self, *, boot_ns: int = BOOT_NS, meters: int = METERS_MAX) -> None:
        super().__init__(S.BOOT, CONTROLLER_METERS)
        self.round = 0
        self.in_game = False
        self.sensors: set[int] = set()
        self.lights: set[int] = set()
        self.meters: dict[int, int] = {}
        self.display = ""
        self._boot_ns, self._meters_max = boot_ns, meters
        self._boot_due_ns: int | None = None
        self._hands: set[int] = set()
        self._in_setup = self.host_lost = False

    # -------------------------------------------------------------- power and time

    def power_on(self, now_ns: int) -> None:
        """Switch the device on. The round number and a running game survive a power cut."""
        self.powered, self.state = True, S.BOOT
        self._boot_due_ns = now_ns + self._boot_ns

    def power_off(self) -> None:
        """Switch it off. Everything but the round is lost."""
        self.powered, self._boot_due_ns = False, None
        self._in_setup = self.host_lost = False
        self._hands.clear()
        self.outbox.clear()

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which it has started; None once it has."""
        return self._boot_due_ns

    def tick(self, now_ns: int) -> None:
        """Finish starting when that is due."""
        if self._boot_due_ns is not None and self._boot_due_ns <= now_ns:
            self._boot_due_ns = None
            self._settle(ControllerCause.BOOTED)

    @property
    def mid_round(self) -> bool:
        """True between START GAME and END GAME."""
        return self.in_game

    # -------------------------------------------------------------- the dealer

    def start_game(self) -> bool:
        """Press START GAME: bets are closed."""
        if self.state is not S.BETS_OPEN:
            return False
        self.round += 1
        self.in_game = True
        self.say(m.GameStartedMessage, round=self.round)
        return self._settle(ControllerCause.START)

    def end_game(self) -> bool:
        """Press END GAME: all action is settled and the hand buttons go out."""
        if self.state not in (S.GAME, S.AWARD):
            return False
        self.in_game = False
        self._hands.clear()
        self.say(m.GameEndedMessage, round=self.round)
        return self._settle(ControllerCause.END)

    def sense(self, seat: int, on: bool) -> bool:
        """Put a progressive bet on a seat's sensor, or take it off."""
        if not self._running() or (seat in self.sensors) == on:
            return False
        (self.sensors.add if on else self.sensors.discard)(seat)
        return self.say(m.SensorChangedMessage, seat=seat, on=int(on))

    def press_hand(self, hand: int) -> bool:
        """Press a hand button: on, and pressed again off."""
        if self.state not in (S.GAME, S.AWARD):
            return False
        self._hands ^= {hand}
        self.say(m.HandButtonMessage, hand=hand, on=int(hand in self._hands))
        return self._settle(ControllerCause.HAND)

    def select_spot(self, seat: int) -> bool:
        """Select a seat on the display."""
        return self._running() and self.say(m.SpotSelectedMessage, seat=seat)

    def swipe(self, badge: int, level: BadgeLevel) -> bool:
        """Swipe a badge."""
        return self._running() and self.say(m.BadgeSwipedMessage, badge=badge, level=level)

    def confirm(self) -> bool:
        """Press CONFIRM."""
        return self._running() and self.say(m.ConfirmedMessage)

    def place_wager(self, seat: int, bet: int, cents: int) -> bool:
        """Report a seat's whole bet on one spot; 0 takes it back."""
        return self._running() and self.say(m.WagerPlacedMessage, seat=seat, bet=bet, cents=cents)

    def decide(self, seat: int, decision: int) -> bool:
        """Key in a seat's decision."""
        return self._running() and self.say(m.DecisionMadeMessage, seat=seat, decision=decision)

    def confirm_burn(self, place: Place, positions: tuple[int, ...], spread: Spread) -> bool:
        """Report which cards of a spread packet were burned, by positions from 1 to 16."""
        mask = sum(1 << position - 1 for position in set(positions))
        return self._running() and self.say(m.BurnConfirmedMessage, place=place, positions=mask, spread=spread)

    def reveal(self, place: Place, cards: tuple[Card, ...], source: RevealSource = RevealSource.READER) -> bool:
        """Report the faces at a place, read by the layout or keyed in."""
        return self._running() and self.say(m.HandRevealedMessage, place=place, source=source, cards=bytes(cards))

    def count(self, place: Place, counted: int) -> bool:
        """Key in a person's count of the cards at a place."""
        return self._running() and self.say(m.CardsCountedMessage, place=place, counted=counted)

    def call_misdeal(self, badge: int, fault: int) -> bool:
        """Report that a person called a misdeal."""
        return self._running() and self.say(m.MisdealCalledMessage, badge=badge, fault=fault)

    def mishandle(self, place: Place, how: Mishandling, card: Card = UNREAD) -> bool:
        """Report the mishandling of a card at a place. `card` is its face if that was seen."""
        return self._running() and self.say(m.CardMishandledMessage, place=place, how=how, card=card)

    def set_hand(
        self, place: Place, by: SetBy, low: tuple[Card, ...], rest: tuple[Card, ...] = (), *, foul: bool = False
    ) -> bool:
        """Report a hand set into its low or first hand and the rest, which may stay unreported."""
        cards = bytes((*low, *rest))
        return self._running() and self.say(
            m.HandSetMessage, place=place, by=by, foul=int(foul), low=len(low), cards=cards
        )

    def discard(self, place: Place, cards: tuple[Card, ...]) -> bool:
        """Report cards discarded from a hand; unread if no one saw the face."""
        return self._running() and self.say(m.CardsDiscardedMessage, place=place, cards=bytes(cards))

    def draw_number(self, drawn: int) -> bool:
        """Report the number shaken or drawn that decides who gets the first cards."""
        return self._running() and self.say(m.NumberDrawnMessage, drawn=drawn)

    def place_wager_on(self, seat: int, bet: int, proposition: int, on: int, cents: int) -> bool:
        """Report a seat's wager on one proposition of a spot. `on` is a card code, with 0 in a half for any suit or
        rank."""
        return self._running() and self.say(
            m.WagerOnMessage, seat=seat, bet=bet, proposition=proposition, on=on, cents=cents
        )

    def correct(self, place: Place, cards: tuple[Card, ...], badge: int, level: BadgeLevel) -> bool:
        """Report a correction of the faces keyed for a place."""
        return self._running() and self.say(
            m.HandCorrectedMessage, place=place, badge=badge, level=level, cards=bytes(cards)
        )

    def show_stake(self, seat: int, cents: int) -> bool:
        """Report the chips and currency in front of a seat when a hand begins; 0 if no one plays there."""
        return self._running() and self.say(m.StakeShownMessage, seat=seat, cents=cents)

    def player_acts(
        self, seat: int, action: PlayerAction, cents: int, manner: ActionManner = ActionManner.NONE
    ) -> bool:
        """Report a player's action. `cents` is the seat's total bet in this betting round after it."""
        return self._running() and self.say(m.PlayerActedMessage, seat=seat, action=action, manner=manner, cents=cents)

    def take_pot(self, pot: int, seat: int, cents: int) -> bool:
        """Report that a seat took in the awarded part of a pot; 1 is the main pot."""
        return self._running() and self.say(m.PotTakenMessage, pot=pot, seat=seat, cents=cents)

    def set_setup(self, is_open: bool) -> bool:
        """Open or close the set-up menu, which is possible while bets are open."""
        if self.state is not (S.BETS_OPEN if is_open else S.SETUP):
            return False
        self._in_setup = is_open
        return self._settle(ControllerCause.SETUP)

    # -------------------------------------------------------------- the link

    def _host_changed(self, now_ns: int) -> None:
        """React to the loss or the return of the host. Without a host a running game may end, and none is started."""
        self._settle(ControllerCause.HOST_LOST if self.host_lost else ControllerCause.HOST_BACK)

    def _execute(self, command: m.Message, request: int, now_ns: int) -> Status | Reason:
        match command:
            case m.SetSensorLightMessage(seat, lit) if 1 <= seat <= SEATS_MAX:
                (self.lights.add if lit else self.lights.discard)(seat)
            case m.ShowMeterMessage(meter, cents) if meter < self._meters_max:
                self.meters[meter] = cents
            case m.ShowTextMessage(text):
                self.display = text
            case m.SelfTestMessage():
                self.device_meters.count(DeviceMeter.SELF_TESTS)
            case _:
                return Reason.BAD_PARAMETER
        return Status.DONE

    def status(self, session: int, last_event: int, uptime_ms: int) -> m.ControllerStatusMessage:
        """Return the whole visible state. It contains no card."""
        return m.ControllerStatusMessage(
            session=session,
            last_event=last_event,
            uptime_ms=uptime_ms,
            state=self.state,
            round=self.round,
            sensors=sum(1 << seat - 1 for seat in self.sensors),
            faults=(Fault.HOST_LOST,) if self.host_lost else (),
        )

    def _running(self) -> bool:
        return self.powered and self.state is not S.BOOT

    def _settle(self, cause: ControllerCause) -> bool:
        self.take_step(cause, self._target())
        return True

    def _target(self) -> S:
        if self._boot_due_ns is not None:
            return S.BOOT
        if self.in_game:
            return S.AWARD if self._hands else S.GAME
        if self._in_setup:
            return S.SETUP
        return S.SAFE if self.host_lost else S.BETS_OPEN
