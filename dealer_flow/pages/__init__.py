"""A procedure in words for a dealer, and as data for other programs."""
