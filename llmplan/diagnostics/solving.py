"""Diagnostics of the solver: E0403, E0404, E0405 and W0604."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.diagnostics.record import Diagnostic, Hint, Label
from llmplan.source import Span


def _count(number: float) -> str:
    """`1,234`, or `4.1e9` from a million on."""
    if number < 1e6:
        return f"{number:,.0f}"
    mantissa, exponent = f"{number:.1e}".split("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent)}"


def unbounded(path: str, span: Span, grows: bool, objective: Span | None) -> Diagnostic:
    """E0403: nothing limits an unknown in the direction that the objective pushes it.

    Args:
        path: The unknown.
        span: Its `?`.
        grows: True if upwards.
        objective: Where the objective stands that pushes.
    """
    direction = "growing" if grows else "falling"
    others = () if objective is None else (Label(objective, f"improves as `{path}` keeps {direction}"),)
    return Diagnostic(
        "E0403",
        "error",
        f"nothing keeps `{path}` from {direction}",
        span,
        "no bound on this side",
        others,
        (),
        (Hint("give it a domain, `? in 1..100`, or add a requirement that limits it"),),
    )


def too_many_combinations(sizes: Sequence[tuple[str, int, Span]], limit: int, points: float) -> Diagnostic:
    """E0404: the search would be too long.

    Args:
        sizes: Path, number of candidates and span of each unknown.
        limit: The largest number of combinations.
        points: How many there are.
    """
    large = sorted(sizes, key=lambda item: -item[1])
    names = " and ".join(f"`{path}`" for path, _, _ in large[:2])
    verb = "save" if len(large) > 1 else "saves"
    count = len(sizes)
    return Diagnostic(
        "E0404",
        "error",
        f"{count} unknown{'s span' if count != 1 else ' spans'} {_count(points)} combinations, "
        f"and the limit is {_count(limit)}",
        large[0][2],
        "the largest domain",
        (),
        (", ".join(f"{path} {size:,}" for path, size, _ in sizes),),
        (Hint(f"a `step` or a shorter list on {names} {verb} most; `--limit` raises the bound"),),
    )


def several_continuous(unknowns: Sequence[tuple[str, Span]]) -> Diagnostic:
    """E0405: more unknowns without a step than can be solved for.

    Args:
        unknowns: Path and span of each.
    """
    names = [f"`{path}`" for path, _ in unknowns]
    return Diagnostic(
        "E0405",
        "error",
        f"{', '.join(names[:-1])} and {names[-1]} are continuous, and only one unknown can be",
        unknowns[-1][1],
        "no step",
        tuple(Label(span, "no step") for _, span in unknowns[:-1]),
        (),
        (Hint(f"give all but one a `step`, or define {names[-1]} by an equation with `=` or `let`"),),
    )


def flat_objective(text: str, span: Span) -> Diagnostic:
    """W0604: an objective that does not tell the feasible plans apart.

    Args:
        text: The objective as written.
        span: Where it stands.
    """
    return Diagnostic(
        "W0604",
        "warning",
        f"`{text}` is the same for every plan that meets the requirements",
        span,
        "decides nothing",
        (),
        (
            "ties are broken by the next objectives, those of the library last, then by the earlier value in its domain",
        ),
    )


def no_sweep(plan: str) -> Diagnostic:
    """E0401: `llmplan sweep` of a plan that sweeps nothing."""
    return Diagnostic(
        "E0401",
        "error",
        f"`{plan}` has nothing to sweep",
        hints=(Hint("say over what, as in `sweep hardware.gpus in 64..512 step 64`"),),
    )


def large_sweep(most: int) -> Diagnostic:
    """E0404: a sweep with more points than are solved."""
    return Diagnostic(
        "E0404",
        "error",
        f"the sweep has more than {most:,} points",
        hints=(Hint("take larger steps, or leave what decides itself open with `?` instead of sweeping it"),),
    )
