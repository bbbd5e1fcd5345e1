"""Everything that a plan can leave open, on the real library, as `--set PATH=?` leaves it open.

A discrete answer is compared with every other value tried on its own; a continuous one lies where a
step further makes the plan infeasible; where there is a formula, the answer is what it says.
"""

from __future__ import annotations

import math

import pytest

from llmplan import api
from tests.std.answers import DAY, number, unknown
from tests.thorough import sample

RULES = """model { params = 7B }
dataset.tokens = 1T
hardware {
    gpu  = "A100-SXM4-80GB"
    gpus = 128
}
training.precision = bf16
assume mfu = 40%
let deadline = 30 days
let budget = 300 kUSD
"""

FULL = """model "llama-2-13b"
dataset {
    tokens          = 100B
    sequence_length = 4096
}
hardware {
    gpu  = "H100-SXM5-80GB"
    gpus = 64
}
parallelism { framework = deepspeed, zero_stage = 1 }
training {
    precision    = bf16
    global_batch = 1024 sequences
    micro_batch  = 1
    recompute    = full
}
"""

EXPERTS = FULL.replace("llama-2-13b", "mixtral-8x7b").replace("zero_stage = 1", "zero_stage = 3")

OWN = FULL.replace(
    '"llama-2-13b"', "{ layers = 40, hidden = 5120, heads = 40, ffn = 13824, vocab = 32000, gated_mlp = true }"
)

FLOPS = 6 * 7e9 * 1e12
RATE = 40 / 100 * 312e12
MONTH = 30 * DAY


def solve(text, settings):
    solution = api.solve("-", text=text, settings=list(settings.items()))
    assert solution.status != "error", [d.message for d in solution.diagnostics]
    return solution


def warnings(diagnostics):
    """Codes, but for lets that a question does not use."""
    return [d.code for d in diagnostics if d.severity != "note" and d.code != "W0602"]


CLOSED = {
    "gpus": (
        "require time <= deadline\nminimize hardware.gpus",
        {"hardware.gpus": "?"},
        8 * math.ceil(FLOPS / RATE / MONTH / 8),
    ),
    "gpus one by one": (
        "require time <= deadline\nminimize hardware.gpus",
        {"hardware.gpus": "? in 1..1000"},
        math.ceil(FLOPS / RATE / MONTH),
    ),
    "nodes with gpus": (
        "require time <= deadline\nminimize hardware.nodes",
        {"hardware.nodes": "?", "hardware.gpus": "?"},
        math.ceil(FLOPS / RATE / MONTH / 8),
    ),
    "nodes that set gpus": (
        "require time <= deadline\nminimize hardware.nodes",
        {"hardware.nodes": "? in 1..64", "hardware.gpus": "hardware.nodes * hardware.gpus_per_node"},
        math.ceil(FLOPS / RATE / MONTH / 8),
    ),
    "nodes of known gpus": ("show hardware.nodes", {"hardware.nodes": "?"}, 16),
    "tokens": (
        "require time <= deadline\nmaximize dataset.tokens",
        {"dataset.tokens": "?"},
        128 * RATE * MONTH / 6 / 7e9,
    ),
    "epochs": (
        "require time <= deadline\nmaximize dataset.epochs",
        {"dataset.epochs": "? in 0.1..10"},
        128 * RATE * MONTH / FLOPS,
    ),
    "params": ("require time <= deadline\nmaximize model.params", {"model.params": "?"}, 128 * RATE * MONTH / 6 / 1e12),
    "deadline": ("require time == deadline", {"deadline": "? in 1 day .. 365 days"}, FLOPS / RATE / 128),
    "mfu": ("require time == deadline", {"mfu": "? in 10%..70%"}, FLOPS / 312e12 / 128 / MONTH),
    "peak": (
        "require time <= deadline\nminimize gpu.peak_bf16",
        {"gpu.peak_bf16": "? in 100 TFLOP/s/GPU .. 1000 TFLOP/s/GPU"},
        FLOPS / 0.4 / 128 / MONTH,
    ),
    "price": (
        "require cost <= budget\nmaximize hardware.price",
        {"hardware.price": "? in 1 USD/GPU/hour .. 10 USD/GPU/hour"},
        300e3 / (FLOPS / RATE),
    ),
    "budget": (
        "require cost == budget",
        {"budget": "? in 1 kUSD .. 1 MUSD", "hardware.price": "3 USD/GPU/hour"},
        FLOPS / RATE * 3 / 3600,
    ),
    "params and tokens": (
        "require chinchilla: dataset.tokens == 20 tokens/parameter * model.params\nrequire time == deadline",
        {"model.params": "?", "dataset.tokens": "?"},
        math.sqrt(128 * RATE * MONTH / 120),
    ),
    "tokens and gpus": (
        "require time <= deadline\nmaximize dataset.tokens\nrequire few: hardware.gpus <= 300",
        {"dataset.tokens": "?", "hardware.gpus": "?"},
        296 * RATE * MONTH / 6 / 7e9,
    ),
    "mfu and gpus": (
        "require time <= deadline\nminimize hardware.gpus\nminimize mfu",
        {"mfu": "? in 10%..50%", "hardware.gpus": "?"},
        FLOPS / 312e12 / 104 / MONTH,
    ),
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", sample(CLOSED))
def test_what_a_formula_says(name):
    asked, settings, expected = CLOSED[name]
    solution = solve(RULES + asked + "\n", settings)
    assert solution.status == "solved"
    assert warnings(solution.diagnostics) == []
    path = next(iter(settings))
    assert unknown(solution, path) == pytest.approx(expected, rel=1e-8)
    (found,) = (u for u in solution.unknowns if u.path == path)
    if found.how == "closed form":
        assert found.relation.startswith(f"{path} = ") and found.numbers


BRUTE = {
    "gpu": (
        RULES,
        "minimize cost",
        "hardware.gpu",
        ["A100-SXM4-80GB", "H100-SXM5-80GB", "H200-SXM-141GB"],
        '? in ["A100-SXM4-80GB", "H100-SXM5-80GB", "H200-SXM-141GB"]',
    ),
    "precision": (RULES, "minimize time", "training.precision", ["fp32", "fp16", "bf16"], "? in [fp32, fp16, bf16]"),
    "tensor": (FULL, "minimize time", "parallelism.tensor", [1, 2, 4, 8], "?"),
    "pipeline": (FULL, "minimize memory.total", "parallelism.pipeline", [1, 2, 4, 8, 16, 32, 64], "?"),
    "virtual pipeline": (
        FULL + "parallelism.pipeline = 4\n",
        "maximize memory.total",
        "parallelism.virtual_pipeline",
        [1, 2, 4, 8],
        "?",
    ),
    "context": (FULL, "minimize memory.total", "parallelism.context", [1, 2, 4, 8, 16, 32, 64], "?"),
    "expert": (
        EXPERTS.replace("_stage = 3", "_stage = 1"),
        "require fits: 1 == 1\nminimize memory.total",
        "parallelism.expert",
        [1, 2, 4, 8],
        "?",
    ),
    "ZeRO stage": (FULL, "minimize memory.total", "parallelism.zero_stage", [0, 1, 2, 3], "?"),
    "framework": (
        FULL,
        "minimize memory.total",
        "parallelism.framework",
        ["deepspeed", "fsdp", "megatron", "torchtitan", "ddp"],
        "?",
    ),
    "micro-batch": (FULL, "waive fits_surely\nminimize time", "training.micro_batch", [1, 2, 4, 8, 16, 32, 64], "?"),
    "global batch": (
        FULL,
        "minimize time",
        "training.global_batch",
        ["512 sequences", "1024 sequences", "2048 sequences"],
        "? in [512 sequences, 1024 sequences, 2048 sequences]",
    ),
    "recompute": (FULL, "minimize time", "training.recompute", ["none", "selective", "full"], "?"),
    "offload": (FULL, "minimize memory.total", "parallelism.offload", ["none", "optimizer", "parameters", "all"], "?"),
    "sequence length": (
        FULL,
        "waive fits_surely\nmaximize dataset.sequence_length",
        "dataset.sequence_length",
        [2**k for k in range(10, 18)],
        "? in powers(2, 1024..128Ki)",
    ),
    "layers": (
        OWN + "assume mfu = 40%\n",
        "require time <= 3.6 days\nmaximize model.layers",
        "model.layers",
        [32, 36, 40, 44, 48],
        "? in 32..48 step 4",
    ),
}


FEW = ("recompute",)


@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name not in FEW)) for name in BRUTE])
def test_no_other_value_is_better(name):
    text, asked, path, values, open_ = BRUTE[name]
    text = "\n".join(line for line in text.splitlines() if not line.strip().startswith(f"{path.partition('.')[2]} "))
    solution = solve(f"{text}\n{asked}\n", {path: open_})
    assert solution.status == "solved"
    sense, goal = asked.splitlines()[-1].split()
    sign = 1 if sense == "minimize" else -1
    best, feasible = math.inf, []
    for value in values:
        fixed = solve(f"{text}\n{asked}\n", {path: str(value)})
        if fixed.status == "solved":
            feasible.append(value)
            best = min(best, sign * number(fixed, goal))
    assert sign * number(solution, goal) == pytest.approx(best, rel=1e-9)
    found = unknown(solution, path)
    assert found in [int(str(value).split()[0]) if str(value)[0].isdigit() else value for value in feasible]


EDGES = {
    "memory": (FULL, "waive fits_surely\nminimize gpu.memory", "gpu.memory", "? in 10 GB .. 200 GB", -1),
    "reserve": (
        FULL,
        "waive fits_surely\nmaximize hardware.memory_reserve",
        "hardware.memory_reserve",
        "? in 1 GB .. 79 GB",
        1,
    ),
    "network": (
        FULL,
        "require time <= 8 days\nminimize hardware.internode_bandwidth",
        "hardware.internode_bandwidth",
        "? in 0.01 GB/s/GPU .. 100 GB/s/GPU",
        -1,
    ),
    "memory bandwidth": (
        FULL,
        "require time <= 8 days\nminimize gpu.bandwidth",
        "gpu.bandwidth",
        "? in 100 GB/s .. 10_000 GB/s",
        -1,
    ),
    "tokens in whole steps": (FULL, "require time <= 8 days\nmaximize dataset.tokens", "dataset.tokens", "?", 1),
    "tokens with a layout": (
        FULL.replace("zero_stage = 1", "zero_stage = ?")
        .replace("= full", "= ?")
        .replace("micro_batch  = 1", "micro_batch = ?"),
        "waive fits_surely\nrequire time <= 8 days\nmaximize dataset.tokens",
        "dataset.tokens",
        "?",
        1,
    ),
}
UNITS = {"byte": "bytes", "byte/s/GPU": "byte/s/GPU", "byte/s": "byte/s", "token": "tokens"}


@pytest.mark.quick(1)
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize("name", sample(EDGES))
def test_a_step_further_is_infeasible(name):
    text, asked, path, open_, side = EDGES[name]
    solution = solve(f"{text}{asked}\n", {path: open_})
    assert solution.status == "solved"
    (found,) = (u for u in solution.unknowns if u.path == path)
    assert found.set_by
    unit = UNITS[found.value.unit]
    for step, status in ((1 + 1e-4 * side, "infeasible"), (1 - 1e-4 * side, "solved")):
        value = f"{found.value.value * step:.6f} {unit}"
        assert solve(f"{text}{asked}\n", {path: value}).status == status


@pytest.mark.slow
@pytest.mark.advice
def test_several_at_once_against_each_setting():
    asked = "require time <= deadline\nrequire cap: cost <= budget\nmaximize dataset.tokens\nminimize hardware.gpus\n"
    gpus, kinds = [64, 128, 192, 256], ["A100-SXM4-80GB", "H100-SXM5-80GB"]
    listed = ", ".join(f'"{kind}"' for kind in kinds)
    opened = {"dataset.tokens": "?", "hardware.gpus": "? in 64..256 step 64", "hardware.gpu": f"? in [{listed}]"}
    solution = solve(RULES + asked, opened)
    tried = {
        (count, kind): number(
            solve(RULES + asked, {"dataset.tokens": "?", "hardware.gpus": str(count), "hardware.gpu": kind}),
            "dataset.tokens",
        )
        for count in gpus
        for kind in kinds
    }
    most = max(tried.values())
    assert unknown(solution, "dataset.tokens") == pytest.approx(most, rel=1e-8)
    fewest = min(count for (count, _), tokens in tried.items() if tokens >= most * (1 - 1e-8))
    assert unknown(solution, "hardware.gpus") == fewest
    layouts = [dict(one.settings) for one in solution.alternatives]
    assert len({(one["hardware.gpus"], one["hardware.gpu"]) for one in layouts}) == len(layouts) > 1


def test_what_a_plan_does_not_decide_is_said_before_solving():
    text = RULES + "require time <= deadline\n"
    settings = [("dataset.tokens", "?")]
    assert warnings(api.check("-", text=text, settings=settings)) == ["W0611"]
    for more in ("maximize dataset.tokens\n", "minimize cost\n", "require spent: cost == 100 kUSD\n"):
        assert warnings(api.check("-", text=text + more, settings=settings)) == []


@pytest.mark.parametrize("path", ["hardware.price", "mfu", "deadline", "hardware.gpu", "training.learning_rate"])
def test_what_has_no_domain_is_said_before_solving(path):
    found = api.check("-", text=RULES + "minimize cost\n", settings=[(path, "?")])
    assert [d.code for d in found if d.severity == "error"] == ["E0403"]


@pytest.mark.slow
def test_what_is_offloaded_is_chosen_by_its_time() -> None:
    """A choice that is left open is a choice: each member has a time, and the best is taken."""
    text = (
        'model "llama-3.1-8b"\ndataset { tokens = 100M, sequence_length = 4096 }\ntraining.task = finetune\n'
        'hardware { gpu = "A100-SXM4-40GB", gpus = 8 }\nparallelism { offload = %s, zero_stage = 3 }\nminimize time\n'
    )
    times = {one: api.solve("-", text=text % one).values["time"].value for one in ("none", "optimizer", "all")}
    assert times["none"] != times["optimizer"] and all(isinstance(time, float) for time in times.values())
    chosen = api.solve("-", text=text % "?")
    assert chosen.values["time"].value == min(times.values())
    assert times[str(chosen.values["parallelism.offload"].value)] == min(times.values())
