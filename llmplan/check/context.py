"""How the types of expressions combine: assigned, joined, compared, alike; and the context that a form needs.

Input: checked parts. Output: one typed value that represents them together. A part with a mistake is reported once and
gets the type None, which fits everything, so one mistake gives one message.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import evolve

from llmplan.check import hints, spoken
from llmplan.check.ir import UNDEFINED, Entry, Expr, Typed
from llmplan.check.labels import Labelled, compared, labelled_units, wanted
from llmplan.check.scope import Scope, words
from llmplan.diagnostics import Diagnostic, units
from llmplan.source import Span
from llmplan.syntax import nodes
from llmplan.units.measure import BOOL, Exponents, KindType, Measure, Type
from llmplan.units.table import UnknownUnit

if TYPE_CHECKING:
    from typing_extensions import Self  # in `typing` from Python 3.11 on


class Context(ABC):
    """The context of an expression: a scope, and some local names.

    In a block or entry, the fields of its `kind` can be used without the kind's name; `locals` are parameters, local
    lets and fold variables, and `bounds` the declared ranges of Int parameters, which a `match` may cover. `entry`
    is the entry that the expression stands in, if any. Nothing is reported in a `silent` context.
    """

    def __init__(
        self,
        scope: Scope,
        report: Callable[[Diagnostic], None],
        kind: str | None = None,
        locals: dict[str, Type | None] | None = None,
        bounds: dict[str, tuple[int, int]] | None = None,
        entry: Entry | None = None,
        silent: bool = False,
    ) -> None:
        self.scope = scope
        self.report = report
        self.kind = kind
        self.locals = locals or {}
        self.bounds = bounds or {}
        self.entry = entry
        self.silent = silent

    def reporting(self, report: Callable[[Diagnostic], None]) -> Self:
        """The same context with other reports."""
        return type(self)(self.scope, report, self.kind, self.locals, self.bounds, self.entry, self.silent)

    def inside(self, more: dict[str, Type | None]) -> Self:
        """The same context with further local names."""
        return type(self)(
            self.scope, self.report, self.kind, {**self.locals, **more}, self.bounds, self.entry, self.silent
        )

    def quiet(self) -> Self:
        """The same context without reports, for parts that are checked elsewhere too."""
        return type(self)(self.scope, lambda diagnostic: None, self.kind, self.locals, self.bounds, self.entry, True)

    @abstractmethod
    def check(self, node: nodes.Expr, want: Type | None = None) -> Typed:
        """The checked form of an expression; `want` is what its place expects, if anything."""

    def condition(self, node: nodes.Expr) -> Expr:
        """An expression that must be true or false."""
        typed = self.check(node, BOOL)
        if typed.type not in (BOOL, None):
            counted = isinstance(typed.type, Measure) and self.scope.units.is_count(typed.type)
            self.report(units.not_here(node.span, f"{'a number of ' if counted else ''}{words(typed.type)}", "Bool"))
        return typed.expr

    def fit(self, typed: Typed, want: Type, name: str, declared: Span | None = None) -> Typed:
        """A value that is assigned: its type must be the expected one (E0302, E0304, E0306)."""
        if typed.type is None or typed.type == want:
            return typed
        if isinstance(typed.type, Measure) and isinstance(want, Measure):
            if typed.zero or (typed.bare and self.scope.units.is_count(want)):
                return evolve(typed, type=want)
            if typed.type.dims == want.dims:
                if not typed.type.labels or not want.labels or typed.type.labels == want.labels:
                    return evolve(typed, type=want)
                pair = (typed.span, words(typed.type)), (declared or typed.span, words(want))
                self.report(units.unlike_counts(*pair, hints.per(self.scope, typed.type, want)))
                return evolve(typed, type=None)
            if typed.bare:
                choice = self._labelled(wanted(self.scope, want, name, self.entry))
                asked = choice or self._units_for(want, name)
                self.report(units.missing_unit(typed.span, f"`{name}`", typed.span.text, asked, bool(choice)))
                return evolve(typed, type=None)
        hint = hints.instead(self.scope, typed, wanted(self.scope, want, name, self.entry))
        self.report(units.wrong_field(typed.span, name, words(want), words(typed.type), declared, hint))
        return evolve(typed, type=None)

    def _labelled(self, kept: Type | None) -> list[str]:
        """The units, each with a label, for a place whose numbers must have one; a link's are those it is sold in."""
        if not isinstance(kept, Labelled) or not kept.strict:
            return []
        sold = [evolve(kept, unit=kept.unit.replace("byte/s", unit)) for unit in ("GB/s", "Gbit/s")]
        places = sold if kept.unit.startswith("byte/s") else [kept]
        return [unit for place in places for unit in labelled_units(self.scope.units, place)]

    def _units_for(self, want: Measure, name: str = "") -> list[str]:
        """The units that a number is likely meant in; for a named field, the unit that it is declared in."""
        common: dict[Exponents, list[str]] = {(("Information", 1),): ["GB", "GiB"], (("Time", 1),): ["days", "hours"]}
        field = self.scope.fields.get(name)
        return common.get(want.dims) or [field.units[0] if field is not None else self.scope.units.base(want)]

    def wrong(self, node: nodes.Node, *problems: Diagnostic) -> Typed:
        """A placeholder for an expression with a mistake; `problems` are reported."""
        for problem in problems:
            self.report(problem)
        return Typed(UNDEFINED, None, node.span)

    def measured(self, typed: Typed) -> bool:
        if typed.type is None:
            return False
        if isinstance(typed.type, Measure):
            return True
        self.report(units.not_here(typed.span, words(typed.type), "a number"))
        return False

    def alike(self, items: Sequence[nodes.Expr], want: Type | None, action: str) -> list[Typed]:
        """Several expressions of one type; a bare number takes the unit of the others."""
        typed = [self.check(item, want) for item in items]
        lead = typed[0]
        for other in typed[1:]:
            lead = self.unify(lead, other, action)
        return [evolve(item, type=lead.type) if item.type is not None else item for item in typed]

    def joined(self, node: nodes.Node, expr: Expr, parts: Sequence[Typed]) -> Typed:
        unit = next((part.unit for part in parts if part.unit), "")
        type = None if any(part.type is None for part in parts) else parts[0].type
        return Typed(expr, type, node.span, all(part.bare for part in parts), unit)

    def unify(self, left: Typed, right: Typed, action: str) -> Typed:
        """One typed value that represents both sides of `+ -`, a comparison or alternatives."""
        if left.type is None or right.type is None:
            return left if left.type is None else right
        if not (isinstance(left.type, Measure) and isinstance(right.type, Measure)):
            if left.type == right.type:
                return left
            self.report(units.unlike(action, *_sides(left, right)))
            return evolve(left, type=None)
        lead, other = (right, left) if left.bare and not right.bare else (left, right)
        assert isinstance(lead.type, Measure) and isinstance(other.type, Measure)
        whole = lead.type.whole and other.type.whole
        if lead.type.dims == other.type.dims:
            if lead.type.labels and other.type.labels and lead.type.labels != other.type.labels:
                hint = hints.per(self.scope, left.type, right.type)
                self.report(units.unlike_counts(*_sides(left, right), hint))
                return evolve(left, type=None)
            both = Measure(lead.type.dims, lead.type.labels or other.type.labels, whole)
            return Typed(lead.expr, both, left.span.to(right.span), left.bare and right.bare, lead.unit or other.unit)
        if other.zero or (other.bare and self.scope.units.is_count(lead.type)):
            return evolve(lead, type=evolve(lead.type, whole=whole), span=left.span.to(right.span))
        if lead.zero:
            return evolve(other, span=left.span.to(right.span))
        if other.bare:
            choice = self._labelled(compared(self.scope, lead))
            asked = choice or self._units_for(lead.type)
            self.report(units.missing_unit(other.span, "this number", other.span.text, asked, bool(choice)))
        else:
            hint = hints.unit_after(self.scope, left.type, right.type) or hints.for_each(self.scope, left, right)
            self.report(units.unlike(action, *_sides(left, right), hint))
        return evolve(left, type=None)

    def unit(self, node: nodes.Unit, want: Type | None = None) -> tuple[Fraction, Measure] | None:
        """The factor and measure of a unit, or None if a mistake in it was reported; `want`: what its place expects."""
        try:
            return self.scope.units.parse(node.text)
        except UnknownUnit as unknown:
            start = node.span.start + unknown.offset
            span = Span(node.span.source, start, start + max(1, len(unknown.word)))
            known = unknown.offset > 0 and self._divides(unknown.word)
            near = self.scope.units.suggest(unknown.word)
            entry = spoken.of_unit(self.scope, unknown.word) or hints.entry(self.scope, unknown.word)
            counted = isinstance(want, Measure) and bool(want.labels or want.dims) and self.scope.units.is_count(want)
            count = f"{self.scope.units.base(want)}s" if counted and isinstance(want, Measure) else ""
            self.report(units.unknown_unit(span, unknown.word, near, span if known else None, entry, count))
            return None

    def _divides(self, word: str) -> bool:
        """Whether a word names a value that can divide, as in `640 GB/gpus`; an entry, as in `3 USD/gpu`, cannot."""
        if word in self.locals:
            return True
        path = f"{self.kind}.{word}" if self.kind is not None and f"{self.kind}.{word}" in self.scope.fields else word
        meaning = self.scope.lookup(path)
        return meaning is not None and not isinstance(meaning.type, KindType)


def _sides(left: Typed, right: Typed) -> tuple[tuple[Span, str], tuple[Span, str]]:
    return (left.span, words(left.type)), (right.span, words(right.type))
