"""The console behind a proxy with TLS, and under TLS of its own, as a browser meets it: Secure cookies, live by wss,
acts from https."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from cryptography import x509

from dealwire.authority import for_browser
from dealwire.console.server import Console
from dealwire.console.tokens import Tokens
from dealwire.hub.hub import Hub
from dealwire.tls import ServerTls, TlsFiles
from tests.support.evenings.watched_table import WatchedTable
from tests.support.rigs.authorities import Site
from tests.support.rigs.browser import TEST_S, at_most, chromium, needs_browser, picture, watched
from tests.support.rigs.consoles import ACTIONS, TOKENS, running

pytestmark = [needs_browser, pytest.mark.more]


def certificate(folder: Path) -> Path:
    """A key and a certificate for localhost that it signed itself, in one file."""
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    day = datetime.timedelta(days=1)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now - day).not_valid_after(now + day)
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    file = folder / "proxy.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    )
    return file


@contextlib.contextmanager
def proxy(console: Console, folder: Path) -> Iterator[str]:
    """Run a proxy that removes TLS and passes on the bytes; yield its address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(folder))
    place, ready, address, ends = urlsplit(console.address), threading.Event(), [], []
    stop: list[Callable[[], None]] = []

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, here = await asyncio.open_connection(place.hostname, place.port)
        ends.extend((writer, here))
        await asyncio.gather(pass_on(reader, here), pass_on(there, writer))

    async def serve() -> None:
        over, loop = asyncio.Event(), asyncio.get_running_loop()
        server = await asyncio.start_server(take, "127.0.0.1", 0, ssl=context)
        address.append(f"https://localhost:{server.sockets[0].getsockname()[1]}/")
        stop.append(lambda: loop.call_soon_threadsafe(over.set) and None)
        ready.set()
        await over.wait()
        server.close()
        for end in ends:
            end.transport.abort()
        while len(asyncio.all_tasks()) > 1:
            await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(300)
    try:
        yield address[0]
    finally:
        stop[0]()
        thread.join(30)


def test_a_supervisor_acts_over_tls(tmp_path: Path) -> None:
    hub = Hub()
    options: dict[str, Any] = {"names": ["localhost"], "secure": True}
    with (
        at_most(TEST_S),
        chromium() as browser,
        WatchedTable(hub, "player-short") as table,
        running(hub, **options) as shown,
        proxy(shown, tmp_path) as address,
        watched(browser, address, ignore_https_errors=True) as window,
    ):
        table.answer_requests()
        page = window.page(address + "table/pit-1")
        page.wait_for_url("**/sign-in*")
        page.goto(address + "sign-in?back=/table/pit-1")
        page.get_by_label("Token").fill(TOKENS["supervisor"])
        page.get_by_label("Token").press("Enter")
        page.locator("#connection[data-state=live]").wait_for()
        (cookie,) = window.context.cookies()
        assert (cookie["secure"], cookie["httpOnly"], cookie["sameSite"]) == (True, True, "Strict")
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Call a misdeal").click()
        page.locator("[data-answer]").get_by_text("Call a misdeal: done.").wait_for()
        assert [request.who for request in table.asked] == ["supervisor"]


def test_a_supervisor_acts_over_the_console_s_own_tls_with_a_certificate(tmp_path: Path) -> None:
    """Chromium with the file that `dealwire authority client --browser` writes, and without it."""
    site, hub = Site(tmp_path / "site"), Hub()
    made, anna = site.server(), site.client("anna")
    file, password = for_browser(*anna, "a-password"), "a-password"
    tls = ServerTls(TlsFiles(*made, client_ca=site.ca))
    console = Console(hub, tls=tls, tokens=Tokens(TOKENS), actions={"pit-1": ACTIONS}, names=["localhost"])
    with at_most(TEST_S), chromium() as browser, WatchedTable(hub, "player-short") as table:
        table.answer_requests()
        console.start()
        try:
            address = console.address.replace("127.0.0.1", "localhost")
            shown = [{"origin": address.rstrip("/"), "pfxPath": str(file), "passphrase": password}]
            with watched(browser, address, ignore_https_errors=True, client_certificates=shown) as window:
                page = window.page(address + "sign-in?back=/table/pit-1")
                page.get_by_label("Token").fill(TOKENS["supervisor"])
                page.get_by_label("Token").press("Enter")
                page.locator("#connection[data-state=live]").wait_for()
                page.on("dialog", lambda dialog: dialog.accept())
                page.get_by_role("button", name="Call a misdeal").click()
                page.locator("[data-answer]").get_by_text("Call a misdeal: done.").wait_for()
                picture(page, "tls")
                assert [request.who for request in table.asked] == ["supervisor"]
                (cookie,) = window.context.cookies()
                assert cookie["name"].startswith("__Host-")
            context = browser.new_context(ignore_https_errors=True)
            refused = r"net::ERR_(BAD_SSL_CLIENT_AUTH_CERT|SSL|CONNECTION|EMPTY|SOCKET_NOT_CONNECTED)"
            with pytest.raises(Exception, match=refused):
                context.new_page().goto(address)
            context.close()
        finally:
            console.stop()
    assert console.failed is None
