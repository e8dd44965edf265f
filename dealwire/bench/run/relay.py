"""Operator that is a serial relay board for buttons, power and solenoids. A file maps actions to channels."""

import select
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, Self

from pydantic import Field, model_validator

from dealer_flow.tomlfile import TomlTable, load
from dealwire.bench.hands.actions import HELLO, NEW_CHECK, hand_actions
from dealwire.bench.hands.program import ActFailed, CannotAct, Hands
from devices.transport.base import Transport
from devices.transport.serial_port import SerialSettings, open_serial
from protocol.errors import LineError, LocalError
from protocol.tomlfile import Key

START: Final = 0xA0
"""First byte of each command of the common USB relay boards (LCUS-1 and its variants with more channels)."""
ROOM_S: Final = 1.0
"""Seconds that a board may accept no byte."""


def relay_command(channel: int, on: bool) -> bytes:
    """Return a board's command: start, channel, state, and the low byte of their sum. The board does not answer."""
    words = bytes([START, channel, on])
    return words + bytes([sum(words) & 0xFF])


class RelayStep(TomlTable):
    """Step: switch a channel, pulse it for a time, or wait."""

    channel: int | None = Field(None, ge=1, le=255)
    """Relay number, from 1."""
    on: bool | None = None
    """True to energize the coil, false to release it. At the end of the run all coils are released."""
    for_ms: int | None = Field(None, ge=1, le=60_000)
    """Duration of a pulse in milliseconds, such as a press of a button."""
    wait_ms: int | None = Field(None, ge=1, le=60_000)
    """Wait this many milliseconds, without a channel."""

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if (self.wait_ms is not None) is (self.channel is not None) or (
            self.channel is not None and (self.on is None) is (self.for_ms is None)
        ):
            raise ValueError("a step is { channel, on }, { channel, for-ms } or { wait-ms }")
        return self


class RelayAct(TomlTable):
    """Steps of the board for one action."""

    action: str
    """Action, by its name on [the page](../bench-operator.md)."""
    with_: dict[str, int | str] = Field(default_factory=dict)
    """Only for these values of its fields; without it for any. The first entry that matches is used."""
    steps: tuple[RelayStep, ...]
    """Steps, in order. The action is done after the last one."""


class RelayFile(TomlTable):
    """Relay board, and its steps for each action."""

    schema_: Literal["dealwire.relay/1"] = Field(alias="schema")
    name: str = Field(min_length=1, max_length=80)
    """Name of this operator in the report."""
    port: str = Field(min_length=1)
    """Serial port of the board."""
    baud: int = Field(9600, ge=300, le=4_000_000)
    """Baud rate of the board."""
    patience_ms: int = Field(0, ge=0, le=600_000)
    """Milliseconds after the last step within which the device may begin to react."""
    act: tuple[RelayAct, ...]


def _faults(file: RelayFile) -> Iterator[tuple[Key, str]]:
    allowed = [name for name in hand_actions() if name not in (HELLO, NEW_CHECK)]
    for at, act in enumerate(file.act):
        if act.action not in allowed:
            yield ("act", at, "action"), f"no such action: {act.action!r}; allowed: {', '.join(allowed)}"
            continue
        if not act.steps:
            yield ("act", at, "steps"), "at least one step is needed"
        try:
            hand_actions()[act.action].doing.filled(act.with_)
        except LocalError as error:
            yield ("act", at, "with"), str(error)


def load_relay(path: Path) -> RelayFile:
    """Load the file at `path`. Raise TomlFileError for an error in it."""
    return load(path, RelayFile, _faults)


def _pause(seconds: float) -> None:
    select.select([], [], [], seconds)


class RelayHands(Hands):
    """Relay board as an operator program. The port is opened at once; raise LineError if that fails."""

    def __init__(self, file: RelayFile, pause: Callable[[float], None] = _pause) -> None:
        self.name, self.patience_ms = file.name, file.patience_ms
        self._acts, self._pause = file.act, pause
        self._on: set[int] = set()
        self._port: Transport = open_serial(file.port, SerialSettings(baud=file.baud), name=f"relay board {file.port}")

    def can(self) -> Collection[str]:
        """Return the actions that the file has entries for."""
        return sorted({act.action for act in self._acts})

    def do(self, action: str, fields: Mapping[str, Any]) -> None:
        """Run the steps of the first entry that matches."""
        fitting = (act for act in self._acts if act.action == action and act.with_.items() <= fields.items())
        act = next(fitting, None)
        if act is None:
            raise CannotAct(f"{self.name} has no channel for {action!r} with these fields")
        for step in act.steps:
            self._step(step)

    def close(self) -> None:
        """Release all coils and close the port."""
        try:
            for channel in sorted(self._on):
                self._switch(channel, False)
        except ActFailed:
            pass  # the board is gone, and its current with it
        finally:
            self._port.close()

    def _step(self, step: RelayStep) -> None:
        if step.channel is None:
            self._pause((step.wait_ms or 0) / 1000)
        elif step.for_ms is None:
            self._switch(step.channel, bool(step.on))
        else:
            self._switch(step.channel, True)
            self._pause(step.for_ms / 1000)
            self._switch(step.channel, False)

    def _switch(self, channel: int, on: bool) -> None:
        data = relay_command(channel, on)
        try:
            taken = self._port.write(data)
            if taken < len(data):
                select.select([], [at for at in (self._port.fileno(),) if at is not None], [], ROOM_S)
                taken += self._port.write(data[taken:])
        except LineError as error:
            raise ActFailed(str(error)) from None
        if taken < len(data):
            raise ActFailed(f"the relay board accepted no byte within {ROOM_S:g} s")
        (self._on.add if on else self._on.discard)(channel)
