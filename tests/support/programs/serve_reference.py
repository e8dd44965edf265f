"""The reference devices in C at a scenario, on real pseudo-terminals, for `dealwire record`: prints the lines, deals,
and leaves when everything is dealt.

    python -m tests.support.programs.serve_reference SCENARIO SPEED
"""

import json
import sys
import time

from dealwire.rehearsal.reference import reference_table
from dealwire.rehearsal.scenario import Scenario
from dealwire.rehearsal.scenario_file import find_scenario

BEFORE_S = 4.0
"""Time for the devices to start and the host to connect."""
AFTER_S = 2.0
"""Time for bytes on their way to arrive."""


def main(name: str, speed: str) -> None:
    """Run the devices through the scenario."""
    scenario = find_scenario(name)
    assert isinstance(scenario, Scenario)
    with reference_table(scenario, float(speed)) as table:
        print(json.dumps({"lines": table.addresses}), flush=True)
        time.sleep(BEFORE_S)
        table.begin()
        table.join()
        time.sleep(AFTER_S)
    if table.failed is not None:
        raise SystemExit(table.failed)


if __name__ == "__main__":
    main(*sys.argv[1:])
