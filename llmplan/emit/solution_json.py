"""The solution as JSON: the output of `--json`, and `solution.json`, which also holds the data that a later run needs.

Values are in base units; a number that is not finite is null, and one that has its unit beside it is an amount. The
file adds to the printed form the versions, and under `lock` the hashes of the files beside it, the formulas and
requirements, and which values the plan is given by and compared by, from which `compile --check` says what changed. The
file holds no line or column. `llmplan/schemas/solution.json` describes both as a JSON Schema.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import llmplan
from llmplan.answer.schema.advice import Lever, Moved, Price, Redecided, Relaxation
from llmplan.answer.schema.charts import Curve, Neighbour
from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.solution import Shown, Solution
from llmplan.answer.schema.values import Value
from llmplan.diagnostics import Diagnostic, cases
from llmplan.diagnostics.render_json import record
from llmplan.emit import table
from llmplan.emit.table import finite
from llmplan.escape import visible
from llmplan.units.amount import Amount

NAME = "solution.json"
_LINE = 180
_INNER = "  "
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def as_json(solution: Solution, files: Iterable[str]) -> dict[str, Any]:
    """The printed form.

    Args:
        files: The names of the files that belong to it.
    """
    return {
        "schema": 2,
        "plan": solution.plan,
        "status": solution.status,
        "unknowns": {
            one.path: {"value": finite(one.value.value), "unit": one.value.unit, "how": one.how}
            for one in solution.unknowns
        },
        "quantities": {name: _value(value, solution.calendar) for name, value in solution.values.items()},
        "requirements": [_requirement(result) for result in solution.requirements],
        **table.departures(solution.departures),
        **({"shown": [_shown(row) for row in solution.shown]} if solution.shown else {}),
        **_advice(solution),
        "diagnostics": [record(diagnostic) for diagnostic in solution.diagnostics],
        **({"assumed": said} if (said := list(_assumed(solution))) else {}),
        "levers": [_lever(one) for one in solution.levers],
        "files": list(files),
    }


def text(solution: Solution, contents: dict[str, str]) -> str:
    """The file: the printed form, the versions, and the lock of the files beside it."""
    values = solution.values.items()
    document = {
        **as_json(solution, [*contents, NAME]),
        "diagnostics": [_unplaced(diagnostic) for diagnostic in solution.diagnostics],
        "llmplan": llmplan.__version__,
        "plan_hash": solution.plan_hash,
        "library_hash": solution.library_hash,
        "lock": {
            "files": {name: digest(content) for name, content in contents.items()},
            "formulas": {name: digest(one.formula)[:12] for name, one in values if one.formula},
            "requirements": {result.name: result.text for result in solution.requirements},
            "compared": [name for name in solution.compared if name in solution.values],
            "given": [name for name, one in values if one.role != "quantity"],
        },
    }
    return sealed(document)


def _unplaced(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as a record without line and column, and without the edits that need them."""
    found = record(diagnostic)
    others = [{"file": other["file"], "text": other["text"]} for other in found["others"]]
    kept = ("code", "severity", "message", "file", "label", "notes", "hints")
    return {**{key: found[key] for key in kept}, "others": others}


def sealed(document: dict[str, Any]) -> str:
    """The file with its own hash in the lock, so that an edit of the file itself is seen too."""
    lock = document["lock"]
    lock["files"].pop(NAME, None)
    # Only the lock differs between what is hashed and what is written.
    rows = {key: dump(item, _INNER) for key, item in document.items()}
    lock["files"][NAME] = digest(_whole(rows))
    return _whole({**rows, "lock": dump(lock, _INNER)})


def _whole(rows: dict[str, str]) -> str:
    """The file from its parts; no solution fits on a line."""
    inside = f",\n{_INNER}".join(f"{dump(key)}: {row}" for key, row in rows.items())
    return f"{{\n{_INNER}{inside}\n}}\n"


def dump(value: Any, indent: str = "") -> str:
    """JSON in which what fits on a line stands on one, so that a changed value is a changed line."""
    line = visible(_ENCODER.encode(value))
    if len(line) <= _LINE or not isinstance(value, (dict, list)):
        return line
    inner = indent + _INNER
    if isinstance(value, dict):
        rows = [f"{dump(key)}: {dump(item, inner)}" for key, item in value.items()]
    else:
        rows = [dump(item, inner) for item in value]
    separator = f",\n{inner}"
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}{separator.join(rows)}\n{indent}{closing}"


def amount(value: Amount) -> Any:
    """A number with its base unit, or what is not a number as it is."""
    return {"value": finite(value.value), "unit": value.base} if value.measure is not None else value.value


def digest(content: str) -> str:
    return hashlib.sha256(encode(content)).hexdigest()


def encode(content: str) -> bytes:
    """UTF-8; a byte of a path that is not valid UTF-8 is escaped."""
    return content.encode("utf-8", "backslashreplace")


def _value(value: Value, calendar: Mapping[str, str]) -> dict[str, Any]:
    """A value, and the name of its counterpart on the calendar where it has one."""
    number = finite(value.value)
    if number is None:
        reason = {"reason": value.reason} if value.reason else {}
        return {"value": None, "needs": list(value.needs), **reason}
    return {
        "value": number,
        "unit": value.unit,
        "low": finite(value.low),
        "high": finite(value.high),
        "model_low": finite(value.model_low),
        "model_high": finite(value.model_high),
        "source": value.origin.place or None if value.origin else None,
        "calendar": calendar.get(value.name),
    }


def _advice(solution: Solution) -> dict[str, Any]:
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
    return {"name": one.name or None, "to": finite(one.value), "values": values, "breaks": list(one.breaks)}


def _relaxation(one: Relaxation) -> dict[str, Any]:
    return {
        "name": one.name,
        "kind": one.kind,
        "from": None if one.before is None else amount(one.before),
        "to": [finite(value.value) for value in one.values],
        "unit": one.unit,
        "text": cases.instead((change.statement, change.before_text, change.changes) for change in (one, *one.beside)),
        "statement": one.statement,
        "class": one.sort,
        "changes": one.changes or None,
        **({"beside": [_relaxation(other) for other in one.beside]} if one.beside else {}),
    }


def _lever(one: Lever) -> dict[str, Any]:
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
        "place": None,
        "source": one.source or None,
        "chance": finite(one.chance),
        "chance_before": finite(one.chance_before),
        "best": one.best,
        "decided": _decided(one.decided),
        **({"unknown": one.unknown, "solved": again} if one.unknown else {}),
    }


def _decided(unknowns: Iterable[Redecided]) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "from": amount(one.before), "to": amount(one.after), "class": one.sort} for one in unknowns
    ]


def _price(one: Price) -> dict[str, Any]:
    risk = one.risk and {"name": one.risk.name, "chance": finite(one.risk.chance), "verdict": one.risk.verdict}
    return {"name": one.name, "results": _moved(one.results), "decided": _decided(one.decided), "risk": risk}


def _assumed(solution: Solution) -> Iterator[dict[str, Any]]:
    """What the answer rests on that its plan does not say."""
    for one in solution.assumptions:
        value = {} if one.amount is None else {"value": amount(one.amount)}
        yield {"name": one.name, **value, **({"because": one.why} if one.why else {})}
    for default in solution.defaults:
        ends = {"value": amount(default.amount), "instead": amount(default.instead)}
        yield {"name": default.name, **ends, "result": default.result, "change": finite(default.change)}


def _shown(row: Shown) -> dict[str, Any]:
    ends = {"low": row.spread, "high": row.spread, "model_low": row.band, "model_high": row.band}
    limits = {
        name: None if range is None else finite((range.high if name.endswith("high") else range.low).number)
        for name, range in ends.items()
    }
    return {"expression": row.text, "value": finite(row.amount.value), "unit": _unit(row.amount), **limits}


def _unit(value: Amount) -> str | None:
    return None if value.measure is None else value.base


def _moved(results: Iterable[Moved]) -> dict[str, Any]:
    return {
        one.name: {"from": finite(one.before.value), "to": finite(one.after.value), "unit": one.base} for one in results
    }


def _planned(result: RequirementResult) -> dict[str, Any] | None:
    """What is known of a requirement as it is written, where its verdict is about the calendar."""
    return (
        {"chance": finite(result.planned.chance), "verdict": result.planned.verdict}
        if result.planned is not None
        else None
    )


def _requirement(result: RequirementResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "holds": result.holds,
        "range": result.certainty,
        "chance": finite(result.chance),
        **({} if result.chance_error is None else {"chance_error": finite(result.chance_error)}),
        "verdict": result.verdict,
        "on": result.on,
        "planned": _planned(result),
        **({"rates": list(result.rates)} if result.rates else {}),
        **({"unjudged": result.unjudged} if result.unjudged else {}),
        "slack": finite(result.slack),
        "slack_unit": None if result.slack is None or result.sides is None else result.sides.left.base,
        "side": None if result.compared is None else amount(result.compared.planned),
        "limit": None if result.compared is None else amount(result.compared.limit),
        **({} if result.compared is None or result.compared.asked is None else {"asked": result.compared.asked}),
        "because": result.because or None,
        **({"else": result.otherwise} if result.otherwise else {}),
    }
