"""The front end: a plan parsed, checked against the library and lowered to equations, without solving.

Takes a request and its targets, and returns data with its diagnostics; mistakes in a plan never raise. Only the caller
knows what is emitted, and how.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from attrs import evolve, frozen

from llmplan.check import library
from llmplan.check.checker import PlanCheck
from llmplan.check.ir import Entry
from llmplan.check.plan import Program
from llmplan.check.program import Setting
from llmplan.check.scope import Scope, Targets
from llmplan.diagnostics import Diagnostic, files, final, lint, syntax, system
from llmplan.load import output_dir
from llmplan.load.files import shown
from llmplan.load.modules import Module, load
from llmplan.request import Request
from llmplan.resources import TARGET, library_of, targets_in, templates_of
from llmplan.source import Span
from llmplan.system.build import Built, build
from llmplan.system.incremental import MOST_NODES, Earlier, comparable
from llmplan.system.lower import Lowering
from llmplan.system.sweeps import at_point
from llmplan.system.validate import validate
from llmplan.uncertainty.measured import applied

Unread = Callable[[str, Iterable[str], Path], list[str]]
"""The options of a target that no template in a folder reads."""

_SEVERITIES = ("error", "warning", "note")

MOST_ERRORS = 1_000
"""The number of errors at which checking stops: further ones mostly follow from these or repeat them."""


class _Enough(Exception):
    """There are `MOST_ERRORS`."""


@frozen
class Checked:
    """The knowledge about a plan without solving.

    Attributes:
        program, built: None where errors prevent them.
        plan: The plan's path as people know it.
    """

    plan: str
    modules: tuple[Module, ...]
    program: Program | None
    built: Built | None
    diagnostics: tuple[Diagnostic, ...]
    library_hash: str

    @property
    def failed(self) -> bool:
        return any(diagnostic.severity == "error" for diagnostic in self.diagnostics)


def analyse(
    asked: Request,
    targets: Targets,
    reads: Callable[[Sequence[str]], Iterable[str]],
    point: int | None = None,
    checking: bool = False,
    unread: Unread | None = None,
) -> Checked:
    """Parses, checks and lowers a plan.

    Args:
        targets: What a plan may emit, each with the folders that are written for it.
        reads: The inputs that the files of some targets read, so that open ones are solved too.
        point: At which point of the plan's sweeps, if at one.
        checking: True if nothing but the diagnostics is asked for, which may be known without a lowering from
            nothing: an editor checks a plan at every change.
        unread: Tells the options of a target that its templates do not read.

    Raises:
        llmplan.load.files.Unreadable: if the plan itself cannot be read.
    """
    root, own = (library_of(asked.path), templates_of(asked.path)) if asked.path != "-" else (None, None)
    if root is not None or own is not None:
        return library_file(asked.path, root, own, asked.text, unread, _folders(targets))
    try:
        texts = library.library_files(templates=asked.templates) if asked.templates else None
    except (OSError, UnicodeError) as error:
        problem = files.broken_template(str(asked.templates), str(error))
        return Checked(asked.name, (), None, None, (problem,), "")
    scope, content, problems = library.load(texts, tables=False)
    problems = problems or library.unknown_targets(scope, _folders(targets))
    modules: list[Module] = []
    diagnostics: list[Diagnostic] = []
    if not problems:
        modules, diagnostics = load(asked.path, asked.text, asked.root, asked.statements)
        if diagnostics or any(module.configured for module in modules):
            problems = library.tables_of(scope, texts)
    if _failed(problems):
        # Nothing can be said of a plan upon a library that is broken.
        return Checked(asked.name, (), None, None, tuple(dict.fromkeys(_causes(problems))), content)
    for module in modules:
        further = (source for found in module.configured for source in found.sources)
        for source in (module.source, *further):
            scope.sources[source.name] = source
    if not diagnostics and not any(module.tree.statements for module in modules):
        diagnostics.append(syntax.empty(Span(modules[0].source, 0, 0)))
    program: Program | None = None
    built: Built | None = None
    try:
        program = PlanCheck(scope, targets, _counted(diagnostics)).run(modules, asked.scenario, asked.settings)
        program.protected.update(asked.kept)
        program.offered = asked.offered
        if asked.has_files:
            program.rules = [rule for rule in program.rules if not rule.written]
        diagnostics += _not_allowed(program, asked)
        # Next to other errors only what is wrong with numbers as they are written.
        failed = _failed(diagnostics)
        wanted = tuple(reads([target.name for target in program.emits]))
        if failed or not (checking and _sound_again(program, content, wanted)):
            lowering = Lowering(program)
            diagnostics += [d for d in validate(lowering) if not failed or d.code in ("E0305", "E0307")]
            if not _failed(diagnostics):
                program, told = applied(lowering)
                diagnostics += told
                lowering = lowering.again(program) if program is not lowering.program else lowering
                if point is not None:
                    program = at_point(lowering, point)
                built = build(lowering, program, wanted)
                diagnostics += built.diagnostics
                if checking and not built.diagnostics:
                    _remember(content, built.lowering)
    except RecursionError:
        diagnostics.append(system.too_deep())
    except _Enough:
        rest = "there may be more mistakes: after so many, nothing further was checked"
        diagnostics[-1] = evolve(diagnostics[-1], notes=(*diagnostics[-1].notes, rest))
    found = _in_order(diagnostics, modules)
    if not found and program is not None and not program.asks:
        found = (lint.asks_nothing(modules[0].tree.span),)
    return Checked(asked.name, tuple(modules), program, built, found, content)


def _folders(targets: Targets) -> set[str]:
    """The folders that may be written for targets."""
    return set[str]().union(*(folders.some for folders in targets.values()))


def _not_allowed(program: Program, asked: Request) -> list[Diagnostic]:
    """Departures from requirements under `no_waive`, and a folder that nothing may be written into."""
    departures = program.departures if asked.no_waive else []
    refused = output_dir.refused(asked.path, program.into, program.into_at, asked.base) if program.into else None
    return [
        *(final.not_allowed(program.scope.span(d.place), d.rule.name, d.by is not None) for d in departures),
        *([refused] if refused else []),
    ]


def _in_order(diagnostics: Sequence[Diagnostic], modules: Sequence[Module]) -> tuple[Diagnostic, ...]:
    """Diagnostics, each once, by severity and place; those of a configuration at the line of its file."""
    configured = [entry for module in modules for entry in module.configured]
    if configured:
        from llmplan.load.key_locations import pointed

        diagnostics = [pointed(one, configured) for one in diagnostics]
    order = [module.source.name for module in modules]
    return tuple(sorted(dict.fromkeys(_causes(diagnostics)), key=lambda one: _rank(one, order)))


def _counted(diagnostics: list[Diagnostic]) -> Callable[[Diagnostic], None]:
    """Takes diagnostics in, and raises `_Enough` at the last one that is wanted."""
    errors = sum(one.severity == "error" for one in diagnostics)

    def report(found: Diagnostic) -> None:
        nonlocal errors
        diagnostics.append(found)
        errors += found.severity == "error"
        if errors >= MOST_ERRORS:
            raise _Enough

    return report


_latest: dict[str, Lowering] = {}
"""By the library's hash: the lowering of the plan that was last checked without a word. One at most."""


def _remember(content: str, lowering: Lowering) -> None:
    _latest.clear()
    if len(lowering.graph) <= MOST_NODES:
        _latest[content] = lowering


def _sound_again(program: Program, content: str, reads: Sequence[str]) -> bool:
    """Whether a plan, most often a new text of the one checked last, is sound; False also where only a new lowering
    tells.
    """
    before = _latest.get(content)
    if before is None or not comparable(before.program, program):
        return False
    earlier = Earlier(before.names.all(), before.unknowns.met, before.graph, before.program, program)
    lowering = Lowering(program, earlier=earlier)
    if validate(lowering):
        return False
    built = build(lowering, None, reads)
    if not built.diagnostics:
        _remember(content, built.lowering)
    return not built.diagnostics


def library_file(
    path: str,
    root: Path | None,
    templates: Path | None = None,
    text: str | None = None,
    unread: Unread | None = None,
    folders: Collection[str] = (),
) -> Checked:
    """A file of the library, checked in its place among the others.

    A mistake that stands in another is one of the whole: while there is one, the library is broken, perhaps by a change
    of this file.

    Args:
        root: Where the `plans` and `templates` of the library lie that the file is part of. None for what a user's
            folder of `templates` says of a target, which lies over those of llmplan.
        unread: Tells the options of a target that its templates do not read.
        folders: The product's folders of templates.
    """
    file = Path(path).resolve()
    name = shown(file) if root is None else file.relative_to(root).as_posix()
    texts = library.library_files(root, templates if root is None else None)
    scope, content, problems = library.load(texts if text is None else {**texts, name: text})
    templates = templates if root is None else root / "templates"
    problems = problems or library.unknown_targets(scope, {*folders, *targets_in(templates)})
    if root is not None:
        for known, source in scope.sources.items():
            # From here on under the names by which people find the files from where they are.
            source.name = shown(root / known)
    own = scope.sources[name]
    found = _causes(problems) if problems else _values_of_entries(scope, name)
    if file.name == TARGET and unread is not None:
        target = file.parent.name
        fields = [scope.fields[f"{target}.{option}"] for option in scope.kinds.get(target, ())]
        stated = {field.path.partition(".")[2]: field for field in fields if field.place[0] == name}
        found += [
            files.unread_option(target, option, scope.span(stated[option].place))
            for option in unread(target, stated, file.parent.parent)
        ]
    found = list(dict.fromkeys(found))
    found.sort(key=lambda one: _rank(one, [own.name]))
    return Checked(own.name, (), None, None, tuple(found), content)


def _values_of_entries(scope: Scope, file: str) -> list[Diagnostic]:
    """Mistakes in the values of one file's catalog entries, checked like a plan's own."""
    found: list[Diagnostic] = []
    for kind, table in scope.entries.items():
        for name, record in table.items():
            if record.place[0] != file:
                continue
            settings = {f"{kind}.{field}": [("plan", setting)] for field, setting in record.settings}
            chosen = Setting(Entry(kind, name), None, record.place)
            program = Program(scope, settings={scope.selector(kind): [("plan", chosen)], **settings})
            found += [
                d for d in validate(Lowering(program)) if d.span is not None and d.span.source is scope.sources[file]
            ]
    return found


def _rank(found: Diagnostic, files: Sequence[str]) -> tuple[int, int, int]:
    """Errors first, in the order of the files and of the places in them."""
    at = found.span
    if at is None or at.source.name not in files:
        return _SEVERITIES.index(found.severity), len(files), 0
    return _SEVERITIES.index(found.severity), files.index(at.source.name), at.start


def _causes(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Diagnostics without those that follow from others.

    Left out is what points into a syntax error, an unknown name that stands on a line that could not
    be read, where it may have been defined, and next to errors the names that nothing reads.
    """
    failed = _failed(diagnostics)
    contradicted = any(d.code == "E0406" for d in diagnostics)
    unread = [d.span for d in diagnostics if d.code.startswith("E01") and d.span is not None]
    lines = [span.source.line(span.line) for span in unread]

    def echo(found: Diagnostic) -> bool:
        at = found.span
        if failed and found.code == "W0602":
            return True
        if at is None or found.code.startswith("E01"):
            return False
        if contradicted and found.code == "E0203" and at.source.library:
            return True  # only where its requirement holds has the library one formula
        if any(at.source is bad.source and at.start < bad.end and bad.start < at.end for bad in unread):
            return True
        return found.code == "E0201" and any(at.text in line for line in lines)

    return [diagnostic for diagnostic in diagnostics if not echo(diagnostic)]


def _failed(diagnostics: Sequence[Diagnostic]) -> bool:
    return any(diagnostic.severity == "error" for diagnostic in diagnostics)
