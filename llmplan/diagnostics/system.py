"""Mistakes that show when the equations are put together: something is missing, unbounded or contradicts itself."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.diagnostics.record import Diagnostic, Hint, Label
from llmplan.source import Span


def _listed(names: Sequence[str]) -> str:
    """`a`, `b` and `c`; of many the first three and how many more."""
    quoted = [f"`{name}`" for name in names]
    if len(quoted) > 4:
        quoted = [*quoted[:3], f"{len(names) - 3} more"]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " and " + quoted[-1]


def not_given(span: Span, what: str, needs: Sequence[str], chain: Sequence[str], hints: Sequence[str]) -> Diagnostic:
    """E0401: an objective or requirement of the author's that cannot be computed.

    Args:
        what: What is asked for.
        needs: Inputs that are not given.
        chain: The way from what is asked for to the first of them.
        hints: Lines that would give them.
    """
    verb = "is" if len(needs) == 1 else "are"
    names = _listed(needs)
    notes = (" <- ".join(chain),) if len(chain) > 1 else ()
    return Diagnostic(
        "E0401",
        "error",
        f"`{what}` cannot be computed: {names} {verb} not given",
        span,
        "needed here",
        notes=notes,
        hints=tuple(Hint(hint) for hint in hints),
    )


def not_shown(span: Span, what: str, needs: Sequence[str]) -> Diagnostic:
    """W0608: a row that `show` asks for has no value."""
    names = _listed(needs) if needs else ""
    verb = "is" if len(needs) == 1 else "are"
    because = f": {names} {verb} not given" if needs else ""
    return Diagnostic("W0608", "warning", f"`{what}` has no value{because}", span)


def undefined_row(span: Span, what: str, reason: str) -> Diagnostic:
    """W0608: a row that `show` asks for comes to no number."""
    return Diagnostic("W0608", "warning", f"`{what}` has no value: {reason}", span)


def unmet(span: Span, name: str, values: str, because: str) -> Diagnostic:
    """W0606: a preference of the author's that does not hold, with its values."""
    notes = (f"preferred because {because}",) if because else ()
    return Diagnostic("W0606", "warning", f"the preference `{name}` is not met", span, values, notes=notes)


def noted(span: Span, name: str, values: str, because: str) -> Diagnostic:
    """W0606 as a note: what the library remarks on with a preference of its own."""
    return Diagnostic("W0606", "note", because or f"the preference `{name}` is not met", span, values)


def undefined(span: Span, what: str, reason: str) -> Diagnostic:
    """E0401: an objective or requirement of the author's whose value does not exist."""
    return Diagnostic("E0401", "error", f"`{what}` cannot be computed: {reason}", span, "needed here")


def no_domain(span: Span, path: str, unit: str, entries: Sequence[str]) -> Diagnostic:
    """E0403: a bare `?` on something that has no domain of its own.

    Args:
        unit: In which it is measured, or empty.
        entries: What it can be chosen from, if it is an entry.
    """
    listed = ", ".join(f'"{entry}"' for entry in entries[:2])
    example = f"`? in [{listed}]`" if entries else f"`? in 1 {unit} .. 100 {unit}`" if unit else "`? in 1..100`"
    other = "" if entries or unit else ", `? in [1, 2, 4]`"
    return Diagnostic(
        "E0403",
        "error",
        f"nothing bounds `{path}`",
        span,
        "no domain",
        hints=(Hint(f"give it one: {example}{other}"),),
    )


def _size(size: float) -> str:
    """`1,234`, `6.9e9`, `endlessly many`."""
    if size == float("inf"):
        return "endlessly many"
    return f"{size:,.0f}" if size < 1e7 else f"{size:.2g}".replace("e+", "e")


def huge_domain(span: Span, path: str, size: float) -> Diagnostic:
    """E0404: a single unknown with more values than can be searched."""
    return Diagnostic(
        "E0404",
        "error",
        f"`{path}` ranges over {_size(size)} values",
        span,
        "too many",
        hints=(Hint("a `step`, `powers(2, low..high)` or a list makes it small"),),
    )


def empty_domain(span: Span, path: str) -> Diagnostic:
    return Diagnostic("E0305", "error", f"the domain of `{path}` is empty", span, "no value lies in it")


def no_step(span: Span, path: str) -> Diagnostic:
    """E0305: a domain whose step leads nowhere."""
    return Diagnostic("E0305", "error", f"the step in the domain of `{path}` must be above 0", span)


def no_base(span: Span, path: str) -> Diagnostic:
    return Diagnostic("E0305", "error", f"the base of the powers for `{path}` must be above 1", span)


def unknown_domain(span: Span, path: str, needs: Sequence[str]) -> Diagnostic:
    """E0401: the ends of a domain need inputs that are not given."""
    return Diagnostic("E0401", "error", f"the domain of `{path}` needs {_listed(needs)}", span, "needed here")


def contradiction(span: Span | None, name: str, because: str, text: str) -> Diagnostic:
    """E0406: a requirement that the plan's text alone decides does not hold.

    Args:
        span: The author's requirement, or what contradicts one of the library; None where nothing is written.
    """
    notes = (because,) if because else ()
    return Diagnostic(
        "E0406",
        "error",
        f"the plan contradicts the requirement `{name}`",
        span,
        text if span is not None else "",
        notes=notes,
        hints=(Hint("change what is marked, or what it speaks of"),) if span is not None else (),
    )


def too_large(span: Span | None) -> Diagnostic:
    """E0407: the plan unrolls to more equations than are computed."""
    return Diagnostic(
        "E0407",
        "error",
        "the plan unrolls to too many equations",
        span,
        hints=(Hint("functions that call one another many times, or folds over several enums, multiply"),),
    )


def too_deep() -> Diagnostic:
    """E0407: definitions that lead from one to the next further than can be followed."""
    return Diagnostic(
        "E0407",
        "error",
        "the plan's definitions lead from one to the next too many times",
        hints=(Hint("write what is needed before what needs it"),),
    )


def guessed(span: Span, name: str) -> Diagnostic:
    """W0609: an unknown on which nothing depends."""
    return Diagnostic(
        "W0609",
        "warning",
        f"nothing that the plan asks for depends on `{name}`",
        span,
        "any value would do",
        notes=("the first value of its domain is taken",),
        hints=(Hint("give it a value, or require or minimize what it decides"),),
    )


def undetermined(span: Span, name: str) -> Diagnostic:
    """W0611: an unknown of a range that neither an equation nor an objective of the plan decides."""
    return Diagnostic(
        "W0611",
        "warning",
        f"the plan does not say which value of `{name}` it wants",
        span,
        "in no objective and in no equation",
        notes=("the library's objectives decide, then the lower end of its domain",),
        hints=(Hint("minimize or maximize something that depends on it, or require an equation, `==`"),),
    )


def infeasible(
    span: Span | None, conflict: Sequence[str], total: int, others: Sequence[Label], notes: Sequence[str], hints: Sequence[Hint]
) -> Diagnostic:
    """E0402: no plan meets every requirement.

    Args:
        span: The first of the conflicting requirements.
        conflict: Their names.
        total: How many requirements there are.
        others: The rest of them, and what is fixed.
        notes: The nearest plan, with values.
        hints: Single changes that would help.
    """
    names = " and ".join(f"`{name}`" for name in conflict)
    if len(conflict) == 1:
        message = f"nothing meets the requirement {names}"
    else:
        message = f"{len(conflict)} of the {total} requirements cannot hold together: {names}"
    return Diagnostic(
        "E0402", "error", message, span, others=tuple(others), notes=tuple(notes),
        hints=tuple(hints),
    )  # fmt: skip
