"""Command line of the benchmarks: `python -m benchmarks [seconds] [name …]`.

It runs every table, or the named ones, each for about `seconds`. One name may be followed by options of its own, as in
`python -m benchmarks work --help`.
"""

import sys
from importlib import import_module

MODULES = ["codec", "sealed", "replay", "settle", "archive", "lines", "journal", "service", "restart", "held", "work"]
"""Modules of this folder with `run(seconds) -> Table`."""
WITH_OPTIONS = ("replay", "work")
"""Modules that also have `main(seconds, arguments)`."""


def main(arguments: list[str]) -> None:
    seconds = float(arguments.pop(0)) if arguments and arguments[0].replace(".", "", 1).isdigit() else 10.0
    if arguments[1:] and arguments[0] in WITH_OPTIONS and arguments[1].startswith("-"):
        import_module(f"benchmarks.{arguments[0]}").main(seconds, arguments[1:])
        return
    for name in arguments or MODULES:
        if name not in MODULES:
            sys.exit(f"no benchmark named {name!r}; there are: {', '.join(MODULES)}")
        print(import_module(f"benchmarks.{name}").run(seconds), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
