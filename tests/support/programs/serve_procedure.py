"""Deal two rounds of a procedure on real pseudo-terminals: a clean one, and one in which a player's cards are wrong.

    python -m tests.support.programs.serve_procedure ID SPEED

Announces the lines as `dealwire sim --json` does.
"""

import json
import sys

from dealer_flow.procedure.load import load_procedure
from dealwire.rehearsal.serve import serve
from tests.support.evenings.procedure_rounds import Cases, RoundCase

SEATS = 2
"""Number of players: enough for one to be wrong and another to play on, and no more, to keep recordings small."""


def made(name: str) -> Cases:
    """Return the cases of a procedure at a table of two players."""
    return Cases(load_procedure(name), players=SEATS)


def two_rounds(cases: Cases) -> list[RoundCase]:
    """Return the clean round, and the first in which a hand is wrong."""
    return [cases.clean(), next(case for case in cases.wrong() if case.wrong)]


def main(name: str, speed: str) -> None:
    """Serve until both rounds are dealt and the host has every event."""
    cases = made(name)
    scenario = cases.scenario_of(two_rounds(cases))
    device = {} if scenario.device == "hand" else {scenario.device: "pty"}
    ready = {"schema": "dealwire.sim/1", "type": "ready"}
    serve(
        scenario,
        lines={**device, "table-controller": "pty"},
        ready=lambda lines: print(json.dumps(ready | {"lines": lines}), flush=True),
        speed=float(speed),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
