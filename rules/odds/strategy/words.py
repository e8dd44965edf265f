"""What a rule of a strategy may ask of the cards that a player sees. Everything that one `when` names must hold, as
`rules.odds.strategy.seen_hands` looks at them."""

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
    """At least so many cards of this rank or a higher one."""

    rank: Annotated[str, Field(pattern=f"^[{RANKS_UP}]$")]
    """The lowest rank that counts: 2 to 9, T, J, Q, K, A."""
    cards: Annotated[int, Field(ge=1, le=9)] = 1
    """How many of them at least."""


class RuleWhen(TomlTable):
    """Conditions on the cards a player sees, without which every hand is meant.

    `at_least`: a hand in cards, which the player's must equal or beat; `makes`: rows of a pay table, one of which it
    holds; `holds`: ranks that are all there, as in `AK`; `suited`: so many cards of one suit, which lie within `spread`
    ranks where that is given; `high`; `hole`: the player's first two cards, as in `A2s+`, `KTo+`, `22+`; `dealer`: the
    rank of the dealer's card is one of these, `dealer_matches`: and one of the player's; `hidden_pair`: a pair or
    better with one of the player's own two cards; `hidden_draw`: four of a suit with one of his own of this rank or
    higher in it; `outs_below`: fewer cards than this would beat him, were the dealer to hold one of them with the
    board; `without`: none of that holds; `any`: one of these does.
    """

    at_least: str = ""
    makes: tuple[str, ...] = ()
    holds: Annotated[str, Field(pattern=f"^[{RANKS_UP}]*$")] = ""
    suited: Annotated[int, Field(ge=0, le=9)] = 0
    spread: Annotated[int, Field(ge=0, le=13)] = 0
    """The ranks within which the suited cards lie."""
    high: HighCards | None = None
    """So many cards of a high rank."""
    hole: tuple[str, ...] = ()
    dealer: Annotated[str, Field(pattern=f"^[{RANKS_UP}]*$")] = ""
    dealer_matches: bool | None = None
    """The rank of the dealer's card is one of the player's."""
    hidden_pair: bool | None = None
    hidden_draw: Annotated[str, Field(pattern=f"^[{RANKS_UP}]?$")] = ""
    outs_below: Annotated[int, Field(ge=0, le=52)] = 0
    without: "RuleWhen | None" = None
    any: tuple["RuleWhen", ...] = ()


def of_own(when: RuleWhen) -> str:
    """A condition in `when` that asks which cards are the player's own, as the file names it; empty where none does."""
    for name in ("hole", "hidden_pair", "hidden_draw", "outs_below"):
        value = getattr(when, name)
        if value or value is False:  # `hidden-pair = false` asks, too
            return name.replace("_", "-")
    return next(filter(None, map(of_own, (*((when.without,) if when.without else ()), *when.any))), "")


def _ranking(game: Game) -> Ranking:
    return game.rankings[_PLAYER] if _PLAYER in game.rankings else next(iter(game.rankings.values()))


def strength_of(game: Game, cards: Sequence[Card]) -> Any:
    """What the player's ranking makes of cards; OddsRefused for so many that it does not take."""
    ranking = _ranking(game)
    least, most = ranking.sizes
    if not least <= len(cards) <= most:
        raise OddsRefused("at-least with cards", len(cards), [f"{least} to {most} in {ranking.id}", "makes"])
    return ranking.rank(cards, game.default_readings()).strength


def key_of(game: Game, cards: Sequence[Card]) -> Any:
    """The key of the game's own ranking, or of the ranks alone while there are too few cards for it."""
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
    """The check of a key by a row of a pay table; None for what is no row."""
    return _POKER.check(row)


def hole_class(text: str) -> tuple[int, int, str, bool] | None:
    """Of a class of two cards, as in `A2s+`: the higher rank and the lower one, `s` or `o` where suits matter, and
    whether a higher second card, or a higher pair, is of it, too; None for a text that is none."""
    found = _HOLE.fullmatch(text)
    return found and (RANKS_UP.index(found[1]) + 2, RANKS_UP.index(found[2]) + 2, found[3], bool(found[4]))


def faults_of(when: RuleWhen, game: Game) -> Iterator[tuple[Key, str]]:
    """What one key cannot know of another, or of the game."""
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
            yield ("hole", number), f"{text!r} is no class of two cards; allowed: 'QQ+', 'A2s+', 'KTo', 'QJ'"
    if when.spread and not when.suited:
        yield ("spread",), "goes with suited: within how many ranks those cards lie"
    if when.without:
        yield from ((("without", *key), why) for key, why in faults_of(when.without, game))
    for number, other in enumerate(when.any):
        yield from ((("any", number, *key), why) for key, why in faults_of(other, game))
