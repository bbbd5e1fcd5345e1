"""The solution as JSON: the output of `--json`, and `solution.json`, which also holds the data that a later run needs.

Values are in base units; a number that is not finite is null, and one that has its unit beside it is an amount. The
file has less of the answer than what is printed, as people read its differences: what is given and what was solved, the
quantities of the contract, those of the plan and what the files beside it read; no advice, and nothing that is null. It
adds the versions, and under `lock` the hashes of the files, the formulas and requirements, and the names of what plans
are compared by, from which `compile --check` says what changed. It holds no line or column.
`llmplan/schemas/solution.json` describes both as a JSON Schema.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import llmplan
from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.solution import Shown, Solution
from llmplan.answer.schema.values import Read, Value
from llmplan.diagnostics import Diagnostic
from llmplan.diagnostics.render_json import record
from llmplan.emit import table
from llmplan.emit.advice_json import advice, lever
from llmplan.emit.table import amount, finite
from llmplan.escape import visible
from llmplan.present.names import CONTRACT
from llmplan.units.amount import Amount

NAME = "solution.json"
_LINE = 180
_KEPT = (
    "schema", "plan", "status", "unknowns", "quantities", "requirements", "waived", "replaced", "shown", "diagnostics",
    "files",
)  # fmt: skip
"""The parts of what is printed that the file has."""
_BY_LINE = ("quantities", "requirements", "diagnostics")
"""Those each of whose records stands on one line, however long it is."""
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
        **advice(solution),
        "diagnostics": [record(diagnostic) for diagnostic in solution.diagnostics],
        **({"measured": list(map(_read, solution.measured))} if solution.measured else {}),
        **({"assumed": said} if (said := list(_assumed(solution))) else {}),
        "levers": [lever(one) for one in solution.levers],
        "files": list(files),
    }


def text(solution: Solution, contents: dict[str, str], read: Collection[str]) -> str:
    """The file: the core of the answer, the versions, and the lock of the files beside it.

    Args:
        contents: The files beside it.
        read: The names of the values that they read.
    """
    values = solution.values.items()
    printed = as_json(solution, [*contents, NAME])
    document = {
        **{key: part for key, part in printed.items() if key in _KEPT},
        "quantities": {
            name: {**_known(one), **({} if solution.values[name].role == "quantity" else {"given": True})}
            for name, one in printed["quantities"].items()
            if _is_kept(solution, name, read)
        },
        "requirements": [_in_short(rule) for rule in solution.requirements],
        "diagnostics": [_unplaced(diagnostic) for diagnostic in solution.diagnostics],
        "llmplan": llmplan.__version__,
        "plan_hash": solution.plan_hash,
        "library_hash": solution.library_hash,
        "lock": {
            "files": {name: digest(content) for name, content in contents.items()},
            "formulas": {name: digest(one.formula)[:12] for name, one in values if one.formula},
            "requirements": {result.name: result.text for result in solution.requirements},
            "compared": [name for name in solution.compared if name in solution.values],
        },
    }
    return sealed(document)


def _is_kept(solution: Solution, name: str, read: Collection[str]) -> bool:
    """Whether a value is part of the file."""
    value = solution.values[name]
    if name in read or name in CONTRACT or name in solution.compared:
        return True
    if value.role != "quantity":
        return value.value is not None
    return value.origin is not None and value.origin.place.rpartition(":")[0] in solution.sources


def _known(record: dict[str, Any]) -> dict[str, Any]:
    """A record of a value without what is null in it."""
    return {key: part for key, part in record.items() if part is not None or key == "value"}


def _in_short(rule: RequirementResult) -> dict[str, Any]:
    """A requirement; of one of the library that surely holds no figure, which changes with every input."""
    sure = rule.origin == "library" and rule.holds is True and rule.chance is None
    return {"name": rule.name, "holds": True} if sure else _requirement(rule)


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
    rows = {key: dump(item, _INNER, key in _BY_LINE) for key, item in document.items()}
    lock["files"][NAME] = digest(_whole(rows))
    return _whole({**rows, "lock": dump(lock, _INNER)})


def _whole(rows: dict[str, str]) -> str:
    """The file from its parts; no solution fits on a line."""
    inside = f",\n{_INNER}".join(f"{dump(key)}: {row}" for key, row in rows.items())
    return f"{{\n{_INNER}{inside}\n}}\n"


def dump(value: Any, indent: str = "", by_line: bool = False) -> str:
    """JSON in which what fits on a line stands on one, so that a changed value is a changed line.

    Args:
        by_line: Whether each part of the value stands on one line, however long it is.
    """
    line = visible(_ENCODER.encode(value))
    if len(line) <= _LINE or not isinstance(value, (dict, list)):
        return line
    inner = indent + _INNER
    if isinstance(value, dict):
        pairs = ((dump(key), item) for key, item in value.items())
        rows = [f"{key}: {_part(item, inner, by_line)}" for key, item in pairs]
    else:
        rows = [_part(item, inner, by_line) for item in value]
    separator = f",\n{inner}"
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}{separator.join(rows)}\n{indent}{closing}"


def _part(value: Any, indent: str, on_a_line: bool) -> str:
    return visible(_ENCODER.encode(value)) if on_a_line else dump(value, indent)


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
        **({} if value.prior is None else {"prior": finite(value.prior.number), "measured": list(value.measured)}),
    }


def _read(read: Read) -> dict[str, Any]:
    """What was read of a measured run, and what the library says of it without and with what was measured."""
    numbers = {"seen": read.seen, "before": read.before, "after": read.after}
    return {"run": read.run, "name": read.name, **{key: amount(one) for key, one in numbers.items()}}


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
