"""A plan and all that it uses, or configurations, as they were at a revision of git, in a folder of their own.

Input: a plan's request, or a path, and the revision. Output: the same request, or path, in that folder. Only what is
named is read, each file from git's own store: nothing is checked out, no filter or hook of the repository runs, and the
working tree stays as it is. What is not a plain file inside the project at that revision is left out, so that reading
the plan says what is wrong.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from attrs import evolve, frozen

from llmplan.load.files import READ, Unreadable, decode
from llmplan.load.modules import MAX_FILES
from llmplan.request import Request
from llmplan.source import Source
from llmplan.syntax import nodes
from llmplan.syntax.parse import parse
from llmplan.syntax.statements import Statements

_PATIENCE = 60
"""Seconds after which git is given up."""

_PLAIN = ("100644", "100755")
"""The modes of plain files."""


@frozen
class _Repository:
    """A repository at a revision: its folder and the hash of the commit."""

    top: Path
    commit: str

    @classmethod
    def at(cls, folder: Path, revision: str) -> _Repository:
        """The repository that a folder belongs to.

        Raises:
            Unreadable: There is none, git does not run, or the revision is unknown.
        """
        top = _git(folder, "rev-parse", "--show-toplevel").decode("utf-8", "surrogateescape").rstrip("\n")
        # What begins with a dash would be an option.
        commit = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        return cls(Path(top).resolve(), commit.decode("ascii").strip())

    def bytes_of(self, path: PurePosixPath) -> bytes | None:
        """The beginning of a plain file; None where there is none."""
        listed = _git(self.top, "ls-tree", "-z", "--full-tree", self.commit, "--", f":(literal){path}")
        fields = listed.partition(b"\t")[0].decode("ascii").split()  # its mode, its type and its name
        if not fields or fields[0] not in _PLAIN:
            return None
        return _git(self.top, "cat-file", "blob", fields[2])[:READ]

    def files_in(self, folder: PurePosixPath) -> list[PurePosixPath]:
        """The files that stand in a folder itself."""
        inside = [] if str(folder) == "." else [f":(literal){folder}/"]
        listed = _git(self.top, "ls-tree", "-z", "--full-tree", "--name-only", self.commit, "--", *inside)
        return [PurePosixPath(os.fsdecode(name)) for name in listed.split(b"\0") if name]


@contextmanager
def as_it_was(asked: Request, revision: str) -> Iterator[Request]:
    """The request for the plan as it was; its name says the revision.

    Raises:
        Unreadable: The plan was not there, is not in a repository, or git knows no such revision.
    """
    plan = Path(asked.path).resolve()
    repository = _Repository.at(plan.parent, revision)
    with tempfile.TemporaryDirectory(prefix="llmplan-") as folder:
        root = Path(folder).resolve()
        _written(repository, plan, asked.base, root)
        base = root / asked.base.relative_to(repository.top) if asked.base.is_relative_to(repository.top) else root
        base.mkdir(parents=True, exist_ok=True)
        there = root / plan.relative_to(repository.top)
        yield evolve(asked, path=there.as_posix(), text=there.read_text(encoding="utf-8"), root=str(base))


@contextmanager
def files_as_they_were(paths: Sequence[str], revision: str) -> Iterator[list[str]]:
    """The paths, in another folder, of configurations, or of a folder of configurations, as they were.

    Raises:
        Unreadable: It was not there, is not in a repository, or git knows no such revision.
    """
    places = [Path(path).resolve() for path in paths]
    repository = _Repository.at(places[0] if places[0].is_dir() else places[0].parent, revision)
    if not all(place.is_relative_to(repository.top) for place in places):
        raise Unreadable("the files are not of one repository")
    inside = [PurePosixPath(place.relative_to(repository.top).as_posix()) for place in places]
    names = [
        name
        for place, path in zip(places, inside, strict=True)
        for name in (repository.files_in(path) if place.is_dir() else [path])
    ]
    with tempfile.TemporaryDirectory(prefix="llmplan-") as folder:
        root = Path(folder).resolve()
        for name in names[:MAX_FILES]:
            data = repository.bytes_of(name)
            if data is not None:
                target = root / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        there = [root / path for path in inside]
        if not names or not any(path.exists() for path in there):
            raise Unreadable("no such file at that revision")
        yield [str(path) for path in there if path.exists()]


def _written(repository: _Repository, plan: Path, base: Path, root: Path) -> None:
    """Writes a plan and what it uses into a folder, each at its path from the repository."""
    pending, seen = [plan], {plan}
    while pending:
        file = pending.pop(0)
        inside = file.is_relative_to(repository.top) and (file.is_relative_to(base) or file == plan)
        data = repository.bytes_of(PurePosixPath(file.relative_to(repository.top).as_posix())) if inside else None
        if data is None and file == plan:
            raise Unreadable("no such file at that revision")
        if data is None:
            continue
        text = decode(data)
        target = root / file.relative_to(repository.top)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")
        for name in _named(text) if file.suffix == plan.suffix else ():
            # Links are not followed: a path means what the revision has there.
            used = Path(os.path.normpath(file.parent / name))
            if used not in seen and len(seen) <= MAX_FILES:
                seen.add(used)
                pending.append(used)


def _named(text: str) -> Iterator[str]:
    """The files that a plan names."""
    tree, _ = parse(Source("", text))
    of = Statements.of(tree.statements)
    yield from (use.path.plain for use in of.uses if use.path.plain)
    blocks = (one for one in tree.statements if isinstance(one, nodes.Block) and one.config is not None)
    yield from (one.config.plain for one in blocks if one.config is not None and one.config.plain)


def _git(folder: Path, *arguments: str) -> bytes:
    """What git prints.

    Raises:
        Unreadable: It is not installed, or says that something is wrong.
    """
    command = ["git", "--no-replace-objects", "-C", str(folder), *arguments]
    quiet = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    null = subprocess.DEVNULL
    try:
        done = subprocess.run(command, check=False, capture_output=True, timeout=_PATIENCE, env=quiet, stdin=null)
    except FileNotFoundError:
        raise Unreadable("git is not installed") from None
    except (OSError, subprocess.TimeoutExpired):
        raise Unreadable("git does not answer") from None
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    raise Unreadable(said[0].removeprefix("fatal: ") if said else "git knows no such revision")
