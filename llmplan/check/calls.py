"""Calls and folds: operations by their unit rules, functions of names and tables, library functions, `sum … for`."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

from attrs import evolve

from llmplan.check import ir
from llmplan.check.comparisons import chain_of
from llmplan.check.context import Context
from llmplan.check.ir import Expr, Typed
from llmplan.check.scope import words
from llmplan.diagnostics import Hint, names, units
from llmplan.operations import FUNCTIONS, Operation
from llmplan.operations.folds import FOLDS
from llmplan.syntax import nodes
from llmplan.syntax.expressions import written_out
from llmplan.units import amount
from llmplan.units.measure import BOOL, REAL, KindType, ListType, Measure, Type


def check_call(check: Context, node: nodes.Call, want: Type | None) -> Typed:
    """A call of a built-in function or of a `fn`."""
    name = node.function.text
    builtin = BUILTINS.get(name)
    if builtin is not None:
        return builtin(check, node, want)
    if name in check.scope.functions:
        return _own(check, node)
    check.report(names.undefined(node.function.span, "function", name, [*BUILTINS, *check.scope.functions]))
    return check.wrong(node)


def _own(check: Context, node: nodes.Call) -> Typed:
    function = check.scope.functions[node.function.text]
    check.scope.read.add(function.name)
    count = len(function.params)
    if len(node.arguments) != count:
        wanted = f"{count} argument" + ("" if count == 1 else "s")
        return check.wrong(node, units.wrong_count(node.span, function.name, wanted, len(node.arguments)))
    args: list[Expr] = []
    for number, (argument, (name, type), ends) in enumerate(zip(node.arguments, function.params, function.ranges), 1):
        typed = check.check(argument, type)
        if typed.type is not None and not _passes(check, typed, type):
            declared = check.scope.span(function.place)
            wrong = units.wrong_argument(argument.span, number, function.name, words(type), words(typed.type), declared)
            typed = check.wrong(argument, wrong)
        elif typed.number is not None and isinstance(type, Measure) and type.whole and typed.number % 1:
            hint = Hint(f"`{name}` is {words(type)}")
            check.report(units.not_whole(argument.span, name, argument.span.text, hint))
        elif ends is not None and typed.number is not None and not ends[0] <= typed.number <= ends[1]:
            legal = f"{amount.count(ends[0])}..{amount.count(ends[1])}"
            check.report(units.outside(argument.span, name, argument.span.text, legal))
        args.append(typed.expr)
    return Typed(ir.Call(function.name, tuple(args)), function.result, node.span)


def _passes(check: Context, typed: Typed, want: Type) -> bool:
    """Passing an argument is an assignment."""
    if isinstance(typed.type, Measure) and isinstance(want, Measure):
        if typed.zero or (typed.bare and check.scope.units.is_count(want)):
            return True
        labels = typed.type.labels, want.labels
        return typed.type.dims == want.dims and (not all(labels) or labels[0] == labels[1])
    return typed.type == want


def _count(check: Context, node: nodes.Call, least: int, most: int | None) -> bool:
    found = len(node.arguments)
    if found >= least and (most is None or found <= most):
        return True
    plural = "" if least == 1 else "s"
    wanted = f"{least} argument{plural}" if most == least else f"at least {least} argument{plural}"
    check.report(units.wrong_count(node.span, node.function.text, wanted, found))
    return False


def _operation(check: Context, node: nodes.Call, want: Type | None, operation: Operation) -> Typed:
    """A call of an operation that has a name in the language, by its unit rule."""
    rule = operation.units
    assert rule is not None
    if not _count(check, node, 1 if rule.alike else operation.arity, None if rule.alike else operation.arity):
        return check.wrong(node)
    if rule.alike:  # a bare number takes the unit of the others
        parts = check.alike(list(node.arguments), want, rule.alike)
    else:  # only an operation that keeps its arguments' type can have the wanted one
        parts = [check.check(argument, None if rule.result or rule.remainder else want) for argument in node.arguments]
    if not all(check.measured(part) for part in parts):
        return check.wrong(node)
    first = parts[0]
    if rule.alike:
        rest = tuple((operation.name, part.expr) for part in parts[1:])
        return check.joined(node, ir.Chain(first.expr, rest), parts)
    expr = ir.Op(operation.name, tuple(part.expr for part in parts))
    if rule.remainder:
        return _modulo(check, node, expr, first, parts[1])
    if rule.result is None:
        return evolve(first, expr=expr, span=node.span)
    assert isinstance(first.type, Measure)
    result = rule.result(first.type)
    if result is None:
        return check.wrong(node, units.not_here(first.span, words(first.type), rule.wants))
    return Typed(expr, result, node.span, unit=first.unit if rule.keeps_unit else "")


def _modulo(check: Context, node: nodes.Call, expr: Expr, left: Typed, right: Typed) -> Typed:
    """Either side's label may meet any other, as in GPUs divided by tensor-parallel ranks."""
    assert isinstance(left.type, Measure) and isinstance(right.type, Measure)
    if left.type.dims != right.type.dims and not (right.bare and check.scope.units.is_count(left.type)):
        sides = (left.span, words(left.type)), (right.span, words(right.type))
        return check.wrong(node, units.unlike("divided with a remainder", *sides))
    return Typed(expr, left.type, node.span, unit=left.unit)


def _interpolate(check: Context, node: nodes.Call, want: Type | None) -> Typed:
    """interpolate(x, [[x1, y1], [x2, y2], …]): literals, with rising x values."""
    if not _count(check, node, 2, 2):
        return check.wrong(node)
    x = check.check(node.arguments[0])
    table = node.arguments[1]
    rows = table.items if isinstance(table, nodes.List) else ()
    pairs = [row.items for row in rows if isinstance(row, nodes.List) and len(row.items) == 2]
    points = [(check.check(x_node), check.check(y_node)) for x_node, y_node in pairs]
    xs: list[float] = []
    ys: list[float] = []
    if not rows or len(points) != len(rows):
        return check.wrong(node, units.not_here(table.span, "this", "a table `[[x, y], [x, y]]`"))
    value = points[0][1]
    for px, py in points:
        check.unify(evolve(x, bare=False), px, "compared")
        value = check.unify(value, py, "used as alternatives")
        if px.number is None or py.number is None:
            check.report(units.not_here(px.span.to(py.span), "an expression", "a pair of number literals"))
            return check.wrong(node)
        xs.append(px.number)
        ys.append(py.number)
    if any(b <= a for a, b in itertools.pairwise(xs)):
        return check.wrong(node, units.not_here(table.span, "a table whose x does not rise", "rising x"))
    return Typed(ir.Interpolate(x.expr, tuple(xs), tuple(ys)), value.type, node.span, unit=value.unit)


def _dotted(check: Context, node: nodes.Call) -> nodes.Name | None:
    if not _count(check, node, 1, 1):
        return None
    argument = node.arguments[0]
    if isinstance(argument, nodes.Name):
        return argument
    check.report(units.not_here(argument.span, "an expression", "a name"))
    return None


def _first(check: Context, node: nodes.Call, want: Type | None) -> Typed:
    """first(a, b, …): the first argument that is given; all but the last are inputs."""
    return check.check(written_out(node), want) if _count(check, node, 2, None) else check.wrong(node)


def _given(check: Context, node: nodes.Call, want: Type | None) -> Typed:
    name = _dotted(check, node)
    if name is None:
        return check.wrong(node)
    text = name.text
    if len(name.parts) == 1 and check.kind and f"{check.kind}.{text}" in check.scope.fields:
        text = f"{check.kind}.{text}"
    owner = text.rpartition(".")[0]
    if text in check.scope.fields or owner in check.scope.fields or text in check.scope.kinds:
        return Typed(ir.Given(text), BOOL, node.span)
    check.check(name)  # reports an unknown name
    if check.scope.lookup(text) is not None:
        check.report(units.not_here(name.span, f"`{text}`, which is computed,", "an input"))
    return check.wrong(node)


def _assumed(check: Context, node: nodes.Call, want: Type | None) -> Typed:
    name = _dotted(check, node)
    if name is None:
        return check.wrong(node)
    if name.text not in check.scope.quantities:
        return check.wrong(node, names.unknown_name(name.span, name.text, list(check.scope.quantities), None))
    if not check.scope.targets:  # while the library is read
        check.scope.assumable[name.text] = ()
    return Typed(ir.Assumed(name.text), BOOL, node.span)


def _emits(check: Context, node: nodes.Call, want: Type | None) -> Typed:
    name = _dotted(check, node)
    if name is None:
        return check.wrong(node)
    if not check.scope.targets:  # while the library is read: `library.unknown_targets` looks at them later
        place = name.span.source.name, name.span.start, name.span.end
        check.scope.emitted[name.text] = (*check.scope.emitted.get(name.text, ()), place)
    elif name.text not in check.scope.folders():
        check.report(names.unknown_target(name.span, name.text, sorted(check.scope.folders())))
    return Typed(ir.Emits(name.text), BOOL, node.span)


def _chance(check: Context, node: nodes.Call, want: Type | None) -> Typed:
    """chance(time <= 30 days): the probability of a comparison by size, or of a chain of them."""
    if not _count(check, node, 1, 1):
        return check.wrong(node)
    event = node.arguments[0]
    while isinstance(event, nodes.Paren):
        event = event.inner
    whole = check.check(event)
    bounds = chain_of(check, event)
    if whole.type is None or bounds is None:
        return check.wrong(node)  # the mistake was reported
    if not bounds or any(one.operation not in ("lt", "le", "gt", "ge") for one in bounds):
        wanted = "a comparison by `<`, `<=`, `>` or `>=`"
        return check.wrong(node, units.not_here(event.span, "this event", wanted))
    expr = ir.Chance(bounds)
    return Typed(expr, REAL, node.span) if _measurable(check, event, expr) else check.wrong(node)


_FUNCTIONS: dict[type[ir.Expr], str] = {ir.Chance: "a chance", ir.Quantile: "a quantile"}


def _measurable(check: Context, event: nodes.Expr, expr: ir.Expr) -> bool:
    """Whether an event consists of values that can be measured; reports why not."""
    found = list(ir.walk(expr))[1:]
    for part in found:
        if isinstance(part, (ir.Chance, ir.Quantile)):
            within = f"{_FUNCTIONS[type(part)]} inside {_FUNCTIONS[type(expr)]}"
            check.report(units.not_here(event.span, within, "values"))
            return False
    if any(isinstance(part, (ir.Local, ir.FieldOf)) for part in found):
        check.report(units.not_here(event.span, "a local name in an event", "inputs, lets and quantities"))
        return False
    return True


def _quantile(check: Context, node: nodes.Call, want: Type | None) -> Typed:
    """quantile(time, 90%): the value that this share of the measured values does not exceed."""
    if not _count(check, node, 2, 2):
        return check.wrong(node)
    value, share = (check.check(argument) for argument in node.arguments)
    if value.type is None or share.type is None or not check.measured(value):
        return check.wrong(node)
    outside = isinstance(share.expr, ir.Num) and not 0.0 < share.expr.value < 1.0
    if outside or not _passes(check, share, REAL):
        return check.wrong(node, units.not_here(node.arguments[1].span, "this share", "one between 0 and 1"))
    if not _measurable(check, node.arguments[0], ir.Quantile(value.expr, share.expr)):
        return check.wrong(node)
    return Typed(ir.Quantile(value.expr, share.expr), value.type, node.span, unit=value.unit)


def check_fold(check: Context, node: nodes.Fold, want: Type | None) -> Typed:
    """`max(memory_at[s, p] for s in Stage, p in Phase)`: over the members of enums, or of a list of a kind."""
    function = node.function.text
    if function not in FOLDS:
        return check.wrong(node, names.undefined(node.function.span, "function", function, FOLDS))
    variables: list[tuple[str, str]] = []
    types: dict[str, Type | None] = {}
    for binder in node.binders:
        over = binder.over.text
        member = check.scope.enums.get(over) or _members(check, over)
        if member is None:
            check.report(names.unknown_name(binder.over.span, over, list(check.scope.enums), None))
            return check.wrong(node)
        variables.append((binder.name.text, over))
        types[binder.name.text] = member
    body = check.inside(types).check(node.body)
    if body.type is None or not check.measured(body):
        return check.wrong(node)
    expr = ir.Fold(function, tuple(variables), body.expr)
    if FOLDS[function].picks != "nothing":
        return Typed(expr, types[variables[0][0]], node.span)
    return Typed(expr, body.type, node.span, unit=body.unit)


def _members(check: Context, path: str) -> Type | None:
    """The type of the members of a list, if a name is one."""
    meaning = check.scope.lookup(path)
    if meaning is not None and isinstance(meaning.type, ListType) and meaning.type.kind != "Text":
        return KindType(meaning.type.kind)
    return None


BUILTINS: dict[str, Callable[[Context, nodes.Call, Type | None], Typed]] = {
    **{name: partial(_operation, operation=operation) for name, operation in FUNCTIONS.items()},
    "interpolate": _interpolate,
    "given": _given,
    "first": _first,
    "assumed": _assumed,
    "emits": _emits,
    "chance": _chance,
    "quantile": _quantile,
}
