"""The advice on a solution as JSON, and its variations: parts of what `solution_json` prints.

Input: an answer with its advice. Output: plain data. Values are in base units, as there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from llmplan.answer.schema.advice import FileEdit, Lever, Moved, Price, Redecided, Relaxation
from llmplan.answer.schema.charts import Curve, Neighbour
from llmplan.answer.schema.solution import Solution
from llmplan.diagnostics import cases
from llmplan.emit import table
from llmplan.emit.table import amount, finite


def advice(solution: Solution) -> dict[str, Any]:
    """Relaxations of an infeasible plan, sensitivities of a solved one, and its variations."""
    parts: dict[str, Any] = {
        "prices": [_price(one) for one in solution.prices],
        "conflict": list(solution.conflict),
        "relaxations": [_relaxation(one) for one in solution.relaxations],
        "sensitivities": {one.result: {name: finite(part) for name, part in one.by} for one in solution.sensitivities},
        "front": [{name: amount(one) for name, one in (*point.settings, *point.results)} for point in solution.front],
    }
    found = {name: part for name, part in parts.items() if part}
    for name, variations in (("sweep", solution.sweep), ("scenarios", solution.scenarios)):
        if variations is not None:
            found[name] = table.as_json(variations)["points"]
    if solution.curve is not None:
        found["curve"] = _curve(solution.curve)
    if solution.neighbours:
        found["neighbours"] = [_neighbour(one) for one in solution.neighbours]
    return found


def change_as_json(change: Lever | Relaxation) -> dict[str, Any]:
    """A change as JSON has it."""
    return lever(change) if isinstance(change, Lever) else _relaxation(change)


def _place(edits: Sequence[FileEdit]) -> dict[str, Any] | None:
    """Where a change begins in the files that a plan was read from; null where it is none of them."""
    return {"file": edits[0].file, "line": edits[0].line, "key": edits[0].key} if edits else None


def _edit(edit: FileEdit) -> dict[str, Any]:
    return {"file": edit.file, "line": edit.line, "key": edit.key, "from": edit.before, "to": edit.after}


def lever(one: Lever) -> dict[str, Any]:
    again = {"value": finite(one.solved.value), "results": _moved(one.results)} if one.solved else None
    return {
        "name": one.name,
        "from": amount(one.before),
        "to": finite(one.amount.value),
        "unit": one.unit,
        "statement": one.statement,
        "purpose": one.purpose,
        "results": _moved(one.results),
        "class": one.sort,
        "changes": one.changes or None,
        "requirements": [
            {"name": judged.name, "chance": finite(judged.chance), "verdict": judged.verdict} for judged in one.judged
        ],
        "place": _place(one.in_files),
        **({"edits": [_edit(edit) for edit in one.in_files]} if one.in_files else {}),
        "source": one.source or None,
        "chance": finite(one.chance),
        "chance_before": finite(one.chance_before),
        "best": one.best,
        "decided": _decided(one.decided),
        **({"unknown": one.unknown, "solved": again} if one.unknown else {}),
    }


def _curve(curve: Curve) -> dict[str, Any]:
    named = ("at", "value", "low", "high", "model_low", "model_high", "chance")
    return {
        "input": curve.input.name,
        "result": curve.result.name,
        "requirement": curve.requirement,
        "limit": finite(curve.limit),
        "chosen": finite(curve.points[curve.chosen].at),
        "meets": None if curve.meets is None else finite(curve.points[curve.meets].at),
        "safe": None if curve.safe is None else finite(curve.points[curve.safe].at),
        "points": [
            {name: finite(getattr(point, name)) for name in named}
            | {"verdict": point.verdict, "results": {name: amount(one) for name, one in point.results.items()}}
            for point in curve.points
        ],
    }


def _neighbour(one: Neighbour) -> dict[str, Any]:
    values = {
        name: {"value": finite(value), **dict(zip(("model_low", "model_high"), map(finite, one.bands.get(name, ()))))}
        for name, value in one.values.items()
    }
    return {
        "name": one.name or None,
        "to": finite(one.value),
        "values": values,
        "breaks": list(one.breaks),
        "misses": list(one.misses),
    }


def _relaxation(one: Relaxation) -> dict[str, Any]:
    return {
        "name": one.name,
        "kind": one.kind,
        "from": None if one.before is None else amount(one.before),
        "to": [finite(value.value) for value in one.values],
        "unit": one.unit,
        "text": cases.instead((change.statement, change.before_text, change.changes) for change in (one, *one.beside)),
        "statement": one.statement,
        **({"edits": [_edit(edit) for edit in one.in_files]} if one.in_files else {}),
        "class": one.sort,
        "changes": one.changes or None,
        **({"beside": [_relaxation(other) for other in one.beside]} if one.beside else {}),
    }


def _decided(unknowns: Iterable[Redecided]) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "from": amount(one.before), "to": amount(one.after), "class": one.sort} for one in unknowns
    ]


def _price(one: Price) -> dict[str, Any]:
    risk = one.risk and {"name": one.risk.name, "chance": finite(one.risk.chance), "verdict": one.risk.verdict}
    return {"name": one.name, "results": _moved(one.results), "decided": _decided(one.decided), "risk": risk}


def _moved(results: Iterable[Moved]) -> dict[str, Any]:
    return {
        one.name: {"from": finite(one.before.value), "to": finite(one.after.value), "unit": one.base} for one in results
    }
