"""The published result of a round, built from what was known at its end."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from dealer_flow.play.course.cards_by_step import finished, lying, settled_bets
from dealer_flow.play.course.face_up import private
from dealer_flow.play.seen.pots_lying import cut_pots
from dealer_flow.play.verdicts.wagers import held_of, lone_bets
from dealer_flow.procedure.tables import DECLARED
from dealer_flow.record.details import DrawnNumber, FirmwareRecord, Split, Stage
from dealer_flow.record.result import (
    Burn,
    Deck,
    Drawn,
    Hand,
    HandStatus,
    NamedHand,
    Outcome,
    Packet,
    Remainder,
    RoundResult,
    Seat,
    SeatStatus,
    ShoeRecord,
)
from dealer_flow.table.columns import Draw
from dealer_flow.table.round import Round
from dealer_flow.table.shoe import Shoes
from devices.events import BurnConfirmed
from protocol.cards import UNREAD, Card, parse_cards, spell_cards, spelled
from protocol.places import DEALER, PLACES, Place, parse_place, seat


def result_of(round_: Round, table: str, firmware: tuple[FirmwareRecord, ...] = ()) -> RoundResult:
    """Return the published result of a finished round at `table`. `firmware`: what its devices have proved."""
    ledger, plan, outcome, draw = round_.ledger, round_.plan, round_.outcome, round_.draw
    burns = tuple([_burn(done) for done in round_.burns.values()])
    plain = _plain(round_, outcome)
    seats = tuple([_plain_seat(round_, each) if plain else _seat(round_, each, outcome) for each in _seats(round_)])
    return RoundResult(
        table=table,
        session=f"{round_.session:08x}",
        round=round_.number,
        procedure=plan.ref,
        edition=plan.edition,
        house=plan.house_rules,
        options=dict(plan.options),
        outcome=outcome,
        deck=Deck(deck=ledger.deck, loaded=ledger.loaded),
        packets=tuple([Packet(each.ordinal, each.place.text, each.expected, each.counted) for each in ledger.lifted]),
        community=spelled(ledger.community()),
        burned=spelled(ledger.burned_cards() if draw is None else draw.burned),
        burn=burns[0] if burns else None,
        burns=burns if len(burns) > 1 else (),
        seats=seats,
        dealer=_dealer(round_),
        hands=tuple([_named_hand(round_, name) for name, place in plan.hands.items() if place in ledger.hands])
        if plan.hands
        else (),
        stages=tuple(_stages(round_, outcome)) if round_.stages else (),
        button=round_.first if plan.button is not None and round_.first else None,
        actions=tuple(round_.betting.actions),
        pots=cut_pots(round_, outcome, seats) if plan.betting is not None else (),
        awards=tuple(round_.awards),
        left=tuple(sorted(round_.betting.left)) if round_.betting.left else (),
        number=None if round_.drawn is None else _number(round_, round_.drawn),
        remainder=_remainder(round_),
        rejected=ledger.rejected,
        incidents=tuple(round_.incidents),
        firmware=firmware,
        draw=None if draw is None else _drawn(draw),
        shoe=None if round_.shoes is None else _shoe(round_.shoes),
    )


@lru_cache(maxsize=64)
def _burn(done: BurnConfirmed) -> Burn:
    return Burn(of=done.place.text, positions=done.positions, spread=done.spread)


def _seats(round_: Round) -> Sequence[int]:
    """Return the seats that were dealt in, those with a bet that got no cards, and those that sat out with a stake."""
    away = round_.betting.sitting_out
    if not round_.held and not away and (*round_.staked,) == round_.active:
        return round_.active
    return sorted({*round_.active, *round_.staked, *round_.held, *(away & round_.betting.stakes.keys())})


def _plain(round_: Round, outcome: Outcome) -> bool:
    """Return True if the round has nothing to publish of a seat but its hand, choices and bets.

    No hand is dead, declared or set, and no bet is held or goes back. In many games nearly every round is like this.
    """
    plan = round_.plan
    several = plan.betting or plan.chooses_often or plan.blind or plan.pots or plan.keeps
    apart = round_.dead or round_.dead_hands or round_.held or round_.blind or round_.declared
    return outcome == "complete" and not (several or apart or round_.propositions or round_.splits)


def _plain_seat(round_: Round, number: int) -> Seat:
    """Build a seat of such a round, without the work that the others need."""
    hand = round_.ledger.hands.get(PLACES[number])
    if hand is None or hand.laid_away or hand.aside or number not in round_.active:
        return _seat(round_, number, "complete")
    made = (*round_.choices[number].values(),) if number in round_.choices else ()
    return Seat(
        seat=number,
        status="folded" if number in round_.gave_up else "live",
        cards=spelled(hand.cards),
        counted=hand.counted,
        expected=hand.expected,
        decision=made[-1] if made else None,
        decisions=made if made[1:] else (),
        wagers=round_.wagers[number].copy() if number in round_.wagers else {},
    )


def _seat(round_: Round, number: int, outcome: Outcome) -> Seat:
    plan, place, wagers = round_.plan, PLACES[number], round_.wagers.get(number, {})
    hand, back = round_.ledger.hands.get(place), returned(round_, number, outcome)
    status: SeatStatus = "live"
    if number not in round_.active:
        status = "out"
    elif number in round_.dead:
        status = "dead"
    elif round_.folded(number):
        status = "folded"
    made = (*round_.choices[number].values(),) if number in round_.choices else ()
    cards: tuple[Card, ...] = ()
    counted, expected, gone = None, 0, cards
    if hand is not None:
        cards = hand.cards if plan.betting is None else private(round_, place, hand.cards)
        counted, expected = hand.counted, hand.expected
        gone = (*hand.laid_away, *hand.laid_aside) if hand.aside else hand.laid_away
    elif status != "out":
        expected = plan.expected(place)
    return Seat(
        seat=number,
        status=status,
        cards=spelled(cards),
        counted=counted,
        expected=expected,
        decision=made[-1] if made else None,
        decisions=made if made[1:] else (),
        choices=_choices(round_, number) if plan.chooses_often or number in round_.declared else {},
        discards=spelled(gone) if gone else (),
        split=_split(round_, place) if round_.splits else None,
        blind=_in_blind(round_, number, wagers) if plan.blind or number in round_.blind else (),
        propositions=_propositions(round_, number) if number in round_.propositions else {},
        settled=settled(round_, number, outcome) if outcome != "complete" or number in round_.dead else (),
        wagers=dict(wagers),
        returned=back,
        forfeited=forfeited(round_, number, back, outcome) if number in round_.betting.forfeited else {},
        held=held_of(round_, number, back) if number in round_.held else {},
        stake=round_.betting.stakes.get(number),
    )


def _choices(round_: Round, number: int) -> dict[str, str]:
    """Return the choice of a seat at each step; a hand that it showed to declare it is `declared`.

    If a player chooses once and declares nothing, `decision` is enough.
    """
    made = dict.fromkeys(round_.declared.get(number, ()), DECLARED) | round_.choices.get(number, {})
    return {step.name: made[step.name] for step in round_.plan.steps if step.name in made}


def _in_blind(round_: Round, number: int, wagers: Mapping[str, int]) -> tuple[str, ...]:
    """Return the bets that the seat placed in the blind."""
    blind = round_.plan.blind.union(round_.blind.get(number, ()))
    return tuple(bet for bet in wagers if bet in blind)


def _propositions(round_: Round, number: int) -> dict[str, dict[str, int]]:
    """Return the propositions that the bets of a seat are on, cents by proposition."""
    return {bet: dict(on) for bet, on in round_.propositions[number].items()}


def settled(round_: Round, number: int, outcome: Outcome) -> tuple[str, ...]:
    """Return the bets of a seat that were settled before the round, or the seat's hand, was void."""
    over = settled_bets(round_, number, outcome) - lone_bets(round_, number)
    return tuple(bet for bet in round_.wagers.get(number, {}) if bet in over)


def returned(round_: Round, number: int, outcome: Outcome) -> dict[str, int]:
    """Return the bets of a seat that the clause returns for how the round ended, cents by name.

    A fee is not a bet: a dead hand leaves it, unless a clause names it. A tip goes back with its bet. Nothing is
    returned in an unreliable round.
    """
    back = _back(round_, number, outcome)
    if not back:
        return back
    if number in round_.betting.forfeited:
        return {name: cents for name, cents in back.items() if name in _apart(round_)}
    bets = round_.wagers.get(number, {})
    return back | {tip: bets[tip] for tip, own in round_.plan.tips.items() if own in back and tip in bets}


def forfeited(round_: Round, number: int, back: Mapping[str, int], outcome: Outcome) -> dict[str, int]:
    """Return the bets of a seat that stay in the pot of a void round for the next one, cents by name.

    Those of a round that was played out stay in its own pot.
    """
    if outcome not in ("misdeal", "defective-deck"):
        return {}
    stays = round_.wagers.get(number, {}).items()
    return {name: cents for name, cents in stays if name not in back and name not in _apart(round_)}


def _apart(round_: Round) -> tuple[str, ...]:
    """Return the bets that are kept apart from the pot."""
    return round_.plan.betting.apart if round_.plan.betting is not None else ()


def _back(round_: Round, number: int, outcome: Outcome) -> dict[str, int]:
    if outcome == "unreliable":
        return {}
    fees = round_.plan.fees
    over, lone = finished(round_, number, outcome), lone_bets(round_, number)
    wagers = round_.wagers.get(number, {})
    bets = {name: cents for name, cents in wagers.items() if name not in over} if over else wagers
    back = {name: cents for name, cents in wagers.items() if name in lone} if lone else {}
    if outcome in ("misdeal", "defective-deck"):
        return back | round_.returns.of(outcome, 0, bets, frozenset())
    if number not in round_.active:
        return back
    if number in round_.betting.chopped and len(round_.betting.chopped) > 1 and round_.plan.betting is not None:
        return back | {name: cents for name, cents in bets.items() if name in round_.plan.betting.blinds}
    for name in round_.dead_hands:
        back |= round_.returns.of("hand", name, bets, fees)
    if number in round_.choices and not round_.plan.keeps.isdisjoint(round_.choices[number].values()):
        return back | {name: cents for name, cents in bets.items() if name not in fees}
    if number in round_.dead:
        back |= round_.returns.of("dead-hand", number, bets, fees)
    if outcome == "progressive-only":  # a misdeal for the table returns the bets of a fouled hand (47.1-1031(2))
        back |= round_.returns.of("progressive-only", 0, bets, fees)
    return back


def _dealer(round_: Round) -> Hand | None:
    hand = round_.ledger.hands.get(DEALER)
    if hand is None:
        return None
    return Hand(
        cards=_cards(round_, DEALER),
        counted=hand.counted,
        expected=hand.expected,
        discards=spelled(hand.laid_away) if hand.laid_away else (),
        split=_split(round_, DEALER) if round_.splits else None,
    )


def _named_hand(round_: Round, name: str) -> NamedHand:
    hand = round_.ledger.hands[round_.plan.hands[name]]
    status: HandStatus = "dead" if name in round_.dead_hands else "live"
    cards = _cards(round_, hand.place)
    return NamedHand(
        name=name,
        place=hand.place.text,
        status=status,
        cards=cards,
        counted=hand.counted,
        expected=hand.expected,
        discards=spelled(hand.laid_away),
        split=_split(round_, hand.place),
    )


def _split(round_: Round, place: Place) -> Split | None:
    if place not in round_.splits:
        return None
    done = round_.splits[place]
    low, rest = tuple(spell_cards(done.low)), tuple(spell_cards(done.rest))
    return Split(low=low, rest=rest, by=done.by, foul=done.foul)


def _stages(round_: Round, outcome: Outcome) -> Iterator[Stage]:
    """Yield the cards of a place after earlier steps, in the order of the steps: those that differ from its cards now,
    and in a void round those of steps that settled bets."""
    void = outcome in ("misdeal", "defective-deck")
    found, order = [stage for stages in round_.stages.values() for stage in stages], round_.plan.order
    found.sort(key=lambda stage: order[stage.step])
    now: dict[Place, list[str]] = {}
    for stage in found:
        place = parse_place(stage.place)
        if place in round_.ledger.hands and place not in now:
            now[place] = sorted(spell_cards(lying(round_, place)))
        changed = place in now and sorted(stage.cards) != now[place]
        decides = (void and round_.plan.settling[stage.step]) or stage.step in round_.declared.get(place.seat or 0, ())
        if changed or decides:
            known = tuple(spell_cards(private(round_, place, parse_cards(" ".join(stage.cards)))))
            if any(card != UNREAD.text for card in known):
                yield stage if known == stage.cards else replace(stage, cards=known)


def _number(round_: Round, drawn: int) -> DrawnNumber:
    number = round_.plan.numbered(drawn)
    return DrawnNumber(drawn=drawn, place=(seat(number) if number else DEALER).text)


def _cards(round_: Round, place: Place) -> tuple[str, ...]:
    return spelled(lying(round_, place))


def _remainder(round_: Round) -> Remainder | None:
    ledger = round_.ledger
    if ledger.remainder is None:
        return None
    if round_.plan.from_shoe:
        shoe = round_.shoes.current if round_.shoes else None
        expected = shoe.left if shoe is not None and shoe.left is not None else ledger.remainder
        return Remainder(counted=ledger.remainder, expected=expected)
    return Remainder(ledger.remainder, max(ledger.remainder_expected, 0), ledger.apart)


def _drawn(draw: Draw) -> Drawn:
    """Return the cards of a race, the columns they are in and how it ended."""
    return Drawn(
        cards=tuple(spell_cards(draw.cards)),
        columns={name: tuple(spell_cards(cards)) for name, cards in draw.columns().items()},
        finish=draw.finish,
        extra=draw.cards[-1].text if draw.extra else None,
        overdrawn=tuple(spell_cards(draw.overdrawn)),
        named=tuple(draw.named),
    )


def _shoe(shoes: Shoes) -> ShoeRecord | None:
    """Return the record of the shoe; None if no card has come out of one."""
    if shoes.current is None:
        return None
    shoe = shoes.current
    return ShoeRecord(id=shoe.id, loaded=shoe.loaded, drawn=shoe.drawn, left=shoe.left)
