"""Worker processes."""

import os
import signal
import threading
from multiprocessing import parent_process


def end_with_parent() -> None:
    """Make this new process end when its parent does, for any reason. It also drops the signal handlers it
    inherited."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_wait, name="parent", daemon=True).start()


def _wait() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
