"""A round without a result, and the muck, from published device reports, which name no face before it is shown."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dealer_flow.procedure.load import Procedure
from dealer_flow.record.details import DOLLAR
from dealer_flow.record.result import Packet
from dealwire.sheet.model import HandSoFar, RoundSoFar
from dealwire.sheet.window import JournalledEvent, RoundWindow
from dealwire.table.action_words import action_words, pot_words
from protocol.places import MUCK, seat
from rules.settlement import amount


@dataclass
class _Place:
    """A place at the table according to the newest reports."""

    cards: tuple[str, ...] = ()
    counted: int | None = None
    choices: list[str] = field(default_factory=list)
    wagers: dict[str, int] = field(default_factory=dict)
    stake: int = 0
    """Stake in cents when the hand started; 0 without a stake."""

    def so_far(self, name: str) -> HandSoFar:
        stake = [f"stake {_money(self.stake)}"] if self.stake else []
        return HandSoFar(name, self.cards, self.counted, (*stake, *self.choices), self.wagers)


def so_far(window: RoundWindow, procedure: Procedure | None) -> RoundSoFar:
    """Return a round without a result, places in order of appearance; `procedure` names its bets and choices."""
    bets = {bet.number: bet.name for bet in procedure.bet} if procedure is not None else {}
    choices = {each.number: each.name for each in procedure.decision} if procedure is not None else {}
    places: dict[str, _Place] = {}
    for event in window.events:
        _take(places, event, bets, choices)
    hands = tuple(place.so_far(name) for name, place in places.items())
    return RoundSoFar(tuple(_packets(window.events)), hands)


def muck_of(window: RoundWindow) -> HandSoFar | None:
    """Return the cards of the muck that were shown or counted."""
    places: dict[str, _Place] = {}
    for event in window.events:
        if event.fields.get("place") == MUCK.text:
            _take(places, event, {}, {})
    return places[MUCK.text].so_far(MUCK.text) if MUCK.text in places else None


def _take(
    places: dict[str, _Place], event: JournalledEvent, bets: Mapping[int, str], choices: Mapping[int, str]
) -> None:
    fields = event.fields
    if event.event == "WagerPlaced":
        _bet(_at(places, seat(fields["seat"]).text), _named(bets, fields["bet"], "spot"), fields["cents"])
    elif event.event == "WagerOn":
        name = _named(bets, fields["bet"], "spot")
        on = f"{name}, {fields['on'] or 'proposition'} {fields['proposition']}"
        _bet(_at(places, seat(fields["seat"]).text), on, fields["cents"])
    elif event.event == "DecisionMade":
        _at(places, seat(fields["seat"]).text).choices.append(_named(choices, fields["decision"], "choice"))
    elif event.event in ("StakeShown", "PlayerActed", "PotTaken"):
        _chips(_at(places, seat(fields["seat"]).text), event)
    elif event.event in ("HandRevealed", "HandCorrected"):
        _at(places, fields["place"]).cards = tuple(fields["cards"])
    elif event.event == "CardsCounted":
        _at(places, fields["place"]).counted = fields["counted"]


def _chips(place: _Place, event: JournalledEvent) -> None:
    """Add a player's action with chips as text."""
    fields = event.fields
    if event.event == "StakeShown":
        place.stake = fields["cents"]
    elif event.event == "PlayerActed":
        place.choices.append(action_words(fields["action"], fields["cents"], fields.get("manner", "")))
    else:
        place.choices.append(f"takes {_money(fields['cents'])} of {pot_words(fields['pot'])}")


def _money(cents: int) -> str:
    return amount(cents, DOLLAR).removesuffix(".00")


def _at(places: dict[str, _Place], name: str) -> _Place:
    return places.setdefault(name, _Place())


def _bet(place: _Place, name: str, cents: int) -> None:
    """Set a seat's whole bet; 0 removes it."""
    place.wagers.pop(name, None)
    if cents:
        place.wagers[name] = cents


def _named(names: Mapping[int, str], number: int, else_: str) -> str:
    return names.get(number, f"{else_} {number}")


def _packets(events: Iterable[JournalledEvent]) -> Iterable[Packet]:
    """Yield the lifted packets in order; the reports do not say where they went."""
    dealt: dict[int, Packet] = {}
    for event in events:
        ordinal = event.fields.get("ordinal")
        if event.event == "PacketDispensed":
            dealt[event.fields["ordinal"]] = Packet(
                event.fields["ordinal"], "", event.fields["expected"], event.fields["counted"]
            )
        elif event.event == "PacketLifted" and ordinal in dealt:
            yield dealt.pop(ordinal)
