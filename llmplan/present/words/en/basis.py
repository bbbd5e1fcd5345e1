"""What an answer rests on and leaves out, and what a command says of the files that it wrote."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.advice import Assumed, Cliff, Default, Skipped
from llmplan.answer.schema.solution import BestPoint, Replaced
from llmplan.answer.schema.values import Read
from llmplan.present import names
from llmplan.present.blocks import Code, Line, cut, line, listed
from llmplan.present.words.en.labels import Labels
from llmplan.units.amount import Amount, Range, deviation, share


class Basis(Labels):
    """Assumptions, notes, files."""

    not_computed = "not computed"
    no_value = "no value"
    assumed_title = "assumed"
    replaced_title = "formulas of the plan"
    measured_title = "measured"
    notes_title = "notes"
    basis_heading = "What this rests on"
    notes_heading = "Warnings and notes"
    omitted_heading = "Not included"
    near_layouts = (
        "Two layouts whose times differ by less than 5 % are nearer to each other than the model of step time can tell."
    )
    quality_left_out = "Model quality: neither loss nor accuracy is predicted."
    serving_left_out = "Bursts beyond chance; lengths that differ; speculative decoding; separate pools for prefill."
    loading_left_out = "Data loading and logging, unless overlapped with compute."
    script_memory_left_out = (
        "Memory that the training script itself holds on the GPU: evaluation batches, weight averages, metrics."
    )

    def results_title(self, banded: bool) -> str:
        return "results, and eight of ten measured" if banded else "results"

    def result(self, value: Amount, spread: Range | None, digits: int) -> Line:
        """A result with the ends of its range, which are known to so many digits."""
        return line(self.money(value), f" ({spread.rough(digits)})" if spread is not None else None)

    def risk(self, name: str, taken: Amount, worse: Amount, result: str, change: float) -> Line:
        said = f" is taken to be {taken.short()}, which the plan does not say: at {worse.short()} "
        return line(Code(name), said, Code(result), f" is {share(change)} more.")

    def list_price(self, source: str) -> Line:
        return line(f"The price is a list price ({source}); the cost moves with it one to one.")

    def assumption(self, assumed: Assumed, short: bool = False) -> Line:
        """A formula that is assumed, with its value and the library's word on it; or a quantity, or the rate of a
        currency, that the plan assumes.
        """
        if assumed.amount is None:
            return line(assumed.name)
        if not assumed.why:
            return line(f"1 {assumed.name} = {assumed.amount.exact()} (stated by the plan)")
        return line(f"{assumed.name} = {assumed.amount.short() if short else assumed.amount.exact()} ({assumed.why})")

    def default(self, choice: Default) -> Line:
        """A choice of the library, and what the best other one would change."""
        change = f"{choice.result} {deviation(choice.change)}"
        instead = f"{choice.instead.exact()}, all else equal: {change}"
        return line(f"{choice.name} = {choice.amount.exact()} (by default; {instead})")

    def assumed(self, assumption: Line) -> Line:
        return line("assumed: ", assumption)

    def as_measured(self, read: Read, far: bool) -> tuple[Line, Line]:
        """A reading of a measured run, and beside it what the library says of that run, without and with it.

        `far`: it moves nothing of this plan.
        """
        said = f"{read.before.short()} by the library, {read.after.short()} with what was measured"
        said += "; not near this plan" if far else ""
        return line(f'"{read.run}"'), line(f"{read.name} {read.seen.short()}; ", said)

    def measured(self, read: Read, far: bool) -> Line:
        """The same in a report."""
        name, said = self.as_measured(read, far)
        return line("measured: ", name, ", ", said, f" ({read.place}).")

    def replaced(self, formula: Replaced) -> Line:
        """A formula of the plan, in a report."""
        instead = f"the plan's formula, not the library's ({formula.instead})" if formula.instead else "a new formula"
        return line(
            Code(formula.name), f" is computed by {instead}: ", Code(cut(formula.text, 120)), f" ({formula.place})."
        )

    def new_formula(self, formula: Replaced) -> Line:
        """The same on a screen, beside the name."""
        instead = f", not the library's ({formula.instead})" if formula.instead else ""
        return line(f"{formula.text} ({formula.place}){instead}")

    def cliff(self, cliff: Cliff) -> Line:
        """A value that would do but for one requirement, or with one change."""
        would = line(f"{cliff.unknown} = {cliff.value.exact()} would do ")
        if not cliff.input:
            return line(would, "but for ", Code(cliff.rule))
        return line(would, f"with {cliff.input} = {cliff.to} (", Code(cliff.rule), ")")

    def skipped(self, entries: Skipped) -> Line:
        """Entries that a search passes over."""
        more = entries.count - len(entries.names)
        these = f"{', '.join(entries.names)} and {more} more" if more > 0 else ", ".join(entries.names)
        return line(f"not considered: {these} (", Code(entries.objective), f": {entries.reason})")

    def best_point(self, point: BestPoint) -> Line:
        which = "the best" if point.best else "the first"
        named = listed(map(Code, point.names), " and ")
        return line(named, f" has no value but those of the sweep: this is {which} of {point.of} points")

    def warning(self, code: str, message: str) -> Line:
        return line(f"{code}: {message}")

    def more_notes(self, more: int) -> str:
        return f"and {more} more in the report of `llmplan compile`"

    def failures_left_out(self) -> Line:
        return line("Failures, restarts, evaluation and queueing: ", Code(names.TIME), " covers training steps only.")

    def how_to_explain(self) -> Line:
        lists = line(Code("llmplan explain PLAN"), " lists what can be explained; ")
        return line(lists, Code("--all"), " derives every quantity, with formula and source.")

    def since_the_last_compile(self, told: str) -> str:
        return f"since the last compile: {told}"

    def written(self, check: bool, directory: str, files: Sequence[str]) -> str:
        return f"{'up to date in' if check else 'wrote to'} {directory}: {', '.join(files)}"

    def out_of_date(self, directory: str, files: Sequence[str]) -> str:
        return f"out of date in {directory}: {', '.join(files)}"

    def missing(self, directory: str, files: Sequence[str]) -> str:
        return f"missing in {directory}: {', '.join(files)}"

    def removed(self, file: str) -> str:
        return f"removed {file}: no longer emitted"

    def left(self, file: str, why: str) -> str:
        return f"left {file}: {why}"

    def next(self, command: str) -> str:
        return f"next: {command}"
