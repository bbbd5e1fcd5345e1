"""A declarative planning language for training language models, and its compiler.

`llmplan.check`, `solve`, `sweep`, `compile`, `explain`, `diff`, `read`, `calibrate` and `why` are the compiler as
functions;
docs/python.md describes them and the records that they return. They are loaded on first use, so that importing the
package costs nothing.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # `typing` would be the longest part of importing this
if TYPE_CHECKING:
    from llmplan.public import Amount as Amount
    from llmplan.public import Derivation as Derivation
    from llmplan.public import Diagnosis as Diagnosis
    from llmplan.public import Diagnostic as Diagnostic
    from llmplan.public import Diagnostics as Diagnostics
    from llmplan.public import Difference as Difference
    from llmplan.public import Imported as Imported
    from llmplan.public import Measured as Measured
    from llmplan.public import Solution as Solution
    from llmplan.public import Step as Step
    from llmplan.public import Table as Table
    from llmplan.public import Written as Written
    from llmplan.public import calibrate as calibrate
    from llmplan.public import check as check
    from llmplan.public import compile as compile
    from llmplan.public import diff as diff
    from llmplan.public import explain as explain
    from llmplan.public import read as read
    from llmplan.public import solve as solve
    from llmplan.public import sweep as sweep
    from llmplan.public import why as why

__version__ = "0.1.0"

__all__ = [
    "Amount", "Derivation", "Diagnosis", "Diagnostic", "Diagnostics", "Difference", "Imported", "Measured",
    "Solution", "Step", "Table", "Written", "calibrate", "check", "compile", "diff", "explain", "read", "solve",
    "sweep", "why",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name in __all__:
        from llmplan import public

        exported: object = getattr(public, name)
        globals()[name] = exported
        return exported
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


class _Package(type(sys)):  # type: ignore[misc]
    """The package, in which `check` and `solve` stay functions when the stages of these names are imported.

    The import of a submodule sets it as an attribute of its package. `from llmplan.check import …` does not read that.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in __all__ and isinstance(value, type(sys))):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
