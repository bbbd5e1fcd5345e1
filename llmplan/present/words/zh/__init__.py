"""Every sentence and label of an answer, in Chinese. Diagnostics and texts of plans and the library stay English."""

from __future__ import annotations

from llmplan.present.words.en import Words as English
from llmplan.present.words.zh import units
from llmplan.present.words.zh.basis import Basis
from llmplan.present.words.zh.changes import Changes
from llmplan.present.words.zh.charts import Charts
from llmplan.present.words.zh.derivation import Derivation
from llmplan.present.words.zh.difference import Difference
from llmplan.present.words.zh.failure import Failure
from llmplan.present.words.zh.launch import Launch
from llmplan.present.words.zh.plans import Plans
from llmplan.present.words.zh.requirements import Requirements
from llmplan.present.words.zh.sentence import Sentence
from llmplan.present.words.zh.start import Start
from llmplan.present.words.zh.summary import Summary
from llmplan.present.words.zh.verified import Verified
from llmplan.present.words.zh.why import Why


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
    English,
):
    """Chinese."""

    def localized(self, text: str) -> str:
        return units.localized(text)
