"""A pool that nobody has won when the table closes: shared by the runners before the seats, to the last cent."""

from collections.abc import Mapping


def shares_of(cents: int, runners: Mapping[int, int], unit: int) -> dict[int, int]:
    """Seat -> its part of `cents` by its runners, in whole tokens of `unit`. Tokens left over go one each to those who
    lack the most of their exact part, the lowest seat first; what is less than a token to the first of these. Nobody
    has any where nobody has a runner."""
    total = sum(runners.values())
    if not total:
        return {}
    tokens, loose = divmod(cents, unit)
    parts = {seat: tokens * number // total for seat, number in runners.items() if number}
    lacking = sorted(parts, key=lambda seat: (-(tokens * runners[seat] % total), seat))
    over = tokens - sum(parts.values())
    found = {seat: (parts[seat] + (place < over)) * unit for place, seat in enumerate(lacking)}
    found[lacking[0]] += loose
    return dict(sorted(found.items()))
