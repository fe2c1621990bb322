"""The task of judging citations one by one, where a claim cites several sources of one type.

The judge is asked about each source with the same prompt as in `support`, so that verdicts on one source are comparable. A claim with
one source of a type already has its verdict from `support`. Code decides what it can, equal texts are asked about once, and one request
holds several claims as long as there is room.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from drr.env.source import FrozenText
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.stats.faithfulness import AddressVerdict
from drr.eval.stats.question import grouped
from drr.eval.tasks.citation_rows import ClaimRow
from drr.eval.tasks.desk import Estimate, JudgingContext
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.eval.tasks.support import ClaimTask
from drr.eval.tasks.support_items import SupportItem, count_shown_characters, failed_verdict, items_of_request
from drr.eval.tasks.support_requests import judge_support, support_asking
from drr.study.unit import Outcome, Record, Unit

CLAIMS_MOST, SOURCES_MOST = 10, 10
"""Most claims and most sources in one request: with more, a judge leaves some out."""


class PortionRow(TypedDict):
    """A portion (see `Portion`) as stored in a unit's spec."""

    claim_id: str
    claim: str
    type: str
    places: list[int]
    """Numbers of its sources among the claim's sources of this type."""
    urls: list[str]


@dataclass(frozen=True)
class Portion:
    """Some sources of one claim, all of one type, with one item for each source."""

    claim_id: str
    claim: str
    type: str
    items: tuple[SupportItem, ...]
    asked: int
    """Number of sources that a judge is asked about; code decides the others."""

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
        }


class CitationsTask(ClaimTask):
    name = "citations"
    version = 9
    needs = ("support",)
    metrics = ("citations", "papers")

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        ask = desk.protocol.ask("support") if desk.protocol.judges_each else None
        return {} if ask is None else {self.name: desk.version(self.version, self.role, ask.prompt)}

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        """Plan nothing for refetched pages: they have figures of their own, none of which is about single citations."""
        found = judged.checked_claims(about)
        if found is None or not found.claims or not desk.protocol.judges_each or desk.refetched is not None:
            return
        for group in _batches(list(source_portions(desk, about, found.claims))):
            items = _items(group)
            fields = {
                "answer": about.key,
                "claims": found.key,
                "items": [item.id for item in items],
                "addresses": [url for portion in group for url in portion.urls],
                "prompt": support_asking(desk.prompts, desk.protocol, items).fingerprint,
            }
            spec = {"answer": about.key, "portions": [portion.row() for portion in group]}
            ids = ", ".join(portion.id for portion in group)
            yield self.unit(desk, f"citations {ids} \u00b7 {about.label}", fields, spec)

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        group = _portions_of_unit(desk, spec)
        about = (spec["answer"],)
        alone = await judge_support(judge, desk.prompts, desk.protocol, _items(group), about=about)
        return Outcome({"verdicts": alone})

    def read(self, record: Record, judged: Judged) -> None:
        here = judged.addresses.setdefault(record.key_fields["answer"], {})
        if not record.done:
            here.update(_unjudged(record))
            return
        found: Mapping[str, AddressVerdict] = record.result["verdicts"]
        here.update({(one["claim_id"], one["sources"][0]["url"]): one for one in found.values()})
        judged.failed[self.name] += self.lacks(record)

    def belongs(self, fields: Mapping[str, Any], judging: JudgingRun) -> bool:
        return super().belongs(fields, judging) and not judging.refetch

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate | None:
        shown = [i for i in _items(_portions_of_unit(desk, unit.spec)) if i.needs_judge(desk.protocol)]
        if not shown:
            return None
        return Estimate(2300 + count_shown_characters(shown), 100 * len(shown))

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        return {
            (answer, f"{claim} {url}"): verdict["status"]
            for answer, found in judged.addresses.items()
            for (claim, url), verdict in found.items()
        }


CITATIONS = CitationsTask()


def source_portions(desk: JudgingContext, answer: Answer, claims: Iterable[ClaimRow]) -> Iterator[Portion]:
    """Yield each claim's readable sources of a type, where there are several, in portions that fit one request."""
    book = desk.book(answer)
    for claim in claims:
        urls = claim["urls"] if len(claim["urls"]) > 1 else ()
        for source_type, pages in grouped((book.type_of(url), book.page(url)) for url in urls).items():
            text = desk.text_of_claim(claim["text"], source_type)
            items = [_item(desk, claim["id"], text, n, page) for n, page in distinct_texts(pages)]
            if len(items) > 1:
                yield from _portions(desk, source_type, items)


def _item(desk: JudgingContext, claim_id: str, claim: str, place: int, page: FrozenText) -> SupportItem:
    name = f"{claim_id}-{page.type}.{place}"
    return SupportItem(name, claim_id, claim, page.type, "page", (page,), desk.cut(1))


def distinct_texts(pages: Iterable[FrozenText]) -> list[tuple[int, FrozenText]]:
    """List the readable pages, each text once, with its number among the addresses."""
    found: dict[str | None, tuple[int, FrozenText]] = {}
    for place, page in enumerate(pages, 1):
        if page.status == "ok" and page.text:
            found.setdefault(page.sha256, (place, page))
    return list(found.values())


def _portions(desk: JudgingContext, source_type: str, items: Sequence[SupportItem]) -> Iterator[Portion]:
    for start in range(0, len(items), SOURCES_MOST):
        part = tuple(items[start : start + SOURCES_MOST])
        asked = sum(item.needs_judge(desk.protocol) for item in part)
        yield Portion(items[0].claim_id, items[0].claim, source_type, part, asked)


def _portions_of_unit(desk: JudgingContext, spec: Mapping[str, Any]) -> list[Portion]:
    book = desk.book(desk.answer(spec["answer"]))
    rows: Sequence[PortionRow] = spec["portions"]
    found = []
    for row in rows:
        placed = zip(row["places"], row["urls"], strict=True)
        items = tuple(_item(desk, row["claim_id"], row["claim"], n, book.page(url)) for n, url in placed)
        found.append(Portion(row["claim_id"], row["claim"], row["type"], items, 0))
    return found


def _items(group: Iterable[Portion]) -> list[SupportItem]:
    return items_of_request([item for portion in group for item in portion.items])


def _batches(found: Sequence[Portion]) -> list[list[Portion]]:
    """Group claims into requests as long as there is room for their sources. Claims that code decides completely stand alone."""
    batches: list[list[Portion]] = []
    for portion in found:
        last = batches[-1] if batches and portion.asked else []
        room = SOURCES_MOST - sum(one.asked for one in last)
        if last and len(last) < CLAIMS_MOST and portion.asked <= room:
            last.append(portion)
        elif portion.asked:
            batches.append([portion])
    return batches + [[portion] for portion in found if not portion.asked]


def _unjudged(record: Record) -> dict[tuple[str, str], AddressVerdict]:
    """Build the verdicts of a unit that failed as a whole."""
    found: dict[tuple[str, str], AddressVerdict] = {}
    for name, url in zip(record.key_fields["items"], record.key_fields["addresses"], strict=True):
        claim_id, _, rest = name.partition("-")
        verdict = failed_verdict(claim_id, rest.rpartition(".")[0], "page", record)
        found[claim_id, url] = {**verdict, "without": None}
    return found
