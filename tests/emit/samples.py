"""Solutions made by hand, so that the stage is tested without the ones before it."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from llmplan.answer.schema.advice import Assumed
from llmplan.answer.schema.requirements import Compared, RequirementResult, Sides
from llmplan.answer.schema.solution import ObjectiveResult, Solution
from llmplan.answer.schema.values import Citation, Origin, SolvedUnknown, Value
from llmplan.check.program import EmitTarget
from llmplan.present.blocks import plain
from llmplan.present.context import Context
from llmplan.present.sentence import sentences
from llmplan.present.words import words_of
from llmplan.units.amount import Amount
from llmplan.units.measure import Scalar
from tests.amounts import amount, between

PLAN = "plans/llama7b.plan"


def value(name: str, number: Scalar, text: str = "", unit: str | None = "", line: int = 0, **more: Any) -> Value:
    layer = more.pop("layer", "formula" if "formula" in more else "plan")
    place = more.pop("place", f"{PLAN}:{line}" if line else "plans/std/kinds.plan:10")
    more.setdefault("role", "quantity" if "formula" in more else "input")
    return Value(
        name=name,
        amount=Amount(None) if number is None else amount(text or str(number), number),
        unit=None if isinstance(number, (str, bool)) else unit,
        origin=Origin(layer, place, ""),
        **more,
    )


OPTIONS: dict[str, Scalar] = {
    "accelerate.script": "own",
    "deepspeed.script": "own",
    "deepspeed.writes": False,
    "deepspeed.optimizer": True,
    "deepspeed.overlap_comm": True,
    "deepspeed.reduce_bucket_size": 500_000_000,
    "deepspeed.allgather_bucket_size": 500_000_000,
    "deepspeed.stage3_prefetch_bucket_size": 50_000_000,
    "deepspeed.stage3_param_persistence_threshold": 100_000,
    "deepspeed.stage3_max_live_parameters": 1_000_000_000,
    "deepspeed.stage3_max_reuse_distance": 1_000_000_000,
    "launch.interface": "",
    "launch.restarts": 0,
    "launch.run_name": "",
    "launch.log_to": "none",
    "launch.logs": True,
    "launch.writes": False,
    "launch.by_trainer": False,
    "launch.by_epochs": False,
    "report.pictures": "svg",
    "report.language": "en",
}
"""Options of targets."""


def options(**given: Scalar) -> list[Value]:
    """Options of DeepSpeed that a plan gives."""
    return [value(f"deepspeed.{name}", one, line=31) for name, one in given.items()]


def values() -> dict[str, Value]:
    gb = 1e9
    std = "plans/std/memory.plan"
    listed = [
        value("model", "llama-7b", line=2),
        value("dataset.tokens", 1e12, "1T tokens", "token", line=5),
        value("dataset.sequence_length", 2048, "2,048 tokens", "token", line=6),
        value("hardware.gpu", "A100-SXM4-80GB", line=10),
        value("gpu.memory", 85.1e9, "85.1 GB", "byte", place="plans/catalog/gpus.plan:30", layer="entry"),
        value("hardware.memory_reserve", 2.553e9, "2.553 GB", "byte", line=12),
        value("hardware.gpus", 88.0, "88 GPUs", "GPU", line=11, layer="solved"),
        value("hardware.gpus_per_node", 8.0, "8 GPUs", "GPU", layer="default"),
        value("hardware.nodes", 11.0, "11 nodes", "node", layer="default", formula="ceil(gpus / gpus_per_node)",
              role="input"),
        value("parallelism.tensor", 1.0, "1", line=15, layer="solved"),
        value("parallelism.pipeline", 1.0, "1", line=16),
        value("parallelism.zero_stage", 2.0, "2", line=17, layer="solved"),
        value("parallelism.offload", "none", layer="default"),
        value("parallelism.framework", "deepspeed", layer="default"),
        value("parallelism.communication_dtype", "bf16", layer="default"),
        value("parallelism.reshard", False, layer="default"),
        value("parallelism.sync_each_batch", True, layer="default"),
        value("parallelism.flat_shards", False, layer="default"),
        value("training.precision", "bf16", line=21),
        value("training.parameter_dtype", "bf16", layer="default"),
        value("training.gradient_dtype", "bf16", layer="default"),
        value("training.optimizer", "adamw", line=22),
        value("optimizer.deepspeed", "AdamW", layer="entry"),
        value("optimizer.deepspeed_own", True, layer="entry"),
        value("training.micro_batch", 4.0, "4 sequences", "sequence", line=24, layer="solved"),
        value("training.recompute", "full", line=25, layer="solved"),
        value("training.learning_rate", 0.0003, "0.0003", layer="default",
              cites=(Citation("arXiv:2302.13971", "table 2"),)),
        value("training.warmup", 2000.0, "2,000 steps", "step", layer="default"),
        value("training.weight_decay", 0.1, "0.1", layer="default"),
        value("training.rate_schedule", "cosine", layer="default"),
        value("training.lowest_rate", 0.1, "10%", layer="default"),
        value("training.beta1", 0.9, "0.9", layer="default"),
        value("training.beta2", 0.95, "0.95", layer="default"),
        value("training.epsilon", 1e-8, "1e-8", layer="default"),
        value("training.momentum", 0.9, "0.9", layer="default"),
        value("training.gradient_clipping", 1.0, "1", layer="default"),
        value("model.params_total", 6738415616.0, "6.738B parameters", "parameter",
              formula="embedding + layers * (a | b)"),
        value("data_parallel", 88.0, "88", formula="hardware.gpus / parallelism.tensor"),
        value("grad_accum", 6.0, "6", formula="max(1, round(…))"),
        value("global_batch_tokens", 4325376.0, "4.325M tokens", "token", formula="…"),
        value("global_batch_sequences", 2112.0, "2,112 sequences", "sequence", formula="…"),
        value("steps", 231194.0, "231,194 steps", "step", formula="ceil(tokens_total / global_batch_tokens)"),
        value("memory.weights", 13.48 * gb, "13.48 GB", "byte", formula="…", place=f"{std}:4"),
        value("memory.gradients", 0.153 * gb, "153.1 MB", "byte", formula="…", place=f"{std}:8"),
        value("memory.optimizer", 0.919 * gb, "918.9 MB", "byte", formula="…", place=f"{std}:12"),
        value("memory.activations", 30.2 * gb, "30.2 GB", "byte", formula="…", place=f"{std}:16"),
        value("memory.logits", 2.1 * gb, "2.1 GB", "byte", formula="…", place=f"{std}:20"),
        value("memory.temporary", 3.3 * gb, "3.3 GB", "byte", formula="…", place=f"{std}:24"),
        value("memory.buffers", 4.0 * gb, "4 GB", "byte", formula="…", place=f"{std}:28"),
        value("memory.context", 3.0 * gb, "3 GB", "byte", formula="…", place=f"{std}:32"),
        value("memory.total", 57.152 * gb, "57.15 GB", "byte", formula="…", place=f"{std}:36"),
        value("mfu", 0.4, "40%", role="assumption", layer="plan", line=30),
        value("time", 2584012.3, "29.91 days", "s", formula="tokens_total / tokens_per_second",
              place="plans/std/time.plan:14", band=between("26.6 .. 35.9 days")),
        value("step_time", 11.18, "11.18 s", "s", formula="…"),
        value("step.compute", 10.0, "10 s", "s", formula="…"),
        value("step.data_comm", 1.18, "1.18 s", "s", formula="…"),
        Value("cost", Amount(None), "USD", "quantity", needs=("hardware.price",), formula="gpu_hours * price"),
        *(value(name, default, layer="default", place=f"templates/{name.partition('.')[0]}/target.plan:5")
          for name, default in OPTIONS.items()),
    ]  # fmt: skip
    return {item.name: item for item in listed}


def solution(**changes: Any) -> Solution:
    """The plan of the README, solved."""
    found = values()

    def unknown(path: str, values: str, below: str = "", above: str = "") -> SolvedUnknown:
        domain = tuple(map(amount, values.split(", ")))
        beside = (amount(text) if text else None for text in (below, above))
        return SolvedUnknown(
            path, found[path], "search", True, False, None, domain, len(domain), None, "", "", None, *beside
        )

    solved = Solution(
        plan=PLAN,
        title="How many A100s train LLaMA-7B on one trillion tokens in 30 days?",
        status="solved",
        unknowns=(
            unknown("hardware.gpus", "8, 16, 24", "80", "96"),
            unknown("parallelism.tensor", "1, 2, 4, 8"),
            unknown("parallelism.zero_stage", "0, 1, 2, 3", "1", "3"),
            unknown("training.micro_batch", "1, 2, 4", "2"),
            unknown("training.recompute", "none, selective, full"),
        ),
        values=found,
        parts={
            "step_time": (("step.compute", "compute"), ("step.data_comm", "data-parallel traffic")),
            "memory.total": tuple(
                (name, name.partition(".")[2])
                for name in found
                if name.startswith("memory.") and name != "memory.total"
            ),
        },
        requirements=(
            RequirementResult(
                "deadline", True, "certain", 7987.7, "time <= 30 days",
                Sides(amount("29.91 days"), "le", amount("30 days")), "", "plan", f"{PLAN}:31",
                chance=0.5061, verdict="tight",
                compared=Compared("time", "le", amount("29.91 days"), amount("30 days"), amount("2.219 hours"), True,
                                  between("26.6 .. 35.9 days")),
            ),
            RequirementResult(
                "fits", True, "certain", 0.79, "chance(memory.total <= gpu.memory - hardware.memory_reserve) >= 20%",
                Sides(amount("99.9%"), "ge", amount("20%")), "a GPU that runs out of memory stops the run", "library",
                "plans/std/memory.plan:40", chance=0.999, verdict="safe",
            ),
            RequirementResult(
                "budget", None, "expected", None, "cost <= 1 MUSD", None, "", "plan", f"{PLAN}:32",
                needs=("hardware.price",),
            ),
        ),
        objectives=(ObjectiveResult("minimize", "hardware.gpus", amount("88 GPUs")),),
        considered=196608,
        feasible=None,
        assumptions=(Assumed("mfu"),),
        emits=(EmitTarget("deepspeed"), EmitTarget("accelerate"), EmitTarget("report")),
        plan_hash="1f2e3d4c5b6a79881f2e3d4c5b6a7988",
        library_hash="00112233445566778899aabbccddeeff",
    )  # fmt: skip
    return evolve(solved, **changes)


def having(base: Solution, *changed: Value, **changes: Any) -> Solution:
    """The solution with other values."""
    merged = {**base.values, **{item.name: item for item in changed}}
    unknowns = tuple(evolve(item, value=merged[item.path]) for item in base.unknowns)
    return evolve(base, values=merged, unknowns=unknowns, **changes)


def emitting(base: Solution, *names: str) -> Solution:
    return evolve(base, emits=tuple(EmitTarget(name) for name in names))


def answer(solution: Solution) -> str:
    """The answer of a solution in a sentence or two, with its verdicts."""
    return " ".join(map(plain, sentences(Context(solution, words_of()))))
