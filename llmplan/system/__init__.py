"""Equations: a checked plan becomes a graph of arithmetic over its unknowns."""
