"""A record of `cases.jsonl`, read by its fields; its prose is never read.

Takes the JSON object and gives what its source states. What `settings.stated_by` calls inferred or a
default of the framework nobody said: it counts as missing, and the rules of the stack decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

Case = Mapping[str, Any]
Settings = dict[str, str]

_UNSAID = ("inferred", "framework default")


class Inexpressible(Exception):
    """The case cannot be expressed as a plan; the argument says why."""


@frozen
class Record:
    """One measured run.

    Attributes:
        case: The JSON object.
    """

    case: Case

    @property
    def framework(self) -> str:
        return str(self.case["framework"])

    @property
    def model(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.case["model"]
        return found

    @property
    def parallel(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.case["parallel"]
        return found

    @property
    def task(self) -> str:
        return self.case.get("task") or "pretrain"

    def degree(self, name: str) -> int:
        """A degree of parallelism, 1 where the record names none."""
        return int(self.parallel.get(name) or 1)

    def said(self, key: str) -> Any:
        """A setting such as `software.loss` if its source states it, else None."""
        section, _, name = key.partition(".")
        settings = self.case.get("settings") or {}
        if (settings.get("stated_by") or {}).get(key) in _UNSAID:
            return None
        return (settings.get(section) or {}).get(name)

    def site(self, name: str) -> Any:
        """A fact about the machine, also where the record takes it from what else is known of that machine."""
        return ((self.case.get("settings") or {}).get("site") or {}).get(name)


def word(value: bool) -> str:
    """A truth value as a plan writes it."""
    return "true" if value else "false"


def texts(settings: Mapping[str, object]) -> Settings:
    """Inputs as `--set` takes them."""
    return {path: word(value) if isinstance(value, bool) else str(value) for path, value in settings.items()}
