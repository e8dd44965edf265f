"""Decks of a game, from its dealing procedure."""

from math import comb
from typing import NamedTuple

from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.schema import Procedure
from rules.game.load import Game
from rules.game.pairing import procedure_source
from rules.hands.hand_spec import Cards
from rules.odds.cards.dealt import CardDeck


class DealtFrom(NamedTuple):
    """`decks` decks of 52 cards, each with its `jokers`; `allowed` are the numbers of decks that the procedure
    allows."""

    decks: int = 1
    jokers: int = 0
    allowed: tuple[int, ...] = (1,)

    @property
    def shoe(self) -> CardDeck:
        """The cards of the shoe."""
        return CardDeck(self.decks, self.jokers)


def deals(game: Game) -> int:
    """Return the number of ways to deal one player's cards, the dealer's and the common cards."""
    source = dealt_from(game)
    if game.spec.race is not None:
        return comb(source.shoe.cards, game.spec.race.most)
    hands = {name: {place: _most(cards) for place, cards in hand.of.items()} for name, hand in game.spec.hands.items()}
    parts = [(hands[each.low], hands[each.rest]) for each in game.spec.sets]
    wholes = [{place: cards + rest.get(place, 0) for place, cards in low.items()} for low, rest in parts]
    places: dict[str, int] = {}
    for hand in (*hands.values(), *wholes):
        for place, cards in hand.items():
            places[place] = max(places.get(place, 0), cards)
    left, ways = source.shoe.cards, 1
    for cards in places.values():
        ways *= comb(left, cards)
        left -= cards
    return ways


def _most(cards: Cards) -> int:
    return cards if isinstance(cards, int) else cards[1]


def chosen_bets(game: Game) -> frozenset[str]:
    """Return the bets that a player makes, takes back or partly gives up by choice, and those paid by the same table:
    their return depends on his choices."""
    procedure = _procedure(game)
    if procedure is None:
        return frozenset()
    named = {name for choice in procedure.decision for name in (*choice.stakes, choice.takes_back) if name}
    named |= {choice.gives_up.bet for choice in procedure.decision if choice.gives_up}
    tables = {table for name in named if name in game.bets for table in game.bets[name].paytables}
    return frozenset(name for name, bet in game.bets.items() if name in named or tables & {*bet.paytables})


def keeps_cards(game: Game) -> bool:
    """Return True if a player chooses which of his cards he keeps."""
    procedure = _procedure(game)
    return procedure is not None and any(
        choice.draws or choice.discards or choice.lays_aside for choice in procedure.decision
    )


def _procedure(game: Game) -> Procedure | None:
    source = procedure_source(game, game.spec.procedures[0])
    return load_procedure(source) if source is not None else None


def dealt_from(game: Game) -> DealtFrom:
    """Return the deck of the game's first procedure; one deck of 52 cards if none is available."""
    procedure = _procedure(game)
    if procedure is None:
        return DealtFrom()
    if procedure.shoe is not None:
        option = next(each for each in procedure.option if each.name == procedure.shoe.decks.option)
        return DealtFrom(int(option.default), procedure.deck.jokers, tuple(int(each) for each in option.allowed))
    decks = procedure.deck.decks
    return DealtFrom(decks, procedure.deck.jokers, (decks,))
