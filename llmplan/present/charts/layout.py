"""How the groups of a layout lie over nodes: one replica of the model, GPU by GPU.

Input: the context of a solution. Output: a row a node with its GPUs, each with its pipeline stage and its place in its
tensor group; nothing where a single GPU holds a replica.
"""

from __future__ import annotations

from llmplan.present import names
from llmplan.present.charts.records import Grid
from llmplan.present.context import Context

_ROWS = 8
_WIDEST = 16


def layout(context: Context) -> Grid | None:
    """The chart of the layout."""
    words = context.words
    degrees = [context.number(name) for name in (names.TENSOR, names.CONTEXT, names.PIPELINE, names.DATA_PARALLEL)]
    each, gpus = context.number(names.GPUS_PER_NODE), context.number(names.GPUS)
    tensor, split, pipeline, data = (1 if degree is None else int(degree) for degree in degrees)
    experts = int(context.number(names.EXPERT) or 1) * int(context.number(names.EXPERT_TENSOR) or 1)
    inner = max(tensor * split, experts)  # the ranks that hold a whole stage, experts too
    if inner * pipeline < 2 or not each or not gpus:
        return None
    wide = min(int(each), int(gpus), _WIDEST)
    rows: list[tuple[tuple[int, str], ...]] = []
    labels: list[str] = []
    # Ranks of Megatron-LM and of torch's device meshes: tensor innermost, then context, data, and stages outermost.
    per_stage = max(1, inner // wide)
    for stage in range(pipeline):
        for number in range(per_stage):
            ranks = [(number * wide + place) % inner for place in range(wide)]
            cells = [
                words.rank_of(rank % tensor, rank // tensor % split, split, rank if experts > 1 else None)
                for rank in ranks
            ]
            rows.append(tuple((stage, cell) for cell in cells))
            labels.append(words.node_of(stage * max(1, data * tensor * split // wide) + number, stage, pipeline))
    left = max(0, len(rows) - _ROWS)
    keys = tuple(words.stage_key(stage) for stage in range(min(pipeline, _ROWS))) if pipeline > 1 else ()
    said = [f"{label}: {' '.join(cell for _, cell in row)}" for label, row in zip(labels, rows)]
    return Grid(
        title=words.layout_title(tensor, split, pipeline, experts, data, inner * pipeline),
        alt=words.layout_alt(said[:_ROWS]),
        foot=words.layout_foot(left, pipeline > 1, wide // inner if inner < wide else 1, experts > 1),
        rows=tuple(rows[:_ROWS]),
        labels=tuple(labels[:_ROWS]),
        keys=keys,
    )
