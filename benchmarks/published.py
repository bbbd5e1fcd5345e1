"""Famous training runs as plans (plans/published): what each answers beside what its source printed.

A plan is named as the run in benchmarks/data/runs.jsonl, with underscores. Its published hours stand in its comment; a
test holds both together. The answers go through benchmarks/evidence.py into plans/published/README.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from llmplan import api

FOLDER = Path(__file__).resolve().parents[1] / "plans" / "published"

DAY, HOUR = 86400.0, 3600.0


def file_of(run: Mapping[str, Any]) -> Path:
    """Where the plan of a run is, if it has one."""
    return FOLDER / f"{re.sub('[-.]', '_', run['id'])}.plan"


def question(path: Path) -> str:
    """The first line of a plan, which says what it answers."""
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("## ")


def answered(runs: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each plan with its answer: GPU-hours and days as planned, on the calendar, and the ends of eight in ten."""
    for run in runs:
        path = file_of(run)
        if not path.is_file():
            continue
        solution = api.solve(str(path), tables=False)
        if solution.status != "solved":
            raise SystemExit(f"{path.name} is {solution.status}")
        values = solution.values
        calendar, days = values["wall_gpu_hours"], values["wall_time"]
        yield {
            "id": run["id"], "plan": path.name, "gpus": values["hardware.gpus"].value, "published": run["gpu_hours"],
            "published_days": run.get("days"), "planned": _number(values["gpu_hours"].value) / HOUR,
            "planned_days": _number(values["time"].value) / DAY,
            "calendar": _number(calendar.value) / HOUR, "low": _number(calendar.model_low) / HOUR,
            "high": _number(calendar.model_high) / HOUR, "days": _number(days.value) / DAY,
            "days_low": _number(days.model_low) / DAY, "days_high": _number(days.model_high) / DAY,
        }  # fmt: skip


def _number(value: object) -> float:
    assert isinstance(value, (int, float))
    return float(value)
