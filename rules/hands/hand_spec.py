"""Schema of the hands in a game file: the cards that make one, their ranking, and the minimum hand that qualifies."""

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
"""Place of a seat's own cards, in the `of` of a hand."""
DISCARDS: Final = "discards"
"""Place of a seat's discards, in the `of` of a hand."""

MOST_CARDS: Final = 9
"""Maximum number of cards of one place in a hand."""

_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

Cards = int | tuple[int, int]
"""Number of cards: exact, or minimum and maximum."""


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
"""A step by name, or several of which any may be the one recorded: a variant of the procedure shows what it deals."""


class ForcedDraw(TomlTable):
    """Cards that the dealer must draw with the hand he holds; `before`: the steps after which that hand is recorded."""

    before: Annotated[tuple[str, ...], Field(min_length=1)]
    rows: Annotated[tuple[DrawPart, ...], Field(min_length=1)]


class RankedWhen(TomlTable):
    """Another ranking of a hand, under one option of each reading that it names."""

    when: Annotated[dict[str, str], Field(min_length=1)]
    """Option by reading; all of them must be in use."""
    ranking: str
    """The ranking used then."""

    def holds(self, readings: Mapping[str, str]) -> bool:
        """Return True if all of these options are in use."""
        return all(readings.get(name) == option for name, option in self.when.items())


class Pick(TomlTable):
    """The hand that ranks highest, or lowest, among several by this ranking."""

    which: Literal["highest", "lowest"]
    """The hand to pick: the highest or the lowest."""
    by: str
    """The ranking that compares them."""


class SetHand(TomlTable):
    """A hand that is set in two, by the names of its parts, and the `bets` that depend on the setting. `clause`: the
    rest must outrank the low part. `way`: the clause by which the dealer sets it the house way."""

    low: str
    """Name of the low part, among `hands`."""
    rest: str
    """Name of the other part."""
    bets: Annotated[tuple[str, ...], Field(min_length=1)]
    """Bets that depend on the setting."""
    clause: str
    """Clause by which the rest must outrank the low part."""
    way: str = ""


class HandSpec(TomlTable):
    """The cards that make one hand, and its ranking."""

    ranking: str
    """Name of the ranking."""
    of: Annotated[dict[str, CardsField], Field(min_length=1)]
    """Number of cards from each place, in this order: `own` (the seat's), `discards` (those it laid away), `dealer`,
    `community`, or a hand that the procedure names."""
    at: dict[str, StepsField] = Field(default_factory=dict)
    """Step at whose end the cards count, by place, or several steps of which the first recorded one counts; without it,
    the cards at the end of the round count."""
    part: Literal["", "low", "rest", "low-or-whole"] = ""
    """Part of a hand that is set in two; `low-or-whole` also applies to a hand that is not."""
    whole: str = ""
    """For a part: the hand of all the cards, which gives the odds of a part that a table pays."""
    keeps: str = ""
    """House way by which the dealer keeps some cards of the first place."""
    fill: Annotated[int, Field(ge=1)] | None = None
    """Total number of cards. The last place adds as many of its cards, from the first, as are needed for it."""
    takes: dict[str, CardsField] = Field(default_factory=dict)
    """Number of cards that the hand takes from a place, exactly or as `[least, most]`; the rest come from other places,
    regardless of the best hand overall. For example, two of four own cards with three of five on the board."""
    any_card: Literal["", "low", "rest"] = ""
    """Part of a hand set in two whose cards count as any card."""
    pick: Pick | None = None
    """Choice of one hand, if each place holds a hand."""
    draw: ForcedDraw | None = None
    """Rule by which the cards must have been drawn."""
    ranking_when: tuple[RankedWhen, ...] = ()
    """Other rankings under options of readings; the first that applies is used."""
    clause: str

    @property
    def whose(self) -> str:
        """The cards it uses, in words: `own five cards`, `own and community cards`."""
        own = self.of.get(OWN)
        if isinstance(own, int) and len(self.of) == 1:
            return f"own {_NUMBERS[own]} cards"
        return f"{' and '.join(self.of)} cards"


class Qualifier(TomlTable):
    """The minimum hand that qualifies, as cards and in `words`; a hand that ranks below `at_least` does not qualify."""

    hand: str = "dealer"
    """The hand that must qualify."""
    at_least: str
    """The lowest hand that qualifies, as cards: `AS KH 4D 3C 2S`."""
    words: str
    """That hand, in words."""
    clause: str


class DirectHand(NamedTuple):
    """A hand that the fast path can make from the cards at the end of the round.

    `own`: the number of the seat's own cards, 0 if it is the same for all seats. `others`: other places with their
    number of cards. `part`: it is the `low` part or the `rest` of a hand set in two, the seat's or else the dealer's,
    and has no others.
    """

    own: int
    others: tuple[tuple[str, int], ...]
    part: str = ""


def direct_hands(hands: Mapping[str, HandSpec]) -> dict[str, DirectHand]:
    """Return the hands that depend on nothing but the places of their cards."""
    found = {}
    for name, hand in hands.items():
        places = [*hand.of.items()]
        own, others = (places[0][1], places[1:]) if places[0][0] == OWN else (0, places)
        whole = all(isinstance(cards, int) for cards in hand.of.values())
        asks_more = hand.model_fields_set - _PLAIN or not {OWN, DISCARDS}.isdisjoint(dict(others))
        if not whole or asks_more:
            continue
        if not hand.part:
            found[name] = DirectHand(own, tuple(others))
        elif hand.part in ("low", "rest") and len(places) == 1 and places[0][0] in (OWN, DEALER.text):
            found[name] = DirectHand(own, tuple(others), hand.part)
    return found


_PLAIN: Final = frozenset({"ranking", "of", "clause", "part"})
"""Keys of a hand's table in a game file that only say where its cards are."""


@dataclass(slots=True)  # not frozen: attribute access is faster, and hands read it often
class MadeHand:
    """A hand of the game under the readings in use.

    - `spec`: its cards. `whose`: the cards in words.
    - `of_seat`, `of_dealer`: it uses cards of the seat, or of the dealer.
    - `plain`: the places of its cards, if the fast path can make it.
    - `rank`: ranks its cards. `jokers`: the maximum number of jokers.
    """

    spec: HandSpec
    whose: str
    of_seat: bool
    of_dealer: bool
    plain: DirectHand | None
    rank: Callable[[tuple[Card, ...]], Ranked]
    jokers: int
