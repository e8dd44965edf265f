"""Every code of an incident, what it means and how it is said: `incidents.toml`, read once."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple


class Meaning(NamedTuple):
    """What a code says. `clause` names the part of the procedure whose clause decides, `sentence` is the template of
    its words, or one by each `reason`."""

    meaning: str
    consequence: str
    clause: str
    sentence: str | Mapping[str, str]


_FILE: Final = tomllib.loads(Path(__file__).with_name("incidents.toml").read_text(encoding="utf-8"))

INCIDENTS: Final = {code: Meaning(**row) for code, row in _FILE["incident"].items()}
REPORTS: Final[Mapping[str, str]] = _FILE["report"]
"""The class of a report -> what one that was out of order says."""
ORDER: Final[Mapping[str, str]] = _FILE["order"]
"""The guard that did not hold -> why a report was out of order."""


def may_break_a_round(code: str) -> bool:
    """True for the incidents after which a round cannot be relied on, so that a reader can name the cause."""
    return code in INCIDENTS and INCIDENTS[code].consequence.startswith("unreliable")


def names_state(reason: str) -> bool:
    """Whether the words for this reason say where the round stood."""
    return "{state}" in ORDER.get(reason, "")
