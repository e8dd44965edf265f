"""Every reason to refuse a procedure file, sentence by sentence, written down by hand: see `sentences`.

`N` stands for a number, `W` for a name in quotes, `L` for a list of what is allowed.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from dealer_flow.procedure.load import check_procedure, whole_text
from protocol.tomlfile import TomlFileError

_WORDS = {"N": r"-?\d+", "W": r"'[^']*'", "L": r"[A-Za-z0-9.-]+(?:, [A-Za-z0-9.-]+)*", "T": r".+"}
_KEY = re.compile(r"[a-z][a-z0-9-]*(?:\[\d+\])?(?:\.[a-z][a-z0-9-]*(?:\[\d+\])?)*|option [a-z0-9.-]+")

SENTENCES = (
    # names, deck, bets
    r"give either \[\[step\]\]s or a \[shoe\] that cards are drawn from",
    "T is taken; a (name|number|place) may occur only once",
    r"W is a place of every game; give the hand another name",
    "W is not among L",
    "N cards of a deck with N jokers; at most N",
    "a (packet-shuffler|dealer's hand) deals from one deck; several need a card-shoe",
    'no device deals this game; a step that deals or burns has origin = "hand"',
    "a (packet-shuffler|dealer's hand) deals each round from a whole deck: each-round",
    r"a game with a \[shoe\] table is drawn from a card-shoe",
    "a deck that is fresh each-round is dealt one round; this needs fresh = until-cut-card",
    "no card of the shoe comes to W; allowed: (L|none)",
    "no burn-card step of a card-shoe or a deck in the hand burns a card",
    "T: it concerns all hands; allowed: L",
    "no choice W that folds; allowed: (L|none)",
    "only for a choice by which a seat gives up: folds = true",
    "an exact remainder needs a deck that is fresh each-round",
    "no option W that chooses between numbers of rounds, 0 for no limit",
    "one bet placed before-deal must have enters = true",
    "no step of kind 'bet' puts chips into W",
    r"missing: a \[betting\] table, which says how players act",
    "goes with first = 'board': the option that says whether high or low acts first",
    "no card of the seats lies open yet",
    "no one has cards to bet on yet; a deal must come before",
    r"W is for players who bet against each other: of = 'seats', and \[betting\]",
    r'only for a card that (was seen|is dealt too early): how = \["(exposed|early)"\]',
    "a hand that is too late is dead: then = 'dead-hand'",
    r"there is no extra card: no \[shoe.extra\] table",
    "no bet W placed (by-decision|before-deal|by-action); allowed: L",
    "no bet W; allowed: L",
    "no blind W; allowed: L",
    # rules of bets
    "give one of L",
    "W is the bet itself",
    r"\$0 is not a bet",
    "an amount in dollars(; 'equal' compares with a bet)?",
    r"must be an amount as '\$50', '\$2.50', 'ante', '2 ante' or '1/2 ante', not T",
    r"(exactly|at most|at least) T is above the limit of T",
    "give exactly one of 'at-most' and 'at-least'",
    "no bet W of a player's own; allowed: L",
    "must be (before-deal|by-decision|before-extra), as the bet it is a tip for",
    "a tip does not enter a seat into the deal",
    "W needs bets that need it: none of them can be placed first",
    "W is T x W, which is T x W: no amounts satisfy both",
    "no choice W that this bet goes with; allowed: (L|none)",
    "no choice W; known: L",
    "no choice W; allowed: L",
    "hands are declared only at a show step with optional = true",
    "a choice may occur only once",
    "no step offers W; add it to a decide step's choices",
    "no exchange step replaces cards of the seats",
    # hands that are offered, bets that enter or are given up
    "W is not a hand that was offered before; allowed: (L|none)",
    "only for a hand that is offered: give 'about', too",
    r"no \[\[hand\]\] W; allowed: (L|none)",
    "no option W that chooses between positions: last-unplayed, seat-1 to seat-N",
    "every position has a player; a deal with seats = 'all' must come before",
    "only for a bet placed before-deal that has no enters = true",
    "W is a bet already; give the share another name",
    r"\d/\d is not a part of a bet; allowed: less than 1",
    "only for a number of cards: give 'cards', too",
    # burned cards, a deck that runs out
    "T: a burned card is in no one's hand; allowed: L",
    "no step burns a card",
    "only for a card-shoe or a dealer's hand with a burn-card step",
    "only single cards of a deck that is fresh each-round can run out",
    "option W must choose between L",
    "W needs burned cards, and no burn-card step of this deck burns any",
    "no option W; known: L",
    # wrong hands, and their consequences
    r"missing: a row of W for W, cards of step W",
    "missing: a row of 'remainder' for W, since its number is exact",
    "W gets no cards; allowed: L",
    "W gives no cards to W; allowed: L",
    "W is not a player's hand that could be dead; allowed: L",
    r'only for a hand that is short: how = \["short"\]',
    "W gives a hand its next card, but a long hand has too many",
    "T the next card, which only a card-shoe or a dealer's hand gives",
    "give exactly one of '(?:then|class)' and '(?:option|name)'",
    "option W does not choose between consequences; allowed: L",
    "no (fault|class) W; known: T",
    # steps
    "no such kind: W; allowed: L",
    r"no recipient W; allowed: L, or the name of a \[\[hand\]\]",
    "a (place|name) may occur only once",
    "no step deals to W",
    r"no step deals to 'seats', nor to a \[\[hand\]\] of the players",
    "W is not a value of that option; allowed: L",
    "the last step must be a reveal, and no other step may be",
    "only for a step that deals to the seats",
    'only for several cards that go out one at a time: by = "single"',
    "no one has cards to decide on yet; a deal must come before",
    r"no choice before this step draws cards; a \[\[decision\]\] with draws must come before",
    "W has no cards at this step; allowed: L",
    "only a packet of the house or the community can be burned, not a player's",
    "cards of W were burned by a step before; name all positions in one step",
    "position N of a packet of N; allowed: 1 to N",
    "a position may occur only once, and fewer than the N cards of the packet may be burned",
    "N cards of W lie open; allowed: N to N",
    "all cards of W lie open since an earlier step",
    "only for a hand that may be shown: optional = true",
    "W is not a later step; allowed: L",
    "W is not a step that deals; allowed: L",
    "only for a bet placed by-decision that is not a tip: a tip is closed with its bet",
    'only for a deal from a button: first = "button"',
    "only for (a hand that is dealt out|further bets that go back): give W, too",
    "in addition to the bets of W: give it, too",
    "N seats need N cards and the deck has N; at most N",
    "N seats leave N cards of N, not N",
    "missing: what is left of the deck is counted after every round",
    "no step W; known: L",
    # a shoe's columns
    "only for a game of steps; this one is drawn from a shoe",
    "by suit they must be L, in any order",
    "at most one end by column and one by all",
    "an extra card follows an end by all; there is none",
    "N cards without N in a column are impossible; at most N",
    "option W must choose between numbers of decks, 1 to 16",
    "option W may choose between L",
    # the base of a file
    r"no procedure or part W; parts: L; or the id of a procedure, or a \.toml file",
    "W extends this file itself",
    "more than N files (in a chain|together)",
    "W is a procedure; a part extends only parts",
    "a name may occur only once",
    "T: (cannot be read: T|not UTF-8 text at byte N)",
    "W removes nothing; the files below give L",
    "must be W",
    "for a procedure only; a part has none",
    # the file and its schema
    "unknown key; allowed: T",
    "missing; T",
    "missing.*",
    "only for hands of the seats that are turned up: give exposes = true, too",
    "must (not )?be .+",
    "not TOML: T",
    "cannot be read: T",
    "not UTF-8 text at byte N",
    "no procedure W; known: T",
    r"[a-z0-9.-]+ has no option W; known: (L|none)",
    "W is not allowed; allowed: L",
)
"""Reasons to refuse a file."""


@cache
def _pattern(sentence: str) -> re.Pattern[str]:
    letters = "".join(_WORDS)
    return re.compile(
        re.sub(rf"(?<![A-Za-z\\\[\]'])([{letters}])(?![A-Za-z\]'])", lambda m: f"(?:{_WORDS[m[1]]})", sentence)
    )


def check_refusal(error: TomlFileError) -> None:
    """Check that the error is one line, with a key as it is written in the file, and one of the sentences above."""
    assert "\n" not in str(error)
    assert not error.key or _KEY.fullmatch(error.key), error.key
    said = any(_pattern(each).fullmatch(error.why) for each in SENTENCES)
    assert said, f"{error.why!r} is not written down in tests/support/reading/refusals.py"


def refused_file(game: str, before: str, after: str, folder: Path) -> list[TomlFileError]:
    """Return the errors in the file of a game in which the first `before` was changed to `after`."""
    text = whole_text(game)
    assert before in text, before
    file = folder / "bad.toml"
    file.write_text(text.replace(before, after, 1), encoding="utf-8")
    return check_procedure(file)
