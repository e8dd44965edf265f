"""Conditions: an option and its value, wherever a table depends on them."""

from collections.abc import Iterator

from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.tables import WhenPart
from protocol.tomlfile import Key


def condition_faults(procedure: Procedure, key: Key, when: WhenPart) -> Iterator[Complaint]:
    """What a condition may not say: an option that is not there, a value that it does not have."""
    allowed = next((option.allowed for option in procedure.option if option.name == when.option), None)
    if allowed is None:
        known = ", ".join(option.name for option in procedure.option) or "none"
        yield key, f"no option {when.option!r}; known: {known}"
    elif when.is_ not in allowed:
        yield key, f"{when.is_!r} is no value of that option; allowed: {', '.join(allowed)}"
