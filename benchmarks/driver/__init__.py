"""Runs Restway and what it is compared with in turn, and reports ratios."""
