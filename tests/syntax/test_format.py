"""The canonical layout: what it is, and that it changes nothing but layout."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lark import Lark

from llmplan.resources import folder
from llmplan.source import Source
from llmplan.syntax import parse
from llmplan.syntax.format import format_file
from llmplan.syntax.parse import words
from tests.thorough import examples

ROOT = Path(__file__).parents[2]
PLANS = sorted(path for folder in ("plans", "templates") for path in ROOT.glob(f"{folder}/**/*.plan"))


def formatted(text):
    """The layout of a text, after checking that nothing else changed and a second run changes nothing."""
    source = Source("x.plan", text)
    file, diagnostics = parse(source)
    assert diagnostics == []
    result = format_file(file, source)
    again = Source("x.plan", result)
    file_again, diagnostics = parse(again)
    assert diagnostics == []
    assert file_again == file
    assert docs(file_again) == docs(file)
    assert [c.text for c in file_again.comments] == [c.text.rstrip() for c in file.comments]
    assert format_file(file_again, again) == result
    assert not re.search(r"[ \t]\n|\n\n\n|\A\n|\r|\ufeff", result)
    return result


def docs(file):
    parts = ("fields", "members", "settings", "lets")
    inner = [d for s in file.statements for part in parts for d in getattr(s, part, ())]
    return [node.doc for node in (*file.statements, *inner)]


def layout(text):
    return formatted(dedent(text).lstrip("\n"))


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("x=3", "x = 3"),
        ("x  =  3*( a+b )/ c^2-1", "x = 3 * (a + b) / c ^ 2 - 1"),
        ("x = - a*-b - -( c )", "x = -a * -b - -(c)"),
        ("x = 80GB+40  %+7B  params", "x = 80 GB + 40% + 7B params"),
        ("x = f ( a,b , [ 1,2 ] )", "x = f(a, b, [1, 2])"),
        ("x = q [ s,p ]", "x = q[s, p]"),
        ("x = ?in[1,2]", "x = ? in [1, 2]"),
        ("x = ? in 1 .. 8 step 2", "x = ? in 1..8 step 2"),
        ("x = 30 % .. 40%..55 %", "x = 30%..40%..55%"),
        ("x = 1day..90days", "x = 1 day .. 90 days"),
        ("x = n+1..2*n", "x = n + 1 .. 2 * n"),
        ("x = 1..f( n )", "x = 1..f(n)"),
        ("require  a<=b==c", "require a <= b == c"),
        ('require  x :a because"b"', 'require x: a because "b"'),
        ("require certain  x:a", "require certain x: a"),
        ("final  require  certain a", "final require certain a"),
        ('waive a ,b  because"c"', 'waive a, b because "c"'),
        ("x = not a and(b or c)", "x = not a and (b or c)"),
        ("x = if a then b else c", "x = if a then b else c"),
        ("x = max( q[ s ] for s in S,p in P )", "x = max(q[s] for s in S, p in P)"),
        ("h{a=1,b=2,}", "h { a = 1, b = 2 }"),
        ("h { }", "h {}"),
        ("h {\n}", "h {}"),
        ("x = match y{0=>a,_=>b}", "x = match y { 0 => a, _ => b }"),
        ("x = a . b", "x = a.b"),
        ('@cite ( "a","b", ) unit  x', '@cite("a", "b") unit x'),
        ("fn f ( a:Int in 0..3,b : [ g ] )->Int=a", "fn f(a: Int in 0..3, b: [g]) -> Int = a"),
        ("kind k{a:Int in 1..3=1?in[1,2],b:c or d}", "kind k { a: Int in 1..3 = 1 ? in [1, 2], b: c or d }"),
        ("show a/b  in  USD/Ttoken", "show a / b in USD/Ttoken"),
        ("show a in%", "show a in %"),
        ('emit a,b{c=1}into"d"', 'emit a, b { c = 1 } into "d"'),
        ("unit  %:Real=0.01", "unit %: Real = 0.01"),
        ("@unit( GPU * hour ) unit x", "@unit(GPU*hour) unit x"),
        ("@lever( 1 / 2,2 ) unit x", "@lever(1/2, 2) unit x"),
        ("@column(a.b/c.d, GB / s) unit x", "@column(a.b / c.d, GB/s) unit x"),
        ("x = 3#c", "x = 3  #c"),
        ("   # c   ", "# c"),
        ("x = f(a,)", "x = f(a)"),
        ("\ufeffx = 3\r\ny = 4", "x = 3\ny = 4"),
    ],
)
def test_words(text, after):
    assert formatted(text) == after + "\n"


def test_nothing():
    assert formatted("") == formatted("\n \n") == ""
    assert formatted("\n\n# a\n\n\n# b\n\n") == "# a\n\n# b\n"


def test_blocks():
    assert layout(
        """
        hardware {

          gpu = "a"   # the first
          gpus_per_node=8,  price = 2 USD/GPU/hour


          # about it
          a = match x {
            0=>1
            _   => 2 }

          b = 1 }
        scenario "s" {a = 1,
          long_name = 2}
        """
    ) == dedent(
        """\
        hardware {
            gpu           = "a"  # the first
            gpus_per_node = 8
            price         = 2 USD/GPU/hour

            # about it
            a = match x {
                0 => 1
                _ => 2
            }

            b = 1
        }
        scenario "s" {
            a         = 1
            long_name = 2
        }
        """
    )


def test_lines_that_carry_on():
    assert layout(
        """
        ## d
        @cite("a")

        quantity q: byte
          when a
          and b
            = x
              * y
            + z * f(1,
              2
              + 3)
            - (
            a
            )

        quantity r: s
          = if a
              or b
          then c
             + d
          else e
           * f
        let v = if a then b
          else c
        require n: a <= b and
            c
          because "d"
        pareto a,
          b
        """.replace("and\n            c", "and c")
    ) == dedent(
        """\
        ## d
        @cite("a")
        quantity q: byte
            when a
                and b
            = x
                * y
            + z * f(1,
                2
                + 3)
            - (
                a
            )

        quantity r: s
            = if a
                    or b
                then c
                    + d
                else e
                    * f
        let v = if a then b
            else c
        require n: a <= b and c
            because "d"
        pareto a,
            b
        """
    ).replace("    = x\n        * y\n", "    = x\n    * y\n")


def test_comments_stay_where_they_are():
    text = dedent(
        """\
        # the file

        ## doc
        # note
        x = f(  # open
            # inside
            a,  # first
            b
            # last
        )
            # between
            + c  # end
        h {  # head
            # first
            a = 1  # one
            # last
        }
        # tail
        """
    )
    assert formatted(text) == text


def test_a_sign_after_a_comma_stays_after_it():
    text = "fn f() -> Int {\n let a = 1, -a }"
    assert formatted(text) == "fn f() -> Int {\n    let a = 1,\n    -a\n}\n"


def test_a_text_with_mistakes_is_refused():
    source = Source("x.plan", "x = = 3")
    with pytest.raises(ValueError, match=r"x.plan.*column 5"):
        format_file(parse(source)[0], source)


LONG = 10_000  # bytes


@pytest.mark.quick(20)
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path, id=f"{path.parent.name}-{path.stem}", marks=[pytest.mark.slow] * (path.stat().st_size > LONG)
        )
        for path in PLANS
    ],
)
def test_plans(path):
    text = path.read_text(encoding="utf-8")
    result = formatted(text)
    assert result == text, "not as `llmplan fmt` writes it"
    assert formatted(noisy(text, random.Random(path.name))) == result


def noisy(text, rnd):
    """The same words on the same lines, with other space between them."""
    source = Source("x", text)
    comments = parse(source)[0].comments
    places = sorted(
        [(w.start, w.end) for w in words(source) if w.kind != "_NL"] + [(c.span.start, c.span.end) for c in comments]
    )
    parts = []
    end = 0
    for start, stop in places:
        between = text[end:start]
        lines = between.count("\n")
        glued = not between or text[start] == "%"
        if lines:
            parts.append(rnd.choice(["", " ", "\t"]) + "\n" * lines + " " * rnd.randrange(9))
        elif glued and not (text[end - 1 : end + 1].isalnum() or text[start] in "=<>.-/*"):
            parts.append(rnd.choice(["", "", " "]))
        else:
            parts.append(" " * rnd.choice([1, 1, 2, 5]) if not glued else "")
        parts.append(text[start:stop])
        end = stop
    return "".join(parts)


@cache
def rules():
    """The grammar's rules by name: what each may be made of."""
    grammar = folder("grammar").joinpath("plan.lark").read_text(encoding="utf-8")
    lark = Lark(grammar, parser="lalr", start="file", maybe_placeholders=True)
    made: dict[str, list[list[tuple[bool, str]]]] = {}
    for rule in lark.rules:
        made.setdefault(str(rule.origin.name), []).append([(s.is_term, str(s.name)) for s in rule.expansion])
    marks = {str(t.name): str(t.pattern.value) for t in lark.terminals if t.pattern.type == "str"}
    return made, marks


SAMPLES = {
    "NAME": ["a", "b", "time", "step", "weight", "into", "language", "gpus"],
    "MEASURE": ["GB", "byte/s/GPU", "FLOP/token^2", "Int", "s"],
    "NUMBER": ["1", "2.50", "7B", "1_000", "3e2", "8Ki"],
    "TEXT": ['"a"', '"b {c in GB}"', r'"d \" \{ \n"', '""'],
    "STEP": ["step"],
    "CERTAIN": ["certain"],
    "FINAL": ["final"],
    "MEASURED": ["measured"],
}


@cache
def heights():
    """How deep the shortest derivation of each rule is."""
    made, _ = rules()
    found: dict[str, int] = {}
    while len(found) < len(made):
        for name, choices in made.items():
            known = [height(choice, found) for choice in choices]
            if None not in known or any(h is not None for h in known):
                found.setdefault(name, min(h for h in known if h is not None))
    return found


def height(choice, found):
    inner = [found.get(symbol) for is_terminal, symbol in choice if not is_terminal]
    return None if None in inner else 1 + max(inner, default=0)


def derived(rnd):
    """The words of a random text of the grammar."""
    made, marks = rules()
    out, todo = [], [(False, "file")]
    while todo:
        is_terminal, symbol = todo.pop()
        if symbol == "_NL":
            out.append("\n")
        elif is_terminal:
            out.append(marks.get(symbol) or rnd.choice(SAMPLES[symbol]))
        else:
            choices = [choice for choice in made[symbol] if (False, "language") not in choice]
            if len(out) + len(todo) > 150:  # come to an end
                choices = [min(choices, key=lambda choice: height(choice, heights()))]
            todo += reversed(rnd.choice(choices))
    return out


def laid_out(rnd, parts):
    """Words with random space between them, line breaks in brackets, and comments at line ends."""
    text, brackets = "", []
    for part in parts:
        if part == "\n":
            text += (
                rnd.choice(["", " # c", "  ## d"])
                + "\n" * rnd.choice([1, 1, 2, 3])
                + rnd.choice(["", "", "# e\n", "\n  ## f\n"])
            )
            continue
        text += part
        if part in ("(", "[", "{"):
            brackets.append(part)
        elif part in (")", "]", "}") and brackets:
            brackets.pop()
        inside = part == "," or brackets and brackets[-1] != "{"
        text += rnd.choice([" ", " ", "  ", "\t", "\n", " # g\n    "] if inside else [" ", "  "])
    return text


@settings(max_examples=examples(2000, 0.015), deadline=None)
@given(st.randoms(use_true_random=False))
def test_generated_plans(rnd):
    text = laid_out(rnd, derived(rnd))
    assume(len(text) < 5000)
    assume(not parse(Source("x", text))[1])
    formatted(text)
