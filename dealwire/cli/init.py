"""`dealwire init`: make a table.toml by answering questions, check it, and say how it becomes a service."""

import os
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click

from dealwire.cli import init_questions as questions
from dealwire.cli.asking import Asker, say
from dealwire.cli.ending import whole
from dealwire.cli.exits import BY_ERRNO, Exit, Stop, explain
from dealwire.cli.init_devices import lines_of_machine, the_devices
from dealwire.cli.init_questions import KEY, TABLE, TOKENS, Answers, heading
from dealwire.cli.options import FLAG, declared, many
from dealwire.cli.options import whole as number
from dealwire.cli.terminal import echo
from dealwire.host import EXTRAS
from dealwire.journal import SealingKey
from dealwire.service.readiness import StartOptions
from dealwire.setup.table_text import table_text
from dealwire.setup.writing import NewFile, put_in_place, refuse_unwritable, staged
from devices.clock import SystemClock
from devices.system import user_id

UNIT: Final = "etc/systemd/system/dealwire@.service"
RULES: Final = "etc/udev/rules.d/70-dealwire.rules"
TEXT: Final[Mapping[str, Any]] = {"metavar": "TEXT"}


@click.command("init")
@click.argument(
    "folder", required=False, default=".", metavar="[DIR]", type=click.Path(file_okay=False, path_type=Path)
)
@declared(
    ("--yes", FLAG, "Do not prompt: take the default of every option that is not given."),
    ("--simulated", FLAG, "Make a table on simulated devices."),
    ("--overwrite", FLAG, "Replace a table.toml that exists."),
    ("--probe/--no-probe", {"default": None}, "Query each port for its device."),
    ("--game", TEXT, "The game: an id, or a part of its name."),
    ("--settled-by", {"metavar": "ID"}, "The game file that settles it, if there are several."),
    ("--edition", {"metavar": "ID"}, "The edition of the regulation, or as-printed."),
    ("--option", many("NAME=VALUE"), "An option of the procedure."),
    ("--reading", many("NAME=VALUE"), "A reading of the game."),
    ("--signed-by", TEXT, "Who signs the readings for the house; - for no one."),
    ("--signed-on", {"metavar": "YYYY-MM-DD"}, "Date of the signature; by default today."),
    ("--unsigned-readings", {"type": click.Choice(["settle", "wait"])}, "Treatment of readings that no one signed."),
    ("--accept-suspect", FLAG, "Also offer pay tables and readings that appear to be misprints."),
    ("--paytable", many("BET=ID"), "A bet's pay table."),
    ("--progressive", {"type": click.Choice(["grows", "fixed"])}, "Meters that grow with the bets, or fixed ones."),
    ("--meter", many("NAME=DOLLARS"), "Starting amount of a meter."),
    ("--contribution", {"metavar": "PERCENT"}, "Part of each progressive bet that goes to each meter."),
    ("--executive-from", {"metavar": "DOLLARS"}, "Awards from this amount on need an executive's card."),
    ("--limit", {"metavar": "DOLLARS"}, "Maximum of one bet."),
    ("--token", {"metavar": "DOLLARS"}, "Smallest chip at the table."),
    ("--commission", {"metavar": "PERCENT"}, "Commission on wins, if the game has one."),
    ("--rake", {"metavar": "PERCENT"}, "Rake from each pot, if players bet against each other."),
    ("--rake-cap", {"metavar": "DOLLARS"}, "Maximum rake per round."),
    ("--name", TEXT, "The table's name."),
    ("--seats", number(1, 32), "Seats that the console shows."),
    ("--device", many("KIND=ADDRESS"), "The line of a shuffler, a shoe or a table-controller."),
    ("--dialect", {"metavar": "NAME"}, "Dialect of the shoe."),
    ("--role", {"type": click.Choice(["observe", "control"])}, "Role at the devices: observe only, or control them."),
    ("--pin/--no-pin", {"default": None}, "Accept only the devices that answer now."),
    ("--console/--no-console", {"default": None}, "Show the table in a browser."),
    ("--host", {"metavar": "ADDRESS"}, "Address on which the console listens."),
    ("--port", number(0, 65535), "The console's port."),
    ("--roles", TEXT, "Roles that may act at the console: dealer, supervisor, technician; - for none."),
    ("--journal", {"metavar": "FILE"}, "The journal."),
    ("--seal", {"type": click.Choice(["key-file", "auditor", "none"])}, "Key that seals raw bytes in the journal."),
    ("--auditor-key", {"metavar": "FILE"}, "The auditor's public key."),
    ("--archive", {"metavar": "DIR"}, "Folder for copies of finished days."),
    ("--install/--no-install", {"default": None}, "Install the systemd unit and the udev rules, as root."),
    ("--destdir", {"metavar": "DIR", "default": "/"}, "Install them under this folder."),
)
@click.pass_context
def command(ctx: click.Context, /, folder: Path, yes: bool, simulated: bool, **options: Any) -> None:
    """Make a table.toml in DIR by answering questions; by default in this folder.

    The command finds the devices that are plugged in. It asks for the game, its readings, its pay tables and limits,
    and the lines. It writes table.toml with a comment on every key, and tokens and keys that only their owner can read.
    The file is checked as by `dealwire run --check`. Nothing is written before the last question; Ctrl-C leaves
    everything as it was.

    Each option answers one question. With --yes there are no questions: an option that is not given has its default.
    """
    given = {name.replace("_", "-"): value for name, value in options.items() if value not in (None, ()) and
             (value is not False or name in ("probe", "pin", "console", "install"))}  # fmt: skip
    given["today"] = _today()
    ask = Asker(given, yes=yes)
    table = folder / TABLE
    stays = table.exists() and not options["overwrite"]
    if stays and (yes or not ask.confirm("overwrite", f"{table} exists. Replace it?", False)):
        raise Stop(Exit.USAGE, f"{table} exists, and stays as it is; --overwrite replaces it")
    try:
        refuse_unwritable(folder)
    except OSError as error:
        raise _failed(error, folder) from error
    say("This makes a table.toml. Enter accepts the answer in brackets; nothing is written before the end.")
    answers = collected(ask, simulated, folder)
    with made(answers, folder, simulated) as stage:
        code = checked(stage, folder)
        if code is not Exit.GOOD:
            say("The file cannot be served as it is: correct what is wrong, and start again. Nothing was written.")
            ctx.exit(code)
        if ask.asks and not ask.confirm(
            "", f"Write these files into {folder}: {', '.join(sorted(stage_names(stage)))}?", True
        ):
            raise Stop(Exit.USAGE, "nothing was written")
        written(stage, folder)
    if not simulated or options["install"]:
        offer_system_files(ask, options["install"], Path(options["destdir"]))
    next_steps(answers, folder, simulated)


def collected(ask: Asker, simulated: bool, folder: Path) -> Answers:
    """Return all answers, in the order of the questions."""
    lines = [] if simulated else lines_of_machine(ask, _probes(ask))
    answers = questions.the_game(ask)
    questions.the_edition(ask, answers)
    questions.the_readings(ask, answers)
    questions.the_money(ask, answers)
    questions.the_table(ask, answers)
    the_devices(ask, answers, lines, simulated)
    questions.the_console(ask, answers, EXTRAS["console"].installed)
    questions.the_journal(ask, answers, EXTRAS["journal"].installed)
    answers.table = questions.dropped_defaults(answers.table)
    for name in (TOKENS, KEY, questions.PROGRESSIVE):  # one that exists is used, and never replaced
        if (folder / name).exists() and (name in answers.files or (name == KEY and answers.wants_key)):
            answers.files[name] = NewFile((folder / name).read_bytes(), private=name != questions.PROGRESSIVE)
            answers.wants_key = answers.wants_key and name != KEY
            say(f"{folder / name} exists: it is used as it is.", indent="  ")
    return answers


def _probes(ask: Asker) -> bool | None:
    given = ask.given("probe")
    return given if isinstance(given, bool) else (None if ask.asks else True)


def _today() -> str:
    return datetime.fromtimestamp(SystemClock().now_ns() / 1e9, UTC).astimezone().date().isoformat()


# ------------------------------------------------------------------ files


@contextmanager
def made(answers: Answers, folder: Path, simulated: bool) -> Iterator[Path]:
    """Give a folder that holds every file of the answers, as long as the context lasts."""
    head = (
        f"Made by dealwire init. Check it with: dealwire run --check {TABLE}\nWhat every key means: docs/files/table.md"
    )
    if simulated:
        head += "\nIts devices are simulated. Start them first, in a terminal of their own:\n  "
        head += simulator(answers).replace("\n", "\n  ")
    text = table_text(answers.content(), head, answers.notes)
    files = {**answers.files, TABLE: NewFile(text.encode())}
    try:
        with staged(folder, files) as stage:
            if answers.wants_key:
                SealingKey.new(stage / KEY)
            yield stage
    except OSError as error:
        raise _failed(error, folder) from error


def _failed(error: OSError, folder: Path) -> Stop:
    return Stop(BY_ERRNO.get(error.errno or 0, Exit.USAGE), f"{error.filename or folder}: {error.strerror}")


def stage_names(stage: Path) -> list[str]:
    """Return the files that are made, the table last: it names the others."""
    return sorted((each.name for each in stage.iterdir() if not each.is_symlink()), key=lambda name: name == TABLE)


def checked(stage: Path, folder: Path) -> Exit:
    """Try the file as `run --check` does, print each line, and return the exit code."""
    from dealwire.cli.run_check import everything

    heading("Check")
    code = Exit.GOOD
    for tried in everything(stage / TABLE, StartOptions()):
        text = tried.text
        if tried.error is not None:
            found, text = explain(tried.error)
            code = found if code is Exit.GOOD else code
        for place, name in ((f"{stage}/", ""), (str(stage), str(folder))):
            text = text.replace(place, name)
        if tried.outcome != "ok":
            say(f"{tried.outcome}: {tried.what}: {text}", indent="  ")
    if code is Exit.GOOD:
        say("The file can be served.", indent="  ")
    return code


def written(stage: Path, folder: Path) -> None:
    """Put the files in place, all or none."""
    names = [name for name in stage_names(stage) if not _is_same(stage / name, folder / name)]
    with whole():
        put_in_place(stage, folder, names)
    for name in names:
        mode = (folder / name).stat().st_mode & 0o777
        say(f"wrote {folder / name}{', for its owner alone' if mode == 0o600 else ''}")


def _is_same(new: Path, old: Path) -> bool:
    return old.exists() and old.read_bytes() == new.read_bytes()


# ------------------------------------------------------------------ the system


def offer_system_files(ask: Asker, install: bool | None, destdir: Path) -> None:
    """Install the unit and the udev rules where that is wanted and allowed; else print the commands."""
    from dealwire.cli.system_files import SERVICE, printed, udev_rules_of_all

    if install is False and (destdir / "lib/systemd/system" / SERVICE).exists():
        return  # the package has installed both
    heading("Service")
    root = user_id() == 0 or destdir != Path("/")
    if install is None and root:
        install = ask.confirm("install", f"Install the systemd unit and the udev rules below {destdir}?", False)
    if install and root:
        for path, text in ((destdir / UNIT, printed(SERVICE)), (destdir / RULES, udev_rules_of_all())):
            _install(path, text)
        if destdir == Path("/"):
            for program in (["systemctl", "daemon-reload"], ["udevadm", "control", "--reload"]):
                _run(program)
        return
    if install:
        say("Only root can install them.", indent="  ")
    say("As root, these commands install the unit and the udev rules:", indent="  ")
    for line in (
        f"dealwire run --print-unit | sudo tee /{UNIT}",
        f"dealwire run --print-udev | sudo tee /{RULES}",
        "sudo systemctl daemon-reload && sudo udevadm control --reload",
    ):
        echo(f"    {line}")


def _install(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f".{path.name}-new")
        new.write_text(text, encoding="utf-8")
        os.replace(new, path)
    except OSError as error:
        raise Stop(BY_ERRNO.get(error.errno or 0, Exit.USAGE), f"{path}: {error.strerror}") from error
    say(f"wrote {path}", indent="  ")


def _run(line: list[str]) -> None:
    try:
        done = subprocess.run(line, capture_output=True, text=True)
    except OSError as error:
        say(f"{shlex.join(line)}: {error.strerror}", indent="  ")
        return
    if done.returncode:
        say(f"{shlex.join(line)}: {done.stderr.strip()}", indent="  ")


def simulator(answers: Answers) -> str:
    """Return the command that simulates the devices of a table."""
    names = {"table-controller": "controller"}
    lines = [
        f"--{names.get(each['kind'], each['kind'])} tcp:{each['address'].rpartition(':')[2]}"
        for each in answers.table["device"]
    ]
    return f"dealwire sim --procedure {answers.procedure.id} --speed 20 \\\n    {' '.join(lines)}"


def next_steps(answers: Answers, folder: Path, simulated: bool) -> None:
    """Say what to type next."""
    heading("Next")
    table = shlex.quote(str(folder / TABLE))
    if simulated:
        say("In a terminal of its own, the devices:", indent="  ")
        for line in simulator(answers).splitlines():
            echo(f"    {line}")
    say("The table:", indent="  ")
    echo(f"    dealwire run {table}")
    if answers.console is not None and "tokens-file" in answers.console:
        say(f"To act at the console, sign in with a token of {folder / TOKENS}.", indent="  ")
