"""The inputs of a run whose log is read: those that the log says, those of its plan, those of the command line.

Input: a piece of a log, and the plan of the run if there is one, which is solved with what the log says over it.
Output: lines of a `measured` statement, and the batch, length and GPUs that readings rest on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from attrs import evolve

from llmplan import api, importing, run_agreement, run_unsaid
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.values import Value as Planned
from llmplan.diagnostics import Diagnostic
from llmplan.logs import measured_text
from llmplan.logs.formula import Value, Word
from llmplan.logs.measured_text import Setting
from llmplan.logs.readings import Conditions, Reading
from llmplan.logs.summary import Piece
from llmplan.read.edits import Files
from llmplan.read.library import Library
from llmplan.request import Request
from llmplan.run_agreement import Difference
from llmplan.units import amount

_TARGETS = ("step_time", "memory.total", "memory.reserved")
_CARD = "hardware.gpu"
_SERVING, _OF_SERVER = "serving.alone", ("serving.output_rate", "serving.cache_tokens")
CONCURRENCY = "serving.concurrency"
NEEDED = ("model", "hardware.gpu", "hardware.gpus", "training.micro_batch", "dataset.sequence_length")
NEEDED_OF_SERVER = (*NEEDED[:3], "serving.input_tokens", "serving.output_tokens", CONCURRENCY)
_COMMAND_LINE = "on the command line"
_OF_SAMPLE = "training.sample_sequences"
_REQUESTS = "serving.asked"
_UNSAID = "dataset.lengths_unsaid"
_WHOLE = 1e-3
"""By how much a count that is a quotient may miss a whole number."""

Said = Mapping[str, tuple[str, int]]
"""Inputs of a log as a plan writes them, with their lines."""


class RunInputs:
    """What is known of the inputs of runs of one plan.

    Args:
        plan: Of the runs, if there is one.
        configurations: The files that make the plan, if they do.
        given: Inputs of the command line where there is no plan, each a path and a value as written.
    """

    def __init__(
        self, library: Library, plan: Request | None, configurations: Files | None, given: Sequence[tuple[str, str]]
    ) -> None:
        self.library = library
        self.plan = plan
        self.configurations = configurations
        self.places = {} if configurations is None else importing.places_in(configurations)
        self.given = dict(given)

    def said(self, piece: Piece) -> Said:
        """The inputs that a log says, as a plan writes them, with their lines."""
        told = dict(piece.inputs)
        for path, number in (("training.global_batch", piece.batch), ("dataset.sequence_length", piece.length)):
            if number and told.get(path, (None, 0))[0] != number:
                told[path] = (number, piece.first_line)
        found = {}
        for path, (value, line) in told.items():
            text = self._written(path, value)
            if text is not None:
                found[path] = (text, line)
        return found

    def contradicted(
        self, said: Said, counted: Mapping[str, tuple[float, int]], solution: Solution
    ) -> list[Difference]:
        """Where a log is of another run than the command line, the configurations or the model of the plan say.

        A plan may be of another size than the run that is measured for it: what the log says wins over the rest of it.
        """
        values = solution.values
        assert self.plan is not None
        return [
            *run_agreement.of_model(counted, values),
            *run_agreement.of_command(said, self.plan.settings, values),
            *run_agreement.of_configurations(said, self.places, values),
        ]

    def unsaid(self, said: Said, solution: Solution | None, log: str) -> Diagnostic | None:
        """That configurations leave out what the run cannot be computed without, or hardware that a search would
        decide; before there is a solution, the card, without which there is none."""
        if self.configurations is None or self.plan is None:
            return None
        missing: list[str] = []
        if solution is None:
            known = {*said, *self.places, *(path for path, _ in self.plan.settings)}
            missing += () if _CARD in known else (_CARD,)
        elif solution.status != "error":
            missing += run_agreement.undecided(solution)
        if missing or (solution is not None and solution.status == "error"):
            missing += (path for path in run_unsaid.lacks(self.over(said)) if path not in missing)
        return run_unsaid.told(log, missing, self.configurations) if missing else None

    def over(self, said: Said) -> Request:
        """The plan with what the log says over it, under what the command line says."""
        assert self.plan is not None
        settings = tuple((path, text) for path, (text, _) in said.items())
        return evolve(self.plan, settings=(*settings, *self.plan.settings))

    def solved(self, said: Said) -> Solution | None:
        """The plan of the run: the one given, with what the log says over it."""
        if self.plan is None:
            return None
        return api.solve(self.over(said))

    def planned(self, solution: Solution | None, readings: Sequence[Reading]) -> list[Reading]:
        """Readings with what the plan says of them."""
        values = {} if solution is None else solution.values
        found = []
        for one in readings:
            value = values[one.name].value if one.name in values else None
            number = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
            found.append(evolve(one, planned=number))
        return found

    def conditions(self, solution: Solution | None) -> Conditions:
        """What the plan, or the command line, says of batch, length and GPUs."""
        return self._given() if solution is None else of_solution(solution)

    def settings(self, said: Said, solution: Solution | None, file: str) -> list[Setting]:
        """The inputs of the statement: those of the log, then those of the plan that time or memory depend on."""
        planned = {} if solution is None else {one.name: one for one in _reached(solution.values)}
        order = {path: number for number, path in enumerate(self.library.inputs)}
        found = []
        for path, (text, line) in said.items():
            note = measured_text.place(file, (line, line))
            plan = None if solution is None else solution.values.get(path)
            if plan is not None:
                own = next((one.text for one in plan.others if one.layer in ("plan", "used")), text)
                if own.removesuffix("s") != text.removesuffix("s") and not own.startswith("?"):
                    note += f"; the plan says {own}"
            found.append(Setting(path, text, note))
        found += [Setting(path, text, _COMMAND_LINE) for path, text in self.given.items() if path not in said]
        for path, value in planned.items():
            searched = value.origin is not None and value.origin.layer == "solved"
            if self.configurations is not None and searched:
                continue  # configurations were written for a run: what they leave out is not known
            own_text = None if path in said else self._planned(path, value)
            if own_text is not None:
                found.append(Setting(path, own_text, self._place(path, value)))
        return sorted(found, key=lambda one: order.get(one.path, -1))

    def _written(self, path: str, value: Value) -> str | None:
        input = self.library.inputs.get(path)
        if input is None:
            return None
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, Word):
            return str(value)
        if isinstance(value, str):
            if input.form != "entry":
                return measured_text.quoted(value)
            entry, near = self.library.entry(input.kind, value)
            entry = entry or (near[0] if len(near) == 1 else None)
            return measured_text.quoted(entry) if entry is not None else None
        whole = round(value)
        if abs(value - whole) > _WHOLE * max(1, abs(whole)):
            return None
        unit = f" {input.units[1]}s" if len(input.units) > 1 else ""
        return f"{whole}{unit}"

    def _given(self) -> Conditions:
        """What the command line says of the run."""

        def number(path: str) -> float | None:
            value = importing.given(path, self.given[path]).data if path in self.given else None
            return float(value) if isinstance(value, Fraction) else None

        batch, length = number("training.global_batch"), number("dataset.sequence_length")
        if batch is not None and "token" in self.given["training.global_batch"]:
            batch = batch / length if length else None
        return Conditions(batch, length, number("hardware.gpus"))

    def _planned(self, path: str, value: Planned) -> str | None:
        input = self.library.inputs.get(path)
        form = "" if input is None else input.form
        if form == "entries" and isinstance(value.value, str):
            return f"[{', '.join(map(measured_text.quoted, value.value.split(', ')))}]"
        if value.origin is not None and value.origin.layer != "solved":
            return " ".join(value.origin.text.split())
        held = value.value
        if isinstance(held, bool):
            return "true" if held else "false"
        if isinstance(held, str):
            return held if form == "word" else measured_text.quoted(held)
        if held is None:
            return None
        unit = f" {value.unit}" if value.unit and value.unit not in ("GPU", "node") else ""
        return f"{amount.in_plan(Fraction(held))}{unit}"

    def _place(self, path: str, value: Planned) -> str:
        if path in self.places:
            return self.places[path]
        origin = value.origin
        if origin is None:
            return ""
        if origin.layer == "--set":
            return _COMMAND_LINE
        return f"{origin.place}, found by solving" if origin.layer == "solved" else origin.place


def sequences_of_a_sample(solution: Solution | None) -> int:
    """How many sequences are what a log of the plan's run counts as one."""
    value = solution.values.get(_OF_SAMPLE) if solution is not None else None
    return round(value.value) if value is not None and isinstance(value.value, (int, float)) else 1


def of_solution(solution: Solution) -> Conditions:
    """What a plan says of the run."""

    def number(path: str) -> tuple[float | None, str | None]:
        value = solution.values.get(path)
        held = None if value is None else value.value
        return (float(held), value.unit) if isinstance(held, (int, float)) and value is not None else (None, None)

    length, _ = number("dataset.sequence_length")
    batch, unit = number("training.global_batch")
    if batch is not None and unit == "token":
        batch = batch / length if length else None
    gpus, _ = number("hardware.gpus")
    (tokens, _), (sequences, _) = number("global_batch_tokens"), number("global_batch_sequences")
    unsaid = solution.values.get(_UNSAID)
    # What samples hold, where they are shorter than the length at which they are cut.
    mean = tokens / sequences if tokens and sequences else length
    asked, _ = number(_REQUESTS)
    return Conditions(batch, mean, gpus, unsaid is not None and unsaid.value is True, asked)


def decisive(values: Mapping[str, Planned]) -> set[str]:
    """The names of what time and memory depend on, or of a server its rate and its cache."""
    seen: set[str] = set()
    serves = _SERVING in values and values[_SERVING].value is True
    waiting = [name for name in (_OF_SERVER if serves else _TARGETS) if name in values]
    while waiting:
        name = waiting.pop()
        if name not in seen and name in values:
            seen.add(name)
            waiting += values[name].reads
    return seen


def _reached(values: Mapping[str, Planned]) -> list[Planned]:
    """The inputs that the plan says and that time or memory depend on."""
    seen = decisive(values)
    return [
        one
        for name, one in values.items()
        if one.role == "input" and _by_author(one) and (name in seen or name in ("model", "stack") or _near(name))
    ]


def _by_author(value: Planned) -> bool:
    """Whether the plan says it, or asks for it: not what the library leaves open and the search decides."""
    return value.authored and value.origin is not None and not value.origin.place.startswith("plans/std/")


def _near(path: str) -> bool:
    """Inputs of the layout, which decide what a step is also where a formula reads them by another name."""
    return path.startswith(("parallelism.", "adapter.")) or path in ("hardware.gpu", "hardware.gpus", *NEEDED)
