"""`llmplan explain`: the derivation of a value, or the meaning of a code."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from llmplan.cli import terminal
from llmplan.cli.inputs import Ask, solving
from llmplan.cli.progress import progress
from llmplan.cli.solve import STATUS
from llmplan.diagnostics import Diagnostic
from llmplan.load.files import PLAN

if TYPE_CHECKING:
    from llmplan.answer.derivation import Step

_CODE = re.compile(r"[EWew]\d{4}")


@click.command(options_metavar="[OPTIONS] CODE |")
@click.argument("what", nargs=-1, metavar="PLAN [QUANTITY]")
@solving
@click.option(
    "--depth",
    type=click.IntRange(min=0),
    help="How many levels of inputs to derive, or of what reads them.  [default: 1; 2 of a graph]",
)
@click.option("--all", "everything", is_flag=True, help="Derive every quantity, input and requirement of the plan.")
@click.option("--uses", metavar="NAME", help="List what depends on a quantity or an input, requirements too.")
@click.option(
    "--graph", type=click.Choice(("mermaid", "svg")), help="Draw what QUANTITY depends on, or what depends on NAME."
)
@click.option(
    "--format", "form", type=click.Choice(("text", "markdown", "json")), default="text", help="[default: text]"
)
@click.option("--json", "as_json", is_flag=True, help="Same as --format json.")
def explain(
    ask: Ask, what: tuple[str, ...], depth: int | None, everything: bool, uses: str | None, graph: str | None,
    form: str, as_json: bool,
) -> int:  # fmt: skip
    """Explains a diagnostic's CODE, or derives a QUANTITY of a plan: formula, numbers, sources.

    Without a QUANTITY, lists what can be explained, with its value.
    """
    if len(what) == 1 and _CODE.fullmatch(what[0]):
        return _code(what[0].upper())
    plan, quantity = _asked(what, bool(ask.options["statements"]))
    if quantity is not None and everything:
        raise click.UsageError("--all derives everything: name no quantity")
    if uses is not None and (quantity is not None or everything):
        raise click.UsageError(f"--uses {uses} lists what depends on it: name no other quantity")
    if graph and quantity is None and uses is None:
        raise click.UsageError("--graph draws what one quantity depends on: name it, as in `explain PLAN time --graph`")
    asked = ask(plan)
    if isinstance(asked, Diagnostic):
        terminal.show([asked])
        return 2
    from llmplan import api

    with progress() as line:
        levels = (2 if graph else 1) if depth is None else depth
        solution, steps = api.explain(
            asked, quantity if uses is None else uses, depth=levels, uses=uses is not None, progress=line
        )
    terminal.show(solution.diagnostics)
    if solution.status == "error":
        return STATUS["error"]
    from llmplan.answer.derivation import brief

    if graph:
        return _drawn(steps, graph, uses is not None, solution.status)
    if quantity is None and uses is None and not everything:
        steps = [brief(step) for step in steps]
    if as_json or form == "json":
        from llmplan.emit import steps_json

        terminal.document(steps_json.as_json(steps))
    else:
        from llmplan.present import derivation
        from llmplan.present.words import words_of

        markdown = form == "markdown"
        words = words_of()
        told = derivation.as_markdown(steps, words) if markdown else terminal.wrapped(derivation.text(steps, words))
        terminal.result(told)
    return STATUS[solution.status]


def _drawn(steps: Sequence[Step], graph: str, uses: bool, status: str) -> int:
    from llmplan.present import mermaid
    from llmplan.present.charts.graph import graph as chart
    from llmplan.present.svg.graph import graph as drawn
    from llmplan.present.words import words_of

    shown = chart(steps, words_of(), uses)
    terminal.result(drawn(shown) if graph == "svg" else mermaid.text(shown))
    return STATUS[status]


def _asked(what: tuple[str, ...], alone: bool) -> tuple[str | None, str | None]:
    """The plan and the quantity; statements make either unnecessary.

    Args:
        alone: True if there are statements, which need no plan.
    """
    if len(what) == 2:
        return what
    if len(what) == 1 and (what[0] == "-" or what[0].endswith(PLAN) or os.path.exists(what[0])):
        return what[0], None
    if alone and len(what) < 2:
        return None, (*what, None)[0]
    raise click.UsageError(
        "explain takes a code such as `E0301`, or a plan and the name of a quantity"
        if len(what) != 1
        else f"`{what[0]}` is neither a code such as `E0301` nor a plan; `llmplan explain PLAN {what[0]}` "
        "derives a quantity of a plan"
    )


def _code(code: str) -> int:
    from llmplan.diagnostics import pages

    text = pages.page(code)
    if text is None:
        raise click.UsageError(f"unknown code {code}; codes are {', '.join(pages.codes())}")
    terminal.result(text)
    return 0
