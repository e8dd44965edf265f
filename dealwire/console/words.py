"""Text of the pages: cards, amounts, times, seats. Pure functions."""

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
    """A card as drawn: style class, text of its corner, and name for a screen reader."""

    style: str
    corner: str
    words: str


def face(text: str) -> Face:
    """Return the drawing of a card from its text form; `??` is a card back."""
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
    """Return the cards of a hand as one sentence for a screen reader; hidden cards are only counted."""
    texts = list(cards)
    backs = texts.count(UNREAD.text)
    parts = [face(text).words for text in texts if text != UNREAD.text]
    if backs:
        parts.append(f"{backs} not shown")
    count = f"{len(texts)} card{'' if len(texts) == 1 else 's'}"
    return f"{count}: {', '.join(parts)}" if texts else "no cards"


def figure(cents: int, currency: str) -> str:
    """Return an amount without zero cents, as a bet is written on the layout: `$25`, `$2.50`."""
    return amount(cents, currency).removesuffix(".00")


def brief_figure(cents: int, currency: str) -> str:
    """Return `figure` rounded down to five characters: `$2.50`, `$12`, `$1.5k`, `$120k`."""
    if cents < 1_000:
        return figure(cents, currency)
    if cents < 100_000:
        return figure(cents // 100 * 100, currency)
    thousands, rest = divmod(cents // 10_000, 10)
    whole = figure(thousands * 100, currency)
    return f"{whole}.{rest}k" if rest and thousands < 10 else f"{whole}k"


def signed(cents: int, currency: str) -> str:
    """Return `amount` with a plus sign for a gain: `+$35.00`, `-$5.00`, `$0.00`."""
    return f"+{amount(cents, currency)}" if cents > 0 else amount(cents, currency)


def numbers_words(numbers: Iterable[int]) -> str:
    """Return numbers as text: `1`, `2 and 4`, `1 to 3, 5 and 7`."""
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
    """Sort key that puts `pit-2` before `pit-10`."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name) if part]


def moment(at_ns: int) -> datetime:
    """Return a time in this machine's zone, to the microsecond."""
    seconds, rest = divmod(at_ns, 1_000_000_000)
    return datetime.fromtimestamp(seconds, UTC).astimezone().replace(microsecond=rest // 1000)


def clock(at_ns: int) -> str:
    """Return the time of day to the second."""
    return f"{moment(at_ns):%H:%M:%S}"


def since(at_ns: int | None, now_ns: int) -> str:
    """Return `since 07:25:55`, with the day unless it is the day of `now_ns`; empty for an unknown time."""
    if not at_ns:
        return ""
    return f"since {clock(at_ns) if moment(at_ns).date() == moment(now_ns).date() else date_time(at_ns)}"


def age(at_ns: int, now_ns: int) -> str:
    """Return how long ago a time is, in its largest unit: `3 min ago`, `2 h ago`, `4 days ago`."""
    minutes = max(0, now_ns - at_ns) // (60 * 10**9)
    if not minutes:
        return "less than a minute ago"
    if minutes < 60:
        return f"{minutes} min ago"
    return f"{minutes // 60} h ago" if minutes < 48 * 60 else f"{minutes // 1440} days ago"


def date_time(at_ns: int) -> str:
    """Return day and time: `24 Nov 2026, 07:25:55`."""
    at = moment(at_ns)
    return f"{at.day} {at:%b %Y, %H:%M:%S}"


def clock_time(at_ns: int) -> str:
    """Return the time of day to the millisecond."""
    at = moment(at_ns)
    return f"{at:%H:%M:%S}.{at.microsecond // 1000:03d}"


def iso_time(at_ns: int) -> str:
    """Return the time in ISO 8601 with its zone."""
    return moment(at_ns).isoformat(timespec="milliseconds")


def count_words(place: SeatView | HandView) -> str:
    """Return `5 cards`, `4 of 5 cards` or `5 expected`; empty when nothing is known."""
    if place.counted is None:
        return f"{place.expected} expected" if place.expected else ""
    if place.expected is not None and place.counted != place.expected:
        return f"{place.counted} of {place.expected} cards"
    return f"{place.counted} card{'' if place.counted == 1 else 's'}"


def is_wrong(place: SeatView | HandView) -> bool:
    """True if the number of cards counted differs from the number expected."""
    return None not in (place.counted, place.expected) and place.counted != place.expected


SEAT_SIGNS: Final = {"empty": "", "betting": "◦", "live": "●", "folded": "↩", "dead": "✕", "out": "○"}
"""Sign next to each seat status, so that color alone never carries a status."""


def about_device(device: DeviceView) -> str:
    """Return kind, state and address of a device, each once, and that its line is in clear; the state of a disconnected
    device is marked as past."""
    state = device.state.replace("_", " ").lower()
    shown: dict[str, str] = {}
    clear = "in clear" if device.seal == "clear" and device.link == "up" else ""
    for part in (device.kind, f"was {state}" if state and device.link != "up" else state, clear, device.address):
        if part:
            shown.setdefault(part.lower(), part)
    return " · ".join(shown.values())


def seal_words(device: DeviceView, now_ns: int) -> str:
    """Return since when a device's line is sealed, and the first digits of the device's key: `sealed since 07:25:55 ·
    key a8220095`."""
    return f"sealed {since(device.sealed_ns, now_ns)} · key {device.sealed_with[:8]}"


LINK_SIGNS: Final = {"waiting": "…", "unknown": "?", "up": "●", "closed": "✕"}


def by_actor(items: Iterable[LegalView]) -> list[tuple[str, list[str]]]:
    """Return the legal next actions by actor, in the order given.

    Items that differ only in their place share one text: `show seat 8` and `show seat 6` become `show seat 8, seat 6`,
    and so do bets. Actors with the same list share one heading.
    """
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
    """Return one heading for several actors: `player at seats 1, 2, 3`."""
    numbers = [name.removeprefix("player at seat ") for name in names]
    if len(names) > 1 and all(number.isdecimal() for number in numbers):
        return f"player at seats {', '.join(numbers)}"
    return ", ".join(names)
