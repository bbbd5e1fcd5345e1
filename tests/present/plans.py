"""Plans whose pictures are looked at, and their solutions."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from llmplan import api
from llmplan.answer.schema.solution import Solution

ROOT = Path(__file__).resolve().parents[2]
SEVEN = (ROOT / "plans/llama7b.plan").read_text()
SEVENTY = """model "llama-3-70b"
dataset { tokens = 1T, sequence_length = 8192 }
hardware { gpu = "H100-SXM5-80GB", gpus = 512 }
parallelism { framework = megatron, tensor = ?, pipeline = ?, zero_stage = 1 }
training { precision = bf16, global_batch = 1024 sequences, micro_batch = ?, recompute = ? }
minimize time
"""
LARGE = """model "llama-3.1-405b"
dataset { tokens = 15T, sequence_length = 8192 }
hardware { gpu = "H100-SXM5-80GB", gpus = 16384 }
parallelism { framework = megatron, tensor = 8, pipeline = 16, virtual_pipeline = 1, zero_stage = 1 }
training { precision = bf16, global_batch = 2048 sequences, micro_batch = 1, recompute = none }
require deadline: time <= 120 days
"""
EXPERTS = """model "mixtral-8x7b"
dataset { tokens = 2T, sequence_length = 4096 }
hardware { gpu = "H100-SXM5-80GB", gpus = ? in 64..512 step 64 }
parallelism { framework = megatron, tensor = 1, expert = 8, zero_stage = 1, pipeline = ? in [1, 2, 4] }
training { precision = bf16, global_batch = 1024 sequences, micro_batch = 1, recompute = ? }
require deadline: time <= 60 days
minimize hardware.gpus
"""
CARD = """model "llama-3.2-1b"
dataset { tokens = 1B, sequence_length = 2048 }
hardware { gpu = "RTX-4090", gpus = 1 }
training { precision = bf16, global_batch = 32 sequences, micro_batch = ?, recompute = ?, task = finetune }
require patience: time <= 2 days
"""
ADAPTER = """model "llama-3-8b"
dataset { tokens = 100M, sequence_length = 2048 }
hardware { gpu = "RTX-4090", gpus = 1 }
adapter { method = qlora, rank = 16 }
training { precision = bf16, global_batch = 16 sequences, micro_batch = ?, recompute = full }
"""
INFEASIBLE = """model "llama-2-70b"
dataset { tokens = 1T, sequence_length = 4096 }
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
training { precision = bf16, global_batch = 4M tokens, micro_batch = ? }
require deadline: time <= 3 weeks
require budget: cost <= 200_000 USD
"""
RANGES = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 128 }
training { precision = bf16, global_batch = 4M tokens, micro_batch = ?, recompute = ? }
assume mfu = 30%..40%..55%
require deadline: time <= 45 days
require budget: cost <= 300_000 USD
sweep hardware.gpus in [64, 128, 256]
scenario "H100" { hardware.gpu = "H100-SXM5-80GB" }
"""
OF_PARAMETERS = """model { params = 7B }
dataset.tokens = 1T
hardware { gpu = "A100-SXM4-80GB", gpus = ? }
training.precision = bf16
assume mfu = 45%
require deadline: time <= 30 days
minimize hardware.gpus
"""
ALL = ("deadline.svg", "memory.svg", "ranges.svg", "run.svg", "step.svg")
STAGED = ("deadline.svg", "layout.svg", "memory.svg", "ranges.svg", "run.svg", "stages.svg", "step.svg")
PLANS = {
    "7b": (SEVEN, ALL),
    "70b": (SEVENTY, STAGED[1:]),
    "405b": (LARGE, STAGED),
    "experts": (EXPERTS, STAGED),
    "one card": (CARD, ALL),
    "adapter": (ADAPTER, ALL[1:]),
    "infeasible": (INFEASIBLE, ("memory.svg", "run.svg", "step.svg")),
    "ranges": (RANGES, (*ALL, "sweep.svg")),
    "parameters": (OF_PARAMETERS, ("deadline.svg", "run.svg")),
}
QUICK = "7b"
CASES = [name if name == QUICK else pytest.param(name, marks=pytest.mark.slow) for name in PLANS]


@lru_cache(maxsize=len(PLANS))
def solved(name: str) -> Solution:
    solution = api.solve("-", text=PLANS[name][0], limit=10**7, tables=True)
    assert solution.status != "error", solution.diagnostics
    return solution
