"""Writes the reference, the page of the templates and the words of the editors, or with `--check` says what is out of
date (exit code 1).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from generator.reference import FOLDER, reference
from generator.templates import templates
from generator.words import with_words

from llmplan.check import library
from llmplan.diagnostics import render_text

ROOT = Path(__file__).resolve().parent.parent


def generated(root: Path) -> dict[str, str]:
    """Every generated file by its path from the root of the project."""
    return {**reference(), **templates(), **with_words(root)}


def stale(root: Path) -> list[str]:
    """Paths of generated files that are missing, differ, or should not be there."""
    wanted = generated(root)
    wrong = [path for path, text in wanted.items() if _read(root / path) != text]
    left = sorted(file.relative_to(root).as_posix() for file in (root / FOLDER).glob("*.md"))
    return [*wrong, *(path for path in left if path not in wanted)]


def write(root: Path) -> list[str]:
    """Writes what is out of date, removes what should not be there, and returns those paths."""
    wanted = generated(root)
    changed = stale(root)
    for path in changed:
        file = root / path
        if path in wanted:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(wanted[path], encoding="utf-8", newline="\n")
        else:
            file.unlink()
    return changed


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(prog="python docs/generate.py", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args(arguments).check
    problems = library.load()[2]
    if problems:
        sys.stderr.write(render_text.render(problems, False))
        return 1
    changed = stale(root) if check else write(root)
    for path in changed:
        sys.stdout.write(f"{path} is out of date; run python docs/generate.py\n" if check else f"wrote {path}\n")
    return int(check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
