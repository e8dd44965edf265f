"""An error that ends a start was found by the check of the afternoon: both are run, for each kind of damage.

A journal comes from a service that was killed in the middle of a round.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import socket
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealer_flow.games import GAMES, files_of
from dealwire.cli import main
from dealwire.cli.exits import Exit
from dealwire.journal import Journal, SealingKey
from dealwire.journal.auditing import AuditorPrivateKey
from dealwire.service import start_checks
from dealwire.service.tried import ok
from devices.clock import SystemClock
from tests.support.broken.hostile_files import must_end
from tests.support.reading.game_files import flat_paytables
from tests.support.rigs.serving import opened, run_until, simulators_here, write_configuration

ABSENT = {"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}
OPEN_TO_ALL = all(folder.stat().st_mode & 0o001 for folder in GAMES.resolve().parents)
"""True if another user may run the program in its folder."""
OWN_GAME = "own.toml"
"""File outside the folders of all tests: a table continues with the very game with which it began."""


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a service that was killed in its third round; its game is a file of its own."""
    folder = tmp_path_factory.mktemp("evening")
    flat_paytables(folder / "paytables")
    folder.chmod(0o755)
    shutil.copy(files_of("pays")["flushes-gone-wild.co"], folder / OWN_GAME)
    with simulators_here() as addresses:
        file = write_configuration(folder, addresses, more=f'limit-cents = 10000\ngame = "{folder / OWN_GAME}"')
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 2)
            run_until(service, lambda: service.tables["table-1"].table.flow.snapshot().number == 3)
            shutil.copytree(folder, folder / "killed", ignore=shutil.ignore_patterns("killed", OWN_GAME, "paytables"))
    return folder / "killed"


@pytest.fixture
def folder(evening: Path, tmp_path: Path) -> Path:
    """Return the same folder, to be damaged. A journal that was copied while in use has no marks of SQLite's side
    files."""
    shutil.copytree(evening, tmp_path, dirs_exist_ok=True)
    shutil.copy(files_of("pays")["flushes-gone-wild.co"], evening.parent / OWN_GAME)
    (tmp_path / "journal.sqlite-shm").unlink(missing_ok=True)
    return tmp_path


@pytest.fixture
def settled(folder: Path) -> Path:
    """Return the same folder after its log was merged: the journal has only its lock as a side file."""
    with sqlite3.connect(folder / "journal.sqlite") as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return folder


def run(*arguments: object) -> Result:
    with must_end():
        return CliRunner().invoke(main, ["run", *map(str, arguments)])


def contents(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """All there is in a folder: mode, time of change and bytes of each file."""
    found = {}
    for path in sorted(folder.rglob("*")):
        facts = path.stat()
        whole = path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(folder))] = (facts.st_mode, facts.st_mtime_ns, whole)
    return found


def without_time(line: str) -> str:
    """A line without the time of day: a second may lie between the two."""
    return re.sub(r"\d\d:\d\d:\d\d", "", line)


def both(folder: Path, *options: str) -> str:
    """The line with which a start ends and that the check has found, with the same exit code; the start comes last."""
    file, before = folder / "table.toml", contents(folder)
    checked = run(file, "--check", *options)
    after = contents(folder)
    after.pop("journal.sqlite-shm", None)  # SQLite's own, of a journal whose log was not taken in yet
    assert after == before, "the check changed something"
    lines = [json.loads(line) for line in run(file, "--check", "--json", *options).stdout.splitlines()]
    started = run(file, *options)
    assert started.exit_code == checked.exit_code == lines[-1]["exit"] != 0, checked.stdout + started.stderr
    ended = started.stderr.splitlines()[-1].removeprefix("dealwire: ")
    found = [line.removeprefix("wrong    ") for line in checked.stdout.splitlines() if line.startswith("wrong")]
    assert any(without_time(line).endswith(without_time(ended)) for line in found), (ended, found)
    assert lines[-1]["wrong"] == len(found)
    return ended


Damage = Callable[[Path], object]


def edit(before: str, after: str) -> Damage:
    """A change of the settings."""

    def change(folder: Path) -> None:
        text = (folder / "table.toml").read_text()
        assert before in text
        (folder / "table.toml").write_text(text.replace(before, after, 1))

    return change


def console(text: str) -> Damage:
    return edit("[[table]]", f"[console]\nport = 0\n{text}\n[[table]]")


def mqtt(text: str) -> Damage:
    return edit("[[table]]", f'[exports.mqtt]\nurl = "mqtts://127.0.0.1:1"\nsite = "s"\n{text}\n[[table]]')


def tokens(content: str, mode: int = 0o600) -> Damage:
    def change(folder: Path) -> None:
        (folder / "tokens.toml").write_text(content)
        (folder / "tokens.toml").chmod(mode)
        console('tokens-file = "tokens.toml"')(folder)

    return change


def put(name: str, content: str) -> Damage:
    return lambda folder: (folder / name).write_text(content)


def game(before: str, after: str) -> Damage:
    """A change of the game's own file."""

    def change(folder: Path) -> None:
        file = Path(re.findall(r'game = "(.*)"', (folder / "table.toml").read_text())[0])
        text = file.read_text()
        assert before in text
        file.write_text(text.replace(before, after))

    return change


def in_longhorn(folder: Path) -> None:
    sister = 'schema = "dealwire.procedure/2"\nbase = ["longhorn.co"]\nid = "longhorn.mine"\ntitle = "Longhorn"\n'
    (folder / "mine.toml").write_text(sister)
    text = (
        (folder / "table.toml").read_text().replace("flushes-gone-wild.co", "mine.toml").replace('"shuffler"', '"shoe"')
    )
    (folder / "table.toml").write_text(re.sub(r"(game|limit-cents) = .*", "", text))


def another_key(folder: Path) -> None:
    (folder / "journal.key").unlink()
    SealingKey.new(folder / "journal.key")


def in_sqlite(*statements: str) -> Damage:
    def change(folder: Path) -> None:
        db = sqlite3.connect(folder / "journal.sqlite", isolation_level=None)
        for statement in statements:
            db.execute(statement)
        db.close()

    return change


def untrue(folder: Path) -> None:
    """Publish a line that does not follow from the raw record."""
    key = SealingKey.load(folder / "journal.key")
    with Journal(folder / "journal.sqlite", key=key, clock=SystemClock()) as journal:
        journal.publish("table-1", "round", journal.newest_ns, '{"type":"round"}')


def dated(days: int) -> Damage:
    """A record as a host's clock made it that is so many days off."""

    def change(folder: Path) -> None:
        for path in folder.glob("journal.sqlite*"):
            path.unlink()
        at_ns = time.time_ns() + days * 86_400_000_000_000
        clock = SystemClock(wall=lambda: at_ns)
        with Journal(folder / "journal.sqlite", key=SealingKey.load(folder / "journal.key"), clock=clock):
            pass

    return change


def audited(folder: Path) -> None:
    AuditorPrivateKey.new(folder / "away.key", folder / "auditor.pub")
    edit('key-file = "journal.key"', 'auditor-key-file = "auditor.pub"')(folder)


def damaged_stretches(folder: Path) -> None:
    audited(folder)
    (folder / "journal.sqlite-key").write_text("nonsense")
    (folder / "journal.sqlite-key").chmod(0o600)


DAMAGES: dict[str, tuple[Damage, Exit, str]] = {
    # the file itself
    "unknown key": (edit("limit-cents", "limits-cents"), Exit.USAGE, "did you mean 'limit-cents'?"),
    "address": (edit('address = "', 'address = "ttyUSB0"\n# "'), Exit.USAGE, "use one of: "),
    "no game": (edit('game = "', 'game = "own"\n# "'), Exit.USAGE, "no such game"),
    "no game settles it": (
        in_longhorn,
        Exit.USAGE,
        "no game settles longhorn.mine; name one, or deal without settling:",
    ),
    "a bet's name": (game('"flush-rush"', '"flush-rsh"'), Exit.USAGE, "has no bet 'flush-rsh'"),
    "progressive": (edit("limit-cents", 'progressive = "no.toml"\nlimit-cents'), Exit.USAGE, "no.toml"),
    # keys and tokens
    "key is gone": (lambda folder: (folder / "journal.key").unlink(), Exit.USAGE, "cannot be read"),
    "key is none": (put("journal.key", "dealwire-journal-key 1 2\n"), Exit.USAGE, "not a key"),
    "key for all": (lambda folder: (folder / "journal.key").chmod(0o644), Exit.PERMISSION, "others may use it"),
    "tokens are gone": (console('tokens-file = "no.toml"'), Exit.USAGE, "cannot be read"),
    "tokens for all": (tokens('dealer = "0123456789abcdef"', 0o644), Exit.PERMISSION, "others may use it"),
    "token too short": (tokens('dealer = "short"'), Exit.USAGE, "16 to 256 characters"),
    "token of nobody": (tokens('guest = "0123456789abcdef"'), Exit.USAGE, "is not a role"),
    "no tokens": (tokens(""), Exit.USAGE, "holds no token"),
    "stretches": (damaged_stretches, Exit.USAGE, "not the key of a stretch"),
    # the journal
    "folder": (edit('"journal.sqlite"', '"no/journal.sqlite"'), Exit.USAGE, "its folder does not exist"),
    "journal is a folder": (edit('"journal.sqlite"', '"../"'), Exit.USAGE, "Is a directory"),
    "journal is another file": (edit('"journal.sqlite"', '"journal.key"'), Exit.PROTOCOL, "not a SQLite file"),
    "journal is newer": (in_sqlite("PRAGMA user_version = 99"), Exit.PROTOCOL, "newer than this program"),
    "journal is altered": (
        in_sqlite("UPDATE record SET payload = x'00' WHERE sequence = (SELECT max(sequence) - 3 FROM record)"),
        Exit.PROTOCOL,
        "its hash does not match",
    ),
    "another key": (another_key, Exit.USAGE, "give the key file that holds it"),
    "no key": (edit('key-file = "journal.key"\n', ""), Exit.USAGE, "give the key file that holds it"),
    "an auditor's key": (audited, Exit.USAGE, "give the key file that holds it"),
    "not what was dealt": (untrue, Exit.CHECK_FAILED, "the raw record"),
    "game changed": (
        game('name = "Flushes Gone Wild"', 'name = "Another"'),
        Exit.USAGE,
        "the game is not the one it began with",
    ),
    "clock far back": (dated(3), Exit.CHECK_FAILED, "is before its newest record"),
    "clock far ahead": (dated(-500), Exit.CHECK_FAILED, "days after its newest record"),
    # what is served beside the tables
    "nobody's address": (console('host = "203.0.113.9"\nplain = true'), Exit.ABSENT, "not there"),
    "no host": (console('host = "a..b"\nplain = true'), Exit.ABSENT, "is no host's name"),
    "recordings": (console('recordings = "no"'), Exit.USAGE, "no such folder"),
    "metrics' host": (
        edit("[[table]]", '[exports.metrics]\nhost = "203.0.113.9"\nplain = true\n[[table]]'),
        Exit.ABSENT,
        "metrics",
    ),
    "broker's address": (
        edit("[[table]]", '[exports.mqtt]\nurl = "mqtt://a:b@c"\nsite = "s"\n[[table]]'),
        Exit.USAGE,
        "use a password file",
    ),
    "certificate": (mqtt('ca-file = "journal.key"'), Exit.USAGE, "certificates cannot be used"),
    "password": (mqtt('password-file = "no"'), Exit.USAGE, "No such file"),
}


@pytest.mark.every(8)
@pytest.mark.parametrize("name", DAMAGES)
def test_what_a_start_ends_with_was_found(name: str, folder: Path) -> None:
    damage, code, why = DAMAGES[name]
    damage(folder)
    assert why in both(folder)
    assert run(folder / "table.toml", "--check").exit_code == code


@pytest.mark.parametrize(("what", "text"), [("console", "[console]"), ("metrics", "[exports.metrics]")])
def test_a_port_that_is_taken_was_found(what: str, text: str, folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        edit("[[table]]", f"{text}\nport = {port}\n[[table]]")(folder)
        assert f"{what} 127.0.0.1:{port}: in use by another program" in both(folder)
        assert run(folder / "table.toml", "--check").exit_code == Exit.BUSY
    assert run(folder / "table.toml", "--check").exit_code == Exit.GOOD


def test_a_port_on_the_command_line_is_the_one_that_is_tried(folder: Path) -> None:
    console("")(folder)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "in use by another program" in both(folder, "--port", str(taken.getsockname()[1]))


def test_a_journal_that_another_program_writes_was_found(settled: Path) -> None:
    with (settled / "journal.sqlite-lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another program is writing this journal" in both(settled)
        assert run(settled / "table.toml", "--check").exit_code == Exit.BUSY


@pytest.mark.skipif(os.geteuid() != 0, reason="not here: only root can become somebody else")
@pytest.mark.skipif(not OPEN_TO_ALL, reason="not here: the program lies where another user may not go")
def test_what_another_user_may_not_do_was_found(settled: Path) -> None:
    for path in settled.rglob("*"):
        path.chmod(0o644 if path.is_file() else 0o755)
    (settled / "journal.key").chmod(0o600)
    os.chown(settled / "journal.key", 65534, -1)
    for above in (settled, *settled.parents[:3]):
        above.chmod(0o755)
    os.seteuid(65534)
    try:
        assert both(settled).endswith("journal.sqlite: Permission denied")
        assert run(settled / "table.toml", "--check").exit_code == Exit.PERMISSION
    finally:
        os.seteuid(0)


# ------------------------------------------------------------------ what would become of the tables


def lines_of(folder: Path, *options: str) -> list[str]:
    result = run(folder / "table.toml", "--check", *options)
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def how_it_starts(folder: Path, **options: bool) -> str:
    """Return the start's message about the table."""
    service, listener = opened(folder / "table.toml", **options)
    with service:
        run_until(service, lambda: bool(listener.of("status")))
    return next(str(line["text"]) for line in listener.of("status") if line["kind"] == "started")


def test_it_says_that_a_table_would_go_on(folder: Path) -> None:
    assert "ok       table-1: resumes in round 3" in lines_of(folder)
    assert how_it_starts(folder) == "table table-1 resumes"


def test_a_journal_that_stands_still_is_left_as_it_is(settled: Path) -> None:
    before = contents(settled)
    assert "ok       table-1: resumes in round 3" in lines_of(settled)
    assert contents(settled) == before


CHANGES: dict[str, tuple[Damage, str, str]] = {
    "settings": (edit("10000", "5000"), "", "starts over: its settings changed; a round under way is abandoned"),
    "--start-over": (lambda _: None, "anew", "starts over: --start-over was given; a round under way is abandoned"),
    "clock": (dated(3), "clock-is-right", "starts over: the clock was set back; a round under way is abandoned"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_it_says_that_a_table_would_begin_anew(name: str, folder: Path) -> None:
    damage, option, said = CHANGES[name]
    damage(folder)
    assert f"warning  table-1: {said}" in lines_of(folder, *([f"--{option}"] if option else []))
    options = {option.replace("-", "_"): True} if option else {}
    assert how_it_starts(folder, **options) == "table table-1 starts a new record"


def test_a_table_that_is_not_served_any_more_is_named(folder: Path) -> None:
    edit('"table-1"', '"table-2"')(folder)
    lines = lines_of(folder)
    assert "ok       table-2: starts: it is not running in this journal" in lines
    assert "warning  table-1: it is no longer served: it is in the journal and not in this file" in lines


def test_without_a_journal_every_table_begins(tmp_path: Path) -> None:
    write_configuration(tmp_path, [ABSENT])
    assert "ok       table-1: starts: there is no journal yet" in lines_of(tmp_path)
    (tmp_path / "journal.sqlite").touch()
    assert "ok       table-1: starts: the journal is empty" in lines_of(tmp_path)


# ------------------------------------------------------------------ devices, disk, all at once


def test_devices_that_are_not_there_are_waited_for(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    there = os.ttyname(theirs)
    write_configuration(tmp_path, [{"shuffler": "/dev/ttyNONE0", "table-controller": there}])
    lines = lines_of(tmp_path)
    absent = "table-1, shuffler: /dev/ttyNONE0: not there: No such file or directory; it is retried until it is found"
    assert f"warning  {absent}" in lines
    in_use = next(line for line in lines if line.startswith("warning  table-1, controller"))
    assert "in use by process" in in_use, "this test has it open"
    os.close(ours), os.close(theirs)


def test_nobody_is_called(tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        address = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        write_configuration(tmp_path, [{"shuffler": address, "table-controller": "tcp://127.0.0.1:2"}])
        assert f"ok       table-1, shuffler: {address}: a network address; no connection was made" in lines_of(tmp_path)
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()


class Disk:
    """So much is in use."""

    def __init__(self, used: int, free: int) -> None:
        self.total, self.used, self.free = used + free, used, free


@pytest.mark.parametrize(
    ("used", "free", "outcome"), [(10, 10**9, "ok"), (85 * 10**7, 15 * 10**7, "warning"), (10**9, 999_999, "wrong")]
)
def test_a_disk_is_told_before_it_is_full(used: int, free: int, outcome: str, tmp_path: Path) -> None:
    from dealwire.config.schema import JournalPart

    part = JournalPart.model_validate({"path": tmp_path / "journal"})
    found = [each for each in start_checks.disk_ahead(part, lambda _: Disk(used, free)) if each.what == "disk"]
    assert [each.outcome for each in found] == [outcome]


def test_an_archive_that_cannot_be_is_told(tmp_path: Path) -> None:
    write_configuration(tmp_path, [ABSENT])
    text = (tmp_path / "table.toml").read_text()
    for name, said in {
        "days": f"ok       archive: {tmp_path}/days can be created",
        "journal.key": f"warning  archive: {tmp_path}/journal.key is not a folder: no day is archived",
    }.items():
        (tmp_path / "table.toml").write_text(text.replace("[journal]", f'[journal]\narchive = "{name}"'))
        assert any(line.startswith(said) for line in lines_of(tmp_path))


def test_all_that_is_wrong_is_told_in_one_go(tmp_path: Path) -> None:
    file = write_configuration(tmp_path, [ABSENT, ABSENT])
    text = file.read_text().replace(
        "limit-cents = 10000", 'seats = 20\nlimit-cents = 10001\npaytables = { x = "y" }', 1
    )
    text = text.replace("[[table]]", '[console]\nport = 0\nhost = "203.0.113.9"\ntokens-file = "none"\n[[table]]', 1)
    file.write_text(text.replace("journal.sqlite", "no/journal.sqlite"))
    result = run(file, "--check")
    found = [line for line in result.stdout.splitlines() if line.startswith("wrong")]
    keys = [line.split(": ")[1] for line in found]
    assert keys == [
        *("table[1].seats", "table[1].limit-cents", "table[1].paytables"),
        *("table[2].device[1].address", "table[2].device[2].address"),
        *("journal.path", "console.host", "console.port", "console.tokens-file"),
    ]
    assert result.exit_code == Exit.USAGE
    assert result.stdout.splitlines()[-1].startswith(f"{file}: {len(found)} wrong")


def test_what_is_in_order_is_told_too(tmp_path: Path) -> None:
    assert ok("x", "y").outcome == "ok"
    write_configuration(tmp_path, [ABSENT], more='edition = "colorado-2021-05-01"')
    result = run(tmp_path / "table.toml", "--check", "--json")
    items = [json.loads(line) for line in result.stdout.splitlines()]
    assert {item["schema"] for item in items} == {"dealwire.run-check/1"}
    assert items[-1] == {
        "schema": "dealwire.run-check/1",
        "type": "end",
        "file": str(tmp_path / "table.toml"),
        "exit": 0,
        "ok": len(items) - 1,
        "warning": 0,
        "wrong": 0,
    }
    assert {"journal", "seal", "disk", "table-1", "table-1, shuffler"} <= {item.get("what") for item in items}


def test_a_table_without_a_game_of_its_own_is_told_what_to_write(tmp_path: Path) -> None:
    more = ""
    file = write_configuration(tmp_path, [ABSENT], more=more, procedure="pai-gow.co-hand")
    result = run(file, "--check")
    assert "table[1].game" not in result.stdout or "settle = false" in result.stdout


STILL = "table-1: meter meter: no share of the progressive bets goes to it, so it stays at $10,000.00 until it is won"


def test_a_meter_on_which_nothing_is_put_is_told_before_the_start_and_at_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = write_configuration(tmp_path, [ABSENT], more="meters = { meter = 1000000 }")
    result = run(file, "--check")
    assert result.exit_code == 0
    assert [line for line in result.stdout.splitlines() if STILL in line] == [
        f'warning  {STILL}; set progressive = "FILE" to add contributions'
    ]
    service, _ = opened(file)
    with service:
        assert caplog.text.count(STILL) == 1
        (caution,) = service.hub.views()["table-1"].cautions
        assert caution.startswith(STILL.removeprefix("table-1: "))


def test_a_meter_that_grows_and_one_that_no_bet_is_played_for_are_not_told(tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(
        'schema = "dealwire.progressive/1"\nid = "link"\n[[meters]]\nname = "meter"\nseed-cents = 1000000\n'
        'contribution = "5 %"\n'
    )
    for more in ('progressive = "link.toml"', "settle = false"):
        file = write_configuration(tmp_path, [ABSENT], more=more)
        assert "goes to it" not in run(file, "--check").stdout
