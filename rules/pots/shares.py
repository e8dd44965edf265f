"""A pot divided: in whole tokens among those who share it, an odd one to whoever is first; cents in, cents out."""

from collections.abc import Collection, Mapping


class OddChipOpen(Exception):
    """A token is left over, and who is first is not known."""


def clockwise(seats: Collection[int], after: int | None) -> list[int]:
    """Seats from the left of `after`, 0 for the dealer; in no order that counts where it is None."""
    return sorted(seats, key=lambda seat: (after is not None and seat <= after, seat))


def shared(cents: int, seats: Collection[int], unit: int, after: int | None) -> dict[int, int]:
    """Seat -> its equal part of `cents` in whole tokens of `unit`. Tokens left over go one each from the left of
    `after`, what is less than a token to the first. OddChipOpen where something is left over and that is None."""
    tokens, loose = divmod(cents, unit)
    each, over = divmod(tokens, len(seats))
    if (over or loose) and after is None and len(seats) > 1:
        raise OddChipOpen
    first = clockwise(seats, after)
    parts = {seat: (each + (place < over)) * unit for place, seat in enumerate(first)}
    parts[first[0]] += loose
    return parts


def halves(cents: int, unit: int) -> tuple[int, int]:
    """The high half and the low half: an odd token, and what is less than one, is the high half's."""
    low = cents // unit // 2 * unit
    return cents - low, low


def three_quarters(cents: int, alone: int, seats: Collection[int], unit: int, after: int | None) -> dict[int, int]:
    """As `shared` of a half for which several tie, where the one who won the other half `alone` has half of this one,
    and the rest share the other half of it."""
    others = [seat for seat in seats if seat != alone]
    sides = shared(cents, (alone, clockwise(others, after)[0]), unit, after)
    return {alone: sides[alone]} | shared(cents - sides[alone], others, unit, after)


def together(*parts: Mapping[int, int]) -> dict[int, int]:
    """Seat -> what it has of all the parts."""
    seats = dict.fromkeys(seat for part in parts for seat in part)
    return {seat: sum(part.get(seat, 0) for part in parts) for seat in seats}
