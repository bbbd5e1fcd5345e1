"""Lowering of expressions: turns each checked form into nodes of the graph.

Anything that does not depend on an unknown folds to a number as it is built. A `Meaning` resolves names, but
only those that the value depends on: once a condition is decided, the other branch is not read.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

from llmplan.check import ir
from llmplan.check.ir import Expr
from llmplan.check.program import Quantity
from llmplan.check.scope import Scope
from llmplan.operations.folds import FOLDS, Fold
from llmplan.system.graph import Graph
from llmplan.system.meaning import Env, Meaning
from llmplan.system.missing import Missing, Result, missing
from llmplan.system.names import Names, Reads
from llmplan.system.too_large import MAX_NODES, MAX_STEPS, TooLarge
from llmplan.units.measure import BoolType, EnumType, KindType, ListType, Type


class Expressions:
    """Lowers expressions into one graph; the names that they read are recorded in `names`."""

    def __init__(self, scope: Scope, graph: Graph, names: Names, meaning: Meaning) -> None:
        self.scope = scope
        self.graph = graph
        self.names = names
        self.meaning = meaning
        self._calls: dict[tuple[str, tuple[Result, ...]], tuple[Result, Reads]] = {}
        self._entries: dict[str, list[str]] = {}
        self._source = ""
        self._depth = 0
        self._steps = 0

    def members(self, type: Type) -> tuple[str, ...]:
        """The names of the values 0, 1, 2 … of an enum, a Bool or an entry; empty for a number."""
        if isinstance(type, EnumType):
            return type.members
        if isinstance(type, BoolType):
            return "false", "true"
        return tuple(self.entry_names(type.name)) if isinstance(type, KindType) else ()

    def entry_names(self, kind: str) -> list[str]:
        """All entries of a kind in a fixed order; an entry's value in the graph is its index here."""
        if kind not in self._entries:
            self._entries[kind] = sorted(self.scope.entries.get(kind, {}))
        return self._entries[kind]

    def lower(self, expr: Expr, env: Env, base: str | None = None) -> Result:
        """The node of an expression; `base` names the source that its offsets refer to."""
        if len(self.graph.nodes) > MAX_NODES:
            raise TooLarge
        if base is None:
            return self._lower(expr, env)
        outer, self._source = self._source, base
        try:
            return self._lower(expr, env)
        finally:
            self._source = outer

    def worth(self, expr: Expr, base: str | None = None) -> float | None:
        """The number that an expression comes to; None if inputs are missing or it depends on an unknown."""
        node = self.lower(expr, {}, base)
        return None if isinstance(node, Missing) else self.graph.constant(node)

    def conditional(self, expr: Expr, env: Env, base: str | None = None) -> Result:
        """The node of an expression that only some candidates need."""
        with self.names.conditionally():
            return self.lower(expr, env, base=base)

    def _lower(self, expr: Expr, env: Env) -> Result:
        match expr:  # the frequent ones first
            case ir.Ref():
                return self.meaning.name(expr.name, (self._source, expr.start, expr.end))
            case ir.Local():
                return env[expr.name]
            case ir.Num():
                # A NaN stands for an invalid number, which was reported.
                return self.graph.const(expr.value) if expr.value == expr.value else missing()
            case ir.Member():
                return self.graph.const(float(expr.index))
        self._steps += 1  # only for expressions with parts: a plan that unrolls to many expressions has many of these
        if self._steps > MAX_STEPS:
            raise TooLarge
        match expr:
            case ir.Chain():
                return self._chain(expr, env)
            case ir.Op():
                return self._apply(expr.operation, [self._lower(arg, env) for arg in expr.args])
            case ir.If():
                return self._if(expr, env)
            case ir.Index():
                return self._index(expr, env)
            case ir.Call():
                return self._call(expr, env)
            case ir.Match():
                return self._match(expr, env)
            case ir.Given():
                return self.meaning.given(expr.name)
            case ir.Fold():
                return self._fold(expr, env)
            case ir.Body():
                return self._body(expr, env)
            case ir.FieldOf():
                return self._field_of(expr, env)
            case ir.FieldOfEntry():
                return self.meaning.of_instance(expr.kind, expr.entry, expr.field)
            case ir.FieldAt():
                return self.meaning.field_at(expr.kind, expr.field, expr.entries, lambda: self._lower(expr.of, env))
            case ir.Entry():
                return self.graph.const(float(self.entry_names(expr.kind).index(expr.name)))
            case ir.Assumed():
                return self.meaning.assumed(expr.name)
            case ir.Emits():
                return self.meaning.emits(expr.target)
            case ir.Chance():
                return self.meaning.chance(expr, self._source)
            case ir.Quantile():
                return self.meaning.quantile(expr, self._source)
            case ir.Interpolate():
                x = self._lower(expr.x, env)
                return x if isinstance(x, Missing) else self.graph.interpolate(x, expr.xs, expr.ys)
            case ir.Text() | ir.List():
                # They are not numbers: they are read from the setting itself, never through the graph.
                return self.graph.const(math.nan)

    def _apply(self, operation: str, args: list[Result]) -> Result:
        nodes = [arg for arg in args if not isinstance(arg, Missing)]
        return self.graph.add(operation, *nodes) if len(nodes) == len(args) else missing(*args)

    def _chain(self, expr: ir.Chain, env: Env) -> Result:
        result = self._lower(expr.first, env)
        for operation, part in expr.rest:
            logical = operation == "and" or operation == "or"
            if logical and self._decided(operation, result):
                continue  # the left side alone decides, so the right one is not needed
            value = self._lower(part, env)
            if logical:
                result = value if self._decided(operation, value) else self._apply(operation, [result, value])
            elif isinstance(result, Missing) or isinstance(value, Missing):
                result = missing(result, value)
            else:
                result = self.graph.add(operation, result, value)
        return result

    def _decided(self, operation: str, side: Result) -> bool:
        """True if one side alone makes an `or` true or an `and` false."""
        return not isinstance(side, Missing) and self.graph.constant(side) == float(operation == "or")

    def _if(self, expr: ir.If, env: Env) -> Result:
        condition = self._lower(expr.condition, env)
        if isinstance(condition, Missing):
            return condition
        constant = self.graph.constant(condition)
        if constant is not None:
            if constant != constant:
                return condition
            return self._lower(expr.then if constant == 1.0 else expr.otherwise, env)
        return self._select(condition, self.conditional(expr.then, env), self.conditional(expr.otherwise, env))

    def _select(self, condition: int, then: Result, otherwise: Result) -> Result:
        if isinstance(then, Missing) or isinstance(otherwise, Missing):
            return missing(then, otherwise)
        return self.graph.add("select", condition, then, otherwise)

    def _match(self, expr: ir.Match, env: Env) -> Result:
        subject = self._lower(expr.subject, env)
        if isinstance(subject, Missing):
            return subject
        result: Result = self.graph.const(math.nan)
        tests: list[tuple[int, Expr]] = []
        for pattern, value in expr.arms:
            if pattern is None:
                result = self.conditional(value, env) if tests else self._lower(value, env)
                break
            wanted = self._lower(pattern, env)
            if isinstance(wanted, Missing):
                return wanted  # not a pattern, which was reported
            test = self.graph.add("eq", subject, wanted)
            constant = self.graph.constant(test)
            if constant == 1.0:
                result = self.conditional(value, env) if tests else self._lower(value, env)
                break
            if constant is None:
                tests.append((test, value))
        for test, value in reversed(tests):
            result = self._select(test, self.conditional(value, env), result)
        return result

    def _call(self, expr: ir.Call, env: Env) -> Result:
        args = tuple([self._lower(arg, env) for arg in expr.args])
        key = (expr.function, args)
        if key in self._calls:
            known, reads = self._calls[key]
            self.names.read_again(reads)
            return known
        function = self.scope.functions[expr.function]
        self._depth += 1
        if self._depth > 60:
            raise TooLarge
        inner = {name: arg for (name, _), arg in zip(function.params, args)}
        body = function.body
        result, reads = self.names.recorded(lambda: self.lower(body, inner, base=function.place[0]))
        self._depth -= 1
        self._calls[key] = result, reads
        return result

    def _body(self, expr: ir.Body, env: Env) -> Result:
        inner = dict(env)
        for name, value in expr.lets:
            inner[name] = self._lower(value, inner)
        return self._lower(expr.value, inner)

    def _index(self, expr: ir.Index, env: Env) -> Result:
        quantity = self.scope.quantities[expr.name]
        members: list[float] = []
        for arg, (_, enum) in zip(expr.indices, quantity.indices):
            lowered = self._lower(arg, env)
            constant = None if isinstance(lowered, Missing) else self.graph.constant(lowered)
            if constant is None:
                return self._indexed_by_unknown(quantity, expr, env)
            if not 0.0 <= constant < len(self.scope.enums[enum].members):  # also for NaN
                return self.graph.const(math.nan)
            members.append(constant)
        return self.meaning.at(quantity, tuple(members))

    def _indexed_by_unknown(self, quantity: Quantity, expr: ir.Index, env: Env) -> Result:
        """A quantity at an index that depends on an unknown: a choice among all members."""
        args = [self._lower(arg, env) for arg in expr.indices]
        if any(isinstance(arg, Missing) for arg in args):
            return missing(*args)
        result: Result = self.graph.const(math.nan)
        sizes = [range(len(self.scope.enums[enum].members)) for _, enum in quantity.indices]
        for members in itertools.product(*sizes):
            here = self.graph.const(1.0)
            for arg, member in zip(args, members):
                assert not isinstance(arg, Missing)
                here = self.graph.add("and", here, self.graph.add("eq", arg, self.graph.const(member)))
            result_at = self.meaning.at(quantity, tuple(float(m) for m in members))
            result = self._select(here, result_at, result)
        return result

    def _fold(self, expr: ir.Fold, env: Env) -> Result:
        fold, variables, body = FOLDS[expr.function], expr.variables, expr.body
        ranges: list[list[int]] = []
        for _, over in variables:
            if over in self.scope.enums:
                ranges.append(list(range(len(self.scope.enums[over].members))))
                continue
            entries = self.meaning.instances(over)
            if isinstance(entries, Missing):
                return entries
            listed = self.scope.fields[over].type
            assert isinstance(listed, ListType)
            ranges.append([self.entry_names(listed.kind).index(entry) for entry in entries])
        results: list[tuple[int, Result]] = []
        for members in itertools.product(*ranges):
            inner = dict(env)
            self._steps += len(members)
            for (variable, _), member in zip(variables, members):
                inner[variable] = self.graph.const(float(member))
            results.append((members[0], self._lower(body, inner)))
        if any(isinstance(value, Missing) for _, value in results):
            return missing(*(value for _, value in results))
        nodes = [(member, value) for member, value in results if not isinstance(value, Missing)]
        if not nodes:
            return self.graph.const(fold.empty)
        if fold.picks != "nothing":
            return self._argument(fold, nodes)
        result = nodes[0][1]
        for _, node in nodes[1:]:
            result = self.graph.add(fold.join, result, node)
        return result

    def _argument(self, fold: Fold, nodes: list[tuple[int, int]]) -> Result:
        """The member of the first index at which the body is largest or smallest; the first one in a tie."""
        best, member = nodes[0][1], self.graph.const(float(nodes[0][0]))
        for index, node in nodes[1:]:
            better = self.graph.add(fold.join, *((best, node) if fold.picks == "largest" else (node, best)))
            best = self.graph.add("select", better, node, best)
            member = self.graph.add("select", better, self.graph.const(float(index)), member)
        return member

    def _field_of(self, expr: ir.FieldOf, env: Env) -> Result:
        """A field of the entry that a local name stands for."""
        entry = env[expr.local]
        if isinstance(entry, Missing):
            return entry
        index = self.graph.constant(entry)
        if index is not None:
            if index != index:
                return self.graph.const(math.nan)
            return self.meaning.of_instance(expr.kind, self.entry_names(expr.kind)[int(index)], expr.field)
        values: dict[int, int] = {}
        for candidate, name in enumerate(self.entry_names(expr.kind)):
            with self.names.conditionally():
                value = self.meaning.of_instance(expr.kind, name, expr.field)
            values[candidate] = self.graph.const(math.nan) if isinstance(value, Missing) else value
        return self.by_entry(entry, values, len(values))

    def by_entry(self, chosen: int, values: Mapping[int, int], count: int) -> int:
        """The value of the chosen entry; NaN if that has none.

        Args:
            chosen: The node of its index among `count` entries.
            values: The nodes of the entries that may be chosen, by index.
        """
        constants = {index: self.graph.constant(node) for index, node in values.items()}
        if all(value is not None for value in constants.values()):
            table = tuple(constants.get(index, math.nan) or 0.0 for index in range(count))
            return self.graph.table(chosen, table)
        result = self.graph.const(math.nan)
        for index, node in values.items():
            here = self.graph.add("eq", chosen, self.graph.const(index))
            result = self.graph.add("select", here, node, result)
        return result
