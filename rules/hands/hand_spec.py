"""What a game file says of its hands: which cards make one, how they are ranked, and the least one that qualifies."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import BeforeValidator, Field, WithJsonSchema

from dealer_flow.procedure.must_draw import DrawPart
from dealer_flow.tomlfile import TomlTable
from protocol.cards import Card
from protocol.places import DEALER
from rules.hands import Ranked

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


class RankedWhen(TomlTable):
    """Another ranking of a hand, under one option of each reading that it names."""

    when: Annotated[dict[str, str], Field(min_length=1)]
    """Reading to option, all of which must be in use."""
    ranking: str
    """The ranking then."""

    def holds(self, readings: Mapping[str, str]) -> bool:
        """Whether all of these options are in use."""
        return all(readings.get(name) == option for name, option in self.when.items())


class Pick(TomlTable):
    """Of several hands the one that ranks highest, or lowest, by this ranking."""

    which: Literal["highest", "lowest"]
    """Which one it is."""
    by: str
    """The ranking that says which that is."""


class SetHand(TomlTable):
    """A hand that is set in two, by the names of its parts, and the `bets` that rest on how it was set. The rest has to
    outrank the low part: `clause`. `way`: the clause by which the dealer sets it the house way."""

    low: str
    """The name of the low part, among `hands`."""
    rest: str
    """The name of the other part."""
    bets: Annotated[tuple[str, ...], Field(min_length=1)]
    """The bets that rest on how it was set."""
    clause: str
    """By which the rest has to outrank the low part."""
    way: str = ""


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


class PlainHand(NamedTuple):
    """A hand of so many of the seat's own cards, none where it is the same for all, as they lie in the end, and of the
    `others`: places and how many. `part`: it is the `low` part or the `rest` of one that is set in two, the seat's or
    else the dealer's, and has no others."""

    own: int
    others: tuple[tuple[str, int], ...]
    part: str = ""


def plain_hands(hands: Mapping[str, HandSpec]) -> dict[str, PlainHand]:
    """Those of these hands of which no more is said than where their cards lie."""
    found = {}
    for name, hand in hands.items():
        places = [*hand.of.items()]
        own, others = (places[0][1], places[1:]) if places[0][0] == OWN else (0, places)
        whole = all(isinstance(cards, int) for cards in hand.of.values())
        asks_more = hand.model_fields_set - _PLAIN or not {OWN, DISCARDS}.isdisjoint(dict(others))
        if not whole or asks_more:
            continue
        if not hand.part:
            found[name] = PlainHand(own, tuple(others))
        elif hand.part in ("low", "rest") and len(places) == 1 and places[0][0] in (OWN, DEALER.text):
            found[name] = PlainHand(own, tuple(others), hand.part)
    return found


_PLAIN: Final = frozenset({"ranking", "of", "clause", "part"})
"""Keys of a hand's table in a game file that say no more than where its cards lie."""


@dataclass(slots=True)  # not frozen: read several times a hand, and made once
class MadeHand:
    """A hand of the game: of which cards, `whose` in words, whether a seat's are among them, or the dealer's, in the
    plainest way or not, and what ranks it under the readings in use, with so many jokers at most."""

    spec: HandSpec
    whose: str
    of_seat: bool
    of_dealer: bool
    plain: PlainHand | None
    rank: Callable[[tuple[Card, ...]], Ranked]
    jokers: int
