"""`dealwire device`: what a device says of itself when it is asked: its meters, the measure of its firmware."""

import hashlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final, TypeVar

import click

from dealwire.cli.exits import Exit, Stop
from dealwire.cli.options import A_FILE, IMAGE_MAX_BYTES, JSON_LINES, SECONDS, Row, declared, usually
from dealwire.cli.terminal import echo, say_object
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
    "How long to wait for the device.",
)


@click.group("device")
def command() -> None:
    """Ask a device of itself: its meters, the measure of its firmware. Nothing moves, and nothing is changed."""


@command.command("meters")
@click.argument("line", metavar="LINE")
@declared(_TIMEOUT, JSON_LINES)
def meters(line: str, timeout_s: float, as_json: bool) -> None:
    """Print what every meter of the device on LINE shows: rounds, cards, shuffles, jams, hours ... by component.

    LINE is an address as everywhere, such as /dev/ttyUSB0, tcp://host:port or sim:shuffler. Meters only grow, and begin
    at 0 again after 4,294,967,295. Exit code 6 when it has none, or is too old to know the question.
    """
    with closing(open_device(line, timeout_s=timeout_s)) as device:
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
    ("--image", A_FILE, "The image that its firmware should be, as its maker gives it."),
    ("--nonce", {"metavar": "HEX"}, "The 16 bytes to measure with; by default drawn here."),
    ("--digest-of", A_FILE, "Only print the digest of this file with the nonce, without a device; LINE is not opened."),
    _TIMEOUT,
    JSON_LINES,
)
@click.pass_context
def verify(
    ctx: click.Context,
    line: str,
    image: Path | None,
    nonce: str | None,
    digest_of: Path | None,
    timeout_s: float,
    as_json: bool,
) -> None:
    """Have the device on LINE measure its firmware with bytes nobody could know before, and compare.

    Without --image the digest is printed and nothing compared. Exit code 1 when the firmware is another than the image.
    It finds wrong and damaged firmware and an answer that was kept ready; a device that lies and keeps a good image
    beside its own it does not find.
    """
    given = _nonce(nonce)
    if digest_of is not None:
        if given is None:
            raise click.UsageError("--digest-of needs --nonce")
        _print({"nonce": given.hex(), "digest": measure(given, read_image(digest_of)).hex()}, as_json)
        return
    expected = read_image(image) if image is not None else None
    with closing(open_device(line, timeout_s=timeout_s)) as device:
        answer = _in_time(lambda: device.verify(given))
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
    ctx.exit(Exit.CHECK_FAILED if same is False else Exit.GOOD)


def _print(found: dict[str, object], as_json: bool) -> None:
    if as_json:
        say_object(SCHEMA, "measured", **found)
        return
    for name, value in found.items():
        if name != "same":
            echo(f"{name:<10} {value}")
    if "same" in found:
        echo("the firmware is this image" if found["same"] else "the firmware is NOT this image")


def _in_time(question: Callable[[], T]) -> T:
    """The answer; that none came in time is `no answer`, as when the device says nothing at all."""
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
        raise click.BadParameter("it takes 16 bytes, as 32 hexadecimal digits", param_hint="--nonce")
    return found


def read_image(file: Path) -> bytes:
    """A firmware's image; UsageError when it cannot be read, or is more than a device's flash holds."""
    try:
        image = read_file(file, IMAGE_MAX_BYTES)
    except OSError as error:
        raise click.UsageError(f"the image {file}: {error.strerror}") from None
    if not image:  # the digest of nothing would be held against the device
        raise click.UsageError(f"the image {file}: is empty")
    return image
