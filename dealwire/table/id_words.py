"""Ids of a procedure as spoken at the table: `tip-ante` as `tip on ante`, `check-2` as `check`.

Files and published lines keep the ids. Text for a person goes through `id_words`, a whole sentence through the `Speech`
of its procedure.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

import devices.events as e
from dealer_flow.procedure.load import Procedure, known_procedures, load_procedure
from dealer_flow.record.result import RoundResult

_SPECIAL: Final = {
    "bet-dollar": "dollar bet",
    "emperors-treasure": "emperor's treasure",
    "fold-unburned": "fold, no card was burned",
    "holdem-bonus": "hold'em bonus",
    "no-three-card": "no three card bet",
    "pai-gowd": "pai gow'd",
    "pre-flop": "pre-flop",
}
"""Ids that no rule words correctly; those spelled with a hyphen in English keep it."""
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_RULES: Final = (
    (re.compile(r"(check|fold)-\d+"), r"\1"),
    (re.compile(r"discard-0"), "discard none"),
    (re.compile(r"no-card-(\d+)"), r"no bet on card \1"),
    (re.compile(r"switch-(\w+)"), r"switch to \1"),
    (re.compile(r"range-(\d+)-(\d+)"), r"number \1 to \2"),
    (re.compile(r"tip-on-hand-(\d+)"), r"tip on hand \1"),
    (re.compile(r"pre-flop-(\w+)"), r"pre-flop \1"),
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
"""Sentences cached because they recur."""


@lru_cache(KEPT)
def id_words(name: str) -> str:
    """Return an id as text; a name that is no id, such as `seat 3`, is unchanged."""
    if name in _SPECIAL:
        return _SPECIAL[name]
    for form, words in _RULES:
        if form.fullmatch(name):
            return form.sub(words, name)
    if name.startswith(_TIP):
        return f"tip on {id_words(name.removeprefix(_TIP))}"
    for form, words in _OF_ONE_BET.items():
        if found := form.fullmatch(name):
            return words.format(_ORDINALS[int(found[1]) - 1])
    return name.replace("-", " ").replace("_", " ").replace(":", " ")


def report_words(name: str) -> str:
    """Return the class name of a report as text: `PlayerActed` becomes `player acted`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


class Speech:
    """Rewrites sentences about one table without ids; `names` are the ids of its procedure."""

    def __init__(self, names: Iterable[str]) -> None:
        ids = sorted({name for name in names if id_words(name) != name}, key=len, reverse=True)
        self._ids = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, ids))})(?![\w-])") if ids else None
        self.say = lru_cache(KEPT)(self._say)
        """Return a sentence as spoken at the table, where sessions have no numbers. Cached."""
        self.write = lru_cache(KEPT)(self._write)
        """Return a sentence for paper: like `say`, but sessions keep their numbers. Cached."""

    @classmethod
    def of(cls, procedure: Procedure) -> "Speech":
        """Return the speech for a procedure's bets, propositions, choices, steps and places."""
        return cls(_names_of(procedure))

    @classmethod
    def named(cls, procedure: str, names: Iterable[str] = ()) -> "Speech":
        """Return the speech for the procedure with this id, plus `names`: all that is known when a house's own file is
        missing."""
        return _speech_of(procedure, frozenset(names))

    def _write(self, sentence: str) -> str:
        text = self._ids.sub(lambda found: id_words(found[1]), sentence) if self._ids is not None else sentence
        return _REPORT.sub(lambda found: report_words(found[1]), text)

    def _say(self, sentence: str) -> str:
        text = self._write(sentence)
        for form, words in _SESSION:
            text = form.sub(words, text)
        return text


@lru_cache(64)
def _speech_of(procedure: str, names: frozenset[str]) -> Speech:
    known = _names_of(load_procedure(procedure)) if procedure in known_procedures() else ()
    return Speech([*known, *names])


def _names_of(procedure: Procedure) -> Iterator[str]:
    for bet in procedure.bet:
        yield bet.name
        yield from (each.name for each in bet.propositions)
    for named in (*procedure.decision, *procedure.step, *procedure.hand):
        yield named.name


def names_in(result: RoundResult) -> Iterator[str]:
    """Return the ids that a round names: bets, propositions, choices, steps and places."""
    for seat in result.seats:
        yield from (*seat.wagers, *seat.returned, *seat.held, *seat.choices, *seat.choices.values(), *seat.decisions)
        yield seat.decision or ""
        yield from (on for each in seat.propositions.values() for on in each)
    yield from (each.name for each in result.hands)
    yield from (each.step for each in result.actions)
    yield from (each.step for each in result.stages)
    yield from result.draw.columns if result.draw is not None else ()


_DONE: Final = " is done"
_SHOWN: Final = re.compile(r"\b(show|turn up) (?:(\d+) cards? of )?(community|dealer)$")
_PLACE: Final = re.compile(r"\b(to|for|at|of) (community|dealer|remainder|shoe)\b")


def next_words(event: str, what: str) -> str:
    """Return a possible next event as spoken to the actor: `show 5 cards of community` becomes `show 5 community
    cards`."""
    if event == "Confirmed" and what.endswith(_DONE):
        return "press CONFIRM when done"
    return _PLACE.sub(r"\1 the \2", _SHOWN.sub(_hand_shown, what))


def _hand_shown(found: re.Match[str]) -> str:
    verb, many, place = found.groups()
    if place == "community":
        return f"{verb} {many or 'the'} community cards"
    return f"{verb} {many} of the dealer's cards" if many else f"{verb} the dealer's hand"
