"""Division of an unwon pool when the table closes: shared by the runners at the seats, to the last cent."""

from collections.abc import Mapping


def shares_of(cents: int, runners: Mapping[int, int], unit: int) -> dict[int, int]:
    """Return the part of `cents` of each seat by its runners, in whole tokens of `unit`.

    Leftover tokens go one each to the seats whose parts fall shortest of their exact share, the lowest seat first; an
    amount below a token goes to the first of these. The result is empty if there are no runners.
    """
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
