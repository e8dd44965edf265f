"""Command `dealwire device`: read a device's meters, or verify its firmware."""

import hashlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from dealwire.attest.firmware import FirmwareList
from dealwire.attest.keys import trusted
from dealwire.attest.trust import today
from dealwire.cli import attest
from dealwire.cli.device_keys import keys, pair, seal_of
from dealwire.cli.exits import Exit, Stop
from dealwire.cli.gat import ROWS, need_gat, verify_gat
from dealwire.cli.options import A_FILE, IMAGE_MAX_BYTES, JSON_LINES, LINE_KEYS, SECONDS, Row, declared, usually
from dealwire.cli.terminal import echo, say_object
from dealwire.service.line_keys import LineKeys
from devices.attestation import Maker, NotAttested, check_start
from devices.dialects.translation import names_of
from devices.drive.driving import TIMEOUT_S, open_device
from devices.files import read_file
from protocol.errors import Unfinished
from protocol.tdp.instruments import MEANINGS, measure
from protocol.tdp.messages import Algorithm, Component, DeviceMeter, Region

SCHEMA: Final = "dealwire.device/1"

T = TypeVar("T")

_TIMEOUT: Final[Row] = (
    "--timeout timeout_s",
    usually(TIMEOUT_S, SECONDS, metavar="SECONDS"),
    "Time to wait for the device.",
)
_SEALED_WITH: Final[Row] = (
    "--keys folder",
    LINE_KEYS,
    "Folder with the keys of sealed lines, or table.toml: seal the line.",
)


@click.group("device")
def command() -> None:
    """Read a device's meters, verify its firmware, or pair it for a sealed line. Nothing moves."""


command.add_command(pair)
command.add_command(keys)
command.add_command(attest.command)


@command.command("meters")
@click.argument("line", metavar="LINE")
@declared(_SEALED_WITH, _TIMEOUT, JSON_LINES)
def meters(line: str, folder: Path | None, timeout_s: float, as_json: bool) -> None:
    """Print all meters of the device on LINE by component: rounds, cards, shuffles, jams, hours.

    LINE is an address such as /dev/ttyUSB0, tcp://host:port or sim:shuffler. Meters only grow; after 4,294,967,295 they
    restart at 0. The exit code is 6 if the device has no meters or its protocol version is too old.
    """
    with closing(open_device(line, timeout_s=timeout_s, seal=seal_of(folder))) as device:
        who, readings = device.identity, _in_time(device.meters)
    if as_json:
        about = {"maker": who.maker, "model": who.model, "serial": who.serial, "firmware": who.firmware}
        say_object(SCHEMA, "device", line=line, **about)
    else:
        echo(f"{who.maker} {who.model} {who.serial}, firmware {who.firmware}: {len(readings)} meters")
    for one in readings:
        meter, component = _word(DeviceMeter, one.meter), _word(Component, one.component)
        if as_json:
            say_object(SCHEMA, "meter", meter=meter, component=component, shown=one.shown)
        else:
            text = MEANINGS[DeviceMeter(one.meter)] if one.meter in MEANINGS else ""
            echo(f"{meter:<17} {component:<13} {one.shown:>13,}  {text}".rstrip())


@command.command("verify")
@click.argument("line", metavar="LINE")
@declared(
    ("--image", A_FILE, "Firmware image from the maker, to compare with."),
    ("--nonce", {"metavar": "HEX"}, "Nonce of 16 bytes; by default a random one."),
    ("--digest-of", A_FILE, "Print the digest of this file with the nonce, without opening LINE."),
    ("--makers", A_FILE, "The device must sign, certified by one of these makers."),
    ("--allowed", A_FILE, "With --makers: the signed list on which its firmware must be."),
    ("--signers", A_FILE, "With --allowed: public keys of those who may sign it."),
    _SEALED_WITH,
    *ROWS,
    _TIMEOUT,
    JSON_LINES,
)
@click.pass_context
def verify(
    ctx: click.Context,
    /,
    line: str,
    image: Path | None,
    nonce: str | None,
    digest_of: Path | None,
    makers: Path | None,
    allowed: Path | None,
    signers: Path | None,
    folder: Path | None,
    timeout_s: float,
    as_json: bool,
    gat: bool,
    **of_gat: Any,
) -> None:
    """Have the device on LINE measure its firmware with a fresh nonce, and compare the digest with an image.

    Without --image only the digest is printed. The exit code is 1 if the firmware does not match the image.

    This detects wrong or damaged firmware and a replayed answer. It does not detect a device that lies and keeps a good
    image in addition to its own. With --makers the device must also sign the answer with a key that its maker
    certified, which a copy of the device cannot; the exit code is 1 if it does not, or its firmware is not allowed.

    With --gat the device is asked for the checksums of its components by another protocol, on another line of it.
    """
    if gat:
        measured = read_image(image) if image is not None else None
        question = {"line": line, "timeout_s": timeout_s, "as_json": as_json, **of_gat}
        ctx.exit(_in_time(lambda: verify_gat(ctx, SCHEMA, measured, **question)))
    need_gat(ctx)
    given = _nonce(nonce)
    if makers or allowed or signers:
        _attest(line, _trusting(makers, allowed, signers, image, nonce, digest_of), folder, timeout_s, as_json)
        return
    if digest_of is not None:
        if given is None:
            raise click.UsageError("--digest-of needs --nonce")
        _print({"nonce": given.hex(), "digest": measure(given, read_image(digest_of)).hex()}, as_json)
        return
    ctx.exit(_measured(line, given, image, folder, timeout_s, as_json))


def _measured(
    line: str, nonce: bytes | None, image: Path | None, folder: Path | None, timeout_s: float, as_json: bool
) -> Exit:
    """Have the device measure its firmware and print its answer. Return the exit code."""
    expected = read_image(image) if image is not None else None
    with closing(open_device(line, timeout_s=timeout_s, seal=seal_of(folder))) as device:
        answer = _in_time(lambda: device.verify(nonce))
    found: dict[str, object] = {
        "line": line,
        "region": _word(Region, answer.region),
        "algorithm": _word(Algorithm, answer.algorithm),
        "nonce": answer.nonce.hex(),
        "digest": answer.digest.hex(),
    }
    same = None
    if expected is not None:
        same = answer.algorithm == Algorithm.SHA256 and answer.digest == measure(answer.nonce, expected)
        found |= {"image": str(image), "sha256": hashlib.sha256(expected).hexdigest(), "same": same}
    _print(found, as_json)
    return Exit.CHECK_FAILED if same is False else Exit.GOOD


def _trusting(
    makers: Path | None, allowed: Path | None, signers: Path | None, *others: object
) -> tuple[tuple[Maker, ...], FirmwareList | None]:
    """Return the makers' keys and the list of firmware. Raise UsageError if the options do not go together."""
    if makers is None or (allowed is None) is not (signers is None):
        raise click.UsageError("--allowed and --signers go together, with --makers")
    if any(each is not None for each in others):
        raise click.UsageError("--makers goes with neither --image, --nonce nor --digest-of")
    listed = None
    if allowed is not None and signers is not None:
        listed = FirmwareList.load(allowed, trusted(signers, "list"))
        listed.check_day(allowed, today())
    return trusted(makers, "maker"), listed


def _attest(
    line: str,
    trusting: tuple[tuple[Maker, ...], FirmwareList | None],
    folder: Path | None,
    timeout_s: float,
    as_json: bool,
) -> None:
    """Have the device sign its measurement, and look its firmware up in the signed list."""
    (known, listed), keys_of = trusting, LineKeys.read(folder).find if folder is not None else lambda _: None
    with closing(open_device(line, timeout_s=timeout_s, seal=seal_of(folder))) as device:
        try:
            evidence, proof = _in_time(lambda: device.attest(known, line_key=keys_of))
            found: dict[str, object] = {
                "line": line,
                "device": " ".join((evidence.hello.maker, evidence.hello.model, evidence.hello.serial)),
                "key": proof.key.hex(),
                "length": proof.length,
                "sha256": proof.sha256.hex(),
            }
            if listed is not None:
                found |= {"version": listed.firmware_of(evidence.hello, proof).version, "list": listed.number}
            check_start(evidence.hello, proof)
        except NotAttested as error:
            raise Stop(Exit.CHECK_FAILED, f"{line}: {error}") from None
    _print(found, as_json)
    if not as_json:
        echo("the device has proved its firmware")


def _print(found: dict[str, object], as_json: bool) -> None:
    if as_json:
        say_object(SCHEMA, "measured", **found)
        return
    for name, value in found.items():
        if name != "same":
            echo(f"{name:<10} {value}")
    if "same" in found:
        echo("the firmware matches the image" if found["same"] else "the firmware does NOT match the image")


def _in_time(question: Callable[[], T]) -> T:
    """Return the answer. A timeout gives the same exit code as no answer at all."""
    try:
        return question()
    except Unfinished as error:
        raise Stop(Exit.TIMEOUT, str(error)) from None


def _word(names: type[DeviceMeter] | type[Component] | type[Region] | type[Algorithm], number: int) -> str:
    return names_of(names)[number].lower()


def _nonce(text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        found = bytes.fromhex(text)
    except ValueError:
        found = b""
    if len(found) != 16:
        raise click.BadParameter("must be 16 bytes, as 32 hexadecimal digits", param_hint="--nonce")
    return found


def read_image(file: Path) -> bytes:
    """Read a firmware image. Raise UsageError if it cannot be read, is empty, or is larger than any device's flash."""
    try:
        image = read_file(file, IMAGE_MAX_BYTES)
    except OSError as error:
        raise click.UsageError(f"image {file}: {error.strerror}") from None
    if not image:  # the digest of nothing would be held against the device
        raise click.UsageError(f"image {file}: is empty")
    return image
