"""A plan is lowered once; a question about it lowers only the names that its change reaches."""

from __future__ import annotations

import pytest
from attrs import evolve

from llmplan import api
from llmplan.check.ir import Num
from llmplan.check.overrides import varied
from llmplan.system.adjustable import knob_of
from llmplan.system.build import build
from llmplan.system.lower import Lowering
from llmplan.system.names import Names

pytestmark = pytest.mark.advice  # the questions are those that advice asks

SOLVED = """model "llama-7b"
dataset.tokens = 1T
hardware { gpu = "A100-SXM4-80GB", gpus = ? }
training.global_batch = 4M tokens
require deadline: time <= 30 days
minimize hardware.gpus
"""

INFEASIBLE = """model "llama-7b"
dataset.tokens = 1T
hardware { gpu = "A100-SXM4-80GB", gpus = ? in 8..1024 step 8 }
training.global_batch = 4M tokens
require few: hardware.gpus <= 16
require fast: time <= 10 days
"""


@pytest.fixture
def lowered(monkeypatch):
    """Every lowering from the start of a test, as its names and whether it begins from nothing."""
    found: list[tuple[Names, bool]] = []
    real = Lowering.__init__

    def init(self, *args, **options):
        names = options.get("names") or (args[4] if len(args) > 4 else None)
        fresh = names is None or not names._kept
        real(self, *args, **options)
        if not options.get("end") and options.get("draws") is None:  # bands and chances have lowerings of their own
            found.append((self.names, fresh))

    monkeypatch.setattr(Lowering, "__init__", init)
    return found


@pytest.mark.parametrize(
    ("text", "status"), [(SOLVED, "solved"), (INFEASIBLE, "infeasible")], ids=["solved", "infeasible"]
)
@pytest.mark.slow
def test_one_lowering_begins_from_nothing(plans, lowered, text, status):
    assert plans.solve(text).status == status
    assert [fresh for _, fresh in lowered] == [True] + [False] * (len(lowered) - 1)


@pytest.mark.slow
def test_a_freed_input_lowers_only_what_it_reaches(plans, lowered):
    plans.solve(INFEASIBLE)
    _, whole, point, *freed = (names for names, _ in lowered)
    assert len(freed) > 10
    assert sum(names.lowered for names in freed) < 0.25 * sum(len(names.values) for names in freed)
    assert whole.lowered > 300 and point.lowered > 300


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("dataset.tokens", 5e11),
        ("hardware.gpu", 3.0),
        ("training.precision", 1.0),
        ("hardware.gpus", 64.0),
        ("training.micro_batch", 2.0),
        ("model", 5.0),
    ],
)
@pytest.mark.slow
def test_lowering_again_gives_what_a_new_lowering_gives(plans, path, value):
    checked = api.analyse(plans.path, text=SOLVED)
    assert checked.built is not None and checked.program is not None
    knob = knob_of(checked.program, path)
    assert knob is not None
    setting = evolve(knob.setting, value=Num(value), domain=None)
    program = varied(checked.program, "--set", {path: setting}, over=True)
    again, new = build(checked.built.lowering, program), build(Lowering(program), program)
    assert (again.system is None) == (new.system is None)
    assert [u.path for u in again.lowering.unknowns.met] == [u.path for u in new.lowering.unknowns.met]
    point = again.lowering.again(fixed={}), Lowering(program, fixed={})
    for one, other in ((again.lowering, new.lowering), point):
        for name in (*program.scope.fields, *program.scope.quantities):
            left, right = one.name(name), other.name(name)
            assert _worth(one, left) == _worth(other, right), name
            assert one.names.traces.get(name) == other.names.traces.get(name), name
        assert one.names.reasons == other.names.reasons


def _worth(lowering, value):
    """What a value is, apart from the numbering of nodes."""
    return repr(lowering.graph.constant(value)) if isinstance(value, int) else value
