"""The simulated devices on a script, with the names, the mechanism and the times of the reference device in C, so that
any difference concerns something that the protocol defines."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from devices.simulator.deck import Bay, Cards, PlayingCard
from devices.simulator.shoe import ShoeModel
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.shuffler_parts import MS, Durations, MachineMishap, Motion, ShufflerSetting
from devices.simulator.table_controller import TableControllerModel
from devices.simulator.unit import Unit, controller_unit, shoe_unit, shuffler_unit
from firmware.same.sealed_device import ScriptedSeal
from firmware.same.steps import Arrive, Do, Look, PowerCut, Script, Sealing, Step, Wait
from protocol.cards import CARDS, DECK
from protocol.faults import Fault
from protocol.places import COMMUNITY, Place
from protocol.tdp import messages as m
from protocol.tdp.bounds import JOKERS_MAX, PACKET_SIZE_MAX, SUITED
from protocol.tdp.messages import ActionManner, BadgeLevel, Mishandling, PlayerAction, Resolution, Spread

BADGE: Final = 7001
ON_TABLE: Final = Place(1)


class Sessions(Random):
    """Source of session ids from the script."""

    def __init__(self) -> None:
        super().__init__(0)
        self.next = 0

    def randrange(self, *_: Any) -> int:
        """Return the session id."""
        return self.next


def play_in_python(script: Script) -> list[bytes]:
    """Return the output of the simulated device: at the start, then in each step."""
    bench = bench_of(script)
    bench.power_on(script.session)
    out = [bench.said()]
    for step in script.steps:
        bench.play(step)
        out.append(bench.said())
    return out


def bench_of(script: Script) -> Bench:
    """Return the simulated device of a script, switched off."""
    bench = BENCHES[script.device]()
    if script.sealing is not None:
        bench.give(script.sealing)
    return bench


class Bench:
    """One simulated device and its clock, in milliseconds."""

    def __init__(self, unit: Unit, sessions: Sessions, model: str) -> None:
        self.unit, self._sessions, self.now_ms = unit, sessions, 0
        plain = unit._hello

        def hello() -> m.HelloReplyMessage:
            """Return the identification of the reference device."""
            said = plain()
            return m.HelloReplyMessage(**{
                **{name: getattr(said, name) for name in said.__struct_fields__},
                "model": model, "serial": "TDP-0001", "digest": bytes(32), "capabilities": self.capabilities(said),
            })  # fmt: skip

        unit._hello = hello  # type: ignore[method-assign]
        self.seal: ScriptedSeal | None = None
        self._shown = b""

    def give(self, sealing: Sealing) -> None:
        """Give the device a sealed line, before its first start."""
        self.seal = self.unit.seal = ScriptedSeal(sealing, self.opened)
        if sealing.own is not None:
            self.unit.identify(sealing.own)

    def opened(self) -> bool:
        """Return True while a person has the device open."""
        raise NotImplementedError

    def capabilities(self, said: m.HelloReplyMessage) -> int:
        """Return the capabilities to claim."""
        return int(said.capabilities)

    @property
    def now_ns(self) -> int:
        """Return the clock in the simulator's unit."""
        return self.now_ms * MS

    def power_on(self, session: int) -> None:
        """Start the device with this session id."""
        self._sessions.next = session
        self.unit.power_on(self.now_ns)

    def play(self, step: Step) -> None:
        """Play one step of a script."""
        match step:
            case Wait(ms):
                self._wait(ms)
            case Arrive(data):
                self.unit.receive(data, self.now_ns)
            case Do(act):
                name, *numbers = act.split()
                given = [int(number) for number in numbers] + [0] * 4
                if self.seal is None or not self.seal.act(name, given[0], self.now_ns):
                    self.act(name, given)
                    if self.seal is not None:
                        self.seal.look()
                self.unit.settle(self.now_ns)
            case Look():
                self._shown = b"" if self.seal is None else self.seal.shown().encode()
            case PowerCut(session):
                self.unit.power_off()
                self.power_on(session)

    def said(self) -> bytes:
        """Return the output since the last call."""
        shown, self._shown = self._shown, b""
        return b"".join([*self.unit.take_output(), shown])

    def act(self, name: str, numbers: list[int]) -> None:
        """Carry out an act of the hands."""
        raise NotImplementedError

    def _wait(self, ms: int) -> None:
        """Wait in whole milliseconds, like the device in C."""
        end = self.now_ms + ms
        while (due := self.unit.next_deadline_ns) is not None and -(-due // MS) <= end:
            self.now_ms = max(self.now_ms, -(-due // MS))
            self.unit.tick(self.now_ns)
        self.now_ms = end


class ControllerBench(Bench):
    """A table controller."""

    def __init__(self) -> None:
        self._model, sessions = TableControllerModel(meters=8), Sessions()
        super().__init__(controller_unit(self._model, sessions), sessions, "tdp-controller")

    def opened(self) -> bool:
        """Return True in setup."""
        return self._model._in_setup

    def act(self, name: str, numbers: list[int]) -> None:
        """Operate keys and sensors."""
        model, (a, b, c, d, *_rest) = self._model, numbers
        doings: dict[str, Callable[[], object]] = {
            "start-game": model.start_game,
            "end-game": model.end_game,
            "hand-button": lambda: model.press_hand(a),
            "bet-on": lambda: model.sense(a, True),
            "bet-off": lambda: model.sense(a, False),
            "badge": lambda: model.swipe(BADGE, BadgeLevel(a)),
            "burn": lambda: model.confirm_burn(COMMUNITY, (1, 2, 5), Spread.LEFT_TO_RIGHT),
            "misdeal": lambda: model.call_misdeal(BADGE, Fault.MISDEAL_CALLED_BY_HOST),
            "call-off": lambda: None,
            "table-setup": lambda: model.set_setup(bool(a)),
            "spot": lambda: model.select_spot(a),
            "confirm": model.confirm,
            "wager": lambda: model.place_wager(a, b, c),
            "decide": lambda: model.decide(a, b),
            "count": lambda: model.count(Place(a), b),
            "number": lambda: model.draw_number(a),
            "mishandled": lambda: model.mishandle(Place(a), Mishandling(b), CARDS[c]),
            "stake": lambda: model.show_stake(a, b),
            "acted": lambda: model.player_acts(a, PlayerAction(b), d, ActionManner(c)),
            "take-pot": lambda: model.take_pot(a, b, c),
        }
        doings[name]()


class ShoeBench(Bench):
    """A shoe filled and shuffled like the reference device's mechanism: xorshift, seeded with the session."""

    def __init__(self) -> None:
        sessions = Sessions()
        self._model = ShoeModel(Random(0))
        super().__init__(shoe_unit(self._model, sessions), sessions, "tdp-shoe")
        self._random = 1

    def opened(self) -> bool:
        """Return True in setup."""
        return self._model.in_setup

    def power_on(self, session: int) -> None:
        """Seed the mechanism with the session, and drop a limit."""
        self._random = session | 1
        self._model._limit = None
        super().power_on(session)

    def act(self, name: str, numbers: list[int]) -> None:
        """Operate cards and keys."""
        model, (a, b, *_rest) = self._model, numbers
        doings: dict[str, Callable[[], object]] = {
            "fill": lambda: self._fill(a, b),
            "begin": lambda: model.begin(a),
            "burn": lambda: model.burn(a),
            "draw": model.draw,
            "draw-unread": lambda: model.draw(readable=False),
            "push-back": model.push_back,
            "pull-back": model.pull_back,
            "end-round": model.end_round,
            "lock-key": lambda: model.lock(bool(a)),
            "clear-error": model.clear,
            "slow-draw": lambda: model.trouble(Fault.DRAW_TOO_SLOW),
            "wrong-button": lambda: model.trouble(Fault.WRONG_BUTTON),
            "empty": model.empty,
            "shoe-setup": lambda: model.open_setup(bool(a)),
            "limit": lambda: setattr(model, "_limit", a or None),
            "call-off": lambda: None,
        }
        doings[name]()

    def _fill(self, decks: int, cut_after: int) -> None:
        if not 1 <= decks <= 8 or self._model.state is not m.ShoeState.EMPTY:
            return
        cards = list(DECK) * decks
        for i in range(len(cards), 1, -1):
            other = self._draw() % i
            cards[i - 1], cards[other] = cards[other], cards[i - 1]
        self._model.fill(decks, cut_after or None, cards)

    def _draw(self) -> int:
        x = self._random
        x ^= x << 13 & 0xFFFF_FFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFF_FFFF
        self._random = x
        return x


class CountedCards(Cards):
    """Cards of which only the counts matter: a deck outside is made complete, or nearly, when it is put in."""

    def put_in(self, deck: int, count: int) -> None:
        """Put this many cards with this back into the input, and drop the deck's other cards."""
        for pile in self._piles.values():
            pile[:] = [card for card in pile if card.back != deck]
        for at in range(count):
            self.lay(PlayingCard(DECK[at % len(DECK)], deck), Bay.INPUT)


class ScriptedShuffler(ShufflerModel):
    """A shuffler in which each mishap happens once."""

    grabbed = False

    def say(self, event: type[m.Event], request: int = 0, **fields: Any) -> None:
        """Drop a mishap after its event."""
        if event is m.PacketDispensedMessage and not self.grabbed:
            self.mishaps = [each for each in self.mishaps if each.ordinal != fields["ordinal"]]
        super().say(event, request, **fields)
        if event is m.RemainderDumpedMessage:
            self.mishaps = [each for each in self.mishaps if each.ordinal != 0]


class ShufflerBench(Bench):
    """A packet shuffler."""

    def __init__(self) -> None:
        sessions = Sessions()
        self._cards = CountedCards(Random(0))
        self._model = ScriptedShuffler(self._cards)
        super().__init__(shuffler_unit(self._model, sessions), sessions, "tdp-shuffler")

    def opened(self) -> bool:
        """Return True with its door open, or in setup."""
        return self._model.door_open or self._model.in_setup

    def power_on(self, session: int) -> None:
        """Start the device and drop armed mishaps."""
        self._model.mishaps, self._model.jam_tries = [], 0
        super().power_on(session)

    def act(self, name: str, numbers: list[int]) -> None:
        """Operate decks, buttons, the tray and the door, and arm mishaps."""
        model, now, (a, b, c, *_rest) = self._model, self.now_ns, numbers
        doings: dict[str, Callable[[], object]] = {
            "green": lambda: model.press_green(now),
            "lift": self._lift,
            "grab": lambda: self._lift() if model.motion is Motion.DISPENSE else None,
            "load": lambda: self._load(a, b),
            "open-door": lambda: model.move_door(True, now),
            "close-door": lambda: model.move_door(False, now),
            "open-setup": lambda: model.open_setup(now),
            "close-setup": lambda: model.close_setup(now),
            "choose-game": lambda: self._choose(a, b),
            "clear-resume": lambda: model.turn_key(Resolution.RESUME, now),
            "clear-remove": lambda: model.turn_key(Resolution.REMOVE_DECK, now),
            "block-sensor": lambda: setattr(model, "sensor_works", False),
            "free-sensor": lambda: setattr(model, "sensor_works", True),
            "speed": lambda: setattr(model, "durations", hastened(a)),
            "call-off": self._call_off,
            "packet-count": lambda: self._arm(a, by=b, noticed=bool(c)),
            "jam": lambda: self._arm(a, jam_tries=b),
            "lost-card": lambda: self._arm(a, lost=1),
            "rejected-card": lambda: self._arm(a, rejected=b),
            "remainder-short": lambda: model.mishaps.append(MachineMishap(0, slipped=a)),
        }
        doings[name]()

    def _lift(self) -> None:
        model = self._model
        if model.motion is not Motion.DISPENSE:
            model.lift(ON_TABLE, self.now_ns)
            return
        # the reference mechanism gets a grab without a time: two thirds of the packet have come out
        size = model.game.packet_size
        model.motion_began_ns = self.now_ns - min(2 * size // 3, size - 1) * MS
        model.motion_due_ns = model.motion_began_ns + size * MS
        model.grabbed = True
        model.lift(ON_TABLE, self.now_ns)
        model.grabbed = False

    def _load(self, missing: int, extra: int) -> None:
        inside = {card.back for spot, card in self._cards if spot in (Bay.INPUT, Bay.CHAMBER, Bay.TRAY)}
        deck = 2 if 1 in inside else 1
        waits = self._cards.count(Bay.INPUT)
        if deck in inside or waits or missing > 5 or extra > 5:
            return
        self._cards.put_in(deck, self._model.game.cards - missing + extra)
        self._model.load_deck(deck, self.now_ns)

    def _choose(self, size: int, jokers: int) -> None:
        if 0 < size <= PACKET_SIZE_MAX and jokers <= JOKERS_MAX:
            self._model.choose_game(ShufflerSetting(size, SUITED + jokers, jokers), self.now_ns)

    def _arm(self, packet: int, **mishap: Any) -> None:
        counts = self._model.round
        ordinal = packet or (len(counts.packets) + 1 if counts else 1)
        self._model.mishaps.append(MachineMishap(ordinal, **mishap))

    def _call_off(self) -> None:
        self._model.mishaps, self._model.sensor_works = [], True


def hastened(speed: int) -> Durations:
    """Return the durations divided to whole milliseconds, like the reference device."""
    usual = Durations()
    names = usual.__dataclass_fields__
    return Durations(**{name: getattr(usual, name) // MS // max(speed, 1) * MS for name in names})


BENCHES: Final[dict[str, Callable[[], Bench]]] = {
    "table-controller": ControllerBench,
    "shoe": ShoeBench,
    "shuffler": ShufflerBench,
}
