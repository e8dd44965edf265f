"""A line under way: sessions, supervision, and the owner's loop."""
