"""Slips in statements: a missing colon, a clause in words, two statements in one, a statement by another name.

Each check reads the line of the mistake, and returns a diagnostic with the statement that was probably meant, or None.
Only a statement outside of brackets is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from llmplan.diagnostics import Diagnostic, Edit, Hint, syntax
from llmplan.diagnostics.spelling import closest
from llmplan.resources import entries, folder
from llmplan.source import Span
from llmplan.syntax.error_context import ErrorContext

_LONGEST = 1000  # characters of a line that are looked at
_LINE = re.compile(rf"[^\r\n#]{{0,{_LONGEST}}}")
_PATH = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
_RULE = re.compile(r"(require|prefer)[ \t]+((?:certain[ \t]+)?)(?:([A-Za-z_]\w*)[ \t]*:[ \t]*)?")
_GOAL = re.compile(r"(minimize|maximize|show)[ \t]+")
_COMPARED = re.compile(rf"[ \t]*(?:{_PATH}|chance\(.*\))[^\"=<>!]*(<=|>=|==|!=|<|>|\bin\b)")
_WORDS = {
    "below": "<", "under": "<", "less than": "<", "fewer than": "<", "at most": "<=", "up to": "<=",
    "above": ">", "over": ">", "more than": ">", "at least": ">=", "equals": "==", "is": "==",
}  # fmt: skip
_COMPARISON = re.compile(rf"\b({'|'.join(_WORDS)})\b")
_CONDITION = re.compile(r"(where|when|if|with|while|given|subject[ \t]+to|such[ \t]+that|so[ \t]+that)[ \t]+")
_PROBABLY = re.compile(
    r"[ \t]*\b(?:with|at|by)[ \t]+([0-9][0-9.]*[ \t]*%)(?:[ \t]+[a-z]+)?(?=[ \t]*(?:because|else|$))"
)
_CERTAIN = re.compile(r"[ \t]*\b(?:for[ \t]+)?(?:certain|sure|surely)\b(?=[ \t]*(?:because|else|$))")
_PER = re.compile(rf"[ \t]*\bper[ \t]+({_PATH})")
_PARTS = re.compile(r"[ \t]*(?:,|\band\b)[ \t]*")
_NAMES = re.compile(rf"{_PATH}(?:[ \t]*(?:,|\band\b)[ \t]*{_PATH})+")
_TARGET = re.compile(r"[A-Za-z_]\w*(?:-\w+)+")
_STATEMENTS = {
    "optimize": ("minimize", "maximize"), "optimise": ("minimize", "maximize"), "objective": ("minimize", "maximize"),
    "goal": ("minimize", "maximize"), "min": ("minimize",), "max": ("maximize",),
    "constraint": ("require",), "constrain": ("require",), "ensure": ("require",), "assert": ("require",),
    "must": ("require",), "print": ("show",), "display": ("show",), "output": ("emit",), "generate": ("emit",),
    "const": ("let",), "var": ("let",), "import": ("use",), "include": ("use",),
}  # fmt: skip


def _statement(context: ErrorContext) -> str:
    """The line of the statement up to a comment; empty inside brackets and where it goes over several lines."""
    found = _LINE.match(context.source.text, context.item) if context.opened is None else None
    return found.group().rstrip() if found is not None and context.start <= found.end() else ""


def _span(context: ErrorContext, start: int, end: int) -> Span:
    """A part of the statement, by its position in it."""
    return Span(context.source, context.item + start, context.item + end)


def unnamed(context: ErrorContext) -> Diagnostic | None:
    """`require deadline time <= 30 days`."""
    line = _statement(context)
    rule = _RULE.match(line)
    if rule is None or rule[3] or context.before[0] != "NAME" or context.last.start != context.item + rule.end():
        return None
    after = context.last.end - context.item
    if _COMPARED.match(line, after) is None or _COMPARISON.match(context.span.text):
        return None
    name = context.last.text
    hint = syntax.replacement(context.last, f"{name}:", f"a name ends with a colon: `{rule[1]} {name}: …`")
    return syntax.slip(context.span, f"missing `:` after the name `{name}`", hint)


def compared_in_words(context: ErrorContext) -> Diagnostic | None:
    """`require time below 30 days`."""
    line = _statement(context)
    words = _COMPARISON.match(line, context.start - context.item)
    if words is None or _RULE.match(line) is None:
        return None
    where, sign = _span(context, *words.span()), _WORDS[words[1]]
    return syntax.slip(where, f"`{words[1]}` is not an operator", syntax.replacement(where, sign))


def probable(context: ErrorContext) -> Diagnostic | None:
    """`require time <= 30 days with 90%`, `… certain`."""
    line = _statement(context)
    rule, start = _RULE.match(line), context.last.end - context.item
    if rule is None or not context.before[0]:
        return None
    condition = line[rule.end() : start].strip()
    if (share := _PROBABLY.match(line, start)) is not None:
        where, asked = _span(context, rule.end(), share.end()), share[1].replace(" ", "")
        meant = f"chance({condition}) >= {asked}"
        hint = syntax.replacement(where, meant, f"ask for a chance: `{meant}`")
        return syntax.slip(context.span, f"unexpected `{context.span.text}`", hint)
    certain = _CERTAIN.match(line, start)
    if certain is None or rule[2]:
        return None
    place = rule.end(1)
    edits = (Edit(_span(context, place, place), " certain"), Edit(_span(context, *certain.span()), ""))
    hint = Hint(f"`certain` follows `{rule[1]}`: `{rule[1]} certain {line[rule.end(2) : start].strip()}`", edits)
    return syntax.slip(context.span, f"unexpected `{context.span.text}`", hint)


def conditional(context: ErrorContext) -> Diagnostic | None:
    """`minimize cost where time <= 30 days`."""
    line = _statement(context)
    word = _CONDITION.match(line, context.start - context.item)
    if word is None or not context.before[0]:
        return None
    said = re.sub(r"[ \t]+", " ", word[1])
    if _RULE.match(line) is not None:
        if said == "when" or not _COMPARED.match(line, word.end()):
            return None
        hint = syntax.replacement(_span(context, *word.span()), "when ", "a condition begins with `when`")
        return syntax.slip(_span(context, *word.span(1)), f"unexpected `{said}`", hint)
    if _GOAL.match(line) is None or not _COMPARED.match(line, word.end()):
        return None
    edit = Edit(_span(context, len(line[: word.start()].rstrip()), word.end()), "\nrequire ")
    hint = Hint(f"write the condition on a line of its own: `require {line[word.end() :]}`", (edit,))
    return syntax.slip(_span(context, *word.span(1)), f"unexpected `{said}`", hint)


def quotient(context: ErrorContext) -> Diagnostic | None:
    """`cost per token`."""
    line = _statement(context)
    per = _PER.match(line, context.last.end - context.item)
    if per is None or context.span.text != "per" or not context.before[0]:
        return None
    before = line[: per.start()].split()[-1]
    value = per[1] if "." in per[1] else "dataset.tokens"
    hint = Hint(f"a quotient of two values is written with `/`, as in `{before} / {value}`")
    return syntax.slip(context.span, "`per` is not an operator", hint)


def shown_as(context: ErrorContext) -> Diagnostic | None:
    """`show time as days`."""
    if context.span.text not in ("as", "to") or not _statement(context).startswith("show"):
        return None
    hint = syntax.replacement(context.span, "in", "a unit to show it in follows `in`")
    return syntax.slip(context.span, f"unexpected `{context.span.text}`", hint)


def several(context: ErrorContext) -> Diagnostic | None:
    """`minimize time, cost`, `show time, cost`, `show time and cost`."""
    line = _statement(context)
    word = _GOAL.match(line)
    if word is None or _PARTS.match(line, context.last.end - context.item) is None:
        return None
    listed = _NAMES.fullmatch(line, word.end())
    if listed is None:
        return None
    parts = _PARTS.split(listed.group())
    where = _span(context, *listed.span())
    lines = Edit(where, f"\n{word[1]} ".join(parts))
    each = "; then ".join(f"`{word[1]} {part}`" for part in parts)
    if word[1] == "show":
        return syntax.slip(where, "`show` takes one value", Hint(f"one a line: {each}", (lines,)))
    front = Edit(_span(context, word.start(), listed.end()), f"pareto {', '.join(parts)}")
    return syntax.slip(
        where,
        f"`{word[1]}` takes one number",
        Hint(f"an objective a line, the most important first: {each}", (lines,), word[1] == "minimize"),
        Hint(f"the best trade-offs of them: `{front.text}`", (front,), True) if word[1] == "minimize" else None,
    )


def target(context: ErrorContext) -> Diagnostic | None:
    """`emit megatron-lm`: no target has a hyphen in its name."""
    text = context.source.text
    name = _TARGET.match(text, context.before[1])
    if context.mark != "-" or name is None or not _statement(context).startswith("emit"):
        return None
    place = Span(context.source, *name.span())
    known = [entry.name for entry in entries(folder("templates"), "templates") if entry.is_dir()]
    first, _, _ = name.group().partition("-")
    near = [first] if first in known else closest(name.group().replace("-", ""), known)
    hints = [syntax.replacement(place, meant, f"did you mean `{meant}`?") for meant in near]
    return syntax.slip(place, f"`{place.text}` is not the name of a target, which has no hyphen", *hints)


def another_name(context: ErrorContext) -> Diagnostic | None:
    """`optimize cost`: a statement by the name it has elsewhere."""
    first = context.last
    meant: Sequence[str] = _STATEMENTS.get(first.text, ())
    if not meant or first.start != context.item or context.opened is not None or context.mark in ("=", "{", "."):
        return None
    rest = _statement(context)[first.end - first.start :].strip()
    hints = [syntax.replacement(first, word, f"write `{word} {rest}`") for word in meant]
    if len(hints) > 1:
        hints = [Hint(hint.text, hint.edits, True) for hint in hints]
    return syntax.begins_no_statement(first, *hints)


CHECKS = (
    another_name,
    probable,
    conditional,
    compared_in_words,
    unnamed,
    quotient,
    shown_as,
    several,
    target,
)
