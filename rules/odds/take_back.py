"""Equal bets, all but the last of which may be taken back one by one as cards come.

The player sees his own cards and decides on the first bet; a community card is turned and he decides on the second,
and so on; the last bet stays, and every bet that stayed is paid by the one hand of all cards (CO
47.1-1017.14(6)-(8)). What was taken back changes nothing that follows, so each decision is right by itself: a bet
stays when it gains on average.
"""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np

from rules.odds.best_play import PlayedOut, RowPays
from rules.odds.in_words import in_words
from rules.odds.joint import Ending
from rules.odds.placed_sets import Choose, Ints, Pack, all_sets, choices, count_rows, extend, shrink

KEPT, TAKEN_BACK = "stays", "taken back"


def take_back(
    pack: Pack, rows: Ints, pays: RowPays, *, own: int = 3, size: int = 5, choose: Choose | None = None
) -> PlayedOut:
    """`size` - `own` bets that may be taken back and one that stays, paid by the row of `size` cards.

    `rows` has the row of every set of `size` cards in order of place. A bet that gains nothing is taken back.
    `choose` gives 1 where the bet stays, else 0. Deals: own cards as a set, the community in order.
    """
    nets, _ = pays.whole()
    last = count_rows(pack.size, rows, len(nets), size, size - 1)
    kept = _kept(pack, last @ nets, own, size, choose)
    reached = np.ones((comb(pack.size, own), 1), np.int64)
    decided = {}
    for bet, known in enumerate(range(own, size)):
        if bet:
            reached = extend(pack.size, reached, known)
        stays = kept[bet].astype(np.int64)[:, None]
        decided[f"bet {bet + 1}"] = {KEPT: int(stays.sum()), TAKEN_BACK: int((1 - stays).sum())}
        reached = np.stack([reached * (1 - stays), reached * stays], axis=2).reshape(len(stays), -1)
    ways: Counter[Ending] = Counter()
    for column, stay in enumerate(product((0, 1), repeat=size - own)):
        for row, deals in enumerate((reached[:, column] @ last).tolist()):
            if deals:
                ways[_ended((*stay, 1), pays, row)] += deals
    return PlayedOut(ways, decided, in_words(pack, own, kept[0], (TAKEN_BACK, KEPT)))


def _kept(pack: Pack, gains: Ints, own: int, size: int, choose: Choose | None) -> list[Ints]:
    """For each decision, in order, whether the bet stays for each set the player can see."""
    found = []
    for known in range(size - 1, own - 1, -1):
        chosen = choices(pack, all_sets(pack.size, known), known - own, choose)
        found.append((gains > 0).astype(np.int64) if chosen is None else chosen)
        gains = shrink(pack.size, gains, known)
    return found[::-1]


def _ended(stay: tuple[int, ...], pays: RowPays, row: int) -> Ending:
    net, name = pays.nets[row], pays.name(row)
    stakes = tuple(Fraction(each) for each in stay)
    back = [str(bet + 1) for bet, each in enumerate(stay) if not each]
    what = f"{TAKEN_BACK}: {', '.join(back)}" if back else "all stay"
    return Ending(stakes, tuple(each * net for each in stakes), what, tuple(name if each else "" for each in stay))
