"""What stands in charts: titles, axes, legends, labels, and the texts for those who cannot see them.

Input: amounts as they are written, and names of a plan. Output: texts that are neither cut nor escaped.
"""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.requirements import Operation
from llmplan.present import names
from llmplan.present.words.en.labels import SIGNS
from llmplan.units.amount import Range

_LIMITS = {"le": "at most", "lt": "below", "ge": "at least", "gt": "above", "eq": "exactly"}
"""How a value stands to its limit, by the operation between them."""

_BANDS = {names.REALISED: "how published runs went", names.STEP_ESTIMATE: "the model of step time"}
"""What quantities with a band are called."""

_MEASURED_PEAKS = "├─┤ eight of ten measured peaks lie between."
_ROWS = "Each row below the first changes one input and leaves the rest."
_CALENDAR = "Time is on the calendar."


class Charts:
    """Texts of charts."""

    measured_runs = "eight of ten measured runs"
    plan_ranges = "the ranges of the plan"
    the_answer = "the answer"
    nearest_plan = "the nearest plan"
    whole_step = "step time"
    on_the_calendar_series = "on the calendar"
    planned_series = "as planned"
    less_than_a_per_cent = "< 1"

    def smaller_parts(self, count: int) -> str:
        return f"{count} smaller parts"

    def by_input(self, result: str, input_: str) -> str:
        """`Time on the calendar by GPUs`."""
        return f"{result} by {input_}"

    def curve_title(self, title: str, subject: str, marks: Sequence[tuple[str, str]]) -> str:
        """`time on the calendar by GPUs, A100-SXM4-80GB: 29.1 days at 128 GPUs, safe from 224 GPUs`."""
        return f"{self.among(title, subject)} ({', '.join(label for label, _ in marks)})"

    def among(self, title: str, subject: str) -> str:
        """A title with the entry that it is about: `time by hardware.gpus, A100-SXM4-80GB`."""
        return f"{title}, {subject}" if subject else title

    def limit_line(self, requirement: str, operation: str, value: str) -> str:
        """`deadline: at most 30 days`."""
        return f"{requirement}: {_LIMITS[operation]} {value}"

    def verdict_of_a_point(self, verdict: str, chance: str) -> str:
        """`likely: 63%`, or the verdict alone; empty without one."""
        return f"{verdict}: {chance}" if chance else verdict

    def noted(self, value: str, judgement: str) -> str:
        """`28.73 days – likely: 63%`."""
        return f"{value} – {judgement}" if judgement else value

    def answer_mark(self, value: str) -> str:
        return f"answer: {value}"

    def safe_mark(self, value: str) -> str:
        return f"safe: {value}"

    def curve_point(self, input_: str, value: str, verdict: str, chance: str) -> str:
        """`96 GPUs: 28.73 days (likely, 63%)`."""
        judgement = ", ".join(text for text in (verdict, chance) if text)
        return f"{input_}: {value} ({judgement})" if judgement else f"{input_}: {value}"

    def curve_alt(self, title: str, points: Sequence[str], limit_: str, chosen: str) -> str:
        return f"{title}. {'; '.join(points)}. {limit_}. The answer: {chosen}."

    def curve_foot(self, solved_again: bool, gaps: int) -> str:
        """How the points of a curve come about; `gaps`: at how many values there is none."""
        kept = "each point solved again" if solved_again else "everything else as in the answer"
        return f"{kept}; at {gaps} more values no plan meets the other requirements" if gaps else kept

    def memory_title(self, total: str, capacity: str, chance: str) -> str:
        """`capacity`, `chance`: empty where they are not known."""
        of = f" of {capacity}" if capacity else ""
        fits = f", fits with a chance of {chance}" if chance else ""
        return f"Memory of the fullest GPU: {total}{of}{fits}"

    def memory_row(
        self, name: str, total: str, parts: Sequence[tuple[str, str]], breaks: Sequence[str], misses: Sequence[str]
    ) -> str:
        """`the answer: 70.6 GB (weights 13.5, activations 49.2)`."""
        each = ", ".join(f"{label} {size}" for label, size in parts)
        violated = f"; violates {', '.join(breaks)}" if breaks else ""
        return f"{name}: {total} ({each}){violated}" + (f"; misses {', '.join(misses)}" if misses else "")

    def memory_alt(self, rows: Sequence[str], capacity: str) -> str:
        has = f"; the GPU has {capacity}" if capacity else ""
        return f"{'. '.join(rows)}{has}."

    def memory_limit(self, capacity: str, reserve: bool) -> str:
        return f"{capacity} without the reserve" if reserve else f"{capacity} of the GPU"

    def memory_foot(self, band: bool, rows: bool, calendar: bool) -> str:
        """What is shown: a band, bars beside that of the answer, time on the calendar."""
        texts = (_MEASURED_PEAKS, band), (_ROWS, rows), (_CALENDAR, calendar)
        return " ".join(text for text, shown in texts if shown)

    def changed_input(self, input_: str, value: str) -> str:
        """`micro_batch 2 sequences`."""
        return f"{input_} {value}"

    def and_result(self, amount: str, result: str) -> str:
        """`70.6 GB · 29.89 days`."""
        return f"{amount} · {result}" if result else amount

    def faults(self, requirements: Sequence[str], preferences: Sequence[str], over: bool) -> str:
        """What fails: requirements, else preferences, which is no reason not to run; else that it is expected to take
        more than there is, where it may fit all the same.
        """
        if requirements:
            return f"✗ {', '.join(requirements)}"
        return f"⚠ {', '.join(preferences)}" if preferences else "⚠ over" if over else ""

    def step_title(self, whole: str, useful: str) -> str:
        """`useful`: the share of the model's work, empty where it is not known."""
        work = f", of which {useful} is the model's work at the data-sheet peak (MFU)" if useful else ""
        return f"One step: {whole}{work}"

    def step_alt(self, falls: Sequence[tuple[str, str]], whole: str) -> str:
        return f"Waterfall: {'; '.join(f'{label} {text}' for label, text in falls)}; in all {whole}."

    def step_foot(self, low: str, high: str) -> str:
        """`low`, `high`: the ends of the band, empty where there is none."""
        shown = "Only what is not hidden behind computation is shown."
        return f"{shown} Eight of ten measured runs lie between {low} and {high}." if low and high else shown

    def share_of_the_step(self, percent: str) -> str:
        """`55%`."""
        return f"{percent}%"

    run_planned = "every step as planned"
    run_slower = "what published runs took longer"
    run_lost = "failures, restarts and saves"
    run_whole = "on the calendar"
    stage_weights = "weights"
    stage_optimizer = "optimizer"
    stage_gradients = "gradients"
    stage_activations = "activations"
    stage_rest = "the rest"
    ranges_foot = "Each bar: the result with this one at its low and its high end, all else as expected."

    def rows_alt(self, rows: Sequence[str]) -> str:
        return f"{'; '.join(rows)}."

    def run_title(self, wall: str, late: str) -> str:
        """When half of the runs like this one end, and nine in ten; `late`: empty where it is not known."""
        return f"On the calendar: half end within {wall}" + (f", nine in ten within {late}" if late else "")

    failures_row = "failures expected"
    saves_row = "saves"

    def run_foot(self, failing: bool) -> str:
        """`failing`: whether failures are drawn."""
        return "Failures come at any time: as many as are expected are drawn evenly." if failing else ""

    def events(self, count: str, every: str, each: str) -> str:
        """`120, one in 5.83 hours, a mark for 2`; `each`: for how many a mark stands, empty for one."""
        return f"{count}, one in {every}" + (f", a mark for {each}" if each else "")

    def limit_mark(self, operation: Operation, value: str) -> str:
        return f"{SIGNS[operation]} {value}"

    def expected_mark(self, value: str) -> str:
        return f"expected: {value}"

    def swing(self, name: str, ends: Range | None) -> str:
        """What is uncertain, with its ends where it is an input."""
        return f"{name} {ends.rough()}" if ends is not None else _BANDS.get(name, name)

    def ranges_title(self, result: str, value: str, widest: str) -> str:
        return f"What makes {result} ({value}) uncertain: most of all {widest}"

    def front_title_of(self, count: int) -> str:
        return f"Pareto front of {count} plans"

    def sweep_title_of(self, axes: Sequence[str], count: int) -> str:
        return f"{count} plans by {' and '.join(axes)}"

    def scatter_title(self, title: str, name: str, results: Sequence[str]) -> str:
        said = ", ".join(results)
        return f"{title}; {name}: {said}" if name else f"{title}: {said}"

    def scatter_foot(self, failing: bool) -> str:
        return "✗ misses a requirement." if failing else ""

    def stage(self, name: str, layers: str) -> str:
        return f"{name} stage, {layers} layers" if layers else f"{name} stage"

    def stage_row(self, stage: str, size: str, parts: Sequence[tuple[str, str]]) -> str:
        """`first stage, 7 layers: 27.9 GB (weights 6.4 GB, activations 4.1 GB)`."""
        return f"{stage}: {size} ({', '.join(f'{part} {held}' for part, held in parts)})"

    def stages_title(self, pipeline: int, fullest: str, size: str) -> str:
        return f"Memory of {pipeline} pipeline stages: the {fullest} one is the fullest, {size}"

    def stages_foot(self, inner: bool) -> str:
        return "The second stands for all in the middle: those after it hold less." if inner else ""

    def layout_title(self, tensor: int, split: int, pipeline: int, experts: int, data: int, replica: int) -> str:
        parts = [
            f"tensor {tensor}",
            f"context {split}" if split > 1 else "",
            f"pipeline {pipeline}" if pipeline > 1 else "",
            f"expert {experts}" if experts > 1 else "",
        ]
        held = f"{replica} GPUs hold a replica ({', '.join(filter(None, parts))})"
        return f"{held}, data parallelism {data}"

    def layout_alt(self, rows: Sequence[str]) -> str:
        return f"{'; '.join(rows)}."

    def layout_foot(self, left: int, staged: bool, replicas: int, experts: bool) -> str:
        """How to read it.

        Args:
            left: Rows that are not shown.
            staged: Whether there are several stages.
            replicas: Of which a node holds parts.
            experts: Whether ranks share experts.
        """
        said = "Numbers: the rank in the tensor group" + (", e: in that which shares the experts." if experts else ".")
        if replicas > 1:
            said += f" A node holds {'the same stage of ' if staged else ''}{replicas} replicas."
        return f"{said} {left} more nodes of the replica are not shown." if left > 0 else said

    def rank_of(self, rank: int, part: int, split: int, expert: int | None) -> str:
        """A rank in its tensor group, with the part of the sequence where that is split, and with that in its expert
        group where there is one.
        """
        return f"{rank}·{part}" if split > 1 else f"{rank}" if expert is None else f"{rank}·e{expert}"

    def node_of(self, number: int, stage: int, pipeline: int) -> str:
        return f"node {number}, stage {stage}" if pipeline > 1 else f"node {number}"

    def stage_key(self, stage: int) -> str:
        return f"stage {stage}"
