"""Which lists of the catalog there are: the kind whose entries each shows, and its columns.

A column is an expression of the plan language; the names in it are the library's. Nothing here is evaluated.
"""

from __future__ import annotations

from attrs import frozen


@frozen
class Column:
    """A figure of every entry, shown in a unit, or if that is empty in a readable one."""

    title: str
    expression: str
    unit: str = ""


@frozen
class Grid:
    """Figures of one entry by member of an enum: a row for each, a column with a title for each quantity."""

    title: str
    enum: str
    columns: tuple[tuple[str, str], ...]


@frozen
class View:
    """A way to look at the entries of a kind: the columns of their list, the grid and inputs of one entry.

    An entry without a figure in the column `needed` is left out; without `fields` all inputs are shown.
    """

    name: str
    kind: str
    columns: tuple[Column, ...]
    grid: Grid | None = None
    needed: str = ""
    fields: tuple[str, ...] = ()


_PRICES = (
    Column("price", "gpu.price", "USD/GPU/hour"),
    Column("per PFLOP", "gpu.price / hardware.peak", "USD/PFLOP"),
)
_SOURCE = Column("source", "gpu.price_source")
_FOOTPRINT_COLUMNS = (
    ("weights", "model.weights_in"),
    ("inference", "model.inference_in"),
    ("training with AdamW", "model.adamw_in"),
)
_FOOTPRINT = Grid("memory by convention", "QuotedFormat", _FOOTPRINT_COLUMNS)

VIEWS = (
    View(
        "gpus",
        "gpu",
        (
            Column("memory", "gpu.memory", "GB"),
            Column("bandwidth", "gpu.bandwidth", "GB/s"),
            Column("fp32", "gpu.peak_fp32", "TFLOP/s"),
            Column("fp16", "gpu.peak_fp16", "TFLOP/s"),
            Column("bf16", "gpu.peak_bf16", "TFLOP/s"),
            Column("fp8", "gpu.peak_fp8", "TFLOP/s"),
            Column("intensity", "gpu.flop_per_byte", "FLOP/byte"),
            Column("ceiling", "gpu.matmul_ceiling", "%"),
            *_PRICES,
        ),
    ),
    View(
        "models",
        "model",
        (
            Column("parameters", "model.params_total", "Bparams"),
            Column("layers", "model.layers"),
            Column("hidden", "model.hidden"),
            Column("heads", "model.heads"),
            Column("vocabulary", "model.vocab"),
            Column("context", "model.max_context", "tokens"),
            Column("trained on", "model.training_tokens / model.params_total", "token/parameter"),
        ),
        _FOOTPRINT,
    ),
    View(
        "stacks",
        "stack",
        (
            Column("framework", "stack.framework"),
            Column("kernels", "stack.kernels"),
            Column("loss", "stack.loss"),
            Column("weights", "stack.parameter_dtype"),
            Column("reduced in", "stack.reduce_dtype"),
            Column("overlap", "stack.data_overlap"),
        ),
    ),
    View(
        "optimizers",
        "optimizer",
        (
            Column("per number", "optimizer.per_number"),
            Column("per row and column", "optimizer.per_row_and_column"),
            Column("per row squared", "optimizer.per_row_squared"),
            Column("per column squared", "optimizer.per_column_squared"),
            Column("elsewhere", "optimizer.elsewhere"),
        ),
    ),
    View("prices", "gpu", (*_PRICES, _SOURCE), needed="price", fields=("price", "price_source")),
)
