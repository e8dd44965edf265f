"""All entries of `legal()` in order, and the events that a round waits for."""

from collections.abc import Iterable
from typing import Final

import pytest

from dealer_flow.play.seen.legal import awaited
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import play

BETS: Final = {"ante": 1, "side": 2, "fee": 4, "progressive": 5}
"""Those before the deal in the small games, and their spots."""


def told(table: HandTable) -> list[str]:
    return [f"{item.actor}: {item.what} [{item.event} {item.place} {item.value}]" for item in table.flow.legal()]


def player(seat: int, what: str, number: int, event: str = "DecisionMade") -> str:
    return f"player at seat {seat}: {what} [{event} seat {seat} {number}]"


def bet(seat: int, name: str, spot: int, verb: str = "bet") -> str:
    return player(seat, f"{verb} {name}", spot, "WagerPlaced")


def acts(seat: int, what: str, cents: int) -> str:
    return player(seat, what, cents, "PlayerActed")


def counts(*places: str) -> list[str]:
    return [f"supervisor: count the cards at {place} [CardsCounted {place} 0]" for place in places]


def shows(what: str, place: str, cards: int = 0) -> str:
    return f"dealer: {what} [HandRevealed {place} {cards}]"


def pot(seat: int) -> str:
    return f"dealer: award a pot to seat {seat} [PotTaken seat {seat} 1]"


def done(step: str) -> str:
    return f"dealer: {step} is done [Confirmed  0]"


def first_place(what: str, *places: str) -> list[str]:
    numbers = [(place, 0 if place == "the dealer's" else int(place.removeprefix("seat "))) for place in places]
    return [
        f"dealer: select the place that {what}: {place} [SpotSelected {place if number else 'dealer'} {number}]"
        for place, number in numbers
    ]


def ruled(what: str, place: str) -> list[str]:
    """A supervisor was called to a place, and has not come."""
    return [
        f"supervisor: come at once: {what} [BadgeSwiped  0]",
        f"supervisor: rule a misdeal: {what} [MisdealCalled  0]",
        f"supervisor: rule that play continues: {what} [Confirmed {place} 0]",
    ]


START: Final = "dealer: START GAME [GameStarted  0]"
END: Final = "dealer: END GAME [GameEnded  1]"
MISDEAL: Final = "supervisor: call a misdeal [MisdealCalled  0]"
DUMP: Final = "shuffler: dump the remainder [RemainderDumped remainder 0]"
NUMBER: Final = "dealer: draw the number that says who gets the first cards [NumberDrawn  0]"
ALL_BETS: Final = [bet(seat, name, spot) for seat in (1, 2, 3, 4) for name, spot in BETS.items()]
PLACES: Final = first_place("gets the first cards", "the dealer's", "seat 1", "seat 2", "seat 3", "seat 4")

ONE: Final = "bets 1: ante 500 / start"
TWO: Final = "bets 1: ante 500 / bets 2: ante 500 / start"
HANDS: Final = f"{TWO} / packet seat 1: AH KH / packet seat 2: 2C 3C / packet dealer: 5D 6D"
THREE: Final = f"{ONE} / packet seat 1: AH KH QH / packet dealer: 5D 6D 7D / packet community: 9S TS JS"
RIDE: Final = "bets 1: ante 500, side 500 / start / packet seat 1: AH KH QH / packet community: 9S TS JS"
RIDDEN: Final = f"{RIDE} / burn community: 3 / choose 1: let-1"
TWO_SHOWN: Final = f"{RIDDEN} / show community: 9S / choose 1: let-2 / show community: 9S TS"
FIVE: Final = " / ".join(["packet next: ?? ?? ?? ?? ?? ?? ?? ??"] * 5)
NAMED: Final = f"{ONE} / packet hand 1: AH KH QH / packet hand 2: 2C 3C 4C"
DRAWS: Final = (
    f"{TWO} / packet seat 1: AH KH QH 2S 3S / packet seat 2: 2C 3C 4C 5C 6C / packet dealer: 7D 8D 9D TD 2D"
    " / choose 1: draw-2 / choose 2: stand"
)
EXPOSED: Final = (
    f"{TWO} / draw seat 1 AC AD 9H 2S | seat 2 KC KH 8C 7C / draw community KD"
    " / choose 1: one-more / choose 2: one-more"
)
RACE: Final = "bets 1: number-17 200 / start"
SIXTEEN: Final = f"{RACE} / draw 2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H 5H 2S 3S 4S 5S"
STAKES: Final = (
    "stakes 1: 20000, 2: 500, 3: 9000 / bets 1: small-blind 100 / bets 2: big-blind 200 / start at 3"
    " / draw seat 1 AH KH | seat 2 2C 3C | seat 3 4C 5C"
)
CHECKS: Final = "acts 1: check / acts 2: check / acts 3: check"
RIVER: Final = (
    f"{STAKES} / acts 3: call 200 / acts 1: call 200 / acts 2: check / burn-card 6C / draw community 7C 8C 9C"
    f" / {CHECKS} / burn-card 6D / draw community 7D / {CHECKS} / burn-card 6H / draw community 7H / {CHECKS}"
)
MUCKED: Final = "seat 1 shows the hand that was mucked: was it retrieved before it touched the discards?"
ITS_DEALER: Final = "dealer: a card is exposed, 5D"
EACH: Final = ("seat 1", "seat 2", "seat 3")

POSITIONS: Final[dict[str, tuple[str, str, list[str]]]] = {
    "no seat has bet yet": ("holdem", "", ALL_BETS),
    "bets are open": ("holdem", "bets 1: ante 500", [*ALL_BETS, START]),
    "the first packet is to come": (
        "holdem",
        ONE,
        ["shuffler: dispense packet 1 for seat 1 [PacketDispensed seat 1 1]", MISDEAL],
    ),
    "a packet lies in the tray": (
        "holdem",
        f"{ONE} / device PacketDispensed: deck 1; ordinal 1; expected 2; counted 2; cards",
        ["dealer: take packet 1 to seat 1 [PacketLifted seat 1 1]", MISDEAL],
    ),
    "both seats choose": (
        "holdem",
        HANDS,
        [
            *[player(seat, *choice) for seat in (1, 2) for choice in (("fold", 1), ("raise", 2))],
            *[bet(seat, "raise", 3) for seat in (1, 2)],
            *counts("seat 1", "seat 2", "dealer"),
            MISDEAL,
        ],
    ),
    "one seat has chosen": (
        "holdem",
        f"{HANDS} / choose 1: raise",
        [
            player(2, "fold", 1),
            player(2, "raise", 2),
            *[bet(seat, "raise", 3) for seat in (1, 2)],
            *counts("seat 1", "seat 2", "dealer"),
        ],
    ),
    "only seats with the bet choose": (
        "choices",
        "bets 1: ante 500 / bets 2: ante 500, side 100 / start / packet seat 1: AH KH QH / packet seat 2: 2C 3C 4C",
        [
            player(2, "keep", 1),
            player(2, "both", 2),
            bet(2, "raise", 3),
            bet(2, "second", 6),
            DUMP,
            *counts("seat 1", "seat 2"),
            MISDEAL,
        ],
    ),
    "a card is to be burned": (
        "holdem",
        f"{ONE} / packet seat 1: AH KH / packet dealer: 5D 6D / choose 1: raise",
        ["shuffler: dispense packet 3 for burn [PacketDispensed burn 3]", *counts("seat 1", "dealer")],
    ),
    "cards are dealt by hand": (
        "named",
        NAMED,
        [
            "dealer: deal by hand to seat 1 (1), seat 1 (1), then confirm [Confirmed  0]",
            DUMP,
            *counts("hand 1", "hand 2"),
            MISDEAL,
        ],
    ),
    "cards are dealt around the table by hand": (
        "named",
        NAMED.replace(ONE, TWO),
        [
            "dealer: deal by hand to seat 1 (1), seat 2 (1), 2 times around, then confirm [Confirmed  0]",
            DUMP,
            *counts("hand 1", "hand 2"),
            MISDEAL,
        ],
    ),
    "a hand of the house is shown first": (
        "named",
        f"{NAMED} / confirm",
        [shows("show right", "hand 2"), DUMP, *counts("hand 1", "hand 2", "seat 1"), MISDEAL],
    ),
    "the same, and what is left was counted": (
        "named",
        f"{NAMED} / confirm / dump",
        [shows("show right", "hand 2"), *counts("hand 1", "hand 2", "seat 1"), MISDEAL, END],
    ),
    "the players' own hands are shown last": (
        "named",
        f"{NAMED} / confirm / dump / show hand 2: 2C 3C 4C / show hand 1: AH KH QH",
        [shows("show seat 1", "seat 1"), *counts("hand 1", "hand 2", "seat 1"), MISDEAL, END],
    ),
    "a number is drawn before the deal": ("pai-gow", "bets 1: ante 500", [*ALL_BETS, NUMBER, *PLACES, START]),
    "a number was drawn": ("pai-gow", "bets 1: ante 500 / number 3", [*ALL_BETS, START]),
    "the deal waits for the number": ("pai-gow", ONE, [NUMBER, *PLACES, MISDEAL]),
    "every position has its cards": (
        "pai-gow",
        f"bets 1: ante 500 / start at 3 / {FIVE} / dump",
        [shows("show dealer", "dealer"), *counts("seat 3", "seat 2", "seat 1", "dealer", "seat 4"), MISDEAL, END],
    ),
    "hands lie in front of the tray": (
        "dice",
        f"{ONE} / {FIVE}",
        [NUMBER, *PLACES, DUMP, *counts("pile 1", "pile 2", "pile 3", "pile 4", "pile 5"), MISDEAL],
    ),
    "cards of a packet are burned": (
        "let-it-ride",
        RIDE,
        [
            "dealer: burn cards 3 from the left of the community packet [BurnConfirmed community 0]",
            DUMP,
            *counts("seat 1", "community"),
            MISDEAL,
        ],
    ),
    "a choice without a bet": (
        "let-it-ride",
        f"{RIDE} / burn community: 3",
        [player(1, "let-1", 1), player(1, "back-1", 2), DUMP, *counts("seat 1", "community"), MISDEAL],
    ),
    "a card is shown": (
        "let-it-ride",
        RIDDEN,
        [shows("show 1 card of community", "community", 1), DUMP, done("one"), *counts("seat 1", "community")],
    ),
    "END GAME waits for what is left": (
        "let-it-ride",
        TWO_SHOWN,
        [shows("show seat 1", "seat 1"), DUMP, *counts("seat 1", "community")],
    ),
    "what is left was counted": (
        "let-it-ride",
        f"{TWO_SHOWN} / dump",
        [shows("show seat 1", "seat 1"), *counts("seat 1", "community"), END],
    ),
    "a choice that need not be made": (
        "shows",
        f"{THREE} / show community: 9S",
        [
            player(1, "check", 1),
            player(1, "bet", 2),
            bet(1, "raise", 3),
            DUMP,
            done("choice"),
            *counts("seat 1", "dealer", "community"),
            MISDEAL,
        ],
    ),
    "all cards of a place are shown": (
        "shows",
        f"{THREE} / show community: 9S / choose 1: check",
        [shows("show community", "community"), DUMP, done("all"), *counts("seat 1", "dealer", "community")],
    ),
    "a seat exchanges cards": (
        "draw",
        DRAWS,
        ["shuffler: dispense packet 4 for seat 1 [PacketDispensed seat 1 4]", *counts("seat 1", "seat 2", "dealer")],
    ),
    "the house exchanges as many as it likes": (
        "draw",
        f"{DRAWS} / packet seat 1: JH TH",
        [
            "shuffler: dispense packet 5 for dealer [PacketDispensed dealer 5]",
            done("exchange"),
            *counts("seat 1", "seat 2", "dealer"),
        ],
    ),
    "a hand is turned up before its card": (
        "exposed",
        EXPOSED,
        [shows("turn up seat 1", "seat 1"), *counts("seat 1", "seat 2", "community")],
    ),
    "a hand that was turned up gets its card, unless it has won": (
        "exposed",
        f"{EXPOSED} / show seat 1: AC AD 9H 2S",
        [
            "dealer: draw a card for seat 1 [CardDrawn seat 1 10]",
            "dealer: has-won [DecisionMade seat 1 3]",
            *counts("seat 1", "seat 2", "community"),
        ],
    ),
    "the next hand is turned up": (
        "exposed",
        f"{EXPOSED} / show seat 1: AC AD 9H 2S / choose 1: has-won",
        [shows("turn up seat 2", "seat 2"), *counts("seat 1", "seat 2", "community")],
    ),
    "players act in turn": (
        "turns",
        f"{TWO} / draw seat 1 AC | seat 2 KC",
        [player(1, "go-on", 1), player(1, "more", 2), *counts("seat 1", "seat 2"), MISDEAL],
    ),
    "a supervisor is called": (
        "returns",
        f"{ONE} / packet seat 1: AH KH / packet dealer: 5D 6D / dump / mishap dealer: exposed 5D",
        [*ruled(ITS_DEALER, "dealer"), shows("show dealer", "dealer"), *counts("seat 1", "dealer")],
    ),
    "a supervisor has come, and is to rule": (
        "returns",
        f"{ONE} / packet seat 1: AH KH / packet dealer: 5D 6D / dump / mishap dealer: exposed 5D"
        " / controller BadgeSwiped: badge 7; level supervisor",
        [*ruled(ITS_DEALER, "dealer")[1:], shows("show dealer", "dealer"), *counts("seat 1", "dealer")],
    ),
    "hands are shown for the progressive alone": (
        "returns",
        "bets 1: ante 500, progressive 100 / bets 2: ante 500 / start / packet seat 1: AH KH / packet seat 2: 2C 3C"
        " / packet dealer should be 2: 5D / dump",
        [shows("show seat 1", "seat 1"), *counts("seat 1", "seat 2", "dealer"), END],
    ),
    "the round is void": ("returns", f"{ONE} / packet seat 1: AH KH / misdeal", [*counts("seat 1"), END]),
    "the first to act in a betting round": (
        "holdem.co",
        STAKES,
        [
            acts(3, "call $2", 200),
            acts(3, "raise to more than $2", 201),
            acts(3, "all-in with $90", 9000),
            acts(3, "fold", 0),
            *counts(*EACH),
            MISDEAL,
        ],
    ),
    "the big blind may check or raise": (
        "holdem.co",
        f"{STAKES} / acts 3: call 200 / acts 1: call 200",
        [
            acts(2, "check", 200),
            acts(2, "raise to more than $2", 201),
            acts(2, "all-in with $3", 500),
            acts(2, "fold", 200),
            *counts(*EACH),
        ],
    ),
    "one seat alone is left": (
        "holdem.co",
        f"{STAKES} / acts 3: fold / acts 1: fold",
        [pot(2), *counts(*EACH), MISDEAL, END],
    ),
    "hands are shown for the pot": (
        "holdem.co",
        RIVER,
        [
            *[entry for seat in (1, 2, 3) for entry in (acts(seat, "muck the hand", 0), pot(seat))],
            *[shows(f"show {place}", place) for place in EACH],
            *counts(*EACH, "community"),
            END,
        ],
    ),
    "a hand that was mucked lies open again": (
        "holdem.co",
        f"{RIVER} / acts 1: fold / show seat 1: AH KH",
        [
            *ruled(MUCKED, "seat 1"),
            acts(1, "leave the hand in the muck", 0),
            *[entry for seat in (2, 3) for entry in (acts(seat, "muck the hand", 0), pot(seat))],
            *[shows(f"show seat {seat}", f"seat {seat}") for seat in (2, 3)],
            *counts(*EACH, "community"),
        ],
    ),
    "a card is drawn into a column": (
        "race-to-the-flush",
        RACE,
        [
            "dealer: draw card 1 into its column [CardDrawn shoe 1]",
            "supervisor: count the cards left in the shoe [CardsCounted shoe 0]",
            MISDEAL,
        ],
    ),
    "a card was not read": (
        "race-to-the-flush",
        f"{RACE} / draw AH ??",
        [
            "supervisor: name card 2 [HandRevealed shoe 2]",
            "supervisor: count the cards left in the shoe [CardsCounted shoe 0]",
            MISDEAL,
        ],
    ),
    "money may be moved": (
        "race-to-the-flush",
        SIXTEEN,
        [
            *[
                bet(1, f"switch-{suit}", spot, "move to")
                for spot, suit in enumerate(("clubs", "diamonds", "hearts", "spades"), 41)
            ],
            "supervisor: count the cards left in the shoe [CardsCounted shoe 0]",
            MISDEAL,
            END,
        ],
    ),
}


@pytest.mark.parametrize("name", POSITIONS)
def test_all_that_may_happen_next(name: str) -> None:
    game, lines, expected = POSITIONS[name]
    table = play(game, lines) if lines else HandTable(play(game, "bets 1: ante 0").procedure)
    assert told(table) == expected


def waits_for(table: HandTable) -> Iterable[str]:
    return [f"{item.event} {item.place}".strip() for item in awaited(table.flow.state, table.flow.legal())]


AWAITED: Final = {
    "bets are open": [],
    "a packet lies in the tray": ["PacketLifted seat 1"],
    "one seat has chosen": ["DecisionMade seat 2", "DecisionMade seat 2"],
    "cards are dealt by hand": ["Confirmed", "RemainderDumped remainder"],
    "the same, and what is left was counted": ["HandRevealed hand 2"],
    "a supervisor is called": ["BadgeSwiped", "Confirmed dealer", "HandRevealed dealer"],
    "a hand that was turned up gets its card, unless it has won": ["CardDrawn seat 1"],
    "the round is void": ["GameEnded"],
    "the first to act in a betting round": ["PlayerActed seat 3"] * 4,
    "one seat alone is left": ["GameEnded"],
    "hands are shown for the pot": ["HandRevealed seat 1", "HandRevealed seat 2", "HandRevealed seat 3"],
    "money may be moved": ["GameEnded"],
}
"""State -> the reports without which the round does not continue: neither bets nor calls, and END GAME if nothing else
is."""


@pytest.mark.parametrize("name", AWAITED)
def test_what_the_round_waits_for(name: str) -> None:
    game, lines, _ = POSITIONS[name]
    assert waits_for(play(game, lines)) == AWAITED[name]
