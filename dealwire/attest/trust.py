"""Trust of a service: makers' keys, the keys that sign lists of firmware, the newest list, and who is refused.

A list that is older than one that was used before is refused: the number and digest of the newest are kept in a file
beside the journal. A list that cannot be used leaves the one before in force while the service runs, as long as that is
valid. The same holds for the file of refused devices.
"""

import logging
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, Self

from dealwire.attest.firmware import AllowedFirmware, FirmwareList, ListRefused
from dealwire.attest.keys import trusted
from dealwire.config.schema import AttestationPart
from dealwire.journal.errors import KeyProblem
from dealwire.journal.keyfiles import from_hex, read_lines, write_text
from devices.attestation import Evidence, FirmwareProof, NotAttested, check, check_start
from protocol.errors import DealwireError

_log = logging.getLogger(__name__)

WORD: Final = "tdp-newest-list"
SUFFIX: Final = "-firmware-list"
"""End of the name of the file beside the journal."""


def today() -> date:
    """Return the day by this machine's clock, UTC."""
    return datetime.now(UTC).date()


def refused_in(path: Path | None) -> frozenset[str]:
    """Return the lines of a file of refused devices: the text of each, in single spaces, without comments, which begin
    with `#`. KeyUnsafe if others could take one out of it, KeyProblem if it cannot be read."""
    if path is None:
        return frozenset()
    lines = (" ".join(words) for _, words in read_lines(path, secret=False, trusted=True))
    return frozenset(each for each in lines if not each.startswith("#"))


class Trust:
    """Trusted keys, list of allowed firmware and refused devices of one service, whose journal is at `journal`."""

    def __init__(self, part: AttestationPart, journal: Path, day: Callable[[], date] = today) -> None:
        self._part, self._day = part, day
        self._beside = journal.with_name(journal.name + SUFFIX)
        self._problems: dict[Path, str] = {}
        self._stamps: dict[Path, tuple[int, int]] = {}
        self.list: FirmwareList
        self.refused: frozenset[str] = frozenset()

    def opened(self) -> Self:
        """Read everything without a change. KeyProblem or ListRefused for whatever cannot be used."""
        self.makers = trusted(self._part.makers, "maker", of_a_service=True)
        self.list, self.refused = self._read(), refused_in(self._part.refused)
        return self

    def begin(self) -> Self:
        """Read everything, and remember the list as the newest."""
        self.opened()
        self._remember()
        return self

    def in_words(self) -> str:
        """Return what is trusted as text."""
        found, makers = self.list, ", ".join(each.name for each in self.makers)
        refused = f"; refused devices: {len(self.refused)}" if self._part.refused is not None else ""
        return f"list {found.number} of {found.signer}, {found.images}, until {found.last}; makers: {makers}{refused}"

    def judge(self, found: Evidence) -> tuple[FirmwareProof, AllowedFirmware]:
        """Return what a device proved, and its entry on the list. NotAttested if it did not."""
        proof = check(found, self.makers)
        self.renew()
        hello = found.hello
        names = (hello.serial, f"{hello.model} {hello.serial}", f"{hello.maker} {hello.model} {hello.serial}")
        if any(" ".join(each.split()) in self.refused for each in names):
            raise NotAttested(f"the house refuses {names[-1]}")
        try:
            self.list.check_day(self._part.allowed, self._day())
        except ListRefused as error:
            raise NotAttested(error.why) from None
        allowed = self.list.firmware_of(found.hello, proof)
        check_start(found.hello, proof)
        return proof, allowed

    def renew(self) -> None:
        """Read the list and the refused devices again if their files changed."""
        self._again(self._part.allowed, self._take_list, lambda: f"list {self.list.number} stays in force")
        if (path := self._part.refused) is not None:
            self._again(path, self._take_refused, lambda: f"the {len(self.refused)} refused before stay refused")

    def _again(self, path: Path, take: Callable[[], None], stays: Callable[[], str]) -> None:
        """Read a file again if it changed; the log gets each problem with it once."""
        try:
            facts = path.stat()
            stamp = facts.st_mtime_ns, facts.st_size
            if stamp != self._stamps.get(path):
                take()
                self._stamps[path] = stamp
            self._problems.pop(path, None)
        except (OSError, DealwireError) as error:
            if str(error) != self._problems.get(path):
                _log.warning("%s; %s", error, stays())
            self._problems[path] = str(error)

    def _take_list(self) -> None:
        self.list = self._read()
        self._remember()

    def _take_refused(self) -> None:
        self.refused = refused_in(self._part.refused)

    def _read(self) -> FirmwareList:
        path = self._part.allowed
        found = FirmwareList.load(path, trusted(self._part.signers, "list", of_a_service=True))
        found.check_day(path, self._day())
        number, sha256 = self._newest()
        if found.number < number:
            raise ListRefused(path, f"list {found.number} is older than list {number}, which this table has used")
        if found.number == number and found.sha256 != sha256:
            raise ListRefused(path, f"it is not the list {number} that was used before; a change needs a new number")
        return found

    def _newest(self) -> tuple[int, str]:
        """Return number and digest of the newest list that was used; 0 if there was none. KeyProblem for another
        file."""
        if not self._beside.exists():
            return 0, ""
        lines = read_lines(self._beside)
        try:
            ((_, (word, number, sha256)),) = lines
            if word != WORD or not number.isdecimal():
                raise ValueError(word)
            return int(number), from_hex(sha256, 32).hex()
        except ValueError:
            why = f"not the number of a list; allowed: one line '{WORD} NUMBER SHA256'"
            raise KeyProblem(self._beside, why) from None

    def _remember(self) -> None:
        if self._newest()[0] < self.list.number:
            write_text(self._beside, f"{WORD} {self.list.number} {self.list.sha256}\n")
