"""An example of each statement: the hint of last resort."""

from __future__ import annotations

import re

from llmplan.diagnostics import Hint
from llmplan.syntax.error_context import ErrorContext

EXAMPLES = {
    "use": ('use "base.plan"',), "let": ("let deadline = 30 days",), "assume": ("assume mfu = 40%",),
    "require": ('require deadline: wall_time <= 30 days because "the next run waits"',),
    "prefer": ("prefer short: wall_time <= 20 days weight 2",),
    "minimize": ("minimize cost",), "maximize": ("maximize model.params_total",),
    "waive": ("waive tensor_inside_node",), "pareto": ("pareto wall_time, wall_cost",),
    "scenario": ('scenario "large" { dataset.tokens = 2T }',),
    "measured": ('measured "first day" { hardware.gpus = 64, step_time = 4.11 s }',),
    "sweep": ("sweep hardware.gpus in [64, 128]",),
    "show": ("show time in days",),
    "emit": ('emit deepspeed, report into "configs"',),
    "entry": ('entry gpu "mine" like "H100-SXM5-80GB" { memory = 96 GB }',),
    "amend": ('amend gpu "H100-SXM5-80GB" { price = 2 USD/GPU/hour }',),
    "quantity": ("quantity share: byte = 640 GB / hardware.gpus",),
    "fn": ("fn half(x: Real) -> Real = x / 2",),
    "kind": ("kind team { size: Int = 1 }",), "enum": ("enum Stage { first, last }",),
    "unit": ("unit kB: byte = 1000 bytes",),
    "model": ('model "llama-7b"', "model { params = 7B }"),
}  # fmt: skip
"""Examples by the first word of a statement; each is a plan that parses."""

_FIRST = re.compile(r"[A-Za-z_]\w*")


def written_like(context: ErrorContext) -> Hint | None:
    """The syntax of the statement or field with the error."""
    text = context.source.text
    found = _FIRST.match(text, context.item)
    if found is None:
        return None
    if context.opened is not None and text.startswith("{", context.opened):
        return Hint("inside a block, each line is `field = value`") if context.opened < context.item else None
    name = found.group()
    if name in EXAMPLES:
        return Hint("write it as in " + " or ".join(f"`{example}`" for example in EXAMPLES[name]))
    return Hint(f'write it as `{name} {{ … }}`, `{name} "…"` or `{name} = …`')
