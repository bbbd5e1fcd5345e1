"""Unknowns with finitely many values: every point of the product of their domains, block by block."""
