"""Sphinx settings of the documentation, for `make site`. Neither the build nor a reader's browser fetches anything."""

import importlib
import inspect
import sys
import tomllib
from enum import Enum
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_site"), str(HERE.parent)]

import dealwire  # noqa: E402

project = "dealwire"
project_copyright = "the dealwire authors; Apache-2.0"
release = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "charts"]
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
default_role = "code"  # docstrings have code in single backticks
exclude_patterns = ["_print", "_site"]
highlight_language = "text"
myst_fence_as_directive = ["mermaid"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # the page of the protocol skips a heading level on purpose

html_theme = "furo"
html_title = f"dealwire {release}"
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_js_files = ["tables.js"]
html_show_search_summary = False  # a summary is fetched, which a browser refuses for files on a disk
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False


def hang_games_below_their_list(app: Sphinx, name: str, source: list[str]) -> None:
    """Add every game's page to a toctree on the page that lists them, which is generated without Sphinx directives."""
    if name == "games/README":
        games = sorted(page.removeprefix("games/") for page in app.env.found_docs if page.startswith("games/"))
        games.remove("README")
        source[0] += "\n".join(["\n```{toctree}", ":hidden:", "", *games, "```", ""])


def list_public_names(_app: Sphinx, name: str, source: list[str]) -> None:
    """Append the reference of the public names to the page `api`: by job, then those of the other packages."""
    if name != "api":
        return
    for job, modules in dealwire.JOBS.items():
        names = [word for held in modules.values() for word in held.split()]
        source[0] += "\n".join([f"\n## {job.capitalize()}\n", "```{eval-rst}", *map(_directive, names), "```", ""])
    source[0] += "\n## Other packages\n\n| package | names |\n| --- | --- |\n"
    for package in ("protocol", "protocol.tdp", "devices", "devices.transport", "dealer_flow", "rules"):
        offered = getattr(importlib.import_module(package), "__all__", ())
        source[0] += f"| `{package}` | {', '.join(f'`{one}`' for one in sorted(offered))} |\n" if offered else ""


def _directive(name: str) -> str:
    found = getattr(dealwire, name)
    if inspect.ismodule(found):
        return f".. automodule:: {found.__name__}\n   :members:"
    if not inspect.isclass(found):
        return f".. autofunction:: dealwire.{name}"
    if issubclass(found, Exception):
        return f".. autoexception:: dealwire.{name}"
    options = [":members:", ":inherited-members: BaseModel, int, tuple", ":exclude-members: model_config"]
    options += [":undoc-members:"] if issubclass(found, Enum) else []
    return "\n   ".join([f".. autoclass:: dealwire.{name}", *options])


def give_captions_a_level(_app: Sphinx, _name: str, _template: str, context: dict[str, object], _tree: object) -> None:
    """Add the level that a screen reader needs to the headings in the sidebar, which Sphinx leaves out."""
    tree = str(context.get("furo_navigation_tree", ""))
    context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')


def setup(app: Sphinx) -> None:
    """Connect the functions that add to a page."""
    app.connect("html-page-context", give_captions_a_level, priority=900)  # after the theme has made the tree
    app.connect("source-read", hang_games_below_their_list)
    app.connect("source-read", list_public_names)
