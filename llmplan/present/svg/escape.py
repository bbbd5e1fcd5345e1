"""Text as XML holds it. Whoever only escapes does not load what draws."""

from __future__ import annotations

import re
from html import escape

from llmplan.escape import visible_line

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml(text: object) -> str:
    """Text of an element or an attribute, whatever stands in it; what XML cannot hold is a replacement character."""
    return escape(_NO_XML.sub("\ufffd", visible_line(str(text))), quote=True)
