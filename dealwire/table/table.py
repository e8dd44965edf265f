"""One table: device reports in; incidents, rounds and settlements out.

The same object serves attached devices and recordings, so that the two cannot drift apart.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_terms
from typing import Any, Literal

from msgspec import UNSET
from msgspec.structs import replace

from dealer_flow.play.course.identity import Pin
from dealer_flow.play.flow import DealerFlow
from dealer_flow.procedure.load import Procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealer_flow.table.shoe import LEAST_CONFIDENCE
from dealwire.table.believed import BelievedBadges
from dealwire.table.pool_book import PoolBook
from dealwire.table.posting_book import PostingBook
from dealwire.table.pressed_book import PressedBook
from dealwire.table.state import PoolState, TableState
from devices.events import HandButton, Seen
from devices.listed import NotedBadges
from rules.errors import SettlementRefused
from rules.facts.seen import View
from rules.facts.terms import Terms, agree
from rules.game.load import Game
from rules.game.schema import Signature
from rules.meters.award import AwardBook
from rules.meters.award_record import AwardRecord, AwardRound
from rules.meters.bank import MeterBank, MeterRecord
from rules.meters.jackpot_book import JackpotBook
from rules.meters.linked import known_meters, settle_linked_on, with_contributions
from rules.pots.pot_hands import words_by_way
from rules.settle.rounds import check_round_of_game
from rules.settle.waiting import settle_waiting
from rules.settlement import HouseRake, MaximumPayout, Meter, MeterTotal, Rolled, Settlement, WonWith

TableOutcome = Incident | RoundResult | Settlement | MeterRecord | AwardRecord


@dataclass
class TableTerms:
    """The terms on which a table settles.

    - `game`: the game file; `paytables`: pay table by bet; `readings`: reading by name.
    - `meters`: progressive meters in cents by name, moved by each settlement. With a shared `bank`, its
      meters are used instead.
    - `limit_cents`: the largest bet where the regulation leaves it open.
    - `maximum`: the house's maximum payouts; `commission`: percent of a win; `house_way`: how the house sets its hand.
    - `rake`: what the house takes of pots; `jackpot`: the book of a jackpot award, which tables may share.
    - `rolled`: state of pots that roll over, in addition to their cents.
    - `runners`: runners in front of the seats that win a pool; a seat without an entry has none.
    - `signed`: the house's signatures in addition to the game's own. With `unsigned` at `wait`, what an unsigned
      reading decides is held unless the reading is `allowed` here.
    - `released`: readings that a supervisor released; they become allowed with the next saved state.

    SettlementRefused at once if the terms do not fit the game: a session must not end at its first settlement.
    """

    game: Game
    paytables: Mapping[str, str] = field(default_factory=dict)
    readings: Mapping[str, str] = field(default_factory=dict)
    meters: dict[str, int] = field(default_factory=dict)
    token_cents: int = 25
    envy_base_cents: int | None = None
    limit_cents: int | None = None
    accept_suspect: bool = False
    bank: MeterBank | None = None
    maximum: MaximumPayout | None = None
    commission: str | int = 0
    house_way: str | None = None
    rake: HouseRake | None = None
    jackpot: JackpotBook | None = None
    rolled: dict[str, Rolled] = field(default_factory=dict)
    runners: dict[int, int] = field(default_factory=dict)
    signed: Sequence[Signature] = ()
    unsigned: Literal["settle", "wait"] = "settle"
    allowed: frozenset[str] = frozenset()
    released: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.game.spec.pool is not None and self.bank is None:
            self.meters = {self.game.spec.pool.meter: 0} | self.meters
        standing: dict[str, Any] = {"meters": self._now(), "runners": self.runners}
        self._agreed = agree(self.game, rounding="down-to-token", **standing, **self._options())
        self._stood = self._stands()
        self.allow(self.allowed)
        if self.jackpot is not None:
            self.jackpot.terms_of(self._agreed)
            for name in self.meters.keys() & self.jackpot.posted.keys():
                raise SettlementRefused("meter", name, sorted({*self.game.meters()} - self.jackpot.posted.keys()))

    @property
    def waits(self) -> frozenset[str]:
        """Readings that hold money until a supervisor releases it."""
        return self._agreed.waits

    @property
    def signed_readings(self) -> Mapping[str, str]:
        """Signed readings: name -> who signed the option in use, and when."""
        return self._agreed.signed

    @property
    def unsigned_readings(self) -> tuple[str, ...]:
        """Readings whose option in use is unsigned."""
        return tuple(name for name in self._agreed.readings if name not in self._agreed.signed)

    def release(self, readings: Iterable[str]) -> frozenset[str]:
        """Release readings whose held money was settled by hand. Return those that waited; they are allowed with the
        next state."""
        found = self.waits.intersection(readings)
        self.released |= found
        return found

    def allow(self, readings: Collection[str]) -> None:
        """Set the allowed readings, and clear the released ones."""
        self.allowed, self.released = frozenset(readings), frozenset()
        waits = frozenset(self.unsigned_readings) - self.allowed if self.unsigned == "wait" else frozenset()
        self._agreed = replace_terms(self._agreed, waits=waits)

    @property
    def chosen(self) -> Mapping[str, str]:
        """The pay table of every bet that has several, whether it was named or not."""
        return self._agreed.paytables

    @property
    def shared(self) -> MeterBank | None:
        """The meters that other tables may also move: a progressive's, or the pools of a jackpot."""
        return self.jackpot.bank if self.jackpot is not None else self.bank

    def settle_all(self, result: RoundResult) -> list[Settlement | MeterRecord]:
        """Settle one round and move the bank's meters if there is one: the settlement, then the bank's records."""
        if self.jackpot is not None:
            settlement, moved = self.jackpot.settle(result, self._terms())
            self._move(settlement)
            return [settlement, *moved]
        if self.bank is None:
            return [self.settle(result)]
        settlement, records = settle_linked_on(self.bank, result, self._agreed)
        return [settlement, *records]

    def settle_awarded(self, result: RoundResult, awards: AwardRound) -> Settlement:
        """Settle one round on the meters as shown after the award book took its bets; no meter moves."""
        meters = known_meters(awards.shown, self.game, self.chosen)
        check_round_of_game(result, self.game)
        settlement = settle_waiting(result, self._agreed.on(meters))
        return with_contributions(settlement, awards.before, awards.taken)

    def settle(self, result: RoundResult) -> Settlement:
        """Settle one round on `meters`; SettlementRefused if it is not a round of the game."""
        check_round_of_game(result, self.game)
        settlement = settle_waiting(result, self._terms())
        self._move(settlement)
        return settlement

    def hands_in_words(self, result: RoundResult, seats: Collection[int]) -> dict[int, dict[WonWith, str]]:
        """Return the hands of these seats by way to win a pot, as text; empty for a game without a pot."""
        spec = self.game.spec.pot
        if spec is None or not seats:
            return {}
        view = View(result, self._agreed)
        return {each.seat: words_by_way(view, each, spec) for each in result.seats if each.seat in seats}

    def stand(self, meters: Mapping[str, int], runners: Mapping[int, int]) -> None:
        """Set the meters and the runners."""
        self.meters, self.runners = dict(meters), dict(runners)
        self._terms()

    def share(self, other: "TableTerms") -> None:
        """Use the meters and runners of other terms for the same game, whichever moves them."""
        self.meters, self.rolled, self.runners = other.meters, other.rolled, other.runners
        self._terms()

    def settle_again(self, result: RoundResult) -> Settlement:
        """Settle a round that was settled before: the settlement is marked, and no meter pays or moves."""
        check_round_of_game(result, self.game)
        return replace(settle_waiting(result, self._agreed.on({})), again=True, meters=())

    def _now(self) -> dict[str, Meter]:
        """Return the table's own meters with their present amounts."""
        return {name: Meter(cents, rolled=self.rolled.get(name)) for name, cents in self.meters.items()}

    def _terms(self) -> Terms:
        """Return the terms with the current meters and runners."""
        if (self.meters, self.rolled, self.runners) != self._stood:
            self._agreed, self._stood = self._agreed.on(self._now(), self.runners), self._stands()
        return self._agreed

    def _stands(self) -> tuple[dict[str, int], dict[str, Rolled], dict[int, int]]:
        return dict(self.meters), dict(self.rolled), dict(self.runners)

    def _move(self, settlement: Settlement) -> None:
        """Set its own meters to the amounts after a settlement; a jackpot's pools belong to its book."""
        pools = self.jackpot.shown() if self.jackpot is not None else {}
        own = [each for each in settlement.meters if each.name not in pools]
        move_meters(self.meters, own)
        if (pool := settlement.pool) is not None:
            self.runners.clear()  # in place, because other terms on the same game may share the dict
            self.runners.update((each.seat, each.after) for each in pool.runners if each.after)
        for meter in own:
            self.rolled.pop(meter.name, None)
            if meter.rolled is not None:
                self.rolled[meter.name] = meter.rolled
        self._terms()

    def _options(self) -> dict[str, Any]:
        return {
            "paytables": self.paytables,
            "readings": self.readings,
            "token_cents": self.token_cents,
            "envy_base_cents": self.envy_base_cents,
            "limit_cents": self.limit_cents,
            "accept_suspect": self.accept_suspect,
            "maximum": self.maximum,
            "commission": self.commission,
            "house_way": self.house_way,
            "rake": self.rake,
            "signed": self.signed,
        }


def pressed_books(terms: TableTerms | None, table: str) -> list[PressedBook]:
    """Return the books of what can be requested at the controller of a table on these terms."""
    if terms is None:
        return []
    pool = terms.game.spec.pool if terms.bank is None else None
    found: list[PressedBook] = [PoolBook(pool, terms, table)] if pool is not None else []
    return found + ([PostingBook(terms.jackpot, table)] if terms.jackpot is not None else [])


def move_meters(meters: dict[str, int], moved: Iterable[MeterTotal]) -> None:
    """Move meters (cents by name) to the amounts after a settlement."""
    for meter in moved:
        if meter.after is None:  # paid out in full, and the seed is unknown: so is the meter from here on
            meters.pop(meter.name, None)
        else:
            meters[meter.name] = meter.after


class Table:
    """Deals and settles. `terms` None deals without settling; `outcomes` and `incidents` are counters.

    `options` are readings of the procedure; `least_confidence` and `pins` are passed to the flow. With `awards`, awards
    made at the controller move the bank's meters, and settlements do not: they use the meters as of START GAME, and a
    record reports any difference.
    """

    def __init__(
        self,
        procedure: Procedure,
        terms: TableTerms | None,
        *,
        name: str = "table-1",
        awards: AwardBook | None = None,
        options: Mapping[str, str] | None = None,
        least_confidence: int = LEAST_CONFIDENCE,
        pins: Mapping[str, Pin] | None = None,
    ) -> None:
        if terms is not None and procedure.id not in terms.game.spec.procedures:
            raise SettlementRefused(f"procedure for {terms.game.id}", procedure.id, terms.game.spec.procedures)
        ours, theirs = procedure.edition, terms.game.edition if terms is not None else None
        if ours is not None and theirs is not None and ours.ref != theirs.ref:
            raise SettlementRefused(f"edition for {procedure.id}", theirs.id, [ours.id])
        self.flow = DealerFlow(procedure, table=name, options=options, least_confidence=least_confidence, pins=pins)
        self.terms, self._awards = terms, awards
        self._pressed = pressed_books(terms, name)
        self.badges: BelievedBadges | None = None
        """Badges that count by the house's list, as the record has it; None: any does."""
        self.outcomes: Counter[str] = Counter()
        self.incidents: Counter[str] = Counter()

    @property
    def meters(self) -> dict[str, int]:
        """Amount of each meter and pool in cents, by name."""
        if self.terms is None:
            return {}
        shared = self.terms.shared
        own = self.terms.meters if self.terms.bank is None else {}
        return own | ({name: meter.cents for name, meter in shared.meters().items()} if shared is not None else {})

    def handle(self, seen: Seen) -> list[TableOutcome]:
        """Take one report; return its outcomes in order. A settlement follows its round."""
        if seen.body.__class__ is NotedBadges:
            return [*self._list_badges(seen, seen.body), *self.settled(self.flow.handle(seen))]
        if self.badges is not None:
            seen = self.badges.judge(seen)
        if self._awards is None and not self._pressed:
            found = self.flow.handle(seen)
            return self.settled(found) if found else []
        awards: Sequence[TableOutcome] = self._awards.handle(seen) if self._awards is not None else ()
        if self._pressed:
            awards = [*awards, *self._by_button(seen)]
        found = self.flow.handle(seen)
        return [*awards, *self.settled(found)] if found or awards else []

    def finish(self) -> list[TableOutcome]:
        """End the input: a round under way comes out as unreliable. More input may follow."""
        return self.settled(self.flow.finish())

    def state(self) -> TableState | None:
        """Return the state that outlives a round; None during a round (`Table.flow` says when that is)."""
        flow = self.flow.kept()
        awards = self._awards.state() if self._awards is not None else None
        if flow is None or (awards is None and self._awards is not None):
            return None
        if not all(book.at_rest for book in self._pressed):
            return None
        runners = tuple(sorted(self.terms.runners.items())) if self.terms is not None else ()
        pool = PoolState(runners, self._pressed[0].round) if self._pressed else None
        own = self.terms.meters if self.terms is not None and self.terms.bank is None else {}
        outcomes, incidents = tuple(self.outcomes.items()), tuple(self.incidents.items())
        rolled = tuple(self.terms.rolled.items()) if self.terms is not None else ()
        allowed = tuple(sorted(self.terms.allowed | self.terms.released)) if self.terms is not None else ()
        own_meters = tuple(own.items())
        badges = self.badges.noted if self.badges is not None else UNSET
        more: dict[str, Any] = {"rolled": rolled, "pool": pool, "allowed": allowed, "badges": badges}
        return TableState(flow, outcomes, incidents, own_meters, awards, **more)

    def restore(self, state: TableState) -> None:
        """Restore a saved state. The table must have the same settings, and a shared bank must be at the amounts of
        that state."""
        self.flow.restore(state.flow)
        self.outcomes, self.incidents = Counter(dict(state.outcomes)), Counter(dict(state.incidents))
        self._believe(state.badges if state.badges is not UNSET else None)
        if self.terms is not None and self.terms.bank is None:
            self.terms.rolled = dict(state.rolled)
            self.terms.stand(dict(state.meters), dict(state.pool.runners) if state.pool is not None else {})
        if self.terms is not None:
            self.terms.allow(state.allowed)
        if state.pool is not None:
            for book in self._pressed:
                book.round = state.pool.round
        if self._awards is not None and state.awards is not None:
            self._awards.restore(state.awards)

    def settled(self, found: Sequence[RoundResult | Incident]) -> list[TableOutcome]:
        """Return the outcomes of a flow, here or in another process, with a settlement after each round."""
        out: list[TableOutcome] = []
        for item in found:
            if isinstance(item, Incident):
                out.append(self.shown_incident(item))
                self.incidents[item.code] += 1
                continue
            shown = self.shown_result(item)
            out.append(shown)
            self.outcomes[item.outcome] += 1
            if self.terms is not None:  # a held line may quote an incident; hidden burned cards decide no money
                seen = replace(item, incidents=shown.incidents, burned=shown.burned)
                out += self._settle(seen, self.terms)
        return out

    def shown_incident(self, incident: Incident) -> Incident:
        """Return the incident as published: complete. A subclass may redact it."""
        return incident

    def shown_result(self, result: RoundResult) -> RoundResult:
        """Return the result as published: complete. A subclass may redact it."""
        return result

    def _list_badges(self, seen: Seen, noted: NotedBadges) -> list[TableOutcome]:
        """Go by another list from here on. What waits for a second person does not wait for one of the former list."""
        self._believe(noted.after(self.badges.noted if self.badges is not None else None))
        return [each for book in self._pressed for each in book.list_changed(seen)]

    def _believe(self, noted: NotedBadges | None) -> None:
        self.badges = BelievedBadges(noted) if noted is not None else None
        for book in self._pressed:
            book.need_two(noted.minutes if noted is not None and book.ACT in noted.second else 0)

    def _by_button(self, seen: Seen) -> list[TableOutcome]:
        """Return the records of requests at the controller. Each button belongs to one book, and only one request is
        open at a time."""
        books, found, between = self._pressed, list[TableOutcome](), self.flow.between_rounds
        if isinstance(seen.body, HandButton):
            pressed = seen.body
            books = [book for book in books if pressed.hand == book.BUTTON] or books[:1]
            if pressed.on and between:
                found += [each for book in self._pressed if book not in books for each in book.drop(seen)]
        return found + [each for book in books for each in book.handle(seen, between=between)]

    def _settle(self, result: RoundResult, terms: TableTerms) -> list[TableOutcome]:
        if self._awards is None:
            return [*terms.settle_all(result)]
        closed = self._awards.last
        if closed is None or closed.at.round != result.round:  # broken off: the award book did not see its end
            return [terms.settle(result)]
        settlement = terms.settle_awarded(result, closed)
        return [settlement, *self._awards.differences(settlement)]
