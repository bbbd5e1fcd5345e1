"""Variations that a plan or its caller states: scenarios, `--set`, sweeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve

from llmplan.check import ir
from llmplan.check.expressions import Expressions
from llmplan.check.layers import Layers
from llmplan.check.plan import Program
from llmplan.check.program import Domain, MeasuredRun, Setting
from llmplan.check.settings import place, setting, undecided
from llmplan.diagnostics import names, units
from llmplan.load.modules import Module
from llmplan.source import Source, Span
from llmplan.syntax import nodes
from llmplan.syntax.parse import parse_value
from llmplan.syntax.statements import Statements
from llmplan.units.measure import TEXT, KindType, Measure, Type

Ranked = dict[str, list[tuple[str, Setting]]]
"""By path the setting of each layer, strongest first."""


def scenarios(layers: Layers, modules: Sequence[Module], chosen: str | None) -> None:
    """Checks and stores every scenario (of several with one name, the strongest file's); applies the chosen one."""
    program = layers.program
    for module in modules:
        for s in Statements.of(module.tree.statements).scenarios:
            name = s.name.plain or ""
            if not layers.once(module, f'scenario "{name}"', s.name):
                continue
            before = _tables(program)
            for line in _once(layers, s.settings):
                layers.assign("scenario", line, None)
            if name in program.scenarios:
                program.settings, program.assumptions = before
                continue
            said = [*program.settings.items(), *program.assumptions.items()]
            own = {path: ranked[0][1] for path, ranked in said if ranked[0][0] == "scenario"}
            program.scenarios[name] = own
            if name != chosen:
                program.settings, program.assumptions = before
    if chosen is not None and chosen not in program.scenarios:
        layers.report(names.unknown_scenario(chosen, sorted(program.scenarios)))


def measured(layers: Layers, modules: Sequence[Module]) -> None:
    """Checks every `measured`: inputs as a scenario's, readings against the measure of the quantity that was read."""
    program = layers.program
    for module in modules:
        for s in Statements.of(module.tree.statements).measured:
            name = s.name.plain or ""
            if not layers.once(module, f'measured "{name}"', s.name):
                continue
            before = _tables(program)
            readings: dict[str, Setting] = {}
            for line in _once(layers, s.settings):
                path = line.target.text
                quantity = layers.scope.quantities.get(path)
                if quantity is None or quantity.indices:
                    layers.assign("scenario", line, None)
                    continue
                if path not in layers.scope.scatter:
                    layers.report(names.no_reading(line.target.span, path, layers.scope.scatter))
                check = Expressions(layers.scope, layers.report, path.partition(".")[0])
                readings[path] = setting(check, line.value, (quantity.type,), (quantity.unit,), path)
            own = {path: ranked[0][1] for path, ranked in program.settings.items() if ranked[0][0] == "scenario"}
            program.settings, program.assumptions = before
            program.measured.setdefault(name, MeasuredRun(name, own, readings, place(s.name.span)))
            if not readings:
                layers.report(names.not_measured(s.name.span, name))


def _tables(program: Program) -> tuple[Ranked, Ranked]:
    """The settings and assumptions as they are, for what lays others over them and takes these back."""
    settings, assumptions = (
        {path: list(ranked) for path, ranked in table.items()} for table in (program.settings, program.assumptions)
    )
    return settings, assumptions


def _once(layers: Layers, lines: Sequence[nodes.Assign]) -> Iterator[nodes.Assign]:
    """Lines without those that set a path again, which are mistakes."""
    first: dict[str, Span] = {}
    for line in lines:
        path = line.target.text
        if path in first:
            layers.report(names.defined_twice(line.target.span, path, first[path]))
            continue
        first[path] = line.target.span
        yield line


def set_value(layers: Layers, path: str, text: str) -> None:
    """One `--set`: an expression, or the raw text for texts and names of entries."""
    head = Source(f"--set {path}", f"{path}={text}")
    at = nodes.Name(parts=tuple(path.split(".")), span=Span(head, 0, len(path)))
    target = layers.target(path)
    if target is None:
        if path in layers.scope.quantities:
            layers.report(names.set_computed(at.span, path, text))
        else:
            layers.no_target(at, True)
        return
    types, type_units = target
    source = Source(f"--set {path}", text)
    value: nodes.Expr | None
    if _is_raw(types[0], source):
        value = nodes.Text(parts=(text,), span=Span(source, 0, len(text)))
    else:
        value, problems = parse_value(source)
        for problem in problems:
            layers.report(problem)
        if value is None or problems:
            return
    layers.scope.sources[source.name] = source
    check = Expressions(layers.scope, layers.report, path.partition(".")[0])
    found = undecided(value, layers.scope.fields[path]) if path in layers.scope.fields else None
    if found is not None:
        layers.report(found)
    layers.layer(path, "--set", setting(check, value, types, type_units, path))


def _is_raw(type: Type, source: Source) -> bool:
    """Whether a `--set` value is raw text: a text, or the name of an entry, which need not be a single word."""
    if source.text.lstrip().startswith(('"', "?")) or not (type == TEXT or isinstance(type, KindType)):
        return False
    value, problems = parse_value(source) if isinstance(type, KindType) else (None, [])
    return bool(problems) or not isinstance(value, (nodes.If, nodes.Match, nodes.Call))


def sweeps(layers: Layers, modules: Sequence[Module]) -> None:
    """The axes of the strongest file that sweeps anything, each as an unknown with its domain."""
    for module in modules:
        axes = [axis for s in Statements.of(module.tree.statements).sweeps for axis in s.axes]
        for axis in axes:
            _axis(layers, module, axis)
        if axes:
            return


def _axis(layers: Layers, module: Module, axis: nodes.Axis) -> None:
    path = axis.target.text
    target = layers.target(path)
    if target is None:
        layers.no_target(axis.target, True)
        return
    if not layers.once(module, f"sweep {path}", axis.target):
        return
    check = Expressions(layers.scope, layers.report, path.partition(".")[0])
    open_ = nodes.Unknown(domain=axis.domain, span=axis.domain.span)
    found = setting(check, open_, *target, path)
    types, type_units = target
    type = types[type_units.index(found.unit)] if len(types) > 1 and found.unit in type_units else types[0]
    if found.domain is not None and isinstance(type, Measure) and not type.whole and _endless(found.domain):
        layers.report(units.not_here(axis.domain.span, "a range without a step", "a list, or a range with `step`,"))
    won = layers.program.winner(path)
    if won is not None and won[0] in ("--set", "scenario") and won[1].value is not None:
        # A setting that is stronger than a sweep leaves one point of it.
        only = Domain((ir.Value(won[1].value),), won[1].unit, layers.scope.span(won[1].place).text)
        found = evolve(found, domain=only, unit=won[1].unit)
    layers.program.sweeps[path] = found


def _endless(domain: Domain) -> bool:
    return any(isinstance(item, ir.Range) and item.step is None for item in domain.items)
