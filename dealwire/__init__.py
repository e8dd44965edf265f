"""dealwire: a casino table's card devices, connected to the rules of the game."""

__version__ = "0.1.0"
