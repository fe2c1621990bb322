"""A claim against its sources. What of them a judge is shown, its answers by id, and the verdict made of these.

The tasks that ask about all sources of a claim together and about each address alone share this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from drr.env.records.lines import Span
from drr.env.source import Frozen
from drr.eval.asking.conversation import Asking, Section
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.figures import missing_numbers
from drr.eval.evidence.passages import CONCERNING, Cut, locate, select
from drr.eval.stats.faithfulness import Status, Support
from drr.eval.tasks.decided import Decision, contradicted, decide
from drr.eval.tasks.protocol import JudgingProtocol
from drr.eval.tasks.rows import Against, SpanRow, VerdictRow
from drr.llm.failures import ModelFailure

_LABEL: Mapping[str, Support] = {"full_support": "full", "partial_support": "partial", "no_support": "none"}


@dataclass(frozen=True)
class SupportItem:
    """One claim held against some of its sources, all of one type."""

    id: str
    claim_id: str
    claim: str
    type: str
    against: Against
    sources: tuple[Frozen, ...]
    cut: Cut = CONCERNING
    """How much of each source is shown."""

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
        """Return what code settles without a judge, where it can."""
        return decide(self.claim, self.readable) if self.readable else None

    def needs_judge(self, protocol: JudgingProtocol) -> bool:
        return self.unreadable() is None and not (protocol.decides_first and self.decision is not None)

    def passages(self) -> list[tuple[Frozen, list[Span]]]:
        return [(source, select(self.claim, source.text or "", self.cut)) for source in self.readable]

    def shown(self) -> int:
        """Characters of its sources that a judge reads."""
        return sum(span.end - span.start for _, spans in self.passages() for span in spans)


def evidence_section(source: Frozen, spans: Sequence[Span], intro: str, about: str) -> Section:
    """Passages of a source under its title and address."""
    text = source.text or ""
    shown = "\n[...]\n".join(text[span.start : span.end].strip() for span in spans)
    head = f"{source.title} ({source.url})" if source.title else source.url
    return Section("evidence", shown, intro, about, head)


class JudgeAnswer(Protocol):
    """A judge's answer on an item."""

    @property
    def id(self) -> str: ...
    @property
    def support(self) -> str: ...
    @property
    def justification(self) -> str: ...
    @property
    def quote(self) -> str: ...


async def answers_by_id(
    judge: Examiner,
    items: Sequence[SupportItem],
    asking_about: Callable[[Sequence[SupportItem]], Asking[Any]],
) -> dict[str, JudgeAnswer]:
    """Ask about each item; what was left out is asked for once more, alone. `ModelFailure` where there is no usable answer at all.

    An answer to the second question that cannot be used leaves these out again, and spoils nothing that was said before.
    """
    found = await _asked(judge, items, asking_about)
    left = [item for item in items if item.id not in found]
    if left:
        try:
            found |= await _asked(judge, left, asking_about)
        except ModelFailure as failure:
            if failure.transient or failure.fatal:
                raise
    return found


async def _asked(
    judge: Examiner,
    items: Sequence[SupportItem],
    asking_about: Callable[[Sequence[SupportItem]], Asking[Any]],
) -> dict[str, JudgeAnswer]:
    """An id answered twice with different verdicts counts as left out; ids that were not asked for are ignored."""
    if not items:
        return {}
    rows: Sequence[JudgeAnswer] = (await judge.answer(asking_about(items))).verdicts
    wanted = {item.id for item in items}
    found: dict[str, JudgeAnswer] = {}
    torn: set[str] = set()
    for row in rows:
        if row.id in found and found[row.id].support != row.support:
            torn.add(row.id)
        found[row.id] = row
    return {name: answer for name, answer in found.items() if name in wanted and name not in torn}


def verdict_of(item: SupportItem, status: Status, reason: str, by: str) -> VerdictRow:
    return {
        "claim_id": item.claim_id,
        "type": item.type,
        "against": item.against,
        "sources": [
            {
                "url": source.url,
                "status": source.status,
                "sha256": source.sha256,
                "passages": [list(span) for span in select(item.claim, source.text, item.cut)]
                if source.text
                else [],
            }
            for source in item.sources
        ],
        "spans": [],
        "status": status,
        "reason": reason,
        "by": by,
    }


def silent_verdict(item: SupportItem) -> VerdictRow:
    """A verdict that no judge was asked for."""
    decision = item.decision
    if decision is not None:
        verdict = verdict_of(item, decision.status, decision.reason, "rule")
        verdict["spans"] = [_spanned(item.readable[0], span) for span in decision.spans]
        return verdict
    reasons = "; ".join(f"{s.url}: {s.reason or s.status}" for s in item.sources if s.status != "ok")
    return verdict_of(item, item.unreadable() or "empty", reasons, "rule")


def left_out(item: SupportItem) -> VerdictRow:
    reason = "the judge left this id out, also when asked for it alone"
    return verdict_of(item, "judge_error", reason, "judge")


def _spanned(source: Frozen, span: Span) -> SpanRow:
    return {"url": source.url, "sha256": source.sha256, "start": span.start, "end": span.end}


def judged_verdict(item: SupportItem, said: JudgeAnswer, *, cap: bool) -> VerdictRow:
    """Make the verdict. With `cap`, a price, stars or a number of ratings that the very record gives otherwise keeps it from being full."""
    status = _LABEL[said.support]
    verdict = verdict_of(item, status, said.justification, "judge")
    for source in item.readable:
        span = locate(said.quote, source.text or "")
        if span is not None:
            verdict["spans"] = [_spanned(source, span)]
            break
    if said.quote.strip() and not verdict["spans"]:
        verdict["quote_not_found"] = said.quote
    if status != "full" or not cap:
        return verdict
    wrong = contradicted(item.claim, item.readable)
    if wrong:
        verdict["status"], verdict["by"], verdict["judged"] = "partial", "rule over judge", "full"
        verdict["reason"] = (
            f"the record says otherwise: {', '.join(wrong)}. The judge said: {said.justification}"
        )
    elif absent := missing_numbers(item.claim, "\n".join(source.text or "" for source in item.readable)):
        verdict["reason"] = f"{said.justification} (Not stated as such: {', '.join(absent)}.)"
    return verdict
