"""Arrangement of a split hand by simulated people: the house way of the regulation, else the best low hand that stays
below the rest."""

from collections.abc import Iterator
from functools import partial
from itertools import combinations

from protocol.cards import Card
from rules.game.house_ways import TwoPartHand, load_houseway
from rules.game.load import Game, game_id_of, load_game
from rules.hands import Ranked


def arranged(procedure: str, cards: tuple[Card, ...], low: int) -> TwoPartHand:
    """Return the split hand. The first cards are the low hand if no game ranks its parts, a face is unknown, or a
    supervisor lets another number of cards play."""
    game_id = game_id_of(procedure)
    game = load_game(game_id) if game_id else None
    if game is None or not game.spec.sets or not all(card.is_face for card in cards):
        return TwoPartHand(cards[:low], cards[low:])
    parts = game.spec.sets[0]
    if len(cards) != sum(game.spec.hands[part].of["own"] for part in (parts.low, parts.rest)):
        return TwoPartHand(cards[:low], cards[low:])
    return _set(game, cards, low)


def _set(game: Game, cards: tuple[Card, ...], count: int) -> TwoPartHand:
    readings, parts = game.default_readings(), game.spec.sets[0]
    rank_low, rank_rest = (partial(_rank, game, name, readings) for name in (parts.low, parts.rest))
    for way in map(load_houseway, game.spec.houseways):
        if (found := way.settings(cards, rank_low, rank_rest)) is not None:
            return found[1][0]
    legal = [each for each in _splits(cards, count) if rank_low(each.low).strength <= rank_rest(each.rest).strength]
    return max(legal, key=lambda each: (rank_low(each.low).strength, rank_rest(each.rest).strength))


def _rank(game: Game, hand: str, readings: dict[str, str], cards: tuple[Card, ...]) -> Ranked:
    return game.ranking_of(hand, readings).rank(cards, readings)


def _splits(cards: tuple[Card, ...], low: int) -> Iterator[TwoPartHand]:
    for chosen in combinations(cards, low):
        rest = list(cards)
        for card in chosen:
            rest.remove(card)
        yield TwoPartHand(chosen, tuple(rest))
