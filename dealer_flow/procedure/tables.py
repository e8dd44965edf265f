"""Every table that a procedure file may hold beside its steps, and the keys of each."""

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
"""What the cards come from. `hand`: the dealer's own, no device sees them."""
How = Literal["short", "long", "exposed", "off-table", "dropped", "early"]
"""What can be wrong with a hand: too few cards, too many, a card seen that should not be, a card off the table, one
dropped as it was dealt, one dealt before its time."""
FaultPolicy = Literal["note", "count", "person", "misdeal", "defective-deck", "unreliable"]
"""`note`: recorded only. `count`: the cards counted decide. `person`: whoever clears the fault decides."""
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
"""What a finding means. `nothing`: recorded, play goes on. `dead-hand`: the hand at that place is dead, the table plays
on. `progressive-only`: a misdeal to the table; hands may be played for the progressive only. `misdeal`: the round is
void. `replace`: the card is dead, and the next takes its place at once. `complete`: the hand gets the next card, after
all others have theirs. `reshuffle`: cards go back into the deck, which is shuffled, and play goes on where it was.
`set-aside`: a card dealt too early is out of play until the last one is dealt, before which it goes back into the deck.
`kept`: a card dealt too early is the one that is due next. `bury`: cards dealt too early go to the discards, and one
for each further player, before the next are dealt. `stays-open`: a card that was seen plays, and its player may declare
all-in. `person`: a supervisor is called and rules: calls the misdeal, or has play go on. `defective-deck`: every bet
goes back, the deck leaves the table. `unreliable`: nothing is settled, a person decides."""


class DeckPart(TomlTable):
    """What is dealt from. `cards` of one deck, its `jokers` among them; `decks` of them together (a shoe);
    `alternating` sets of different backs that may take turns (`[care.alternate]`: that must). `fresh`: whether each
    round has the whole deck, or goes on where the last one stopped (`[care.shuffle]`: for how long)."""

    cards: Annotated[int, Field(ge=1, le=60)]
    jokers: Annotated[int, Field(ge=0, le=4)]
    decks: Annotated[int, Field(ge=1, le=16)] = 1
    alternating: Annotated[int, Field(ge=1, le=2)] = 1
    fresh: Literal["each-round", "until-cut-card"] = "each-round"
    clause: Clause


class SeatsPart(TomlTable):
    """The most players, or hands of players, that may be dealt to."""

    most: Annotated[int, Field(ge=1, le=32)]
    clause: Clause


class Chooses(NamedTuple):
    """Said of a key that names an option, or of a table that does: the words between which that must choose."""

    words: tuple[str, ...]


class HandPart(TomlTable):
    """A place for cards beside the seats, the dealer's hand and the community's: named by the game, numbered by the
    devices (`hand 1` to `hand 8`). `side`: whose it is when a count is wrong or hands are shown."""

    name: Name
    place: Annotated[str, Field(pattern=r"^hand [1-8]$")]
    side: Literal["house", "players", "community"]
    clause: Clause


class NumberPart(TomlTable):
    """The number, of dice or of a generator, that says who gets the first hand; the dealer's place counts as one.
    `sets_bets`: once it is drawn no bet may change, even before START GAME. `clause` is that of the number, where the
    deal's own says nothing of it."""

    most: Annotated[int, Field(ge=1, le=99)] = 18
    sets_bets: bool = False
    clause: Clause


class WhenPart(TomlTable):
    """What has it counts only under this reading: when the option has this value."""

    option: Name
    is_: str


def chosen(when: WhenPart | None, options: Mapping[str, str]) -> bool:
    """True when what has this condition counts under these options, as it does without one."""
    return when is None or options.get(when.option) == when.is_


class SettlesPart(TomlTable):
    """A bet that is settled once a step is over. `of`: only of seats that made this choice, or `declared` a hand at
    the step by showing it. `when`: under this reading only."""

    bet: Name
    of: Name | None = None
    when: WhenPart | None = None


DECLARED: Final = "declared"
"""What a seat that showed its hand at a step to declare it has chosen there."""


class Consequence(TomlTable):
    """What a finding means: `then`, or the `option` that decides between such words. `returns`: the bets that go
    back, at the seat for a dead hand, at every seat for a misdeal; absent: all of them, for progressive-only all
    but the progressive. `returns_when`: they go back under that reading alone. `also`: so do these, under the
    reading `also_when`. `back`: what is shuffled into the deck again: the `card` alone, all cards of that `step` at
    the place, or `step-and-burn`, the card burned before them too. `calls`: who must come at once."""

    then: Then | None = None
    option: Name | None = None
    returns: tuple[Name, ...] | None = None
    returns_when: WhenPart | None = None
    also: tuple[Name, ...] = ()
    also_when: WhenPart | None = None
    back: Literal["card", "step", "step-and-burn"] = "card"
    calls: Literal["supervisor"] | None = None
    clause: Clause

    @property
    def decides(self) -> Literal["then", "option"]:
        """The key that says what follows."""
        return "then" if self.then else "option"


class CountEveryPart(TomlTable):
    """The deck is counted at least every so many minutes: the flow asks for it."""

    minutes: Annotated[int, Field(ge=1, le=1440)]
    clause: Clause


class AgePart(TomlTable):
    """A deck is changed after so many rounds at most, or not before so many: the option's value; `0` for no limit."""

    option: Name
    clause: Clause


class AlternatePart(TomlTable):
    """Two decks must take turns from hand to hand."""

    clause: Clause


class BurnedPart(Consequence):
    """Cards burned are kept from the discards until every card is dealt: what it means when they are not.
    `back_on_top`: who cannot deal at once may lay the card burned last back on the deck; it is burned again."""

    back_on_top: bool = False


class UnburnedPart(Consequence):
    """The dealer forgot to burn a card before those of a step. `offers`: a choice that each player then has, until the
    next one is made or the hands are shown."""

    offers: Name | None = None


RUNS_OUT: Final = ("scramble", "scramble-or-community", "person", "misdeal")
"""`scramble-or-community`: as `scramble`; where even these are too few nobody gets one, and one card is turned up for
everybody after another was burned. `scramble`: the last card is not dealt but scrambled with the burned ones; one of
them is burned, unless all are needed, and the hands that lack cards get them by hand; where even these are too few, a
person rules. `person`: a supervisor rules: calls the misdeal, or has them dealt by hand."""


class RunsOutPart(TomlTable):
    """Fewer cards are left than are due. The option says what then, one of `RUNS_OUT`."""

    option: Annotated[Name, Chooses(RUNS_OUT)]
    clause: Clause


SHOES: Final = ("dealing", "shuffling")
"""`dealing`: cards come out of it until somebody shuffles it. `shuffling`: it shuffles what was dealt from it, which
goes back into it after each round; nobody need shuffle it by hand."""


class ShufflePart(TomlTable):
    """A shoe that is dealt from round after round is shuffled: after so many `rounds` at most, and before the next one
    where two cards out of it that lie at these places are `identical`. The option says what it is, one of `SHOES`."""

    rounds: Annotated[int, Field(ge=1, le=99)]
    identical: tuple[Recipient, ...] = ()
    option: Annotated[Name, Chooses(SHOES)]
    clause: Clause


WON: Final = ("stand", "come-back")
"""`stand`: they were settled by the hands as shown. `come-back`: each goes back as if none had been shown."""


class WonPart(TomlTable):
    """The deck is found defective after every hand was shown.
    The option says what becomes of the bets: one of `WON`.
    """

    option: Annotated[Name, Chooses(WON)]
    clause: Clause


class CarePart(TomlTable):
    """How the decks are looked after. `shown`: what becomes of hands that were shown before a deck is found defective;
    absent: their bets come back."""

    count_every: CountEveryPart | None = None
    age: AgePart | None = None
    least: AgePart | None = None
    alternate: AlternatePart | None = None
    burned: BurnedPart | None = None
    unburned: UnburnedPart | None = None
    runs_out: RunsOutPart | None = None
    shuffle: ShufflePart | None = None
    shown: WonPart | None = None
    deck: Consequence
    """The whole deck's count is wrong, or cards do not add up."""


EXPLAINED: Final = ("never", "by-hands")
"""`never`: exactly so many must be left. `by-hands`: a card too many in a player's hand is one fewer that is left."""


class RemainderPart(TomlTable):
    """What is left when the cards are out. `cards`: exactly so many, where the text says a number; it is spread and
    counted. `explained`: the option that says whether wrong hands of players explain another number, one of
    `EXPLAINED`. `after`: the step after which it may be dumped; absent: the last one that deals."""

    cards: Annotated[int, Field(ge=0, le=52)] | None = None
    after: Name | None = None
    explained: Annotated[Name | None, Chooses(EXPLAINED)] = None
    clause: Clause


RESTS: Final = ("comes-back", "plays-on")
"""`comes-back`: it is the player's again, the bet is over. `plays-on`: it stands as that bet."""


class GivesUpPart(TomlTable):
    """A share of a bet goes to the house by a choice; a part of a cent stays the player's. `as_`: what it is called
    among the seat's wagers from then on. `rest` is the option that says what becomes of the remainder, one of `RESTS`.
    """

    bet: Name
    as_: Name
    share: Annotated[str, Field(pattern=r"^[1-9]/[1-9]$")]
    rest: Annotated[Name, Chooses(RESTS)]


class DecisionPart(TomlTable):
    """A choice a player has, or with `needs` only one with all of these bets, with `unless` one with none of those.
    `bet`, or all of `bets`, must go with it; `takes_back` is a bet that goes back to the player by it; `gives_up` a
    share of one that is lost by it; `draws` cards are exchanged in the next exchange; `discards` cards are laid down
    for good; `lays_aside` of them lie apart, face down, until the hand without them was shown and compared; after a
    `last` choice the seat has no other; `folds`: it gives up, and with `keeps` all its wagers go back."""

    number: Byte
    name: Name
    folds: bool = False
    keeps: bool = False
    bet: Name | None = None
    bets: tuple[Name, ...] = ()
    needs: tuple[Name, ...] = ()
    unless: tuple[Name, ...] = ()
    takes_back: Name | None = None
    gives_up: GivesUpPart | None = None
    draws: Annotated[int, Field(ge=0, le=7)] = 0
    discards: Annotated[int, Field(ge=0, le=7)] = 0
    lays_aside: Annotated[int, Field(ge=0, le=7)] = 0
    last: bool = False
    clause: Clause

    @property
    def stakes(self) -> tuple[str, ...]:
        """Every bet that must go with it."""
        return self.bets if self.bet is None else (self.bet, *self.bets)

    def words(self) -> str:
        """`raise (with raise, draws two cards)`."""
        parts = [f"with {listed(list(self.stakes))}"] if self.stakes else []
        parts += [f"{self.takes_back} comes back"] if self.takes_back else []
        if part := self.gives_up:
            parts.append(
                f"{'half' if part.share == '1/2' else part.share} of {part.bet} is lost, the rest as `{part.rest}` says"
            )
        parts += [f"for who has {listed(list(self.needs))}"] if self.needs else []
        parts += [f"for who has no {listed(list(self.unless), 'or')}"] if self.unless else []
        parts += [f"draws {cards(self.draws)}"] if self.draws else []
        parts += [f"lays down {cards(self.discards)}"] if self.discards else []
        parts += [f"lays {cards(self.lays_aside)} apart, face down"] if self.lays_aside else []
        parts += ["gives up" + (" and keeps all wagers" if self.keeps else "")] if self.folds else []
        parts += ["chooses no more in this round"] if self.last else []
        return f"{self.name} ({', '.join(parts)})" if parts else self.name


class WrongPart(Consequence):
    """A hand that is wrong: whose (`of` a recipient, or `remainder`), in which ways (`how`), and if `at` is there only
    in cards of these steps. `missing`: short by so many cards at least; of several such rows the greatest decides.
    Every place that gets cards needs a row for `short` and for `long`; where none speaks of `exposed` or `off-table`,
    a person rules. `dealt_out`: a hand that dies while single cards are still dealt gets no more of them, under the
    reading `dealt_out_when` alone; any other keeps its place in the order of the cards, and one that lacks a card by
    then is due the next."""

    of: Recipient
    how: Annotated[tuple[How, ...], Field(min_length=1)]
    at: tuple[Name, ...] = ()
    missing: Annotated[int, Field(ge=1, le=7)] | None = None
    dealt_out: bool = False
    dealt_out_when: WhenPart | None = None


ROUNDS: Final = ("deal", "lap")
"""`deal`: when all players have every card that is dealt to them before somebody acts. `lap`: when each other has its
card of that time around the table."""


class JokerPart(Consequence):
    """A joker that is none of this deck's. `after`: the option that says when the next card takes the place of one that
    was dealt face down, where that is `complete`: after which of `ROUNDS`."""

    after: Annotated[Name | None, Chooses(ROUNDS)] = None


class FacePart(TomlTable):
    """Cards that should not be there. `duplicate`, `foreign`: faces that cannot be in one whole deck, or more often
    than there are decks. `joker`: a joker that is none of this deck's, whoever finds it. `boxed`: a card found face up
    in the deck. `by_player`: a card that its own player showed; absent: as one that the dealer exposed."""

    duplicate: Consequence
    foreign: Consequence
    joker: JokerPart | None = None
    boxed: Consequence | None = None
    by_player: Consequence | None = None


class FouledPart(Consequence):
    """A player's hand that touched discards. The table itself: nobody has found yet by whose fault. `player`, `others`:
    by the player's own fault, or not. `reconstructed`: it was put together again. Absent: a person rules."""

    player: Consequence | None = None
    others: Consequence | None = None
    reconstructed: Consequence | None = None


class FoulSetPart(Consequence):
    """A player's hand that was arranged against the rules. `house`: one of the dealer's, which may have to be set anew;
    absent: a person rules."""

    house: Consequence | None = None


class NotActedPart(TomlTable):
    """A seat that never chose where play went on: its bets wait for a person."""

    clause: Clause


Until = Literal["end", "settlement", "first-decision", "substantial-action"]
"""Until when a misdeal may be called. `settlement`: until the first player's hand is settled. `substantial-action`:
until two players have put money in the pot by a choice, or three have done that or folded."""
UNTIL: Final[tuple[str, ...]] = get_args(Until)


class MisdealPart(TomlTable):
    """Until when a person may call a misdeal: `until`, or the `option` that decides between such words, by
    `until_clause`, or `clause` where it is absent. `returns`: the bets that go back; absent: all."""

    until: Until | None = None
    option: Annotated[Name | None, Chooses(UNTIL)] = None
    until_clause: Clause | None = None
    returns: tuple[Name, ...] | None = None
    clause: Clause


class FaultPart(TomlTable):
    """What a device's fault means, for a whole class or for one fault by name. `calls`: who must come at once."""

    class_: str | None = None
    name: str | None = None
    then: FaultPolicy
    calls: Literal["supervisor"] | None = None
    clause: Clause = "procedure"


class OptionPart(TomlTable):
    """A reading where the text is silent; the default is used unless the table says otherwise."""

    name: Name
    default: str
    allowed: Annotated[tuple[str, ...], Field(min_length=1)]
    reason: Clause


class OptionRef(TomlTable):
    """A question that an option answers."""

    option: str
    clause: Clause


class ColumnsPart(TomlTable):
    """Where a card drawn goes. `suit`: to the column of its suit. `turn`: to each column in turn, in this order."""

    names: Annotated[tuple[Name, ...], Field(min_length=1, max_length=16)]
    by: Literal["suit", "turn"]
    clause: Clause


SUIT_COLUMNS: Final = {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S"}
"""Column of a suit -> the suit's letter."""


class EndPart(TomlTable):
    """Drawing ends when one `column`, or `all` of them together, hold so many cards; the first to happen decides."""

    when: Literal["column", "all"]
    cards: Annotated[int, Field(ge=1, le=416)]
    clause: Clause


EXTRA: Final = ("when-bet", "always", "never")
"""When the extra card is drawn. `when-bet`: when a bet that rests on it was made."""
UNREAD_BY: Final = ("supervisor", "dealer", "anyone")
"""Who may name a card the shoe did not read. `supervisor`: a supervisor's or executive's badge; `dealer`: any badge."""
OVERDRAW: Final = ("note", "unreliable")
"""What a card drawn after the end means."""
CUT_CARD: Final = ("finish-race", "one-more-race", "play-on")
"""What may still be dealt once the cut card is out. `play-on`: whatever the shoe holds."""


class ExtraPart(TomlTable):
    """One more card after an end by `all`. The option says when it is drawn; `moves-from` is the bet whose money may be
    moved, until then, to the bets placed before-extra, one of them a seat."""

    option: Annotated[str, Chooses(EXTRA)]
    moves_from: str
    clause: Clause


class ShoePart(TomlTable):
    """Cards drawn one at a time from a shoe. Each reference names an option."""

    bets_closed: Clause
    """The clause that closes the bets before the first card."""
    decks: OptionRef
    columns: ColumnsPart
    end: Annotated[tuple[EndPart, ...], Field(min_length=1, max_length=2)]
    extra: ExtraPart | None = None
    unread: Annotated[OptionRef, Chooses(UNREAD_BY)]
    overdraw: Annotated[OptionRef, Chooses(OVERDRAW)]
    cut_card: Annotated[OptionRef, Chooses(CUT_CARD)]
