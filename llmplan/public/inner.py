"""Inner results as public records: the only place that knows both.

A record is built from the JSON of its command where that says enough, so that few lines depend on the compiler's own
classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from llmplan import calibration, calibration_json, failures, importing
from llmplan.diagnostics.render_json import record
from llmplan.diagnostics.render_text import render
from llmplan.emit import difference_json, solution_json, steps_json
from llmplan.emit import table as tables
from llmplan.present import difference as differences
from llmplan.present import points as variations
from llmplan.present import summary
from llmplan.present.blocks import plain
from llmplan.present.failure import render as render_failure
from llmplan.present.words import words_of
from llmplan.public import records

if TYPE_CHECKING:
    from llmplan import api, comparison
    from llmplan.answer.derivation import Step
    from llmplan.answer.schema.requirements import Departure
    from llmplan.answer.schema.solution import Solution
    from llmplan.answer.schema.tables import Table
    from llmplan.answer.schema.values import Value
    from llmplan.diagnostics import Diagnostic

_WIDTH = 100
"""Of texts that a command folds at the width of its terminal."""


def diagnostics(of: Iterable[Diagnostic]) -> records.Diagnostics:
    return records.Diagnostics(records.Diagnostic(**record(one), text=render([one]).strip()) for one in of)


def solution(of: Solution) -> records.Solution:
    document = solution_json.as_json(of, ())
    amounts = {name: _amount(of.values[name], entry) for name, entry in document["quantities"].items()}
    return records.Solution(
        diagnostics(of.diagnostics),
        document,
        of.plan,
        of.title,
        of.status,
        amounts,
        tuple(one for name in of.compared for one in (name, of.calendar.get(name, "")) if one in amounts),
        tuple(r.name for r in of.requirements if r.origin in ("plan", "used") or r.chance is not None or not r.holds),
        _departures(of.departures),
    )


def _departures(of: Iterable[Departure]) -> tuple[records.Departure, ...]:
    return tuple(
        records.Departure(one.name, one.what, one.text, one.by or None, one.because or None, one.place) for one in of
    )


def _amount(value: Value, entry: dict[str, Any]) -> records.Amount:
    low, high, model_low, model_high = (entry.get(name) for name in ("low", "high", "model_low", "model_high"))
    text = plain(words_of().known(value))
    return records.Amount(value.value, entry.get("unit"), low, high, model_low, model_high, text, value.amount)


def table(plan: str, of: Table | None, told: Sequence[Diagnostic]) -> records.Table:
    noticed = diagnostics(told)
    points = {"axes": [], "points": []} if of is None else tables.as_json(of)
    document = {"schema": 1, "plan": plan, **points, "diagnostics": noticed.to_dict()["diagnostics"]}
    if of is None:
        return records.Table(noticed, document, plan)
    words = words_of()
    shown = tuple(map(tuple, variations.cells(of, words)))
    header, departures = tuple(variations.header(of, words)), _departures(of.departures)
    return records.Table(noticed, document, plan, tuple(of.axes), header, shown, departures)


def written(of: Solution, files: api.Written) -> records.Written:
    told = diagnostics((*of.diagnostics, *files.diagnostics))
    document = solution_json.as_json(of, () if told.errors else files.files)
    document["diagnostics"] = told.to_dict()["diagnostics"]
    if files.removed:
        document["removed"] = list(files.removed)
    changed = () if told.errors or files.summary is None else summary.changed(files.summary, words_of())
    return records.Written(
        told,
        document,
        solution(of),
        files.directory,
        files.files,
        files.removed,
        files.left,
        changed,
        files.outdated,
        files.missing,
    )


def derivation(of: Solution, steps: Sequence[Step]) -> records.Derivation:
    return records.Derivation((records.Step(**row) for row in steps_json.as_json(steps)), diagnostics(of.diagnostics))


def imported(of: importing.Imported, files: str) -> records.Imported:
    told = diagnostics(of.diagnostics)
    document = {**importing.as_json(of), "diagnostics": told.to_dict()["diagnostics"]}
    return records.Imported(told, document, files, of.plan)


def diagnosis(of: failures.Failure) -> records.Diagnosis:
    told = diagnostics(of.diagnostics)
    if of.diagnosis is None:
        return records.Diagnosis(told, {"schema": 1, **told.to_dict()}, False, False, "")
    text = render_failure(of.diagnosis, of.changes, of.solution, words_of(), _WIDTH, of.seen)
    return records.Diagnosis(told, failures.as_json(of, of.changes), True, of.diagnosis.told, text)


def measured(of: calibration.Calibration, files: str) -> records.Measured:
    told = diagnostics(of.diagnostics)
    document = {**calibration_json.as_json(of), "diagnostics": told.to_dict()["diagnostics"]}
    return records.Measured(told, document, files, of.text)


def difference(of: comparison.Compared) -> records.Difference:
    told, found = diagnostics(of.diagnostics), of.difference
    if found is None:
        return records.Difference(told, {"schema": 1, **told.to_dict()}, "", (), "")
    document, words = difference_json.as_json(found), words_of()
    return records.Difference(
        told,
        document,
        plain(differences.headline(found, words)),
        tuple(one.text for one in found.thresholds if one.met),
        differences.markdown(found, words),
    )
