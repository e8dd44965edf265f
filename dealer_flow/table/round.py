"""One round as it goes on: bets, choices, cards, incidents. What they mean is judged in `play.verdicts`."""

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
    """A supervisor is to rule: `why`, the place it is about, by which clause, and what goes back if it is a misdeal."""

    why: Incident
    place: Place
    clause: str
    returns: tuple[str, ...] | None


class CardMark(NamedTuple):
    """What became of a card out of a shoe that did not go to whom it was due. `why`: it is `dead`, went `back` into the
    deck, lies at `place` as an `extra` one, or is `spare`: nobody was due it and nobody has spoken of it. One that came
    `early` is to lie at `place` in a later step, where it then counts as a `deal`; one set `aside` goes back later."""

    why: Literal["dead", "back", "extra", "spare", "early", "aside", "deal"]
    place: Place = NOWHERE
    step: str = ""


@dataclass(slots=True)
class Returns:
    """What goes back, by what it follows from: (`dead-hand`, seat), (`hand`, its name), or an outcome with 0.

    None stands for every bet. Where two clauses follow from the same thing, what either gives back goes back.
    """

    rows: dict[tuple[str, int | str], tuple[str, ...] | None] = field(default_factory=dict)

    def add(self, follows: str, whose: int | str, bets: tuple[str, ...] | None) -> None:
        """These bets go back for that reason."""
        key = (follows, whose)
        known = self.rows.get(key, ())
        both = None if known is None or bets is None else (*known, *(bet for bet in bets if bet not in known))
        self.rows[key] = both

    def of(self, follows: str, whose: int | str, wagers: Mapping[str, int], keeps: frozenset[str]) -> dict[str, int]:
        """The bets of a seat that go back, cents by name; all but those in `keeps` where no clause names any."""
        bets = self.rows.get((follows, whose))
        return {name: cents for name, cents in wagers.items() if (name not in keeps if bets is None else name in bets)}


@dataclass(slots=True)
class Round:
    """Everything known since the last round ended. Bets come first, then START GAME makes it a round in play.

    `decks` outlives the round. So does `shoes`, which is there in games dealt from a shoe only; `draw` in those drawn
    into columns. In all others `at` is the step that is under way, `opened` whether it has begun, and `dues` are the
    cards of every step so far, of which the first `given` are dealt.
    """

    plan: Plan
    ledger: Ledger
    decks: Decks
    shoes: Shoes | None = None
    draw: Draw | None = None
    betting: Betting = field(init=False)
    """Chips that are bet in turn, in games where players bet against each other; in any other one and the same, of
    which nothing is ever written."""
    awards: list[TakenPot] = field(default_factory=list)
    badge: tuple[int, str] | None = None
    """Badge and level of the last swipe since a card waits to be named."""
    in_play: bool = False
    number: int = 0
    session: int = 0
    """That of the device it is dealt from, whose line is `dealt_by`; 0 before its first card."""
    dealt_by: str = ""
    started_by: tuple[str, int] = ("", 0)
    """The line that reported START GAME, and its session."""
    devices: set[str] = field(default_factory=set)
    bettors: set[str] = field(default_factory=set)
    restarted: set[str] = field(default_factory=set)
    """Devices that lost power in the middle of a deal, heard before START GAME, until a person has cleared it."""
    wagers: dict[int, dict[str, int]] = field(default_factory=dict)
    staked: dict[int, dict[str, int]] = field(default_factory=dict)
    """The bets as they lay there at START GAME: those placed before the deal are judged by these amounts."""
    judged: set[int] = field(default_factory=set)
    """Seats whose bets lie as they lay at START GAME, and were held against every rule that concerns no other."""
    held: dict[int, dict[str, str]] = field(default_factory=dict)
    """Seat -> its bets that cannot be settled -> the clause: they break a rule, came too late, or enter nobody."""
    sensors: set[int] = field(default_factory=set)
    active: tuple[int, ...] = ()
    button_was: int | None = None
    """Where the button stood in the round before, if that was played out."""
    first: int | None = None
    """The seat that was selected to get the first cards, 0 for the dealer."""
    drawn: int | None = None
    """The number that named it; None when only the place was reported."""
    at: int = 0
    step: AnyStep | None = field(init=False)
    """The step under way; None in a game drawn into columns. Kept beside `at`, since each report asks for it."""
    doing: str = field(init=False)
    """What it does; nothing in a game drawn into columns."""
    ends_early: bool = field(init=False)
    """The report of a later step may end it."""
    opened: bool = False
    dues: list[Due] = field(default_factory=list)
    given: int = 0
    from_shoe: list[Card] = field(default_factory=list)
    """The cards out of a shoe, in their order; those without a mark came for `dues`, one each."""
    marks: dict[int, CardMark] = field(default_factory=dict)
    """Place in `from_shoe` -> what became of a card that came for none of them."""
    to_bury: int = 0
    """Cards that go to the discards before the next are dealt, since some of theirs came too early."""
    common_card: bool = False
    """The deck ran out: the last card is one that plays in every hand."""
    seen_last: set[int] = field(default_factory=set)
    """Seats whose last card was turned up as it was dealt down, and plays."""
    late: dict[int, str] = field(default_factory=dict)
    """Seat -> the step in which it was to choose, and has until the cards that follow are out."""
    unburned: str = ""
    """The last step whose burn the dealer forgot."""
    stub_due: bool = False
    """Cards went back: the shoe may be filled with what is left, shuffled, while the round goes on."""
    dealt_by_hand: bool = False
    """What is left was shuffled by hand: no device sees the cards that follow."""
    by_hand: list[Due] = field(default_factory=list)
    """Cards that are dealt by hand at this step, until the dealer confirms."""
    choices: dict[int, dict[str, str]] = field(default_factory=dict)
    """Seat -> step -> choice, in their order."""
    gave_up: set[int] = field(default_factory=set)
    """Seats with a choice among theirs by which the hand is given up."""
    passed_by: dict[int, str] = field(default_factory=dict)
    """Seat -> the clause: it had not chosen when play went on without it."""
    judged_draws: set[tuple[str, Place]] = field(default_factory=set)
    """Steps and the hands that were held against what they must draw."""
    blind: dict[int, set[str]] = field(default_factory=dict)
    """Seat -> bets of later choices that it placed in the blind."""
    declared: dict[int, set[str]] = field(default_factory=dict)
    """Seat -> the steps at which it showed its cards to declare them."""
    stages: dict[Place, list[Stage]] = field(default_factory=dict)
    """What lay at each place when a step was over, where that changed."""
    propositions: dict[int, dict[str, dict[str, int]]] = field(default_factory=dict)
    """Seat -> bet -> what it is on, with cents."""
    settled: dict[int, set[str]] = field(default_factory=dict)
    """Seat -> the bets that are settled, whatever follows."""
    passed: list[int] = field(default_factory=list)
    """Steps by index that nobody need report: their bets are settled once something of a later one is reported."""
    settled_by: int | None = None
    """The last step that settled bets, by its index, until something of a later one is reported."""
    all_shown: bool = False
    """Every hand was shown, and nothing was known by then that voids the round."""
    compared: set[int] = field(default_factory=set)
    """Seats whose hands were shown when the house's lay open, and nothing was known by then that voids the round."""
    too_late: set[tuple[int, str]] = field(default_factory=set)
    """Seats with the bet of a choice that was not placed before further cards of the house were seen."""
    dead: set[int] = field(default_factory=set)
    dead_hands: set[str] = field(default_factory=set)
    burns: dict[Place, BurnConfirmed] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    splits: dict[Place, HandSet] = field(default_factory=dict)
    """How hands were arranged, as it was reported last."""
    open: dict[Place, int] = field(default_factory=dict)
    """The most cards that were shown at each place at once."""
    red_lamp: int = 0
    lit_in_play: bool = False
    """The red lamp was lit since START GAME. One that was lit before says nothing of this round's cards."""
    order_judged: bool = False
    """The order of its cards was held against that of earlier rounds."""
    pressed: Seen | None = None
    """The green button, pressed while the red lamp was lit."""
    silent: bool = False
    """A line was silent or flooded since the last round ended: its reports may come later than they were made."""
    heard: Body | None = None
    """The report that is being taken."""
    uncorrected: str = ""
    """The condition under which the correction that is being taken would not undo what followed."""
    incidents: list[Incident] = field(default_factory=list)
    rulings: list[Ruling] = field(default_factory=list)
    called: Incident | None = None
    """Why a supervisor must come, until one has swiped a badge."""
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
        """This step is under way, or comes next unless it is `opened`."""
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
        """The cards that come next; None when every place has its own."""
        return self.dues[self.given] if self.given < len(self.dues) else None

    @property
    def due(self) -> Place | None:
        """Who gets the next cards; None when every place has its own."""
        due = self.next_due
        return due.place if due else None

    def turned_up(self, due: Due) -> bool:
        """True when the hand that is due this card was turned up, or had another by the same step."""
        hand = self.ledger.hands.get(due.place)
        return hand is None or hand.step == due.step or hand.revealed is not None

    @property
    def live(self) -> list[int]:
        """Seats still in the round: neither dead nor folded."""
        gone = {*self.dead, *self.gave_up, *self.betting.folded}
        return [number for number in self.active if number not in gone]

    def is_live(self, number: int) -> bool:
        """True when this seat is still in the round."""
        gone = number in self.dead or number in self.gave_up or number in self.betting.folded
        return number in self.active and not gone

    @property
    def somebody_lives(self) -> bool:
        """True while a seat is still in the round."""
        for number in self.active:
            if number not in self.dead and number not in self.gave_up and number not in self.betting.folded:
                return True
        return False

    @property
    def drawing(self) -> list[int]:
        """Seats that get further cards: live, and not done with choosing."""
        return [number for number in self.active if self._plays_on(number)]

    def _plays_on(self, number: int) -> bool:
        if number in self.dead or number in self.gave_up or number in self.betting.folded or number in self.passed_by:
            return False
        return number not in self.choices or self.last_choice(number) not in self.plan.finishes

    def draws(self, number: int) -> int:
        """How many cards the seat asked for in the last step that let it choose."""
        steps = reversed(self.plan.steps[: self.at])
        step = next((step.name for step in steps if isinstance(step, DecideStep)), "")
        choice = self.plan.choices.get(self.choices.get(number, {}).get(step, ""))
        return choice.draws if choice else 0

    def folded(self, number: int) -> bool:
        """True when a seat gave up."""
        return number in self.betting.folded or number in self.gave_up

    def last_choice(self, number: int) -> str | None:
        """What a seat chose last; None before it chose."""
        if number not in self.choices:
            return None
        *_, last = self.choices[number].values()
        return last

    @property
    def undecided(self) -> list[int]:
        """Seats whose choice in this step is still to come."""
        step = self._choosing
        return [] if step is None else [number for number in self.active if self._is_to_choose(step, number)]

    @property
    def decided(self) -> bool:
        """True when no seat has a choice to make in this step."""
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
        """True when the choice of this seat in this step is still to come."""
        step = self._choosing
        return step is not None and number in self.active and self._is_to_choose(step, number)

    @property
    def _choosing(self) -> DecideStep | None:
        """The step under way, where it is one in which somebody may choose."""
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
        """False when a choice is about a hand that is not there, is dead, or was taken by the one who may."""
        if step.about is None:
            return True
        there = self.plan.place(step.about) in self.ledger.hands and step.about not in self.dead_hands
        return there and (step.takers == "each" or not self.taken(step))

    def taken(self, step: DecideStep) -> bool:
        """True once a seat made a choice of this step that a bet goes with."""
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
        """True when the hands will not be played out, whatever follows."""
        return self.misdeal or self.defective or self.unreliable

    @property
    def idle(self) -> bool:
        """True when every seat has given up, is dead or was passed by: cards that are due after a choice need not be
        dealt. Where players bet against each other one may be left, who has won."""
        if self.won:
            return True
        if not self.passed_by.keys() >= {*self.live}:
            return False
        return any(step.do == "decide" for step in self.plan.steps[: self.at + 1])

    @property
    def won(self) -> bool:
        """True where players bet against each other and one alone is left, or none, or the blinds were chopped."""
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
        """True while cards of the device are still to come, by the step under way or a later one; where none deals,
        those of the dealer's hand."""
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
        """Cards left of the deck, by the count that holds; None while that is not known."""
        if self.ledger.remainder is not None or self.shoes is None:
            return self.ledger.remainder
        shoe = self.shoes.current
        return shoe.left if shoe is not None and not self.left_to_deal else None

    @property
    def rest_wrong(self) -> str | None:
        """`short` or `long` when another number of cards is left than the procedure says."""
        exact, rest = self.plan.exact_rest, self.rest
        if exact is None or rest is None:
            return None
        if rest == exact or rest == exact - self._explained:
            return None
        return "short" if rest < exact else "long"

    @property
    def _explained(self) -> int:
        """Cards that hands hold too many, those they lack taken off, where the hands' own row says what follows: the
        house's once that is found, the players' as the option has it."""
        places = [PLACES[number] for number in self.active] if self.plan.rest_explained else []
        if self.house_wrong:
            places += [place for place in self.ledger.hands if self.plan.house(self.plan.kind(place))]
        return sum(self.ledger.off(place) for place in places)

    # ------------------------------------------------------------------ what goes wrong

    def report(self, found: Incident, seen: Seen) -> Incident:
        """Record an incident once, with the report it rests on; its code must be in the catalogue."""
        return self.follow(found, (EventRef(device=seen.device, number=seen.number),))

    def follow(self, found: Incident, events: tuple[EventRef, ...]) -> Incident:
        """The same, with the reports of what it follows from."""
        assert found.code in INCIDENTS
        incident = replace(found, events=events)
        self.unreliable |= found.unreliable
        if found not in self._reported:
            self._reported.add(found)
            self.incidents.append(incident)
            if found.called and self.called is None:
                self.called = incident
        return incident

    # ------------------------------------------------------------------ how it ended

    @property
    def outcome(self) -> Outcome:
        """The worst that was found decides."""
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
