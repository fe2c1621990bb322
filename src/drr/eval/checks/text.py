"""Rules on the report's text alone: repeated paragraphs, and markup of an agent's calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drr.eval.checks.base import Subject
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.results import Check, Span, Tally, unverifiable
from drr.wording.excerpt import excerpt

SHORT = 55
"""Fewest characters of a paragraph that nobody writes twice in the same words by chance."""
_QUOTED = 48
"""Characters of a paragraph that are quoted to identify it."""
_WORD = re.compile(r"[^\W_]+", re.U)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CITED = re.compile(r"\[[\d,;^ \-–]{1,200}\]|【[^【】]{0,200}】|\]\([^()\[\]]{0,2000}\)")


_PARAGRAPH = re.compile(r"(?:[^\n]|\n(?![ \t]*\n))+")


def duplicates(subject: Subject, mentions: Mentions) -> Check:
    """Check that no paragraph has the words of an earlier one."""
    tally = Tally()
    firsts: dict[tuple[str, ...], str] = {}
    total = repeated = 0
    for span, words in _paragraphs(subject.citations.body):
        total += len(words)
        if words in firsts:
            repeated += len(words)
            tally.fail(span, f"Paragraph: says again what stands in “{firsts[words]}”")
        else:
            firsts[words] = excerpt(" ".join(subject.citations.body[slice(*span)].split()), _QUOTED)
            tally.ok()
    if not total:
        return Check("pass", {"checked": 0, "failed": 0, "unverifiable": 0, "share_of_words": 0.0})
    return tally.check(found="remark", share_of_words=repeated / total)


def _paragraphs(body: str) -> Iterator[tuple[Span, tuple[str, ...]]]:
    for match in _PARAGRAPH.finditer(body):
        text = match[0]
        if len(text.strip()) < SHORT or text.lstrip().startswith("|"):
            continue
        words = _words_of(_CITED.sub(" ", text))
        if len(words) >= 9:
            yield (match.end() - len(text.lstrip()), match.end()), words


def _words_of(text: str) -> tuple[str, ...]:
    """Return the words, or in scripts without spaces the characters."""
    words = (word.casefold() for word in _WORD.findall(text))
    return tuple(part for word in words for part in (word if _CJK.search(word) else (word,)))


_MARKUP = "(?:tool|function)_[a-z_]{1,20}|invoke"
_TOOLS = "product_catalog_search|get_product_details|get_user_orders|get_order_details|get_user_profile|update_user_profile|get_user_statistics|web_search"
_CALLS = (
    re.compile(rf"</?(?:{_MARKUP})\b[^<>\n]{{0,80}}>", re.I),
    re.compile(
        r"<\|[a-z_]{3,30}\|>|\[/?TOOL_[A-Z_]{2,20}\]|\ue200cite|\bturn\d+(?:search|view|news)\d+\b|【\d{1,6}:\d{1,6}†[^【】\n]{0,200}】",
        re.I,
    ),
    re.compile(rf"\b(?:{_TOOLS}|toolu_[A-Za-z0-9]{{8,}})\b"),
    re.compile(
        r"\{\s?\"(?:tool|tool_name|tool_calls|function|arguments)\"\s?:|\"name\"\s*:\s*\"(?:web_search|calculator|get_|product_|update_)"
    ),
    re.compile(r"\b(?:get|search|find|fetch|list|update)_[a-z_]+\[[^\[\]\n]{1,120}\](?!\()"),
)
"""Names of our tools, and markup of calls."""


def process_text(subject: Subject, mentions: Mentions) -> Check:
    """Check that no name of our tools and no markup of a call stands in the answer."""
    tally = Tally()
    for pattern in _CALLS:
        for match in pattern.finditer(subject.report):
            if not subject.is_asked(match[0]):
                tally.fail(match.span(), f"Process text: {match[0].strip()[:60]!r}")
    if not tally.findings:
        return Check("pass", {"checked": 1, "failed": 0, "unverifiable": 0})
    return tally.check()


def given_up(subject: Subject, mentions: Mentions) -> Check:
    """Answer only that the rule is given up: what its places mean cannot be told without a model."""
    return unverifiable("given_up")
