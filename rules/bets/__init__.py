"""What every kind of bet shares: its keys in a game file, what it may ask of a round, its outcomes and their lines."""
