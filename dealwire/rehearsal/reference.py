"""Reference devices in C at a table, and an operator who deals on them what simulated people deal on simulated devices.

The scenario's own dealer deals on simulated devices with a simulated clock. People's actions are derived from the
reports of those devices, and repeated at the programs `tdp-device`, each when its device is in the state in which the
action was done. The programs do what devices do themselves.
"""

import contextlib
import json
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import Final, NamedTuple

from dealwire.rehearsal.scenario import Scenario
from dealwire.rehearsal.simulate import reports
from devices import events as e
from devices.clock import SystemClock
from protocol.errors import LocalError
from protocol.tdp.messages import ActionManner, BadgeLevel, PlayerAction, RevealSource, ShufflerState

NAMES: Final = ("shuffler", "table-controller")
PROGRAM: Final = "tdp-device"
BUILT: Final = Path(__file__).parents[2] / "build/firmware" / PROGRAM
"""Path of the program after `make firmware` in a checkout."""
START_S: Final = 10.0
PATIENCE_NS: Final = 30_000_000_000
"""Nanoseconds far above any motion of a device at usual speeds."""
LOOK_S: Final = 0.005
PACE_S: Final = 0.8
"""Seconds between two actions of people, by the wall clock of a real table."""


class NoReferenceDevice(LocalError):
    """Error: the program does not exist."""

    def __init__(self) -> None:
        super().__init__(f"{PROGRAM} is not here: build it with 'make firmware' in a checkout, or put it on the PATH")


class Act(NamedTuple):
    """Action at a device, as its control socket takes it. It waits for `state`; None means at once."""

    device: str
    order: str
    state: int | None = None


def reference_program() -> Path:
    """Return the path of the program. Raise NoReferenceDevice if there is none."""
    found = shutil.which(PROGRAM)
    if found is None and not BUILT.is_file():
        raise NoReferenceDevice
    return Path(found) if found is not None else BUILT


def acts_of(scenario: Scenario) -> list[Act]:
    """Return people's actions in all rounds, in order. A wrong packet is arranged before its round begins, and a
    restart means a power cycle."""
    acts: list[Act] = []
    rounds = len(scenario.rounds)
    started: set[str] = set()
    state: int | None = None
    green = 0  # where the round's first green button stands in `acts`
    for seen in reports(scenario):
        body = seen.body
        if isinstance(body, e.StateChanged) and seen.device == "shuffler":
            state = ShufflerState[body.state]
        elif isinstance(body, e.PacketDispensed) and body.counted != body.expected:
            acts.insert(green, Act("shuffler", f"packet-count {body.ordinal} {body.counted - body.expected} 1"))
        elif isinstance(body, e.GreenButton) and state == ShufflerState.READY:
            green = len(acts)
        elif isinstance(body, e.Booted) and seen.device in started:
            acts += (Act(seen.device, "power off"), Act(seen.device, "power on"))
        elif isinstance(body, e.Booted):
            started.add(seen.device)
        order = order_of(body)
        if order is not None:
            waits = seen.device == "shuffler" and not isinstance(body, e.DeckLoaded)
            acts.append(Act(seen.device, order, state if waits else None))
        rounds -= isinstance(body, e.GameEnded)
        if not rounds:
            break
    return [act._replace(device="table-controller") if act.device == "controller" else act for act in acts]


def order_of(body: object) -> str | None:
    """Return the action that made a device report this; None for what it does by itself."""
    match body:
        case e.DeckLoaded():
            return "load 0 0"
        case e.GreenButton():
            return "green"
        case e.PacketLifted() | e.RemainderLifted():
            return "lift"
        case e.MisdealCleared(resume=resume):
            return "clear-resume" if resume else "clear-remove"
        case e.GameStarted():
            return "start-game"
        case e.GameEnded():
            return "end-game"
        case e.WagerPlaced(seat, bet, cents):
            return f"wager {seat} {bet} {cents}"
        case e.SensorChanged(seat, on):
            return f"bet-{'on' if on else 'off'} {seat}"
        case e.DecisionMade(seat, decision):
            return f"decide {seat} {decision}"
        case e.StakeShown(seat, cents):
            return f"stake {seat} {cents}"
        case e.PlayerActed(seat, action, cents, manner):
            return f"acted {seat} {_number(PlayerAction, action)} {_number(ActionManner, manner)} {cents}"
        case e.PotTaken(pot, seat, cents):
            return f"take-pot {pot} {seat} {cents}"
        case e.BurnConfirmed():
            return "burn"
        case e.CardsCounted(place, counted):
            return f"count {int(place)} {counted}"
        case e.HandRevealed(place, cards, keyed):
            source = RevealSource.KEYED if keyed else RevealSource.READER
            return " ".join(map(str, ("reveal", int(place), int(source), *map(int, cards))))
        case e.BadgeSwiped(_, level):
            return f"badge {int(BadgeLevel[level.upper()])}"
        case e.MisdealCalled(_, fault):
            return f"misdeal {int(fault)}"
    return None


def _number(kind: type[IntEnum], name: str) -> int:
    """Return the number of a name such as `raise` or `time-limit`; 0 for an empty name."""
    return kind[name.upper().replace("-", "_")] if name else 0


class ReferenceTable:
    """Shuffler and table controller in C on pseudo-terminals, `speed` times as fast as real ones.

    `addresses` are their lines. `begin` starts dealing in a thread; `failed` is the reason that it stopped early.
    """

    def __init__(self, scenario: Scenario, folder: Path, speed: float) -> None:
        self.addresses: dict[str, str] = {}
        self.failed: str | None = None
        self._acts = acts_of(scenario)
        self._folder, self._speed = folder, speed
        self._running: dict[str, subprocess.Popen[str]] = {}
        self._controls: dict[str, socket.socket] = {}
        self._clock = SystemClock()
        self._over = threading.Event()
        self._dealer = threading.Thread(target=self._deal, name="hands", daemon=True)

    def start(self) -> None:
        """Switch both devices on."""
        for name in NAMES:
            self._switch_on(name)

    def _options(self, name: str) -> list[str]:
        """Return further options of a device's program."""
        return []

    def _switch_on(self, name: str) -> None:
        line, control = self._folder / name, self._folder / f"{name}.control"
        words = [str(reference_program()), name, "--line", str(line), "--control", str(control), *self._options(name)]
        running = self._running[name] = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert running.stdout is not None
        announced = running.stdout.readline()
        if not announced:
            raise LocalError(f"{PROGRAM} {name} did not start; why stands above")
        self.addresses[name] = f"serial://{json.loads(announced)['line']}"
        self._controls[name] = socket.socket(socket.AF_UNIX)
        self._controls[name].settimeout(START_S)
        self._controls[name].connect(str(control))
        if name == "shuffler":
            self._order(name, f"speed {max(1, min(255, round(self._speed)))}")

    def begin(self) -> None:
        """Start dealing. Later calls have no effect."""
        if self._dealer.ident is None:
            self._dealer.start()

    def join(self) -> None:
        """Wait until everything is dealt or dealing has stopped."""
        self._dealer.join()

    def close(self) -> None:
        """Switch everything off."""
        self._over.set()
        if self._dealer.ident is not None:
            self._dealer.join()
        for control in self._controls.values():
            control.close()
        for running in self._running.values():
            running.terminate()
            running.wait()
            if running.stdout is not None:
                running.stdout.close()

    def _deal(self) -> None:
        try:
            for act in self._acts:
                if self._over.wait(PACE_S / self._speed):
                    return
                self._do(act)
        except (OSError, LocalError) as error:
            self.failed = str(error)

    def _do(self, act: Act) -> None:
        """Do an action once the device is in its state, and repeat it while it has no effect."""
        end_ns = self._clock.now_ns() + PATIENCE_NS
        while not self._over.is_set():
            there = act.state is None or self._order(act.device, f"state {act.state}") == "ok"
            if there and self._order(act.device, act.order) == "ok":
                return
            if self._clock.now_ns() > end_ns:
                raise LocalError(f"nothing comes of {act.order!r} at the {act.device}")
            self._over.wait(LOOK_S)

    def _order(self, device: str, words: str) -> str:
        control = self._controls[device]
        control.sendall(words.encode("ascii") + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            more = control.recv(64)
            if not more:
                raise LocalError(f"the {device} has closed its control socket")
            answer += more
        return answer.decode("ascii").strip()


@contextlib.contextmanager
def reference_table(scenario: Scenario, speed: float) -> Iterator[ReferenceTable]:
    """Switch on the devices, with their files in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="dealwire-") as folder:
        table = ReferenceTable(scenario, Path(folder), speed)
        try:
            table.start()
            yield table
        finally:
            table.close()
