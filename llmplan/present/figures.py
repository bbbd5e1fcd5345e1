"""(port) Amounts as texts."""

from __future__ import annotations

import re

from attrs import frozen

from llmplan.present import rounding


@frozen
class Amount:
    text: str

    def exact(self) -> str:
        return self.text

    def short(self) -> str:
        return rounding.brief(self.text)

    def rough(self, digits: int = 3) -> str:
        return rounding.rough(self.text, digits)


@frozen
class Range:
    text: str

    def exact(self) -> str:
        return self.text

    def short(self) -> str:
        return rounding.brief(self.text)

    def rough(self, digits: int = 3) -> str:
        return rounding.rough(self.text, digits)

    def ends(self, digits: int = 3) -> str:
        return rounding.ends(self.text, digits)

    def lower(self, digits: int = 3) -> str:
        return rounding.low(self.text, digits)

    def upper(self, digits: int = 3) -> str:
        return rounding.high(self.text, digits)


digits, unit = rounding.amount, rounding.measure


def span(text: str) -> Range | None:
    return Range(text) if text else None


def money(a: Amount) -> bool:
    return unit(a.text) == "USD"


def shared(planned: Amount, ends: Range | None, limit: Amount | None, precision: int | None = None) -> str:
    u = unit(planned.rough(precision) if precision is not None else planned.text)
    low, _, high = ends.text.partition(" .. ") if ends else ("", "", "")
    if u and all(unit(t) in ("", u) for t in (low, high, limit.text if limit else "")):
        return rounding.brief(u)
    return ""


_ROW = re.compile(r"([-+−]?\d[\d,.]*(?:e-?\d+)?[MBT]?(?: \([^()]*\))?) ([^\W\d][^*]*)\Z")


def figure(text: str):
    from llmplan.present.blocks import Figure

    m = _ROW.match(text)
    return Figure(m[1], m[2]) if m else Figure(text, "")


def ranged(amount, ends):
    text, between = amount.text, ends.text
    u = unit(text) if unit(text) == unit(between.split(" .. ")[-1]) else ""
    return figure(digits(rounding.brief(text)) + " (" + rounding.ends(between) + ")" + (" " + u if u else ""))


def rough_first(text):
    return rounding.rough(text, 2)


import re

_AMOUNT = re.compile(r"\d+(?:\.\d+)?")


def _shift(solution, moved) -> str:
    from llmplan.units.format import number

    if not moved.difference:
        return "0"
    found = solution.values.get(moved.name)
    own = digits(found.text).replace(",", "") if found is not None else ""
    u = unit(found.text) if found is not None else ""
    if not u or not _AMOUNT.fullmatch(own) or not float(own):
        return moved.difference
    by = (moved.after - moved.before) * float(own) / moved.before
    return f"{'+' if by > 0 else ''}{number(float(f'{by:.3g}'))} {u}"


def shift(solution, moved) -> str:
    return rounding.rough(_shift(solution, moved)).replace("-", "−")


def shift_figure(solution, moved):
    return figure(rounding.rough(_shift(solution, moved), 2).replace("-", "−"))


def count(value: float) -> str:
    return "%g" % value


def same_units(ends: Range | None) -> bool:
    return ends is None or not unit(ends.text.partition(" .. ")[0])
