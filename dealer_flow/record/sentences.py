"""The words for every incident: tables that nothing else knows.

A template names facts in braces. What stands behind the colon says how: `#card` a count with its noun, `this *|that`
`this` with the fact in place of the star or `that` without it; `&` before it puts commas between several.
"""

from collections.abc import Mapping, Sequence
from string import Formatter
from typing import TYPE_CHECKING, Any, Final

from protocol.faults import fault_text

if TYPE_CHECKING:
    from dealer_flow.record.incidents import Incident

_COUNT: Final = "{place} has {counted:#card}, not {expected}"
_OUT_OF_ORDER: Final = "{order}"
_FAULT: Final = "{device} reports {fault}"
_WHO: Final = "{badge:badge *|a person without a badge}"

SENTENCES: Final[Mapping[str, str | Mapping[str, str]]] = {
    "out-of-turn": "{order}; allowed: {allowed:&}; {unreliable:the round is unreliable|recorded only}",
    "no-entering-bet": "START GAME and no seat has {bet:bet *|made a bet}",
    "side-bet-alone": "seat {seat} bets {bets:&} without {bet}",
    "unknown-seat": _OUT_OF_ORDER,
    "unknown-bet": _OUT_OF_ORDER,
    "unknown-decision": _OUT_OF_ORDER,
    "decision-bet-differs": {
        "bet-missing": "seat {seat} chose {choices:&*|nothing} without a {bet} bet",
        "bet-left": "seat {seat} chose {choices:&*|nothing} with a {bet} bet",
    },
    "bet-amount-unknown": "seat {seat}: the sensor shows a progressive bet, no amount was reported",
    "round-number-differs": "END GAME of round {number} after START GAME of round {expected}",
    "reveal-before-burn": _OUT_OF_ORDER,
    "wrong-burn": _OUT_OF_ORDER,
    "burned-card-in-play": "{cards} was burned and lies at {place}",
    "reveal-count-wrong": "{place}: {counted:#card} shown, the burn leaves {expected}",
    "faces-disagree": {
        "card_waits_for_name": _OUT_OF_ORDER,
        "shown-before": "{place} shown as {cards:*|nothing}, before as {known:*|nothing}",
        "lay-open": "{place} shows {cards:*|nothing} and no longer {known}, which lay open",
        "dispensed": "{place} shows {cards}, the device dispensed {known}",
        "reported-again": "card {number} is reported again as {cards}, before as {known}",
    },
    "seat-count-wrong": _COUNT,
    "dealer-count-wrong": _COUNT,
    "community-count-wrong": _COUNT,
    "hand-count-wrong": _COUNT,
    "burn-count-wrong": _COUNT,
    "remainder-count-wrong": "{counted:#card} left, not {expected}",
    "deck-count-wrong": {
        "deck": "deck {deck} is dealt with {counted:#card} counted, {setting} set, not {expected}",
        "shoe": "shoe {shoe} has {counted:#card} in {decks:#deck}, not {expected} in {expected_decks}",
        "person": "a person counts {counted:#card} in a deck of {expected}",
    },
    "cards-not-conserved": {
        "deck": "{expected:#card} loaded, {dealt} in packets + {left} left + {rejected} rejected = {counted}",
        "shoe-overdrawn": "more than the {expected:#card} loaded have left the shoe",
        "shoe-count": "the shoe counts {counted:#card} drawn, {expected} were reported",
        "shoe-left": "{expected:#card} loaded, {dealt} drawn and {left} left",
        "shoe-empty": "the shoe is empty, without {counted:#card} of its decks",
    },
    "counts-differ": {
        "person": "{place}: a person counts {counted:#card}, counted before {expected}",
        "shown": "{place}: shown are {counted:#card}, counted before {expected}",
    },
    "duplicate-face": {
        "two-places": "{cards} at {place} was already at {other_place}",
        "drawn-too-often": "{cards} was drawn {counted:#time} from a shoe of {limit:#deck}",
    },
    "foreign-card": {"deck": "{cards} at {place} is no card of this deck", "shoe": "{cards} is no card of this shoe"},
    "card-exposed": {
        "person": "{place:*: }a card is exposed{cards:, *}",
        "not-bottom": "{place}: {cards} lies open and is not the bottom card",
    },
    "card-off-table": "{place:*: }a card is off the table{cards:, *}",
    "hand-fouled": "{place:*: }the hand touched other cards{cards:, *}",
    "stray-joker": "{place:*: }a stray joker came{cards:, *}",
    "boxed-card": "{place:*: }a card lay face up in the deck{cards:, *}",
    "card-mishandled": "{place:*: }a card is '{how}'{cards:, *}",
    "burned-card-in-muck": {
        "lies-there": "{cards} was burned and lies among the discards",
        "touched": "{place}: the burned cards touched the discards",
    },
    "burned-card-put-back": "the card burned last is laid back on top of the deck, to be burned again",
    "deck-runs-out": {
        "stop": "cards due: {expected}, left: {left}",
        "scramble": "cards due: {expected}, left: {left}; of the last and {burned} burned, scrambled, {by_hand} dealt"
        " by hand without burning one",
        "scramble-and-burn": "cards due: {expected}, left: {left}; of the last and {burned} burned, scrambled,"
        " {by_hand} dealt by hand after burning one",
    },
    "deck-not-alternated": "deck {deck} is dealt twice running; two decks take turns",
    "deck-not-fresh": "shoe {shoe} is dealt from again; each round has a fresh one",
    "deck-too-old": "{deck:deck *}{shoe:shoe *} was dealt {counted:#round} before this one; at most {limit}",
    "defective-deck-again": "deck {deck} is dealt again, after {cause:*|it was found defective}",
    "deck-count-due": "no deck was counted for {minutes:#minute}; count it",
    "draw-before-close": {
        "drawn_after_close": _OUT_OF_ORDER,
        "out-again": "card {cards} is drawn before bets were closed",
    },
    "draw-before-named": _OUT_OF_ORDER,
    "card-unread": "card {number} was not read",
    "card-doubtful": {
        "unsure": "card {number}{cards:, read as *,} is doubtful: the reader is {confidence} % sure",
        "readers-disagree": "card {number}{cards:, read as *,} is doubtful: the readers disagree",
    },
    "card-named": f"card {{number}} is named {{cards}} by {_WHO}{{level: (*)}}",
    "naming-refused": _OUT_OF_ORDER,
    "card-missing": {
        "skipped": "the shoe's count is {number}: {counted:#card} before it not reported",
        "went-back": "the shoe's count went back to {number}",
        "reported-again": "card {number}, {cards}, is reported again and was not before",
    },
    "drawn-outside": "card {cards} is drawn in the shoe's {how} mode",
    "burned-mid-race": _OUT_OF_ORDER,
    "card-overdrawn": "{cards} is drawn as card {number}, after the race was decided",
    "cut-card": {
        "finish-round": "the cut card comes out after {counted:#card}: this round is the last",
        "finish-race": "the cut card comes out after {counted:#card}: this race is the last",
        "one-more-race": "the cut card comes out after {counted:#card}: one more race follows",
        "play-on": "the cut card comes out after {counted:#card}: play goes on",
    },
    "other-shoe": "a card is drawn from {device} in the middle of a round",
    "shoe-over": "a card is drawn from shoe {shoe}, which is over",
    "shoe-ended": {
        "filled": "shoe {shoe} was filled in the middle of a round",
        "ended": "shoe {shoe} ended after {counted:#card}, in the middle of a round",
    },
    "misdeal-called": {"called": f"{_WHO} calls a misdeal", "ruled": f"{_WHO} rules a misdeal: {{cause}}"},
    "ruled-on": "a supervisor rules that play goes on: {cause}",
    "misdeal-refused": _OUT_OF_ORDER,
    "deck-removed": {
        "ended": "{badge:badge *|a person at the device} ended the deal",
        "taken-out": "deck {deck} was taken out before the remainder was counted",
        "dumped": "the remainder is dumped under the red lamp before the deal was complete",
        "packets-due": "END GAME under the red lamp before {due} had its packet",
        "deal-unfinished": "END GAME under the red lamp before every card was dealt",
    },
    "device-fault": {"fault": _FAULT, "words": "{device} reports '{words}', which has no known meaning"},
    "jam": _FAULT,
    "door-opened": _FAULT,
    "power-lost": {
        "fault": _FAULT,
        "in-round": "{device} lost power during a round",
        "not-cleared": "{device} lost power in the middle of a deal, and nobody cleared it",
    },
    "session-changed": {
        "in-round": "{device} started anew: session {session} after {previous}",
        "begun": "{device} started anew and had begun to deal",
    },
    "events-lost": "events of {device} are gone{first:: *}{last: to *}",
    "link-lost": "{device}: {words}",
    "recording-ended": "the input ended before END GAME",
}
"""Code -> template, or its templates by `reason`."""


REPORTS: Final[Mapping[str, str]] = {
    "GameStarted": "START GAME of round {number}",
    "GameEnded": "END GAME",
    "MisdealCalled": "a misdeal is called",
    "SpotSelected": "seat {seat} is selected for the first cards",
    "Confirmed": "CONFIRM",
    "CardMishandled": "a card at {place:*|nowhere} is {how}",
    "PacketDispensed": "packet {number} is dispensed",
    "PacketLifted": "packet {number} is lifted",
    "RemainderDumped": "the remainder is dumped",
    "CardsCounted": "{counted:#card} counted at {place:*|nowhere}",
    "WagerPlaced": "seat {seat} changes its {bet} bet to {cents} cents",
    "DecisionMade": "seat {seat} chooses {choices}",
    "BurnConfirmed": "{positions:positions *|no positions} of {place:*|nowhere} are burned",
    "HandRevealed": "{place:*|nowhere} is shown",
    "CardDrawn": "{cards:card *|a card} is drawn",
    "CardUnread": "a card is drawn",
}
"""What a report that was out of order says."""

ORDER: Final[Mapping[str, str]] = {
    # END GAME, by what the round waits for
    "ruled": "{report} before a supervisor has ruled",
    "cards_out": "{report} before every card of the step is out",
    "burn_confirmed": "{report} before the burn is confirmed",
    "all_decided": "{report} before every live seat has chosen",
    "all_shown": "{report} before the cards of the step lie open",
    "remainder_counted": "{report} before the remainder was counted",
    "race_decided": "{report} before the race was decided",
    "card_named": "{report} before a card that was not read was named",
    "extra_drawn": "{report} before the extra card was drawn",
    # the round
    "round_begun": "{report} with no round under way",
    "round_ended": "{report} before END GAME of the one before",
    "bets_closed": "{report} before START GAME",
    "before_first_decision": "{report} after the first decision",
    "place_is_known": "{report}; the table has no such place",
    "first_cards_to_come": "{report} after cards were dealt",
    "something_to_confirm": "{report} with nothing to confirm yet",
    # packets
    "packet_in_order": "{report}, packet {expected} comes next",
    "packet_in_tray": "{report}, which does not lie in the tray",
    "somebody_is_due": "{report} and nobody is due one",
    "remainder_to_come": "{report} after the remainder was counted",
    "deal_complete": "{report} before every packet is out",
    "cards_lie_there": "{report}, where none were dealt",
    # bets and choices
    "bet_is_known": "{report}, which is no spot of the layout",
    "seat_at_table": "{report}; the table has no such seat",
    "bets_open": "{report} after bets were closed",
    "table_has_extra": "{report}; this table has no extra card",
    "extra_left_alone": "{report} while {state}",
    "one_bet_moved": "{report}; it has already moved money to another",
    "money_is_there": "{report}; there is not so much",
    "deal_begun": "{report} before the deal",
    "seat_is_live": "{report}; it is not live in this round",
    "house_covered": "{report} after the house's cards were shown",
    "offered_hand_covered": "{report} after the offered hand was shown",
    "choice_is_due": "{report} while {state}",
    "choice_is_known": "{report}, which the game does not have",
    "seat_dealt_in": "{report}; it was not dealt in",
    "choice_has_its_bets": "{report} without the bets it needs",
    "choice_is_new": "{report} once more",
    "choice_stands": "{report} after another choice",
    "choice_is_offered": "{report}, which no step offers now",
    "hand_is_live": "{report} with a dead hand",
    "step_offers_choice": "{report} while {state}",
    "players_choose": "{report} while {state}",
    # burns and hands
    "packet_is_burned": "{report}; none of its cards are burned in this game",
    "packet_was_dealt": "{report} before that packet was dealt",
    "burned_as_written": "{report}{spread:, counted *}, not {expected_positions} counted left-to-right",
    "burned_once": "{report} a second time",
    "packet_is_spread": "{report} while {state}",
    "burned_before": "{report} before the burn",
    "somebody_plays_there": "{report}; nobody plays there",
    "place_dealt_in": "{report}; it was not dealt in",
    "shown_in_order": "{report} before {due}",
    "fewer_lie_open": "{counted:#card} of {place} shown; {limit} may lie open now",
    "house_shown_last": "{report} before every player has chosen",
    "hand_shown_in_time": "{report} while {state}",
    # a shoe
    "dealt_from_shoe": "{report} from a shoe; this game is dealt in packets",
    "drawn_after_close": "{report} before bets were closed",
    "burned_between_races": "{report} and burned in the middle of the race",
    "drawn_after_name": "{report} while another waits to be named",
    "drawn_for_somebody": "{report} and nobody is due one",
    "burned_when_due": "{report} and burned, and {due} is due one",
    "one_face_named": "{counted:#card} named at once; one, and a card of the deck, is allowed",
    "name_is_missing": "{cards} is named, which the shoe had read",
    "card_waits_for_name": "{cards} is named and no card waits for a name",
    "badge_may_name": "{cards} is named without the badge that may; swipe it first",
}
"""The guard that did not hold -> why a report was out of order."""


def names_state(reason: str) -> bool:
    """Whether the words for this reason say where the round stood."""
    return "{state}" in ORDER.get(reason, "")


def sentence(incident: "Incident") -> str:
    """What happened, for a person. A line of an older schema, which lacks facts, is told by its code."""
    found = SENTENCES.get(incident.code, "")
    template = found if isinstance(found, str) else found.get(incident.reason, "")
    return _Words(incident).format(template) if template else incident.code


class _Words(Formatter):
    """Puts the facts of an incident into a template."""

    def __init__(self, incident: "Incident") -> None:
        self._incident = incident

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The fact of this name."""
        if key == "order":
            return self.format(ORDER.get(self._incident.reason, self._incident.reason))
        value = getattr(self._incident, str(key))
        if key == "report":
            return self.format(REPORTS.get(value, value))
        return fault_text(value) if key == "fault" and value is not None else value

    def format_field(self, value: Any, spec: str) -> str:
        """The fact as `spec` has it."""
        missing = value is None or value is False or value in ("", ())
        words = "?" if missing else str(value)
        if isinstance(value, tuple) and value:
            words = (", " if spec.startswith("&") else " ").join(map(str, value))
        spec = spec.removeprefix("&")
        if not spec:
            return words
        if spec.startswith("#"):
            return f"{words} {spec[1:]}{'s' * (value != 1)}"
        present, _, absent = spec.partition("|")
        return absent if missing else present.replace("*", words)
