"""`llmplan check`: diagnostics only, nothing is solved."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click
from attrs import evolve

from llmplan.cli import terminal
from llmplan.cli.inputs import Ask, checking, gravest
from llmplan.diagnostics import Diagnostic, files
from llmplan.load.files import STATEMENTS
from llmplan.request import Request

_FORMATS = ("text", "json", "sarif", "github")


@click.command()
@click.argument("plans", nargs=-1, metavar="PLAN...")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="text", help="[default: text]")
@click.option("--fix", is_flag=True, help="Apply the first edit that is suggested for each mistake, then check again.")
@checking
def check(ask: Ask, plans: tuple[str, ...], form: str, fix: bool) -> int:
    """Reports mistakes in plans, without solving them.

    Text goes to standard error, machine-readable formats to standard output.
    """
    from llmplan import api

    found: list[Diagnostic] = []
    told: set[str] = set()
    codes = []
    for plan in plans or (None,):
        asked = ask(plan)
        if isinstance(asked, Diagnostic):
            diagnostics, code = [asked], 2
        else:
            diagnostics = api.check(asked)
            if fix and _fixed(asked, diagnostics, form):
                diagnostics = api.check(evolve(asked, text=None))
            code = int(any(diagnostic.severity == "error" for diagnostic in diagnostics))
            diagnostics = _once(diagnostics, plans, told)
        if form == "text":
            terminal.show(diagnostics)
            terminal.result(f"{plan or STATEMENTS}: {_verdict(diagnostics)}\n")
        found += diagnostics
        codes.append(code)
    if form != "text":
        terminal.result(import_module(f"llmplan.diagnostics.render_{form}").render(found))
    return gravest(codes)


def _fixed(asked: Request, diagnostics: list[Diagnostic], form: str) -> bool:
    """Applies what can be applied to the plan's own file; whether anything was."""
    from llmplan.cli import rewrite

    hints = rewrite.applicable(diagnostics, asked.name)
    if not hints or asked.text is None or not os.path.isfile(asked.path):
        return False
    try:
        rewrite.replace(asked.path, rewrite.edited(asked.text, hints))
    except OSError as error:
        terminal.show([files.cannot_write(asked.path, error.strerror or str(error))])
        return False
    if form == "text":
        for hint in hints:
            terminal.result(f"{asked.path}: fixed: {hint.text}\n")
    return True


def _once(diagnostics: Sequence[Diagnostic], plans: Sequence[str], told: set[str]) -> list[Diagnostic]:
    """Diagnostics of a plan; what is wrong elsewhere in its library is noted once, and not where that is checked too.

    Args:
        told: The places that were noted; those of this plan are added.
    """
    found = []
    for one in diagnostics:
        if one.severity == "note" and one.code.startswith("E") and one.span is not None:
            if str(one.span) in told or any(Path(one.span.source.name).resolve() == Path(p).resolve() for p in plans):
                continue
            told.add(str(one.span))
        found.append(one)
    return found


def _verdict(diagnostics: list[Diagnostic]) -> str:
    """`ok`, or `2 errors, 1 warning`."""
    counts = []
    for severity in ("error", "warning"):
        count = sum(diagnostic.severity == severity for diagnostic in diagnostics)
        if count:
            counts.append(f"{count} {severity}{'s' if count > 1 else ''}")
    return ", ".join(counts) or "ok"
