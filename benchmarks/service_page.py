"""Pages of the `service` benchmark: one live line for each table, in a process of their own.

`python -m benchmarks.service_page ADDRESS TABLE...` prints a line `table sequence ns` for each message, with the
monotonic clock just after it was read. The result of a round comes in a message of its own, before the rest of the
page.
"""

import asyncio
import json
import sys
import time

from websockets.asyncio.client import connect
from websockets.typing import Origin


async def watch(address: str, table: str) -> None:
    live = address.replace("http", "ws", 1) + f"live/{table}"
    async with connect(live, origin=Origin(address.rstrip("/")), max_size=None) as line:
        async for message in line:
            at_ns = time.monotonic_ns()
            received = json.loads(message)
            print(table, received.get("ending") or received["sequence"], at_ns, flush=True)


async def main(address: str, tables: list[str]) -> None:
    await asyncio.gather(*(watch(address, table) for table in tables))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
