"""Chips of one hand between simulated players: bets by seat, and the first to act."""

from collections.abc import Collection, Iterator, Mapping
from random import Random

from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.table.boards import first_on_board
from dealwire.rehearsal.acting import BettingRound, Figures
from dealwire.rehearsal.chips import Chips, blinds_before_button, due_of, in_turn, least_of
from protocol.cards import Card


class BettingHand:
    """One hand. The seats of `stakes` are dealt in; each buys in for that amount if it has too little. `put` is the
    bets so far: seat -> bet -> cents."""

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
        """Current betting round, or the last one."""
        self.gave_up: list[int] = []
        """Seats that folded or mucked, in order."""
        self.mucked: set[int] = set()
        """Those of them that mucked at the showdown, when the pots had been cut."""
        part = plan.betting
        ruled = part.out_of_turn if part is not None else None
        self.out_of_turn = plan.options[ruled.option] if ruled is not None else ""
        """The house's setting for an action out of turn; empty: it stands."""
        self._first = next((step for step in plan.steps if isinstance(step, BetStep)), None)

    def put_up(self) -> Iterator[tuple[int, str, int]]:
        """Yield seat, bet and cents of each bet before the first card."""
        for bet, seats in self._due.items():
            for seat in seats:
                if cents := self.chips.put_up(seat, self._house[bet]):
                    self.put[seat][bet] = cents
                    yield seat, bet, cents

    def betting(self, step: BetStep, live: Collection[int], boards: Mapping[int, tuple[Card, ...]]) -> BettingRound:
        """Start a betting round. `boards` are the open cards by seat."""
        options = self.plan.options
        forced = options[step.bring_in] if step.bring_in is not None else "none"
        start = self.turns[0]
        if step.first == "board":
            lying = {seat: boards[seat] for seat in self.turns if seat in live}
            low = forced == "low-card" if forced != "none" else options[step.board or ""] == "low"
            ace_high = forced == "low-card" if forced != "none" else not low
            by_suit = forced != "none" and options.get(step.bring_in_tie or "") == "suit"
            start = first_on_board(lying, low=low, ace_high=ace_high, by_suit=by_suit) or start
        elif step.first == "blinds" and not blinds_before_button(self.plan):
            start = self._after_blinds()
        at = self.turns.index(start)
        turns = (*self.turns[at:], *self.turns[:at])
        lies = {seat: self._blinds(seat) for seat in self.turns} if step is self._first else {}
        full = self._full_blind() if step is self._first and any(lies.values()) else 0
        before = sum(sum(bets.values()) for bets in self.put.values()) - sum(lies.values())
        self.last = BettingRound(
            *(Figures.of(self.plan), turns, lies, self.chips.behind, forced != "none", full),
            posted=self.plan.posted,
            bet=step.bet,
            pot=before,
        )
        return self.last

    def _full_blind(self) -> int:
        """Return the big blind that is called although its seat is all-in for less; 0 if another seat has put it up, or
        what lies there is called."""
        part, chips = self.plan.betting, self.chips.behind
        if part is None or part.short_blind is None or self.plan.options[part.short_blind.option] != "full":
            return 0
        able = [seat for seat in self.turns if chips[seat]]
        short = 1 < len(able) < len(self.turns)
        put_up = any(name in self.put[seat] for seat in able for name in part.live[1:])
        return self._house.get("big-blind", 0) if short and not put_up else 0

    def shown(self, seats: Collection[int]) -> list[int]:
        """Return `seats` in the order of the showdown: first the one that bet or raised last, then clockwise."""
        first = self.last.shows_first if self.last is not None else None
        at = self.turns.index(first) if first is not None else 0
        return [seat for seat in (*self.turns[at:], *self.turns[:at]) if seat in seats]

    def acted(self, step: BetStep, seat: int, lies: int) -> None:
        """Record the chips in front of a seat in this betting round. What it added is its bet of the step."""
        added = lies - (self._blinds(seat) if step is self._first else 0)
        if added:
            self.put[seat][step.bet] = added

    def give_back(self) -> None:
        """Return all bets, since no one wins."""
        for seat, bets in self.put.items():
            self.chips.win(seat, sum(bets.values()))
            bets.clear()

    def _blinds(self, seat: int) -> int:
        part = self.plan.betting
        return sum(self.put[seat].get(name, 0) for name in part.live) if part is not None else 0

    def _after_blinds(self) -> int:
        """Return the seat to the left of the last blind."""
        part = self.plan.betting
        posted = [seat for name in (part.blinds if part else ()) for seat in self.turns if name in self.put[seat]]
        return self.turns[(self.turns.index(posted[-1]) + 1) % len(self.turns)] if posted else self.turns[0]
