"""The results of the public functions: frozen records, each with its JSON, its rows and its looks.

`to_dict()` is the JSON of the command of the same name. `rows()` are dictionaries with equal keys, which
`pandas.DataFrame(…)` and `polars.DataFrame(…)` take. `repr` and a notebook show the part that a person reads first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal

from attrs import asdict, field, fields, frozen

from llmplan.public.grid import Cells, Shown, ends
from llmplan.units import amount as units

if TYPE_CHECKING:
    from typing_extensions import Self

Number = int | float


@frozen
class Amount:
    """A value of a solution.

    Attributes:
        value: A number in the base unit, a member's or an entry's name, a truth value or a text; None without one.
        unit: The base unit (`s`, `byte`, empty for a plain number); None unless the value is a number.
        low: The low end, where inputs are ranges; with `high`, else None.
        high: The high end.
        model_low: The low end of the band that eight of ten measured values lie in; with `model_high`, else None.
        model_high: Its high end.
        text: The value as people read it, with four digits: `28.73 days`; or the reason for a missing value.
    """

    value: Number | str | bool | None
    unit: str | None = None
    low: Number | None = None
    high: Number | None = None
    model_low: Number | None = None
    model_high: Number | None = None
    text: str = ""
    _written: units.Amount | None = field(default=None, repr=False, eq=False)

    def short(self, digits: int = 3) -> str:
        """The value with this many digits, whole numbers in full: `28.7 days`."""
        return self.text if self.value is None or self._written is None else self._written.short(digits)

    def __str__(self) -> str:
        return self.text

    def __float__(self) -> float:
        """The number in the base unit.

        Raises:
            TypeError: It is not a number.
        """
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            raise TypeError(f"{self.text} is not a number")
        return float(self.value)


@frozen
class Diagnostic:
    """A mistake, a warning or a note, with its place and what to do about it.

    Attributes:
        code: `E0101` …, stable; `llmplan explain CODE` explains it.
        severity: `error`, `warning` or `note`; only an error stops the compiler.
        message: One line that stands alone.
        file: Where it is, with `line` and `column` from 1 and the exclusive end; None where there is no text.
        label: A few words under the caret.
        others: Further places, each with a text.
        notes: Context.
        hints: What to do about it; `edits` has for each the replacements that do it, if it is an edit.
        text: All of it, as the command line prints it.
    """

    code: str
    severity: Literal["error", "warning", "note"]
    message: str
    file: str | None
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    label: str
    others: list[dict[str, Any]]
    notes: list[str]
    hints: list[str]
    edits: list[list[dict[str, Any]]]
    text: str = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """All but `text`, as in the JSON of the commands."""
        return asdict(self, filter=lambda attribute, _: attribute.name != "text")

    def __str__(self) -> str:
        return self.text


@frozen
class Departure:
    """A requirement or preference that the plan waives, or replaces by another of the same name.

    Attributes:
        name: Its name.
        what: `waived` or `replaced`.
        text: Its condition as written.
        by: The condition in its place; None if it is waived.
        because: The reason that the plan gives; None without one.
        source: Where the plan says so, the file and line.
    """

    name: str
    what: Literal["waived", "replaced"]
    text: str
    by: str | None
    because: str | None
    source: str

    def _row(self) -> tuple[str, str, str]:
        return self.name, self.what, self.because or "no reason given"


def _departed(departures: Iterable[Departure]) -> str:
    """`; waived: a, b; replaced: c`, empty without any."""
    names: dict[str, list[str]] = {}
    for departure in departures:
        names.setdefault(departure.what, []).append(departure.name)
    return "".join(f"; {what}: {', '.join(listed)}" for what, listed in names.items())


class Diagnostics(Shown, tuple[Diagnostic, ...]):
    """The diagnostics of a plan: a tuple, empty for a plan without a remark."""

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """Those that stop the compiler."""
        return tuple(one for one in self if one.severity == "error")

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `check --format json`."""
        return {"schema": 1, "diagnostics": [one.to_dict() for one in self]}

    def rows(self) -> list[dict[str, Any]]:
        """One row a diagnostic: `code`, `severity`, `message`, `file`, `line`, `column`."""
        names = ("code", "severity", "message", "file", "line", "column")
        return [{name: getattr(one, name) for name in names} for one in self]

    def _title(self) -> str:
        return "" if self else "no diagnostics"

    def _cells(self) -> Cells:
        rows = []
        for diagnostic in self:
            place = f"{diagnostic.file}:{diagnostic.line}" if diagnostic.file else ""
            rows.append((f"{diagnostic.severity}[{diagnostic.code}]", place, diagnostic.message))
            rows += [("", "", f"help: {hint}") for hint in diagnostic.hints]
        return rows


@frozen(repr=False, eq=False)
class _Answer(Shown):
    """What an answer has beside its own: diagnostics, and the JSON of the command."""

    diagnostics: Diagnostics
    _document: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of the command of the same name."""
        return self._document


@frozen(repr=False, eq=False)
class Solution(_Answer, Mapping[str, Amount]):
    """The solution of a plan, and a mapping of its inputs, lets, assumptions and quantities: `solution["time"]`.

    Attributes:
        plan: The plan's path as it was given.
        title: The `##` lines at the head of the plan.
        status: `solved`; `infeasible`, where the values are those of the nearest plan; `error`.
        results: The names of the quantities by which plans are compared, each before its counterpart on the calendar.
        judged: The names of the plan's own requirements, and of others that are uncertain or fail.
        departures: The requirements and preferences that the plan waives or replaces.
        diagnostics: What was noticed; errors where the status is `error`.
    """

    plan: str
    title: str
    status: Literal["solved", "infeasible", "error"]
    _amounts: dict[str, Amount]
    results: tuple[str, ...]
    judged: tuple[str, ...]
    departures: tuple[Departure, ...]

    def __getitem__(self, name: str) -> Amount:
        if name not in self._amounts:
            near = get_close_matches(str(name), self._amounts, 1)
            raise KeyError(f"{name}: did you mean {near[0]}?" if near else name)
        return self._amounts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._amounts)

    def __len__(self) -> int:
        return len(self._amounts)

    def __bool__(self) -> bool:
        """Whether there is a plan that meets every requirement."""
        return self.status == "solved"

    @property
    def unknowns(self) -> dict[str, Amount]:
        """The solved unknowns of the plan."""
        return {name: self._amounts[name] for name in self._document["unknowns"]}

    def rows(self) -> list[dict[str, Any]]:
        """One row a value: `name`, `value`, `unit`, `low`, `high`, `model_low`, `model_high`, `text`."""
        names = [attribute.name for attribute in fields(Amount) if attribute.repr]
        return [{"name": own} | {name: getattr(one, name) for name in names} for own, one in self._amounts.items()]

    def _title(self) -> str:
        return f"{self.plan}: {self.status}{', the nearest plan' if self.status == 'infeasible' else ''}"

    def _cells(self) -> Cells:
        if self.status == "error":
            return self.diagnostics._cells()
        rows = [(name, amount.short(), "") for name, amount in self.unknowns.items()]
        for rule in self._document["requirements"]:
            if rule["name"] in self.judged and rule["verdict"]:
                chance = "" if rule["chance"] is None else f"chance {units.percent(rule['chance'])}"
                rows.append((rule["name"], rule["verdict"], chance))
        rows += [departure._row() for departure in self.departures]
        shown = [(name, self._amounts[name]) for name in self.results if name not in self.unknowns]
        return [*rows, *((name, one.short(), ends(one.value, one.model_low, one.model_high)) for name, one in shown)]


@frozen(repr=False)
class Table(_Answer):
    """A plan at every point of its sweeps.

    Attributes:
        plan: The plan's path as it was given.
        axes: The inputs that are swept.
        header: The names of the columns that a person reads; `cells` their texts, a row a point.
        departures: The requirements and preferences that the plan waives or replaces.
        diagnostics: What was noticed; with an error among them where there is no row.
    """

    plan: str
    axes: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    cells: tuple[tuple[str, ...], ...] = ()
    departures: tuple[Departure, ...] = ()

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def units(self) -> dict[str, str]:
        """The base unit of each result."""
        points = self._document["points"]
        return {name: one["unit"] for point in points for name, one in point["results"].items()}

    def rows(self) -> list[dict[str, Any]]:
        """One row a point: each axis, unknown and result in base units, then `status`, `best` and `reason`.

        A point that is not solved has a reason in place of its unknowns and results, which are None.
        """
        points = self._document["points"]
        unknowns = dict.fromkeys(name for point in points for name in point["unknowns"])
        blank = dict.fromkeys((*unknowns, *self.units))
        rows = []
        for point in points:
            values = point["unknowns"] | {name: result["value"] for name, result in point["results"].items()}
            rows.append(point["at"] | blank | (values if point["status"] == "solved" else {}))
            rows[-1] |= {name: point[name] for name in ("status", "best", "reason")}
        return rows

    def _title(self) -> str:
        return f"{self.plan}: {len(self)} points{_departed(self.departures)}"

    def _cells(self) -> Cells:
        return [self.header, *self.cells] if self.cells else self.diagnostics._cells()


@frozen(repr=False)
class Written(_Answer):
    """The files that `compile` wrote, or with `check` found current.

    Attributes:
        solution: The solution that the files tell.
        directory: The folder.
        files: The names of the written files; empty if an error prevented writing.
        removed: Files of an earlier run that are no longer emitted, and were removed.
        left: Files that stay though an earlier run is said to have written them, each with the reason.
        changed: What differs from the last answer: `wall_time 29.3 days (-24%)`.
        outdated: With `check`, files in the folder that are not of this answer.
        missing: With `check`, files of this answer that the folder lacks.
        diagnostics: What was noticed about the plan and the files; with errors if nothing was written.
    """

    solution: Solution
    directory: str
    files: tuple[str, ...]
    removed: tuple[str, ...]
    left: tuple[tuple[str, str], ...]
    changed: tuple[str, ...]
    outdated: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether the files are written, or with `check` current."""
        return not self.diagnostics.errors

    def rows(self) -> list[dict[str, Any]]:
        """One row a file: `file`, `what` (`written`, `removed`, `outdated`, `missing`, `left`) and `reason`."""
        listed = {
            "written": self.files,
            "removed": self.removed,
            "outdated": self.outdated,
            "missing": self.missing,
        }
        files = [(name, what, "") for what, names in listed.items() for name in names]
        files += [(name, "left", why) for name, why in self.left]
        return [dict(zip(("file", "what", "reason"), file)) for file in files]

    def _title(self) -> str:
        departures = self.solution.departures
        files = f"{len(self.files)} files in {self.directory}"
        return f"{self.solution.plan}: {self.solution.status}, {files}{_departed(departures)}"

    def _cells(self) -> Cells:
        return self.diagnostics._cells() if self.diagnostics.errors else [tuple(row.values()) for row in self.rows()]


@frozen(repr=False, eq=False)
class Difference(_Answer):
    """What two plans differ in.

    Attributes:
        headline: The change of time and cost, and the verdicts that turned, in one line.
        failed: The conditions of `fail_if` that are met.
        markdown: A comment for a pull request.
        diagnostics: What was noticed about both plans; with errors if one of them has any.
    """

    headline: str
    failed: tuple[str, ...]
    markdown: str

    def __bool__(self) -> bool:
        """Whether both plans could be compared and no condition is met."""
        return not self.diagnostics.errors and not self.failed

    def rows(self) -> list[dict[str, Any]]:
        """One row a result that differs: `name`, `from`, `to` in base units, `change`, `low`, `high`, `told_apart`."""
        listed = self._document.get("results", ())
        return [{**one, "from": one["from"]["value"], "to": one["to"]["value"]} for one in listed]

    def _title(self) -> str:
        return self.headline or "nothing is compared"

    def _cells(self) -> Cells:
        if self.diagnostics.errors:
            return self.diagnostics._cells()
        return [(one["name"], "" if one["told_apart"] else "not told apart") for one in self.rows()]


@frozen(repr=False, eq=False)
class Imported(_Answer):
    """What configurations say.

    Attributes:
        files: Their names.
        plan: The text of the plan; empty where an error prevents it.
        diagnostics: What was noticed; with errors where the files contradict each other or cannot be read.
    """

    files: str
    plan: str

    def __bool__(self) -> bool:
        """Whether there is a plan."""
        return bool(self.plan)

    def rows(self) -> list[dict[str, Any]]:
        """One row a key: `file`, `line`, `key`, `value`, `fate`, `field` and `why`."""
        return list(self._document["keys"])

    def _title(self) -> str:
        return f"{self.files}: {len(self.rows())} keys"

    def _cells(self) -> Cells:
        if self.diagnostics.errors:
            return self.diagnostics._cells()
        return [(one["key"], one["value"], one["fate"]) for one in self.rows()]


@frozen(repr=False, eq=False)
class Measured(_Answer):
    """What logs measure.

    Attributes:
        files: Their names.
        plan: The text of a plan with a `measured` statement for each; empty where an error prevents it.
        diagnostics: What prevents it.
    """

    files: str
    plan: str

    def __bool__(self) -> bool:
        """Whether there is a plan."""
        return bool(self.plan)

    def rows(self) -> list[dict[str, Any]]:
        """One row a reading: `file`, `name`, `value` in `unit`, `low` and `high`, `lines`, `text`, `used`."""
        return [{"file": run["file"], **one} for run in self._document["runs"] for one in run["readings"]]

    def _title(self) -> str:
        return f"{self.files}: {len(self.rows())} readings"

    def _cells(self) -> Cells:
        if self.diagnostics.errors:
            return self.diagnostics._cells()
        return [(one["file"], one["name"], f"{one['value']} {one['unit']}") for one in self.rows()]


@frozen(repr=False, eq=False)
class Diagnosis(_Answer):
    """Why a run had no memory left.

    Attributes:
        found: Whether the log has an out-of-memory message.
        told: Whether an allocation is proved.
        text: The answer as the command prints it.
        diagnostics: What was noticed about the plan; with errors if it has any.
    """

    found: bool
    told: bool
    text: str

    def __bool__(self) -> bool:
        """Whether an allocation is proved."""
        return self.told

    def rows(self) -> list[dict[str, Any]]:
        """One row an allocation that may be the one: `name`, `size`, `formula`, `moment`, `term`, `proof`."""
        return list(self._document.get("matches", ()))

    def _title(self) -> str:
        return self.text.partition("\n")[0] or "no out-of-memory message"

    def _cells(self) -> Cells:
        return [(one["name"], one["moment"], one["proof"]) for one in self.rows()]


@frozen
class Step:
    """One name of a derivation.

    Attributes:
        depth: 0 for what was asked for.
        name: What is derived.
        value: Its `value` in base units and its `unit`, None of what is not a number; of a requirement if it holds.
        text: The value as people read it.
        role: `input`, `quantity`, `let`, `assumption` or `requirement`.
        doc: What its declaration says of it.
        formula: As written; `numbers` the same with values in place of names. None without a formula.
        solved: How an unknown was found, or how sure a requirement is; empty for anything else.
        origin: Where the value comes from: `layer`, `place` and `text`; `instead_of` what it won against.
        cites: The sources.
        reads: Names that the formula read.
    """

    depth: int
    name: str
    value: dict[str, Any]
    text: str
    role: str
    doc: str
    formula: str | None
    numbers: str | None
    solved: list[str]
    origin: dict[str, str] | None
    instead_of: list[dict[str, str]]
    cites: list[str]
    reads: list[str]


class Derivation(Shown, tuple[Step, ...]):
    """The steps of a derivation: a tuple, empty where the plan has errors.

    Attributes:
        diagnostics: What was noticed about the plan.
    """

    diagnostics: Diagnostics

    def __new__(cls, steps: Iterable[Step], diagnostics: Diagnostics) -> Self:
        record = super().__new__(cls, steps)
        record.diagnostics = diagnostics
        return record

    def to_dict(self) -> list[dict[str, Any]]:
        """The JSON of `explain --json`: a list, one object a step."""
        return self.rows()

    def rows(self) -> list[dict[str, Any]]:
        """One row a step, by the attributes of `Step`."""
        return [asdict(step) for step in self]

    def _title(self) -> str:
        return self[0].name if self else "nothing is derived"

    def _cells(self) -> Cells:
        if not self:
            return self.diagnostics._cells()
        return [(f"{'  ' * step.depth}{step.name}", step.text, step.formula or "") for step in self]
