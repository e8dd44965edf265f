"""The odd chip of a tie: a settlement and a record that agree but for the seat that an indivisible chip goes to.

By 47.1-1035 it goes to the first of the tied hands left of the button or dealer, and in a high-low game to the high
hand; where there are several, they go around. Sites and programs give them by another place or suit, or all to one
seat. A difference is only that if pots and winners are the same: each winner has its even share, and at most the odd
chips.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from dealwire.histories.history import History
from rules.settlement import PotTotal, PotWinner, Settlement

CLAUSE: Final = "47.1-1035"


class Parts(NamedTuple):
    """Least and most that a seat can have of pots: without an odd chip, and with all of those of its parts."""

    least: int = 0
    most: int = 0


def odd_chip(history: History, settled: Settlement, token: int) -> str:
    """Return the seats that have the odd chips here and in the record; empty if it differs in anything else."""
    by_pot = [_parts(pot, token) for pot in settled.pots]
    won: Counter[int] = Counter()
    for pot in settled.pots:
        won.update({winner.seat: winner.cents for winner in pot.winners})
    parts = {seat: _sum([each[seat] for each in by_pot if seat in each]) for seat in won}
    theirs = _recorded(history, settled, won)
    if not theirs or not all(each.total() == won.total() and _fits(parts, each, token) for each in theirs):
        return ""
    if not _same_pots(history, by_pot, token):
        return ""
    more = [seat for seat in sorted(won) if won[seat] > theirs[0][seat]]
    less = [seat for seat in sorted(won) if won[seat] < theirs[0][seat]]
    return f"by {CLAUSE} it is {_of(more)}; the record gives it to {_named(less)}" if more and less else ""


def _parts(pot: PotTotal, token: int) -> dict[int, Parts]:
    """Return what each winner of a pot has of it, before chips are counted."""
    high = [each for each in pot.winners if each.won_with != "low"]
    low = [each for each in pot.winners if each.won_with in ("low", "both")]
    whole = sum(each.cents for each in pot.winners)
    if not low or not high:
        return _shares(high or low, {whole}, token)
    halves = {whole // 2 // token * token, -(-whole // (2 * token)) * token}
    found = _shares(high, halves, token)
    for seat, part in _shares(low, halves, token).items():
        found[seat] = _sum([found.get(seat, Parts()), part])
    return found


def _shares(winners: Sequence[PotWinner], parts: set[int], token: int) -> dict[int, Parts]:
    many = len(winners)
    even = [cents // (many * token) * token for cents in parts]
    most = max(each + cents - each * many for each, cents in zip(even, parts, strict=True))
    return {each.seat: Parts(min(even), most) for each in winners}


def _sum(parts: Sequence[Parts]) -> Parts:
    return Parts(sum(each.least for each in parts), sum(each.most for each in parts))


def _recorded(history: History, settled: Settlement, won: Counter[int]) -> list[Counter[int]]:
    """Return what the seats have of the pots by the winnings, and by the chips at the end, as far as recorded."""
    recorded, found = history.recorded, []
    back = Counter({line.seat: line.returned for line in settled.lines if line.result == "returned"})
    if recorded.taken is not None:
        taken: Counter[int] = Counter()
        for each in recorded.taken:
            taken[each.seat] += each.amount
        if taken.total() > won.total():  # a record may count an uncalled bet among the winnings
            taken.subtract(back)
        found.append(taken)
    if recorded.stacks is not None:
        nets = {each.seat: each.net for each in settled.seats}
        less = {seat: stake + nets.get(seat, 0) - won[seat] for seat, stake in history.stakes.items()}
        found.append(Counter({seat: recorded.stacks.get(seat, 0) - chips for seat, chips in less.items()}))
    return found


def _fits(parts: Mapping[int, Parts], theirs: Counter[int], token: int) -> bool:
    """Return True if every seat's winnings are whole chips and within its parts."""
    return all(
        cents % token == 0 and parts.get(seat, Parts()).least <= cents <= parts.get(seat, Parts()).most
        for seat, cents in {**dict.fromkeys(parts, 0), **theirs}.items()
    )


def _same_pots(history: History, by_pot: Sequence[Mapping[int, Parts]], token: int) -> bool:
    """Return True if each pot went to the seats of one that the record names, where it names each of several."""
    named: dict[str, Counter[int]] = {}
    for seat, pot, cents in history.recorded.taken or ():
        named.setdefault(pot, Counter())[seat] += cents
    if len(named) != len(by_pot) or len(by_pot) < 2:
        return True
    return all(any(_fits(parts, each, token) for each in named.values()) for parts in by_pot)


def _named(seats: Sequence[int]) -> str:
    return " and ".join(f"seat {seat}" for seat in seats)


def _of(seats: Sequence[int]) -> str:
    return " and ".join(f"seat {seat}'s" for seat in seats)
