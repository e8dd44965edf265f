"""How a page says things: cards, money, times, seats. Pure."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, NamedTuple

from dealwire.hub.view import DeviceView, HandView, LegalView, SeatView
from protocol.cards import RANKS, SUITS, UNREAD
from rules.settlement import amount

_NUMBERS: Final = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_RANK_WORDS: Final = dict(zip(RANKS, ("ace", *_NUMBERS, "jack", "queen", "king"), strict=True))
_SUIT_WORDS: Final = dict(zip(SUITS, ("clubs", "diamonds", "hearts", "spades"), strict=True))
_SPECIAL: Final = {
    "?^": ("face up in the deck", "up"),
    "?#": ("back of another deck", "foreign"),
    "||": ("cut card", "cut"),
    "__": ("blank card", "blank"),
    "==": ("a face that was already seen", "same"),
    "--": ("no card", "none"),
}


class Face(NamedTuple):
    """A card as drawn: a style class, what stands in its corner, and its name in words."""

    style: str
    corner: str
    words: str


def face(text: str) -> Face:
    """How a card's text form is drawn; `??` is a back."""
    if text == UNREAD.text:
        return Face("back", "", "one not shown")
    if len(text) == 2 and text[0] in _RANK_WORDS and text[1] in _SUIT_WORDS:
        suit = _SUIT_WORDS[text[1]]
        return Face(suit, "10" if text[0] == "T" else text[0], f"{_RANK_WORDS[text[0]]} of {suit}")
    if text.startswith("X"):
        return Face("joker", "★", "joker")
    words, corner = _SPECIAL.get(text, (f"unknown card {text}", text))
    return Face("odd", corner, words)


def hand_words(cards: Iterable[str]) -> str:
    """The cards of a hand in one sentence, for those who hear it; cards not shown are only counted."""
    texts = list(cards)
    backs = texts.count(UNREAD.text)
    parts = [face(text).words for text in texts if text != UNREAD.text]
    if backs:
        parts.append(f"{backs} not shown")
    count = f"{len(texts)} card{'' if len(texts) == 1 else 's'}"
    return f"{count}: {', '.join(parts)}" if texts else "no cards"


def figure(cents: int, currency: str) -> str:
    """As `amount`, without the hundredths where there are none, as a bet lies on the layout: `$25`, `$2.50`."""
    return amount(cents, currency).removesuffix(".00")


def brief_figure(cents: int, currency: str) -> str:
    """As `figure`, rounded down to what five characters hold: `$2.50`, `$12`, `$1.5k`, `$120k`."""
    if cents < 1_000:
        return figure(cents, currency)
    if cents < 100_000:
        return figure(cents // 100 * 100, currency)
    thousands, rest = divmod(cents // 10_000, 10)
    whole = figure(thousands * 100, currency)
    return f"{whole}.{rest}k" if rest and thousands < 10 else f"{whole}k"


def signed(cents: int, currency: str) -> str:
    """As `amount`, and what is won with a plus: `+$35.00`, `-$5.00`, `$0.00`."""
    return f"+{amount(cents, currency)}" if cents > 0 else amount(cents, currency)


def numbers_words(numbers: Iterable[int]) -> str:
    """`1`, `2 and 4`, `1 to 3, 5 and 7`."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts: list[str] = []
    for run in runs:
        parts += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else [str(number) for number in run]
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


def natural(name: str) -> list[tuple[int, str]]:
    """To sort by: `pit-2` before `pit-10`."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name) if part]


def moment(at_ns: int) -> datetime:
    """A time in this machine's own zone, to the microsecond."""
    seconds, rest = divmod(at_ns, 1_000_000_000)
    return datetime.fromtimestamp(seconds, UTC).astimezone().replace(microsecond=rest // 1000)


def clock(at_ns: int) -> str:
    """Hours to seconds."""
    return f"{moment(at_ns):%H:%M:%S}"


def since(at_ns: int | None, now_ns: int) -> str:
    """`since 07:25:55`, with the day when it is another one than `now_ns`; empty when nobody knows."""
    if not at_ns:
        return ""
    return f"since {clock(at_ns) if moment(at_ns).date() == moment(now_ns).date() else date_time(at_ns)}"


def date_time(at_ns: int) -> str:
    """Day and time, `24 Nov 2026, 07:25:55`."""
    at = moment(at_ns)
    return f"{at.day} {at:%b %Y, %H:%M:%S}"


def clock_time(at_ns: int) -> str:
    """Hours to milliseconds."""
    at = moment(at_ns)
    return f"{at:%H:%M:%S}.{at.microsecond // 1000:03d}"


def iso_time(at_ns: int) -> str:
    """The whole time with its zone."""
    return moment(at_ns).isoformat(timespec="milliseconds")


def count_words(place: SeatView | HandView) -> str:
    """`5 cards`, `4 of 5 cards`, `5 expected`; empty when nothing is known."""
    if place.counted is None:
        return f"{place.expected} expected" if place.expected else ""
    if place.expected is not None and place.counted != place.expected:
        return f"{place.counted} of {place.expected} cards"
    return f"{place.counted} card{'' if place.counted == 1 else 's'}"


def is_wrong(place: SeatView | HandView) -> bool:
    """True when another number of cards was counted than expected."""
    return None not in (place.counted, place.expected) and place.counted != place.expected


SEAT_SIGNS: Final = {"empty": "", "betting": "◦", "live": "●", "folded": "↩", "dead": "✕", "out": "○"}
"""A sign beside the word: a status is never told by colour alone."""


def about_device(device: DeviceView) -> str:
    """Kind, state and address, each once; a state of before says so."""
    state = device.state.replace("_", " ").lower()
    shown: dict[str, str] = {}
    for part in (device.kind, f"was {state}" if state and device.link != "up" else state, device.address):
        if part:
            shown.setdefault(part.lower(), part)
    return " · ".join(shown.values())


LINK_SIGNS: Final = {"waiting": "…", "unknown": "?", "up": "●", "closed": "✕"}


def by_actor(items: Iterable[LegalView]) -> list[tuple[str, list[str]]]:
    """What may happen next, under who does it, in the order given: `show seat 8` and `show seat 6` as
    `show seat 8, seat 6`, bets likewise, players who may do the same under one heading."""
    actors: dict[str, dict[str, list[str]]] = {}
    for item in items:
        bet, at_its_end = item.what.startswith("bet "), bool(item.place) and item.what.endswith(f" {item.place}")
        rest = item.what.removeprefix("bet ") if bet else item.place if at_its_end else ""
        places = actors.setdefault(item.actor, {}).setdefault(item.what.removesuffix(rest), [])
        if rest:
            places.append(rest)
    alike: dict[tuple[str, ...], list[str]] = {}
    for actor, whats in actors.items():
        alike.setdefault(tuple(head + ", ".join(places) for head, places in whats.items()), []).append(actor)
    return [(_actors(names), list(whats)) for whats, names in alike.items()]


def _actors(names: list[str]) -> str:
    """`player at seats 1, 2, 3` for several players."""
    numbers = [name.removeprefix("player at seat ") for name in names]
    if len(names) > 1 and all(number.isdecimal() for number in numbers):
        return f"player at seats {', '.join(numbers)}"
    return ", ".join(names)
