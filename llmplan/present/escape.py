"""Text as Markdown that renders as it is written: it neither marks up, nor links, nor calls anyone.

Input is prose or code from a plan, a file's name or the library; output one line. What a code host would turn into a
link or a mention (`@name`, `#12`, a bare address) becomes a code span, in which it stands as it is.
"""

from __future__ import annotations

import re

from llmplan.escape import visible

_BLANKS = re.compile(r"\s+")
_CODE = re.compile(r"(`[^`]+`)")
_MARKS = re.compile(r"([\\`\[\]]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=[#\w]+;)|^[#>+-](?=\s))")
_LINKED = re.compile(
    r"(?:"
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*://[^\s`<>]*"  # an address of any scheme
    r"|(?<![\w.])www\.[^\s`<>]+"
    r"|(?<!\w)(?:mailto|xmpp):[^\s`<>]+"
    r"|(?<![\w.+@-])[\w.+@-]*@\w[\w./@-]*"  # a person, a team, a mail address
    r"|(?:(?<![\w./-])[\w.-]+/[\w.-]+)?[#!]\d+"  # an issue, a change
    r"|(?<![\w.])GH-\d+"
    r"|(?<!\w)[0-9a-f]{40}(?!\w)"  # a commit
    r")(?<![.,;:!?)'\"*_|])",
    re.ASCII | re.IGNORECASE,
)


def markdown(text: str) -> str:
    """Prose that renders as it is written, with few marks where few are needed; `names` in it stay code."""
    return fragment(" ".join(text.split()))


def fragment(text: str) -> str:
    """Prose that is a part of a line: as `markdown`, with a blank at either end as it is."""
    line = visible(_BLANKS.sub(" ", text))
    stars = line.count("*") > 1
    parts = _CODE.split(line)
    for place in range(0, len(parts), 2):
        parts[place] = _prose(parts[place], stars)
    return "".join(parts)


def _prose(text: str, stars: bool) -> str:
    parts = []
    end = 0
    for linked in _LINKED.finditer(text):
        parts += [_escaped(text[end : linked.start()], stars), code(linked.group())]
        end = linked.end()
    return "".join([*parts, _escaped(text[end:], stars)])


def _escaped(text: str, stars: bool) -> str:
    marked = _MARKS.sub(r"\\\1", text)
    return marked.replace("*", "\\*") if stars else marked


def code(text: str) -> str:
    """A code span, whatever stands in it."""
    line = visible(" ".join(text.split()))
    if not line:
        return ""
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"
