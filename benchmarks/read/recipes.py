"""What published performance recipes say where a table of their results leaves it out.

Input is a record of NeMo or Megatron-Bridge, output what `scripts/performance/configs` of Megatron-Bridge has for its
model and accelerator. Only a layout of the kind that the recipe has is looked up, and nothing measured is read.
"""

from __future__ import annotations

from benchmarks.read.record import Record

_EIGHT_BITS = ("fp8", "mxfp8")

_OFFLOADED_LAYERS = {
    # Layers of the model, accelerator, whether products are in 8 bits: `cpu_offloading_num_layers`
    (80, "GB300", False): 30,
    (80, "GB300", True): 20,
    (80, "GB200", False): 20,
    (80, "GB200", True): 40,
    (80, "B200", True): 5,
    (80, "B300", False): 0,
    (80, "B300", True): 0,
    (126, "GB300", False): 40,
    (126, "GB300", True): 10,
    (126, "GB200", True): 95,
}

_RECOMPUTED = {
    # Layers and experts of the model, accelerator: `recompute_modules`
    (36, 128, accelerator): ("layernorm", "moe_act")
    for accelerator in ("H100-SXM-80GB", "B200", "GB200")
}


def offloaded_share(record: Record) -> float | None:
    """Share of the layers whose activations wait on the host in the recipes with Megatron's own FSDP; None where there
    is no recipe."""
    layers = int(record.model["layers"])
    key = (layers, str(record.case.get("gpu")), record.case["precision"] in _EIGHT_BITS)
    return _OFFLOADED_LAYERS[key] / layers if key in _OFFLOADED_LAYERS else None


def recomputed_modules(record: Record) -> tuple[str, ...] | None:
    """Megatron's names of what is recomputed, None where there is no recipe or nothing is."""
    if record.framework != "nemo":
        return None
    experts = int((record.model.get("moe") or {}).get("experts") or 0)
    return _RECOMPUTED.get((int(record.model["layers"]), experts, str(record.case.get("gpu"))))
