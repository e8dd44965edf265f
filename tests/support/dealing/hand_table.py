"""A hand at a table, played into a flow, in the common language of the tests: as methods or as lines of text.

Each line is one thing that happens at the table, and so is each method.

bets 1: ante 500, progressive 100      cents on the spots of seat 1
stakes 1: 20000, 3: 5000               chips of the seats when the hand begins
acts 1: raise 900                      a player acts, with all chips then in front of the seat;
                                       `acts 2: call 900 string-bet`
takes 1: 3000                          cents of the main pot are taken in; `takes 1: 3000 of 2`: of the first side pot
start                                  START GAME; `start at 3`: the number drawn was 3, or the button is there
number 10                              the number drawn is 10
packet seat 1: AH KD 9C 4S 2H          a packet comes from the shuffler and is taken to seat 1
packet seat 1 reading: AH KD 9C        the same, from a shuffler that reads its cards
packet seat 1 should be 2: AH          the same, a card short of the two that are due
draw seat 1 AH KD | dealer 4S 2H       single cards from the shoe, in rotation; `KD+9C`: two at once,
                                       `… | and back`: there and back
back                                   a card goes back into the deck; `back 2`: two
reshuffle                              the rest of the shoe is taken out, shuffled and put in again
burn-card 7D                           a card off the top is burned; `burn-card` alone: by hand
deal by hand                           the dealer confirms cards dealt by hand, in some games all of them
dump                                   all cards physically left come out
burn community: 3                      cards burned of a packet, counted from the dealer's left
set seat 1: AH KD | 9C 4S 2H           its player arranges a hand; `set seat 1 house-way: …`, `set seat 1 foul: …`
choose 1: bet, bet 1000                a choice, and the money that goes with it
show dealer: 2H                        faces that are open at a place
count seat 1: 4                        a person counted
lay away seat 1: 9C ??                 cards laid away from a hand
wager 1: card-1 rank:T 75              cents of seat 1 on a proposition of a spot; `card-1 over-7 75`
correct seat 1: AH KD 9C               a supervisor corrects the cards keyed there; `correct seat 1 by dealer: AH`
mishap seat 1: exposed                 a person saw it happen; `mishap seat 1: off-table 4S`
push-back                              the card drawn last is pushed back into the shoe
fault jam / clear jam / confirm / misdeal / fresh deck / end
device RedLamp: lit true; fault 205    any report of the dealing device; `controller` and `other` likewise
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Self

from msgspec.structs import fields

from dealer_flow.play.flow import DealerFlow
from dealer_flow.procedure.load import Procedure, load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealer_flow.table.shoe import LEAST_CONFIDENCE
from devices import events as e
from protocol.cards import DECK, UNREAD, Card, parse_card, parse_cards
from protocol.faults import Fault
from protocol.places import SHOE, Place, parse_place
from tests.support.reading.sentences import check_incident, check_legal

START_NS: Final = 1_700_000_000_000_000_000
DEVICE, CONTROLLER, OTHER = "device-1", "controller-1", "device-2"
SESSION: Final = 0xA1B2C3D4
FLUSHES: Final = "flushes-gone-wild.co"


class HandTable:
    """A procedure whose devices report straight into a flow. `seen` are the reports so far; `incidents` and `results`
    collect the flow's answers.

    The device counts the cards that are really there, unless a line makes it miscount. `dealt` is the number of cards
    that left it this round, of the `loaded` cards in it at the start. It is filled at once unless `filled` is false.
    `reads`: a shuffler recognizes cards. `counts`: a shoe gives each card its own ordinal.
    """

    step_ns = 10_000_000
    """Time from one report to the next, in nanoseconds."""

    def __init__(
        self,
        procedure: str | Procedure = FLUSHES,
        *,
        reads: bool = False,
        filled: bool = True,
        counts: bool = True,
        decks: int | None = None,
        loaded: int | None = None,
        least_confidence: int = LEAST_CONFIDENCE,
        **options: str,
    ) -> None:
        self.procedure = load_procedure(procedure) if isinstance(procedure, str) else procedure
        self.flow = DealerFlow(
            self.procedure,
            options={name.replace("_", "-"): to for name, to in options.items()},
            least_confidence=least_confidence,
        )
        self.reads, self.counts = reads, counts
        self.seen: list[e.Seen] = []
        self.incidents: list[Incident] = []
        self.results: list[RoundResult] = []
        self.spots = {bet.name: bet.number for bet in self.procedure.bet}
        self.choices = {choice.name: choice for choice in self.procedure.decision}
        self.decks = decks or self.procedure.deck.decks
        self.loaded = self.procedure.deck.cards * self.decks if loaded is None else loaded
        self.round, self.deck, self.dealt, self.ordinal, self._tray = 0, 1, 0, 0, 0
        self.sessions = {CONTROLLER: 0x0C0FFEE0}
        self._numbers: Counter[str] = Counter()
        self.now_ns = START_NS
        if filled:
            self.fresh_deck(self.deck)

    # ------------------------------------------------------------------ reports

    def see(self, device: str, body: e.Body, *, numbered: bool = True) -> Self:
        """Report `body` from the device now."""
        self.now_ns += self.step_ns
        self._numbers[device] += numbered
        number = self._numbers[device] if numbered else 0
        self.seen.append(e.Seen(device, self.sessions.get(device, SESSION), number, self.now_ns, body))
        for item in self.hear(self.seen[-1]):
            if isinstance(item, RoundResult):
                self.results.append(item)
            elif isinstance(item, Incident):
                self.incidents.append(item)
                check_incident(item)
        for listed in self.flow.legal():
            check_legal(listed)
        return self

    def hear(self, seen: e.Seen) -> Sequence[object]:
        """Return the flow's answers to a report."""
        return self.flow.handle(seen)

    def device(self, body: e.Body) -> Self:
        """Report `body` from the shuffler or the shoe."""
        return self.see(DEVICE, body)

    def controller(self, body: e.Body) -> Self:
        """Report `body` from the table controller."""
        return self.see(CONTROLLER, body)

    @property
    def codes(self) -> list[str]:
        """Codes of the incidents so far."""
        return [incident.code for incident in self.incidents]

    def may(self, event: str) -> list[str]:
        """Return the entries of `legal()` for this event."""
        return [str(item) for item in self.flow.legal() if item.event == event]

    # ------------------------------------------------------------------ the deck

    @property
    def packets(self) -> bool:
        """True if cards come in packets from a shuffler, not from a shoe."""
        return self.procedure.device == "packet-shuffler"

    @property
    def left(self) -> int:
        """Number of cards that are physically left in the device."""
        return self.loaded - self.dealt

    def fresh_deck(self, deck: int | None = None) -> Self:
        """Shuffle and count this deck, or the one whose turn it is; or fill the shoe."""
        self.deck, self.dealt, self.ordinal = deck or self.deck % self.procedure.deck.alternating + 1, 0, 0
        if self.procedure.device == "hand":
            return self  # no device says so
        if self.packets:
            return self.device(e.DeckVerified(self.deck, self.procedure.deck.cards, self.loaded))
        return self.device(e.ShoeLoaded(self.round + 1, self.decks, self.loaded))

    def reshuffle(self) -> Self:
        """Take the rest out of the shoe, shuffle it and put it in again."""
        self.device(e.ShoeEnded(self.round, self.ordinal))
        self.ordinal = 0
        return self.device(e.ShoeLoaded(self.round + 1, self.decks, self.left))

    def dispense(self, cards: str, *, counted: int | None = None, expected: int = 5) -> Self:
        """Put a packet of these cards in the tray."""
        faces = parse_cards(cards)
        self.ordinal += 1
        self._tray = len(faces)
        shown = faces if self.reads else ()
        out = len(faces) if counted is None else counted
        return self.device(e.PacketDispensed(self.deck, self.ordinal, expected, out, shown))

    def lift(self) -> Self:
        """Take the packet out of the tray."""
        self.dealt += self._tray
        return self.device(e.PacketLifted(self.ordinal))

    def deal(self, *packets: str, counted: int | None = None) -> Self:
        """Dispense the next packets and take each to the place that is due it."""
        for cards in packets:
            self.dispense(cards, counted=counted).lift()
        return self

    def dump(self, counted: int | None = None) -> Self:
        """Dump the remainder; `counted` cards if its count is wrong."""
        return self.device(e.RemainderDumped(self.deck, self.left, self.left if counted is None else counted))

    def draw(self, cards: str) -> Self:
        """Draw cards from the shoe, one after the other."""
        for text in cards.split():
            self.draw_one(parse_card(text))
        return self

    def draw_one(self, card: Card, where: str | None = None) -> Self:
        """Draw one card from the shoe, or one that it could not read."""
        self.ordinal += 1
        self.dealt += 1
        ordinal = self.ordinal if self.counts else None
        return self.device(e.CardUnread(ordinal, where) if card == UNREAD else e.CardDrawn(ordinal, card, where))

    # ------------------------------------------------------------------ the table

    def bet(self, seat: int, **cents: int) -> Self:
        """Place cents on the spots of a seat; a bet's name has `_` for its `-`."""
        for bet, amount in cents.items():
            self.controller(e.WagerPlaced(seat, self.spots[bet.strip("_").replace("_", "-")], amount))
        return self

    def start(self) -> Self:
        """Press START GAME."""
        self.round += 1
        return self.controller(e.GameStarted(self.round))

    def burn(self, *positions: int, spread: str = "left-to-right", place: str = "community") -> Self:
        """Burn cards of a packet."""
        return self.controller(e.BurnConfirmed(parse_place(self._place(place)), positions or (1, 2, 5), spread))

    def choose(self, seat: int, choice: int) -> Self:
        """Make the choice with this number."""
        return self.controller(e.DecisionMade(seat, choice))

    def show(self, place: str, cards: str) -> Self:
        """Show these faces at a place."""
        return self.controller(e.HandRevealed(parse_place(self._place(place)), parse_cards(cards), True))

    def badge(self, number: int, level: str = "supervisor") -> Self:
        """Swipe a badge."""
        return self.controller(e.BadgeSwiped(number, level))

    def name(self, card: str) -> Self:
        """Name the card that the shoe did not read."""
        return self.controller(e.HandRevealed(SHOE, parse_cards(card), True))

    def count(self, place: str, counted: int) -> Self:
        """Enter a person's count."""
        return self.controller(e.CardsCounted(parse_place(self._place(place)), counted))

    def mishap(self, place: str, how: str, card: str = "??") -> Self:
        """Report a mishap that a person saw."""
        return self.controller(e.CardMishandled(parse_place(self._place(place)), how, parse_card(card)))

    def confirm(self) -> Self:
        """Press CONFIRM."""
        return self.controller(e.Confirmed())

    def misdeal(self, badge: int = 77) -> Self:
        """Call a misdeal."""
        return self.controller(e.MisdealCalled(badge, 0))

    def end(self) -> RoundResult:
        """Press END GAME and return the result of this round. Where each round has a deck of its own, a fresh one is
        ready afterwards."""
        self.controller(e.GameEnded(self.round))
        if self.procedure.deck.fresh == "each-round" and self.procedure.shoe is None:
            self.fresh_deck()
        return self.results[-1]

    # ------------------------------------------------------------------ lines

    def play(self, lines: str | list[str]) -> Self:
        """Play each line in turn; empty ones and text after `#` do not count."""
        for line in lines.splitlines() if isinstance(lines, str) else lines:
            words, _, _ = line.partition("#")
            if words.strip():
                self.say(words.strip())
        return self

    def say(self, line: str) -> None:
        """Play one line."""
        plain: dict[str, Callable[[], object]] = {
            "dump": self.dump,
            "deal by hand": self.confirm,
            "confirm": self.confirm,
            "misdeal": self.misdeal,
            "push-back": lambda: self.device(e.CardPushedBack(False)),
            "fresh deck": self.fresh_deck,
            "back": lambda: self._back("1"),
            "reshuffle": self.reshuffle,
            "end": lambda: self.controller(e.GameEnded(self.round)),
        }
        words: dict[str, Callable[[str], object]] = {
            "bets": self._bets,
            "stakes": self._stakes,
            "acts": self._acts,
            "takes": self._takes,
            "start": self._start,
            "packet": self._packet,
            "draw": self._draw,
            "burn-card": self._burn_card,
            "burn": self._burn,
            "choose": self._choose,
            "number": lambda drawn: self.controller(e.NumberDrawn(int(drawn))),
            "set": self._set,
            "show": lambda rest: self.show(*rest.split(": ")),
            "count": self._count,
            "back": self._back,
            "mishap": self._mishap,
            "lay": self._lay,
            "wager": self._wager_on,
            "correct": self._correct,
            "fault": lambda name: self.device(e.FaultRaised(_fault(name), parse_place("nowhere"), 0)),
            "clear": lambda name: self.device(e.FaultCleared(_fault(name))),
            "device": lambda rest: self._report(DEVICE, rest),
            "controller": lambda rest: self._report(CONTROLLER, rest),
            "other": lambda rest: self._report(OTHER, rest),
        }
        if line in plain:
            plain[line]()
        else:
            verb, _, rest = line.partition(" ")
            words[verb](rest)

    def _bets(self, rest: str) -> None:
        seat, _, money = rest.partition(": ")
        for part in money.split(", "):
            name, cents = part.split()
            self.controller(e.WagerPlaced(int(seat), self.spots[name], int(cents)))

    def _stakes(self, rest: str) -> None:
        for part in rest.split(", "):
            seat, _, cents = part.partition(": ")
            self.controller(e.StakeShown(int(seat), int(cents)))

    def _acts(self, rest: str) -> None:
        seat, _, what = rest.partition(": ")
        action, cents, manner = (*what.split(), "0", "")[:3] if " " not in what else (*what.split(), "")[:3]
        self.controller(e.PlayerActed(int(seat), action, int(cents), manner))

    def _takes(self, rest: str) -> None:
        seat, _, what = rest.partition(": ")
        cents, _, pot = what.partition(" of ")
        self.controller(e.PotTaken(int(pot or 1), int(seat), int(cents)))

    def _start(self, rest: str) -> None:
        if rest:
            self.controller(e.SpotSelected(int(rest.removeprefix("at "))))
        self.start()

    def _packet(self, rest: str) -> None:
        to, _, cards = rest.partition(": ")
        before, self.reads = self.reads, self.reads or to.endswith(" reading")
        _, _, expected = to.partition(" should be ")
        self.dispense(cards, expected=int(expected) if expected else len(parse_cards(cards))).lift()
        self.reads = before

    def _draw(self, rest: str) -> None:
        piles = [list(_cards(pile)) for pile in rest.removesuffix(" | and back").split(" | ")]
        for turn in range(max(map(len, piles))):
            for pile in piles[::-1] if turn % 2 and rest.endswith("back") else piles:
                for cards in pile[turn : turn + 1]:
                    for card in cards:
                        self.draw_one(card)

    def _burn_card(self, rest: str) -> None:
        if not rest:
            self.confirm()
        elif self.packets:
            self._packet(f"burn: {rest}")
        else:
            self.device(e.BurnStarted(1))
            self.draw_one(parse_card(rest))

    def _burn(self, rest: str) -> None:
        place, _, positions = rest.partition(": ")
        self.burn(*map(int, positions.split()), place=place)

    def _choose(self, rest: str) -> None:
        seat, _, what = rest.partition(": ")
        name, *money = what.split(", ")
        choice = self.choices[name]
        if choice.takes_back:
            money.append(f"{choice.takes_back} 0")
        self.choose(int(seat), choice.number)
        if money:
            self._bets(f"{seat}: {', '.join(money)}")

    def _set(self, rest: str) -> None:
        to, _, cards = rest.partition(": ")
        at = 2 if to.startswith(("seat ", "hand ")) else 1
        place, words = " ".join(to.split()[:at]), to.split()[at:]
        by = next((setter for setter in e.Setter if setter in words), e.Setter.PLAYER)
        low, _, other = cards.partition("|")
        faces = parse_cards(low.strip()), parse_cards(other.strip())
        self.controller(e.HandSet(parse_place(self._place(place)), by, "foul" in words, *faces))

    def _back(self, cards: str) -> None:
        """Shuffle cards into the rest of the shoe."""
        self.dealt -= int(cards)

    def _count(self, rest: str) -> None:
        place, _, cards = rest.partition(": ")
        self.count(place, int(cards))

    def _mishap(self, rest: str) -> None:
        place, _, what = rest.partition(": ")
        how, _, card = what.partition(" ")
        self.mishap(place, how, card or "??")

    def _lay(self, rest: str) -> None:
        place, _, cards = rest.removeprefix("away ").partition(": ")
        self.controller(e.CardsDiscarded(parse_place(self._place(place)), parse_cards(cards)))

    def _wager_on(self, rest: str) -> None:
        seat, _, what = rest.partition(": ")
        bet, proposition, cents = what.split()
        name, _, on = proposition.partition(":")
        spot = next(each for each in self.procedure.bet if each.name == bet)
        own = next(bet for bet in self.procedure.bet if bet.name == spot.plays_as)
        number = next((each.number for each in own.propositions if each.name == name), 0)
        self.controller(e.WagerOn(int(seat), spot.number, number, on, int(cents)))

    def _correct(self, rest: str) -> None:
        where, _, cards = rest.partition(": ")
        place, _, level = where.partition(" by ")
        badge = 0 if level == "nobody" else 77
        level = "" if level == "nobody" else level or "supervisor"
        self.controller(e.HandCorrected(parse_place(self._place(place)), badge, level, parse_cards(cards)))

    def _report(self, device: str, text: str) -> None:
        report = parse_report(text)
        if isinstance(report, e.PacketDispensed):
            self.ordinal, self.dealt = report.ordinal, self.dealt + report.counted
        elif isinstance(report, e.CardDrawn | e.CardUnread):
            self.ordinal = report.ordinal or self.ordinal
        self.see(device, report)

    def _place(self, name: str) -> str:
        return next((hand.place for hand in self.procedure.hand if hand.name == name), name)


def _fault(name: str) -> Fault:
    return next(fault for fault in Fault if fault.name.lower().replace("_", "-") == name)


def _cards(pile: str) -> Iterator[tuple[Card, ...]]:
    """Yield the cards that a place gets at each turn: one card, several joined by `+`, or none for `-`, where it is
    passed over."""
    words = (word for word in pile.split() if word == "-" or re.fullmatch(r"..(\+..)*", word))
    turns = (word.replace("-", "").split("+") for word in words if word[0] in "A23456789TJQKX?-")
    return (tuple(parse_card(card) for card in turn if card) for turn in turns)


def parse_report(text: str) -> e.Body:
    """Return the report that a text such as `RedLamp: lit true; fault 205` describes."""
    name, _, rest = text.partition(":")
    given = dict(part.strip().partition(" ")[::2] for part in rest.split(";") if part.strip())
    body: type[e.Body] = getattr(e, name)
    return body(
        **{field.name: _READ[str(field.type)](given[field.name]) for field in fields(body) if field.name in given}
    )


_READ: Final[dict[str, Callable[[str], object]]] = {
    str(kind): read
    for kind, read in (
        (bool, "true".__eq__),
        (int, int),
        (str, str),
        (int | None, lambda text: None if text == "none" else int(text)),
        (str | None, lambda text: None if text == "none" else text),
        (Card, parse_card),
        (Place, parse_place),
        (tuple[Card, ...], parse_cards),
        (tuple[int, ...], lambda text: tuple(map(int, text.split()))),
        (tuple[tuple[int, int], ...], lambda text: tuple(tuple(map(int, pair.split("/"))) for pair in text.split())),
    )
}
"""Type of a report's field -> function that reads it."""


# ------------------------------------------------------------------ tables of Flushes Gone Wild


def hands(count: int) -> list[str]:
    """Return `count` packets of five different cards, from one deck."""
    return [" ".join(card.text for card in DECK[5 * index : 5 * index + 5]) for index in range(count)]


def ready(seats: int = 1, **table: object) -> HandTable:
    """Return a table with ante and blind down at seats 1 to `seats`, after START GAME."""
    table_ = HandTable(**table)  # type: ignore[arg-type]
    for number in range(1, seats + 1):
        table_.bet(number, ante=500, blind=500)
    return table_.start()


def dealt(seats: int = 1, **table: object) -> HandTable:
    """Return a table as `ready` does, with every packet and the remainder out."""
    return ready(seats, **table).deal(*hands(seats + 2)).dump()
