"""A table as a person may see it at one moment. Made by the owner, read by the console and whatever else shows a table.

A card that nobody has shown is `??`, whatever the devices have read: this is what goes out of the process.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from dealer_flow.play.snapshot import PacketNow

Link = Literal["waiting", "unknown", "up", "closed"]
"""How a device's line stands."""


class Shown(BaseModel):
    """Base of everything in a view: strict, frozen, no unknown key."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class SeatView(Shown):
    """One seat. `cards` are as many as were counted, `??` until shown; `next` when something is expected of it."""

    seat: int
    status: Literal["empty", "betting", "live", "folded", "dead", "out"]
    wagers: dict[str, int] = {}
    """Cents by bet name."""
    cards: tuple[str, ...] = ()
    counted: int | None = None
    expected: int | None = None
    decision: str | None = None
    next: bool = False


class HandView(Shown):
    """Cards at a place that is no seat: the dealer's hand, a community hand, a shoe's column."""

    name: str
    cards: tuple[str, ...] = ()
    counted: int | None = None
    expected: int | None = None
    burned: tuple[str, ...] = ()
    """Cards of this packet that were burned and lie set aside, `??` until shown."""


class DeviceView(Shown):
    """One device's line. `state` is the device's own word; `problem` what a person should look into."""

    name: str
    kind: str
    address: str
    link: Link
    state: str = ""
    problem: str | None = None


class LogLine(Shown):
    """One line of the log: an incident with its clause, a round's end, a line lost or back."""

    sequence: int
    at_ns: int
    code: str
    text: str
    clause: str | None = None
    place: str | None = None


class LegalView(Shown):
    """One thing that may happen next."""

    actor: str
    what: str
    place: str


class TableView(Shown):
    """One table. `sequence` is the journal's newest number it includes; `at_ns` nanoseconds since 1970."""

    schema_: Literal["dealwire.view/1"] = "dealwire.view/1"
    sequence: int
    at_ns: int
    table: str
    procedure: str
    title: str
    clause: str
    round: int
    state: str
    """Where the round stands, in the flow's words."""
    last_outcome: str | None = None
    red_lamp: int = 0
    """The fault that lit the red lamp; 0 when it is dark."""
    red_lamp_text: str = ""
    safe_stop: str | None = None
    """Why the table was stopped and deals no more; None while it runs."""
    seats: tuple[SeatView, ...] = ()
    dealer: HandView | None = None
    community: tuple[HandView, ...] = ()
    columns: tuple[HandView, ...] = ()
    packets: tuple[PacketNow, ...] = ()
    remainder: int | None = None
    deck: int = 0
    shuffler: str = ""
    """The dealing device's own state, by name."""
    meters: dict[str, int] = {}
    """Cents by meter name."""
    devices: tuple[DeviceView, ...] = ()
    next: tuple[LegalView, ...] = ()
    log: tuple[LogLine, ...] = ()
    """Newest last, at most the last 200."""
