"""The pages of the `service` benchmark: one live line a table, a process of their own.

`python -m benchmarks.service_page ADDRESS TABLE...`: a line `table sequence ns` for each message, with the monotonic
clock just after it was read. How a round ended comes in a message of its own, before the rest of the page.
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
            told = json.loads(message)
            print(table, told.get("ending") or told["sequence"], at_ns, flush=True)


async def main(address: str, tables: list[str]) -> None:
    await asyncio.gather(*(watch(address, table) for table in tables))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
