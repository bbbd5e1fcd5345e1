"""Makes the nodes of expressions: one method for each rule or alternative of the grammar."""

from __future__ import annotations

from llmplan.syntax import nodes as n
from llmplan.syntax.literals import Children, Literals


class Values(Literals):
    """Actions of the parser for what can stand on a right-hand side."""

    def unknown(self, c: Children, start: int, end: int) -> n.Unknown:
        return n.Unknown(span=self.span(start, end), domain=c[0])

    def range_(self, c: Children, start: int, end: int) -> n.Range:
        step = c[3] if len(c) == 4 else None
        return n.Range(span=self.span(start, end), low=c[0], expected=None, high=c[1], step=step)

    def estimate(self, c: Children, start: int, end: int) -> n.Range:
        return n.Range(span=self.span(start, end), low=c[0], expected=c[1], high=c[2], step=None)

    def conditional(self, c: Children, start: int, end: int) -> n.If:
        return n.If(span=self.span(start, end), condition=c[0], then=c[1], otherwise=c[2])

    def disjunction(self, c: Children, start: int, end: int) -> n.Or:
        return n.Or(span=self.span(start, end), items=tuple(c))

    def conjunction(self, c: Children, start: int, end: int) -> n.And:
        return n.And(span=self.span(start, end), items=tuple(c))

    def inversion(self, c: Children, start: int, end: int) -> n.Not:
        return n.Not(span=self.span(start, end), operand=c[0])

    def comparison(self, c: Children, start: int, end: int) -> n.Compare:
        return n.Compare(span=self.span(start, end), first=c[0], rest=_chain(c))

    def member(self, c: Children, start: int, end: int) -> n.Member:
        return n.Member(span=self.span(start, end), value=c[0], domain=c[1])

    def sum_(self, c: Children, start: int, end: int) -> n.Sum:
        return n.Sum(span=self.span(start, end), first=c[0], rest=_chain(c))

    def product(self, c: Children, start: int, end: int) -> n.Product:
        return n.Product(span=self.span(start, end), first=c[0], rest=_chain(c))

    def negative(self, c: Children, start: int, end: int) -> n.Negative:
        return n.Negative(span=self.span(start, end), operand=c[1])

    def power(self, c: Children, start: int, end: int) -> n.Power:
        return n.Power(span=self.span(start, end), base=c[0], exponent=c[1])

    def true(self, c: Children, start: int, end: int) -> n.Bool:
        return n.Bool(span=self.span(start, end), value=True)

    def false(self, c: Children, start: int, end: int) -> n.Bool:
        return n.Bool(span=self.span(start, end), value=False)

    def index(self, c: Children, start: int, end: int) -> n.Index:
        return n.Index(span=self.span(start, end), name=c[0], indices=tuple(c[1:]))

    def call(self, c: Children, start: int, end: int) -> n.Call:
        return n.Call(span=self.span(start, end), function=self.word(c[0]), arguments=tuple(c[1:]))

    def fold(self, c: Children, start: int, end: int) -> n.Fold:
        function = self.word(c[0])
        return n.Fold(span=self.span(start, end), function=function, body=c[1], binders=tuple(c[2:]))

    def binder(self, c: Children, start: int, end: int) -> n.Binder:
        return n.Binder(span=self.span(start, end), name=self.word(c[0]), over=c[1])

    def list_(self, c: Children, start: int, end: int) -> n.List:
        return n.List(span=self.span(start, end), items=tuple(c))

    def paren(self, c: Children, start: int, end: int) -> n.Paren:
        return n.Paren(span=self.span(start, end), inner=c[0])

    def match(self, c: Children, start: int, end: int) -> n.Match:
        return n.Match(span=self.span(start, end), subject=c[0], arms=tuple(c[1:]))

    def arm(self, c: Children, start: int, end: int) -> n.Arm:
        return n.Arm(span=self.span(start, end), pattern=c[0], value=c[1])

    def otherwise(self, c: Children, start: int, end: int) -> n.Arm:
        return n.Arm(span=self.span(start, end), pattern=None, value=c[0])

    def name(self, c: Children, start: int, end: int) -> n.Name:
        return n.Name(span=self.span(start, end), parts=tuple(token.text for token in c))

    def measure(self, c: Children, start: int, end: int) -> n.Unit:
        return n.Unit(span=self.span(start, end), text=c[0].text)


def _chain(c: Children) -> tuple[tuple[str, n.Expr], ...]:
    return tuple((c[i].text, c[i + 1]) for i in range(1, len(c), 2))
