"""One table of the `held` benchmark: its service with console, page and metrics, in a process of its own.

`python -m benchmarks.held_service FOLDER SECONDS ADDRESSES`, with the addresses as a line of JSON, prints the address
of the metrics and, at the end, a line of JSON with the cost.
"""

import json
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from benchmarks.service import configured, pages_of
from dealwire.export.metrics import Metrics
from dealwire.export.metrics_server import MetricsServer
from dealwire.hub.hub import Hub
from dealwire.hub.lines import Publication
from dealwire.service.interpreter import made_for_good
from dealwire.service.service import Service

BEGINS_S: Final = 5.0
"""Seconds until lines, page and metrics are ready."""


def main(folder: Path, seconds: float, addresses: dict[str, str]) -> None:
    hub, settled, snapshots = Hub(), 0, 0
    publish = hub.publish

    def note(item: Publication) -> None:
        nonlocal settled
        settled += item.topic == "settlement"
        publish(item)

    hub.publish = note  # type: ignore[method-assign]
    with ExitStack() as stack:
        service = stack.enter_context(Service(configured(folder, [addresses]), hub))
        keep = service.journal.snapshot

        def kept(*given: Any) -> int | None:
            nonlocal snapshots
            snapshots += 1
            return keep(*given)

        service.journal.snapshot = kept  # type: ignore[method-assign]
        metrics = Metrics(hub, journal=service.journal, health=service.health)
        server = stack.enter_context(MetricsServer(metrics, host="127.0.0.1", port=0))
        print(server.address, flush=True)
        service.run(0.5)  # a page can be had of a table that was shown
        pages = pages_of(stack, service, hub)
        service.run(BEGINS_S)
        stack.enter_context(made_for_good())  # as `dealwire run` does
        settled = snapshots = 0
        loop_s, all_s, begin = time.thread_time(), time.process_time(), time.monotonic()
        service.run(seconds)
        wall_s = time.monotonic() - begin
        found = {
            "loop": 1000 * (time.thread_time() - loop_s) / wall_s,
            "all": 1000 * (time.process_time() - all_s) / wall_s,
            "rounds": settled,
            "snapshots": snapshots,
            "held": service.tables["table-0"].view(service.clock.now_ns()).held_count,
        }
        stack.close()
        if pages is not None:
            pages.over()
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), json.loads(sys.argv[3]))
