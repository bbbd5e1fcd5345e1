"""Loading a plan: its text, the files that it uses, and the order in which they win.

Layers are a total order: the plan itself, then the files that it uses (a later `use` above an
earlier one), then what those use, and so on; a file that is used twice counts once, where it is
highest. Nothing outside the project root is read, and as a plan nothing that is not called one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from llmplan.diagnostics import Diagnostic, names
from llmplan.load.files import (
    STATEMENTS,
    Unreadable,
    inside,
    is_plan,
    outside,
    project_root,
    read,
    read_plan,
    way_out,
)
from llmplan.source import MAX_BYTES, Source, Span
from llmplan.syntax import nodes
from llmplan.syntax.parse import parse
from llmplan.syntax.statements import Statements

if TYPE_CHECKING:
    from llmplan.load.config import Configured

MAX_FILES = 200
_TOO_MANY = "too many files are used"


@frozen
class Module:
    """A parsed text of the layer `plan` or `used`; entries of `configured` files are statements of it."""

    source: Source
    tree: nodes.File
    layer: str
    configured: tuple[Configured, ...] = ()


def load(
    path: str, text: str | None = None, root: str | None = None, statements: Sequence[str] = ()
) -> tuple[list[Module], list[Diagnostic]]:
    """The plan and all that it uses, the plan first, each parsed; before it the statements that win over it.

    Args:
        path: The plan's path, or `-` for `text` read from standard input.
        text: The plan's text if it has been read already.
        root: The project root, found if None.
        statements: A text that uses the plan, in parts.

    Raises:
        Unreadable: if the plan itself cannot be read.
    """
    file = Path("<stdin>") if path == "-" else Path(path)
    source = Source("<stdin>" if path == "-" else file.as_posix(), text if text is not None else read_plan(file))
    texts = [(Path(STATEMENTS), Source(STATEMENTS, "\n".join(statements)))] if statements else []
    base = Path(root).resolve() if root else project_root(file)
    configs: dict[Path, str] = {}
    modules: list[Module] = []
    diagnostics: list[Diagnostic] = []
    seen = {file.resolve()}
    # Breadth first: a deeper file is lower; within a depth a later `use` is higher.
    level: list[tuple[Path, nodes.File, tuple[Path, ...]]] = []
    for place, found in (*texts, (file, source)):
        tree, problems = parse(found)
        diagnostics += problems
        layer = "used" if modules else "plan"
        modules.append(_configured(Module(found, tree, layer), place, base, configs, diagnostics))
        level.append((place, tree, (place.resolve(),)))
    unread = 0
    while level:
        below: list[tuple[Path, nodes.File, tuple[Path, ...]]] = []
        for parent, parent_tree, chain in level:
            for use in reversed(Statements.of(parent_tree.statements).uses):
                before = len(diagnostics)
                loaded = _use(use, parent, base, chain, seen, diagnostics)
                unread += len(diagnostics) > before
                if unread > MAX_FILES:
                    diagnostics.append(names.no_file(use.path.span, use.path.plain or "", _TOO_MANY))
                    return modules, diagnostics
                if loaded is None:
                    continue
                child, child_source = loaded
                child_tree, problems = parse(child_source)
                diagnostics += problems
                used = Module(child_source, child_tree, "used")
                modules.append(_configured(used, child, base, configs, diagnostics))
                below.append((child, child_tree, (*chain, child.resolve())))
                if len(modules) > MAX_FILES:
                    diagnostics.append(names.no_file(use.path.span, use.path.plain or "", _TOO_MANY))
                    return modules, diagnostics
        level = below
    return modules, diagnostics


def _use(
    use: nodes.Use, parent: Path, root: Path, chain: tuple[Path, ...], seen: set[Path], out: list[Diagnostic]
) -> tuple[Path, Source] | None:
    """One used file, unless it is wrong (reported) or loaded already."""
    name, span = use.path.plain or "", use.path.span
    target = _inside(name, span, parent, root, out)
    if target is None:
        return None
    resolved = target.resolve()
    if resolved in chain:
        out.append(names.use_circle(span, name))
        return None
    if resolved in seen:
        return None
    seen.add(resolved)
    if os.path.isfile(target) and not is_plan(target):
        # Diagnostics show the line that they are about, and not every file of a project is there to be shown.
        out.append(names.no_file(span, name, "the name of the file does not end in `.plan`"))
        return None
    try:
        return target, Source(Path(os.path.normpath(target)).as_posix(), read(target))
    except Unreadable as why:
        out.append(names.no_file(span, name, str(why)))
        return None


def _inside(name: str, span: Span, parent: Path, root: Path, out: list[Diagnostic]) -> Path | None:
    """The file that a text means, relative to the file that names it; None (reported) outside the root."""
    if not name:
        out.append(names.no_file(span, "", "expected a path as plain text"))
        return None
    target = (parent.parent if parent.name != "<stdin>" else Path()) / name
    try:
        resolved = target.resolve()
    except (OSError, ValueError, RuntimeError):
        out.append(names.no_file(span, name, "it is not a valid path"))
        return None
    if not inside(resolved, root):
        out.append(names.no_file(span, name, outside(root), way_out(resolved, root)))
        return None
    return target


def _configured(module: Module, file: Path, root: Path, configs: dict[Path, str], out: list[Diagnostic]) -> Module:
    """The module with `kind from "file"` turned into an entry of the catalog and a block that takes it.

    `configs` has by file the name of its entry: a file that is read twice becomes one entry.
    """
    statements: list[nodes.Statement] = []
    configured: list[Configured] = []
    for statement in module.tree.statements:
        if isinstance(statement, nodes.Block) and statement.config is not None:
            at = statement.config
            target = _inside(at.plain or "", at.span, file, root, out)
            if target is not None and target.resolve() not in configs:
                found = _config(statement.kind.text, target, root, at)
                if isinstance(found, Diagnostic):
                    out.append(found)
                    target = None
                else:
                    configured.append(found)
                    out += found.warnings
                    statements.append(found.entry)
                    configs[target.resolve()] = found.entry.name.plain or ""
            name = configs[target.resolve()] if target is not None else None
            entry = nodes.Text(span=at.span, parts=(name,)) if name is not None else None
            statement = evolve(statement, config=None, entry=entry)
        statements.append(statement)
    tree = evolve(module.tree, statements=tuple(statements))
    return evolve(module, tree=tree, configured=tuple(configured))


def _config(kind: str, target: Path, root: Path, at: nodes.Text) -> Configured | Diagnostic:
    """The entry that a file describes, called by its path from the project root."""
    try:
        source = Source(Path(os.path.normpath(target)).as_posix(), read(target))
        if len(source.text.encode()) > MAX_BYTES:
            raise Unreadable("it is larger than 1 MB")
    except Unreadable as why:
        return names.no_file(at.span, at.plain or "", str(why))
    from llmplan.load import config

    return config.read(kind, target.resolve().relative_to(root).as_posix(), source, at.span)
