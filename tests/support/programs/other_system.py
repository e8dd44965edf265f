"""`python -m tests.support.programs.other_system win32|darwin ARGUMENTS`: dealwire as on another system.

Everything that the other system lacks is removed before the first module of this project is imported: whole modules,
functions of `os`, signals, kinds of sockets. Libraries that choose their own code for a system are imported before,
because they would look for files of that system. The behavior of the other system itself remains untested.
"""

import asyncio
import importlib.util
import os
import platform
import select
import signal
import socket
import sys
import sysconfig
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

BEFORE: Final = (
    *("click.testing", "click._termui_impl", "click.shell_completion", "pydantic", "numpy", "rich.console"),
    *("concurrent.futures.process", "multiprocessing.managers", "multiprocessing.popen_fork"),
    *("multiprocessing.popen_spawn_posix", "multiprocessing.shared_memory"),
    *("urllib.request", "paho.mqtt.client", "webbrowser"),
    *("serial", "serial.tools.list_ports", "uvicorn", "jinja2", "starlette", "websockets", "h11", "ctypes"),
)
"""Libraries that read `sys.platform` as they are imported."""

NO_MODULES: Final = {
    "win32": frozenset(
        ("fcntl", "termios", "pwd", "grp", "resource", "pty", "tty", "syslog", "crypt", "curses", "readline", "posix")
    ),
    "darwin": frozenset(("spwd", "nis")),
}
LACKS: Final[dict[str, dict[ModuleType, str]]] = {
    "win32": {
        os: "geteuid getuid getegid getgid getgroups fchmod fchown chown fork forkpty openpty mkfifo statvfs "
        "set_blocking killpg getpgid setsid sched_getaffinity uname pread pwrite sysconf getpriority "
        "O_NONBLOCK O_NOCTTY O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_SYNC",
        signal: "SIGHUP SIGKILL SIGALRM SIGUSR1 SIGUSR2 SIGPIPE SIGCHLD SIGQUIT SIGTSTP SIGCONT SIGWINCH setitimer "
        "alarm pthread_sigmask sigwait",
        socket: "AF_UNIX SOCK_CLOEXEC SOCK_NONBLOCK SO_REUSEPORT",
        select: "poll epoll",
    },
    "darwin": {
        os: "sched_getaffinity sched_setaffinity pipe2 memfd_create eventfd posix_fadvise posix_fallocate "
        "copy_file_range getrandom O_TMPFILE O_DIRECT accept4 getresuid pidfd_open",
        signal: "sigtimedwait sigwaitinfo pidfd_send_signal SIGRTMIN SIGRTMAX SIGPWR SIGPOLL",
        socket: "SOCK_CLOEXEC SOCK_NONBLOCK TCP_USER_TIMEOUT TCP_KEEPIDLE AF_NETLINK AF_PACKET",
        select: "epoll",
    },
}
"""System -> module -> its parts that do not exist there."""


class _Absent:
    """Finder that finds no module of these names."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names

    def find_spec(self, name: str, _path: Sequence[str] | None = None, _target: Any = None) -> ModuleSpec | None:
        if name in self._names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def become(system: str) -> None:
    """Remove what `system` does not have."""
    for name in BEFORE:
        if importlib.util.find_spec(name) is not None:
            importlib.import_module(name)
    sysconfig.get_config_vars()
    platform.uname()
    asyncio.new_event_loop().close()
    for name in NO_MODULES[system]:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, _Absent(NO_MODULES[system]))
    for module, names in LACKS[system].items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    if system == "win32":
        signal.set_wakeup_fd = _takes_sockets_only
    sys.platform = system


def _takes_sockets_only(fd: int, *, warn_on_full_buffer: bool = True) -> int:
    if fd != -1:
        raise ValueError("on this system a descriptor of a socket is needed")
    return -1


if __name__ == "__main__":
    become(sys.argv[1])
    sys.argv = ["dealwire", *sys.argv[2:]]
    from dealwire.cli import main

    main(prog_name="dealwire")
