"""Checks before a start of what a service listens at: the console with its people, and the metrics."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from dealwire.config.schema import ConsolePart, MetricsPart, OidcPart, PeoplePart, TlsPart
from dealwire.console.tokens import Tokens
from dealwire.host import EXTRAS
from dealwire.hub.actions import Role
from dealwire.listening import is_loopback, must_be_free
from dealwire.people.approvals import check_pins
from dealwire.people.issuer import check_files
from dealwire.people.passkeys import Passkeys
from dealwire.people.users import read_users
from dealwire.service.actions import POST, roles_of
from dealwire.service.tried import Tried, Unusable, attempted, installed, ok, warning, wrong
from dealwire.tls import TlsFiles
from devices.clock import SystemClock
from devices.files import may
from protocol.errors import DealwireError
from protocol.tomlfile import Key, spell
from rules.errors import ExtraMissing

CONSOLE_MODULES = EXTRAS["console"].modules


def console_ready(part: ConsolePart, *, people: bool) -> Iterator[Tried]:
    """Check what the console needs. `people`: they sign in by name, so no tokens are needed."""
    if not installed(*CONSOLE_MODULES):
        yield wrong("console", ("console",), ExtraMissing("starlette", "console"))
    yield from _reachable("console", ("console",), part)
    if part.socket is not None:  # its port is open while it waits for its tables, and its files are its user's alone
        path, words = part.socket, "it reads its own files and opens its port"
        yield from attempted(
            "console",
            ("console", "socket"),
            lambda: must_take_socket(path),
            lambda _: f"another process connects at {path}; {words}",
        )
        return
    yield from _tls("console", ("console",), part.tls)
    yield from _port("console", ("console", "port"), part.host, part.port)
    if part.tokens_file is not None:
        file = part.tokens_file
        may = "can sign in with a token from"
        yield from attempted(
            "tokens", ("console", "tokens-file"), lambda: Tokens.read(file), lambda t: f"{t.roles} {may} {file.name}"
        )
    elif people:
        pass  # the users file is checked by itself
    elif is_loopback(part.host):
        yield ok("tokens", "no tokens-file: no one can sign in, so the console is read-only")
    else:
        yield warning("tokens", f"no tokens-file: no one can view the console at {part.host}", ("console",))
    if part.recordings is not None:
        yield from _recordings(part.recordings)


def must_take_socket(path: Path) -> None:
    """Raise Unusable if something else than a socket is at `path`: what is there would be deleted for the socket."""
    try:
        is_socket = stat.S_ISSOCK(path.stat().st_mode)
    except FileNotFoundError:
        return
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror}") from error
    if not is_socket:
        raise Unusable(f"{path}: what is there is no socket; name a path where nothing is")


def tables_part(people: PeoplePart, console: ConsolePart | None) -> PeoplePart:
    """Return what the tables read of `[people]`: not the passkeys of a console with a user of its own, whose file is
    that user's alone."""
    apart = console is not None and console.socket is not None
    return people.model_copy(update={"passkeys_file": None}) if apart else people


def people_ready(part: PeoplePart) -> Iterator[Tried]:
    """Check the users file, and that for each act that needs two people there are two."""
    key: Key = ("people", "users-file")
    if not installed("argon2"):
        yield wrong("people", key, ExtraMissing("argon2-cffi", "people"))
    if part.passkeys_file is not None and not installed("webauthn"):
        yield wrong("people", ("people", "passkeys-file"), ExtraMissing("webauthn", "people"))
    try:
        users = read_users(part.users_file)
        if part.passkeys_file is not None:
            key = ("people", "passkeys-file")
            Passkeys.read(part.passkeys_file)
    except DealwireError as error:
        yield wrong("people", key, error)
        return
    now_ns = SystemClock().now_ns()
    for act in part.second_person:
        role = roles_of(act)[0]
        could = users.who_could(role, now_ns) if act != POST else users.who_could_authorize(now_ns)
        if len(could) < 2:
            there = f"there is {len(could)}" if len(could) == 1 else "there are none"
            what = (
                f"the role {role} and a way to sign in," if act != POST else "a badge of level supervisor or executive"
            )
            why = f"{act} needs two people with {what} in {part.users_file.name}; {there}"
            yield wrong("people", ("people", "second-person"), Unusable(why))
            return
    two = f"; two are needed for {', '.join(part.second_person)}" if part.second_person else ""
    yield ok("people", f"{users.summary} in {part.users_file.name}{two}")
    if part.is_proved:
        roles: dict[str, Role] = {act: roles_of(act)[0] for act in part.second_person if act != POST}
        key, words = ("people", "approval"), "a passkey signs each approval"
        yield from attempted("people", key, lambda: check_pins(users, roles, now_ns), lambda _: words)


def oidc_ready(part: OidcPart) -> Iterator[Tried]:
    """Check the files for the issuer of OpenID Connect. The issuer itself may be down: no table waits for it."""
    key: Key = ("people", "oidc", "client-secret-file")
    if not installed("joserfc"):
        yield wrong("oidc", ("people", "oidc"), ExtraMissing("joserfc", "people"))
        return
    yield from attempted("oidc", key, lambda: check_files(part), lambda _: f"people may sign in at {part.issuer}")


def _reachable(what: Literal["console", "metrics"], key: Key, part: ConsolePart | MetricsPart) -> Iterator[Tried]:
    """Refuse to listen beyond this machine without TLS, unless the file says that it is meant so."""
    if part.tls is None and not part.plain and not is_loopback(part.host):
        why = f"{part.host} can be reached from other machines without TLS; add [{spell(key)}.tls], or plain = true"
        yield wrong(what, (*key, "host"), Unusable(why))
    elif (text := in_clear(part)) is not None:
        yield warning(what, text, (*key, "plain"))


def in_clear(part: ConsolePart | MetricsPart) -> str | None:
    """Return a warning if others in the network could read what a server sends and gets; None if not."""
    if part.tls is not None or is_loopback(part.host):
        return None
    if isinstance(part, MetricsPart):
        return "the metrics cross the network in clear text"
    what = (
        "tokens and sessions cross the network"
        if part.tokens_file is not None
        else "pages, and what people enter, cross the network"
    )
    return f"{what} in clear text{', up to the proxy' * part.secure}; see TLS in docs/console.md"


def _tls(what: Literal["console", "metrics"], key: Key, part: TlsPart | None) -> Iterator[Tried]:
    """Check the certificate of a server, and when it ends."""
    if part is None:
        return
    from dealwire.tls import day, ending_soon, load

    key, ends_ns = (*key, "tls"), list[int]()
    clients = f", for clients with a certificate of {part.client_ca_file.name}" if part.client_ca_file else ""
    for tried in attempted(
        what,
        key,
        lambda: ends_ns.append(load(files_of(part)).ends_ns),
        lambda _: f"TLS with {part.cert_file.name}, until {day(ends_ns[0])}{clients}",
    ):
        soon = ending_soon(ends_ns[0], SystemClock().now_ns()) if ends_ns else None
        yield warning(what, f"{part.cert_file}: {soon}", key) if soon is not None else tried


def files_of(part: TlsPart) -> TlsFiles:
    """Return the files of a server's certificate."""
    return TlsFiles(part.cert_file, part.key_file, part.client_ca_file)


def _recordings(folder: Path) -> Iterator[Tried]:
    key: Key = ("console", "recordings")
    if not folder.is_dir():
        yield wrong("recordings", key, Unusable(f"{folder}: no such folder"))
    elif not may(folder, os.R_OK | os.X_OK):
        yield warning("recordings", f"{folder}: {os.strerror(errno.EACCES)}: no recording can be read", key)
    else:
        yield ok("recordings", f"{folder} is readable")


def metrics_ready(part: MetricsPart, others: set[int]) -> Iterator[Tried]:
    """Check what the metrics need. `others`: ports that the file gives to other servers."""
    key: Key = ("exports", "metrics", "port")
    if not installed("prometheus_client"):
        yield wrong("metrics", key[:-1], ExtraMissing("prometheus-client", "metrics"))
    yield from _reachable("metrics", key[:-1], part)
    yield from _tls("metrics", key[:-1], part.tls)
    if part.port in others:
        yield wrong("metrics", key, Unusable(f"port {part.port} is already used by the console"))
    else:
        yield from _port("metrics", key, part.host, part.port)


def _port(what: str, key: Key, host: str, port: int) -> Iterator[Tried]:
    words = f"{host}:{port} is free" if port else f"{host}: any free port"
    yield from attempted(what, key, lambda: must_be_free(what, host, port), lambda _: words)
