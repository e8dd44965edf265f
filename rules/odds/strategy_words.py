"""What a rule of a strategy may ask of the cards that a player sees. Everything that one `when` names must hold."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Final

from pydantic import Field

from dealer_flow.tomlfile import TomlTable
from protocol.cards import ACE_HIGH, DECK, RANKS_UP, Card, high_rank, parse_cards
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


@dataclass(frozen=True)
class InView:
    """What a player sees: `cards`, the first `own` of them his own, and the dealer's that lie open."""

    cards: tuple[Card, ...]
    dealer: tuple[Card, ...]
    own: int
    game: Game


def holds(when: RuleWhen, seen: InView) -> bool:
    """Whether everything that `when` names holds."""
    return all(_conditions(when, seen))


def of_own(when: RuleWhen) -> str:
    """A condition in `when` that asks which cards are the player's own, as the file names it; empty where none does."""
    for name in ("hole", "hidden_pair", "hidden_draw", "outs_below"):
        value = getattr(when, name)
        if value or value is False:  # `hidden-pair = false` asks, too
            return name.replace("_", "-")
    return next(filter(None, map(of_own, (*((when.without,) if when.without else ()), *when.any))), "")


def _conditions(when: RuleWhen, seen: InView) -> Iterator[bool]:
    ranks = sorted(map(high_rank, seen.cards), reverse=True)
    if when.at_least:
        yield _strength(seen.game, seen.cards) >= _least(seen.game, when.at_least)
    if when.makes:
        key = _key(seen.game, seen.cards)
        yield any(_row(row)(key) for row in when.makes)
    if when.holds:
        wanted = Counter(RANKS_UP.index(letter) + 2 for letter in when.holds)
        yield all(ranks.count(rank) >= times for rank, times in wanted.items())
    if when.suited:
        yield _is_suited(seen.cards, when.suited, when.spread)
    if when.high:
        least = RANKS_UP.index(when.high.rank) + 2
        yield sum(rank >= least for rank in ranks) >= when.high.cards
    if when.hole:
        yield any(fits_hole(each, seen.cards[:2]) for each in when.hole)
    yield from _of_dealer(when, seen, ranks)
    yield from _hidden(when, seen)
    if when.without:
        yield not holds(when.without, seen)
    if when.any:
        yield any(holds(each, seen) for each in when.any)


def _of_dealer(when: RuleWhen, seen: InView, ranks: Sequence[int]) -> Iterator[bool]:
    if when.dealer:
        yield any(RANKS_UP[high_rank(card) - 2] in when.dealer for card in seen.dealer)
    if when.dealer_matches is not None:
        yield any(high_rank(card) in ranks for card in seen.dealer) == when.dealer_matches


def _hidden(when: RuleWhen, seen: InView) -> Iterator[bool]:
    own, times = [high_rank(card) for card in seen.cards[: seen.own]], Counter(map(high_rank, seen.cards))
    if when.hidden_pair is not None:
        yield any(times[rank] > 1 for rank in own) == when.hidden_pair
    if when.hidden_draw:
        suits = Counter(card.suit for card in seen.cards)
        least = RANKS_UP.index(when.hidden_draw) + 2
        mine = seen.cards[: seen.own]
        yield any(suits[card.suit] >= 4 and high_rank(card) >= least for card in mine)
    if when.outs_below:
        yield _outs(seen) < when.outs_below


def _outs(seen: InView) -> int:
    """Cards that nobody has seen which make more with the board than the player has."""
    board, mine = seen.cards[seen.own :], _strength(seen.game, seen.cards)
    return sum(_strength(seen.game, (*board, card)) > mine for card in DECK if card not in seen.cards)


def _ranking(game: Game) -> Ranking:
    return game.rankings[_PLAYER] if _PLAYER in game.rankings else next(iter(game.rankings.values()))


def _strength(game: Game, cards: Sequence[Card]) -> Any:
    ranking = _ranking(game)
    least, most = ranking.sizes
    if not least <= len(cards) <= most:
        raise OddsRefused("at-least with cards", len(cards), [f"{least} to {most} in {ranking.id}", "makes"])
    return ranking.rank(cards, game.default_readings()).strength


_LEAST: Final[dict[tuple[str, str, str], Any]] = {}


def _least(game: Game, text: str) -> Any:
    """The strength of a hand as a file writes it."""
    key = game.id, game.sha256, text
    if key not in _LEAST:
        _LEAST[key] = _strength(game, parse_cards(text))
    return _LEAST[key]


def _key(game: Game, cards: Sequence[Card]) -> Any:
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
def _row(row: str) -> Any:
    return _POKER.check(row)


def _is_suited(cards: Sequence[Card], number: int, spread: int) -> bool:
    for suit in {card.suit for card in cards}:
        ranks = [high_rank(card) for card in cards if card.suit == suit]
        low = [1 if rank == ACE_HIGH else rank for rank in ranks]
        if len(ranks) >= number and (not spread or min(max(each) - min(each) for each in (ranks, low)) < spread):
            return True
    return False


def fits_hole(text: str, cards: Sequence[Card]) -> bool:
    """Whether two cards are of a class of holes, as in `A2s+`."""
    found = _HOLE.fullmatch(text)
    if found is None or len(cards) < 2:
        return False
    high, low = (RANKS_UP.index(found[part]) + 2 for part in (1, 2))
    first, second = sorted(map(high_rank, cards), reverse=True)
    suited = cards[0].suit == cards[1].suit
    if high == low:
        return first == second and (first == high or (first > high and bool(found[4])))
    fits = found[3] == "" or suited == (found[3] == "s")
    return fits and first == high and (second == low or (low < second < high and bool(found[4])))


def faults_of(when: RuleWhen, game: Game) -> Iterator[tuple[Key, str]]:
    """What one key cannot know of another, or of the game."""
    if when.at_least:
        try:
            _strength(game, parse_cards(when.at_least))
        except (ValueError, DealwireError) as error:
            yield ("at-least",), str(error)
    for number, row in enumerate(when.makes):
        if _row(row) is None:
            yield ("makes", number), f"no row {row!r}; allowed: {_POKER.allowed}"
    for number, text in enumerate(when.hole):
        found = _HOLE.fullmatch(text)
        if found is None or RANKS_UP.index(found[1]) < RANKS_UP.index(found[2]) or (found[1] == found[2] and found[3]):
            yield ("hole", number), f"{text!r} is no class of two cards; allowed: 'QQ+', 'A2s+', 'KTo', 'QJ'"
    if when.spread and not when.suited:
        yield ("spread",), "goes with suited: within how many ranks those cards lie"
    if when.without:
        yield from ((("without", *key), why) for key, why in faults_of(when.without, game))
    for number, other in enumerate(when.any):
        yield from ((("any", number, *key), why) for key, why in faults_of(other, game))
