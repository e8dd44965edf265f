"""A card-reading shoe as a model: pure, driven by hands, commands and time.

Its events are TDP's; a front end (`dialect_front_ends.py`) translates them to another dialect. The cards are real: each
is in the shoe or was drawn from it, so every count can be checked. The displayed state is derived from the cards and
from what blocks the shoe, and each step is checked against the table.
"""

from collections import deque
from random import Random
from typing import Any, Final

from devices.simulator.command_rules import SHOE_RULES, states_of
from devices.simulator.device_faults import HALTING
from devices.simulator.device_meters import SHOE_METERS
from devices.simulator.device_model import DeviceModel
from devices.simulator.shoe_states import ARCS, ShoeCause
from protocol.cards import DECK, UNREAD, Card
from protocol.faults import Fault
from protocol.places import BURN, NOWHERE, SHOE, Place
from protocol.tdp import messages as m
from protocol.tdp.messages import DeviceMeter, Reader, Reason, ShoeMode, Status
from protocol.tdp.messages import ShoeState as S

BOOT_NS: Final = 1_500_000_000
SURE: Final = 99
"""Confidence in percent that the reader claims for a card it read."""
_IN_ROUND: Final = (S.ROUND, S.CUT_CARD_SEEN)
_AFTER_ROUND: Final = (S.STANDBY, S.SHOE_END)


class ShoeModel(DeviceModel[S, ShoeCause]):
    """The device without its line.

    Actions of people return whether they had an effect (a draw: the card). `round_limit` is the number of cards after
    which a further one is an overdraw.
    """

    place = SHOE
    arcs = ARCS
    commands = states_of(SHOE_RULES)

    def __init__(self, rng: Random, *, round_limit: int | None = None, boot_ns: int = BOOT_NS) -> None:
        super().__init__(S.BOOT, SHOE_METERS)
        self._rng, self._limit, self._boot_ns = rng, round_limit, boot_ns
        self._boot_due_ns: int | None = None
        # survives a power cut: the cards, and what the shoe knows about them
        self.cards: deque[Card] = deque()
        self.drawn: list[Card] = []
        self.shoe = self.decks = self.loaded = 0
        self.locked = self.in_setup = False
        self.fault = Fault.NONE
        """Error that halts the shoe."""
        self._begun = self._round = self.cut_card_seen = False
        self._cut_after: int | None = None
        self._burn_left = self.in_round = 0
        self._last_burned = False
        self._known: tuple[Card, Place] | None = None  # a card that was pushed back, and its place
        self._request = 0  # the command being carried out

    # -------------------------------------------------------------- power and time

    def power_on(self, now_ns: int) -> None:
        """Switch the shoe on."""
        self.powered, self.state, self.in_setup = True, S.BOOT, False
        self._boot_due_ns = now_ns + self._boot_ns

    def power_off(self) -> None:
        """Switch it off at once. Pending output is lost."""
        self.powered, self.host_lost, self._boot_due_ns = False, False, None
        self.outbox.clear()

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which it has started."""
        return self._boot_due_ns

    def tick(self, now_ns: int) -> None:
        """Run the timers that are due."""
        if self._boot_due_ns is not None and now_ns >= self._boot_due_ns:
            self._boot_due_ns = None
            self._settle(ShoeCause.STARTED)

    @property
    def mid_round(self) -> bool:
        """True from the first card of a round until the round ends."""
        return self._round

    # -------------------------------------------------------------- people: the cards

    def fill(self, decks: int, cut_after: int | None = None, cards: list[Card] | None = None) -> bool:
        """Fill the shoe with `decks` shuffled decks, or with exactly `cards`. The cut card is behind the first
        `cut_after`."""
        if self.state is not S.EMPTY:
            return False
        order = list(cards) if cards is not None else list(DECK) * decks
        if cards is None:
            self._rng.shuffle(order)
        self.cards, self.drawn = deque(order), []
        self.shoe, self.decks, self.loaded = self.shoe + 1, decks, len(order)
        self._cut_after, self.cut_card_seen, self.in_round = cut_after, False, 0
        self._known = None
        self._say(m.ShoeLoadedMessage, shoe=self.shoe, decks=decks, cards=self.loaded)
        return self._settle(ShoeCause.FILLED)

    def begin(self, burn: int = 0) -> bool:
        """Start dealing. The next `burn` cards are burned."""
        if self.state is not S.LOADED:
            return False
        self._begun, self._burn_left = True, burn
        if burn:
            self._say(m.BurnStartedMessage, count=burn)
        return self._settle(ShoeCause.BEGUN)

    def burn(self, count: int) -> bool:
        """Burn the next `count` cards, before a round or during one."""
        if self.state not in (S.STANDBY, S.ROUND, S.CUT_CARD_SEEN) or self._burn_left or count < 1:
            return False
        self._burn_left = count
        self._say(m.BurnStartedMessage, count=count)
        return self._settle(ShoeCause.BURNING)

    def draw(self, *, readable: bool = True) -> Card | None:
        """Draw the next card; None if none came out."""
        if not self.powered or self.state is S.BOOT or not self.cards:
            return None
        self._pass_cut_card()
        if self.state in (S.LOCKED, S.ERROR, S.SETUP):
            return self._draw_outside(readable)
        in_game = self.state in (S.BURN, S.STANDBY, S.ROUND, S.CUT_CARD_SEEN)
        if not in_game or (self._limit is not None and self.in_round >= self._limit):
            self._halt(Fault.OVERDRAW, m.OverdrawMessage, ordinal=len(self.drawn))
            return self._draw_outside(readable)
        place = BURN if self._burn_left else NOWHERE
        card = self._take()
        self._last_burned = place == BURN
        if place == NOWHERE:
            self._round, self.in_round = True, self.in_round + 1
            self._settle(ShoeCause.FIRST_CARD if self.in_round == 1 else ShoeCause.CUT_CARD)
        self._report(card, place, readable)
        if place == BURN:
            self._burn_left -= 1
            self._settle(ShoeCause.BURNED)
        return card

    def push_back(self) -> bool:
        """Push the last card back into the exit. When it comes out again it is reported as the same card; a burned card
        is burned again."""
        if self.state not in (S.ROUND, S.CUT_CARD_SEEN) or not self.in_round or self._known:
            return False
        card = self.drawn.pop()
        self.cards.appendleft(card)
        self._known = card, BURN if self._last_burned else NOWHERE
        self.in_round -= not self._last_burned
        self._burn_left += self._last_burned
        return self._halt(
            Fault.PUSHED_BACK, m.PushedBackMessage, ordinal=len(self.drawn) + 1
        )  # the number that the card had

    def pull_back(self) -> bool:
        """Turn a card back halfway: it has not left the shoe."""
        return self._halt(Fault.PULLED_BACK, m.PulledBackMessage, ordinal=len(self.drawn))

    def end_round(self) -> bool:
        """End the round."""
        if not self._round or self.state not in (S.ROUND, S.CUT_CARD_SEEN):
            return False
        self._round, self.in_round, self._known, self._burn_left = False, 0, None, 0
        if self.cut_card_seen:
            self._say(m.ShoeEndedMessage, shoe=self.shoe, drawn=len(self.drawn))
        return self._settle(ShoeCause.ROUND_ENDED)

    def empty(self) -> int:
        """Remove the remaining cards and return their number."""
        left = len(self.cards)
        if not self.loaded or self.state in (S.BOOT, S.LOCKED, S.ERROR, S.SETUP):
            return 0
        if self.state is not S.SHOE_END:
            self._say(m.ShoeEndedMessage, shoe=self.shoe, drawn=len(self.drawn))
        self.cards.clear()
        self.loaded = self.decks = self.in_round = self._burn_left = 0
        self._begun = self._round = self.cut_card_seen = False
        self._settle(ShoeCause.EMPTIED)
        return left

    # -------------------------------------------------------------- people: keys

    def lock(self, locked: bool) -> bool:
        """Turn the key."""
        if locked == self.locked or self.state in (S.BOOT, S.ERROR, S.SETUP):
            return False
        self.locked = locked
        self._say(m.ShoeLockMovedMessage, locked=int(locked))
        return self._settle(ShoeCause.LOCKED if locked else ShoeCause.UNLOCKED)

    def trouble(self, fault: Fault) -> bool:
        """Start another error: a wrong button, a bad card code, a slow draw."""
        if not self.powered or self.state is S.BOOT:
            return False
        if fault in HALTING:
            return self._halt(fault, m.ShoeErrorMessage, fault=fault)
        return self._say(m.ShoeErrorMessage, fault=fault, halted=0)

    def clear(self, badge: int = 0) -> bool:
        """Clear the error, which a person fixed."""
        if self.state is not S.ERROR:
            return False
        fault, self.fault = self.fault, Fault.NONE
        self._say(m.ShoeErrorClearedMessage, fault=fault, badge=badge)
        return self._settle(ShoeCause.CLEARED)

    def open_setup(self, is_open: bool) -> bool:
        """Open or close the set-up menu."""
        if self.state not in ((S.EMPTY, S.LOADED, S.STANDBY, S.SHOE_END) if is_open else (S.SETUP,)):
            return False
        self.in_setup = is_open
        return self._settle(ShoeCause.SETUP_OPENED if is_open else ShoeCause.SETUP_CLOSED)

    # -------------------------------------------------------------- inside

    def _take(self) -> Card:
        card = self.cards.popleft()
        self.drawn.append(card)
        return card

    def _pass_cut_card(self) -> None:
        if self._cut_after is not None and len(self.drawn) >= self._cut_after and not self.cut_card_seen:
            self.cut_card_seen = True
            self._say(m.CutCardSeenMessage, drawn=len(self.drawn))
            self._settle(ShoeCause.CUT_CARD)

    def _report(self, card: Card, place: Place, readable: bool) -> None:
        known, self._known = self._known, None
        at = {"ordinal": len(self.drawn), "place": place}
        if known is not None:
            self._report_again(known)
        elif readable:
            self._say(m.CardDrawnMessage, **at, card=card, confidence=SURE, reader=Reader.INDEX | Reader.CODE)
        else:
            self.trouble(Fault.CARD_UNREADABLE)
            self._say(m.CardUnreadableMessage, **at, reader=Reader.DIRTY)

    def _report_again(self, known: tuple[Card, Place]) -> None:
        card, place = known
        self._say(m.CardReportedAgainMessage, ordinal=len(self.drawn), card=card, place=place)

    def _draw_outside(self, readable: bool) -> Card:
        """Draw a card that belongs to no game. One that was pushed back is known, and comes out for the second time."""
        card = self._take()
        known, self._known = self._known, None
        if known is not None:
            self.in_round += known[1] == NOWHERE
            self._burn_left -= known[1] == BURN
            self._report_again(known)
        else:
            mode = {S.LOCKED: ShoeMode.LOCKED, S.SETUP: ShoeMode.SETUP}.get(self.state, ShoeMode.ERROR)
            seen = card if readable else UNREAD
            self._say(m.CardDrawnOutsideMessage, ordinal=len(self.drawn), card=seen, mode=mode)
        return card

    def _halt(self, trouble: Fault, event: type[m.Event], **fields: int) -> bool:
        if not self.powered or self.state in (S.BOOT, S.ERROR):
            return False
        self.fault, self.in_setup = trouble, False
        self._say(event, **fields, halted=1)
        return self._settle(ShoeCause.TROUBLE)

    def _say(self, event: type[m.Event], **fields: Any) -> bool:
        return self.say(event, self._request, **fields)

    def _settle(self, cause: ShoeCause) -> bool:
        before, target = self.state, self._target()
        if target is S.SHOE_END and self._burn_left:
            self._burn_left = 0  # the cut card came out among the burned cards: the shoe is over without a round
            self._say(m.ShoeEndedMessage, shoe=self.shoe, drawn=len(self.drawn))
        if self.take_step(cause, target, self._request) and before in _IN_ROUND and self.state in _AFTER_ROUND:
            self.device_meters.count(DeviceMeter.ROUNDS)
        return True

    def _target(self) -> S:
        held_up = (
            (self._boot_due_ns is not None, S.BOOT),
            (bool(self.fault), S.ERROR),
            (self.locked, S.LOCKED),
            (self.in_setup, S.SETUP),
            (not self.loaded, S.EMPTY),
            (not self._begun, S.LOADED),
            (self._round, S.CUT_CARD_SEEN if self.cut_card_seen else S.ROUND),
            (self.cut_card_seen, S.SHOE_END if not self._drawing_first() else S.STANDBY),
            (self._burn_left > 0, S.BURN),
        )
        return next((state for applies, state in held_up if applies), S.STANDBY)

    def _drawing_first(self) -> bool:
        """Return True if the cut card came before a round's first card: that round is still dealt."""
        return self.state is S.STANDBY

    # -------------------------------------------------------------- the link

    def status(self, session: int, last_event: int, uptime_ms: int) -> m.ShoeStatusMessage:
        """Return the whole visible state. It contains no card."""
        faults = [fault for fault in (self.fault, Fault.HOST_LOST if self.host_lost else Fault.NONE) if fault]
        return m.ShoeStatusMessage(
            session=session,
            last_event=last_event,
            uptime_ms=uptime_ms,
            state=self.state,
            locked=int(self.locked),
            halted=int(bool(self.fault)),
            shoe=self.shoe,
            decks=self.decks,
            loaded=self.loaded,
            drawn=len(self.drawn),
            in_round=self.in_round,
            cut_card_seen=int(self.cut_card_seen),
            faults=tuple(faults),
        )

    def _execute(self, command: m.Message, request: int, now_ns: int) -> Status | Reason:
        self._request = request
        try:
            match command:
                case m.LockShoeMessage(locked):
                    done = self.lock(bool(locked))
                case m.ClearShoeErrorMessage(fault, badge):
                    if fault != self.fault:
                        return Reason.BAD_PARAMETER
                    done = self.clear(badge)
                case _:
                    done = self.end_round()
        finally:
            self._request = 0
        return Status.DONE if done else Reason.WRONG_STATE
