"""`llmplan calibrate`: what a log measures, as statements of a plan."""

from __future__ import annotations

import os
import re
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from llmplan.cli import configurations, new_file, terminal
from llmplan.cli.inputs import Ask, solving
from llmplan.cli.progress import progress
from llmplan.diagnostics import command
from llmplan.load.files import PLAN

if TYPE_CHECKING:
    from llmplan.calibration import Log

_RANGE = re.compile(r"(\d{1,15})(?:\.\.(\d{1,15}))?")
_MIB = 2**20
_SMALL = 2**24
"""Bytes of a file that may be a configuration."""


def steps_of(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[float, float] | None:
    """`500..2000`, or one step."""
    if value is None:
        return None
    found = _RANGE.fullmatch(value.replace("_", ""))
    if found is None:
        raise click.BadParameter(f"{value!r} is no range, as in --steps 500..2000")
    first, last = float(found[1]), float(found[2] or found[1])
    if first > last:
        raise click.BadParameter(f"{value!r} ends before it begins")
    return first, last


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="LOG... [PLAN | CONFIG...]")
@solving
@configurations.reading
@click.option("--format", metavar="NAME", help="The software that printed the logs, where they do not show it.")
@click.option("--steps", callback=steps_of, metavar="A..B", help="Only these steps.")
@click.option("-o", "target", metavar="FILE.plan", help="Write the statements to this file, which must be new.")
@click.option("--json", "as_json", is_flag=True, help="Print what was read as JSON.")
def calibrate(
    ask: Ask,
    files: tuple[str, ...],
    gpu: str | None,
    gpus: int | None,
    run: int | None,
    format: str | None,
    steps: tuple[float, float] | None,
    target: str | None,
    as_json: bool,
) -> int:
    """Reads what training runs printed, and writes it as `measured` statements of a plan, a line each with its place.

    LOG is what Megatron-LM, DeepSpeed, the Trainer of transformers, torchtitan, torchtune, Nanotron, NeMo, LLM Foundry,
    a server of vLLM or SGLang or a script of llmplan printed, or a file of W&B, TensorBoard or nvidia-smi; `-` is
    standard input, and gzip is unpacked. What it does not say is taken from the plan or the configurations of the run.
    A file is never replaced.

    \b
    What prints the time of steps, where a log lacks it:
      Trainer, TRL, LLaMA-Factory  include_num_input_tokens_seen: true, logging_steps: 1
      Axolotl                      its bar (standard error too), for some minutes
      Megatron-LM                  --log-interval 1 --timing-log-level 2
      torchtitan                   --metrics.log_freq 1
      a plan of llmplan            `emit probe` writes a short run with all of it
    """
    logs, plans = _told_apart(files, format)
    asked = configurations.of_run(ask, plans, gpu, gpus, run)
    if isinstance(asked, int):
        return asked
    request, read = asked
    from llmplan import calibration, calibration_json, importing

    settings = () if request else importing.settings(gpu, gpus, ask.options.get("settings", ()))
    folder = Path(os.path.dirname(target or "") or ".")
    with ExitStack() as stack:
        try:
            opened = [open_log(stack, name) for name in logs]
        except OSError as error:
            shown = str(error.filename or logs[0])
            terminal.show([command.unreadable(shown, error.strerror or "it is unreadable", os.path.isdir(shown))])
            return 2
        try:
            found = calibration.calibrate(opened, request, read, settings, format, steps, folder)
        except OSError as error:
            terminal.show([command.unreadable(logs[0], error.strerror or "it is unreadable")])
            return 2
    terminal.show(found.diagnostics)
    if as_json:
        terminal.document(calibration_json.as_json(found))
        return int(found.failed)
    if found.failed:
        return 1
    return new_file.write(target or "-", found.text, ": name another file, it is never replaced", "check")


def _told_apart(files: tuple[str, ...], format: str | None) -> tuple[list[str], list[str]]:
    """Logs, and the plan or the configurations: the first argument is a log, others by what they hold."""
    if files[0].endswith(PLAN):
        raise click.UsageError(f"{files[0]} is a plan: name the log first")
    found: tuple[list[str], list[str]] = ([files[0]], [])
    for name in files[1:]:
        found[not (name == "-" or (not name.endswith(PLAN) and is_log_file(name)))].append(name)
    real = [name if name == "-" else os.path.realpath(name) for name in found[0]]
    twice = next((name for name, path in zip(found[0], real, strict=True) if real.count(path) > 1), None)
    if twice is not None:
        raise click.UsageError(f"{twice} is named twice: one run counts once")
    return found


def is_log_file(name: str) -> bool:
    """Whether a file is a log by what it holds; a file so large is no configuration."""
    from llmplan import calibration

    try:
        if os.path.getsize(name) > _SMALL:
            return True
        with open(name, "rb") as stream:
            return calibration.is_log(calibration.Log(name, name, stream))
    except OSError:
        return False  # that it is unreadable is told with the configurations


def open_log(stack: ExitStack, name: str) -> Log:
    """A log by its name, `-` standard input, with a bar for what was read.

    Raises:
        OSError: It cannot be read.
    """
    from llmplan import calibration

    if name == "-":
        if sys.stdin is None:
            raise OSError(0, "it is closed", "<stdin>")
        return calibration.Log(calibration.STDIN, "run", sys.stdin.buffer)
    size = max(1, os.path.getsize(name) // _MIB)
    bar = stack.enter_context(progress())
    return calibration.opened(stack, name, lambda done: bar(min(size, done // _MIB), size, "MiB"))
