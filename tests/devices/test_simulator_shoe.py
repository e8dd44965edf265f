"""The simulated shoe: real cards, each step in its table, three front ends with the same story."""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from devices import events as e
from devices.clock import SystemClock
from devices.dialects.known import dialect_named
from devices.dialects.shoe import EVENTS
from devices.drive.address import open_transport
from devices.drive.replay import play
from devices.line.loop import Owner
from devices.line.session import Session
from devices.record.capture import Capture, CaptureWriter
from devices.simulator.host import SimulatorHost
from devices.simulator.line_faults import LineFaults
from devices.simulator.shoe import ShoeModel
from devices.simulator.shoe_states import ARCS
from devices.simulator.shoe_table import SHOE, BadAct, ShoeTable
from protocol.angel_eye import messages as am
from protocol.cards import DECK, parse_cards
from protocol.faults import Fault
from protocol.link import Answered
from protocol.places import NOWHERE
from protocol.tdp import messages as m
from protocol.tdp.messages import Role
from protocol.tdp.messages import ShoeState as S
from tests.support.evenings.simulated_shoe import DIALECTS, ShoeEvening

ROUND = ["fill", "begin 2", *["draw"] * 7, "end round"]
TROUBLED = [
    *["fill", "begin 2", "draw", "draw"],
    *["draw", "draw", "draw unread", "clear", "draw", "push back", "clear", "draw", "pull back", "clear", "draw"],
    *["end round", "lock", "draw", "unlock", "draw", "slow", "draw", "clear", "draw", "wrong button", "draw"],
    *["end round", "setup", "close setup", "draw", "end round"],
]


def started(**options: object) -> tuple[ShoeModel, list[e.Body]]:
    """Return a started shoe and its output in TDP, as the driver receives it."""
    model, said = ShoeModel(Random(3), **options), list[e.Body]()  # type: ignore[arg-type]

    def say(event: type[m.Event], request: int = 0, **fields: Any) -> bool:
        said.append(EVENTS[event](event(0, 0, **fields)))
        return True

    model.say = say  # type: ignore[method-assign]
    model.power_on(0)
    model.tick(model.next_deadline_ns or 0)
    return model, said


# ------------------------------------------------------------------ one story, three front ends


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_round_is_told_card_by_card(dialect: str) -> None:
    evening = ShoeEvening(ROUND, dialect).run()
    drawn = [card.text for card in evening.table.model.drawn]
    assert len(drawn) == 7
    assert evening.cards() == [drawn[0] + "*", drawn[1] + "*", *drawn[2:]]


def test_a_troubled_evening_is_told_alike() -> None:
    evenings = {dialect: ShoeEvening(TROUBLED, dialect, cut_after=60).run() for dialect in DIALECTS}
    truth = [card.text for card in evenings["tdp"].table.model.drawn]
    assert len(truth) == 13
    told = evenings["tdp"].cards()
    assert evenings["angel-eye"].cards() == told
    assert [word.strip("*()") if word != "??" else truth[at] for at, word in enumerate(told)] == truth
    assert told.count("??") == 1
    assert [at for at, word in enumerate(told) if word[0] == "("] == [7, 9]
    # nothing in Bee-Tek's public words says that a card was drawn outside a game
    assert evenings["bee-tek"].cards() == [word.strip("()") for word in told]


TOLD_BY_ALL = (e.CardUnread, e.ShoeError)
TOLD_BY_TWO = (e.Overdrawn, e.CardPushedBack, e.CardPulledBack, e.CardReportedAgain, e.CutCardSeen, e.ShoeLocked,
               e.DrawWhileLocked, e.CardDrawnOutside, e.BurnStarted)  # fmt: skip


def test_troubles_are_the_same_events() -> None:
    acts = [*TROUBLED[:-1], *["draw"] * 7]
    evenings = {d: ShoeEvening(acts, d, cut_after=14, round_limit=6).run() for d in DIALECTS}

    def told(dialect: str, kinds: tuple[type, ...]) -> list[e.Body]:
        ignore = {"ordinal": None, "where": None, "reader": ()}
        found = [body for body in evenings[dialect].bodies if isinstance(body, kinds)]
        return [type(b)(**{f: ignore.get(f, getattr(b, f)) for f in b.__struct_fields__}) for b in found]

    assert told("angel-eye", TOLD_BY_TWO) == told("tdp", TOLD_BY_TWO)
    assert {type(body) for body in told("tdp", TOLD_BY_TWO)} == set(TOLD_BY_TWO)
    assert told("angel-eye", TOLD_BY_ALL) == told("tdp", TOLD_BY_ALL)
    unread = [body for body in told("bee-tek", TOLD_BY_ALL) if isinstance(body, e.CardUnread) or body.fault == 401]
    assert [type(body) for body in unread] == [e.ShoeError, e.CardUnread]


def test_a_listener_hears_each_report_three_times_and_tells_it_once() -> None:
    quiet, loud = ShoeEvening(ROUND, "angel-eye").run(), ShoeEvening(ROUND, "angel-eye", role=Role.OPERATE).run()
    assert quiet.cards() == loud.cards()
    assert quiet.link.stats.repeats == 2 * quiet.link.stats.events  # type: ignore[attr-defined]
    assert loud.link.stats.repeats == 0  # type: ignore[attr-defined]
    assert quiet.sent == b""
    assert set(loud.sent) == {0x06}


@pytest.mark.parametrize("dialect", ["tdp", "angel-eye"])
@pytest.mark.parametrize("seed", range(4))
def test_a_bad_line_loses_no_card_without_saying_so(dialect: str, seed: int) -> None:
    """TDP resends until it is acknowledged, so nothing is lost. Angel Eye stops after three times."""
    chance, line = Random(seed), LineFaults(Random(seed))

    def spoil(data: bytes) -> bytes:
        if data and chance.random() < 0.3:
            [lambda: line.drop(3), lambda: line.insert_noise(5), lambda: line.flip(2)][chance.randrange(3)]()
        return line.carry(data, 0)

    evening = ShoeEvening(ROUND, dialect, spoil=spoil).run()
    drawn = [card.text for card in evening.table.model.drawn]
    told = [word.strip("*") for word in evening.cards()]
    assert evening.link.stats.noise_bytes > 0
    if dialect == "tdp":
        assert told == drawn
    else:
        kept = [word for word in told if word != "GAP"]
        assert kept == [card for card in drawn if card in kept]
        assert len(kept) == len(drawn) or "GAP" in told


def test_a_restart_of_the_shoe_is_a_new_session_and_the_same_cards() -> None:
    acts = ["fill", "begin 0", "draw", "draw", "power off", "power on", "draw", "draw", "end round"]
    for dialect in ("tdp", "angel-eye"):
        evening = ShoeEvening(acts, dialect).run()
        drawn = [card.text for card in evening.table.model.drawn]
        assert len({seen.session for seen in evening.seen if isinstance(seen.body, e.CardDrawn)}) == 2
        assert any(isinstance(body, e.SessionChanged) for body in evening.bodies)
        assert evening.cards() == drawn[:2] + evening.cards()[2:]
        assert evening.cards()[-1] == drawn[-1]


def test_commands_reach_the_tdp_shoe() -> None:
    evening = ShoeEvening(["fill", "begin 0", "draw", "slow"], "tdp", role=Role.OPERATE).run()
    evening.request(m.ClearShoeErrorMessage(Fault.PULLED_BACK, 7))
    evening.request(m.ClearShoeErrorMessage(Fault.DRAW_TOO_SLOW, 7))
    evening.request(m.LockShoeMessage(1))
    evening.request(m.EndRoundMessage())
    evening.request(m.DispenseMessage())
    for _ in range(12):
        evening.step()
    replies = [output.reply for output in evening.outputs if isinstance(output, Answered)]
    assert [(reply.status, reply.reason) for reply in replies] == [(2, 2), (1, 0), (1, 0), (2, 3), (2, 1)]
    assert e.ShoeErrorCleared(Fault.DRAW_TOO_SLOW, 7) in evening.bodies
    assert e.ShoeLocked(True) in evening.bodies


def test_commands_reach_the_angel_eye_shoe() -> None:
    evening = ShoeEvening(["fill", "begin 0", "draw", "slow"], "angel-eye", role=Role.OPERATE).run()
    for command in (am.ClearErrorMessage(4), am.ClearErrorMessage(7), am.LockMessage(True), am.AskGameMessage()):
        evening.request(command)
        for _ in range(3):
            evening.step()
    replies = [output.reply for output in evening.outputs if isinstance(output, Answered)]
    assert replies == [
        am.RejectedMessage(0x21),
        am.AcknowledgedMessage(),
        am.AcknowledgedMessage(),
        am.AcknowledgedMessage(),
    ]
    assert evening.bodies[-2:] == [e.ShoeErrorCleared(Fault.DRAW_TOO_SLOW, 0), e.ShoeLocked(True)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_over_a_real_pty(dialect: str) -> None:
    """The device's side of a pseudo-terminal, the host's real transport, one loop."""
    table = ShoeTable(["fill", "begin 1", *["draw"] * 3], dialect=dialect, pace_ns=20_000_000, boot_ns=50_000_000)
    bench, clock, seen = SimulatorHost(table, {SHOE: "pty"}), SystemClock(), list[e.Seen]()
    owner, spoken = Owner(clock), dialect_named(dialect)
    session = Session(
        "shoe-1",
        open_transport(bench.addresses[SHOE], baud=spoken.baud),
        spoken.make_link("shoe", Role.OPERATE, False),
        spoken.driver("shoe", where="test"),
        clock,
        seen.append,
    )
    try:
        for member in (bench, *bench.lines.values(), session):
            owner.add(member)
        session.start()
        bench.start(clock.now_ns())
        assert owner.run(lambda: sum(isinstance(s.body, e.CardDrawn) for s in seen) == 3, 20)
    finally:
        session.close()
        bench.close()
        owner.close()
    cards = [item.body.card for item in seen if isinstance(item.body, e.CardDrawn)]
    assert cards == table.model.drawn


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_recording_of_the_line_tells_the_same(dialect: str, tmp_path: Path) -> None:
    evening = ShoeEvening(TROUBLED, dialect, role=Role.OPERATE, cut_after=12).run()
    with CaptureWriter(tmp_path / "shoe.pcapng") as writer:
        line = writer.interface("shoe-1", device="shoe", dialect=dialect, baud=dialect_named(dialect).baud)
        for at_ns, data in evening.heard:
            writer.chunk(line, at_ns, False, data)
    again: list[e.Seen] = []
    stats = play(Capture.read(tmp_path / "shoe.pcapng"), again.append)
    assert again == evening.seen
    assert stats.frames > 10
    assert stats.noise_bytes == 0


# ------------------------------------------------------------------ the model


def test_the_cut_card_ends_the_shoe_after_the_round() -> None:
    model, said = started()
    model.fill(1, cut_after=3)
    model.begin()
    for _ in range(4):
        model.draw()
    assert model.state is S.CUT_CARD_SEEN
    assert [type(body) for body in said if isinstance(body, e.CardDrawn | e.CutCardSeen)][3] is e.CutCardSeen
    assert model.end_round()
    assert model.state is S.SHOE_END
    assert said[-2:] == [e.ShoeEnded(1, 4), e.StateChanged("SHOE_END", "CUT_CARD_SEEN")]
    assert model.empty() == 48
    assert model.state is S.EMPTY


def test_the_cut_card_before_a_round_lets_that_round_be_dealt() -> None:
    model, _ = started()
    model.fill(1, cut_after=0)
    model.begin()
    assert model.draw() is not None
    assert model.state is S.CUT_CARD_SEEN


def test_an_overdraw_halts_and_the_card_belongs_to_no_game() -> None:
    model, said = started(round_limit=2)
    model.fill(1, cards=list(parse_cards("AS KD 2C")))  # type: ignore[arg-type]
    model.begin()
    for _ in range(3):
        model.draw()
    assert said[-3:] == [
        e.Overdrawn(True),
        e.StateChanged("ERROR", "ROUND"),
        e.CardDrawnOutside(parse_cards("2C")[0], "error"),
    ]
    assert model.draw() is None


def test_what_cannot_be_done_is_not_done() -> None:
    model, said = started()
    assert [model.begin(), model.end_round(), model.push_back(), model.clear(), model.lock(False)] == [False] * 5
    assert model.draw() is None
    assert model.empty() == 0
    model.fill(1)
    assert not model.fill(1)
    model.power_off()
    said.clear()
    assert model.draw() is None
    assert not model.trouble(Fault.WRONG_BUTTON)
    assert said == []


def test_cards_are_burned_in_a_round_without_a_change_of_state() -> None:
    model, said = started()
    model.fill(1)
    model.begin()
    model.draw()
    said.clear()
    assert model.burn(2)
    assert not model.burn(1)  # two are still to be burned
    for _ in range(3):
        model.draw()

    assert [type(body) for body in said[:4]] == [e.BurnStarted, e.CardDrawn, e.CardDrawn, e.CardDrawn]
    assert [body.where for body in said if isinstance(body, e.CardDrawn)] == ["burn", "burn", None]
    assert not [body for body in said[:4] if isinstance(body, e.StateChanged)]


def test_cards_are_burned_before_a_round() -> None:
    model, _ = started()
    model.fill(1)
    model.begin()
    assert model.burn(1)
    assert model.state is S.BURN
    model.draw()
    assert (model.state, model.in_round) == (S.STANDBY, 0)
    assert not model.push_back()


def test_a_script_with_an_unknown_act_is_refused_before_it_begins() -> None:
    with pytest.raises(BadAct, match="unknown action of a dealer at a shoe: 'shuffle'"):
        ShoeTable(["fill", "shuffle"])


ACTS = ["fill", "begin", "begin 3", "burn 2", *["draw"] * 8, "unread", "push", "pull", "end", "lock", "unlock", "clear",
        "clear", "setup", "close", "slow", "button", "empty", "off", "on"]  # fmt: skip


def act(model: ShoeModel, what: str, cut_after: int) -> None:
    {
        "fill": lambda: model.fill(1, cut_after),
        "begin": model.begin,
        "begin 3": lambda: model.begin(3),
        "burn 2": lambda: model.burn(2),
        "draw": model.draw,
        "unread": lambda: model.draw(readable=False),
        "push": model.push_back,
        "pull": model.pull_back,
        "end": model.end_round,
        "lock": lambda: model.lock(True),
        "unlock": lambda: model.lock(False),
        "clear": model.clear,
        "setup": lambda: model.open_setup(True),
        "close": lambda: model.open_setup(False),
        "slow": lambda: model.trouble(Fault.DRAW_TOO_SLOW),
        "button": lambda: model.trouble(Fault.WRONG_BUTTON),
        "empty": model.empty,
        "off": model.power_off,
        "on": lambda: (model.power_on(0), model.tick(10**10)),
    }[what]()


def test_no_card_is_made_or_lost_and_the_whole_state_table_is_walked() -> None:
    walked = set()
    for seed in range(2000):
        chance = Random(seed)
        model, said = started(round_limit=9)
        for _ in range(60):
            act(model, chance.choice(ACTS), chance.randrange(12))
            assert len(model.cards) + len(model.drawn) == 52 or not model.loaded
        if model.loaded:
            assert Counter(model.cards) + Counter(model.drawn) == Counter(DECK)
        states = {(body.previous, body.state) for body in said if isinstance(body, e.StateChanged)}
        assert states == {(source.name, target.name) for source, _, target in model.steps}
        walked |= model.steps
    assert walked == ARCS


def test_what_the_reader_noticed_arrives() -> None:
    """Only TDP can report it; where the story has no reading, the reader is certain."""
    card = parse_cards("2C")[0]
    model, said = started()
    noticed = m.Reader.DISAGREE | m.Reader.DIRTY
    model.say(m.CardDrawnMessage, ordinal=1, card=card, place=NOWHERE, confidence=35, reader=noticed)
    assert said[-1] == e.CardDrawn(1, card, None, 35, (e.ReaderFlag.DISAGREE, e.ReaderFlag.DIRTY))
