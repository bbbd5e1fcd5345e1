"""Mistakes in what the command line says: files, and the conditions of `diff --fail-if`."""

from __future__ import annotations

from collections.abc import Iterable

from llmplan.diagnostics.record import Diagnostic, Hint, error
from llmplan.diagnostics.spelling import closest


def unreadable(name: str, why: str, folder: bool = False) -> Diagnostic:
    """E0507. `why`: a few words, as `no such file`; of a `folder` the plans in it can be named."""
    hint = f"name the plans in it: `{name.rstrip('/')}/*.plan`" if folder else ""
    return error("E0507", f"cannot read `{name}`: {why}", None, hint)


def slow_link(what: str, measured: str, usual: str) -> Diagnostic:
    """W0624: a bandwidth that the bench found is below half of the catalog's."""
    hints = {
        "memory": "another process uses the card, its clock is held down, or it is a part of a card: `nvidia-smi -q`",
        "link in a node": "links are down, or traffic goes over PCIe: `nvidia-smi topo -m`, `nvidia-smi nvlink -s`",
        "network": "NCCL took another network, or links are down: `NCCL_DEBUG=INFO`, `ibstat`",
    }
    message = f"{what}: {measured} measured, {usual} by the catalog"
    return Diagnostic("W0624", "warning", message, None, hints=(Hint(hints[what]),))


def no_condition() -> str:
    """What a text is not that should be a condition."""
    return "expected a name, one of `<`, `<=`, `>` and `>=`, and a bound, as in `wall_cost > +5%`"


def not_in_plan(what: str, name: str, known: Iterable[str]) -> str:
    """A condition on a name that the newer plan lacks; `what` is a `result` or a `requirement`."""
    near = closest(name, known)
    return f"the plan has no {what} `{name}`" + (f"; did you mean `{near[0]}`?" if near else "")


def other_dimension(name: str, bound: str) -> str:
    """A bound that cannot be compared."""
    return f"`{bound}` does not have the unit of `{name}`"


def no_change(name: str) -> str:
    """A condition on a change that is unknown."""
    return f"`{name}` has no value in the older plan that it could have changed from"


def not_a_bound(bound: str) -> str:
    """A bound that is no number of the plan language."""
    return f"`{bound}` is not a number with a unit, as in `+5%`, `+3 days` or `400_000 USD`"
