"""Parts shared by all kinds of bets: keys in a game file, facts of the round, outcomes and settlement lines."""
