"""A plan's declarations become a checked program: every name resolved, every unit verified."""
