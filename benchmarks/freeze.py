"""Freezes what plans answer, so that a change of the compiler can be seen to change no answer.

usage: python benchmarks/freeze.py write FILE [--quick]
       python benchmarks/freeze.py compare FILE

`write` solves every plan of the tree, with its sweeps and scenarios, and the random plans of
`random_plans.py`, and writes the answers as JSON: statuses, unknowns, values, layouts, requirements,
conflicts, relaxations and the codes of diagnostics, but no wording. `--quick` leaves most random
plans and everything slow out. `compare` solves the plans of such a file again; it prints every
difference as plan, path, before and after, and exits 1 if there is one. Numbers that agree within a
relative 1e-9 are the same. Write before a change, compare after it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import random_plans

import llmplan

TREE = Path(llmplan.__file__).resolve().parents[1]
FOLDERS = ("plans", "plans/questions", "plans/rules_of_thumb", "tests/errors")
RANDOM = 300
RANDOM_QUICK = 40
SLOW = 1.0
"""Seconds of CPU; a plan that takes longer is left out of `--quick`."""

TOLERANCE = 1e-9
LOOSE = {"slack": 1e-6, "sensitivities": 1e-6}
"""Differences of large numbers, and slopes: absolute tolerances, in base units."""

_FIGURE = re.compile(r"`[^`]+`|[-+]?[0-9][0-9,.]*(?:e[-+]?[0-9]+)?%?")


def tree_plans() -> Iterator[str]:
    for folder in FOLDERS:
        for path in sorted((TREE / folder).glob("*.plan")):
            yield path.relative_to(TREE).as_posix()


def options(text: str) -> dict[str, Any]:
    """A plan of the tests may say on its first line what it is solved with."""
    first = text.partition("\n")[0]
    if first.startswith("# --set "):
        path, _, value = first.removeprefix("# --set ").partition("=")
        return {"settings": [(path, value)]}
    if first.startswith("# --scenario "):
        return {"scenario": first.removeprefix("# --scenario ")}
    return {}


def answer(name: str, text: str | None) -> dict[str, Any]:
    """What a plan answers.

    Args:
        name: Its path in the tree, or of a random plan its name.
        text: None for a plan of the tree.
    """
    from llmplan import api

    if text is None:
        text = (TREE / name).read_text(encoding="utf-8")
        limit = 10**5 if name.startswith("tests/") else None
        solution = api.solve(name, text=text, limit=limit, tables=True, **options(text))
    else:
        solution = api.solve(f"{name}.plan", text=text, tables=True)
    return json.loads(json.dumps(record(solution)))


def record(solution: Any) -> dict[str, Any]:
    """Everything of a solution that is no wording, no place and no hash."""
    from llmplan.present.blocks import plain
    from llmplan.present.words import words_of

    return {
        "status": solution.status,
        "diagnostics": sorted(found.code for found in solution.diagnostics),
        "unknowns": {unknown.path: _unknown(unknown) for unknown in solution.unknowns},
        "values": {name: _value(value) for name, value in solution.values.items()},
        "requirements": {one.name: _requirement(one) for one in solution.requirements},
        "preferences": {one.name: _requirement(one) for one in solution.preferences},
        "objectives": [
            [one.sense, one.text, "unknown" if one.amount is None else one.amount.exact()]
            for one in solution.objectives
        ],
        "shown": [[one.text, plain(words_of().worth(attrs.evolve(one, band=None)))] for one in solution.shown],
        "conflict": solution.conflict,
        "relaxations": {
            one.name: {
                "kind": one.kind,
                "before": one.before_text,
                "values": [value.value for value in one.values],
                "unit": _unit(one.unit),
                "change": one.change,
            }
            for one in solution.relaxations
        },
        "sensitivities": {one.result: dict(one.by) for one in solution.sensitivities},
        "gains": [_gain(one) for one in solution.gains],
        "alternatives": [_alternative(one) for one in solution.alternatives],
        "front": [_alternative(one) for one in solution.front],
        "sweep": _table(solution.sweep),
        "scenarios": _table(solution.scenarios),
        "considered": solution.considered,
        "feasible": solution.feasible,
        "assumptions": [plain(words_of().assumption(one)) for one in solution.assumptions],
        "departures": [[one.name, one.what, one.text] for one in solution.departures],
        "emits": [target.name for target in solution.emits],
    }


def _unknown(one: Any) -> dict[str, Any]:
    from llmplan.present.blocks import plain
    from llmplan.present.words import words_of

    words = words_of()
    beyond = plain(words.beyond(one.beyond, short=False)) if one.beyond else ""
    return {
        "value": one.value.value,
        "how": words.method(one),
        "asked": one.asked,
        "domain": words.domain(one),
        "relation": one.relation,
        "numbers": one.numbers,
        "exact": one.exact and one.exact.value,
        "below": _FIGURE.findall(str(one.below or "")),
        "above": _FIGURE.findall(str(one.above or "")),
        "set_by": one.set_by,
        "beyond": _FIGURE.findall(beyond)[:1],
        "works": plain(words.feasible_at(one.works)).removeprefix("feasible at "),
    }


def _value(one: Any) -> dict[str, Any]:
    return {
        "value": one.value,
        "unit": _unit(one.unit),
        "low": one.low,
        "high": one.high,
        "needs": one.needs,
        # Earlier answers call a formula of the plan, in place of the library's, a formula too.
        "layer": one.origin.layer.replace("replaced", "formula") if one.origin else None,
    }


def _unit(unit: str | None) -> str | None:
    """A base unit as earlier answers have it: what is counted stands in it alone (`s` for `GPU*s`)."""
    return None if unit is None else re.sub(r"\b[A-Za-z]+\*(?=s\b)|/(?:GPU|node)\b", "", unit)


def _requirement(one: Any) -> dict[str, Any]:
    return {
        "holds": one.holds,
        "certainty": one.certainty,
        "slack": one.slack,
        "origin": one.origin,
        "weight": one.weight,
        "needs": one.needs,
    }


def _gain(one: Any) -> list[Any]:
    changes = [
        [name, str(old), str(new), str(attrs.evolve(new, value=new.number - old.number))]
        for name, old, new in one.changes
    ]
    return [one.name, *(f"{100 * value:.4g}%" for value in (one.before, one.after)), changes]


def _loss(loss: Any) -> list[str]:
    """The figures of what a layout is worse in: the names of preferences, then how far the objective is off."""
    figures = [f"`{name}`" for name in loss.unmet]
    if loss.objective:
        both = f"{loss.value:.4g} {loss.best:.4g}"
        off = both if loss.relative is None else f"{100 * loss.relative:+.1f}%"
        figures += [*_FIGURE.findall(loss.objective), *_FIGURE.findall(off)]
    return figures


def _alternative(one: Any) -> dict[str, Any]:
    return {
        "settings": {name: str(value) for name, value in one.settings},
        "results": {name: str(value) for name, value in one.results},
        "loss": [] if one.loss is None else _loss(one.loss),
    }


def _table(table: Any) -> list[dict[str, Any]] | None:
    return table and [
        {
            "at": ["the plan itself" if one.value is None else one.exact() for one in row.at],
            "values": [one.value for one in row.at],
            "status": row.status,
            "unknowns": {path: one.value for path, one in row.unknowns.items()},
            "results": {name: one.value for name, one in row.results.items()},
            "best": row.best,
        }
        for row in table.rows
    ]


def differences(before: Any, after: Any, path: str = "", loose: float = 0.0) -> Iterator[tuple[str, Any, Any]]:
    """The places at which two answers differ, with what stands there."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            inner = f"{path}.{key}" if path else key
            if key not in before or key not in after:
                yield inner, before.get(key, "(nothing)"), after.get(key, "(nothing)")
            else:
                yield from differences(before[key], after[key], inner, LOOSE.get(key, loose))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after)):
            yield from differences(*pair, f"{path}[{number}]", loose)
    elif not same(before, after, loose):
        yield path, before, after


def same(before: Any, after: Any, loose: float) -> bool:
    if isinstance(before, str) and isinstance(after, str) and before.startswith("undefined: "):
        return after.startswith("undefined: ")  # why it is undefined is wording
    if isinstance(before, bool) or isinstance(after, bool) or not isinstance(before, (int, float)):
        return bool(before == after)
    if not isinstance(after, (int, float)):
        return False
    return math.isclose(before, after, rel_tol=TOLERANCE, abs_tol=loose) or (before != before and after != after)


def write(file: Path, quick: bool) -> int:
    count = RANDOM_QUICK if quick else RANDOM
    plans: list[tuple[str, str | None]] = [(name, None) for name in tree_plans()]
    plans += random_plans.plans(count)
    frozen: dict[str, Any] = {}
    for name, text in plans:
        started = time.process_time()
        found = answer(name, text)
        seconds = time.process_time() - started
        if quick and seconds > SLOW:
            continue
        frozen[name] = {"text": text, "seconds": round(seconds, 2), "answer": found}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in frozen.items())
    file.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    statuses = [one["answer"]["status"] for one in frozen.values()]
    counts = ", ".join(f"{statuses.count(status)} {status}" for status in sorted(set(statuses)))
    print(f"{len(frozen)} plans ({counts}), {sum(one['seconds'] for one in frozen.values()):.0f} s of CPU")
    return 0


def compare(file: Path) -> int:
    frozen = json.loads(file.read_text(encoding="utf-8"))
    differing = 0
    for name, one in frozen.items():
        try:
            found = answer(name, one["text"])
        except FileNotFoundError:
            found = {}
        count = 0
        for path, before, after in differences(one["answer"], found):
            print(f"{name}  {path}\n    {json.dumps(before)}\n    {json.dumps(after)}")
            count += 1
        differing += count > 0
    print(f"{len(frozen)} plans, {differing} with another answer")
    return int(differing > 0)


def main() -> int:
    parser = argparse.ArgumentParser(description="Freezes what plans answer, and compares with it.")
    parser.add_argument("command", choices=("write", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--quick", action="store_true", help="write fewer plans, none of them slow")
    given = parser.parse_args()
    file = given.file.resolve()
    os.chdir(TREE)
    with tempfile.TemporaryDirectory() as empty:
        os.environ["XDG_CACHE_HOME"] = empty  # nothing is recalled from an earlier run
        return write(file, given.quick) if given.command == "write" else compare(file)


if __name__ == "__main__":
    sys.exit(main())
