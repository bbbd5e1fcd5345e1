"""Every sentence and label of an answer, in English: one function or constant each, and nothing decided here.

Input are names, amounts and truth values; output lines of text and code. The sections decide what is said, this what
it is called; another language replaces each of these (see `llmplan.present.words`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from llmplan.answer.schema.advice import Assumed, Cliff, Loss, Skipped
from llmplan.answer.schema.requirements import Compared, RequirementResult, Sides
from llmplan.answer.schema.solution import BestPoint, Shown
from llmplan.answer.schema.tables import Blocked, Row
from llmplan.answer.schema.values import Beyond, Case, SolvedUnknown
from llmplan.present import names
from llmplan.present.blocks import EMPTY, Code, Line, Strong, cut, line, listed, shortened
from llmplan.units.amount import Amount, Range, count, deviation, percentage, share
from llmplan.units.measure import SYMBOLS

_LABELS = {
    names.TIME: "training",
    names.WALL_TIME: "on the calendar, as runs of this stack went",
    names.COST: "cost",
    names.WALL_COST: "cost on the calendar",
    names.MEMORY: "memory of the fullest GPU",
    names.GPU_HOURS: "GPU-hours",
    names.GPUS: "GPUs",
    names.GPU: "GPU",
    names.NODES: "nodes",
    names.PARAMS_TOTAL: "parameters",
    names.TENSOR: "tensor",
    names.PIPELINE: "pipeline",
    names.ZERO_STAGE: "ZeRO",
    names.CONTEXT: "context",
    names.EXPERT: "expert",
    names.MICRO_BATCH: "micro-batch",
    names.RECOMPUTE: "recompute",
    names.STEP_TIME: "step time",
    names.MFU: "MFU",
    names.INTERNODE: "network between nodes",
    names.STORAGE: "storage",
    names.GLOBAL_BATCH: "global batch",
    names.VIRTUAL_PIPELINE: "chunks a stage",
}
_SHORT = {names.TIME: "time", names.COST: "cost", names.MEMORY: "memory", names.GPUS: "GPUs"}
_CHOSEN = {
    names.TENSOR: "tensor parallelism",
    names.PIPELINE: "pipeline parallelism",
    names.CONTEXT: "context parallelism",
    names.EXPERT: "expert parallelism",
    names.ZERO_STAGE: "ZeRO stage",
    names.MICRO_BATCH: "micro-batch",
    names.MFU: "an MFU of",
    names.HFU: "an HFU of",
}
_DEGREES = {**_LABELS, names.DATA_PARALLEL: "data"}
_PLANNED = {names.TIME: "time", names.COST: "cost", names.GPU_HOURS: "GPU-hours"}
_METHODS = {names.LORA: "LoRA", names.QLORA: "QLoRA"}
_LIMITS = ("deadline", "budget", "limit")
_SIGNS = {"<=": "≤", ">=": "≥"}
_MARKS = {"safe": "✓", "fits": "✓", "likely": "⚠", "tight": "⚠", "no": "✗"}
_SIDES = {"spare": "to spare", "over": "over", "short": "short"}
_HOW = {"search": "search", "closed form": "closed form", "numeric": "numeric over a continuous range"}
_JUMPS = {"edge": "numeric at the edge of a jump", "tried": "numeric at the best of many jumps, not all tried"}
_MET = {None: "not checked", True: "met", False: "unmet"}


class Words:
    """English."""

    # Labels: what a quantity or an input is called.

    def code(self, name: str) -> Line:
        """A name, or an expression, in a report."""
        return line(Code(cut(name, 60)))

    def label(self, name: str) -> Line:
        """What a result is called in a table."""
        return line(_LABELS[name]) if name in _LABELS else self.code(name)

    def input_column(self, path: str) -> Line:
        """An input in a table that must fit a narrow screen: without its kind."""
        return line(_LABELS.get(path) or cut(path.rpartition(".")[2].replace("_", " "), 40))

    def result_column(self, name: str) -> Line:
        return line(_SHORT.get(name) or cut(name, 40))

    def axis(self, name: str) -> Line:
        return line(_LABELS.get(name, name))

    def unit(self, text: str) -> str:
        """A unit in the head of a row."""
        return text.replace("token/s", "tokens/s").replace("/GPU", " per GPU")

    def all_of(self, listed: Sequence[str]) -> str:
        return ", ".join(listed)

    def some_of(self, first: Sequence[str], more: int) -> str:
        return f"{', '.join(first)} and {more} more"

    def both(self, texts: Sequence[str]) -> str:
        return " and ".join(texts)

    def needs(self, listed: str) -> str:
        return f"needs {listed}"

    def absent(self, name: str, needs: Sequence[str]) -> Line:
        """A result that has no value for want of inputs."""
        return line(Code(name), ": ", shortened(line("needs ", listed(map(Code, needs))), 120), ".")

    # The answer in a sentence.

    def not_solved(self, plan: str) -> Line:
        return line(f"{plan} was not solved.")

    def a_single(self, gpu: str) -> Line:
        return line(f"one {gpu}")

    def machines(self, gpus: int, gpu: str, nodes: int) -> Line:
        kind = gpu or ("GPU" if gpus == 1 else "GPUs")
        return line(f"{count(gpus)} {kind}", f" ({count(nodes)} nodes)" if nodes > 1 else None)

    def model(self, name: str, overridden: Sequence[tuple[Amount, str]], method: str, rank: Amount | None) -> Line:
        other = ", ".join(f"{amount.exact()} {field}" for amount, field in overridden)
        by = _METHODS.get(method)
        return line(
            name,
            f" with {other}" if other else None,
            f" by {by}" if by else None,
            f" of rank {rank.exact()}" if by and rank is not None else None,
        )

    def model_of(self, size: Amount) -> Line:
        return line(f"a model of {size.short()}")

    def chosen(self, path: str, value: Amount) -> Line:
        return line(f"{_CHOSEN.get(path) or path.rpartition('.')[2].replace('_', ' ')} {value.exact()}")

    def with_(self, settings: Line) -> Line:
        return line(", with ", settings)

    def _on(self, tokens: Amount | None) -> str | None:
        return f" on {tokens.short()}" if tokens is not None else None

    def trains(self, machines: Line, single: bool, model: Line, tokens: Amount | None) -> Line:
        verb = " trains " if single else " train "
        return line(machines, verb, model or "the model", self._on(tokens))

    def planned(
        self, time: Amount, spread: Range | None, band: Range | None, cost: Amount | None, cost_spread: Range | None
    ) -> Line:
        """Time and cost if every step runs as planned."""
        ends = f" ({spread.ends()})" if spread else f" ({band.ends()} in eight of ten)" if band else ""
        price = f" and {cost.rough()}" if cost is not None else ""
        return line(time.short(), ends, price, f" ({cost_spread.ends()})" if cost_spread else None)

    def in_planned(self, trains: Line, planned: Line, chosen: Line) -> Line:
        return line(trains, " in ", planned, chosen, ".")

    def on_the_calendar(
        self, trains: Line, wall: Amount, ends: Range, cost: Amount | None, chosen: Line, planned: Line
    ) -> Line:
        bill = f" and {cost.rough(2)}" if cost is not None else ""
        about = f" in about {wall.rough(2)} on the calendar ({ends.ends(2)}){bill}"
        return line(trains, about, chosen, "; ", planned, " if every step runs as planned.")

    def needs_memory(self, model: Line, machines: Line, memory: Amount, chosen: Line) -> Line:
        return line(model, " on ", machines, f" needs {memory.short()} per GPU", chosen, ".")

    def serves(self, gpus: int, gpu: str, queries: Amount | None, model: Line, latency: Amount, chosen: Line) -> Line:
        rate = "queries" if queries is None else f"{queries.rough()} per minute"
        bound = "" if queries is None else " (a lower bound: full batches, and no query waits)"
        who = f"{count(gpus)} {gpu or 'GPUs'} serve{'s' if gpus == 1 else ''} {rate} with "
        return line(who, model or "the model", f", each in {latency.short()}{bound}", chosen, ".")

    def takes_compute(self, model: Line, tokens: Amount | None, flops: Amount, machines: Line, chosen: Line) -> Line:
        on = line(" on ", machines) if machines else EMPTY
        return line("Training ", model or "the model", self._on(tokens), f" takes {flops.short()}", on, chosen, ".")

    def solved(self, what: Sequence[Line], known: bool, settings: Line) -> Line:
        return line("Solved: ", listed(what, " on "), ", with " if known else None, settings, ".")

    def worth(self, row: Shown) -> Line:
        """The value of a shown expression, or why it has none."""
        if row.amount.value is not None:
            return line(row.amount.exact(), f" ({row.spread.exact()})" if row.spread is not None else None)
        return self._missing(row.given, row.reason, row.needs)

    def worth_in_short(self, row: Shown) -> Line:
        if row.amount.value is not None:
            return line(row.amount.short(), f" ({row.spread.short()})" if row.spread is not None else None)
        return self._missing(row.given, row.reason, row.needs)

    def _missing(self, given: bool, reason: str, needs: Sequence[str]) -> Line:
        if not given:
            return line("not given")
        return line(f"undefined: {reason}" if reason else f"needs {', '.join(needs)}" if needs else "unknown")

    def equation(self, row: Shown) -> Line:
        return line(f"{row.text} = ", self.worth(row))

    def nothing_to_solve(self, rows: Sequence[Line], what: Sequence[Line]) -> Line:
        known = listed(rows) if rows else listed(what, " on ")
        return line("Nothing to solve", ": " if known else None, known, ".")

    def more_verdicts(self, more: int) -> Line:
        return line(f"{more} more are in the table.")

    def verdict_subject(self, name: str, text: str, sign: str, limit: Amount | None, subject: str) -> Line:
        """`The deadline of 30 days, set on planned time,`; `surely` with its limit for another name.

        Args:
            subject: What it is set on where the calendar is known too; else empty.
        """
        noun = name in _LIMITS
        bound = f" of {limit.short()}" if limit and noun else f" ({sign} {limit.short()})" if limit and name else ""
        planned = f", set on planned {_PLANNED[subject]}," if subject in _PLANNED else ""
        return line(f"The {name}" if noun else Code(name or text), bound, planned)

    def was_not_checked(self, subject: Line, needs: Sequence[str]) -> Line:
        return line(subject, f" was not checked: needs {', '.join(needs)}.")

    def case(self, rule: RequirementResult, short: bool = False) -> Line:
        """What a failure means in the author's words, else the condition with its values; empty if there are none."""
        if rule.otherwise:
            return line(rule.otherwise)
        if rule.undefined:
            return line(f"undefined: {rule.undefined}")
        return self.sides(rule.sides, short) if rule.sides is not None else EMPTY

    def sides(self, sides: Sides, short: bool = False) -> Line:
        left, right = (one.short() if short else one.exact() for one in (sides.left, sides.right))
        return line(f"{left} {SYMBOLS[sides.operation]} {right}", " in the worst case" if sides.worst else None)

    def is_missed(self, subject: Line, gap: Amount | None) -> Line:
        return line(subject, " is missed", f" by {gap.short()}" if gap is not None else None, ".")

    def is_safe(self, subject: Line, expected: str | None) -> Line:
        """A requirement that is safe; with its chance where it does not hold at every point of the ranges."""
        doubt = "" if expected is None else f" ({expected}), though not at every point of the ranges"
        return line(subject, f" is safe{doubt}.")

    def is_uncertain(self, subject: Line, verdict: str, chance: str) -> Line:
        return line(subject, f" is {verdict} ({chance}), not safe.")

    def does_not_fit(self, gap: Amount) -> Line:
        return line(f"It does not fit: {gap.rough()} over.")

    def fits(self, spare: Amount) -> Line:
        return line(f"It fits with {spare.rough()} to spare.")

    def memory_is_tight(self, chance: str, size: Amount, spare: bool) -> Line:
        side = "to spare" if spare else "over"
        return line(f"Memory is tight: it fits with a chance of {chance}, {size.rough()} {side}.")

    def no_plan(self, partly: bool, clashes: Sequence[Line], more: int, conflict: Sequence[str]) -> Line:
        meets = "No plan was found that meets " if partly else "No plan meets "
        if clashes:
            return line(meets, listed(clashes, "; nor "), f"; {more} more." if more else ".")
        return line(meets, listed(map(Code, conflict), " with ") or "its requirements", ".")

    def conflict(self, names: Sequence[str], planned: Amount | None, limit: Amount | None, cure: Line) -> Line:
        case = f" ({self.money(planned)}, limit {limit.short()})" if planned and limit else ""
        return line(listed(map(Code, names), " with "), case, line(": ", cure) if cure else None)

    def would_do(self, condition: str, name: str, value: Amount) -> Line:
        return line(Code(condition or f"{name} = {value.short()}"), " would do")

    def money(self, amount: Amount) -> str:
        """A sum of money to three digits, as no cent of it is known; anything else as it is."""
        return amount.rough() if amount.measure is not None and amount.measure.dims == names.MONEY else amount.short()

    nearest_plan_below = "The figures below are of the nearest plan. No files to launch were written."

    # Requirements.

    planned_column = "planned"
    verdict_column = "verdict"
    low_and_high = "Low and high: what your ranges lead to; else what eight of ten measured runs lie between."
    departures_title = "waived or replaced"
    preferences_title = "preferred"
    not_checked = "not checked"
    not_at_every_point = "; not at every point of the ranges"
    training_as_planned = "training as planned"
    cost_as_planned = "cost as planned"
    cost_on_the_calendar = "cost on the calendar"
    cost = "cost"
    of = "of"
    no_deadline = "ⓘ no deadline in the plan"
    no_budget = "ⓘ no budget in the plan"

    def range_column(self, ranged: bool) -> str:
        return "low – high" if ranged else "eight of ten"

    def verdict(self, verdict: str) -> str:
        """The word that begins a verdict on a screen."""
        return verdict

    def met(self, holds: bool | None) -> str:
        return _MET[holds]

    def departure(self, what: str) -> str:
        """Whether a requirement is `waived` or `replaced`."""
        return what

    def departed(self, text: str, by: str, place: str, because: str) -> Line:
        instead = f"{by} instead of {text}" if by else text
        return line(f"{instead} ({place}: {because or 'no reason given'})")

    def departure_of(self, name: str, origin: str) -> Line:
        return line(self.code(name), f" ({origin})")

    def departure_because(self, what: str, by: str, because: str) -> Line:
        instead = line(" by ", Code(cut(by, 80))) if by else EMPTY
        return line(f"ⓘ {what}", instead, f": {cut(because or 'no reason given', 120)}")

    def more_in_the_report(self, more: int) -> str:
        return f"{more} more in the report"

    def held(self, count: int) -> str:
        return f"{count} requirements of the library hold" if count > 1 else f"{count} requirement of the library holds"

    def not_checked_names(self, listed: str) -> str:
        return f"not checked: {listed}"

    def compared(self, planned: Amount, sign: str, limit: Amount, gap: Amount, side: str) -> Line:
        return line(f"{planned.short()} {sign} {limit.short()}, {gap.short()} {_SIDES[side]}")

    def requirement(self, name: str, text: str, row: Compared | None) -> Line:
        """A requirement in the first column of a report."""
        own = f"{name}: " if name and name != text else ""
        subject = self.label(row.subject) if row is not None else line(Code(cut(text, 70)))
        return line(own, subject, f" at {row.asked_text}" if row is not None and row.asked is not None else None)

    def of_a_limit(self, label: str | Line, sign: str, limit: Amount | None, unit: str) -> Line:
        """A label with the limit of what it is about, else with the unit of its row."""
        bound = f" {_SIGNS.get(sign, sign)} {limit.short()}" if limit is not None else f", {unit}" if unit else None
        return line(label, bound)

    def not_checked_for(self, needs: Sequence[str]) -> Line:
        return line("– not checked: needs ", listed(map(Code, needs[:4])))

    def violated(self, gap: Amount | None, because: str, chance: str) -> Line:
        missed = f": missed by {self.money(gap)}" if gap is not None else ""
        case = f": {cut(because, 120)}" if because else ""
        return line(f"✗ no{missed}{case}", f" (chance {chance})" if chance else None)

    def judged(self, verdict: str | None, chance: str, gap: Amount | None, side: str, expected: bool) -> Line:
        mark = _MARKS.get(verdict or "", "–")
        doubt = f" ({chance})" if chance else ""
        margin = f": {self.money(gap)} {_SIDES[side]}" if gap is not None else ""
        everywhere = "; not at every point of the ranges" if expected else ""
        return line(f"{mark} {verdict}{doubt}{margin}{everywhere}")

    def more_requirements(self, more: int) -> str:
        return f"{more} more requirements"

    def in_the_json(self) -> Line:
        return line("in ", Code("solution.json"))

    def fails(self, case: Line, because: str) -> Line:
        return line("✗ no: ", shortened(case, 120), f" ({cut(because, 100)})" if because else None)

    def failures(self, expected: Amount | None) -> Line:
        if expected is None:
            return EMPTY
        return line("hardly a failure" if expected.number < 0.1 else f"{expected.rough()} failures expected")

    def no_price(self, gpu: str) -> Line:
        return line(f"ⓘ no price of {gpu} in the catalog")

    def price(self, price: Amount, source: str) -> Line:
        text = price.short().replace("/GPU/hour", " per GPU and hour")
        return line(cut(f"at {text}{f' ({source})' if source else ''}", 120))

    # What changes would bring.

    levers_title = "levers"
    cures_title = "What would make it possible"
    changes_title = "What each change would buy"
    independent_conflicts = "The conflicts are independent: each needs a change, given for it alone."
    each_change_alone = "Each of these changes alone, found by solving again:"
    conflict_column = "conflict"
    cure_column = "one change that would do"
    minus = "−"
    no_single_change = "no single change was found"
    change_column = "one change, the rest as planned"

    def brought(
        self,
        solved: tuple[Amount, Amount] | None,
        moved: Sequence[tuple[str, Amount]],
        band: tuple[str, Range] | None,
        chance: str,
        safe: bool,
    ) -> Line:
        """What a change brings, on a screen."""
        parts = [f"{solved[0].exact()} instead of {solved[1].exact()}"] if solved is not None else []
        parts.append(", ".join(f"{name} {' '.join(difference.signed())}" for name, difference in moved))
        parts += [f"{band[0]} {band[1].short()} in eight of ten"] if band is not None else []
        parts += [f"{'safe: ' if safe else ''}chance {chance}"] if chance else []
        return line("; ".join(filter(None, parts)))

    def gain(self, difference: Amount, of_memory: bool) -> str:
        return f"{' '.join(difference.signed(3, self.minus))}{' of memory' if of_memory else ''}"

    def to_be_safe(self, statement: str, gains: Line, chance: str) -> Line:
        brings = listed([gains, f"chance {chance}" if chance else None])
        return line(Strong(line("To be safe")), ": ", Code(statement), " (", brings, ").")

    def cheapest_change(self, change: Line) -> Line:
        return line(Strong(line("Cheapest change")), ": ", change, ".")

    def another_card(self, change: Line) -> Line:
        return line(Strong(line("Another card")), ": ", change, ".")

    def change(
        self,
        statement: str,
        solved: Amount | None,
        gains: Line,
        band: tuple[str, Range] | None,
        chance: str,
        rates: Sequence[str],
    ) -> Line:
        """A change in a sentence: what it does to time, cost and memory, and how sure that is.

        Args:
            solved: What the plan's objective is with it when everything is solved again.
            rates: Assumed rates that are taken to be the same on another card.
        """
        sure: list[Line] = []
        if band is not None:
            sure.append(line(f"{band[0]} {band[1].ends()} {band[1].unit() or ''}".rstrip(), " in eight of ten"))
        if chance:
            sure.append(line(f"chance {chance}"))
        if rates:
            sure.append(line("at the same ", listed(map(Code, rates))))
        again = f", {solved.short()}" if solved is not None else ""
        return line(Code(statement), again, " (", gains, line("; ", listed(sure)) if sure else None, ")")

    def at_a_point(self, value: str, place: str) -> str:
        return f"{value} at {place}"

    def along(self, path: str, result: str, unit: str, points: Line) -> Line:
        return line("By ", Code(path), ", ", Code(result), f" in {unit}" if unit else None, ": ", points, ".")

    def deadline_caption(self, result: str, path: str, requirement: str) -> Line:
        return line(f"{result} by {path}, with the error of the model and the limit of {requirement}")

    def conflict_of(self, names: Sequence[str]) -> Line:
        return line(" with ".join(names))

    def cure(self, name: str, before: Amount | None, condition: str, values: Sequence[Amount], more: int) -> Line:
        was = f"{cut(before.short(), 60)} → " if before is not None else ""
        others = f" or {more} more" if more > 0 else ""
        to = Code(cut(condition, 80)) if condition else cut(" or ".join(one.short() for one in values), 80) + others
        return line(self.code(name), f": {was}", to)

    def lever(
        self, path: str, before: Amount, after: Amount, solved: Amount | None, breaks: Sequence[str], chance: str
    ) -> Line:
        """A change in the first column of a table."""
        values = f"{cut(before.short(), 30)} → {cut(after.short(), 30)}"
        again = f"; {solved.short()} if solved again" if solved is not None else ""
        fails = line("; fails ", shortened(listed(map(Code, breaks)), 80)) if breaks else EMPTY
        sure = f"; chance {chance}" if chance and not breaks else ""
        return line("✗ " if breaks else "✓ ", self.input_column(path), f": {values}{again}", fails, sure)

    def rates_stay(self, rates: Sequence[str]) -> Line:
        assumed = listed(map(Code, rates))
        return line("The plan assumes ", assumed, ": what a change does to that rate is not in these rows.")

    def one_point_more(
        self, name: str, before: float, after: float, changes: Sequence[tuple[str, Amount, Amount]]
    ) -> Line:
        moves = [line(Code(cut(one, 40)), f" from {old.short()} to {new.short()}") for one, old, new in changes]
        instead = f" ({percentage(after)} instead of {percentage(before)}) changes "
        return line("One percentage point more ", Code(name), instead, listed(moves), ".")

    # What is launched.

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

    def checkpoint(self, every: tuple[Amount, Amount | None] | None, size: Amount) -> str:
        if every is None:
            return f"checkpoint at the end, {size.short()}"
        steps, time = every
        return f"checkpoint every {steps.exact()} ({time.short() if time else ''}), {size.short()}"

    def watched(self, name: str, unit: str, beside: bool) -> Line:
        return line(", ".join(filter(None, (name, unit))), " (MFU)" if beside else None)

    def beside(self, text: str, other: str) -> str:
        return f"{text} ({other})" if other else text

    def load(self, micro: Amount, length: Amount | None) -> Line:
        each = f", of {length.exact()} each" if length is not None else ""
        return line(f"Load {micro.exact()} at a time on each rank (", Code("LLMPLAN_MICRO_BATCH"), f"){each}.")

    def same_data(self, ranks: str) -> Line:
        return line(f"Feed the same data to all {ranks} ranks of a tensor-parallel group.")

    def split_sequences(self, ranks: str) -> Line:
        return line(f"Split each sequence over {ranks} ranks.")

    def save_checkpoints(self) -> Line:
        return line("Save checkpoints as often as is said above.")

    # Tables of plans.

    shown_title = "shown"
    shown_heading = "Shown"
    value_column = "value"
    front_title = "front"
    front_heading = "Pareto front"
    sweep_heading = "Sweep"
    scenarios_heading = "Scenarios"
    best = "best"
    as_good_as_any = "as good as any"

    def expression(self, text: str) -> Line:
        return line(Code(cut(text, 80)))

    def shown(self, rows: Sequence[tuple[Line, Line]]) -> Line:
        return line("Shown: ", listed(line(text, " = ", value) for text, value in rows), ".")

    def no_other_plan(self, more: int) -> Line:
        left = line(f"; {more} more points are in ", Code("solution.json")) if more else EMPTY
        return line("No other plan is better in one of the two objectives without being worse in the other", left, ".")

    def feasible_points(self, feasible: int, points: int, thinned: bool) -> Line:
        more = line("; ", Code("llmplan sweep"), " prints all of them") if thinned else EMPTY
        return line(f"{feasible} of {points} points are feasible", more, ".")

    def assumed_in_every_row(self, rates: Sequence[tuple[str, Amount]]) -> Line:
        said = listed(line(Code(name), f" = {amount.short()}") for name, amount in rates)
        return line("Assumed in every row: ", said, ".")

    the_plan_itself = "the plan itself"

    def reason(self, row: Row) -> Line:
        """Why a point of a sweep is infeasible, or wrong."""
        if row.errors or not row.conflict:
            return line("; ".join(row.errors))
        first = "violates " if len(row.conflict) == 1 else "conflict: "
        tail = ", but not every jump was tried" if row.partly else ""
        return line(first, listed(map(self._blocked, row.conflict), "; "), tail)

    def _blocked(self, one: Blocked) -> Line:
        if one.reason:
            return line(f"{one.name}: {one.reason}")
        return line(one.name, line(": ", self.sides(one.sides, short=True)) if one.sides is not None else None)

    # Why it is this answer.

    why_heading = "Why this answer"
    where_heading = "Where memory and time go"
    memory_caption = line("Memory of the plan and its neighbours against the capacity")
    step_caption = line("From the peak of the data sheet to the step time")

    def unknowns_title(self, solved: bool) -> str:
        return "found" if solved else "nearest"

    def how(self, unknown: SolvedUnknown, binding: str) -> Line:
        """How an unknown was found, on a screen."""
        how = _JUMPS[unknown.jump] if unknown.jump else _HOW[unknown.how]
        how = "search over whole numbers" if unknown.whole and unknown.how == "search" else how
        parts = [f"by {how}" if unknown.asked else f"by {how}, open by default"]
        parts += [f"binding: {binding}"] if binding else []
        parts += [f"below {unknown.below.exact()}"] if unknown.below is not None else []
        parts += [f"above {unknown.above.exact()}"] if unknown.above is not None else []
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
        relative = loss.relative
        if relative is not None:
            return listed([*unmet, f"{loss.objective} {deviation(relative, '')}"])
        return listed([*unmet, f"{loss.objective} {count(loss.value)} instead of {count(loss.best)}"])

    def objective(self, sense: str, text: str, value: Amount | None) -> Line:
        return line(f"{sense} ", Code(text), f": {value.short()}" if value is not None else None)

    def asked_to(self, goals: Sequence[Line]) -> Line:
        return line("Asked to ", listed(goals, ", then to "))

    def sentences(self, said: Sequence[Line]) -> Line:
        return line(listed(said, ". "), ".")

    def relation(self, relation: str, exact: Amount | None) -> Line:
        return line(Code(relation), f", exactly {exact.exact()}" if exact is not None else None)

    def feasible_at(self, ranges: Sequence[Range]) -> Line:
        ends = (
            one.low.exact() if one.low == one.high else f"{one.low.exact()} .. {one.high.exact()}" for one in ranges
        )
        return line(f"feasible at {' or '.join(ends)}")

    def set_by(self, requirements: Sequence[str], beyond: Line) -> Line:
        return line("set by ", listed(map(Code, requirements), " and "), ": ", beyond)

    def beyond(self, beyond: Beyond) -> Line:
        """What the next better value of an unknown would violate."""
        named = len(beyond.cases) > 1 and beyond.cases[0].off != "not met"
        cases = (
            line(Code(one.name), " ", self._violation(one)) if named else self._violation(one) for one in beyond.cases
        )
        return line(f"With {beyond.value.short()}: ", listed(cases, "; "))

    def _violation(self, one: Case) -> Line:
        if one.computed is not None and one.gap is not None:
            return line(f"{one.computed.short()}, {one.gap.short()} {one.off}")
        if one.text or one.sides is None:
            return line(one.text or one.off)
        left, operation, right = one.sides
        return line(f"{left.short()} {operation} {right.short()}")

    def open_by_default(self, unknowns: Sequence[tuple[str, str]]) -> Line:
        return line("Open by default: ", listed(line(Code(path), f" = {value}") for path, value in unknowns))

    def preference(self, holds: bool, name: str, case: Line, because: str) -> Line:
        word = "Preferred and met" if holds else "Preferred, not met"
        return line(f"{word}: ", Code(name), ", ", case, f" ({because})" if because else None)

    def part(self, label: str, amount: Amount, of: float) -> str:
        """A part of a sum, in the unit that is said before all of them; its share where it is not small."""
        return f"{label} {amount.parts()[0]}" + (f" ({share(of)})" if of >= 0.05 else "")

    def memory_goes(self, parts: Iterable[str]) -> Line:
        return line(f"Memory of the fullest GPU at its peak, GB: {', '.join(parts)}.")

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

    # What `compile` has written, and what to type next.

    def since_the_last_compile(self, changed: Sequence[str]) -> str:
        return f"since the last compile: {', '.join(changed)}"

    def written(self, check: bool, directory: str, files: Sequence[str]) -> str:
        return f"{'up to date in' if check else 'wrote to'} {directory}: {', '.join(files)}"

    def removed(self, file: str) -> str:
        return f"removed {file}: no longer emitted"

    def left(self, file: str, why: str) -> str:
        return f"left {file}: {why}"

    def next(self, command: str) -> str:
        return f"next: {command}"

    # What it rests on, and what it leaves out.

    not_computed = "not computed"
    no_value = "no value"
    assumed_title = "assumed"
    notes_title = "notes"
    basis_heading = "What this rests on"
    notes_heading = "Warnings and notes"
    omitted_heading = "Not included"
    near_layouts = (
        "Two layouts whose times differ by less than 5 % are nearer to each other than the model of step time can tell."
    )
    quality_left_out = "Model quality: neither loss nor accuracy is predicted."
    loading_left_out = "Data loading and logging, unless overlapped with compute."
    script_memory_left_out = (
        "Memory that the training script itself holds on the GPU: evaluation batches, weight averages, metrics."
    )

    def results_title(self, banded: bool) -> str:
        return "results, and eight of ten measured" if banded else "results"

    def result(self, value: Amount, spread: Range | None) -> Line:
        return line(value.short(), f" ({spread.short()})" if spread is not None else None)

    def risk(self, name: str, taken: Amount, worse: Amount, result: str, change: float) -> Line:
        said = f" is taken to be {taken.short()}, which the plan does not say: at {worse.short()} "
        return line(Code(name), said, Code(result), f" is {share(change)} more.")

    def list_price(self, source: str) -> Line:
        return line(f"The price is a list price ({source}); the cost moves with it one to one.")

    def assumption(self, one: Assumed, short: bool = False) -> Line:
        """A formula that is assumed, with its value and the library's word on it; or a rate that the plan assumes."""
        if one.amount is None:
            return line(one.name)
        return line(f"{one.name} = {one.amount.short() if short else one.amount.exact()} ({one.why})")

    def assumed(self, assumption: Line) -> Line:
        return line("assumed: ", assumption)

    def replaced(self, name: str, place: str) -> Line:
        return line("replaced: ", cut(f"{name} ({place})", 160))

    def cliff(self, one: Cliff) -> Line:
        """A value that would do but for one requirement, or with one change."""
        would = line(f"{one.unknown} = {one.value.exact()} would do ")
        if not one.input:
            return line(would, "but for ", Code(one.rule))
        return line(would, f"with {one.input} = {one.to} (", Code(one.rule), ")")

    def skipped(self, one: Skipped) -> Line:
        """Entries that a search passes over."""
        more = one.count - len(one.names)
        these = f"{', '.join(one.names)} and {more} more" if more > 0 else ", ".join(one.names)
        return line(f"not considered: {these} (", Code(one.objective), f": {one.reason})")

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
