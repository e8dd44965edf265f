"""Hold'em against the dealer: two cards, and a board that is turned up in steps."""
