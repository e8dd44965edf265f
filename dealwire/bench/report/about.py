"""Facts about the program, the machine and the plan in the head of a report."""

import hashlib
import json
import platform
import shutil
import subprocess
from datetime import datetime
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Final

from dealwire.bench.plan.plan import BenchPlan, packaged_plan, packaged_plans
from dealwire.bench.report.report import DeviceFacts, PlanFacts, PlanOrigin, ProgramFacts, ProtocolFacts
from dealwire.version import __version__
from protocol.tdp.messages import Capability, DeviceClass, HelloReplyMessage
from protocol.tdp.packets import VERSION_TEXT
from protocol.tdp.vetting import common_version

PACKAGES: Final = ("protocol", "devices", "dealer_flow", "rules", "dealwire")
GIT_S: Final = 10
"""Maximum seconds for git to name the commit."""


@cache
def program_facts() -> ProgramFacts:
    """Return the facts about this program as it is on the disk."""
    return ProgramFacts("dealwire", __version__, _commit(), _program_digest())


def _program_digest() -> str:
    """Return the SHA-256 over a line for each file of the five packages, sorted by name: its digest in hexadecimal, two
    spaces, its name. `sha256sum` prints the same lines."""
    lines = []
    for package in PACKAGES:
        folder = Path(str(import_module(package).__file__)).parent
        for path in folder.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
                lines.append((path.relative_to(folder.parent).as_posix(), digest))
    return hashlib.sha256("".join(f"{digest}  {name}\n" for name, digest in sorted(lines)).encode()).hexdigest()


def _commit() -> str:
    """Return the installed commit, or the commit of the checkout; empty if neither is known."""
    try:
        origin = json.loads(metadata.distribution("dealwire").read_text("direct_url.json") or "{}")
        if commit := origin.get("vcs_info", {}).get("commit_id"):
            return str(commit)
    except (metadata.PackageNotFoundError, ValueError):
        pass
    checkout = Path(__file__).parents[2]
    if not (checkout / ".git").exists() or shutil.which("git") is None:
        return ""
    command = ["git", "-C", str(checkout), "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=, altered"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=GIT_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def plan_facts(plan: BenchPlan) -> PlanFacts:
    """Return the facts about a plan, compared with the included plan of its id."""
    left_out: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    origin = PlanOrigin.OWN
    if plan.id in packaged_plans():
        packaged = packaged_plan(plan.id)
        origin = PlanOrigin.PACKAGED if packaged.sha256 == plan.sha256 else PlanOrigin.SAME_ID
        mine = {entry.id: entry for entry in plan.entries}
        left_out = tuple(name for name in packaged.ids if name not in mine)
        altered = tuple(entry.id for entry in packaged.entries if mine.get(entry.id, entry) != entry)
    return PlanFacts(
        plan.id, plan.title, plan.device, plan.granted.name, plan.allowance_ms, origin, plan.sha256, plan.files,
        len(plan.ids), left_out, altered,
    )  # fmt: skip


def device_facts(hello: HelloReplyMessage | None, kind: str) -> DeviceFacts:
    """Return the device's description of itself. A device of another dialect cannot give one: it has the `kind` of its
    plan."""
    if hello is None:
        return DeviceFacts(kind, "", "", "", "", "", (), 0, 0, 0)
    try:
        kind = DeviceClass(hello.device_class).name.lower().replace("_", " ")
    except ValueError:
        kind = f"device of class {hello.device_class}"
    offered = tuple(one.name or "" for one in Capability if hello.capabilities & one)
    digest = hello.digest.hex() if any(hello.digest) else ""
    return DeviceFacts(
        kind, hello.maker, hello.model, hello.serial, hello.firmware, digest, offered, hello.boot_count,
        hello.event_depth, hello.max_frame,
    )  # fmt: skip


def protocol_facts(hello: HelloReplyMessage | None, dialect: str) -> ProtocolFacts:
    """Return the protocol versions of the bench and the device. Another dialect has none."""
    if hello is None:
        return ProtocolFacts(dialect, "", "", "", "")
    common = common_version(hello)
    return ProtocolFacts(
        "tdp",
        VERSION_TEXT,
        f"{hello.lowest_major}.{hello.lowest_minor}",
        f"{hello.highest_major}.{hello.highest_minor}",
        f"{common[0]}.{common[1]}" if common else "",
    )


def system_words() -> str:
    """Return the operating system and the Python version."""
    return f"{platform.system()} {platform.release()} {platform.machine()}, Python {platform.python_version()}"


def local_time(at_ns: int) -> datetime:
    """Return the time in the local zone."""
    return datetime.fromtimestamp(at_ns / 1e9).astimezone()
