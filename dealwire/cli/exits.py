"""Exit codes, the mapping from errors to them, and the one-line message of an error."""

import errno
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import IntEnum
from traceback import extract_tb
from typing import Final

import click

from dealwire.cli.output import OutputClosed, OutputFailed
from dealwire.console.token_errors import TokensUnsafe
from dealwire.journal.errors import (
    JournalBusy,
    JournalDiffers,
    JournalError,
    JournalInaccessible,
    JournalUnwritable,
    KeyProblem,
    KeyUnknown,
    KeyUnsafe,
    NoteRefused,
    NotProvable,
    ProofRefused,
    SealingUnavailable,
)
from dealwire.people.errors import NotApproved, PeopleFileUnsafe
from dealwire.service.timekeeping import ClockDoubtful
from dealwire.tls_errors import AuthorityRefusal, TlsUnsafe
from devices.record.capture_errors import CaptureError, CaptureInaccessible
from protocol.errors import (
    DealwireError,
    LineAbsent,
    LineBusy,
    LineClosed,
    LineDenied,
    LineGarbled,
    LineMute,
    LineUnsealed,
    NoAnswer,
    NotPermitted,
    RemoteError,
    SealRequired,
)
from protocol.nearest import LISTED, did_you_mean, instead


class Exit(IntEnum):
    """Exit codes that scripts can rely on."""

    GOOD = 0
    CHECK_FAILED = 1
    USAGE = 2
    ABSENT = 3
    TIMEOUT = 4
    PERMISSION = 5
    PROTOCOL = 6
    BUSY = 7
    INTERRUPTED = 130


BY_ERROR: Final[tuple[tuple[tuple[type[DealwireError], ...], Exit], ...]] = (
    ((LineBusy, JournalBusy), Exit.BUSY),
    ((LineDenied, NotPermitted, KeyUnsafe, TokensUnsafe, TlsUnsafe, PeopleFileUnsafe), Exit.PERMISSION),
    ((KeyProblem, KeyUnknown, SealingUnavailable, OutputClosed), Exit.USAGE),
    ((NoAnswer, LineMute), Exit.TIMEOUT),
    ((LineUnsealed, SealRequired), Exit.PROTOCOL),
    ((LineAbsent, LineClosed), Exit.ABSENT),
    (
        (JournalUnwritable, JournalDiffers, NotProvable, ClockDoubtful, NotApproved, OutputFailed, AuthorityRefusal),
        Exit.CHECK_FAILED,
    ),
    ((LineGarbled, RemoteError, CaptureError, JournalError, NoteRefused, ProofRefused), Exit.PROTOCOL),
)
"""Error classes and their exit codes; the first match wins. Any other error is a usage error, unless the operating
system refused access to a file."""

_LISTENS: Final = ("console ", "metrics ")
"""Beginnings of the names of addresses that dealwire itself listens on. Advice about udev rules does not apply to them.
"""

BY_ERRNO: Final = {
    errno.EACCES: Exit.PERMISSION,
    errno.EROFS: Exit.PERMISSION,
    errno.EBUSY: Exit.BUSY,
}
"""Exit codes of a file that cannot be opened. A missing file is a usage error: `ABSENT` is for devices, which can be
plugged in."""


class Stop(DealwireError):
    """Error that ends a command with this exit code and one line."""

    def __init__(self, code: Exit, why: str) -> None:
        self.code, self.why = code, why
        super().__init__(why)


def explain(error: DealwireError) -> tuple[Exit, str]:
    """Return the exit code and the one line that names the place."""
    if isinstance(error, Stop):
        return error.code, error.why
    if isinstance(error, CaptureInaccessible):
        return BY_ERRNO.get(error.errno or 0, Exit.USAGE), str(error)
    if isinstance(error, JournalInaccessible):
        return BY_ERRNO.get(error.number, Exit.USAGE), str(error)
    line = str(error)
    if isinstance(error, LineDenied) and "udev" not in line and not error.line.startswith(_LISTENS):
        line += "; or install the udev rule that `dealwire doctor --udev` prints"
    if isinstance(error, SealRequired):
        line += "; options for the keys: --keys, --sealed-keys of bench"
    code = next((code for kinds, code in BY_ERROR if isinstance(error, kinds)), Exit.USAGE)
    if code is Exit.USAGE and isinstance(error.__cause__, OSError):
        code = BY_ERRNO.get(error.__cause__.errno or 0, code)
    return code, line


def explain_silence(silent: Sequence[str], problems: Mapping[str, DealwireError]) -> tuple[Exit, str]:
    """Return the exit code and the line for lines on which no device ever came up, from the first that has a reason."""
    for name in silent:
        if name in problems:
            code, line = explain(problems[name])
            return code, line if name in line else f"{name}: {line}"
    return Exit.TIMEOUT, f"no answer from {', '.join(silent)}"


_OF_CLICK: Final = ("Got unexpected extra argument", "Missing command")
"""Beginnings of click's own messages that have no more specific class than UsageError."""
_BROKEN: Final = re.compile(r"\s*[\n\t]\s*")
"""Line breaks in click's messages."""


class NoSuchCommand(click.UsageError):
    """Error: the group has no command of that name."""

    def __init__(self, name: str, ctx: click.Context, known: list[str]) -> None:
        few = len(known) <= LISTED
        there = instead(name, known, "commands: ") if few else did_you_mean(name, known)
        super().__init__(f"no such command {name!r}{there}", ctx)


def usage_line(error: click.UsageError) -> str:
    """Return the line for a usage error: `dealwire replay: no such option '--jsno' (did you mean --json?); see dealwire
    replay --help`."""
    command = error.ctx.command_path if error.ctx is not None else "dealwire"
    return f"{command}: {_what(error)}; see {command} --help"


def _what(error: click.UsageError) -> str:
    name = getattr(error, "command_name", None)  # click has said so apart from the message since 8.4
    if isinstance(name, str) and error.ctx is not None and isinstance(error.ctx.command, click.Group):
        return NoSuchCommand(name, error.ctx, error.ctx.command.list_commands(error.ctx)).message
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        known = [each for option in error.ctx.command.get_params(error.ctx) for each in option.opts
                 if isinstance(option, click.Option)]  # fmt: skip
        return f"no such option {error.option_name!r}{did_you_mean(error.option_name, known)}"
    if type(error) is click.UsageError and not error.message.startswith(_OF_CLICK):
        return error.message  # our own line: it may begin with a name or a path, whose letters it keeps
    what = _BROKEN.sub(" ", error.format_message()).removesuffix(".")
    return f"{what[:1].lower()}{what[1:]}"


_EXPECTED: Final = (
    *(DealwireError, BrokenPipeError, ModuleNotFoundError),
    *(click.ClickException, click.exceptions.Exit, click.Abort),
)
"""Errors that end a program in order."""
PLACES_MOST: Final = 8
"""Most places of an internal error that are named, innermost first."""


@contextmanager
def places_alone() -> Iterator[None]:
    """End the program at an internal error with its type and its places, in place of a traceback: the message of such
    an error may contain anything, even a face or a key."""
    try:
        yield
    except _EXPECTED:
        raise
    except Exception as error:
        places = [f"{each.filename.rsplit('/', 1)[-1]}:{each.lineno}" for each in extract_tb(error.__traceback__)]
        where = ", ".join(reversed(places[-PLACES_MOST:]))
        raise Stop(Exit.CHECK_FAILED, f"internal error: {type(error).__name__} at {where}") from None
