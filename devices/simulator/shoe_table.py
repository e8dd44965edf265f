"""A table with one simulated shoe and a scripted dealer. Pure; supports three dialects."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from devices.simulator.dialect_front_ends import AngelEyeFrontEnd, BeeTekFrontEnd
from devices.simulator.line_faults import LineFaults
from devices.simulator.shoe import BOOT_NS, ShoeModel
from devices.simulator.unit import TableUnit, shoe_unit
from protocol.errors import LocalError
from protocol.faults import Fault

SHOE: Final = "shoe"
PACE_NS: Final = 800_000_000
"""Time between two actions of the dealer."""


FRONT_ENDS: Final[dict[str, Callable[[str, ShoeModel, Random], TableUnit]]] = {
    "tdp": lambda _, model, rng: shoe_unit(model, rng),
    "angel-eye": lambda name, model, _: AngelEyeFrontEnd(name, model),
    "bee-tek": lambda name, model, _: BeeTekFrontEnd(name, model),
}

Act = str
"""One action of the dealer: `fill`, `begin N`, `draw`, `draw unread`, `push back`, `pull back`, `end round`, `lock`,
`unlock`, `clear`, `setup`, `close setup`, `slow`, `wrong button`, `empty`, `power off`, `power on`; `drop N`, `noise N`
and `flip N` damage the line's next bytes."""


class BadAct(LocalError):
    """A script contains an unknown action."""

    def __init__(self, act: str) -> None:
        self.act = act
        super().__init__(f"unknown action of a dealer at a shoe: {act!r}")


class ShoeTable:
    """A table that takes the bytes of the host and the time, and returns the bytes for the shoe's line.

    The dealer starts when the shoe has a host and has started, and performs one action every `pace_ns`.
    """

    def __init__(
        self,
        acts: Sequence[Act],
        *,
        dialect: str = "tdp",
        seed: int = 1,
        decks: int = 8,
        cut_after: int | None = None,
        round_limit: int | None = None,
        pace_ns: int = PACE_NS,
        boot_ns: int = BOOT_NS,
    ) -> None:
        seeds = Random(seed)
        self.model = ShoeModel(Random(seeds.random()), round_limit=round_limit, boot_ns=boot_ns)
        self.unit = FRONT_ENDS[dialect](SHOE, self.model, Random(seeds.random()))
        self.units = {SHOE: self.unit}
        self.line = LineFaults(Random(seeds.random()))
        self._acts, self._done = list(acts), 0
        self._decks, self._cut_after, self._pace_ns = decks, cut_after, pace_ns
        self._due_ns: int | None = None
        self._actions = self._make_actions()
        for act in acts:
            self._find(act)

    def power_on(self, now_ns: int) -> None:
        """Switch the shoe on."""
        self.unit.power_on(now_ns)
        self._invite(now_ns)

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        """Process bytes from the host."""
        if not self.line.cut:
            self.unit.receive(data, now_ns)
        self._invite(now_ns)

    def tick(self, now_ns: int) -> None:
        """Do what is due."""
        self.unit.tick(now_ns)
        self._invite(now_ns)
        while self._due_ns is not None and self._due_ns <= now_ns and not self.dealt:
            do, argument = self._find(self._acts[self._done])
            self._done += 1
            self._due_ns += self._pace_ns
            do(argument, now_ns)
            self.unit.settle(now_ns)

    def take_output(self, device: str, now_ns: int) -> bytes:
        """Return the bytes that leave the line now."""
        frames = self.unit.take_output()
        return b"".join([self.line.carry(frame, now_ns) for frame in frames] or [self.line.carry(b"", now_ns)])

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `tick`."""
        dues = [self.unit.next_deadline_ns, self.line.next_deadline_ns, None if self.dealt else self._due_ns]
        return min((due for due in dues if due is not None), default=None)

    @property
    def dealt(self) -> bool:
        """True if the script is over."""
        return self._done == len(self._acts)

    @property
    def finished(self) -> bool:
        """True if the script is over and the host has everything or is gone."""
        return self.dealt and (self.unit.all_acknowledged or self.unit.host_lost)

    def _invite(self, now_ns: int) -> None:
        if self._due_ns is None and self.unit.hosted and self.model.next_deadline_ns is None:
            self._due_ns = now_ns + self._pace_ns

    def _find(self, act: Act) -> tuple[Callable[[int, int], object], int]:
        words, _, number = act.rpartition(" ")
        if words in self._actions and number.isdecimal():
            return self._actions[words], int(number)
        if act in self._actions:
            return self._actions[act], 0
        raise BadAct(act)

    def _make_actions(self) -> dict[str, Callable[[int, int], object]]:
        model = self.model
        return {
            "fill": lambda _, __: model.fill(self._decks, self._cut_after),
            "begin": lambda burn, _: model.begin(burn),
            "draw": lambda _, __: model.draw(),
            "draw unread": lambda _, __: model.draw(readable=False),
            "push back": lambda _, __: model.push_back(),
            "pull back": lambda _, __: model.pull_back(),
            "end round": lambda _, __: model.end_round(),
            "lock": lambda _, __: model.lock(True),
            "unlock": lambda _, __: model.lock(False),
            "clear": lambda _, __: model.clear(),
            "setup": lambda _, __: model.open_setup(True),
            "close setup": lambda _, __: model.open_setup(False),
            "slow": lambda _, __: model.trouble(Fault.DRAW_TOO_SLOW),
            "wrong button": lambda _, __: model.trouble(Fault.WRONG_BUTTON),
            "empty": lambda _, __: model.empty(),
            "power off": lambda _, __: self.unit.power_off(),
            "power on": lambda _, now_ns: self.unit.power_on(now_ns),
            "drop": lambda count, _: self.line.drop(count),
            "noise": lambda count, _: self.line.insert_noise(count),
            "flip": lambda bits, _: self.line.flip(bits),
        }
