"""`measured` statements from logs: the log read, what it does not say taken from the plan of the run, and written."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from attrs import evolve, frozen

from llmplan import calibration_text, importing, joined_runs, measured_model, run_agreement, run_inputs
from llmplan.answer.schema.solution import Solution
from llmplan.check import library
from llmplan.diagnostics import Diagnostic, logs
from llmplan.load import files
from llmplan.logs import measured_text, summary
from llmplan.logs.forms import LogFormat, formats
from llmplan.logs.measured_text import Setting
from llmplan.logs.opening import Bytes
from llmplan.logs.pooled import pooled
from llmplan.logs.reading import MOST_JSON, Heard, read
from llmplan.logs.readings import STEP, Reading, conditions, missing, of_parts, of_piece, of_whole, waited
from llmplan.logs.served import of_server, other_load
from llmplan.logs.summary import Piece
from llmplan.measured_run import Run
from llmplan.read.edits import Files
from llmplan.request import Request
from llmplan.run_inputs import CONCURRENCY, RunInputs, Said
from llmplan.units import amount

STDIN = "<stdin>"
"""The name of standard input as a log."""

_ENDINGS = re.compile(r"(\.gz|\.(log|out|txt|json|jsonl|csv|err))+$")


@frozen
class Log:
    """A log to be read: its name, the one that a statement gets, and its bytes."""

    file: str
    name: str
    stream: BinaryIO
    told: Callable[[int], None] = lambda _: None


@frozen
class Calibration:
    """What logs measure.

    Attributes:
        text: Of a plan with a `measured` statement for each log; empty where an error prevents it.
    """

    text: str
    runs: tuple[Run, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def failed(self) -> bool:
        return any(one.severity == "error" for one in self.diagnostics)


def opened(stack: ExitStack, file: str, told: Callable[[int], None] = lambda _: None) -> Log:
    """A file to be read as a log until the stack ends; its statement is named as it, without the endings of logs.

    Raises:
        OSError: It cannot be read.
    """
    stream = stack.enter_context(open(file, "rb"))  # noqa: SIM115, closed with the stack
    name = os.path.basename(file)
    return Log(files.shown(Path(file)), _ENDINGS.sub("", name) or name, stream, told)


def is_log(log: Log) -> bool:
    """Whether a file tells steps, memory or a run, as a configuration does not."""
    heard = read(Bytes(log.stream), formats())
    common = heard.telling.common
    runs = heard.telling.runs.values()
    return bool(any(run.steps for run in runs) or common.memory or common.summary or common.links)


def named(format: str) -> tuple[LogFormat, ...]:
    """The formats that a name means, by their folder, their own name or another one; none for an unknown name."""
    wanted = format.lower().replace("_", "-")
    return tuple(one for one in formats() if wanted in {name.lower().replace("_", "-") for name in one.aliases})


def names() -> list[str]:
    """What people call the logs that can be read."""
    return sorted((one.name for one in formats()), key=str.lower)


def calibrate(
    given: Iterable[Log],
    plan: Request | None = None,
    configurations: Files | None = None,
    settings: Sequence[tuple[str, str]] = (),
    format: str | None = None,
    steps: tuple[float, float] | None = None,
    folder: Path = Path(),
) -> Calibration:
    """Reads logs of runs of one plan.

    Args:
        plan: Of the runs; what a log says wins over it.
        configurations: The files that make the plan, if they do.
        settings: Inputs that the command line gives where there is no plan, each a path and a value as written.
        steps: Only these, from the first to the last.
        folder: Where the plan with the statements will stand.
    """
    chosen = formats() if format is None else named(format)
    if not chosen:
        return Calibration("", (), (logs.unknown_format(format or "", names()),))
    scope, _, broken = library.load(tables=False)
    assert not broken, broken
    inputs = RunInputs(importing.library_of(scope, folder), plan, configurations, settings)
    reader = Reader(inputs, chosen, steps, scope.timers)
    runs: list[Run] = []
    problems: list[Diagnostic] = []
    for log in given:
        run, found = reader.run(log)
        runs.append(run)
        problems += found
    problems = list(dict.fromkeys(problems))
    problems += [warned for run in runs if (warned := _waiting(run)) is not None]
    failed = any(one.severity == "error" for one in problems)
    if failed:
        return Calibration("", tuple(runs), tuple(problems))
    runs = measured_model.named(joined_runs.joined(runs, inputs), inputs)
    return Calibration(calibration_text.of(runs), tuple(runs), tuple(problems))


def _waiting(run: Run) -> Diagnostic | None:
    """That the steps of a run wait for their data, which moves the constants of its plan."""
    step = next((one.value for one in run.readings if one.name == STEP and not one.doubtful), None)
    seconds = waited(run.piece, step) if step is not None and run.piece is not None else None
    return None if seconds is None else logs.waits(run.file, f"{amount.reading(seconds, 3)} s")


class Reader:
    """Reads logs of runs of one plan, one after another; `timers` are the quantities that parts of a step are."""

    def __init__(
        self,
        inputs: RunInputs,
        formats: Sequence[LogFormat],
        steps: tuple[float, float] | None,
        timers: Mapping[str, str] | None = None,
    ) -> None:
        self.inputs = inputs
        self.formats = formats
        self.steps = steps
        self.timers = timers or {}

    def run(self, log: Log) -> tuple[Run, list[Diagnostic]]:
        """What one log measures, and what prevents it."""
        heard = read(Bytes(log.stream, log.told), self.formats, self.steps)
        common = heard.telling.common
        pieces = pooled(summary.pieces(heard))
        piece = pieces[-1] if pieces else summary.without_steps(heard)
        links = tuple(common.links)

        def result(readings: Sequence[Reading] = (), settings: Sequence[Setting] = ()) -> Run:
            lacks = missing(heard.format, list(readings), piece.parts if piece else {}) if heard.format else []
            return Run(
                log.file, log.name, heard, pieces, piece, tuple(readings), tuple(settings), tuple(lacks), links
            )  # fmt: skip

        if heard.too_long:
            return result(), [logs.too_long(log.file, amount.binary(MOST_JSON))]
        if piece is None or heard.format is None:
            return result(), [logs.unknown_log(log.file, heard.stray, names())]
        if common.refused is not None and not pieces:
            because, line = common.refused
            return result(), [logs.nothing_measured(log.file, [because], [], line)]
        said = self.inputs.said(piece)
        if unsaid := self.inputs.unsaid(said, None, log.file):
            return result(), [unsaid]
        solution = self.inputs.solved(said)
        samples = run_inputs.sequences_of_a_sample(solution)
        if samples != 1:
            piece = summary.in_sequences(piece, samples)
            said = self.inputs.said(piece)
            solution = self.inputs.solved(said)
        if solution is not None and solution.status == "error":
            unsaid = self.inputs.unsaid(said, solution, log.file)
            return result(), [unsaid] if unsaid is not None else list(solution.diagnostics)
        if solution is not None:
            # First what nobody says: what a search decides of it makes the rest look like another run.
            if unsaid := self.inputs.unsaid(said, solution, log.file):
                return result(), [unsaid]
            differences = self.inputs.contradicted(said, common.counted, solution)
            if differences:
                return result(), [logs.another_run(log.file, differences)]
        elif contrary := list(run_agreement.of_command(said, self.inputs.given.items(), {})):
            return result(), [logs.another_run(log.file, contrary)]
        planned = self.inputs.conditions(solution)
        if (load := other_load(common, planned.requests)) is not None:
            return result(), [logs.another_run(log.file, [(CONCURRENCY, *load)])]
        run = conditions(piece, planned)
        if self._ambiguous(pieces):
            told = [measured_text.described(one, of_piece(one, conditions(one, planned))) for one in pieces]
            latest = measured_text.example(pieces[-1])
            return result(), [logs.several(log.file, told, latest, measured_text.change(pieces[-2], pieces[-1]))]
        readings = of_piece(piece, run) + of_server(common)
        reasons: list[str] = []
        whole = summary.whole(heard)
        if whole is not None and whole.samples_rate is not None:
            whole = evolve(whole, samples_rate=whole.samples_rate * samples)
        if whole is not None and not pieces:
            mean, why = of_whole(whole, run)
            readings[:0] = [mean] if mean is not None else []
            reasons += [why] if why else []
        readings += of_parts(piece, next(iter(readings), None), self.timers)
        readings = self.inputs.planned(solution, readings)
        settings = self.inputs.settings(said, solution, log.file)
        if self.steps is not None and not pieces:
            text = f"it has no step of {amount.reading(self.steps[0])} .. {amount.reading(self.steps[1])} that counts"
            last = max((one.last for one in heard.telling.runs.values() if one.last is not None), default=None)
            text += f": the last one is {amount.reading(last)}" if last is not None and last < self.steps[0] else ""
            return result(readings, settings), [logs.nothing_measured(log.file, [text], [])]
        if (share := run_agreement.beyond_peak(readings, solution)) is not None:
            return result(readings, settings), [self._beyond_peak(log, share, said, solution)]
        blind = run.unsaid and any(one.name == STEP and one.doubtful for one in readings)
        if not any(not one.doubtful for one in readings) and not links:
            doubted = [one for one in readings if one.doubtful]
            if measured_text.all_skipped(piece) or not (doubted or reasons):
                reasons.insert(0, measured_text.reason(piece))
            reasons += [f"{one.name} = {measured_text.shown(one)}, {one.note}, is not used" for one in doubted]
            return result(readings, settings), [
                logs.nothing_measured(log.file, reasons, self._hints(log, heard, piece, solution, blind))
            ]
        problems = [logs.lengths_unsaid(log.file, amount.count(run.length or 0))] if blind else []
        return evolve(result(readings, settings), solution=solution), problems

    def _beyond_peak(self, log: Log, share: float, said: Said, solution: Solution | None) -> Diagnostic:
        values = {} if solution is None else solution.values
        gpus, task = values.get("hardware.gpus"), values.get("training.task")
        planned = None if gpus is None or "hardware.gpus" in said else gpus.amount.short()
        samples = task is not None and task.value == "finetune"
        return logs.beyond_peak(
            log.file, amount.percentage(share), planned, self.inputs.configurations is not None, samples
        )

    def _hints(self, log: Log, heard: Heard, piece: Piece, solution: Solution | None, blind: bool) -> Sequence[str]:
        """What gives a log something to be measured by; `blind`: it lacks the length of its samples alone."""
        if blind:
            return logs.HOW_LONG
        if measured_text.all_skipped(piece):
            return ["let it run until steps are taken, or train in bf16, which scales no loss"]
        if measured_text.only_first(piece):
            return ["let it run for some more steps: the next ones are read"]
        hints = []
        file = "-" if log.file == STDIN else shlex.quote(log.file)
        if not piece.steady.kept and not heard.telling.common.stepped:
            hints.append(f"its end says why no step was printed; `llmplan why {file}` explains one without memory")
        if solution is None:
            hints.append(f"say what the log does not: `llmplan calibrate {file} PLAN`, or `--set hardware.gpus=8`")
        assert heard.format is not None
        printed = [(switch, where) for what, switch, where in heard.format.prints if what == "step.time"]
        return [f"`{switch}` prints it{f', {where}' if where else ''}" for switch, where in printed] + hints

    def _ambiguous(self, pieces: Sequence[Piece]) -> bool:
        """Whether nobody has said which of several pieces is meant: of attempts over the same steps it is the last."""
        if len(pieces) < 2:
            return False
        last = pieces[-1]
        overlap = all(one.first_step <= last.last_step and last.first_step <= one.last_step for one in pieces)
        alone = all(one.attempt != last.attempt for one in pieces[:-1])
        return not (self.steps is not None and alone and overlap)
