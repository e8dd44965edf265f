"""A real PostgreSQL of the test's own, on a socket in a temporary folder, with nothing of the machine's."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.support.rigs.brokers import eventually


def _binaries() -> Path | None:
    """Return the folder of the newest server's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    other = shutil.which("postgres")
    return found[-1].parent if found else Path(other).parent if other else None


BINARIES = _binaries()
needs_postgres = pytest.mark.skipif(BINARIES is None, reason="PostgreSQL is not installed (apt install postgresql)")


def _other_user() -> dict[str, Any]:
    """Return options that start a program as another user: the server refuses to run as root."""
    if os.getuid():
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid}


class Postgres:
    """A server that may be killed and started again on the same data."""

    def __init__(self, folder: Path) -> None:
        assert BINARIES is not None
        self._server, self.folder, self.data = BINARIES / "postgres", folder, folder / "data"
        self._as = _other_user()
        if self._as:
            os.chown(folder, self._as["user"], self._as["group"])
        make = [BINARIES / "initdb", "-D", self.data, "-U", "fleet", "-A", "trust", "--no-locale", "-E", "UTF8", "-N"]
        subprocess.run(make, check=True, capture_output=True, cwd=folder, **self._as)
        self._process: subprocess.Popen[bytes] | None = None
        self._asking: psycopg.Connection[tuple[Any, ...]] | None = None

    @property
    def dsn(self) -> str:
        return f"host={self.folder} user=fleet dbname=postgres"

    def start(self) -> None:
        settings = ("listen_addresses=", f"unix_socket_directories={self.folder}", "shared_buffers=16MB")
        command = [str(self._server), "-D", str(self.data), *(part for one in settings for part in ("-c", one))]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, **self._as)
        eventually(self._answers, "PostgreSQL does not start")

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self.folder / "log").read_text()[-500:]
        try:
            psycopg.connect(self.dsn).close()
        except psycopg.OperationalError:
            return False
        return True

    def forget(self) -> None:
        """Close the connection that `rows` keeps."""
        if self._asking is not None:
            self._asking.close()

    def kill(self) -> None:
        """Kill the whole server at once, as a power cut would."""
        self.forget()
        if self._process is not None:
            os.kill(self._process.pid, signal.SIGSTOP)
            children = subprocess.run(["pgrep", "-P", str(self._process.pid)], capture_output=True, text=True).stdout
            for pid in (*map(int, children.split()), self._process.pid):
                os.kill(pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query, over one connection: each new one costs the server a process."""
        if self._asking is None or self._asking.closed:
            self._asking = psycopg.connect(self.dsn, autocommit=True)
        return self._asking.execute(sql.encode()).fetchall()


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Run a server in a short temporary folder: a socket's path may be 107 bytes long, less than pytest's folders."""
    with tempfile.TemporaryDirectory(prefix="dw-pg-") as folder:
        server = Postgres(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.kill()
