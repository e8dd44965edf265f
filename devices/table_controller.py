"""The table controller: keypad, bet sensors, layout reader; its events in our words."""

from enum import IntEnum
from typing import Final

from devices import events as e
from devices.translation import Names, Table, TableDriver, common_events, name_of, names_of
from protocol.cards import CARDS
from protocol.places import PLACES
from protocol.tdp import messages as m


def _spelt(numbers: type[IntEnum]) -> Names:
    return {number: name.lower().replace("_", "-") for number, name in names_of(numbers).items()}


_SPREADS: Final = _spelt(m.Spread)
_MISHAPS: Final = _spelt(m.Mishandling)
_LEVELS: Final = _spelt(m.BadgeLevel)


def _burn(event: m.BurnConfirmedMessage) -> e.BurnConfirmed:
    positions = tuple(bit + 1 for bit in range(event.positions.bit_length()) if event.positions >> bit & 1)
    return e.BurnConfirmed(PLACES[event.place], positions, name_of(_SPREADS, event.spread))


def _revealed(event: m.HandRevealedMessage) -> e.HandRevealed:
    cards = tuple([CARDS[code] for code in event.cards])
    return e.HandRevealed(PLACES[event.place], cards, event.source == m.RevealSource.KEYED)


EVENTS: Final[Table] = {
    **common_events(m.ControllerState),
    m.GameStartedMessage: lambda event: e.GameStarted(event.round),
    m.GameEndedMessage: lambda event: e.GameEnded(event.round),
    m.SensorChangedMessage: lambda event: e.SensorChanged(event.seat, bool(event.on)),
    m.HandButtonMessage: lambda event: e.HandButton(event.hand, bool(event.on)),
    m.SpotSelectedMessage: lambda event: e.SpotSelected(event.seat),
    m.BadgeSwipedMessage: lambda event: e.BadgeSwiped(event.badge, name_of(_LEVELS, event.level)),
    m.ConfirmedMessage: lambda _: e.Confirmed(),
    m.WagerPlacedMessage: lambda event: e.WagerPlaced(event.seat, event.bet, event.cents),
    m.DecisionMadeMessage: lambda event: e.DecisionMade(event.seat, event.decision),
    m.BurnConfirmedMessage: _burn,
    m.HandRevealedMessage: _revealed,
    m.CardsCountedMessage: lambda event: e.CardsCounted(PLACES[event.place], event.counted),
    m.MisdealCalledMessage: lambda event: e.MisdealCalled(event.badge, event.fault),
    m.CardMishandledMessage: lambda event: e.CardMishandled(
        PLACES[event.place], name_of(_MISHAPS, event.how), CARDS[event.card]
    ),
}


class TableControllerDriver(TableDriver):
    """Driver of a table controller."""

    events = EVENTS
