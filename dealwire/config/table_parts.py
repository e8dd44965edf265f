"""The parts of a `table.toml` about one table: its devices, its maxima, its rake, and the table itself."""

from typing import Annotated, Literal

from pydantic import Field

from dealer_flow.table.shoe import LEAST_CONFIDENCE
from dealer_flow.tomlfile import TomlTable
from dealwire.config.fields import FilePath, IdOrFile, Name, Word
from devices.budget import RATE
from rules.game.schema import Signature
from rules.house.schema import RakeStepPart
from rules.paytables.amounts import AmountField, WagerField

DeviceRole = Literal["observe", "control"]
"""`observe`: the device's messages are read, and it gets no commands. `control`: people may have commands sent to it.
"""


class PinPart(TomlTable):
    """The one device that a line must have, by its own identification; what is left out may be anything."""

    maker: Word | None = None
    """As the device reports it."""
    model: Word | None = None
    """As the device reports it."""
    serial: Word | None = None
    """The device's serial number, as it reports it."""
    firmware: Word | None = None
    """The device's firmware version, as it reports it."""
    firmware_digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    """SHA-256 of the firmware image, as the device attests it: 64 hex digits in lower case."""
    key: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    """The device's public key for a sealed line, as `dealwire device keys list` prints it."""

    def facts(self) -> dict[str, str | None]:
        """Return what the device reports about itself; its key is checked on the line."""
        found: dict[str, str | None] = self.model_dump(exclude={"key"})
        return found


class DevicePart(TomlTable):
    """One device of a table, and its line."""

    name: Name
    """Name of the device in events and addresses."""
    kind: Literal["shuffler", "shoe", "table-controller"]
    """Kind of device. A table has exactly one that deals, as its procedure requires, and one table controller; a game
    dealt by hand has the table controller alone."""
    address: Annotated[str, Field(min_length=1)]
    """Address of its line. Prefer stable names: `serial-id:`, `usb:` or a path below `/dev/serial/by-id/`."""
    dialect: str = "tdp"
    """Protocol that it uses: `tdp`, `angel-eye`, `bee-tek` or an added one."""
    role: DeviceRole = "observe"
    """`observe`: messages are read and no commands sent; `control`: people may have commands sent to it."""
    max_bytes_per_s: Annotated[int, Field(ge=1_000, le=100_000_000)] = RATE
    """Bytes a second, averaged over some seconds; the excess is not kept."""
    pin: PinPart | None = None
    """While another device is on the line, no round is settled automatically."""
    sealed: Literal["required"] | None = None
    """`required`: only a sealed line to a paired device is used; needs `[lines]`."""


class MaximumPart(TomlTable):
    """The largest payouts of a round, a player or a tip, where the game's text lets the house set them, and the least
    bet, by which the text bounds them."""

    round_cents: WagerField | None = None
    """For a round, all players together."""
    player_cents: WagerField | None = None
    """For one player in a round."""
    tip_cents: WagerField | None = None
    """For a tip."""
    least_bet_cents: WagerField | None = None
    """The least bet at the table, by which the text bounds these amounts."""


class RakePart(TomlTable):
    """The house's share of the pots that players bet into, within the game's text."""

    percent: Annotated[str, Field(pattern=r"^\d{1,3}(\.\d{1,4})?$")] = "0"
    """Percent of each pot."""
    cap_cents: WagerField | None = None
    """The most from a round's pots together."""
    step_cents: WagerField | None = None
    """Unit to which it is rounded down; the token unless given."""
    jackpot_cents: WagerField | None = None
    """Taken from a round's pots for a jackpot, in addition."""
    pool_percent: Annotated[str, Field(pattern=r"^\d{1,3}(\.\d{1,4})?$")] = "0"
    """Percent of a pool won by runners."""
    steps: tuple[RakeStepPart, ...] = ()
    """Rake by the size of the pots, rising; `percent` is then the most of each pot."""
    no_flop_no_drop: bool = False
    """True if nothing is taken of a hand that ends before the flop."""
    jackpot_least_pot_cents: AmountField = 0
    """Nothing is taken for a jackpot, and no award paid, while the pots hold less."""
    jackpot_least_players: Annotated[int, Field(ge=0, le=32)] = 0
    """Nothing is taken for a jackpot, and no award paid, while fewer players are dealt in."""


class TablePart(TomlTable):
    """One table: its game, terms and devices."""

    name: Name
    """Name in every result, topic and address."""
    procedure: IdOrFile
    """Id of a procedure, or a file."""
    game: IdOrFile | None = None
    """Id of a game, or a file; the procedure's own game unless given."""
    edition: IdOrFile | None = None
    """The edition of the regulation to deal by, an id or a file; the text in its files unless given."""
    house: FilePath | None = None
    """The house's posted rules. They set what they post, and the table may not contradict them."""
    house_game: Annotated[str, Field(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$")] | None = None
    """Name of the table's game in `house`; needed if it offers several by this procedure."""
    settle: bool = True
    """False deals without settling."""
    seats: Annotated[int, Field(ge=1, le=32)] | None = None
    """Seats shown on the console: 7, or as many as the procedure allows, unless given. More may play."""
    limit_cents: WagerField | None = None
    """The largest bet; a larger one is held."""
    token_cents: WagerField = 25
    """Pays are rounded down to this amount: the smallest token at the table."""
    envy_base_cents: WagerField | None = None
    """The wager for which envy is printed, if the pay table names none."""
    commission: Annotated[str, Field(pattern=r"^\d{1,3}(\.\d{1,4})?$")] = "0"
    """Percent that the house takes of a win, where the game's text allows it."""
    rake: RakePart = Field(default_factory=RakePart)
    """The house's share of the pots that players bet into."""
    house_way: IdOrFile | None = None
    """The way the house sets its hand; the one printed in the game unless given."""
    maximum: MaximumPart = Field(default_factory=MaximumPart)
    accept_suspect: bool = False
    """True settles by a pay table or reading that appears to be a misprint."""
    least_confidence: Annotated[int, Field(ge=0, le=100)] = LEAST_CONFIDENCE
    """Percent; a card of which the shoe's reader is less sure counts as not read."""
    progressive: FilePath | None = None
    """A progressive setup. Tables with the same file share its meters."""
    jackpot: FilePath | None = None
    """A jackpot file. Tables with the same file share its pools."""
    awards: bool = False
    """Awards at the table controller move the meters of `progressive`, and are compared with the settlements."""
    options: dict[str, str] = Field(default_factory=dict)
    """Readings of the procedure where its text is silent."""
    paytables: dict[str, str] = Field(default_factory=dict)
    """Pay table by bet; the bet's first one unless given."""
    readings: dict[str, str] = Field(default_factory=dict)
    """Readings of the game where its text is ambiguous, by name; its defaults unless given."""
    signed: tuple[Signature, ...] = ()
    """Readings that the house has signed, in addition to those in the game's file."""
    unsigned_readings: Literal["settle", "wait"] = "settle"
    """`wait` holds what an unsigned reading decides, until a supervisor has released it once."""
    meters: dict[str, AmountField] = Field(default_factory=dict)
    """Amounts of meters that the journal does not know yet, by name; for a table without `progressive`."""
    device: Annotated[tuple[DevicePart, ...], Field(min_length=1)]
