"""One trial, one ledger and one list: nothing of advice lays over, solves or gives up anywhere else."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest

from llmplan import advice, api
from llmplan.advice import ADVICE, Piece, trial
from llmplan.advice.ledger import SHARES, Account, Share, Spent, affordable
from llmplan.answer.schema.solution import Solution
from llmplan.solve.effort import OverLimit
from llmplan.system.too_large import TooLarge

ROOM = Path(advice.__file__).parent
SOLVED = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = ? in 64..1024 step 8 }
training { global_batch = 4M tokens, precision = bf16 }
assume mfu = 40%
require deadline: time <= 30 days
minimize hardware.gpus
"""


@pytest.mark.parametrize(
    ("pattern", "homes"),
    [
        (r"\b(varied|build|best_point|evaluate|solve_certain)\(", {"trial.py"}),
        (r"import .*\b(varied|build|best_point|evaluate|solve|solve_certain)\b(?!_)", {"trial.py"}),
        (r"\bexcept .*(OverLimit|TooLarge)|\bsuppress\(", {"ledger.py"}),
        (r"\bBudget\(|\bEffort\(", {"ledger.py"}),
    ],
)
def test_one_module_alone_tries_and_one_alone_gives_up(pattern: str, homes: set[str]) -> None:
    users = {file.name for file in ROOM.glob("*.py") if re.search(pattern, file.read_text(encoding="utf-8"))}
    assert users == homes


def test_each_piece_fills_fields_of_the_answer_that_no_other_fills() -> None:
    filled = [name for piece in ADVICE for name in piece.fields]
    assert len(filled) == len(set(filled))
    assert set(filled) <= {field.name for field in attrs.fields(Solution)}
    assert all(piece.records.__doc__ for piece in ADVICE)


def test_each_share_has_a_reason_and_a_user() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in ROOM.glob("*.py") if file.name != "ledger.py")
    assert [name for name in SHARES if f'"{name}"' not in text] == []
    assert all(share.because for share in SHARES.values())


def test_what_costs_too_much_is_given_up_and_the_rest_goes_on() -> None:
    account = Account(Share("", points=10, evaluations=100, tries=3))
    assert account.afford(lambda effort: effort.budget.left) == 50
    assert account.afford(lambda effort: effort.spend(51)) is Spent.SPENT
    assert account.afford(lambda effort: effort.budget.left) == 24.5
    assert [account.take(2, 5), account.take(2, 5)] == [2, 1]


def test_nothing_is_tried_on_an_account_that_is_empty() -> None:
    assert Account(Share("", evaluations=0)).afford(lambda effort: 1) is Spent.SPENT


def test_other_mistakes_are_not_swallowed() -> None:
    with pytest.raises(ValueError, match="wrong"):
        affordable(lambda: int("wrong"))


@pytest.mark.quick(1)
@pytest.mark.parametrize("stopped", [TooLarge, OverLimit])
def test_a_piece_that_becomes_too_large_is_left_out_alone(
    stopped: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(trial: object, answer: object) -> tuple[()]:
        raise stopped

    changed = [Piece(one.fields, fails) if one.fields == ("levers",) else one for one in ADVICE]
    before = api.solve("own.plan", text=SOLVED)
    monkeypatch.setattr(advice, "ADVICE", tuple(changed))
    after = api.solve("own.plan", text=SOLVED)
    assert before.levers and after.status == "solved" and not after.levers
    assert after.sensitivities == before.sensitivities


def test_only_the_most_promising_levers_are_solved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[object] = []
    real = trial.best_point
    monkeypatch.setattr(trial, "best_point", lambda *given: solved.append(given) or real(*given))
    levers = api.solve("own.plan", text=SOLVED).levers
    again = [one for one in levers if one.solved is not None]
    most = SHARES["levers"].tries + SHARES["entries"].tries
    assert 0 < len(again) <= len(solved) <= most
