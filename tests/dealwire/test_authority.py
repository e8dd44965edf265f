"""`dealwire authority` as a person types it; OpenSSL's own program checks what it made."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main
from dealwire.cli.exits import Exit

OPENSSL = shutil.which("openssl")
pytestmark = pytest.mark.skipif(OPENSSL is None, reason="openssl is not installed (apt install openssl)")


def authority(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["authority", *map(str, arguments)])


def openssl(*arguments: object) -> tuple[int, str]:
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = authority("new", tmp_path / "north", "--name", "Casino North")
    assert made.exit_code == Exit.GOOD, made.output
    return tmp_path / "north"


def made(folder: Path, *arguments: str) -> Path:
    """Make a certificate beside the authority, and return its path."""
    use, name, *more = arguments
    done = authority(use, folder, name, *more, "--to", folder.parent)
    assert done.exit_code == Exit.GOOD, done.output
    return folder.parent / f"{name}.pem"


def verified(folder: Path, cert: Path, purpose: str, *more: object) -> tuple[int, str]:
    return openssl("verify", "-x509_strict", "-CAfile", folder / "authority.pem", "-purpose", purpose, *more, cert)


def test_an_authority_is_one_command_and_openssl_agrees(folder: Path) -> None:
    server, client = made(folder, "server", "pit.example", "10.0.0.7", "::1"), made(folder, "client", "pit-1")
    assert verified(folder, server, "sslserver") == (0, f"{server}: OK\n")
    assert verified(folder, client, "sslclient") == (0, f"{client}: OK\n")
    # Neither is good for the other's purpose, nor can it certify anyone.
    assert verified(folder, server, "sslclient")[0] == verified(folder, client, "sslserver")[0] == 2
    for name, fits in {"pit.example": True, "10.0.0.7": True, "other.example": False, "10.0.0.8": False}.items():
        which = "-checkip" if name[0].isdigit() else "-checkhost"
        _, said = openssl("x509", "-in", server, "-noout", which, name)
        assert (" does match" in said, " does NOT match" in said) == (fits, not fits), said
    _, text = openssl("x509", "-in", folder / "authority.pem", "-noout", "-text")
    for wanted in ("Issuer: CN = Casino North", "CA:TRUE, pathlen:0", "Certificate Sign, CRL Sign", "prime256v1"):
        assert wanted in text
    for path in (folder / "authority.key", server.with_suffix(".key"), client.with_suffix(".key")):
        assert path.stat().st_mode & 0o777 == 0o600
        assert openssl("pkey", "-in", path, "-noout", "-check")[0] == 0


def test_a_certificate_that_another_one_signed_is_refused(folder: Path) -> None:
    """The path length of the authority is zero: a server's key that is stolen certifies nobody."""
    server, forged = made(folder, "server", "pit.example"), folder.parent / "forged.pem"
    request = folder.parent / "request"
    assert openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=x",
                   "-keyout", folder.parent / "k", "-out", request)[0] == 0  # fmt: skip
    assert openssl("x509", "-req", "-in", request, "-CA", server, "-CAkey", server.with_suffix(".key"), "-out", forged,
                   "-CAcreateserial")[0] == 0  # fmt: skip
    assert verified(folder, forged, "sslclient", "-untrusted", server)[0] == 2


def test_what_is_revoked_is_refused_and_nothing_else(folder: Path) -> None:
    lost, kept = made(folder, "client", "lost"), made(folder, "client", "kept")
    serial = re.search(r"^(\w+) +client +lost", authority("list", folder).output, re.MULTILINE)
    assert serial is not None
    assert authority("revoke", folder, serial[1]).exit_code == Exit.GOOD
    listed = ("-crl_check", "-CRLfile", folder / "authority.crl")
    assert "certificate revoked" in verified(folder, lost, "sslclient", *listed)[1]
    assert verified(folder, kept, "sslclient", *listed)[0] == 0
    again = authority("revoke", folder, serial[1])
    assert (again.exit_code, "already revoked" in again.output) == (Exit.CHECK_FAILED, True)
    assert re.search(r"client  lost  revoked \d{4}-\d\d-\d\d$", authority("list", folder).output, re.MULTILINE)
    other = made(folder, "client", "other")
    assert authority("revoke", folder, "other").exit_code == Exit.GOOD
    twice = [made(folder, "client", "twin"), folder.parent / "second"]
    twice[1].mkdir()
    authority("client", folder, "twin", "--to", twice[1])
    assert "2 certificates have this name" in authority("revoke", folder, "twin").output
    for cert, code in ((lost, 2), (other, 2), (kept, 0)):
        assert verified(folder, cert, "sslclient", *listed)[0] == code


def test_a_browser_gets_both_in_one_file_with_a_password(folder: Path) -> None:
    done = authority("client", folder, "anna", "--to", folder.parent, "--browser")
    password = re.search(r"its password is (\S+)$", done.output, re.MULTILINE)
    assert password is not None
    file = folder.parent / "anna.p12"
    assert file.stat().st_mode & 0o777 == 0o600
    code, text = openssl("pkcs12", "-in", file, "-nodes", "-passin", f"pass:{password[1]}")
    assert (code, "CN = anna" in text, "PRIVATE KEY" in text) == (0, True, True)
    assert openssl("pkcs12", "-in", file, "-nodes", "-passin", "pass:")[0] != 0


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (["new", "{}", "--name", "again"], Exit.CHECK_FAILED, "authority.key: already exists"),
        (["new", "{}/authority.pem/x", "--name", "x"], Exit.USAGE, "authority.pem/x: cannot be made: Not a directory"),
        (["new", "{}/x", "--name", ""], Exit.USAGE, "1 to 64 printable characters"),
        (["server", "{}", "a/b", "--to", "{}"], Exit.USAGE, "'a/b': a host name such as pit.example"),
        (["server", "{}", "..", "--to", "{}"], Exit.USAGE, "'..': a host name such as pit.example"),
        (["server", "{}", "300.1.1.1", "--to", "{}"], Exit.USAGE, "'300.1.1.1': a host name such as pit.example"),
        (["server", "{}", "10", "--to", "{}"], Exit.USAGE, "'10': a host name such as pit.example"),
        (["client", "{}", "../x", "--to", "{}"], Exit.USAGE, "'../x': letters, digits"),
        (["client", "{}", "x", "--to", "{}/no"], Exit.USAGE, "no such folder"),
        (["client", "{}", "x", "--to", "{}", "--days", "0"], Exit.USAGE, "--days"),
        (["revoke", "{}", "abcdefabcdef"], Exit.CHECK_FAILED, "no certificate has this name"),
        (["revoke", "{}", ""], Exit.CHECK_FAILED, "no certificate has this name"),
        (["list", "{}/no"], Exit.USAGE, "No such file or directory"),
        (["list", "{}/issued"], Exit.USAGE, "no authority is there (authority.key is missing)"),
    ],
)
def test_what_it_refuses_is_one_line(folder: Path, arguments: list[str], code: int, why: str) -> None:
    before = authority("list", folder).output
    done = authority(*(each.format(folder) for each in arguments))
    assert authority("list", folder).output == before
    assert (done.exit_code, why in done.output, done.output.count("\n")) == (code, True, 1), done.output


def test_a_folder_that_others_may_use_is_refused(folder: Path) -> None:
    folder.chmod(0o755)
    done = authority("list", folder)
    assert (done.exit_code, "allowed: 0700" in done.output) == (Exit.PERMISSION, True)
    folder.chmod(0o700)
    (folder / "authority.key").write_bytes((folder / "authority.pem").read_bytes())
    assert "no private key in PEM" in authority("list", folder).output
