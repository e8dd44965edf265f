"""A game written as one file: merged with all that it extends and with every pay table that may pay its bets."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from dealer_flow.layers import compose, laid
from dealer_flow.tomlfile import read
from dealer_flow.written_out import written_out
from rules.game.layers import PaytableLayering
from rules.game.load import game_path
from rules.game.schema import GameSpec
from rules.game.source import GameSource

_ORDER: Final = tuple(field.alias or name for name, field in GameSpec.model_fields.items())
_FILE_ALONE: Final = frozenset({"schema", "id"})
"""Keys of a pay table file that a pay table within a game file does not need."""


def whole_game_text(source: str | Path) -> str:
    """Return the game with this id, or in this file, as TOML that loads to the same content and hash and extends no
    other file.

    Rankings of its own stay in `rankings/` next to it. Raises TomlFileError for files that cannot be used.
    """
    read_in = GameSource.read(game_path(source))
    whole = read_in.whole
    tables = whole.within.setdefault("paytables", {})
    for bet in read_in.spec.bets:
        for name in bet.all_paytables:
            if name not in tables and (file := read_in.paytable_file(name)) is not None:
                own = compose(read(file), str(file), PaytableLayering()).own
                content = {key: value for key, value in own.content.items() if key not in _FILE_ALONE}
                tables[name] = laid([replace(own, content=content, named=name)])
    if not tables:
        del whole.within["paytables"]
    return written_out(whole, _ORDER)
