"""A procedure made ready to be asked: lookups instead of rows, every option chosen, every consequence resolved."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from dealer_flow.procedure.bets import BetPart
from dealer_flow.procedure.law import Law
from dealer_flow.procedure.load import Procedure, ProcedureError
from dealer_flow.procedure.steps.assign import AssignStep
from dealer_flow.procedure.steps.burn import BurnStep, PlannedBurn
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.procedure.steps.kinds import AnyStep
from dealer_flow.procedure.steps.offer_hand import OfferHandStep
from dealer_flow.procedure.steps.reveal import RevealStep
from dealer_flow.procedure.steps.set_hand import SetStep
from dealer_flow.procedure.steps.show import ShowStep
from dealer_flow.procedure.steps.views import CardsSoFar
from dealer_flow.procedure.tables import (
    SUIT_COLUMNS,
    Consequence,
    DecisionPart,
    FaultPart,
    FouledPart,
    JokerPart,
    Recipient,
    ShoePart,
    WrongPart,
    chosen,
)
from protocol.cards import CARDS, DECK, Card
from protocol.faults import Fault, fault_class
from protocol.places import COMMUNITY, DEALER, PLACES, REMAINDER, SHOE, SHUFFLER, Place, parse_place, seat

_PLACES: Final = {"community": COMMUNITY, "dealer": DEALER, "remainder": REMAINDER}
_BY_ROW: Final = ("exposed", "off-table", "dropped", "early")
"""What the rows of a wrong hand speak of, beside its count."""
_FOULED: Final = ("fouled", "fouled-by-player", "fouled-by-others", "reconstructed")
_END_EARLY: Final = frozenset({"show", "decide", "exchange", "set"})
"""What steps do that may end by the report of a later one."""
_COLUMN_OF: Final = {letter: name for name, letter in SUIT_COLUMNS.items()}
_COLUMNS: Final = tuple(_COLUMN_OF.get(card.suit or "") for card in CARDS)
"""The column of each card, where they go by suit: all that lie there are looked at whenever one comes."""


_FAULT_NAMES: Final[dict[int, str]] = {fault: fault.name.lower().replace("_", "-") for fault in Fault}


class Policy(NamedTuple):
    """What a finding means, and the clause that says so. `returns`: the bets that go back, None where the clause names
    none; `calls`: who must come at once; `back`: what goes back into the deck; `dealt_out`: a dead hand gets no more
    cards, though it died while they are dealt; `lap`: a card is replaced when the others have theirs of this lap."""

    then: str
    clause: str
    returns: tuple[str, ...] | None = None
    calls: str | None = None
    back: str = "card"
    dealt_out: bool = False
    lap: bool = False


@dataclass(frozen=True, slots=True)
class ShoePlan:
    """How cards are drawn, where each goes, and when it is over. `faces` are the cards of one deck."""

    part: ShoePart
    decks: int
    faces: tuple[Card, ...]
    columns: tuple[str, ...]
    by_suit: bool
    column_end: int | None
    all_end: int | None
    extra: str
    moves_from: str | None
    moved: frozenset[str]
    """Bets that money may be moved to before the extra card."""
    unread_by: str
    overdraw: str
    cut_card: str

    @property
    def loaded(self) -> int:
        """Cards of a whole shoe."""
        return self.decks * len(self.faces)

    def column(self, card: Card, position: int) -> str | None:
        """Where the card drawn at `position`, from 1, goes; None for a card that has no suit."""
        if self.by_suit:
            return _COLUMNS[card]
        return self.columns[(position - 1) % len(self.columns)]


class Plan:
    """One procedure with one choice of options. ProcedureError when an option or its value is not known."""

    def __init__(self, procedure: Procedure, options: Mapping[str, str]) -> None:
        self.procedure = procedure
        self.ref = procedure.ref()
        self.edition = procedure.edition.ref if procedure.edition is not None else None
        self.options = _choose(procedure, options)
        self.betting = procedure.betting
        """How chips go into the pot, where players bet against each other."""
        self.clause = procedure.clause
        self.steps: tuple[AnyStep, ...] = tuple(step for step in procedure.step if chosen(step.when, self.options))
        self._steps()
        self.from_hand = procedure.device == "hand"
        """True when no device deals: the controller alone reports."""
        self.deck_at = {"card-shoe": SHOE, "hand": REMAINDER}.get(procedure.device, SHUFFLER)
        """The place of the deck that cards come from."""
        self._bets()
        self._spots()
        self._choices()
        self._places()
        self.most_seats = procedure.seats.most
        self.cards = procedure.deck.cards
        self.jokers = procedure.deck.jokers
        self.decks = procedure.deck.decks
        self.faces = DECK + CARDS[0x51 : 0x51 + self.jokers]
        """The cards of one deck."""
        self.deck_faces = frozenset(self.faces)
        self.from_shoe = procedure.device == "card-shoe"
        self.shoe = _shoe_plan(procedure, self.options, self.faces)
        if self.shoe is not None:
            self.decks = self.shoe.decks
        self._decks_of_cards()
        self.exact_rest = procedure.remainder.cards if procedure.remainder else None
        self.button = next((step.moves for step in self.steps if isinstance(step, DealStep) and step.moves), None)
        self.selects_first = any(step.selects_first for step in self.steps)
        self._numbered()
        self._laid_out()
        self._run_through()
        self._policies()
        self._care()

    def _steps(self) -> None:
        """What reports ask of the steps."""
        self.blind_now = tuple(self._blind(index) for index in range(max(len(self.steps), 1)))
        """Bets of later choices that may be placed once a step is under way: those of the last one that lets players
        choose."""
        self.forced_draws = tuple(
            step for step in self.steps if isinstance(step, ExchangeStep) and step.must and step.otherwise is not None
        )
        """The steps in which a hand draws by what it holds."""
        self.chooses_often = sum(step.do == "decide" for step in self.steps) > 1
        """True when a player may choose at several steps."""
        self.does = tuple(step.do for step in self.steps)
        self.ends_early = tuple(
            step.do in _END_EARLY and (step.optional if step.do == "decide" else True) for step in self.steps
        )
        """Of each step whether the report of a later one may end it; a choice that must be made is waited for."""
        self.order = {step.name: index for index, step in enumerate(self.steps)}
        """A step's name -> its place among the steps."""
        self.settling = {
            step.name: tuple((row.bet, row.of) for row in step.settling if chosen(row.when, self.options))
            for step in self.steps
        }
        """The bets that are settled once a step is over, each with the choice of those whose it is; None for all."""

    def _decks_of_cards(self) -> None:
        deals = [step for step in self.steps if isinstance(step, DealStep)]
        by_hand = {kind for step in deals if not step.from_device for kind in step.to} if self.from_shoe else set[str]()
        self.copies: int = self.decks + bool(by_hand)
        """The times one face may lie on the table: once a deck, and once more where another deck is dealt by hand."""
        self.of_hand_deck = frozenset(by_hand.difference(*(step.to for step in deals if step.from_device)))
        """Recipients whose cards are of that other deck alone: once a face, all of them together."""

    def _policies(self) -> None:
        procedure = self.procedure
        self.duplicate = self.policy(procedure.face.duplicate)
        self.foreign = self.policy(procedure.face.foreign)
        self.deck_policy = self.policy(procedure.care.deck)
        foul = procedure.foul_set
        self.foul_set = self.policy(foul) if foul else None
        self.foul_house = self.policy(foul.house) if foul and foul.house else None
        self._wrong = [(row, self.policy(row)) for row in procedure.wrong]
        self._fouled = procedure.fouled or FouledPart(then="person", clause="procedure")
        self._faults = {row.name or row.class_: _fault_policy(row) for row in procedure.fault}
        misdeal = procedure.misdeal
        self.misdeal_until = misdeal.until or self.options[misdeal.option or ""]

    def _care(self) -> None:
        care = self.procedure.care
        early = (policy for row, policy in self._wrong if "early" in row.how)
        self.goes_back = next((each for each in early if each.then == "reshuffle" and each.back == "card"), None)
        """What is said of a card dealt before the wagers are made, where it goes back into the deck and no more."""
        self.burned = self.policy(care.burned) if care.burned else None
        self.unburned = self.policy(care.unburned) if care.unburned else None
        self.count_every = care.count_every
        self.shown_stands = care.shown is not None and self.options[care.shown.option] == "stand"
        """Hands that were shown are settled, though the deck is found defective afterwards."""
        self.back_on_top = care.burned is not None and care.burned.back_on_top
        self.runs_out = Policy(self.options[care.runs_out.option], care.runs_out.clause) if care.runs_out else None
        shuffle = care.shuffle
        self.mixes = shuffle is not None and self.options[shuffle.option] == "shuffling"
        """Whether the shoe shuffles itself what was dealt from it."""
        self.shuffle = None if self.mixes else shuffle
        """When somebody must shuffle the shoe; None where nothing says so."""
        age = care.age
        self.oldest_deck = int(self.options[age.option]) if age else 0
        self.youngest_deck = int(self.options[care.least.option]) if care.least else 0

    def _laid_out(self) -> None:
        """Which packets come to lie on numbered spots, and how."""
        spotted = [step for step in self.steps if isinstance(step, DealStep) and step.first_spot is not None]
        self.turned = frozenset(step.name for step in spotted if self.options[step.first_spot or ""] == "bottom")
        """Steps whose packets are laid out from the bottom card on."""
        self.spots: dict[Place, str] = {self.place(to): step.clause for step in spotted for to in step.to}
        """Places with numbered spots, and the clause of their order."""

    def _bets(self) -> None:
        procedure = self.procedure
        self.law = law = Law(procedure, self.options)
        """What the wagers of a seat must be."""
        there = law.spots
        self.bets: dict[int, BetPart] = {bet.number: bet for bet in there}
        self.shows_stakes = self.betting is not None or bool(law.all_in_bets)
        """True where it matters how much lies before a seat."""
        self.rules, self.before_deal, self.entering = law.rules, law.before_deal, law.entering
        self.entry_clause, self.tips = law.entry_clause, law.tips
        self.fees = frozenset(bet.name for bet in there if bet.fee)
        self.progressive = next((bet.name for bet in there if bet.progressive), None)
        own = frozenset(bet.name for bet in there if bet.progressive)
        self.progressives = own | {tip for tip, bet in self.tips.items() if bet in own}
        self.pots = {bet.name: bet.pot.least for bet in there if bet.pot is not None}
        """Bets of a pot that the players play for -> how many of them must have placed it."""
        betting = procedure.betting
        self.in_pot = self.pots.keys() | {
            bet.name for bet in there if betting is not None and bet.name not in betting.apart
        }
        """Bets that players win from each other, all of those where they bet against each other."""
        self.blind = frozenset(bet.name for bet in there if bet.blind)
        self.by_action = frozenset(bet.name for bet in there if bet.placed == "by-action")
        self.by_decision = frozenset(bet.name for bet in there if bet.placed == "by-decision" and bet.tip_for is None)

    def _spots(self) -> None:
        """Bets by the numbers of their spots."""
        self.on_spots = frozenset(number for number, bet in self.bets.items() if bet.placed != "by-action")
        """Bets, by their numbers, that lie on spots of the layout."""
        self.on_choices = frozenset(number for number, bet in self.bets.items() if bet.placed == "by-decision")
        """Those of them that go with a choice."""

    def _choices(self) -> None:
        procedure = self.procedure
        self.decisions: dict[int, DecisionPart] = {choice.number: choice for choice in procedure.decision}
        self.choices: dict[str, DecisionPart] = {choice.name: choice for choice in procedure.decision}
        self.staked = {choice.name: choice.stakes for choice in procedure.decision if choice.stakes}
        """A choice -> the bets that must go with it, where some must."""
        self.taken_back = frozenset(choice.takes_back for choice in procedure.decision if choice.takes_back)
        """Bets that some choice gives back."""
        self.folds = frozenset(choice.name for choice in procedure.decision if choice.folds)
        self.keeps = frozenset(choice.name for choice in procedure.decision if choice.keeps)
        self.finishes = frozenset(choice.name for choice in procedure.decision if choice.folds or choice.last)

    def _places(self) -> None:
        self.hands: dict[Recipient, Place] = {hand.name: parse_place(hand.place) for hand in self.procedure.hand}
        self.sides = {hand.name: hand.side for hand in self.procedure.hand}
        self._place_of = _PLACES | self.hands
        names = {place: name for name, place in self._place_of.items()}
        self.kinds = tuple("seats" if place.seat else names.get(place, place.text) for place in PLACES)
        """The recipient at each place, by its code; `kind` says what that is."""
        own = {name for name, side in self.sides.items() if side != "players"}
        self.houses = frozenset({"dealer", "community", *own})
        """Recipients whose cards are the house's or everybody's."""
        last = self.steps[-1] if self.steps else None
        self.reveal = last if isinstance(last, RevealStep) else None
        self.reveal_order = self.reveal.order if self.reveal else ()
        shows = [(index, step) for index, step in enumerate(self.steps) if isinstance(step, ShowStep | RevealStep)]
        self.shown_by: dict[Recipient, tuple[int, ...]] = {
            kind: tuple(index for index, step in shows if kind in step.recipients)
            for kind in {kind for _, step in shows for kind in step.recipients}
        }
        """The steps, by their place, that show cards of a recipient."""
        self.declarable = frozenset(
            kind for _, step in shows if isinstance(step, ShowStep) and step.optional for kind in step.of
        )
        """Recipients whose cards may be shown to declare the hand."""

    def _run_through(self) -> None:
        """What the steps do with the cards when nothing goes wrong."""
        so_far = CardsSoFar()
        self.burns: dict[Place, PlannedBurn] = {}
        opens: list[dict[Recipient, int | None]] = []
        for step in self.steps:
            if isinstance(step, BurnStep):
                place = self.place(step.of)
                self.burns[place] = step.burn(place, so_far.dealt[step.of], self.options)
            step.happen(so_far)
            opens.append(dict(so_far.open))
        self.sizes = so_far.dealt
        self.played: dict[Recipient, int] = {to: so_far.held(to) for to in so_far.dealt}
        """Cards of a whole hand that nothing burned."""
        self.opens = tuple(opens)
        """How many cards may lie open at each place once a step has begun; None for all of them."""

    def _numbered(self) -> None:
        """What a number drawn decides, and whether hands are arranged."""
        number = self.procedure.number
        self.number_most = number.most if number else 18
        """The highest number there can be: three dice, or what the procedure says."""
        self.assign = next((step for step in self.steps if isinstance(step, AssignStep)), None)
        """The step in which a number hands out what was dealt before; None where it comes first."""
        self.counted = next(
            (step for step in self.steps if isinstance(step, DealStep) and step.first == "number"), None
        )
        """The deal whose first place a number names."""
        rest = self.procedure.remainder
        self.rest_explained = (
            rest is not None and rest.explained is not None and self.options[rest.explained] == "by-hands"
        )
        """Whether wrong hands of players explain another number of cards left."""
        self.unplayed = frozenset(
            int(self.options[step.from_].removeprefix("seat-"))
            for step in self.steps
            if isinstance(step, OfferHandStep) and self.options[step.from_].startswith("seat-")
        )
        """Positions of the layout that no player has: their hand is offered."""
        self.number_sets_bets = number is not None and number.sets_bets
        """Whether no bet changes once it is drawn, even before START GAME."""
        self.sets: dict[Recipient, SetStep] = {
            recipient: step for step in self.steps if isinstance(step, SetStep) for recipient in step.of
        }
        """Whose hands are arranged, and by which step."""

    def _blind(self, at: int) -> tuple[str, ...]:
        chooses = [step for step in self.steps[: at + 1] if isinstance(step, DecideStep)]
        return chooses[-1].blind if chooses else ()

    # ------------------------------------------------------------------ places

    def place(self, recipient: Recipient) -> Place:
        """Where the cards of a recipient that is no seat lie."""
        return self._place_of[recipient]

    def kind(self, place: Place) -> str:
        """The recipient at a place: `seats`, `community`, `dealer`, the name of a hand, or the place's own text."""
        return self.kinds[place]

    def house(self, kind: str) -> bool:
        """True when the cards of this recipient are the house's or everybody's."""
        return kind in self.houses

    def expected(self, place: Place) -> int:
        """Cards of a whole hand at `place`, burned ones included; 0 when the procedure sends none there."""
        return self.sizes.get(self.kind(place), 0)

    def around(self) -> tuple[Place, ...]:
        """The places around the table clockwise, the dealer first."""
        return (DEALER, *(seat(number) for number in range(1, self.most_seats + 1)))

    def numbered(self, number: int) -> int:
        """The seat that a number names, 0 for the dealer: counted around the table with the dealer as one."""
        around = [place.seat or 0 for place in self.around()]
        if self.counted is None or self.counted.count == "counter-clockwise":
            around = [around[0], *reversed(around[1:])]
        return around[(number - 1) % len(around)]

    # ------------------------------------------------------------------ bets

    def proposition(self, bet: int, number: int, on: str) -> str | None:
        """What a wager on this proposition of a spot is on, in words of the record; None when it is not offered."""
        own = self.bets.get(bet)
        rows = next((each.propositions for each in self.bets.values() if own and each.name == own.plays_as), ())
        row = next((row for row in rows if row.number == number), None)
        return row.written(on) if row is not None else None

    # ------------------------------------------------------------------ cards

    @property
    def loaded(self) -> int:
        """Cards of everything that is dealt from, all decks together."""
        return self.shoe.loaded if self.shoe else self.cards * self.decks

    def in_deck(self, card: Card) -> bool:
        """True for a card of this deck."""
        return card in self.deck_faces

    # ------------------------------------------------------------------ what follows

    def wrong(self, kind: str, how: str, step: str | None, missing: int = 1) -> Policy | None:
        """What a hand that is wrong in this way means, in the cards of this step; `missing` cards when it is short. A
        row for so many goes before one for fewer, a row for the step before one for all. None where none speaks of it.
        """
        rows = [(row, policy) for row, policy in self._wrong if row.of == kind and how in row.how]
        fitting = [
            (row.missing or 1, bool(row.at), -number, policy)
            for number, (row, policy) in enumerate(rows)
            if (row.missing or 1) <= missing and (not row.at or step in row.at)
        ]
        return max(fitting, default=(0, False, 0, None), key=lambda found: found[:3])[3]

    def face(self, how: str) -> Policy | None:
        """What a stray joker, a boxed card or one its player showed means; None where the procedure does not say."""
        face = self.procedure.face
        row = {"joker": face.joker, "boxed": face.boxed, "exposed-by-player": face.by_player}.get(how)
        return None if row is None else self.policy(row)

    def mishap(self, how: str, kind: str, step: str | None) -> Policy | None:
        """What it means that this happened to a card of a recipient, in the cards of this step; None where the
        procedure does not say."""
        if how in _FOULED:
            return self.fouled(kind, how)
        if how == "exposed-by-player" and self.procedure.face.by_player is None:
            how = "exposed"
        return self.wrong(kind, how, step) if how in _BY_ROW else self.face(how)

    def fouled(self, kind: str, how: str) -> Policy:
        """What it means that a hand of this recipient touched discards. Only a player has a hand to lose: what lies
        before the house and belongs to all is put right, or ruled on; a hand that is nobody's cannot be anybody's
        fault, and takes with it what it does when its cards are wrong."""
        part = self._fouled
        row = {"fouled-by-player": part.player, "fouled-by-others": part.others, "reconstructed": part.reconstructed}
        policy = self.policy(row.get(how) or part)
        if policy.then != "dead-hand" or kind == "seats":
            return policy
        if how == "fouled-by-others" and kind in self.hands and not self.house(kind):
            wrong = self.wrong(kind, "off-table", None) or self.wrong(kind, "long", None)
            return policy._replace(returns=wrong.returns if wrong else None)
        return Policy("person", policy.clause)

    def fault_policy(self, fault: int) -> Policy:
        """What a device's fault means, by its name or else by its class; one of neither is recorded only."""
        named = self._faults.get(_FAULT_NAMES.get(fault, ""))
        return named or self._faults.get(fault_class(fault)) or Policy("note", "procedure")

    def policy(self, row: Consequence) -> Policy:
        """What the row means, by the readings chosen."""
        then = row.then or self.options[row.option or ""]
        returns = row.returns if chosen(row.returns_when, self.options) else ()
        if then in ("misdeal", "person") and self._may_kill(row.option):
            returns = None  # what the row names goes back of a dead hand; of a misdeal everything does
        if returns is not None and chosen(row.also_when, self.options):
            returns += row.also
        out = isinstance(row, WrongPart) and row.dealt_out and chosen(row.dealt_out_when, self.options)
        lap = isinstance(row, JokerPart) and row.after is not None and self.options[row.after] == "lap"
        return Policy(then, row.clause, returns, row.calls, row.back, out, lap)

    def _may_kill(self, option: str | None) -> bool:
        """Whether a hand is dead by another reading of this option."""
        return any(each.name == option and "dead-hand" in each.allowed for each in self.procedure.option)


def _fault_policy(row: FaultPart) -> Policy:
    return Policy(row.then, row.clause, None, row.calls)


def _choose(procedure: Procedure, wanted: Mapping[str, str]) -> dict[str, str]:
    chosen_values = {option.name: option.default for option in procedure.option}
    allowed = {option.name: option.allowed for option in procedure.option}
    for name, value in wanted.items():
        if name not in chosen_values:
            why = f"{procedure.id} has no option {name!r}; known: {', '.join(chosen_values) or 'none'}"
            raise ProcedureError(procedure.id, None, f"option {name}", why)
        if value not in allowed[name]:
            why = f"{value!r} is not allowed; allowed: {', '.join(allowed[name])}"
            raise ProcedureError(procedure.id, None, f"option {name}", why)
        chosen_values[name] = value
    return chosen_values


def _shoe_plan(procedure: Procedure, options: Mapping[str, str], faces: tuple[Card, ...]) -> ShoePlan | None:
    """The plan of a game drawn from a shoe; None for a game of packets."""
    part = procedure.shoe
    if part is None:
        return None
    ends = {end.when: end.cards for end in part.end}
    return ShoePlan(
        part=part,
        decks=int(options[part.decks.option]),
        faces=faces,
        columns=part.columns.names,
        by_suit=part.columns.by == "suit",
        column_end=ends.get("column"),
        all_end=ends.get("all"),
        extra=options[part.extra.option] if part.extra else "never",
        moves_from=part.extra.moves_from if part.extra else None,
        moved=frozenset(bet.name for bet in procedure.bet if bet.placed == "before-extra"),
        unread_by=options[part.unread.option],
        overdraw=options[part.overdraw.option],
        cut_card=options[part.cut_card.option],
    )
