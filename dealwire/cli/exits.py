"""Exit codes, and which error leads to which."""

import errno
from enum import IntEnum
from typing import Final

from devices.pcapng import CaptureError, CaptureInaccessible
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
    (CaptureError, Exit.PROTOCOL),
)
"""First match wins; any other error is a usage error."""

BY_ERRNO: Final = {errno.ENOENT: Exit.ABSENT, errno.EACCES: Exit.PERMISSION, errno.EBUSY: Exit.BUSY}
"""A recording that cannot be opened."""


def explain(error: DealwireError) -> tuple[Exit, str]:
    """Exit code and the one line that names the place."""
    if isinstance(error, CaptureInaccessible):
        return BY_ERRNO.get(error.errno or 0, Exit.USAGE), str(error)
    for kind, code in BY_ERROR:
        if isinstance(error, kind):
            return code, str(error)
    return Exit.USAGE, str(error)
