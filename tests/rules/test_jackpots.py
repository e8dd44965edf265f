"""Jackpot awards: the seats that earn one, its parts to the cent, and pools that are collected, posted, won and moved
up."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from dealer_flow.record.result import Seat
from protocol.tomlfile import TomlFileError
from rules import Settlement, SettlementRefused, load_game, settle
from rules.facts.terms import agree
from rules.meters.bank import MeterRecord, MeterRefused, RoundKey
from rules.meters.jackpot_book import JackpotBook, posting
from rules.meters.jackpot_setup import load_jackpot
from rules.settlement import HouseRake
from tests.support.dealing.written_rounds import ended_round, seat_of, settled

EXAMPLE = Path(__file__).parents[2] / "docs/examples/jackpot-bad-beat.toml"
LONGHORN = "longhorn.co"
PLAYED: dict[str, Any] = {"pot_1": 500, "pot_2": 500, "pot_3": 500, "bonus": 100}
BOARD = "AC AD KH KD 2C"
ACES_FULL, QUAD_KINGS, NOTHING = "AS QC", "KS KC", "9H 8H"
"""On that board aces full of kings, four kings, two pair."""


def award(found: Settlement) -> dict[int, int]:
    assert found.totals.players + found.totals.house + found.totals.meters == 0
    return {line.seat: line.pay for line in found.lines if line.bet == "jackpot"}


def longhorn(*seats: Seat, board: str = BOARD, posted: int | None = 100_000, **terms: Any) -> Settlement:
    meters = {} if posted is None else {"primary": posted}
    return settled(LONGHORN, seats, board, terms={"meters": meters} | terms)


# ------------------------------------------------------------------ Longhorn's own, (1)


def test_half_to_the_beaten_a_quarter_to_the_winner_a_quarter_among_the_rest() -> None:
    found = longhorn(
        seat_of(1, ACES_FULL, bad_beat=100, **PLAYED),
        seat_of(2, QUAD_KINGS, bad_beat=100, **PLAYED),
        seat_of(3, NOTHING, bad_beat=100, **PLAYED),
        seat_of(4, "9D 8D", bad_beat=100, **PLAYED),
    )
    assert award(found) == {1: 50_000, 2: 25_000, 3: 12_500, 4: 12_500}
    assert {line.clause for line in found.lines if line.bet == "jackpot"} == {"47.1-1017.41(1)"}
    assert found.totals.meters == 400 - 100_000


def test_who_folded_or_made_no_bet_has_no_part() -> None:
    """(1): players who fold during the play for the pot forfeit their stake in it; the third seat never bet it."""
    found = longhorn(
        seat_of(1, ACES_FULL, bad_beat=100, **PLAYED),
        seat_of(2, QUAD_KINGS, bad_beat=100, **PLAYED),
        seat_of(3, (), status="folded", bad_beat=100, bonus=100, pot_1=500),
        seat_of(4, NOTHING, **PLAYED),
    )
    assert award(found) == {1: 50_000, 2: 25_000}, "a quarter stays on the meter"
    assert found.meters[0].after == 25_000
    assert [line.clause for line in found.lines if (line.seat, line.bet) == (3, "bad-beat")] == [
        "47.1-1017.41(5), (8), (11)"
    ]


def test_cents_that_do_not_divide_stay() -> None:
    seats = [seat_of(number, "", bad_beat=100, **PLAYED) for number in (3, 4, 5)]
    found = longhorn(
        seat_of(1, ACES_FULL, bad_beat=100, **PLAYED),
        seat_of(2, QUAD_KINGS, bad_beat=100, **PLAYED),
        *seats,
        posted=101,
    )
    assert award(found) == {1: 50, 2: 25, 3: 8, 4: 8, 5: 8}, "who does not show the hand shares with the rest"


@pytest.mark.parametrize(
    ("one", "two", "board"),
    [
        (QUAD_KINGS, NOTHING, BOARD),  # nobody with aces full is beaten
        ("KS QC", "2S 2D", "KC KD QH 2H 3C"),  # kings full is beaten by four deuces
        (ACES_FULL, NOTHING, BOARD),  # aces full wins
    ],
)
def test_nothing_is_earned(one: str, two: str, board: str) -> None:
    found = longhorn(seat_of(1, one, bad_beat=100, **PLAYED), seat_of(2, two, bad_beat=100, **PLAYED), board=board)
    assert award(found) == {}
    assert found.status == "settled"
    assert found.totals.meters == 200, "the wagers are dropped for the jackpot, (17)"


def test_a_hand_with_a_part_that_made_no_bet_is_for_a_person() -> None:
    found = longhorn(seat_of(1, ACES_FULL, **PLAYED), seat_of(2, QUAD_KINGS, bad_beat=100, **PLAYED))
    assert (found.status, award(found)) == ("partly-held", {1: 0})


@pytest.mark.parametrize("hands", [(ACES_FULL, QUAD_KINGS), ("AS QC", "AH JC", QUAD_KINGS)])
def test_where_nobody_bet_it_nobody_earns_it(hands: tuple[str, ...]) -> None:
    """(1): all players who placed the wager share; none did."""
    found = longhorn(*(seat_of(number, cards, **PLAYED) for number, cards in enumerate(hands, 1)))
    assert (found.status, award(found)) == ("settled", {})


@pytest.mark.parametrize("hidden", ["?? KC", "KS ??"])
def test_a_hand_that_may_beat_aces_full_holds_the_award(hidden: str) -> None:
    """The unread card may be the fourth king, and four kings beat aces full."""
    seats = seat_of(1, ACES_FULL, bad_beat=100, **PLAYED), seat_of(2, hidden, bad_beat=100, **PLAYED)
    assert award(longhorn(*seats)) == {1: 0}
    assert award(longhorn(seats[0], replace(seats[1], cards=("??", "9C")))) == {}


def test_the_last_hand_left_is_beaten_by_none() -> None:
    """(1): the award is paid when a hand is beaten; whatever the unread cards are, no other hand plays."""
    last = seat_of(1, "9D 8C", bad_beat=100, **PLAYED)
    gone = seat_of(2, QUAD_KINGS, status="folded", bad_beat=100, bonus=100)
    for board in ("?? ?? ?? ?? ??", "AC AD KH KD"):
        assert award(longhorn(last, gone, board=board)) == {}


def test_who_shares_is_in_doubt_where_a_bad_beat_wager_is_held() -> None:
    three = [seat_of(number, cards, bad_beat=100, **PLAYED) for number, cards in ((1, ACES_FULL), (2, QUAD_KINGS))]
    waits = replace(seat_of(3, NOTHING, bad_beat=100, **PLAYED), held={"bad-beat": "47.1-1017.41(2)"})
    found = longhorn(*three, waits)
    (line,) = (line for line in found.lines if line.bet == "jackpot")
    assert (line.result, line.clause) == ("held", "47.1-1017.41(2)")


@pytest.mark.parametrize(("reading", "expect"), [("held", {1: 0}), ("highest", {2: 50_000, 3: 25_000, 1: 25_000})])
def test_two_that_are_beaten(reading: str, expect: dict[int, int]) -> None:
    """Aces full of queens and four queens, both beaten by a royal flush."""
    seats = [
        seat_of(1, "AS 2S", bad_beat=100, **PLAYED),
        seat_of(2, "QS QC", bad_beat=100, **PLAYED),
        seat_of(3, "JD TD", bad_beat=100, **PLAYED),
    ]
    assert award(longhorn(*seats, board="AD KD QD AC QH", readings={"beaten-hands": reading})) == expect


@pytest.mark.parametrize(("reading", "expect"), [("held", {1: 0}), ("divided", {1: 25_000, 2: 25_000, 3: 25_000})])
def test_two_that_tie(reading: str, expect: dict[int, int]) -> None:
    seats = [
        seat_of(1, "AS QC", bad_beat=100, **PLAYED),
        seat_of(2, "AH JC", bad_beat=100, **PLAYED),
        seat_of(3, QUAD_KINGS, bad_beat=100, **PLAYED),
    ]
    assert award(longhorn(*seats, readings={"tied-shares": reading})) == expect


def test_without_a_posted_amount_a_person_pays() -> None:
    seats = seat_of(1, ACES_FULL, bad_beat=100, **PLAYED), seat_of(2, QUAD_KINGS, bad_beat=100, **PLAYED)
    found = longhorn(*seats, posted=None)
    assert found.status == "partly-held"


def test_the_last_player_who_does_not_finish_forfeits_bonus_and_pot_to_the_house() -> None:
    """(31): the bonus and the pot go to the house."""
    found = longhorn(
        seat_of(1, (), status="folded", bonus=100, pot_1=500),
        seat_of(2, (), status="folded", bonus=100, bad_beat=100, pot_1=500, pot_2=500),
        board="AC AD KH",
    )
    assert (found.totals.players, found.totals.house, found.totals.meters) == (-1800, 1700, 100)
    assert (found.pots[0].to_house, found.lines[-1].clause) == (1500, "47.1-1017.41(31)")


def test_pot_wagers_that_are_not_alike_hold_the_pot_alone() -> None:
    found = longhorn(seat_of(1, ACES_FULL, **PLAYED), seat_of(2, NOTHING, **(PLAYED | {"pot_2": 600})))
    assert found.status == "partly-held"
    assert {line.result for line in found.lines if line.bet == "bonus"} == {"win", "push"}


def test_longhorn_rakes_and_splits_its_pot() -> None:
    seats = seat_of(1, "AS 2D", **PLAYED), seat_of(2, "AH 2H", **PLAYED), seat_of(3, "", status="dead", **PLAYED)
    found = longhorn(*seats, rake=HouseRake("10"), board="AC KD QH 7D 3C", posted=None)
    assert [(each.seat, each.cents) for each in found.pots[0].winners] == [(1, 2025), (2, 2025)]
    assert found.pots[0].rake == 450


# ------------------------------------------------------------------ the house's own rules


def holdem(*seats: Seat, board: str, book: JackpotBook | None = None) -> tuple[Settlement, JackpotBook]:
    book = book or JackpotBook(load_jackpot(EXAMPLE))
    terms = agree(load_game("holdem.co"), token_cents=25)
    settlement, _ = book.settle(ended_round("holdem.co", seats, board), terms)
    return settlement, book


def test_both_own_cards_must_play() -> None:
    """Aces full with one own ace and the board's pair uses one own card, and the rules require two."""
    one = seat_of(1, "AS QC", river=1000), seat_of(2, "KS KC", river=1000)
    found, _ = holdem(*one, board="AC AD KH KD 2C")
    assert award(found) == {}
    two = seat_of(1, "AS AH", river=1000), seat_of(2, "KS KC", river=1000)
    found, book = holdem(*two, board="AC TD KH KD TC")
    assert award(found) == {1: 250_000, 2: 125_000}
    assert found.totals.meters == 100 - 375_000
    assert book.award_cents == 0, "nothing has been posted of the secondary pool yet"


def test_collected_posted_won_and_moved_up() -> None:
    """A dollar per hand: 60, 30 and 10 cents. Money collected after the posting is not part of the award."""
    book = JackpotBook(load_jackpot(EXAMPLE))
    plain = seat_of(1, "9S 8H", river=1000), seat_of(2, "7S 6H", river=1000)
    for _ in range(10):
        holdem(*plain, board="AC TD KH 4D 2C", book=book)
    assert book.shown() == {"primary": 500_600, "secondary": 300, "tertiary": 100}
    assert book.award_cents == 500_000
    assert [(record.kind, record.meter, record.posted) for record in book.post(badge=7)] == [
        ("posted", "primary", 500_600),
        ("posted", "secondary", 300),
        ("posted", "tertiary", 100),
    ]
    assert book.award_cents == 500_600
    holdem(*plain, board="AC TD KH 4D 2C", book=book)
    won = seat_of(1, "AS AH", river=1000), seat_of(2, "KS KC", river=1000), seat_of(3, "2S 3S", river=1000)
    found, _ = holdem(*won, board="AC TD KH KD TC", book=book)
    assert award(found) == {1: 250_300, 2: 125_150, 3: 125_150}
    assert book.shown() == {"primary": 360, "secondary": 120, "tertiary": 120}, (
        "the rest of the primary is the last one"
    )
    assert book.posted == {"primary": 300, "secondary": 100, "tertiary": 0}
    before = {total.name: total.before for total in found.meters}
    assert before == {"primary": 500_660, "secondary": 330, "tertiary": 110}
    for total in found.meters:
        assert total.before + total.contributed - total.paid + (total.reseeded or 0) == total.after


def capped(when: str, cap: int = 500_100) -> JackpotBook:
    setup = load_jackpot(EXAMPLE)
    pools = tuple(pool.model_copy(update={"cap_cents": 40 if pool.name != "primary" else cap}) for pool in setup.pools)
    return JackpotBook(setup.model_copy(update={"pools": pools, "when_capped": when}))


@pytest.mark.parametrize(("when", "stopped"), [("stop-rake", True), ("go-on", False)])
def test_caps(when: str, stopped: bool) -> None:
    """47.1-1060(8): once all pools are full, nothing more is taken, or the caps are lifted."""
    book = capped(when)
    at = RoundKey("t", "s", 1)
    book.collect(at, 100)
    assert book.shown() == {"primary": 500_060, "secondary": 30, "tertiary": 10}
    book.collect(at, 80)
    assert book.shown() == {"primary": 500_100, "secondary": 40, "tertiary": 40}, "what has no room goes to the next"
    assert book.stopped is stopped
    plain = seat_of(1, "9S 8H", river=1000), seat_of(2, "7S 6H", river=1000)
    found, _ = holdem(*plain, board="AC TD KH 4D 2C", book=book)
    assert found.totals.meters == (0 if stopped else 100)


def test_the_highest_pool_is_the_award() -> None:
    """47.1-1060(7): a secondary pool that holds more is posted as the award."""
    book = JackpotBook(load_jackpot(EXAMPLE))
    book.bank.adjust("secondary", 600_000, 7, "transferred from another licensee")
    records = book.post()
    assert [(record.kind, record.meter) for record in records] == [
        ("moved", "secondary"),
        ("moved", "primary"),
        *[("posted", name) for name in ("primary", "secondary", "tertiary")],
    ]
    assert book.posted == {"primary": 600_000, "secondary": 500_000, "tertiary": 0}


def test_a_book_goes_on_where_it_stood() -> None:
    book = JackpotBook(load_jackpot(EXAMPLE))
    book.collect(RoundKey("t", "s", 1), 33)
    other = JackpotBook(load_jackpot(EXAMPLE))
    other.bank.restore_state(book.bank.state())
    book.collect(RoundKey("t", "s", 2), 33)
    other.collect(RoundKey("t", "s", 2), 33)
    assert (other.shown(), other.posted) == (book.shown(), book.posted)
    assert sum(book.shown().values()) == 500_066


def test_its_records_alone_give_it_back() -> None:
    """Records restore parts of a cent and postings too: from every record on, and from the newest of each pool."""
    book = JackpotBook(load_jackpot(EXAMPLE))
    records = list(book.bank.records)
    won = seat_of(1, "AS AH", river=1000), seat_of(2, "KS KC", river=1000), seat_of(3, "2S 3S", river=1000)
    for number in range(1, 6):
        records += book.collect(RoundKey("t", "s", number), 33)
        records += book.post(badge=7) if number == 3 else []
    settlement, more = book.settle(ended_round("holdem.co", won, "AC TD KH KD TC"), agree(load_game("holdem.co")))
    assert award(settlement)
    records += more
    lines = [MeterRecord.from_json(record.to_json()) for record in records]
    assert lines == records
    newest = {record.meter: record for record in lines}
    for again in (JackpotBook.go_on(book.setup, lines), JackpotBook.resume(book.setup, newest)):
        assert (again.shown(), again.posted) == (book.shown(), book.posted)
        assert again.bank.carries() == book.bank.carries()
        one, two = again.collect(RoundKey("t", "s", 7), 33), JackpotBook.go_on(book.setup, lines)
        assert one == two.collect(RoundKey("t", "s", 7), 33)
    forged = [*lines, replace(lines[-1], number=len(lines) + 1, kind="moved", posted=1, to_meter=0)]
    with pytest.raises(MeterRefused, match="posts an amount that was not posted"):
        JackpotBook.go_on(book.setup, forged)


def test_what_must_be_posted() -> None:
    words = posting(JackpotBook(load_jackpot(EXAMPLE)))
    assert words[0] == "The award is $5,000."
    assert len(words) == 5


def test_it_is_offered_in_its_games_alone() -> None:
    book = JackpotBook(load_jackpot(EXAMPLE))
    with pytest.raises(SettlementRefused, match="omaha"):
        book.terms_of(agree(load_game("omaha.co")))
    own = load_jackpot(EXAMPLE).award
    with pytest.raises(SettlementRefused, match="none in this game"):
        settle(ended_round(LONGHORN, []), load_game(LONGHORN), jackpot=own)


FOURTH = 'name = "fourth"\ncontribution = "0 %"\n'
FAULTS = [
    ("rake-cents = 100", "rake-cents = 201", "rake-cents"),
    ('contribution = "10 %"', 'contribution = "20 %"', "contributions add up to 110 percent"),
    ("percent = 50", "percent = 60", "they add up to 110 percent"),
    ('to = "others"', 'to = "holder"', "no seat is 'holder' in this award"),
    ('name = "tertiary"', 'name = "primary"', "pool 'primary' appears twice"),
    ("[posted]\nqualification", "[posted]\nqualified", "posted.qualified"),
    ('[[pools]]\nname = "tertiary"', f'[[pools]]\n{FOURTH}\n[[pools]]\nname = "tertiary"', "pools"),
]


@pytest.mark.parametrize(("old", "new", "why"), FAULTS)
def test_a_wrong_file_is_one_line(old: str, new: str, why: str, tmp_path: Path) -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert old in text
    (file := tmp_path / "mine.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TomlFileError) as caught:
        load_jackpot(file)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)
