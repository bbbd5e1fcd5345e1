"""A plan that a command makes, written to a file that it does not take from anybody."""

from __future__ import annotations

import os

import click

from llmplan.cli import rewrite, terminal


def write(target: str, text: str, exists: str, command: str = "solve", replace: bool = False) -> int:
    """Writes a plan, `-` to standard output, and says what is worth typing next; returns the exit code.

    Args:
        exists: What to do where the file exists, after the words that it does.
        command: The command worth typing next.
        replace: Whether a file that exists is replaced.

    Raises:
        click.UsageError: The file exists, or cannot be written.
    """
    if target == "-":
        terminal.result(text)
        return 0
    try:
        (rewrite.replace if replace and os.path.lexists(target) else rewrite.create)(target, text)
    except FileExistsError:
        raise click.UsageError(f"{target} exists{exists}") from None
    except OSError as error:
        raise click.UsageError(f"cannot write {target}: {error.strerror}") from None
    shown = os.path.normpath(target)
    terminal.result(f"wrote {shown}\nnext: llmplan {command} {shown}\n")
    return 0
