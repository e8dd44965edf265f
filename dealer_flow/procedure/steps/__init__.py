"""The kinds of steps a game is dealt in, each in a file of its own: what it may say, what it means, what cannot be.

`base` is what every step has, `kinds` names them all: a new kind is a file of its own here and a line there.
"""
