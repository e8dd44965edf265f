"""Dealer of games between players: stakes, blinds, actions in turn, mucked hands, awarded pots.

Chips stay in front of the seats from hand to hand, so that a session is one economy.
"""

from collections import defaultdict
from typing import Final, NamedTuple

from dealer_flow.procedure.betting import BINDS, TAKEN_BACK
from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.kinds import AnyStep
from dealer_flow.record.result import SeatStatus
from dealwire.rehearsal.acting import BettingRound
from dealwire.rehearsal.betting_hand import BettingHand
from dealwire.rehearsal.bettors import STYLES, Style, acts, mucks
from dealwire.rehearsal.chips import POSTS, Chips
from dealwire.rehearsal.dealt_table import Course, DealtTable, Doings
from dealwire.rehearsal.playing_dealer import AT_TABLE, PlayingDealer
from dealwire.rehearsal.pot_takers import HandPlayed, Takings, takings
from dealwire.rehearsal.scenario import RoundPlan, Scenario, SimulatedPlayer
from dealwire.rehearsal.trouble import AT_THE_BETTING, What
from devices.events import BettingAction, Manner
from devices.simulator.deck import Cards
from protocol.cards import Card
from protocol.places import COMMUNITY, Place, seat
from protocol.tdp.messages import ActionManner, PlayerAction

ACTIONS: Final = {action: PlayerAction[action.name] for action in BettingAction}
MANNERS: Final = {manner: ActionManner[manner.name] for manner in Manner}


class Word(NamedTuple):
    """Action out of turn that binds its player, and the bet to call that it was made on."""

    action: BettingAction
    cents: int
    high: int


class BettingDealer(PlayingDealer):
    """Dealer who handles betting between players. In other games it acts as any dealer."""

    def __init__(self, scenario: Scenario, table: DealtTable, cards: Cards) -> None:
        self.chips = Chips()
        """Chips in front of the seats, and what was paid for them."""
        self.hand: BettingHand | None = None
        self.up: defaultdict[Place, list[Card]] = defaultdict(list)
        """Cards dealt face up, by place."""
        self._actions = 0
        """Number of actions in this hand."""
        self._wrong: list[What] = []
        """Faults that happen as soon as they can."""
        self._words: dict[int, Word] = {}
        """Seat -> its action out of turn, to be repeated in its turn."""
        self.taken_back = 0
        """Number of actions out of turn that did not count."""
        super().__init__(scenario, table, cards)

    @property
    def won(self) -> bool:
        """True if only one of the players who bet against each other is left."""
        return self.hand is not None and len(self.view.active) > 1 and len(self.view.live) <= 1

    def _begin_plan(self, plan: RoundPlan) -> None:
        super()._begin_plan(plan)
        self.hand, self._actions = None, 0
        self._wrong.clear()
        self._words.clear()
        self.up.clear()

    def _style(self, number: int) -> Style:
        return STYLES[next(player.style for player in self.plan.players if player.seat == number)]

    # -------------------------------------------------------------- before the first card

    def _bets(self) -> Doings:
        yield from super()._bets()
        if self.procedure.plan.betting is None:
            return
        stakes = {player.seat: player.stake for player in self.plan.players}
        house = POSTS | dict(self._scenario.posts)
        self.hand = BettingHand(self.procedure.plan, stakes, self.plan.number or 0, self.chips, self.chance, house)
        for number, cents in self.hand.stakes.items():
            self.controller.show_stake(number, cents)
            yield self.pace.bet
        for number, bet, cents in self.hand.put_up():
            self.controller.place_wager(number, self.procedure.bets[bet], cents)
            yield self.pace.bet

    # -------------------------------------------------------------- a betting round

    def _betting(self, step: BetStep) -> Doings:
        assert self.hand is not None, "only where players bet against each other"
        yield from self.at(AT_TABLE)
        self._words.clear()
        common = self.cards.faces(COMMUNITY)
        boards = {number: (*self.up[seat(number)], *common) for number in self.view.active}
        betting = self.hand.betting(step, self.view.live, boards)
        while (number := betting.turn(self.view.live)) is not None and self._is(Course.PLAY):
            yield self.pace.think
            yield from self._act(step, betting, number)

    def _act(self, step: BetStep, betting: BettingRound, number: int, *, as_it_should: bool = False) -> Doings:
        """Have one player act, with a fault if one is due, unless the player is to act `as_it_should`."""
        self._actions += 1
        due = [each.what for each in self.plan.troubles if each.what in AT_THE_BETTING]
        self._wrong += [what for what in due if self.plan.find(what, self._actions)]
        for what in () if as_it_should else self._wrong:
            if self._may_go_wrong(what, step, betting, number):
                self._wrong.remove(what)
                yield from self._goes_wrong(what, step, betting, number)
                return
        action, cents = acts(self._style(number), betting.moves(number), self.chance)
        word = self._words.pop(number, None)
        if word is not None and word.high == betting.high:
            action, cents, _ = word
        self._takes_action(step, betting, number, action, cents)
        yield self.pace.bet

    def _takes_action(
        self, step: BetStep, betting: BettingRound, number: int, action: BettingAction, cents: int
    ) -> None:
        self._says(number, action, cents)
        self._counts(step, betting, number, action, cents)

    def _acts_early(self, step: BetStep, betting: BettingRound, number: int, action: BettingAction, cents: int) -> None:
        """Have a player act before another whose turn it is; unless that stands or is a fold, it does not count yet."""
        out_of_turn = self.hand.out_of_turn if self.hand is not None else ""
        if action is BettingAction.FOLD or out_of_turn not in (TAKEN_BACK, BINDS):
            self._takes_action(step, betting, number, action, cents)
            return
        self._says(number, action, cents)
        self.taken_back += 1
        if out_of_turn == BINDS:
            self._words[number] = Word(action, cents, betting.high)

    def _says(self, number: int, action: BettingAction, cents: int, manner: Manner | None = None) -> None:
        """Key in an action."""
        how = MANNERS[manner] if manner is not None else ActionManner.NONE
        self.controller.player_acts(number, ACTIONS[action], cents, how)

    def _counts(self, step: BetStep, betting: BettingRound, number: int, action: BettingAction, cents: int) -> None:
        """Apply an action to the betting round."""
        assert self.hand is not None, "only where players bet against each other"
        betting.act(number, action, cents)
        self.hand.acted(step, number, cents)
        if action is BettingAction.FOLD:
            self._gives_up(number)

    def _gives_up(self, number: int) -> None:
        assert self.hand is not None, "only where players bet against each other"
        self.view.folded.add(number)
        self.hand.gave_up.append(number)

    # -------------------------------------------------------------- what goes wrong at it

    def _may_go_wrong(self, what: What, step: BetStep, betting: BettingRound, number: int) -> bool:
        """Return True if the fault can happen while this seat is to act."""
        may = {move.action: move for move in betting.moves(number)}
        match what:
            case What.OUT_OF_TURN | What.WITHDRAWN:
                return BettingAction.BRING_IN not in may and betting.after(number, self.view.live) is not None
            case What.STRING_BET:
                return BettingAction.CALL in may and BettingAction.RAISE in may
            case What.SHORT_CALL | What.LONG_CALL:
                more = BettingAction.RAISE in may and may[BettingAction.RAISE].most > betting.high
                return BettingAction.CALL in may and (what is What.SHORT_CALL or more)
            case What.TIME_LIMIT:
                return BettingAction.CALL in may or BettingAction.CHECK in may
        return self._deals_early(step)

    def _goes_wrong(self, what: What, step: BetStep, betting: BettingRound, number: int) -> Doings:
        """Let the fault happen; the round continues with the dealer's correction of it."""
        may = {move.action: move for move in betting.moves(number)}
        call = may.get(BettingAction.CALL)
        match what:
            case What.OUT_OF_TURN | What.WITHDRAWN:
                other = betting.after(number, self.view.live)
                assert other is not None, "it may go wrong"
                action, cents = acts(STYLES[""], betting.moves(other), self.chance)
                if what is What.OUT_OF_TURN:
                    self._acts_early(step, betting, other, action, cents)
                else:
                    self._says(other, action, cents)
                    yield self.pace.think
                    self._says(other, BettingAction.WITHDRAW, 0)
            case What.STRING_BET if call is not None:
                self._says(number, BettingAction.RAISE, may[BettingAction.RAISE].least, Manner.STRING_BET)
                self._counts(step, betting, number, BettingAction.CALL, call.most)
            case What.SHORT_CALL if call is not None:
                self._says(number, BettingAction.CALL, call.most - (call.most - betting.lies.get(number, 0) + 1) // 2)
                yield self.pace.think
                self._takes_action(step, betting, number, BettingAction.CALL, call.most)
            case What.LONG_CALL if call is not None:
                self._says(number, BettingAction.CALL, may[BettingAction.RAISE].least)
                self._counts(step, betting, number, BettingAction.CALL, call.most)
            case What.TIME_LIMIT:
                move = may[BettingAction.FOLD] if call is not None else may[BettingAction.CHECK]
                self._says(number, move.action, move.most, Manner.TIME_LIMIT)
                self._counts(step, betting, number, move.action, move.most)
            case _:
                yield from self._deal_early(step)
        yield self.pace.bet
        if what in (What.OUT_OF_TURN, What.WITHDRAWN, What.PREMATURE) and betting.turn(self.view.live) is not None:
            # who was passed by acts before anybody else does
            yield from self._act(step, betting, number, as_it_should=what is not What.PREMATURE)

    def _deals_early(self, step: BetStep) -> bool:
        """Return True if the dealer could deal the next cards of the community before this betting is over."""
        deal = next((each for each in self._after(step) if isinstance(each, DealStep)), None)
        if deal is None or [*deal.to] != [COMMUNITY.text]:
            return False
        before = self.procedure.steps[: self.procedure.steps.index(step)]
        there = [each.name for each in before if isinstance(each, DealStep) and each.to == deal.to]
        return self.procedure.then(COMMUNITY, What.EARLY, there[-1] if there else "") == "reshuffle"

    def _after(self, step: AnyStep) -> tuple[AnyStep, ...]:
        return self.procedure.steps[self.procedure.steps.index(step) + 1 :]

    def _deal_early(self, step: BetStep) -> Doings:
        """Deal the next cards early, and correct it."""
        raise NotImplementedError

    # -------------------------------------------------------------- the showdown

    def _show_seats(self, players: list[SimulatedPlayer]) -> Doings:
        """Show hands in the order of play. Some losing hands are mucked unseen when their turn comes."""
        if self.hand is None or not self._is(Course.PLAY):
            yield from super()._show_seats(players)
            return
        found, by_seat = self._takings(), {player.seat: player for player in players}
        winners = {number for _, number, _ in found.taken} if found is not None else {*self.view.live}
        for number in self.hand.shown([*by_seat]):
            if number not in winners and len(self.view.live) > 1 and mucks(self._style(number), self.chance):
                yield self.pace.show
                self._says(number, BettingAction.FOLD, 0)
                self._gives_up(number)
                self.hand.mucked.add(number)
            elif not self.won:
                yield from super()._show_seats([by_seat[number]])

    def _award_pots(self) -> Doings:
        """Award each pot. A hand that was not played out has no winner."""
        if self.hand is None:
            return
        found = self._takings() if self._is(Course.PLAY) else None
        if found is None:
            self.hand.give_back()
            return
        yield from self.at(AT_TABLE)
        for number, cents in found.back.items():
            self.chips.win(number, cents)
        for pot, number, cents in found.taken:
            yield self.pace.show
            self.controller.take_pot(pot, number, cents)
            self.chips.win(number, cents)

    def _takings(self) -> Takings | None:
        assert self.hand is not None, "only where players bet against each other"
        hands = {number: self._played(number, bets) for number, bets in self.hand.put.items()}
        terms = self._scenario.terms
        if terms is None:
            return None
        board, hand = self.cards.faces(COMMUNITY), self.hand
        return takings(self.procedure, terms, hands, board, hand.button, hand.gave_up)

    def _played(self, number: int, bets: dict[str, int]) -> HandPlayed:
        status: SeatStatus = "folded" if number in self.view.folded else "live"
        if not self._plays(number):
            status = "dead"
        assert self.hand is not None, "only where players bet against each other"
        stake, mucked = self.hand.stakes[number], number in self.hand.mucked
        return HandPlayed(bets, self.cards.faces(seat(number)), status, stake, mucked=mucked)
