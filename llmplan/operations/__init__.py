"""The operations of the language, each one record: a new one is added in one of these modules and nowhere else.

Input is nothing; output the registry, by name. Every stage reads it: it belongs to the shared
vocabulary, and imports only measures.
"""

from __future__ import annotations

from llmplan.operations import arithmetic, chances, choices, logic, rounding
from llmplan.operations.numbers import TOLERANCE as TOLERANCE
from llmplan.operations.numbers import Interval as Interval
from llmplan.operations.record import Operation as Operation

OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for module in (choices, rounding, arithmetic, logic, chances)
    for operation in module.OPERATIONS
}

FUNCTIONS: dict[str, Operation] = {name: operation for name, operation in OPERATIONS.items() if operation.units}
"""Those that a plan calls by name."""

COMPARISONS = tuple(operation.name for operation in logic.EQUATIONS)
