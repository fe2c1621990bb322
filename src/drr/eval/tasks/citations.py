"""The task of judging citations one by one, where a claim cites several sources of one type.

The judge is asked about each source with the same prompt as in `support`, so that verdicts on one source are comparable. A claim with
one source of a type already has its verdict from `support`. Code decides what it can, equal texts are asked about once, and one request
holds several claims as long as there is room.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypedDict

from drr.env.source import FrozenText
from drr.eval.evidence.answers import Answer
from drr.eval.stats.faithfulness import AddressVerdict
from drr.eval.stats.question import grouped
from drr.eval.tasks.citation_rows import ClaimRow
from drr.eval.tasks.desk import JudgingContext
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.eval.tasks.support import ClaimTask, failed_verdict
from drr.eval.tasks.support_items import SupportItem, items_of_request
from drr.eval.tasks.support_requests import support_asking
from drr.study.unit import Record, Unit

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


Portion = Sequence[SupportItem]
"""Some sources of one claim, all of one type, with one item for each source."""


class CitationsTask(ClaimTask):
    name = "citations"
    version = 10
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
        for group in _batches(desk, source_portions(desk, about, found.claims)):
            items = items_of_request([item for portion in group for item in portion])
            rows = [_row(portion) for portion in group]
            fields = {
                "answer": about.key,
                "claims": found.key,
                "items": [item.id for item in items],
                "addresses": [url for row in rows for url in row["urls"]],
                "prompt": support_asking(desk.prompts, desk.protocol, items).fingerprint,
            }
            spec = {"answer": about.key, "portions": rows}
            ids = ", ".join(f"{row['claim_id']}-{row['type']}" for row in rows)
            yield self.unit(desk, f"citations {ids} \u00b7 {about.label}", fields, spec)

    def items(self, desk: JudgingContext, spec: Mapping[str, Any]) -> list[SupportItem]:
        book = desk.book(desk.answer(spec["answer"]))
        rows: Sequence[PortionRow] = spec["portions"]
        return items_of_request(
            [
                _item(desk, row["claim_id"], row["claim"], place, book.page(url))
                for row in rows
                for place, url in zip(row["places"], row["urls"], strict=True)
            ]
        )

    def read(self, record: Record, judged: Judged) -> None:
        """Enter the verdicts; those of a unit that failed as a whole are failed ones."""
        fields = record.key_fields
        here = judged.addresses.setdefault(fields["answer"], {})
        if record.done:
            found: Mapping[str, AddressVerdict] = record.result["verdicts"]
            here.update({(one["claim_id"], one["sources"][0]["url"]): one for one in found.values()})
            judged.failed[self.name] += self.is_incomplete(record)
            return
        for name, url in zip(fields["items"], fields["addresses"], strict=True):
            claim_id, _, rest = name.partition("-")
            verdict = failed_verdict(claim_id, rest.rpartition(".")[0], "page", record)
            here[claim_id, url] = {**verdict, "without": None}

    def belongs(self, fields: Mapping[str, Any], judging: JudgingRun) -> bool:
        return super().belongs(fields, judging) and not judging.refetch

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
        for pages in grouped((book.type_of(url), book.page(url)) for url in urls).values():
            items = [_item(desk, claim["id"], claim["text"], n, page) for n, page in distinct_texts(pages)]
            if len(items) > 1:
                yield from (items[n : n + SOURCES_MOST] for n in range(0, len(items), SOURCES_MOST))


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


def _row(portion: Portion) -> PortionRow:
    places = [int(item.id.rpartition(".")[2]) for item in portion]
    urls, one = [item.sources[0].url for item in portion], portion[0]
    return PortionRow(claim_id=one.claim_id, claim=one.claim, type=one.type, places=places, urls=urls)


def _batches(desk: JudgingContext, found: Iterable[Portion]) -> list[list[Portion]]:
    """Group claims into requests as long as there is room for their sources. Claims that code decides completely stand alone."""
    batches: list[list[Portion]] = []
    decided: list[list[Portion]] = []
    room = 0
    for portion in found:
        asked = sum(item.needs_judge(desk.protocol) for item in portion)
        if not asked:
            decided.append([portion])
        elif asked <= room and len(batches[-1]) < CLAIMS_MOST:
            batches[-1].append(portion)
            room -= asked
        else:
            batches.append([portion])
            room = SOURCES_MOST - asked
    return batches + decided
