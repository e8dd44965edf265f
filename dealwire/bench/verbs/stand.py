"""What a check has at hand while it runs: the line, the hands, what it saved; and what any step needs of them."""

import contextlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from dealwire.bench.hands.actions import CABLE_IN, POWER_OFF, POWER_ON
from dealwire.bench.hands.hands import Hands
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
from protocol.errors import LineClosed
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.messages import Message, Reason, Role, Status
from protocol.tdp.packets import MINOR, VERSION

SETTLE_MS: Final = 60
"""Before each check: longer than `partial`, so that half a frame of the check before is gone."""
PREPARE_MS: Final = 2 * PATIENCE["shuffle"]
"""The longest it may take to bring a device into a state: two shuffles and what hands do."""
STUCK_MS: Final = 5_000
"""How long it is tried when the device stays in the very state that it could not be brought out of before."""
WAYS_MAX: Final = 3
"""How often a state is tried to be left in the same way: a device that was commanded twice in vain is not in doubt."""
_COUNTS: Final = ("uptime_ms", "last_event", "round", "shoe")
"""Fields of a status that go up with time, or with what is done."""
LEAVE_MS: Final = 2_000
"""How long a device may take to leave a state that something was done about."""
STATUS_MS: Final = 2_000
"""The longest the bench waits for a status on its way to something."""
LIFT_MS: Final = PATIENCE["patience"]
"""The longest a motion of a device is waited for."""

DEPTH_MIN: Final = 256
"""Unacknowledged events that every device keeps."""
DEPTH_MAX: Final = 1024
"""Of those that a device promises, how many are tried."""

T = TypeVar("T")


@dataclass
class AnyStand:
    """One check under way at a device of any dialect: its line, and who stands at it."""

    probe: Listener
    hands: Hands
    check: str = field(default="", kw_only=True)
    """Its id."""
    notes: list[str] = field(default_factory=list, kw_only=True)
    """What there is to say of it."""
    measures: list[Measurement] = field(default_factory=list, kw_only=True)
    requested_ns: int = field(default=0, kw_only=True)
    """When the last thing was done."""
    last_step: object = field(default=None, kw_only=True)
    unopened: dict[str, str] = field(default_factory=dict, kw_only=True)
    """Why a session was not opened, and the first check that found it."""

    def begin(self, check: str) -> None:
        """The next check."""
        self.check, self.notes, self.measures = check, [], []
        self.hands.begin(check)
        self.probe.begin_check()

    def set_out(self, role: str | None, prepare: str | None) -> None:
        """From whatever the check before left to where its first step begins."""
        self.pause(SETTLE_MS)
        self.probe.begin_check()

    def put_right(self) -> None:
        """What a check that failed left behind is no fault of the next one, which sets out from anywhere."""

    @property
    def allowance_ms(self) -> int:
        """What a real line and this machine may add to a limit."""
        return 0

    @property
    def capabilities(self) -> int:
        """What the device offers, as far as its dialect can say."""
        return 0

    @property
    def version(self) -> tuple[int, int] | None:
        """The protocol's, as the device and the bench speak it; None of another dialect."""
        return None

    # ------------------------------------------------------------------ time

    def pause(self, ms: int) -> None:
        """Let time pass, listening."""
        self.probe.run(self.probe.wire.now_ns() + ms * MS)

    def rest(self, ms: int) -> None:
        """As `pause`, while the device may be off and its line away."""
        with contextlib.suppress(LineClosed):
            self.pause(ms)

    # ------------------------------------------------------------------ hands

    def act(self, name: str, fields: Mapping[str, Any] | None = None) -> None:
        """Let hands do something."""
        self.probe.look_from_here()
        self.requested_ns = self.probe.wire.now_ns()
        self._do(name, fields or {})

    def fault(self, name: str, fields: Mapping[str, Any]) -> None:
        """Let something go wrong."""
        self._do(name, fields)

    def _do(self, name: str, fields: Mapping[str, Any]) -> None:
        """By hands. What they take is not taken off the time that the check may last."""
        probe, began_ns = self.probe, self.probe.wire.now_ns()
        limit_ns, probe.limit_ns = probe.limit_ns, None
        try:
            self.show(self.hands.do(name, fields))
        finally:
            if limit_ns is not None:
                probe.limit_ns = limit_ns + probe.wire.now_ns() - began_ns

    def turn(self, action: str) -> None:
        """The plug off or on, the cable out or in. Nobody knows what the device said while its cable was out."""
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
        """The line, closed and opened by the bench itself."""
        self.show("the line is closed, and opened again", Actor.HOST)
        self.probe.wire.hang_up()
        self.probe.started_over(off=False)
        self._opened_again("the line could not be opened again")

    def _opened_again(self, why: str) -> None:
        if not self.probe.wire.reopen(self.probe.wire.now_ns() + self.probe.contact_ns):
            raise Failed(why)

    def show(self, text: str, who: Actor = Actor.HANDS) -> None:
        """What was done, on the time line."""
        self.probe.timeline.add(self.probe.wire.now_ns(), who, text)


@dataclass
class Stand(AnyStand):
    """One check under way at a device that speaks TDP. `rounds`, `seed` and `image` are the command line's."""

    probe: Probe
    profile: Profile
    rounds: int | None = None
    seed: int = 1
    image: bytes | None = None
    """The firmware as its maker gives it, against which *Verify* is held; None when nobody gave it."""
    variables: dict[str, int] = field(default_factory=dict)
    meters: dict[str, dict[tuple[int, int], int]] = field(default_factory=dict)
    """What the device's meters showed, by the names that the check gave; each by meter and component."""
    command: Message = field(default_factory=m.ReportStatusMessage)
    """The last command sent, whose reply the next steps look for."""
    request: int = 0
    stuck: tuple[str, str] | None = None
    """A state that the device could not be brought out of, and the first check that found it."""
    used: set[int] = field(default_factory=set)
    """Frames that a step has taken, so that the next one finds another."""

    def begin(self, check: str) -> None:
        """The next check: nothing is saved yet."""
        self.variables.clear()
        self.meters.clear()
        self.used.clear()
        super().begin(check)

    def set_out(self, role: str | None, prepare: str | None) -> None:
        """To an open session of this role, by default the plan's, in the wanted state; `none`: to no session."""
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
        """As the plan or the command line says."""
        return self.probe.known.allowance_ms

    @property
    def capabilities(self) -> int:
        """As HELLO-REPLY says."""
        return self.probe.known.hello.capabilities if self.probe.known.hello else 0

    @property
    def version(self) -> tuple[int, int] | None:
        """As HELLO-REPLY says."""
        return self.probe.known.version

    def time(self, name: str, ms: float, limit_ms: int | None) -> None:
        """One measured time."""
        measure = next((one for one in self.measures if one.name == name), None)
        if measure is None:
            measure = Measurement(name, [], limit_ms)
            self.measures.append(measure)
        measure.values_ms.append(ms)

    # ------------------------------------------------------------------ messages

    def make(self, name: str, given: Mapping[str, Any]) -> Message:
        """A message with the fields a plan gives, and for the others what a host would say now."""
        usual = self._usual(name)
        values = {}
        for key in MESSAGES[name].__struct_fields__:
            field_ = field_of(name, key)
            value = constant(field_, given[key], self.names) if key in given else usual.get(key, nothing(field_))
            values[key] = value
        return MESSAGES[name](**values)

    def number(self, wanted: int | str) -> int:
        """A number as a plan writes it."""
        return number(wanted, self.names)

    @property
    def newest(self) -> int:
        """The newest event that the device is known to have."""
        status = self.probe.status
        return max(self.probe.last_event, status.last_event if status is not None else 0)

    @property
    def names(self) -> dict[str, int]:
        """What was saved, and what is known anyway."""
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
        """The first frame since the last thing done that is this message and was not taken yet; None in vain."""

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
        """As `wait_for`; Failed says what came instead."""
        found = self.wait_for(name, wanted, limit_ms, **how)
        if found is None:
            fields = f" with {in_words(wanted)}" if wanted else ""
            raise Failed(f"no {name}{fields} within {limit_ms} ms{self._instead(name, how.get('request'))}")
        return found

    def need(self, name: str, wanted: Mapping[str, Wanted], limit_ms: int) -> Message:
        """As `find`, the message alone."""
        return self.find(name, wanted, limit_ms)[1]

    def ask(self, command: Message) -> m.ReplyMessage:
        """A command of the bench's own on the way to something; its reply."""
        reply = self.probe.ask(command)
        self.command, self.request = command, self.probe.request
        return reply

    def _instead(self, name: str, request: int | None) -> str:
        """What else of this kind came, for the message; also under another request than the wanted one."""
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
        """The device's state as its newest status has it, asked for when there is none."""
        if self.probe.status is None:
            self.ask(m.ReportStatusMessage())
            self.probe.run(self.probe.wire.now_ns() + STATUS_MS * MS, lambda: self.probe.status is not None)
        if self.probe.status is None:
            raise Failed(f"no status within {STATUS_MS} ms of REPORT-STATUS")
        number, states = self.probe.status.state, STATES[self.profile.number]
        return states(number).name if number in states._value2member_map_ else str(number)

    def prepare(self, wanted: str) -> None:
        """Bring the device into a state, `ready`: where its class is at rest; Failed when it does not get there, NotRun
        when it stays where an earlier check has found it stuck."""
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
        """What is done in a state to get on; of several commands the first that is not refused."""
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
        """The newest status without what only counts on: a device that goes in circles shows the same again."""
        status = self.probe.status
        counts = {name: 0 for name in _COUNTS if hasattr(status, name)}
        return "" if status is None else spell(replace(status, **counts))


def _words(way: Way) -> str:
    return way if isinstance(way, str) else " or ".join(map(spell, way))
