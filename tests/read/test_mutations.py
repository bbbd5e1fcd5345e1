"""No configuration whatever gives a traceback, runs anything or takes long; what is written is a plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llmplan import api, importing
from llmplan.diagnostics import render_text
from tests.hanging import ends
from tests.read.mutations import mutants
from tests.test_schemas import faults
from tests.thorough import SEED, many

MANY = many(60, 1_500, 100_000)


def test_mutated_configurations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for files in mutants(SEED, MANY):
        for name, text in files.items():
            Path(name).write_bytes(text.encode())
        with ends():
            found = importing.imported(list(files), whole=True)
            told = importing.as_json(found)
        assert render_text.render(found.diagnostics) or not found.diagnostics
        assert not [one for one in found.diagnostics if one.code == "E0901"]
        assert not found.failed or not found.plan or found.diagnostics
        json.dumps(told)
        assert {path.name for path in tmp_path.iterdir()} == set(files)
        if found.plan:
            codes = {one.code for one in api.check("mutant.plan", text=found.plan)}
            assert not [code for code in codes if code.startswith(("E01", "E09"))], (found.plan, codes)
        for name in files:
            Path(name).unlink()


@pytest.mark.slow
def test_the_document_of_a_mutant_fits_its_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for files in mutants(SEED + 10**6, 30):
        for name, text in files.items():
            Path(name).write_bytes(text.encode())
        assert faults("import", importing.as_json(importing.imported(list(files)))) == []
