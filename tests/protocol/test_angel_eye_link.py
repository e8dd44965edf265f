"""The Angel Eye link: repeats, restarts, losses, commands. The reports are written by hand here."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.angel_eye import messages as m
from protocol.angel_eye.codec import decode, encode
from protocol.angel_eye.framing import Framer
from protocol.angel_eye.link import QUEUE_MAX, DeviceLink, HostLink, LinkState, Timing
from protocol.cards import parse_card
from protocol.errors import CannotEncode, NotPermitted, NotUp, QueueFull
from protocol.link import Answered, Discarded, Missed, Output, Reported, Send, Started, Unanswered
from protocol.message import message_name

MS = 1_000_000
NOW = 1_700_000_000_000 * MS
SESSION = 1_700_000_000_000 % 2**32
ORDER = "0123456789ABCDEF"
SUITS = {"D": 1, "C": 2, "S": 3, "H": 4}
RANKS = "A23456789TJQK"
STANDBY = b"P"


def report(sequence: str, data: bytes) -> bytes:
    body = sequence.encode() + data
    check = 3
    for byte in body:
        check ^= byte
    return b"\x05" + body + b"\x03" + f"{check:02X}".encode()


def drawn(card: str, ordinal: int = 1, letter: bytes = b"D", place: int = 0) -> bytes:
    code = SUITS[card[1]] << 4 | RANKS.index(card[0]) + 1
    return letter + bytes([0x80 | place << 4 | ordinal, 0x80 | code])


class Ear:
    """A listening link and its output."""

    def __init__(self, **options: Any) -> None:
        self.link = HostLink(**options)
        self.now_ns = NOW
        self.out: list[Output] = list(self.link.start(NOW))

    def hear(self, *chunks: bytes) -> "Ear":
        for chunk in chunks:
            self.out += self.link.receive(chunk, self.now_ns)
        return self

    def told(self) -> list[str]:
        """Return cards as text, GAP for a loss, other reports by name."""
        found = []
        for output in self.out:
            if isinstance(output, Missed):
                found.append("GAP")
            elif isinstance(output, Reported):
                card = isinstance(output.message, m.CardDrawnMessage)
                found.append(output.message.card.text if card else message_name(output.message))
        return found


def test_the_first_report_opens_a_session_named_by_its_time() -> None:
    ear = Ear()
    assert ear.link.state is LinkState.WAITING
    ear.hear(report("5", drawn("AS")))
    assert ear.out == [Started(SESSION, 0), Reported(SESSION, 1, m.CardDrawnMessage(0, 1, parse_card("AS")))]
    assert ear.link.state is LinkState.UP


def test_three_copies_are_one_card() -> None:
    wire = report("1", drawn("AS"))
    ear = Ear().hear(wire, wire, wire, report("2", drawn("KD", 2)))
    assert ear.told() == ["AS", "KD"]
    assert ear.link.stats.repeats == 2
    assert not [output for output in ear.out if isinstance(output, Send)]


def test_equal_cards_one_after_the_other_are_two() -> None:
    assert Ear().hear(report("1", drawn("AS")), report("2", drawn("AS"))).told() == ["AS", "AS"]


def test_one_sequence_with_other_content_is_another_report() -> None:
    """A restarted shoe counts from the start again: comparing the sequence alone would lose this card."""
    assert Ear().hear(report("1", STANDBY), report("1", drawn("AS"))).told()[::2] == ["StandingBy", "AS"]


def test_s_empties_the_memory_and_begins_a_session() -> None:
    ear = Ear().hear(report("0", b"S"), report("1", drawn("AS")))
    ear.now_ns += 5_000 * MS
    ear.hear(report("0", b"S"), report("0", b"S"), report("1", drawn("AS")))
    assert ear.told() == ["Started", "AS", "Started", "AS"]
    assert [o for o in ear.out if isinstance(o, Started)] == [Started(SESSION, 0), Started(SESSION + 5000, SESSION)]
    assert [o.number for o in ear.out if isinstance(o, Reported)] == [1, 2, 1, 2]


def test_a_report_lost_without_a_trace_shows_in_the_sequence() -> None:
    ear = Ear().hear(report("1", drawn("AS")), report("3", drawn("KD", 3)))
    assert ear.told() == ["AS", "GAP", "KD"]
    assert ear.link.stats.gaps == 1


def test_the_turn_of_the_count_is_learned() -> None:
    """After 9 comes A, or 0; the order is unpublished. Once it was observed, a break in it is a loss."""
    cards = [f"{rank}S" for rank in RANKS[:10]]
    ear = Ear().hear(*[report(ORDER[i], drawn(card)) for i, card in enumerate(cards)])
    ear.hear(*[report(ORDER[i], drawn(card)) for i, card in enumerate(cards)])
    assert "GAP" not in ear.told()
    ear.hear(report("1", drawn("KD")))
    assert ear.told()[-2:] == ["GAP", "KD"]


def test_spoiled_copies_are_forgiven_when_one_copy_comes_through() -> None:
    wire = report("2", drawn("KD", 2))
    ear = Ear().hear(report("1", drawn("AS")), wire[:4], wire, wire[:-1] + b"x", report("3", drawn("2C", 3)))
    assert ear.told() == ["AS", "KD", "2C"]
    assert ear.link.stats.noise_bytes == 4 + 8
    assert next(o.why for o in ear.out if isinstance(o, Discarded)) == "cut off by the next control byte"


def test_a_report_of_which_no_copy_came_through_is_said_to_be_missing() -> None:
    ear = Ear().hear(report("1", drawn("AS")), report("2", drawn("KD"))[:5], report("3", drawn("2C", 3)))
    assert ear.told() == ["AS", "GAP", "2C"]


def test_spoiled_bytes_at_the_end_may_have_been_a_card() -> None:
    ear = Ear().hear(report("1", drawn("AS")), report("2", drawn("KD"))[:5])
    ear.out += ear.link.close(NOW)
    assert ear.told() == ["AS", "GAP"]
    assert ear.link.close(NOW) == []


def test_a_frame_cut_off_by_silence_is_noise() -> None:
    ear = Ear().hear(report("1", drawn("AS"))[:5])
    assert ear.link.next_deadline_ns == NOW + Timing().partial_ns
    assert ear.link.tick(NOW + Timing().partial_ns - 1) == []
    assert ear.link.tick(NOW + Timing().partial_ns) == [Discarded(report("1", drawn("AS"))[:5], "cut off")]
    assert ear.link.next_deadline_ns is None


def test_a_whole_report_that_cannot_be_is_a_loss_not_a_card() -> None:
    ear = Ear().hear(report("1", drawn("AS")), report("2", b"D\x81\xde"), report("3", drawn("2C", 3)))
    assert ear.told() == ["AS", "GAP", "2C"]
    assert ear.link.stats.unusable == 1


# ------------------------------------------------------------------ operate


def acked(ear: Ear) -> bytes:
    return b"".join(output.data for output in ear.out if isinstance(output, Send))


def test_only_the_operate_role_acknowledges_and_never_a_recording() -> None:
    for options, expected in (({}, b""), ({"operate": True}, b"\x06\x06"), ({"operate": True, "listen": True}, b"")):
        ear = Ear(**options).hear(report("1", STANDBY), report("1", STANDBY))
        assert acked(ear) == expected


def test_what_is_delivered_does_not_depend_on_what_is_sent() -> None:
    chunks = [report("1", STANDBY), b"\x06\x15\x21junk", report("2", drawn("AS")), b"\x02OK\x0307"]
    quiet, loud = Ear().hear(*chunks), Ear(operate=True).hear(*chunks)
    assert quiet.out == [output for output in loud.out if not isinstance(output, Send)]
    assert quiet.told() == ["StandingBy", "AS", "Text"]


def test_a_command_needs_a_shoe_and_the_role() -> None:
    with pytest.raises(NotUp):
        HostLink(operate=True).request(m.LockMessage(True), NOW)
    ear = Ear().hear(report("1", STANDBY))
    with pytest.raises(NotPermitted, match="Lock needs the operate role; this session has observe"):
        ear.link.request(m.LockMessage(True), NOW)


def test_commands_go_one_at_a_time_and_are_answered() -> None:
    ear = Ear(operate=True).hear(report("1", STANDBY))
    first, sent = ear.link.request(m.LockMessage(True), NOW)
    second, waits = ear.link.request(m.ClearErrorMessage(4), NOW)
    assert sent == [Send(bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42"))]
    assert waits == []
    ear.out.clear()
    ear.hear(b"\x06", b"\x15\x21")
    assert ear.out == [
        Answered(first, m.LockMessage(True), m.AcknowledgedMessage()),
        Send(bytes.fromhex("02 4F 50 45 43 30 34 03 31 43")),
        Answered(second, m.ClearErrorMessage(4), m.RejectedMessage(0x21)),
    ]
    assert ear.link.stats.naks == 1


def test_a_command_that_cannot_be_encoded_is_refused_at_once_and_does_not_wait() -> None:
    ear = Ear(operate=True).hear(report("1", STANDBY))
    first, _ = ear.link.request(m.LockMessage(True), NOW)
    with pytest.raises(CannotEncode, match=r"^ClearError cannot be encoded: "):
        ear.link.request(m.ClearErrorMessage(100), NOW)
    ear.out.clear()
    ear.hear(b"\x06")
    assert ear.out == [Answered(first, m.LockMessage(True), m.AcknowledgedMessage())]


@pytest.mark.parametrize("sequence", [0x1F, 0x7F])
def test_a_report_is_counted_by_a_printable_character(sequence: int) -> None:
    with pytest.raises(CannotEncode) as refused:
        encode(m.CardDrawnMessage(0, 1, parse_card("AS")), sequence)
    assert str(refused.value) == f"CardDrawn cannot be encoded: sequence {sequence} is not a printable character"


def test_a_command_is_sent_three_times_and_given_up() -> None:
    ear = Ear(operate=True).hear(report("1", STANDBY))
    request, out = ear.link.request(m.AskGameMessage(), NOW)
    for turn in range(1, 4):
        assert ear.link.next_deadline_ns == NOW + turn * Timing().answer_ns
        out += ear.link.tick(NOW + turn * Timing().answer_ns)
    assert [type(output) for output in out] == [Send, Send, Send, Unanswered]
    assert out[3].request == request  # type: ignore[attr-defined]
    assert str(out[3].error) == "AskGame: no reply after 3 tries in 3.00 s"  # type: ignore[attr-defined]
    assert ear.link.next_deadline_ns is None


def test_the_queue_is_bounded_and_ends_with_the_link() -> None:
    ear = Ear(operate=True).hear(report("1", STANDBY))
    for _ in range(QUEUE_MAX):
        ear.link.request(m.AskGameMessage(), NOW)
    with pytest.raises(QueueFull):
        ear.link.request(m.AskGameMessage(), NOW)
    ended = ear.link.close(NOW)
    assert [type(output) for output in ended] == [Unanswered] * QUEUE_MAX


# ------------------------------------------------------------------ the shoe's end


def test_the_shoe_repeats_until_it_is_acknowledged() -> None:
    shoe, sent = DeviceLink(), []
    sent += shoe.report(m.StandingByMessage(), NOW)
    sent += shoe.report(m.CutCardDrawnMessage(), NOW)
    while (due := shoe.next_deadline_ns) is not None:
        sent += shoe.tick(due)
    assert sent == [report("0", b"P")] * 3 + [report("1", b"C")] * 3
    sent = shoe.report(m.StandingByMessage(), NOW) + shoe.receive(b"\x06", NOW)
    assert sent == [report("2", b"P")]
    assert shoe.next_deadline_ns is None


def test_the_shoe_takes_commands_and_rejects_the_rest() -> None:
    shoe = DeviceLink()
    assert shoe.receive(bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42"), NOW) == []
    assert list(shoe.commands) == [m.LockMessage(True)]
    assert shoe.receive(bytes.fromhex("02 4F 50 5A 5A 30 30 03 31 45") + b"noise", NOW) == [b"\x15\x13"]


# ------------------------------------------------------------------ never a phantom, never a silent loss


def evening(chance: Random) -> tuple[list[str], list[bytes]]:
    """Return the cards a shoe drew, and the pieces of its line: each report up to three times, some damaged, noise
    between.

    A damaged copy leaves at least a byte. A copy that lost its tail is not followed by one that lost its head, because
    the two joined pass an eight-bit check one time in 256.
    """
    cards, pieces, damage = [], [], ""
    damages = ["none"] * chance.randint(1, 6) + ["tail", "head", "bit", "noise"]
    for index in range(chance.randint(1, 40)):
        kind, card = chance.choice("DDDDPCE"), chance.choice(RANKS) + chance.choice("DCSH")
        data = {"D": drawn(card, index % 15), "P": b"P", "C": b"C", "E": b"E\xc1"}[kind]
        cards += [card] if kind == "D" else []
        wire = report(ORDER[index % 16], data)
        for _ in range(chance.randint(1, 3)):
            at = chance.randint(1, len(wire) - 1)
            flipped = wire[:at] + bytes([wire[at] ^ 1 << chance.randrange(8)]) + wire[at + 1 :]
            noisy = chance.randbytes(chance.randint(1, 12)) + wire
            spoiled = {"none": wire, "tail": wire[:at], "head": wire[at:], "bit": flipped, "noise": noisy}
            damage = chance.choice([kind for kind in damages if (damage, kind) != ("tail", "head")])
            pieces.append(spoiled[damage])
    return cards, pieces


@pytest.mark.more
@settings(max_examples=1500)
@given(st.integers(0, 2**64), st.integers(1, 40))
def test_each_card_once_and_in_order_or_a_gap(seed: int, size: int) -> None:
    cards, pieces = evening(Random(seed))
    stream = b"".join(pieces)
    ear = Ear().hear(*[stream[i : i + size] for i in range(0, len(stream), size)])
    ear.out += ear.link.close(NOW)
    assert_once_in_order_or_gap(cards, [word for word in ear.told() if word == "GAP" or len(word) == 2])
    booked = sum(piece.length for piece in Framer().feed(stream) if hasattr(piece, "reason"))
    assert ear.link.stats.noise_bytes >= booked


def assert_once_in_order_or_gap(cards: list[str], told: list[str]) -> None:
    """Assert that `told` is `cards` in order, with a GAP in place of each missing run.

    Equal cards allow more than one reading, so every reading is followed in parallel.
    """
    reached = {(0, False)}  # how many cards are accounted for, and whether a gap is open here
    for word in told:
        if word == "GAP":
            reached = {(at, True) for at, _ in reached}
            continue
        reached = {
            (index + 1, False)
            for at, gap in reached
            for index in range(at, len(cards) if gap else min(at + 1, len(cards)))
            if cards[index] == word
        }
        assert reached, f"{word} is no card that was due: {cards} told as {told}"
    assert any(gap or at == len(cards) for at, gap in reached), f"{cards} told as {told}"


def test_a_command_and_the_same_once_more_are_counted_apart() -> None:
    ear = Ear(operate=True).hear(report("1", STANDBY))
    ear.link.request(m.LockMessage(True), ear.now_ns)
    assert (ear.link.stats.commands, ear.link.stats.retries) == (1, 0)
    ear.link.tick(ear.now_ns + Timing().answer_ns)
    assert (ear.link.stats.commands, ear.link.stats.retries) == (1, 1)


def test_an_error_is_cleared_by_both_its_digits() -> None:
    (frame,) = Framer().feed(bytes.fromhex("02 4F 50 45 43 31 32 03 31 42"))
    assert decode(frame) == m.ClearErrorMessage(12)
