"""Advice on a plan as data: what would make it feasible, and what single changes of a solved plan would bring.

Part of the schema of `llmplan.solution`, in the same units and with the same rule: nothing here computes.
"""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from llmplan.units.measure import Scalar


@frozen
class Relaxation:
    """A single change that makes an infeasible plan feasible, found by solving again."""

    name: str  # the input, let or assumption, or the requirement whose bound would move
    kind: Literal["input", "requirement"]  # `input` for anything that has a value, `requirement` for a bound
    before: str  # what it is now, for people
    # What it would have to be: the nearest value above, below or both, or of a choice every one that works;
    # in base units or by name
    values: tuple[Scalar, ...]
    unit: str | None  # the base unit, None for a choice
    texts: tuple[str, ...]  # the values in the author's unit
    change: float  # the smallest relative change, infinite for a choice
    condition: str = ""  # the requirement with the relaxed bound, as one would write it; empty for an input
    # The change as a statement of a plan: `require deadline: time <= 35 days`, `hardware.gpus = 96 GPUs`
    statement: str = ""
    beside: tuple[Relaxation, ...] = ()  # what is to be changed too, where one change alone does not help

    @property
    def text(self) -> str:
        """`require deadline: time <= 35 days` instead of 30 days; of several changes all."""
        instead = f" instead of {self.before}" if self.before else ""
        return " and ".join([f"`{self.statement}`{instead}", *(one.text for one in self.beside)])


@frozen
class Moved:
    """A result before and after a change of the plan, in base units and for people."""

    name: str  # a quantity, or an objective or shown row as written
    before: float
    after: float
    unit: str  # the base unit
    text: str  # what it becomes: `25.4 days`
    difference: str  # with its sign: `-2.51 days`, `+1.2%`; empty where it stays
    band: str = ""  # what eight of ten measured values lie between then, where that was looked at: `20.4 .. 63.5 days`


@frozen
class Lever:
    """One input of a solved plan at another value, everything else as in the answer; found by solving again."""

    name: str  # the input: `training.kernels`
    before: str  # what it is in the answer, for people
    value: Scalar  # what it becomes, in base units or by name
    unit: str | None  # the base unit, None for a choice
    text: str  # the value as its author would write it: `compiled`, `128 GPUs`
    statement: str  # the change as a statement of a plan: `training.kernels = compiled`
    results: tuple[Moved, ...]  # what plans are compared by, the author's objectives and shown rows
    # Requirements that fail then, each with what is the case; with none of them the change is `legal`
    breaks: tuple[tuple[str, str], ...] = ()
    # Where the author's objective is an unknown: its path, what it is and what it is when everything is solved again
    # with this change, and the results there; `solved` is empty where there is no such unknown, or no such plan
    unknown: str = ""
    solved_before: str = ""
    solved: str = ""
    solved_value: Scalar = None
    solved_results: tuple[Moved, ...] = ()
    # Why it is in the list: a change by itself; the nearest value at which every requirement of the author that is
    # uncertain is safe; the best other entry
    purpose: Literal["change", "safe", "entry"] = "change"
    chance: float | None = None  # the least chance of the author's requirements then, None where nothing is uncertain
    chance_text: str = ""
    best: bool = False  # one of the three legal ones that are shown first

    @property
    def anew(self) -> bool:
        """Whether the answer is another one when everything is solved again."""
        return bool(self.solved) and self.solved != self.solved_before

    @property
    def legal(self) -> bool:
        return not self.breaks


@frozen
class Risk:
    """A number that the plan leaves to the library or the catalog, and a result that suffers if it is worse."""

    name: str  # the input
    text: str  # what it is taken to be, for people
    worse: str  # what it is where the result is looked at
    result: str  # a quantity
    change: float  # how much larger the result is then, as a share
