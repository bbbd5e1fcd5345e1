"""Highlights plans with Pygments.

    pygmentize -x -l editors/pygments/llmplan_lexer.py:PlanLexer plans/llama7b.plan

The file stands alone, so that it can be copied to where documents are built.
"""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups, include, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

# fmt: off
# Words, written by `python docs/generate.py`.
KEYWORDS = (
    "amend", "and", "assume", "because", "dimension", "else", "emit", "entry", "enum", "fn", "for",
    "if", "in", "kind", "let", "match", "maximize", "minimize", "not", "or", "pareto", "phase",
    "prefer", "quantity", "replace", "require", "scenario", "show", "sweep", "then", "unit", "use",
    "waive", "when",
)
CONTEXTUAL = (
    "certain", "final", "from", "into", "language", "like", "measured", "step", "weight",
)
CONSTANTS = (
    "false", "true",
)
FUNCTIONS = (
    "abs", "argmax", "argmin", "assumed", "ceil", "chance", "divisors", "emits", "exp", "first",
    "floor", "given", "interpolate", "ln", "log2", "max", "min", "mod", "powers", "quantile",
    "round", "sqrt", "sum",
)
TYPES = (
    "Bool", "Int", "Real", "Text",
)
UNITS = (
    "Bparam", "Bparameter", "Bparameters", "Bparams", "Btoken", "Btokens", "EFLOP", "EFLOPs",
    "FLOP", "FLOPs", "GB", "GFLOP", "GFLOPs", "GHz", "GPU", "GPUs", "GUSD", "Gbit", "Gbits", "GiB",
    "Gparam", "Gparameter", "Gparameters", "Gparams", "Gtoken", "Gtokens", "Hz", "J", "KiB",
    "Kparam", "Kparameter", "Kparameters", "Kparams", "Ktoken", "Ktokens", "MB", "MFLOP", "MFLOPs",
    "MHz", "MJ", "MUSD", "MW", "MWh", "Mbit", "Mbits", "MiB", "Mparam", "Mparameter", "Mparameters",
    "Mparams", "Mtoken", "Mtokens", "PB", "PFLOP", "PFLOPs", "Pbit", "Pbits", "TB", "TFLOP",
    "TFLOPs", "TUSD", "Tbit", "Tbits", "TiB", "Tparam", "Tparameter", "Tparameters", "Tparams",
    "Ttoken", "Ttokens", "USD", "W", "Wh", "ZFLOP", "ZFLOPs", "bit", "bits", "byte", "bytes", "day",
    "days", "g", "h", "hour", "hours", "job", "jobs", "kB", "kFLOP", "kFLOPs", "kHz", "kJ", "kUSD",
    "kW", "kWh", "kbit", "kbits", "kg", "kparam", "kparameter", "kparameters", "kparams", "ktoken",
    "ktokens", "min", "mins", "minute", "minutes", "month", "months", "ms", "node", "nodes", "pair",
    "pairs", "param", "parameter", "parameters", "params", "queries", "query", "s", "sample",
    "samples", "sec", "secs", "sequence", "sequences", "step", "steps", "t", "token", "tokens",
    "us", "week", "weeks", "year", "years",
)
# End of words.
# fmt: on

_OPERATORS = ("and", "or", "not", "in")
_NAME = r"[A-Za-z_]\w*"
_ONE = rf"(?:{'|'.join(sorted(UNITS, key=len, reverse=True))})(?:\^-?[0-9]+)?"
_UNIT = rf"(?:{_ONE}(?:[*/]{_ONE})*(?!\w)|%)"
_NUMBER = r"[0-9]+(?:_[0-9]+)*(?:\.[0-9]+(?:_[0-9]+)*)?(?:[eE][+-]?[0-9]+)?(?:(?:Ki|Mi|Gi|[KMBT])(?![A-Za-z0-9_]))?"
_TYPE = rf"\[{_NAME}\]|{_NAME}(?:\^-?[0-9]+)?(?:[*/]{_NAME}(?:\^-?[0-9]+)?)*"


class PlanLexer(RegexLexer):
    """Plans of llmplan and its library."""

    name = "llmplan"
    aliases: ClassVar = ["llmplan", "plan"]
    filenames: ClassVar = ["*.plan"]

    tokens: ClassVar = {
        "root": [
            (r"\ufeff|\s+", Text.Whitespace),
            (rf"^{_NAME}(?=[ \t]*(?:\{{|\"|from[ \t]+\"))", Keyword.Namespace),
            (r"##[^\r\n]*", String.Doc),
            (r"#[^\r\n]*", Comment.Single),
            (r'"', String.Double, "text"),
            (r"(@unit)([ \t]*)(\()([^()\s]+)", bygroups(Name.Decorator, Text, Punctuation, Name.Builtin)),
            (rf"@{_NAME}", Name.Decorator),
            (rf"(fn)([ \t]+)({_NAME})", bygroups(Keyword.Declaration, Text.Whitespace, Name.Function)),
            (
                rf"(quantity|kind|enum|dimension|unit|let|assume|entry|amend)([ \t]+)({_NAME}(?:\.{_NAME})*)",
                bygroups(Keyword.Declaration, Text.Whitespace, Name.Variable),
            ),
            (
                rf"(require|prefer)([ \t]+)(?:(certain)([ \t]+))?({_NAME})([ \t]*)(:)",
                bygroups(Keyword, Text.Whitespace, Keyword, Text.Whitespace, Name.Label, Text.Whitespace, Punctuation),
            ),
            (rf"(:|->)([ \t]*)({_TYPE})", bygroups(Punctuation, Text.Whitespace, Keyword.Type)),
            include("values"),
            (r"[{}()\[\],:]", Punctuation),
        ],
        "values": [
            (rf"(in)([ \t]+)({_UNIT})(?=[ \t]*(?:$|[}}#,]))", bygroups(Operator.Word, Text.Whitespace, Name.Builtin)),
            (
                rf"({_NUMBER})([ \t]*)(?!step[ \t]+[\w(])({_UNIT})",
                bygroups(Number, Text.Whitespace, Name.Builtin),
            ),
            (_NUMBER, Number),
            (r"\?", Keyword.Constant),
            (rf"({_NAME})((?:\.{_NAME})+)", Name),
            (words(_OPERATORS, suffix=r"\b"), Operator.Word),
            (words(CONSTANTS, suffix=r"\b"), Keyword.Constant),
            (words(KEYWORDS, suffix=r"\b"), Keyword),
            (words(TYPES, suffix=r"\b"), Keyword.Type),
            (words(FUNCTIONS, suffix=r"(?=[ \t]*\()"), Name.Builtin),
            (words(CONTEXTUAL, suffix=r"(?=[ \t]+[\w\"(])"), Keyword),
            (rf"{_NAME}(?=\()", Name.Function),
            (_NAME, Name),
            (r"=>|->|==|!=|<=|>=|\.\.|[-+*/^<>=.%]", Operator),
        ],
        "text": [
            (r'\\["\\n{]', String.Escape),
            (r'[^"\\{\r\n]+', String.Double),
            (r"\{", String.Interpol, "interpolation"),
            (r'"', String.Double, "#pop"),
            (r"\\", String.Double),
            (r"(?=[\r\n])", String.Double, "#pop"),
        ],
        "interpolation": [
            (r"\}", String.Interpol, "#pop"),
            (r'(?=["\r\n])', String.Interpol, "#pop"),
            (r"[ \t]+", Text.Whitespace),
            include("values"),
            (r"[()\[\],]", Punctuation),
        ],
    }
