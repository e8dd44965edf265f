"""The console of games in which players bet against each other: a hand of hold'em with side pots at nine seats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from dealer_flow.record.result import RoundResult
from dealwire.console import betting, scene
from dealwire.console.rendering import render_sections
from dealwire.console.replays import Keep, Replay, Source, deal_again
from dealwire.hub.hub import Hub
from dealwire.hub.view import BettingView, LegalView, SeatView, TableView
from dealwire.table.action_words import action_words
from dealwire.table.open_cards import OpenCards
from devices.events import GameStarted, HandRevealed
from protocol.cards import UNREAD, parse_card
from protocol.places import seat as place_of
from tests.dealwire.test_console_layout import OVERLAPS, SMALL
from tests.support.dealing.full_tables import CHIPS
from tests.support.dealing.side_pot_hand import ALL_IN, BLINDS, CALLED, CARDS, FLOP, HAND, PRE_FLOP, PokerTable
from tests.support.rigs.browser import TEST_S, at_most, chromium, needs_browser, picture, watched
from tests.support.rigs.consoles import running

MOMENTS: Final = {"pre-flop": 3, "all-in": 6, "side-pots": 8, "showdown": len(HAND)}
"""Of a hand, how many of its parts are played."""


def at(moment: str, name: str = "pit-1") -> TableView:
    table = PokerTable(name=name)
    for part in HAND[: MOMENTS[moment]]:
        table.play(part)
    return table.view


def ended() -> PokerTable:
    table = PokerTable()
    for part in HAND:
        table.play(part)
    table.end()
    return table


def seat(view: TableView, number: int) -> SeatView:
    return next(each for each in view.seats if each.seat == number)


def text(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


# ------------------------------------------------------------------ who is waited for, and what that player may do


def test_the_line_that_is_read_first_says_whose_turn_it_is_and_what_may_be_done_with_amounts() -> None:
    line = scene.prompt(at("pre-flop"))
    assert (line.lead, line.more) == ("Seat 9 to act", "call $6, raise to more than $6 or fold")


def test_the_turn_is_that_of_a_player_who_was_passed_by() -> None:
    """The chips that came out of turn lie there, and do not count while that player may act."""
    table = PokerTable()
    for part in (BLINDS, CARDS, "acts 5: raise 600"):
        table.play(part)
    line = scene.prompt(table.view)
    assert (line.lead, line.more) == ("Seat 4 to act", "call $2, raise to more than $2, all-in with $20 or fold")
    assert "skipped" not in text(render_sections(table.view)["felt"])
    table.play("acts 5: withdraw 0")
    assert scene.prompt(table.view) == line


def test_the_turn_is_that_of_a_player_who_was_passed_by_where_the_action_stands() -> None:
    table = PokerTable(out_of_turn="stands")
    for part in (BLINDS, CARDS, "acts 5: raise 600"):
        table.play(part)
    line = scene.prompt(table.view)
    assert (line.lead, line.more) == ("Seat 4 to act", "call $6, raise to more than $6, all-in with $20 or fold")
    assert "skipped" not in text(render_sections(table.view)["felt"])


def test_a_player_who_was_passed_by_and_is_late_is_named() -> None:
    """Two have put chips in since: a supervisor rules, and until then it may act."""
    table = PokerTable()
    for part in (BLINDS, CARDS, "acts 5: raise 600", "acts 6: call 600"):
        table.play(part)
    assert table.view.betting is not None
    assert (table.view.betting.turn, table.view.betting.passed) == ((7, 4), (4,))
    felt = text(render_sections(table.view)["felt"])
    assert "to act" in felt
    assert "skipped" in felt
    fold = [LegalView(actor="player at seat 7", what="fold", place="seat 7")]
    line = betting.prompt_of(table.view.betting, fold)
    assert (line.lead, line.more) == ("Seat 7 to act", "fold; seat 4 was skipped and may still act")


def test_where_nobody_knows_who_is_first_all_that_may_act_are_named() -> None:
    items = [LegalView(actor=f"player at seat {number}", what="check", place=f"seat {number}") for number in (1, 2)]
    assert betting.prompt_of(BettingView(step="third-betting", turn=(1, 2)), items).lead == "Seats 1 and 2 to act"
    both = betting.prompt_of(BettingView(step="flop-betting", turn=(1, 2), passed=(1, 2)), items)
    assert both.lead == "Seats 1 and 2 to act"


def test_nobody_is_asked_to_show_a_hand_that_was_given_up() -> None:
    view = at("showdown")
    assert scene.prompt(view).lead == "Dealer: END GAME"
    assert not [each.seat for each in view.seats if each.next]


# ------------------------------------------------------------------ chips and pots


def test_a_seat_has_its_chips_and_what_it_did() -> None:
    view = at("pre-flop")
    assert [tuple(line) for line in betting.chip_lines(view, seat(view, 4))] == [
        ("bet", "$6"),
        ("behind", "$14"),
        ("put in", "$6"),
    ]
    assert betting.last_action(view, seat(view, 4)) == "raises to $6"
    assert betting.last_action(view, seat(view, 9)) == ""
    assert [line.figure for line in betting.chip_lines(view, seat(view, 9))] == ["–", "$200", "–"]
    unknown = seat(view, 4).model_copy(update={"chips": seat(view, 4).chips.model_copy(update={"behind": None})})  # type: ignore[union-attr]
    assert betting.chip_lines(view, unknown)[1].figure == "unknown"


def with_runners() -> TableView:
    """Return a hand of Home Run with three runners at seat 2, and one at seat 5, where nobody plays."""
    table = PokerTable("home-run.co")
    terms = table.table.terms
    assert terms is not None
    terms.stand({"home-run": 4_000}, {2: 3, 5: 1})
    for line in (
        "stakes 1: 20000, 2: 20000, 3: 20000",
        *(f"bets {number}: ante 100, strike-out 200" for number in (1, 2, 3)),
        "start at 1",
        "draw seat 2 4C 9D | seat 3 KS QD | seat 1 AC AD",
    ):
        table.play(line)
    return table.view


def test_runners_stand_where_they_lie() -> None:
    view = with_runners()
    lines = {each.seat: dict(betting.chip_lines(view, each)) for each in view.seats}
    assert {number: of.get("runners") for number, of in lines.items() if of} == {1: None, 2: "3", 3: None, 5: "1"}
    felt = render_sections(view)["felt"]
    assert felt.count(">runners<") == 2
    assert scene.bets_shown(view) == betting.CHIP_LINES + 1
    assert all(each.runners is None for each in at("pre-flop").seats)


def test_a_list_of_chips_that_may_scroll_can_be_reached_by_keys() -> None:
    view = at("pre-flop")
    assert 'aria-label="Chips of seat 4" tabindex' not in render_sections(view)["felt"]
    rich = seat(view, 4).model_copy(update={"chips": CHIPS})
    view = view.model_copy(update={"seats": (*view.seats[:3], rich, *view.seats[4:])})
    assert 'aria-label="Chips of seat 4" tabindex="0"' in render_sections(view)["felt"]


def test_pots_stand_with_the_seats_that_may_win_them() -> None:
    view = at("side-pots")
    assert [" ".join(line).strip() for line in betting.pot_lines(view)] == [
        "main pot $83 seats 1, 4, 7, 8",
        "side pot 1 $75 seats 1, 7, 8",
        "side pot 2 $42 seats 1, 8",
        "current bets $20",
    ]
    assert view.betting is not None
    assert view.betting.total == 22000


def test_what_goes_back_is_said() -> None:
    table = PokerTable()
    for part in (BLINDS, CARDS, PRE_FLOP, CALLED, FLOP, ALL_IN, "acts 1: fold 0"):
        table.play(part)
    assert " ".join(betting.pot_lines(table.view)[-1]) == "returned $21 to seat 8"


def test_the_felt_has_button_all_in_and_the_last_actions() -> None:
    felt = text(render_sections(at("all-in"))["felt"])
    assert "Seat 1 to act" in felt
    assert "■ all in" in felt
    assert "bet is $60" in felt
    assert "Flop betting" in felt
    assert felt.index("seat 8 raises to $60") < felt.index("seat 7 all-in with $39"), "newest first"
    html = render_sections(at("all-in"))["felt"]
    assert html.count('aria-label="has the button"') == 1


def test_who_took_a_pot_in_is_said() -> None:
    assert betting.recent_actions(at("showdown"))[0] == "seat 4 takes $79 of the main pot"
    assert betting.street(at("showdown")) == "River betting, over"


def test_a_game_without_betting_has_none_of_it() -> None:
    view = at("pre-flop").model_copy(update={"betting": None})
    assert (betting.pot_lines(view), betting.recent_actions(view), betting.street(view)) == ([], [], "Betting")
    assert 'id="pots"' not in render_sections(view)["felt"]


@pytest.mark.parametrize(
    ("action", "manner", "words"),
    [
        ("bet", "", "bets $9"),
        ("call", "string-bet", "calls $9 (a string bet)"),
        ("check", "time-limit", "checks (by the time limit)"),
        ("bring-in", "", "brings in $9"),
        ("0x63", "0xC8", "0x63 $9 (0xC8)"),
    ],
)
def test_an_action_has_words_whatever_a_device_says(action: str, manner: str, words: str) -> None:
    assert action_words(action, 900, manner) == words


# ------------------------------------------------------------------ the money


def test_settled_pots_stand_with_rake_and_who_takes_them() -> None:
    view = ended().view
    assert view.settlement is not None
    assert [(pot.name, pot.cents, pot.rake) for pot in view.settlement.pots] == [
        ("pot", 8300, 400),
        ("side-pot-1", 7500, 0),
        ("side-pot-2", 8200, 0),
    ]
    money = text(render_sections(view)["money"])
    assert "Main pot $83.00 rake $4.00 for seats 1, 4, 7 and 8 Seat 4 takes $79.00 , pair of aces" in money
    assert "Side pot 2 $82.00 for seats 1 and 8 Seat 8 takes $82.00" in money


def test_the_first_places_say_pot_rake_winner_and_the_hand_that_was_shown() -> None:
    view = ended().view
    takes = "seat 4 takes $79, pair of aces; seat 7 takes $75, pair of kings; seat 8 takes $82, pair of queens"
    assert [line.text for line in view.log if line.code == "settlement"] == [f"round 1: pot $240, rake $4: {takes}"]
    shown = {name: text(html) for name, html in render_sections(view).items()}
    assert f"pot $240, rake $4: {takes}" in shown["outcomes"]
    assert "Pot $240 Seat 4 takes $79 pair of aces" in shown["money"]
    assert "Rake $4" in shown["money"]
    assert "Round 1: pot $240, rake $4: seat 4 takes $79, pair of aces; 2 more seats" in shown["felt"]
    shown["money"] = shown["money"].partition("Main pot")[0]
    for name in ("log", "outcomes", "money", "felt"):
        assert "even" not in shown[name].replace("seven", ""), name
        assert "$0.00" not in shown[name], name


def test_a_pot_that_everybody_else_gave_up_names_no_hand() -> None:
    table = PokerTable()
    for part in (BLINDS, CARDS, PRE_FLOP, "acts 9: fold 0\nacts 1: fold 0\nacts 2: fold 100\nacts 3: fold 200"):
        table.play(part)
    for part in (FLOP, "acts 4: all-in 1400\nacts 7: fold 0\nacts 8: fold 0\ntakes 4: 2000"):
        table.play(part)
    table.end()
    (line,) = [line.text for line in table.view.log if line.code == "settlement"]
    assert line.endswith("seat 4 takes $20, the last hand"), line
    assert "aces" not in text(render_sections(table.view)["money"])


def test_only_a_hand_that_was_laid_open_whole_is_named() -> None:
    table = ended()
    (result,) = [item for item in table.outcomes if isinstance(item, RoundResult)]
    laid, aces = OpenCards(), next(seat.cards for seat in result.seats if seat.seat == 4)
    assert laid.seats(result) == frozenset()
    laid.update(GameStarted(1))
    laid.update(HandRevealed(place_of(4), (parse_card(aces[0]), UNREAD), keyed=False))
    assert laid.seats(result) == frozenset()
    laid.update(HandRevealed(place_of(4), tuple(map(parse_card, aces)), keyed=False))
    assert laid.seats(result) == {4}
    laid.update(GameStarted(2))
    assert laid.seats(result) == frozenset()


def test_a_pot_that_is_held_says_why() -> None:
    table = PokerTable()
    for part in HAND[:-1]:
        table.play(part)
    table.play("show community: 2H 6C 9S 3D TD\nshow seat 8: QH QD\nshow seat 1: JC TC\ntakes 4: 100")
    table.end()
    money = text(render_sections(table.view)["money"])
    assert "held: " in money
    assert table.view.held


# ------------------------------------------------------------------ a replay


def replayed() -> Replay:
    def deal(keep: Keep) -> str:
        table = PokerTable()
        table.keep = keep
        for part in HAND:
            table.play(part)
        return ""

    return deal_again(Source("hand", "hand", None, deal))


def test_an_action_is_a_step_one_can_go_to() -> None:
    replay = replayed()
    steps = [replay.steps[number].what for number in replay.index["actions"]]
    assert steps[:3] == [
        "controller-1: seat 4 raises to $6",
        "controller-1: seat 5 folds",
        "controller-1: seat 6 folds",
    ]
    assert steps[-1] == "controller-1: seat 4 takes from the main pot"
    assert len(steps) == 18
    for one, other in zip(replay.steps, replay.steps[1:], strict=False):
        assert one.view != other.view


# ------------------------------------------------------------------ in a real browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.mark.more
@needs_browser
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1400, 900), (2560, 1440)])
def test_a_hand_is_seen_at_every_moment(browser: Any, width: int, height: int) -> None:
    """Nothing overlaps, is cut or too small or changes its size; a checker of accessibility finds nothing."""
    from axe_playwright_python.sync_playwright import Axe

    hub = Hub()
    for moment in MOMENTS:
        hub.show(at(moment, moment))
    table = ended()
    hub.show(table.view.model_copy(update={"table": "ended"}))
    size = {"viewport": {"width": width, "height": height}, "reduced_motion": "reduce"}
    with at_most(2 * TEST_S), running(hub) as console:
        heights = set()
        for scheme in ("light", "dark"):
            with watched(browser, console.address, color_scheme=scheme, **size) as window:
                page = window.page()
                for moment in (*MOMENTS, "ended"):
                    page.goto(f"{console.address}table/{moment}")
                    page.locator("#connection[data-state=live]").wait_for()
                    assert page.evaluate(OVERLAPS) == [], moment
                    assert page.evaluate(SMALL) == [], moment
                    assert page.evaluate("document.documentElement.scrollWidth") <= width, moment
                    heights.add(page.locator(".felt").bounding_box()["height"])
                    found = Axe().run(page).response["violations"]
                    assert not found, [(moment, each["id"], each["nodes"][0]["html"]) for each in found]
                    if width == 1400:
                        picture(page, f"betting-{moment}-{scheme}")
        assert max(heights) - min(heights) < 1, "the felt keeps its height"


@pytest.mark.more
@needs_browser
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1400, 900)])
def test_runners_have_room(browser: Any, width: int, height: int) -> None:
    hub = Hub()
    hub.show(with_runners())
    size = {"viewport": {"width": width, "height": height}, "reduced_motion": "reduce"}
    with running(hub) as console, watched(browser, console.address, color_scheme="dark", **size) as window:
        page = window.page()
        page.goto(f"{console.address}table/pit-1")
        page.locator("#connection[data-state=live]").wait_for()
        assert (page.evaluate(OVERLAPS), page.evaluate(SMALL)) == ([], [])
        assert page.locator("#seat-2 .wagers").inner_text().split()[-2:] == ["runners", "3"]
        picture(page, f"runners-{width}")


@pytest.mark.more
@needs_browser
def test_the_wall_says_what_lies_in_the_pot(browser: Any) -> None:
    hub = Hub()
    hub.show(at("side-pots"))
    with at_most(TEST_S), running(hub) as console, watched(browser, console.address) as window:
        page = window.page(f"{console.address}wall")
        page.locator(".tile-facts", has_text="pot $220").wait_for()
