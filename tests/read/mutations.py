"""Configurations of many formats, with characters, lines, numbers and words changed, and with what should never run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

FILES = {path.name: path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "samples").iterdir())}

HOSTILE = (
    "$(touch made)", "`touch made`", "eval touch made", "source <(touch made)", "; touch made", "> made", "| tee made",
    "!!python/object/apply:os.system ['touch made']", "&a [*a, *a]", "<<: *a", "${A:-${A}}", "$((1/0))", "$((9**99))",
    "<<EOF", "((", "{{", "[" * 300, "{" * 300, "\x00", "\ufeff", "1e309", "-1", "NaN", "null", "auto",
    "999999999999999999999",
    "__import__('os').system('touch made')", "true", "\\", '"', "'", "#", ": ", "- ", "\n", "\t", "\r\n", "é",
    "\U0001f600",
    "A=$A$A", "\nmodel 7\n", "}\nrequire false\n{", "--", "=", "../../made", "/etc/passwd",
)  # fmt: skip


def mutants(seed: int, count: int) -> Iterator[dict[str, str]]:
    """One to three files each, the same for the same seed."""
    for number in range(seed, seed + count):
        dice = random.Random(number)
        chosen = dice.sample(list(FILES), dice.randrange(1, 4))
        yield {name: mutated(dice, FILES[name]) for name in chosen}


def mutated(dice: random.Random, text: str) -> str:
    """A text with up to three changes."""
    for _ in range(dice.randrange(4)):
        at = dice.randrange(len(text) + 1)
        end = min(len(text), at + dice.randrange(1, 12))
        lines = text.split("\n")
        line = dice.randrange(len(lines))
        match dice.randrange(7):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:at] + dice.choice(HOSTILE) + text[at:]
            case 2:
                text = text[:at] + text[at:end] * dice.randrange(2, 50) + text[end:]
            case 3:
                text = "\n".join([*lines[:line], *lines[line + 1 :]])
            case 4:
                text = "\n".join([*lines[:line], lines[line], dice.choice(HOSTILE), *lines[line:]])
            case 5:
                other = dice.choice(list(FILES.values())).split("\n")
                text = "\n".join([*lines[:line], *dice.sample(other, min(3, len(other))), *lines[line:]])
            case 6:
                numbers = [place for place, letter in enumerate(text) if letter.isdigit()]
                if numbers:
                    place = dice.choice(numbers)
                    text = text[:place] + dice.choice(HOSTILE) + text[place + 1 :]
    return text
