"""Random hands that pokerkit deals, bets and pays, as rounds that the program settles: the same pots by two programs.

Seats, chips, bets and cards come from a seed; in every other hand the first cards are of a few ranks, so that more
hands tie. pokerkit has two other rules. Its pots and its ranks of hands are therefore shared here twice: once by its
own rules, which must agree to the cent with what it paid, and once by the text's rules, against which the program is
checked. `Judged.differs` is the number of seats that this changes:

- odd chips: pokerkit gives the whole remainder of a tie to the first who shares it; 47.1-1035 speaks of one odd
  chip, and one each goes around from the left of the button, in stud of the dealer; those of a low half are the high
  hand's by its second sentence;
- a side pot none of whose seats has a qualifying low hand while another seat has one: pokerkit splits the low half of
  it among all of them; by 47.1-1012(5)(b)(i) the high hand has all of it (47.1-1023(2): each pot by itself).
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import add, ne
from typing import Any, Final

from pokerkit import (
    Automation,
    BettingStructure,
    Deck,
    EightOrBetterLowHand,
    Hand,
    OmahaEightOrBetterLowHand,
    OmahaHoldemHand,
    Opening,
    RegularLowHand,
    StandardHighHand,
    StandardLowHand,
    State,
    Street,
)

from dealer_flow.record.result import RoundResult
from protocol.cards import DECK
from tests.support.dealing.written_rounds import HIDDEN, ended_round, seat_of

_AUTOMATIONS: Final = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.RUNOUT_COUNT_SELECTION,
    Automation.HAND_KILLING,
    Automation.CHIPS_PULLING,
)
_BOARD: Final = ("pre-flop", "flop", "turn", "river")
_DRAW: Final = ("before-draw", "after-draw")
_SEVEN: Final = ("third", "fourth", "fifth", "sixth", "seventh")
_FIVE: Final = ("second", "third", "fourth", "fifth")
_BLINDS: Final = ("small-blind", "big-blind")


@dataclass(frozen=True)
class Form:
    """A form of a family of games: its file, its betting rounds, the hands as pokerkit ranks them, the readings."""

    of: str
    """Family of this form: high, low or both."""
    game: str
    streets: tuple[str, ...]
    hands: tuple[type[Hand], ...]
    most: int
    """Largest number of players for whom the deck is enough."""
    own: int = 0
    """Number of cards dealt at once, in a game without up cards."""
    readings: Mapping[str, str] = field(default_factory=dict)

    @property
    def stud(self) -> bool:
        """True if cards lie face up at the seats and no one posts a blind."""
        return not self.own


_STUD: Final = "seven-card-stud"
_DEUCE: Final = (StandardLowHand,)
_EIGHT: Final = {"low-qualifier": "eight-or-better"}
_SEVEN_LOW: Final = {"low-hand": "deuce-to-seven"}
_HI_LO_8: Final = (StandardHighHand, EightOrBetterLowHand)
_HI_LO: Final = (StandardHighHand, RegularLowHand)

FORMS: Final = {
    "holdem": Form("holdem", "holdem.co", _BOARD, (StandardHighHand,), 10, 2),
    "holdem-hi-lo": Form("holdem", "holdem-hi-lo.co", _BOARD, _HI_LO, 10, 2),
    "holdem-hi-lo-8": Form("holdem", "holdem-hi-lo.co", _BOARD, _HI_LO_8, 10, 2, _EIGHT),
    "omaha": Form("omaha", "omaha.co", _BOARD, (OmahaHoldemHand,), 9, 4),
    "omaha-hi-lo-8": Form(
        "omaha", "omaha-hi-lo.co", _BOARD, (OmahaHoldemHand, OmahaEightOrBetterLowHand), 9, 4, _EIGHT
    ),
    "draw": Form("draw", "draw.co", _DRAW, (StandardHighHand,), 5, 5),
    "draw-low": Form("draw", "draw-low.co", _DRAW, (RegularLowHand,), 5, 5),
    "draw-low-2-7": Form("draw", "draw-low.co", _DRAW, _DEUCE, 5, 5, _SEVEN_LOW),
    "draw-hi-lo": Form("draw", "draw-hi-lo.co", _DRAW, _HI_LO, 5, 5),
    "draw-hi-lo-8": Form("draw", "draw-hi-lo.co", _DRAW, _HI_LO_8, 5, 5, _EIGHT),
    "five-card-stud": Form("five-card-stud", "five-card-stud.co", _FIVE, (StandardHighHand,), 9),
    "seven-card-stud": Form(_STUD, "seven-card-stud.co", _SEVEN, (StandardHighHand,), 6),
    "seven-card-stud-low": Form(_STUD, "seven-card-stud-low.co", _SEVEN, (RegularLowHand,), 6),
    "seven-card-stud-low-2-7": Form(
        "seven-card-stud", "seven-card-stud-low.co", _SEVEN, _DEUCE, 6, readings=_SEVEN_LOW
    ),
    "seven-card-stud-hi-lo": Form(_STUD, "seven-card-stud-hi-lo.co", _SEVEN, _HI_LO, 6),
    "seven-card-stud-hi-lo-8": Form(
        "seven-card-stud", "seven-card-stud-hi-lo.co", _SEVEN, _HI_LO_8, 6, readings=_EIGHT
    ),
}
"""Forms by name. Omaha without a qualifier for low and Pineapple are missing: pokerkit has no such hands."""


@dataclass(frozen=True)
class Judged:
    """A hand as pokerkit tested it: the round, each seat's net by the text's rules for odd chips and side pots, and the
    number of seats that those rules changed."""

    round: RoundResult
    nets: dict[int, int]
    differs: int
    pots: int
    split: bool


def judged(form: Form, seed: int) -> Judged:
    """Return one random hand."""
    return _Hand(form, random.Random(seed)).played()


class _NobodyMucks(State):
    """pokerkit's hand, in which every remaining hand is shown and kept: the pots that each may win are then those at
    the end of the betting, and each pot has its own odd chip. A hand is ranked once, not at each push."""

    def can_win_now(self, player_index: int) -> bool:
        """Return True, so that no hand is killed before the pots are pushed."""
        return True

    def get_up_hand(self, player_index: int, board_index: int, hand_type_index: int) -> Hand | None:
        """Return the hand as pokerkit ranks it, once."""
        kept = self.__dict__.setdefault("kept", {})
        cards = *self.get_up_cards(player_index), *self.get_board_cards(board_index)
        key = player_index, hand_type_index, self.statuses[player_index], cards
        if key not in kept:
            kept[key] = super().get_up_hand(player_index, board_index, hand_type_index)
        found: Hand | None = kept[key]
        return found


class _Hand:
    """A hand as it is dealt and bet."""

    def __init__(self, form: Form, chance: random.Random) -> None:
        self.form, self.chance = form, chance
        self.players = players = chance.randint(2, form.most)
        self.deck = [card.text[0] + card.text[1].lower() for card in DECK]
        chance.shuffle(self.deck)
        if chance.random() < 0.5:
            few = chance.sample("23456789TJQKA", 8)
            self.deck.sort(key=lambda card: card[0] in few)  # the last ones are dealt first
        big = chance.choice((2, 5, 10))
        stacks = [chance.choice((chance.randint(1, 3 * big), chance.randint(1, 40 * big))) for _ in range(players)]
        stud, ante = form.stud, chance.choice((0, 1, 3))
        self.state = _NobodyMucks(
            _AUTOMATIONS,
            Deck.STANDARD,
            form.hands,
            tuple(_streets(form, big)),
            BettingStructure.NO_LIMIT,
            True,
            max(ante, 1) if stud else ante,
            0 if stud else (big // 2, big),
            1 if stud else 0,
            stacks,
            players,
        )
        self.stacks = stacks
        self.button = 0 if stud else chance.randint(1, players)
        self.wagers: list[dict[str, int]] = [{} for _ in range(players)]
        self.holes: list[list[str]] = [[] for _ in range(players)]
        self.board: list[str] = []
        self.folded = set[int]()
        self._posted(stacks, ante)

    def _posted(self, stacks: list[int], ante: int) -> None:
        """Set the amounts posted before the deal: the ante first, as far as the chips reach."""
        for player, stack in enumerate(stacks):
            put = stack - self.state.stacks[player]
            of_ante = min(put, max(ante, 1) if self.form.stud else ante)
            small = player == (1 if self.players == 2 else 0)
            for name, cents in (("ante", of_ante), (_BLINDS[not small], put - of_ante)):
                if cents:
                    self.wagers[player][name] = cents

    def played(self) -> Judged:
        """Play the hand to its end."""
        state = self.state
        while not state.can_push_chips():
            if state.can_burn_card():
                state.burn_card(self.deck.pop())
            elif state.can_deal_hole():
                dealt = state.deal_hole(self.deck.pop())
                self.holes[dealt.player_index] += map(repr, dealt.cards)
            elif state.can_deal_board():
                self.board += map(repr, state.deal_board(self.deck.pop()).cards)
            elif state.can_show_or_muck_hole_cards():
                state.show_or_muck_hole_cards(True)
            elif state.can_stand_pat_or_discard():
                self._discards()
            else:
                self._acts()
        return self._judged()

    def _discards(self) -> None:
        player = self.state.stand_patter_or_discarder_index
        assert player is not None
        thrown = self.chance.sample(self.holes[player], self.chance.choice((0, 1, 2, 3)))
        self.state.stand_pat_or_discard("".join(thrown))
        self.holes[player] = [card for card in self.holes[player] if card not in thrown]

    def _acts(self) -> None:
        """Take one action, and note what it put in."""
        state, chance = self.state, self.chance
        player, street = state.actor_index, state.street_index
        assert player is not None
        assert street is not None
        if state.can_post_bring_in():
            put = state.post_bring_in().amount
        elif chance.random() < 0.25 and state.can_complete_bet_or_raise_to():
            least = state.min_completion_betting_or_raising_to_amount
            most = state.max_completion_betting_or_raising_to_amount
            assert least is not None
            assert most is not None
            to = chance.choice((least, min(most, 2 * least), chance.randint(least, most)))
            put = -state.bets[player] + state.complete_bet_or_raise_to(to).amount
        elif chance.random() < 0.2 and state.can_fold():
            put = 0
            self.folded.add(state.fold().player_index)
        else:
            put = state.check_or_call().amount
        if put:
            name = self.form.streets[street]
            self.wagers[player][name] = self.wagers[player].get(name, 0) + put

    def _judged(self) -> Judged:
        state, seat = self.state, self._seat
        alone = len(self.folded) == self.players - 1
        seats = []
        for player in range(self.players):
            out = player in self.folded or alone
            cards = [HIDDEN] * len(self.holes[player]) if out else [card.upper() for card in self.holes[player]]
            status: Any = "folded" if player in self.folded else "live"
            put: Any = self.wagers[player]
            seats.append(seat_of(seat(player), cards, status=status, **put))
        seats.sort(key=lambda each: each.seat)
        community = [card.upper() for card in self.board]
        result = ended_round(self.form.game, seats, community, button=self.button or None)
        pots = [*state.pots]
        before = list(map(add, state.payoffs, state.bets))
        hands = [[*state.get_up_hands(0, way)] for way in range(len(self.form.hands))] if not alone else []
        shares = [[*_shares(pot.amount, pot.player_indices, hands, by_text=True)] for pot in pots]
        theirs = [[*_shares(pot.amount, pot.player_indices, hands, by_text=False)] for pot in pots]
        while state.can_push_chips():
            state.push_chips()
        assert _nets(before, theirs) == state.payoffs, "pokerkit has a rule that is not known here"
        nets = _nets(before, shares)
        differs = sum(map(ne, nets, state.payoffs))
        split = any(len(way) > 1 for ways in shares for way in ways)
        by_seat = {seat(player): cents for player, cents in enumerate(nets)}
        return Judged(result, by_seat, differs, len(pots), split)

    def _seat(self, player: int) -> int:
        """Return the seat of a player: pokerkit's first player sits to the left of the button, or of the dealer."""
        return (player + self.button) % self.players + 1


Way = dict[int, int]
"""Player -> his share of a pot, or of a half of it."""


def _shares(cents: int, contenders: Sequence[int], hands: list[list[Hand | None]], *, by_text: bool) -> Iterator[Way]:
    """Yield the winners' shares of a pot, for each way in which it is won, by the text's rules or by pokerkit's."""
    if not hands:
        yield dict.fromkeys(contenders, cents)
        return
    high = _best(contenders, hands[0])
    low = _best(contenders, hands[1]) if len(hands) > 1 else []
    if not by_text and not low and len(hands) > 1 and any(hands[1]):
        low = [*contenders]  # another player has a low hand, and of these every one has as good as the others: none
    of_low = cents // 2 if low else 0
    if by_text and low:
        of_low -= of_low % len(low)
    for part, winners in ((cents - of_low, high), (of_low, low)):
        if part:
            share, over = divmod(part, len(winners))
            first = dict.fromkeys(range(over), 1) if by_text else {0: over}
            yield {player: share + first.get(place, 0) for place, player in enumerate(winners)}


def _nets(before: Sequence[int], pots: Iterable[Iterable[Way]]) -> list[int]:
    """Return each player's net win or loss under these shares of the pots."""
    found = [*before]
    for way in chain.from_iterable(pots):
        for player, cents in way.items():
            found[player] += cents
    return found


def _best(contenders: Sequence[int], hands: Sequence[Hand | None]) -> list[int]:
    """Return the players with the best hand of all, in pokerkit's order; none if no one has a hand."""
    there = [(player, hand) for player in contenders if (hand := hands[player]) is not None]
    best = max((hand for _, hand in there), default=None)
    return [player for player, hand in there if hand == best]


def _streets(form: Form, least: int) -> Iterator[Street]:
    """Return the betting rounds as pokerkit has them."""
    low = not issubclass(form.hands[0], StandardHighHand | OmahaHoldemHand)
    for number, name in enumerate(form.streets):
        opening, board, down, draw = Opening.POSITION, 0, (False,) * (form.own if not number else 0), False
        if form.streets == _BOARD:
            board = (0, 3, 1, 1)[number]
        elif form.streets == _DRAW:
            draw = number > 0
        else:
            down = (name != "seventh",)
            if not number:
                down = (False, False, True) if form.streets == _SEVEN else (False, True)
                opening = Opening.HIGH_CARD if low else Opening.LOW_CARD
            else:
                opening = Opening.LOW_HAND if low else Opening.HIGH_HAND
        yield Street(number > 0, down, board, draw, opening, least, None)
