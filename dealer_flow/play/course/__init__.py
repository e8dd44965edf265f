"""The course of a round: its steps, turns, and the places where cards lie."""
