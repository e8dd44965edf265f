"""A procedure prepared for play: lookups instead of rows, every option chosen, every consequence resolved."""

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
"""Errors of a hand that its `wrong` rows cover, besides its count."""
_FOULED: Final = ("fouled", "fouled-by-player", "fouled-by-others", "reconstructed")
_END_EARLY: Final = frozenset({"show", "decide", "exchange", "set"})
"""Kinds of steps that may end by the report of a later step."""
_COLUMN_OF: Final = {letter: name for name, letter in SUIT_COLUMNS.items()}
_COLUMNS: Final = tuple(_COLUMN_OF.get(card.suit or "") for card in CARDS)
"""Column of each card in a game with a column per suit: all cards of a column are read whenever one is drawn."""


_FAULT_NAMES: Final[dict[int, str]] = {fault: fault.name.lower().replace("_", "-") for fault in Fault}


class Policy(NamedTuple):
    """Meaning of a finding, and the clause that says so.

    - `returns`: the bets that go back; None if the clause names none.
    - `calls`: who must come at once.
    - `back`: what goes back into the deck.
    - `dealt_out`: a dead hand gets no further card, even if it died during the deal.
    - `lap`: a card is replaced when all others have their card of this lap.
    - `game_before`: `stands` or `void`, for bets that were settled by the community cards shown last.
    """

    then: str
    clause: str
    returns: tuple[str, ...] | None = None
    calls: str | None = None
    back: str = "card"
    dealt_out: bool = False
    lap: bool = False
    game_before: str = ""


@dataclass(frozen=True, slots=True)
class ShoePlan:
    """Plan of a game drawn from a shoe: how cards are drawn, where each goes, and when it ends. `faces` are those of
    one deck."""

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
        """Number of cards in a full shoe."""
        return self.decks * len(self.faces)

    def column(self, card: Card, position: int) -> str | None:
        """Return the column of the card drawn at `position`, counted from 1; None for a card without a suit."""
        if self.by_suit:
            return _COLUMNS[card]
        return self.columns[(position - 1) % len(self.columns)]


class Plan:
    """One procedure with one choice of options. ProcedureError if an option or its value is unknown."""

    def __init__(self, procedure: Procedure, options: Mapping[str, str]) -> None:
        self.procedure = procedure
        self.ref = procedure.ref()
        self.edition = procedure.edition.ref if procedure.edition is not None else None
        self.options = _choose(procedure, options)
        self.betting = procedure.betting
        """Rules of betting, in a game in which players bet against each other."""
        self.clause = procedure.clause
        self.steps: tuple[AnyStep, ...] = tuple(step for step in procedure.step if chosen(step.when, self.options))
        self._steps()
        self.from_hand = procedure.device == "hand"
        """True if no device deals: only the controller reports."""
        self.deck_at = {"card-shoe": SHOE, "hand": REMAINDER}.get(procedure.device, SHUFFLER)
        """Place of the deck that cards come from."""
        self._bets()
        self._spots()
        self._choices()
        self._places()
        self.most_seats = procedure.seats.most
        self.cards = procedure.deck.cards
        self.jokers = procedure.deck.jokers
        self.decks = procedure.deck.decks
        self.faces = DECK + CARDS[0x51 : 0x51 + self.jokers]
        """Faces of one deck."""
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
        self._at_house()

    def _at_house(self) -> None:
        self.posted_game = game = self.procedure.posted
        self.house_rules = game.ref if game is not None else None
        """The house's posted rules by which the game is dealt; None without a file of them."""
        self.posted = game.bets if game is not None else None
        """Amounts that the house has posted for a game in which players bet against each other; None if it has none."""

    def _steps(self) -> None:
        """Precompute what reports need to know of the steps."""
        self.blind_now = tuple(self._blind(index) for index in range(max(len(self.steps), 1)))
        """Bets on later choices that may be placed at each step: those of the last step so far that lets players
        choose."""
        self.forced_draws = tuple(
            step for step in self.steps if isinstance(step, ExchangeStep) and step.must and step.otherwise is not None
        )
        """Steps in which a hand must draw by what it holds."""
        self.chooses_often = sum(step.do == "decide" for step in self.steps) > 1
        """True if a player may choose at several steps."""
        self.does = tuple(step.do for step in self.steps)
        self.ends_early = tuple(
            step.do in _END_EARLY and (step.optional if step.do == "decide" else True) for step in self.steps
        )
        """For each step, whether the report of a later step may end it; a mandatory choice has to be made."""
        self.order = {step.name: index for index, step in enumerate(self.steps)}
        """Name of a step -> its index."""
        self.settling = {
            step.name: tuple((row.bet, row.of) for row in step.settling if chosen(row.when, self.options))
            for step in self.steps
        }
        """Step -> the bets that are settled once it is over, each with the choice that a seat must have made, or None.
        """

    def _decks_of_cards(self) -> None:
        deals = [step for step in self.steps if isinstance(step, DealStep)]
        by_hand = {kind for step in deals if not step.from_device for kind in step.to} if self.from_shoe else set[str]()
        self.copies: int = self.decks + bool(by_hand)
        """Most times one face may be on the table: once per deck, and once more if another deck is dealt by hand."""
        self.of_hand_deck = frozenset(by_hand.difference(*(step.to for step in deals if step.from_device)))
        """Recipients whose cards all come from that other deck: each face once among all of them."""

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
        """Policy on a card dealt before the wagers are made, if it simply goes back into the deck."""
        self.burned = self.policy(care.burned) if care.burned else None
        self.unburned = self.policy(care.unburned) if care.unburned else None
        self.extra_burn = self.policy(care.extra_burn) if care.extra_burn else None
        """Policy on a card burned while none is due, which is kept apart; None if such a card makes a round unreliable.
        """
        self.count_every = care.count_every
        self.shown_stands = care.shown is not None and self.options[care.shown.option] == "stand"
        """True if hands that were shown are settled although the deck is found defective afterwards."""
        self.back_on_top = care.burned is not None and care.burned.back_on_top
        self.runs_out = Policy(self.options[care.runs_out.option], care.runs_out.clause) if care.runs_out else None
        shuffle = care.shuffle
        self.mixes = shuffle is not None and self.options[shuffle.option] == "shuffling"
        """True if the shoe itself shuffles the cards that were dealt from it."""
        self.shuffle = None if self.mixes else shuffle
        """Rule on shuffling the shoe by hand; None if there is none."""
        age = care.age
        self.oldest_deck = int(self.options[age.option]) if age else 0
        self.youngest_deck = int(self.options[care.least.option]) if care.least else 0

    def _laid_out(self) -> None:
        """Find the packets that are laid out on numbered spots, and in which order."""
        spotted = [step for step in self.steps if isinstance(step, DealStep) and step.first_spot is not None]
        self.turned = frozenset(step.name for step in spotted if self.options[step.first_spot or ""] == "bottom")
        """Steps whose packets are laid out starting with the bottom card."""
        self.spots: dict[Place, str] = {self.place(to): step.clause for step in spotted for to in step.to}
        """Place with numbered spots -> the clause on their order."""

    def _bets(self) -> None:
        procedure = self.procedure
        self.law = law = Law(procedure, self.options)
        """Rules on the wagers of a seat."""
        there = law.spots
        self.bets: dict[int, BetPart] = {bet.number: bet for bet in there}
        self.shows_stakes = self.betting is not None or bool(law.all_in_bets)
        """True if the stakes of the seats matter."""
        self.rules, self.before_deal, self.entering = law.rules, law.before_deal, law.entering
        self.entry_clause, self.tips = law.entry_clause, law.tips
        self.fees = frozenset(bet.name for bet in there if bet.fee)
        self.progressive = next((bet.name for bet in there if bet.progressive), None)
        own = frozenset(bet.name for bet in there if bet.progressive)
        self.progressives = own | {tip for tip, bet in self.tips.items() if bet in own}
        self.pots = {bet.name: bet.pot.least for bet in there if bet.pot is not None}
        """Bet that goes into a pot of the players -> how many of them must have placed it."""
        betting = procedure.betting
        self.in_pot = self.pots.keys() | {
            bet.name for bet in there if betting is not None and bet.name not in betting.apart
        }
        """Bets that players win from each other: all of them, in a game in which they bet against each other."""
        self.blind = frozenset(bet.name for bet in there if bet.blind)
        self.by_action = frozenset(bet.name for bet in there if bet.placed == "by-action")
        self.by_decision = frozenset(bet.name for bet in there if bet.placed == "by-decision" and bet.tip_for is None)

    def _spots(self) -> None:
        """Index the bets by the numbers of their spots."""
        self.on_spots = frozenset(number for number, bet in self.bets.items() if bet.placed != "by-action")
        """Numbers of the bets that are placed on spots of the layout."""
        self.on_choices = frozenset(number for number, bet in self.bets.items() if bet.placed == "by-decision")
        """Numbers of the bets that go with a choice."""

    def _choices(self) -> None:
        procedure = self.procedure
        self.decisions: dict[int, DecisionPart] = {choice.number: choice for choice in procedure.decision}
        self.choices: dict[str, DecisionPart] = {choice.name: choice for choice in procedure.decision}
        self.staked = {choice.name: choice.stakes for choice in procedure.decision if choice.stakes}
        """Choice -> the bets that must go with it, if there are any."""
        self.taken_back = frozenset(choice.takes_back for choice in procedure.decision if choice.takes_back)
        """Bets that some choice takes back."""
        self.folds = frozenset(choice.name for choice in procedure.decision if choice.folds)
        self.keeps = frozenset(choice.name for choice in procedure.decision if choice.keeps)
        self.finishes = frozenset(choice.name for choice in procedure.decision if choice.folds or choice.last)

    def _places(self) -> None:
        self.hands: dict[Recipient, Place] = {hand.name: parse_place(hand.place) for hand in self.procedure.hand}
        self.sides = {hand.name: hand.side for hand in self.procedure.hand}
        self._place_of = _PLACES | self.hands
        names = {place: name for name, place in self._place_of.items()}
        self.kinds = tuple("seats" if place.seat else names.get(place, place.text) for place in PLACES)
        """Recipient at each place, by the place's code; see `kind`."""
        own = {name for name, side in self.sides.items() if side != "players"}
        self.houses = frozenset({"dealer", "community", *own})
        """Recipients whose cards are the house's or common to all."""
        last = self.steps[-1] if self.steps else None
        self.reveal = last if isinstance(last, RevealStep) else None
        self.reveal_order = self.reveal.order if self.reveal else ()
        shows = [(index, step) for index, step in enumerate(self.steps) if isinstance(step, ShowStep | RevealStep)]
        self.shown_by: dict[Recipient, tuple[int, ...]] = {
            kind: tuple(index for index, step in shows if kind in step.recipients)
            for kind in {kind for _, step in shows for kind in step.recipients}
        }
        """Recipient -> the indexes of the steps that show its cards."""
        self.declarable = frozenset(
            kind for _, step in shows if isinstance(step, ShowStep) and step.optional for kind in step.of
        )
        """Recipients whose cards may be shown to declare the hand."""

    def _run_through(self) -> None:
        """Run through the steps to find what they do with the cards if nothing goes wrong."""
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
        """Number of cards of a whole hand, without burned ones."""
        self.opens = tuple(opens)
        """For each step, how many cards may be visible at each place once it has begun; None for all of them."""

    def _numbered(self) -> None:
        """Precompute what a number decides, and which hands are set."""
        number = self.procedure.number
        self.number_most = number.most if number else 18
        """Highest number: three dice, or what the procedure says."""
        self.assign = next((step for step in self.steps if isinstance(step, AssignStep)), None)
        """Step in which a number assigns hands that were dealt before; None if the number comes first."""
        self.counted = next(
            (step for step in self.steps if isinstance(step, DealStep) and step.first == "number"), None
        )
        """Deal whose first place a number names."""
        rest = self.procedure.remainder
        self.rest_explained = (
            rest is not None and rest.explained is not None and self.options[rest.explained] == "by-hands"
        )
        """True if wrong hands of players explain a different number of cards left."""
        self.unplayed = frozenset(
            int(self.options[step.from_].removeprefix("seat-"))
            for step in self.steps
            if isinstance(step, OfferHandStep) and self.options[step.from_].startswith("seat-")
        )
        """Positions of the layout that no player has: their hand is offered."""
        self.number_sets_bets = number is not None and number.sets_bets
        """True if no bet may change once the number is drawn, even before START GAME."""
        self.sets: dict[Recipient, SetStep] = {
            recipient: step for step in self.steps if isinstance(step, SetStep) for recipient in step.of
        }
        """Recipient -> the step in which its hand is set."""

    def _blind(self, at: int) -> tuple[str, ...]:
        chooses = [step for step in self.steps[: at + 1] if isinstance(step, DecideStep)]
        return chooses[-1].blind if chooses else ()

    # ------------------------------------------------------------------ places

    def place(self, recipient: Recipient) -> Place:
        """Return the place of a recipient that is not a seat."""
        return self._place_of[recipient]

    def kind(self, place: Place) -> str:
        """Return the recipient at a place: `seats`, `community`, `dealer`, the name of a hand, or else the place as
        text."""
        return self.kinds[place]

    def house(self, kind: str) -> bool:
        """Return True if the cards of this recipient are the house's or common to all."""
        return kind in self.houses

    def expected(self, place: Place) -> int:
        """Return the number of cards of a whole hand at `place`, burned ones included; 0 if the procedure deals none
        there."""
        return self.sizes.get(self.kind(place), 0)

    def around(self) -> tuple[Place, ...]:
        """Return the places around the table clockwise, the dealer first."""
        return (DEALER, *(seat(number) for number in range(1, self.most_seats + 1)))

    def numbered(self, number: int) -> int:
        """Return the seat that a number counts to, 0 for the dealer; counting starts with the dealer as one."""
        around = [place.seat or 0 for place in self.around()]
        if self.counted is None or self.counted.count == "counter-clockwise":
            around = [around[0], *reversed(around[1:])]
        return around[(number - 1) % len(around)]

    # ------------------------------------------------------------------ bets

    def proposition(self, bet: int, number: int, on: str) -> str | None:
        """Return the proposition of a wager as the record has it, or None if the spot does not offer it."""
        own = self.bets.get(bet)
        rows = next((each.propositions for each in self.bets.values() if own and each.name == own.plays_as), ())
        row = next((row for row in rows if row.number == number), None)
        return row.written(on) if row is not None else None

    # ------------------------------------------------------------------ cards

    @property
    def loaded(self) -> int:
        """Number of cards that are dealt from, all decks together."""
        return self.shoe.loaded if self.shoe else self.cards * self.decks

    def in_deck(self, card: Card) -> bool:
        """Return True for a card of this deck."""
        return card in self.deck_faces

    # ------------------------------------------------------------------ what follows

    def wrong(self, kind: str, how: str, step: str | None, missing: int = 1) -> Policy | None:
        """Return the policy on a hand that is wrong in this way, in the cards of this step; None if no row covers it.

        `missing` is the number of cards that a short hand lacks. A row for more missing cards comes before one for
        fewer, a row for the step before one for all steps.
        """
        rows = [(row, policy) for row, policy in self._wrong if row.of == kind and how in row.how]
        fitting = [
            (row.missing or 1, bool(row.at), -number, policy)
            for number, (row, policy) in enumerate(rows)
            if (row.missing or 1) <= missing and (not row.at or step in row.at)
        ]
        return max(fitting, default=(0, False, 0, None), key=lambda found: found[:3])[3]

    def face(self, how: str) -> Policy | None:
        """Return the policy on a stray joker, a boxed card or one that its player showed; None if the procedure has
        none."""
        face = self.procedure.face
        row = {"joker": face.joker, "boxed": face.boxed, "exposed-by-player": face.by_player}.get(how)
        return None if row is None else self.policy(row)

    def mishap(self, how: str, kind: str, step: str | None) -> Policy | None:
        """Return the policy on a mishap to a card of a recipient, in the cards of this step; None if the procedure has
        none."""
        if how in _FOULED:
            return self.fouled(kind, how)
        if how == "exposed-by-player" and self.procedure.face.by_player is None:
            how = "exposed"
        return self.wrong(kind, how, step) if how in _BY_ROW else self.face(how)

    def fouled(self, kind: str, how: str) -> Policy:
        """Return the policy on a hand of this recipient that touched discards.

        Only a player has a hand to lose: cards of the house or the community are fixed, or a supervisor rules. A hand
        of the game without a player is no one's fault, and is treated as if its cards were wrong.
        """
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
        """Return the policy on a device's fault, by its name or else its class; a fault with neither is recorded
        only."""
        named = self._faults.get(_FAULT_NAMES.get(fault, ""))
        return named or self._faults.get(fault_class(fault)) or Policy("note", "procedure")

    def policy(self, row: Consequence) -> Policy:
        """Return the policy that the row means under the options chosen."""
        then = row.then or self.options[row.option or ""]
        returns = row.returns if chosen(row.returns_when, self.options) else ()
        if then in ("misdeal", "person") and self._may_kill(row.option):
            returns = None  # the row's bets go back for a dead hand; a misdeal returns all
        if returns is not None and chosen(row.also_when, self.options):
            returns += row.also
        out = isinstance(row, WrongPart) and row.dealt_out and chosen(row.dealt_out_when, self.options)
        lap = isinstance(row, JokerPart) and row.after is not None and self.options[row.after] == "lap"
        before = self.options[row.game_before] if isinstance(row, WrongPart) and row.game_before is not None else ""
        return Policy(then, row.clause, returns, row.calls, row.back, out, lap, before)

    def _may_kill(self, option: str | None) -> bool:
        """Return True if a hand is dead under another value of this option."""
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
    """Return the plan of a game drawn from a shoe; None for a game of steps."""
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
