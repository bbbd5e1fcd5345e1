"""No statement is left to nobody: each class that the grammar makes is in a group, and a pass reads each group."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from attrs import fields

import llmplan
from llmplan.resources import folder
from llmplan.syntax import build, nodes
from llmplan.syntax.statements import GROUPS, Statements

PACKAGE = Path(llmplan.__file__).parent
GRAMMAR = folder("grammar").joinpath("plan.lark").read_text(encoding="utf-8")
TEXTS = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
ELSEWHERE = {"versions": "the parser compares the version"}
PICKED = {
    ("load/modules.py", "Block"): "a block with a configuration becomes an entry",
    ("load/digest.py", "Block"): "settings are hashed in any order",
    ("load/digest.py", "Assign"): "settings are hashed in any order",
    ("syntax/format.py", "Scenario"): "lines of a scenario are laid out",
    ("syntax/format.py", "Measured"): "those of a run that was measured too",
    ("syntax/build.py", "Language"): "the version stands first",
    ("revision.py", "Block"): "the configurations that a plan names are read as they were",
    ("system/comparison.py", "Require"): "a suggested requirement is read back",
}


def made_by(grammar: str) -> set[type[nodes.Statement]]:
    """The classes of the statements of a grammar."""
    rules = re.search(r"^\?statement:((?:.*\n)(?:^ .*\n)*)", grammar, re.MULTILINE)
    assert rules is not None
    names = set(re.findall(r"\w+", rules[1]))
    for aliases in re.findall(r"^(\w+):((?:.*\n)(?:^ +\|.*\n)*)", grammar, re.MULTILINE):
        if aliases[0] in names:
            names |= set(re.findall(r"-> (\w+)", aliases[1]))
    written = {"language": nodes.Language, "fn": nodes.Fn}
    return {written.get(name) or build._NODES[name][0] for name in names}


def unread(texts: dict[str, str]) -> set[str]:
    """The groups that no pass reads."""
    stages = {name: text for name, text in texts.items() if name.startswith(("check/", "load/"))}
    read = {
        node.attr for text in stages.values() for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)
    }
    return {field.name for field in fields(Statements)} - read


def picked(texts: dict[str, str]) -> set[tuple[str, str]]:
    """Where code tells statements apart by their classes, other than within a group of two or three."""
    names = {cls.__name__ for cls in GROUPS}
    found = set()
    for name, text in texts.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
                parts = [part for part in ast.walk(node.args[1]) if isinstance(part, ast.Attribute)]
                classes = {part.attr for part in parts if ast.unparse(part.value) in ("nodes", "n")}
                found |= {(name, cls) for cls in classes & names}
    return found


def test_every_statement_of_the_grammar_is_in_a_group():
    assert made_by(GRAMMAR) == set(GROUPS)
    assert set(GROUPS.values()) == {field.name for field in fields(Statements)}


def strayed(groups: dict[type[nodes.Statement], str]) -> set[type[nodes.Statement]]:
    """The classes that the type of their group lacks, so that the type checker would not see them in its pass."""
    types = {field.name: set(re.findall(r"\bn\.(\w+)", str(field.type))) for field in fields(Statements)}
    return {cls for cls, name in groups.items() if cls.__name__ not in types[name]}


def test_a_group_names_its_classes():
    assert strayed(GROUPS) == set()
    assert strayed({**GROUPS, nodes.Show: "waivers"}) == {nodes.Show}


def test_a_pass_reads_every_group():
    assert unread(TEXTS) == set(ELSEWHERE)


def test_passes_do_not_pick_statements():
    inside = {(module, cls) for module, cls in picked(TEXTS) if module.startswith("check/")}
    assert inside <= {
        *(("check/define.py", cls) for cls in ("Require", "Prefer", "Objective", "Pareto")),
        *(("check/checker.py", cls) for cls in ("Objective", "Quantity")),
        *(("check/declare.py", cls) for cls in ("Quantity", "Fn")),
        *(("check/annotations.py", cls) for cls in ("Quantity", "Kind")),  # what an argument may name there
    }
    assert picked(TEXTS) - inside == set(PICKED)


def test_a_statement_without_a_group_would_be_seen(monkeypatch):
    grammar = GRAMMAR.replace("          | entry | amend\n", "          | entry | amend | conserve\n")
    assert grammar != GRAMMAR

    class Conserve(nodes.Statement):
        pass

    monkeypatch.setitem(build._NODES, "conserve", (Conserve, "name condition", {}))
    assert made_by(grammar) - set(GROUPS) == {Conserve}


def test_a_group_without_a_pass_would_be_seen():
    texts = {name: text.replace(".waivers", ".rules") for name, text in TEXTS.items()}
    assert unread(texts) == {*ELSEWHERE, "waivers"}


def test_a_statement_picked_by_its_class_would_be_seen():
    assert picked({"check/a.py": "[s for s in all if isinstance(s, nodes.Waive)]"}) == {("check/a.py", "Waive")}


def test_a_statement_of_a_plan_in_the_library_is_told():
    from llmplan.check import library

    texts = library.library_files()
    name = "plans/std/objectives.plan"
    _, problems = library.build({**texts, name: texts[name] + "\nshow step_time\nlet a = 3\n"})
    assert [(one.code, one.span.text) for one in problems if one.span is not None] == [
        ("E0303", "let a = 3"),
        ("E0303", "show step_time"),
    ]
