"""The owner of a jackpot's pools: collects money onto them, pays the posted amount, and moves up the next pool.

A pool holds more than was posted as soon as money is collected, and an award is only of the posted amount
(47.1-1060(2)); the excess stays with the players for the next award. Every cent is a record of the pools' bank.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Self

from msgspec.structs import replace

from dealer_flow.english import dollars
from dealer_flow.record.result import RoundResult
from rules.errors import SettlementRefused
from rules.facts.terms import Terms
from rules.game.jackpot_spec import JackpotAward
from rules.game.load import Game
from rules.meters.bank import MeterBank, MeterRecord, RoundKey
from rules.meters.jackpot_setup import JackpotSetup
from rules.meters.setup import ProgressiveSetup
from rules.settle.jackpot import JACKPOT
from rules.settle.rounds import check_round_of_game, collected
from rules.settle.waiting import settle_waiting
from rules.settlement import HouseRake, Meter, MeterTotal, Settlement


class PoolBank(MeterBank):
    """The pools as meters. Their records include the posted amounts, so they alone restore a jackpot."""

    POSTS = True


class JackpotBook:
    """One jackpot, which several tables may share. Only the book moves its pools. `bank` holds them; it is opened
    unless given."""

    def __init__(self, setup: JackpotSetup, bank: PoolBank | None = None) -> None:
        self.setup = setup
        self.bank = bank or PoolBank(meters_of(setup))
        self._names = [pool.name for pool in setup.pools]

    @classmethod
    def resume(cls, setup: JackpotSetup, newest: Mapping[str, MeterRecord]) -> Self:
        """Restore the jackpot from the newest record of each pool; a pool without one is opened."""
        return cls(setup, PoolBank.resume(meters_of(setup), newest))

    @classmethod
    def go_on(cls, setup: JackpotSetup, records: Iterable[MeterRecord]) -> Self:
        """Restore the jackpot from the end of its records; raise MeterRefused for an inconsistent one."""
        return cls(setup, PoolBank.go_on(meters_of(setup), records))

    def shown(self) -> dict[str, int]:
        """Return the amount of each pool, in cents."""
        return {name: meter.cents for name, meter in self.bank.meters().items()}

    @property
    def posted(self) -> dict[str, int]:
        """Amount last posted of each pool."""
        return self.bank.posted()

    def post(self, badge: int | None = None) -> list[MeterRecord]:
        """Post the amounts of the pools, at least once each gaming day after the count (47.1-1060(2)).

        The pool with the highest amount becomes the primary one (47.1-1060(7)). Returns the records of the money moved
        for that, then of each pool's posting. `badge` is that of the person who posts.
        """
        records = self._move_up(None, self.shown())
        return records + [
            self.bank.post(name, cents, f"posted at {dollars(cents)}", badge=badge)
            for name, cents in self.shown().items()
        ]

    @property
    def award_cents(self) -> int:
        """The posted amount of the award."""
        return self.posted[self._names[0]]

    @property
    def stopped(self) -> bool:
        """True if every pool is at its cap, so that nothing more is taken of pots until the award is won."""
        return self.setup.when_capped == "stop-rake" and all(self._room(pool.name) == 0 for pool in self.setup.pools)

    # ------------------------------------------------------------------ a round

    def terms_of(self, terms: Terms) -> Terms:
        """Return the terms of a table with this jackpot: its rake, its award and the posted amount. Raises
        SettlementRefused if it is not offered in this game."""
        game = terms.game
        if game.id not in self.setup.games:
            raise SettlementRefused(f"game of jackpot {self.setup.id}", game.id, self.setup.games)
        award = _award(self.setup, game)
        rake = replace(terms.rake or HouseRake(), jackpot_cents=0 if self.stopped else self.setup.rake_cents)
        mine = terms.having(rake, None if game.spec.jackpot is not None else award)
        return mine.on({**terms.meters, award.meter: Meter(self.award_cents)})

    def settle(self, result: RoundResult, terms: Terms) -> tuple[Settlement, list[MeterRecord]]:
        """Settle one round and move the pools; return the settlement and the records of the money moved."""
        check_round_of_game(result, terms.game)
        before, at = self.shown(), RoundKey(result.table, result.session, result.round)
        settlement = settle_waiting(result, self.terms_of(terms))
        cents = sum(pot.jackpot_rake for pot in settlement.pots) + collected(settlement.lines, terms.game)
        records = self.collect(at, cents)
        paid = [line for line in settlement.lines if line.bet == JACKPOT and line.pay]
        for line in paid:
            records += self.bank.pay_fixed(at, line.seat, self._names[0], line.pay)
        if paid:
            records += self._move_up_after_win(at)
        return self._with_pools(settlement, before, records, _award(self.setup, terms.game)), records

    def collect(self, at: RoundKey, cents: int) -> list[MeterRecord]:
        """Add collected cents to the pools. What exceeds a pool's cap goes to the next pool with room."""
        before = self.bank.carries()
        parts, carries = self._parts(cents, before)
        why = f"part of {dollars(cents)} collected for the jackpot"
        return [
            self.bank.put(at, name, part, why, carries[name])
            for name, part in parts.items()
            if part or carries[name] != before[name]
        ]

    def _parts(self, cents: int, before: Mapping[str, Fraction]) -> tuple[dict[str, int], dict[str, Fraction]]:
        """Return the whole cents for each pool, and the part of a cent that waits for its next contribution."""
        parts, left, carries = dict.fromkeys(self._names, 0), cents, dict(before)
        # The primary pool comes last and takes the remainder, so that no cent is lost to rounding.
        for pool in reversed(self.setup.pools):
            exact = before[pool.name] + pool.contribution * cents
            part = left if pool is self.setup.pools[0] else min(int(exact), left)
            carries[pool.name] = Fraction(0) if pool is self.setup.pools[0] else exact - int(exact)
            parts[pool.name], left = part, left - part
        over = 0
        for name in self._names:
            room = self._room(name)
            wanted = parts[name] + over
            parts[name] = wanted if room is None else min(wanted, room)
            over = wanted - parts[name]
        parts[self._names[0]] += over  # every pool is full: exceed a cap rather than lose a cent
        return parts, carries

    def _room(self, name: str) -> int | None:
        """Return the room left in a pool; None if it has no cap, or all caps are lifted."""
        caps = {pool.name: pool.cap_cents for pool in self.setup.pools}
        shown = self.shown()
        full = all(cap is not None and shown[pool] >= cap for pool, cap in caps.items())
        cap = caps[name]
        if cap is None or (full and self.setup.when_capped == "go-on"):
            return None
        return max(cap - shown[name], 0)

    def _move_up_after_win(self, at: RoundKey) -> list[MeterRecord]:
        """Move the pools up after the award was won: the primary pool's posting is cleared, and the others keep their
        posted amounts."""
        before = self.posted
        posted = before | {self._names[0]: 0}
        order = self._order(posted)
        records = self._move_up(at, posted)
        now = {name: posted[source] for name, source in zip(self._names, order, strict=True)}
        if self.setup.posts_when_won and order != self._names:
            now[self._names[0]] = self.shown()[self._names[0]]
        why = "the award was won"
        return records + [self.bank.post(name, now[name], why, at) for name in self._names if now[name] != before[name]]

    def _order(self, by: Mapping[str, int]) -> list[str]:
        """Return the pools in descending order of `by`."""
        return sorted(self._names, key=lambda name: (-by[name], self._names.index(name)))

    def _move_up(self, at: RoundKey | None, by: Mapping[str, int]) -> list[MeterRecord]:
        """Move money so that the pool with the highest `by` becomes the primary one, and so on."""
        order, shown = self._order(by), self.shown()
        moved = {name: shown[source] - shown[name] for name, source in zip(self._names, order, strict=True)}
        records, why = list[MeterRecord](), "the pools move up"
        gives = [name for name in self._names if moved[name] < 0]
        takes = [name for name in self._names if moved[name] > 0]
        for source in gives:
            for target in takes:
                cents = min(-moved[source], moved[target])
                if cents:
                    records += self.bank.move(at, source, target, cents, why)
                    moved[source], moved[target] = moved[source] + cents, moved[target] - cents
        return records

    def _with_pools(
        self,
        settlement: Settlement,
        before: Mapping[str, int],
        records: Sequence[MeterRecord],
        award: JackpotAward,
    ) -> Settlement:
        """Return the settlement with the pools in place of the posted amount."""
        spec = {award.meter, *self._names}
        totals = [meter for meter in settlement.meters if meter.name not in spec]
        after = self.shown()
        for name in self._names:
            mine = [record for record in records if record.meter == name]
            paid = -sum(record.to_meter for record in mine if record.kind == "paid")
            more = sum(record.to_meter for record in mine if record.kind == "contributed")
            moved = after[name] - before[name] - more + paid
            totals.append(MeterTotal(name, before[name], paid, moved, after[name], contributed=more))
        return replace(settlement, meters=tuple(totals))


def posting(book: JackpotBook) -> tuple[str, ...]:
    """Return the text to be posted for a jackpot award (47.1-1061): the amount, then the house's rules."""
    posted = book.setup.posted
    return (
        f"The award is {dollars(book.award_cents)}.",
        posted.qualification,
        posted.division,
        *posted.disclaimers,
        posted.rake,
    )


def _award(setup: JackpotSetup, game: Game) -> JackpotAward:
    """Return the award of this jackpot in a game: the game's own if it has one."""
    award = game.spec.jackpot or setup.award
    if award is None:
        raise SettlementRefused(f"award of jackpot {setup.id} at {game.id}", None, ["[award] in its file"])
    return award


def meters_of(setup: JackpotSetup) -> ProgressiveSetup:
    """Return the pools as meters of a bank that receive no automatic contribution."""
    return ProgressiveSetup.model_validate(
        {
            "schema": "dealwire.progressive/1",
            "id": setup.id,
            "executive-from-cents": 1,
            "meters": tuple(
                {"name": pool.name, "seed-cents": 0, "start-cents": pool.start_cents, "contribution": "0 %"}
                for pool in setup.pools
            ),
        }
    )
