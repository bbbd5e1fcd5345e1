"""The answer in words: which machines do what, in how long, at what cost, and what that is worth.

Input: a solution. Output: lines that `templates/report` makes of it; which of the library's quantities they name stands
there.
"""

from __future__ import annotations

from pathlib import Path

from llmplan.answer.schema.solution import Solution


def answer(solution: Solution, templates: Path | None = None) -> str:
    """The answer without a line break; for an infeasible plan, which requirements conflict and what would cure it."""
    return _line("sentence", solution, templates)


def headline(solution: Solution, templates: Path | None = None) -> str:
    """The answer without its verdicts, which stand below it."""
    return _line("headline", solution, templates)


def first(solution: Solution, templates: Path | None = None) -> tuple[str, ...]:
    """The names of the results that most readers look for, in order."""
    return tuple(_line("results", solution, templates).split())


def _line(name: str, solution: Solution, templates: Path | None) -> str:
    from llmplan.emit.render import filled

    return " ".join(filled(f"report/{name}.j2", solution, templates).split())
