"""How a package is built of the checkout.

README is the description on a package index, where a link to a file of the checkout leads nowhere: a relative link
becomes its words, the picture its description. Where `[project.urls]` names `Source`, both become addresses below it
instead.

A wheel, also that of an editable install, brings the checked library along, so that the first run is as fast as others.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
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


class Library(BuildHookInterface):
    """Runs `llmplan.prepare`, in a process that leaves nothing else behind and always writes the same bytes."""

    def initialize(self, version: str, build_data: dict) -> None:
        with tempfile.TemporaryDirectory() as aside:
            alone = {"XDG_CACHE_HOME": aside, "XDG_STATE_HOME": aside, "PYTHONHASHSEED": "0"}
            environment = {**os.environ, **alone, "PYTHONDONTWRITEBYTECODE": "1"}
            subprocess.run([sys.executable, "-m", "llmplan.prepare"], cwd=self.root, env=environment, check=True)
        build_data["artifacts"].append("llmplan/cache/ready/*.bin")
