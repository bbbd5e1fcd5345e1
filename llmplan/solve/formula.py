"""Formulas as people write them, from the expressions of the solver: `6 · a · b / (c · d)`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

_SUM, _PRODUCT, _POWER, _ATOM = range(4)


@frozen
class Formula:
    """A text and how tightly it holds together."""

    text: str
    binds: int

    @staticmethod
    def leaf(name: str) -> Formula:
        return Formula(name, _ATOM)

    @staticmethod
    def number(value: float) -> Formula:
        """A number in at most six digits."""
        text = f"{value:.0f}" if value == int(value) and abs(value) < 1e6 else f"{value:.6g}"
        return Formula(text, _ATOM if value >= 0 else _SUM)

    def within(self, binds: int) -> str:
        """The text, in parentheses if it binds less than its place needs."""
        return self.text if self.binds >= binds else f"({self.text})"


def printed(expression: Any, symbols: Mapping[Any, Formula]) -> str:
    """The text of an expression.

    Args:
        expression: Of sympy, made of sums, products, powers, `exp`, `log` and numbers.
        symbols: What each symbol is written as.
    """
    return _Printer({symbol: (i, f) for i, (symbol, f) in enumerate(symbols.items())}).show(expression).text


@frozen
class _Printer:
    symbols: Mapping[Any, tuple[int, Formula]]

    def show(self, e: Any) -> Formula:
        if e.is_Symbol:
            return self.symbols[e][1]
        if e.is_NumberSymbol:  # such as Euler's number, where a logarithm was undone
            return Formula.number(float(e))
        if e.is_Number:
            if e.is_Rational and not e.is_Integer:
                text = f"{e.p} / {e.q}"
                exact = f"{float(e):.6g}"
                return Formula.number(float(e)) if float(exact) == float(e) else Formula(text, _PRODUCT)
            return Formula.number(float(e))
        if e.is_Add:
            return self._sum(e)
        if e.is_Mul:
            return self._product(e)
        if e.is_Pow and e.exp.is_Rational and e.exp < 0:
            return self._product(e)
        if e.is_Pow:
            return self._power(e.base, e.exp)
        name = {"log": "ln"}.get(type(e).__name__, type(e).__name__)
        return Formula(f"{name}({self.show(e.args[0]).text})", _ATOM)

    def _order(self, e: Any) -> tuple[int, int, str]:
        """Numbers first, then in the order in which the symbols were met."""
        met = [self.symbols[symbol][0] for symbol in e.free_symbols]
        return (1 if met else 0, min(met, default=0), str(e))

    def _sum(self, e: Any) -> Formula:
        text = ""
        terms = sorted(e.args, key=self._order)
        terms.sort(key=lambda term: term.could_extract_minus_sign())
        for term in terms:
            negative = term.could_extract_minus_sign()
            shown = self.show(-term if negative else term).within(_PRODUCT)
            if text:
                text += f" {'-' if negative else '+'} {shown}"
            else:
                text = f"-{shown}" if negative else shown
        return Formula(text, _SUM)

    def _product(self, e: Any) -> Formula:
        if e.could_extract_minus_sign():
            return Formula(f"-{self.show(-e).within(_PRODUCT)}", _SUM)
        above: list[Any] = []
        below: list[Any] = []
        for factor in e.args if e.is_Mul else (e,):
            if factor.is_Pow and factor.exp.is_Rational and factor.exp < 0:
                below.append(1 / factor)
            elif factor.is_Rational and not factor.is_Integer:
                above.extend([factor.p] if factor.p != 1 else [])
                below.append(factor.q)
            else:
                above.append(factor)
        top, bottom = self._factors(above), self._factors(below)
        if not below:
            return Formula(top or "1", _PRODUCT)
        return Formula(f"{top or '1'} / {bottom if len(below) == 1 else f'({bottom})'}", _PRODUCT)

    def _factors(self, factors: list[Any]) -> str:
        whole = [Formula.number(float(f)) for f in factors if isinstance(f, int)]
        rest = sorted((f for f in factors if not isinstance(f, int)), key=self._order)
        return " · ".join(f.within(_POWER) for f in [*whole, *map(self.show, rest)])

    def _power(self, base: Any, exponent: Any) -> Formula:
        if exponent.is_Rational and (exponent.p, exponent.q) == (1, 2):
            return Formula(f"sqrt({self.show(base).text})", _ATOM)
        return Formula(f"{self.show(base).within(_ATOM)}^{self.show(exponent).within(_ATOM)}", _POWER)
