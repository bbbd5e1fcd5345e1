"""The engine of `measured`: what was read of earlier runs moves the library's constants.

Input: a lowering of a plan with its measured runs. Output: the plan with what they do to its quantities,
and diagnostics.

A run is the plan as it is written with the statement's values over it, computed by the same equations: what `--set`,
scenarios or sweeps vary is not part of it. With e the logarithms of what was read over what the library says, J their
derivatives by the logarithms of the constants, and S the variances of these by their priors (`@prior`), the posterior
is that of a ridge regression,

    shift = S J' M^-1 e,    M = J S J' + noise,

in which runs share a constant as far as they are alike (`@alike`), and move it in a plan as far as that is like them.
The noise is what readings of one configuration differ by (`@scatter`). Bands (`@within`) lose what is then known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

from attrs import evolve

from llmplan.check.overrides import varied
from llmplan.check.plan import Program
from llmplan.check.program import Alike, Holding, MeasuredRun, Moved, Narrowed, Near, Opened, Shifted
from llmplan.diagnostics import Diagnostic, names
from llmplan.system.evaluate import evaluate
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.system.unknowns import UNSOLVED
from llmplan.uncertainty.ridge import SIGMAS, Kernel, Reading, amounts, distinct, inverse_of
from llmplan.units.measure import BOOL

_STEP = 1e-5
"""By how much the logarithm of a constant is changed to see what it moves."""

_LEAST = 1e-6
"""The least standard deviation of a reading."""

_VARIED = frozenset(("--set", "scenario", "sweep"))


def applied(lowering: Lowering) -> tuple[Program, list[Diagnostic]]:
    """A plan with what its measured runs do to its quantities; runs that say nothing are told.

    Args:
        lowering: Of the plan as it is without them.
    """
    program = lowering.program
    if not program.measured:
        return program, []
    engine = _Engine(lowering)
    return engine.applied(), engine.diagnostics


class _Engine:
    """The runs of one plan, always in the order of their names."""

    def __init__(self, lowering: Lowering) -> None:
        self.base = lowering
        self.program, self.scope = lowering.program, lowering.scope
        self.diagnostics: list[Diagnostic] = []
        measured = self.program.measured
        self.runs = [measured[name] for name in sorted(measured) if measured[name].readings]
        self.constants = sorted(self.scope.priors)
        # Numbers that no unknown of the plan or of a run has.
        first = lowering.graph.ranged + sum(len(run.settings) for run in self.runs)
        self.variables = [first + number for number in range(len(self.constants))]

    def applied(self) -> Program:
        """The plan with what the runs do to its quantities."""
        self.lowerings = [self._lowered(run) for run in self.runs]
        self.same = [{name: self._said(one, name) for name in self.scope.alike} for one in self.lowerings]
        holding = self._holding()
        if holding:
            self.lowerings = [self._lowered(run, holding) for run in self.runs]
        self.kernel = self._kernel()
        seen = [self._readings(number) for number in range(len(self.runs))]
        readings = [reading for found in seen for reading in distinct([one for _, one in found if any(one.slopes)])]
        inverse = inverse_of(readings, self.kernel, self.same)
        shifts = amounts(readings, self.kernel, inverse)
        moved: dict[str, Moved] = {**holding, **self._shifted(readings, shifts), **self._narrowed(readings, inverse)}
        measured = dict(self.program.measured)
        for number, (run, found) in enumerate(zip(self.runs, seen)):
            compared = [self._compared(number, name, reading, readings, shifts) for name, reading in found]
            measured[run.name] = evolve(run, near=self._near(number, self._parts()), compared=tuple(compared))
        return evolve(self.program, moved=moved, measured=measured)

    # A run as a plan

    def _lowered(self, run: MeasuredRun, holding: Mapping[str, Moved] | None = None) -> Lowering:
        """The plan as it is written with a run's values over it, with each constant as a variable."""
        plain = {
            path: [ranked for ranked in layers if ranked[0] not in _VARIED]
            for path, layers in self.program.settings.items()
        }
        # A rate that the plan assumes is what the run has measured.
        assumed = {path: at for path, at in self.program.assumptions.items() if path not in self.scope.scatter}
        bare = evolve(self.program, settings=plain, assumptions=assumed)
        opened = {name: Opened(index, run.place) for name, index in zip(self.constants, self.variables)}
        moved: dict[str, Moved] = {**(holding or {}), **opened}
        return self.base.again(evolve(varied(bare, "scenario", run.settings), moved=moved), fixed={})

    def _said(self, lowering: Lowering, name: str) -> tuple[tuple[str, float | None], ...]:
        """The values that plans have in common with a run if they are alike by a quantity."""
        return tuple((path, self._number(lowering, path)) for path in self.scope.alike[name])

    def _number(self, lowering: Lowering, name: str) -> float | None:
        node = lowering.unknowns.settled(lowering.name(name))
        if isinstance(node, Missing):
            return None
        value = evaluate(lowering.graph, dict.fromkeys(self.variables, 0.0), [node])[node]
        return value if math.isfinite(value) else None

    def _holding(self) -> dict[str, Moved]:
        """The truth values that runs decide."""
        found: dict[str, Moved] = {}
        for name in [name for name in self.scope.alike if self.scope.quantities[name].type == BOOL]:
            telling = [number for number in range(len(self.runs)) if self._tells(number, name)]
            if telling:
                runs = tuple((Alike(self.same[number][name]),) for number in telling)
                found[name] = Holding(runs, self.runs[telling[0]].place)
        return found

    def _tells(self, number: int, truth: str) -> bool:
        """Whether something was read of a run that does not depend on a truth value, as times of the calendar do."""
        lowering = self.lowerings[number]
        for name in self.runs[number].readings:
            value, read = lowering.names.reading(partial(lowering.name, name))
            if not isinstance(value, Missing) and truth not in read:
                return True
        return False

    def _kernel(self) -> Kernel:
        """Which constants the runs share, by the library's quantities."""
        priors, alike = self.scope.priors, self.scope.alike
        general = [n for n in alike if n not in priors and self.scope.quantities[n].type != BOOL]
        shares = {name: self._number(self.lowerings[0], name) or 0.0 for name in general} if self.lowerings else {}
        variances = tuple((math.log(priors[name]) / SIGMAS) ** 2 for name in self.constants)
        return Kernel(variances, shares, tuple(name if name in alike else "" for name in self.constants))

    def _parts(self) -> dict[str, float]:
        """All quantities by which a plan can be near enough to a run to be moved."""
        return {part: 1.0 for number in range(len(self.constants)) for part in self.kernel.parts(number)}

    # What was read

    def _readings(self, number: int) -> list[tuple[str, Reading]]:
        """What was read of a run and the library computes, by name."""
        run, lowering = self.runs[number], self.lowerings[number]
        found, lacking = [], None
        for name, setting in run.readings.items():
            seen = None if setting.value is None else lowering.worth(setting.value, setting.place[0])
            node = lowering.unknowns.settled(lowering.name(name))
            needs = node.needs if isinstance(node, Missing) else self._open(lowering, node)
            if isinstance(node, Missing) or needs:
                lacking = lacking or (needs, name)
                continue
            value, slopes = self._slopes(lowering, node)
            if seen is None or not math.isfinite(value) or min(seen, value) <= 0.0:
                lacking = lacking or ((), name)
                continue
            noise = math.log(self._number(lowering, self.scope.scatter[name]) or 1.0)
            found.append((name, Reading(number, math.log(seen / value), slopes, max(noise, _LEAST))))
        if lacking is not None:
            self.diagnostics.append(names.moves_nothing(self.scope.span(run.place), run.name, *lacking))
        return found

    def _open(self, lowering: Lowering, node: int) -> tuple[str, ...]:
        """The inputs that neither plan nor run decides and on which a value depends."""
        reach = lowering.graph.reach(node) >> UNSOLVED
        return tuple(path for at, path in enumerate(lowering.unknowns.unsolved) if reach >> at & 1)

    def _slopes(self, lowering: Lowering, node: int) -> tuple[float, tuple[float, ...]]:
        """A value of a run, and its logarithm's derivatives by those of the constants."""
        graph = lowering.graph
        rest = dict.fromkeys(self.variables, 0.0)
        value = evaluate(graph, rest, [node])[node]
        slopes = []
        for index in self.variables:
            reached = graph.reach(node) >> index & 1 and value > 0.0
            there = evaluate(graph, {**rest, index: _STEP}, [node])[node] if reached else value
            slopes.append(math.log(there / value) / _STEP if there != value else 0.0)
        return value, tuple(slopes)

    # What the runs do

    def _near(self, run: int, parts: Mapping[str, float]) -> Near:
        return tuple(Alike(self.same[run][part], weight) for part, weight in parts.items())

    def _shifted(self, readings: Sequence[Reading], shifts: Sequence[Sequence[float]]) -> dict[str, Moved]:
        found: dict[str, Moved] = {}
        for number, name in enumerate(self.constants):
            by_run = [
                math.fsum(amount for amount, one in zip(shifts[number], readings) if one.run == run)
                for run in range(len(self.runs))
            ]
            if any(by_run):
                said = max(range(len(by_run)), key=lambda run: abs(by_run[run]))
                parts = self.kernel.parts(number)
                runs = tuple((self._near(run, parts), amount) for run, amount in enumerate(by_run) if amount)
                found[name] = Shifted(runs, self.runs[said].place)
        return found

    def _narrowed(self, readings: Sequence[Reading], inverse: Sequence[Sequence[float]]) -> dict[str, Moved]:
        """The ends of bands: what a plan has in common with readings is taken to be what their runs have."""
        found: dict[str, Moved] = {}
        for banded in self.scope.banded:
            slopes = [self._slopes_of(lowering, banded) for lowering in self.lowerings]
            runs = tuple(self._near(one.run, self.kernel.common(slopes[one.run], one.slopes)) for one in readings)
            if not any(runs):
                continue
            spread = (
                self._number(self.lowerings[0], self.scope.scatter[banded]) if banded in self.scope.scatter else 1.0
            )
            ends = [end for a in self.scope.quantities[banded].alternatives for end in a.within or ()]
            narrowed = Narrowed(runs, tuple(map(tuple, inverse)), math.log(spread or 1.0), self.runs[0].place)
            found.update(dict.fromkeys(ends, narrowed))
        return found

    def _slopes_of(self, lowering: Lowering, name: str) -> tuple[float, ...]:
        node = lowering.unknowns.settled(lowering.name(name))
        if isinstance(node, Missing) or self._open(lowering, node):
            return (0.0,) * len(self.constants)
        return self._slopes(lowering, node)[1]

    def _compared(
        self, run: int, name: str, reading: Reading, readings: Sequence[Reading], shifts: Sequence[Sequence[float]]
    ) -> tuple[str, float, float, float]:
        """A reading beside what the library says of it without and with all runs."""
        lowering = self.lowerings[run]
        node = lowering.unknowns.settled(lowering.name(name))
        assert not isinstance(node, Missing)
        point = {}
        for number, index in enumerate(self.variables):
            parts = self.kernel.parts(number)
            point[index] = math.fsum(
                amount * weight
                for amount, other in zip(shifts[number], readings)
                for part, weight in parts.items()
                if self.same[run][part] == self.same[other.run][part]
            )
        before, after = (
            evaluate(lowering.graph, at, [node])[node] for at in (dict.fromkeys(self.variables, 0.0), point)
        )
        return name, before * math.exp(reading.error), before, after
