"""Work on several cores: the same results in the same order, whoever does which part and whatever fails."""

from __future__ import annotations

import contextlib
import os
import pickle
import threading
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from llmplan.solve import pool
from llmplan.solve.diagnose import conflict
from llmplan.solve.discrete import search
from llmplan.solve.effort import Effort
from llmplan.solve.passes import requirements_of
from tests.hanging import ends
from tests.solve.systems import systems


class Squares:
    """Gives squares, slowly enough that a helper gets its share; `fails` names a part that helpers cannot do."""

    def __init__(self, fails: int = -1) -> None:
        self.home = os.getpid()
        self.fails = fails

    def part(self, number: int) -> tuple[int, bool]:
        time.sleep(0.02)
        away = os.getpid() != self.home
        if away and number >= self.fails >= 0:
            os._exit(1)
        return number**2, away


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(pool, "cores", lambda: 2)
    monkeypatch.setattr(pool, "PAYS", -1.0)


@pytest.fixture
def started(monkeypatch):
    """The helpers that were started."""
    found = []
    start = pool._start

    def noted():
        found.append(start())
        return found[-1]

    monkeypatch.setattr(pool, "_start", noted)
    return found


def squares(task, count, until=None):
    found = []

    def take(result):
        found.append(result)
        return len(found) == until

    with ends():
        pool.run(task, count, take)
    assert [square for square, _ in found] == [number**2 for number in range(len(found))]
    return found


def test_results_come_in_order_from_here_and_from_a_helper(two_cores, started):
    found = squares(Squares(), 200)
    assert len(found) == 200
    assert {away for _, away in found} == {True, False}
    assert [helper.poll() is not None for helper in started] == [True]


def test_a_helper_that_dies_is_done_without(two_cores, started):
    assert len(squares(Squares(fails=50), 150)) == 150
    assert started[0].returncode == 1


def test_helpers_end_when_the_work_ends_early_or_is_interrupted(two_cores, started):
    squares(Squares(), 10_000, until=60)

    def interrupt(result):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pool.run(Squares(), 100, interrupt)
    assert all(helper.poll() is not None for helper in started)


def test_short_work_starts_no_helper(monkeypatch, started):
    monkeypatch.setattr(pool, "cores", lambda: 2)
    assert len(squares(Squares(), 20)) == 20
    assert not started


def test_a_helper_does_not_outlive_the_process_that_started_it():
    helper = pool._start()
    helper.stdin.write(pickle.dumps(Squares()))
    helper.stdin.close()
    with ends():
        assert helper.wait() == 0
    helper.stdout.close()


class Thread:
    """A helper that is a thread of this process, quick to start."""

    def __init__(self) -> None:
        (questions, ask), (listen, answers) = os.pipe(), os.pipe()
        self.stdin, self.stdout = os.fdopen(ask, "wb"), os.fdopen(listen, "rb")
        self._thread = threading.Thread(target=self._work, args=(questions, answers))
        self._thread.start()

    def _work(self, questions, answers):
        gone = contextlib.suppress(OSError, EOFError)  # the other side
        with gone, os.fdopen(questions, "rb") as source, os.fdopen(answers, "wb") as sink:
            pool.answer(source, sink)

    def kill(self):
        pass

    def wait(self):
        self._thread.join()


def both(monkeypatch, work):
    """What some work gives on one core and on two."""
    found = []
    for count in (1, 2):
        with monkeypatch.context() as patched:
            patched.setattr(pool, "cores", lambda count=count: count)
            patched.setattr(pool, "PAYS", -1.0)
            patched.setattr(pool, "_start", Thread)
            found.append(work())
    return found


PORTIONS = st.sampled_from([1, 2, 5, 20])


@settings(max_examples=100)
@given(systems(), st.sampled_from([1, 5, 20]), PORTIONS, st.sampled_from([0, 3]))
def test_a_search_finds_the_same_on_one_core_and_on_two(system, cells, portion, keep):
    with pytest.MonkeyPatch.context() as monkeypatch:
        one, two = both(
            monkeypatch,
            lambda: search.search(system, requirements_of(system), keep=keep, cells=cells, portion=portion),
        )
    assert repr(one) == repr(two)


@settings(max_examples=100)
@given(systems(), PORTIONS)
def test_a_diagnosis_is_the_same_on_one_core_and_on_two(system, portion):
    required = requirements_of(system)
    assume(required)
    with pytest.MonkeyPatch.context() as monkeypatch:
        one, two = both(monkeypatch, lambda: conflict.diagnose(system, required, portion=portion))
    assert repr(one) == repr(two)


@settings(max_examples=100)
@given(systems(), PORTIONS)
def test_a_helper_sees_in_each_part_what_is_seen_here(system, portion):
    required = requirements_of(system)
    assume(required)
    searching = search._Scan(system, required, {}, 3, 20, portion, float("inf"))
    for scan in (searching, conflict._Scan(system, required, portion)):
        there = pickle.loads(pickle.dumps(scan))
        assert len(there.parts) == len(scan.parts)
        for number in range(len(scan.parts)):
            assert repr(there.part(number)) == repr(scan.part(number))


@settings(max_examples=5)
@given(systems(), PORTIONS)
def test_processes_of_their_own_find_the_same_too(system, portion):
    required = requirements_of(system)
    found = []
    for count in (1, 2):
        with pytest.MonkeyPatch.context() as monkeypatch:
            monkeypatch.setattr(pool, "cores", lambda count=count: count)
            monkeypatch.setattr(pool, "PAYS", -1.0)
            found.append(search.search(system, required, portion=portion))
    assert repr(found[0]) == repr(found[1])


@settings(max_examples=100)
@given(systems(), PORTIONS)
def test_progress_ends_with_all_there_is_unless_the_search_does(system, portion):
    told = []
    effort = Effort(progress=lambda done, count, what: told.append((done, count, what)))
    found = search.search(system, requirements_of(system), effort=effort, portion=portion)
    assert told == sorted(told) and {what for _, _, what in told} == {"layouts"}
    assert all(0 < count and done <= count for done, count, _ in told)
    assert not found.complete or told[-1][0] == told[-1][1]
