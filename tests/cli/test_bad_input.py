"""Files and folders that are not as they should be: an exit code, one clear message, and nothing else changed."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest

from tests.hanging import ends
from tests.thorough import sample

pytestmark = pytest.mark.usefixtures("no_advice")

PLAN = """\
model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 1024 }
training { precision = bf16, optimizer = adamw, global_batch = 4M tokens }
emit deepspeed, accelerate, report
"""

COMMANDS = ("check", "solve", "compile")


@pytest.mark.parametrize("command", COMMANDS)
def test_missing(llmplan, write, command):
    write("other.plan", PLAN)
    outcome = llmplan(command, "missing.plan")
    assert outcome.code == 2
    assert outcome.err == "error[E0507]: cannot read `missing.plan`: no such file\n"


@pytest.mark.parametrize("command", [one for one in COMMANDS if one != "compile"])
def test_folder(llmplan, write, command):
    write("folder/other.plan", PLAN)
    outcome = llmplan(command, "folder")
    assert outcome.code == 2 and "E0507" in outcome.err and "directory" in outcome.err


@pytest.mark.parametrize("command", COMMANDS)
def test_unreadable(llmplan, write, command, monkeypatch):
    import pathlib

    name = write("secret.plan", PLAN)

    def refuse(self, *_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    # Permissions do not stop the superuser, who may be running this.
    monkeypatch.setattr(pathlib.Path, "open", refuse)
    outcome = llmplan(command, name)
    assert outcome.code == 2 and "E0507" in outcome.err and "permission denied" in outcome.err


@pytest.mark.parametrize("command", COMMANDS)
def test_not_utf8(llmplan, write, command):
    outcome = llmplan(command, write("latin.plan", PLAN.encode() + b'let x = "\xe9"\n'))
    assert outcome.code == 2 and "E0507" in outcome.err and "not UTF-8 (line 6)" in outcome.err


@pytest.mark.parametrize("command", COMMANDS)
def test_too_large(llmplan, write, command):
    with ends():
        outcome = llmplan(command, write("large.plan", b"let x = 1\n" * 1_000_000))
    assert outcome.code == 1 and "E0108" in outcome.err and "larger than the limit of 1 MB" in outcome.err


@pytest.mark.parametrize("start", sample([b"", b"\xef\xbb\xbf"]))
def test_just_not_too_large(llmplan, write, start):
    exact = b"let x = 1\nshow x\n".ljust(1_000_000, b"\n")
    assert llmplan("check", write("large.plan", start + exact)).code == 0
    assert llmplan("check", write("larger.plan", start + exact + b"\n")).code == 1
    assert llmplan("check", "-", stdin=start + exact + b"\n").code == 1
    write("small.plan", b'use "larger.plan"\n')
    assert "E0108" in llmplan("check", "small.plan").err


def test_a_name_that_is_no_name(llmplan, write):
    write("other.plan", PLAN)
    assert llmplan("check", "a\0b").code == 2
    assert llmplan("check", "x" * 5_000).code == 2
    assert llmplan("check", "\udcff.plan").code == 2
    assert llmplan("check", "").code == 2


@pytest.mark.parametrize("text", sample([b"", b"\n", b"# nothing\n", b"\xef\xbb\xbf", b"\r\n\r\n"], 4))
def test_empty(llmplan, write, text):
    name = write("empty.plan", text)
    for command in ("check", "solve", "compile"):
        outcome = llmplan(command, name)
        assert outcome.code == 1 and "E0112" in outcome.err
    assert llmplan("fmt", "--check", name).code in (0, 1)


def test_standard_input(llmplan, write):
    write("other.plan", PLAN)
    assert llmplan("check", "-", stdin=PLAN.encode()).code == 0
    assert llmplan("check", "-", stdin=b"\xff").code == 2
    outcome = llmplan("check", "-", stdin=b"let x = \n")
    assert outcome.code == 1 and "<stdin>:1:" in outcome.err


@pytest.mark.parametrize(
    ("text", "code"),
    sample(
        [
            ("let x = " + "(" * 10_000 + "1" + ")" * 10_000 + "\n", "E0108"),
            ("let x = " + "[" * 10_000 + "\n", "E0108"),
            ("let x = " + "-" * 10_000 + "1\n", "E0108"),
            ("let x = " + "2 ^ " * 10_000 + "2\n", "E0108"),
            ("let x = " + "not " * 10_000 + "true\n", "E0108"),
            ("let x = " + "if true then 1 else " * 10_000 + "1\n", "E0108"),
            ("model " * 10_000 + "\n", "E0109"),
            ("}" * 10_000 + "\n", "E0109"),
            ("\0\x01\x02 \x1b[2J\n", "E0110"),
            ("let x = 1" + "0" * 100_000 + "\n", None),
            ("let x = 1e999999999\n", None),
            ("let x = " + " + ".join(["1"] * 20_000) + "\n", None),
        ],
        4,
    ),
    ids=lambda value: repr(value)[:30],
)
def test_texts_that_try_the_limits(llmplan, write, text, code):
    with ends():
        outcome = llmplan("check", write("odd.plan", text))
    assert "E0901" not in outcome.err and len(outcome.err) < 50_000
    assert outcome.code in (0, 1)
    if code is not None:
        assert outcome.code == 1 and code in outcome.err


@pytest.mark.parametrize(
    "text",
    [
        "let x = 9^9^9^9\nshow x\n",
        "let x = 10^400\nrequire x > 1\n",
        "let x = ? in 0..1e18\nrequire x >= 5\nminimize x\n",
        "let x = ? in powers(2, 1..1e300)\nminimize x\n",
        "let x = ? in divisors(1e18)\nminimize x\n",
        pytest.param(
            "let x = ? in 1..1_000_000\nlet y = ? in 1..1_000_000\nrequire x * y == 7\n", marks=pytest.mark.slow
        ),
        "let x = ? in 1..0\nminimize x\n",
        "let x = 1 / 0\nshow x\n",
    ],
    ids=lambda text: text.splitlines()[0],
)
def test_numbers_that_try_the_limits(llmplan, write, text):
    with ends():
        outcome = llmplan("solve", write("large.plan", text), "--json")
    assert outcome.code in (0, 1, 3) and "E0901" not in outcome.err


def test_an_include_cycle(llmplan, write):
    write("b.plan", 'use "a.plan"\n')
    outcome = llmplan("check", write("a.plan", 'use "b.plan"\n'))
    assert outcome.code == 1 and "E0207" in outcome.err and "b.plan:1:5" in outcome.err


def test_an_include_of_itself(llmplan, write):
    outcome = llmplan("check", write("a.plan", 'use "a.plan"\n'))
    assert outcome.code == 1 and "E0207" in outcome.err


@pytest.mark.parametrize("path", ["../outside.plan", "/etc/passwd", "link.plan"])
def test_an_include_outside_the_root(llmplan, write, tmp_path, path):
    write("outside.plan", "let x = 1\n")
    write("project/pyproject.toml", "")
    (tmp_path / "project" / "link.plan").symlink_to("../outside.plan")
    outcome = llmplan("check", write("project/a.plan", f'use "{path}"\n'))
    assert outcome.code == 1 and "E0207" in outcome.err and "outside" in outcome.err
    if path != "/etc/passwd":
        assert llmplan("check", "project/a.plan", "--root", tmp_path).code == 0


@pytest.mark.parametrize("make", ["missing", "folder", "latin"], ids=["missing", "folder", "not UTF-8"])
def test_an_include_that_cannot_be_read_is_a_mistake_in_the_plan(llmplan, write, make):
    write("folder/x", "")
    write("latin", b"\xff")
    outcome = llmplan("check", write("a.plan", f'use "{make}"\n'))
    assert outcome.code == 1 and "E0207" in outcome.err and "a.plan:1:5" in outcome.err


def contents(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def compiled(llmplan, write, tmp_path):
    """A compiled plan, its folder and what is in it."""
    name = write("a.plan", PLAN)
    assert llmplan("compile", name).code == 0
    folder = tmp_path / "build" / "a"
    return name, folder, contents(folder)


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "call", ["os.fsync", "os.replace", pytest.param("os.open", marks=SLOW), pytest.param("os.link", marks=SLOW)]
)
@pytest.mark.slow
def test_a_full_disk_changes_nothing(llmplan, compiled, monkeypatch, call):
    name, folder, before = compiled

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as disk:
        disk.setattr(call, full)
        outcome = llmplan("compile", name, "--set", "hardware.gpus=512")
    if call == "os.link" and outcome.code == 0:
        return  # a file system without hard links
    assert outcome.code == 1 and "E0505" in outcome.err and "No space left" in outcome.err
    assert contents(folder) == before


@pytest.mark.quick(1)
def test_the_disk_fills_up_half_way(llmplan, compiled, monkeypatch):
    name, folder, before = compiled
    replace, calls = os.replace, []

    def sometimes(source, target):
        calls.append(target)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(source, target)

    with monkeypatch.context() as disk:
        disk.setattr(os, "replace", sometimes)
        outcome = llmplan("compile", name, "--set", "hardware.gpus=512", "--set", "training.precision=fp16")
    assert len(calls) > 1 and outcome.code == 1
    assert contents(folder) == before


def test_an_output_folder_that_cannot_be_made(llmplan, write, tmp_path):
    name = write("a.plan", PLAN)
    write("build", "a file where the folder should be")
    outcome = llmplan("compile", name)
    assert outcome.code == 1 and "E0505" in outcome.err
    assert (tmp_path / "build").read_text() == "a file where the folder should be"


def test_an_output_folder_that_is_not_writable(llmplan, compiled, monkeypatch):
    name, folder, before = compiled

    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    with monkeypatch.context() as disk:
        disk.setattr(os, "open", refuse)
        outcome = llmplan("compile", name, "--set", "hardware.gpus=512")
    assert outcome.code == 1 and "E0505" in outcome.err and "Permission denied" in outcome.err
    assert contents(folder) == before


@pytest.mark.slow
def test_an_edited_file_is_left_alone(llmplan, compiled):
    name, folder, _ = compiled
    edited = folder / "report.md"
    edited.write_text(edited.read_text() + "mine\n")
    before = contents(folder)
    outcome = llmplan("compile", name, "--set", "hardware.gpus=512")
    assert outcome.code == 1 and "E0503" in outcome.err
    assert contents(folder) == before
    assert llmplan("compile", name, "--set", "hardware.gpus=512", "--force").code == 0


@pytest.mark.slow
def test_check_finds_what_is_out_of_date_and_writes_nothing(llmplan, compiled):
    name, folder, before = compiled
    assert llmplan("compile", name, "--check").code == 0
    outcome = llmplan("compile", name, "--check", "--set", "hardware.gpus=512")
    assert outcome.code == 1 and "E0502" in outcome.err
    assert contents(folder) == before


def explain_into(stream) -> tuple[int, str]:
    """Exit code and standard error of a process that writes to this stream."""
    command = [sys.executable, "-m", "llmplan", "explain", "E0301"]
    done = subprocess.run(command, stdout=stream, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_standard_output_that_is_full():
    with open("/dev/full", "w") as full:
        assert explain_into(full) == (2, "llmplan: cannot write the output: No space left on device\n")


def test_a_reader_that_has_gone():
    read_end, write_end = os.pipe()
    os.close(read_end)
    with open(write_end, "w") as closed:
        assert explain_into(closed) == (0, "")


@pytest.mark.skipif(os.name == "nt", reason="closes a descriptor")
@pytest.mark.parametrize(
    "command", ["check", *(pytest.param(name, marks=pytest.mark.slow) for name in ("fmt", "solve", "compile", "sweep"))]
)
def test_closed_standard_input(command, tmp_path):
    found = subprocess.run(
        [sys.executable, "-m", "llmplan", command, "-"],
        preexec_fn=lambda: os.close(0), capture_output=True, text=True, check=False, cwd=tmp_path, timeout=60,
    )  # fmt: skip
    assert found.returncode == 2
    assert found.stderr == "error[E0507]: cannot read `<stdin>`: it is closed\n"


SIZE = 1_000_000
LONG = {
    "statements": ("let a<n> = <n> + 1\n", "let = 3\n", "E0107"),
    "one line": ("let x = 1", " + 1", "= 3\n", "E0108"),
    "a list": ("let x = ? in [1", ", 1", "\n", "E0108"),
    "powers": ("let x = 1", "^2", "\n", "E0108"),
    "signs": ("let x = ", "-", "1\n", "E0108"),
    "a block": ("hardware {\n", "gpus = 3\n", "= }\n", ""),
    "undefined names": ("show zz<n>x\n", "", "E0201"),
    "names again": ("let a = 10_000_000\n", "", "E0203"),
    "a unit": ("show 1 GB", "*GB", "\n", "E0108"),
    "members": ("enum E {\n", "m<n>\n", "}\n", ""),
    "files": ('use "a<n>.plan"\n', "", "E0207"),
}
"""The beginning, the part that is repeated (with `<n>` counted), the end, and a code that is said."""


def large(size, *parts):
    """A text of about so many bytes."""
    begin, again, end = parts if len(parts) == 3 else ("", *parts)
    counted, length, number = [], len(begin) + len(end), 0
    while True:
        part = again.replace("<n>", str(number))
        length, number = length + len(part), number + 1
        if length > size:
            return begin + "".join(counted) + end
        counted.append(part)


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_what_is_wrong_with_a_long_text_is_said_soon(llmplan, write, name):
    *parts, code = LONG[name]
    path = write("long.plan", large(SIZE, *parts).encode())
    with ends():
        outcome = llmplan("check", path)
    assert outcome.code == (1 if code else outcome.code) and outcome.code in (0, 1)
    assert f"error[{code}" in outcome.err if code else "E0901" not in outcome.err
    assert len(outcome.err) < 2_000_000


@pytest.mark.slow
def test_of_many_errors_some_are_enough(llmplan, write):
    text = large(40_000, "let a = 1\n", "")
    outcome = llmplan("check", write("same.plan", text.encode()))
    assert outcome.code == 1
    assert outcome.err.count("error[E0203]") == 1000
    assert "there may be more mistakes: after so many, nothing further was checked" in outcome.err
    assert outcome.out == "same.plan: 1000 errors\n"


def test_a_unit_is_no_list_of_words(llmplan, write):
    sound = llmplan("check", write("unit.plan", ("show 1 " + "*".join(["GB"] * 20)).encode()))
    assert "E0108" not in sound.err
    wrong = llmplan("check", write("unit.plan", ("show 1 " + "*".join(["GB"] * 21)).encode()))
    assert "error[E0108]: unit of more than 20 words" in wrong.err


@pytest.mark.slow
def test_what_nests_far_too_deep_ends_there(llmplan, write):
    for text in ("let x = 1" + "^2" * 20_000, "let x = " + "-" * 20_000 + "1", "require " + "not " * 20_000 + "true"):
        outcome = llmplan("check", write("deep.plan", f"{text}\nlet y = = 1\n".encode()))
        assert [line for line in outcome.err.splitlines() if line.startswith("error")] == [
            "error[E0108]: brackets and operators nest more than 100 deep",
            "error[E0109]: unexpected `=`",
        ]


@pytest.mark.slow
def test_a_folder_that_cannot_be_seen_is_no_folder(llmplan, write, tmp_path):
    for name in ("a\nb", "a\x1b[2J", "a\u202eb"):
        outcome = llmplan("compile", "-o", name, write("small.plan", b"show 1 + 1\nemit report\n"))
        assert outcome.code == 1
        assert "error[E0508]: cannot write into `a" in outcome.err
        assert "it contains a character that cannot be seen" in outcome.err
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("a")] == []


def test_line_breaks_in_texts_do_not_break_tables(llmplan, write):
    text = (
        'let x = ? in 1..3\nrequire r: x >= {} because "one\\ntwo" else "three\\nfour"\n'
        'prefer p: x > 5 because "five\\nsix"\nminimize x\n'
    )
    solved = llmplan("solve", write("lines.plan", text.format(2).encode()))
    assert "five six" in solved.err
    failed = llmplan("solve", write("lines.plan", text.format(5).encode()))
    assert "three four" in failed.out and "three four" in failed.err
    for said in (solved.out, failed.out, solved.err, failed.err):
        assert not any(line.strip() in ("two", "four", "six") for line in said.splitlines())


def test_a_folder_is_told_how_its_plans_are_named(llmplan, tmp_path):
    outcome = llmplan("solve", str(tmp_path))
    assert outcome.code == 2 and f"{tmp_path}/*.plan" in outcome.err


def test_a_current_directory_that_is_gone(llmplan, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    outcome = llmplan("solve", "-e", "let a = 1", "-e", "show a")
    monkeypatch.chdir(tmp_path)
    assert outcome.code == 2 and outcome.err == "llmplan: the current directory does not exist any more\n"
