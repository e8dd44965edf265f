"""Profiles of exported lines: all of them, or nothing from which a card could be derived.

`no-cards` is an allowlist: keys and line types that are not listed here are not exported. A new report or key is left
out until someone has considered it.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Literal

from dealwire.hub.lines import Publication

Profile = Literal["full", "no-cards"]

SCHEMA: Final = "dealwire.no-cards/1"
"""Schema of such a line; its `type` is that of the full line."""

Kept = Mapping[str, Any]
"""Exported keys. The value is None if the key's value is exported unchanged, else the exported keys of the object or of
each object in the list."""

_COUNT: Final = {"expected": None, "counted": None}
_INCIDENT_HEAD: Final = dict.fromkeys(("code", "clause", "place", "called", "unreliable", "device", "fault", "badge"))
_INCIDENT_COUNTS: Final = dict.fromkeys(
    ("counted", "expected", "limit", "decks", "expected_decks", "deck", "shoe", "minutes", "first", "last")
)
_FILE: Final = {"id": None, "sha256": None}
_ROUND: Final = {
    **dict.fromkeys(("table", "session", "round", "outcome")),
    "procedure": _FILE,
    "edition": _FILE,
    "house": {**_FILE, "game": None},
}

LINES: Final[Mapping[str, Kept]] = {
    "incident": {**_INCIDENT_HEAD, **_INCIDENT_COUNTS},
    "round": {
        **_ROUND,
        "deck": {"deck": None, "loaded": None},
        "packets": {"ordinal": None, **_COUNT},
        "remainder": {**_COUNT, "apart": None},
        "rejected": None,
        "shoe": {"id": None, "loaded": None},
        "incidents": {**_INCIDENT_HEAD, **_INCIDENT_COUNTS},
    },
    "settlement": {**_ROUND, "game": _FILE, "status": None},
    "status": dict.fromkeys(("table", "kind", "device")),
}
"""Exported keys by type of line. Bets and their results, payouts and meters are not included: a payout identifies the
hand."""

_EVENT: Final = dict.fromkeys(("device", "session", "number", "at_ns", "event"))
_DECK: Final = {"deck": None}

_CODES: Final = """
    out-of-turn no-entering-bet side-bet-alone unknown-seat unknown-bet unknown-decision decision-bet-differs
    bet-amount-unknown round-number-differs reveal-before-burn wrong-burn burned-card-in-play reveal-count-wrong
    faces-disagree seat-count-wrong dealer-count-wrong community-count-wrong hand-count-wrong burn-count-wrong
    remainder-count-wrong deck-count-wrong cards-not-conserved counts-differ duplicate-face foreign-card
    card-exposed card-off-table hand-fouled hand-reconstructed boxed-card card-mishandled burned-card-in-muck
    burned-card-put-back
    burn-forgotten deck-runs-out deck-not-alternated deck-changed-early deck-not-fresh deck-too-old shoe-not-shuffled
    defective-deck-again deck-count-due
    draw-before-close draw-before-named card-unread card-doubtful card-named naming-refused card-missing
    drawn-outside burned-mid-race card-overdrawn cut-card other-shoe shoe-over shoe-ended misdeal-called
    ruled-on misdeal-refused deck-removed device-fault jam door-opened power-lost session-changed events-lost
    link-lost recording-ended session-returned device-swapped device-not-pinned round-repeated line-flooded
    device-elsewhere device-not-attested firmware-changed round-number-again order-again statements-differ
    cleared-by-nobody badge-refused start-lost rounds-lost
"""
CODES: Final = frozenset(_CODES.split())
"""Incidents that are exported under their own code. All others are exported as `other`, as are those that name a joker.
"""

EVENTS: Final[Mapping[str, Kept]] = {
    "LinkUp": dict.fromkeys(
        ("session", "device_class", "maker", "model", "serial", "firmware", "recognises_cards", "resumed")
    ),
    "LinkLost": {},
    "SessionChanged": {"previous": None, "session": None, "whole": None},
    "SessionReturned": {"session": None},
    "EventsLost": {"first": None, "last": None},
    "Booted": {"boot_count": None, "mid_round": None},
    "FaultRaised": {"fault": None, "place": None},
    "FaultCleared": {"fault": None},
    "DoorMoved": {"open": None},
    "DeckLoaded": _DECK,
    "ShuffleStarted": _DECK,
    "DeckVerified": {**_DECK, **_COUNT},
    "PacketDispensed": {**_DECK, "ordinal": None, **_COUNT},
    "PacketLifted": {"ordinal": None},
    "RemainderDumped": {**_DECK, **_COUNT},
    "RemainderLifted": _DECK,
    "CardRejected": {**_DECK, "fault": None},
    "RedLamp": {"lit": None, "fault": None},
    "MisdealReported": {**_DECK, "fault": None, "loaded": None, "remainder": None, "rejected": None},
    "MisdealCleared": {"fault": None, "badge": None, "resume": None},
    "DeckRemoved": _DECK,
    "ShoeLoaded": {"shoe": None, "decks": None, "cards": None},
    "CutCardSeen": {},
}
"""Exported reports with their exported fields. A card drawn from a shoe is not included: how many are drawn, and for
whom, reveals the hands."""


def outgoing(item: Publication, profile: Profile) -> Publication | None:
    """Return the line in its exported form, None if it is not exported."""
    if profile == "full":
        return item
    content = json.loads(item.line)
    kept: Kept | None
    if item.topic == "event":
        fields = EVENTS.get(content["event"])
        kept = {**_EVENT, "fields": fields} if fields is not None else None
    else:
        kept = LINES.get(item.topic)
    if kept is None:
        return None
    line = {"schema": SCHEMA, "type": item.topic, **_part(content, kept)}
    return replace(item, line=json.dumps(line, ensure_ascii=False, separators=(",", ":")))


def _part(content: Any, kept: Kept) -> Any:
    if isinstance(content, list):
        return [_part(each, kept) for each in content]
    if not isinstance(content, dict):
        return None  # an object that is absent, or what this program has never written
    found = {}
    for key, inside in kept.items():
        value = content.get(key)
        if inside is not None:
            found[key] = _part(value, inside)
        elif key in content and not isinstance(value, list | dict):
            found[key] = value if key != "code" or value in CODES else "other"
    return found
