"""Exit codes, and which error leads to which."""

from enum import IntEnum
from typing import Final

from protocol.errors import (
    DealwireError,
    LineAbsent,
    LineBusy,
    LineDenied,
    NoAnswer,
    NotPermitted,
    RemoteError,
)


class Exit(IntEnum):
    """What a script can rely on."""

    GOOD = 0
    CHECK_FAILED = 1
    USAGE = 2
    ABSENT = 3
    TIMEOUT = 4
    PERMISSION = 5
    PROTOCOL = 6
    BUSY = 7
    INTERRUPTED = 130


BY_ERROR: Final[tuple[tuple[type[DealwireError], Exit], ...]] = (
    (LineBusy, Exit.BUSY),
    (LineDenied, Exit.PERMISSION),
    (NotPermitted, Exit.PERMISSION),
    (LineAbsent, Exit.ABSENT),
    (NoAnswer, Exit.TIMEOUT),
    (RemoteError, Exit.PROTOCOL),
)
"""First match wins. An error may also carry its own `exit_code`; any other is a usage error."""


def explain(error: DealwireError) -> tuple[Exit, str]:
    """Exit code and the one line that names the place."""
    for kind, code in BY_ERROR:
        if isinstance(error, kind):
            return code, str(error)
    return Exit.USAGE, str(error)
