"""Keys of sealed lines: this host's key, and the keys of the devices that it is paired with.

They lie in a folder, as text:

    host.key       tdp-host-key ID KEY                            mode 0600, the only secret
    devices.keys   tdp-device NAME KEY ED25519|- ROLE DATE        a line for each device

NAME is `maker/model/serial`, each as the device reports it, with special characters as in a URL. ROLE is the role that
the device grants this host; `GRANTED/WANTED` if that is not what the host wanted, with `-` for one that is not known.
"""

from __future__ import annotations

import errno
import logging
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

from dealwire.config.private_file import why_alterable
from dealwire.config.schema import Configuration
from dealwire.config.table_parts import DevicePart
from dealwire.journal.errors import KeyProblem, KeyUnsafe
from dealwire.journal.keyfiles import KEY_BYTES, UNFIT, from_hex, only_key, read_lines, write_text
from devices.clock import Clock
from devices.extras import install_command
from devices.files import alone_in
from devices.transport.base import Transport
from protocol.errors import DealwireError
from protocol.tdp.messages import HelloReplyMessage, Role
from protocol.tdp.seal.host_end import HostEnd, KeyLog
from protocol.tdp.seal.words import key_id

if TYPE_CHECKING:
    from devices.transport.ciphers import Ciphers

HOST_FILE: Final = "host.key"
DEVICES_FILE: Final = "devices.keys"
_HOST_WORD: Final = "tdp-host-key"
_DEVICE_WORD: Final = "tdp-device"
_HOST_KIND: Final = "a host's key for sealed lines"
NO_ATTESTATION: Final = "-"
NOT_KNOWN: Final = "-"
SHORT: Final = 16
"""Number of digits of a key by which people name it."""

_log = logging.getLogger(__name__)

Seal = Callable[[Transport], Transport]
"""Function that puts a transport into a sealed line, or leaves it as it is."""


class CiphersMissing(DealwireError):
    """A sealed line is wanted, and the library with its cipher is not installed."""

    def __init__(self) -> None:
        super().__init__(f"sealed lines need the extra 'seal': {install_command('seal')}")


def ciphers() -> Ciphers:
    """Return the cipher and the key agreement. Raise CiphersMissing without their library."""
    try:
        from devices.transport.ciphers import Ciphers
    except ImportError as cause:
        raise CiphersMissing from cause
    return Ciphers()


@dataclass(frozen=True, slots=True)
class PairedDevice:
    """A device that this host is paired with. `attestation` is its Ed25519 key, `-` if it has none. `role` is what the
    device grants this host, None if that is not known; `wanted` what the host wanted, if that is another."""

    name: str
    key: bytes
    attestation: str
    role: Role | None
    date: str
    wanted: Role | None = None

    @property
    def serial(self) -> str:
        """Serial number of the device."""
        return unquote(self.name.rpartition("/")[2])


def name_of(hello: HelloReplyMessage) -> str:
    """Return the name under which a device's key is kept."""
    return "/".join(quote(part, safe="") or "-" for part in (hello.maker, hello.model, hello.serial))


@dataclass(slots=True)
class LineKeys:
    """The keys in one folder. Changes are written at once; KeyProblem and KeyUnsafe name the file."""

    folder: Path
    own: bytes = field(repr=False)
    devices: dict[str, PairedDevice] = field(default_factory=dict)
    log: KeyLog | None = None
    """Function that is given the keys of every handshake."""

    @classmethod
    def read(cls, folder: Path) -> LineKeys:
        """Return the keys in `folder`. Raise KeyUnsafe if others may read the host's key, KeyProblem if there is
        none."""
        path = folder / HOST_FILE
        number, named, own = only_key(path, read_lines(path), _HOST_WORD, _HOST_KIND)
        if key_id(ciphers().public(own)).hex() != named:
            raise KeyProblem(path, UNFIT, number)
        return cls(folder, own, _devices(folder / DEVICES_FILE))

    @classmethod
    def read_or_make(cls, folder: Path) -> LineKeys:
        """Return the keys in `folder`; make the folder and a key if there are none."""
        if (folder / HOST_FILE).exists():
            return cls.read(folder)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise KeyProblem(folder, f"cannot be made: {error.strerror}") from error
        with _alone(folder):
            if not (folder / HOST_FILE).exists():
                cls(folder, ciphers().generate())._write_own()
        return cls.read(folder)

    @property
    def id(self) -> str:
        """Id of the host's key, as a device finds it."""
        return key_id(ciphers().public(self.own)).hex()

    def add(self, device: PairedDevice) -> PairedDevice | None:
        """Keep a device's key, in place of an earlier one, which is returned, and of another name of the same key.
        KeyProblem if this host has another key by now, which the device does not know."""
        with self._changing():
            before = self.devices.get(device.name)
            self.devices = {name: each for name, each in self.devices.items() if each.key != device.key}
            self.devices[device.name] = device
            self._write_devices()
            return before

    def forget(self, name: str) -> PairedDevice | None:
        """Forget a device by its name or its serial number, and return it; None if there is none, or several."""
        with self._changing():
            found = [device for device in self.devices.values() if name in (device.name, device.serial)]
            if len(found) != 1:
                return None
            del self.devices[found[0].name]
            self._write_devices()
            return found[0]

    def rotate(self) -> list[PairedDevice]:
        """Make a new key for this host, and return the devices that must be paired again."""
        with self._changing():
            before = list(self.devices.values())
            self.own, self.devices = ciphers().generate(), {}
            self._write_devices()  # first: a kill between the two leaves a key that no device is kept for
            self._write_own()
            return before

    def find(self, hello: HelloReplyMessage, pinned: bytes | None = None) -> bytes:
        """Return the key of the device that sent this identification, as it is kept now: a device that was forgotten
        is not let in again. Raise KeyError with a reason for a reader."""
        if pinned is not None:
            return pinned
        try:
            self.devices = _devices(self.folder / DEVICES_FILE)
        except KeyProblem as error:
            raise KeyError(str(error)) from None
        device = self.devices.get(name_of(hello))
        if device is None:
            raise KeyError(
                f"what answers on this line calls itself {name_of(hello)}, which is not paired with this host; "
                "if that device belongs here, pair it with dealwire device pair"
            )
        return device.key

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Change the keys alone, beginning with what other commands have made of them since they were read."""
        with _alone(self.folder):
            now = LineKeys.read(self.folder)
            if now.own != self.own:
                raise KeyProblem(self.folder / HOST_FILE, "the host's key was renewed meanwhile; pair the device again")
            self.devices = now.devices
            yield

    def _write_own(self) -> None:
        write_text(self.folder / HOST_FILE, f"{_HOST_WORD} {self.id} {self.own.hex()}\n")

    def _write_devices(self) -> None:
        lines = [
            f"{_DEVICE_WORD} {each.name} {each.key.hex()} {each.attestation} {_roles(each)} {each.date}\n"
            for each in self.devices.values()
        ]
        write_text(self.folder / DEVICES_FILE, "".join(lines), 0o644)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder, so that of two commands one waits for the other."""
    with ExitStack() as stack:
        try:
            stack.enter_context(alone_in(folder))
        except OSError as error:
            raise KeyProblem(folder, f"cannot be used: {error.strerror}") from error
        yield


def _devices(path: Path) -> dict[str, PairedDevice]:
    """Return the devices in a file, by their names. Whoever may change it decides which device is trusted, so KeyUnsafe
    if others may; KeyProblem for any other file, and for a name or a key that is in it twice."""
    if not path.exists():
        return {}
    if unsafe := why_alterable(path):
        raise KeyUnsafe(path, unsafe)
    found: dict[str, PairedDevice] = {}
    keys: dict[bytes, str] = {}
    for number, words in read_lines(path, secret=False):
        device = _device(path, number, words)
        if device.name in found:
            raise KeyProblem(path, f"{device.name} is in it twice; allowed: one line for each device", number)
        if device.key in keys:
            raise KeyProblem(path, f"{device.name} has the key of {keys[device.key]}; keep one of them", number)
        found[device.name], keys[device.key] = device, device.name
    return found


def _roles(device: PairedDevice) -> str:
    """Return the word for the roles of a device: `operate`, `observe/operate` if less is granted than was wanted."""
    granted = device.role.name.lower() if device.role is not None else NOT_KNOWN
    return granted if device.wanted is None else f"{granted}/{device.wanted.name.lower()}"


def _device(path: Path, number: int, words: list[str]) -> PairedDevice:
    try:
        word, name, key, attestation, role, date = words
        if word != _DEVICE_WORD or (attestation != NO_ATTESTATION and not from_hex(attestation, KEY_BYTES)):
            raise ValueError
        granted, slash, wanted = role.upper().partition("/")
        return PairedDevice(
            name,
            from_hex(key, KEY_BYTES),
            attestation,
            None if slash and granted == NOT_KNOWN else Role[granted],
            date,
            Role[wanted] if slash else None,
        )
    except (ValueError, KeyError):
        why = f"not a device's key; allowed: '{_DEVICE_WORD} NAME KEY ED25519|- ROLE DATE'"
        raise KeyProblem(path, why, number) from None


def line_keys_of(configuration: Configuration) -> LineKeys | None:
    """Return the keys that a configuration's sealed lines need; None if it has no sealed line."""
    sealed = any(device.sealed is not None for part in configuration.table for device in part.device)
    lines = configuration.lines
    if not sealed or lines is None:
        return None
    found = LineKeys.read(lines.keys)
    found.log = key_log(lines.key_log) if lines.key_log is not None else None
    return found


def sealing(device: DevicePart, keys: LineKeys | None, clock: Clock) -> Seal:
    """Return the function that seals a device's line, if its settings require that."""
    if device.sealed is None:
        return lambda inner: inner
    assert keys is not None, "a checked configuration has keys for its sealed lines"
    return sealed_with(keys, clock, pinned_key(device))


def pinned_key(device: DevicePart) -> bytes | None:
    """Return the X25519 key that a device's settings pin; None if they pin none."""
    return bytes.fromhex(device.pin.key) if device.pin is not None and device.pin.key is not None else None


def sealed_with(keys: LineKeys, clock: Clock, pinned: bytes | None = None) -> Seal:
    """Return the function that seals a line with these keys."""
    from devices.transport.sealed import Sealed

    suite = ciphers()
    return lambda inner: Sealed(
        inner, HostEnd(suite, keys.own, lambda hello: keys.find(hello, pinned), log=keys.log), clock
    )


def short_name(transport: Transport | None) -> tuple[str, int | None]:
    """Return the first digits of the device's key with which a transport seals now, and since when; empty and None if
    it does not."""
    if transport is None:
        return "", None
    from devices.transport.sealed import Sealed

    if not isinstance(transport, Sealed) or transport.end.since_ns is None:
        return "", None
    return transport.end.device_key.hex()[:SHORT], transport.end.since_ns


def key_log(path: Path) -> KeyLog:
    """Return a function that appends the keys of each handshake to a private file, for Wireshark. Whoever has the file
    reads the line. Raise KeyProblem if it cannot be written now. Later that is only a warning: no table stops for a
    diagnosis."""
    try:
        _append(path, "")
    except OSError as error:
        raise KeyProblem(path, f"key log cannot be written: {error.strerror}") from error

    def log(ephemeral: bytes, out: bytes, into: bytes) -> None:
        try:
            _append(path, f"TDP-SEAL {ephemeral.hex()} {out.hex()} {into.hex()}\n")
        except OSError as error:
            _log.warning("%s: key log cannot be written: %s", path, error.strerror)

    return log


def _append(path: Path, text: str) -> None:
    """Append to a regular file of this user, never through a link, and never waiting as for a pipe."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
    with os.fdopen(os.open(path, flags, 0o600), "w") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        os.fchmod(file.fileno(), 0o600)
        file.write(text)
