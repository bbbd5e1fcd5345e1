"""Decorators: the table of where each may appear, which arguments it takes and what it means.

`TABLE` is read by the check of annotations, by messages and by the reference. The effect of a decorator is implemented
where its subject is declared: `check.declare`, `check.define`, `check.unit_words`, `load.config_tables`.
"""

from __future__ import annotations

from enum import Enum

from attrs import frozen

from llmplan.syntax import nodes

PLACES: dict[type[nodes.Statement], str] = {
    nodes.Entry: "entry",
    nodes.Amend: "amend",
    nodes.Quantity: "quantity",
    nodes.Fn: "fn",
    nodes.Require: "require",
    nodes.Prefer: "prefer",
    nodes.Kind: "kind",
    nodes.FieldDecl: "field",
    nodes.Enum: "enum",
    nodes.AmendEnum: "amend enum",
    nodes.Dimension: "dimension",
    nodes.UnitDecl: "unit",
}
"""The declarations that can have decorators, with the words that people use for them."""


class Sort(Enum):
    """The sorts of arguments, in words."""

    TEXT = "text in quotes"
    PATTERN = "a pattern of classes as `[a-z0-9]*`, letters, and groups as `(…)?` or `(a|b)`, in quotes"
    CHOICE = "a factor above 0 other than 1, or a member of the field's enum"
    RANK = "a whole number above 0"
    WIDTH = "a number above 1"
    UNIT = "a unit of the quantity"
    PREFIX = "an SI prefix"
    FACTOR = "a quantity that is a plain number"
    TRUTH = "a quantity that is true or false"
    WHOLE = "a quantity of the same unit without an index"
    QUANTITY = "a quantity"
    VALUE = "a quantity or an input"
    EXPRESSION = "an expression, or a quantity with one index"
    FIELD = "another field of the kind"
    ENUM = "an enum"
    MEMBER = "a member of the enum"
    CALL = "a call of a function"
    RESULT = "a number in the unit of the call"
    SOFTWARE = "the name of a software, one word"
    LABEL = "the label of the field's unit, then labels of which a field says how many of it they have"


@frozen
class Decorator:
    """One decorator.

    Attributes:
        on: The declarations that it may appear on.
        takes: Its arguments, in order.
        more: The sort of any further arguments; None if there can be none.
        example: An example as an author writes it.
        meaning: Its meaning, for the reference.
    """

    on: tuple[str, ...]
    takes: tuple[Sort, ...]
    more: Sort | None
    example: str
    meaning: str

    def sort(self, number: int) -> Sort | None:
        """The sort of an argument, counted from 0; None if there are too many."""
        return self.takes[number] if number < len(self.takes) else self.more

    @property
    def wanted(self) -> str:
        """The number of arguments it takes, in words."""
        count = len(self.takes)
        if not count:
            return "any number of arguments" if self.more else "no argument"
        plural = "" if count == 1 else "s"
        return f"{'at least ' if self.more else ''}{count} argument{plural}"


_T = Sort.TEXT
_ALL = tuple(PLACES.values())

TABLE: dict[str, Decorator] = {
    "cite": Decorator(
        _ALL, (_T,), _T, '@cite("arXiv:1910.02054", "figure 1")',
        "The source of a formula or figure, and the place in it; shown beside the number.",
    ),
    "release": Decorator(
        _ALL, (Sort.SOFTWARE, _T), None, '@release(deepspeed, "0.19.8")',
        "A release of other software in which the declaration was read, and for which it is true; "
        "[all of them](releases.md) have to be looked at when that software moves.",
    ),
    "example": Decorator(
        ("fn",), (Sort.CALL, Sort.RESULT), None, "@example(zero_bytes(7.5B params, 1, 64), 31.4 GB)",
        "A call of the function and its result, compared to the digits written. Examples of the library run as tests.",
    ),
    "names": Decorator(
        ("entry", "unit", "kind", "field", "quantity"), (_T,), _T, '@names("H100 SXM", "H100")',
        "Further names of an entry, further spellings of a unit. Of a kind, a field or a quantity: names that it has "
        "elsewhere, which messages turn into its own.",
    ),
    "usual": Decorator(
        ("entry",), (_T,), _T, '@usual("H100")', "A name that fits several entries, of which most people mean this one."
    ),
    "prefixes": Decorator(
        ("unit",), (Sort.PREFIX,), Sort.PREFIX, "@prefixes(k, M, G)",
        "Prefixes that may stand before each spelling of the unit.",
    ),
    "count": Decorator(("dimension",), (), None, "@count", "The dimension counts things."),
    "unit": Decorator(("quantity",), (Sort.UNIT,), None, "@unit(%)", "The unit in which the quantity is shown."),
    "assumed": Decorator(
        ("quantity",), (_T,), None, '@assumed("no global batch is given")',
        "A formula for an input that the author left out; an answer that rests on it lists it with this reason.",
    ),
    "within": Decorator(
        ("quantity",), (Sort.FACTOR, Sort.FACTOR), None, "@within(step.low, step.high)",
        "A band: factors of this quantity between which eight of ten measured values lie.",
    ),
    "apart": Decorator(
        ("quantity",), (Sort.FACTOR,), None, "@apart(step.apart)",
        "Beside `@within`: the factor by which this quantity's ratio of measured to computed differs at most between "
        "two plans with the same entries, such as model and accelerator, in eight of ten pairs. Without it the "
        "deviations of two plans count as independent, unless the quantity is the same in both.",
    ),
    "prior": Decorator(
        ("quantity",), (Sort.WIDTH,), None, "@prior(1.15)",
        "A constant that was fitted, which `measured` runs move: how far from the library's value it may be, as a "
        "factor either way: 2.5 standard deviations of its logarithm.",
    ),
    "scatter": Decorator(
        ("quantity",), (Sort.FACTOR,), None, "@scatter(measured.noise)",
        "The quantity can be a reading of a `measured` run, and moves the constants on which it depends. The factor is "
        "one standard deviation of what readings of one and the same configuration differ by.",
    ),
    "alike": Decorator(
        ("quantity",), (), Sort.VALUE, "@alike(hardware.gpu, training.precision)",
        "Plans are like a `measured` run where they have its values here; without an argument all are. A constant with "
        "`@prior` moves in such plans alone. A number without one is the share of what a run says of all other "
        "constants that holds for them. A truth value holds for them.",
    ),
    "timer": Decorator(
        ("quantity",), (_T,), None, '@timer("forward")',
        "The time that a log prints as this part of a step.",
    ),
    "calendar": Decorator(
        ("quantity",), (Sort.WHOLE,), None, "@calendar(wall_time)",
        "The counterpart of the quantity on the calendar. A requirement binds as it is written; its verdict and chance "
        "are those of the same requirement on the counterpart.",
    ),
    "part": Decorator(
        ("quantity",), (Sort.WHOLE, _T), None, '@part(step_time, "offload")',
        "The quantity is a part of another, all parts of which add up to it; pictures draw the parts with these "
        "labels.",
    ),
    "allocation": Decorator(
        ("quantity",), (Sort.QUANTITY, _T), _T,
        '@allocation(memory.optimizer, "start", "_create_fp32_partitions")',
        "The quantity is the size of one request to the allocator of a GPU: the term of memory that it belongs to, the "
        "moment, and words of a traceback that prove it.",
    ),
    "compared": Decorator(
        ("quantity",), (Sort.RANK, Sort.RANK), None, "@compared(2, 1)",
        "Plans are compared by the quantity: its column in tables, and its rank among the sort keys of changes.",
    ),
    "cliff": Decorator(
        ("quantity", "require", "prefer"), (), None, "@cliff",
        "A requirement, or a quantity that must be whole, that can make the answer jump: where a better answer lies "
        "beyond it, that answer is named with the change that reaches it.",
    ),
    "written": Decorator(
        ("require", "prefer"), (), None, "@written",
        "A limit of what a target writes, and not of its software: a run that is judged by the files that it has need "
        "not meet it.",
    ),
    "binary": Decorator(
        ("field",), (), None, "@binary",
        "`80 GB` or `4K` in this field probably means `80 GiB` or `4Ki`, and gives a warning.",
    ),
    "decision": Decorator(("field",), (), None, "@decision",
    "A field the planner chooses: a range as its value is an error."),
    "lever": Decorator(
        ("field",), (), Sort.CHOICE, "@lever(1/2, 2)",
        "Worth trying, at these factors of a number or at these members of an enum or entries; without arguments, "
        "at the next smaller and larger value of those that a bare `?` ranges over, or at another entry. The change "
        "of a lever may make an infeasible plan feasible; for a solved plan each is solved again, and listed with the "
        "results it would change.",
    ),
    "cure": Decorator(
        ("field",), (Sort.TRUTH,), None, "@cure(adapter.helps)",
        "Beside `@lever`: tried only to make a plan feasible, and only where this quantity holds at the nearest plan.",
    ),
    "changes": Decorator(
        ("field",), (_T,), None, '@changes("the numerics")',
        "What another value of the field changes beside speed and memory; said with every change of it that is "
        "suggested.",
    ),
    "suspect": Decorator(
        ("field",), (_T,), Sort.CHOICE, '@suspect("`nvidia-smi -q -d CLOCK,POWER` on each node", 4/5, 2/3)',
        "A run that is not as planned may have had another value here: these factors of a number, these members of an "
        "enum, or without any all others. The text says what tells.",
    ),
    "comparable": Decorator(
        ("field",), (Sort.FIELD,), None, "@comparable(price_basis)",
        "Values of this field in two entries can be compared only where the other field is the same in both; a "
        "note says where results that depend on different ones are compared.",
    ),
    "as_is": Decorator(
        ("field",), (), Sort.FIELD, "@as_is(params, max_context)",
        "Ignored once the plan overrides another field of the entry, except those named.",
    ),
    "as_published": Decorator(
        ("field",), (), None, "@as_published",
        'Where an entry is chosen by its name on a hub (`model "meta-llama/Llama-3.1-8B-Instruct"`), the field is that '
        "name; where the name only tells how a model was trained, the field counts as not given.",
    ),
    "derived": Decorator(
        ("field",), (), None, "@derived",
        "In a kind without entries: the default follows from other inputs, so that it does not make the field `given`.",
    ),
    "assumed_with": Decorator(
        ("field",), (Sort.QUANTITY,), Sort.QUANTITY, "@assumed_with(mfu, hfu)",
        "Quantities whose assumed value holds only for the present value of the field: relaxations never change it.",
    ),
    "told_as": Decorator(
        ("field",), (), Sort.VALUE, "@told_as(grad_accum)",
        "The training software receives this value in place of the field; without an argument it receives neither.",
    ),
    "per": Decorator(
        ("field",), (Sort.LABEL,), Sort.LABEL, "@per(GPU, node, job)",
        "A number for the field, or beside it in a comparison or a sum, has one of these labels. It is stored with the "
        "first; the fields `gpus_per_node` and `gpus` convert numbers with another. A single label may be left out.",
    ),
    "key": Decorator(
        ("field",), (_T,), None, '@key("ffn_config.hidden_size")',
        "The key of a configuration file that a field of the kind `config` stands for (`plans/configs/`).",
    ),
    "forwarded": Decorator(
        ("kind",), (_T, _T, _T), _T, '@forwarded("axolotl train", "launcher", "accelerate launch", "torchrun")',
        "A program that passes what stands behind `--` to the launcher that one of its options names, else the first.",
    ),
    "together": Decorator(
        ("kind",), (_T, _T, _T, _T), _T, '@together("granularity", "full", "method", "uniform")',
        "Fields that the software takes together alone, each with its text: a change of a file sets all of them.",
    ),
    "shipped": Decorator(
        ("field",), (_T,), _T, '@shipped("zero2", "zero3")',
        "Texts of a key that mean what comes with the software: a file without the key may get one of them.",
    ),
    "needs": Decorator(
        ("field",), (_T,), _T, '@needs("lora_r", "$trl")',
        "A file that lacks the key gets it only beside one of these keys: elsewhere it may mean nothing.",
    ),
    "pattern": Decorator(
        ("field",), (Sort.PATTERN, _T), _T, r'@pattern("[a-z][a-z0-9-]\{0,49}", "small letters, digits and `-`")',
        "The legal texts, as a regular expression and in words; with a further text, those of each part between these "
        "marks. An empty text is always legal.",
    ),
    "software": Decorator(
        ("kind",), (), None, "@software",
        "The fields of the kind are meant for the training software: values that a plan sets are written, or "
        "exported for the script.",
    ),
    "column": Decorator(
        ("kind",), (_T, _T, Sort.EXPRESSION), Sort.UNIT, '@column("gpus", "memory", gpu.memory, GB)',
        "A column of a list of the catalog: the list, its title, the figure of every entry and its unit. The first "
        "list of a kind has all of its entries, a further one those with a figure in its first column. A list of "
        "quantities with an index is a table on the page of each entry.",
    ),
    "structure": Decorator(
        ("kind",), (_T,), _T, '@structure("*_heads", "d_model")',
        "Patterns of keys that name structure: one that the formulas of its type do not read gives a warning.",
    ),
    "ignored": Decorator(
        ("kind", "entry"), (_T,), _T, '@ignored("n_ctx")',
        "Patterns of keys that do not change any count, at the kind `config` or at the entry of one type.",
    ),
    "refused": Decorator(
        ("kind",), (_T, _T), _T, '@refused("a state-space model beside attention", "jamba", "bamba")',
        "The reason why types of models are not read, and these types.",
    ),
    "modelled": Decorator(
        ("entry",), (_T, _T, _T), None, '@modelled("mlp_bias", "false", "biases in some of its feed-forward blocks")',
        "A key of a configuration file, the only value of it that the entry's formulas describe, and what a file with "
        "another one has. Such a file is refused.",
    ),
    "around": Decorator(
        ("entry",), (_T,), None, '@around("qwen2")',
        "The entry says what stands around a language model: its fields are added to those of the type of "
        "`text_config`, or, where the file has none, of this type. Formulas read the file's own keys as `outer.key`.",
    ),
    "beside": Decorator(
        ("kind",), (_T, Sort.VALUE), None, '@beside("vision_config", model.sees_images)',
        "An object of a configuration file that no formula reads, and the field that is true where the file has it.",
    ),
    "unmodelled": Decorator(
        ("kind", "enum", "field"), (_T,), _T, '@unmodelled("an agent is not planned: count its tokens", "agent")',
        "What to count in place of something that no plan can say, then the words by which people ask for it: a block, "
        "a field or a member of that name is answered with this sentence. At a field without words: several values of "
        "it.",
    ),
    "words": Decorator(
        ("kind", "enum"), (Sort.ENUM, Sort.MEMBER), _T, '@words(Activation, silu, "swish")',
        'Further texts under keys of that enum that mean its member; `"*"` is any other text. At the enum: words for '
        "the member, which messages turn into it.",
    ),
}  # fmt: skip
"""Every decorator of the language."""
