"""Puts claims beside the texts they cite, sends them to a judge in requests, and reads the verdicts.

What a request holds:

    Evidence 1 (product): ...            a text is sent once, however many claims lean on it
    Claims that cite evidence 1:
    c1-product | The gate is steel.      one line each, by whose id the judge answers
    c4-product | It costs $46.99.
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
from drr.eval.stats.faithfulness import JOINT, Against, VerdictRow
from drr.eval.stats.question import grouped
from drr.eval.tasks.citation_rows import CitingClaim
from drr.eval.tasks.desk import JudgingContext
from drr.eval.tasks.protocol import JudgingProtocol
from drr.eval.tasks.support_items import (
    SupportItem,
    count_shown_characters,
    evidence_of,
    evidence_section,
    items_of_request,
    judged_verdict,
    silent_verdict,
    verdict_of,
)
from drr.llm.prompts import Prompts
from drr.wording.currency import DOLLARS

LEFT_ALONE = "the judge left this id out, also when asked for it alone"
ROOM = 16_000
"""Characters of evidence and claims up to which claims with other evidence join a request."""


def items_of(desk: JudgingContext, answer: Answer, claims: Iterable[CitingClaim]) -> list[SupportItem]:
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
            found.append(_item(claim, source_type, "page", pages, cut))
            if not is_paged(source_type) or not both:
                continue
            seen = tuple(book.seen(url) for url in urls)
            # Where the agent saw every word, a second call would only repeat the verdict.
            if not all(map(_is_all_seen, seen, pages)):
                found.append(_item(claim, source_type, "seen", seen, cut))
    return found


def _is_all_seen(seen: FrozenText, page: FrozenText) -> bool:
    """Tell whether the agent saw all words of a page, whatever the layout and the headings around them."""
    own, shown = (" ".join(tokens(one.text or "")) for one in (page, seen))
    return seen.status == page.status and f" {own} " in f" {shown} "


def items_of_unit(items: Iterable[SupportItem], spec: Mapping[str, Any]) -> list[SupportItem]:
    wanted = set(spec["items"])
    return items_of_request([item for item in items if item.id in wanted])


def joint_items(desk: JudgingContext, answer: Answer, claims: Iterable[CitingClaim]) -> list[SupportItem]:
    """List the items of claims against all their sources together, as they are and as the agent saw them."""
    book = desk.book(answer)
    found: list[SupportItem] = []
    for claim in claims:
        kinds = [book.type_of(url) for url in claim["urls"]]
        pages = tuple(book.page(url) for url in claim["urls"])
        seen = tuple(
            book.seen(url) if is_paged(kind) else page
            for url, kind, page in zip(claim["urls"], kinds, pages, strict=True)
        )
        found += [_item(claim, JOINT, "page", pages, desk.cut(len(pages)))]
        found += [_item(claim, JOINT, "seen", seen, desk.cut(len(pages)))]
    return found


def _item(
    claim: CitingClaim, source_type: str, against: Against, sources: tuple[FrozenText, ...], cut: Cut
) -> SupportItem:
    name = f"{claim['id']}-{source_type}" + ("-seen" if against == "seen" else "")
    return SupportItem(name, claim["id"], claim["text"], source_type, against, sources, cut)


def batches_of(items: Sequence[SupportItem], desk: JudgingContext) -> list[list[SupportItem]]:
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
    money = next((item.currency for item in items if item.currency != DOLLARS), DOLLARS)
    return Asking("support", ask.form, messages, tuple(own), about, money=money)


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
    found: dict[str, VerdictRow] = {}
    for item in items:
        if item.id not in asked:
            found[item.id] = silent_verdict(item)
        elif (answer := answers.get(item.id)) is not None:
            found[item.id] = judged_verdict(item, answer, cap=protocol.caps_numbers)
        else:
            found[item.id] = verdict_of(item, "judge_error", LEFT_ALONE, "judge")
    return found
