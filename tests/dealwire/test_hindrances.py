"""`dealwire run --check` finds what keeps a file from being served: at its line, with the exit code the serving has."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main
from dealwire.journal import SealingKey
from devices.drive.address import check_address
from devices.extras import install_command
from protocol.errors import LineUnusable
from tests.support.broken.hostile_files import make_hostile, must_end

ROOT = Path(__file__).parents[2]

TABLE = """schema = "dealwire.table/1"

[journal]
path = "journal.sqlite"
{journal}
[console]
port = 8420
{console}
[exports]
{exports}
[[table]]
name = "pit-1"
procedure = "flushes-gone-wild.co"
{table}
[[table.device]]
name = "shuffler"
kind = "shuffler"
address = "{address}"

[[table.device]]
name = "controller"
kind = "table-controller"
address = "tcp://10.0.0.7:4001"
"""
TOKENS = 'supervisor = "0123456789abcdef"\n'


def write(folder: Path, **parts: str) -> Path:
    given = {"journal": "", "console": "", "exports": "", "table": "", "address": "/dev/ttyUSB0", **parts}
    file = folder / "table.toml"
    file.write_text(TABLE.format(**given))
    return file


def run(*arguments: str) -> Result:
    with must_end():
        return CliRunner().invoke(main, ["run", *arguments])


def refused(file: Path, code: int, line: str, why: str) -> None:
    """Both the check and the serving say so in one line; no table was begun."""
    number = next(at for at, text in enumerate(file.read_text().splitlines(), 1) if text.startswith(line))
    started, checked = run(str(file)), run(str(file), "--check")
    assert (started.exit_code, checked.exit_code) == (code, code), started.output + checked.output
    assert started.stdout == ""
    assert re.fullmatch(rf"dealwire: {re.escape(str(file))}:{number}: \S+: .*\n", started.stderr), started.stderr
    assert why in started.stderr
    assert started.stderr.replace("dealwire: ", "wrong    ", 1) in checked.stdout
    assert checked.stderr == ""
    assert not (file.parent / "journal.sqlite").exists()


def test_a_good_file_has_nothing_wrong(tmp_path: Path) -> None:
    (tmp_path / "tokens.toml").touch(mode=0o600)
    (tmp_path / "tokens.toml").write_text(TOKENS)
    SealingKey.new(tmp_path / "journal.key")
    (tmp_path / "recordings").mkdir()
    console = 'tokens-file = "tokens.toml"\nrecordings = "recordings"'
    file = write(tmp_path, journal='key-file = "journal.key"', console=console, exports="[exports.metrics]\n")
    result = run(str(file), "--check")
    assert result.exit_code == 0
    said = result.stdout.splitlines()
    assert not [line for line in said if line.startswith("wrong")]
    assert (
        "ok       seal: raw bytes are sealed with journal.key: anyone with that file can read them, card faces included"
        in said
    )
    assert "ok       tokens: supervisor can sign in with a token from tokens.toml" in said
    assert said[-1].startswith(f"{file}: nothing wrong")


# ------------------------------------------------------------------ addresses

BAD_ADDRESSES = {
    "bogus": "use one of: serial:///dev/ttyUSB0",
    "tcp:127.0.0.1:7001": "use tcp://host:port, with a port from 1 to 65535",
    "tcp://host": "use tcp://host:port",
    "tcp://host:99999": "use tcp://host:port",
    "rfc2217://host": "use rfc2217://host:port",
    "ttyUSB0": "use one of: serial:///dev/ttyUSB0",
    "serial-id:": "use one of: serial:///dev/ttyUSB0",
    "serial:///dev/ttyUSB0?boud=9600": "setting boud='9600'; allowed: baud=NUMBER",
    "usb:1": "use usb:VID:PID",
    "sim:roulette": "no such simulated device; choose from shuffler, shoe, table-controller",
    "sim:shuffler?sead=1": "speed=1..1000, players=0..32",
    "carrier-pigeon://loft": "unknown kind of address: 'carrier-pigeon'",
    "tcp://[": "Invalid IPv6 URL",
    "replay:nowhere.pcapng#shuffler": "nowhere.pcapng: No such file or directory",
}


@pytest.mark.parametrize("address", BAD_ADDRESSES)
def test_what_is_no_address_is_refused(address: str, tmp_path: Path) -> None:
    refused(write(tmp_path, address=address), 2, f'address = "{address}"', BAD_ADDRESSES[address])


@pytest.mark.parametrize(
    "address",
    [
        "/dev/ttyUSB0",
        "/dev/serial/by-id/usb-FTDI_x-if00",
        "serial:///dev/ttyUSB0?baud=9600&parity=E",
        "serial-id:A10LGHGF",
        "serial-path:1-1.2",
        "tcp://[::1]:4001",
        "rfc2217://10.0.0.7:4001",
        "socket://10.0.0.7:4001",
        "loop://",
        "sim:shuffler?seed=1&fault=jam",
        f"replay:{ROOT}/captures/clean-1.pcapng#shuffler",
        "COM3",
    ],
)
def test_whatever_can_be_opened_is_an_address(address: str) -> None:
    check_address(address)


def test_a_usb_address_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "devices.transport.usb_bulk", None)
    with pytest.raises(LineUnusable, match="pyusb is not installed"):
        check_address("usb:0403:6001")


# ------------------------------------------------------------------ the rules


def test_a_game_of_another_procedure_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, table='game = "race-to-the-flush"')
    refused(file, 2, 'game = "race', "table[1].game: procedure for race-to-the-flush 'flushes-gone-wild.co'; allowed: ")


# ------------------------------------------------------------------ files


@pytest.mark.parametrize(
    ("part", "line", "key"),
    [
        ("journal", 'key-file = "none"', "journal.key-file"),
        ("console", 'tokens-file = "none"', "console.tokens-file"),
        ("console", 'recordings = "none"', "console.recordings"),
    ],
)
def test_a_file_that_is_not_there_is_named(part: str, line: str, key: str, tmp_path: Path) -> None:
    refused(write(tmp_path, **{part: line}), 2, line, f"{key}: {tmp_path / 'none'}")


def test_the_journal_needs_a_folder(tmp_path: Path) -> None:
    file = write(tmp_path)
    file.write_text(file.read_text().replace("journal.sqlite", "none/journal.sqlite"))
    refused(file, 2, "path", "its folder does not exist")
    make_hostile("pipe", tmp_path / "pipe")
    file.write_text(file.read_text().replace("none/journal.sqlite", "pipe"))
    refused(file, 2, "path", "a pipe, not a file")


MQTT = '[exports.mqtt]\nurl = "mqtts://broker"\nsite = "s"\n{}'


@pytest.mark.parametrize("key", ["password-file", "ca-file", "cert-file", "key-file"])
@pytest.mark.parametrize("kind", ["none", "pipe", "device"])
def test_files_of_the_broker_are_looked_at(key: str, kind: str, tmp_path: Path) -> None:
    if kind != "none":
        make_hostile(kind, tmp_path / kind)
    why = {"none": "No such file or directory", "pipe": "a pipe, not a file", "device": "a device, not a file"}[kind]
    file = write(tmp_path, exports=MQTT.format(f'{key} = "{kind}"'))
    refused(file, 2, f"{key} =", f"exports.mqtt.{key}: {tmp_path / kind}: {why}")


def test_the_address_of_the_broker_is_looked_at(tmp_path: Path) -> None:
    file = write(tmp_path, exports=MQTT.format("").replace("broker", "user:secret@broker"))
    refused(file, 2, "url", "use a password file")


def test_certificates_are_tried(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    refused(write(tmp_path, exports=MQTT.format('ca-file = "ca.pem"')), 2, "[exports.mqtt]", "cannot be used")


def test_console_and_metrics_cannot_share_a_port(tmp_path: Path) -> None:
    file = write(tmp_path, exports="[exports.metrics]\nport = 8420")
    number = file.read_text().splitlines().index("[exports.metrics]") + 2
    result = run(str(file), "--check")
    assert result.exit_code == 2
    why = f"wrong    {file}:{number}: exports.metrics.port: port 8420 is already used by the console\n"
    assert why in result.stdout
    assert run(str(file), "--check", "--no-console").exit_code == 0


@pytest.mark.parametrize(
    ("module", "parts", "line", "extra"),
    [
        ("cryptography", {"journal": 'key-file = "journal.key"'}, "key-file", "journal"),
        ("uvicorn", {}, "[console]", "console"),
        ("aiomqtt", {"exports": MQTT.format("")}, "[exports.mqtt]", "mqtt"),
        ("prometheus_client", {"exports": "[exports.metrics]"}, "[exports.metrics]", "metrics"),
    ],
)
def test_a_missing_extra_is_named(
    module: str, parts: dict[str, str], line: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SealingKey.new(tmp_path / "journal.key")
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == module else found(name, *more))
    refused(write(tmp_path, **parts), 2, line, install_command(extra))


# ------------------------------------------------------------------ secrets


def secret(folder: Path, name: str) -> Path:
    """A good key file or tokens file."""
    if name == "journal.key":
        return SealingKey.new(folder / name).path
    (folder / name).touch(mode=0o600)
    (folder / name).write_text(TOKENS)
    return folder / name


SECRETS = {
    "journal.key": {"journal": 'key-file = "journal.key"'},
    "tokens.toml": {"console": 'tokens-file = "tokens.toml"'},
}


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_that_others_may_use_is_refused(name: str, mode: int, tmp_path: Path) -> None:
    secret(tmp_path, name).chmod(mode)
    (line,) = SECRETS[name].values()
    refused(write(tmp_path, **SECRETS[name]), 5, line, f"others may use it (mode {mode:04o}); allowed: 0600")


@pytest.mark.skipif(os.geteuid() != 0, reason="not here: only root can give a file away")
@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_of_somebody_else_is_refused(name: str, tmp_path: Path) -> None:
    os.chown(secret(tmp_path, name), 12345, -1)
    (line,) = SECRETS[name].values()
    refused(write(tmp_path, **SECRETS[name]), 5, line, "it belongs to user 12345; allowed: user 0 or root")


@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "folder"])
@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_a_file(name: str, kind: str, tmp_path: Path) -> None:
    make_hostile(kind, tmp_path / name)
    (line,) = SECRETS[name].values()
    refused(write(tmp_path, **SECRETS[name]), 2, line, "Is a directory" if kind == "folder" else "not a file")


@pytest.mark.parametrize("content", ["[" * 20_000, f"supervisor = {'1' * 5000}", "supervisor = ", "\0", "[[a]]\n" * 9])
def test_hostile_tokens_are_one_line(content: str, tmp_path: Path) -> None:
    secret(tmp_path, "tokens.toml").write_text(content)
    (line,) = SECRETS["tokens.toml"].values()
    refused(write(tmp_path, **SECRETS["tokens.toml"]), 2, line, "tokens.toml")
