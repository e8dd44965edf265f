"""The garbage collector and a program that runs for months."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def made_for_good() -> Iterator[None]:
    """What exists now is left alone by the garbage collector until the end. To look through all the classes, procedures
    and pages of a service takes it a tenth of a second, in which no table hears a thing."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
