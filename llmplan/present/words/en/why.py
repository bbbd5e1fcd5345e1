"""Why it is this answer: the search, the next best, binding constraints, parts of memory and time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import evolve

from llmplan.answer.schema.advice import Loss, Moved, Price
from llmplan.answer.schema.values import Beyond, Case, SolvedUnknown
from llmplan.present.blocks import EMPTY, Code, Line, cut, line, listed, shortened
from llmplan.present.words.en.labels import Labels, inequality
from llmplan.units.amount import Amount, Range, count, deviation, share

_MOST_OF_A_LAYOUT = 2
"""The most parts of a layout that are named."""

_HOW = {"search": "by search", "closed form": "by closed form", "numeric": "numerically over a continuous range"}
_JUMPS = {
    "edge": "numerically, at the edge of a jump",
    "tried": "numerically, at the best of many jumps, not all tried",
}


class Why(Labels):
    """Reasons."""

    why_heading = "Why this answer"
    memory_parts = "memory"
    step_parts = "step"
    first_token_parts = "first token"
    token_parts = "token"
    prices_title = "preferences that cost"
    where_heading = "Where memory and time go"

    def unknowns_title(self, solved: bool) -> str:
        return "found" if solved else "nearest"

    def method(self, unknown: SolvedUnknown) -> str:
        """How an unknown was found: `by search`."""
        if unknown.how == "numeric" and unknown.jump:
            return _JUMPS[unknown.jump]
        return "by search over whole numbers" if unknown.whole else _HOW[unknown.how]

    def domain(self, unknown: SolvedUnknown) -> str:
        """All values of an unknown's domain, the first ones and the last, or its two ends."""
        if unknown.ends is not None:
            return f"{unknown.ends.low.exact()} .. {unknown.ends.high.exact()}"
        values = [value.exact() for value in unknown.values]
        return ", ".join(values) if unknown.of == len(values) else f"{', '.join(values[:-1])} … {values[-1]}"

    def how(self, unknown: SolvedUnknown, binding: str) -> Line:
        """How an unknown was found, on a screen."""
        how = self.method(unknown)
        parts = [how if unknown.asked else f"{how}, open by default"]
        past = unknown.beyond.value if unknown.beyond is not None else None
        if past is not None:
            parts.append(f"{past.exact()} would miss {binding}")
        elif binding:
            parts.append(f"binding: {binding}")
        # What would miss a preference only is feasible, and named already.
        beside = [one.exact() for one in (unknown.below, unknown.above) if one is not None and one != past]
        parts += [f"next feasible: {' and '.join(beside)}"] if beside else []
        return line("; ".join(parts))

    def because_of(self, path: str, value: str, spread: Range | None, reasons: Line) -> Line:
        ends = f" ({spread.ends()})" if spread is not None else ""
        return line(Code(path), f" = {value}{ends}: ", reasons)

    def searched(self, path: str, value: str, feasible: str) -> Line:
        beside = f" (next feasible: {feasible})" if feasible else None
        return line(Code(path), f" = {value}" if value else None, beside)

    def found_by_search(self, considered: int, unknowns: Line) -> Line:
        many = f"{count(considered)} combinations"
        if not unknowns:
            return line(f"Searched {many}")
        return line("Found by search", f" of {many}" if considered > 1 else None, ": ", unknowns)

    def next_best(self, layouts: Line) -> Line:
        return line("Next best: ", layouts)

    def differing(self, path: str, value: str) -> Line:
        return line(self.input_column(path), f" {value}")

    def alternative(self, differing: Line, loss: Loss | None, memory: Amount | None) -> Line:
        """A layout that is next best: in what it differs, what it loses, and its memory."""
        worse = shortened(self._loss(loss), 80) if loss is not None else EMPTY
        return line(differing, " (", listed([worse, memory.rough(2) if memory is not None else None]), ")")

    def _loss(self, loss: Loss) -> Line:
        """`cost +9.2%`; of small counts and of what is much larger both values."""
        unmet = [line(Code(name), " is not met") for name in loss.unmet]
        if not loss.objective:
            return listed(unmet)
        relative, what = loss.relative, self.result_column(loss.objective)
        if relative is not None:
            return listed([*unmet, line(what, f" {deviation(relative)}")])
        return listed([*unmet, line(what, f" {count(loss.value)} instead of {count(loss.best)}")])

    def rival(self, entry: Amount, loss: Loss | None, feasible: bool) -> Line:
        """Another card or model, and what the best plan with it loses."""
        if not feasible:
            return line(f"{entry.exact()} no plan")
        return line(entry.exact(), " ", self._loss(loss) if loss is not None else "as good")

    def rivals_of(self, path: str, rivals: Sequence[Line], more: int) -> Line:
        rest = f" and {more} more" if more else None
        return line("Other ", Code(path), ": ", listed(rivals, "; "), rest, ".")

    def objective(self, sense: str, text: str, value: Amount | None) -> Line:
        return line(f"{sense} ", Code(text), f": {value.short()}" if value is not None else None)

    def asked_to(self, goals: Sequence[Line]) -> Line:
        return line("Asked to ", listed(goals, ", then to "))

    def asked_to_trade(self, names: Sequence[str]) -> Line:
        return line("Asked what ", listed(map(Code, names), " costs in "))

    def sentences(self, said: Sequence[Line]) -> Line:
        return line(listed(said, ". "), ".")

    def exactly(self, equation: str | Code, exact: Amount | None) -> Line:
        return line(equation, f", exactly {exact.exact()}" if exact is not None else None)

    def feasible_at(self, ranges: Sequence[Range]) -> Line:
        ends = (
            one.low.exact() if one.low == one.high else f"{one.low.exact()} .. {one.high.exact()}" for one in ranges
        )
        return line(f"feasible at {' or '.join(ends)}")

    def set_by(self, requirements: Sequence[str], beyond: Line) -> Line:
        return line("set by ", listed(map(Code, requirements), " and "), ": ", beyond)

    def beyond(self, beyond: Beyond, short: bool = True) -> Line:
        """What the next better value of an unknown would violate."""
        named = len(beyond.cases) > 1 and beyond.cases[0].off != "not met"
        cases = (
            line(Code(one.name) if named else None, " " if named else None, self._violation(one, short))
            for one in beyond.cases
        )
        return line(f"With {beyond.value.short() if short else beyond.value.exact()}: ", listed(cases, "; "))

    def _violation(self, case: Case, short: bool) -> Line:
        written = self.money if short else Amount.exact
        if case.computed is not None and case.gap is not None:
            return line(f"{written(case.computed)}, {written(case.gap)} {case.off}")
        if case.text or case.sides is None:
            return line(case.text or case.off)
        left, operation, right = case.sides
        return line(inequality(left, operation, right, written))

    def open_by_default(self, unknowns: Sequence[tuple[str, str]]) -> Line:
        return line("Open by default: ", listed(line(Code(path), f" = {value}") for path, value in unknowns))

    def preference(self, holds: bool, name: str, case: Line, because: str) -> Line:
        word = "Preferred and met" if holds else "Preferred, not met"
        return line(f"{word}: ", Code(name), ", ", case, f" ({because})" if because else None)

    def preference_costs(self, price: Price, saved: Sequence[Moved]) -> Line:
        """What a preference costs, and the answer without it."""
        costs = [evolve(one.by, value=abs(one.by.number)).like(one.before).rough() for one in saved]
        layout = [one for one in price.decided if one.sort == "switch"]
        few = len(layout) <= _MOST_OF_A_LAYOUT
        settings = [
            line(None if one.sort == "count" else line(self.input_column(one.name), " "), cut(one.after.exact(), 40))
            for one in price.decided
            if few or one not in layout
        ]
        risk = price.risk
        fits = None if risk is None else line(Code(risk.name), f" with {self.chance(risk.chance)}")
        without = listed([*settings, None if few else "another layout", fits])
        return line(Code(price.name), f" costs {' and '.join(costs)}: without it ", without)

    def part_name(self, label: str) -> str:
        """What a part of memory or of a step is called, by its label in the library."""
        return label

    def part(self, label: str, amount: Amount, of: float) -> str:
        """A part of a sum, in the unit that is said before all of them; its share where it is not small."""
        return f"{label} {amount.parts()[0]}" + (f" ({share(of)})" if of >= 0.05 else "")

    def share_of(self, label: str, of: float) -> str:
        return f"{label} {share(of)}"

    in_evaluation = "in an evaluation: "

    def memory_goes(self, parts: Iterable[str], evaluated: bool) -> Line:
        when = ", in an evaluation," if evaluated else ","
        return line(f"Memory of the fullest GPU at its peak{when} GB: {', '.join(parts)}.")

    def step_goes(self, parts: Iterable[str]) -> Line:
        return line(f"Step, s, as far as not overlapped with compute: {', '.join(parts)}.")

    def parts_of_the_estimate(self, estimate: Amount, assumed: Amount, gap: float) -> Line:
        side = "more" if gap > 0 else "less"
        these = f"These are the parts of the estimate, {estimate.short()}"
        return line(f"{these}; the plan assumes {assumed.short()}, {share(abs(gap))} {side}.")

    def median_error(self, step: Amount, memory: Amount | None) -> Line:
        groups = "On published runs, each group predicted with constants fitted to the others"
        also = f", of memory {memory.short()}" if memory is not None else ""
        return line(f"{groups}, the median error of step time is {step.short()}{also}.")

    def low_and_high_of(self, ranged: bool) -> Line:
        ends = "Low and high are the ends of your ranges" if ranged else "Eight of ten runs lie between low and high"
        look = (
            "look at the input pipeline, the network, the clocks; more memory: at fragmentation and evaluation batches"
        )
        return line(f"{ends}. Slower: {look}.")
