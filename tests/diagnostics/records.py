"""Records that between them have everything a renderer must cope with, by name."""

from __future__ import annotations

from llmplan.diagnostics import Diagnostic, Edit, Hint, Label
from llmplan.source import Source, Span

PLAN = Source(
    "plans/a plan.plan",
    """\
dataset { tokens = 1T }
gpu { memory = 80 gb }
dataset.tokens = 2T
model { layers = heads / 3 / 4 }

require budget: cost <= 30 days
let sum = 1 GB +
    2 GB
    + 3 s
\tlet 予算 = 4 GB + 2 s   # wide, and \x1b[31mred\x1b[0m
require long: memory.weights
    + memory.gradients
    + memory.optimizer
    + memory.activations
    + memory.logits <= 3 s
""",
)
LIBRARY = Source("plans/std/zero.plan", lambda: "## Doc.\nfn zero_bytes(params: parameter) -> byte = 3\n", True)


def at(text: str, source: Source = PLAN, after: str = "") -> Span:
    """The first place of a text, after another one."""
    start = source.text.index(text, source.text.index(after))
    return Span(source, start, start + len(text))


def error(code: str, message: str, *rest: object, **more: object) -> Diagnostic:
    return Diagnostic(code, "error", message, *rest, **more)  # type: ignore[arg-type]


CASES = {
    "two labels on a line": error(
        "E0301",
        "money and time cannot be compared",
        at("cost"),
        "money",
        (Label(at("30 days"), "time"),),
        hints=(Hint("did you mean `time <= 30 days`?", (Edit(at("cost"), "time"),)),),
    ),
    "three short labels": error(
        "E0307",
        "`layers` must be a whole number, found 10.667",
        at("heads"),
        "128",
        (Label(at("3", after="heads"), "three"), Label(at("4 }"), "four")),
    ),
    "labels that do not fit side by side": error(
        "E0302",
        "`memory` is an amount",
        at("80 gb"),
        "this is a rate per second",
        (Label(at("memory", after="gpu"), "declared in bytes"), Label(at("gpu {"), "in this block")),
    ),
    "an earlier line": error(
        "E0203",
        "`dataset.tokens` is defined twice",
        at("dataset.tokens"),
        "second definition",
        (Label(at("tokens = 1T"), "first definition"),),
    ),
    "a second file": error(
        "E0303",
        "argument 1 of `zero_bytes` expects parameters, found tokens",
        at("tokens = 1T"),
        "token",
        (Label(at("parameter", LIBRARY), "parameter"),),
    ),
    "several lines": error("E0301", "bytes and seconds cannot be added", at("1 GB +\n    2 GB\n    + 3 s"), "here"),
    "many lines": error(
        "E0301",
        "a time is compared with bytes",
        Span(PLAN, at("memory.weights").start, at("memory.logits").end),
        "bytes",
        (Label(at("3 s", after="logits"), "time"),),
    ),
    "tabs, wide and control characters": error(
        "E0301", "`予算`: bytes and \x1b[31mseconds", at("4 GB + 2 s"), "here", (Label(at("予算"), "named"),)
    ),
    "the end of the file": error("E0103", "this block is never closed", Span(PLAN, len(PLAN.text), len(PLAN.text))),
    "no place": error("E0507", "cannot read `missing.plan`: no such file"),
    "notes of several lines": error(
        "E0402",
        "2 of 5 requirements cannot be satisfied together",
        at("budget"),
        notes=("the nearest plan takes 209 days\ncost <= 30 days\n|\n208.95 days", "the other 3 are met"),
        hints=(Hint("relax `deadline` to `time <= 209 days`"), Hint("or set `hardware.gpus` to 3,568")),
    ),
    "a warning": Diagnostic("W0601", "warning", "100%, sure: `gb`", at("80 gb"), hints=(Hint("`80 GiB`?"),)),
    "a note": Diagnostic("W0604", "note", "the objective is flat", at("require budget")),
}
