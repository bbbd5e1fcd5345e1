"""A plan as far as it is known without solving: parsed, checked against the library, lowered to equations.

Takes the path of a plan and returns data with its diagnostics; nothing is raised for what a plan says.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from llmplan.check import library
from llmplan.check.plan import PlanCheck, Program
from llmplan.diagnostics import Diagnostic, names, system
from llmplan.load.modules import Module, load
from llmplan.system.build import Built, build, validate

_SEVERITIES = ("error", "warning", "note")


@frozen
class Checked:
    """A plan as far as it is known without solving.

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


def front(
    path: str,
    *,
    root: str | None = None,
    settings: Sequence[tuple[str, str]] = (),
    scenario: str | None = None,
    text: str | None = None,
    templates: Path | None = None,
    sweeping: bool = False,
) -> Checked:
    """Parses, checks and lowers a plan; with `sweeping` at the first point of its sweeps.

    Raises:
        llmplan.load.files.Unreadable: if the plan itself cannot be read.
    """
    from llmplan.emit.targets import targets

    modules, diagnostics = load(path, text, root)
    scope, content, problems = library.load()
    diagnostics = [*problems, *diagnostics]
    for module in modules:
        further = (source for found in module.configured for source in found.sources)
        for source in (module.source, *further):
            scope.sources[source.name] = source
    known = {name: target.options for name, target in targets(templates).items()}
    program: Program | None = None
    built: Built | None = None
    try:
        program = PlanCheck(scope, known, diagnostics.append).run(modules, scenario, settings)
        # Next to other errors only what is wrong with numbers as they are written.
        failed = _failed(diagnostics)
        diagnostics += [d for d in validate(program) if not failed or d.code in ("E0305", "E0307")]
        if not _failed(diagnostics):
            built = build(_first_point(program) if sweeping else program, _reads(program, templates))
            diagnostics += built.diagnostics
    except RecursionError:
        diagnostics.append(system.too_deep())
    files = [module.source.name for module in modules]
    found = tuple(sorted(dict.fromkeys(_causes(diagnostics)), key=lambda one: _rank(one, files)))
    if not found and program is not None and not program.asks:
        found = (names.asks_nothing(modules[0].tree.span),)
    name = "<stdin>" if path == "-" else Path(path).as_posix()
    return Checked(name, tuple(modules), program, built, found, content)


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


def _first_point(program: Program) -> Program:
    """A program in which what it sweeps has its first value, as it may have none of its own."""
    from llmplan.check.vary import varied
    from llmplan.system.sweeps import points

    grid = points(program)
    first = {path: point.setting for path, point in grid[0].items()} if grid else {}
    return varied(program, "sweep", first)


def _reads(program: Program, templates: Path | None) -> tuple[str, ...]:
    """Inputs that the emitted files read, so that open ones are solved too."""
    from llmplan.emit.reads import reads

    return reads([target.name for target in program.emits], templates)
