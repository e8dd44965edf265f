"""What a model hands to its end of the link: events to number and send, progress of a command."""

from dataclasses import dataclass
from typing import Any

from protocol.tdp.messages import Event


@dataclass(frozen=True, slots=True)
class EventDraft:
    """An event without its number and time; `request` is the command it completes, 0 for none."""

    event: type[Event]
    request: int
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CommandProgress:
    """An accepted command goes on."""

    request: int
    percent: int
    state: int


Outgoing = EventDraft | CommandProgress
