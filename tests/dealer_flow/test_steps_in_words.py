"""Each step, choice and rule as a dealer reads it, sentence by sentence, and in a few words."""

from __future__ import annotations

from typing import Any, Final

import pytest

from dealer_flow.english import a, cards, dollars, listed, place
from dealer_flow.procedure.bets import LimitPart, MustPart, PropositionPart, TotalPart, amount_of
from dealer_flow.procedure.must_draw import DrawPart
from dealer_flow.procedure.steps.burn import BurnStep, PlannedBurn
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.reveal import RevealStep
from dealer_flow.procedure.tables import DecisionPart
from protocol.places import COMMUNITY
from tests.support.dealing.changed_tables import a_step, game


def words(at: str, do: str, **keys: Any) -> str:
    return a_step(do, **keys).words(game(at))


SEATS: Final = ("seats",)
PACKET: Final = {"to": SEATS, "cards": 5, "by": "packet"}
BY_HAND: Final = " Deal by hand: no device sees these cards. Press CONFIRM when every place has its cards."

# ------------------------------------------------------------------ deal

DEALS: Final[dict[str, tuple[str, dict[str, Any], str]]] = {
    "a packet to each seat": (
        "shows",
        PACKET,
        "Take a packet of five cards, face down, to each seat that entered, clockwise from your left.",
    ),
    "one card, face up": (
        "shows",
        PACKET | {"to": ("community",), "cards": 1, "face": "up"},
        "Take a packet of one card, face up, to the community.",
    ),
    "the seats in play, then the dealer": (
        "shows",
        PACKET | {"to": ("seats", "dealer"), "seats": "live"},
        "Take a packet of five cards, face down, to each seat still in play, clockwise from your left, then yourself.",
    ),
    "those with a bet, and a hand of the game": (
        "shows",
        PACKET | {"to": ("left", "seats"), "only": "ante"},
        "Take a packet of five cards, face down, to `left`, then each seat that entered with an ante bet,"
        " clockwise from your left.",
    ),
    "all positions by a number": (
        "shows",
        PACKET | {"to": ("seats", "dealer"), "seats": "all", "first": "number"},
        "Take a packet of five cards, face down, to each of the 4 positions, with or without a player,"
        " yourself in your turn, counter-clockwise from the place whose number was drawn.",
    ),
    "the other way around": (
        "shows",
        PACKET | {"first": "number", "count": "clockwise"},
        "Take a packet of five cards, face down, to each seat that entered, clockwise from the place whose number"
        " was drawn.",
    ),
    "a number that is drawn later": (
        "dice",
        PACKET | {"to": ("seats", "community"), "first": "number"},
        "Take a packet of five cards, face down, to each seat that entered, the community, counter-clockwise from the"
        " place whose number was drawn; until the number is drawn, in front of the tray, side by side.",
    ),
    "from the button": (
        "stud",
        PACKET | {"first": "button", "by": "single", "cards": 2},
        "Deal two cards, one at a time in rotation, face down, to each seat that entered, clockwise from the place at"
        " the left of the button.",
    ),
    "one at a time to one place": (
        "stud",
        {"to": ("community",), "cards": 3, "by": "single", "face": "up"},
        "Deal three cards, one at a time, face up, to the community.",
    ),
    "one at a time to two places": (
        "stud",
        {"to": ("community", "dealer"), "cards": 3, "by": "single"},
        "Deal three cards, one at a time in rotation, face down, to the community, then yourself.",
    ),
    "there and back": (
        "stud",
        {"to": ("seats", "dealer"), "cards": 3, "by": "single", "rotation": "there-and-back"},
        "Deal three cards, one at a time, there and back, face down, to each seat that entered, clockwise from your"
        " left, then yourself.",
    ),
    "a single card": (
        "stud",
        {"to": SEATS, "cards": 1, "by": "single"},
        "Deal one card, face down, to each seat that entered, clockwise from your left.",
    ),
    "by hand beside a shuffler": (
        "shows",
        PACKET | {"cards": 12, "origin": "hand"},
        f"Deal 12 cards, face down, to each seat that entered, clockwise from your left.{BY_HAND}",
    ),
    "on numbered spots": (
        "shows",
        PACKET | {"to": ("community",), "first_spot": "spot-1"},
        "Take a packet of five cards, face down, to the community. They lie on numbered spots from left to right"
        " (`spot-1`).",
    ),
}


@pytest.mark.parametrize("name", DEALS)
def test_a_deal_in_words(name: str) -> None:
    at, keys, said = DEALS[name]
    assert words(at, "deal", **keys) == said


def test_a_deal_in_few_words_and_how_its_first_place_is_found() -> None:
    assert a_step("deal", **PACKET).brief() == "5 at once to seats"
    assert a_step("deal", to=("seats", "dealer"), cards=2, by="single").brief() == "2 one at a time to seats, dealer"
    assert a_step("deal", to=SEATS, cards=1, by="single").brief() == "1 to seats"
    button, number = (a_step("deal", first=first, **PACKET) for first in ("button", "number"))
    assert isinstance(button, DealStep)
    assert isinstance(number, DealStep)
    assert button.selecting() == (
        "Move the button and select its seat. The first cards go to the place at its left, then clockwise."
    )
    assert number.selecting() == (
        "Draw the number and select the place that gets the first cards. Count yourself as one, counter-clockwise."
    )


# ------------------------------------------------------------------ burned cards


@pytest.mark.parametrize(
    ("spread", "positions", "said"),
    [
        ("left-to-right", (1,), "burn card 1, counted from your left"),
        ("right-to-left", (1, 2), "burn cards 1 and 2, counted from your right"),
        ("from-top", (1, 2, 5), "burn cards 1, 2 and 5, counted from the top card"),
    ],
)
def test_a_burn_in_words(spread: str, positions: tuple[int, ...], said: str) -> None:
    step = a_step("burn", of="community", positions=positions, spread=spread, top_card="top")
    whole = f"Spread the cards of the community and {said}. Confirm the burn before anything is shown."
    assert step.words(game("shows")) == whole
    assert step.brief() == f"burn {', '.join(map(str, positions))} of community"


@pytest.mark.parametrize(
    ("spread", "top", "burned"),
    [
        ("left-to-right", "left", {1, 2}),
        ("left-to-right", "right", {1, 2}),
        ("right-to-left", "left", {5, 4}),
        ("right-to-left", "right", {5, 4}),
        ("from-top", "left", {1, 2}),
        ("from-top", "right", {5, 4}),
    ],
)
def test_which_positions_from_the_left_are_burned(spread: str, top: str, burned: set[int]) -> None:
    step = a_step("burn", of="community", positions=(1, 2), spread=spread, top_card="top")
    assert isinstance(step, BurnStep)
    assert step.burn(COMMUNITY, 5, {"top": top}) == PlannedBurn(COMMUNITY, frozenset(burned), 5, top == "left", "S")


def test_where_a_position_is_in_the_packet() -> None:
    """Its top card has the index 0."""
    left, right = (PlannedBurn(COMMUNITY, frozenset(), 5, at_left, "S") for at_left in (True, False))
    assert [left.from_top(position) for position in (1, 2, 5)] == [0, 1, 4]
    assert [right.from_top(position) for position in (1, 2, 5)] == [4, 3, 0]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({}, "Burn one card off the top of the deck, face down. Keep burned cards apart."),
        (
            {"cards": 2, "if_drawn": True},
            "Burn two cards off the top of the deck, face down, if any player draws. Keep burned cards apart.",
        ),
        (
            {"only": "ante"},
            "Burn one card off the top of the deck, face down, if a player in play has an ante bet."
            " Keep burned cards apart.",
        ),
        (
            {"origin": "hand"},
            "Burn one card off the top of the deck, face down by hand, then press CONFIRM. Keep burned cards apart.",
        ),
    ],
)
def test_cards_burned_off_the_deck_in_words(keys: dict[str, Any], said: str) -> None:
    step = a_step("burn-card", **keys)
    assert step.words(game("shows")) == said
    assert step.brief() == f"burn {keys.get('cards', 1)} off the top"


# ------------------------------------------------------------------ choices

CHOICES: Final[dict[str, tuple[str, dict[str, Any], str]]] = {
    "each player": (
        "holdem",
        {"choices": ("fold", "raise")},
        "Each player still in play chooses: fold (gives up); raise (with raise).",
    ),
    "with a bet, in turn, silent": (
        "holdem",
        {"choices": ("fold",), "only": "ante", "order": "clockwise", "optional": True},
        "Each player with an ante bet, clockwise from your left, chooses: fold (gives up)."
        " A player who says nothing has chosen fold.",
    ),
    "in turn from a button": (
        "pineapple.co",
        {"choices": ("discard",), "order": "clockwise"},
        "Each player still in play, clockwise from the left of the button, chooses: discard (lays down one card).",
    ),
    "about a hand, each": (
        "pai-gow.co",
        {"choices": ("dragon",), "about": "dragon"},
        "While `dragon` is available, each player still in play chooses: dragon (with dragon).",
    ),
    "about a hand, one": (
        "pai-gow.co",
        {"choices": ("dragon",), "about": "dragon", "takers": "one"},
        "While `dragon` is available and not taken, each player still in play chooses: dragon (with dragon)."
        " The first player to take it plays it alone.",
    ),
    "in the blind, and too late": (
        "holdem",
        {"choices": ("fold",), "blind": ("raise", "side"), "late": {"then": "dead-hand", "clause": "L"}},
        "Each player still in play chooses: fold (gives up). Raise and side may be placed now, in the blind."
        " A player who has not chosen when the next cards are dealt has a dead hand.",
    ),
}


@pytest.mark.parametrize("name", CHOICES)
def test_a_choice_in_words(name: str) -> None:
    at, keys, said = CHOICES[name]
    step = a_step("decide", **keys)
    assert (step.words(game(at)), step.brief()) == (said, "choice")


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({}, "go"),
        ({"bet": "raise"}, "go (with raise)"),
        ({"bet": "raise", "bets": ("one", "two")}, "go (with raise, one and two)"),
        ({"takes-back": "ante"}, "go (ante comes back)"),
        (
            {"gives-up": {"bet": "ante", "as": "lost", "share": "1/2", "rest": "rest"}},
            "go (half of ante is lost, the rest as `rest` says)",
        ),
        (
            {"gives-up": {"bet": "ante", "as": "lost", "share": "1/3", "rest": "rest"}},
            "go (1/3 of ante is lost, the rest as `rest` says)",
        ),
        ({"needs": ("ante", "side")}, "go (for a player with ante and side)"),
        ({"unless": ("ante", "side")}, "go (for a player without ante or side)"),
        ({"draws": 2}, "go (draws two cards)"),
        ({"discards": 1}, "go (lays down one card)"),
        ({"lays-aside": 1}, "go (sets one card aside, face down)"),
        ({"folds": True}, "go (gives up)"),
        ({"folds": True, "keeps": True}, "go (gives up and keeps all wagers)"),
        ({"last": True}, "go (has no further choice in this round)"),
        (
            {"bet": "raise", "draws": 1, "last": True},
            "go (with raise, draws one card, has no further choice in this round)",
        ),
    ],
)
def test_what_a_choice_is_in_words(keys: dict[str, Any], said: str) -> None:
    assert DecisionPart.model_validate({"number": 1, "name": "go", "clause": "S"} | keys).words() == said


# ------------------------------------------------------------------ exchanges

MUST: Final = (
    {"holds": ("pair", "four-flush"), "least": "6", "draws": 0, "clause": "m"},
    {"holds": ("nothing",), "draws": 2, "clause": "m"},
)
THEN: Final = {"must": MUST, "otherwise": {"then": "person", "clause": "o"}}
EXCHANGES: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "players and dealer": (
        {"to": ("seats", "dealer"), "most": 2},
        "Take in what was discarded and give the players and yourself as many cards, at most 2 each."
        " You take as many as your rules require.",
    ),
    "players alone": (
        {"to": SEATS, "most": 3},
        "Take in what was discarded and give the players as many cards, at most 3 each.",
    ),
    "a dealer who must": (
        {"to": ("dealer",), "most": 4} | THEN,
        "Take in what was discarded and give yourself as many cards, at most 4 each."
        " Your own hand stands with pair or four flush of 6 or higher; draws two cards with nothing.",
    ),
    "cards are added": (
        {"to": SEATS, "most": 1, "adds": True},
        "Give the players the cards they asked for, at most 1 each.",
    ),
    "turned up first": (
        {"to": SEATS, "most": 1, "exposes": True},
        "One after the other from your left: turn up the hand, then deal one card to it.",
    ),
    "turned up first, unless": (
        {"to": SEATS, "most": 1, "exposes": True, "unless": "has-won"} | THEN,
        "One after the other from your left: turn up the hand, then deal one card to it. has-won: no card for it."
        " Each stands with pair or four flush of 6 or higher; draws two cards with nothing.",
    ),
}


@pytest.mark.parametrize("name", EXCHANGES)
def test_an_exchange_in_words(name: str) -> None:
    keys, said = EXCHANGES[name]
    step = a_step("exchange", **keys)
    assert step.words(game("draw")) == said
    assert step.brief() == f"up to {keys['most']} drawn by {', '.join(keys['to'])}"


def test_what_a_hand_draws_in_words() -> None:
    row = {"holds": ("full-house", "flush", "straight"), "draws": 1, "clause": "m"}
    assert DrawPart.model_validate(row).words() == "draws one card with full house, flush or straight"


# ------------------------------------------------------------------ betting rounds

ROUND: Final = (
    ", each player in turn clockwise {} until every bet is called.{}"
    " Report each action with all chips in front of the seat; pull the chips into the pot."
)


BLINDS: Final = " The last blind may check; if nobody put up a blind, a player may check or bet."


@pytest.mark.parametrize(
    ("at", "keys", "begins", "forced"),
    [
        ("holdem.co", {"first": "blinds"}, "Beginning at the left of the last blind", BLINDS),
        ("draw.co", {"first": "blinds"}, "Beginning at the left of the last blind", BLINDS),
        ("seven-card-stud.co", {"first": "blinds"}, "Beginning at the left of the button", ""),
        ("shows", {"first": "blinds"}, "Beginning at the left of the button", ""),
        ("holdem.co", {}, "Beginning with the first player still in the pot at the left of the button", ""),
        (
            "seven-card-stud.co",
            {"first": "board", "board": "high-or-low", "bring_in": "forced"},
            "Beginning with the seat that the open cards determine (`high-or-low`)",
            " An open card may force its seat to bring in (`forced`).",
        ),
    ],
)
def test_a_betting_round_in_words(at: str, keys: dict[str, Any], begins: str, forced: str) -> None:
    step = a_step("bet", bet="pot-1", **keys)
    acts = "calls, raises or folds" if forced == BLINDS else "checks, bets, calls, raises or folds"
    assert step.words(game(at)) == begins + ROUND.format(acts, forced)
    assert step.brief() == "betting"


# ------------------------------------------------------------------ hands shown, set, assigned, offered


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"of": ("community",)}, "Turn up all cards of the community."),
        ({"of": ("seats", "dealer")}, "Turn up all cards of the players and your own hand."),
        ({"of": ("community",), "cards": 1}, "Turn up cards of the community until one card lies open."),
        ({"of": ("community",), "cards": 3}, "Turn up cards of the community until three cards lie open."),
        ({"of": ("dealer",), "cards": 1, "which": "bottom"}, "Turn up the bottom card of your own hand."),
        ({"of": ("dealer",), "cards": 2, "which": "bottom"}, "Turn up the bottom two cards of your own hand."),
        ({"of": SEATS, "optional": True}, "From here on cards of the players may be shown."),
        (
            {"of": SEATS, "optional": True, "until": "draw"},
            "From here on cards of the players may be shown. Once draw has begun it is too late to declare.",
        ),
    ],
)
def test_a_show_in_words(keys: dict[str, Any], said: str) -> None:
    step = a_step("show", **keys)
    assert (step.words(game("shows")), step.brief()) == (said, "")


KEYED: Final = (
    " Key each hand that was set, by the player or the house way; a setting that is not keyed is not on record."
)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (
            {"low": 2},
            "Each player still in play sets the hand: two cards for the low hand, the others for the high hand.",
        ),
        (
            {"low": 2, "of": ("seats", "dealer")},
            "Each player still in play sets the hand: two cards for the low hand, the others for the high hand."
            " You set your own the house way, once it lies open.",
        ),
        (
            {"low": 1, "of": ("dragon", "dealer"), "parts": ("first", "second"), "choices": ("take", "keep")},
            "The player of `dragon` who chose take or keep sets the hand: one card for the first hand, the others for"
            " the second hand. You set your own the house way, once it lies open.",
        ),
    ],
)
def test_hands_that_are_set_in_words(keys: dict[str, Any], said: str) -> None:
    step = a_step("set", **keys)
    assert step.words(game("shows")) == f"{said}{KEYED}"
    assert step.brief() == f"{keys['low']} of each hand set {keys.get('parts', ('low',))[0]}"


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"order": SEATS}, "Show the players; players' hands from your right. Compare and settle each."),
        (
            {"order": ("dealer", "community", "seats"), "from": "dealer-left"},
            "Show your own hand, then the community, then the players; players' hands from your left."
            " Compare and settle each.",
        ),
        (
            {"order": ("community", "seats"), "from": "last-to-bet"},
            "Show the community, then the players, beginning with the player who bet or raised last, or else acted"
            " first, and clockwise. Award each pot.",
        ),
    ],
)
def test_the_last_step_in_words(keys: dict[str, Any], said: str) -> None:
    step = a_step("reveal", **keys)
    assert (step.words(game("shows")), step.brief()) == (said, "")


def test_the_order_in_which_hands_are_shown() -> None:
    right, left, last = (
        a_step("reveal", order=SEATS, **{"from": side}) for side in ("dealer-right", "dealer-left", "last-to-bet")
    )
    assert [step.in_order([1, 2, 5]) for step in (right, left, last) if isinstance(step, RevealStep)] == [
        [5, 2, 1],
        [1, 2, 5],
        [1, 2, 5],
    ]


def test_hands_that_go_to_their_places_in_words() -> None:
    said = (
        "Now draw the number and count the places with yourself as one: the first hand goes to the place it names,"
        " the next ones follow in the same direction, your own among them."
    )
    assert words("dice", "assign") == said
    assert words("dice", "assign", bets="open") == f"{said} Bets may change until then."
    assert a_step("assign").brief() == "hands to their places by the number"


def test_hands_where_nobody_plays_in_words() -> None:
    assert words("pai-gow", "collect") == (
        "Pick up the hands at positions without a player, unseen, and place them in the discard rack."
    )
    offer = a_step("offer-hand", to="dragon", **{"from": "dragon-is"})
    assert offer.words(game("pai-gow")) == (
        "Cards of a position without a player become `dragon`, unseen (`dragon-is`)."
    )
    assert (offer.brief(), a_step("collect").brief()) == ("", "")


# ------------------------------------------------------------------ rules of bets


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("equal", "2 ante", "equals 2 x ante"),
        ("exactly", "$50", "exactly $50"),
        ("at-most", "ante", "at most the ante"),
        ("at-least", "1/2 ante", "at least half the ante"),
        ("at-least", "1/3 ante", "at least 1/3 x ante"),
        ("multiple-of", "$2.50", "a multiple of $2.50"),
        ("needs", ("ante",), "only with an ante"),
        ("needs", ("ante", "blind"), "only with an ante and a blind"),
        ("needs-one-of", ("ante", "blind"), "only with an ante or a blind"),
        ("excludes", ("ante", "blind"), "not with an ante or a blind"),
        ("same-as", ("ante",), "as much as ante, if placed"),
        ("same-as", ("ante", "blind"), "as much as ante and blind, if placed"),
    ],
)
def test_a_rule_of_a_bet_in_words(key: str, value: object, said: str) -> None:
    assert MustPart.model_validate({key: value, "clause": "S"}).words() == said


def test_limits_and_totals_in_words() -> None:
    assert LimitPart.model_validate({"each-bet": "$100", "clause": "S"}).words() == "at most $100"
    bets = {"bets": ("ante", "blind"), "clause": "S"}
    assert TotalPart.model_validate(bets | {"at-most": "$1000"}).words() == "at most $1,000"
    assert TotalPart.model_validate(bets | {"at-least": "2 ante"}).words() == "at least 2 x ante"
    both = TotalPart.model_validate(bets | {"at-most": "$5", "at-least": "$2"})
    assert both.words() == "at most $5 and at least $2"


@pytest.mark.parametrize(
    ("on", "without", "fits"),
    [
        (None, (), {"": "x", "A": None}),
        ("card", (), {"AS": "x:AS", "TD": "x:TD", "A": None, "S": None, "": None, "1S": None, "AX": None, "ASS": None}),
        ("card", ("7",), {"7S": None, "8S": "x:8S"}),
        ("rank", (), {"A": "x:A", "T": "x:T", "S": None, "1": None, "": None, "AS": None}),
        ("rank", ("7",), {"7": None, "8": "x:8"}),
        ("suit", (), {"S": "x:S", "C": "x:C", "A": None, "": None, "SS": None}),
    ],
)
def test_what_a_proposition_may_be_on(on: str | None, without: tuple[str, ...], fits: dict[str, str | None]) -> None:
    row = PropositionPart.model_validate({"number": 1, "name": "x", "on": on, "without": without, "clause": "S"})
    assert {text: row.written(text) for text in fits} == fits


# ------------------------------------------------------------------ numbers, lists and places


def test_numbers_lists_and_places_in_a_sentence() -> None:
    assert [a(name) for name in ("ante", "envy", "icon", "other", "uno", "bet", "yes")] == [
        "an ante",
        "an envy",
        "an icon",
        "an other",
        "an uno",
        "a bet",
        "a yes",
    ]
    numbers = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "11"]
    assert [cards(count).split()[0] for count in range(12)] == numbers
    assert [cards(0), cards(1), cards(2)] == ["no cards", "one card", "two cards"]
    assert [listed([]), listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"], "or")] == [
        "",
        "a",
        "a and b",
        "a, b or c",
    ]
    assert [place(to) for to in ("seats", "dealer", "community", "left")] == [
        "the players",
        "yourself",
        "the community",
        "`left`",
    ]
    assert place("dealer", dealer="your own hand") == "your own hand"
    assert [dollars(cents) for cents in (0, 5, 50, 100, 250, 123456789)] == [
        "$0",
        "$0.05",
        "$0.50",
        "$1",
        "$2.50",
        "$1,234,567.89",
    ]
    assert amount_of("$2.50").words() == "$2.50"
