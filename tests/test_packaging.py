"""A release: two builds with the same bytes, every file in the wheel, and a bill of the installed materials."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from email.message import Message
from pathlib import Path

import click
import pytest

from dealwire.cli import COMMANDS, main
from dealwire.program_digest import program_digest
from tests.test_locks import PROJECT, pins

ROOT = Path(__file__).parent.parent
PACKAGES = ("protocol", "devices", "dealer_flow", "rules", "dealwire")
VERSION = PROJECT["project"]["version"]
MANUAL = ROOT / "share/man/man1"


# ------------------------------------------------------------------ the release


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that `make release` fills; it fails if two builds differ."""
    folder = tmp_path_factory.mktemp("released")
    done = subprocess.run([ROOT / ".ci/release", sys.prefix, folder], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(released: Path) -> Path:
    (found,) = released.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        return message_from_string(archive.read(f"dealwire-{VERSION}.dist-info/METADATA").decode())


@pytest.mark.more
def test_a_release_has_its_files_and_their_sums(released: Path) -> None:
    files = {f"dealwire-{VERSION}{end}" for end in ("-py3-none-any.whl", ".tar.gz", ".cdx.json", ".program")}
    assert {path.name for path in released.iterdir()} == {*files, "SHA256SUMS"}
    sums = dict(line.split("  ")[::-1] for line in (released / "SHA256SUMS").read_text().splitlines())
    assert sums == {name: hashlib.sha256((released / name).read_bytes()).hexdigest() for name in files}


@pytest.mark.more
def test_the_digest_is_the_same_in_checkout_wheel_and_release(released: Path, wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    listed = (released / f"dealwire-{VERSION}.program").read_text()
    assert listed == f"{program_digest(tmp_path)}\n" == f"{program_digest(ROOT)}\n"


@pytest.mark.more
def test_every_module_and_data_file_is_in_the_wheel(wheel: Path) -> None:
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    data = f"dealwire-{VERSION}.data/data/"
    ours = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    shared = {data + path.relative_to(ROOT).as_posix() for path in (ROOT / "share").rglob("*") if path.is_file()}
    assert inside == ours | shared
    assert any(name.endswith("games/flushes-gone-wild/co.deal.toml") for name in inside)
    assert {f"{package}/py.typed" for package in PACKAGES} <= inside
    assert {f"{data}share/man/man1/dealwire.1", f"{data}share/zsh/site-functions/_dealwire"} <= shared


@pytest.mark.more
def test_the_sdist_has_what_a_packager_needs(released: Path) -> None:
    with tarfile.open(released / f"dealwire-{VERSION}.tar.gz") as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "locks/table.txt", "share/man/man1/dealwire.1"} <= inside
    tops = {name.partition("/")[0] for name in inside if name} - {"PKG-INFO", ".gitignore", "pyproject.toml"}
    assert tops == {*PACKAGES, "docs", "locks", "share", "README.md", "LICENSE", "CHANGELOG.md"}


@pytest.mark.more
def test_the_metadata_tells_a_stranger_what_it_is(metadata: Message) -> None:
    assert metadata["Version"] == VERSION
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload() == (ROOT / "README.md").read_text()
    assert {*(metadata.get_all("Provides-Extra") or ())} == PROJECT["project"]["optional-dependencies"].keys()
    # No address is known at which the project lives: one that leads nowhere would be worse than none.
    assert metadata.get_all("Project-URL") is None


@pytest.mark.more
def test_the_bill_names_all_that_is_installed_with_it_and_no_place_of_this_machine(released: Path) -> None:
    text = (released / f"dealwire-{VERSION}.cdx.json").read_text()
    bill = json.loads(text)
    assert bill["metadata"]["component"]["version"] == VERSION
    listed = {re.sub(r"[._]", "-", each["name"]).lower(): each["version"] for each in bill["components"]}
    unused = {"colorama", "tzdata"}  # of Windows
    assert {**listed} == {name: version for name, version in pins("table").items() if name not in unused}
    (direct,) = (each["dependsOn"] for each in bill["dependencies"] if each["ref"] == "root-component")
    assert len(direct) > 15
    assert "file://" not in text
    assert str(released.parent) not in text


@pytest.mark.more
def test_the_installed_program_runs_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    recording = ROOT / "captures/clean-1.pcapng"
    done = subprocess.run(
        [sys.executable, "-P", "-m", "dealwire", "replay", str(recording)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    assert "complete" in done.stdout


# ------------------------------------------------------------------ the manual, the shells


def test_the_manual_names_every_command_and_every_option() -> None:
    program = (MANUAL / "dealwire.1").read_text().replace("\\-", "-")
    assert {path.name for path in MANUAL.iterdir()} == {"dealwire.1", *(f"dealwire-{name}.1" for name in COMMANDS)}
    context = click.Context(main, info_name="dealwire")
    for name in COMMANDS:
        assert f"\\fBdealwire-{name}(1)\\fR" in program
        command = main.get_command(context, name)
        assert command is not None
        page = (MANUAL / f"dealwire-{name}.1").read_text().replace("\\-", "-")
        for one in walked(command, f"dealwire {name}"):
            assert not [word for word in one if word not in page], f"dealwire-{name}.1"


def walked(command: click.Command, path: str) -> list[list[str]]:
    """Return path and options of a command and of all commands below it."""
    options = [text for each in command.params if isinstance(each, click.Option) for text in each.opts]
    below = command.commands.items() if isinstance(command, click.Group) else ()
    return [[path, *options], *(each for name, inner in below for each in walked(inner, f"{path} {name}"))]


@pytest.mark.more
@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed (apt install groff-base)")
@pytest.mark.parametrize("page", sorted(MANUAL.iterdir()), ids=lambda path: path.name)
def test_troff_has_no_complaint(page: Path) -> None:
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "SEE ALSO" in re.sub("\x1b\\[[0-9;]*m|.\x08", "", done.stdout)


@pytest.mark.more
@pytest.mark.parametrize(
    ("shell", "file", "check"),
    [
        ("bash", "bash-completion/completions/dealwire", ("-n",)),
        ("zsh", "zsh/site-functions/_dealwire", ("-n",)),
        ("fish", "fish/vendor_completions.d/dealwire.fish", ("--no-execute",)),
    ],
)
def test_each_shell_reads_its_completions(shell: str, file: str, check: tuple[str, ...]) -> None:
    if (program := shutil.which(shell)) is None:
        pytest.skip(f"{shell} is not installed (apt install {shell})")
    done = subprocess.run([program, *check, ROOT / "share" / file], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
