"""Changes to a users file, as text: what a person wrote around the changed line stays as it is."""

import os
import re
import stat
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from dealwire.people.users import SCHEMA, UsersUnusable, read_users, users_in
from devices.files import alone_in, replace_text
from protocol.tomlfile import line_of

Value = str | int | bool | Sequence[str]
HEAD: Final = f'schema = "{SCHEMA}"\n'


def text_of(path: Path) -> str:
    """Return the text of a users file that will do; the head of a new one if there is none."""
    if not path.exists():
        return HEAD
    read_users(path)
    return path.read_text("utf-8")


def with_entry(text: str, kind: str, values: Mapping[str, Value]) -> str:
    """Return the text with one more `[[user]]` or `[[program]]`."""
    lines = "".join(f"{key} = {toml_of(value)}\n" for key, value in values.items())
    return f"{text.rstrip()}\n\n[[{kind}]]\n{lines}"


def with_values(path: Path, text: str, kind: str, index: int, values: Mapping[str, Value | None]) -> str:
    """Return the text with these keys of one entry set; None takes a key away. UsersUnusable if the entry is written in
    a way in which this would change something else, such as inside a text of several lines."""
    wanted = tomllib.loads(text)
    for key, value in values.items():
        text = _with_value(text, kind, index, key, value)
        wanted[kind][index].pop(key, None)
        if value is not None:
            wanted[kind][index][key] = value if isinstance(value, str | int) else list(value)
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        found = {}
    if found != wanted:
        keys, entry = ", ".join(values), f"{kind}[{index + 1}]"
        raise UsersUnusable(path, None, entry, f"cannot be changed where it is; write {keys} into the file by hand")
    return text


def _with_value(text: str, kind: str, index: int, key: str, value: Value | None) -> str:
    lines = text.removesuffix("\n").split("\n")  # splitlines would end a line at U+2028, within a text
    at = line_of(text, (kind, index)) or len(lines)
    end = next((number for number in range(at, len(lines)) if lines[number].lstrip().startswith("[")), len(lines))
    old = next((n for n in range(at, end) if re.match(rf"\s*{re.escape(key)}\s*=", lines[n])), None)
    new = [] if value is None else [f"{key} = {toml_of(value)}"]
    if old is not None:
        lines[old : old + 1] = new
    else:
        last = max((n for n in range(at - 1, end) if lines[n].strip() and lines[n].lstrip()[0] != "#"), default=at - 1)
        lines[last + 1 : last + 1] = new
    return "\n".join(lines) + "\n"


def toml_of(value: Value) -> str:
    """Return a value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"[{', '.join(toml_of(each) for each in value)}]"


@contextmanager
def changing(path: Path) -> Iterator[None]:
    """Be the only one who changes a users file until the block ends, from its reading on. UsersUnusable if its folder
    cannot be opened."""
    with ExitStack() as stack:
        try:
            stack.enter_context(alone_in(path.resolve().parent))
        except OSError as error:
            raise UsersUnusable(path, None, "", f"cannot be written: {error.strerror}") from error
        yield


def write_users(path: Path, text: str) -> None:
    """Replace a users file by a text that will do; owner, group and mode stay, and so does a link to it. UsersUnusable,
    and nothing is written, if it will not do or the disk refuses."""
    users_in(path, text.encode("utf-8", "surrogatepass"))
    path = path.resolve()
    before = path.stat() if path.exists() else None
    try:
        replace_like(path, text, before)
    except OSError as error:
        raise UsersUnusable(path, None, "", f"cannot be written: {error.strerror}") from error


def replace_like(path: Path, text: str, like: os.stat_result | None) -> None:
    """Replace a file's content as `replace_text` does, with the mode of `like`, and with its owner if we are root."""
    if like is None:
        replace_text(path, text)
    else:
        owner = (like.st_uid, like.st_gid) if os.geteuid() == 0 else None
        replace_text(path, text, stat.S_IMODE(like.st_mode), owner)
