"""The sides of a requirement's comparison: the computed side, which it limits, and the known one.

Input: a lowering in which the inputs of the computed side are open. Output: its node, limit and unit, and at a point
its value with its band and the chance that the requirement holds. Of a requirement with a counterpart on the calendar
all of this is that of the counterpart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import evolve, frozen

from llmplan.advice.trial import Posed
from llmplan.answer.schema.charts import Axis, CurvePoint
from llmplan.check import ir
from llmplan.check.program import Rule
from llmplan.check.scope import Scope
from llmplan.system.assumptions import assumed_rates
from llmplan.system.calendar import as_planned, on_the_calendar, written
from llmplan.system.comparison import comparison_of
from llmplan.system.display import TURNED, amount
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.uncertainty.bands import Bands, around, verdict
from llmplan.uncertainty.ranges import Ranges, has_ranges
from llmplan.units.amount import Amount
from llmplan.units.measure import Measure

_TURNED = {**TURNED, "eq": "eq"}


@frozen
class BoundedSide:
    """The computed side of a requirement.

    Attributes:
        name: Its name, empty for an expression; `text` as written.
        operation: The comparison of the side with the limit.
        rates: What it rests on and the plan assumes as one value.
        planned: Of a side on the calendar the same as planned.
        type, unit: Those in which both are shown.
    """

    rule: Rule
    sides: ir.Sides
    expression: ir.Expr
    name: str
    text: str
    node: int
    operation: str
    limit: float
    type: Measure
    unit: str
    rates: tuple[str, ...] = ()
    planned: BoundedSide | None = None

    def shown(self, value: float, scope: Scope) -> Amount:
        return amount(value, self.type, scope, self.unit)

    def told(self, empty: CurvePoint, posed: Posed, point: dict[int, float]) -> CurvePoint:
        """A point of a curve with its value added; unchanged if that is not a number."""
        lowering, base = posed.lowering, self.rule.place[0]
        condition = lowering.lower(self.rule.condition, {}, base=base)
        value, band = self._at(posed, point)
        if not math.isfinite(value) or isinstance(condition, Missing):
            return empty
        known = posed.values([condition], point)
        planned, planned_band = (math.nan, None) if self.planned is None else self.planned._at(posed, point)
        spread = None
        chance = None
        if has_ranges(lowering.program):
            ranges = Ranges(lowering, posed.system.by_path(point))
            spread = ranges.ends(ranges.lowering.lower(self.expression, {}, base=base))
            chance = None if self.rates else Bands(posed.at(point)).chance(self.rule, spread is not None)
            chance = chance if chance not in (0.0, 1.0) else None  # a certain requirement has no chance to show
        elif band is not None and self.operation != "eq" and not self.rates:
            chance = self._chance(posed, point)
        return evolve(
            empty,
            result=self.shown(value, lowering.scope),
            low=spread[0] if spread else None,
            high=spread[1] if spread else None,
            model_low=band[0] if band else None,
            model_high=band[1] if band else None,
            planned=self.shown(planned, lowering.scope) if math.isfinite(planned) else None,
            planned_low=planned_band[0] if planned_band else None,
            planned_high=planned_band[1] if planned_band else None,
            chance=chance,
            verdict=verdict(
                known[condition] == 1.0, chance, bool(self.rates) or self.operation == "eq" and band is not None
            ),
            results=self._results(posed, point),
        )

    def _at(self, posed: Posed, point: dict[int, float]) -> tuple[float, tuple[float, float] | None]:
        """The value at a point, and its band."""
        ends = [end for pair in self._ends(posed.lowering) for end in pair]
        known = posed.values([self.node, *ends], point)
        value = known[self.node]
        pairs = [(known[low], known[high]) for low, high in zip(ends[::2], ends[1::2])]
        finite = bool(pairs) and all(map(math.isfinite, (value, *pairs[0], *pairs[-1])))
        return value, around(value, pairs) if finite else None

    def _results(self, posed: Posed, point: dict[int, float]) -> dict[str, Amount]:
        """What plans are compared by and its counterparts on the calendar."""
        scope, found = posed.lowering.scope, {}
        names = [name for pair in scope.calendar.items() if pair[0] in scope.compared for name in pair]
        nodes = {name: posed.lowering.name(name) for name in names}
        known = {name: node for name, node in nodes.items() if not isinstance(node, Missing)}
        values = posed.values(known.values(), point)
        for name, node in known.items():
            quantity = scope.quantities[name]
            if math.isfinite(values[node]):
                found[name] = amount(values[node], quantity.type, scope, quantity.unit)
        return found

    def _ends(self, lowering: Lowering) -> Sequence[tuple[int, int]]:
        """The computed side at either end of each band."""
        pairs = []
        for banded in lowering.scope.banded:
            lowerings = [lowering.at_end((banded, at)) for at in (0, 1)]
            low, high = (one.lower(self.expression, {}, base=self.rule.place[0]) for one in lowerings)
            if isinstance(low, Missing) or isinstance(high, Missing):
                return ()
            pairs.append((low, high))
        return pairs

    def _chance(self, posed: Posed, point: dict[int, float]) -> float | None:
        node = posed.lowering.probability(self.sides, self.rule.place[0])
        chance = math.nan if isinstance(node, Missing) else posed.values((node,), point)[node]
        return chance if math.isfinite(chance) else None


def bounded_side(lowering: Lowering, rule: Rule, judged: bool) -> BoundedSide | None:
    """The limited side of a requirement; None if it does not compare an open value with a known one.

    Args:
        judged: Whether the requirement is judged by its counterpart on the calendar, whose side is then limited.
    """
    counterpart = on_the_calendar(lowering.program, rule) if judged else None
    found = None if counterpart is None else _bounded_side(lowering, counterpart)
    if found is not None:
        planned = _bounded_side(lowering, rule)
        return evolve(found, text=written(lowering.scope.calendar, found.text), planned=planned)
    found, planned_rule = _bounded_side(lowering, rule), as_planned(lowering.program, rule)
    if found is None or planned_rule is None:
        return found
    return evolve(found, planned=_bounded_side(lowering, planned_rule))


def _bounded_side(lowering: Lowering, rule: Rule) -> BoundedSide | None:
    compared = comparison_of(rule, lowering.scope, _TURNED)
    if compared is None:
        return None
    sides = compared.sides
    nodes = [lowering.lower(side, {}, base=rule.place[0]) for side in (sides.left, sides.right)]
    known = [None if isinstance(node, Missing) else lowering.graph.constant(node) for node in nodes]
    if (known[0] is None) == (known[1] is None):
        return None
    side = 0 if known[0] is None else 1
    node, limit, expression = nodes[side], known[1 - side], (sides.left, sides.right)[side]
    if isinstance(node, Missing) or limit is None or not math.isfinite(limit):
        return None
    name = expression.name if isinstance(expression, ir.Ref) else ""
    operation = sides.operation if side == 0 else _TURNED[sides.operation]
    text = compared.text(expression)
    return BoundedSide(
        rule, sides, expression, name, text, node, operation, limit, compared.type, compared.unit,
        assumed_rates(lowering, rule),
    )  # fmt: skip


def axis(name: str, shown: Amount) -> Axis:
    """An axis in the unit in which its values are written; a magnitude (`1T tokens`) is left out."""
    written = shown.written()
    if isinstance(written, str):
        return Axis(name, "")
    if written.suffix == "%":
        return Axis(name, "%", written.size)
    return Axis(name, written.unit, 1.0 if written.suffix else written.size)
