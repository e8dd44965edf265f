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
            "own-suit": "a deuce that stands in its own suit counts as natural",
            "no-deuce": "any deuce in it makes a flush wild",
        },
        "wild-kicker": {
            "highest-absent": "each deuce ranks as the highest rank not already in that flush",
            "ace": "each deuce ranks as an ace, beside an ace that is already there",
            "lowest": "each deuce ranks as a deuce, below every other card",
        },
        "ace-over-under": {
            "low": "an ace counts 1 where a card is over or under seven",
            "high": "it is the highest card there, too",
        },
        "better-outcome": {
            "counts": "an outcome is won by every hand that holds it, a better one too",
            "apart": "it is won by the hand that it names, and by no better one",
        },
        "folded-envy": {
            "collects": "a bettor who folded still collects envy for another seat's hand",
            "none": "folding gives up the envy too",
        },
        "envy-trigger": {
            "bettors": "envy is paid for the hands of those who made the bet",
            "anyone": "it is paid for any hand at the table",
        },
        "envy-tied": {
            "each": "of hands that tie for the highest each earns the others envy",
            "once": "envy is paid once a round, whoever else holds the highest hand",
        },
        "folded-progressive": {
            "dies": "folding gives up the progressive bet",
            "stands": "a folded hand is still paid by the progressive, if its cards were shown",
            "held": "what becomes of the progressive bet of a folded hand a person decides",
        },
        "folded-trips": {
            "loses": "folding gives up the trips wager",
            "stands": "a folded hand is still paid by the trips wager, if its cards were shown",
            "held": "what becomes of the trips wager of a folded hand a person decides",
        },
        "folded-bonus": {
            "loses": "folding gives up the bonus wager",
            "stands": "a folded hand is still paid by the bonus wager, if its cards were shown",
            "held": "what becomes of the bonus wager of a folded hand a person decides",
        },
        "folded-pair-plus": {
            "loses": "folding gives up the pair plus wager, a pair or not",
            "stands": "a folded pair or better is still paid, if its cards were shown",
            "held": "what becomes of the pair plus wager of a folded hand a person decides",
        },
        "folded-ante-bonus": {
            "lost": "folding gives up the ante, and with it the bonus on it",
            "stands": "a folded hand is still paid its bonus on the ante, if its cards were shown",
        },
        "folded-play-blind": {
            "loses": "folding gives up the play wager that was made in the blind",
            "held": "what becomes of it a person decides",
        },
        "folded-river": {
            "loses": "folding gives up the River bet",
            "held": "what becomes of the River bet of a folded hand a person decides",
        },
        "late-fold-bonus": {
            "stands": "the 3 Card Bonus lives after a fold at any street",
            "loses": "a fold at the fourth or fifth street gives it up",
            "held": "what becomes of it after such a fold a person decides",
        },
        "unqualified-bet": {
            "push": "the bet comes back where the dealer does not qualify",
            "acts": "it is compared with the dealer's hand all the same",
            "held": "what becomes of it a person decides",
        },
        "super-bonus-tie": {
            "push": "a tie below a straight gives the super bonus back",
            "loses": "it loses the super bonus",
            "held": "what becomes of the super bonus a person decides",
        },
        "tied-hands": {
            "push": "of hands that tie the wagers come back",
            "loses": "the dealer takes them",
            "held": "what becomes of them a person decides",
        },
        "odd-half": {
            "house": "what half of an odd ante comes to is rounded down to the token, whoever wins",
            "player": "it is rounded up to the token",
            "held": "what cannot be halved in tokens a person decides",
        },
        "insurance-wheel": {
            "straight": "ace to five is a straight here, too, and no ace high",
            "ace-high": "the ace is high alone: ace to five is none, and without a pair or a flush it is ace high",
        },
        "ace-in-front": {
            "pair-behind": "of three aces the one goes in front that leaves no more than a pair of aces behind",
            "best-behind": "the one goes in front that leaves the highest hand behind, a straight or a flush",
        },
        "progressive-hand": {
            "own-five": "the progressive looks at the player's own five cards",
            "best-of-seven": "it looks at the best five of the player's five and the two community cards",
        },
        "hand-with-board": {
            "first-five": "the progressive looks at the player's two cards and the flop",
            "best-of-seven": "it looks at the best five of the player's two and the five community cards",
        },
        "jackpot-hand": {
            "any-row": "any hand in the progressive's pay table keeps a progressive-only round alive",
            "meter-row": "only a hand that is paid from the meter keeps it alive",
        },
        "jackpot-shared": {
            "equally": "hands that each win all of a meter in one round divide it equally",
            "in-turn": "each in its turn wins what the meter then shows",
        },
        "meter-order": {
            "dealers-right-first": "two meter pays in one round: from the dealer's right, counter-clockwise",
            "dealers-left-first": "two meter pays in one round: from the dealer's left, clockwise",
        },
        "foul-hand": {
            "loses": "a hand whose low part outranks the rest loses",
            "held": "what becomes of it a person decides",
        },
        "ace-low": {
            "lowest": "ace to five is the lowest straight",
            "second": "it is the second highest, below ace to ten",
        },
        "joker-use": {
            "semi-wild": "the joker completes a straight or a flush, or is an ace",
            "fully-wild": "it is any card",
        },
        "royal-match": {
            "king-queen": "a royal match is a king and a queen of one suit",
            "ace-king": "it is an ace and a king of one suit, neither of them the joker",
        },
        "five-card-rank": {
            "printed": "a set hand ranks as the game's own list has it, three of a kind above a straight",
            "general": "it ranks as 47.1-1004 has poker hands",
        },
        "three-card-rank": {
            "open": "where it matters whether a straight of three cards beats a flush, the bet is held",
            "straight-first": "a straight of three cards beats a flush",
            "flush-first": "a flush of three cards beats a straight",
        },
        "ace-high-note": {
            "held": "what a bonus is paid against a dealer with ace high or lower is held",
            "plain": "the note that doubles it is not in force",
            "doubles": "every pay of the schedule doubles",
        },
        "commission-on": {
            "ante": "a commission is taken of the ante's win alone",
            "every-win": "it is taken of every bet that wins",
        },
        "ace-high": {
            "holds-ace": "a flush is ace high when an ace is among its cards",
            "not-five-high": "likewise, but not ace, deuce, three, four and five, where the ace is low",
        },
        "low-hand": {
            "ace-to-five": "the lowest five cards win low; the ace is low, straights and flushes do not count",
            "deuce-to-seven": "the hand that ranks lowest as a high hand wins low; the ace is high",
        },
        "low-qualifier": {
            "none": "any low hand may win low",
            "eight-or-better": "a low hand of five ranks, none above eight, may",
        },
        "high-qualifier": {
            "none": "any high hand may win high",
            "jacks-or-better": "a pair of jacks or better may",
        },
        "hi-lo-ties": {
            "halves": "each half of the pot is shared by those who tie for it",
            "three-quarters": "who wins one half alone and ties for the other has three quarters, however many tie",
        },
        "given-up-side-pot": {
            "last": "a side pot that everybody in it gave up is theirs who gave up last, to whom it was left",
            "held": "a person decides whose it is",
        },
        "unequal-winners": {
            "held": "where winners bet unlike amounts and a loser more than the least of them, a person decides",
            "least": "no loser pays more than the least of the winners has bet, and they share it equally",
            "layers": "what a loser pays above one winner's bet is shared by those who have bet more",
        },
        "high-hand-share": {
            "not-set": "the house's figure is not known, and a pot of which it would be paid is held",
            **{str(part): f"the best hand has {part} % of a pot that nobody wins" for part in range(5, 100, 5)},
        },
        "last-hand": {
            "none": "the pot rolls over until a hand that qualifies wins it",
            "fifth": "the best hand wins all of it in the fifth hand, whatever it is",
        },
        "beaten-hands": {
            "held": "where several hands that count are beaten, one better than the other, a person decides",
            "highest": "the highest of them earns the award",
        },
        "tied-shares": {
            "held": "where hands tie that have a part of the award, a person decides",
            "divided": "they divide the part",
        },
        "rake-of": {
            "hand": "the rake is taken of what this hand has put into the pot",
            "pot": "it is taken of all that lies in the pot, with what rolled over",
        },
        "win-unshown": {
            "counts": "a hand won since all others folded brings a runner, too",
            "none": "only a hand won at the showdown does",
        },
        "royal-as-straight": {
            "counts": "a royal flush wins the straight flush bet, too: each bet is judged by itself",
            "apart": "a royal flush wins the royal flush bet only",
        },
    }
)
"""Meaning of each option, by reading and option."""
