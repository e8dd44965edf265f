"""Tables that a procedure file may hold besides its steps, and the keys of each."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, NamedTuple, get_args

from pydantic import Field

from dealer_flow.english import cards, listed
from dealer_flow.tomlfile import TomlTable

Name = Annotated[str, Field(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$")]
Clause = Annotated[str, Field(min_length=1)]
Byte = Annotated[int, Field(ge=1, le=255)]

Recipient = Name
"""`seats`, `dealer`, `community`, or the name of a `[[hand]]`."""
Device = Literal["packet-shuffler", "card-shoe", "hand"]
"""Source of the cards. `hand`: dealt by the dealer, unseen by any device."""
How = Literal["short", "long", "exposed", "off-table", "dropped", "early"]
"""Errors of a hand: too few cards, too many, a card seen that should not be, a card off the table, one dropped as it
was dealt, one dealt before its time."""
FaultPolicy = Literal["note", "count", "person", "misdeal", "defective-deck", "unreliable"]
"""`note`: recorded only. `count`: the cards counted decide. `person`: the person who clears the fault decides."""
Then = Literal[
    "nothing",
    "dead-hand",
    "progressive-only",
    "misdeal",
    "replace",
    "complete",
    "reshuffle",
    "set-aside",
    "kept",
    "bury",
    "stays-open",
    "person",
    "defective-deck",
    "unreliable",
]
"""Consequences of a finding.

- `nothing`: recorded, play continues.
- `dead-hand`: the hand at that place is dead, the table plays on.
- `progressive-only`: a misdeal for the table; hands may be played for the progressive only.
- `misdeal`: the round is void.
- `replace`: the card is dead, and the next takes its place at once.
- `complete`: the hand gets the next card after all others have theirs.
- `reshuffle`: cards go back into the deck, which is shuffled, and play continues where it was.
- `set-aside`: a card dealt early is out of play until the last one is dealt, before which it goes back into the deck.
- `kept`: a card dealt early is the one that is due next.
- `bury`: cards dealt early go to the discards, and one for each further player, before the next are dealt.
- `stays-open`: a card that was seen plays, and its player may declare all-in.
- `person`: a supervisor is called and rules: calls the misdeal, or lets play continue.
- `defective-deck`: every bet goes back, the deck leaves the table.
- `unreliable`: nothing is settled, a supervisor decides.
"""


class DeckPart(TomlTable):
    """The deck that is dealt from."""

    cards: Annotated[int, Field(ge=1, le=60)]
    """Cards of one deck, jokers included."""
    jokers: Annotated[int, Field(ge=0, le=4)]
    """Jokers of one deck."""
    decks: Annotated[int, Field(ge=1, le=16)] = 1
    """Decks that are dealt together (a shoe)."""
    alternating: Annotated[int, Field(ge=1, le=2)] = 1
    """Sets of different backs that may take turns; with `[care.alternate]` they must."""
    fresh: Literal["each-round", "until-cut-card"] = "each-round"
    """`each-round`: each round has the whole deck. `until-cut-card`: it continues where the last one stopped;
    `[care.shuffle]` says for how long."""
    clause: Clause


class SeatsPart(TomlTable):
    """Most players, or hands of players, that may be dealt to."""

    most: Annotated[int, Field(ge=1, le=32)]
    clause: Clause


class Chooses(NamedTuple):
    """Marks a key that names an option, or a table that does: the values between which the option must choose."""

    words: tuple[str, ...]


class HandPart(TomlTable):
    """A place for cards other than the seats, the dealer's hand and the community."""

    name: Name
    """Name that the game gives the hand."""
    place: Annotated[str, Field(pattern=r"^hand [1-8]$")]
    """Number that the devices give it, `hand 1` to `hand 8`."""
    side: Literal["house", "players", "community"]
    """Owner of the hand when a count is wrong or hands are shown."""
    clause: Clause


class NumberPart(TomlTable):
    """The number, of dice or of a generator, that says who gets the first hand; the dealer's place counts as one."""

    most: Annotated[int, Field(ge=1, le=99)] = 18
    """The highest number."""
    sets_bets: bool = False
    """Once the number is drawn no bet may change, even before START GAME."""
    clause: Clause
    """Clause on the number, if the deal's own does not mention it."""


class WhenPart(TomlTable):
    """Condition: the table around it applies only under this reading."""

    option: Name
    """Name of the option."""
    is_: str
    """Value that the option must have."""


def chosen(when: WhenPart | None, options: Mapping[str, str]) -> bool:
    """Return True if the condition holds under these options, or there is none."""
    return when is None or options.get(when.option) == when.is_


class SettlesPart(TomlTable):
    """A bet that is settled once a step is over."""

    bet: Name
    """Name of the bet."""
    of: Name | None = None
    """Choice of the seats for which the bet is settled, or `declared` for seats that showed a hand at the step to
    declare it; absent: all seats."""
    when: WhenPart | None = None
    """The reading under which the bet is settled; absent: always."""


DECLARED: Final = "declared"
"""Value of `SettlesPart.of` for a seat that showed its hand at the step to declare it."""


class Consequence(TomlTable):
    """Consequence of a finding, with its clause. Exactly one of `then` and `option` is given."""

    then: Then | None = None
    """The consequence."""
    option: Name | None = None
    """The option that decides between consequences."""
    returns: tuple[Name, ...] | None = None
    """The bets that go back, at the seat for a dead hand, at every seat for a misdeal; absent: all of them, or for
    progressive-only all but the progressive."""
    returns_when: WhenPart | None = None
    """The reading under which the bets go back; absent: always."""
    also: tuple[Name, ...] = ()
    """Further bets that go back, under the reading `also_when`."""
    also_when: WhenPart | None = None
    """The reading under which the bets of `also` go back."""
    back: Literal["card", "step", "step-and-burn"] = "card"
    """Cards that are shuffled into the deck again: the `card` alone, all cards of that `step` at the place, or
    `step-and-burn`, the card burned before them, too."""
    calls: Literal["supervisor"] | None = None
    """Person who must come at once."""
    clause: Clause

    @property
    def decides(self) -> Literal["then", "option"]:
        """Key that gives the consequence."""
        return "then" if self.then else "option"


class CountEveryPart(TomlTable):
    """The deck is counted at least every so many minutes: the flow reports when a count is due."""

    minutes: Annotated[int, Field(ge=1, le=1440)]
    clause: Clause


class AgePart(TomlTable):
    """Rounds after which a deck must be changed, or before which it may not be: the option's value; `0` for no
    limit."""

    option: Name
    clause: Clause


class AlternatePart(TomlTable):
    """Rule that two decks take turns from hand to hand."""

    clause: Clause


class BurnedPart(Consequence):
    """Burned cards are kept from the discards until every card is dealt: the consequence if they are not."""

    back_on_top: bool = False
    """A dealer who cannot deal at once may lay the card burned last back on the deck; it is burned again."""


class UnburnedPart(Consequence):
    """The dealer forgot to burn a card before those of a step."""

    offers: Name | None = None
    """A choice that each player then has, until the next one is made or the hands are shown."""


RUNS_OUT: Final = ("scramble", "scramble-or-community", "person", "misdeal")
"""Consequences of having fewer cards left than are due.

- `scramble`: the last card is not dealt but scrambled with the burned ones; one of them is burned, unless all are
  needed, and the hands that lack cards get them by hand. If even these are too few, a supervisor rules.
- `scramble-or-community`: as `scramble`; if even these are too few no player gets one, and after another burn one card
  is turned up for all.
- `person`: a supervisor rules: calls the misdeal, or has the cards dealt by hand.
"""


class RunsOutPart(TomlTable):
    """Rule on a deal for which fewer cards are left than are due."""

    option: Annotated[Name, Chooses(RUNS_OUT)]
    """The option that says what happens then: one of `scramble`, `scramble-or-community`, `person`, `misdeal`."""
    clause: Clause


SHOES: Final = ("dealing", "shuffling")
"""`dealing`: cards come out of it until it is shuffled by hand. `shuffling`: the shoe shuffles the cards dealt from it,
which go back into it after each round."""


class ShufflePart(TomlTable):
    """A shoe that is dealt from round after round is shuffled."""

    rounds: Annotated[int, Field(ge=1, le=99)]
    """Maximum number of rounds after which the shoe is shuffled."""
    identical: tuple[Recipient, ...] = ()
    """Places whose cards are compared: if two cards from the shoe there are identical, it is shuffled before the next
    round."""
    option: Annotated[Name, Chooses(SHOES)]
    """The option that says which shoe it is: `dealing` or `shuffling`."""
    clause: Clause


WON: Final = ("stand", "come-back")
"""`stand`: they are settled by the hands as shown. `come-back`: each goes back as if no hand had been shown."""


class WonPart(TomlTable):
    """The deck is found defective after every hand was shown."""

    option: Annotated[Name, Chooses(WON)]
    """The option that says what happens to the bets: `stand` or `come-back`."""
    clause: Clause


class CarePart(TomlTable):
    """Rules on the age, the count, the alternation and the state of the decks."""

    count_every: CountEveryPart | None = None
    """Time after which the deck must be counted."""
    age: AgePart | None = None
    """Maximum number of rounds after which a deck must be changed."""
    least: AgePart | None = None
    """Minimum number of rounds before a deck may be changed."""
    alternate: AlternatePart | None = None
    """Rule that two decks take turns."""
    burned: BurnedPart | None = None
    """Rule that burned cards stay apart from the discards."""
    unburned: UnburnedPart | None = None
    """Rule on a burn that was forgotten."""
    extra_burn: Consequence | None = None
    """Rule on a card burned while none is due: it is kept apart, and the next card of the deck is dealt. One burned
    before its time is the burn that comes next."""
    runs_out: RunsOutPart | None = None
    """Rule on a deal for which fewer cards are left than are due."""
    shuffle: ShufflePart | None = None
    """Rule on shuffling a shoe."""
    shown: WonPart | None = None
    """Rule on hands that were shown before a deck is found defective; absent: their bets come back."""
    deck: Consequence
    """Consequence if the whole deck's count is wrong, or cards do not add up."""


EXPLAINED: Final = ("never", "by-hands")
"""`never`: exactly so many must be left. `by-hands`: a card too many in a player's hand explains one fewer left."""


class RemainderPart(TomlTable):
    """The cards left when the deal is over."""

    cards: Annotated[int, Field(ge=0, le=52)] | None = None
    """Exactly this many, if the regulation gives a number; it is spread and counted."""
    after: Name | None = None
    """The step after which it may be dumped; absent: the last one that deals."""
    explained: Annotated[Name | None, Chooses(EXPLAINED)] = None
    """The option that says whether wrong hands of players explain another number: `never` or `by-hands`."""
    clause: Clause


RESTS: Final = ("comes-back", "plays-on")
"""`comes-back`: it is the player's again, the bet is over. `plays-on`: it stays as that bet."""


class GivesUpPart(TomlTable):
    """A share of a bet goes to the house by a choice; a fraction of a cent stays the player's."""

    bet: Name
    """The bet."""
    as_: Name
    """Name of the share among the seat's wagers from then on."""
    share: Annotated[str, Field(pattern=r"^[1-9]/[1-9]$")]
    """The share, such as `1/2`."""
    rest: Annotated[Name, Chooses(RESTS)]
    """The option that says what happens to the remainder: `comes-back` or `plays-on`."""


class DecisionPart(TomlTable):
    """A choice that a player has."""

    number: Byte
    """Number of the choice in the devices' reports."""
    name: Name
    """Name of the choice."""
    folds: bool = False
    """The player gives up."""
    keeps: bool = False
    """The player gives up and all wagers go back."""
    bet: Name | None = None
    """A bet that must go with the choice."""
    bets: tuple[Name, ...] = ()
    """Bets that must go with the choice."""
    needs: tuple[Name, ...] = ()
    """Only a player with all of these bets has the choice."""
    unless: tuple[Name, ...] = ()
    """Only a player with none of these bets has the choice."""
    takes_back: Name | None = None
    """A bet that goes back to the player by the choice."""
    gives_up: GivesUpPart | None = None
    """A share of a bet that is lost by the choice."""
    draws: Annotated[int, Field(ge=0, le=7)] = 0
    """Cards that are exchanged in the next exchange."""
    discards: Annotated[int, Field(ge=0, le=7)] = 0
    """Cards that are laid down for good."""
    lays_aside: Annotated[int, Field(ge=0, le=7)] = 0
    """Cards that are set aside, face down, until the hand without them was shown and compared."""
    last: bool = False
    """The player has no further choice."""
    clause: Clause

    @property
    def stakes(self) -> tuple[str, ...]:
        """All bets that must go with the choice."""
        return self.bets if self.bet is None else (self.bet, *self.bets)

    def words(self) -> str:
        """Return the choice as in `raise (with raise, draws two cards)`."""
        parts = [f"with {listed(list(self.stakes))}"] if self.stakes else []
        parts += [f"{self.takes_back} comes back"] if self.takes_back else []
        if part := self.gives_up:
            parts.append(
                f"{'half' if part.share == '1/2' else part.share} of {part.bet} is lost, the rest as `{part.rest}` says"
            )
        parts += [f"for a player with {listed(list(self.needs))}"] if self.needs else []
        parts += [f"for a player without {listed(list(self.unless), 'or')}"] if self.unless else []
        parts += [f"draws {cards(self.draws)}"] if self.draws else []
        parts += [f"lays down {cards(self.discards)}"] if self.discards else []
        parts += [f"sets {cards(self.lays_aside)} aside, face down"] if self.lays_aside else []
        parts += ["gives up" + (" and keeps all wagers" if self.keeps else "")] if self.folds else []
        parts += ["has no further choice in this round"] if self.last else []
        return f"{self.name} ({', '.join(parts)})" if parts else self.name


GAMES_BEFORE: Final = ("stands", "void")
"""`stands`: bets that were settled by the cards shown last stand, as long as none of these is wrong. `void`: they are
void with the others, whichever community cards are wrong."""


class WrongPart(Consequence):
    """Consequence of an error in a hand.

    Every place that gets cards needs a row for `short` and for `long`; without a row for `exposed` or `off-table`, a
    supervisor rules.
    """

    of: Recipient
    """The recipient whose hand it is, or `remainder`."""
    how: Annotated[tuple[How, ...], Field(min_length=1)]
    """The errors that the row covers."""
    at: tuple[Name, ...] = ()
    """The row covers only cards of these steps."""
    missing: Annotated[int, Field(ge=1, le=7)] | None = None
    """The hand is short by at least so many cards; of several such rows the greatest decides."""
    dealt_out: bool = False
    """A hand that dies while single cards are still dealt gets no more of them. Any other keeps its place in the
    order of the cards, and one that lacks a card by then is due the next."""
    dealt_out_when: WhenPart | None = None
    """The reading under which `dealt_out` applies; absent: always."""
    game_before: Annotated[Name | None, Chooses(GAMES_BEFORE)] = None
    """The option for bets that were settled by the community cards shown last; absent: they are void if they were this
    recipient's."""


ROUNDS: Final = ("deal", "lap")
"""`deal`: when all players have every card that is dealt to them before the next action. `lap`: when all others have
their card of this lap around the table."""


class JokerPart(Consequence):
    """A joker that is not of this deck."""

    after: Annotated[Name | None, Chooses(ROUNDS)] = None
    """The option that says when a joker dealt face down is replaced, if the consequence is `complete`: after the
    `deal` or the `lap`."""


class FacePart(TomlTable):
    """Cards that should not be there."""

    duplicate: Consequence
    """A face that is in two places, or occurs more often than there are decks."""
    foreign: Consequence
    """A face that is not of the deck."""
    joker: JokerPart | None = None
    """A joker that is not of the deck, no matter who finds it."""
    boxed: Consequence | None = None
    """A card found face up in the deck."""
    by_player: Consequence | None = None
    """A card that its own player showed; absent: as one that the dealer exposed."""


class FouledPart(Consequence):
    """A player's hand that touched discards; absent: a supervisor rules. The table's own keys apply while it is
    unknown by whose fault."""

    player: Consequence | None = None
    """Consequence if the hand touched the discards by the player's own fault."""
    others: Consequence | None = None
    """Consequence if the hand touched the discards by no fault of the player."""
    reconstructed: Consequence | None = None
    """The hand was put together again."""


class FoulSetPart(Consequence):
    """A player's hand that was set against the rules."""

    house: Consequence | None = None
    """A hand of the dealer's, which may have to be set again; absent: a supervisor rules."""


class NotActedPart(TomlTable):
    """A seat that never chose while play continued: its bets are held for a supervisor."""

    clause: Clause


Until = Literal["end", "settlement", "first-decision", "substantial-action"]
"""Latest moment for calling a misdeal. `settlement`: until the first player's hand is settled. `substantial-action`:
until two players have put money in the pot by a choice, or three have done that or folded."""
UNTIL: Final[tuple[str, ...]] = get_args(Until)


class MisdealPart(TomlTable):
    """Calls of a misdeal."""

    until: Until | None = None
    """Latest moment at which it may be called."""
    option: Annotated[Name | None, Chooses(UNTIL)] = None
    """The option that decides the latest moment."""
    until_clause: Clause | None = None
    """Clause on the latest moment; `clause` if absent."""
    returns: tuple[Name, ...] | None = None
    """Bets that go back; absent: all."""
    clause: Clause


class FaultPart(TomlTable):
    """Consequence of a device's fault, for a whole class or for one fault by name."""

    class_: str | None = None
    """Class of faults."""
    name: str | None = None
    """One fault."""
    then: FaultPolicy
    """The consequence."""
    calls: Literal["supervisor"] | None = None
    """Person who must come at once."""
    clause: Clause = "procedure"


class OptionPart(TomlTable):
    """A reading of an ambiguous text."""

    name: Name
    """Name of the option."""
    default: str
    """Value that is used unless the table sets another."""
    allowed: Annotated[tuple[str, ...], Field(min_length=1)]
    """Values of the option."""
    reason: Clause
    """Reason why the text is ambiguous, and the meaning of the values."""


class OptionRef(TomlTable):
    """A question that an option answers."""

    option: str
    clause: Clause


class ColumnsPart(TomlTable):
    """The columns that cards are drawn into."""

    names: Annotated[tuple[Name, ...], Field(min_length=1, max_length=16)]
    """Names of the columns, in order."""
    by: Literal["suit", "turn"]
    """`suit`: a card goes to the column of its suit. `turn`: to each column in turn."""
    clause: Clause


SUIT_COLUMNS: Final = {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S"}
"""Column of a suit -> the suit's letter."""


class EndPart(TomlTable):
    """Drawing ends when enough cards are drawn; the first end to happen decides."""

    when: Literal["column", "all"]
    """One `column`, or `all` of them together."""
    cards: Annotated[int, Field(ge=1, le=416)]
    """Number of cards they must hold."""
    clause: Clause


EXTRA: Final = ("when-bet", "always", "never")
"""Time of the extra card. `when-bet`: only if a bet that depends on it was made."""
UNREAD_BY: Final = ("supervisor", "dealer", "anyone")
"""Person who may name a card the shoe did not read. `supervisor`: a supervisor's or executive's badge; `dealer`: any
badge."""
OVERDRAW: Final = ("note", "unreliable")
"""Consequence of a card drawn after the end."""
CUT_CARD: Final = ("finish-race", "one-more-race", "play-on")
"""Cards that may still be dealt once the cut card is out. `play-on`: all that the shoe holds."""


class ExtraPart(TomlTable):
    """One more card after an end by `all`."""

    option: Annotated[str, Chooses(EXTRA)]
    """The option that says when it is drawn."""
    moves_from: str
    """The bet whose money may be moved, until then, to the bets placed before-extra, one of them per seat."""
    clause: Clause


class ShoePart(TomlTable):
    """Cards drawn one at a time from a shoe. Each reference names an option."""

    bets_closed: Clause
    """Clause that closes the bets before the first card."""
    decks: OptionRef
    columns: ColumnsPart
    end: Annotated[tuple[EndPart, ...], Field(min_length=1, max_length=2)]
    extra: ExtraPart | None = None
    unread: Annotated[OptionRef, Chooses(UNREAD_BY)]
    overdraw: Annotated[OptionRef, Chooses(OVERDRAW)]
    cut_card: Annotated[OptionRef, Chooses(CUT_CARD)]
