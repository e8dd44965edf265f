"""Every incident a flow can report: a stable code, what it means and what follows. Printed in `docs/incidents.md`."""

from typing import Final, NamedTuple


class Meaning(NamedTuple):
    """What a code says; `clause` names the part of the procedure whose clause decides."""

    meaning: str
    consequence: str
    clause: str


INCIDENTS: Final = {
    # the order of play
    "out-of-turn": Meaning(
        "something was reported that may not happen now; the text names what was allowed",
        "unreliable when money or hidden cards depend on it, otherwise recorded only; the text says which",
        "the procedure's section",
    ),
    "no-entering-bet": Meaning("START GAME with no seat that has the entering bet", "unreliable", "the entering bet"),
    "side-bet-alone": Meaning(
        "a seat has bets but not the one that enters it into the deal", "unreliable", "the entering bet"
    ),
    "unknown-seat": Meaning(
        "a seat the procedure has no cards for, or that was not dealt in", "unreliable", "the seats"
    ),
    "unknown-bet": Meaning("a wager on a spot the procedure does not name", "unreliable", "the procedure's section"),
    "unknown-decision": Meaning("a choice the procedure does not name", "unreliable", "the procedure's section"),
    "decision-bet-differs": Meaning(
        "at END GAME a seat's choice and the bet that goes with it do not agree", "unreliable", "the decision"
    ),
    "bet-amount-unknown": Meaning(
        "a seat's sensor shows the progressive bet, its amount was not reported",
        "recorded only; the result has no such wager",
        "the progressive bet",
    ),
    "round-number-differs": Meaning(
        "END GAME names another round than START GAME", "unreliable", "the procedure's section"
    ),
    # burn and reveal
    "reveal-before-burn": Meaning(
        "community, dealer's or burned cards were shown before the burn was confirmed", "unreliable", "the burn"
    ),
    "wrong-burn": Meaning("other cards were burned than the procedure names", "unreliable", "the burn"),
    "burned-card-in-play": Meaning(
        "a burned card lies in a hand or among the community cards", "unreliable", "the burn"
    ),
    "reveal-count-wrong": Meaning(
        "another number of community cards was shown than the burn leaves", "unreliable", "the burn"
    ),
    "faces-disagree": Meaning(
        "two reports of the same cards name different faces", "unreliable", "the procedure's section"
    ),
    # counts
    "seat-count-wrong": Meaning("a player has a wrong number of cards", "as the wrong row says", "wrong"),
    "dealer-count-wrong": Meaning("the dealer has a wrong number of cards", "as the wrong row says", "wrong"),
    "community-count-wrong": Meaning("the community has a wrong number of cards", "as the wrong row says", "wrong"),
    "hand-count-wrong": Meaning(
        "a hand that the game names, or another place, has a wrong number of cards",
        "as the wrong row says, otherwise a supervisor rules",
        "wrong",
    ),
    "burn-count-wrong": Meaning("another number of cards was burned off the deck", "a supervisor rules", "procedure"),
    "remainder-count-wrong": Meaning(
        "another number of cards is left than the procedure says",
        "as the wrong row says, judged at END GAME: a person's count can still correct the device's",
        "wrong",
    ),
    "deck-count-wrong": Meaning(
        "the deck was dealt although its count before the deal was wrong, or the shoe has other decks",
        "as care.deck says",
        "care.deck",
    ),
    "cards-not-conserved": Meaning(
        "cards loaded are not packets + remainder + rejected, or a shoe's cards not those drawn + left",
        "as care.deck says, judged at END GAME for a deck: a person's count can still explain the difference",
        "care.deck",
    ),
    "counts-differ": Meaning(
        "a person's count or the faces shown differ from the device's count; the person's count holds",
        "recorded only; the count that holds is judged by itself",
        "the procedure's section",
    ),
    "duplicate-face": Meaning(
        "one face in two places, or more often than the shoe has decks",
        "as face.duplicate says",
        "face.duplicate",
    ),
    "foreign-card": Meaning("a card that is not of this deck", "as face.foreign says", "face.foreign"),
    # what a person sees happen to a card
    "card-exposed": Meaning(
        "a card was seen that should not be", "as the wrong row says, otherwise a supervisor rules", "wrong"
    ),
    "card-off-table": Meaning(
        "a card fell from the table", "as the wrong row says, otherwise a supervisor rules", "wrong"
    ),
    "hand-fouled": Meaning(
        "a hand touched discards or another hand", "as fouled says, otherwise a supervisor rules", "fouled"
    ),
    "stray-joker": Meaning(
        "a joker came out of a deck that has none", "as face.joker says, otherwise a supervisor rules", "face.joker"
    ),
    "boxed-card": Meaning(
        "a card lay face up in the deck", "as face.boxed says, otherwise a supervisor rules", "face.boxed"
    ),
    "card-mishandled": Meaning("something else happened to a card", "a supervisor rules", "procedure"),
    "burned-card-in-muck": Meaning(
        "a burned card touched the discards, or lies among them, before all cards are dealt",
        "as care.burned says, otherwise recorded only",
        "care.burned",
    ),
    "burned-card-put-back": Meaning(
        "the card burned last was laid back on top of the deck",
        "recorded only; it is burned again",
        "care.burned",
    ),
    "deck-runs-out": Meaning(
        "fewer cards are left than are due",
        "as care.runs-out says, otherwise the table waits for the shoe",
        "care.runs-out",
    ),
    # the decks
    "deck-not-alternated": Meaning("the same of two decks was dealt twice running", "recorded only", "deck"),
    "deck-not-fresh": Meaning("a round was dealt from a deck that another began", "unreliable", "deck"),
    "deck-too-old": Meaning("a deck was dealt more often than it may", "recorded only", "care.age"),
    "defective-deck-again": Meaning("a deck found defective was dealt again", "unreliable", "care.deck"),
    "deck-count-due": Meaning(
        "no deck was counted for as long as the procedure allows", "recorded only; the count is asked for", "care"
    ),
    # cards drawn one at a time
    "draw-before-close": Meaning("a card was drawn before bets were closed", "unreliable", "shoe.bets-closed"),
    "draw-before-named": Meaning(
        "a card was drawn while another waits to be named", "recorded only; it is taken in its place", "shoe.unread"
    ),
    "card-unread": Meaning(
        "the shoe did not read a card", "a person names it, or the round is unreliable", "shoe.unread"
    ),
    "card-named": Meaning("a person named a card the shoe did not read", "recorded only", "shoe.unread"),
    "naming-refused": Meaning(
        "a card was named without the badge the procedure asks for", "recorded only; it still waits", "shoe.unread"
    ),
    "card-missing": Meaning(
        "by the shoe's own count cards left it that were not reported",
        "unreliable from START GAME to END GAME, otherwise recorded only",
        "the procedure's section",
    ),
    "drawn-outside": Meaning(
        "a card was drawn in a mode of the shoe in which it belongs to no game",
        "unreliable until the race is decided, otherwise recorded only",
        "the procedure's section",
    ),
    "burned-mid-race": Meaning("a card was burned between the first card and the last", "unreliable", "shoe.columns"),
    "card-overdrawn": Meaning("a card was drawn after the end", "as shoe.overdraw says", "shoe.overdraw"),
    "cut-card": Meaning("the cut card came out", "as shoe.cut-card says of the rounds that follow", "shoe.cut-card"),
    "other-shoe": Meaning("cards of one race came out of two shoes", "unreliable", "procedure"),
    "shoe-over": Meaning("a round was dealt from a shoe that is over", "unreliable", "shoe.cut-card"),
    "shoe-ended": Meaning("the shoe ended in the middle of a round", "misdeal", "misdeal"),
    # a person's ruling
    "misdeal-called": Meaning("a person called a misdeal, or ruled one", "misdeal", "misdeal"),
    "ruled-on": Meaning("a supervisor ruled that play goes on", "recorded only", "as the finding's"),
    "misdeal-refused": Meaning(
        "a misdeal was called after substantial action", "recorded only; the round goes on", "misdeal"
    ),
    "deck-removed": Meaning(
        "the deck was taken out, or the round ended under the red lamp, before the deal was complete",
        "misdeal",
        "misdeal",
    ),
    # devices and lines
    "device-fault": Meaning("a device reported a fault or lit its red lamp", "as the fault's row says", "fault"),
    "jam": Meaning("a card jam was reported", "as the fault's row says", "fault"),
    "door-opened": Meaning("the door was opened while the deck was in the device", "as the fault's row says", "fault"),
    "power-lost": Meaning("a device lost power during a round", "unreliable when a round is under way", "fault"),
    "session-changed": Meaning("a device with a part in the round started anew", "unreliable", "procedure"),
    "events-lost": Meaning("reports of a device are gone for ever", "unreliable", "procedure"),
    "link-lost": Meaning(
        "a line was silent during a round", "recorded only, when the same session goes on without a gap", "procedure"
    ),
    "recording-ended": Meaning("the input ended in the middle of a round", "unreliable", "procedure"),
}


def may_break_a_round(code: str) -> bool:
    """True for the incidents after which a round cannot be relied on, so that a reader can name the cause."""
    return code in INCIDENTS and INCIDENTS[code].consequence.startswith("unreliable")
