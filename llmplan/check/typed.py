"""A checked expression on its way into a declaration: the checked form with its type and place."""

from __future__ import annotations

from attrs import frozen

from llmplan.check.core import Core
from llmplan.source import Span
from llmplan.units.measure import Type


@frozen
class Typed:
    """A checked expression.

    Attributes:
        core: Its checked form.
        type: Its type; None where a mistake has been reported already.
        span: Where it stands.
        bare: True if it is made of number literals without a unit, so that a count can lend it its own.
        unit: The unit that its author wrote, for showing; may be empty.
    """

    core: Core
    type: Type | None
    span: Span
    bare: bool = False
    unit: str = ""

    @property
    def zero(self) -> bool:
        return self.core == ("num", 0.0)
