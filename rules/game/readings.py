"""Readings: named ways to read a regulation that is silent or contradicts itself.

A game file declares the readings it leaves open and the default option of each. Every reading used is written into the
settlement, default or not.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

READINGS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "natural": {
            "own-suit": "a deuce of the flush's own suit counts as natural",
            "no-deuce": "any deuce makes the flush wild",
        },
        "wild-kicker": {
            "highest-absent": "each deuce ranks as the highest rank not already in that flush",
            "ace": "each deuce ranks as an ace, in addition to an ace already there",
            "lowest": "each deuce ranks as a deuce, below every other card",
        },
        "ace-over-under": {
            "low": "an ace counts 1 for over or under seven",
            "high": "an ace is the highest card, and over seven",
        },
        "better-outcome": {
            "counts": "an outcome is won by every hand that contains it, including better hands",
            "apart": "an outcome is won only by the hand that it names",
        },
        "folded-envy": {
            "collects": "a bettor who folded still collects envy for another seat's hand",
            "none": "folding gives up the envy too",
        },
        "envy-trigger": {
            "bettors": "envy is paid for the hands of players who made the bet",
            "anyone": "envy is paid for any hand at the table",
        },
        "envy-tied": {
            "each": "each of the hands that tie for the highest earns the others envy",
            "once": "envy is paid once per round, even if several hands tie for the highest",
        },
        "folded-progressive": {
            "dies": "folding gives up the progressive bet",
            "stands": "a folded hand is still paid by the progressive, if its cards were shown",
            "held": "a supervisor decides the progressive bet of a folded hand",
        },
        "folded-trips": {
            "loses": "folding gives up the trips wager",
            "stands": "a folded hand is still paid by the trips wager, if its cards were shown",
            "held": "a supervisor decides the trips wager of a folded hand",
        },
        "folded-bonus": {
            "loses": "folding gives up the bonus wager",
            "stands": "a folded hand is still paid by the bonus wager, if its cards were shown",
            "held": "a supervisor decides the bonus wager of a folded hand",
        },
        "folded-pair-plus": {
            "loses": "folding gives up the pair plus wager, with or without a pair",
            "stands": "a folded pair or better is still paid, if its cards were shown",
            "held": "a supervisor decides the pair plus wager of a folded hand",
        },
        "folded-ante-bonus": {
            "lost": "folding gives up the ante, and with it the bonus on it",
            "stands": "a folded hand is still paid its bonus on the ante, if its cards were shown",
        },
        "folded-play-blind": {
            "loses": "folding gives up a play wager made in the blind",
            "held": "a supervisor decides a play wager made in the blind",
        },
        "folded-river": {
            "loses": "folding gives up the River bet",
            "held": "a supervisor decides the River bet of a folded hand",
        },
        "late-fold-bonus": {
            "stands": "the 3 Card Bonus stands after a fold at any street",
            "loses": "a fold at the fourth or fifth street gives up the 3 Card Bonus",
            "held": "a supervisor decides the 3 Card Bonus after a fold at the fourth or fifth street",
        },
        "unqualified-bet": {
            "push": "the bet comes back if the dealer does not qualify",
            "acts": "the bet is compared with the dealer's hand anyway",
            "held": "a supervisor decides the bet if the dealer does not qualify",
        },
        "super-bonus-tie": {
            "push": "a tie below a straight gives the super bonus back",
            "loses": "a tie below a straight loses the super bonus",
            "held": "a supervisor decides the super bonus after a tie below a straight",
        },
        "tied-hands": {
            "push": "wagers come back if hands tie",
            "loses": "the dealer takes the wagers if hands tie",
            "held": "a supervisor decides the wagers if hands tie",
        },
        "odd-half": {
            "house": "half of an odd ante is rounded down to the token, regardless of the winner",
            "player": "half of an odd ante is rounded up to the token",
            "held": "a supervisor decides an ante that cannot be halved in tokens",
        },
        "insurance-wheel": {
            "straight": "ace to five is a straight here too, not ace high",
            "ace-high": "the ace is only high: ace to five is not a straight, and without a flush it is ace high",
        },
        "ace-in-front": {
            "pair-behind": "of three aces, the one in front leaves no more than a pair of aces behind",
            "best-behind": "of three aces, the one in front leaves the highest hand behind, a straight or a flush",
        },
        "progressive-hand": {
            "own-five": "the progressive uses the player's own five cards",
            "best-of-seven": "the progressive uses the best five of the player's five and the two community cards",
        },
        "hand-with-board": {
            "first-five": "the progressive uses the player's two cards and the flop",
            "best-of-seven": "the progressive uses the best five of the player's two and the five community cards",
        },
        "jackpot-hand": {
            "any-row": "any hand in the progressive's pay table keeps a progressive-only round alive",
            "meter-row": "only a hand that is paid from the meter keeps the round alive",
        },
        "jackpot-shared": {
            "equally": "hands that each win all of a meter in one round divide it equally",
            "in-turn": "each hand in turn wins the meter's amount at that time",
        },
        "meter-order": {
            "dealers-right-first": "two meter pays in one round: from the dealer's right, counter-clockwise",
            "dealers-left-first": "two meter pays in one round: from the dealer's left, clockwise",
        },
        "foul-hand": {
            "loses": "a hand whose low part outranks the rest loses",
            "held": "a supervisor decides a hand whose low part outranks the rest",
        },
        "ace-low": {
            "lowest": "ace to five is the lowest straight",
            "second": "ace to five is the second highest straight, below ace to ten",
        },
        "joker-use": {
            "semi-wild": "the joker completes a straight or a flush, or is an ace",
            "fully-wild": "the joker is any card",
        },
        "royal-match": {
            "king-queen": "a royal match is a king and a queen of one suit",
            "ace-king": "a royal match is an ace and a king of one suit, neither of them the joker",
        },
        "five-card-rank": {
            "printed": "a set hand ranks by the game's own list, with three of a kind above a straight",
            "general": "a set hand ranks by the poker hands of 47.1-1004",
        },
        "three-card-rank": {
            "open": "the bet is held if it matters whether a straight of three cards beats a flush",
            "straight-first": "a straight of three cards beats a flush",
            "flush-first": "a flush of three cards beats a straight",
        },
        "ace-high-note": {
            "held": "a bonus is held against a dealer with ace high or lower",
            "plain": "the note that doubles the bonus is not in force",
            "doubles": "every pay of the schedule doubles",
        },
        "commission-on": {
            "ante": "a commission is taken only on the ante's win",
            "every-win": "a commission is taken on every winning bet",
        },
        "ace-high": {
            "holds-ace": "a flush is ace high if it contains an ace",
            "not-five-high": "a flush is ace high if it contains an ace, except ace to five, where the ace is low",
        },
        "low-hand": {
            "ace-to-five": "the lowest five cards win low; the ace is low, straights and flushes do not count",
            "deuce-to-seven": "the hand that ranks lowest as a high hand wins low; the ace is high",
        },
        "low-qualifier": {
            "none": "any low hand may win low",
            "eight-or-better": "a low hand needs five ranks, none above eight, to win low",
        },
        "high-qualifier": {
            "none": "any high hand may win high",
            "jacks-or-better": "a high hand needs a pair of jacks or better to win high",
        },
        "hi-lo-ties": {
            "halves": "each half of the pot is shared by the hands that tie for it",
            "three-quarters": "winning one half alone and tying for the other gets three quarters, however many tie",
        },
        "odd-chip-low": {
            "high-hand": "an odd chip of a low half that hands tie for goes to the high hand",
            "by-position": "an odd chip of a low half goes to the first of the tied hands left of button or dealer",
        },
        "given-up-side-pot": {
            "last": "a side pot that every player in it gave up goes to the last one to do so",
            "held": "a supervisor decides a side pot that every player in it gave up",
        },
        "unequal-winners": {
            "held": "a supervisor decides if winners bet different amounts and a loser bet more than the lowest",
            "least": "no loser pays more than the winners' lowest bet, and the winners share it equally",
            "layers": "the part of a loser's bet above one winner's bet is shared by the winners who bet more",
        },
        "high-hand-share": {
            "not-set": "the house's figure is not known, and a pot that would pay it is held",
            **{str(part): f"the best hand gets {part} % of a pot that no hand wins" for part in range(5, 100, 5)},
        },
        "last-hand": {
            "none": "the pot rolls over until a qualifying hand wins it",
            "fifth": "the best hand wins all of it in the fifth hand, regardless of its rank",
        },
        "beaten-hands": {
            "held": "a supervisor decides if several qualifying hands of different rank are beaten",
            "highest": "the highest beaten hand earns the award",
        },
        "tied-shares": {
            "held": "a supervisor decides if hands that have a part of the award tie",
            "divided": "tied hands divide the part",
        },
        "rake-of": {
            "hand": "the rake is taken from this hand's contributions to the pot",
            "pot": "the rake is taken from the whole pot, including the amount that rolled over",
        },
        "win-unshown": {
            "counts": "a hand won because all others folded earns a runner too",
            "none": "only a hand won at the showdown earns a runner",
        },
        "royal-as-straight": {
            "counts": "a royal flush wins the straight flush bet too: each bet is decided separately",
            "apart": "a royal flush wins only the royal flush bet",
        },
    }
)
"""Meaning of each option, by reading and option."""
