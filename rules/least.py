"""The least hands that qualify, examined when a game is read: cards that their ranking takes."""

from collections.abc import Iterator, Mapping

from protocol.cards import parse_card
from protocol.tomlfile import Key
from rules.hands import Ranking
from rules.spec import GameSpec


def least_faults(spec: GameSpec, rankings: Mapping[str, Ranking]) -> Iterator[tuple[Key, str]]:
    """Qualifiers of no hand of the game, and those whose cards are none, too many, or twice the same in one deck."""
    readings = {name: reading.default for name, reading in spec.readings.items()}
    for name, each in spec.qualifiers.items():
        key = "qualifiers", name
        if each.hand not in rankings:
            yield (*key, "hand"), f"unknown hand {each.hand!r}; allowed: {', '.join(rankings)}"
            continue
        try:
            cards = tuple(parse_card(text) for text in each.at_least.split())
            rankings[each.hand].rank(cards, readings)
        except ValueError as error:
            yield (*key, "at-least"), str(error)
            continue
        if spec.decks == 1 and len({*cards}) < len(cards):
            yield (*key, "at-least"), f"a card stands twice in {each.at_least!r}, and there is one deck"
