"""Terminal of the Game Authentication Terminal protocol: `dealwire device verify --gat`."""

import contextlib
import secrets
import string
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import click
from click.core import ParameterSource

from dealwire.cli.exits import Exit
from dealwire.cli.options import A_FILE, FLAG, Row, given, many, usually, whole
from dealwire.cli.terminal import echo, say_object
from devices.clock import SystemClock
from devices.dialects.gat import DIALECT
from devices.drive.address import baud_of, line_at, recorder
from devices.drive.gat_line import GatLine
from devices.files import read_file
from devices.record.capture import CaptureWriter
from protocol.errors import Refused, naming_line
from protocol.gat.documents import ComponentSum, checksum
from protocol.gat.exchange import MS, USUAL, GatTiming
from protocol.gat.inspection import CALCULATION_S, Inspection, differences

KEY_BYTES: Final = 20
"""Length of a random key: that of the hash."""
KEY_MAX: Final = 64
NO_KEY: Final = "none"
LIST_MAX_BYTES: Final = 1 << 20
ONLY_GAT: Final = ("key", "component", "list_functions", "get_file", "expect", "capture", "allowance_ms")
"""Parameters that need --gat."""
OPTIONS: Final = ("line", "gat", "image", "timeout_s", "as_json", *ONLY_GAT)
"""Parameters that go with --gat."""
ROWS: Final[tuple[Row, ...]] = (
    ("--gat", FLAG, "Ask by the Game Authentication Terminal protocol, on a line of its own."),
    (
        "--key",
        {"metavar": "HEX|none"},
        "With --gat: key of the checksums (HMAC-SHA1), or none (SHA-1); by default a random one, but none with "
        "--expect.",
    ),
    ("--component", many("NAME"), "With --gat: ask for this component alone; may be given more than once."),
    ("--functions list_functions", FLAG, "With --gat: list the functions that the device offers."),
    ("--get-file", {"metavar": "NAME"}, "With --gat: print this file of the device."),
    ("--expect", A_FILE, "With --gat: compare with this list, a component's name and checksum per line."),
    ("--record capture", A_FILE, "With --gat: record the line into this file."),
    (
        "--allowance allowance_ms",
        usually(USUAL.allowance_ns // MS, whole(0, 5000, "MS")),
        "With --gat: time that line and machine may add to every wait for the device.",
    ),
)


def need_gat(ctx: click.Context) -> None:
    """Raise UsageError for an option that needs --gat."""
    others = [str(each.name) for each in ctx.command.params if each.name not in ONLY_GAT]
    if alone := given(ctx, *others):
        raise click.UsageError(f"{alone[0]} needs --gat")


class GatRequest(NamedTuple):
    """Choices of the command line."""

    line: str
    key: bytes
    components: Sequence[str]
    expected: Sequence[tuple[str, str]] | None
    image: bytes | None
    as_json: bool


def verify_gat(ctx: click.Context, schema: str, image: bytes | None, **options: Any) -> Exit:
    """Ask the device and print its answer. Return the exit code."""
    others = given(ctx, *OPTIONS)
    if others:
        raise click.UsageError(f"{others[0]} does not go with --gat")
    chosen = [name for name in ("list_functions", "get_file", "component") if options[name]]
    compared = (options["expect"] is not None) + (image is not None)
    if len(chosen) > 1 or compared > 1 or (compared and chosen not in ([], ["component"])):
        raise click.UsageError(
            "choose one of --functions, --get-file and --component, and to compare one of --expect and --image"
        )
    expected = read_expected(options["expect"]) if options["expect"] else None
    key = _key(options["key"], plain=expected is not None)
    limited = ctx.get_parameter_source("timeout_s") is ParameterSource.COMMANDLINE
    limit_s = options["timeout_s"] if limited else CALCULATION_S
    wanted = GatRequest(options["line"], key, options["component"], expected, image, options["as_json"])
    with _inspected(wanted.line, options["capture"], limit_s, options["allowance_ms"] * MS) as inspection:
        version = inspection.status().version
        if options["list_functions"]:
            return _say_functions(schema, wanted, version, inspection)
        if options["get_file"]:
            return _say_file(schema, wanted, options["get_file"], inspection)
        return _say_components(schema, wanted, version, inspection)


@contextlib.contextmanager
def _inspected(line: str, capture: Path | None, limit_s: float, allowance_ns: int) -> Iterator[Inspection]:
    """Open the line, and record it if wanted."""
    clock, baud = SystemClock(), baud_of(line, baud=DIALECT.baud)
    with contextlib.ExitStack() as stack:
        opener = line_at(line, clock, baud=DIALECT.baud)
        transport = stack.enter_context(contextlib.closing(opener.open()))
        if capture is not None:
            writer = stack.enter_context(CaptureWriter(capture))
            wrap = recorder(writer, "gat", device="", dialect=DIALECT.name, baud=baud, address=line, clock=clock)
            transport = stack.enter_context(contextlib.closing(wrap(transport)))
        stack.enter_context(naming_line(line))
        yield GatLine(transport, GatTiming(baud=baud, allowance_ns=allowance_ns), clock).inspection(limit_s)


def _say_functions(schema: str, wanted: GatRequest, version: str, inspection: Inspection) -> Exit:
    found = inspection.functions()
    if not wanted.as_json:
        echo(f"GAT {version}: {len(found)} function{'s' * (len(found) != 1)}")
    for each in found:
        if wanted.as_json:
            say_object(schema, "gat function", feature=each.feature, parameters=list(each.parameters))
        else:
            echo("  ".join((each.feature, *each.parameters)))
    return Exit.GOOD


def _say_file(schema: str, wanted: GatRequest, name: str, inspection: Inspection) -> Exit:
    with _hinting("--functions lists the files that the device gives out"):
        data = inspection.file(name, wanted.key)
    text = data.decode("utf-8", "backslashreplace")
    if wanted.as_json:
        say_object(schema, "gat file", name=name, length=len(data), key=wanted.key.hex(), text=text)
        return Exit.GOOD
    for line in text.splitlines():
        echo(line)
    return Exit.GOOD


def _say_components(schema: str, wanted: GatRequest, version: str, inspection: Inspection) -> Exit:
    found = _found(wanted, inspection)
    expected = _expected(wanted, found)
    bad = {} if expected is None else {each.name: each for each in differences(found, expected)}
    method = "HMAC-SHA1" if wanted.key else "SHA-1"
    if wanted.as_json:
        about = {"line": wanted.line, "version": version, "algorithm": method, "key": wanted.key.hex()}
        say_object(schema, "gat", **about, components=len(found), same=None if expected is None else not bad)
    else:
        count = f"{len(found)} component{'s' * (len(found) != 1)}"
        echo(f"GAT {version}: {count}, {method}{f', key {wanted.key.hex()}' if wanted.key else ''}")
    for each in found:
        same = None if expected is None else each.name not in bad
        if wanted.as_json:
            say_object(schema, "gat component", **each._asdict(), same=same)
        else:
            echo(f"{each.checksum}  {each.name}{'' if same is None else '  same' if same else '  DIFFERS'}")
    for missing in (each for each in bad.values() if not each.found):
        if wanted.as_json:
            say_object(schema, "gat missing", name=missing.name, expected=missing.expected)
        else:
            echo(f"{missing.expected}  {missing.name}  MISSING")
    if expected is not None and not wanted.as_json:
        verdict = f"{len(bad)} of {len(bad.keys() | {each.name for each in found})} components are NOT as expected"
        echo(verdict if bad else "every component is as expected")
    return Exit.CHECK_FAILED if bad else Exit.GOOD


@contextlib.contextmanager
def _hinting(hint: str) -> Iterator[None]:
    """Add what to try to the refusal of a device, which gives no reason."""
    try:
        yield
    except Refused as error:
        raise Refused(error.command, f"{error.reason}; {hint}", error.state) from None


def _found(wanted: GatRequest, inspection: Inspection) -> tuple[ComponentSum, ...]:
    if wanted.components:
        with _hinting("without --component, each of the device's components is listed"):
            return tuple(inspection.component(name, wanted.key) for name in wanted.components)
    return inspection.components(wanted.key)


def _expected(wanted: GatRequest, found: Sequence[ComponentSum]) -> Sequence[tuple[str, str]] | None:
    """Return the checksums to compare with, or None. An image is that of the only component."""
    if wanted.image is not None:
        if len(found) != 1:
            raise click.UsageError(f"--image is for one component, and the device has {len(found)}: use --component")
        return [(found[0].name, checksum(wanted.image, wanted.key))]
    if wanted.expected is None or not wanted.components:
        return wanted.expected
    return [each for each in wanted.expected if each[0] in wanted.components]


def _key(text: str | None, *, plain: bool) -> bytes:
    if text is None:
        return b"" if plain else secrets.token_bytes(KEY_BYTES)
    if text == NO_KEY:
        return b""
    even = len(text) % 2 == 0 and 0 < len(text) <= 2 * KEY_MAX
    if not even or set(text) - set(string.hexdigits):
        raise click.BadParameter(f"must be none, or 1 to {KEY_MAX} bytes as hexadecimal digits", param_hint="--key")
    return bytes.fromhex(text)


def read_expected(file: Path) -> list[tuple[str, str]]:
    """Return the expected components of a list: per line a name, white space, a checksum. Lines may be empty or begin
    with #. Raise UsageError that names the line."""
    try:
        lines = read_file(file, LIST_MAX_BYTES).decode("utf-8").splitlines()
    except OSError as error:
        raise click.UsageError(f"--expect: {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise click.UsageError(f"--expect: {file}: not UTF-8 text") from None
    found = dict[str, str]()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        *words, digits = line.rsplit(maxsplit=1)
        name = "".join(words).strip()
        if not name or set(digits) - set(string.hexdigits):
            raise click.UsageError(f"--expect: {file}, line {number}: not a name and a hexadecimal checksum")
        if name in found:
            raise click.UsageError(f"--expect: {file}, line {number}: {name!r} is there twice")
        found[name] = digits
    if not found:
        raise click.UsageError(f"--expect: {file}: it names no component")
    return [*found.items()]
