"""Steps of an acceptance plan, and what they run on."""
