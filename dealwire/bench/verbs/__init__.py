"""Steps of an acceptance plan, and the context in which they run."""
