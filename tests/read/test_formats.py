"""The formats of the library: sound, told apart, and a new one is a folder."""

from __future__ import annotations

import marshal
from pathlib import Path

import pytest

from llmplan import api, importing
from llmplan.check import library
from llmplan.read import formats, plan_text
from llmplan.read.mistakes import DECORATORS
from llmplan.resources import folder
from llmplan.source import Source
from llmplan.syntax.parse import parse
from llmplan.syntax.statements import Statements

READERS = formats.readers()
FILES = sorted(Path(str(folder("templates"))).glob("*/read.plan"))
INPUTS = frozenset(library.load(tables=False)[0].fields)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_a_format_means_only_what_there_is(file: Path) -> None:
    name = f"templates/{file.parent.name}/read.plan"
    assert importing.mistakes(name, file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_no_decorator_is_without_use(file: Path) -> None:
    """A misspelt decorator would be ignored by the reader in silence."""
    tree, _ = parse(Source(file.name, file.read_text(encoding="utf-8")))
    of = Statements.of(tree.statements)
    used = {one.name.text for kind in of.kinds for one in kind.decorators}
    used |= {one.name.text for entry in of.entries for one in entry.decorators}
    assert used <= DECORATORS


def test_the_kinds_that_one_is_over_exist() -> None:
    kinds = {format.kind for reader in READERS for format in reader.formats}
    over = {other for reader in READERS for format in reader.formats for other in format.over}
    assert len(kinds) == sum(len(reader.formats) for reader in READERS) and over <= {*kinds, "*"}


KIND = "@syntax(yaml) kind own_ { x: Int }"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('@syntax(yaml) @recognized("x") kind own_ { x: Int }', "undefined decorator `@recognized`"),
        (f'{KIND}\n@relase(own, "1") entry plan "own" {{ training.steps = own_.x }}', "undefined decorator `@relase`"),
        (f'{KIND}\nentry plan "own" {{ training.micro = own_.x }}', "undefined input"),
        (f'{KIND}\nentry plan "own" {{ training.steps = own_.y }}', "undefined key `own_.y`"),
        (f'{KIND}\nentry plan "own" {{ training.steps = odd.x }}', "undefined format `odd`"),
        (f'{KIND}\nentry plan "own" {{ training.steps = firs(own_.x) }}', "undefined function"),
    ],
)
def test_mistakes_of_a_format_are_told(text: str, message: str) -> None:
    found = importing.mistakes("templates/own/read.plan", text)
    assert [one.code for one in found] == ["E0201"] and message in found[0].message


def test_check_takes_a_format(tmp_path: Path) -> None:
    own = tmp_path / "templates" / "own" / "read.plan"
    own.parent.mkdir(parents=True)
    own.write_text(f'{KIND}\nentry plan "own" {{ training.step = own_.x }}\n', encoding="utf-8")
    assert ["training.step" in one.message for one in api.check(str(own))] == [True]


def test_what_is_kept_between_runs_reads_as_the_texts_do() -> None:
    name, packed, texts = formats.prepared()
    assert (name, texts) == ("readers", formats.texts())
    restored = formats._unpack(marshal.loads(marshal.dumps(packed)))
    assert restored == tuple(formats.reader(*text) for text in texts)
    places = [[str(rule.span) for one in of for rule in one.rules] for of in (restored, READERS)]
    assert places[0] == places[1] and places[0]


def test_an_entry_counts_only_where_there_are_kinds() -> None:
    kind = '@syntax(json) @recognised("a")\nkind mine { a: Int }\n'
    text = kind + '@where(mine, sbtch)\nentry plan "mine" { training.steps = mine.a }\n'
    (problem,) = importing.mistakes("templates/mine/read.plan", text)
    assert problem.code == "E0201" and "sbtch" in problem.message and "sbatch" in problem.hints[0].text


UNREAD = {
    "accelerate.shards", "ds.betas", "hf.max_prompt_length", "hf.unsloth_full", "manifest.processes", "foundry.name",
    "lf.mixed_precision",
    "lf.quantization_method", "mlm.group_query_attention", "mlm.hybrid_layer_pattern", "mlm.multi_latent_attention",
    "mlm.tokenizer", "mlm.tokenizer_model", "mlm.world_size", "bridge.megatron_fsdp", "nemo_rl.dtensor", "openrlhf.sft",
    "openrlhf.together", "swift_megatron.recompute_num_layers",
}  # fmt: skip
"""Keys that say what others say too, or what changes no figure."""


def test_a_key_that_no_formula_reads_would_be_dropped_in_silence() -> None:
    text = "\n".join(one for _, _, one in formats.texts())
    unread = {
        f"{format.kind}.{key}"
        for reader in READERS
        for format in reader.formats
        for key, of in format.keys.items()
        if f"{format.kind}.{key}" not in text and not (format.launchers or "*" in format.ignored)
        if not any(name.startswith("$") for name in of.names)
    }
    assert unread <= UNREAD, unread - UNREAD


def test_every_input_that_a_format_sets_has_a_place_in_the_plan() -> None:
    """`reference.place` was said to be mapped, and written nowhere."""
    kinds = {line.path.partition(".")[0] for reader in READERS for line in reader.lines}
    targets = {reader.folder for reader in READERS}
    assert kinds - {"stack"} - targets - {"read"} <= {*plan_text._BLOCKS}
