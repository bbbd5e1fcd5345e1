"""From a `System` to its outcome. `passes` lists the passes in order; every other module serves one of them.

presolve/ eliminates unknowns, discrete/ and continuous/ search (`dispatch` chooses between them, `found` is the
result of both, `order` compares points), diagnose/ finds binding constraints and conflicts, closed_form/ gives exact
values.

Importing this package imports neither numpy nor sympy; the passes load them when they need them.
"""
