"""What one measured run is worth: each published run as the only `measured` of the others of its table.

    python benchmarks/measured_runs.py [CASES.jsonl] [--write]

The engine is the library's (llmplan/uncertainty/ridge.py), with the widths, shares and noise that
plans/std/measured.plan states; constants are those fitted without the table, so that nobody has seen the runs that are
predicted. A near run has the model, the accelerator and the precision of the plan, a far one not. Of a table each run
that is predicted counts once, however many others it can be predicted from; three runs are drawn at random, with a
fixed seed.

The script also says what chose the two shares of measured.plan: the share for plans of other models is the largest, in
steps of a tenth, with which one far run makes no table's median error grow by more than 0.3 points. With any one table
left out 19 of 20 times the same is chosen; without the one that binds, of six runs in fp8, 0.6. With --write the table
stands in docs/calibrate.md.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import NormalDist

import numpy as np
from attrs import evolve, frozen

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.fit_time import Fit, left_out
from benchmarks.joined import Row, joined_rows
from benchmarks.judging import CASES, DATA, TESTS
from benchmarks.read.case import settings
from benchmarks.read.plain import measured_of
from benchmarks.read.record import Inexpressible
from llmplan.backtest.base import Base, Refused
from llmplan.check.program import Alike, Narrowed
from llmplan.system.as_measured import as_measured
from llmplan.system.graph import Graph
from llmplan.system.missing import Missing
from llmplan.uncertainty.ridge import SIGMAS, Kernel, Reading, Sameness, amounts, inverse_of
from llmplan.units.measure import BOOL

PAGE = Path(__file__).resolve().parents[1] / "docs" / "calibrate.md"
START, END = "<!-- Written by `python benchmarks/measured_runs.py --write`. -->\n", "<!-- End of what is written. -->\n"
FEWEST = 4
"""Runs of a table, at least."""

DRAWN = 12
"""How many sets of three a run is predicted from, at most."""

STEP = 1e-4
MEMORY_NOISE = 0.03


@frozen
class Measured:
    """A run that can be read and predicted.

    Attributes:
        error: The logarithm of measured over predicted, by constants fitted without its table.
        slopes: By constant.
        same: By quantity with `@alike` the values that plans must have in common with it.
        band: The library's ends of the step time, as factors.
    """

    row: Row
    error: float
    slopes: tuple[float, ...]
    same: Sameness
    band: tuple[float, float]

    def near(self, other: Measured) -> bool:
        """Whether both have the same model, accelerator and precision."""
        return (self.row.model, self.row.gpu, self.row.cell[-1]) == (other.row.model, other.row.gpu, other.row.cell[-1])


@frozen
class Library:
    """What the library says of measured runs."""

    kernel: Kernel
    constants: tuple[str, ...]
    noise: float

    @staticmethod
    def of(base: Base, names: Sequence[str]) -> Library:
        """Of the constants on which step times depend."""
        scope, values = base.program.scope, base.values({})
        alike = [n for n in scope.alike if n not in scope.priors and scope.quantities[n].type != BOOL]
        kernel = Kernel(
            tuple((math.log(scope.priors[name]) / SIGMAS) ** 2 for name in names),
            {name: values.number(name) for name in alike},
            tuple(name if name in scope.alike else "" for name in names),
        )
        return Library(kernel, tuple(names), math.log(values.number(scope.scatter["step_time"])))


def measured_runs(path: str | Path) -> tuple[Library, list[Measured]]:
    """The runs of a file that the fit counts, with what the engine has to know of each."""
    base = Base.of()
    scope, now = base.program.scope, base.values({})
    opened = "".join(f"assume {n} = ? in 0.0 {_unit(base, n)}..1e6 {_unit(base, n)}\n" for n in scope.priors)
    rows, data = joined_rows(path, opened)
    library = Library.of(base, data.names)
    start = {name: now.number(name) for name in data.names}
    fitted = np.array([row.fitted for row in rows])
    errors, _ = left_out(Fit(data), fitted, lambda row: row.group, start)
    points = np.array([[start[name] for name in data.names]] * (1 + len(data.names)))
    for number in range(len(data.names)):
        points[number + 1, number] *= math.exp(STEP)
    logs = np.log(data.times(points))
    slopes = (logs[:, 1:] - logs[:, :1]) / STEP
    facts = dict(_facts(path, base))
    found = [
        Measured(row, -float(error), tuple(map(float, slope)), *facts[row.id])
        for row, error, slope, counts in zip(rows, errors, slopes, fitted)
        if counts and not row.group.startswith(TESTS)
    ]
    return library, found


def _unit(base: Base, name: str) -> str:
    unit = base.program.scope.quantities[name].unit
    return unit if unit != "Real" else ""


def _facts(path: str | Path, base: Base) -> Iterator[tuple[str, tuple[Sameness, tuple[float, float]]]]:
    """By run what plans must have in common with it, and its band."""
    alike = base.program.scope.alike
    with open(path, encoding="utf-8") as file:
        for line in file:
            case = json.loads(line)
            try:
                values = base.values(settings(case, base.knows))
                band = values.number("step.low"), values.number("step.high")
            except (Inexpressible, Refused):
                continue
            said = {}
            for name in {name for inputs in alike.values() for name in inputs}:
                node = values.lowering.unknowns.settled(values.lowering.name(name))
                said[name] = None if isinstance(node, Missing) else values.lowering.graph.constant(node)
            yield case["id"], ({name: tuple((i, said[i]) for i in inputs) for name, inputs in alike.items()}, band)


@frozen
class Guess:
    """A run predicted from others.

    Attributes:
        plain, error: The logarithms of measured over predicted, without and with these.
        held, band: Whether it lies in its band with these, and the band's width, as a factor; `plainly` without.
        weight: Its share, where it is predicted from several.
    """

    group: str
    plain: float
    error: float
    held: bool
    band: float
    plainly: bool
    weight: float


def guess(library: Library, run: Measured, others: Sequence[Measured], weight: float) -> Guess:
    """A run by the library that has measured others."""
    readings = [Reading(n, one.error, one.slopes, library.noise) for n, one in enumerate(others)]
    same = [one.same for one in others]
    inverse = inverse_of(readings, library.kernel, same)
    shifts = amounts(readings, library.kernel, inverse)
    moved = math.fsum(
        run.slopes[number] * amount * part_weight
        for number in range(len(library.constants))
        for amount, reading in zip(shifts[number], readings)
        for part, part_weight in library.kernel.parts(number).items()
        if amount and run.same[part] == same[reading.run][part]
    )
    shares = [
        tuple(
            Alike((), value if run.same[part] == same[one.run][part] else 0.0)
            for part, value in library.kernel.common(one.slopes, one.slopes).items()
        )
        for one in readings
    ]
    narrowed = Narrowed(tuple(shares), tuple(map(tuple, inverse)), library.noise, ("", 0, 0))
    low, high = (_end(end, narrowed) for end in run.band)
    error = run.error - moved
    held = low <= math.exp(error) <= high
    plainly = run.band[0] <= math.exp(run.error) <= run.band[1]
    return Guess(run.row.group, run.error, error, held, high / low, plainly, weight)


def _end(end: float, narrowed: Narrowed) -> float:
    graph = Graph()
    node = as_measured(graph, lambda near: graph.const(sum(one.weight for one in near)), graph.const(end), narrowed)
    return graph.constant(node) or math.nan


Choice = Callable[[Measured, Measured], bool]


def guesses(library: Library, runs: Sequence[Measured], choice: Choice, count: int) -> list[Guess]:
    """Every run by so many others of its table."""
    tables: dict[str, list[Measured]] = defaultdict(list)
    for run in runs:
        tables[run.row.group].append(run)
    dice, found = random.Random(0), []
    for table in (table for table in tables.values() if len(table) >= FEWEST):
        for run in table:
            others = [one for one in table if one is not run and choice(run, one)]
            if len(others) < count:
                continue
            sets = [[one] for one in others] if count == 1 else [dice.sample(others, count) for _ in range(DRAWN)]
            found += [guess(library, run, chosen, 1 / len(sets)) for chosen in sets]
    return found


def quantile(values: Sequence[float], weights: Sequence[float], share: float) -> float:
    """The value below which a share of the weight lies."""
    pairs = sorted(zip(values, weights))
    limit, total = share * math.fsum(weights), 0.0
    for value, weight in pairs:
        total += weight
        if total >= limit:
            return value
    return pairs[-1][0]


def errors(found: Sequence[Guess], of: Callable[[Guess], float]) -> tuple[float, float]:
    """The median and nine of ten of relative errors."""
    sizes, weights = [abs(math.expm1(-of(one))) for one in found], [one.weight for one in found]
    return quantile(sizes, weights, 0.5), quantile(sizes, weights, 0.9)


def worst(found: Sequence[Guess]) -> tuple[float, str]:
    """The table whose median error grows most, and by how much."""
    tables: dict[str, list[Guess]] = defaultdict(list)
    for one in found:
        tables[one.group].append(one)
    grown = [
        (errors(table, lambda one: one.error)[0] - errors(table, lambda one: one.plain)[0], name)
        for name, table in sorted(tables.items())
    ]
    return max(grown)


def weighted(found: Sequence[Guess], of: Callable[[Guess], float]) -> float:
    return math.fsum(of(one) * one.weight for one in found) / math.fsum(one.weight for one in found)


def near(run: Measured, other: Measured) -> bool:
    return run.near(other)


def far(run: Measured, other: Measured) -> bool:
    return not run.near(other)


def same_layout(run: Measured, other: Measured) -> bool:
    layout = "measured.of_layout"
    return run.near(other) and run.same[layout] == other.same[layout]


ROWS: tuple[tuple[str, Choice, int], ...] = (
    ("one run of the same layout", same_layout, 1),
    ("one near run", near, 1),
    ("three near runs", near, 3),
    ("one far run", far, 1),
    ("three far runs", far, 3),
)


def table(library: Library, runs: Sequence[Measured]) -> str:
    """The table of docs/calibrate.md."""
    lines = [
        "| measured | runs predicted | without | with | worst table | in the band | its width |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, choice, count in ROWS:
        found = guesses(library, runs, choice, count)
        before, after = (errors(found, of) for of in (lambda one: one.plain, lambda one: one.error))
        held = f"{weighted(found, lambda one: one.plainly):.0%} → {weighted(found, lambda one: one.held):.0%}"
        cells = [
            f"{math.fsum(one.weight for one in found):.0f}",
            *(f"{middle:.1%} / {tenth:.0%}".replace("%", " %") for middle, tenth in (before, after)),
            f"{100 * worst(found)[0]:+.1f} points".replace("-", "−"),
            held.replace("%", " %"),
            f"× {math.exp(weighted(found, lambda one: math.log(one.band))):.2f}",
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def variants(library: Library) -> Mapping[str, Library]:
    """The library, and others with another share of constants for plans that are not alike."""
    kernel = library.kernel
    model = next(name for name in kernel.shares if name.endswith("model"))
    layers = next(name for name in kernel.shares if name.endswith("layers"))
    return {
        "the library": library,
        "same model alone": evolve(library, kernel=evolve(kernel, shares={model: 1.0})),
        "same layers alone": evolve(library, kernel=evolve(kernel, shares={layers: 1.0})),
        "all plans": evolve(library, kernel=evolve(kernel, shares={"": 1.0})),
        "no constant": evolve(library, kernel=evolve(kernel, shares={})),
    }


def scatter(runs: Sequence[Measured]) -> float:
    """The standard deviation of the errors of runs of one layout, from pairs; each table counts once."""
    gaps: dict[str, list[float]] = defaultdict(list)
    for first, second in combinations(runs, 2):
        if first.row.group == second.row.group and same_layout(first, second):
            gaps[first.row.group].append(abs(first.error - second.error))
    pairs = [(gap, 1 / len(found)) for found in gaps.values() for gap in found]
    return quantile(*zip(*pairs), 0.5) / NormalDist().inv_cdf(0.75) / math.sqrt(2)


def memory(path: str | Path) -> Iterator[str]:
    """Why memory stays: errors of near and far runs of a table without, with a constant, and with a factor from one."""
    predicted = json.loads((DATA / "predicted.json").read_text(encoding="utf-8"))["rows"]
    tables: dict[tuple[str, str], list[tuple[tuple[str, ...], float, float]]] = defaultdict(list)
    with open(path, encoding="utf-8") as file:
        for line in file:
            case = json.loads(line)
            read, kept = measured_of(case)["memory_gb"], predicted.get(case["id"], {}).get("memory")
            if read and kept and case["quality"] in ("A", "B") and not case.get("suspect"):
                model = case["model"]
                like = tuple(str(one) for one in (model["layers"], model["hidden"], case["gpu"], case["precision"]))
                kind = str(case["settings"].get("reading", {}).get("kind"))
                tables[case["group"], kind].append((like, float(read), float(kept)))
    ways: dict[str, Callable[[float, float, float], float]] = {
        "without": lambda plan, read, kept: plan,
        "a constant of 1 GB": lambda plan, read, kept: plan + (read - kept) / (1 + (MEMORY_NOISE * kept) ** 2),
        "a factor of 5 %": lambda plan, read, kept: plan * (read / kept) ** (0.05**2 / (0.05**2 + MEMORY_NOISE**2)),
    }
    for name, way in ways.items():
        for nearness in (True, False):
            found = [
                (abs(way(plan, *other[1:]) / truth - 1), 1 / (len(table) - 1))
                for table in tables.values()
                for number, (like, truth, plan) in enumerate(table)
                for at, other in enumerate(table)
                if at != number and (other[0] == like) is nearness
            ]
            sizes, weights = zip(*found)
            middle, tenth = (quantile(sizes, weights, share) for share in (0.5, 0.9))
            yield f"{name:<20}{'near' if nearness else 'far':<6}{middle:>8.1%} / {tenth:.1%}"


def page(text: str, made: str) -> str:
    """docs/calibrate.md with a table in its place."""
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{made}\n{END}{after}"


def main(path: str | Path, write: bool) -> None:
    library, runs = measured_runs(path)
    runs = [evolve(run, same={**run.same, "": ()}) for run in runs]
    made = table(library, runs)
    print(made)
    print(f"{'constants hold for':<20}{'one near':>16}{'three near':>16}{'one far':>16}   worst table")
    for name, variant in variants(library).items():
        cells = []
        for _, choice, count in ROWS[1:4]:
            found = guesses(variant, runs, choice, count)
            cells.append("{:.1%} / {:.1%}".format(*errors(found, lambda one: one.error)))
        print(f"{name:<20}{cells[0]:>16}{cells[1]:>16}{cells[2]:>16}   {worst(found)[0]:+.1%} {worst(found)[1]}")
    print(f"\nruns of one layout: standard deviation {scatter(runs):.3f}")
    print("\nmemory")
    for line in memory(path):
        print(line)
    if write:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    given = [argument for argument in sys.argv[1:] if argument != "--write"]
    if len(given) > 1:
        sys.exit("usage: python benchmarks/measured_runs.py [CASES.jsonl] [--write]")
    main(given[0] if given else CASES, "--write" in sys.argv)
