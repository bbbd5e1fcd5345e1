"""The uncertainty of an answer: measured bands, the author's ranges, and requirements over all of a range."""
