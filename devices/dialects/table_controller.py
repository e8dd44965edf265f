"""Table controller (keypad, bet sensors, layout reader): its messages as events."""

from enum import IntEnum
from typing import Final

from devices import events as e
from devices.dialects.translation import Names, Table, TableDriver, common_events, names_of
from protocol.cards import CARDS, RANKS, SUITS
from protocol.places import PLACES
from protocol.tdp import messages as m
from protocol.tdp import state_book


def _spelt(numbers: type[IntEnum]) -> Names:
    return Names({number: name.lower().replace("_", "-") for number, name in names_of(numbers).items()})


_SPREADS: Final = _spelt(m.Spread)
_MISHAPS: Final = _spelt(m.Mishandling)
_SETTERS: Final = _spelt(m.SetBy)
_LEVELS: Final = _spelt(m.BadgeLevel)
_ACTIONS: Final = _spelt(m.PlayerAction)
_MANNERS: Final = _spelt(m.ActionManner)
_KEYED: Final = int(m.RevealSource.KEYED)  # plain ints: compared for every report
_NO_MANNER: Final = int(m.ActionManner.NONE)


def _burn(event: m.BurnConfirmedMessage) -> e.BurnConfirmed:
    positions = tuple([bit + 1 for bit in range(event.positions.bit_length()) if event.positions >> bit & 1])
    return e.BurnConfirmed(PLACES[event.place], positions, _SPREADS[event.spread])


def _revealed(event: m.HandRevealedMessage) -> e.HandRevealed:
    cards = tuple([CARDS[code] for code in event.cards])
    return e.HandRevealed(PLACES[event.place], cards, event.source == _KEYED)


def _set(event: m.HandSetMessage) -> e.HandSet:
    cards = tuple([CARDS[code] for code in event.cards])
    low, rest = cards[: event.low], cards[event.low :]
    return e.HandSet(PLACES[event.place], _SETTERS[event.by], bool(event.foul), low, rest)


def _discarded(event: m.CardsDiscardedMessage) -> e.CardsDiscarded:
    return e.CardsDiscarded(PLACES[event.place], tuple([CARDS[code] for code in event.cards]))


def _wager_on(event: m.WagerOnMessage) -> e.WagerOn:
    return e.WagerOn(event.seat, event.bet, event.proposition, _on(event.on), event.cents)


def _on(code: int) -> str:
    """Return `TD`, `T`, `D` or an empty string for a wager's card; the text of the code if it is none of these."""
    suit, rank = code >> 4, code & 0x0F
    if suit > len(SUITS) or rank > len(RANKS):
        return CARDS[code].text
    return ("?" + RANKS)[rank].strip("?") + ("?" + SUITS)[suit].strip("?")


def _corrected(event: m.HandCorrectedMessage) -> e.HandCorrected:
    cards = tuple([CARDS[code] for code in event.cards])
    return e.HandCorrected(PLACES[event.place], event.badge, _LEVELS[event.level], cards)


def _acted(event: m.PlayerActedMessage) -> e.PlayerActed:
    manner = _MANNERS[event.manner] if event.manner != _NO_MANNER else ""
    return e.PlayerActed(event.seat, _ACTIONS[event.action], event.cents, manner)


EVENTS: Final[Table] = {
    **common_events(m.ControllerState),
    m.GameStartedMessage: lambda event: e.GameStarted(event.round),
    m.GameEndedMessage: lambda event: e.GameEnded(event.round),
    m.SensorChangedMessage: lambda event: e.SensorChanged(event.seat, bool(event.on)),
    m.HandButtonMessage: lambda event: e.HandButton(event.hand, bool(event.on)),
    m.SpotSelectedMessage: lambda event: e.SpotSelected(event.seat),
    m.BadgeSwipedMessage: lambda event: e.BadgeSwiped(event.badge, _LEVELS[event.level]),
    m.ConfirmedMessage: lambda _: e.Confirmed(),
    m.WagerPlacedMessage: lambda event: e.WagerPlaced(event.seat, event.bet, event.cents),
    m.DecisionMadeMessage: lambda event: e.DecisionMade(event.seat, event.decision),
    m.BurnConfirmedMessage: _burn,
    m.HandRevealedMessage: _revealed,
    m.CardsCountedMessage: lambda event: e.CardsCounted(PLACES[event.place], event.counted),
    m.MisdealCalledMessage: lambda event: e.MisdealCalled(event.badge, event.fault),
    m.CardMishandledMessage: lambda event: e.CardMishandled(
        PLACES[event.place], _MISHAPS[event.how], CARDS[event.card]
    ),
    m.HandSetMessage: _set,
    m.CardsDiscardedMessage: _discarded,
    m.NumberDrawnMessage: lambda event: e.NumberDrawn(event.drawn),
    m.WagerOnMessage: _wager_on,
    m.HandCorrectedMessage: _corrected,
    m.StakeShownMessage: lambda event: e.StakeShown(event.seat, event.cents),
    m.PlayerActedMessage: _acted,
    m.PotTakenMessage: lambda event: e.PotTaken(event.pot, event.seat, event.cents),
}


class TableControllerDriver(TableDriver):
    """Driver of a table controller."""

    events, booked = EVENTS, state_book.CONTROLLER
