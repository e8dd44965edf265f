"""The round at the end of one player's walk through a game, and the result of its settlement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Final

from dealer_flow.procedure.plan import Plan
from dealer_flow.record.details import Split, Stage
from dealer_flow.record.result import Deck, Hand, NamedHand, ProcedureRef, RoundResult, Seat
from protocol.cards import Card
from rules.bets.bet import Bet
from rules.facts.terms import Terms
from rules.hands.hand_spec import OWN
from rules.kinds.against import AgainstBet
from rules.kinds.margin import MarginBet
from rules.odds.joint import Ending
from rules.settle.rounds import settle_on
from rules.settlement import SettlementLine

SEAT: Final = 1
DEALER: Final = "dealer"
BOARD: Final = "community"
Cards = tuple[Card, ...]
_PAID: Final = ("win", "push")


@dataclass(frozen=True, slots=True)
class Group:
    """Cards that came to a place together, and the step that dealt or showed them."""

    place: str
    step: str
    cards: Cards


@dataclass(frozen=True, slots=True)
class OnePlayerState:
    """State of the table for one player.

    - `groups`: groups of cards in order.
    - `wagers`: his wagers in cents. `choices`: his choice at each step.
    - `aside`: his discards. `low`, `dealer_low`: the low parts of set hands.
    - `given_up`: see below.
    """

    groups: tuple[Group, ...] = ()
    wagers: Mapping[str, int] = field(default_factory=dict, hash=False)
    choices: tuple[tuple[str, str], ...] = ()
    folded: bool = False
    aside: Cards = ()
    low: Cards = ()
    dealer_low: Cards = ()
    given_up: tuple[str, str, int] = ("", "", 0)
    """The bet that was partly surrendered, its name afterwards, and its cents before."""

    def at(self, place: str) -> Cards:
        """Return the cards of a place."""
        return tuple(card for group in self.groups if group.place == place for card in group.cards)


@dataclass(frozen=True)
class Settler:
    """Settles a state on `terms` for the `bets` that are counted; `unit` is a stake of one, in cents."""

    plan: Plan
    terms: Terms
    bets: Sequence[Bet]
    unit: int

    def ending(self, lying: OnePlayerState) -> Ending | None:
        """Return the ending of the bets; None if the settlement holds one of them, so that the way is not allowed."""
        found = settle_on(self.round(lying), self.terms)
        lines = {line.bet: line for line in found.lines if line.bet in self._counted}
        if any(line.result == "held" for line in lines.values()):
            return None
        ends = [self._bet_result(bet, lying, lines) for bet in self.bets]
        stakes, nets, rows = zip(*ends, strict=True)
        return Ending(stakes, nets, "", rows)

    def why_held(self, lying: OnePlayerState) -> str:
        """Return the reason that the settlement holds a bet; empty if it holds none."""
        found = settle_on(self.round(lying), self.terms)
        held = (line for line in found.lines if line.result == "held" and line.bet in self._counted)
        return next((f"{line.bet}: {line.why}" for line in held), "")

    @cached_property
    def _counted(self) -> frozenset[str]:
        given = (choice.gives_up for choice in self.plan.procedure.decision if choice.gives_up)
        names = frozenset(bet.name for bet in self.bets)
        return names | {each.as_ for each in given if each.bet in names}

    def _bet_result(
        self, bet: Bet, lying: OnePlayerState, lines: Mapping[str, SettlementLine]
    ) -> tuple[Fraction, Fraction, str]:
        """Return the stake and the net of a bet in units, and the row that paid it, empty if none did.

        For a bet that was surrendered in part, the stake is the whole bet as it was placed.
        """
        given, name, before = lying.given_up
        cents = before if bet.name == given else lying.wagers.get(bet.name, 0)
        mine = [lines[each] for each in (bet.name, name if bet.name == given else "") if each in lines]
        net = sum((line.net + (Fraction(line.rest) if not line.meter else 0) for line in mine), Fraction(0))
        row = next((line.row for line in mine if line.row and line.result in _PAID), "")
        return Fraction(cents, self.unit), Fraction(net, self.unit), row or ""

    def round(self, lying: OnePlayerState) -> RoundResult:
        """Build the round as it is when its bets are settled."""
        dealer = lying.at(DEALER)
        return RoundResult(
            table="odds",
            session="00000001",
            round=1,
            procedure=ProcedureRef(self.plan.procedure.id, "0" * 64),
            options=self.plan.options,
            outcome="complete",
            deck=Deck(1, None),
            packets=(),
            community=_texts(lying.at(BOARD)),
            burned=(),
            burn=None,
            seats=(self._seat(lying),),
            dealer=self._dealer(dealer, lying) if dealer else None,
            hands=tuple(self._hands(lying)),
            stages=tuple(self._stages(lying)),
            remainder=None,
            rejected=0,
            incidents=(),
        )

    def _seat(self, lying: OnePlayerState) -> Seat:
        own = lying.at(OWN)
        if not self.terms.game.spec.laid_aside:
            own = without(own, lying.aside)
        names = tuple(name for _, name in lying.choices)
        return Seat(
            seat=SEAT,
            status="folded" if lying.folded else "live",
            cards=_texts(own),
            counted=len(own),
            expected=len(own),
            decision=names[-1] if names else None,
            decisions=names if len(names) > 1 else (),
            choices=dict(lying.choices),
            discards=_texts(lying.aside),
            split=_split(own, lying.low, "player"),
            wagers=dict(lying.wagers),
            propositions={},
        )

    def _dealer(self, cards: Cards, lying: OnePlayerState) -> Hand:
        split = _split(cards, lying.dealer_low, "dealer")
        return Hand(cards=_texts(cards), counted=len(cards), expected=len(cards), split=split)

    def _hands(self, lying: OnePlayerState) -> list[NamedHand]:
        found = []
        for part in self.plan.procedure.hand:
            if cards := lying.at(part.name):
                texts, count = _texts(cards), len(cards)
                found.append(
                    NamedHand(
                        name=part.name, place=part.place, status="live", cards=texts, counted=count, expected=count
                    )
                )
        return found

    @cached_property
    def hands(self) -> frozenset[str]:
        """Hands that decide the bets."""
        names = {each.hand for each in self.terms.game.spec.qualifiers.values()}
        for bet in self.bets:
            names |= {bet.hand, *(each.hand for each in bet.hand_when), *([bet.instead.hand] if bet.instead else [])}
            names |= {bet.against} if isinstance(bet, AgainstBet | MarginBet) else set()
            if isinstance(bet, AgainstBet):
                names |= {bet.table_hand} if bet.table_hand else set()
                names |= {bet.doubt.hand, bet.doubt.against} if bet.doubt else set()
        return frozenset(names)

    @cached_property
    def watched(self) -> frozenset[tuple[str, str]]:
        """Steps and places whose cards at that time make a hand."""
        hands = (self.terms.game.hand(name) for name in self.hands)
        return frozenset((step, place) for hand in hands for place, steps in hand.at.items() for step in steps)

    def _stages(self, lying: OnePlayerState) -> list[Stage]:
        """Return the stages of the watched steps: the cards at a place at the end of the step."""
        found, there = [], dict[str, Cards]()
        for group in lying.groups:
            there[group.place] = there.get(group.place, ()) + group.cards
            if (group.step, group.place) in self.watched:
                place = f"seat {SEAT}" if group.place == OWN else group.place
                found.append(Stage(group.step, place, _texts(there[group.place])))
        return found


def _texts(cards: Cards) -> tuple[str, ...]:
    return tuple(card.text for card in cards)


def _split(cards: Cards, low: Cards, by: str) -> Split | None:
    if not low:
        return None
    return Split(_texts(low), _texts(without(cards, low)), by, foul=False)


def without(cards: Sequence[Card], some: Sequence[Card]) -> Cards:
    """Return the cards without some of them; with several decks, the same face may occur more than once."""
    left = list(cards)
    for card in some:
        left.remove(card)
    return tuple(left)
