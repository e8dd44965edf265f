"""Games of steps as they are dealt at the table: stages, shows, exchanges, named hands, exact remainders."""

import pytest

from dealer_flow.play.machine.states import State
from dealer_flow.procedure.schema import Procedure
from dealer_flow.record.result import RoundResult
from devices import events as e
from protocol.cards import parse_card
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import DEVICE, HandTable
from tests.support.dealing.step_games import PACKETS, rows, small, small_table, wrong
from tests.support.reading.sentences import facts


def step(name: str, do: str, rest: str) -> str:
    return rows("step", f'name = "{name}"\ndo = "{do}"\n{rest}')


SHOWDOWN = step("showdown", "reveal", 'order = ["dealer", "community", "seats"]')
LET_IT_RIDE = small(
    step("hands", "deal", 'to = ["seats", "community"]\ncards = 3\nby = "packet"'),
    step("discard", "burn", 'of = "community"\npositions = [3]\nspread = "from-top"\ntop-card = "top"'),
    step("first", "decide", 'choices = ["let-1", "back-1"]'),
    step("one", "show", 'of = ["community"]\ncards = 1'),
    step("second", "decide", 'choices = ["let-2", "back-2"]'),
    step("two", "show", 'of = ["community"]\ncards = 2'),
    step("showdown", "reveal", 'order = ["seats"]'),
    rows(
        "decision",
        'number = 1\nname = "let-1"',
        'number = 2\nname = "back-1"\ntakes-back = "side"',
        'number = 3\nname = "let-2"',
        'number = 4\nname = "back-2"',
    ),
    wrong("seats", "community", then="misdeal"),
    PACKETS,
)


def riding(seats: int = 1) -> HandTable:
    """Hands are dealt, the third community card is burned, the remainder is out."""
    table = small_table(LET_IT_RIDE, seats, start=False)
    for number in range(1, seats + 1):
        table.bet(number, side=500)
    table.start()
    table.deal(*("AH KH QH", "2C 3C 4C")[:seats], "9S TS JS").dump()
    table.burn(3)
    return table


def test_cards_are_shown_one_after_the_other_between_choices() -> None:
    table = riding()
    table.choose(1, 1)
    assert table.may("HandRevealed") == ["dealer: show 1 card of community"]
    table.show("community", "9S").choose(1, 3).show("community", "9S TS").show("seat 1", "AH KH QH")
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", [])
    assert (result.community, result.burned) == (("9S", "TS"), ("??",))
    assert (result.seats[0].decision, result.seats[0].decisions) == ("let-2", ("let-1", "let-2"))


def test_a_bet_is_taken_back_by_a_choice() -> None:
    table = riding()
    table.choose(1, 2).bet(1, side=0).show("community", "9S").choose(1, 3).show("community", "9S TS")
    result = table.end()
    assert (result.outcome, result.seats[0].wagers) == ("complete", {"ante": 500})


def test_a_bet_that_no_choice_gives_back_stays() -> None:
    assert riding().choose(1, 1).bet(1, side=0).codes == ["wager-held"]
    result = riding().choose(1, 2).choose(1, 3).end()  # it should have gone back
    assert (result.outcome, result.seats[0].held.keys()) == ("complete", {"side"})


def test_more_cards_than_may_lie_open() -> None:
    table = riding().choose(1, 1).show("community", "9S TS")
    assert table.codes == ["out-of-turn"]
    assert (table.incidents[0].reason, table.incidents[0].limit) == ("fewer_lie_open", 1)
    assert table.flow.state is State.HALTED


def test_another_card_than_the_one_that_lay_open() -> None:
    table = riding().choose(1, 1).show("community", "9S").choose(1, 3).show("community", "8S TS")
    assert (table.end().outcome, table.codes) == ("unreliable", ["faces-disagree"])


def test_a_table_that_reads_no_faces_passes_the_shows_by() -> None:
    result = riding(2).choose(1, 1).choose(2, 1).choose(1, 3).choose(2, 3).end()
    assert (result.outcome, result.community) == ("complete", ("??", "??"))


def test_a_choice_of_another_step_is_refused() -> None:
    table = riding().choose(1, 3)
    assert table.codes == ["out-of-turn"]
    assert table.flow.state is State.DECIDING
    assert riding(2).choose(1, 1).choose(1, 1).codes == ["out-of-turn"]


# ------------------------------------------------------------------ stages dealt after choices

HOLDEM = small(
    step("hands", "deal", 'to = ["seats", "dealer"]\ncards = 2\nby = "packet"'),
    step("before-flop", "decide", 'choices = ["fold", "raise"]'),
    step("burn", "burn-card", ""),
    step("flop", "deal", 'to = ["community"]\ncards = 3\nby = "packet"\nface = "up"'),
    step("before-turn", "decide", 'choices = ["check", "all-in"]\noptional = true'),
    step("turn", "deal", 'to = ["community"]\ncards = 1\nby = "packet"\nface = "up"'),
    SHOWDOWN,
    rows(
        "decision",
        'number = 1\nname = "fold"\nfolds = true',
        'number = 2\nname = "raise"\nbet = "raise"',
        'number = 3\nname = "check"',
        'number = 4\nname = "all-in"\nlast = true',
    ),
    rows(
        "wrong",
        'of = "seats"\nhow = ["short", "long"]\nthen = "dead-hand"\nreturns = ["ante", "fee"]',
        'of = "dealer"\nhow = ["short", "long"]\nthen = "progressive-only"',
        'of = "community"\nhow = ["short", "long"]\nat = ["flop"]\nthen = "misdeal"\nreturns = ["side"]',
        'of = "community"\nhow = ["short", "long"]\nthen = "person"',
        'of = "community"\nhow = ["exposed"]\nthen = "nothing"',
    ),
    '[fouled]\nthen = "dead-hand"\nreturns = []\nclause = "S fouled"\n',
    PACKETS,
)


def flop(seats: int = 1, cards: str = "9S TS JS") -> HandTable:
    """Hands and choices are made, the flop is out."""
    table = small_table(HOLDEM, seats)
    table.deal(*("AH KH", "2C 3C")[:seats], "5D 6D")
    for number in range(1, seats + 1):
        table.bet(number, raise_=1000).choose(number, 2)
    return table.deal("2S", cards)


def river(table: HandTable) -> RoundResult:
    table.deal("QS").dump().show("dealer", "5D 6D").show("community", "9S TS JS QS")
    return table.show("seat 1", "AH KH").end()


def test_cards_follow_choices() -> None:
    table = flop(2).show("community", "9S TS JS").choose(1, 3).choose(2, 4)
    table.deal("QS").dump().show("dealer", "5D 6D").show("community", "9S TS JS QS").show("seat 1", "AH KH")
    result = table.show("seat 2", "2C 3C").end()
    assert (result.outcome, table.codes) == ("complete", [])
    assert [(p.to, p.expected) for p in result.packets] == [
        ("seat 1", 2),
        ("seat 2", 2),
        ("dealer", 2),
        ("burn", 1),
        ("community", 3),
        ("community", 1),
    ]
    assert (result.community, result.burned) == (("9S", "TS", "JS", "QS"), ("??",))
    assert result.remainder is not None
    assert result.remainder.counted == 52 - 11


def test_a_choice_that_need_not_be_made_is_the_first() -> None:
    result = river(flop().show("community", "9S TS JS"))
    assert (result.outcome, result.seats[0].decisions) == ("complete", ("raise", "check"))


def test_a_raise_that_comes_after_the_flop_was_seen() -> None:
    table = small_table(HOLDEM, 1).deal("AH KH", "5D 6D").choose(1, 2).deal("2S", "9S TS JS")
    table.show("community", "9S TS JS").bet(1, raise_=1000)
    assert table.codes == ["wager-held"]
    assert table.incidents[0].reason == "house_covered"


def test_the_flop_before_every_player_has_chosen() -> None:
    table = small_table(HOLDEM, 1).deal("AH KH", "5D 6D")
    table.dispense("2S")
    assert table.codes == []  # it may lie in the tray
    table.lift()
    assert (table.end().outcome, table.codes[0]) == ("unreliable", "out-of-turn")


def test_when_all_have_folded_the_flop_need_not_come() -> None:
    table = small_table(HOLDEM, 1).deal("AH KH", "5D 6D").choose(1, 1)
    assert table.may("PacketDispensed") == ["shuffler: dispense packet 3 for burn"]
    assert (table.dump().end().outcome, table.codes) == ("complete", [])


def test_the_remainder_before_the_turn() -> None:
    assert flop().dump().codes == ["out-of-turn"]


def test_a_short_flop_is_another_thing_than_a_short_turn() -> None:
    result = flop(cards="9S TS").dump().end()
    assert (result.outcome, result.seats[0].returned) == ("misdeal", {})  # no side bet was made
    assert result.incidents[0].clause == "S wrong 3"
    table = flop().deal("QS KS")
    assert [incident.clause for incident in table.incidents] == ["S wrong 4"]
    assert table.incidents[0].called == "supervisor"


def test_what_goes_back_is_what_the_clause_names() -> None:
    table = small_table(HOLDEM, 2, start=False).bet(1, side=100, fee=50).bet(2, side=200, progressive=100)
    table.start()
    table.deal("AH", "2C 3C", "5D 6D").bet(2, raise_=1000).choose(2, 2).deal("2S", "9S TS JS", "QS").dump()
    result = table.end()
    assert [(seat.status, seat.returned) for seat in result.seats] == [("dead", {"ante": 500, "fee": 50}), ("live", {})]
    table = small_table(HOLDEM, 1, start=False).bet(1, side=100, fee=50).start()
    assert isinstance(table, HandTable)
    result = table.deal("AH KH").misdeal().end()
    back = {"ante": 500, "side": 100, "fee": 50}  # a dead hand alone leaves its fee there
    assert (result.outcome, result.seats[0].returned) == ("misdeal", back)


def test_a_wrong_hand_of_the_house_leaves_the_progressive() -> None:
    table = small_table(HOLDEM, 2, start=False).bet(1, progressive=100).bet(2, side=200, fee=50).start()
    assert isinstance(table, HandTable)
    table.deal("AH KH", "2C 3C", "5D 6D 7D")
    assert table.flow.state is State.PROGRESSIVE
    assert table.may("PacketDispensed") == ["shuffler: dispense packet 4 for burn"]
    result = table.deal("2S", "9S TS JS", "QS").dump().end()
    assert (result.outcome, table.codes) == ("progressive-only", ["dealer-count-wrong"])
    assert [seat.returned for seat in result.seats] == [{"ante": 500}, {"ante": 500, "side": 200}]
    assert [packet.to for packet in result.packets][-2:] == ["community", "community"]


# ------------------------------------------------------------------ what a person sees


def test_a_supervisor_rules_that_play_goes_on() -> None:
    table = flop().mishap("seat 1", "exposed", "AH")
    assert (table.codes, table.incidents[0].called) == (["card-exposed"], "supervisor")
    assert len(table.may("MisdealCalled")) == len(table.may("BadgeSwiped")) == 1
    table.confirm()
    assert table.may("BadgeSwiped") == table.may("MisdealCalled") == []
    assert (river(table).outcome, table.codes) == ("complete", ["card-exposed", "ruled-on"])


def test_a_supervisor_rules_a_misdeal_even_after_a_choice() -> None:
    table = flop().mishap("seat 1", "off-table").misdeal()
    result = table.end()
    assert (result.outcome, table.codes) == ("misdeal", ["card-off-table", "misdeal-called"])
    assert result.seats[0].returned == {"ante": 500, "raise": 1000}


def test_a_round_waits_for_the_ruling() -> None:
    table = flop().deal("QS").dump().mishap("seat 1", "exposed")
    assert table.may("GameEnded") == []
    assert (table.end().outcome, table.codes[-1]) == ("unreliable", "out-of-turn")


def test_a_count_that_is_right_after_all_rules_too() -> None:
    table = flop().deal("QS KS")
    assert table.may("MisdealCalled")
    table.dealt -= 1
    table.count("community", 4)
    assert table.may("MisdealCalled") == []
    assert table.dump().end().outcome == "complete"


def test_a_fouled_hand_is_dead_and_gets_nothing_back() -> None:
    result = river(flop().mishap("seat 1", "fouled"))
    assert (result.seats[0].status, result.seats[0].returned) == ("dead", {})
    assert [incident.code for incident in result.incidents] == ["hand-fouled"]


@pytest.mark.parametrize(
    ("how", "code"), [("joker", "stray-joker"), ("boxed", "boxed-card"), ("licked", "card-mishandled")]
)
def test_where_the_file_is_silent_a_supervisor_comes(how: str, code: str) -> None:
    table = flop().mishap("seat 1", how)
    assert (table.codes, table.incidents[0].called) == ([code], "supervisor")


def test_a_card_exposed_where_it_does_not_matter() -> None:
    assert river(flop().mishap("community", "exposed")).outcome == "complete"


def test_burned_cards_that_touch_the_discards() -> None:
    assert (river(flop().mishap("burn", "fouled")).outcome, flop().mishap("burn", "fouled").codes) == (
        "complete",
        ["burned-card-in-muck"],
    )


def test_a_mishap_between_two_rounds_is_recorded_only() -> None:
    assert small_table(HOLDEM, 1, start=False).mishap("seat 1", "exposed").codes == ["out-of-turn"]


# ------------------------------------------------------------------ single cards from a shoe

STUD = small(
    step("hands", "deal", 'to = ["seats", "dealer"]\ncards = 3\nby = "single"'),
    step("choice", "decide", 'choices = ["fold", "play"]'),
    step("last", "deal", 'to = ["seats", "dealer"]\ncards = 1\nby = "single"\nseats = "live"'),
    step("showdown", "reveal", 'order = ["dealer", "seats"]'),
    rows("decision", 'number = 1\nname = "fold"\nfolds = true', 'number = 2\nname = "play"'),
    rows(
        "wrong",
        'of = "seats"\nhow = ["long"]\nthen = "dead-hand"',
        'of = "seats"\nhow = ["short"]\nthen = "complete"',
        'of = "seats"\nhow = ["short"]\nmissing = 2\nthen = "misdeal"',
        'of = "seats"\nhow = ["exposed"]\nthen = "complete"',
        'of = "dealer"\nhow = ["short", "long"]\nthen = "misdeal"',
    ),
    device='"card-shoe"',
)
DEAL = "AH 2C 5D KH 3C 6D QH 4C 7D"


def stud() -> HandTable:
    return small_table(STUD, 2, start=False).fresh_deck().start().draw(DEAL)


def test_cards_go_round_and_stay_covered() -> None:
    table = stud()
    assert table.flow.state is State.DECIDING
    table.choose(1, 2).choose(2, 1).draw("JH 8D")
    table.show("dealer", "5D 6D 7D 8D").show("seat 1", "AH KH QH JH")
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", [])
    assert [(seat.status, seat.cards) for seat in result.seats] == [
        ("live", ("AH", "KH", "QH", "JH")),
        ("folded", ("2C", "3C", "4C")),
    ]
    assert (result.packets, result.session) == ((), "a1b2c3d4")
    assert result.shoe is not None
    assert (result.shoe.drawn, result.shoe.left) == (11, 41)


def test_no_text_names_a_card_that_is_covered() -> None:
    table = stud().draw("9S")  # before the players have chosen
    assert table.codes == ["out-of-turn"]
    assert "9S" not in table.incidents[0].text
    assert table.end().outcome == "unreliable"


def test_a_card_before_the_bets_are_closed() -> None:
    table = small_table(STUD, 1, start=False).fresh_deck().draw("AH")
    assert table.codes == ["draw-before-close"]
    assert "AH" not in table.incidents[0].text


def test_a_hand_one_short_gets_the_next_card_when_all_have_theirs() -> None:
    table = stud().count("seat 1", 2)
    assert isinstance(table, HandTable)
    assert (table.codes, table.flow.state) == (["counts-differ", "seat-count-wrong"], State.DEALING)
    assert table.may("CardDrawn") == ["dealer: draw a card for seat 1"]
    table.draw("9S").choose(1, 2).choose(2, 2).draw("JH TC 8D")
    result = table.end()
    assert [(seat.status, seat.counted) for seat in result.seats] == [("live", 4), ("live", 4)]
    assert result.outcome == "complete"


def test_a_hand_two_short_is_a_misdeal() -> None:
    result = stud().count("seat 1", 1).end()
    assert (result.outcome, result.incidents[1].clause) == ("misdeal", "S wrong 3")


def test_a_hand_one_long_is_dead() -> None:
    result = stud().count("seat 2", 4).end()
    assert result.seats[1].status == "dead"


def test_an_exposed_card_is_dead_and_replaced() -> None:
    table = stud().mishap("seat 2", "exposed", "4C")
    assert table.may("CardDrawn") == ["dealer: draw a card for seat 2"]
    table.draw("9S").count("seat 2", 3)
    assert table.codes == ["card-exposed"]
    assert table.flow.state is State.DECIDING


def test_an_unread_card_stops_nobody() -> None:
    table = small_table(STUD, 1, start=False).fresh_deck().start()
    table.see(DEVICE, e.CardUnread(1, None))
    table.ordinal = 1
    table.draw("5D KH 6D QH 7D").choose(1, 2).draw("JH 8D")
    result = table.end()
    assert (result.outcome, result.seats[0].cards) == ("complete", ("??", "KH", "QH", "JH"))


def test_a_doubtful_card_lies_covered_and_is_not_recognised() -> None:
    table = small_table(STUD, 1, start=False).fresh_deck().start()
    table.device(e.CardDrawn(1, parse_card("AS"), None, 12, ("disagree",)))
    assert facts(table.incidents[-1]) == {"place": "shoe", "number": 1, "confidence": 12, "flags": ("disagree",)}
    table.ordinal = 1
    table.draw("5D KH 6D QH 7D").choose(1, 2).draw("JH 8D")
    result = table.end()
    assert (table.codes, result.outcome) == (["card-doubtful"], "complete")
    assert result.seats[0].cards == ("??", "KH", "QH", "JH")


def test_a_round_from_a_shoe_that_is_not_fresh() -> None:
    table = stud().choose(1, 1).choose(2, 1)
    table.draw("8D").say("end")
    table.bet(1, ante=500).start()
    assert table.codes == ["deck-not-fresh"]
    assert table.end().outcome == "unreliable"


# ------------------------------------------------------------------ exchanges


def draw_game(by: str) -> Procedure:
    return small(
        step("hands", "deal", 'to = ["seats", "dealer"]\ncards = 5\nby = "packet"'),
        step("choice", "decide", 'choices = ["stand", "draw-2"]'),
        step("exchange", "exchange", f'to = ["seats", "dealer"]\nmost = 2\nby = "{by}"'),
        step("showdown", "reveal", 'order = ["dealer", "seats"]'),
        rows("decision", 'number = 1\nname = "stand"', 'number = 2\nname = "draw-2"\ndraws = 2'),
        wrong("seats"),
        wrong("dealer", then="misdeal"),
        PACKETS,
    )


DRAW, DRAW_SINGLE = draw_game("packet"), draw_game("single")


def drawing() -> HandTable:
    table = small_table(DRAW, 2).deal("AH KH QH 2S 3S", "2C 3C 4C 5C 6C", "7D 8D 9D TD 2D")
    return table.choose(1, 2).choose(2, 1)


def test_discards_are_replaced() -> None:
    table = drawing()
    assert table.flow.state is State.EXCHANGING
    table.deal("JH TH").deal("JD").confirm().dump()
    table.show("dealer", "7D 8D 9D TD JD").show("seat 2", "2C 3C 4C 5C 6C").show("seat 1", "AH KH QH JH TH")
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", [])
    assert [(packet.to, packet.expected) for packet in result.packets[-2:]] == [("seat 1", 2), ("dealer", 1)]
    assert result.remainder is not None
    assert result.remainder.expected == 52 - 18


def test_the_house_gets_one_packet_of_replacements() -> None:
    table = drawing().deal("JH TH", "JD")
    assert round_of(table.flow).next_due is None


def test_replacements_come_one_at_a_time() -> None:
    """Each is a packet of one card, whoever draws it."""
    table = small_table(DRAW_SINGLE, 2).deal("AH KH QH 2S 3S", "2C 3C 4C 5C 6C", "7D 8D 9D TD 2D")
    table.choose(1, 2).choose(2, 1).deal("JH", "TH", "JD 9H").dump()
    packets = table.end().packets[-3:]
    assert [(packet.to, packet.expected) for packet in packets] == [("seat 1", 1), ("seat 1", 1), ("dealer", 1)]


def test_who_draws_in_the_list_of_games() -> None:
    assert [step.brief() for step in DRAW.step][2] == "up to 2 drawn by seats, dealer"


def test_the_house_may_take_no_card() -> None:
    table = drawing().deal("JH TH").dump().show("dealer", "7D 8D 9D TD 2D")
    assert (table.end().outcome, table.codes) == ("complete", [])


def test_one_replacement_too_few_is_a_short_hand() -> None:
    result = drawing().deal("JH").dump().end()
    assert (result.seats[0].status, result.seats[0].counted, result.seats[0].expected) == ("dead", 4, 5)


# ------------------------------------------------------------------ positions, numbers, exact remainders

PAI_GOW = small(
    step(
        "hands",
        "deal",
        'to = ["seats", "dealer"]\ncards = 8\nby = "packet"\nseats = "all"\nfirst = "number"',
    ),
    step("showdown", "reveal", 'order = ["dealer", "seats"]'),
    wrong("seats"),
    rows(
        "wrong",
        'of = "dealer"\nhow = ["short", "long"]\nthen = "misdeal"',
        'of = "remainder"\nhow = ["short", "long"]\nthen = "misdeal"\ncalls = "supervisor"',
    ),
    '[remainder]\ncards = 12\nclause = "S rest"\n',
)


def seven(position: int | None = 3, *, short: str = "") -> HandTable:
    """Every position gets eight cards, the packet of `short` one fewer."""
    table = small_table(PAI_GOW, 2, start=False)
    if position is not None:
        table.controller(e.SpotSelected(position))
    table.start()
    for _ in range(5):
        due = round_of(table.flow).due
        table.deal("?? " * (7 if due is not None and due.text == short else 8))
    return table


def test_the_number_says_who_is_first_and_every_position_gets_cards() -> None:
    table = seven().dump()
    table.show("seat 1", "?? " * 8)
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", ["out-of-turn"])  # the dealer's hand comes first
    assert [packet.to for packet in result.packets] == ["seat 3", "seat 2", "seat 1", "dealer", "seat 4"]
    assert [seat.seat for seat in result.seats] == [1, 2]


def test_the_dealer_may_be_first() -> None:
    assert [packet.to for packet in seven(0).dump().end().packets][:2] == ["dealer", "seat 4"]


def test_the_deal_waits_for_the_number() -> None:
    table = small_table(PAI_GOW, 1)
    assert len(table.may("SpotSelected")) == 5
    assert table.may("PacketDispensed") == []
    table.controller(e.SpotSelected(1))
    assert table.may("PacketDispensed") == ["shuffler: dispense packet 1 for seat 1"]


def test_an_exact_remainder() -> None:
    table = seven().dump(counted=11)
    assert table.codes == ["cards-not-conserved", "remainder-count-wrong"]
    table.count("remainder", 12)
    assert table.end().outcome == "complete"
    assert seven().dump(counted=11).end().outcome == "defective-deck"


def test_a_short_hand_with_another_remainder_is_a_misdeal() -> None:
    table = seven(short="seat 2").dump()
    result = table.end()
    assert (result.outcome, table.codes) == ("misdeal", ["seat-count-wrong", "remainder-count-wrong"])
    assert result.incidents[1].called == "supervisor"


def test_a_hand_where_nobody_plays_is_nobodys() -> None:
    table = seven()
    table.dealt -= 1
    result = table.count("seat 4", 7).dump().end()
    assert [seat.status for seat in result.seats] == ["live", "live"]


# ------------------------------------------------------------------ named hands, by hand, options

NAMED = small(
    rows(
        "hand",
        'name = "left"\nplace = "hand 1"\nside = "players"',
        'name = "right"\nplace = "hand 2"\nside = "house"',
    ),
    step("hands", "deal", 'to = ["left", "right"]\ncards = 3\nby = "packet"'),
    step("own", "deal", 'to = ["seats"]\ncards = 2\nby = "single"\norigin = "hand"'),
    step("showdown", "reveal", 'order = ["right", "left", "seats"]'),
    wrong("right", "seats", then="misdeal"),
    rows("wrong", 'of = "left"\nhow = ["short", "long"]\nthen = "dead-hand"\nreturns = ["side"]'),
    PACKETS,
)


def test_named_hands_and_cards_dealt_by_hand() -> None:
    table = small_table(NAMED, 1).deal("AH KH QH", "2C 3C 4C")
    assert table.may("Confirmed") == ["dealer: deal by hand to seat 1 (1), seat 1 (1), then confirm"]
    table.confirm().dump().show("hand 2", "2C 3C 4C").show("hand 1", "AH KH QH").show("seat 1", "9S TS")
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", [])
    assert [(hand.name, hand.place, hand.cards) for hand in result.hands] == [
        ("left", "hand 1", ("AH", "KH", "QH")),
        ("right", "hand 2", ("2C", "3C", "4C")),
    ]
    assert '"hands":[' in result.to_json()
    assert RoundResult.from_json(result.to_json()) == result


def test_a_dead_hand_of_the_game_gives_its_bet_back_at_every_seat() -> None:
    table = small_table(NAMED, 2, start=False).bet(1, side=300).start()
    assert isinstance(table, HandTable)
    result = table.deal("AH KH", "2C 3C 4C").confirm().dump().end()
    assert [hand.status for hand in result.hands] == ["dead", "live"]
    assert [seat.returned for seat in result.seats] == [{"side": 300}, {}]
    assert table.codes == ["hand-count-wrong"]


def test_a_confirmation_with_nothing_to_confirm_yet() -> None:
    table = small_table(NAMED, 1).confirm()
    assert table.codes == ["out-of-turn"]
    assert not table.incidents[0].unreliable


def test_end_game_before_the_dealer_confirmed() -> None:
    table = small_table(NAMED, 1).deal("AH KH QH", "2C 3C 4C").dump()
    assert table.end().outcome == "unreliable"
    assert table.incidents[0].reason == "cards_out"


CHOICES = small(
    step("hands", "deal", 'to = ["seats"]\ncards = 3\nby = "packet"\nwhen = { option = "size", is = "three" }'),
    step("many", "deal", 'to = ["seats"]\ncards = 4\nby = "packet"\nwhen = { option = "size", is = "four" }'),
    step("choice", "decide", 'choices = ["keep", "both"]\nonly = "side"'),
    step("showdown", "reveal", 'order = ["seats"]'),
    rows("bet", 'number = 6\nname = "second"\nplaced = "by-decision"'),
    rows(
        "decision",
        'number = 1\nname = "keep"\ndiscards = 1',
        'number = 2\nname = "both"\nbets = ["raise", "second"]',
    ),
    '[[option]]\nname = "size"\ndefault = "three"\nallowed = ["three", "four"]\nreason = "S"\n',
    wrong("seats"),
    PACKETS,
)


def test_only_seats_with_the_bet_choose_and_lay_down_cards() -> None:
    table = small_table(CHOICES, 2, start=False).bet(2, side=100).start()
    assert isinstance(table, HandTable)
    table.deal("AH KH QH", "2C 3C 4C")
    assert len(table.may("DecisionMade")) == 2
    table.choose(2, 1).dump().show("seat 2", "2C 3C").show("seat 1", "AH KH QH")
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", [])
    assert [(seat.decision, seat.counted) for seat in result.seats] == [(None, 3), ("keep", 2)]


def test_a_choice_with_two_bets_needs_both() -> None:
    for both in (True, False):
        table = small_table(CHOICES, 1, start=False).bet(1, side=100).start()
        assert isinstance(table, HandTable)
        table.deal("AH KH QH").choose(1, 2).bet(1, raise_=100).dump()
        if both:
            table.bet(1, second=100)
        result = table.end()
        assert (result.outcome, table.codes) == ("complete", [] if both else ["decision-bet-differs"])


def test_an_option_chooses_the_step() -> None:
    table = small_table(CHOICES, 1, size="four").deal("AH KH QH JH").dump()
    assert table.end().outcome == "complete"
    assert small_table(CHOICES, 1).deal("AH KH QH JH").codes == ["seat-count-wrong"]


def test_a_face_in_two_hands_of_a_shoe_of_two_decks() -> None:
    two = small(
        step("hands", "deal", 'to = ["seats"]\ncards = 2\nby = "single"'),
        step("showdown", "reveal", 'order = ["seats"]'),
        wrong("seats"),
        device='"card-shoe"',
        deck='{ cards = 52, jokers = 0, decks = 2, fresh = "until-cut-card", clause = "S" }',
    )
    table = small_table(two, 3, start=False).fresh_deck().start()
    assert isinstance(table, HandTable)
    table.draw("AH AH 2C 3C 4C 5C").show("seat 1", "AH 3C").show("seat 2", "AH 4C")
    assert table.codes == []
    assert table.show("seat 3", "AH 5C").codes[-1] == "duplicate-face"
    assert parse_card("AH").is_face


# ------------------------------------------------------------------ a line that was silent


def test_what_the_table_said_meanwhile_waits_for_the_cards() -> None:
    """The shuffler's line was lost before the turn; what was shown after it waits for the packet."""
    table = flop(2).show("community", "9S TS JS")
    table.see(DEVICE, e.LinkLost("unplugged"), numbered=False)
    table.show("dealer", "5D 6D").show("community", "9S TS JS QS")
    assert table.codes == ["link-lost"]
    table.deal("QS").dump()
    result = table.show("seat 2", "2C 3C").show("seat 1", "AH KH").end()
    assert (result.outcome, table.codes) == ("complete", ["link-lost"])
    assert result.community == ("9S", "TS", "JS", "QS")


def test_a_confirmation_waits_for_the_packets_before_it() -> None:
    table = small_table(NAMED, 1).deal("AH KH QH")
    table.see(DEVICE, e.LinkLost("unplugged"), numbered=False)
    table.confirm()
    table.deal("2C 3C 4C").dump().show("hand 2", "2C 3C 4C").show("hand 1", "AH KH QH").show("seat 1", "9S TS")
    assert (table.end().outcome, table.codes) == ("complete", ["link-lost"])
