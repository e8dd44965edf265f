"""Everything the flow says, written down by hand: the facts of every incident and every entry of `legal()`.

An incident or an entry that is not listed is an error of the flow, or a new one that belongs here. `N` stands for a
number, `P` for a place, `C` for a card or several, `S` for a state, `W` for a name out of the procedure, `D` for a
device.
"""

from __future__ import annotations

import re
from functools import cache

from dealer_flow.play.seen.legal import Legal
from dealer_flow.record.incidents import Incident

_WORDS = {
    "N": r"-?\d+",
    "P": r"(?:seat \d+|dealer|community|burn|remainder|muck|reject tray|shuffler|shoe|nowhere|(?:hand|pile) \d"
    r"|0x[0-9A-F]{2})",
    "C": r"(?:0x[0-9A-F]{2}|[^\s,]{2,3})(?: (?:0x[0-9A-F]{2}|[^\s,]{2,3}))*",
    "S": r"(?:betting|dealing|burning|deciding|acting|exchanging|assigning|setting|showing|revealing|drawing|naming"
    r"|extra|settling)",
    "W": r"[a-z0-9]+(?:[.-][a-z0-9]+)*",
    "L": r"[a-z0-9.-]+(?:, [a-z0-9.-]+)*",
    "D": r"[a-z]+(?:-[0-9a-z]+)*",
    "X": r"[0-9a-f]{8}",
    "T": r".+",
}

ALWAYS, NEVER, EITHER = True, False, None
HARMFUL = {
    **dict.fromkeys(
        (
            "ruled", "cards_out", "burn_confirmed", "all_decided", "all_shown", "remainder_counted", "race_decided",
            "card_named", "extra_drawn", "round_ended", "first_cards_to_come", "packet_in_order", "packet_in_tray",
            "remainder_to_come", "burned_once", "house_shown_last",
            "dealt_from_shoe", "burned_when_due", "one_face_named",
            "place_is_known", "packet_is_burned", "burned_as_written", "burned_before",
            "burned_between_races", "card_waits_for_name", "place_of_number", "number_of_place",
            "number_drawn", "hands_set", "bets_called",
        ),
        ALWAYS,
    ),
    **dict.fromkeys(
        (
            "misdeal_in_time", "something_to_confirm", "bets_open", "table_has_extra", "extra_left_alone",
            "one_bet_moved", "money_is_there", "deal_begun", "seat_is_live", "house_covered", "offered_hand_covered",
            "cards_to_come",
            "choice_has_its_bets", "bet_is_known", "seat_at_table", "cards_lie_there", "choice_is_due", "choice_is_new",
            "acts_in_order", "found_when_shown", "shown_before_card",
            "hand_is_live", "step_offers_choice", "players_choose", "packet_is_spread", "somebody_plays_there",
            "wagers_placed", "hands_lie_there", "number_counts", "number_is_asked_for", "number_to_come",
            "spot_is_players",
            "hand_is_set", "set_as_written", "hand_to_set", "set_before_house",
            "proposition_is_offered", "hand_lies_there", "faces_to_correct", "badge_counts", "badge_may_correct",
            "round_on_record", "nothing_ruled_since", "bets_left_alone", "cards_not_mucked", "follows_as_played",
            "shown_in_order", "hand_shown_in_time", "name_is_missing", "badge_may_name", "drawn_after_name",
            "drawn_for_somebody", "choice_is_known", "seat_dealt_in", "choice_is_offered", "choice_stands",
            "place_dealt_in",
            "chips_play", "stake_before_hand", "action_is_known", "hand_in_play", "betting_under_way", "players_act",
            "seat_to_act", "action_to_withdraw", "keeps_word",
            "may_chop",
            "acts_in_turn", "time_limit_kept", "bring_in_due", "nothing_to_call", "may_check", "something_to_call",
            "call_is_whole", "nothing_bet_yet", "something_to_raise", "more_than_before", "stake_covers", "all_of_it",
            "bet_within_limit", "raise_within_limit", "no_card_ahead", "raises_left", "betting_reopened",
            "may_check_raise",
            "house_least", "house_most", "house_size",
            "hands_compared",
        ),
        NEVER,
    ),
    # a packet or a card that came too early where the procedure has a rule for it
    **dict.fromkeys(("somebody_is_due", "fewer_lie_open", "drawn_after_close"), EITHER),
    # a burn of a packet, or a hand that is set, where none was dealt
    "packet_was_dealt": EITHER,
    # a deal that is interrupted under the red lamp; a packet lifted, or a packet burned, before START GAME
    **dict.fromkeys(("deal_complete", "bets_closed", "round_begun"), EITHER),
}  # fmt: skip
"""Facts that the flow did not wait for -> whether money or hidden cards depend on it, so that the round cannot be
settled."""

REPORTED = {
    "GameStarted": "number",
    "GameEnded": "",
    "MisdealCalled": "",
    "SpotSelected": "seat",
    "HandSet": "counted? expected?",
    "Confirmed": "",
    "CardMishandled": "how",
    "CardsDiscarded": "counted",
    "HandCorrected": "counted badge? level? words?",
    "NumberDrawn": "number",
    "WagerOn": "seat bet number how? cents",
    "PacketDispensed": "number counted expected",
    "PacketLifted": "number",
    "RemainderDumped": "counted",
    "CardsCounted": "counted",
    "WagerPlaced": "seat bet cents",
    "DecisionMade": "seat choices",
    "StakeShown": "seat cents",
    "PlayerActed": "seat cents how wanted limit?",
    "PotTaken": "seat cents number",
    "BurnConfirmed": "positions? spread? expected_positions?",
    "HandRevealed": "counted cards? limit? due?",
    "CardDrawn": "cards? due?",
    "CardUnread": "due?",
}
"""Facts of a report that was out of order."""

_COUNT = "place counted expected called? unreliable?"
_SEEN = "place? cards? called? unreliable?"
_FAULT = "device fault called? unreliable?"
_ORDER = "report allowed? place? state? unreliable?"

FACTS: dict[str, str | dict[str, str]] = {
    "out-of-turn": "report allowed place? state? unreliable?",
    "action-refused": _ORDER,
    "acted-out-of-turn": _ORDER,
    "action-taken-back": {
        **dict.fromkeys(("free", "apart", "ruled"), "seat how cents"),
        "changed": "seat how cents wanted",
    },
    "award-taken-back": "seat cents number",
    "hand-passed-by": "seat place called",
    "mucked-hand-shown": "seat place called",
    "apparent-call": "seat cents wanted",
    "blinds-chopped": "seat",
    "bet-taken-back": "seat cents cause",
    "choice-late": "seat",
    "string-bet": "seat cents wanted",
    "time-limit": dict.fromkeys(("checks", "dead"), "seat"),
    "ante-missing": "seat bet",
    "blind-misplaced": "seat bet number",
    "amount-not-posted": "seat bet cents wanted",
    "no-entering-bet": "bet? unreliable",
    "side-bet-alone": "seat bets bet",
    "wager-held": {
        **dict.fromkeys(("equal", "exactly", "at-most", "at-least", "multiple-of"), "seat bet cents wanted"),
        **dict.fromkeys(("limit", "tip-over", "above-stake"), "seat bet cents wanted"),
        **dict.fromkeys(
            ("needs", "needs-one-of", "excludes", "tip-alone", "tip-held", "same-as"), "seat bet bets cents"
        ),
        **dict.fromkeys(("total-over", "total-under"), "seat bets cents wanted"),
        **dict.fromkeys(
            (
                "bets_open",
                "table_has_extra",
                "extra_left_alone",
                "one_bet_moved",
                "money_is_there",
                "seat_is_live",
                "house_covered",
                "cards_to_come",
                "offered_hand_covered",
                "number_to_come",
                "spot_is_players",
            ),
            _ORDER,
        ),
    },
    "unknown-seat": _ORDER,
    "unknown-bet": _ORDER,
    "unknown-proposition": _ORDER,
    "hand-corrected": "place cards? known? counted? expected? badge level cause?",
    "correction-refused": _ORDER,
    "unknown-decision": _ORDER,
    "decision-bet-differs": dict.fromkeys(("bet-missing", "bet-left"), "seat choices? bet"),
    "bet-amount-unknown": "seat",
    "round-number-differs": "number expected unreliable",
    "reveal-before-burn": _ORDER,
    "wrong-burn": _ORDER,
    "burned-card-in-play": "place cards unreliable",
    "burned-card-in-muck": {
        "lies-there": "place cards called? unreliable?",
        "touched": "place called? unreliable?",
    },
    "burned-card-put-back": "place fault",
    "deck-runs-out": {
        "stop": "place expected left called?",
        "community": "place expected left burned",
        "scramble": "place expected left burned by_hand",
        "scramble-and-burn": "place expected left burned by_hand",
    },
    "hand-set-foul": "place called? unreliable?",
    "reveal-count-wrong": "place counted expected unreliable",
    "faces-disagree": {
        "shown-before": "place cards? known? unreliable",
        "lay-open": "place cards? known unreliable",
        "declared": "place cards known unreliable",
        "dispensed": "place cards known unreliable",
        "set": "place cards known unreliable",
        "laid-away": "place cards known unreliable",
        "reported-again": "number cards known unreliable",
        "card_waits_for_name": _ORDER,
    },
    "seat-count-wrong": _COUNT,
    "forced-draw-wrong": {
        "number": "place counted expected known called? unreliable?",
        "kept": "place cards? known called? unreliable?",
    },
    "board-order-differs": "place cards known",
    "button-misplaced": "seat number",
    "declared-late": "place",
    "choice-missing": "seat",
    "place-passed-over": "place counted expected",
    "discards-wrong": "place counted expected? limit called? unreliable?",
    "laid-aside-unknown": "place choices",
    "dealer-count-wrong": _COUNT,
    "community-count-wrong": _COUNT,
    "hand-count-wrong": _COUNT,
    "burn-count-wrong": _COUNT,
    "remainder-count-wrong": _COUNT,
    "deck-count-wrong": {
        "deck": "deck counted setting expected unreliable?",
        "shoe": "place shoe counted expected decks expected_decks unreliable?",
        "person": "place counted expected unreliable?",
    },
    "cards-not-conserved": {
        "deck": "counted expected dealt left rejected",
        "shoe-overdrawn": "place expected called? unreliable?",
        "shoe-count": "place counted expected called? unreliable?",
        "shoe-left": "place expected dealt left called? unreliable?",
        "shoe-empty": "place counted called? unreliable?",
    },
    "counts-differ": dict.fromkeys(("person", "shown"), "place counted expected"),
    "duplicate-face": {
        "two-places": "place cards other_place called? unreliable?",
        "drawn-too-often": "place cards counted limit called? unreliable?",
    },
    "foreign-card": dict.fromkeys(("deck", "shoe"), "place cards called? unreliable?"),
    "card-exposed": {"person": _SEEN, "player": _SEEN, "not-bottom": "place cards called? unreliable?"},
    "card-off-table": _SEEN,
    "hand-fouled": dict.fromkeys(("unknown", "player", "others"), _SEEN),
    "hand-reconstructed": _SEEN,
    "stray-joker": {"person": _SEEN, "device": "place cards called? unreliable?"},
    "boxed-card": {"person": _SEEN, "device": "place cards? called? unreliable?"},
    "card-mishandled": f"how {_SEEN}",
    "card-dropped": _SEEN,
    "card-early": _SEEN,
    "card-returned": _SEEN,
    "cards-put-back": {"shoe": "place? counted", "by-hand": "place?"},
    "card-unplaced": "counted unreliable",
    "deck-not-alternated": "place deck",
    "deck-changed-early": "place deck counted limit",
    "deck-not-fresh": "shoe unreliable",
    "deck-too-old": "place deck? shoe? counted limit",
    "burned-early": {"lies-apart": "place number", "reported": "place"},
    "burn-forgotten": "place called?",
    "shoe-not-shuffled": "place shoe counted",
    "defective-deck-again": "place deck cause? unreliable",
    "deck-count-due": "minutes",
    "draw-before-close": {"drawn_after_close": _ORDER, "out-again": "cards unreliable"},
    "draw-before-named": _ORDER,
    "card-unread": "place number",
    "card-doubtful": {
        "unsure": "place number cards? confidence flags?",
        "readers-disagree": "place number cards? confidence? flags",
    },
    "card-named": "number cards badge? level?",
    "naming-refused": _ORDER,
    "card-missing": {
        "skipped": "place number counted unreliable?",
        "went-back": "place number unreliable?",
        "reported-again": "number cards unreliable",
    },
    "drawn-outside": "place cards how unreliable?",
    "burned-mid-race": _ORDER,
    "card-overdrawn": "place cards number unreliable?",
    "cut-card": dict.fromkeys(("finish-round", "finish-race", "one-more-race", "play-on"), "place counted"),
    "other-shoe": "device unreliable",
    "shoe-over": "shoe unreliable",
    "shoe-ended": {"filled": "place shoe", "ended": "place shoe counted"},
    "misdeal-called": {"called": "badge? fault?", "ruled": "badge? fault? cause"},
    "ruled-on": "place? cause",
    "misdeal-refused": _ORDER,
    "deck-removed": {
        "ended": "badge?",
        "taken-out": "deck",
        "dumped": "",
        "packets-due": "due",
        "deal-unfinished": "",
    },
    "device-fault": {"fault": _FAULT, "words": "place device words unreliable?"},
    "jam": _FAULT,
    "door-opened": _FAULT,
    "power-lost": {"fault": _FAULT, "in-round": "device unreliable?", "not-cleared": "device unreliable"},
    "session-changed": {"in-round": "device session previous unreliable?", "begun": "device unreliable"},
    "session-returned": "device session unreliable?",
    "device-swapped": "device parts was now unreliable?",
    "device-not-pinned": "device parts was now unreliable?",
    "device-elsewhere": "device words unreliable?",
    "badge-refused": "badge device words unreliable?",
    "device-not-attested": "device words unreliable?",
    "firmware-changed": "device parts was now unreliable?",
    "round-repeated": "session number words",
    "round-number-again": "device number expected unreliable",
    "order-again": "deck number unreliable",
    "statements-differ": {
        "unlifted": "deck expected unreliable?",
        **dict.fromkeys(
            (
                *("deck", "packets", "dispensed", "remainder", "in-tray", "loaded", "rejected"),
                "packet-deck",
            ),
            "deck counted expected unreliable",
        ),
        "packet-again": "deck number counted expected unreliable",
        **dict.fromkeys(
            ("record-packets", "record-rejected", "record-loaded", "record-remainder"),
            "deck counted expected unreliable",
        ),
        "sensors": "device number unreliable?",
        **dict.fromkeys(("locked", "red-lamp"), "device unreliable?"),
        **dict.fromkeys(
            ("drawn", "in-round", "pushed-back", "lifted-deck", "deck-in-play", "rejected-late"),
            "device counted expected unreliable?",
        ),
    },
    "cleared-by-nobody": "fault unreliable?",
    "events-lost": "device first? last? unreliable",
    "start-lost": "device number unreliable",
    "rounds-lost": "device first last?",
    "link-lost": "device words",
    "line-flooded": "device",
    "recording-ended": "unreliable",
}
"""Facts by code, and by reason where a code has several; a question mark means that the fact may be missing."""

LEGAL: tuple[tuple[str, str, str, str], ...] = (
    ("supervisor", "BadgeSwiped", "", "come at once: T"),
    ("supervisor", "BadgeSwiped", "", "exchange (deck N|the deck), which was found defective, and swipe a badge"),
    (
        "supervisor",
        "BadgeSwiped",
        "",
        "exchange (deck N|the deck), which has been dealt often enough, and swipe a badge",
    ),
    (
        "dealer",
        "ShoeLoaded",
        "shoe",
        "shuffle the shoe: (identical cards were in one hand|it has been dealt often enough)",
    ),
    ("supervisor", "MisdealCalled", "", "rule a misdeal: T"),
    ("supervisor", "MisdealCalled", "", "call a misdeal"),
    ("supervisor", "Confirmed", "P", "rule that play continues: T"),
    ("supervisor", "CardsCounted", "P", "count the cards at P"),
    ("supervisor", "CardsCounted", "shoe", "count the cards left in the shoe"),
    ("dealer", "CardsCounted", "(shoe|shuffler|remainder)", "count the deck: N minutes have passed"),
    ("dealer", "CardsCounted", "(shoe|remainder)", "count the cards that are left"),
    ("player at P", "WagerPlaced", "P", "(bet|move to) W"),
    ("dealer", "GameStarted", "", "START GAME"),
    ("dealer", "GameEnded", "", "END GAME"),
    ("dealer", "SpotSelected", "dealer", "select the place that gets the first cards: the dealer's"),
    ("dealer", "SpotSelected", "P", "select the place that (gets the first cards|has the button): seat N"),
    ("dealer", "NumberDrawn", "", "draw the number that says who gets the first cards"),
    ("player at P", "HandSet", "P", "set the hand at P"),
    ("dealer", "HandSet", "P", "set the hand at P"),
    ("dealer", "Confirmed", "", r"deal by hand to P \(N\)(, P \(N\))*(, N times around)?, then confirm"),
    ("dealer", "Confirmed", "", "W is done"),
    ("dealer", "BurnConfirmed", "P", "burn cards N(, N)* from the left of the W packet"),
    ("shuffler", "RemainderDumped", "remainder", "dump the remainder"),
    ("dealer", "CardDrawn", "burn", "burn a card"),
    ("dealer", "CardDrawn", "P", "draw a card for P"),
    ("dealer", "CardDrawn", "shoe", "draw card N into its column"),
    ("dealer", "CardDrawn", "shoe", "draw card N, the extra card"),
    ("dealer", "PacketLifted", "P", "take packet N to P"),
    ("shuffler", "PacketDispensed", "P", "dispense packet N for P"),
    ("player at P", "DecisionMade", "P", "W"),
    ("dealer", "StakeShown", "P", "show the stake of seat N"),
    (
        "player at P",
        "PlayerActed",
        "P",
        r"(check|chop the blinds|bring in|bet|fold|(muck|leave) the hand( in the muck)?)",
    ),
    ("player at P", "PlayerActed", "P", r"(call|raise to more than|all-in with) \$T"),
    ("player at P", "PlayerActed", "P", "all-in with what is in the pot"),
    ("player at P", "PlayerActed", "P", "(check|bet|call|raise|all-in|bring-in) as it did out of turn"),
    ("supervisor", "PlayerActed", "P", "take back the action out of turn"),
    ("supervisor", "PotTaken", "P", "take back what P took of pot N"),
    ("player at P", "PlayerActed", "P", "call the full blind, with its amount"),
    ("player at P", "PlayerActed", "P", "sit out the next hand"),
    ("dealer", "PotTaken", "P", "award a pot to seat N"),
    ("dealer", "HandRevealed", "P", "show (N cards? of )?P"),
    ("dealer", "HandRevealed", "P", "show W"),
    ("dealer", "HandRevealed", "P", "turn up P"),
    ("dealer", "DecisionMade", "P", "W"),
    ("(dealer|supervisor|anyone)", "HandRevealed", "shoe", "name card N"),
)
"""Actor, event, place and text of everything that may happen next."""


@cache
def _pattern(sentence: str) -> re.Pattern[str]:
    """Return the pattern of a sentence. A letter that stands for something is alone, or between marks."""
    letters = "".join(_WORDS)
    return re.compile(
        re.sub(rf"(?<![A-Za-z\\\[\]'])([{letters}])(?![A-Za-z\]'])", lambda m: f"(?:{_WORDS[m[1]]})", sentence)
    )


def facts(incident: Incident) -> dict[str, object]:
    """Return the facts of an incident other than its code, reason and clause, without the reports it is based on."""
    found = {field: getattr(incident, field) for field in incident.__struct_fields__}
    default = {field: getattr(_EMPTY, field) for field in found}
    return {
        field: value
        for field, value in found.items()
        if field not in ("code", "clause", "reason", "events") and value != default[field]
    }


_EMPTY = Incident(code="", clause="")


def check_incident(incident: Incident) -> None:
    """Check that the incident names a clause, and has all facts of its code and no other."""
    known, found = FACTS[incident.code], facts(incident).keys()
    names = (known if isinstance(known, str) else known[incident.reason]).split()
    if incident.report:
        names += REPORTED[incident.report].split()
        assert HARMFUL[incident.reason] in (incident.unreliable, EITHER), incident
        assert (incident.code == "out-of-turn") == bool(incident.allowed), incident
    needed, allowed = {name for name in names if name[-1] != "?"}, {name.removesuffix("?") for name in names}
    assert needed <= found <= allowed, f"{incident.code} {incident.reason}: {incident!r}"
    assert incident.clause
    assert incident.events
    assert not re.search(r"(?<!\S)\?(?![\S])", incident.text), incident.text


@cache
def check_legal(item: Legal) -> None:
    """Check that actor, place and text are written down and fit together. The same entry is checked once."""
    fitting = [row for row in LEGAL if row[1] == item.event]
    said = any(
        _pattern(actor).fullmatch(item.actor)
        and _pattern(place).fullmatch(item.place)
        and _pattern(what).fullmatch(item.what)
        for actor, _, place, what in fitting
    )
    assert said, f"{item} ({item.event} at {item.place!r}) is not written down in tests/support/reading/sentences.py"
    if item.actor.startswith("player at "):
        assert item.actor == f"player at {item.place}"
    _check_value(item)


_VALUES = {
    "PacketDispensed": r"dispense packet (\d+) for (.+)",
    "PacketLifted": r"take packet (\d+) to (.+)",
    "SpotSelected": r"select the place that .*: seat (\d+)()",
    "BadgeSwiped": r"exchange deck (\d+),()",
    "CardDrawn": r"draw card (\d+)()",
    "HandRevealed": r"(?:show|name card) (\d+)(?: cards? of (.+)|$)",
}
"""Patterns of entries that name their number, and their place."""


def _check_value(item: Legal) -> None:
    """Check that the number and the place are those of the text."""
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
