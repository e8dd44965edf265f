"""One round as it goes on: bets, choices, cards, incidents, and what they mean for its outcome."""

from dataclasses import dataclass, field

from dealer_flow.draw import Draw
from dealer_flow.incidents import INCIDENTS
from dealer_flow.ledger import Finding, Ledger
from dealer_flow.plan import Plan, Policy, kind_of
from dealer_flow.result import Burn, Deck, EventRef, Hand, Incident, Outcome, Packet, Remainder, RoundResult, Seat
from dealer_flow.result import SeatStatus as Status
from dealer_flow.shoe_ledger import Shoes
from dealer_flow.shoe_result import drawn_of, shoe_of
from devices.events import BurnConfirmed, Seen
from protocol.cards import spell_cards
from protocol.faults import Fault, fault_text
from protocol.places import DEALER, NOWHERE, Place, seat

_JAMS = frozenset({Fault.FEED_JAM, Fault.COMPARTMENT_JAM, Fault.EXIT_JAM})
_FAULT_CODES = {
    Fault.DOOR_OPENED_MID_ROUND: "door-opened",
    Fault.POWER_LOST_MID_ROUND: "power-lost",
    **dict.fromkeys(_JAMS, "jam"),
}


@dataclass(slots=True)
class Round:
    """Everything known since the last round ended. Bets come first, then START GAME makes it a round in play.

    `decks` outlives the round: decks counted and not yet dealt, deck number -> (cards set, cards counted). So does
    `shoes`; it and `draw` are there in games drawn from a shoe only.
    """

    plan: Plan
    ledger: Ledger
    decks: dict[int, tuple[int, int]]
    shoes: Shoes | None = None
    draw: Draw | None = None
    badge: tuple[str, int, str] | None = None
    """Device, badge and level of the last swipe since a card waits to be named."""
    in_play: bool = False
    number: int = 0
    session: int = 0
    devices: set[str] = field(default_factory=set)
    bettors: set[str] = field(default_factory=set)
    wagers: dict[int, dict[str, int]] = field(default_factory=dict)
    sensors: set[int] = field(default_factory=set)
    active: tuple[int, ...] = ()
    recipients: tuple[Place, ...] = ()
    decisions: dict[int, str] = field(default_factory=dict)
    dead: set[int] = field(default_factory=set)
    burn: BurnConfirmed | None = None
    shown: set[str] = field(default_factory=set)
    red_lamp: int = 0
    incidents: list[Incident] = field(default_factory=list)
    unreliable: bool = False
    defective: bool = False
    misdeal: bool = False
    house_wrong: bool = False
    _noted: set[tuple[str, Place, int, str]] = field(default_factory=set)

    # ------------------------------------------------------------------ where it stands

    @property
    def due(self) -> Place | None:
        """Who gets the next packet; None when every recipient has one."""
        given = len(self.ledger.lifted)
        return self.recipients[given] if given < len(self.recipients) else None

    @property
    def live(self) -> list[int]:
        """Seats still in the round: neither dead nor folded."""
        folds = self.plan.folds
        return [number for number in self.active if number not in self.dead and self.decisions.get(number) not in folds]

    @property
    def undecided(self) -> list[int]:
        """Seats whose choice is still to come."""
        return [number for number in self.active if number not in self.dead and number not in self.decisions]

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
    def house_shown(self) -> bool:
        """True once the dealer's or the community cards were seen: no bet may follow."""
        return bool(self.shown & {"dealer", "community"})

    # ------------------------------------------------------------------ what goes wrong

    def note(self, code: str, text: str, *, seen: Seen, clause: str, place: Place = NOWHERE, fault: int = 0) -> None:
        """Record an incident once; `code` must be in the catalogue."""
        assert code in INCIDENTS
        key = (code, place, fault, text)
        if key in self._noted:
            return
        self._noted.add(key)
        where = place.text if place != NOWHERE else None
        events = (EventRef(device=seen.device, number=seen.number),)
        self.incidents.append(
            Incident(code=code, text=text, clause=clause, place=where, fault=fault or None, events=events)
        )

    def apply(self, then: str, place: Place = NOWHERE) -> None:
        """A consequence. What it says only ever gets worse: a dead hand stays dead."""
        if then == "dead-hand":
            if place.seat:
                self.dead.add(place.seat)
            else:
                self.defective = True
        elif then == "dealer-misdeal":
            self.house_wrong = True
        elif then == "misdeal":
            self.misdeal = True
        elif then == "defective-deck":
            self.defective = True
        elif then == "unreliable":
            self.unreliable = True

    def found(self, findings: list[Finding], seen: Seen) -> None:
        """What the ledger found, judged by the procedure."""
        for finding in findings:
            policy = self._policy(finding)
            self.note(finding.code, finding.text, seen=seen, clause=policy.clause, place=finding.place)
            self.apply(policy.then, finding.place)

    def judge_count(self, place: Place, seen: Seen) -> None:
        """Compare the count that holds at `place` with the packet's size."""
        hand = self.ledger.hands[place]
        counted = hand.counted
        if counted is None or counted == hand.expected:
            return
        policy = self.plan.count_policy(place)
        code = f"{kind_of(place).removesuffix('s')}-count-wrong"
        text = f"{place} has {counted} cards, not {hand.expected}"
        self.note(code, text, seen=seen, clause=policy.clause, place=place)
        self.apply(policy.then, place)

    def judge_sum(self, seen: Seen) -> None:
        """Record cards that do not add up; the verdict waits for END GAME, since a recount may explain them."""
        if self.ledger.conserved is False and self.due is None:
            clause = self.plan.deck_policy.clause
            self.note("cards-not-conserved", self.ledger.unbalanced(), seen=seen, clause=clause)

    def judge_fault(self, fault: int, seen: Seen, *, counts: bool) -> None:
        """A device's fault; `counts` is False when it concerns no card of this round."""
        policy = self.plan.fault_policy(fault)
        code = _FAULT_CODES.get(Fault(fault) if fault in Fault.__members__.values() else Fault.NONE, "device-fault")
        text = f"{seen.device} reports {fault_text(fault)}"
        self.note(code, text, seen=seen, clause=policy.clause, fault=fault)
        if counts:
            self.apply(policy.then)

    def break_off(self, code: str, text: str, seen: Seen, clause: str = "procedure") -> None:
        """An incident after which the round cannot be relied on."""
        self.note(code, text, seen=seen, clause=clause)
        self.unreliable = True

    def _policy(self, finding: Finding) -> Policy:
        if finding.code == "duplicate-face":
            return self.plan.duplicate
        if finding.code == "foreign-card":
            return self.plan.foreign
        if finding.code == "counts-differ":
            return Policy("note", self.plan.clause)
        if finding.code == "faces-disagree" or self.plan.burn is None:
            return Policy("unreliable", self.plan.clause)
        return Policy("unreliable", self.plan.burn.clause)

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

    def result(self, table: str) -> RoundResult:
        """The round as published."""
        ledger, plan = self.ledger, self.plan
        places = dict(zip((packet.ordinal for packet in ledger.lifted), self.recipients, strict=False))
        rest = None
        if ledger.remainder is not None:
            rest = Remainder(counted=ledger.remainder, expected=max(ledger.remainder_expected, 0))
        return RoundResult(
            table=table,
            session=f"{self.session:08x}",
            round=self.number,
            procedure=plan.ref,
            options=plan.options,
            outcome=self.outcome,
            deck=Deck(deck=ledger.deck, loaded=ledger.loaded),
            packets=tuple(
                Packet(
                    ordinal=packet.ordinal,
                    to=(place := places.get(packet.ordinal, NOWHERE)).text,
                    expected=plan.expected(place),
                    counted=packet.counted,
                )
                for packet in ledger.lifted
            ),
            community=tuple(spell_cards(ledger.community())),
            burned=tuple(spell_cards(self.draw.burned if self.draw else ledger.burned_cards())),
            burn=self._burn(),
            seats=tuple(self._seat(number) for number in self.active),
            dealer=self._dealer(),
            remainder=rest,
            rejected=ledger.rejected,
            incidents=tuple(self.incidents),
            draw=drawn_of(self.draw),
            shoe=shoe_of(self.shoes),
        )

    def _seat(self, number: int) -> Seat:
        hand = self.ledger.hands.get(seat(number))
        status: Status = "live"
        if number in self.dead:
            status = "dead"
        elif self.decisions.get(number) in self.plan.folds:
            status = "folded"
        return Seat(
            seat=number,
            status=status,
            cards=tuple(spell_cards(hand.cards)) if hand else (),
            counted=hand.counted if hand else None,
            expected=self.plan.expected(seat(number)),
            decision=self.decisions.get(number),
            wagers=dict(self.wagers.get(number, {})),
        )

    def _burn(self) -> Burn | None:
        done = self.burn
        return Burn(of=done.place.text, positions=done.positions, spread=done.spread) if done else None

    def _dealer(self) -> Hand | None:
        hand = self.ledger.hands.get(DEALER)
        if hand is None:
            return None
        return Hand(cards=tuple(spell_cards(hand.cards)), counted=hand.counted, expected=hand.expected)
