"""The three texts of the product: `grammar/`, `plans/` and `templates/`, wherever they are installed."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def folder(name: str) -> Traversable:
    """A resource folder: inside the package once installed, beside it in a checkout or an editable install."""
    inside = files("llmplan").joinpath(name)
    return inside if inside.is_dir() else Path(__file__).resolve().parent.parent / name
