"""A mean, a probability or a quantile over uncertain values: a node of the graph that holds its own small program.

Input: a node that depends on variables of `Draws`. Output: a node that depends on them no longer: its arguments are the
values below that come from elsewhere, and its table is the program from these and the variables to the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from attrs import field, frozen

from llmplan.operations.chances import QUANTILE
from llmplan.system.draws import Draws
from llmplan.system.evaluate import ancestors
from llmplan.system.graph import Graph

Kind = Literal["mean", "truth", "quantile"]
"""The mean of a probability that is smooth, that of a truth value, or the value below which a share lies."""

EXACT_ENOUGH = 0.005
"""The error of a probability from which an answer says so."""

POINTS = 2_000
"""The points at which an integral is evaluated at least."""

Step = tuple[str, tuple[int, ...], Any]


@frozen
class Integral:
    """A program over uncertain values.

    Its places hold the variables, the constants, the arguments, then the results of the steps.

    Attributes:
        bands: For each variable whether it is the deviate of a band; otherwise it is the share of a range.
        arguments: The number of arguments; for a quantile the first is the share and has no place.
        root: The place of the value.
    """

    kind: Kind
    bands: tuple[bool, ...]
    constants: tuple[str, ...]  # as texts, so that NaN equals itself
    arguments: int
    steps: tuple[Step, ...]
    root: int
    _hash: int = field(init=False, eq=False, repr=False)

    @_hash.default
    def _hashed(self) -> int:
        return hash((self.kind, self.bands, self.constants, self.steps, self.root))

    def __hash__(self) -> int:
        return self._hash

    @property
    def unbounded(self) -> bool:
        return self.kind == "quantile"

    @property
    def weight(self) -> int:
        """What it costs at one point, in evaluations."""
        return (QUANTILE // 2 if self.kind == "quantile" else POINTS) * len(self.steps)

    def value(self, args: Sequence[float]) -> float:
        return self.within(args)[0]

    def within(self, args: Sequence[float]) -> tuple[float, float]:
        """The value, and a bound on its error."""
        from llmplan.system import lattice  # numpy, only where something is integrated

        values, errors = lattice.integrate(self, [lattice.row(arg) for arg in args])
        return float(values[0]), float(errors[0])

    def values(self, args: Sequence[Any]) -> Any:
        """The values at many points."""
        from llmplan.system import lattice

        return lattice.over(self, args)


def integral(graph: Graph, kind: Kind, root: int, draws: Draws, share: int | None = None) -> tuple[int, float]:
    """The node of an integral over all that a node depends on, and a bound on its error if it is a number.

    Args:
        share: For a quantile the node of the share.
    """
    order = [index for index in ancestors(graph, (root,)) if graph.varies(index)]
    names = {graph.ranged + number: name for name, number in draws.found.items()}
    # In an order that no spelling changes: bands first.
    variables = sorted(
        (index for index in order if graph[index].op == "unknown"),
        key=lambda index: (not names[int(graph[index].value or 0)][1], names[int(graph[index].value or 0)][0]),
    )
    inner = [index for index in order if graph[index].op != "unknown"]
    leaves = sorted({arg for index in inner for arg in graph[index].args if not graph.varies(arg)})
    numbers = [index for index in leaves if graph.constant(index) is not None]
    arguments = [index for index in leaves if graph.constant(index) is None]
    place = {index: at for at, index in enumerate((*variables, *numbers, *arguments, *inner))}
    steps = [(graph[index].op, tuple(place[arg] for arg in graph[index].args), graph[index].table) for index in inner]
    made = Integral(
        kind,
        tuple(names[int(graph[index].value or 0)][1] for index in variables),
        tuple(repr(graph.constant(index)) for index in numbers),
        len(arguments) + (share is not None),
        tuple(steps),
        place[root],
    )
    args = (share, *arguments) if share is not None else tuple(arguments)
    known = [graph.constant(arg) for arg in args]
    if any(value is None for value in known):
        return graph.tabled("integral", args, made), 0.0
    key = made, tuple(map(repr, known))
    if key not in graph.integrals:
        graph.integrals[key] = made.within([value for value in known if value is not None])
    value, error = graph.integrals[key]
    return graph.const(value), error
