"""Procedure as simulated people play it: steps they wait for, the shuffler's program, prices of bets."""

from collections.abc import Collection, Mapping
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from dealer_flow.procedure.load import Procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.burn_card import BurnCardStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.due import Due, RoundView
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.procedure.steps.kinds import AnyStep
from dealer_flow.procedure.steps.offer_hand import OfferHandStep
from dealer_flow.procedure.steps.show import ShowStep
from dealwire.rehearsal.stakes import CENTS, stake_of
from devices.simulator.shuffler_parts import PacketGroup
from protocol.errors import LocalError
from protocol.places import Place
from rules.game.load import game_id_of, load_game
from rules.kinds.table import TableBet


class NotDealt(LocalError):
    """Error: the simulated dealer cannot deal this procedure step by step."""

    def __init__(self, procedure: str) -> None:
        super().__init__(
            f"{procedure}: its cards are drawn into columns, not dealt step by step; `dealwire sim --list` names"
            " scenarios that draw it"
        )


class ProgramPart(NamedTuple):
    """Packets of one size without a pause, and their steps."""

    group: PacketGroup
    steps: tuple[str, ...]


class RehearsedProcedure:
    """Procedure whose `steps` are those really taken in simulation: no one reveals a hand early, and no one takes an
    offered one."""

    def __init__(self, procedure: Procedure, options: Mapping[str, str] | None = None) -> None:
        if not procedure.step:
            raise NotDealt(procedure.id)
        self.id = procedure.id
        self.plan = Plan(procedure, options or {})
        offered = {step.to for step in self.plan.steps if isinstance(step, OfferHandStep)}
        self.steps = tuple(step for step in self.plan.steps if not _may_be_left(step, offered))
        self.bets = {bet.name: bet.number for bet in self.plan.bets.values()}
        self.enters = tuple(name for name in self.bets if name in self.plan.entering)
        game = game_id_of(procedure.id, self.plan.options)
        spec = load_game(game).spec if game else None
        settled = spec.bets if spec is not None else ()
        self.shares_pot = spec is not None and spec.pot is not None
        """True if players win a pot from each other."""
        tabled = (bet for bet in settled if isinstance(bet, TableBet))
        self.kept_when_folded = frozenset(bet.name for bet in tabled if bet.fold == "stands")
        """Bets that keep a folded hand in play until it is revealed."""

    def cents(self, bet: str, wagers: Mapping[str, int], choice: str) -> int:
        """Return the price of a bet that goes with a choice, by its rules; without them, as much as the first bet."""
        first = wagers.get(self.enters[0]) or max(wagers.values(), default=CENTS)
        return stake_of(self.plan, bet, wagers, first, choice)

    def then(self, place: Place, how: str, step: str, missing: int = 1) -> str:
        """Return the consequence of wrong cards at `place`. A person rules if the procedure says nothing."""
        kind = self.plan.kind(place)
        counted = how in ("short", "long")
        policy = self.plan.wrong(kind, how, step, missing) if counted else self.plan.mishap(how, kind, step)
        return policy.then if policy else "person"

    def replaced_first(self, how: str, step: str) -> bool:
        """Return True if a card that is dead in this way is replaced before the next step: a joker whose lap is over,
        or if the next cards are none of the players'."""
        policy = self.plan.face(how) if how == "joker" else None
        if policy is None:
            return False
        names = [each.name for each in self.steps]
        return policy.lap or "seats" not in self.steps[names.index(step) + 1].recipients

    @property
    def last_deal(self) -> str:
        """Name of the step after which the remainder comes."""
        rest = self.plan.procedure.remainder
        if rest and rest.after in [step.name for step in self.steps]:
            return rest.after
        return next(
            (step.name for step in reversed(self.steps) if step.from_device or (self.plan.from_hand and step.deals)), ""
        )

    @cached_property
    def program(self) -> tuple[ProgramPart, ...]:
        """Groups of packets from a packet shuffler, in order. Consecutive steps with packets of one size form a group;
        any other step is a pause, and burned cards are a group of their own."""
        parts, joins = list[ProgramPart](), False
        for step in self.steps:
            if not step.from_device:
                joins &= step.deals
                continue
            found = _group(step)
            burned = isinstance(step, BurnCardStep)
            if joins and not burned and parts[-1].group.cards == found.cards:
                group, names = parts.pop()
                found = PacketGroup(found.cards, group.count + found.count if group.count and found.count else 0)
                parts.append(ProgramPart(found, (*names, step.name)))
            else:
                parts.append(ProgramPart(found, (step.name,)))
            joins = not burned
        return tuple(parts)

    @property
    def packet_size(self) -> int:
        """Cards of every packet; 0 if they differ."""
        return self.program[0].group.cards if len(self.program) == 1 else 0

    def group_of(self, step: AnyStep) -> int:
        """Return the index of the group that the step's packets belong to."""
        return next(number for number, part in enumerate(self.program) if step.name in part.steps)


def packets_of(step: AnyStep, view: RoundView, house_draws: int) -> list[Due]:
    """Return the packets of a step in order. At a shoe, the cards of a packet also go out together. `house_draws` is
    the number of cards the house exchanges."""
    found: list[Due] = []
    whole = getattr(step, "by", "single") == "packet"
    for _, dues in groupby(step.dues(view), key=lambda due: due.place):
        due, *more = dues
        cards = due.cards + sum(other.cards for other in more)
        if due.at_most:
            cards = min(cards, house_draws)
        found += [due._replace(cards=cards)] * bool(cards) if whole else [due] * cards
    return found


def _may_be_left(step: AnyStep, offered: Collection[str]) -> bool:
    """Return True if play does not wait for the step."""
    match step:
        case ShowStep():
            return all(hand in offered or (step.optional and hand != "seats") for hand in step.of)
        case DecideStep():
            return step.about is not None and step.optional
        case _:
            return isinstance(step, OfferHandStep)


def _group(step: AnyStep) -> PacketGroup:
    """Return the packets of one step. The number of packets for the seats is not known in advance."""
    match step:
        case BurnCardStep():
            return PacketGroup(1, step.cards)
        case DealStep(by="single"):
            return PacketGroup(1, 0 if "seats" in step.to else len(step.to) * step.cards)
        case DealStep():
            return PacketGroup(step.cards, 0 if "seats" in step.to else len(step.to))
        case _:
            assert isinstance(step, ExchangeStep)
            return PacketGroup(1)
