"""Take the picture of the console for the README: `python -m tests.support.programs.console_picture`.

A recording with a short packet is dealt at a watched table, up to the reveal, and the page is photographed in Chromium.
"""

from pathlib import Path
from typing import Final

from dealwire.hub.hub import Hub
from dealwire.hub.view import TableView
from tests.support.evenings.watched_table import WatchedTable
from tests.support.rigs.browser import chromium
from tests.support.rigs.consoles import running

PICTURE: Final = Path(__file__).parents[3] / "docs" / "images" / "console.jpg"
RECORDING: Final = "player-short"
SETTLED_MS: Final = 1_000
"""Time after the last change in which the page's transitions end."""


def revealing(view: TableView) -> bool:
    """Return True once the dealer's hand is shown and the players' hands are not."""
    return view.dealer is not None and "??" not in view.dealer.cards and view.state == "revealing"


def take(file: Path = PICTURE) -> None:
    """Write the picture as JPEG."""
    hub = Hub()
    with running(hub) as console, WatchedTable(hub, RECORDING) as table, chromium() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 885}, color_scheme="dark")
        page.goto(f"{console.address}table/pit-1")
        page.locator("#connection[data-state=live]").wait_for()
        view = table.go(revealing)
        page.locator(f'main[data-sequence="{view.sequence}"]').wait_for()
        page.locator(".log .incident .clause").first.wait_for()
        page.wait_for_timeout(SETTLED_MS)
        file.write_bytes(page.screenshot(type="jpeg", quality=82))


if __name__ == "__main__":
    take()
