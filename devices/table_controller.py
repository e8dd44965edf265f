"""The table controller: keypad, bet sensors, layout reader; its events in our words."""

from typing import Final

from devices import events as e
from devices.translation import Table, TableDriver, common_events, name_of, names_of
from protocol.cards import CARDS
from protocol.places import PLACES
from protocol.tdp import messages as m

_SPREADS: Final = names_of(m.Spread)
_MISHAPS: Final = names_of(m.Mishandling)
_LEVELS: Final[dict[int, str]] = {
    m.BadgeLevel.DEALER: e.Level.DEALER,
    m.BadgeLevel.SUPERVISOR: e.Level.SUPERVISOR,
    m.BadgeLevel.EXECUTIVE: e.Level.EXECUTIVE,
}


def _badge(event: m.BadgeSwipedMessage) -> e.BadgeSwiped:
    return e.BadgeSwiped(event.badge, _LEVELS.get(event.level, f"0x{event.level:02X}"))


def _burn(event: m.BurnConfirmedMessage) -> e.BurnConfirmed:
    positions = tuple(bit + 1 for bit in range(event.positions.bit_length()) if event.positions >> bit & 1)
    spread = name_of(_SPREADS, event.spread)
    return e.BurnConfirmed(PLACES[event.place], positions, spread if spread[0] == "0" else _spell(spread))


def _mishandled(event: m.CardMishandledMessage) -> e.CardMishandled:
    how = name_of(_MISHAPS, event.how)
    return e.CardMishandled(PLACES[event.place], how if how[0] == "0" else _spell(how), CARDS[event.card])


def _spell(name: str) -> str:
    return name.lower().replace("_", "-")


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
    m.BadgeSwipedMessage: _badge,
    m.ConfirmedMessage: lambda _: e.Confirmed(),
    m.WagerPlacedMessage: lambda event: e.WagerPlaced(event.seat, event.bet, event.cents),
    m.DecisionMadeMessage: lambda event: e.DecisionMade(event.seat, event.decision),
    m.BurnConfirmedMessage: _burn,
    m.HandRevealedMessage: _revealed,
    m.CardsCountedMessage: lambda event: e.CardsCounted(PLACES[event.place], event.counted),
    m.MisdealCalledMessage: lambda event: e.MisdealCalled(event.badge, event.fault),
    m.CardMishandledMessage: _mishandled,
}


class TableControllerDriver(TableDriver):
    """Driver of a table controller."""

    events = EVENTS
