"""Game files that extend others: `base` names a game of the package or a file, and the rest lists the differences.

`dealer_flow.layers` describes how files are merged. Here a row of `bets` is merged with the row of the same name key by
key, and `[paytables.NAME]` is a pay table within the game file, which may have a `base` of its own.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Final

from dealer_flow import layers
from dealer_flow.games import files_of, paytable_files
from dealer_flow.layers import Layer, Layering, Whole
from protocol.nearest import did_you_mean
from protocol.printable import printable

GAME_SCHEMA: Final = "dealwire.game/3"
PAYTABLE_SCHEMA: Final = "dealwire.paytable/1"
_OLD_SCHEMAS: Final = ("dealwire.game/1", "dealwire.game/2")


class PaytableLayering(Layering):
    """Layering of a pay table within a game file: its rows are merged by `when`."""

    what = "pay table"
    # Keys of one printed table, not inherited.
    own = frozenset({"schema", "id", "title", "label", "printed", "notes", "suspect"})
    rows: ClassVar[Mapping[str, tuple[str, ...]]] = {"rows": ("when",)}
    merged = True

    def files(self) -> Mapping[str, Path]:
        """Return the pay tables of the package by name."""
        return paytable_files()

    def unknown(self, name: str) -> str:
        """Return the message for an unknown `base`."""
        near = did_you_mean(name, self.files())
        allowed = f"allowed: one of the {len(self.files())} of the package, or a .toml file"
        return f"no pay table {printable(repr(name))}{near}; {allowed}"

    def check(self, layer: Layer) -> None:
        """Refuse a file that is not a pay table."""
        if not layer.at and layer.content.get("schema") != PAYTABLE_SCHEMA:
            raise layer.fault(("schema",), f"must be {PAYTABLE_SCHEMA!r}, because a pay table extends this file")


class GameLayering(Layering):
    """Layering of games: the rules for `base` and `without`."""

    what = "game"
    own = frozenset({"schema", "id"})
    rows: ClassVar[Mapping[str, tuple[str, ...]]] = {"bets": ("name",)}
    merged = True
    _paytables = PaytableLayering()

    def files(self) -> Mapping[str, Path]:
        """Return the games of the package by id."""
        return files_of("pays")

    def check(self, layer: Layer) -> None:
        """Refuse a file that is not a game; for an earlier version, name the command that converts it."""
        schema = layer.content.get("schema")
        if schema in _OLD_SCHEMAS:
            why = f"{schema} is an earlier version; `dealwire convert FILE --to FOLDER` writes it as {GAME_SCHEMA}"
            raise layer.fault(("schema",), why)
        if layer.named and schema != GAME_SCHEMA:
            raise layer.fault(("schema",), f"must be {GAME_SCHEMA!r}, because a game extends this file")

    def sub_layering(self, name: str) -> Layering | None:
        """Return the layering of pay tables within a game file."""
        return self._paytables if name == "paytables" else None


_KIND: Final = GameLayering()


def compose(text: str, file: str) -> Whole:
    """Merge the game of this text with all that it extends. TomlFileError names the file, line and key of an error."""
    return layers.compose(text, file, _KIND)
