"""Which of several statements about one thing wins, against a model that is three lines long."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.thorough import examples

LAYERS = (
    "--set",
    "scenario",
    "plan",
    "used last",
    "used first",
    "used by the last",
    "used by the first",
    "entry",
    "default",
)
"""The strongest first."""

KIND = """\
kind car {{
    wheels: Int{default}
}}
entry car "base" {{ {base} }}
entry car "mine" like "base" {{ {own} }}
"""


def assignment(values: dict[str, int], layer: str, block: bool) -> str:
    if layer not in values:
        return ""
    return f"car {{ wheels = {values[layer]} }}\n" if block else f"car.wheels = {values[layer]}\n"


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.dictionaries(st.sampled_from(LAYERS), st.integers(0, 99)),
    blocks=st.lists(st.booleans(), min_size=9, max_size=9),
    inherited=st.booleans(),
)
def test_the_strongest_layer_wins(plans, values, blocks, inherited):
    said = {layer: assignment(values, layer, block) for layer, block in zip(LAYERS, blocks)}
    default = f" = {values['default']}" if "default" in values else ""
    entry = f"wheels = {values['entry']}" if "entry" in values else ""
    kind = KIND.format(default=default, base=entry if inherited else "", own="" if inherited else entry)
    plans.write("kind.plan", kind)
    plans.write("deep_first.plan", said["used by the first"])
    plans.write("deep_last.plan", said["used by the last"])
    plans.write("first.plan", 'use "deep_first.plan"\n' + said["used first"])
    plans.write("last.plan", 'use "deep_last.plan"\n' + said["used last"])
    scenario = (
        f'scenario "s" {{ car.wheels = {values["scenario"]} }}\n' if "scenario" in values else 'scenario "s" {}\n'
    )
    text = f'use "kind.plan"\nuse "first.plan"\nuse "last.plan"\ncar "mine"\n{said["plan"]}{scenario}show car.wheels\n'
    sets = [("car.wheels", str(values["--set"]))] if "--set" in values else []

    expected = next((float(values[layer]) for layer in LAYERS if layer in values), None)
    (found,) = plans.shown(text, scenario="s", settings=sets)
    # An entry that lacks a field without default has no value, as no one said it.
    assert found == expected or (expected is None and found != found)


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.dictionaries(st.sampled_from(LAYERS[:7]), st.integers(0, 99), min_size=1),
    what=st.sampled_from(("let", "assume")),
)
def test_lets_and_assumptions_have_layers(plans, values, what):
    if not any(layer in values for layer in LAYERS[2:7]):
        values = {**values, "plan": 1}  # there must be something to vary
    said = {layer: f"{what} q = {values[layer]}\n" if layer in values else "" for layer in LAYERS}
    plans.write("deep_first.plan", said["used by the first"])
    plans.write("deep_last.plan", said["used by the last"])
    plans.write("first.plan", 'use "deep_first.plan"\n' + said["used first"])
    plans.write("last.plan", 'use "deep_last.plan"\n' + said["used last"])
    scenario = f'scenario "s" {{ q = {values["scenario"]} }}\n' if "scenario" in values else 'scenario "s" {}\n'
    quantity = "quantity q: Real = 1000\n" if what == "assume" else ""
    text = f'{quantity}use "first.plan"\nuse "last.plan"\n{said["plan"]}{scenario}show q\n'
    sets = [("q", str(values["--set"]))] if "--set" in values else []
    expected = next(float(values[layer]) for layer in LAYERS if layer in values)
    assert plans.shown(text, scenario="s", settings=sets) == [expected]


@given(st.fractions(min_value=0, max_value=10**12, max_denominator=1000))
@settings(max_examples=examples(50), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_literals_are_exact(plans, value):
    written = f"{value.numerator}" if value.denominator == 1 else f"({value.numerator} / {value.denominator})"
    assert plans.value(written) == float(value)
    assert plans.value(f"{value.numerator} ms") == float(Fraction(value.numerator, 1000))


def test_a_later_set_wins(plans):
    text = "hardware { gpus = 8 }\nshow hardware.gpus"
    assert plans.shown(text, settings=[("hardware.gpus", "16"), ("hardware.gpus", "24")]) == [24.0]


@pytest.mark.parametrize(
    ("path", "value", "shown"),
    [
        ("hardware.gpus", "64", 64.0),
        ("hardware.gpus", "2 * 32", 64.0),
        ("hardware.gpus", "hardware.gpus_per_node * 2", 16.0),
        ("hardware.gpus", "gpus_per_node * 2", 16.0),
        ("d", "2 hours", 7200.0),
        ("d", "0", 0.0),
    ],
)
def test_set_takes_expressions(plans, path, value, shown):
    text = "hardware { gpus = 8, gpus_per_node = 8 }\nlet d = 1 hour\n" + f"show {path}"
    assert plans.shown(text, settings=[(path, value)]) == [shown]


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        ("hardware.gpux", "64", "E0202"),
        ("nothing", "64", "E0202"),
        ("time", "3 days", "E0202"),
        ("hardware.gpus", "64 GB", "E0302"),
        ("hardware.gpus", "", "E0101"),
        ("hardware.gpus", "1 +", "E0101"),
        ("hardware.gpus", "2.5", "E0307"),
        ("hardware.gpus", "-1", "E0305"),
        ("d", "3", "E0304"),
        ("d", "3 GB", "E0302"),
        ("training.precision", "bf17", "E0201"),
        ("hardware.gpu", "no such", "E0207"),
        ("model", "no such", "E0207"),
    ],
)
def test_set_refuses(plans, path, value, code):
    text = 'model "llama-7b"\nlet d = 1 hour\nhardware { gpus = 8 }'
    assert code in plans.codes(text, settings=[(path, value)])


def test_set_takes_raw_names(plans):
    text = 'model "llama-7b"\nhardware { gpu = "A100-SXM4-80GB", gpus = 8 }\nshow gpu.memory\nshow model.layers\n'
    before = plans.shown(text)
    for name in ("H100-SXM5-80GB", "h100 sxm5 80gb", '"H100-SXM5-80GB"'):
        after = plans.shown(text, settings=[("hardware.gpu", name), ("model", "llama-13b")])
        assert after != before and after[1] == 40.0
    assert plans.shown(text, settings=[("training.precision", "fp16")]) == before


def test_set_takes_an_unknown(plans):
    solution = plans.solve("let x = 3\nminimize x", settings=[("x", "? in [2, 5]")])
    assert [(u.path, u.value.value) for u in solution.unknowns if u.asked] == [("x", 2)]


def test_a_scenario(plans):
    text = 'let x = 1\nscenario "a" { x = 2 }\nscenario "b" { x = 3, hardware.gpus = 8 }\nshow x'
    assert plans.shown(text) == [1.0]
    assert plans.shown(text, scenario="a") == [2.0]
    assert plans.codes(text, scenario="c") == ["E0201"]
    assert plans.codes('scenario "a" { nothing = 2 }') == ["E0202"]
    assert plans.codes('scenario "a" { time = 2 days }') == ["E0202"]
    assert plans.codes('scenario "a" { hardware.gpus = 2 GB }') == ["E0302"]
    assert plans.codes('scenario "a" {}\nscenario "a" {}') == ["E0203"]
    plans.write("base.plan", 'let x = 1\nscenario "a" { x = 7 }\nscenario "old" { x = 9 }\n')
    assert plans.shown('use "base.plan"\nscenario "a" { x = 8 }\nshow x', scenario="a") == [8.0]
    assert plans.shown('use "base.plan"\nshow x', scenario="old") == [9.0]


def test_given_assumed_emits(plans):
    def flags(text: str, **options: object) -> list[float | None]:
        names = ("given(dataset.tokens)", "assumed(mfu)", "emits(deepspeed)", "given(dataset)", "given(model)")
        known = [name for name in names if name != "given(dataset)"]
        return plans.shown(text + "".join(f"\nshow (if {name} then 1 else 0)" for name in known), **options)

    assert flags("") == [0.0, 0.0, 0.0, 0.0]
    assert flags("dataset { tokens = 1T }") == [1.0, 0.0, 0.0, 0.0]
    assert flags("dataset { tokens = ? }") == [1.0, 0.0, 0.0, 0.0]
    # Its default needs samples and a length: given when they are.
    assert flags("dataset { samples = 10, sequence_length = 100 }")[0] == 1.0
    assert flags("dataset { samples = 10 }")[0] == 0.0
    assert flags("dataset { sequence_length = 100 }")[0] == 0.0
    assert flags("assume mfu = 40%")[1] == 1.0
    assert flags('model "llama-7b"')[3] == 1.0
    assert flags("", settings=[("dataset.tokens", "1T")])[0] == 1.0
    assert plans.error("show (if given(time) then 1 else 0)") == ("E0303", "time")
    assert plans.error("show (if given(nothing) then 1 else 0)") == ("E0201", "nothing")
    assert plans.error("show (if assumed(hardware.gpus) then 1 else 0)") == ("E0201", "hardware.gpus")


def test_a_derived_default_is_not_given(plans):
    """`training.steps` and `dataset.mean_length` always have a value: what follows from the rest."""
    text = "dataset { tokens = 1M, sequence_length = 100 }\ntraining.global_batch = 10 sequences\nhardware.gpus = 1\n"
    text += "parallelism.zero_stage = 0\ntraining.micro_batch = 10\n"
    asked = "show training.steps\nshow (if given(training.steps) then 1 else 0)\nshow first(training.steps, 7 steps)\n"
    assert plans.shown(text + asked) == [1000.0, 0.0, 7.0]
    assert plans.shown(text + asked, settings=[("training.steps", "5 steps")]) == [5.0, 1.0, 5.0]
    assert plans.shown(text + "show (if given(training.steps) then 1 else 0)", settings=[("training.steps", "?")]) == [
        1.0
    ]


def test_given_depends_on_the_candidate(plans):
    text = 'hardware { gpu = ? in ["V100-SXM2-32GB", "H100-SXM5-80GB"], gpus = 8 }\nrequire given(gpu.peak_bf16)\n'
    solution = plans.solve(text)
    assert solution.values["hardware.gpu"].value == "H100-SXM5-80GB"
