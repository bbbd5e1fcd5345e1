"""Formulas typeset: an expression of the syntax tree as LaTeX that MathJax on a code host reads.

Input is a node, output is text for a math block. Nothing is moved or simplified: factors, terms and
arms stand in the order in which they are written; a quotient becomes a fraction of what is multiplied
before it since the last one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from llmplan.operations import FUNCTIONS
from llmplan.operations.folds import FOLDS
from llmplan.syntax import nodes

WIDTH = 88
"""About how many characters fit in a line of a page; a longer sum or product is broken."""

_SIGNS = {"==": "=", "!=": r"\ne", "<=": r"\le", ">=": r"\ge", "<": "<", ">": ">", "+": "+", "-": "-"}
_NUMBER = re.compile(r"([0-9_]+)((?:\.[0-9_]+)?)(?:[eE]([+-]?[0-9]+))?([A-Za-z]*)")
_MAGNITUDES = {"K": "10^{3}", "M": "10^{6}", "B": "10^{9}", "T": "10^{12}"}
_MAGNITUDES |= {"Ki": "2^{10}", "Mi": "2^{20}", "Gi": "2^{30}"}
_TRUTHS = (nodes.Compare, nodes.Member, nodes.And, nodes.Or, nodes.Not)
_SPECIAL = {"\\": r"\backslash ", "^": r"\wedge ", "~": r"\sim "}


def definition(left: str, value: nodes.Expr, lets: Sequence[nodes.Let] = ()) -> str:
    """`left = value`, broken before a term or factor where it is long; then what the lets stand for."""
    sign = r"\iff" if isinstance(value, _TRUTHS) else "="
    first, *further = _lines(value)
    for index, let in enumerate(lets):
        where = r"\text{where }" if index == 0 else r"\text{and }"
        further.append(f"{where} {name((let.name.text,))} = {expression(let.value)}")
    if not further:
        return f"{left} {sign} {first}"
    return _aligned(f"{left} &{sign} {first}", further)


def display(value: nodes.Expr) -> str:
    """An expression on lines of its own: a condition, or an objective."""
    first, *further = _lines(value)
    return _aligned(f"&{first}", further) if further else first


def _aligned(first: str, further: Sequence[str]) -> str:
    rows = [first, *(rf"&\quad {line}" for line in further)]
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


def _lines(value: nodes.Expr) -> list[str]:
    """An expression in pieces that each fit in a line, as far as its outermost operators let it."""
    lines: list[str] = []
    used = 0
    for piece, extent in _pieces(value):
        if lines and used + extent <= WIDTH:
            lines[-1] += f" {piece}"
            used += extent
        else:
            lines.append(piece)
            used = extent
    return lines


def _pieces(value: nodes.Expr) -> list[tuple[str, int]]:
    """Terms, factors, sides or conditions, each with the operator before it, and about how wide it is."""
    if isinstance(value, (nodes.Sum, nodes.Compare)):
        rest = [(f"{_SIGNS[sign]} {_operand(side)}", _extent([side])) for sign, side in value.rest]
        return [(_operand(value.first), _extent([value.first])), *rest]
    if isinstance(value, (nodes.And, nodes.Or)):
        word = r"\text{ and }" if isinstance(value, nodes.And) else r"\text{ or }"
        first, *further = value.items
        return [(_operand(first), _extent([first])), *((f"{word} {_operand(i)}", _extent([i])) for i in further)]
    if not isinstance(value, nodes.Product):
        return [(expression(value), _extent([value]))]
    pieces: list[tuple[str, int]] = []
    for above, below in _groups(value):
        joint = r"\cdot " if pieces else ""
        extent = max(_extent(above), _extent(below))
        if extent <= WIDTH or len(above) + len(below) == 1:
            pieces.append((joint + _fraction(above, below), extent))
            continue
        # A fraction that is wider than a line is written as it stands in the plan.
        signs = [joint, *[r"\cdot "] * (len(above) - 1), *["/ "] * len(below)]
        pieces += [(sign + _operand(f), _extent([f])) for sign, f in zip(signs, [*above, *below])]
    return pieces


def _extent(factors: list[nodes.Expr]) -> int:
    return sum(len(" ".join(factor.span.text.split())) + 3 for factor in factors)


def name(parts: Sequence[str]) -> str:
    """A dotted name: what stands after the first dot is a subscript."""
    first, *rest = (part.replace("_", r"\_") for part in parts)
    below = "_{" + rf"\mathrm{{{'.'.join(rest)}}}" + "}" if rest else ""
    return rf"\mathrm{{{first}}}{below}"


def unit(text: str) -> str:
    """A unit as written, upright."""
    if text == "%":
        return r"\%"
    raised = re.sub(r"\^(-?[0-9]+)", r"^{\1}", text.replace("_", r"\_")).replace("*", r" \cdot ")
    return rf"\mathrm{{{raised}}}"


def text(written: str) -> str:
    """Words inside a formula."""
    escaped = "".join(_SPECIAL.get(c, "\\" + c if c in "{}$%#&_" else c) for c in written)
    return rf"\text{{{escaped}}}"


def expression(node: nodes.Expr) -> str:
    """Any expression, without the parentheses that a whole formula does not need."""
    return _RULES[type(node)](node)


def _number(node: nodes.Number) -> str:
    match = _NUMBER.fullmatch(node.text)
    assert match is not None
    whole, fraction, exponent, magnitude = match.groups()
    digits = f"{int(whole.replace('_', '')):,}".replace(",", "{,}") + fraction.replace("_", "")
    power = f"10^{{{int(exponent)}}}" if exponent else _MAGNITUDES.get(magnitude, "")
    shown = rf"{digits} \times {power}" if power else digits
    if node.unit is None:
        return shown
    return shown + (r"\%" if node.unit.text == "%" else r"\," + unit(node.unit.text))


def _operand(node: nodes.Expr) -> str:
    """An expression between operators: one whose end would not be seen there stands in parentheses."""
    if isinstance(node, (nodes.If, nodes.Match)):
        return _parenthesised(expression(node))
    return expression(node)


def _parenthesised(inner: str) -> str:
    return rf"\left( {inner} \right)"


def _paren(node: nodes.Paren) -> str:
    return _parenthesised(_bare(node))


def _bare(node: nodes.Expr) -> str:
    """What stands in parentheses, for a place that shows its extent by itself."""
    while isinstance(node, nodes.Paren):
        node = node.inner
    return expression(node)


def _groups(node: nodes.Product) -> list[tuple[list[nodes.Expr], list[nodes.Expr]]]:
    """The factors of a product, from left to right, as numerators and denominators of fractions."""
    groups: list[tuple[list[nodes.Expr], list[nodes.Expr]]] = [([node.first], [])]
    for sign, factor in node.rest:
        if sign == "/":
            groups[-1][1].append(factor)
        elif groups[-1][1]:
            groups.append(([factor], []))
        else:
            groups[-1][0].append(factor)
    return groups


def _fraction(above: list[nodes.Expr], below: list[nodes.Expr]) -> str:
    if not below:
        return _dots(above)
    upper, lower = (_bare(half[0]) if len(half) == 1 else _dots(half) for half in (above, below))
    return rf"\frac{{{upper}}}{{{lower}}}"


def _dots(factors: list[nodes.Expr]) -> str:
    return r" \cdot ".join(map(_operand, factors))


def _product(node: nodes.Product) -> str:
    return r" \cdot ".join(_fraction(above, below) for above, below in _groups(node))


def _joined(node: nodes.Expr) -> str:
    return " ".join(piece for piece, _ in _pieces(node))


def _power(node: nodes.Power) -> str:
    base = expression(node.base)
    plain = isinstance(node.base, nodes.Paren) or (isinstance(node.base, nodes.Number) and node.base.unit is None)
    if not plain and not isinstance(node.base, nodes.Name):
        base = _parenthesised(base)
    return f"{{{base}}}^{{{_bare(node.exponent)}}}"


def _call(node: nodes.Call) -> str:
    called = node.function.text
    operation = FUNCTIONS.get(called)
    around = None if operation is None else operation.latex
    before, after = around or (name((called,)) + r"\left( ", r" \right)")
    return before + ", ".join(map(_bare, node.arguments)) + after


def _fold(node: nodes.Fold) -> str:
    below = r",\, ".join(rf"{name((b.name.text,))} \in {name(b.over.parts)}" for b in node.binders)
    body = expression(node.body)
    fold = FOLDS[node.function.text]
    long = isinstance(node.body, (nodes.Sum, nodes.If, nodes.Match)) or fold.encloses
    return rf"{fold.latex}_{{{below}}} " + (_parenthesised(body) if long else body)


def _member(node: nodes.Member) -> str:
    domain = expression(node.domain)
    if isinstance(node.domain, nodes.List):
        domain = rf"\left\{{ {', '.join(map(expression, node.domain.items))} \right\}}"
    return rf"{_operand(node.value)} \in {domain}"


def _cases(rows: Sequence[tuple[str, str]]) -> str:
    return r"\begin{cases} " + r" \\ ".join(rf"{value} & {when}" for value, when in rows) + r" \end{cases}"


def _if(node: nodes.If) -> str:
    rows = []
    rest: nodes.Expr = node
    while isinstance(rest, nodes.If):
        rows.append((_bare(rest.then), rf"\text{{if }} {_bare(rest.condition)}"))
        rest = rest.otherwise
    return _cases([*rows, (_bare(rest), r"\text{otherwise}")])


def _match(node: nodes.Match) -> str:
    subject = _operand(node.subject)
    return _cases(
        [
            (
                _bare(arm.value),
                r"\text{otherwise}" if arm.pattern is None else rf"\text{{if }} {subject} = {expression(arm.pattern)}",
            )
            for arm in node.arms
        ]
    )


def _range(node: nodes.Range) -> str:
    ends = [expression(end) for end in (node.low, node.expected, node.high) if end is not None]
    step = rf"\text{{ step }} {expression(node.step)}" if node.step is not None else ""
    return r" \ldots ".join(ends) + step


def _text(node: nodes.Text) -> str:
    return text("".join(p if isinstance(p, str) else "{" + p.span.text.strip("{}") + "}" for p in node.parts))


_RULES: dict[type, Callable[..., str]] = {
    nodes.Number: _number,
    nodes.Bool: lambda node: name(("true" if node.value else "false",)),
    nodes.Text: _text,
    nodes.Name: lambda node: name(node.parts),
    nodes.Index: lambda node: name(node.name.parts) + rf"\left[ {', '.join(map(expression, node.indices))} \right]",
    nodes.Call: _call,
    nodes.Fold: _fold,
    nodes.Paren: _paren,
    nodes.Negative: lambda node: f"-{_operand(node.operand)}",
    nodes.Not: lambda node: rf"\text{{not }} {_operand(node.operand)}",
    nodes.Power: _power,
    nodes.Product: _product,
    nodes.Sum: _joined,
    nodes.Compare: _joined,
    nodes.Member: _member,
    nodes.And: _joined,
    nodes.Or: _joined,
    nodes.If: _if,
    nodes.Match: _match,
    nodes.List: lambda node: rf"\left[ {', '.join(map(expression, node.items))} \right]",
    nodes.Range: _range,
    nodes.Unknown: lambda node: "?" + (rf" \in {expression(node.domain)}" if node.domain is not None else ""),
}
