"""What a machine tells without torch: cards by `nvidia-smi`, processors, memory, and how fast a disk writes."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from attrs import frozen

_PATIENCE = 20
_WRITTEN = 2**28
_BLOCK = 2**22
_QUERY = (
    "name",
    "memory.total",
    "driver_version",
    "power.limit",
    "clocks.max.sm",
    "pcie.link.gen.max",
    "pcie.link.width.max",
)


@frozen
class Card:
    """A card as `nvidia-smi` tells it, in its words."""

    name: str
    memory: str
    driver: str
    power: str
    clock: str
    link: str


def _told(*arguments: str) -> str:
    """What `nvidia-smi` prints; empty where there is none or it fails."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return ""
    try:
        done = subprocess.run(
            [program, *arguments],
            check=False,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeError):
        return ""
    return done.stdout if done.returncode == 0 else ""


def cards() -> list[Card]:
    """The cards of the machine."""
    found = []
    for line in _told(f"--query-gpu={','.join(_QUERY)}", "--format=csv,noheader").splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) == len(_QUERY):
            name, memory, driver, power, clock, generation, lanes = cells
            found.append(Card(name, memory, driver, power, clock, f"PCIe {generation} x{lanes}"))
    return found


def topology() -> list[str]:
    """The lines of `nvidia-smi topo -m`."""
    return [line.rstrip() for line in _told("topo", "-m").splitlines() if line.strip()]


def processors() -> int:
    """The processors that may be used."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory() -> float | None:
    """Bytes of the machine's memory, where the system tells them."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return None


def disk(folder: Path) -> float | None:
    """Bytes a second that one process writes into a folder, to the disk; None where it may not. Leaves no file."""
    block = os.urandom(_BLOCK)
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            began = time.perf_counter()
            for _ in range(_WRITTEN // _BLOCK):
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
            return _WRITTEN / (time.perf_counter() - began)
    except OSError:
        return None
