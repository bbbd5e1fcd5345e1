"""`llmplan catalog`: lists and entries, with the values that a plan would get."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from llmplan.catalog.entries import listing
from llmplan.catalog.views import Column, View
from llmplan.check import library
from tests.thorough import sample


@pytest.fixture(scope="module")
def scope():
    return library.load()[0]


@pytest.mark.parametrize(
    ("what", "kind"), sample([("gpus", "gpu"), ("gpu", "gpu"), ("models", "model"), ("model", "model")])
)
def test_lists_every_entry_once(llmplan, scope, what, kind):
    outcome = llmplan("catalog", what)
    assert outcome.code == 0 and outcome.err == ""
    names = [line.split("  ")[0] for line in outcome.out.splitlines()[2:]]
    assert names == sorted(scope.entries[kind])


def test_a_list_is_aligned_and_names_its_units(llmplan):
    lines = llmplan("catalog", "gpus").out.splitlines()
    titles, units, rows = lines[0], lines[1], lines[2:]
    assert units.split()[:3] == ["GB", "GB/s", "TFLOP/s"]
    end = titles.index("memory") + len("memory")
    assert all(row[end - 1] != " " and row[end] == " " for row in rows)


def test_prices_are_of_entries_that_have_one(llmplan, scope):
    rows = json.loads(llmplan("catalog", "prices", "--json").out)
    priced = [name for name in sorted(scope.entries["gpu"]) if _says(scope, name, "price")]
    assert [row["name"] for row in rows] == priced
    assert all(row["source"]["value"] for row in rows)


def _says(scope, name, field):
    record = scope.entries["gpu"][name]
    return field in dict(record.settings) or (record.like and _says(scope, record.like, field))


@pytest.mark.slow
def test_figures_are_those_of_a_plan(llmplan, plans):
    rows = {row["name"]: row for row in json.loads(llmplan("catalog", "models", "--json").out)}
    assert rows["llama-7b"]["parameters"] == {"value": 6_738_415_616, "unit": "parameter"}
    for name in ("gpt2", "llama-3-8b"):
        assert rows[name]["parameters"]["value"] == plans.value("model.params_total", f'model "{name}"')
    gpus = {row["name"]: row for row in json.loads(llmplan("catalog", "gpus", "--json").out)}
    before = 'hardware { gpu = "A100-SXM4-80GB" }'
    for title, expression in (
        ("memory", "gpu.memory"),
        ("intensity", "gpu.flop_per_byte"),
        ("per PFLOP", "hardware.price / hardware.peak"),
    ):
        assert gpus["A100-SXM4-80GB"][title]["value"] == plans.value(expression, before)
    assert gpus["K80"]["bf16"]["value"] is None


def test_an_entry_with_every_field_its_place_and_its_sources(llmplan):
    outcome = llmplan("catalog", "gpu", "a100 80gb")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "A100-SXM4-80GB"
    own = next(line for line in lines if line.split()[:1] == ["bandwidth"])
    assert "2.039 TB/s" in own and "plans/catalog/gpus.plan:" in own and "as " not in own
    inherited = next(line for line in lines if line.split()[:1] == ["peak_bf16"])
    assert "312 TFLOP/s" in inherited and "as A100-SXM4-40GB" in inherited
    default = next(line for line in lines if line.split()[:1] == ["flop_per_byte"])
    assert "plans/std/kinds.plan:" in default and "default: (if given(peak_bf16)" in default
    assert any("NVIDIA A100 datasheet" in line for line in lines[lines.index("sources") :])


def test_a_model_with_its_bytes(llmplan):
    found = json.loads(llmplan("catalog", "model", "llama-7b", "--json").out)
    params = found["fields"]["model.params"]["value"]
    figures = {title: figure["value"] for title, figure in found["figures"].items()}
    for title, size, training in (("fp32", 4, 16), ("bf16", 2, 16), ("int8", 1, 6)):
        assert figures[f"weights in {title}"] == params * size
        assert figures[f"inference in {title}"] == pytest.approx(1.2 * params * size)
        assert figures[f"training with AdamW in {title}"] == params * training
    assert figures["weights in int4"] == params / 2
    # QLoRA: 4.13 bits for matrices, fp32 for tables and norms, adapters of rank 16 beside seven matrices.
    matrices = 32 * (4 * 4096**2 + 3 * 4096 * 11_008)
    adapters = 32 * 16 * (4 * 2 * 4096 + 3 * (4096 + 11_008))
    by_hand = 0.516 * matrices + 4 * (params - matrices) + 16 * adapters
    assert figures["training with AdamW in int4"] == pytest.approx(by_hand)
    assert found["fields"]["model.layers"]["value"] == 32
    assert "arXiv:2302.13971, table 2" in found["sources"]


@pytest.mark.slow
def test_every_model_has_a_row_for_each_format(llmplan, scope):
    for name in scope.entries["model"]:
        figures = json.loads(llmplan("catalog", "model", name, "--json").out)["figures"]
        for use in ("weights", "inference", "training with AdamW"):
            for format in ("fp32", "bf16", "int8", "int4"):
                figure = figures[f"{use} in {format}"]
                assert figure["value"] > 0 and figure["unit"] == "byte", (name, use, format)
                assert figure["convention"] and figure["sources"]


def test_a_table_of_formats_names_its_conventions(llmplan):
    lines = llmplan("catalog", "model", "llama-7b").out.splitlines()
    at = lines.index("memory by convention")
    assert lines[at + 1].split() == ["weights", "inference", "training", "with", "AdamW"]
    assert [line.split()[0] for line in lines[at + 2 : at + 6]] == ["fp32", "bf16", "int8", "int4"]
    assert lines[at + 3].split()[1:] == ["13.48", "GB", "16.17", "GB", "107.8", "GB"]
    said = "\n".join(lines[at + 7 : lines.index("sources")])
    for words in ("plus a fifth", "Mixed precision", "8-bit AdamW", "QLoRA", "EleutherAI"):
        assert words in said


@pytest.mark.parametrize("name", ["gpu", pytest.param("model", marks=pytest.mark.slow), "price"])
def test_every_entry_can_be_shown(llmplan, scope, name):
    for entry in scope.entries["model" if name == "model" else "gpu"]:
        outcome = llmplan("catalog", name, entry)
        assert outcome.code == 0 and outcome.out.startswith(f"{entry}\n") and outcome.err == ""


def test_an_entry_of_which_nothing_is_known(llmplan):
    assert "no figures" in llmplan("catalog", "price", "T4").out


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("model", "lamma-7b"), 'did you mean "llama-7b"?'),
        (("models", "llama*"), 'did you mean "llama-7b"?'),
        (("gpu", "zzzz"), "`llmplan catalog gpus` lists them"),
        (("model", ""), "`llmplan catalog models` lists them"),
        (("prices", "{0}%"), "`llmplan catalog prices` lists them"),
    ],
)
def test_an_unknown_name(llmplan, arguments, hint):
    outcome = llmplan("catalog", *arguments)
    assert outcome.code == 1 and outcome.out == ""
    assert "E0207" in outcome.err and hint in outcome.err


def test_a_maker_is_not_taken_for_a_misspelt_entry(llmplan):
    assert "did you mean" not in llmplan("catalog", "gpus", "nvidia").err


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("gpu", "A100"), ["A100-PCIE-40GB", "A100-PCIE-80GB", "A100-SXM4-40GB", "A100-SXM4-80GB"]),
        (("models", "llama 3.1"), ["llama-3.1-405b", "llama-3.1-70b", "llama-3.1-8b"]),
    ],
)
def test_a_part_of_several_names(llmplan, arguments, names):
    outcome = llmplan("catalog", *arguments)
    assert outcome.code == 0 and outcome.err == ""
    assert [line.split()[0] for line in outcome.out.splitlines()[2:]] == names
    assert [row["name"] for row in json.loads(llmplan("catalog", *arguments, "--json").out)] == names


def test_wrong_use(llmplan):
    assert llmplan("catalog").code == 2
    assert llmplan("catalog", "cars").code == 2
    assert llmplan("catalog", "gpus", "T4", "K80").code == 2


@pytest.mark.slow
def test_columns_of_which_nothing_is_known_are_left_out(scope):
    view = View("x", "gpu", (Column("time", "time"), Column("memory", "gpu.memory")))
    columns, rows = listing(view, scope)
    assert [column.title for column in columns] == ["memory"] and rows


@pytest.mark.slow
def test_no_heavy_imports():
    code = (
        "import sys; from llmplan import cli; cli.run(['catalog', 'models']); cli.run(['catalog', 'gpu', 'T4']);"
        "sys.exit(any(name in sys.modules for name in ('sympy', 'numpy', 'jinja2')))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("columns", [60, pytest.param(80, marks=pytest.mark.slow)])
def test_lists_fit_the_terminal_with_every_figure(llmplan, columns):
    for what in ("gpus", "stacks", "optimizers", "prices"):
        wide, narrow = llmplan("catalog", what).out, llmplan("catalog", what, columns=columns).out
        assert max(map(len, narrow.splitlines())) <= columns < max(map(len, wide.splitlines()))
        assert sorted({*wide.split()}) == sorted({*narrow.split()})


@pytest.mark.parametrize("columns", [60, pytest.param(80, marks=pytest.mark.slow)])
def test_an_entry_fits_the_terminal(llmplan, columns):
    for what, name in (("gpus", "H100-SXM5-80GB"), ("models", "llama-7b")):
        wide, narrow = llmplan("catalog", what, name).out, llmplan("catalog", what, name, columns=columns).out
        words = {word for word in narrow.split() if len(word) > columns // 2}  # a path or a name that stands whole
        assert all(len(line) <= columns or words & {*line.split()} for line in narrow.splitlines())
        assert {*wide.split()} == {*narrow.split()}
