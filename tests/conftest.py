"""What tests of several stages share: plans as texts, checked, evaluated and solved."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

from llmplan import advice, answer_cache, api
from llmplan.__main__ import LET_GROW
from llmplan.answer.schema.solution import Solution
from llmplan.diagnostics import Diagnostic
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from tests import quick, thorough

# The same examples on every run, so that a change is what a failure comes from; `--hypothesis-profile=explore`
# looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", derandomize=False, deadline=None, print_blob=True)
settings.load_profile("repeatable")


# As the command does: what is made is small and stays, and looking through it again and again takes a tenth of the
# time.
gc.set_threshold(*LET_GROW)


@pytest.fixture(autouse=True)
def computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers are computed, not recalled from an earlier test; commands in processes of their own recall them."""
    monkeypatch.setattr(answer_cache, "KEPT", 0)


WITHOUT_ADVICE = frozenset(
    {"accuracy", "backtest", "check", "emit", "load", "questions", "rules", "solve", "std", "system", "uncertainty"}
)
"""The folders whose tests are about an answer or its files: they do without advice, which takes three quarters of the
time that an answer takes.
"""


@pytest.fixture
def no_advice(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What would help or be better is not searched, but for tests marked `advice`."""
    if not request.node.get_closest_marker("advice"):
        monkeypatch.setattr(advice, "ADVICE", ())


@pytest.fixture(autouse=True)
def seldom_advised(request: pytest.FixtureRequest) -> None:
    if request.path.parent.name in WITHOUT_ADVICE:
        request.getfixturevalue("no_advice")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """A process for each core when the whole suite runs; for what the command line names this one is enough."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 0 if cores == 1 or config.args_source is config.ArgsSource.ARGS else min(cores, 8)


def pytest_report_header() -> str:
    return f"random examples: seed {thorough.SEED}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what the command line chooses by: `slow` cases of `quick` tests; tests of random examples as `sampled`.

    The latter are those of modules that try more under `LLMPLAN_THOROUGH=1`: only these tell more there than before.
    """
    quick.mark_others_slow(items)
    for item in items:
        names = vars(item.module) if isinstance(item, pytest.Function) else {}
        if names.get("examples") is thorough.examples or names.get("many") is thorough.many:
            item.add_marker("sampled")


class Plans:
    """Runs texts as if they stood in `test.plan` of an empty folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = str(folder / "test.plan")

    def write(self, name: str, text: str) -> str:
        """Puts a file beside the plan, for `use`."""
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return str(file)

    def check(self, text: str, **options: object) -> list[Diagnostic]:
        return api.check(self.path, text=text, **options)

    def codes(self, text: str, **options: object) -> list[str]:
        """The codes of all errors, in order."""
        return [d.code for d in self.check(text, **options) if d.severity == "error"]

    def error(self, text: str, **options: object) -> tuple[str, str]:
        """The code of the only error and the text that it points at."""
        (found,) = (d for d in self.check(text, **options) if d.severity == "error")
        return found.code, found.span.text if found.span else ""

    def solve(self, text: str, **options: object) -> Solution:
        options = {"limit": 10**6, **options}
        return api.solve(self.path, text=text, **options)

    def shown(self, text: str, **options: object) -> list[float | None]:
        """What each `show` comes to in base units, without solving; None where inputs are missing."""
        checked = api.analyse(self.path, text=text, **options)
        errors = [d for d in checked.diagnostics if d.severity == "error"]
        assert not errors, errors
        assert checked.program is not None
        lowering = Lowering(checked.program, fixed={})
        found = [lowering.lower(row.value, {}, base=row.place[0]) for row in checked.program.shows]
        return [None if isinstance(node, Missing) else lowering.graph.constant(node) for node in found]

    def value(self, expression: str, before: str = "", **options: object) -> float | None:
        """What one expression comes to, in base units."""
        return self.shown(f"{before}\nshow ({expression})\n", **options)[-1]


@pytest.fixture
def plans(tmp_path: Path) -> Plans:
    return Plans(tmp_path)
