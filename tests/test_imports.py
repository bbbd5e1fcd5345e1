"""Imports go one way: no circle of modules or packages, and each stage knows only the stages before it.

Every import counts, also one within a function and one for types alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import llmplan

PACKAGE = Path(llmplan.__file__).parent
CONTRIBUTING = PACKAGE.parent / "CONTRIBUTING.md"
STAGES = (
    ("syntax", "load", "read"),
    ("check",),
    ("system",),
    ("solve",),
    ("uncertainty",),
    ("answer",),
    ("advice",),
    ("present",),
    ("emit",),
)
"""As CONTRIBUTING draws them, from the text to the files. What joins them stands after the last one."""
JOINING = (
    "frontend",
    "importing",
    "rewording",
    "run_agreement",
    "run_causes",
    "run_inputs",
    "run_progress",
    "run_requirements",
    "run_unsaid",
    "measured_run",
    "measured_model",
    "joined_runs",
    "calibration_text",
    "calibration",
    "calibration_json",
    "verification",
    "verification_json",
    "catalog",
    "backtest",
    "bench",
    "answer_cache",
    "api",
    "failures",
    "comparison",
    "below",
    "public",
    "cli",
    "__main__",
)


def modules() -> dict[str, Path]:
    """Every module of llmplan by its dotted name; a package's own text counts as `package.__init__`."""
    files = sorted(PACKAGE.rglob("*.py"))
    return {".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts): file for file in files}


def imported(text: str, known: Iterable[str]) -> Iterator[str]:
    """The modules that a text imports, wherever in it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            candidates = [(alias.name, f"{alias.name}.__init__") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            candidates = [
                (f"{node.module}.{alias.name}", f"{node.module}.{alias.name}.__init__", node.module,
                 f"{node.module}.__init__")
                for alias in node.names
            ]  # fmt: skip
        else:
            continue
        for names in candidates:
            yield from [name for name in names if name in known][:1]


def graph() -> dict[str, set[str]]:
    """The modules that each module imports; the face of llmplan imports none, as it hands on names when asked for."""
    known = modules()
    arrows = {name: set(imported(file.read_text(encoding="utf-8"), known)) - {name} for name, file in known.items()}
    return {**arrows, "llmplan.__init__": set()}


def room(module: str) -> str:
    """The package, or the module beside the packages, that a module belongs to."""
    return module.split(".")[1]


def rooms(arrows: dict[str, set[str]]) -> dict[str, set[str]]:
    joined: dict[str, set[str]] = {}
    for module, others in arrows.items():
        joined.setdefault(room(module), set()).update(room(name) for name in others)
    joined.pop("__init__")  # the package itself, whose face hands on what the modules have
    return {name: others - {name, "__init__"} for name, others in joined.items()}


def circle(arrows: dict[str, set[str]]) -> list[str]:
    """A circle of arrows; empty if there is none."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def upwards(arrows: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Arrows from a stage to a later one, or from anything below the stages' end to what joins them."""
    floor = {name: number for number, stage in enumerate(STAGES) for name in stage}
    floor |= dict.fromkeys(JOINING, len(STAGES))
    low = {name: floor.get(name, -1) for name in arrows}
    return [
        (name, other)
        for name, others in arrows.items()
        for other in others
        if low.get(other, -1) > low[name] and (low[name] >= 0 or other in JOINING)
    ]


def test_no_module_imports_itself_in_a_circle() -> None:
    arrows = graph()
    assert len(arrows) > 200
    assert circle(arrows) == []


def test_no_package_imports_itself_in_a_circle() -> None:
    arrows = rooms(graph())
    assert len(arrows) > 25
    assert circle(arrows) == []


def test_a_stage_knows_only_the_stages_before_it() -> None:
    assert upwards(rooms(graph())) == []


def test_the_stages_are_those_of_the_picture() -> None:
    picture = CONTRIBUTING.read_text(encoding="utf-8").partition("```\n")[2].partition("\n\n")[0]
    drawn = sorted((match.start(), match[1]) for line in picture.splitlines() for match in re.finditer(r"(\w+)/", line))
    order = {name: number for number, stage in enumerate(STAGES) for name in stage}
    assert {name for _, name in drawn} == set(order)
    assert [order[name] for _, name in drawn] == sorted(order[name] for _, name in drawn)


def test_what_is_forgotten_is_told() -> None:
    """A circle by an import for types alone, and an arrow from a stage to a later one."""
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from llmplan.b import B\n"
    known = ["llmplan.a", "llmplan.b"]
    assert list(imported(text, known)) == ["llmplan.b"]
    assert circle({"llmplan.a": {"llmplan.b"}, "llmplan.b": {"llmplan.a"}}) != []
    late = "def f():\n    from llmplan import api\n    import llmplan.solve.passes\n"
    assert list(imported(late, ["llmplan.api", "llmplan.solve.passes"])) == ["llmplan.api", "llmplan.solve.passes"]
    assert upwards({"check": {"solve", "units"}, "solve": {"check"}, "units": set()}) == [("check", "solve")]
    assert upwards({"cache": {"answer_cache"}, "answer_cache": {"cache"}}) == [("cache", "answer_cache")]
