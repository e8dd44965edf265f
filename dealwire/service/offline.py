"""Requests and approvals of two people in a journal that no service has open."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from dealwire.config.schema import PeoplePart
from dealwire.hub.hub import Request
from dealwire.hub.lines import RequestStep, StatusLine
from dealwire.journal import Journal
from dealwire.journal.rounds import RoundReader
from dealwire.people.passwords import fits, needs_argon2
from dealwire.people.users import UserPart, Users, read_users
from dealwire.service.actions import APPROVE, RELEASE, START_OVER, ActionRefused, roles_of
from dealwire.service.pending import PendingActs, step_of, taken_up
from dealwire.service.policy_on_record import SHOWN, policy_in, users_in
from dealwire.service.releasing import Settling, note_release, secured, still_held, writing
from dealwire.table.held import HeldEntry
from devices.clock import SystemClock

MINUTES: Final = 60
"""Minutes within which a request that was made offline must be approved."""


class OfflinePerson(NamedTuple):
    """A person who acts at the command line, with the password that was typed."""

    users: Users
    name: str
    password: str


def users_of(path: Path, users_file: Path) -> Users:
    """Read the users file for acts in the journal at `path`. ActionRefused if it is another than the service's when it
    started or reloaded last, as far as the record says."""
    users = read_users(users_file)
    with RoundReader(path) as reader:
        on_record, policy = users_in(reader), policy_in(reader)
    if on_record == users.digest or not (on_record or policy.acts):
        return users
    then = "name that one, or start its service once with this one"
    if not on_record:
        raise ActionRefused(APPROVE, f"the record does not name the users file of its service; {then}")
    given = f"{users_file} ({users.digest[:SHOWN]})"
    raise ActionRefused(APPROVE, f"{given} is not the users file on record ({on_record[:SHOWN]}); {then}")


def request_in(
    path: Path, act: str, fields: Mapping[str, object], by: OfflinePerson, *, clock_is_right: bool = False
) -> str:
    """Record a request of `act`; return a sentence with its number. ActionRefused says why it is not allowed."""
    needs_argon2()
    with writing(path, clock_is_right=clock_is_right) as (journal, clock):
        acts = _acts(path, by.users, clock)
        person = _proven(act, by, clock)
        table, words = _about(journal, act, fields)
        if act == RELEASE and person.badge is None:
            raise ActionRefused(act, f"{person.name} has no badge in the users file")
        given = {**fields, "badge": person.badge or 0} if act == RELEASE else dict(fields)
        request = Request(table, act, given, person.role, user=person.name, proven_by="password")
        acts.check_requester(table, request, roles_of(act), clock.now_ns())
        acts.check_reason(request)
        text, step = acts.requested(table, request, words, clock.now_ns())
        number = _note(journal, clock, table, by, step, text)
        secured(journal, path)
    return f"{path}: request {number}: {words}; another person approves it within an hour"


def approve_in(path: Path, number: int, by: OfflinePerson, *, clock_is_right: bool = False) -> str:
    """Approve a request, and do its act if it can be done without a service; return a sentence. ActionRefused says why
    it is not allowed."""
    needs_argon2()
    with writing(path, clock_is_right=clock_is_right) as (journal, clock):
        acts, now_ns = _acts(path, by.users, clock), clock.now_ns()
        person = _proven(APPROVE, by, clock)
        pending = acts.find_anywhere(number, APPROVE)
        if pending.act not in (RELEASE, START_OVER):
            raise ActionRefused(APPROVE, f"{pending.act} needs its device: approve it at the console")
        known = {"user": person.name, "proven_ns": now_ns, "proven_by": "password"}
        request = Request(pending.table, APPROVE, {"request": number}, person.role, **known)  # type: ignore[arg-type]
        acts.check_second(pending, request, now_ns)
        text = f"{person.name} approves request {number} of {pending.who}: {pending.text}"
        if pending.act == RELEASE:
            given = Settling.of(pending.fields)
            _held(journal, given, pending.table)
            _note(journal, clock, pending.table, by, step_of(pending, "approved", person.name), text)
            note_release(journal, clock, given, f"{pending.who} and {person.name}, dealwire journal approve")
            done = f"request {number} of {pending.who}, approved by {person.name}, is done"
            _note(journal, clock, pending.table, by, step_of(pending, "done", person.name), done)
            then = pending.text
        else:
            _note(journal, clock, pending.table, by, step_of(pending, "approved", person.name), text)
            then = "start the service with --start-over within an hour"
            with RoundReader(path) as reader:
                if policy_in(reader).proved:
                    then += "; no passkey signs this: it counts only where approval is signed-in"
        secured(journal, path)
    return f"{path}: request {number} of {pending.who} is approved: {then}"


def needs_two(path: Path, act: str) -> bool:
    """True if the newest policy in the journal at `path` wants two people for `act`."""
    with RoundReader(path) as reader:
        return act in policy_in(reader).acts


def _acts(path: Path, users: Users, clock: SystemClock) -> PendingActs:
    acts = PendingActs(PeoplePart.model_validate({"users-file": path, "request-minutes": MINUTES}), users)
    taken_up(acts, path, clock.now_ns())
    return acts


def _proven(action: str, by: OfflinePerson, clock: SystemClock) -> UserPart:
    """Return the person whose password fits. ActionRefused for anyone else, and for one who has a passkey only."""
    person = by.users.person(by.name, clock.now_ns())
    digest = person.password if person is not None else None
    if not fits(by.password, digest) or person is None:
        raise ActionRefused(action, "unknown name or password")
    if person.passkey == "required":
        raise ActionRefused(action, f"{person.name} acts with a passkey only: use the console")
    return person


def _about(journal: Journal, act: str, fields: Mapping[str, object]) -> tuple[str, str]:
    """Return the table and the words of a request."""
    if act == START_OVER:
        with RoundReader(journal.path) as reader:
            tables = sorted({line.table for line in reader.lines().values()})
        if not tables:
            raise ActionRefused(act, "the journal has no table: nothing needs an approval")
        return tables[0], f"start every table over: {fields['why']}"
    given = Settling.of({**fields, "badge": 1})
    table, held = _held(journal, given)
    return table, given.words(held)


def _held(journal: Journal, given: Settling, table: str | None = None) -> tuple[str, HeldEntry]:
    try:
        return still_held(journal, given, table)
    except LookupError as error:
        raise ActionRefused(RELEASE, str(error.args[0])) from None


def _note(journal: Journal, clock: SystemClock, table: str, by: OfflinePerson, step: RequestStep, text: str) -> int:
    known = replace(step, users=by.users.digest)
    line = StatusLine(table=table, kind="request", text=text, request=known).to_json()
    return journal.publish(table, "status", clock.now_ns(), line)
