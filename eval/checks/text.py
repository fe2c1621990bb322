"""What needs only the report: repeated paragraphs and leaked process text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from drr.eval.checks.base import Check, CheckTally, Span, Subject
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.mentions import Mentions

LONG = 120
"""Characters of a paragraph that is worth comparing."""
_WORD = re.compile(r"[^\W_]+", re.U)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CITED = re.compile(r"\[[\d,;^ \-–]{1,200}\]|【[^【】]{0,200}】|\]\([^()\[\]]{0,2000}\)")
_COMMON = 40
"""A shingle in more paragraphs than this tells nothing and would make the search quadratic."""


_PARAGRAPH = re.compile(r"(?:[^\n]|\n(?![ \t]*\n))+")
_LENGTH = 5
"""Words of a shingle."""


class Paragraph(NamedTuple):
    """A paragraph that is worth comparing, by its words."""

    span: Span
    words: tuple[str, ...]
    shingles: tuple[tuple[str, ...], ...]
    """Every few words in a row, each once."""

    def repeats(self, other: Paragraph, common: int) -> bool:
        """Nearly the same, or the shorter one nearly whole in the longer."""
        smaller = min(len(self.shingles), len(other.shingles))
        either = len(self.shingles) + len(other.shingles) - common
        return common / either >= 0.8 or (smaller >= 12 and common / smaller >= 0.9)


def duplicates(subject: Subject, mentions: Mentions) -> Check:
    """No paragraph says what an earlier one said, word for word or nearly."""
    tally = CheckTally()
    seen = _ParagraphsSeen()
    total = repeated = 0
    for paragraph in _paragraphs(subject.citations.body):
        total += len(paragraph.words)
        first = seen.add(paragraph)
        if first is None:
            tally.ok()
        else:
            repeated += len(paragraph.words)
            tally.accuse(
                "text", paragraph.span, f"repeats the paragraph at {first.span[0]}", Certainty.LITERAL
            )
    if not total:
        return Check("pass", {"checked": 0, "failed": 0, "unverifiable": 0, "share_of_words": 0.0})
    return tally.check("", share_of_words=repeated / total)


def _paragraphs(body: str) -> Iterator[Paragraph]:
    for match in _PARAGRAPH.finditer(body):
        text = match[0]
        if len(text.strip()) < LONG or text.lstrip().startswith("|"):
            continue
        words = _words_of(_CITED.sub(" ", text))
        if len(words) >= 8:
            start = match.end() - len(text.lstrip())
            shingles = dict.fromkeys(zip(*(words[offset:] for offset in range(_LENGTH)), strict=False))
            yield Paragraph((start, match.end()), words, tuple(shingles))


def _words_of(text: str) -> tuple[str, ...]:
    """The words; of scripts without spaces, the characters."""
    words = (word.casefold() for word in _WORD.findall(text))
    return tuple(part for word in words for part in (word if _CJK.search(word) else (word,)))


class _ParagraphsSeen:
    """The paragraphs read so far, found again by what they share."""

    def __init__(self) -> None:
        self._all: list[Paragraph] = []
        self._firsts: dict[tuple[str, ...], Paragraph] = {}
        """By all words; of those alike, the first."""
        self._holders: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        """By shingle."""

    def add(self, paragraph: Paragraph) -> Paragraph | None:
        """The earlier paragraph that this one repeats."""
        first = self._firsts.get(paragraph.words) or self._like(paragraph)
        if first is None:
            self._firsts[paragraph.words] = paragraph
        for shingle in paragraph.shingles:
            if len(self._holders[shingle]) < _COMMON:
                self._holders[shingle].append(len(self._all))
        self._all.append(paragraph)
        return first

    def _like(self, paragraph: Paragraph) -> Paragraph | None:
        shared = Counter(chain.from_iterable(map(self._holders.__getitem__, paragraph.shingles)))
        near = ((self._all[other], common) for other, common in shared.most_common(5))
        return next((other for other, common in near if paragraph.repeats(other, common)), None)


_TAGS = re.compile(
    r"</?(?:think|thinking|search|tool_call|tool_response|tool_result|tool_use|function_calls?|invoke|scratchpad|reasoning|reflection|observation|begin_search_query|end_search_query|answer|information|result)\b[^<>\n]{0,80}>"
    r"|<\|[a-z_]{3,30}\|>|\ue200cite|\bturn\d+(?:search|view|news)\d+\b|【\d{1,6}:\d{1,6}†[^【】\n]{0,200}】",
    re.I,
)
_TOOL_IDS = re.compile(r"\[\d{2,3}-\d{1,3}\]")
_CALLS = re.compile(
    r"\b(?:product_catalog_search|get_product_details|get_user_orders|get_order_details|get_user_profile|update_user_profile|get_user_statistics|web_search|toolu_[A-Za-z0-9]{8,})\b"
    r"|\"(?:tool|tool_name|tool_calls|function|name)\"\s*:\s*\"(?:web_search|calculator|get_|product_|update_)",
)
_OUTPUT = re.compile(r"\btool (?:outputs?|responses?|calls?)\b", re.I)
_STEPS = re.compile(
    r"^(?:[^\S\n]|[>*_#-]){0,20}(?:Thought|Action(?: Input)?|Observation|Tool (?:call|result|output)|Function call|Reasoning step \d+)\**\s*:",
    re.M,
)
_A_TOOL = r"(?:[\w-]+\s){0,3}(?:tool|function|api|search|catalogu?e?|endpoint|database)\b"
"""What is called by a program; to call something by a name is no talk of one."""
_TALK = re.compile(
    r"(?:^|(?<=[.!?\n。！？]))(?:[^\S\n]|[>*_\"-]){0,20}(?:(?:okay|ok|alright|so|now|next|first|great|hmm|wait)[,.]?\s+)?"
    r"(?:let me (?:search|look up|look for|check|find|start by|first|try|query|fetch|gather|now search|verify|think|also search|see if|refine)"
    rf"|let's (?:search|look up|query)|let's call {_A_TOOL}"
    r"|(?:i(?:'ll| will| need to| should| must| am going to|'m going to| have to| want to)(?: now| first| next| also| then)? (?:search|look up|query|fetch|use the|check the|retrieve|start by searching|gather more)\b)"
    rf"|i(?:'ll| will| need to| should| must| have to| want to)(?: now| first| next| also| then)? call {_A_TOOL}"
    rf"|let me call {_A_TOOL}"
    rf"|i(?:'m| am) (?:now )?(?:searching|looking up|querying|calling {_A_TOOL})"
    r"|(?:searching|looking) (?:for|up) (?:more|the web|products|information)\b[^.\n]{0,60}\.\.\."
    r"|the (?:search|tool) (?:returned|results? (?:show|returned|did not)|call failed)"
    r"|(?:as|since) the user (?:asked|wants|is asking)|the user (?:is asking|wants|asked|needs|seems)\b|(?:now )?i (?:now )?have (?:enough|sufficient|all the) (?:information|data)\b)",
    re.I,
)
_WEAK = re.compile(r"let me (?:check|find|start by|first|try|verify|think|see if|refine)$", re.I)
_TO_THE_READER = re.compile(
    r"[^.!?\n。！？]{0,120}?\b(?:with you|together|out loud|aloud)\b"
    r"|(?:\s(?:to|and|also|just|quickly|briefly)){0,2}\s(?:(?:say|explain|tell|show|thank|admit|note|mention|clarify|lay out|walk|sum|summari[sz]e|answer|describe|recap|put|list)(?:ning|ting|ming|ing)?"
    r"|saying|describing|summari[sz]ing|clarifying|laying out|be (?:clear|honest|blunt|frank|plain)|the (?:arithmetic|maths?|sums?))\b",
    re.I,
)
"""Behind what may begin a plan: it is said to the reader, or begins to tell something."""
_PLANS = re.compile(
    r"\b(?:the user|i (?:need|have|want) to|i(?:'ll| will) (?:now )?(?:need|have|check|look|search|find|compare|fetch|get)|tools?|query|queries|search(?:es|ing)?)\b",
    re.I,
)
"""In its paragraph: somebody plans what to do."""
_CHINESE = re.compile(
    r"让我(?:继续|先|再|来|现在)?(?:搜索|查找|查询|检索|搜一下|查一下|看看|分析一下)|我(?:需要|将|来|先|要)(?:继续|先|再)?(?:搜索|查询|检索)|接下来我(?:将|会)?(?:搜索|查询|检索)"
)


def _is_courtesy(report: str, match: re.Match[str]) -> bool:
    """`Let me think this through with you`: said to the reader, in a paragraph that plans nothing."""
    if not _WEAK.search(match[0]) or not _TO_THE_READER.match(report, match.end()):
        return False
    low, high = report.rfind("\n\n", 0, match.start()) + 1, report.find("\n\n", match.end())
    around = report[low : match.start()] + "\n" + report[match.end() : high if high >= 0 else len(report)]
    return not any(pattern.search(around) for pattern in (_TAGS, _CALLS, _STEPS, _OUTPUT, _TALK, _PLANS))


def process_text(subject: Subject, mentions: Mentions) -> Check:
    """No thoughts, tool calls or search talk in the answer."""
    tally = CheckTally()
    report = subject.report
    known = {number for source in subject.citations.sources for number in source.numbers}
    for pattern in (_TAGS, _CALLS, _STEPS, _OUTPUT, _TALK, _CHINESE):
        for match in pattern.finditer(report):
            if pattern is _TALK and _is_courtesy(report, match):
                continue
            tally.accuse("text", match.span(), f"process text: {match[0].strip()[:60]!r}", Certainty.LITERAL)
    for match in _TOOL_IDS.finditer(report):
        low, high = match[0].strip("[]").split("-")
        if int(low) >= int(high) or not {low, high} <= known:
            tally.accuse("text", match.span(), f"the id of a tool's result: {match[0]!r}", Certainty.LITERAL)
    if not tally.failed:
        return Check("pass", {"checked": 1, "failed": 0, "unverifiable": 0})
    return tally.check("")
