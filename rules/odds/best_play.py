"""What engines that decide for a player take and give: the pays of each row, and how many deals end each way."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Final

import numpy as np

from rules.odds.joint import Ending
from rules.odds.placed_sets import Ints

LOST: Final = Fraction(-1)


@dataclass(frozen=True, slots=True)
class RowPays:
    """What a unit of a bet gains by the row that is reached, -1 where it is lost; rows are known by their number."""

    nets: tuple[Fraction, ...]
    names: tuple[str, ...] = ()

    def name(self, row: int) -> str:
        """Of a row, empty where none pays."""
        return self.names[row] if self.names else ""

    def whole(self, *others: "RowPays") -> tuple[Ints, int]:
        """The nets as whole numbers of 1/scale units, and the scale, which the others share."""
        scale = lcm(*(net.denominator for pays in (self, *others) for net in pays.nets))
        return np.array([int(net * scale) for net in self.nets], np.int64), scale


@dataclass(frozen=True, slots=True)
class PlayedOut:
    """How many equally likely deals end each way under one way to play; `decided` has, decision by decision, how many
    of the hands that come to it take each option, and `first` which do at the first decision, where that is short."""

    ways: Counter[Ending]
    decided: Mapping[str, Mapping[str, int]]
    first: Mapping[str, str] = field(default_factory=dict)
