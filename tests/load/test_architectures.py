"""Configurations of many architectures: exact to the integer by part, or refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from llmplan import api
from llmplan.check import ir, library
from llmplan.load.config_tables import Tables
from llmplan.system.missing import Missing

DATA = Path(__file__).parent / "data" / "architectures.json"
ROWS: list[dict[str, Any]] = json.loads(DATA.read_text(encoding="utf-8"))["rows"]
CHANGED: list[dict[str, Any]] = json.loads(DATA.with_name("changed.json").read_text(encoding="utf-8"))["rows"]
PARTS = {
    "embedding": "model.params_embedding",
    "attention": "model.params_attention",
    "mixer": "model.params_mixer",
    "mlp": "model.params_mlp",
    "experts": "model.params_experts",
    "router": "model.params_router",
    "norm": "model.params_norms",
    "head": "model.params_head",
    "tower": "tower.params_total",
    "projector": "projector.params_total",
}
SEEN_AS_TEXT = {"llama-4-scout", "llama-4-maverick"}
"""Entries of models that see, of which the catalog has the decoder alone; a note says so."""


def parts(row: dict[str, Any]) -> dict[str, int]:
    """What a row counts, by quantity. Shared experts are part of the feed-forward blocks."""
    counted: dict[str, int] = row["parts"]
    found = {quantity: counted.get(part, 0) for part, quantity in PARTS.items()}
    found["model.params_mlp"] += counted.get("shared", 0)
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_parts(row: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(json.dumps(row["config"]), encoding="utf-8")
    (tmp_path / "a.plan").write_text('model from "c.json"\nshow model.params_total\n', encoding="utf-8")
    read = api.analyse(str(tmp_path / "a.plan"))
    if read.built is None or read.failed:
        errors = [found for found in read.diagnostics if found.severity == "error"]
        assert {found.code for found in errors} == {"E0209"} and "is not supported: it has" in errors[0].message
        type = row["config"]["model_type"]
        inner = row["config"].get("text_config", {}).get("model_type")
        described = not {type, inner} & set(Tables.of("model").refused)
        assert not described or f"whose `model_type` is `{type}`" in errors[0].message
        return
    lowering = read.built.lowering
    expected = parts(row)
    expected["model.params_total"] = row["total_params"]
    for name, count in expected.items():
        node = lowering.unknowns.settled(lowering.name(name))
        assert not isinstance(node, Missing) and lowering.graph.constant(node) == count, name


@pytest.mark.parametrize("row", CHANGED, ids=lambda row: row["name"])
def test_changed_files(row: dict[str, Any], tmp_path: Path) -> None:
    """What a file leaves out is as in its class; a key that changes the shape is read."""
    (tmp_path / "c.json").write_text(json.dumps(row["config"]), encoding="utf-8")
    (tmp_path / "a.plan").write_text('model from "c.json"\nshow model.params_counted\n', encoding="utf-8")
    assert counted(tmp_path / "a.plan", "model.params_counted") == row["total_params"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"num_kv_shared_layers": 2}, "`num_kv_shared_layers` `2`"),
        ({"hidden_size_per_layer_input": 256}, "inputs for each layer"),
        ({"per_layer_config": {"4": {"head_dim": 256}, "7": {"head_dim": 128}}, "global_head_dim": None}, "lacks"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_no_formula_describes_is_refused(changed: dict[str, Any], said: str, tmp_path: Path) -> None:
    row = next(row for row in ROWS if row["name"] == "gemma4_text-1")
    (tmp_path / "c.json").write_text(json.dumps(row["config"] | changed), encoding="utf-8")
    (tmp_path / "a.plan").write_text('model from "c.json"\nshow model.params_counted\n', encoding="utf-8")
    errors = [line for line in api.analyse(str(tmp_path / "a.plan")).diagnostics if line.severity == "error"]
    assert [line.code for line in errors] == ["E0209"] and said in errors[0].message


def test_what_each_layer_says_is_read(tmp_path: Path) -> None:
    """Files that transformers 5 saves list the heads of layers without a window one by one."""
    row = next(row for row in ROWS if row["name"] == "gemma4_text-1")
    wide = {"head_dim": row["config"]["global_head_dim"], "num_key_value_heads": 1}
    saved = {key: value for key, value in row["config"].items() if "global" not in key}
    saved["per_layer_config"] = {"4": wide, "7": wide}
    (tmp_path / "c.json").write_text(json.dumps(saved), encoding="utf-8")
    (tmp_path / "a.plan").write_text('model from "c.json"\nshow model.params_counted\n', encoding="utf-8")
    assert counted(tmp_path / "a.plan", "model.params_counted") == row["total_params"]


def counted(plan: Path, quantity: str) -> float | None:
    read = api.analyse(str(plan))
    assert read.built is not None and not read.failed
    node = read.built.lowering.unknowns.settled(read.built.lowering.name(quantity))
    return None if isinstance(node, Missing) else read.built.lowering.graph.constant(node)


def test_the_catalog_counts_them_the_same() -> None:
    """Each entry whose name on the Hub is that of a row."""
    totals = {row["name"]: row["total_params"] for row in ROWS if row["kind"] == "real"}
    found = {}
    for name, entry in library.load()[0].entries["model"].items():
        hubs = [setting.value for field, setting in entry.settings if field == "hub"]
        hub = str(hubs[0].pieces[0]).rpartition("/")[2] if hubs and isinstance(hubs[0], ir.Text) else ""
        if hub in totals and name not in SEEN_AS_TEXT:
            read = api.analyse("-", text=f'model "{name}"\nshow model.params_total\n')
            assert read.built is not None
            node = read.built.lowering.unknowns.settled(read.built.lowering.name("model.params_total"))
            assert not isinstance(node, Missing)
            found[hub] = read.built.lowering.graph.constant(node)
    assert len(found) >= 40 and found == {hub: totals[hub] for hub in found}
