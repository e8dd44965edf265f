"""Users files for tests, and people who sign in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import httpx

from dealwire.console.server import Console
from dealwire.people.edit import Value, toml_of
from dealwire.people.passwords import hashed
from dealwire.people.users import digest_of
from tests.support.rigs.consoles import origin
from tests.support.rigs.patience import PATIENCE_S


@cache
def _hashed(password: str) -> str:
    return hashed(password, "nobody at all")


class _Passwords(dict[str, tuple[str, str]]):
    """By name: a password, and its hash, which is made on first use."""

    def __missing__(self, name: str) -> tuple[str, str]:
        password = f"the words of {name[::-1]}"
        self[name] = password, _hashed(password)
        return self[name]


PASSWORDS = _Passwords()


def user_entry(name: str, role: str = "supervisor", *, tables: Sequence[str] = (), **values: Value) -> str:
    """Return a `[[user]]` of a users file."""
    known: dict[str, Value] = {"name": name, "role": role, **values}
    if tables:
        known["tables"] = tables
    if "badge" in known:
        known.setdefault("level", "supervisor")
    return "[[user]]\n" + "".join(f"{key.replace('_', '-')} = {toml_of(each)}\n" for key, each in known.items())


def person_entry(name: str, role: str = "supervisor", **values: Value) -> str:
    """Return a `[[user]]` with the password of `PASSWORDS`."""
    return user_entry(name, role, password=PASSWORDS[name][1], **values)


def program_entry(
    name: str,
    token: str,
    *,
    may: Sequence[str] = ("read",),
    tables: Sequence[str] = (),
    networks: Sequence[str] = (),
    until: str = "",
) -> str:
    """Return a `[[program]]` of a users file."""
    known: dict[str, Value] = {"name": name, "token": digest_of(token), "may": may}
    known |= {key: each for key, each in (("tables", tables), ("from", networks), ("until", until)) if each}
    return "[[program]]\n" + "".join(f"{key} = {toml_of(each)}\n" for key, each in known.items())


def users_file(folder: Path, *entries: str, mode: int = 0o600, name: str = "users.toml") -> Path:
    """Write a users file with these entries."""
    file = folder / name
    file.touch(mode=0o600)
    file.write_text('schema = "dealwire.users/1"\n\n' + "\n".join(entries))
    file.chmod(mode)
    return file


@contextmanager
def signed_in(console: Console, name: str) -> Iterator[httpx.Client]:
    """Open a client of a person who signed in with the password of `PASSWORDS`."""
    headers = {"origin": origin(console), "accept": "text/html"}
    with httpx.Client(base_url=origin(console), headers=headers, timeout=PATIENCE_S) as browser:
        answer = browser.post("/sign-in", data={"name": name, "password": PASSWORDS[name][0]})
        assert answer.status_code == 303, answer.text
        yield browser
