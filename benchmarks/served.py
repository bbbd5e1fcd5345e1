"""Published measurements of serving as inputs of plans, for benchmarks/fit_serving.py.

Input: a file of records, one JSON object a line. Output: settings as `--set` takes them, and what was
measured by the library's names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

ENGINES = {"vllm": "vllm", "tensorrt-llm": "tensorrt_llm", "sglang": "sglang"}
DRAWN = 0.9
"""InferenceMAX draws lengths evenly from 0.8 to 1 of what it prints."""

MAXIMUM_LOAD = 1_000_000
"""All requests are queued at once: far more than any cache holds."""

EIGHT = ("fp8", "nvfp4")
RECIPES = "fp8"
"""The cache in TensorRT-LLM's recipes for weights in 8 or 4 bits, where a row does not say it."""

READINGS = {
    "ttft_s": ("ttft", "serving.ttft"),
    "tpot_s": ("tpot", "serving.tpot"),
    "output_tokens_per_s_per_gpu": ("rate", "serving.output_rate_per_gpu"),
    "output_tokens_per_s": ("rate", "serving.output_rate"),
}
"""By the key of a record: a short name, and the quantity."""


@frozen
class Served:
    """A measured point.

    Attributes:
        settings: Inputs by path.
        measured: By quantity, in base units.
    """

    id: str
    group: str
    engine: str
    single: bool
    experts: bool
    settings: Mapping[str, str]
    measured: Mapping[str, float]


def served(path: str | Path) -> Iterator[Served]:
    """The rows of quality A and B whose engine the library has."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if row["quality"] in ("A", "B") and row["framework"] in ENGINES:
                yield Served(
                    row["id"],
                    row["group"],
                    _engine(row),
                    row["batching"] == "single",
                    bool(row["model"]["moe"]),
                    _settings(row),
                    {READINGS[key][1]: value for key, value in row["measured"].items() if key in READINGS and value},
                )


def _engine(row: Mapping[str, Any]) -> str:
    older = row["framework"] == "vllm" and (row.get("framework_version") or "").startswith("0.6")
    return "vllm-0.6" if older else ENGINES[row["framework"]]


def _settings(row: Mapping[str, Any]) -> dict[str, str]:
    parallel, gpus = row["parallel"], row["gpus"]
    drawn = DRAWN if row["group"].startswith("silicon-") else 1
    found = {
        "model": row["model"]["name"],
        "hardware.gpu": row["gpu"],
        "serving.engine": _engine(row),
        "serving.precision": (row.get("quantizer") or "").lower().split("-")[0]
        if row["precision"] == "int4"
        else row["precision"],
        "serving.tensor": f"{gpus // parallel['pp']} GPUs",
        "serving.pipeline": str(parallel["pp"]),
        "serving.attention_data": str(min(parallel.get("attention_dp") or 1, gpus)),
        "serving.input_tokens": f"{max(1, round(drawn * row['isl']))} tokens",
        "serving.output_tokens": f"{max(1, round(drawn * row['osl']))} tokens",
    }
    cache = row.get("kv_precision") or (
        RECIPES if _engine(row) == "tensorrt_llm" and row["precision"] in EIGHT else None
    )
    if cache:
        found["serving.kv_precision"] = cache
    if row["batching"] == "static":
        found["serving.batch"] = f"{row['batch']} queries"
    else:
        found["serving.concurrency"] = f"{row.get('batch') or MAXIMUM_LOAD} queries"
    return found
