"""The best of a small space is found where all of it is enumerated."""

from __future__ import annotations

import itertools
import random

import pytest

from llmplan import api
from llmplan.backtest.base import Base
from tests.std.answers import number

BASE = Base.of()
GPUS = ("A100-SXM4-80GB", "H100-SXM5-80GB", "H200-SXM-141GB", "B200", "L40S", "MI300X")


def space(seed: int) -> tuple[dict[str, list[str]], dict[str, str], tuple[float, float]]:
    chosen = random.Random(seed)
    opened = {
        "hardware.gpu": chosen.sample(GPUS, 2),
        "serving.tensor": ["1", "2", "4", "8"],
        "serving.concurrency": [str(n) for n in sorted(chosen.sample(range(1, 257), 6))],
    }
    fixed = {
        "model": chosen.choice(("llama-3.1-8b", "qwen3-32b", "llama-3.1-70b")),
        "serving.queries_per_minute": f"{chosen.choice((60, 1000, 5000))} queries",
        "serving.input_tokens": f"{chosen.choice((200, 1000, 6000))} tokens",
        "serving.output_tokens": f"{chosen.choice((50, 300, 1500))} tokens",
        "serving.engine": chosen.choice(("vllm", "sglang")),
    }
    return opened, fixed, (chosen.uniform(0.3, 2), chosen.uniform(0.01, 0.06))


def enumerated(opened, fixed, limits) -> float:
    """The least cost, by formulas alone."""
    best = float("inf")
    for values in itertools.product(*opened.values()):
        point = dict(zip(opened, values))
        point["serving.tensor"] += " GPUs"
        point["serving.concurrency"] += " queries"
        read = BASE.values({**fixed, **point}).number
        held = read("serving.request_cache", "longest")
        feasible = (
            read("serving.ttft") <= limits[0]
            and read("serving.tpot") <= limits[1]
            and read("serving.cache_room") >= held
            and read("model.heads") % read("serving.tensor") == 0
            and read("model.ffn") % read("serving.tensor") == 0
        )
        queued = float(point["serving.concurrency"].split()[0]) > read("serving.most_at_once")
        outside = read("serving.tensor") > read("hardware.link_domain")
        if feasible and not queued and not outside:
            best = min(best, read("serving.cost_per_million_tokens"))
    return best


@pytest.mark.usefixtures("no_advice")
@pytest.mark.quick(4)
@pytest.mark.parametrize("seed", range(20))
def test_the_best_is_that_of_an_enumeration(seed: int) -> None:
    opened, fixed, limits = space(seed)
    text = "\n".join([
        f'model "{fixed["model"]}"',
        f"hardware.gpu = ? in [{', '.join(f'{chr(34)}{name}{chr(34)}' for name in opened['hardware.gpu'])}]",
        *(f"{path} = {value}" for path, value in fixed.items() if path != "model"),
        *(f"{path} = ? in [{', '.join(opened[path])}]" for path in ("serving.tensor", "serving.concurrency")),
        f"require first: serving.ttft <= {limits[0]} s",
        f"require steady: serving.tpot <= {limits[1]} s",
        "minimize serving.cost_per_million_tokens",
    ])  # fmt: skip
    found, best = api.solve("-", text=text + "\n"), enumerated(opened, fixed, limits)
    if found.status == "solved" and not any(one.holds is False for one in found.preferences):
        assert number(found, "serving.cost_per_million_tokens") == pytest.approx(best)
    else:
        assert best == float("inf"), [d.message for d in found.diagnostics]
