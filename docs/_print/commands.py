"""Table of the commands in `docs/cli.md`: what each does, and the page that explains it."""

from collections.abc import Iterator
from typing import Final

from dealwire.cli import COMMANDS
from docs._print import printed, table

PAGES: Final = {
    "demo": ("First steps", "guides/first-steps.md"),
    "init": ("Make a table", "guides/make-a-table.md"),
    "run": ("Table service", "service.md"),
    "console": ("Console", "console.md"),
    "list": ("Attach a device", "guides/attach-a-device.md"),
    "games": ("Games", "games/README.md"),
    "law": ("Regulations", "regulations.md"),
    "house": ("House rules", "house.md"),
    "check": ("Files", "files/README.md"),
    "convert": ("Game files", "game-files.md"),
    "monitor": ("Attach a device", "guides/attach-a-device.md"),
    "record": ("Captures", "captures.md"),
    "replay": ("Captures", "captures.md"),
    "histories": ("Hand histories", "hand-histories.md"),
    "export": ("Hand histories", "hand-histories.md"),
    "decode": ("Protocol", "protocol.md"),
    "dialect": ("Add a dialect", "dialects/adding.md"),
    "settle": ("Settling a round", "rules.md"),
    "odds": ("Odds", "odds.md"),
    "audit-paytables": ("Odds", "odds.md"),
    "journal": ("Journal", "journal.md"),
    "sim": ("Simulator", "simulator.md"),
    "authority": ("TLS", "guides/tls.md"),
    "fleet": ("Exports", "exports.md"),
    "witness": ("Exports", "exports.md"),
    "wireshark": ("Wireshark", "guides/wireshark.md"),
    "device": ("Protocol", "protocol.md"),
    "bench": ("Bench", "bench.md"),
    "operator": ("Operator programs", "bench-operator.md"),
    "users": ("People", "people.md"),
    "doctor": ("Attach a device", "guides/attach-a-device.md"),
}
"""Title and path under `docs/` of the page that explains a command, by command."""


def pages() -> dict[str, str]:
    """Return the page of the command line with its table, by its path under `docs/`."""
    return {"cli.md": printed("cli.md", table(("command", "what it does", "page"), _rows()))}


def _rows() -> Iterator[tuple[str, ...]]:
    for name, text in COMMANDS.items():
        title, path = PAGES.get(name, ("", ""))
        yield f"`dealwire {name}`", text, f"[{title}]({path})" if path else ""
