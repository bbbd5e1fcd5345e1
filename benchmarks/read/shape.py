"""The model of a measured run as inputs of a plan: its sizes, biases, experts and latent attention."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.read.record import Inexpressible, Record, Settings, texts
from benchmarks.read.stacks import megatron_deepspeed

GPT2_VOCABULARY = 50_257
"""Of the tokenizer with which GPT is trained in Megatron, also under DeepSpeed, where nothing else is said."""

_USUAL_HEADS = (128, 100, 96, 80, 64, 1)


def shape(record: Record, knows: Callable[[str, str], bool]) -> Settings:
    """The inputs of `model`.

    Args:
        knows: See `benchmarks.read.case.settings`.

    Raises:
        Inexpressible: if a size that matters is not stated, or the model is not a plain transformer.
    """
    model = record.model
    for name in ("layers", "hidden"):
        if model.get(name) is None:
            raise Inexpressible(f"the model's {name} is not stated")
    if record.said("model_extra.hybrid_mamba"):
        raise Inexpressible("a hybrid Mamba model is not modelled")
    megatron = record.framework == "megatron-lm" or megatron_deepspeed(record)
    vocab = model.get("vocab") or record.said("model_extra.vocab") or (GPT2_VOCABULARY if megatron else None)
    if vocab is None or model.get("ffn") is None:
        raise Inexpressible("the model's vocabulary or feed-forward width is not stated")
    hidden, gated = model["hidden"], bool(model.get("gated_mlp"))
    # Where heads are not stated: as wide as usual. They matter to the core of standard attention alone.
    heads = model.get("heads") or next(hidden // d for d in _USUAL_HEADS if hidden % d == 0)
    stated = record.said("model_extra.biases")
    bias = not gated if stated is None else bool(stated)  # as GPT has them, and Llama has not
    made: dict[str, object] = {
        "model.layers": model["layers"],
        "model.hidden": hidden,
        "model.heads": heads,
        "model.kv_heads": model.get("kv_heads") or heads,
        "model.head_dim": model.get("head_dim") or hidden // heads,
        "model.ffn": model["ffn"],
        "model.gated_mlp": gated,
        "model.vocab": vocab,
        "model.tied_embeddings": bool(model.get("tied_embeddings")),
        "model.norm": record.said("model_extra.norm") or ("rmsnorm" if gated else "layernorm"),
        "model.qkv_bias": bias,
        "model.output_bias": bias,
        "model.mlp_bias": bias,
    }
    if model.get("moe"):
        made |= _experts(record)
    if model.get("attention_kind") == "mla":
        made |= _latents(record, knows)
    predictions = record.said("model_extra.prediction_layers")
    if predictions is not None:
        made["model.prediction_layers"] = predictions
    return texts(made)


def _experts(record: Record) -> dict[str, object]:
    moe = record.model["moe"]
    made = {
        "model.experts": moe["experts"],
        "model.experts_per_token": moe["top_k"],
        "model.expert_ffn": moe["expert_ffn"],
        "model.shared_experts": moe.get("shared_experts") or 0,
        "model.dense_layers": record.said("model_extra.dense_layers") or moe.get("dense_layers") or 0,
    }
    imbalance = record.said("moe.imbalance")
    if record.said("moe.routing") == "forced":  # the router is made to balance
        imbalance = imbalance or 1
    return made | ({"training.expert_imbalance": imbalance} if imbalance else {})


def _latents(record: Record, knows: Callable[[str, str], bool]) -> dict[str, object]:
    """The ranks of latent attention, as stated, else as the catalog's model of that name has them."""
    latent = record.said("model_extra.latent")
    if latent:
        return {f"model.{name}": value for name, value in latent.items()}
    if not knows("model", record.model.get("name") or ""):
        raise Inexpressible("the ranks of latent attention are not stated")
    return {"model": record.model["name"]}
