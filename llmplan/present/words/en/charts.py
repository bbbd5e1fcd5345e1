"""What stands in charts: titles, axes, legends, labels, and the texts for those who cannot see them.

Input: amounts as they are written, and names of a plan. Output: texts that are neither cut nor escaped.
"""

from __future__ import annotations

from collections.abc import Sequence

_LIMITS = {"le": "at most", "lt": "below", "ge": "at least", "gt": "above", "eq": "exactly"}
"""How a value stands to its limit, by the operation between them."""

_MEASURED_PEAKS = "├─┤ eight of ten measured peaks lie between."
_ROWS = "Each row below the first changes one input and leaves the rest."


class Charts:
    """Texts of charts."""

    measured_runs = "eight of ten measured runs"
    plan_ranges = "the ranges of the plan"
    the_answer = "the answer"
    nearest_plan = "the nearest plan"
    whole_step = "step time"
    less_than_a_per_cent = "< 1"

    def by_input(self, result: str, input_: str) -> str:
        """`time by hardware.gpus`."""
        return f"{result} by {input_}"

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

    def memory_row(self, name: str, total: str, parts: Sequence[tuple[str, str]], breaks: Sequence[str]) -> str:
        """`the answer: 70.6 GB (weights 13.5, activations 49.2)`."""
        each = ", ".join(f"{label} {size}" for label, size in parts)
        return f"{name}: {total} ({each})" + (f"; violates {', '.join(breaks)}" if breaks else "")

    def memory_alt(self, rows: Sequence[str], capacity: str) -> str:
        has = f"; the GPU has {capacity}" if capacity else ""
        return f"{'. '.join(rows)}{has}."

    def memory_limit(self, capacity: str, reserve: bool) -> str:
        return f"{capacity} without the reserve" if reserve else f"{capacity} of the GPU"

    def memory_foot(self, band: bool, rows: bool) -> str:
        """`band`: whether a band is shown, `rows`: whether there are bars beside that of the answer."""
        return " ".join(text for text, shown in ((_MEASURED_PEAKS, band), (_ROWS, rows)) if shown)

    def changed_input(self, input_: str, value: str) -> str:
        """`micro_batch 2 sequences`."""
        return f"{input_} {value}"

    def and_result(self, amount: str, result: str) -> str:
        """`70.6 GB · 29.89 days`."""
        return f"{amount} · {result}" if result else amount

    def faults(self, requirements: Sequence[str]) -> str:
        return f"✗ {', '.join(requirements)}" if requirements else ""

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
