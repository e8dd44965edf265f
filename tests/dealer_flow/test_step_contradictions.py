"""Steps that cannot be dealt are refused when the file is read: one line with file, line, key and what is allowed."""

import pytest

from dealer_flow.procedure.load import ProcedureError, check_procedure
from tests.dealer_flow.test_step_games import CHOICES, SHOWDOWN, step
from tests.support.dealing.step_games import PACKETS, rows, small, wrong
from tests.support.reading.each import of_each
from tests.support.reading.refusals import check_refusal

HANDS = step("hands", "deal", 'to = ["seats"]\ncards = 3\nby = "packet"')
COMMUNITY = step("flop", "deal", 'to = ["community"]\ncards = 3\nby = "packet"')
LAST = step("showdown", "reveal", 'order = ["seats"]')
CHOICE = rows("decision", 'number = 1\nname = "go"')
REST = wrong("seats") + PACKETS
BOTH = wrong("seats", "community", then="misdeal") + PACKETS
TURN = '[[option]]\nname = "turn"\ndefault = "clockwise"\nallowed = ["clockwise", "counter-clockwise"]\nreason = "S"\n'


def exchange(line: str) -> list[str]:
    """Hands, a choice that draws, and an exchange with this line."""
    draws = rows("decision", 'number = 1\nname = "go"\ndraws = 1')
    change = step("change", "exchange", f'to = ["seats"]\nmost = 1\n{line}')
    return [HANDS, step("choice", "decide", 'choices = ["go"]'), change, draws]


BAD = {
    "packets that go there and back": (
        [HANDS.replace("cards = 3", 'cards = 3\nrotation = "there-and-back"'), LAST, REST],
        "step[1].rotation",
        "cards that go out one at a time",
    ),
    "a choice before anybody has cards": (
        [step("choice", "decide", 'choices = ["go"]'), HANDS, LAST, CHOICE, REST],
        "step[1].do",
        "no one has cards to decide on yet",
    ),
    "no reveal": ([HANDS, REST], "step", "the last step must be a reveal, and no other step may be"),
    "a step after the reveal": ([LAST, HANDS, REST], "step[1].do", "the last step"),
    "cards shown of what was not dealt": (
        [HANDS, step("show", "show", 'of = ["community"]'), COMMUNITY, LAST, BOTH],
        "step[2].of",
        "'community' has no cards at this step; allowed: seats",
    ),
    "more cards shown than there are": (
        [HANDS, COMMUNITY, step("show", "show", 'of = ["community"]\ncards = 4'), LAST, BOTH],
        "step[3].cards",
        "4 cards of 'community' lie open; allowed: 1 to 3",
    ),
    "fewer cards shown than lie open": (
        [
            HANDS,
            COMMUNITY,
            step("two", "show", 'of = ["community"]\ncards = 2'),
            step("one", "show", 'of = ["community"]\ncards = 1'),
            LAST,
            BOTH,
        ],
        "step[4].cards",
        "allowed: 3 to 3",
    ),
    "burned twice at one place": (
        [
            HANDS,
            COMMUNITY,
            step("one", "burn", 'of = "community"\npositions = [1]\nspread = "from-top"\ntop-card = "top"'),
            step("two", "burn", 'of = "community"\npositions = [2]\nspread = "from-top"\ntop-card = "top"'),
            LAST,
            BOTH,
        ],
        "step[4].of",
        "name all positions in one step",
    ),
    "shown in the end without cards": ([HANDS, SHOWDOWN, REST], "step[2].order", "'dealer' has no cards"),
    "an exchange that nobody asked for": (
        [HANDS, step("change", "exchange", 'to = ["seats"]\nmost = 2'), LAST, REST],
        "step[2].to",
        "no choice before this step draws cards",
    ),
    "a hand that nobody gets": (
        [rows("hand", 'name = "left"\nplace = "hand 1"\nside = "house"'), HANDS, LAST, REST],
        "hand[1].name",
        "no step deals to 'left'",
    ),
    "a hand with a name of every game": (
        [rows("hand", 'name = "dealer"\nplace = "hand 1"\nside = "house"'), HANDS, LAST, REST],
        "hand[1].name",
        "give the hand another name",
    ),
    "two hands at one place": (
        [
            rows(
                "hand",
                'name = "left"\nplace = "hand 1"\nside = "house"',
                'name = "right"\nplace = "hand 1"\nside = "house"',
            ),
            HANDS,
            LAST,
            REST,
        ],
        "hand[2].place",
        "'hand 1' is taken",
    ),
    "an option that is not there": (
        [HANDS.replace("cards = 3", 'cards = 3\nwhen = { option = "side", is = "a" }'), LAST, REST],
        "step[1].when",
        "no option 'side'; known: top",
    ),
    "a step that no value reaches": (
        [HANDS.replace("cards = 3", 'cards = 3\nwhen = { option = "top", is = "up" }'), LAST, REST],
        "step[1].when",
        "'up' is not a value of that option; allowed: left, right",
    ),
    "an order that one value of an option breaks": (
        [HANDS.replace("cards = 3", 'cards = 3\nwhen = { option = "top", is = "left" }'), LAST, REST],
        "step[2].order",
        "'seats' has no cards at this step; allowed: none",
    ),
    "too many cards at one value of an option": (
        [
            HANDS,
            step("many", "deal", 'to = ["seats"]\ncards = 11\nby = "packet"\nwhen = { option = "top", is = "right" }'),
            LAST,
            REST,
        ],
        "seats.most",
        "4 seats need 56 cards and the deck has 52; at most 3",
    ),
    "no cards for the players": (
        [COMMUNITY, LAST.replace("seats", "community"), BOTH],
        "step",
        "no step deals to 'seats'",
    ),
    "no rows for the cards of a later step": (
        [
            HANDS,
            step("more", "deal", 'to = ["seats"]\ncards = 1\nby = "packet"'),
            LAST,
            rows("wrong", 'of = "seats"\nhow = ["short", "long"]\nat = ["hands"]\nthen = "dead-hand"'),
            PACKETS,
        ],
        "wrong",
        "missing: a row of 'seats' for 'short', cards of step 'more'",
    ),
    "only a row for two missing": (
        [
            HANDS,
            LAST,
            rows("wrong", 'of = "seats"\nhow = ["short", "long"]\nmissing = 2\nthen = "dead-hand"'),
            PACKETS,
        ],
        "wrong",
        "missing: a row of 'seats' for 'short'",
    ),
    "missing cards of a hand that is long": (
        [
            HANDS,
            LAST,
            wrong("seats"),
            rows("wrong", 'of = "seats"\nhow = ["long"]\nmissing = 2\nthen = "misdeal"'),
            PACKETS,
        ],
        "wrong[2].missing",
        'how = ["short"]',
    ),
    "a seat selected for nobody": (
        [HANDS, COMMUNITY.replace("cards = 3", 'cards = 3\nfirst = "number"'), LAST, BOTH],
        "step[2].first",
        "a step that deals to the seats",
    ),
    "asked of seats with a bet that is not there": (
        [HANDS, step("choice", "decide", 'choices = ["go"]\nonly = "pair"'), LAST, CHOICE, REST],
        "step[2].only",
        "no bet 'pair'; allowed: ante",
    ),
    "a dead hand of the community": (
        [HANDS, COMMUNITY, LAST, wrong("seats", "community", then="dead-hand"), PACKETS],
        "wrong[2].then",
        "'community' is not a player's hand that could be dead; allowed: nothing, progressive-only",
    ),
    "a choice offered twice": (
        [HANDS, step("choice", "decide", 'choices = ["go", "go"]'), LAST, CHOICE, REST],
        "step[2].choices",
        "a choice may occur only once",
    ),
    "a burn of what was not dealt": (
        [
            HANDS,
            step("one", "burn", 'of = "community"\npositions = [1]\nspread = "from-top"\ntop-card = "top"'),
            LAST,
            REST,
        ],
        "step[2].of",
        "'community' has no cards at this step; allowed: seats",
    ),
    "a row for a place without cards": (
        [HANDS, LAST, REST, rows("wrong", 'of = "dealer"\nhow = ["short"]\nthen = "misdeal"')],
        "wrong[2].of",
        "'dealer' gets no cards; allowed: seats",
    ),
    "a fault by class and by name": (
        [HANDS, LAST, REST, '[[fault]]\nclass = "mechanism"\nname = "feed-jam"\nthen = "note"\n'],
        "fault[1]",
        "give exactly one of 'class' and 'name'",
    ),
    "a stake on a bet that no choice places": (
        [
            HANDS,
            step("choice", "decide", 'choices = ["go"]'),
            LAST,
            rows("bet", 'number = 6\nname = "second"\nplaced = "by-decision"'),
            rows("decision", 'number = 1\nname = "go"\nbet = "ante"'),
            REST,
        ],
        "decision[1].bet",
        "no bet 'ante' placed by-decision; allowed: raise, second",
    ),
    "a bet taken back that is not there": (
        [
            HANDS,
            step("choice", "decide", 'choices = ["go"]'),
            LAST,
            rows("decision", 'number = 1\nname = "go"\ntakes-back = "pair"'),
            REST,
        ],
        "decision[1].takes-back",
        "no bet 'pair'; allowed: ante, side, raise, fee, progressive",
    ),
    "a joker replaced by a packet shuffler": (
        [HANDS, LAST, '[fouled]\nthen = "complete"\nclause = "S"\n', REST],
        "fouled.then",
        "the next card, which only a card-shoe or a dealer's hand gives",
    ),
    "bets settled under a reading that is not there": (
        [
            HANDS,
            step(
                "choice",
                "decide",
                'choices = ["go"]\nsettles = [{ bet = "side", when = { option = "side", is = "a" } }]',
            ),
            LAST,
            CHOICE,
            REST,
        ],
        "step[2].settles[1].when",
        "no option 'side'; known: top",
    ),
    "a bet settled by a choice that is not there": (
        [
            HANDS,
            step("choice", "decide", 'choices = ["go"]\nsettles = ["ante", { bet = "side", of = "stay" }]'),
            LAST,
            CHOICE,
            REST,
        ],
        "step[2].settles[2].of",
        "no choice 'stay'; allowed: declared, go",
    ),
    "a bet settled by a declaration where nobody declares": (
        [HANDS.replace("cards = 3", 'cards = 3\nsettles = [{ bet = "ante", of = "declared" }]'), LAST, REST],
        "step[1].settles[1].of",
        "hands are declared only at a show step",
    ),
    "a button moved by an option that is not there": (
        [
            HANDS.replace("cards = 3", 'cards = 3\nfirst = "button"\nmoves = { option = "side", clause = "S" }'),
            LAST,
            REST,
        ],
        "step[1].moves.option",
        "no option 'side'; known: top",
    ),
    "a button moved by an option of something else": (
        [
            HANDS.replace("cards = 3", 'cards = 3\nfirst = "button"\nmoves = { option = "top", clause = "S" }'),
            LAST,
            REST,
        ],
        "step[1].moves.option",
        "option 'top' must choose between clockwise, counter-clockwise",
    ),
    "a button moved where there is none": (
        [HANDS.replace("cards = 3", 'cards = 3\nmoves = { option = "turn", clause = "S" }'), LAST, REST, TURN],
        "step[1].moves",
        'only for a deal from a button: first = "button"',
    ),
    "discards judged by an option that is not there": (
        [*exchange('discards = { option = "side", clause = "S" }'), LAST, REST],
        "step[3].discards.option",
        "no option 'side'; known: top",
    ),
    "discards that mean nothing": (
        [*exchange('discards = { clause = "S" }'), LAST, REST],
        "step[3].discards",
        "give exactly one of 'then' and 'option'",
    ),
    "cards shown that lie open already": (
        [
            HANDS,
            COMMUNITY,
            step("all", "show", 'of = ["community"]'),
            step("again", "show", 'of = ["community"]\ncards = 3'),
            LAST,
            BOTH,
        ],
        "step[4].cards",
        "all cards of 'community' lie open since an earlier step",
    ),
    "a show that ends with no step": (
        [HANDS, step("show", "show", 'of = ["seats"]\noptional = true\nuntil = "hands"'), LAST, REST],
        "step[2].until",
        "'hands' is not a later step; allowed: showdown",
    ),
    "a show that cannot be left out and ends": (
        [HANDS, step("show", "show", 'of = ["seats"]\nuntil = "showdown"'), LAST, REST],
        "step[2].until",
        "only for a hand that may be shown: optional = true",
    ),
    "a bet that goes back too and is not there": (
        [HANDS, LAST, REST.replace('then = "dead-hand"', 'then = "dead-hand"\nreturns = ["ante"]\nalso = ["pair"]')],
        "wrong[1].also",
        "no bet 'pair'; allowed: ante, side",
    ),
    "a bet that goes back beside all of them": (
        [HANDS, LAST, REST.replace('then = "dead-hand"', 'then = "dead-hand"\nalso = ["side"]')],
        "wrong[1].also",
        "in addition to the bets of 'returns': give it, too",
    ),
    "a reading of more bets that go back where none is named": (
        [
            HANDS,
            LAST,
            REST.replace('then = "dead-hand"', 'then = "dead-hand"\nalso-when = { option = "top", is = "left" }'),
        ],
        "wrong[1].also-when",
        "give 'also', too",
    ),
    "two propositions of one number": (
        [
            HANDS,
            LAST,
            REST,
            rows(
                "bet",
                'number = 6\nname = "spot"\nplaced = "before-deal"\npropositions = ['
                '{ number = 1, name = "odd", clause = "S" }, { number = 1, name = "even", clause = "S" }]',
            ),
        ],
        "bet[6].propositions[2].number",
        "1 is taken; a number may occur only once",
    ),
}


@of_each("what", BAD)
def test_it_is_refused(what: str) -> None:
    parts, key, why = BAD[what]
    with pytest.raises(ProcedureError) as caught:
        small(*parts)
    check_refusal(caught.value)
    assert (caught.value.key, caught.value.file) == (key, "small.toml")
    assert why in caught.value.why
    assert caught.value.line is not None
    assert "\n" not in str(caught.value)


def test_rounds_of_a_deck_that_is_fresh_each_round() -> None:
    with pytest.raises(ProcedureError, match=r"care\.shuffle: .* this needs fresh = until-cut-card"):
        small(HANDS, LAST, REST, '[care.shuffle]\nrounds = 3\noption = "top"\nclause = "S"\n')


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('identical = ["community"]\noption = "shoe"', "no card of the shoe comes to 'community'; allowed: dealer"),
        ('identical = ["dealer"]\noption = "top"', r"must choose between dealing, shuffling"),
    ],
)
def test_a_shoe_that_is_to_be_shuffled(text: str, why: str) -> None:
    shoe = '[[option]]\nname = "shoe"\ndefault = "dealing"\nallowed = ["dealing", "shuffling"]\nreason = "S"\n'
    hands = HANDS.replace('to = ["seats"]', 'to = ["seats", "dealer"]').replace("packet", "single")
    deck = '{ cards = 52, jokers = 0, decks = 2, fresh = "until-cut-card", clause = "S" }'
    with pytest.raises(ProcedureError, match=rf"care\.shuffle\.\w+: .*{why}"):
        small(
            hands,
            LAST,
            shoe,
            wrong("seats"),
            wrong("dealer", then="misdeal"),
            f'[care.shuffle]\nrounds = 3\n{text}\nclause = "S"\n',
            device='"card-shoe"',
            deck=deck,
        )


UNBURNED = '[care.unburned]\nthen = "nothing"\nclause = "S unburned"\n'
GOES = HANDS.replace("packet", "single") + step("choice", "decide", 'choices = ["go"]')
BURNS = step("burn", "burn-card", "") + HANDS.replace("packet", "single")


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ((HANDS.replace("packet", "single"), UNBURNED), "no burn-card step of a card-shoe or a deck in the hand"),
        ((BURNS, UNBURNED.replace("nothing", "dead-hand")), "dead-hand: it concerns all hands; allowed: nothing"),
        ((BURNS, UNBURNED + 'offers = "go"\n'), "no choice 'go' that folds; allowed: none"),
        ((GOES, CHOICE + "keeps = true\n"), "for a choice by which a seat gives up"),
    ],
)
def test_a_burn_that_is_forgotten(parts: tuple[str, ...], why: str) -> None:
    with pytest.raises(ProcedureError, match=why):
        small(parts[0], LAST, wrong("seats"), *parts[1:], device='"card-shoe"')


def test_a_packet_shuffler_deals_from_a_whole_deck() -> None:
    with pytest.raises(ProcedureError, match=r"deck\.fresh: a packet-shuffler deals each round from a whole deck"):
        small(HANDS, LAST, REST, deck='{ cards = 52, jokers = 0, fresh = "until-cut-card", clause = "S" }')


def test_an_exact_remainder_of_a_deck_that_is_dealt_on() -> None:
    exact = '[remainder]\ncards = 40\nclause = "S rest"\n'
    shoe = {"device": '"card-shoe"', "deck": '{ cards = 52, jokers = 0, fresh = "until-cut-card", clause = "S" }'}
    with pytest.raises(
        ProcedureError, match=r"remainder\.cards: an exact remainder needs a deck that is fresh each-round"
    ):
        small(HANDS, LAST, wrong("seats"), exact, **shoe)


def test_cards_by_hand_beside_a_shoe_come_from_a_deck_of_their_own() -> None:
    by_hand = HANDS.replace("cards = 3", 'cards = 14\norigin = "hand"')
    shoe = {"device": '"card-shoe"', "deck": '{ cards = 52, jokers = 0, decks = 8, clause = "S" }'}
    with pytest.raises(ProcedureError, match="4 seats need 56 cards and the deck has 52; at most 3"):
        small(by_hand, LAST, wrong("seats"), **shoe)
    assert small(by_hand.replace("14", "13"), LAST, wrong("seats"), **shoe).seats.most == 4


def test_every_fault_is_named(tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert CHOICES.id == "small"
    (tmp_path / "mine.toml").write_text('schema = "dealwire.procedure/2"\nspeed = 1\n', encoding="utf-8")
    faults = [str(fault) for fault in check_procedure(tmp_path / "mine.toml")]
    assert len(faults) > 5
    assert any("speed: unknown key; allowed: schema, base, without, id" in fault for fault in faults)
    assert all(fault.startswith(str(tmp_path)) for fault in faults)
