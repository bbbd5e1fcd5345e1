"""Units, counts and labels in expressions: what fits, what a bare number means, what is refused."""

from __future__ import annotations

import pytest

GPUS = "hardware { gpus = 16, gpus_per_node = 8 }"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("80 GB", 80e9),
        ("80GB", 80e9),
        ("80 GiB", 80 * 2**30),
        ("7B", 7e9),
        ("7TB", 7e12),
        ("8Ki", 8192.0),
        ("1.4e12", 1.4e12),
        ("1_000_000", 1e6),
        ("40%", 0.4),
        ("0.1 + 0.2", 0.1 + 0.2),
        ("30 days", 30 * 86400.0),
        ("1 month / 1 day", 30.0),
        ("1 year / 1 day", 365.0),
        ("312 TFLOP/s", 312e12),
        ("1 kWh / 1 kW", 3600.0),
        ("1 Ttoken + 1 Gtoken", 1.001e12),
        ("7 Bparams / 1 param", 7e9),
        ("1 kUSD", 1000.0),
        ("8 bit / 1 byte", 1.0),
        ("6 FLOP/parameter/token * 7B * 1 parameter * 1T", 42e21),
        ("50_000 GPU*hour / 1 hour", 50_000.0),
        ("2 GB ^ 2 / 1 GB", 4e9),
        ("sqrt(4 token^2)", 2.0),
        ("-2 ^ 2", -4.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("2 ^ -1", 0.5),
        ("7 / 2 * 2", 7.0),
        ("10 - 2 - 3", 5.0),
        ("1 t / 1 kg", 1000.0),
    ],
)
def test_literals_and_arithmetic(plans, expression, value):
    assert plans.value(expression) == pytest.approx(value, rel=1e-15)


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "value",
    [
        "64",
        "(64)",
        "((64))",
        "-(-64)",
        "if 1 < 2 then 64 else 32",
        "match 3 { 3 => 64, _ => 32 }",
        "min(64, 128)",
        "max(32, min(64, 128))",
        "63 + 1",
        "65 GPUs - 1",
        "1 + 63 GPUs",
        "64 GPUs",
        "if true then 64 GPUs else 32",
        "abs(-64)",
    ],
)
def test_a_bare_number_takes_the_unit_of_a_count(plans, value):
    assert plans.shown(f"hardware {{ gpus = {value} }}\nshow hardware.gpus") == [64.0]
    assert plans.codes(f"{GPUS}\nrequire hardware.gpus <= ({value})") == []
    # Tokens have a dimension, so a plain number in their place would be seen.
    tokens = value.replace("GPUs", "tokens")
    assert plans.shown(f"dataset {{ tokens = {tokens} }}\nshow dataset.tokens") == [64.0]
    assert plans.codes(f"dataset {{ tokens = 1T }}\nrequire dataset.tokens >= ({tokens})") == []


@pytest.mark.parametrize("domain", ["[1, 2, 4]", "1..8", "8..64 step 8", "powers(2, 1..8)", "[1..4, 8]", "2..(4 + 4)"])
def test_a_bare_number_in_a_domain_is_a_count(plans, domain):
    for field in ("hardware { gpus", "dataset { tokens", "training { micro_batch"):
        assert plans.codes(f"{field} = ? in {domain} }}") == []


@pytest.mark.parametrize("value", ["2 * 32", "64 / 1", "2 ^ 6", "ceil(63.5)", "sqrt(4096)"])
def test_other_operators_give_a_plain_number(plans, value):
    assert plans.error(f"dataset {{ tokens = {value} }}") == ("E0302", value)
    # A label has dimension one, so a plain number fits it.
    assert plans.shown(f"hardware {{ gpus = {value} }}\nshow hardware.gpus") == [64.0]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("gpu { memory = 80 }", "80"),
        ("gpu { memory = (80) }", "(80)"),
        ("require time <= 30", "30"),
        ("hardware { price = 2 }", "2"),
        ("training { global_batch = 4M }", "4M"),
        ("training { global_batch = ? in 1M..2M }", "1M"),
        ("let x = 1 GB + 3", "3"),
        ("let x = max(3, 1 GB)", "3"),
        ("require gpu.memory in [80, 90 GB]", "80"),
        ("let x = ? in 1 GB .. 3", "3"),
        ("let x = if true then 1 s else 2", "2"),
    ],
)
def test_a_measured_quantity_needs_a_unit(plans, line, place):
    assert plans.error(line) == ("E0304", place)


@pytest.mark.parametrize(
    "line",
    [
        "gpu { memory = 0 }",
        "require time >= 0",
        "hardware { price = 0 }",
        "let x = max(0, 1 GB - 2 GB)",
        "let x = if true then 0 else 3 days",
        "let x = 1 GB + 0",
        "dataset { tokens = 0 }",
    ],
)
def test_zero_fits_every_unit(plans, line):
    data = "dataset { tokens = 1T }" if "dataset" not in line else ""
    found = set(plans.codes(f"{data}\n{line}"))
    assert not found & {"E0301", "E0302", "E0304"}


@pytest.mark.parametrize(
    ("expression", "code", "place"),
    [
        ("3 GPUs + 2 nodes", "E0306", "3 GPUs"),
        ("min(3 GPUs, 2 nodes)", "E0306", "3 GPUs"),
        ("if true then 3 GPUs else 2 steps", "E0306", "3 GPUs"),
        ("hardware.gpus <= 2 nodes", "E0306", "hardware.gpus"),
        ("hardware.gpus == hardware.nodes", "E0306", "hardware.gpus"),
        ("1 token + 1 byte", "E0301", "1 token"),
        ("1 sequence + 1 token", "E0301", "1 sequence"),
        ("1 GB < 1 s", "E0301", "1 GB"),
        ("1 GB < true", "E0301", "1 GB"),
        ("true and 3", "E0303", "3"),
        ("not 3", "E0303", "3"),
        ("if 3 then 1 else 2", "E0303", "3"),
        ("sqrt(2 GB)", "E0303", "2 GB"),
        ("ln(2 GB)", "E0303", "2 GB"),
        ("exp(2 s)", "E0303", "2 s"),
        ("ceil(2 GB)", "E0303", "2 GB"),
        ("2 GB ^ 0.5", "E0303", "0.5"),
        ("2 GB ^ hardware.gpus", "E0303", "hardware.gpus"),
        ("2 ^ (1 GB)", "E0303", "(1 GB)"),
        ("true + 1", "E0303", "true"),
        ("-true", "E0303", "true"),
        ("[1, 2] + 1", "E0303", "[1, 2]"),
        ("80 B", "E0204", "B"),
        ("80 gb", "E0204", "gb"),
        ("640 GB/x", "E0205", "x"),
    ],
)
def test_unlike_things_do_not_meet(plans, expression, code, place):
    assert plans.error(f"{GPUS}\nlet x = 2\nshow ({expression})") == (code, place)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("3 GPUs * 2 nodes", 6.0),  # products drop labels
        ("hardware.gpus / 8 + 2 nodes", 4.0),
        ("hardware.gpus ^ 2 + 1 step", 257.0),
        ("ceil(2.5 GPUs) + 1 GPU", 4.0),
        ("mod(hardware.gpus, 3 nodes) + 1 GPU", 2.0),
        ("abs(1 GPU - 3 GPUs)", 2.0),
        ("3 GPUs + 2", 5.0),
        ("3 samples + 2 sequences", 5.0),
        ("1 query + 2 queries", 3.0),
    ],
)
def test_labels(plans, expression, value):
    assert plans.value(expression, GPUS) == value


@pytest.mark.parametrize("expression", ["ceil(2.5 GPUs) + 1 node", "abs(1 GPU) + 1 node", "max(1 GPU, 2) + 1 node"])
def test_functions_that_keep_a_label(plans, expression):
    assert plans.codes(f"show ({expression})") == ["E0306"]


def test_a_field_per_gpu_refuses_one_per_node(plans):
    assert plans.error("hardware { host_link = 400 GB/s/node }") == ("E0306", "400 GB/s/node")
    assert plans.codes("hardware { host_link = 400 GB/s/GPU }") == []
    assert plans.codes("hardware { host_link = 400 GB/s }") == []


def test_names_and_units_do_not_collide(plans):
    assert plans.shown("let tokens = 5\nlet s = 3 tokens\nlet m = 2\nshow s / 1 token + tokens * m") == [13.0]


def test_a_field_with_two_units(plans):
    tokens = "training { global_batch = 4M tokens }\ndataset { sequence_length = 2048 }"
    assert plans.shown(f"{tokens}\nshow training.global_batch.token") == [4e6]
    assert plans.shown(f"{tokens}\nshow training.global_batch.sequence") == [None]
    assert plans.shown(
        f"{tokens}\nshow (if given(training.global_batch.token) then 1 else 2)"
        "\nshow (if given(training.global_batch.sequence) then 1 else 2)"
        "\nshow (if given(training.global_batch) then 1 else 2)"
    ) == [1.0, 2.0, 1.0]
    (found,) = plans.check(f"{tokens}\nshow training.global_batch")
    assert found.code == "E0304"
    assert "`global_batch_tokens` or `global_batch_sequences`" in found.hints[0].text
    assert plans.error("training { global_batch = 3 GB }") == ("E0302", "3 GB")
    assert plans.error("training { global_batch = 3 GPUs }") == ("E0302", "3 GPUs")


def test_a_function_takes_and_gives_what_it_says(plans):
    fn = "fn share(all: byte, of: GPU) -> byte = all / of\n"
    assert plans.shown(fn + "show share(64 GB, 8)") == [8e9]
    assert plans.error(fn + "show share(64, 8)") == ("E0303", "64")
    assert plans.error(fn + "show share(64 GB, 8 nodes)") == ("E0303", "8 nodes")
    assert plans.error(fn + "show share(64 GB)") == ("E0303", "share(64 GB)")
    assert plans.error("fn f(x: byte) -> s = x") == ("E0302", "x")
    assert plans.error("fn f(x: GPU) -> node = x") == ("E0306", "x")


def test_a_literal_may_not_be_too_large(plans):
    assert plans.error("let x = 1 TB^40") == ("E0305", "1 TB^40")
