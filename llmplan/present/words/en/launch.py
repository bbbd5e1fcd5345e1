"""What is launched, what the first hour should show, what the training script must do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from llmplan.present import names
from llmplan.present.blocks import Code, Line, Strong, line, listed
from llmplan.present.words.en.labels import LABELS, Labels
from llmplan.units.amount import Amount, deviation

_DEGREES = {**LABELS, names.DATA_PARALLEL: "data"}


class Launch(Labels):
    """The launch."""

    first_hour = "what to see in the first hour"
    low = "low"
    high = "high"
    step_time = "step time"
    mfu = "MFU"
    peak_memory = "peak memory"
    script_title = "What the training script must do"

    def launched(self, solved: bool, phrases: Sequence[Line]) -> Line:
        head = "Launched" if solved else "The nearest plan"
        return line(Strong(line(head)), ": ", listed(phrases, "; "), ".")

    def phrases(self, texts: Iterable[str]) -> str:
        return " · ".join(texts)

    def degree(self, path: str, degree: Amount) -> str:
        return f"{_DEGREES[path]} {degree.exact()}"

    def offload(self, what: str, nvme: Amount | None) -> str:
        return f"offload {what}" + (f" to NVMe, {nvme.short()}" if nvme is not None else "")

    def batch(
        self, micro: Amount, ranks: Amount, accumulation: Amount, tokens: Amount, asked: tuple[Amount, float] | None
    ) -> str:
        product = f"{micro.exact()} × {ranks.exact()} × accumulation {accumulation.exact()} = {tokens.short()}"
        return product if asked is None else f"{product} ({asked[0].exact()} asked, {deviation(asked[1])})"

    def recompute(self, what: str) -> str:
        return f"recompute {what}"

    def sequences_of(self, length: Amount) -> str:
        return f"sequences of {length.exact()}"

    def learning_rate(self, rate: Amount, warmup: Amount | None) -> str:
        return f"learning rate {rate.short()}" + (f" after {warmup.exact()}" if warmup is not None else "")

    def operated(self, phrases: Sequence[str]) -> Line:
        return line(Strong(line("Operated")), ": ", "; ".join(phrases), ".")

    def failures(self, expected: Amount, every: Amount, restart: Amount | None) -> str:
        """How many failures the run meets on the calendar, how long it runs between two, and what one costs."""
        count = "fewer than 0.1" if expected.number < 0.1 else expected.rough()
        cost = f", {restart.short()} to restart" if restart is not None else ""
        return f"{count} failures expected, one in {every.short()}{cost} and the work since the last checkpoint"

    def checkpoints(
        self,
        every: tuple[Amount, Amount | None] | None,
        sizes: tuple[Amount, Amount | None],
        time: Amount | None,
        rate: Amount | None,
    ) -> str:
        """How often the run is saved; the bytes of one checkpoint and of all; the time that one takes, and the rate."""
        size, all_ = sizes
        when = "at the end"
        if every is not None:
            steps, between = every
            when = f"every {steps.exact()}" + (f" ({between.short()})" if between is not None else "")
        total = f" ({all_.short()} if all are kept)" if all_ is not None else ""
        written = f", written in {time.short()}" if time is not None else ""
        at = f" at {rate.short()}" if rate is not None and written else ""
        return f"checkpoint {when}, {size.short()}{total}{written}{at}"

    def ends_after(self, limit: Amount) -> str:
        return f"Slurm ends the job after {limit.short()}"

    def watched(self, name: str, unit: str, beside: bool) -> Line:
        return line(", ".join(filter(None, (name, unit))), " (MFU)" if beside else None)

    def beside(self, text: str, rate: str) -> str:
        """A figure, with a rate in brackets where there is one."""
        return f"{text} ({rate})" if rate else text

    def load(self, micro: Amount, length: Amount | None) -> Line:
        each = f", of {length.exact()} each" if length is not None else ""
        return line(f"Load {micro.exact()} at a time on each rank (", Code("LLMPLAN_MICRO_BATCH"), f"){each}.")

    def same_data(self, ranks: str) -> Line:
        return line(f"Feed the same data to all {ranks} ranks of a tensor-parallel group.")

    def split_sequences(self, ranks: str) -> Line:
        return line(f"Split each sequence over {ranks} ranks.")

    def save_checkpoints(self) -> Line:
        return line("Save a checkpoint every ", Code("LLMPLAN_CHECKPOINT_INTERVAL_STEPS"), " steps.")
