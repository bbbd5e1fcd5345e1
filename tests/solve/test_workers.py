"""Work on several cores: the same results in the same order, whoever does which part and whatever fails."""

from __future__ import annotations

import pickle
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count
from multiprocessing import active_children
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from llmplan.solve import pool, workers
from llmplan.solve.diagnose.conflict import GridDiagnosis, diagnose_grid
from llmplan.solve.discrete.search import GridSearch, search
from llmplan.solve.effort import Effort
from llmplan.solve.passes import requirements_of
from tests.hanging import SECONDS, ends
from tests.solve.squares import Squares
from tests.solve.systems import systems

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(workers, "cores", lambda: 2)
    monkeypatch.setattr(workers, "PAYS", -1.0)


@pytest.fixture
def begun(tmp_path):
    return tmp_path / "begun"


def taken(job, parts, most):
    """Who did each of the first results of a job, which are checked; then it is closed."""
    with ends(), closing(workers.results(job, parts)) as results:
        found = [result for _, result in zip(range(most), results)]
    assert [square for square, _ in found] == [number**2 for number in range(most)]
    assert not active_children()
    return [away for _, away in found]


def test_results_come_in_order_from_here_and_from_a_worker(two_cores, begun):
    assert set(taken(Squares(begun), 200, 200)) == {True, False}


def test_a_worker_that_dies_is_done_without(two_cores, begun):
    assert taken(Squares(begun, dies=True), 150, 150) == [False] * 150
    assert begun.exists()


@pytest.mark.parametrize("error", [OSError, RuntimeError, ImportError])
def test_where_no_worker_can_be_started_none_is(two_cores, begun, monkeypatch, error):
    def refuse(*arguments):
        raise error

    begun.touch()
    monkeypatch.setattr(pool, "ProcessPoolExecutor", refuse)
    assert taken(Squares(begun), 20, 20) == [False] * 20


def test_without_an_interpreter_to_start_there_are_no_workers(two_cores, begun, monkeypatch):
    begun.touch()
    monkeypatch.setattr(sys, "executable", None)
    monkeypatch.delattr(pool, "Team")
    assert taken(Squares(begun), 20, 20) == [False] * 20


def test_workers_end_when_the_work_ends_early_or_is_interrupted(two_cores, begun):
    taken(Squares(begun), 10**12, 60)
    with ends(), pytest.raises(KeyboardInterrupt), closing(workers.results(Squares(begun), 10**12)) as results:
        for square, _ in results:
            if square > 100:
                raise KeyboardInterrupt
    assert not active_children()


@pytest.mark.slow
def test_what_fails_in_a_worker_fails_here(two_cores, begun):
    with pytest.raises(ZeroDivisionError), closing(workers.results(Dividing(), 50)) as results:
        list(results)
    assert not active_children()


class Dividing:
    def part(self, number):
        return 1 / (30 - number)


@pytest.mark.parametrize(("seconds", "pays"), [(0.02, False), (0.2, True)])
def test_only_long_work_is_worth_workers(monkeypatch, begun, seconds, pays):
    """A clock that each part moves on."""

    class Asked(Exception):
        pass

    def ask(*arguments):
        raise Asked

    begun.touch()
    ticks = count()
    monkeypatch.setattr(workers, "cores", lambda: 2)
    monkeypatch.setattr(workers, "monotonic", lambda: next(ticks) * seconds)
    monkeypatch.setattr(pool, "Team", ask)
    if pays:
        with pytest.raises(Asked):
            taken(Squares(begun), 20, 20)
    else:
        assert len(taken(Squares(begun), 20, 20)) == 20


SCRIPT = f"""
import sys
print("main", flush=True)
sys.path.insert(0, {str(ROOT)!r})
from contextlib import closing
from pathlib import Path
from llmplan.solve import workers
from tests.solve.squares import Squares
workers.cores = lambda: 2
workers.PAYS = -1.0
with closing(workers.results(Squares(Path("begun")), PARTS)) as results:
    print(sorted({{away for _, away in results}}))
"""


@pytest.mark.parametrize("how", ["file", "command", "input", "module", "archive"])
@pytest.mark.slow
def test_a_worker_does_not_run_the_script_of_who_started_it(tmp_path, how):
    script = SCRIPT.replace("PARTS", "100")
    (tmp_path / "script.py").write_text(script)
    with zipfile.ZipFile(tmp_path / "script.zip", "w") as archive:
        archive.writestr("__main__.py", script)
    arguments = {
        "file": ["script.py"],
        "command": ["-c", script],
        "input": ["-"],
        "module": ["-m", "script"],
        "archive": ["script.zip"],
    }[how]
    command = [sys.executable, *arguments]
    run = subprocess.run(
        command, check=False, cwd=tmp_path, input=script, capture_output=True, text=True, timeout=SECONDS
    )
    assert (run.stdout, run.stderr) == ("main\n[False, True]\n", "")


def test_a_worker_does_not_outlive_the_process_that_started_it(tmp_path):
    script = SCRIPT.replace("PARTS", "10**12").replace(
        "for _, away in results", "for _, away in results if not print(away)"
    )
    with subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line == "True\n":
                break
        process.kill()
        # All of its children hold the other end of this pipe.
        process.communicate(timeout=SECONDS)


class Threads:
    """A team that is quick to start."""

    def __init__(self, job, workers):
        self._job = pickle.loads(pickle.dumps(job))
        self._pool = ThreadPoolExecutor(workers)

    def submit(self, part):
        return self._pool.submit(self._job.part, part)

    def end(self):
        self._pool.shutdown(cancel_futures=True)


def both(work, with_team=Threads):
    """What some work gives on one core and on two."""
    found = []
    for cores in (1, 2):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(workers, "cores", lambda cores=cores: cores)
            patched.setattr(workers, "PAYS", -1.0)
            patched.setattr(pool, "Team", with_team)
            found.append(work())
    return found


PORTIONS = st.sampled_from([1, 2, 5, 20])


@settings(max_examples=100)
@given(systems(), st.sampled_from([1, 5, 20]), PORTIONS, st.sampled_from([1, 3]))
@pytest.mark.slow
def test_a_search_finds_the_same_on_one_core_and_on_two(system, cells, portion, keep):
    one, two = both(lambda: search(system, requirements_of(system), keep=keep, cells=cells, portion=portion))
    assert repr(one) == repr(two)


@settings(max_examples=100)
@given(systems(), PORTIONS)
@pytest.mark.slow
def test_a_diagnosis_is_the_same_on_one_core_and_on_two(system, portion):
    required = requirements_of(system)
    assume(required)
    one, two = both(lambda: diagnose_grid(system, required, portion=portion))
    assert repr(one) == repr(two)


@settings(max_examples=100)
@given(systems(), PORTIONS)
@pytest.mark.slow
def test_a_worker_sees_in_each_part_what_is_seen_here(system, portion):
    required = requirements_of(system)
    assume(required)
    for job in (
        GridSearch(system, required, {}, 3, 20, portion, float("inf")),
        GridDiagnosis(system, required, portion),
    ):
        there = pickle.loads(pickle.dumps(job))
        assert len(there.parts) == len(job.parts)
        for number in range(len(job.parts)):
            assert repr(there.part(number)) == repr(job.part(number))


@settings(max_examples=5)
@given(systems(), PORTIONS)
def test_processes_of_their_own_find_the_same_too(system, portion):
    one, two = both(lambda: search(system, requirements_of(system), portion=portion), pool.Team)
    assert repr(one) == repr(two)


@settings(max_examples=100)
@given(systems(), PORTIONS)
@pytest.mark.slow
def test_progress_ends_with_all_there_is_unless_the_search_does(system, portion):
    told = []
    effort = Effort(progress=lambda done, count, what: told.append((done, count, what)))
    found = search(system, requirements_of(system), effort=effort, portion=portion)
    assert told == sorted(told) and {what for _, _, what in told} == {"layouts"}
    assert all(count > 0 and done <= count for done, count, _ in told)
    assert not found.complete or told[-1][0] == told[-1][1]
