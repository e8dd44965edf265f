"""Drawing of a view: the prompt, banners, places for cards, results by seat. Pure functions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, get_args

from dealwire.console import betting
from dealwire.console.prompt import Prompt
from dealwire.console.words import by_actor, clock, figure, natural, numbers_words
from dealwire.hub.actions import Action
from dealwire.hub.view import (
    BetLineView,
    HandView,
    LegalView,
    OutcomeView,
    SeatMoneyView,
    SeatView,
    SettlementView,
    TableView,
    TroubleKind,
    TroubleView,
)
from dealwire.table.action_words import pots_words
from dealwire.table.id_words import id_words
from rules.settlement import amount

STATES: Final[Mapping[str, str]] = {
    "betting": "Bets are open",
    "dealing": "Dealing cards",
    "burning": "Burning cards",
    "deciding": "Players decide",
    "acting": "Players bet in turn",
    "exchanging": "Exchanging cards",
    "assigning": "Waiting for the number",
    "setting": "Players set their hands",
    "showing": "Turning up cards",
    "revealing": "Showing hands",
    "drawing": "Drawing cards",
    "naming": "A card must be named",
    "extra": "Before the extra card",
    "settling": "Settling bets",
    "progressive": "Misdeal: progressive only",
    "void": "The round is void",
    "halted": "Halted",
}
"""State of a round in the words used at a table."""

OUTCOMES: Final[Mapping[str, tuple[str, str]]] = {
    "complete": ("✓", "complete"),
    "misdeal": ("✕", "misdeal"),
    "progressive-only": ("✕", "misdeal, progressive only"),
    "defective-deck": ("✕", "defective deck"),
    "unreliable": ("⚠", "not settled"),
}
"""Sign and text for each outcome of a round."""

_STOPPED: Final[Mapping[str, str]] = {
    "halted": "Halted: a supervisor decides",
    "void": "Void: collect cards, return bets",
}
"""Prompt of a round that is not played out, until END GAME."""

_HALTS: Final[Mapping[TroubleKind, tuple[str, str]]] = {
    "repeated": ("Do not deal", "The device repeats rounds that were already settled: a technician must restart it"),
    "red-lamp": ("Red lamp: do not deal", "A supervisor clears the misdeal with a badge"),
}
"""Prompt and remedy for each problem that stops play in every state of the round."""
_ENDS: Final = frozenset({"dealer", "supervisor"})
"""Roles that act on a round that is not played out."""


class RoundEnding(NamedTuple):
    """Mark of a finished round: style class, sign, text."""

    style: str
    sign: str
    words: str


def ending(each: OutcomeView) -> RoundEnding:
    """Return the mark of a round in the list of last rounds. An unpaid round never looks like a settled one."""
    sign, words = OUTCOMES[each.outcome]
    if each.repeated:
        return RoundEnding("unreliable", "⚠", "repeated, not paid")
    if each.incidents and each.outcome == "complete":
        many = f"{each.incidents} incident{'' if each.incidents == 1 else 's'}"
        return RoundEnding("complete noted", sign, f"{words}, {many}")
    return RoundEnding(each.outcome, sign, words)


_WORST: Final[Sequence[TroubleKind]] = get_args(TroubleKind)
_ALARMS: Final = frozenset({"safe-stop", "line", "repeated", "halted", "misdeal", "red-lamp"})
"""Kinds of trouble that stop a table. Play continues with all other kinds, which wait for a person."""

COLUMNS_MAX: Final = 8
"""Maximum number of seats next to each other; more are drawn in rows."""
BETS_SHOWN: Final = 5
"""Bets of a seat that are visible at once; a longer list scrolls."""
ROUNDS_NAMED: Final = 4
"""Rounds that a heading names; the rest are counted."""

CALLS: Final = ("call-misdeal", "clear-misdeal", "clear-error")
"""Supervisor actions during a round; all other actions are setup between rounds."""
RELEASE: Final = "release-held"
BANNER_LONG: Final = 150
"""Characters of a banner in full size."""
CAUSE_MOST: Final = 90
"""Maximum length of a cause in a banner, in characters; a button opens the whole text."""
BET_LONG: Final = 15
"""Characters of a bet and its amount on one line of the narrowest seat."""
LEAD_MOST: Final = 60
"""Maximum length of the prompt with all choices, in characters; a longer one shows the first choice only."""
WHY_MOST: Final = 40
"""Maximum length of a cause in the prompt, in characters; a longer one appears in its banner only."""
WINNERS_NAMED: Final = 1
"""Seats that the prompt names as winners of the last pots."""


def prompt(view: TableView) -> Prompt:
    """Return the prompt: who must act next, or why play is stopped."""
    if view.safe_stop is not None:
        return Prompt("stopped", "Safe stop: do not deal", "Settle the bets on the table by hand")
    if view.unknown is not None:
        since = f" since {clock(view.unknown.since_ns)}" if view.unknown.since_ns else ""
        before = "the table below is as last reported" if view.reported_ns else "no report has arrived yet"
        return Prompt("unknown", f"Unknown{since}", f"{view.unknown.why}: {before}")
    halt = halted_by(view)
    if halt is not None and view.state not in _STOPPED:
        why = f"{halt.cause[:1].upper()}{halt.cause[1:]}. " if len(halt.cause) <= WHY_MOST else ""
        lead, ends = _HALTS[halt.kind]
        return Prompt("stopped", lead, f"{why}{ends}")
    if view.state == "betting":
        called = next((each for each in view.trouble if each.kind == "supervisor"), None)
        if called is not None:
            return Prompt("wait", "Wait for a supervisor", called.cause)
        last = view.outcomes[-1] if view.outcomes else None
        before = result_words(last, view.currency) if last is not None else ""
        return Prompt("bets", "Bets are open", f"START GAME closes them{before and '. '}{before}")
    return _awaited(view)


def result_words(last: OutcomeView, currency: str) -> str:
    """Return the result of the last round if it is more than money for the house: race winner or pot winner."""
    if last.won:
        return f"Round {last.round}: {last.won} won"
    return f"Round {last.round}: {pots_words(last.pots, currency, WINNERS_NAMED)}" if last.pots is not None else ""


def halted_by(view: TableView) -> TroubleView | None:
    """Return the trouble that stops play although all devices respond; None if there is none."""
    return next((each for each in view.trouble if each.kind in _HALTS), None)


def may_continue(view: TableView) -> bool:
    """True if the round may continue: it is known, not stopped, and neither void nor halted."""
    return view.unknown is None and view.safe_stop is None and halted_by(view) is None and view.state not in _STOPPED


def is_next(seat: SeatView, view: TableView) -> bool:
    """True if the round waits for that seat and may continue."""
    return seat.next and may_continue(view)


def may_happen(view: TableView) -> list[LegalView]:
    """Return the possible next events at the seats drawn; while play is stopped, only those that end the stop."""
    here = {f"seat {seat.seat}" for seat in view.seats}
    items = [item for item in view.next if not (here and item.place.startswith("seat ")) or item.place in here]
    if may_continue(view):
        return items
    who = _ENDS if halted_by(view) is None else _ENDS - {"dealer"}
    return [item for item in items if item.actor in who]


def _awaited(view: TableView) -> Prompt:
    """Return the prompt for a round under way whose state is known."""
    items = [item for item in may_happen(view) if item.awaited]
    groups = [(_who(actor), [_briefly(what) for what in whats]) for actor, whats in by_actor(items)]
    lines = [f"{who}: {' or '.join(whats)}" for who, whats in groups]
    if view.state in _STOPPED:
        halt = halted_by(view)
        lines += [_HALTS[halt.kind][1]] if halt is not None else []
        return Prompt("wait", _STOPPED[view.state], "; ".join(lines))
    if view.won is not None:
        return Prompt("wait", f"{view.won.capitalize()} won", "; ".join(lines))
    if view.state == "acting" and view.betting is not None and view.betting.turn:
        return betting.prompt_of(view.betting, items)
    players = [item for item in items if item.actor.startswith("player")]
    if players and view.state == "deciding":
        seats = {_seat(item.place) for item in players}
        lead = f"{'Seats' if len(seats) > 1 else 'Seat'} {numbers_words(seats)} to decide"
        return Prompt("wait", lead, " or ".join(dict.fromkeys(item.what for item in players)))
    if players and view.state == "setting":
        seats = {_seat(item.place) for item in players}
        rest = [line for line, (who, _) in zip(lines, groups, strict=True) if not who.startswith("Seat")]
        return Prompt("wait", f"{'Seats' if len(seats) > 1 else 'Seat'} {numbers_words(seats)} to set", "; ".join(rest))
    if not lines:
        return Prompt("none", STATES.get(view.state, view.state))
    who, (first, *others) = groups[0]
    head, to, tail = first.partition(" to ")
    if to and len(first) > LEAD_MOST:  # many places in a row
        return Prompt("wait", f"{who}: {head}", "; ".join([f"to {tail}", *lines[1:]]))
    if others and len(lines[0]) > LEAD_MOST:
        return Prompt("wait", f"{who}: {first}", "; ".join([f"or {' or '.join(others)}", *lines[1:]]))
    return Prompt("wait", lines[0], "; ".join(lines[1:]))


def _briefly(what: str) -> str:
    """Return `show seat 8, seat 6` as `show seats 8, 6`."""
    return what.replace(", seat ", ", ").replace("seat ", "seats ", 1) if ", seat " in what else what


def _seat(place: str) -> int:
    return int(place.removeprefix("seat ")) if place.startswith("seat ") else 0


def _who(actor: str) -> str:
    """Return an actor as a heading: `Dealer`, `Seat 3`, `Seats 1, 2`."""
    text = actor.removeprefix("player at ")
    return text[:1].upper() + text[1:]


class FeltPlace(NamedTuple):
    """A place for cards other than a seat: its name, its usual and its largest number of cards, and its hand (None
    before it has one)."""

    name: str
    room: int
    most: int
    hand: HandView | None

    @property
    def title(self) -> str:
        """The place's name for the page."""
        return id_words(self.name).capitalize()


def places(view: TableView) -> list[FeltPlace]:
    """Return every place of the game, in the same order throughout a round, the dealer last."""
    hands = {hand.name: hand for hand in view.community}
    names = [name for name in view.room.places if name != "dealer"]
    names += ["burned"] if view.room.burned else []
    found = [_place(name, view, hands.get(name)) for name in dict.fromkeys([*names, *hands])]
    if "dealer" in view.room.places or view.dealer is not None:
        found.append(_place("dealer", view, view.dealer))
    return found


def _place(name: str, view: TableView, hand: HandView | None) -> FeltPlace:
    room = view.room.burned if name == "burned" else view.room.places.get(name, 0)
    there = len(hand.cards) + len(hand.burned) if hand is not None else 0
    return FeltPlace(name, room or max(there, 1), max(room, there, 1), hand)


def columns_of(seats: int) -> int:
    """Return the seats per row that make rows of about equal length."""
    rows = -(-max(seats, 1) // COLUMNS_MAX)
    return -(-max(seats, 1) // rows)


def bets_shown(view: TableView) -> int:
    """Return the lines reserved for a seat's bets: fewer with many rows of seats. In a game between players, the lines
    of its chips."""
    if view.betting is not None:
        return betting.CHIP_LINES + any(seat.runners is not None for seat in view.seats)
    return min(max(view.room.bets, 1), BETS_SHOWN if len(view.seats) <= 2 * COLUMNS_MAX else BETS_SHOWN - 2)


def bets_scroll(seat: SeatView, view: TableView) -> bool:
    """True if a seat's bets may need more lines than are reserved."""
    lines = (f"{id_words(bet)}{figure(cents, view.currency)}" for bet, cents in seat.wagers.items())
    return len(seat.wagers) > bets_shown(view) or any(len(line) > BET_LONG for line in lines)


class Banner(NamedTuple):
    """A problem as shown at the top of the page."""

    tone: Literal["alarm", "warn"]
    trouble: TroubleView
    title: str

    @property
    def long(self) -> bool:
        """True if the banner needs smaller type."""
        return len(self.title) + len(self.trouble.advice) + len(self.brief) > BANNER_LONG

    @property
    def brief(self) -> str:
        """The cause, cut at a word to fit the banner."""
        cause = self.trouble.cause
        if len(cause) <= CAUSE_MOST:
            return cause
        return f"{cause[:CAUSE_MOST].rpartition(' ')[0] or cause[:CAUSE_MOST]} …"


def banners(view: TableView) -> list[Banner]:
    """Return the banners, worst first. Held money of several rounds is one banner, in place of the first."""
    held = [each for each in view.trouble if each.kind == "held"]
    found = [each for each in view.trouble if each.kind != "held" or each is held[0]]
    shown = [_held(held, view) if each.kind == "held" and len(held) > 1 else each for each in found]
    return [Banner("alarm" if each.kind in _ALARMS else "warn", each, each.title) for each in shown]


def _held(held: Sequence[TroubleView], view: TableView) -> TroubleView:
    """Return one trouble for all held money, including rounds that are not listed one by one. It has a cause or clause
    only if all rounds share it."""
    causes, clauses = {each.cause for each in held}, {each.clause for each in held}
    rounds, cents = f"rounds {_rounds(int(each.place or 0) for each in held)}", sum(each.cents or 0 for each in held)
    if view.held_count > len(held):
        rounds, cents = f"{view.held_count} rounds", view.held_cents.get(view.currency, cents)
    return held[0].model_copy(
        update={
            "title": f"Money from {rounds} is held",
            "cents": cents,
            "cause": held[0].cause if len(causes) == 1 else f"{len(causes)} different reasons, see Money",
            "clause": held[0].clause if len(clauses) == 1 else None,
        }
    )


def _rounds(numbers: Iterable[int]) -> str:
    """Return round numbers as text: `3 and 4`, `1 to 19`, `1, 3, 5, 8 and 15 more`."""
    found = sorted(set(numbers))
    words = numbers_words(found)
    if len(words.replace(" and ", ", ").replace(" to ", ", ").split(", ")) <= ROUNDS_NAMED:
        return words
    return f"{', '.join(map(str, found[:ROUNDS_NAMED]))} and {len(found) - ROUNDS_NAMED} more"


def held_words(view: TableView) -> str:
    """Return the total held and from how many rounds."""
    sums = dict(view.held_cents)
    for each in () if sums else view.held:
        sums[each.currency] = sums.get(each.currency, 0) + each.cents
    many = max(view.held_count, len(view.held))
    of = f"{many} rounds" if many > 1 else f"round {view.held[0].round}"
    return f"{' and '.join(amount(cents, currency) for currency, cents in sums.items())} held from {of}"


def by_trouble(views: Iterable[TableView]) -> list[TableView]:
    """Return the tables in order: stopped ones first, worst first, then all others by name."""
    return sorted(views, key=lambda view: (min(map(_rank, view.trouble), default=len(_WORST)), natural(view.table)))


def _rank(trouble: TroubleView) -> int:
    return _WORST.index(trouble.kind) if trouble.kind in _ALARMS else len(_WORST)


class Net(NamedTuple):
    """Result of a seat in the last round: style class, sign, word, cents, held cents."""

    style: Literal["win", "lose", "push", "held"]
    sign: str
    word: str
    cents: int
    held: int


def net_of(money: SeatMoneyView) -> Net:
    """Return the net of a seat's settled bets, with the amount held."""
    if money.net > 0:
        return Net("win", "▲", "wins", money.net, money.held)
    if money.net < 0:
        return Net("lose", "▼", "loses", money.net, money.held)
    if money.held and not money.pay and not money.returned:
        return Net("held", "‖", "held", money.held, 0)
    return Net("push", "=", "even", 0, money.held)


def nets(view: TableView) -> dict[int, Net]:
    """Return the result of each seat in the last round, without seats that have bet again.

    Empty while a round is in progress, and if the last round has no settlement.
    """
    settled = view.settlement
    if settled is None or view.state != "betting" or settled.round != view.round:
        return {}
    betting = {seat.seat for seat in view.seats if seat.wagers}
    return {money.seat: net_of(money) for money in settled.seats if money.seat not in betting}


def bets_of(settled: SettlementView, seat: int) -> list[BetLineView]:
    """Return the settlement lines of one seat."""
    return [line for line in settled.lines if line.seat == seat]


def newest(outcomes: Sequence[OutcomeView]) -> list[OutcomeView]:
    """Return the outcomes, newest first."""
    return list(reversed(outcomes))


class Offer(NamedTuple):
    """An action with the reason why it cannot be used now, empty if it can."""

    action: Action
    why: str


def offers(actions: Sequence[Action], view: TableView, part: str) -> list[Offer]:
    """Return the actions of one `part` of the pages: `calls`, `held`, `pending`, `acts` or `faults`."""
    return [Offer(action, action.available(view)) for action in actions if _part_of(action) == part]


def _part_of(action: Action) -> str:
    if action.bench:
        return "faults"
    if action.does == RELEASE:
        return "held"
    if action.group == "pending":
        return "pending"
    return "calls" if action.does in CALLS else "acts"


def grouped(found: Iterable[Offer]) -> dict[str, list[Offer]]:
    """Return the actions by heading."""
    groups: dict[str, list[Offer]] = {}
    for offer in found:
        groups.setdefault(offer.action.group, []).append(offer)
    return groups
