"""Plans: what comes with the program, and what is said of one that cannot be used."""

import re
from pathlib import Path

import pytest

from dealwire.bench.hands.operator import SIMULATED_ACTS
from dealwire.bench.plan.plan import VERBS, known_plans, load_plan
from dealwire.bench.rules import ALL_RULES
from dealwire.bench.values import BadValue, milliseconds
from dealwire.bench.verbs.step import PlanStep
from dealwire.rehearsal.faults import acts, faults
from protocol.faults import Fault
from protocol.tomlfile import TomlFileError
from tests.support.reading.acceptance_plans import bench_plan_of

ROOT = Path(__file__).parent.parent.parent
PROTOCOL = (ROOT / "docs/protocol-reference.md").read_text()
HEAD = 'schema = "dealwire.plan/1"\nid = "mine"\ntitle = "Mine"\ndevice = "shuffler"\n'
CHECK = (
    HEAD
    + '[[check]]\nid = "a.b"\ntitle = "t"\nsection = "frame"\nmust = "m"\nsteps = [\n  { send = "Hello" },\n  %s,\n]\n'
)


def anchors() -> set[str]:
    heads = re.findall(r"^#+ (.+)$", PROTOCOL, re.MULTILINE)
    return {re.sub(r"[^a-z0-9 -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("name", known_plans())
def test_every_check_cites_a_section_of_the_protocol(name: str) -> None:
    plan = load_plan(name)
    known = anchors()
    for item in (*plan.check, *plan.rule):
        assert item.section in known, f"{item.id}: no section {item.section!r}"
        assert item.must.endswith("."), item.id


@pytest.mark.parametrize("name", known_plans())
def test_ids_are_there_once(name: str) -> None:
    ids = load_plan(name).ids
    assert len(ids) == len(set(ids))


def test_every_verb_does_something_and_every_rule_is_judged_somewhere() -> None:
    assert all(cls._run is not PlanStep._run for cls in VERBS.values())
    judged = {rule.rule for name in known_plans() for rule in load_plan(name).rule}
    assert judged == set(ALL_RULES)


def test_what_hands_can_do_is_in_the_catalogue_and_can_be_simulated() -> None:
    assert set(acts()) == SIMULATED_ACTS


def test_every_fault_the_simulated_shuffler_raises_has_a_check() -> None:
    """The numbers in the model's own source, against those that the plan names in its checks' ids."""
    source = "".join(
        (ROOT / f"devices/simulator/{name}.py").read_text()
        for name in ("device_model", "shuffler", "shuffler_motions", "shuffler_faults")
    )
    raised = {int(Fault[name]) for name in re.findall(r"Fault\.([A-Z_]+)", source)} - {Fault.NONE}
    checked = {int(number) for one in load_plan("shuffler").ids for number in re.findall(r"fault\.[a-z-]+-(\d+)$", one)}
    assert checked == raised


def test_the_numbers_of_the_catalogue_are_faults() -> None:
    for fault in faults().values():
        assert all(number in Fault._value2member_map_ for number in fault.numbers), fault.name
        assert fault.instruction({})
    assert all(act.instruction({}) for act in acts().values())


@pytest.mark.parametrize(
    ("step", "says"),
    [
        ('{ dance = 1 }', "x.toml:12: check[1].steps[2]: no verb; a step has one of send, raw, "),
        ('{ reply = "don" }', "x.toml:12: check[1].steps[2].reply: must be "),
        ('{ reply = "refused", reason = "NOPE" }', "check[1].steps[2].reason[1]: 'NOPE' is no Reason; allowed: "),
        ('{ do = "jump" }', "no such act; allowed: green, lift, "),
        ('{ do = "lift", with = { to = "moon" } }', "x.toml:12: check[1].steps[2]: lift: to: not a place: 'moon'"),
        ('{ do = "load", with = { short = 9 } }', "load: short: must be a whole number from 0 to 5"),
        ('{ fault = "packet-count", with = { by = 0 } }', "by: must be one of -4, -3, -2, -1, 1, 2"),
        ('{ send = "Hullo" }', "no such message: 'Hullo'; allowed: "),
        ('{ send = "Hello", zoo = 1 }', "x.toml:12: check[1].steps[2]: unknown key 'zoo'; allowed: send, with, "),
        ('{ expect = "RedLamp", where = { lit = 1, lamp = 2 } }', "'RedLamp' has no field 'lamp'; allowed: number, "),
        ('{ expect = "RedLamp", where = { fault = "NO" } }', "'NO' is not a Fault; allowed: NONE, TOO_FEW_CARDS, "),
        ('{ expect = "RedLamp", within = "soon" }', "'soon' is not a time; allowed: milliseconds, reply, retry, "),
        ('{ send = "OpenSession", with = { role = 300 } }', "it cannot be sent: OpenSession cannot be encoded: "),
        ('{ state = "FLYING" }', "no such state: 'FLYING'; allowed: BOOT, SELF_TEST, "),
        ('{ prepare = "NOWHERE" }', "no such state: 'NOWHERE'"),
        ('{ newest = "$first+2" }', "nothing is saved as 'first' in this check; allowed: acked, boots, "),
        ('{ status = "status", where = { lamp = "+RED" } }', "'ShufflerStatus' has no field 'lamp'; allowed: "),
        ('{ status = "status", where = { lamps = "+REDD" } }', "steps[2]: 'REDD' is not a Lamp"),
        ('{ repeat = 2, steps = [ { state = "GAME" } ] }', "steps[2].steps[1]: 'GAME' is not a ShufflerState"),
        ('{ newest = "abc" }', "steps[2].newest: 'abc' is not a number"),
        ('{ raw = "0G" }', "'0G' is not hex, such as '00 FF'"),
        ('{ wait = 1, until = 2 }', "x.toml:12: check[1].steps[2]: unknown key 'until'; allowed: wait"),
        ('{ repeat = 2, steps = [ { wait = 1 }, { nope = 2 } ] }', "x.toml:12: check[1].steps[2].steps[2]: no verb"),
    ],
)  # fmt: skip
def test_a_bad_step_is_one_line_with_its_place(tmp_path: Path, step: str, says: str) -> None:
    with pytest.raises(TomlFileError) as caught:
        bench_plan_of(CHECK % step, tmp_path)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nonsense", "x.toml:1: not TOML"),
        (
            HEAD.replace("plan/1", "plan/2"),
            "x.toml:1: schema: must be 'dealwire.plan/1', not 'dealwire.plan/2'",
        ),
        (HEAD + "speed = 2\n", "x.toml:5: speed: unknown key; allowed: schema, id, title, device, "),
        (
            HEAD + '[[rule]]\nid = "always.nice"\ntitle = ""\nsection = ""\nmust = ""\n',
            "no such rule: 'nice'; allowed: ",
        ),
        (HEAD.replace('"shuffler"', '"roulette"'), "x.toml:4: device: must be 'shuffler', "),
        (CHECK.replace("steps", 'needs = ["WINGS"]\nsteps') % "{ wait = 1 }", "no such capability: 'WINGS'; allowed: "),
        (HEAD + '[[check]]\nid = "a.b"\n', "x.toml:5: check[1].title: missing"),
    ],
)
def test_a_bad_plan_is_one_line_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(TomlFileError) as caught:
        bench_plan_of(text, tmp_path)
    assert says in str(caught.value)


def test_including_another_devices_plan_or_itself_is_refused(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(HEAD + 'include = ["shoe"]\n')
    with pytest.raises(TomlFileError, match=r"mine\.toml:5: include: 'shoe' is for a shoe"):
        load_plan(mine)
    mine.write_text(HEAD + 'include = ["nope"]\n')
    with pytest.raises(TomlFileError, match=r"mine\.toml:5: include: no such plan: 'nope'; it must be in"):
        load_plan(mine)
    mine.write_text(HEAD + 'include = ["common/base"]\n')
    with pytest.raises(TomlFileError, match=r"mine\.toml:5: include"):
        load_plan(mine)
    mine.write_text(HEAD + 'include = ["mine"]\n')
    with pytest.raises(TomlFileError, match="includes itself"):
        load_plan(mine)
    with pytest.raises(TomlFileError, match="no such plan; known: link, shoe, shuffler, table-controller, or a"):
        load_plan("nope")
    with pytest.raises(TomlFileError, match="cannot be read"):
        load_plan(tmp_path / "absent.toml")


def test_times_are_sums_of_names_and_milliseconds() -> None:
    assert milliseconds("reply") == 100
    assert milliseconds(40) == 40
    assert milliseconds("lost+status+20") == 4020
    with pytest.raises(BadValue):
        milliseconds("-1")
