"""Files of other software as a plan: gathered, recognised, read, and written."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from llmplan.check import ir, library
from llmplan.check.program import Field
from llmplan.check.scope import Scope
from llmplan.diagnostics import Diagnostic, imports, render_json
from llmplan.escape import visible_line
from llmplan.load import files
from llmplan.load.config_tables import Tables
from llmplan.load.unused_keys import Known
from llmplan.read import formats, sources
from llmplan.read.document import Document, Item, normal
from llmplan.read.edited import shown_key
from llmplan.read.edits import Files
from llmplan.read.formats import Format, fits_any
from llmplan.read.library import Input, Library
from llmplan.read.named import arguments, with_written
from llmplan.read.plan_text import Assumed, noted, written
from llmplan.read.reading import NOT_GIVEN, Fate, Found, Reading, read
from llmplan.read.values import Data, Member, Value, Written
from llmplan.read.withheld import withheld
from llmplan.request import Request
from llmplan.resources import LOG
from llmplan.source import Source, Span
from llmplan.syntax import nodes
from llmplan.syntax.parse import parse_value
from llmplan.units import amount
from llmplan.units.measure import BoolType, EnumType, KindType, ListType, Measure, TextType


def readable(path: str) -> str:
    """The text of a file.

    Raises:
        llmplan.load.files.Unreadable: It is missing, or no text.
    """
    return files.read(Path(path))


_MODEL_CONFIG = "model_config"
_LENGTHS = ("training.steps", "dataset.tokens", "dataset.samples")
_SPLIT = "parallelism.zero_stage"
_GIVEN = frozenset({"parallelism.framework", "training.task"})
"""What files are written for."""
_ASSIGNMENT = re.compile(r"^[ \t]*\w+(?:\.\w+)*\.(\w+)[ \t]*=(?!=)", re.MULTILINE)
_OF_A_RUN = re.compile(r"batch|parallel|recompute|checkpointing|seq_len|sequence_len|iters|shard")
_FEW = 2
_SIZES = ("model.layers", "model.hidden", "model.heads", "model.vocab")
_LEAST_CHANCE = "memory.least_chance"

_REQUESTS = ("serving.input_tokens", "serving.output_tokens")

_SERVING = "serving."
"""What begins the inputs of a server, which is asked for other things than a training run."""
_FASTEST = "maximize tokens_per_second"
"""What changes are judged by where no file says how long the run is."""


@frozen
class Imported:
    """What files say.

    Attributes:
        plan: The text of a plan; empty where an error prevents it.
        keys: Every key of every file, with what became of it.
        assumed: Inputs that are defaults of the software.
        files: What was read, in whose words changes can be told.
    """

    plan: str
    keys: tuple[Fate, ...]
    assumed: tuple[Assumed, ...]
    diagnostics: tuple[Diagnostic, ...]
    files: Files | None = None

    @property
    def failed(self) -> bool:
        return any(diagnostic.severity == "error" for diagnostic in self.diagnostics)


def imported(
    paths: Sequence[str],
    settings: Sequence[tuple[str, str]] = (),
    run: int | None = None,
    whole: bool = False,
    folder: Path = Path(),
    names: Mapping[str, str] | None = None,
) -> Imported:
    """Reads files as one plan.

    Args:
        settings: Inputs that win over the files, each a path and a value as written.
        run: Which of several launches, from 1; all of them, as far as they agree, if None.
        whole: Whether a verdict is asked for: several launches are an error unless one is chosen, and what a verdict
            needs must be said.
        folder: Where the plan will stand.
        names: What files are called where that is not their path.

    Raises:
        llmplan.load.files.Unreadable: A file cannot be read.
    """
    names = names or {}
    texts = [(names.get(path) or files.shown(Path(path)), readable(path)) for path in paths]
    readers = formats.readers()
    known = [format for reader in readers for format in reader.formats]
    found = sources.gather(texts, known)
    places = _Places(dict(texts))
    problems = [imports.unreadable(one.file, one.why, places.line(one.file, one.line)) for one in found.failed]
    launches = sources.runs(found, known)
    chosen: tuple[Document, ...] = ()
    if run is not None and not 0 < run <= len(launches):
        problems.append(imports.no_such_run(run, len(launches)))
    elif run is not None or len(launches) == 1:
        chosen = launches[(run or 1) - 1].documents
    elif launches:
        told = [("{}:{}".format(*one.place), one.shown) for one in launches]
        first = places.line(*launches[0].place)
        problems.append(imports.several_runs(told, first, whole))
        chosen = sources.in_common(launches)
    documents = (*found.documents, *chosen)
    scope, _, broken = library.load(tables=False)
    assert not broken, broken
    said = {path: given(path, text) for path, text in settings}
    own = library_of(scope, folder)
    reading = read(documents, readers, said, own.inputs)
    reading = evolve(reading, fates=tuple(with_written(_model_keys(reading.fates, documents, known), found.written)))
    problems += _not_given(found, documents, reading, places, whole)
    problems += _problems(reading, documents, [name for name, _ in texts], places, whole)
    problems += _assigned(texts, reading, known, places, whole)
    if any(problem.severity == "error" for problem in problems):
        return Imported("", reading.fates, (), tuple(problems))
    serves = _serves(reading)
    asked = [path for reader in readers for path in reader.asked if path.startswith(_SERVING) == serves]
    kept = withheld(readers, reading.kinds, reading.found)
    plan = written(reading, own, asked, found.unread, [name for name, _ in texts], kept)
    problems += [_no_entry(found, scope, own) for found, _ in plan.rejected if _of_command(found)]
    problems += _not_planned(reading, scope, places, whole)
    if whole:
        problems += missing(reading, plan.text)
        problems += _left_out(reading.fates, plan.rejected)
    again = Files(documents, readers, said, own.inputs, reading, dict(texts))
    return Imported(plan.text, reading.fates, plan.assumed, tuple(problems), again)


def question(found: Imported, plan: Path = Path(files.IMPORTED), writes: bool = False, **options: Any) -> Request:
    """The request for the plan that files make: whether their run is likely to fit, where a plan may also fit tightly.

    Where no file says how long the run is, changes are judged by its speed.

    Args:
        plan: Where the plan stands, in the folder that it was read for.
        writes: Whether files are written for the run; else it is judged by those that it has.
        options: Of the request.
    """
    options["statements"] = (*options.get("statements", ()), _likely())
    options["has_files"] = not writes
    if found.files is not None:
        options["kept"] = _kept(found.files)
        options["offered"] = _offered(found.files)
        options["places"] = tuple(places_in(found.files).items())
    read = None if found.files is None or _serves(found.files.reading) else found.files.reading
    if read is not None and not any(path in read.found for path in _LENGTHS):
        options["statements"] = (*options["statements"], _FASTEST)
    if found.files is not None and options.get("root") is None:
        wider = files.wider_root(plan, map(Path, found.files.texts))
        options["root"] = None if wider is None else str(wider)
    return Request(plan.as_posix(), found.plan, **options)


def without_speed(asked: Request) -> Request:
    """The request without the judgement of changes by speed, which may need what no file says."""
    return evolve(asked, statements=tuple(one for one in asked.statements if one != _FASTEST))


def kept(found: Imported) -> str:
    """The text of a plan to keep, which is asked what its files are asked."""
    if not found.plan or (found.files is not None and _serves(found.files.reading)):
        return found.plan
    return f"{found.plan}\n# Files must fit likely; without this line a plan may fit tightly too.\n{_likely()}\n"


def _kept(read: Files) -> tuple[str, ...]:
    """The inputs that no change of some files should move: those that their software has no key for, and the framework
    and the task that they are written for; what comes with that software may."""
    scope, said = library.load(tables=False)[0], read.said - _GIVEN
    return tuple(path for path in scope.fields if path.partition(".")[0] in scope.software and path not in said)


def _offered(read: Files) -> tuple[tuple[tuple[str, bool | float | str], ...], ...]:
    """The sets of changes that come with the software of some files, such as its configurations of DeepSpeed."""
    sets = (
        {path: float(one) if isinstance(one, Fraction) else one for path, one in each.items()}
        for _, each in read.offers
    )
    return tuple(
        tuple((path, one) for path, one in each.items() if not isinstance(one, tuple))
        for each in sets
        if not any(isinstance(one, (tuple, Written)) for one in each.values())
    )


def _serves(reading: Reading) -> bool:
    """Whether files start a server, and no training run."""
    return any(path.startswith(_SERVING) for path in reading.found)


def _likely() -> str:
    """What is asked of files: that they fit likely."""
    from llmplan.uncertainty.bands import LIKELY

    return f"assume {_LEAST_CHANCE} = {amount.in_plan(Fraction(repr(LIKELY)) * 100)}%"


def places_in(read: Files) -> dict[str, str]:
    """Where the inputs of a plan that files make come from, as its lines say."""
    return {path: noted(found) for path, found in read.reading.found.items()}


def as_json(found: Imported) -> dict[str, object]:
    """The document of `import --json`."""
    return {
        "schema": 1,
        "plan": found.plan,
        "keys": [
            {
                "file": one.item.file,
                "line": one.item.line,
                "key": one.item.key,
                "value": one.item.shown,
                "fate": one.fate,
                "field": one.field if one.fate in ("mapped", "carried") else None,
                "why": one.why,
            }
            for one in found.keys
        ],
        "assumed": [
            {"field": one.path, "value": _json(one.value), "unit": one.unit, "text": one.text} for one in found.assumed
        ],
        "diagnostics": [render_json.record(one) for one in found.diagnostics],
    }


def _json(value: Data) -> object:
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    return list(value) if isinstance(value, tuple) else value if isinstance(value, bool) else str(value)


def _model_keys(fates: Sequence[Fate], documents: Sequence[Document], known: Sequence[Format]) -> Iterator[Fate]:
    """Fates with those of a model's config.json, whose keys the tables of `plans/configs` know."""
    own: dict[Item, tuple[frozenset[str], Known]] = {}
    for document in documents:
        if any(format.kind == _MODEL_CONFIG and format.fits(document) for format in known):
            tables = Tables.of("model")
            type = next((item.text for item in document.items.values() if item.key == "model_type"), None) or ""
            if type in tables.entries:
                own |= dict.fromkeys(document.items.values(), (frozenset(tables.read(type)), tables.known(type)))
    for fate in fates:
        if fate.item not in own:
            yield fate
            continue
        of_type, tables_known = own[fate.item]
        name = fate.item.key
        if name in of_type or name == "model_type":
            yield Fate(fate.item, "mapped", "model")
        else:
            structural = name in tables_known.declared or fits_any(name, tables_known.structure)
            yield Fate(fate.item, "unknown" if structural and not fits_any(name, tables_known.ignored) else "free")


def _not_given(
    found: sources.Gathered, documents: Sequence[Document], reading: Reading, places: _Places, whole: bool
) -> Iterator[Diagnostic]:
    """Files that the files name and that nobody gave: a verdict needs what they say, unless something else says how
    weights are split."""
    given = {name.rpartition("/")[2] for name in places.sources} | found.written
    split = reading.found.get(_SPLIT)
    by_name = split.value.items if split is not None else ()  # `ds_z3_config.json`, which a trainer brings
    keys = [one.item for one in reading.fates if one.why == NOT_GIVEN and one.item not in by_name]
    there = [item for item in by_name if _lies_there(item, given)]
    refused = whole and (split is None or bool(split.release) or bool(there))
    for item in (*keys, *there, *arguments(documents, given)):
        place = places.word(item.file, item.line, item.text or "")
        yield imports.not_given(item.text or "", item.key.removeprefix("$"), place, refused)
    for file, line, script in dict.fromkeys(found.missing):
        yield imports.not_given(script, "", places.word(file, line, script), False)


def _lies_there(item: Item, given: Collection[str]) -> bool:
    """Whether a file that is named as one that comes with the software is at hand, where it may say something else."""
    path = item.text or ""
    if not path.endswith(".json"):
        return False
    near = (path, os.path.join(os.path.dirname(item.file), path))
    return os.path.basename(path) not in given and any(map(os.path.isfile, near))


def _not_planned(reading: Reading, scope: Scope, places: _Places, whole: bool) -> list[Diagnostic]:
    """A task that no plan has yet, by its name."""
    found = reading.found.get("training.task")
    if found is None or str(found.value.data) in scope.enums["Task"].members:
        return []
    spans = places.of([item for item in found.value.items if item.file])
    item = found.value.items[0]
    why = scope.unmodelled.get(str(found.value.data), "it is not planned")
    named = item.key.removeprefix("$")
    said = item.shown.strip("[]") if named != item.key and item.known else named  # of a program its name
    return [imports.not_planned(said, why, spans[0] if spans else None, whole)]


def _of_command(found: Found) -> bool:
    """Whether the command line says an input, which no answer may leave out."""
    return not any(item.file for item in found.value.items)


def _no_entry(found: Found, scope: Scope, own: Library) -> Diagnostic:
    """That the catalog lacks what the command line names, or that no plan has a value that it gives."""
    path = found.path
    text = found.value.items[0].shown if found.value.items else str(found.value.data)
    source = Source("--gpu" if path == "hardware.gpu" else f"--set {path}", text)
    span = Span(source, 0, len(text))
    kind = path if path not in own.inputs else own.inputs[path].kind
    if not kind:
        return imports.not_planned(path, f"it has no value `{visible_line(text)}`", span)
    name = str(found.value.data)
    return scope.no_entry(span, kind, name, scope.find_entry(kind, name)[1])


def _left_out(fates: Sequence[Fate], rejected: Sequence[tuple[Found, str]]) -> list[Diagnostic]:
    """Keys that a verdict does not count, although they change what the run needs, or may."""
    changing = [(one.item.key, one.item.place, one.why) for one in fates if one.fate == "unmodelled"]
    for found, why in rejected:
        changing += [
            (item.key, item.place, why) for item in found.value.items[:1] if item.file and found.path != "model"
        ]
    unknown = [(one.item.key, one.item.place) for one in fates if one.fate == "unknown"]
    return [imports.left_out(changing, unknown)] if changing or unknown else []


def missing(reading: Reading, plan: str) -> list[Diagnostic]:
    """What a verdict needs and no file says."""
    found = []
    named = reading.found.get("model")
    if not re.search(r"^model ", plan, re.MULTILINE) and not (named is not None and _of_command(named)):
        found.append(imports.no_model(str(named.value.data) if named is not None else None))
    sizes = list(_unsized(reading))
    if len(sizes) < len(_SIZES) or named is not None:  # of a model that no file says at all one message is enough
        found += [imports.no_size(path) for path in sizes]
    if "hardware.gpu" not in reading.found:
        found.append(imports.no_card())
    if "hardware.gpus" not in reading.found and not _serves(reading):
        found.append(imports.no_count())
    if "dataset.sequence_length" not in reading.found and not _serves(reading):
        found.append(imports.no_length())
    requests = _REQUESTS if _serves(reading) else ()
    return [*found, *(imports.no_request(path) for path in requests if path not in reading.found)]


def _unsized(reading: Reading) -> Iterator[str]:
    """The sizes of a model that files spell out, without a name, which no answer can do without."""
    if "model" not in reading.found and "model.params" not in reading.found:
        yield from (path for path in _SIZES if path not in reading.found)


def settings(gpu: str | None, gpus: int | None, further: Sequence[tuple[str, str]] = ()) -> list[tuple[str, str]]:
    """What the command line says of the plan."""
    found = []
    if gpu is not None:
        escaped = gpu.replace("\\", "\\\\").replace('"', '\\"')
        found.append(("hardware.gpu", f'"{escaped}"'))
    if gpus is not None:
        found.append(("hardware.gpus", str(gpus)))
    return [*found, *further]


def mistakes(name: str, text: str) -> list[Diagnostic]:
    """What is wrong with a `read.plan`, or a `log.plan`."""
    from llmplan.logs.mistakes import mistakes as in_log  # of use for `check` alone
    from llmplan.read.mistakes import mistakes as in_format

    scope, _, broken = library.load(tables=False)
    source, inputs = Source(name, text, library=True), frozenset(scope.fields)
    if broken:
        return broken
    return in_log(source, inputs, scope.units) if name.rpartition("/")[2] == LOG else in_format(source, inputs)


class _Places:
    def __init__(self, texts: Mapping[str, str]) -> None:
        self.sources = {name: Source(name, text) for name, text in texts.items()}

    def line(self, file: str, line: int) -> Span | None:
        """A line of a file, without what stands around it."""
        source = self.sources.get(file)
        if source is None:
            return None
        lines = source.text.split("\n")
        line = min(max(line, 1), len(lines))
        start = sum(len(one) + 1 for one in lines[: line - 1])
        text = lines[line - 1]
        return Span(source, start + len(text) - len(text.lstrip()), start + len(text.rstrip()))

    def word(self, file: str, line: int, text: str) -> Span | None:
        """A text in a line of a file, or the whole line if it is not there."""
        whole = self.line(file, line)
        at = whole.text.find(text) if whole is not None and text else -1
        return whole if whole is None or at < 0 else Span(whole.source, whole.start + at, whole.start + at + len(text))

    def of(self, items: Sequence[Item]) -> list[Span]:
        """The keys with their values, where their lines show them."""
        spans = [self._key(item) for item in items]
        return [*dict.fromkeys(span for span in spans if span is not None)]

    def _key(self, item: Item) -> Span | None:
        whole = self.line(item.file, item.line)
        at = shown_key(whole.text, item.key, item.shown) if whole is not None else None
        return whole if whole is None or at is None else Span(whole.source, whole.start + at[0], whole.start + at[1])


def _problems(
    reading: Reading, documents: Sequence[Document], names: Sequence[str], places: _Places, whole: bool
) -> list[Diagnostic]:
    found = []
    for one in reading.contradictions:
        spans = places.of(one.first.items)
        if one.why:
            found.append(imports.impossible(one.told, places.of((*one.first.items, *one.second.items))))
            continue
        other = places.of(one.second.items)
        if spans and other:
            first, second = (_text(one.first), spans[0]), (_text(one.second), other[0])
            found.append(imports.contradiction(one.path, first, second))
    for doubt in reading.doubts:
        found.append(imports.doubted(doubt.why, places.of((*doubt.first.items, *doubt.second.items))))
    found += [imports.not_planned(one.item.key, one.why, places.of([one.item])[0], whole) for one in reading.refused]
    for document in reading.unrecognised:
        if not document.program and not (document.syntax == "python" and reading.kinds):
            keys = [item.key for item in document.items.values()]
            line = places.line(document.file, 1)
            found.append(imports.unrecognised(document.file, keys, line, formats.names()))
    for document, kinds in reading.ambiguous:
        found.append(imports.ambiguous(document.file, kinds, places.line(document.file, 1)))
    if not any(document.items for document in documents) and not found:
        found.append(imports.nothing_to_read(names))
    return found


def _assigned(
    texts: Sequence[tuple[str, str]], reading: Reading, known: Sequence[Format], places: _Places, whole: bool
) -> Iterator[Diagnostic]:
    """Programs of which nothing is read, although they set keys that formats have: `cfg.train.micro_batch_size = 2`."""
    declared = {name.rpartition(".")[2] for format in known for name in format.declared}
    of_use = {one.item.file for one in reading.fates if one.fate != "unknown"}
    for name, text in texts:
        found = (
            [one for one in _ASSIGNMENT.finditer(text) if normal(one[1]) in declared] if name.endswith(".py") else []
        )
        if len(found) >= _FEW and name not in of_use:
            place = places.line(name, text.count("\n", 0, found[0].start(1)) + 1)
            yield imports.assigned(name, [one[1] for one in found], place, whole)


def _text(value: Value) -> str:
    data = value.data
    if isinstance(data, Fraction):
        return amount.in_plan(data)
    return str(data).lower() if isinstance(data, bool) else ", ".join(data) if isinstance(data, tuple) else str(data)


def given(path: str, text: str) -> Value:
    """A value of the command line, as in `--set`; a formula as it is written."""
    items = (Item(path, text, "", 0),)
    match parse_value(Source("--set", text))[0]:
        case nodes.Number(value=number, unit=unit):
            return Value(number, unit.text if unit is not None else None, items)
        case nodes.Bool(value=truth):
            return Value(truth, None, items)
        case nodes.Text(plain=plain) if plain is not None:
            return Value(plain, None, items)
        case nodes.Name() as name:
            return Value(Member(name.text), None, items)
    return Value(Written(text), None, items)


def library_of(scope: Scope, folder: Path) -> Library:
    """What reading needs to know of the library, for a plan that will stand in a folder."""

    def path(name: str) -> str:
        return Path(os.path.relpath(name, folder)).as_posix()

    def entry(kind: str, name: str) -> tuple[str | None, list[str]]:
        """As the catalog has it; also by the words of one entry alone: `NVIDIA-H100-80GB-HBM3`, but no misspelt one."""
        found, near = scope.find_entry(kind, name)
        return (near[0], []) if found is None and len(near) == 1 and near == scope.worded(kind, name) else (found, near)

    inputs = {path: one for path, field in scope.fields.items() if (one := _input(path, field, scope)) is not None}
    return Library(inputs, entry, path)


def _input(path: str, field: Field, scope: Scope) -> Input | None:
    default = _plain(field.default.value, scope) if field.default is not None and field.default.value else None
    match field.types[-1]:
        case EnumType(members=members):
            return Input(path, "word", words=tuple(members), default=default)
        case BoolType():
            return Input(path, "word", default=default)
        case KindType(name=kind, choice=choice):
            return Input(path, "word" if choice else "entry", kind, default=default)
        case ListType(kind=kind):
            return Input(path, "entries", kind, default=default)
        case TextType():
            return Input(path, "text", default=default)
        case Measure() as measure:
            counted = scope.units.is_count(measure)
            return Input(
                path, "number", units=field.units, base="" if counted else scope.units.base(measure), default=default
            )
    return None


def _plain(value: ir.Expr, scope: Scope) -> Data | None:
    match value:
        case ir.Num(value=number):
            return Fraction(repr(number)) if number == number and abs(number) != float("inf") else None
        case ir.Member(enum=enum, index=index):
            return scope.enums[enum].members[index]
        case ir.Entry(name=name):
            return name
        case ir.List(items=items) if all(isinstance(item, ir.Entry) for item in items):
            return tuple(item.name for item in items if isinstance(item, ir.Entry))
        case ir.Text(pieces=pieces) if all(isinstance(piece, str) for piece in pieces):
            return "".join(str(piece) for piece in pieces)
    return None
