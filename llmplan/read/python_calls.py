"""The calls of a Python file, read by `ast` and never run: `TrainingArguments(per_device_train_batch_size=2)`.

Constants, names that are assigned once in the file, what is calculated from them, and the default of a variable of the
environment are values; any other expression is unknown. The arguments of all calls whose name says that they hold
settings make one document: those of training arguments by their own names, of others after the call's, as
`LoraConfig.r`.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Iterator

from llmplan.read.document import UNKNOWN, Document, Item, Unreadable

_SETTINGS = re.compile(
    r".*(Arguments|Config|Trainer|Parser|Accelerator|Plugin|Strategy)|from_pretrained|get_peft_model|TrainingArgs"
)
_TRAINERS = re.compile(
    r".*Arguments|(SFT|DPO|KTO|ORPO|CPO|GRPO|RLOO|PPO|Reward|OnlineDPO|BCO|XPO|NashMD|GKD|PRM)Config"
)
_LOADS = "from_pretrained"
_ENVIRONMENT = frozenset({"os.environ.get", "environ.get", "os.getenv", "getenv"})
_MODULES = frozenset({"torch"})
"""Modules whose members are words: `torch.bfloat16`; those of other objects only a run would tell."""
_OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
}  # fmt: skip
_LARGEST = 10**12
_POWER = 64
_NAMES = 20
"""Names that stand for each other, and expressions within each other, at most."""
_MOST = 100_000

Constant = str | int | float | None
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
    named = [call for call in calls if _name(call) != _LOADS]
    if named:
        owners = [_owner(call) for call in calls if _name(call) == _LOADS]
        called = tuple(dict.fromkeys([*map(_name, named), *filter(None, owners)]))
        items.append(Item(CALLS, None, file, named[0].lineno, items=called))
    return [Document.of("python", file, items)]


def _name(call: ast.Call) -> str:
    """Of what is called, without what stands before its last point."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _owner(call: ast.Call) -> str:
    """Whose method is called, as `AutoModel` in `AutoModel.from_pretrained`."""
    return getattr(call.func.value, "id", "") if isinstance(call.func, ast.Attribute) else ""


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
    if call.args and name == _LOADS and "Model" in _owner(call):
        yield from _items(file, _LOADS, call.args[0], names)
    if call.args and name.endswith("Trainer"):
        yield from _items(file, f"{name}.model", call.args[0], names)
    trains = _TRAINERS.fullmatch(name) is not None
    prefix = "" if trains else f"{name}."
    for argument in call.keywords:
        if argument.arg is not None:
            yield from _items(file, f"{prefix}{argument.arg}", argument.value, names)
        elif isinstance(known := _meant(argument.value, names), ast.Dict):
            for key, value in zip(known.keys, known.values):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield from _items(file, f"{prefix}{key.value}", value, names)


def _items(file: str, key: str, value: ast.expr, names: dict[str, ast.expr]) -> Iterator[Item]:
    """An argument; of a dictionary each of its keys, as `fsdp_config.activation_checkpointing`."""
    value = _meant(value, names)
    if isinstance(value, ast.Dict) and value.keys:
        for name, inner in zip(value.keys, value.values):
            text = _text(name, names) if name is not None else None
            if text is not None:
                yield from _items(file, f"{key}.{text}", inner, names)
    elif isinstance(value, (ast.List, ast.Tuple)):
        items = tuple(_text(one, names) or UNKNOWN for one in value.elts)
        yield Item(key, None, file, value.lineno, items=items)
    else:
        text = _text(value, names)
        yield Item(key, text, file, value.lineno, quoted=isinstance(getattr(value, "value", None), str))


def _meant(value: ast.expr, names: dict[str, ast.expr]) -> ast.expr:
    """What a name stands for."""
    for _ in range(_NAMES):
        if not (isinstance(value, ast.Name) and value.id in names):
            return value
        value = names[value.id]
    return value


def _text(value: ast.expr, names: dict[str, ast.expr]) -> str | None:
    """A constant as it would be written in a file; None is null, what only a run would tell is unknown."""
    found = _constant(value, names, 0)
    if isinstance(found, bool):
        return str(found).lower()
    return found if found is None or isinstance(found, str) else str(found)


def _constant(value: ast.expr, names: dict[str, ast.expr], depth: int) -> Constant:
    """The value of an expression of constants."""
    if depth > _NAMES:
        return UNKNOWN

    def inner(of: ast.expr) -> Constant:
        return _constant(of, names, depth + 1)

    match value:
        case ast.Constant(value=None | bool() | int() | float() | str() as constant):
            return constant
        case ast.Name(id=name) if name in names:
            return inner(names[name])
        case ast.UnaryOp(op=ast.USub(), operand=operand) if isinstance(number := inner(operand), (int, float)):
            return -number
        case ast.BinOp(left=left, op=operation, right=right):
            return _calculated(type(operation), inner(left), inner(right))
        case ast.JoinedStr(values=parts):
            return "".join(str(inner(part)) for part in parts)
        case ast.FormattedValue(value=part, conversion=-1, format_spec=None):
            return inner(part)
        case ast.Call(func=ast.Name(id="int" | "float" | "str" as kind), args=[argument]):
            return _converted(kind, inner(argument))
        case ast.Call(args=[_, default]) if ast.unparse(value.func) in _ENVIRONMENT:
            return inner(default)  # as `${X:-default}` in a script
        case ast.Attribute(value=ast.Name(id=owner), attr=attribute) if owner in _MODULES or owner[:1].isupper():
            return attribute  # torch.bfloat16, IntervalStrategy.STEPS
    return UNKNOWN


def _calculated(operation: type[ast.operator], left: Constant, right: Constant) -> Constant:
    if isinstance(left, str) and isinstance(right, str) and operation is ast.Add:
        return left + right
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)) or operation not in _OPERATIONS:
        return UNKNOWN
    if max(abs(left), abs(right)) > _LARGEST or (operation is ast.Pow and abs(right) > _POWER):
        return UNKNOWN
    try:
        found: Constant = _OPERATIONS[operation](left, right)
    except (ArithmeticError, ValueError):
        return UNKNOWN
    return found if isinstance(found, (int, float)) else UNKNOWN


def _converted(kind: str, value: Constant) -> Constant:
    if value is None or (isinstance(value, str) and UNKNOWN in value):
        return UNKNOWN
    try:
        return int(value) if kind == "int" else float(value) if kind == "float" else str(value)
    except ValueError:
        return UNKNOWN
