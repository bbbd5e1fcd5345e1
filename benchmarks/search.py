"""How fast the exhaustive search is on one core and on two, on a made-up system the size of the cost model.

usage: python benchmarks/search.py [--json]

The system has 5 unknowns and about 600 nodes, nearly all of which depend on all unknowns; half of
the layouts meet the 12 requirements, and two objectives rank them. A layout is a point of the
product of the domains. Each size runs as a process of its own, right after a
`python -c "import sympy"` to which its time is a ratio: digits differ between machines, ratios
hardly. `gain` is the time on one core by that on two; a short search uses one in either case. The
memory is that of all processes on two cores. The exit code is 1 if 10^6 layouts miss 5 s on one
core, if the largest size takes more than twice as long a layout as 10^6 do, if any misses 512 MB,
or if two cores find something else than one.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from attrs import evolve

ROOT = Path(__file__).resolve().parent.parent
SIZES = (6, 10, 16, 25)
UNKNOWNS = 5
NODES = 600
REQUIREMENTS = 12


def made_up_system(size: int):
    """A system over `UNKNOWNS` unknowns with `size` values each, the same on every run."""
    import numpy as np

    from llmplan.solve.vector import evaluate_rows
    from llmplan.source import Source, Span
    from llmplan.system.graph import Graph
    from llmplan.system.system import Condition, Objective, System, Unknown
    from llmplan.units.measure import INT

    span = Span(Source("benchmark", "?"), 0, 1)
    draw = random.Random(1)
    graph = Graph()
    axes = [graph.unknown(i) for i in range(UNKNOWNS)]
    nodes = list(axes)
    while len(graph) < NODES:
        a, b = nodes[-1], draw.choice(nodes[-40:])
        kind = draw.choice(("add", "mul", "div", "min", "max", "ceil", "sqrt", "select", "scale", "scale"))
        if kind == "mul":
            node = graph.add("min", graph.add("mul", a, b), graph.const(1e6))
        elif kind == "div":
            node = graph.add("div", a, graph.add("add", b, draw.choice(axes)))
        elif kind == "ceil":
            node = graph.add("add", graph.add("ceil", graph.add("div", a, b)), draw.choice(axes))
        elif kind == "sqrt":
            node = graph.add("sqrt", graph.add("add", graph.add("abs", a), draw.choice(axes)))
        elif kind == "select":
            node = graph.add("select", graph.add("le", a, b), a, graph.add("add", a, draw.choice(axes)))
        elif kind == "scale":
            node = graph.add("mul", graph.add("add", a, draw.choice(axes)), graph.const(draw.uniform(0.5, 1.5)))
        else:
            node = graph.add(kind, a, graph.add("add", b, draw.choice(axes)))
        nodes.append(node)
    rows = np.random.default_rng(1).integers(1, size + 1, (UNKNOWNS, 4000)).astype(float)
    values = evaluate_rows(graph, nodes, dict(enumerate(rows)))
    judged = nodes[len(nodes) // 3 :: len(nodes) * 2 // 3 // REQUIREMENTS][:REQUIREMENTS]
    low, high = 0.0, 1.0
    for _ in range(20):
        part = (low + high) / 2
        holds = np.all([values[n] <= np.quantile(values[n], part) for n in judged], axis=0)
        low, high = (part, high) if holds.mean() < 0.5 else (low, part)
    conditions = []
    for node in judged:
        bound = graph.const(float(np.quantile(values[node], high)))
        conditions.append(Condition(f"c{node}", graph.add("le", node, bound), "plan", node, bound, "le", None, span))
    domain = tuple(float(value) for value in range(1, size + 1))
    unknowns = tuple(
        Unknown(f"u{i}", INT, domain, 1.0, float(size), (), "", None, False, span) for i in range(UNKNOWNS)
    )
    objectives = (Objective(nodes[-1], 1, "last", span, True), Objective(nodes[-9], -1, "before", span, True))
    return System(graph, unknowns, tuple(conditions), (), objectives)


def measure(size: int, cores: int) -> dict[str, Any]:
    """Solves one size in this process and its helpers."""
    from llmplan.solve import workers
    from llmplan.solve.passes import solve
    from llmplan.system.evaluate import ancestors

    workers.cores = lambda: cores
    system = made_up_system(size)
    judged = [c.node for c in system.conditions] + [o.node for o in system.objectives]
    started = time.perf_counter()
    outcome = solve(system, keep=5)
    seconds = time.perf_counter() - started
    assert outcome.status == "solved" and outcome.feasible is not None
    used = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {
        "layouts": outcome.considered,
        "nodes": len(ancestors(system.graph, judged)),
        "feasible": outcome.feasible / outcome.considered,
        "seconds": seconds,
        "megabytes": (used[0] + (cores - 1) * used[1]) / 1024,
        "found": repr(evolve(outcome, requirements=())),
    }


def timed(command: list[str]) -> tuple[str, float]:
    """What a command prints and how many seconds it takes."""
    started = time.perf_counter()
    run = subprocess.run(command, check=True, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)})
    return run.stdout, time.perf_counter() - started


def row(size: int) -> dict[str, Any]:
    """One size on one core and on two."""
    reference = timed([sys.executable, "-c", "import sympy"])[1]
    one, two = (
        json.loads(timed([sys.executable, __file__, "--size", str(size), "--cores", str(cores)])[0]) for cores in (1, 2)
    )
    return {
        **{name: one[name] for name in ("layouts", "nodes", "feasible", "seconds")},
        "ratio": one["seconds"] / reference,
        "rate": one["layouts"] / one["seconds"],
        "two_cores": two["seconds"],
        "gain": one["seconds"] / two["seconds"],
        "megabytes": max(one["megabytes"], two["megabytes"]),
        "same": one["found"] == two["found"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Times the search as ratios to importing sympy.")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--size", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--cores", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.size:
        print(json.dumps(measure(options.size, options.cores)))
        return 0
    rows = [row(size) for size in SIZES]
    if options.json:
        print(json.dumps(rows, indent=2))
    else:
        print("   layouts  nodes  feasible  seconds   ratio   layouts/s  two cores  gain    MB")
        for found in rows:
            print(
                f"{found['layouts']:>10,}{found['nodes']:>7}{found['feasible']:>10.0%}{found['seconds']:>9.3f}"
                f"{found['ratio']:>8.2f}{found['rate']:>12,.0f}{found['two_cores']:>11.3f}{found['gain']:>6.2f}"
                f"{found['megabytes']:>6.0f}" + ("" if found["same"] else "  not the same")
            )
    million = next(found for found in rows if found["layouts"] >= 10**6)
    growth = million["rate"] / rows[-1]["rate"]
    slow = million["seconds"] > 5 or growth > 2
    return int(slow or any(found["megabytes"] > 512 or not found["same"] for found in rows))


if __name__ == "__main__":
    sys.exit(main())
