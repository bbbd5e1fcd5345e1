"""E0515 to E0518, E0568, W0629: logs of which nothing can be measured, or more than one thing."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from llmplan.diagnostics.record import Diagnostic, Hint, error, warning
from llmplan.escape import visible_line
from llmplan.source import Span

_LONGEST = 160


def unknown_log(file: str, stray: tuple[int, str] | None, formats: Sequence[str]) -> Diagnostic:
    """E0515: no format has a line of a log. `stray`: its first line of which nothing is understood, with its number."""
    notes = [f"logs of these are read: {', '.join(formats)}"]
    if stray is None:
        return error("E0515", f"there is nothing in `{visible_line(file)}`", None, notes=notes)
    number, line = stray
    shown = visible_line(line)
    shown = shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
    where = f"{visible_line(file)}:{number}" if number else visible_line(file)
    notes.insert(0, f"{where} is the first line that is not understood: {shown}")
    hint = "give the output of the training itself; a format of your own is a `log.plan` (docs/calibrate.md)"
    return error(
        "E0515", f"nothing in `{visible_line(file)}` is a line of a format that is read", None, hint, notes=notes
    )


def unknown_format(name: str, formats: Sequence[str]) -> Diagnostic:
    """E0515: `--format` names none."""
    return error("E0515", f"there is no format `{visible_line(name)}`", None, f"one of {', '.join(formats)}")


def too_long(file: str, most: str) -> Diagnostic:
    """E0515: one JSON document that cannot be read line by line."""
    hint = "give the log of the console, or records a line"
    return error("E0515", f"`{visible_line(file)}` is one JSON document of more than {most}", None, hint)


def several(file: str, pieces: Sequence[str], latest: str, change: str) -> Diagnostic:
    """E0516: a log holds steps under several conditions.

    Args:
        latest: The last of them, as `--steps` takes it; `change` its speed against the one before, empty if unknown.
    """
    message = f"`{visible_line(file)}` holds {len(pieces)} stretches of steps that do not go together"
    hint = f"say which: the latest, `--steps {latest}`{f', is {change}' if change else ''}"
    return error("E0516", message, None, Hint(hint), notes=pieces)


def nothing_measured(file: str, reasons: Sequence[str], hints: Sequence[str], line: int = 0) -> Diagnostic:
    """E0517: a log was understood, and has no step, memory or rate that counts. `line`: of the first reason."""
    reasons = [f"{visible_line(file)}:{line}: {reasons[0]}", *reasons[1:]] if line else reasons
    message = f"`{visible_line(file)}` has nothing that a plan can be measured by"
    return error("E0517", message, None, *(Hint(hint) for hint in hints), notes=reasons)


def another_run(file: str, differences: Sequence[tuple[str, str, str, int]]) -> Diagnostic:
    """E0518: a log of a run that is not the planned one. Each difference: input, planned, seen, and its line."""
    path, planned, seen, _ = differences[0]
    message = f"`{visible_line(file)}` is of another run: expected `{path} = {planned}`, found {seen}"
    told = [f"{visible_line(file)}:{line} `{path}` is {seen}, planned {plan}" for path, plan, seen, line in differences]
    hint = Hint("give the plan or the configurations of that run")
    if path.startswith("model."):
        return error("E0518", message, None, hint, notes=told)
    return error("E0518", message, None, hint, Hint(f"or say `--set {shlex.quote(f'{path}={seen}')}`"), notes=told)


def unsaid(
    log: str,
    files: Sequence[str],
    paths: Sequence[str],
    place: Span | None,
    options: Mapping[str, str],
    model: str | None = None,
) -> Diagnostic:
    """E0560: neither log nor plan nor configurations say what the run cannot be compared without.

    Args:
        files: The plan, or the configurations.
        place: In one of them.
        options: Of the command line, by the input that they set.
        model: The name of a model that the catalog lacks.
    """
    told = " nor ".join(f"`{visible_line(name)}`" for name in (log, *files))
    message = f"neither {told} says `{'` and `'.join(paths)}` of the run"
    if model is not None and list(paths) == ["model"]:
        message = f"the catalog has no model `{visible_line(model)}`, which the run of `{visible_line(log)}` has"
    short = [options[path] for path in paths if path in options]
    hints = [f"say it: `{' '.join(short)}`"] if short else []
    if "model" in paths:
        label = "the model is not named" if model is None else "the catalog has no such model"
        hints.append(
            "give the model's config.json beside the other files, or name it: `--set model=llama-7b` "
            "(`llmplan catalog models` lists them)"
        )
    else:
        label = "not said here"
    hints += [f"say it: `--set {path}=…`" for path in paths if path not in options and path != "model"]
    return error("E0560", message, place, *hints, label=label if place is not None else "")


HOW_LONG = (
    "say how long samples are in the mean: `dataset.mean_length = 600 tokens` in the plan, or as `--set`",
    "or let the software count tokens: the Trainer does with `include_num_input_tokens_seen: all`",
)
"""What makes the speed of a run with padded samples one of known tokens."""


def lengths_unsaid(file: str, length: str) -> Diagnostic:
    """W0629: the time of a step of a log is of samples that are shorter than planned by nobody knows how much."""
    message = (
        f"`{visible_line(file)}` has steps of padded samples, and nobody says how long they are: its speed is left out"
    )
    note = f"the plan counts each sample with {length} tokens, the most it may have: shorter ones take less time"
    return warning("W0629", message, None, *(Hint(hint) for hint in HOW_LONG), notes=[note])


def beyond_peak(file: str, share: str, gpus: str | None, options: bool, samples: bool) -> Diagnostic:
    """E0568: the speed of a log is more than the planned cards can reach.

    Args:
        gpus: How many are planned; None where the log says it.
        options: Whether the command takes `--gpus` and `--gpu`, as with configurations.
        samples: Whether it trains on samples that may be shorter than planned.
    """
    message = f"`{visible_line(file)}` is of another run: at its speed the planned GPUs would reach an MFU of {share}"
    note = (
        "large matrix products alone reach less: it has other cards, more of them, a smaller batch or shorter samples"
    )
    count, card = ("--gpus N", "--gpu NAME") if options else ("--set hardware.gpus=N", "--set hardware.gpu=NAME")
    hints = [] if gpus is None else [Hint(f"say how many GPUs it had, if more than the planned {gpus}: `{count}`")]
    hints.append(Hint(f"say what else it had: `{card}`, `--set training.global_batch=…`"))
    if samples:
        hints.append(
            Hint("say how long its samples are: `--set dataset.batching=padded --set dataset.mean_length=600`")
        )
    return error("E0568", message, None, *hints, notes=[note])


def nothing_planned(file: str, missing: Sequence[str]) -> Diagnostic:
    """E0518: nothing of what a log says has a value in the plan. `missing`: inputs that the plan needs for one."""
    notes = [f"the plan gives no speed without {_listed(missing)}"] if missing else []
    hints = [_to_set(path) for path in missing]
    return error("E0518", f"the plan says nothing of what `{visible_line(file)}` measures", None, *hints, notes=notes)


def not_compared(file: str, name: str, missing: Sequence[str]) -> Diagnostic:
    """W0638: a figure of a log has none beside it, as the plan lacks inputs."""
    message = f"`{name}` of `{visible_line(file)}` is not compared: the plan does not say {_listed(missing)}"
    return warning("W0638", message, None, *map(_to_set, missing))


def waits(file: str, seconds: str) -> Diagnostic:
    """W0639: steps of a log that is measured wait for their data."""
    message = f"each step of `{visible_line(file)}` waits {seconds} for its data, which a plan takes for computing"
    hint = "measure a run whose data come in time: more workers, a faster disk, or data that are made up"
    return warning("W0639", message, None, hint)


def _listed(paths: Sequence[str]) -> str:
    return f"`{'` and `'.join(paths)}`"


def _to_set(path: str) -> str:
    """How an input is given that a plan leaves out."""
    value = "llama-7b" if path == "model" else "…"
    return f"write it into the plan, or give `--set {path}={value}`"
