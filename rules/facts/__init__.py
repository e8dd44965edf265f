"""Facts of a round that settlement uses, and the doubts that hold bets."""
