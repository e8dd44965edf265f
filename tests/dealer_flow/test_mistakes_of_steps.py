"""Errors of each step after those before it: every error with its key, and no others."""

from __future__ import annotations

from itertools import chain
from typing import Any, Final

import pytest

from dealer_flow.procedure.complaints import option_faults
from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.steps.base import cards_needed
from dealer_flow.procedure.steps.views import CardsSoFar
from tests.support.dealing.changed_tables import a_step, game

KEY: Final = ("step", 1)


def so_far(**facts: Any) -> CardsSoFar:
    """Five cards lie before the seats, the dealer and the community, and nothing else was done, but for these facts."""
    facts.setdefault("dealt", {"seats": 5, "dealer": 5, "community": 5})
    return CardsSoFar(**facts)


def mistakes(at: str, do: str, before: CardsSoFar | None = None, **keys: Any) -> dict[str, list[str]]:
    """The complaints at each key of the step, and of its options."""
    found: dict[str, list[str]] = {}
    step, procedure = a_step(do, **keys), game(at)
    options = (((*KEY, *key), why) for key, why in option_faults(step, procedure.option))
    for key, why in chain(step.mistakes(procedure, before or so_far(), KEY), options):
        assert key[:2] == KEY
        found.setdefault(".".join(map(str, key[2:])), []).append(why)
    return found


SEATS: Final = ("seats",)
NO_RIVER: Final = "'river' has no cards at this step; allowed: seats, dealer, community"


# ------------------------------------------------------------------ what the steps did so far


def test_what_is_held_of_what_was_dealt() -> None:
    before = so_far(burned={"community": 3})
    held = [before.held(each) for each in ("seats", "community", "river")]
    assert held == [5, 2, 0]
    assert list(before.undealt(KEY, ("seats", "river"))) == [(KEY, NO_RIVER)]
    assert list(CardsSoFar().undealt(KEY, SEATS)) == [(KEY, "'seats' has no cards at this step; allowed: none")]


def test_what_a_deal_does_with_the_cards() -> None:
    before = CardsSoFar()
    a_step("deal", to=("seats", "dealer"), cards=2, by="single", face="up", seats="all").happen(before)
    a_step("deal", to=("seats", "community"), cards=3, by="packet", first="number").happen(before)
    a_step("deal", to=SEATS, cards=1, by="packet", face="up").happen(before)
    assert (before.dealt, before.open) == ({"seats": 6, "dealer": 2, "community": 3}, {"seats": 3, "dealer": 2})
    assert (before.everywhere, before.by_number) == (True, True)
    shown = so_far(open={"seats": None})
    a_step("deal", to=SEATS, cards=1, by="packet", face="up").happen(shown)
    assert (shown.open, shown.everywhere, shown.by_number) == ({"seats": None}, False, False)


def test_what_other_steps_do_with_the_cards() -> None:
    before = so_far(burned={"community": 1})
    a_step("burn", of="community", positions=(1, 2), spread="from-top", top_card="top").happen(before)
    a_step("burn", of="river", positions=(1, 2), spread="from-top", top_card="top").happen(before)
    assert before.burned == {"community": 3}
    a_step("show", of=("community",)).happen(before)
    a_step("show", of=("dealer",), cards=2).happen(before)
    assert (before.open, before.shown) == ({"community": None, "dealer": 2}, {"community": 2, "dealer": 2})
    a_step("exchange", to=SEATS, most=1).happen(before)
    assert "seats" not in before.open
    a_step("exchange", to=SEATS, most=1, exposes=True).happen(before)
    assert before.open["seats"] is None
    a_step("decide", choices=("fold", "raise")).happen(before)
    a_step("decide", choices=("raise", "check")).happen(before)
    assert before.choices == {"fold", "raise", "check"}
    a_step("offer-hand", to="dragon", **{"from": "is"}).happen(before)
    assert (before.dealt["dragon"], before.offered) == (5, {"dragon"})
    everything = so_far()
    a_step("reveal", order=SEATS).happen(everything)
    assert everything.open == {"seats": None, "dealer": None, "community": None}
    untouched = so_far()
    for step in (a_step("bet", bet="pot"), a_step("collect"), a_step("assign"), a_step("set", low=2)):
        step.happen(untouched)
    assert untouched == so_far()


def test_how_many_cards_are_needed() -> None:
    """With three seats in play of at most six."""
    steps = [
        a_step("deal", to=("seats", "dealer"), cards=2, by="single"),
        a_step("deal", to=SEATS, cards=1, by="single", seats="all"),
        a_step("deal", to=("community",), cards=5, by="packet", origin="hand"),
        a_step("burn-card", cards=2),
        a_step("burn-card", origin="hand"),
        a_step("exchange", to=("seats", "dealer"), most=4),
        a_step("reveal", order=SEATS),
    ]
    assert cards_needed(steps, 3, 6) == (8 + 6 + 2 + 16, 5 + 1)
    assert cards_needed([], 3, 6) == (0, 0)


# ------------------------------------------------------------------ what they may not say

DEAL: Final = {"to": SEATS, "cards": 5, "by": "packet"}
BURN: Final = {"of": "community", "spread": "from-top", "top_card": "top"}
MUST: Final = ({"holds": ("nothing",), "draws": 2, "clause": "m"},)
OTHERWISE: Final = {"then": "person", "clause": "o"}
MANY: Final = "a position may occur only once, and fewer than the 5 cards of the packet may be burned"
NO_TOP: Final = "no option 'bottom'; known: top"
TOGETHER: Final = "'must' and 'otherwise' go together: what a hand must draw, and the consequence if it does not"
NOBODY_DRAWS: Final = "no choice before this step draws cards; a [[decision]] with draws must come before"
TURNED_UP: Final = "only for hands of the seats that are turned up: give exposes = true, too"
DRAWN: Final = so_far(choices={"draw-2"})
EVERYBODY: Final = "every position has a player; a deal with seats = 'all' must come before"
POSITIONS: Final = "no option 'top' that chooses between positions: last-unplayed, seat-1 to seat-4"
UNTOUCHED: Final = "hands must be assigned before anything is chosen, offered, burned or shown"
BOARD: Final = "goes with first = 'board': the option that says whether high or low acts first"

SAID: Final[dict[str, tuple[str, str, CardsSoFar | None, dict[str, Any], dict[str, list[str]]]]] = {
    "a deal": ("shows", "deal", None, DEAL, {}),
    "a deal for a bet that is not there": (
        "shows",
        "deal",
        None,
        DEAL | {"only": "blind"},
        {"only": ["no bet 'blind'; allowed: ante, side, raise, fee, progressive"]},
    ),
    "a deal for a bet": ("shows", "deal", None, DEAL | {"only": "ante"}, {}),
    "a first place where no seat gets cards": (
        "shows",
        "deal",
        None,
        DEAL | {"to": ("dealer",), "first": "number"},
        {"first": ["only for a step that deals to the seats"]},
    ),
    "packets there and back": (
        "shows",
        "deal",
        None,
        DEAL | {"rotation": "there-and-back"},
        {"rotation": ['only for several cards that go out one at a time: by = "single"']},
    ),
    "one card there and back": (
        "shows",
        "deal",
        None,
        DEAL | {"rotation": "there-and-back", "by": "single", "cards": 1},
        {"rotation": ['only for several cards that go out one at a time: by = "single"']},
    ),
    "two cards there and back": (
        "shows",
        "deal",
        None,
        DEAL | {"rotation": "there-and-back", "by": "single", "cards": 2},
        {},
    ),
    "spots by an option of other words": (
        "shows",
        "deal",
        None,
        DEAL | {"first_spot": "top"},
        {"first-spot": ["option 'top' must choose between top, bottom"]},
    ),
    "a button that moves by an option of other words, and no button": (
        "shows",
        "deal",
        None,
        DEAL | {"moves": {"option": "top", "clause": "S"}},
        {
            "moves.option": ["option 'top' must choose between clockwise, counter-clockwise"],
            "moves": ['only for a deal from a button: first = "button"'],
        },
    ),
    "a burn": ("shows", "burn", None, BURN | {"positions": (1, 5)}, {}),
    "a burn by an option that is not there": (
        "shows",
        "burn",
        None,
        BURN | {"positions": (1,), "top_card": "bottom"},
        {"top-card": [NO_TOP]},
    ),
    "a burn of nobody's cards": (
        "shows",
        "burn",
        None,
        BURN | {"of": "river", "positions": (9, 9)},
        {"of": [NO_RIVER]},
    ),
    "a burn of a player's cards": (
        "shows",
        "burn",
        None,
        BURN | {"of": "seats", "positions": (1,)},
        {"of": ["only a packet of the house or the community can be burned, not a player's"]},
    ),
    "a burn twice": (
        "shows",
        "burn",
        so_far(burned={"community": 1}),
        BURN | {"positions": (5,)},
        {
            "of": ["cards of 'community' were burned by a step before; name all positions in one step"],
            "positions": ["position 5 of a packet of 4; allowed: 1 to 4"],
        },
    ),
    "a burn of one position twice": ("shows", "burn", None, BURN | {"positions": (1, 1)}, {"positions": [MANY]}),
    "a burn of all cards": ("shows", "burn", None, BURN | {"positions": (1, 2, 3, 4, 5)}, {"positions": [MANY]}),
    "a burn of all but one": ("shows", "burn", None, BURN | {"positions": (1, 2, 3, 4)}, {}),
    "a burn of the sixth of five": (
        "shows",
        "burn",
        None,
        BURN | {"positions": (6,)},
        {"positions": ["position 6 of a packet of 5; allowed: 1 to 5"]},
    ),
    "choices": ("shows", "decide", None, {"choices": ("check", "bet")}, {}),
    "choices that are not there, one of them twice": (
        "shows",
        "decide",
        None,
        {"choices": ("fold", "check", "check")},
        {"choices": ["no choice 'fold'; known: check, bet", "a choice may occur only once"]},
    ),
    "a choice where there are none": (
        "named",
        "decide",
        None,
        {"choices": ("fold",)},
        {"choices": ["no choice 'fold'; known: none"]},
    ),
    "a choice of seats with bets that are not there": (
        "shows",
        "decide",
        None,
        {"choices": ("check",), "only": "blind", "blind": ("ante", "raise")},
        {
            "only": ["no bet 'blind'; allowed: ante, side, raise, fee, progressive"],
            "blind": ["no bet 'ante'; allowed: raise"],
        },
    ),
    "a choice before the cards": (
        "shows",
        "decide",
        CardsSoFar(),
        {"choices": ("check",)},
        {"do": ["no one has cards to decide on yet; a deal must come before"]},
    ),
    "a choice about a hand that comes later": (
        "shows",
        "decide",
        so_far(offered={"tiger", "dragon"}),
        {"choices": ("check",), "about": "left"},
        {"about": ["'left' is not a hand that was offered before; allowed: dragon, tiger"]},
    ),
    "a choice about a hand where none is offered": (
        "shows",
        "decide",
        None,
        {"choices": ("check",), "about": "left"},
        {"about": ["'left' is not a hand that was offered before; allowed: none"]},
    ),
    "one taker of a hand": (
        "shows",
        "decide",
        so_far(offered={"left"}),
        {"choices": ("check",), "about": "left", "takers": "one"},
        {},
    ),
    "one taker of nothing": (
        "shows",
        "decide",
        None,
        {"choices": ("check",), "takers": "one"},
        {"takers": ["only for a hand that is offered: give 'about', too"]},
    ),
    "too late, and a misdeal": (
        "shows",
        "decide",
        None,
        {"choices": ("check",), "late": {"then": "misdeal", "clause": "L"}},
        {"late": ["a hand that is too late is dead: then = 'dead-hand'"]},
    ),
    "too late, and dead": (
        "shows",
        "decide",
        None,
        {"choices": ("check",), "late": {"then": "dead-hand", "clause": "L"}},
        {},
    ),
    "an exchange": ("draw", "exchange", DRAWN, {"to": SEATS, "most": 2}, {}),
    "an exchange of nobody's cards": (
        "draw",
        "exchange",
        DRAWN,
        {"to": ("river",), "most": 2, "counting": ("river",)},
        {"to": [NO_RIVER], "counting": [NO_RIVER]},
    ),
    "an exchange that nobody asked for": (
        "draw",
        "exchange",
        so_far(choices={"stand"}),
        {"to": ("dealer", "seats"), "most": 2},
        {"to": [NOBODY_DRAWS]},
    ),
    "an exchange of the house": ("draw", "exchange", so_far(), {"to": ("dealer",), "most": 2}, {}),
    "a draw by what a hand holds, and no word if it did not": (
        "draw",
        "exchange",
        DRAWN,
        {"to": SEATS, "most": 2, "must": MUST},
        {"must": [TOGETHER]},
    ),
    "a word if it did not, and no draw": (
        "draw",
        "exchange",
        DRAWN,
        {"to": SEATS, "most": 2, "otherwise": OTHERWISE},
        {"must": [TOGETHER]},
    ),
    "a draw by what a hand holds": (
        "draw",
        "exchange",
        DRAWN,
        {"to": SEATS, "most": 2, "must": MUST, "otherwise": OTHERWISE},
        {},
    ),
    "a packet by what a hand holds": (
        "draw",
        "exchange",
        DRAWN,
        {"to": SEATS, "most": 2, "by": "packet", "must": MUST, "otherwise": OTHERWISE},
        {"must": ["needs by = 'single': only then is it known how many cards came"]},
    ),
    "no card for a hand that is not turned up": (
        "draw",
        "exchange",
        DRAWN,
        {"to": SEATS, "most": 2, "unless": "stand"},
        {"unless": [TURNED_UP]},
    ),
    "no card for a hand of the house": (
        "draw",
        "exchange",
        DRAWN,
        {"to": ("seats", "dealer"), "most": 2, "unless": "stand", "exposes": True},
        {"unless": [TURNED_UP]},
    ),
    "no card by a choice that is not there": (
        "draw",
        "exchange",
        DRAWN,
        {"to": SEATS, "most": 2, "unless": "sit", "exposes": True},
        {"unless": ["no choice 'sit'"]},
    ),
    "no card by a choice": (
        "draw",
        "exchange",
        DRAWN,
        {"to": SEATS, "most": 2, "unless": "stand", "exposes": True},
        {},
    ),
    "a show": ("shows", "show", None, {"of": ("community",), "cards": 5}, {}),
    "a show of nobody's cards": ("shows", "show", None, {"of": ("river",), "cards": 2}, {"of": [NO_RIVER]}),
    "a show of more than there are": (
        "shows",
        "show",
        so_far(burned={"community": 2}),
        {"of": ("community",), "cards": 4},
        {"cards": ["4 cards of 'community' lie open; allowed: 1 to 3"]},
    ),
    "a show of as many as lie open": (
        "shows",
        "show",
        so_far(shown={"community": 2}),
        {"of": ("community", "dealer"), "cards": 2},
        {"cards": ["2 cards of 'community' lie open; allowed: 3 to 5"]},
    ),
    "a show of what lies open": (
        "shows",
        "show",
        so_far(shown={"community": 5}),
        {"of": ("community",), "cards": 5},
        {"cards": ["all cards of 'community' lie open since an earlier step"]},
    ),
    "a show of the last card": (
        "shows",
        "show",
        so_far(shown={"community": 4}),
        {"of": ("community",), "cards": 5},
        {},
    ),
    "a show of the bottom of all cards": (
        "shows",
        "show",
        None,
        {"of": ("dealer",), "which": "bottom"},
        {"which": ["only for a number of cards: give 'cards', too"]},
    ),
    "a show of the bottom card": ("shows", "show", None, {"of": ("dealer",), "which": "bottom", "cards": 1}, {}),
    "a show until, which must be": (
        "shows",
        "show",
        None,
        {"name": "one", "of": SEATS, "until": "choice"},
        {"until": ["only for a hand that may be shown: optional = true"]},
    ),
    "a show until a step that came before": (
        "shows",
        "show",
        None,
        {"name": "one", "of": SEATS, "until": "hands", "optional": True},
        {"until": ["'hands' is not a later step; allowed: choice, all, showdown"]},
    ),
    "a show until a later step": (
        "shows",
        "show",
        None,
        {"name": "one", "of": SEATS, "until": "choice", "optional": True},
        {},
    ),
    "a show until, in the last step": (
        "shows",
        "show",
        None,
        {"name": "showdown", "of": SEATS, "until": "hands", "optional": True},
        {"until": ["'hands' is not a later step; allowed: none"]},
    ),
    "hands that are set": ("shows", "set", None, {"low": 4}, {}),
    "a low hand of all cards": (
        "shows",
        "set",
        None,
        {"low": 5},
        {"low": ["'seats' has 5 cards; allowed: fewer in its low hand"]},
    ),
    "hands of nobody that are set": ("shows", "set", None, {"low": 5, "of": ("river",)}, {"of": [NO_RIVER]}),
    "hands set by who made a choice that was not offered": (
        "shows",
        "set",
        so_far(choices={"check", "bet"}),
        {"low": 2, "choices": ("check", "fold")},
        {"choices": ["no choice 'fold' before; known: bet, check"]},
    ),
    "hands set by a choice where none was offered": (
        "shows",
        "set",
        None,
        {"low": 2, "choices": ("fold",)},
        {"choices": ["no choice 'fold' before; known: none"]},
    ),
    "the last step": ("shows", "reveal", None, {"order": ("dealer", "seats")}, {}),
    "the last step of nobody": ("shows", "reveal", None, {"order": ("river", "seats")}, {"order": [NO_RIVER]}),
    "hands picked up": ("pai-gow", "collect", so_far(everywhere=True), {}, {}),
    "hands picked up where everybody plays": ("pai-gow", "collect", None, {}, {"do": [EVERYBODY]}),
    "hands assigned": ("dice", "assign", so_far(by_number=True), {}, {}),
    "hands assigned that wait for no number": (
        "dice",
        "assign",
        None,
        {},
        {"do": ["no hand waits for a number; a deal with first = 'number' must come before"]},
    ),
    **{
        f"hands assigned after something was {what}": (
            "dice",
            "assign",
            so_far(by_number=True, **{what: done}),
            {},
            {"do": [UNTOUCHED]},
        )
        for what, done in (
            ("choices", {"go"}),
            ("offered", {"dragon"}),
            ("shown", {"dealer": 1}),
            ("burned", {"community": 1}),
        )
    },
    "a hand offered": (
        "pai-gow.co",
        "offer-hand",
        so_far(everywhere=True),
        {"to": "dragon", "from": "dragon-is"},
        {},
    ),
    "a hand offered that is none, of a position that is none, where everybody plays": (
        "shows",
        "offer-hand",
        None,
        {"to": "left", "from": "top"},
        {"to": ["no [[hand]] 'left'; allowed: none"], "from": [POSITIONS], "do": [EVERYBODY]},
    ),
    "a hand offered by an option that is not there": (
        "named",
        "offer-hand",
        so_far(everywhere=True),
        {"to": "middle", "from": "bottom"},
        {"to": ["no [[hand]] 'middle'; allowed: left, right"], "from": [POSITIONS.replace("top", "bottom")]},
    ),
    "a betting round": ("holdem.co", "bet", None, {"bet": "first-bets"}, {}),
    "a betting round into a bet of another kind": (
        "holdem.co",
        "bet",
        None,
        {"bet": "big-blind"},
        {"bet": ["no bet 'big-blind' placed by-action; allowed: {}"]},
    ),
    "a betting round where nobody says how players act": (
        "shows",
        "bet",
        None,
        {"bet": "ante"},
        {
            "bet": ["no bet 'ante' placed by-action; allowed: none"],
            "do": ["no [betting] table says how players act"],
        },
    ),
    "a betting round before the cards": (
        "holdem.co",
        "bet",
        CardsSoFar(),
        {"bet": "first-bets"},
        {"do": ["no one has cards to bet on yet; a deal must come before"]},
    ),
    "who acts first by no board": (
        "holdem.co",
        "bet",
        None,
        {"bet": "first-bets", "first": "board"},
        {"board": [BOARD]},
    ),
}


@pytest.mark.parametrize("name", SAID)
def test_what_a_step_may_not_say(name: str) -> None:
    at, do, before, keys, said = SAID[name]
    acted = [bet.name for bet in game(at).bet if bet.placed == "by-action"]
    keys = keys | ({"bet": acted[0]} if keys.get("bet") == "first-bets" else {})
    said = {key: [why.format(", ".join(acted)) for why in whys] for key, whys in said.items()}
    assert mistakes(at, do, before, **keys) == said


def test_who_acts_first_by_the_open_cards() -> None:
    """Seven-card stud: high or low, and a bring-in, by options of their own words."""
    at, open_ = "seven-card-stud.co", so_far(open={"seats": 1})
    acted = next(bet.name for bet in game(at).bet if bet.placed == "by-action")
    step = next(
        step for step in load_procedure(at).step if step.do == "bet" and step.first == "board" and step.bring_in
    )
    assert step.do == "bet"
    by = {"bet": acted, "first": "board", "board": step.board, "bring_in": step.bring_in}
    assert mistakes(at, "bet", open_, **by) == {}
    covered = {"first": ["no card of the seats lies open yet"]}
    assert mistakes(at, "bet", so_far(), **by) == covered
    assert mistakes(at, "bet", so_far(open={"seats": 0}), **by) == covered
    turned = by | {"board": step.bring_in, "bring_in": step.board}
    assert mistakes(at, "bet", open_, **turned) == {
        "board": [f"option {step.bring_in!r} must choose between high, low"],
        "bring-in": [f"option {step.board!r} must choose between none, low-card, high-card"],
    }
    assert mistakes(at, "bet", open_, **by | {"first": "button"}) == {"board": [BOARD]}
