"""What two plans differ in, as JSON: the output of `diff --json`, described by `llmplan/schemas/diff.json`.

Values are in base units, a number with its unit beside it; requirements are verdicts.
"""

from __future__ import annotations

from typing import Any

from llmplan.answer.schema.difference import Apart, Difference
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.summary import Altered, Changed
from llmplan.diagnostics.render_json import record
from llmplan.emit.table import amount, finite
from llmplan.units.amount import Amount


def as_json(of: Difference) -> dict[str, Any]:
    """The printed form."""
    return {
        "schema": 1,
        "a": _side(of.a),
        "b": _side(of.b),
        "decisions": [_decision(one) for one in of.summary.decided],
        "inputs": [_input(one) for one in of.summary.inputs],
        "results": [_result(one) for one in of.results],
        "causes": {name: [{"input": one.input, "share": one.share} for one in each] for name, each in of.causes},
        "requirements": [{"name": one.name, "from": one.before or None, "to": one.after} for one in of.summary.turned],
        "files": [{"name": one.name, "change": one.what} for one in of.files],
        "failed": [one.text for one in of.thresholds if one.met],
        "diagnostics": [record(one) for one in of.b.diagnostics],
    }


def _side(solution: Solution) -> dict[str, str]:
    return {"plan": solution.plan, "status": solution.status}


def _decision(one: Changed) -> dict[str, Any]:
    return {"name": one.name, "from": _value(one.before), "to": amount(one.after)}


def _input(one: Altered) -> dict[str, Any]:
    return {"name": one.name, "what": one.what, "from": _value(one.before), "to": _value(one.after)}


def _value(value: Amount | str | None) -> Any:
    return amount(value) if isinstance(value, Amount) else value


def _result(one: Apart) -> dict[str, Any]:
    low, high = one.band or (None, None)
    return {
        "name": one.name,
        "from": {"value": finite(one.before.value), "unit": one.after.base},
        "to": amount(one.after),
        "change": finite(one.change),
        "low": finite(low),
        "high": finite(high),
        "told_apart": one.told_apart,
    }
