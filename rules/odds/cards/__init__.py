"""How often cards make what a pay table looks up."""
