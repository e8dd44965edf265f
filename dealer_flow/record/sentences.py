"""An incident's facts put into the templates of `incidents.toml`: the words for a person."""

from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Any, Protocol

from dealer_flow.record.catalogue import INCIDENTS, ORDER, REPORTS
from protocol.faults import fault_text


class IncidentFacts(Protocol):
    """An incident, of which the templates name further facts."""

    @property
    def code(self) -> str:
        """The row of `incidents.toml`."""

    @property
    def reason(self) -> str:
        """The sentence of that row."""


def sentence(incident: IncidentFacts) -> str:
    """What happened, for a person. A line of an older schema, which lacks facts, is told by its code."""
    meaning = INCIDENTS.get(incident.code)
    found = meaning.sentence if meaning is not None else ""
    template = found if isinstance(found, str) else found.get(incident.reason, "")
    return _Words(incident).format(template) if template else incident.code


class _Words(Formatter):
    """Puts the facts of an incident into a template."""

    def __init__(self, incident: IncidentFacts) -> None:
        self._incident = incident

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The fact of this name."""
        if key == "order":
            return self.format(ORDER.get(self._incident.reason, self._incident.reason))
        value = getattr(self._incident, str(key))
        if key == "report":
            return self.format(REPORTS.get(value, value))
        return fault_text(value) if key == "fault" and value is not None else value

    def format_field(self, value: Any, spec: str) -> str:
        """The fact as `spec` has it."""
        missing = value is None or value is False or value in ("", ())
        words = "?" if missing else str(value)
        if isinstance(value, tuple) and value:
            words = (", " if spec.startswith("&") else " ").join(str(each) or "nothing" for each in value)
        spec = spec.removeprefix("&")
        if not spec:
            return words
        if spec.startswith("#"):
            return f"{words} {spec[1:]}{'s' * (value != 1)}"
        present, _, absent = spec.partition("|")
        return absent if missing else present.replace("*", words)
