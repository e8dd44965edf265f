"""Books of the meters: contribution, reserve, seed, reseed, back-out, adjustment, and restoring from records."""

import json
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import jsonschema
import pytest
from msgspec.structs import replace

from dealer_flow.record.base import line_schema
from rules import SettlementRefused, TomlFileError, load_game
from rules.meters.bank import MeterBank, MeterRecord, MeterRefused, RoundKey
from rules.meters.linked import settle_linked
from rules.meters.setup import ProgressiveSetup, cautions, load_setup, parse_rate
from tests.support.dealing.flushes import GAME, deal, seat

DOCS = Path(__file__).parents[2] / "docs"
AT = RoundKey("table-1", "00c0ffee", 7)
ROYAL, STRAIGHT_FLUSH, QUADS, NOTHING = "AH KH QH JH TH", "5S 6S 7S 8S 9S", "7C 7D 7H 7S JS", "2C 2D 4C JC TS"


def setup(*meters: dict[str, object], **changes: object) -> ProgressiveSetup:
    content = {"schema": "dealwire.progressive/1", "id": "test", "executive-from-cents": 100_000} | changes
    one = {"name": "meter", "seed-cents": 500_000, "start-cents": 1_000_000, "contribution": "21.5 %", "reserve": "1 %"}
    return ProgressiveSetup.model_validate(content | {"meters": meters or (one,)})


def bank() -> MeterBank:
    return MeterBank(setup())


def sides(record: MeterRecord) -> tuple[int, int, int, int]:
    return record.to_players, record.to_house, record.to_meter, record.to_reserve


def test_a_meter_opens_with_the_houses_money() -> None:
    (opened,) = bank().records
    assert (opened.kind, opened.number, sides(opened)) == ("opened", 1, (0, -1_000_000, 1_000_000, 0))


def test_parts_of_a_cent_wait_for_the_next_contribution() -> None:
    """21.5 % of a dollar is 21.5 cents: 21 now, 22 the next time; 1 % is a cent each time."""
    meters = bank()
    first, second = (meters.contribute(AT, 100)[0] for _ in range(2))
    assert (sides(first), first.meter_carry) == ((0, -22, 21, 1), "1/2")
    assert (sides(second), second.meter_carry) == ((0, -23, 22, 1), "0")
    assert meters.meters()["meter"].cents == 1_000_043


def test_a_round_without_progressive_bets_writes_nothing() -> None:
    meters = bank()
    assert meters.contribute(AT, 0) == []
    assert len(meters.records) == 1


def test_a_tenth_is_paid_to_the_cent_and_the_rest_stays() -> None:
    """WA NC 9(a): the percentage is paid from the meter's amount."""
    meters = MeterBank(setup({"name": "meter", "seed-cents": 1_234_567, "contribution": "0 %"}))
    (paid,) = meters.pay(AT, 3, "meter", Fraction(1, 10))
    assert (sides(paid), paid.meter_cents, paid.seat) == ((123_456, 0, -123_456, 0), 1_111_111, 3)


def test_all_of_it_reseeds_with_the_seed_of_the_house_and_the_reserve() -> None:
    """WA NC 4; reserve contribution: added to the seed amount after a 100 % award."""
    meters = bank()
    meters.contribute(AT, 10_000)  # 2150 onto the meter, 100 aside
    paid, reseeded = meters.pay(AT, 3, "meter", Fraction(1))
    assert sides(paid) == (1_002_150, 0, -1_002_150, 0)
    assert (sides(reseeded), reseeded.of) == ((0, -500_000, 500_100, -100), paid.number)
    assert (reseeded.meter_cents, reseeded.reserve_cents) == (500_100, 0)


class TestBackingOut:
    """CO progressive (7)(H), WA NC 9(h): a logged award is undone only by hand."""

    @pytest.mark.parametrize("at", [AT, RoundKey("", "", 0)])
    def test_a_tenth_comes_back_to_the_round_it_was_won_in(self, at: RoundKey) -> None:
        meters = bank()
        (paid,) = meters.pay(at, 3, "meter", Fraction(1, 10))
        undone = meters.back_out(paid.number, 9001, "wrong seat")
        assert (undone.table, undone.session, undone.round) == (paid.table, paid.session, paid.round)
        assert (sides(undone), undone.of, undone.badge) == ((-100_000, 0, 100_000, 0), paid.number, 9001)
        assert meters.meters()["meter"].cents == 1_000_000

    def test_all_of_it_comes_back_and_the_new_seed_and_reserve_go_where_they_were(self) -> None:
        meters = bank()
        meters.contribute(AT, 10_000)
        before = meters.meters()
        paid, _ = meters.pay(AT, 3, "meter", Fraction(1))
        meters.contribute(AT, 200)
        undone = meters.back_out(paid.number, 9001, "not a royal flush")
        assert sides(undone) == (-1_002_150, 500_000, 1_002_150 - 500_100, 100)
        after = meters.meters()["meter"]
        assert (after.cents, after.reserve_cents) == (before["meter"].cents + 43, before["meter"].reserve_cents + 2)

    def test_happens_once(self) -> None:
        meters = bank()
        (paid,) = meters.pay(AT, 3, "meter", Fraction(1, 10))
        assert paid.why.startswith("10 % of $")
        meters.back_out(paid.number, 9001, "wrong seat")
        with pytest.raises(MeterRefused, match="meter meter: backing out refused: record 2 was backed out already"):
            meters.back_out(paid.number, 9001, "wrong seat")

    @pytest.mark.parametrize("number", [0, 1, 99, -1])
    def test_is_of_a_pay(self, number: int) -> None:
        with pytest.raises(MeterRefused, match=f"record {number} is not a pay"):
            bank().back_out(number, 9001, "?")

    def test_never_leaves_less_than_nothing(self) -> None:
        """10 cents are won, the meter resets to 5,000 dollars, and a tenth of that is won: the first pay cannot be
        undone."""
        low = {"name": "meter", "seed-cents": 500_000, "start-cents": 10, "contribution": "0 %"}
        meters = MeterBank(setup(low))
        paid, _ = meters.pay(AT, 3, "meter", Fraction(1))
        meters.pay(AT, 2, "meter", Fraction(1, 10))
        with pytest.raises(MeterRefused, match="it has since paid from its new seed; adjust the amount instead"):
            meters.back_out(paid.number, 9001, "not a royal flush")
        assert meters.meters()["meter"].cents == 450_000


def test_an_adjustment_is_the_houses_money_and_never_below_nothing() -> None:
    meters = bank()
    record = meters.adjust("meter", -1_000_000, 9001, "move to another table")
    assert (sides(record), record.badge) == ((0, 1_000_000, -1_000_000, 0), 9001)
    with pytest.raises(MeterRefused, match=r"meter meter: an adjustment by -1 cents refused: it shows \$0"):
        meters.adjust("meter", -1, 9001, "again")


def test_an_unknown_meter_or_share_is_refused() -> None:
    with pytest.raises(MeterRefused, match="there is no such meter; there are meter"):
        bank().pay(AT, 1, "mega", Fraction(1))
    with pytest.raises(
        MeterRefused, match=r"meter meter: a pay of 11/10 of it refused: a share is more than 0 and at m"
    ):
        bank().pay(AT, 1, "meter", Fraction(11, 10))


class TestRestoring:
    @staticmethod
    def used() -> MeterBank:
        meters = bank()
        meters.contribute(AT, 300)
        paid, _ = meters.pay(AT, 3, "meter", Fraction(1))
        meters.contribute(AT, 700)
        meters.back_out(paid.number, 9001, "not a royal flush")
        meters.adjust("meter", 5, 9001, "found a nickel")
        return meters

    def test_the_records_as_lines_give_the_same_bank_and_the_same_next_record(self) -> None:
        meters = self.used()
        again = MeterBank.restore(setup(), [MeterRecord.from_json(each.to_json()) for each in meters.records])
        assert again.records == meters.records
        assert again.meters() == meters.meters()
        assert again.contribute(AT, 333) == meters.contribute(AT, 333)
        with pytest.raises(MeterRefused, match="backed out already"):
            again.back_out(3, 9001, "twice")

    def test_a_missing_record_is_named(self) -> None:
        records = self.used().records
        with pytest.raises(MeterRefused, match="record 3 is missing"):
            MeterBank.restore(setup(), records[:2] + records[3:])
        with pytest.raises(MeterRefused, match="it has no record"):
            MeterBank.restore(setup(), [])

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            ({"to_house": 0}, "record 2 creates or loses money"),
            ({"meter_cents": 5}, "record 2 does not follow from those"),
        ],
    )
    def test_a_changed_record_is_named(self, change: dict[str, int], why: str) -> None:
        records = list(self.used().records)
        records[1] = replace(records[1], **change)
        with pytest.raises(MeterRefused, match=why):
            MeterBank.restore(setup(), records)


class TestLinkedTables:
    """One owner of the meters of several tables: each table sees the amounts the others left."""

    TERMS: ClassVar = {"paytables": {"progressive": "WA-ML03"}}

    def test_two_tables_share_mega_major_and_minor(self) -> None:
        game = load_game("flushes-gone-wild.wa-link")
        meters = MeterBank(load_setup(DOCS / "examples" / "progressive-ml03.toml"))
        paid = []
        for number, hand in ((1, QUADS), (2, QUADS), (3, NOTHING)):
            round_ = deal("KD 9D", "3C 4C 5S 6S 8D", seat(1, hand, progressive=400))
            round_ = replace(
                round_, table=f"table-{number}", procedure=replace(round_.procedure, id=game.spec.procedures[0])
            )
            settlement, records = settle_linked(meters, round_, game, **self.TERMS)
            assert settlement.totals.players + settlement.totals.house + settlement.totals.meters == 0
            assert {record.table for record in records} == {f"table-{number}"}
            paid += [line.pay for line in settlement.lines if line.bet == "progressive"]
        # 6.25 % of 4 dollars is 25 cents a round: 123456 + 25, then the seed of 50000 + 25.
        assert paid == [123_481, 50_025, 0]
        # 8 % and 5.5 % of 4 dollars, three times; nobody won them.
        assert meters.meters()["mega"].cents == 10_000_000 + 3 * 32
        assert meters.meters()["major"].cents == 500_000 + 3 * 22
        assert (meters.meters()["mega"].reserve_cents, meters.meters()["major"].reserve_cents) == (12, 6)

    def test_a_bank_without_the_tables_meter_is_refused_and_left_as_it_was(self) -> None:
        game, meters = load_game("flushes-gone-wild.wa-link"), bank()
        round_ = deal("KD 9D", "3C 4C 5S 6S 8D", seat(1, QUADS, progressive=400))
        round_ = replace(round_, procedure=replace(round_.procedure, id="flushes-gone-wild.wa"))
        with pytest.raises(SettlementRefused, match="meter that pay table WA-ML03 pays from 'major'; allowed: meter"):
            settle_linked(meters, round_, game, **self.TERMS)
        assert len(meters.records) == 1

    def test_the_meter_pays_what_it_shows_once_the_bets_were_taken(self) -> None:
        """CO progressive (4), (7)(A): a dead hand's bet comes back from the house, and the meter keeps its part."""
        meters = bank()
        round_ = deal(
            "KD 9D",
            "3C 4C 5S 6S 8D",
            seat(1, ROYAL, progressive=100),
            seat(2, "7C 7D 7H 7S", progressive=100, status="dead", counted=4),
        )
        settlement, _ = settle_linked(meters, round_, GAME)
        line = next(line for line in settlement.lines if line.bet == "progressive" and line.seat == 1)
        assert line.pay == 1_000_043
        (meter,) = settlement.meters
        assert (meter.before, meter.contributed, meter.paid, meter.reseeded, meter.after) == (
            1_000_000, 43, 1_000_043, 500_002, 500_002,
        )  # fmt: skip
        assert (meter.reserve_before, meter.reserved, meter.reserve_after) == (0, 2, 0)
        assert settlement.totals.meters == 43 + 2 - 1_000_043


class TestSetupFiles:
    @pytest.mark.parametrize(
        ("text", "rate"), [("21.5 %", Fraction(43, 200)), ("0 %", Fraction(0)), ("100 %", Fraction(1))]
    )
    def test_rates(self, text: str, rate: Fraction) -> None:
        assert parse_rate(text) == rate

    @pytest.mark.parametrize("value", ["101 %", "21,5 %", "21.5", "-1 %", 0.215, 21, "% 5"])
    def test_what_is_no_rate(self, value: object) -> None:
        with pytest.raises(ValueError, match="not a rate; allowed: 'N %' from 0 % to 100 %"):
            parse_rate(value)

    @pytest.mark.parametrize(
        ("before", "after", "says"),
        [
            ('name = "major"', 'name = "mega"', "meters[2].name: meter 'mega' appears twice"),
            ('"8 %"', '"90 %"', "meters: contributions and reserves add up to more than 100 % of a wager"),
            ('"8 %"', '"8"', "meters[1].contribution: not a rate; allowed: 'N %'"),
            (
                "seed-cents = 10000000",
                "seed-cents = -1",
                "meters[1].seed-cents: must be greater than or equal to 0",
            ),
            (
                'id = "ml',
                'ids = 1\nid = "ml',
                "ids: unknown key; allowed: schema, id, executive-from-cents, sensor-cents",
            ),
        ],
    )
    def test_a_wrong_file_is_one_line(self, tmp_path: Path, before: str, after: str, says: str) -> None:
        text = (DOCS / "examples" / "progressive-ml03.toml").read_text(encoding="utf-8")
        path = tmp_path / "mine.toml"
        path.write_text(text.replace(before, after, 1))
        with pytest.raises(TomlFileError) as caught:
            load_setup(path)
        assert says in str(caught.value)
        assert str(caught.value).startswith(f"{path}:")

    def test_what_the_maker_does_not_recommend_is_said(self) -> None:
        """WA recommendations: a seed at least as large as the largest fixed award, and not 0."""
        table = load_game("flushes-gone-wild.wa").paytables["WA-NC"]
        low = setup({"name": "meter", "seed-cents": 29_999, "contribution": "10 %"})
        none = setup({"name": "meter", "seed-cents": 0, "contribution": "10 %"})
        assert cautions(setup(), table, 100) == []
        for caution, says in (
            (cautions(low, table, 100)[0], "below the largest fixed award, 30000 cents"),
            (cautions(none, table, 100)[0], "a seed of 0 is not recommended"),
        ):
            assert says in caution
            assert caution.endswith(", seed amount]")


def test_the_published_schema_is_current_and_holds_every_record() -> None:
    schema = json.loads((DOCS / "schema" / "meter-1.json").read_text(encoding="utf-8"))
    assert schema == line_schema(MeterRecord)
    for record in TestRestoring.used().records:
        jsonschema.Draft202012Validator(schema).validate(json.loads(record.to_json()))
