"""Device dialects, and the drivers that translate them to events."""
