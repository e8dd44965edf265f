"""Reader of Poker Hand History files, `.phh` with one hand and `.phhs` with many (TOML)."""

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Final

from dealwire.histories.betting import Put
from dealwire.histories.forms import FORMS, UNKNOWN
from dealwire.histories.history import History, HistoryError, Post, Showing, Taken, Thrown
from devices.events import BettingAction
from protocol.cards import UNREAD, Card, parse_card

VARIANTS: Final = {
    "FT": "hold'em",
    "NT": "hold'em",
    "PO": "omaha",
    "FO/8": "omaha hi-lo",
    "F7S": "seven-card stud",
    "F7S/8": "seven-card stud hi-lo",
    "FR": "razz",
    "N2L1D": "2-7 single draw",
}
"""Codes of the standard -> form; the others are no games here."""
OTHERS: Final = {"NS": "short-deck hold'em", "F2L3D": "2-7 triple draw", "FB": "badugi"}
_HEADING: Final = re.compile(r"^[ \t]*\[([^\[\]\n]+)\][ \t]*(?:#.*)?$", re.MULTILINE)
_BETS: Final = re.compile(r" cbr (\d{1,15}(?:\.\d{1,8})?)")
UNBOUNDED: Final = 2**30
"""Stake of a seat whose chips the record does not know."""
MOST: Final = 2**32 - 1
_DIGITS: Final = 15
_PLACES: Final = 8
"""Most digits of an amount before and after the point: a larger power of ten takes minutes to write out."""


def hands_of(text: str, file: str) -> Iterator[History | HistoryError]:
    """Yield the hands of a file, or the error of one that cannot be read."""
    headings = [*_HEADING.finditer(text)]
    if not headings and not text.strip():
        return
    if not headings:
        yield _read(text, file)
        return
    ends = [*(each.start() for each in headings[1:]), len(text)]
    for heading, end in zip(headings, ends, strict=True):
        yield _read(text[heading.end() : end], f"{file}: hand {heading[1].strip()}")


def _read(text: str, place: str) -> History | HistoryError:
    try:
        fields = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        return HistoryError(place, f"not TOML: {error}")
    except (ValueError, ArithmeticError, RecursionError):  # thousands of digits in a number, or of brackets
        return HistoryError(place, "not TOML: a number is too long, or a list too deep")
    try:
        return _Reader(fields, place).hand()
    except HistoryError as error:
        return error


class _Reader:
    """One hand on its way from fields to a history. Seat numbers are the players', from the left of the button."""

    def __init__(self, fields: dict[str, Any], place: str, *, full: bool = True) -> None:
        self._fields, self._place, self._full = fields, place, full
        self._stacks: list[Decimal] = []
        self._stacks = self._numbers("starting_stacks") or []
        if not self._stacks:
            raise HistoryError(place, "starting_stacks is missing")
        self._scale = self._scale_of()
        code = str(fields.get("variant", ""))
        form = FORMS[VARIANTS[code]] if code in VARIANTS else UNKNOWN
        self._hand = History(place, form, {}, name=str(fields.get("hand", "")), unit=Fraction(1, self._scale))
        if code not in VARIANTS:
            self._hand.not_expressible = f"{OTHERS.get(code, repr(code))} is no game here"
        self._stud = "stud" in form.name or form.name == "razz"
        self._put = Put()
        self._round, self._dealt = 0, dict[int, int]()

    def hand(self) -> History:
        """Return the hand."""
        hand, count = self._hand, len(self._stacks)
        if hand.not_expressible:
            return hand
        known = [stack if stack.is_finite() else Decimal(UNBOUNDED) / self._scale for stack in self._stacks]
        hand.stakes = {number: self._cents(stack) for number, stack in enumerate(known, start=1)}
        hand.button = None if self._stud else count
        if max(hand.stakes.values()) > MOST:
            hand.not_expressible = "a stake of more than 42,949,672.95"
        self._posts(count)
        hand.street(0)
        for action in self._actions():
            words = action.partition("#")[0].split()
            if words:
                self._act(words, action)
        self._outcome()
        return hand

    # ------------------------------------------------------------------ values

    def _numbers(self, name: str) -> list[Decimal] | None:
        found = self._fields.get(name)
        if found is None:
            return None
        if not isinstance(found, list) or not all(type(each) in (int, Decimal) for each in found):
            raise HistoryError(self._place, f"{name} is not a list of numbers")
        amounts = [Decimal(each) for each in found]
        stacks, signed = name.endswith("stacks"), name == "blinds_or_straddles"
        for each in amounts:
            if not ((stacks and not each.is_finite()) or _fits(abs(each) if signed else each)):
                raise HistoryError(self._place, f"{name} has {each}, which is no amount of chips")
        players = len(self._stacks or amounts)
        if len(amounts) > players or (name == "finishing_stacks" and len(amounts) < players):
            raise HistoryError(self._place, f"{name} has {len(amounts)} amounts for {players} players")
        return amounts

    def _actions(self) -> Sequence[str]:
        found = self._fields.get("actions")
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise HistoryError(self._place, "actions is not a list of texts")
        return found

    def _scale_of(self) -> int:
        """Return how many of the hand's units make 1: 1 if all amounts are whole, else at least 100."""
        names = ("antes", "blinds_or_straddles", "starting_stacks", "finishing_stacks", "winnings")
        amounts = [each for name in names for each in self._numbers(name) or ()]
        amounts += [Decimal(text) for action in self._actions() for text in _BETS.findall(action)]
        places = max((-int(each.normalize().as_tuple().exponent) for each in amounts if each.is_finite()), default=0)
        paid = "currency" in self._fields or "currency_symbol" in self._fields
        return 10 ** max(places, 2 if places > 0 or paid else 0)

    def _cents(self, amount: Decimal) -> int:
        return int(amount * self._scale)

    def _cards(self, text: str) -> tuple[Card, ...]:
        text = text.replace("10", "T")
        try:
            return tuple(_card(text[at : at + 2]) for at in range(0, len(text), 2))
        except ValueError as error:
            raise HistoryError(self._place, str(error)) from None

    # ------------------------------------------------------------------ before the first card

    def _posts(self, count: int) -> None:
        """Take antes and blinds. Heads-up the standard writes them the other way round: the button has the small
        one."""
        antes = self._turned(self._numbers("antes") or [], count)
        everybody = len(set(antes)) == 1  # an ante that one seat puts up for all is dead money
        for number, cents in enumerate(antes, start=1):
            if cents:
                self._post(number, "ante" if everybody else "dead-post", cents)
        blinds = self._turned(self._numbers("blinds_or_straddles") or [], count)
        names = ["small-blind", "big-blind", "straddle", "third-blind"]
        if count == 2:
            names = ["big-blind", "small-blind"]
        for number, cents in enumerate(blinds, start=1):
            if cents < 0:
                self._post(number, "post", -cents)
            elif cents:
                self._post(number, self._blind(number, cents, blinds, names), cents)

    def _turned(self, amounts: list[Decimal], count: int) -> list[int]:
        found = [self._cents(each) for each in amounts]
        return found[::-1] if count == 2 else found

    def _blind(self, number: int, cents: int, blinds: list[int], names: list[str]) -> str:
        """Name a blind: the first two are blinds; a later one is a straddle if it is higher, else somebody posts in."""
        if number <= 2:
            return names[number - 1]
        if cents > max(blinds[: number - 1]):
            return "straddle" if not any(post.bet == "straddle" for post in self._hand.posts) else "third-blind"
        return "post"

    def _post(self, number: int, bet: str, cents: int) -> None:
        left = self._hand.stakes[number] - sum(post.amount for post in self._hand.posts if post.seat == number)
        if put := min(cents, left):
            self._hand.posts.append(Post(number, bet, put))
            self._put.post(number, bet, put, cents if self._full else put)
            if put < cents and self._full and bet != "ante":
                self._hand.as_posted = lambda: _Reader(self._fields, self._place, full=False).hand()

    # ------------------------------------------------------------------ actions

    def _act(self, words: list[str], action: str) -> None:
        takes: dict[str, Callable[[int, list[str]], None]] = {
            "f": lambda number, _: self._bet(number, BettingAction.FOLD, 0),
            "cc": lambda number, _: self._call(number),
            "cbr": self._raise,
            "pb": self._bring_in,
            "sd": self._discard,
            "sm": self._show,
        }
        try:
            if words[:2] == ["d", "db"]:
                self._board(self._cards(words[2]))
            elif words[:2] == ["d", "dh"]:
                self._deal(self._player(words[2]), self._cards(words[3]))
            else:
                takes[words[1]](self._player(words[0]), words[2:])
        except (IndexError, KeyError, InvalidOperation):
            raise HistoryError(self._place, f"{action!r} is no action of the standard") from None

    def _player(self, word: str) -> int:
        number = int(word[1:]) if re.fullmatch(r"p\d{1,2}", word) else 0
        if number not in self._hand.stakes:
            raise HistoryError(self._place, f"{word!r} is no player of this hand")
        return number

    def _bet(self, number: int, action: BettingAction, cents: int) -> None:
        self._hand.street(self._round).acts.append(self._put.act(number, action, cents))

    def _call(self, number: int) -> None:
        """Call or check. While a blind is short, a call says what it is of."""
        action = self._put.calls(number)
        short = self._hand.as_posted is not None and not self._round and action is BettingAction.CALL
        self._bet(number, action, min(self._put.high, self._most(number)) if short else 0)

    def _most(self, number: int) -> int:
        """Return the most that can lie before a player in the first betting round."""
        dead = sum(
            post.amount for post in self._hand.posts if post.seat == number and post.bet in ("ante", "dead-post")
        )
        return self._hand.stakes[number] - dead

    def _raise(self, number: int, rest: list[str]) -> None:
        amount = Decimal(rest[0])
        if not _fits(amount):
            raise InvalidOperation
        self._bet(number, self._put.raises(), self._cents(amount))

    def _bring_in(self, number: int, _: list[str]) -> None:
        found = self._fields.get("bring_in")
        if not isinstance(found, int | Decimal) or not _fits(Decimal(found)):
            raise HistoryError(self._place, "bring_in is not a number")
        stake = self._hand.stakes[number] - sum(post.amount for post in self._hand.posts if post.seat == number)
        self._bet(number, BettingAction.BRING_IN, min(self._cents(Decimal(found)), stake))

    def _board(self, cards: tuple[Card, ...]) -> None:
        if self._stud:
            self._hand.not_expressible = "the last card of the stud hand is one for everybody"
        if self._hand.form.game in ("holdem.co", "omaha.co", "omaha-hi-lo.co"):
            self._next()
        self._hand.street(self._round).board += cards

    def _deal(self, number: int, cards: tuple[Card, ...]) -> None:
        """Take cards of a player: those of the first round, of a stud round, or the replacements of a draw."""
        times = self._dealt.get(number, 0)
        self._dealt[number] = times + 1
        if not times:
            self._hand.street(0).dealt[number] = cards
        elif self._stud:
            if times > self._round:
                self._next()
            self._hand.street(times).dealt[number] = cards
        else:
            thrown = self._hand.street(self._round).thrown
            for at, each in enumerate(thrown):
                if each.seat == number:
                    thrown[at] = each._replace(drawn=cards)

    def _discard(self, number: int, rest: list[str]) -> None:
        if not self._round:
            self._next()
        self._hand.street(self._round).thrown.append(Thrown(number, self._cards("".join(rest))))

    def _next(self) -> None:
        self._round += 1
        self._put.next()
        self._hand.street(self._round)

    def _show(self, number: int, rest: list[str]) -> None:
        cards = self._own(number) if rest == ["-"] else self._cards("".join(rest))  # `-` shows the cards as dealt
        self._hand.showings = [each for each in self._hand.showings if each.seat != number]
        self._hand.showings.append(Showing(number, () if UNREAD in cards else cards))

    # ------------------------------------------------------------------ the outcome

    def _outcome(self) -> None:
        recorded, winnings, stacks = self._hand.recorded, self._numbers("winnings"), self._numbers("finishing_stacks")
        known = all(stack.is_finite() for stack in self._stacks)
        if stacks is not None and known and all(stack.is_finite() for stack in stacks):
            recorded.stacks = {number: self._cents(each) for number, each in enumerate(stacks, start=1)}
        if winnings is not None:
            recorded.taken = [Taken(number, "", self._cents(each)) for number, each in enumerate(winnings, 1) if each]
        self._show_known()

    def _show_known(self) -> None:
        """Show the hands that nobody folded, whose cards the record names, where it does not say how it ended."""
        shown = {each.seat for each in self._hand.showings}
        left = [number for number in self._hand.stakes if number not in self._hand.folded]
        if len(left) < 2:
            return
        for number in left:
            cards = self._own(number)
            if number not in shown and UNREAD not in cards and cards:
                self._hand.showings.append(Showing(number, cards))

    def _own(self, number: int) -> tuple[Card, ...]:
        """Return the cards of a player at the end, in the order in which they came."""
        found: list[Card] = []
        for street in self._hand.streets:
            found += street.dealt.get(number, ())
            for each in street.thrown:
                if each.seat == number:
                    found = [card for card in found if card not in each.cards] + [*each.drawn]
        return tuple(found)


def _fits(amount: Decimal) -> bool:
    """Return True for an amount that chips can be."""
    if not amount.is_finite() or amount < 0 or amount.adjusted() >= _DIGITS:
        return False
    return int(amount.normalize().as_tuple().exponent) >= -_PLACES


def _card(text: str) -> Card:
    return UNREAD if text == "??" else parse_card(text.upper())
