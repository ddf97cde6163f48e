"""Runs Restway and the programs that it is compared with in turn, and reports ratios."""
