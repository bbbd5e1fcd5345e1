"""Money in other currencies than the library's: the words for them, and the mistake of an amount without a rate.

The library knows `USD` alone. A plan that counts in another currency states its rate as a unit, and the answer lists it
among what it rests on. The rates here are examples of how one is written: nothing is computed with them.
"""

from __future__ import annotations

from llmplan.diagnostics.record import Diagnostic, error
from llmplan.source import Span

_RATES = {
    "EUR": "1.08", "GBP": "1.27", "CHF": "1.13", "CNY": "0.14", "JPY": "0.0067", "INR": "0.012",
    "KRW": "0.00073", "CAD": "0.73", "AUD": "0.66", "SEK": "0.095", "SGD": "0.75", "TWD": "0.031",
}  # fmt: skip
"""Currencies, with a rate in USD of the right order to show how one is written: never a rate that is computed with."""

_CURRENCIES = {code.lower(): code for code in _RATES} | {code: code for code in _RATES} | {
    "rmb": "CNY", "yuan": "CNY", "euro": "EUR", "euros": "EUR",
    "pound": "GBP", "pounds": "GBP", "yen": "JPY", "rupees": "INR", "francs": "CHF",
    "€": "EUR", "£": "GBP", "¥": "JPY",
}  # fmt: skip
"""Currencies by the words and signs that people write for them."""


def meant_currency(word: str) -> str:
    """The currency that a word or a sign stands for, also behind a prefix as in `kEUR`; empty if none."""
    prefixed = word[1:] if word[:1] in "kKMBG" and word[1:] in _RATES else word
    return _CURRENCIES.get(prefixed) or _CURRENCIES.get(word.lower(), "")


def rate_of(currency: str) -> str:
    """The statement that gives a currency its rate, as an example."""
    return f"unit {currency}: USD = {_RATES[currency]} USD"


def no_rate(span: Span, word: str, currency: str) -> Diagnostic:
    """E0312: an amount in a currency whose rate the plan does not state."""
    other = "" if word == currency else f", and `{currency}` in place of `{word}`"
    if word[1:] == currency:
        other = f", with `@prefixes({word[0]})` on the line above it"
    hint = f"write the rate that holds for you on a line of its own, as in `{rate_of(currency)}`{other}"
    return error("E0312", f"the plan states no exchange rate of `{word}`", span, hint, label="not a unit yet")
