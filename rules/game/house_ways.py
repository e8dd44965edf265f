"""House ways: the rules by which a house sets its hand in two, as a strict TOML file; the first rule that applies
decides.

A rule considers the ranks that the cards hold more than once and the hands of the two parts. Among the settings it
allows, it prefers the best low part or the best rest. A joker counts as an ace among the ranks; the ranking decides its
use in a part. A setting whose low part outranks the rest is invalid.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import Field

from dealer_flow.tomlfile import TomlTable, files_in, load, locate
from protocol.cards import ACE_HIGH, RANKS_UP, SUITS, Card, high_rank
from protocol.tomlfile import Key
from rules.game.readings import READINGS
from rules.hands import Ranked, Ranking, ranking, ranking_ids
from rules.hands.words import rank_of
from rules.paytables.conditions import CONDITIONS

HOUSEWAYS: Final = Path(__file__).parents[1] / "data" / "houseways"
_RED: Final = frozenset("DH")
_LOWS_KEPT: Final = 1 << 13
"""Maximum number of cached low parts: there are 2,756 of two cards."""
_KEYS_KEPT: Final = 1 << 13
"""Maximum number of cached answers whether a hand makes a row."""

_NO_READINGS: Final[Mapping[str, str]] = MappingProxyType({})

Rank = Callable[[tuple[Card, ...]], Ranked]
"""Function that ranks cards at this table."""


class WayRule(TomlTable):
    """One rule of a house way. It applies to a hand that meets all its conditions."""

    does: str
    """The rule in words."""
    clause: str
    groups: tuple[int, ...] | None = None
    """Counts of all ranks that the hand holds more than once, highest count first."""
    ranks: tuple[str, ...] = ()
    """Allowed ranks of each group, highest first: `A`, `2 to 6`."""
    holds: str = ""
    """Hand that all the cards make, by the file's `ranking`."""
    low: str = ""
    """Hand that the low part makes, as a pay table's row says it."""
    rest: str = ""
    """Hand that the rest makes, as a pay table's row says it."""
    low_ranks: tuple[str, ...] = ()
    """Ranks that the low part contains."""
    one_colour: bool = False
    """True if the cards of the rest are all red or all black."""
    prefer: Literal["low", "rest"] = "low"
    """Part that is set as high as possible, before the other."""
    lowest_suit: bool = False
    """True to use, of equal low cards, the first of clubs, diamonds, hearts, spades."""
    when: dict[str, str] = Field(default_factory=dict)
    """Option by reading; the rule applies only if all of them are in use."""


class WayFile(TomlTable):
    """A house way: `low` of `cards` cards are set apart. `ranking` ranks all of them, if a rule needs it."""

    schema_: Literal["dealwire.houseway/1"] = Field(alias="schema")
    id: str
    title: str
    clause: str
    cards: Annotated[int, Field(ge=2, le=9)]
    """Number of cards that are set in two."""
    low: Annotated[int, Field(ge=1, le=4)]
    """Number of cards that are set apart."""
    ranking: str = ""
    """Ranking of all the cards, if a rule needs it."""
    rules: Annotated[tuple[WayRule, ...], Field(min_length=1)]
    notes: tuple[str, ...] = ()


class TwoPartHand(NamedTuple):
    """A hand set in two."""

    low: tuple[Card, ...]
    rest: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class HouseWay:
    """A house way ready for use."""

    spec: WayFile
    whole: Ranking | None
    sha256: str
    """SHA-256 of the content of the file, as hex."""

    @property
    def id(self) -> str:
        """Id, such as `emperors-challenge`."""
        return self.spec.id

    def settings(
        self, cards: Iterable[Card], low: Rank, rest: Rank, readings: Mapping[str, str] = _NO_READINGS
    ) -> tuple[WayRule, tuple[TwoPartHand, ...]] | None:
        """Return the rule that decides these cards under these readings, and the settings it allows: several if they
        are of equal worth.

        Returns None if no rule covers the cards.
        """
        cards = tuple(cards)
        ways = [_Way(cards, each, low, rest) for each in _choices(len(cards), self.spec.low)]
        ways.sort(key=_low_strength, reverse=True)
        groups = _rank_groups(cards)
        times = tuple([number for number, _ in groups])
        for rule in self.spec.rules:
            if rule.when and not rule.when.items() <= readings.items():
                continue
            if rule.groups in (None, times) and self._refers_to(rule, cards, groups) and (best := _best(rule, ways)):
                return rule, tuple([way.setting for way in best])
        return None

    def readings_of(self, cards: Iterable[Card]) -> frozenset[str]:
        """Return the readings for which it has specific rules for cards with the same counts of ranks."""
        own = [rule for rule in self.spec.rules if rule.when]
        times = tuple([number for number, _ in _rank_groups(cards)]) if own else ()
        return frozenset(name for rule in own if rule.groups in (None, times) for name in rule.when)

    def _refers_to(self, rule: WayRule, cards: tuple[Card, ...], groups: list[tuple[int, int]]) -> bool:
        within = (_within(rank, wanted) for (_, rank), wanted in zip(groups, rule.ranks, strict=False))
        if rule.ranks and not all(within):
            return False
        return not rule.holds or (self.whole is not None and _makes(rule.holds, self.whole.rank(cards, {}).key))


class _Way:
    """A setting of a hand. Its rest is ranked only when needed, because there are many."""

    __slots__ = ("_ranks", "_rest", "low", "setting", "strength")

    def __init__(self, cards: tuple[Card, ...], choice: "_Choice", low: Rank, rest: Rank) -> None:
        mine, others = choice
        self.setting, self._ranks = TwoPartHand(mine(cards), others(cards)), rest
        self.low = _ranked(low, self.setting.low)
        self.strength = self.low.strength
        self._rest: Ranked | None = None

    @property
    def rest(self) -> Ranked:
        """The rest, ranked."""
        if self._rest is None:
            self._rest = self._ranks(self.setting.rest)
        return self._rest

    def may_be(self, rule: WayRule) -> bool:
        """Return True if the rule allows it, apart from the hand that the rest makes."""
        if rule.low and not _makes(rule.low, self.low.key):
            return False
        if rule.one_colour and len({(card.suit or "") in _RED for card in self.setting.rest}) > 1:
            return False
        return not rule.low_ranks or not Counter(map(_of, rule.low_ranks)) - Counter(map(_rank, self.setting.low))

    def stands(self, rule: WayRule) -> bool:
        """Return True if its rest is what the rule requires, and not lower than the low part."""
        rest = self.rest
        return bool(self.strength <= rest.strength) and (not rule.rest or _makes(rule.rest, rest.key))

    def last(self, rule: WayRule) -> tuple[int, ...]:
        """Return the tie-breaker between settings whose parts are equal."""
        return tuple(-SUITS.index(card.suit or "S") for card in self.setting.low) if rule.lowest_suit else ()


def _best(rule: WayRule, ways: Sequence[_Way]) -> list[_Way]:
    """Return the best valid settings by this rule; `ways` are sorted by low part, best first.

    If the low part is preferred, lower ones are skipped once one is valid.
    """
    standing: list[_Way] = []
    for way in ways:
        if standing and rule.prefer == "low" and way.strength != standing[0].strength:
            break
        if way.may_be(rule) and way.stands(rule):
            standing.append(way)
    if len(standing) < 2:
        return standing
    return _most(standing, lambda way: (way.rest.strength, way.strength, way.last(rule)))


def _low_strength(way: _Way) -> Any:
    return way.strength


def _most(ways: Sequence[_Way], worth: Callable[[_Way], Any]) -> list[_Way]:
    best = max(map(worth, ways), default=None)
    return [way for way in ways if worth(way) == best]


@lru_cache(maxsize=_LOWS_KEPT)
def _ranked(rank: Rank, cards: tuple[Card, ...]) -> Ranked:
    """Rank a low part; cached, because there are few."""
    return rank(cards)


_Pick = Callable[[tuple[Card, ...]], tuple[Card, ...]]
_Choice = tuple[_Pick, _Pick]
"""Functions that pick the low part and the rest from all cards."""


@cache
def _choices(cards: int, low: int) -> tuple[_Choice, ...]:
    """Return each choice of low cards and the remaining cards, by position."""
    chosen = combinations(range(cards), low)
    return tuple((_pick(places), _pick([each for each in range(cards) if each not in places])) for places in chosen)


def _pick(places: Sequence[int]) -> _Pick:
    if len(places) == 1:  # with a single index `itemgetter` returns the card itself, not a tuple
        return itemgetter(slice(places[0], places[0] + 1))
    return itemgetter(*places)


def _rank(card: Card) -> int:
    return ACE_HIGH if card.is_joker else high_rank(card)


def _rank_groups(cards: Iterable[Card]) -> list[tuple[int, int]]:
    """Return (count, rank) of every rank held more than once, highest count and then highest rank first; a joker is an
    ace."""
    times = Counter(map(_rank, cards))
    return sorted(((number, rank) for rank, number in times.items() if number > 1), reverse=True)


def _within(rank: int, wanted: str) -> bool:
    first, _, last = wanted.partition(" to ")
    return _of(first) <= rank <= _of(last or first)


def _of(letter: str) -> int:
    return 10 if letter == "T" else rank_of(letter.lower())


@lru_cache(maxsize=_KEYS_KEPT)
def _makes(row: str, key: Hashable) -> bool:
    """Return True if a hand with this key satisfies a row."""
    check = CONDITIONS["poker"].check(row)
    return check is not None and bool(check(key))


def houseway_ids() -> tuple[str, ...]:
    """Return the ids of the house ways in this package."""
    return tuple(files_in(HOUSEWAYS))


def load_houseway(source: str | Path) -> HouseWay:
    """Load a house way by id or from a file; TomlFileError names the file, line, key and allowed values."""
    path = locate(source, files_in(HOUSEWAYS), "house way", named="allowed")
    spec = load(path, WayFile, lambda spec: _faults(path, spec))
    # `when` came later; omitting it keeps old hashes.
    plain = {number: {"when"} for number, rule in enumerate(spec.rules) if not rule.when}
    text = spec.model_dump_json(by_alias=True, exclude={"rules": plain})
    digest = hashlib.sha256(text.encode()).hexdigest()
    return HouseWay(spec, ranking(spec.ranking) if spec.ranking else None, digest)


def _faults(path: Path, spec: WayFile) -> Iterator[tuple[Key, str]]:
    """Yield the errors between keys."""
    if spec.id != path.stem:
        yield ("id",), f"is {spec.id!r}; the file's name requires {path.stem!r}"
    if spec.low >= spec.cards:
        yield ("low",), f"{spec.low} of {spec.cards} cards; allowed: fewer"
    if spec.ranking and spec.ranking not in ranking_ids():
        yield ("ranking",), f"unknown ranking {spec.ranking!r}; allowed: {', '.join(ranking_ids())}"
    for index, rule in enumerate(spec.rules):
        for key, text in (("holds", rule.holds), ("low", rule.low), ("rest", rule.rest)):
            if text and CONDITIONS["poker"].check(text) is None:
                yield ("rules", index, key), f"{text!r} is not a row; allowed: {CONDITIONS['poker'].allowed}"
        for name, option in rule.when.items():
            if option not in READINGS.get(name, {}):
                allowed = ", ".join(READINGS.get(name, READINGS))
                yield ("rules", index, "when", name), f"no option {option!r} of a reading {name!r}; allowed: {allowed}"
        if rule.holds and not spec.ranking:
            yield ("rules", index, "holds"), "needs a `ranking` of the file, to rank all cards"
        yield from ((("rules", index, key), why) for key, why in _rank_faults(rule).items())


def _rank_faults(rule: WayRule) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for key, texts in (("ranks", rule.ranks), ("low-ranks", rule.low_ranks)):
        for text in texts:
            ends = text.split(" to ", 1) if key == "ranks" else [text]
            if not all(end in RANKS_UP for end in ends):
                found[key] = f"{text!r} is not a rank; allowed: {', '.join(RANKS_UP)}, or 'RANK to RANK'"
    if len(rule.ranks) > len(rule.groups or ()):
        found["ranks"] = f"{len(rule.ranks)} ranks of {len(rule.groups or ())} groups; allowed: as many as groups"
    return found
