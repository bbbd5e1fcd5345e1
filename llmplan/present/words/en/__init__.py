"""Every sentence and label of an answer, in English: one function or constant each, and nothing decided here.

Input are names, amounts and truth values; output lines of text and code. The sections decide what is said, this what
it is called. Another language is a class like `Words` that replaces each of these (see `llmplan.present.words`).
"""

from __future__ import annotations

from llmplan.present.words.en.basis import Basis
from llmplan.present.words.en.changes import Changes
from llmplan.present.words.en.charts import Charts
from llmplan.present.words.en.derivation import Derivation
from llmplan.present.words.en.difference import Difference
from llmplan.present.words.en.failure import Failure
from llmplan.present.words.en.launch import Launch
from llmplan.present.words.en.plans import Plans
from llmplan.present.words.en.requirements import Requirements
from llmplan.present.words.en.sentence import Sentence
from llmplan.present.words.en.start import Start
from llmplan.present.words.en.summary import Summary
from llmplan.present.words.en.verified import Verified
from llmplan.present.words.en.why import Why


class Words(
    Sentence,
    Requirements,
    Changes,
    Launch,
    Plans,
    Why,
    Basis,
    Derivation,
    Charts,
    Summary,
    Difference,
    Failure,
    Start,
    Verified,
):
    """English."""
