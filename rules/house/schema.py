"""Schema of a `house.toml`: what a house posts of every game that it offers. `load` checks it against the edition."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, ValidationInfo, WithJsonSchema

from dealer_flow.editions.edition import Day
from dealer_flow.procedure.posted import LeastRaise, Structure
from dealer_flow.tomlfile import TomlTable
from rules.paytables.amounts import AmountField, WagerField
from rules.settlement import NO_PERCENT

Percent = Annotated[str, Field(pattern=r"^\d{1,3}(\.\d{1,4})?$")]
Text = Annotated[str, Field(min_length=1, max_length=300)]
PostedName = Annotated[str, Field(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$", max_length=64)]


def _path(value: Any, info: ValidationInfo) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError("the path of a file must be a string")
    return (info.context["folder"] if info.context else Path()) / value


def _id_or_path(value: Any, info: ValidationInfo) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError("an id, or the path of a file, must be a string")
    return str(_path(value, info)) if value.endswith(".toml") else value


_TEXT_SCHEMA = {"type": "string", "minLength": 1}
HouseFilePath = Annotated[Path, PlainValidator(_path), WithJsonSchema(_TEXT_SCHEMA)]
HouseIdOrFile = Annotated[str, PlainValidator(_id_or_path), WithJsonSchema(_TEXT_SCHEMA)]
"""An id, or a file whose path is relative to the house's file."""


class SignedPart(TomlTable):
    """A signature: who decided readings and options for the house, and when."""

    by: Text
    """The signer."""
    on: Day
    """The day, as in `2020-02-12`."""
    readings: dict[str, str] = Field(default_factory=dict)
    """Signed option by reading of the games."""
    options: dict[str, str] = Field(default_factory=dict)
    """Signed option by option of the procedures."""


class RakeStepPart(TomlTable):
    """One step of a rake by the size of the pot."""

    from_cents: WagerField
    """Cents in the round's pots, from which it applies."""
    take_cents: WagerField
    """Rake of such a round."""


class TimeChargePart(TomlTable):
    """A charge for the seat by time, in place of a rake. It is collected from players, never from a pot."""

    cents: WagerField
    """Charge for one player."""
    minutes: Annotated[int, Field(ge=1, le=720)]
    """Time that it pays for."""


class RakeSchedulePart(TomlTable):
    """A rake schedule: a percentage with a cap, steps by the size of the pot, or a charge by time."""

    percent: Percent = NO_PERCENT
    """Percent of each pot; with `steps`, the most of each pot."""
    cap_cents: WagerField | None = None
    """The most from a round's pots together."""
    step_cents: WagerField | None = None
    """Unit to which it is rounded down; the token unless given."""
    steps: tuple[RakeStepPart, ...] = ()
    """Rake by the size of the pots, rising."""
    no_flop_no_drop: bool = False
    """True if nothing is taken of a hand that ends before the flop."""
    pool_percent: Percent = NO_PERCENT
    """Percent of a pool won by runners."""
    time: TimeChargePart | None = None
    """A charge by time; such a schedule takes nothing of a pot."""


class HouseJackpotPart(TomlTable):
    """A jackpot award, and what a hand must have for it: else nothing is taken and no award paid."""

    file: HouseFilePath
    """Its jackpot file."""
    least_pot_cents: AmountField = 0
    """The least that the hand's pots must hold."""
    least_players: Annotated[int, Field(ge=0, le=32)] = 0
    """The least number of players dealt in."""


class PostedMaximumPart(TomlTable):
    """Maximum payouts of a house-banked game."""

    round_cents: WagerField | None = None
    """For a round, all players together."""
    player_cents: WagerField | None = None
    """For one player in a round."""
    tip_cents: WagerField | None = None
    """For a tip."""


class HouseGamePart(TomlTable):
    """One game as it is offered: a procedure at one limit."""

    name: PostedName
    """Its name, by which a table chooses it."""
    procedure: HouseIdOrFile
    """Id of the procedure by which it is dealt, or a file."""
    game: HouseIdOrFile | None = None
    """Id of the game that settles it, or a file; the procedure's own unless given."""
    title: Text | None = None
    """Heading on the sign; the procedure's title unless given."""
    notes: tuple[Text, ...] = ()
    """Further rules of play, printed on the sign as they are."""
    seats: Annotated[int, Field(ge=1, le=32)] | None = None
    """The most players (47.1-1041)."""
    structure: Structure | None = None
    """`fixed`, `spread`, `pot` or `none`; needed where players bet against each other, and there only."""
    sizes_cents: dict[str, WagerField] = Field(default_factory=dict)
    """For `fixed`: size of a bet or raise, by betting round."""
    least_bet_cents: WagerField | None = None
    """The least bet; in a house-banked game the least that enters a seat."""
    most_bet_cents: WagerField | None = None
    """The most of one bet or raise."""
    least_raise: LeastRaise = "bet-before"
    """Least raise: `bet-before`, as much as the bet or raise before it in the round, or `least-bet`."""
    forced_cents: dict[str, WagerField] = Field(default_factory=dict)
    """Ante and blinds: amount by bet."""
    bring_in_cents: WagerField | None = None
    """The forced opening bet of stud."""
    rake: PostedName | None = None
    """Name of its rake schedule; without one nothing is taken."""
    jackpot: PostedName | None = None
    """Name of its jackpot."""
    jackpot_rake_cents: WagerField | None = None
    """The jackpot drop of a hand; that of the jackpot's file."""
    maximum: PostedMaximumPart | None = None
    """Maximum payouts, in a house-banked game."""
    options: dict[str, str] = Field(default_factory=dict)
    """Options of this game's procedure, in place of the file's."""
    readings: dict[str, str] = Field(default_factory=dict)
    """Readings of this game, in place of the file's."""


class HouseSpec(TomlTable):
    """The whole file."""

    schema_: Literal["dealwire.house/1"] = Field(alias="schema")
    id: PostedName
    """Its name in every round."""
    title: Text
    """Name of the house, as on the sign."""
    edition: HouseIdOrFile | None = None
    """Edition of the regulation that the rules are for, an id or a file; the text in the files unless given."""
    effective: Day
    """First day on which these rules are in force."""
    approved: Text | None = None
    """Approval of the rules and of the place of posting, as in `Director, 2020-02-12` (47.1-1039)."""
    clause: Text = "47.1-1040"
    """Clause that requires the notice; cited where a bet is not as posted."""
    token_cents: WagerField = 25
    """The smallest chip: pays and rakes are rounded down to it, and an odd chip is one of it."""
    act_seconds: Annotated[int, Field(ge=1, le=3600)] | None = None
    """Time in which a player must act (47.1-1038); absent if no limit is placed."""
    warning_seconds: Annotated[int, Field(ge=1, le=3600)] | None = None
    """Time before the limit at which the dealer warns the player."""
    notes: tuple[Text, ...] = ()
    """Further rules for all games, printed on the sign as they are."""
    options: dict[str, str] = Field(default_factory=dict)
    """Options of the procedures, for every game that has them."""
    readings: dict[str, str] = Field(default_factory=dict)
    """Readings of the games, for every game that has them."""
    signed: tuple[SignedPart, ...] = ()
    rake: dict[str, RakeSchedulePart] = Field(default_factory=dict)
    """Rake schedules by name."""
    jackpot: dict[str, HouseJackpotPart] = Field(default_factory=dict)
    """Jackpots by name."""
    game: Annotated[tuple[HouseGamePart, ...], Field(min_length=1)]
