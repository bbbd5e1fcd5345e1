"""How long a sweep takes in which every point is itself a search.

usage: python benchmarks/sweep.py [--json]

5 accelerators x 6 sizes of cluster, each with a search over tensor, pipeline, virtual pipeline and context
parallelism, ZeRO stage, micro-batch and recompute. The exit code is 1 if it takes longer than 10 s.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

from llmplan import api

PLAN = """model "llama-2-13b"
dataset {
    tokens = 100B
    sequence_length = 4096
}
parallelism {
    tensor = ?
    pipeline = ?
    virtual_pipeline = ?
    context = ?
    zero_stage = ?
}
training {
    precision = bf16
    global_batch = 1024 sequences
    micro_batch = ?
    recompute = ?
}
minimize time
sweep hardware.gpu in ["A100-SXM4-80GB", "H100-SXM5-80GB", "H200-SXM-141GB", "B200", "MI300X"],
    hardware.gpus in powers(2, 16..512)
"""
LIMIT = 10.0


def main() -> int:
    parser = argparse.ArgumentParser(description="Times a sweep of 30 points with a search at each.")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    started = time.perf_counter()
    table, diagnostics = api.sweep("sweep.plan", text=PLAN)
    seconds = time.perf_counter() - started
    if table is None:
        print("\n".join(found.message for found in diagnostics), file=sys.stderr)
        return 1
    solved = sum(row.status == "solved" for row in table.rows)
    row = {"points": len(table.rows), "solved": solved, "seconds": seconds, "limit": LIMIT}
    if options.json:
        print(json.dumps(row))
    else:
        print(f"{row['points']} points, {solved} with a plan: {seconds:.2f} s (limit {LIMIT:g} s)")
    return int(seconds > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
