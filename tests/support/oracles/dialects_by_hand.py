"""Writes the vectors of the two shoe dialects from tables typed by hand, without any code of the packages under test.

    python -m tests.support.oracles.dialects_by_hand

Angel Eye frames are written out byte by byte, checks included; a few checks are worked out here by a loop of their own
and compared with the typed ones. Bee-Tek text is text.
"""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[3] / "docs" / "dialects"
ANGEL_EYE = HERE / "angel-eye-vectors.json"
BEE_TEK = HERE / "bee-tek-vectors.json"

# name, wire, meaning. Check digits are at the end: 53 ^ 30 ^ 03 = 60 for the first one.
REPORTS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("S start of communication", "05 30 53 03 36 30", "Started", {}),
    ("P standby", "05 31 50 03 36 32", "StandingBy", {}),
    (
        "D player 1, eight of spades",
        "05 31 44 81 B8 03 34 46",
        "CardDrawn",
        {"destination": 0, "ordinal": 1, "card": "8S"},
    ),
    (
        "D banker 3, ace of diamonds",
        "05 32 44 93 91 03 37 37",
        "CardDrawn",
        {"destination": 1, "ordinal": 3, "card": "AD"},
    ),
    (
        "D burn 15, king of clubs",
        "05 39 44 AF AD 03 37 43",
        "CardDrawn",
        {"destination": 2, "ordinal": 15, "card": "KC"},
    ),
    (
        "D first card, ten of hearts",
        "05 41 44 C0 CA 03 30 43",
        "CardDrawn",
        {"destination": 4, "ordinal": 0, "card": "TH"},
    ),
    (
        "D burn count 10, no card",
        "05 42 44 DA 80 03 35 46",
        "CardDrawn",
        {"destination": 5, "ordinal": 10, "card": "--"},
    ),
    ("D player 2, not read", "05 43 44 82 80 03 30 36", "CardDrawn", {"destination": 0, "ordinal": 2, "card": "--"}),
    (
        "D player 2, suit without rank",
        "05 44 44 82 B0 03 33 31",
        "CardDrawn",
        {"destination": 0, "ordinal": 2, "card": "??"},
    ),
    (
        "D destination 3, not known",
        "05 45 44 B1 91 03 32 32",
        "CardDrawn",
        {"destination": 3, "ordinal": 1, "card": "AD"},
    ),
    (
        "R player 1 again",
        "05 32 52 81 B8 03 35 41",
        "CardReportedAgain",
        {"destination": 0, "ordinal": 1, "card": "8S"},
    ),
    ("d while locked", "05 33 64 80 9D 03 34 39", "CardDrawnOutside", {"mode": 0, "ordinal": 0, "card": "KD"}),
    ("d in error mode", "05 34 64 90 A1 03 36 32", "CardDrawnOutside", {"mode": 1, "ordinal": 0, "card": "AC"}),
    (
        "d in setting mode, not read",
        "05 35 64 A0 80 03 37 32",
        "CardDrawnOutside",
        {"mode": 2, "ordinal": 0, "card": "--"},
    ),
    ("C cut card", "05 33 43 03 37 33", "CutCardDrawn", {}),
    (
        "G player, player pair",
        "05 32 47 91 03 45 37",
        "GameResult",
        {"winner": 1, "player_pair": True, "banker_pair": False},
    ),
    (
        "G tie, both pairs",
        "05 36 47 A3 03 44 31",
        "GameResult",
        {"winner": 2, "player_pair": True, "banker_pair": True},
    ),
    ("G banker", "05 37 47 C0 03 42 33", "GameResult", {"winner": 4, "player_pair": False, "banker_pair": False}),
    ("G forced end", "05 38 47 F0 03 38 43", "GameResult", {"winner": 7, "player_pair": False, "banker_pair": False}),
    ("E cannot read, error mode", "05 34 45 C1 03 42 33", "ErrorRaised", {"error_mode": True, "trouble": 1}),
    ("E overdraw, no error mode", "05 35 45 82 03 46 31", "ErrorRaised", {"error_mode": False, "trouble": 2}),
    ("E number 63, not known", "05 36 45 FF 03 38 46", "ErrorRaised", {"error_mode": True, "trouble": 63}),
    ("e pushed back is over", "05 37 65 84 03 44 35", "ErrorCleared", {"trouble": 4}),
    ("L locked", "05 35 4C 81 03 46 42", "LockMoved", {"locked": True}),
    ("L unlocked", "05 46 4C 80 03 38 39", "LockMoved", {"locked": False}),
    (
        "M setting 01 is 0008",
        "05 39 4D 30 31 30 30 30 38 03 37 45",
        "SettingChanged",
        {"address": "01", "value": "0008"},
    ),
    ("X, not known", "05 7E 58 FE 03 44 42", "UnknownReport", {"letter": "X", "data": "fe"}),
]
ANSWERS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("ACK", "06", "Acknowledged", {}),
    ("NAK line error", "15 01", "Rejected", {"reason": 0x01}),
    ("NAK check error", "15 02", "Rejected", {"reason": 0x02}),
    ("NAK no ETX", "15 03", "Rejected", {"reason": 0x03}),
    ("NAK length", "15 11", "Rejected", {"reason": 0x11}),
    ("NAK address", "15 12", "Rejected", {"reason": 0x12}),
    ("NAK command", "15 13", "Rejected", {"reason": 0x13}),
    ("NAK type", "15 14", "Rejected", {"reason": 0x14}),
    ("NAK busy", "15 21", "Rejected", {"reason": 0x21}),
    ("NAK writing", "15 22", "Rejected", {"reason": 0x22}),
    ("NAK other", "15 FF", "Rejected", {"reason": 0xFF}),
    ("an answer in words", "02 4F 4B 03 30 37", "Text", {"text": "OK"}),
]
COMMANDS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("lock, the maker's printed example", "02 4F 50 4C 4B 30 32 03 31 42", "Lock", {"locked": True}),
    ("unlock", "02 4F 50 4C 4B 30 31 03 31 38", "Lock", {"locked": False}),
    ("clear error 04", "02 4F 50 45 43 30 34 03 31 43", "ClearError", {"trouble": 4}),
    ("where is the game", "02 4F 50 47 50 30 30 03 30 39", "AskGame", {}),
]
TAKEN: list[tuple[str, str, str, dict[str, Any]]] = [
    (
        "lock with the check of the prose, start byte left out",
        "02 4F 50 4C 4B 30 32 03 31 39",
        "Lock",
        {"locked": True},
    ),
]

P, CARD = "05 31 50 03 36 32", "05 31 44 81 B8 03 34 46"
ANGEL_STREAMS: list[tuple[str, list[tuple[str, str]], str]] = [
    ("nothing", [], ""),
    ("two reports", [("frame", P), ("frame", CARD)], ""),
    ("three times the same", [("frame", CARD)] * 3, ""),
    ("text before the first report", [("between frames", "62 6F 6F 74 0D 0A"), ("frame", P)], ""),
    ("wrong check digit", [("bad check", "05 31 44 81 B8 03 34 45"), ("frame", P)], ""),
    ("check in lower case", [("bad check", "05 31 44 81 B8 03 34"), ("between frames", "66"), ("frame", P)], ""),
    ("check with the start byte taken in", [("bad check", "05 31 50 03 36 37"), ("frame", P)], ""),
    ("cut off by the next report", [("cut off by the next control byte", "05 31 44 81"), ("frame", CARD)], ""),
    ("cut off before its check", [("bad check", "05 31 44 81 B8 03"), ("frame", CARD)], ""),
    ("cut off within its check", [("bad check", "05 31 44 81 B8 03 34"), ("frame", CARD)], ""),
    (
        "a line end inside",
        [
            ("cut off by the next control byte", "05 31 44"),
            ("between frames", "0A 81 B8"),
            ("between frames", "03 34 46"),
            ("frame", P),
        ],
        "",
    ),
    ("no letter", [("too short", "05 31 03 33 32"), ("frame", P)], ""),
    ("sequence that does not print", [("too short", "05 80 50 03 44 33"), ("frame", P)], ""),
    ("62 bytes without an end", [("too long", "05" + " 41" * 61), ("between frames", "41 41"), ("frame", P)], ""),
    ("NAK without a reason that is known", [("unknown reason", "15"), ("frame", P)], ""),
    ("ACK between two reports", [("frame", P), ("frame", "06"), ("frame", CARD)], ""),
    ("still coming", [("frame", P)], "05 31 44 81 B8 03 34"),
    ("a NAK still coming", [("frame", P)], "15"),
]
ANGEL_BAD: list[tuple[str, str]] = [
    ("D with one byte", "05 31 44 81 03 46 37"),
    ("D without top bits", "05 31 44 41 38 03 30 46"),
    ("D with suit 5", "05 31 44 81 D1 03 32 36"),
    ("D with rank 14", "05 31 44 81 9E 03 36 39"),
    ("P with data", "05 31 50 80 03 45 32"),
    ("G without data", "05 31 47 03 37 35"),
    ("M with five characters", "05 31 4D 30 31 30 30 30 03 34 45"),
    ("an operation not known", "02 4F 50 5A 5A 30 30 03 31 45"),
]

ITEMS: list[tuple[str, str, str, str, dict[str, Any]]] = [
    ("four of spades", " [Game]<Card:4S> ", "CardDrawn", "Game", {"card": "4S"}),
    ("ten as T", " [Game]<Card:TH> ", "CardDrawn", "Game", {"card": "TH"}),
    ("manual burn", " [Manual Burn Cards]<Card:AC> ", "CardDrawn", "Manual Burn Cards", {"card": "AC"}),
    ("not read", " [Game]<Game> ", "CardNotRead", "Game", {}),
    ("not read while burning", " [Manual Burn Cards]<Game> ", "CardNotRead", "Manual Burn Cards", {}),
    ("alarm", " [GameAlarm]<Alarm:E3 Card Not Read> ", "Alarm", "GameAlarm", {"code": "E3", "words": "Card Not Read"}),
    ("alarm in a game", " [Game]<Alarm:E12 Door> ", "Alarm", "Game", {"code": "E12", "words": "Door"}),
    ("warning", "<W0x01>", "Warned", "", {"code": 1}),
    ("warning, two digits", "<W0xAB>", "Warned", "", {"code": 171}),
    ("an item not known", " [Game]<Shoe Empty> ", "UnknownItem", "Game", {"item": "Shoe Empty"}),
]
ITEMS_TAKEN: list[tuple[str, str, str, str, dict[str, Any]]] = [
    ("ten as 10", " [Game]<Card:10H> ", "CardDrawn", "Game", {"card": "TH"}),
    ("lower case", " [game]<card:qd> ", "CardDrawn", "game", {"card": "QD"}),
    ("empty item", " [Game]<> ", "CardNotRead", "Game", {}),
    ("empty card", " [Game]<Card:> ", "CardNotRead", "Game", {}),
    ("alarm without a code", " [Game]<Alarm:Card Not Read> ", "Alarm", "Game", {"code": "", "words": "Card Not Read"}),
    ("alarm without words", " [Game]<Alarm:E3> ", "Alarm", "Game", {"code": "E3", "words": ""}),
    ("alarm without anything", " [Game]<Alarm:> ", "Alarm", "Game", {"code": "", "words": ""}),
    ("alarm that begins with a sign", " [Game]<Alarm:! E3> ", "Alarm", "Game", {"code": "", "words": "! E3"}),
    ("alarm whose code runs on", " [Game]<Alarm:E3x> ", "Alarm", "Game", {"code": "", "words": "E3x"}),
    ("warning in a mode", " [Game]<W0x1f> ", "Warned", "Game", {"code": 31}),
]
BEE_STREAMS: list[tuple[str, list[tuple[str, str]], str]] = [
    ("nothing", [], ""),
    ("blanks", [("blank", "  \r\n ")], ""),
    (
        "two items",
        [("blank", " "), ("frame", "[Game]<Card:4S>"), ("blank", "  "), ("frame", "[Game]<Card:5H>"), ("blank", " ")],
        "",
    ),
    ("no blanks", [("frame", "[Game]<Card:4S>"), ("frame", "[Game]<Card:5H>")], ""),
    (
        "order of alarm and card",
        [("frame", "[Game]<Game>"), ("frame", "[GameAlarm]<Alarm:E3 Card Not Read>"), ("frame", "[Game]<Card:5H>")],
        "",
    ),
    (
        "head lost",
        [("between items", "ame]"), ("frame", "<Card:4S>"), ("blank", " "), ("frame", "[Game]<Card:5H>")],
        "",
    ),
    ("tail lost", [("cut off or malformed", "[Game]<Card:4"), ("frame", "[Game]<Card:5H>")], ""),
    ("cut off in its mode", [("cut off or malformed", "[Ga"), ("frame", "[Game]<Card:5H>")], ""),
    ("mode closed twice", [("cut off or malformed", "[Game]"), ("between items", "]"), ("frame", "<Card:5H>")], ""),
    ("item closed by the wrong bracket", [("cut off or malformed", "[Game]<Card:5H]"), ("blank", " ")], ""),
    ("mode without an item", [("cut off or malformed", "[Game]"), ("blank", " "), ("frame", "[Game]<Game>")], ""),
    ("no mode", [("cut off or malformed", "[]"), ("frame", "<Card:5H>")], ""),
    ("mode too long", [("too long", "[" + "M" * 32), ("between items", "M]"), ("frame", "<Card:5H>")], ""),
    ("item too long", [("too long", "<" + "i" * 80), ("between items", "i>"), ("frame", "[Game]<Game>")], ""),
    ("a line end inside", [("cut off or malformed", "[Game]<Card:"), ("blank", "\n"), ("between items", "5H>")], ""),
    ("still coming", [("frame", "[Game]<Card:4S>"), ("blank", " ")], "[Game]<Card:1"),
]
BEE_BAD: list[tuple[str, str]] = [
    ("a card without its mode", "<Card:4S>"),
    ("rank 1", "[Game]<Card:1S>"),
    ("no suit", "[Game]<Card:10>"),
    ("suit first", "[Game]<Card:H3>"),
    ("two cards run together", "[Game]<Card:4S5H>"),
]


def digits(data: bytes) -> str:
    """Return two hexadecimal digits of the XOR, by counting bits."""
    value = 0
    for bit in range(8):
        if sum(byte >> bit & 1 for byte in data) % 2:
            value += 1 << bit
    return f"{value:02X}"


def verify(wire: str, with_start: bool) -> None:
    data = bytes.fromhex(wire)
    if len(data) > 2:
        assert data[-3] == 3
        typed, found = data[-2:].decode(), digits(data[0 if with_start else 1 : -2])
        assert found == typed, f"{wire}: {found}"


def pieces_of(pieces: list[tuple[str, bytes]], pending: bytes) -> dict[str, Any]:
    listed, offset = [], 0
    for reading, data in pieces:
        listed.append({"offset": offset, "length": len(data), "reading": reading})
        offset += len(data)
    data = b"".join(data for _, data in pieces) + pending
    return {"wire": data.hex(), "pieces": listed, "pending": len(pending)}


def angel_eye() -> dict[str, Any]:
    for rows, with_start in ((REPORTS, False), (ANSWERS, False), (COMMANDS, True), (TAKEN, False)):
        for _, wire, _, _ in rows:
            verify(wire, with_start)
    for _, wire in ANGEL_BAD:
        verify(wire, wire.startswith("02"))

    def row(name: str, wire: str, message: str, fields: dict[str, Any], sends: bool) -> dict[str, Any]:
        return {"name": name, "wire": bytes.fromhex(wire).hex(), "message": message, "fields": fields, "sends": sends}

    sent = [row(*case, True) for case in (*REPORTS, *ANSWERS, *COMMANDS)]
    sent = [{**case, "sends": case["message"] != "Text" and case["fields"].get("card") != "??"} for case in sent]
    streams = [
        {"name": name, **pieces_of([(r, bytes.fromhex(w)) for r, w in pieces], bytes.fromhex(pending))}
        for name, pieces, pending in ANGEL_STREAMS
    ]
    return {
        "dialect": "angel-eye",
        "about": "From public code; never met on hardware. Hex throughout. `sends`: this project writes it this way; "
        "otherwise it is taken when read. See angel-eye.md.",
        "frames": sent + [row(*case, False) for case in TAKEN],
        "streams": streams,
        "bad_reports": [{"name": name, "wire": bytes.fromhex(wire).hex()} for name, wire in ANGEL_BAD],
    }


def bee_tek() -> dict[str, Any]:
    def row(name: str, text: str, message: str, mode: str, fields: dict[str, Any], sends: bool) -> dict[str, Any]:
        return {"name": name, "text": text, "message": message, "mode": mode, "fields": fields, "sends": sends}

    streams = [
        {"name": name, **pieces_of([(r, t.encode()) for r, t in pieces], pending.encode())}
        for name, pieces, pending in BEE_STREAMS
    ]
    return {
        "dialect": "bee-tek",
        "about": "From public code; never met on hardware. `sends`: this project writes it this way; otherwise it is "
        "taken when read. Streams are hex. See bee-tek.md.",
        "items": [row(*case, True) for case in ITEMS] + [row(*case, False) for case in ITEMS_TAKEN],
        "streams": streams,
        "bad_reports": [{"name": name, "text": text} for name, text in BEE_BAD],
    }


def render(document: dict[str, Any]) -> str:
    """Return the document with one vector a line."""
    lines = []
    for key, value in document.items():
        if isinstance(value, list):
            rows = ",\n".join("  " + json.dumps(row) for row in value)
            lines.append(f"{json.dumps(key)}: [\n{rows}\n ]")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{\n " + ",\n ".join(lines) + "\n}\n"


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    ANGEL_EYE.write_text(render(angel_eye()), encoding="ascii")
    BEE_TEK.write_text(render(bee_tek()), encoding="ascii")
