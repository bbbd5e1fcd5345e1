"""A runner for the command line in this process, with the streams apart."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest
from attrs import frozen

from llmplan import cli


@frozen
class Outcome:
    code: int
    out: str
    err: str


class _Stream(io.TextIOWrapper):
    """A captured stream that may claim to be a terminal."""

    def __init__(self, data: bytes = b"", terminal: bool = False) -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8", newline="")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode()  # type: ignore[attr-defined]


@pytest.fixture
def llmplan(monkeypatch) -> Callable[..., Outcome]:
    """Runs `llmplan` with arguments; what was on the streams is in the outcome. No line is wrapped unless `columns` are
    few; without `columns` nothing says how many there are.
    """

    def run(*arguments: object, stdin: bytes = b"", terminal: bool = False, columns: int | None = 1000) -> Outcome:
        out, err = _Stream(terminal=terminal), _Stream(terminal=terminal)
        with monkeypatch.context() as streams:
            if columns is None:
                streams.delenv("COLUMNS", raising=False)
            else:
                streams.setenv("COLUMNS", str(columns))
            streams.setattr(sys, "stdin", _Stream(stdin, terminal=terminal))
            streams.setattr(sys, "stdout", out)
            streams.setattr(sys, "stderr", err)
            code = cli.run([str(argument) for argument in arguments])
        outcome = Outcome(code, out.text(), err.text())
        assert "Traceback" not in outcome.err
        return outcome

    return run


@pytest.fixture
def write(tmp_path, monkeypatch) -> Callable[[str, str | bytes], str]:
    """Writes a file into an empty working folder and returns its name."""
    monkeypatch.chdir(tmp_path)

    def written(name: str, text: str | bytes) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    return written
