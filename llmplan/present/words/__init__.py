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


def sentences(language: type[Words]) -> set[str]:
    """The names of all sentences and labels."""
    return {name for name in dir(language) if not name.startswith("_")}


def lacking(language: type[Words]) -> set[str]:
    """The sentences and labels that another language than English still takes from it."""
    english = set(Words.__mro__)
    own = {name for base in language.__mro__ if base not in english for name in vars(base)}
    return sentences(Words) - own
