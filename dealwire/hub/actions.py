"""What may be done from the console, as data: a name, the roles that may, the fields to fill in.

The owner says what there is; the console shows a button for each and sends what was filled in as a `Request`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from dealwire.hub.view import TableView
from protocol.errors import LocalError
from protocol.places import parse_place

Role = Literal["dealer", "supervisor", "technician"]

ROLES: Final[tuple[Role, ...]] = ("dealer", "supervisor", "technician")

_WHOLE: Final = re.compile(r"-?[0-9]{1,10}")

PICKED_MOST: Final = 40
"""Numbers a person picks from rather than types, where some of them are told in words."""

TEXT_MAX: Final = 200
"""Characters of one field."""


class FieldRefused(LocalError):
    """What was filled in is not what the field takes."""

    def __init__(self, action: str, name: str, why: str) -> None:
        self.action, self.name, self.why = action, name, why
        super().__init__(f"{action}: {name}: {why}")


@dataclass(frozen=True, slots=True)
class ActionField:
    """One thing to fill in. A `choice` takes one of `choices`, a `number` a whole number from `least` to `most`, a
    `place` its name, `ascii` what a device can show: at most `most` printable characters of ASCII."""

    name: str
    title: str
    kind: Literal["text", "ascii", "number", "choice", "place"] = "text"
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 2**31 - 1
    default: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    """What a person is offered in place of a value."""

    def read(self, action: str, given: str) -> int | str:
        """The value of what was filled in; FieldRefused names what is allowed."""
        text = given.strip() or self.default
        if self.kind == "number":
            number = int(text) if _WHOLE.fullmatch(text) else None
            if number is None or not self.least <= number <= self.most:
                raise FieldRefused(action, self.name, f"a whole number from {self.least} to {self.most} is needed")
            return number
        if self.kind == "place":
            try:
                return parse_place(text).text
            except ValueError as error:
                raise FieldRefused(action, self.name, str(error)) from None
        if self.kind == "choice" and text not in self.choices:
            raise FieldRefused(action, self.name, f"must be one of {', '.join(self.choices)}")
        ascii_only, most = self.kind == "ascii", self.characters
        if not 0 < len(text) <= most or not text.isprintable() or (ascii_only and not text.isascii()):
            of = " of ASCII" if ascii_only else ""
            raise FieldRefused(action, self.name, f"1 to {most} printable characters{of} are needed")
        return text

    @property
    def offered(self) -> tuple[str, ...]:
        """The values a person picks from; none where one is typed in."""
        if self.kind == "choice":
            return self.choices
        few = self.kind == "number" and self.words and self.most - self.least < PICKED_MOST
        return tuple(map(str, range(self.least, self.most + 1))) if few else ()

    @property
    def characters(self) -> int:
        """How many characters may be filled in."""
        return self.most if self.kind == "ascii" else TEXT_MAX


Hindrance = Callable[[TableView], str]
"""Why something cannot work at a table as it is seen now, as a sentence; empty when it can."""


def no_hindrance(_: TableView) -> str:
    """It works at any time."""
    return ""


@dataclass(frozen=True, slots=True)
class Action:
    """One button. `id` is its name in addresses, `does` and `fixed` what the request carries, `fields` what a person
    fills in. On the bench page when `bench`, else on the table's; `group` is the heading it stands under. With `asks`
    a person is asked that before it is done. `hindered` says when it cannot work, at a table that runs; `taken` is what
    has become of it when it was taken."""

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

    def available(self, view: TableView) -> str:
        """Why it cannot work at this table now, as a sentence; empty when it can, as far as the view tells."""
        if view.safe_stop is not None:
            return "The table was stopped: nothing is asked of it any more."
        return self.hindered(view)

    def read(self, form: Mapping[str, str]) -> dict[str, int | str]:
        """The fields of the request; FieldRefused when one is missing, wrong or not of this action."""
        unknown = sorted(form.keys() - {known.name for known in self.fields})
        if unknown:
            raise FieldRefused(self.id, unknown[0][:40], "there is no such field")
        return {**self.fixed, **{known.name: known.read(self.id, form.get(known.name, "")) for known in self.fields}}
