"""Rounds line by line: the result of each bet, its full sentence, and every clause once."""

from typing import Any

from msgspec.structs import replace

from dealer_flow.record.result import Drawn, Finish, Remainder
from rules import Meter, Settlement, settle
from rules.settlement import HouseRake, Rolled
from tests.rules import test_settle_doubts as doubts
from tests.rules.test_settle_pots_without_raises import BOAT, ONE_PAIR, OTHER, PAIR, QUADS, THREE, TWIN, TWO_PAIR, bets
from tests.rules.test_settle_pots_without_raises import joker_seat as joker
from tests.support.dealing import flushes, races
from tests.support.dealing.written_rounds import seat_of, settled
from tests.support.reading.each import of_each
from tests.support.reading.paper import Paper

HALF = {"high-hand-share": "50"}


def told(settlement: Settlement) -> list[str]:
    """Return `seat bet result stake net: why [clauses]` for each line, then each pot."""
    lines = [
        f"{line.seat} {line.bet} {line.result} {line.stake} {line.net:+}: {line.why} "
        f"[{', '.join(dict.fromkeys(line.clause.split(', ')))}]"
        for line in settlement.lines
    ]
    for pot in settlement.pots:
        won = ", ".join(f"{each.seat} {each.cents} {each.won_with}" for each in pot.winners)
        taken = f" less {pot.rake} and {pot.jackpot_rake}" if pot.rake or pot.jackpot_rake else ""
        lines.append(f"{pot.name} {pot.cents}{taken} of {pot.contenders}: {pot.held or won}")
    return lines


def by_joker(*seats: Any, **more: Any) -> Settlement:
    return settled("joker.co", seats, **more)


def trips(*seats: Any, pot: Meter | int | None = 0, readings: dict[str, str] | None = None, **more: Any) -> Settlement:
    terms = {"readings": HALF | (readings or {}), "meters": {} if pot is None else {"pot": pot}} | more.pop("terms", {})
    return settled("trips.co", seats, terms=terms, **more)


def eighty_eight(*seats: Any, **more: Any) -> Settlement:
    return settled("eighty-eight.co", seats, more.pop("board", "KS 9D 4C 7H"), **more)


MATCHED = [
    (
        lambda: by_joker(joker(1, QUADS, "2C", 500), joker(2, BOAT, "3C", 2000), joker(3, PAIR, "2H", 300)),
        [
            "1 pot win 500 +800: four of a kind, aces: $8 of the $8 that losers pay [47.1-1017.8(8), 47.1-1017.8(6)]",
            "2 pot lose 500 -500: full house, kings over eights: $5 goes to seat 1 [47.1-1017.8(6)]",
            "2 uncalled returned 1500 +0: $15 is above the bet of seat 1 and comes back [47.1-1017.8(6)]",
            "3 pot lose 300 -300: pair of queens: $3 goes to seat 1 [47.1-1017.8(6)]",
            "pot 800 of (1, 2, 3): 1 800 high",
        ],
    ),
    (
        lambda: by_joker(joker(1, QUADS, "2C", 500), joker(2, BOAT, "", 800, status="dead")),
        [
            "1 pot win 500 +500: four of a kind, aces: $5 of the $5 that losers pay [47.1-1017.8(8), 47.1-1017.8(6)]",
            "2 pot lose 500 -500: dead hand: $5 goes to seat 1 [47.1-1017.8(6)]",
            "2 uncalled returned 300 +0: $3 is above the bet of seat 1 and comes back [47.1-1017.8(6)]",
            "pot 500 of (1,): 1 500 high",
        ],
    ),
    (  # the odd cent of 401 goes to the first from the left of the button, which is at seat 3
        lambda: by_joker(joker(1, TWIN, "2D", 500), joker(2, OTHER, "3D", 500), joker(3, PAIR, "2H", 401)),
        [
            "1 pot win 500 +201: three of a kind, kings, tied: $2.01 of the $4.01 that losers pay "
            "[47.1-1017.8(8), 47.1-1006, 47.1-1017.8(6), 47.1-1035]",
            "2 pot win 500 +200: three of a kind, kings, tied: $2 of the $4.01 that losers pay "
            "[47.1-1017.8(8), 47.1-1006, 47.1-1017.8(6), 47.1-1035]",
            "3 pot lose 401 -401: pair of queens: $4.01 goes to seat 1 and seat 2 [47.1-1017.8(6)]",
            "pot 401 of (1, 2, 3): 1 201 high, 2 200 high",
        ],
    ),
    (
        lambda: by_joker(joker(1, TWIN, "2D", 500), joker(2, OTHER, "3D", 500), joker(3, PAIR, "2H", 400)),
        [
            "1 pot win 500 +200: three of a kind, kings, tied: $2 of the $4 that losers pay "
            "[47.1-1017.8(8), 47.1-1006, 47.1-1017.8(6)]",
            "2 pot win 500 +200: three of a kind, kings, tied: $2 of the $4 that losers pay "
            "[47.1-1017.8(8), 47.1-1006, 47.1-1017.8(6)]",
            "3 pot lose 400 -400: pair of queens: $4 goes to seat 1 and seat 2 [47.1-1017.8(6)]",
            "pot 400 of (1, 2, 3): 1 200 high, 2 200 high",
        ],
    ),
    (
        lambda: by_joker(joker(1, TWIN, "2D", 500), joker(2, OTHER, "3D", 1000), joker(3, PAIR, "2H", 501)),
        [
            *(
                f"{seat} wager held {cents} +0: winners bet $5 and $10, and the regulation does not say what a loser "
                "pays above the lowest [47.1-1017.8(6)]"
                for seat, cents in ((1, 500), (2, 1000), (3, 501))
            ),
            (
                "pot 2001 of (1, 2, 3): winners bet $5 and $10, and the regulation "
                "does not say what a loser pays above the lowest"
            ),
        ],
    ),
    (
        lambda: by_joker(joker(1, TWIN, "2D", 500), joker(2, OTHER, "3D", 500), joker(3, PAIR, "2H", 401), button=None),
        [
            *(
                f"{seat} wager held {cents} +0: an odd chip goes to the left of the button, and the position of the "
                "button is not known [47.1-1035]"
                for seat, cents in ((1, 500), (2, 500), (3, 401))
            ),
            (
                "pot 1401 of (1, 2, 3): an odd chip goes to the left of the "
                "button, and the position of the button is not known"
            ),
        ],
    ),
    (
        lambda: by_joker(joker(1, "", "", 500, status="dead"), joker(2, "", "", 800, status="dead")),
        [
            "1 wager held 500 +0: no hand is left that could win [47.1-1017.8(6)]",
            "2 wager held 800 +0: no hand is left that could win [47.1-1017.8(6)]",
            "pot 1300 of (): no hand is left that could win",
        ],
    ),
    (
        lambda: by_joker(joker(1, QUADS, "2C", 500), joker(2, BOAT, "3C", 500), awards=[(1, 2, 500)]),
        [
            "1 wager held 500 +0: it was taken in differently from what the cards decide [47.1-1034]",
            "2 wager held 500 +0: it was taken in differently from what the cards decide [47.1-1034]",
            "pot 1000 of (1, 2): it was taken in differently from what the cards decide",
        ],
    ),
    (
        lambda: by_joker(
            joker(1, QUADS, "2C", 500), joker(2, BOAT, "3C", 2000), terms={"rake": HouseRake("10", jackpot_cents=100)}
        ),
        [
            "1 pot win 500 +350: four of a kind, aces: $3.50 of the $5 that losers pay "
            "[47.1-1017.8(8), 47.1-1017.8(6)]",
            "2 pot lose 500 -500: full house, kings over eights: $5 goes to seat 1 [47.1-1017.8(6)]",
            "2 uncalled returned 1500 +0: $15 is above the bet of seat 1 and comes back [47.1-1017.8(6)]",
            "pot 500 less 50 and 100 of (1, 2): 1 350 high",
        ],
    ),
    (  # 500 shared, and what the third has above it, 100 of its 600, is the second's, who alone has bet so much
        lambda: by_joker(
            joker(1, TWIN, "2D", 500),
            joker(2, OTHER, "3D", 1000),
            joker(3, PAIR, "2H", 600),
            terms={"readings": {"unequal-winners": "layers"}},
        ),
        [
            "1 pot win 500 +250: three of a kind, kings, tied: $2.50 of the $6 that losers pay "
            "[47.1-1017.8(8), 47.1-1006, 47.1-1017.8(6), 47.1-1035]",
            "2 pot win 1000 +350: three of a kind, kings, tied: $3.50 of the $6 that losers pay "
            "[47.1-1017.8(8), 47.1-1006, 47.1-1017.8(6), 47.1-1035]",
            "3 pot lose 600 -600: pair of queens: $6 goes to seat 1 and seat 2 [47.1-1017.8(6)]",
            "pot 600 of (1, 2, 3): 1 250 high, 2 350 high",
        ],
    ),
]


ROLLS = [
    (
        lambda: trips(
            seat_of(1, **bets(THREE)), seat_of(2, **bets(TWO_PAIR)), pot=Meter(1500, rolled=Rolled(2, (1, 2)))
        ),
        [
            "1 pot win 400 +1900: three of a kind, sevens: $23 of the pot of $23 [47.1-1017.38(11)]",
            "2 pot lose 400 -400: two pair, kings and eights: the pot of $23: seat 1 won [47.1-1017.38(11)]",
            "pot 2300 of (1, 2): 1 2300 high",
        ],
    ),
    (
        lambda: trips(seat_of(1, **bets(ONE_PAIR)), seat_of(2, **bets(TWO_PAIR)), pot=0),
        [
            "1 pot lose 400 -400: pair of queens: the pot of $8: seat 2 won, $4 rolls over [47.1-1017.38(10)]",
            "2 pot push 400 +0: two pair, kings and eights: $4 of the pot of $8, $4 rolls over [47.1-1017.38(10)]",
            "pot 800 of (1, 2): 2 400 high",
        ],
    ),
    (
        lambda: trips(*(seat_of(number, (), status="folded", initial=100) for number in (1, 2)), pot=500),
        [
            *(
                f"{seat} pot lose 100 -100: folded: the pot of $7: $7 rolls over [47.1-1017.38(8), 47.1-1002(16)]"
                for seat in (1, 2)
            ),
            "pot 700 of (): ",
        ],
    ),
    *(
        (
            lambda seats=seats, more=more: trips(*seats, **more),
            [f"1 initial held 100 +0: {why} [{clause}]", why],
        )
        for seats, more, why, clause in (
            (
                (seat_of(1, **bets(THREE)), seat_of(3, **bets(TWO_PAIR))),
                {"pot": Meter(600, rolled=Rolled(1, (1, 2)))},
                "seat 3 sat out a hand for this pot",
                "47.1-1017.38(9)",
            ),
            (
                (seat_of(1, **bets(THREE)), seat_of(2, **bets(TWO_PAIR))),
                {"pot": None},
                "no amount was given for the pot",
                "47.1-1017.38(8), (10)",
            ),
            (
                (seat_of(1, **bets(ONE_PAIR)), seat_of(2, **bets(TWO_PAIR))),
                {"pot": 600, "readings": {"last-hand": "fifth"}},
                "the number of hands for which the pot has rolled over is not known",
                "47.1-1017.38(13)",
            ),
            (
                (seat_of(1, **bets(ONE_PAIR)), seat_of(2, **bets(TWO_PAIR))),
                {"readings": {"high-hand-share": "not-set"}},
                "the best hand's part of a pot that rolls over was not set",
                "47.1-1017.38(10)",
            ),
            (
                (seat_of(1, **bets(THREE)), seat_of(2, **bets(TWO_PAIR, initial=200, bet_1=200, bet_2=200, bet_3=200))),
                {},
                "initial is $1 at seat 1 and $2 at seat 2",
                "47.1-1017.38(3), (15)",
            ),
        )
    ),
]


@of_each("round_of, lines", [*MATCHED, *ROLLS])
def test_pots_that_are_matched_or_roll_over(round_of: Any, lines: list[str]) -> None:
    found = told(round_of())
    if len(lines) == 2:  # a pot that is held as a whole: the first line, and why the pot waits
        assert [found[0], found[-1].partition(": ")[2]] == lines
        assert {line.partition(": ")[2] for line in found[:-1]} == {lines[0].partition(": ")[2]}
    else:
        assert found == lines


SEATS = (
    seat_of(1, "KD QH", initial=500, final=1000),
    seat_of(2, "9S 2C", initial=500, final=1000),
    seat_of(3, (), status="folded", initial=500),
)
TABLE_POTS = [
    (
        lambda: eighty_eight(*SEATS),
        [
            "1 pot win 1500 +2000: pair of kings: $35 of the pot of $35 [47.1-1017.6(7)]",
            "2 pot lose 1500 -1500: pair of nines: the pot of $35 goes to seat 1 [47.1-1017.6(7)]",
            "3 pot lose 500 -500: folded: the pot of $35 goes to seat 1 [47.1-1017.6(5)]",
            "pot 3500 of (1, 2): 1 3500 high",
        ],
    ),
    (
        lambda: eighty_eight(*SEATS, terms={"rake": HouseRake("10", jackpot_cents=100)}),
        [
            "1 pot win 1500 +1550: pair of kings: $30.50 of the pot of $35, less a rake of $3.50 and $1 for the "
            "jackpot [47.1-1017.6(7)]",
            "2 pot lose 1500 -1500: pair of nines: the pot of $35, less a rake of $3.50 and $1 for the jackpot goes to "
            "seat 1 [47.1-1017.6(7)]",
            "3 pot lose 500 -500: folded: the pot of $35, less a rake of $3.50 and $1 for the jackpot goes to seat 1 "
            "[47.1-1017.6(5)]",
            "pot 3500 less 350 and 100 of (1, 2): 1 3050 high",
        ],
    ),
]


def test_a_pot_of_cards_a_fold_and_a_rake() -> None:
    for round_of, lines in TABLE_POTS:
        assert told(round_of()) == lines


def test_a_hand_that_is_left_alone_has_all_of_it_and_what_nobody_matched_comes_back() -> None:
    found = eighty_eight(
        seat_of(1, "?? ??", initial=500, final=1000),
        seat_of(2, (), status="folded", initial=500),
        seat_of(3, (), status="dead", initial=500),
    )
    assert told(found) == [
        "1 uncalled returned 1000 +0: no player matched $10 of it: it comes back [47.1-1023(2)]",
        "1 pot win 500 +1000: the last hand left for it: $15 of the pot of $15 [47.1-1001(2)]",
        "2 pot lose 500 -500: folded: the pot of $15 goes to seat 1 [47.1-1017.6(5)]",
        "3 pot lose 500 -500: dead hand: the pot of $15 goes to seat 1 "
        "[47.1-1031(1)-(2), 47.1-1032(1), (3), (5), (8), (9)]",
        "pot 1500 of (1,): 1 1500 last-hand",
    ]


def test_a_side_pot_and_who_has_nothing_in_it() -> None:
    """The second seat is all in with 300: the first and the third also play for 200 each."""
    found = settled(
        "holdem.co",
        [
            seat_of(1, "KD KH", river=500),
            replace(seat_of(2, "AS AD", river=300), stake=300),
            seat_of(3, "QS QD", river=500),
        ],
        "2C 7D 9H JC 4S",
    )
    assert told(found) == [
        "1 pot lose 300 -300: pair of kings: the pot of $9 goes to seat 2 [47.1-1012(5)(a)]",
        "2 pot win 300 +600: pair of aces: $9 of the pot of $9 [47.1-1012(5)(a)]",
        "3 pot lose 300 -300: pair of queens: the pot of $9 goes to seat 2 [47.1-1012(5)(a)]",
        "1 side-pot-1 win 200 +200: pair of kings: $4 of side pot 1 of $4 [47.1-1012(5)(a)]",
        "3 side-pot-1 lose 200 -200: pair of queens: side pot 1 of $4 goes to seat 1 [47.1-1012(5)(a)]",
        "pot 900 of (1, 2, 3): 2 900 high",
        "side-pot-1 400 of (1, 3): 1 400 high",
    ]


def test_high_and_low_halves_and_an_odd_chip() -> None:
    """Of 301 cents, the high half is 151, and its clause includes the odd chip; a hand that wins both ways wins all."""
    terms = {"readings": {"low-qualifier": "eight-or-better"}}
    board = "3C 4D KD 9S 8H"
    seats = [
        seat_of(1, "AS 2H", river=100),
        seat_of(2, "KS KH", river=100),
        seat_of(3, (), status="folded", river=101),
    ]
    assert (
        told(settled("crazy-pineapple-hi-lo.co", seats, board, terms=terms))[-1]
        == "pot 301 of (1, 2): 1 150 low, 2 151 high"
    )
    found = told(settled("crazy-pineapple-hi-lo.co", seats, board, terms=terms))
    assert [line.partition(":")[0] for line in found[:3]] == [
        "1 pot win 100 +50",
        "2 pot win 100 +51",
        "3 pot lose 101 -101",
    ]
    assert found[0].endswith(" for low: $1.50 of the pot of $3.01 [47.1-1017.4(5)(b), 47.1-1035]")
    assert found[1].endswith(
        ": three of a kind, kings for high: $1.51 of the pot of $3.01 [47.1-1017.4(5)(b), 47.1-1035]"
    )
    none = told(settled("crazy-pineapple-hi-lo.co", seats, "3C TD KD 9S JH", terms=terms))
    assert none[1] == (
        "2 pot win 100 +201: three of a kind, kings for high: $3.01 of the pot of $3.01 "
        "[47.1-1017.4(5)(b), 47.1-1017.4(5)(b)(i)]"
    )


HELD_POTS = [
    (
        [seat_of(1, "KD KH", river=100, returned={"river": 200}), seat_of(2, "AS AD", river=100)],
        {},
        "seat 1 got back more of river than it bet",
    ),
    ([seat_of(1, "KD KH", river=100), seat_of(2, "?? AD", river=100)], {}, "seat 2 could win it: "),
]


def test_a_pot_that_nobody_can_cut_or_award_is_held_with_the_reason() -> None:
    for seats, more, why in HELD_POTS:
        found = settled("holdem.co", seats, "2C 7D 9H JC 4S", **more)
        assert found.status == "held"
        assert {line.why.startswith(why) for line in found.lines} == {True}, [line.why for line in found.lines]
        assert found.pots[0].held.startswith(why)


def test_a_pot_of_a_defective_deck_that_was_not_taken_in() -> None:
    awards = [(1, 1, 900)]
    seats = [
        seat_of(1, "KD KH", river=500),
        replace(seat_of(2, "AS AD", river=300), stake=300),
        seat_of(3, "QS QD", river=500),
    ]
    found = settled("holdem.co", seats, "2C 7D 9H JC 4S", outcome="defective-deck", awards=awards)
    held = [line for line in found.lines if line.result == "held"]
    assert {(line.bet, line.why, line.clause) for line in held} == {
        ("side-pot-1", "the deck was defective", "47.1-1036")
    }


PLAYED: dict[str, Any] = {"pot_1": 500, "pot_2": 500, "pot_3": 500, "bonus": 100}
BOARD = "AC AD KH KD 2C"
BEATEN = "full house, aces over kings of seat 1, beaten by four of a kind, kings of seat 2"
BAD_BEAT: list[tuple[list[Any], dict[str, Any], list[str]]] = [
    (
        [
            seat_of(1, "AS QC", bad_beat=100, **PLAYED),
            seat_of(2, "KS KC", bad_beat=100, **PLAYED),
            seat_of(3, "9H 8H", bad_beat=100, **PLAYED),
            seat_of(4, "9D 8D", bad_beat=100, **PLAYED),
        ],
        {},
        [
            f"1 win 50000: {BEATEN}: 50 % of the posted $1,000",
            f"2 win 25000: {BEATEN}: 25 % of the posted $1,000",
            f"3 win 12500: {BEATEN}: 25 % of the posted $1,000, one of 2 parts",
            f"4 win 12500: {BEATEN}: 25 % of the posted $1,000, one of 2 parts",
        ],
    ),
    (
        [seat_of(1, "AS QC", bad_beat=100, **PLAYED), seat_of(2, "KS KC", bad_beat=100, **PLAYED)],
        {"meters": {}},
        [
            f"1 held 0: {BEATEN}, and the posted amount was not given",
        ],
    ),
    (
        [seat_of(1, "AS QC", **PLAYED), seat_of(2, "KS KC", bad_beat=100, **PLAYED)],
        {},
        ["1 held 0: seat 1 did not bet bad-beat, and the rules do not say who gets its part"],
    ),
    (
        [
            seat_of(1, "AS QC", bad_beat=100, **PLAYED),
            seat_of(2, "AH JC", bad_beat=100, **PLAYED),
            seat_of(3, "KS KC", bad_beat=100, **PLAYED),
        ],
        {},
        ["1 held 0: hands tie, and the rules do not say whether they divide their part"],
    ),
]


def of_the_award(game: str, seats: list[Any], board: str, **terms: Any) -> list[str]:
    found = settled(game, seats, board, terms={"meters": {"primary": 100_000}} | terms)
    return [f"{line.seat} {line.result} {line.pay}: {line.why}" for line in found.lines if line.bet == "jackpot"]


@of_each("seats, terms, lines", BAD_BEAT)
def test_an_award_for_a_hand_that_is_beaten(seats: list[Any], terms: dict[str, Any], lines: list[str]) -> None:
    found = of_the_award("longhorn.co", seats, BOARD, **terms)
    assert sorted(found) == sorted(lines)


def test_two_hands_that_are_beaten_and_one_that_is_not_known() -> None:
    seats = [
        seat_of(1, "AS 2S", bad_beat=100, **PLAYED),
        seat_of(2, "QS QC", bad_beat=100, **PLAYED),
        seat_of(3, "JD TD", bad_beat=100, **PLAYED),
    ]
    (line,) = of_the_award("longhorn.co", seats, "AD KD QD AC QH")
    words = "several hands of aces full or better count, and the rules do not say which of them earns the award"
    assert line == f"1 held 0: {words}"
    unknown = [
        seat_of(1, "AS QC", bad_beat=100, **PLAYED),
        seat_of(2, "KS KC", bad_beat=100, **PLAYED),
        seat_of(3, "QS ??", bad_beat=100, **PLAYED),
    ]
    (line,) = of_the_award("longhorn.co", unknown, BOARD)
    why = "aces full or better was shown, and it is not known whether another hand counts"
    assert line == f"1 held 0: {why}: the faces of seat 3 are not all known (??)"


# ------------------------------------------------------------------ races and what cannot have been


def race_of(dealt: str, **draw: Any) -> Settlement:
    round_ = races.race(dealt, red=400)
    assert round_.draw is not None
    return settle(replace(round_, draw=replace(round_.draw, **draw)), races.GAME)


RACES: list[tuple[Any, str]] = [
    (lambda: race_of(races.AT_5, cards=("AH", "??", "9H", "JH", "KH")), "the face of card 2 is not known (??)"),
    (lambda: race_of(races.AT_5, finish=None), "the race was not decided"),
    (
        lambda: race_of(races.AT_5, finish=Finish(cards=5, column="spades")),
        "the round reports 5 cards and spades, its cards show 5 and hearts",
    ),
    (
        lambda: race_of(races.AT_5, finish=Finish(cards=6, column=None)),
        "the round reports 6 cards and no column, its cards show 5 and hearts",
    ),
    (
        lambda: race_of(races.AT_5, finish=Finish(cards=6, column="hearts"), cards=(*races.AT_5.split(), "2C")),
        "the round reports 6 cards and hearts, its cards show 5 and hearts",
    ),
    (lambda: race_of(races.AT_5, cards=("AH", "5H", "9H")), "no suit won and 3 cards of 16 were drawn"),
    (
        lambda: race_of(races.NEVER + " KH", extra=None),
        "the round reports 17 cards and hearts, its cards show 17 and hearts",
    ),
    (
        lambda: race_of(races.NEVER + " KH", extra="KS"),
        "the extra card is KS in the round, and the last one drawn is KH",
    ),
    (
        lambda: race_of(races.AT_11, columns={"clubs": ("6C", "2C")}),
        "the column of clubs is 6C 2C in the round, and the cards drawn differ",
    ),
    (
        lambda: race_of(races.AT_11, columns={"clubs": (), "diamonds": ("3D", "7D", "2D")}),
        "the column of clubs is empty in the round, and the cards drawn differ",
    ),
]


@of_each("settlement_of, why", RACES)
def test_a_race_that_is_not_what_its_cards_are(settlement_of: Any, why: str) -> None:
    found = settlement_of()
    assert [(line.result, line.why) for line in found.lines] == [("held", why)]


WHEEL, STEEL, ROYAL = "AS 2S 3S 4S 5S", "9C TC JC QC KC", "TD JD QD KD AD"
ENDS = [
    (races.AT_5, {"red": 400}, "flush in hearts after 5 cards, with the ace: red pays 1 to 1"),
    (races.AT_5, {"black": 400}, "flush in hearts after 5 cards, with the ace: black loses"),
    (STEEL, {"black": 400}, "straight flush in clubs after 5 cards: black pays 1 to 1"),
    (WHEEL, {"red": 400}, "straight flush in spades after 5 cards, with the ace: red loses"),
    (ROYAL, {"red": 400}, "royal flush in diamonds after 5 cards, with the ace: red pays 1 to 1"),
    (f"{races.NEVER} KH", {"red": 400}, "no flush in 16 cards, the extra card is of hearts: red loses"),
]


@of_each("dealt, bets_made, why", ENDS)
def test_how_a_race_ended_in_words(dealt: str, bets_made: dict[str, int], why: str) -> None:
    assert [line.why for line in settle(races.race(dealt, **bets_made), races.GAME).lines] == [why]


def test_a_switch_without_the_card_and_a_seat_that_was_not_dealt_in() -> None:
    table = races.race_table().bet(1, number_17=400).start().draw(races.NEVER).bet(1, switch_hearts=100).draw("KH")
    short = Drawn(cards=tuple(races.NEVER.split()), columns={}, finish=Finish(cards=16, column=None))
    lines = {line.bet: line.why for line in settle(replace(table.end(), draw=short), races.GAME).lines}
    assert lines["switch-hearts"] == "the extra card was not drawn"
    round_ = races.race(races.AT_5, red=400)
    out = replace(round_, seats=tuple(replace(seat, status="out") for seat in round_.seats))
    assert [(line.result, line.why) for line in settle(out, races.GAME).lines] == [("held", "seat 1 was not dealt in")]


DECK = "the deck contradicts the round: "
BURNED = "of community were burned instead of 1, 2, 5"
DEALS: list[tuple[dict[str, Any], str]] = [
    ({"deck": replace(doubts.dealt().deck, loaded=53)}, f"{DECK}53 cards were loaded, and the deck has 52"),
    (
        {"packets": tuple(replace(each, counted=18) for each in doubts.dealt().packets)},
        f"{DECK}54 cards were dealt from a deck of 52",
    ),
    ({"remainder": Remainder(counted=99, expected=37)}, f"{DECK}99 cards were left instead of 37"),
    ({"burn": replace(doubts.BURN, positions=(5, 3, 4))}, f"positions 3, 4, 5 (left-to-right) {BURNED}"),
    ({"burn": replace(doubts.BURN, spread="right-to-left")}, f"positions 1, 2, 5 (right-to-left) {BURNED}"),
    ({"seats": (flushes.seat(9, "2H 5H 7H 8H 9H"),)}, "there is no seat 9 at a table of 8"),
    ({"outcome": "unreliable"}, "the round is unreliable: it is uncertain what happened"),
]


@of_each("changes, why", DEALS)
def test_a_deal_that_cannot_have_been(changes: dict[str, Any], why: str) -> None:
    found = settle(replace(doubts.dealt(), **changes), flushes.GAME)
    assert (found.status, found.why) == ("held", why)
    assert {line.why for line in found.lines} == {why}


@of_each("counted", [17, 18])
def test_as_many_cards_as_the_deck_has_may_be_dealt(counted: int) -> None:
    packets = tuple(replace(each, counted=counted) for each in doubts.dealt().packets)
    found = settle(replace(doubts.dealt(), packets=packets), flushes.GAME)
    assert (found.status == "held") == (3 * counted > 52)


# ------------------------------------------------------------------ the progressive

COLD, WARM = "2C 2D 4C JC TS", "7C 7D 7H 7S JS"
STEEL_HAND = "own five cards make a straight flush"
PROGRESSIVES: list[tuple[Any, dict[str, Any], dict[int, str]]] = [
    (
        lambda: [flushes.seat(1, COLD, progressive=100), flushes.seat(2, "3D 4H JD QC TD", progressive=100)],
        {"outcome": "progressive-only"},
        dict.fromkeys(
            (1, 2), "no progressive jackpot hand at the table: all hands are dead and progressive comes back"
        ),
    ),
    (
        lambda: [flushes.seat(1, COLD, progressive=100), flushes.seat(2, "?? 4H JD QC TD", progressive=100)],
        {"outcome": "progressive-only"},
        {
            1: "it is uncertain whether the table has a jackpot hand: the faces of seat 2 are not all known (??)",
            2: "the faces of seat 2 are not all known (??)",
        },
    ),
    (
        lambda: [flushes.seat(1, WARM, progressive=100), flushes.seat(2, COLD, progressive=100)],
        {},
        {
            1: "own five cards make four of a kind: progressive pays 300 for 1",
            2: "own five cards make less than three of a kind: progressive loses",
        },
    ),
    (
        lambda: [
            flushes.seat(1, "5S 6S 7S 8S 9S", progressive=100),
            flushes.seat(2, "AH KH QH JH TH", progressive=100),
            flushes.seat(3, "2C 3D 5H 7D QS", progressive=100),
        ],
        {"meters": {"meter": Meter(1_000_000, seed_cents=20_000)}},
        {
            1: f"{STEEL_HAND}: progressive pays 10 % of meter, which shows $200",
            2: "own five cards make a royal flush: progressive pays 100 % of meter, which shows $10,000",
            3: "own five cards make less than three of a kind: progressive loses",
        },
    ),
    (
        lambda: [
            flushes.seat(1, "5S 6S 7S 8S 9S", progressive=100),
            flushes.seat(2, "AH KH QH JH TH", progressive=100),
        ],
        {"meters": {"meter": Meter(1_000_000)}},
        {
            1: f"{STEEL_HAND}: progressive pays 10 % of meter, but the seed to which it was reset was not given",
            2: "own five cards make a royal flush: progressive pays 100 % of meter, which shows $10,000",
        },
    ),
    (
        lambda: [flushes.seat(1, "5S 6S 7S 8S 9S", progressive=100)],
        {},
        {
            1: f"{STEEL_HAND}: progressive pays 10 % of meter, but no amount was given for the meter",
        },
    ),
    (
        lambda: [
            flushes.seat(1, "5S 6S 7S 8S 9S", progressive=100),
            flushes.seat(2, "?? KH QH JH TH", progressive=100),
        ],
        {"meters": {"meter": Meter(1_000_000, seed_cents=20_000)}},
        {
            1: f"{STEEL_HAND}: progressive pays 10 % of meter, but the bet of seat 2, which comes first, is held",
            2: "the faces of seat 2 are not all known (??)",
        },
    ),
    (
        lambda: [flushes.seat(1, WARM, progressive=100, status="folded")],
        {},
        {1: "folded: progressive loses"},
    ),
]


@of_each("seats_of, terms, whys", PROGRESSIVES)
def test_a_progressive_in_words(seats_of: Any, terms: dict[str, Any], whys: dict[int, str]) -> None:
    """From the dealer's right, so that the highest seat comes first."""
    outcome = terms.pop("outcome", "complete") if (terms := dict(terms)) else "complete"
    board, dealer = ("", None) if outcome != "complete" else ("KD 9D", "3C 4D 5C 6C 8D")
    found = settle(flushes.deal(board, dealer, *seats_of(), outcome=outcome), flushes.GAME, **terms)
    assert {line.seat: line.why for line in found.lines if line.bet == "progressive"} == whys


def test_envy_in_words() -> None:
    """Five dollars for each dollar bet by one player, and ten by the other."""
    seats = [
        flushes.seat(1, "5S 6S 7S 8S 9S", progressive=100),
        flushes.seat(2, COLD, progressive=200),
        replace(flushes.seat(3, "2H 3D 5H 7D QS", progressive=100), wagers={"ante": 500, "blind": 500, "play": 1000}),
    ]
    found = settle(flushes.deal("KD 9D", "3C 4D 5C 6C 8D", *seats), flushes.GAME, meters={"meter": 1_000_000})
    envy = [(line.seat, line.pay, line.why) for line in found.lines if line.bet == "envy"]
    assert envy == [(2, 60_000, "envy for the straight flush of seat 1: $300 for each $1 of the wager")]


def test_a_wild_card_that_is_not_known_or_not_held() -> None:
    unknown = by_joker(joker(1, QUADS, "", 500), joker(2, BOAT, "3C", 500))
    assert {line.why for line in unknown.lines} == {
        "seat 1 could win it: it is not known which card of seat 1 counts as any card"
    }
    other = by_joker(joker(1, QUADS, "7S", 500), joker(2, BOAT, "3C", 500))
    assert {line.why for line in other.lines} == {"seat 1 could win it: seat 1 called 7S any card and does not hold it"}


# ------------------------------------------------------------------ pots beside a table


def of_pot_3(*seats: dict[str, Any]) -> list[str]:
    """Return the lines of 3-5-7's pot of three cards."""
    case = {"seat": [{"choices": ["keep"], **each} for each in seats], "community": "JH 6D KC 2S"}
    found = Paper("3-5-7.co", case).settle()
    return sorted(f"{line.seat} {line.result} {line.net:+}: {line.why}" for line in found.lines if line.bet == "pot-3")


def test_a_pot_of_three_cards() -> None:
    pair = {"seat": 1, "cards": "9S 9D 4C", "bets": {"pot-3": 500, "three-card": 500}}
    high = {"seat": 2, "cards": "QS 8D 3C", "bets": {"pot-3": 500, "three-card": 500}}
    assert of_pot_3(pair, high) == [
        "1 win +500: pair of nines: $10 of the pot of $10",
        "2 lose -500: queen high: the pot of $10 goes to seat 1: pot-3 loses",
    ]
    assert of_pot_3(pair) == ["1 returned +0: 1 of at least 2 made the bet: pot-3 comes back"]
    unread = "the faces of seat 2 are not all known (??)"
    assert of_pot_3(pair, high | {"cards": "?? 8D 3C"}) == [f"1 held +0: {unread}", f"2 held +0: {unread}"]
    dead = "the hand of seat 2 is dead, and the regulation does not say whether its stake stays in the pot"
    assert of_pot_3(pair, high | {"status": "dead"}) == [f"1 held +0: {dead}", f"2 held +0: {dead}"]
    nobody = "no hand is left that could win the pot"
    folded = [each | {"status": "folded"} for each in (pair, high)]
    assert of_pot_3(*folded) == [f"1 held +0: {nobody}", f"2 held +0: {nobody}"]
    tied = high | {"cards": "9C 9H 4D"}
    assert of_pot_3(pair, tied) == [
        "1 push +0: pair of nines: an equal share of the pot of $10: pot-3 comes back",
        "2 push +0: pair of nines: an equal share of the pot of $10: pot-3 comes back",
    ]


def test_what_comes_back_of_a_dead_hand_whole_or_in_part() -> None:
    for returned, words in ((300, "river comes back"), (100, "$1 of river comes back")):
        seats = [
            seat_of(1, "KD KH", river=300),
            seat_of(2, "", status="dead", returned={"river": returned}, river=300),
            seat_of(3, "QS QD", river=300),
        ]
        found = settled("holdem.co", seats, "2C 7D 9H JC 4S")
        (line,) = (line for line in found.lines if (line.seat, line.result) == (2, "returned"))
        assert (line.bet, line.stake, line.why.partition(": ")[2]) == ("river", returned, words)
