"""The languages in which answers are told, and what a further one must have.

`en.Words` has a method or an attribute for each sentence and label. Another language is a subclass in a module of its
own that replaces every one of them: mypy holds the types, `lacking` says what it still takes from English.
"""

from __future__ import annotations

import os
from contextvars import ContextVar
from importlib import import_module

from llmplan.present.words.en import Words

LANGUAGES = ("en", "zh")
"""Those that there are: each is a module here with a class `Words`."""

USUAL = "en"
AUTO = "auto"

_asked: ContextVar[str] = ContextVar("language", default=USUAL)


def words_of(language: str = "") -> Words:
    """The words of a language in which answers are told; of the one that was asked for if none is named."""
    chosen = language or _asked.get()
    words: type[Words] = Words if chosen == USUAL else import_module(f"{__name__}.{chosen}").Words
    return words()


def ask_for(language: str) -> None:
    """Has answers told in a language from now on: one of `LANGUAGES`, or `auto` for that of the locale."""
    if language == AUTO:
        locale = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "")
        language = next((one for one in LANGUAGES if locale.startswith(one)), USUAL)
    _asked.set(language)


def sentences(language: type[Words]) -> set[str]:
    """The names of all sentences and labels."""
    return {name for name in dir(language) if not name.startswith("_")}


def lacking(language: type[Words]) -> set[str]:
    """The sentences and labels that another language than English still takes from it."""
    english = set(Words.__mro__)
    own = {name for base in language.__mro__ if base not in english for name in vars(base)}
    return sentences(Words) - own
