"""The site: it builds without a warning, fetches nothing, shows every page, and the commands in its guides work."""

import re
import subprocess
import sys
from collections import Counter, defaultdict
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import click
import pytest

import dealwire
from dealwire.cli import main
from devices import events
from tests.support.reading.each import of_each
from tests.support.reading.guides import FENCE, PAGES, ROOT, GuideReader, blocks, commands, lacking, said
from tests.support.rigs.browser import Watch, chromium, needs_browser, picture

DOCS = ROOT / "docs"
READ = sorted([*DOCS.rglob("*.md"), *ROOT.glob("README.md"), *ROOT.glob("*/README.md")])


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# ------------------------------------------------------------------ the guides


@pytest.mark.more
@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_guide_works_as_it_is_written(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if missing := lacking(text):
        pytest.skip(f"not installed: {', '.join(missing)} (apt install)")
    with GuideReader(tmp_path) as reader:
        for block in blocks(text):
            assert not (wrong := reader.follow(block)), f"{name(page)}:{block.line}: {wrong}"
    assert set(reader.endings()) <= {0, 130}


def test_what_is_not_run_is_little_and_every_other_block_is() -> None:
    found = [block for page in PAGES for block in blocks(page.read_text(encoding="utf-8"))]
    assert sum(page.read_text(encoding="utf-8").count("\n```") for page in PAGES) == 2 * len(found)
    uses = Counter(block.use for block in found)
    assert uses["run"] + uses["background"] > 5 * uses["left out"], uses
    assert {block.language for block in found if block.use in ("run", "background", "left out")} == {"sh", "python"}
    print(f"blocks: {dict(uses)}; those left out need a device or root, their options are checked")


@of_each("page", READ, ids=name)
def test_a_fence_says_its_language_and_nothing_that_a_reader_does_not_see(page: Path) -> None:
    for info, _ in FENCE.findall(page.read_text(encoding="utf-8")):
        assert re.fullmatch(r"\w*|\{\w+\}( \S+)?", info), f"{name(page)}: ```{info}"


def test_a_caption_says_what_is_done_with_a_block() -> None:
    page = """# Page

**a/b.toml**

```toml
x
```

Then, in words. In a second terminal, the table:

```sh
dealwire run a/b.toml
```

```text
up
```

This is refused, with exit code 2:

```sh
dealwire check a/b.toml
```

The second terminal says:

```text
x
```

Set up. As root:

```sh
y
```

In a second terminal is no caption, for it ends in a full stop.

```python
z
```

## Check a release

```text
a key
```

## Next

```text
z
```
"""
    found = [(block.use, block.where, block.exits) for block in blocks(page)]
    assert found == [
        ("file", "a/b.toml", (0,)),
        ("background", "second", (0,)),
        ("output", "", (0,)),
        ("run", "", (2,)),
        ("output", "second", (0,)),
        ("left out", "", (0,)),
        ("run", "", (0,)),
        ("shown", "", (0,)),
        ("output", "", (0,)),
    ]
    assert [block.line for block in blocks(page)][:2] == [5, 11]


def test_terminals_are_opened_in_order(tmp_path: Path) -> None:
    with GuideReader(tmp_path) as reader:
        (early, said_by_none) = blocks(
            "In a third terminal:\n\n```sh\ntrue\n```\n\nThe second terminal:\n\n```text\nx\n```\n"
        )
        assert reader.follow(early) == "a third terminal, and the second is the next"
        assert reader.follow(said_by_none) == "there is no second terminal"


@of_each("page", READ, ids=name)
def test_commands_and_options_exist(page: Path) -> None:
    for language, text in FENCE.findall(page.read_text(encoding="utf-8")):
        for words in commands(text) if language.split(" ")[0] in ("", "sh", "console") else ():
            assert not (wrong := unknown(words)), f"{name(page)}: dealwire {' '.join(words)}: {wrong}"


def unknown(words: list[str]) -> str:
    """Return the first word that is no command or option of ours."""
    command: click.Command = main
    # click keeps the help option that the first context gives: one without `-h` would be missing from the manual
    context = click.Context(main, **main.context_settings)
    for word in words:
        if isinstance(command, click.Group) and not word.startswith("-"):
            following = command.get_command(context, word)
            if following is None:
                return word
            command, context = following, click.Context(following, parent=context)
        elif re.match(r"--?[a-zA-Z]", word):
            known = {text for one in command.get_params(context) for text in (*one.opts, *one.secondary_opts)}
            if word.split("=")[0] not in {*known, "-h", "--help"}:
                return word
    return ""


@pytest.mark.parametrize(("name", "at_least"), [("reliability.md", 100), ("security.md", 50)])
def test_every_test_that_a_page_of_attacks_names_is_there(name: str, at_least: int) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    named = re.findall(r"`((?:hardware/)?test_\w+\.py)(?:::(\w+))?`", page)
    assert len(named) > at_least
    there: dict[str, str] = defaultdict(str)
    for path in (ROOT / "tests").rglob("test_*.py"):
        file = f"hardware/{path.name}" if path.parent.name == "hardware" else path.name
        there[file] += path.read_text(encoding="utf-8")
    assert not [
        f"{file}::{test}" for file, test in named if f"def {test}{'(' if test else ''}" not in there.get(file, "")
    ]


def test_what_is_unknown_is_found() -> None:
    assert unknown(["replay", "--jsno", "x"]) == "--jsno"
    assert unknown(["journal", "key", "make"]) == "make"
    assert not unknown(["journal", "key", "new", "table.key"])
    assert said("a…c\nb", "xabc\nb") == ["a…c"]
    assert list(commands("$ dealwire run \\\n  --check t.toml | tee x; dealwire list")) == [
        ["run", "--check", "t.toml"],
        ["list"],
    ]


# ------------------------------------------------------------------ the site


class Site(NamedTuple):
    """A site that was built: its folder, and the pages that must be in it, without suffixes."""

    html: Path
    pages: set[str]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Build the whole site as `make site` does: a link to a missing page is a warning, and ends the build."""
    built = tmp_path_factory.mktemp("site")
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", f"{built}/.doctrees"]
    done = subprocess.run([*sphinx, str(DOCS), f"{built}/html"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}
    return Site(built / "html", pages)


class Seen(HTMLParser):
    """A page as a browser reads it: its anchors, its links, and the files that a browser fetches unasked."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.anchors, self.links, self.fetched = set[str](), list[str](), list[str]()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {key: value or "" for key, value in attrs}
        self.anchors.add(values.get("id", ""))
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag == "link":
            self.fetched.append(values.get("href", ""))
        self.fetched += [values[key] for key in ("src", "srcset", "data", "poster") if key in values]


@pytest.mark.more
def test_every_page_is_built_and_every_link_leads_to_an_anchor(site: Site) -> None:
    pages = {page: Seen(page) for page in site.html.rglob("*.html")}
    assert site.pages <= {page.relative_to(site.html).with_suffix("").as_posix() for page in pages}
    for page, seen in pages.items():
        for link in map(urlsplit, seen.links):
            target = (page.parent / unquote(link.path)).resolve() if link.path else page
            assert link.scheme or target.exists(), f"{page.name}: {link.path}"
            if not link.scheme and link.fragment and target in pages:
                assert unquote(link.fragment) in pages[target].anchors, f"{page.name}: {link.path}#{link.fragment}"


@pytest.mark.more
def test_the_reference_has_exactly_the_public_names(site: Site) -> None:
    """Each name has an anchor of its own, and so has each event that a device can report."""
    anchors = Seen(site.html / "api.html").anchors
    offered = {anchor.removeprefix("dealwire.") for anchor in anchors if re.fullmatch(r"dealwire\.\w+", anchor)}
    assert offered == set(dealwire.__all__) - {"events"}
    reported = {anchor.rpartition(".")[2] for anchor in anchors if re.fullmatch(r"devices\.events\.\w+", anchor)}
    assert {kind.__name__ for kind in events.Body.__subclasses__()} <= reported


@pytest.mark.more
def test_every_page_can_be_reached_from_the_first(site: Site) -> None:
    """Pages are reached through the list at the side, or the list of games."""
    reached, waiting = set[Path](), [site.html / "index.html"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        links = (urlsplit(link) for link in Seen(page).links)
        targets = {(page.parent / unquote(link.path)).resolve() for link in links if link.path and not link.scheme}
        waiting += [one for one in targets - reached - set(waiting) if one.suffix == ".html"]
    assert site.pages <= {path.relative_to(site.html).with_suffix("").as_posix() for path in reached}


@pytest.mark.more
def test_nothing_is_fetched_from_elsewhere(site: Site) -> None:
    for page in site.html.rglob("*.html"):
        for address in Seen(page).fetched:
            assert not urlsplit(address).netloc, f"{page.name}: {address}"
    for sheet in site.html.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*['\"]?(https?:)?//", sheet.read_text(encoding="utf-8")), sheet.name


LONG = ("odds", "odds-figures", "pays", "pay-tables", "bets", "readings-money", "games/three-card.co", "explored")
"""Pages with a long table."""


@pytest.mark.more
@needs_browser
def test_it_reads_in_a_browser(site: Site) -> None:
    """Light or dark, wide or narrow: no page is wider than the window, fetches from outside, or reports an error."""
    with chromium() as browser:
        for scheme, width in (("light", 1280), ("dark", 390)):
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            watch = Watch(context)
            page = watch.page()
            for path in ("index", "guides/run-a-table", "games/race-to-the-flush", "protocol", *LONG, "quality"):
                page.goto(f"file://{site.html}/{path}.html")
                assert page.evaluate("document.documentElement.scrollWidth") <= width, path
                picture(page, f"site-{path.replace('/', '-')}-{scheme}-{width}")
            assert all(address.startswith(("file:", "data:")) for address in watch.asked), watch.asked
            assert not watch.complaints
            context.close()


@pytest.mark.more
@needs_browser
def test_a_long_table_is_filtered_and_sorted_by_the_keyboard(site: Site) -> None:
    with chromium() as browser:
        page = browser.new_page()
        page.goto(f"file://{site.html}/odds-figures.html")
        rows = "article table.long tbody tr"
        whole = page.locator(rows).count()
        assert page.get_by_role("status").inner_text() == f"{whole} rows"
        page.get_by_label("Filter").press_sequentially("three-card.co pair-plus tc-pp-1 ")
        shown = page.locator(f"{rows}:visible")
        assert 0 < shown.count() < 40
        assert page.get_by_role("status").inner_text() == f"{shown.count()} of {whole} rows"
        assert all("pair-plus" in text for text in shown.all_inner_texts())
        page.get_by_label("Filter").fill("")
        edge = page.get_by_role("button", name="return %")
        for order in ("ascending", "descending"):
            edge.focus()
            page.keyboard.press("Enter")
            assert page.locator("th", has=edge).get_attribute("aria-sort") == order
            figures = [float(text) for text in page.locator(f"{rows} td:nth-child(7)").all_inner_texts()]
            assert figures == sorted(figures, reverse=order == "descending")


@pytest.mark.more
@needs_browser
def test_without_a_script_it_is_a_plain_table(site: Site) -> None:
    with chromium() as browser:
        page = browser.new_context(java_script_enabled=False).new_page()
        page.goto(f"file://{site.html}/pay-tables.html")
        assert page.locator("article tbody tr:visible").count() > 1_500
        assert page.locator(".filter, button.sort").count() == 0


@pytest.mark.more
@needs_browser
def test_the_search_works_without_a_server(site: Site) -> None:
    with chromium() as browser:
        watch = Watch(browser.new_context())
        page = watch.page()
        page.goto(f"file://{site.html}/index.html")
        page.get_by_placeholder("Search").fill("odd chip")
        page.get_by_placeholder("Search").press("Enter")
        page.get_by_text("Search finished").wait_for()
        found = [str(link.get_attribute("href")) for link in page.locator("#search-results li a").all()]
        assert found
        assert all((site.html / urlsplit(link).path).is_file() for link in found)
        assert not watch.complaints
