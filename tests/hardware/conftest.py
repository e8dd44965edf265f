"""One guest for a file of tests; after each test its state is as after booting."""

from collections.abc import Iterator

import pytest

from tests.support.rigs.guest import Guest, booted, missing_for_guest


@pytest.fixture(scope="module")
def computer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    if missing_for_guest():
        pytest.skip(f"missing: {missing_for_guest()}; run: make test-hardware")
    with booted(tmp_path_factory.mktemp("guest")) as guest:
        print(f"the guest was up at its second {guest.boot_s}")
        yield guest


@pytest.fixture
def guest(computer: Guest) -> Iterator[Guest]:
    yield computer
    print(computer.console())
    computer.reset()
