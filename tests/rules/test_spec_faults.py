"""Cross-checks of a game file: each error with its key and its full sentence."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from dealer_flow.procedure.load import load_procedure
from rules.game.as_dealt import as_dealt
from rules.game.faults import faults
from rules.game.load import load_game
from rules.game.readings import READINGS
from rules.game.schema import GameSpec
from rules.game.source import tips_of
from tests.support.reading.each import of_each

Change = tuple[str, Any]
"""A key, its parts divided by spaces with rows of a list by number from 0, and its new value; None removes it."""
C4_BETS = "play, ante, queens-up, super-bonus, progressive, tip-ante, tip-super-bonus, tip-queens-up, tip-play"
CS_BETS = "ante, bet, progressive, tip-ante"
C4_READINGS = "jackpot-hand, folded-progressive, envy-trigger, folded-envy, meter-order"
WA_READINGS = "natural, wild-kicker, jackpot-hand, progressive-hand, envy-trigger, folded-envy, meter-order"
SPLIT_HANDS = (
    "low, high, dealer-low, dealer-high, three, dealer-three, three-flush-first, dealer-three-flush-first, bonus"
)
PAI_GOW_HANDS = "high, low, dealer-high, dealer-low, dealer-best, seven"
PAI_GOW_READINGS = (
    "joker-use, five-card-rank, royal-match, ace-high-note, foul-hand, commission-on, envy-trigger, jackpot-hand, "
    "meter-order"
)
PINEAPPLE_READINGS = "given-up-side-pot, high-qualifier, low-qualifier, hi-lo-ties, odd-chip-low"
HOME_RUN_BETS = "ante, small-blind, big-blind, strike-out, pre-flop, flop, turn, river"
BY_TABLE = "'win' is paid by no row of a table, and the bet has no pays; allowed: "
CLAUSES = {"win": "w", "lose": "l"}
AWARD = [{"to": "beaten", "percent": 50, "clause": "c"}]
LAP = [{"seats": "ascending", "clause": "c", "bets": ["pot"]}]

CASES: list[tuple[str, list[Change], list[tuple[tuple[str | int, ...], str]]]] = [
    # hands and their parts
    (
        "three-card-split.co",
        [("hands low whole", "all"), ("hands high whole", "three")],
        [(("hands", "low", "whole"), f"unknown hand 'all'; allowed: {SPLIT_HANDS}")],
    ),
    (
        "texas-shootout.co",
        [("hands dealer keeps", "boat")],
        [(("hands", "dealer", "keeps"), "unknown house way 'boat'; allowed: texas-shootout")],
    ),
    (
        "texas-shootout.co",
        [("hands dealer of", {"community": 5, "dealer": 4})],
        [(("hands", "dealer", "of", "community"), "5 cards, and texas-shootout keeps some of 4; allowed: 4")],
    ),
    (
        "three-card-split.co",
        [("sets 0 low", "lo"), ("sets 0 rest", "hi"), ("sets 1 bets", ["low", "lower"])],
        [
            (("sets", 0), f"unknown hand 'lo'; allowed: {SPLIT_HANDS}"),
            (("sets", 0), f"unknown hand 'hi'; allowed: {SPLIT_HANDS}"),
            (("sets", 1, "bets"), "unknown bet 'lower'; allowed: low, high, three-card, four-card-bonus"),
        ],
    ),
    (
        "three-card-split.co",
        [("houseways", ["three-card-split", "four"])],
        [(("houseways",), "unknown house way 'four'; allowed: emperors-challenge, three-card-split")],
    ),
    (
        "race-to-the-flush",
        [("race", None)],
        [
            (("hands",), "give either [hands.NAME] or [race]"),
            *((("bets", number, "kind"), "a bet of kind race needs a [race]") for number in range(31)),
        ],
    ),
    (
        "race-to-the-flush",
        [("hands", {"player": {"ranking": "poker", "of": {"own": 5}, "clause": "c"}})],
        [(("hands",), "give either [hands.NAME] or [race]")],
    ),
    # readings, order, maximum
    (
        "crazy-4.co",
        [("readings envy-trigger default", "all")],
        [(("readings", "envy-trigger", "default"), "unknown option 'all'; allowed: bettors, anyone")],
    ),
    (
        "crazy-4.co",
        [("readings", {"envy-triggers": {"default": "all", "because": "b"}})],
        [
            (
                ("readings", "envy-triggers"),
                f"unknown reading; allowed: {', '.join(READINGS)}",
            ),
            *(
                (("bets", bet, "by-reading", row, "reading"), f"unknown reading {name!r}; allowed: envy-triggers")
                for bet, name in ((3, "super-bonus-tie"), (4, "folded-progressive"))
                for row in (0, 1)
            ),
        ],
    ),
    (
        "crazy-4.co",
        [("order 0 bets", ["ante", "pot"])],
        [(("order", 0, "bets"), f"unknown bet 'pot'; allowed: {C4_BETS}")],
    ),
    (
        "crazy-pineapple.co",
        [("order", [*LAP, {"seats": "ascending", "clause": "c", "bets": ["rake"]}])],
        [
            (
                ("order", 1, "bets"),
                "unknown bet 'rake'; allowed: ante, small-blind, big-blind, third-blind, straddle, post, "
                "dead-post, pre-flop, flop, "
                "turn, river, pot",
            )
        ],
    ),
    (
        "caribbean-draw.co",
        [("maximum bets", ["bet", "bets"])],
        [(("maximum", "bets"), "unknown bet 'bets'; allowed: ante, bet, progressive, tip-ante")],
    ),
    # bets
    (
        "caribbean-stud.co",
        [("bets 2 name", "bet")],
        [(("bets", 2, "name"), "bet 'bet' appears twice")],
    ),
    (
        "western-stud.co",
        [("bets 0 kind", "progressive"), ("bets 1 kind", "progressive")],
        [(("bets", 1, "kind"), "a game has at most one progressive bet")],
    ),
    (
        "race-to-the-flush",
        [("bets 0", {"name": "side", "kind": "fee", "clauses": CLAUSES})],
        [(("bets", 0, "kind"), "a bet of kind fee needs a [hands.NAME]")],
    ),
    (
        "crazy-4.co",
        [("bets 4 hand", "fists"), ("bets 4 hand-when 0 hand", "own")],
        [
            (("bets", 4, "hand"), "unknown hand 'fists'; allowed: player, dealer, five"),
            (("bets", 4, "hand"), "unknown hand 'own'; allowed: player, dealer, five"),
        ],
    ),
    (
        "crazy-4.co",
        [("bets 4 hand-when 0 paytables", ["C4-PMG-1", "C4-QU-09"])],
        [
            (
                ("bets", 4, "hand-when"),
                "unknown pay table 'C4-QU-09'; allowed: C4-PROG-1, C4-PROG-2, C4-PMG-1, C4-PMG-2",
            )
        ],
    ),
    (
        "flushes-gone-wild.wa",
        [("bets 4 hand-when 0 reading", "hand")],
        [(("bets", 4, "hand-when"), f"unknown reading 'hand'; allowed: {WA_READINGS}")],
    ),
    ("longhorn.co", [("bets 1 hand", "nobody")], []),  # a fee looks at no hand
    ("western-stud.co", [("bets 2 hand", "nobody")], []),  # nor does a bet that ends as others do
    (
        "colorado-holdem.co",
        [("bets 0 instead hand", "deal")],
        [(("bets", 0, "instead", "hand"), "unknown hand 'deal'; allowed: player, folded, on-the-deal")],
    ),
    (
        "crazy-4.co",
        [("bets 0 against", "house")],
        [(("bets", 0, "against"), "unknown hand 'house'; allowed: player, dealer, five")],
    ),
    (
        "fortune-pai-gow.co",
        [("bets 2 against", "top"), ("bets 2 low", "bottom"), ("bets 2 against-low", "floor")],
        [
            (("bets", 2, "against"), f"unknown hand 'top'; allowed: {PAI_GOW_HANDS}"),
            (("bets", 2, "low"), f"unknown hand 'bottom'; allowed: {PAI_GOW_HANDS}"),
            (("bets", 2, "low"), f"unknown hand 'floor'; allowed: {PAI_GOW_HANDS}"),
        ],
    ),
    (
        "western-stud.co",
        [("bets 2 goes-with", ["high", "lowest"])],
        [
            (
                ("bets", 2, "goes-with"),
                "unknown bet 'lowest'; allowed: river, river-early, ante, high, low, tip-ante, tip-high, tip-low",
            )
        ],
    ),
    (
        "boston-7.co",
        [("bets 2 table-hand", "second")],
        [(("bets", 2, "table-hand"), "unknown hand 'second'; allowed: player, dealer, bonus, first")],
    ),
    (
        "caribbean-stud.co",
        [("bets 0 unqualified qualifier", "house")],
        [(("bets", 0, "unqualified"), "unknown qualifier 'house'; allowed: dealer")],
    ),
    (
        "crazy-4.co",
        [("bets 3 pairs-with bet", "kings-up")],
        [(("bets", 3, "pairs-with"), f"unknown bet 'kings-up'; allowed: {C4_BETS}")],
    ),
    (
        "crazy-4.co",
        [("bets 3 paytables", ["C4-SB-09", "C4-SB-10", "C4-SB-11"])],
        [(("bets", 3, "pairs-with"), "3 tables of 'super-bonus' and 4 of 'queens-up' do not form pairs")],
    ),
    ("crazy-4.co", [("bets 3 pairs-with bet", "tip-queens-up")], []),
    (
        "crazy-4.co",
        [("bets 0 raised above", "aunt")],
        [(("bets", 0, "raised", "above"), f"unknown bet 'aunt'; allowed: {C4_BETS}")],
    ),
    (
        "western-stud.co",
        [("bets 1 table-as", "rivers"), ("bets 0 on", "river-late")],
        [
            (
                ("bets", 0, "on"),
                "unknown bet 'river-late'; allowed: river, river-early, ante, high, low, tip-ante, tip-high, tip-low",
            ),
            (
                ("bets", 1, "table-as"),
                "unknown bet 'rivers'; allowed: river, river-early, ante, high, low, tip-ante, tip-high, tip-low",
            ),
        ],
    ),
    # readings that a bet hangs on
    (
        "fortune-pai-gow.co",
        [("commission", None)],
        [(("bets", number, "commission"), "the game has no [commission]") for number in range(4)],
    ),
    (
        "fortune-pai-gow.co",
        [("bets 0 commission-when reading", "every")],
        [(("bets", 0, "commission-when"), f"unknown reading 'every'; allowed: {PAI_GOW_READINGS}")],
    ),
    (
        "fortune-pai-gow.co",
        [
            ("bets 1 doubled reading", "note"),
            ("bets 1 doubled qualifier", "pair"),
            ("bets 1 doubled tables", ["FPG-01", "FPG-00"]),
            ("bets 1 paytables", ["FPG-01", "FPG-02"]),
        ],
        [
            (("bets", 1, "doubled"), f"unknown reading 'note'; allowed: {PAI_GOW_READINGS}"),
            (("bets", 1, "doubled"), "unknown qualifier 'pair'; allowed: dealer-pair"),
            (("bets", 1, "doubled"), "unknown pay table 'FPG-00'; allowed: FPG-01, FPG-02"),
        ],
    ),
    (
        "three-card-split.co",
        [("bets 2 doubt reading", "rank"), ("bets 2 doubt hand", "a"), ("bets 2 doubt against", "b")],
        [
            (("bets", 2, "doubt"), "unknown reading 'rank'; allowed: three-card-rank"),
            (("bets", 2, "doubt"), f"unknown hand 'a'; allowed: {SPLIT_HANDS}"),
            (("bets", 2, "doubt"), f"unknown hand 'b'; allowed: {SPLIT_HANDS}"),
        ],
    ),
    # ends that nothing pays, or nothing decides
    ("caribbean-stud.co", [("bets 1 tie", "win")], [(("bets", 1, "tie"), BY_TABLE + "push, lose")]),
    ("caribbean-stud.co", [("bets 0 tie", "win")], []),  # it has pays
    (
        "boston-5.co",
        [
            (
                "bets 2 ties",
                [{"row": "pair", "then": each, "clause": "c"} for each in ("win", "push", "lose", "win")],
            ),
            ("bets 2 one-colour", {"then": "win", "clause": "c"}),
        ],
        [
            (("bets", 2, "ties", 0, "then"), BY_TABLE + "push, lose"),
            (("bets", 2, "ties", 3, "then"), BY_TABLE + "push, lose"),
            (("bets", 2, "one-colour", "then"), BY_TABLE + "push, lose"),
        ],
    ),
    (
        "caribbean-stud.co",
        [
            ("bets 1 unqualified then", "win"),
            (
                "bets 1 unqualified unless",
                [{"at-least": "AS", "then": each, "clause": "c"} for each in ("acts", "win")],
            ),
        ],
        [
            (("bets", 1, "unqualified", "then"), BY_TABLE + "push, acts"),
            (("bets", 1, "unqualified", "unless", 1, "then"), BY_TABLE + "push, acts"),
        ],
    ),
    (
        "caribbean-stud.co",
        [("bets 0 clauses fold", None), ("bets 0 clauses unqualified", None)],
        [
            (("bets", 0, "clauses"), "fold: missing, and folding loses the bet"),
            (("bets", 0, "clauses"), "unqualified: missing, and the bet checks whether the other hand qualifies"),
        ],
    ),
    # the pot
    (
        "longhorn.co",
        [("bets 2 kind", "fee"), ("bets 2 clauses", CLAUSES), ("bets 2 clause", None)]
        + [("bets 3", None)] * 2
        + [("pot clauses uncalled", "c")],
        [(("pot",), "no bet goes into it; allowed: bets of kind to-pot")],
    ),
    ("home-run.co", [("bets 0 hand", "nobody"), ("bets 3 hand", "nobody")], []),  # the pot's hand decides them
    ("race-to-the-flush", [("bets 0 hand", "nobody")], []),
    ("crazy-pineapple-hi-lo.co", [("pot", None)], [(("bets", 0, "kind"), "a bet of kind to-pot needs a [pot]")]),
    (
        "longhorn.co",
        [("pot", None), ("jackpot", None)],
        [
            (
                ("order", 2, "bets"),
                "unknown bet 'pot'; allowed: bonus, bad-beat, pot-1, pot-2, pot-3, tip-bonus",
            ),
            (("bets", 2, "kind"), "a bet of kind to-pot needs a [pot]"),
        ],
    ),
    (
        "crazy-pineapple-hi-lo.co",
        [("pot high", None), ("pot low", None)],
        [(("pot",), "no hand can win it; allowed: [pot.high], [pot.low] or both")],
    ),
    (
        "crazy-pineapple-hi-lo.co",
        [("pot clauses uncalled", None)],
        [
            (
                ("pot", "clauses"),
                "bets may differ, so part of one may stay unmatched; give uncalled, or [pot] alike",
            )
        ],
    ),
    ("crazy-pineapple-hi-lo.co", [("pot clauses uncalled", None), ("pot alike", "c")], []),
    (
        "crazy-pineapple-hi-lo.co",
        [("pot clauses uncalled", None), ("pot matched", {"kept": "k", "clause": "c"})],
        [],
    ),
    (
        "crazy-pineapple-hi-lo.co",
        [("pot high", None), ("pot matched", {"kept": "k", "clause": "c"})],
        [(("pot",), "a pot that rolls over, or that losers match, is won by a high hand; give [pot.high]")],
    ),
    (
        "trips.co",
        [("pot high", None), ("pot low", {"hand": "player", "clause": "c"})],
        [(("pot",), "a pot that rolls over, or that losers match, is won by a high hand; give [pot.high]")],
    ),
    (
        "trips.co",
        [("pot rolls qualifier", "pairs"), ("pot rolls enters", "first")],
        [
            (("pot", "rolls", "qualifier"), "unknown qualifier 'pairs'; allowed: trips"),
            (("pot", "rolls", "enters"), "unknown bet 'first'; allowed: initial, bet-1, bet-2, bet-3"),
        ],
    ),
    (
        "crazy-pineapple-hi-lo.co",
        [("bets 8 name", "side-pot-1"), ("bets 0 name", "uncalled"), ("bets 4 name", "pot")],
        [
            (("bets", number, "name"), f"{name!r} is the name of the pot in a settlement; allowed: any other name")
            for number, name in ((0, "uncalled"), (4, "pot"), (8, "side-pot-1"))
        ],
    ),
    (
        "crazy-pineapple-hi-lo.co",
        [
            ("pot high hand", "tall"),
            ("pot low hand", "small"),
            ("pot high qualified", [{"when": {"high-qualifier": "none", "moon": "full"}, "qualifier": "sevens"}]),
            ("pot low qualified", [{"qualifier": "nines"}]),
        ],
        [
            (("pot", "high", "hand"), "unknown hand 'tall'; allowed: player, low"),
            (("pot", "high", "qualified"), "unknown qualifier 'sevens'; allowed: jacks-or-better, eight-or-better"),
            (("pot", "high", "qualified"), f"unknown reading 'moon'; allowed: {PINEAPPLE_READINGS}"),
            (("pot", "low", "hand"), "unknown hand 'small'; allowed: player, low"),
            (("pot", "low", "qualified"), "unknown qualifier 'nines'; allowed: jacks-or-better, eight-or-better"),
        ],
    ),
    # the pool
    ("home-run.co", [("pool", None)], [(("bets", 3, "kind"), "a bet of kind to-pool needs a [pool]")]),
    (
        "home-run.co",
        [("bets 3", {"name": "strike-out", "kind": "to-pot", "clause": "c"})],
        [(("pool",), "no bet goes into it; allowed: bets of kind to-pool")],
    ),
    (
        "home-run.co",
        [("pot low", {"hand": "player", "clause": "c"})],
        [(("pool",), "the winner of the pot gets the runner; allowed: with a [pot] that the high hand wins")],
    ),
    (
        "home-run.co",
        [("pot high", None)],
        [
            (("pot",), "no hand can win it; allowed: [pot.high], [pot.low] or both"),
            (("pool",), "the winner of the pot gets the runner; allowed: with a [pot] that the high hand wins"),
        ],
    ),
    (
        "home-run.co",
        [("pool meter", "river"), ("pool hand", "runner")],
        [
            (("bets", 7, "name"), "'river' is the name of the pool in a settlement; allowed: any other name"),
            (("pool", "hand"), "unknown hand 'runner'; allowed: player"),
        ],
    ),
    # the jackpot
    (
        "longhorn.co",
        [("jackpot beaten hand", "loser"), ("jackpot stake", "beat")],
        [
            (("jackpot", "beaten", "hand"), "unknown hand 'loser'; allowed: player"),
            (
                ("jackpot", "stake"),
                "unknown bet 'beat'; allowed: bonus, bad-beat, pot-1, pot-2, pot-3, tip-bonus",
            ),
        ],
    ),
    (
        "longhorn.co",
        [("jackpot stake", None), ("jackpot shares", AWARD * 2)],
        [(("jackpot", "shares", 1, "to"), "'beaten' appears twice")],
    ),
    (
        "longhorn.co",
        [("jackpot shares", [{**AWARD[0], "percent": 51}, {**AWARD[0], "to": "winner"}])],
        [(("jackpot", "shares"), "they add up to 101 percent; allowed: 100 at most")],
    ),
    (
        "longhorn.co",
        [("jackpot shares", [AWARD[0], {**AWARD[0], "to": "holder"}])],
        [
            (
                ("jackpot", "shares", 1, "to"),
                "no seat is 'holder' in this award; allowed: beaten, winner, others",
            )
        ],
    ),
    (
        "longhorn.co",
        [("jackpot beaten", None)],
        [(("jackpot",), "an award is earned by one hand; give either beaten or held")],
    ),
]  # fmt: skip


@cache
def written(game: str) -> dict[str, Any]:
    """Return the content of the game with its base and the facts from its procedures."""
    source = load_game(game).source
    return as_dealt(source.whole.content(), source.procedures)


def put(into: Any, keys: list[str], value: Any) -> Any:
    """Return a copy with this value at these keys; None removes them."""
    if not keys:
        return value
    at: Any = int(keys[0]) if isinstance(into, list) else keys[0]
    copy = into.copy()
    if value is None and len(keys) == 1:
        del copy[at]
        return copy
    copy[at] = put(into[at] if isinstance(into, list) else into.get(at, {}), keys[1:], value)
    return copy


def spec_of(text: dict[str, Any]) -> GameSpec:
    return GameSpec.model_validate_json(json.dumps(text))


def faults_of(text: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the errors, including the tips of its procedures."""
    spec = spec_of(text)
    return faults(spec, tips_of(spec, map(load_procedure, spec.procedures)))


@of_each("game, changes, expected", CASES)
def test_a_key_that_asks_for_another_is_told_with_what_is_allowed(
    game: str, changes: list[Change], expected: list[tuple[tuple[str | int, ...], str]]
) -> None:
    text = written(game)
    for keys, value in changes:
        text = put(text, keys.split(), value)
    assert list(faults_of(text)) == expected


def test_an_award_for_a_hand_that_is_held() -> None:
    text = written("longhorn.co")
    held = {key: value for key, value in text["jackpot"].items() if key != "beaten"} | {
        "held": text["jackpot"]["beaten"] | {"hand": "royal"},
        "shares": [{**AWARD[0], "to": "holder"}, {**AWARD[0], "to": "winner"}],
    }
    assert list(faults_of(text | {"jackpot": held})) == [
        (("jackpot", "shares", 1, "to"), "no seat is 'winner' in this award; allowed: holder, others"),
    ]
    held["shares"] = [{**AWARD[0], "to": "holder"}, {**AWARD[0], "to": "others"}]
    assert list(faults_of(text | {"jackpot": held})) == [
        (("jackpot", "held", "hand"), "unknown hand 'royal'; allowed: player"),
    ]
