"""A round of a game between players, with its settlement, as a history that other programs can take.

Only what the round's published result names is in it: a card that nobody showed is `??`.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from dealer_flow.procedure.load import known_procedures, load_procedure
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.record.details import ActionRecord
from dealer_flow.record.result import RoundResult, Seat
from dealwire.histories.forms import PokerForm
from dealwire.histories.history import Act, History, Post, RecordedEnd, Showing, Taken, Thrown
from devices.events import BettingAction
from protocol.cards import UNREAD, Card, parse_cards
from rules.settlement import Settlement

_FORMS: Final = {
    "holdem": "hold'em",
    "holdem-hi-lo": "hold'em hi-lo",
    "omaha": "omaha",
    "omaha-hi-lo": "omaha hi-lo",
    "draw": "five-card draw",
    "draw-low": "five-card draw, low",
    "draw-hi-lo": "five-card draw hi-lo",
    "five-card-stud": "five-card stud",
    "seven-card-stud": "seven-card stud",
    "seven-card-stud-hi-lo": "seven-card stud hi-lo",
    "seven-card-stud-low": "razz",
}
"""Game, without its jurisdiction -> name of the form."""
_DRAWS: Final = "draw-"


class PlayedHand(NamedTuple):
    """A round that was settled; `began_ns` is the time of START GAME, if it is known."""

    result: RoundResult
    settlement: Settlement
    began_ns: int | None = None


class NotExportable(Exception):
    """The round cannot be written as a hand history: the reason."""


def history_of(hand: PlayedHand) -> History:
    """Return a round as a history. Raise NotExportable with the reason if it is none."""
    result, settlement = hand.result, hand.settlement
    name = _FORMS.get(settlement.game.id.partition(".")[0])
    if name is None:
        raise NotExportable(f"{settlement.game.id} is no form of poker that others know")
    if result.outcome != "complete":
        raise NotExportable(f"the round is {result.outcome}")
    if settlement.status != "settled" or any(pot.held for pot in settlement.pots):
        raise NotExportable("money of it is held")
    seats = [seat for seat in result.seats if seat.status != "out"]
    if any(seat.stake is None for seat in seats):
        raise NotExportable("the stake of a seat was not reported")
    if any(seat.status == "dead" or seat.returned for seat in seats):
        raise NotExportable("a hand of it is dead")
    return _Writer(hand, name, seats).history()


class _Writer:
    """One round on its way to a history."""

    def __init__(self, hand: PlayedHand, name: str, seats: Sequence[Seat]) -> None:
        self._hand, self._seats = hand, seats
        result = hand.result
        self._procedure = _procedure(result.procedure.id)
        readings = {key: to for key, to in hand.settlement.readings.items() if key in ("low-qualifier", "low-hand")}
        form = PokerForm(name, hand.settlement.game.id, result.options, readings)
        stakes = {seat.seat: seat.stake or 0 for seat in seats}
        place = f"round {result.round} at {result.table}"
        self._history = History(place, form, stakes, result.button, str(result.round), Fraction(1, 100))
        self._live = [seat for seat in seats if seat.status == "live"]

    def history(self) -> History:
        """Return the history."""
        self._put_up()
        self._cards()
        self._act()
        self._show()
        self._end()
        return self._history

    def _put_up(self) -> None:
        before = [bet.name for bet in self._procedure.bet if bet.placed == "before-deal"]
        for name in before:
            for seat in self._seats:
                if cents := seat.wagers.get(name, 0):
                    self._history.posts.append(Post(seat.seat, name, cents))

    def _cards(self) -> None:
        """Give the cards to the betting rounds before which they came."""
        street, board, given = 0, self._hand.result.community, 0
        draws = any(step.do == "exchange" for step in self._procedure.step)
        own = {seat.seat: parse_cards(seat.cards) for seat in self._seats}
        self._history.street(0)
        for step in self._procedure.step:
            if isinstance(step, BetStep):
                street += 1
            elif step.do == "deal" and step.to == ("community",):
                if common := board[given : given + step.cards]:
                    self._history.street(street).board += parse_cards(common)
                given += step.cards
            elif step.do == "deal":
                for seat, cards in own.items():
                    if cards or not street:
                        now = (UNREAD,) * step.cards if draws else cards[: step.cards]
                        self._history.street(street).dealt[seat] = (
                            self._history.street(street).dealt.get(seat, ()) + now
                        )
                    own[seat] = cards[step.cards :]
            elif step.do == "exchange":
                self._history.street(street).thrown += list(map(_thrown, self._drawing()))

    def _drawing(self) -> list[Seat]:
        """Return the seats that chose how many cards to draw, in turn."""
        return [seat for seat in self._in_turn() if (seat.decision or "").startswith((_DRAWS, "stand-pat"))]

    def _in_turn(self) -> list[Seat]:
        button = self._hand.result.button or 0
        return [each for each in self._seats if each.seat > button] + [
            each for each in self._seats if each.seat <= button
        ]

    def _act(self) -> None:
        numbers = {
            step.name: number
            for number, step in enumerate(each for each in self._procedure.step if isinstance(each, BetStep))
        }
        for each in self._hand.result.actions:
            if each.action in (BettingAction.FORFEIT, BettingAction.CHOP):
                raise NotExportable(f"a player's action is a {each.action}")
            if each.step in numbers:
                self._history.street(numbers[each.step]).acts.append(_act(each))
            elif each.action == BettingAction.FOLD:
                self._history.showings.append(Showing(each.seat, ()))

    def _show(self) -> None:
        """Show the hands that were shown, before those that were thrown away."""
        contested = len(self._live) + len(self._history.showings) > 1
        shown = [
            Showing(seat.seat, cards)
            for seat in self._in_turn()
            if seat.status == "live" and UNREAD not in (cards := parse_cards(seat.cards)) and cards
        ]
        if contested:
            self._history.showings = [*shown, *self._history.showings]

    def _end(self) -> None:
        settlement = self._hand.settlement
        nets = {each.seat: each.net for each in settlement.seats}
        taken = [Taken(won.seat, pot.name, won.cents) for pot in settlement.pots for won in pot.winners]
        self._history.recorded = RecordedEnd(
            taken=taken,
            stacks={seat: stake + nets.get(seat, 0) for seat, stake in self._history.stakes.items()},
            back={line.seat: line.returned for line in settlement.lines if line.result == "returned"},
            total=sum(pot.cents for pot in settlement.pots),
            rake=sum(pot.rake + pot.jackpot_rake for pot in settlement.pots),
        )


def _procedure(name: str) -> Procedure:
    if name not in known_procedures():
        raise NotExportable(f"its procedure {name} is not known here")
    return load_procedure(name)


def _act(each: ActionRecord) -> Act:
    return Act(each.seat, BettingAction(each.action), each.cents)


def _thrown(seat: Seat) -> Thrown:
    """Return a draw; the cards thrown away and those that came are as unknown as everybody at the table had them."""
    many = int((seat.decision or "").removeprefix(_DRAWS)) if (seat.decision or "").startswith(_DRAWS) else 0
    unknown: tuple[Card, ...] = (UNREAD,) * many
    return Thrown(seat.seat, unknown, unknown)
