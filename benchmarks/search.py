"""How fast the exhaustive search is, on a made-up system the size of the cost model.

usage: python benchmarks/search.py [--json]

The system has 5 unknowns and about 600 nodes, nearly all of which depend on all unknowns; half of
the layouts meet the 12 requirements, and two objectives rank them. A layout is a point of the
product of the domains. Each size runs as a process of its own, right after a
`python -c "import sympy"` to which its time is a ratio: digits differ between machines, ratios
hardly. The exit code is 1 if 10^6 layouts miss 5 s or any size misses 512 MB.
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
            node = graph.add(
                "mul", graph.add("add", a, draw.choice(axes)), graph.const(draw.uniform(0.5, 1.5))
            )
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
        conditions.append(
            Condition(f"c{node}", graph.add("le", node, bound), "plan", node, bound, "le", None, span)
        )
    domain = tuple(float(value) for value in range(1, size + 1))
    unknowns = tuple(
        Unknown(f"u{i}", INT, domain, 1.0, float(size), (), "", None, False, span) for i in range(UNKNOWNS)
    )
    objectives = (Objective(nodes[-1], 1, "last", span, True), Objective(nodes[-9], -1, "before", span, True))
    return System(graph, unknowns, tuple(conditions), (), objectives)


def measure(size: int) -> dict[str, float]:
    """Solves one size in this process."""
    from llmplan.solve.solve import solve
    from llmplan.system.evaluate import ancestors

    system = made_up_system(size)
    judged = [c.node for c in system.conditions] + [o.node for o in system.objectives]
    started = time.perf_counter()
    outcome = solve(system)
    seconds = time.perf_counter() - started
    assert outcome.status == "solved" and outcome.feasible is not None
    return {
        "layouts": outcome.considered,
        "nodes": len(ancestors(system.graph, judged)),
        "feasible": outcome.feasible / outcome.considered,
        "seconds": seconds,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Times the search as ratios to importing sympy.")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--size", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.size:
        print(json.dumps(measure(options.size)))
        return 0
    rows = []
    for size in SIZES:
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import sympy"], check=True)
        reference = time.perf_counter() - started
        command = [sys.executable, __file__, "--size", str(size)]
        run = subprocess.run(
            command, check=True, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)}
        )
        row = json.loads(run.stdout)
        rows.append({**row, "ratio": row["seconds"] / reference, "rate": row["layouts"] / row["seconds"]})
    if options.json:
        print(json.dumps(rows, indent=2))
    else:
        print(
            f"{'layouts':>10}{'nodes':>7}{'feasible':>10}{'seconds':>9}{'ratio':>8}{'layouts/s':>12}{'MB':>6}"
        )
        for row in rows:
            print(
                f"{row['layouts']:>10,}{row['nodes']:>7}{row['feasible']:>10.0%}{row['seconds']:>9.3f}"
                f"{row['ratio']:>8.2f}{row['rate']:>12,.0f}{row['megabytes']:>6.0f}"
            )
    million = next(row for row in rows if row["layouts"] >= 10**6)
    return int(million["seconds"] > 5 or any(row["megabytes"] > 512 for row in rows))


if __name__ == "__main__":
    sys.exit(main())
