"""Actions offered by the console, as data: name, roles, form fields.

The owner lists the actions; the console shows a button for each and sends the completed form as a `Request`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from dealwire.hub.view import TableView
from protocol.errors import LocalError
from protocol.places import parse_place

Role = Literal["dealer", "supervisor", "technician"]

ROLES: Final[tuple[Role, ...]] = ("dealer", "supervisor", "technician")

_WHOLE: Final = re.compile(r"-?[0-9]{1,10}")

PICKED_MOST: Final = 40
"""Largest number of values offered as a list, for a number field with texts."""

TEXT_MAX: Final = 200
"""Maximum length of one field in characters."""


BADGE: Final = "badge"
"""Name of the field with a badge number."""
WHY_MIN: Final = 3
"""Least length of a reason in characters."""


class FieldRefused(LocalError):
    """A form field has an invalid value."""

    def __init__(self, action: str, name: str, why: str) -> None:
        self.action, self.name, self.why = action, name, why
        super().__init__(f"{action}: {name}: {why}")


@dataclass(frozen=True, slots=True)
class ActionField:
    """One form field.

    - `choice` takes one of `choices`.
    - `number` takes a whole number from `least` to `most`.
    - `place` takes the name of a place.
    - `text` takes at least `least` printable characters, if given.
    - `ascii` takes at most `most` printable ASCII characters, which a device can display.
    """

    name: str
    title: str
    kind: Literal["text", "ascii", "number", "choice", "place"] = "text"
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 2**31 - 1
    default: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    """Texts shown in place of values."""

    def read(self, action: str, given: str) -> int | str:
        """Return the value of a filled-in field; FieldRefused says what is allowed."""
        text = given.strip() or self.default
        if self.kind == "number":
            number = int(text) if _WHOLE.fullmatch(text) else None
            if number is None or not self.least <= number <= self.most:
                raise FieldRefused(action, self.name, f"must be a whole number from {self.least} to {self.most}")
            return number
        if self.kind == "place":
            try:
                return parse_place(text).text
            except ValueError as error:
                raise FieldRefused(action, self.name, str(error)) from None
        if self.kind == "choice" and text not in self.choices:
            raise FieldRefused(action, self.name, f"must be one of {', '.join(self.choices)}")
        ascii_only, most = self.kind == "ascii", self.characters
        least = max(self.least, 1) if self.kind == "text" else 1
        if not least <= len(text) <= most or not text.isprintable() or (ascii_only and not text.isascii()):
            what = "printable ASCII characters" if ascii_only else "printable characters"
            raise FieldRefused(action, self.name, f"must be {least} to {most} {what}")
        return text

    @property
    def offered(self) -> tuple[str, ...]:
        """The values to choose from; empty for a field to type in."""
        if self.kind == "choice":
            return self.choices
        few = self.kind == "number" and self.words and self.most - self.least < PICKED_MOST
        return tuple(map(str, range(self.least, self.most + 1))) if few else ()

    @property
    def characters(self) -> int:
        """Most characters of the field."""
        return self.most if self.kind == "ascii" else TEXT_MAX


Hindrance = Callable[[TableView], str]
"""Returns why an action cannot be used at a table in this view, as a sentence; empty if it can."""


def no_hindrance(_: TableView) -> str:
    """Return no reason: the action can be used at any time."""
    return ""


@dataclass(frozen=True, slots=True)
class Action:
    """One button.

    - `id`: name in addresses; `does` and `fixed`: content of the request; `fields`: form to fill in.
    - `bench`: on the bench page instead of the table's; `group`: heading above the button.
    - `asks`: question to confirm first.
    - `hindered`: says when it cannot be used at a running table; `taken`: text after it was accepted.
    - `needs_reason`: people give a reason for it; `even_stopped`: it works at a table in safe stop, too.
    - `proved`: a passkey signs the very request that it answers.
    """

    id: str
    title: str
    roles: tuple[Role, ...]
    does: str
    fixed: Mapping[str, int | str] = field(default_factory=dict)
    fields: tuple[ActionField, ...] = ()
    bench: bool = False
    group: str = ""
    hint: str = ""
    asks: str = ""
    hindered: Hindrance = no_hindrance
    taken: str = "done"
    needs_reason: bool = True
    even_stopped: bool = False
    proved: bool = False

    def available(self, view: TableView) -> str:
        """Return why the action cannot be used at this table now, as a sentence; empty if it can, as far as the view
        tells."""
        if view.safe_stop is not None and not self.even_stopped:
            return "The table is in safe stop and takes no commands."
        return self.hindered(view)

    def read(self, form: Mapping[str, str]) -> dict[str, int | str]:
        """Return the fields of the request; FieldRefused if one is missing, invalid or unknown."""
        unknown = sorted(form.keys() - {known.name for known in self.fields})
        if unknown:
            raise FieldRefused(self.id, unknown[0][:40], "there is no such field")
        return {**self.fixed, **{known.name: known.read(self.id, form.get(known.name, "")) for known in self.fields}}


WHY: Final = ActionField("why", "Reason, for the record", least=WHY_MIN)


def for_people(action: Action) -> Action:
    """Return an action as people request it: with a reason if it needs one, and without a badge, since the
    person's own badge counts."""
    fields = tuple(each for each in action.fields if each.name != BADGE)
    if action.needs_reason and all(each.name != WHY.name for each in fields):
        fields = (*fields, WHY)
    return replace(action, fields=fields)


def needs_badge(action: Action) -> bool:
    """True if a role's token has to come with a badge number for an action."""
    return any(each.name == BADGE for each in action.fields)
