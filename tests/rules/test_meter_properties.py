"""Random rounds at three linked tables: no cent appears or is lost, no meter becomes negative, books can be restored.

Hands are planted so that meters pay often. The expected amounts are computed here from the rates and the printed pays.
"""

import random
from collections import Counter
from fractions import Fraction

import msgspec
import pytest
from msgspec.structs import replace

from dealer_flow.record.result import ProcedureRef, RoundResult, Seat
from protocol.cards import DECK
from rules import Settlement, load_game
from rules.meters.bank import RECORDS_KEPT, BankState, MeterBank, MeterRecord, MeterRefused, RoundKey
from rules.meters.linked import settle_linked
from rules.meters.setup import ProgressiveSetup
from tests.support.dealing.flushes import deal, seat

GAME = load_game("flushes-gone-wild.wa-link")
TEXTS = tuple(card.text for card in DECK)
RATES = {"mega": ("7.3 %", "0.7 %"), "major": ("5.55 %", "0.45 %"), "minor": ("4 %", "0 %")}
SEEDS = {"mega": 500_000, "major": 20_000, "minor": 0}
FIXED = {"full house": 50, "flush": 40, "straight": 30, "three of a kind": 9}
WHOLE = {"royal flush": "mega", "straight flush": "major", "four of a kind": "minor"}
PLANTED = (
    "AH KH QH JH TH", "5S 6S 7S 8S 9S", "7C 7D 7H 7S JS", "3C 3D 3H 6C 6D", "2D 5D 8D JD KD", "9C TD JC QS KC",
    "4C 4D 4H KS 8C",
)  # fmt: skip
SETUP = ProgressiveSetup.model_validate(
    {
        "schema": "dealwire.progressive/1",
        "id": "property",
        "executive-from-cents": 100_000,
        "meters": tuple(
            {"name": name, "seed-cents": SEEDS[name], "contribution": rate, "reserve": reserve}
            for name, (rate, reserve) in RATES.items()
        ),
    }
)


def exactly(rate: str) -> Fraction:
    return Fraction(rate.removesuffix(" %")) / 100


def random_round(chance: random.Random, number: int) -> RoundResult:
    players = chance.randint(1, 6)
    hands: list[list[str]] = []
    for _ in range(players):
        planted = chance.choice(PLANTED).split() if chance.random() < 0.25 else []
        hands.append([] if any(card in hand for hand in hands for card in planted) else planted)
    taken = {card for hand in hands for card in hand}
    free = [card for card in chance.sample(TEXTS, 52) if card not in taken]
    seats = []
    for at, hand in enumerate(hands, 1):
        cards = hand or [free.pop() for _ in range(5)]
        seats.append(random_seat(chance, at, " ".join(cards)))
    round_ = deal(" ".join(free[:2]), " ".join(free[2:7]), *seats, outcome=chance.choices(
        ("complete", "progressive-only", "misdeal", "defective-deck"), (20, 3, 1, 1)
    )[0])  # fmt: skip
    return replace(
        round_,
        table=f"table-{chance.randint(1, 3)}",
        round=number,
        procedure=ProcedureRef(id="flushes-gone-wild.wa", sha256="0" * 64),
    )


def random_seat(chance: random.Random, number: int, cards: str) -> Seat:
    status = chance.choices(("live", "folded", "dead"), (8, 2, 1))[0]
    wager = chance.choice((0, 1, 33, 100, 100, 500, 999))
    return seat(number, cards, ante=chance.choice((100, 500)), progressive=wager, status=status)  # type: ignore[arg-type]


class Books:
    """Sums by side, kept independently of the bank."""

    def __init__(self) -> None:
        self.wagered = 0
        self.put = Counter[str]()
        self.aside = Counter[str]()
        self.steps = Counter[str]()
        self.money = Counter[str]()

    def take(self, records: list[MeterRecord]) -> None:
        for record in records:
            assert record.to_players + record.to_house + record.to_meter + record.to_reserve == 0
            assert min(record.meter_cents, record.reserve_cents) >= 0
            self.steps[record.kind] += 1
            self.money[record.meter] += record.to_meter
            if record.kind == "contributed":
                self.put[record.meter] += record.to_meter
                self.aside[record.meter] += record.to_reserve

    def check(self, settlement: Settlement, round_: RoundResult) -> None:
        totals, wagers = settlement.totals, {each.seat: each.wagers.get("progressive", 0) for each in round_.seats}
        self.wagered += sum(wagers.values())
        assert totals.players + totals.house + totals.meters == 0
        assert settlement.status == "settled"
        for total in settlement.meters:
            assert total.reseeded is not None
            assert total.before + total.contributed - total.paid + total.reseeded == total.after
            assert total.paid == sum(line.pay for line in settlement.lines if line.meter == total.name)
        for line in settlement.lines:
            if line.bet == "progressive" and line.result == "win":
                assert line.row is not None
                expected = FIXED.get(line.row)
                assert line.meter == WHOLE.get(line.row)
                assert expected is None or line.pay == wagers[line.seat] * expected // 25 * 25

    def agree_with(self, bank: MeterBank) -> None:
        for name, (rate, reserve) in RATES.items():
            assert self.put[name] == exactly(rate) * self.wagered // 1
            assert self.aside[name] == exactly(reserve) * self.wagered // 1
            assert bank.meters()[name].cents == SEEDS[name] + self.money[name]


def meddle(chance: random.Random, bank: MeterBank, paid: list[int]) -> list[MeterRecord]:
    """Back out a late pay or adjust a meter by hand; a refusal changes nothing."""
    before = bank.state()
    try:
        if chance.random() < 0.5 and paid:
            return [bank.back_out(paid[-1], 9001, "a check")]
        return [bank.adjust(chance.choice(tuple(RATES)), chance.randint(-5000, 5000), 9001, "a check")]
    except MeterRefused:
        assert bank.state() == before
        return []


def play(rounds: int, seed: int) -> None:
    chance, bank, books = random.Random(seed), MeterBank(SETUP), Books()
    paid: list[int] = []
    every = list(bank.records)
    for number in range(rounds):
        round_ = random_round(chance, number)
        settlement, records = settle_linked(bank, round_, GAME, paytables={"progressive": "WA-ML03"})
        books.take(records)
        every += records
        books.check(settlement, round_)
        paid += [record.number for record in records if record.kind == "paid"]
        if chance.random() < 0.05:
            meddled = meddle(chance, bank, paid)
            every += meddled
            books.take(meddled)
    books.agree_with(bank)
    assert {"contributed", "paid", "reseeded", "backed-out", "adjusted"} <= set(books.steps), books.steps
    again = MeterBank.restore(SETUP, every)
    assert again.meters() == bank.meters()
    assert len(bank.records) == RECORDS_KEPT
    other = MeterBank(SETUP)
    other.restore_state(msgspec.json.decode(msgspec.json.encode(bank.state()), type=BankState))
    assert other.state() == again.state() == bank.state()
    resumed = MeterBank.resume(SETUP, {record.meter: record for record in every})
    assert resumed.meters() == bank.meters()
    at = RoundKey("t", "1", rounds)
    assert resumed.contribute(at, 12345) == other.contribute(at, 12345) == bank.contribute(at, 12345)


@pytest.mark.more
def test_no_cent_appears_or_is_lost_in_five_thousand_rounds() -> None:
    play(5_000, 20260)


@pytest.mark.slow
def test_no_cent_appears_or_is_lost_in_a_hundred_thousand_rounds() -> None:
    play(100_000, 7)
