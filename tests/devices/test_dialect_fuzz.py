"""The quick run of the fuzzer; `python -m tests.support.programs.fuzz_dialects --bytes 10000000` is the long one."""

import pytest

from devices.dialects.known import BUILT_IN
from tests.support.programs.fuzz_dialects import fuzz

BYTES = 150_000


@pytest.mark.every(2)
@pytest.mark.parametrize("dialect", BUILT_IN)
def test_every_byte_is_booked_and_memory_bounded(dialect: str) -> None:
    report = fuzz(dialect, BYTES)
    assert report.bytes >= BYTES
    assert report.frames > 100
    assert report.noise_bytes > BYTES // 4
    assert report.reports > 10
    assert report.most_pending < 300
    assert report.peak_kib < 4096
