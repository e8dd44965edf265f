"""Watch over the journal's log: what the console shows of it, and the warning when a needed witness has not cosigned.

It works once a second, in the owner's turn, on what the journal and the exporter have noted.
"""

from collections.abc import Callable
from typing import Final

from dealwire.config.schema import JournalPart, WitnessPart
from dealwire.hub.health import LogHealth
from dealwire.hub.log_view import OVERDUE_NS, LogView, WitnessState, WitnessView
from dealwire.journal import Journal, JournalReader
from dealwire.journal.log_records import noted_tree
from dealwire.journal.records import CHECKPOINT, LOG
from dealwire.service.day_stamps import DayStamps

GRACE_NS: Final = 600 * 10**9
"""Time after a start in which no witness is overdue: the broker may have to be reached first."""


class LogWatch:
    """Watches the log of `journal` and its witnesses, of which the exporter notes the signatures in `health`. `show`
    gets the state when it changed. Call `beat` once a second. A journal that signs nothing has no state."""

    problem: str | None = None
    """The needed witnesses that have not cosigned for too long, as a sentence; None if there are none."""

    def __init__(
        self,
        journal: Journal,
        part: JournalPart,
        health: LogHealth,
        stamps: DayStamps,
        show: Callable[[LogView], None],
        now_ns: int,
    ) -> None:
        self._journal, self._part, self._health, self._stamps = journal, part, health, stamps
        self._show, self._began_ns, self._log_ns = show, now_ns, now_ns
        self._shown: LogView | None = None
        self._warned: set[str] = set()
        if self._signs:
            self._read()

    @property
    def _signs(self) -> bool:
        return self._journal.checkpoints.pair is not None

    def _read(self) -> None:
        """Take from the journal since when the log is there, and its newest checkpoint. A log whose beginning was
        pruned is older than all that is kept."""
        if self._journal.checkpoints.log.origin.endswith(f"/{self._journal.epoch}"):
            return  # it begins with this opening
        with JournalReader(self._journal.path) as reader:
            log, checkpoint = reader.newest_of(LOG), reader.newest_of(CHECKPOINT)
        self._log_ns = log.at_ns if log is not None else 0
        if checkpoint is not None:
            noted = noted_tree(reader.path, checkpoint)
            if noted is not None and noted.origin == self._journal.checkpoints.log.origin:
                self._journal.checkpoints.signed = noted.size, checkpoint.at_ns

    def beat(self, now_ns: int) -> str | None:
        """Bring the state up to date; return a warning about a witness that is overdue, once until it signs again."""
        if not self._signs:
            return None
        witnesses = tuple(self._state(each, now_ns) for each in self._part.witness)
        found = self._view(witnesses)
        if found != self._shown:
            self._shown = found
            self._show(found)
        late = [each for each in witnesses if each.overdue]
        self._health.overdue = {each.name: int(each.overdue) for each in witnesses if each.needed}
        self.problem = "; ".join(map(_why, late)) or None
        self._warned &= {each.name for each in late}
        for each in late:
            if each.name not in self._warned:
                self._warned.add(each.name)
                return f"the witness {_why(each)}"
        return None

    def _state(self, part: WitnessPart, now_ns: int) -> WitnessView:
        health, name = self._health, part.name
        at_ns, why = health.cosigned.get(name, 0) * 10**9, health.refused.get(name, "")
        is_old = now_ns - at_ns >= OVERDUE_NS
        state: WitnessState = "refused" if why else "missing" if not at_ns else "old" if is_old else "fresh"
        since_ns = at_ns or self._log_ns
        late = now_ns - since_ns >= OVERDUE_NS and now_ns - self._began_ns >= GRACE_NS
        return WitnessView(
            name=name,
            needed=part.needed,
            state=state,
            size=health.sizes.get(name, 0),
            at_ns=at_ns,
            overdue=part.needed and late,
            why=why,
        )

    def _view(self, witnesses: tuple[WitnessView, ...]) -> LogView:
        checkpoints, stamps, health = self._journal.checkpoints, self._stamps, self._health
        size, at_ns = checkpoints.signed or (0, 0)
        health.checkpoint_ns, health.stamped_ns = at_ns, stamps.stamped_ns if stamps.wanted else None
        return LogView(
            origin=checkpoints.log.origin,
            leaves=checkpoints.log.size,
            checkpoint=size,
            checkpoint_ns=at_ns,
            witnesses=witnesses,
            stamps=stamps.wanted,
            stamped_day=stamps.stamped_day,
            stamped_ns=stamps.stamped_ns,
            stamp_overdue=stamps.overdue,
            forks=health.forks,
        )


def _why(each: WitnessView) -> str:
    if not each.at_ns:
        return f"{each.name} has never cosigned a checkpoint, and the log is older than 24 h"
    return f"{each.name} has not cosigned a checkpoint for 24 h"
