"""A plan that a command makes, written to a file that it does not take from anybody."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path

import click

from llmplan.cli import rewrite, terminal
from llmplan.load.files import shown as as_shown
from llmplan.load.files import wider_root


def write(
    target: str,
    text: str,
    exists: str,
    command: str = "solve",
    replace: bool = False,
    used: Iterable[str] = (),
) -> int:
    """Writes a plan, `-` to standard output, and says what is worth typing next; returns the exit code.

    Args:
        exists: What to do where the file exists, after the words that it does.
        command: The command worth typing next.
        replace: Whether a file that exists is replaced.
        used: The files that the plan may use.

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
    wider = wider_root(Path(target), map(Path, used))
    option = "" if wider is None else f" --root {shlex.quote(as_shown(wider))}"
    terminal.result(f"wrote {shown}\nnext: llmplan {command} {shlex.quote(shown)}{option}\n")
    return 0
