"""Notices about tables that are in the journal but no longer in the file: renamed or removed."""

from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from shlex import quote
from urllib.parse import urlsplit

from dealwire.config.schema import Configuration
from dealwire.table.held import HeldBook
from rules.settlement import amount


def left_behind(
    found: Configuration, ended: Set[str], held: Mapping[str, HeldBook], journal: Path
) -> Iterator[tuple[str, str]]:
    """Yield for each such table what someone must settle or clear, as a sentence with the command. `ended` are the
    tables that end with this start, `held` the open held money by table."""
    kept = {part.name for part in found.table}
    for name in sorted({*ended, *held} - kept):
        if book := held.get(name):
            sums = " and ".join(amount(cents, currency) for currency, cents in book.cents.items())
            ask = f"dealwire journal obligations {quote(str(journal))} --table {quote(name)} --open"
            by_hand = "or with `dealwire journal release` while no service has the journal open"
            yield name, f"{sums} is still held there: {ask}; release it at a table of this name, {by_hand}"
        if name in ended and found.exports.mqtt is not None:
            yield name, f"the broker keeps its last state until you clear it: {_clears(found, name)}"


def _clears(found: Configuration, name: str) -> str:
    part = found.exports.mqtt
    assert part is not None
    # The topics are built on the broker's client, which comes with the extra mqtt: a table without a broker has none.
    from dealwire.export.topics import MARK, PRESENCE, STANDING, Address

    retained = (PRESENCE, STANDING, MARK)  # the broker keeps these after the table is gone
    address, parts = Address(part.site, name), urlsplit(part.url)
    user = f" -u {quote(parts.username)}" if parts.username else ""
    port = f" -p {parts.port}" if parts.port else ""
    topic = f"{address.topic('')}$t"
    publish = f"mosquitto_pub -h {quote(parts.hostname or '')}{port}{user} -q 1 -r -n -t"
    return f'for t in {" ".join(retained)}; do {publish} "{topic}"; done'
