"""Mistakes of a user's own folder of templates that can be told before a plan is solved: broken manifests, files that
are missing, options that no target declares.

Input: the folder, and the options of the kinds that a plan knows. Output: diagnostics with the user's own paths.
Templates are searched as text, so that `check` needs no jinja2; what only their compiler knows, rendering tells before
anything is written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from llmplan.diagnostics import Diagnostic, files
from llmplan.emit.targets import is_there, load, path_of, source
from llmplan.resources import MANIFEST, TARGET
from llmplan.source import Source, Span

_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_OPTION = re.compile(r"""(?<![\w.])option\(\s*["']([^"'\n]*)["']""")
_INCLUDED = re.compile(r"""\{%-?\s*(?:import|from|include|extends)\s+["']([^"'\n]+)["']""")


def manifests(templates: Path | None) -> tuple[Diagnostic, ...]:
    """E0506 for each manifest of the folder that cannot be used, or that names a missing file."""
    if templates is None:
        return ()
    known, problems = load(templates)
    for name, target in known.items():
        place = f"{name}/{MANIFEST}"
        if not (templates / place).is_file():
            continue
        whole = Source(path_of(place, templates), source(place, templates))
        for file, template in target.files:
            if not is_there(f"{name}/{template}", templates):
                missing = path_of(f"{name}/{template}", templates)
                why = f"the template of `{file}`, {missing}, does not exist"
                problems.append(files.broken_template(whole.name, why, _quoted(whole, template)))
    return tuple(problems)


def templates_of_targets(
    templates: Path | None, folders: Collection[str], options: Mapping[str, Collection[str]]
) -> list[Diagnostic]:
    """E0506 for each option that a template reads and its target lacks, and for each file that it includes in vain.

    Args:
        folders: Those whose templates are read.
        options: The options of each target that has any.
    """
    found: list[Diagnostic] = []
    known = load(templates)[0] if templates is not None else {}
    for name in sorted(folders):
        own = templates / name if templates is not None else None
        if templates is None or own is None or not own.is_dir() or name not in known:
            continue
        rendered = {template for _, template in known[name].files}
        for file in sorted(own.glob("*.j2")):
            try:
                text = source(f"{name}/{file.name}", templates)
            except (OSError, UnicodeError):
                continue  # rendering reports it, if it is read
            whole = Source(path_of(f"{name}/{file.name}", templates), text)
            bare = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)
            if file.name in rendered:
                found += _unknown_options(whole, bare, name, options.get(name, ()), templates)
            found += _not_included(whole, bare, templates)
    return found


def _unknown_options(
    whole: Source, text: str, target: str, options: Collection[str], templates: Path
) -> list[Diagnostic]:
    declared = path_of(f"{target}/{TARGET}", templates)
    return [
        files.undeclared_option(whole.name, target, Span(whole, match.start(1), match.end(1)), options, declared)
        for match in _OPTION.finditer(text)
        if match[1] not in options
    ]


def _not_included(whole: Source, text: str, templates: Path) -> list[Diagnostic]:
    return [
        files.broken_template(
            whole.name,
            f"it includes {path_of(match[1], templates)}, which does not exist",
            Span(whole, match.start(1), match.end(1)),
        )
        for match in _INCLUDED.finditer(text)
        if not is_there(match[1], templates)
    ]


def _quoted(whole: Source, text: str) -> Span | None:
    """Where a text stands in quotes."""
    start = whole.text.find(f'"{text}"')
    return Span(whole, start, start + len(text) + 2) if start >= 0 else None
