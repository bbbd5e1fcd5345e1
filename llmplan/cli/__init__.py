"""The command line: a thin face over `llmplan.api`, and the only place that prints.

One module a command, loaded when it is asked for. Modules here import click and little else at the
top; a command imports the stage it needs when it runs, so that `--help`, `check` and `fmt` stay fast.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from keyword import iskeyword

import click

from llmplan import __version__
from llmplan.cli import terminal
from llmplan.installation import about

_EPILOG = """\b
A first plan, first.plan:
  model "llama-7b"
  dataset { tokens = 1T }
  hardware { gpu = "A100-SXM4-80GB", gpus = ? }
  training { global_batch = 4M tokens }
  require deadline: wall_time <= 30 days
  minimize hardware.gpus
Then: llmplan compile first.plan

\b
Exit codes:
  0  success
  1  the plan has errors, or --check found something out of date
  2  wrong usage, or an unreadable file
  3  no plan satisfies the requirements
  4  a condition of diff --fail-if is met"""


_COMMANDS = (
    "compile",
    "solve",
    "check",
    "explain",
    "sweep",
    "diff",
    "import",
    "why",
    "calibrate",
    "verify",
    "bench",
    "init",
    "fmt",
    "catalog",
    "examples",
    "backtest",
)


class _OnDemand(click.Group):
    """Commands, each loaded from the module of its name when it is used; listed in order of use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.commands:
            return None
        module = f"{name}_" if iskeyword(name) else name
        found: click.Command = getattr(import_module(f"llmplan.cli.{module}"), module)
        return found


@click.group(
    cls=_OnDemand,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_EPILOG,
    commands=[click.Command(name) for name in _COMMANDS],  # so far only their names
)
@click.version_option(__version__, "-V", "--version", message="llmplan %(version)s")
def group() -> None:
    """Plans language-model training: state the givens and the goals, get the plan."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and exits with its code."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None, stopped: Callable[[], int] = lambda: 0) -> int:
    """Runs the command line and returns its exit code; nothing is raised.

    An interrupt in the middle of an import can end as an error of that import: what follows an interrupt is no bug.

    Args:
        stopped: The exit code of the signal that has interrupted the command; 0 if none has.
    """
    terminal.prepare()
    try:
        # Commands return their exit code; click raises for wrong use only.
        return group.main(arguments, prog_name="llmplan", standalone_mode=False) or 0
    except click.Abort:
        return stopped() or 130
    except click.ClickException as wrong_use:
        said = io.StringIO()
        wrong_use.show(said)
        terminal.complain(said.getvalue().rstrip("\n"))
        return wrong_use.exit_code
    except terminal.OutputFailed as failed:
        terminal.complain(f"llmplan: cannot write the output: {failed}")
        return 2
    except Exception as bug:
        if stopped():
            return stopped()
        if os.environ.get("LLMPLAN_DEBUG") == "1":
            raise
        if _lacks_memory(bug):
            terminal.complain("llmplan: there is not enough memory")
            return 2
        if isinstance(bug, FileNotFoundError) and _is_nowhere():
            terminal.complain("llmplan: the current directory does not exist any more")
            return 2
        installation = about(bug)
        if installation is not None:
            terminal.complain(installation)
            return 2
        terminal.complain(
            f"error[E0901]: internal error: {type(bug).__name__}: {bug}\n"
            "  = note: this is a bug in llmplan, not a mistake in the plan\n"
            "  = help: please report it with the plan and the output of the same command under LLMPLAN_DEBUG=1"
        )
        return 2


def _lacks_memory(bug: Exception) -> bool:
    """Whether memory is what failed. A library that cannot be loaded for want of it is an ImportError, and where there
    was none for the exception either, Python raises a SystemError."""
    told = str(bug)
    unmapped = isinstance(bug, ImportError) and "failed to map segment" in told
    return (
        isinstance(bug, MemoryError) or unmapped or (isinstance(bug, SystemError) and "without exception set" in told)
    )


def _is_nowhere() -> bool:
    """Whether the current directory was removed."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False
