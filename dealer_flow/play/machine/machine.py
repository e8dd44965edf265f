"""The state machine: a trigger is fired, and the guards named in the rows of `states` decide where it leads.

The `transitions` library is used in this file only. The machine is flat and synchronous; its model is the `Phase` of a
table, and the guards are evaluated on its round.
"""

import logging
from functools import cache

from transitions import Event, Machine
from transitions.core import Condition, Transition

from dealer_flow.play.machine.guards import GUARDS
from dealer_flow.play.machine.states import TRANSITIONS, State
from dealer_flow.table.round import Round

# It would warn about every convenience method that a model with declared triggers lacks, which is intended here.
logging.getLogger("transitions.core").setLevel(logging.ERROR)


class _NamedGuard(Condition):
    """A guard by its name. An unknown name fails at once."""

    def __init__(self, func: str, target: bool = True) -> None:
        assert func in GUARDS, func
        super().__init__(func, target)


class _Guarded(Transition):
    """A row of the table: guards and a destination. No row has callbacks."""

    condition_cls = _NamedGuard


class _Trigger(Event):
    """A trigger that fires at once, without a queue or callbacks.

    Its rows are indexed by the state they begin in, so firing it evaluates their guards and does no more: every report
    fires one or two.
    """

    def __init__(self, name: str, machine: Machine) -> None:
        super().__init__(name, machine)
        self._rows: dict[State, list[tuple[tuple[tuple[str, bool], ...], State]]] = {}

    def add_transition(self, transition: Transition) -> None:
        """Add a row, which is tried after those added before it."""
        super().add_transition(transition)
        source = State[transition.source]
        guards = tuple((str(guard.func), guard.target) for guard in transition.conditions)
        dest = source if transition.dest is None else State[transition.dest]
        self._rows.setdefault(source, []).append((guards, dest))

    def trigger(self, model: "Phase", *args: object, **kwargs: object) -> bool:  # type: ignore[override]
        """Take the first row whose guards hold; return True if there is one. MachineError if no row begins in the
        state."""
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
    """The library's machine, reduced to rows of guards and a destination."""

    event_cls = _Trigger
    transition_cls = _Guarded


@cache
def table_machine() -> GuardedMachine:
    """Return the machine shared by all tables: it holds the rows of `states`, which no table changes."""
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
    """Model of the state machine: its state, and the round on which the guards are evaluated.

    `transitions` adds the triggers below. Each returns True if a row was taken.
    """

    state: State

    def __init__(self, round_: Round) -> None:
        self.round_ = round_
        machine = table_machine()
        machine.add_model(self)
        # only drops it from the machine's list of models, which would keep every table alive
        machine.remove_model(self)

    def start_game(self) -> bool:  # type: ignore[empty-body]
        """Fire after START GAME closed the bets."""

    def end_step(self) -> bool:  # type: ignore[empty-body]
        """Fire when the event that the step under way waits for may have happened."""

    def pass_step(self) -> bool:  # type: ignore[empty-body]
        """Fire when a report of a later step ends the one under way."""

    def begin_step(self) -> bool:  # type: ignore[empty-body]
        """Fire when another step is under way, or a hand gets a card that it lacked."""

    def draw_on(self) -> bool:  # type: ignore[empty-body]
        """Fire after a card was drawn into a column, or named."""

    def judge(self) -> bool:  # type: ignore[empty-body]
        """Fire after a finding that may end the play."""

    def end_game(self) -> bool:  # type: ignore[empty-body]
        """Fire at END GAME."""
