"""Context of a running check: the line, the operator, saved values, and the helpers that steps need."""

import contextlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from dealwire.bench.hands.actions import CABLE_IN, POWER_OFF, POWER_ON
from dealwire.bench.hands.operator import Operator
from dealwire.bench.hands.profiles import Profile, Way
from dealwire.bench.record import Actor, Failed, HeardFrame, Measurement, NotRun, NotRunCause
from dealwire.bench.values import (
    MESSAGES,
    PATIENCE,
    STATES,
    Wanted,
    constant,
    field_of,
    fits,
    in_words,
    nothing,
    number,
    spell,
)
from dealwire.bench.verbs.probe import MS, Listener, Probe
from devices.attestation import Maker
from protocol.errors import LineClosed
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.messages import Message, Reason, Role, Status
from protocol.tdp.packets import MINOR, VERSION

SETTLE_MS: Final = 60
"""Milliseconds before each check: longer than `partial`, so that half a frame of the check before is discarded."""
PREPARE_MS: Final = 2 * PATIENCE["shuffle"]
"""Maximum milliseconds to bring a device into a state: two shuffles and the manual actions."""
STUCK_MS: Final = 5_000
"""Maximum milliseconds of that if the device is still in a state that it could not be brought out of before."""
WAYS_MAX: Final = 3
"""Maximum number of attempts to leave a state in the same way."""
_COUNTS: Final = ("uptime_ms", "last_event", "round", "shoe")
"""Fields of a status that increase with time or with operations."""
LEAVE_MS: Final = 2_000
"""Milliseconds for a device to leave a state after an action."""
STATUS_MS: Final = 2_000
"""Maximum milliseconds to wait for a status in between."""
LIFT_MS: Final = PATIENCE["patience"]
"""Maximum milliseconds to wait for a motion of a device."""

DEPTH_MIN: Final = 256
"""Number of unacknowledged events that every device keeps."""
DEPTH_MAX: Final = 1024
"""Maximum number of promised events that is tested."""

T = TypeVar("T")


@dataclass
class AnyCheckContext:
    """Context of a check at a device of any dialect: its line and its operator."""

    probe: Listener
    hands: Operator
    check: str = field(default="", kw_only=True)
    """Id of the check."""
    notes: list[str] = field(default_factory=list, kw_only=True)
    """Notes for the report."""
    measures: list[Measurement] = field(default_factory=list, kw_only=True)
    requested_ns: int = field(default=0, kw_only=True)
    """Time of the last action."""
    last_step: object = field(default=None, kw_only=True)
    unopened: dict[str, str] = field(default_factory=dict, kw_only=True)
    """Reasons that a session was not opened, each with the first check that found it."""

    def begin(self, check: str) -> None:
        """Start the next check."""
        self.check, self.notes, self.measures = check, [], []
        self.hands.begin(check)
        self.probe.begin_check()

    def set_out(self, role: str | None, prepare: str | None) -> None:
        """Get from the state that the last check left to the start of the first step."""
        self.pause(SETTLE_MS)
        self.probe.begin_check()

    def put_right(self) -> None:
        """Clean up after a failed check, so that the next one is not affected."""

    @property
    def allowance_ms(self) -> int:
        """Milliseconds that a real line and this machine may add to a limit."""
        return 0

    @property
    def capabilities(self) -> int:
        """Capabilities of the device, as far as its dialect reports them."""
        return 0

    @property
    def version(self) -> tuple[int, int] | None:
        """Version of the protocol between device and bench; None for another dialect."""
        return None

    # ------------------------------------------------------------------ time

    def pause(self, ms: int) -> None:
        """Let time pass, listening."""
        self.probe.run(self.probe.wire.now_ns() + ms * MS)

    def rest(self, ms: int) -> None:
        """Let time pass while the device may be off and its line closed."""
        with contextlib.suppress(LineClosed):
            self.pause(ms)

    # ------------------------------------------------------------------ hands

    def act(self, name: str, fields: Mapping[str, Any] | None = None) -> None:
        """Have the operator do something."""
        self.probe.look_from_here()
        self.requested_ns = self.probe.wire.now_ns()
        self._do(name, fields or {})

    def fault(self, name: str, fields: Mapping[str, Any]) -> None:
        """Have the operator cause a fault."""
        self._do(name, fields)

    def _do(self, name: str, fields: Mapping[str, Any]) -> None:
        """Have the operator act. The check's time limit is extended by the time they take."""
        probe, began_ns = self.probe, self.probe.wire.now_ns()
        limit_ns, probe.limit_ns = probe.limit_ns, None
        try:
            self.show(self.hands.do(name, fields))
        finally:
            if limit_ns is not None:
                probe.limit_ns = limit_ns + probe.wire.now_ns() - began_ns

    def turn(self, action: str) -> None:
        """Switch the power, or pull or plug the cable. What the device sent while its cable was out is unknown."""
        self.probe.look_from_here()
        self.requested_ns = self.probe.wire.now_ns()
        if action == POWER_ON:
            self.probe.started_over()
        self._do(action, {})
        if action != POWER_ON:
            self.probe.started_over(off=action == POWER_OFF)
        if action in (POWER_ON, CABLE_IN):
            # an adapter inside the device goes with its power and comes back as another
            self._opened_again(f"the line did not come back with the {action.partition('-')[0]}")

    def reopen(self) -> None:
        """Close the line and open it again."""
        self.show("the line is closed, and opened again", Actor.HOST)
        self.probe.wire.hang_up()
        self.probe.started_over(off=False)
        self._opened_again("the line could not be opened again")

    def _opened_again(self, why: str) -> None:
        if not self.probe.wire.reopen(self.probe.wire.now_ns() + self.probe.contact_ns):
            raise Failed(why)

    def show(self, text: str, who: Actor = Actor.HANDS) -> None:
        """Add an action to the timeline."""
        self.probe.timeline.add(self.probe.wire.now_ns(), who, text)


@dataclass
class CheckContext(AnyCheckContext):
    """Context of a check at a TDP device. `rounds`, `seed` and `image` come from the command line."""

    probe: Probe
    profile: Profile
    rounds: int | None = None
    seed: int = 1
    image: bytes | None = None
    """Firmware image from the maker, to compare *Verify* with; None if not given."""
    makers: tuple[Maker, ...] = ()
    """Keys of makers who may certify the device."""
    variables: dict[str, int] = field(default_factory=dict)
    meters: dict[str, dict[tuple[int, int], int]] = field(default_factory=dict)
    """Saved readings of the device's meters, by name; each by meter and component."""
    command: Message = field(default_factory=m.ReportStatusMessage)
    """Last command sent; the next steps look for its reply."""
    request: int = 0
    stuck: tuple[str, str] | None = None
    """State that the device could not leave, and the first check that found it there; None if there is none."""
    used: set[int] = field(default_factory=set)
    """Ids of frames that a step has consumed, so that the next one finds another."""

    def begin(self, check: str) -> None:
        """Start the next check with nothing saved."""
        self.variables.clear()
        self.meters.clear()
        self.used.clear()
        super().begin(check)

    def set_out(self, role: str | None, prepare: str | None) -> None:
        """Open a session with this role, by default the plan's, in the required state; `none` for no session."""
        self.pause(SETTLE_MS)
        if role == "none":
            return
        wanted = Role[role] if role else self.probe.role
        if prepare:
            self.probe.open(self.probe.role)
            self.prepare(prepare)
        if not prepare or wanted is not self.probe.role:
            self.probe.open(wanted)
        self.probe.heard.clear()
        self.probe.mark = 0

    @property
    def allowance_ms(self) -> int:
        """Allowance of the plan or the command line."""
        return self.probe.known.allowance_ms

    @property
    def capabilities(self) -> int:
        """Capabilities from HELLO-REPLY."""
        return self.probe.known.hello.capabilities if self.probe.known.hello else 0

    @property
    def version(self) -> tuple[int, int] | None:
        """Version from HELLO-REPLY."""
        return self.probe.known.version

    def time(self, name: str, ms: float, limit_ms: int | None) -> None:
        """Record a measured time."""
        measure = next((one for one in self.measures if one.name == name), None)
        if measure is None:
            measure = Measurement(name, [], limit_ms)
            self.measures.append(measure)
        measure.values_ms.append(ms)

    # ------------------------------------------------------------------ messages

    def make(self, name: str, given: Mapping[str, Any]) -> Message:
        """Make a message with the plan's fields, and for the others what a host would send now."""
        usual = self._usual(name)
        values = {}
        for key in MESSAGES[name].__struct_fields__:
            field_ = field_of(name, key)
            value = constant(field_, given[key], self.names) if key in given else usual.get(key, nothing(field_))
            values[key] = value
        return MESSAGES[name](**values)

    def number(self, wanted: int | str) -> int:
        """Return the number of a plan's value."""
        return number(wanted, self.names)

    @property
    def newest(self) -> int:
        """Newest event that the device is known to have."""
        status = self.probe.status
        return max(self.probe.last_event, status.last_event if status is not None else 0)

    @property
    def names(self) -> dict[str, int]:
        """Saved variables and current values."""
        known = self.probe.known
        now = {"session": known.session, "last": self.probe.last_event, "acked": max(known.acked, 0)}
        now |= {"request": self.request, "boots": known.hello.boot_count if known.hello else 0}
        promised = known.hello.event_depth if known.hello else DEPTH_MIN
        now |= {"depth": max(DEPTH_MIN, min(promised, DEPTH_MAX)), "newest": self.newest}
        return now | self.variables

    def _usual(self, name: str) -> dict[str, Any]:
        session, (major, minor) = self.probe.known.session, self.probe.known.version
        usual: dict[str, dict[str, Any]] = {
            "Hello": {"lowest_major": VERSION, "lowest_minor": 0, "highest_major": VERSION,
                      "highest_minor": MINOR, "host": "dealwire bench"},
            "OpenSession": {"session": session, "major": major, "minor": minor, "role": self.probe.role},
            "ReadEvents": {"session": session, "first": self.probe.last_event + 1},
            "Ack": {"session": session, "up_to": self.probe.last_event},
            "Heartbeat": {"session": session},
            "SelectGame": {"packet_size": 5, "cards": 52, "jokers": 0, "game": "bench"},
        }  # fmt: skip
        return usual.get(name, {})

    def wait_for(
        self, name: str, wanted: Mapping[str, Wanted], limit_ms: int, *, request: int | None = None, old: bool = False
    ) -> tuple[HeardFrame, Message] | None:
        """Return the first matching frame since the last action that was not consumed yet; None after the limit."""

        def find(heard: HeardFrame) -> Message | None:
            message = heard.message
            if message_name(message) != name or id(heard) in self.used or heard.is_old is not old:
                return None
            if request is not None and heard.envelope.request != request:
                return None
            return message if fits(message, wanted, self.names) else None

        found = self.probe.until(find, limit_ms + self.allowance_ms)
        if found is not None:
            self.used.add(id(found[0]))
        return found

    def find(self, name: str, wanted: Mapping[str, Wanted], limit_ms: int, **how: Any) -> tuple[HeardFrame, Message]:
        """Return the same as `wait_for`. Raise Failed with what came instead."""
        found = self.wait_for(name, wanted, limit_ms, **how)
        if found is None:
            fields = f" with {in_words(wanted)}" if wanted else ""
            raise Failed(f"no {name}{fields} within {limit_ms} ms{self._instead(name, how.get('request'))}")
        return found

    def need(self, name: str, wanted: Mapping[str, Wanted], limit_ms: int) -> Message:
        """Return the message of `find`."""
        return self.find(name, wanted, limit_ms)[1]

    def ask(self, command: Message) -> m.ReplyMessage:
        """Send a command of the bench's own, and return its reply."""
        reply = self.probe.ask(command)
        self.command, self.request = command, self.probe.request
        return reply

    def _instead(self, name: str, request: int | None) -> str:
        """Describe what came instead, including the same message under another request."""
        others = [h for h in self.probe.heard[self.probe.mark :] if id(h) not in self.used]
        same = [h for h in others if message_name(h.message) == name]
        if same:
            carried = same[-1].envelope.request
            under = f" with request {carried} in its header, not {request}" if request not in (None, carried) else ""
            return f"; came: {spell(same[-1].message)}{under}"
        answers = [spell(h.message) for h in others if isinstance(h.message, m.ReplyMessage | m.NakMessage)]
        return f"; came: {answers[-1]}" if answers else ""

    # ------------------------------------------------------------------ states

    def state(self) -> str:
        """Return the state in the newest status, which is requested if there is none."""
        if self.probe.status is None:
            self.ask(m.ReportStatusMessage())
            self.probe.run(self.probe.wire.now_ns() + STATUS_MS * MS, lambda: self.probe.status is not None)
        if self.probe.status is None:
            raise Failed(f"no status within {STATUS_MS} ms of REPORT-STATUS")
        number, states = self.probe.status.state, STATES[self.profile.number]
        return states(number).name if number in states._value2member_map_ else str(number)

    def prepare(self, wanted: str) -> None:
        """Bring the device into a state; `ready` is the one in which its class is at rest. Raise Failed if it does not
        get there, NotRun if it stays in a state in which an earlier check found it stuck."""
        wanted = self.profile.ready if wanted == "ready" else wanted
        began_ns = self.probe.wire.now_ns()
        tries: Counter[str] = Counter()
        self.probe.status = None
        while (state := self.state()) != wanted:
            stuck = self.stuck if self.stuck and self.stuck[0] == state else None
            if self.probe.wire.now_ns() - began_ns >= (STUCK_MS if stuck else PREPARE_MS) * MS:
                why = f"the device stays in {state}; it was to come to {wanted}"
                if stuck:
                    raise NotRun(f"as {stuck[1]}: {why}", NotRunCause.NO_STATE)
                self.stuck = state, self.check
                raise Failed(why)
            way = self.profile.ways.get(state) or self.profile.away.get(state)
            if way is None:
                self.pause(100)
                continue
            shown = self._shown_status()
            if tries[shown] >= WAYS_MAX:
                raise Failed(f"the device stays in {state} after {_words(way)}, {WAYS_MAX} times; wanted: {wanted}")
            tries[shown] += 1
            self._go(way)
            self._leave(shown)
        self.stuck = None

    def _go(self, way: Way) -> None:
        """Do what leads out of a state; of several commands the first that is not refused."""
        if isinstance(way, str):
            name, _, rest = way.partition(" ")
            fields = {key: int(value) for key, _, value in (part.partition("=") for part in rest.split())}
            self.act(name, fields)
            return
        refusals = []
        for command in way:
            reply = self.ask(command)
            if reply.status != Status.REFUSED:
                return
            refusals.append(f"{spell(command)} is refused: {spell(reply)}")
            if reply.reason in (Reason.WRONG_STATE, Reason.BUSY):  # it may have gone on by itself meanwhile
                return
        raise Failed("; ".join(refusals))

    def _leave(self, shown: str) -> None:
        """Wait a moment for the device to show something else."""
        self.pause(50)
        end_ns = self.probe.wire.now_ns() + LEAVE_MS * MS
        while self.probe.wire.now_ns() < end_ns:
            self.probe.status = None
            self.state()
            if self._shown_status() != shown:
                return
            self.pause(100)

    def _shown_status(self) -> str:
        """Return the newest status without counters, so that a device that goes in circles shows the same again."""
        status = self.probe.status
        counts = {name: 0 for name in _COUNTS if hasattr(status, name)}
        return "" if status is None else spell(replace(status, **counts))


def _words(way: Way) -> str:
    return way if isinstance(way, str) else " or ".join(map(spell, way))
