"""What a training script changes only because there is no GPU: gloo instead of nccl, and an optimizer that needs no
compiled kernel.
"""

import torch


def gloo(sharded):
    """Ranks of Accelerate speak by gloo; what shards a model takes them for those of GPUs."""
    import accelerate.state
    from accelerate.utils import DistributedType

    kind = DistributedType.MULTI_GPU if sharded else DistributedType.MULTI_CPU
    accelerate.state.PartialState._prepare_backend = lambda *args, **kwargs: ("gloo", kind)


def deepspeed_as_on_gpus():
    """fp16 where DeepSpeed takes CPUs for too slow, and PyTorch's AdamW where it makes its own."""
    import deepspeed.ops.adam
    import deepspeed.runtime.engine
    from deepspeed.accelerator import get_accelerator
    from deepspeed.runtime.zero.utils import ZERO_SUPPORTED_OPTIMIZERS

    get_accelerator().is_fp16_supported = lambda: True

    class FusedAdam(torch.optim.AdamW):
        def __init__(self, parameters, adam_w_mode=True, **rest):
            assert adam_w_mode
            super().__init__(parameters, **rest)

    deepspeed.ops.adam.FusedAdam = deepspeed.runtime.engine.FusedAdam = FusedAdam
    ZERO_SUPPORTED_OPTIMIZERS.append(FusedAdam)
