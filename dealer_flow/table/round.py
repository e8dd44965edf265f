"""State of one round: bets, choices, cards, incidents. `play.verdicts` judges it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from msgspec.structs import replace

from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.due import Due
from dealer_flow.procedure.steps.kinds import AnyStep
from dealer_flow.record.catalogue import INCIDENTS
from dealer_flow.record.details import Stage, TakenPot
from dealer_flow.record.incidents import EventRef, Incident
from dealer_flow.record.result import Outcome
from dealer_flow.table.betting import Betting
from dealer_flow.table.columns import Draw
from dealer_flow.table.decks import Decks
from dealer_flow.table.ledger import Ledger
from dealer_flow.table.shoe import Shoes
from devices.events import Body, BurnConfirmed, HandSet, Seen
from protocol.cards import Card
from protocol.places import NOWHERE, PLACES, Place

_NO_CHIPS: Final = Betting()


class Ruling(NamedTuple):
    """A ruling that a supervisor owes: `why`, the place it is about, its clause, and the bets that a misdeal would
    return."""

    why: Incident
    place: Place
    clause: str
    returns: tuple[str, ...] | None


class CardMark(NamedTuple):
    """Fate of a card out of a shoe that did not go where it was due.

    `why`: it is `dead`, went `back` into the deck, is at `place` as an `extra` one, or is `spare`: it was due at no
    place and no one has reported on it. A card that came `early` will be at `place` in a later step, where it then
    counts as a `deal`; one set `aside` goes back later.
    """

    why: Literal["dead", "back", "extra", "spare", "early", "aside", "deal"]
    place: Place = NOWHERE
    step: str = ""


_EACH_TIME: Final = frozenset({"acted-out-of-turn", "action-taken-back", "award-taken-back", "burned-card-put-back"})
"""Incidents that are recorded each time: the same seat, or the dealer, did the same once more."""


@dataclass(slots=True)
class Returns:
    """Bets that go back, by their reason: (`dead-hand`, seat), (`hand`, its name), or an outcome with 0.

    None stands for every bet. If two clauses apply to the same reason, the bets of both go back.
    """

    rows: dict[tuple[str, int | str], tuple[str, ...] | None] = field(default_factory=dict)

    def add(self, follows: str, whose: int | str, bets: tuple[str, ...] | None) -> None:
        """Add bets that go back for this reason."""
        key = (follows, whose)
        known = self.rows.get(key, ())
        both = None if known is None or bets is None else (*known, *(bet for bet in bets if bet not in known))
        self.rows[key] = both

    def of(self, follows: str, whose: int | str, wagers: Mapping[str, int], keeps: frozenset[str]) -> dict[str, int]:
        """Return the bets of a seat that go back, cents by name.

        If no clause names any, all but those in `keeps`.
        """
        bets = self.rows.get((follows, whose))
        return {name: cents for name, cents in wagers.items() if (name not in keeps if bets is None else name in bets)}


@dataclass(slots=True)
class Round:
    """Everything known since the last round ended. Bets come first, then START GAME makes it a round in play.

    `decks` outlives the round. So does `shoes`, which exists only in games dealt from a shoe; `draw` only in those
    drawn into columns. In all other games `at` is the index of the step under way, `opened` says whether it has begun,
    and `dues` are the cards of every step so far, of which the first `given` are dealt.
    """

    plan: Plan
    ledger: Ledger
    decks: Decks
    shoes: Shoes | None = None
    draw: Draw | None = None
    betting: Betting = field(init=False)
    """Betting, in games in which players bet against each other; in all others one shared instance that is never
    written."""
    awards: list[TakenPot] = field(default_factory=list)
    badge: tuple[int, str] | None = None
    """Badge and level of the last swipe since a card waits to be named."""
    in_play: bool = False
    number: int = 0
    session: int = 0
    """Session of the device that deals, on the line `dealt_by`; 0 before its first card."""
    dealt_by: str = ""
    started_by: tuple[str, int] = ("", 0)
    """Line that reported START GAME, and its session."""
    devices: set[str] = field(default_factory=set)
    bettors: set[str] = field(default_factory=set)
    restarted: set[str] = field(default_factory=set)
    """Devices that lost power in the middle of a deal before START GAME, until a person has cleared it."""
    wagers: dict[int, dict[str, int]] = field(default_factory=dict)
    staked: dict[int, dict[str, int]] = field(default_factory=dict)
    """Bets at START GAME: those placed before the deal are judged by these amounts."""
    judged: set[int] = field(default_factory=set)
    """Seats whose bets are as at START GAME and were checked against every rule that concerns no other bet."""
    held: dict[int, dict[str, str]] = field(default_factory=dict)
    """Seat -> its bets that cannot be settled -> the clause: they break a rule, came too late, or do not enter the
    seat."""
    sensors: set[int] = field(default_factory=set)
    active: tuple[int, ...] = ()
    button_was: int | None = None
    """Seat that had the button in the round before, if that was played out."""
    first: int | None = None
    """Seat that was selected to get the first cards, 0 for the dealer."""
    drawn: int | None = None
    """Number that named it; None if only the place was reported."""
    at: int = 0
    step: AnyStep | None = field(init=False)
    """Step under way; None in a game drawn into columns. Stored along with `at`, since each report needs it."""
    doing: str = field(init=False)
    """Kind of the step under way; empty in a game drawn into columns."""
    ends_early: bool = field(init=False)
    """True if the report of a later step may end the one under way."""
    opened: bool = False
    dues: list[Due] = field(default_factory=list)
    given: int = 0
    from_shoe: list[Card] = field(default_factory=list)
    """Cards out of a shoe, in order; those without a mark were taken for `dues`, one each."""
    marks: dict[int, CardMark] = field(default_factory=dict)
    """Index in `from_shoe` -> what happened to a card that was taken for none of them."""
    to_bury: int = 0
    """Number of cards that go to the discards before the next are dealt, since some of theirs came too early."""
    aside: int = 0
    """Number of cards out of the dealer's hand that came early and go back into the deck before the last one."""
    common_card: bool = False
    """True if the deck ran out and the last card plays in every hand."""
    seen_last: set[int] = field(default_factory=set)
    """Seats whose last card was turned up although dealt down, and plays."""
    late: dict[int, str] = field(default_factory=dict)
    """Seat -> the step in which it has yet to choose, before the cards that follow are out."""
    unburned: str = ""
    """Last step whose burn the dealer forgot."""
    stub_due: bool = False
    """True after cards went back: the shoe may be filled with the remaining cards, shuffled, during the round."""
    dealt_by_hand: bool = False
    """True if the remaining cards were shuffled by hand: no device sees the cards that follow."""
    by_hand: list[Due] = field(default_factory=list)
    """Cards dealt by hand at this step, until the dealer confirms."""
    choices: dict[int, dict[str, str]] = field(default_factory=dict)
    """Seat -> step -> choice, in order."""
    gave_up: set[int] = field(default_factory=set)
    """Seats with a choice that gives up the hand."""
    passed_by: dict[int, str] = field(default_factory=dict)
    """Seat -> the clause: it had not chosen when play continued without it."""
    judged_draws: set[tuple[str, Place]] = field(default_factory=set)
    """Steps and hands whose draws were checked."""
    blind: dict[int, set[str]] = field(default_factory=dict)
    """Seat -> bets on later choices that it placed in the blind."""
    declared: dict[int, set[str]] = field(default_factory=dict)
    """Seat -> the steps at which it showed its cards to declare them."""
    stages: dict[Place, list[Stage]] = field(default_factory=dict)
    """Cards of each place when a step was over, if they had changed."""
    propositions: dict[int, dict[str, dict[str, int]]] = field(default_factory=dict)
    """Seat -> bet -> what it is on, with cents."""
    settled: dict[int, set[str]] = field(default_factory=dict)
    """Seat -> the bets that are settled for good."""
    passed: list[int] = field(default_factory=list)
    """Indexes of steps that need not be reported: their bets are settled once anything of a later step is reported."""
    settled_by: int | None = None
    """Index of the last step that settled bets, until anything of a later one is reported."""
    all_shown: bool = False
    """True if every hand was shown, and nothing known then voids the round."""
    compared: set[int] = field(default_factory=set)
    """Seats whose hands were shown when the house's was visible, and nothing known then voids the round."""
    too_late: set[tuple[int, str]] = field(default_factory=set)
    """Bets of choices, as (seat, bet), that were not placed before further cards of the house were seen."""
    dead: set[int] = field(default_factory=set)
    dead_hands: set[str] = field(default_factory=set)
    burns: dict[Place, BurnConfirmed] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    splits: dict[Place, HandSet] = field(default_factory=dict)
    """Latest report of how each hand was set."""
    open: dict[Place, int] = field(default_factory=dict)
    """Most cards that were shown at each place at once."""
    red_lamp: int = 0
    lit_in_play: bool = False
    """True if the red lamp was lit since START GAME. A lamp lit before says nothing about this round's cards."""
    order_judged: bool = False
    """True once the order of its cards was compared with that of earlier rounds."""
    pressed: Seen | None = None
    """Report of the green button that was pressed while the red lamp was lit."""
    silent: bool = False
    """True if a line was silent or flooded since the last round ended: its reports may come late."""
    heard: Body | None = None
    """Report that is being taken."""
    uncorrected: str = ""
    """Condition that the correction under way breaks; empty if none."""
    incidents: list[Incident] = field(default_factory=list)
    rulings: list[Ruling] = field(default_factory=list)
    called: Incident | None = None
    """Incident for which a supervisor must come, until a badge is swiped."""
    returns: Returns = field(default_factory=Returns)
    unreliable: bool = False
    defective: bool = False
    misdeal: bool = False
    house_wrong: bool = False
    _reported: set[Incident] = field(default_factory=set)

    # ------------------------------------------------------------------ where it stands

    def __post_init__(self) -> None:
        self.betting = Betting() if self.plan.shows_stakes else _NO_CHIPS
        self.go_to(0, opened=False)

    def go_to(self, index: int, *, opened: bool) -> None:
        """Make this the step under way; unless `opened`, it has yet to begin."""
        plan = self.plan
        self.at, self.opened = index, opened
        if plan.steps:
            self.step, self.doing, self.ends_early = plan.steps[index], plan.does[index], plan.ends_early[index]
        else:
            self.step, self.doing, self.ends_early = None, "", False

    @property
    def card_owed(self) -> bool:
        """True while a card is still due to a place."""
        return self.given < len(self.dues)

    @property
    def next_due(self) -> Due | None:
        """Cards that come next; None if every place has its own."""
        return self.dues[self.given] if self.given < len(self.dues) else None

    @property
    def due(self) -> Place | None:
        """Place that gets the next cards; None if every place has its own."""
        due = self.next_due
        return due.place if due else None

    def turned_up(self, due: Due) -> bool:
        """Return True if the hand that is due this card was turned up, or had another card by the same step."""
        hand = self.ledger.hands.get(due.place)
        return hand is None or hand.step == due.step or hand.revealed is not None

    @property
    def live(self) -> list[int]:
        """Seats still in the round: neither dead nor folded."""
        gone = {*self.dead, *self.gave_up, *self.betting.folded}
        return [number for number in self.active if number not in gone]

    def is_live(self, number: int) -> bool:
        """Return True if this seat is still in the round."""
        gone = number in self.dead or number in self.gave_up or number in self.betting.folded
        return number in self.active and not gone

    @property
    def somebody_lives(self) -> bool:
        """True while any seat is still in the round."""
        for number in self.active:
            if number not in self.dead and number not in self.gave_up and number not in self.betting.folded:
                return True
        return False

    @property
    def drawing(self) -> list[int]:
        """Seats that get further cards: live, and with choices left, or dead since this deal began."""
        return [number for number in self.active if self._plays_on(number) or self._keeps_place(number)]

    def _keeps_place(self, number: int) -> bool:
        """Return True if a hand died in the step before, whose cards and those of this one go out as one deal: the
        order is not disturbed (47.1-1021)."""
        if number not in self.dead or not self.at or self.step is None or self.step.do != "deal":
            return False
        before, hand = self.plan.steps[self.at - 1], self.ledger.hands.get(PLACES[number])
        return before.do == "deal" and (hand is None or hand.step == before.name)

    def _plays_on(self, number: int) -> bool:
        if number in self.dead or number in self.gave_up or number in self.betting.folded or number in self.passed_by:
            return False
        return number not in self.choices or self.last_choice(number) not in self.plan.finishes

    def draws(self, number: int) -> int:
        """Return the number of cards that the seat asked for in the last step with a choice."""
        steps = reversed(self.plan.steps[: self.at])
        step = next((step.name for step in steps if isinstance(step, DecideStep)), "")
        choice = self.plan.choices.get(self.choices.get(number, {}).get(step, ""))
        return choice.draws if choice else 0

    def folded(self, number: int) -> bool:
        """Return True if a seat gave up."""
        return number in self.betting.folded or number in self.gave_up

    def last_choice(self, number: int) -> str | None:
        """Return the last choice of a seat; None before it chose."""
        if number not in self.choices:
            return None
        *_, last = self.choices[number].values()
        return last

    @property
    def undecided(self) -> list[int]:
        """Seats that have yet to choose in this step."""
        step = self._choosing
        return [] if step is None else [number for number in self.active if self._is_to_choose(step, number)]

    @property
    def decided(self) -> bool:
        """True if no seat has yet to choose in this step."""
        step, choices = self._choosing, self.choices
        if step is None:
            return True
        for number in self.active:
            if number in choices and step.name in choices[number]:
                continue
            if self._is_to_choose(step, number):
                return False
        return True

    def is_undecided(self, number: int) -> bool:
        """Return True if this seat has yet to choose in this step."""
        step = self._choosing
        return step is not None and number in self.active and self._is_to_choose(step, number)

    @property
    def _choosing(self) -> DecideStep | None:
        """Step under way if seats may choose in it, else None."""
        if self.doing != "decide" or (self.plan.betting is not None and self.won):
            return None
        step = self.step
        assert isinstance(step, DecideStep)
        return step if step.about is None or self.offers(step) else None

    def _is_to_choose(self, step: DecideStep, number: int) -> bool:
        if number in self.late or (number in self.choices and step.name in self.choices[number]):
            return False
        return self._plays_on(number) and (not step.only or step.only in self.wagers[number])

    def offers(self, step: DecideStep) -> bool:
        """Return False if a choice is about a hand that does not exist, is dead, or was taken by the only seat that
        may."""
        if step.about is None:
            return True
        there = self.plan.place(step.about) in self.ledger.hands and step.about not in self.dead_hands
        return there and (step.takers == "each" or not self.taken(step))

    def taken(self, step: DecideStep) -> bool:
        """Return True once a seat made a choice of this step that a bet goes with."""
        return any(choices.get(step.name) in self.plan.staked for choices in self.choices.values())

    @property
    def for_progressive(self) -> list[int]:
        """Live seats that may play on for the progressive after a misdeal."""
        bet = self.plan.progressive
        if bet is None:
            return []
        return [number for number in self.live if self.wagers[number].get(bet) or number in self.sensors]

    @property
    def over(self) -> bool:
        """True if the hands will not be played out."""
        return self.misdeal or self.defective or self.unreliable

    @property
    def idle(self) -> bool:
        """True if every seat has given up, is dead or was passed by: cards due after a choice need not be dealt.

        In a game in which players bet against each other one seat may be left, which has won.
        """
        if self.won:
            return True
        if not self.passed_by.keys() >= {*self.live}:
            return False
        return any(step.do == "decide" for step in self.plan.steps[: self.at + 1])

    @property
    def won(self) -> bool:
        """True if players bet against each other and at most one is left, or the blinds were chopped."""
        if self.plan.betting is None:
            return False
        if len(self.betting.chopped) > 1:
            return True
        return self.in_play and len(self.active) > 1 and len(self.live) <= 1

    @property
    def house_shown(self) -> bool:
        """True once the house's or the community cards were shown for the last time: no bet may follow."""
        return not self.plan.houses.isdisjoint(self.shown)

    @property
    def left_to_deal(self) -> bool:
        """True while cards of the device are still to come, by the step under way or a later one.

        In a game without a device, cards of the dealer's hand.
        """
        if self.plan.from_hand:
            return not self.all_dealt
        rest = self.plan.procedure.remainder
        if self.next_due is not None or self.dealt_by_hand:
            return self.next_due is not None
        steps = self.plan.steps[self.at + self.opened :]
        if rest is not None and rest.after is not None:
            names = [step.name for step in self.plan.steps]
            last = names.index(rest.after) if rest.after in names else len(names)
            steps = self.plan.steps[self.at + self.opened : last + 1]
        return any(step.from_device for step in steps)

    @property
    def all_dealt(self) -> bool:
        """True once no further card is dealt in this round, neither by the device nor by hand."""
        if self.next_due is not None or self.by_hand:
            return False
        steps = self.plan.steps[self.at + self.opened :]
        return self.idle or not any(step.deals for step in steps)

    @property
    def rest(self) -> int | None:
        """Number of cards left of the deck, by the count that decides; None while unknown."""
        if self.ledger.remainder is not None or self.shoes is None:
            return self.ledger.remainder
        shoe = self.shoes.current
        return shoe.left if shoe is not None and not self.left_to_deal else None

    @property
    def rest_wrong(self) -> str | None:
        """`short` or `long` if another number of cards is left than the procedure says, else None."""
        exact, rest = self.plan.exact_rest, self.rest
        if exact is None or rest is None:
            return None
        if rest == exact or rest == exact - self._explained:
            return None
        return "short" if rest < exact else "long"

    @property
    def _explained(self) -> int:
        """Number of cards too many in hands, minus those they lack, if the hands' own rows decide the consequence.

        The house's hands count once they were found wrong, the players' as the option says.
        """
        places = [PLACES[number] for number in self.active] if self.plan.rest_explained else []
        if self.house_wrong:
            places += [place for place in self.ledger.hands if self.plan.house(self.plan.kind(place))]
        return sum(self.ledger.off(place) for place in places)

    # ------------------------------------------------------------------ what goes wrong

    def report(self, found: Incident, seen: Seen) -> Incident:
        """Record an incident with the report it is based on, and only once unless it is an action of its own each time;
        its code must be in the catalogue."""
        return self.follow(found, (EventRef(device=seen.device, number=seen.number),))

    def follow(self, found: Incident, events: tuple[EventRef, ...]) -> Incident:
        """Record an incident with the reports of another one that it follows from."""
        assert found.code in INCIDENTS
        incident = replace(found, events=events)
        self.unreliable |= found.unreliable
        if found not in self._reported or found.code in _EACH_TIME:
            self._reported.add(found)
            self.incidents.append(incident)
            if found.called and self.called is None:
                self.called = incident
        return incident

    # ------------------------------------------------------------------ how it ended

    @property
    def outcome(self) -> Outcome:
        """Outcome of the round: the worst finding decides."""
        if self.unreliable:
            return "unreliable"
        astray = self.ledger.conserved is False
        if self.defective or (astray and self.plan.deck_policy.then == "defective-deck"):
            return "defective-deck"
        if self.misdeal or astray:
            return "misdeal"
        if self.house_wrong:
            return "progressive-only" if self.for_progressive else "misdeal"
        return "complete"
