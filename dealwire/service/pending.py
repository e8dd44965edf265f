"""Acts that another person must approve: requested, approved or refused, done once.

A request is known by the number of its first record, which no other request ever has. Every step is a `status` line of
kind `request`, and a restart finds the open ones there, never in memory or in sentences.
"""

import secrets
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from dealwire.config.schema import PeoplePart
from dealwire.hub.actions import WHY
from dealwire.hub.hub import Request
from dealwire.hub.lines import Assertion, RequestStep, StatusLine, Step
from dealwire.hub.view import PendingView
from dealwire.journal.rounds import RoundReader
from dealwire.people.approvals import NotProved, challenge_of, check, counter_in
from dealwire.people.passkeys import packed
from dealwire.people.users import UserPart, Users, is_in_force, may_at
from dealwire.service.actions import START_OVER, ActionRefused, roles_of

MINUTE_NS: Final = 60 * 1_000_000_000
PROOF_NS: Final = 5 * MINUTE_NS
"""An approval counts only if the person proved who it is within this time."""
USED_WITHIN_NS: Final = 60 * MINUTE_NS
"""An approved start over counts for this long."""
LOOK_BACK_NS: Final = 25 * 60 * MINUTE_NS
"""Longest life of a request, with the time in which an approved one counts."""
ENDED_MAX: Final = 256
OPEN_MAX: Final = 64
"""Most open requests at once."""
NONCE_BYTES: Final = 32


class Unproved(ActionRefused):
    """An approval came without the signature of a passkey that counts for it."""


@dataclass(frozen=True, slots=True)
class PendingAct:
    """One request. `approved_by` is empty until someone approved it; `nonce` is empty if nothing has to be proved."""

    id: int
    table: str
    act: str
    who: str
    until_ns: int
    fields: Mapping[str, int | str]
    text: str
    requested_ns: int
    approved_by: str = ""
    approved_ns: int = 0
    nonce: str = ""

    @property
    def challenge(self) -> bytes:
        """The challenge that the passkey of whoever approves has to sign."""
        about = self.table, self.id, self.act, self.who, self.until_ns, self.fields, self.text
        return challenge_of(self.nonce, *about)

    @property
    def view(self) -> PendingView:
        """The request as a page shows it."""
        return PendingView(
            request=self.id,
            text=self.text,
            who=self.who,
            until_ns=self.until_ns,
            approved_by=self.approved_by,
            challenge=packed(self.challenge) if self.nonce else "",
        )


@dataclass(slots=True)
class PendingActs:
    """The open requests, and the rules of who may answer them. `users` is replaced when the file is read again."""

    part: PeoplePart | None = None
    users: Users | None = None
    _open: dict[int, PendingAct] = field(default_factory=dict)
    _ended: "OrderedDict[int, str]" = field(default_factory=OrderedDict)
    """Ends of former requests, as the end of a sentence."""
    _counters: dict[str, int] = field(default_factory=dict)
    """Counter of the newest approval of each passkey."""

    @property
    def policy(self) -> tuple[str, ...]:
        """Acts that another person must approve."""
        return self.part.second_person if self.part is not None else ()

    @property
    def is_proved(self) -> bool:
        """True if a passkey must sign each approval."""
        return self.part is not None and self.part.is_proved

    def of(self, table: str) -> tuple[PendingView, ...]:
        """Return the open requests of a table, oldest first."""
        return tuple(each.view for each in self._open.values() if each.table == table)

    def find(self, table: str, number: int, action: str) -> PendingAct:
        """Return an open request of a table that nobody has answered; ActionRefused says why there is none."""
        found = self._open.get(number)
        if found is None or found.table != table:
            ended = self._ended.get(number)
            there = f"request {number} {ended}" if ended is not None else f"there is no open request {number}"
            raise ActionRefused(action, f"{there} at this table" if ended is None else there)
        if found.approved_by:
            raise ActionRefused(action, f"request {number} was already approved by {found.approved_by}")
        return found

    def find_anywhere(self, number: int, action: str) -> PendingAct:
        """Return an open request of any table, as `find` does."""
        found = self._open.get(number)
        return self.find(found.table if found is not None else "", number, action)

    # ------------------------------------------------------------------ who may

    def check_requester(self, table: str, request: Request, roles: Iterable[str], now_ns: int) -> UserPart | None:
        """Return the person of a request; None for a program or a role's token. ActionRefused if the users file does
        not let it do this now, whatever the console found."""
        if self.users is None:
            return None
        if not request.user:
            raise ActionRefused(request.action, "sign in by name; the users file names who may act")
        program = next((each for each in self.users.file.program if each.name == request.user), None)
        if program is not None:
            if request.action not in program.may or not may_at(program, table) or not is_in_force(program, now_ns):
                raise ActionRefused(request.action, f"{program.name} may not do this")
            return None
        person = self.users.person(request.user, now_ns)
        if person is None or not may_at(person, table):
            raise ActionRefused(request.action, f"{request.user} may not act at this table")
        if person.role != request.who or person.role not in roles:
            raise ActionRefused(request.action, f"a {person.role} may not do this; allowed: {', '.join(roles)}")
        return person

    def check_reason(self, request: Request) -> None:
        """FieldRefused if people act and the request gives no reason."""
        if self.users is not None:
            WHY.read(request.action, str(request.fields.get(WHY.name, "")))

    def check_second(self, pending: PendingAct, request: Request, now_ns: int) -> None:
        """ActionRefused if the person may not approve this request: its own, without the role, not proven lately."""
        assert self.users is not None
        person = self.check_requester(pending.table, request, roles_of(pending.act), now_ns)
        if person is None:
            raise ActionRefused(request.action, "a program approves nothing")
        first = self.users.person(pending.who, now_ns)
        if first is None or first.role not in roles_of(pending.act) or not may_at(first, pending.table):
            raise ActionRefused(request.action, f"{pending.who}, who requested it, may no longer do this")
        if person.name.lower() == pending.who.lower():
            raise ActionRefused(request.action, f"request {pending.id} is your own; another person must approve it")
        if person.badge is not None and person.badge in (first.badge, pending.fields.get("badge")):
            raise ActionRefused(request.action, f"request {pending.id} was made with your badge, {person.badge}")
        if self.is_proved:
            self._check_proof(pending, request, person)
            return
        if person.passkey == "required" and request.proven_by != "passkey":
            raise ActionRefused(request.action, "sign in with your passkey first")
        if not 0 <= now_ns - request.proven_ns <= PROOF_NS:
            within = f"the last {PROOF_NS // MINUTE_NS} minutes"
            raise ActionRefused(request.action, f"sign in again first: an approval needs a sign-in of {within}")

    def _check_proof(self, pending: PendingAct, request: Request, person: UserPart) -> None:
        """Unproved unless a passkey that is pinned to the person signed this very request. Nothing that the console
        says of the person's sign-in counts."""
        assert self.part is not None
        if not pending.nonce:
            raise ActionRefused(
                request.action, f"request {pending.id} was made before approvals were proved; request it again"
            )
        if not person.approval_keys:
            raise Unproved(request.action, f"no passkey is pinned to {person.name} (dealwire users pin)")
        if (proof := request.proof) is None:
            raise Unproved(request.action, f"no passkey of {person.name} has signed request {pending.id}")
        pinned = next((each for each in person.approval_keys if each.partition(":")[0] == proof.id), None)
        if pinned is None:
            raise Unproved(request.action, f"this passkey is not pinned to {person.name} (dealwire users pin)")
        try:
            check(proof, pinned, pending.challenge, self.part.approval_origins, self._counters.get(proof.id, 0))
        except NotProved as error:
            raise Unproved(request.action, f"request {pending.id}: {error}") from None

    # ------------------------------------------------------------------ steps

    def requested(self, table: str, request: Request, words: str, now_ns: int) -> tuple[str, RequestStep]:
        """Return the sentence and the step of a new request."""
        if not request.user or self.part is None:
            raise ActionRefused(request.action, "another person must approve this: sign in by name")
        if request.proven_by == "program":
            raise ActionRefused(request.action, "this needs two people; a program is none")
        if len(self._open) >= OPEN_MAX:
            raise ActionRefused(request.action, f"{OPEN_MAX} requests are open; answer them first")
        fields = {name: value for name, value in request.fields.items() if isinstance(value, int | str)}
        until_ns = now_ns + self.part.request_minutes * MINUTE_NS
        step = RequestStep(
            of=0,
            act=request.action,
            step="requested",
            who=request.user,
            until_ns=until_ns,
            fields=fields,
            nonce=secrets.token_urlsafe(NONCE_BYTES) if self.is_proved else "",
        )
        return f"{request.user} requests at {table}: {words}", step

    def take(self, table: str, number: int, step: RequestStep, text: str, at_ns: int) -> None:
        """Follow a step that was journaled as record `number`."""
        if step.step == "policy":
            return
        if step.step == "requested":
            words = text.partition(": ")[2]
            about = step.act, step.who, step.until_ns, step.fields, words, at_ns
            self._open[number] = PendingAct(number, table, *about, nonce=step.nonce)
            return
        if step.proof is not None:
            self._counters[step.proof.id] = counter_in(step.proof)
        found = self._open.get(step.of)
        if found is None:
            return
        if step.step == "approved":
            self._open[step.of] = replace(found, approved_by=step.second, approved_ns=at_ns)
            return
        del self._open[step.of]
        by = f" by {step.second}" if step.second else ""
        self._ended[step.of] = f"was {ENDED[step.step]}{by} at {_clock(at_ns)}"
        while len(self._ended) > ENDED_MAX:
            self._ended.popitem(last=False)

    def count_from(self, counters: Mapping[str, int]) -> None:
        """Go on with the counters of the record."""
        self._counters.update(counters)

    def over(self, now_ns: int) -> Iterator[PendingAct]:
        """Yield the requests whose time is over."""
        for each in list(self._open.values()):
            end_ns = each.approved_ns + USED_WITHIN_NS if each.approved_by else each.until_ns
            if now_ns >= end_ns and (not each.approved_by or each.act == START_OVER):
                yield each

    def interrupted(self) -> list[PendingAct]:
        """Return the requests that were approved, and whose outcome is not on record: the program ended meanwhile."""
        return [each for each in self._open.values() if each.approved_by and each.act != START_OVER]

    def start_over(self, now_ns: int) -> PendingAct | None:
        """Return an approved start over that counts now."""
        return next((each for each in self._approved(now_ns) if self._stranger(each, now_ns) is None), None)

    def why_no_start_over(self, now_ns: int) -> str:
        """Return why an approved start over does not count; empty if none was approved."""
        for each in self._approved(now_ns):
            if (name := self._stranger(each, now_ns)) is not None:
                return f"request {each.id} does not count: by the service's users file {name} may not do this"
        return ""

    def _approved(self, now_ns: int) -> Iterator[PendingAct]:
        for each in self._open.values():
            if each.act == START_OVER and each.approved_by and now_ns - each.approved_ns < USED_WITHIN_NS:
                yield each

    def _stranger(self, pending: PendingAct, now_ns: int) -> str | None:
        """Return who of the two people of an approval may not do this now; None if both may. It may have been recorded
        without the service, by another users file."""
        for name in (pending.who, pending.approved_by):
            person = self.users.person(name, now_ns) if self.users is not None else None
            if person is None or person.role not in roles_of(pending.act) or not may_at(person, pending.table):
                return name
        return pending.approved_by if pending.approved_by == pending.who else None


ENDED: Final[Mapping[Step, str]] = {
    "refused": "refused",
    "withdrawn": "withdrawn",
    "expired": "not approved in time",
    "done": "approved",
    "failed": "approved, but not done",
}


def step_of(pending: PendingAct, step: Step, second: str = "", proof: Assertion | None = None) -> RequestStep:
    """Return a later step of a request."""
    return RequestStep(of=pending.id, act=pending.act, step=step, who=pending.who, second=second, proof=proof)


def steps_in(reader: RoundReader, now_ns: int, table: str | None = None) -> list[tuple[int, str, int, StatusLine]]:
    """Return the steps of a journal that can still matter, oldest first: number, table, time and line."""
    after = max(reader.record_at(now_ns - LOOK_BACK_NS) - 1, 0)
    found = []
    for name in sorted({line.table for line in reader.lines().values()}):
        if table in (None, name):
            for record in reader.lines_back(name, {"status": '"kind":"request"'}, after=after):
                line = StatusLine.from_json(record.payload)
                found.append((record.sequence, name, record.at_ns, line))
    return sorted(found, key=lambda each: each[0])


class SecondPolicy(NamedTuple):
    """Acts that a house wants two people for; `proved` is true if a passkey must sign each approval. `record` is the
    number of its record, 0 if there is none."""

    acts: tuple[str, ...] = ()
    proved: bool = False
    record: int = 0


def policy_in(reader: RoundReader) -> SecondPolicy:
    """Return the newest policy on record; an empty one if there never was one. A table that was removed may have an
    older one."""
    found = SecondPolicy()
    for table in _tables_in(reader):
        for number, step in _steps_back(reader, table, '"step":"policy"', after=found.record):
            if step.step == "policy":
                found = SecondPolicy(tuple(filter(None, step.act.split(" "))), step.proved, number)
                break
    return found


def counters_in(reader: RoundReader) -> dict[str, int]:
    """Return the counter of the newest approval of each passkey that ever proved one."""
    found: dict[str, int] = {}
    for table in _tables_in(reader):
        for _, step in _steps_back(reader, table, '"proof":{'):
            if step.proof is not None:
                count = counter_in(step.proof)
                found[step.proof.id] = max(count, found.get(step.proof.id, 0))
    return found


def _tables_in(reader: RoundReader) -> list[str]:
    return sorted({line.table for line in reader.lines().values()})


def _steps_back(reader: RoundReader, table: str, holding: str, *, after: int = 0) -> Iterator[tuple[int, RequestStep]]:
    """Yield the steps of a table whose line has a text, each with the number of its record, newest first, down to the
    record `after`."""
    for record in reader.lines_back(table, {"status": holding}, after=after):
        if (step := StatusLine.from_json(record.payload).request) is not None:
            yield record.sequence, step


def taken_up(acts: PendingActs, path: Path, now_ns: int) -> None:
    """Take up the requests in the journal at `path`."""
    with RoundReader(path) as reader:
        if acts.is_proved:
            acts.count_from(counters_in(reader))
        for number, table, at_ns, line in steps_in(reader, now_ns):
            if line.request is not None:
                acts.take(table, number, line.request, line.text, at_ns)


def _clock(ns: int) -> str:
    return datetime.fromtimestamp(ns // 1_000_000_000, UTC).strftime("%H:%M:%S UTC")
