"""The judging task that looks for products that a person must not be offered. They are owned already, ruled out by the person or
the question, or over a limit. Code decides from the records, and objects only where product and fact are certain: to products
that the cost of the plan counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict, cast

from drr.env.constraints import parse_constraints
from drr.env.entities import Product
from drr.env.progress import read_in_time
from drr.eval.asking.judge import Examiner
from drr.eval.checks.base import Subject
from drr.eval.checks.bills import bills_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.results import CheckRow
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.passages import content_stems
from drr.eval.tasks.desk import JudgingContext, Task
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.rules import check_subject
from drr.papers.pdr.judging.choices import persons_at
from drr.study.unit import Outcome, Record, Unit
from drr.wording.limits import exclusions
from drr.wording.vocabulary import Wordbook, vocabulary

if TYPE_CHECKING:
    from drr.papers.pdr.person import Person

VIOLATIONS = "violations"
_CENT = 0.005
_MADE_OF = ("ingredient", "material", "allergen", "fabric")
"""Words in the key of a product's detail that names materials."""
_GOODS = "goods"
"""Block of durable products that a person owns; consumables are bought again."""


class ViolationRow(TypedDict):
    kind: Literal["owned", "ruled_out", "limit"]
    why: str
    product: NotRequired[str]
    attribute: NotRequired[str]
    """The person's attribute that is violated, if any."""


class ViolationsTask(Task[Answer]):
    name = VIOLATIONS
    version = 6
    subject = "answer"
    needs = ("rules",)
    metrics = ("pqr",)
    asks = False

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        return {self.name: str(self.version)}

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        budget = judged.rules.get(about.key, {}).get("budget")
        if desk.repeat or (desk.shop is None and budget is None):
            return
        query = desk.questions.get(about.query_id)
        person = persons_at(desk).of(query, about.user_id)
        limits = None if budget is None else _broken(budget)
        shop = None if desk.shop is None else desk.shop.manifest.content_hash
        hashed = None if person is None else person.content_hash
        fields = {"answer": about.key, "person": hashed, "shop": shop, "limits": limits}
        shown = None if person is None else person.model_dump(mode="json")
        again = query is not None and query.intent == "reorder"
        spec = {"answer": about.key, "person": shown, "limits": limits, "again": again}
        yield self.unit(desk, f"violations \u00b7 {about.label}", fields, spec)

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        from drr.papers.pdr.person import Person

        answer = desk.answer(spec["answer"])
        person = None if spec["person"] is None else Person.model_validate(spec["person"])
        about = check_subject(answer, desk.shop, desk.shop_url)
        found = await read_in_time(
            answer.report, lambda: list(violations(about, person, again=bool(spec["again"])))
        )
        found += [ViolationRow(kind="limit", why=why) for why in spec["limits"] or ()]
        return Outcome({"violations": found})

    def read(self, record: Record, judged: Judged) -> None:
        found = record.result["violations"] if record.done else None
        judged.others.setdefault(self.name, {})[record.key_fields["answer"]] = found

    def estimate(self, desk: JudgingContext, unit: Unit) -> None:
        return None


VIOLATIONS_TASK = ViolationsTask()


def violations_of(judged: Judged, answer: str) -> list[ViolationRow] | None:
    """Return the violations of a report; `None` if it was not looked at, or looking failed."""
    return cast("list[ViolationRow] | None", judged.others.get(VIOLATIONS, {}).get(answer))


def violations(about: Subject, person: Person | None, *, again: bool = False) -> Iterator[ViolationRow]:
    """Yield the violations among products that the plan's cost counts. `again` is true if the question is known
    to ask for more of the same."""
    mentions = Mentions(about)
    found = ((name, about.product(name)) for name in counted_products(mentions))
    counted = {name: product for name, product in found if product is not None}
    if counted:
        if person is not None and not again and not AGAIN.speaks(about.query or ""):
            yield from _owned_products(mentions, counted, person)
        yield from _ruled_out(about, counted, person)


def counted_products(mentions: Mentions) -> list[str]:
    """Return the products whose own price a bill of the report counts, each once; compared products are not offered."""
    counted = dict[str, None]()
    for line in (line for bill in bills_of(mentions) for line in bill.lines):
        product = mentions.subject.product(line.product_id) if line.product_id else None
        if product is not None and product.price is not None and abs(product.price - line.price) <= _CENT:
            counted[line.product_id or ""] = None
    return list(counted)


def _owned_products(
    mentions: Mentions, counted: Mapping[str, Product], person: Person
) -> Iterator[ViolationRow]:
    """Yield products that the person owns already. A product that the report itself calls bought is offered knowingly, and no violation."""
    places = [(line.start, line.end) for line in mentions.lines]
    bought = (place for place in places if PURCHASES.speaks(mentions.plain[slice(*place)]))
    offered = counted.keys() - {one.product_id for place in bought for one in mentions.within(*place)}
    for attribute in person.attributes:
        if attribute.block == _GOODS and attribute.basis != "invented":
            products = dict.fromkeys(ground.product_id for ground in attribute.evidence)
            for product_id in (one for one in products if one is not None and one in offered):
                why = f"counts {product_id}, and the person {attribute.statement}"
                yield ViolationRow(kind="owned", why=why, product=product_id, attribute=attribute.id)


def _ruled_out(
    about: Subject, counted: Mapping[str, Product], person: Person | None
) -> Iterator[ViolationRow]:
    wanted = about.constraints or parse_constraints(about.query or "")
    things: dict[str, str | None] = dict.fromkeys(wanted.exclusions)
    for attribute in person.attributes if person is not None else ():
        if "allergic" in attribute.statement.casefold():
            things |= dict.fromkeys(exclusions(attribute.statement), attribute.id)
    for product_id, product in counted.items():
        for thing, attribute_id in things.items():
            materials = _made_of(product, thing)
            if materials is not None:
                why = f"counts {product_id}, whose record says {materials}: {thing} is ruled out"
                row = ViolationRow(kind="ruled_out", why=why, product=product_id)
                yield row if attribute_id is None else {**row, "attribute": attribute_id}


def _made_of(product: Product, thing: str) -> str | None:
    """Return the detail of a product's record that names a substance; `None` without one. Details that exclude the substance do not count."""
    wanted = content_stems(thing)
    for key, value in product.details.items() if wanted else ():
        made_of = isinstance(value, str) and any(word in key.casefold() for word in _MADE_OF)
        if made_of and wanted <= content_stems(value) and not exclusions(f"{key}: {value}"):
            return f"{key}: {value[:80]}"
    return None


def _broken(budget: CheckRow) -> list[str]:
    """Return the evidence that the budget rule is certain of, which comes first; later remarks are uncertain."""
    if budget["status"] != "fail":
        return []
    counts = budget["value"]
    failed = counts.get("failed") if isinstance(counts, Mapping) else None
    return list(budget["evidence"][: int(failed)] if isinstance(failed, int) else budget["evidence"][:1])


class WordReader:
    """A reader that tells whether a text contains one of a set of words."""

    def __init__(self, words: Wordbook, *groups: str) -> None:
        self._word = re.compile(rf"\b(?:{words.either(*(groups or words.groups))})\b", re.I)

    def speaks(self, text: str) -> bool:
        return self._word.search(text) is not None


AGAIN = WordReader(vocabulary("again"))
PURCHASES = WordReader(vocabulary("purchases"), "verbs", "nouns")
