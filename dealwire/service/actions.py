"""Actions that people may request from a table: roles, target device, message sent.

The tables are data: `offered` lists what a table's devices allow, `command_of` gives the message for a request. A
device gets commands only if its role in `table.toml` is `control`. Every request is journaled with the role that made
it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from dealer_flow.procedure.load import Procedure
from dealer_flow.procedure.steps.deal import DealStep
from dealwire.config.table_parts import DevicePart
from dealwire.hub.actions import ROLES, WHY, Action, ActionField, FieldRefused, Role
from dealwire.hub.view import TableView
from protocol.errors import LocalError
from protocol.faults import Fault
from protocol.printable import printable
from protocol.tdp import messages as m
from protocol.tdp.messages import ShufflerState

SUPERVISOR: Final[tuple[Role, ...]] = ("supervisor",)
TECHNICIAN: Final[tuple[Role, ...]] = ("technician",)
SUPERVISOR_OR_TECHNICIAN: Final = (*SUPERVISOR, *TECHNICIAN)

RELEASE: Final = "release-held"
"""Action that records held money as settled by hand."""
START_OVER: Final = "start-over"
"""Request that every table starts a new record at the next start of the service."""
POST: Final = "post"
"""No action of the console: the posting of a jackpot, with badges at the table controller."""
APPROVE: Final = "approve"
REFUSE: Final = "refuse"
WITHDRAW: Final = "withdraw"
ANSWERS: Final = (APPROVE, REFUSE, WITHDRAW)
"""Actions that answer a request of another person, or take back one's own."""
ATTEST: Final = "attest"
"""Action that has a device prove its firmware."""
CLEAR_MISDEAL: Final = "clear-misdeal"
"""Action that turns the red lamp off."""
INJECT: Final = "inject"
"""Action that injects a fault at simulated devices."""
_RESOLUTION: Final = {"play on": m.Resolution.RESUME, "end the deal": m.Resolution.REMOVE_DECK}


class ActionRefused(LocalError):
    """A requested action is not allowed here."""

    def __init__(self, action: str, why: str) -> None:
        self.action, self.why = action, why
        super().__init__(f"{action}: {why}")


@dataclass(frozen=True, slots=True)
class ActionKind:
    """One action: the roles that may use it, the kind of device it addresses, and the command made of its fields.

    An action without `moves` changes nothing at the device, so an observed device may get it too. `hinders` gives, for
    each state in which the device refuses the command, the reason; the empty state stands for all states not named.
    """

    name: str
    title: str
    roles: tuple[Role, ...]
    device: str
    command: Callable[[Mapping[str, Any]], m.Message]
    fields: tuple[ActionField, ...] = ()
    hint: str = ""
    asks: str = ""
    moves: bool = True
    hinders: Mapping[str, str] = field(default_factory=dict)

    def hindrance(self, state: str) -> str:
        """Return why the device refuses the action in a state; empty if it does not, or the state is unknown."""
        return self.hinders.get(state, self.hinders.get("", "")) if state else ""


def _number(name: str, title: str, most: int, default: str = "", least: int = 0) -> ActionField:
    return ActionField(name, title, "number", least=least, most=most, default=default)


ENTRY_MOST: Final = 9_999_999_999
"""Largest entry number in a form."""
_BADGE: Final = _number("badge", "Badge number", 2**32 - 1, least=1)

_IDLE: Final = {state.name: "" for state in (ShufflerState.EMPTY, ShufflerState.READY)}
_NOT_LOCKED: Final = "It is not locked."
_LOCKED: Final = "It is already locked."
_HELD_UP: Final = {
    "BOOT": "The shuffler is starting.",
    "SELF_TEST": "The shuffler is running its self-test.",
    "OPEN": "The shuffler's door is open.",
    "FAULT": "The shuffler has a fault.",
    "LOCKED": "The shuffler is locked.",
    "SETUP": "The shuffler's setup menu is open.",
    "SAFE": "The shuffler waits for this program to reconnect.",
    "MISDEAL": "The red lamp is on.",
}
"""Reason why a packet shuffler is held up, by state, for states without dealing, shuffling or waiting."""
_BUSY: Final = {**_HELD_UP, "": "A deck is being dealt, shuffled or counted."}

KINDS: Final = (
    ActionKind("refresh", "Request status", ROLES, "", lambda _: m.ReportStatusMessage(), moves=False),
    ActionKind(
        "call-misdeal",
        "Light the red lamp, stop dealing",
        SUPERVISOR,
        "shuffler",
        lambda _: m.RaiseLampMessage(Fault.MISDEAL_CALLED_BY_HOST),
        hint="No more packets come until the misdeal is cleared. The round is decided at the table.",
        asks="Light the red lamp and stop dealing?",
        hinders={**_HELD_UP, "MISDEAL": "The red lamp is already on."},
    ),
    ActionKind(
        CLEAR_MISDEAL,
        "Clear the misdeal",
        SUPERVISOR,
        "shuffler",
        lambda given: m.ClearMisdealMessage(given["badge"], _RESOLUTION[given["resolution"]]),
        (_BADGE, ActionField("resolution", "What happens next", "choice", tuple(_RESOLUTION), default="end the deal")),
        hint="Turns the red lamp off. The shuffler resumes the deal (play on) or ejects every card (end the deal).",
        hinders={"": "No misdeal has been called.", "MISDEAL": "", "OPEN": _HELD_UP["OPEN"]},
    ),
    ActionKind(
        "lock",
        "Lock it",
        SUPERVISOR,
        "shuffler",
        lambda _: m.SetLockMessage(1),
        hint="It deals nothing until it is unlocked.",
        asks="Lock the shuffler?",
        hinders={**_BUSY, **_IDLE, "LOCKED": _LOCKED},
    ),
    ActionKind(
        "unlock",
        "Unlock it",
        SUPERVISOR,
        "shuffler",
        lambda _: m.SetLockMessage(0),
        hinders={"": _NOT_LOCKED, "LOCKED": "", "OPEN": ""},
    ),
    ActionKind(
        "select-game",
        "Select the game",
        TECHNICIAN,
        "shuffler",
        lambda given: m.SelectGameMessage(given["packet-size"], given["cards"], given["jokers"], given["game"]),
        (
            _number("packet-size", "Cards per packet (0: the shuffler's own setting)", 13),
            _number("cards", "Cards in the deck", 56, least=52),
            _number("jokers", "Jokers in the deck", 4),
            ActionField("game", "Game, by the procedure's name", "ascii", most=32),
        ),
        asks="Set the shuffler to this game?",
        hinders={**_BUSY, **_IDLE, "SETUP": ""},
    ),
    ActionKind(
        "lock",
        "Lock it",
        SUPERVISOR,
        "shoe",
        lambda _: m.LockShoeMessage(1),
        hint="A card drawn while it is locked belongs to no game.",
        asks="Lock the shoe?",
        hinders={
            "BOOT": "The shoe is starting.",
            "ERROR": "The shoe is halted. Clear its error first.",
            "SETUP": "The shoe's setup menu is open.",
            "LOCKED": _LOCKED,
        },
    ),
    ActionKind(
        "unlock",
        "Unlock it",
        SUPERVISOR,
        "shoe",
        lambda _: m.LockShoeMessage(0),
        hinders={"": _NOT_LOCKED, "LOCKED": ""},
    ),
    ActionKind(
        "clear-error",
        "Clear its error",
        SUPERVISOR,
        "shoe",
        lambda given: m.ClearShoeErrorMessage(given["fault"], given["badge"]),
        (_number("fault", "Fault number", 65535, least=1), _BADGE),
        hint="Use this after the cause of the halt has been fixed.",
        hinders={"": "The shoe has no error to clear.", "ERROR": ""},
    ),
    ActionKind(
        "show-text",
        "Show a text",
        SUPERVISOR,
        "table-controller",
        lambda given: m.ShowTextMessage(given["text"]),
        (ActionField("text", "Text", "ascii", most=40),),
    ),
)


def roles_of(act: str) -> tuple[Role, ...]:
    """Return the roles of an act that a house may want two people for."""
    return next((kind.roles for kind in KINDS if kind.name == act), SUPERVISOR)


def offered(devices: Sequence[DevicePart], procedure: Procedure) -> list[Action]:
    """Return the console's buttons for a table: one for each action of each device that allows it."""
    return [_button(kind, device, procedure) for device in devices for kind in _allowed(device)]


def of_table() -> list[Action]:
    """Return the actions on the table itself, whatever its devices."""
    return [
        Action(
            id=RELEASE,
            title="Mark as settled by hand",
            roles=SUPERVISOR,
            does=RELEASE,
            fields=(
                _number("entry", "Journal entry", ENTRY_MOST, least=1),
                ActionField("session", "Session", "ascii", most=8),
                _number("round", "Round", 2**32 - 1),
                _BADGE,
                ActionField("why", "How it was settled", default="paid or taken by hand"),
            ),
            group="money",
            hint="Removes the held money from this page. The program pays and moves nothing.",
            asks="Has all money held from this round been paid or taken?",
        )
    ]


REQUEST: Final = _number("request", "Number of the request", ENTRY_MOST, least=1)
_ANSWERING: Final = (
    Action(
        APPROVE,
        "Approve",
        SUPERVISOR_OR_TECHNICIAN,
        APPROVE,
        fields=(REQUEST,),
        group="pending",
        asks="Approve this request? It is done at once, under both names.",
        hint="Only another person may approve, within five minutes of signing in.",
        needs_reason=False,
        even_stopped=True,
    ),
    Action(REFUSE, "Refuse", SUPERVISOR_OR_TECHNICIAN, REFUSE, fields=(REQUEST,), group="pending", even_stopped=True),
    Action(
        WITHDRAW,
        "Withdraw",
        SUPERVISOR_OR_TECHNICIAN,
        WITHDRAW,
        fields=(REQUEST,),
        group="pending",
        hint="For the person who requested it.",
        needs_reason=False,
        even_stopped=True,
    ),
)
_STARTING_OVER: Final = Action(
    START_OVER,
    "Request to start over",
    SUPERVISOR,
    START_OVER,
    group="setup",
    hint="Once approved, dealwire run --start-over counts for an hour: every table starts a new record.",
    asks="Request that every table starts a new record?",
    even_stopped=True,
)


def of_two_people(policy: Collection[str], *, proved: bool = False) -> list[Action]:
    """Return the actions with which people answer requests of others, if any act needs two people. `proved`: a passkey
    signs an approval."""
    if not {*policy} - {POST}:
        return []
    answering = [_by_passkey(each) if proved and each.does == APPROVE else each for each in _ANSWERING]
    return [*answering, *([_STARTING_OVER] if START_OVER in policy else [])]


def _by_passkey(action: Action) -> Action:
    hint = "Only another person may approve. The passkey signs this very request."
    return replace(action, title="Approve with passkey", hint=hint, proved=True)


def for_house(actions: Iterable[Action], policy: Collection[str], *, proved: bool = False) -> list[Action]:
    """Return a table's actions as the house wants them: some need two people, who have buttons to answer one
    another."""
    return [for_two_people(each, policy) for each in (*actions, *of_two_people(policy, proved=proved))]


def for_two_people(action: Action, policy: Collection[str]) -> Action:
    """Return an action as it is offered where the house wants two people for it."""
    if action.does not in policy:
        return action
    hint = f"{action.hint} Another person must approve it.".strip()
    return replace(action, taken="requested", hint=hint)


def of_attested(devices: Iterable[str]) -> list[Action]:
    """Return a button for each of these devices, which must prove their firmware."""
    return [
        Action(
            id=f"{name}.{ATTEST}",
            title="Check the firmware",
            roles=SUPERVISOR_OR_TECHNICIAN,
            does=ATTEST,
            fixed={"device": name},
            group=name,
            needs_reason=False,
            hint="The device measures its firmware and signs it. Nothing moves.",
            hindered=partial(_away, name),
        )
        for name in devices
    ]


def _away(name: str, view: TableView) -> str:
    device = next((each for each in view.devices if each.name == name), None)
    return f"{name} is not connected." if device is None or device.link != "up" else ""


def faults(devices: Collection[str] = ("shuffler",)) -> list[Action]:
    """Return a button for each fault that can be injected at a simulated table with these kinds of devices."""
    from dealwire.rehearsal.faults import injectable  # only simulated tables need it

    return [
        Action(
            id=f"{INJECT}.{fault.name}",
            title=fault.title,
            roles=TECHNICIAN,
            does=INJECT,
            fixed={"fault": fault.name},
            fields=tuple(fault.fields.values()),
            bench=True,
            needs_reason=False,
            group="faults",
            taken="scheduled",
        )
        for fault in injectable()
        if fault.device in ("any", *devices)
    ]


def find(
    devices: Sequence[DevicePart], name: str, fields: Mapping[str, object], who: str
) -> tuple[ActionKind, DevicePart]:
    """Return the action and the device of a request; ActionRefused says why it is not allowed."""
    device = next((each for each in devices if each.name == fields.get("device")), None)
    if device is None:
        raise ActionRefused(name, f"name one of these devices: {', '.join(each.name for each in devices)}")
    of_kind = [kind for kind in KINDS if kind.name == name and kind.device in ("", device.kind)]
    if not of_kind:
        known = sorted({kind.name for kind in KINDS if kind.device in ("", device.kind)})
        raise ActionRefused(name, f"a {device.kind} has no such action; it has {', '.join(known)}")
    kind = of_kind[0]
    if who not in kind.roles:
        raise ActionRefused(name, f"a {who} may not do this; allowed: {', '.join(kind.roles)}")
    if kind not in _allowed(device):
        raise ActionRefused(name, f"{device.name} is only observed; set its role to 'control' in table.toml")
    return kind, device


def command_of(kind: ActionKind, fields: Mapping[str, object]) -> m.Message:
    """Return the command to send; FieldRefused if a field is missing or invalid."""
    return kind.command({f.name: f.read(kind.name, str(fields.get(f.name, f.default))) for f in kind.fields})


def words_of(kind: ActionKind, device: DevicePart, fields: Mapping[str, object], *, by_name: bool) -> str:
    """Return a request in words, for the record. FieldRefused for a field that the action does not have, whose name
    would be in that sentence. `by_name`: a person or program gives the reason."""
    known = {f.name: f for f in (*kind.fields, WHY)}
    if unknown := sorted(fields.keys() - known.keys() - {"device"}):
        raise FieldRefused(kind.name, printable(unknown[0], 40), "there is no such field")
    read = {name: known[name].read(kind.name, str(value)) for name, value in fields.items() if name in known}
    why = read.pop(WHY.name, "")
    filled_in = ", ".join(f"{name} {value}" for name, value in read.items())
    what = kind.title[0].lower() + kind.title[1:]
    end = f": {why}" if by_name and why else ""
    return f"at {device.name}: {what}{' (' + filled_in + ')' if filled_in else ''}{end}"


def _allowed(device: DevicePart) -> list[ActionKind]:
    if device.dialect != "tdp":
        return []  # the other dialects have no commands
    control = device.role == "control"
    return [kind for kind in KINDS if kind.device in ("", device.kind) and (control or not kind.moves)]


def _button(kind: ActionKind, device: DevicePart, procedure: Procedure) -> Action:
    fields = kind.fields
    if kind.name == "select-game":
        sizes = {step.cards for step in procedure.step if isinstance(step, DealStep)}
        known = {
            "packet-size": str(min(sizes)) if len(sizes) == 1 else "0",
            "cards": str(procedure.deck.cards),
            "jokers": str(procedure.deck.jokers),
            "game": procedure.id,
        }
        fields = tuple(ActionField(f.name, f.title, f.kind, f.choices, f.least, f.most, known[f.name]) for f in fields)
    return Action(
        id=f"{device.name}.{kind.name}",
        title=kind.title,
        roles=kind.roles,
        does=kind.name,
        fixed={"device": device.name},
        fields=fields,
        group=device.name,
        hint=kind.hint,
        asks=kind.asks,
        hindered=partial(_hindrance, kind, device.name),
        needs_reason=kind.moves,
    )


def _hindrance(kind: ActionKind, name: str, view: TableView) -> str:
    """Return why the action cannot be used at this device now. If the state is unknown, the red lamp decides."""
    device = next((each for each in view.devices if each.name == name), None)
    if device is None or device.link != "up":
        return f"{name} is not connected."
    if kind.name == "call-misdeal" and view.red_lamp:
        return kind.hinders["MISDEAL"]  # the lamp lights at once, while the state changes after the motion
    if kind.name == CLEAR_MISDEAL and not device.state and view.red_lamp == 0:
        return kind.hinders[""]
    return kind.hindrance(device.state)


def hindered_by(does: str, device: str) -> Callable[[TableView], str]:
    """Return the function that says why the action `does` cannot be used at a device now, for a process that knows the
    device only by its view."""

    def why(view: TableView) -> str:
        kind = next((each.kind for each in view.devices if each.name == device), "")
        found = next((each for each in KINDS if each.name == does and each.device in ("", kind)), None)
        return _hindrance(found, device, view) if found is not None else _away(device, view)

    return why
