"""Drawing of betting between players: turn, pots, chips, actions. Pure functions."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from dealwire.console.prompt import Prompt
from dealwire.console.words import figure, numbers_words
from dealwire.hub.view import BettingView, LegalView, PotView, SeatView, SettledPotView, TableView
from dealwire.table.action_words import action_words, settled_pot_name, step_words, won_words

CHIP_LINES: Final = 3
"""Lines for a seat's chips: current bet, behind, put in. Runners add one."""
LINE_CHARACTERS: Final = 12
"""Characters of a line of chips at the narrowest seat."""
NOTHING: Final = "–"
POTS_SHOWN: Final = 4
"""Pot lines that are visible at once; a longer list scrolls."""


def prompt_of(betting: BettingView, items: Sequence[LegalView]) -> Prompt:
    """Return the prompt: whose turn it is, what that player may do, and who was skipped and may still act."""
    in_turn = [seat for seat in betting.turn if seat not in betting.passed] or list(betting.turn)
    if len(in_turn) > 1:
        return Prompt("wait", f"Seats {numbers_words(in_turn)} to act", "the first to act is unknown")
    (seat,) = in_turn
    whats = [item.what for item in items if item.place == f"seat {seat}" and item.actor.startswith("player")]
    more = " or ".join(part for part in (", ".join(whats[:-1]), *whats[-1:]) if part)
    passed = [each for each in betting.passed if each != seat]
    if passed:
        were = "seats {} were" if len(passed) > 1 else "seat {} was"
        more += f"; {were.format(numbers_words(passed))} skipped and may still act"
    return Prompt("wait", f"Seat {seat} to act", more)


def is_in_turn(view: TableView, seat: SeatView) -> bool:
    """True if it is this seat's turn and the seat was not skipped."""
    return view.betting is None or seat.seat not in view.betting.passed


def last_action(view: TableView, seat: SeatView) -> str:
    """Return the last action of a seat in this betting round; empty before it acted."""
    done = [each for each in (view.betting.actions if view.betting else ()) if each.seat == seat.seat]
    return action_words(done[-1].action, done[-1].cents, "", view.currency) if done else ""


class ChipLine(NamedTuple):
    """A line of a seat's chips: label and amount."""

    what: str
    figure: str


def chip_lines(view: TableView, seat: SeatView) -> list[ChipLine]:
    """Return a seat's current bet, the chips behind, and the total put in (`–` for none), then its runners."""
    chips, runners = seat.chips, [ChipLine("runners", str(seat.runners))] if seat.runners else []
    if chips is None:
        return runners
    behind = "unknown" if chips.behind is None else figure(chips.behind, view.currency)
    put = sum(seat.wagers.values())
    return [
        ChipLine("bet", figure(chips.lies, view.currency) if chips.lies else NOTHING),
        ChipLine("behind", behind),
        ChipLine("put in", figure(put, view.currency) if put else NOTHING),
        *runners,
    ]


def is_wide(lines: Sequence[ChipLine]) -> bool:
    """True if a line may wrap, so that the list scrolls."""
    return any(len(line.what) + len(line.figure) > LINE_CHARACTERS for line in lines)


class PotLine(NamedTuple):
    """A line of the pots: name, amount, and eligible seats."""

    what: str
    figure: str
    whose: str


def pot_lines(view: TableView) -> list[PotLine]:
    """Return the pots, the bets in front of seats, and any amount to be returned."""
    betting = view.betting
    if betting is None:
        return []
    found = [_pot(each, view.currency) for each in betting.pots]
    lies = sum(seat.chips.lies for seat in view.seats if seat.chips is not None)
    if lies:
        found.append(PotLine("current bets", figure(lies, view.currency), ""))
    if betting.over:
        found.append(PotLine("returned", figure(betting.over, view.currency), f"to seat {betting.over_seat}"))
    return found


def _pot(pot: PotView, currency: str) -> PotLine:
    return PotLine(pot.name, figure(pot.cents, currency), _seats(pot.seats))


def _seats(seats: Sequence[int]) -> str:
    return f"seat{'s' * (len(seats) != 1)} {', '.join(map(str, seats))}" if seats else "no seat"


def recent_actions(view: TableView) -> list[str]:
    """Return the actions of the newest betting round and the pots taken, newest first."""
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
    """Return the heading of the newest betting round."""
    betting = view.betting
    if betting is None or not (betting.step or betting.actions):
        return "Betting"
    words = step_words(betting.step or betting.actions[-1].step)
    return f"{words[:1].upper()}{words[1:]}{'' if betting.step else ', over'}"


class PotWon(NamedTuple):
    """A winner of a settled pot: seat, cents, winning hand, clause."""

    seat: int
    cents: int
    words: str
    clause: str


def pot_title(pot: SettledPotView) -> str:
    """Return the pot's heading: `Main pot`, `Side pot 1`."""
    return settled_pot_name(pot.name).capitalize()


def pot_winners(pot: SettledPotView) -> list[PotWon]:
    """Return the winners of a pot."""
    return [PotWon(each.seat, each.cents, won_words(each), each.clause) for each in pot.winners]
