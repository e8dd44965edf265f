"""A card burned a moment too early, or one too many: 47.1-1025 keeps it apart or has it back on top.

Cards and money are worked out from the text: nobody's hand changes but by the cards that were on top of the deck then.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

import pytest

from dealer_flow.play.flow import DealerFlow
from dealer_flow.play.machine.states import State
from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from devices import events as e
from protocol.cards import DECK
from tests.support.dealing.hand_table import CONTROLLER, HandTable
from tests.support.dealing.settling_table import SettlingTable
from tests.support.reading.dealt_hands import clean, games


class Hand(NamedTuple):
    """A hand of one game, up to the moment a card is burned too early, and from there on. Lines are parted by ` / `."""

    game: str
    until: str
    """Somebody has still to act."""
    acts: str
    """The action that is still to come."""
    cards: str
    """The cards that follow the burn."""
    rest: str
    """The rest of the hand."""
    folds: str
    """Acts by which the hand ends without another card, instead."""
    won: dict[int, int]
    """Cents that each seat has won or lost at the end."""
    won_by_folds: dict[int, int]
    burned: tuple[str, ...]
    """Burned cards before and after: `2C` is the one that came too early."""


HOLDEM: Final = Hand(
    "holdem.co",
    "stakes 1: 60000, 2: 60000, 3: 60000 / bets 1: small-blind 500 / bets 2: big-blind 1000 / start at 3"
    " / draw seat 1 AS AD | seat 2 KS KD | seat 3 QS QD / acts 3: call 1000 / acts 1: call 1000",
    "acts 2: check",
    "draw community 3H 4D 7D",
    "acts 1: check / acts 2: check / acts 3: check / burn-card 3C / draw community 9H"
    " / acts 1: check / acts 2: check / acts 3: check / burn-card 4C / draw community TD"
    " / acts 1: check / acts 2: check / acts 3: check"
    " / show community: 3H 4D 7D 9H TD / show seat 1: AS AD / show seat 2: KS KD / show seat 3: QS QD",
    "acts 2: raise 5000 / acts 3: fold / acts 1: fold",
    {1: 2000, 2: -1000, 3: -1000},
    {1: -1000, 2: 2000, 3: -1000},
    ("2C", "3C", "4C"),
)
"""Aces win three dollars-a-head pots of 1000 cents: 3000, of which 1000 are their own."""
OMAHA: Final = HOLDEM._replace(
    game="omaha.co",
    until=HOLDEM.until.replace("AS AD", "AS AD 6H 8H").replace("KS KD", "KS KD 5H 8S").replace("QS QD", "QS QD 5S 6S"),
    rest=HOLDEM.rest.replace("AS AD", "AS AD 6H 8H").replace("KS KD", "KS KD 5H 8S").replace("QS QD", "QS QD 5S 6S"),
    # with 6H 8H and 7D 9H TD seat 1 has a straight to the ten; seat 2 has kings, seat 3 queens
)
STUD: Final = Hand(
    "seven-card-stud.co",
    "stakes 1: 60000, 2: 60000 / bets 1: ante 100 / bets 2: ante 100 / start"
    " / draw seat 1 AS AD 9C | seat 2 KS KD 8C / acts 1: bet 500",
    "acts 2: call 500",
    "draw seat 1 2D | seat 2 3D",
    "acts 1: check / acts 2: check / burn-card 5C / draw seat 1 4D | seat 2 6D / acts 1: check / acts 2: check"
    " / burn-card 6C / draw seat 1 7H | seat 2 9H / acts 2: check / acts 1: check"
    " / burn-card 7C / draw seat 1 TH | seat 2 JH / acts 2: check / acts 1: check"
    " / show seat 1: AS AD 9C 2D 4D 7H TH / show seat 2: KS KD 8C 3D 6D 9H JH",
    "acts 2: fold",
    {1: 600, 2: -600},
    {1: 100, 2: -100},
    ("2C", "5C", "6C", "7C"),
)
"""Nine high opens against eight high; after the sixth card 9 2 4 7 lies against 8 3 6 9: nine, eight is high."""
EIGHTY_EIGHT: Final = Hand(
    "eighty-eight.co",
    "bets 1: initial 500 / bets 2: initial 500 / bets 3: initial 500 / start at 3 / burn-card 3C"
    " / draw seat 1 AS | seat 2 KS | seat 3 QS / draw seat 1 AD | seat 2 KD",
    "draw seat 3 QD",
    "draw community 3H 4D 7D",
    "burn-card 4C / draw community 9H / choose 1: final, final 1000 / choose 2: final, final 1000 / choose 3: fold"
    " / show community: 3H 4D 7D 9H / show seat 1: AS AD / show seat 2: KS KD",
    "",
    {1: 2000, 2: -1500, 3: -500},
    {},
    ("3C", "2C", "4C"),
)
"""Nobody acts before the flop: the card is burned while the last hole card is still due."""
HANDS: Final = {hand.game: hand for hand in (HOLDEM, OMAHA, STUD, EIGHTY_EIGHT)}
BETTING: Final = {name: hand for name, hand in HANDS.items() if hand.folds}


def dealt(hand: Hand, *parts: str, **options: str) -> SettlingTable:
    """The hand with these parts, played to its end."""
    table = SettlingTable(hand.game, **({"ante": "yes"} if "ante" in hand.until else {}), **options)
    for line in " / ".join(filter(None, parts)).split(" / "):
        table.say(line)
    table.end()
    return table


def check(table: SettlingTable, won: dict[int, int], codes: list[str], burned: tuple[str, ...], back: int = 0) -> None:
    """The hand is whole and paid, every card is somewhere but for those shuffled `back`, and this is on record."""
    result, settlement = table.results[-1], table.settlements[-1]
    assert (result.outcome, table.codes) == ("complete", codes)
    assert (settlement.status, {seat.seat: seat.net for seat in settlement.seats}) == ("settled", won)
    assert result.burned == burned
    on_table = Counter([*result.burned, *result.community, *(card for seat in result.seats for card in seat.cards)])
    bodies = [seen.body for seen in table.seen]
    out = sum(isinstance(body, e.CardDrawn) - isinstance(body, e.CardPushedBack) for body in bodies) - back
    assert (on_table.total(), max(many for card, many in on_table.items() if card != "??")) == (out, 1)


@pytest.mark.parametrize("game", HANDS)
def test_in_time_nothing_is_on_record(game: str) -> None:
    hand = HANDS[game]
    check(dealt(hand, hand.until, hand.acts, "burn-card 2C", hand.cards, hand.rest), hand.won, [], hand.burned)


@pytest.mark.parametrize(
    "report", ["", "mishap burn: early", "mishap burn: early 2C", "mishap community: early 2C", "confirm"]
)
@pytest.mark.parametrize("game", HANDS)
def test_a_card_burned_too_early_and_left_there_is_the_burn(game: str, report: str) -> None:
    """The record is the same for anything that the dealer keys, and at any time."""
    hand = HANDS[game]
    table = dealt(hand, hand.until, "burn-card 2C", report, hand.acts, hand.cards, hand.rest)
    check(table, hand.won, ["burned-early"], hand.burned)
    early = table.incidents[0]
    assert (early.clause, early.unreliable, early.called) == ("47.1-1025", False, None)
    if report.startswith("mishap"):
        late = dealt(hand, hand.until, "burn-card 2C", hand.acts, "mishap burn: early 2C", hand.cards, hand.rest)
        check(late, hand.won, ["burned-early"], hand.burned)


@pytest.mark.parametrize("game", HANDS)
def test_a_card_burned_too_early_and_put_back_on_top_is_burned_again(game: str) -> None:
    hand = HANDS[game]
    early = [hand.until, "burn-card 2C", "push-back"]
    table = dealt(hand, *early, hand.acts, "burn-card 2C", hand.cards, hand.rest)
    check(table, hand.won, ["burned-early", "burned-card-put-back"], hand.burned)
    twice = dealt(hand, *early, "burn-card 2C", hand.acts, hand.cards, hand.rest)  # again too early: one fact
    check(twice, hand.won, ["burned-early", "burned-card-put-back"], hand.burned)
    if hand.folds:
        late = dealt(hand, hand.until, "burn-card 2C", hand.acts, "push-back", "burn-card 2C", hand.cards, hand.rest)
        check(late, hand.won, ["burned-early", "burned-card-put-back"], hand.burned)


@pytest.mark.parametrize("report", ["", "mishap burn: early"])
@pytest.mark.parametrize("game", BETTING)
def test_a_hand_that_ends_by_folds_is_whole_with_a_card_burned_too_early(game: str, report: str) -> None:
    hand = BETTING[game]
    table = dealt(hand, hand.until, "burn-card 2C", report, hand.folds)
    check(table, hand.won_by_folds, ["burned-early"], ("2C",))
    assert table.may("CardDrawn") == []


@pytest.mark.parametrize("game", HANDS)
def test_a_second_burn_lies_apart_and_the_next_card_is_dealt(game: str) -> None:
    hand = HANDS[game]
    table = dealt(hand, hand.until, "burn-card 2C", hand.acts, "burn-card 5D", hand.cards, hand.rest)
    at = hand.burned.index("2C") + 1
    check(table, hand.won, ["burned-early", "burn-count-wrong"], (*hand.burned[:at], "5D", *hand.burned[at:]))
    extra = table.incidents[1]
    assert (extra.counted, extra.expected, extra.clause) == (at + 1, at, "47.1-1025, 47.1-1021")


@pytest.mark.parametrize("game", HANDS)
def test_a_second_burn_may_be_put_back_on_top(game: str) -> None:
    hand = HANDS[game]
    codes = ["burned-early", "burn-count-wrong", "burned-card-put-back"]
    first = hand.cards.split()[3 if "seat" in hand.cards else 2]
    again = [hand.acts, f"burn-card {first}", "push-back"]
    table = dealt(hand, hand.until, "burn-card 2C", *again, hand.cards, hand.rest)
    check(table, hand.won, codes, hand.burned)


@pytest.mark.parametrize("game", HANDS)
def test_a_house_may_have_a_person_decide_on_a_second_burn(game: str) -> None:
    hand = HANDS[game]
    lines = [hand.until, "burn-card 2C", hand.acts, "burn-card 5D"]
    table = dealt(hand, *lines, "confirm", hand.cards, hand.rest, extra_burn="person")
    at = hand.burned.index("2C") + 1
    burned = (*hand.burned[:at], "5D", *hand.burned[at:])
    check(table, hand.won, ["burned-early", "burn-count-wrong", "ruled-on"], burned)
    assert table.incidents[1].called == "supervisor"


# ------------------------------------------------------------------ a shoe that does not say what a card is for


@pytest.mark.parametrize("report", ["mishap burn: early", "mishap burn: early 2C", "count burn: 1"])
@pytest.mark.parametrize("when", ["at once", "after the betting", "after the cards"])
@pytest.mark.parametrize("game", BETTING)
def test_a_person_says_that_the_card_was_burned(game: str, when: str, report: str) -> None:
    """Said later, the cards that followed had been taken for it: each lies one place further on."""
    hand = BETTING[game]
    if report.startswith("count") and when == "after the cards":
        report = "mishap burn: not-burned"  # as many as the shoe knows of: what it took for the burn was none
    parts = {
        "at once": [report, hand.acts, hand.cards],
        "after the betting": [hand.acts, report, hand.cards],
        "after the cards": [hand.acts, hand.cards, report],
    }[when]
    table = dealt(hand, hand.until, "draw 2C", *parts, hand.rest)
    check(table, hand.won, ["out-of-turn", "burned-early"], hand.burned)


def test_the_flop_that_is_shown_says_that_the_card_was_burned() -> None:
    table = dealt(HOLDEM, HOLDEM.until, "draw 2C", HOLDEM.acts, HOLDEM.cards, "show community: 3H 4D 7D", HOLDEM.rest)
    check(table, HOLDEM.won, ["out-of-turn", "burned-early"], HOLDEM.burned)


def test_a_hand_that_ends_by_folds_needs_a_word_on_a_card_that_the_shoe_does_not_name() -> None:
    table = dealt(HOLDEM, HOLDEM.until, "draw 2C", HOLDEM.folds, "mishap burn: early")
    check(table, HOLDEM.won_by_folds, ["out-of-turn", "burned-early"], ("2C",))


@pytest.mark.parametrize("report", ["mishap burn: early 5D", "count burn: 2"])
def test_a_burn_too_many_that_the_shoe_does_not_name(report: str) -> None:
    """It lies where the first card of the flop should, until the dealer says so or counts what is burned."""
    lines = [HOLDEM.until, HOLDEM.acts, "burn-card 2C", "draw 5D"]
    table = dealt(HOLDEM, *lines, report, HOLDEM.cards, HOLDEM.rest)
    check(table, HOLDEM.won, ["burn-count-wrong"], ("2C", "5D", "3C", "4C"))


# ------------------------------------------------------------------ beside cards that come early

TURN: Final = f"{HOLDEM.until} / {HOLDEM.acts} / burn-card 2C / {HOLDEM.cards} / acts 1: check"
CHECKS: Final = "acts 1: check / acts 2: check / acts 3: check"
ASIDE: Final = (
    f"{TURN} / draw 8D / mishap community: early 8D / acts 2: check / acts 3: check"
    f" / burn-card 3C / draw community 9H / {CHECKS} / back / reshuffle"
)
"""The fourth card came early and goes back; the last comes out of what is shuffled, and no burn is named for it."""
SHOWN: Final = "show community: 3H 4D 7D 9H TD / show seat 1: AS AD / show seat 2: KS KD / show seat 3: QS QD"


@pytest.mark.parametrize(
    "last",
    [
        "burn-card 4C / draw community TD",
        "draw 4C TD / mishap burn: early 4C",
        "draw 4C TD / count burn: 3",
        "draw 4C / count burn: 3 / draw community TD",
        "draw 4C TD / show community: 3H 4D 7D 9H TD",
    ],
)
def test_a_burn_too_many_before_the_last_card(last: str) -> None:
    table = dealt(HOLDEM, ASIDE, last, CHECKS, SHOWN)
    result, settlement = table.results[-1], table.settlements[-1]
    assert (result.outcome, settlement.status) == ("complete", "settled")
    assert (result.burned, {seat.seat: seat.net for seat in settlement.seats}) == (("2C", "3C", "4C"), HOLDEM.won)
    assert [*result.community] == ["3H", "4D", "7D", "9H", "TD"]
    assert "burn-count-wrong" in table.codes


@pytest.mark.parametrize(
    ("early", "more"),
    [
        ("mishap community: early 8D / acts 2: check / acts 3: check / burn-card 3C / draw 9H", ()),
        ("acts 2: check / acts 3: check / mishap community: early 8D / burn-card 3C / draw 9H", ()),
        ("acts 2: check / acts 3: check / burn-card 3C / draw 9H / mishap community: early 8D", ("6C",)),
    ],
)
def test_a_card_burned_before_an_early_fourth_card_stays_and_another_is_burned(
    early: str, more: tuple[str, ...]
) -> None:
    """47.1-1021 burns and turns the would-be fifth, and names no burn before the last card; who hears only then that
    the fourth came early has a burn due there."""
    last = " / ".join(f"burn-card {card}" for card in more)
    table = dealt(
        HOLDEM, TURN, "burn-card 5D / draw 8D", early, CHECKS, "back / reshuffle", last, "draw TD", CHECKS, SHOWN
    )
    result = table.results[-1]
    assert (result.outcome, result.community) == ("complete", ("3H", "4D", "7D", "9H", "TD"))
    assert result.burned == ("2C", "5D", "3C", *more)
    assert {seat.seat: seat.net for seat in table.settlements[-1].seats} == HOLDEM.won


@pytest.mark.parametrize("said", ["now", "then"])
def test_a_flop_dealt_early_goes_back_and_the_card_burned_before_it_stays(said: str) -> None:
    word = "mishap community: early / back 3 / reshuffle"
    parts = [word, HOLDEM.acts] if said == "now" else [HOLDEM.acts, word]
    lines = [HOLDEM.until, "burn-card 2C / draw 5H 6D 8D", *parts, HOLDEM.cards, HOLDEM.rest]
    codes = ["burned-early", "out-of-turn", "card-early", "cards-put-back"]
    check(dealt(HOLDEM, *lines), HOLDEM.won, codes, HOLDEM.burned, back=3)


def test_stud_buries_an_early_street_and_burns_another_before_the_next() -> None:
    """47.1-1021: the card that came, and one for the other player; they get the cards meant for the next round."""
    early = "burn-card 2C / draw 8D / mishap seat 1: early"
    table = dealt(STUD, STUD.until, early, STUD.acts, "draw 8H / burn-card 5D", STUD.cards, STUD.rest)
    result = table.results[-1]
    assert (result.outcome, result.burned) == ("complete", ("2C", "5D", "5C", "6C", "7C"))
    assert {seat.seat: seat.net for seat in table.settlements[-1].seats} == STUD.won


# ------------------------------------------------------------------ elsewhere


def test_eighty_eight_burns_before_the_wagers_are_closed() -> None:
    """(3) burns before the first card; the dealer does so before START GAME."""
    hand = EIGHTY_EIGHT
    early = hand.until.replace(" / start at 3 / burn-card 3C", " / burn-card 3C / start at 3")
    table = dealt(hand, early, hand.acts, "burn-card 2C", hand.cards, hand.rest)
    check(table, hand.won, ["burned-early"], hand.burned)
    back = hand.until.replace(" / start at 3 / burn-card 3C", " / burn-card 3C / push-back / start at 3 / burn-card 3C")
    table = dealt(hand, back, hand.acts, "burn-card 2C", hand.cards, hand.rest)
    check(table, hand.won, ["burned-early", "burned-card-put-back"], hand.burned)


def test_a_game_that_burns_nothing_keeps_a_burned_card_apart() -> None:
    """Five-card stud: the section names no burn."""
    table = SettlingTable("five-card-stud.co")
    table.play("stakes 1: 9000, 2: 9000\nstart\ndraw seat 1 AS KD | seat 2 2C 3C\nacts 1: bet 500\nburn-card 9S")
    assert (table.flow.state, table.codes) == (State.ACTING, ["burn-count-wrong"])
    table.play("mishap burn: early\nmishap burn: early 9S\nacts 2: fold")
    assert (table.end().outcome, table.results[-1].burned) == ("complete", ("9S",))
    assert table.codes == ["burn-count-wrong"]  # a report tells nothing more
    assert {seat.seat: seat.net for seat in table.settlements[-1].seats} == {1: 0}


def test_a_game_that_burns_nothing_has_a_burned_card_back_on_top() -> None:
    """47.1-1025 is of any game: the card is dealt then."""
    table = HandTable("five-card-stud.co")
    table.play("stakes 1: 9000, 2: 9000\nstart\nburn-card 9S\npush-back\ndraw seat 1 9S KD | seat 2 2C 3C")
    table.play("acts 1: bet 500\nacts 2: fold")
    assert (table.end().outcome, table.results[-1].burned) == ("complete", ())
    assert table.codes == ["burn-count-wrong", "burned-card-put-back"]


def test_a_correction_of_the_last_act_leaves_the_early_burn_where_it_lies() -> None:
    """The betting that seemed over goes on; the card still serves, and no other is due."""
    lines = [HOLDEM.until, "burn-card 2C / acts 2: check / acts 2: raise 2000 corrected / acts 3: fold / acts 1: fold"]
    check(dealt(HOLDEM, *lines), {1: -1000, 2: 2000, 3: -1000}, ["burned-early"], ("2C",))


def test_a_joker_burned_too_early_is_dead_and_the_burn_is_due_in_its_time() -> None:
    """47.1-1037: it is no card of this deck, so another is burned."""
    table = dealt(HOLDEM, HOLDEM.until, "burn-card X1", HOLDEM.acts, "burn-card 2C", HOLDEM.cards, HOLDEM.rest)
    result = table.results[-1]
    assert (result.outcome, table.codes, result.burned) == ("complete", ["burned-early", "stray-joker"], HOLDEM.burned)


def test_the_next_hand_starts_clean() -> None:
    table = dealt(HOLDEM, HOLDEM.until, "burn-card 2C", HOLDEM.folds)
    table.fresh_deck(1)
    for line in f"{HOLDEM.until} / {HOLDEM.acts} / burn-card 2C / {HOLDEM.cards} / {HOLDEM.rest}".split(" / "):
        table.say(line)
    assert table.end().outcome == "complete"
    assert "burned-early" not in [found.code for found in table.results[-1].incidents]


# ------------------------------------------------------------------ every game that burns single cards

BURNING: Final = tuple(
    game
    for game in games()
    if load_procedure(game).device == "card-shoe" and "burn-card" in " ".join(clean(game).lines)
)


def played(game: str, lines: list[str]) -> HandTable:
    """The lines of a clean round."""
    table = HandTable(game, **{name.replace("-", "_"): value for name, value in clean(game).options.items()})
    table.play(lines)
    table.end()
    return table


@pytest.mark.parametrize("game", sorted({*BURNING} - {"208.co", "eighty-eight.co"}))
def test_every_burn_of_every_game_may_come_before_the_last_act(game: str) -> None:
    """The round comes out as it does when the card is burned in time. A discard that may come until the next cards are
    out holds no burn up. 208 Poker's choices are free; in Eighty-eight nobody acts before a burn."""
    lines = [*clean(game).lines]
    in_time = played(game, lines).results[-1]
    acts = [at for at, line in enumerate(lines) if line.startswith(("acts", "choose"))]
    moved = 0
    for at in (at for at in acts if lines[at + 1 : at + 2] and lines[at + 1].startswith("burn-card ")):
        table = played(game, [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]])
        result, moved = table.results[-1], moved + 1
        codes = [] if lines[at].endswith(": discard") else ["burned-early"]
        assert (table.codes, result.outcome) == (codes, "complete"), lines[at]
        assert (result.burned, result.community, result.seats) == (in_time.burned, in_time.community, in_time.seats)
    assert moved


@pytest.mark.parametrize("game", BURNING)
def test_an_extra_burn_before_any_burn_of_any_game_lies_apart(game: str) -> None:
    """Burned twice, the second card is one that no hand of this round has."""
    lines = [*clean(game).lines]
    in_time = played(game, lines).results[-1]
    words = set(" ".join(lines).split())
    spare = next(card.text for card in DECK if card.text not in words)
    burns = [at for at, line in enumerate(lines) if line.startswith("burn-card ")]
    for at in burns:
        table = played(game, [*lines[: at + 1], f"burn-card {spare}", *lines[at + 1 :]])
        result = table.results[-1]
        assert (table.codes, result.outcome) == (["burn-count-wrong"], "complete"), lines[at]
        assert sorted(result.burned) == sorted([*in_time.burned, spare])
        assert (result.community, result.seats) == (in_time.community, in_time.seats)


BETWEEN_PLAYERS: Final = tuple(
    game
    for game in games()
    if load_procedure(game).device == "card-shoe" and any(" acts " in f" {line}" for line in clean(game).lines)
)


@pytest.mark.more
@pytest.mark.parametrize("game", [*BETWEEN_PLAYERS, "eighty-eight.co", "longhorn.co"])
def test_a_burn_at_any_moment_changes_no_hand(game: str) -> None:
    """A card that no hand of the round has is burned before each line, and may go back on top: nothing else changes."""
    lines = [*clean(game).lines]
    in_time = played(game, lines).results[-1]
    words = {card for line in lines for word in line.split() for card in word.split("+")}
    spare = next(card.text for card in DECK if card.text not in words)
    begins = next(at for at, line in enumerate(lines) if line.startswith("start")) + 1
    for at in range(begins, len(lines) + 1):
        for more in ([f"burn-card {spare}"], [f"burn-card {spare}", "push-back"]):
            table = played(game, [*lines[:at], *more, *lines[at:]])
            result = table.results[-1]
            assert (result.outcome, result.community, result.seats) == ("complete", in_time.community, in_time.seats)
            assert {*table.codes} <= {"burned-early", "burn-count-wrong", "burned-card-put-back"}
            assert (spare in result.burned) is (len(more) == 1)


# ------------------------------------------------------------------ reports that come late


@pytest.mark.parametrize(("silent", "codes"), [(True, ["link-lost"]), (False, ["burned-early"])])
def test_a_burn_that_seems_early_waits_for_the_act_of_a_line_that_was_silent(silent: bool, codes: list[str]) -> None:
    """The controller stores its reports and sends them once its line is there again: the card was burned in time."""
    table = HandTable(HOLDEM.game)
    table.play(HOLDEM.until.split(" / "))
    if silent:
        table.see(CONTROLLER, e.LinkLost("read: gone"), numbered=False)
    table.play(["burn-card 2C", HOLDEM.cards] if silent else ["burn-card 2C"])
    table.play([HOLDEM.acts] if silent else [HOLDEM.acts, HOLDEM.cards])
    table.play(HOLDEM.rest.split(" / "))
    assert (table.end().outcome, table.codes, table.results[-1].burned) == ("complete", codes, HOLDEM.burned)


# ------------------------------------------------------------------ a state that is saved


def lines_of(flow: DealerFlow, seen: list[e.Seen]) -> list[RoundResult | Incident]:
    """Everything that follows from these reports."""
    return [item for each in seen for item in flow.handle(each)]


def test_a_state_saved_between_two_hands_loses_no_burned_card() -> None:
    """Saved after any report after which it can be, and gone on from there: the same follows. It cannot be once a card
    of the hand was burned."""
    table = HandTable("eighty-eight.co")
    early = EIGHTY_EIGHT.until.replace(" / start at 3 / burn-card 3C", " / burn-card 3C / start at 3")
    for _ in range(2):
        parts = (early, EIGHTY_EIGHT.acts, "burn-card 2C", EIGHTY_EIGHT.cards, EIGHTY_EIGHT.rest)
        table.play(" / ".join(parts).split(" / "))
        table.end()
        table.fresh_deck(1)
    whole, saved = lines_of(DealerFlow(table.procedure), table.seen), 0
    assert [item.outcome for item in whole if isinstance(item, RoundResult)] == ["complete", "complete"]
    for at in range(1, len(table.seen) + 1):
        first, second = DealerFlow(table.procedure), DealerFlow(table.procedure)
        before = lines_of(first, table.seen[:at])
        if (state := first.kept()) is not None:
            saved += 1
            second.restore(state)
            assert [*before, *lines_of(second, table.seen[at:])] == whole
    assert 2 <= saved < 10


def test_no_state_is_saved_once_a_card_of_the_coming_hand_was_burned() -> None:
    table = HandTable("eighty-eight.co")
    assert table.flow.kept() is not None
    assert table.play("burn-card 3C").flow.kept() is None
