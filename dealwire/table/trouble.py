"""Problems of a table, worst first, for the person at the table: what it is, why, by which clause, what can be done and
by whom."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from dealer_flow.play.machine.states import MEANING, State
from dealer_flow.play.seen.legal import Legal
from dealwire.hub.view import TROUBLE_KINDS, DeviceView, HeldView, Lamp, OutcomeView, TroubleKind, TroubleView
from protocol.faults import fault_text


class Words(NamedTuple):
    """Texts for a kind of trouble: heading, advice, and the role that can act."""

    title: str
    advice: str
    who: str


WORDS: Final[dict[TroubleKind, Words]] = {
    "safe-stop": Words(
        "Safe stop: nothing is processed or settled",
        "Do not deal here. Settle the bets on the table by hand. Fix the cause, then restart the table: it resumes from"
        " its journal",
        "technician",
    ),
    "line": Words(
        "{place} is not responding",
        "Do not deal until it responds: no card would be seen. Check its power and cable; the program keeps retrying",
        "technician",
    ),
    "repeated": Words(
        "These rounds are not paid",
        "Do not deal: the device repeats rounds that were already settled. Restart it so that it begins a new session,"
        " and settle the bets on the table by hand",
        "technician",
    ),
    "halted": Words(
        "Halted: this round is unreliable",
        "Leave cards and bets where they are; the program settles nothing in this round. Decide each bet by the"
        " clause, settle it by hand, then press END GAME",
        "supervisor",
    ),
    "misdeal": Words(
        "{place}",
        "Collect the cards and return the bets that the clause names; then press END GAME",
        "dealer",
    ),
    "red-lamp": Words(
        "The red lamp is on",
        "Clear the misdeal with a badge, which turns the lamp off. Do not deal until then: no packet comes",
        "supervisor",
    ),
    "supervisor": Words(
        "A supervisor is needed", "Swipe a badge at the table and rule as described below", "supervisor"
    ),
    "count": Words(
        "The deck must be counted", "Count it before the next round and enter the count at the table", "dealer"
    ),
    "device": Words("{place} needs attention", "Play continues meanwhile", "technician"),
    "archive": Words(
        "Finished days are missing from the archive",
        "Play continues, and these days stay in the journal. Check that the archive's disk is mounted and restore the"
        " files, or write them again: dealwire journal archive",
        "technician",
    ),
    "witness": Words(
        "The journal lacks a witness's signature",
        "Play continues. Check that the witness runs and reaches the broker: until it signs, nobody else could show"
        " that the journal was rewritten since. This ends as soon as it does",
        "technician",
    ),
    "badge": Words(
        "A badge that does not count was used",
        "Find out who holds it, and what was done with it; play continues. It stays here until a badge that counts is"
        " swiped",
        "supervisor",
    ),
    "unreliable": Words(
        "Round {place} was unreliable",
        "None of its bets was settled. Settle them by hand from the round's sheet",
        "supervisor",
    ),
    "held": Words(
        "Money from round {place} is held",
        "Settle it by hand from the round's sheet, then mark it as settled under Money. It stays here until then",
        "supervisor",
    ),
}

_VOID: Final = {
    State.VOID: "The round is void",
    State.PROGRESSIVE: "Misdeal: the hands play for the progressive only",
}


class Cause(NamedTuple):
    """Reason for a round's state."""

    text: str
    clause: str | None
    at_ns: int


class Facts(NamedTuple):
    """Facts from which a table's trouble is derived."""

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
    """Newest round with money still held."""
    count_due: Cause | None
    archive: tuple[str, int] | None = None
    witness: tuple[str, int] | None = None
    badge: tuple[str, int] | None = None
    """A badge that does not count, and when it was used."""
    say: Callable[[str], str] = str
    """Function that replaces ids in a sentence by names."""


def troubles(facts: Facts) -> tuple[TroubleView, ...]:
    """Return the problems, worst first, without held money; empty if all is well."""
    found = sorted(_found(facts), key=lambda each: TROUBLE_KINDS.index(each.kind))
    return tuple(found)


def held_troubles(held: Sequence[HeldView]) -> tuple[TroubleView, ...]:
    """Return the held money as the least of all problems: it stops nothing."""
    return tuple(
        _trouble("held", each.why, each.clause or None, each.at_ns, str(each.round), each.cents) for each in held
    )


def _found(facts: Facts) -> Iterator[TroubleView]:
    if facts.stopped is not None:
        yield _trouble("safe-stop", facts.stopped[0], since_ns=facts.stopped[1])
    for device in facts.away:
        why = device.problem or (
            "the line is open, but no message has arrived yet" if device.link == "unknown" else "no connection"
        )
        yield _trouble("line", why, since_ns=device.since_ns, place=device.name)
    for device in facts.devices:
        if device.problem and device.link == "up":
            yield _trouble("device", device.problem, since_ns=device.since_ns, place=device.name)
    if facts.archive is not None:
        yield _trouble("archive", facts.archive[0], since_ns=facts.archive[1])
    if facts.witness is not None:
        yield _trouble("witness", facts.witness[0], since_ns=facts.witness[1])
    if facts.badge is not None:
        yield _trouble("badge", facts.badge[0], since_ns=facts.badge[1])
    if facts.stopped is None and not facts.away:
        yield from _of_round(facts)
    if facts.count_due is not None:
        yield _trouble("count", facts.count_due.text, facts.count_due.clause)
    if facts.lamp == "lit":
        text = fault_text(facts.fault) if facts.fault else "the shuffler does not report the fault"
        yield _trouble("red-lamp", text, since_ns=facts.lamp_ns)
    if facts.last is not None and facts.last.repeated:
        text = f"round {facts.last.round} was reported again: a round with this number and session was already settled"
        yield _trouble("repeated", text, None, facts.last.at_ns, str(facts.last.round))
    last = facts.last
    if last is not None and last.outcome == "unreliable" and last.round != facts.held and facts.state is State.BETTING:
        text, clause = _why(facts.last_cause, "see its incidents")
        yield _trouble("unreliable", text, clause, last.at_ns, str(last.round))


def _of_round(facts: Facts) -> Iterator[TroubleView]:
    """Return the problems that keep the round under way from being finished."""
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
