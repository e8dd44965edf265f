"""Lines under TLS, with socat and OpenSSL at the other end: who is refused, and that nothing else differs from TCP."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.cli.exits import Exit, explain
from dealwire.service.simulated import simulator
from devices.drive.address import check_address, open_transport, short_name
from devices.transport.base import LineClosed, Transport
from protocol.errors import LineAbsent, LineUnusable
from tests.support.rigs.authorities import CertifiedKey, Site
from tests.support.rigs.patience import PATIENCE_S, wait_until
from tests.support.rigs.ports import free_port
from tests.support.rigs.serving import Listener, opened, run_until, write_configuration

pytestmark = pytest.mark.skipif(shutil.which("socat") is None, reason="socat is not installed (apt install socat)")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "site")


@contextmanager
def tunnel(to: str, site: Site, pair: CertifiedKey | None = None, *, clients: bool = True) -> Iterator[int]:
    """Run socat with a server's certificate in front of `to`; yield its port. With `clients` it wants a client's
    certificate of the same authority."""
    shown, port = pair or site.server(), free_port()
    files = f"cert={shown.cert},key={shown.key},cafile={site.ca},verify={int(clients)}"
    listen = f"OPENSSL-LISTEN:{port},bind=127.0.0.1,reuseaddr,fork,{files}"
    with subprocess.Popen(["socat", listen, to], stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: _listens(port), "socat")
            yield port
        finally:
            process.terminate()


def _listens(port: int) -> bool:
    """True once the port listens; no connection is made, which socat would pass on."""
    return f":{port:04X} 00000000:0000 0A " in Path("/proc/net/tcp").read_text()


def address(port: int, site: Site, pair: CertifiedKey | None = None, **more: object) -> str:
    given = {"ca": site.ca, **({"cert": pair.cert, "key": pair.key} if pair is not None else {}), **more}
    return f"tls://127.0.0.1:{port}?" + "&".join(f"{key}={value}" for key, value in given.items())


def read_all(line: Transport, count: int) -> bytes:
    """Read as the owner's loop does: one read for each time that the descriptor is readable."""
    found = bytearray()
    while len(found) < count:
        descriptor = line.fileno()
        assert descriptor is not None
        assert select.select([descriptor], [], [], PATIENCE_S)[0], f"stalled after {len(found)} bytes"
        found += line.read()
    return bytes(found)


def ended(line: Transport) -> str:
    """Return why the other end closed the line."""
    with pytest.raises(LineClosed) as caught:
        read_all(line, 1)
    line.close()
    return str(caught.value)


def test_a_mebibyte_in_one_burst_arrives_whole(site: Site, tmp_path: Path) -> None:
    """The loop wakes by the descriptor alone: OpenSSL may keep nothing back for which it does not become readable."""
    sent = os.urandom(1 << 20)
    (tmp_path / "burst").write_bytes(sent)
    with tunnel(f"OPEN:{tmp_path / 'burst'},rdonly,ignoreeof", site) as port:
        line = open_transport(address(port, site, site.client()))
        assert read_all(line, len(sent)) == sent
        line.close()


def test_bytes_come_back_as_they_were_sent(site: Site) -> None:
    sent = os.urandom(1 << 18)
    with tunnel("EXEC:cat", site) as port:
        line = open_transport(address(port, site, site.client()))
        waiting, found = sent, bytearray()
        while len(found) < len(sent):
            waiting = waiting[line.write(waiting) :] if waiting else waiting
            found += line.read()
        assert bytes(found) == sent
        line.close()


def test_a_server_that_is_not_the_right_one_is_refused(site: Site, tmp_path: Path) -> None:
    client, other, revoked = site.client(), Site(tmp_path / "other"), site.server()
    refused = {
        "another authority": (other.server(), "unable to get local issuer certificate"),
        "another name": (site.server("pit.example"), "IP address mismatch"),
        "ended": (site.expired("server"), "certificate has expired"),
        "not a server": (site.client("x"), "purpose"),
        "revoked": (revoked, "certificate revoked"),
    }
    site.revoke(revoked)
    for name, (shown, why) in refused.items():
        with tunnel("EXEC:cat", site, shown) as port, pytest.raises(LineUnusable) as caught:
            open_transport(address(port, site, client))
        assert why.lower() in str(caught.value).lower(), name
        assert f"tls://127.0.0.1:{port}: cannot be used as a line: its certificate is refused" in str(caught.value)
        assert explain(caught.value)[0] == Exit.USAGE
    with tunnel("EXEC:cat", site, site.server("pit.example")) as port:
        open_transport(address(port, site, client, name="pit.example")).close()


def test_a_server_that_speaks_only_an_older_tls_is_refused(site: Site) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*site.server())
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            with contextlib.suppress(OSError), server.accept()[0] as peer:
                context.wrap_socket(peer, server_side=True).close()

        thread = threading.Thread(target=greet)
        thread.start()
        with pytest.raises(LineUnusable, match=r"no TLS: .*version"):
            open_transport(address(server.getsockname()[1], site)).close()
        thread.join(PATIENCE_S)


def test_a_client_that_is_not_the_right_one_is_refused(site: Site, tmp_path: Path) -> None:
    other = Site(tmp_path / "other")
    with tunnel("EXEC:cat", site) as port:
        for pair in (None, other.client(), site.expired(), site.server()):
            assert "closed: " in (why := ended(open_transport(address(port, site, pair))))
            assert "client certificate" in why or "the other end refused it" in why
        line = open_transport(address(port, site, site.client()))
        assert line.write(b"x") == 1
        assert read_all(line, 1) == b"x"
        line.close()


def test_what_does_not_speak_tls_is_one_line(site: Site) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def answer() -> None:
            line, _ = server.accept()
            with line:
                line.sendall(b"SSH-2.0-x\r\n" * 100)
                line.recv(1)

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(LineUnusable, match="no TLS: "):
            open_transport(address(port, site))
        thread.join()
    with pytest.raises(LineAbsent, match="Connection refused"):
        open_transport(address(free_port(), site))


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("", "ca is missing"),
        ("?ca=relative.pem", "with absolute paths"),
        ("?ca=/a&ca=/b", "setting ca="),
        ("?ca=/a&key=/b", "key needs cert"),
        ("?ca=/a&verify=0", "setting verify='0'"),
        ("?ca=/a&name=", "setting name=''"),
    ],
)
def test_an_address_that_will_not_do_says_what_is_allowed(query: str, why: str) -> None:
    with pytest.raises(LineUnusable, match=why):
        check_address(f"tls://pit.example:4433{query}")
    for host in ("tls://pit.example?ca=/a", "tls://:4433?ca=/a", "tls://pit.example:99999?ca=/a"):
        with pytest.raises(LineUnusable, match="use tls://host:port"):
            check_address(host)
    check_address("tls://pit.example:4433?ca=/a&cert=/b&key=/c&name=d")
    assert short_name("tls://pit.example:4433?ca=/a&cert=/b") == "pit.example:4433"


def test_a_file_that_cannot_be_read_is_named(site: Site, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no certificate")
    for files, why in (
        ({"ca": tmp_path / "none"}, "none: No such file or directory"),
        ({"ca": tmp_path / "text"}, "text: no certificate in PEM"),
        ({"cert": tmp_path / "text"}, "text: no certificate with its key"),
        ({"cert": site.client().cert, "key": site.client().key}, "the key does not belong to the certificate"),
    ):
        with pytest.raises(LineUnusable, match=why):
            open_transport(address(free_port(), site, **files))


def dealt(file: Path, rounds: int) -> list[tuple[object, ...]]:
    """Serve a file until so many rounds are settled; return what they came to."""
    service, heard = opened(file)
    with service:
        run_until(service, lambda: len(heard.of("settlement")) >= rounds)
        return [_money(line) for line in Listener.of(heard, "settlement")[:rounds]]


def _money(line: dict[str, object]) -> tuple[object, ...]:
    lines = line["lines"]
    assert isinstance(lines, list)
    return line["round"], line["status"], [(each["seat"], each["bet"], each["result"], each["net"]) for each in lines]


@pytest.mark.more
def test_twenty_rounds_under_tls_come_to_what_they_come_to_without(site: Site, tmp_path: Path) -> None:
    rounds, came_to = 20, []
    for under_tls in (False, True):
        folder = tmp_path / f"tls-{under_tls}"
        folder.mkdir()
        with ExitStack() as stack:
            ports = {name: free_port() for name in ("shuffler", "controller")}
            command = ["--scenario", "demo", "--endless", "--speed", "200", "--seed", "5"]
            command += [part for name, port in ports.items() for part in (f"--{name}", f"tcp:{port}")]
            stack.enter_context(simulator(command))
            at = {name: f"tcp://127.0.0.1:{port}" for name, port in ports.items()}
            if under_tls:
                for name, port in ports.items():
                    front = stack.enter_context(tunnel(f"TCP:127.0.0.1:{port},nodelay", site))
                    at[name] = address(front, site, site.client(name))
            devices = {"shuffler": at["shuffler"], "table-controller": at["controller"]}
            came_to.append(dealt(write_configuration(folder, [devices]), rounds))
    assert came_to[0] == came_to[1]
    assert len(came_to[1]) == rounds


@pytest.mark.more
def test_every_command_that_takes_an_address_takes_this_one(site: Site) -> None:
    port = free_port()
    with simulator(["--shuffler", f"tcp:{port}", "--scenario", "demo"]), tunnel(f"TCP:127.0.0.1:{port}", site) as front:
        at = address(front, site, site.client())
        done = CliRunner().invoke(main, ["device", "meters", at, "--json"])
        assert done.exit_code == Exit.GOOD, done.output
        assert json.loads(done.output.splitlines()[0])["type"]
        done = CliRunner().invoke(main, ["device", "meters", address(front, site)])
        assert done.exit_code == Exit.ABSENT, done.output
        assert "client certificate" in done.output or "refused" in done.output
        assert "\n" not in done.output.strip()
