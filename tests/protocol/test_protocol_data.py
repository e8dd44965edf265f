"""The protocol as data agrees with the program: a reader with nothing but `protocol.json` decodes the same frames."""

import json
import re
from typing import Any

import pytest
from cobs import cobs
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from docs._print import DOCS, protocol_data, registry
from protocol.errors import DealwireError
from protocol.message import message_name
from protocol.tdp.codec import decode, encode
from protocol.tdp.messages import DeviceClass, Kind, Message
from protocol.tdp.packets import ANSWERS, PACKETS
from tests.support.broken.lies import DEVICES, spoken
from tests.support.reading.each import of_each

WRITTEN = (DOCS / protocol_data.FILE).read_text(encoding="utf-8")
DATA: dict[str, Any] = json.loads(WRITTEN)
VECTORS: dict[str, Any] = json.loads((DOCS / "protocol-vectors.json").read_text(encoding="utf-8"))
SCHEMA: dict[str, Any] = json.loads((DOCS / protocol_data.SCHEMA_FILE).read_text(encoding="utf-8"))

LAYOUTS = {(each["kind_value"], each["id"]): each for each in DATA["messages"]}
ANSWER_LAYOUTS = {each["kind_value"]: each for each in DATA["answers"]}

WHOLE_SINCE = {
    **dict.fromkeys(("SetBy", "DeviceMeter", "Component", "Region", "Algorithm"), "1.2"),
    **dict.fromkeys(("PlayerAction", "ActionManner"), "1.3"),
    "FrameFlag": "1.4",
}
"""Enumerations that only messages of a later version use, with that version."""

ANSWERED = {cls for cls, _ in ANSWERS.values()}


class Unreadable(Exception):
    """A payload that does not fit its layout."""


def number(raw: bytes, at: int, size: int) -> int:
    if at + size > len(raw):
        raise Unreadable
    return int.from_bytes(raw[at : at + size], "little")


def one(field: dict[str, Any], raw: bytes, at: int) -> tuple[Any, int]:
    """Return the value of a field that begins at `at`, and the position after it."""
    size = field["size"]
    if field["type"] == "list":
        return many(field, raw, at)
    if field["type"] in ("text", "bytes"):
        number(raw, at, size)
        value = raw[at : at + size]
        return (text_of(value) if field["type"] == "text" else value.hex()), at + size
    return number(raw, at, size), at + size


def text_of(value: bytes) -> str:
    if not value.isascii():
        raise Unreadable
    return value.rstrip(b"\0").decode("ascii")


def many(field: dict[str, Any], raw: bytes, at: int) -> tuple[Any, int]:
    count, at = number(raw, at, 1), at + 1
    found: list[Any] = []
    for _ in range(count):
        if isinstance(field["of"], str):
            found.append(number(raw, at, field["size"]))
            at += field["size"]
        else:
            record, at = fields(field["of"], raw, at)
            found.append([*record.values()])
    return found, at


def fields(declared: list[dict[str, Any]], raw: bytes, at: int) -> tuple[dict[str, Any], int]:
    found = {}
    for field in declared:
        found[field["name"]], at = one(field, raw, at)
    return found, at


def read(body: bytes) -> tuple[str, dict[str, Any], list[tuple[int, str]]]:
    """Decode a frame's body by the definition alone: message, fields, extensions."""
    header, at = fields(DATA["header"], body, 0)
    kind = header["kind"]
    layout = ANSWER_LAYOUTS.get(kind) or LAYOUTS.get((kind, header["message"]))
    if layout is None:
        raise Unreadable
    found, at = fields(layout["fields"], body, at)
    extensions = []
    while at < len(body):
        type_, length = number(body, at, 1), number(body, at + 1, 1)
        if at + 2 + length > len(body):
            raise Unreadable
        extensions.append((type_, body[at + 2 : at + 2 + length].hex()))
        at += 2 + length
    return layout["name"], found, extensions


def plain(value: Any) -> Any:
    """Return a value of ours in the form that the definition's reader uses."""
    if isinstance(value, bytes):
        return value.hex()
    return [plain(each) for each in value] if isinstance(value, tuple) else value


def test_it_is_fresh() -> None:
    for path, text in protocol_data.pages().items():
        assert (DOCS / path).read_text(encoding="utf-8") == text, "run make docs"


def test_it_is_what_its_schema_says() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator(SCHEMA).validate(DATA)


@pytest.mark.parametrize("broken", [{"messages": 3}, {"version": {"major": "1", "minor": 2}}, {"unheard_of": 1}])
def test_the_schema_refuses_what_is_no_definition(broken: dict[str, Any]) -> None:
    assert not Draft202012Validator(SCHEMA).is_valid({**DATA, **broken})


def test_every_declared_message_stands_in_it_once() -> None:
    declared = [(int(kind), number, message_name(cls)) for (kind, number), (cls, _) in PACKETS.items()]
    assert sorted(declared) == sorted((each["kind_value"], each["id"], each["name"]) for each in DATA["messages"])
    assert [message_name(cls) for cls, _ in ANSWERS.values()] == [each["name"] for each in DATA["answers"]]


def test_every_name_it_uses_is_explained() -> None:
    known = {each["name"] for each in DATA["enumerations"]} | {"card", "place"}
    everything = [*DATA["messages"], *DATA["answers"], {"fields": DATA["header"]}]
    used = [field for layout in everything for field in layout["fields"]]
    used += [part for field in used if isinstance(field.get("of"), list) for part in field["of"]]
    named = {field["values"] for field in used if "values" in field}
    named |= {name for field in used for name in field.get("values_by_class", {}).values()}
    assert named <= known
    assert known - named <= {"Kind"}
    classes = {each.name for each in DeviceClass}
    assert {each["device_class"] for each in DATA["messages"]} - {None} <= classes
    versions = {each["version"] for each in DATA["versions"]}
    assert {each["since"] for each in DATA["messages"]} == versions


@of_each("vector", VECTORS["frames"], ids=lambda vector: vector["name"])
def test_who_knows_only_the_definition_reads_every_vector(vector: dict[str, Any]) -> None:
    name, found, extensions = read(bytes.fromhex(vector["decoded"])[:-4])
    assert name == vector["message"]
    as_vector = {key: bytes(value).hex() if is_bytes(name, key) else value for key, value in found.items()}
    assert as_vector == vector["fields"]
    assert [[type_, value] for type_, value in extensions] == [
        [*each] for each in vector["extensions"]
    ] or extensions == [(each["type"], each["value"]) for each in vector["extensions"]]


def is_bytes(name: str, key: str) -> bool:
    """Return True if the vectors write a list of bytes as hex."""
    layouts = [*DATA["messages"], *DATA["answers"]]
    (field,) = [field for each in layouts if each["name"] == name for field in each["fields"] if field["name"] == key]
    return field["type"] == "list" and field["of"] == "u8"


def outside(declared: list[dict[str, Any]], values: dict[str, Any]) -> list[str]:
    """Return the fields whose value no sender may write, including those in records of a list."""
    found = []
    for field in declared:
        value = values[field["name"]]
        if "least" in field and not field["least"] <= value <= field["most"]:
            found.append(field["name"])
        elif isinstance(field.get("of"), list):
            names = [part["name"] for part in field["of"]]
            found += [part for record in value for part in outside(field["of"], dict(zip(names, record, strict=True)))]
    return found


@of_each("vector", VECTORS["frames"], ids=lambda vector: vector["name"])
def test_what_is_to_be_written_is_within_the_bounds(vector: dict[str, Any]) -> None:
    (layout,) = [each for each in (*DATA["messages"], *DATA["answers"]) if each["name"] == vector["message"]]
    assert "reading_only" in vector or not outside(layout["fields"], vector["fields"])


def test_what_the_conversations_say_is_within_the_bounds() -> None:
    for step in [step for each in VECTORS["conversations"] for step in each["steps"] if "bytes" in step]:
        body = cobs.decode(bytes.fromhex(step["bytes"]).strip(b"\0"))[:-4]
        name, found, _ = read(body)
        (layout,) = [each for each in (*DATA["messages"], *DATA["answers"]) if each["name"] == name]
        assert name == step["message"]
        assert not outside(layout["fields"], found), step["what"]


@pytest.mark.every(3)
@pytest.mark.parametrize("device", DEVICES)
def test_what_the_simulated_devices_say_in_a_whole_plan_is_within_the_bounds(device: str) -> None:
    layouts = {each["name"]: each["fields"] for each in (*DATA["messages"], *DATA["answers"])}
    said = spoken(device)
    wrong = [
        (message, name, value)
        for (message, name), values in said.items()
        for value in values
        for field in layouts[message]
        if field["name"] == name and outside([field], {name: value})
    ]
    assert wrong == []
    assert len(said) > 60


def test_the_page_has_the_bounds_of_the_data() -> None:
    page = (DOCS / "protocol-reference.md").read_text(encoding="utf-8")
    for each in DATA["messages"]:
        rows = re.split(r"\n#", page.partition(f"#### {each['hex']}h {each['name']}\n")[2], maxsplit=1)[0]
        for field in each["fields"]:
            if "least" not in field or "values" in field:
                continue
            whole = (1 << 8 * field["size"]) - 1
            bounds = f", from {field['least']}" if field["least"] else ""
            bounds = f", {field['least']} to {field['most']}" if field["most"] < whole else bounds
            assert f"| `{field['name']}` | {field['type']}{bounds} |" in rows, (each["name"], field["name"])


def test_a_count_whose_meaning_says_0_may_be_0() -> None:
    fields = [(each["name"], field) for each in DATA["messages"] for field in each["fields"]]
    told = [(name, field) for name, field in fields if re.search(r"(?<![0-9x])0:", field.get("about") or "")]
    assert len(told) >= 6
    assert [(name, field["name"]) for name, field in told if field.get("least")] == []


def test_bounds_are_those_of_the_page() -> None:
    bounds = {
        (each["name"], field["name"]): (field["least"], field["most"])
        for each in DATA["messages"]
        for field in each["fields"]
        if "least" in field
    }
    assert bounds["SelectGame", "packet_size"] == bounds["GameSelected", "packet_size"] == (0, 13)
    assert bounds["SelectGame", "cards"] == (52, 56)
    assert bounds["SelectGame", "jokers"] == (0, 4)
    assert bounds["SetSensorLight", "seat"] == (1, 32)
    assert bounds["SpotSelected", "seat"] == (0, 32)
    assert bounds["DeckLoaded", "deck"] == (1, 2)
    assert bounds["ShufflerStatus", "deck"] == (0, 2)
    assert bounds["Overdraw", "ordinal"] == bounds["PulledBack", "ordinal"] == (0, 0xFFFF)
    assert bounds["GameStarted", "round"] == bounds["GameEnded", "round"] == (0, 0xFFFF_FFFF)
    assert bounds["BurnStarted", "count"] == (1, 0xFF)
    assert bounds["HelloReply", "session"] == (1, 0xFFFF_FFFF)
    assert bounds["HelloReply", "event_depth"] == (256, 0xFFFF)
    assert bounds["WagerOn", "on"] == (0, 255)
    assert bounds["StakeShown", "seat"] == bounds["PlayerActed", "seat"] == bounds["PotTaken", "seat"] == (1, 32)
    assert bounds["PotTaken", "pot"] == (1, 32)
    assert bounds["PlayerActed", "cents"] == (0, 0xFFFF_FFFF)


def test_ranges_and_makers_are_the_registrys() -> None:
    registered = registry.registry()
    words = {"message": "messages", "extension": "extensions", "fault": "faults", "capability bit": "capability_bits"}
    words["meter, component or region"] = "meters_components_regions"
    found = {(words[one["of"]], one["first"], one["last"], one["owner"]) for one in registered["range"]}
    ranges = {key: ranges for key, ranges in DATA["ranges"].items() if key != "fault_classes"}
    assert {(key, one["first"], one["last"], one["about"]) for key, of in ranges.items() for one in of} == found
    assert [one["maker"] for one in DATA["makers"]] == [one["maker"] for one in registered["maker"]]
    assert ("messages", 0xFF00, 0xFFFF) in {each[:3] for each in found}
    assert ("extensions", 0xF0, 0xFF) in {each[:3] for each in found}


STATES = {"SHUFFLER": "ShufflerState", "SHOE": "ShoeState", "TABLE_CONTROLLER": "ControllerState"}


def test_behaviour_speaks_of_what_there_is() -> None:
    values = {each["name"]: {value["name"] for value in each["values"]} for each in DATA["enumerations"]}
    messages = {each["name"]: each for each in DATA["messages"]}
    behaviour = DATA["behaviour"]
    for row in behaviour["faults"]:
        assert row["name"] in values["Fault"]
        assert all(messages[event]["kind"] == "EVENT" for event in row["events"])
        assert row["state"] is None or row["state"] in values[STATES[row["device_class"]]]
    for row in behaviour["commands"]:
        assert messages[row["command"]]["kind"] == "COMMAND"
        assert set(row["states"]) <= values[STATES[row["device_class"]]]
    for row in behaviour["transitions"]:
        assert {*row["sources"], *row["targets"]} <= values[STATES[row["device_class"]]]
    assert {row["reason"] for row in behaviour["refusals"]} <= values["Reason"]
    assert {row["device_class"] for row in behaviour["faults"]} == set(STATES)
    for of_class, name in STATES.items():
        steps = [row for row in behaviour["transitions"] if row["device_class"] == of_class]
        assert {state for row in steps for state in (*row["sources"], *row["targets"])} == values[name]


@of_each("vector", VECTORS["bad_payloads"], ids=lambda vector: vector["name"])
def test_it_reads_no_payload_that_is_bad(vector: dict[str, Any]) -> None:
    with pytest.raises(Unreadable):
        read(bytes.fromhex(vector["body"]))


@given(
    st.sampled_from(sorted([*LAYOUTS, *((kind, 0x0120) for kind in ANSWER_LAYOUTS)])),
    st.binary(max_size=90),
)
def test_it_reads_what_the_program_reads_of_any_bytes(key: tuple[int, int], payload: bytes) -> None:
    kind, number_ = key
    body = bytes((1, 0, kind, 7, 1, 2, number_ & 255, number_ >> 8)) + payload
    try:
        ours = decode(body)
    except DealwireError:
        with pytest.raises(Unreadable):
            read(body)
        return
    name, found, extensions = read(body)
    assert name == message_name(type(ours.message))
    values = {key: plain(getattr(ours.message, key)) for key in found}
    assert {key: bytes(value).hex() if is_bytes(name, key) else value for key, value in found.items()} == values
    assert extensions == [(type_, value.hex()) for type_, value in ours.extensions]


def values_of(field: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return a strategy for the values that a sender may write in a field, in the form of our messages."""
    size = field["size"]
    if field["type"] == "bytes":
        return st.binary(min_size=size, max_size=size)
    if field["type"] == "text":
        return st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=size)
    if field["type"] != "list":
        return st.integers(field["least"], field["most"])
    if field["of"] == "u8":
        return st.binary(max_size=60)
    if isinstance(field["of"], str):
        return st.lists(st.integers(0, (1 << 8 * size) - 1), max_size=20).map(tuple)
    return st.lists(st.tuples(*map(values_of, field["of"])), max_size=9).map(tuple)


def messages_of(case: tuple[type[Message], dict[str, Any]]) -> st.SearchStrategy[Message]:
    cls, layout = case
    return st.fixed_dictionaries({each["name"]: values_of(each) for each in layout["fields"]}).map(
        lambda values: cls(**values)
    )


SPECIFIED = [(cls, LAYOUTS[kind, number]) for (kind, number), (cls, _) in PACKETS.items()]
SPECIFIED += [(cls, ANSWER_LAYOUTS[kind]) for kind, (cls, _) in ANSWERS.items()]


@pytest.mark.every(3)
@pytest.mark.parametrize("case", SPECIFIED, ids=lambda case: message_name(case[0]))
def test_it_reads_what_the_program_writes_of_any_message(case: tuple[type[Message], dict[str, Any]]) -> None:
    @settings(max_examples=25)
    @given(messages_of(case))
    def holds(message: Message) -> None:
        body = encode(message, message_id=0x0120 if type(message) in ANSWERED else None)
        name, found, extensions = read(body)
        assert (name, extensions) == (message_name(type(message)), [])
        values = {key: bytes(value).hex() if is_bytes(name, key) else value for key, value in found.items()}
        assert values == {key: plain(getattr(message, key)) for key in found}

    holds()


def test_a_command_of_each_role_and_the_senders_are_told() -> None:
    by_name = {each["name"]: each for each in DATA["messages"]}
    assert by_name["SelfTest"]["role"] == "SERVICE"
    assert by_name["Dispense"]["role"] == "OPERATE"
    assert by_name["ReadMeters"]["role"] == "OBSERVE"
    assert {each["sender"] for each in DATA["messages"] if each["kind_value"] in (Kind.COMMAND, Kind.ACK)} == {"host"}
    assert {each["name"] for each in DATA["messages"] if each["sender"] == "host" and each["role"] is None} == {
        "Hello", "Heartbeat", "Ack"
    }  # fmt: skip


@of_each("message", DATA["messages"], ids=lambda message: message["name"])
def test_what_a_message_says_of_its_version_is_what_is_declared(message: dict[str, Any]) -> None:
    said = re.findall(r"Since (\d\.\d)\.", message["about"])
    assert said == ([message["since"]] if message["since"] != "1.0" else [])


def test_later_values_are_those_that_the_page_says_later_versions_brought() -> None:
    later = {
        (each["name"], value["name"]): value["since"]
        for each in DATA["enumerations"]
        for value in each["values"]
        if value["since"] != "1.0" and each["name"] not in WHOLE_SINCE
    }
    assert later == {
        ("Capability", "METERS"): "1.2",
        ("Capability", "VERIFY"): "1.2",
        **{("Mishandling", name): "1.1" for name in ("EXPOSED", "OFF_TABLE", "FOULED", "JOKER", "BOXED")},
        ("Mishandling", "FOULED_BY_PLAYER"): "1.2",
        ("Mishandling", "FOULED_BY_OTHERS"): "1.2",
        ("Mishandling", "RECONSTRUCTED"): "1.2",
        ("Mishandling", "DROPPED"): "1.2",
        ("Mishandling", "RETURNED_TO_DECK"): "1.2",
        ("Mishandling", "EARLY"): "1.2",
        ("Mishandling", "EXPOSED_BY_PLAYER"): "1.2",
        ("Mishandling", "NOT_BURNED"): "1.2",
        ("Capability", "SEALING"): "1.4",
        ("Capability", "ATTESTATION"): "1.4",
        ("Reason", "NOT_SEALED"): "1.4",
    }


@pytest.mark.parametrize("name", sorted(WHOLE_SINCE))
def test_an_enumeration_of_later_messages_came_with_them(name: str) -> None:
    (found,) = [each for each in DATA["enumerations"] if each["name"] == name]
    assert {value["since"] for value in found["values"]} == {WHOLE_SINCE[name]}
