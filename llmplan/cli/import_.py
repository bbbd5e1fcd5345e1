"""`llmplan import`: configurations of other software as a plan."""

from __future__ import annotations

import os

import click

from llmplan.cli import configurations, new_file, terminal
from llmplan.cli.inputs import plain_settings
from llmplan.diagnostics import Diagnostic


@click.command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@configurations.reading
@plain_settings
@click.option("-o", "target", metavar="PLAN", help="Write the plan to this file instead of standard output.")
@click.option("--force", is_flag=True, help="Replace the file of -o.")
@click.option("--json", "as_json", is_flag=True, help="Print the plan, every key and what was assumed as JSON.")
def import_(
    files: tuple[str, ...],
    gpu: str | None,
    gpus: int | None,
    run: int | None,
    settings: tuple[tuple[str, str], ...],
    target: str | None,
    force: bool,
    as_json: bool,
) -> int:
    """Reads configurations as one plan: DeepSpeed, Accelerate, Hugging Face and TRL, LLaMA-Factory, Axolotl, ms-swift,
    Megatron-LM, torchtitan and others, scripts that launch them, manifests, a model's config.json.

    Nothing in FILE is run. A line ends with its place; what no file says is `?`; below the plan stands every
    key that is not in it.
    """
    files = configurations.expanded(files)
    found = configurations.read(files, gpu, gpus, settings, run, False, os.path.dirname(target or ""))
    if isinstance(found, Diagnostic):
        terminal.show([found])
        return 2
    terminal.show(found.diagnostics)
    from llmplan import importing

    if as_json:
        terminal.document(importing.as_json(found))
        return int(found.failed)
    if found.failed:
        return 1
    exists = ": name another file, or replace it with --force"
    used = configurations.used(files, found.plan)
    return new_file.write(target or "-", importing.kept(found), exists, replace=force, used=used)
