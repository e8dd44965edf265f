"""Command `dealwire authority`: make certificates for TLS, and revoke them."""

import importlib.util
import re
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from dealwire.cli.options import FLAG, APath, Row, declared, whole
from dealwire.cli.terminal import echo
from dealwire.listening import is_address
from rules.errors import ExtraMissing

if TYPE_CHECKING:
    from dealwire.authority import Authority

FOLDER: Final = APath(file_okay=False)
YEAR_AND_A_MONTH: Final = 397
"""Days that a certificate holds unless given; browsers refuse server certificates that hold longer."""
TEN_YEARS: Final = 3650

HOST: Final = re.compile(r"(?!(?:.*\.)?[0-9]+$)[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
"""A host name. Its last part is not a number: that is a mistyped address."""
PERSON: Final = re.compile(r"[A-Za-z0-9]+([._-][A-Za-z0-9]+)*")

_TO: Final[Row] = (
    "--to",
    {"type": FOLDER, "required": True, "metavar": "DIR"},
    "Folder for the certificate and its key.",
)
_DAYS: Final[Row] = (
    "--days",
    {**whole(1, TEN_YEARS), "default": YEAR_AND_A_MONTH, "show_default": True},
    "Days that the certificate holds.",
)


@click.group("authority")
def command() -> None:
    """Make certificates for TLS with an authority of your own, and revoke them.

    The authority is one FOLDER. Keep it off the tables: whoever has its key can be any server and any client.
    """
    if importlib.util.find_spec("cryptography") is None:
        raise ExtraMissing("cryptography", "people")


def _opened(folder: Path) -> "Authority":
    from dealwire.authority import Authority

    return Authority(folder)


@command.command("new")
@click.argument("folder", type=FOLDER)
@declared(
    ("--name", {"required": True}, "Name of the authority, such as the house's; certificates show it."),
    (
        "--days",
        {**whole(1, 2 * TEN_YEARS), "default": TEN_YEARS, "show_default": True},
        "Days that the authority holds.",
    ),
)
def new_command(folder: Path, name: str, days: int) -> None:
    """Make an authority in FOLDER: its key, readable only by its owner, and its certificate."""
    from dealwire.authority import CERTIFICATE, KEY, Authority

    if not name.isprintable() or not 1 <= len(name) <= 64:
        raise click.BadParameter("1 to 64 printable characters are needed", param_hint="--name")
    made = Authority.new(folder, name, days)
    ends = made.certificate.not_valid_after_utc
    echo(f"{folder / CERTIFICATE}: give it to every server and client; it ends on {ends:%F}")
    echo(f"{folder / KEY}: keep it secret, and a copy in a safe place")


@command.command("server")
@click.argument("folder", type=FOLDER)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@declared(_TO, _DAYS)
def server_command(folder: Path, names: tuple[str, ...], to: Path, days: int) -> None:
    """Make a key and a certificate for a server that is reached as NAME, host names or addresses.

    The first NAME gives the files their names.
    """
    for name in names:
        if not is_address(name):
            _must_fit(HOST, name, "a host name such as pit.example, or an address such as 10.0.0.7, is needed")
    cert, key = _opened(folder).issue("server", names, to, days)
    echo(f"{cert}: certificate of {', '.join(names)}")
    echo(f"{key}: its key; only the server may read it")


@command.command("client")
@click.argument("folder", type=FOLDER)
@click.argument("name")
@declared(_TO, _DAYS, ("--browser", FLAG, "Also write NAME.p12, which browsers import, and print its password once."))
def client_command(folder: Path, name: str, to: Path, days: int, browser: bool) -> None:
    """Make a key and a certificate for the client NAME: a person's browser, a table's line, a Prometheus."""
    _must_fit(PERSON, name, "letters, digits, and dots, dashes or underscores between them are needed")
    cert, key = _opened(folder).issue("client", (name,), to, days)
    echo(f"{cert}: certificate of {name}")
    echo(f"{key}: its key; only {name} may read it")
    if browser:
        from dealwire.authority import for_browser

        password = secrets.token_urlsafe(12)
        echo(f"{for_browser(cert, key, password)}: both, for a browser; its password is {password}")


@command.command("revoke")
@click.argument("folder", type=FOLDER)
@click.argument("which", metavar="NAME|SERIAL")
def revoke_command(folder: Path, which: str) -> None:
    """Revoke the certificate of NAME, or the one whose serial number begins with SERIAL; `list` shows both.

    Copy the list of revoked certificates beside the authority's certificate on every server, then send SIGHUP.
    """
    from dealwire.authority import REVOKED

    revoked = _opened(folder).revoke(which)
    echo(f"{folder / REVOKED}: {revoked.use} {', '.join(revoked.names)}, {revoked.serial}, is revoked")


@command.command("list")
@click.argument("folder", type=FOLDER)
def list_command(folder: Path) -> None:
    """List the certificates that the authority in FOLDER has made: serial number, use, names, end."""
    for each in _opened(folder).issued():
        state = f"revoked {each.revoked:%F}" if each.revoked is not None else f"until {each.ends:%F}"
        echo(f"{each.serial[:16]}  {each.use}  {', '.join(each.names)}  {state}")


def _must_fit(form: re.Pattern[str], name: str, needed: str) -> None:
    """Raise a usage error unless `name` has this form."""
    if not form.fullmatch(name):
        raise click.BadParameter(f"{name!r}: {needed}", param_hint="NAME")
