"""Closed forms: the value of one unknown at which two sides are equal, as a formula.

The only importer of sympy, which is asked for nothing unbounded: it is given small expressions of
products, powers and sums, built from our nodes with symbols `v0`, `v1` … and never from text, and
it expands and combines them. What solves is our own: peeling operations off the side that holds
the unknown, and equations with two powers of it, or three in even steps. Every root is put back
into the equation before it is returned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from attrs import frozen

from llmplan import __version__
from llmplan.cache import store
from llmplan.operations import TOLERANCE
from llmplan.solve.closed_form.print import Formula, printed
from llmplan.system.evaluate import ancestors, evaluate
from llmplan.system.graph import Graph

_SMOOTH = frozenset(("add", "sub", "mul", "div", "pow", "neg", "sqrt", "log2", "ln", "exp", "unknown"))
_ALGEBRAIC = frozenset(("add", "sub", "mul", "div", "pow", "neg", "sqrt"))
_MOST_NODES = 60
_MOST_TERMS = 200
_DIGITS = 30
_LARGEST = 1e300
_MOST_BITS = 1000
_REVISION = 2  # of what is derived: older results that are kept no longer hold when it changes


@frozen
class ClosedForm:
    """Solutions of an equation for one unknown.

    Attributes:
        roots: In base units, each checked by substitution, the likeliest (principal) first.
        relations: For each root the formula: `hardware.gpus = 6 · params · tokens / (mfu · peak)`;
            empty if it is too long to read.
    """

    roots: tuple[float, ...]
    relations: tuple[str, ...]


class _TooHard(Exception):
    """The equation is not of the kind that is solved here."""


def closed_form(
    graph: Graph,
    left: int,
    right: int,
    unknown: int,
    names: Mapping[int, str],
    values: Mapping[int, float],
    low: float = -math.inf,
    high: float = math.inf,
) -> ClosedForm | None:
    """Solves `left == right` for one unknown.

    Args:
        graph: Where the sides stand.
        left: A node.
        right: A node.
        unknown: The index of the unknown.
        names: Nodes that appear in the formula under a name, whatever they are made of; the name
            of the unknown under its own node.
        values: The values of those nodes, and of others that are not to be looked into, in base
            units.
        low: Roots below are left out.
        high: Roots above are left out.

    Returns:
        None if the unknown does not stand in a solvable relation, or no root lies in the domain.
    """
    if not graph.reach(left) >> unknown & 1:
        left, right = right, left
    sides, bare = (left, right), _unguarded(graph, (left, right), unknown, values)
    named = {**names, **{bare[node]: name for node, name in names.items() if node in bare}}
    builder = _Builder(graph, (bare[left], bare[right]), unknown, named, values, low >= 0.0)
    try:
        builder.check_size()
    except _TooHard:
        return None
    # sympy takes longer to import than most plans to solve.
    key = f"{__version__} {_REVISION} {builder.key()} {low!r} {high!r}"
    known: Any = store.load("derivation", key)
    if known is None:
        known = _derived(builder, low, high)
        store.keep("derivation", key, known)
    if bare[left] != left or bare[right] != right:
        known = tuple(zip(*(pair for pair in zip(*known) if _meets(graph, sides, unknown, pair[0], values))))
    return ClosedForm(*known) if known and known[0] else None


def _unguarded(graph: Graph, sides: tuple[int, int], unknown: int, leaves: Mapping[int, float]) -> dict[int, int]:
    """For each node that the sides need the same without guards: choices that only refuse what is not legal.

    Whether a root is legal is seen when it is put into the equation.
    """
    found: dict[int, int] = {}
    for node in ancestors(graph, sides, leaves):
        op, args = graph[node].op, graph[node].args
        found[node] = node
        if node in leaves or not graph.reach(node) >> unknown & 1:
            continue
        refused = graph.constant(args[2]) if op == "select" else None
        if refused is not None and refused != refused:
            found[node] = found[args[1]]
        elif op in _SMOOTH and args:
            found[node] = graph.add(op, *(found[arg] for arg in args))
    return found


def _meets(
    graph: Graph, sides: tuple[int, int], unknown: int, root: float, leaves: Mapping[int, float]
) -> bool:
    """Whether two sides are equal where the unknown has a value."""
    found = evaluate(graph, {unknown: root}, sides, leaves)
    a, b = (found[side] for side in sides)
    return a == b or abs(a - b) <= TOLERANCE * max(abs(a), abs(b)) < math.inf


def _derived(builder: _Builder, low: float, high: float) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """The roots between two ends, each put back into the equation, and their formulas; empty if there are none."""
    found: dict[float, str] = {}
    try:
        for solution in list(builder.solve()):
            root = builder.number(solution)
            if root is None or not low - TOLERANCE * abs(low) <= root <= high + TOLERANCE * abs(high):
                continue
            if builder.meets(root):
                relation = f"{builder.me} = {printed(solution, builder.written())}"
                found.setdefault(root, "" if builder.abridged else relation)
    except _TooHard:
        return (), ()
    return tuple(found), tuple(found.values())


class _Builder:
    """Makes expressions of nodes, and remembers what their symbols stand for.

    Attributes:
        leaves: The values of the nodes that are not looked into.
        abridged: True if something was too long to be written out.
    """

    def __init__(
        self,
        graph: Graph,
        sides: tuple[int, int],
        unknown: int,
        names: Mapping[int, str],
        values: Mapping[int, float],
        positive: bool,
    ) -> None:
        self._graph = graph
        self._positive = positive
        self._sides = sides
        self._unknown = unknown
        self._names = names
        self.leaves = {node: value for node, value in values.items() if not graph.reach(node) >> unknown & 1}
        self.abridged = False
        self._nodes = ancestors(graph, sides, self.leaves)
        self._values = evaluate(graph, {}, sides, self.leaves)
        self._sizes: dict[int, int] = {}
        self._named: set[int] = set()
        for node in self._nodes:
            args = () if node in self.leaves else graph[node].args
            self._sizes[node] = 1 + sum(self._sizes[arg] for arg in args)
            if node in names or any(arg in self._named for arg in args):
                self._named.add(node)
        self._formulas: dict[Any, Formula] = {}
        self._numbers: dict[Any, float] = {}
        self._symbols: dict[int, Any] = {}

    @property
    def me(self) -> str:
        """What the unknown is called."""
        named = (name for node, name in self._names.items() if self._graph[node].op == "unknown" and self.holds(node))
        return next(named, "x")

    def key(self) -> str:
        """The equation as text, the same for equal equations: nodes by their place, names and values."""
        places = {node: at for at, node in enumerate(self._nodes)}
        parts = []
        for node in self._nodes:
            found = self._graph[node]
            name, value = self._names.get(node, ""), self._values.get(node)
            known = node in self.leaves
            args = () if known else tuple(places[arg] for arg in found.args)
            shown = value if known or found.op == "const" else found.value if found.op == "unknown" else None
            parts.append((found.op if not known else "known", args, repr(shown), found.table, name))
        return repr((parts, [places[side] for side in self._sides], self._unknown))

    def meets(self, root: float) -> bool:
        """Whether the sides are equal where the unknown has a value."""
        return _meets(self._graph, self._sides, self._unknown, root, self.leaves)

    def check_size(self) -> None:
        """Refuses an equation that is large, or in which the unknown goes through a step or a choice."""
        holding = [node for node in self._nodes if self.holds(node)]
        tree = sum(1 for _ in self._occurrences(self._sides))
        if not holding or tree > _MOST_NODES or any(self._graph[node].op not in _SMOOTH for node in holding):
            raise _TooHard

    def _occurrences(self, roots: Sequence[int]) -> Iterator[int]:
        """Nodes that hold the unknown, as often as a written formula would mention them; not endless."""
        pending = [root for root in roots if self.holds(root)]
        for _ in range(_MOST_NODES + 1):
            if not pending:
                return
            node = pending.pop()
            yield node
            pending.extend(arg for arg in self._graph[node].args if self.holds(arg))

    def written(self) -> dict[Any, Formula]:
        """How each symbol is written, in the order in which the sides mention them."""
        order = {node: at for at, node in enumerate(_in_order(self._graph, self._sides, self.leaves))}
        symbols = sorted((node for node in self._symbols if node >= 0), key=lambda node: order[node])
        return {self._symbols[node]: self._formulas[self._symbols[node]] for node in symbols}

    def holds(self, node: int) -> bool:
        """Whether the unknown is in a node."""
        return node not in self.leaves and bool(self._graph.reach(node) >> self._unknown & 1)

    def number(self, expression: Any) -> float | None:
        """The value of an expression without the unknown; None if it is not a real number."""
        import sympy

        exact = {symbol: sympy.Float(value, _DIGITS) for symbol, value in self._numbers.items()}
        result = expression.xreplace(exact).evalf(_DIGITS)
        if not result.is_Number or not result.is_finite or abs(result) > _LARGEST:
            return None
        return float(result)

    def solve(self) -> Iterator[Any]:
        """Expressions for the unknown, not yet checked."""
        left, right = self._sides
        if self.holds(right):
            yield from self._polynomial(left, self.build(right), right)
        else:
            yield from self._peel(left, self.build(right))

    def _peel(self, node: int, value: Any) -> Iterator[Any]:
        """The unknown where a node that holds it has a value."""
        import sympy

        size = self.number(value)
        if size is None:
            return
        op, args = self._graph[node].op, self._graph[node].args
        if op == "unknown":
            yield value
            return
        inner = [arg for arg in args if self.holds(arg)]
        if len(inner) == 2:
            yield from self._polynomial(node, value)
            return
        first = inner[0] == args[0]
        # An operation of one argument has no other; what it would be is not looked at then.
        other = self.build(args[1] if first else args[0]) if len(args) == 2 else value
        if op == "log2" and abs(size) > _MOST_BITS:
            return
        if op == "pow":
            if not first:
                raise _TooHard
            root = value ** (1 / other)
            yield from self._peel(inner[0], root)
            if other.is_Integer and other % 2 == 0:
                yield from self._peel(inner[0], -root)
            return
        inverse = {
            "add": lambda: value - other,
            "sub": lambda: value + other if first else other - value,
            "mul": lambda: value / other,
            "div": lambda: value * other if first else other / value,
            "neg": lambda: -value,
            "sqrt": lambda: value**2,
            "ln": lambda: sympy.exp(value),
            "exp": lambda: sympy.log(value),
            "log2": lambda: sympy.Integer(2) ** value,
        }[op]()
        yield from self._peel(inner[0], inverse)

    def _polynomial(self, node: int, value: Any, other: int | None = None) -> Iterator[Any]:
        """Roots of a sum of powers of the unknown: where a node has the value of another.

        Args:
            node: It holds the unknown.
            value: An expression.
            other: Its node, if that holds the unknown too.
        """
        import sympy

        above, below = self._terms(node)
        if other is not None:
            above, below = max(above, below) * max(self._terms(other)), 1
        if max(above, below) > _MOST_TERMS:
            raise _TooHard

        x = self._unknown_symbol()
        numerator, _ = sympy.fraction(sympy.together(self.build(node) - value))
        expanded = sympy.expand(numerator)
        terms = expanded.as_ordered_terms()
        if len(terms) > _MOST_TERMS:
            raise _TooHard
        factors: dict[Any, Any] = {}
        for term in terms:
            factor, exponent = term.as_coeff_exponent(x)
            if factor.has(x) or not exponent.is_Rational:
                raise _TooHard
            factors[exponent] = factors.get(exponent, 0) + factor
        factors = {exponent: factor for exponent, factor in factors.items() if factor != 0}
        exponents = sorted(factors)
        if len(exponents) == 2:
            low, high = exponents
            yield from self._roots(-factors[low] / factors[high], high - low)
        elif len(exponents) == 3 and exponents[1] * 2 == exponents[0] + exponents[2]:
            c, b, a = (factors[exponent] for exponent in exponents)
            under = sympy.sqrt(b**2 - 4 * a * c)
            for sign in (1, -1):
                yield from self._roots((-b + sign * under) / (2 * a), exponents[1] - exponents[0])
        else:
            raise _TooHard

    def _roots(self, value: Any, exponent: Any) -> Iterator[Any]:
        import sympy

        root = sympy.factor_terms(sympy.together(value)) ** (1 / exponent)
        yield root
        if exponent.is_Integer and exponent % 2 == 0:
            yield -root

    def _terms(self, node: int) -> tuple[int, int]:
        """At most how many terms numerator and denominator of a node have when multiplied out."""
        if not self.holds(node) or self._graph[node].op == "unknown":
            return 1, 1
        found = self._graph[node]
        a, b = self._terms(found.args[0])
        if found.op == "pow":
            times = abs(self._exponent(found.args[1]))
            power = int(min(times, _MOST_TERMS)) + 1
            return min(a**power, _MOST_TERMS + 1), min(b**power, _MOST_TERMS + 1)
        if len(found.args) == 1:
            return a, b
        c, d = self._terms(found.args[1])
        if found.op == "mul":
            a, b = a * c, b * d
        elif found.op == "div":
            a, b = a * d, b * c
        else:
            a, b = a * d + c * b, b * d
        return min(a, _MOST_TERMS + 1), min(b, _MOST_TERMS + 1)

    def _unknown_symbol(self) -> Any:
        import sympy

        # With the sign known `sqrt(x^2)` is `x`.
        known = {"nonnegative": True} if self._positive else {"real": True}
        return self._symbols.setdefault(-1, sympy.Symbol("x", **known))

    def build(self, node: int) -> Any:
        """The expression of a node."""
        import sympy

        found = self._graph[node]
        if not self.holds(node):
            if node not in self._named:
                return self._constant(node)
            if node in self.leaves:
                return self._symbol(node, Formula.leaf(self._names[node]))
            if self._sizes[node] > _MOST_NODES:
                self.abridged = True
                return self._symbol(node, Formula.leaf("…"))
        elif found.op == "unknown":
            return self._unknown_symbol()
        if found.op not in _ALGEBRAIC:
            if self.holds(node):
                raise _TooHard
            parts = [printed(self.build(arg), self.written()) for arg in found.args]
            return self._symbol(node, Formula.leaf(f"{found.op}({', '.join(parts)})"))
        args = [self.build(arg) for arg in found.args]
        if found.op == "pow" and self.holds(node):
            args[1] = self._exponent(found.args[1])
        if not self.holds(node) and not math.isfinite(self._values[node]):
            raise _TooHard
        operation: Callable[..., Any] = {
            "add": lambda a, b: a + b,
            "sub": lambda a, b: a - b,
            "mul": lambda a, b: a * b,
            "div": lambda a, b: a / b,
            "pow": lambda a, b: a**b,
            "neg": lambda a: -a,
            "sqrt": sympy.sqrt,
        }[found.op]
        return operation(*args)

    def _exponent(self, node: int) -> Any:
        """A short fraction, so that powers of the unknown can be told apart."""
        import sympy

        if self.holds(node):
            raise _TooHard
        value = self._values[node]
        exact = Fraction(value).limit_denominator(1000) if math.isfinite(value) else Fraction(0)
        if float(exact) != value or abs(exact) > _MOST_NODES:
            raise _TooHard
        return sympy.Rational(exact.numerator, exact.denominator)

    def _constant(self, node: int) -> Any:
        """A number: exact if it is a short fraction, else a symbol, so that sympy meets no floats."""
        import sympy

        value = self._values[node]
        if not math.isfinite(value):
            raise _TooHard
        for exact in (Fraction(value).limit_denominator(12), Fraction(repr(value))):
            if float(exact) == value and max(abs(exact.numerator), exact.denominator) <= 10**4:
                return sympy.Rational(exact.numerator, exact.denominator)
        return self._symbol(node, Formula.number(value))

    def _symbol(self, node: int, formula: Formula) -> Any:
        import sympy

        if node not in self._symbols:
            value = self._values[node]
            if not math.isfinite(value):
                raise _TooHard
            # sympy takes apart roots of what it knows to be positive.
            known = {"positive": True} if value > 0 else {"real": True}
            symbol = self._symbols[node] = sympy.Symbol(f"v{len(self._formulas)}", **known)
            self._formulas[symbol] = formula
            self._numbers[symbol] = value
        return self._symbols[node]


def _in_order(graph: Graph, roots: Iterable[int], leaves: Mapping[int, float]) -> list[int]:
    """The nodes below `roots` as one reads them, from left to right."""
    found: dict[int, None] = {}
    pending = list(roots)[::-1]
    while pending:
        node = pending.pop()
        if node not in found:
            found[node] = None
            if node not in leaves:
                pending.extend(graph[node].args[::-1])
    return list(found)
