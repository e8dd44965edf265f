"""What a game file says of readings that bets hang on: every option is either the bet as it stands, or a row of it."""

from collections.abc import Iterator

from protocol.tomlfile import Key
from rules.bets.bet import Bet
from rules.bets.bet_terms import ByReading
from rules.bets.faults import unknown
from rules.game.readings import READINGS
from rules.game.schema import GameSpec
from rules.kinds.against import AgainstBet


def by_reading_faults(spec: GameSpec) -> Iterator[tuple[Key, str]]:
    """What is wrong with the rows by a reading, with options that are said to be suspect, and with what was signed."""
    for name, reading in spec.readings.items():
        yield from unknown(("readings", name, "suspect"), "option", reading.suspect, READINGS[name])
    for index, signature in enumerate(spec.signed):
        for name, option in signature.readings.items():
            at: Key = ("signed", index, "readings", name)
            yield from unknown(at, "reading", (name,), spec.readings)
            yield from unknown(at, "option", (option,) if name in spec.readings else (), READINGS.get(name, {}))
    for index, bet in enumerate(spec.bets):
        for number, row in enumerate(bet.by_reading):
            yield from _of_row(spec, ("bets", index, "by-reading", number), bet, row)
        yield from _unsaid(("bets", index, "by-reading"), bet)


def _of_row(spec: GameSpec, at: Key, bet: Bet, row: ByReading) -> Iterator[tuple[Key, str]]:
    """One row: names that the file knows, and an end that a bet of its kind has."""
    yield from unknown((*at, "reading"), "reading", (row.reading,), spec.readings)
    yield from unknown((*at, "is"), "option", (row.is_,), READINGS.get(row.reading, {}))
    yield from unknown((*at, "hand"), "hand", (row.hand,) if row.hand else (), spec.hands)
    yield from unknown((*at, "made"), "bet", (row.made,) if row.made else (), [each.name for each in spec.bets])
    if row.tie and not isinstance(bet, AgainstBet):
        yield (*at, "tie"), f"a bet of kind {bet.kind} has no tie of its own; allowed: a bet of kind against"
    if row.unqualified and (not isinstance(bet, AgainstBet) or bet.unqualified is None):
        yield (
            (*at, "unqualified"),
            "nothing asks whether the other hand qualifies; allowed: a bet with unqualified",
        )
    if "win" in (row.tie, row.unqualified) and bet.paytables:
        key = "tie" if row.tie else "unqualified"
        yield (*at, key), "'win' is paid by no row of a table, and the bet has no pays; allowed: push, lose, acts, held"


def _unsaid(at: Key, bet: Bet) -> Iterator[tuple[Key, str]]:
    """Options of which no row speaks: one may be the bet as it stands, and no more."""
    for reading in dict.fromkeys(row.reading for row in bet.by_reading):
        have = {row.is_ for row in bet.by_reading if row.reading == reading}
        left = [option for option in READINGS.get(reading, {}) if option not in have]
        if len(left) > 1:
            yield at, f"reading {reading} has no row for {' and '.join(left)}; allowed: one at most, as the bet stands"
