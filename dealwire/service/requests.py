"""Requests from outside, handled in the owner's turn: checked, journaled with the requester, sent, answered."""

import logging
from collections.abc import Callable, Mapping, Sequence

from dealwire.hub.hub import Request
from dealwire.service.actions import (
    ATTEST,
    ATTESTERS,
    INJECT,
    RELEASE,
    SUPERVISOR,
    TECHNICIAN,
    ActionRefused,
    command_of,
    find,
)
from dealwire.service.attesting import Attesting
from dealwire.service.releasing import Settling
from dealwire.service.table_session import TableSession
from devices.clock import Clock
from devices.events import FirmwareAttested
from protocol.errors import DealwireError
from protocol.link import Answered, Unanswered
from protocol.tdp.messages import Reason, ReplyMessage, Status

_log = logging.getLogger(__name__)


class RequestHandler:
    """Handles requests. `secure` writes what was journaled before its effects go out, and returns True if the disk has
    it. Call `answer_all` at the end of each turn."""

    def __init__(
        self,
        tables: Mapping[str, TableSession],
        clock: Clock,
        secure: Callable[[], bool],
        attesting: Attesting | None = None,
    ) -> None:
        self._tables, self._clock, self._secure, self._attesting = tables, clock, secure, attesting
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
        """Answer the noted requests once the disk has them; `failed` says why it never will."""
        if not self.noted or (failed is None and not self._secure()):
            return
        noted, self.noted = self.noted, []
        for request, words in noted:
            if failed is None:
                request.answer.set_result(words)
            else:
                request.answer.set_exception(ActionRefused(request.action, f"it could not be recorded: {failed}"))

    def _do(self, request: Request) -> None:
        session = self._tables.get(request.table)
        if session is None:
            raise ActionRefused(
                request.action, f"there is no table {request.table!r}; there are {', '.join(self._tables)}"
            )
        if session.stopped is not None:
            raise ActionRefused(request.action, f"the table is in safe stop: {session.stopped}")
        if request.action == INJECT:
            self.noted.append((request, self._inject(session, request)))
            return
        if request.action == ATTEST:
            self._attest(session, request)
            return
        if request.action == RELEASE:
            self.noted.append((request, self._release(session, request)))
            return
        kind, device = find(session.part.device, request.action, request.fields, request.who)
        command = command_of(kind, request.fields)
        line = next(line for line in session.lines if line.name == device.name)
        filled_in = ", ".join(f"{name} {value}" for name, value in request.fields.items() if name != "device")
        what = kind.title[0].lower() + kind.title[1:]
        words = f"{_who(request)}, at {device.name}: {what}{' (' + filled_in + ')' if filled_in else ''}"
        session.status("action", words, self._clock.now_ns(), device.name)
        self._secure()

        def done(output: Answered | Unanswered) -> None:
            if isinstance(output, Unanswered):
                request.answer.set_exception(output.error)
            elif isinstance(output.reply, ReplyMessage) and output.reply.status == Status.REFUSED:
                request.answer.set_exception(
                    ActionRefused(request.action, f"{device.name} refused: {_why(output.reply)}")
                )
            else:
                request.answer.set_result(f"{device.name} accepted it.")

        line.request(command, done)

    def _attest(self, session: TableSession, request: Request) -> None:
        """Have a device prove its firmware now; the verdict answers the request."""
        if request.who not in ATTESTERS:
            raise ActionRefused(request.action, f"a {request.who} may not do this; allowed: {', '.join(ATTESTERS)}")
        device = str(request.fields.get("device", ""))

        def done(verdict: FirmwareAttested) -> None:
            if verdict.state == "proved":
                request.answer.set_result(f"{device} has proved its firmware: {verdict.version}, list {verdict.list}.")
            else:
                request.answer.set_exception(ActionRefused(request.action, f"{device} failed: {verdict.why}"))

        try:
            if self._attesting is None:
                raise LookupError("no device must prove its firmware; table.toml has no [attestation]")
            self._attesting.demand(session.name, device, done)
        except LookupError as error:
            raise ActionRefused(request.action, str(error.args[0])) from None
        words = f"{_who(request)}, at {device}: prove the firmware"
        session.status("action", words, self._clock.now_ns(), device)
        self._secure()

    def _release(self, session: TableSession, request: Request) -> str:
        """Release held money that a supervisor settled by hand."""
        if request.who not in SUPERVISOR:
            raise ActionRefused(request.action, f"a {request.who} may not do this; allowed: {', '.join(SUPERVISOR)}")
        try:
            words = session.release(Settling.of(request.fields), _who(request))
        except LookupError as error:
            raise ActionRefused(request.action, str(error.args[0])) from None
        return f"Noted: {words}."

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


def _who(request: Request) -> str:
    return f"{request.who}, {request.origin}" if request.origin else request.who


def _why(reply: ReplyMessage) -> str:
    try:
        return Reason(reply.reason).name.lower().replace("_", " ")
    except ValueError:
        return f"reason {reply.reason}"
