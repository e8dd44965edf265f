"""What every table of a procedure file is made of."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$")]
Clause = Annotated[str, Field(min_length=1)]


class Part(BaseModel):
    """Base of every table in the file: strict, frozen, no unknown key; keys are kebab-case there."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, alias_generator=lambda name: name.replace("_", "-").rstrip("-")
    )
