"""How Sphinx builds the site out of these pages; `make site` runs it. Nothing is fetched, now or by a reader."""

import sys
import tomllib
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_site"))

project = "dealwire"
project_copyright = "the dealwire authors; Apache-2.0"
release = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["myst_parser", "charts"]
exclude_patterns = ["_site"]
highlight_language = "text"
myst_fence_as_directive = ["mermaid"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # the protocol's page skips a level on purpose

html_theme = "furo"
html_title = f"dealwire {release}"
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False


def hang_games_below_their_list(_app: Sphinx, name: str, source: list[str]) -> None:
    """Put every game below the page that lists them, which is generated and knows nothing of Sphinx."""
    if name == "games/README":
        games = sorted(path.stem for path in (HERE / "games").glob("*.md") if path.stem != "README")
        source[0] += "\n".join(["\n```{toctree}", ":hidden:", "", *games, "```", ""])


def setup(app: Sphinx) -> None:
    """Tell Sphinx what to call."""
    app.connect("source-read", hang_games_below_their_list)
