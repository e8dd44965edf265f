"""Frozen values, built fast.

A frozen dataclass sets each field through `object.__setattr__`, which costs three times a plain assignment.
A twin of the same slots without that guard is filled instead, then told which class it is: the result is the
frozen value itself, equal and hashable like any other.
"""

from dataclasses import fields, make_dataclass
from typing import Any


def mutable_twin(cls: type[Any]) -> type[Any]:
    """A class laid out as the frozen slots dataclass `cls`: call it with every field in order, then set the
    object's `__class__` to `cls`. TypeError when the layouts would differ."""
    init = make_dataclass("_Fill", [field.name for field in fields(cls)]).__dict__["__init__"]
    # Both, because the interpreter sets attributes directly only when neither is overridden anywhere above.
    unguarded = {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    body = {"__slots__": cls.__dict__["__slots__"], "__init__": init, **unguarded}
    twin = type(f"{cls.__name__}Twin", cls.__bases__, body)
    probe: Any = object.__new__(twin)
    probe.__class__ = cls
    return twin
