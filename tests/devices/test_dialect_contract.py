"""What every dialect must do, those that come with the program and one that a user adds."""

import importlib
import random
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from devices import events as e
from devices.dialect import Dialect, Explainer
from devices.dialects import BUILT_IN, GROUP, BadDialect, UnknownDialect, dialect_named, dialect_names
from devices.drivers import UnknownKind
from devices.session import Feed
from protocol.errors import DealwireError
from protocol.link import Link, Send
from protocol.tdp.messages import Role
from tests.support.dialect_toy import ITEMS as TOY_ITEMS
from tests.support.dialect_toy import install
from tests.support.shoes import START_NS, ShoeEvening
from tests.support.vectors import FRAMES

MS = 1_000_000
ACTS = ["fill", "begin 2", *["draw"] * 5, "draw unread", "clear", "draw", "end round", "draw", "end round"]


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package with a dialect, installed as pip would leave it."""
    install(tmp_path, "toy-shoe", "toy_shoe:DIALECT")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    yield
    sys.modules.pop("toy_shoe", None)


def recorded(name: str) -> list[bytes]:
    """Chunks as a device of this dialect sends them."""
    if name == "toy-shoe":
        return [item.encode() for item in TOY_ITEMS]
    if name == "tdp":
        extra = [bytes.fromhex(vector["wire"]) for vector in FRAMES]
        return [data for _, data in ShoeEvening(ACTS, name).run().heard] + extra
    return [data for _, data in ShoeEvening(ACTS, name).run().heard]


NAMES = [*BUILT_IN, "toy-shoe"]
pytestmark = pytest.mark.usefixtures("toy")


def explained(dialect: Dialect, chunks: list[bytes]) -> list[dict[str, object]]:
    explainer = Explainer(dialect)
    return [piece for chunk in chunks for piece in explainer.feed(chunk)] + explainer.flush()


def garbage(stream: bytes, seed: int) -> bytes:
    """A stream with bytes changed, lost and made up."""
    chance, data = random.Random(seed), bytearray(stream)
    for _ in range(len(data) // 10 + 3):
        at = chance.randrange(len(data) + 1)
        change = chance.randrange(3)
        if change == 0 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif change == 1:
            del data[at : at + chance.randrange(6)]
        else:
            data[at:at] = chance.randbytes(chance.randrange(6))
    return bytes(data)


def deliver(dialect: Dialect, chunks: list[bytes], role: Role, listen: bool) -> tuple[list[e.Seen], bytes, Link]:
    kind = next(iter(dialect.drivers))
    link, seen = dialect.make_link("shoe" if "shoe" in dialect.drivers else kind, role, listen), list[e.Seen]()
    feed = Feed("x", link, dialect.driver("shoe", where="test"), seen.append)
    feed.settle = lambda _: None
    sent, now_ns = feed.start(START_NS), START_NS
    for chunk in chunks:
        now_ns += 20 * MS
        sent += feed.receive(chunk, now_ns)
    now_ns += 10_000 * MS
    sent += feed.tick(now_ns)
    feed.end(now_ns)
    return seen, sent, link


@pytest.mark.parametrize("name", NAMES)
def test_it_is_found_by_its_name(name: str) -> None:
    dialect = dialect_named(name)
    assert isinstance(dialect, Dialect)
    assert dialect.name == name in dialect_names()
    assert dialect.about
    assert "\n" not in dialect.about
    assert dialect.baud > 0
    assert dialect.drivers


@pytest.mark.parametrize("name", NAMES)
def test_its_kinds_have_drivers_and_others_are_refused(name: str) -> None:
    dialect = dialect_named(name)
    for kind in dialect.drivers:
        assert dialect.driver(kind, where="x").translate(Send(b"")) is None
    with pytest.raises(UnknownKind, match=r"^x: no kind of device is called 'toaster'; allowed: "):
        dialect.driver("toaster", where="x")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_every_byte_is_explained_however_it_comes(name: str, seed: int | None) -> None:
    dialect, stream = dialect_named(name), b"".join(recorded(name))
    stream = stream if seed is None else garbage(stream, seed)
    whole = explained(dialect, [stream])
    assert whole == explained(dialect, [stream[i : i + 1] for i in range(len(stream))])
    at = 0
    for piece in whole:
        assert piece["offset"] == at
        assert piece["kind"]
        length: Any = piece["length"]
        if piece["kind"] == "noise":
            assert bytes.fromhex(str(piece["data"])) == stream[at : at + length]
        at += length
    assert at == len(stream)


@pytest.mark.parametrize("name", NAMES)
def test_a_framer_holds_a_bounded_number_of_bytes(name: str) -> None:
    framer, stream = dialect_named(name).make_framer(), b"".join(recorded(name))
    for byte in stream:
        framer.feed(bytes([byte]) + b"A" * 400)
        assert framer.pending <= 400


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_gives_the_same_and_sends_nothing(name: str) -> None:
    dialect = dialect_named(name)
    clean = recorded(name)
    for chunks in (clean, [garbage(chunk, at) if at % 3 == 1 else chunk for at, chunk in enumerate(clean)]):
        live, _, link = deliver(dialect, chunks, Role.OPERATE, False)
        again, sent, _ = deliver(dialect, chunks, Role.OPERATE, True)
        assert again == live
        assert sent == b""
        assert link.stats.frames > 0
        assert link.next_deadline_ns is None


@pytest.mark.parametrize("name", NAMES)
def test_its_reports_come_in_order_and_numbered(name: str) -> None:
    seen, _, _ = deliver(dialect_named(name), recorded(name), Role.OBSERVE, True)
    if name == "tdp":
        seen = [item for item in seen if not isinstance(item.body, e.EventsLost)]
    numbers: dict[int, int] = {}
    for item in seen:
        if item.number:
            assert item.number > numbers.get(item.session, 0)
            numbers[item.session] = item.number
    assert any(isinstance(item.body, e.LinkUp) for item in seen) or name == "tdp"
    assert any(isinstance(item.body, e.CardDrawn) for item in seen)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_garbage_raises_nothing(name: str, seed: int) -> None:
    stream = garbage(b"".join(recorded(name)), seed)
    chance, at, chunks = random.Random(seed), 0, []
    while at < len(stream):
        size = chance.randint(1, 60)
        chunks.append(stream[at : at + size])
        at += size
    deliver(dialect_named(name), chunks, Role.OPERATE, False)


@pytest.mark.parametrize("name", NAMES)
def test_a_command_that_cannot_be_asked_is_one_line(name: str) -> None:
    link = dialect_named(name).make_link("shoe", Role.OBSERVE, False)
    link.start(START_NS)
    with pytest.raises(DealwireError) as caught:
        link.request(object(), START_NS)
    assert "\n" not in str(caught.value)


# ------------------------------------------------------------------ adding one


def test_an_added_dialect_is_named_after_those_that_come_with_the_program() -> None:
    assert dialect_names() == [*BUILT_IN, "toy-shoe"]
    with pytest.raises(
        UnknownDialect, match=r"^dialect 'morse' is not known; allowed: tdp, angel-eye, bee-tek, toy-shoe$"
    ):
        dialect_named("morse")


def test_those_that_come_with_the_program_come_by_the_same_door() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for name, value in project["entry-points"][GROUP].items():
        module, _, attribute = value.partition(":")
        assert getattr(importlib.import_module(module), attribute) is BUILT_IN[name]
    assert list(project["entry-points"][GROUP]) == list(BUILT_IN)


def test_an_added_dialect_says_what_the_shoe_says() -> None:
    seen, _, _ = deliver(dialect_named("toy-shoe"), recorded("toy-shoe"), Role.OBSERVE, False)
    cards = [item.body.card.text for item in seen if isinstance(item.body, e.CardDrawn)]
    assert cards == ["AS", "TD", "2C"]


def test_decode_explains_it(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from dealwire.cli.decode import command

    done = CliRunner().invoke(command, ["--dialect", "toy-shoe", "--hex"], input=b"AS;??".hex())
    assert done.exit_code == 0, done.output
    assert done.output.splitlines() == [
        '{"offset": 0, "length": 3, "kind": "CARD", "card": "AS"}',
        '{"offset": 3, "length": 2, "kind": "noise", "reason": "cut off", "data": "3f3f"}',
    ]


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ({"odd": "toy_shoe:NOTHING"}, r"dialect 'odd' \(toy_shoe:NOTHING\): it cannot be loaded: "),
        ({"odd": "toy_shoe:ITEM"}, r"dialect 'odd' \(toy_shoe:ITEM\): a Dialect is needed there, not int"),
        ({"odd": "toy_shoe:DIALECT"}, r"dialect 'odd' \(toy_shoe:DIALECT\): it calls itself 'toy-shoe'"),
        ({"odd": "no_such_module:X"}, r"dialect 'odd' \(no_such_module:X\): it cannot be loaded: No module"),
    ],
    ids=["no such name", "no dialect", "another name", "no such module"],
)
def test_a_bad_one_says_what_is_wrong(tmp_path: Path, entries: dict[str, str], why: str) -> None:
    for name, value in entries.items():
        install(tmp_path, name, value)
    with pytest.raises(BadDialect, match=why):
        dialect_named("odd")


def test_two_packages_with_one_name_are_refused(tmp_path: Path) -> None:
    install(tmp_path, "toy-shoe", "elsewhere:DIALECT", package="other")
    with pytest.raises(BadDialect, match="more than one package announces it"):
        dialect_named("toy-shoe")


def test_nobody_replaces_one_that_comes_with_the_program(tmp_path: Path) -> None:
    install(tmp_path, "tdp", "toy_shoe:DIALECT", package="other")
    assert dialect_named("tdp") is BUILT_IN["tdp"]
    assert dialect_names() == [*BUILT_IN, "toy-shoe"]
