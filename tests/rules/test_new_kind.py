"""A new kind of bet is one file: the one of the guide is added to a copy of the package and settles a round."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.reading.guides import ROOT, blocks

PAGE = (ROOT / "docs" / "guides" / "add-a-kind.md").read_text(encoding="utf-8")
SETTLE = """
from dealer_flow.record.result import Hand, ProcedureRef
from rules import load_game, settle
from tests.support.dealing.written_rounds import ended_round, seat_of

game = load_game("insurance.toml")
for cards in ("AS AH 2C", "AS KH 2C", "?? AH 2C"):
    dealer = Hand(cards=tuple(cards.split()), counted=3, expected=3)
    seats = [seat_of(1, "9S 8H 2D", status="folded", ante=1000, insurance=500)]
    line = next(line for line in settle(ended_round("insured", seats, dealer=dealer), game).lines if line.bet != "ante")
    print(line.bet, line.result, line.net, line.why, sep="|")
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A folder with a copy of `rules` and the files of the guide."""
    shutil.copytree(ROOT / "rules", tmp_path / "house" / "rules", ignore=shutil.ignore_patterns("__pycache__"))
    for block in blocks(PAGE):
        if block.use == "file":
            (tmp_path / block.where).write_text(block.text, encoding="utf-8")
    return tmp_path / "house"


def said_by(program: str, house: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": f"{house}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=house, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_files_of_a_new_kind_are_one() -> None:
    package = [block.where for block in blocks(PAGE) if block.use == "file" and block.where.endswith(".py")]
    assert package == ["house/rules/kinds/insurance.py"]


def test_a_kind_that_is_found_settles_a_round(house: Path) -> None:
    assert said_by(SETTLE, house).splitlines() == [
        "insurance|win|1500|the dealer has pair of aces: insurance pays 3 to 1",
        "insurance|lose|-500|the dealer has ace high: insurance loses",
        "insurance|held|0|the faces of the dealer are not all known (??)",
    ]


def test_the_package_itself_does_not_know_it() -> None:
    program = "from rules.kinds import KINDS; print(*KINDS)"
    assert "insurance" not in said_by(program, ROOT).split()


def test_a_kind_that_is_found_is_what_its_game_counts_by(house: Path) -> None:
    program = "from rules.odds.kept import counting_modules; print(*(path.name for path in counting_modules()))"
    assert "insurance.py" in said_by(program, house).split()
