"""The kinds of steps that a procedure file may hold."""

from typing import Annotated, Final, get_args

from pydantic import Field

from dealer_flow.procedure.steps.assign import AssignStep
from dealer_flow.procedure.steps.base import Step
from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.procedure.steps.burn import BurnStep
from dealer_flow.procedure.steps.burn_card import BurnCardStep
from dealer_flow.procedure.steps.collect import CollectStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.procedure.steps.offer_hand import OfferHandStep
from dealer_flow.procedure.steps.reveal import RevealStep
from dealer_flow.procedure.steps.set_hand import SetStep
from dealer_flow.procedure.steps.show import ShowStep

AnyStep = Annotated[
    DealStep
    | BurnStep
    | BurnCardStep
    | DecideStep
    | BetStep
    | ExchangeStep
    | ShowStep
    | OfferHandStep
    | AssignStep
    | SetStep
    | CollectStep
    | RevealStep,
    Field(discriminator="do"),
]

STEPS: Final[dict[str, type[Step]]] = {
    get_args(kind.model_fields["do"].annotation)[0]: kind for kind in get_args(get_args(AnyStep)[0])
}
"""Value of `do` -> the kind of step."""
