"""Name of the reading that decided a line: another of its options would settle the line for different money."""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from dealer_flow.record.result import Seat
from rules.bets.bet import AgreedBet
from rules.bets.hold import Hold
from rules.facts.seen import View
from rules.hands.poker import SEQUENCES, WHEEL
from rules.settlement import SettlementLine

Line = Callable[[AgreedBet, Seat, Hold | None, View], SettlementLine | None]
_NOTHING: Final = (0, 0, 0)


def money(line: SettlementLine | None) -> tuple[int, int, int] | None:
    """Return the pay, the returned stake and the net of a line in cents; None while it is held, zeros if there is no
    line."""
    if line is None:
        return _NOTHING
    return None if line.result == "held" else (line.pay, line.returned, line.net)


def named(line: SettlementLine, of: AgreedBet, seat: Seat, view: View, resolve: Line) -> SettlementLine:
    """Return the line with the name of the reading that decided it, if one did; `resolve` makes the line of a bet."""
    folded = seat.status == "folded"
    for other in of.others:
        if (other.at == "fold") != folded:
            continue
        if other.wheel:  # cheap test first: only ace to five ranks differently
            key = getattr(view.hand(of.hand, seat), "key", None)
            if key is not None and (key.kind not in SEQUENCES or key.ranks[0] != WHEEL):
                continue
        elif not folded and not _option_matters(other.at, of, seat, view):
            continue
        moved = money(resolve(other.of, seat, None, view))
        if moved is not None and moved != money(line):
            return replace(line, reading=other.reading)
    return line


def _option_matters(at: str, of: AgreedBet, seat: Seat, view: View) -> bool:
    """Return True if the hands are such that the option's change can matter."""
    if at == "unqualified":
        rule = of.bet.unqualified_by
        return rule is not None and view.qualifies(rule.qualifier, seat) is False
    if at == "tie":
        compared = view.compared.get((of.hand, of.against, seat.seat))
        return compared is None or isinstance(compared, str) or compared[0] == 0
    return True
