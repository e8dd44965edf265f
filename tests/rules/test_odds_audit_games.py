"""Audit of small games written here, with deliberate errors in their tables: every finding, in full."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest

from rules.game.load import Game, load_game
from rules.odds import NotComputed, Odds, PaytableFinding, audit
from rules.odds.audit.findings import Proposal
from rules.odds.question import OneDeck, Question

HEAD = """
schema = "dealwire.game/3"
id = "small"
name = "Small"
jurisdiction = "nowhere"
procedures = ["let-it-ride.co"]
returns = { misdeal = "m", defective-deck = "d" }
[[order]]
seats = "ascending"
clause = "o"
[hands.player]
of = { own = 3, community = 2 }
ranking = "poker"
clause = "h"
[hands.own]
of = { own = 3 }
ranking = "three-card"
clause = "h"
"""
CLAUSES = 'clauses = { win = "w", lose = "l" }\n'
DEALS = 22_100
HANDS = {"straight flush": 48, "three of a kind": 52, "straight": 720, "flush": 1096, "pair": 3744}
"""Hands of three cards by kind, 22,100 in all; royal flushes count as straight flushes."""
SOUND = {"straight flush": 40, "three of a kind": 30, "straight": 6, "flush": 3, "pair": 1}


def back(pays: Mapping[str, int]) -> Fraction:
    return Fraction(sum(HANDS[row] * (pay + 1) for row, pay in pays.items()), DEALS)


def game_of(folder: Path, tables: Mapping[str, Mapping[str, int | str]], more: str = "", **heads: str) -> Game:
    """Write a game of one bet on three cards with these tables; `heads` adds keys to the tables' files, `more` adds
    bets."""
    (folder / "paytables").mkdir(exist_ok=True)
    for name, rows in tables.items():
        lines = [
            f'    {{ when = "{row}", pays = {pay if isinstance(pay, int) else repr(pay)}, clause = "c" }},'
            for row, pay in rows.items()
        ]
        (folder / "paytables" / f"{name}.toml").write_text(
            f'schema = "dealwire.paytable/1"\nid = "{name}"\ntitle = "{name}"\nkind = "poker"\nbare = "to"\n'
            + heads.get(name.replace("-", "_"), "")
            + "rows = [\n"
            + "\n".join(lines)
            + "\n]\n"
        )
    own = [name for name in tables if name.startswith("S")]
    bet = f'[[bets]]\nname = "side"\nkind = "table"\nhand = "own"\npaytables = {own}\n{CLAUSES}' if own else ""
    (folder / "small.toml").write_text(HEAD + more.partition("[[")[0] + bet + "".join(more.partition("[[")[1:]))
    return load_game(folder / "small.toml")


def findings(game: Game) -> list[PaytableFinding]:
    return [each for each in audit([game]) if isinstance(each, PaytableFinding)]


def finding(table: str | None, fault: str, why: str, **more: object) -> PaytableFinding:
    """Return a finding for the small game's only bet, unless given."""
    fields = {"game": "small", "bet": "side", "paytable": table, "reading": {}, "fault": fault, "why": why}
    return PaytableFinding(**(fields | more))  # type: ignore[arg-type]


def test_tables_in_line_are_found_no_fault_with(tmp_path: Path) -> None:
    game = game_of(tmp_path, {"S1": SOUND, "S2": SOUND | {"straight": 5}, "S3": SOUND | {"flush": 4}})
    assert findings(game) == []
    assert [each.paytable for each in audit([game]) if isinstance(each, Odds)] == ["S1", "S2", "S3"]


def test_a_figure_that_slipped_is_told_with_what_the_table_returns_and_the_nearest_in_line(tmp_path: Path) -> None:
    """35 for a straight is 720 times 29 units more than 6 to 1. With 6 alone it would be a copy of the first table, so
    a second figure is the other table's too."""
    wrong, other = SOUND | {"straight": 35}, SOUND | {"three of a kind": 33, "flush": 4}
    found = findings(game_of(tmp_path, {"S1": SOUND, "S2": other, "S3": wrong}))
    assert back(wrong) == Fraction(20_492 + 720 * 29, DEALS)
    changes = {"three of a kind": "33 to 1", "straight": "6 to 1"}
    mended = Proposal(changes, back(SOUND | {"three of a kind": 33}))
    order = "'straight' pays 35 to 1, more than 'three of a kind' above it"
    line = "'straight' pays 35 to 1, and 6 to 6 in the other tables"
    assert found == [
        finding("S3", "over-100", "returns 187.2036 % of the stake", proposal=mended),
        finding("S3", "row-out-of-order", order, proposal=mended),
        finding("S3", "out-of-line", line, proposal=mended),
    ]


def test_a_table_that_gives_nearly_nothing_back_and_a_row_that_no_hand_reaches(tmp_path: Path) -> None:
    few = {"straight flush": 40, "full house": 2}
    game = game_of(tmp_path, {"S1": few})
    returned = round(float(Fraction(48 * 41, DEALS)) * 100, 4)
    under, row = findings(game)
    assert (under.fault, under.why, under.paytable) == ("under-50", f"returns {returned} % of the stake", "S1")
    assert row == finding("S1", "unreachable-row", "the row 'full house' pays no hand")


@pytest.mark.parametrize(("edge", "back_text", "told"), [
    ("EXACT", "BACK", []),
    ("7.28", "92.7240", []),
    ("7.27", "92.7240", ["prints 7.27 %, computes 7.276018 %"]),
    ("7.2760", "92.73", ["prints a return of 92.73 %, computes 92.723982 %"]),
    ("7", "93", []),
    ("8", "92", ["prints 8 %, computes 7.276018 %", "prints a return of 92 %, computes 92.723982 %"]),
])  # fmt: skip
def test_what_a_table_prints_of_itself_is_rounded_as_it_prints(
    edge: str, back_text: str, told: list[str], tmp_path: Path
) -> None:
    """20,492 of 22,100 units come back, 92.723981... percent."""
    assert back(SOUND) == Fraction(20_492, DEALS)
    exact = edge.replace("EXACT", "7.276018"), back_text.replace("BACK", "92.723982")
    head = f'printed = {{ house-edge-pct = "{exact[0]}", return-pct = "{exact[1]}", clause = "c" }}\n'
    game = game_of(tmp_path, {"S1": SOUND}, S1=head)
    assert findings(game) == [finding("S1", "printed-differs", why) for why in told]


def test_two_numbers_of_one_table_and_a_number_that_is_lost(tmp_path: Path) -> None:
    tables = {"S1": SOUND, "S2": SOUND | {"straight": 5}, "S3": SOUND, "S4": SOUND | {"flush": 4}}
    heads = {f"S{number}": f'label = "{number}"\n' for number in (1, 2, 3)}
    assert findings(game_of(tmp_path, tables, **heads)) == [
        finding("S3", "two-numbers", "pays what 1 pays, row for row"),
        finding("S4", "no-number", "its number is lost; the other tables of the bet have one"),
    ]
    placed = heads | {"S4": 'label = "below 3"\n'}
    assert findings(game_of(tmp_path, tables, **placed))[1:] == [
        finding("S4", "no-number", "its number is lost, it is below 3; the other tables of the bet have one"),
    ]
    unnamed = findings(game_of(tmp_path, {"S1": SOUND, "S2": SOUND}))
    assert unnamed == [finding("S2", "two-numbers", "pays what S1 pays, row for row")]


def test_schedules_that_differ_in_another_bet_are_two(tmp_path: Path) -> None:
    """Two tables of one bet are equal, but those with the same labels differ in another bet."""
    other = '[[bets]]\nname = "other"\nkind = "table"\nhand = "own"\npaytables = ["T1", "T2"]\n' + CLAUSES
    heads = {"S1": 'label = "1"\n', "S2": 'label = "2"\n', "T1": 'label = "1"\n', "T2": 'label = "2"\n'}
    alike = {"S1": SOUND, "S2": SOUND}
    twice = game_of(tmp_path, alike | {"T1": SOUND, "T2": SOUND}, other, **heads)
    assert [(each.bet, each.paytable, each.fault) for each in findings(twice)] == [
        ("side", "S2", "two-numbers"),
        ("other", "T2", "two-numbers"),
    ]
    differ = game_of(tmp_path, alike | {"T1": SOUND, "T2": SOUND | {"pair": 2, "flush": 4}}, other, **heads)
    assert [each.fault for each in findings(differ) if each.fault == "two-numbers"] == []


def test_a_table_of_several_bets_is_found_fault_with_once(tmp_path: Path) -> None:
    """A bet that is paid on another's stake, or must equal another, is not tested by its own return."""
    more = "".join(
        f'[[bets]]\nname = "{name}"\nkind = "table"\nhand = "own"\npaytables = ["S1"]\n{extra}{CLAUSES}'
        for name, extra in (("again", ""), ("on", 'on = "side"\n'))
    )
    rich = {"straight flush": 400, "three of a kind": 300, "straight": 60, "flush": 30, "pair": 10}
    found = findings(game_of(tmp_path, {"S1": rich}, more))
    why = f"returns {round(float(back(rich)) * 100, 4)} % of the stake"
    assert [(each.bet, each.fault, each.why) for each in found] == [("side", "over-100", why)]
    alone_on = more.replace('name = "again"', 'name = "first"').replace(
        'paytables = ["S1"]\non', 'paytables = ["S2"]\non'
    )
    found = findings(game_of(tmp_path, {"S1": SOUND, "S2": rich}, alone_on))
    assert {(each.bet, each.fault) for each in found} == {("side", "over-100")}


RIDE = """
[odds]
solver = "take-back"
bets = ["bet-1", "bet-2", "bet-dollar"]
"""
STAYS = "".join(
    f'[[bets]]\nname = "{name}"\nkind = "table"\npaytables = ["R1", "R2", "R3"]\n{CLAUSES}'
    for name in ("bet-1", "bet-2", "bet-dollar")
)
JOINED = ("bet-1+bet-2+bet-dollar", "bet-1", "bet-2", "bet-dollar")
ROWS = {"royal flush": 200, "flush": 10, "two pair": 2, "pair of tens or better": 1}


def test_bets_that_are_decided_together_are_judged_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ten cards in two suits (deuce, seven, nine, queen and ace of each), 240 of 252 hands of five have one or two
    pairs: a table that pays them returns more than the stake, and no hand is a royal flush."""
    tables = {"R1": ROWS, "R2": ROWS | {"flush": 30}, "R3": ROWS | {"flush": 9}}
    game = game_of(tmp_path, tables, RIDE + STAYS, R2='suspect = "why not"\n')
    found = list(audit([game], Question(game, one=OneDeck((2, 7, 9, 12, 1), 2))))
    odds = {(each.bet, each.paytable): each for each in found if isinstance(each, Odds) and each.bet in JOINED}
    assert [*odds] == [(bet, table) for table in ("R1", "R2", "R3") for bet in JOINED]
    over = {table: odds[JOINED[0], table].returned for table in tables}
    last = {table: odds["bet-dollar", table].returned for table in tables}
    assert min(last.values()) > 1

    def of(bet: str, table: str, fault: str, why: str) -> PaytableFinding:
        return finding(table, fault, why, bet=bet, suspect="why not" if table == "R2" else "")

    def pays(returned: Fraction) -> str:
        return f"returns {round(float(returned) * 100, 4)} % of the stake"

    royal = "the row 'royal flush' pays no hand"
    expected = []
    for table in tables:
        expected += [
            of(JOINED[0], table, "over-100", pays(over[table])),
            of("bet-1", table, "unreachable-row", royal),
        ]
        if table == "R2":
            why = "'flush' pays 30 to 1, and 9 to 10 in the other tables"
            expected.append(of("bet-1", table, "out-of-line", why))
    got = [each for each in found if isinstance(each, PaytableFinding)]
    assert [(each.bet, each.paytable, each.fault, each.why, each.suspect) for each in got] == [
        (each.bet, each.paytable, each.fault, each.why, each.suspect) for each in expected
    ]
    assert {each.proposal for each in got} == {None}  # with either figure of the others it would be one of them


def test_a_bet_that_nobody_counts_has_its_print_looked_at(tmp_path: Path) -> None:
    more = '[odds.not-computed]\nside = "nobody has counted it"\n'
    wrong = {"straight": 4, "flush": 6}
    found = list(audit([game_of(tmp_path, {"S1": wrong}, "\n" + more)]))
    assert isinstance(found[0], NotComputed)
    assert found[0].why == "nobody has counted it"
    (slip,) = found[1:]
    assert isinstance(slip, PaytableFinding)
    assert (slip.fault, slip.why) == ("row-out-of-order", "'flush' pays 6 to 1, more than 'straight' above it")
    assert slip.to_dict() == {
        "schema": "dealwire.finding/1", "type": "finding", "game": "small", "bet": "side", "paytable": "S1",
        "reading": {}, "fault": "row-out-of-order", "why": "'flush' pays 6 to 1, more than 'straight' above it",
    } | ({"proposal": slip.proposal.to_dict()} if slip.proposal else {})  # fmt: skip


def test_a_finding_and_its_proposal_as_they_are_printed() -> None:
    proposal = Proposal({"straight": "6 to 1", "pair": None, "flush": "envy $20"}, Fraction(2, 3))
    assert proposal.text == "straight 6 to 1, no pair, flush envy $20, returns 66.6667 %"
    assert Proposal({"pair": None}, None).text == "no pair"
    changes = {"straight": "6 to 1", "pair": None, "flush": "envy $20"}
    assert proposal.to_dict() == {"changes": changes, "return": "2/3", "return_pct": 66.666667}
    assert Proposal({"pair": None}, None).to_dict() == {"changes": {"pair": None}}
    found = finding("T", "over-100", "why", suspect="doubted", reading={"joker": "wild"}, proposal=proposal)
    assert found.to_dict() == {
        "schema": "dealwire.finding/1",
        "type": "finding",
        "game": "small",
        "bet": "side",
        "paytable": "T",
        "reading": {"joker": "wild"},
        "fault": "over-100",
        "why": "why",
        "suspect": "doubted",
        "proposal": {"changes": changes, "return": "2/3", "return_pct": 66.666667},
    }
