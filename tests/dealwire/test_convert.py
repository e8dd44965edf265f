"""Game files of an earlier version, converted: `games-2.zip` has all of them, `games-2.json` the SHA-256 of each."""

import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main
from protocol.tomlfile import TomlFileError
from rules.game.convert import converted
from rules.game.load import load_game
from tests.support.reading.each import of_each

RULES = Path(__file__).parent.parent / "rules"
HASHES: dict[str, str] = json.loads((RULES / "games-2.json").read_text())
"""Id -> the hash by which results named the game, taken by the program of that time."""


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the games as they were, pay tables and all."""
    folder = tmp_path_factory.mktemp("old")
    with zipfile.ZipFile(RULES / "games-2.zip") as games:
        games.extractall(folder)
    return folder


def file_of(old: Path, name: str) -> Path:
    game, _, part = name.partition(".")
    return old / game / (f"{part}.pays.toml" if part else "pays.toml")


def convert(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["convert", *map(str, arguments)])


@pytest.mark.more
@of_each("name", HASHES)
def test_every_game_is_converted_with_its_hash_of_before_and_its_comments(name: str, old: Path, tmp_path: Path) -> None:
    path = file_of(old, name)
    new = converted(path)
    assert new is not None
    assert new.before == HASHES[name]
    assert new.unsaid == ()
    done = convert(path, "--to", tmp_path / name)
    assert (done.exit_code, done.stderr) == (0, "")
    written = tmp_path / name / path.name
    assert f"  before: {HASHES[name]}\n  after:  {load_game(written).sha256}\n" in done.stdout
    text = written.read_text()
    lines = [line for line in path.read_text().splitlines() if "#" in line]
    gone = ["[limit]", *(change.partition(":")[0].split(".")[-1] for change in new.changes)]
    assert [line for line in lines if line not in text and not any(key in line for key in gone)] == []


def test_nothing_is_written_over_without_being_told(old: Path, tmp_path: Path) -> None:
    path, to = file_of(old, "holdem.co"), tmp_path / "new"
    before = path.read_bytes()
    assert convert(path).exit_code == 2
    assert convert(path, "--to", to, "--in-place").exit_code == 2
    assert convert(path, "--to", to).exit_code == 0
    assert convert(path, "--to", to).exit_code == 0, "what is there says the same"
    (to / path.name).write_text("mine")
    done = convert(path, "--to", to)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{to / path.name} exists, and is not replaced" in done.stderr
    assert ((to / path.name).read_text(), path.read_bytes()) == ("mine", before)


def test_a_file_is_converted_in_its_place_and_pay_tables_go_along(old: Path, tmp_path: Path) -> None:
    source = file_of(old, "three-card.co")
    to = tmp_path / "new"
    assert convert(source, "--to", to).exit_code == 0
    assert {path.name for path in (to / "paytables").iterdir()} == {
        path.name for path in (source.parent / "paytables").iterdir()
    }
    path = tmp_path / "mine.toml"
    path.write_text(source.read_text().replace('"three-card.co"', '"mine"', 1))
    with pytest.raises(TomlFileError, match=r"`dealwire convert FILE --to FOLDER` writes"):
        load_game(path)
    assert convert(path, "--in-place").exit_code == 0
    assert load_game(path).id == "mine"
    done = convert(path, "--in-place")
    assert (done.exit_code, done.stdout) == (0, f"{path}: dealwire.game/3 already, not changed\n")


def test_what_is_no_game_and_what_is_not_in_order_is_refused_and_nothing_written(old: Path, tmp_path: Path) -> None:
    table = old / "three-card" / "paytables" / "TC-PP-1.toml"
    done = convert(table, "--in-place")
    assert (done.exit_code, done.stderr.partition(": schema")[2]) == (
        2,
        ": 'dealwire.paytable/1' is not converted; allowed: dealwire.game/2\n",
    )
    path = tmp_path / "mine.toml"
    path.write_text(file_of(old, "holdem.co").read_text().replace('name = "ante"', 'nam = "ante"'))
    before = path.read_bytes()
    good = tmp_path / "good.toml"
    good.write_text(file_of(old, "holdem.co").read_text())
    assert convert(good, path, "--in-place").exit_code == 2
    assert path.read_bytes() == before
    assert "dealwire.game/2" in good.read_text()
    assert convert(tmp_path / "nix.toml", "--in-place").exit_code == 2


def test_a_rule_of_a_wager_that_no_procedure_has_is_named(old: Path, tmp_path: Path) -> None:
    """Once the rule is gone from the game, nothing would require it of a wager."""
    head = 'schema = "dealwire.procedure/2"\nbase = ["three-card.co"]\nid = "deals"\ntitle = "Mine"\n'
    limit = '[limit]\neach-bet = "$50"\nclause = "mine"\n'
    row = '[[bet]]\nnumber = 5\nname = "play"\nplaced = "by-decision"\nclause = "mine"\n'
    (tmp_path / "deals.toml").write_text(f'{head}without = ["bet.tip-pair-plus"]\n{limit}{row}')
    path = tmp_path / "mine.toml"
    text = file_of(old, "three-card.co").read_text().replace('"three-card.co"', '"mine"', 1)
    path.write_text(text.replace('["three-card.co", "three-card.co-single"]', '["deals", "gone"]'))
    done = convert(path, "--in-place")
    assert (done.exit_code, done.stderr.splitlines()) == (
        1,
        [
            f"{path}: procedure deals has no [limit] of $100 for each bet",
            f"{path}: procedure deals has no must of 'play' that refers to 'ante'",
            f"{path}: procedure deals has no tip 'tip-pair-plus' for 'pair-plus'",
            f"{path}: procedure gone is not available: the rules of its bets were not checked",
        ],
    )
    new = converted(file_of(old, "three-card.co"))
    assert new is not None
    assert new.unsaid == ()


def test_what_the_procedures_say_goes_and_is_told_where_they_say_otherwise(old: Path, tmp_path: Path) -> None:
    for name, gone in {
        "208.co": ("decks",),
        "wild-six.co": ("laid-aside",),
        "race-to-the-flush": ("race.column", "race.most"),
        "let-it-ride.co": ("bets.progressive.kind",),
    }.items():
        new = converted(file_of(old, name))
        assert new is not None
        assert {f"{key}: removed; the procedure defines it" for key in gone} <= {*new.changes}
    path = file_of(old, "208.co").with_name("two.pays.toml")
    path.write_text(file_of(old, "208.co").read_text().replace("decks = 4", "decks = 2"))
    other, new = converted(path), converted(file_of(old, "208.co"))
    assert other is not None
    assert new is not None
    assert other.unsaid == ("decks of the procedures is 4; the game has 2",)
    assert other.before != HASHES["208.co"]
    assert other.after == new.after
