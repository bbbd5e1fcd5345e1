"""On plan or not: what a log of a run says compared with the plan as it is written.

The run must be the one that is planned: inputs that the log says and that the plan says otherwise make it another one.
What the plan leaves open is as the log says.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import evolve, frozen

from llmplan import api, importing, run_agreement
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.values import Value
from llmplan.calibration import Log, Reader, named, names
from llmplan.check import library
from llmplan.diagnostics import Diagnostic, logs
from llmplan.logs.compared import Promise, Row, Verdict
from llmplan.logs.ending import Ending
from llmplan.logs.forms import formats
from llmplan.logs.later import Later, later
from llmplan.logs.losses import between
from llmplan.logs.readings import MFU, RATE, STEP, conditions
from llmplan.measured_run import Run
from llmplan.read.edits import Files
from llmplan.request import Request
from llmplan.run_causes import NO_CAUSE, Causes, causes, step_of
from llmplan.run_inputs import RunInputs, Said, of_solution
from llmplan.run_progress import GOODPUT, Progress, progress
from llmplan.run_requirements import as_seen, points


@frozen
class Verification:
    """Whether a run is on plan.

    Attributes:
        progress: How far the run is, where log and plan count steps.
        causes: Of a run that is not on plan why that may be.
        between: The seconds that pass after each step, which its time does not have.
        lost: The step since which the loss is no number, with its line; None where it is one, or is not told.
        later: How the log goes on after the steps that are asked for, where that is at another speed.
        promises: The plan's requirements on time and cost, of the whole run at the pace and goodput that are seen.
    """

    run: Run | None
    rows: tuple[Row, ...]
    tolerance: float | None
    diagnostics: tuple[Diagnostic, ...]
    progress: Progress | None = None
    causes: Causes = NO_CAUSE
    between: float | None = None
    lost: tuple[float, int] | None = None
    later: Later | None = None
    promises: tuple[Promise, ...] = ()

    @property
    def parts(self) -> Mapping[str, float]:
        """Seconds of the parts of a step that the log prints."""
        return {} if self.run is None or self.run.piece is None else self.run.piece.parts

    @property
    def failure(self) -> Ending | None:
        """With which the log ends, if it does."""
        return None if self.run is None else self.run.heard.telling.common.failure

    @property
    def failed(self) -> bool:
        return any(one.severity == "error" for one in self.diagnostics)

    @property
    def on_plan(self) -> bool:
        """Whether nothing is further from the plan than may be, the loss, where it is told, is a number, and the run
        meets what the plan requires of time and cost.
        """
        kept = all(one.met for one in self.promises)
        return kept and self.lost is None and not any(self.is_off(row) for row in self.rows)

    def is_off(self, row: Row) -> bool:
        """Whether a figure is not as it should be; that memory is left over is nothing to worry about."""
        return row.verdict != "on plan" and not (self.tolerance is None and row.verdict == "less")


TOLERANCE = 0.1
"""By what share a run may differ from its plan."""

_ROUNDED = 1e-9


class _AsPlanned(RunInputs):
    """The plan as it is written, with what it leaves open as the log says; remembers where the two differ."""

    differences: tuple[run_agreement.Difference, ...] = ()
    solved_as: Request

    def _with_the_log(self, said: Said, failed: Solution) -> Solution:
        """Of configurations that do not say the batch or the length: as the log has them."""
        assert self.plan is not None
        settings = tuple((path, text) for path, (text, _) in said.items() if path not in self.places)
        self.solved_as = evolve(self.plan, settings=(*settings, *self.plan.settings))
        solution = api.solve(self.solved_as)
        if solution.status == "error":
            return failed
        self.differences = tuple(run_agreement.of_plan(said, solution.values, dict(settings)))
        return solution

    def contradicted(
        self, said: Said, counted: Mapping[str, tuple[float, int]], solution: Solution
    ) -> list[run_agreement.Difference]:
        return [*run_agreement.of_model(counted, solution.values), *self.differences]

    def solved(self, said: Said) -> Solution | None:
        assert self.plan is not None
        solution = api.solve(self.plan)
        if solution.status == "error":
            return self._with_the_log(said, solution) if self.configurations is not None else solution
        open_ = {unknown.path for unknown in solution.unknowns}
        if self.configurations is not None:  # what no configuration says is as the log has it
            open_.update(path for path in said if path not in self.places)
        open_.update(path for path in said if _left_out(solution.values.get(path)))
        self.differences = tuple(run_agreement.of_plan(said, solution.values, open_))
        settings = tuple((path, text) for path, (text, _) in said.items() if path in open_)
        self.solved_as = self.plan
        if not settings or self.differences:
            return solution
        self.solved_as = evolve(self.plan, settings=(*settings, *self.plan.settings))
        return api.solve(self.solved_as)


def _left_out(value: Value | None) -> bool:
    """Whether a plan does not say an input, which has no default either."""
    return value is None or (value.value is None and bool(value.needs))


def verify(
    log: Log,
    plan: Request,
    configurations: Files | None = None,
    tolerance: float | None = None,
    format: str | None = None,
    steps: tuple[float, float] | None = None,
) -> Verification:
    """Compares a log with the plan of its run.

    Args:
        tolerance: By what share seen and planned may differ; without one that is a tenth, and of configurations, which
            promise nothing, the band in which eight of ten such runs lie.
    """
    if tolerance is None and configurations is None:
        tolerance = TOLERANCE
    chosen = formats() if format is None else named(format)
    if not chosen:
        return Verification(None, (), tolerance, (logs.unknown_format(format or "", names()),))
    scope, _, broken = library.load(tables=False)
    assert not broken, broken
    inputs = _AsPlanned(importing.library_of(scope, Path()), plan, configurations, ())
    run, problems = Reader(inputs, chosen, steps).run(log)
    solution = run.solution
    if any(one.severity == "error" for one in problems) or solution is None or run.piece is None:
        return Verification(run, (), tolerance, tuple(problems))
    rows = _rows(run, solution, tolerance)
    if rows and (missing := _needs(solution)) and any(one.name in (STEP, RATE) for one in run.readings):
        problems = [*problems, logs.not_compared(log.file, STEP, missing)]
    if not rows:
        problems = [*problems, logs.nothing_planned(log.file, _needs(solution))]
    found = Verification(run, tuple(rows), tolerance, tuple(problems), lost=run.heard.telling.common.lost)
    on_its_way = progress(run.heard, run.piece, step_of(rows, solution), solution.values)
    rows += _goodput(on_its_way, solution, tolerance)
    found = evolve(found, rows=tuple(rows), progress=on_its_way, later=later(run.heard, run.piece))
    found = evolve(found, between=between(run.piece))
    found = evolve(found, promises=_promises(found, inputs.solved_as, solution))
    return found if not any(map(found.is_off, rows)) else _with_causes(found, run, inputs, solution)


def _with_causes(found: Verification, run: Run, inputs: _AsPlanned, solution: Solution) -> Verification:
    """With what may be otherwise in the run than planned."""
    built = api.analyse(inputs.solved_as).built
    if built is None or run.piece is None:
        return found
    lowering = built.lowering.again(fixed=dict(points(built.lowering, solution)))
    off = filter(found.is_off, found.rows)
    return evolve(found, causes=causes(lowering, run, found.rows, off, solution, inputs.said(run.piece)))


def _rows(run: Run, solution: Solution, tolerance: float | None) -> list[Row]:
    assert run.piece is not None
    seen = {one.name: one.value for one in run.readings if not one.doubtful}
    known = conditions(run.piece, of_solution(solution))
    if STEP in seen and RATE not in seen and known.tokens and known.gpus:
        seen[RATE] = known.tokens / seen[STEP] / known.gpus
    mfu, step = solution.values.get(MFU), solution.values.get(STEP)
    if STEP in seen and mfu is not None and mfu.amount.finite and step is not None and step.amount.finite:
        seen[MFU] = mfu.amount.number * step.amount.number / seen[STEP]
    found = []
    for name, number in seen.items():
        value = solution.values.get(name)
        if value is None or not value.amount.finite or not value.amount.number:
            continue
        share = number / value.amount.number
        verdict = _verdict(name, share, *_least_and_most(value, tolerance))
        found.append(Row(name, value.amount, value.band, evolve(value.amount, value=number), share, verdict))
    timed = next((row for row in found if row.name == STEP), None)
    return [
        evolve(row, verdict=timed.verdict) if timed is not None and row.name in (RATE, MFU) else row for row in found
    ]


def _needs(solution: Solution) -> tuple[str, ...]:
    """The inputs without which the plan says no time of a step."""
    step = solution.values.get(STEP)
    return () if step is None or step.amount.finite else step.needs


def _goodput(of: Progress | None, solution: Solution, tolerance: float | None) -> list[Row]:
    """What is lost between the steps of a log, where it tells a rate; more than planned is never wrong."""
    value = solution.values.get(GOODPUT)
    if of is None or of.lasting_goodput is None or value is None or not value.amount.finite or not value.amount.number:
        return []
    share = of.lasting_goodput / value.amount.number
    least = 1 - (TOLERANCE if tolerance is None else tolerance)  # no published run says what is usual
    verdict: Verdict = "on plan" if share >= least - _ROUNDED else "lower"
    return [Row(GOODPUT, value.amount, value.band, evolve(value.amount, value=of.lasting_goodput), share, verdict)]


def _promises(found: Verification, plan: Request, solution: Solution) -> tuple[Promise, ...]:
    """The plan's requirements on time and cost, at the pace of the log."""
    step = step_of(found.rows, solution)
    if step is None:
        return ()
    value, of = solution.values.get(GOODPUT), found.progress
    goodput = value.amount.number if value is not None and value.amount.finite else None
    if of is None:
        return as_seen(plan, solution, step.seen.number, goodput)
    return as_seen(plan, solution, step.seen.number, of.pace, None if of.otherwise is None else of.steps)


def _least_and_most(value: Value, tolerance: float | None) -> tuple[float, float]:
    """The shares of what is planned between which a figure is as it should be."""
    if tolerance is None and value.band is not None:
        planned = value.amount.number
        return value.band.low.number / planned, value.band.high.number / planned
    tolerance = TOLERANCE if tolerance is None else tolerance
    return 1 - tolerance, 1 + tolerance


def _verdict(name: str, share: float, least: float, most: float) -> Verdict:
    if least - _ROUNDED <= share <= most + _ROUNDED:
        return "on plan"
    if name.startswith("memory."):
        return "more" if share > 1 else "less"
    return "slower" if (share > 1) is (name == STEP) else "faster"
