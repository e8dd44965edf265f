"""Simulated dealers, players and floor supervisors. They follow the procedure on simulated devices."""
