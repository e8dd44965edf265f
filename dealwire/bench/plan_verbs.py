"""Every verb a step of a plan may have."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Discriminator, Field, Tag

from dealwire.bench import plan_device as d
from dealwire.bench import plan_steps as s


class Repeat(s.Strict):
    """`repeat`: the steps, so many times."""

    repeat: int = Field(ge=1, le=1000)
    steps: tuple[BenchStep, ...]


VERBS: Final[dict[str, type[s.Strict]]] = {
    "send": s.Sending,
    "raw": s.Raw,
    "flips": s.Flips,
    "reply": s.Replying,
    "nak": s.Naking,
    "expect": s.Expecting,
    "never": s.Never,
    "events": s.Ordered,
    "count": s.CountMessages,
    "old_events": s.OldEvents,
    "no_events": s.NoEvents,
    "again": s.Again,
    "newest": s.Newest,
    "caught_up": s.CaughtUp,
    "greet": s.Greeting,
    "status": s.AnyStatus,
    "state": d.StateIs,
    "wait": d.WaitFor,
    "host": d.Manners,
    "open": d.SessionOpening,
    "do": d.ActAtDevice,
    "fault": d.Faulting,
    "power": d.Power,
    "prepare": d.Prepare,
    "deal": d.DealPackets,
    "wrong_packet": d.WrongPacket,
    "books": d.Books,
    "poke": d.Poke,
    "operate": d.Operate,
    "foreign": d.Foreign,
    "lost": d.LostHost,
    "back": d.HostIsBack,
    "still_lost": d.HostStaysLost,
    "measure": d.Measuring,
    "save": d.Save,
    "soak": d.Soak,
    "repeat": Repeat,
}
"""By name. Some are also keys of others: then the first in this order is the verb."""


def _verb(value: Any) -> str | None:
    if not isinstance(value, dict):
        return next((verb for verb, cls in VERBS.items() if isinstance(value, cls)), None)
    return next((verb for verb in VERBS if verb in value), None)


BenchStep = Annotated[
    Annotated[s.Sending, Tag("send")]
    | Annotated[s.Raw, Tag("raw")]
    | Annotated[s.Flips, Tag("flips")]
    | Annotated[s.Replying, Tag("reply")]
    | Annotated[s.Naking, Tag("nak")]
    | Annotated[s.Expecting, Tag("expect")]
    | Annotated[s.Never, Tag("never")]
    | Annotated[s.Ordered, Tag("events")]
    | Annotated[s.CountMessages, Tag("count")]
    | Annotated[s.OldEvents, Tag("old_events")]
    | Annotated[s.NoEvents, Tag("no_events")]
    | Annotated[s.Again, Tag("again")]
    | Annotated[s.Newest, Tag("newest")]
    | Annotated[s.CaughtUp, Tag("caught_up")]
    | Annotated[s.Greeting, Tag("greet")]
    | Annotated[s.AnyStatus, Tag("status")]
    | Annotated[d.StateIs, Tag("state")]
    | Annotated[d.WaitFor, Tag("wait")]
    | Annotated[d.Manners, Tag("host")]
    | Annotated[d.SessionOpening, Tag("open")]
    | Annotated[d.ActAtDevice, Tag("do")]
    | Annotated[d.Faulting, Tag("fault")]
    | Annotated[d.Power, Tag("power")]
    | Annotated[d.Prepare, Tag("prepare")]
    | Annotated[d.DealPackets, Tag("deal")]
    | Annotated[d.WrongPacket, Tag("wrong_packet")]
    | Annotated[d.Books, Tag("books")]
    | Annotated[d.Poke, Tag("poke")]
    | Annotated[d.Operate, Tag("operate")]
    | Annotated[d.Foreign, Tag("foreign")]
    | Annotated[d.LostHost, Tag("lost")]
    | Annotated[d.HostIsBack, Tag("back")]
    | Annotated[d.HostStaysLost, Tag("still_lost")]
    | Annotated[d.Measuring, Tag("measure")]
    | Annotated[d.Save, Tag("save")]
    | Annotated[d.Soak, Tag("soak")]
    | Annotated[Repeat, Tag("repeat")],
    Discriminator(_verb),
]

Repeat.model_rebuild()
