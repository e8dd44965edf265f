"""Requirements on every dialect, for the built-in ones and for one that a user adds."""

import importlib
import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from msgspec import structs

from dealwire.cli import main
from devices import events as e
from devices.contract import CONTRACT, ContractBroken, ContractCheck, DialectSample, deliver
from devices.dialects.drivers import UnknownKind
from devices.dialects.known import BUILT_IN, GROUP, BadDialect, UnknownDialect, dialect_named, dialect_names
from devices.record.heard import heard_in
from protocol.cutting import Noise
from protocol.link import Send
from tests.support.evenings.simulated_shoe import ShoeEvening
from tests.support.reading.dialect_toy import ITEMS as TOY_ITEMS
from tests.support.reading.dialect_toy import install, source
from tests.support.reading.vectors import FRAMES

ACTS = ["fill", "begin 2", *["draw"] * 5, "draw unread", "clear", "draw", "end round", "draw", "end round"]


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a package with a dialect, as pip would."""
    install(tmp_path, "toy-shoe", "toy_shoe:DIALECT")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    yield
    sys.modules.pop("toy_shoe", None)


def recorded(name: str) -> list[bytes]:
    """Return chunks as a device of this dialect sends them."""
    if name == "toy-shoe":
        return [item.encode() for item in TOY_ITEMS]
    if name == "tdp":
        extra = [bytes.fromhex(vector["wire"]) for vector in FRAMES]
        return [data for _, data in ShoeEvening(ACTS, name).run().heard] + extra
    return [data for _, data in ShoeEvening(ACTS, name).run().heard]


NAMES = [*(name for name, dialect in BUILT_IN.items() if dialect.drivers), "toy-shoe"]
"""Dialects of the devices of a table."""
pytestmark = pytest.mark.usefixtures("toy")


def sample(name: str) -> DialectSample:
    return DialectSample(dialect_named(name), tuple(recorded(name)), "shoe")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("check", CONTRACT, ids=str)
def test_it_does_what_every_dialect_must(name: str, check: ContractCheck) -> None:
    assert check.hold(sample(name))


@pytest.mark.parametrize("name", NAMES)
def test_a_card_is_drawn_and_a_line_comes_up(name: str) -> None:
    seen = deliver(sample(name), sample(name).heard, listen=False).seen
    assert any(isinstance(item.body, e.LinkUp) for item in seen) or name == "tdp"
    assert any(isinstance(item.body, e.CardDrawn) for item in seen)


@pytest.mark.parametrize("name", NAMES)
def test_a_framer_of_ours_holds_few_bytes(name: str) -> None:
    framer, stream = dialect_named(name).make_framer(), b"".join(recorded(name))
    for byte in stream:
        framer.feed(bytes([byte]) + b"A" * 400)
        assert framer.pending <= 400


@pytest.mark.parametrize("name", NAMES)
def test_another_kind_of_device_is_refused(name: str) -> None:
    with pytest.raises(UnknownKind, match=r"^x: no kind of device is called 'toaster'; allowed: "):
        dialect_named(name).driver("toaster", where="x")


def test_a_dialect_without_events_is_for_no_device_of_a_table() -> None:
    with pytest.raises(UnknownKind, match=r"^x: this dialect is for no device of a table$"):
        dialect_named("gat").driver("shoe", where="x")


# ------------------------------------------------------------------ what each check finds


def broken(change: Callable[[str], str] = lambda text: text, **fields: Any) -> DialectSample:
    """Return the toy with its source changed, or with these fields of its dialect."""
    space: dict[str, Any] = {"__name__": "toy_broken"}
    text = source()
    changed = change(text)
    assert changed != text or fields
    exec(compile(changed, "toy_broken.py", "exec"), space)
    return DialectSample(replace(space["DIALECT"], **fields), tuple(recorded("toy-shoe")), "shoe")


def put(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


class Swallows:
    """A framer that waits forever for the end of its first frame."""

    pending = 0

    def feed(self, chunk: bytes) -> list[Noise]:
        self.pending += len(chunk)
        return []

    def flush(self) -> list[Noise]:
        return []


BREAKS: dict[str, Callable[[], DialectSample]] = {
    "found": lambda: broken(baud=1200),
    "about": lambda: broken(about="one\ntwo"),
    "drivers": lambda: broken(put('"shoe": Driver', '"toaster": Driver')),
    "tiles": lambda: broken(put("Frame(offset, ITEM,", "Frame(offset + 1, ITEM,")),
    "cut": lambda: broken(put("return None\n    try", "return Noise(offset, item[:1], NoiseReason.NO_CARD)\n    try")),
    "explain": lambda: broken(put("frame.card.text}", "{frame}}")),
    "pending": lambda: broken(make_framer=Swallows),
    "events": lambda: broken(put("{Frame: lambda frame: events.CardDrawn(None, frame.card, None)}", "{}")),
    "order": lambda: broken(put("self._number += 1", "self._number += 2")),
    "recording": lambda: broken(put("def start(self, now_ns):\n        return []",
                                    'def start(self, now_ns):\n        return [Send(b"?")]')),
    "clock": lambda: broken(put("self.stats.frames += 1",
                                "self.stats.frames += 1\n        if now_ns > 17e17 + 3e12: return []")),
    "garbage": lambda: broken(put("except ValueError", "except KeyError")),
    "commands": lambda: broken(put('raise NoCommands("toy-shoe")', "return 1, []")),
}  # fmt: skip


def test_each_check_finds_what_it_is_for() -> None:
    assert list(BREAKS) == [check.name for check in CONTRACT]


@pytest.mark.parametrize("name", BREAKS)
def test_a_check_finds(name: str) -> None:
    (check,) = (check for check in CONTRACT if check.name == name)
    made = BREAKS[name]()
    if name == "recording":
        made.dialect.make_link.__globals__["Send"] = Send
    with pytest.raises(ValueError if name == "garbage" else ContractBroken):
        check.hold(made)


SAID: dict[str, str] = {
    "found": "toy-shoe",
    "about": "an imaginary shoe",
    "drivers": "shoe",
    "tiles": "9 bytes: 3 frames, 0 bytes of noise",
    "cut": "at once, and byte by byte",
    "explain": "CARD",
    "pending": "at most 2 bytes buffered",
    "events": "3 events",
    "order": "3 in a row",
    "recording": "attached and over a recording",
    "clock": "the same an hour later",
    "garbage": "4 corrupted streams, whole and with bytes dropped",
    "commands": "toy-shoe: the device takes no commands",
}


@pytest.mark.parametrize("check", CONTRACT, ids=str)
def test_what_a_check_saw_of_the_toy(check: ContractCheck) -> None:
    """Three items of three bytes, as on the toy's page."""
    assert check.hold(sample("toy-shoe")) == SAID[check.name]


def of_toy(**fields: Any) -> Callable[[], DialectSample]:
    return lambda: broken(**fields)


def changed(old: str, new: str) -> Callable[[], DialectSample]:
    return lambda: broken(put(old, new))


def explains(what: str) -> Callable[[], DialectSample]:
    return changed('lambda frame: {"kind": "CARD", "card": frame.card.text}', f"lambda frame: {what}")


KINDS = "shuffler, shoe, table-controller"
FIRST = "first = [] if self._session else [Started(session_at(now_ns), 0)]"
BROKEN: list[tuple[str, Callable[[], DialectSample], str]] = [
    ("found", of_toy(baud=1200), "'toy-shoe' is found, but it is another object than the one checked"),
    ("about", of_toy(about=" "), "`about` is empty; it describes the dialect and its source"),
    ("about", of_toy(about="one\ntwo"), "`about` has more than one line"),
    ("about", of_toy(baud=0), "`baud` is 0; a serial line needs a speed"),
    ("about", of_toy(baud=-1), "`baud` is -1; a serial line needs a speed"),
    ("drivers", of_toy(drivers={}), f"`drivers` is empty; it needs one for each kind of device: {KINDS}"),
    ("drivers", changed('"shoe": Driver', '"toaster": Driver'), f"`drivers` has 'toaster'; allowed: {KINDS}"),
    (
        "drivers",
        changed('    model = "toy shoe"', '    model = "toy shoe"\n    def translate(self, output): return 7'),
        "the driver of a shoe translates bytes that the host sends to 7",
    ),
    ("tiles", changed("Frame(offset, ITEM,", "Frame(offset + 1, ITEM,"), "a piece at byte 1 follows byte 0"),
    (
        "explain",
        explains('{"kind": {1}}'),
        "the explanation at byte 0 is not JSON: Object of type set is not JSON serializable",
    ),
    ("explain", explains('{"card": 1}'), "the explanation has no `kind` at byte 0"),
    ("explain", explains('{"kind": ""}'), "the explanation has no `kind` at byte 0"),
    ("explain", explains('{"kind": 5}'), "the explanation has no `kind` at byte 0"),
    ("pending", of_toy(make_framer=Swallows), "8192 bytes of junk after byte 0 are buffered; the limit is 4096"),
    (
        "events",
        changed("self.stats.frames += 1", "pass"),
        "the link counts no frame in the sample (`stats.frames`)",
    ),
    (
        "events",
        changed("{Frame: lambda frame: events.CardDrawn(None, frame.card, None)}", "{}"),
        "3 frames yield no event",
    ),
    ("order", changed("self._number += 1", "self._number += 2"), "report 2 comes after report 0"),
    ("order", changed("self._number += 1", "self._number = 1"), "report 1 comes after report 1"),
    ("order", changed(FIRST, "first = []"), "report 1 comes before its session has `Started`"),
    ("clock", BREAKS["clock"], "the same bytes yield other times an hour later"),
    (
        "recording",
        changed("next_deadline_ns = None", "next_deadline_ns = 1 << 62"),
        "a timer is left after `close`",
    ),
    ("commands", BREAKS["commands"], "a shoe accepts an unknown command; raise an error of `protocol.errors`"),
    (
        "commands",
        changed('NoCommands("toy-shoe")', 'NoCommands("toy\\nshoe")'),
        "its error for an unknown command is not one line",
    ),
]


@pytest.mark.parametrize(("name", "make", "why"), BROKEN, ids=range(len(BROKEN)))
def test_what_is_wrong_is_said_in_words(name: str, make: Callable[[], DialectSample], why: str) -> None:
    (check,) = (check for check in CONTRACT if check.name == name)
    with pytest.raises(ContractBroken) as caught:
        check.hold(make())
    assert str(caught.value) == why


def test_events_out_of_order_are_found_and_lost_ones_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    (check,) = (check for check in CONTRACT if check.name == "order")
    done = deliver(sample("toy-shoe"), sample("toy-shoe").heard, listen=True)
    drawn = [item for item in done.seen if isinstance(item.body, e.CardDrawn)]

    def hold(*seen: e.Seen) -> str:
        monkeypatch.setattr("devices.contract.deliver", lambda *_, **__: replace(done, seen=seen))
        return check.hold(sample("toy-shoe"))

    assert hold(*drawn) == "3 in a row"
    assert hold(drawn[0], structs.replace(drawn[0], session=9, number=2), drawn[1]) == "2 in a row"
    for again in (drawn[0], structs.replace(drawn[0], number=3)):
        with pytest.raises(ContractBroken, match=r"^event 1 comes after event [13]$"):
            hold(again, drawn[0])
    lost = structs.replace(drawn[0], body=e.EventsLost(1, 1))
    assert hold(drawn[2], lost) == "3 in a row"
    assert hold(structs.replace(drawn[0], number=0), structs.replace(drawn[0], number=0)) == "0 in a row"


# ------------------------------------------------------------------ the command


def judged(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["dialect", *arguments])


def test_the_command_says_each_check_in_one_line(tmp_path: Path) -> None:
    heard = tmp_path / "heard.hex"
    heard.write_text("41533B # AS;\n\n# nothing\n54 44 3b 32\n433B\n")
    done = judged("check", "toy-shoe", str(heard))
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert [line.split()[1] for line in lines[:-1]] == [check.name for check in CONTRACT]
    assert lines[-1] == "13 passed, 0 failed"
    assert "9 bytes: 3 frames, 0 bytes of noise" in done.output
    said = [json.loads(line) for line in judged("check", "toy-shoe", str(heard), "--json").stdout.splitlines()]
    assert all(one["passed"] and one["schema"] == "dealwire.dialect/1" for one in said)


def test_what_fails_is_named_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "toy_shoe.py").write_text(source().replace("except ValueError", "except KeyError"))
    sys.modules.pop("toy_shoe", None)
    heard = tmp_path / "heard.hex"
    heard.write_text(b"AS;TD;".hex())
    done = judged("check", "toy-shoe", str(heard))
    assert done.exit_code == 1
    failed = [line for line in done.output.splitlines() if line.startswith("FAIL")]
    assert any(re.fullmatch(r"FAIL  garbage .*: \w+Error: .* \(\w+\.py, line \d+\)", line) for line in failed), failed
    assert done.output.splitlines()[-1] == f"{13 - len(failed)} passed, {len(failed)} failed"


@pytest.mark.parametrize(
    ("name", "code", "why"),
    [
        ("not.hex", 2, "not.hex: line 2 is not hexadecimal"),
        ("empty.hex", 2, "empty.hex: the file contains no bytes"),
        ("binary.hex", 2, "binary.hex: neither a pcapng recording nor hexadecimal text"),
        ("none.hex", 2, "none.hex: No such file or directory"),
        (".", 2, "Is a directory"),
    ],
)
def test_what_cannot_be_read_is_one_line(tmp_path: Path, name: str, code: int, why: str) -> None:
    (tmp_path / "not.hex").write_text("41\n4\n")
    (tmp_path / "empty.hex").write_text("# 41\n")
    (tmp_path / "binary.hex").write_bytes(b"\xff\xfe")
    done = judged("check", "toy-shoe", str(tmp_path / name))
    assert (done.exit_code, done.output.count("\n")) == (code, 1)
    assert why in done.output


CAPTURES = Path(__file__).parents[2] / "captures"


def test_a_recording_is_heard_by_dialect_and_kind() -> None:
    assert judged("check", "bee-tek", str(CAPTURES / "race-11.bee-tek.pcapng")).exit_code == 0
    chunks, kind = heard_in(CAPTURES / "clean-1.pcapng", "tdp", "shuffler")
    assert kind == "shuffler"
    assert b"".join(chunks) != b"".join(heard_in(CAPTURES / "clean-1.pcapng", "tdp", "table-controller")[0])
    done = judged("check", "angel-eye", str(CAPTURES / "clean-1.pcapng"))
    assert done.exit_code == 2
    assert "no device of the dialect 'angel-eye' is in the recording; its lines: a shuffler with tdp" in done.output


def test_whose_kind_nobody_says_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "heard.hex").write_text("00")
    done = judged("check", "tdp", str(tmp_path / "heard.hex"))
    assert done.exit_code == 2
    assert "--kind is needed: shuffler, shoe, table-controller" in done.output


def test_every_dialect_is_listed_and_one_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    assert [line.split()[0] for line in judged("list").output.splitlines()] == [*BUILT_IN, "toy-shoe"]
    install(tmp_path, "odd", "toy_shoe:NOTHING")
    done = judged("list", "--json")
    assert done.exit_code == 1
    assert "cannot be loaded" in json.loads(done.stdout.splitlines()[len(BUILT_IN)])["fault"]


# ------------------------------------------------------------------ adding one


def test_an_added_dialect_is_named_after_those_that_come_with_the_program() -> None:
    assert dialect_names() == [*BUILT_IN, "toy-shoe"]
    with pytest.raises(
        UnknownDialect, match=r"^unknown dialect 'morse'; allowed: tdp, angel-eye, bee-tek, gat, toy-shoe$"
    ):
        dialect_named("morse")


def test_those_that_come_with_the_program_come_by_the_same_door() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for name, value in project["entry-points"][GROUP].items():
        module, _, attribute = value.partition(":")
        assert getattr(importlib.import_module(module), attribute) is BUILT_IN[name]
    assert list(project["entry-points"][GROUP]) == list(BUILT_IN)


def test_an_added_dialect_says_what_the_shoe_says() -> None:
    seen = deliver(sample("toy-shoe"), sample("toy-shoe").heard, listen=False).seen
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
        ({"odd": "toy_shoe:ITEM"}, r"dialect 'odd' \(toy_shoe:ITEM\): expected a Dialect, got int"),
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
