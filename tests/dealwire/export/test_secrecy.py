"""Warnings about secrecy: files of secrets that others may read, and traffic to a broker without encryption."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.export.secrecy import exposures
from tests.support.rigs.serving import Program, write_configuration

ABSENT = {"shuffler": "/dev/ttyNONE0", "table-controller": "/dev/ttyNONE1"}


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "secret"
    file.write_text("open sesame\n")
    file.chmod(0o600)
    return file


@pytest.mark.parametrize(
    ("url", "password", "what"),
    [
        ("mqtts://broker", True, None),
        ("mqtts://table@broker", True, None),
        ("mqtt://127.0.0.1:1883", False, None),
        ("mqtt://[::1]", False, None),
        ("mqtt://localhost", False, None),
        ("mqtt://broker", False, "broker is not this machine"),
        ("mqtt://10.0.0.1", False, "10.0.0.1 is not this machine"),
        ("mqtt://127.0.0.1", True, "a password is sent"),
        ("mqtt://table@localhost", False, "a user name is sent"),
        ("mqtt://table@broker", True, "broker is not this machine and a password is sent"),
        ("mqtt://", True, None),
        ("mqtt://[", True, None),
    ],
)
def test_what_goes_out_in_clear_is_warned_of(url: str, password: bool, what: str | None, secret: Path) -> None:
    found = exposures(url, password_file=secret if password else None)
    assert len(found) == (what is not None)
    assert all(f"the connection is not encrypted, and {what}; use mqtts:// for TLS" in line for line in found)


def test_files_that_others_may_read_are_warned_of(secret: Path) -> None:
    assert exposures("mqtts://broker", password_file=secret, key_file=secret) == []
    secret.chmod(0o644)
    why = f"others may use it (mode 0644); allowed: 0600 (chmod 600 {secret})"
    assert exposures("mqtts://broker", password_file=secret, key_file=secret) == [
        f"password file {secret}: {why}",
        f"key file {secret}: {why}",
    ]
    secret.unlink()
    assert exposures("mqtts://broker", password_file=secret) == [f"password file {secret}: No such file or directory"]


@pytest.fixture
def file(tmp_path: Path, secret: Path) -> Path:
    secret.chmod(0o640)
    top = '[exports.mqtt]\nurl = "mqtt://table@127.0.0.1:1"\nsite = "here"\npassword-file = "secret"\n'
    return write_configuration(tmp_path, [ABSENT], top=top)


def warnings(secret: Path) -> list[str]:
    return [
        f"exports.mqtt: password file {secret}: others may use it (mode 0640); allowed: 0600 (chmod 600 {secret})",
        "exports.mqtt: mqtt://127.0.0.1: the connection is not encrypted, and a password is sent; use mqtts:// for TLS",
    ]


def test_a_check_warns_and_finds_nothing_wrong(file: Path, secret: Path) -> None:
    done = CliRunner().invoke(main, ["run", "--check", str(file)])
    assert done.exit_code == 0
    said = done.stdout.splitlines()
    told = [line.removeprefix("exports.") for line in warnings(secret)]
    assert [line for line in said if "  mqtt: " in line and "warning" in line] == [f"warning  {line}" for line in told]
    assert "nothing wrong" in said[-1]


@pytest.mark.more
def test_a_start_warns(file: Path, secret: Path) -> None:
    with Program(file, "--no-console") as program:
        program.wait_for(lambda: "retrying" in program.text)
        assert program.end() == 0
    found = [line.partition(" WARNING ")[2] for line in program.text.splitlines() if " WARNING exports.mqtt" in line]
    assert found == warnings(secret)
    assert "open sesame" not in program.text


def test_a_consumer_of_the_fleet_warns(secret: Path) -> None:
    secret.chmod(0o604)
    where = ["--mqtt", "mqtt://fleet@127.0.0.1:1", "--mqtt-password-file", str(secret), "--postgres", "host=/nowhere"]
    done = CliRunner().invoke(main, ["fleet", "consume", *where])
    lines = done.stderr.splitlines()
    assert lines[:-1] == [
        f"dealwire: warning: password file {secret}: others may use it (mode 0604); allowed: 0600 (chmod 600 {secret})",
        "dealwire: warning: mqtt://127.0.0.1: the connection is not encrypted, and a password is sent;"
        " use mqtts:// for TLS",
    ]
