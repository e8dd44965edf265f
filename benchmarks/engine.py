"""The fast engine beside the reference engine, in one run: recorded bytes to rounds, one core.

An evening of the simulated table is held in memory as it was read, most rounds without incident, as at a real table.
"""

import gc
import platform
from functools import partial
from typing import Final

from benchmarks.table import Table, interleave
from dealer_flow.express import ExpressFlow
from dealer_flow.machine import DealerFlow
from dealer_flow.procedure import load_procedure
from devices.capture import Capture
from devices.express import play_express
from devices.replay import play
from tests.support.evenings import evening

ROUNDS: Final = 1000
SHARES: Final = (0.0, 0.05)
"""Of the rounds, those in which something goes wrong."""


def run(seconds: float) -> Table:
    """Frames a second of both engines, side by side."""
    rows: list[list[str]] = []
    notes = [f"Python {platform.python_version()}, {platform.machine()}; medians of passes in turn."]
    procedure = load_procedure("flushes-gone-wild.co")
    for share in SHARES:
        recording = evening(7, ROUNDS, troubles=share)
        frames = play(recording, lambda _: None).frames
        gc.collect()
        gc.freeze()  # what holds the recording is no garbage of either engine

        def reference(capture: Capture) -> int:
            flow = DealerFlow(procedure)
            return play(capture, flow.handle).frames

        def fast(capture: Capture) -> int:
            return play_express(capture, ExpressFlow(DealerFlow(procedure), lambda _: None)).frames

        stages = [partial(reference, recording), partial(fast, recording), partial(_events, recording)]
        slow_s, fast_s, events_s = interleave(stages, seconds / len(SHARES))
        what = f"{share:.0%} of the rounds wrong"
        rows += [
            [f"reference, {what}", f"{frames / slow_s:,.0f}", f"{slow_s / frames * 1e6:.2f}", "1.0"],
            ["… of it links and drivers", f"{frames / events_s:,.0f}", f"{events_s / frames * 1e6:.2f}", ""],
            [f"fast, {what}", f"{frames / fast_s:,.0f}", f"{fast_s / frames * 1e6:.2f}", f"{slow_s / fast_s:.1f}"],
        ]
    notes.append(f"{ROUNDS} rounds, {frames} frames; results are made and dropped; no settlement.")
    return Table("Recorded bytes to rounds, two engines", ["", "frames/s", "us a frame", "times"], rows, notes)


def _events(capture: Capture) -> int:
    return play(capture, lambda _: None).frames
