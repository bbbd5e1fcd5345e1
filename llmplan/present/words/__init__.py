"""The languages in which answers are told, and what a further one must have.

`en.Words` has a method or an attribute for each sentence and label. Another language is a subclass in a module of its
own that replaces every one of them: mypy holds the types, `lacking` says what it still takes from English.
"""

from __future__ import annotations

from llmplan.present.words.en import Words

LANGUAGES: dict[str, type[Words]] = {"en": Words}

USUAL = "en"


def words_of(language: str = USUAL) -> Words:
    """The words of a language in which answers are told."""
    return LANGUAGES[language]()


def lacking(language: type[Words]) -> list[str]:
    """The sentences and labels that a language does not have itself."""
    return [name for name in vars(Words) if not name.startswith("_") and name not in vars(language)]
