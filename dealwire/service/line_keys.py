"""Keys of sealed lines: this host's key, and the keys of the devices that it is paired with.

They lie in a folder, as text:

    host.key       tdp-host-key ID KEY                            mode 0600, the only secret
    devices.keys   tdp-device NAME KEY ED25519|- ROLE DATE        a line for each device

NAME is `maker/model/serial`, each as the device reports it, with special characters as in a URL.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

from dealwire.config.schema import Configuration, DevicePart
from dealwire.journal.errors import KeyProblem
from dealwire.journal.keyfiles import KEY_BYTES, UNFIT, from_hex, only_key, read_lines, write_text
from devices.clock import Clock
from devices.extras import install_command
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
    """A device that this host is paired with. `attestation` is its Ed25519 key, `-` if it has none."""

    name: str
    key: bytes
    attestation: str
    role: Role
    date: str

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
        return cls(folder, own, {device.name: device for device in _devices(folder / DEVICES_FILE)})

    @classmethod
    def read_or_make(cls, folder: Path) -> LineKeys:
        """Return the keys in `folder`; make the folder and a key if there are none."""
        if (folder / HOST_FILE).exists():
            return cls.read(folder)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise KeyProblem(folder, f"cannot be made: {error.strerror}") from error
        made = cls(folder, ciphers().generate())
        made._write_own()
        return made

    @property
    def id(self) -> str:
        """Id of the host's key, as a device finds it."""
        return key_id(ciphers().public(self.own)).hex()

    def add(self, device: PairedDevice) -> None:
        """Keep a device's key, in place of an earlier one."""
        self.devices[device.name] = device
        self._write_devices()

    def forget(self, name: str) -> PairedDevice | None:
        """Forget a device by its name or its serial number, and return it; None if there is none, or several."""
        found = [device for device in self.devices.values() if name in (device.name, device.serial)]
        if len(found) != 1:
            return None
        del self.devices[found[0].name]
        self._write_devices()
        return found[0]

    def rotate(self) -> list[PairedDevice]:
        """Make a new key for this host, and return the devices that must be paired again."""
        before = list(self.devices.values())
        self.own, self.devices = ciphers().generate(), {}
        self._write_devices()  # first: a kill between the two leaves a key that no device is kept for
        self._write_own()
        return before

    def find(self, hello: HelloReplyMessage, pinned: bytes | None = None) -> bytes:
        """Return the key of the device that sent this identification. Raise KeyError with a reason for a reader."""
        if pinned is not None:
            return pinned
        device = self.devices.get(name_of(hello))
        if device is None:
            raise KeyError(f"{name_of(hello)} is not paired with this host; pair it with dealwire device pair")
        return device.key

    def _write_own(self) -> None:
        write_text(self.folder / HOST_FILE, f"{_HOST_WORD} {self.id} {self.own.hex()}\n")

    def _write_devices(self) -> None:
        lines = [
            f"{_DEVICE_WORD} {each.name} {each.key.hex()} {each.attestation} {each.role.name.lower()} {each.date}\n"
            for each in self.devices.values()
        ]
        write_text(self.folder / DEVICES_FILE, "".join(lines), 0o644)


def _devices(path: Path) -> Iterator[PairedDevice]:
    for number, words in read_lines(path, secret=False) if path.exists() else []:
        try:
            word, name, key, attestation, role, date = words
            if word != _DEVICE_WORD or (attestation != NO_ATTESTATION and not from_hex(attestation, KEY_BYTES)):
                raise ValueError
            yield PairedDevice(name, from_hex(key, KEY_BYTES), attestation, Role[role.upper()], date)
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


def key_log(path: Path) -> KeyLog:
    """Return a function that appends the keys of each handshake to a private file, for Wireshark. Whoever has the file
    reads the line. Raise KeyProblem if it cannot be written."""

    def log(ephemeral: bytes, out: bytes, into: bytes) -> None:
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
            with os.fdopen(handle, "w") as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(f"TDP-SEAL {ephemeral.hex()} {out.hex()} {into.hex()}\n")
        except OSError as error:
            raise KeyProblem(path, f"key log cannot be written: {error.strerror}") from error

    return log
