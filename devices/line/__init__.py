"""Lines in operation: sessions, supervision, and the owner's loop."""
