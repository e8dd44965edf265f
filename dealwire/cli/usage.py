"""A command that was typed wrong, in one line: what is wrong, what may have been meant, where help is."""

import click

from protocol.nearest import did_you_mean


class NoSuchCommand(click.UsageError):
    """The group has no command of that name."""

    def __init__(self, name: str, ctx: click.Context, known: list[str]) -> None:
        super().__init__(f"no such command {name!r}{did_you_mean(name, known)}", ctx)


def usage_line(error: click.UsageError) -> str:
    """`dealwire replay: no such option '--jsno' (did you mean --json?); see dealwire replay --help`."""
    command = error.ctx.command_path if error.ctx is not None else "dealwire"
    what = " ".join(_what(error).split()).removesuffix(".")
    return f"{command}: {what[:1].lower()}{what[1:]}; see {command} --help"


def _what(error: click.UsageError) -> str:
    name = getattr(error, "command_name", None)  # click has said so apart from the message since 8.4
    if isinstance(name, str) and error.ctx is not None and isinstance(error.ctx.command, click.Group):
        return NoSuchCommand(name, error.ctx, error.ctx.command.list_commands(error.ctx)).message
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        known = [each for option in error.ctx.command.get_params(error.ctx) for each in option.opts
                 if isinstance(option, click.Option)]  # fmt: skip
        return f"no such option {error.option_name!r}{did_you_mean(error.option_name, known)}"
    return error.format_message()
