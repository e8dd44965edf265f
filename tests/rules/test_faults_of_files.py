"""Invalid files of games, house ways, meters and jackpots: every error at its line, with its full sentence."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dealer_flow.games import files_of, paytable_files
from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.plan import Plan
from protocol.cards import RANKS_UP, parse_cards
from protocol.tomlfile import TomlFileError
from rules.game.house_ways import HOUSEWAYS, load_houseway
from rules.game.keep_rules import KEEPS, KeepFile, keep, load_keep
from rules.game.load import load_game
from rules.game.pairing import differences
from rules.hands import ranking_ids
from rules.meters.jackpot_setup import load_jackpot
from rules.meters.setup import ADVICE, cautions, load_setup
from rules.odds.solvers import SOLVERS, odds_faults
from rules.paytables.conditions import CONDITIONS
from tests.rules.test_spec_faults import CLAUSES, Change, put, spec_of, written
from tests.support.reading.each import of_each
from tests.support.reading.game_files import flat_games

STUD_OPTIONS = (
    "exposed-card, card-off-table, house-card-exposed, house-card-off-table, lost-by-fold, won-before-defect, "
    "foreign-card, misdeal-until, deck-least-rounds, deck-age-rounds"
)
POKER = CONDITIONS["poker"].allowed


def changed(game: str, changes: list[Change]) -> dict[str, Any]:
    text = written(game)
    for keys, value in changes:
        text = put(text, keys.split(), value)
    return text


PAIRS: list[tuple[str, str, list[Change], list[tuple[str, tuple[str | int, ...], str]]]] = [
    (
        "caribbean-stud.co",
        "caribbean-stud.co",
        [("options", {"lost-by-fold": ["stays", "goes"], "fold": ["stays"]})],
        [
            (
                "game",
                ("options", "lost-by-fold", 1),
                "procedure caribbean-stud.co has no option lost-by-fold 'goes'; allowed: comes-back, stays",
            ),
            (
                "game",
                ("options", "fold", 0),
                f"procedure caribbean-stud.co has no option fold 'stays'; allowed: {STUD_OPTIONS}",
            ),
        ],
    ),
    (
        "caribbean-stud.co",
        "caribbean-stud.co",
        [("bets 2 kind", "table"), ("bets 1 name", "raise")],
        [
            (
                "game",
                ("bets", 1, "name"),
                "procedure caribbean-stud.co has no bet 'raise'; allowed: ante, bet, progressive, tip-ante",
            ),
            (
                "procedure",
                ("bet", 1, "name"),
                "game caribbean-stud.co has no bet 'bet'; allowed: ante, raise, progressive",
            ),
            (
                "procedure",
                ("bet", 2, "progressive"),
                "game caribbean-stud.co settles 'progressive' as table; allowed: false",
            ),
        ],
    ),
    ("caribbean-stud.co", "caribbean-stud.co", [("bets 1 name", "raise"), ("bets 1 on", "ante")], [
        (
            "procedure",
            ("bet", 1, "name"),
            "game caribbean-stud.co has no bet 'bet'; allowed: ante, raise, progressive",
        ),
    ]),
    (
        "caribbean-stud.co",
        "caribbean-stud.co",
        [("bets 0", {"name": "ante", "kind": "progressive", "paytables": ["CS-PROG-1"], "clauses": CLAUSES})],
        [
            (
                "procedure",
                ("bet", 0, "progressive"),
                "game caribbean-stud.co settles 'ante' as progressive; allowed: true",
            ),
        ],
    ),
    (
        "caribbean-stud.co",
        "caribbean-stud.co",
        [("hands player at", {"own": "deal", "dealer": "showdown"})],
        [
            (
                "game",
                ("hands", "player", "at", "own"),
                "procedure caribbean-stud.co has no step 'deal'; allowed: hands, up-card, choice, showdown",
            ),
        ],
    ),
    (
        "caribbean-stud.co",
        "caribbean-stud.co",
        [("hands player of", {"own": 4, "community": 1, "dealer": [3, 4]})],
        [
            (
                "game",
                ("hands", "player", "of", "own"),
                "4 cards of seats, and procedure caribbean-stud.co leaves 5 there; allowed: 5",
            ),
            (
                "game",
                ("hands", "player", "of", "community"),
                "procedure caribbean-stud.co deals nothing to community; allowed: own, dealer",
            ),
            (
                "game",
                ("hands", "player", "of", "dealer"),
                "3 cards of dealer, and procedure caribbean-stud.co leaves 5 there; allowed: 5",
            ),
        ],
    ),
    (
        "caribbean-stud.co",
        "caribbean-stud.co",
        [("hands player of", {"own": 1, "community": [0, 2], "dealer": [4, 5]})],
        [
            (
                "game",
                ("hands", "player", "of", "own"),
                "1 card of seats, and procedure caribbean-stud.co leaves 5 there; allowed: 5",
            ),
        ],
    ),
    ("caribbean-stud.co", "caribbean-stud.co", [("hands player of", {"own": 3}), ("hands player part", "low")], []),
    ("caribbean-stud.co", "caribbean-stud.co", [("hands player of", {"own": 3}), ("hands player fill", 5)], []),
    (
        "caribbean-stud.co",
        "race-to-the-flush",
        [("bets", [{"name": "red", "kind": "fee", "clauses": CLAUSES}])],
        [("game", ("hands",), "procedure race-to-the-flush deals columns, not hands; allowed: [race]")],
    ),
    (
        "race-to-the-flush",
        "caribbean-stud.co",
        [],
        [("game", ("race",), "procedure caribbean-stud.co deals hands, not columns; allowed: [hands.NAME]")],
    ),
    (
        "race-to-the-flush",
        "race-to-the-flush",
        [("race column", 4), ("race most", 15)],
        [
            (
                "procedure",
                ("shoe", "end"),
                "game race-to-the-flush is decided by a column, or by a number of cards of all columns; "
                "allowed: by column 4, by all 15",
            ),
        ],
    ),
]  # fmt: skip


@of_each("game, procedure, changes, expected", PAIRS)
def test_what_a_game_and_a_procedure_do_not_agree_in(
    game: str, procedure: str, changes: list[Change], expected: list[tuple[str, tuple[str | int, ...], str]]
) -> None:
    found = differences(spec_of(changed(game, changes)), Plan(load_procedure(procedure), {}))
    own = [each for each in found if procedure == game or each.key[0] not in ("bet", "bets")]
    assert [tuple(each) for each in own] == expected


# ------------------------------------------------------------------ files that are read


def line_of(path: Path, text: str) -> int:
    return next(number for number, line in enumerate(path.read_text().splitlines(), 1) if text in line)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies of the package's games that tests may change."""
    folder = tmp_path_factory.mktemp("games")
    return Path(flat_games(folder))


OWN_RANKING = 'ranking = "poker"'
GAME_FAULTS = [
    # game, original text, replacement, the line named, the sentence
    (
        "caribbean-stud.co",
        'at-least = "AS KH 4D 3C 2S"',
        'at-least = "AS AS 4D 3C 2S"',
        "AS AS 4D",
        "qualifiers.dealer.at-least: a card appears twice in 'AS AS 4D 3C 2S', and there is one deck",
    ),
    (
        "caribbean-stud.co",
        "[qualifiers.dealer]\n",
        '[qualifiers.dealer]\nhand = "house"\n',
        'hand = "house"',
        "qualifiers.dealer.hand: unknown hand 'house'; allowed: player, dealer",
    ),
    (
        "high-five.co",
        'name = "play"\nkind = "against"',
        'name = "play"\nkind = "against"\nties = [{ row = "pair", then = "push", clause = "c" }, '
        '{ row = "six pair", then = "push", clause = "c" }]',
        "six pair",
        f"bets[1].ties[2].row: 'six pair' is not a row of a hand 'dealer'; allowed: {POKER}",
    ),
    (
        "home-run.co",
        '{ row = "four of a kind", runners = 2 }',
        '{ row = "four", runners = 2 }',
        '{ row = "four", runners = 2 }',
        f"pool.more[3].row: 'four' is not a row of a hand 'player'; allowed: {POKER}",
    ),
    (
        "omaha.co",
        "takes = { own = 2, community = 3 }",
        "takes = { own = 5 }",
        "takes = { own = 5 }",
        "hands.player.takes.own: 5 cards, and `of` has 4; allowed: as many as `of` has",
    ),
    (
        "omaha.co",
        "takes = { own = 2, community = 3 }",
        "takes = { dealer = [0, 1] }",
        "takes = { dealer",
        "hands.player.takes.dealer: 1 cards, and `of` has 0; allowed: as many as `of` has",
    ),
    (
        "omaha.co",
        "takes = { own = 2, community = 3 }",
        "fill = 9\ntakes = { own = 2 }",
        "takes = { own = 2 }",
        "hands.player.takes: allowed only for places with an exact number of cards, without `fill` or `pick`",
    ),
    (
        "omaha.co",
        "takes = { own = 2, community = 3 }",
        "takes = { own = 2, community = 2 }",
        "takes = { own = 2, community",
        "hands.player.takes: cannot make a hand of 5 cards; poker ranks 5",
    ),
    (
        "caribbean-stud.co",
        'paytables = ["CS-BET"]',
        'paytables = ["CS-BETT"]',
        "CS-BETT",
        "bets[2].paytables: no pay table 'CS-BETT' in this file, in paytables/ or in the package; they have CS-BET",
    ),
    (
        "caribbean-stud.co",
        'paytables = ["CS-BET"]',
        'paytables = ["zzzzzzzz"]',
        "zzzzzzzz",
        "bets[2].paytables: no pay table 'zzzzzzzz' in this file, in paytables/ or in the package; "
        f"they have {len(paytable_files())} others",
    ),
    (
        "race-to-the-flush",
        'rows = ["5 cards"]',
        'rows = ["55 cards"]',
        '"55 cards"',
        "bets[1].rows: unknown row '55 cards'; allowed: 5 cards, 6 cards, 7 cards, 8 cards, 9 cards, 10 cards, 11 "
        "cards, 12 cards, 13 cards, 14 cards, 15 cards, 16 cards, no flush",
    ),
]


@of_each("game, before, after, at, sentence", GAME_FAULTS)
def test_a_game_that_cannot_be_meant(game: str, before: str, after: str, at: str, sentence: str, games: Path) -> None:
    path = games / f"changed-{game}.toml"
    text = files_of("pays")[game].read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))
    with pytest.raises(TomlFileError) as told:
        load_game(path)
    assert str(told.value).startswith(f"{path}:{line_of(path, at)}: {sentence}")
    assert str(told.value).endswith(sentence) or sentence.endswith("have CS-BET")


def test_an_id_that_nobody_has_is_told_with_its_neighbour() -> None:
    with pytest.raises(TomlFileError) as told:
        load_game("caribbean-stud.c")
    assert str(told.value) == "caribbean-stud.c: no such game (did you mean caribbean-stud.co?)"
    with pytest.raises(TomlFileError) as told:
        load_houseway("three-card-splitt")
    assert str(told.value) == (
        "three-card-splitt: no such house way (did you mean three-card-split?); allowed: emperors-challenge, "
        "three-card-split, or a .toml file"
    )


RANK = ", ".join(RANKS_UP)
WAY_FAULTS = [
    (
        'id = "three-card-split"',
        'id = "four"',
        'id = "four"',
        "id: is 'four'; the file's name requires 'three-card-split'",
    ),
    ("low = 1\n", "low = 3\n", "low = 3", "low: 3 of 3 cards; allowed: fewer"),
    (
        'ranking = "three-card"',
        'ranking = "four"',
        'ranking = "four"',
        f"ranking: unknown ranking 'four'; allowed: {', '.join(ranking_ids())}",
    ),
    (
        'holds = "straight or flush"',
        'holds = "straightt"',
        'holds = "straightt"',
        f"'straightt' is not a row; allowed: {POKER}",
    ),
    ('low = "ten high or better"', 'low = "ten"', 'low = "ten"', f"rules[3].low: 'ten' is not a row; allowed: {POKER}"),
    (
        'rest = "pair or straight or flush"',
        'rest = "two"',
        'rest = "two"',
        f"rules[3].rest: 'two' is not a row; allowed: {POKER}",
    ),
    (
        'ranking = "three-card"\n',
        "",
        "holds = ",
        "rules[2].holds: needs a `ranking` of the file, to rank all cards",
    ),
    (
        "groups = [3]",
        'groups = [3]\nranks = ["1 to A"]',
        'ranks = ["1 to A"]',
        f"rules[1].ranks: '1 to A' is not a rank; allowed: {RANK}, or 'RANK to RANK'",
    ),
    (
        "groups = [3]",
        'groups = [3]\nlow-ranks = ["2 to A"]',
        'low-ranks = ["2 to A"]',
        f"rules[1].low-ranks: '2 to A' is not a rank; allowed: {RANK}, or 'RANK to RANK'",
    ),
    (
        "groups = [3]",
        'groups = [3]\nranks = ["2", "3"]',
        'ranks = ["2", "3"]',
        "rules[1].ranks: 2 ranks of 1 groups; allowed: as many as groups",
    ),
]


@of_each("before, after, at, sentence", WAY_FAULTS)
def test_a_house_way_that_cannot_be_meant(before: str, after: str, at: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "three-card-split.toml"
    text = (HOUSEWAYS / path.name).read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))
    with pytest.raises(TomlFileError) as told:
        load_houseway(path)
    found = str(told.value).removeprefix(f"{path}:{line_of(path, at)}: ")
    assert found == sentence or found.endswith(f".holds: {sentence}")


def test_what_a_house_keeps_that_cannot_be_meant(tmp_path: Path) -> None:
    text = (KEEPS / "texas-shootout.toml").read_text()
    path = tmp_path / "texas-shootout.toml"
    (kept,) = re.findall(r"^kept = \d+$", text, re.MULTILINE)
    path.write_text(text.replace(kept, "kept = 4"))
    with pytest.raises(TomlFileError) as told:
        load_keep(path)
    assert str(told.value) == f"{path}:{line_of(path, 'kept = 4')}: kept: 4 of 4 cards; allowed: fewer"
    path.write_text(text.replace("least = [14, 11]", "least = [14, 13, 12]"))
    with pytest.raises(TomlFileError) as told:
        load_keep(path)
    line = line_of(path, "least = [14, 13, 12]")
    assert str(told.value) == f"{path}:{line}: rules[2].least: 3 ranks; allowed: at most 2, the number kept"


def test_a_way_to_keep_cards_that_does_not_speak_of_them() -> None:
    way = load_keep("texas-shootout")
    with pytest.raises(ValueError, match=r"^texas-shootout keeps 2 of 4 cards, not of 3$"):
        keep(way, parse_cards("2C 3D 4H"))
    silent = KeepFile.model_validate(
        way.model_dump(by_alias=True) | {"rules": (way.rules[0].model_dump(by_alias=True),)}
    )
    with pytest.raises(ValueError, match=r"^texas-shootout has no rule for 2C 4D 7H 9S$"):
        keep(silent, parse_cards("2C 4D 7H 9S"))


# ------------------------------------------------------------------ meters, jackpots, odds

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
METER_FAULTS = [
    ('name = "major"', 'name = "mega"', "meters[2].name: meter 'mega' appears twice"),
    ('name = "minor"', 'name = "mega"', "meters[3].name: meter 'mega' appears twice"),
    ('"8 %"', '"90 %"', "meters: contributions and reserves add up to more than 100 % of a wager"),
    (
        '"8 %"',
        '"8"',
        "meters[1].contribution: not a rate; allowed: 'N %' from 0 % to 100 %, such as '21.5 %'",
    ),
]


@of_each("before, after, sentence", METER_FAULTS)
def test_a_meter_that_cannot_be_meant(before: str, after: str, sentence: str, tmp_path: Path) -> None:
    text = (EXAMPLES / "progressive-ml03.toml").read_text(encoding="utf-8")
    assert before in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(before, after, 1))
    with pytest.raises(TomlFileError) as told:
        load_setup(path)
    assert str(told.value).endswith(f": {sentence}")


def meters(folder: Path, *rows: tuple[str, int]) -> Path:
    path = folder / "meters.toml"
    head = 'schema = "dealwire.progressive/1"\nid = "meters"\nexecutive-from-cents = 1\n'
    path.write_text(
        head
        + "".join(
            f'[[meters]]\nname = "{name}"\nseed-cents = {seed}\nstart-cents = 0\ncontribution = "10 %"\n'
            for name, seed in rows
        )
    )
    return path


@of_each("seed, said", [
    (0, "meter meter: a seed of 0 is not recommended  [{}, seed amount]"),
    (29_999, "meter meter: the seed of 29999 cents is below the largest fixed award, 30000 cents  [{}, seed amount]"),
    (30_000, ""),
])  # fmt: skip
def test_a_seed_that_the_maker_does_not_recommend(seed: int, said: str, tmp_path: Path) -> None:
    """WA-NC pays at most 300 for 1 in addition to its meter; a meter that it does not pay from is not tested."""
    table = load_game("flushes-gone-wild.wa").paytables["WA-NC"]
    setup = load_setup(meters(tmp_path, ("other", 0), ("meter", seed)))
    assert cautions(setup, table, 100) == ([said.format(ADVICE)] if said else [])


JACKPOT_FAULTS = [
    (
        'contribution = "10 %"',
        'contribution = "20 %"',
        "pools: contributions add up to 110 percent; allowed: 100, because all of it belongs to the players",
    ),
    ('name = "tertiary"', 'name = "primary"', "pools[3].name: pool 'primary' appears twice"),
    (
        'to = "others"',
        'to = "holder"',
        "award.shares[3].to: no seat is 'holder' in this award; allowed: beaten, winner, others",
    ),
    ("percent = 50", "percent = 60", "award.shares: they add up to 110 percent; allowed: 100 at most"),
]


@of_each("before, after, sentence", JACKPOT_FAULTS)
def test_a_jackpot_that_cannot_be_meant(before: str, after: str, sentence: str, tmp_path: Path) -> None:
    text = (EXAMPLES / "jackpot-bad-beat.toml").read_text(encoding="utf-8")
    assert before in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(before, after, 1))
    with pytest.raises(TomlFileError) as told:
        load_jackpot(path)
    assert str(told.value).endswith(f": {sentence}")


B5 = "first-wager, second-wager, ante-bonus, optional-bonus"
ODDS_FAULTS: list[tuple[str, list[Change], list[str]]] = [
    ("boston-5.co", [("odds bets", ["first-wager", "third"])], [f"odds.bets: unknown bet 'third'; allowed: {B5}"]),
    (
        "boston-5.co",
        [("odds not-computed", {"third": "why"})],
        [f"odds.not-computed: unknown bet 'third'; allowed: {B5}"],
    ),
    (
        "boston-5.co",
        [("odds solver", "guess")],
        [f"odds.solver: unknown solver 'guess'; allowed: {', '.join(SOLVERS)}"],
    ),
    (
        "boston-5.co",
        [("odds beside", ["side"]), ("odds stakes one", ["1/2"])],
        [f"odds.beside: unknown bet 'side'; allowed: {B5}", f"odds.stakes: unknown bet 'one'; allowed: {B5}"],
    ),
    (
        "boston-5.co",
        [("odds solver", "take-back")],
        [
            "procedures[1]: boston-5.co: first-wager, second-wager depend on a decision, and 0 cards come; "
            "the solver counts one bet for each"
        ],
    ),
]  # fmt: skip


@of_each("game, changes, sentences", ODDS_FAULTS)
def test_odds_that_a_game_cannot_ask_for(game: str, changes: list[Change], sentences: list[str]) -> None:
    loaded = load_game(game)
    found = odds_faults(replace(loaded, spec=spec_of(changed(game, changes))))
    assert [str(each).partition(": ")[2] for each in found] == sentences
