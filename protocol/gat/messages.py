"""Queries of the terminal and responses of the device, as frozen values."""

from enum import IntEnum
from typing import Final

from protocol import message

VERSION: Final = (3, 50)
"""Version that this project implements."""
SPECIAL_FUNCTION: Final = 0xBA
"""Authentication level of a special function, the only one in use."""
NOT_CALCULATED: Final = 0x00
"""Level that a device reports before its first calculation, and after a refused one."""


class Calculation(IntEnum):
    """Progress of the current calculation."""

    REQUESTED = 0
    FINISHED = 1
    CALCULATING = 2
    FAILED = 3


class ResultForm(IntEnum):
    """Form in which results are read."""

    PLAIN = 1
    XML = 2


XML_FORM: Final = 1 << ResultForm.XML - 1
"""Bit of a status for results as XML."""


def version_text(major: int, minor: int) -> str:
    """Return a version as a reader writes it, such as `3.50`."""
    return f"{major}.{minor:02}"


class GatMessage(message.Message, frozen=True):
    """Base of all messages of this protocol."""


class StatusQueryMessage(GatMessage, frozen=True):
    """Status Query (SQ)."""


class StatusResponseMessage(GatMessage, frozen=True):
    """Status Response (SR): version, progress of the calculation, and the forms of results that the device offers."""

    major: int
    minor: int
    running: bool
    available: bool
    """True if the last results can be read."""
    calculation: Calculation
    forms: int
    """Bit 0: plain text, bit 1: XML."""
    reserved: int = 0
    """Bits 4 to 7 of the status, whose meaning is unknown."""

    @property
    def version(self) -> str:
        """The version as text."""
        return version_text(self.major, self.minor)


class LastStatusQueryMessage(GatMessage, frozen=True):
    """Last Authentication Status Query (LASQ)."""


class LastStatusResponseMessage(GatMessage, frozen=True):
    """Last Authentication Status Response (LASR): level of the last calculation, and the seconds since then."""

    level: int
    age_s: int


class ResultsQueryMessage(GatMessage, frozen=True):
    """Last Authentication Results Query (LARQ). Frames are numbered from 1."""

    form: int
    number: int


class ResultsResponseMessage(GatMessage, frozen=True):
    """Last Authentication Results Response (LARR): one frame of the results."""

    error: bool
    last: bool
    number: int
    """Number of the frame, from the query."""
    data: bytes
    reserved: int = 0


class CalculationQueryMessage(GatMessage, frozen=True):
    """Initiate Authentication Calculation Query (IACQ). The parameter depends on the level."""

    level: int
    parameter: bytes


class CalculationResponseMessage(GatMessage, frozen=True):
    """Initiate Authentication Calculation Response (IACR)."""

    acknowledged: bool
    started: bool
    bad_level: bool
    reserved: int = 0
