"""Mistakes in the files that the command line names."""

from __future__ import annotations

from llmplan.diagnostics.record import Diagnostic, error


def unreadable(name: str, why: str, folder: bool = False) -> Diagnostic:
    """E0507. `why`: a few words, as `no such file`; of a `folder` the plans in it can be named."""
    hint = f"name the plans in it: `{name.rstrip('/')}/*.plan`" if folder else ""
    return error("E0507", f"cannot read `{name}`: {why}", None, hint)
