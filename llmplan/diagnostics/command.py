"""What is wrong with the files that the command line names."""

from __future__ import annotations

from llmplan.diagnostics.record import Diagnostic, error


def unreadable(name: str, why: str) -> Diagnostic:
    """E0507. `why`: a few words, as `no such file`."""
    return error("E0507", f"cannot read `{name}`: {why}")
