"""`llmplan fmt`: plans in the canonical format."""

from __future__ import annotations

import click

from llmplan.cli import terminal
from llmplan.cli.inputs import gravest, read
from llmplan.cli.rewrite import difference, replace
from llmplan.diagnostics import Diagnostic, files


@click.command()
@click.argument("plans", nargs=-1, required=True, metavar="PLAN...")
@click.option("--check", is_flag=True, help="Write nothing; list the plans that would change (exit code 1).")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
def fmt(plans: tuple[str, ...], check: bool, diff: bool) -> int:
    """Formats plans: spacing, alignment, blank lines.

    There is one style and nothing to configure. `-` formats standard input to standard output. Plans
    with syntax errors are left unchanged.
    """
    return gravest([_format(plan, check, diff) for plan in plans])


def _format(plan: str, check: bool, diff: bool) -> int:
    from llmplan.source import Source
    from llmplan.syntax.format import format_file
    from llmplan.syntax.parse import parse

    text = read(plan)
    if isinstance(text, Diagnostic):
        terminal.show([text])
        return 2
    name = "<stdin>" if plan == "-" else plan
    source = Source(name, text)
    file, problems = parse(source)
    terminal.show(problems)
    if any(problem.severity == "error" for problem in problems):
        return 1
    laid_out = format_file(file, source)
    changed = laid_out != text
    if diff and changed:
        terminal.result(difference(name, text, laid_out, f"{name} (formatted)"))
    elif check and changed:
        terminal.result(f"{name} would change\n")
    elif plan == "-" and not check and not diff:
        terminal.result(laid_out)
    elif changed and not check and not diff:
        try:
            replace(plan, laid_out)
        except OSError as error:
            terminal.show([files.cannot_write(plan, error.strerror or str(error))])
            return 1
        terminal.result(f"{name} formatted\n")
    return int(check and changed)
