"""The questions of `dealwire init`, in order, and the table.toml that their answers make."""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from dealer_flow.editions import load_edition
from dealer_flow.procedure.load import Procedure
from dealwire.cli.asking import Asker, Unfit, dollars, list_choices, pick, say, whole_number
from dealwire.cli.exits import Exit, Stop
from dealwire.cli.options import pairs
from dealwire.config.schema import ConsolePart
from dealwire.config.table_parts import TablePart
from dealwire.hub.actions import ROLES
from dealwire.listening import is_loopback
from dealwire.setup import choices as known
from dealwire.setup.choices import Ambiguity, Choice
from dealwire.setup.writing import NewFile
from dealwire.table.viewer import usual_seats
from protocol.printable import printable
from rules.game.load import Game
from rules.meters.setup import parse_rate

TOKENS, KEY, PROGRESSIVE, TABLE = "tokens.toml", "journal.key", "progressive.toml", "table.toml"
_NAME: Final = re.compile(r"[A-Za-z0-9]+([._-][A-Za-z0-9]+)*")
_HOUSE_RATE: Final = "21 %"
NOBODY: Final = "-"
"""Answer for `nobody` or `none` where an empty line means the default."""


@dataclass
class Answers:
    """All that is known so far: the game, the parts of the file, the other files."""

    procedure: Procedure
    game: Game | None = None
    table: dict[str, Any] = field(default_factory=dict)
    journal: dict[str, Any] = field(default_factory=dict)
    console: dict[str, Any] | None = None
    files: dict[str, NewFile] = field(default_factory=dict)
    wants_key: bool = False
    notes: dict[str, str] = field(default_factory=dict)
    """Sentences for the comments of keys, by path."""

    def content(self) -> dict[str, Any]:
        """The whole file, in its order."""
        console = {"console": self.console} if self.console is not None else {}
        return {"schema": "dealwire.table/1", "journal": self.journal, **console, "table": [self.table]}


def heading(text: str) -> None:
    """Print the title of a group of questions."""
    say("")
    say(text, bold=True)


# ------------------------------------------------------------------ the game


def the_game(ask: Asker) -> Answers:
    """Ask which game is dealt, and what settles it."""
    heading("Game")
    procedure = ask.text("game", "Game: a part of its name, or ? for all", None, lambda typed: _found(ask, typed))
    say(f"{procedure.id}: {known.named(procedure)}", indent="  ")
    answers = Answers(procedure, table={"name": "", "procedure": procedure.id})
    games = known.games(procedure)
    if not games:
        say("No game file settles it: it is dealt, and nothing is settled.", indent="  ")
        answers.table["settle"] = False
        return answers
    listed = [Choice(game.id, f"{game.spec.name}{_of_options(game)}") for game in games]
    chosen = games[0].id if len(games) == 1 else ask.choice("settled-by", "Settled by", listed, games[0].id)
    answers.game = next(game for game in games if game.id == chosen)
    if chosen != games[0].id and not answers.game.spec.options:
        answers.table["game"] = chosen
    return answers


def _of_options(game: Game) -> str:
    values = [f"{name} {' or '.join(allowed)}" for name, allowed in game.spec.options.items()]
    return f", for {', '.join(values)}" if values else ""


def _found(ask: Asker, typed: str) -> Procedure:
    """The one procedure that is meant; a person chooses among several. Unfit where none or too many are."""
    if typed == "?":
        list_choices([Choice(name, known.named(one)) for name, one in known.procedures().items()], None)
        raise Unfit("type a part of a name, or an id")
    found = known.search(typed)
    shown = printable(repr(typed), 40)
    if not found:
        raise Unfit(f"no game has {shown} in its name{known.suggestion(typed)}; dealwire games lists all")
    if len(found) == 1:
        return found[0]
    if not ask.asks or ask.given("game") is not None:
        raise Unfit(f"{shown} may be any of {', '.join(one.id for one in found)}")
    listed = [Choice(one.id, known.named(one)) for one in found]
    list_choices(listed, None)
    chosen = ask.text("", "Which one", None, lambda answer: pick(answer, listed))
    return known.procedures()[chosen]


def the_edition(ask: Asker, answers: Answers) -> None:
    """Ask which edition of the regulation the table deals by."""
    listed = known.editions(answers.procedure)
    if not listed:
        return
    today = str(ask.given("today"))
    in_force = [each.value for each in listed if load_edition(each.value).holds_on(today)]
    listed = [*listed, Choice("as-printed", "the text that the files of this program print, on any date")]
    chosen = ask.choice("edition", "Edition of the regulation", listed, in_force[0] if in_force else "as-printed")
    if chosen != "as-printed":
        answers.table["edition"] = chosen


# ------------------------------------------------------------------ readings


def the_readings(ask: Asker, answers: Answers) -> None:
    """Ask for the readings of the text: options of the procedure, readings of the game, and who signs."""
    heading("Readings")
    say("Where the regulation is ambiguous, the table needs a reading. Each has a default, marked *.", indent="  ")
    options = known.options(answers.procedure, answers.game)
    answers.table["options"] = _chosen(ask, "option", options, {o.name: o.default for o in answers.procedure.option})
    if answers.game is None:
        return
    readings = known.readings(answers.game)
    answers.table["readings"] = _chosen(ask, "reading", readings, answers.game.default_readings())
    if readings:
        _signatures(ask, answers, readings)


def _chosen(ask: Asker, key: str, open_points: Sequence[Ambiguity], printed: Mapping[str, str]) -> dict[str, str]:
    """The values that differ from what is used without an answer."""
    by_name = {point.name: point for point in open_points}
    found = {point.name: point.default for point in open_points}
    given = ask.given(key)
    for name, value in pairs(given, f"--{key}").items() if isinstance(given, tuple) else ():
        if name not in by_name:
            raise Stop(
                Exit.USAGE, f"--{key}: no {key} {printable(repr(name), 40)}; allowed: {', '.join(by_name) or 'none'}"
            )
        try:
            found[name] = pick(value, known.sound(by_name[name].choices, _accepts(ask)))
        except Unfit as error:
            raise Stop(Exit.USAGE, f"--{key} {name}: {error}") from None
    if ask.asks and not given and open_points:
        _review(ask, open_points, found)
    return {name: value for name, value in found.items() if value != printed.get(name)}


def _review(ask: Asker, open_points: Sequence[Ambiguity], found: dict[str, str]) -> None:
    """Show every ambiguity, and let the person change those that are wanted."""
    for at, point in enumerate(open_points, 1):
        _show(at, point, found[point.name])
    by_name = {point.name: point for point in open_points}
    names = [Choice(name) for name in by_name]
    while name := ask.text("", "Number of one to change, or Enter to keep all", "", lambda typed: _one(typed, names)):
        allowed = known.sound(by_name[name].choices, _accepts(ask))
        found[name] = ask.choice("", name, allowed, found[name])


def _one(typed: str, names: Sequence[Choice]) -> str:
    return pick(typed, names) if typed else ""


def _show(at: int, point: Ambiguity, value: str) -> None:
    say(f"{at}. {point.name}{f' ({point.clause})' if point.clause else ''}", indent="  ")
    say(f"{point.because}.", indent="     ")
    if point.against:
        say(f"Against the default: {point.against}.", indent="     ")
    for choice in point.choices:
        mark = "*" if choice.value == value else " "
        say(f"{mark} {choice.value}{f': {choice.text}' if choice.text else ''}", indent="     ")


def _accepts(ask: Asker) -> bool:
    return ask.given("accept-suspect") is True


def _signatures(ask: Asker, answers: Answers, readings: Sequence[Ambiguity]) -> None:
    """Ask who signs the readings of the game, and what happens to those that no one signs."""
    by = ask.text("signed-by", "Who signs these readings for the house (Enter: no one yet)", "", _line)
    if by:
        day = str(ask.given("signed-on") or ask.given("today"))
        use = {point.name: answers.table["readings"].get(point.name, point.default) for point in readings}
        answers.table["signed"] = [{"by": by, "on": day, "readings": use}]
        return
    listed = [
        Choice("settle", "bets are settled by readings that no one has signed"),
        Choice("wait", "a bet that such a reading decides is held until a supervisor releases it once"),
    ]
    chosen = ask.choice("unsigned-readings", "Readings that no one has signed", listed, "settle")
    if chosen != "settle":
        answers.table["unsigned-readings"] = chosen


def _line(typed: str) -> str:
    if len(typed) > 200 or not typed.isprintable():
        raise Unfit("one line of at most 200 characters")
    return "" if typed == NOBODY else typed


# ------------------------------------------------------------------ money


def the_money(ask: Asker, answers: Answers) -> None:
    """Ask for pay tables, meters, limits, and what the house takes."""
    if answers.game is None:
        return
    heading("Money")
    game = answers.game
    in_use = {**game.default_readings(), **answers.table["readings"]}
    answers.table["paytables"] = _paytables(ask, game, in_use)
    _meters(ask, answers, {**game.default_paytables(in_use), **answers.table["paytables"]})
    limit = ask.text("limit", "Maximum of one bet, in dollars (Enter: the regulation's figure, if any)", "", _amount)
    if limit:
        answers.table["limit-cents"] = limit
    answers.table["token-cents"] = ask.text("token", "Smallest chip at the table, in dollars", "0.25", _amount)
    if game.spec.commission is not None:
        most = game.spec.commission.most_percent
        answers.table["commission"] = ask.text(
            "commission", f"Commission on wins, percent, at most {most}", "0", _percent
        )
    if game.rake is not None:
        most = game.rake.most_percent
        percent = ask.text("rake", f"Rake from each pot, percent, at most {most}", "0", _percent)
        cap = ask.text("rake-cap", "Maximum rake per round, in dollars (Enter: no cap)", "", _amount)
        answers.table["rake"] = {"percent": percent, **({"cap-cents": cap} if cap else {})}
    if _accepts(ask):
        answers.table["accept-suspect"] = True


def _paytables(ask: Asker, game: Game, readings: dict[str, str]) -> dict[str, str]:
    """The pay tables that are not the first of their bet."""
    given = ask.given("paytable")
    wanted = pairs(given, "--paytable") if isinstance(given, tuple) else {}
    tables = known.paytables(game, readings)
    for bet in wanted:
        if bet not in tables:
            raise Stop(
                Exit.USAGE,
                f"--paytable: no bet {printable(repr(bet), 40)} with several pay tables; allowed: {', '.join(tables)}",
            )
    found = {}
    for bet, listed in tables.items():
        sound = known.sound(listed, _accepts(ask))
        first = listed[0].value
        default = first if first in [each.value for each in sound] else sound[0].value
        if bet in wanted:
            try:
                chosen = pick(wanted[bet], sound)
            except Unfit as error:
                raise Stop(Exit.USAGE, f"--paytable {bet}: {error}") from None
        elif wanted or not ask.asks:
            chosen = default
        else:
            chosen = ask.choice("", f"Pay table of {bet}", sound, default)
        if chosen != first:
            found[bet] = chosen
    return found


def _meters(ask: Asker, answers: Answers, paytables: Mapping[str, str]) -> None:
    """Ask where meters stand, and what goes to them."""
    game = answers.game
    assert game is not None
    bet = game.progressive
    if bet is None:
        names = game.meters()
        answers.table["meters"] = {name: _starts(ask, name, "0") for name in names}
        return
    names = known.meters_that_pay(game, paytables.get(bet.name, "")) if paytables.get(bet.name) else game.meters()
    if not names:
        return
    listed = [
        Choice("grows", "part of every progressive bet goes to the meter; a file progressive.toml says how much"),
        Choice("fixed", "the meter stays where it is until it is won"),
    ]
    kind = ask.choice("progressive", f"The {bet.name} bet pays from the meter {' and '.join(names)}", listed, "grows")
    starts = {name: _starts(ask, name, "10000") for name in names}
    if kind == "fixed":
        say(
            f"WARNING: no part of the {bet.name} bets goes to a fixed meter. At a table that takes real bets, choose"
            " grows.",
            indent="  ",
        )
        answers.table["meters"] = starts
        answers.notes["table.meters"] = (
            "No part of the progressive bets goes to these meters: they stay as they are until they are won."
        )
        return
    answers.table["progressive"] = PROGRESSIVE
    answers.files[PROGRESSIVE] = NewFile(_setup(ask, starts).encode())


def _starts(ask: Asker, name: str, default: str) -> int:
    given = ask.given("meter")
    wanted = pairs(given, "--meter") if isinstance(given, tuple) else {}
    if name in wanted:
        try:
            return dollars(wanted[name])
        except Unfit as error:
            raise Stop(Exit.USAGE, f"--meter {name}: {error}") from None
    return ask.text("", f"Meter {name}, in dollars", default, dollars) if ask.asks and not wanted else dollars(default)


def _setup(ask: Asker, starts: Mapping[str, int]) -> str:
    """The file of the progressive: each meter with its seed and the part of every bet that it gets."""
    usual = f"{int(_HOUSE_RATE.split()[0]) // max(len(starts), 1)} %"
    say("The regulation prints no rate: the house sets it.", indent="  ")
    rate = ask.text("contribution", "Part of every progressive bet that goes to each meter, percent", usual, _rate)
    executive = ask.text(
        "executive-from", "Awards from this amount on need an executive's card, in dollars", "1000", _amount
    )
    head = (
        "# The house's progressive. docs/progressive.md explains every key.\n"
        'schema = "dealwire.progressive/1"\n'
        'id = "house"\n'
        "# An award of this amount or more needs an executive's card, a smaller one a supervisor's.\n"
        f"executive-from-cents = {executive}\n"
        "# Amount on a lit sensor if the controller does not report it.\n"
        "sensor-cents = 100\n"
    )
    part = (
        "\n[[meters]]\n"
        'name = "{}"\n'
        "# Amount with which it starts, and starts again after all of it was paid.\n"
        "seed-cents = {}\n"
        "# The part of every progressive bet that goes to this meter.\n"
        'contribution = "{}"\n'
    )
    return head + "".join(part.format(name, cents, rate) for name, cents in starts.items())


def _amount(typed: str) -> int:
    """Cents of an amount above zero; 0 for no answer."""
    if not typed:
        return 0
    if cents := dollars(typed):
        return cents
    raise Unfit("an amount above zero is needed")


def _percent(typed: str) -> str:
    if re.fullmatch(r"\d{1,3}(\.\d{1,4})?", typed, re.ASCII):
        return typed
    raise Unfit(f"{printable(repr(typed), 40)} is not a percentage, such as 5 or 2.5")


def _rate(typed: str) -> str:
    text = f"{typed.removesuffix('%').strip()} %"
    try:
        parse_rate(text)
    except ValueError:
        raise Unfit(f"{printable(repr(typed), 40)} is not a rate from 0 to 100, such as 21.5") from None
    return text


# ------------------------------------------------------------------ table and devices


def the_table(ask: Asker, answers: Answers) -> None:
    """Ask for the table's name and its seats."""
    heading("Table")
    answers.table["name"] = ask.text("name", "Name of the table, in results and addresses", "pit-1", _name)
    most = min(answers.procedure.seats.most, 32)
    seats = ask.text(
        "seats",
        f"Seats that the console shows, 1 to {most}",
        str(usual_seats(answers.procedure)),
        whole_number(1, most),
    )
    answers.table["seats"] = seats


def _name(typed: str) -> str:
    if _NAME.fullmatch(typed) and len(typed) <= 64:
        return typed
    raise Unfit("letters and digits, with dots, dashes or underscores between them")


# ------------------------------------------------------------------ console and journal


def the_console(ask: Asker, answers: Answers, has_extra: bool) -> None:
    """Ask for the console, and who may act at it."""
    heading("Console and journal")
    if not has_extra:
        say("The extra console is not installed: this table has no page in a browser.", indent="  ")
    if not ask.confirm("console", "Show the table in a browser?", has_extra):
        return
    usual = ConsolePart()
    host = ask.text(
        "host", "Address to listen at, of this machine only (for others, add TLS afterwards)", usual.host, _host
    )
    port = ask.text("port", "TCP port", str(usual.port), whole_number(0, 65535))
    answers.console = {"host": host, "port": port}
    roles = ask.text(
        "roles", "Who may act there, of dealer, supervisor, technician (-: nobody)", "supervisor, technician", _roles
    )
    if roles:
        answers.console["tokens-file"] = TOKENS
        lines = [f'{role} = "{secrets.token_urlsafe(18)}"\n' for role in roles]
        head = '# Who may act at the console: ROLE = "TOKEN". Its owner alone may read this file.\n'
        answers.files[TOKENS] = NewFile((head + "".join(lines)).encode(), private=True)


def _host(typed: str) -> str:
    if is_loopback(typed):
        return typed
    raise Unfit(
        "an address of this machine alone, such as 127.0.0.1; for others, add TLS afterwards: docs/guides/tls.md"
    )


def _roles(typed: str) -> list[str]:
    words = [] if typed == NOBODY else [word for word in re.split(r"[\s,]+", typed.lower()) if word]
    if wrong := next((word for word in words if word not in ROLES), None):
        raise Unfit(f"{printable(repr(wrong), 40)} is not a role; allowed: {', '.join(ROLES)}, or {NOBODY}")
    return [role for role in ROLES if role in words]


def the_journal(ask: Asker, answers: Answers, has_extra: bool) -> None:
    """Ask where the journal is, and what seals the raw bytes in it."""
    journal = ask.text("journal", "Journal, a file of this folder or a path", "journal.sqlite", _file)
    answers.journal = {"path": journal}
    listed = [
        Choice("key-file", f"a key in {KEY}: whoever has that file reads them"),
        Choice("auditor", "an auditor's public key: nobody at the table reads a round that is over"),
        Choice("none", "they are in the clear: whoever has the journal reads them, faces included"),
    ]
    if not has_extra:
        say("The extra journal is not installed: nothing can be sealed.", indent="  ")
    chosen = ask.choice("seal", "What seals the raw bytes", listed, "key-file" if has_extra else "none")
    if chosen == "key-file":
        answers.journal["key-file"], answers.wants_key = KEY, True
    elif chosen == "auditor":
        question = "The auditor's public key (made by: dealwire journal auditor new PRIVATE PUBLIC)"
        answers.journal["auditor-key-file"] = ask.text("auditor-key", question, None, _existing)
    archive = ask.text("archive", "Folder for copies of each day that is over (Enter: none)", "", _line)
    if archive:
        answers.journal["archive"] = archive


def _file(typed: str) -> str:
    if typed and typed.isprintable() and not typed.endswith("/"):
        return typed
    raise Unfit("the name of a file")


def _existing(typed: str) -> str:
    if typed and Path(typed).is_file():
        return str(Path(typed).absolute())
    raise Unfit(f"{printable(repr(typed), 60)} is not a file")


def dropped_defaults(table: dict[str, Any]) -> dict[str, Any]:
    """Return the table without empty parts and without what holds anyway."""
    usual = {key.replace("_", "-"): field.default for key, field in TablePart.model_fields.items()}
    return {
        key: value
        for key, value in table.items()
        if value not in ({}, []) and (key == "token-cents" or value != usual.get(key))
    }
