"""The state of the table: hands, the ledger of cards, decks, the shoe, the columns, and the round they belong to."""
