"""Runs in the guest, as root, with a real systemd: operates `dealwire@pit` and reports what systemd did.

One JSON object a line goes to the virtio port `facts`; the test outside evaluates them. The unit is the one that
`dealwire run --print-unit` prints, the devices are simulated ones on TCP ports.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

NAME = "dealwire@pit"
SETTINGS, STATE = Path("/etc/dealwire/pit.toml"), Path("/var/lib/dealwire")
JOURNAL, KEY = STATE / "journal.sqlite", Path("/etc/dealwire/journal.key")
FULL = STATE / "full"
OWNER = 970
WAIT_S = 300
"""Timeout on failure: a guest without hardware support is twenty times as slow."""
QUIET_S = 15
"""Long enough to see that nothing restarts it, which would take two seconds."""
SHOWN = ("ActiveState", "SubState", "Result", "MainPID", "NRestarts", "ExecMainStatus", "ExecMainCode", "StatusText")
TABLE = """schema = "dealwire.table/1"
[journal]
path = "{journal}"
key-file = "{key}"
[[table]]
name = "pit"
procedure = "flushes-gone-wild.co"
seats = {seats}
[[table.device]]
name = "shuffler"
kind = "shuffler"
address = "{shuffler}"
[[table.device]]
name = "controller"
kind = "table-controller"
address = "{controller}"
"""


def systemctl(*arguments):
    return subprocess.run(["systemctl", *arguments], capture_output=True, text=True)


def shown():
    lines = systemctl("show", NAME, f"--property={','.join(SHOWN)}").stdout.splitlines()
    found = dict(line.split("=", 1) for line in lines)
    return {name: int(value) if value.isdecimal() else value for name, value in found.items()}


def rounds():
    """Return the number of rounds in this life of the service, from its status text."""
    found = re.search(r"(\d+) rounds?$", shown()["StatusText"])
    return int(found[1]) if found else 0


def await_that(holds):
    end = time.monotonic() + WAIT_S
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def is_up(*, since=0):
    now = shown()
    return now["ActiveState"] == "active" and now["MainPID"] != since and rounds() >= 1


class Rig:
    def __init__(self):
        port = next(at for at in Path("/sys/class/virtio-ports").iterdir() if (at / "name").read_text() == "facts\n")
        self.facts = Path(f"/dev/{port.name}").open("w", buffering=1)  # noqa: SIM115

    def tell(self, trial, **facts):
        self.facts.write(json.dumps({"trial": trial, **facts}) + "\n")
        print(trial, facts, flush=True)

    def run(self):
        addresses = self.devices()
        self.tell("booted", version=systemctl("--version").stdout.split()[1], seconds=time.monotonic())
        self.write_settings(addresses)
        trials = (self.starts, self.killed, self.hangs, self.stops, self.settings, self.mode, self.full, self.damaged)
        for trial in trials:
            trial(addresses)
        self.tell("end")

    def devices(self):
        command = ["/usr/local/bin/dealwire", "sim", "--scenario", "clean-1", "--endless", "--speed", "20", "--json"]
        lines = ["--shuffler", "tcp:0", "--controller", "tcp:0"]
        process = subprocess.Popen([*command, *lines], stdout=subprocess.PIPE, text=True)
        return json.loads(process.stdout.readline())["lines"]

    def write_settings(self, addresses, seats=6):
        text = TABLE.format(
            journal=JOURNAL,
            key=KEY,
            seats=seats,
            shuffler=addresses["shuffler"],
            controller=addresses["table-controller"],
        )
        SETTINGS.write_text(text)
        if not KEY.exists():
            subprocess.run(["/usr/local/bin/dealwire", "journal", "key", "new", str(KEY)], check=True)
            os.chown(KEY, OWNER, OWNER)

    def fails(self, trial):
        """Start it, and check that it ends and stays ended."""
        systemctl("reset-failed", NAME)
        done = systemctl("start", NAME)
        await_that(lambda: shown()["ActiveState"] == "failed")
        time.sleep(QUIET_S)
        said = subprocess.run(["journalctl", "-u", NAME, "-o", "cat", "-n", "40"], capture_output=True, text=True)
        own = [line for line in said.stdout.splitlines() if line.startswith("dealwire: ")]
        self.tell(trial, code=done.returncode, said=own[-1:], **shown())

    # -------------------------------------------------------------- the trials

    def starts(self, addresses):
        done = systemctl("start", NAME)
        up = await_that(is_up)
        limits = Path(f"/proc/{shown()['MainPID']}/limits").read_text()
        found = {
            name: re.search(rf"^{text} +(\S+)", limits, re.MULTILINE)[1]
            for name, text in (("core", "Max core file size"), ("descriptors", "Max open files"))
        }
        self.tell("starts", code=done.returncode, up=up, **found, **shown())

    def killed(self, addresses):
        before = shown()["MainPID"]
        os.kill(before, signal.SIGKILL)
        self.tell("killed", up=await_that(lambda: is_up(since=before)), **shown())

    def hangs(self, addresses):
        before = shown()["MainPID"]
        os.kill(before, signal.SIGSTOP)
        ended = await_that(lambda: shown()["MainPID"] != before)
        said = subprocess.run(["journalctl", "-u", NAME, "-o", "cat"], capture_output=True, text=True).stdout
        up = await_that(lambda: is_up(since=before))
        self.tell("hangs", ended=ended, watchdog="atchdog timeout" in said, up=up, **shown())

    def stops(self, addresses):
        done = systemctl("stop", NAME)
        checked = [
            subprocess.run(
                ["/usr/local/bin/dealwire", "journal", what, str(JOURNAL), "--key", str(KEY)],
                capture_output=True,
                text=True,
                user=OWNER,  # the key is the service's: for anyone else it is a file of another user
                group=OWNER,
            )
            for what in ("verify", "rebuild")
        ]
        self.tell(
            "stops",
            code=done.returncode,
            checks=[each.returncode for each in checked],
            said=[each.stdout + each.stderr for each in checked],
            **shown(),
        )

    def settings(self, addresses):
        self.write_settings(addresses, seats=60)
        self.fails("settings")
        self.write_settings(addresses)

    def mode(self, addresses):
        KEY.chmod(0o644)
        self.fails("mode")
        KEY.chmod(0o600)

    def full(self, addresses):
        # The guest's seconds are long: five starts of its take more than the unit's three minutes.
        folder = Path(f"/run/systemd/system/{NAME}.service.d")
        folder.mkdir(parents=True)
        (folder / "slow.conf").write_text("[Unit]\nStartLimitIntervalSec=1800\n")
        systemctl("daemon-reload")
        with FULL.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        self.fails("full")
        FULL.unlink()
        systemctl("reset-failed", NAME)
        done = systemctl("start", NAME)
        self.tell("room again", code=done.returncode, up=await_that(is_up), **shown())
        systemctl("stop", NAME)
        shutil.rmtree(folder)
        systemctl("daemon-reload")

    def damaged(self, addresses):
        db = sqlite3.connect(JOURNAL)
        db.execute("UPDATE record SET at_ns = at_ns + 1 WHERE sequence = (SELECT max(sequence) FROM record)")
        db.commit()
        db.close()
        for file in STATE.iterdir():
            os.chown(file, OWNER, OWNER)
        self.fails("damaged")


if __name__ == "__main__":
    Rig().run()
