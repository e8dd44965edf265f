"""The state machine: a trigger is fired, and the guards that the rows of `states` name say where it leads.

The `transitions` library lives in this file only. The machine is flat and synchronous; its model is the `Phase` of a
table, whose round the guards ask about.
"""

import logging
from collections.abc import Callable

from transitions import EventData, Machine
from transitions.core import Condition, Transition

from dealer_flow.play.guards import GUARDS
from dealer_flow.play.states import TRANSITIONS, State
from dealer_flow.table.round import Round

# It warns of every convenience method that a declared model leaves out, which is what declaring is for.
logging.getLogger("transitions.core").setLevel(logging.ERROR)


class _PlainGuard(Condition):
    """A guard that is asked as it is: no row names it by a string that would have to be looked up."""

    def check(self, event_data: EventData) -> bool:
        """Whether the row may be taken, as far as this guard goes."""
        return self.func() is self.target  # type: ignore[operator]


class _Guarded(Transition):
    """A row of the table: its guards are asked, then the state changes. No row has callbacks, and looking for them at
    every turn would double the price of a trigger."""

    condition_cls = _PlainGuard

    def execute(self, event_data: EventData) -> bool:
        """True when every guard lets pass."""
        if not self._eval_conditions(event_data):
            return False
        if self.dest is not None:
            event_data.machine.set_state(self.dest, event_data.model)
        return True


class GuardedMachine(Machine):
    """The library's machine, with rows that are guards and a destination."""

    transition_cls = _Guarded


class Phase:
    """The model of the state machine: its state, the round that the guards ask about, and the triggers that
    `transitions` puts in. Each says whether a row let it pass."""

    state: State

    def __init__(self, round_: Round) -> None:
        self.round_ = round_
        GuardedMachine(
            self,
            states=State,
            initial=State.BETTING,
            transitions=[
                {
                    "trigger": row.trigger,
                    "source": list(row.sources),
                    "dest": row.dest,
                    "conditions": [self._asks(name) for name in row.guards],
                    "unless": [self._asks(name) for name in row.unless],
                }
                for row in TRANSITIONS
            ],
            model_override=True,
            queued=False,
            auto_transitions=False,
            send_event=False,
        )

    def _asks(self, name: str) -> Callable[[], bool]:
        """The guard of this name on the round of the moment. A name that is none fails at once."""
        assert name in GUARDS, name
        return lambda: GUARDS[name].holds(self.round_)

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
