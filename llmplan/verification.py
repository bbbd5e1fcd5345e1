"""On plan or not: what a log of a run says compared with the plan as it is written.

The run must be the one that is planned: inputs that the log says and that the plan says otherwise make it another one.
What the plan leaves open is as the log says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from llmplan import api, importing, run_agreement
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.values import Value
from llmplan.calibration import Log, Reader, Run, named, names
from llmplan.check import library
from llmplan.diagnostics import Diagnostic, logs, render_json
from llmplan.logs.compared import Row, Verdict
from llmplan.logs.forms import formats
from llmplan.logs.readings import MFU, RATE, STEP, conditions, parts_of_step
from llmplan.request import Request
from llmplan.run_inputs import RunInputs, Said, of_solution
from llmplan.run_progress import Progress, progress
from llmplan.system.adjustable import knob_of
from llmplan.system.lower import Lowering
from llmplan.uncertainty.suspects import Part, Suspect, part_off, suspects
from llmplan.units.amount import Amount


@frozen
class Verification:
    """Whether a run is on plan.

    Attributes:
        progress: How far the run is, where log and plan count steps.
        off: Of a run that is not on plan the part of a step that is off, where the log prints parts.
        suspects: What may be otherwise in it than planned, the likeliest first.
        whole: Whether the step is the mean over the whole run, which may be what is off.
        lost: The step since which the loss is no number, with its line; None where it is one, or is not told.
    """

    run: Run | None
    rows: tuple[Row, ...]
    tolerance: float | None
    diagnostics: tuple[Diagnostic, ...]
    progress: Progress | None = None
    off: Part | None = None
    suspects: tuple[Suspect, ...] = ()
    whole: bool = False
    lost: tuple[float, int] | None = None

    @property
    def parts(self) -> Mapping[str, float]:
        """Seconds of the parts of a step that the log prints."""
        return {} if self.run is None or self.run.piece is None else self.run.piece.parts

    @property
    def failed(self) -> bool:
        return any(one.severity == "error" for one in self.diagnostics)

    @property
    def on_plan(self) -> bool:
        """Whether nothing is further from the plan than may be, and the loss, where it is told, is a number."""
        return self.lost is None and not any(self.is_off(row) for row in self.rows)

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
            return self._with_the_log(said, solution) if self.places else solution
        open_ = {unknown.path for unknown in solution.unknowns}
        if self.places:  # what no configuration says is as the log has it
            open_.update(path for path in said if path not in self.places)
        self.differences = tuple(run_agreement.of_plan(said, solution.values, open_))
        settings = tuple((path, text) for path, (text, _) in said.items() if path in open_)
        self.solved_as = self.plan
        if not settings or self.differences:
            return solution
        self.solved_as = evolve(self.plan, settings=(*settings, *self.plan.settings))
        return api.solve(self.solved_as)


def verify(
    log: Log,
    plan: Request,
    places: Mapping[str, str] | None = None,
    tolerance: float | None = None,
    format: str | None = None,
    steps: tuple[float, float] | None = None,
) -> Verification:
    """Compares a log with the plan of its run.

    Args:
        tolerance: By what share seen and planned may differ; without one that is a tenth, and of configurations, which
            promise nothing, the band in which eight of ten such runs lie.
    """
    if tolerance is None and not places:
        tolerance = TOLERANCE
    chosen = formats() if format is None else named(format)
    if not chosen:
        return Verification(None, (), tolerance, (logs.unknown_format(format or "", names()),))
    scope, _, broken = library.load(tables=False)
    assert not broken, broken
    inputs = _AsPlanned(importing.library_of(scope, Path()), plan, places or {}, ())
    run, problems = Reader(inputs, chosen, steps).run(log)
    solution = run.solution
    if any(one.severity == "error" for one in problems) or solution is None or run.piece is None:
        return Verification(run, (), tolerance, tuple(problems))
    rows = _rows(run, solution, tolerance)
    if not rows:
        problems = [*problems, logs.nothing_planned(log.file)]
    found = Verification(run, tuple(rows), tolerance, tuple(problems), lost=run.heard.telling.common.lost)
    step = next((row for row in rows if row.name == STEP), None)
    found = evolve(found, progress=progress(run.heard, run.piece, step, solution.values))
    return found if not any(map(found.is_off, rows)) else _with_reasons(found, run, inputs, solution)


def _with_reasons(found: Verification, run: Run, inputs: _AsPlanned, solution: Solution) -> Verification:
    """With what may be otherwise in the run than planned."""
    built = api.analyse(inputs.solved_as).built
    if built is None or run.piece is None:
        return found
    lowering = built.lowering.again(fixed=dict(_points(built.lowering, solution)))
    seen = {row.name: row.seen.number for row in found.rows}
    if STEP in seen:
        seen.pop(RATE, None)  # the same said again
        seen.pop(MFU, None)
    step = next((row for row in found.rows if row.name == STEP), None)
    parts = {} if step is None else parts_of_step(run.piece, step.seen.number)
    off = None
    if step is not None and step.verdict != "on plan":
        off = part_off(lowering, parts, step.seen.number, step.planned.number)
    suspected = suspects(lowering, STEP, seen, parts, inputs.said(run.piece))
    return evolve(found, off=off, suspects=tuple(suspected), whole=STEP in seen and not run.pieces)


def _points(lowering: Lowering, solution: Solution) -> Iterator[tuple[str, float]]:
    """The values that a solution gives to what the plan leaves open, by path."""
    for unknown in solution.unknowns:
        value = unknown.value.value
        if isinstance(value, str):
            knob = knob_of(lowering.program, unknown.path)
            members = () if knob is None else lowering.expressions.members(knob.type)
            yield unknown.path, float(members.index(value))
        elif isinstance(value, (bool, int, float)):
            yield unknown.path, float(value)


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


def _value(one: Amount | None) -> dict[str, Any] | None:
    return None if one is None else {"value": one.value, "unit": one.base}


def _rest(of: Progress | None) -> dict[str, Any]:
    """What the rest of a run takes."""
    amounts = ("left", "planned_left", "spent", "cost", "planned_cost")
    found: dict[str, Any] = {name: None if of is None else _value(getattr(of, name)) for name in amounts}
    plain = ("goodput", "planned_goodput", "end")
    return {**found, **{name: None if of is None else getattr(of, name) for name in plain}}


def as_json(found: Verification) -> dict[str, Any]:
    """The document of `verify --json`."""

    value = _value
    return {
        "schema": 1,
        "on_plan": found.on_plan and not found.failed,
        "tolerance": found.tolerance,
        "rows": [
            {
                "name": row.name,
                "planned": value(row.planned),
                "low": None if row.band is None else value(row.band.low),
                "high": None if row.band is None else value(row.band.high),
                "seen": value(row.seen),
                "share": row.share,
                "verdict": row.verdict,
            }
            for row in found.rows
        ],
        "done": None if found.progress is None else found.progress.done,
        "steps": None if found.progress is None else found.progress.steps,
        "planned_steps": None if found.progress is None else found.progress.otherwise or found.progress.steps,
        **_rest(found.progress),
        "off": None
        if found.off is None
        else {
            "part": found.off.name,
            "seen": {"value": found.off.seen, "unit": "s"},
            "planned": {"value": found.off.planned, "unit": "s"},
            "share": found.off.share,
        },
        "lost": None if found.lost is None else {"step": found.lost[0], "line": found.lost[1]},
        "suspects": [
            {
                "name": one.path,
                "planned": value(one.own),
                "seen": value(one.other),
                "text": one.tells,
                STEP: value(one.step),
                "share": one.share,
            }
            for one in found.suspects
        ],
        "parts": {name: {"value": seconds, "unit": "s"} for name, seconds in found.parts.items()},
        "diagnostics": [render_json.record(one) for one in found.diagnostics],
    }
