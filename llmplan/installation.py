"""A broken installation: a file of llmplan or a package that it needs is missing or cannot be read.

Neither the plan is at fault nor the program, and what helps is to install it again. This module needs nothing but
Python, as anything else may be what is missing.
"""

from __future__ import annotations

_HEAD = "error[E0902]: the installation of llmplan is broken"


class Broken(Exception):
    """An installed file that is missing, cannot be read or is not what it was; the text names it and says why."""


def unreadable(name: str, error: OSError | UnicodeError) -> Broken:
    """The exception for a file that cannot be read."""
    why = error.strerror if isinstance(error, OSError) and error.strerror else "it is not UTF-8"
    return Broken(f"cannot read `{name}`: {why[:1].lower()}{why[1:]}")


def about(problem: Exception) -> str | None:
    """The message for people if a broken installation is behind an exception, else None."""
    if isinstance(problem, Broken):
        why = str(problem)
    elif isinstance(problem, ModuleNotFoundError) and problem.name:
        why = f"the package `{problem.name}` is missing"
        if problem.name.partition(".")[0] == "llmplan":
            why = f"the module `{problem.name}` is missing"
    elif isinstance(problem, ImportError) and (problem.name or "llmplan").partition(".")[0] != "llmplan":
        why = f"the package `{problem.name}` cannot be loaded: {problem.msg}"
    else:
        return None
    return (
        f"{_HEAD}: {why}\n"
        "  = note: the plan is not at fault\n"
        "  = help: install it again: `pip install --force-reinstall llmplan`"
    )
