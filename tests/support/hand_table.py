"""A dealt hand as lines of text, played into a flow. Each line is one thing that happens at the table.

bets 1: ante 500, progressive 100      cents on the spots of seat 1
start                                  START GAME; `start at 3`: the number drawn was 3
packet seat 1: AH KD 9C 4S 2H          a packet comes from the shuffler and is taken to seat 1
packet seat 1 reading: AH KD 9C        the same, of a shuffler that reads what it dispenses
draw seat 1 AH KD | dealer 4S 2H       single cards from the shoe, in rotation
burn-card 7D                           a card off the top is burned; `burn-card` alone: by hand
deal by hand                           the dealer confirms cards dealt by hand
dump                                   what is physically left comes out
burn community: 3                      cards burned of a packet, counted from the dealer's left
choose 1: bet, bet 1000                a choice, and the money that goes with it
show dealer: 2H                        faces that lie open at a place
count seat 1: 4                        a person counted
mishap seat 1: exposed                 a person saw it happen; `mishap seat 1: off-table 4S`
push-back                              the card drawn last is pushed back into the shoe
fault jam / clear jam / confirm / misdeal / end
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from dealer_flow.play.machine import DealerFlow
from dealer_flow.procedure.load import Procedure, load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from devices import events as e
from protocol.cards import Card, parse_card, parse_cards
from protocol.faults import Fault
from protocol.places import parse_place
from tests.support.sentences import check_incident, check_legal

START_NS: Final = 1_700_000_000_000_000_000
DEVICE, CONTROLLER = "device-1", "controller-1"


class HandTable:
    """A procedure, its devices' reports straight into a flow, and what came out of it.

    The device counts what is really there. `dealt` is the number of cards that left it this round.
    """

    def __init__(self, procedure: str | Procedure, **options: str) -> None:
        self.procedure = load_procedure(procedure) if isinstance(procedure, str) else procedure
        chosen = {name.replace("_", "-"): value for name, value in options.items()}
        self.flow = DealerFlow(self.procedure, options=chosen)
        self.incidents: list[Incident] = []
        self.results: list[RoundResult] = []
        self.spots = {bet.name: bet.number for bet in self.procedure.bet}
        self.choices = {choice.name: choice for choice in self.procedure.decision}
        self.round, self.deck, self.dealt, self.ordinal = 0, 0, 0, 0
        self._numbers = {DEVICE: 0, CONTROLLER: 0}
        self._now_ns = START_NS
        self.fresh_deck()

    # ------------------------------------------------------------------ plumbing

    def see(self, device: str, body: e.Body) -> None:
        """The device reports this now."""
        self._now_ns += 10_000_000
        self._numbers[device] += 1
        seen = e.Seen(device, 0xA1B2C3D4, self._numbers[device], self._now_ns, body)
        for item in self.flow.handle(seen):
            if isinstance(item, RoundResult):
                self.results.append(item)
            elif isinstance(item, Incident):
                self.incidents.append(item)
                check_incident(item)
        for listed in self.flow.legal():
            check_legal(listed)

    @property
    def codes(self) -> list[str]:
        """Codes of the incidents so far."""
        return [incident.code for incident in self.incidents]

    @property
    def shuffler(self) -> bool:
        """Cards come in packets from a shuffler, not from a shoe."""
        return self.procedure.device == "packet-shuffler"

    def fresh_deck(self) -> None:
        """The other deck is shuffled and counted, or the shoe filled."""
        deck = self.procedure.deck
        self.deck, self.dealt, self.ordinal = self.deck % deck.alternating + 1, 0, 0
        if self.shuffler:
            self.see(DEVICE, e.DeckVerified(self.deck, deck.cards, deck.cards))
        else:
            self.see(DEVICE, e.ShoeLoaded(self.round + 1, deck.decks, deck.cards * deck.decks))

    # ------------------------------------------------------------------ lines

    def play(self, lines: str | list[str]) -> HandTable:
        """Each line in turn; empty ones and what follows `#` do not count."""
        for line in lines.splitlines() if isinstance(lines, str) else lines:
            words, _, _ = line.partition("#")
            if words.strip():
                self.say(words.strip())
        return self

    def say(self, line: str) -> None:
        """One line."""
        verb, _, rest = line.partition(" ")
        words: dict[str, Callable[[str], None]] = {
            "bets": self._bets,
            "start": self._start,
            "packet": self._packet,
            "draw": self._draw,
            "burn-card": self._burn_card,
            "burn": self._burn,
            "choose": self._choose,
            "show": self._show,
            "count": self._count,
            "mishap": self._mishap,
            "fault": lambda name: self.see(DEVICE, e.FaultRaised(_fault(name), parse_place("nowhere"), 0)),
            "clear": lambda name: self.see(DEVICE, e.FaultCleared(_fault(name))),
        }
        plain: dict[str, e.Body] = {
            "deal by hand": e.Confirmed(),
            "confirm": e.Confirmed(),
            "misdeal": e.MisdealCalled(77, 0),
            "push-back": e.CardPushedBack(False),
        }
        if line in plain:
            self.see(DEVICE if line == "push-back" else CONTROLLER, plain[line])
        elif line == "dump":
            left = self.procedure.deck.cards - self.dealt
            self.see(DEVICE, e.RemainderDumped(self.deck, left, left))
        elif line == "end":
            self.see(CONTROLLER, e.GameEnded(self.round))
        else:
            words[verb](rest)

    def end(self) -> RoundResult:
        """END GAME; the result of this round. A fresh deck lies ready afterwards."""
        self.say("end")
        if self.procedure.deck.fresh == "each-round":
            self.fresh_deck()
        return self.results[-1]

    def _bets(self, rest: str) -> None:
        seat, _, money = rest.partition(": ")
        for part in money.split(", "):
            name, cents = part.split()
            self.see(CONTROLLER, e.WagerPlaced(int(seat), self.spots[name], int(cents)))

    def _start(self, rest: str) -> None:
        if rest:
            self.see(CONTROLLER, e.SpotSelected(int(rest.removeprefix("at "))))
        self.round += 1
        self.see(CONTROLLER, e.GameStarted(self.round))

    def _packet(self, rest: str) -> None:
        to, _, cards = rest.partition(": ")
        size = len(parse_cards(cards))
        to, reading, _ = to.partition(" reading")
        if " should be " in to:
            to, _, expected = to.partition(" should be ")
        else:
            expected = str(size)
        self.ordinal += 1
        self.see(
            DEVICE,
            e.PacketDispensed(self.deck, self.ordinal, int(expected), size, parse_cards(cards if reading else "")),
        )
        self.dealt += size
        self.see(DEVICE, e.PacketLifted(self.ordinal))

    def _draw(self, rest: str) -> None:
        piles = [list(_cards(pile)) for pile in rest.split(" | ")]
        for turn in range(max(map(len, piles))):
            for pile in piles:
                for card in pile[turn : turn + 1]:
                    self._drawn(card)

    def _drawn(self, card: Card) -> None:
        self.ordinal += 1
        self.dealt += 1
        self.see(DEVICE, e.CardDrawn(self.ordinal, card, None))

    def _burn_card(self, rest: str) -> None:
        if not rest:
            self.see(CONTROLLER, e.Confirmed())
        elif self.shuffler:
            self._packet(f"burn: {rest}")
        else:
            self.see(DEVICE, e.BurnStarted(1))
            self._drawn(parse_card(rest))

    def _burn(self, rest: str) -> None:
        place, _, positions = rest.partition(": ")
        at = tuple(int(position) for position in positions.split())
        self.see(CONTROLLER, e.BurnConfirmed(parse_place(self._place(place)), at, "left-to-right"))

    def _choose(self, rest: str) -> None:
        seat, _, what = rest.partition(": ")
        name, *money = what.split(", ")
        choice = self.choices[name]
        if choice.takes_back:
            money.append(f"{choice.takes_back} 0")
        self.see(CONTROLLER, e.DecisionMade(int(seat), choice.number))
        if money:
            self._bets(f"{seat}: {', '.join(money)}")

    def _show(self, rest: str) -> None:
        place, _, cards = rest.partition(": ")
        self.see(CONTROLLER, e.HandRevealed(parse_place(self._place(place)), parse_cards(cards), True))

    def _count(self, rest: str) -> None:
        place, _, cards = rest.partition(": ")
        self.see(CONTROLLER, e.CardsCounted(parse_place(self._place(place)), int(cards)))

    def _mishap(self, rest: str) -> None:
        place, _, what = rest.partition(": ")
        how, _, card = what.partition(" ")
        self.see(CONTROLLER, e.CardMishandled(parse_place(self._place(place)), how, parse_card(card or "??")))

    def _place(self, name: str) -> str:
        return next((hand.place for hand in self.procedure.hand if hand.name == name), name)


def _fault(name: str) -> Fault:
    return next(fault for fault in Fault if fault.name.lower().replace("_", "-") == name)


def _cards(pile: str) -> Iterator[Card]:
    return (parse_card(word) for word in pile.split() if len(word) == 2 and word[0] in "A23456789TJQKX?")
