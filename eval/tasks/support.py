"""Whether sources support claims: what the judge is shown, how its answer is read, what stands when it fails.

A source that could not be read is never shown as a text; its status is the verdict. The judge answers by id. Ids it left
out are asked for once more, alone; what is missing then is a `judge_error`. An answer that was cut off is never mended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from drr.env.source import SourceType
from drr.eval.asking.conversation import PaperSupportAnswers, Section, SupportAnswers, conversation
from drr.eval.evidence.lexical import missing_numbers
from drr.eval.evidence.passages import Frozen, Span, locate, select
from drr.eval.stats.faithfulness import Status, Support
from drr.eval.tasks.decided import Decision, decide
from drr.llm.failures import ModelFailure
from drr.llm.prompts import Prompt
from drr.llm.role import RoleModel
from langchain_core.messages import BaseMessage

Against = Literal["page", "seen"]
BATCH_MOST = 5
_LABEL: Mapping[str, Support] = {"full_support": "full", "partial_support": "partial", "no_support": "none"}


@dataclass(frozen=True)
class Item:
    """One claim held against all its sources of one type."""

    id: str
    claim_id: str
    claim: str
    type: SourceType
    against: Against
    sources: tuple[Frozen, ...]

    @property
    def readable(self) -> list[Frozen]:
        return [source for source in self.sources if source.status == "ok" and source.text]

    def unreadable(self) -> Status | None:
        """The verdict where no source can be shown; `None` where one can."""
        if self.readable:
            return None
        found = [source.status for source in self.sources]
        if not found or "not_frozen" in found:
            return "not_frozen"
        return next((s for s in found if s != "ok"), "empty")

    @property
    def decision(self) -> Decision | None:
        """What code settles without a judge, where it can."""
        return decide(self.claim, self.readable) if self.readable else None

    def needs_judge(self, *, paper: bool = False) -> bool:
        return self.unreadable() is None and (paper or self.decision is None)

    def passages(self) -> list[tuple[Frozen, list[Span]]]:
        return [(source, select(self.claim, source.text or "")) for source in self.readable]


def item_id(claim_id: str, source_type: SourceType, against: Against) -> str:
    return f"{claim_id}-{source_type}" + ("-seen" if against == "seen" else "")


def support_messages(prompt: Prompt, items: Sequence[Item]) -> list[BaseMessage]:
    sections: list[Section] = []
    for item in items:
        sections.append(Section("claim", item.claim, f"Claim `{item.id}`:"))
        for number, (source, spans) in enumerate(item.passages(), 1):
            sections.append(
                Section(
                    "evidence", shown(source, spans), f"Evidence {number} for `{item.id}` ({source.type}):"
                )
            )
    return conversation(prompt.fill(), sections)


def shown(source: Frozen, spans: Sequence[Span]) -> str:
    """A source's passages as a judge reads them."""
    text = source.text or ""
    head = f"{source.title} ({source.url})" if source.title else source.url
    return head + "\n" + "\n[...]\n".join(text[span.start : span.end].strip() for span in spans)


async def judge_support(
    model: RoleModel, prompt: Prompt, items: Sequence[Item], *, paper: bool = False
) -> dict[str, dict[str, Any]]:
    """A verdict for every item that can be shown; `ModelFailure` where the model gives no usable answer at all."""
    open_items = {item.id: item for item in items if item.needs_judge(paper=paper)}
    verdicts = {item.id: _silent(item) for item in items if item.id not in open_items}
    asked = list(open_items.values())
    for attempt in range(2):
        if not asked:
            break
        try:
            answers = await _ask(model, prompt, asked, paper)
        except ModelFailure as failure:
            if attempt == 0 or failure.transient or failure.fatal:
                raise
            answers = {}
        for item in asked:
            if item.id in answers:
                verdicts[item.id] = _verdict(item, *answers[item.id], cap=not paper)
        asked = [item for item in asked if item.id not in verdicts]
    for item in asked:
        verdicts[item.id] = _base(item) | {
            "status": "judge_error",
            "reason": "the judge left this id out, also when asked for it alone",
            "by": "judge",
        }
    return {item.id: verdicts[item.id] for item in items}


async def _ask(
    model: RoleModel, prompt: Prompt, items: Sequence[Item], paper: bool
) -> dict[str, tuple[str, str, str]]:
    """By id; ids that were not asked for are ignored, an id answered twice with different verdicts counts as left out."""
    messages = support_messages(prompt, items)
    wanted = {item.id for item in items}
    found: dict[str, tuple[str, str, str]] = {}
    torn: set[str] = set()
    if paper:
        plain = await model.structured(messages, PaperSupportAnswers)
        rows = [(v.id, v.support, v.justification, "") for v in plain.verdicts]
    else:
        reasoned = await model.structured(messages, SupportAnswers)
        rows = [(v.id, v.support, v.justification, v.quote) for v in reasoned.verdicts]
    for name, support, justification, quote in rows:
        if name in found and found[name][0] != support:
            torn.add(name)
        if name in wanted:
            found[name] = (support, justification, quote)
    return {name: answer for name, answer in found.items() if name not in torn}


def _base(item: Item) -> dict[str, Any]:
    return {
        "claim_id": item.claim_id,
        "type": item.type,
        "against": item.against,
        "sources": [
            {
                "url": source.url,
                "status": source.status,
                "sha256": source.sha256,
                "passages": [list(span) for span in select(item.claim, source.text)] if source.text else [],
            }
            for source in item.sources
        ],
        "spans": [],
    }


def _silent(item: Item) -> dict[str, Any]:
    """A verdict that no judge was asked for."""
    decision = item.decision
    if decision is not None:
        source = item.readable[0]
        verdict = _base(item) | {"status": decision.status, "reason": decision.reason, "by": "rule"}
        verdict["spans"] = [_spanned(source, span) for span in decision.spans]
        return verdict
    reasons = "; ".join(f"{s.url}: {s.reason or s.status}" for s in item.sources if s.status != "ok")
    return _base(item) | {"status": item.unreadable(), "reason": reasons, "by": "rule"}


def _spanned(source: Frozen, span: Span) -> dict[str, Any]:
    return {"url": source.url, "sha256": source.sha256, "start": span.start, "end": span.end}


def _verdict(item: Item, support: str, justification: str, quote: str, *, cap: bool) -> dict[str, Any]:
    """With `cap`, a number of the claim that no source states keeps the verdict from being full, whatever the judge says."""
    status = _LABEL[support]
    verdict = _base(item) | {"status": status, "reason": justification, "by": "judge"}
    for source in item.readable:
        span = locate(quote, source.text or "")
        if span is not None:
            verdict["spans"] = [_spanned(source, span)]
            break
    if quote.strip() and not verdict["spans"]:
        verdict["quote_not_found"] = quote
    missing = missing_numbers(item.claim, "\n".join(source.text or "" for source in item.readable))
    if cap and missing and status == "full":
        verdict |= {
            "status": "partial",
            "by": "rule over judge",
            "judged": "full",
            "reason": f"not in the evidence: {', '.join(missing)}. The judge said: {justification}",
        }
    return verdict
