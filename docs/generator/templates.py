"""The page of the templates: the manifest of a target, the list of targets, and the functions for templates.

Everything comes from `emit`: its docstrings, the functions and filters that templates see, and the manifests.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from llmplan.emit import targets, view
from llmplan.emit.environment import FURTHER
from llmplan.emit.filters import FILTERS
from llmplan.present.markdown import SHOWN
from llmplan.present.sections import SECTIONS
from llmplan.resources import TARGET, folder

FILE = "templates/README.md"
INDEX = f"templates/{targets.INDEX}"
_NOTICE = "<!-- Written by `python docs/generate.py` from llmplan/emit: change the docstrings there, not this page. -->"


_SAYS = """`target.plan` holds, in the plan language and checked with the library:

- `kind NAME { … }`: the options, with type, legal values, default and the domain of a bare `?`. An option without a
  default must be given where the target is emitted (E0501).
- Requirements and preferences, each `when emits(NAME)`: the limits of the format, so that a search never ends with an
  answer that the target then refuses.
- Layouts that the software cannot run, whatever starts it, `when emits(NAME)` or where a plan names the framework:
  `parallelism.framework_named and parallelism.framework == MEMBER`. So sweeps and searches over frameworks compare what
  each can run.
- Formulas of the library's quantities, `when emits(NAME)`: they take precedence over the library's own, which need not
  know of them. If several targets define the same quantity, the first by name counts.
- `amend enum Framework { nanotron }`: a further member of an enum of the library. A `match` over it without `_` then
  needs an arm for it, and a framework needs its usual stack, `@usual("nanotron") entry stack …`, beside it."""
_EXAMPLE = """kind nanotron {
    ## Elements summed at a time.
    bucket: Int in 1..1B = 25M ? in [10M, 25M, 50M]
    ## The tokenizer's name.
    tokenizer: Text
}

require nanotron_offload: parallelism.offload == none when emits(nanotron)
    because "nanotron keeps everything on the GPU"

quantity memory.reduce_bucket: parameter when emits(nanotron) = nanotron.bucket * 1 param
"""
_REPORT = """`report/report.md.j2` places the sections of an answer, which `llmplan/present` makes, by `section(name)`.
A copy of it in a folder of your own templates may omit some, order them differently, or put text between them:

```jinja
# {{ (solution.title or solution.plan) | md }}

Reviewed by the platform team.
{{ section("answer") -}}
{{ section("verdicts") -}}
{{ section("launch") -}}
```"""
_SET = """emit deepspeed { overlap_comm = true, reduce_bucket_size = ? }
deepspeed.schedule = linear
"""


def _says(name: str) -> bool:
    return (Path(str(folder("templates"))) / name / TARGET).is_file()


def _page(name: str) -> str:
    return f"[{name}](../docs/reference/target-{name}.md)"


def templates() -> dict[str, str]:
    """The page and the list of the folders, by their paths from the root of the project."""
    summary, _, rest = (inspect.getdoc(targets) or "").partition("\n\n")
    manifest, _, meaning = rest.partition("\n\n")
    known = targets.load()[0].values()
    calls: dict[str, Any] = {name: getattr(view.View, name) for name in view.NAMES if name != "solution"}
    parts = [
        f"# Templates\n\n{_NOTICE}",
        f"{summary} A new folder is a new target; nothing else has to be changed.",
        f"## The manifest\n\n```json\n{inspect.cleandoc(manifest)}\n```",
        meaning,
        _table(
            "target | files | description",
            [
                f"`{target.name}` | {', '.join(f'`{file}`' for file, _ in target.files)} | {target.about}"
                for target in known
            ],
        ),
        "## What a target says",
        _SAYS,
        f"```plan\n{_EXAMPLE}```",
        "Options are set in the plan, and are ordinary inputs:",
        f"```plan\n{_SET}```",
        "They are listed in the reference: "
        + ", ".join(_page(name) for name in targets.shipped() if _says(name))
        + ".",
        "## What a template may call",
        "A template is written in jinja2. A name without a value stops it, so that files never have holes.",
        _calls(calls | FURTHER),
        "`solution` is the whole solution (`llmplan/answer/schema/solution.py`).",
        "## The report",
        _REPORT,
        _sections(),
        "## Filters",
        "What comes from a plan goes through one of these, so that nothing in it breaks out of its place.",
        _calls(FILTERS),
    ]
    return {FILE: "\n\n".join(parts) + "\n", INDEX: "".join(f"{name}\n" for name in targets.shipped())}


def _table(head: str, rows: Iterable[str]) -> str:
    line = "|".join("---" for _ in head.split(" | "))
    return "\n".join([f"| {head} |", f"|{line}|", *(f"| {row} |" for row in rows)])


def _sections() -> str:
    """The sections that a report may place, each with the first line of what its function says."""
    rows = [f"`{name}` | {(inspect.getdoc(SECTIONS[name]) or '').splitlines()[0]}" for name in SHOWN]
    return _table("section | what it says", rows)


def _calls(functions: Mapping[str, Any]) -> str:
    """Each function with its arguments and the first line of its docstring."""
    rows = []
    for name, function in functions.items():
        arguments = [str(one).partition(":")[0] for one in inspect.signature(function).parameters.values()]
        called = ", ".join(argument for argument in arguments if argument != "self")
        rows.append(f"`{name}({called})` | {(inspect.getdoc(function) or '').splitlines()[0]}")
    return _table("call | meaning", rows)
