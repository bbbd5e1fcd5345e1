"""How a value comes about, as `llmplan explain` tells it: where it stands, what it won against, how it was found."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.requirements import Compared, RequirementResult
from llmplan.answer.schema.values import Read
from llmplan.present.blocks import Line, line, listed
from llmplan.present.words.en.labels import Labels, inequality
from llmplan.units.amount import Amount

_LAYERS = {
    "plan": "set in the plan",
    "used": "set in a used file",
    "entry": "from the catalog",
    "default": "default",
    "formula": "formula",
    "replaced": "formula of the plan, not of the library",
    "assumed": "assumed",
    "solved": "solved for",
    "scenario": "set by the scenario",
    "--set": "set on the command line",
    "waived": "waived by the plan",
    "measured": "moved by a measured run",
}
_HOLDS = {True: "holds", False: "does not hold", None: "not checked"}


class Derivation(Labels):
    """Steps of a derivation."""

    def layer(self, layer: str) -> str:
        """Where a value comes from, by the layer of the plan that gives it."""
        return _LAYERS.get(layer, layer)

    def instead_of(self, origin: str) -> str:
        return f"instead of {origin}"

    def prior(self, value: Amount, runs: Sequence[str]) -> Line:
        """What a value is without the measured runs that move it."""
        named = listed([f'"{run}"' for run in runs], " and ")
        return line(f"{value.exact()} without what was measured in ", named)

    def no_prior(self) -> Line:
        return line("no measured run is near this plan: it is as without them")

    def as_read(self, read: Read) -> Line:
        """A reading of a measured run beside what the library says of that run."""
        said = f"{read.seen.exact()} read, {read.before.exact()} by the library"
        return line(f'measured "{read.run}": {said}, {read.after.exact()} with what was measured, {read.place}')

    def source(self, citation: str) -> str:
        return f"source: {citation}"

    def graph_of(self, name: str, value: str) -> str:
        """The title of a graph of what a value depends on."""
        return f"What {name} = {value} depends on"

    def graph_of_uses(self, name: str, value: str) -> str:
        """The title of a graph of what depends on a value."""
        return f"What depends on {name} = {value}"

    def graph_alt(self, title: str, names: Sequence[str]) -> str:
        return f"{title}: {', '.join(names)}." if names else f"{title}: nothing."

    def judgement(self, rule: RequirementResult) -> Line:
        """Whether a requirement holds, with what its failure means or what it lacks."""
        everywhere = " at the expected values, not in the worst case" if rule.certainty == "expected" else None
        fails = f": {rule.otherwise}" if rule.otherwise else None
        return line(
            _HOLDS[rule.holds], everywhere, fails, f": {self.needs(', '.join(rule.needs))}" if rule.needs else None
        )

    def verdict_as_planned(self, verdict: str, chance: str) -> Line:
        """The verdict on a requirement as it is written, where another one is about the calendar."""
        return line(f"as planned: {verdict} {chance}".rstrip())

    def verdict_on_the_calendar(self, text: str, row: Compared | None, verdict: str, chance: str) -> Line:
        """The verdict on the counterpart of a requirement on the calendar, with its condition and its figures."""
        figures = inequality(row.planned, row.operation, row.limit, Amount.exact) if row is not None else ""
        both = f"{text} ({figures})" if text and figures else text or figures
        judged = f"{verdict} {chance}".rstrip()
        return line(f"on the calendar: {both}, {judged}" if both else f"on the calendar: {judged}")

    def verdict_of_it(self, verdict: str, chance: str) -> Line:
        return line(f"verdict: {verdict} {chance}".rstrip())

    def found_by(self, method: str, domain: str) -> Line:
        return line(f"found {method} in {domain}")

    def binding(self, requirements: Sequence[str], beyond: Line) -> Line:
        """The requirements that keep an unknown from its next better value, and what that would violate."""
        return line(f"binding constraint: {' and '.join(requirements)}", line(". ", beyond) if beyond else None)

    def next_feasible(self, value: Amount, below: bool) -> Line:
        return line(f"next feasible {'below' if below else 'above'}: {value.exact()}")
