"""How good is the ranking, and on which set? Public retrieval sets, measures, and one table of every system."""
