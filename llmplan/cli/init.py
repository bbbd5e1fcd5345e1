"""`llmplan init`: a commented plan to start from, for what is asked on the command line."""

from __future__ import annotations

import os

import click
from attrs import evolve

from llmplan.cli import configurations, new_file, terminal
from llmplan.cli.inputs import starting
from llmplan.cli.progress import progress
from llmplan.cli.solve import STATUS
from llmplan.diagnostics import Diagnostic
from llmplan.diagnostics.spelling import closest
from llmplan.request import Request

_EFFORT = 0.1
"""Nobody reads the advice on a plan that is not written."""


_EXISTS = "; name another file: llmplan init FILE"


@click.command()
@click.argument("plan", default="run.plan", metavar="[PLAN]")
@click.option(
    "--model", default="llama-3.1-8b", metavar="NAME", help="`llmplan catalog models` lists them.", show_default=True
)
@click.option("--gpus", type=click.IntRange(min=1), metavar="N", help="Number of GPUs.  [default: the fewest that do]")
@click.option(
    "--gpu", default="H100-SXM5-80GB", metavar="NAME", help="`llmplan catalog gpus` lists them.", show_default=True
)
@click.option("--emit", "emits", multiple=True, metavar="TARGET", help="What to write configurations for; repeatable.")
@click.option(
    "--from",
    "sources",
    multiple=True,
    metavar="CONFIG",
    help="Write what this configuration of other software says instead, as `llmplan import`; repeatable.",
)
@starting
def init(plan: str, model: str, gpus: int | None, gpu: str, emits: tuple[str, ...], sources: tuple[str, ...]) -> int:
    """Writes PLAN, a commented plan to start from; run.plan by default, `-` prints it.

    No file is overwritten. The plan compiles: where none would, nothing is written, and the reason is said. What --from
    writes leaves open what no file says.
    """
    if sources:
        return _imported(plan, sources, gpus)
    from llmplan import api
    from llmplan.emit.targets import load, targets
    from llmplan.present.start import Asked
    from llmplan.present.start import plan as written
    from llmplan.present.words import words_of

    if plan != "-" and os.path.lexists(plan):
        raise click.UsageError(f"{plan} exists{_EXISTS}")
    if plan != "-" and not plan.endswith(".plan"):
        raise click.UsageError(f"{plan}: the name of a plan ends in `.plan`")
    named = [name.strip() for each in emits for name in each.split(",")]
    known, manifests = targets(), load()[0]
    for name in named:
        if name not in known:
            near = closest(name, known) or sorted(known)
            raise click.UsageError(f"no target `{name}`; did you mean {', '.join(f'`{one}`' for one in near)}?")
    asked = Asked(model, gpu, gpus, {name: dict(manifests[name].start) for name in named})
    texts = [written(one, words_of()) for one in (asked, evolve(asked, split=True))]
    for text in texts:
        with progress() as line:
            solution = api.solve(Request(plan, text, effort=_EFFORT, progress=line))
        if solution.status != "infeasible":
            break
    if solution.status != "solved":
        terminal.show(solution.diagnostics)
        return STATUS[solution.status]
    return new_file.write(plan, text, _EXISTS, "compile")


def _imported(plan: str, sources: tuple[str, ...], gpus: int | None) -> int:
    """Writes what configurations say."""
    if plan != "-" and os.path.lexists(plan):
        raise click.UsageError(f"{plan} exists{_EXISTS}")
    sources = configurations.expanded(sources)
    found = configurations.read(sources, _given("gpu"), gpus, (), None, False, os.path.dirname(plan))
    if isinstance(found, Diagnostic):
        terminal.show([found])
        return 2
    terminal.show(found.diagnostics)
    if found.failed:
        return 1
    from llmplan import importing

    return new_file.write(plan, importing.kept(found), _EXISTS, used=configurations.used(sources, found.plan))


def _given(option: str) -> str | None:
    """An option of this command, None where nobody gave it."""
    context = click.get_current_context()
    given = context.get_parameter_source(option) is click.core.ParameterSource.COMMANDLINE
    return str(context.params[option]) if given else None
