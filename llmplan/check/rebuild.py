"""An expression with some of its parts replaced.

Input: an expression and a function that gives the replacement of a part, or None to keep it. Output: the expression
with every such part replaced, outermost first; a replaced part is not searched further. Without a replacement the same
object is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import evolve

from llmplan.check.ir import (
    Body,
    Call,
    Chain,
    Chance,
    Expr,
    FieldAt,
    Fold,
    If,
    Index,
    Interpolate,
    List,
    Match,
    Op,
    Quantile,
    Shown,
    Sides,
    Text,
)

Replace = Callable[[Expr], "Expr | None"]


def rebuilt(expr: Expr, replace: Replace) -> Expr:
    """The expression with parts replaced."""
    instead = replace(expr)
    if instead is not None:
        return instead
    new = _inside(expr, lambda part: rebuilt(part, replace))
    return expr if new == expr else new


def sides_rebuilt(sides: Sides, replace: Replace) -> Sides:
    """A comparison with parts of its sides replaced."""
    return evolve(sides, left=rebuilt(sides.left, replace), right=rebuilt(sides.right, replace))


def _inside(expr: Expr, again: Callable[[Expr], Expr]) -> Expr:
    """An expression with each direct part passed through a function; `ir.parts` lists the same parts."""

    def each(parts: Iterable[Expr]) -> tuple[Expr, ...]:
        return tuple(map(again, parts))

    match expr:
        case Text():
            shown = (evolve(part, value=again(part.value)) if isinstance(part, Shown) else part for part in expr.pieces)
            return Text(tuple(shown))
        case List():
            return List(each(expr.items))
        case Chance():
            return Chance(tuple(evolve(one, left=again(one.left), right=again(one.right)) for one in expr.of))
        case Quantile():
            return Quantile(again(expr.of), again(expr.share))
        case Index():
            return evolve(expr, indices=each(expr.indices))
        case FieldAt():
            return evolve(expr, of=again(expr.of))
        case Op() | Call():
            return evolve(expr, args=each(expr.args))
        case Chain():
            return Chain(again(expr.first), tuple((operation, again(part)) for operation, part in expr.rest))
        case If():
            return If(again(expr.condition), again(expr.then), again(expr.otherwise))
        case Match():
            arms = ((None if pattern is None else again(pattern), again(value)) for pattern, value in expr.arms)
            return Match(again(expr.subject), tuple(arms))
        case Body():
            return Body(tuple((name, again(value)) for name, value in expr.lets), again(expr.value))
        case Fold():
            return evolve(expr, body=again(expr.body))
        case Interpolate():
            return evolve(expr, x=again(expr.x))
    return expr
