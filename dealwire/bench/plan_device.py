"""The verbs of a plan's steps that do something at the device: how each is written in a file, what its keys may be."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field, model_validator

from dealwire.bench.plan_steps import Strict, Time, check_names
from dealwire.bench.values import STATES, BadValue, Wanted, milliseconds
from dealwire.rehearsal.faults import act_named, fault_named
from protocol.tdp.messages import Reason

STATES_KNOWN: Final = tuple(dict.fromkeys(name for states in STATES.values() for name in states.__members__))
"""Every state of any class of device."""


def check_state(name: str) -> None:
    """BadValue for a state that no device has."""
    if name not in STATES_KNOWN:
        raise BadValue(f"no such state: {name!r}; allowed: {', '.join(STATES_KNOWN)}")


class StateIs(Strict):
    """`state`: the device shows this state, or one of these, in a status that comes since."""

    state: str | list[str]
    within: Time = "60000"
    where: dict[str, Wanted] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _known(self) -> StateIs:
        for name in [self.state] if isinstance(self.state, str) else self.state:
            check_state(name)
        milliseconds(self.within)
        return self


class WaitFor(Strict):
    """`wait`: let so much time pass."""

    wait: Time

    @model_validator(mode="after")
    def _known(self) -> WaitFor:
        milliseconds(self.wait)
        return self


class Manners(Strict):
    """`host`: what the bench does by itself from here: "acks" and "beats" it does, what is not named it does not."""

    host: list[Literal["acks", "beats"]]


class SessionOpening(Strict):
    """`open`: HELLO and OPEN-SESSION with this role; what the device holds is taken as read."""

    open: Literal["OBSERVE", "OPERATE", "SERVICE", "plan"]


class ActAtDevice(Strict):
    """`do`: hands do this at the device."""

    do: str
    fields: dict[str, int | str] = Field(default_factory=dict, alias="with")

    @model_validator(mode="after")
    def _known(self) -> ActAtDevice:
        act_named(self.do).filled(self.fields)
        return self


class Faulting(Strict):
    """`fault`: this goes wrong at what comes next."""

    fault: str
    fields: dict[str, int | str] = Field(default_factory=dict, alias="with")

    @model_validator(mode="after")
    def _known(self) -> Faulting:
        fault_named(self.fault).filled(self.fields)
        return self


class Power(Strict):
    """`power`: the device is switched off, or on, or both with a second between."""

    power: Literal["off", "on", "cycle"]


class Prepare(Strict):
    """`prepare`: the device is brought into this state, by commands and hands, whatever was before."""

    prepare: str

    @model_validator(mode="after")
    def _known(self) -> Prepare:
        if self.prepare != "ready":
            check_state(self.prepare)
        return self


class DealPackets(Strict):
    """`deal`: packets are dealt and lifted until so many have been taken; the next one lies in the tray then, if there
    is one. `finish`: then the remainder is asked for and lifted, and the books are compared."""

    deal: int = Field(ge=0, le=25)
    finish: bool = False


class WrongPacket(Strict):
    """`wrong_packet`: this packet, the next to come, has so many cards too many (below zero: too few). The lamp is lit
    for it and the misdeal record adds up; cleared, the deal goes on, and the remainder adds up as well."""

    wrong_packet: int = Field(ge=1, le=25)
    by: int


class Books(Strict):
    """`books`: loaded = packets + remainder + rejected in the misdeal record or at the remainder, less `missing`."""

    books: Literal["misdeal", "remainder"]
    missing: int = 0


class Poke(Strict):
    """`poke`: so many events are caused, by commands where the device has one that causes an event."""

    poke: int = Field(ge=1, le=400)


class Measuring(Strict):
    """`measure`: so many times of one kind are taken and compared with the limit of that name (none: only told)."""

    measure: Literal["hello", "reply", "status", "resend"]
    times: int = Field(ge=1, le=1000)
    limit: Time | None
    at_least: Time | None = None

    @model_validator(mode="after")
    def _known(self) -> Measuring:
        for time in (self.limit or 0, self.at_least or 0):
            milliseconds(time)
        return self


class Save(Strict):
    """`save`: names for what is known now: session, last (event), boots, request."""

    save: dict[str, Literal["session", "last", "boots", "request", "acked"]]


class Soak(Strict):
    """`soak`: so many rounds by seeded chance, with a fault in every `fault_every`th; --rounds wins."""

    soak: int = Field(ge=1, le=1_000_000)
    fault_every: int = Field(10, ge=0)


class Operate(Strict):
    """`operate`: a command that needs the role OPERATE is refused for this reason."""

    operate: str

    @model_validator(mode="after")
    def _known(self) -> Operate:
        check_names([self.operate], Reason)
        return self


class Foreign(Strict):
    """`foreign`: a command of another device class is refused for this reason."""

    foreign: str

    @model_validator(mode="after")
    def _known(self) -> Foreign:
        check_names([self.foreign], Reason)
        return self


class LostHost(Strict):
    """`lost`: the device holds its host for lost (601), not before so long since the last frame, and by `at_most`."""

    lost: Time
    at_most: Time

    @model_validator(mode="after")
    def _known(self) -> LostHost:
        milliseconds(self.lost)
        milliseconds(self.at_most)
        return self


class HostIsBack(Strict):
    """`back`: it no longer does (601 is gone) within so long."""

    back: Time

    @model_validator(mode="after")
    def _known(self) -> HostIsBack:
        milliseconds(self.back)
        return self


class HostStaysLost(Strict):
    """`still_lost`: it does, as its newest status says, which is not older than a second."""

    still_lost: Literal[True]
