"""A second lowering for formulas that people read: values that depend on no open unknown keep their names.

With `hardware.gpus` open, `time <= 30 days` becomes a relation between `tokens_total`, `mfu`, `gpu.peak_bf16` and
`hardware.gpus` instead of one between two numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llmplan.check.ir import Num
from llmplan.check.plan import Program
from llmplan.check.program import Rule, SourceRef
from llmplan.operations import OPERATIONS
from llmplan.system.display import show
from llmplan.system.graph import Graph, Node
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing, Result
from llmplan.units.measure import Measure


class SymbolGraph(Graph):
    """A graph in which operations that can be undone are not folded on named values.

    Attributes:
        names: Nodes with a name.
        values: The values of nodes that depend on no unknown and are not folded.
    """

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[int, str] = {}
        self.values: dict[int, float] = {}
        self._leaves: dict[str, int] = {}

    def leaves(self) -> dict[int, float]:
        """The named values."""
        return {node: self.values[node] for node in self._leaves.values()}

    def leaf(self, name: str, value: float) -> int:
        """A value under its name."""
        if name not in self._leaves:
            node = self.intern(Node("named", (), float(len(self._leaves))))
            self._leaves[name] = node
            self.names[node] = name
            self.values[node] = value
        return self._leaves[name]

    def constant(self, node: int) -> float | None:
        return self.values[node] if node in self.values else super().constant(node)

    def add(self, op: str, *args: int) -> int:
        if not OPERATIONS[op].inverse:
            # A choice, a comparison or a rounding is folded by value.
            return super().add(op, *(self._plain(arg) for arg in args))
        worth = [self.constant(arg) for arg in args]
        node = super().add(op, *args)
        known = [value for value in worth if value is not None]
        if len(known) == len(args) and self[node].op != "const":
            self.values.setdefault(node, OPERATIONS[op].scalar(*known))
        return node

    def _plain(self, node: int) -> int:
        return self.const(self.values[node]) if node in self.values else node


class SymbolLowering(Lowering):
    """Lowers with some unknowns open; names that do not depend on them become leaves.

    Args:
        point: Values of all other unknowns, by path.
        unknowns: The paths of the open ones; an unknown's index is its position here.
    """

    graph: SymbolGraph

    def __init__(self, program: Program, point: Mapping[str, float], unknowns: Sequence[str]) -> None:
        self.open = {path: index for index, path in enumerate(unknowns)}
        fixed = {path: value for path, value in point.items() if path not in self.open}
        super().__init__(program, fixed, graph=SymbolGraph())

    def _lower_name(self, name: str) -> Result:
        value = super()._lower_name(name)
        if name in self.open or isinstance(value, Missing):
            return value
        worth = self.graph.constant(value)
        meaning = self.scope.lookup(name)
        if worth is None or worth != worth or meaning is None or not isinstance(meaning.type, Measure):
            return value
        if worth in (0.0, 1.0):  # they vanish from a sum or a product, and would only clutter the formula
            return self.graph.const(worth)
        return self.graph.leaf(name, worth)

    def name(self, name: str, at: SourceRef | None = None) -> Result:
        if name in self.open:
            node = self.graph.unknown(self.open[name])
            self.graph.names[node] = name
            return node
        return super().name(name, at)

    def sides(self, rule: Rule) -> tuple[int, int] | None:
        """The two sides of a requirement that is a single comparison; a literal side is a leaf as well."""
        if rule.sides is None or rule.type is None:
            return None
        found = []
        for side in (rule.sides.left, rule.sides.right):
            node = self.lower(side, {}, base=rule.place[0])
            if isinstance(node, Missing):
                return None
            if isinstance(side, Num):
                node = self.graph.leaf(show(side.value, rule.type, self.scope, rule.unit), side.value)
            found.append(node)
        return found[0], found[1]
