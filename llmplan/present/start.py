"""A commented plan to start from.

Input: what was asked for: a model, a card, a number of GPUs, targets with the options that they need. Output: the text
of a plan, each part below a line that says what it is for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import frozen

from llmplan.present.words.en import Words

TOKENS, LENGTH, BATCH = "100B", "min(4096 tokens, model.max_context)", "1024 sequences"
"""What a starting plan trains on."""


@frozen
class Asked:
    """What a plan is asked for.

    Attributes:
        gpus: None where their number is to be found.
        emits: By target, the options that it needs, with a text for each.
        split: Whether the layout of a large model is left open too.
    """

    model: str
    gpu: str
    gpus: int | None
    emits: Mapping[str, Mapping[str, str]]
    split: bool = False


def plan(asked: Asked, words: Words) -> str:
    """The text."""
    return "\n\n".join("\n".join(part) for part in _parts(asked, words)) + "\n"


def _parts(asked: Asked, words: Words) -> Iterator[list[str]]:
    gpus = "?" if asked.gpus is None else str(asked.gpus)
    yield [f"## {words.start_title(asked.model)}", f"model {text(asked.model)}"]
    yield [
        f"# {words.start_tokens}",
        "dataset {",
        f"    tokens          = {TOKENS}",
        f"    sequence_length = {LENGTH}",
        "}",
    ]
    said = words.start_open if asked.gpus is None else words.start_given
    yield [f"# {said}", "hardware {", f"    gpu  = {text(asked.gpu)}", f"    gpus = {gpus}", "}"]
    if asked.split:
        degrees = ["    tensor   = ? in [1, 2, 4, 8]", "    pipeline = ? in [1, 2, 4, 8, 16]"]
        yield [
            f"# {words.start_layout}",
            "parallelism {",
            *degrees,
            "    expert   = ? in [1, 2, 4, 8, 16, 32, 64]",
            "}",
        ]
    yield [f"# {words.start_batch}", "training {", "    precision    = bf16", f"    global_batch = {BATCH}", "}"]
    limits = ["# require deadline: wall_time <= 30 days", "# require budget: wall_cost <= 100_000 USD"]
    yield [f"# {words.start_require}", *limits]
    yield [f"# {words.start_goal}", "minimize hardware.gpus" if asked.gpus is None else "minimize wall_time"]
    if asked.emits:
        yield [f"# {words.start_emit}", *_emits(asked, words)]


def _emits(asked: Asked, words: Words) -> Iterator[str]:
    for target, options in asked.emits.items():
        if not options:
            yield f"emit {target}"
            continue
        yield f"emit {target} {{"
        yield from (f"    {name} = {text(value)}  # {words.start_yours}" for name, value in options.items())
        yield "}"


def text(value: str) -> str:
    """A text as a plan has it."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("{", "\\{")
    return f'"{"".join(char for char in escaped if char.isprintable())}"'
