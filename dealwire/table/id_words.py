"""The ids of a procedure as people at the table say them: `tip-ante` as `tip on ante`, `check-2` as `check`.

Files and lines keep their ids. Whatever a person reads goes through `id_words`, a whole sentence through the `Speech`
of its procedure.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import devices.events as e
from dealer_flow.procedure.plan import Plan

_SPECIAL: Final = {
    "bet-dollar": "dollar bet",
    "emperors-treasure": "emperor's treasure",
    "fold-unburned": "fold, no card was burned",
    "holdem-bonus": "hold'em bonus",
    "no-three-card": "no three card bet",
    "pai-gowd": "pai gow'd",
    "pre-flop": "pre-flop",
}
"""Ids that no rule reads rightly. What English writes with a hyphen keeps it."""
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_RULES: Final = (
    (re.compile(r"(check|fold)-\d+"), r"\1"),
    (re.compile(r"discard-0"), "discard none"),
    (re.compile(r"no-card-(\d+)"), r"no bet on card \1"),
    (re.compile(r"switch-(\w+)"), r"switch to \1"),
    (re.compile(r"range-(\d+)-(\d+)"), r"number \1 to \2"),
)
_OF_ONE_BET: Final = {
    re.compile(r"bet-([1-9])"): "{} bet",
    re.compile(r"let-it-ride-([1-9])"): "let the {} bet ride",
    re.compile(r"take-back-([1-9])"): "take back the {} bet",
}
_TIP: Final = "tip-"
_REPORTS: Final = sorted((kind.__name__ for kind in e.Body.__subclasses__()), key=len, reverse=True)
_REPORT: Final = re.compile(rf"\b({'|'.join(_REPORTS)})\b")
_SESSION: Final = (
    (re.compile(r": session [0-9a-f]{8} after [0-9a-f]{8}"), ", in a new session"),
    (re.compile(r"\bsession [0-9a-f]{8}"), "the session"),
)
KEPT: Final = 2048
"""Sentences that come again and again, and are made once."""


@lru_cache(KEPT)
def id_words(name: str) -> str:
    """One id in words; a name that is none, such as `seat 3`, as it is."""
    if name in _SPECIAL:
        return _SPECIAL[name]
    if name.startswith(_TIP):
        return f"tip on {id_words(name.removeprefix(_TIP))}"
    for form, words in _RULES:
        if form.fullmatch(name):
            return form.sub(words, name)
    for form, words in _OF_ONE_BET.items():
        if found := form.fullmatch(name):
            return words.format(_ORDINALS[int(found[1]) - 1])
    return name.replace("-", " ").replace("_", " ").replace(":", " ")


def report_words(name: str) -> str:
    """The class of a report in words: `PlayerActed` as `player acted`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


class Speech:
    """Says sentences about one table without the ids in them; `names` are those of its procedure."""

    def __init__(self, names: Iterable[str]) -> None:
        ids = sorted({name for name in names if id_words(name) != name}, key=len, reverse=True)
        self._ids = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, ids))})(?![\w-])") if ids else None
        self.say = lru_cache(KEPT)(self._say)
        """A sentence in words, made once."""

    @classmethod
    def of(cls, plan: Plan) -> "Speech":
        """That of a plan's bets, propositions, choices, steps and places."""
        bets = [*plan.bets.values()]
        propositions = (each.name for bet in bets for each in bet.propositions)
        steps = (step.name for step in plan.steps)
        return cls([*(bet.name for bet in bets), *propositions, *plan.choices, *steps, *plan.hands])

    def _say(self, sentence: str) -> str:
        text = self._ids.sub(lambda found: id_words(found[1]), sentence) if self._ids is not None else sentence
        text = _REPORT.sub(lambda found: report_words(found[1]), text)
        for form, words in _SESSION:
            text = form.sub(words, text)
        return text


_DONE: Final = " is done"
_SHOWN: Final = re.compile(r"\b(show|turn up) (?:(\d+) cards of )?(community|dealer)$")
_PLACE: Final = re.compile(r"\b(to|for|at|of) (community|dealer|remainder|shoe)\b")


def next_words(event: str, what: str) -> str:
    """What may happen next as one says it to who does it: `show 5 cards of community` as `show 5 community cards`."""
    if event == "Confirmed" and what.endswith(_DONE):
        return "CONFIRM when that is done"
    return _PLACE.sub(r"\1 the \2", _SHOWN.sub(_hand_shown, what))


def _hand_shown(found: re.Match[str]) -> str:
    verb, many, place = found.groups()
    if place == "community":
        return f"{verb} {many or 'the'} community cards"
    return f"{verb} {many} of the dealer's cards" if many else f"{verb} the dealer's hand"
