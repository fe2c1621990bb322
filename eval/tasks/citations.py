"""The task of judging citations one by one: where a claim cites several sources of a type, what each of them says alone.

A claim with one source of a type has its verdict from the task before; nothing is asked for it. Of several, code settles what it can,
equal texts are shown once, and one question holds what is left, of several claims as long as there is room: each source alone, and
whether its claim needs it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from drr.env.source import Frozen
from drr.eval.asking.conversation import Asking, Section, conversation
from drr.eval.asking.forms import CitedSourceAnswer
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.base import Estimate, Task
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.held import (
    Said,
    SupportItem,
    answers_by_id,
    evidence_section,
    judged_verdict,
    left_out,
    silent_verdict,
)
from drr.eval.tasks.judged import Judged, Judging
from drr.eval.tasks.rows import AddressVerdict, ClaimRow
from drr.study.unit import Outcome, Record, Unit

CLAIMS_MOST, SOURCES_MOST = 5, 10
"""In one question: of more, a judge loses some."""


class PortionRow(TypedDict):
    """A portion in a unit's spec."""

    claim_id: str
    claim: str
    type: str
    places: list[int]
    """Of its sources among those of its type."""
    urls: list[str]
    asked: bool
    whole: bool


@dataclass(frozen=True)
class Portion:
    """Some sources of one claim, all of one type: an item for each."""

    claim_id: str
    claim: str
    type: str
    items: tuple[SupportItem, ...]
    asked: bool
    """Of a judge; code settles the others."""
    whole: bool
    """They are all that the claim cites of the type: who is shown them can tell which of them it needs."""

    @property
    def id(self) -> str:
        return f"{self.claim_id}-{self.type}"

    @property
    def urls(self) -> list[str]:
        return [item.sources[0].url for item in self.items]

    def row(self) -> PortionRow:
        return {
            "claim_id": self.claim_id,
            "claim": self.claim,
            "type": self.type,
            "places": [int(item.id.rpartition(".")[2]) for item in self.items],
            "urls": self.urls,
            "asked": self.asked,
            "whole": self.whole,
        }


class CitationsTask(Task[Answer]):
    name = "citations"
    subject = "claim-source"
    needs = ("support",)
    metrics = ("citations",)

    def versions(self, desk: Desk) -> Mapping[str, str]:
        ask = desk.protocol.ask(self.name)
        return {} if ask is None else {self.name: desk.version(self.version, self.role, ask.prompt)}

    def plan(self, desk: Desk, about: Answer, judged: Judged) -> Iterable[Unit]:
        """Pages as they read now have figures of their own kind only, none of them of single citations."""
        found = judged.held(about)
        if (
            found is None
            or not found.claims
            or desk.protocol.ask(self.name) is None
            or desk.refetched is not None
        ):
            return
        for group in _batches(list(portions(desk, about, found.claims))):
            fields = {
                "answer": about.key,
                "claims": found.key,
                "items": [item.id for portion in group for item in portion.items],
                "addresses": [url for portion in group for url in portion.urls],
                "prompt": _asking(desk, group).fingerprint,
            }
            spec = {"answer": about.key, "portions": [portion.row() for portion in group]}
            told = ", ".join(portion.id for portion in group)
            yield self.unit(desk, f"citations {told} \u00b7 {about.label}", fields, spec)

    async def work(self, desk: Desk, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        group = _portions_of_unit(desk, spec)
        asked = [item for portion in group if portion.asked for item in portion.items]
        questions = 0

        def asking_about(some: Sequence[SupportItem]) -> Asking[Any]:
            nonlocal questions
            questions += 1
            return _asking(desk, group, {item.id for item in some}, about=(spec["answer"],))

        said = await answers_by_id(judge, asked, asking_about)
        verdicts = {
            item.id: _verdict(desk, portion, item, said.get(item.id), again=questions > 1)
            for portion in group
            for item in portion.items
        }
        return Outcome({"verdicts": verdicts})

    def read(self, record: Record, judged: Judged) -> None:
        here = judged.addresses.setdefault(record.key_fields["answer"], {})
        if not record.done:
            here.update(_unjudged(record))
            return
        found: Mapping[str, AddressVerdict] = record.result["verdicts"]
        here.update({(one["claim_id"], one["sources"][0]["url"]): one for one in found.values()})
        judged.failed[self.name] += any(one["status"] == "judge_error" for one in found.values())

    def counts(self, record: Record, judged: Judged) -> bool:
        """Only of the claims that count today, as support."""
        held = judged.claims.get(judged.way.held, {}).get(record.key_fields["answer"])
        return held is not None and held.key == record.key_fields["claims"]

    def belongs(self, fields: Mapping[str, Any], judging: Judging) -> bool:
        return super().belongs(fields, judging) and not judging.refetch

    def estimate(self, desk: Desk, unit: Unit) -> Estimate | None:
        group = [portion for portion in _portions_of_unit(desk, unit.spec) if portion.asked]
        if not group:
            return None
        shown = [item for portion in group for item in portion.items]
        told = sum(len(portion.claim) for portion in group)
        return Estimate(2800 + told + sum(100 + item.shown() for item in shown), 110 * len(shown))

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        return {
            (answer, f"{claim} {url}"): verdict["status"]
            for answer, found in judged.addresses.items()
            for (claim, url), verdict in found.items()
        }


CITATIONS = CitationsTask()


def portions(desk: Desk, answer: Answer, claims: Iterable[ClaimRow]) -> Iterator[Portion]:
    """Of each claim and type with several readable texts: those for a judge, at most so many at once, and those that code settles."""
    book = desk.book(answer)
    for claim in claims:
        by_type: dict[str, list[Frozen]] = {}
        for url in claim["urls"] if len(claim["urls"]) > 1 else ():
            by_type.setdefault(book.type_of(url), []).append(book.page(url))
        for source_type, pages in by_type.items():
            items = [_item(desk, claim["id"], claim["text"], n, page) for n, page in distinct_texts(pages)]
            if len(items) > 1:
                yield from _portions(desk, source_type, items)


def _item(desk: Desk, claim_id: str, claim: str, place: int, page: Frozen) -> SupportItem:
    name = f"{claim_id}-{page.type}.{place}"
    return SupportItem(name, claim_id, claim, page.type, "page", (page,), desk.cut(1))


def distinct_texts(pages: Iterable[Frozen]) -> list[tuple[int, Frozen]]:
    """Those that could be read, each text once, with its place among the addresses."""
    found: dict[str | None, tuple[int, Frozen]] = {}
    for place, page in enumerate(pages, 1):
        if page.status == "ok" and page.text:
            found.setdefault(page.sha256, (place, page))
    return list(found.values())


def _portions(desk: Desk, source_type: str, items: Sequence[SupportItem]) -> Iterator[Portion]:
    by_asked: dict[bool, list[SupportItem]] = {True: [], False: []}
    for item in items:
        by_asked[item.needs_judge(desk.protocol)].append(item)
    claim_id, claim = items[0].claim_id, items[0].claim
    for asked, own in by_asked.items():
        for start in range(0, len(own), SOURCES_MOST):
            part = tuple(own[start : start + SOURCES_MOST])
            yield Portion(claim_id, claim, source_type, part, asked, whole=len(part) == len(items))


def _portions_of_unit(desk: Desk, spec: Mapping[str, Any]) -> list[Portion]:
    book = desk.book(desk.answer(spec["answer"]))
    rows: Sequence[PortionRow] = spec["portions"]
    return [
        Portion(
            row["claim_id"],
            row["claim"],
            row["type"],
            tuple(
                _item(desk, row["claim_id"], row["claim"], n, book.page(url))
                for n, url in zip(row["places"], row["urls"], strict=True)
            ),
            row["asked"],
            row["whole"],
        )
        for row in rows
    ]


def _batches(found: Sequence[Portion]) -> list[list[Portion]]:
    """Claims share a question as long as it has room for their sources; what is settled stands alone."""
    batches: list[list[Portion]] = []
    for portion in found:
        last = batches[-1] if batches else []
        room = SOURCES_MOST - sum(len(one.items) for one in last)
        if portion.asked and last and len(last) < CLAIMS_MOST and len(portion.items) <= room:
            last.append(portion)
        elif portion.asked:
            batches.append([portion])
    return batches + [[portion] for portion in found if not portion.asked]


def _asking(
    desk: Desk,
    group: Sequence[Portion],
    some: Collection[str] | None = None,
    *,
    about: tuple[str, ...] = (),
) -> Asking[Any]:
    """About all sources of these portions, or some of them."""
    ask = desk.protocol.asks["citations"]
    sections: list[Section] = []
    for portion in group:
        items = [item for item in portion.items if some is None or item.id in some]
        if items:
            sections.append(Section("claim", portion.claim, f"Claim `{portion.id}`:", about=portion.id))
        for item in items:
            for source, spans in item.passages():
                intro = f"Source `{item.id}` of claim `{portion.id}` ({source.type}):"
                sections.append(evidence_section(source, spans, intro, item.id))
    messages = conversation(desk.prompts[ask.prompt].fill(), sections)
    return Asking("citations", ask.form, messages, tuple(sections), about)


def _verdict(
    desk: Desk, portion: Portion, item: SupportItem, said: Said | None, *, again: bool
) -> AddressVerdict:
    """Where some had to be asked for `again`, nobody was shown all of them in one question of which all was answered."""
    if not portion.asked:
        return {**silent_verdict(item), "needed": None}
    if said is None:
        return {**left_out(item), "needed": None}
    known = portion.whole and not again
    needed = said.needed if known and isinstance(said, CitedSourceAnswer) else None
    return {**judged_verdict(item, said, cap=desk.protocol.caps_numbers), "needed": needed}


def _unjudged(record: Record) -> dict[tuple[str, str], AddressVerdict]:
    """Of a unit that failed as a whole."""
    found: dict[tuple[str, str], AddressVerdict] = {}
    for name, url in zip(record.key_fields["items"], record.key_fields["addresses"], strict=True):
        claim_id, _, rest = name.partition("-")
        found[claim_id, url] = {
            "claim_id": claim_id,
            "type": rest.rpartition(".")[0],
            "against": "page",
            "status": "judge_error",
            "reason": f"{record.reason}: {record.message}",
            "sources": [],
            "spans": [],
            "needed": None,
        }
    return found
