"""The languages beside English whose stems and stop words a search knows, and the cutting of their texts into words.

Both come from Snowball, by tantivy. Words are cut and stemmed before they reach an index, so that every backend has the same ones.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any
from unicodedata import normalize

LANGUAGES = {
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nb": "norwegian",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ru": "russian",
    "sv": "swedish",
}
"""The name of each language in tantivy, by its code."""
COMPOUNDING = frozenset({"da", "de", "fi", "hu", "nb", "nl", "nn", "no", "sv"})
"""The languages that write a thing and its kind as one word, which ends in the thing: a `Stehlampe` is a `Lampe`."""
VERSION = "1"
"""The version of words and stems. It is raised if an index in one of these languages would hold others."""
LONGEST = 64
"""Letters of the longest word. Elasticsearch's whitespace tokenizer splits longer words, tantivy does not; nobody searches for one."""
WORD = re.compile(r"[^\W_]+(?:(?<=\d)\.(?=\d)[^\W_]+)*")


def language_code(name: str | None) -> str | None:
    """Return the code at the beginning of a language's name such as `de-CH`; `None` where there is none."""
    code = (name or "").replace("_", "-").partition("-")[0].casefold()
    return code if code.isalpha() and len(code) == len("en") else None


def known_language(code: str | None) -> str | None:
    """Return the code if the table has it, else `None`: such a shop is indexed as an English one."""
    return code if code in LANGUAGES else None


def is_unknown_language(name: str | None) -> bool:
    """Tell whether a language's name such as `pl-PL` is that of one which is neither in the table nor English."""
    return language_code(name) not in (None, "en", *LANGUAGES)


def surfaces(text: str) -> list[str]:
    """Return the words of a text as they are written, in small letters."""
    return [word[:LONGEST] for word in WORD.findall(normalize("NFKC", text).casefold())]


@lru_cache(maxsize=1 << 17)
def snowball_stem(word: str, language: str) -> str:
    """Return the stem of a written word, with its accents. Words with a digit stay as they are."""
    return str(_analyzer(language, "stemmer").analyze(word)[0]) if word.isalpha() else word


@lru_cache(maxsize=1 << 14)
def is_stop_word(word: str, language: str) -> bool:
    return not _analyzer(language, "stopword").analyze(word)


@cache
def _analyzer(language: str, kind: str) -> Any:
    import tantivy as tv

    builder = tv.TextAnalyzerBuilder(tv.Tokenizer.raw())
    return builder.filter(getattr(tv.Filter, kind)(LANGUAGES[language])).build()
