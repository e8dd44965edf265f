"""GAT against its vectors, chunked in three ways; the texts, the documents, and the terminal's times."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.cutting import Noise
from protocol.errors import BadAnswer, BadReport, CannotEncode, NoAnswer
from protocol.gat import documents, functions
from protocol.gat import messages as m
from protocol.gat.codec import decode, describe, encode
from protocol.gat.device_end import GAP_MS, GatDevice, MeasuredSoftware
from protocol.gat.documents import checksum, read_components, read_functions
from protocol.gat.exchange import MS, Exchange, GatTiming
from protocol.gat.framing import CHUNK, Frame, Framer, encode_frame
from protocol.gat.functions import SpecialFunction, calculation, function_of, key_of, key_text
from protocol.gat.inspection import differences
from protocol.gat.link import GatListener
from protocol.link import Discarded
from tests.support.oracles import gat_by_hand as oracle

VECTORS: dict[str, Any] = json.loads(oracle.VECTORS.read_text())
EXACT = GatTiming(allowance_ns=0)
SQ, SR = encode(m.StatusQueryMessage()), bytes.fromhex("81 08 03 50 06 02 FF 7D")


def pieces_of(chunks: list[bytes]) -> tuple[list[tuple[int, str]], int]:
    """Return length and reading of each piece, with adjacent noise of one reason merged; and the pending bytes."""
    framer, found = Framer(), list[tuple[int, str]]()
    for piece in [piece for chunk in chunks for piece in framer.feed(chunk)]:
        reading = str(piece.reason) if isinstance(piece, Noise) else "frame"
        if found and reading != "frame" and found[-1][1] == reading:
            found[-1] = found[-1][0] + piece.length, reading
        else:
            found.append((piece.length, reading))
    return found, framer.pending


def test_the_vectors_are_those_typed_by_hand() -> None:
    assert oracle.VECTORS.read_text() == oracle.written()


@pytest.mark.parametrize("vector", VECTORS["frames"], ids=lambda vector: vector["name"])
def test_each_frame_is_read_and_written(vector: dict[str, Any]) -> None:
    wire = bytes.fromhex(vector["wire"])
    (frame,) = Framer().feed(wire)
    assert isinstance(frame, Frame)
    assert describe(frame) == {
        "kind": vector["name"].partition(",")[0].partition(" ")[0],
        "message": vector["message"],
        "fields": vector["fields"],
    }
    assert encode(decode(frame)) == wire


@pytest.mark.parametrize("vector", VECTORS["streams"], ids=lambda vector: vector["name"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_each_stream_is_split_alike_in_any_chunks(vector: dict[str, Any], size: int) -> None:
    wire = bytes.fromhex(vector["wire"])
    pieces, pending = pieces_of([wire[at : at + size] for at in range(0, len(wire), size)])
    assert pieces == [(each["length"], each["reading"]) for each in vector["pieces"]]
    assert pending == vector["pending"]


@pytest.mark.parametrize("vector", VECTORS["checksums"], ids=lambda vector: vector["key"] or "no key")
def test_each_checksum(vector: dict[str, str]) -> None:
    assert checksum(vector["message"].encode(), bytes.fromhex(vector["key"])) == vector["checksum"]


FRAMES = [bytes.fromhex(each["wire"]) for each in VECTORS["frames"]]


@given(st.lists(st.one_of(st.sampled_from(FRAMES), st.binary(max_size=6)), max_size=12), st.integers(1, 9))
def test_pieces_tile_the_input_in_any_chunks(parts: list[bytes], size: int) -> None:
    stream = b"".join(parts)
    whole, pending = pieces_of([stream])
    assert (whole, pending) == pieces_of([stream[at : at + size] for at in range(0, len(stream), size)])
    assert sum(length for length, _ in whole) + pending == len(stream)
    assert pending < 255


def test_a_version_that_is_not_decimal_is_refused() -> None:
    (frame,) = Framer().feed(encode_frame(0x81, bytes.fromhex("03 5A 04 02")))
    assert isinstance(frame, Frame)
    with pytest.raises(BadReport, match="5Ah in the version is not two decimal digits"):
        decode(frame)
    assert describe(frame)["kind"] == "bad report"


@pytest.mark.parametrize(
    "message",
    [
        m.ResultsQueryMessage(2, 65_536),
        m.ResultsResponseMessage(False, False, 1, bytes(CHUNK + 1)),
        m.CalculationQueryMessage(0xBA, bytes(251)),
    ],
)
def test_what_does_not_fit_is_not_written(message: m.GatMessage) -> None:
    with pytest.raises(CannotEncode):
        encode(message)


# ------------------------------------------------------------------ texts


def test_a_function_is_text_with_tabs() -> None:
    function = SpecialFunction("Get File", ("AuthenticationResponse.xml", "(none)"))
    query = calculation(function)
    assert query.parameter == b"\0Get File\tAuthenticationResponse.xml\t(none)"
    assert function_of(query.parameter) == function
    assert encode(query)[-2:].hex() == "893d", "as computed in the same way as the vectors"


@pytest.mark.parametrize("parameters", [("a\tb",), ("\u00e9",), ("x" * 240,), ("\x1b[2J",)])
def test_a_text_that_does_not_fit_is_refused(parameters: tuple[str, ...]) -> None:
    with pytest.raises(CannotEncode):
        calculation(SpecialFunction("Component", parameters))


@pytest.mark.parametrize("parameter", [b"", b"Get Special Functions", b"\1Get File", b"\0Get\x80"])
def test_another_parameter_is_no_function(parameter: bytes) -> None:
    assert function_of(parameter) is None


def test_keys() -> None:
    assert key_of("") == key_of(functions.NO_KEY) == b""
    assert key_of("0x12ab") == key_of("12AB") == b"\x12\xab"
    assert key_of("123") is key_of("0x") is key_of("1 2 ") is key_of("GG") is None
    assert key_text(b"") == "(none)"
    assert key_text(b"\x12\xab") == "12AB"


# ------------------------------------------------------------------ documents

COMPONENTS = documents.write_components("A & B", "maker", [("one", "AB"), ("two", "CD")])


def test_documents_are_read_back() -> None:
    found = read_components(COMPONENTS)
    assert [(each.game, each.name, each.checksum) for each in found] == [("A & B", "one", "AB"), ("A & B", "two", "CD")]
    listed = documents.write_functions("A", "m", [SpecialFunction("Component", ("x", functions.KEY_TEMPLATE))])
    assert read_functions(listed) == (SpecialFunction("Component", ("x", "%%SHA1_HMAC%%")),)


def test_many_components_are_read() -> None:
    sums = [(f"part {number}", f"{number:040X}") for number in range(5000)]
    found = read_components(documents.write_components("game", "maker", sums))
    assert [(each.name, each.checksum) for each in found] == sums


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be"])
def test_documents_may_be_utf_8_or_utf_16(encoding: str) -> None:
    assert read_components(COMPONENTS.decode().encode(encoding)) == read_components(COMPONENTS)


def test_a_name_may_have_a_prefix() -> None:
    text = b"<g:Components xmlns:g='x'><g:Game><g:Component><g:Name>a</g:Name><g:Checksum>1</g:Checksum>"
    assert read_components(text + b"</g:Component></g:Game></g:Components>")[0].name == "a"


LAUGHS = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><Components>&b;</Components>'
OUTSIDE = b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><Components>&a;</Components>'
HOSTILE = {
    "an entity": LAUGHS,
    "an entity of a file": OUTSIDE,
    "a document type": b'<!DOCTYPE x SYSTEM "http://x/"><Components/>',
    "an unknown entity": b"<Components>&a;</Components>",
    "an instruction": b"<Components><?php x?></Components>",
    "deep": b"<Components>" * 30,
    "many elements": b"<Components>" + b"<a/>" * 20_001 + b"</Components>",
    "a long value": b"<Components>" + b"x" * 1025 + b"</Components>",
    "too long": b"<Components>" + b" " * (1 << 20) + b"</Components>",
    "another encoding": b'<?xml version="1.0" encoding="UTF-7"?><Components/>',
    "another root": b"<SpecialFunctions/>",
    "torn": b"<Components>",
    "nothing": b"",
    "no XML": b"\x00\x01\x02",
    "no checksum": b"<Components><Game><Component><Name>a</Name></Component></Game></Components>",
    "no name": b"<Components><Game><Component><Checksum>1</Checksum></Component></Game></Components>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_document_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(BadAnswer) as refused:
        read_components(HOSTILE[name])
    assert "\n" not in str(refused.value)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_document_or_refused(data: bytes) -> None:
    for text in (data, COMPONENTS[:-40] + data):
        try:
            read_components(text)
        except BadAnswer:
            continue


def test_differences_are_found_by_name_in_any_order() -> None:
    found = read_components(COMPONENTS)
    assert differences(found, [("two", "cd"), ("one", "ab")]) == []
    assert differences(found, [("one", "00"), ("three", "EF")]) == [
        ("one", "00", "AB"),
        ("two", "", "CD"),
        ("three", "EF", ""),
    ]
    assert differences((*found, found[0]), [("one", "AB"), ("two", "CD")]) == [("one", "", "AB")], "named twice"


# ------------------------------------------------------------------ the terminal's times


def begun(timing: GatTiming = EXACT) -> tuple[Exchange, int]:
    """Return an exchange that has sent a status query at 0, and the time when the line has carried it."""
    exchange = Exchange(timing)
    exchange.ask(m.StatusQueryMessage(), 0)
    assert exchange.tick(0) == SQ
    return exchange, len(SQ) * 10 * 1_000_000_000 // 9600


def test_a_response_is_taken_at_its_last_byte_and_the_next_query_waits_10_ms() -> None:
    exchange, carried_ns = begun()
    exchange.receive(SR[:3], carried_ns + 199 * MS)
    assert not exchange.done
    exchange.receive(SR[3:], carried_ns + 203 * MS)
    assert isinstance(exchange.answer, m.StatusResponseMessage)
    exchange.ask(m.LastStatusQueryMessage(), carried_ns + 204 * MS)
    assert exchange.tick(carried_ns + 212 * MS) == b""
    assert exchange.tick(carried_ns + 213 * MS) == encode(m.LastStatusQueryMessage())


def test_silence_is_waited_for_200_ms_and_the_query_repeated_after_225() -> None:
    exchange, carried_ns = begun()
    assert exchange.next_deadline_ns == carried_ns + 200 * MS
    assert exchange.tick(carried_ns + 200 * MS) == b""
    assert exchange.next_deadline_ns == carried_ns + 225 * MS
    assert exchange.tick(carried_ns + 224 * MS) == b""
    assert exchange.tick(carried_ns + 225 * MS) == SQ


def test_three_tries_without_an_answer_end_it() -> None:
    exchange, _ = begun()
    now_ns, sent = 0, 1
    while not exchange.done:
        now_ns = exchange.next_deadline_ns or 0
        sent += bool(exchange.tick(now_ns))
    assert sent == 3
    assert isinstance(exchange.failure, NoAnswer)
    assert exchange.failure.tries == 3


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (SR[:-1] + b"\0", "8 bytes that are no response"),
        (SR[:5], "5 bytes that are no response"),
        (b"\xff" * 300, "300 bytes that are no response"),
        (encode_frame(0x81, bytes.fromhex("0A 50 04 02")), "0Ah in the version"),
    ],
)
def test_what_is_no_response_is_named_after_three_tries(bad: bytes, why: str) -> None:
    exchange, _ = begun()
    exchange.receive(bad, 20 * MS)
    while not exchange.done:
        now_ns = exchange.next_deadline_ns or 0
        if exchange.tick(now_ns):
            exchange.receive(bad, now_ns + 20 * MS)
    assert isinstance(exchange.failure, BadAnswer)
    assert why in str(exchange.failure)


def test_5_ms_of_silence_end_a_response() -> None:
    exchange, carried_ns = begun()
    exchange.receive(SR[:4], carried_ns + MS)
    assert exchange.next_deadline_ns == carried_ns + 6 * MS
    exchange.tick(carried_ns + 6 * MS)
    exchange.receive(SR[4:], carried_ns + 7 * MS)
    assert exchange.answer is None


def test_a_late_response_of_another_query_is_skipped() -> None:
    exchange, carried_ns = begun()
    exchange.receive(bytes.fromhex("82 09 BA 00 00 00 3C 5B 60") + SR, carried_ns + MS)
    assert isinstance(exchange.answer, m.StatusResponseMessage)


def test_another_frame_than_the_one_requested_is_no_answer() -> None:
    exchange = Exchange(EXACT)
    exchange.ask(m.ResultsQueryMessage(2, 2), 0)
    exchange.tick(0)
    exchange.receive(encode(m.ResultsResponseMessage(False, False, 1, b"x")), 20 * MS)
    assert exchange.answer is None


def test_a_device_that_never_pauses_holds_nothing_up() -> None:
    exchange, _ = begun()
    now_ns = 0
    while not exchange.done:
        now_ns += MS
        exchange.receive(b"\x55", now_ns)
        exchange.tick(now_ns)
        assert now_ns < 10_000 * MS
    assert isinstance(exchange.failure, BadAnswer)


# ------------------------------------------------------------------ the device's end, and the listener


def test_a_device_is_deaf_after_a_bad_byte_until_the_line_was_silent() -> None:
    device = GatDevice(MeasuredSoftware("g", "m", (("c", b"x"),)))
    device.receive(b"\x55" + SQ, 10**12)
    assert device.take_output() == []
    device.receive(SQ, 10**12 + (GAP_MS - 1) * MS)
    assert device.take_output() == []
    device.receive(SQ, 10**12 + (2 * GAP_MS - 1) * MS)
    assert len(device.take_output()) == 1


def test_a_listener_counts_frames_and_noise() -> None:
    link = GatListener()
    link.start(0)
    assert link.receive(SQ + SR, 0) == []
    assert [type(one) for one in link.receive(b"\xff", 0)] == [Discarded]
    assert link.stats.frames == 2
    assert link.stats.noise_bytes == 1
