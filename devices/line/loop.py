"""The owner: one thread with one selector loop over the descriptors of all lines, the timers and a wake-up socket.

A turn has one time. It first handles the deadlines that have passed, in their order and each with its own time, then
the lines that are ready, then the requests of other threads. A recording holds the times, so its replay handles
everything in exactly the same order.
"""

import contextlib
import heapq
import selectors
import socket
from collections import deque
from collections.abc import Callable, Iterable
from itertools import count
from typing import Final, Protocol

from devices.clock import Clock

LONGEST_WAIT_S: Final = 60.0

SCAN_NS: Final = 10_000_000
"""Interval at which `run` polls all members while anything happens. A member that was called is polled at once; polling
all of them in every turn would cost more than reading them."""
SCANNED_TOGETHER: Final = 64
"""Number of members above which the interval grows in proportion, so that polling keeps its small share of the time."""


class Member(Protocol):
    """Something that the owner runs. It is called only from the owner's thread and never blocks.

    A subclass without a line, or without a timer, can leave out those methods.
    """

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `on_deadline`; None for no timer."""
        return None

    def fileno(self) -> int | None:
        """Return the descriptor that the loop waits on.

        None if the member wakes the loop itself or is closed.
        """
        return None

    def wants_write(self) -> bool:
        """Return True while bytes wait for room on the line."""
        return False

    def on_readable(self, now_ns: int) -> None:
        """Handle a line that has data to read or is gone."""
        return

    def on_writable(self, now_ns: int) -> None:
        """Handle a line that has room for writes."""
        return

    def on_deadline(self, now_ns: int) -> None:
        """Handle a deadline. `now_ns` is the time of the deadline, however late this turn is."""
        return

    def set_wake(self, wake: Callable[[], None]) -> None:
        """Set `wake`: called from any thread, it makes the owner call `on_readable`."""
        return

    def close(self) -> None:
        """Release everything. May be called twice."""


class Owner:
    """Owner of members, which it runs.

    `on_error` is called with a member that failed; without it, `run` raises. `after_turn` is called at the end of every
    turn in which anything was called. `run` waits in real time; with a manual clock, move the clock and call `turn`.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        on_error: Callable[[Member, Exception], None] | None = None,
        after_turn: Callable[[], None] | None = None,
    ) -> None:
        self.began_ns = 0
        """Start time of the current or last turn."""
        self._clock = clock
        self._on_error = on_error
        self._after_turn = after_turn
        self._members: dict[Member, tuple[int, int] | None] = {}
        self._order: dict[Member, int] = {}
        self._joined = count()
        self._due: dict[Member, int | None] = {}
        self._heap: list[tuple[int, int, int, Member]] = []  # due, order, entry, member; stale unless _due agrees
        self._entries = count()
        self._touched: dict[Member, None] = {}
        self._scan_ns = 0
        self._busy = False  # True if something was called since the last scan
        self._awake: deque[Member] = deque()
        self._soon: deque[Callable[[], None]] = deque()
        self._selector = selectors.DefaultSelector()
        # A socket pair and not a pipe, because Windows can only wait on sockets.
        self._wake_in, self._wake_out = socket.socketpair()
        for end in (self._wake_in, self._wake_out):
            end.setblocking(False)
        self._selector.register(self._wake_in, selectors.EVENT_READ, None)
        self._closed = False

    @property
    def members(self) -> tuple[Member, ...]:
        """Current members, in the order they were added."""
        return tuple(self._members)

    def add(self, member: Member) -> None:
        """Own `member` from now on."""
        self._members[member] = None
        self._order[member] = next(self._joined)
        self._scan_ns = 0
        member.set_wake(lambda: self._wake(member))

    def remove(self, member: Member) -> None:
        """Stop owning `member`, without closing it. Unknown members are ignored."""
        registered = self._members.pop(member, None)
        self._order.pop(member, None)
        self._due.pop(member, None)
        self._touched.pop(member, None)
        if registered is not None:
            self._selector.unregister(registered[0])

    def changed(self, member: Member) -> None:
        """Poll a member again that waits for something else although it was not called. Call this in a turn, from the
        owner's thread."""
        if member in self._members:
            self._touched[member] = None

    def call_soon(self, function: Callable[[], None]) -> None:
        """Run `function` in the owner's thread in the next turn. May be called from any thread."""
        self._soon.append(function)
        self._send_wake()

    def run(self, until: Callable[[], bool] = lambda: False, timeout_s: float | None = None) -> bool:
        """Run turns until `until()` is true (return True) or `timeout_s` has passed (return False)."""
        end_ns = None if timeout_s is None else self._clock.now_ns() + int(timeout_s * 1e9)
        self._scan_ns = 0
        while not until():
            left_s = LONGEST_WAIT_S
            if end_ns is not None:
                left_s = (end_ns - self._clock.now_ns()) / 1e9
                if left_s <= 0:
                    return False
            self._turn(left_s)
        return True

    def turn(self, wait_s: float = 0.0) -> None:
        """Run one turn: wait at most `wait_s` for an event, then handle everything that happened."""
        self._scan_ns = 0
        self._turn(wait_s)

    def _turn(self, wait_s: float) -> None:
        now_ns = self._clock.now_ns()
        if now_ns >= self._scan_ns:
            self._scan(now_ns)
            now_ns = self._clock.now_ns()
        ready = self._selector.select(self._timeout_s(wait_s, now_ns))
        now_ns = self.began_ns = self._clock.hold()
        requested = False
        try:
            if self._heap and self._heap[0][0] <= now_ns:
                self._meet_deadlines(now_ns)
            for key, events in ready:
                member = key.data
                if member is None:
                    self._drain_wakes()
                elif member in self._members:
                    if events & selectors.EVENT_READ:
                        self._guard(member, member.on_readable, now_ns)
                    if events & selectors.EVENT_WRITE and member in self._members:
                        self._guard(member, member.on_writable, now_ns)
            if self._awake:
                self._serve_awake(now_ns)
            if self._soon:
                requested = True
                self._serve_soon()
        finally:
            self._clock.release()
        if self._after_turn is not None and (requested or self._touched):
            self._after_turn()
        if self._touched:
            self._refresh_touched()

    def _serve_awake(self, now_ns: int) -> None:
        """Read the members that called `wake` before this turn. Later calls wait for the next turn."""
        for _ in range(len(self._awake)):
            member = self._awake.popleft()
            if member in self._members:
                self._guard(member, member.on_readable, now_ns)

    def _serve_soon(self) -> None:
        """Run the functions that were queued before this turn."""
        self._scan_ns = 0  # the function may change anything
        for _ in range(len(self._soon)):
            self._soon.popleft()()

    def close(self) -> None:
        """Close every member and the loop. May be called twice."""
        if self._closed:
            return
        self._closed = True
        for member in self.members:
            self.remove(member)
            member.close()
        self._selector.close()
        self._wake_in.close()
        self._wake_out.close()

    def _scan(self, now_ns: int) -> None:
        """Poll all members for their descriptor and deadline."""
        self._touched.clear()
        self._busy = False
        self._scan_ns = now_ns + SCAN_NS * max(1, len(self._members) // SCANNED_TOGETHER)
        self._watch(self._members)
        self._due = {member: member.next_deadline_ns for member in self._members}
        self._heap = [
            (due, self._order[member], next(self._entries), member)
            for member, due in self._due.items()
            if due is not None
        ]
        heapq.heapify(self._heap)

    def _refresh_touched(self) -> None:
        """Poll the members that were called in this turn."""
        self._busy = True
        self._watch(self._touched)
        for member in self._touched:
            due = member.next_deadline_ns
            if member not in self._due or self._due[member] != due:
                self._expect(member, due)
        self._touched.clear()

    def _expect(self, member: Member, due: int | None) -> None:
        if due is not None and due != self._due.get(member):
            heapq.heappush(self._heap, (due, self._order[member], next(self._entries), member))
        self._due[member] = due

    def _watch(self, members: Iterable[Member]) -> None:
        """Update the selector for `members`."""
        # Unregister all before registering any: the system reuses the number of a closed descriptor at once.
        coming: list[tuple[Member, tuple[int, int]]] = []
        for member in members:
            before = self._members[member]
            descriptor = member.fileno()
            now = None
            if descriptor is not None:
                events = selectors.EVENT_READ | (selectors.EVENT_WRITE if member.wants_write() else 0)
                now = (descriptor, events)
            if now == before:
                continue
            if before is not None:
                self._selector.unregister(before[0])
                self._members[member] = None
            if now is not None:
                coming.append((member, now))
        for member, now in coming:
            self._selector.register(now[0], now[1], member)
            self._members[member] = now

    def _timeout_s(self, wait_s: float, now_ns: int) -> float:
        if self._soon or self._awake:
            return 0.0
        heap = self._heap
        while heap and self._due.get(heap[0][3]) != heap[0][0]:
            heapq.heappop(heap)
        soonest = heap[0][0] if heap else None
        if self._busy and (soonest is None or self._scan_ns < soonest):
            soonest = self._scan_ns
        if soonest is not None and soonest - now_ns < wait_s * 1e9:
            wait_s = (soonest - now_ns) / 1e9
        return wait_s

    def _meet_deadlines(self, now_ns: int) -> None:
        heap = self._heap
        standing: list[tuple[int, int, int, Member]] = []
        while heap and heap[0][0] <= now_ns:
            entry = heapq.heappop(heap)
            due, _, _, member = entry
            if self._due.get(member) != due:
                continue
            self._guard(member, member.on_deadline, due)
            if member not in self._members:
                continue
            following = member.next_deadline_ns
            # A deadline that does not advance waits for the next turn, or this one would never end.
            if following == due:
                standing.append(entry)
            else:
                self._expect(member, following)
        for entry in standing:
            heapq.heappush(heap, entry)

    def _guard(self, member: Member, handler: Callable[[int], None], now_ns: int) -> None:
        self._touched[member] = None
        try:
            handler(now_ns)
        except Exception as error:
            self.remove(member)
            member.close()
            if self._on_error is None:
                raise
            self._on_error(member, error)

    def _wake(self, member: Member) -> None:
        self._awake.append(member)
        self._send_wake()

    def _send_wake(self) -> None:
        # A full socket means that a wake-up is already pending; a closed one, that the loop has ended.
        with contextlib.suppress(OSError):
            self._wake_out.send(b"\0")

    def _drain_wakes(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._wake_in.recv(4096)
