"""The chips of one hand in which simulated players bet against each other: what lies where, and who acts first."""

from collections.abc import Collection, Iterator, Mapping
from random import Random

from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.table.boards import first_on_board
from dealwire.rehearsal.acting import BettingRound, Figures
from dealwire.rehearsal.chips import Chips, due_of, in_turn, least_of
from protocol.cards import Card


class BettingHand:
    """The seats of `stakes` are dealt in, which is what each buys in for when it has too little. `put`: seat -> bet ->
    cents, as far as the hand has come."""

    def __init__(
        self,
        plan: Plan,
        stakes: Mapping[int, int],
        button: int,
        chips: Chips,
        random: Random,
        house: Mapping[str, int],
    ) -> None:
        self.plan, self.chips, self.button = plan, chips, button
        self.turns = in_turn([*stakes], button)
        self.put: dict[int, dict[str, int]] = {seat: {} for seat in stakes}
        self._due, self._house = due_of(plan, [*stakes], button, random, house), house
        for seat, cents in stakes.items():
            chips.buy_in(seat, cents, least_of(plan, self._due, seat, house))
        self.stakes = {seat: chips.behind[seat] for seat in stakes}
        self.last: BettingRound | None = None
        """The betting round under way, or the last one."""
        self.gave_up: list[int] = []
        """Seats that folded or mucked, in their order."""
        self._first = next((step for step in plan.steps if isinstance(step, BetStep)), None)

    def put_up(self) -> Iterator[tuple[int, str, int]]:
        """Seat, bet and cents of what is put up before the first card."""
        for bet, seats in self._due.items():
            for seat in seats:
                if cents := self.chips.put_up(seat, self._house[bet]):
                    self.put[seat][bet] = cents
                    yield seat, bet, cents

    def betting(self, step: BetStep, live: Collection[int], boards: Mapping[int, tuple[Card, ...]]) -> BettingRound:
        """A betting round begins. `boards`: the cards that lie open, by seat."""
        options = self.plan.options
        forced = options[step.bring_in] if step.bring_in is not None else "none"
        start = self.turns[0]
        if step.first == "board":
            lying = {seat: boards[seat] for seat in self.turns if seat in live}
            low = forced == "low-card" if forced != "none" else options[step.board or ""] == "low"
            ace_high = forced == "low-card" if forced != "none" else not low
            start = first_on_board(lying, low=low, ace_high=ace_high) or start
        elif step.first == "blinds":
            start = self._after_blinds()
        at = self.turns.index(start)
        turns = (*self.turns[at:], *self.turns[:at])
        lies = {seat: self._blinds(seat) for seat in self.turns} if step is self._first else {}
        self.last = BettingRound(Figures.of(self.plan), turns, lies, self.chips.behind, forced != "none")
        return self.last

    def shown(self, seats: Collection[int]) -> list[int]:
        """These seats as they show their hands: first who bet or raised last, then clockwise."""
        first = self.last.shows_first if self.last is not None else None
        at = self.turns.index(first) if first is not None else 0
        return [seat for seat in (*self.turns[at:], *self.turns[:at]) if seat in seats]

    def acted(self, step: BetStep, seat: int, lies: int) -> None:
        """So much lies before a seat in this betting round: what it added is its bet of the step."""
        added = lies - (self._blinds(seat) if step is self._first else 0)
        if added:
            self.put[seat][step.bet] = added

    def give_back(self) -> None:
        """Nobody wins: everything goes back to who put it in."""
        for seat, bets in self.put.items():
            self.chips.win(seat, sum(bets.values()))
            bets.clear()

    def _blinds(self, seat: int) -> int:
        part = self.plan.betting
        return sum(self.put[seat].get(name, 0) for name in part.blinds) if part is not None else 0

    def _after_blinds(self) -> int:
        """The seat at the left of the last blind."""
        part = self.plan.betting
        posted = [seat for name in (part.blinds if part else ()) for seat in self.turns if name in self.put[seat]]
        return self.turns[(self.turns.index(posted[-1]) + 1) % len(self.turns)] if posted else self.turns[0]
