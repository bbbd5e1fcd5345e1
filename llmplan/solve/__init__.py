"""From a `System` to the best point: exhaustive search, one continuous unknown, closed forms, conflicts.

Importing this package imports neither numpy nor sympy; `llmplan.solve.passes` loads them when it needs them.
"""
