"""JSON lines that dealwire publishes, by type. `dealwire.table.event_line` writes the reports of devices.

`docs/schema/` has the schemas; `docs/events.md` explains them.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

import msgspec

from dealer_flow.record.base import LineRecord, Record, written

Topic = Literal["event", "incident", "round", "settlement", "meter", "award", "status"]
StatusKind = Literal[
    "started",
    "stopped",
    "safe-stop",
    "line-up",
    "line-lost",
    "action",
    "access",
    "warning",
    "clock-step",
    "request",
    "badge",
]
Step = Literal["requested", "approved", "refused", "withdrawn", "expired", "done", "failed", "policy"]
_BASE64: Final = "^[A-Za-z0-9_-]+$"


class GapLine(LineRecord, frozen=True, kw_only=True):
    """Marks lines skipped here because the reader was too slow. The journal has them, under the numbers in between."""

    SCHEMA: ClassVar[str] = "dealwire.gap/1"
    TYPE: ClassVar[str] = "gap"

    after: int
    """The number of the last line before the gap; 0 if there was none."""
    before: int
    """The number of the first line after the gap."""


class HeadLine(LineRecord, frozen=True, kw_only=True):
    """The journal's position when this line was written. It is not a record; a later check of the journal can refer to
    it."""

    SCHEMA: ClassVar[str] = "dealwire.head/1"
    TYPE: ClassVar[str] = "head"

    epoch: str
    """The opening of the journal that wrote the line before, hex."""
    sequence: int
    """The number of the line before."""
    hash: str
    """SHA-256 of that record in the journal's chain, hex."""


class ClockSet(Record, frozen=True):
    """A change of the host's clock by `by_ns` nanoseconds, negative when set back. The clock then showed `wall_ns`, and
    journal time was `carried_ns`; `followed`: journal time follows the clock from then on."""

    by_ns: int
    wall_ns: int
    carried_ns: int
    followed: bool


class Assertion(Record, frozen=True):
    """An answer of a passkey, each part in base64url: the id of the passkey, what the browser says it signed, what the
    passkey says of itself, and the signature over both."""

    id: Annotated[str, msgspec.Meta(pattern=_BASE64, max_length=1366)]
    client: Annotated[str, msgspec.Meta(pattern=_BASE64, max_length=2048)]
    authenticator: Annotated[str, msgspec.Meta(pattern=_BASE64, max_length=1024)]
    signature: Annotated[str, msgspec.Meta(pattern=_BASE64, max_length=1024)]


class RequestStep(Record, frozen=True, omit_defaults=True):
    """A step of a request that another person must approve.

    `of` is the number of the record with which it was requested, 0 in that record itself. `step` `policy` is none of a
    request: `act` then names all acts that need two people from here on, separated by spaces.
    """

    of: int
    act: str
    step: Step
    who: str
    """The person who requested it."""
    second: str = ""
    """The person who approved or refused it."""
    until_ns: int = 0
    """Time until which it may be approved, nanoseconds since 1970."""
    fields: dict[str, int | str] = msgspec.field(default_factory=dict)
    """The completed form."""
    nonce: str = ""
    """32 random bytes of the service, in base64url, if the approval must be proved."""
    proof: Assertion | None = None
    """The answer of the approver's passkey to this very request."""
    proved: bool = False
    """In a policy: true if approvals must be proved by a passkey from here on."""
    users: str = ""
    """SHA-256 of the users file, hex. In a policy: of the one that counts from here on; in any other step: of the one
    by which it was taken without a service."""


class StatusLine(LineRecord, frozen=True, kw_only=True, omit_defaults=True):
    """Status of a table or one of its lines: not part of a round, but relevant to operators."""

    SCHEMA: ClassVar[str] = "dealwire.status/1"
    TYPE: ClassVar[str] = "status"

    table: str
    kind: StatusKind
    """`safe-stop`: the table deals no more until a person has looked; `action`: a person requested something; `access`:
    a sign-in, sign-out, failed sign-in or refusal at the console; `warning`: needs attention before it stops a table;
    `clock-step`: the host's clock was set; `request`: a step of an act that two people do; `badge`: a badge that is
    not in the users file, or a person whose badge was swiped."""
    device: str | None = written(None)
    """The line's name at the table; null when it is about the table."""
    text: str
    """One sentence for a person."""
    clock: ClockSet | None = None
    """Both times of a clock that was set while tables were served. Absent from every other line."""
    round: int | None = None
    """The round whose held money was reported as settled by hand. Absent from every other line."""
    request: RequestStep | None = None
    """The step of a request. Absent from every other line."""
    sealed: str = ""
    """In `line-up`: first 16 digits of the device's key, with which its line is sealed, as `dealwire device keys list`
    has it. Absent for a line in clear, and from every other line."""


@dataclass(frozen=True, slots=True)
class Publication:
    """One NDJSON line to be published. It contains no face of a card before its reveal.

    `sequence` is its number in the journal: it rises, with gaps, and identifies the line forever, so a reader can
    recognize a repetition. `table` is the table's name; `line` one JSON object with `schema` and `type`, without a
    newline. `epoch` names the opening of the journal that wrote it, `hash` is its record in the chain, both in hex:
    lines with the same number that differ in either come from different histories. Both are empty for lines that are
    not in a journal.
    """

    sequence: int
    table: str
    at_ns: int
    topic: Topic
    line: str
    epoch: str = ""
    hash: str = ""
