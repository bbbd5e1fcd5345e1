"""What is the case at a point and which change would help, in the words of messages and hints.

Input: amounts, statements and conditions. Output: parts of a line, with all four digits that a person may compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from llmplan.units.amount import Amount

_WORST = " in the worst case"


def sides(left: Amount, sign: str, right: Amount, worst: bool) -> str:
    """The sides of a comparison: `31.2 days <= 30 days`; `worst` for those of the worst case."""
    return f"{left.exact()} {sign} {right.exact()}{_WORST if worst else ''}"


def needed(subject: str, left: Amount, sign: str, right: Amount, worst: bool) -> str:
    """The same beside what is compared, as written: `gpus = 16, needs >= 32`."""
    return f"{subject} = {left.exact()}, needs {sign} {right.exact()}{_WORST if worst else ''}"


def undefined(reason: str) -> str:
    """That a side has no value, and why."""
    return f"undefined: {reason}"


def instead(changes: Iterable[tuple[str, str, str]]) -> str:
    """Changes of a plan that go together: `require deadline: time <= 35 days` instead of 30 days.

    Args:
        changes: Each as a statement, with what it is now as its author writes it, and what else it changes; empty
            where there is no such thing.
    """
    return " and ".join(
        f"`{statement}`{f' instead of {now}' if now else ''}{f', which changes {what}' if what else ''}"
        for statement, now, what in changes
    )


def for_one_alone(change: str, names: Sequence[str]) -> str:
    """A change that meets some requirements but not all."""
    return f"for {' and '.join(f'`{name}`' for name in names)} alone: {change}"


def rates_stay(names: Sequence[str]) -> str:
    """That changes are judged with what the plan assumes for itself as it stands."""
    return f"the plan assumes {' and '.join(f'`{name}`' for name in names)}: what a change does to that is not counted"
