"""Measured runs and what the library predicts for them: from a line of a file to a case, a prediction, its error."""
