"""The kinds of steps a game is dealt in, one module each: its keys, its meaning, its checks and its text.

`base` has what all steps share, `kinds` lists them: a new kind is a module here and a line there.
"""
