"""A solved plan in words: its answers, diagnostics, and the derivation of every number."""
