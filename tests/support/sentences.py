"""What the flow says, sentence by sentence, written down by hand: every incident and every entry of `legal()`.

A sentence that is none of these is a fault of the flow, or a new one that belongs here. `N` stands for a number, `P`
for a place, `C` for a card or several, `S` for a state, `W` for a name out of the procedure, `D` for a device.
"""

from __future__ import annotations

import re
from functools import cache

from dealer_flow.play.legal_item import Legal
from dealer_flow.record.incidents import Incident

_WORDS = {
    "N": r"-?\d+",
    "P": r"(?:seat \d+|dealer|community|burn|remainder|muck|reject tray|shuffler|shoe|nowhere|hand \d|0x[0-9A-F]{2})",
    "C": r"(?:0x[0-9A-F]{2}|[^\s,]{2,3})(?: (?:0x[0-9A-F]{2}|[^\s,]{2,3}))*",
    "S": r"(?:betting|dealing|burning|deciding|exchanging|showing|revealing|drawing|naming|extra|settling)",
    "W": r"[a-z0-9]+(?:[.-][a-z0-9]+)*",
    "L": r"[a-z0-9.-]+(?:, [a-z0-9.-]+)*",
    "D": r"[a-z]+(?:-[0-9a-z]+)*",
    "X": r"[0-9a-f]{8}",
    "T": r".+",
}
_ALLOWED = r"; allowed: [A-Za-z]+(?:, [A-Za-z]+)*; "
_UNRELIABLE, _RECORDED = "the round is unreliable", "recorded only"

HARMFUL = (
    "START GAME of round N before END GAME of round N",
    "END GAME before a supervisor has ruled: T",
    "END GAME before the burn",
    "END GAME before seat N has chosen",
    "END GAME before P has its (packet|card)",
    "END GAME before the dealer has confirmed the cards dealt by hand",
    "END GAME before the first seat was selected",
    "END GAME before the remainder was counted",
    "END GAME before card N was named",
    "END GAME before the race was decided",
    "END GAME before the extra card was drawn",
    "END GAME while S",
    "seat N is selected for the first cards after cards were dealt",
    "packet N is dispensed, packet N comes next",
    "packet N is dispensed after the remainder",
    "packet N is lifted, which does not lie in the tray",
    "packet N is lifted before START GAME",
    "packet N is lifted and nobody is due one",
    "the remainder is dumped a second time",
    "seat N changes its W bet to N cents (after bets were closed|before the deal)",
    "seat N changes its W bet to N cents; it is not live in this round",
    "seat N changes its W bet to N cents after the house's cards were shown",
    "seat N changes its W bet to N cents after the W was shown",
    "positions (?:[0-9 ]+|none) of P are burned (before that packet was dealt|a second time)",
    "N cards of P are shown; N may lie open now",
    "P is shown before every player has chosen",
    "a card is drawn from a shoe; this game is dealt in packets",
    "a card is drawn and nobody is due one",
    "a card is burned and P is due one",
    "N cards are named at once; one, and a card of the deck, is allowed",
    "seat N moves N cents to W; this table has no extra card",
    "seat N chooses W without L",
    "seat N moves N cents to W while S",
    "seat N moves N cents to W; it has already moved money to W",
    "seat N moves N cents to W; its W bet leaves N",
)
"""Out of turn, and money or hidden cards depend on it."""

HARMLESS = (
    "END GAME without START GAME",
    "a misdeal is called with no round under way",
    "CONFIRM with nothing to confirm yet",
    "a card at P is T with no round under way",
    "packet N is dispensed before START GAME",
    "the remainder is dumped with no round under way",
    "N cards counted at P, where none were dealt",
    "seat N changes its W bet to N cents while S",
    "seat N chooses W (with a dead hand|while S)",
    "positions (?:[0-9 ]+|none) of P are burned while S",
    "P is shown with no round under way",
    "P is shown; nobody plays there",
    "P is shown while S",
    "P is shown before (dealer|community|seats|W)",
    "C is named, which the shoe had read",
)
"""Out of turn, and only recorded."""

EITHER = (
    "seat N chooses W after it chose W",
    "the remainder is dumped before P has its packet",
    "the remainder is dumped before every packet is out",
)
"""Harmful when the choices differ, or the red lamp is out."""

_COUNT = ("P has N cards, not N",)
_SEEN = "(, C)?"

SENTENCES: dict[str, tuple[str, ...]] = {
    "no-entering-bet": ("START GAME and no seat has (made a bet|bet W)",),
    "side-bet-alone": ("seat N bets L without W",),
    "unknown-seat": (
        "seat N is selected for the first cards; seats are 1 to N, 0 is the dealer",
        "seat N bets; seats are 1 to N",
        "seat N chooses W; it was not dealt in",
        "P is shown; it was not dealt in",
    ),
    "unknown-bet": ("seat N bets N cents on spot N",),
    "unknown-decision": ("seat N makes choice N", "seat N chooses W; choices of this step: L"),
    "decision-bet-differs": ("seat N chose (L|None) (with|without) a W bet",),
    "bet-amount-unknown": ("seat N: the sensor shows a progressive bet, no amount was reported",),
    "round-number-differs": ("END GAME of round N after START GAME of round N",),
    "reveal-before-burn": ("P is shown before the burn",),
    "wrong-burn": (
        "positions ([0-9 ]+|none) of P are burned",
        "positions ([0-9 ]+|none) of P( counted T)? are burned, not [0-9 ]+ counted left-to-right",
    ),
    "burned-card-in-play": ("C was burned and lies at P",),
    "burned-card-in-muck": ("C was burned and lies among the discards", "P: the burned cards touched the discards"),
    "burned-card-put-back": ("the card burned last is laid back on top of the deck, to be burned again",),
    "deck-runs-out": (
        "cards due: N, left: N",
        "cards due: N, left: N; of the last and N burned, scrambled, N dealt by hand after burning one",
        "cards due: N, left: N; of the last and N burned, scrambled, N dealt by hand without burning one",
    ),
    "reveal-count-wrong": ("N W cards shown, the burn leaves N",),
    "faces-disagree": (
        "P shown as (C)?, before as (C)?",
        "P shows (C)? and no longer C, which lay open",
        "P shows C, the device dispensed C",
        "C is named and no such card waits for a name",
        "card N is reported again as C, before as C",
    ),
    "seat-count-wrong": _COUNT,
    "dealer-count-wrong": _COUNT,
    "community-count-wrong": _COUNT,
    "hand-count-wrong": _COUNT,
    "burn-count-wrong": _COUNT,
    "remainder-count-wrong": ("N cards are left, not N",),
    "deck-count-wrong": (
        "deck N is dealt with N cards counted, N set, not N",
        "shoe N has N cards in N decks, not N in N",
        "a person counts N cards in a deck of N",
    ),
    "cards-not-conserved": (
        r"N cards loaded, N in packets \+ N left \+ N rejected = N",
        "more than the N cards loaded have left the shoe",
        "the shoe counts N cards drawn, N were reported",
        "N cards loaded, N drawn and N left",
        "the shoe is empty and N cards of its decks were never seen",
    ),
    "counts-differ": ("P: (a person counts|shown are) N cards, counted before N",),
    "duplicate-face": ("C at P was already at P", "C was drawn N times from a shoe of (1 deck|N decks)"),
    "foreign-card": ("C at P is no card of this deck", "C is no card of this shoe"),
    "card-exposed": (f"P: a card is exposed{_SEEN}", "P: C lies open and is not the bottom card"),
    "card-off-table": (f"P: a card is off the table{_SEEN}",),
    "hand-fouled": (f"P: the hand touched other cards{_SEEN}",),
    "stray-joker": (f"P: a stray joker came{_SEEN}",),
    "boxed-card": (f"P: a card lay face up in the deck{_SEEN}",),
    "card-mishandled": (f"P: a card is '[a-z]+'{_SEEN}",),
    "deck-not-alternated": ("deck N is dealt twice running; two decks take turns",),
    "deck-not-fresh": ("shoe N is dealt from again; each round has a fresh one",),
    "deck-too-old": ("(deck|shoe) N was dealt N rounds before this one; at most N",),
    "defective-deck-again": ("deck N is dealt again, after T",),
    "deck-count-due": ("no deck was counted for N minutes; count it",),
    "draw-before-close": ("card C is drawn before bets were closed", "a card is drawn before bets were closed"),
    "draw-before-named": ("card C is drawn while card N waits to be named",),
    "card-unread": ("card N was not read",),
    "card-named": (r"card N is named C by (badge N \([a-z]+\)|a person without a badge)",),
    "naming-refused": ("card N is named C without a (dealer|supervisor)'s badge; swipe it first",),
    "card-missing": (
        "the shoe's count is N: (1 card|N cards) before it not reported",
        "the shoe's count went back to N",
        "card N, C, is reported again and was not before",
    ),
    "drawn-outside": ("card C is drawn in the shoe's (error|setup) mode",),
    "burned-mid-race": ("a card is burned in the middle of the race",),
    "card-overdrawn": ("C is drawn as card N, after the race was decided",),
    "cut-card": (
        "the cut card comes out after N cards: this round is the last",
        "the cut card comes out after N cards: (this race is the last|one more race follows|play goes on)",
    ),
    "other-shoe": ("a card is drawn from D in the middle of a round",),
    "shoe-over": ("a card is drawn from shoe N, which is over",),
    "shoe-ended": (
        "shoe N was filled in the middle of a round",
        "shoe N ended after N cards, in the middle of a round",
    ),
    "misdeal-called": (
        "(badge N|a person without a badge) rules a misdeal: T",
        "(badge N|a person without a badge) calls a misdeal",
    ),
    "ruled-on": ("a supervisor rules that play goes on: T",),
    "misdeal-refused": ("a misdeal is called after the first decision",),
    "deck-removed": (
        "(badge N|a person at the device) ended the deal",
        "deck N was taken out before the remainder was counted",
        "the remainder is dumped under the red lamp before the deal was complete",
        "END GAME under the red lamp before P had its packet",
        "END GAME under the red lamp before every card was dealt",
    ),
    "device-fault": ("D reports T", "D reports '.+', which has no known meaning"),
    "jam": ("D reports T",),
    "door-opened": ("D reports T",),
    "power-lost": (
        "D lost power in the middle of a deal, and nobody cleared it",
        "D lost power during a round",
        "D reports T",
    ),
    "session-changed": (
        "D started anew: session X after X",
        "D started anew and had begun to deal",
    ),
    "events-lost": ("reports of D are missing", "D: events N to N are gone"),
    "link-lost": ("D: T",),
    "recording-ended": ("the input ended before END GAME",),
}
"""Incident code -> what its text may be."""

LEGAL: tuple[tuple[str, str, str, str], ...] = (
    ("supervisor", "BadgeSwiped", "", "come at once: T"),
    ("supervisor", "BadgeSwiped", "", "exchange (deck N|the deck), which was found defective, and swipe a badge"),
    (
        "supervisor",
        "BadgeSwiped",
        "",
        "exchange (deck N|the deck), which has been dealt often enough, and swipe a badge",
    ),
    ("supervisor", "MisdealCalled", "", "rule a misdeal: T"),
    ("supervisor", "MisdealCalled", "", "call a misdeal"),
    ("supervisor", "Confirmed", "P", "rule that play goes on: T"),
    ("supervisor", "CardsCounted", "P", "count the cards at P"),
    ("supervisor", "CardsCounted", "shoe", "count the cards left in the shoe"),
    ("dealer", "CardsCounted", "(shoe|shuffler|remainder)", "count the deck: N minutes have gone by"),
    ("dealer", "CardsCounted", "shoe", "count the cards that are left"),
    ("player at P", "WagerPlaced", "P", "(bet|move to) W"),
    ("dealer", "GameStarted", "", "START GAME"),
    ("dealer", "GameEnded", "", "END GAME"),
    ("dealer", "SpotSelected", "dealer", "select the place that gets the first cards: the dealer's"),
    ("dealer", "SpotSelected", "P", "select the place that (gets the first cards|has the button): seat N"),
    ("dealer", "Confirmed", "", r"deal by hand to P \(N\)(, P \(N\))*, then confirm"),
    ("dealer", "Confirmed", "", "W is done"),
    ("dealer", "BurnConfirmed", "P", "burn cards N(, N)* from the left of the W packet"),
    ("shuffler", "RemainderDumped", "remainder", "bring the remainder"),
    ("dealer", "CardDrawn", "burn", "burn a card"),
    ("dealer", "CardDrawn", "P", "draw a card to P"),
    ("dealer", "CardDrawn", "shoe", "draw card N to the column it belongs in"),
    ("dealer", "CardDrawn", "shoe", "draw card N, the extra card"),
    ("dealer", "PacketLifted", "P", "take packet N to P"),
    ("shuffler", "PacketDispensed", "P", "bring packet N for P"),
    ("player at P", "DecisionMade", "P", "W"),
    ("dealer", "HandRevealed", "P", "show (N cards of )?P"),
    ("dealer", "HandRevealed", "P", "show W"),
    ("(dealer|supervisor|anyone)", "HandRevealed", "shoe", "say what card N is"),
)
"""Actor, event, place and words of everything that may happen next."""


@cache
def _pattern(sentence: str) -> re.Pattern[str]:
    """A letter that stands for something is alone, or between marks."""
    letters = "".join(_WORDS)
    return re.compile(
        re.sub(rf"(?<![A-Za-z\\\[\]'])([{letters}])(?![A-Za-z\]'])", lambda m: f"(?:{_WORDS[m[1]]})", sentence)
    )


def check_incident(incident: Incident) -> None:
    """Its text is a sentence of its code, and it names a clause."""
    known = SENTENCES.get(incident.code)
    if incident.code == "out-of-turn":
        said = _said_out_of_turn(incident.text)
    else:
        said = any(_pattern(each).fullmatch(incident.text) for each in known or ())
    assert said, f"{incident.code}: {incident.text!r} is not written down in tests/support/sentences.py"
    assert incident.clause


@cache
def _said_out_of_turn(text: str) -> bool:
    why, allowed, end = text.rpartition("; ")[0].rpartition("; allowed: ")[0], _ALLOWED, text.rpartition("; ")[2]
    if not re.fullmatch(rf".*{allowed}({_UNRELIABLE}|{_RECORDED})", text):
        return False
    same = re.fullmatch(r"seat \d+ chooses (\S+) after it chose (\S+)", why)
    if same:
        return (end == _RECORDED) == (same[1] == same[2])
    known = HARMFUL if end == _UNRELIABLE else HARMLESS
    return any(_pattern(each).fullmatch(why) for each in (*known, *EITHER))


@cache
def check_legal(item: Legal) -> None:
    """Who, what and where are written down, and fit together. The same entry is looked at once."""
    fitting = [row for row in LEGAL if row[1] == item.event]
    said = any(
        _pattern(actor).fullmatch(item.actor)
        and _pattern(place).fullmatch(item.place)
        and _pattern(what).fullmatch(item.what)
        for actor, _, place, what in fitting
    )
    assert said, f"{item} ({item.event} at {item.place!r}) is not written down in tests/support/sentences.py"
    if item.actor.startswith("player at "):
        assert item.actor == f"player at {item.place}"
    _check_value(item)


_VALUES = {
    "PacketDispensed": r"bring packet (\d+) for (.+)",
    "PacketLifted": r"take packet (\d+) to (.+)",
    "SpotSelected": r"select the place that .*: seat (\d+)()",
    "BadgeSwiped": r"exchange deck (\d+),()",
    "CardDrawn": r"draw card (\d+)()",
    "HandRevealed": r"(?:show|say what card) (\d+)(?: cards of (.+)| is)",
}
"""Where the words name the number that goes with an entry, and its place."""


def _check_value(item: Legal) -> None:
    """The number and the place are those the words name."""
    named = re.match(_VALUES.get(item.event, "(?!)"), item.what)
    if named is not None:
        assert int(named[1]) == item.value, item
        assert not named[2] or named[2] == item.place, item
    elif item.event in ("SpotSelected", "BadgeSwiped", "HandRevealed", "Confirmed", "GameStarted", "MisdealCalled"):
        assert item.value == 0, item
    elif item.event in ("WagerPlaced", "DecisionMade", "CardDrawn"):
        assert item.value > 0, item
    if item.event == "CardsCounted" and item.what.startswith("count the cards at "):
        assert item.what == f"count the cards at {item.place}", item
