"""A table of reference devices in C with sealed lines and certified firmware: paired, dealt on, killed."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import Final

from click.testing import CliRunner

from dealwire.cli import main
from dealwire.rehearsal.reference import NAMES, Act, ReferenceTable
from dealwire.rehearsal.scenario import Scenario
from tests.support.rigs import attested
from tests.support.rigs.patience import wait_until

MODELS: Final = {"shuffler": "tdp-shuffler", "table-controller": "tdp-controller"}
SERIAL: Final = "TDP-0001"
SETUP: Final = {
    "shuffler": ("open-setup", "close-setup"),
    "table-controller": ("table-setup 1", "table-setup 0"),
}
"""Acts by which a person opens a device and closes it."""
IMAGE: Final = b"1.0.0"
"""Image that the program measures unless it gets another: the text of its version."""


def allowed_list() -> str:
    """Return a signed list with the firmware of these devices."""
    digest = hashlib.sha256(IMAGE).hexdigest()
    lines = [f"firmware {name} 0 {len(IMAGE)} {digest} dealwire {model} 1.0.0\n" for name, model in MODELS.items()]
    return attested.list_text(lines=lines)


class SealedReferenceTable(ReferenceTable):
    """Shuffler and table controller with identities of a maker. Dealing pauses after each game until `go_on` is set."""

    def __init__(self, scenario: Scenario, folder: Path, speed: float) -> None:
        super().__init__(scenario, folder, speed)
        self.go_on = threading.Event()
        self._files = folder
        for number, (name, model) in enumerate(MODELS.items()):
            identity = attested.identity(number, name, model=model, serial=SERIAL)
            file = folder / f"{name}.identity"
            file.write_text(identity._replace(secret=bytes([60 + number]) * 32).text)
            file.chmod(0o600)

    def _options(self, name: str) -> list[str]:
        return ["--identity", str(self._files / f"{name}.identity"), "--store", str(self._files / f"{name}.store")]

    def pair(self, keys: Path) -> None:
        """Pair each device with the host whose keys are in this folder, as a person at its door does."""
        for name in NAMES:
            opening, closing = SETUP[name]
            wait_until(lambda name=name, opening=opening: self._order(name, opening) == "ok", f"{name} in setup")
            wait_until(lambda name=name: len(self._order(name, "pair 1")) == 16, f"{name} in pairing")
            words = ["device", "pair", self.addresses[name], "--code", self._order(name, "pair 1"), "--sas", "none"]
            done = CliRunner().invoke(main, [*words, "--keys", str(keys)])
            assert done.exit_code == 0, done.output
            assert self._order(name, closing) == "ok"

    def kill(self) -> None:
        """Kill both devices, with no warning, and switch them on again with the stores that they leave."""
        for name in NAMES:
            self._controls[name].close()
            running = self._running[name]
            running.kill()
            running.wait()
            assert running.stdout is not None
            running.stdout.close()
            self._switch_on(name)

    def _do(self, act: Act) -> None:
        super()._do(act)
        if act.order == "end-game":
            while not self.go_on.wait(0.05) and not self._over.is_set():
                pass
