"""Simulated dealers, players and floor supervisors: they read the procedure and play it on simulated devices."""
