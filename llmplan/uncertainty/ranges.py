"""A solved plan in which some inputs are ranges: bounds of the results, and the requirements that always hold."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence

from attrs import frozen

from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.operations import TOLERANCE, Interval
from llmplan.system.evaluate import evaluate
from llmplan.system.intervals import BOXES, Parts, bounds
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing, Result
from llmplan.system.range_points import Spreads

_HALVINGS = 600
"""How often the box of the ranges is halved in search of a point at which a requirement fails."""

Box = tuple[Interval, ...]


@frozen
class Found:
    """What a search over the ranges has found.

    Attributes:
        holds: Whether a requirement is proved to hold at every point.
        bounded: If it is not, and no point is found, whether its sides have bounds wherever that is open.
        point: A point at which it fails.
    """

    holds: bool
    bounded: bool = True
    point: Sequence[float] | None = None


class Ranges:
    """Bounds of names and requirements of a plan, with each range as a variable of its graph.

    Args:
        lowering: The plan's lowering.
        point: The solved unknowns, decided at the expected values.
    """

    def __init__(self, lowering: Lowering, point: Mapping[str, float]) -> None:
        self.spreads = Spreads(None)
        self._parts: Parts = {}
        self.lowering = lowering.again(fixed=point, spreads=self.spreads)

    def box(self) -> list[Interval]:
        """The ends of each range."""
        return list(self.spreads.found.values())

    def _bounds(self, node: int) -> Interval | None:
        return bounds(self.lowering.graph, node, self.box(), self._parts)

    def ends(self, value: Result) -> Interval | None:
        """The ends of a value, if it depends on any range and they are known."""
        node = self.lowering.unknowns.settled(value)
        if isinstance(node, Missing) or not self.lowering.graph.reach(node):
            return None
        return self._bounds(node)

    def unbounded(self, value: Result) -> bool:
        """Whether a value has no bounds, as it may have no value somewhere in the ranges."""
        node = self.lowering.unknowns.settled(value)
        if isinstance(node, Missing) or not self.lowering.graph.reach(node):
            return False
        found = self._bounds(node)
        return found is None or math.isinf(found[0]) or math.isinf(found[1])

    def when(self, rule: Rule) -> int | None:
        """Whether a requirement applies; None if that is not known."""
        graph = self.lowering.graph
        node = graph.const(1.0) if rule.when is None else self.lowering.lower(rule.when, {}, base=rule.place[0])
        return None if isinstance(node, Missing) else node

    def applies(self, rule: Rule) -> bool:
        """Whether a requirement may apply somewhere in the ranges."""
        when = self.when(rule)
        return when is not None and self._bounds(when) != (0.0, 0.0)

    def nodes(self, rule: Rule) -> tuple[int | None, int | None]:
        """Whether a requirement holds or does not apply, and the slack of a comparison, which is infinite there.

        None if there is none.
        """
        graph = self.lowering.graph
        condition = self.lowering.lower(rule.condition, {}, base=rule.place[0])
        when, sides = self.when(rule), self.sides(rule)
        if isinstance(condition, Missing) or when is None:
            return None, None
        holds = graph.add("or", graph.add("not", when), condition)
        if sides is None:
            return holds, None
        return holds, graph.add("select", when, graph.add("sub", sides[1], sides[0]), graph.const(math.inf))

    def sides(self, rule: Rule) -> tuple[int, int] | None:
        """The side of a comparison by size that must be the smaller one, and the other."""
        if rule.sides is None or rule.sides.operation not in ("le", "lt", "ge", "gt"):
            return None
        left = self.lowering.lower(rule.sides.left, {}, base=rule.place[0])
        right = self.lowering.lower(rule.sides.right, {}, base=rule.place[0])
        if isinstance(left, Missing) or isinstance(right, Missing):
            return None
        return (left, right) if rule.sides.operation in ("le", "lt") else (right, left)

    def always(self, rule: Rule) -> bool:
        """Whether a requirement is proved to hold at every point of the ranges, or is not required at all."""
        self.nodes(rule)  # so that all its ranges are met
        if self._holds(rule, self.box(), BOXES):
            return True
        if not rule.certain:
            return False
        found = self.search(rule)
        return found.holds or found.point is None and found.bounded

    def search(self, rule: Rule) -> Found:
        """A point of the ranges at which a requirement fails, or the proof that there is none.

        The box is halved again and again, where the bounds are worst; so a pole is found however narrow it is.
        """
        (holds, _), box = self.nodes(rule), tuple(self.box())
        if holds is None:
            return Found(self.applies(rule) is False)
        heap: list[tuple[float, int, Box]] = [(-math.inf, 0, box)]
        for count in range(_HALVINGS):
            if not heap:
                return Found(True)
            _, _, part = heapq.heappop(heap)
            for point in (
                [low for low, _ in part],
                [high for _, high in part],
                [(low + high) / 2 for low, high in part],
                [0.0 if low < 0.0 < high else low for low, high in part],  # the usual pole, which halving never meets
            ):
                if evaluate(self.lowering.graph, dict(enumerate(point)), (holds,))[holds] != 1.0:
                    return Found(False, point=point)
            halves = _halved(part, box)
            if halves is None:
                return Found(False, self._excess(rule, part) < math.inf)
            for number, half in enumerate(halves):
                if not self._holds(rule, half, 1):
                    heapq.heappush(heap, (-self._excess(rule, half), 2 * count + number + 1, half))
        return Found(False, all(excess > -math.inf for excess, _, _ in heap))

    def _holds(self, rule: Rule, box: Sequence[Interval], boxes: int) -> bool:
        """Whether a requirement is proved to hold over a box, or not to apply there."""
        graph, when, sides = self.lowering.graph, self.when(rule), self.sides(rule)
        parts = self._parts if boxes > 1 else None
        if when is None or bounds(graph, when, box, parts, boxes) == (0.0, 0.0):
            return True
        if sides is None:
            holds, _ = self.nodes(rule)
            return holds is not None and bounds(graph, holds, box, parts, boxes) == (1.0, 1.0)
        left, right = sides
        found = bounds(graph, graph.add("sub", left, right), box, parts, boxes)
        size = bounds(graph, right, box, parts, boxes)
        if found is None or size is None or rule.sides is None:
            return False
        slack = TOLERANCE * max(abs(size[0]), abs(size[1]))
        return found[1] <= slack if rule.sides.operation in ("le", "ge") else found[1] < 0.0

    def _excess(self, rule: Rule, box: Sequence[Interval]) -> float:
        """The most by which one side of a comparison may exceed the other over a box; infinite if that is not known."""
        sides = self.sides(rule)
        if sides is None:
            return 0.0
        found = bounds(self.lowering.graph, self.lowering.graph.add("sub", *sides), box, None, 1)
        return math.inf if found is None or found[1] != found[1] else found[1]


def _halved(part: Box, whole: Box) -> tuple[Box, Box] | None:
    """A box halved along the axis along which least of the whole was cut off; None if it is a point."""
    open_axes = [at for at, (low, high) in enumerate(part) if low < (low + high) / 2 < high]
    if not open_axes:
        return None
    axis = max(open_axes, key=lambda at: (part[at][1] - part[at][0]) / (whole[at][1] - whole[at][0]))
    low, high = part[axis]
    middle = (low + high) / 2
    first, second = ((*part[:axis], half, *part[axis + 1 :]) for half in ((low, middle), (middle, high)))
    return first, second


def has_ranges(program: Program) -> bool:
    """True if the plan sets or assumes a range."""
    return any(setting.spread is not None for _, setting in program.strongest())
