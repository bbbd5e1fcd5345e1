"""`llmplan fmt`: what it writes where. The layout itself is tested with the formatter."""

from __future__ import annotations

import errno
import os

import pytest

UGLY = "let   x=1 GB # one\n\n\n\nlet y =  2 GB\n"
TIDY = "let x = 1 GB  # one\n\nlet y = 2 GB\n"


def test_writes_in_place_and_only_once(llmplan, write, tmp_path):
    name = write("a.plan", UGLY)
    outcome = llmplan("fmt", name)
    assert (outcome.code, outcome.out, outcome.err) == (0, "a.plan formatted\n", "")
    assert (tmp_path / name).read_text() == TIDY
    outcome = llmplan("fmt", name)
    assert (outcome.code, outcome.out) == (0, "")


def test_check_lists_and_writes_nothing(llmplan, write, tmp_path):
    outcome = llmplan("fmt", "--check", write("a.plan", UGLY), write("b.plan", TIDY))
    assert (outcome.code, outcome.out) == (1, "a.plan would change\n")
    assert (tmp_path / "a.plan").read_text() == UGLY
    assert llmplan("fmt", "--check", "b.plan").code == 0


def test_diff_prints_and_writes_nothing(llmplan, write, tmp_path):
    outcome = llmplan("fmt", "--diff", write("a.plan", UGLY))
    assert outcome.code == 0
    assert outcome.out.startswith("--- a.plan\n+++ a.plan (formatted)\n@@")
    assert "\n-let   x=1 GB # one\n" in outcome.out and f"\n+{TIDY.splitlines()[0]}\n" in outcome.out
    assert (tmp_path / "a.plan").read_text() == UGLY
    assert llmplan("fmt", "--diff", "--check", "a.plan").code == 1


def test_standard_input_to_standard_output(llmplan, write):
    write("a.plan", "")
    assert llmplan("fmt", "-", stdin=UGLY.encode()).out == TIDY
    assert llmplan("fmt", "-", stdin=TIDY.encode()).out == TIDY
    outcome = llmplan("fmt", "-", "--check", stdin=UGLY.encode())
    assert (outcome.code, outcome.out) == (1, "<stdin> would change\n")


def test_a_missing_line_end_shows_in_the_diff(llmplan, write):
    outcome = llmplan("fmt", "--diff", write("a.plan", TIDY.rstrip("\n")))
    assert "\\ No newline at end of file\n" in outcome.out


def test_a_plan_with_mistakes_is_left_as_it_is(llmplan, write, tmp_path):
    outcome = llmplan("fmt", write("a.plan", "let x =\n"), write("b.plan", UGLY))
    assert outcome.code == 1 and "E0101" in outcome.err
    assert (tmp_path / "a.plan").read_text() == "let x =\n"
    assert (tmp_path / "b.plan").read_text() == TIDY


def test_unreadable_is_2(llmplan, write):
    write("b.plan", TIDY)
    assert llmplan("fmt", "b.plan", "missing.plan").code == 2


def test_mode_and_links_stay(llmplan, write, tmp_path):
    name = write("a.plan", UGLY)
    (tmp_path / name).chmod(0o640)
    (tmp_path / "link.plan").symlink_to(name)
    assert llmplan("fmt", "link.plan").code == 0
    assert (tmp_path / "link.plan").is_symlink()
    assert (tmp_path / name).read_text() == TIDY
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("call", ["os.replace", "os.chmod", "tempfile.mkstemp"])
def test_a_full_disk_changes_nothing(llmplan, write, tmp_path, monkeypatch, call):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    name = write("a.plan", UGLY)
    with monkeypatch.context() as disk:
        disk.setattr(call, full)
        outcome = llmplan("fmt", name)
    assert outcome.code == 1 and "E0505" in outcome.err and "No space left" in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == UGLY
