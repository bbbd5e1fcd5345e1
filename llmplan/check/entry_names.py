"""Names of catalog entries as people write them: which are the same, which are alike, and which a hub uses.

Input: names as written. Output: their normal forms, and whether two of them may mean the same entry. Nothing here knows
which entries there are.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator


def normal(name: str) -> str:
    """The form in which catalog names are compared: case is ignored; space, `_` and `-` are the same."""
    return re.sub(r"[\s_-]+", "-", name.strip().lower())


def spelt(word: str) -> str:
    """The form in which names as people say them are compared: case is ignored; `-` and `_` are the same."""
    return word.strip().lower().replace("-", "_")


def joined(name: str) -> str:
    """A name without what stands between its words, but for numbers, and sizes with their unit whole: `RTX4090`,
    `A100-80G`; `llama-27b` is not `llama-2-7b`.
    """
    return _BETWEEN.sub("", _GIGABYTES.sub(r"\1gb", name))


_GIGABYTES = re.compile(r"(?<![0-9a-z])([0-9]+)g(?![0-9a-z])")
_BETWEEN = re.compile(r"(?<![0-9])-|-(?![0-9])")


def worded_alike(wanted: str, key: str) -> bool:
    """Whether a name consists of the words of another, in any order and perhaps cut short: `h100-80gb-sxm`."""
    words, own = wanted.split("-"), key.split("-")
    cut = all(part.startswith(word) for word, part in zip(words, own))  # `llama-7` is rather a typo
    return len(words) == len(own) > 1 and not cut and all(any(part.startswith(word) for part in own) for word in words)


_ALIKE = 0.7
"""The similarity from which one of two names may be a typo of the other."""


def alike(wanted: str, key: str) -> bool:
    return difflib.SequenceMatcher(None, wanted, key).ratio() >= _ALIKE


_VARIANTS = re.compile(
    r"-(hf|instruct|base|chat|it|pt|unsloth|bnb-4bit|bnb-8bit|awq|gptq|gptq-int4|gptq-int8|fp8|gguf)(?=-v?[0-9.]+$|$)"
)
"""Suffixes by which hubs distinguish models of the same shape; a version or a date may follow them."""

_DATE = re.compile(r"-2[0-9]{3}$")
"""Year and month, as in `-2507`."""


def published(name: str) -> Iterator[str]:
    """A name in its normal form, then without its organisation, then without the suffixes that say how the model was
    trained, is stored or when it was released.
    """
    yield name
    name = name.rpartition("/")[2]
    yield name
    while (shorter := _VARIANTS.sub("", name)) != name:
        name = shorter
        yield name
    yield _DATE.sub("", name)
