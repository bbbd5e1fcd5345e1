"""What is wrong with the files that the command line names."""

from __future__ import annotations

from llmplan.diagnostics.record import Diagnostic


def unreadable(name: str, why: str) -> Diagnostic:
    """E0507. `why`: a few words, as `there is no such file`."""
    return Diagnostic("E0507", "error", f"`{name}` cannot be read: {why}")
