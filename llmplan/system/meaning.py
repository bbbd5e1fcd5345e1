"""The facts about a plan that lowering an expression needs, as a protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from llmplan.check.ir import Chance, Quantile
from llmplan.check.program import Quantity, SourceRef
from llmplan.system.missing import Missing, Result

Env = dict[str, Result]
"""The values of an expression's local names."""


class Meaning(Protocol):
    """The meaning of names, and the facts that the plan's text decides: all that expressions need from a plan."""

    def name(self, name: str, at: SourceRef | None = None) -> Result:
        """The value of an input, let or quantity; `at` is where it is named."""

    def at(self, quantity: Quantity, members: tuple[float, ...]) -> Result:
        """An indexed quantity at members given by their indices."""

    def given(self, path: str) -> Result:
        """1 if an input has a value or is open."""

    def assumed(self, name: str) -> Result:
        """1 if a quantity is assumed."""

    def emits(self, target: str) -> Result:
        """1 if the plan emits a target."""

    def chance(self, event: Chance, base: str) -> Result:
        """The probability of an event; `base` names the source that its offsets refer to."""

    def quantile(self, quantile: Quantile, base: str) -> Result:
        """The value below which a share of measured values lies."""

    def instances(self, path: str) -> list[str] | Missing:
        """The entries in a list of entries of a kind."""

    def field_at(self, kind: str, field: str, entries: Sequence[str], of: Callable[[], Result]) -> Result:
        """The value of a field in the chosen one of `entries`; `of` computes its index, if the values differ."""

    def of_instance(self, kind: str, entry: str, field: str) -> Result:
        """A field of an entry that is a member of a list."""
