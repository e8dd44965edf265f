"""The Bee-Tek link: order, losses, silence. The shoe sends everything once, and no one answers."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.bee_tek import messages as m
from protocol.bee_tek.link import PARTIAL_NS, HostLink, LinkState
from protocol.cards import RANKS, parse_card
from protocol.errors import NoCommands
from protocol.link import Discarded, Missed, Output, Reported, Started
from protocol.message import message_name

NOW = 1_700_000_000_000_000_000
SESSION = 1_700_000_000_000 % 2**32


def hear(*chunks: bytes) -> tuple[HostLink, list[Output]]:
    link = HostLink()
    out = link.start(NOW)
    for chunk in chunks:
        out += link.receive(chunk, NOW)
    return link, out


def told(out: list[Output]) -> list[str]:
    """Return cards as text, `??` for unread, GAP for a loss, other reports by name."""
    found = []
    for output in out:
        if isinstance(output, Missed):
            found.append("GAP")
        elif isinstance(output, Reported):
            message = output.message
            card = message.card.text if isinstance(message, m.CardDrawnMessage) else message_name(message)
            found.append("??" if isinstance(message, m.CardNotReadMessage) else card)
    return found


def test_the_first_item_opens_the_session() -> None:
    link, out = hear(b" [Game]<Card:4S> ")
    assert out == [Started(SESSION, 0), Reported(SESSION, 1, m.CardDrawnMessage("Game", parse_card("4S")))]
    assert link.state is LinkState.UP
    assert link.stats.frames == 1


def test_cards_and_alarms_keep_their_order() -> None:
    _, out = hear(b" [Game]<Game>  [GameAlarm]<Alarm:E3 Card Not Read>  [Game]<Card:10H> <W0x01> [Game]<Card:4S> ")
    assert told(out) == ["??", "Alarm", "TH", "Warned", "4S"]
    assert [output.number for output in out if isinstance(output, Reported)] == [1, 2, 3, 4, 5]


def test_equal_items_are_two() -> None:
    assert told(hear(b" [Game]<Card:4S>  [Game]<Card:4S> ")[1]) == ["4S", "4S"]


@pytest.mark.parametrize(
    "spoiled", [b"ard:KD>", b"[Game]<Card:K", b"\xff\xfe", b"<Card:KD>", b"[Game]<Card:1D>", b"[Ga", b"[" + b"x" * 99]
)
def test_whatever_was_spoiled_may_have_been_a_card(spoiled: bytes) -> None:
    link, out = hear(b" [Game]<Card:4S> " + spoiled + b" [Game]<Card:5H> ")
    assert told(out) == ["4S", "GAP", "5H"]
    assert [o.data for o in out if isinstance(o, Discarded)]
    assert link.stats.gaps == 1


def test_bytes_that_were_not_kept_may_have_been_a_card() -> None:
    link, _ = hear(b" [Game]<Card:4S> ")
    assert link.skip(NOW) == [Missed(SESSION, "bytes that were not kept")]
    assert link.stats.gaps == 1


def test_blanks_are_nothing() -> None:
    link, out = hear(b" \r\n\t\0 ")
    assert out == []
    assert link.stats.noise_bytes == 0


def test_an_item_cut_off_by_silence_is_a_loss() -> None:
    link, out = hear(b"[Game]<Card:4")
    assert out == []
    assert link.next_deadline_ns == NOW + PARTIAL_NS
    assert told(link.tick(NOW + PARTIAL_NS)) == ["GAP"]
    assert link.next_deadline_ns is None


def test_an_item_cut_off_by_the_end_is_a_loss() -> None:
    link, _ = hear(b"[Game]<Card:4")
    assert told(link.close(NOW)) == ["GAP"]


def test_the_shoe_takes_no_command() -> None:
    with pytest.raises(NoCommands, match="bee-tek: the device takes no commands"):
        hear(b" [Game]<Game> ")[0].request(object(), NOW)


SUITS = "CDHS"
MODES = ["Game", "Manual Burn Cards"]


def evening(chance: Random) -> tuple[list[str], bytes]:
    """Return the reports of a shoe and the bytes of its line: some items cut, noise between.

    A whole item follows each cut one, because two cut items in a row can form a third, which this dialect cannot
    reveal.
    """
    items, stream, may_cut = [], b"", True
    for _ in range(chance.randint(1, 30)):
        card, unread = chance.choice(RANKS) + chance.choice(SUITS), not chance.randrange(6)
        items.append("??" if unread else card)
        wire = f" [{chance.choice(MODES)}]<{'Game' if unread else 'Card:' + card}> ".encode()
        damage = chance.choice(["none", "none", "none", "tail", "head", "noise"])
        if damage == "noise":
            noise = bytes(byte for byte in chance.randbytes(chance.randint(1, 10)) if byte not in b"[]<>")
            stream += b" " + noise + b" "
        may_cut = may_cut and damage in ("tail", "head")
        if may_cut:
            at = chance.randint(2, len(wire) - 3)
            wire = wire[:at] if damage == "tail" else wire[at:]
        stream, may_cut = stream + wire, not may_cut
    return items, stream


@settings(max_examples=600)
@given(st.integers(0, 2**64), st.integers(1, 40))
def test_each_card_once_and_in_order_or_a_gap(seed: int, size: int) -> None:
    items, stream = evening(Random(seed))
    link, out = hear(*[stream[i : i + size] for i in range(0, len(stream), size)])
    words = told(out + link.close(NOW))
    reached = {(0, False)}
    for word in words:
        if word == "GAP":
            reached = {(at, True) for at, _ in reached}
            continue
        reached = {
            (index + 1, False)
            for at, gap in reached
            for index in range(at, len(items) if gap else min(at + 1, len(items)))
            if items[index] == word
        }
        assert reached, f"{word} was not due: {items} told as {words}"
    assert any(gap or at == len(items) for at, gap in reached), f"{items} told as {words}"
