"""TLS of the console and the metrics: who gets in, what a slow or a wrong client costs, and certificates renewed."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.cli.exits import Exit
from dealwire.console.server import Console
from dealwire.console.tokens import Tokens
from dealwire.export.metrics import Metrics
from dealwire.export.metrics_server import CONNECTIONS_MAX, MetricsServer
from dealwire.hub.health import Health
from dealwire.hub.hub import Hub
from dealwire.service.reloads import Reloadable, Reloads, certificate
from dealwire.tls import ServerTls, TlsFiles
from dealwire.tls_errors import TlsUnsafe, TlsUnusable
from tests.support.rigs.authorities import CertifiedKey, Site
from tests.support.rigs.consoles import TOKENS
from tests.support.rigs.patience import PATIENCE_S
from tests.support.rigs.serving import Program, simulators, write_configuration


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "site")


@contextmanager
def console(tls: ServerTls) -> Iterator[Console]:
    shown = Console(Hub(), tls=tls, tokens=Tokens(TOKENS))
    shown.start()
    try:
        yield shown
    finally:
        shown.stop()
        assert shown.failed is None, shown.failed


@contextmanager
def called(address: str, context: ssl.SSLContext) -> Iterator[http.client.HTTPSConnection]:
    """Open a connection that stays open between requests."""
    place = urlsplit(address)
    assert (place.scheme, place.hostname) == ("https", "127.0.0.1")
    client = http.client.HTTPSConnection("127.0.0.1", place.port, context=context, timeout=PATIENCE_S)
    try:
        client.connect()
        yield client
    finally:
        client.close()


def ask(client: http.client.HTTPSConnection, path: str, method: str = "GET", **more: Any) -> tuple[int, dict[str, str]]:
    client.request(method, path, **more)
    answer = client.getresponse()
    answer.read()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}


def shown_by(client: http.client.HTTPSConnection) -> bytes:
    """Return the certificate that the server showed."""
    assert isinstance(client.sock, ssl.SSLSocket)
    found = client.sock.getpeercert(binary_form=True)
    assert found is not None
    return found


def der(pair: CertifiedKey) -> bytes:
    return ssl.PEM_cert_to_DER_cert(pair.cert.read_text())


def replace(pair: CertifiedKey, by: CertifiedKey) -> None:
    """Put another pair in place of one, as a technician who renews does."""
    for old, new in zip(pair, by, strict=True):
        os.replace(new, old)


def test_the_console_is_secure_without_a_proxy(site: Site) -> None:
    with console(ServerTls(TlsFiles(*site.server()))) as shown, called(shown.address, site.caller()) as client:
        status, headers = ask(client, "/sign-in")
        assert (status, headers["strict-transport-security"]) == (200, "max-age=31536000")
        form = {"content-type": "application/x-www-form-urlencoded"}
        body = f"token={TOKENS['supervisor']}"
        own = shown.address.rstrip("/")
        assert (
            ask(client, "/sign-in", "POST", body=body, headers={**form, "origin": own.replace("https", "http")})[0]
            == 403
        )
        status, headers = ask(client, "/sign-in", "POST", body=body, headers={**form, "origin": own})
        assert status == 303
        assert headers["set-cookie"].startswith("__Host-dealwire-")
        assert "; Secure" in headers["set-cookie"]


@pytest.mark.parametrize("version", ["tls1", "tls1_1", "tls1_2", "tls1_3"])
def test_older_versions_of_tls_are_refused(version: str, site: Site) -> None:
    """OpenSSL's own client, which still speaks them at its lowest level."""
    with console(ServerTls(TlsFiles(*site.server()))) as shown:
        command = ["openssl", "s_client", "-connect", urlsplit(shown.address).netloc, f"-{version}"]
        command += ["-cipher", "DEFAULT@SECLEVEL=0", "-CAfile", str(site.ca), "-verify_return_error"]
        done = subprocess.run(command, input="", capture_output=True, text=True, timeout=PATIENCE_S)
    refused = "Cipher is (NONE)" in done.stdout
    assert (refused, "BEGIN CERTIFICATE" in done.stdout) == (version < "tls1_2", version >= "tls1_2"), done.stdout


def test_a_client_needs_a_certificate_of_the_authority_that_is_in_force(site: Site, tmp_path: Path) -> None:
    good, revoked, stranger = site.client(), site.client("lost"), Site(tmp_path / "other")
    site.revoke(revoked)
    tls = ServerTls(TlsFiles(*site.server(), client_ca=site.ca))
    metrics = Metrics(Hub())
    with console(tls) as shown, MetricsServer(metrics, port=0, tls=tls) as server:
        for address, path in ((shown.address, "/"), (server.address, "/metrics")):
            with called(address, site.caller(good)) as client:
                assert ask(client, path)[0] == 200
            for wrong in (None, revoked, site.expired(name="x"), stranger.client(), site.server("localhost")):
                # With TLS 1.3 the refusal comes after the client's side of the handshake.
                with (
                    pytest.raises((OSError, http.client.HTTPException)),
                    called(address, site.caller(wrong)) as client,
                ):
                    ask(client, path)


def test_plain_http_is_closed_without_an_answer(site: Site) -> None:
    with console(ServerTls(TlsFiles(*site.server()))) as shown:
        place = urlsplit(shown.address)
        with socket.create_connection((place.hostname, place.port), PATIENCE_S) as line:  # type: ignore[arg-type]
            line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            heard = line.recv(65536)
        assert b"HTTP" not in heard
        assert b"html" not in heard


def test_clients_that_never_finish_the_handshake_keep_nobody_away(site: Site) -> None:
    """More than the server has room for, each silent after its first byte: the oldest go, and a true client gets in."""
    metrics = Metrics(Hub())
    with ExitStack() as stack:
        server = stack.enter_context(MetricsServer(metrics, port=0, tls=ServerTls(TlsFiles(*site.server()))))
        place = urlsplit(server.address)
        for _ in range(3 * CONNECTIONS_MAX):
            line = stack.enter_context(socket.create_connection((place.hostname, place.port), PATIENCE_S))  # type: ignore[arg-type]
            line.sendall(b"\x16")
        with called(server.address, site.caller()) as client:
            assert ask(client, "/metrics")[0] == 200


def test_tls_is_reloaded_while_connections_live(site: Site) -> None:
    """The console and the metrics: an open connection continues, the next gets the new certificate; files that cannot
    be used leave the former one in force."""
    first, second = site.server(), site.server()
    before, after = der(first), der(second)
    health, reloads = Health(), Reloads()
    served = {name: ServerTls(TlsFiles(*first)) for name in ("console", "metrics")}
    for name, tls in served.items():
        reloads.add(certificate(name, tls, health))
    ends_before = dict(health.certificates)
    metrics = Metrics(Hub(), health=health)
    with console(served["console"]) as shown, MetricsServer(metrics, port=0, tls=served["metrics"]) as server:
        with called(shown.address, site.caller()) as old:
            assert (shown_by(old), ask(old, "/")[0]) == (before, 200)
            replace(first, second)
            assert [
                line.startswith(f"{name} certificate until 20")
                for name, line in zip(served, reloads.run(), strict=True)
            ]
            assert (shown_by(old), ask(old, "/")[0]) == (before, 200)
        for address in (shown.address, server.address):
            with called(address, site.caller()) as new:
                assert shown_by(new) == after
        assert all(health.certificates[name] >= ends_before[name] for name in served)
        for spoil, why in (
            (lambda: first.key.write_text("no key"), "no key in PEM without password"),
            (lambda: shutil.copy(site.client().key, first.key), "the key does not belong to the certificate"),
            (lambda: first.key.chmod(0o644), "others may use it (mode 0644)"),
            (lambda: replace(first, site.expired("server")), "it ended on "),
            (lambda: first.cert.unlink(), "No such file or directory"),
        ):
            spoil()  # type: ignore[no-untyped-call]
            lines = reloads.run()
            assert [(why in line, line.endswith("certificate stays")) for line in lines] == [(True, True)] * 2, lines
            for address in (shown.address, server.address):
                with called(address, site.caller()) as new:
                    assert shown_by(new) == after


def test_everything_is_read_before_anything_is_installed() -> None:
    order: list[str] = []

    def item(name: str) -> Reloadable[str]:
        return Reloadable(name, lambda: order.append(f"read {name}") or name, lambda _: order.append(name) or "now")

    reloads = Reloads()
    for name in ("a", "b"):
        reloads.add(item(name))
    assert reloads.run() == ["a now", "b now"]
    assert order == ["read a", "read b", "a", "b"]


def test_a_key_that_others_may_read_is_not_served(site: Site) -> None:
    pair = site.server()
    both = pair.cert.with_name("both.pem")
    both.write_bytes(pair.cert.read_bytes() + pair.key.read_bytes())
    with pytest.raises(TlsUnsafe, match="allowed: 0600"):
        ServerTls(TlsFiles(both))
    both.chmod(0o600)
    ServerTls(TlsFiles(both))
    with pytest.raises(TlsUnusable, match="no certificate with its key"):
        ServerTls(TlsFiles(pair.key))


def test_a_key_with_a_password_is_refused_and_nobody_is_asked_for_it(site: Site) -> None:
    pair = site.server()
    locked = pair.key.with_name("locked.key")
    subprocess.run(
        ["openssl", "pkey", "-aes256", "-passout", "pass:secret", "-in", pair.key, "-out", locked], check=True
    )
    locked.chmod(0o600)
    with pytest.raises(TlsUnusable, match="no key in PEM without password"):
        ServerTls(TlsFiles(pair.cert, locked))


def checked(tmp_path: Path, top: str) -> tuple[int, str]:
    devices = {"shuffler": "/dev/ttyNONE0", "table-controller": "/dev/ttyNONE1"}
    file = write_configuration(tmp_path, [devices], top=top)
    done = CliRunner().invoke(main, ["run", str(file), "--check"])
    return done.exit_code, done.output


@pytest.mark.more
@pytest.mark.parametrize("part", ["console", "exports.metrics"])
def test_it_refuses_to_listen_beyond_this_machine_in_clear(part: str, tmp_path: Path, site: Site) -> None:
    beyond = f'[{part}]\nport = 0\nhost = "0.0.0.0"\n'
    code, said = checked(tmp_path, beyond)
    why = f"{part}.host: 0.0.0.0 can be reached from other machines without TLS; add [{part}.tls], or plain = true"
    assert (code, why in said) == (Exit.USAGE, True), said
    with (
        pytest.raises(AssertionError, match=r"it ended: [^\n]*without TLS"),
        Program(tmp_path / "table.toml") as program,
    ):
        program.wait_for(lambda: "is connected" in program.text)
    code, said = checked(tmp_path, f"{beyond}plain = true\n")
    assert (code, "in clear text" in said) == (Exit.GOOD, True), said
    pair = site.server("pit.example")
    files = f'[{part}.tls]\ncert-file = "{pair.cert}"\nkey-file = "{pair.key}"\nclient-ca-file = "{site.ca}"\n'
    code, said = checked(tmp_path, beyond + files)
    assert code == Exit.GOOD, said
    assert f"TLS with {pair.cert.name}, until 20" in said
    assert ", for clients with a certificate of authority.pem" in said
    code, said = checked(tmp_path, f"{beyond}plain = true\n{files}")
    assert (code, "exclude each other" in said) == (Exit.USAGE, True), said
    pair.key.chmod(0o640)
    code, said = checked(tmp_path, beyond + files)
    assert (code, f"{part}.tls: {pair.key}: others may use it" in said) == (Exit.PERMISSION, True), said


def test_the_fleet_s_metrics_are_refused_in_clear_too(site: Site) -> None:
    pair = site.server()
    command = ["fleet", "consume", "--mqtt", "mqtt://127.0.0.1:1", "--postgres", "x", "--metrics", "0"]
    for more, why in (
        (["--metrics-host", "0.0.0.0"], "0.0.0.0 can be reached from other machines without TLS"),
        (["--metrics-key", str(pair.key)], "need --metrics-cert"),
        (["--metrics-plain", "--metrics-cert", str(pair.cert)], "exclude each other"),
    ):
        done = CliRunner().invoke(main, [*command, *more])
        assert (done.exit_code, why in done.output, done.output.count("\n")) == (Exit.USAGE, True, 1), done.output


def of_each_age(tmp_path: Path, site: Site) -> Iterator[tuple[str, str]]:
    """Write a table.toml with a certificate of each age; yield the verdict on it, and the words."""
    soon = CertifiedKey(*site.authority.issue("server", ["soon.example"], tmp_path, 3))
    for pair, verdict, words in (
        (site.server("pit.example"), "good", "console: ends on 20"),
        (soon, "warning", "console: ends on 20"),
        (site.expired("server"), "bad", "console: ended on 20"),
    ):
        top = f'[console]\nport = 0\n[console.tls]\ncert-file = "{pair.cert}"\nkey-file = "{pair.key}"\n'
        code, text = checked(tmp_path, top)
        assert (code, "warning  console: " in text) == (Exit.GOOD, verdict != "good"), text
        yield verdict, words


def test_a_start_warns_of_a_certificate_that_ends(tmp_path: Path, site: Site) -> None:
    assert [verdict for verdict, _ in of_each_age(tmp_path, site)] == ["good", "warning", "bad"]


@pytest.mark.more
def test_doctor_says_when_a_certificate_ends(tmp_path: Path, site: Site) -> None:
    for verdict, words in of_each_age(tmp_path, site):
        command = [sys.executable, "-m", "dealwire", "doctor", tmp_path / "table.toml"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert f"{verdict:<8} certificate   {words}" in done.stdout, done.stdout
        assert (done.returncode == Exit.CHECK_FAILED) >= (verdict == "bad")


@pytest.mark.more
def test_a_signal_reads_the_certificates_of_a_running_service_again(tmp_path: Path, site: Site) -> None:
    first, second = site.server(), site.server()
    before, after = der(first), der(second)
    files = f'cert-file = "{first.cert}"\nkey-file = "{first.key}"\n'
    top = f"[console]\nport = 0\n[console.tls]\n{files}[exports.metrics]\nport = 0\n[exports.metrics.tls]\n{files}"
    with simulators() as addresses, Program(write_configuration(tmp_path, addresses, top=top)) as program:
        program.wait_for(lambda: "metrics: https://" in program.text)
        found = dict(line.split(": ", 1) for line in program.text.splitlines() if ": https://" in line)
        with called(found["metrics"], site.caller()) as client:
            assert shown_by(client) == before
            client.request("GET", "/metrics")
            text = client.getresponse().read().decode()
        with called(found["console"], site.caller()) as client:  # its process is there now
            assert shown_by(client) == before
        assert 'dealwire_certificate_expires_timestamp_seconds{for="console"} ' in text
        replace(first, second)
        program.process.send_signal(signal.SIGHUP)
        for name in ("console", "metrics"):
            program.wait_for(lambda: f"SIGHUP: {name} certificate until 20" in program.text)  # noqa: B023
            with called(found[name], site.caller()) as client:
                assert shown_by(client) == after
        first.cert.write_text("nothing")
        program.process.send_signal(signal.SIGHUP)
        program.wait_for(lambda: "the former metrics certificate stays" in program.text)
        with called(found["console"], site.caller()) as client:
            assert shown_by(client) == after
        assert program.end() == Exit.GOOD
    assert "Traceback" not in program.text
