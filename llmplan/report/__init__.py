"""A solved plan in words: what was found, and the derivation of every number."""
