"""Random plans that software is written for: models, layouts and schedules, and what starts the run."""

from __future__ import annotations

from random import Random

TARGETS = ("accelerate", "axolotl", "deepspeed", "huggingface", "lightning", "llamafactory", "megatron",
           "megatron_bridge", "torchtitan", "trl")  # fmt: skip
_FRAMEWORKS = {
    "accelerate": ("deepspeed", "fsdp", "ddp"),
    "axolotl": ("deepspeed", "fsdp"),
    "deepspeed": ("deepspeed",),
    "huggingface": ("deepspeed", "fsdp", "ddp"),
    "lightning": ("fsdp", "ddp"),
    "llamafactory": ("deepspeed", "ddp"),
    "megatron": ("megatron",),
    "megatron_bridge": ("megatron",),
    "torchtitan": ("torchtitan",),
    "trl": ("deepspeed", "fsdp"),
}
_STAGES = {"ddp": (0,), "deepspeed": (0, 1, 2, 3), "fsdp": (2, 3), "megatron": (0, 1), "torchtitan": (2, 3)}
_WRITTEN = ("accelerate", "deepspeed", "huggingface", "torchtitan")
_STARTS_ITSELF = ("axolotl", "llamafactory", "megatron", "megatron_bridge", "torchtitan", "trl")
_SKY = {"H100-SXM5-80GB": "H100", "A100-SXM4-80GB": "A100-80GB"}
_SOMETIMES = (
    ("learning_rate", ("3e-4", "1e-5", "2.5e-4")),
    ("rate_schedule", ("cosine", "linear", "constant")),
    ("warmup", ("10 steps", "200 steps")),
    ("weight_decay", ("0.1", "0", "0.01")),
    ("beta1", ("0.8",)),
    ("beta2", ("0.95", "0.999")),
    ("epsilon", ("1e-6",)),
    ("gradient_clipping", ("1", "0.5")),
    ("lowest_rate", ("0.1",)),
    ("precision", ("bf16", "fp16")),
    ("optimizer", ("adamw", "sgd")),
    ("checkpoint_interval", ("1 h", "30 min")),
    ("attention", ("flash", "standard")),
)
_SLURM = (
    'partition = "a"', 'account = "b"', 'qos = "n"', 'constraint = "a100&nvlink"', 'exclude = "n-[3,7-9]"',
    'output = "l/%x-%j.out"', "cpus_per_task = 16", "time_limit = 20 h", "signal = 5 minutes", "requeue = false",
    'container = "a.sqsh"',
)  # fmt: skip
_KUBERNETES = (
    "job = pytorch_job", 'namespace = "ns"', "cpus = 32", "memory = 512 GiB", "shared_memory = 64 GiB", 'queue = "q1"',
    'name = "abc"',
)  # fmt: skip
_SKYPILOT = (
    'infra = "aws/us-east-1"', "spot = true", "disk = 500 GB", "fast_network = false", 'image = "docker:a/b:1"',
    'workdir = "w"', 'requirements = "r.txt"', "idle = 10 minutes",
)  # fmt: skip


def random_plan(dice: Random, target: str) -> str:
    """A plan that emits a target, and what starts it on a cluster in four of ten."""
    framework = dice.choice(_FRAMEWORKS[target])
    gpu = dice.choice(list(_SKY))
    gpus = dice.choice([8, 16, 32])
    layout: dict[str, object] = {} if target == "deepspeed" else {"framework": framework}
    layout["zero_stage"] = dice.choice(_STAGES[framework])
    if framework in ("megatron", "torchtitan"):
        layout |= {"tensor": dice.choice([1, 2, 4]), "pipeline": dice.choice([1, 2])}
    if framework == "fsdp" and layout["zero_stage"] == 3 and dice.random() < 0.3:
        layout["replicas"] = dice.choice([2, 4])
    training: dict[str, object] = {
        "global_batch": f"{gpus * dice.choice([2, 4, 8])} sequences",
        "micro_batch": dice.choice([1, 2]),
        "recompute": dice.choice(["full", "none"]),
        **{name: dice.choice(values) for name, values in _SOMETIMES if dice.random() < 0.35},
    }
    written = target in _WRITTEN and dice.random() < 0.3
    if written:  # only the script itself says it, as a word among its code
        training.pop("attention", None)
    model = dice.choice(["llama-2-7b", "llama-3-8b", "mistral-7b-v0.3"])
    return "\n".join(
        [
            f'model "{model}"',
            f"dataset {{ tokens = {dice.choice(['10B', '3B'])}, sequence_length = {dice.choice([2048, 4096])} }}",
            f'hardware {{ gpu = "{gpu}", gpus = {gpus} }}',
            _block("training", training),
            _block("parallelism", layout),
            "waive fits",
            f"emit {', '.join([_target(target, written), *_starter(dice, target, gpu, written)])}",
            "",
        ]
    )


def _block(name: str, fields: dict[str, object]) -> str:
    return f"{name} {{ {', '.join(f'{field} = {value}' for field, value in fields.items())} }}"


def _target(target: str, written: bool) -> str:
    name, options = target, []
    if target in ("huggingface", "trl"):
        name = "huggingface"
        options = ["trainer = trl"] * (target == "trl") + ['dataset = "data"', 'output = "out"']
    elif target == "llamafactory":
        options = ['dataset = "data"', 'template = "llama3"', 'output = "out"']
    elif target == "axolotl":
        options = ['dataset = "data"', 'type = "alpaca"', 'output = "out"']
    options += ["script = written"] * written
    return f"{name} {{ {', '.join(options)} }}" if options else name


def _starter(dice: Random, target: str, gpu: str, written: bool) -> list[str]:
    script = [] if written or target in _STARTS_ITSELF else ['script = "train.py"']
    name, options, more = dice.choice(
        [
            ("slurm", script, _SLURM),
            ("kubernetes", ['image = "a/b:1"', *script], _KUBERNETES),
            ("skypilot", [f'accelerator = "{_SKY[gpu]}"', *script], _SKYPILOT),
            *[("", [], ())] * 4,
        ]
    )
    options = [*options, *(option for option in more if dice.random() < 0.25)]
    return [f"{name} {{ {', '.join(options)} }}"] if options else [name] if name else []
