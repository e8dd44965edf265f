"""How each kind of bet is resolved for one seat, by name: `WAYS`. A game file names the kinds.

`rules.kinds.progressive` resolves a `progressive` bet for the whole table at once, `rules.kinds.race` a `race` bet.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from dealer_flow.record.result import Seat
from rules.facts.line import Staked
from rules.facts.seen import View
from rules.kinds import against, fee, shared, split, table
from rules.settlement import SettlementLine

Resolve = Callable[[Any, Staked, Seat, View], SettlementLine | None]

WAYS: Final[Mapping[str, Resolve]] = MappingProxyType(
    {
        "against": against.resolve,
        "by-hands": against.by_hands_alone,
        "margin": against.resolve_margin,
        "split": split.resolve,
        "shared": lambda bet, staked, seat, view: shared.resolve(bet, staked, seat, view, resolve),
        "table": table.resolve,
        "fee": fee.resolve,
    }
)


def by_table(staked: Staked, seat: Seat, view: View) -> SettlementLine | None:
    """The line of a bet that a choice of its player left to a table."""
    return table.resolve(staked.bet, staked, seat, view)


def resolve(staked: Staked, seat: Seat, view: View) -> SettlementLine | None:
    """The line of a bet whose hand was not folded away and breaks no rule; None for a pay on another bet's stake that
    is not earned."""
    return WAYS[staked.of.way](staked.of.bet, staked, seat, view)
