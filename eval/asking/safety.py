"""Safety from graded text, which is hostile. What a reader would not see is taken out, what could pass for a verdict is made harmless.

Fences come from `drr.llm.prompts.fence`, whose marks a text cannot hold because they are made of its own hash.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache

from drr.eval.asking.rendering import rendered
from drr.llm.prompts import fence

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HIDDEN_ELEMENT = re.compile(r"<(script|style|template)\b[^>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_SELECTORS = re.compile("[\ufe00-\ufe0f]+")
_VERDICT_WORDS = "rating|score|support|winner|verdict|label|grade|justification|preference|decision|final[ _](?:score|rating|grade)"
_JSON_KEY = re.compile(rf"(['\"\u201c\u201d])({_VERDICT_WORDS})\1(\s*)[:=\u2236]", re.IGNORECASE)
_LINE_KEY = re.compile(
    rf"^([ \t>*_#\-\u2022]*(?:the[ ]+)?)({_VERDICT_WORDS})([ \t*_]*)[:=]", re.IGNORECASE | re.MULTILINE
)
_MARKUP = re.compile(
    r"<(?=/?(?:report|answer|answer_a|answer_b|claim|claims|source|passage|evidence|question|profile|system|assistant|human|user|instructions?|data)\b)"
    r"|<(?=\|)|<(?=/?\w+ [0-9a-f]{8,}>)",
    re.IGNORECASE,
)
_PLEA = re.compile(
    r"\b(?:ignore|disregard|forget)\b[^.\n]{0,40}\b(?:previous|prior|above|all|earlier|your)\b[^.\n]{0,30}\b(?:instruction|prompt|rule|criteri)"
    r"|\b(?:give|rate|score|grade|award|assign)\b[^.\n]{0,60}\b(?:10\s*(?:/|out of)\s*10|a 10\b|ten out of ten|maximum|highest|full marks|perfect|full[_ ]support)\b"
    r"|\b(?:as|dear|note to|attention)\b[^.\n]{0,20}\b(?:judge|grader|evaluator|rater)\b[^.\n]{0,80}\b(?:10|best|winner|prefer|full)\b",
    re.IGNORECASE,
)


def visible(text: str) -> str:
    """Return what a reader of any text would see: no comments, scripts or invisible characters."""
    return _seen(_HIDDEN_ELEMENT.sub("", _COMMENT.sub("", text)))


def visible_report(markdown: str, addresses: Collection[str] = ()) -> str:
    """Return what a reader of the rendered report would see; `addresses` are targets of links that the task shows anyway."""
    return _seen(rendered(visible(markdown), addresses))


def _seen(text: str) -> str:
    """Drop characters that have no shape. One selector of a symbol's shape stays: emoji are written with it."""
    return _SELECTORS.sub(_selector, _INVISIBLE.sub("", text))


def _selector(found: re.Match[str]) -> str:
    before, after = (
        found.string[max(0, found.start() - 1) : found.start()],
        found.string[found.end() : found.end() + 1],
    )
    shapes = after == "\u20e3" or (before > "\x7f" and unicodedata.category(before).startswith("S"))
    return found[0] if found[0] in ("\ufe0e", "\ufe0f") and shapes else ""


def defused(text: str) -> str:
    """The same words, but nothing in them reads as a verdict, a mark of ours or a change of speaker."""
    text = _MARKUP.sub("\u2039", text)
    text = _JSON_KEY.sub("\\1\\2\\1\\3\u2236", text)
    return _LINE_KEY.sub("\\1\\2\\3\u2236", text)


def forgeries(text: str) -> int:
    """Verdicts in JSON form and pleas to the judge, hidden ones included: what honest reports do not hold."""
    return len(_JSON_KEY.findall(text)) + len(_PLEA.findall(text))


def fenced(text: str, label: str, *, salt: str = "", report: bool = False) -> str:
    """Text of a stranger as it stands in a judge's prompt."""
    return fence(harmless(text, report=report), label, salt=salt)


@lru_cache(maxsize=1024)
def harmless(text: str, *, report: bool = False) -> str:
    """The text as a judge reads it. One report stands in dozens of prompts, so it is worked out once."""
    return defused(visible_report(text) if report else visible(text))
