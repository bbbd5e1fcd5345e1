"""Let `accelerate launch` read its arguments, and print what it would start.

Usage: read_accelerate.py ARGUMENTS OF accelerate launch
"""

import argparse
import json
import os
import sys
import types
from typing import ClassVar

import torch.distributed.run as torchrun
import yaml
from accelerate.commands import launch


class Watched(argparse.Namespace):
    """Arguments that note which of them are read."""

    read: ClassVar[set[str]] = set()

    def __getattribute__(self, name):
        if not name.startswith("__"):
            Watched.read.add(name)
        return super().__getattribute__(name)


def flat(config):
    """Every key of the file by the name of the argument that it sets."""
    keys = {}
    for key, item in config.items():
        if isinstance(item, dict):
            prefix = {"fsdp_config": "fsdp_", "fp8_config": "fp8_", "dynamo_config": "dynamo_"}.get(key, "")
            keys.update({name if name.startswith(prefix) else prefix + name: value for name, value in item.items()})
        else:
            keys[key] = item
    return keys


started = {}


def start(args):
    """Stands in for torchrun."""
    nodes = args.nnodes.partition(":")[0]  # without a number of machines torchrun's "1:1" stays
    started.update(nnodes=int(nodes), nproc_per_node=int(args.nproc_per_node), node_rank=int(args.node_rank))
    note_environment(os.environ)


def start_one(command, env):
    """Stands in for the start of a single process."""
    started.update(nnodes=1, nproc_per_node=1, node_rank=0)
    note_environment(env)
    # They say how many processes there are, which is one here, and nothing has to read them.
    Watched.read |= {"num_processes", "num_machines", "machine_rank"}
    return types.SimpleNamespace(wait=lambda: None, returncode=0)


def note_environment(environment):
    prefixes = ("ACCELERATE_", "FSDP_", "PARALLELISM_")
    started["environment"] = {key: value for key, value in environment.items() if key.startswith(prefixes)}


def validate_and_watch(args, validate=launch._validate_launch_command):
    args, *others = validate(args)
    watched = Watched(**vars(args))
    Watched.read.clear()
    return watched, *others


parser = launch.launch_command_parser()
known = {action.dest for action in parser._actions}
args = parser.parse_args(sys.argv[1:])
with open(args.config_file) as file:
    keys = set(flat(yaml.safe_load(file))) - {"compute_environment", "distributed_type"}
launch._validate_launch_command = validate_and_watch
launch.check_cuda_p2p_ib_support = lambda: True
launch.subprocess.Popen = start_one
torchrun.run = start
launch.launch_command(args)
# Accelerate hands these over without naming them.
Watched.read |= {action.dest for action in torchrun.get_args_parser()._actions}
print(json.dumps({**started, "unknown": sorted(keys - known), "unused": sorted((keys & known) - Watched.read)}))
