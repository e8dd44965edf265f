"""Commands `dealwire device attest`: keys of makers and laboratories, certificates of devices, lists of firmware."""

from datetime import datetime
from pathlib import Path
from typing import Final

import click

from dealwire.attest.firmware import CLASSES, AllowedFirmware, FirmwareList
from dealwire.attest.firmware import WORD as LIST_WORD
from dealwire.attest.firmware import sign as sign_list
from dealwire.attest.keys import KINDS, Kind, SigningKey, name_of, trusted
from dealwire.attest.recorded import recorded
from dealwire.attest.trust import today
from dealwire.cli.exits import Exit, Stop
from dealwire.cli.obligations import time_text
from dealwire.cli.options import A_FILE, FILE, IMAGE_MAX_BYTES, WholeRange, declared
from dealwire.cli.options import Kind as OptionKind
from dealwire.cli.terminal import echo
from dealwire.journal import JournalReader
from dealwire.journal.errors import KeyProblem
from dealwire.journal.keyfiles import first_word, from_hex, write_text
from dealwire.journal.sealing import load_key
from devices.attestation import signer_of
from devices.files import read_file
from devices.simulator.identity import WORD, Identity
from protocol.errors import LocalError
from protocol.tdp.attestation import Certificate, image_facts, named

_MUST: Final = {"required": True}
_CLASS: Final[OptionKind] = {"type": click.Choice([*CLASSES]), **_MUST}


class Name(click.types.StringParamType):
    """Text as a device reports it: at most 16 printable ASCII characters."""

    name = "text"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text. Raise a usage error if no device can report it."""
        try:
            return name_of(str(value))
        except ValueError:
            self.fail("must be 1 to 16 printable ASCII characters", param, ctx)


_NAME: Final[OptionKind] = {"type": Name(), "metavar": "TEXT", **_MUST}


class Day(click.DateTime):
    """Day, named as in `2027-01-31`."""

    def __init__(self) -> None:
        super().__init__(["%Y-%m-%d"])

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Return the day. Raise a usage error that shows how to write one."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"must be a day such as 2027-01-31, not {value!r}", param, ctx)


_DAY: Final[OptionKind] = {"type": Day(), "metavar": "DAY"}


@click.group("attest")
def command() -> None:
    """Make keys, certify devices, and sign lists of allowed firmware. docs/guides/attest-devices.md shows the way."""


@command.command("key")
@click.argument("file", type=FILE)
@declared(
    ("--for kind", {"type": click.Choice(KINDS), **_MUST}, "What it signs: certificates of a maker, or lists."),
    ("--name", _NAME, "The maker's name as its devices report it, or the name of the one who signs lists."),
)
def key(file: Path, kind: Kind, name: str) -> None:
    """Make a key: the private half in FILE, the public half in FILE.pub.

    Keep FILE where no device and no table is. Copy the line of FILE.pub into the file of trusted keys of each table.
    """
    made = SigningKey.new(kind, name)
    beside = made.write(file)
    echo(f"{file}: key of {name}, public half {made.public.hex()[:16]} in {beside}")


@command.command("certify")
@click.argument("identity", type=FILE, required=False)
@declared(
    ("--key key_file", {**A_FILE, **_MUST}, "The maker's private key."),
    ("--class kind", _CLASS, "Class of the device."),
    ("--model", _NAME, "Model, as the device reports it."),
    ("--serial", _NAME, "Serial number, as the device reports it."),
    ("--public", {"metavar": "HEX"}, "The device's Ed25519 key; prints its certificate, and no IDENTITY is written."),
)
def certify(identity: Path | None, key_file: Path, kind: str, model: str, serial: str, public: str | None) -> None:
    """Certify a device: the maker's signature over its class, maker, model, serial number and key.

    IDENTITY is the file of the device's own keys, for simulated devices and the sample program; it is made if it does
    not exist. A device that made its keys itself gives only its public key: use --public.
    """
    maker = SigningKey.load(key_file, "maker")
    if (public is None) is (identity is None):
        raise click.UsageError("give IDENTITY or --public")
    if identity is None:
        certificate = _certificate(maker, kind, model, serial, _key_of(str(public)))
        echo(certificate.extension()[1].hex())
        return
    found = Identity.read(identity) if identity.exists() else Identity.new()
    made = found._replace(signature=_certificate(maker, kind, model, serial, found.key).signature)
    write_text(identity, made.text)
    echo(f"{identity}: {maker.name} {model} {serial}, key {made.key.hex()[:16]}, certified")


def _certificate(maker: SigningKey, kind: str, model: str, serial: str, public: bytes) -> Certificate:
    signed = named(CLASSES[kind], maker.name, model, serial, public)
    return Certificate(public, signer_of(maker.seed)(signed))


def _key_of(text: str) -> bytes:
    try:
        return from_hex(text, 32)
    except ValueError:
        raise click.BadParameter("must be 64 hexadecimal digits", param_hint="--public") from None


@command.command("show")
@click.argument("file", type=FILE)
def show(file: Path) -> None:
    """Print what a FILE of keys or a list holds. Nothing secret is printed."""
    word = first_word(file)
    if word == WORD:
        found = Identity.read(file)
        echo(f"identity of a device, {'certified' if found.signature is not None else 'not certified'}")
        echo(f"signs with  {found.key.hex()}")
        echo(f"line key    {found.line_key.hex()}")
    elif word == LIST_WORD:
        _show_list(FirmwareList.read(file)[0])
    else:
        _show_keys(file, word)


def _show_keys(file: Path, word: str) -> None:
    for kind in KINDS:
        if word == f"tdp-{kind}-key":
            found = SigningKey.load(file, kind)
            echo(f"private key of {found.name}, for {kind}: {found.public.hex()}")
            return
        if word == f"tdp-{kind}-public":
            for each in trusted(file, kind):
                echo(f"public key of {each.name}, for {kind}: {each.key.hex()}")
            return
    raise KeyProblem(file, "neither a key, an identity, nor a list of firmware")


def _show_list(found: FirmwareList) -> None:
    echo(f"list {found.number}, valid from {found.first} until {found.last}, {found.images}")
    for each in found.allowed:
        echo(each.line.removeprefix("firmware "))


@command.command("allow")
@click.argument("file", metavar="LIST", type=FILE)
@declared(
    ("--image", {**A_FILE, **_MUST}, "Firmware image from the maker."),
    ("--class kind", _CLASS, "Class of the devices."),
    ("--maker", _NAME, "Maker, as the devices report it."),
    ("--model", _NAME, "Model, as the devices report it."),
    ("--version", _NAME, "Version, for the record."),
    ("--region", {"type": WholeRange(0, 255), "default": 0, "show_default": True}, "Region of the image."),
    ("--from first", _DAY, "First day on which the list is valid; by default as before, or today."),
    ("--until last", _DAY, "Last day on which the list is valid; by default as before. A new list needs it."),
)
def allow(
    file: Path,
    image: Path,
    kind: str,
    maker: str,
    model: str,
    version: str,
    region: int,
    first: datetime | None,
    last: datetime | None,
) -> None:
    """Add firmware to a list, which gets the next number and loses its signature.

    To take one out, delete its line and raise the number in the first line with an editor; then sign the list.
    """
    try:
        length, sha256 = image_facts(read_file(image, IMAGE_MAX_BYTES))
    except OSError as error:
        raise click.UsageError(f"image {image}: {error.strerror}") from None
    if not length:
        raise click.UsageError(f"image {image}: is empty")
    before = FirmwareList.read(file)[0] if file.exists() else None
    until = last.date() if last is not None else before.last if before is not None else None
    if until is None:
        raise click.UsageError("a new list needs --until")
    since = first.date() if first is not None else before.first if before is not None else today()
    if since > until:
        raise click.UsageError(f"--until {until} is before the first day, {since}")
    entry = AllowedFirmware(CLASSES[kind], region, length, sha256, maker, model, version)
    others = tuple(each for each in before.allowed if each != entry) if before is not None else ()
    made = FirmwareList((before.number if before is not None else 0) + 1, since, until, (*others, entry))
    write_text(file, made.text, mode=0o644)
    echo(f"{file}: list {made.number}, {made.images}; sign it with dealwire device attest sign")


@command.command("sign")
@click.argument("file", metavar="LIST", type=FILE)
@declared(("--key key_file", {**A_FILE, **_MUST}, "The private key of the laboratory or house, made for lists."))
def sign(file: Path, key_file: Path) -> None:
    """Sign a list of allowed firmware. It is in force as soon as a table reads it."""
    signer = SigningKey.load(key_file, "list")
    found = sign_list(file, signer)
    echo(f"{file}: list {found.number}, {found.images}, until {found.last}, signed by {signer.name}")


@command.command("check")
@click.argument("file", metavar="LIST", type=FILE)
@declared(("--signers", {**A_FILE, **_MUST}, "Public keys of those who may sign it."))
def check(file: Path, signers: Path) -> None:
    """Check the signature of a list of allowed firmware and that it is valid today.

    The exit code is 1 if it is not signed, by someone else, or not valid today; 2 if the file is no list.
    """
    keys = trusted(signers, "list")
    FirmwareList.read(file)
    try:
        found = FirmwareList.load(file, keys)
        found.check_day(file, today())
    except LocalError as error:
        raise Stop(Exit.CHECK_FAILED, str(error)) from None
    _show_list(found)
    echo(f"signed by {found.signer}")


@command.command("journal")
@click.argument("file", type=FILE)
@declared(
    ("--makers", {**A_FILE, **_MUST}, "Public keys of the makers."),
    ("--key key_file", A_FILE, "Key file that opens the raw bytes of the journal, if they are sealed."),
)
def journal(file: Path, makers: Path, key_file: Path | None) -> None:
    """Check every signed measurement in the journal FILE again, and every note that a device has proved its firmware.

    Only the makers' keys are believed, not the program that wrote the journal. The exit code is 1 if one does not hold.
    """
    keys, counts = trusted(makers, "maker"), [0, 0]
    with JournalReader(file, load_key(key_file) if key_file is not None else None) as reader:
        for found in recorded(reader, keys):
            counts[bool(found.wrong)] += 1
            words = f"does NOT hold: {found.wrong}" if found.wrong else "holds"
            echo(f"{time_text(found.at_ns)}  {found.table}/{found.device}  {found.shows}: {words}")
    echo(f"{counts[0]} hold, {counts[1]} do not")
    if counts[1]:
        raise Stop(Exit.CHECK_FAILED, f"{file}: {counts[1]} measurements or notes do not hold")
