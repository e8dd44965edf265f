"""Runs in the machine, as root, next to a real systemd: installs, upgrades, removes and purges the Debian package.

The machine's Python has no library but its own. One JSON object a line goes to /facts/facts, for the test.
`/packages/old.deb` is the version before, `new.deb` the one under test; the guide calls it by its own name.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path

NAME = "dealwire@pit"
ETC, STATE, OPT = Path("/etc/dealwire"), Path("/var/lib/dealwire"), Path("/opt/dealwire")
JOURNAL, KEY, EXAMPLE = STATE / "pit.journal", ETC / "journal.key", ETC / "example.toml"
DEVICES = Path("/srv/devices")
"""A copy of the program for the simulated devices, which an upgrade does not touch."""
WAIT_S = 300
NOISE = (
    "/proc",
    "/sys",
    "/dev",
    "/run",
    "/tmp",
    "/srv",
    "/facts",
    "/packages",
    "/var/log",
    "/var/lib/dpkg",
    "/var/cache",
    "/var/lib/apt",
)
"""Folders that change in any running machine, or are the rig's own."""
GUIDE = json.loads(Path("/packages/guide.json").read_text())
"""Commands from the guide."""
TABLE = """schema = "dealwire.table/1"
[journal]
path = "{journal}"
key-file = "{key}"
[[table]]
name = "pit"
procedure = "flushes-gone-wild.co"
meters = {{ meter = 1000000 }}
[[table.device]]
name = "shuffler"
kind = "shuffler"
address = "{shuffler}"
[[table.device]]
name = "controller"
kind = "table-controller"
address = "{controller}"
"""


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


def as_service(*command):
    """Run a command as the user that serves: a key is for its owner alone."""
    return run("setpriv", "--reuid=dealwire", "--regid=dealwire", "--init-groups", *command)


def shown(*properties):
    lines = run("systemctl", "show", NAME, f"--property={','.join(properties)}").stdout.splitlines()
    return dict(line.split("=", 1) for line in lines)


def rounds():
    """Rounds of this life of the service, as its status text says."""
    found = re.search(r"(\d+) rounds?$", shown("StatusText")["StatusText"])
    return int(found[1]) if found else 0


def await_that(holds):
    end = time.monotonic() + WAIT_S
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def files():
    """Every file and folder of the machine that is not noise."""
    found = set()
    for folder, folders, names in os.walk("/"):
        folders[:] = [each for each in folders if os.path.join(folder, each) not in NOISE]
        found |= {os.path.join(folder, each) for each in [*folders, *names]}
    return found


def known(what):
    """The lines of passwd or group that name the user."""
    return [line for line in Path(f"/etc/{what}").read_text().splitlines() if "dealwire" in line]


class Rig:
    def __init__(self):
        self.reader = (str(DEVICES / "bin/python3"), "-m", "dealwire")
        self.facts = Path("/facts/facts").open("w", buffering=1)  # noqa: SIM115

    def tell(self, trial, **facts):
        self.facts.write(json.dumps({"trial": trial, **facts}) + "\n")
        print(trial, facts, flush=True)

    def run(self):
        self.tell(
            "booted", version=run("systemctl", "--version").stdout.split()[1], pid_1=Path("/proc/1/comm").read_text()
        )
        before = files()
        self.first_round()
        self.purge_unused(before)
        self.install_old()
        self.serve()
        self.upgrade()
        self.goes_on()
        self.remove()
        self.purge(before)
        self.own_table()
        self.tell("end")

    def first_round(self):
        """From a machine without it to a settled round in the console, as the guide says."""
        began = time.monotonic()
        code, said = 0, ""
        for line in GUIDE["set up"]:
            done = run("sh", "-c", line.replace("sudo ", ""), cwd="/packages")
            code, said = code or done.returncode, said + done.stdout + done.stderr
        installed_s = time.monotonic() - began
        command = GUIDE["serves"].split()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/tmp") as process:
            settled = await_that(self.console_shows_a_settled_round)
            seconds = time.monotonic() - began
            process.terminate()
        facts = {"installed_s": installed_s, "seconds": seconds, "commands": len(GUIDE["set up"]) + 1}
        self.tell("first round", code=code, said=said, settled=settled, **facts)

    def console_shows_a_settled_round(self):
        with contextlib.suppress(OSError):
            page = urllib.request.urlopen("http://127.0.0.1:8420/", timeout=10).read().decode()
            return re.search(r"round \d+: the house (won|lost)", page) is not None
        return False

    def purge_unused(self, before):
        done = run("dpkg", "--purge", "dealwire")
        left = sorted(files() - before)
        self.tell("purged unused", code=done.returncode, left=left, users=known("passwd") + known("group"))

    def install_old(self):
        began = time.monotonic()
        done = run("dpkg", "-i", "/packages/old.deb")
        self.tell(
            "old", code=done.returncode, version=run("dealwire", "--version").stdout, seconds=time.monotonic() - began
        )

    def serve(self):
        """Set up a table as a technician would, on simulated devices."""
        shutil.copytree(OPT, DEVICES, symlinks=True)
        sim = [
            str(DEVICES / "bin/python3"),
            "-m",
            "dealwire",
            "sim",
            "--scenario",
            "clean-1",
            "--endless",
            "--speed",
            "2",
        ]
        lines = ["--json", "--shuffler", "tcp:0", "--controller", "tcp:0"]
        self.devices = subprocess.Popen([*sim, *lines], stdout=subprocess.PIPE, text=True)
        self.addresses = addresses = json.loads(self.devices.stdout.readline())["lines"]
        run("dealwire", "journal", "key", "new", str(KEY), check=True)
        shutil.chown(KEY, "dealwire", "dealwire")
        places = {"shuffler": addresses["shuffler"], "controller": addresses["table-controller"]}
        (ETC / "pit.toml").write_text(TABLE.format(journal=JOURNAL, key=KEY, **places))
        checked = as_service("dealwire", "run", "--check", str(ETC / "pit.toml"))
        started = run("systemctl", "enable", "--now", NAME)
        up = await_that(lambda: rounds() >= 1)
        self.tell(
            "serves",
            checked=checked.returncode,
            said=checked.stdout + checked.stderr,
            code=started.returncode,
            up=up,
            modes={str(each): oct(each.stat().st_mode)[-3:] for each in (ETC, STATE, KEY, JOURNAL)},
            owner=STATE.owner(),
            groups=run("id", "-nG", "dealwire").stdout.split(),
        )

    def last_rounds(self):
        """Rounds of the journal: until the upgrade by the copy of the program that it does not touch."""
        said = run(*self.reader, "journal", "rounds", str(JOURNAL), "--json", "--most", "500").stdout.splitlines()
        return [json.loads(line) for line in said][::-1]

    def upgrade(self):
        with EXAMPLE.open("a") as file:
            file.write("# edited by the technician\n")
        middle = await_that(self.under_way)
        pid = shown("MainPID")["MainPID"]
        began = time.monotonic()
        stopped, before = [], []
        process = subprocess.Popen(
            ["dpkg", "-i", "/packages/new.deb"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        while process.poll() is None:
            if not stopped and shown("ActiveState")["ActiveState"] != "active":
                stopped.append(time.monotonic())
                before = self.last_rounds()
            time.sleep(0.05)
        said = process.stdout.read()
        up = await_that(lambda: shown("ActiveState")["ActiveState"] == "active")
        down_s = time.monotonic() - stopped[0] if stopped else 0
        now = shown("ActiveState", "MainPID", "NRestarts", "StatusText")
        self.tell(
            "upgraded",
            code=process.returncode,
            said=said,
            middle=middle,
            up=up,
            down_s=down_s,
            other=now["MainPID"] != pid,
            seconds=time.monotonic() - began,
            version=run("dealwire", "--version").stdout,
            under_way=before[-1:],
            example="# edited by the technician" in EXAMPLE.read_text(),
            **now,
        )
        self.before = before

    def under_way(self):
        """Return True if the newest round has started and not ended."""
        newest = self.last_rounds()[-1:]
        return bool(newest) and newest[0]["end_ns"] is None

    def goes_on(self):
        self.reader = ("dealwire",)  # the version before does not read what a newer one has written
        further = await_that(lambda: len(self.last_rounds()) >= len(self.before) + 3)
        printed = {what: run("dealwire", "run", f"--print-{what}").stdout for what in ("unit", "udev")}
        same = {
            "unit": printed["unit"] == Path("/lib/systemd/system/dealwire@.service").read_text(),
            "udev": printed["udev"] == Path("/lib/udev/rules.d/70-dealwire.rules").read_text(),
        }
        stopped = run("systemctl", "stop", NAME)
        checks = [
            as_service("dealwire", "journal", what, str(JOURNAL), "--key", str(KEY)) for what in ("verify", "rebuild")
        ]
        self.tell(
            "goes on",
            further=further,
            same=same,
            code=stopped.returncode,
            rounds=self.last_rounds(),
            before=len(self.before),
            checks=[each.returncode for each in checks],
            said=[each.stdout[-600:] + each.stderr for each in checks],
            journal=run("journalctl", "-u", NAME, "-o", "cat", "-n", "60").stdout[-4000:],
        )
        run("systemctl", "start", NAME)
        await_that(lambda: shown("ActiveState")["ActiveState"] == "active")

    def remove(self):
        done = run("dpkg", "-r", "dealwire")
        self.tell(
            "removed",
            code=done.returncode,
            said=done.stdout + done.stderr,
            **shown("ActiveState"),
            opt=OPT.exists(),
            journal=JOURNAL.exists(),
            table=(ETC / "pit.toml").exists(),
        )

    def purge(self, before):
        digest = run("sha256sum", str(JOURNAL)).stdout
        done = run("dpkg", "--purge", "dealwire")
        left = sorted(files() - before)
        self.tell(
            "purged",
            code=done.returncode,
            said=done.stdout + done.stderr,
            left=left,
            users=known("passwd"),
            same=run("sha256sum", str(JOURNAL)).stdout == digest != "",
        )

    def own_table(self):
        """A table by the questions of `init`, here answered beforehand, in the commands of the guide."""
        run("apt-get", "install", "-y", "./new.deb", cwd="/packages")
        as_user = "setpriv --reuid=dealwire --regid=dealwire --init-groups"
        answers = " --yes --game flushes-gone-wild.co"
        answers += "".join(f" --device {kind}={address}" for kind, address in self.addresses.items())
        done = []
        for line in GUIDE["own table"]:
            typed = line.replace("sudo -u dealwire", as_user).replace("sudo ", "")
            done.append(run("sh", "-c", typed + (answers if " init " in typed else "")))
        name = "dealwire@table"
        up = await_that(
            lambda: re.search(r"[1-9]\d* round", run("systemctl", "show", name, "--property=StatusText").stdout)
        )
        said = [each.stdout[-1500:] + each.stderr for each in done]
        self.tell("own table", codes=[each.returncode for each in done], said=said, up=bool(up))
        self.devices.terminate()


if __name__ == "__main__":
    try:
        Rig().run()
    finally:
        subprocess.run(["systemctl", "poweroff", "--force", "--force"])
