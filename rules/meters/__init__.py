"""Progressive and jackpot meters, and the awards paid from them."""
