"""The calls of a Python file, read by `ast` and never run: `TrainingArguments(per_device_train_batch_size=2)`.

Constants, and names that are assigned one constant in the file, are values; any other expression is unknown. The
arguments of all calls whose name says that they hold settings make one document: those of training arguments by their
own names, of others after the call's, as `LoraConfig.r`.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from llmplan.read.document import UNKNOWN, Document, Item, Unreadable

_SETTINGS = re.compile(r".*(Arguments|Config|Trainer|Parser|Accelerator|Plugin|Strategy)|from_pretrained|TrainingArgs")
_TRAINERS = re.compile(
    r".*Arguments|(SFT|DPO|KTO|ORPO|CPO|GRPO|RLOO|PPO|Reward|OnlineDPO|BCO|XPO|NashMD|GKD|PRM)Config"
)
_MOST = 100_000
CALLS = "$calls"
"""The key of the names of the calls."""


def documents(file: str, text: str) -> list[Document]:
    """The settings that the calls of a module hold.

    Raises:
        Unreadable: It is not Python.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in the file that is read
            tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise Unreadable(getattr(error, "msg", None) or str(error), getattr(error, "lineno", None) or 1) from None
    except (RecursionError, MemoryError):
        raise Unreadable("it is nested too deeply") from None
    nodes = []
    for node in ast.walk(tree):
        nodes.append(node)
        if len(nodes) > _MOST:
            raise Unreadable("it is too long to be read as a configuration")
    names = _constants(nodes)
    calls = [node for node in nodes if isinstance(node, ast.Call) and _SETTINGS.fullmatch(_name(node))]
    items = [item for call in calls for item in _arguments(file, call, names)]
    named = [call for call in calls if _name(call) != "from_pretrained"]
    if named:
        called = tuple(dict.fromkeys(_name(call) for call in named))
        items.append(Item(CALLS, None, file, named[0].lineno, items=called))
    return [Document.of("python", file, items)]


def _name(call: ast.Call) -> str:
    """Of what is called, without what stands before its last point."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _constants(nodes: list[ast.AST]) -> dict[str, ast.expr]:
    """The names that are assigned once, and their values."""
    found: dict[str, ast.expr] = {}
    twice = set()
    for node in nodes:
        targets = (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, (ast.AnnAssign, ast.AugAssign))
            else []
        )
        for target in targets:
            if isinstance(target, ast.Name):
                if target.id in found:
                    twice.add(target.id)
                value = getattr(node, "value", None)
                if value is not None:
                    found[target.id] = value
    return {name: value for name, value in found.items() if name not in twice}


def _arguments(file: str, call: ast.Call, names: dict[str, ast.expr]) -> Iterator[Item]:
    name = _name(call)
    if name == "from_pretrained" and call.args:
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if "Model" in getattr(owner, "id", ""):
            yield _item(file, "from_pretrained", call.args[0], names)
    trains = _TRAINERS.fullmatch(name) is not None
    for argument in call.keywords:
        if argument.arg is not None:
            yield _item(file, argument.arg if trains else f"{name}.{argument.arg}", argument.value, names)


def _item(file: str, key: str, value: ast.expr, names: dict[str, ast.expr]) -> Item:
    if isinstance(value, ast.Name) and value.id in names:
        value = names[value.id]
    if isinstance(value, (ast.List, ast.Tuple)):
        return Item(key, None, file, value.lineno, items=tuple(_text(one) or UNKNOWN for one in value.elts))
    text = _text(value)
    return Item(key, text, file, value.lineno, quoted=isinstance(getattr(value, "value", None), str))


def _text(value: ast.expr) -> str | None:
    """A constant as it would be written in a file; None is null, anything that must be computed is unknown."""
    match value:
        case ast.Constant(value=None):
            return None
        case ast.Constant(value=bool() as truth):
            return str(truth).lower()
        case ast.Constant(value=int() | float() | str() as constant):
            return str(constant)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as constant)):
            return f"-{constant}"
        case ast.BinOp(left=ast.Constant(value=int() as left), op=ast.Mult(), right=ast.Constant(value=int() as right)):
            return str(left * right) if max(abs(left), abs(right)) < 10**9 else UNKNOWN
        case ast.Attribute(attr=attribute) if isinstance(value.value, ast.Name):
            return attribute  # torch.bfloat16
    return UNKNOWN
