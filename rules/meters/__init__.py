"""Progressive and jackpot meters, and the awards taken from them."""
