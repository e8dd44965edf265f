"""Game files of Washington and South Dakota match the printed texts; suspect tables, and too many games, stop."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from rules import Game, SettlementRefused, game_ids, load_game, settle
from rules.game.whole import whole_game_text
from tests.support.dealing.flushes import deal, money, seat
from tests.support.reading.game_files import flat_games

FIVE_CARD = [
    ("full house", "50 for 1", 0),
    ("flush", "40 for 1", 0),
    ("straight", "30 for 1", 0),
    ("three of a kind", "9 for 1", 0),
]
PRINTED = {
    "WA-NC": ["100 % of meter", "10 % of meter", "300 for 1"],
    "WA-MGL-01": ["100 % of meter", "10 % of meter", "300 for 1"],
    "WA-ML01": ["100 % of mega", "100 % of major", "300 for 1"],
    "WA-ML03": ["100 % of mega", "100 % of major", "100 % of minor"],
}
ROUND = deal("KH 9H", "3C 4D 5S 6S 8C", seat(1, "AH QH JH 7C 4S", flush_rush=500, progressive=100))


def load_table(name: str) -> list[tuple[str, str, int]]:
    for game in map(load_game, game_ids()):
        if name in game.paytables:
            return [(row.when, row.pays.text, row.envy_cents) for row in game.paytables[name].rows]
    raise KeyError(name)


@pytest.mark.parametrize("name", PRINTED)
def test_the_progressive_tables_as_printed(name: str) -> None:
    royal, straight, quads = PRINTED[name]
    assert load_table(name) == [
        ("royal flush", royal, 100_000),
        ("straight flush", straight, 30_000),
        ("four of a kind", quads, 0),
        *FIVE_CARD,
    ]


@pytest.mark.parametrize("state", ["WA", "SD"])
def test_the_blind_and_flush_rush_tables_as_printed(state: str) -> None:
    assert load_table(f"{state}-BLIND") == [
        ("5 or more", "200 to 1", 0),
        ("4", "25 to 1", 0),
        ("3", "5 to 1", 0),
        ("2", "3 to 1", 0),
        ("0 or 1", "push", 0),
    ]
    assert [pays for _, pays, _ in load_table(f"{state}-FLUSH-RUSH")] == [
        "250 to 1", "100 to 1", "50 to 1", "10 to 1", "6 to 1", "3 to 1", "1 to 1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("game", "clause"),
    [
        ("flushes-gone-wild.wa", r"WA (FGW \d+(\([ab]\))?|NC (\d+(\(a\))?|pay table))"),
        ("flushes-gone-wild.wa-link", r"WA (FGW \d+(\([ab]\))?|MGL (\d+(\(a\))?|paytable (01|ML01|ML03)))"),
        ("flushes-gone-wild.sd", r"SD \(\d+\)(\([ab]\))?"),
    ],
)
def test_every_row_and_every_bet_cites_its_clause(game: str, clause: str) -> None:
    loaded = load_game(game)
    rows = [row.clause for table in loaded.paytables.values() for row in table.rows]
    bets = [text for bet in loaded.bets.values() for text in (bet.clauses.win, bet.clauses.lose, bet.clauses.fold)]
    ties = [bet.clauses.tie for bet in loaded.bets.values()] + [bet.clauses.envy for bet in loaded.bets.values()]
    for text in (*rows, *bets, *filter(None, ties)):
        assert re.fullmatch(clause, text), text


def copied(folder: Path, game: str, changes: dict[str, str], table: str = "") -> Game:
    """Write the game's files with a few texts changed, in the game as one file or in one of its tables."""
    flat_games(folder)
    path = folder / f"{game}.toml"
    changed = folder / "paytables" / f"{table}.toml" if table else path
    text = changed.read_text(encoding="utf-8") if table else whole_game_text(game)
    for before, after in changes.items():
        assert before in text
        text = text.replace(before, after, 1)
    changed.write_text(text, encoding="utf-8")
    return load_game(path)


def test_a_suspect_table_settles_no_real_bet_unless_told(tmp_path: Path) -> None:
    slip = {'title = "Flush Rush FGW-02"': 'title = "Flush Rush FGW-02"\nsuspect = "rows slipped by one"'}
    game = copied(tmp_path, "flushes-gone-wild.co", slip, "FGW-02")
    chosen = {"flush-rush": "FGW-02"}
    assert settle(ROUND, game).status == "settled"
    with pytest.raises(
        SettlementRefused,
        match=r"suspect pay table of flush-rush \(rows slipped by one\) 'FGW-02'; "
        r"allowed: FGW-01, FGW-03, FGW-04, accept_suspect=True",
    ):
        settle(ROUND, game, paytables=chosen)
    assert settle(ROUND, game, paytables=chosen, accept_suspect=True).paytables["flush-rush"] == "FGW-02"


def test_five_games_at_a_table_are_one_too_many_in_washington(tmp_path: Path) -> None:
    """Two bonus bets in addition to the printed ones: the base game, Flush Rush, the progressive and both make five."""
    extra = "".join(
        f'[[bets]]\nname = "extra-{n}"\nkind = "table"\npaytables = ["WA-FLUSH-RUSH"]\nfold = "stands"\n'
        f'counts-as = "extra {n}"\n[bets.clauses]\nwin = "house"\nlose = "house"\nfold = "house"\n'
        for n in (1, 2)
    )
    marker = '[[bets]]\nname = "progressive"'
    game = copied(tmp_path, "flushes-gone-wild.wa", {marker: extra + marker})
    round_ = replace(ROUND, procedure=replace(ROUND.procedure, id="flushes-gone-wild.wa"))
    (plain,) = round_.seats

    def with_extras(**bets: int) -> dict[tuple[int, str], tuple[str, int, str]]:
        wagers = plain.wagers | {name.replace("_", "-"): cents for name, cents in bets.items()}
        return money(settle(replace(round_, seats=(replace(plain, wagers=wagers),)), game))

    four, five = with_extras(extra_1=100), with_extras(extra_1=100, extra_2=100)
    assert "held" not in {result for result, _, _ in four.values()}
    assert set(five.values()) == {("held", 0, "WA NC, players are limited to four games")}
    assert len(five) == 7
    wagers = plain.wagers | {"extra-1": 100, "extra-2": 100}
    (why,) = {line.why for line in settle(replace(round_, seats=(replace(plain, wagers=wagers),)), game).lines}
    assert why.startswith("bets in 5 games (")
    assert why.endswith(", extra 1, extra 2, progressive), at most 4 are allowed")
