"""Findings about the program itself: its files, the newest opening of a journal, and a signed release."""

import base64
import hashlib
import importlib.util
import json
import stat
from collections.abc import Iterator
from datetime import datetime
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final

from dealwire.bytecode import planted
from dealwire.config.schema import Configuration
from dealwire.host import HostFinding
from dealwire.journal.errors import JournalError
from dealwire.program_digest import (
    FOLDER,
    OURS,
    PACKAGES,
    folder_of,
    place_of,
    program_digest,
    program_facts,
    program_files,
)
from dealwire.version import __version__
from devices.extras import install_command

RELEASE_KEY: Final = FOLDER / "dealwire/release.pem"
"""The public half of the key that signs releases."""
SIGNATURE_BYTES: Final = 64
SUMS_MAX: Final = 65_536
RESTART: Final = "after an upgrade restart the service; otherwise compare both with the digest of the release"
RECOMPILED: Final = "Python may have compiled some since; restart the service, so that it runs what is there now"
CLEAN: Final = "delete the program's folders __pycache__, restart the service, and find out who could write there"
ELSEWHERE: Final = (
    "remove it from PYTHONPATH, the service's unit and Python's .pth files, and find out who put it there"
)
REINSTALL: Final = "install the release again, after `dealwire doctor --release SHA256SUMS`"


def of_program() -> Iterator[HostFinding]:
    """Yield findings about the files of this program: its digest, and what differs from its installation."""
    named = f"dealwire {__version__}, digest {program_digest()}"
    for package in PACKAGES:
        if (there := folder_of(package)) != FOLDER:
            text = f"the package {package} is imported from {there}; this program is in {FOLDER}"
            yield HostFinding("program", "bad", text, ELSEWHERE)
    try:
        made = distribution(OURS)
    except PackageNotFoundError:
        yield HostFinding("program", "note", f"{named}; it is not installed, so there is nothing to compare it with")
        return
    if _is_checkout(made):
        yield HostFinding("program", "note", f"{named}; it runs from a checkout, which has no list of installed files")
        return
    wrong = [(text, REINSTALL) for text in _differences(made)]
    wrong += [(f"{path} would run in place of its source, and does not come from it", CLEAN) for path in planted()]
    for text, remedy in wrong[:10]:
        yield HostFinding("program", "bad", text, remedy)
    if len(wrong) > 10:
        yield HostFinding("program", "bad", f"{len(wrong) - 10} more files differ from what was installed", REINSTALL)
    if not wrong:
        yield HostFinding("program", "good", f"{named}; every file is as installed")


def _is_installed() -> bool:
    """True if the program runs from where an installer has put it."""
    try:
        return not _is_checkout(distribution(OURS))
    except PackageNotFoundError:
        return False


def _is_checkout(made: Distribution) -> bool:
    """True if the program runs from the folder of its source."""
    try:
        return bool(json.loads(made.read_text("direct_url.json") or "{}").get("dir_info", {}).get("editable"))
    except (ValueError, AttributeError):
        return False


def _differences(made: Distribution) -> Iterator[str]:
    """Yield each file that is not as the list of installed files has it."""
    listed = {
        each.as_posix(): each.hash.value if each.hash is not None else ""
        for each in made.files or ()
        if each.parts[0] in PACKAGES and "__pycache__" not in each.parts
    }
    present = set(program_files())
    for path in sorted(present - listed.keys()):
        yield f"{path} was not installed with it"
    for path, digest in sorted(listed.items()):
        if path not in present:
            yield f"{path} was installed and is missing"
        elif digest != _as_listed(place_of(path)):
            yield f"{path} differs from what was installed"


def _as_listed(path: Path) -> str:
    try:
        found = hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return "unreadable"
    return base64.urlsafe_b64encode(found).decode().rstrip("=")


# ------------------------------------------------------------------ the journal


def of_opening(found: Configuration) -> Iterator[HostFinding]:
    """Yield a finding about the program that opened the journal last: the one that serves, or served, the tables."""
    from dealwire.journal import JournalReader
    from dealwire.journal.log_records import read_from
    from dealwire.journal.records import OPENED

    path = found.journal.path
    if not path.is_file():
        return
    try:
        with JournalReader(path) as reader:
            newest = reader.newest_of(OPENED)
            opened = read_from(path, newest, _named) if newest is not None else {}
    except JournalError as error:
        yield HostFinding("program", "note", f"the program that opened {path} is unknown: {error}")
        return
    recorded = opened.get("digest")
    at = datetime.fromtimestamp(newest.at_ns / 1e9).astimezone() if newest is not None else None
    since = f"since {at:%Y-%m-%d %H:%M}" if at is not None else ""
    if not recorded:
        yield HostFinding("program", "note", f"{path}: its newest opening names no digest: an older version wrote it")
    elif recorded == program_digest():
        yield HostFinding("program", "good", f"{path} was opened last by this program, {since}")
        if len({opened["bytecode"], program_facts()["bytecode"]} - {""}) > 1 and _is_installed():
            text = f"the compiled modules beside the program are not those with which {path} was opened, {since}"
            yield HostFinding("program", "warning", text, RECOMPILED)
    else:
        text = f"the tables of {path} run another program: {opened['program']}, digest {recorded}, {since}"
        yield HostFinding("program", "warning", text, RESTART)


def _named(fields: dict[str, Any]) -> dict[str, str]:
    """Return what an opening names of its program; an older version named less."""
    return {name: str(fields.get(name, "")) for name in ("program", "digest", "bytecode")}


# ------------------------------------------------------------------ the release


def of_release(sums: Path, key_file: Path = RELEASE_KEY) -> HostFinding:
    """Return a finding about a release's SHA256SUMS: its signature, and the digest of this program in it. OSError if
    the file cannot be read."""
    wrong = _why_not(sums, _read(sums, SUMS_MAX), key_file)
    if wrong is not None:
        return HostFinding("release", "bad", f"{sums}: {wrong[0]}", wrong[1])
    return HostFinding("release", "good", f"{sums} is signed by the release key, and has the digest of this program")


def _why_not(sums: Path, text: bytes, key_file: Path) -> tuple[str, str] | None:
    """Return what is wrong with the sums of a release, and its remedy; None if nothing is."""
    if importlib.util.find_spec("cryptography") is None:
        return "a signature cannot be checked: cryptography is not installed", install_command("journal")
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    signature = Path(f"{sums}.sig")
    try:
        signed = _read(signature, SIGNATURE_BYTES)
    except OSError as error:
        why = f"its signature {signature.name} cannot be read: {error.strerror}"
        return why, "put it beside the file; the releaser has both"
    try:
        key = load_pem_public_key(key_file.read_bytes())
    except (OSError, ValueError):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        return f"the release key {key_file} is no Ed25519 key", REINSTALL
    try:
        key.verify(signed, text)
    except InvalidSignature:
        return f"{signature.name} is not its signature by the release key", "get both files from the releaser again"
    return (
        None
        if _lists(text, program_digest())
        else (
            "it is signed, but has another digest than this program",
            f"install the release of that file; this program is dealwire {__version__}, digest {program_digest()}",
        )
    )


def _read(path: Path, most: int) -> bytes:
    """Return a file's content. Not a byte more than needed is read, and no pipe waited for."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(0, "it is not a file", str(path))
    with path.open("rb") as file:
        return file.read(most + 1)


def _lists(sums: bytes, digest: str) -> bool:
    """True if the sums have that of the file `dealwire-VERSION.program`, whose only line is the digest."""
    content = hashlib.sha256(digest.encode() + b"\n").hexdigest()
    return f"{content}  {OURS}-{__version__}.program" in sums.decode(errors="replace").splitlines()
