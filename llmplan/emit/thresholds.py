"""Conditions under which the difference of two plans fails: `wall_cost > +5%`, `deadline < likely`.

Input: a condition as text. Output: its parts. A bound with a sign is one of the change, in the result's unit or, with
`%`, as a share of what it was; a bound without a sign is one of the newer plan. A verdict is less than the words that
are better. The bound itself is an expression of the plan language, which the caller gives a value.
"""

from __future__ import annotations

import operator
import re
from typing import get_args

from attrs import frozen

from llmplan.answer.schema.difference import Apart, Threshold
from llmplan.answer.schema.requirements import Verdict
from llmplan.answer.schema.solution import Solution
from llmplan.diagnostics import command
from llmplan.uncertainty.bands import GRAVITY
from llmplan.units.measure import Measure, Type

_FORM = re.compile(r"\s*([A-Za-z_][\w.]*)\s*(<=|>=|<|>)\s*([+-]?)\s*(\S.*?)\s*\Z")
_COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_VERDICTS: tuple[str, ...] = get_args(Verdict)


class Wrong(Exception):
    """A condition that means nothing; the text says why."""


@frozen
class Condition:
    """A condition in its parts.

    Attributes:
        bound: The expression after the sign, or a verdict.
        sign: -1 or 1 of a bound on the change; 0 of one on the newer plan.
    """

    text: str
    name: str
    operation: str
    sign: int
    bound: str

    @property
    def about_verdict(self) -> bool:
        return self.bound in _VERDICTS and not self.sign

    @property
    def relative(self) -> bool:
        """Whether the bound is a share of what the result was."""
        return bool(self.sign) and self.bound.endswith("%")


def condition(text: str) -> Condition:
    """The parts of a condition.

    Raises:
        Wrong: It has not the form of one.
    """
    form = _FORM.match(text)
    if form is None:
        raise Wrong(command.no_condition())
    name, operation, sign, bound = form.groups()
    return Condition(text, name, operation, {"": 0, "+": 1, "-": -1}[sign], bound)


def verdict_met(of: Condition, answer: Solution) -> Threshold:
    """Whether a condition on a verdict is met by the newer plan.

    Raises:
        Wrong: The plan has no such requirement, or it is not judged by such words.
    """
    verdicts = {rule.name: rule.verdict for rule in answer.requirements if rule.verdict is not None}
    if of.name not in verdicts:
        raise Wrong(command.not_in_plan("requirement", of.name, verdicts))
    # The better verdict is the greater one.
    worth = len(GRAVITY) - GRAVITY.index(verdicts[of.name])
    return Threshold(of.text, _COMPARED[of.operation](worth, len(GRAVITY) - GRAVITY.index(of.bound)))


def known(of: Condition, answer: Solution) -> None:
    """Nothing, if the newer plan has a number of this name.

    Raises:
        Wrong: It has none.
    """
    if of.name not in answer.values or not answer.values[of.name].amount.finite:
        numbers = [name for name, value in answer.values.items() if value.amount.finite]
        raise Wrong(command.not_in_plan("result", of.name, numbers))


def number_met(of: Condition, limit: float, type: Type | None, result: Apart | None, answer: Solution) -> Threshold:
    """Whether a condition on a number is met.

    Args:
        limit: The bound in base units, without its sign; `type` is its type.
        result: The number in both plans; None where the older one has none.

    Raises:
        Wrong: The bound has another dimension.
    """
    amount = answer.values[of.name].amount
    dims = () if of.relative or amount.measure is None else amount.measure.dims
    if not isinstance(type, Measure) or type.dims != dims:
        raise Wrong(command.other_dimension(of.name, of.bound))
    compared = _COMPARED[of.operation]
    if not of.sign:
        return Threshold(of.text, compared(amount.number, limit))
    if result is None:
        raise Wrong(command.no_change(of.name))
    change = result.change if of.relative else result.after.number - result.before.number
    if change is None:
        raise Wrong(command.no_change(of.name))
    met = compared(change, of.sign * limit)
    return Threshold(of.text, met and result.told_apart, not met or result.told_apart)
