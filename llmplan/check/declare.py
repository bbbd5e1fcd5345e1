"""Declarations: the names and types of dimensions, units, enums, kinds, quantities, functions and entries.

Input: the statements of one or more files. Output: their signatures in a scope, and diagnostics. The same code serves
the library and the declarations that a plan adds. `check.define` checks the definitions once all names are known, so
that they may come in any order. Every sort of declaration is handled here, as all of them share one scope, so this
module is longer than others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from llmplan.check import ir
from llmplan.check.entry_names import normal, published, spelt
from llmplan.check.expressions import Expressions
from llmplan.check.ir import UNDEFINED
from llmplan.check.mappings import Overlay
from llmplan.check.patterns import is_pattern
from llmplan.check.program import Alternative, EntryRecord, Field, Function, Quantity
from llmplan.check.scope import Scope, words
from llmplan.check.settings import place
from llmplan.check.unit_words import declare_units
from llmplan.diagnostics import Diagnostic, names, units
from llmplan.resources import TARGET
from llmplan.source import Span
from llmplan.syntax import nodes
from llmplan.syntax.decorators import Argument, arguments, number, said, written
from llmplan.syntax.decorators import unit as written_unit
from llmplan.syntax.statements import Statements
from llmplan.units.measure import BOOL, INT, REAL, TEXT, EnumType, KindType, ListType, Measure, Type, is_choice
from llmplan.units.table import UnknownUnit

_RANKS = 2

_BASIC: dict[str, Type] = {"Int": INT, "Real": REAL, "Bool": BOOL, "Text": TEXT}


def cites(decorators: Sequence[nodes.Decorator]) -> tuple[tuple[str, str], ...]:
    """The citations among decorators: source and place."""
    return tuple(("".join(texts[:1]), ", ".join(texts[1:])) for texts in said(decorators, "cite"))


def of_target(node: nodes.Node) -> bool:
    """Whether a statement is in a target's own file, as opposed to the library that every plan uses."""
    source = node.span.source
    return source.library and PurePosixPath(source.name).name == TARGET


def _name_span(statement: nodes.Statement) -> Span:
    """The span of a declaration's name."""
    name = getattr(statement, "name", None)
    return name.span if isinstance(name, nodes.Node) else statement.span


def _factors(decorators: Sequence[nodes.Decorator], type: Type) -> tuple[float, ...]:
    """The factors that a `@lever` gives for a number."""
    values = map(number, arguments(decorators, "lever") if isinstance(type, Measure) else ())
    return tuple(dict.fromkeys(float(value) for value in values if value is not None))


def _labels(decorators: Sequence[nodes.Decorator], types: tuple[Type, ...]) -> tuple[str, ...]:
    """The labels that a `@per` names, the first of which the field's unit has."""
    labels = tuple(label for labels in said(decorators, "per") for label in labels)
    type = types[0]
    own = [label for label, _ in type.labels] if isinstance(type, Measure) and len(types) == 1 else []
    return labels if labels[:1] and labels[0] in own else ()


def _members(decorators: Sequence[nodes.Decorator], type: Type) -> tuple[str, ...]:
    """The members that a `@lever` gives for a choice."""
    named = [written(one) for one in arguments(decorators, "lever")]
    return tuple(
        dict.fromkeys(
            name for name in named if is_choice(type) and (not isinstance(type, EnumType) or name in type.members)
        )
    )


class Declarations:
    """Puts the declarations of one or more files into a scope, whose existing declarations can be replaced.

    `alternatives` maps names to the formulas of quantities, for `define`.
    """

    def __init__(self, scope: Scope, report: Callable[[Diagnostic], None]) -> None:
        self.scope = scope
        self.report = report
        self._first: dict[str, nodes.Statement] = {}
        self._usual: dict[tuple[str, str], Span] = {}
        self.alternatives: dict[str, list[nodes.Quantity]] = {}

    def _once(self, name: str, statement: nodes.Statement, taken: bool) -> bool:
        """False and E0203 if the name is already defined."""
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
        if name in self.scope.quantities:
            return self.scope.span(self.scope.quantities[name].alternatives[0].place)
        found = self.scope.fields.get(name) or self.scope.functions.get(name)
        return self.scope.span(found.place) if found is not None else None

    # Signatures

    def declare(self, statements: Sequence[nodes.Statement]) -> None:
        """Adds the names and types that statements declare; other statements are ignored."""
        scope = self.scope
        of = Statements.of(statements)
        declare_units(scope, of.dimensions, of.units, self.report)
        for s in of.enums:
            if self._once(s.name.text, s, s.name.text in scope.enums):
                members = tuple(member.name.text for member in s.members)
                seen: dict[str, nodes.EnumMember] = {}
                for member in s.members:
                    first = seen.setdefault(member.name.text, member)
                    if first is not member:
                        self.report(names.defined_twice(member.span, member.name.text, first.span))
                scope.enums[s.name.text] = EnumType(s.name.text, members)
        for amended in of.further_members:
            self._amend_enum(amended)
        for enum in of.enums:
            self._spoken_words(enum)
        for kind in of.kinds:
            if self._once(kind.name.text, kind, kind.name.text in scope.kinds):
                scope.kinds[kind.name.text] = tuple(field.name.text for field in kind.fields)
                self._spoken(kind.name.text, kind.decorators)
        for kind in of.kinds:
            self._kind_signature(kind)
        for quantity in of.quantities:
            self._quantity_signature(quantity)
        for function in of.functions:
            self._function_signature(function)
        for entry in of.entries:
            self._entry_name(entry)

    def type(self, node: nodes.Type) -> Type | None:
        """A type as written, or None if a mistake in it was reported."""
        if node.is_list:
            if node.text not in self.scope.kinds and node.text != "Text":
                self.report(names.undefined(node.span, "kind", node.text, self.scope.kinds))
                return None
            return ListType(node.text)
        basic = _BASIC.get(node.text) or self.scope.enums.get(node.text)
        if basic is not None:
            return basic
        if node.text in self.scope.kinds:
            return KindType(node.text)
        try:
            return self.scope.units.parse(node.text)[1]
        except UnknownUnit as unknown:
            near = self.scope.units.suggest(unknown.word)
            self.report(units.unknown_unit(node.span, unknown.word, near, None))
            return None

    def _amend_enum(self, node: nodes.AmendEnum) -> None:
        """Adds members before anything reads the enum, so that every `match` over it must cover them."""
        known = self.scope.enums.get(node.name.text)
        if known is None:
            self.report(names.undefined(node.name.span, "enum", node.name.text, self.scope.enums))
        elif not node.span.source.library:
            self.report(units.amended_in_a_plan(node.span, known.name))
        else:
            members = list(known.members)
            for member in node.members:
                if member.name.text in members:
                    self.report(names.member_twice(member.span, member.name.text, known.name))
                else:
                    members.append(member.name.text)
            self.scope.enums[known.name] = EnumType(known.name, tuple(members))

    def _spoken_words(self, enum: nodes.Enum) -> None:
        """Words that people write in place of an enum's members."""
        self._unmodelled("", enum.decorators)
        for of, member, *texts in (mark for mark in said(enum.decorators, "words") if len(mark) > 2):
            if of == enum.name.text:
                self.scope.meant.setdefault(of, {}).update((spelt(text), member) for text in texts)

    def _spoken(self, path: str, decorators: Sequence[nodes.Decorator]) -> None:
        """The names that people have for a kind, a field or a quantity."""
        self._unmodelled(path, decorators)
        for word in (word for texts in said(decorators, "names") for word in texts):
            known = self.scope.spoken.get(spelt(word), ())
            self.scope.spoken[spelt(word)] = tuple(dict.fromkeys((*known, path)))

    def _unmodelled(self, path: str, decorators: Sequence[nodes.Decorator]) -> None:
        for sentence, *texts in filter(None, said(decorators, "unmodelled")):
            self.scope.unmodelled.update((spelt(text), sentence) for text in texts or [path])

    def _kind_signature(self, kind: nodes.Kind) -> None:
        columns = [(*mark[:3], "".join(mark[3:4]).replace(" ", "")) for mark in said(kind.decorators, "column")]
        if columns:
            self.scope.columns[kind.name.text] = tuple(mark for mark in columns if len(mark) == 4)
        if said(kind.decorators, "software"):
            self.scope.software[kind.name.text] = ()
        seen: dict[str, nodes.FieldDecl] = {}
        for node in kind.fields:
            if node.name.text in seen:
                self.report(names.defined_twice(node.name.span, node.name.text, seen[node.name.text].name.span))
                continue
            seen[node.name.text] = node
            types = tuple(self.type(written) or REAL for written in node.types)
            path = f"{kind.name.text}.{node.name.text}"
            self._spoken(path, node.decorators)
            for texts in said(node.decorators, "told_as"):
                self.scope.told_as[path] = tuple(texts)
            for texts in said(node.decorators, "comparable"):
                for other in self._fields_of(kind, node, texts):
                    self.scope.comparable[path] = f"{kind.name.text}.{other}"
            for mark in said(node.decorators, "suspect"):
                self.scope.suspects[path] = tuple(mark)
            for mark in said(node.decorators, "pattern"):
                if len(mark) in (2, 3) and is_pattern(mark[0]):
                    self.scope.patterns[path] = tuple(mark)
            if said(node.decorators, "as_published"):
                self.scope.as_published[path] = ()
            for texts in said(node.decorators, "as_is"):
                self.scope.as_is[path] = tuple(self._fields_of(kind, node, texts))
            if isinstance(types[0], KindType):
                types = (KindType(types[0].name, choice=node.default is not None),)
                if types[0].name != kind.name.text:  # the first such field chooses the entry, others only name one
                    self.scope.selectors.setdefault(types[0].name, path)
            self.scope.fields[path] = Field(
                path, types, tuple(written.text for written in node.types), None, None, None,
                node.doc, cites(node.decorators), place(node.name.span),
                bool(said(node.decorators, "binary")),
                tuple(name for names in said(node.decorators, "assumed_with") for name in names),
                bool(said(node.decorators, "decision")),
                bool(said(node.decorators, "lever")),
                _factors(node.decorators, types[0]),
                _members(node.decorators, types[0]),
                changes="".join(text for texts in said(node.decorators, "changes") for text in texts[:1]),
                per=_labels(node.decorators, types),
                derived=bool(said(node.decorators, "derived")),
            )  # fmt: skip

    def _fields_of(self, kind: nodes.Kind, node: nodes.FieldDecl, names: Sequence[str]) -> list[str]:
        """The other fields of a kind that a decorator names."""
        others = {field.name.text for field in kind.fields if field is not node}
        return [name for name in names if name in others]

    def _quantity_signature(self, node: nodes.Quantity) -> None:
        name = node.name.text
        known = name in self.scope.quantities
        if node.replace and not known:
            self.report(names.unknown_name(node.name.span, name, list(self.scope.quantities), None))
            return
        earlier = self.alternatives.get(name, [])
        if earlier:
            if node.when is None or (earlier[0].when is None and not of_target(node)):
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
        if (node.replace or earlier) and type != self.scope.quantities[name].type:
            old = self.scope.quantities[name]
            declared = self.scope.span(old.alternatives[0].place)
            self.report(units.wrong_field(node.type.span, name, words(old.type), words(type), declared))
            return
        self.alternatives.setdefault(name, []).append(node)
        if not earlier:
            at, formula = place(node.name.span), place(node.value.span)
            unread = Alternative(None, UNDEFINED, node.doc, (), at, formula, node.replace)
            # The unit for showing it: the one in `@unit(%)` above it, else the unit of its type.
            unit = next((written_unit(one) for one in arguments(node.decorators, "unit")), node.type.text)
            self.scope.quantities[name] = Quantity(name, tuple(indices), type, unit, None, (unread,))
        self._spoken(name, node.decorators)
        # A band may be declared above any of its formulas.
        if said(node.decorators, "within"):
            self.scope.banded[name] = ()
        for factor in said(node.decorators, "apart"):
            if len(factor) == 1:
                self.scope.apart[name] = factor[0]
        for width in arguments(node.decorators, "prior"):
            self.scope.priors[name] = float(number(width) or 1)
        for spread in said(node.decorators, "scatter"):
            if len(spread) == 1:
                self.scope.scatter[name] = spread[0]
        for same in said(node.decorators, "alike"):
            self.scope.alike[name] = tuple(same)
        for timer in said(node.decorators, "timer"):
            if len(timer) == 1:
                self.scope.timers[timer[0]] = name
        for counterpart in said(node.decorators, "calendar"):
            if len(counterpart) == 1:
                self.scope.calendar[name] = counterpart[0]
        if said(node.decorators, "cliff"):
            self.scope.cliffs[name] = ()
        for whole, label in (texts for texts in said(node.decorators, "part") if len(texts) == 2):
            others = {part: text for part, text in self.scope.parts.get(whole, ()) if part != name}
            self.scope.parts[whole] = (*others.items(), (name, label))
        ranks = [number(one) for one in arguments(node.decorators, "compared")]
        if len(ranks) == _RANKS and all(ranks):
            column, order = (int(rank or 0) for rank in ranks)
            self.scope.compared[name] = column, order

    def _function_signature(self, node: nodes.Fn) -> None:
        name = node.name.text
        known = name in self.scope.functions
        if node.replace:
            if not known:
                self.report(names.undefined(node.name.span, "function", name, self.scope.functions))
                return
        elif not self._once(f"fn {name}", node, known):
            return
        params = tuple((param.name.text, self.type(param.type) or REAL) for param in node.params)
        result = self.type(node.result) or REAL
        if node.replace:
            old = self.scope.functions[name]
            if (tuple(type for _, type in old.params), old.result) != (tuple(type for _, type in params), result):
                self.report(units.other_types(node.name.span, name, self.scope.span(old.place)))
                return
        examples = tuple((pair[0], pair[1]) for pair in said(node.decorators, "example") if len(pair) == 2)
        self.scope.functions[name] = Function(
            name, params, tuple(map(self._range_of, node.params)), result, ir.FALSE, node.doc,
            cites(node.decorators), examples, place(node.name.span), node.replace,
        )  # fmt: skip

    def _usual_name(self, kind: str, entry: str, argument: Argument) -> None:
        """A name by which most people mean an entry; E0203 if another entry has it already."""
        alias, usual = normal(written(argument)), self.scope.usual.setdefault(kind, {})
        if alias in usual:
            first = self._usual.get((kind, alias)) or self.scope.span(self.scope.entries[kind][usual[alias]].place)
            self.report(names.defined_twice(argument.span, written(argument), first))
            return
        self._usual[kind, alias] = argument.span
        usual[alias] = entry
        self.scope.aliases[kind][alias] = (entry,)

    def _published_names(self, node: nodes.Entry, kind: str, name: str) -> None:
        """Lets the names on a hub mean the entry too, unless one of them already means another entry."""
        for field in node.fields:
            if f"{kind}.{field.name.text}" in self.scope.as_published and isinstance(field.value, nodes.Text):
                for form in published(normal(field.value.plain or "")):
                    self.scope.aliases[kind].setdefault(form, (name,))

    def _range_of(self, param: nodes.Param) -> tuple[float, float] | None:
        """The ends of a parameter's `in low..high`, which are literals."""
        domain = param.domain
        if domain is None:
            return None
        if isinstance(domain, nodes.Range) and domain.step is None and domain.expected is None:
            check = Expressions(self.scope, self.report)
            low, high = (check.check(end).number for end in (domain.low, domain.high))
            if low is not None and high is not None:
                return low, high
        self.report(
            units.not_here(
                domain.span, "this", "a range of two numbers as `1..8`, the only domain that a parameter can have"
            )
        )
        return None

    def _entry_name(self, node: nodes.Entry) -> None:
        kind, name = node.kind.text, node.name.plain or ""
        if kind not in self.scope.kinds:
            self.report(names.undefined(node.kind.span, "kind", kind, self.scope.kinds))
            return
        table = self.scope.entries.setdefault(kind, Overlay({}))
        if not self._once(f"{kind} {name}", node, False) or name in table:
            if name in table:
                self.report(names.defined_twice(node.name.span, name, self.scope.span(table[name].place)))
            return
        further = [text for texts in said(node.decorators, "names") for text in texts]
        index = self.scope.aliases.setdefault(kind, {})
        for other in index.get(normal(name), ()):
            if other != name and normal(other) == normal(name):
                self.report(names.defined_twice(node.name.span, name, self.scope.span(table[other].place)))
                return
        usual = self.scope.usual.get(kind, {})
        for alias in (name, *(alias for alias in further if normal(alias) not in usual)):
            index[normal(alias)] = tuple(dict.fromkeys((*index.get(normal(alias), ()), name)))
        for argument in arguments(node.decorators, "usual"):
            self._usual_name(kind, name, argument)
        self._published_names(node, kind, name)
        # Its own name always means the entry itself, even if other entries have that name as an alias.
        index[normal(name)] = (name,)
        table[name] = EntryRecord(
            kind, name, tuple(further), "", (), node.doc, cites(node.decorators), place(node.name.span)
        )
