"""Words of a text that carry its meaning: without citation marks, without what holds a sentence together, without endings."""

from __future__ import annotations

import re
from functools import lru_cache

from drr.env.text import tokens

_TARGET = r"\([^)\s\[]{0,2000}\)"
_MARKS = re.compile(rf"\[\^?\d+(?:\s*[,\u2013-]\s*\d+)*\](?:{_TARGET})?|\u3010[^\u3011]{{0,500}}\u3011")
_LINK = re.compile(rf"\[([^\]]{{0,500}})\]{_TARGET}")
_URL = re.compile(r"(?:https?|user)://\S+")
_EMPHASIS = str.maketrans({"*": "", "`": "", "_": " "})
_GRAMMAR = frozenset(
    tokens(
        "a an the this that these those it its they their them he his she her you your yours we our i me my of in on at to for from by with "
        "as is are was were be been being am do does did have has had having and or but if then than so such also too very can could will would "
        "should may might must there here which who whom whose what when where how why all any each every both more most other some into over "
        "about up out off only own same just per via one"
    )
)
_OF_SHOPS = frozenset(
    tokens(
        "offer offers include includes including feature features make makes made come comes provide provides product item customer rated rating star "
        "reviewer review reviews cost price priced sell according available usd dollar"
    )
)
"""What a shop says of everything."""
_ENDED = (
    ("ations", "nesses"),
    ("ation", "ments"),
    ("ment", "ness", "ings", "edly", "ally", "ance", "ence", "ions", "able", "ible"),
    ("ing", "ers", "ors", "ies", "ied", "ily", "ive", "ion", "ful", "ity"),
    ("ed", "er", "or", "ly", "es", "al"),
    ("s", "e", "y"),
)
"""What grammar puts behind a word, the longest first."""


def plain(text: str) -> str:
    """Drop citation marks, URLs and emphasis: what is said, not how it is cited."""
    return _URL.sub(" ", _LINK.sub(r"\1", _MARKS.sub(" ", text))).translate(_EMPHASIS)


@lru_cache(maxsize=65536)
def content_words(sentence: str) -> frozenset[str]:
    """Keep the words that carry the meaning; numbers are compared as numbers, not as words."""
    words = (word for word in tokens(plain(sentence)) if not word.replace(".", "").isdigit())
    return frozenset(words) - _GRAMMAR - _OF_SHOPS


@lru_cache(maxsize=65536)
def family(word: str) -> str:
    """Cut what grammar puts behind a word: `fermented`, `fermentation`."""
    for ended in _ENDED:
        if word.endswith(ended) and len(word) - len(ended[0]) >= 3:
            word = word[: -len(ended[0])]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def families(text: str) -> frozenset[str]:
    """Give the content words of a text without their endings."""
    return frozenset(map(family, content_words(text)))
