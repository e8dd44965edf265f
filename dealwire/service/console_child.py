"""The console as a child of the table service: started, watched, and started again when it ends.

It has the listening socket and one end of a pair of sockets, and nothing else of this process: no journal, no key, no
line. Whatever happens to it, the tables continue.
"""

import logging
import os
import signal
import socket
import subprocess
import threading
from contextlib import suppress
from typing import Final

from dealwire.hub.health import Health
from dealwire.own_program import own_program
from dealwire.service.console_gate import ConsoleGate
from devices.clock import SystemClock

_log = logging.getLogger("dealwire")

FIRST_S: Final = 1.0
LONGEST_S: Final = 30.0
"""Waits before the process is started again: each twice the one before."""
STEADY_S: Final = 60.0
"""A process that ran for so long begins with the first wait again."""
LOOK_S: Final = 0.5
"""Interval at which the process is looked at."""
GREET_S: Final = 60.0
"""Longest time from its start to its first message."""
CUT_S: Final = 5.0
"""Time from the end of its connection until the process is killed."""
STOP_S: Final = 1.2
"""Time for pages to be told of the end; the service must be gone within 1.5 s."""
STOPPING: Final = "the table service is stopping"
_OF_SYSTEMD: Final = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")


class ConsoleChild:
    """Runs `dealwire console` on `listener`, connected to `gate`, and counts in `health` how often it starts again."""

    def __init__(self, gate: ConsoleGate, listener: socket.socket, health: Health) -> None:
        self._gate, self._listener, self._health = gate, listener, health
        self._host = SystemClock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="console child", daemon=True)

    def start(self) -> None:
        """Start the process."""
        self._thread.start()

    def hang_up(self) -> str:
        """Pass SIGHUP on; return what happens, for the log."""
        process = self._process
        if process is None or not self._gate.connected(process.pid):  # a signal would end it before it is ready
            return "is read when the console starts again"
        process.send_signal(signal.SIGHUP)
        return "is read by the console's process"

    def stop(self) -> None:
        """End the process, by a message and then by force."""
        self._stopping.set()
        self._gate.stop(STOPPING, STOP_S)
        self._thread.join()

    def _now_s(self) -> float:
        return self._host.now_ns() / 1e9

    def _run(self) -> None:
        wait_s, restarts = FIRST_S, 0
        self._health.console_restarts = restarts
        while not self._stopping.is_set():
            began_s = self._now_s()
            how = self._once()
            if self._stopping.is_set():
                return
            if self._now_s() - began_s > STEADY_S:
                wait_s = FIRST_S
            _log.warning("console: %s; it starts again in %.0f s, and the tables continue", how, wait_s)
            self._health.console_restarts = restarts = restarts + 1
            self._stopping.wait(wait_s)
            wait_s = min(2 * wait_s, LONGEST_S)

    def _once(self) -> str:
        """Start the process, watch it, and return how it ended."""
        ours, theirs = socket.socketpair()
        with theirs:
            ends = theirs.fileno(), self._listener.fileno()
            command = own_program("console", "--fd", str(ends[0]), "--listen-fd", str(ends[1]))
            environment = {name: value for name, value in os.environ.items() if name not in _OF_SYSTEMD}
            try:
                self._process = process = subprocess.Popen(
                    command, pass_fds=ends, stdin=subprocess.DEVNULL, env=environment
                )
            except OSError as error:
                ours.close()
                return f"its process cannot be started: {error.strerror}"
        self._gate.adopt(ours)
        self._watch(process)
        return _ended(process.returncode)

    def _watch(self, process: "subprocess.Popen[bytes]") -> None:
        """Return when the process has ended, or must not be waited for. One whose connection is gone is killed."""
        greeted, gone_s = False, self._now_s() + GREET_S
        while process.poll() is None:
            if self._stopping.wait(LOOK_S):
                _see_off(process)
                return
            now_s = self._now_s()
            if self._gate.connected(process.pid):
                greeted, gone_s = True, now_s + CUT_S
            elif now_s > gone_s:
                _log.warning("console: killed: %s", "it lost its connection" if greeted else "it did not start")
                process.kill()


def _see_off(process: "subprocess.Popen[bytes]") -> None:
    """Wait for the process, which is ending. This thread started it, and it dies with this thread."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(STOP_S)
    process.kill()
    process.wait()


def _ended(code: int | None) -> str:
    if code is None or code == 0:
        return "its process ended"
    return f"its process was killed by signal {-code}" if code < 0 else f"its process ended with exit code {code}"
