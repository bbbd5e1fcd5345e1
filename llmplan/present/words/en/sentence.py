"""The answer in a sentence or two: who trains what, in how long, and what that is worth."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.advice import Lever, as_made
from llmplan.answer.schema.requirements import Compared
from llmplan.answer.schema.solution import Shown
from llmplan.answer.schema.values import Value
from llmplan.present import names
from llmplan.present.blocks import EMPTY, Code, Line, cut, line, listed
from llmplan.present.words.en.labels import SIGNS, Labels
from llmplan.units.amount import Amount, Range, count, percentage

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
_BOUNDS = {
    "memory": "the memory for the cache: requests wait",
    "bandwidth": "memory bandwidth",
    "compute": "arithmetic",
    "latency": "the start of kernels and collectives",
}
_METHODS = {names.LORA: "LoRA", names.QLORA: "QLoRA"}
_TASKS = {
    names.DPO: " by DPO",
    names.IPO: " by IPO",
    names.KTO: " by KTO",
    names.ORPO: " by ORPO",
    names.SIMPO: " by SimPO",
    names.REWARD: " as a reward model",
    names.DISTILL: " by distillation",
}
_LIMITS = ("deadline", "budget", "limit")
_MOST_OF_A_TEXT = 80


class Sentence(Labels):
    """The first sentences."""

    def not_solved(self, plan: str) -> Line:
        return line(f"{plan} was not solved.")

    def a_single(self, gpu: str) -> Line:
        return line(f"one {gpu}")

    def machines(self, gpus: int, gpu: str, nodes: int) -> Line:
        kind = gpu or ("GPU" if gpus == 1 else "GPUs")
        return line(f"{count(gpus)} {kind}", f" ({count(nodes)} nodes)" if nodes > 1 else None)

    def model(
        self, name: str, overridden: Sequence[tuple[Amount, str]], method: str, rank: Amount | None, task: str
    ) -> Line:
        """The model, the method of a fine-tune, and the adapters: `llama-3.1-8b by DPO with LoRA of rank 16`."""
        sizes = ", ".join(f"{amount.exact()} {field}" for amount, field in overridden)
        by, trained = _METHODS.get(method), _TASKS.get(task)
        return line(
            name,
            f" with {sizes}" if sizes else None,
            trained,
            f" {'with' if trained else 'by'} {by}" if by else None,
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

    def trains(self, machines: Line, single: bool, model: Line, tokens: Amount | None, epochs: Amount | None) -> Line:
        """The run.

        Args:
            epochs: None where the tokens are seen once.
        """
        verb = " trains " if single else " train "
        seen = f" on {epochs.short()} epochs of {tokens.short()}" if tokens and epochs else self._on(tokens)
        return line(machines, verb, model or "the model", seen)

    def planned(self, time: Value, cost: Value | None) -> Line:
        """Time and cost if every step runs as planned, of a run whose time on the calendar is not known."""
        band = f" ({time.band.ends()} in eight of ten runs)" if time.band else ""
        ends = f" ({time.spread.ends()})" if time.spread else band
        if cost is None:
            return line(time.amount.short(), ends)
        price = f" and {cost.amount.rough()}"
        return line(time.amount.short(), ends, price, f" ({cost.spread.ends()})" if cost.spread else None)

    def in_planned(self, trains: Line, planned: Line, chosen: Line) -> Line:
        return line(trains, " in ", planned, chosen, ".")

    def as_planned(self, time: Value, cost: Value | None, wall: Amount) -> Line:
        """Time and cost if every step runs as planned, beside the time on the calendar, whose unit is not repeated."""
        number, unit = time.amount.parts()
        alone = cost is None and unit == wall.parts()[1]
        price = f" and {cost.amount.rough()}" if cost is not None else ""
        return line(number if alone else time.amount.short(), price)

    def on_the_calendar(
        self, trains: Line, wall: Amount, ends: Range, cost: Amount | None, chosen: Line, planned: Line, judged: Line
    ) -> Line:
        """The run on the calendar and as planned, and what that means for what is required first."""
        bill = f" and {cost.rough()}" if cost is not None else ""
        about = f" in {wall.rough()} on the calendar ({ends.ends(2)}){bill}, "
        means = line(": ", judged) if judged else EMPTY
        return line(trains, about, planned, " if every step runs as planned", chosen, means, ".")

    def limited(self, name: str, text: str, row: Compared, figure: Amount | None) -> Line:
        """`the deadline of 30 days`; `surely (<= 30 days)` for another name; the figure where it is not told before."""
        limit, known = self.money(row.limit), f"; {self.money(figure)} on the calendar" if figure is not None else ""
        if name in _LIMITS:
            return line(f"the {name} of {limit}", f" ({known[2:]})" if known else None)
        if not name or name == text:  # which says its limit
            return line(Code(text), f" ({known[2:]})" if known else None)
        return line(Code(name), f" ({SIGNS[row.operation]} {limit}{known})")

    def compound(self, name: str, text: str) -> Line:
        """A requirement that is not a single comparison: `goals` (`time <= 30 days and cost <= 1 MUSD`)."""
        asked = Code(cut(text, _MOST_OF_A_TEXT))
        return line(Code(name), " (", asked, ")") if name and name != text else line(asked)

    def has_a_chance(self, subject: Line, safe: bool, chance: str, planned: str, asked: float | None) -> Line:
        """`the deadline of 30 days has a chance of 18% (63% planned)`; `planned`: empty where it is the same."""
        beside = f"{planned} planned" if planned else ""
        wanted = f", asked {percentage(asked)}" if asked is not None else None
        if safe:
            return line(subject, f" is safe ({'; '.join(filter(None, (chance, beside)))})", wanted)
        return line(subject, f" has a chance of {chance}", f" ({beside})" if beside else None, wanted)

    def is_not_judged(self, subject: Line, rates: Sequence[str]) -> Line:
        return line(subject, " is not judged, as ", self._assumed(rates))

    def _assumed(self, rates: Sequence[str]) -> Line:
        return line(listed(map(Code, rates)), " is assumed" if len(rates) == 1 else " are assumed")

    def surer(self, meets: Lever | None, safe: Lever | None, several: bool) -> Line:
        """`128 GPUs meet it (54%); safe from 224.`"""
        what = "them" if several else "it"
        first = self._value(meets), self._value(safe)
        met = f"{first[0]} meet{self._s(meets)} {what} ({self.chance(meets.chance)})" if meets is not None else ""
        if safe is None:
            return line(f"{met}.") if met else EMPTY
        side = "from" if safe.amount.number > safe.before.number else "up to"
        counted = safe.name == names.GPUS
        number = safe.amount.parts()[0] if counted and meets is not None and meets.name == safe.name else first[1]
        sure = f"afe {side} {number}" if counted else f"afe with {number}"
        return line(f"{met}; s{sure}." if met else f"S{sure} ({self.chance(safe.chance)}).")

    def _value(self, lever: Lever | None) -> str:
        if lever is None:
            return ""
        return lever.amount.short() if lever.name == names.GPUS else as_made(lever)

    def _s(self, lever: Lever) -> str:
        return "" if lever.name == names.GPUS and lever.amount.number != 1 else "s"

    def needs_memory(self, model: Line, machines: Line, memory: Amount, chosen: Line) -> Line:
        return line(model, " on ", machines, f" needs {memory.short()} per GPU", chosen, ".")

    def serves(
        self,
        needed: int,
        gpus: int,
        gpu: str,
        queries: Amount | None,
        model: Line,
        cost: Amount | None,
        chosen: Line,
    ) -> Line:
        """What is served, by how many GPUs, at what cost.

        Args:
            needed: As many of the GPUs as answer the queries: the others are to spare.
            cost: Of a million tokens of answers, with their prompts.
        """
        rate = "queries" if queries is None else f"{queries.rough()} per minute"
        price = "" if cost is None else f" at {cost.short()} a million output tokens"
        enough = f"{count(needed)} of " if needed < gpus else ""
        who = f"{enough}{count(gpus)} {gpu or 'GPUs'} serve{'s' if gpus == 1 else ''} {rate} with "
        return line(who, model or "the model", price, chosen, ".")

    def answers_in(self, first: Value, token: Value, latency: Amount, copies: tuple[int, Amount], bound: str) -> Line:
        """When answers come, with the ends of eight of ten measured ones, by how many copies, and what binds.

        Args:
            copies: How many, and the GPUs of each.
        """
        number, each = copies
        by = f"{count(number)} cop{'y' if number == 1 else 'ies'} of {each.short()}"
        return line(
            f"The first token comes in {self._within(first)}, each further one in {self._within(token)}, ",
            f"a whole answer in {latency.short()}; {by}, bound by {_BOUNDS.get(bound, bound)}.",
        )

    @staticmethod
    def _within(value: Value) -> str:
        ends = value.spread or value.band
        return value.amount.short() + (f" ({ends.ends()})" if ends else "")

    def takes_compute(self, model: Line, tokens: Amount | None, flops: Amount, machines: Line, chosen: Line) -> Line:
        on = line(" on ", machines) if machines else EMPTY
        return line("Training ", model or "the model", self._on(tokens), f" takes {flops.short()}", on, chosen, ".")

    def solved(self, what: Sequence[Line], known: bool, settings: Line) -> Line:
        return line("Solved: ", listed(what, " on "), ", with " if known else None, settings, ".")

    def equation(self, row: Shown) -> Line:
        return line(f"{row.text} = ", self.worth(row))

    def nothing_to_solve(self, rows: Sequence[Line], what: Sequence[Line]) -> Line:
        if rows:
            return line(listed(rows), ".")
        known = listed(what, " on ")
        return line("Nothing to solve", ": " if known else None, known, ".")

    def front_between(self, count: int, names: Sequence[str], first: Sequence[Amount], last: Sequence[Amount]) -> Line:
        """The ends of a Pareto front; the answer that follows is the first of them."""
        ends = (" and ".join(map(self.money, end)) for end in (first, last))
        plans = f"{count} plans trade " if count > 2 else "Two plans trade "
        return line(
            plans, listed(map(Code, names), " for "), ", from ", listed(map(line, ends), " to "), ". The first:"
        )

    def more_verdicts(self, more: int) -> Line:
        return line(f"{more} more are in the table.")

    def verdict_subject(self, name: str, text: str, row: Compared | None) -> Line:
        """`The deadline of 30 days`; `surely` with its limit for another name."""
        subject = f"The {name}" if name in _LIMITS else Code(name or text)
        if row is None:
            return line(subject)
        limit = self.money(row.limit)
        bound = f" of {limit}" if name in _LIMITS else f" ({SIGNS[row.operation]} {limit})" if name else None
        return line(subject, bound)

    def was_not_checked(self, subject: Line, needs: Sequence[str]) -> Line:
        return line(subject, f" was not checked: needs {', '.join(needs)}.")

    def is_missed(self, subject: Line, gap: Amount | None) -> Line:
        return line(subject, " is missed", f" by {gap.short()}" if gap is not None else None, ".")

    def is_safe(self, subject: Line, expected: str | None) -> Line:
        """A requirement that is safe; with its chance where it does not hold at every point of the ranges."""
        doubt = "" if expected is None else f" ({expected}), though not at every point of the ranges"
        return line(subject, f" is safe{doubt}.")

    def is_uncertain(self, subject: Line, verdict: str, chance: str, planned: str) -> Line:
        """`planned`: the chance if every step runs as planned, where the verdict is about the calendar."""
        beside = f"; {planned} planned" if planned else ""
        if verdict == "no":
            return line(subject, f" is not met on the calendar ({chance}{beside}).")
        return line(subject, f" is {verdict} ({chance}{beside}), not safe.")

    def is_unjudged(self, subject: Line, rates: Sequence[str], why: str) -> Line:
        reason = self._assumed(rates) if rates else line(self.unjudged(why))
        return line(subject, " is not judged, as ", reason, ".")

    def does_not_fit(self, gap: Amount) -> Line:
        return line(f"It does not fit: {gap.rough()} over.")

    def fits(self, spare: Amount) -> Line:
        return line(f"It fits with {spare.rough()} to spare.")

    def fits_with_a_chance(self, chance: str, size: Amount, spare: bool) -> Line:
        return line(f"It fits with a chance of {chance}, {size.rough()} {'to spare' if spare else 'over'}.")

    def memory_is_tight(self, chance: str, size: Amount, spare: bool) -> Line:
        side = "to spare" if spare else "over"
        return line(f"Memory is tight: it fits with a chance of {chance}, {size.rough()} {side}.")

    def no_plan(
        self, partly: bool, clashes: Sequence[Line], more: int, conflict: Sequence[str], cure: Sequence[Line]
    ) -> Line:
        """Which requirements conflict, with the changes that together make everything hold."""
        meets = "No plan was found that meets " if partly else "No plan meets "
        failing = listed(clashes, " or ") or listed(map(Code, conflict), " with ") or "its requirements"
        others = f", and {more} more" if more else None
        if cure:
            return line(meets, failing, others, ": ", listed(cure, " and "), " would do.")
        none = " No change was found that makes all of them hold." if len(clashes) > 1 else None
        return line(meets, failing, others, ".", none)

    def conflict(self, names: Sequence[str], row: Compared | None, said: Line = EMPTY) -> Line:
        """Requirements that cannot be met together; of a single one its figures, or what its failure means."""
        case = f" ({self.money(row.planned)}, limit {self.money(row.limit)})" if row else None
        return line(listed(map(Code, names), " with "), case, line(" (", said, ")") if said else None)

    def asked_chance(self, chance: str, asked: float) -> Line:
        return line(f"a chance of {chance}, {percentage(asked)} asked")

    def change_to(self, statement: str) -> Line:
        return line(Code(statement))

    nearest_plan_below = "The figures below are of the nearest plan. No files to launch were written."
