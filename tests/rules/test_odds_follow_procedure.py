"""A changed procedure changes its game's odds, in one place; or the odds are refused with the clause that the solver
does not count."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from dealer_flow.games import files_of
from protocol.tomlfile import TomlFileError
from rules import game_ids
from rules.game.load import Game, load_game
from rules.odds import Odds, Question, odds
from rules.odds.cards.placed_sets import Pack
from rules.odds.decide.decisions import DifferentDecisions, decisions
from rules.odds.decide.holdem_terms import CallAndRaise, HoldemTerms, RaiseOnce
from rules.odds.decide.settings import AgainstSettings, BonusSettings, WayToBet
from rules.odds.question import OneDeck
from rules.odds.solvers import SOLVERS, answers_for, odds_faults, solver_name
from rules.odds.strategy.file import load_strategy
from tests.rules.test_odds_holdem import BONUS_POKER, ULTIMATE
from tests.rules.test_odds_small_packs import NARROW, WIDE, average, on_the_streets
from tests.support.oracles.holdem_by_hand import ByHand

Change = tuple[str, str]
"""A text in a procedure's file and its replacement, everywhere."""


def with_procedure(folder: Path, game_id: str, changes: Sequence[Change]) -> Game:
    """Return the game with its first procedure changed, both as a house's own files."""
    first = load_game(game_id).spec.procedures[0]
    text = files_of("deal")[first].read_text(encoding="utf-8")
    for old, new in (*changes, (f'id = "{first}"', 'id = "mine"')):
        assert old in text, old
        text = text.replace(old, new)
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    game = files_of("pays")[game_id].read_text(encoding="utf-8")
    path = folder / "game.toml"
    path.write_text(re.sub(r"procedures = \[.*\]", 'procedures = ["mine"]', game), encoding="utf-8")
    return load_game(path)


def settings(game: Game) -> Any:
    return SOLVERS[solver_name(game)].reads(decisions(game), answers_for(game))


FLUSHES = tuple(answers_for(load_game("flushes-gone-wild.co")))
ONE_OR_TWO = ('equal = "2 ante"', 'multiple-of = "ante", clause = "(7)" }, { at-most = "2 ante"')
"""A play bet of one ante or two."""

FOLLOWED = [
    # game, what is changed in its procedure, what is counted then
    ("mississippi-stud.co", [('"3 ante"', '"2 ante"')], ((1, 2),) * 3),
    ("mississippi-stud.co", [('at-most = "3 ante", clause = "47.1-1017.46(8)"', 'at-most = "5 ante", clause = "(8)"')],
     ((1, 2, 3), (1, 2, 3), (1, 2, 3, 4, 5))),
    ("ultimate-texas-holdem.co", [('"4 ante"', '"5 ante"')], RaiseOnce((5, 3), 2, 1)),
    ("ultimate-texas-holdem.co", [('"2 ante"', '"3 ante"')], RaiseOnce((4, 3), 3, 1)),
    ("texas-holdem-bonus.co", [('"2 ante"', '"3 ante"')], CallAndRaise(3, 1, 1)),
    ("champion.co", [('equal = "play"', 'equal = "2 play"')], CallAndRaise(1, 2, 0)),
    ("flushes-gone-wild.co", [ONE_OR_TWO],
     AgainstSettings(5, 0, (1, 2), (WayToBet(FLUSHES, {"ante": 1, "blind": 1, "play": 1}, {}),))),
    ("bonus-6.co", [('"1/2 ante"', '"ante"')], BonusSettings(2, 1, Fraction(1), Fraction(1))),
    ("vegas-double-action.co", [("discards = 5", "discards = 4")], (0, 1, 2, 3, 4)),
    ("colorado-holdem.co", [('is = "1"', 'is = "none"'), ('is = "2"', 'is = "1"'), ('"none"', '"2"')], False),
]  # fmt: skip


@pytest.mark.parametrize(("game_id", "changes", "counted"), FOLLOWED)
def test_what_is_counted_follows_the_procedure(
    game_id: str, changes: list[Change], counted: object, tmp_path: Path
) -> None:
    game = with_procedure(tmp_path, game_id, changes)
    assert settings(game) == counted != settings(load_game(game_id))
    assert not [*odds_faults(game)]


def test_a_games_stakes_and_the_dealers_cards_follow_the_procedure(tmp_path: Path) -> None:
    three_times = settings(with_procedure(tmp_path, "caribbean-stud.co", [('"2 ante"', '"3 ante"')]))
    assert three_times.ways[0].stakes == {"ante": 1, "bet": 3}
    longer = settings(with_procedure(tmp_path, "flushes-gone-wild.co", [('"2 ante"', '"3 ante"')]))
    assert longer.ways[0].stakes == {"ante": 1, "blind": 1, "play": 3}
    shown = '[[step]]\nname = "up-card"'
    hidden = [(shown, f'{shown}\nwhen = {{ option = "won-before-defect", is = "come-back" }}')]
    assert settings(with_procedure(tmp_path, "caribbean-stud.co", hidden)).dealer_up == 0
    raised = settings(with_procedure(tmp_path, "crazy-4.co", [('"3 ante"', '"2 ante"')]))
    assert raised.raises == (1, 2)
    fewer = settings(with_procedure(tmp_path, "boston-5.co", [("cards = 3", "cards = 2")]))
    assert fewer.seen == 2
    a_quarter = settings(with_procedure(tmp_path, "3-5-7.co", [('share = "1/2"', 'share = "1/4"')]))
    assert a_quarter.share == Fraction(1, 4)


REFUSED = [
    ("mississippi-stud.co", [('    { at-most = "3 ante", clause = "47.1-1017.46(7)" },\n', "")],
     "47.1-1017.46(7): a stake has no maximum"),
    ("mississippi-stud.co", [('"3 ante"', '"1/2 ante"')], "47.1-1017.46(6): no stake is allowed"),
    ("mississippi-stud.co", [('"third-street"]\nblind', '"third-street", "fifth-street"]\nblind')],
     "step 'third-choice' (47.1-1017.46(6)): on own 2: fold; bet third-street; bet fifth-street; "
     "the solver counts, on own 2: fold; bet third-street"),
    ("ultimate-texas-holdem.co", [("cards = 3\nclause", "cards = 2\nclause")],
     "step 'second-choice' (47.1-1017.47(9)): on own 2, community 2: check; bet play; "
     "the solver counts, on own 2, community 3: check; bet play"),
    ("ultimate-texas-holdem.co", [('"4 ante"', '"9/2 ante"')],
     "step 'first-choice' (47.1-1017.47(8)): play of 9/2, 3 units; the solver counts only whole ones"),
    ("caribbean-stud.co", [('of = ["dealer"]\ncards = 1', 'of = ["dealer"]\ncards = 2')],
     "step 'choice' (47.1-1017.10(7)): on own 5, dealer 2: fold; bet bet; "
     "the solver counts, on own 5, dealer 1: fold; bet bet"),
    ("let-it-ride.co", [('takes-back = "bet-2"', 'takes-back = "bet-1"')],
     "step 'second-choice' (47.1-1017.14(7)): on own 3, community 1: check; take back bet-1; "
     "the solver counts, on own 3, community 1: check; take back bet-2"),
    ("bonus-6.co", [('equal = "ante", clause = "47.1-1017.28(7)"', 'equal = "2 ante", clause = "(7)"')],
     "step 'first-choice' (47.1-1017.28(7)): second of 2 units; the solver counts one unit"),
    ("colorado-holdem.co", [('equal = "ante"', 'equal = "2 ante"')],
     "step 'choice-1' (47.1-1017.16(6)(a)-(c)): bet of 2 units; the solver counts one unit"),
    ("3-5-7.co", [('default = "comes-back"\nallowed = ["comes-back", "plays-on"]',
                   'default = "plays-on"\nallowed = ["comes-back", "plays-on"]')],
     "step 'surrender' (47.1-1017.37(6)): the rest of seven-card plays-on; "
     "the solver counts one share, the rest of which comes-back"),
    ("vegas-double-action.co", [('name = "discard-0"\n', 'name = "discard-0"\nfolds = true\n')],
     "step 'holds' (47.1-1017.20(5)): on own 5: fold; lay down 1; lay down 2; lay down 3; lay down 4; lay down 5; "
     "the solver counts, on own 5: lay down 1; lay down 2; lay down 3; lay down 4; lay down 5"),
    ("wild-six.co", [("lays-aside = 1", "lays-aside = 2")],
     "step 'discard' (47.1-1017.42(7), (10)): on own 5: lay aside 2; check; "
     "the solver counts, on own 5: lay aside 1; check"),
    ("texas-shootout.co", [("discards = 2", "discards = 1")],
     "on own 4: lay down 1; bet second-hand; bet second-hand, bet second-bonus, with shootout-bonus; bet second-hand, "
     "with shootout-bonus (47.1-1017.51); the solver counts, on own 4: lay down 2"),
    ("three-card-split.co", [("low = 1", "low = 2")],
     "step 'hands-set' (47.1-1017.48 7-8): on own 3: set 2 in front; the solver counts, on own 3: set 1 in front"),
    ("prospector.co", [('[[step]]\nname = "silver-box"',
                        '[[step]]\nname = "stay"\ndo = "decide"\nchoices = ["stay"]\nclause = "(4)"\n\n'
                        '[[decision]]\nnumber = 1\nname = "stay"\nclause = "(4)"\n\n[[step]]\nname = "silver-box"')],
     "players decide at stay (47.1-1017.22); the solver counts 0 decisions"),
    ("208.co", [('name = "no-card-1"\n', 'name = "no-card-1"\ndiscards = 1\n')],
     "step 'card-1-choice' (47.1-1017.32(11)): on own 2: lay down 1; bet card-1; "
     "the solver counts, on own 2: check; bet card-1"),
    ("flushes-gone-wild.co", [('name = "fold"\n', 'name = "fold"\ndiscards = 1\n')],
     "step 'choice' (47.1-1017.60(7)): on own 5: fold, lay down 1; bet play; "
     "the solver counts, on own 5: fold; bet play"),
]  # fmt: skip


@pytest.mark.parametrize(("game_id", "changes", "why"), REFUSED)
def test_what_is_not_counted_is_refused_with_its_clause(
    game_id: str, changes: list[Change], why: str, tmp_path: Path
) -> None:
    game = with_procedure(tmp_path, game_id, changes)
    (fault,) = odds_faults(game)
    assert str(fault).partition(": ")[2] == f"procedures[1]: mine: {why}"
    with pytest.raises(TomlFileError, match=r"game\.toml:\d+: procedures\[1\]: mine: "):
        next(iter(odds(Question(game))))


def test_every_solver_is_tried() -> None:
    tried = {solver_name(load_game(game_id)) for game_id, *_ in (*FOLLOWED, *REFUSED)}
    assert tried == {*SOLVERS}


def test_procedures_of_one_game_let_players_choose_alike(tmp_path: Path) -> None:
    game = with_procedure(tmp_path, "mississippi-stud.co", [('"3 ante"', '"2 ante"')])
    both = game.path.read_text().replace('["mine"]', '["mississippi-stud.co", "mine"]')
    game.path.write_text(both)
    (fault,) = odds_faults(load_game(game.path))
    assert str(fault).endswith("procedures[2]: mine: its choices differ from those of mississippi-stud.co")


ALSO_COUNTED = {
    # nobody decides anything where the house offers no surrender, and where two hands are dealt
    "surrender": {"points", "two-shoes"},
    "points": {"two-shoes"},
    # a fold or a bet is one decision whatever the hands are ranked by
    "longest-flush": {"against-dealer"},
    "against-dealer": {"longest-flush"},
}


@pytest.mark.parametrize("game_id", [game_id for game_id in game_ids() if answers_for(load_game(game_id))])
def test_a_solver_refuses_the_games_of_others(game_id: str) -> None:
    game = load_game(game_id)
    own, able = solver_name(game), set[str]()
    for name, row in SOLVERS.items():
        with suppress(DifferentDecisions):
            row.reads(decisions(game), answers_for(game))
            able.add(name)
    assert able == {own} | ALSO_COUNTED.get(own, set())


# ------------------------------------------------------------------ the figures


@pytest.mark.parametrize("most", [1, 2, 4])
def test_streets_of_so_many_antes(most: int, tmp_path: Path) -> None:
    """On a small pack, the figure is that of a player who plays every deal and bets up to this much."""
    game = with_procedure(tmp_path, "mississippi-stud.co", [('"3 ante"', f'"{most} ante"')])
    question = Question(game, one=OneDeck(NARROW.ranks, NARROW.suits))
    found = next(iter(odds(question, "+".join(bet.name for bet in answers_for(game)))))
    hands = [frozenset(hand) for hand in combinations(range(NARROW.size), 2)]
    assert isinstance(found, Odds)
    assert -found.house_edge == average(on_the_streets(hand, 1, tuple(range(1, most + 1))) for hand in hands)


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("game_id", "change", "terms", "raises"),
    [
        ("ultimate-texas-holdem.co", ('"4 ante"', '"5 ante"'), ULTIMATE, RaiseOnce((5, 3), 2, 1)),
        ("texas-holdem-bonus.co", ('"2 ante"', '"3 ante"'), BONUS_POKER, CallAndRaise(3, 1, 1)),
    ],
)
def test_holdem_with_other_raises(
    game_id: str,
    change: Change,
    terms: HoldemTerms,
    raises: RaiseOnce | CallAndRaise,
    tmp_path: Path,
) -> None:
    """On a small deck, compared with every deal played out by hand."""
    game = with_procedure(tmp_path, game_id, [change])
    question = Question(game, one=OneDeck((9, 10, 11, 12, 13), 2))
    found = next(iter(odds(question, "+".join(bet.name for bet in answers_for(game)))))
    changed = HoldemTerms(terms.first, raises, terms.raised, terms.qualifier)
    _, ways = ByHand(changed, "9TJQK", "CD").count()
    gained = sum((number * sum(changed.gains(line, ending)[1], Fraction(0)) for (line, ending), number in ways.items()))
    assert isinstance(found, Odds)
    assert -found.house_edge == Fraction(gained) / sum(ways.values())


def test_a_procedure_that_is_not_at_hand(tmp_path: Path) -> None:
    """`dealwire check` reports it separately; if the file is given, it is read."""
    game = with_procedure(tmp_path, "mississippi-stud.co", [('"3 ante"', '"1/2 ante"')])
    elsewhere = (tmp_path / "mine.toml").rename(tmp_path / "theirs.toml")
    assert not [*odds_faults(game)]
    (fault,) = odds_faults(game, {"mine": elsewhere})
    assert str(fault).endswith("mine: 47.1-1017.46(6): no stake is allowed")
    with pytest.raises(TomlFileError, match=r"game\.toml:\d+: procedures\[1\]: procedure 'mine', which defines"):
        list(odds(Question(game)))


@pytest.mark.parametrize(
    ("game_id", "change", "bet", "pack", "seen"),
    [
        # an insurance as high as the ante is lost whole, whatever comes
        ("bonus-6.co", ('"1/2 ante"', '"ante"'), "insurance", NARROW, lambda found: found.house_edge == 1),
        # nobody lays down all five cards
        ("vegas-double-action.co", ("discards = 5", "discards = 4"), "hand", WIDE,
         lambda found: "keep 0" not in found.also["decisions"]["hand"]),
    ],
)  # fmt: skip
def test_other_figures_of_small_packs(
    game_id: str,
    change: Change,
    bet: str,
    pack: Pack,
    seen: Callable[[Odds], bool],
    tmp_path: Path,
) -> None:
    found = []
    for game in (load_game(game_id), with_procedure(tmp_path, game_id, [change])):
        counted = odds(
            Question(game, one=OneDeck(pack.ranks, pack.suits)), of=[each.name for each in answers_for(game)]
        )
        found.append(seen(next(each for each in counted if each.bet == bet and isinstance(each, Odds))))
    assert found == [False, True]


def test_a_strategy_bets_what_the_procedure_lets_it(tmp_path: Path) -> None:
    """A strategy bets the lowest stake that the rules allow for a choice, in units of the first bet, regardless of the
    choice's name."""
    game = with_procedure(tmp_path, "ultimate-texas-holdem.co", [('"4 ante"', '"5 ante"'), ('"2 ante"', '"3 ante"')])
    path = tmp_path / "strategy.toml"
    path.write_text('schema = "dealwire.strategy/1"\ntitle = "high"\n[otherwise]\nfirst-choice = "play-4x"\n')
    played = load_strategy(path, game)
    assert [each.units for each in played.decisions] == [
        {"check-1": 0, "play-4x": 5, "play-3x": 3},
        {"check-2": 0, "play-2x": 3},
        {"fold": 0, "play-1x": 1},
    ]
    assert [units for _, units in played.rules(0)] == [5]
