"""What each key of a procedure file allows and the keys together do not, a file for each thing that is checked.

`contradictions` asks them all.
"""
