"""Lies of a table controller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from devices.simulator.device_model import Outgoing
from devices.simulator.table_controller import TableControllerModel
from protocol.faults import Fault
from protocol.tdp import messages as m
from protocol.tdp.messages import BadgeLevel, DeviceMeter, Message, Reason, RevealSource, Status
from protocol.tdp.messages import ControllerState as S
from tests.support.lies.liar import HONESTY, DeviceLie, EventDraft, also, but, instead, replace, without

Draft = EventDraft
Says = list[Draft] | None


class ControllerLie(DeviceLie):
    """A lie of a table controller. `games` counts the games that were started."""

    device = "table-controller"
    model: TableControllerModel
    games = 0

    def said(self, says: list[Outgoing]) -> list[Outgoing]:
        """Keep the count of games, then lie."""
        found: list[Outgoing] = []
        for each in says:
            self.games += isinstance(each, Draft) and each.event is m.GameStartedMessage
            found += super().said([each])
        return found


class SensorSticks(ControllerLie):
    id = "sensor-sticks"
    does = "The sensor of seat 2, once on, stays on in STATUS; *SensorChanged* tells that it went off."
    breaks = "sensors: bit 0: seat 1 has a progressive bet on its sensor"
    harm = "After a restart of the host a seat is taken to have the progressive bet that it has not."
    bench = ("game.sensors",)
    flow = (("clean", "statements-differ"),)

    def begin(self) -> None:
        self.stuck = 0

    def status(self, shown: Any) -> Any:
        self.stuck |= shown.sensors & 2
        return replace(shown, sensors=shown.sensors | self.stuck)


class SensorSeatFourBits(ControllerLie):
    id = "sensor-seat-four-bits"
    evenings = ("groups-many",)
    does = "*SensorChanged* has the seat in four bits: seat 17 is told as seat 1; STATUS has it right."
    breaks = "SensorChanged.seat: 1 at the dealer's left, clockwise"
    harm = "A seat that has bet nothing wins the progressive, and the one that has bet does not."
    bench = ("game.sensors-far",)
    flow = (("groups-many", "statements-differ"),)

    def event(self, said: Draft) -> Says:
        if said.event is m.SensorChangedMessage and said.fields["seat"] > 16:
            return but(said, seat=said.fields["seat"] - 16)
        return None


class SensorsForgottenByPower(ControllerLie):
    id = "sensors-forgotten-by-power"
    evenings = ("cut-in-game",)
    does = "After a power cut all sensors are off in STATUS until each of them changes, though the chips lie there."
    breaks = "sensors: bit 0: seat 1 has a progressive bet on its sensor"
    harm = "The progressive bets of a round are there, and are not taken."
    bench = ("game.sensors-power",)

    def begin(self) -> None:
        self.unknown: set[int] = set()

    def powering_on(self, now_ns: int) -> None:
        self.unknown = set(self.model.sensors)

    def event(self, said: Draft) -> Says:
        if said.event is m.SensorChangedMessage:
            self.unknown.discard(said.fields["seat"])
        return None

    def status(self, shown: Any) -> Any:
        hidden = sum(1 << seat - 1 for seat in self.unknown)
        return replace(shown, sensors=shown.sensors & ~hidden)


class SensorsSilentInSafe(ControllerLie):
    id = "sensors-silent-in-safe"
    does = "In SAFE a sensor that changes is shown in STATUS and told by no event."
    breaks = "*SensorChanged* at each change"
    harm = "A bet that was laid while the host was away is in no record of the round."
    bench = ("game.sensors-without-a-host",)

    def event(self, said: Draft) -> Says:
        return without() if said.event is m.SensorChangedMessage and self.model.state is S.SAFE else None


class RoundSixteenBits(ControllerLie):
    id = "round-16-bits"
    does = "Its round number has 16 bits and stands at 65530: it comes to 0 during the evening."
    breaks = "GameStarted.round: the controller's own number of the round; counts up"
    harm = "Round numbers come again: a round is taken for one that was settled."
    flow = (("clean", "round-number-again"),)

    def begin(self) -> None:
        self.model.round = 65530

    def event(self, said: Draft) -> Says:
        return but(said, round=said.fields["round"] & 0xFFFF) if "round" in said.fields else None

    def status(self, shown: Any) -> Any:
        return replace(shown, round=shown.round & 0xFFFF)


class RoundLostByPower(ControllerLie):
    id = "round-lost-by-power"
    evenings = ("cut-in-game",)
    does = (
        "The round number is written at END GAME: a power cut in a game takes it back by one, and GameEnded has that."
    )
    breaks = "the game that was under way is finished under its number"
    harm = "Two rounds have one number; which was settled is a matter of luck."
    bench = ("game.power-in-a-game",)
    flow = (("cut-in-game", "round-number-differs"),)

    def powering_off(self) -> None:
        if self.model.in_game:
            self.model.round -= 1
            self.lied += 1


class RoundBackByPower(ControllerLie):
    id = "round-back-by-power"
    evenings = ("power",)
    does = (
        "The round number is written every fourth game: a power cut between games takes it back to the last multiple."
    )
    breaks = "the round number survives a power cut"
    harm = "Numbers of rounds that were settled come again."
    flow = (("power", "round-number-again"),)

    def powering_off(self) -> None:
        if not self.model.in_game:
            self.lied += self.model.round % 4 > 0
            self.model.round -= self.model.round % 4


class EndNamesLast(ControllerLie):
    id = "end-names-last"
    does = "Every fifth *GameEnded* has the number of the round before."
    breaks = "GameEnded.round: as in GameStarted"
    harm = "A round has no end, and another has two."
    flow = (("clean", "round-number-differs"),)

    def event(self, said: Draft) -> Says:
        lies = said.event is m.GameEndedMessage and self.games % 5 == 0
        return but(said, round=said.fields["round"] - 1) if lies else None


class WagerKeptWhenTaken(ControllerLie):
    id = "wager-kept-when-taken"
    does = "A bet that is taken back (0 cents) before START GAME is not told."
    breaks = "WagerPlaced: the whole bet on the spot, 0 takes it back"
    harm = "A player loses money that did not lie there."
    bench = ("game.wagers",)

    def event(self, said: Draft) -> Says:
        gone = said.event is m.WagerPlacedMessage and said.fields["cents"] == 0
        return without() if gone else None


class WagerSeatsAlias(ControllerLie):
    id = "wager-seats-alias"
    does = "The keypad's matrix has eight columns: a bet of seat 9 and above is told for the seat eight below."
    breaks = "WagerPlaced.seat: 1 at the dealer's left, clockwise"
    harm = "One player bets another's money."
    flow = (("controller-many", "acted-out-of-turn"),)
    evenings = ("controller-many",)

    def event(self, said: Draft) -> Says:
        if said.event is m.WagerPlacedMessage and said.fields["seat"] > 8:
            return but(said, seat=said.fields["seat"] - 8)
        return None


class WagerAfterStart(ControllerLie):
    id = "wager-after-start"
    does = "In every third game START GAME is told behind the next key: a bet keyed after it counts as before it."
    breaks = "START GAME closes the bets"
    harm = "Past posting: a bet is laid when cards were seen, and the record says that it was laid before."
    flow = (("clean", "out-of-turn"),)

    def begin(self) -> None:
        self.held: list[Draft] = []

    def event(self, said: Draft) -> Says:
        if said.event is m.GameStartedMessage and self.games % 3 == 0:
            self.held = [said]
            return without()
        if self.held:
            held, self.held = [*self.held, said], []
            return [said, *held[:-1]] if said.event is not m.StateChangedMessage else self._hold(said, held)
        return None

    def _hold(self, said: Draft, held: list[Draft]) -> list[Draft]:
        self.held = held
        return []


class WagerBounces(ControllerLie):
    id = "wager-bounces"
    does = "The key 0 bounces: 500 cents of seat 3 are told as 5000."
    breaks = "WagerPlaced.cents: the whole bet"
    harm = "A bet is ten times what lies there; a win is paid ten times."
    flow = (("clean", "wager-held"),)

    def event(self, said: Draft) -> Says:
        if said.event is m.WagerPlacedMessage and said.fields["seat"] == 3 and said.fields["cents"] == 500:
            return but(said, cents=5000)
        return None


class DecisionAgain(ControllerLie):
    id = "decision-again"
    does = "When a seat's choice is keyed, the choice of the seat before it is told once more."
    breaks = HONESTY
    harm = "A seat has decided twice; where the second counts, a key that nobody pressed decides."
    flow = (("clean", "out-of-turn"),)

    def begin(self) -> None:
        self.last: dict[str, Any] | None = None

    def event(self, said: Draft) -> Says:
        if said.event is m.GameStartedMessage:
            self.last = None
        if said.event is not m.DecisionMadeMessage:
            return None
        before, self.last = self.last, said.fields
        return also(said, m.DecisionMadeMessage, **before) if before else None


class DecisionFlips(ControllerLie):
    id = "decision-flips"
    does = "In every fourth game the first choice, of two, is told as the other one."
    breaks = "DecisionMade.decision: what the player chose"
    harm = "A player who folded is settled as one who played on."
    flow = (("clean", "decision-bet-differs"),)

    def begin(self) -> None:
        self.done = 0

    def event(self, said: Draft) -> Says:
        lies = said.event is m.DecisionMadeMessage and said.fields["decision"] in (1, 2) and self.games % 4 == 3
        if lies and self.done != self.games:
            self.done = self.games
            return but(said, decision=3 - said.fields["decision"])
        return None


class RevealOfLastRound(ControllerLie):
    id = "reveal-of-last-round"
    does = "In every third game the layout reader tells for seat 1 the cards that lay there the game before."
    breaks = "HandRevealed.cards: the faces that lie there"
    harm = "A hand is settled by cards that nobody held."
    flow = (("reads", "faces-disagree"),)

    def begin(self) -> None:
        self.before: dict[int, bytes] = {}

    def event(self, said: Draft) -> Says:
        if said.event is not m.HandRevealedMessage or said.fields["place"] != 1:
            return None
        before = self.before.get(1)
        self.before[1] = said.fields["cards"]
        lies = self.games % 3 == 2 and before is not None and len(before) == len(said.fields["cards"])
        return but(said, cards=before) if lies else None


class RevealSeatsSwapped(ControllerLie):
    id = "reveal-seats-swapped"
    does = "In every third game the hands of seats 1 and 2 are told one for the other."
    breaks = "HandRevealed.place: whose hand it is"
    harm = "Two players get each other's money."
    flow = (("reads", "faces-disagree"),)

    def event(self, said: Draft) -> Says:
        if said.event is m.HandRevealedMessage and said.fields["place"] in (1, 2) and self.games % 3 == 2:
            return but(said, place=3 - said.fields["place"])
        return None


class RevealSorted(ControllerLie):
    id = "reveal-sorted"
    does = "The cards of a hand are told by rank, not as they lie."
    breaks = "HandRevealed.cards: in the order they lie"
    harm = "Where positions count (a community packet of which two are burned) other cards are taken for burned."
    unseeable = (
        "The order in which cards lie in a hand is the player's own: nothing else tells it, and no game settles by it."
    )

    def event(self, said: Draft) -> Says:
        if said.event is not m.HandRevealedMessage:
            return None
        return but(said, cards=bytes(sorted(said.fields["cards"], key=lambda card: card & 15)))


class RevealKeyedAsRead(ControllerLie):
    id = "reveal-keyed-as-read"
    evenings = ("races-faults",)
    does = "A hand that a person keyed is told as read by the layout."
    breaks = "RevealSource: READER, KEYED"
    harm = "An error of a person looks like a finding of a machine."
    bench = ("keys.reveal",)

    def event(self, said: Draft) -> Says:
        if said.event is m.HandRevealedMessage:
            return but(said, source=int(RevealSource.READER))
        return None


class RevealLosesLast(ControllerLie):
    id = "reveal-loses-last"
    does = "In every fifth game the last card of the dealer's hand is left out, not told as unread."
    breaks = "cards: unread where nobody saw the face"
    harm = "The dealer's hand has a card less, and is settled so or held."
    flow = (("clean", "dealer-count-wrong"), ("clean", "counts-differ"))

    def event(self, said: Draft) -> Says:
        lies = said.event is m.HandRevealedMessage and said.fields["place"] == 0x41 and self.games % 5 == 4
        return but(said, cards=said.fields["cards"][:-1]) if lies else None


class CountAsTheLast(ControllerLie):
    id = "count-as-the-last"
    evenings = ("faults",)
    does = (
        "A count that is keyed is told as the one that was keyed last for another place, where the key was too quick."
    )
    breaks = "CardsCounted.counted: a person's count of the cards at a place"
    harm = "The short hand counts as whole, and the whole one as short."
    flow = (("faults", "counts-differ"),)

    def begin(self) -> None:
        self.last = 0

    def event(self, said: Draft) -> Says:
        if said.event is not m.CardsCountedMessage:
            return None
        before, self.last = self.last, said.fields["counted"]
        return but(said, counted=before) if before else None


class BurnFromZero(ControllerLie):
    id = "burn-from-zero"
    does = "The positions of burned cards are counted from 0: bit 0 stands for no card."
    breaks = "BurnConfirmed.positions: bit 0: position 1"
    harm = "Other community cards are taken for burned than were."
    bench = ("game.keys",)

    def event(self, said: Draft) -> Says:
        lies = said.event is m.BurnConfirmedMessage
        return but(said, positions=said.fields["positions"] << 1 & 0xFFFF) if lies else None


class KeyedBadgeTwentyFourBits(ControllerLie):
    id = "controller-badge-24-bits"
    does = "A badge is told with its lower 24 bits."
    breaks = "BadgeSwiped.badge"
    harm = "The record names another person for a decision about money."
    bench = ("keys.badges",)

    def event(self, said: Draft) -> Says:
        return but(said, badge=said.fields["badge"] & 0xFFFFFF) if "badge" in said.fields else None


class LevelSticks(ControllerLie):
    id = "level-sticks"
    evenings = ("two-levels",)
    does = "After an executive's badge every badge of the session is told as an executive's."
    breaks = "BadgeLevel: whose card was swiped at the table controller"
    harm = "A supervisor signs for an award that needs an executive."
    bench = ("keys.badges",)

    def begin(self) -> None:
        self.level = 0

    def event(self, said: Draft) -> Says:
        if "level" not in said.fields:
            return None
        self.level = max(self.level, said.fields["level"] if said.fields["level"] == BadgeLevel.EXECUTIVE else 0)
        return but(said, level=max(self.level, said.fields["level"]))

    def powering_off(self) -> None:
        self.level = 0


class MisdealFaultZero(ControllerLie):
    id = "misdeal-fault-zero"
    does = "A misdeal that a person calls without a number is told with fault 0."
    breaks = "*MisdealCalled* carries the number, 505 where the person named no other"
    harm = "The record has a misdeal without a reason."
    bench = ("game.keys",)

    def event(self, said: Draft) -> Says:
        lies = said.event is m.MisdealCalledMessage and said.fields["fault"] == Fault.MISDEAL_CALLED_BY_HOST
        return but(said, fault=0) if lies else None


class MidRoundLostInAward(ControllerLie):
    id = "mid-round-lost-in-award"
    evenings = ("cut-in-award",)
    does = "When the power goes in AWARD, *Booted* has `mid_round` 0, and it starts with bets open."
    breaks = "BOOT --> GAME: started, power was lost in a game"
    harm = "A round whose awards are under way is taken for ended."
    flow = (("cut-in-award", "out-of-turn"),)

    def powering_off(self) -> None:
        if self.model.state is S.AWARD:
            self.model.in_game = False
            self.lied += 1


class HostLostHiddenInGame(ControllerLie):
    id = "host-lost-hidden-in-game"
    does = "601 that is raised in a game is told by its event and not among the faults of STATUS."
    breaks = "between, 601 is among the `faults` of STATUS"
    harm = "Who joins late sees nothing of it."
    bench = ("game.without-a-host",)

    def status(self, shown: Any) -> Any:
        return replace(shown, faults=()) if shown.state in (S.GAME, S.AWARD) else shown


class MetersHalf(ControllerLie):
    id = "meters-half"
    does = "*ShowMeter* of a meter above 127 is done and shows nothing."
    breaks = "*ShowMeter*: done"
    harm = "The sign over the table shows an old jackpot."
    unseeable = "Nothing on the line says what a display shows: the reply is all that comes back."

    def answer(self, honest: Callable[..., m.ReplyMessage], request: int, command: Message, now_ns: int) -> Any:
        if isinstance(command, m.ShowMeterMessage) and command.meter > 127:
            self.lied += 1
            return m.ReplyMessage(Status.DONE, Reason.NONE, self.model.state)
        return honest(request, command, now_ns)


class RoundsMeterAtStart(ControllerLie):
    id = "rounds-meter-at-start"
    does = "The meter ROUNDS counts START GAME."
    breaks = "ROUNDS: rounds dealt to their end: ... END GAME"
    harm = "A game that a power cut breaks off is billed; one that is read in its middle, too early."
    bench = ("game.meters",)

    def event(self, said: Draft) -> Says:
        meters = self.model.device_meters
        if said.event is m.GameStartedMessage:
            meters.count(DeviceMeter.ROUNDS)
            self.lied += 1
        elif said.event is m.GameEndedMessage:
            meters.count(DeviceMeter.ROUNDS, -1)
        return None


class ActionAdded(ControllerLie):
    id = "action-added"
    does = "Of a raise it tells what was added, not all that lies there."
    breaks = "Its `cents` are **all** that lies before the seat in this betting round afterwards and not what was added"
    harm = "Pots are too small, and a player takes more than the book has."
    flow = (("holdem", "action-refused"),)

    def begin(self) -> None:
        self.lies: dict[int, int] = {}

    def event(self, said: Draft) -> Says:
        if said.event is m.GameStartedMessage:
            self.lies.clear()
        if said.event is not m.PlayerActedMessage:
            return None
        seat, cents = said.fields["seat"], said.fields["cents"]
        before, self.lies[seat] = self.lies.get(seat, 0), cents
        raised = said.fields["action"] == m.PlayerAction.RAISE and before and cents > before
        return but(said, cents=cents - before) if raised else None


class PotOddToken(ControllerLie):
    id = "pot-odd-token"
    does = "Of a pot the last token of 25 cents is told for the seat before."
    breaks = "PotTaken.cents: what the seat took of it"
    harm = "A quarter goes to the wrong player, in every pot."
    held = "holdem"

    def event(self, said: Draft) -> Says:
        if said.event is m.PotTakenMessage and said.fields["cents"] > 25:
            fewer = said.fields["cents"] - 25
            return also(but(said, cents=fewer)[0], m.PotTakenMessage, **(said.fields | {"cents": 25, "seat": 1}))
        return None


class StakeRounded(ControllerLie):
    id = "stake-rounded"
    does = "A stake is told in whole hundreds of dollars, rounded up."
    breaks = "StakeShown.cents: all that the seat can bet in this hand"
    harm = "A player bets what is not on the table."
    flow = (("holdem", "action-refused"),)

    def event(self, said: Draft) -> Says:
        if said.event is m.StakeShownMessage:
            return but(said, cents=-(-said.fields["cents"] // 10_000) * 10_000)
        return None


class KeysByTheSecond(ControllerLie):
    id = "keys-by-the-second"
    does = "`device_ms` of a key is that of the last whole second."
    breaks = "`device_ms`, the device's own clock at the moment it happened"
    harm = "Who pressed first cannot be said."
    bench = ("always.one-clock",)

    def powered_on(self, now_ns: int) -> None:
        assert self.unit._link is not None
        instead(self.unit._link, "emit", self._emit)

    def _emit(self, honest: Callable[..., Any], event: type[m.Event], now_ns: int, **more: Any) -> Any:
        link = self.unit._link
        assert link is not None
        self.lied += 1
        uptime = link._uptime_ms

        link._uptime_ms = lambda at_ns: uptime(at_ns) // 1000 * 1000  # type: ignore[method-assign]
        try:
            return honest(event, now_ns, **more)
        finally:
            link._uptime_ms = uptime  # type: ignore[method-assign]
