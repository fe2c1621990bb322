"""The task of comparing claims with their sources: what the judge is shown, and how its answers become verdicts.

An unreadable source is never shown as text; its status is the verdict. The judge answers by id. Ids that it left out are asked about
once more, alone; an id still missing is a `judge_error`. An answer that was cut off is never repaired.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import Any

from drr.env.records.lines import on_one_line
from drr.env.source import FrozenText
from drr.env.text import tokens
from drr.env.world import is_paged
from drr.eval.asking.conversation import Asking, Section, conversation_with_prefix
from drr.eval.asking.judge import Examiner, ask_by_id, groups_of
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.passages import Cut
from drr.eval.stats.faithfulness import Against, VerdictRow
from drr.eval.stats.question import grouped
from drr.eval.tasks.citation_rows import HeldClaim
from drr.eval.tasks.desk import Estimate, JudgingContext, Task
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.eval.tasks.protocol import JudgingProtocol
from drr.eval.tasks.support_items import (
    SupportItem,
    count_shown_characters,
    evidence_of,
    evidence_section,
    failed_verdict,
    items_of_request,
    judged_verdict,
    left_out,
    silent_verdict,
)
from drr.llm.prompts import Prompts
from drr.study.unit import Outcome, Record, Unit

ROOM = 16_000
"""Characters of evidence and claims up to which claims with other evidence join a request."""


class ClaimTask(Task[Answer]):
    """A task whose verdicts are about claims."""

    subject = "claim-source"

    def lacks(self, record: Record) -> bool:
        return any(one["status"] == "judge_error" for one in record.result["verdicts"].values())

    def counts(self, record: Record, judged: Judged) -> bool:
        """Tell whether a verdict is about the current claims. Verdicts on another extraction of the same report may be stored too."""
        claims = judged.claims.get(judged.way.checked, {}).get(record.key_fields["answer"])
        return claims is not None and claims.key == record.key_fields["claims"]


class SupportTask(ClaimTask):
    name = "support"
    version = 12
    needs = ("claims",)
    metrics = ("faithfulness",)

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        shown = "-whole" if desk.protocol.whole_pages else ""
        return {name: version + shown for name, version in super().versions(desk).items()}

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        found = judged.checked_claims(about)
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
            to_check: list[HeldClaim] = [
                {"id": claim["id"], "text": claim["text"], "urls": claim["urls"]}
                for claim in claims
                if claim["id"] in ids
            ]
            spec = {"answer": about.key, "items": names, "claims": to_check}
            yield self.unit(desk, f"support {', '.join(names)} \u00b7 {about.label}", fields, spec)

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        """Judge one unit. Pages that were fetched now are stored with the verdict; all other evidence is in the answer's record."""
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
        judged.failed[self.name] += self.lacks(record)

    def belongs(self, fields: Mapping[str, Any], judging: JudgingRun) -> bool:
        return super().belongs(fields, judging) and fields["refetch"] == judging.refetch

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate | None:
        shown = [item for item in _items_of_unit(desk, unit.spec) if item.needs_judge(desk.protocol)]
        if not shown:
            return None
        return Estimate(2300 + count_shown_characters(shown), 100 * len(shown))

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        return {
            (answer, item): verdict["status"]
            for answer, items in judged.support.items()
            for item, verdict in items.items()
        }


SUPPORT = SupportTask()


def items_of(desk: JudgingContext, answer: Answer, claims: Iterable[HeldClaim]) -> list[SupportItem]:
    """List an item for each claim and type of source, with the stored sources. Web sources have a second item where the agent saw another text than the page's.

    What the agent of an imported report saw is unknown.
    """
    book = desk.book(answer)
    both = desk.protocol.reads_seen and desk.refetched is None and not answer.imported
    found: list[SupportItem] = []
    for claim in claims:
        for source_type, urls in grouped((book.type_of(url), url) for url in claim["urls"]).items():
            pages = tuple(book.page(url) for url in urls)
            cut = desk.cut(len(pages))
            text = desk.text_of_claim(claim["text"], source_type)
            found.append(_item({**claim, "text": text}, source_type, "page", pages, cut))
            if not is_paged(source_type) or not both:
                continue
            seen = tuple(book.seen(url) for url in urls)
            if not all(map(_is_all_seen, seen, pages)):
                found.append(_item(claim, source_type, "seen", seen, cut))
    return found


def _is_all_seen(seen: FrozenText, page: FrozenText) -> bool:
    """Tell whether the agent saw all words of a page, whatever the layout and the headings around them."""
    own, shown = (" ".join(tokens(one.text or "")) for one in (page, seen))
    return seen.status == page.status and f" {own} " in f" {shown} "


def _items_of_unit(desk: JudgingContext, spec: Mapping[str, Any]) -> list[SupportItem]:
    wanted = set(spec["items"])
    items = items_of(desk, desk.answer(spec["answer"]), spec["claims"])
    return items_of_request([item for item in items if item.id in wanted])


def _item(
    claim: HeldClaim, source_type: str, against: Against, sources: tuple[FrozenText, ...], cut: Cut
) -> SupportItem:
    name = f"{claim['id']}-{source_type}" + ("-seen" if against == "seen" else "")
    return SupportItem(name, claim["id"], claim["text"], source_type, against, sources, cut)


def _batches(items: Sequence[SupportItem], desk: JudgingContext) -> list[list[SupportItem]]:
    """Group the items of a report into requests. Those with the same texts stand together, then others while there is room.

    What the agent saw stands apart from the page. Items that need no model stand alone.
    """
    needs = {item.id: item.needs_judge(desk.protocol) for item in items}
    alike = grouped(((item.against, *item.texts), item) for item in items if needs[item.id])
    batches: list[list[SupportItem]] = []
    for key in sorted(alike, key=itemgetter(0)):
        for group in _fitting(alike[key], desk):
            last = [*batches[-1], *group] if batches else []
            fits = last and len(last) <= desk.together and last[0].against == group[0].against
            if fits and count_shown_characters(items_of_request(last)) <= ROOM:
                batches[-1] = last
            else:
                batches.append([*group])
    return [items_of_request(batch) for batch in batches] + [[item] for item in items if not needs[item.id]]


def _fitting(items: Sequence[SupportItem], desk: JudgingContext) -> list[Sequence[SupportItem]]:
    """Split items with the same texts so that what they show fits into the judge's context."""
    most = desk.together
    while most > 1 and count_shown_characters(items_of_request(items[:most])) > desk.room:
        most //= 2
    return groups_of(items, most)


def support_asking(
    prompts: Prompts, protocol: JudgingProtocol, items: Sequence[SupportItem], *, about: tuple[str, ...] = ()
) -> Asking[Any]:
    """Build one request: each text once, below it its claims. A claim is one line, so that none can pose as another.

    The fields hold each claim with its own texts.
    """
    ask, evidence = protocol.asks["support"], evidence_of(items)
    numbers = {text: str(number) for number, text in enumerate(evidence, 1)}
    shown: dict[str, Section] = {}
    own: list[Section] = []
    for texts, group in grouped((item.texts, item) for item in items).items():
        for text in texts:
            source, spans = evidence[text]
            shown.setdefault(
                text, evidence_section(source, spans, f"Evidence {numbers[text]} ({source.type}):")
            )
        names = " and ".join(numbers[text] for text in texts)
        lines = "\n".join(f"{item.id} | {on_one_line(item.claim)}" for item in group)
        shown[group[0].id] = Section("claims", lines, f"Claims that cite evidence {names}:")
        for item in group:
            own.append(Section("claim", item.claim, about=item.id))
            own += [evidence_section(*evidence[text], about=item.id) for text in texts]
    messages = conversation_with_prefix(prompts[ask.prompt].fill(), [*shown.values()], again=False)
    return Asking("support", ask.form, messages, tuple(own), about)


async def judge_support(
    judge: Examiner,
    prompts: Prompts,
    protocol: JudgingProtocol,
    items: Sequence[SupportItem],
    *,
    about: tuple[str, ...] = (),
) -> dict[str, VerdictRow]:
    """Return a verdict for every item. Raises `ModelFailure` where the model gives no usable answer at all."""
    asked = {item.id: item for item in items if item.needs_judge(protocol)}

    def asking(names: Sequence[str]) -> Asking[Any]:
        return support_asking(prompts, protocol, [asked[name] for name in names], about=about)

    answers = await ask_by_id(judge, list(asked), max(1, len(asked)), asking, attrgetter("support"))

    def verdict(item: SupportItem) -> VerdictRow:
        if item.id not in asked:
            return silent_verdict(item)
        answer = answers.get(item.id)
        return left_out(item) if answer is None else judged_verdict(item, answer, cap=protocol.caps_numbers)

    return {item.id: verdict(item) for item in items}


def _unjudged(record: Record) -> dict[str, VerdictRow]:
    """Build the verdicts of a unit that failed as a whole."""
    found: dict[str, VerdictRow] = {}
    for name in record.key_fields["items"]:
        claim_id, source_type, *rest = name.split("-")
        found[name] = failed_verdict(claim_id, source_type, "seen" if rest else "page", record)
    return found
