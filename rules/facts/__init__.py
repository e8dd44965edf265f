"""The facts of a round that settlement rests on, and the doubts that hold bets."""
