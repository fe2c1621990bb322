"""The task of holding claims against their sources: what the judge is shown, how its answer is read, what stands when it fails.

A source that could not be read is never shown as a text; its status is the verdict. The judge answers by id. Ids it left
out are asked for once more, alone; what is missing then is a `judge_error`. An answer that was cut off is never mended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from drr.env.records.lines import Span
from drr.env.source import Frozen
from drr.env.world import is_paged
from drr.eval.asking.conversation import Asking, Section, conversation
from drr.eval.asking.forms import PaperSupportAnswer, PaperSupportAnswers, SupportAnswer, SupportAnswers
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.lexical import missing_numbers
from drr.eval.evidence.passages import CONCERNING, Cut, locate, select
from drr.eval.stats.faithfulness import Status, Support
from drr.eval.tasks.base import Estimate, Task
from drr.eval.tasks.decided import Decision, contradicted, decide
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.judged import Judged, Judging
from drr.eval.tasks.protocol import JudgingProtocol
from drr.eval.tasks.rows import Against, HeldClaim, SpanRow, VerdictRow
from drr.llm.failures import ModelFailure
from drr.llm.prompts import Prompts
from drr.study.unit import Outcome, Record, Unit

BATCH_MOST = 5
_LABEL: Mapping[str, Support] = {"full_support": "full", "partial_support": "partial", "no_support": "none"}


@dataclass(frozen=True)
class SupportItem:
    """One claim held against all its sources of one type."""

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

    @property
    def is_of_records(self) -> bool:
        """Whether all that it is held against are products of the shop: figures may follow from several fields."""
        return bool(self.readable) and all(source.product is not None for source in self.readable)

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

    def needs_judge(self, protocol: JudgingProtocol) -> bool:
        return self.unreadable() is None and not (protocol.decides_first and self.decision is not None)

    def passages(self) -> list[tuple[Frozen, list[Span]]]:
        return [(source, select(self.claim, source.text or "", self.cut)) for source in self.readable]


class SupportTask(Task[Answer]):
    name = "support"
    subject = "claim-source"
    version = 3
    needs = ("claims",)
    metrics = ("faithfulness",)

    def versions(self, desk: Desk) -> Mapping[str, str]:
        ask = desk.protocol.ask(self.name)
        if ask is None:
            return {}
        shown = "-whole" if desk.protocol.whole_pages else ""
        return {self.name: desk.version(self.version, self.role, ask.prompt) + shown}

    def plan(self, desk: Desk, about: Answer, judged: Judged) -> Iterable[Unit]:
        found = judged.held(about)
        if found is None or not found.claims:
            return
        claims = [claim for claim in found.claims if claim["urls"]]
        for group in _batches(items_of(desk, about, claims), desk):
            ids = {item.claim_id for item in group}
            names = [item.id for item in group]
            fields = {
                "answer": about.key,
                "claims": found.key,
                "items": names,
                "statuses": [[s.status for s in item.sources] for item in group],
                "prompt": support_asking(desk.prompts, desk.protocol, group).fingerprint,
                "refetch": desk.refetched is not None,
            }
            held: list[HeldClaim] = [
                {"id": claim["id"], "text": claim["text"], "urls": claim["urls"]}
                for claim in claims
                if claim["id"] in ids
            ]
            spec = {"answer": about.key, "items": names, "claims": held}
            yield self.unit(desk, f"support {', '.join(names)} \u00b7 {about.label}", fields, spec)

    async def work(self, desk: Desk, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        """Pages that were read now are kept with the verdict; all other evidence is in the answer's record."""
        items = _items_of_unit(desk, spec)
        verdicts = await judge_support(judge, desk.prompts, desk.protocol, items, about=(spec["answer"],))
        fresh = [source for item in items for source in item.readable] if desk.refetched is not None else []
        return Outcome(
            {"verdicts": verdicts}, {f"text:{source.sha256}": source.text or "" for source in fresh}
        )

    def read(self, record: Record, judged: Judged) -> None:
        here = judged.support.setdefault(record.key_fields["answer"], {})
        if not record.done:
            here.update(_unjudged(record))
            return
        verdicts: Mapping[str, VerdictRow] = record.result["verdicts"]
        here.update(verdicts)
        judged.failed[self.name] += any(v["status"] == "judge_error" for v in verdicts.values())

    def belongs(self, fields: Mapping[str, Any], judging: Judging) -> bool:
        return super().belongs(fields, judging) and fields["refetch"] == judging.refetch

    def counts(self, record: Record, judged: Judged) -> bool:
        """Only of the claims that count today: another extraction of the same report may stand beside them."""
        held = judged.claims.get(judged.way.held, {}).get(record.key_fields["answer"])
        return held is not None and held.key == record.key_fields["claims"]

    def estimate(self, desk: Desk, unit: Unit) -> Estimate | None:
        shown = [item for item in _items_of_unit(desk, unit.spec) if item.needs_judge(desk.protocol)]
        if not shown:
            return None
        size = sum(
            2000 + len(item.claim) + sum(s.end - s.start for _, spans in item.passages() for s in spans)
            for item in shown
        )
        return Estimate(size, 160 * len(unit.spec["items"]))

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        return {
            (answer, item): verdict["status"]
            for answer, items in judged.support.items()
            for item, verdict in items.items()
        }


SUPPORT = SupportTask()


def items_of(desk: Desk, answer: Answer, claims: Iterable[HeldClaim]) -> list[SupportItem]:
    """Every (claim, type) against its frozen sources, and for the web against what the agent saw where that differs.

    What the agent of an imported report saw is not known.
    """
    book = desk.book(answer)
    both = desk.protocol.reads_seen and desk.refetched is None and not answer.imported
    found: list[SupportItem] = []
    for claim in claims:
        by_type: dict[str, list[str]] = {}
        for url in claim["urls"]:
            by_type.setdefault(book.type_of(url), []).append(url)
        for source_type, urls in by_type.items():
            pages = tuple(book.page(url) for url in urls)
            cut = desk.cut(len(pages))
            found.append(_item(claim, source_type, "page", pages, cut))
            if not is_paged(source_type) or not both:
                continue
            seen = tuple(book.seen(url) for url in urls)
            if [s.sha256 for s in seen] != [p.sha256 for p in pages]:
                found.append(_item(claim, source_type, "seen", seen, cut))
    return found


def _items_of_unit(desk: Desk, spec: Mapping[str, Any]) -> list[SupportItem]:
    wanted = set(spec["items"])
    return [item for item in items_of(desk, desk.answer(spec["answer"]), spec["claims"]) if item.id in wanted]


def _item(
    claim: HeldClaim, source_type: str, against: Against, sources: tuple[Frozen, ...], cut: Cut
) -> SupportItem:
    name = f"{claim['id']}-{source_type}" + ("-seen" if against == "seen" else "")
    return SupportItem(name, claim["id"], claim["text"], source_type, against, sources, cut)


def _batches(items: Sequence[SupportItem], desk: Desk) -> list[list[SupportItem]]:
    """Claims of one report; what needs no model stands alone, so that a batch is a prompt."""
    needs = {item.id: item.needs_judge(desk.protocol) for item in items}
    shown = [item for item in items if needs[item.id]]
    silent = [[item] for item in items if not needs[item.id]]
    return [shown[i : i + desk.batch] for i in range(0, len(shown), desk.batch)] + silent


def support_asking(
    prompts: Prompts, protocol: JudgingProtocol, items: Sequence[SupportItem], *, about: tuple[str, ...] = ()
) -> Asking[Any]:
    ask = protocol.asks["support"]
    sections: list[Section] = []
    for item in items:
        sections.append(Section("claim", item.claim, f"Claim `{item.id}`:", about=item.id))
        for number, (source, spans) in enumerate(item.passages(), 1):
            intro = f"Evidence {number} for `{item.id}` ({source.type}):"
            head = f"{source.title} ({source.url})" if source.title else source.url
            sections.append(Section("evidence", _passages(source, spans), intro, item.id, head))
    messages = conversation(prompts[ask.prompt].fill(), sections)
    return Asking("support", ask.form, messages, tuple(sections), about)


def _passages(source: Frozen, spans: Sequence[Span]) -> str:
    text = source.text or ""
    return "\n[...]\n".join(text[span.start : span.end].strip() for span in spans)


async def judge_support(
    judge: Examiner,
    prompts: Prompts,
    protocol: JudgingProtocol,
    items: Sequence[SupportItem],
    *,
    about: tuple[str, ...] = (),
) -> dict[str, VerdictRow]:
    """A verdict for every item that can be shown; `ModelFailure` where the model gives no usable answer at all."""
    found: dict[str, VerdictRow | None] = {
        item.id: None if item.needs_judge(protocol) else _silent(item) for item in items
    }
    for ask in (_ask, _ask_again):
        left = [item for item in items if found[item.id] is None]
        if left:
            answers = await ask(judge, support_asking(prompts, protocol, left, about=about))
            found |= _read(left, answers, protocol)
    return {item.id: found[item.id] or _left_out(item) for item in items}


async def _ask_again(judge: Examiner, asking: Asking[Any]) -> dict[str, _Said]:
    """For what was left out: an answer that cannot be used leaves it out again, and spoils nothing that was said before."""
    try:
        return await _ask(judge, asking)
    except ModelFailure as failure:
        if failure.transient or failure.fatal:
            raise
        return {}


def _left_out(item: SupportItem) -> VerdictRow:
    reason = "the judge left this id out, also when asked for it alone"
    return _verdict(item, "judge_error", reason, "judge")


class _Said(NamedTuple):
    support: str
    justification: str
    quote: str


async def _ask(judge: Examiner, asking: Asking[Any]) -> dict[str, _Said]:
    """By id; an id answered twice with different verdicts counts as left out."""
    answer = await judge.answer(asking)
    assert isinstance(answer, SupportAnswers | PaperSupportAnswers)
    rows: Sequence[SupportAnswer | PaperSupportAnswer] = answer.verdicts
    found: dict[str, _Said] = {}
    torn: set[str] = set()
    for row in rows:
        if row.id in found and found[row.id].support != row.support:
            torn.add(row.id)
        found[row.id] = _Said(row.support, row.justification, row.quote)
    return {name: said for name, said in found.items() if name not in torn}


def _read(
    items: Sequence[SupportItem], answers: Mapping[str, _Said], protocol: JudgingProtocol
) -> dict[str, VerdictRow]:
    """Ids that were not asked for are ignored."""
    return {
        item.id: _judged_verdict(item, answers[item.id], cap=protocol.caps_numbers)
        for item in items
        if item.id in answers
    }


def _verdict(item: SupportItem, status: Status, reason: str, by: str) -> VerdictRow:
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


def _silent(item: SupportItem) -> VerdictRow:
    """A verdict that no judge was asked for."""
    decision = item.decision
    if decision is not None:
        verdict = _verdict(item, decision.status, decision.reason, "rule")
        verdict["spans"] = [_spanned(item.readable[0], span) for span in decision.spans]
        return verdict
    reasons = "; ".join(f"{s.url}: {s.reason or s.status}" for s in item.sources if s.status != "ok")
    return _verdict(item, item.unreadable() or "empty", reasons, "rule")


def _spanned(source: Frozen, span: Span) -> SpanRow:
    return {"url": source.url, "sha256": source.sha256, "start": span.start, "end": span.end}


def _judged_verdict(item: SupportItem, said: _Said, *, cap: bool) -> VerdictRow:
    """With `cap`, a number of the claim that no source states keeps the verdict from being full, whatever the judge says."""
    status = _LABEL[said.support]
    verdict = _verdict(item, status, said.justification, "judge")
    for source in item.readable:
        span = locate(said.quote, source.text or "")
        if span is not None:
            verdict["spans"] = [_spanned(source, span)]
            break
    if said.quote.strip() and not verdict["spans"]:
        verdict["quote_not_found"] = said.quote
    absent = missing_numbers(item.claim, "\n".join(source.text or "" for source in item.readable))
    missing = contradicted(item.claim, item.readable, absent) if item.is_of_records else absent
    if cap and absent and not missing and status == "full":
        verdict["reason"] = (
            f"{said.justification} (Not stated as such, and open to more than one reading: {', '.join(absent)}.)"
        )
    if cap and missing and status == "full":
        verdict["status"] = "partial"
        verdict["by"] = "rule over judge"
        verdict["judged"] = "full"
        verdict["reason"] = f"not in the evidence: {', '.join(missing)}. The judge said: {said.justification}"
    return verdict


def _unjudged(record: Record) -> dict[str, VerdictRow]:
    """Of a unit that failed as a whole."""
    found: dict[str, VerdictRow] = {}
    for name in record.key_fields["items"]:
        claim_id, source_type, *rest = name.split("-")
        found[name] = {
            "claim_id": claim_id,
            "type": source_type,
            "against": rest[0] if rest else "page",
            "status": "judge_error",
            "reason": f"{record.reason}: {record.message}",
            "sources": [],
            "spans": [],
        }
    return found
