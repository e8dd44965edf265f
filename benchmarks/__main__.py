"""`python -m benchmarks [seconds] [name …]`: every table, or the named ones, each measured for about `seconds`."""

import sys
from importlib import import_module

MODULES = ["codec", "replay", "settle", "archive", "lines", "journal", "service", "restart"]
"""Modules of this folder with `run(seconds) -> Table`."""


def main(arguments: list[str]) -> None:
    seconds = float(arguments.pop(0)) if arguments and arguments[0].replace(".", "", 1).isdigit() else 10.0
    for name in arguments or MODULES:
        if name not in MODULES:
            sys.exit(f"no benchmark named {name!r}; there are: {', '.join(MODULES)}")
        print(import_module(f"benchmarks.{name}").run(seconds), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
