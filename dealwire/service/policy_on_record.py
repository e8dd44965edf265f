"""The policy on record: which acts two of the house's people do, and which users file counts.

Whoever reads this needs no configuration: a command that works without a service has none.
"""

import json
from typing import Final, NamedTuple

from dealwire.hub.lines import RequestStep, StatusLine
from dealwire.journal.records import OPENED
from dealwire.journal.rounds import RoundReader

USERS: Final = "users"
"""Key of an `opened` record of a service: the digest of its users file, empty without one."""
SHOWN: Final = 16
"""Digits of a users file's digest in a sentence."""


class SecondPolicy(NamedTuple):
    """Acts that a house wants two people for; `proved` is true if a passkey must sign each approval; `users` is the
    digest of the users file, empty if nothing needs two people."""

    acts: tuple[str, ...] = ()
    proved: bool = False
    users: str = ""

    @property
    def text(self) -> str:
        """The policy, as a sentence for the record."""
        words = f"from here on two people are needed for: {', '.join(self.acts) or 'nothing'}"
        if self.proved:
            words += "; a passkey signs each approval"
        return f"{words}; by the users file {self.users[:SHOWN]}" if self.users else words

    @property
    def step(self) -> RequestStep:
        """The policy, as its status line has it."""
        return RequestStep(of=0, act=" ".join(self.acts), step="policy", who="", proved=self.proved, users=self.users)

    def same_as(self, other: "SecondPolicy") -> bool:
        """True if both say the same."""
        return (set(self.acts), *self[1:]) == (set(other.acts), *other[1:])


def policy_in(reader: RoundReader) -> SecondPolicy:
    """Return the newest policy on record; an empty one if there never was one."""
    return _newest_policy(reader)[1]


def users_in(reader: RoundReader) -> str:
    """Return the digest of the users file by the newest record that names one: the opening of a service, or a policy
    since then, after a reload. Empty if none does."""
    number, policy = _newest_policy(reader)
    opened = reader.newest_of(OPENED)
    while opened is not None and opened.sequence > number:
        found = json.loads(opened.payload).get(USERS)
        if isinstance(found, str):  # openings without a service name none
            return found
        opened = reader.newest_of(OPENED, opened.sequence - 1)
    return policy.users


def _newest_policy(reader: RoundReader) -> tuple[int, SecondPolicy]:
    """Return the newest policy of any table, with the number of its record: a table that is gone has an older one."""
    newest = 0, SecondPolicy()
    for table in sorted({line.table for line in reader.lines().values()}):
        for record in reader.lines_back(table, {"status": '"step":"policy"'}, after=newest[0]):
            step = StatusLine.from_json(record.payload).request
            if step is not None and step.step == "policy":
                acts = tuple(filter(None, step.act.split(" ")))
                newest = record.sequence, SecondPolicy(acts, step.proved, step.users)
                break
    return newest
