"""Lowering of expressions: each checked form to nodes of the graph."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

from llmplan.check.core import Core
from llmplan.check.program import Place, Quantity
from llmplan.check.scope import Scope
from llmplan.system.graph import Graph
from llmplan.system.missing import Missing, Result, missing
from llmplan.units.measure import ListType

MAX_NODES = 400_000
"""A plan that unrolls to more equations than this is refused rather than computed."""

MAX_STEPS = 200_000
"""The same for the expressions that are looked at, which may all fold to a few numbers."""

Env = dict[str, Result]


class TooLarge(Exception):
    """The plan unrolls to more than `MAX_NODES` equations or `MAX_STEPS` expressions."""


class ExpressionLowering:
    """Lowers expressions; names are left to the subclass."""

    def __init__(self, scope: Scope, graph: Graph) -> None:
        self.scope = scope
        self.graph = graph
        self._calls: dict[tuple[str, tuple[Result, ...]], Result] = {}
        self._entries: dict[str, list[str]] = {}
        self._source = ""
        self._depth = 0
        self._steps = 0
        self._methods: dict[str, Callable[[Core, Env], Result]] = {}

    def name(self, name: str, at: Place | None = None) -> Result:
        raise NotImplementedError

    def given(self, path: str) -> Result:
        raise NotImplementedError

    def instances(self, path: str) -> list[str] | Missing:
        raise NotImplementedError

    def of_instance(self, kind: str, entry: str, field: str) -> Result:
        raise NotImplementedError

    def assumed(self, name: str) -> Result:
        raise NotImplementedError

    def emits(self, target: str) -> Result:
        raise NotImplementedError

    def alternatives(self, quantity: Quantity, env: Env) -> Result:
        raise NotImplementedError

    def entry_names(self, kind: str) -> list[str]:
        """All entries of a kind in a fixed order; an entry's value in the graph is its index here."""
        if kind not in self._entries:
            self._entries[kind] = sorted(self.scope.entries.get(kind, {}))
        return self._entries[kind]

    def lower(self, core: Core, env: Env, base: str | None = None) -> Result:
        """The node of an expression; `base` names the source that offsets in it belong to."""
        self._steps += 1
        if self._steps > MAX_STEPS or len(self.graph.nodes) > MAX_NODES:
            raise TooLarge
        method = self._methods.get(core[0])
        if method is None:
            method = self._methods[core[0]] = getattr(self, f"_{core[0]}")
        if base is None:
            return method(core, env)
        outer, self._source = self._source, base
        try:
            return method(core, env)
        finally:
            self._source = outer

    def conditional(self, core: Core, env: Env, base: str | None = None) -> Result:
        """The node of an expression that only some candidates need."""
        return self.lower(core, env, base=base)

    def _num(self, core: Core, env: Env) -> Result:
        if core[1] != core[1]:
            return missing()  # what stands there was reported
        return self.graph.const(core[1])

    def _member(self, core: Core, env: Env) -> Result:
        return self.graph.const(float(core[2]))

    def _entry(self, core: Core, env: Env) -> Result:
        return self.graph.const(float(self.entry_names(core[1]).index(core[2])))

    def _text(self, core: Core, env: Env) -> Result:
        # Texts are no numbers: they are read from the setting itself, never through the graph.
        return self.graph.const(math.nan)

    def _ref(self, core: Core, env: Env) -> Result:
        return self.name(core[1], (self._source, core[2], core[3]))

    def _local(self, core: Core, env: Env) -> Result:
        return env[core[1]]

    def _op(self, core: Core, env: Env) -> Result:
        return self._apply(core[1], [self.lower(arg, env) for arg in core[2:]])

    def _apply(self, operation: str, args: list[Result]) -> Result:
        nodes = [arg for arg in args if not isinstance(arg, Missing)]
        return self.graph.add(operation, *nodes) if len(nodes) == len(args) else missing(*args)

    def _chain(self, core: Core, env: Env) -> Result:
        result = self.lower(core[1], env)
        for operation, part in core[2]:
            if operation in ("and", "or") and self._decided(operation, result):
                continue  # what the left side decides alone does not need the right one
            value = self.lower(part, env)
            if operation in ("and", "or"):
                result = self._logic(operation, result, value)
            else:
                result = self._apply(operation, [result, value])
        return result

    def _logic(self, operation: str, left: Result, right: Result) -> Result:
        for side in (left, right):
            if self._decided(operation, side):
                return side
        return self._apply(operation, [left, right])

    def _decided(self, operation: str, side: Result) -> bool:
        """True if one side alone makes an `or` true or an `and` false."""
        return not isinstance(side, Missing) and self.graph.constant(side) == float(operation == "or")

    def _if(self, core: Core, env: Env) -> Result:
        condition = self.lower(core[1], env)
        if isinstance(condition, Missing):
            return condition
        constant = self.graph.constant(condition)
        if constant is not None:
            if constant != constant:
                return condition
            return self.lower(core[2] if constant == 1.0 else core[3], env)
        return self._select(condition, self.conditional(core[2], env), self.conditional(core[3], env))

    def _select(self, condition: int, then: Result, otherwise: Result) -> Result:
        if isinstance(then, Missing) or isinstance(otherwise, Missing):
            return missing(then, otherwise)
        return self.graph.add("select", condition, then, otherwise)

    def _cases(self, core: Core, env: Env) -> Result:
        subject = self.lower(core[1], env)
        if isinstance(subject, Missing):
            return subject
        result: Result = self.graph.const(math.nan)
        tests: list[tuple[int, Core]] = []
        for pattern, value in core[2]:
            if pattern is None:
                result = self.conditional(value, env) if tests else self.lower(value, env)
                break
            wanted = self.lower(pattern, env)
            assert not isinstance(wanted, Missing)
            test = self.graph.add("eq", subject, wanted)
            constant = self.graph.constant(test)
            if constant == 1.0:
                result = self.conditional(value, env) if tests else self.lower(value, env)
                break
            if constant is None:
                tests.append((test, value))
        for test, value in reversed(tests):
            result = self._select(test, self.conditional(value, env), result)
        return result

    def _call(self, core: Core, env: Env) -> Result:
        args = tuple(self.lower(arg, env) for arg in core[2])
        key = (core[1], args)
        if key in self._calls:
            return self._calls[key]
        function = self.scope.functions[core[1]]
        self._depth += 1
        if self._depth > 60:
            raise TooLarge
        inner = {name: arg for (name, _), arg in zip(function.params, args)}
        result = self.lower(function.body, inner, base=function.place[0])
        self._depth -= 1
        self._calls[key] = result
        return result

    def _let(self, core: Core, env: Env) -> Result:
        inner = dict(env)
        for name, value in core[1]:
            inner[name] = self.lower(value, inner)
        return self.lower(core[2], inner)

    def _index(self, core: Core, env: Env) -> Result:
        quantity = self.scope.quantities[core[1]]
        members: list[float] = []
        for arg in core[2]:
            lowered = self.lower(arg, env)
            constant = None if isinstance(lowered, Missing) else self.graph.constant(lowered)
            if constant is None:
                return self._indexed_by_unknown(quantity, core, env)
            members.append(constant)
        return self.at(quantity, tuple(members))

    def at(self, quantity: Quantity, members: tuple[float, ...]) -> Result:
        """An indexed quantity at members given by their indices."""
        inner: Env = {variable: self.graph.const(m) for (variable, _), m in zip(quantity.indices, members)}
        return self.alternatives(quantity, inner)

    def _indexed_by_unknown(self, quantity: Quantity, core: Core, env: Env) -> Result:
        """An index that depends on an unknown: a choice among all members."""
        args = [self.lower(arg, env) for arg in core[2]]
        if any(isinstance(arg, Missing) for arg in args):
            return missing(*args)
        result: Result = self.graph.const(math.nan)
        sizes = [range(len(self.scope.enums[enum].members)) for _, enum in quantity.indices]
        for members in itertools.product(*sizes):
            here = self.graph.const(1.0)
            for arg, member in zip(args, members):
                assert not isinstance(arg, Missing)
                here = self.graph.add("and", here, self.graph.add("eq", arg, self.graph.const(member)))
            result_at = self.at(quantity, tuple(float(m) for m in members))
            result = self._select(here, result_at, result)
        return result

    def _fold(self, core: Core, env: Env) -> Result:
        _, function, variables, body = core
        ranges: list[list[int]] = []
        for _, over in variables:
            if over in self.scope.enums:
                ranges.append(list(range(len(self.scope.enums[over].members))))
                continue
            entries = self.instances(over)
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
            results.append((members[0], self.lower(body, inner)))
        if any(isinstance(value, Missing) for _, value in results):
            return missing(*(value for _, value in results))
        nodes = [(member, value) for member, value in results if not isinstance(value, Missing)]
        if function.startswith("arg") and nodes:
            return self._argument(function, nodes)
        if not nodes:
            return self.graph.const(0.0 if function == "sum" else math.nan)
        operation = "add" if function == "sum" else function
        result = nodes[0][1]
        for _, node in nodes[1:]:
            result = self.graph.add(operation, result, node)
        return result

    def _argument(self, function: str, nodes: list[tuple[int, int]]) -> Result:
        """The member of the first index at which the body is largest or smallest, the first of equals."""
        best, member = nodes[0][1], self.graph.const(float(nodes[0][0]))
        for index, node in nodes[1:]:
            better = self.graph.add("lt", *((best, node) if function == "argmax" else (node, best)))
            best = self.graph.add("select", better, node, best)
            member = self.graph.add("select", better, self.graph.const(float(index)), member)
        return member

    def _of(self, core: Core, env: Env) -> Result:
        """A field of an entry that a local stands for."""
        entry = env[core[1]]
        if isinstance(entry, Missing):
            return entry
        index = self.graph.constant(entry)
        if index is None or index != index:
            return self.graph.const(math.nan)
        return self.of_instance(core[2], self.entry_names(core[2])[int(index)], core[3])

    def _interpolate(self, core: Core, env: Env) -> Result:
        x = self.lower(core[1], env)
        if isinstance(x, Missing):
            return x
        return self.graph.interpolate(x, core[2], core[3])

    def _given(self, core: Core, env: Env) -> Result:
        return self.given(core[1])

    def _assumed(self, core: Core, env: Env) -> Result:
        return self.assumed(core[1])

    def _emits(self, core: Core, env: Env) -> Result:
        return self.emits(core[1])
