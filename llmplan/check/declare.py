"""Declarations: dimensions, units, enums, kinds, quantities, functions, entries, requirements.

The same code checks the library and what a plan adds to it. Signatures of everything come first, so
that definitions may stand in any order; bodies are checked once all names are known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import evolve

from llmplan.check import ir
from llmplan.check.comparisons import sides
from llmplan.check.expressions import Expressions
from llmplan.check.ir import UNDEFINED, Expr, walk
from llmplan.check.program import Alternative, EntryRecord, Field, Function, Goal, Quantity, Rule, Setting
from llmplan.check.scope import Overlay, Scope, normal, words
from llmplan.check.settings import domain, place, setting
from llmplan.check.unit_words import declare_units
from llmplan.diagnostics import Diagnostic, names, units
from llmplan.source import Span
from llmplan.syntax import nodes
from llmplan.units.measure import BOOL, INT, REAL, TEXT, EnumType, KindType, ListType, Type
from llmplan.units.table import UnknownUnit

MOST_CASES = 64
"""A `match` may cover the values of a parameter whose range is at most so long."""

DECORATORS = ("cite", "example", "names", "prefixes", "count", "binary", "unit", "key")

_BASIC: dict[str, Type] = {"Int": INT, "Real": REAL, "Bool": BOOL, "Text": TEXT}


def cites(decorators: Sequence[nodes.Decorator]) -> tuple[tuple[str, str], ...]:
    """The citations among decorators: source and place."""
    found = []
    for decorator in decorators:
        if decorator.name.text == "cite":
            texts = [argument.plain or "" for argument in decorator.arguments]
            found.append((texts[0] if texts else "", ", ".join(texts[1:])))
    return tuple(found)


def examples(decorators: Sequence[nodes.Decorator]) -> tuple[tuple[str, str], ...]:
    found = []
    for decorator in decorators:
        if decorator.name.text == "example" and len(decorator.arguments) == 2:
            found.append((decorator.arguments[0].plain or "", decorator.arguments[1].plain or ""))
    return tuple(found)


def _name_span(statement: nodes.Statement) -> Span:
    """Where a declaration says its name."""
    name = getattr(statement, "name", None)
    return name.span if isinstance(name, nodes.Node) else statement.span


def _shown_in(node: nodes.Quantity) -> str:
    """The unit in which people read a quantity: `@unit("%")` above it, else that of its type."""
    for decorator in node.decorators:
        if decorator.name.text == "unit" and decorator.arguments:
            return decorator.arguments[0].plain or ""
    return node.type.text


class Declarations:
    """Puts the declarations of one or more files into a scope.

    Args:
        scope: Receives them; what it holds already can be referred to and replaced.
        report: Takes each diagnostic.
        layer: `library`, `plan` or `used`.
    """

    def __init__(self, scope: Scope, report: Callable[[Diagnostic], None], layer: str) -> None:
        self.scope = scope
        self.report = report
        self.layer = layer
        self._first: dict[str, nodes.Statement] = {}
        self._alternatives: dict[str, list[nodes.Quantity]] = {}

    def declare(self, statements: Sequence[nodes.Statement]) -> None:
        """All declarations among the statements; others are left to `check.plan`."""
        self.signatures(statements)
        self.bodies(statements)

    def _once(self, name: str, statement: nodes.Statement, taken: bool) -> bool:
        """False and E0203 if something is called so already."""
        first = self._first.get(name)
        if first is not None:
            self.report(names.defined_twice(_name_span(statement), name, _name_span(first)))
            return False
        if taken:
            formula = isinstance(statement, (nodes.Quantity, nodes.Fn))
            word = "fn" if isinstance(statement, nodes.Fn) else "quantity"
            hint = f"to replace the library's formula, write `replace {word} {name}`"
            at = _name_span(statement)
            self.report(names.defined_twice(at, name, self._declared(name) or at, hint if formula else ""))
            return False
        self._first[name] = statement
        return True

    def _declared(self, name: str) -> Span | None:
        if name in self.scope.fields:
            return self.scope.span(self.scope.fields[name].place)
        if name in self.scope.quantities:
            return self.scope.span(self.scope.quantities[name].alternatives[0].place)
        if name in self.scope.functions:
            return self.scope.span(self.scope.functions[name].place)
        return None

    # Signatures

    def signatures(self, statements: Sequence[nodes.Statement]) -> None:
        """What is declared under which name and with which type."""
        scope = self.scope
        self._decorators(statements)
        declare_units(scope, statements, self.report)
        for s in statements:
            if isinstance(s, nodes.Enum) and self._once(s.name.text, s, s.name.text in scope.enums):
                members = tuple(member.name.text for member in s.members)
                for at, member in enumerate(s.members):
                    if member.name.text in members[:at]:
                        first = s.members[members.index(member.name.text)]
                        self.report(names.defined_twice(member.span, member.name.text, first.span))
                scope.enums[s.name.text] = EnumType(s.name.text, members)
        for s in statements:
            if isinstance(s, nodes.Kind) and self._once(s.name.text, s, s.name.text in scope.kinds):
                scope.kinds[s.name.text] = tuple(field.name.text for field in s.fields)
        for s in statements:
            if isinstance(s, nodes.Kind):
                self._kind_signature(s)
            elif isinstance(s, nodes.Quantity):
                self._quantity_signature(s)
            elif isinstance(s, nodes.Fn):
                self._function_signature(s)
        for s in statements:
            if isinstance(s, nodes.Entry):
                self._entry_name(s)

    def _decorators(self, statements: Sequence[nodes.Statement]) -> None:
        """E0201 for a decorator that means nothing."""
        for s in statements:
            decorated = [s, *s.fields] if isinstance(s, nodes.Kind) else [s]
            for node in decorated:
                for decorator in getattr(node, "decorators", ()):
                    if decorator.name.text not in DECORATORS:
                        span = decorator.name.span
                        self.report(names.unknown_decorator(span, decorator.name.text, DECORATORS))

    def type(self, node: nodes.Type) -> Type | None:
        """A type as written, or None when it was reported."""
        if node.is_list:
            if node.text not in self.scope.kinds and node.text != "Text":
                self.report(names.unknown_kind(node.span, node.text, self.scope.kinds))
                return None
            return ListType(node.text)
        basic = _BASIC.get(node.text) or self.scope.enums.get(node.text)
        if basic is not None:
            return basic
        if node.text in self.scope.kinds:
            return KindType(node.text)
        try:
            _, measure = self.scope.units.parse(node.text)
        except UnknownUnit as unknown:
            near = self.scope.units.suggest(unknown.word)
            self.report(units.unknown_unit(node.span, unknown.word, near, None))
            return None
        return measure

    def _kind_signature(self, kind: nodes.Kind) -> None:
        seen: dict[str, nodes.FieldDecl] = {}
        for node in kind.fields:
            if node.name.text in seen:
                self.report(names.defined_twice(node.name.span, node.name.text, seen[node.name.text].name.span))
                continue
            seen[node.name.text] = node
            types = tuple(self.type(written) or REAL for written in node.types)
            path = f"{kind.name.text}.{node.name.text}"
            if isinstance(types[0], KindType):
                self.scope.selectors[types[0].name] = path
            self.scope.fields[path] = Field(
                path, types, tuple(written.text for written in node.types), None, None, None,
                node.doc, cites(node.decorators), place(node.name.span),
                any(decorator.name.text == "binary" for decorator in node.decorators),
            )  # fmt: skip

    def _quantity_signature(self, node: nodes.Quantity) -> None:
        name = node.name.text
        known = name in self.scope.quantities
        if node.replace and not known:
            self.report(names.unknown_name(node.name.span, name, list(self.scope.quantities), None))
            return
        earlier = self._alternatives.get(name, [])
        if earlier:
            if node.when is None or earlier[0].when is None:
                self.report(names.defined_twice(node.name.span, name, earlier[0].name.span))
                return
        elif not node.replace and not self._once(name, node, known or name in self.scope.fields):
            return
        type = self.type(node.type)
        indices = []
        for index in node.indices:
            if index.type.text not in self.scope.enums:
                self.report(names.unknown_name(index.type.span, index.type.text, list(self.scope.enums), None))
                return
            indices.append((index.name.text, index.type.text))
        if type is None:
            return
        if node.replace and type != self.scope.quantities[name].type:
            old = self.scope.quantities[name]
            declared = self.scope.span(old.alternatives[0].place)
            self.report(units.wrong_field(node.type.span, name, words(old.type), words(type), declared))
            return
        self._alternatives.setdefault(name, []).append(node)
        at, formula = place(node.name.span), place(node.value.span)
        unread = Alternative(None, UNDEFINED, node.doc, (), at, formula, node.replace)
        self.scope.quantities[name] = Quantity(name, tuple(indices), type, _shown_in(node), None, (unread,))

    def _function_signature(self, node: nodes.Fn) -> None:
        name = node.name.text
        known = name in self.scope.functions
        if node.replace:
            if not known:
                self.report(names.unknown_function(node.name.span, name, self.scope.functions))
                return
        elif not self._once(f"fn {name}", node, known):
            return
        params = tuple((param.name.text, self.type(param.type) or REAL) for param in node.params)
        result = self.type(node.result) or REAL
        if node.replace:
            old = self.scope.functions[name]
            if (tuple(type for _, type in old.params), old.result) != (tuple(type for _, type in params), result):
                declared = self.scope.span(old.place)
                self.report(units.other_types(node.name.span, name, declared))
                return
        self.scope.functions[name] = Function(
            name, params, tuple(map(self._range_of, node.params)), result, ir.FALSE, node.doc, cites(node.decorators), examples(node.decorators),
            place(node.name.span), node.replace,
        )  # fmt: skip

    def _range_of(self, param: nodes.Param) -> tuple[float, float] | None:
        """The ends of a parameter's `in low..high`, if they are literals."""
        if not isinstance(param.domain, nodes.Range):
            return None
        check = Expressions(self.scope, self.report)
        low, high = (check.check(end).number for end in (param.domain.low, param.domain.high))
        return (low, high) if low is not None and high is not None else None

    def _entry_name(self, node: nodes.Entry) -> None:
        kind, name = node.kind.text, node.name.plain or ""
        if kind not in self.scope.kinds:
            self.report(names.unknown_kind(node.kind.span, kind, self.scope.kinds))
            return
        table = self.scope.entries.setdefault(kind, Overlay({}))
        if not self._once(f"{kind} {name}", node, False) or name in table:
            if name in table:
                first = self.scope.span(table[name].place)
                self.report(names.defined_twice(node.name.span, name, first))
            return
        further = [
            argument.plain or ""
            for decorator in node.decorators
            if decorator.name.text == "names"
            for argument in decorator.arguments
        ]
        index = self.scope.aliases.setdefault(kind, {})
        for other in index.get(normal(name), ()):
            if other != name and normal(other) == normal(name):
                self.report(names.defined_twice(node.name.span, name, self.scope.span(table[other].place)))
                return
        for alias in (name, *further):
            index[normal(alias)] = tuple(dict.fromkeys((*index.get(normal(alias), ()), name)))
        # Its own name always means the entry itself, whatever else is called so.
        index[normal(name)] = (name,)
        table[name] = EntryRecord(
            kind, name, tuple(further), "", (), node.doc, cites(node.decorators), place(node.name.span)
        )

    # Bodies

    def bodies(self, statements: Sequence[nodes.Statement]) -> None:
        """Formulas, defaults, entries and requirements, once every name is known."""
        rules: dict[str, nodes.Statement] = {}
        goals: list[Goal] = []
        for s in statements:
            if isinstance(s, nodes.Kind):
                self._kind_body(s)
            elif isinstance(s, nodes.Fn):
                self._function_body(s)
            elif isinstance(s, nodes.Entry):
                self._entry_body(s)
            elif isinstance(s, nodes.Amend):
                self._amend(s)
            elif isinstance(s, (nodes.Require, nodes.Prefer)) and self.layer == "library":
                rule = self.rule(s)
                if rule.name in rules:
                    self.report(names.defined_twice(s.span, rule.name, rules[rule.name].span))
                rules[rule.name] = s
                self.scope.rules[rule.name] = rule
            elif isinstance(s, nodes.Objective) and self.layer == "library":
                goals.append(self.goal(s))
        circles: set[tuple[str, str]] = set()
        called: set[str] = set()
        for s in statements:
            if isinstance(s, nodes.Entry):
                self._like_circle(s, circles)
            elif isinstance(s, nodes.Fn):
                self._call_circle(s, called)
        for name, alternatives in self._alternatives.items():
            self._quantity_body(name, alternatives)
        if goals:
            self.scope.goals = tuple(goals)

    def _kind_body(self, kind: nodes.Kind) -> None:
        check = Expressions(self.scope, self.report, kind.name.text)
        for node in kind.fields:
            path = f"{kind.name.text}.{node.name.text}"
            record = self.scope.fields[path]
            legal = domain(check, node.domain, record.type, path) if node.domain is not None else None
            default = None
            if node.default is not None:
                default = setting(check, node.default, record.types, record.units, path)
            open_domain = None
            if node.unknown is not None and node.unknown.domain is not None:
                open_domain = domain(check, node.unknown.domain, record.type, path)
            self.scope.fields[path] = evolve(record, domain=legal, default=default, unknown=open_domain)

    def _quantity_body(self, name: str, alternatives: list[nodes.Quantity]) -> None:
        record = self.scope.quantities[name]
        enums: dict[str, Type | None] = {v: self.scope.enums[enum] for v, enum in record.indices}
        check = Expressions(self.scope, self.report, locals=enums)
        built = []
        legal = None
        for node in alternatives:
            when = check.condition(node.when) if node.when is not None else None
            typed = check.fit(check.check(node.value, record.type), record.type, name, node.type.span)
            if node.domain is not None:
                legal = domain(check, node.domain, record.type, name)
            places = place(node.name.span), place(node.value.span)
            built.append(Alternative(when, typed.expr, node.doc, cites(node.decorators), *places, node.replace))
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
        like = ""
        if node.like is not None:
            found, near = self.scope.find_entry(kind, node.like.plain or "")
            if found is None:
                self.report(self.scope.no_entry(node.like.span, kind, node.like.plain or "", near))
            else:
                like = found
        record = self.scope.entries[kind][name]
        self.scope.entries[kind][name] = evolve(record, like=like, settings=self.fields(kind, node.fields))

    def _like_circle(self, node: nodes.Entry, reported: set[tuple[str, str]]) -> None:
        """E0206 for an entry that inherits from itself, once for a circle; `reported` holds those in one."""
        kind, name = node.kind.text, node.name.plain or ""
        table = self.scope.entries.get(kind)
        if table is None or node.like is None or name not in table or (kind, name) in reported:
            return
        seen, at = [name], table[name].like
        while at and at not in seen:
            seen.append(at)
            at = table[at].like
        if at == name:
            reported.update((kind, one) for one in seen)
            self.report(names.inherits_itself(node.name.span, name, node.like.span))

    def _call_circle(self, node: nodes.Fn, reported: set[str]) -> None:
        """E0206 for a function that calls itself, perhaps through others; once for a circle."""
        name = node.name.text
        pending = [[name]]
        seen: set[str] = set()
        while pending and name not in reported:
            chain = pending.pop(0)
            function = self.scope.functions.get(chain[-1])
            called = [part.function for part in walk(function.body) if isinstance(part, ir.Call)] if function else []
            if name in called:
                reported.update(chain)
                self.report(names.calls_itself(node.name.span, name, [*chain, name] if len(chain) > 1 else []))
            pending += [[*chain, other] for other in called if other not in seen]
            seen.update(called)

    def _amend(self, node: nodes.Amend) -> None:
        kind = node.kind.text
        if kind not in self.scope.kinds:
            self.report(names.unknown_kind(node.kind.span, kind, self.scope.kinds))
            return
        found, near = self.scope.find_entry(kind, node.name.plain or "")
        if found is None:
            self.report(self.scope.no_entry(node.name.span, kind, node.name.plain or "", near))
            return
        record = self.scope.entries[kind][found]
        changed = dict(record.settings) | dict(self.fields(kind, node.fields))
        self.scope.entries[kind][found] = evolve(
            record, settings=tuple(changed.items()), cites=record.cites + cites(node.decorators)
        )

    def fields(self, kind: str, written: Sequence[nodes.Field]) -> tuple[tuple[str, Setting], ...]:
        """The settings of a block or entry of a kind, each field at most once."""
        check = Expressions(self.scope, self.report, kind)
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
                self.report(names.unknown_field(node.name.span, kind, name, self.scope.kinds[kind], None))
                continue
            declared = self.scope.span(record.place)
            built.append((name, setting(check, node.value, record.types, record.units, record.path, declared)))
        return tuple(built)

    # Rules and goals

    def rule(self, node: nodes.Require | nodes.Prefer) -> Rule:
        """A requirement or preference; one without a name is called by what it says."""
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
        )  # fmt: skip

    def goal(self, node: nodes.Objective) -> Goal:
        check = Expressions(self.scope, self.report)
        typed = check.check(node.value)
        check.measured(typed)
        sense = 1 if node.sense == "minimize" else -1
        return Goal(sense, typed.expr, place(node.value.span), typed.type or REAL, self.layer != "library")

    def smallest(self, value: nodes.Expr) -> Goal:
        """One side of a `pareto`: as small as possible, or with a minus as large as possible."""
        largest = isinstance(value, nodes.Negative)
        inner = value.operand if isinstance(value, nodes.Negative) else value
        return self.goal(nodes.Objective(sense="maximize" if largest else "minimize", value=inner, span=value.span))
