"""Playing of a recorded hand: it becomes reports of a shoe and a table controller, which a flow takes."""

from collections.abc import Iterator, Mapping
from typing import Final

import devices.events as e
from dealer_flow.play.flow import DealerFlow
from dealer_flow.procedure.load import Procedure
from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.procedure.steps.kinds import AnyStep
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.histories.history import History, Street
from devices.events import BettingAction, Seen
from protocol.cards import UNREAD, Card
from protocol.places import COMMUNITY, seat

SHOE: Final = "shoe"
CONTROLLER: Final = "controller"
_SESSION: Final = 1
_STEP_NS: Final = 1_000_000_000
_START_NS: Final = 1_000_000_000_000_000_000


class Cannot(Exception):
    """The hand asks for something that the procedure does not have."""


class Dealing:
    """One hand on its way through the flow. `heard` are the reports, `incidents` and `result` the answers."""

    def __init__(self, flow: DealerFlow, history: History) -> None:
        self._flow, self._history = flow, history
        self._procedure: Procedure = flow.procedure
        self._numbers = {SHOE: 0, CONTROLLER: 0}
        self._ordinal, self._at_ns = 0, _START_NS
        self._folded: set[int] = set()
        self._late: set[int] = set()
        """Seats that folded when nothing could be bet any longer."""
        self.heard: list[Seen] = []
        self.incidents: list[Incident] = []
        self.result: RoundResult | None = None
        button = history.button or 0
        order = sorted(history.stakes)
        self._order = [each for each in order if each > button] + [each for each in order if each <= button]

    def played(self) -> RoundResult | None:
        """Play the hand and return the round, or None if the flow did not end it."""
        self._before()
        streets = iter(self._history.streets)
        street = next(streets, Street())
        for step in self._procedure.step:
            if len(self._live) < 2 and self._history.streets[0].acts:
                break
            self._step(step, street)
            if isinstance(step, BetStep):
                street = next(streets, Street())
        self._say(e.GameEnded(1))
        return self.result

    @property
    def _live(self) -> list[int]:
        return [each for each in self._order if each not in self._folded]

    def _see(self, device: str, body: e.Body) -> None:
        self._numbers[device] += 1
        self._at_ns += _STEP_NS
        self.heard.append(Seen(device, _SESSION, self._numbers[device], self._at_ns, body))
        for item in self._flow.handle(self.heard[-1]):
            if isinstance(item, RoundResult):
                self.result = item
            else:
                self.incidents.append(item)

    def _say(self, body: e.Body) -> None:
        self._see(CONTROLLER, body)

    def _before(self) -> None:
        most = self._procedure.seats.most
        if max(self._history.stakes) > most:
            raise Cannot(f"a seat above {most}, the most that the game is dealt to")
        spots = {bet.name: bet.number for bet in self._procedure.bet}
        self._see(SHOE, e.ShoeLoaded(1, self._procedure.deck.decks, self._procedure.deck.cards))
        for number, cents in self._history.stakes.items():
            self._say(e.StakeShown(number, cents))
        put: dict[tuple[int, str], int] = {}
        for number, bet, cents in self._history.posts:
            if bet not in spots:
                raise Cannot(f"a bet {bet!r} before the first card; {self._procedure.id} has none")
            put[number, bet] = put.get((number, bet), 0) + cents
        for (number, bet), cents in put.items():
            self._say(e.WagerPlaced(number, spots[bet], cents))
        if self._history.button is not None:
            self._say(e.SpotSelected(self._history.button))
        self._say(e.GameStarted(1))

    def _step(self, step: AnyStep, street: Street) -> None:
        match step.do:
            case "deal" if step.to == ("community",):
                for card in _known(street.board, step.cards):
                    self._draw(card)
            case "deal":
                self._deal(street, step.cards)
            case "burn-card":
                self._see(SHOE, e.BurnStarted(1))
                self._draw(UNREAD)
            case "bet":
                self._bet(street)
            case "decide":
                self._decide(street)
            case "exchange":
                for each in street.thrown:
                    for card in _known(each.drawn, len(each.cards)):
                        self._draw(card)
            case "reveal":
                self._show()

    def _draw(self, card: Card) -> None:
        self._ordinal += 1
        self._see(SHOE, e.CardUnread(self._ordinal, None) if card == UNREAD else e.CardDrawn(self._ordinal, card, None))

    def _deal(self, street: Street, cards: int) -> None:
        """Deal to the live seats, one card after the other; what a street's cards are is used up from the left."""
        for _ in range(cards):
            for number in self._live:
                known = street.dealt.get(number, ())
                street.dealt[number] = known[1:]
                self._draw(known[0] if known else UNREAD)

    def _bet(self, street: Street) -> None:
        """Act. A fold where the betting is over, since nobody else can bet, is taken up when hands are shown."""
        for number, action, cents in street.acts:
            before = len(self.incidents)
            self._say(e.PlayerActed(number, action, cents))
            late = any(each.code == "out-of-turn" for each in self.incidents[before:])
            if action is BettingAction.FOLD:
                (self._late if late else self._folded).add(number)

    def _decide(self, street: Street) -> None:
        numbers = {choice.draws or 0: choice.number for choice in self._procedure.decision}
        for each in street.thrown:
            if len(each.cards) not in numbers:
                raise Cannot(f"a draw of {len(each.cards)} cards; {self._procedure.id} has none")
            self._say(e.DecisionMade(each.seat, numbers[len(each.cards)]))
            if each.cards:
                self._say(e.CardsDiscarded(seat(each.seat), each.cards))

    def _show(self) -> None:
        """Show the board and the hands, then throw away the others: those of which the record says so, and, where one
        was shown, those that it does not mention."""
        board = tuple(card for street in self._history.streets for card in street.board)
        if board:
            self._say(e.HandRevealed(COMMUNITY, board, True))
        showings = [each for each in self._history.showings if each.seat not in self._folded]
        for number, cards in showings:
            if cards:
                self._say(e.HandRevealed(seat(number), cards, True))
        shown = {each.seat for each in showings if each.cards}
        mucked = {each.seat for each in showings if not each.cards} | self._late
        for number in self._live:
            if number not in shown and (shown or number in mucked) and len(self._live) > 1:
                self._say(e.PlayerActed(number, BettingAction.FOLD, 0))
                self._folded.add(number)


def _known(cards: tuple[Card, ...], many: int) -> Iterator[Card]:
    """Yield so many cards: those that are known, then unread ones."""
    yield from cards[:many]
    yield from [UNREAD] * (many - len(cards))


def options_for(history: History, procedure: Procedure, house: Mapping[str, str]) -> dict[str, str]:
    """Return the options that the hand is played with: those of its form and of the house that the procedure has."""
    allowed = {option.name: option.allowed for option in procedure.option}
    wanted = {**house, **history.form.options}
    if any(post.bet == "ante" for post in history.posts):
        wanted["ante"] = "yes"
    return {name: to for name, to in wanted.items() if to in allowed.get(name, ())}
