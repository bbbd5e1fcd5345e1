"""Let torchtitan read configurations, build the planned model and split it for one rank of many, without GPUs.

Usage: read_torchtitan.py CASES.json, a list of cases with `folder`, `ranks` and `rank`; one with `reference`, the class
    and the
configuration of transformers, is asked how far both models' logits are apart.

triton, which torchtitan imports and only GPUs need, is replaced by an empty module; ranks are those of a process group
that sends nothing, and tensors have no storage.
"""

import dataclasses
import json
import os
import runpy
import sys
import traceback
import typing
from pathlib import Path

os.environ.update(RANK="0", LOCAL_RANK="0")

import torch
import torch._dynamo
import torch._inductor.compile_fx  # before there seems to be a triton
from stand_ins import empty

empty("triton", "triton.language")
torch._utils._get_available_device_type = lambda: "cpu"  # without any, torchtitan takes it for CUDA

from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import CheckpointWrapper
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor
from torch.testing._internal.distributed.fake_pg import FakeStore
from torchtitan.config import TORCH_DTYPE_MAP, ConfigManager
from torchtitan.distributed import ParallelDims
from torchtitan.protocols import model_converter, train_spec

try:
    import tomllib
except ModuleNotFoundError:
    import tomli as tomllib  # torchtitan needs it there itself


def main() -> None:
    cases = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print(json.dumps([read(case) for case in cases]))


def read(case):
    if "reference" in case:
        return {"apart": apart(Path(case["folder"]), **case["reference"])}
    try:
        torch.distributed.init_process_group("fake", store=FakeStore(), rank=case["rank"], world_size=case["ranks"])
        return seen(Path(case["folder"]), case["ranks"])
    except (Exception, SystemExit) as problem:  # noqa: BLE001 -- whatever it raises is the answer
        return {"error": "".join(traceback.format_exception(problem))[-3000:]}
    finally:
        torch.distributed.destroy_process_group()


def seen(folder, ranks):
    file = folder / "torchtitan.toml"
    config = ConfigManager().parse_args([f"--job.config_file={file}"])
    given = tomllib.loads(file.read_text(encoding="utf-8"))
    runpy.run_path(str(folder / f"{config.experimental.custom_import}.py"))
    layout = config.parallelism
    dims = ParallelDims(
        dp_shard=layout.data_parallel_shard_degree, dp_replicate=layout.data_parallel_replicate_degree,
        cp=layout.context_parallel_degree, tp=layout.tensor_parallel_degree, pp=layout.pipeline_parallel_degree,
        ep=layout.expert_parallel_degree, etp=layout.expert_tensor_parallel_degree, world_size=ranks,
    )  # fmt: skip
    dims.build_mesh()
    spec = train_spec.get_train_spec(config.model.name)
    arguments = spec.model_args[config.model.flavor]
    arguments.update_from_config(config)
    with torch.device("meta"):
        model = spec.model_cls(arguments)
    parameters = {id(p): p.numel() for p in model.parameters()}
    inside = next(iter(model.layers.values()))
    width = inside.feed_forward.w1.weight.shape[0] if hasattr(inside, "feed_forward") else 0
    assert set(config.model.converters) <= set(model_converter._registry_model_converter_cls)
    shared = dims.dp_replicate * dims.dp_shard
    assert config.training.global_batch_size % (config.training.local_batch_size * shared) == 0
    loss = spec.build_loss_fn(config, parallel_dims=dims)
    if dims.pp_enabled:
        assert spec.pipelining_fn is not None
        schedule, parts, *_ = spec.pipelining_fn(
            model, dims, config, torch.device("meta"), arguments, spec.parallelize_fn, loss
        )
        batches, kind = schedule._n_microbatches, type(schedule).__name__
    else:
        parts = [spec.parallelize_fn(model, dims, config)]
        batches, kind = config.training.global_batch_size // (config.training.local_batch_size * shared), ""
    if getattr(arguments, "enable_weight_tying", False):
        # As its `init_weights` does once more, after every table was split by itself.
        parts[0].output.weight = parts[0].tok_embeddings.weight
    sharded = [m for part in parts for m in part.modules() if isinstance(m, FSDPModule)]
    groups = [group for m in sharded if (group := m._get_fsdp_state()._fsdp_param_group)]
    return {
        "wrong": [*wrong(config, given)],
        "arguments": json.loads(json.dumps(dataclasses.asdict(arguments))),
        "parameters": sum(parameters.values()),
        "width": width,
        "layers": [len(part.layers) for part in parts],
        "local": sum(local(p) for p in {id(p): p for part in parts for p in part.parameters()}.values()),
        "dtype": sorted({str(p.dtype) for part in parts for p in part.parameters()}),
        "reduced": sorted({str(group.mp_policy.reduce_dtype) for group in groups}),
        "computed": sorted({str(group.mp_policy.param_dtype) for group in groups}),
        "given_up": all(group.post_forward_mesh_info is not None for group in groups) if groups else None,
        "recomputed": sum(isinstance(m, CheckpointWrapper) for part in parts for m in part.modules()),
        "compiled": sum(isinstance(m, torch._dynamo.OptimizedModule) for part in parts for m in part.modules()),
        "batches": batches,
        "schedule": kind,
        "initial": str(TORCH_DTYPE_MAP[config.training.dtype]),
        "parallelism": dataclasses.asdict(config.parallelism),
        "converters": config.model.converters,
        "training": dataclasses.asdict(config.training),
        "optimizer": dataclasses.asdict(config.optimizer),
        "scheduler": dataclasses.asdict(config.lr_scheduler),
        "checkpoint": dataclasses.asdict(config.checkpoint),
    }


def apart(folder, name, config):
    """The largest difference of logits, with the same weights and tokens, over the largest logit."""
    import transformers

    torch.manual_seed(0)
    kind = getattr(transformers, name)
    reference = kind(kind.config_class(**config, attn_implementation="eager")).eval()
    chosen = ConfigManager().parse_args([f"--job.config_file={folder / 'torchtitan.toml'}"])
    runpy.run_path(str(folder / f"{chosen.experimental.custom_import}.py"))
    spec = train_spec.get_train_spec(chosen.model.name)
    arguments = spec.model_args[chosen.model.flavor]
    arguments.update_from_config(chosen)
    model = spec.model_cls(arguments).eval()
    weights = spec.state_dict_adapter(arguments, None).from_hf(dict(apart_experts(reference.state_dict())))
    missing, more = model.load_state_dict(weights, strict=False)
    assert not more and all(name.endswith(("expert_bias", "freqs_cis", "rope_cache")) for name in missing), (
        missing,
        more,
    )
    torch.histc = lambda counted, histc=torch.histc, **how: histc(counted.float(), **how).to(
        counted.dtype
    )  # on CPU not of whole numbers
    tokens = torch.randint(0, config["vocab_size"], (2, chosen.training.seq_len))
    with torch.no_grad():
        expected = reference(tokens).logits
        return float((model(tokens) - expected).abs().max() / expected.abs().max())


def apart_experts(weights):
    """As checkpoints have them: transformers joins those of a layer."""
    for name, value in weights.items():
        place, _, last = name.rpartition(".experts.")
        if not place:
            yield name, value
            continue
        for at, one in enumerate(value):
            parts = one.chunk(2) if last == "gate_up_proj" else (one,)
            for part, name in zip(parts, last.replace("gate_up_proj", "gate_proj up_proj").split(), strict=True):
                yield f"{place}.experts.{at}.{name}.weight", part


def local(parameter):
    return parameter.to_local().numel() if isinstance(parameter, DTensor) else parameter.numel()


def wrong(config, given, at=""):
    """Keys that torchtitan has changed, and values that it does not name, which it does not look at itself."""
    kinds = typing.get_type_hints(type(config))
    for key, value in given.items():
        found, path = getattr(config, key), f"{at}{key}"
        if dataclasses.is_dataclass(found):
            yield from wrong(found, value, f"{path}.")
        elif found != value or type(found) is not type(value) and not isinstance(value, (int, float)):
            yield path, str(found)
        choices = [
            c
            for k in (kinds[key], *typing.get_args(kinds[key]))
            if typing.get_origin(k) is typing.Literal
            for c in typing.get_args(k)
        ]
        if choices and value not in choices:
            yield path, f"not one of {choices}"


main()
