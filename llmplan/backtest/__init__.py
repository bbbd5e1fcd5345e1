"""Measured runs against what the library predicts for them: from a case to a plan, to an error."""
