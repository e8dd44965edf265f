"""Cache of computed odds in a folder, each file named by a hash of the program and of everything the odds depend on.

A file starts with a line with the hash of the rest. A torn or changed file is ignored and counted from scratch. Two
processes may count the same odds: each writes its own file and renames it, so one complete file remains.
"""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final

from devices.clock import SystemClock
from devices.files import read_file
from rules.odds.returns import BetOutcome, NotComputed, Odds

MOST_BYTES: Final = 16 * 1024 * 1024
"""Maximum size of a file that is read: far more than any bet's outcomes need."""
_RULES: Final = Path(__file__).parent.parent
_FRACTION: Final = "/"

Found = Odds | NotComputed


class KeptOdds:
    """Cached odds in a folder. Odds that cannot be read or written are counted from scratch, silently."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> tuple[list[Found], float] | None:
        """Return the odds cached under `key` and the seconds they took; None if there are none, or the file is
        damaged."""
        try:
            data = read_file(self.folder / f"{key}.json", MOST_BYTES)
            checked, _, body = data.partition(b"\n")
            if checked.decode() != hashlib.sha256(body).hexdigest():
                return None
            held = json.loads(body)
            return [_read(each) for each in held["found"]], float(held["seconds"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, found: Sequence[Found], seconds: float) -> None:
        """Cache `found`, which took `seconds`, under `key`."""
        body = json.dumps({"seconds": seconds, "found": [_written(each) for each in found]}).encode()
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self.folder, suffix=".part")
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
                # A rename is atomic: a reader sees the whole file or none.
                os.replace(name, self.folder / f"{key}.json")
            except BaseException:
                # Also on an interrupt: leave no part files behind.
                with suppress(OSError):
                    os.unlink(name)
                raise


def key_of(*parts: Any) -> str:
    """Return the cache key of odds that depend on the program and on `parts`, plain values."""
    text = json.dumps([program_hash(), *parts], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


_ROOT: Final = _RULES.parent
_DATA: Final = ("rankings/*.toml", "keeps/*.toml")
"""Files below `rules/data` that decide a count without being imported."""
_PACKAGES: Final = ("rules", "dealer_flow", "devices", "protocol")
_IMPORT: Final = re.compile(rf"^\s*from ((?:{'|'.join(_PACKAGES)})[\w.]*) import \(?([\w, ]*)", re.MULTILINE)


@cache
def program_hash() -> str:
    """Return the SHA-256 of the code that counts, with all its imports from this program, and of the rankings and keep
    rules.

    Games, their pay tables, procedures and house ways have hashes of their own.
    """
    found = hashlib.sha256()
    for path in sorted({*counting_modules(), *counting_data()}):
        found.update(path.relative_to(_ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def counting_data() -> set[Path]:
    """Return the files of rankings and of keep rules that come with the program."""
    return {path for pattern in _DATA for path in (_RULES / "data").glob(pattern)}


def counting_modules() -> set[Path]:
    """Return the modules that count: this package and the kinds of bets, which a registry finds, with all that they
    import."""
    return _imported([*_RULES.glob("odds/**/*.py"), *_RULES.glob("kinds/*.py")])


def _imported(files: Iterable[Path]) -> set[Path]:
    """Return the files and every module they import, directly or not. If anything but its modules is imported from a
    package, the package itself is included."""
    found, waiting = set[Path](), [*files]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            for module, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
                inner = [_file(f"{module}.{name.split()[0]}") for name in names.split(",") if name.strip()]
                waiting += [each for each in (*inner, None if inner and all(inner) else _file(module)) if each]
    return found


def _file(module: str) -> Path | None:
    path = _ROOT.joinpath(*module.split("."))
    return next((each for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file()), None)


def _written(found: Found) -> dict[str, Any]:
    if isinstance(found, NotComputed):
        return {"not": [found.game, found.bet, found.deals, found.why]}
    outcomes = [
        [each.what, str(each.probability), None if each.back is None else str(each.back), each.row, str(each.staked)]
        for each in found.outcomes
    ]
    names = ("game", "bet", "paytable", "unit", "printed", "suspect")
    plain = {name: getattr(found, name) for name in names}
    plain["printed"] = dict(found.printed) if found.printed is not None else None
    return plain | {"reading": dict(found.reading), "outcomes": outcomes, "also": _plain(found.also)}


def _read(written: Mapping[str, Any]) -> Found:
    if "not" in written:
        return NotComputed(*written["not"])
    outcomes = tuple(
        BetOutcome(what, Fraction(chance), None if back is None else Fraction(back), row, Fraction(staked))
        for what, chance, back, row, staked in written["outcomes"]
    )
    return Odds(**{**written, "outcomes": outcomes, "also": _whole(written["also"])})


def _plain(value: Any) -> Any:
    """Return a value with fractions as text under a key of their own, so that they can be restored."""
    if isinstance(value, Fraction):
        return {_FRACTION: str(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return Fraction(value[_FRACTION]) if _FRACTION in value else {key: _whole(part) for key, part in value.items()}
    return [_whole(part) for part in value] if isinstance(value, list) else value


def remembered(kept: KeptOdds | None, key: str, count: Iterable[Found]) -> Iterator[Found]:
    """Yield the odds cached under `key`, or else those of `count`, which are cached once complete."""
    before = kept.get(key) if kept is not None else None
    if before is not None:
        yield from before[0]
        return
    found, clock = [], SystemClock()
    began = clock.now_ns()
    for each in count:
        found.append(each)
        yield each
    if kept is not None:
        kept.put(key, found, (clock.now_ns() - began) / 1e9)
