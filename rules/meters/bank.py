"""The owner of progressive meters: every cent on or off them is a record, and the records alone restore them.

One `MeterBank` serves every table linked to its meters. Each record has the amounts for players, house, meter and
reserve, which sum to zero, so every step conserves money. A contribution is exact: a part of a cent waits in the
record's `carry` for the next one.

CO 47.1-1017.60 progressive (3), (7); WA NC 4, 9, MGL 5, 10; WA progressive systems flexibility (reserve, seed).
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, Self

from msgspec import Meta, Struct

from dealer_flow.english import dollars
from dealer_flow.record.base import LineRecord, written
from protocol.errors import DealwireError
from rules.meters.setup import ProgressiveSetup
from rules.settlement import Amount, Meter

MeterChange = Literal["opened", "contributed", "paid", "reseeded", "backed-out", "adjusted", "moved", "posted"]
Carry = Annotated[str, Meta(pattern=r"^\d+(/\d+)?$")]


RECORDS_KEPT: Final = 1024
"""Maximum number of records in a bank: an older pay can no longer be backed out by its number."""


class MeterRefused(DealwireError):
    """A step that a meter cannot take."""

    def __init__(self, meter: str, what: str, why: str) -> None:
        self.meter, self.what, self.why = meter, what, why
        super().__init__(f"meter {meter}: {what} refused: {why}")


class RoundKey(NamedTuple):
    """The round and table that moved a meter; `session` is that of the dealing device, eight hex digits."""

    table: str
    session: str
    round: int


class MeterRecord(LineRecord, frozen=True, kw_only=True, omit_defaults=True):
    """One step of one meter. `to_players` + `to_house` + `to_meter` + `to_reserve` == 0, in cents."""

    SCHEMA: ClassVar[str] = "dealwire.meter/1"
    TYPE: ClassVar[str] = "meter"

    number: Annotated[int, Meta(ge=1)]
    """Number of the bank's record, without gaps from 1."""
    kind: MeterChange
    meter: str
    table: str | None = written(None)
    session: str | None = written(None)
    round: int | None = written(None)
    seat: int | None = written(None)
    to_players: int = written(0)
    to_house: int = written(0)
    to_meter: int = written(0)
    to_reserve: int = written(0)
    meter_cents: Amount
    """Amount of the meter after the step."""
    reserve_cents: Amount
    meter_carry: Carry
    """Part of a cent, as a fraction, that waits for the meter's next contribution."""
    reserve_carry: Carry
    of: int | None = written(None)
    """The record that this one reseeds after, or backs out."""
    badge: int | None = written(None)
    """The badge of the person who made the step."""
    why: str
    posted: Amount | None = None
    """The posted amount of a jackpot's pool. Absent for other meters."""


class MeterState(Struct, frozen=True):
    """State of one meter; parts of a cent as in `MeterRecord`."""

    cents: int
    reserve: int
    carry: str
    reserve_carry: str
    posted: int | None = None


class BankState(Struct, frozen=True):
    """State of a bank: the number of records so far (`count`); the newest `pays`, which may be backed out, each with
    the record that reseeded its meter; and the numbers of those `backed_out`."""

    count: int
    meters: dict[str, MeterState]
    pays: tuple[tuple[MeterRecord, MeterRecord | None], ...]
    backed_out: tuple[int, ...]


@dataclass(slots=True)
class _PresentState:
    """Present state of a meter."""

    cents: int = 0
    reserve: int = 0
    carry: Fraction = Fraction(0)
    reserve_carry: Fraction = Fraction(0)
    posted: int | None = None


class MeterBank:
    """All meters of one progressive. Only the bank moves them; linked tables share one bank."""

    POSTS: ClassVar[bool] = False
    """True if each meter has a posted amount: the amount that staff last declared."""

    def __init__(self, setup: ProgressiveSetup) -> None:
        self.setup = setup
        self._begin()
        for meter in setup.meters:
            start = meter.seed_cents if meter.start_cents is None else meter.start_cents
            self._now[meter.name].posted = start if self.POSTS else None
            self._write("opened", meter.name, f"opened at {dollars(start)}", to_meter=start, to_house=-start)

    def _begin(self) -> None:
        self._parts = {meter.name: meter for meter in self.setup.meters}
        self._now = {name: _PresentState() for name in self._parts}
        self._count = 0
        self._records: deque[MeterRecord] = deque(maxlen=RECORDS_KEPT)
        self._newest: dict[str, MeterRecord] = {}
        self._pays: dict[int, tuple[MeterRecord, MeterRecord | None]] = {}
        self._backed_out: set[int] = set()

    @classmethod
    def restore(cls, setup: ProgressiveSetup, records: Iterable[MeterRecord]) -> Self:
        """Restore the bank from all its records; raise MeterRefused if one is missing or inconsistent with those
        before."""
        # Without __init__, which would open the meters a second time.
        bank = cls.__new__(cls)
        bank.setup = setup
        bank._begin()
        opened = set()
        for record in records:
            bank.follow(record)
            opened.add(record.meter)
        for name in bank._parts:
            if name not in opened:
                raise MeterRefused(name, "restoring", "it has no record")
        return bank

    @classmethod
    def resume(cls, setup: ProgressiveSetup, newest: Mapping[str, MeterRecord]) -> Self:
        """Restore the bank from the newest record of each meter; a meter without one is opened. Earlier pays cannot be
        backed out."""
        bank = cls(setup)
        for name, record in newest.items():
            if name in bank._now:
                bank._set(record)
                bank._newest[name] = record
        bank._count = max((record.number for record in newest.values()), default=bank._count)
        bank._records.clear()
        return bank

    @classmethod
    def go_on(cls, setup: ProgressiveSetup, records: Iterable[MeterRecord]) -> Self:
        """Restore the bank from the end of its records: all of them, or those since the last known record of each
        meter, as `standing` returns them. A repeated record is skipped."""
        records, first = iter(records), dict[str, MeterRecord]()
        wanted = {meter.name for meter in setup.meters}
        for record in records:
            if record.number == 1 and not first:
                return cls.restore(setup, _unrepeated(chain([record], records)))
            first[record.meter] = record
            if first.keys() >= wanted:
                break
        for name in wanted - first.keys():
            raise MeterRefused(name, "restoring", "no record has its present amount")
        bank = cls.resume(setup, first)
        for record in _unrepeated(chain(first.values(), records)):
            if record is not first.get(record.meter):
                bank.follow(record)
        return bank

    def standing(self) -> list[MeterRecord]:
        """Return the newest record of each meter, oldest first: with the records that follow, they restore the bank."""
        return sorted(self._newest.values(), key=lambda record: record.number)

    def state(self) -> BankState:
        """Return the state of the bank."""
        meters = {
            name: MeterState(now.cents, now.reserve, str(now.carry), str(now.reserve_carry), now.posted)
            for name, now in sorted(self._now.items())
        }
        pays = tuple(pay for _, pay in sorted(self._pays.items()))
        return BankState(self._count, meters, pays, tuple(sorted(self._backed_out)))

    def restore_state(self, state: BankState) -> None:
        """Restore the bank to a state of the same setup."""
        self._begin()
        self._count = state.count
        for name, meter in state.meters.items():
            carries = Fraction(meter.carry), Fraction(meter.reserve_carry)
            self._now[name] = _PresentState(meter.cents, meter.reserve, *carries, meter.posted)
        self._pays = {paid.number: (paid, seeded) for paid, seeded in state.pays}
        self._backed_out = set(state.backed_out)

    @property
    def records(self) -> tuple[MeterRecord, ...]:
        """The newest records, oldest first."""
        return tuple(self._records)

    def meters(self) -> dict[str, Meter]:
        """Return every meter as displayed now, ready for `settle`."""
        return {name: self._meter(name, now.cents, now.reserve) for name, now in self._now.items()}

    def carries(self) -> dict[str, Fraction]:
        """Return the part of a cent of every meter that waits for its next contribution."""
        return {name: now.carry for name, now in self._now.items()}

    def posted(self) -> dict[str, int]:
        """Return the posted amount of every meter that has one."""
        return {name: now.posted for name, now in self._now.items() if now.posted is not None}

    def meters_with(self, wager_cents: int) -> dict[str, Meter]:
        """Return every meter as it will be after `wager_cents` of progressive bets are taken; nothing moves."""
        found = {}
        for name, now in self._now.items():
            cents, reserved, _ = self._parts_of(name, wager_cents)
            found[name] = self._meter(name, now.cents + cents, now.reserve + reserved)
        return found

    # ------------------------------------------------------------------ moves

    def contribute(self, at: RoundKey, wager_cents: int) -> list[MeterRecord]:
        """Add the contributions of `wager_cents` of progressive bets, taken at START GAME, to meters and reserves."""
        found = []
        for name, now in self._now.items():
            cents, reserved, (now.carry, now.reserve_carry) = self._parts_of(name, wager_cents)
            if wager_cents:
                why = f"part of {dollars(wager_cents)} of progressive bets"
                found.append(
                    self._write(
                        "contributed", name, why, at, to_meter=cents, to_reserve=reserved, to_house=-cents - reserved
                    )
                )
        return found

    def pay(self, at: RoundKey, seat: int, meter: str, share: Fraction) -> list[MeterRecord]:
        """Pay a share of the meter's amount, to the cent. Paying all of it reseeds the meter with seed and reserve."""
        now = self._known(meter)
        if not 0 < share <= 1:
            raise MeterRefused(meter, f"a pay of {share} of it", "a share is more than 0 and at most all")
        cents = now.cents * share.numerator // share.denominator
        why = f"{share * 100} % of {dollars(now.cents)}"
        paid = self._write("paid", meter, why, at, seat=seat, to_players=cents, to_meter=-cents)
        if share != 1:
            return [paid]
        seed, reserve = self._parts[meter].seed_cents, now.reserve
        why = f"seed of {dollars(seed)}" + (f" and reserve of {dollars(reserve)}" if reserve else "")
        return [
            paid,
            self._write(
                "reseeded", meter, why, at, to_meter=seed + reserve, to_reserve=-reserve, to_house=-seed, of=paid.number
            ),
        ]

    def pay_fixed(self, at: RoundKey, seat: int, meter: str, cents: int) -> list[MeterRecord]:
        """Pay a printed amount from the meter; raise MeterRefused if the meter is lower."""
        shown = self._known(meter).cents
        if not 0 < cents <= shown:
            raise MeterRefused(meter, f"a pay of {dollars(cents)}", f"it shows {dollars(shown)}")
        why = f"{dollars(cents)} of {dollars(shown)}"
        return [self._write("paid", meter, why, at, seat=seat, to_players=cents, to_meter=-cents)]

    def put(self, at: RoundKey, meter: str, cents: int, why: str, carry: Fraction = Fraction(0)) -> MeterRecord:
        """Put players' cents onto a meter in full; `carry` is the part of a cent that now waits."""
        self._known(meter).carry = carry
        return self._write("contributed", meter, why, at, to_meter=cents, to_players=-cents)

    def move(self, at: RoundKey | None, source: str, target: str, cents: int, why: str) -> list[MeterRecord]:
        """Move cents from one meter to another; raise MeterRefused if the source is lower."""
        shown = self._known(source).cents
        if not 0 < cents <= shown:
            raise MeterRefused(source, f"moving {dollars(cents)}", f"it shows {dollars(shown)}")
        self._known(target)
        return [
            self._write("moved", source, why, at, to_meter=-cents, to_house=cents),
            self._write("moved", target, why, at, to_meter=cents, to_house=-cents),
        ]

    def post(
        self, meter: str, cents: int, why: str, at: RoundKey | None = None, badge: int | None = None
    ) -> MeterRecord:
        """Post an amount of a meter; no money moves."""
        self._known(meter).posted = cents
        return self._write("posted", meter, why, at, to_meter=0, badge=badge)

    def back_out(self, number: int, badge: int, why: str) -> MeterRecord:
        """Undo a logged pay, by hand and once: the prize goes back onto the meter, and a reseed off it.

        CO progressive (7)(H), WA NC 9(h), MGL 10(h). Raises MeterRefused if the record is not a pay, if it was already
        backed out, or if the meter has paid from its new seed and would become negative.
        """
        record, seeded = self._pays.get(number, (None, None))
        if record is None:
            raise MeterRefused("?", "backing out", f"record {number} is not a pay, or is too old")
        if number in self._backed_out:
            raise MeterRefused(record.meter, "backing out", f"record {number} was backed out already")
        to_meter = -record.to_meter - (seeded.to_meter if seeded else 0)
        if self._now[record.meter].cents + to_meter < 0:
            raise MeterRefused(
                record.meter, "backing out", "it has since paid from its new seed; adjust the amount instead"
            )
        at = RoundKey(record.table or "", record.session or "", record.round or 0)
        return self._write(
            "backed-out",
            record.meter,
            why,
            at,
            seat=record.seat,
            to_players=-record.to_players,
            to_house=-seeded.to_house if seeded else 0,
            to_meter=to_meter,
            to_reserve=-seeded.to_reserve if seeded else 0,
            of=number,
            badge=badge,
        )

    def adjust(self, meter: str, cents: int, badge: int, why: str) -> MeterRecord:
        """Move `cents` from the house onto a meter by hand, or off it if negative; never below zero."""
        now = self._known(meter)
        if now.cents + cents < 0:
            raise MeterRefused(meter, f"an adjustment by {cents} cents", f"it shows {dollars(now.cents)}")
        return self._write("adjusted", meter, why, to_meter=cents, to_house=-cents, badge=badge)

    # ------------------------------------------------------------------ records

    def _meter(self, name: str, cents: int, reserve: int) -> Meter:
        return Meter(cents, self._parts[name].seed_cents, reserve)

    def _known(self, meter: str) -> _PresentState:
        if meter not in self._now:
            raise MeterRefused(meter, "a step", f"there is no such meter; there are {', '.join(self._now)}")
        return self._now[meter]

    def _parts_of(self, name: str, wager_cents: int) -> tuple[int, int, tuple[Fraction, Fraction]]:
        """Return the whole cents for meter and reserve from a wager, and the remaining parts of a cent."""
        part, now = self._parts[name], self._now[name]
        exact = now.carry + part.contribution * wager_cents
        reserved = now.reserve_carry + part.reserve * wager_cents
        return int(exact), int(reserved), (exact - int(exact), reserved - int(reserved))

    def _write(
        self,
        kind: MeterChange,
        meter: str,
        why: str,
        at: RoundKey | None = None,
        *,
        to_meter: int,
        to_reserve: int = 0,
        **fields: Any,
    ) -> MeterRecord:
        now = self._now[meter]
        record = MeterRecord(
            number=self._count + 1,
            kind=kind,
            meter=meter,
            why=why,
            to_meter=to_meter,
            to_reserve=to_reserve,
            meter_cents=now.cents + to_meter,
            reserve_cents=now.reserve + to_reserve,
            meter_carry=str(now.carry),
            reserve_carry=str(now.reserve_carry),
            posted=now.posted,
            **(at._asdict() if at else {}),
            **fields,
        )
        self._apply(record)
        return record

    def _apply(self, record: MeterRecord) -> None:
        self._set(record)
        if record.kind == "backed-out" and record.of is not None:
            self._backed_out.add(record.of)
        elif record.kind == "paid":
            self._pays[record.number] = record, None
        elif record.kind == "reseeded" and record.of in self._pays:
            self._pays[record.of] = self._pays[record.of][0], record
        for number in [number for number in self._pays if number <= record.number - RECORDS_KEPT]:
            del self._pays[number]
            self._backed_out.discard(number)
        self._count += 1
        self._records.append(record)
        self._newest[record.meter] = record

    def _set(self, record: MeterRecord) -> None:
        now = self._now[record.meter]
        now.cents, now.reserve = record.meter_cents, record.reserve_cents
        now.carry, now.reserve_carry = Fraction(record.meter_carry), Fraction(record.reserve_carry)
        now.posted = record.posted

    def follow(self, record: MeterRecord) -> None:
        """Apply a record made elsewhere; raise MeterRefused if it is inconsistent with those before."""
        now = self._known(record.meter)
        if record.number != self._count + 1:
            raise MeterRefused(record.meter, "restoring", f"record {self._count + 1} is missing")
        # A journal that was edited by hand is refused here: money must be conserved record by record.
        if record.to_players + record.to_house + record.to_meter + record.to_reserve:
            raise MeterRefused(record.meter, "restoring", f"record {record.number} creates or loses money")
        if (record.meter_cents, record.reserve_cents) != (now.cents + record.to_meter, now.reserve + record.to_reserve):
            raise MeterRefused(record.meter, "restoring", f"record {record.number} does not follow from those before")
        if record.kind not in ("opened", "posted") and record.posted != now.posted:
            raise MeterRefused(record.meter, "restoring", f"record {record.number} posts an amount that was not posted")
        self._apply(record)


def _unrepeated(records: Iterable[MeterRecord]) -> Iterator[MeterRecord]:
    """Yield the records without those that are already the newest of their meter."""
    newest: dict[str, MeterRecord] = {}
    for record in records:
        if newest.get(record.meter) != record:
            newest[record.meter] = record
            yield record
