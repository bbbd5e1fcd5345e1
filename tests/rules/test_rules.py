"""Each rule of thumb as a plan: the figure that people print, and what the full model answers."""

from __future__ import annotations

import re

import pytest

from llmplan import api
from tests.rules.figures import evaluate, header, rules_of_thumb
from tests.rules.table import FIGURES, REFUSED, RULES, Figures
from tests.std.answers import PLANS
from tests.thorough import sample

FOLDER = PLANS / "rules_of_thumb"
NAMES = [plan.stem for plan in rules_of_thumb()]


def test_every_rule_has_a_plan_and_every_plan_a_rule() -> None:
    assert sorted({plan for plans in RULES.values() for plan in plans}) == NAMES
    assert {plan for plan, _ in FIGURES} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_header_says_rule_mistake_and_answer(name: str) -> None:
    text = header(FOLDER / f"{name}.plan")
    places = [text.find(part) for part in ("Rule: ", "Wrong: ", "The full model: ")]
    assert places[0] == 0 and places == sorted(places) and -1 not in places


@pytest.mark.parametrize("name", NAMES)
def test_checks_without_a_finding(name: str) -> None:
    assert [d.message for d in api.check(str(FOLDER / f"{name}.plan"))] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_scenario_is_tested(name: str) -> None:
    text = (FOLDER / f"{name}.plan").read_text(encoding="utf-8")
    scenarios = {"", *re.findall(r'^scenario "([^"]+)"', text, re.MULTILINE)}
    assert {scenario for plan, scenario in [*FIGURES, *REFUSED] if plan == name} == scenarios


@pytest.mark.quick(5)
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize(("case", "figures"), sample(FIGURES.items(), 5), ids=[" ".join(case) for case in FIGURES])
def test_figures(case: tuple[str, str], figures: Figures) -> None:
    name, scenario = case
    plan = FOLDER / f"{name}.plan"
    solution, wrong = evaluate(plan, figures, scenario or None)
    assert wrong == []
    assert solution.status == ("infeasible" if case in REFUSED else "solved")
    amounts = [figure.lstrip("-").split()[0].rstrip("%B") for _, figure in figures]
    printed = header(plan)
    assert [a for a in amounts if not re.search(rf"(?<![\d.,]){re.escape(a)}(?![\d])", printed)] == []


@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize(("case", "names"), REFUSED.items(), ids=[" ".join(case) for case in REFUSED])
def test_refused(case: tuple[str, str], names: list[str]) -> None:
    name, scenario = case
    solution = api.solve(str(FOLDER / f"{name}.plan"), scenario=scenario or None)
    assert solution.status == "infeasible"
    assert [r.name for r in solution.requirements if r.holds is False] == names


@pytest.mark.parametrize(
    "settings",
    [
        [("hardware.gpus", "2"), ("parallelism.zero_stage", "1")],
        [("training.precision", "bf16"), ("training.optimizer", "adamw_8bit")],
        [("hardware.gpu", "H200-SXM-141GB")],
    ],
)
def test_what_makes_6b_in_fp32_fit(settings: list[tuple[str, str]]) -> None:
    plan = str(FOLDER / "memory_fp32_adamw_6b.plan")
    assert api.solve(plan, settings=settings).status == "solved"


def test_flops_and_flop_rates_do_not_add_up() -> None:
    found = api.check("-", text="let x = 42 ZFLOP + 312 TFLOP/s\n")
    assert [d.code for d in found if d.severity == "error"] == ["E0301"]
