"""A real browser for tests: the system's Chromium, driven by Playwright. It notes every request and every complaint of
a page."""

from __future__ import annotations

import faulthandler
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
SCREENSHOTS = Path(__file__).parents[3] / "build" / "screenshots"
TEST_S = 180
"""Failure guard of a whole test."""
PATIENCE_MS = 30_000
"""Failure guard of every wait: far above what anything takes."""

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (apt install chromium)")


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Fail rather than wait for ever: some calls of Playwright have no time limit. Only in the main thread."""

    def give_up(*_: object) -> None:
        faulthandler.dump_traceback(all_threads=True)
        raise TimeoutError(f"still waiting after {seconds} s; where, was printed")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with at_most(TEST_S):
        playwright = sync_playwright().start()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
    try:
        yield browser
    finally:
        with at_most(TEST_S):
            browser.close()
            playwright.stop()


class Watch:
    """Requests and complaints of the pages of a browser context."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.asked: set[str] = set()
        self.complaints: list[str] = []
        context.set_default_timeout(PATIENCE_MS)
        context.on("request", lambda request: self.asked.add(request.url))
        context.on("console", self._said)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        context.on("page", lambda page: page.on("websocket", lambda line: self.asked.add(line.url)))

    def page(self, address: str = "") -> Any:
        made = self.context.new_page()
        if address:
            made.goto(address)
        return made

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)


@contextmanager
def watched(browser: Any, home: str, *, forgive: str = "", **options: Any) -> Iterator[Watch]:
    """Open a browser window that may request nothing but `home`, and complain of nothing but what has `forgive`."""
    options.setdefault("viewport", {"width": 1280, "height": 800})
    context = browser.new_context(**options)
    watch = Watch(context)
    try:
        yield watch
    finally:
        context.close()
    host = home.partition("://")[2].rstrip("/")
    assert watch.asked
    elsewhere = {url for url in watch.asked if url.partition("://")[2].partition("/")[0] != host}
    assert not elsewhere, f"asked of others: {elsewhere}"
    complaints = [said for said in watch.complaints if not forgive or forgive not in said]
    assert not complaints, complaints


def picture(page: Any, name: str) -> None:
    """Take a screenshot for people to look at; no test compares it."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    (SCREENSHOTS / f"{name}.png").write_bytes(page.screenshot())
