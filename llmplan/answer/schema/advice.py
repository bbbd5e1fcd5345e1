"""Advice on a plan: cures of an infeasible one, what single changes of a solved one would bring, and what it rests on.

Statements and conditions are texts of the plan language, to be pasted into a plan.
"""

from __future__ import annotations

import math
import shlex
from typing import Literal

from attrs import field, frozen

from llmplan.diagnostics import Edit
from llmplan.units.amount import Amount, Range

Sort = Literal["switch", "setting", "count", "entry", "bound"]
"""Classes of changes: a switch of the software, another setting, a count of machines, another entry, a bound."""

RISKIER = 0.02
"""The loss of chance from which a change is said to make a plan less likely."""


@frozen
class FileEdit:
    """A key of a file of other software at another value; without `before` one that the file lacks: at line 0 a key of
    its own, elsewhere an option of the command that stands there.
    """

    key: str
    before: str | None
    after: str
    file: str
    line: int

    @property
    def text(self) -> str:
        """`sft.yaml:14 per_device_train_batch_size: 4 → 2`, of a new key `sft.yaml: + optim: adamw_8bit`, of a new
        option `train.sh:6 + --optim adamw_8bit`."""
        if self.before is None and self.line:
            value = (
                "" if self.after == "true" else f" {shlex.quote(self.after)}"
            )  # the only spelling that every parser takes
            return f"{self.file}:{self.line} + {self.key}{value}"
        if self.before is None:
            return f"{self.file}: + {self.key}: {self.after}"
        return f"{self.file}:{self.line} {self.key}: {self.before} → {self.after}"


def as_made(change: Relaxation | Lever) -> str:
    """A change as its author would make it: in the words of the files that the plan was read from, or a statement."""
    return ", ".join(edit.text for edit in change.in_files) or change.statement


@frozen
class Relaxation:
    """A change that makes an infeasible plan feasible, found by solving again; with others if it has some `beside`."""

    name: str  # the input, let or assumption, or the requirement whose bound would move
    kind: Literal["input", "requirement"]  # `input` for anything that has a value, `requirement` for a bound
    before: Amount | None  # what it is now
    before_text: str  # the same as its author would write it
    # What it would have to be: the nearest value above, below or both, or of a choice every one that works
    values: tuple[Amount, ...]
    # The same as one would write them in a plan: with few digits, or with as many as it takes
    texts: tuple[str, ...]
    unit: str | None  # the base unit, None for a choice
    change: float  # the smallest relative change, infinite for a choice
    condition: str = ""  # the requirement with the relaxed bound, as one would write it; empty for an input
    # The change as a statement of a plan: `require deadline: time <= 35 days`, `hardware.gpus = 96 GPUs`
    statement: str = ""
    beside: tuple[Relaxation, ...] = ()  # what is to be changed too, where one change alone does not help
    sort: Sort = "setting"
    question: bool = False  # whether it changes what is asked, or what something costs
    changes: str = ""  # what it changes beside speed and memory: `the numerics`
    in_files: tuple[FileEdit, ...] = ()  # the same in the files that the plan was read from
    # The same as edits of the plan's text; empty where the value does not stand in it
    edits: tuple[Edit, ...] = field(default=(), eq=False, repr=False)


@frozen
class Moved:
    """A result before and after a change of the plan."""

    name: str  # a quantity, or an objective or shown row as written
    before: Amount
    after: Amount
    same: bool  # whether the difference is too small to be seen
    base: str  # the base unit
    band: Range | None = None  # what eight of ten measured values lie between then, where that was looked at

    @property
    def by(self) -> Amount:
        """The difference, in a unit by its own size."""
        return Amount(self.after.number - self.before.number, self.after.measure, self.after.unit)


@frozen
class Verdicted:
    """A requirement of the author after a change."""

    name: str
    chance: float | None
    verdict: Literal["safe", "likely", "tight", "no", "not judged"]


@frozen
class Redecided:
    """An unknown of the plan that has another value when everything is solved again."""

    name: str
    before: Amount
    after: Amount
    sort: Sort  # `switch` for a part of the layout, which changes nothing but speed and memory


@frozen
class Lever:
    """One input of a solved plan at another value, and everything else solved again."""

    name: str  # the input: `training.kernels`
    before: Amount  # what it is in the answer
    amount: Amount  # what it becomes
    unit: str | None  # the base unit, None for a choice
    before_text: str  # `before_text`, `text`: the same as their author would write them: `compiled`, `128 GPUs`
    text: str
    statement: str  # the change as a statement of a plan: `training.kernels = compiled`
    results: tuple[Moved, ...]  # what plans are compared by, the author's objectives and shown rows
    sort: Sort = "setting"
    changes: str = ""  # what it changes beside speed and memory: `the numerics`
    source: str = ""  # of another entry, the source of its price
    judged: tuple[Verdicted, ...] = ()  # the author's requirements then
    # Where the author's objective is another unknown: its path, what it is, and what it is then
    unknown: str = ""
    solved_before: Amount | None = None
    solved: Amount | None = None
    decided: tuple[Redecided, ...] = ()  # every unknown that is another one then
    # Why it is in the list: a change by itself; the nearest value at which every requirement of the author that is
    # uncertain is met at the median, or safe; the best other entry
    purpose: Literal["change", "meets", "safe", "entry"] = "change"
    chance: float | None = None  # the least chance of the author's requirements then, None where nothing is uncertain
    chance_before: float | None = None  # the least chance in the answer
    best: bool = False  # one of those that a screen shows
    in_files: tuple[FileEdit, ...] = ()  # the change in the files that the plan was read from
    kept: bool = False  # whether all else is as in the answer, where solving again took too long

    @property
    def anew(self) -> bool:
        """Whether the answer is another one when everything is solved again."""
        return self.solved is not None and self.solved != self.solved_before

    @property
    def riskier(self) -> bool:
        """Whether the least chance falls by more than two percentage points."""
        known = self.chance is not None and self.chance_before is not None
        return known and (self.chance or 0.0) < (self.chance_before or 0.0) - RISKIER


@frozen
class Price:
    """A preference of the library that the answer meets, and the plan's answer without it, which is better."""

    name: str  # the preference
    objective: str  # what is better then, as written
    results: tuple[Moved, ...]
    decided: tuple[Redecided, ...] = ()  # every unknown that is another one then
    risk: Verdicted | None = None  # the requirement that loses most of its chance then


@frozen
class Risk:
    """A number that the plan leaves to the library or the catalog, and a result that suffers if it is worse."""

    name: str  # the input
    amount: Amount  # what it is taken to be
    worse: Amount  # what it is where the result is looked at
    result: str  # a quantity
    change: float  # how much larger the result is then, as a share


@frozen
class Assumed:
    """A formula of the library, marked as assumed, that the answer rests on; or what the plan assumes: a quantity, or
    the rate of a currency.
    """

    name: str
    amount: Amount | None = None  # None for a quantity that the plan itself assumes
    why: str = ""  # the library's word on it: `the model's limit`; empty for what the plan assumes


@frozen
class Default:
    """A choice that the library makes for the plan, and the first result that another one changes, all else equal."""

    name: str  # the input
    amount: Amount  # what it is
    instead: Amount  # the other value, the best for that result
    result: str  # a quantity
    change: float  # of the result with the other value, as a share: -0.26


@frozen
class Cliff:
    """A value that would do but for one requirement, or would do with one change of an input."""

    unknown: str
    value: Amount
    rule: str  # the requirement, or the quantity that must be whole
    input: str = ""  # the input to change; empty where no single change would do
    to: str = ""  # its value, as its author would write it


@frozen
class Skipped:
    """Entries that a search passes over, because what is optimised has no value with them."""

    names: tuple[str, ...]  # the first few
    count: int  # how many there are
    objective: str  # as written
    reason: str  # of the first


@frozen
class Loss:
    """What a layout is worse in than the answer: preferences that it does not meet, or an objective."""

    unmet: tuple[str, ...] = ()
    objective: str = ""  # as written; empty for none
    value: float = 0.0  # what it comes to, beside that of the answer
    best: float = 0.0

    @property
    def relative(self) -> float | None:
        """By which share the objective is worse; None for small counts, and for what is much larger."""
        if not math.isfinite(self.value + self.best) or not self.best:
            return None
        counts = self.value == round(self.value) and self.best == round(self.best)
        share = self.value / self.best - 1
        return None if counts and max(abs(self.value), abs(self.best)) <= 10 or abs(share) >= 10 else share


@frozen
class Alternative:
    """A feasible layout: its unknowns and results."""

    settings: tuple[tuple[str, Amount], ...]  # unknowns with their values
    results: tuple[tuple[str, Amount], ...]  # main results, objectives and shown rows with their values
    loss: Loss | None = None  # what it is worse in than the answer; None for nothing


@frozen
class Rival:
    """Another entry that a plan lists for what it asks for."""

    path: str  # of the unknown
    entry: Amount
    layout: Alternative | None  # the best plan with it; None where no plan with it meets the requirements
