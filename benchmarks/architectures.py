"""Configurations whose parameters were counted in the modelling code, read and counted by llmplan.

    python benchmarks/architectures.py FILE.jsonl [--all]

Each line of the file is an object with `name`, `config` (a config.json), `total_params` and, where they were counted,
`parts` (parameters by part, which add up to the total). Prints for each whether it is exact by part, refused by name,
or wrong, with the parts that differ; `--all` prints those that are exact as well. Exits 1 if a line is wrong, or is not
read for a reason other than a refusal.
"""

from __future__ import annotations

import argparse
import collections
import json
import tempfile
from pathlib import Path
from typing import Any

from llmplan import api
from llmplan.system.missing import Missing

PARTS = {
    "embedding": "model.params_embedding",
    "attention": "model.params_attention",
    "mixer": "model.params_mixer",
    "mlp": "model.params_mlp",
    "experts": "model.params_experts",
    "router": "model.params_router",
    "norm": "model.params_norms",
    "head": "model.params_head",
    "tower": "tower.params_total",
    "projector": "projector.params_total",
}
MERGED = {"shared": "mlp"}
"""Parts of a line that the library counts with another one."""
REFUSED = "E0209"


def expected(row: dict[str, Any]) -> dict[str, int]:
    """The counts of a line by the library's parts."""
    counts = dict.fromkeys(PARTS, 0) if "parts" in row else {}
    for part, count in row.get("parts", {}).items():
        counts[MERGED.get(part, part)] = counts.get(MERGED.get(part, part), 0) + count
    return counts


def judged(row: dict[str, Any], folder: Path) -> tuple[str, str]:
    """`exact`, `refused`, `wrong` or `not read`, and what there is to say about it."""
    (folder / "config.json").write_text(json.dumps(row["config"]), encoding="utf-8")
    plan = folder / "a.plan"
    plan.write_text('model from "config.json"\nshow model.params_counted\n', encoding="utf-8")
    read = api.analyse(str(plan))
    if read.built is None or read.failed:
        errors = [f"{line.code} {line.message}" for line in read.diagnostics if line.severity == "error"]
        return ("refused" if errors and errors[0].startswith(REFUSED) else "not read"), "; ".join(errors)
    lowering = read.built.lowering

    def counted(quantity: str) -> float | None:
        node = lowering.unknowns.settled(lowering.name(quantity))
        return None if isinstance(node, Missing) else lowering.graph.constant(node)

    pairs = [(part, counted(PARTS[part]) if part in PARTS else None, count) for part, count in expected(row).items()]
    pairs.append(("total", counted("model.params_counted"), row["total_params"]))
    differing = [f"{part} {count} for {truth}" for part, count, truth in pairs if count != truth]
    return ("wrong" if differing else "exact"), "; ".join(differing)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--all", action="store_true", help="print exact lines too")
    options = arguments.parse_args()
    tally: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for line in options.file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            verdict, reason = judged(row, Path(folder))
            tally[verdict] += 1
            if options.all or verdict != "exact":
                print(f"{verdict:9}{row['name']} ({row['config']['model_type']}): {reason or row['total_params']}")
    print(", ".join(f"{count} {verdict}" for verdict, count in tally.most_common()))
    raise SystemExit(1 if tally["wrong"] or tally["not read"] else 0)


if __name__ == "__main__":
    main()
