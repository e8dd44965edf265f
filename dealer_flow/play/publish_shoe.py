"""A round drawn from a shoe as it is published."""

from dealer_flow.record.result import Drawn, Finish, Named, ShoeRecord
from dealer_flow.table.columns import Draw
from dealer_flow.table.shoe import Shoes
from protocol.cards import spell_cards


def drawn_of(draw: Draw | None) -> Drawn | None:
    """The cards, where they lie and how it ended."""
    if draw is None:
        return None
    finish = draw.finish
    return Drawn(
        cards=tuple(spell_cards(draw.cards)),
        columns={name: tuple(spell_cards(cards)) for name, cards in draw.columns().items()},
        finish=Finish(cards=finish.cards, column=finish.column) if finish else None,
        extra=draw.cards[-1].text if draw.extra else None,
        overdrawn=tuple(spell_cards(draw.overdrawn)),
        named=tuple(
            Named(position=named.position, card=named.card.text, badge=named.badge, level=named.level)
            for named in draw.named
        ),
    )


def shoe_of(shoes: Shoes | None) -> ShoeRecord | None:
    """The shoe as it stands; None when no card has come out of one."""
    if shoes is None or shoes.current is None:
        return None
    shoe = shoes.current
    return ShoeRecord(id=shoe.id, loaded=shoe.loaded, drawn=shoe.drawn, left=shoe.left)
