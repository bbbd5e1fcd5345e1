"""Mistakes that show when the equations are put together: something is missing, unbounded or contradictory."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.diagnostics.record import Diagnostic, Hint, Label, error, warning
from llmplan.source import Span
from llmplan.units.amount import many


def _listed(names: Sequence[str]) -> str:
    """`a`, `b` and `c`; of many the first three and how many more."""
    quoted = [f"`{name}`" for name in names]
    if len(quoted) > 4:
        quoted = [*quoted[:3], f"{len(names) - 3} more"]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " and " + quoted[-1]


def _absent(needs: Sequence[str]) -> str:
    return f"{_listed(needs)} {'is' if len(needs) == 1 else 'are'} not given"


# E0401, W0608: no value


def not_given(
    span: Span, what: str, needs: Sequence[str], chain: Sequence[str], hints: Sequence[str], limits: Sequence[str] = ()
) -> Diagnostic:
    """E0401: an objective or requirement of the author's that cannot be computed.

    Args:
        what: What is asked for.
        needs: Inputs that are not given.
        chain: The path from what is asked for to the first of them.
        hints: Lines that would give them.
        limits: Why one of them has no default here.
    """
    message = f"`{what}` cannot be computed: {_absent(needs)}"
    notes = (*((" <- ".join(chain),) if len(chain) > 1 else ()), *limits)
    return error("E0401", message, span, *hints, label="needed here", notes=notes)


def undefined(span: Span, what: str, reason: str) -> Diagnostic:
    """E0401: an objective or requirement of the author's whose value does not exist."""
    return error("E0401", f"`{what}` cannot be computed: {reason}", span, label="needed here")


def unknown_domain(span: Span, path: str, needs: Sequence[str]) -> Diagnostic:
    """E0401: the ends of a domain need inputs that are not given."""
    return error("E0401", f"the domain of `{path}` cannot be computed: {_absent(needs)}", span, label="needed here")


def not_shown(span: Span, what: str, needs: Sequence[str], reason: str = "", notes: Sequence[str] = ()) -> Diagnostic:
    """W0608: a row that `show` asks for has no value, for want of inputs or for another reason."""
    why = _absent(needs) if needs else reason
    return warning("W0608", f"`{what}` has no value{why and f': {why}'}", span, notes=tuple(notes))


def unbounded(span: Span, what: str) -> Diagnostic:
    """W0608: a row that `show` asks for has a value as expected, but not at all points of the ranges."""
    return warning("W0608", f"`{what}` has no bounds: it has no value at some points of the ranges", span)


# W0606: preferences


def unmet(span: Span, name: str, case: str, because: str) -> Diagnostic:
    """W0606: a preference of the author's that does not hold, with what is the case."""
    notes = (f"preferred because {because}",) if because else ()
    return warning("W0606", f"preference `{name}` is not met", span, label=case, notes=notes)


def noted(span: Span, name: str, values: str, otherwise: str) -> Diagnostic:
    """W0606 as a note: what the library remarks on with a preference of its own."""
    message = otherwise or f"preference `{name}` is not met"
    return Diagnostic("W0606", "note", message, span, "" if otherwise else values)


# E0403, E0404, E0305, W0622: domains


def no_domain(span: Span, path: str, unit: str, kind: str, entries: Sequence[str], proposed: str = "") -> Diagnostic:
    """E0403: a bare `?` on something that has no domain of its own.

    Args:
        unit: The unit it is measured in, or empty.
        kind: The kind it is an entry of, or empty.
        entries: What it can be chosen from, if it is an entry.
        proposed: A domain around its usual values, if those are known.
    """
    listed = ", ".join(f'"{entry}"' for entry in entries[:2])
    numbers = f"`? in LOW .. HIGH`, both in {unit}" if unit else "`? in LOW..HIGH`, or `? in [1, 2, 4]`"
    example = f"`? in [{listed}]`" if entries else f"`{proposed}`" if proposed else numbers
    other = f"; `llmplan catalog {kind}s` lists all" if kind else ""
    return error("E0403", f"`{path}` is unbounded", span, f"give it a domain: {example}{other}", label="no domain")


def huge_domain(span: Span, path: str, size: float) -> Diagnostic:
    """E0404: a single unknown with more values than can be searched."""
    hint = "narrow it with a `step`, `powers(2, low..high)` or a list"
    return error("E0404", f"the domain of `{path}` has {many(size)} values", span, hint, label="too many to search")


def empty_domain(span: Span, path: str) -> Diagnostic:
    return error("E0305", f"the domain of `{path}` is empty", span, label="contains no value")


def no_step(span: Span, path: str) -> Diagnostic:
    """E0305: a domain whose step leads nowhere."""
    return error("E0305", f"the step in the domain of `{path}` must be positive", span)


def no_base(span: Span, path: str) -> Diagnostic:
    return error("E0305", f"the base of the powers for `{path}` must be above 1", span)


def indistinct(span: Span, path: str, value: str, slack: str) -> Diagnostic:
    """W0622: an unknown with candidates that no comparison tells apart; at one of them, comparisons allow `slack`."""
    return warning(
        "W0622",
        f"neighbouring values of `{path}` compare as equal",
        span,
        "take steps that are larger than that, or make the distance to a fixed value the unknown",
        label="values too close together",
        notes=(f"numbers are equal within a relative 1e-9, which at {value} is {slack}",),
    )


def large_sweep(span: Span, most: int) -> Diagnostic:
    """E0404: a plan that sweeps over more points than are solved."""
    hint = "use larger steps, or leave what need not be swept open with `?`"
    return error("E0404", f"the plan sweeps more than {many(most)} points", span, hint, label="too many to solve")


# E0406, E0407: the equations


def contradiction(span: Span | None, name: str, case: str, because: str, text: str) -> Diagnostic:
    """E0406: a requirement that the plan's text alone decides does not hold.

    Args:
        span: The author's requirement, or what contradicts one of the library; None where nothing is written.
        case, because: What is the case, and why the requirement exists, as its author says.
    """
    message = f"the plan contradicts requirement `{name}`"
    if span is None:
        return error("E0406", message, notes=(case, because))
    hint = "change the marked line, or the values it refers to"
    return error("E0406", message, span, hint, label=text, notes=(case, because))


def too_large(span: Span | None) -> Diagnostic:
    """E0407: the plan expands to more equations than are computed."""
    hint = "nested function calls and folds over several enums multiply: name repeated results with `let`"
    return error("E0407", "the plan expands to too many equations", span, hint)


def too_deep() -> Diagnostic:
    """E0407: definitions that lead from one to the next further than can be followed."""
    hint = "define values before the values that use them"
    return error("E0407", "the chain of definitions in the plan is too long", None, hint)


# W0609, W0611: what the plan does not decide


def guessed(span: Span, name: str) -> Diagnostic:
    """W0609: an unknown on which nothing depends."""
    return warning(
        "W0609",
        f"nothing the plan asks for depends on `{name}`",
        span,
        "set it, or require or minimize something that depends on it",
        label="any value would do",
        notes=("the first value of its domain is used",),
    )


def undetermined(span: Span, name: str) -> Diagnostic:
    """W0611: an unknown of a range that neither an equation nor an objective of the plan decides."""
    return warning(
        "W0611",
        f"`{name}` is underdetermined",
        span,
        "minimize or maximize something that depends on it, or require an equation with `==`",
        label="in no objective and no equation",
        notes=("set by the library's objectives, then by the lower end of its domain",),
    )


# E0402: infeasible


def infeasible(
    span: Span | None,
    conflict: Sequence[str],
    total: int,
    others: Sequence[Label],
    notes: Sequence[str],
    hints: Sequence[Hint],
    partly: str = "",
    reason: str = "",
) -> Diagnostic:
    """E0402: no plan meets every requirement.

    Args:
        span: The first of the conflicting requirements.
        conflict: Their names.
        total: How many requirements there are.
        others: The rest of them, and what is fixed.
        notes: The nearest plan, with values.
        hints: Single changes that would help.
        partly: The continuous unknown along which not everything was tried, if there is one.
        reason: Why no value can be computed, if that is the case.
    """
    names = " and ".join(f"`{name}`" for name in conflict)
    cannot = "cannot be satisfied" if not partly else "could not be satisfied"
    message = f"requirement {names} {cannot}"
    if len(conflict) > 1:
        message = f"{len(conflict)} of {total} requirements {cannot} together: {names}"
    if partly:
        notes = [
            f"`{partly}` has more discontinuities than were sampled; a feasible plan may lie between samples",
            *notes,
        ]
    return error("E0402", f"{message}{reason and f': {reason}'}", span, *hints, others=others, notes=notes)
