"""A packet shuffler of the i-Deal kind, as a model: pure, driven by hands, commands and time.

If a dispensed packet is not lifted before the green button is pressed again, it goes with the remainder: only lifted
packets are dealt. With `packet_stays` it still counts as a packet next to the remainder, which the protocol also
allows.
"""

from collections.abc import Iterable

from devices.simulator import shuffler_motions as motions
from devices.simulator.deck import Bay
from devices.simulator.shuffler_core import ShufflerCore
from devices.simulator.shuffler_faults import REMOVE_ONLY
from devices.simulator.shuffler_parts import (
    Motion,
    RoundCounts,
    ShufflerSetting,
)
from devices.simulator.shuffler_states import ShufflerCause
from protocol.faults import Fault
from protocol.places import MUCK, Place
from protocol.tdp import messages as m
from protocol.tdp.bounds import JOKERS_MAX, PACKET_SIZE_MAX, SUITED
from protocol.tdp.messages import Reason, Resolution, Status
from protocol.tdp.messages import ShufflerState as S


class ShufflerModel(ShufflerCore):
    """The device without its line. `outbox` has its pending output in order, which the caller takes.

    Actions of people return whether they had an effect. Times are nanoseconds; call `tick` at `next_deadline_ns`.
    """

    # -------------------------------------------------------------- power and time

    def power_on(self, now_ns: int) -> None:
        """Switch the device on. If a round was in progress, the red lamp is lit after the self-test."""
        self.powered, self.state = True, S.BOOT
        self.begin(Motion.BOOT, now_ns)

    def power_off(self) -> None:
        """Stop everything where it is. Pending output is lost."""
        self.powered = False
        self.outbox.clear()
        self.drop_stage()
        self.motion = self.owed = self.verified = None
        self.locked = self.in_setup = self.host_lost = self.sensor_failed = False
        self.request = 0

    @property
    def next_deadline_ns(self) -> int | None:
        """End of the next motion; None while nothing moves."""
        due = [self.motion_due_ns] if self.motion else []
        return min(due + ([self.stage_due_ns] if self.stage else []), default=None)

    def tick(self, now_ns: int) -> None:
        """End every motion that is due."""
        while (due := self.next_deadline_ns) is not None and due <= now_ns:
            if self.motion and self.motion_due_ns == due:
                motions.end_motion(self, due)
            else:
                motions.end_stage(self, due)

    # -------------------------------------------------------------- people

    def load_deck(self, deck: int, now_ns: int) -> bool:
        """Report that a person put the deck with this back into the empty input."""
        if not self.powered or self.cards.backs([Bay.INPUT]) != [deck]:
            return False
        self.say(m.DeckLoadedMessage, deck=deck, back=deck)
        self.settle(ShufflerCause.LOADED, now_ns)
        return True

    def press_green(self, now_ns: int) -> bool:
        """Press the green button: first packet, or the remainder. It works without a host, but never in SAFE."""
        if not self.powered:
            return False
        self.say(m.GreenButtonMessage)
        return self.green(now_ns)

    def green(self, now_ns: int, request: int = 0) -> bool:
        """Do what the green button does. A command calls this too."""
        if self.state is S.READY and self.verified:
            self.round, self.verified = self.verified, None
            self.owed = Motion.DISPENSE
        elif self.state in (S.PACKET_WAIT, S.DISPENSING):
            self._green_in_deal()
        else:
            return False
        self._belongs_to(request)
        self.settle(ShufflerCause.GREEN, now_ns)
        return True

    def _belongs_to(self, request: int) -> None:
        """Assign what begins now to a command. A packet that is being dispensed still belongs to the earlier
        command."""
        if self.state is not S.DISPENSING:
            self.request = request

    def hold_green(self, now_ns: int) -> bool:
        """Hold the green button down: dispense the remainder at once, even if the game has packets left."""
        if not self.powered:
            return False
        self.say(m.GreenButtonMessage)
        return self.dump(now_ns)

    def dump(self, now_ns: int, request: int = 0) -> bool:
        """Dispense the remainder. A command calls this too."""
        if self.state not in (S.PACKET_WAIT, S.DISPENSING):
            return False
        self.owed = Motion.DUMP
        self._belongs_to(request)
        self.settle(ShufflerCause.GREEN, now_ns)
        return True

    def lift(self, to: Place, now_ns: int) -> int:
        """Lift the cards in the tray to a place. Return their number."""
        if self.motion is Motion.DISPENSE and self.powered:
            return motions.lift_early(self, to, now_ns)
        if self.motion in (Motion.DUMP, Motion.RECOVER):
            return 0
        taken = self.cards.lift(Bay.TRAY, to)
        if taken and self.powered and self.round:
            motions.tray_emptied(self, now_ns)
        return taken

    def move_door(self, is_open: bool, now_ns: int) -> None:
        """Open or close the door."""
        if is_open == self.door_open:
            return
        self.door_open = is_open
        if not self.powered:
            return
        self.say(m.DoorMovedMessage, open=int(is_open))
        if is_open:
            self._stop_for_door()
        self.settle(ShufflerCause.DOOR_OPENED if is_open else ShufflerCause.DOOR_CLOSED, now_ns)

    def turn_key(self, resolution: Resolution, now_ns: int) -> bool:
        """Acknowledge the misdeal at the device itself."""
        return self.clear(0, resolution, now_ns)

    def open_setup(self, now_ns: int) -> bool:
        """Open the set-up menu, which is possible if nothing is being dealt or shuffled."""
        if self.state not in (S.EMPTY, S.READY):
            return False
        self.in_setup = True
        self.settle(ShufflerCause.SETUP, now_ns)
        return True

    def close_setup(self, now_ns: int) -> bool:
        """Close the set-up menu."""
        if self.state is not S.SETUP:
            return False
        self.in_setup = False
        self.settle(ShufflerCause.SETUP, now_ns)
        return True

    def choose_game(self, setting: ShufflerSetting, now_ns: int) -> bool:
        """Choose a game at the display, which is possible in the states in which a command may select one."""
        if not self.powered or self.state not in self.commands[m.SelectGameMessage]:
            return False
        self.select_game(setting, now_ns)
        return True

    def select_game(self, setting: ShufflerSetting, now_ns: int, request: int = 0) -> None:
        """Select another game, at the display or by a command. A ready deck is counted again if the game needs another
        deck."""
        other_deck = setting.cards != self.game.cards
        self.game = setting
        self.say(
            m.GameSelectedMessage,
            request,
            packet_size=setting.packet_size,
            cards=setting.cards,
            jokers=setting.jokers,
            game=setting.name,
        )
        if other_deck:
            self.verified = None
            self.settle(ShufflerCause.RECOUNT, now_ns)

    # -------------------------------------------------------------- the link

    def _host_changed(self, now_ns: int) -> None:
        """React to the loss or the return of the host. Without a host the device finishes its motion and starts no
        other."""
        self.settle(ShufflerCause.HOST_LOST if self.host_lost else ShufflerCause.HOST_BACK, now_ns)

    def _supports(self, command: m.Message) -> bool:
        match command:
            case m.DispenseMessage() if self.state is S.PACKET_WAIT:  # the first packet of the next group
                return self.next_group and not self.cards.count(Bay.TRAY)
            case m.RaiseLampMessage() if self.latched:
                return False
            case m.SetLockMessage(locked) if self.locked or not locked:
                return True
        return super()._supports(command)

    def _wrong_state(self) -> Reason:
        return Reason.BUSY if self.motion or self.stage else Reason.WRONG_STATE

    def _execute(self, command: m.Message, request: int, now_ns: int) -> Status | Reason:
        match command:
            case m.SelectGameMessage():
                return self._select(command, request, now_ns)
            case m.DispenseMessage():
                self.green(now_ns, request)
                return Status.ACCEPTED
            case m.DumpMessage():
                self.dump(now_ns, request)
                return Status.ACCEPTED
            case m.SelfTestMessage():
                self.request = request
                self.begin(Motion.TEST, now_ns)
                self.settle(ShufflerCause.TEST_REQUESTED, now_ns)
                return Status.ACCEPTED
            case m.RaiseLampMessage(fault) if fault != Fault.NONE:
                self.alarm(fault, request=request)
                self.settle(ShufflerCause.ALARM, now_ns)
            case m.ClearMisdealMessage(badge, known) if known in (*Resolution,) and self.may_clear(known):
                self.clear(badge, Resolution(known), now_ns, request)
            case m.SetLockMessage(locked):
                if self.locked != bool(locked):
                    self.locked = bool(locked)
                    self.settle(ShufflerCause.LOCK, now_ns, request)
            case _:
                return Reason.BAD_PARAMETER
        return Status.DONE

    def _select(self, wanted: m.SelectGameMessage, request: int, now_ns: int) -> Status | Reason:
        possible = wanted.jokers <= JOKERS_MAX and wanted.cards == SUITED + wanted.jokers
        if wanted.packet_size > PACKET_SIZE_MAX or not possible:
            return Reason.BAD_PARAMETER
        # A text ends at its first zero; the rest is dropped.
        game = wanted.game.partition("\0")[0]
        groups = () if wanted.packet_size else self.programs.get(game, ())
        if not wanted.packet_size and not groups:
            return Reason.NOT_SUPPORTED
        setting = ShufflerSetting(wanted.packet_size, wanted.cards, wanted.jokers, game, groups)
        self.select_game(setting, now_ns, request)
        return Status.DONE

    def status(self, session: int, last_event: int, uptime_ms: int) -> m.ShufflerStatusMessage:
        """Return the whole visible state. It contains no card."""
        counts = self.round or self.verified or RoundCounts()
        lamps = (m.Lamp.RED if self.latched else 0) | (
            m.Lamp.GREEN if self.state in (S.READY, S.PACKET_WAIT) and not self.latched else 0
        )
        return m.ShufflerStatusMessage(
            session=session,
            last_event=last_event,
            uptime_ms=uptime_ms,
            state=self.state,
            lamps=int(lamps),
            door_open=int(self.door_open),
            deck=counts.deck,
            loaded=counts.loaded,
            packets=len(counts.packets),
            dispensed=counts.dispensed,
            in_tray=self.cards.count(Bay.TRAY),
            remainder=counts.remainder or 0,
            rejected=counts.rejected,
            faults=tuple(self.faults()),
        )

    def faults(self) -> Iterable[int]:
        """Yield every active fault once, the latched ones first."""
        yield from self.latched
        if self.sensor_failed and Fault.SENSOR_FAILED not in self.latched:
            yield Fault.SENSOR_FAILED
        if self.host_lost and Fault.HOST_LOST not in self.latched:
            yield Fault.HOST_LOST

    # -------------------------------------------------------------- the inside, shared with commands
    def may_clear(self, resolution: int) -> bool:
        """Return True if a person may acknowledge with this decision now."""
        resume_is_out = resolution == Resolution.RESUME and any(fault in REMOVE_ONLY for fault in self.latched)
        return self.state is S.MISDEAL and not resume_is_out

    def clear(self, badge: int, resolution: Resolution, now_ns: int, request: int = 0) -> bool:
        """Clear the misdeal that a person acknowledged: resume the deal, or remove the deck."""
        if not self.powered or not self.may_clear(resolution):
            return False
        first = self.latched[0]
        for fault in self.latched:
            self.say(m.FaultClearedMessage, fault=fault)
        self.latched.clear()
        self.say(m.RedLampMessage, lit=0, fault=first)
        self.say(m.MisdealClearedMessage, request, fault=first, badge=badge, resolution=resolution)
        if resolution is Resolution.REMOVE_DECK:
            self._take_out()
        elif self.round and self.round.remainder is not None and not self.cards.count(Bay.TRAY):
            self.round = None  # the tray is empty, so no lift will end the round
        self.settle(ShufflerCause.CLEARED, now_ns)
        return True

    def _green_in_deal(self) -> None:
        """Handle the green button in a game whose packets differ.

        With a packet in the tray or on its way, that packet becomes the last of its group. With an empty tray the next
        group begins. If there is none, or for packets of one size, the remainder comes.
        """
        counts, groups = self.round, self.game.groups
        waits = self.motion is Motion.DISPENSE or self.cards.count(Bay.TRAY) > 0
        if counts is None or not groups or (waits and counts.closed):
            self.owed = Motion.DUMP
        elif waits:
            counts.closed = True
        elif self.next_group:
            counts.group, counts.in_group, counts.closed = counts.group + 1, 0, False
            self.owed = Motion.DISPENSE
        else:
            self.owed = Motion.DUMP

    def _stop_for_door(self) -> None:
        if self.round:
            # an interrupted motion starts over: cards move only when a motion ends
            if self.motion in (Motion.DISPENSE, Motion.RECOVER):
                self.owed = self.owed or Motion.DISPENSE
            elif self.motion is Motion.DUMP:
                self.owed = Motion.DUMP
            self.alarm(Fault.DOOR_OPENED_MID_ROUND)
        if self.motion not in (Motion.BOOT, Motion.TEST):
            self.motion = None
        self.drop_stage()
        self.verified = None

    def _take_out(self) -> None:
        self.removals += 1
        inside = (Bay.CHAMBER, Bay.TRAY, Bay.STUCK, Bay.REJECT)
        for deck in self.cards.backs(inside):
            self.say(m.DeckRemovedMessage, deck=deck)
        for bay in inside:
            self.cards.lift(bay, MUCK)
        self.drop_stage()
        self.round = self.verified = self.owed = None

    def _prepare(self, now_ns: int) -> None:
        motions.prepare(self, now_ns)
