"""How sure a change is: the bands of its results, and the least chance of the author's requirements there.

Input: a row of the levers and a lowering of the changed plan at its solution. Output: the row with both. What was
    measured
of the answer may not have been measured of another entry, so that its band is another one.
"""

from __future__ import annotations

from attrs import evolve

from llmplan.answer.schema.advice import Lever, Moved
from llmplan.check.program import Rule
from llmplan.system.lower import Lowering
from llmplan.units.amount import Range
from llmplan.whatif.bands import Bands
from llmplan.whatif.results import results


def doubted(row: Lever, there: Lowering) -> Lever:
    """The row with what is uncertain of it, as everything is solved again where it says so."""
    if not there.scope.banded:
        return row
    bands = Bands(there)
    rules = [rule for rule in there.program.rules if rule.origin in ("plan", "used") and rule.weight is None]
    found = [bands.chance(rule) for rule in rules if _in_force(rule, there)]
    chances = [chance for chance in found if chance is not None]
    if chances:
        row = evolve(row, chance=min(chances))
    if row.solved:
        return evolve(row, solved_results=_banded(row.solved_results, bands))
    return evolve(row, results=_banded(row.results, bands))


def _banded(moved: tuple[Moved, ...], bands: Bands) -> tuple[Moved, ...]:
    shown = {result.name: result for result in results(bands.lowering.program, bands.lowering)}
    found = []
    for one in moved:
        ends = bands.ends(one.name) if one.name in bands.lowering.scope.quantities else None
        known = [shown[one.name].amount(end, bands.lowering) for end in ends] if ends and one.name in shown else []
        found.append(evolve(one, band=Range(*known) if known else None))
    return tuple(found)


def _in_force(rule: Rule, there: Lowering) -> bool:
    return rule.when is None or there.worth(rule.when, rule.place[0]) == 1.0
