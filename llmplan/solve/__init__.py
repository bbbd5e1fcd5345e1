"""From a `System` to its outcome: `llmplan.solve.passes` lists the passes in order; every other module serves one of
them.

presolve/ eliminates unknowns, discrete/ and continuous/ search (`engines` chooses, `found` is what both give, `order`
says what is better), diagnose/ finds binding constraints and conflicts, closed_form/ gives exact values.

Importing this package imports neither numpy nor sympy; the passes load them when they need them.
"""
