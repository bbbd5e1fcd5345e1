"""The targets that `emit` knows: one folder of `templates/` each, described by its `target.json`.

    {
      "about":  "one line for people",
      "when":   "named" | "always" | "brought",
      "files":  {"ds_config.json": "ds_config.json.j2"},
      "brings": ["launch", {"folder": "deepspeed", "if": {"parallelism.framework": "deepspeed"}}],
      "next":   ["sbatch", "job.sbatch"],
      "start":  {"script": "train.py"},
      "last":   true
    }

A `named` folder is written when the plan emits it, an `always` folder also when it does not, and a `brought` one only
with another. Files are written in the order given; a template that gives only blank space writes no file. `next` is the
command that starts the run, with which `compile` ends, files of the folder by their paths; or a list of such, each
`{"command": […], "if": {…}}`, of which the first that applies counts. `last`: rendered last, because its files embed or
start other targets' files. Beside the manifest, `target.plan` holds in the plan language the target's options, its
requirements, and formulas that replace the library's where it is emitted: it is a file of the library. Two further
files are included by others: `launch.j2` has the macros `environment`, variables for the program, `command`, how to
start it, `started`, the program to start without a training script, and `releases`, packages each with the release
that the files were checked with; `script.j2` has the report's lines on what the training script must do. A directory
given by `--templates` is an overlay of the product's: its files come first, and a further folder in it is a further
target. Listing the targets does not need jinja2.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from llmplan.check.scope import Folders
from llmplan.diagnostics import Diagnostic, files
from llmplan.installation import Broken
from llmplan.load.files import shown
from llmplan.resources import MANIFEST, entries, folder, read, targets_in, text_of
from llmplan.source import Source, Span

if TYPE_CHECKING:
    from llmplan.units.measure import Scalar

PARTS = ("launch.j2", "script.j2", "script.zh.j2")
"""Files of a folder that others include: how its program is started, and what the training script must do for it."""

_KEYS = ("about", "when", "files", "brings", "next", "last", "start")

INDEX = "index.txt"
"""The folders that belong to the product, one a line: without it one that is missing would be one that never was."""


@frozen
class Brought:
    """A further folder that is written too, where every value named in `when` is as said."""

    folder: str
    when: tuple[tuple[str, Scalar], ...] = ()


@frozen
class Command:
    """The command that starts a run, word by word, where every value named in `when` is as stated."""

    words: tuple[str, ...]
    when: tuple[tuple[str, Scalar], ...] = ()


@frozen
class Target:
    """A folder of templates.

    Attributes:
        files: Pairs of the file to write and its template's name in the folder.
        next: Commands that start the run, the first that applies.
        last: Whether its files come after those of other targets, which they hold or start.
        start: Options that a plan must give, with the texts that a starting plan has for them.
    """

    name: str
    about: str
    when: str
    files: tuple[tuple[str, str], ...]
    brings: tuple[Brought, ...] = ()
    next: tuple[Command, ...] = ()
    last: bool = False
    start: tuple[tuple[str, str], ...] = ()


def targets(templates: Path | None = None) -> dict[str, Folders]:
    """The targets of `emit`: by name the folders that may be written, and those that a target always brings along."""
    known, _ = load(templates)
    always = _always(known)
    return {
        name: Folders(_with_brought([name, *always], known), _with_brought([name], known, always=True))
        for name, target in known.items()
        if target.when != "brought"
    }


def _always(known: dict[str, Target]) -> list[str]:
    return [name for name, target in known.items() if target.when == "always"]


def _with_brought(names: list[str], known: dict[str, Target], always: bool = False) -> frozenset[str]:
    """Folders with those that they bring along, in some plans or `always`."""
    folders: set[str] = set()
    while names:
        name = names.pop()
        if name in known and name not in folders:
            folders.add(name)
            names += [brought.folder for brought in known[name].brings if not (always and brought.when)]
    return frozenset(folders)


def written(templates: Path | None = None) -> frozenset[str]:
    """The name of every file that some target writes."""
    return frozenset(file for target in load(templates)[0].values() for file, _ in target.files)


def load(templates: Path | None = None) -> tuple[dict[str, Target], list[Diagnostic]]:
    """Every folder of templates, those that are only brought along too; a broken manifest is E0506."""
    found: dict[str, Target] = {}
    problems: list[Diagnostic] = []
    if templates is not None and not templates.is_dir():
        problems.append(files.broken_template(str(templates), "no such folder"))
    for name in _folders(templates):
        place = f"{name}/{MANIFEST}"
        text = ""
        try:
            text = source(place, templates)
            found[name] = _target(name, text)
        except (OSError, UnicodeError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            problems.append(_broken(path_of(place, templates), text, error))
    for target in found.values():
        for brought in target.brings:
            if brought.folder not in found:
                why = f"it uses the folder `{brought.folder}`, which does not exist"
                problems.append(files.broken_template(path_of(f"{target.name}/{MANIFEST}", templates), why))
    return found, problems


def _broken(path: str, text: str, error: Exception) -> Diagnostic:
    """E0506 for a manifest that cannot be read, at the place where its JSON ends to be one."""
    if isinstance(error, json.JSONDecodeError):
        at = min(error.pos, max(len(text) - 1, 0))
        why = f"it is not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        return files.broken_template(path, why, Span(Source(path, text), at, at + 1))
    if isinstance(error, RecursionError):
        return files.broken_template(path, files.MANIFEST_TOO_DEEP)
    if isinstance(error, OSError):
        return files.broken_template(path, error.strerror or str(error))
    return files.broken_template(path, f'it has no "{error.args[0]}"' if isinstance(error, KeyError) else str(error))


def path_of(place: str, templates: Path | None) -> str:
    """How people know `folder/file`: by its path in the user's folder, unless it is one of the product alone."""
    if templates is not None and (
        (templates / place).is_file() or not folder("templates").joinpath(*place.split("/")).is_file()
    ):
        return shown(templates / place)
    return f"templates/{place}"


def source(place: str, templates: Path | None) -> str:
    """The text of `folder/file`, the user's before the product's.

    Raises:
        Broken: A file of the product cannot be read.
        OSError: It cannot be read, or the path would leave the folder.
        UnicodeError: It is not UTF-8.
    """
    if not all(plain_name(part) for part in place.split("/")):
        raise FileNotFoundError(f"`{place}` is not a path inside a templates folder")
    if templates is not None and (templates / place).is_file():
        return read(templates / place)
    own = folder("templates").joinpath(*place.split("/"))
    # An overlay may add files.
    return read(own) if templates is not None else text_of(own, f"templates/{place}")


def is_there(place: str, templates: Path | None) -> bool:
    """Whether there is a `folder/file`."""
    own = folder("templates").joinpath(*place.split("/"))
    return (templates is not None and (templates / place).is_file()) or own.is_file()


def texts(emitted: Sequence[str], templates: Path | None) -> list[str]:
    """The templates that may be read where these targets are emitted, as `folder/file`."""
    known, _ = load(templates)
    found = []
    for name in sorted(_with_brought([*emitted, *_always(known)], known)):
        own = folder("templates").joinpath(name)
        places = [
            place
            for place in (own, None if templates is None else templates / name)
            if place is not None and place.is_dir()
        ]
        found += sorted(
            {f"{name}/{file.name}" for place in places for file in place.iterdir() if file.name.endswith(".j2")}
        )
    return found


def plain_name(name: str) -> bool:
    """True for a file name that stays in its folder on every system."""
    return name not in ("", ".", "..") and not any(char in "/\\:" or ord(char) < 32 for char in name)


def shipped() -> list[str]:
    """The folders of the product that hold a target."""
    own = entries(folder("templates"), "templates")
    return [entry.name for entry in own if entry.joinpath(MANIFEST).is_file()]


def _folders(templates: Path | None) -> list[str]:
    names = set(shipped())
    for name in text_of(folder("templates").joinpath(INDEX), f"templates/{INDEX}").split():
        if name not in names:
            raise Broken(f"`templates/{name}` is missing, or its `{MANIFEST}`")
    return sorted(names.union(targets_in(templates)))


@lru_cache(maxsize=64)
def _target(name: str, text: str) -> Target:
    manifest = json.loads(text)
    if not isinstance(manifest, dict):
        raise TypeError("it is not an object, as `{…}`")
    if unknown := [key for key in manifest if key not in _KEYS]:
        raise ValueError(f'"{unknown[0]}" is not a key of it: these are {", ".join(_KEYS)}')
    when = manifest["when"]
    if not isinstance(manifest["files"], dict):
        raise TypeError('"files" is not an object, as `{"train.yaml": "train.yaml.j2"}`')
    for key in ("brings", "next"):
        if not isinstance(manifest.get(key, []), list):
            raise TypeError(f'"{key}" is not a list')
    if when not in ("named", "always", "brought"):
        raise ValueError(f'"when" is {when!r}, and may be "named", "always" or "brought"')
    written = tuple((str(key), str(value)) for key, value in manifest["files"].items())
    for file, _ in written:
        if not plain_name(file):
            raise ValueError(f"`{file}` is not a plain file name")
    return Target(
        name=name,
        about=str(manifest["about"]),
        when=when,
        files=written,
        brings=tuple(_brought(item) for item in manifest.get("brings", [])),
        next=_commands(manifest.get("next", [])),
        last=bool(manifest.get("last", False)),
        start=tuple((str(option), str(text)) for option, text in manifest.get("start", {}).items()),
    )


def _commands(items: list[Any]) -> tuple[Command, ...]:
    if items and all(isinstance(item, str) for item in items):
        return (Command(tuple(items)),)
    return tuple(Command(tuple(map(str, item["command"])), tuple(item.get("if", {}).items())) for item in items)


def _brought(item: Any) -> Brought:
    if isinstance(item, str):
        return Brought(item)
    return Brought(str(item["folder"]), tuple(item["if"].items()))
