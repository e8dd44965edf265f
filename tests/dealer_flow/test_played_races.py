"""Races as they are dealt at the table, each with the outcome its paragraph, or the procedure's option, asks for."""

from fractions import Fraction

import pytest

from dealer_flow.play.machine.states import State
from dealer_flow.procedure.load import ProcedureError
from dealer_flow.record.result import RoundResult
from devices import events as e
from protocol.cards import DECK, FOREIGN_BACK, UNREAD, parse_card
from protocol.places import SHOE
from rules import settle
from tests.support.dealing.hand_table import DEVICE, SESSION, HandTable
from tests.support.dealing.races import AT_5, AT_10, AT_11, AT_16, GAME, NEVER, SPOTS, race_table
from tests.support.reading.sentences import facts


def finish(result: RoundResult) -> tuple[int, str | None] | None:
    assert result.draw is not None
    return (result.draw.finish.cards, result.draw.finish.column) if result.draw.finish else None


def started(**options: object) -> HandTable:
    return race_table(**options).bet(1, red=500, number_17=200).start()  # type: ignore[arg-type]


# ------------------------------------------------------------------ clean races


@pytest.mark.parametrize(
    ("cards", "wanted"),
    [(AT_5, (5, "hearts")), (AT_10, (10, "hearts")), (AT_11, (11, "hearts")), (AT_16, (16, "diamonds"))],
)
def test_five_in_a_column_end_the_race(cards: str, wanted: tuple[int, str]) -> None:
    """RTF 4."""
    table = started().draw(cards)
    assert table.flow.state is State.SETTLING
    result = table.end()
    assert (result.outcome, finish(result), table.codes) == ("complete", wanted, [])
    assert result.draw is not None
    assert result.draw.cards == tuple(cards.split())
    assert {name: len(column) for name, column in result.draw.columns.items()} == {
        name: sum(card[1] == letter for card in cards.split())
        for name, letter in {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S"}.items()
    }
    assert (result.packets, result.community, result.dealer, result.remainder) == ((), (), None, None)
    assert result.shoe is not None
    assert (result.shoe.id, result.shoe.loaded, result.shoe.drawn) == (1, 52, len(cards.split()))
    assert result.shoe.left == 52 - len(cards.split())
    assert RoundResult.from_json(result.to_json()) == result


def test_the_columns_hold_the_cards_in_their_order() -> None:
    result = started().draw(AT_10).end()
    assert result.draw is not None
    assert result.draw.columns == {
        "clubs": ("2C", "6C"),
        "diamonds": ("3D", "7D"),
        "hearts": ("4H", "8H", "9H", "TH", "3H"),
        "spades": ("5S",),
    }


def test_sixteen_without_a_flush_and_nobody_switches() -> None:
    """RTF 5."""
    table = started().draw(NEVER)
    assert table.flow.state is State.EXTRA
    result = table.end()
    assert (result.outcome, finish(result), table.codes) == ("complete", (16, None), [])
    assert result.draw is not None
    assert result.draw.extra is None


def test_without_a_bet_on_17_the_race_is_over_after_16() -> None:
    table = race_table().bet(1, red=500).start().draw(NEVER)
    assert table.flow.state is State.SETTLING
    assert table.end().outcome == "complete"


def test_a_switched_17_draws_the_17th_card() -> None:
    """RTF 6: part of the 17 wager is moved to a suit; the 17th card completes a flush."""
    table = started().draw(NEVER).bet(1, switch_hearts=50)
    result = table.draw("KH").end()
    assert (result.outcome, finish(result), table.codes) == ("complete", (17, "hearts"), [])
    assert result.draw is not None
    assert (result.draw.extra, len(result.draw.columns["hearts"])) == ("KH", 5)
    assert result.seats[0].wagers == {"red": 500, "number-17": 150, "switch-hearts": 50}


def test_a_switch_is_changed_until_the_card_comes() -> None:
    table = started().draw(NEVER).bet(1, switch_hearts=200).bet(1, switch_hearts=0).bet(1, switch_clubs=80)
    assert table.draw("KH").end().seats[0].wagers == {"red": 500, "number-17": 120, "switch-clubs": 80}
    assert table.codes == []


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        ([("switch_hearts", 201)], "money_is_there"),
        ([("switch_hearts", 50), ("switch_clubs", 50)], "one_bet_moved"),
    ],
)
def test_a_switch_the_rules_do_not_know(moves: list[tuple[str, int]], why: str) -> None:
    table = started().draw(NEVER)
    for bet, cents in moves:
        table.bet(1, **{bet: cents})
    assert table.incidents[-1].reason == why
    assert table.controller(e.GameEnded(1)).incidents[-1].reason == ("extra_drawn" if len(moves) > 1 else why)


def test_a_switch_at_another_time_is_refused() -> None:
    assert started().draw("2C").bet(1, switch_hearts=50).draw("3C").end().outcome == "unreliable"
    table = started(seventeenth_card="never").draw(NEVER)
    assert table.flow.state is State.SETTLING
    table.bet(1, switch_hearts=50)
    assert table.incidents[-1].reason == "table_has_extra"


def test_always_a_17th_card() -> None:
    table = race_table(seventeenth_card="always").bet(1, red=500).start().draw(NEVER)
    assert table.controller(e.GameEnded(1)).incidents[-1].reason == "extra_drawn"
    table = race_table(seventeenth_card="always").bet(1, red=500).start().draw(NEVER)
    assert finish(table.draw("9S").end()) == (17, "spades")


def test_races_follow_one_another_from_one_shoe() -> None:
    table = started().draw(AT_11)
    first = table.end()
    second = table.bet(2, odd=100).start().draw("AC TC JC QC KC").end()
    assert [first.outcome, second.outcome] == ["complete", "complete"]
    assert second.shoe is not None
    assert (second.shoe.drawn, second.shoe.left) == (16, 36)
    assert [seat.seat for seat in second.seats] == [2]
    shoe = table.flow.shoe
    assert shoe is not None
    assert shoe.penetration == Fraction(4, 13)
    assert shoe.composition()["AC"] == 1
    assert sum(shoe.composition().values()) == 16


def test_a_shoe_that_says_less_gives_the_same_round() -> None:
    """No filling announced and no ordinals, as a shoe that only names its cards."""
    assert started(filled=False, counts=False).draw(AT_11).end() == started().draw(AT_11).end()


# ------------------------------------------------------------------ bets and the first card


def test_a_card_before_bets_are_closed() -> None:
    """RTF 2-3."""
    table = race_table().bet(1, red=500).draw("2C").start().draw(AT_5)
    assert table.codes[0] == "draw-before-close"
    assert table.incidents[0].clause == "RTF 2-3"
    assert table.end().outcome == "unreliable"


def test_a_bet_after_the_first_card() -> None:
    """Only that bet is held: the race continues for all others."""
    result = started().draw("2C").bet(2, odd=100).bet(1, red=900).draw("3C 4C 5C 6C").end()
    assert result.outcome == "complete"
    assert [(seat.seat, seat.status, [*seat.held]) for seat in result.seats] == [
        (1, "live", ["red"]),
        (2, "out", ["odd"]),
    ]
    assert result.seats[0].wagers == {"red": 500, "number-17": 200}
    lines = {(line.seat, line.bet): line.result for line in settle(result, GAME).lines}
    assert lines == {(1, "red"): "held", (1, "number-17"): "lose"}


def test_burned_cards_play_no_part() -> None:
    table = race_table().device(e.BurnStarted(1)).draw("9C").draw_one(parse_card("8C"), "burn").bet(1, red=500).start()
    result = table.draw(AT_5).end()
    assert (result.outcome, result.burned, finish(result)) == ("complete", ("9C", "8C"), (5, "hearts"))
    assert result.shoe is not None
    assert result.shoe.drawn == 7
    assert started().draw_one(parse_card("8C"), "burn").end().outcome == "unreliable"


def test_nobody_bets() -> None:
    table = race_table().start().draw(AT_5)
    assert (table.incidents[0].code, table.incidents[0].bet) == ("no-entering-bet", None)
    assert table.end().outcome == "unreliable"


# ------------------------------------------------------------------ unread cards


def test_an_unread_card_waits_for_a_supervisor() -> None:
    table = started().draw("AH ?? 9H")
    assert table.codes == ["card-unread", "draw-before-named"]
    assert table.flow.state is State.NAMING
    assert str(table.flow.legal()[0]) == "supervisor: name card 2"
    table.name("5H")
    assert table.codes[-1] == "naming-refused"
    table.badge(31, "dealer").name("5H")
    assert (table.codes[-1], table.flow.state) == ("naming-refused", State.NAMING)
    table.badge(77).name("5H")
    assert facts(table.incidents[-1]) == {"number": 2, "cards": ("5H",), "badge": 77, "level": "supervisor"}
    assert table.incidents[-1].events[0].device == "controller-1"
    result = table.draw("JH KH").end()
    assert (result.outcome, finish(result)) == ("complete", (5, "hearts"))
    assert result.draw is not None
    assert [(n.position, n.card, n.badge, n.level) for n in result.draw.named] == [(2, "5H", 77, "supervisor")]
    assert settle(result, GAME).status == "settled"


def test_a_badge_from_before_does_not_count() -> None:
    table = started().badge(77).draw("AH ??").name("5H")
    assert table.codes[-1] == "naming-refused"


@pytest.mark.parametrize(("level", "option"), [("dealer", "dealer"), ("", "anyone")])
def test_who_may_name_it_is_the_houses(level: str, option: str) -> None:
    table = started(unread_card_named_by=option).draw("AH ??")
    if level:
        table.badge(5, level)
    assert table.name("5H").draw("9H JH KH").end().outcome == "complete"


def test_an_unread_card_nobody_names_is_never_settled() -> None:
    table = started().draw("AH 5H 9H JH ??")
    result = table.end()
    assert table.incidents[-1].reason == "card_named"
    assert (result.outcome, finish(result)) == ("unreliable", None)
    assert {line.result for line in settle(result, GAME).lines} == {"held"}


def test_a_name_that_shows_the_race_was_over_leaves_the_rest_overdrawn() -> None:
    table = started().draw("AH 5H 9H JH ?? 2C 3C").badge(77).name("KH")
    result = table.end()
    assert (result.outcome, finish(result)) == ("complete", (5, "hearts"))
    assert result.draw is not None
    assert result.draw.overdrawn == ("2C", "3C")
    assert table.codes.count("card-overdrawn") == 2


def test_the_17th_card_unread() -> None:
    table = started().draw(NEVER).bet(1, switch_hearts=50).draw("??")
    assert table.flow.state is State.NAMING
    assert finish(table.badge(77).name("KH").end()) == (17, "hearts")


def test_a_person_who_names_a_card_the_shoe_read_otherwise() -> None:
    table = started().draw("AH 5H").badge(77).name("6H")
    assert table.codes == ["faces-disagree"]
    assert table.end().outcome == "unreliable"
    agreed = started().draw("AH 5H").name("5H")
    assert agreed.draw("9H JH KH").end().outcome == "complete"


def test_two_unread_cards_are_named_in_their_order() -> None:
    table = started().draw("?? ??").badge(7).name("2C").badge(7).name("3C")
    result = table.draw("4C 5C 6C").end()
    assert result.draw is not None
    assert result.draw.columns["clubs"] == ("2C", "3C", "4C", "5C", "6C")


# ------------------------------------------------------------------ doubtful cards


def read_as(card: str, confidence: int | None, *flags: str, ordinal: int = 1) -> e.CardDrawn:
    return e.CardDrawn(ordinal, parse_card(card), None, confidence, flags)


@pytest.mark.parametrize(
    ("confidence", "flags", "reason"),
    [
        (89, (), "unsure"),
        (0, ("index", "dirty"), "unsure"),
        (99, ("index", "code", "disagree"), "readers-disagree"),
        (None, ("disagree",), "readers-disagree"),
    ],
)
def test_a_doubtful_card_waits_for_a_supervisor(confidence: int | None, flags: tuple[str, ...], reason: str) -> None:
    table = started().device(read_as("AH", confidence, *flags))
    assert (table.codes, table.flow.state) == (["card-doubtful"], State.NAMING)
    doubtful = table.incidents[0]
    said = {"place": "shoe", "number": 1, "cards": ("AH",), "confidence": confidence, "flags": flags}
    assert facts(doubtful) == {name: fact for name, fact in said.items() if fact not in (None, ())}
    assert (doubtful.reason, doubtful.clause) == (reason, "procedure")
    table.ordinal = 1
    assert table.name("AH").codes[-1] == "naming-refused"
    result = table.badge(77).name("TH").draw("5H 9H JH KH").end()
    assert (result.outcome, finish(result)) == ("complete", (5, "hearts"))
    assert result.draw is not None
    assert result.draw.cards == ("TH", "5H", "9H", "JH", "KH")
    assert settle(result, GAME).status == "settled"


@pytest.mark.parametrize(
    ("confidence", "flags"), [(90, ()), (100, ("index", "code")), (None, ()), (95, ("dirty", "slow"))]
)
def test_a_card_that_is_read_surely_asks_nobody(confidence: int | None, flags: tuple[str, ...]) -> None:
    table = started().device(read_as("AH", confidence, *flags))
    assert (table.codes, table.flow.state) == ([], State.DRAWING)


def test_a_doubtful_card_nobody_names_is_never_settled() -> None:
    table = started().draw("AH 5H 9H JH").device(read_as("KH", 1, ordinal=5))
    result = table.end()
    assert (result.outcome, finish(result)) == ("unreliable", None)
    assert {line.result for line in settle(result, GAME).lines} == {"held"}


@pytest.mark.parametrize(
    ("least", "confidence", "flags", "codes"),
    [
        (0, 0, (), []),
        (0, 100, ("disagree",), ["card-doubtful"]),
        (40, 40, (), []),
        (41, 40, (), ["card-doubtful"]),
        (100, 99, (), ["card-doubtful"]),
    ],
)
def test_the_table_sets_how_sure_is_sure(least: int, confidence: int, flags: tuple[str, ...], codes: list[str]) -> None:
    table = race_table(least_confidence=least)
    table.bet(1, red=500).start().device(read_as("AH", confidence, *flags))
    assert table.codes == codes


def test_a_doubtful_card_told_twice_is_one_card() -> None:
    doubtful = read_as("AH", 20)
    table = started().device(doubtful).device(doubtful)
    assert table.codes == ["card-doubtful"]
    assert table.flow.snapshot().columns[0].cards == ()


# ------------------------------------------------------------------ one card too many


def test_an_overdraw_leaves_the_race_as_it_was() -> None:
    table = started().draw(AT_5).draw("2C")
    result = table.end()
    assert (result.outcome, finish(result), table.codes) == ("complete", (5, "hearts"), ["card-overdrawn"])
    assert result.draw is not None
    assert result.draw.overdrawn == ("2C",)
    assert result.shoe is not None
    assert result.shoe.drawn == 6


def test_an_overdraw_where_the_house_is_strict() -> None:
    assert started(overdraw="unreliable").draw(AT_5 + " 2C").end().outcome == "unreliable"


def test_a_17th_card_nobody_asked_for_is_an_overdraw() -> None:
    table = started().draw(NEVER + " KH")
    result = table.end()
    assert (finish(result), table.codes) == ((16, None), ["card-overdrawn"])


# ------------------------------------------------------------------ cards that cannot be


@pytest.mark.parametrize(
    ("card", "code"), [("AH", "duplicate-face"), ("X1", "stray-joker"), ("?#", "foreign-card"), ("==", "foreign-card")]
)
def test_a_card_that_is_not_of_this_shoe(card: str, code: str) -> None:
    table = started().draw(f"AH 2C {card}")
    assert table.codes == [code]
    assert table.flow.state is State.VOID
    result = table.end()
    assert result.outcome == "defective-deck"
    assert {line.result for line in settle(result, GAME).lines} == {"returned"}


def test_a_face_as_often_as_there_are_decks() -> None:
    table = started(decks_in_shoe="2", decks=2, loaded=104).draw("AH AH 5H 9H JH")
    assert (table.end().outcome, table.codes) == ("complete", [])
    assert started(decks_in_shoe="2", decks=2, loaded=104).draw("AH AH AH").end().outcome == "defective-deck"


def test_a_named_card_that_is_already_out() -> None:
    table = started().draw("AH ??").badge(77).name("AH")
    assert "duplicate-face" in table.codes
    assert table.end().outcome == "defective-deck"


def test_a_shoe_with_other_decks_than_the_table() -> None:
    table = race_table(decks=8, loaded=416).bet(1, red=500).start()
    assert table.codes == ["deck-count-wrong"]
    assert table.draw(AT_5).end().outcome == "defective-deck"


# ------------------------------------------------------------------ the order of reports


def test_a_gap_in_the_shoes_count() -> None:
    table = started().draw("AH 5H")
    table.ordinal += 1
    table.draw("9H JH")
    assert table.codes == ["card-missing"]
    result = table.end()
    assert result.outcome == "unreliable"
    assert result.shoe is not None
    assert result.shoe.drawn == 5


@pytest.mark.parametrize("loaded", [52, None])
def test_the_first_card_of_a_shoe_lost(loaded: int | None) -> None:
    table = started(loaded=loaded)
    table.ordinal = 1
    assert table.draw(AT_5).end().outcome == "unreliable"
    assert table.codes == ["card-missing"]


def test_a_program_that_joins_in_the_middle_of_a_shoe() -> None:
    """Cards that left before the first burn it receives cost the bookkeeping, not the race."""
    table = race_table(filled=False)
    table.ordinal = 30
    table.draw_one(parse_card("8C"), "burn").bet(1, red=500).start()
    result = table.draw(AT_5).end()
    assert (result.outcome, table.codes) == ("complete", ["card-missing"])
    assert result.shoe is not None
    assert (result.shoe.drawn, result.shoe.left) == (36, None)


def test_a_count_that_goes_back() -> None:
    table = started().draw("AH 5H 9H")
    table.ordinal = 1
    assert table.draw("JH").end().outcome == "unreliable"


def test_a_hands_count_that_begins_again_is_no_gap() -> None:
    """A shoe that counts fifteen cards and then from one again."""
    table = started()
    for number, text in enumerate(AT_16.split()):
        table.ordinal = number % 15
        table.draw_one(parse_card(text), "player")
    assert (table.end().outcome, table.codes) == ("complete", [])


def test_a_repeated_report_is_one_card() -> None:
    table = started().draw("AH 5H")
    table.ordinal -= 1
    table.draw("5H").device(e.CardReportedAgain(2, parse_card("5H"), None)).device(e.CardReportedAgain(1, UNREAD, None))
    result = table.draw("9H JH KH").end()
    assert (result.outcome, table.codes, finish(result)) == ("complete", [], (5, "hearts"))


@pytest.mark.parametrize(("ordinal", "card"), [(2, "6H"), (9, "6H")])
def test_a_second_report_of_another_card_is_not_believed(ordinal: int, card: str) -> None:
    table = started().draw("AH 5H").device(e.CardReportedAgain(ordinal, parse_card(card), None))
    assert table.draw("9H JH KH").end().outcome == "unreliable"


@pytest.mark.parametrize(
    "body",
    [
        e.DrawWhileLocked(parse_card("2C")),
        e.CardDrawnOutside(parse_card("2C"), "error"),
        e.CardPushedBack(True),
        e.ShoeError(407, True, "code wrong"),
        e.ShoeError(0, False, "E9 Door"),
        e.EventsLost(4, 5),
        e.SessionChanged(SESSION, 0xBEEF),
    ],
)
def test_what_leaves_a_race_open_to_doubt(body: e.Body) -> None:
    table = started().draw("AH 5H").device(body)
    table.controller(e.GameEnded(1))
    assert table.results[-1].outcome == "unreliable"
    decided = started().draw(AT_5)
    if not isinstance(body, e.EventsLost | e.SessionChanged):
        assert decided.device(body).end().outcome == "complete"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (e.EventsLost(4, 5), (4, 5)),
        (e.EventsLost(0, 0), (None, None)),
    ],
)
def test_reports_that_are_missing_are_told_as_far_as_they_are_known(
    body: e.EventsLost, says: tuple[int | None, int | None]
) -> None:
    table = started().draw("AH 5H").device(body)
    (lost,) = table.incidents
    assert (lost.code, lost.device, lost.first, lost.last) == ("events-lost", DEVICE, *says)


@pytest.mark.parametrize("body", [e.CardPulledBack(True), e.Overdrawn(False), e.ShoeError(401, True, "unreadable")])
def test_what_is_only_written_down(body: e.Body) -> None:
    table = started().draw("AH 5H").device(body)
    assert table.codes == ["device-fault"]
    assert table.draw("9H JH KH").end().outcome == "complete"


def test_a_card_drawn_while_locked_counts_as_out() -> None:
    table = race_table().device(e.ShoeLocked(True)).device(e.DrawWhileLocked(parse_card("2C")))
    table.ordinal = 1
    result = table.bet(1, red=500).start().draw(AT_5).end()
    assert result.outcome == "complete"
    assert result.shoe is not None
    assert result.shoe.drawn == 6


# ------------------------------------------------------------------ the cut card and the end of a shoe


def test_the_cut_card_mid_race_and_the_race_is_played_on() -> None:
    table = started().draw("AH 5H").device(e.CutCardSeen()).draw("9H JH KH")
    first = table.end()
    assert (first.outcome, table.codes) == ("complete", ["cut-card"])
    second = table.bet(1, red=500).start().draw("2C 3C 4C 5C 6C").end()
    assert (second.outcome, table.codes[-1]) == ("unreliable", "shoe-over")
    table.device(e.ShoeLoaded(2, 1, 52))
    table.ordinal = 0
    third = table.bet(1, red=500).start().draw("2C 3C 4C 5C 6C").end()
    assert third.outcome == "complete"
    assert third.shoe is not None
    assert (third.shoe.id, third.shoe.drawn) == (2, 5)


def test_one_more_race_after_the_cut_card() -> None:
    table = started(after_cut_card="one-more-race").draw("AH").device(e.CutCardSeen()).draw("5H 9H JH KH")
    table.end()
    assert table.bet(1, red=500).start().draw("2C 3C 4C 5C 6C").end().outcome == "complete"
    assert table.bet(1, red=500).start().draw("2D 3D 4D 5D 6D").end().outcome == "unreliable"


def test_a_shoe_that_does_not_say_it_was_filled_is_another_one_after_the_cut_card() -> None:
    table = started(filled=False).draw("AH").device(e.CutCardSeen()).draw("5H 9H JH KH")
    table.end()
    table.ordinal = 0
    result = table.bet(1, red=500).start().draw(AT_5).end()
    assert result.outcome == "complete"
    assert result.shoe is not None
    assert (result.shoe.id, result.shoe.drawn, result.shoe.left) == (2, 5, 47)


def test_the_shoe_ends_in_the_middle_of_a_race() -> None:
    table = started().draw("AH 5H").device(e.ShoeEnded(1, 2))
    assert table.codes == ["shoe-ended"]
    assert table.end().outcome == "misdeal"


def emptied(cards: list[str], **options: object) -> HandTable:
    """A table whose shoe was emptied by burning."""
    table = race_table(**options)  # type: ignore[arg-type]
    for text in cards:
        table.draw_one(UNREAD if text == "??" else parse_card(text), "burn")
    return table


WHOLE = [card.text for card in DECK]


def test_an_emptied_shoe_accounts_for_every_card() -> None:
    table = emptied(WHOLE).device(e.ShoeEnded(1, 52))
    assert table.codes == []
    shoe = table.flow.shoe
    assert shoe is not None
    assert (shoe.left, shoe.penetration, shoe.over) == (0, 1, True)
    assert shoe.composition() == dict.fromkeys(sorted(WHOLE), 1)


def test_an_emptied_shoe_with_an_unread_card_still_adds_up() -> None:
    assert emptied(["??", *WHOLE[1:]]).codes == []


@pytest.mark.parametrize(
    ("cards", "codes"),
    [
        ([*WHOLE[:-1], WHOLE[0]], ["duplicate-face", "cards-not-conserved"]),
        ([*WHOLE, "??"], ["cards-not-conserved"]),
    ],
)
def test_an_emptied_shoe_that_does_not_add_up(cards: list[str], codes: list[str]) -> None:
    assert emptied(cards).codes == codes


def test_the_shoes_own_count_and_a_persons_count() -> None:
    found = emptied(WHOLE[:3]).device(e.ShoeEnded(1, 4)).incidents[0]
    assert (found.reason, found.counted, found.expected) == ("shoe-count", 4, 3)
    found = emptied(WHOLE[:3]).controller(e.CardsCounted(SHOE, 48)).incidents[0]
    assert (found.reason, found.expected, found.dealt, found.left) == ("shoe-left", 52, 3, 48)
    assert emptied(WHOLE[:3]).controller(e.CardsCounted(SHOE, 49)).codes == []


def test_after_lost_reports_nobody_claims_what_is_left() -> None:
    table = emptied(WHOLE[:3]).device(e.EventsLost(4, 9)).device(e.ShoeEnded(1, 7))
    assert table.codes == ["events-lost"]
    assert table.flow.shoe is not None
    assert table.flow.shoe.left is None


def test_a_shoe_that_starts_anew_between_races_may_have_lost_cards() -> None:
    table = started().draw(AT_5)
    table.end()
    table.device(e.SessionChanged(SESSION, 0xBEEF))
    assert table.flow.shoe is not None
    assert table.flow.shoe.left is None


@pytest.mark.parametrize("counted_again", [True, False])
def test_a_card_pushed_back_between_races_comes_again(counted_again: bool) -> None:
    """An overdrawn card goes back: it opens the next race, and the count of cards left is unknown from then on."""
    table = started().draw(AT_5 + " 2C").device(e.CardPushedBack(False))
    table.end()
    table.ordinal -= counted_again
    result = table.bet(1, red=500).start().draw("2C 3C 4C 5C 6C").end()
    assert (result.outcome, finish(result)) == ("complete", (5, "clubs"))
    assert result.shoe is not None
    assert (result.shoe.drawn, result.shoe.left) == (10, None)


def test_a_card_pushed_back_that_the_shoe_reports_as_the_one_it_was() -> None:
    """In the same race it stays one card too many; in the next it opens the race; before START GAME it is too early."""
    again = e.CardReportedAgain(6, parse_card("2C"), None)
    same = started().draw(AT_5 + " 2C").device(e.CardPushedBack(False)).device(again).end()
    assert same.draw is not None
    assert (same.outcome, same.draw.overdrawn) == ("complete", ("2C",))
    table = started().draw(AT_5 + " 2C").device(e.CardPushedBack(False))
    assert table.end().outcome == "complete"
    opened = table.bet(1, red=500).start().device(again).draw("3C 4C 5C 6C").end()
    assert (opened.outcome, finish(opened)) == ("complete", (5, "clubs"))
    table.ordinal -= 1
    early = table.device(e.CardPushedBack(False)).device(e.CardReportedAgain(10, parse_card("6C"), None))
    assert early.bet(1, red=500).start().draw("2D 3D 4D 5D 6D").end().outcome == "unreliable"


def test_cards_of_two_shoes() -> None:
    table = started().draw("AH 5H").see("shoe-2", e.CardDrawn(1, parse_card("9H"), None))
    assert table.codes == ["other-shoe"]
    assert table.end().outcome == "unreliable"


# ------------------------------------------------------------------ people


def test_a_misdeal_may_be_called_until_the_end() -> None:
    table = started().draw("AH 5H").controller(e.MisdealCalled(77, 0))
    assert table.flow.state is State.VOID
    assert table.end().outcome == "misdeal"


def test_end_game_before_the_race_is_decided() -> None:
    table = started().draw("AH 5H")
    result = table.end()
    assert table.incidents[-1].reason == "race_decided"
    assert result.outcome == "unreliable"


def test_what_is_legal_is_listed() -> None:
    table = race_table()
    bets = [item for item in table.flow.legal() if item.place == "seat 1"]
    assert len(bets) == sum(bet.placed == "before-deal" for bet in race_table().flow.procedure.bet)
    table.bet(1, number_17=100).start()
    assert "draw card 1" in table.flow.legal()[0].what
    table.draw(NEVER)
    moves = [item.value for item in table.flow.legal() if item.event == "WagerPlaced"]
    assert moves == [SPOTS[f"switch-{suit}"] for suit in ("clubs", "diamonds", "hearts", "spades")]
    assert "GameEnded" in {item.event for item in table.flow.legal()}
    table.bet(1, switch_clubs=100)
    assert "GameEnded" not in {item.event for item in table.flow.legal()}


def test_an_option_the_procedure_does_not_know() -> None:
    with pytest.raises(ProcedureError, match="decks-in-shoe: '3' is not allowed; allowed: 1, 2, 4, 6, 8"):
        race_table(decks_in_shoe="3")


def test_a_card_of_another_back_named_by_a_person_is_refused() -> None:
    table = started().draw("AH ??").badge(77).controller(e.HandRevealed(SHOE, (FOREIGN_BACK,), True))
    assert table.end().outcome == "unreliable"
