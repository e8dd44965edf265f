"""Hand histories of other programs: read, played through flow and settlement, compared; and written."""
