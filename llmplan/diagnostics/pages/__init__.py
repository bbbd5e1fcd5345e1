"""The pages of `llmplan explain CODE`: one Markdown page a code, in this folder.

A page begins with the line `# CODE: title`, explains the code, and shows a plan that raises it
and the same plan fixed.
"""

from __future__ import annotations

from importlib.resources import files


def codes() -> list[str]:
    """Every code that has a page, in order."""
    names = (entry.name for entry in files(__name__).iterdir())
    return sorted(name[: -len(".md")] for name in names if name.endswith(".md"))


def page(code: str) -> str | None:
    """The page of a code in capitals, or None if there is none."""
    if not code.isalnum():
        return None
    entry = files(__name__).joinpath(f"{code}.md")
    return entry.read_text(encoding="utf-8") if entry.is_file() else None


def title(text: str) -> str:
    """The title of a page, without the code."""
    return text.partition("\n")[0].partition(": ")[2]
