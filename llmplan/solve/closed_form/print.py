"""Formulas in conventional notation, from the solver's expressions: `6 · a · b / (c · d)`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import log10
from typing import Any

from attrs import frozen

_SUM, _PRODUCT, _POWER, ATOM = range(4)
_SHORT = 12


@frozen
class Formula:
    """A text and its precedence; for a number also its value, which may be merged with other factors of a product."""

    text: str
    binds: int
    value: float | None = None

    @staticmethod
    def number(value: float) -> Formula:
        """A number in at most six digits."""
        text = f"{value:.0f}" if value == int(value) and abs(value) < 1e6 else f"{value:.6g}"
        return Formula(text, ATOM if value >= 0 else _SUM, value)

    def within(self, binds: int) -> str:
        """The text, in parentheses if its precedence is lower than `binds`."""
        return self.text if self.binds >= binds else f"({self.text})"


def printed(expression: Any, symbols: Mapping[Any, Formula]) -> str:
    """The text of a sympy expression: sums, products, powers, `exp`, `log`, numbers, and symbols as given."""
    return _Printer({symbol: (i, f) for i, (symbol, f) in enumerate(symbols.items())}).show(expression).text


@frozen
class _Printer:
    symbols: Mapping[Any, tuple[int, Formula]]

    def show(self, e: Any) -> Formula:
        if e.is_Symbol:
            return self.symbols[e][1]
        if e.is_Rational and not e.is_Integer and float(f"{float(e):.6g}") != float(e):
            return Formula(f"{e.p} / {e.q}", _PRODUCT)
        if e.is_Number or e.is_NumberSymbol:  # such as Euler's number, where a logarithm was undone
            return Formula.number(float(e))
        if e.is_Add:
            return self._sum(e)
        if e.is_Mul or e.is_Pow and e.exp.is_Rational and e.exp < 0:
            return self._product(e)
        if e.is_Pow:
            return self._power(e.base, e.exp)
        name = {"log": "ln"}.get(type(e).__name__, type(e).__name__)
        return Formula(f"{name}({self.show(e.args[0]).text})", ATOM)

    def _order(self, e: Any) -> tuple[int, int, str]:
        """Numbers first, then symbols in order of appearance."""
        met = [self.symbols[symbol][0] for symbol in e.free_symbols]
        return (1 if met else 0, min(met, default=0), str(e))

    def _sum(self, e: Any) -> Formula:
        terms = sorted(e.args, key=lambda term: (term.could_extract_minus_sign(), self._order(term)))
        text = ""
        for term in terms:
            negative = term.could_extract_minus_sign()
            sign = (" - " if negative else " + ") if text else "-" if negative else ""
            text += sign + self.show(-term if negative else term).within(_PRODUCT)
        return Formula(text, _SUM)

    def _product(self, e: Any) -> Formula:
        if e.could_extract_minus_sign():
            return Formula(f"-{self.show(-e).within(_PRODUCT)}", _SUM)
        exact, inexact = Fraction(1), 1.0
        above: list[Any] = []
        below: list[Any] = []
        roots: dict[int, list[Any]] = {}
        for factor in e.args if e.is_Mul else (e,):
            base, exponent = factor.as_base_exp()
            number = self._number(base)
            if factor.is_Rational:
                exact *= Fraction(int(factor.p), int(factor.q))
            elif exponent.is_Rational and exponent.q > 1 and base.is_nonnegative:
                roots.setdefault(int(exponent.q), []).append(factor)
            elif number and exponent.is_Integer and _moderate(log10(abs(number)) * int(exponent)):
                inexact *= number ** int(exponent)
            elif exponent.is_Rational and exponent < 0:
                below.append((self._order(factor), self.show(1 / factor)))
            else:
                above.append((self._order(factor), self.show(factor)))
        for degree, factors in roots.items():
            if any(factor.as_base_exp()[0].is_Number for factor in factors):
                inside, exact = exact**degree, Fraction(1)
            else:
                inside = Fraction(1)
            turned = all(factor.exp < 0 for factor in factors)
            root = self._root([1 / f for f in factors] if turned else factors, 1 / inside if turned else inside, degree)
            (below if turned else above).append(root)
        over, under = _coefficient(exact) if inexact == 1.0 else (exact * inexact, 1)
        bottom, top = self._factors(under, below), self._factors(over, above)
        if bottom == "":
            return Formula(top or "1", _PRODUCT)
        several = len(below) + (under != 1) > 1
        return Formula(f"{top or '1'} / {f'({bottom})' if several else bottom}", _PRODUCT)

    def _root(self, factors: list[Any], inside: Any, degree: int) -> tuple[tuple[int, int, str], Formula]:
        """Roots under one sign: `sqrt(a · b)`, which sympy splits if it knows both to be positive."""
        if len(factors) == 1 and inside == 1:
            return self._order(factors[0]), self._power(*factors[0].as_base_exp())
        for factor in factors:
            inside = factor**degree * inside
        shown = self.show(inside)
        text = f"sqrt({shown.text})" if degree == 2 else f"{shown.within(ATOM)}^(1 / {degree})"
        return self._order(inside), Formula(text, ATOM if degree == 2 else _POWER)

    def _number(self, e: Any) -> float | None:
        if e.is_NumberSymbol:
            return float(e)
        return self.symbols[e][1].value if e.is_Symbol else None

    def _factors(self, number: float, factors: list[tuple[tuple[int, int, str], Formula]]) -> str:
        shown = [formula for _, formula in sorted(factors, key=lambda factor: factor[0])]
        whole = [] if number == 1 else [Formula.number(number)]
        return " · ".join(formula.within(_POWER) for formula in [*whole, *shown])

    def _power(self, base: Any, exponent: Any) -> Formula:
        if exponent.is_Rational and (exponent.p, exponent.q) == (1, 2):
            return Formula(f"sqrt({self.show(base).text})", ATOM)
        return Formula(f"{self.show(base).within(ATOM)}^{self.show(exponent).within(ATOM)}", _POWER)


def _moderate(decades: float) -> bool:
    """Whether numbers of this magnitude can be multiplied without overflow."""
    return abs(decades) < 30


def _coefficient(exact: Fraction) -> tuple[float, float]:
    """A rational factor as a numerator and a denominator: short whole numbers, else a decimal on one side."""
    p, q = exact.numerator, exact.denominator
    if p == 1 or q == 1 or max(p, q) <= _SHORT:
        return p, q
    for value, turned in ((p / q, False), (q / p, True)):
        if float(f"{value:.6g}") == value:
            return (1, value) if turned else (value, 1)
    return p, q
