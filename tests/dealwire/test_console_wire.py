"""Messages between service and console: five from the console and no other, whatever bytes come."""

import asyncio
import json
import random
import struct
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from dealwire.console.replays import Shelf
from dealwire.hub.lines import Assertion
from dealwire.hub.view import TableView
from dealwire.hub.wire import (
    FROM_CONSOLE_MAX,
    Asking,
    ConsoleAccess,
    ConsoleAsk,
    ConsoleHello,
    ConsoleLook,
    ConsoleWant,
    ServiceView,
    WireRefused,
    asking,
    framed,
    telling,
)

CAPTURES = Path(__file__).parents[2] / "captures"
HELLO = ConsoleHello(1, "0.1.0", 4711)
ALL_FIVE: tuple[Asking, ...] = (
    HELLO,
    ConsoleWant(("table-1", "table-2")),
    ConsoleLook(7),
    ConsoleAsk(1, "table-1", "lock", {"device": "shuffler", "badge": 12}, "supervisor", "session 3f from 127.0.0.1"),
    ConsoleAsk(
        2, "table-1", "approve", {"request": 7}, "supervisor", "", "b.jones", proof=Assertion("YQ", "e30", "AA", "MA")
    ),
    ConsoleAccess("", "supervisor, session 3f, signed in (from 127.0.0.1)"),
)


def frame_of(content: object) -> bytes:
    """Return a frame written without the code under test."""
    body = json.dumps(content).encode()
    return struct.pack(">I", len(body)) + body


def test_a_frame_is_a_length_and_an_object() -> None:
    assert framed(ConsoleLook(7)) == b"\0\0\0\x16" + b'{"type":"look","id":7}'
    written = {"type": "want", "tables": ["a"]}
    assert asking().feed(framed(HELLO) + frame_of(written))[1] == ConsoleWant(("a",))


def test_all_five_come_across_in_whatever_pieces() -> None:
    sent = b"".join(map(framed, ALL_FIVE))
    for size in (1, 3, 64, len(sent)):
        frames = asking()
        found = [each for at in range(0, len(sent), size) for each in frames.feed(sent[at : at + size])]
        assert found == list(ALL_FIVE)


ASK = {"type": "ask", "id": 1, "table": "t", "action": "a", "fields": {}, "who": "dealer", "origin": ""}
PROOF = {"id": "YQ", "client": "e30", "authenticator": "AA", "signature": "MA"}


@pytest.mark.parametrize(
    "second",
    [
        {"type": "hello", "version": 1, "program": "", "pid": 1},
        {"type": "write", "path": "/etc/passwd"},
        {"type": "read", "journal": "x"},
        {"type": "view", "view": {}},
        {"type": "answer", "id": 1, "how": "done", "text": ""},
        {},
        [],
        None,
        "look",
        {"type": "look"},
        {"type": "look", "id": -1},
        {"type": "look", "id": 2**32},
        {"type": "look", "id": 1.5},
        {"type": "look", "id": True},
        {"type": "look", "id": 1, "file": "x"},
        {"type": "want", "tables": ["x"] * 513},
        {"type": "want", "tables": [""]},
        {"type": "want", "tables": ["x" * 201]},
        {**ASK, "id": 2**32},
        {**ASK, "fields": {"device": {"a": 1}}},
        {**ASK, "fields": {"device": "x" * 301}},
        {**ASK, "fields": {str(number): 1 for number in range(33)}},
        {**ASK, "second": "somebody"},
        {**ASK, "answer": 1},
        {**ASK, "proof": "YQ"},
        {**ASK, "proof": {"id": "YQ"}},
        {**ASK, "proof": {**PROOF, "good": True}},
        {**ASK, "proof": {**PROOF, "id": "a b"}},
        {**ASK, "proof": {**PROOF, "id": ""}},
        {**ASK, "proof": {**PROOF, "client": "A" * 2049}},
        {**ASK, "proof": {**PROOF, "authenticator": {"a": 1}}},
        {**ASK, "proof": {**PROOF, "signature": "A" * 1025}},
        {"type": "access", "table": "", "text": "x" * 301},
    ],
    ids=str,
)
def test_anything_else_is_refused(second: object) -> None:
    frames = asking()
    frames.feed(framed(HELLO))
    with pytest.raises(WireRefused):
        frames.feed(frame_of(second))


def test_hello_comes_first() -> None:
    for message in ALL_FIVE[1:]:
        with pytest.raises(WireRefused, match="hello comes first"):
            asking().feed(framed(message))


def test_the_number_of_a_request_rises() -> None:
    for second in (0, 4, 5):
        frames = asking()
        frames.feed(framed(HELLO) + frame_of({**ASK, "id": 5}))
        with pytest.raises(WireRefused, match=f"request {second} after 5"):
            frames.feed(frame_of({**ASK, "id": second}))


def test_a_long_frame_is_refused_by_its_length_alone() -> None:
    assert asking().feed(struct.pack(">I", FROM_CONSOLE_MAX)) == []
    with pytest.raises(WireRefused, match="65537 bytes; allowed: 65536"):
        asking().feed(struct.pack(">I", FROM_CONSOLE_MAX + 1))


def test_deep_nesting_is_refused() -> None:
    body = b'{"type":"ask","fields":' + b"[" * 60_000
    with pytest.raises(WireRefused):
        asking().feed(struct.pack(">I", len(body)) + body)


def spoiled(chance: random.Random) -> bytes:
    """Return a frame of a message with a few bytes changed, left out or doubled, or random bytes."""
    if chance.random() < 0.1:
        return chance.randbytes(chance.randrange(64))
    body = bytearray(framed(chance.choice(ALL_FIVE))[4:])
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(body))
        body[at : at + chance.randrange(3)] = chance.choice((b"", b"{", b'"', b"\\ud800", b"\xff", b"9" * 30))
    return struct.pack(">I", max(0, len(body) + (chance.random() < 0.02))) + bytes(body)


def fuzzed(count: int, seed: int) -> Iterator[bool]:
    """Yield True for each frame that was understood, False for each refused one. Any other error is raised."""
    chance = random.Random(seed)
    kinds = Asking.__args__
    for _ in range(count):
        frames = asking()
        try:
            found = frames.feed(framed(HELLO) + spoiled(chance))
        except WireRefused:
            yield False
        else:
            assert all(type(each) in kinds for each in found)
            yield True


def test_only_five_words_are_understood() -> None:
    assert {True, False} == set(fuzzed(20_000, 35))


@pytest.mark.slow
def test_only_five_words_are_understood_in_a_million_frames() -> None:
    assert {True, False} == set(fuzzed(1_000_000, 7))


HELLO_BACK = {
    "type": "hello",
    "version": 1,
    "program": "",
    "now_ns": 0,
    "journal": "",
    "sealed": False,
    "console": "{}",
    "people": "",
    "actions": {},
}


@pytest.mark.parametrize("name", ["clean-3.pcapng", "flushes-gone-wild.wa.pcapng"])
def test_every_view_comes_across_unchanged(name: str) -> None:
    shelf = Shelf(CAPTURES)
    try:
        views = [step.view for step in asyncio.run(shelf.replay(name)).steps]
    finally:
        shelf.close()
    assert len(views) > 50
    frames = telling()
    frames.feed(frame_of(HELLO_BACK))
    for view in views:
        (sent,) = frames.feed(framed(ServiceView(msgspec.Raw(view.model_dump_json().encode()))))
        assert isinstance(sent, ServiceView)
        assert TableView.model_validate_json(bytes(sent.view)) == view
