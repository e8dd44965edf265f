"""Requests from outside, handled in the owner's turn: checked, journaled with the requester, sent, answered."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from dealwire.console.audit import Audit
from dealwire.hub.actions import BADGE, WHY
from dealwire.hub.hub import Request
from dealwire.hub.lines import RequestStep
from dealwire.journal.rounds import RoundReader
from dealwire.people.approvals import key_name
from dealwire.service.actions import (
    ANSWERS,
    ATTEST,
    CLEAR_MISDEAL,
    INJECT,
    REFUSE,
    RELEASE,
    REQUEST,
    START_OVER,
    SUPERVISOR,
    SUPERVISOR_OR_TECHNICIAN,
    TECHNICIAN,
    WITHDRAW,
    ActionRefused,
    command_of,
    find,
    roles_of,
    words_of,
)
from dealwire.service.attesting import Attesting
from dealwire.service.pending import (
    MINUTE_NS,
    PendingAct,
    PendingActs,
    Unproved,
    policy_in,
    step_of,
    taken_up,
)
from dealwire.service.releasing import Settling
from dealwire.service.table_session import TableSession
from devices.clock import Clock
from devices.events import FirmwareAttested
from protocol.errors import DealwireError
from protocol.link import Answered, Unanswered
from protocol.tdp.messages import Reason, ReplyMessage, Status

_log = logging.getLogger(__name__)


Finish = Callable[[str], None]
"""Takes the outcome of an act that was sent: empty if it was done, else why not."""


class Act(NamedTuple):
    """A request that was found to be allowed now: its words for the record, and how to do it."""

    words: str
    run: Callable[[Request, Finish], None]


class RequestHandler:
    """Handles requests. `secure` writes what was journaled before its effects go out, and returns True if the disk has
    it. Call `answer_all` at the end of each turn. `pending` has the acts that need two people."""

    def __init__(
        self,
        tables: Mapping[str, TableSession],
        clock: Clock,
        secure: Callable[[], bool],
        attesting: Attesting | None = None,
        pending: PendingActs | None = None,
    ) -> None:
        self._tables, self._clock, self._secure, self._attesting = tables, clock, secure, attesting
        self._pending = pending if pending is not None else PendingActs()
        self._audit = Audit(self._note_access)
        self._policy = 0
        """Number of the newest record of the policy."""
        self.noted: list[tuple[Request, str]] = []
        """Requests noted but not yet answered, because the disk does not have them yet."""

    def take(self, requests: Sequence[Request]) -> None:
        """Handle each request; its answer is a sentence, or the DealwireError that refused it."""
        for request in requests:
            if not request.answer.set_running_or_notify_cancel():
                continue
            try:
                self._do(request)
            except DealwireError as error:
                request.answer.set_exception(error)
            self.answer_all()  # so that the next request sees it on the disk

    def answer_all(self, failed: str | None = None) -> None:
        """Answer the noted requests that the disk has; `failed` is why it never will have them."""
        if not self.noted or not (failed or self._secure()):
            return
        noted, self.noted = self.noted, []
        for request, text in noted:
            if failed is None:
                request.answer.set_result(text)
            else:
                request.answer.set_exception(ActionRefused(request.action, f"it could not be recorded: {failed}"))

    def take_up(self, path: Path, *, started_over: bool) -> None:
        """Go on with the requests in the journal at `path`, and record the policy if it is another than before.

        An act that was approved, and whose outcome is not on record, is never done again: the program ended before its
        device answered. `started_over` uses up the approval of a start over.
        """
        acts, now_ns = self._pending, self._clock.now_ns()
        with RoundReader(path) as reader:
            before = policy_in(reader)
        taken_up(acts, path, now_ns)
        for each in acts.interrupted():
            if (session := self._tables.get(each.table)) is not None:
                text = f"request {each.id} of {each.who}, approved by {each.approved_by}, failed: the service ended"
                self._step(session, step_of(each, "failed", each.approved_by), f"{text} before the device answered")
        used = acts.start_over(now_ns) if started_over else None
        if used is not None and (session := self._tables.get(used.table)) is not None:
            text = f"request {used.id} of {used.who}, approved by {used.approved_by}, is done: every table starts over"
            self._step(session, step_of(used, "done", used.approved_by), text)
        self._policy = before.record
        if (set(before.acts), before.proved) != (set(acts.policy), acts.is_proved):
            self._note_policy(self._tables.values(), "from here on two people are")
        for session in self._tables.values():
            session.viewer.pend(acts.of(session.name))

    def keep_policy(self, first: int) -> None:
        """Record a policy once more if its record is older than `first`, the first one of the gaming day: without a
        service only the journal says that an act needs two people, and days that are over leave it."""
        if self._pending.policy and self._policy < first:
            self._note_policy([*self._tables.values()][:1], "two people are still")

    def _note_policy(self, sessions: Iterable[TableSession], words: str) -> None:
        acts, proved = self._pending.policy, self._pending.is_proved
        text = f"{words} needed for: {', '.join(acts) or 'nothing'}{'; a passkey signs each approval' * proved}"
        step = RequestStep(of=0, act=" ".join(acts), step="policy", who="", proved=proved)
        for session in sessions:
            self._policy = self._step(session, step, text)

    def beat(self, now_ns: int) -> None:
        """Close the requests whose time is over."""
        self._audit.beat(now_ns)
        for each in self._pending.over(now_ns):
            if (session := self._tables.get(each.table)) is not None:
                text = f"request {each.id} of {each.who} was not {'used' if each.approved_by else 'approved'} in time"
                self._step(session, step_of(each, "expired"), f"{text}: {each.text}")

    # ------------------------------------------------------------------ one request

    def _do(self, request: Request) -> None:
        session = self._tables.get(request.table)
        if session is None:
            raise ActionRefused(
                request.action, f"there is no table {request.table!r}; there are {', '.join(self._tables)}"
            )
        if request.action in ANSWERS:
            self._answer(session, request)
            return
        act = self._act_of(session, request)
        if request.action not in self._pending.policy:
            act.run(request, lambda _: None)
            return
        text, step = self._pending.requested(session.name, request, act.words, self._clock.now_ns())
        number = self._step(session, step, text)
        minutes = -(-(step.until_ns - self._clock.now_ns()) // MINUTE_NS)  # rounded up
        then = f"another person must approve it within {minutes} minute{'' if minutes == 1 else 's'}"
        self.noted.append((request, f"Requested as {number}; {then}."))

    def _act_of(self, session: TableSession, request: Request) -> Act:
        """Check a request as things are now. ActionRefused or FieldRefused says why it is not allowed."""
        if request.action == START_OVER:
            return self._start_over(session, request)
        if session.stopped is not None:
            raise ActionRefused(request.action, f"the table is in safe stop: {session.stopped}")
        if request.action == INJECT:
            self._check_person(session, request, TECHNICIAN, reason=False)
            return Act("", lambda done, _: self.noted.append((done, self._inject(session, done))))
        if request.action == ATTEST:
            return self._attest(session, request)
        if request.action == RELEASE:
            return self._release(session, request)
        kind, device = find(session.part.device, request.action, request.fields, request.who)
        self._check_person(session, request, kind.roles, reason=kind.moves)
        command = command_of(kind, request.fields)
        words = words_of(kind, device, request.fields, by_name=bool(request.user))

        def run(done: Request, finish: Finish) -> None:
            line = next(line for line in session.lines if line.name == device.name)
            session.status("action", f"{_who(done)}, {words}", self._clock.now_ns(), device.name)
            self._secure()
            line.request(command, lambda output: _answered(output, device.name, done, finish))

        return Act(words, run)

    def _check_person(self, session: TableSession, request: Request, roles: Sequence[str], *, reason: bool) -> None:
        person = self._pending.check_requester(session.name, request, roles, self._clock.now_ns())
        badge = person.badge if person is not None else None
        if request.user and BADGE in request.fields and str(request.fields[BADGE]) != str(badge):
            raise ActionRefused(request.action, f"the badge of {request.user} is another one, or none")
        if reason:
            self._pending.check_reason(request)

    def _start_over(self, session: TableSession, request: Request) -> Act:
        if START_OVER not in self._pending.policy:
            raise ActionRefused(request.action, "restart the service with --start-over")
        if request.who not in SUPERVISOR:
            raise ActionRefused(request.action, f"a {request.who} may not do this; allowed: {', '.join(SUPERVISOR)}")
        self._check_person(session, request, SUPERVISOR, reason=True)
        words = f"start every table over: {request.fields.get(WHY.name, '')}"
        then = "Start the service with --start-over within an hour."
        return Act(words, lambda done, _: self.noted.append((done, then)))

    # ------------------------------------------------------------------ two people

    def _answer(self, session: TableSession, request: Request) -> None:
        """Approve or refuse the request of another person, or withdraw one's own."""
        if not self._pending.policy or self._pending.users is None:
            raise ActionRefused(request.action, "no act needs two people here")
        pending = self._pending.find(session.name, int(_number_of(request)), request.action)
        now_ns = self._clock.now_ns()
        if request.action == WITHDRAW:
            self._pending.check_requester(session.name, request, roles_of(pending.act), now_ns)
            if request.user != pending.who:
                raise ActionRefused(request.action, f"only {pending.who}, who requested it, may withdraw it")
            text = f"{request.user} withdraws request {pending.id}: {pending.text}"
            self._step(session, step_of(pending, "withdrawn"), text)
            self.noted.append((request, f"Request {pending.id} is withdrawn."))
        elif request.action == REFUSE:
            self._check_person(session, request, roles_of(pending.act), reason=True)
            why = request.fields[WHY.name]
            text = f"{request.user} refuses request {pending.id} of {pending.who}: {pending.text}: {why}"
            self._step(session, step_of(pending, "refused", request.user), text)
            self.noted.append((request, f"Request {pending.id} is refused."))
        else:
            self._approve(session, request, pending)

    def _approve(self, session: TableSession, request: Request, pending: PendingAct) -> None:
        """Do the act of a request after all was checked again, under both names."""
        try:
            self._pending.check_second(pending, request, self._clock.now_ns())
        except Unproved as error:
            text = f"an approval in the name of {_who(request)} does not count: {error.why}"
            self._audit.note("unproved", text, "", self._clock.now_ns(), session.name)
            raise
        lit_ns = session.viewer.lamp_lit_ns if pending.act == CLEAR_MISDEAL else None
        if lit_ns is not None and lit_ns > pending.requested_ns:
            raise ActionRefused(request.action, f"request {pending.id} is older than this misdeal; request it again")
        proof = request.proof if self._pending.is_proved else None
        by = f" by passkey {key_name(proof.id)}" if proof is not None else ""
        text = f"{request.user} approves request {pending.id} of {pending.who}{by}: {pending.text}"
        self._step(session, step_of(pending, "approved", request.user, proof), text)
        both = replace(request, action=pending.act, fields=pending.fields, user=pending.who, second=request.user)

        def finish(why: str) -> None:
            step, end = ("failed", f" failed: {why}") if why else ("done", " is done")
            about = f"request {pending.id} of {pending.who}, approved by {request.user},{end}"
            self._step(session, step_of(pending, step, request.user), about)  # type: ignore[arg-type]

        try:
            self._act_of(session, both).run(both, finish)
        except DealwireError as error:
            finish(str(error))
            raise

    def _note_access(self, table: str, text: str) -> None:
        """Record what does not count, at its table or at all of them."""
        for session in self._tables.values():
            if table in ("", session.name):
                session.status("access", text, self._clock.now_ns())

    def _step(self, session: TableSession, step: RequestStep, text: str) -> int:
        now_ns = self._clock.now_ns()
        number = session.status("request", text, now_ns, request=step)
        self._pending.take(session.name, number, step, text, now_ns)
        session.viewer.pend(self._pending.of(session.name))
        return number

    def _attest(self, session: TableSession, request: Request) -> Act:
        """Have a device prove its firmware now; the verdict answers the request."""
        if request.who not in SUPERVISOR_OR_TECHNICIAN:
            raise ActionRefused(
                request.action, f"a {request.who} may not do this; allowed: {', '.join(SUPERVISOR_OR_TECHNICIAN)}"
            )
        self._check_person(session, request, SUPERVISOR_OR_TECHNICIAN, reason=False)
        device = str(request.fields.get("device", ""))

        def done(verdict: FirmwareAttested) -> None:
            if verdict.state == "proved":
                request.answer.set_result(f"{device} has proved its firmware: {verdict.version}, list {verdict.list}.")
            else:
                request.answer.set_exception(ActionRefused(request.action, f"{device} failed: {verdict.why}"))

        def run(given: Request, _: Finish) -> None:
            try:
                if self._attesting is None:
                    raise LookupError("no device must prove its firmware; table.toml has no [attestation]")
                self._attesting.demand(session.name, device, done)
            except LookupError as error:
                raise ActionRefused(request.action, str(error.args[0])) from None
            words = f"{_who(given)}, at {device}: prove the firmware"
            session.status("action", words, self._clock.now_ns(), device)
            self._secure()

        return Act("", run)

    def _release(self, session: TableSession, request: Request) -> Act:
        """Release held money that a supervisor settled by hand."""
        if request.who not in SUPERVISOR:
            raise ActionRefused(request.action, f"a {request.who} may not do this; allowed: {', '.join(SUPERVISOR)}")
        self._check_person(session, request, SUPERVISOR, reason=True)
        given = Settling.of(request.fields)
        try:
            words = session.release_words(given)
        except LookupError as error:
            raise ActionRefused(request.action, str(error.args[0])) from None

        def run(done: Request, finish: Finish) -> None:
            noted = session.release(given, _who(done))
            finish("")
            self.noted.append((done, f"Noted: {noted}."))

        return Act(words, run)

    def _inject(self, session: TableSession, request: Request) -> str:
        """Inject a fault at simulated devices."""
        if session.bench is None:
            raise ActionRefused(request.action, "the devices of this table are not simulated")
        if request.who not in TECHNICIAN:
            raise ActionRefused(request.action, f"a {request.who} may not do this; allowed: {', '.join(TECHNICIAN)}")
        # Only a simulated table gets here: a table with attached lines loads nothing of the rehearsal.
        from dealwire.rehearsal.faults import fault_named, inject

        fields = dict(request.fields)
        name = str(fields.pop("fault", ""))
        when = inject(session.bench, name, fields)
        title = fault_named(name).title
        session.status("action", f"{_who(request)}, scheduled: {title}: {when}", self._clock.now_ns())
        return f"{when[0].upper()}{when[1:]}."


def _number_of(request: Request) -> int | str:
    """Return the number of the request that is answered; FieldRefused if it is none."""
    return REQUEST.read(request.action, str(request.fields.get(REQUEST.name, "")))


def _answered(output: Answered | Unanswered, device: str, request: Request, finish: Finish) -> None:
    """Answer a request with what its device answered."""
    why = ""
    if isinstance(output, Unanswered):
        why = str(output.error)
        request.answer.set_exception(output.error)
    elif isinstance(output.reply, ReplyMessage) and output.reply.status == Status.REFUSED:
        why = f"{device} refused: {_why(output.reply)}"
        request.answer.set_exception(ActionRefused(request.action, why))
    else:
        request.answer.set_result(f"{device} accepted it.")
    finish(why)


def _who(request: Request) -> str:
    who = request.who
    if request.user:
        who = f"{request.user} and {request.second}" if request.second else request.user
        who = f"{who} ({request.who})"
    return f"{who}, {request.origin}" if request.origin else who


def _why(reply: ReplyMessage) -> str:
    try:
        return Reason(reply.reason).name.lower().replace("_", " ")
    except ValueError:
        return f"reason {reply.reason}"
