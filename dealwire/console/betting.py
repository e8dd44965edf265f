"""What a page draws of players who bet against each other: whose turn it is, pots, chips, what was done. Pure."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from dealwire.console.prompt import Prompt
from dealwire.console.words import figure, numbers_words
from dealwire.hub.view import BettingView, LegalView, PotView, SeatView, SettledPotView, TableView
from dealwire.table.action_words import action_words, settled_pot_name, step_words, won_words

CHIP_LINES: Final = 3
"""What is said of a seat's chips: before it, behind, put in; one more where runners lie there."""
LINE_CHARACTERS: Final = 12
"""Of a line of chips at the narrowest seat."""
NOTHING: Final = "–"
POTS_SHOWN: Final = 4
"""Lines of pots that are seen at once; the list of more scrolls."""


def prompt_of(betting: BettingView, items: Sequence[LegalView]) -> Prompt:
    """Whose turn it is and what that player may do; who was passed by may still act."""
    in_turn = [seat for seat in betting.turn if seat not in betting.passed] or list(betting.turn)
    if len(in_turn) > 1:
        return Prompt("wait", f"Seats {numbers_words(in_turn)} to act", "nobody knows who is first")
    (seat,) = in_turn
    whats = [item.what for item in items if item.place == f"seat {seat}" and item.actor.startswith("player")]
    more = " or ".join(part for part in (", ".join(whats[:-1]), *whats[-1:]) if part)
    passed = [each for each in betting.passed if each != seat]
    if passed:
        were = "seats {} were" if len(passed) > 1 else "seat {} was"
        more += f"; {were.format(numbers_words(passed))} passed by and may still act"
    return Prompt("wait", f"Seat {seat} to act", more)


def is_in_turn(view: TableView, seat: SeatView) -> bool:
    """Whether it is this seat's turn, not one that was passed by."""
    return view.betting is None or seat.seat not in view.betting.passed


def last_action(view: TableView, seat: SeatView) -> str:
    """What a seat did last in this betting round; empty before it acted."""
    done = [each for each in (view.betting.actions if view.betting else ()) if each.seat == seat.seat]
    return action_words(done[-1].action, done[-1].cents, "", view.currency) if done else ""


class ChipLine(NamedTuple):
    """A line of a seat's chips: what, and how much."""

    what: str
    figure: str


def chip_lines(view: TableView, seat: SeatView) -> list[ChipLine]:
    """What lies before a seat, what is left behind, and what it has put in in all; `–` for nothing. Runners too."""
    chips, runners = seat.chips, [ChipLine("runners", str(seat.runners))] if seat.runners else []
    if chips is None:
        return runners
    behind = "not known" if chips.behind is None else figure(chips.behind, view.currency)
    put = sum(seat.wagers.values())
    return [
        ChipLine("bet", figure(chips.lies, view.currency) if chips.lies else NOTHING),
        ChipLine("behind", behind),
        ChipLine("put in", figure(put, view.currency) if put else NOTHING),
        *runners,
    ]


def is_wide(lines: Sequence[ChipLine]) -> bool:
    """Whether a line may take two, so that the list scrolls."""
    return any(len(line.what) + len(line.figure) > LINE_CHARACTERS for line in lines)


class PotLine(NamedTuple):
    """A line of the pots: its name, how much lies there, and for whom."""

    what: str
    figure: str
    whose: str


def pot_lines(view: TableView) -> list[PotLine]:
    """The pots, what lies before seats and comes to them, and what goes back."""
    betting = view.betting
    if betting is None:
        return []
    found = [_pot(each, view.currency) for each in betting.pots]
    lies = sum(seat.chips.lies for seat in view.seats if seat.chips is not None)
    if lies:
        found.append(PotLine("before seats", figure(lies, view.currency), ""))
    if betting.over:
        found.append(PotLine("goes back", figure(betting.over, view.currency), f"to seat {betting.over_seat}"))
    return found


def _pot(pot: PotView, currency: str) -> PotLine:
    return PotLine(pot.name, figure(pot.cents, currency), _seats(pot.seats))


def _seats(seats: Sequence[int]) -> str:
    return f"seat{'s' * (len(seats) != 1)} {', '.join(map(str, seats))}" if seats else "nobody"


def doings(view: TableView) -> list[str]:
    """What was done with chips in the betting round that was opened last, and who took a pot in, newest first."""
    betting = view.betting
    if betting is None:
        return []
    acts = [
        f"seat {each.seat} {action_words(each.action, each.cents, each.manner, view.currency)}"
        for each in betting.actions
    ]
    takes = [f"seat {each.seat} takes {figure(each.cents, view.currency)} of the {each.pot}" for each in betting.taken]
    return [*acts, *takes][::-1]


def street(view: TableView) -> str:
    """The betting round that was opened last."""
    betting = view.betting
    if betting is None or not (betting.step or betting.actions):
        return "Betting"
    words = step_words(betting.step or betting.actions[-1].step)
    return f"{words[:1].upper()}{words[1:]}{'' if betting.step else ', over'}"


class PotWon(NamedTuple):
    """Who takes how much of a settled pot, with what and by which clause."""

    seat: int
    cents: int
    words: str
    clause: str


def pot_title(pot: SettledPotView) -> str:
    """`Main pot`, `Side pot 1`."""
    return settled_pot_name(pot.name).capitalize()


def pot_winners(pot: SettledPotView) -> list[PotWon]:
    """Who takes it."""
    return [PotWon(each.seat, each.cents, won_words(each), each.clause) for each in pot.winners]
