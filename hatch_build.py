"""README as the description on a package index, where a link to a file of the checkout leads nowhere.

A relative link becomes its words, the picture its description. Where `[project.urls]` names `Source`, both become
addresses below it instead.
"""

from __future__ import annotations

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?![a-z]+:|#)([^)\s]+)\)")


def described(text: str, source: str = "") -> str:
    """The text with its relative links resolved below an address, or without them."""

    def resolved(link: re.Match[str]) -> str:
        picture, words, path = link.groups()
        if source:
            return f"{picture}[{words}]({source}/{'raw' if picture else 'blob'}/main/{path})"
        return f"*{words}*" if picture else words

    return _LINK.sub(resolved, text)


class Description(MetadataHookInterface):
    """Sets `readme`."""

    def update(self, metadata: dict) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        source = metadata.get("urls", {}).get("Source", "")
        metadata["readme"] = {"content-type": "text/markdown", "text": described(text, source.rstrip("/"))}
