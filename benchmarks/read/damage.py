"""Whether a record of `cases.jsonl` is one: what its fields hold, before anything is read from them.

Input is a JSON object, output None or what is wrong with it in words. A record may lack fields and have others;
what it has of those that are read must be of the type that is read, and every number must be one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_MOST = 10**15
"""No count in a record is larger: it would be no machine, model or batch."""

_LARGEST, _SMALLEST = 1e100, 1e-100
"""Within these a measured figure can be divided by and summed up."""

_DEPTH = 8


def _text(value: object) -> bool:
    return isinstance(value, str)


def _truth(value: object) -> bool:
    return isinstance(value, bool)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and _counts(value)


def _block(value: object) -> bool:
    return isinstance(value, dict)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_text, value))


def _counts(value: float) -> bool:
    """Whether a number is one that can be computed with."""
    return value == 0 or _SMALLEST <= abs(value) <= _LARGEST  # false of NaN


_KINDS: dict[Callable[[object], bool], str] = {
    _text: "text",
    _truth: "true or false",
    _whole: "a whole number from 0 to 1e15",
    _number: "a number",
    _block: "an object",
    _texts: "a list of texts",
}

_FIELDS: dict[Callable[[object], bool], str] = {
    _text: """
        task precision recompute attention_impl framework_detail gpu quantizer suspect
        model.name model.attention_kind parallel.data_sharding parallel.offload
        measured.memory_kind measured.memory_unit
        settings.adapter.base settings.adapter.method settings.layout.interleaving settings.model_extra.norm
        settings.moe.routing settings.offload.parts settings.reading.kind settings.reading.statistic
        settings.recompute.granularity settings.recompute.method settings.software.attention_kernel
        settings.software.gradient_dtype settings.software.kernels settings.software.loss
        settings.software.master_dtype settings.software.optimizer settings.software.optimizer_dtype
        settings.software.parameter_dtype settings.software.reduce_dtype
        dtypes.parameters dtypes.gradients dtypes.optimizer dtypes.master
    """,
    _truth: """
        oom model.gated_mlp model.tied_embeddings parallel.sequence_parallel
        settings.adapter.embeddings settings.layout.ends_counted_as_layers settings.layout.keep_gathered
        settings.layout.vocab_parallel settings.model_extra.biases settings.model_extra.hybrid_mamba
        settings.software.compiled settings.software.gradient_fusion
    """,
    _whole: """
        seq_len micro_batch global_batch gpus adapter.rank
        model.layers model.hidden model.heads model.kv_heads model.head_dim model.ffn model.vocab
        model.moe.experts model.moe.top_k model.moe.expert_ffn model.moe.shared_experts model.moe.dense_layers
        parallel.tp parallel.pp parallel.vpp parallel.dp parallel.cp parallel.ep
        settings.adapter.rank settings.adapter.trainable_parameters settings.layout.expert_tensor
        settings.layout.first_stage_layers settings.layout.last_stage_layers settings.layout.replicas
        settings.layout.zero_group settings.layout.zero_stage settings.model_extra.dense_layers
        settings.model_extra.prediction_layers settings.model_extra.vocab settings.recompute.layers
        settings.site.gpus_per_node
    """,
    _number: """
        gpu_memory_gb measured.step_time_s measured.tokens_per_s_per_gpu measured.tflops_per_gpu measured.memory_gb
        derived.step_time_s derived.tokens_per_s_per_gpu
        settings.adapter.dropout settings.moe.imbalance settings.offload.optimizer_share
        settings.site.internode_gbit_per_gpu settings.software.dropout
    """,
    _block: """
        adapter model parallel measured derived dtypes settings model.moe settings.stated_by
        settings.adapter settings.layout settings.model_extra settings.model_extra.latent settings.moe
        settings.offload settings.reading settings.recompute settings.site settings.software
    """,
    _texts: "adapter.targets settings.adapter.targets settings.recompute.modules settings.software.stack",
}

_EXPECTED = {path: is_one for is_one, paths in _FIELDS.items() for path in paths.split()}


def damage(case: Mapping[str, Any]) -> str | None:
    """What is wrong with a record, as `measured.memory_gb is NaN, expected a number`; None if nothing is."""
    for path, value in _walk(case, ""):
        is_one = _EXPECTED.get(path) or (_whole if path.startswith("settings.model_extra.latent.") else None)
        if is_one is not None and value is not None and not is_one(value):
            return f"{path} is {_shown(value)}, expected {_KINDS[is_one]}"
    return None


def _walk(block: Mapping[str, Any], path: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Every field of an object and of those in it, with its path."""
    for name, value in block.items():
        inner = f"{path}.{name}" if path else name
        yield inner, value
        if isinstance(value, dict) and depth < _DEPTH:
            yield from _walk(value, inner, depth + 1)


def _shown(value: object) -> str:
    """A few words for any value."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if value != value else "infinite"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**20 else "a very large number"
    return text if len(text) <= 40 else f"{text[:40]}…"
