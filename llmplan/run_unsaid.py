"""What nobody says of a run whose log is read, neither the log nor its plan or its configurations.

Input: the plan of the run, with what the log says laid over it. Output: the paths of the inputs without which a step
has no time, and an error that names them in the user's own file.
"""

from __future__ import annotations

from collections.abc import Sequence

from llmplan import api
from llmplan.diagnostics import Diagnostic, logs
from llmplan.read.edits import Files
from llmplan.request import Request
from llmplan.source import Source, Span
from llmplan.system.levers import worth_of
from llmplan.system.missing import Missing, missing
from llmplan.system.missing_inputs import to_give

_ALONE = "serving.alone"
_TRAINS, _SERVES = ("step_time",), ("serving.output_rate",)
_MODEL = "model"
_CARD = "hardware.gpu"


def lacks(plan: Request) -> list[str]:
    """The inputs that the time of a step, or the rate of a server, cannot be computed without."""
    built = api.analyse(plan).built
    if built is None:
        return []
    lowering = built.lowering
    names = _SERVES if worth_of(_ALONE, lowering) else _TRAINS
    found = missing(*(one for name in names if isinstance(one := lowering.name(name), Missing)))
    return to_give(lowering, found.needs)


def told(log: str, paths: Sequence[str], files: Files) -> Diagnostic:
    """The error that names what nobody says."""
    paths = [*(path for path in paths if path == _CARD), *(path for path in paths if path != _CARD)]
    named = files.reading.found.get(_MODEL) if _MODEL in paths else None
    name = None if named is None else str(named.value.data)
    known = {"hardware.gpu": "--gpu NAME", "hardware.gpus": "--gpus N"}
    return logs.unsaid(log, list(files.texts), paths, _place(files), known, name)


def _place(files: Files) -> Span | None:
    """Where the files name a model that nobody knows, else the first line of the first of them."""
    named = files.reading.found.get(_MODEL)
    items = [] if named is None else [one for one in named.value.items if one.file in files.texts]
    name, text = next(iter(files.texts.items()), ("", ""))
    line = next((number for number, one in enumerate(text.split("\n"), 1) if one.strip()), 1)
    if items:
        name, line = items[0].file, items[0].line
    return _line(name, files.texts.get(name, ""), line)


def _line(name: str, text: str, number: int) -> Span | None:
    """A line of a file, without the blanks around it."""
    lines = text.split("\n")
    if not 0 < number <= len(lines):
        return None
    start = sum(len(one) + 1 for one in lines[: number - 1])
    line = lines[number - 1]
    return Span(Source(name, text), start + len(line) - len(line.lstrip()), start + len(line.rstrip()))
