"""A house's posted rules: one strict TOML file for all games it offers (47.1-1039, 47.1-1040, 47.1-1061)."""
