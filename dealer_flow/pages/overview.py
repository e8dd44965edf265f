"""`docs/games/README.md`: every procedure in one line, printed from the files."""

from typing import Final

from dealer_flow.procedure.load import Procedure, known_procedures, load_procedure

INTRO: Final = (
    "# Games",
    "<!-- printed by python -m dealer_flow.pages.write -->",
    "",
    "How each game is dealt, under the defaults of its [readings](../readings.md). Each link is a dealing card: every",
    "step with its clause, what a wrong count means, the readings, the states. `dealwire games --json` gives the same",
    "as data; [procedures](../procedures.md) says how to write a file of your own.",
    "",
    "| game | clause | dealt from | seats | the deal |",
    "| --- | --- | --- | --- | --- |",
)


def games_page() -> str:
    """The page, games in the order of their ids."""
    return "\n".join([*INTRO, *(_line(load_procedure(name)) for name in known_procedures()), ""])


def _line(procedure: Procedure) -> str:
    deck = procedure.deck
    size = f"{deck.cards} cards" if deck.decks == 1 else f"{deck.decks} x {deck.cards} cards"
    game = f"[{procedure.title}]({procedure.id}.md)"
    source = f"{procedure.device.replace('-', ' ')}, {size}"
    cells = (game, procedure.clause, source, f"{procedure.seats.most}", deal_in_words(procedure))
    return f"| {' | '.join(cells)} |"


def deal_in_words(procedure: Procedure) -> str:
    """The steps that move cards and the choices between them: `5 at once to seats, dealer; choice`."""
    if procedure.shoe is not None:
        return f"one card at a time to the column of its {procedure.shoe.columns.by}"
    defaults = {option.name: option.default for option in procedure.option}
    words: list[str] = []
    for step in procedure.step:
        if step.when is not None and defaults[step.when.option] != step.when.is_:
            continue
        words += filter(None, [step.brief()])
    rest = procedure.remainder
    words += [f"{rest.cards} remain"] if rest is not None and rest.cards is not None else []
    return "; ".join(words)
