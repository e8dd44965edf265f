"""Processes that work for this one."""

import os
import signal
import threading
from multiprocessing import parent_process


def end_with_parent() -> None:
    """Call it in a process that was just made: it ends when the one that made it does, however that comes about. What
    listened to signals there listens here no more."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_wait, name="parent", daemon=True).start()


def _wait() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
