"""What is wrong at a table, the worst first, for the person who stands there: what it is, why, by which clause, and
what can be done now by whom.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from dealer_flow.play.machine.states import MEANING, State
from dealer_flow.play.seen.legal import Legal
from dealwire.hub.view import TROUBLE_KINDS, DeviceView, HeldView, Lamp, OutcomeView, TroubleKind, TroubleView
from protocol.faults import fault_text


class Words(NamedTuple):
    """How a kind of trouble is told: its heading, what to do, and the role that can."""

    title: str
    advice: str
    who: str


WORDS: Final[dict[TroubleKind, Words]] = {
    "safe-stop": Words(
        "Safe stop: nothing is taken or settled",
        "Deal no more here. What lies on the table is settled by hand. Put the cause right, then start the table again:"
        " its journal goes on where it stopped",
        "technician",
    ),
    "line": Words(
        "{place} is not heard",
        "Deal nothing until it answers: nobody sees it. Check its power and its cable; the program keeps calling it",
        "technician",
    ),
    "repeated": Words(
        "Nothing of these rounds is paid",
        "Deal no more: the device counts rounds that were settled before. Start it anew, so that a new session begins,"
        " and settle by hand what lies there",
        "technician",
    ),
    "halted": Words(
        "Halted: this round cannot be relied on",
        "Cards and bets stay as they lie; nothing of this round is settled by the program. Decide by the clause what"
        " becomes of each bet, settle it by hand, then END GAME",
        "supervisor",
    ),
    "misdeal": Words(
        "{place}",
        "Take the cards in and give back the bets that the clause names; then END GAME",
        "dealer",
    ),
    "red-lamp": Words(
        "The red lamp is lit",
        "Clear the misdeal with a badge; that puts the lamp out. Deal nothing until then: no packet comes",
        "supervisor",
    ),
    "supervisor": Words(
        "A supervisor is needed", "Swipe a badge at the table and rule as the cause says", "supervisor"
    ),
    "count": Words(
        "The deck has to be counted", "Count it before the next round and key the count at the table", "dealer"
    ),
    "device": Words("{place} needs to be looked at", "The table goes on meanwhile", "technician"),
    "archive": Words(
        "Days that are over are not in the archive",
        "The table goes on, and these days stay in its journal. See that the archive's disk is there and put the files"
        " back, or have them written anew: dealwire journal archive",
        "technician",
    ),
    "unreliable": Words(
        "Round {place} could not be relied on",
        "None of its bets was settled: they are settled by hand, from its sheet",
        "supervisor",
    ),
    "held": Words(
        "Money of round {place} is held",
        "Settle it by hand from the round's sheet, then say so under Money: the amount stands here until then",
        "supervisor",
    ),
}

_VOID: Final = {
    State.VOID: "The round is void",
    State.PROGRESSIVE: "Misdeal: the hands play for the progressive only",
}


class Cause(NamedTuple):
    """Why a round came to where it stands."""

    text: str
    clause: str | None
    at_ns: int


class Facts(NamedTuple):
    """What a table's trouble is read off."""

    state: State
    cause: Cause | None
    stopped: tuple[str, int] | None
    away: Sequence[DeviceView]
    devices: Sequence[DeviceView]
    lamp: Lamp
    lamp_ns: int | None
    fault: int
    legal: Sequence[Legal]
    last: OutcomeView | None
    last_cause: Cause | None
    held: int | None
    """The newest round of which money is held and nobody has settled it."""
    count_due: Cause | None
    archive: tuple[str, int] | None = None
    say: Callable[[str], str] = str
    """A sentence without ids."""


def troubles(facts: Facts) -> tuple[TroubleView, ...]:
    """What is wrong, the worst first, but for what is held; empty when the table is as it should be."""
    found = sorted(_found(facts), key=lambda each: TROUBLE_KINDS.index(each.kind))
    return tuple(found)


def held_troubles(held: Sequence[HeldView]) -> tuple[TroubleView, ...]:
    """What nobody has settled, the least of all troubles: it keeps nothing from going on."""
    return tuple(
        _trouble("held", each.why, each.clause or None, each.at_ns, str(each.round), each.cents) for each in held
    )


def _found(facts: Facts) -> Iterator[TroubleView]:
    if facts.stopped is not None:
        yield _trouble("safe-stop", facts.stopped[0], since_ns=facts.stopped[1])
    for device in facts.away:
        why = device.problem or ("its line is open, and it says nothing yet" if device.link == "unknown" else "no line")
        yield _trouble("line", why, since_ns=device.since_ns, place=device.name)
    for device in facts.devices:
        if device.problem and device.link == "up":
            yield _trouble("device", device.problem, since_ns=device.since_ns, place=device.name)
    if facts.archive is not None:
        yield _trouble("archive", facts.archive[0], since_ns=facts.archive[1])
    if facts.stopped is None and not facts.away:
        yield from _of_round(facts)
    if facts.count_due is not None:
        yield _trouble("count", facts.count_due.text, facts.count_due.clause)
    if facts.lamp == "lit":
        text = fault_text(facts.fault) if facts.fault else "the shuffler does not say for which fault"
        yield _trouble("red-lamp", text, since_ns=facts.lamp_ns)
    if facts.last is not None and facts.last.repeated:
        text = f"round {facts.last.round} came once more: a round of this number and session was settled before"
        yield _trouble("repeated", text, None, facts.last.at_ns, str(facts.last.round))
    last = facts.last
    if last is not None and last.outcome == "unreliable" and last.round != facts.held and facts.state is State.BETTING:
        text, clause = _why(facts.last_cause, "its incidents say why")
        yield _trouble("unreliable", text, clause, last.at_ns, str(last.round))


def _of_round(facts: Facts) -> Iterator[TroubleView]:
    """What keeps the round under way from being played out."""
    since_ns = facts.cause.at_ns if facts.cause is not None else None
    why = _why(facts.cause, MEANING[facts.state])
    if facts.state is State.HALTED:
        yield _trouble("halted", *why, since_ns)
    elif facts.state in _VOID:
        yield _trouble("misdeal", *why, since_ns, _VOID[facts.state])
    needed = [item.what for item in facts.legal if item.actor == "supervisor" and item.event == "BadgeSwiped"]
    needed += [item.what for item in facts.legal if item.actor == "supervisor" and item.event == "Confirmed"]
    if needed:
        yield _trouble("supervisor", facts.say("; ".join(dict.fromkeys(needed))))


def _why(cause: Cause | None, otherwise: str) -> tuple[str, str | None]:
    return (cause.text, cause.clause) if cause is not None else (otherwise, None)


def _trouble(
    kind: TroubleKind,
    cause: str,
    clause: str | None = None,
    since_ns: int | None = None,
    place: str | None = None,
    cents: int | None = None,
) -> TroubleView:
    words = WORDS[kind]
    return TroubleView(
        kind=kind,
        title=words.title.format(place=place),
        cause=cause,
        clause=clause,
        advice=words.advice,
        who=words.who,
        since_ns=since_ns,
        place=place,
        cents=cents,
    )
