"""A case: files in an empty folder and commands run among them, as a text that a person can read and write.

    # What goes wrong, or went wrong once.
    run ["check", "a.plan"]
    exit 1
    says E0201
    -- "a.plan" --
    let x = y

Lines `exit`, `says` and `silent about` belong to the `run` before them. A file's name and the arguments are JSON, so
that any name can be written. After the name may stand `open` (the file ends without its last line break), `base64` (it
is no text), `folder`, `link` (to what the content says) and `repeated N` (its last line N times, with `<n>` and `<n-1>`
counted from 1). What a text does not say is not expected; that no command fails by itself is expected of every case.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

from attrs import evolve, field, frozen

_FILE = re.compile(r'-- (".*") ?(open|base64|folder|link|repeated (\d+))? ?--')


@frozen
class Run:
    """One command, and what is expected of it beyond not failing.

    Args:
        code: The exit code, None for any.
        says: Parts of what it prints on both streams.
        silent: What stands nowhere in it.
    """

    arguments: tuple[str, ...]
    code: int | None = None
    says: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()


@frozen
class File:
    """A file, folder or link of a case; of a link the content is where it leads."""

    name: str
    content: bytes = b""
    kind: str = "file"


@frozen
class Case:
    """Files and commands, with a line about them."""

    about: str
    runs: tuple[Run, ...]
    files: tuple[File, ...] = field(factory=tuple)

    def lay(self, folder: Path) -> None:
        """Puts the files into a folder. A name that this system cannot have is left out."""
        for file in self.files:
            path = folder / file.name
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                if file.kind == "folder":
                    path.mkdir(exist_ok=True)
                elif file.kind == "link":
                    path.symlink_to(file.content.decode())
                else:
                    path.write_bytes(file.content)
            except (OSError, ValueError):
                continue


def read(text: str) -> Case:
    """The case that a text describes."""
    parts = re.split(r"(?m)^(?=-- \")", text)
    about, runs = [], []
    for line in parts[0].splitlines():
        word, _, rest = line.partition(" ")
        if word == "#":
            about.append(rest)
        elif word == "run":
            runs.append(Run(tuple(json.loads(rest))))
        elif word == "exit":
            runs[-1] = evolve(runs[-1], code=int(rest))
        elif word == "says":
            runs[-1] = evolve(runs[-1], says=(*runs[-1].says, rest))
        elif word == "silent":
            runs[-1] = evolve(runs[-1], silent=(*runs[-1].silent, rest.removeprefix("about ")))
        elif line:
            raise ValueError(f"no line of a case: {line}")
    return Case(" ".join(about), tuple(runs), tuple(_file(part) for part in parts[1:]))


def _file(part: str) -> File:
    head, _, content = part.partition("\n")
    found = _FILE.fullmatch(head)
    if not found:
        raise ValueError(f"no file of a case: {head}")
    name, how = json.loads(found[1]), found[2] or ""
    if how == "folder":
        return File(name, kind="folder")
    if how == "link":
        return File(name, content.strip().encode(), "link")
    if how == "base64":
        return File(name, base64.b64decode(content))
    if how == "open":
        content = content.removesuffix("\n")
    elif how:
        lines = content.splitlines(keepends=True)
        counted = (lines[-1].replace("<n>", str(n)).replace("<n-1>", str(n - 1)) for n in range(1, int(found[3]) + 1))
        content = "".join([*lines[:-1], *counted])
    return File(name, content.encode())


def written(case: Case) -> str:
    """The text of a case."""
    lines = [f"# {case.about}"]
    for run in case.runs:
        lines.append(f"run {json.dumps(run.arguments)}")
        lines += [] if run.code is None else [f"exit {run.code}"]
        lines += [f"says {text}" for text in run.says] + [f"silent about {text}" for text in run.silent]
    parts = ["\n".join(lines) + "\n"]
    for file in case.files:
        how, content = _shown(file)
        parts.append(f"-- {json.dumps(file.name)}{how and ' ' + how} --\n{content}")
    return "".join(parts)


def _shown(file: File) -> tuple[str, str]:
    if file.kind != "file":
        return file.kind, file.content.decode() + "\n" * bool(file.content)
    try:
        text = file.content.decode()
    except UnicodeDecodeError:
        text = "\r"
    if "\r" in text or re.search(r'(?m)^-- "', text):
        return "base64", base64.encodebytes(file.content).decode()
    return ("", text) if text.endswith("\n") or not text else ("open", f"{text}\n")
