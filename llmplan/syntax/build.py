"""Makes the nodes of statements: one method for each rule or alternative of the grammar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llmplan.diagnostics import Diagnostic, syntax
from llmplan.source import Source, Span
from llmplan.syntax import nodes as n
from llmplan.syntax.automaton import Action
from llmplan.syntax.literals import Children, Interpolate
from llmplan.syntax.values import Values

LANGUAGE = 1

_PYTHON = frozenset({"type", "range", "sum", "list"})


class Builder(Values):
    """Actions of the parser over one source.

    Args:
        docs: The text of the `##` lines above a place.
        interpolate: Parses what stands between two offsets, inside braces in a text.
    """

    def __init__(
        self,
        source: Source,
        docs: dict[int, str],
        report: Callable[[Diagnostic], object],
        interpolate: Interpolate,
    ) -> None:
        super().__init__(source, report, interpolate)
        self.docs = docs

    def action(self, rule: str) -> Action | None:
        """What makes the node of a rule; None for a rule that its only child stands for."""
        return getattr(self, rule + "_" if rule in _PYTHON else rule, None)

    def doc(self, start: int) -> str:
        return self.docs.get(start, "")

    # Statements

    def file(self, c: Children, start: int, end: int) -> n.File:
        for statement in c[1:]:
            if isinstance(statement, n.Language):
                self.report(syntax.late_version(statement.span))
        return n.File(span=Span(self.source, 0, len(self.source.text)), statements=tuple(c), comments=())

    def alone(self, c: Children, start: int, end: int) -> n.Expr:
        value: n.Expr = c[0]
        return value

    def interpolation(self, c: Children, start: int, end: int) -> n.Interpolation:
        return n.Interpolation(span=self.span(start, end), value=c[0], unit=c[1])

    def language(self, c: Children, start: int, end: int) -> n.Language:
        number = self._number(c[1])
        if number.value != LANGUAGE:
            self.report(syntax.bad_version(number.span, LANGUAGE))
        version = int(number.value)
        return n.Language(span=self.span(start, end), doc=self.doc(start), version=version)

    def use(self, c: Children, start: int, end: int) -> n.Use:
        return n.Use(span=self.span(start, end), doc=self.doc(start), path=self.plain(c[0]))

    def _block(self, c: Children, start: int, end: int, entry: Any, config: Any, fields: Any) -> n.Block:
        return n.Block(
            span=self.span(start, end),
            doc=self.doc(start),
            kind=self.word(c[0]),
            entry=self.plain(entry) if entry else None,
            config=self.plain(config) if config else None,
            fields=fields or (),
        )

    def block(self, c: Children, start: int, end: int) -> n.Block:
        return self._block(c, start, end, c[1], None, c[2])

    def block_from(self, c: Children, start: int, end: int) -> n.Block:
        return self._block(c, start, end, None, c[1], c[2])

    def block_own(self, c: Children, start: int, end: int) -> n.Block:
        return self._block(c, start, end, None, None, c[1])

    def fields(self, c: Children, start: int, end: int) -> tuple[n.Field, ...]:
        return tuple(child for child in c if isinstance(child, n.Field))

    def field(self, c: Children, start: int, end: int) -> n.Field:
        return n.Field(span=self.span(start, end), doc=self.doc(start), name=c[0], value=c[1])

    def assign(self, c: Children, start: int, end: int) -> n.Assign:
        return n.Assign(span=self.span(start, end), doc=self.doc(start), target=c[0], value=c[1])

    def let(self, c: Children, start: int, end: int) -> n.Let:
        return n.Let(span=self.span(start, end), doc=self.doc(start), name=self.word(c[0]), value=c[1])

    def assume(self, c: Children, start: int, end: int) -> n.Assume:
        return n.Assume(span=self.span(start, end), doc=self.doc(start), target=c[0], value=c[1])

    def require(self, c: Children, start: int, end: int) -> n.Require:
        decorators, certain, name, condition, when, because = c
        return n.Require(
            span=self.span(start, end),
            doc=self.doc(start),
            certain=certain is not None,
            name=self.word(name) if name else None,
            condition=condition,
            when=when,
            because=self.text([because], because.start, because.end) if because else None,
            decorators=decorators or (),
        )

    def prefer(self, c: Children, start: int, end: int) -> n.Prefer:
        decorators, name, condition, when, because, weight = c
        return n.Prefer(
            span=self.span(start, end),
            doc=self.doc(start),
            name=self.word(name) if name else None,
            condition=condition,
            when=when,
            because=self.text([because], because.start, because.end) if because else None,
            weight=weight,
            decorators=decorators or (),
        )

    def waive(self, c: Children, start: int, end: int) -> n.Waive:
        names = tuple(self.word(token) for token in c)
        return n.Waive(span=self.span(start, end), doc=self.doc(start), names=names)

    def minimize(self, c: Children, start: int, end: int) -> n.Objective:
        return n.Objective(span=self.span(start, end), doc=self.doc(start), sense="minimize", value=c[0])

    def maximize(self, c: Children, start: int, end: int) -> n.Objective:
        return n.Objective(span=self.span(start, end), doc=self.doc(start), sense="maximize", value=c[0])

    def pareto(self, c: Children, start: int, end: int) -> n.Pareto:
        return n.Pareto(span=self.span(start, end), doc=self.doc(start), values=tuple(c))

    def scenario(self, c: Children, start: int, end: int) -> n.Scenario:
        name = self.plain(c[0])
        return n.Scenario(span=self.span(start, end), doc=self.doc(start), name=name, settings=c[1])

    def phase(self, c: Children, start: int, end: int) -> n.Phase:
        name = self.plain(c[0])
        return n.Phase(span=self.span(start, end), doc=self.doc(start), name=name, settings=c[1])

    def settings(self, c: Children, start: int, end: int) -> tuple[n.Assign, ...]:
        return tuple(c)

    def sweep(self, c: Children, start: int, end: int) -> n.Sweep:
        return n.Sweep(span=self.span(start, end), doc=self.doc(start), axes=tuple(c))

    def axis(self, c: Children, start: int, end: int) -> n.Axis:
        return n.Axis(span=self.span(start, end), target=c[0], domain=c[1])

    def show(self, c: Children, start: int, end: int) -> n.Show:
        return n.Show(span=self.span(start, end), doc=self.doc(start), value=c[0], unit=c[1])

    def emit(self, c: Children, start: int, end: int) -> n.Emit:
        into = self.plain(c[-1]) if c[-1] else None
        return n.Emit(span=self.span(start, end), doc=self.doc(start), targets=tuple(c[:-1]), into=into)

    def target(self, c: Children, start: int, end: int) -> n.Target:
        return n.Target(span=self.span(start, end), name=self.word(c[0]), options=c[1] or ())

    # Declarations

    def decorators(self, c: Children, start: int, end: int) -> tuple[n.Decorator, ...]:
        return tuple(child for child in c if isinstance(child, n.Decorator))

    def decorator(self, c: Children, start: int, end: int) -> n.Decorator:
        arguments = tuple(self.plain(token) for token in c[1:] if token is not None)
        return n.Decorator(span=self.span(start, end), name=self.word(c[0]), arguments=arguments)

    def entry(self, c: Children, start: int, end: int) -> n.Entry:
        decorators, kind, name, like, fields = c
        return n.Entry(
            span=self.span(start, end),
            doc=self.doc(start),
            kind=self.word(kind),
            name=self.plain(name),
            like=self.plain(like) if like else None,
            fields=fields or (),
            decorators=decorators or (),
        )

    def amend(self, c: Children, start: int, end: int) -> n.Amend:
        decorators, kind, name, fields = c
        return n.Amend(
            span=self.span(start, end),
            doc=self.doc(start),
            kind=self.word(kind),
            name=self.plain(name),
            fields=fields,
            decorators=decorators or (),
        )

    def quantity(self, c: Children, start: int, end: int) -> n.Quantity:
        decorators, replace, name, indices, type_, domain, when, value = c
        return n.Quantity(
            span=self.span(start, end),
            doc=self.doc(start),
            name=name,
            indices=indices or (),
            type=type_,
            domain=domain,
            when=when,
            value=value,
            replace=replace is not None,
            decorators=decorators or (),
        )

    def fn(self, c: Children, start: int, end: int) -> n.Fn:
        decorators, replace, name, params, result, body = c
        if not isinstance(body, n.Body):
            body = n.Body(span=body.span, lets=(), value=body)
        return n.Fn(
            span=self.span(start, end),
            doc=self.doc(start),
            name=self.word(name),
            params=params or (),
            result=result,
            body=body,
            replace=replace is not None,
            decorators=decorators or (),
        )

    def body(self, c: Children, start: int, end: int) -> n.Body:
        return n.Body(span=self.span(start, end), lets=tuple(c[:-1]), value=c[-1])

    def params(self, c: Children, start: int, end: int) -> tuple[n.Param, ...]:
        return tuple(c)

    def param(self, c: Children, start: int, end: int) -> n.Param:
        return n.Param(span=self.span(start, end), name=self.word(c[0]), type=c[1], domain=c[2])

    def kind(self, c: Children, start: int, end: int) -> n.Kind:
        return n.Kind(
            span=self.span(start, end),
            doc=self.doc(start),
            name=self.word(c[1]),
            fields=tuple(c[2:]),
            decorators=c[0] or (),
        )

    def field_decl(self, c: Children, start: int, end: int) -> n.FieldDecl:
        domain, default, unknown = c[-3:]
        return n.FieldDecl(
            span=self.span(start, end),
            doc=self.doc(start),
            name=self.word(c[1]),
            types=tuple(c[2:-3]),
            domain=domain,
            default=default,
            unknown=unknown,
            decorators=c[0] or (),
        )

    def enum(self, c: Children, start: int, end: int) -> n.Enum:
        return n.Enum(
            span=self.span(start, end),
            doc=self.doc(start),
            name=self.word(c[1]),
            members=tuple(c[2:]),
            decorators=c[0] or (),
        )

    def enum_member(self, c: Children, start: int, end: int) -> n.EnumMember:
        return n.EnumMember(span=self.span(start, end), doc=self.doc(start), name=self.word(c[0]))

    def dimension(self, c: Children, start: int, end: int) -> n.Dimension:
        return n.Dimension(
            span=self.span(start, end), doc=self.doc(start), name=self.word(c[1]), decorators=c[0] or ()
        )

    def unit(self, c: Children, start: int, end: int) -> n.UnitDecl:
        decorators, name, type_, value = c
        return n.UnitDecl(
            span=self.span(start, end),
            doc=self.doc(start),
            name=self.word(name),
            type=type_,
            value=value,
            decorators=decorators or (),
        )

    def type_(self, c: Children, start: int, end: int) -> n.Type:
        return n.Type(span=self.span(start, end), text=c[0].text)

    def list_type(self, c: Children, start: int, end: int) -> n.Type:
        return n.Type(span=self.span(start, end), text=c[0].text, is_list=True)
