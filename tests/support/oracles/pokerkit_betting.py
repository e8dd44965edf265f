"""The same betting twice: in the flow, and in pokerkit, which shares nothing with this project.

Where Rule 10 and pokerkit differ, both are kept within their common rules. pokerkit requires a raise to be at least as
large as the one before it and allows no further raise after an all-in for less; the regulation has neither rule
(47.1-1002(27)). With two players, pokerkit has the button post the small blind; the regulation has the player to its
left post it (47.1-1002(4.25)). The driver keeps the regulation's limit of $100 and the house's number of raises: it
picks only actions that the flow lists.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

from pokerkit import Automation, BettingStructure, Deck, NoLimitTexasHoldem, Opening, StandardHighHand, State, Street

from dealer_flow.play.machine import states
from devices.events import BettingAction
from protocol.cards import DECK
from protocol.places import BURN
from tests.support.dealing.chips import most_of
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import HandTable

MOST_SEATS: Final = 6
_NAMES: Final = ("small-blind", "big-blind", "straddle")
_AUTOMATIC: Final = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.CARD_BURNING,
    Automation.RUNOUT_COUNT_SELECTION,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)


class Twice:
    """One hand in both. `seats` in the order of pokerkit's players: the first is left of the button, or the dealer."""

    def __init__(self, game: str, table: HandTable, other: State, seats: list[int], random: Random) -> None:
        self.game, self.table, self.other, self.seats, self.random = game, table, other, seats, random
        self.put = dict.fromkeys(seats, 0)
        """Cents that each seat put into the betting rounds, according to pokerkit."""
        self.actions = 0
        self.cards = random.sample(DECK, 52)
        self.open = game.startswith("seven")
        """Cards decide who acts first: both deals get the same cards."""
        self._next = 0

    def play(self) -> None:
        """Play to the end, comparing before every action."""
        while True:
            self._deal()
            self._alone()
            now = round_of(self.table.flow)
            if self.table.flow.state is not states.State.ACTING:
                break
            self._compare()
            self._act()
        assert self.other.actor_index is None, f"pokerkit waits for seat {self.seats[self.other.actor_index or 0]}"
        assert now.won or self.table.flow.state is states.State.REVEALING
        self._add_up()

    def _deal(self) -> None:
        table = self.table
        while table.flow.state in (states.State.DEALING, states.State.BURNING) and not round_of(table.flow).won:
            card, burned = self.cards[self._next], round_of(table.flow).due == BURN
            table.draw_one(card)
            self._next += 1
            if self.open and not burned:
                self.other.deal_hole(card.text[0] + card.text[1].lower())

    def _alone(self) -> None:
        """Let the last blind check: pokerkit requests an action even if every other player in the pot is all-in for
        less."""
        other, index = self.other, self.other.actor_index
        able = [seat for seat, stack in enumerate(other.stacks) if other.statuses[seat] and stack]
        if index is not None and able == [index] and not other.checking_or_calling_amount:
            other.check_or_call()
            self._other_deals()

    def _compare(self) -> None:
        now, other = round_of(self.table.flow), self.other
        (seat, *rest) = now.betting.waiting(now.live)
        assert other.actor_index is not None, f"the flow waits for seat {seat}"
        assert (seat, rest) == (self.seats[other.actor_index], [])
        assert now.betting.to_call(seat) - now.betting.lies(seat) == other.checking_or_calling_amount
        assert now.betting.behind[seat] == other.stacks[other.actor_index]
        assert set(now.live) == {self.seats[index] for index, in_ in enumerate(other.statuses) if in_}

    def _act(self) -> None:
        now, other = round_of(self.table.flow), self.other
        seat = now.betting.waiting(now.live)[0]
        lies, high = now.betting.lies(seat), now.betting.high
        listed = {
            BettingAction(item.what.split()[0]): item
            for item in self.table.flow.legal()
            if item.event == "PlayerActed" and item.place == f"seat {seat}"
        }
        chosen = self.random.choice(sorted(listed))
        if chosen is BettingAction.FOLD and self.random.random() < 0.5:
            chosen = (
                BettingAction.CALL
                if BettingAction.CALL in listed
                else BettingAction.CHECK
                if BettingAction.CHECK in listed
                else BettingAction.FOLD
            )
        self.actions += 1
        if chosen in (BettingAction.BET, BettingAction.RAISE, BettingAction.ALL_IN):
            least, most = other.min_completion_betting_or_raising_to_amount, most_of(now, seat)
            to = most if chosen is BettingAction.ALL_IN else self.random.randint(min(least or most, most), most)
            if to > high and other.can_complete_bet_or_raise_to(to):
                other.complete_bet_or_raise_to(to)
                self.put[seat] += to - lies
                return self._say(seat, chosen, to)
            chosen = BettingAction.CALL if BettingAction.CALL in listed else BettingAction.CHECK
        if chosen is BettingAction.FOLD and other.can_fold():
            other.fold()
            return self._say(seat, BettingAction.FOLD, lies)
        if BettingAction.CHECK in listed:
            other.check_or_call()
            return self._say(seat, BettingAction.CHECK, lies)
        amount = other.checking_or_calling_amount
        other.check_or_call()
        self.put[seat] += amount
        return self._say(seat, BettingAction.CALL, lies + amount)

    def _say(self, seat: int, action: BettingAction, cents: int) -> None:
        self.table.say(f"acts {seat}: {action} {cents}")
        assert self.table.codes == [], self.table.incidents[-1]
        self._other_deals()

    def _other_deals(self) -> None:
        while not self.open and (self.other.can_deal_hole() or self.other.can_deal_board()):
            if self.other.can_deal_board():
                self.other.deal_board()
            else:
                self.other.deal_hole()

    def _add_up(self) -> None:
        """Check that the chips by bet name sum to what was put in, and that no seat put in more than its stake."""
        result = self.table.end()
        acted = {bet.name for bet in self.table.procedure.bet if bet.placed == "by-action"}
        for seat in result.seats:
            assert sum(cents for bet, cents in seat.wagers.items() if bet in acted) == self.put[seat.seat]
            assert sum(seat.wagers.values()) <= (seat.stake or 0)
        assert self.table.codes == []
        assert result.outcome == "complete"


def holdem(random: Random, game: str = "holdem.co") -> Twice:
    """Return a table of two to six with blinds, sometimes a straddle or an ante; stakes of a few chips to many."""
    count = random.randint(2, MOST_SEATS)
    numbers = sorted(random.sample(range(1, 10), count))
    button = random.choice(numbers)
    seats = [*(number for number in numbers if number > button), *(number for number in numbers if number <= button)]
    blinds = [100, 200, *([400] if count > 2 and random.random() < 0.3 else [])]
    ante = random.choice((0, 0, 50))
    stakes = [random.choice((random.randint(60, 3_000), random.randint(3_000, 60_000))) for _ in seats]
    table = HandTable(game, raises_per_round="unlimited", ante="yes" if ante else "no")
    table.say("stakes " + ", ".join(f"{seat}: {cents}" for seat, cents in zip(seats, stakes, strict=True)))
    for seat, name, cents, stake in zip(seats, _NAMES, blinds, stakes, strict=False):
        if left := min(cents, stake - ante):
            table.say(f"bets {seat}: {name} {left}")
    for seat in seats if ante else ():
        table.say(f"bets {seat}: ante {ante}")
    table.say(f"start at {button}")
    forced = blinds if count > 2 else blinds[::-1]  # pokerkit turns them round for two
    other = NoLimitTexasHoldem.create_state(
        (*_AUTOMATIC, Automation.HOLE_DEALING, Automation.BOARD_DEALING), False, ante, tuple(forced), 1, stakes, count
    )
    return Twice(game, table, other, seats, random)


def stud(random: Random) -> Twice:
    """Return seven-card stud of two to five, the high hand on board first, the same cards in both."""
    count = random.randint(2, 5)
    seats = sorted(random.sample(range(1, 9), count))
    stakes = [random.choice((random.randint(200, 3_000), random.randint(3_000, 60_000))) for _ in seats]
    table = HandTable("seven-card-stud.co", raises_per_round="unlimited", ante="yes")
    table.say("stakes " + ", ".join(f"{seat}: {cents}" for seat, cents in zip(seats, stakes, strict=True)))
    for seat in seats:
        table.say(f"bets {seat}: ante 100")
    table.say("start")
    faces: list[tuple[bool, ...]] = [(False, False, True), (True,), (True,), (True,), (False,)]
    streets = tuple(Street(False, shown, 0, False, Opening.HIGH_HAND, 1, None) for shown in faces)
    other: Any = State(
        _AUTOMATIC,
        Deck.STANDARD,
        (StandardHighHand,),
        streets,
        BettingStructure.NO_LIMIT,
        False,
        100,
        0,
        0,
        stakes,
        count,
    )
    return Twice("seven-card-stud.co", table, other, seats, random)
