"""The three texts of the product: `grammar/`, `plans/` and `templates/`, wherever they are installed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def folder(name: str) -> Traversable:
    """A resource folder: inside the package once installed, beside it in a checkout or an editable install."""
    package = Path(__file__).resolve().parent
    for parent in (package, package.parent):
        if (parent / name).is_dir():
            return parent / name
    from importlib.resources import files  # only a zip archive needs it, and it loads much

    return files("llmplan").joinpath(name)
