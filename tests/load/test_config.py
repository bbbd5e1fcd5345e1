"""`model from "config.json"`: every family to the integer, and what is wrong with a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from llmplan import api
from llmplan.load import config
from llmplan.load.config_tables import Tables
from llmplan.source import Source, Span
from llmplan.system.missing import Missing
from tests.std.answers import checked, number

ROWS = json.loads((Path(__file__).parent / "data" / "configs.json").read_text(encoding="utf-8"))["rows"]
ARCHITECTURES = json.loads((Path(__file__).parent / "data" / "architectures.json").read_text(encoding="utf-8"))["rows"]
LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "max_position_embeddings": 8192,
}


def plan(folder: Path, text: str, **files: object) -> str:
    """The path of a plan beside configuration files; a text is written as it is."""
    for name, content in files.items():
        written = content if isinstance(content, str) else json.dumps(content)
        (folder / f"{name}.json").write_text(written, encoding="utf-8")
    path = folder / "a.plan"
    path.write_text(text, encoding="utf-8")
    return str(path)


def wrong(path: str) -> list[tuple[str, str]]:
    return [(d.code, d.message) for d in api.check(path) if d.severity == "error"]


def kind(row: dict[str, Any]) -> str:
    found: str = row["config"].get("text_config", row["config"])["model_type"]
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_family(row: dict[str, Any], tmp_path: Path) -> None:
    read = api.analyse(plan(tmp_path, 'model from "c.json"\nshow model.params_total\n', c=row["config"]))
    assert read.built is not None and not read.failed
    lowering = read.built.lowering
    for name, expected in (("model.params_total", row["total"]), ("model.params_active", row["active"])):
        node = lowering.unknowns.settled(lowering.name(name))
        assert not isinstance(node, Missing) and lowering.graph.constant(node) == expected


def test_every_type_of_the_tables_is_tried() -> None:
    entries, around = Tables.of("model").entries, Tables.of("model").around
    tried = {kind(row) for row in (*ROWS, *ARCHITECTURES)}
    assert set(entries) - tried == {"Yi", "falcon_mamba"}  # a LLaMA and a Mamba by other names
    assert set(around) - {row["config"]["model_type"] for row in ARCHITECTURES} == {"lighton_ocr", "qwen3_5_moe"}


@pytest.mark.slow
def test_it_is_the_same_model_as_that_of_the_catalog(tmp_path: Path) -> None:
    whole = {**LLAMA, "rope_theta": 500000.0, "rms_norm_eps": 1e-05}
    mine = checked(api.solve(plan(tmp_path, 'model from "c.json"\n', c=whole)))
    text = 'model "llama-3-8b"\n'
    catalog = checked(api.solve("-", text=text))
    other = {"model.training_tokens", "model.hub", "model.rope_original_context"}
    names = [name for name in catalog.values if name.startswith("model.") and name not in other]
    assert {n: mine.values[n].value for n in names} == {n: catalog.values[n].value for n in names}


def test_a_value_of_the_plan_wins(tmp_path: Path) -> None:
    text = 'model from "c.json" { max_context = 1024 }\nmodel.kv_heads = 32\n'
    solution = checked(api.solve(plan(tmp_path, text, c=LLAMA)))
    assert number(solution, "dataset.sequence_length") == 1024
    assert number(solution, "model.params_total") > 8_030_261_248


def test_a_value_stands_in_the_file(tmp_path: Path) -> None:
    text = 'model from "c.json"\n'
    solution = checked(api.solve(plan(tmp_path, text, c=json.dumps(LLAMA, indent=1))))
    origin = solution.values["model.kv_heads"].origin
    assert origin is not None and origin.place.endswith("c.json:6") and origin.text == "8"
    computed = solution.values["model.head_dim"].origin
    assert computed is not None and computed.place.startswith("plans/configs/huggingface.plan:")


def test_a_used_file_reads_a_configuration_beside_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "models"
    folder.mkdir()
    plan(folder, 'model from "c.json"\n', c=LLAMA)
    path = plan(tmp_path, 'use "models/a.plan"\nmodel from "models/c.json" { max_context = 4096 }\n')
    solution = checked(api.solve(path))
    assert number(solution, "model.params_total") == 8_030_261_248
    assert solution.values["model"].value == "models/c.json"


@pytest.mark.slow
def test_windows_are_counted(tmp_path: Path) -> None:
    types = ["sliding_attention", "full_attention", "full_attention"]
    gemma = {**LLAMA, "model_type": "gemma2", "num_hidden_layers": 3, "layer_types": types}
    solution = checked(api.solve(plan(tmp_path, 'model from "c.json"\n', c=gemma)))
    assert number(solution, "model.sliding_layers") == 1
    gemma["layer_types"] = ["full_attention"] * 3
    solution = checked(api.solve(plan(tmp_path, 'model from "c.json"\n', c=gemma)))
    assert number(solution, "model.sliding_layers") == 0


def test_a_number_from_which_nothing_finite_follows(tmp_path: Path) -> None:
    bloom = {"vocab_size": 250880, "hidden_size": -1e308, "n_layer": 6, "n_head": 16, "model_type": "bloom"}
    found = wrong(plan(tmp_path, 'model from "c.json"\n', c=bloom))
    assert {code for code, _ in found} == {"E0305"}
    assert "`model.hidden` is -1e308, outside its domain" in found[0][1]


@pytest.mark.slow
def test_the_hash_of_the_plan_knows_what_the_file_holds(tmp_path: Path) -> None:
    def digest(content: object) -> str:
        return api.solve(plan(tmp_path, 'model from "c.json"\n', c=content)).plan_hash

    first = digest(LLAMA)
    assert digest(json.dumps(dict(reversed(LLAMA.items())), indent=4)) == first
    assert digest({**LLAMA, "num_hidden_layers": 33}) != first
    assert digest({**LLAMA, "rope_theta": 1e6}) != first


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "as a configuration"),
        ("[1]", "it is not a JSON object"),
        ("null", "it is not a JSON object"),
        ('{"hidden_size": NaN}', "NaN, which is not a number"),
        ('{"model_type": "llama", "hidden_size": 1e999}', "too large"),
        ("[" * 200_000, "nested too deeply"),
        ({"hidden_size": 4096}, "has no `model_type`"),
        ({"model_type": 7}, "has no `model_type`"),
        ({"model_type": "unheard_of"}, "unsupported `model_type` `unheard_of`"),
        ({"model_type": "xlstm"}, "`model_type` `xlstm` of `"),
        ({"model_type": "bamba"}, "is not supported: it has a state-space model"),
        ({"model_type": "glm5_next", "text_config": {"model_type": "glm5_next"}}, "it has linear attention"),
        ({"model_type": "\x1b[31m"}, "has no `model_type`"),
        ({"model_type": "llama", "hidden_size": 4096}, "lacks `num_hidden_layers`, `num_attention_heads`"),
        ({**LLAMA, "vocab_size": None}, "lacks `vocab_size`, required for `model_type` `llama`"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_file_that_describes_no_model(content: object, said: str, tmp_path: Path) -> None:
    found = wrong(plan(tmp_path, 'model from "c.json"\n', c=content))
    assert [code for code, _ in found] == ["E0209"]
    assert said in found[0][1]


@pytest.mark.parametrize("whole", [{"text_config": LLAMA, "model_type": "new_vl"}, LLAMA])
def test_a_vision_tower_is_noted(whole: dict[str, Any], tmp_path: Path) -> None:
    text = 'model from "c.json"\nshow model.params_total\n'
    seen = {**whole, "vision_config": {"hidden_size": 1024, "model_type": "clip_vision_model"}}
    told = [api.solve(plan(tmp_path, text, c=content)) for content in (seen, whole)]
    assert [[one.code for one in answer.diagnostics if "vision tower" in one.message] for answer in told] == [
        ["W0606"],
        [],
    ]
    assert told[0].values["model.params_total"].value == told[1].values["model.params_total"].value


def test_what_is_beside_a_language_model_is_said_by_the_tables() -> None:
    parts = '@beside("vision_config", model.sees_images) @beside("ear_config", model.hears) @beside("arm_config", a.b)'
    tables = Tables.made("model", [("configs.plan", f"{parts}\nkind config {{ hidden_size: Int }}\n")])
    assert tables.beside == {"vision_config": "sees_images", "ear_config": "hears"}
    assert Tables.of("model").beside == {"vision_config": "sees_images"}


def warned(content: dict[str, Any], folder: Path) -> list[str]:
    """The keys without effect."""
    found = api.check(plan(folder, 'model from "c.json"\n', c=content))
    return [d.span.text.strip('"') for d in found if d.code == "W0614" and d.span is not None]


MOE = {**LLAMA, "moe_intermediate_size": 768, "shared_expert_intermediate_size": 768, "num_experts_per_tok": 4}


def test_a_key_of_structure_that_is_not_read_is_a_warning(tmp_path: Path) -> None:
    content = {**MOE, "model_type": "qwen2_moe", "num_local_experts": 16, "hiden_size": 7, "rope_theta": 1e6}
    path = plan(tmp_path, 'model from "c.json"\n', c=content)
    found = [d for d in api.check(path) if d.code == "W0614"]
    assert [d.span.text for d in found if d.span] == ['"num_local_experts"', '"hiden_size"']
    assert "`num_local_experts` in `" in found[0].message and "`qwen2_moe`" in found[0].message
    assert found[0].hints[0].text.startswith("did you mean `num_experts`?")
    assert "`hidden_size`" in found[1].hints[0].text
    assert warned({**content, "num_local_experts": None, "hiden_size": 0}, tmp_path) == []


def test_the_same_key_by_its_newer_name_is_read(tmp_path: Path) -> None:
    content = {**MOE, "model_type": "qwen3_moe", "shared_expert_intermediate_size": None, "num_local_experts": 16}
    assert warned(content, tmp_path) == []
    solution = checked(api.solve(plan(tmp_path, 'model from "c.json"\n', c=content)))
    assert number(solution, "model.experts") == 16


@pytest.mark.parametrize(
    ("key", "value", "warns"),
    [
        ("moe_layer_freq", 2, True), ("n_shared_experts", 1, True), ("num_nextn_predict_layers", 1, True),
        ("kv_lora_rank", 512, True), ("sliding_window", 4096, True), ("use_qk_norm", True, True),
        ("use_qk_norm", False, False), ("n_shared_experts", 0, False), ("hidden_dropout", 1, False),
        ("hidden_act", "silu", False), ("router_aux_loss_coef", 1, False), ("mlp_only_layers", [], False),
        ("quantization_config", {"num_layers": 3}, False), ("rope_scaling", {"original_hidden_size": 7}, False),
    ],
)  # fmt: skip
def test_which_keys_name_structure(key: str, value: object, warns: bool, tmp_path: Path) -> None:
    assert warned({**LLAMA, key: value}, tmp_path) == [key] * warns


@pytest.mark.slow
def test_released_files_give_no_warning() -> None:
    span = Span(Source("a.plan", "x"), 0, 1)
    for row in ROWS:
        found = config.read("model", "c.json", Source("c.json", json.dumps(row["config"])), span)
        assert isinstance(found, config.Configured) and found.warnings == (), row["name"]


def test_a_misspelt_key_is_shown_where_it_stands(tmp_path: Path) -> None:
    content = {key.replace("hidden_size", "hiden_size"): value for key, value in LLAMA.items()}
    (found,) = (d for d in api.check(plan(tmp_path, 'model from "c.json"\n', c=content)) if d.code == "E0209")
    assert "lacks `hidden_size`" in found.message
    assert found.others[0].span.text == '"hiden_size"' and "did you mean `hidden_size`" in found.hints[0].text


@pytest.mark.parametrize(
    ("text", "where", "cause", "hint"),
    [
        ('{"model_type": "llama",\n "a": 1,\n}', (2, 8), "a comma before the closing `}`", "remove the comma"),
        ('{"model_type": "llama", "a": [1, 2 ,\n]}', (1, 36), "a comma before the closing `]`", "remove the comma"),
        ('{"model_type": "llama", // a\n "a": 1}', (1, 25), "a comment", "no comments"),
        ('{\n"model_type": \'llama\'}', (2, 15), "a text in single quotes", "double quotes"),
        ('{"model_type": "llama", "a": True}', (1, 30), "`True` of Python", "`true`"),
        ('{"model_type": "llama"\n "a": 1}', (2, 2), "a comma is missing", "by a comma"),
        ('{"model_type": "llama", a: 1}', (1, 25), "a key without quotes", "double quotes"),
        ('{"model_type": "llama", "a": 1', (1, 30), "the text ends before the object", "is missing"),
        ('{"model_type": "llama"} {}', (1, 25), "something follows the object", "one object"),
    ],
)  # fmt: skip
def test_a_text_that_is_not_json_has_its_line_and_cause(
    text: str, where: tuple[int, int], cause: str, hint: str, tmp_path: Path
) -> None:
    (found,) = (d for d in api.check(plan(tmp_path, 'model from "c.json"\n', c=text)) if d.code == "E0209")
    line, column = where
    assert f"line {line}, column {column}: {cause}" in found.message
    assert hint in found.hints[0].text
    assert (found.others[0].span.line, found.others[0].span.column) == where


def test_lines_of_other_files_are_not_shown(tmp_path: Path) -> None:
    for text in ("SECRET=1", '{"secret": hidden}', ""):
        (found,) = api.check(plan(tmp_path, 'model from "c.json"\n', c=text))
        assert found.code == "E0209" and found.others == ()
        assert not any(word in repr((found.message, found.hints)) for word in ("SECRET", "hidden}"))


def test_a_file_outside_is_told_the_option_that_admits_it(tmp_path: Path) -> None:
    folder = tmp_path / "plans"
    folder.mkdir()
    plan(tmp_path, "", c=LLAMA)
    path = plan(folder, 'model from "../c.json"\n')
    (found,) = api.check(path)
    assert found.code == "E0207" and "outside the project root" in found.message
    assert "`--root " in found.hints[0].text
    option = found.hints[0].text.split("`--root ")[1].split("`")[0]
    assert [d.code for d in api.check(path, root=option)] == ["W0610"]


def test_a_size_that_does_not_divide_is_shown_in_the_file(tmp_path: Path) -> None:
    content = {**LLAMA, "num_attention_heads": 27, "num_key_value_heads": 27}
    path = plan(tmp_path, 'model from "c.json"\nshow model.params_total\n', c=json.dumps(content, indent=1))
    for found in (api.check(path), api.solve(path).diagnostics):
        (one,) = (d for d in found if d.severity == "error")
        assert one.code == "E0307" and "`model.head_dim`" in one.message and one.span is not None
        assert one.span.source.name.endswith("c.json") and one.span.text == "27"
        assert [other.span.text for other in one.others] == ["4096"]
        assert any("`hidden / heads` (plans/configs/" in note for note in one.notes)


@pytest.mark.parametrize(("family", "experts", "dense"), [("glm4_moe", 128, 1), ("deepseek_v3", 256, 3)])
def test_what_a_file_leaves_out_is_as_in_its_class(family: str, experts: int, dense: int, tmp_path: Path) -> None:
    latent = {"kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128}
    content = {**LLAMA, **(latent if family == "deepseek_v3" else {}), "model_type": family}
    solution = checked(api.solve(plan(tmp_path, 'model from "c.json"\n', c=content)))
    assert number(solution, "model.experts") == experts
    assert number(solution, "model.dense_layers") == dense


YARN = {"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096}
LATENT = {**LLAMA, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
          "n_routed_experts": 64,
          "num_experts_per_tok": 8, "moe_intermediate_size": 1408, "rope_scaling": YARN}  # fmt: skip


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, {"rope_beta_fast": 32, "rope_beta_slow": 1, "rope_mscale": 1, "rope_mscale_all_dim": 0,
              "routing": "sigmoid", "router_factor": 2.5}),
        ({"routed_scaling_factor": 2.446, "norm_topk_prob": False}, {"routing": "other", "router_factor": 2.446}),
        ({"rope_interleave": False, "rope_scaling": {**YARN, "beta_fast": 1.0}},
         {"rope_interleaved": False, "rope_beta_fast": 1}),
        ({"rope_scaling": None,
          "rope_parameters": {**YARN, "rope_type": "yarn", "mscale": 0.5, "mscale_all_dim": 0.25}},
         {"rope_scaling": "yarn", "rope_mscale": 0.5, "rope_mscale_all_dim": 0.25}),
        ({"rope_scaling": {**YARN, "mscale_all_dim": 1.0}}, {"rope_scaling": "other"}),
        ({"rope_scaling": {**YARN, "mscale": 0.5}}, {"rope_mscale": 1, "rope_mscale_all_dim": 0}),
        ({"rope_scaling": {**YARN, "attention_factor": 1.2}}, {"rope_scaling": "other"}),
        ({"model_type": "deepseek_v2"}, {"routing": "softmax_all", "router_factor": 1}),
        ({"model_type": "deepseek_v2", "norm_topk_prob": True}, {"routing": "other"}),
        ({"model_type": "deepseek_v2", "n_group": 8, "topk_group": 3, "routed_scaling_factor": 16.0},
         {"routing": "other", "router_factor": 16}),
    ],
    ids=lambda value: str(value)[:60],
)  # fmt: skip
def test_factors_of_latent_attention_and_its_routers(
    keys: dict[str, object], expected: dict[str, object], tmp_path: Path
) -> None:
    solution = checked(
        api.solve(plan(tmp_path, 'model from "c.json"\n', c={**LATENT, "model_type": "deepseek_v3", **keys}))
    )
    found = {name: solution.values.get(f"model.{name}") for name in expected}
    assert {name: one.value if one is not None else None for name, one in found.items()} == expected


@pytest.mark.parametrize("family", ["glm4_moe", "deepseek"])
def test_fewer_layers_than_are_without_experts(family: str, tmp_path: Path) -> None:
    sizes = {"n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 64}
    sizes |= {"num_hidden_layers": 1, "first_k_dense_replace": 2}
    solution = checked(api.solve(plan(tmp_path, 'model from "c.json"\n', c={**LLAMA, **sizes, "model_type": family})))
    assert number(solution, "model.expert_layers") == 0


@pytest.mark.parametrize(("first", "every"), [(0, 1), (1, 1), (3, 2), (4, 3)])
@pytest.mark.slow
def test_experts_in_every_few_layers(first: int, every: int, tmp_path: Path) -> None:
    sizes = {"n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 64, "num_hidden_layers": 11}
    content = {**LLAMA, **sizes, "model_type": "deepseek", "first_k_dense_replace": first, "moe_layer_freq": every}
    solution = checked(api.solve(plan(tmp_path, 'model from "c.json"\n', c=content)))
    sparse = sum(layer >= first and layer % every == 0 for layer in range(11))
    assert number(solution, "model.expert_layers") == sparse


def test_a_list_of_one_number_is_that_number(tmp_path: Path) -> None:
    hunyuan = {**LLAMA, "model_type": "hunyuan_v1_moe", "num_experts": 64, "moe_topk": [8] * 32}
    solution = checked(api.solve(plan(tmp_path, 'model from "c.json"\n', c=hunyuan)))
    assert number(solution, "model.experts_per_token") == 8
    found = wrong(plan(tmp_path, 'model from "c.json"\n', c={**hunyuan, "moe_topk": [8, 4] * 16}))
    assert [code for code, _ in found] == ["E0209"] and "`moe_topk` as a list of different values" in found[0][1]


def test_an_unknown_type_is_told_what_is_missing(tmp_path: Path) -> None:
    path = plan(tmp_path, 'model from "c.json"\n', c={"model_type": "lama", "hidden_size": 64, "vocab_size": 99})
    (found,) = api.check(path)
    assert found.code == "E0209"
    assert any("`layers`" in note and "`heads`" in note and "`hidden`" not in note for note in found.notes)
    assert any("`llama`" in note for note in found.notes)
    assert "hidden = 64" in found.hints[0].text and "vocab = 99" in found.hints[0].text
    assert found.others[0].span.text == '"lama"'


def test_an_unknown_type_is_told_which_keys_the_line_leaves_out(tmp_path: Path) -> None:
    more = {**LLAMA, "model_type": "mynew", "sliding_window": 4096, "first_k_dense_replace": 2, "use_cache": True}
    (found,) = api.check(plan(tmp_path, 'model from "c.json"\n', c=more))
    (note,) = [note for note in found.notes if "says nothing of" in note]
    assert "`first_k_dense_replace`" in note and "use_cache" not in note
    assert "sliding_window = 4096" in found.hints[0].text or "`sliding_window`" in note


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("hidden_size", "4096", "E0302"),
        ("vocab_size", True, "E0302"),
        ("attention_bias", 1, "E0302"),
        ("num_hidden_layers", -3, "E0305"),
        ("num_attention_heads", 2.5, "E0307"),
        ("vocab_size", 10**30, "E0305"),
    ],
)
def test_a_value_that_is_not_legal_is_shown_where_it_stands(key: str, value: object, code: str, tmp_path: Path) -> None:
    found = api.solve(plan(tmp_path, 'model from "c.json"\n', c={**LLAMA, key: value})).diagnostics
    first = next(d for d in found if d.severity == "error")
    assert first.code == code
    assert first.span is not None and first.span.source.name.endswith("c.json")
    assert first.span.text == json.dumps(value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('model from "none.json"', "no such file"),
        ('model from "../../c.json"', "outside the project root"),
        ('model from "."', "it is a directory"),
        ('model from ""', "expected a path as plain text"),
        ('model from "a\\u0000b"', "it is not a valid path"),
    ],
)
def test_a_file_that_cannot_be_read(text: str, said: str, tmp_path: Path) -> None:
    found = wrong(plan(tmp_path, text + "\n"))
    assert found and found[0][0] in ("E0207", "E0110")
    assert said in found[0][1] or found[0][0] == "E0110"


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    found = wrong(plan(tmp_path, 'model from "c.json"\n', c=" " * 1_000_001))
    assert found == [("E0207", "cannot use `c.json`: it is larger than 1 MB")]


@pytest.mark.slow
def test_only_models_are_read(tmp_path: Path) -> None:
    found = wrong(plan(tmp_path, 'hardware from "c.json"\n', c=LLAMA))
    assert [code for code, _ in found] == ["E0209"]


def test_many_words_take_no_time(tmp_path: Path) -> None:
    many = json.dumps({**LLAMA, "layer_types": [f"w{i}" for i in range(60_000)]})
    span = Span(Source("a.plan", "x"), 0, 1)
    assert isinstance(config.read("model", "c.json", Source("c.json", many), span), config.Configured)


def test_a_key_that_is_repeated_is_a_warning(tmp_path: Path) -> None:
    text = json.dumps({**LLAMA, "layer_types": ["full_attention"] * 32})
    twice = text[:-1] + ', "hidden_size": 8192, "layer_types": ["full_attention"]}'
    path = plan(tmp_path, 'model from "c.json"\nshow model.params_total\n', c=twice)
    told = [d.span for d in api.check(path) if d.message.endswith("is repeated: the last of its values counts")]
    assert [span and span.start for span in told] == [text.index('"hidden_size"'), text.index('"layer_types"')]
