"""Reader of hand histories as PokerStars writes them, in English: one or more hands in a text file."""

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Final

from dealwire.histories.betting import Put
from dealwire.histories.forms import FORMS, UNKNOWN, PokerForm
from dealwire.histories.history import History, HistoryError, Post, Showing, Taken, Thrown
from devices.events import BettingAction
from protocol.cards import UNREAD, Card, parse_card

_OTHER: Final = r"(?:[A-Z][A-Za-z]* ){1,4}(?=[^\n]*\n\s*Table )"
HEADER: Final = re.compile(
    rf"^[^\w\n]*(?:PokerStars (?:Home Game |Zoom )*|{_OTHER})(?:Hand|Game) #(\w+):(.*)$", re.MULTILINE | re.IGNORECASE
)
"""First line of a hand; other sites and converters write hands in the same form."""
_FOREIGN: Final = re.compile(r"^(?=.*PokerStars)(?=.*\d{8})(?=.*\d:\d\d:\d\d).*$", re.MULTILINE)
"""First line of a hand in another language."""
_GAMES: Final = (
    (r"5 Card Omaha|6 Card Omaha|Courchevel", "omaha of more than four cards"),
    (r"6\+ ?Hold'em|Short ?Deck", "short-deck hold'em"),
    (r"Fusion|Tempest|Showtime|Split Hold'em|Swap Hold'em|Deep Water|Unfold", "a variant of hold'em"),
    (r"Omaha Hi/Lo", FORMS["omaha hi-lo"]),
    (r"Omaha", FORMS["omaha"]),
    (r"Hold'em", FORMS["hold'em"]),
    (r"7 Card Stud Hi/Lo", FORMS["seven-card stud hi-lo"]),
    (r"7 Card Stud", FORMS["seven-card stud"]),
    (r"Razz", FORMS["razz"]),
    (r"5 Card Draw", FORMS["five-card draw"]),
    (r"2-7 Single Draw|Single Draw 2-7", FORMS["2-7 single draw"]),
    (r"Triple Draw", "2-7 triple draw"),
    (r"Badugi", "badugi"),
)
"""Name of a game in the header -> form, or the name of a game that is none here. The first that is found counts."""
_TABLE: Final = re.compile(r"^Table (?:ID )?'.*'(?:.*Seat #(\d+) is the button)?")
_SEAT: Final = re.compile(r"^Seat (\d+): (.+) \(\D{0,2}([\d,.]+)(?: [A-Z]{3})? in chips(?:, .*)?\)(.*)$")
_MONEY: Final = r"[^\d\[\]()]{0,4}(\d[\d,]*(?:\.\d+)?|\.\d+)"
_AMOUNT: Final = re.compile(r"(?<![\w#/-])[$€£]?(\d[\d,]*(?:\.\d+)?)(?![\w/])")
_CARDS: Final = re.compile(r"\[([^\[\]]*)\]")
_STREETS: Final = re.compile(r"^\*\*\* ([A-Z0-9a-z ]+?) \*\*\*(.*)$")
_UNCALLED: Final = re.compile(rf"^Uncalled bet \({_MONEY}\) returned to (.+)$")
_TOTAL: Final = re.compile(rf"^Total pot {_MONEY}.*\| Rake {_MONEY}")
_MUCKED: Final = re.compile(r"^Seat (\d+): .* mucked \[([^\]]*)\]")
_WON: Final = re.compile(rf"^Seat (\d+): .*(?:won|collected) \({_MONEY}\)")
_LONGEST: Final = 1_000
"""Longest line that is read: talk is cut off by the sites long before."""
_TWICE: Final = re.compile(r"^(?:FIRST|SECOND|THIRD) ")
_BLIND_WORDS: Final = {
    "small blind": "small-blind",
    "big blind": "big-blind",
    "the ante": "ante",
    "ante": "ante",
    "straddle": "straddle",
    "small & big blinds": "both",
    "dead blind": "dead-post",
    "a dead blind": "dead-post",
    "button blind": "button-blind",
    "": "post",
}


def is_pokerstars(text: str) -> bool:
    """Return True for a text that holds hands in this form."""
    return HEADER.search(text) is not None or _FOREIGN.search(text) is not None


def hands_of(text: str, file: str) -> Iterator[History | HistoryError]:
    """Yield the hands of a text, or the error of one that cannot be read."""
    english = {header.start(): header for header in HEADER.finditer(text)}
    starts = sorted({*english, *(foreign.start() for foreign in _FOREIGN.finditer(text))})
    for start, end in pairwise([*starts, len(text)]):
        header, line = english.get(start), text.count("\n", 0, start) + 1
        if header is None:
            yield History(f"{file}:{line}", UNKNOWN, {}, not_expressible="the record is not in English")
            continue
        place = f"{file}:{line}: hand {header[1]}"
        try:
            yield _Reader(text[start:end].splitlines(), place, header[1]).hand()
        except HistoryError as error:
            yield error


class _Reader:
    """One hand on its way from lines to a history."""

    def __init__(self, lines: list[str], place: str, name: str) -> None:
        self._lines = [line.strip().lstrip("﻿") for line in lines]
        self._place = place
        header = self._lines[0].partition(":")[2]
        form, self._not = _form_of(header)
        paid = not re.search(r"tournament", header, re.IGNORECASE) and bool(re.search(r"[$€£]", header))
        self._scale = _scale_of(self._lines[1:], paid=paid)
        self._hand = History(place, form, {}, name=name, unit=Fraction(1, self._scale), not_expressible=self._not)
        self._seats: dict[str, int] = {}
        self._stacks: dict[int, int] = {}
        self._there: set[int] = set()
        self._put = Put()
        self._round, self._ended, self._last = 0, False, ""
        self._posts: list[tuple[int, str, int]] = []
        self._won: list[Taken] = []
        self._mucked: dict[int, tuple[Card, ...]] = {}

    def hand(self) -> History:
        """Return the hand."""
        hand = self._hand
        self._hand.street(0)
        for number, line in enumerate(self._lines[1:], start=1):
            if hand.not_expressible:
                return hand
            try:
                if len(line) > _LONGEST:
                    raise ValueError
                self._line(line)
            except (ValueError, IndexError, KeyError, ArithmeticError):
                why = f"line {number + 1} of the hand is not understood: {line[:80]!r}"
                raise HistoryError(self._place, why) from None
        hand.stakes = {seat: cents for seat, cents in sorted(self._stacks.items()) if seat in self._there}
        hand.posts = _named(self._posts, hand.button, sorted(hand.stakes))
        if self._hand.recorded.total is None:
            hand.not_expressible = "the record breaks off before the summary"
        elif len(hand.stakes) < 2:
            hand.not_expressible = "fewer than two players are in the hand"
        if hand.recorded.taken == []:  # a winner who cashed out has no line of what he collected
            hand.recorded.taken = self._won
        self._show_mucked()
        return hand

    # ------------------------------------------------------------------ lines

    def _line(self, line: str) -> None:
        if not line:
            return
        if line.startswith("Hand cancelled") or line.lower().startswith("*** hand cancelled"):
            self._hand.not_expressible = "the hand was cancelled"
        elif self._ended:
            self._summary(line)
        elif street := _STREETS.match(line):
            self._street(street[1], street[2])
        elif (table := _TABLE.match(line)) is not None:
            self._hand.button = int(table[1]) if table[1] else None
        elif (seat := _SEAT.match(line)) is not None and not self._posts:
            self._seats[seat[2]] = int(seat[1])
            self._stacks[int(seat[1])] = self._cents(seat[3])
        elif (back := _UNCALLED.match(line)) is not None:
            recorded = self._hand.recorded.back
            recorded[self._seats[back[2]]] = recorded.get(self._seats[back[2]], 0) + self._cents(back[1])
        elif line.startswith("STP added"):
            self._hand.not_expressible = "the house adds money to the pot"
        elif line.startswith("Dealt to "):
            self._dealt(line.removeprefix("Dealt to "))
        else:
            self._player(line)

    def _player(self, line: str) -> None:
        """Take a line that begins with a player's name; any other is talk."""
        fits = [name for name in self._seats if line.startswith(name)]
        for name in sorted(fits, key=len, reverse=True):
            rest = line[len(name) :]
            if rest.startswith(": "):
                self._acts(self._seats[name], rest[2:])
                return
            if rest.startswith((" shows [", " mucks hand")):
                self._acts(self._seats[name], rest[1:])
                return
            if taken := re.match(rf" collected {_MONEY} from (.+)$", rest):
                recorded = self._hand.recorded
                recorded.taken = [*(recorded.taken or ()), Taken(self._seats[name], taken[2], self._cents(taken[1]))]
                return

    def _acts(self, seat: int, words: str) -> None:
        verb, _, rest = words.partition(" ")
        takes: dict[str, Callable[[int, str], None]] = {
            "posts": self._post,
            "straddles": lambda each, text: self._post(each, f"straddle {text}"),
            "folds": lambda each, _: self._bet(each, BettingAction.FOLD, 0),
            "checks": lambda each, _: self._bet(each, BettingAction.CHECK, 0),
            "calls": self._call,
            "bets": lambda each, text: self._bet(each, BettingAction.BET, self._money(text)),
            "raises": self._raise,
            "completes": self._raise,
            "brings": lambda each, text: self._bet(each, BettingAction.BRING_IN, self._money(text)),
            "discards": self._discard,
            "stands": lambda each, _: self._throw(each, ()),
            "shows": self._show,
            "mucks": lambda each, _: self._hand.showings.append(Showing(each, ())),
        }
        if verb in takes:
            takes[verb](seat, rest)

    def _summary(self, line: str) -> None:
        if (total := _TOTAL.match(line)) is not None:
            self._hand.recorded.total, self._hand.recorded.rake = self._cents(total[1]), self._cents(total[2])
            self._hand.recorded.taken = self._hand.recorded.taken or []
        elif (mucked := _MUCKED.match(line)) is not None:
            self._mucked[int(mucked[1])] = self._cards(mucked[2])
        elif (won := _WON.match(line)) is not None:
            self._won.append(Taken(int(won[1]), "", self._cents(won[2])))

    # ------------------------------------------------------------------ values

    def _cents(self, text: str) -> int:
        return int(Decimal(text.replace(",", "")) * self._scale)

    def _money(self, text: str) -> int:
        found = _AMOUNT.search(text)
        if found is None:
            raise ValueError(text)
        return self._cents(found[1])

    def _cards(self, text: str) -> tuple[Card, ...]:
        return tuple(_card(each) for each in text.split())

    # ------------------------------------------------------------------ before the first card

    def _post(self, seat: int, text: str) -> None:
        text = text.removesuffix(" and is all-in")
        words = re.sub(r"\s+\S*\d\S*(?: [A-Z]{3})?$", "", text)
        name, amount = _BLIND_WORDS.get("" if words == text else words, ""), self._money(text)
        if not name or name == "button-blind":
            self._hand.not_expressible = f"a bet {words!r} before the first card"
            return
        self._there.add(seat)
        if name == "small-blind" and any(each == name for _, each, _ in self._posts):
            name = "dead-post"  # of a player who comes in
        self._posts.append((seat, name, amount))
        if name == "both":
            self._put.post(seat, "post", min(amount, self._put.high) or amount)
        else:
            self._put.post(seat, name, amount)

    # ------------------------------------------------------------------ cards

    def _street(self, name: str, rest: str) -> None:
        cards = [self._cards(each) for each in _CARDS.findall(rest)]
        if _TWICE.match(name):
            self._hand.not_expressible = "the board was run more than once"
        elif name == "SUMMARY":
            self._ended = True
        elif name in ("FLOP", "TURN", "RIVER", "4th STREET", "5th STREET", "6th STREET"):
            self._next()
            if cards and name == "RIVER" and self._hand.form.game.startswith("seven"):
                self._hand.not_expressible = "the last card of the stud hand is one for everybody"
            elif cards and not name.endswith("STREET"):
                self._hand.street(self._round).board = cards[-1]

    def _next(self) -> None:
        self._round += 1
        self._put.next()
        self._hand.street(self._round)

    def _dealt(self, text: str) -> None:
        name = max((each for each in self._seats if text.startswith(each)), key=len)
        seat, cards = self._seats[name], [self._cards(each) for each in _CARDS.findall(text[len(name) :])]
        self._there.add(seat)
        street = self._hand.street(self._round)
        if street.thrown:
            drawn = cards[-1] if len(cards) > 1 else ()
            street.thrown = [each._replace(drawn=drawn) if each.seat == seat else each for each in street.thrown]
        elif self._hand.form.game.startswith("seven") and not self._round and len(cards[-1]) == 1:
            street.dealt[seat] = (UNREAD, UNREAD, *cards[-1])
        else:
            street.dealt[seat] = cards[-1]

    def _discard(self, seat: int, text: str) -> None:
        many, cards = int(text.split()[0]), _CARDS.findall(text)
        self._throw(seat, self._cards(cards[0]) if cards else (UNREAD,) * many)

    def _throw(self, seat: int, cards: tuple[Card, ...]) -> None:
        if not self._round:
            self._next()
        self._hand.street(self._round).thrown.append(Thrown(seat, cards))

    # ------------------------------------------------------------------ actions

    def _bet(self, seat: int, action: BettingAction, amount: int) -> None:
        self._there.add(seat)
        self._hand.street(self._round).acts.append(self._put.act(seat, action, amount))

    def _call(self, seat: int, text: str) -> None:
        """Call. Before the first cards are open a call says what it is of, since a blind may be short."""
        if not self._round:
            self._revive(seat, self._put.high - self._money(text))
        amount = self._put.lies.get(seat, 0) + self._money(text) if not self._round else 0
        self._bet(seat, BettingAction.CALL, amount)

    def _revive(self, seat: int, amount: int) -> None:
        """Take what a player put up as a bet after all, if it is what his call of the whole bet lacks."""
        dead = seat, "dead-post", amount
        if dead in self._posts and not self._put.lies.get(seat, 0):
            self._posts[self._posts.index(dead)] = seat, "post", amount
            self._put.post(seat, "post", amount)

    def _raise(self, seat: int, text: str) -> None:
        to = text.rpartition(" to ")[2]
        self._bet(seat, BettingAction.RAISE, self._money(to))

    def _show(self, seat: int, text: str) -> None:
        cards = self._cards(_CARDS.findall(text)[0])
        own = [each.cards for each in self._hand.showings if each.seat == seat]
        if own and own[0]:
            return  # shown once more
        self._hand.showings = [each for each in self._hand.showings if each.seat != seat]
        self._hand.showings.append(Showing(seat, () if UNREAD in cards else cards))

    def _show_mucked(self) -> None:
        """Give the cards of shown hands to the deal, where the record names them in no other place."""
        hand, stud = self._hand, self._hand.form.game.startswith("seven")
        for seat, cards in hand.showings:
            if stud and len(cards) == 7:
                hand.street(0).dealt[seat] = cards[:3]
                hand.street(4).dealt[seat] = cards[6:]
            elif not stud and seat not in hand.street(0).dealt and "draw" not in hand.form.name:
                hand.street(0).dealt[seat] = cards
        draws = "draw" in hand.form.name
        whole = {"holdem.co": 2, "omaha.co": 4, "omaha-hi-lo.co": 4}.get(hand.form.game, 5 if draws else 7)
        hand.showings = [
            each if not each.cards or len(each.cards) == whole else Showing(each.seat, ()) for each in hand.showings
        ]


def _form_of(header: str) -> tuple[PokerForm, str]:
    """Return the form that a header names, and why it is none here if it is not."""
    for pattern, form in _GAMES:
        if re.search(pattern, header, re.IGNORECASE):
            return (form, "") if isinstance(form, PokerForm) else (UNKNOWN, f"{form} is no game here")
    return UNKNOWN, "the header names no known game"


def _card(text: str) -> Card:
    return UNREAD if text in ("??", "XX") else parse_card(text.upper().replace("10", "T"))


def _named(posts: list[tuple[int, str, int]], button: int | None, seats: list[int]) -> list[Post]:
    """Name what was put up: the big blind is the first one left of the small blind; all others post in."""
    small = next((seat for seat, name, _ in posts if name == "small-blind"), None)
    start = small if small is not None else button or 0
    around = [seat for seat in seats if seat > start] + [seat for seat in seats if seat <= start]
    bigs = [seat for seat, name, _ in posts if name == "big-blind"]
    big = next((seat for seat in around if seat in bigs), None)
    most = max((amount for _, name, amount in posts if name == "big-blind"), default=0)
    found = []
    for seat, name, amount in posts:
        if name == "both":
            live = min(amount, most) if most else amount * 2 // 3
            found += [Post(seat, "post", live), Post(seat, "dead-post", amount - live)]
        else:
            found.append(Post(seat, "post" if name == "big-blind" and seat != big else name, amount))
    return [post for post in found if post.amount]


def _scale_of(lines: list[str], *, paid: bool) -> int:
    """Return how many of the hand's units make 1: 1 if all amounts are whole, else at least 100."""
    places = 0
    for line in lines:
        if "[" not in line.partition(" ")[0]:
            places = max([places, *(len(each) for each in re.findall(r"[ ($€£]\d[\d,]*\.(\d+)", line))])
    return int(10 ** max(min(places, 8), 2 if places or paid else 0))
