"""Terms of a settlement: the game and the options chosen, validated once before any money moves."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from dealer_flow.procedure.law import Law
from dealer_flow.record.result import Seat
from protocol.cards import Card, parse_card
from protocol.places import DEALER
from rules.bets.bet import NO_ROWS, AgreedBet, Bet, OtherOption, RowOutcomes
from rules.errors import ACCEPT_SUSPECT, SettlementRefused
from rules.facts.caps import agree_maximum
from rules.facts.commission import Commission
from rules.facts.commission import commission as agree_commission
from rules.facts.held import broken_rules
from rules.facts.rake import agree_rake
from rules.game.house_ways import HouseWay, load_houseway
from rules.game.jackpot_spec import JackpotAward
from rules.game.load import Game
from rules.game.pool_spec import MOST_SEATS
from rules.game.readings import READINGS
from rules.game.schema import Signature
from rules.hands import Ranked, Ranking, ranker
from rules.hands.hand_spec import MadeHand
from rules.hands.poker import only_the_wheel_apart
from rules.paytables.conditions import CONDITIONS
from rules.paytables.paytable import USUAL_ENVY_BASE_CENTS, PaidRow, PayRow
from rules.settlement import HouseRake, MaximumPayout, Meter, MeterTotal, Rounding, SettlementLine, make_line

ROUNDINGS: Final = ("down-to-token", "down-to-cent")
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_LINES_KEPT: Final = 1 << 12
"""Maximum number of cached lines of lost bets."""
_SEATS_KEPT: Final = 1 << 12
"""Maximum number of cached wagers of a seat: players repeat their bets."""


_NO_METERS: Final[Mapping[str, Meter | int]] = MappingProxyType({})
_NO_RUNNERS: Final[Mapping[int, int]] = MappingProxyType({})


class SeatBets(NamedTuple):
    """A seat's bets by name, in the order of the game file, and their names; `sound` if they break no rule."""

    made: Mapping[str, AgreedBet]
    names: Set[str]
    sound: bool


@dataclass(frozen=True, slots=True)
class Terms:
    """All options of a settlement, complete and valid. `unit_cents` is the smallest unit to which house pays are
    rounded."""

    game: Game
    readings: dict[str, str]
    paytables: dict[str, str]
    rounding: str
    unit_cents: int
    rounded: Rounding
    """The rounding as a settlement names it."""
    envy_base_cents: int | None
    meters: Mapping[str, Meter] = field(default_factory=dict)
    limit_cents: int | None = None
    maximum: MaximumPayout | None = None
    commission: Commission = field(default_factory=Commission)
    rake: HouseRake | None = None
    jackpot: JackpotAward | None = None
    house_way: HouseWay | None = None
    runners: Mapping[int, int] = field(default_factory=dict)
    """Runners by seat."""
    signed: Mapping[str, str] = field(default_factory=dict)
    """Signer and date, by reading whose option in use the house has signed."""
    waits: frozenset[str] = frozenset()
    """Readings that hold a bet until a supervisor decides."""
    _least: dict[tuple[str, str], Any] = field(default_factory=dict, compare=False, repr=False)
    """Strength of minimum hands, computed on first use. This cache and the ones below are shared with the same terms
    `on` other meters."""
    hands: dict[str, MadeHand] = field(default_factory=dict, compare=False, repr=False)
    """Ranker and places of each hand of the game under the readings in use."""
    _agreed: dict[int, AgreedBet] = field(default_factory=dict, compare=False, repr=False)
    """Agreed bets by identity, computed on first use. Each keeps a reference to its bet, so that the identity is not
    reused."""
    _seats: dict[tuple[object, ...], SeatBets] = field(default_factory=dict, compare=False, repr=False)
    """Bets of a seat by its law, status, choices and wagers."""
    _bets: list[AgreedBet] = field(default_factory=list, compare=False, repr=False)
    shown: dict[str, MeterTotal] = field(default_factory=dict, init=False, compare=False, repr=False)
    """The meters before anything is paid from them."""
    _lost: dict[tuple[str, int, int, str], SettlementLine] = field(default_factory=dict, compare=False, repr=False)
    """Line of a bet that loses for a common reason, by bet, seat, stake and reason."""

    def __post_init__(self) -> None:
        if not self.hands:
            self.hands.update((name, self._made(name)) for name in self.game.spec.hands)
        self.shown.update((name, _shown_total(name, meter)) for name, meter in self.meters.items())

    def on(self, meters: Mapping[str, Meter | int], runners: Mapping[int, int] = _NO_RUNNERS) -> "Terms":
        """Return the same terms with current meters and runners; raise SettlementRefused if the game does not have one
        of them."""
        meters = _known(self.game, meters, self.jackpot)
        return replace(self, meters=meters, runners=agree_runners(self.game, runners))

    def reading(self, name: str, option: str) -> "Terms":
        """Return the same terms under another option of a reading. A pay table that is not printed under it is replaced
        by the first that is."""
        readings, tables = {**self.readings, name: option}, dict(self.paytables)
        for bet, table in tables.items():
            printed = self.game.paytables_under(bet, readings)
            tables[bet] = table if table in printed or not printed else printed[0]
        fresh: dict[str, Any] = {"_least": {}, "hands": {}, "_agreed": {}, "_seats": {}, "_bets": [], "_lost": {}}
        return replace(self, game=self.game.under(readings), readings=readings, paytables=tables, **fresh)

    def having(self, rake: HouseRake | None, jackpot: JackpotAward | None) -> "Terms":
        """Return the same terms with another rake and other rules for a jackpot award, checked against the game."""
        return replace(self, rake=agree_rake(self.game, rake), jackpot=_agree_jackpot(self.game, jackpot))

    def rank(self, hand: str, cards: tuple[Card, ...]) -> Ranked:
        """Rank the cards of a hand of the game under the readings in use."""
        return self.ranks(hand)(cards)

    def ranks(self, hand: str) -> Callable[[tuple[Card, ...]], Ranked]:
        """Return the function that ranks the cards of a hand of the game under the readings in use."""
        return self.hands[hand].rank

    def _made(self, hand: str) -> MadeHand:
        """Return the definition of a hand of the game: its cards and ranking."""
        game, spec, ranking = self.game, self.game.spec.hands[hand], self.game.ranking_of(hand, self.readings)
        rank = ranker(ranking, self.readings)
        of_seat, of_dealer = hand in game.seat_hands, DEALER.text in spec.of
        return MadeHand(spec, spec.whose, of_seat, of_dealer, game.plain.get(hand), rank, ranking.jokers)

    def holds(self, hand: str, ranked: Ranked, row: str) -> bool:
        """Return True if a hand of the game satisfies a row of its pay tables."""
        check = CONDITIONS[self.game.rankings[hand].vocabulary].check(row)
        assert check is not None, "the file was examined"
        return check(ranked.key) > 0

    def reaches(self, hand: str, ranked: Ranked, least: str) -> bool:
        """Return True if a hand of the game ranks at least as high as the cards `least`."""
        if (hand, least) not in self._least:
            self._least[hand, least] = self.rank(hand, tuple(parse_card(text) for text in least.split())).strength
        return bool(ranked.strength >= self._least[hand, least])

    def chosen(self, bet: Bet) -> str | None:
        """Return the pay table chosen for `bet` (a tip's is that of the bet it is for); None for a bet without one."""
        return bet.only_table or self.paytables.get(bet.chosen_with)

    def bets_of(self, seat: Seat, law: Law | None) -> SeatBets:
        """Return the bets of a seat, including pays on their stakes; `law` is that of the round's procedure."""
        wagers = seat.wagers
        # Everything that `broken_rules` looks at is part of the key.
        key = law, seat.status, seat.decision, *wagers, *wagers.values()
        if seat.choices or seat.decisions:
            key = *key, *seat.decisions, *seat.choices.values()
        found = self._seats.get(key)
        if found is None:
            if len(self._seats) == _SEATS_KEPT:
                self._seats.clear()
            lies = wagers if 0 not in wagers.values() else {bet for bet, cents in wagers.items() if cents}
            made = {of.name: of for of in self.bets if of.on in lies}
            sound = not broken_rules(seat, self.game, law, self.limit_cents)
            found = self._seats[key] = SeatBets(made, made.keys(), sound)
        return found

    @property
    def bets(self) -> Sequence[AgreedBet]:
        """Every bet of the game, in the order of its file."""
        if not self._bets:
            self._bets.extend(map(self.agreed, self.game.bets.values()))
        return self._bets

    def agreed(self, bet: Bet) -> AgreedBet:
        """Return `bet` as these terms have it; cached, because every line needs it."""
        found = self._agreed.get(id(bet))
        if found is None:
            found = self._agreed[id(bet)] = self._agree(bet, others=bool(bet.by_reading))
        return found

    def _others_of(self, bet: Bet) -> tuple[OtherOption, ...]:
        """Return the bet under each other option of each reading that affects it."""
        found = []
        for reading, at in dict.fromkeys((row.reading, row.at) for row in bet.by_reading):
            for option in READINGS[reading]:
                if option != self.readings[reading]:
                    of = self._agree(self.game.under({**self.readings, reading: option}).bets[bet.name])
                    hand, other = bet.decided_by(self.readings, of.paytable), of.hand
                    wheel = hand != other and only_the_wheel_apart(*map(self._ranking, (hand, other)))
                    found.append(OtherOption(reading, at, of, wheel))
        return tuple(found)

    def _ranking(self, hand: str) -> Ranking:
        return self.game.ranking_of(hand, self.readings)

    def lost(self, of: AgreedBet, seat: int, stake: int, why: str, clause: str, table: str | None) -> SettlementLine:
        """Return the line of a bet that loses for a short, common reason, which precedes the bet's name in the
        sentence.

        For a given bet and reason the clause and `table` are always the same, so the line is cached.
        """
        key = of.name, seat, stake, why
        found = self._lost.get(key)
        if found is None:
            if len(self._lost) == _LINES_KEPT:
                self._lost.clear()
            line = make_line(seat, of.name, stake, "lose", why + of.loses, clause, paytable=table)
            found = self._lost[key] = line
        return found

    def printed(self, bet: Bet) -> Sequence[PayRow]:
        """Return the rows, as printed, of the pay table chosen for a bet that has one."""
        return self.game.paytables[self.chosen(bet) or ""].rows

    def _agree(self, bet: Bet, *, others: bool = False) -> AgreedBet:
        table, against = self.chosen(bet), bet.compared_with
        rows = None if table is None else self.game.tables.get((bet.name, table))
        hand = bet.decided_by(self.readings, table)
        return AgreedBet(
            bet=bet,
            name=bet.name,
            on=bet.on or bet.name,
            own=not bet.on,
            apart=bet.apart,
            by_choice=bool(bet.declared or bet.instead or self.game.spec.sets),
            line=bet.settled_by,
            hand=hand,
            paytable=table,
            rows=rows,
            by_row=NO_ROWS if rows is None else RowOutcomes(bet, rows),
            fold=bet.fold,
            against=against,
            envy_base=self._envy_base(table),
            whose="dealer's" if against.startswith("dealer") else f"the {against} hand's",
            by_length=bet.hand in self.game.rankings and self.game.rankings[bet.hand].vocabulary == "longest-flush",
            loses=f": {bet.name} loses",
            other_bet_rows=bet.other_bet_rows,
            folded_hand=bet.folded_hand or hand,
            others=self._others_of(bet) if others else (),
        )

    def _envy_base(self, paytable: str | None) -> int:
        """Return the wager in cents for which a table's envy applies: the house's if set, else the table's."""
        printed = self.game.paytables[paytable].envy_base_cents if paytable is not None else None
        return self.envy_base_cents or printed or USUAL_ENVY_BASE_CENTS

    def paid(self, stake: int, row: PaidRow) -> tuple[int, Fraction | int]:
        """Return the cents that a fixed pay gives on `stake` after rounding, and the exact cents that rounding kept."""
        if row.flat:
            return int(row.pay.amount), 0
        times, of = row.ratio
        # `round_down` inlined: the call would double the time.
        units, over = divmod(stake * times, of * self.unit_cents)
        return units * self.unit_cents, Fraction(over, of) if over else 0


def _shown_total(name: str, meter: Meter) -> MeterTotal:
    """Return the total of a meter before anything is paid from it."""
    cents, kept = meter.cents, meter.reserve_cents
    return MeterTotal(name, cents, 0, 0, cents, 0, 0, reserve_before=kept, reserve_after=kept)


def agree(
    game: Game,
    *,
    paytables: Mapping[str, str] = _NOTHING,
    readings: Mapping[str, str] = _NOTHING,
    rounding: str = "down-to-token",
    token_cents: int = 25,
    envy_base_cents: int | None = None,
    meters: Mapping[str, Meter | int] = _NO_METERS,
    limit_cents: int | None = None,
    maximum: MaximumPayout | None = None,
    commission: str | int = 0,
    rake: HouseRake | None = None,
    jackpot: JackpotAward | None = None,
    house_way: str | None = None,
    accept_suspect: bool = False,
    runners: Mapping[int, int] = _NO_RUNNERS,
    signed: Sequence[Signature] = (),
) -> Terms:
    """Validate a caller's options and return the terms; raise SettlementRefused with the unknown name and the allowed
    ones."""
    chosen_readings = _choose_readings(game, readings)
    chosen_tables = _choose_tables(game, paytables, chosen_readings, accept_suspect=accept_suspect)
    rounded = _agree_figures(rounding, token_cents, envy_base_cents)
    return Terms(
        limit_cents=_agree_limit(game, limit_cents),
        maximum=agree_maximum(game, maximum, chosen_tables),
        commission=agree_commission(commission, game.spec.commission),
        rake=agree_rake(game, rake),
        jackpot=_agree_jackpot(game, jackpot),
        house_way=_agree_way(game, house_way),
        game=game.under(chosen_readings),
        readings=chosen_readings,
        paytables=chosen_tables,
        rounding=rounding,
        unit_cents=rounded.unit_cents,
        rounded=rounded,
        envy_base_cents=envy_base_cents,
        meters=_known(game, meters, jackpot),
        runners=agree_runners(game, runners),
        signed=_agree_signed(game, chosen_readings, signed),
    )


def _agree_signed(game: Game, readings: Mapping[str, str], signed: Sequence[Signature]) -> dict[str, str]:
    """Return the signer of each option in use, from the game file and from other signatures."""
    found: dict[str, str] = {}
    for each in (*game.spec.signed, *signed):
        for name, option in each.readings.items():
            if name not in readings:
                raise SettlementRefused("signed reading", name, readings)
            if option not in READINGS[name]:
                raise SettlementRefused(f"signed option of {name}", option, READINGS[name])
            if readings[name] == option:
                found[name] = f"{each.by}, {each.on}"
    return found


def _agree_figures(rounding: str, token_cents: int, envy_base_cents: int | None) -> Rounding:
    """Return the house's rounding and its unit."""
    if rounding not in ROUNDINGS:
        raise SettlementRefused("rounding", rounding, ROUNDINGS)
    for what, cents in (("token", token_cents), ("envy base wager", envy_base_cents)):
        if cents is not None and cents < 1:
            raise SettlementRefused(what, cents, ["1 cent or more"])
    return Rounding(name=rounding, unit_cents=token_cents if rounding == "down-to-token" else 1)


def _agree_jackpot(game: Game, award: JackpotAward | None) -> JackpotAward | None:
    """Return the house's rules for a jackpot award, which name a hand of the game; refuse them if the game has its own
    rules."""
    if award is None:
        return None
    if game.spec.jackpot is not None or game.spec.pot is None:
        raise SettlementRefused("jackpot award", award.clause, ["none in this game"])
    if award.earned_by.hand not in game.spec.hands:
        raise SettlementRefused("hand of the jackpot award", award.earned_by.hand, game.spec.hands)
    if award.stake and award.stake not in game.bets:
        raise SettlementRefused("bet of the jackpot award", award.stake, game.bets)
    return award


def agree_runners(game: Game, runners: Mapping[int, int]) -> dict[int, int]:
    """Return the runners of seats that have some; raise SettlementRefused if the game has none, or a number is
    impossible."""
    needed = game.spec.pool.needed if game.spec.pool is not None else 0
    for seat, number in runners.items():
        if not needed:
            raise SettlementRefused("runners", number, [])
        if not 1 <= seat <= MOST_SEATS or not 0 <= number <= needed:
            raise SettlementRefused(f"runners of seat {seat}", number, [f"0 to {needed}, of seats 1 to {MOST_SEATS}"])
    return {seat: number for seat, number in sorted(runners.items()) if number}


def _known(game: Game, meters: Mapping[str, Meter | int], jackpot: JackpotAward | None) -> dict[str, Meter]:
    allowed = sorted({*game.meters(), *([jackpot.meter] if jackpot is not None else [])})
    for name in meters:
        if name not in allowed:
            raise SettlementRefused("meter", name, allowed)
    return {name: Meter(meter) if isinstance(meter, int) else meter for name, meter in meters.items()}


def _choose_tables(
    game: Game, wanted: Mapping[str, str], readings: Mapping[str, str], *, accept_suspect: bool
) -> dict[str, str]:
    """Choose a pay table for each bet; refuse one that appears to be a misprint unless it is accepted."""
    chosen = game.default_paytables(readings)
    for bet, table in wanted.items():
        if bet not in chosen:
            raise SettlementRefused("pay table for bet", bet, chosen)
        if table not in game.bets[bet].to_choose:
            raise SettlementRefused(f"pay table of {bet}", table, game.bets[bet].to_choose)
        if table not in (fit := game.paytables_under(bet, readings)):
            under = ", ".join(f"{name} {readings.get(name)}" for name in game.paytables[table].readings)
            raise SettlementRefused(f"pay table of {bet} under {under}", table, fit)
        chosen[bet] = table
    for each in game.paired:
        _pair(game, each, wanted, chosen)
    if not accept_suspect:
        _refuse_suspects(game, chosen, readings)
    return chosen


def _pair(game: Game, bet: Bet, wanted: Mapping[str, str], chosen: dict[str, str]) -> None:
    """Choose two tables that are printed as a pair together: naming one of them selects the other."""
    assert bet.pairs_with is not None, "the game says that it is paired"
    mine, its = bet.to_choose, game.bets[bet.pairs_with.bet].to_choose
    name, other = bet.name, bet.pairs_with.bet
    if name not in wanted:
        chosen[name] = mine[its.index(chosen[other])]
    elif other not in wanted:
        chosen[other] = its[mine.index(chosen[name])]
    elif mine.index(chosen[name]) != its.index(chosen[other]):
        what = f"pay table of {name} with {chosen[other]} of {other} ({bet.pairs_with.clause})"
        raise SettlementRefused(what, chosen[name], [mine[its.index(chosen[other])]])


def _choose_readings(game: Game, wanted: Mapping[str, str]) -> dict[str, str]:
    chosen = game.default_readings()
    for name, option in wanted.items():
        if name not in chosen:
            raise SettlementRefused("reading", name, chosen)
        if option not in READINGS[name]:
            raise SettlementRefused(f"reading {name}", option, READINGS[name])
        chosen[name] = option
    return chosen


def _refuse_suspects(game: Game, tables: Mapping[str, str], readings: Mapping[str, str]) -> None:
    """Refuse pay tables and readings that appear to be misprints, which settle no real bet unless accepted
    explicitly."""
    for bet, table in tables.items():
        if why := game.paytables[table].suspect:
            clear = [name for name in game.bets[bet].to_choose if not game.paytables[name].suspect]
            raise SettlementRefused(f"suspect pay table of {bet} ({why})", table, [*clear, ACCEPT_SUSPECT])
    for name, option in readings.items():
        suspect = game.spec.readings[name].suspect
        if option in suspect:
            clear = [each for each in READINGS[name] if each not in suspect]
            raise SettlementRefused(f"suspect reading {name} ({suspect[option]})", option, [*clear, ACCEPT_SUSPECT])


def _agree_way(game: Game, wanted: str | None) -> HouseWay | None:
    """Return the house way for the dealer's hand: the caller's, else the one the game names."""
    name = wanted or next(iter(game.spec.houseways), None)
    if name is None:
        return None
    if not any(each.way for each in game.spec.sets):
        raise SettlementRefused("house way", wanted, [])
    return load_houseway(name)


def _agree_limit(game: Game, limit_cents: int | None) -> int | None:
    """Return the table's own limit, which may be lower than the law's and never higher."""
    law = game.law
    most = law.most_cents if law is not None else None
    if limit_cents is None:
        return most
    if limit_cents < 1 or (most is not None and limit_cents > most):
        allowed = f"1 to {most} cents ({law.limit.clause})" if law is not None and law.limit else "1 cent or more"
        raise SettlementRefused("limit of each bet", limit_cents, [allowed])
    return limit_cents
