"""Let Megatron-LM's own parser, checks and classes read arguments for one rank of many, without GPUs.

Usage: read_megatron.py SOURCES CASES.json, a list of cases with `ranks`, `arguments` and `environment`. A case for one
    rank with
`build` has its model built, without memory for it, from Megatron-LM's own modules in place of Transformer Engine's.

What Megatron-LM imports and only GPUs need is replaced: triton by an empty module, the capability of the device by that
of Hopper; of Transformer Engine, once Megatron-LM is imported without it, what is asked of its presence.
"""

import contextlib
import io
import json
import os
import sys
import types
import typing
from pathlib import Path

sources, cases = sys.argv[1:]
sys.path.insert(0, sources)
os.environ.update(RANK="0", LOCAL_RANK="0")

import torch
import torch._dynamo
import torch._inductor.runtime.triton_compat  # it must see that there is no triton
from stand_ins import Anything, empty

empty("triton", "triton.language")
if not hasattr(typing, "override"):
    typing.override = lambda method: method
torch.cuda.get_device_capability = lambda *_: (9, 0)
torch.cuda.current_device = lambda: "meta"
torch.cuda.Stream = Anything
torch.cuda.get_device_properties = lambda *_: types.SimpleNamespace(major=9, minor=0, multi_processor_count=132)

from megatron.core import parallel_state, utils
from megatron.core.models.common.embeddings import rope_utils
from megatron.core.models.gpt import GPTModel
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_decoder_block_spec
from megatron.core.optimizer import OptimizerConfig
from megatron.core.transformer import multi_latent_attention
from megatron.core.transformer.identity_op import IdentityOp
from megatron.core.transformer.moe.router import TopKRouter
from megatron.training.arguments import core_transformer_config_from_args, parse_args, validate_args
from torch.testing._internal.distributed.fake_pg import FakeStore

# Kernels of Transformer Engine, of which only the presence is looked at.
for kernel in ("fused_apply_rotary_pos_emb", "fused_apply_rotary_pos_emb_thd"):
    setattr(rope_utils, kernel, getattr(rope_utils, kernel, None) or Anything())


class FusedAdam:
    """As in Transformer Engine 2.8, whose optimizer keeps states in other formats."""

    def __init__(self, params, master_weight_dtype, exp_avg_dtype, exp_avg_sq_dtype, use_decoupled_grad):
        pass


empty("transformer_engine", "transformer_engine.pytorch", "transformer_engine.pytorch.optimizers")
sys.modules["transformer_engine"].__version__ = "2.8.0"
utils._te_version = utils.PkgVersion("2.8.0")
sys.modules["transformer_engine.pytorch.optimizers"].FusedAdam = FusedAdam

PLAIN = (bool, int, float, str, list, type(None))


def read(case):
    """What Megatron-LM makes of the arguments, and which of them it has changed."""
    os.environ["WORLD_SIZE"] = str(case["ranks"])
    os.environ.pop("CUDA_DEVICE_MAX_CONNECTIONS", None)
    os.environ.update(case["environment"])
    sys.argv = ["pretrain_gpt.py", *case["arguments"]]
    said = vars(parse_args())
    sys.argv = ["pretrain_gpt.py"]
    default = vars(parse_args())
    sys.argv = ["pretrain_gpt.py", *case["arguments"]]
    given = {name: value for name, value in said.items() if value != default[name] and isinstance(value, PLAIN)}
    args = validate_args(parse_args())
    config = core_transformer_config_from_args(args)
    OptimizerConfig(
        **{name: getattr(args, name) for name in OptimizerConfig.__dataclass_fields__ if hasattr(args, name)}
    )
    torch.distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=case["ranks"])
    try:
        parallel_state.initialize_model_parallel(
            args.tensor_model_parallel_size,
            args.pipeline_model_parallel_size,
            args.virtual_pipeline_model_parallel_size,
            context_parallel_size=args.context_parallel_size,
            expert_model_parallel_size=args.expert_model_parallel_size,
            expert_tensor_parallel_size=args.expert_tensor_parallel_size,
            num_distributed_optimizer_instances=args.num_distributed_optimizer_instances,
            create_gloo_process_groups=False,
        )
        model = built(args, config) if case.get("build") else {}
    finally:
        parallel_state.destroy_model_parallel()
        torch.distributed.destroy_process_group()
    seen = {name: value for name, value in vars(args).items() if isinstance(value, PLAIN)}
    seen["built"] = model
    seen["params_dtype"] = str(args.params_dtype)
    seen["gated"] = config.gated_linear_unit
    seen["activation"] = getattr(config.activation_func, "__name__", "")
    # A list of one item becomes that item.
    seen["changed"] = [name for name, value in given.items() if name in seen and seen[name] not in (value, *one(value))]
    return seen


class Scores(torch.nn.Module):
    """What has no parameters, and for heads whose values have another width is Transformer Engine's alone."""

    def __init__(self, **given):
        super().__init__()


def built(args, config):
    """Of the model what it holds, and what its attention and routers are made with."""
    config.perform_initialization = config.moe_grouped_gemm = config.gradient_accumulation_fusion = (
        config.persist_layer_norm
    ) = False
    config.transformer_impl = "local"
    multi_latent_attention.HAVE_TE = False
    block = get_gpt_decoder_block_spec(config, use_transformer_engine=False, normalization=args.normalization)
    for layer in block.layer_specs:
        attention = layer.submodules.self_attention.submodules
        attention.core_attention = Scores
        if (
            config.q_lora_rank is None
        ):  # with Transformer Engine the norms of latents are in the next product, and this is none
            attention.q_layernorm = IdentityOp
    with torch.device("meta"):
        model = GPTModel(
            config,
            block,
            args.padded_vocab_size,
            args.max_position_embeddings,
            share_embeddings_and_output_weights=not args.untie_embeddings_and_output_weights,
            position_embedding_type=args.position_embedding_type,
            rotary_percent=args.rotary_percent,
            rotary_base=args.rotary_base,
        )
    routers = [part for part in model.modules() if isinstance(part, TopKRouter)]
    balancing = [router.expert_bias.numel() for router in routers if router.expert_bias is not None]
    attention = next(part for part in model.modules() if isinstance(part, multi_latent_attention.MultiLatentAttention))
    factors = (
        "scaling_factor",
        "original_max_position_embeddings",
        "beta_fast",
        "beta_slow",
        "mscale",
        "mscale_all_dim",
    )
    return {
        "parameters": sum(one.numel() for one in model.parameters()) + sum(balancing),
        "softmax_scale": attention.softmax_scale,
        "yarn": {name: getattr(attention.rotary_pos_emb, name, None) for name in factors},
    }


def one(value):
    return value if isinstance(value, list) and len(value) == 1 else []


def tried(case):
    """The same; what it raised under `error`."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return read(case)
    except (Exception, SystemExit) as error:  # noqa: BLE001 -- whatever it raises is the answer
        return {"error": f"{type(error).__name__}: {error}"}


print(json.dumps([tried(case) for case in json.loads(Path(cases).read_text(encoding="utf-8"))], default=str))
