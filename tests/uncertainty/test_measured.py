"""Measured runs move the library's constants by nearness, and bands follow."""

from __future__ import annotations

import math
from typing import Any

import pytest

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.check import library
from llmplan.check.program import Narrowed, Shifted
from llmplan.request import Request

PLAN = """model "llama-7b"
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
dataset { tokens = 1T tokens, sequence_length = 2048 }
training { global_batch = 1024 sequences, micro_batch = 4, recompute = selective, precision = bf16 }
parallelism { framework = megatron, tensor = 2, zero_stage = 1 }
show step_time
"""
FAR = 'model = "llama-13b", hardware.gpu = "H100-SXM5-80GB", parallelism.tensor = 8, training.recompute = full'


def solved(more: str = "", plan: str = PLAN, **options: Any) -> Solution:
    solution = api.solve(Request("a.plan", f"{plan}{more}\n", **options))
    assert solution.status == "solved", solution.diagnostics
    return solution


def number(solution: Solution, name: str = "step_time") -> float:
    value = solution.values[name].value
    assert isinstance(value, float)
    return value


def width(solution: Solution, name: str = "step_time") -> float:
    value = solution.values[name]
    assert value.model_low is not None and value.model_high is not None
    return math.log(value.model_high / value.model_low)


@pytest.fixture(scope="module")
def plain() -> Solution:
    return solved()


def test_what_the_library_says_changes_no_value(plain: Solution) -> None:
    own = solved(f'measured "a" {{ step_time = {number(plain)!r} s }}')
    assert number(own) == pytest.approx(number(plain), rel=1e-9)
    for name in ("mfu", "time", "cost", "step.matmul_efficiency", "memory.total"):
        assert number(own, name) == pytest.approx(number(plain, name), rel=1e-9)


def test_statements_in_either_order_are_the_same() -> None:
    one = 'measured "a" { hardware.gpus = 32, step_time = 20 s }\n'
    other = 'measured "b" { training.micro_batch = 2, step_time = 7 s }\n'
    first, second = solved(one + other), solved(other + one)
    assert {name: (v.value, v.model_low, v.model_high) for name, v in first.values.items()} == {
        name: (v.value, v.model_low, v.model_high) for name, v in second.values.items()
    }


def test_a_slower_run_makes_the_plan_slower_by_its_weight(plain: Solution) -> None:
    before = number(plain)
    after = number(solved(f'measured "a" {{ step_time = {before * 1.2} s }}'))
    weight = math.log(after / before) / math.log(1.2)
    assert 0.7 < weight < 0.95
    twice = f'measured "a" {{ step_time = {before * 1.2} s }}\nmeasured "b" {{ step_time = {before * 1.2} s }}'
    assert math.log(number(solved(twice)) / before) / math.log(1.2) > weight


@pytest.mark.parametrize(
    "reading",
    [
        "step_time = 9.4 s",
        "tokens_per_second_per_gpu = {rate} token/s/GPU",
        "mfu = {mfu}",
        "tflops_per_gpu = {flops} FLOP/s/GPU",
    ],
)
def test_rates_and_times_say_the_same(plain: Solution, reading: str) -> None:
    share = number(plain) / 9.4
    told = reading.format(
        rate=number(plain, "tokens_per_second_per_gpu") * share,
        mfu=number(plain, "mfu") * share,
        flops=number(plain, "tflops_per_gpu") * share,
    )
    as_time = number(solved('measured "a" { step_time = 9.4 s }'))
    assert number(solved(f'measured "a" {{ {told} }}')) == pytest.approx(as_time, rel=1e-4)
    both = number(solved(f'measured "a" {{ {told}, hfu = {number(plain, "hfu") * share} }}'))
    assert both == pytest.approx(number(solved(f'measured "a" {{ {told} }}')), rel=1e-4)


def test_a_far_run_moves_nothing(plain: Solution) -> None:
    far = solved(f'measured "a" {{ {FAR}, step_time = 60 s }}')
    assert number(far) == number(plain)
    assert width(far) == width(plain)
    assert far.measured[0].seen.number == pytest.approx(60)
    assert far.values["step_time"].measured == ()


def test_a_nearer_run_says_more(plain: Solution) -> None:
    def moved(settings: str) -> float:
        there = number(solved("", PLAN.replace("show step_time", f'scenario "s" {{ {settings} }}'), scenario="s"))
        statement = f'measured "a" {{ {settings}, step_time = {there * 1.2} s }}'
        return math.log(number(solved(statement)) / number(plain))

    same, other_layout = moved("hardware.gpus = 64"), moved("parallelism.tensor = 4")
    other_model, far = moved('model = "llama-13b"'), moved(FAR)
    assert same > other_layout > far == 0.0
    assert same > other_model > far


def test_bands_contain_the_value_and_narrow_no_further_than_readings_scatter(plain: Solution) -> None:
    before = number(plain)
    widths = [width(plain)]
    for count in (1, 3, 8):
        statements = "".join(f'measured "{n}" {{ step_time = {before * 1.1} s }}\n' for n in range(count))
        solution = solved(statements)
        step = solution.values["step_time"]
        assert step.model_low is not None and step.model_high is not None
        assert step.model_low < number(solution) < step.model_high
        widths.append(width(solution))
    assert widths == sorted(widths, reverse=True) and widths[0] > widths[1]
    noise = math.log(number(plain, "measured.noise"))
    assert widths[-1] >= 2 * 1.28 * noise


def test_terms_the_parts_of_a_step_add_up() -> None:
    solution = solved('measured "a" { step_time = 9.4 s }')
    parts = [number(solution, name) for name, _ in solution.parts["step_time"]]
    assert math.fsum(parts) == pytest.approx(number(solution))


def test_memory_is_never_moved(plain: Solution) -> None:
    solution = solved('measured "a" { step_time = 9.4 s, memory.reserved = 60 GiB }')
    assert number(solution, "memory.total") == number(plain, "memory.total")
    assert [one.name for one in solution.measured] == ["step_time", "memory.reserved"]
    assert solution.measured[1].before == solution.measured[1].after


def test_the_calendar_follows_a_whole_run_and_a_measured_rate(plain: Solution) -> None:
    rate = solved(f'measured "a" {{ step_time = {number(plain)} s }}')
    assert rate.values["run.measured"].value is True and plain.values["run.measured"].value is False
    assert number(rate, "wall_time") < number(plain, "wall_time")
    days = number(plain, "wall_time") * 1.3
    whole = solved(f'measured "a" {{ wall_time = {days} s }}')
    assert whole.values["run.measured"].value is False
    assert 1.1 < number(whole, "run.realised") / number(plain, "run.realised") < 1.3
    assert width(whole, "wall_time") < width(plain, "wall_time")


def test_a_run_is_the_plan_as_it_is_written(plain: Solution) -> None:
    """Neither `--set` nor a scenario was part of a run that is over."""
    statement = f'measured "a" {{ step_time = {number(plain) * 1.2} s }}'
    here = solved(statement)
    there = solved(statement, settings=(("training.micro_batch", "2"),))
    assert [one.before for one in there.measured] == [one.before for one in here.measured]
    assert number(there) > number(solved(settings=(("training.micro_batch", "2"),)))


def test_an_open_layout_is_solved_with_what_was_measured() -> None:
    open_ = PLAN.replace("tensor = 2", "tensor = ?") + "minimize time\n"
    statement = 'measured "a" { parallelism.tensor = 2, step_time = 9.4 s }'
    fixed = number(solved(statement))
    assert number(solved(statement, open_)) <= fixed
    chosen = solved(statement, open_).values["parallelism.tensor"].value
    again = PLAN.replace("tensor = 2", f"tensor = {chosen}")
    told = statement.replace("{ ", "{ parallelism.tensor = 2, ", 1) if "tensor = 2" not in statement else statement
    assert number(solved(told, again)) == pytest.approx(number(solved(statement, open_)))


def test_an_assumed_rate_is_not_what_a_run_had(plain: Solution) -> None:
    assumed = PLAN + "assume mfu = 40%\n"
    solution = solved('measured "a" { step_time = 9.4 s }', assumed)
    assert solution.measured[0].before.number == pytest.approx(number(plain))
    assert number(solution, "mfu") == 0.4


def test_priors_are_those_of_the_fit() -> None:
    from benchmarks.fit_time import CONSTANTS, WIDTH
    from llmplan.uncertainty.ridge import SIGMAS

    scope, _, _ = library.load()
    assert {name: scope.priors[name] for name in CONSTANTS} == {name: one.width for name, one in CONSTANTS.items()}
    assert pytest.approx(1 / SIGMAS) == WIDTH


def test_constants_move_by_nearness_and_ends_of_bands_narrow() -> None:
    checked = api.analyse(Request("a.plan", PLAN + 'measured "a" { step_time = 9.4 s }\n'))
    assert checked.program is not None
    moved = checked.program.moved
    assert isinstance(moved["step.matmul_efficiency"], Shifted) and isinstance(moved["step.low"], Narrowed)
    assert "memory.low" not in moved


def test_a_run_costs_less_than_the_plan_itself() -> None:
    def size(text: str) -> int:
        built = api.analyse(Request("a.plan", text)).built
        assert built is not None
        return len(built.lowering.graph)

    assert size(PLAN + 'measured "a" { step_time = 9 s }\n') < 2 * size(PLAN)
