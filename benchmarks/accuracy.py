"""Writes docs/accuracy.md with its drawing, plans/published/README.md and the README's table, from the published runs
that llmplan ships.

    python benchmarks/accuracy.py            predicts every run anew (about two minutes), then writes
    python benchmarks/accuracy.py --page     writes from the predictions that are kept in benchmarks/data/predicted.json
    python benchmarks/accuracy.py --check    predicts anew, writes nothing, and exits with 1 where a file is out of date

Predictions come from benchmarks/evidence.py, figures from benchmarks/figures.py and benchmarks/others.py, words from
the templates beside them. The same library gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from benchmarks import evidence, figures, others, published
from benchmarks.judging import CASES, DATA, TESTS

KEPT = "benchmarks/data/predicted.json"
PAGE, DRAWING, README = "docs/accuracy.md", "docs/accuracy.svg", "README.md"
RUNS = "plans/published/README.md"
START, END = "<!-- Written by `python benchmarks/accuracy.py`. -->\n", "<!-- End of what is written. -->\n"
WORST = 8

SIZE, LEFT, TOP = 480.0, 64.0, 40.0
LOWEST, HIGHEST = 0.1, 1000.0
"""Seconds of a step at the ends of the drawing's axes."""


def percent(value: float, digits: int = 1) -> str:
    return "–" if math.isnan(value) else f"{100 * value:.{digits}f} %"


def signed(value: float) -> str:
    return "–" if math.isnan(value) else f"{100 * value:+.1f} %".replace("-", "−")


def hours(value: float) -> str:
    """Three significant digits, in groups of three."""
    step = 10 ** max(0, math.floor(math.log10(value)) - 2)
    return f"{round(value / step) * step:,.0f}" if value >= 100 else f"{value:.3g}"


def place(seconds: float) -> float:
    """Where a time lies on an axis, in units of the drawing from its start."""
    return SIZE * math.log(seconds / LOWEST) / math.log(HIGHEST / LOWEST)


def points(rows: Sequence[figures.Timed], experts: bool) -> str:
    """Dots of no length, which a round line cap draws, as one path."""
    found = sorted(
        (f"{LEFT + place(one.row.measured):.1f}", f"{TOP + SIZE - place(one.row.measured * math.exp(one.family)):.1f}")
        for one in rows
        if one.row.experts == experts
    )
    return "".join(f"M{x} {y}h0" for x, y in found)


def size(value: float) -> str:
    """A number, or bytes where it is large enough for that."""
    for unit, name in ((1e9, "GB"), (1e6, "MB")):
        if value >= unit:
            return f"{value / unit:.3g} {name}"
    return f"{value:.3g}"


def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(str(ROOT / "benchmarks" / "templates")), undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False,
    )  # fmt: skip
    made.filters |= {"percent": percent, "signed": signed, "hours": hours, "size": size}
    return made


def context(kept: Mapping[str, Any]) -> dict[str, Any]:
    """What the templates print."""
    cases = evidence.records(CASES)
    fitted, alone = figures.timed(kept, cases)
    time = figures.step_time(fitted, alone)
    worst = [one for one in time["groups"] if one[1]["count"] >= 3]
    timed = [one for one in [*fitted, *alone] if not one.row.group.startswith(TESTS)]
    tools = others.tools()
    reasons = json.loads((DATA / "reasons.json").read_text(encoding="utf-8"))
    return {
        "time": time,
        "all": time["tables"]["all"]["all"],
        "model": time["tables"]["model"],
        "worst": [(group, found, reasons.get(group, "not found")) for group, found in worst[:WORST]],
        "repeats": figures.repeats(kept, cases),
        "out": figures.left_out(kept, cases),
        "memory": figures.memory(kept, cases),
        "adapters": figures.adapters(kept),
        "whole": figures.whole(kept),
        "plans": plans(kept),
        "constants": kept["step_constants"],
        "memory_constants": kept["memory_constants"],
        "tools": others.times(timed, cases),
        "memories": others.memories(kept, cases),
        "asked": tools,
        "compared": len(timed),
        "named": len({tool["url"] for tool in tools["tools"]}),
        "points": {"dense": points(fitted, False), "experts": points(fitted, True)},
        "axis": {
            "size": SIZE,
            "left": LEFT,
            "top": TOP,
            "lowest": LOWEST,
            "ticks": [(f"{10.0**power:g}", place(10.0**power)) for power in range(-1, 4)],
            "level": (place(LOWEST * 1.2), place(LOWEST / 0.8333)),
        },
    }


def plans(kept: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of plans/published/README.md, the largest run first."""
    rows = sorted(kept["published"], key=lambda one: -one["published"])
    return [
        {
            **one,
            "question": published.question(published.FOLDER / one["plan"]),
            "held": one["low"] <= one["published"] <= one["high"],
        }
        for one in rows
    ]


def pages(kept: Mapping[str, Any], root: Path = ROOT) -> dict[str, str]:
    """What is written for kept predictions, by its path from the root of the project."""
    found, templates = context(kept), environment()
    table = templates.get_template("readme.md.j2").render(found)
    before, _, rest = (root / README).read_text(encoding="utf-8").partition(START)
    _, _, after = rest.partition(END)
    return {
        PAGE: templates.get_template("accuracy.md.j2").render(found, short=table),
        RUNS: templates.get_template("published.md.j2").render(found),
        DRAWING: templates.get_template("accuracy.svg.j2").render(found),
        README: f"{before}{START}{table}{END}{after}",
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Writes docs/accuracy.md from the published runs that llmplan ships.")
    given = parser.add_mutually_exclusive_group()
    given.add_argument("--page", action="store_true", help="from the predictions that are kept")
    given.add_argument("--check", action="store_true", help="write nothing, exit with 1 where a file is out of date")
    asked = parser.parse_args(arguments)
    if asked.page:
        wanted = pages(json.loads((ROOT / KEPT).read_text(encoding="utf-8")))
    else:
        text = evidence.text(evidence.evidence())
        wanted = {KEPT: text, **pages(json.loads(text))}
    changed = [
        path
        for path, text in wanted.items()
        if not (ROOT / path).is_file() or (ROOT / path).read_text(encoding="utf-8") != text
    ]
    for path in changed:
        if not asked.check:
            (ROOT / path).write_text(wanted[path], encoding="utf-8", newline="\n")
        sys.stdout.write(
            f"{path} is out of date; run python benchmarks/accuracy.py\n" if asked.check else f"wrote {path}\n"
        )
    return int(asked.check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
