"""Washington's and South Dakota's Flushes Gone Wild, settled on paper first, each line with its clause."""

import pytest
from msgspec.structs import replace

from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.due import Due
from dealer_flow.record.result import ProcedureRef, RoundResult, Seat
from dealer_flow.table.ledger import Dispensed, Ledger
from protocol.cards import parse_cards
from protocol.places import COMMUNITY
from rules import Game, Meter, Settlement, SettlementRefused, load_game, settle
from tests.support.dealing.flushes import deal, money, seat

WA, LINK, SD = (load_game(f"flushes-gone-wild.{name}") for name in ("wa", "wa-link", "sd"))
METER = {"meter": Meter(1_000_000, 500_000)}
ROYAL, STRAIGHT_FLUSH, QUADS, NOTHING = "AH KH QH JH TH", "5S 6S 7S 8S 9S", "7C 7D 7H 7S JS", "2C 2D 4C JC TS"

# The community holds two hearts, so the dealer's best is K 9 of hearts: a flush of 2.
COMMUNITY_CARDS, DEALER = "KH 9H", "3C 4D 5S 6S 8C"
HANDS = {
    "AH QH JH TH 7H": ("7-card natural", 5),
    "AH QH JH TH 2C": ("7-card wild", 5),
    "AH QH JH TH 7C": ("6-card natural", 4),
    "AH QH JH 7C 2C": ("6-card wild", 4),
    "AH QH JH 7C 4S": ("5-card natural", 3),
    "AH QH 2C 7D 4S": ("5-card wild", 3),
    "AH QH 7C 4S TD": ("4-card natural", 2),
    "AH 2C 7D 4S TS": ("4-card wild", 2),
    "AH 7C 4S TD 6D": ("3-card", 1),
}
BLIND = {5: 200, 4: 25, 3: 5, 2: 3, 1: 0}
FLUSH_RUSH = {
    "7-card natural": 250,
    "7-card wild": 100,
    "6-card natural": 50,
    "6-card wild": 10,
    "5-card natural": 6,
    "5-card wild": 3,
    "4-card natural": 1,
}
CLAUSES = {
    "wa": {"win": "WA FGW 10", "lose": "WA FGW 11", "tie": "WA FGW 12", "rush": "WA FGW 13", "fold": "WA FGW 7(b)"},
    "sd": {"win": "SD (9)", "lose": "SD (10)", "tie": "SD (11)", "rush": "SD (14)", "fold": "SD (6)(b)"},
}
STATES = [("wa", WA), ("wa", LINK), ("sd", SD)]
each_state = pytest.mark.parametrize(("state", "game"), STATES, ids=["wa", "wa-link", "sd"])


def at(game: Game, round_: RoundResult) -> RoundResult:
    return replace(round_, procedure=ProcedureRef(id=game.spec.procedures[0], sha256="0" * 64))


def settled(
    game: Game, *seats: Seat, community: str = COMMUNITY_CARDS, dealer: str = DEALER, **terms: object
) -> Settlement:
    return settle(at(game, deal(community, dealer, *seats)), game, **terms)  # type: ignore[arg-type]


@each_state
@pytest.mark.parametrize("cards", HANDS)
def test_a_win_pays_even_the_blind_by_its_margin_and_flush_rush_by_its_table(
    state: str, game: Game, cards: str
) -> None:
    hand, margin = HANDS[cards]
    clauses = CLAUSES[state]
    odds, rush = BLIND[margin], FLUSH_RUSH.get(hand, -1)
    assert money(settled(game, seat(1, cards, flush_rush=300))) == {
        (1, "ante"): ("win", 500, clauses["win"]),
        (1, "blind"): ("win" if odds else "push", 500 * odds, clauses["win"]),
        (1, "play"): ("win", 1000, clauses["win"]),
        (1, "flush-rush"): ("win" if rush > 0 else "lose", 300 * rush, clauses["rush"]),
    }


@each_state
def test_the_printed_example_ace_seven_three_loses_to_ace_ten_seven(state: str, game: Game) -> None:
    """WA introduction, SD (12): Ac 7c 3c against Ah 10h 7h."""
    found = money(settled(game, seat(1, "AC 7C 3C 8D JS"), community="4D 6S", dealer="AH TH 7H 9D QS"))
    lose = CLAUSES[state]["lose"]
    assert found == {
        (1, "ante"): ("lose", -500, lose),
        (1, "blind"): ("lose", -500, lose),
        (1, "play"): ("lose", -1000, lose),
    }


@each_state
def test_copied_hands_push(state: str, game: Game) -> None:
    found = money(settled(game, seat(1, "AH TH 7H 8D JS"), community="4D 6S", dealer="AC TC 7C 9D QS"))
    assert set(found.values()) == {("push", 0, CLAUSES[state]["tie"])}
    assert len(found) == 3


@each_state
def test_a_folded_hand_loses_ante_and_blind_and_flush_rush_stays_in_action(state: str, game: Game) -> None:
    clauses = CLAUSES[state]
    assert money(settled(game, seat(1, "AH QH JH 7C 4S", flush_rush=500, status="folded"))) == {
        (1, "ante"): ("lose", -500, clauses["fold"]),
        (1, "blind"): ("lose", -500, clauses["fold"]),
        (1, "flush-rush"): ("win", 3000, clauses["rush"]),
    }


@each_state
def test_flush_rush_is_paid_though_the_dealer_wins(state: str, game: Game) -> None:
    found = money(settled(game, seat(1, "8H 7H 3D 5S 6C", flush_rush=500), dealer="AH QH JH TH 3C"))
    assert found[1, "flush-rush"] == ("win", 500, CLAUSES[state]["rush"])
    assert found[1, "play"] == ("lose", -1000, CLAUSES[state]["lose"])


class TestBothBurns:
    """One packet of five community cards: Colorado plays its cards 3 and 4, Washington and South Dakota 2 and 3."""

    PACKET = "4C AH KH QS 6D"

    @pytest.mark.parametrize(
        ("state", "top", "plays"),
        [
            ("co", "left", "KH QS"),
            ("co", "right", "AH KH"),  # 47.1-1017.60 (6) counts from the dealer's left, wherever the top card lies
            ("wa", "left", "AH KH"),
            ("wa", "right", "AH KH"),  # WA FGW 6 counts from the top
            ("sd", "left", "AH KH"),  # SD (5)
        ],
    )
    def test_the_cards_that_play(self, state: str, top: str, plays: str) -> None:
        plan = Plan(load_procedure(f"flushes-gone-wild.{state}"), {"community-top-card": top})
        burn, cards = plan.burns[COMMUNITY], self.PACKET.split()
        left = [position for position in range(1, 6) if position not in burn.positions]
        assert {cards[burn.from_top(position)] for position in left} == set(plays.split())

    def test_the_same_packet_pays_another_way(self) -> None:
        """A player with Q J 9 of hearts: with K alone four hearts, with A and K five."""
        hand = seat(1, "QH JH 9H 3S 7D", flush_rush=500)
        colorado = settle(deal("KH QS", "3C 4D 5S 6S 8C", hand), load_game("flushes-gone-wild.co"))
        washington = settled(WA, hand, community="AH KH")
        assert money(colorado)[1, "flush-rush"] == ("win", 500, "47.1-1017.60(13)")
        assert money(washington)[1, "flush-rush"] == ("win", 3000, "WA FGW 13")

    def test_the_ledger_deals_it_so(self) -> None:
        for state, plays in (("co", "KH QS"), ("wa", "AH KH"), ("sd", "AH KH")):
            plan = Plan(load_procedure(f"flushes-gone-wild.{state}"), {})
            ledger = Ledger(plan)
            packet = Dispensed(1, 5, parse_cards(self.PACKET))
            ledger.packets[1] = packet
            assert not ledger.lift(packet, Due(COMMUNITY, 5, "community"))
            ledger.confirm_burn(COMMUNITY, plan.burns[COMMUNITY].positions)
            assert {card.text for card in ledger.community()} == set(plays.split())


class TestProgressive:
    @pytest.mark.parametrize(
        ("cards", "for_one"),
        [
            (QUADS, 300),
            ("7C 7D 7H JS JH", 50),
            ("2H 5H 7H JH QH", 40),
            ("AC 2D 3H 4S 5C", 30),
            ("7C 7D 7H JS 2H", 9),
            ("7C 7D JH JS 2H", 0),  # deuces are not wild (NC 2, MGL 2)
        ],
    )
    @pytest.mark.parametrize(
        ("game", "table", "clause"),
        [
            (WA, "WA-NC", "WA NC pay table"),
            (LINK, "WA-MGL-01", "WA MGL paytable 01"),
            (LINK, "WA-ML01", "WA MGL paytable ML01"),
        ],
        ids=["nc", "mgl-01", "ml01"],
    )
    def test_fixed_pays_are_for_one(self, game: Game, table: str, clause: str, cards: str, for_one: int) -> None:
        round_ = settled(
            game,
            seat(1, cards, progressive=500),
            community="KD 9D",
            dealer="3C 4C 5S 6S 8D",
            paytables={"progressive": table},
        )
        lose = "WA NC 8" if game is WA else "WA MGL 9"
        expected = ("win", 500 * for_one - 500, clause) if for_one else ("lose", -500, lose)
        assert money(round_)[1, "progressive"] == expected
        assert round_.totals.meters == 0

    def test_ml03_pays_four_of_a_kind_all_of_the_minor(self) -> None:
        meters = {"mega": Meter(9_000_000, 1), "major": Meter(400_000, 1), "minor": Meter(33_333, 20_000)}
        round_ = settled(
            LINK,
            seat(1, QUADS, progressive=100),
            community="KD 9D",
            paytables={"progressive": "WA-ML03"},
            meters=meters,
        )
        assert money(round_)[1, "progressive"] == ("win", 33_233, "WA MGL paytable ML03")
        after = {meter.name: meter.after for meter in round_.meters}
        assert after == {"mega": 9_000_000, "major": 400_000, "minor": 20_000}

    def test_ml01_pays_a_straight_flush_all_of_the_major_and_a_royal_flush_all_of_the_mega(self) -> None:
        meters = {"mega": Meter(9_000_000, 7), "major": Meter(400_000, 8)}
        round_ = settled(
            LINK,
            seat(1, ROYAL, progressive=100),
            seat(2, STRAIGHT_FLUSH, progressive=100),
            community="KD 9D",
            dealer="3C 4C 5C 6D 8D",
            paytables={"progressive": "WA-ML01"},
            meters=meters,
        )
        found = money(round_)
        assert found[1, "progressive"] == ("win", 8_999_900, "WA MGL paytable ML01")
        assert found[2, "progressive"] == ("win", 399_900, "WA MGL paytable ML01")
        assert {meter.name: meter.after for meter in round_.meters} == {"mega": 7, "major": 8}

    def test_two_pays_of_one_meter_go_from_the_dealers_right(self) -> None:
        """WA NC 9(c): seat 2 is farther right than seat 1, so the tenth is taken before the whole."""
        seats = (seat(1, ROYAL, progressive=100), seat(2, STRAIGHT_FLUSH, progressive=100))
        round_ = settled(WA, *seats, community="KD 9D", dealer="3C 4C 5C 6D 8D", meters=METER)
        assert money(round_)[2, "progressive"] == ("win", 99_900, "WA NC pay table")
        assert money(round_)[1, "progressive"] == ("win", 899_900, "WA NC pay table")
        assert round_.meters[0].after == 500_000

    def test_the_reserve_is_added_to_the_seed_once(self) -> None:
        seats = (seat(1, "AS KS QS JS TS", progressive=100), seat(2, ROYAL, progressive=100))
        meters = {"meter": Meter(1_000_000, 500_000, reserve_cents=1_234)}
        round_ = settled(WA, *seats, community="KD 9D", meters=meters)
        (meter,) = round_.meters
        assert [money(round_)[number, "progressive"][1] for number in (2, 1)] == [999_900, 501_134]
        assert (meter.paid, meter.reseeded, meter.after, meter.reserve_after) == (1_501_234, 1_001_234, 500_000, 0)

    @pytest.mark.parametrize(("wager", "royal", "straight"), [(100, 100_000, 30_000), (500, 500_000, 150_000)])
    def test_envy_is_multiplied_by_the_receivers_wager(self, wager: int, royal: int, straight: int) -> None:
        """WA NC 10(a): never for one's own hand; winners owe each other; a bettor who folded still collects."""
        seats = (
            seat(1, ROYAL, progressive=wager),
            seat(2, STRAIGHT_FLUSH, progressive=wager),
            seat(3, "?? ?? ?? ?? ??", progressive=wager, status="folded"),
            seat(4, "3D 4H JD QC TD"),
        )
        round_ = settled(WA, *seats, community="KD 9D", dealer="3C 4C 5C 6D 8D", meters=METER)
        lines = [(line.seat, line.pay, line.clause) for line in round_.lines if line.bet == "envy"]
        assert lines == [
            (3, straight, "WA NC 10(a)"),
            (3, royal, "WA NC 10(a)"),
            (2, royal, "WA NC 10(a)"),
            (1, straight, "WA NC 10(a)"),
        ]

    def test_the_dealers_royal_flush_brings_no_envy(self) -> None:
        round_ = settled(WA, seat(1, NOTHING, progressive=100), community="KD 9D", dealer=ROYAL)
        assert [line.bet for line in round_.lines if line.bet == "envy"] == []

    def test_a_folded_hand_is_dead_for_it_at_one_table(self) -> None:
        folded = seat(1, QUADS, progressive=100, status="folded")
        assert money(settled(WA, folded, community="KD 9D"))[1, "progressive"] == ("lose", -100, "WA NC 8")
        with pytest.raises(SettlementRefused, match="reading 'folded-progressive'"):
            settled(WA, folded, community="KD 9D", readings={"folded-progressive": "stands"})

    def test_in_the_link_the_casino_may_let_it_qualify(self) -> None:
        folded = seat(1, QUADS, progressive=100, status="folded")
        assert money(settled(LINK, folded, community="KD 9D"))[1, "progressive"] == ("lose", -100, "WA MGL 9")
        stands = settled(LINK, folded, community="KD 9D", readings={"folded-progressive": "stands"})
        assert money(stands)[1, "progressive"] == ("win", 29_900, "WA MGL paytable 01")
        assert money(stands)[1, "ante"] == ("lose", -500, "WA FGW 7(b)")
        hidden = seat(1, "?? ?? ?? ?? ??", progressive=100, status="folded")
        shown = settled(LINK, hidden, community="KD 9D", readings={"folded-progressive": "stands"})
        assert money(shown)[1, "progressive"][0] == "held"

    def test_seven_cards_cannot_be_meant_and_settle_only_when_told(self) -> None:
        """NC 2 says seven cards, NC 8 five. The own cards are 7 7 7, of which two are the community's."""
        pair = seat(1, "7C 3D 4H JS TD", progressive=100)
        five = settled(WA, pair, community="7D 7H", dealer="3C 4C 5S 6S 8D")
        assert money(five)[1, "progressive"] == ("lose", -100, "WA NC 8")
        seven = {"progressive-hand": "best-of-seven"}
        with pytest.raises(SettlementRefused, match=r"suspect reading progressive-hand .*483 %.*accept_suspect=True"):
            settled(WA, pair, community="7D 7H", readings=seven)
        told = settled(WA, pair, community="7D 7H", dealer="3C 4C 5S 6S 8D", readings=seven, accept_suspect=True)
        assert money(told)[1, "progressive"] == ("win", 800, "WA NC pay table")
        assert told.readings["progressive-hand"] == "best-of-seven"
        unread = settled(WA, pair, community="7D ??", dealer="3C 4C 5S 6S 8D", readings=seven, accept_suspect=True)
        (line,) = (line for line in unread.lines if line.bet == "progressive")
        assert line.why == "the faces of the community are not all known (??)"
        (line,) = (line for line in told.lines if line.bet == "progressive")
        assert line.why == "own and community cards make three of a kind: progressive pays 9 for 1"
        (line,) = (line for line in settled(WA, pair).lines if line.bet == "progressive")
        assert line.why.startswith("own five cards make ")

    def test_a_dead_hand_and_a_misdeal_give_every_bet_back(self) -> None:
        """The text does not mention a wrong count; the procedure file decides and says so."""
        dead = seat(1, "AH KH QH JH", status="dead", counted=4, flush_rush=500, progressive=100)
        found = money(settled(WA, dead, community="KD 9D"))
        assert set(found.values()) == {("returned", 0, "procedure")}
        assert len(found) == 4


class TestTips:
    """SD (3): a tip may be bet on ante, blind or Flush Rush with a wager of the player's own on the same spot."""

    @staticmethod
    def with_tips(cards: str, flush_rush: int = 500, status: str = "live", **tips: int) -> Seat:
        own = seat(1, cards, flush_rush=flush_rush, status=status)  # type: ignore[arg-type]
        named = {name.replace("_", "-"): cents for name, cents in tips.items()}
        return replace(own, wagers=own.wagers | named)

    def test_they_are_settled_as_the_players_bets(self) -> None:
        tips = {"tip_ante": 100, "tip_blind": 100, "tip_flush_rush": 100}
        found = money(settled(SD, self.with_tips("AH QH JH 7C 4S", **tips)))
        assert found[1, "tip-ante"] == ("win", 100, "SD (9)")
        assert found[1, "tip-blind"] == ("win", 500, "SD (9)")  # won by three cards: 5 to 1
        assert found[1, "tip-flush-rush"] == ("win", 600, "SD (14)")

    def test_they_go_with_a_folded_hand(self) -> None:
        found = money(settled(SD, self.with_tips("AH QH JH 7C 4S", status="folded", tip_ante=100, tip_flush_rush=100)))
        assert found[1, "tip-ante"] == ("lose", -100, "SD (6)(b)")
        assert found[1, "tip-flush-rush"] == ("win", 600, "SD (14)")

    def test_one_without_a_wager_of_the_players_own_is_held(self) -> None:
        found = money(settled(SD, self.with_tips("AH QH JH 7C 4S", flush_rush=0, tip_flush_rush=100)))
        assert found[1, "tip-flush-rush"] == ("held", 0, "SD (3)")
        assert found[1, "ante"] == ("win", 500, "SD (9)")


class TestRefused:
    """Forbidden bets are held with their clause."""

    @pytest.mark.parametrize(
        ("game", "wagers", "bets", "clause"),
        [
            (WA, {"blind": 400}, ("ante", "blind", "play"), "WA FGW 2"),
            (WA, {"play": 500}, ("ante", "blind", "play"), "WA FGW 7(a)"),
            (WA, {"ante": 0, "flush_rush": 500}, ("flush-rush",), "WA FGW 2"),
            (WA, {"ante": 0, "progressive": 100}, ("progressive",), "WA FGW 2"),
            (LINK, {"ante": 0, "progressive": 100}, ("progressive",), "WA FGW 2"),
            (SD, {"blind": 400}, ("ante", "blind", "play"), "SD (2)"),
            (SD, {"play": 500}, ("ante", "blind", "play"), "SD (6)(a)"),
        ],
    )
    def test_a_wager_that_breaks_a_rule(
        self, game: Game, wagers: dict[str, int], bets: tuple[str, ...], clause: str
    ) -> None:
        round_ = settled(game, seat(1, "AH QH JH 7C 4S", **wagers))  # type: ignore[arg-type]
        held = {line.bet: line.clause for line in round_.lines if line.result == "held"}
        assert held == {bet: clause for bet in bets if bet in held}
        assert held

    def test_washington_prints_no_limit_so_the_table_gives_its_own(self) -> None:
        rich = seat(1, "AH QH JH 7C 4S", ante=50_000)
        assert settled(WA, rich).status == "settled"
        assert settled(WA, rich).limit_cents is None
        limited = settled(WA, rich, limit_cents=50_000)
        assert limited.limit_cents == 50_000
        assert {(line.bet, line.result, line.clause) for line in limited.lines} == {
            (bet, "held", "WAC 230-15-040, 230-15-140") for bet in ("ante", "blind", "play")
        }

    def test_colorados_hundred_dollars_cannot_be_raised_by_the_table(self) -> None:
        game = load_game("flushes-gone-wild.co")
        round_ = deal(COMMUNITY_CARDS, DEALER, seat(1, "AH QH JH 7C 4S"))
        assert settle(round_, game).limit_cents == 10_000
        assert settle(round_, game, limit_cents=500).status == "held"
        with pytest.raises(
            SettlementRefused, match=r"limit of each bet 10001; allowed: 1 to 10000 cents \(47\.1-1002\(2\)\)"
        ):
            settle(round_, game, limit_cents=10_001)
