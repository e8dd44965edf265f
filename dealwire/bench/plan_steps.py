"""The verbs of a plan's steps that speak and listen: how each is written in a file, and what its keys may be."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from dealwire.bench.values import BadValue, Wanted, check_sent, check_wanted, milliseconds
from protocol.tdp.messages import Reason

Time = int | str
"""Milliseconds, or names of the protocol's times, added up."""
Variable = Annotated[str, StringConstraints(pattern=r"^\$[a-z_]+$")]
Number = int | str
"""A number, or a variable, or a comparison with one."""
Word = Literal["done", "accepted", "refused", "any"]


class Strict(BaseModel):
    """Base of everything in a plan."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, populate_by_name=True)


class Sending(Strict):
    """`send`: a message, right or wrong on purpose. `request`: new, same (the last one's), a number or a variable."""

    send: str
    fields: dict[str, int | str] = Field(default_factory=dict, alias="with")
    request: Literal["new", "same"] | int | Variable = "new"
    flags: int = Field(0, ge=0, le=255)
    version: int | None = Field(None, ge=0, le=255)
    kind: int | None = Field(None, ge=0, le=255)
    id: int | None = Field(None, ge=0, le=0xFFFF)
    payload: str | None = None
    """Hex instead of the message's own payload."""
    append: str = ""
    """Hex after the payload, such as an extension."""
    sequence: int | None = Field(None, ge=0, le=255)
    damage: Literal["check", "cobs", "truncated", "unclosed"] | None = None
    times: int = Field(1, ge=1, le=400)
    """So often, in one write."""
    gap_ms: int | None = Field(None, ge=0, le=200)
    """Byte by byte, with so much time between."""
    before: str = ""
    """Hex on the line right before it."""
    opened: bool | None = None
    """Whether a delimiter goes first; by default as the silence before it asks."""

    @model_validator(mode="after")
    def _known(self) -> Sending:
        check_sent(self.send, self.fields)
        for text in (self.payload or "", self.append, self.before):
            _check_hex(text)
        return self


class Raw(Strict):
    """`raw`: bytes as they are (hex), or so many `random` ones, never a whole frame."""

    raw: str
    full_frame: Literal["short", "long"] | None = None
    """A frame of 256 bytes that ends with a full group of COBS, without or with the empty one after it."""
    random: int = Field(0, ge=0, le=5000)
    repeat: int = Field(1, ge=1, le=1000)

    @model_validator(mode="after")
    def _known(self) -> Raw:
        _check_hex(self.raw)
        return self


class Flips(Strict):
    """`flips`: so many frames of a message, each with one bit turned over by seeded chance."""

    flips: int = Field(ge=1, le=1000)
    message: str = "Hello"


class Replying(Strict):
    """`reply`: the last command is answered so, and the header names it. `measure`: the name its time goes under.

    A reply is waited for as long as a host does that has not yet tried again; the protocol's 100 ms have checks of
    their own.
    """

    reply: Word
    reason: str | list[str] | None = None
    within: Time = "retry"
    measure: str | None = None

    @model_validator(mode="after")
    def _known(self) -> Replying:
        check_names([self.reason] if isinstance(self.reason, str) else self.reason or [], Reason)
        milliseconds(self.within)
        return self


class Naking(Strict):
    """`nak`: the last frame is answered by a NAK with one of these reasons."""

    nak: str | list[str]
    within: Time = "retry"

    @model_validator(mode="after")
    def _known(self) -> Naking:
        check_names([self.nak] if isinstance(self.nak, str) else self.nak, Reason)
        milliseconds(self.within)
        return self


class Expecting(Strict):
    """`expect`: a message arrives. `request`: it carries the last command's; `old`: it is of the session before."""

    expect: str
    where: dict[str, Wanted] = Field(default_factory=dict)
    within: Time = "status"
    request: Literal["same"] | None = None
    old: bool = False
    not_before: Time | None = None
    measure: str | None = None
    save: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _known(self) -> Expecting:
        check_wanted(self.expect, self.where)
        check_wanted(self.expect, dict.fromkeys(self.save.values(), 0))
        for time in (self.within, self.not_before or 0):
            milliseconds(time)
        return self


class Never(Strict):
    """`never`: none of these arrives for so long; an empty list: nothing at all."""

    never: list[str]
    where: dict[str, Wanted] = Field(default_factory=dict)
    during: Time

    @model_validator(mode="after")
    def _known(self) -> Never:
        for name in self.never:
            check_wanted(name, self.where)
        milliseconds(self.during)
        return self


class Ordered(Strict):
    """`events`: these came since the check began, in this order; others may stand between. Each is one table with the
    event's name as `event` and its fields."""

    events: list[dict[str, Wanted]]
    within: Time = "status"

    @model_validator(mode="after")
    def _known(self) -> Ordered:
        for item in self.events:
            if not isinstance(item.get("event"), str):
                raise BadValue("each needs the key 'event' with an event's name")
            check_wanted(str(item["event"]), {name: value for name, value in item.items() if name != "event"})
        milliseconds(self.within)
        return self


class CountMessages(Strict):
    """`count`: so many of a message came since the check began, no more and no fewer."""

    count: int
    of: str
    where: dict[str, Wanted] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _known(self) -> CountMessages:
        check_wanted(self.of, self.where)
        return self


class AnyStatus(Strict):
    """`status`: a status comes within so long, with these fields."""

    status: Time
    where: dict[str, Wanted] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _known(self) -> AnyStatus:
        milliseconds(self.status)
        return self


class Greeting(Strict):
    """`greet`: HELLO, again and again, until it is answered; no session is opened."""

    greet: Time

    @model_validator(mode="after")
    def _known(self) -> Greeting:
        milliseconds(self.greet)
        return self


class OldEvents(Strict):
    """`old_events`: so many events of the session before come, from number `first` on, each naming that session."""

    old_events: int = Field(ge=1)
    first: Number


class NoEvents(Strict):
    """`no_events`: no event at all comes for so long."""

    no_events: Time

    @model_validator(mode="after")
    def _known(self) -> NoEvents:
        milliseconds(self.no_events)
        return self


class Again(Strict):
    """`again`: during so long, events come again from this number on, in order, and none before it."""

    again: Number
    during: Time

    @model_validator(mode="after")
    def _known(self) -> Again:
        milliseconds(self.during)
        return self


class Newest(Strict):
    """`newest`: the newest event heard has this number, or one that compares so."""

    newest: Number


class CaughtUp(Strict):
    """`caught_up`: every event up to this one comes, but for those that a GAP named, which leaves so many `kept`."""

    caught_up: Number
    kept: int = Field(ge=0)
    within: Time

    @model_validator(mode="after")
    def _known(self) -> CaughtUp:
        milliseconds(self.within)
        return self


def _check_hex(text: str) -> None:
    try:
        bytes.fromhex(text)
    except ValueError:
        raise BadValue(f"{text!r} is not hex, such as '00 FF'") from None


def check_names(names: list[str], known: type[Reason]) -> None:
    """BadValue for a name that the enumeration does not have."""
    for name in names:
        if name not in known.__members__:
            raise BadValue(f"{name!r} is no {known.__name__}; allowed: {', '.join(known.__members__)}")
