"""The state machine: a trigger is fired, and the guards that the rows of `states` name say where it leads.

The `transitions` library lives in this file only. The machine is flat and synchronous; its model is the `Phase` of a
table, whose round the guards ask about.
"""

import logging
from functools import cache

from transitions import Event, Machine
from transitions.core import Condition, Transition

from dealer_flow.play.machine.guards import GUARDS
from dealer_flow.play.machine.states import TRANSITIONS, State
from dealer_flow.table.round import Round

# It warns of every convenience method that a declared model leaves out, which is what declaring is for.
logging.getLogger("transitions.core").setLevel(logging.ERROR)


class _NamedGuard(Condition):
    """The guard of this name. A name that is none fails at once."""

    def __init__(self, func: str, target: bool = True) -> None:
        assert func in GUARDS, func
        super().__init__(func, target)


class _Guarded(Transition):
    """A row of the table: guards, and a destination. No row has callbacks."""

    condition_cls = _NamedGuard


class _Trigger(Event):
    """A trigger that is fired at once: nothing is queued, and nothing is to be called before or after. Its rows are
    kept by the state they begin in, so that firing it asks their guards and does no more: a report fires one or two."""

    def __init__(self, name: str, machine: Machine) -> None:
        super().__init__(name, machine)
        self._rows: dict[State, list[tuple[tuple[tuple[str, bool], ...], State]]] = {}

    def add_transition(self, transition: Transition) -> None:
        """One more row, asked after those before it."""
        super().add_transition(transition)
        source = State[transition.source]
        guards = tuple((str(guard.func), guard.target) for guard in transition.conditions)
        dest = source if transition.dest is None else State[transition.dest]
        self._rows.setdefault(source, []).append((guards, dest))

    def trigger(self, model: "Phase", *args: object, **kwargs: object) -> bool:  # type: ignore[override]
        """Whether a row could be taken; the first that lets pass is. MachineError where no row begins."""
        if model.state not in self._rows:
            return self._is_valid_source(self.machine.get_model_state(model))
        for guards, dest in self._rows[model.state]:
            for name, target in guards:
                if GUARDS[name].holds(model.round_) is not target:
                    break
            else:
                model.state = dest
                return True
        return False


class GuardedMachine(Machine):
    """The library's machine, with rows that are guards and a destination."""

    event_cls = _Trigger
    transition_cls = _Guarded


@cache
def table_machine() -> GuardedMachine:
    """The machine of every table: it holds the rows of `states`, which no table changes."""
    return GuardedMachine(
        None,
        states=State,
        initial=State.BETTING,
        transitions=[
            {
                "trigger": row.trigger,
                "source": list(row.sources),
                "dest": row.dest,
                "conditions": list(row.guards),
                "unless": list(row.unless),
            }
            for row in TRANSITIONS
        ],
        model_override=True,
        auto_transitions=False,
    )


class Phase:
    """The model of the state machine: its state, the round that the guards ask about, and the triggers that
    `transitions` puts in. Each says whether a row let it pass."""

    state: State

    def __init__(self, round_: Round) -> None:
        self.round_ = round_
        machine = table_machine()
        machine.add_model(self)
        machine.remove_model(self)  # which puts it off a list alone: nothing is ever asked of all tables

    def start_game(self) -> bool:  # type: ignore[empty-body]
        """START GAME closed the bets."""

    def end_step(self) -> bool:  # type: ignore[empty-body]
        """What the step under way waits for has happened."""

    def pass_step(self) -> bool:  # type: ignore[empty-body]
        """A report of a later step ends the one under way."""

    def begin_step(self) -> bool:  # type: ignore[empty-body]
        """Another step is under way, or a hand gets a card that it lacked."""

    def draw_on(self) -> bool:  # type: ignore[empty-body]
        """A card was drawn into a column, or named."""

    def judge(self) -> bool:  # type: ignore[empty-body]
        """Something was found that ends the play."""

    def end_game(self) -> bool:  # type: ignore[empty-body]
        """END GAME."""
