"""`dealwire wireshark install`: the files are found by real tshark, what is not ours stays, and the wheel has them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.host import of_wireshark
from dealwire.wireshark.folders import DISSECTOR, EXTCAP, HERE, personal, pieces
from tests.support.oracles.tshark import ROOT, needs_tshark


def dealwire(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["wireshark", *words])
    return done.exit_code, done.output


def test_it_installs_says_so_and_removes(tmp_path: Path) -> None:
    here = ("--personal-folder", str(tmp_path))
    assert dealwire("status", *here)[0] == 1
    code, said = dealwire("install", *here)
    assert code == 0, said
    assert said.count("installed") == 2
    assert (tmp_path / "plugins" / DISSECTOR).read_bytes() == (HERE / DISSECTOR).read_bytes()
    assert os.access(tmp_path / "extcap" / EXTCAP, os.X_OK)
    assert dealwire("status", *here)[0] == 0
    assert dealwire("install", *here)[1].count("up to date") == 2
    (tmp_path / "plugins" / DISSECTOR).write_text("-- dealwire, an older one")
    assert "another version" in dealwire("status", *here)[1]
    assert "updated" in dealwire("install", *here)[1]
    assert dealwire("install", "--remove", *here)[1].count("removed") == 2
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert dealwire("install", "--remove", *here)[1].count("not installed") == 2


@pytest.mark.parametrize("words", [("install",), ("install", "--remove")], ids=str)
def test_a_file_that_is_not_ours_stays(words: tuple[str, ...], tmp_path: Path) -> None:
    foreign = tmp_path / "plugins" / DISSECTOR
    foreign.parent.mkdir()
    foreign.write_text("-- somebody else's")
    code, said = dealwire(*words, "--personal-folder", str(tmp_path))
    assert code == 2
    assert said.count("\n") == 1
    assert "not a file from" in said
    assert foreign.read_text() == "-- somebody else's"


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "plugins").write_text("a file where a folder should be")
    code, said = dealwire("install", "--personal-folder", str(tmp_path))
    assert (code, said.count("\n")) == (2, 1), said


def test_the_personal_folder_of_each_system(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    assert personal("linux", home) == tmp_path / ".config" / "wireshark"
    assert personal("darwin", home) == tmp_path / ".config" / "wireshark"
    assert personal("linux", {**home, "XDG_CONFIG_HOME": "/x"}) == Path("/x/wireshark")
    assert personal("win32", {"APPDATA": "/roaming"}) == Path("/roaming/Wireshark")
    (tmp_path / ".wireshark").mkdir()
    assert personal("linux", home) == tmp_path / ".wireshark"


def test_installed_it_works_with_no_option(tmp_path: Path) -> None:
    program = needs_tshark()
    outside = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path))
        patch.delenv("XDG_CONFIG_HOME", raising=False)
        assert dealwire("install")[0] == 0
    capture = ROOT / "captures" / "clean-1.pcapng"
    done = subprocess.run([program, "-r", capture, "-c", "1"], capture_output=True, text=True, env=outside)
    assert "Hello from dealwire" in done.stdout, done.stdout + done.stderr
    listed = subprocess.run([program, "-D"], capture_output=True, text=True, env=outside)
    assert {"dealwire-line", "dealwire-server", "dealwire-recording"} <= set(listed.stdout.split()), listed.stderr


@pytest.mark.more
def test_doctor_says_what_wireshark_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert of_wireshark().verdict == "note"
    assert dealwire("install")[0] == 0
    assert of_wireshark().verdict == "good"
    dissector, interfaces = (piece.path for piece in pieces())
    dissector.write_text("-- dealwire, an older one")
    assert (of_wireshark().verdict, of_wireshark().remedy) == ("warning", "dealwire wireshark install")
    assert "dissector: another version" in of_wireshark().text
    interfaces.write_text("somebody else's")
    assert (of_wireshark().verdict, of_wireshark().remedy) == ("warning", "move it away; dealwire wireshark install")
    assert str(interfaces) in of_wireshark().text


@pytest.mark.parametrize("folder", ["with a blank", "long" * 40], ids=["a blank", "a long path"])
def test_the_interfaces_start_whatever_their_python_is_called(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / folder / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(python))
    assert dealwire("install", "--personal-folder", str(tmp_path))[0] == 0
    program = tmp_path / "extcap" / EXTCAP
    done = subprocess.run([program, "--extcap-interfaces"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "interface {value=dealwire-line}" in done.stdout


def test_the_colours_name_fields_that_exist(tmp_path: Path) -> None:
    program = needs_tshark()
    rules = [line.split("@") for line in (HERE / "dealwire.colorfilters").read_text().splitlines() if line[0] == "@"]
    assert len(rules) >= 6
    words = [program, "-X", f"lua_script:{HERE / DISSECTOR}", "-r", str(ROOT / "captures" / "noise.pcapng")]
    every = " || ".join(f"({rule[2]})" for rule in rules)
    done = subprocess.run([*words, "-Y", every], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout
