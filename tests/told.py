"""What an answer says in words, as tests compare it: one line each, with all four digits."""

from __future__ import annotations

from llmplan.answer.schema.advice import Relaxation
from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.solution import Shown
from llmplan.answer.schema.tables import Row
from llmplan.answer.schema.values import Beyond, SolvedUnknown
from llmplan.diagnostics.cases import instead
from llmplan.present.blocks import plain
from llmplan.present.words import words_of

WORDS = words_of()


def shown(row: Shown) -> str:
    return plain(WORDS.worth(row))


def case(rule: RequirementResult) -> str:
    return plain(WORDS.case(rule))


def beyond(case: Beyond) -> str:
    return plain(WORDS.beyond(case, short=False))


def method(unknown: SolvedUnknown) -> str:
    return WORDS.method(unknown)


def reason(row: Row) -> str:
    return plain(WORDS.reason(row))


def point(row: Row) -> tuple[str, ...]:
    return tuple(amount.exact() for amount in row.at)


def change(one: Relaxation) -> str:
    return instead((part.statement, part.before_text, part.changes) for part in (one, *one.beside))
