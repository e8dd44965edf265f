"""Rounds as they are published, key by key and whole, as `docs/round-result.md` explains each."""

import json
from typing import Any, Final

import pytest

from tests.support.dealing.plays import play

LEFT: Final = {"top": "left"}
RACE: Final = {
    "decks-in-shoe": "1",
    "seventeenth-card": "when-bet",
    "unread-card-named-by": "supervisor",
    "overdraw": "note",
    "after-cut-card": "finish-race",
}


def packets(*each: tuple[str, int, int]) -> list[dict[str, Any]]:
    """To whom each packet went, how many cards were due, and how many it had."""
    return [
        {"ordinal": ordinal, "to": to, "expected": expected, "counted": counted}
        for ordinal, (to, expected, counted) in enumerate(each, 1)
    ]


def a_round(**keys: Any) -> dict[str, Any]:
    """Return the keys that every round has, with these added or replaced."""
    return {
        "schema": "dealwire.round/2",
        "type": "round",
        "table": "table-1",
        "session": "a1b2c3d4",
        "round": 1,
        "options": LEFT,
        "outcome": "complete",
        "deck": {"deck": 1, "loaded": 52},
        "packets": [],
        "community": [],
        "burned": [],
        "burn": None,
        "dealer": None,
        "remainder": None,
        "rejected": 0,
        "incidents": [],
    } | keys


def hand(cards: str, counted: int | None, expected: int, **keys: Any) -> dict[str, Any]:
    return {"cards": cards.split(), "counted": counted, "expected": expected} | keys


def a_seat(number: int, status: str, *cards: Any, decision: str | None = None, **keys: Any) -> dict[str, Any]:
    return {"seat": number, "status": status, "decision": decision} | hand(*cards) | keys


def left(cards: int) -> dict[str, int]:
    return {"counted": cards, "expected": cards}


def stage(step: str, place: str, cards: str) -> dict[str, Any]:
    return {"step": step, "place": place, "cards": cards.split()}


def found(device: str, event: int, /, **facts: Any) -> dict[str, Any]:
    """An incident by this report of a line."""
    return {"events": [{"device": device, "number": event}]} | facts


HOLDEM: Final = (
    "bets 1: ante 500, side 100 / bets 2: ante 500, fee 50 / start / packet seat 1: AH KH / packet seat 2: 2C 3C"
    " / packet dealer: 5D 6D / choose 1: fold / choose 2: raise, raise 700 / packet burn: 2S"
    " / packet community: 9S TS JS / choose 2: all-in / packet community: QS / dump"
    " / show dealer: 5D 6D / show community: 9S TS JS QS / show seat 2: 2C 3C"
)
STUD: Final = (
    "bets 1: ante 500, side 100 / bets 2: ante 500, progressive 100 / start"
    " / device ShoeLoaded: shoe 3; decks 1; cards 52 / draw seat 1 AH KH QH | seat 2 2C 3C 4C | dealer 5D 6D 7D"
    " / choose 1: fold / choose 2: play / draw seat 2 5C | dealer 8D / count seat 2: 5"
    " / show dealer: 5D 6D 7D 8D / show seat 2: 2C 3C 4C 5C"
)
DRAWN: Final = (
    "bets 1: red 500 / bets 2: number-17 200 / start / draw 2C 3C ??"
    " / controller BadgeSwiped: badge 77; level supervisor / controller HandRevealed: place shoe; cards 4C; keyed true"
    " / draw 5C 2D 3D 4D 5D 2H 3H 4H 5H 2S 3S 4S 5S / bets 2: switch-hearts 200 / draw 9H TH"
)
EXCHANGED: Final = (
    "bets 1: ante 500 / start / packet seat 1: AH KH QH 2S 3S / packet dealer: 7D 8D 9D TD 2D / choose 1: draw-2"
    " / lay away seat 1: 2S 3S / packet seat 1: JH TH / confirm / dump"
    " / show dealer: 7D 8D 9D TD 2D / show seat 1: AH KH QH JH TH"
)
RIDDEN: Final = (
    "bets 1: ante 500, side 500 / start / packet seat 1 reading: AH KH QH / packet community reading: 9S TS JS"
    " / burn community: 3 / choose 1: back-1 / bets 1: side 0 / show community: 9S / choose 1: let-2"
    " / show community: 9S TS / dump / show seat 1: AH KH QH"
)
SHORT: Final = "bets 1: ante 500, side 100 / start / packet hand 1: AH KH QH / packet hand 2: 2C 3C / confirm / dump"

ROUNDS: Final[dict[str, tuple[str, str, dict[str, Any]]]] = {
    "packets, a fold, and two choices": (
        "holdem",
        HOLDEM,
        a_round(
            packets=packets(
                ("seat 1", 2, 2),
                ("seat 2", 2, 2),
                ("dealer", 2, 2),
                ("burn", 1, 1),
                ("community", 3, 3),
                ("community", 1, 1),
            ),
            community=["9S", "TS", "JS", "QS"],
            burned=["??"],
            seats=[
                a_seat(
                    1, "folded", "?? ??", 2, 2,
                    decision="fold", choices={"before-flop": "fold"}, wagers={"ante": 500, "side": 100},
                ),
                a_seat(
                    2, "live", "2C 3C", 2, 2,
                    decision="all-in",
                    decisions=["raise", "all-in"],
                    choices={"before-flop": "raise", "before-turn": "all-in"},
                    wagers={"ante": 500, "fee": 50, "raise": 700},
                ),
            ],
            dealer=hand("5D 6D", 2, 2),
            remainder=left(41),
        ),
    ),
    "single cards, a dead hand, and what lay there before": (
        "stud",
        STUD,
        a_round(
            deck={"deck": 0, "loaded": None},
            seats=[
                a_seat(1, "folded", "?? ?? ??", 3, 3, decision="fold", wagers={"ante": 500, "side": 100}),
                a_seat(
                    2, "dead", "2C 3C 4C 5C", 5, 4,
                    decision="play",
                    wagers={"ante": 500, "progressive": 100},
                    returned={"ante": 500, "progressive": 100},
                ),
            ],
            dealer=hand("5D 6D 7D 8D", 4, 4),
            stages=[
                stage("hands", "seat 1", "AH KH QH"),
                stage("hands", "seat 2", "2C 3C 4C"),
                stage("hands", "dealer", "5D 6D 7D"),
            ],
            incidents=[
                found(
                    "controller-1", 8,
                    code="counts-differ", clause="S", reason="person", place="seat 2", counted=5, expected=4,
                    text="seat 2: a person counts 5 cards, the count before was 4",
                ),
                found(
                    "controller-1", 8,
                    code="seat-count-wrong", clause="S wrong 1", place="seat 2", counted=5, expected=4,
                    text="seat 2 has 5 cards, not 4",
                ),
            ],
            shoe={"id": 3, "loaded": 52, "drawn": 11, "left": 41},
        ),
    ),
    "cards drawn into columns": (
        "race-to-the-flush",
        DRAWN,
        a_round(
            options=RACE,
            deck={"deck": 0, "loaded": None},
            seats=[
                a_seat(1, "live", "", None, 0, wagers={"red": 500}),
                a_seat(2, "live", "", None, 0, wagers={"switch-hearts": 200}),
            ],
            incidents=[
                found(
                    "device-1", 4,
                    code="card-unread", clause="procedure", place="shoe", number=3, text="card 3 was not read",
                ),
                found(
                    "controller-1", 5,
                    code="card-named", clause="procedure", cards=["4C"], number=3, badge=77, level="supervisor",
                    text="card 3 is named 4C by badge 77 (supervisor)",
                ),
                found(
                    "device-1", 19,
                    code="card-overdrawn", clause="procedure", place="shoe", cards=["TH"], number=18,
                    text="TH is drawn as card 18, after the race was decided",
                ),
            ],
            draw={
                "cards": [f"{rank}{suit}" for suit in "CDHS" for rank in (2, 3, 4, 5)] + ["9H"],
                "columns": {
                    "clubs": ["2C", "3C", "4C", "5C"],
                    "diamonds": ["2D", "3D", "4D", "5D"],
                    "hearts": ["2H", "3H", "4H", "5H", "9H"],
                    "spades": ["2S", "3S", "4S", "5S"],
                },
                "finish": {"cards": 17, "column": "hearts"},
                "extra": "9H",
                "overdrawn": ["TH"],
                "named": [{"position": 3, "card": "4C", "badge": 77, "level": "supervisor"}],
            },
            shoe={"id": 1, "loaded": 52, "drawn": 18, "left": 34},
        ),
    ),
    "cards exchanged": (
        "draw",
        EXCHANGED,
        a_round(
            packets=packets(("seat 1", 5, 5), ("dealer", 5, 5), ("seat 1", 2, 2)),
            seats=[
                a_seat(
                    1, "live", "AH KH QH JH TH", 5, 5,
                    decision="draw-2", discards=["2S", "3S"], wagers={"ante": 500},
                )
            ],
            dealer=hand("7D 8D 9D TD 2D", 5, 5),
            remainder=left(40),
        ),
    ),
    "a packet of which a card is burned, shown card by card": (
        "let-it-ride",
        RIDDEN,
        a_round(
            packets=packets(("seat 1", 3, 3), ("community", 3, 3)),
            community=["9S", "TS"],
            burned=["JS"],
            burn={"of": "community", "positions": [3], "spread": "left-to-right"},
            seats=[
                a_seat(
                    1, "live", "AH KH QH", 3, 3,
                    decision="let-2",
                    decisions=["back-1", "let-2"],
                    choices={"first": "back-1", "second": "let-2"},
                    wagers={"ante": 500},
                )
            ],
            stages=[stage("hands", "community", "9S TS JS"), stage("one", "community", "9S ??")],
            remainder=left(46),
        ),
    ),
    "a hand of the game that is short": (
        "named",
        SHORT,
        a_round(
            outcome="misdeal",
            packets=packets(("hand 1", 3, 3), ("hand 2", 3, 2)),
            seats=[
                a_seat(
                    1, "live", "", None, 2,
                    wagers={"ante": 500, "side": 100}, returned={"ante": 500, "side": 100},
                )
            ],
            hands=[
                {"name": "left", "place": "hand 1", "status": "live"} | hand("?? ?? ??", 3, 3),
                {"name": "right", "place": "hand 2", "status": "live"} | hand("?? ??", 2, 3),
            ],
            remainder=left(47),
            incidents=[
                found(
                    "device-1", 5,
                    code="hand-count-wrong", clause="S wrong 1", place="hand 2", counted=2, expected=3,
                    text="hand 2 has 2 cards, not 3",
                )
            ],
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROUNDS)
def test_a_round_is_published_whole(name: str) -> None:
    game, lines, expected = ROUNDS[name]
    table = play(game, lines)
    told = json.loads(table.end().to_json())
    assert told.pop("procedure")["id"] == table.procedure.id
    printed = "race-to-the-flush" if game == "race-to-the-flush" else None  # the small games are of no jurisdiction
    assert told.pop("edition", {}).get("id") == printed
    assert told == expected


def test_the_packets_of_a_round_lifted_in_the_tray_and_to_come() -> None:
    """Number, to whom, how many are due and were counted, and whether it was lifted; if every seat plays on."""
    table = play("holdem", "bets 1: ante 500 / bets 2: ante 500 / start / packet seat 1: AH KH")
    told = [tuple(getattr(row, name) for name in PACKET) for row in table.flow.snapshot().packets]
    to_come = [("burn", 1, None), ("community", 3, None), ("community", 1, None)]
    assert told == [
        (1, "seat 1", 2, 2, True),
        (2, "seat 2", 2, None, False),
        (3, "dealer", 2, None, False),
        *[(number, *row, False) for number, row in enumerate(to_come, 4)],
    ]
    table.dispense("2C 3C 4C", expected=2)
    told = [tuple(getattr(row, name) for name in PACKET) for row in table.flow.snapshot().packets]
    assert told[:3] == [(1, "seat 1", 2, 2, True), (2, "seat 2", 2, 3, False), (3, "dealer", 2, None, False)]
    assert play("stud", "bets 1: ante 500 / start").flow.snapshot().packets == ()
    before = play("holdem", "bets 1: ante 500").flow.snapshot().packets
    assert before == ()
    early = play("holdem", "bets 1: ante 500 / device PacketDispensed: deck 1; ordinal 1; expected 2; counted 2; cards")
    assert [tuple(getattr(row, name) for name in PACKET) for row in early.flow.snapshot().packets] == [
        (1, "nowhere", None, 2, False)
    ]


PACKET: Final = ("ordinal", "to", "expected", "counted", "lifted")


def test_a_table_at_one_moment() -> None:
    """Let It Ride: a card was burned, another lies open, and a seat that did not enter was not dealt in."""
    table = play("let-it-ride", "bets 1: ante 500, side 500 / bets 3: side 100 / start")
    table.play("packet seat 1 reading: AH KH QH\npacket community reading: 9S TS JS")
    table.play("burn community: 3\nchoose 1: let-1\nshow community: 9S")
    now = table.flow.snapshot()
    assert (now.state.value, now.number, now.in_play, now.deck, now.remainder) == ("deciding", 1, True, 1, None)
    told = [
        (row.number, row.status, dict(row.wagers), row.decision, row.hand and (row.hand.counted, row.hand.expected))
        for row in now.seats
    ]
    assert told == [
        (1, "live", {"ante": 500, "side": 500}, "let-1", (3, 3)),
        (3, "out", {"side": 100}, None, None),
    ]
    assert now.community is not None
    board = now.community
    spelled = [[card.text for card in cards] for cards in (board.cards, board.burned)]
    assert (spelled, board.counted, board.expected, board.place) == ([["9S", "??"], ["??"]], 3, 3, "community")
    assert (now.dealer, now.hands, now.columns, now.burned, now.won, now.betting) == (None, (), (), (), None, None)
    assert sorted(card.text for card in now.unshown) == ["AH", "JS", "KH", "QH", "TS"]
