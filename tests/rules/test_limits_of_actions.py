"""Limits of bets, raises and their number in rounds of other programs: held with the sentences with which the table
refuses them."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from dealer_flow.editions.edition import load_edition
from dealer_flow.record.details import ActionRecord
from dealer_flow.record.result import RoundResult
from rules import Settlement, load_game, settle
from tests.support.dealing.plays import play
from tests.support.dealing.written_rounds import ended_round, seat_of

SINCE_2021 = load_edition("colorado-2021-05-01")
BOARD = "KS 8D 4C 3H QS"
CARDS = ("KD KH", "AH 2D", "7C 7H")
SEATS = "stakes 1: 90000, 2: 90000, 3: 90000 / bets 1: small-blind 100 / bets 2: big-blind 200 / start at 3"
DEALT = f"{SEATS} / draw seat 1 KD KH | seat 2 AH 2D | seat 3 7C 7H"
LIMPED = f"{DEALT} / acts 3: call 200 / acts 1: call 200 / acts 2: check / burn-card 9S / draw community KS 8D 4C"
FLOP = "flop-betting"
CALLED = "pre-flop-betting 3 call 200, pre-flop-betting 1 call 200, pre-flop-betting 2 check 200"
POSTED: dict[int, dict[str, int]] = {1: {"small-blind": 100}, 2: {"big-blind": 200}, 3: {}}


def actions(text: str) -> Iterator[ActionRecord]:
    """Parse actions such as `flop-betting 1 bet 500, flop-betting 2 fold 0`."""
    for each in text.split(", "):
        step, seat, action, cents = each.split()
        yield ActionRecord(step, int(seat), action, int(cents))


def round_of(text: str, *, folded: int | None = None, **more: Any) -> RoundResult:
    """Return a round of hold'em in which these actions put the seats' chips into the pot."""
    wagers = {seat: dict(bets) for seat, bets in POSTED.items()}
    acted = tuple(actions(text))
    for each in acted:
        if each.action not in ("fold", "check", "forfeit"):
            blinds = sum(POSTED[each.seat].values()) if each.step == "pre-flop-betting" else 0
            wagers[each.seat][each.step.removesuffix("-betting")] = each.cents - blinds
    seats = [
        seat_of(
            seat,
            CARDS[seat - 1],
            status="folded" if seat == folded else "live",
            **{name.replace("-", "_"): cents for name, cents in bets.items()},
        )
        for seat, bets in wagers.items()
    ]
    return ended_round("holdem.co", seats, BOARD, actions=acted, **more)


def settled(text: str, **more: Any) -> Settlement:
    return settle(round_of(text, **more), load_game("holdem.co"))


def open_ones(settlement: Settlement) -> set[tuple[str, str]]:
    return {(line.why, line.clause) for line in settlement.lines if line.result == "held"}


FORBIDDEN = {
    "a bet": (f"{CALLED}, {FLOP} 1 bet 10001", LIMPED, "acts 1: bet 10001"),
    "a raise before the flop, above the blind": ("pre-flop-betting 3 raise 10201", DEALT, "acts 3: raise 10201"),
    "a raise": (f"{CALLED}, {FLOP} 1 bet 6000, {FLOP} 2 raise 16001", LIMPED, "acts 1: bet 6000 / acts 2: raise 16001"),
    "all-in, above the limit": (f"{CALLED}, {FLOP} 1 all-in 89800", LIMPED, "acts 1: all-in 89800"),
    "one raise too many": (
        f"{CALLED}, {FLOP} 1 bet 500, {FLOP} 2 raise 900, {FLOP} 3 raise 1300, {FLOP} 1 raise 1700",
        LIMPED,
        "acts 1: bet 500 / acts 2: raise 900 / acts 3: raise 1300 / acts 1: raise 1700",
    ),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_it_is_held_with_the_clause_and_the_words_by_which_the_table_refuses_it(what: str) -> None:
    written, before, over = FORBIDDEN[what]
    table = play("holdem.co", f"{before} / {over}", raises_per_round="2")
    (refused,) = table.incidents
    assert refused.code == "action-refused"
    found = settled(written, options={"raises-per-round": "2"})
    assert open_ones(found) == {(refused.text, refused.clause)}
    assert (found.status, found.totals.players) == ("held", 0)


@pytest.mark.parametrize(
    "text",
    [
        f"{CALLED}, {FLOP} 1 bet 10000",
        "pre-flop-betting 3 raise 10200, pre-flop-betting 1 call 10200",
        f"{CALLED}, {FLOP} 1 bet 6000, {FLOP} 2 raise 16000, {FLOP} 3 raise 26000, {FLOP} 1 all-in 9000",
        f"{CALLED}, {FLOP} 1 bet 9000, {FLOP} 2 all-in 5000, showdown 3 fold 0",
        f"{CALLED}, {FLOP} 1 bet 500, {FLOP} 2 raise 900, {FLOP} 3 raise 1300, {FLOP} 1 call 1300",
    ],
)
def test_what_the_section_allows_is_settled(text: str) -> None:
    found = settled(text, options={"raises-per-round": "2"})
    assert (found.status, open_ones(found)) == ("settled", set())


def test_a_hand_mucked_after_a_high_bet_is_no_bet_of_another_round() -> None:
    called = f"{FLOP} 1 bet 10000, {FLOP} 2 raise 20000, {FLOP} 3 fold 0, {FLOP} 1 call 20000"
    assert settled(f"{CALLED}, {called}, showdown 1 fold 20000", folded=1).status == "settled"


def test_a_forfeit_before_the_betting_leaves_the_blinds_where_they_lay() -> None:
    text = "hands 1 forfeit 0, pre-flop-betting 3 raise 10200"
    assert settled(text).status == "settled"


def test_where_the_number_of_raises_is_not_on_record_nobody_counts_them() -> None:
    written, _, _ = FORBIDDEN["one raise too many"]
    assert settled(written).status == "settled"


def test_since_2021_there_is_no_limit() -> None:
    game = load_game("holdem.co", edition=SINCE_2021)
    written = round_of(f"{CALLED}, {FLOP} 1 bet 50000", edition=SINCE_2021.ref)
    assert settle(written, game).status == "settled"
    assert settled(f"{CALLED}, {FLOP} 1 bet 50000").status == "held"


def test_a_bet_that_no_wager_of_the_seat_has_holds_what_it_has_in_the_pot() -> None:
    written = replace(round_of(CALLED), actions=tuple(actions(f"{CALLED}, elsewhere 1 bet 10001")))
    assert settle(written, load_game("holdem.co")).status == "held"


@pytest.mark.parametrize("last", ["bet 10001", "all-in 80000"])
def test_a_correction_that_reopens_the_betting_keeps_the_limit_too(last: str) -> None:
    checked = f"{LIMPED} / acts 1: check / acts 2: check / acts 3: check"
    table = play("holdem.co", f"{checked} / acts 3: {last} corrected")
    assert [each.code for each in table.incidents] == ["action-refused"]
    assert play("holdem.co", f"{checked} / acts 3: bet 10000 corrected").codes == []


def test_a_bring_in_is_completed_without_a_raise() -> None:
    """47.1-1004; the completion is the first bet."""
    seats = [seat_of(seat, "AH KH 2D 3C 5S 9D 7H", ante=25, third=400) for seat in (1, 2)]
    street = "third-betting"
    text = f"{street} 1 bring-in 100, {street} 2 raise 300, {street} 1 raise 400, {street} 2 call 400"
    written = ended_round("seven-card-stud.co", seats, actions=tuple(actions(text)), options={"raises-per-round": "1"})
    assert "the round has had its number of raises" not in str(settle(written, load_game("seven-card-stud.co")).why)


def test_a_call_of_the_full_blind_is_no_raise_and_by_the_letter_it_is() -> None:
    """The big blind of seat 2 was $2 and all it had; three call $5, and with one raise a round seat 1 raises it."""
    text = "pre-flop-betting 3 call 500, pre-flop-betting 1 raise 900, pre-flop-betting 3 call 900"
    full = settled(text, options={"raises-per-round": "1", "short-blind": "full"})
    letter = settled(text, options={"raises-per-round": "1", "short-blind": "as-posted"})
    assert (full.status, letter.status) == ("settled", "held")


def test_a_short_all_in_is_no_raise_where_the_house_says_so() -> None:
    """$5, all-in $7, raise to $12: one raise, or two."""
    bets = f"{FLOP} 1 bet 500, {FLOP} 2 all-in 700, {FLOP} 3 raise 1200, {FLOP} 1 call 1200"
    options = {"raises-per-round": "1", "short-all-in": "full-raise-only"}
    assert settled(f"{CALLED}, {bets}", options=options).status == "settled"
    assert settled(f"{CALLED}, {bets}", options=options | {"short-all-in": "reopens"}).status == "held"


def test_more_than_the_stake_is_held() -> None:
    """47.1-1023(1): seat 2 had $1.50, and the line has $2 of it in the pot."""
    result = round_of(CALLED)
    seats = tuple(replace(seat, stake=150) if seat.seat == 2 else seat for seat in result.seats)
    found = settle(replace(result, seats=seats), load_game("holdem.co"))
    assert open_ones(found) == {("seat 2 has bet $2 of a stake of $1.50", "47.1-1023(1)")}
    enough = tuple(replace(seat, stake=200) if seat.seat == 2 else seat for seat in result.seats)
    assert settle(replace(result, seats=enough), load_game("holdem.co")).status == "settled"
