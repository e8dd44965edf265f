"""Reports of a bench run."""
