"""Plans as texts, and what they answer, for the tests of the standard library."""

from __future__ import annotations

from pathlib import Path

from llmplan import api
from llmplan.answer.schema.solution import Solution

PLANS = Path(__file__).resolve().parents[2] / "plans"
DAY = 86_400.0
HOUR = 3_600.0


def solve(text: str) -> Solution:
    """The solution of a plan that stands in the test."""
    return checked(api.solve("-", text=text))


def solve_file(name: str, *settings: tuple[str, str]) -> Solution:
    """The solution of one of the plans that ship with the library."""
    return checked(api.solve(str(PLANS / name), settings=settings))


def checked(solution: Solution) -> Solution:
    errors = [d.message for d in solution.diagnostics if d.severity == "error"]
    assert solution.status == "solved", errors
    return solution


def number(solution: Solution, name: str) -> float:
    """A value in base units."""
    value = solution.values[name]
    assert isinstance(value.value, (int, float)) and not isinstance(value.value, bool), (
        name,
        value.needs,
        value.reason,
    )
    return float(value.value)


def unknown(solution: Solution, path: str) -> float | str:
    """The answer for one unknown, in base units, or its word."""
    found = [u.value.value for u in solution.unknowns if u.path == path]
    assert len(found) == 1 and isinstance(found[0], (int, float, str)), path
    return found[0]


def block(kind: str, **fields: object) -> str:
    """A block of a plan; truth values and lists of words as the language writes them."""
    lines = [
        f"    {name} = {str(value).lower() if isinstance(value, bool) else value}" for name, value in fields.items()
    ]
    return "\n".join([f"{kind} {{", *lines, "}"]) + "\n"
