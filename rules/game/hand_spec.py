"""What a game file says of its hands: which cards make one, how they are ranked, and the least one that qualifies."""

from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from dealer_flow.procedure.must_draw import DrawPart
from dealer_flow.tomlfile import TomlTable
from rules.game.split_spec import Pick, RankedWhen

OWN: Final = "own"
"""The place of a seat's own cards in the `of` of a hand."""
DISCARDS: Final = "discards"
"""The cards that the seat laid away, in the `of` of a hand."""

MOST_CARDS: Final = 9
"""Of one place in a hand."""

_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

Cards = int | tuple[int, int]
"""How many cards: a number, or the least and the most."""


def _cards(value: object) -> Cards:
    match value:
        case bool():
            pass
        case int() if 1 <= value <= MOST_CARDS:
            return value
        case [int(least), int(most)] if 0 <= least < most <= MOST_CARDS:
            return least, most
    raise ValueError(f"not a number of cards; allowed: 1 to {MOST_CARDS}, or [least, most]")


CardsField = Annotated[
    Any,
    BeforeValidator(_cards),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": MOST_CARDS},
                {
                    "type": "array",
                    "items": {"type": "integer", "minimum": 0, "maximum": MOST_CARDS},
                    "minItems": 2,
                    "maxItems": 2,
                },
            ]
        }
    ),
]


def _steps(value: object) -> object:
    return (value,) if isinstance(value, str) else value


StepsField = Annotated[
    tuple[str, ...],
    BeforeValidator(_steps),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
"""A step by name, or several of which each may be the one: a procedure's sister shows what it deals."""


class ForcedDraw(TomlTable):
    """What the dealer must draw with what he holds; `before`: the steps after which those cards are on record."""

    before: Annotated[tuple[str, ...], Field(min_length=1)]
    rows: Annotated[tuple[DrawPart, ...], Field(min_length=1)]


class HandSpec(TomlTable):
    """The cards that make one hand, and how it is ranked.

    `of`: how many cards of each place, in this order: `own` (the seat's), `discards` (what it laid away), `dealer`,
    `community`, or a hand that the procedure names. `at`: the step after which they lay there, by place, or
    several of which the first on record counts; those of the
    end where none is named. `part`: of a hand that is set in two, which part; `low-or-whole` also of one that is not.
    `keeps`: the house way by which the dealer keeps some of the cards of the first place. `fill`: the last place gives
    as many of its cards, from the first, as make this number with the others. `takes`: of a place the hand is made of
    exactly so many cards, or of `[least, most]`, and of the other places of the rest, whatever all of them hold: of
    four own cards two, with three of five on the board. `any_card`: the part of a hand set in two whose cards are any
    card, whatever lies there. `pick`: each of its places holds a hand, and this is one of them.
    `draw`: how its cards must have been drawn. `ranking_when`: another ranking under these options of readings, the
    first that holds.
    """

    ranking: str
    """The ranking, by its name."""
    of: Annotated[dict[str, CardsField], Field(min_length=1)]
    at: dict[str, StepsField] = Field(default_factory=dict)
    part: Literal["", "low", "rest", "low-or-whole"] = ""
    whole: str = ""
    """Of a part: the hand of all the cards, whose odds are the part's as far as a table pays it."""
    keeps: str = ""
    fill: Annotated[int, Field(ge=1)] | None = None
    takes: dict[str, CardsField] = Field(default_factory=dict)
    any_card: Literal["", "low", "rest"] = ""
    pick: Pick | None = None
    draw: ForcedDraw | None = None
    ranking_when: tuple[RankedWhen, ...] = ()
    clause: str

    @property
    def whose(self) -> str:
        """The cards it looks at, in words: `own five cards`, `own and community cards`."""
        own = self.of.get(OWN)
        if isinstance(own, int) and len(self.of) == 1:
            return f"own {_NUMBERS[own]} cards"
        return f"{' and '.join(self.of)} cards"


class Qualifier(TomlTable):
    """The least hand that qualifies, as cards and in `words`: one that ranks below `at_least` does not."""

    hand: str = "dealer"
    """The hand that must qualify."""
    at_least: str
    """The lowest hand that qualifies, as cards: `AS KH 4D 3C 2S`."""
    words: str
    """That hand, in words."""
    clause: str
