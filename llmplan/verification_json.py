"""The document of `llmplan verify --json`."""

from __future__ import annotations

from typing import Any

from llmplan.diagnostics import render_json
from llmplan.logs.readings import STEP
from llmplan.run_causes import Causes
from llmplan.run_progress import Progress
from llmplan.units.amount import Amount
from llmplan.verification import Verification


def _value(one: Amount | None) -> dict[str, Any] | None:
    return None if one is None else {"value": one.value, "unit": one.base}


def _rest(of: Progress | None) -> dict[str, Any]:
    """What the rest of a run takes."""
    amounts = ("left", "planned_left", "wall_left", "spent", "cost", "planned_cost")
    found: dict[str, Any] = {name: None if of is None else _value(getattr(of, name)) for name in amounts}
    plain = ("goodput", "lasting_goodput", "planned_goodput", "end")
    return {**found, **{name: None if of is None else getattr(of, name) for name in plain}}


def _causes(of: Causes) -> dict[str, Any]:
    """Why a run may not be as planned."""
    off, waits = of.off, of.waiting
    low, high = (None, None) if waits is None or waits.scatter is None else waits.scatter
    return {
        "off": None
        if off is None
        else {
            "part": off.name,
            "seen": {"value": off.seen, "unit": "s"},
            "planned": {"value": off.planned, "unit": "s"},
            "share": off.share,
        },
        "waiting": None
        if waits is None
        else {"seconds": waits.seconds, "low": low, "high": high, "share": waits.share, "switch": waits.switch},
        "suspects": [
            {
                "name": one.path,
                "planned": _value(one.own),
                "seen": _value(one.other),
                "text": one.tells,
                STEP: _value(one.step),
                "share": one.share,
                "of": one.of or STEP,
            }
            for one in of.suspects
        ],
    }


def as_json(found: Verification) -> dict[str, Any]:
    """The document of `verify --json`."""

    value = _value
    piece = None if found.run is None else found.run.piece
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
        "requirements": [
            {
                "name": one.name,
                "text": one.text,
                "seen": value(one.seen),
                "limit": value(one.limit),
                "met": one.met,
            }
            for one in found.promises
        ],
        "done": None if found.progress is None else found.progress.done,
        "steps": None if found.progress is None else found.progress.steps,
        "planned_steps": None if found.progress is None else found.progress.otherwise or found.progress.steps,
        **_rest(found.progress),
        **_causes(found.causes),
        "between": None if found.between is None else {"value": found.between, "unit": "s"},
        "restarts": 0 if piece is None else piece.restarts,
        "repeated": 0 if piece is None else piece.repeated,
        "later": None
        if found.later is None
        else {
            "step": found.later.step,
            "share": found.later.share,
            "time": None if found.later.time is None else {"value": found.later.time, "unit": "s"},
        },
        "failure": None
        if found.failure is None
        else {"line": found.failure.line, "text": found.failure.text, "memory": found.failure.memory},
        "lost": None if found.lost is None else {"step": found.lost[0], "line": found.lost[1]},
        "parts": {name: {"value": seconds, "unit": "s"} for name, seconds in found.parts.items()},
        "diagnostics": [render_json.record(one) for one in found.diagnostics],
    }
