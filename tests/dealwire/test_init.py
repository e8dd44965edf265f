"""`dealwire init`: typed at a terminal, run unattended, interrupted; the table that it makes is dealt and settled."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealer_flow.procedure.load import known_procedures
from dealwire.cli import main
from dealwire.cli.asking import Asker
from dealwire.cli.exits import Exit
from dealwire.cli.init import offer_system_files
from dealwire.cli.init_questions import PROGRESSIVE, TOKENS
from dealwire.config.load import load_configuration
from dealwire.config.schema import ConsolePart, JournalPart
from dealwire.config.table_parts import DevicePart, TablePart
from dealwire.console.tokens import Tokens
from dealwire.journal import JournalReader
from dealwire.service.simulated import simulator
from dealwire.setup.attached import FoundLine, best_for, stable_name
from dealwire.setup.choices import procedures, rows_of, search, suggestion
from dealwire.setup.table_text import described, table_text
from dealwire.setup.writing import NewFile, put_in_place, staged
from rules.game.load import load_game
from tests.support.rigs.ports import free_port
from tests.support.rigs.serving import Program
from tests.support.rigs.typing_terminal import COLUMNS, TypingTerminal


def init(folder: Path, *arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["init", str(folder), "--yes", "--no-probe", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def settled(folder: Path) -> bool:
    try:
        with JournalReader(folder / "journal.sqlite") as reader:
            return any(item.topic == "settlement" for item in reader.publications())
    except Exception:  # it is not there yet
        return False


def deals_and_settles(folder: Path) -> None:
    with Program(folder / "table.toml") as program:
        program.wait_for(lambda: settled(folder))
        assert program.end() == Exit.GOOD
    assert "Traceback" not in program.text


# ------------------------------------------------------------------ typed at a terminal


@pytest.mark.more
def test_a_person_types_and_the_table_is_dealt(tmp_path: Path) -> None:
    """Real devices on pseudo-terminals; wrong answers on purpose; the file is then served."""
    folder = tmp_path / "pit"
    arguments = ["--procedure", "three-card.co", "--seats", "2", "--speed", "200"]
    with simulator(arguments) as lines:
        with TypingTerminal(tmp_path, "init", "pit", "--probe", patient=True) as screen:
            screen.answer("Game: a part of its name", "tree card")
            screen.wait_for("did you mean three-card.co?")
            screen.answer("Game: a part of its name", "three card")
            screen.answer("Which one", "99")
            screen.wait_for("'99' is not one of them")
            screen.answer("Which one", "three-card.co")
            screen.answer("Edition of the regulation", "")
            screen.answer("Number of one to change", "dealer-cuont")
            screen.wait_for("did you mean dealer-count?")
            screen.answer("Number of one to change", "misdeal-until")
            screen.answer("misdeal-until [1]", "end")
            screen.answer("Number of one to change", "")
            screen.wait_for("jackpot-hand (47.1-1017.24(16)(h))")
            screen.answer("Number of one to change", "1")
            screen.answer("jackpot-hand [1]", "2")
            screen.answer("Number of one to change", "")
            screen.answer("Who signs these readings", "A. Lee")
            screen.answer("Pay table of ante-bonus", "")
            screen.answer("Pay table of pair-plus", "TC-PP-3")
            screen.answer("Pay table of six-card-bonus", "")
            screen.answer("Pay table of progressive", "")
            screen.answer("pays from the meter", "fixed")
            screen.answer("Meter meter, in dollars", "ten")
            screen.wait_for("'ten' is not an amount in dollars")
            screen.answer("Meter meter, in dollars", "$5,000")
            screen.wait_for("WARNING: no part of the progressive bets goes to a fixed meter")
            screen.answer("Maximum of one bet", "-5")
            screen.answer("Maximum of one bet", "100")
            screen.answer("Smallest chip", "")
            screen.answer("Name of the table", "pit 1")
            screen.wait_for("letters and digits")
            screen.answer("Name of the table", "pit-1")
            screen.answer("Seats that the console shows", "17")
            screen.wait_for("'17' is not a whole number from 1 to 16")
            screen.answer("Seats that the console shows", "6")
            screen.answer("Line of the shuffler", "")
            screen.wait_for("cannot be used as a line")
            screen.answer("Line of the shuffler", lines["shuffler"])
            screen.wait_for("shuffler: dealwire sim-shuffler SIM-0001, firmware 1.0.0")
            screen.answer("Role of the shuffler", "control")
            screen.answer("may be on this line?", "maybe")
            screen.wait_for("answer y or n")
            screen.answer("may be on this line?", "y")
            screen.answer("Line of the table-controller", lines["shuffler"])
            screen.wait_for("is the line of another device")
            screen.answer("Line of the table-controller", lines["table-controller"])
            screen.answer("Role of the table-controller", "")
            screen.answer("may be on this line?", "")
            screen.answer("Show the table in a browser?", "y")
            screen.answer("Address to listen at", "")
            screen.answer("TCP port", str(free_port()))
            screen.answer("Who may act there", "supervisor, boss")
            screen.wait_for("'boss' is not a role")
            screen.answer("Who may act there", "supervisor")
            screen.answer("Journal, a file of this folder", "")
            screen.answer("What seals the raw bytes", "")
            screen.answer("Folder for copies", "")
            screen.wait_for("The file can be served.")
            assert not folder.exists()
            screen.answer("Write these files", "y")
            if os.geteuid() == 0:
                screen.answer("Install the systemd unit", "n")
            assert screen.end() == Exit.GOOD, screen.text
        assert [line for line in screen.lines() if len(line) > COLUMNS and str(tmp_path) not in line] == []
        found = load_configuration(folder / "table.toml").table[0]
        assert found.options == {"misdeal-until": "end"}
        assert found.readings == {"jackpot-hand": "meter-row"}
        assert found.signed[0].by == "A. Lee"
        assert found.signed[0].readings["jackpot-hand"] == "meter-row"
        assert (found.paytables, found.meters) == ({"pair-plus": "TC-PP-3"}, {"meter": 500000})
        assert (found.limit_cents, found.seats) == (10000, 6)
        shuffler, controller = found.device
        assert (shuffler.role, controller.role) == ("control", "observe")
        assert shuffler.pin is not None
        assert shuffler.pin.model == "sim-shuffler"
        deals_and_settles(folder)


@pytest.mark.more
def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    with TypingTerminal(tmp_path, "init", "pit", "--simulated", "--game", "three-card.co") as screen:
        screen.answer("Edition of the regulation", "")
        screen.wait_for("Number of one to change")
        screen.interrupt()
        assert screen.end() == Exit.INTERRUPTED, screen.text
    assert "nothing was written" in screen.text
    assert "Traceback" not in screen.text
    assert not list(tmp_path.iterdir())


@pytest.mark.more
def test_ctrl_c_at_the_last_question_leaves_nothing(tmp_path: Path) -> None:
    with TypingTerminal(tmp_path, "init", "pit", *SIMULATED, *ANSWERED) as screen:
        screen.wait_for("Pay table of")
        while "Write these files" not in screen.text.rpartition("Pay table of")[2]:
            screen.answer("]: ", "")
            screen.wait_for("]: ")
        screen.interrupt()
        assert screen.end() == Exit.INTERRUPTED, screen.text
    assert not list(tmp_path.iterdir())


SIMULATED = ("--simulated", "--port", "0")
ANSWERED = (
    *("--game", "boston-5.co", "--edition", "as-printed", "--option", "deck-age-rounds=7", "--limit", "5"),
    *("--token", "1", "--name", "t", "--seats", "3", "--role", "observe", "--console", "--host", "127.0.0.1"),
    *("--roles", "-", "--journal", "j", "--seal", "none", "--archive", "-"),
)
"""Every answer that a table of this game needs."""


# ------------------------------------------------------------------ unattended


@pytest.mark.more
def test_a_simulated_table_is_made_dealt_and_settled(tmp_path: Path) -> None:
    """The way of a user without hardware: two commands, then a settled round."""
    ports = free_port(), free_port()
    code, said = init(
        tmp_path,
        *SIMULATED,
        *("--game", "flushes-gone-wild.co", "--device", f"shuffler=tcp://127.0.0.1:{ports[0]}"),
        *("--device", f"table-controller=tcp://127.0.0.1:{ports[1]}"),
    )
    assert code == Exit.GOOD, said
    assert [line for line in said.splitlines() if len(line) > COLUMNS and str(tmp_path) not in line] == []
    shown = said.partition("dealwire sim ")[2].replace("\\\n", " ").split("\n")[0].split()
    assert f"tcp:{ports[0]}" in shown
    assert stat.S_IMODE((tmp_path / TOKENS).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "journal.key").stat().st_mode) == 0o600
    assert Tokens.read(tmp_path / TOKENS).roles == "supervisor, technician"
    assert "contribution" in (tmp_path / PROGRESSIVE).read_text()
    shown[shown.index("--speed") + 1] = "200"
    with simulator(shown):
        deals_and_settles(tmp_path)


def test_every_key_has_its_comment_and_the_file_is_80_columns(tmp_path: Path) -> None:
    init(tmp_path, *SIMULATED, "--game", "pai-gow.co", "--commission", "5", "--limit", "100", "--archive", "archive")
    text = (tmp_path / "table.toml").read_text()
    assert max(map(len, text.splitlines())) <= COLUMNS
    above, seen = "", set()
    for line in text.splitlines():
        key = line.partition(" = ")[0]
        if " = " in line and not line.startswith("#"):
            assert above.startswith("#") or key in seen or key in ("schema", "role"), line
            seen.add(key)
        above = line
    assert {"procedure", "commission", "limit-cents", "archive", "tokens-file", "key-file", "address"} <= seen


def test_the_comments_are_the_words_of_the_schema() -> None:
    for model in (TablePart, DevicePart, JournalPart, ConsolePart):
        keys = {name.rstrip("_").replace("_", "-") for name in model.model_fields}
        assert described(model).keys() <= keys
        assert len(described(model)) >= len(keys) - 3
    assert described(int) == {}


@pytest.mark.more
@pytest.mark.every(6)
@pytest.mark.parametrize("procedure", known_procedures())
def test_every_game_has_a_table_that_can_be_served(procedure: str, tmp_path: Path) -> None:
    code, said = init(tmp_path, *SIMULATED, "--game", procedure)
    assert code == Exit.GOOD, said
    served = load_configuration(tmp_path / "table.toml")
    assert served.table[0].procedure == procedure
    assert served.console is not None
    assert served.console.port == 0, "as --port gave it"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "--game is needed with --yes"),
        (("--game", "xyzzy"), "--game: no game has 'xyzzy' in its name"),
        (("--game", "three card"), "--game: 'three card' may be any of three-card"),
        (("--game", "three-card.co", "--reading", "jackpot-hnd=x"), "--reading: no reading 'jackpot-hnd'"),
        (("--game", "three-card.co", "--reading", "jackpot-hand=x"), "--reading jackpot-hand: 'x' is not one of them"),
        (("--game", "three-card.co", "--option", "deck-age-rounds=8"), "--option deck-age-rounds: '8' is not one"),
        (("--game", "three-card.co", "--paytable", "ante=X"), "--paytable: no bet 'ante' with several pay tables"),
        (("--game", "three-card.co", "--paytable", "pair-plus=X"), "--paytable pair-plus: 'X' is not one of them"),
        (("--game", "three-card.co", "--limit", "much"), "--limit: 'much' is not an amount in dollars"),
        (("--game", "three-card.co", "--meter", "meter=x"), "--meter meter: 'x' is not an amount"),
        (("--game", "three-card.co", "--seats", "17"), "--seats: '17' is not a whole number from 1 to 16"),
        (("--game", "three-card.co", "--contribution", "200"), "--contribution: '200' is not a rate"),
        (("--game", "three-card.co", "--name", "pit 1"), "--name: letters and digits"),
        (("--game", "three-card.co", "--roles", "boss"), "--roles: 'boss' is not a role"),
        (("--game", "three-card.co", "--device", "shoe=tcp://h:1"), "--device: 'shoe'; three-card.co is dealt with"),
        (("--game", "three-card.co", "--device", "shuffler=x"), "--device shuffler: x: cannot be used as a line"),
        (
            ("--game", "three-card.co", "--seal", "auditor", "--auditor-key", "no.pub"),
            "--auditor-key: 'no.pub' is not",
        ),
        (("--game", "three-card.co", "--edition", "race-to-the-flush"), "--edition: 'race-to-the-flush' is not one"),
        (("--game", "pai-gow.co", "--commission", "x"), "--commission: 'x' is not a percentage"),
    ],
)
def test_a_wrong_option_is_one_line_and_writes_nothing(options: tuple[str, ...], said: str, tmp_path: Path) -> None:
    code, output = init(tmp_path, *SIMULATED, *options)
    assert code == Exit.USAGE, output
    assert said in " ".join(output.split()), output
    assert not list(tmp_path.iterdir())


@pytest.mark.more
def test_without_devices_a_line_is_needed(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "dealwire", "init", str(tmp_path), "--yes", "--no-probe", "--port", "0"]
    done = subprocess.run([*program, "--game", "race-to-the-flush"], capture_output=True, text=True)
    assert (done.returncode, "--device shoe=ADDRESS is needed with --yes" in done.stderr) == (Exit.USAGE, True)


def test_without_a_terminal_it_asks_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dealwire", "init", str(tmp_path)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (Exit.USAGE, "")
    assert "run it at a terminal, or with --yes" in done.stderr


def test_nothing_is_overwritten_unless_asked(tmp_path: Path) -> None:
    assert init(tmp_path, *SIMULATED, "--game", "three-card.co")[0] == Exit.GOOD
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    code, said = init(tmp_path, *SIMULATED, "--game", "pai-gow.co")
    assert (code, "--overwrite replaces it" in said) == (Exit.USAGE, True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    code, said = init(tmp_path, *SIMULATED, "--game", "pai-gow.co", "--overwrite")
    assert code == Exit.GOOD, said
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert after["table.toml"] != before["table.toml"]
    for kept in ("journal.key", TOKENS):  # a key that a journal is sealed with must not be lost
        assert after[kept] == before[kept]


def test_a_folder_that_cannot_be_written_is_refused_before_the_first_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pit = tmp_path / "pit"
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)  # root may write everywhere
    code, said = init(pit, *SIMULATED, "--game", "three-card.co")
    assert (code, said) == (Exit.PERMISSION, f"dealwire: {tmp_path}: this user cannot make files in that folder\n")
    (tmp_path / "file").touch()
    code, said = init(tmp_path / "file/pit", *SIMULATED, "--game", "three-card.co")
    assert (code, said) == (Exit.USAGE, f"dealwire: {tmp_path / 'file'}: Not a directory\n")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_pay_tables_are_listed_with_their_units_and_envy() -> None:
    game = load_game("flushes-gone-wild.co")
    assert rows_of(game.paytables["FGW-01"]).startswith("7-card natural flush 250 to 1, ")
    assert rows_of(game.paytables["FGWP-01"]).startswith("royal flush 100 % of meter (envy $1,000), ")
    assert len({rows_of(table) for table in game.paytables.values()}) == len(game.paytables)


def test_what_cannot_be_served_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "journal.sqlite").mkdir()
    code, said = init(tmp_path, *SIMULATED, "--game", "three-card.co")
    assert code != Exit.GOOD
    assert "Nothing was written." in said
    assert [path.name for path in tmp_path.iterdir()] == ["journal.sqlite"]


def test_the_system_files_go_below_a_folder(tmp_path: Path) -> None:
    code, said = init(
        tmp_path / "pit", *SIMULATED, "--game", "three-card.co", "--install", "--destdir", str(tmp_path / "root")
    )
    assert code == Exit.GOOD, said
    unit = (tmp_path / "root/etc/systemd/system/dealwire@.service").read_text()
    assert "ExecStart=" in unit
    assert 'SUBSYSTEM=="tty"' in (tmp_path / "root/etc/udev/rules.d/70-dealwire.rules").read_text()


# ------------------------------------------------------------------ parts


def test_no_install_is_silent_where_a_package_has_installed_the_unit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A copy of the unit in /etc would hide every later one of the package."""
    ask = Asker({}, yes=True)
    offer_system_files(ask, install=False, destdir=tmp_path)
    assert "--print-unit" in capsys.readouterr().out
    units = tmp_path / "lib/systemd/system"
    units.mkdir(parents=True)
    (units / "dealwire@.service").touch()
    offer_system_files(ask, install=False, destdir=tmp_path)
    assert capsys.readouterr().out == ""


def test_a_game_is_found_by_a_part_of_its_name() -> None:
    assert [one.id for one in search("omaha")] == ["omaha-hi-lo.co", "omaha-hi-lo.co-hand", "omaha.co", "omaha.co-hand"]
    assert [one.id for one in search("emperor's challenge hand")] == ["emperors-challenge.co-hand"]
    assert [one.id for one in search("pai-gow.co")] == ["pai-gow.co"]
    assert search("") == search("  ") == []
    assert suggestion("flush gone wild") == " (did you mean Flushes Gone Wild?)"
    assert suggestion("q") == ""
    assert all(search(name) for name in procedures())


def test_files_are_put_in_place_together_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pit"
    folder.mkdir()
    (folder / "b").write_text("before")
    moved, real = [], os.replace

    def fails_at_the_last(source: Path, target: Path) -> None:
        if len(moved) == 2:
            moved.append(target)
            raise KeyboardInterrupt
        moved.append(target)
        real(source, target)

    files = {name: NewFile(b"after") for name in ("a", "b", "c")}
    with staged(folder, files) as stage, monkeypatch.context() as patch:
        patch.setattr(os, "replace", fails_at_the_last)
        with pytest.raises(KeyboardInterrupt):
            put_in_place(stage, folder, ["a", "b", "c"])
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"b": "before"}


def test_a_text_that_is_written_is_read_again() -> None:
    content = {
        "schema": 'a "b" \\ é \x7f \n',
        "journal": {"path": "x", "archive": ["a", "b"]},
        "table": [
            {"name": "n", "settle": False, "options": {"a b": "c"}, "signed": [{"by": "é", "readings": {"x": "y"}}]}
        ],
    }
    assert tomllib.loads(table_text(content, "head\n  a command that is long " + "x" * 90)) == content


def test_the_most_stable_name_of_a_port_is_taken(tmp_path: Path) -> None:
    port, link = tmp_path / "ttyUSB0", tmp_path / "by-id" / "usb-ACME"
    port.touch()
    link.parent.mkdir()
    link.symlink_to(port)
    assert stable_name({"name": str(port), "serial": "A10"}) == "serial-id:A10"
    assert stable_name({"name": str(port), "serial": "A 1?"}, link.parent) == str(link)
    assert stable_name({"name": str(port)}, tmp_path / "none") == str(port)
    assert best_for("shoe", [FoundLine("x")], []) is None
