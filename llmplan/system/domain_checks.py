"""Checks of legal values: a plan that writes a value that is not whole, or outside its domain, is an error.

A computed value that is not legal is NaN, so that the candidate is infeasible under the value's name.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from itertools import filterfalse

from llmplan.check import ir
from llmplan.check.program import Domain, Setting
from llmplan.diagnostics import Edit, Hint, units
from llmplan.source import Span
from llmplan.system.display import show
from llmplan.system.evaluate import evaluate
from llmplan.system.expressions import Expressions
from llmplan.system.missing import Missing, Result
from llmplan.system.unknowns import Unknowns
from llmplan.units.measure import Measure, Type

MAX_TRIED = 1000
"""The most candidates that are checked one by one; if there are more, the search decides."""

DEPTH = 8
"""How many operations are looked through for the rounding that makes a value whole."""

_ROUNDS = frozenset(("ceil", "floor", "round"))
_KEEPS_WHOLE = frozenset(("max", "min", "add", "sub", "mul"))


class DomainChecks:
    """Checks values as they are lowered."""

    def __init__(self, expressions: Expressions, unknowns: Unknowns) -> None:
        self.scope = expressions.scope
        self.graph = expressions.graph
        self.names = expressions.names
        self._lower = expressions.lower
        self._worth = expressions.worth
        self._unknowns = unknowns

    def legal(self, name: str, value: Result, type: Type, domain: Domain | None, written: Setting | None) -> Result:
        """A value that must be whole or in a domain: an illegal one is an error if a plan writes it, else it is NaN."""
        if isinstance(value, Missing) or not isinstance(type, Measure):
            return value
        node = self.graph[value]
        ranged = self.graph.varies(value)
        if node.op == "unknown" and not ranged:
            return self._open(name, value, type, domain, written)
        if domain is None and not type.whole and written is None:
            return value
        if self.graph.varies_alone(value) and written is not None and written.value is not None:
            return value  # a number at each point, as the plan writes it
        whole = self._whole(value) if type.whole else self.graph.const(1.0)
        inside = self._inside(value, domain)
        constant = self.graph.constant(value)
        if constant is not None and constant == constant and written is not None and written.value is not None:
            self._written(name, constant, type, domain, written)
            return value
        legal = whole if inside is None else self.graph.add("and", whole, inside)
        verdict = self.graph.constant(legal)
        if verdict == 1.0 or (constant is not None and constant != constant):
            return value
        self.names.checks[name] = legal
        if verdict is not None:
            wrong = (
                "not a whole number"
                if self.graph.constant(whole) == 0.0
                else f"outside its domain {domain.text if domain else ''}"
            )
            self.names.reasons.setdefault(name, f"`{name}` is {show(constant or 0.0, type, self.scope, '')}, {wrong}")
        return self.graph.add("select", legal, value, self.graph.const(math.nan))

    def _whole(self, value: int) -> int:
        """Whether a value is a whole number. Rounding proves it over a whole range too."""
        return self.graph.add("finite" if self._rounded(value) else "whole", value)

    def _rounded(self, value: int, depth: int = DEPTH) -> bool:
        """Whether a value is whole wherever it is finite, as far as a few operations show it."""
        node = self.graph[value]
        if node.op == "const":
            return node.value != node.value or float(node.value or 0).is_integer()
        inner = node.args[1:] if node.op == "select" else node.args if node.op in _KEEPS_WHOLE else ()
        return node.op in _ROUNDS or (depth > 0 and bool(inner) and all(self._rounded(arg, depth - 1) for arg in inner))

    def _open(self, name: str, value: int, type: Measure, domain: Domain | None, written: Setting | None) -> Result:
        """An unknown: candidates that the plan writes must be legal; illegal computed candidates are ignored."""
        legal = self.graph.const(1.0)
        inside = self._inside(value, domain)
        if not self._unknowns.numbered_here:
            legal = legal if inside is None else inside
        else:
            index = int(self.graph[value].value or 0)
            unknown = self._unknowns.met[index]
            stated = written is not None and written.domain is not None and unknown.allowed is None
            if type.whole:
                whole = self.graph.add("whole", value)
                suspects = list(filterfalse(float.is_integer, unknown.values or ()))
                wrong = self._failing(index, whole, suspects)
                if wrong and stated:
                    self._fraction(unknown.span, name, wrong[0], type, unknown.unit)
                    return value
                legal = whole if wrong != () else legal
            if inside is not None and domain is not None:
                values = unknown.values or (unknown.low, unknown.high)
                only = len(domain.items) == 1 and isinstance(domain.items[0], ir.Range)
                wrong = self._failing(index, inside, (unknown.low, unknown.high) if only else values)
                if wrong and stated:
                    self._stray(unknown.span, name, wrong[0], type, domain, unknown.unit)
                    return value
                legal = self.graph.add("and", legal, inside) if wrong != () else legal
        if self.graph.constant(legal) != 1.0:
            self.names.checks[name] = legal
        return value

    def _failing(self, index: int, test: int, values: Sequence[float]) -> tuple[float, ...] | None:
        """The candidates of an unknown that fail a test; None if there are too many to check."""
        if values and (len(values) > MAX_TRIED or self.graph.reach(test) != 1 << index):
            return None
        return tuple(v for v in values if evaluate(self.graph, {index: v}, (test,))[test] != 1.0)

    def _inside(self, value: int, domain: Domain | None) -> int | None:
        """A node that is 1 if a value is in a domain, for domains with constant ends."""
        if domain is None:
            return None
        parts: list[int] = []
        for item in domain.items:
            if isinstance(item, ir.Range):
                low, high = (self._lower(end, {}) for end in (item.low, item.high))
                sides = [] if isinstance(low, Missing) else [self.graph.add("le", low, value)]
                sides += [] if isinstance(high, Missing) else [self.graph.add("le", value, high)]
                if not sides:  # of a range with one end, such as `0..model.layers` without a model, that one counts
                    return None
                parts.append(reduce(lambda one, other: self.graph.add("and", one, other), sides))
            elif isinstance(item, ir.Value):
                one = self._lower(item.value, {})
                if isinstance(one, Missing):
                    return None
                parts.append(self.graph.add("eq", value, one))
            else:
                return None
        result = parts[0]
        for part in parts[1:]:
            result = self.graph.add("or", result, part)
        return result

    def _written(self, name: str, value: float, type: Measure, domain: Domain | None, setting: Setting) -> None:
        """Reports a value of the plan that is not legal; for a range also illegal ends, and ends out of order."""
        span = self.scope.span(setting.place)
        values = [value]
        if setting.spread is not None:
            low, high = (self._worth(end, setting.place[0]) for end in setting.spread)
            if low is not None and high is not None:
                if not low <= value <= high:
                    texts = [show(number, type, self.scope, setting.unit) for number in (low, value, high)]
                    self.names.report(units.unordered(span, name, texts))
                    return
                values = [low, high, value]
        for number in values:
            if math.isinf(number):
                self.names.report(units.too_large(span))
                return
            node = self.graph.const(number)
            if type.whole and self.graph.constant(self.graph.add("whole", node)) == 0.0:
                self._fraction(span, name, number, type, setting.unit, setting.spread is not None)
                return
            inside = self._inside(node, domain)
            if inside is not None and domain is not None and self.graph.constant(inside) == 0.0:
                self._stray(span, name, number, type, domain, setting.unit)
                return

    def _fraction(self, span: Span, name: str, value: float, type: Measure, unit: str, spread: bool = False) -> None:
        near = [show(number, type, self.scope, unit) for number in (math.floor(value), math.ceil(value))]
        hint = Hint(f"the nearest whole numbers are {near[0]} and {near[1]}")
        if spread:
            hint = Hint(
                f"the expected value of a range must be whole too: write it, as in `{_with_middle(span, value)}`"
            )
        self.names.report(units.not_whole(span, name, show(value, type, self.scope, unit), hint))

    def _stray(self, span: Span, name: str, value: float, type: Measure, domain: Domain, unit: str) -> None:
        percent = 1 < value <= 100 and domain.text == "0..1" and not unit and span.text.isdigit()
        if percent:
            hints: tuple[Hint, ...] = (Hint(f"write `{span.text}%`", (Edit(span, f"{span.text}%"),)),)
        else:
            ranges = [item for item in domain.items if isinstance(item, ir.Range)]
            numbers = [self._worth(end) for item in ranges for end in (item.low, item.high)]
            near = min((n for n in numbers if n is not None), key=lambda n: abs(n - value), default=None)
            text = "" if near is None else show(near, type, self.scope, unit)
            hints = (Hint(f"the nearest allowed value is {text}"),) if text else ()
        text = show(value, type, self.scope, unit)
        self.names.report(units.outside(span, name, text, domain.text, *hints))


def _with_middle(span: Span, value: float) -> str:
    low, _, high = (part.strip() for part in span.text.partition(".."))
    return f"{low}..{math.floor(value)}..{high.rpartition('..')[2]}"
