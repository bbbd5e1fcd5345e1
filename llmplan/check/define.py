"""Definitions: the formulas, defaults, entries, requirements and objectives of declared names.

Input: statements whose signatures are in the scope already. Output: the complete records in it, and diagnostics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attrs import evolve

from llmplan.check import ir, spoken
from llmplan.check.annotations import annotated
from llmplan.check.comparisons import sides
from llmplan.check.cycles import circular, shortest
from llmplan.check.declare import cites, of_target
from llmplan.check.expressions import Expressions
from llmplan.check.ir import UNDEFINED, Expr, walk
from llmplan.check.mappings import Overlay
from llmplan.check.program import Alternative, Domain, Goal, Rule, Setting
from llmplan.check.scope import Scope
from llmplan.check.settings import domain, place, setting, stray
from llmplan.check.usual import report_unmeant, report_unsaid
from llmplan.diagnostics import Diagnostic, names, system, units
from llmplan.diagnostics.entries import incomplete_entry, inherits_itself
from llmplan.syntax import nodes
from llmplan.syntax.decorators import said
from llmplan.syntax.statements import Statements
from llmplan.units.measure import REAL, ListType, TextType, Type, is_choice

_TEXTS = (TextType, ListType)

MOST_CASES = 64
"""The longest range of a parameter whose values a `match` may cover."""


class Definitions:
    """Checks the definitions of one or more files, in the layer `library`, `plan` or `used`."""

    def __init__(self, scope: Scope, report: Callable[[Diagnostic], None], layer: str) -> None:
        self.scope = scope
        self.report = report
        self.layer = layer

    def define(self, statements: Sequence[nodes.Statement], quantities: Mapping[str, Sequence[nodes.Quantity]]) -> None:
        """Formulas, defaults, entries and requirements, once every name is known."""
        for s in statements:
            annotated(self.scope, s, self.report)
        of = Statements.of(statements)
        for kind in of.kinds:
            self._kind_body(kind)
        for function in of.functions:
            self._function_body(function)
        for entry in of.entries:
            self._entry_body(entry)
        for amended in of.amendments:
            self._amend(amended)
        if self.layer == "library":
            self._library(of)
        self._like_circles(of.entries)
        self._complete(of.entries)
        self._call_circles(of.functions)
        for name, alternatives in quantities.items():
            self._quantity_body(name, alternatives)
        report_unsaid(self.scope, of, self.report)
        report_unmeant(self.scope, of, self.report)

    def _library(self, of: Statements) -> None:
        """The library's requirements and objectives, and E0303 for statements that only a plan may contain."""
        rules: dict[str, nodes.Statement] = {}
        for s in of.rules:
            rule = self.rule(s)
            if rule.name in rules:
                self.report(names.defined_twice(s.span, rule.name, rules[rule.name].span))
            rules[rule.name] = s
            self.scope.rules[rule.name] = rule
        # A target says what a file can hold: the order of answers is the library's alone.
        goals = [self.goal(s) for s in of.goals if isinstance(s, nodes.Objective) and not of_target(s)]
        if goals:
            self.scope.goals = tuple(goals)
        further = [s for s in of.goals if isinstance(s, nodes.Pareto) or of_target(s)]
        for lost in (
            *of.uses, *of.settings, *of.lets, *of.waivers, *further, *of.scenarios, *of.measured, *of.sweeps, *of.shows,
            *of.emits
        ):  # fmt: skip
            self.report(units.not_here(lost.span, "a statement of a plan", "a declaration of the library"))

    def _kind_body(self, kind: nodes.Kind) -> None:
        check = Expressions(self.scope, self.report, kind.name.text)
        for node in kind.fields:
            path = f"{kind.name.text}.{node.name.text}"
            record = self.scope.fields[path]
            legal = self._legal(check, node.domain, record.type, path)
            default = open_domain = None
            if node.default is not None:
                default = setting(check, node.default, record.types, record.units, path)
                if legal is not None and (word := stray(default.value, record.type, legal)) is not None:
                    self.report(units.outside(node.default.span, path, word, legal.text))
            if node.unknown is not None and node.unknown.domain is not None:
                open_domain = domain(check, node.unknown.domain, record.type, path)
            cure = next((name for names in said(node.decorators, "cure") for name in names), "")
            self.scope.fields[path] = evolve(record, domain=legal, default=default, unknown=open_domain, cure=cure)

    def _legal(self, check: Expressions, node: nodes.Expr | None, want: Type, name: str) -> Domain | None:
        """The domain of a field or a quantity, which is never empty."""
        if node is None:
            return None
        if isinstance(node, nodes.List) and not node.items:
            self.report(system.empty_domain(node.span, name))
            return None
        return domain(check, node, want, name)

    def _quantity_body(self, name: str, alternatives: Sequence[nodes.Quantity]) -> None:
        record = self.scope.quantities[name]
        enums: dict[str, Type | None] = {v: self.scope.enums[enum] for v, enum in record.indices}
        check = Expressions(self.scope, self.report, locals=enums)
        built, legal = [], None
        for node in alternatives:
            when = check.condition(node.when) if node.when is not None else None
            typed = check.fit(check.check(node.value, record.type), record.type, name, node.type.span)
            legal = self._legal(check, node.domain, record.type, name) or legal
            places = place(node.name.span), place(node.value.span)
            within = next(((ends[0], ends[1]) for ends in said(node.decorators, "within") if len(ends) == 2), None)
            why = next((", ".join(texts) for texts in said(node.decorators, "assumed")), "")
            built.append(
                Alternative(
                    when,
                    typed.expr,
                    node.doc,
                    cites(node.decorators),
                    *places,
                    node.replace,
                    within,
                    why,
                    of_target(node),
                )
            )
        self.scope.quantities[name] = evolve(record, alternatives=tuple(built), domain=legal)

    def _function_body(self, node: nodes.Fn) -> None:
        record = self.scope.functions.get(node.name.text)
        if record is None or record.place != place(node.name.span):
            return
        bounds = {
            param.name.text: (int(ends[0]), int(ends[1]))
            for param, ends in zip(node.params, record.ranges)
            if ends is not None and ends[1] - ends[0] <= MOST_CASES
        }
        check = Expressions(self.scope, self.report, locals=dict(record.params), bounds=bounds)
        lets: list[tuple[str, Expr]] = []
        for let in node.body.lets:
            typed = check.check(let.value)
            lets.append((let.name.text, typed.expr))
            check = check.inside({let.name.text: typed.type})
        result = check.fit(check.check(node.body.value, record.result), record.result, record.name, node.result.span)
        body = ir.Body(tuple(lets), result.expr) if lets else result.expr
        self.scope.functions[record.name] = evolve(record, body=body)

    def _entry_body(self, node: nodes.Entry) -> None:
        kind, name = node.kind.text, node.name.plain or ""
        table = self.scope.entries.get(kind)
        if table is None or name not in table or table[name].place != place(node.name.span):
            return
        like = self._entry(kind, node.like) if node.like is not None else None
        table[name] = evolve(table[name], like=like or "", settings=self.fields(kind, name, node.fields))

    def _entry(self, kind: str, name: nodes.Text) -> str | None:
        """The entry that a name means, or None if a mistake was reported.

        A name of its own comes before `@usual`: plans then mean the further entry that becomes usual, while entries
        that begin with the other one, and changes of it, stay as they are.
        """
        own = self.scope.own_entry(kind, name.plain or "")
        if own is not None:
            return own
        found, near = self.scope.find_entry(kind, name.plain or "")
        if found is None:
            self.report(self.scope.no_entry(name.span, kind, name.plain or "", near))
        return found

    def _like_circles(self, entries: Sequence[nodes.Entry]) -> None:
        """E0206 for entries that inherit from themselves, once for each cycle."""
        for kind in dict.fromkeys(node.kind.text for node in entries):
            table = self.scope.entries.get(kind) or Overlay({})
            own = {node.name.plain or "": node for node in entries if node.kind.text == kind}
            # The entries of the library are checked when the library is.
            edges = {name: [table[name].like] for name in own if name in table and table[name].like}
            pending = circular(edges)
            for name, node in own.items():
                if name in pending and node.like is not None:
                    pending.difference_update(shortest(edges, name, pending))
                    self.report(inherits_itself(node.name.span, name, node.like.span))

    def _complete(self, entries: Sequence[nodes.Entry]) -> None:
        """E0213 for an entry of a choice, such as an optimizer, that lacks a field that formulas read.

        The library may pick any of these entries by default, so each must set every field that has no default, except
        texts, which no formula reads.
        """
        for node in entries:
            kind, name = node.kind.text, node.name.plain or ""
            selector = self.scope.fields.get(self.scope.selector(kind))
            table = self.scope.entries.get(kind) or Overlay({})
            if selector is None or not is_choice(selector.type) or name not in table:
                continue
            fields = [self.scope.fields[f"{kind}.{field}"] for field in self.scope.kinds[kind]]
            wanted = [field for field in fields if field.default is None and not isinstance(field.type, _TEXTS)]
            given: set[str] = set()
            passed: list[str] = []
            while name in table and name not in passed:
                passed.append(name)
                given.update(field for field, _ in table[name].settings)
                name = table[name].like
            left = [field for field in wanted if field.path.partition(".")[2] not in given]
            if left:
                named = [(field.path.partition(".")[2], field.doc) for field in left]
                self.report(incomplete_entry(node.name.span, kind, node.name.plain or "", named))

    def _call_circles(self, functions: Sequence[nodes.Fn]) -> None:
        """E0206 for functions that call themselves, directly or through others; once for each cycle."""
        edges: dict[str, list[str]] = {}
        pending = [node.name.text for node in functions]
        while pending:
            name = pending.pop()
            if name not in edges and name in self.scope.functions:
                body = self.scope.functions[name].body
                edges[name] = list(dict.fromkeys(part.function for part in walk(body) if isinstance(part, ir.Call)))
                pending += edges[name]
        circles = circular(edges)
        for node in functions:
            name = node.name.text
            if name in circles:
                chain = shortest(edges, name, circles)
                circles.difference_update(chain)
                self.report(names.calls_itself(node.name.span, name, [*chain, name] if len(chain) > 1 else []))

    def _amend(self, node: nodes.Amend) -> None:
        kind = node.kind.text
        if kind not in self.scope.kinds:
            self.report(names.undefined(node.kind.span, "kind", kind, self.scope.kinds))
            return
        found = self._entry(kind, node.name)
        if found is None:
            return
        record = self.scope.entries[kind][found]
        changed = tuple((dict(record.settings) | dict(self.fields(kind, found, node.fields))).items())
        sources = record.cites + cites(node.decorators)
        self.scope.entries[kind][found] = evolve(record, settings=changed, cites=sources)

    def fields(self, kind: str, entry: str, written: Sequence[nodes.Field]) -> tuple[tuple[str, Setting], ...]:
        """The settings of an entry of a kind, each field at most once."""
        check = Expressions(self.scope, self.report, kind, entry=ir.Entry(kind, entry))
        seen: dict[str, nodes.Field] = {}
        built = []
        for node in written:
            name = node.name.text
            if name in seen:
                self.report(names.defined_twice(node.name.span, f"{kind}.{name}", seen[name].name.span))
                continue
            seen[name] = node
            record = self.scope.fields.get(f"{kind}.{name}")
            if record is None:
                self.report(spoken.unknown_field(self.scope, node.name.span, kind, name, node.value))
                continue
            declared = self.scope.span(record.place)
            built.append((name, setting(check, node.value, record.types, record.units, record.path, declared)))
        return tuple(built)

    # Rules and goals

    def rule(self, node: nodes.Require | nodes.Prefer) -> Rule:
        """A requirement or preference; one without a name is named after its text."""
        check = Expressions(self.scope, self.report)
        condition = check.condition(node.condition)
        compared = sides(check, node.condition)
        when = check.condition(node.when) if node.when is not None else None
        because, otherwise = (
            check.check(text).expr if text is not None else None for text in (node.because, node.otherwise)
        )
        weight = None
        if isinstance(node, nodes.Prefer):
            weight = float(node.weight.value) if node.weight is not None else 1.0
        name = node.name.text if node.name is not None else " ".join(node.condition.span.text.split())
        return Rule(
            name, condition, compared[0] if compared else None, when, because, otherwise,
            isinstance(node, nodes.Require) and node.certain, weight, self.layer, node.doc,
            cites(node.decorators), place(node.condition.span),
            compared[1].type if compared else None, compared[1].unit if compared else "",
            isinstance(node, nodes.Require) and node.final, bool(said(node.decorators, "cliff")),
            bool(said(node.decorators, "written")),
        )  # fmt: skip

    def goal(self, node: nodes.Objective) -> Goal:
        check = Expressions(self.scope, self.report)
        if isinstance(node.value, nodes.And):
            self.report(units.several_objectives(node.value.span, node.sense, [item.span for item in node.value.items]))
            return Goal(1, UNDEFINED, place(node.value.span), REAL, self.layer != "library")
        typed = check.check(node.value)
        check.measured(typed)
        sense = 1 if node.sense == "minimize" else -1
        return Goal(sense, typed.expr, place(node.value.span), typed.type or REAL, self.layer != "library")

    def smallest(self, value: nodes.Expr) -> Goal:
        """One side of a `pareto`: as small as possible, or, with a minus sign, as large as possible."""
        largest = isinstance(value, nodes.Negative)
        inner = value.operand if isinstance(value, nodes.Negative) else value
        return self.goal(nodes.Objective(sense="maximize" if largest else "minimize", value=inner, span=value.span))
