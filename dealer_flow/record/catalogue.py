"""All incident codes with their meaning and sentences, read once from `incidents.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Formatter
from typing import Any, Final, NamedTuple

from dealer_flow.english import dollars
from protocol.faults import fault_text


class Meaning(NamedTuple):
    """Meaning of a code. `clause` names the part of the procedure whose clause decides; `sentence` is the template of
    its sentence, or one for each `reason`."""

    meaning: str
    consequence: str
    clause: str
    sentence: str | Mapping[str, str]


_FILE: Final = tomllib.loads(Path(__file__).with_name("incidents.toml").read_text(encoding="utf-8"))

INCIDENTS: Final = {code: Meaning(**row) for code, row in _FILE["incident"].items()}
REPORTS: Final[Mapping[str, str]] = _FILE["report"]
"""Class of a report -> what a report that was out of order says."""
ORDER: Final[Mapping[str, str]] = _FILE["order"]
"""Check that failed -> why a report was out of order."""


def may_break_a_round(code: str) -> bool:
    """Return True for the incidents that can make a round unreliable, so that a reader can name the cause."""
    return code in INCIDENTS and INCIDENTS[code].consequence.startswith("unreliable")


def names_state(reason: str) -> bool:
    """Return True if the sentence for this reason names the state of the round."""
    return "{state}" in ORDER.get(reason, "")


def sentence(code: str, reason: str, facts: object) -> str:
    """Return the sentence of an incident: its template filled with the `facts` that it names.

    A line of an older schema, which lacks facts, gets its code instead.
    """
    meaning = INCIDENTS.get(code)
    found = meaning.sentence if meaning is not None else ""
    template = found if isinstance(found, str) else found.get(reason, "")
    return _Words(reason, facts).format(template) if template else code


class _Words(Formatter):
    """Formatter that fills the facts of an incident into a template."""

    def __init__(self, reason: str, facts: object) -> None:
        self._reason, self._facts = reason, facts

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the fact of this name."""
        if key == "order":
            return self.format(ORDER.get(self._reason, self._reason))
        value = getattr(self._facts, str(key))
        if key == "report":
            return self.format(REPORTS.get(value, value))
        return fault_text(value) if key == "fault" and value is not None else value

    def format_field(self, value: Any, spec: str) -> str:
        """Format the fact as `spec` says."""
        missing = value is None or value is False or value in ("", ())
        words = "?" if missing else str(value)
        if isinstance(value, tuple) and value:
            words = (", " if spec.startswith("&") else " ").join(str(each) or "nothing" for each in value)
        spec = spec.removeprefix("&")
        if not spec:
            return words
        if spec == "$":
            return words if missing else dollars(value)
        if spec.startswith("#"):
            return f"{words} {spec[1:]}{'s' * (value != 1)}"
        present, _, absent = spec.partition("|")
        return absent if missing else present.replace("*", words)
