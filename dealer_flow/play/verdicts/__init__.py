"""Verdicts on hands, wagers and burns, and the remedies of the procedure."""
