"""Checks after every test: it may leave behind no thread and no descriptor."""

import atexit
import gc
import os
import shutil
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

import certifi
import pytest
from hypothesis import HealthCheck, settings

from tests.support.rigs.kept_terminals import release_all

settings.register_profile("dealwire", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("dealwire")

os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="dealwire-cache-")  # what is tested is counted, not remembered
atexit.register(shutil.rmtree, os.environ["XDG_CACHE_HOME"], ignore_errors=True)
# Nothing here goes out into the world, and an HTTP client that is made takes 20 ms to read all its authorities.
AUTHORITIES = tempfile.mkdtemp(prefix="dealwire-authorities-")
atexit.register(shutil.rmtree, AUTHORITIES, ignore_errors=True)
os.environ["SSL_CERT_FILE"] = f"{AUTHORITIES}/one.pem"
Path(os.environ["SSL_CERT_FILE"]).write_text("".join(certifi.contents().partition("-----END CERTIFICATE-----\n")[:2]))
# A shell without job control starts what is in the background with Ctrl-C ignored, and so would all that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
DESCRIPTORS = Path("/proc/self/fd")
PATIENCE_S = 60.0
"""Seconds after which what is still there was left behind."""
NOT_HERE = "not here: "
"""Prefix of the reason for a skip that is right on a machine like this one: its user, its system, its Python. Any other
reason says what to install."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude modules, items and other lasting objects from garbage collection: they stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave all but each nth of the parameters of a test marked `every(n)` to `make test-more`."""
    seen = Counter[str]()
    for item in items:
        if (mark := item.get_closest_marker("every")) is not None:
            name = item.nodeid.partition("[")[0]
            if seen[name] % mark.args[0]:
                item.add_marker(pytest.mark.more)
            seen[name] += 1


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that is skipped because something is not installed, with `NO_SKIPS=yes`, as in CI."""
    report = yield
    if report.skipped and os.environ.get("NO_SKIPS") == "yes" and not hasattr(report, "wasxfail"):
        _, _, why = report.longrepr if isinstance(report.longrepr, tuple) else ("", 0, str(report.longrepr))
        why = why.removeprefix("Skipped: ")
        if not why.startswith(NOT_HERE):
            report.outcome, report.longrepr = "failed", f"skipped, and nothing may be: {why}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Fail a module that is skipped for such a reason."""
    report = yield
    if report.skipped and os.environ.get("NO_SKIPS") == "yes":
        report.outcome, report.longrepr = "failed", f"skipped, and nothing may be: {report.longrepr}"
    return report


def _open_lines() -> set[str]:
    """Return the descriptors of this process that are terminals, sockets or pipes: those that a line leaves if it
    leaks."""
    found = set()
    for entry in DESCRIPTORS.iterdir() if DESCRIPTORS.exists() else ():
        try:
            target = os.readlink(entry)
        except OSError:
            continue
        if target.startswith(("socket:", "pipe:", "/dev/pts", "/dev/ptmx", "anon_inode:[eventpoll]")):
            found.add(f"{entry.name} -> {target}")
    return found


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Iterator[None]:
    """Fail the test that leaks a thread or a line's descriptor, not the one that runs out of them later."""
    threads, lines = set(threading.enumerate()), _open_lines()
    yield
    release_all()
    for thread in set(threading.enumerate()) - threads:
        thread.join(timeout=PATIENCE_S)  # a reader that was stopped may need a moment to notice
    left = [thread.name for thread in set(threading.enumerate()) - threads]
    assert not left, f"threads left: {left}"
    if _open_lines() - lines:
        gc.collect()
    end = time.monotonic() + PATIENCE_S  # a server that outlives the test may need a moment to close its end
    while (found := _open_lines() - lines) and time.monotonic() < end:
        time.sleep(0.01)
    assert not found, f"descriptors left: {found}"
