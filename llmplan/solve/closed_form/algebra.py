"""The interface to sympy for solving an equation: the only module that imports it.

sympy simplifies, finds common denominators and expands. It is given small expressions of sums, products and powers,
built from graph nodes with exact rationals and symbols `v0`, `v1` …, never from text. This module adds three things:
it undoes operations by the inverses of their records; it solves equations with two powers of the unknown, or three in
even steps, since sympy's `solve` drops roots that a rounding error makes complex and has no time limit; and it keeps
the factors and terms in the order of the plan.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy

from llmplan.operations import OPERATIONS
from llmplan.solve.closed_form.equation import MOST_NODES, Equation
from llmplan.solve.closed_form.print import ATOM, Formula, printed
from llmplan.solve.presolve.isolate import peeled, unguarded
from llmplan.system.evaluate import ancestors, evaluate
from llmplan.system.graph import Graph

_MOST_TERMS = 200
_DIGITS = 30
_LARGEST = 1e300
_MOST_BITS = 1000


class _TooHard(Exception):
    """The equation is not of a kind that can be solved."""


def solutions(equation: Equation) -> dict[float, str]:
    """The roots, each checked by substitution into the equation, with their formulas; empty if there are none."""
    algebra = _Expressions(equation)
    found: dict[float, str] = {}
    try:
        for solution in list(_candidates(algebra, equation)):
            root = algebra.number(solution)
            if root is not None and equation.meets(root):
                relation = f"{algebra.me} = {printed(solution, algebra.written())}"
                found.setdefault(root, "" if algebra.abridged else relation)
    except _TooHard:
        return {}
    return found


def _candidates(algebra: _Expressions, equation: Equation) -> Iterator[Any]:
    """Expressions for the unknown, not yet checked, the principal one first."""
    left, right = equation.sides
    if equation.holds(right):
        yield from _roots_of(algebra, algebra.of(left) - algebra.of(right))
        return
    values = [algebra.of(right)]
    core, steps = peeled(equation.graph, left, equation.unknown)
    for step in steps:
        other = algebra.of(step.other) if OPERATIONS[step.op].arity > 1 else None
        most = _MOST_BITS if step.op == "log2" else _LARGEST
        sizes = [(value, algebra.number(value)) for value in values]
        values = [step.undo(algebra, value, other) for value, size in sizes if size is not None and abs(size) <= most]
        if step.op == "pow" and other is not None and other.is_Integer and other % 2 == 0:
            values = [sign * value for value in values for sign in (1, -1)]
    for value in values:
        if equation.graph[core].op == "unknown":
            yield value
        elif algebra.number(value) is not None:
            yield from _roots_of(algebra, algebra.of(core) - value)


def _roots_of(algebra: _Expressions, difference: Any) -> Iterator[Any]:
    """Where a sum of powers of the unknown is zero."""
    numerator = sympy.fraction(sympy.together(difference))[0]
    if _terms(numerator) > _MOST_TERMS:
        raise _TooHard
    factors: dict[Any, Any] = {}
    for term in sympy.Add.make_args(sympy.expand(numerator)):
        factor, exponent = term.as_coeff_exponent(algebra.x)
        if factor.has(algebra.x) or not exponent.is_Rational:
            raise _TooHard
        factors[exponent] = factors.get(exponent, 0) + factor
    exponents = sorted(exponent for exponent, factor in factors.items() if factor != 0)
    if len(exponents) == 2:
        low, high = exponents
        yield from _powers(-factors[low] / factors[high], high - low)
    elif len(exponents) == 3 and exponents[1] * 2 == exponents[0] + exponents[2]:
        c, b, a = (factors[exponent] for exponent in exponents)
        under = sympy.sqrt(b**2 - 4 * a * c)
        for sign in (1, -1):
            yield from _powers((-b + sign * under) / (2 * a), exponents[1] - exponents[0])
    else:
        raise _TooHard


def _powers(value: Any, exponent: Any) -> Iterator[Any]:
    """The base whose power has a given value."""
    root = sympy.factor_terms(sympy.together(value)) ** (1 / exponent)
    yield root
    if exponent.is_Integer and exponent % 2 == 0:
        yield -root


def _terms(e: Any) -> int:
    """An upper bound on the terms of an expanded expression, or one more than are allowed."""
    if e.is_Add:
        found = sum(map(_terms, e.args))
    elif e.is_Pow and e.exp.is_Integer:
        found = _terms(e.base) ** min(abs(int(e.exp)), _MOST_TERMS)
    else:
        found = math.prod(map(_terms, e.args)) if e.is_Mul else 1
    return int(min(found, _MOST_TERMS + 1))


class _Expressions:
    """Nodes as sympy expressions, an algebra that undoes operations; `abridged` if a formula is shortened."""

    def __init__(self, equation: Equation) -> None:
        self._equation, self._graph = equation, equation.graph
        self.abridged = False
        self._values = evaluate(equation.graph, {}, equation.sides, equation.leaves)
        self._sizes: dict[int, int] = {}
        self._named: set[int] = set()
        self._symbols: dict[int, tuple[Any, Formula]] = {}
        for node in ancestors(equation.graph, equation.sides, equation.leaves):
            args = () if node in equation.leaves else equation.graph[node].args
            self._sizes[node] = 1 + sum(self._sizes[arg] for arg in args)
            if node in equation.names or any(arg in self._named for arg in args):
                self._named.add(node)

    @cached_property
    def x(self) -> Any:
        """The unknown."""
        # Because the sign is known, `sqrt(x^2)` is `x`.
        return sympy.Symbol("x", **({"nonnegative": True} if self._equation.low >= 0.0 else {"real": True}))

    @property
    def me(self) -> str:
        """The name of the unknown."""
        return self._equation.names.get(self._graph.unknown(self._equation.unknown), "x")

    def add(self, op: str, *args: Any) -> Any:
        """An operation on expressions."""
        form = OPERATIONS[op].algebra
        if form is None:
            raise _TooHard
        return getattr(sympy, form)(*args) if isinstance(form, str) else form(*args)

    def const(self, value: float) -> Any:
        return sympy.Rational(Fraction(value).limit_denominator(1000))

    def of(self, node: int) -> Any:
        """The expression of a node."""
        holds = self._equation.holds(node)
        node = unguarded(self._graph, node) if holds else node
        op, args = self._graph[node].op, self._graph[node].args
        if not holds:
            if node not in self._named:
                return self._constant(node)
            if node in self._equation.leaves:
                return self._symbol(node, self._equation.names[node])
            if self._sizes[node] > MOST_NODES:
                self.abridged = True
                return self._symbol(node, "…")
            if not math.isfinite(self._values[node]):
                raise _TooHard
        elif op == "unknown":
            return self.x
        if not callable(OPERATIONS[op].algebra):  # a function that sympy would rewrite
            if holds:
                raise _TooHard
            parts = [printed(self.of(arg), self.written()) for arg in args]
            return self._symbol(node, f"{op}({', '.join(parts)})")
        first, *rest = args
        others = [self._exponent(arg) if holds and op == "pow" else self.of(arg) for arg in rest]
        return self.add(op, self.of(first), *others)

    def number(self, expression: Any) -> float | None:
        """The value of an expression without the unknown; None if it is not a real number."""
        exact = {symbol: sympy.Float(self._values[node], _DIGITS) for node, (symbol, _) in self._symbols.items()}
        result = expression.xreplace(exact).evalf(_DIGITS)
        if not result.is_Number or not result.is_finite or abs(result) > _LARGEST:
            return None
        return float(result)

    def written(self) -> dict[Any, Formula]:
        """The text of each symbol, in the order in which the sides mention them."""
        order = _in_order(self._graph, self._equation.sides, self._equation.leaves)
        return dict(self._symbols[node] for node in order if node in self._symbols)

    def _exponent(self, node: int) -> Any:
        """An exponent as a short fraction, so that powers of the unknown can be told apart."""
        value = self._values[node]
        exact = Fraction(value).limit_denominator(1000) if math.isfinite(value) else Fraction(0)
        if self._equation.holds(node) or float(exact) != value or abs(exact) > MOST_NODES:
            raise _TooHard
        return sympy.Rational(exact)

    def _constant(self, node: int) -> Any:
        """A number: an exact rational if it is a short fraction, else a symbol, so that sympy sees no floats."""
        value = self._values[node]
        if not math.isfinite(value):
            raise _TooHard
        for exact in (Fraction(value).limit_denominator(12), Fraction(repr(value))):
            if float(exact) == value and max(abs(exact.numerator), exact.denominator) <= 10**4:
                return sympy.Rational(exact)
        return self._symbol(node)

    def _symbol(self, node: int, name: str | None = None) -> Any:
        """A symbol that is printed as a name or, without one, as its value."""
        if node not in self._symbols:
            value = self._values[node]
            if not math.isfinite(value):
                raise _TooHard
            formula = Formula.number(value) if name is None else Formula(name, ATOM)
            # sympy splits roots of symbols that it knows to be positive.
            known = {"positive": True} if value > 0 else {"real": True}
            self._symbols[node] = sympy.Symbol(f"v{len(self._symbols)}", **known), formula
        return self._symbols[node][0]


def _in_order(graph: Graph, roots: Iterable[int], leaves: Mapping[int, float]) -> list[int]:
    """The nodes below `roots` in reading order."""
    found: dict[int, None] = {}
    pending = list(roots)[::-1]
    while pending:
        node = pending.pop()
        if node not in found:
            found[node] = None
            if node not in leaves:
                pending.extend(graph[node].args[::-1])
    return list(found)
