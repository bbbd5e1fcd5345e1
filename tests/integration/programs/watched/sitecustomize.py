"""Watch training from inside a process, whatever trains in it: Python imports this as it starts, where PYTHONPATH has
its folder.

What is watched lies below every framework: what PyTorch's dispatcher hands to the ranks' collectives, calls of modules,
and steps of optimizers. After each step a process of a run writes to $WATCHED/rank-N.json

    reduced  by the ranks of a group, and by format, how many numbers it gave to be summed over the group
    gathered by the ranks of a group, how many numbers it got whole of what is split over the group
    batches  by the shape of a micro-batch, as "2x16", how many came to the embedding
    calls    of each layer of the model, in their order, how often it was computed
    squares  of each step the square of the norm of the gradients that this process took it with
"""

import json
import os
from pathlib import Path

if "WATCHED" in os.environ and "LOCAL_RANK" in os.environ:
    import torch
    import torch.distributed as dist
    from torch.nn.modules.module import register_module_forward_pre_hook
    from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    SCALARS = 8  # so many numbers at most are losses, norms and flags
    seen = {"reduced": {}, "gathered": {}, "batches": {}, "calls": [], "squares": []}
    layers = {}

    def group_of(given):
        """The ranks of the group that a collective was called with: an object, or, in the functional ones, its name."""
        for one in given:
            if isinstance(one, torch.ScriptObject):
                try:
                    return dist.get_process_group_ranks(dist.ProcessGroup.unbox(one))
                except RuntimeError:
                    continue  # how to reduce, sum or mean
        return dist.get_process_group_ranks(dist.distributed_c10d._resolve_process_group(given[-1]))

    class Collectives(TorchDispatchMode):
        """Notes what is summed over ranks, and what is gathered."""

        def __torch_dispatch__(self, function, types, given=(), named=None):
            space, _, name = function.name().partition("::")
            if space in ("c10d", "_c10d_functional") and "reduce" in name:
                # Into the first, from the second: as large as what is summed is the larger one.
                numbers = max(
                    ([one for one in tree_leaves(part) if isinstance(one, torch.Tensor)] for part in given[:2]),
                    key=lambda tensors: sum(one.numel() for one in tensors),
                )
                count = sum(one.numel() for one in numbers)
                if count > SCALARS and numbers[0].is_floating_point():  # names of checkpoints are compared in bytes
                    of_group = seen["reduced"].setdefault(",".join(map(str, group_of(given))), {})
                    format = str(numbers[0].dtype).removeprefix("torch.")
                    of_group[format] = of_group.get(format, 0) + count
            elif space == "c10d" and "allgather" in name:
                ranks = ",".join(map(str, group_of(given)))
                whole = sum(one.numel() for one in tree_leaves(given[0]) if isinstance(one, torch.Tensor))
                if whole > SCALARS:
                    seen["gathered"][ranks] = seen["gathered"].get(ranks, 0) + whole
            return function(*given, **(named or {}))

    def note_call(module, given):
        if isinstance(module, torch.nn.Embedding):
            shape = "x".join(map(str, given[0].shape))
            seen["batches"][shape] = seen["batches"].get(shape, 0) + 1
        # A layer that is computed again calls its attention again; hooks of the layer itself may stay outside of that.
        if type(module).__name__.endswith("Attention"):
            at = layers.setdefault(id(module), len(layers))
            seen["calls"] += [0] * (at + 1 - len(seen["calls"]))
            seen["calls"][at] += 1

    def note_gradients(optimizer, given, named):
        gradients = [one.grad for group in optimizer.param_groups for one in group["params"] if one.grad is not None]
        own = [getattr(one, "to_local", lambda one=one: one)() for one in gradients]
        seen["squares"].append(sum(float(one.double().square().sum()) for one in own))

    def write(optimizer, given, named):
        place = Path(os.environ["WATCHED"]) / f"rank-{os.environ['RANK']}.json"
        place.write_text(json.dumps(seen))

    Collectives().__enter__()
    register_module_forward_pre_hook(note_call)
    register_optimizer_step_pre_hook(note_gradients)
    register_optimizer_step_post_hook(write)
