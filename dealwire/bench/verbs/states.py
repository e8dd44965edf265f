"""The verb that asks for everything the page's table does not list for a state."""

from collections.abc import Mapping
from typing import Final

from dealwire.bench.hands.profiles import BADGE
from dealwire.bench.record import Failed
from dealwire.bench.values import STATES, Wanted, spell
from dealwire.bench.verbs.stand import Stand
from dealwire.bench.verbs.step import STATUS_MS, PlanStep, State
from devices.simulator.command_rules import CONTROLLER_RULES, SHOE_RULES, CommandRule
from protocol.faults import Fault
from protocol.tdp import messages as m
from protocol.tdp.messages import DeviceClass, Message, Reason, Status

_RULES: Final[dict[int, tuple[CommandRule, ...]]] = {
    DeviceClass.SHOE: SHOE_RULES,
    DeviceClass.TABLE_CONTROLLER: CONTROLLER_RULES,
}
_FORMS: Final[dict[type[Message], tuple[Message, ...]]] = {
    m.LockShoeMessage: (m.LockShoeMessage(1), m.LockShoeMessage(0)),
    m.ClearShoeErrorMessage: tuple(
        m.ClearShoeErrorMessage(fault, BADGE) for fault in (Fault.NONE, Fault.CARD_UNREADABLE, Fault.PULLED_BACK)
    ),
    m.EndRoundMessage: (m.EndRoundMessage(),),
    m.SelfTestMessage: (m.SelfTestMessage(),),
}
"""Each command with parameters that are right and wrong: the state is looked at before them."""


class Sweep(PlanStep):
    """`sweep`: the device is in this state, and refuses there (WRONG_STATE) every command of its class that the page's
    table does not list for it, whatever its parameters. The state stays."""

    sweep: State

    def _run(self, stand: Stand) -> None:
        status, state = stand.profile.status, STATES[stand.profile.number][self.sweep]
        stand.need(status, self.of_status, STATUS_MS + stand.hands.patience_ms)
        commands = 0
        for rule in _RULES[stand.profile.number]:
            for command in _FORMS[rule.command] if rule.states and state not in rule.states else ():
                commands += 1
                reply, words = stand.ask(command), f"{spell(command)} in state {self.sweep}"
                if (reply.status, reply.reason) != (Status.REFUSED, Reason.WRONG_STATE):
                    raise Failed(f"{words} should have been refused for WRONG_STATE; came: {spell(reply)}")
                if reply.state != state:
                    raise Failed(f"{words} is refused with state {reply.state}, not {int(state)}")
        if not commands:
            raise Failed(f"every command is done in state {self.sweep}: there is nothing to ask for")
        stand.need(status, self.of_status, STATUS_MS)

    @property
    def of_status(self) -> Mapping[str, Wanted]:
        """The state."""
        return {"state": (self.sweep,)}
