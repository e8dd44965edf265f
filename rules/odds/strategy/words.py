"""Conditions of a strategy's rule on the cards that a player sees; `rules.odds.strategy.seen_hands` evaluates them. All
conditions of a `when` must hold."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Annotated, Any, Final

from pydantic import Field

from dealer_flow.tomlfile import TomlTable
from protocol.cards import RANKS_UP, Card, high_rank, parse_cards
from protocol.errors import DealwireError
from protocol.tomlfile import Key
from rules.errors import OddsRefused
from rules.game.load import Game
from rules.hands import Made, Ranking
from rules.paytables.conditions import CONDITIONS

_HOLE: Final = re.compile(r"([2-9TJQKA])([2-9TJQKA])([so]?)(\+?)")
_PLAYER: Final = "player"
_POKER: Final = CONDITIONS["poker"]


class HighCards(TomlTable):
    """A minimum number of cards of this rank or higher."""

    rank: Annotated[str, Field(pattern=f"^[{RANKS_UP}]$")]
    """The lowest rank that counts: 2 to 9, T, J, Q, K, A."""
    cards: Annotated[int, Field(ge=1, le=9)] = 1
    """Minimum number of such cards."""


class RuleWhen(TomlTable):
    """Conditions on the cards that a player sees. All of them must hold; without any, every hand matches."""

    at_least: str = ""
    """Hand in cards that the player's hand must equal or beat."""
    makes: tuple[str, ...] = ()
    """Rows of a pay table, one of which the hand makes."""
    holds: Annotated[str, Field(pattern=f"^[{RANKS_UP}]*$")] = ""
    """Ranks that the hand holds, such as `AK`."""
    suited: Annotated[int, Field(ge=0, le=9)] = 0
    """Minimum number of cards of one suit, within `spread` ranks if given."""
    spread: Annotated[int, Field(ge=0, le=13)] = 0
    """Number of ranks within which the suited cards fit."""
    high: HighCards | None = None
    """A number of cards of a high rank."""
    hole: tuple[str, ...] = ()
    """The player's first two cards, such as `A2s+`, `KTo+`, `22+`; one of these."""
    dealer: Annotated[str, Field(pattern=f"^[{RANKS_UP}]*$")] = ""
    """Ranks, one of which is that of the dealer's card."""
    dealer_matches: bool | None = None
    """True if the rank of the dealer's card is one of the player's."""
    hidden_pair: bool | None = None
    """True for a pair or better with one of the player's own two cards."""
    hidden_draw: Annotated[str, Field(pattern=f"^[{RANKS_UP}]?$")] = ""
    """Rank; the hand has four cards of a suit, including one of the player's own of this rank or higher."""
    outs_below: Annotated[int, Field(ge=0, le=52)] = 0
    """The condition holds if fewer cards than this would beat the player if the dealer held one of them with the
    board."""
    without: "RuleWhen | None" = None
    """Conditions that must not all hold."""
    any: tuple["RuleWhen", ...] = ()
    """Sets of conditions, one of which holds."""


def first_own_condition(when: RuleWhen) -> str:
    """Return the first condition in `when` that depends on which cards are the player's own, as the file names it;
    empty if there is none."""
    for name in ("hole", "hidden_pair", "hidden_draw", "outs_below"):
        value = getattr(when, name)
        if value or value is False:  # `hidden-pair = false` is a condition too
            return name.replace("_", "-")
    return next(filter(None, map(first_own_condition, (*((when.without,) if when.without else ()), *when.any))), "")


def _ranking(game: Game) -> Ranking:
    return game.rankings[_PLAYER] if _PLAYER in game.rankings else next(iter(game.rankings.values()))


def strength_of(game: Game, cards: Sequence[Card]) -> Any:
    """Return the strength of cards by the player's ranking; raise OddsRefused for a wrong number of cards."""
    ranking = _ranking(game)
    least, most = ranking.sizes
    if not least <= len(cards) <= most:
        raise OddsRefused("at-least with cards", len(cards), [f"{least} to {most} in {ranking.id}", "makes"])
    return ranking.rank(cards, game.default_readings()).strength


def key_of(game: Game, cards: Sequence[Card]) -> Any:
    """Return the key by the game's own ranking, or of the ranks alone while there are too few cards for it."""
    ranking = _ranking(game)
    least, most = ranking.sizes
    if least <= len(cards) <= most and ranking.vocabulary == "poker":
        return ranking.rank(cards, game.default_readings()).key
    times = Counter(map(high_rank, cards))
    ranks = sorted(times, key=lambda rank: (times[rank], rank), reverse=True)
    shape = tuple(times[rank] for rank in ranks)
    kind, number = next((kind, number) for sizes, kind, number in _SHAPES if shape[: len(sizes)] == sizes)
    return Made(kind, kind, len(cards), tuple(ranks[:number]), len(cards))


_SHAPES: Final = (
    ((4,), "four of a kind", 1),
    ((3, 3), "full house", 2),
    ((3, 2), "full house", 2),
    ((3,), "three of a kind", 1),
    ((2, 2), "two pair", 2),
    ((2,), "pair", 1),
    ((), "high card", 1),
)


@cache
def row_check(row: str) -> Any:
    """Return the check of a key by a row of a pay table; None for an invalid row."""
    return _POKER.check(row)


def hole_class(text: str) -> tuple[int, int, str, bool] | None:
    """Parse a class of two cards such as `A2s+`: the higher and the lower rank, `s` or `o` if suits matter, and whether
    a higher second card, or a higher pair, is included. None for an invalid text."""
    found = _HOLE.fullmatch(text)
    return found and (RANKS_UP.index(found[1]) + 2, RANKS_UP.index(found[2]) + 2, found[3], bool(found[4]))


def faults_of(when: RuleWhen, game: Game) -> Iterator[tuple[Key, str]]:
    """Yield the errors between keys, and with the game."""
    if when.at_least:
        try:
            strength_of(game, parse_cards(when.at_least))
        except (ValueError, DealwireError) as error:
            yield ("at-least",), str(error)
    for number, row in enumerate(when.makes):
        if row_check(row) is None:
            yield ("makes", number), f"no row {row!r}; allowed: {_POKER.allowed}"
    for number, text in enumerate(when.hole):
        found = hole_class(text)
        if found is None or found[0] < found[1] or (found[0] == found[1] and found[2]):
            yield ("hole", number), f"{text!r} is not a class of two cards; allowed: 'QQ+', 'A2s+', 'KTo', 'QJ'"
    if when.spread and not when.suited:
        yield ("spread",), "allowed only with suited: the number of ranks within which those cards fit"
    if when.without:
        yield from ((("without", *key), why) for key, why in faults_of(when.without, game))
    for number, other in enumerate(when.any):
        yield from ((("any", number, *key), why) for key, why in faults_of(other, game))
