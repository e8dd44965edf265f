"""A poker ranking as a strict TOML file: its categories, best first, and the rules that distinguish hands further.

One file serves hands of any number of cards from any other number, from one deck or several, with or without a joker.
Hands of the same category compare by the ranks that define it and then by the side cards, never by suit (47.1-1006).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import Field

from dealer_flow.tomlfile import TomlTable, files_in, load
from protocol.cards import CARDS, DECK, Card, high_rank
from protocol.tomlfile import Key
from rules.hands.categories import KINDS, AceLow, Category, Find, House, JokerUse, category
from rules.hands.counted import CardCount
from rules.hands.ranked import Made
from rules.hands.words import spell_hand

RANKINGS: Final = Path(__file__).parents[1] / "data" / "rankings"
MOST_CARDS: Final = 9
_JOKERS: Final = 2
_FACES: Final = frozenset(card for card in CARDS if card.is_face)
SEQUENCES: Final = frozenset({"straight", "straight flush"})
"""Kinds of hands that ace to five may be."""
WHEEL: Final = 5
"""The highest rank of ace to five."""
_LAST_PLAYING: Final = max(DECK)
_NO_READINGS: Final[Mapping[str, str]] = {}
_KEPT: Final = 4096
"""Maximum number of cached hands: a dealer's is compared with every seat's."""
_RANKS_KEPT: Final = 1 << 14
"""Maximum number of cached sets of ranks per ranking; five cards have 6,175."""


class RankingFile(TomlTable):
    """A ranking file: the hands that count, from the best to the lowest, and how cards are compared."""

    schema_: Literal["dealwire.ranking/1"] = Field(alias="schema")
    id: str
    title: str
    clause: str
    vocabulary: Literal["poker", "identical"] = "poker"
    """Kind of pay table whose rows apply to its hands."""
    cards: tuple[Annotated[int, Field(ge=1, le=MOST_CARDS)], Annotated[int, Field(ge=1, le=MOST_CARDS)]]
    """Minimum and maximum number of cards that the ranking takes."""
    uses: Annotated[int, Field(ge=1, le=MOST_CARDS)]
    """Number of cards that make a hand."""
    jokers: JokerUse = "none"
    """Use of a joker: a `bug` is an ace or completes a sequence or a flush; a `wild` joker is any card."""
    ace_low: AceLow = "lowest"
    """Rank of A-2-3-4-5 among sequences."""
    order: Annotated[tuple[str, ...], Field(min_length=1)]
    """Categories, best first."""
    also: tuple[str, ...] = ()
    """Categories to look for in addition to the one that decides."""
    places: dict[str, tuple[int, int]] = Field(default_factory=dict)
    """Cards that alone must make a category, by its name (`in the first N` or `community`): from the first position (0)
    up to but not including the second."""
    by_reading: dict[str, dict[str, str]] = Field(default_factory=dict)
    """File next to this one that ranks instead, by reading and option."""
    words: dict[str, str] = Field(default_factory=dict)
    """Name of a category in the text of a hand, by category; by default the category's own name."""
    notes: tuple[str, ...] = ()

    @property
    def house(self) -> House:
        """Settings that all its categories share."""
        return House(self.uses, self.jokers, self.ace_low)


@dataclass(frozen=True, slots=True, eq=False)
class PokerRanking:
    """A ranking file ready to rank. Instances are equal only to themselves, so that the cache of hands is fast."""

    spec: RankingFile
    path: Path
    order: tuple[Category, ...]
    also: tuple[Category, ...]
    places: tuple[tuple[str, Find, tuple[int, int]], ...]

    looks_further: bool
    """True if it looks for more than the deciding category."""
    suited: int
    """Minimum number of cards of one suit, jokers included, for suits to matter; 0 if places matter."""
    instead: Mapping[tuple[str, str], "PokerRanking"]
    """Ranking used instead, by reading and option."""
    by_ranks: dict[int, "_Worth"] = field(default_factory=dict)
    """Cached results of hands whose suits do not matter, by their ranks."""

    @property
    def id(self) -> str:
        """Id, such as `poker`."""
        return self.spec.id

    @property
    def vocabulary(self) -> str:
        """Kind of pay table that applies to its keys."""
        return self.spec.vocabulary

    @property
    def sizes(self) -> tuple[int, int]:
        """Minimum and maximum number of cards."""
        return self.spec.cards

    @property
    def uses(self) -> int:
        """Number of cards that make a hand."""
        return self.spec.uses

    @property
    def jokers(self) -> int:
        """Maximum number of jokers."""
        return {"none": 0, "bug": 1, "wild": _JOKERS}[self.spec.jokers]

    def rank(self, cards: Iterable[Card], readings: Mapping[str, str] = _NO_READINGS) -> "PokerHand":
        """Return the best hand these cards make; if the ranking uses `places`, cards must be in the order they were
        dealt."""
        return self.ranker(readings)(tuple(cards))

    def ranker(self, readings: Mapping[str, str]) -> Callable[[tuple[Card, ...]], "PokerHand"]:
        """Return the function that ranks cards under these readings."""
        under = (other for (name, option), other in self.instead.items() if readings.get(name) == option)
        return partial(_rank, next(under, self))

    def content(self) -> list[Any]:
        """Return the content of its file, and of the files that rank instead of it."""
        own = self.spec.model_dump(mode="json", exclude_defaults=True)
        return [own, *(each.content() for _, each in sorted(self.instead.items(), key=lambda item: item[0]))]


def only_the_wheel_apart(ranking: object, other: object) -> bool:
    """Return True if the two rankings differ only in ace to five, which is not a sequence in the other."""
    if not (isinstance(ranking, PokerRanking) and isinstance(other, PokerRanking)) or other.spec.ace_low != "none":
        return False
    apart = {"id", "title", "clause", "notes", "ace_low"}
    return ranking.spec.model_dump(exclude=apart) == other.spec.model_dump(exclude=apart)


class _Worth(NamedTuple):
    """Result of a ranking, apart from the actual cards; `wanted` is as in `BestOfCategory`."""

    strength: tuple[int, ...]
    key: Made
    text: str
    wanted: tuple[tuple[int, int], ...]


class PokerHand:
    """A hand ranked by a ranking file; the cards that make it are determined on demand."""

    __slots__ = ("_all", "_wanted", "key", "strength", "text")

    def __init__(self, worth: _Worth, cards: tuple[Card, ...]) -> None:
        self.strength, self.key, self.text, self._wanted = worth
        self._all = cards

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards that make it, with those that define it first."""
        return CardCount(self._all).pick(self._wanted)

    def __repr__(self) -> str:
        return f"<{self.text}: {' '.join(map(str, self.cards))}>"


_SUITS_AT: Final = 56
_RANKS: Final = (1 << _SUITS_AT) - 1
_COUNTS: Final = {card: 1 << 4 * (high_rank(card) - 2) | 1 << _SUITS_AT + 4 * ((card >> 4) - 1) for card in DECK}
"""Counters of one card: four bits for each rank, from the deuces to the jokers, and from `_SUITS_AT` on four bits for
each suit; a joker counts in every suit."""
_COUNTS.update((card, 1 << _SUITS_AT - 4 | 0x1111 << _SUITS_AT) for card in CARDS if card.is_joker)


@lru_cache(maxsize=_KEPT)
def _rank(ranking: PokerRanking, cards: tuple[Card, ...]) -> PokerHand:
    """Rank cards. Usually too few are of one suit for suits to matter; then their ranks alone decide, and the result is
    cached."""
    ranks = _ranks_alone(ranking, cards)
    worth = None if ranks is None else ranking.by_ranks.get(ranks)
    if worth is None:
        _check(ranking, cards)
        worth = _worth(ranking, CardCount(cards))
        if ranks is not None:
            if len(ranking.by_ranks) == _RANKS_KEPT:
                ranking.by_ranks.clear()
            ranking.by_ranks[ranks] = worth
    return PokerHand(worth, cards)


def _ranks_alone(ranking: PokerRanking, cards: tuple[Card, ...]) -> int | None:
    """Return the counted ranks of cards that are decided by their ranks alone; None for all others."""
    number = len(cards)
    try:
        counted = sum(itemgetter(*cards)(_COUNTS)) if number > 1 else sum(map(_COUNTS.__getitem__, cards))
    except KeyError:  # not a face: the ranking raises the error
        return None
    # Suits matter from here on, or duplicate cards do: rank the cards themselves.
    if _longest(counted >> _SUITS_AT) >= ranking.suited or len(set(cards)) != number:
        return None
    return counted & _RANKS


@cache
def _longest(suits: int) -> int:
    """Return the largest number of cards of one suit, jokers included, from the four counters."""
    return max(suits >> shift & 0x0F for shift in (0, 4, 8, 12))


def _worth(ranking: PokerRanking, held: CardCount) -> _Worth:
    most, longest = held.most, held.longest
    for place, each in enumerate(ranking.order):
        if each.most <= most and each.longest <= longest and (found := each.find(held)) is not None:
            strength, ranks, wanted = found
            natural = not held.jokers or each.find(held.natural) is not None
            also = _other_categories(ranking, held) if ranking.looks_further else _NOTHING
            key = Made(each.name, each.kind, each.size, ranks, ranking.spec.uses, natural, held.same(), also)
            text = spell_hand(ranking.spec.words.get(each.name, each.name), each.kind, ranks)
            return _Worth((len(ranking.order) - place, *strength), key, text, wanted)
    raise AssertionError("the last category is the high card, and every hand has one")


_NOTHING: Final[frozenset[str]] = frozenset()


def _other_categories(ranking: PokerRanking, held: CardCount) -> frozenset[str]:
    """Return the other categories and places of the file that the cards satisfy."""
    most, longest = held.most, held.longest
    also = [
        each.name
        for each in ranking.also
        if each.most <= most and each.longest <= longest and each.find(held) is not None
    ]
    for name, find, (start, end) in ranking.places:
        if find(CardCount(held.cards[start:end])) is not None:
            also.append(name)
    return frozenset(also)


def _check(ranking: PokerRanking, cards: tuple[Card, ...]) -> None:
    least, most = ranking.sizes
    if not (
        least <= len(cards) <= most
        and _FACES.issuperset(cards)
        and (max(cards) <= _LAST_PLAYING or sum(card.is_joker for card in cards) <= ranking.jokers)
    ):
        takes = f"{least} cards" if least == most else f"{least} to {most} cards"
        raise ValueError(
            f"{ranking.id} ranks {takes}, at most {ranking.jokers} of them a joker, not {' '.join(map(str, cards))}"
        )


def ranking_files() -> tuple[str, ...]:
    """Return the names of the ranking files in this package."""
    return tuple(files_in(RANKINGS))


def load_ranking(path: Path, *, instead: bool = False) -> PokerRanking:
    """Load the ranking in a file; `instead` marks one that ranks instead of another under a reading. TomlFileError
    names the file, line, key and allowed values."""
    spec = load(path, RankingFile, lambda spec: _faults(path, spec, instead))
    house = spec.house
    order = tuple(found for name in spec.order if (found := category(name, house)))
    also = tuple(found for name in spec.also if (found := category(name, house)))
    places = tuple((name, found.find, at) for name, at in spec.places.items() if (found := _placed(name, house)))
    others = {
        (reading, option): load_ranking(path.with_name(f"{other}.toml"), instead=True)
        for reading, options in spec.by_reading.items()
        for option, other in options.items()
    }
    return PokerRanking(spec, path, order, also, places, bool(also or places), _suited(spec, (*order, *also)), others)


def _suited(spec: RankingFile, categories: Iterable[Category]) -> int:
    """Return the minimum number of cards of one suit, jokers included, for suits to matter."""
    placed = [found.longest for name in spec.places if (found := _placed(name, spec.house))]
    return min((*(each.longest for each in categories if each.longest), *placed), default=MOST_CARDS + 1)


def _placed(name: str, house: House) -> Category | None:
    """Return the category of a name with a place: `royal flush in the first 5`, `community royal flush`."""
    return category(name.removeprefix("community ").partition(" in the first ")[0], house)


def _faults(path: Path, spec: RankingFile, instead: bool) -> Iterator[tuple[Key, str]]:
    """Yield the errors between keys."""
    if spec.id != path.stem:
        yield ("id",), f"is {spec.id!r}; the file's name requires {path.stem!r}"
    least, most = spec.cards
    if least > most:
        yield ("cards",), f"the minimum {least} is above the maximum {most}"
    if spec.uses > most:
        yield ("uses",), f"{spec.uses} cards make a hand, and it takes at most {most}"
    for key in ("order", "also"):
        names = getattr(spec, key)
        for index, name in enumerate(names):
            if category(name, spec.house) is None:
                yield (key, index), f"no category {name!r}; allowed: {_ALLOWED}"
            if name in names[:index]:
                yield (key, index), f"{name!r} appears twice"
    if spec.order[-1] != "high card":
        yield ("order",), "some hands would have no rank; the last category must be 'high card'"
    for name, (start, end) in spec.places.items():
        if _placed(name, spec.house) is None or not 0 <= start < end <= most:
            yield ("places", name), f"no category at cards {start} to {end} of {most}; allowed: {_ALLOWED}"
    if instead and spec.by_reading:
        yield ("by-reading",), "a file that ranks instead of another must not name a third"
    for reading, options in spec.by_reading.items():
        for option, other in options.items():
            if other == spec.id or not path.with_name(f"{other}.toml").is_file():
                yield ("by-reading", reading, option), f"no other ranking {other!r} next to this file"
    for name in spec.words:
        if name not in spec.order:
            yield ("words", name), f"is not a category of this file; allowed: {', '.join(spec.order)}"


_ALLOWED: Final = f"'natural ', 'N-card ' of a sequence or a flush, and one of {', '.join(KINDS)}; ' in spades'"
