"""A journal as a ledger: entries from account to account with amount, id and cause.

`docs/journal.md` lists the accounts. Journals of older versions give entries too; those of a pruned journal begin with
its first balance.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from dealer_flow.record.details import DOLLAR
from dealwire.journal.balancing import BooksCheck, OlderCheck
from dealwire.journal.books import Books
from dealwire.journal.check import follow
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.obligations import Released, released_of
from dealwire.journal.reader import JournalReader
from dealwire.journal.records import BALANCE, EXPORTED, RELEASED, Head, JournalRecord
from dealwire.table.held import HeldEntry
from rules.settlement import amount


class LedgerEntry(NamedTuple):
    """Cents that move from `debit` to `credit`. `id` is unique for one step of one obligation; `sequence` is the record
    it follows from."""

    id: str
    debit: str
    credit: str
    cents: int
    currency: str
    cause: str
    clause: str
    table: str
    sequence: int


class _Totals(msgspec.Struct):
    players: int = 0


class _MeterStep(msgspec.Struct):
    name: str
    paid: int = 0
    contributed: int = 0
    reseeded: int | None = None


class _Settlement(msgspec.Struct):
    session: str
    round: int
    totals: _Totals = msgspec.field(default_factory=_Totals)
    currency: str = DOLLAR
    meters: list[_MeterStep] = msgspec.field(default_factory=list)


class _BankStep(msgspec.Struct):
    number: int
    kind: str
    meter: str
    why: str = ""
    to_players: int = 0
    to_house: int = 0
    to_meter: int = 0
    to_reserve: int = 0


class _AwardStep(msgspec.Struct):
    kind: str
    why: str = ""
    clause: str = ""
    meter: str | None = None
    cents: int | None = None
    seat: int | None = None


class _Day(msgspec.Struct):
    day: str
    file: str
    sha256: str


class _Carried(msgspec.Struct):
    held: dict[str, dict[str, Any]]
    meters: list[tuple[str, str, int, str]]


class LedgerReader:
    """Reads the entries of a journal in order; afterwards `sums` has the balance of each account by currency.

    JournalDamaged if the chain is broken, or if the tables of the file or the account of held money disagree with the
    records. The journal may be in use.
    """

    def __init__(self, reader: JournalReader) -> None:
        self._reader = reader
        self._check = OlderCheck(reader) if reader.version < 3 else BooksCheck(reader)
        self._head = reader.anchor
        self.sums: dict[tuple[str, str], int] = defaultdict(int)

    @property
    def books(self) -> Books:
        """The books as of the last entry read."""
        return self._check.books

    def entries(self) -> Iterator[LedgerEntry]:
        """Yield every entry, oldest first."""
        reader = self._reader
        yield from self._since(reader.anchor)
        with reader.standing_still():
            yield from self._since(self._head)  # records written since, and then the tables, in one read transaction
            if reader.version > 1:
                self._check.finish()
        self._agree()

    def _since(self, head: Head) -> Iterator[LedgerEntry]:
        reader, check = self._reader, self._check
        begins = check.after if isinstance(check, BooksCheck) else reader.anchor.sequence
        moves = check.books.obligations.moves = []
        for record in reader.records(head.sequence):
            head = follow(reader, head, record)
            check.take(record)
            if record.sequence > begins:
                first = record.sequence == begins + 1
                for each in (*_steps(record, check.books, first=first), *_holds(record, moves)):
                    self.sums[each.debit, each.currency] -= each.cents
                    self.sums[each.credit, each.currency] += each.cents
                    yield each
            moves.clear()
        self._head = head

    def _agree(self) -> None:
        for (account, currency), ours in self.sums.items():
            kind, _, table = account.partition(":")
            theirs = self.books.obligations.held(table).cents.get(currency, 0) if kind == "held" else ours
            if ours != theirs:
                text = f"{account}: the entries leave {amount(ours, currency)}, the books {amount(theirs, currency)}"
                raise JournalDamaged(self._reader.path, None, text)


def _holds(record: JournalRecord, moves: list[tuple[str, HeldEntry, bool]]) -> Iterator[LedgerEntry]:
    """Yield the entries that a record opens or releases."""
    noted = released_of(record) if record.kind == RELEASED else None
    for table, held, opens in moves:
        account, players = f"held:{table}", f"players:{table}"
        what = f"round {held.round} of session {held.session}"
        about = table, record.sequence
        if opens:
            cause = f"{what}: {held.why}" if held.why else what
            money = held.cents, held.currency, cause, held.clause
            yield LedgerEntry(f"held:{held.entry}", players, account, *money, *about)
        else:
            cause = f"{what}: {_by(noted)}" if noted is not None else f"{what}: settled by hand"
            money = held.cents, held.currency, cause, ""
            yield LedgerEntry(f"released:{held.entry}", account, f"hand:{table}", *money, *about)


def _by(noted: Released) -> str:
    return f"{noted.why}; {noted.who}, badge {noted.badge}"


def _steps(record: JournalRecord, books: Books, *, first: bool) -> Iterator[LedgerEntry]:
    """Yield the other entries of a record; one that cannot be read moves nothing. Shared meters have steps of their
    own, so a settlement's statements about them are skipped."""
    if record.kind not in _KINDS or (record.kind == BALANCE and not first):
        return
    kind, steps = _KINDS[record.kind]
    try:
        body = msgspec.json.decode(record.payload, type=kind)
    except msgspec.DecodeError:
        return
    if isinstance(body, _Settlement):
        body.meters = [step for step in body.meters if not books.meters.shares(step.name)]
    yield from steps(record, body)


def _of_settlement(record: JournalRecord, body: _Settlement) -> Iterator[LedgerEntry]:
    table, what = record.table, f"round {body.round} of session {body.session}"
    players, house = f"players:{table}", f"house:{table}"
    about = (body.currency, what, "", table, record.sequence)
    net = body.totals.players
    debit, credit = (house, players) if net >= 0 else (players, house)
    yield LedgerEntry(f"settled:{record.sequence}", debit, credit, abs(net), *about)
    for step in body.meters:
        name = f"{table}/{step.name}:{record.sequence}"  # a shared meter may have the same number
        meter = f"meter:{table}/{step.name}"
        if step.contributed:
            yield LedgerEntry(f"contributed:{name}", house, meter, step.contributed, *about)
        if step.paid:
            yield LedgerEntry(f"paid:{name}", meter, house, step.paid, *about)
        if step.reseeded:
            debit, credit = (house, meter) if step.reseeded > 0 else (meter, house)
            yield LedgerEntry(f"reseeded:{name}", debit, credit, abs(step.reseeded), *about)


def _of_meter(record: JournalRecord, body: _BankStep) -> Iterator[LedgerEntry]:
    """Yield the entries of a meter step. Its four sides sum to zero; givers are matched with receivers in order."""
    sides = [
        ("players", body.to_players),
        ("house", body.to_house),
        (f"meter:{body.meter}", body.to_meter),
        (f"reserve:{body.meter}", body.to_reserve),
    ]
    gives, gets = [(name, -c) for name, c in sides if c < 0], [(name, c) for name, c in sides if c > 0]
    part = 0
    while gives and gets:
        (debit, left), (credit, due) = gives.pop(0), gets.pop(0)
        cents, part = min(left, due), part + 1
        name = f"{body.kind}:{body.meter}:{body.number}" + (f".{part}" if part > 1 else "")
        yield LedgerEntry(name, debit, credit, cents, DOLLAR, body.why, "", record.table, record.sequence)
        gives = [(debit, left - cents), *gives] if left > cents else gives
        gets = [(credit, due - cents), *gets] if due > cents else gets


def _of_award(record: JournalRecord, body: _AwardStep) -> Iterator[LedgerEntry]:
    """Yield the entry for a closed pool's shares. Other awards are paid by a step of their meter."""
    shares = body.kind == "awarded" and body.meter is not None
    table = record.table
    meter, cents = f"meter:{table}/{body.meter}", (body.cents or 0) if body.kind == "closed" else 0
    if shares or body.kind in ("closed", "posted"):
        about = cents, DOLLAR, body.why, body.clause, table, record.sequence
        yield LedgerEntry(f"{body.kind}:{record.sequence}", meter, f"players:{table}", *about)


def _of_day(record: JournalRecord, body: _Day) -> Iterator[LedgerEntry]:
    cause = f"day {body.day} was copied to {body.file}, SHA-256 {body.sha256}"
    yield LedgerEntry(f"day:{record.sequence}", "journal", "archive", 0, DOLLAR, cause, "", "", record.sequence)


def _of_balance(record: JournalRecord, body: _Carried) -> Iterator[LedgerEntry]:
    """Yield the amounts that were open before the first record from which entries can be derived."""
    for table, held in body.held.items():
        for currency, cents in held["cents"].items():
            cause = f"{held['count']} rounds from before record {record.sequence}"
            about = cents, currency, cause, "", table, record.sequence
            yield LedgerEntry(f"carried:{table}:{currency}", f"players:{table}", f"held:{table}", *about)


_KINDS: Final[dict[str, tuple[Any, Callable[[JournalRecord, Any], Iterator[LedgerEntry]]]]] = {
    "settlement": (_Settlement, _of_settlement),
    "meter": (_BankStep, _of_meter),
    "award": (_AwardStep, _of_award),
    EXPORTED: (_Day, _of_day),
    BALANCE: (_Carried, _of_balance),
}
