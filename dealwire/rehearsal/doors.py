"""A person at the doors of simulated devices: opens one, has the device show a code or forget its hosts, closes it."""

import os
import stat
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from devices.line.loop import Member
from devices.simulator.identity import IdentityProblem
from devices.simulator.unit import Unit
from devices.simulator.unit_seal import UnitSeal
from protocol.errors import DealwireError
from protocol.tdp.messages import Role
from protocol.tdp.seal.suite import SealSuite

ALLOWED: Final = "pair [with a role behind the device], forget or close, and a device"
_CHUNK: Final = 4096
_LINE_MAX: Final = 200


class Doors(Member):
    """Gives the units keys from files in `folder`, follows lines on standard input such as `pair shuffler`, and shows
    what the devices show. `pump` moves their output onto their lines."""

    def __init__(
        self,
        units: Mapping[str, Unit],
        folder: Path,
        suite: SealSuite,
        pump: Callable[[int], None],
        show: Callable[[str, str], None],
        now_ns: int,
    ) -> None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise IdentityProblem(folder, f"cannot be made: {error.strerror}") from error
        for name, unit in units.items():
            unit.seal = UnitSeal(suite, folder / f"{name}.identity")
            unit.identify(unit.seal.identity)
        self._units, self._pump, self._show = units, pump, show
        self._faces: dict[str, tuple[str, ...]] = {}
        self._typed = b""
        self._input = _typed_input()
        self._look_ns = now_ns

    def fileno(self) -> int | None:
        """Return the descriptor of standard input; None once it ended."""
        return self._input

    @property
    def next_deadline_ns(self) -> int | None:
        """Time to look at the devices' faces."""
        return self._look_ns

    def on_deadline(self, now_ns: int) -> None:
        """Show what changed on the devices' faces."""
        self._look_ns = now_ns + 100_000_000
        for name, unit in self._units.items():
            face = unit.seal.face() if unit.seal is not None else ()
            for text in face:
                if text not in self._faces.get(name, ()):
                    self._show(name, text)
            self._faces[name] = face

    def on_readable(self, now_ns: int) -> None:
        """Follow what was typed."""
        assert self._input is not None
        data = os.read(self._input, _CHUNK)
        if not data:
            self._input = None
            return
        *lines, self._typed = (self._typed + data).split(b"\n")
        self._typed = self._typed[-_LINE_MAX:]
        for line in lines:
            self._follow(line.decode("ascii", "replace").split(), now_ns)
        self._pump(now_ns)
        self.on_deadline(now_ns)

    def close(self) -> None:
        """Leave the doors as they are."""
        self._input = None

    def _follow(self, words: list[str], now_ns: int) -> None:
        if not words:
            return
        act, name, role = [*words, "", ""][:3]
        unit = self._units.get(name)
        fits = role.upper() in Role.__members__ if act == "pair" and role else len(words) == 2
        if act not in ("pair", "forget", "close") or unit is None or unit.seal is None or not fits:
            self._show(
                "door", f"not followed: {' '.join(words)[:40]!r}; allowed: {ALLOWED} of {', '.join(self._units)}"
            )
            return
        try:
            unit.seal.open_door(act != "close")
            if act == "pair":
                unit.seal.allow_pairing(now_ns, Role[role.upper() or "OPERATE"])
            elif act == "forget":
                unit.seal.forget_hosts()
                self._show(name, "forgot its hosts")
        except DealwireError as error:
            self._show(name, str(error))


def _typed_input() -> int | None:
    """Return the descriptor of standard input if someone can type or send lines there later."""
    if sys.stdin is None:
        return None
    mode = os.fstat(sys.stdin.fileno()).st_mode
    return sys.stdin.fileno() if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or sys.stdin.isatty() else None
