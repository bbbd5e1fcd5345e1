"""What the files of a plan say, each read back by a reader of its own, and where they differ from `solution.json`.

A reader gives facts by name: a value, or a `frozenset` of values of which a file cannot say more. `launch.sh` is not
read but run, under launchers that tell how they were called.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping
from math import isclose
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.emit.called import arguments

Facts = dict[str, Any]
"""Values by what they are called here; None is not said."""

WITHOUT = frozenset({"fp32", "tf32"})
"""What a file means that switches no 16-bit format on."""

STUB = """#!/usr/bin/env bash
printf '%s\\0' "${0##*/}" "$@" >"$SEEN/arguments"
env -0 >"$SEEN/environment"
"""


def planned(document: Mapping[str, Any]) -> Facts:
    """What the plan says, from `solution.json`."""

    def value(name: str) -> Any:
        return document["quantities"].get(name, {}).get("value")

    gpus, nodes = value("hardware.gpus"), value("hardware.nodes")
    adapted = value("adapter.method") != "none"
    return {
        "ranks": gpus,
        "nodes": nodes,
        "ranks of a node": gpus // nodes,
        "data": value("data_parallel"),
        "micro-batch": value("training.micro_batch"),
        "accumulation": value("grad_accum"),
        "global batch": value("global_batch_sequences"),
        "length": value("dataset.sequence_length"),
        "steps": value("steps"),
        "warm-up": value("training.warmup"),
        "rate": value("training.learning_rate"),
        "decay": value("training.weight_decay"),
        "schedule": value("training.rate_schedule"),
        "lowest": value("training.lowest_rate"),
        "beta2": value("training.beta2"),
        "momentum": value("training.momentum"),
        "clipping": value("training.gradient_clipping"),
        "saved every": value("checkpoint_interval_steps"),
        "precision": value("training.precision"),
        "wire": value("parallelism.communication_dtype"),
        "gradients": value("training.gradient_dtype"),
        "stage": value("parallelism.zero_stage"),
        "tensor": value("parallelism.tensor"),
        "pipeline": value("parallelism.pipeline"),
        "chunks": value("parallelism.virtual_pipeline"),
        "context": value("parallelism.context"),
        "expert": value("parallelism.expert"),
        "replicas": value("parallelism.replicas"),
        "second copy": value("memory.group_ranks") if value("parallelism.second_copy") else 1,
        "offload": value("parallelism.offload"),
        "optimizer": value("training.optimizer"),
        "recompute": value("training.recompute"),
        "recomputed layers": value("training.recompute_layers"),
        "adapter": value("adapter.method"),
        "rank": value("adapter.rank") if adapted else None,
    }


_SCHEDULES = {
    "WarmupCosineLR": "cosine", "WarmupDecayLR": "linear", "cosine": "cosine", "cosine_with_min_lr": "cosine",
    "linear": "linear", "constant_with_warmup": "constant", "warmup_stable_decay": "wsd",
}  # fmt: skip


def deepspeed(config: Mapping[str, Any]) -> Facts:
    """A configuration of DeepSpeed; `"auto"` is what the Trainer says."""
    zero, rate = config["zero_optimization"], config.get("optimizer", {}).get("params", {})
    course = config.get("scheduler", {}).get("params", {})
    found = {
        "micro-batch": config["train_micro_batch_size_per_gpu"],
        "accumulation": config["gradient_accumulation_steps"],
        "clipping": config["gradient_clipping"],
        "precision": next((name for name in ("bf16", "fp16") if config.get(name, {}).get("enabled")), WITHOUT),
        "wire": config["communication_data_type"],
        "gradients": config.get("data_types", {}).get("grad_accum_dtype"),
        "stage": zero["stage"],
        "tensor": config.get("tensor_parallel", {}).get("autotp_size", 1),
        "context": config.get("sequence_parallel_size", 1),
        "second copy": zero.get("zero_hpz_partition_size", 1),
        "offload": {
            (False, False): "none",
            (True, False): "optimizer",
            (False, True): "parameters",
            (True, True): "all",
        }["offload_optimizer" in zero, "offload_param" in zero],
        "optimizer": config.get("optimizer", {}).get("type", "").lower() or None,
        "rate": rate.get("lr"),
        "decay": rate.get("weight_decay"),
        "steps": course.get("total_num_steps"),
        "warm-up": course.get("warmup_num_steps"),
        "schedule": _SCHEDULES.get(config.get("scheduler", {}).get("type", "")),
        "lowest": course.get("cos_min_ratio"),
        "beta2": rate["betas"][1] if isinstance(rate.get("betas"), list) else None,
        "momentum": rate.get("momentum"),
    }
    if "warmup_max_lr" in course:
        assert course["warmup_max_lr"] == rate["lr"]
    return {name: None if value == "auto" else value for name, value in found.items()}


def accelerate(text: str) -> Facts:
    file = yaml.safe_load(text)
    found = {"ranks": file["num_processes"], "nodes": file["num_machines"]}
    groups = {
        name.removeprefix("parallelism_config_"): size for name, size in file.get("parallelism_config", {}).items()
    }
    if groups:
        sizes = [
            groups.get(name, 1) for name in ("dp_replicate_size", "dp_shard_size", "tp_size", "cp_size", "sp_size")
        ]
        assert _product(sizes) == file["num_processes"], groups
        found |= {"replicas": sizes[0], "tensor": sizes[2], "context": sizes[3] * sizes[4]}
    if "mixed_precision" in file:
        found["precision"] = WITHOUT if file["mixed_precision"] == "no" else file["mixed_precision"]
    sharded = file.get("fsdp_config")
    if sharded is not None:
        found |= _sharded(sharded, "fsdp_")
    elif "deepspeed_config" in file:
        assert file["deepspeed_config"]["deepspeed_config_file"] == "ds_config.json"
        found["stage"] = 3 if file["deepspeed_config"]["zero3_init_flag"] else frozenset({0, 1, 2})
    else:
        found |= {"stage": 0, "offload": "none"}
    return found


def lightning(text: str) -> Facts:
    file = yaml.safe_load(text)
    told = file["trainer"]
    strategy = told["strategy"]
    sharded = strategy["class_path"] == "ModelParallelStrategy"
    if sharded:
        assert strategy["init_args"]["data_parallel_size"] == told["devices"] * told["num_nodes"]
    precisions: dict[str, Any] = {"bf16-mixed": "bf16", "16-mixed": "fp16", "32-true": None if sharded else WITHOUT}
    saved = [one["init_args"]["every_n_train_steps"] for one in told.get("callbacks", [])]
    return {
        "nodes": told["num_nodes"],
        "ranks of a node": told["devices"],
        "accumulation": told["accumulate_grad_batches"],
        "clipping": told.get("gradient_clip_val", 0),
        "steps": told.get("max_steps"),
        "saved every": saved[0] if saved else None,
        "stage": frozenset({2, 3}) if sharded else 0,
        "precision": precisions[told["precision"]],
        "offload": "none",
    }


def pairs(arguments: Mapping[str, Any]) -> Facts:
    """Arguments of a script of TRL that counts pairs of sequences."""
    return trainer({**arguments, "per_device_train_batch_size": 2 * arguments["per_device_train_batch_size"]})


_AXOLOTL = {
    "micro_batch_size": "per_device_train_batch_size",
    "num_epochs": "num_train_epochs",
    "optimizer": "optim",
    "lr_scheduler": "lr_scheduler_type",
    "sequence_len": "max_length",
}


def axolotl(config: Mapping[str, Any]) -> Facts:
    """A configuration of Axolotl: the Trainer's arguments under other names."""
    arguments = {_AXOLOTL.get(name, name): value for name, value in config.items()}
    if "fsdp_config" in arguments:
        sharded = arguments["fsdp_config"]
        arguments["fsdp_config"] = {**sharded, "cpu_offload": sharded["offload_params"]}
    found = trainer({"max_steps": None, **arguments})
    found["adapter"] = config.get("adapter", "none")
    found["rank"] = config["lora_r"] if "adapter" in config else None
    return found


def llamafactory(arguments: Mapping[str, Any]) -> Facts:
    """Arguments of LLaMA-Factory: those of the Trainer, and its own."""
    each = 2 if arguments["stage"] == "dpo" else 1
    found = trainer(
        {
            **{name: value for name, value in arguments.items() if name != "model_name_or_path"},
            "max_steps": arguments.get("max_steps"),
            "max_length": arguments["cutoff_len"],
            "gradient_checkpointing": not arguments["disable_gradient_checkpointing"],
            "per_device_train_batch_size": each * arguments["per_device_train_batch_size"],
        }
    )
    adapted = arguments["finetuning_type"] == "lora"
    found["adapter"] = ("qlora" if arguments.get("quantization_bit") == 4 else "lora") if adapted else "none"
    found["rank"] = arguments["lora_rank"] if adapted else None
    return found


def trainer(arguments: Mapping[str, Any]) -> Facts:
    """Arguments of the Trainer of transformers, or of TRL's script."""
    names = {"adamw_torch": "adamw", "adamw_torch_fused": "adamw", "lion_32bit": "lion"}
    found = {
        "micro-batch": arguments["per_device_train_batch_size"],
        "accumulation": arguments["gradient_accumulation_steps"],
        "clipping": arguments["max_grad_norm"],
        "rate": arguments["learning_rate"],
        "decay": arguments["weight_decay"],
        "steps": arguments["max_steps"],
        "warm-up": arguments["warmup_steps"],
        "saved every": arguments["save_steps"],
        "schedule": _SCHEDULES[arguments["lr_scheduler_type"]],
        "lowest": arguments.get("lr_scheduler_kwargs", {}).get("min_lr_rate"),
        "beta2": arguments["adam_beta2"],
        "momentum": float(arguments["optim_args"].partition("=")[2]) if "optim_args" in arguments else None,
        "length": arguments.get("max_length"),
        "precision": _trainer_precision(arguments),
        "optimizer": names.get(arguments["optim"], arguments["optim"]) if "optim" in arguments else None,
        "recompute": "full" if arguments["gradient_checkpointing"] else None if "fsdp_config" in arguments else "none",
        "tensor": 1,
        "pipeline": 1,
    }
    if "fsdp_config" in arguments:
        found |= _sharded(arguments["fsdp_config"], "")
    elif "deepspeed" in arguments:
        inside = deepspeed(arguments["deepspeed"])
        # What is said twice is the same twice; what only one of both says is said.
        assert all(
            found.get(name) is None or value is None or _same(value, found[name]) for name, value in inside.items()
        ), inside
        found |= {name: value for name, value in inside.items() if value is not None and found.get(name) is None}
    else:
        found |= {"stage": 0, "offload": "none"}
    if "model_name_or_path" in arguments:
        adapted = arguments.get("use_peft", False)
        found["adapter"] = ("qlora" if arguments.get("load_in_4bit") else "lora") if adapted else "none"
        found["rank"] = arguments["lora_r"] if adapted else None
    return found


def _trainer_precision(arguments: Mapping[str, Any]) -> Any:
    on = [name for name in ("bf16", "fp16", "tf32") if arguments.get(name)]
    assert len(on) <= 1, on
    return on[0] if on else "fp32"


def _sharded(config: Mapping[str, Any], prefix: str) -> Facts:
    """FSDP, of Accelerate or of the Trainer."""
    if config.get(f"{prefix}fsdp_version", config.get("fsdp_version")) == 1:
        strategy = config[f"{prefix}sharding_strategy"]
        stage: Any = {"FULL_SHARD": 3, "HYBRID_SHARD": 3, "SHARD_GRAD_OP": 2, "HYBRID_SHARD_ZERO2": 2}[strategy]
    else:
        stage = 3 if config[f"{prefix}reshard_after_forward"] else frozenset({2, 3})
    return {
        "stage": stage,
        "offload": "all" if config.get(f"{prefix}offload_params", config.get("cpu_offload")) else "none",
        "recompute": "full" if config[f"{prefix}activation_checkpointing"] else None,
    }


def megatron(words: list[str]) -> Facts:
    """Arguments of `pretrain_gpt.py`."""
    found: dict[str, Any] = {}
    for word in words:
        if word.startswith("--"):
            name = word
            found[name] = []
        else:
            found[name].append(word)

    def number(name: str, absent: Any = None) -> Any:
        return _number(found[name][0]) if name in found else absent

    formats = [name for name in ("bf16", "fp16") if f"--{name}" in found]
    eight = {"hybrid": "fp8", "e4m3": "mxfp8"}
    layers = number("--num-layers")
    granularity = found.get("--recompute-granularity", ["none"])[0]
    whole = found.get("--recompute-method") == ["uniform"]
    chunks = number("--pipeline-model-parallel-size") * number("--num-virtual-stages-per-pipeline-rank", 1)
    sixteen = formats[0] if formats else "fp32"
    gradients = "fp32" if "--fp16" not in found or "--accumulate-allreduce-grads-in-fp32" in found else "fp16"
    return {
        "micro-batch": number("--micro-batch-size"),
        "global batch": number("--global-batch-size"),
        "length": number("--seq-length"),
        "steps": number("--train-iters"),
        "warm-up": number("--lr-warmup-iters"),
        "rate": number("--lr"),
        "decay": number("--weight-decay"),
        "clipping": number("--clip-grad"),
        "schedule": found["--lr-decay-style"][0].lower(),
        "beta2": number("--adam-beta2", None),
        "momentum": number("--sgd-momentum", None),
        "saved every": number("--save-interval"),
        "precision": eight[found["--fp8-format"][0]] if "--fp8-format" in found else formats[0] if formats else "tf32",
        "gradients": sixteen if "--grad-reduce-in-bf16" in found else gradients,
        "stage": 1 if "--use-distributed-optimizer" in found else 0,
        "tensor": number("--tensor-model-parallel-size"),
        "pipeline": number("--pipeline-model-parallel-size"),
        "chunks": number("--num-virtual-stages-per-pipeline-rank", 1),
        "context": number("--context-parallel-size"),
        "expert": number("--expert-model-parallel-size", 1),
        "replicas": number("--num-distributed-optimizer-instances", 1),
        "offload": "optimizer" if "--optimizer-cpu-offload" in found else "none",
        "optimizer": {"adam": "adamw"}.get(*2 * found["--optimizer"]),
        "recompute": granularity,
        "recomputed layers": None
        if granularity != "full"
        else layers
        if whole
        else chunks * number("--recompute-num-layers"),
        "adapter": "none",
    }


def bridge(text: str) -> Facts:
    """The configuration that is laid over a recipe of Megatron-Bridge."""
    file = yaml.safe_load(text)
    model, train, rate, formats = (file[name] for name in ("model", "train", "optimizer", "mixed_precision"))
    assert model["seq_length"] == file["dataset"]["seq_length"]
    assert file["scheduler"]["start_weight_decay"] == file["scheduler"]["end_weight_decay"] == rate["weight_decay"]
    assert file["ddp"]["use_distributed_optimizer"] == rate["use_distributed_optimizer"]
    sixteen = next(name for name in ("bf16", "fp16", "fp32") if formats.get(name))
    eight = {"hybrid": "fp8", "e4m3": "mxfp8"}
    virtual = model.get("virtual_pipeline_model_parallel_size", 1)
    granularity = model["recompute_granularity"] or "none"
    each = model["pipeline_model_parallel_size"] * virtual * model.get("recompute_num_layers", 0)
    return {
        "micro-batch": train["micro_batch_size"],
        "global batch": train["global_batch_size"],
        "length": model["seq_length"],
        "steps": train["train_iters"],
        "warm-up": file["scheduler"]["lr_warmup_iters"],
        "rate": rate["lr"],
        "decay": rate["weight_decay"],
        "lowest": rate["min_lr"] / rate["lr"],
        "clipping": rate["clip_grad"],
        "schedule": file["scheduler"]["lr_decay_style"].lower(),
        "beta2": rate.get("adam_beta2"),
        "momentum": rate.get("sgd_momentum"),
        "saved every": file["checkpoint"].get("save_interval"),
        "precision": eight[formats["fp8"]] if "fp8" in formats else {"fp32": "tf32"}.get(sixteen, sixteen),
        "gradients": "fp32" if formats["grad_reduce_in_fp32"] else sixteen,
        "stage": 1 if rate["use_distributed_optimizer"] else 0,
        "tensor": model["tensor_model_parallel_size"],
        "pipeline": model["pipeline_model_parallel_size"],
        "chunks": virtual,
        "context": model["context_parallel_size"],
        "expert": model.get("expert_model_parallel_size", 1),
        "replicas": file["ddp"]["num_distributed_optimizer_instances"],
        "offload": "optimizer" if rate.get("optimizer_cpu_offload") else "none",
        "optimizer": {"adam": "adamw"}.get(rate["optimizer"], rate["optimizer"]),
        "recompute": granularity,
        "recomputed layers": None
        if granularity != "full"
        else model["num_layers"]
        if model["recompute_method"] == "uniform"
        else each,
        "adapter": "none",
    }


def torchtitan(text: str, written: Mapping[str, str]) -> Facts:
    """The configuration of torchtitan; its layers stand in the module of the model."""
    file = pytest.importorskip("tomllib").loads(text)  # since Python 3.11
    layout, train, again = file["parallelism"], file["training"], file["activation_checkpoint"]
    degrees = {name: layout[f"{name}_parallel_degree"] for name in ("tensor", "pipeline", "context")}
    data = layout["data_parallel_replicate_degree"] * layout["data_parallel_shard_degree"]
    formats = [name.rpartition(".")[2] for name in file["model"]["converters"]]
    plain = WITHOUT if train["mixed_precision_param"] == "float32" else "bf16"
    pipeline = degrees["pipeline"] > 1
    micro = layout["pipeline_parallel_microbatch_size"] if pipeline else train["local_batch_size"]
    every = again.get("selective_ac_option", "op")
    (layers,) = re.findall(r"n_layers=(\d+)", written["torchtitan_model.py"])
    return {
        **degrees,
        "ranks": data * _product([*degrees.values()]),
        "data": data,
        "replicas": layout["data_parallel_replicate_degree"],
        "expert": layout["expert_parallel_degree"],
        "stage": 3 if layout["fsdp_reshard_after_forward"] == "always" else None,
        "micro-batch": micro,
        "accumulation": train["local_batch_size"] // micro
        if pipeline
        else train["global_batch_size"] // (micro * data),
        "global batch": train["global_batch_size"],
        "length": train["seq_len"],
        "steps": train["steps"],
        "clipping": train["max_norm"],
        "offload": "all" if train["enable_cpu_offload"] else "none",
        "precision": {"float8": "fp8", "mx": "mxfp8"}[formats[0]] if formats else plain,
        "wire": "fp32",
        "recompute": again["mode"] if every == "op" else "full",
        "recomputed layers": int(layers) // int(every)
        if every != "op"
        else int(layers)
        if again["mode"] == "full"
        else None,
        "optimizer": file["optimizer"]["name"].lower(),
        "rate": file["optimizer"]["lr"],
        "decay": file["optimizer"]["weight_decay"],
        "warm-up": file["lr_scheduler"]["warmup_steps"],
        "saved every": file["checkpoint"].get("interval"),
        "lowest": file["lr_scheduler"].get("min_lr_factor"),
        "beta2": file["optimizer"]["beta2"],
        "adapter": "none",
    }


def torchtitan_in_python(text: str, written: Mapping[str, str]) -> Facts:
    """The configuration of torchtitan 0.3; its layers stand in the module of the model."""
    given = arguments(text)
    train, layout = (
        {path.removeprefix(f"{table}."): value for path, value in given.items() if path.startswith(f"{table}.")}
        for table in ("training", "parallelism")
    )
    degrees = {name: layout[f"{name}_parallel_degree"] for name in ("tensor", "pipeline", "context")}
    data = layout["data_parallel_replicate_degree"] * layout["data_parallel_shard_degree"]
    pipeline = degrees["pipeline"] > 1
    micro = layout["pipeline_parallel_microbatch_size"] if pipeline else train["local_batch_size"]
    formats = given.get("model_spec.converters") or []
    plain = WITHOUT if train["mixed_precision_param"] == "float32" else "bf16"
    again = {"FullAC": "full", "SelectiveAC": "selective"}.get((given["activation_checkpoint"] or [""])[0], "none")
    layers = arguments(written["torchtitan_model.py"])["layers.n_layers"]
    optimizer = given["optimizer.param_groups.optimizer_kwargs"]
    return {
        **degrees,
        "ranks": data * _product([*degrees.values()]),
        "data": data,
        "replicas": layout["data_parallel_replicate_degree"],
        "expert": layout["expert_parallel_degree"],
        "stage": 3 if layout["fsdp_reshard_after_forward"] == "always" else None,
        "micro-batch": micro,
        "accumulation": train["local_batch_size"] // micro
        if pipeline
        else train["global_batch_size"] // (micro * data),
        "global batch": train["global_batch_size"],
        "length": train["seq_len"],
        "steps": train["steps"],
        "clipping": train["max_norm"],
        "offload": "all" if train["enable_cpu_offload"] else "none",
        "precision": {"Float8LinearConverter": "fp8", "MXFP8LinearConverter": "mxfp8"}[formats[0]]
        if formats
        else plain,
        "wire": "fp32",
        "recompute": again,
        "recomputed layers": layers if again == "full" else None,
        "optimizer": given["optimizer.param_groups.optimizer_name"].lower(),
        "rate": optimizer["lr"],
        "decay": optimizer["weight_decay"],
        "warm-up": given["lr_scheduler.warmup_steps"],
        "saved every": given.get("checkpoint.interval"),
        "lowest": given.get("lr_scheduler.min_lr_factor"),
        "beta2": optimizer["betas"][1],
        "adapter": "none",
    }


def slurm(text: str) -> Facts:
    given = dict(re.findall(r"^#SBATCH --([\w-]+)=(\S+)$", text, re.MULTILINE))
    return {"nodes": int(given["nodes"]), "ranks of a node": int(given["gpus-per-node"])}


def kubernetes(text: str, written: Mapping[str, str]) -> Facts:
    """The job, which holds all other files as they are."""
    job = yaml.safe_load(text)
    if job["kind"] == "TrainJob":
        pod = job["spec"]["trainer"]
        nodes, each = pod["numNodes"], pod["numProcPerNode"]
        counts = [*pod["resourcesPerNode"]["limits"].values()]
    else:
        replicas = job["spec"]["pytorchReplicaSpecs"]
        (pod,) = replicas["Master"]["template"]["spec"]["containers"]
        nodes, each = sum(one["replicas"] for one in replicas.values()), int(job["spec"]["nprocPerNode"])
        counts = [*pod["resources"]["limits"].values()]
    assert counts == [each]
    holds(pod["args"][0].replace("$$", "$"), written)
    return {"nodes": nodes, "ranks of a node": each}


def skypilot(text: str, written: Mapping[str, str]) -> Facts:
    """The task, which holds all other files as they are."""
    task = yaml.safe_load(text)
    holds(task["run"], written)
    return {"nodes": task["num_nodes"], "ranks of a node": int(task["resources"]["accelerators"].rpartition(":")[2])}


def holds(script: str, written: Mapping[str, str]) -> None:
    """Asserts that a script writes the other files where it is started, as they are."""
    held = dict(
        re.findall(r"""^cat >"\$here"/([\w.]+) <<'(?:END-\w+)'\n(.*?)\nEND-\w+$""", script, re.MULTILINE | re.DOTALL)
    )
    here = {"job.sbatch", "k8s.yaml", "sky.yaml", "report.md", "solution.json"}
    expected = {
        name: content.rstrip("\n")
        for name, content in written.items()
        if name not in here and not name.endswith(".svg")
    }
    assert {name: text for name, text in held.items() if name in expected} == expected


def launched(text: str, written: Mapping[str, str], folder: Path) -> Facts:
    """`launch.sh`, run on the last node of the plan under stubs."""
    for name in ("torchrun", "accelerate"):
        (folder / name).write_text(STUB)
        (folder / name).chmod(0o755)
    for name, content in written.items():
        (folder / name).write_text(content)
    (nodes,) = re.findall(r"^nodes=(\d+)$", text, re.MULTILINE)
    variables = {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "SEEN": str(folder),
        "NODE_RANK": str(int(nodes) - 1),
        "MASTER_ADDR": "first",
    }
    done = subprocess.run(
        ["bash", "launch.sh", "train.py"], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    program, *words = (folder / "arguments").read_text().split("\0")[:-1]
    said = dict(line.split("=", 1) for line in (folder / "environment").read_text().split("\0")[:-1])
    found: Facts = {}
    for name, variable in VARIABLES.items():
        found[name] = _number(said[variable]) if variable in said else None
    given = {word: words[at + 1] for at, word in enumerate(words[:-1]) if word.startswith("--")}
    if program == "accelerate":
        found |= {"ranks": int(given["--num_processes"]), "nodes": int(given["--num_machines"])}
        assert given["--machine_rank"] == variables["NODE_RANK"]
    else:
        found |= {"nodes": int(given["--nnodes"]), "ranks of a node": int(given["--nproc_per_node"])}
        assert given["--node_rank"] == variables["NODE_RANK"]
    groups = {name: int(said.get(f"PARALLELISM_CONFIG_{name}_SIZE", 1)) for name in ("DP_REPLICATE", "DP_SHARD", "SP")}
    if "ACCELERATE_USE_PARALLELISM_CONFIG" in said:
        assert _product([*groups.values()]) == found["nodes"] * found["ranks of a node"]
        found |= {"replicas": groups["DP_REPLICATE"], "context": groups["SP"]}
    if "ACCELERATE_GRADIENT_ACCUMULATION_STEPS" in said:
        found["accumulation, to Accelerate"] = int(said["ACCELERATE_GRADIENT_ACCUMULATION_STEPS"])
    if found["precision"] is not None or "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE" in said:
        assert (found["precision"] in (None, "tf32")) == ("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE" in said)
    if "megatron.args" in written:
        # What reaches the program is what stands in the file.
        handed = megatron(words[words.index("--num-layers") : -1])
        assert handed == megatron(_words(written["megatron.args"]))
    return found


VARIABLES = {
    "micro-batch": "LLMPLAN_MICRO_BATCH",
    "accumulation": "LLMPLAN_GRAD_ACCUM",
    "length": "LLMPLAN_SEQUENCE_LENGTH",
    "steps": "LLMPLAN_STEPS",
    "precision": "LLMPLAN_PRECISION",
    "recompute": "LLMPLAN_RECOMPUTE",
    "recomputed layers": "LLMPLAN_RECOMPUTE_LAYERS",
    "optimizer": "LLMPLAN_OPTIMIZER",
    "rate": "LLMPLAN_LEARNING_RATE",
    "warm-up": "LLMPLAN_WARMUP_STEPS",
    "decay": "LLMPLAN_WEIGHT_DECAY",
    "clipping": "LLMPLAN_GRADIENT_CLIPPING",
    "schedule": "LLMPLAN_RATE_SCHEDULE",
    "lowest": "LLMPLAN_LOWEST_RATE",
    "beta2": "LLMPLAN_BETA2",
    "momentum": "LLMPLAN_MOMENTUM",
    "saved every": "LLMPLAN_CHECKPOINT_INTERVAL_STEPS",
    "tensor": "LLMPLAN_TENSOR_PARALLEL",
    "context": "LLMPLAN_CONTEXT_PARALLEL",
    "adapter": "LLMPLAN_ADAPTER",
    "rank": "LLMPLAN_ADAPTER_RANK",
    "gradients": "LLMPLAN_TRAINING_GRADIENT_DTYPE",
    "wire": "LLMPLAN_PARALLELISM_COMMUNICATION_DTYPE",
    "stage": "LLMPLAN_PARALLELISM_ZERO_STAGE",
}


def report(text: str) -> Facts:
    """The line that says what is launched; rates are rounded there."""
    (line,) = re.findall(r"^\*\*Launched\*\*: (.*)$", text, re.MULTILINE)
    line = line.replace(",", "").replace("\\", "")
    patterns = {
        "data": r"\bdata ([\d.e+]+)", "stage": r"ZeRO (\d)", "tensor": r"tensor (\d+)", "pipeline": r"pipeline (\d+)",
        "context": r"context (\d+)", "expert": r"expert (\d+)", "chunks": r"chunks a stage (\d+)",
        "micro-batch": r"(\d+) sequences? ×", "accumulation": r"accumulation (\d+)",
        "length": r"sequences of (\d+) token",
        "steps": r"(\d+) steps? ·", "warm-up": r"after (\d+) steps?", "saved every": r"checkpoint every (\d+) steps?",
        "precision": r"; (\w+) · \w+ · recompute", "optimizer": r"; \w+ · (\w+) · recompute",
        "recompute": r"recompute (\w+)",
    }  # fmt: skip
    found = {name: re.search(pattern, line) for name, pattern in patterns.items()}
    return {name: _number(match.group(1)) for name, match in found.items() if match}


def _words(text: str) -> list[str]:
    return [word for line in text.splitlines() if not line.startswith("#") for word in line.split()]


READERS: dict[str, Callable[[str, Mapping[str, str], Path], Facts]] = {
    "ds_config.json": lambda text, written, folder: deepspeed(json.loads(text)),
    "accelerate.yaml": lambda text, written, folder: accelerate(text),
    "training_args.json": lambda text, written, folder: trainer(json.loads(text)),
    "sft.yaml": lambda text, written, folder: trainer(yaml.safe_load(text)),
    "dpo.yaml": lambda text, written, folder: pairs(yaml.safe_load(text)),
    "kto.yaml": lambda text, written, folder: trainer(yaml.safe_load(text)),
    "reward.yaml": lambda text, written, folder: pairs(yaml.safe_load(text)),
    "llamafactory.yaml": lambda text, written, folder: llamafactory(yaml.safe_load(text)),
    "axolotl.yaml": lambda text, written, folder: axolotl(yaml.safe_load(text)),
    "trainer.yaml": lambda text, written, folder: lightning(text),
    "megatron.args": lambda text, written, folder: megatron(_words(text)),
    "bridge.yaml": lambda text, written, folder: bridge(text),
    "bridge_train.py": lambda text, written, folder: {},  # it reads bridge.yaml
    "torchtitan.toml": lambda text, written, folder: torchtitan(text, written),
    "torchtitan_config.py": lambda text, written, folder: torchtitan_in_python(text, written),
    "torchtitan_model.py": lambda text, written, folder: {},
    "llmplan_train.py": lambda text, written, folder: {},  # it reads what launch.sh exports, or torchtitan.toml
    "job.sbatch": lambda text, written, folder: slurm(text),
    "k8s.yaml": lambda text, written, folder: kubernetes(text, written),
    "sky.yaml": lambda text, written, folder: skypilot(text, written),
    "launch.sh": launched,
    "report.md": lambda text, written, folder: report(text),
    "probe.sh": lambda text, written, folder: {},  # it starts launch.sh with fewer steps
    "vllm.yaml": lambda text, written, folder: {},  # of a plan that serves, read by tests/emit/test_vllm.py
    "sglang.yaml": lambda text, written, folder: {},  # the same, by tests/emit/test_engines.py
    "trtllm.yaml": lambda text, written, folder: {},
    "trtllm_serve.sh": lambda text, written, folder: {},
}
"""How each file that says something of a run is read; a target's files are added here."""


def differences(written: Mapping[str, str], folder: Path) -> list[str]:
    """Where a file differs from `solution.json`, and what all training files together must say and do not."""
    plan = planned(json.loads(written["solution.json"]))
    plan["accumulation, to Accelerate"] = plan["accumulation"]
    wrong, said = [], set()
    for file, text in written.items():
        if file == "solution.json" or file.endswith(".svg"):
            continue
        for name, value in READERS[file](text, written, folder).items():
            if value is None:
                continue
            said.add(name) if file != "report.md" else None
            if not _same(value, plan[name]):
                wrong.append(f"{file} says {name} = {value}, the plan {plan[name]}")
    if plan["global batch"] != plan["micro-batch"] * plan["accumulation"] * plan["data"]:
        wrong.append("the batch of the plan is no whole number of micro-batches")
    batch = {"micro-batch"} | ({"global batch"} if "global batch" in said else {"accumulation"})
    always = (
        {"nodes", "steps", "warm-up", "rate", "decay", "clipping", "precision", *batch}
        if "launch.sh" in written
        else set()
    )
    return wrong + [f"no file says {name}" for name in sorted(always - said) if plan[name] is not None]


def _same(value: Any, planned: Any) -> bool:
    if isinstance(value, frozenset):
        return planned in value
    if isinstance(value, (int, float)) and isinstance(planned, (int, float)):
        return isclose(value, planned, rel_tol=1e-11)
    return bool(value == planned)


def _number(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


def _product(sizes: list[int]) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result
