"""Writer of Poker Hand History files: a played hand as TOML, by the standard's codes and notation."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final, NamedTuple

from dealwire.histories.from_round import NotExportable, PlayedHand, history_of
from dealwire.histories.history import History, Post, Thrown
from dealwire.histories.structure import (
    Moment,
    moments,
    outside_fixed_limit,
    outside_no_limit,
    outside_pot_limit,
)
from devices.events import BettingAction
from protocol.cards import UNREAD, Card
from rules.pots.shares import halves
from rules.settlement import PotTotal

_A: Final = BettingAction
_EIGHT: Final = "eight-or-better"
_FORCED: Final = ("small-blind", "big-blind", "third-blind", "straddle")
_SYMBOL_OF_A_CARD: Final = str.maketrans("CDHS", "cdhs")


class _Code(NamedTuple):
    """A variant of the standard: its structure, and for fixed limit the betting round from which bets are big."""

    code: str
    structure: str
    big_from: int = 0


def _code_of(history: History) -> _Code:
    """Return the variant for a form. Raise NotExportable if the standard has none."""
    name, low = history.form.name, history.form.readings
    codes = {
        "hold'em": _Code("NT", "no-limit"),
        "omaha": _Code("PO", "pot-limit"),
        "omaha hi-lo": _Code("FO/8", "fixed-limit", 2) if low.get("low-qualifier") == _EIGHT else None,
        "seven-card stud": _Code("F7S", "fixed-limit", 2),
        "seven-card stud hi-lo": _Code("F7S/8", "fixed-limit", 2) if low.get("low-qualifier") == _EIGHT else None,
        "razz": _Code("FR", "fixed-limit", 2) if low.get("low-hand", "ace-to-five") == "ace-to-five" else None,
        "five-card draw, low": _Code("N2L1D", "no-limit") if low.get("low-hand") == "deuce-to-seven" else None,
    }
    code = codes.get(name)
    if code is None:
        raise NotExportable(f"PHH has no code for {name} as it was played")
    return code


def phh_of(hand: PlayedHand, *, house: str = "", token: int = 1, every: bool = False) -> str:
    """Return a hand as PHH. Raise NotExportable if it is none of the standard's variants, or not within their bets.

    `house` is the venue, `token` the smallest chip in cents. `every` writes a hand whose bets no structure allows, too.
    """
    return _Hand(hand, house, token, every=every).text()


class _Hand:
    """One hand on its way to text."""

    def __init__(self, hand: PlayedHand, house: str, token: int, *, every: bool) -> None:
        self._played, self._house = hand, house
        self._history = history = history_of(hand)
        self._code = _code_of(history)
        button = history.button or 0
        order = sorted(history.stakes)
        self._order = [each for each in order if each > button] + [each for each in order if each <= button]
        if self._ends_before_the_flop():
            self._order.reverse()
        self._number = {seat: number for number, seat in enumerate(self._order, start=1)}
        self._moments = [*moments(history, self._least(), self._full())]
        self._outside = self._why_outside()
        self._unit = _unit(hand, token, self._order)
        if not self._unit:
            self._unit, self._outside = 1, self._outside or "a tie leaves several odd chips"
        if self._outside and not every:
            raise NotExportable(f"{self._code.code}: {self._outside}")

    # ------------------------------------------------------------------ the structure

    def _ends_before_the_flop(self) -> bool:
        """Return True heads-up if the button has the big blind and nobody acts after the first betting round.

        The standard's button has the small blind there. Who acts first afterwards would tell them apart.
        """
        small = next((post.seat for post in self._history.posts if post.bet == "small-blind"), None)
        return (
            len(self._order) == 2
            and small == self._order[0]
            and not any(street.acts for street in self._history.streets[1:])
        )

    def _blinds(self) -> dict[str, int]:
        return {post.bet: post.amount for post in self._history.posts}

    def _full(self) -> int:
        return max((post.amount for post in self._history.posts if post.bet in _FORCED), default=0)

    def _least(self) -> int:
        """Return the least bet: the big blind, or the smallest bet or raise of the hand that was not all-in."""
        big = self._blinds().get("big-blind", 0)
        made = [
            each.raises_to - each.high
            for each in moments(self._history, 1, self._full())
            if each.raises_to and not each.all_in and each.act.action is not _A.BRING_IN
        ]
        return min([*made, *([big] if big else [])], default=big or 1) or 1

    def _why_outside(self) -> str:
        found = self._why_bets_outside() or self._position()
        if not found and self._history.button is None and not self._bring_in():
            return "nobody brought in"
        if not found and self._left_alone():
            return "an all-in hand was thrown away while cards were to come, and one is left"
        if not found and self._code.code != "NT" and self._unseen():
            return "every other hand was thrown away at the showdown, and the winner's was not shown"
        return found

    def _unseen(self) -> bool:
        """Return True if nobody showed at a showdown. A reader values such a hand, and in hold'em alone has a board."""
        showings = self._history.showings
        return bool(showings) and not any(each.cards for each in showings)

    def _left_alone(self) -> bool:
        """Return True if hands that were thrown away leave one, though the betting ended before the last cards."""
        history = self._history
        mucked = {each.seat for each in history.showings if not each.cards}
        folded = {each.act.seat for each in self._moments if each.act.action is _A.FOLD}
        last = max((each.street for each in self._moments), default=0)
        more = any(street.board or street.dealt for street in history.streets[last + 1 :])
        return bool(mucked) and more and len(history.stakes) - len(mucked | folded) == 1

    def _why_bets_outside(self) -> str:
        if self._code.structure == "fixed-limit":
            small, big = self._sizes()
            return outside_fixed_limit(self._moments, small, big, self._code.big_from)
        if self._code.structure == "pot-limit":
            return outside_pot_limit(self._moments)
        return outside_no_limit(self._moments)

    def _sizes(self) -> tuple[int, int]:
        """Return the small and the big bet: those of the first full bets, else by the big blind or the bring-in."""
        made = {True: 0, False: 0}
        for each in self._moments:
            late = each.street >= self._code.big_from
            if each.raises_to and not each.all_in and each.act.action is not _A.BRING_IN and not made[late]:
                made[late] = each.raises_to - (each.high if each.raises or not self._bring_in() else 0)
        small = made[False] or self._blinds().get("big-blind", 0) or made[True] // 2 or 2 * (self._bring_in() or 1)
        return small, made[True] or 2 * small

    def _bring_in(self) -> int:
        acts = [act for street in self._history.streets for act in street.acts if act.action is _A.BRING_IN]
        return acts[0].amount if acts else 0

    def _position(self) -> str:
        """Return the reason that blinds or the order of acts are not the standard's."""
        if self._history.button is None or len(self._order) == 0:
            return ""
        posted = {post.seat: post for post in self._history.posts if post.bet in _FORCED}
        if len(self._order) == 2:
            small = next((seat for seat, post in posted.items() if post.bet == "small-blind"), None)
            return "" if small in (None, self._order[1]) else "heads-up, the button did not put up the small blind"
        if [seat for seat in self._order if seat in posted] != self._order[: len(posted)]:
            return "the blinds are not the seats left of the button"
        names = [posted[seat].bet for seat in self._order if seat in posted]
        return "" if names == sorted(names, key=_FORCED.index) else "the blinds are in another order"

    # ------------------------------------------------------------------ the text

    def text(self) -> str:
        """Return the hand."""
        fields = [*self._required(), *self._optional(), *self._own()]
        return "".join(f"{name} = {value}\n" for name, value in fields)

    def _money(self, cents: int) -> str:
        whole, rest = divmod(cents, self._unit)
        if not rest:
            return str(whole)
        return str((Decimal(cents) / self._unit).quantize(Decimal("0.01")))

    def _list(self, by_seat: dict[int, int]) -> str:
        return f"[{', '.join(self._money(by_seat.get(seat, 0)) for seat in self._order)}]"

    def _required(self) -> Iterator[tuple[str, str]]:
        history = self._history
        antes = _sums(post for post in history.posts if post.bet in ("ante", "dead-post"))
        even = len({antes.get(seat, 0) for seat in self._order}) == 1
        dead = any(post.bet == "dead-post" for post in history.posts)
        yield "variant", json.dumps(self._code.code)
        yield "ante_trimming_status", "false" if dead else "true"
        yield "antes", self._list(antes if even or dead else dict.fromkeys(self._order, max(antes.values(), default=0)))
        small, big = self._sizes() if self._code.structure == "fixed-limit" else (0, 0)
        if history.button is not None:
            yield "blinds_or_straddles", self._forced()
        else:
            yield "bring_in", self._money(self._bring_in() or 1)
        if small:
            yield "small_bet", self._money(small)
            yield "big_bet", self._money(big)
        else:
            yield "min_bet", self._money(self._least())
        yield "starting_stacks", self._list(history.stakes)
        actions = "".join(f"  {json.dumps(action)},\n" for action in self._actions())
        yield "actions", f"[\n{actions}]"

    def _forced(self) -> str:
        """Return the blinds in the standard's order, the reverse of the seats heads-up; posts of others are
        negative."""
        forced = _sums(post for post in self._history.posts if post.bet in _FORCED)
        for post in self._history.posts:
            if post.bet == "post":
                forced[post.seat] = -post.amount
        amounts = [self._money(forced.get(seat, 0)) for seat in self._order]
        return f"[{', '.join(amounts[::-1] if len(amounts) == 2 else amounts)}]"

    def _optional(self) -> Iterator[tuple[str, str]]:
        result, recorded = self._played.result, self._history.recorded
        yield "finishing_stacks", self._list(dict(recorded.stacks or {}))
        won: dict[int, int] = {}
        for each in recorded.taken or ():
            won[each.seat] = won.get(each.seat, 0) + each.amount
        yield "winnings", self._list(won)
        if self._unit == 100:
            yield "currency", json.dumps(result.currency)
        yield "seats", f"[{', '.join(map(str, self._order))}]"
        yield "hand", str(result.round)
        yield "table", json.dumps(result.table)
        if self._house:
            yield "venue", json.dumps(self._house)
        if self._played.began_ns is not None:
            began = datetime.fromtimestamp(self._played.began_ns / 1e9, UTC)
            yield "time", began.strftime("%H:%M:%S")
            yield "time_zone", '"UTC"'
            yield "day", str(began.day)
            yield "month", str(began.month)
            yield "year", str(began.year)

    def _own(self) -> Iterator[tuple[str, str]]:
        """Yield what the standard has no field for."""
        result, settlement = self._played.result, self._played.settlement
        yield "_unit_cents", str(self._unit)
        yield "_currency", json.dumps(result.currency)
        yield "_session", json.dumps(result.session)
        yield "_procedure", json.dumps(result.procedure.id)
        yield "_game", json.dumps(settlement.game.id)
        if result.edition is not None:
            yield "_edition", json.dumps(result.edition.id)
        if self._history.button is not None:
            yield "_button", str(self._history.button)
        yield "_pots", f"[{', '.join(self._money(pot.cents) for pot in settlement.pots)}]"
        if self._history.recorded.rake:
            yield "_rake", f"[{', '.join(self._money(pot.rake) for pot in settlement.pots)}]"
            yield "_jackpot_rake", f"[{', '.join(self._money(pot.jackpot_rake) for pot in settlement.pots)}]"
        if self._outside:
            yield "_outside", json.dumps(self._outside)

    # ------------------------------------------------------------------ actions

    def _actions(self) -> Iterator[str]:
        """Yield the actions. A hand that is all-in is shown before the cards that are still to come."""
        by_street: dict[int, list[Moment]] = {}
        for each in self._moments:
            by_street.setdefault(each.street, []).append(each)
        last = max(by_street, default=0)
        folded: set[int] = set()
        shown = False
        for number, street in enumerate(self._history.streets):
            if number > last and not shown and len(self._order) - len(folded) > 1:
                shown = True
                yield from self._showing()
            yield from self._dealt(number, folded, street.board, street.thrown)
            for each in by_street.get(number, ()):
                yield self._action(each)
                if each.act.action is _A.FOLD:
                    folded.add(each.act.seat)
        if not shown and len(self._order) - len(folded) > 1:
            yield from self._showing()

    def _dealt(self, number: int, folded: set[int], board: Sequence[Card], thrown: Sequence[Thrown]) -> Iterator[str]:
        street = self._history.streets[number]
        if board:
            yield f"d db {_text(board)}"
        for each in thrown:
            yield f"p{self._number[each.seat]} sd {_text(each.cards)}".rstrip()
            if each.drawn:
                yield f"d dh p{self._number[each.seat]} {_text(each.drawn)}"
        for seat in self._order:
            if (cards := street.dealt.get(seat)) and seat not in folded:
                yield f"d dh p{self._number[seat]} {_text(cards)}"

    def _action(self, each: Moment) -> str:
        who, act = f"p{self._number[each.act.seat]}", each.act
        if act.action is _A.FOLD:
            return f"{who} f"
        if act.action is _A.BRING_IN:
            return f"{who} pb"
        if each.raises_to and not each.alone:
            return f"{who} cbr {self._money(act.amount)}"
        return f"{who} cc"

    def _showing(self) -> Iterator[str]:
        for each in self._history.showings:
            yield f"p{self._number[each.seat]} sm {_text(each.cards)}".rstrip()


def _sums(posts: Iterator[Post]) -> dict[int, int]:
    found: dict[int, int] = {}
    for post in posts:
        found[post.seat] = found.get(post.seat, 0) + post.amount
    return found


def _text(cards: Sequence[Card]) -> str:
    return "".join("??" if card == UNREAD else card.text.translate(_SYMBOL_OF_A_CARD) for card in cards)


def _unit(hand: PlayedHand, token: int, order: Sequence[int]) -> int:
    """Return the cents of 1 in the file: a whole unit of the currency, a cent, or the smallest chip.

    A reader knows no chips. It splits whole numbers to the last one and gives what is left to the first, so the unit is
    the largest in which that comes to the same shares; 0 if there is none.
    """
    return next((unit for unit in (100, 1, token) if _splits_alike(hand.settlement.pots, unit, order)), 0)


def _splits_alike(pots: Sequence[PotTotal], unit: int, order: Sequence[int]) -> bool:
    for pot in pots:
        if len(pot.winners) < 2:
            continue
        left = pot.cents - pot.rake - pot.jackpot_rake
        if left % unit or any(each.cents % unit for each in pot.winners):
            return False
        high = [each.seat for each in pot.winners if each.won_with in ("high", "both")]
        low = [each.seat for each in pot.winners if each.won_with in ("low", "both")]
        top, bottom = halves(left // unit, 1) if high and low else (left // unit, left // unit)
        found = Counter(_split(top, high, order) if high else {})
        found.update(_split(bottom, low, order) if low else {})
        if {seat: parts * unit for seat, parts in found.items()} != {each.seat: each.cents for each in pot.winners}:
            return False
    return True


def _split(parts: int, seats: Sequence[int], order: Sequence[int]) -> dict[int, int]:
    share, over = divmod(parts, len(seats))
    first = min(seats, key=order.index)
    return {seat: share + (over if seat == first else 0) for seat in seats}
