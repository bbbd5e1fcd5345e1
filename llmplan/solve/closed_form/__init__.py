"""Closed forms: formulas for unknowns, derived and printed. The only room that imports sympy."""
