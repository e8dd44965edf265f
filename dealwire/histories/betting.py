"""Chips in front of the seats while a history is read: what is a call and what a check, a bet and what a raise."""

from dealwire.histories.history import Act
from dealwire.histories.structure import LIVE_BLINDS
from devices.events import BettingAction


class Put:
    """Chips of the betting round under way."""

    def __init__(self) -> None:
        self.lies: dict[int, int] = {}
        self.high = 0

    def post(self, seat: int, bet: str, amount: int, full: int = 0) -> None:
        """Put up a bet before the first card; `full` is what it would be if the seat had enough."""
        if bet in LIVE_BLINDS:
            self.lies[seat] = self.lies.get(seat, 0) + amount
            self.high = max(self.high, self.lies[seat], full)

    def next(self) -> None:
        """Begin the next betting round."""
        self.lies, self.high = {}, 0

    def calls(self, seat: int) -> BettingAction:
        """Return `call`, or `check` where nothing is to be called."""
        return BettingAction.CALL if self.high > self.lies.get(seat, 0) else BettingAction.CHECK

    def raises(self) -> BettingAction:
        """Return `raise`, or `bet` where nobody has bet."""
        return BettingAction.RAISE if self.high else BettingAction.BET

    def act(self, seat: int, action: BettingAction, amount: int) -> Act:
        """Take an action and return it; `amount` lies in front of the seat afterwards if it bets or raises."""
        if action is BettingAction.CALL and not amount:
            self.lies[seat] = self.high
        elif amount:
            self.lies[seat] = amount
            self.high = max(self.high, amount)
        return Act(seat, action, amount)
