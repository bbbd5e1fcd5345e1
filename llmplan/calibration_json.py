"""What logs measure as the document of `calibrate --json`."""

from __future__ import annotations

from typing import Any

from llmplan.calibration import Calibration
from llmplan.diagnostics import render_json
from llmplan.logs.readings import Reading
from llmplan.logs.summary import Piece
from llmplan.measured_run import Run


def as_json(found: Calibration) -> dict[str, Any]:
    """The document of `calibrate --json`."""
    return {
        "schema": 1,
        "plan": found.text,
        "runs": [_run_as_json(run) for run in found.runs],
        "diagnostics": [render_json.record(one) for one in found.diagnostics],
    }


def _run_as_json(run: Run) -> dict[str, Any]:
    format = run.heard.format
    piece = run.piece
    common = run.heard.telling.common
    return {
        "file": run.file,
        "name": run.name,
        "format": format.name if format is not None else None,
        "release": format.release if format is not None else None,
        "others": [one.name for one in run.heard.others],
        "complete": not run.heard.broken,
        "inputs": [{"field": one.path, "text": one.text, "place": one.note} for one in run.settings],
        "readings": [_reading_as_json(one) for one in run.readings],
        "left_out": _left_as_json(piece) if piece is not None else [],
        "parts": {name: {"value": value, "unit": "s"} for name, value in piece.parts.items()} if piece else {},
        "pieces": [_piece_as_json(one) for one in run.pieces],
        "times": {
            kind: [{"value": value, "unit": "s", "line": line} for value, line in times]
            for kind, times in common.times.items()
        },
        "whole": {name: {"value": value, "line": line} for name, (value, line) in common.summary.items()},
        "links": [{"value": value, "unit": "byte/s", "line": line} for value, line in run.links],
        "missing": [{"what": what, "printed_by": switch} for what, switch in run.missing],
    }


def _reading_as_json(reading: Reading) -> dict[str, Any]:
    unit = {"GiB": "byte"}.get(reading.unit, reading.unit)
    return {
        "name": reading.name,
        "value": reading.value,
        "unit": unit,
        "low": reading.low,
        "high": reading.high,
        "lines": list(reading.lines),
        "text": reading.note,
        "used": not reading.doubtful,
        "planned": reading.planned,
    }


def _left_as_json(piece: Piece) -> list[dict[str, Any]]:
    return [{"reason": reason, "count": count, "longest": longest} for reason, count, longest in piece.steady.left_out]


def _piece_as_json(piece: Piece) -> dict[str, Any]:
    time = piece.steady.figure("time")
    return {
        "steps": [piece.first_step, piece.last_step],
        "lines": [piece.first_line, piece.last_line],
        "numbered": piece.numbered,
        "attempt": piece.attempt,
        "why": piece.why,
        "batch": piece.batch,
        "length": piece.length,
        "records": len(piece.steady.kept),
        "time": None
        if time is None
        else {"mean": time.mean, "median": time.median, "low": time.low, "high": time.high},
        "left_out": _left_as_json(piece),
    }
