"""Consoles for tests: their actions, and a client that talks to them as a browser does."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from dealwire.console.server import Console
from dealwire.console.tokens import Tokens
from dealwire.hub.actions import Action, ActionField
from dealwire.hub.hub import Hub
from tests.support.rigs.patience import PATIENCE_S

TOKENS = {"dealer": "dealer-token-0123", "supervisor": "supervisor-token-0", "technician": "technician-token-0"}
CAPTURES = Path(__file__).parents[3] / "captures"

ACTIONS = (
    Action(
        "call-misdeal",
        "Call a misdeal",
        ("supervisor",),
        "call-misdeal",
        {"device": "shuffler"},
        hint="Lights the red lamp at the shuffler.",
    ),
    Action("refuse", "Clear the misdeal", ("supervisor", "technician"), "refuse"),
    Action("hang", "Request status", ("technician",), "hang"),
    Action(
        "select-game",
        "Select the game",
        ("technician",),
        "select-game",
        fields=(
            ActionField("game", "Name", default="Flushes"),
            ActionField("cards", "Cards", "number", least=1, most=52, default="5"),
            ActionField("deck", "Deck", "choice", ("1", "2"), default="2"),
        ),
    ),
    Action("jam", "Jam at the exit", ("technician",), "inject", {"fault": "jam"}, bench=True, group="Card transport"),
    Action(
        "short",
        "Packet one short",
        ("technician",),
        "inject",
        {"fault": "packet-count"},
        fields=(
            ActionField("by", "By", "number", least=-4, most=5, default="-1"),
            ActionField("to", "To", "choice", ("community", "seat 3", "dealer"), default="seat 3"),
        ),
        bench=True,
        group="Counts",
    ),
)


@contextmanager
def running(hub: Hub, *, table: str = "pit-1", **options: Any) -> Iterator[Console]:
    """Run a console that serves `hub`, with every action at `table`."""
    given: dict[str, Any] = {"tokens": Tokens(TOKENS), "actions": {table: ACTIONS}, "recordings": CAPTURES, **options}
    console = Console(hub, **given)
    console.start()
    try:
        # Its thread is there from now on, so that no test seems to leave it.
        httpx.get(f"{console.address}replay", timeout=PATIENCE_S)
        yield console
    finally:
        console.stop()
        assert console.failed is None, console.failed


@contextmanager
def lines_given_back() -> Iterator[None]:
    """Wait until the console, which keeps running, has closed its ends of the lines that were opened meanwhile."""
    folder = Path("/proc/self/fd")
    before = len(list(folder.iterdir()))
    yield
    end = time.monotonic() + PATIENCE_S
    while len(list(folder.iterdir())) > before and time.monotonic() < end:
        time.sleep(0.005)


def origin(console: Console) -> str:
    return console.address.rstrip("/")


@contextmanager
def client(console: Console, role: str | None = None) -> Iterator[httpx.Client]:
    """Open a client that sends requests as a browser does, signed in if `role` is given."""
    headers = {"origin": origin(console), "accept": "text/html"}
    with httpx.Client(base_url=origin(console), headers=headers, timeout=PATIENCE_S) as asking:
        if role is not None:
            answer = asking.post("/sign-in", data={"token": TOKENS[role]})
            assert answer.status_code == 303, answer.text
        yield asking
