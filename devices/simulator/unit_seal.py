"""A simulated device's end of a sealed line: its keys, the hosts it is paired with, and what it shows of pairing.

Its keys are those of its identity. Beside the file `NAME` of that lies `NAME.hosts`, with a line for each paired host.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from secrets import randbits
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

from devices.files import read_file, replace_text
from devices.simulator.identity import Identity, IdentityProblem
from protocol.errors import NotOpen
from protocol.tdp.messages import Role
from protocol.tdp.seal.device_end import DeviceEnd, PairedHost
from protocol.tdp.seal.line_end import SealedBytes
from protocol.tdp.seal.suite import KEY_BYTES
from protocol.tdp.seal.words import CODE_BITS, code_of

if TYPE_CHECKING:
    from protocol.tdp.device_link import DeviceLink
    from protocol.tdp.seal.suite import SealSuite

HOST_WORD: Final = "tdp-host"
_BYTES_MOST: Final = 4096


class UnitSeal:
    """End of a sealed line of one device. It survives a power cut, as its keys do; its line does not.

    `path` is the file of its identity, which is made if it is absent; without one its keys last as long as the program.
    """

    def __init__(self, suite: SealSuite, path: Path | None = None) -> None:
        self.door_open = False
        """True while a person holds the door open, which pairing and forgetting need."""
        self._suite, self._path = suite, path
        self.identity = Identity.new() if path is None else Identity.read_or_make(path)
        """The device's keys."""
        self._hosts = [] if path is None else _hosts(_hosts_path(path))
        self._end: DeviceEnd | None = None
        self._link: DeviceLink | None = None
        self._role: Role | None = None  # of the host that the link is limited to

    @property
    def public(self) -> bytes:
        """The device's public key."""
        return self._suite.public(self.identity.secret)

    @property
    def hosts(self) -> tuple[PairedHost, ...]:
        """Hosts that it is paired with."""
        return tuple(self._hosts)

    @property
    def end(self) -> DeviceEnd:
        """Its end of the line. Raise NotOpen while the power is off."""
        if self._end is None:
            raise NotOpen("the device is switched off")
        return self._end

    def power_on(self, link: DeviceLink) -> None:
        """Begin with the session of `link`: a device forgets all keys of a line at a power cut."""
        self._link, self._role = link, None
        self._end = DeviceEnd(self._suite, self.identity.secret, link.greeting(), self._hosts)

    # -------------------------------------------------------------- the person at the device

    def open_door(self, is_open: bool = True) -> None:
        """Open or close the door. A code is shown only while it is open."""
        self.door_open = is_open
        if not is_open:
            self.end.end_pairing()

    def allow_pairing(self, now_ns: int, role: Role = Role.OPERATE) -> str:
        """Show a new code and return it. Raise NotOpen if the door is closed."""
        self._check_door()
        code = code_of(randbits(CODE_BITS))
        self.end.allow_pairing(code, now_ns, role)
        return code

    def forget_hosts(self) -> None:
        """Forget every paired host. Raise NotOpen if the door is closed."""
        self._check_door()
        self.end.forget_hosts()
        self._keep()

    def face(self) -> tuple[str, ...]:
        """Return what the device shows of pairing, a line each."""
        end = self.end
        lines = [f"pairing code {end.code}"] if end.code else []
        return (*lines, *([f"paired, compare {end.short_string}"] if end.short_string else []))

    # -------------------------------------------------------------- the line

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `tick`."""
        return self._end.next_deadline_ns if self._end is not None else None

    def receive(self, data: bytes, now_ns: int) -> SealedBytes:
        """Return the bytes for the device's link, and those for the line."""
        passed = self.end.receive(data, now_ns)
        self._keep()
        return passed

    def tick(self, now_ns: int) -> SealedBytes:
        """Do what is due."""
        return self.end.tick(now_ns)

    def send(self, data: bytes, now_ns: int) -> bytes:
        """Return the bytes for the line that stand for a frame of the link."""
        return self.end.send(data, now_ns)

    def report_due(self) -> bool:
        """Return True once after a host was paired, which waits for a status."""
        due, self.end.report_due = self.end.report_due, False
        return due

    # -------------------------------------------------------------- inside

    def _check_door(self) -> None:
        if not self.door_open:
            raise NotOpen("the door is closed: open it first")

    def _keep(self) -> None:
        end = self.end
        if self._link is not None and end.role is not self._role:
            self._role = end.role
            self._link.limit(Role.SERVICE if end.role is None else end.role)  # a forgotten host limits no other
        if end.hosts_changed:
            end.hosts_changed = False
            self._hosts = list(end.hosts)
            if self._path is not None:
                _keep_hosts(_hosts_path(self._path), self._hosts)


def _hosts_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.hosts")


def _hosts(path: Path) -> list[PairedHost]:
    try:
        lines = read_file(path, _BYTES_MOST).decode("ascii", "replace").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise IdentityProblem(path, f"cannot be read: {error.strerror}") from None
    try:
        return [_host(line.split()) for line in lines if line.strip()]
    except (ValueError, KeyError):
        raise IdentityProblem(path, f"not a list of hosts; allowed: lines '{HOST_WORD} X25519 ROLE NAME'") from None


def _host(words: list[str]) -> PairedHost:
    word, key, role, name = words
    public = bytes.fromhex(key)
    if word != HOST_WORD or len(public) != KEY_BYTES:
        raise ValueError(word)
    return PairedHost(public, Role[role.upper()], unquote(name))


def _keep_hosts(path: Path, hosts: Iterable[PairedHost]) -> None:
    lines = [
        f"{HOST_WORD} {host.public.hex()} {host.role.name.lower()} {quote(host.name, safe='') or '-'}\n"
        for host in hosts
    ]
    try:
        replace_text(path, "".join(lines))
    except OSError as error:
        raise IdentityProblem(path, f"cannot be written: {error.strerror}") from error
