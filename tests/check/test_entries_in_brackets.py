"""`engine.power["deltic"]` and `engine.power[train.drive]`: what an entry says of a field, whichever is chosen."""

from __future__ import annotations

import pytest

from llmplan import api

TRAINS = """
enum Drive { steam, diesel }
kind train { drive: Drive = steam, wagons: Int in 1..40 = 10 }
kind engine {
    power: W = engine.power[train.drive]
    wheels: Int = engine.wheels[train.drive]
    cars: Int = 3
    livery: Text
}
@usual("steam")
entry engine "mallard" { power = 1800 kW, wheels = 12, livery = "blue" }
@usual("diesel")
entry engine "deltic" like "mallard" { power = 2400 kW }
entry engine "streak" { wheels = 14 }
"""


def shown(text: str, *names: str, **settings: str) -> list[object]:
    """What names come to in a plan, without a diagnostic."""
    text = TRAINS + text + "".join(f"\nshow {name}" for name in names)
    solution = api.solve("-", text=text, settings=[(path.replace("__", "."), v) for path, v in settings.items()])
    assert solution.diagnostics == ()
    return [solution.values[name].value for name in names]


def test_the_usual_entry_fills_in_what_the_chosen_one_leaves_open() -> None:
    names = ("engine.power", "engine.wheels")
    assert shown("", *names) == [1.8e6, 12]
    assert shown("", *names, train__drive="diesel") == [2.4e6, 12]
    assert shown('engine "streak"', *names, train__drive="diesel") == [2.4e6, 14]
    assert shown('engine "streak" { power = 3 MW }', *names) == [3e6, 14]


def test_an_amended_entry_is_read_as_amended() -> None:
    assert shown('amend engine "deltic" { power = 5 MW }', "engine.power", train__drive="diesel") == [5e6]


def test_a_name_in_brackets() -> None:
    assert shown('let more = engine.power["deltic"] - engine.power["mallard"]', "more") == [6e5]


def test_what_all_say_depends_on_no_choice() -> None:
    undecided = TRAINS.replace("drive: Drive = steam", "drive: Drive")
    solution = api.solve("-", text=f"{undecided}show engine.wheels\nshow engine.power\n")
    assert solution.values["engine.wheels"].value == 12
    assert solution.values["engine.power"].value is None and solution.values["engine.power"].needs


def test_an_unknown_choice_is_searched() -> None:
    solution = api.solve("-", text=TRAINS + "train.drive = ?\nmaximize engine.power\n")
    assert solution.values["train.drive"].value == "diesel" and solution.values["engine.power"].value == 2.4e6


def test_the_source_is_that_of_the_entry() -> None:
    solution = api.solve("-", text=TRAINS + "show engine.power", settings=[("train.drive", "diesel")])
    origin = solution.values["engine.power"].origin
    assert origin is not None and origin.layer == "entry"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('let a = engine.power["delta"]', "E0207 the catalog has no engine `delta`"),
        ("let a = engine.power[3]", "E0303 expected the name of a engine or a member of an enum, found"),
        ("let a = engine.power[train.wagons]", "E0303 expected the name of a engine or a member of an enum, found"),
        ('let a = engine.livery["deltic"]', "E0303 expected a field with a single value, found text"),
        ("let a = train.wagons[steam]", "E0303"),
        ("let a = engine.power[engine]", "E0207 the catalog has no engine `engine`"),
    ],
)
def test_mistakes_are_told(text: str, said: str) -> None:
    problems = [f"{problem.code} {problem.message}" for problem in api.check("-", text=f"{TRAINS}{text}\nshow a\n")]
    assert any(problem.startswith(said) for problem in problems), problems
