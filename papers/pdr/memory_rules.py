"""The model of a memory without a model: first-person sentences count as facts, what repeats counts as a trait.

It knows no meaning. A memory that it works for is tried out with it, and not measured.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from drr.env.json_object import JsonObject
from drr.env.text import tokens
from drr.papers.pdr.context import ContextItem
from drr.papers.pdr.memory.forms import Comparing, Describing, Distilling, Extracting, Rewriting
from langchain_core.messages import AIMessage, BaseMessage

VERSION = "1"
"""Raised by hand when its rules say something else."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_OWN = frozenset({"i", "my", "me", "we", "our", "us"})
_SAME = 0.6
_OFTEN = 3
_SHORT = 3


def remember_offline(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
    """The `Policy` of the role `memory`."""
    brief = arguments["brief"]
    rule = _RULES.get(type(brief))
    if rule is None:
        raise TypeError(f"the offline memory was asked without a brief of its own: {brief!r}")
    return AIMessage(json.dumps(rule(brief), ensure_ascii=False))


def _summary(brief: Rewriting) -> JsonObject:
    """Summarise what was known, then what is new; what does not fit is the oldest."""
    lines = [line for line in brief.held.split("\n") if line]
    lines += [fact for item in brief.items for fact in _facts_of(item)]
    kept: list[str] = []
    left = brief.words
    for line in reversed(list(dict.fromkeys(lines))):
        left -= len(line.split())
        if left < 0:
            break
        kept.append(line)
    return {"summary": "\n".join(reversed(kept))}


def _facts(brief: Extracting) -> JsonObject:
    return {"facts": [fact for item in brief.items for fact in _facts_of(item)]}


def _facts_of(item: ContextItem) -> list[str]:
    """List the whole of purchases and returns, and of speech the sentences in the first person."""
    sentences = [" ".join(one.split()) for one in _SENTENCE.split(item.text)]
    if item.kind in ("purchase", "return"):
        return [one for one in sentences[:1] if one]
    return [one for one in sentences if _OWN & set(re.findall(r"[a-z]+", one.lower()))]


def _changes(brief: Comparing) -> JsonObject:
    known = [frozenset(tokens(fact)) for fact in brief.held]
    changes = []
    for number, fact in enumerate(brief.facts, 1):
        words = frozenset(tokens(fact))
        alike = [
            place for place, other in enumerate(known, 1) if len(words & other) >= _SAME * len(words | other)
        ]
        changes.append(
            {"does": "update", "fact": number, "held": alike[0]} if alike else {"does": "add", "fact": number}
        )
    return {"changes": changes}


def _distilled(brief: Distilling) -> JsonObject:
    common = [word for word, count in _words(brief.lines).most_common(4) if count > 1]
    return {"summary": f"Again and again: {', '.join(common)}." if common else ""}


def _traits(brief: Describing) -> JsonObject:
    known = {trait.attribute for trait in brief.held}
    days = {item.date for item in brief.items}
    counted = _words([item.text for item in brief.items])
    return {
        "traits": [
            {"attribute": word, "value": f"comes up {count} times up to {max(days)}"}
            for word, count in counted.most_common()
            if count >= _OFTEN or (word in known and count > 1)
        ]
    }


def _words(texts: Sequence[str]) -> Counter[str]:
    """Count in how many of the texts each longer word stands."""
    return Counter(
        word
        for text in texts
        for word in dict.fromkeys(re.findall(r"[a-z]+", text.lower()))
        if len(word) > _SHORT
    )


_RULES: Mapping[type, Callable[[Any], JsonObject]] = {
    Rewriting: _summary,
    Extracting: _facts,
    Comparing: _changes,
    Distilling: _distilled,
    Describing: _traits,
}
