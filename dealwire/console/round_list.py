"""The list of a table's rounds: the search form, the rows of the page, and the CSV file."""

import csv
import re
from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Final, NamedTuple

from dealer_flow.record.catalogue import INCIDENTS
from dealwire.console.words import iso_time
from dealwire.journal.finding import ANY, OUTCOMES, FoundRound, RoundQuery
from dealwire.journal.times import SECOND_NS, span_of
from dealwire.table.id_words import id_words
from protocol.errors import LocalError

LISTED: Final = 50
"""Rounds in the list, the newest."""
EXPORTED: Final = 1000
"""Rounds in a file, the newest."""
DAY_AHEAD_NS: Final = 23 * 3600 * SECOND_NS - 1
"""One day less the hour that a time may be ahead, so that an end time falls on the day after its start."""
SEAT_MOST: Final = 32
_AMOUNT: Final = re.compile(r"[$€£]?\s?(\d{1,9})(?:[.,](\d{1,2}))?")
FIELDS: Final[Mapping[str, tuple[str, str]]] = {
    "at": ("From this time on: `21:05`, `2026-11-29 21:05`, `2026-11-29`.", "21:05"),
    "to": ("Until this time; without it, the minute or the day of `at`.", "21:10"),
    "seat": (f"Rounds in which this seat bet, 1 to {SEAT_MOST}.", "4"),
    "amount": ("Rounds with a bet, a pay or a held amount of so much, such as 15 or 2.50.", "25"),
    "outcome": ("How the round ended, such as `complete` or `misdeal`.", "complete"),
    "incident": ("Rounds with this incident, or `any`.", "any"),
    "held": ("Any text: only rounds of which money is held.", "yes"),
}
"""Fields of the search form, by name: description, example."""


class BadSearch(LocalError):
    """A field of the search form is invalid; the sentence says what is allowed."""

    def __init__(self, what: str, given: str, allowed: str) -> None:
        self.what, self.given, self.allowed = what, given, allowed
        super().__init__(f"{what}: {given[:40]!r} is not valid; allowed: {allowed}")


class Choice(NamedTuple):
    """One value of a field, and its text."""

    value: str
    words: str


def outcome_choices() -> list[Choice]:
    """Return the choices for the outcome of a round."""
    return [Choice(name, id_words(name)) for name in OUTCOMES]


def incident_choices() -> list[Choice]:
    """Return the choices for an incident in a round."""
    return [Choice(ANY, "any"), *(Choice(code, id_words(code)) for code in sorted(INCIDENTS))]


def query_of(table: str, given: Mapping[str, str], now_ns: int) -> RoundQuery:
    """Return the query of a form; an empty field matches everything. BadSearch or NoSuchTime says what is allowed."""
    filled = {name: given.get(name, "").strip() for name in FIELDS}
    begin = span_of(filled["at"], now_ns) if filled["at"] else None
    newest_ns = begin.begin_ns + DAY_AHEAD_NS if begin is not None else now_ns
    end = span_of(filled["to"], newest_ns) if filled["to"] else begin  # without a date, the first such time after `at`
    if begin is not None and end is not None and end.end_ns < begin.begin_ns:
        raise BadSearch("until", filled["to"], f"a time at or after {filled['at']}")
    return RoundQuery(
        tables=(table,),
        begin_ns=begin.begin_ns if begin is not None else None,
        end_ns=end.end_ns if end is not None else None,
        seat=_seat(filled["seat"]),
        cents=_cents(filled["amount"]),
        outcome=_one_of("outcome", filled["outcome"], OUTCOMES),
        incident=_one_of("incident", filled["incident"], (ANY, *INCIDENTS)),
        held=bool(filled["held"]),
    )


def _seat(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 2 and 1 <= int(text) <= SEAT_MOST):
        raise BadSearch("seat", text, f"a number from 1 to {SEAT_MOST}")
    return int(text)


def _cents(text: str) -> int | None:
    if not text:
        return None
    found = _AMOUNT.fullmatch(text)
    if found is None:
        raise BadSearch("amount", text, "an amount such as 15 or 2.50")
    whole, part = found.groups()
    return int(whole) * 100 + int((part or "").ljust(2, "0") or 0)


def _one_of(what: str, text: str, allowed: Iterable[str]) -> str | None:
    if text and text not in allowed:
        raise BadSearch(what, text, ", ".join(allowed))
    return text or None


class ListedRound(NamedTuple):
    """A row of the list. `again`: a newer round has the same number. `how` is the outcome as text."""

    found: FoundRound
    again: bool
    how: str
    incidents: str
    seats: str


def listed(found: Iterable[FoundRound]) -> list[ListedRound]:
    """Return the rows of the page, in the order given."""
    met, rows = set[int](), list[ListedRound]()
    for each in found:
        counted = {code: each.incidents.count(code) for code in each.incidents}
        incidents = ", ".join(f"{id_words(code)}{f' ({many})' if many > 1 else ''}" for code, many in counted.items())
        how = id_words(each.outcome) if each.outcome else "not ended"
        how += ", repeated, not paid" if each.repeated else ""
        seats = ", ".join(str(seat.seat) for seat in each.seats)
        rows.append(ListedRound(each, each.number in met, how, incidents, seats))
        met.add(each.number)
    return rows


_HEAD: Final = (
    *("table", "round", "record", "began", "ended", "outcome", "repeated", "currency"),
    *("staked_cents", "out_cents", "held_cents", "seats", "incidents"),
)


def as_csv(found: Iterable[FoundRound]) -> str:
    """Return the rounds as CSV for a spreadsheet: times with zone, cents, codes as in the journal."""
    text = StringIO()
    rows = csv.writer(text)
    rows.writerow(_HEAD)
    for each in found:
        money = (each.staked, each.out, each.held) if each.settled else ("", "", "")
        when = (iso_time(at_ns) if at_ns is not None else "" for at_ns in (each.begin_ns, each.end_ns))
        seats, incidents = " ".join(str(seat.seat) for seat in each.seats), " ".join(each.incidents)
        how = (each.outcome or "", "yes" if each.repeated else "", each.currency)
        rows.writerow((_plain(each.table), each.number, each.record, *when, *how, *money, seats, incidents))
    return text.getvalue()


def _plain(name: str) -> str:
    """Return a name that no spreadsheet takes for a formula."""
    return f"'{name}" if name[:1] in ("=", "+", "-", "@", "\t", "\r") else name
