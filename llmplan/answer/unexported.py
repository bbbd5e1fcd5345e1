"""What the training software must be told of a plan: inputs that their author chose, and that no target decides.

Input: the lowering of a plan at its solution, and its values. Output: paths, in the library's order. The library says
of which kinds the software must be told; a requirement of a target decides an input where it leaves it one value: a
truth value that stands alone, or what is on the left of `==`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from llmplan.answer.schema.values import Value
from llmplan.check.ir import Chain, Expr, Op, Ref
from llmplan.check.program import Rule
from llmplan.resources import TARGET
from llmplan.system.lower import Lowering


def told(lowering: Lowering, values: Mapping[str, Value]) -> tuple[str, ...]:
    """`training.attention`, where a plan says `training.attention = standard`; of a global batch the accumulation."""
    scope = lowering.scope
    if not lowering.program.emits:
        return ()
    rules = [rule for rule in lowering.program.rules if _of_target(rule) and _in_force(lowering, rule)]
    decided = {name for rule in rules for name in _decided(rule.condition)}
    found: list[str] = []
    for path in scope.fields:
        value = values.get(path)
        known = path.partition(".")[0] in scope.software and path not in decided
        if known and value is not None and value.value is not None and value.authored:
            found += scope.told_as.get(path, (path,))
    return tuple(dict.fromkeys(name for name in found if name in values and values[name].value is not None))


def _decided(condition: Expr) -> Iterator[str]:
    """The inputs of which a condition takes one value only."""
    match condition:
        case Ref():
            yield condition.name
        case Op("not", (Ref() as operand,)) | Op("eq", (Ref() as operand, _)):
            yield operand.name
        case Op("and", parts):
            for part in parts:
                yield from _decided(part)
        case Chain(first, rest) if all(operation == "and" for operation, _ in rest):
            for part in (first, *(part for _, part in rest)):
                yield from _decided(part)


def _of_target(rule: Rule) -> bool:
    return rule.origin == "library" and rule.weight is None and rule.place[0].rpartition("/")[2] == TARGET


def _in_force(lowering: Lowering, rule: Rule) -> bool:
    return rule.when is None or lowering.worth(rule.when, rule.place[0]) == 1.0
