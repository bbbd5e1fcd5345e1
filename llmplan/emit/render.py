"""Solution to texts: every file that `compile` writes, by name.

Templates run in a sandbox and see only the functions of `View`, the filters and the layout helpers. The texts depend on
the solution alone, without dates, paths of this machine or lines of the plan; only `solution.json` has the version of
the compiler.
"""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from attrs import asdict, evolve

from llmplan.answer.schema.solution import Solution
from llmplan.check.program import EmitTarget
from llmplan.diagnostics import Diagnostic, files
from llmplan.emit.environment import environment_of, is_template
from llmplan.emit.portable import portable
from llmplan.emit.solution_json import NAME, digest, text
from llmplan.emit.targets import PARTS, Target, is_there, load, path_of
from llmplan.emit.view import FINGERPRINT, MissingValue, Reading, Refused, View
from llmplan.resources import MANIFEST, targets_in

if TYPE_CHECKING:
    from jinja2 import Environment


def render(solution: Solution, templates: Path | None = None) -> tuple[dict[str, str], list[Diagnostic]]:
    """The files of a solution, `solution.json` last, or what is missing for them.

    A plan that was not solved has a report, but nothing that could be launched. A template that gives nothing but blank
    space writes no file.

    Args:
        templates: A folder laid over the product's templates.

    Returns:
        Contents by file name, empty if there is an error; and the errors (E0501, E0504, E0506), else W0617 for each
        input that no file says.
    """
    solution = portable(solution)
    known, problems = load(templates)
    chosen = _chosen(solution, known, problems)
    if problems:
        return {}, problems
    environment = environment_of(templates)
    named = {emit.name: emit for emit in solution.emits}
    written: dict[str, str] = {}
    plain: dict[str, str] = {}  # what others may hold or start
    fragments = {
        target: frozenset(file for file in PARTS if is_there(f"{target}/{file}", templates)) for target in chosen
    }
    reading = Reading()
    shown = _read_only(solution)
    for target, asked in chosen.items():
        emit = named.get(asked)
        view = View(shown, known[target], frozenset(chosen), parts_of=fragments, reading=reading)
        for file, template in known[target].files:
            before = evolve(view, files=frozenset(written), plain=plain)
            result = _fill(environment, f"{target}/{template}", before, asked, emit, templates)
            if isinstance(result, Diagnostic):
                problems.append(result)
            elif not result or result.isspace():
                continue
            elif file in written or file == NAME:
                why = f"it writes `{file}`, and so does another target"
                problems.append(files.broken_template(path_of(f"{target}/{MANIFEST}", templates), why))
            else:
                written[file] = result
                if not known[target].last:
                    plain[file] = result
    if problems:
        return {}, _once(problems)
    written[NAME] = text(solution, written, reading.read)
    launched = [target for target in chosen if known[target].when != "always"]
    told = (*solution.told, *_own_options(solution, templates))
    unsaid = [path for path in told if path not in reading.read | reading.listed] if launched else []
    return written, [files.not_said(path, solution.values[path].text, launched) for path in unsaid]


def _own_options(solution: Solution, templates: Path | None) -> list[str]:
    """The options that a plan sets of targets in a folder of the user's; of shipped ones `check` tells (E0514)."""
    own = {emit.name for emit in solution.emits}.intersection(targets_in(templates))
    return [path for path, value in solution.values.items() if path.partition(".")[0] in own and value.authored]


def _read_only(solution: Solution) -> Solution:
    """A solution that no template can change: the tables of its record and of its choices are views."""
    parts = asdict(solution, recurse=False)
    tables: dict[str, Any] = {name: MappingProxyType(part) for name, part in parts.items() if type(part) is dict}
    return evolve(solution, **tables)


def _chosen(solution: Solution, known: dict[str, Target], problems: list[Diagnostic]) -> dict[str, str]:
    """The folders to write, each with the target that asked for it."""
    chosen: dict[str, str] = {}
    asked = [(emit.name, emit.name) for emit in solution.emits] if solution.status == "solved" else []
    # What is written in any case tells of the others.
    last = [(name, name) for name, target in known.items() if target.when == "always"]
    asked = [pair for pair in asked if pair not in last]
    while asked or last:
        name, by = (asked or last).pop(0)
        if name in chosen:
            continue
        if name not in known:
            problems.append(files.broken_template(f"templates/{name}", "no such folder"))
            continue
        chosen[name] = by
        for brought in known[name].brings:
            values = ((solution.values.get(path), wanted) for path, wanted in brought.when)
            if all(value is not None and value.value == wanted for value, wanted in values):
                # What the plan emits itself is asked for by its own name.
                own = any(emit.name == brought.folder for emit in solution.emits)
                asked.append((brought.folder, brought.folder if own else by))
    return dict(sorted(chosen.items(), key=lambda pair: (known[pair[0]].when == "always", known[pair[0]].last)))


def _fill(
    environment: Environment, name: str, view: View, asked: str, emit: EmitTarget | None, templates: Path | None
) -> str | Diagnostic:
    from jinja2 import TemplateError

    from llmplan.emit.sandbox import MOST, Excess, bounded, limited

    path = path_of(name, templates)
    span = emit.span if emit is not None else None
    try:
        # The product's own templates need no guard, which takes time.
        with nullcontext() if templates is None else limited(), nullcontext() if templates is None else bounded():
            written = environment.get_template(name).render(**view.functions())
        if len(written) > MOST:
            raise Excess(files.TEMPLATE_TOO_LARGE)
        return written.replace(FINGERPRINT, digest(written)[:12])
    except MissingValue as error:
        place = _reading(error.name, environment, name) or _place(error, path)
        if error.name not in view.solution.values:
            return files.unknown_value(place, error.name, view.solution.values)
        return files.missing_value(asked, error.name, place, error.needs, error.reason, span)
    except Refused as error:
        return files.not_expressible(asked, error.message, error.hint, _place(error, path), span)
    except (RecursionError, SyntaxError) as error:
        return files.broken_template(_place(error, path), files.TEMPLATE_TOO_DEEP)
    except MemoryError:
        return files.broken_template(path, files.TEMPLATE_TOO_LARGE)
    except (Excess, TemplateError, TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
        return files.broken_template(_place(error, path), str(error) or type(error).__name__)


def _reading(value: str, environment: Environment, name: str) -> str:
    """The line that names the value; jinja knows only where the whole `{{ … }}` around it stands."""
    assert environment.loader is not None
    text, place, _ = environment.loader.get_source(environment, name)
    lines = (number for number, line in enumerate(text.splitlines(), 1) if f'("{value}")' in line)
    first = next(lines, None)
    return f"{place}:{first}" if first else ""


def _place(error: Any, path: str) -> str:
    """Where in the templates an error comes from: jinja writes template lines into the traceback."""
    place = path
    line = getattr(error, "lineno", None)
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if is_template(file):
            place, line = file, trace.tb_lineno
        trace = trace.tb_next
    return f"{place}:{line}" if line else place


def _once(problems: list[Diagnostic]) -> list[Diagnostic]:
    """The first of those with the same message: several templates often want the same value."""
    first = {problem.message: problem for problem in reversed(problems)}
    return [problem for problem in problems if first[problem.message] is problem]
