"""The state of the journal's log at one moment, for the console: newest checkpoint, who cosigned it, time stamp.

It has sizes, names and times, and nothing of a round.
"""

from typing import Final, Literal

from dealwire.hub.view import Shown

WitnessState = Literal["fresh", "old", "missing", "refused"]
"""`fresh`: cosigned within 24 h; `old`: longer ago; `missing`: never; `refused`: the newest line in its name was no
signature of it."""
OVERDUE_NS: Final = 24 * 3600 * 10**9
"""Time after which a cosignature is old, and a missing one of a needed witness is a warning."""


class WitnessView(Shown):
    """A witness: size and time of the newest checkpoint that it cosigned, zero if there is none. `overdue` is set for a
    needed one whose warning is shown; `why` says why its newest line was refused."""

    name: str
    needed: bool
    state: WitnessState
    size: int = 0
    at_ns: int = 0
    overdue: bool = False
    why: str = ""


class LogView(Shown):
    """The log: its name, the leaves of its tree, and its newest checkpoint, zero before the first."""

    origin: str
    leaves: int
    checkpoint: int = 0
    checkpoint_ns: int = 0
    witnesses: tuple[WitnessView, ...] = ()
    stamps: bool = False
    """True if a time stamp is wanted each gaming day."""
    stamped_day: str = ""
    """Gaming day of the newest time stamp; empty if there is none."""
    stamped_ns: int = 0
    stamp_overdue: bool = False
    forks: int = 0
    """Forks of the log that a witness has proven."""
    away: bool = False
    """True if this is the last known state: the table service does not respond."""


def log_json(found: LogView) -> dict[str, object]:
    """Return it as the JSON of `/log.json`."""
    return {"schema": "dealwire.log/1", **found.model_dump(mode="json")}
