"""Rules for the cards that a house keeps, as a strict TOML file; the first rule that some cards satisfy decides."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from dealer_flow.tomlfile import TomlTable, files_in, load
from protocol.cards import ACE_HIGH, SUITS, Card, high_rank
from protocol.tomlfile import Key

KEEPS: Final = Path(__file__).parents[1] / "data" / "keeps"


class KeepRule(TomlTable):
    """One rule about the cards that are kept."""

    does: str
    """The rule in words."""
    clause: str
    equal: bool = False
    """True if the cards are of one rank."""
    least: tuple[Annotated[int, Field(ge=2, le=ACE_HIGH)], ...] = ()
    """Minimum ranks of the cards, highest first."""
    most: Annotated[int, Field(ge=2, le=ACE_HIGH)] = ACE_HIGH
    """Highest rank of each card; 14 is an ace."""
    suited: bool = False
    """True if the cards are of one suit."""
    connected: bool = False
    """True if the cards' ranks are consecutive."""


class KeepFile(TomlTable):
    """A house way of keeping `kept` of `cards` cards. Among cards that satisfy the same rule the highest are kept;
    among equal ones those of one suit, then the first of clubs, diamonds, hearts and spades."""

    schema_: Literal["dealwire.keep/1"] = Field(alias="schema")
    id: str
    title: str
    clause: str
    cards: Annotated[int, Field(ge=2, le=9)]
    """Number of cards to choose from."""
    kept: Annotated[int, Field(ge=1, le=8)]
    """Number of cards kept."""
    rules: Annotated[tuple[KeepRule, ...], Field(min_length=1)]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptCards:
    """The cards kept, and the rule that decided."""

    cards: tuple[Card, ...]
    rule: KeepRule


def keep(spec: KeepFile, cards: Iterable[Card]) -> KeptCards:
    """Return the cards that the house keeps; raise ValueError for a wrong number of cards."""
    cards = tuple(cards)
    if len(cards) != spec.cards:
        raise ValueError(f"{spec.id} keeps {spec.kept} of {spec.cards} cards, not of {len(cards)}")
    for rule in spec.rules:
        fits = [chosen for chosen in combinations(cards, spec.kept) if _fits(rule, chosen)]
        if fits:
            return KeptCards(max(fits, key=_card_order), rule)
    raise ValueError(f"{spec.id} has no rule for {' '.join(map(str, cards))}")


def _ranks(cards: Iterable[Card]) -> list[int]:
    """Return the ranks, highest first, with the ace as 14."""
    return sorted(map(high_rank, cards), reverse=True)


def _fits(rule: KeepRule, cards: tuple[Card, ...]) -> bool:
    ranks = _ranks(cards)
    return (
        (not rule.equal or len(set(ranks)) == 1)
        and (rule.equal or len(set(ranks)) == len(ranks))
        and all(rank >= least for rank, least in zip(ranks, rule.least, strict=False))
        and ranks[0] <= rule.most
        and (not rule.suited or len({card.suit for card in cards}) == 1)
        and (not rule.connected or all(high - low == 1 for high, low in pairwise(ranks)))
    )


def _card_order(cards: tuple[Card, ...]) -> tuple[object, ...]:
    """Sort key: higher ranks first, then cards of one suit, then suits in alphabetical order."""
    suited = len({card.suit for card in cards}) == 1
    return (*_ranks(cards), suited, *sorted((-SUITS.index(card.suit or "S") for card in cards), reverse=True))


def keep_ids() -> tuple[str, ...]:
    """Return the ids of the keep rules in this package."""
    return tuple(files_in(KEEPS))


@cache
def load_keep(source: str | Path) -> KeepFile:
    """Load keep rules by id or from a file; TomlFileError names the file, line, key and allowed values."""
    return load(source if isinstance(source, Path) else KEEPS / f"{source}.toml", KeepFile, _faults)


def _faults(spec: KeepFile) -> Iterator[tuple[Key, str]]:
    if spec.kept >= spec.cards:
        yield ("kept",), f"{spec.kept} of {spec.cards} cards; allowed: fewer"
    for index, rule in enumerate(spec.rules):
        if len(rule.least) > spec.kept:
            yield ("rules", index, "least"), f"{len(rule.least)} ranks; allowed: at most {spec.kept}, the number kept"
