"""Closed forms: formulas for unknowns, derived and printed. The only package that imports sympy."""
