"""A packet shuffler of the i-Deal kind, as a model: pure, driven by people's hands, commands and time.

The state shown is never stored by itself: `_target` derives it from what lies where, what moves and what is latched,
and `_settle` checks the step against the state table. Motions begin in one place, `_settle`, so that nothing can move
while the door is open, the lamp is latched or the host is lost. A dispensed packet that nobody lifts before the green
button is pressed again goes with the remainder: only lifted packets are dealt. With `packet_stays` it is counted as a
packet beside the remainder all the same, as the protocol lets a device do.
"""

from collections.abc import Iterable
from typing import Any

from devices.simulator import shuffler_motions as motions
from devices.simulator.deck import Bay, Cards
from devices.simulator.device_meters import SHUFFLER_METERS, DeviceMeters
from devices.simulator.outbox import CommandProgress, EventDraft, Outgoing
from devices.simulator.shuffler_faults import REMOVE_ONLY
from devices.simulator.shuffler_parts import (
    UNKNOWN_REMAINDER,
    Durations,
    MachineMishap,
    Motion,
    PacketGroup,
    Preparation,
    RoundCounts,
    ShufflerSetting,
)
from devices.simulator.shuffler_states import ARCS, ShufflerCause
from protocol.faults import Fault
from protocol.places import MUCK, SHUFFLER, Place
from protocol.tdp import messages as m
from protocol.tdp.messages import DeviceMeter, Resolution
from protocol.tdp.messages import ShufflerState as S


class ShufflerModel:
    """The device without its line. `outbox` holds what it has to say, in order; the caller takes it.

    People's actions say whether anything came of them. Times are nanoseconds; call `tick` at `next_deadline_ns`.
    """

    def __init__(
        self,
        cards: Cards,
        *,
        recognition: bool = False,
        packet_stays: bool = False,
        durations: Durations | None = None,
    ) -> None:
        self.cards = cards
        self.recognition = recognition
        self.packet_stays = packet_stays
        """A packet that nobody lifted stays one beside the remainder. Usually it goes back and is counted there."""
        self.durations = durations or Durations()
        self.outbox: list[Outgoing] = []
        self.steps: set[tuple[S, ShufflerCause, S]] = set()
        self.game = ShufflerSetting()
        self.programs: dict[str, tuple[PacketGroup, ...]] = {}
        """Games whose packets differ, by name."""
        self.state = S.BOOT
        self.powered = False
        self.sensor_works = True
        self.mishaps: list[MachineMishap] = []
        self.removals = 0
        """How often its cards were taken out."""
        # what survives a power cut
        self.device_meters = DeviceMeters(SHUFFLER_METERS)
        self.round: RoundCounts | None = None
        self.latched: list[int] = []
        # what does not
        self.verified: RoundCounts | None = None
        self.motion: Motion | None = None
        self.stage: Preparation | None = None
        self.owed: Motion | None = None
        self.request = 0
        self.motion_due_ns = self.stage_due_ns = self.motion_began_ns = 0
        self.jam_tries = 0
        self.door_open = self.locked = self.in_setup = self.host_lost = self.sensor_failed = False

    # -------------------------------------------------------------- power and time

    def power_on(self, now_ns: int) -> None:
        """Start. A round that was being dealt lights the red lamp after the self-test."""
        self.powered, self.state = True, S.BOOT
        self.begin(Motion.BOOT, now_ns)

    def power_off(self) -> None:
        """Everything stops where it is; what was not yet said is lost."""
        self.powered = False
        self.outbox.clear()
        self.drop_stage()
        self.motion = self.owed = self.verified = None
        self.locked = self.in_setup = self.host_lost = self.sensor_failed = False
        self.request = 0

    @property
    def next_deadline_ns(self) -> int | None:
        """When the next motion ends, None while nothing moves."""
        due = [self.motion_due_ns] if self.motion else []
        return min(due + ([self.stage_due_ns] if self.stage else []), default=None)

    def tick(self, now_ns: int) -> None:
        """End every motion that is due."""
        while (due := self.next_deadline_ns) is not None and due <= now_ns:
            if self.motion and self.motion_due_ns == due:
                motions.end_motion(self, due)
            else:
                motions.end_stage(self, due)

    @property
    def mid_round(self) -> bool:
        """True from the first packet until the remainder is lifted."""
        return self.round is not None

    @property
    def next_group(self) -> bool:
        """Whether the game has a further group of packets in this round."""
        return self.round is not None and self.round.group + 1 < len(self.game.groups)

    # -------------------------------------------------------------- people

    def load_deck(self, deck: int, now_ns: int) -> bool:
        """A person has put the deck with this back into the empty input."""
        if not self.powered or self.cards.backs([Bay.INPUT]) != [deck]:
            return False
        self.say(m.DeckLoadedMessage, deck=deck, back=deck)
        self.settle(ShufflerCause.LOADED, now_ns)
        return True

    def press_green(self, now_ns: int) -> bool:
        """The green button: first packet, or the remainder. It works without a host, never in SAFE."""
        if not self.powered:
            return False
        self.say(m.GreenButtonMessage)
        return self.green(now_ns)

    def green(self, now_ns: int, request: int = 0) -> bool:
        """What the green button does, also when a command asks for it."""
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
        """What begins now does; a packet that is on its way still belongs to the command that asked for it."""
        if self.state is not S.DISPENSING:
            self.request = request

    def hold_green(self, now_ns: int) -> bool:
        """The green button held down: the remainder at once, whatever packets the game has left."""
        if not self.powered:
            return False
        self.say(m.GreenButtonMessage)
        return self.dump(now_ns)

    def dump(self, now_ns: int, request: int = 0) -> bool:
        """Bring the remainder, also when a command asks for it."""
        if self.state not in (S.PACKET_WAIT, S.DISPENSING):
            return False
        self.owed = Motion.DUMP
        self._belongs_to(request)
        self.settle(ShufflerCause.GREEN, now_ns)
        return True

    def lift(self, to: Place, now_ns: int) -> int:
        """A person takes what lies in the tray to a place; says how many cards that was."""
        if self.motion is Motion.DISPENSE and self.powered:
            return motions.lift_early(self, to, now_ns)
        if self.motion in (Motion.DUMP, Motion.RECOVER):
            return 0
        taken = self.cards.lift(Bay.TRAY, to)
        if taken and self.powered and self.round:
            motions.tray_emptied(self, now_ns)
        return taken

    def move_door(self, is_open: bool, now_ns: int) -> None:
        """The door is opened or closed."""
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
        """A person acknowledges the misdeal at the device itself."""
        return self.clear(0, resolution, now_ns)

    def open_setup(self, now_ns: int) -> bool:
        """A person opens the set-up menu; possible when nothing is being dealt or shuffled."""
        if self.state not in (S.EMPTY, S.READY):
            return False
        self.in_setup = True
        self.settle(ShufflerCause.SETUP, now_ns)
        return True

    def close_setup(self, now_ns: int) -> bool:
        """A person closes the set-up menu."""
        if self.state is not S.SETUP:
            return False
        self.in_setup = False
        self.settle(ShufflerCause.SETUP, now_ns)
        return True

    def select_game(self, setting: ShufflerSetting, now_ns: int, request: int = 0) -> None:
        """Set it to another game, at its display or by a command. A deck that was ready is counted again where the game
        has another."""
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

    def host_gone(self, now_ns: int) -> None:
        """Finish the motion and start no other."""
        self.host_lost = True
        self.say(m.FaultRaisedMessage, fault=Fault.HOST_LOST, place=SHUFFLER, value=0)
        self.settle(ShufflerCause.HOST_LOST, now_ns)

    def host_back(self, now_ns: int) -> None:
        """Go on."""
        if self.host_lost:
            self.host_lost = False
            self.say(m.FaultClearedMessage, fault=Fault.HOST_LOST)
            self.settle(ShufflerCause.HOST_BACK, now_ns)

    def status(self, session: int, last_event: int, uptime_ms: int) -> m.ShufflerStatusMessage:
        """The whole visible state. It carries no card."""
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
        """Every active fault once, the latched first."""
        yield from self.latched
        if self.sensor_failed and Fault.SENSOR_FAILED not in self.latched:
            yield Fault.SENSOR_FAILED
        if self.host_lost and Fault.HOST_LOST not in self.latched:
            yield Fault.HOST_LOST

    # -------------------------------------------------------------- the inside, shared with motions and commands

    def say(self, event: type[m.Event], request: int = 0, **fields: Any) -> None:
        """Put an event into the outbox, and count it."""
        self.device_meters.reported(event, fields)
        self.outbox.append(EventDraft(event, request, fields))

    def progress(self, percent: int) -> None:
        """Tell the host how far its command is, when there is one."""
        if self.request:
            self.outbox.append(CommandProgress(self.request, percent, self.state))

    def begin(self, motion: Motion, now_ns: int) -> None:
        """Set a motion going."""
        duration = {
            Motion.BOOT: self.durations.boot,
            Motion.TEST: self.durations.test,
            Motion.DISPENSE: self.durations.dispense,
            Motion.RECOVER: self.durations.recover,
            Motion.DUMP: self.durations.dump,
        }[motion]
        self.motion, self.motion_began_ns, self.motion_due_ns = motion, now_ns, now_ns + duration

    def alarm(self, fault: int, value: int = 0, request: int = 0) -> None:
        """Latch the red lamp, each fault once. Only the first makes the misdeal record."""
        self.say(m.FaultRaisedMessage, fault=fault, place=SHUFFLER, value=value)
        lit = bool(self.latched)
        if fault not in self.latched:
            self.latched.append(fault)
        if lit:
            return
        counts = self.round or self.verified or RoundCounts()
        self.say(m.RedLampMessage, request, lit=1, fault=fault)
        self.say(
            m.MisdealMessage,
            deck=counts.deck,
            fault=fault,
            loaded=counts.loaded,
            remainder=UNKNOWN_REMAINDER if counts.remainder is None else counts.remainder,
            rejected=counts.rejected,
            packets=tuple(counts.packets),
        )

    def may_clear(self, resolution: int) -> bool:
        """Whether a person may acknowledge with this decision now."""
        resume_is_out = resolution == Resolution.RESUME and any(fault in REMOVE_ONLY for fault in self.latched)
        return self.state is S.MISDEAL and not resume_is_out

    def clear(self, badge: int, resolution: Resolution, now_ns: int, request: int = 0) -> bool:
        """A person acknowledged: deal on, or take the deck out."""
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
            self.round = None  # nothing lies in the tray that anybody could lift
        self.settle(ShufflerCause.CLEARED, now_ns)
        return True

    def settle(self, cause: ShufflerCause, now_ns: int, request: int = 0) -> None:
        """Begin what is due and allowed, then show the state that follows, if the table knows the step."""
        if not self.motion and not self._held_back():
            if self.owed and self.round:
                self.begin(self.owed, now_ns)
                self.owed = None
            elif self.stage is None and self.verified is None:
                motions.prepare(self, now_ns)
        target = self._target()
        if target is self.state:
            return
        step = (self.state, cause, target)
        assert step in ARCS, f"not in the state table: {step}"
        self.steps.add(step)
        previous, self.state = self.state, target
        self.say(m.StateChangedMessage, request, state=target, previous=previous)

    def _green_in_deal(self) -> None:
        """Where packets differ, green with a packet in the tray or on its way makes it the group's last, and green with
        an empty tray begins the next group; where there is none, and for packets of one size, the remainder comes."""
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

    def _held_back(self) -> bool:
        return bool(
            self.door_open
            or self.latched
            or self.locked
            or self.in_setup
            or self.host_lost
            or self.sensor_failed
            or not self.powered
        )

    def _target(self) -> S:
        moving = self.motion.value if self.motion else None
        if moving in (S.BOOT, S.SELF_TEST):
            return moving
        if self.door_open:
            return S.OPEN
        if moving is not None:
            return moving
        out_of_use = (
            (bool(self.latched), S.MISDEAL),
            (self.sensor_failed, S.FAULT),
            (self.locked, S.LOCKED),
            (self.in_setup, S.SETUP),
            (self.host_lost and (self.mid_round or self.stage is None), S.SAFE),
        )
        for applies, state in out_of_use:
            if applies:
                return state
        if self.round:
            return S.PACKET_WAIT if self.round.remainder is None else S.REMAINDER_WAIT
        if self.stage:
            return self.stage.value
        return S.READY if self.verified else S.EMPTY

    def _stop_for_door(self) -> None:
        if self.round:
            # an interrupted motion is done again from its start: cards change place only when one ends
            if self.motion in (Motion.DISPENSE, Motion.RECOVER):
                self.owed = self.owed or Motion.DISPENSE
            elif self.motion is Motion.DUMP:
                self.owed = Motion.DUMP
            self.alarm(Fault.DOOR_OPENED_MID_ROUND)
        if self.motion not in (Motion.BOOT, Motion.TEST):
            self.motion = None
        self.drop_stage()
        self.verified = None

    def drop_stage(self) -> None:
        """The preparation of a deck goes no further."""
        if self.stage in (Preparation.SHUFFLE, Preparation.VERIFY):
            self.device_meters.count(DeviceMeter.SHUFFLES_FAILED)
        self.stage = None

    def _take_out(self) -> None:
        self.removals += 1
        inside = (Bay.CHAMBER, Bay.TRAY, Bay.STUCK, Bay.REJECT)
        for deck in self.cards.backs(inside):
            self.say(m.DeckRemovedMessage, deck=deck)
        for bay in inside:
            self.cards.lift(bay, MUCK)
        self.drop_stage()
        self.round = self.verified = self.owed = None
