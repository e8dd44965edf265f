"""Core of a shuffler: its state, how the state follows from the cards, and its output.

The displayed state is never stored on its own: `_target` derives it from the cards, the motion and the latched faults,
and `settle` checks the step against the state table. Motions begin in one place, `settle`, so nothing can move while
the door is open, the lamp is latched or the host is lost.
"""

from devices.simulator.command_rules import SHUFFLER_RULES, states_of
from devices.simulator.deck import Cards
from devices.simulator.device_meters import SHUFFLER_METERS
from devices.simulator.device_model import CommandProgress, DeviceModel
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
from protocol.places import SHUFFLER
from protocol.tdp import messages as m
from protocol.tdp.messages import DeviceMeter
from protocol.tdp.messages import ShufflerState as S


class ShufflerCore(DeviceModel[S, ShufflerCause]):
    """Common part of motions and people's actions."""

    place = SHUFFLER
    arcs = ARCS
    commands = states_of(SHUFFLER_RULES)

    def __init__(
        self,
        cards: Cards,
        *,
        recognition: bool = False,
        packet_stays: bool = False,
        durations: Durations | None = None,
    ) -> None:
        super().__init__(S.BOOT, SHUFFLER_METERS)
        self.cards = cards
        self.recognition = recognition
        self.packet_stays = packet_stays
        """True if a packet that was not lifted stays one next to the remainder. Usually it goes back and is counted
        there."""
        self.durations = durations or Durations()
        self.game = ShufflerSetting()
        self.programs: dict[str, tuple[PacketGroup, ...]] = {}
        """Games whose packets differ, by name."""
        self.sensor_works = True
        self.mishaps: list[MachineMishap] = []
        self.removals = 0
        """Number of times that its cards were taken out."""
        # survives a power cut
        self.round: RoundCounts | None = None
        self.latched: list[int] = []
        # does not survive a power cut
        self.verified: RoundCounts | None = None
        self.motion: Motion | None = None
        self.stage: Preparation | None = None
        self.owed: Motion | None = None
        self.request = 0
        self.motion_due_ns = self.stage_due_ns = self.motion_began_ns = 0
        self.jam_tries = 0
        self.door_open = self.locked = self.in_setup = self.sensor_failed = False

    @property
    def mid_round(self) -> bool:
        """True from the first packet until the remainder is lifted."""
        return self.round is not None

    @property
    def next_group(self) -> bool:
        """True if the game has another group of packets in this round."""
        return self.round is not None and self.round.group + 1 < len(self.game.groups)

    def progress(self, percent: int) -> None:
        """Report the progress of the current command, if there is one."""
        if self.request:
            self.outbox.append(CommandProgress(self.request, percent, self.state))

    def begin(self, motion: Motion, now_ns: int) -> None:
        """Start a motion."""
        duration = {
            Motion.BOOT: self.durations.boot,
            Motion.TEST: self.durations.test,
            Motion.DISPENSE: self.durations.dispense,
            Motion.RECOVER: self.durations.recover,
            Motion.DUMP: self.durations.dump,
        }[motion]
        self.motion, self.motion_began_ns, self.motion_due_ns = motion, now_ns, now_ns + duration

    def alarm(self, fault: int, value: int = 0, request: int = 0) -> None:
        """Latch the red lamp, each fault once. Only the first creates the misdeal record."""
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

    def settle(self, cause: ShufflerCause, now_ns: int, request: int = 0) -> None:
        """Start what is due and allowed, then change to the resulting state, if the table has the step."""
        if not self.motion and not self._held_back():
            if self.owed and self.round:
                self.begin(self.owed, now_ns)
                self.owed = None
            elif self.stage is None and self.verified is None:
                self._prepare(now_ns)
        self.take_step(cause, self._target(), request)

    def _prepare(self, now_ns: int) -> None:
        """Start to prepare the deck in the input, if there is one."""
        raise NotImplementedError

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

    def drop_stage(self) -> None:
        """Abort the preparation of a deck."""
        if self.stage in (Preparation.SHUFFLE, Preparation.VERIFY):
            self.device_meters.count(DeviceMeter.SHUFFLES_FAILED)
        self.stage = None
