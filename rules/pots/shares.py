"""Division of a pot in whole tokens, with an odd token to the first winner. No cent is lost."""

from collections.abc import Collection, Mapping


class OddChipOpen(Exception):
    """A token is left over, and it is unknown who comes first."""


def clockwise(seats: Collection[int], after: int | None) -> list[int]:
    """Return the seats clockwise from the left of `after`, 0 for the dealer; in any order if it is None."""
    return sorted(seats, key=lambda seat: (after is not None and seat <= after, seat))


def shared(cents: int, seats: Collection[int], unit: int, after: int | None) -> dict[int, int]:
    """Return the equal part of each seat of `cents` in whole tokens of `unit`.

    Leftover tokens go one each starting at the left of `after`, an amount below a token to the first seat. Raises
    OddChipOpen if something is left over and `after` is None.
    """
    tokens, loose = divmod(cents, unit)
    each, over = divmod(tokens, len(seats))
    if (over or loose) and after is None and len(seats) > 1:
        raise OddChipOpen
    first = clockwise(seats, after)
    parts = {seat: (each + (place < over)) * unit for place, seat in enumerate(first)}
    parts[first[0]] += loose
    return parts


def halves(cents: int, unit: int) -> tuple[int, int]:
    """Divide a pot into the high and the low half: an odd token, and an amount below a token, go to the high half."""
    low = cents // unit // 2 * unit
    return cents - low, low


def three_quarters(cents: int, alone: int, seats: Collection[int], unit: int, after: int | None) -> dict[int, int]:
    """Divide a half for which several tie: the winner of the other half `alone` gets half of it, and the others share
    the rest."""
    others = [seat for seat in seats if seat != alone]
    sides = shared(cents, (alone, clockwise(others, after)[0]), unit, after)
    return {alone: sides[alone]} | shared(cents - sides[alone], others, unit, after)


def together(*parts: Mapping[int, int]) -> dict[int, int]:
    """Add up the parts of each seat."""
    seats = dict.fromkeys(seat for part in parts for seat in part)
    return {seat: sum(part.get(seat, 0) for part in parts) for seat in seats}
