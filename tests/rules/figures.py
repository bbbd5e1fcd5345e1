"""Figures as a header prints them, held against what the plan computes.

A figure is written as in the plan language (`5.88 ZFLOP`, `87%`); it stands for everything that
rounds to its digits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from llmplan import api
from llmplan.answer.schema.solution import Solution
from tests.std.answers import PLANS, number

_DIGITS = re.compile(r"(-?[0-9,]+)(\.([0-9]+))?")


def header(plan: Path) -> str:
    """The `##` lines at the head of a plan, as one line."""
    lines = []
    for line in plan.read_text(encoding="utf-8").splitlines():
        if not line.startswith("##"):
            break
        lines.append(line.removeprefix("##").strip())
    return " ".join(lines)


def evaluate(plan: Path, pairs: Sequence[tuple[str, str]], scenario: str | None = None) -> tuple[Solution, list[str]]:
    """Solves a plan with each expression and each figure as a `let` of its own.

    `low: time` and `high: time` are the ends of what ranges in the plan leave open.

    Returns:
        The solution, and a line for each expression that does not round to its figure.
    """
    lets = [
        f"let computed_{k} = {expression.rpartition(': ')[2]}\nlet printed_{k} = {figure.replace(',', '')}"
        for k, (expression, figure) in enumerate(pairs)
    ]
    text = "\n".join([plan.read_text(encoding="utf-8"), *lets, ""])
    solution = api.solve("-", text=text, scenario=scenario)
    assert solution.status != "error", [d.message for d in solution.diagnostics]
    wrong = []
    for k, (expression, figure) in enumerate(pairs):
        computed, printed = number(solution, f"computed_{k}"), number(solution, f"printed_{k}")
        if expression.startswith(("low: ", "high: ")):
            computed = getattr(solution.values[f"computed_{k}"], expression.partition(":")[0])
        if abs(computed - printed) > tolerance(figure, printed):
            wrong.append(f"{expression} is {solution.values[f'computed_{k}'].text}, printed {figure}")
    return solution, wrong


def tolerance(figure: str, value: float) -> float:
    """Half of the last digit that is printed; zeros before the point count as rounded from three digits on."""
    digits = _DIGITS.match(figure)
    assert digits is not None, figure
    whole = digits[1].replace(",", "").lstrip("-")
    places = len(digits[3] or "")
    zeros = len(whole) - len(whole.rstrip("0")) if not places and len(whole.strip("0")) >= 3 else 0
    plain = float(f"{whole}.{digits[3] or '0'}")
    scale = abs(value) / plain if plain else 1.0
    return float(0.5 * 10 ** (zeros - places) * scale * (1 + 1e-9))


def rules_of_thumb() -> list[Path]:
    return sorted((PLANS / "rules_of_thumb").glob("*.plan"))


def questions() -> list[Path]:
    return sorted((PLANS / "questions").glob("*.plan"))
