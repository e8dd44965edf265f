"""Command `dealwire users`: who may act at tables, with which role, and the programs that use the console's
addresses."""

import getpass
import secrets
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Final, get_args

import click

from dealwire.cli.exits import Exit, Stop
from dealwire.cli.options import FILE, JSON_LINES, declared, many, whole
from dealwire.cli.terminal import echo, say_object
from dealwire.hub.actions import ROLES
from dealwire.people.approvals import key_name, key_of
from dealwire.people.edit import Value, changing, text_of, with_entry, with_values, write_users
from dealwire.people.passkeys import Passkeys, needs_webauthn, pinned_text
from dealwire.people.passwords import hashed, is_dated, needs_argon2
from dealwire.people.users import (
    TOKEN_STARTS,
    VERBS,
    Level,
    UserPart,
    Users,
    UsersUnusable,
    digest_of,
    is_in_force,
    moment,
    read_users,
)
from devices.clock import SystemClock

SCHEMA: Final = "dealwire.users-list/1"
ENROL_MINUTES: Final = 15
_CODE: Final = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
"""Letters and digits of a one-time code: none that looks like another."""


@click.group("users")
def command() -> None:
    """Keep the file of the people and programs that may act at tables.

    Name the file as `users-file` in the part `[people]` of table.toml. A running service takes a changed file over
    when it gets SIGHUP.
    """


@command.command("add")
@click.argument("file", type=FILE)
@click.argument("name")
@declared(
    ("--role", {"type": click.Choice(ROLES), "required": True}, "What the person may do."),
    ("--title", {"metavar": "TEXT"}, "The person's full name."),
    ("--table tables", many("NAME"), "Table at which the person may act; all unless given. May be repeated."),
    ("--badge", whole(1, 2**32 - 1, "N"), "Number of the person's badge."),
    ("--level", {"type": click.Choice(get_args(Level))}, "Level of the badge, if it is not that of the role."),
    ("--oidc", {"metavar": "SUBJECT"}, "The person's subject at the issuer of [people.oidc]."),
    ("--passkey-only", {"is_flag": True}, "Let the person sign in with a passkey alone."),
)
def add_command(
    file: Path,
    name: str,
    role: str,
    title: str | None,
    tables: tuple[str, ...],
    badge: int | None,
    level: str | None,
    oidc: str | None,
    passkey_only: bool,
) -> None:
    """Add a person to FILE, which is made if it does not exist. Then give the person a password, or a passkey."""
    values: dict[str, Value] = {"name": name, "role": role}
    if title is not None:
        values["title"] = title
    if tables:
        values["tables"] = tables
    if badge is not None:
        if level is None and role == "technician":
            raise click.BadParameter("the badge of a technician needs --level", param_hint="--badge")
        values |= {"badge": badge, "level": level or role}
    if oidc is not None:
        values["oidc"] = oidc
    if passkey_only:
        values["passkey"] = "required"
    _add(file, "user", values)
    then = f"dealwire users enrol {file} {name}" if passkey_only else f"dealwire users password {file} {name}"
    echo(f"{file}: {name}, {role}, is added; next: {then}")


@command.command("password")
@click.argument("file", type=FILE)
@click.argument("name")
@click.option("--stdin", "from_input", is_flag=True, help="Read the password from the first line of standard input.")
def password_command(file: Path, name: str, from_input: bool) -> None:
    """Set the password of the person NAME in FILE, which keeps an argon2id hash of it.

    The password has 12 to 256 characters and does not contain the name. The terminal prompts for it twice.
    """
    needs_argon2()
    _entry(read_users(file), file, name)
    _set(file, name, {"password": hashed(typed_password(name, from_input=from_input, twice=True), name)})
    echo(f"{file}: {name} has a new password")


@command.command("enrol")
@click.argument("file", type=FILE)
@click.argument("name")
def enrol_command(file: Path, name: str) -> None:
    """Print a one-time code with which the person NAME adds a passkey at the console's page /enrol.

    The code counts once, for 15 minutes. FILE keeps a digest of it.
    """
    letters = "".join(secrets.choice(_CODE) for _ in range(16))
    code = "-".join(letters[at : at + 4] for at in range(0, 16, 4))
    until = moment(SystemClock().now_ns() + ENROL_MINUTES * 60 * 1_000_000_000)
    _set(file, name, {"enrol": digest_of(code), "enrol-until": until})
    echo(f"{name} enters this code at the console's page /enrol before {until}: {code}")


@command.command("disable")
@click.argument("file", type=FILE)
@click.argument("name")
def disable_command(file: Path, name: str) -> None:
    """Let the person NAME in FILE do nothing from the next reload on; open sessions end then. The entry stays, so that
    no one else gets the name."""
    _set(file, name, {"disabled": True})
    echo(f"{file}: {name} is disabled; a running service takes it over on SIGHUP")


@command.command("program")
@click.argument("file", type=FILE)
@click.argument("name")
@declared(
    (
        "--may verbs",
        {"type": click.Choice(VERBS), "multiple": True, "required": True},
        "What it may do: read, or an action. May be repeated.",
    ),
    ("--table tables", many("NAME"), "Table for which it may do that; all unless given. May be repeated."),
    ("--from networks", many("NET"), "Address or network from which it connects; any unless given. May be repeated."),
    ("--until", {"metavar": "DATE"}, "The last day on which its token counts, such as 2027-01-31."),
)
def program_command(
    file: Path,
    name: str,
    verbs: tuple[str, ...],
    tables: tuple[str, ...],
    networks: tuple[str, ...],
    until: str | None,
) -> None:
    """Add a program to FILE and print its token, which is not shown again. FILE keeps a digest of it."""
    token = f"{TOKEN_STARTS}{name}_{secrets.token_urlsafe(32)}"
    values: dict[str, Value] = {"name": name, "token": digest_of(token), "may": verbs}
    values |= {key: given for key, given in (("tables", tables), ("from", networks), ("until", until)) if given}
    _add(file, "program", values)
    echo(f"{file}: {name} may {', '.join(verbs)}", err=True)
    echo(token)


@command.command("list")
@click.argument("file", type=FILE)
@declared(JSON_LINES)
def list_command(file: Path, as_json: bool) -> None:
    """Print the people and programs in FILE, without their secrets."""
    users, now_ns = read_users(file), SystemClock().now_ns()
    for user in users.file.user:
        ways = [way for way, has in (("password", user.password), ("one-time code", user.enrol)) if has]
        state = "in force" if is_in_force(user, now_ns) else "not in force"
        fields = {"name": user.name, "role": user.role, "tables": user.tables, "badge": user.badge, "state": state}
        if as_json:
            say_object(SCHEMA, "user", **fields, title=user.title, level=user.level, has=ways, until=user.until)
            continue
        where = ", ".join(user.tables) if user.tables is not None else "all tables"
        badge = f", badge {user.badge} ({user.level})" if user.badge is not None else ""
        echo(f"{user.name}: {user.role}, {where}{badge}, {' and '.join(ways) or 'no password'}, {state}")
    for program in users.file.program:
        state = "in force" if is_in_force(program, now_ns) else "not in force"
        if as_json:
            fields = {"name": program.name, "may": program.may, "tables": program.tables, "state": state}
            say_object(SCHEMA, "program", **fields, **{"from": program.from_}, until=program.until)
            continue
        where = ", ".join(program.tables) if program.tables is not None else "all tables"
        whence = f", from {', '.join(program.from_)}" if program.from_ is not None else ""
        echo(f"{program.name}: program, may {', '.join(program.may)}, {where}{whence}, {state}")


@command.command("check")
@click.argument("file", type=FILE)
def check_command(file: Path) -> None:
    """Check FILE: its mode, its entries, and that no password was hashed with older parameters. The exit code is 1 if
    one was, 2 if an entry will not do, 5 if others may use the file."""
    users = read_users(file)
    dated = [user.name for user in users.file.user if user.password is not None and is_dated(user.password)]
    if dated:
        raise Stop(Exit.CHECK_FAILED, f"{file}: set these passwords again, the hash is dated: {', '.join(dated)}")
    echo(f"{file}: {users.summary}, nothing wrong")


@command.command("forget")
@click.argument("file", type=FILE)
@click.argument("name")
def forget_command(file: Path, name: str) -> None:
    """Remove every passkey of the person NAME from the passkeys FILE, such as of a lost phone.

    FILE is the `passkeys-file` of table.toml. A running service takes it over on SIGHUP.
    """
    count = Passkeys.read(file).forget(name)
    if not count:
        raise Stop(Exit.CHECK_FAILED, f"{file}: {name} has no passkey; nothing was removed")
    echo(f"{file}: {count} passkey{'' if count == 1 else 's'} of {name} removed")


@command.command("pin")
@click.argument("file", type=FILE)
@click.argument("name")
@click.argument("passkeys", type=FILE)
@declared(("--only names", many("PASSKEY"), "A passkey to pin, by the name that is printed; all of NAME unless given."))
def pin_command(file: Path, name: str, passkeys: Path, names: tuple[str, ...]) -> None:
    """Let the person NAME in FILE approve with the passkeys that the file PASSKEYS has of NAME, and with no other.

    PASSKEYS is the `passkeys-file` of table.toml, which the console writes: pin right after the person added the
    passkey, and compare how many there are. The keys count where [people] has `approval = "proved"`.
    """
    needs_webauthn()
    _entry(read_users(file), file, name)
    kept = Passkeys.read(passkeys, of_anyone=True).of(name)
    if not kept and not passkeys.exists():  # the console has not made it yet, or its name is mistyped
        raise Stop(Exit.USAGE, f"{passkeys}: there is no such file")
    found = [each for each in kept if not names or key_name(each.id) in names]
    if not found or len(found) < len(set(names)):
        there = ", ".join(key_name(each.id) for each in kept) or "none"
        raise Stop(Exit.CHECK_FAILED, f"{passkeys}: nothing was pinned; passkeys of {name}: {there}")
    pinned = [pinned_text(each) for each in found]
    for each in pinned:
        key_of(each)
    _set(file, name, {"approval-keys": pinned})
    known = ", ".join(f"{key_name(each.id)} of {moment(each.added_ns)}" for each in found)
    echo(f"{file}: {name} approves with passkey {known}")


@command.command("unpin")
@click.argument("file", type=FILE)
@click.argument("name")
def unpin_command(file: Path, name: str) -> None:
    """Let no passkey of the person NAME in FILE approve, such as of a lost phone.

    A running service takes it over on SIGHUP.
    """
    _set(file, name, {"approval-keys": None})
    echo(f"{file}: no passkey of {name} approves; a running service takes it over on SIGHUP")


def typed_password(name: str, *, from_input: bool, twice: bool = False) -> str:
    """Return a password from standard input or the terminal, which does not show it."""
    if from_input:
        return sys.stdin.readline(1024).rstrip("\r\n")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", getpass.GetPassWarning)  # without a terminal, the password would be visible
            found: str = click.prompt(f"password of {name}", hide_input=True, confirmation_prompt=twice, err=True)
    except getpass.GetPassWarning:
        raise Stop(Exit.USAGE, f"no terminal to type the password of {name} at; use --stdin") from None
    return found


def _add(file: Path, kind: str, values: Mapping[str, Value]) -> None:
    with changing(file):
        before = text_of(file)
        try:
            write_users(file, with_entry(before, kind, values))
        except UsersUnusable as error:  # its line is in no file that anyone has
            key = error.key.rpartition("].")[2] if error.line is not None else error.key
            raise UsersUnusable(file, None, key, error.why) from error.__cause__


def _set(file: Path, name: str, values: Mapping[str, Value | None]) -> None:
    """Set keys of a person, whose entry may have moved since it was looked up last."""
    with changing(file):
        index, _ = _entry(read_users(file), file, name)
        write_users(file, with_values(file, text_of(file), "user", index, values))


def _entry(users: Users, file: Path, name: str) -> tuple[int, UserPart]:
    for index, user in enumerate(users.file.user):
        if user.name == name:
            return index, user
    known = ", ".join(user.name for user in users.file.user) or "nobody"
    raise Stop(Exit.USAGE, f"{file}: there is no user {name!r}; known: {known}")
