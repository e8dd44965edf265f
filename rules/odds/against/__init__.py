"""One hand against the dealer's: how every decision can end, and what to do."""
