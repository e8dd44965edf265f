"""Picture of a settled round as `dealwire replay` prints it on a terminal of 80 columns: `docs/images/round.svg`."""

import os
import subprocess
import sys
from io import StringIO
from typing import Final

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from docs._print import DOCS, MARK

PICTURE: Final = "images/round.svg"
COMMAND: Final = ("replay", "captures/ultimate-texas-holdem.co.pcapng")
_COLUMNS: Final = 80
_INK, _PAPER = (216, 222, 233), (24, 28, 36)
_ANSI: Final = [
    *((24, 28, 36), (240, 113, 120), (126, 200, 120), (230, 190, 100)),
    *((110, 160, 240), (200, 140, 220), (90, 200, 200), (216, 222, 233)),
]
_FORMAT: Final = f"""\
<svg class="rich-terminal" viewBox="0 0 {{width}} {{height}}" xmlns="http://www.w3.org/2000/svg">
{MARK}
<title>$ dealwire {" ".join(COMMAND)}</title>
<style>
.{{unique_id}}-matrix {{{{
  font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {{char_height}}px;
  line-height: {{line_height}}px;
}}}}
.{{unique_id}}-title {{{{ font-size: 18px; font-family: sans-serif; }}}}
{{styles}}
</style>
<defs><clipPath id="{{unique_id}}-clip-terminal">
<rect x="0" y="0" width="{{terminal_width}}" height="{{terminal_height}}"/>
</clipPath>
{{lines}}</defs>
{{chrome}}
<g transform="translate({{terminal_x}}, {{terminal_y}})" clip-path="url(#{{unique_id}}-clip-terminal)">
{{backgrounds}}
<g class="{{unique_id}}-matrix">
{{matrix}}
</g></g></svg>
"""
"""Format of `rich`, without the web fonts that its own picture would load."""


def pages() -> dict[str, str]:
    """Return the picture by its path under `docs/`."""
    return {PICTURE: picture(run())}


def run() -> str:
    """Run the command and return its first round with color codes. Raise CalledProcessError if it fails."""
    unset = ("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment |= {"FORCE_COLOR": "1", "COLUMNS": str(_COLUMNS), "TERM": "xterm"}
    done = subprocess.run(
        [sys.executable, "-m", "dealwire", *COMMAND],
        env=environment,
        cwd=DOCS.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip("\n").partition("\n\n")[0]


def picture(printed: str) -> str:
    """Draw what a command printed, below the command itself."""
    console = Console(width=_COLUMNS, record=True, force_terminal=True, file=StringIO(), legacy_windows=False)
    console.print(Text.assemble(("$ ", "bold"), f"dealwire {' '.join(COMMAND)}"))
    console.print(Text.from_ansi(printed))
    theme = TerminalTheme(_PAPER, _INK, _ANSI)
    return console.export_svg(title="dealwire", theme=theme, code_format=_FORMAT, unique_id="round")
