"""Writer of Open Hand History files: a played hand as one JSON object, version 1.4.7 of the standard."""

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

import msgspec

from dealwire.histories.from_round import PlayedHand, history_of
from dealwire.histories.history import History, Post
from dealwire.histories.structure import Moment, moments
from dealwire.version import __version__
from devices.events import BettingAction
from protocol.cards import UNREAD, Card

SPEC: Final = "1.4.7"
_GAMES: Final = {
    "hold'em": "Holdem",
    "omaha": "Omaha",
    "omaha hi-lo": "OmahaHiLo",
    "seven-card stud": "Stud",
    "seven-card stud hi-lo": "StudHiLo",
    "five-card draw": "Draw",
}
"""Form -> the standard's name; the others keep their own."""
_POSTS: Final = {
    "ante": "Post Ante",
    "small-blind": "Post SB",
    "big-blind": "Post BB",
    "third-blind": "Straddle",
    "straddle": "Straddle",
    "post": "Post Extra Blind",
    "dead-post": "Post Dead",
}
_STREETS: Final = {
    "board": ("Preflop", "Flop", "Turn", "River"),
    "draw": ("Preflop", "Draw"),
    "five": ("Second Street", "Third Street", "Fourth Street", "Fifth Street"),
    "seven": ("Third Street", "Fourth Street", "Fifth Street", "Sixth Street", "Seventh Street"),
}
_JSON: Final = msgspec.json.Encoder(decimal_format="number")
_SUITS: Final = str.maketrans("CDHS", "cdhs")


def ohh_of(hand: PlayedHand, *, house: str = "") -> str:
    """Return a hand as one line of JSON. Raise NotExportable if it is no hand of poker that was played out."""
    return _JSON.encode({"ohh": _Hand(hand, house).fields()}).decode()


def _money(cents: int) -> Decimal:
    return Decimal(cents) / 100


def _texts(cards: tuple[Card, ...]) -> list[str]:
    return [card.text.translate(_SUITS) for card in cards if card != UNREAD]


class _Hand:
    """One hand on its way to JSON."""

    def __init__(self, hand: PlayedHand, house: str) -> None:
        self._played, self._house = hand, house
        self._history: History = history_of(hand)
        self._number = 0

    def fields(self) -> dict[str, Any]:
        """Return the object of the standard; what it has no field for begins with an underscore."""
        result, history = self._played.result, self._history
        posts = {post.bet: post.amount for post in history.posts}
        began = self._played.began_ns
        head: dict[str, Any] = {
            "spec_version": SPEC,
            "site_name": self._house or "dealwire",
            "network_name": self._house or "dealwire",
            "internal_version": __version__,
            "tournament": False,
            "game_number": f"{result.session}-{result.round}",
            "start_date_utc": _time(began) if began is not None else None,
            "table_name": result.table,
            "table_size": max(history.stakes),
            "game_type": _GAMES.get(history.form.name, history.form.name.title()),
            "bet_limit": {"bet_type": "NL", "bet_cap": 0},
            "currency": result.currency,
            "dealer_seat": history.button or 0,
            "small_blind_amount": _money(posts.get("small-blind", 0)),
            "big_blind_amount": _money(posts.get("big-blind", 0)),
            "ante_amount": _money(posts.get("ante", 0)),
            "players": [
                {"id": seat, "seat": seat, "name": f"seat {seat}", "starting_stack": _money(stake)}
                for seat, stake in sorted(history.stakes.items())
            ],
            "rounds": [*self._rounds()],
            "pots": [*self._pots()],
        }
        return {**{key: value for key, value in head.items() if value is not None}, **self._own()}

    def _own(self) -> dict[str, Any]:
        result, settlement = self._played.result, self._played.settlement
        stacks = self._history.recorded.stacks or {}
        found: dict[str, Any] = {
            "_session": result.session,
            "_procedure": result.procedure.id,
            "_game": settlement.game.id,
            "_options": dict(result.options),
            "_readings": dict(settlement.readings),
            "_final_stacks": {str(seat): _money(cents) for seat, cents in sorted(stacks.items())},
            "_returned": {str(seat): _money(cents) for seat, cents in sorted(self._history.recorded.back.items())},
        }
        if result.edition is not None:
            found["_edition"] = result.edition.id
        return found

    # ------------------------------------------------------------------ rounds

    def _rounds(self) -> Iterator[dict[str, Any]]:
        history = self._history
        names = _STREETS[_kind(history)]
        full = max((post.amount for post in history.posts if post.bet in ("big-blind", "straddle")), default=0)
        found = [*moments(history, 1, full)]
        for number, street in enumerate(history.streets):
            actions = [*self._posted()] if not number else []
            if number and not (street.board or street.dealt or street.thrown or street.acts):
                continue
            actions += self._dealt(number)
            actions += [self._action(each) for each in found if each.street == number]
            found_round = {"id": number, "street": names[number], "cards": _texts(street.board), "actions": actions}
            if street.thrown:
                found_round["_drawn"] = {str(each.seat): len(each.cards) for each in street.thrown}
            yield found_round
        shown = [*self._shown()]
        if shown:
            yield {"id": len(history.streets), "street": "Showdown", "cards": [], "actions": shown}

    def _next(self, seat: int, action: str, **more: Any) -> dict[str, Any]:
        self._number += 1
        return {"action_number": self._number, "player_id": seat, "action": action, **more}

    def _posted(self) -> Iterator[dict[str, Any]]:
        left = dict(self._history.stakes)
        for post in self._history.posts:
            left[post.seat] -= post.amount
            yield self._post(post, all_in=not left[post.seat])

    def _post(self, post: Post, *, all_in: bool) -> dict[str, Any]:
        return self._next(post.seat, _POSTS.get(post.bet, "Post Dead"), amount=_money(post.amount), is_allin=all_in)

    def _dealt(self, number: int) -> Iterator[dict[str, Any]]:
        street = self._history.streets[number]
        for seat, cards in sorted(street.dealt.items()):
            if known := _texts(cards):
                yield self._next(seat, "Dealt Cards", cards=known)

    def _action(self, each: Moment) -> dict[str, Any]:
        act = each.act
        if act.action in (BettingAction.FOLD, BettingAction.CHECK):
            return self._next(act.seat, act.action.value.title(), amount=0, is_allin=False)
        if not each.raises_to:
            put = max(min(act.amount or each.high, each.lies + each.behind) - each.lies, 0)
            return self._next(act.seat, "Call" if put else "Check", amount=_money(put), is_allin=put >= each.behind > 0)
        name = "Raise" if each.high else "Bet"
        more = {"_bring_in": True} if act.action is BettingAction.BRING_IN else {}
        return self._next(act.seat, name, amount=_money(each.raises_to), is_allin=each.all_in, **more)

    def _shown(self) -> Iterator[dict[str, Any]]:
        for each in self._history.showings:
            if each.cards:
                yield self._next(each.seat, "Shows Cards", cards=_texts(each.cards))
            else:
                yield self._next(each.seat, "Mucks Cards")

    def _pots(self) -> Iterator[dict[str, Any]]:
        for number, pot in enumerate(self._played.settlement.pots):
            yield {
                "number": number,
                "amount": _money(pot.cents),
                "rake": _money(pot.rake),
                "jackpot": _money(pot.jackpot_rake),
                "player_wins": [
                    {"player_id": won.seat, "win_amount": _money(won.cents), "_won_with": won.won_with}
                    for won in pot.winners
                ],
            }


def _kind(history: History) -> str:
    name = history.form.name
    if "stud" in name or name == "razz":
        return "five" if name.startswith("five") else "seven"
    return "draw" if "draw" in name else "board"


def _time(at_ns: int) -> str:
    return datetime.fromtimestamp(at_ns / 1e9, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
