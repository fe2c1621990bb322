"""The task of looking for what a person must not be offered: something they own already, something that they or their wish rule out, a
broken limit. Code decides from the records, and accuses only where product and fact are certain: a product that the plan's cost counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NotRequired, TypedDict, cast

from drr.env.constraints import parse_constraints
from drr.env.deadline import read_in_time
from drr.env.entities import Product
from drr.eval.asking.judge import Examiner
from drr.eval.checks.base import Subject
from drr.eval.checks.mentions import Mention, Mentions
from drr.eval.checks.money.phrases import OPTIONAL
from drr.eval.checks.money.sums import sums_of
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.words import families
from drr.eval.tasks.base import Task
from drr.eval.tasks.checked import subject
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.judged import Judged
from drr.eval.tasks.rows import CheckRow
from drr.persons.person import Person
from drr.study.unit import Outcome, Record, Unit
from drr.wording.again import AGAIN
from drr.wording.exclusions import exclusions
from drr.wording.purchases import PURCHASES

VIOLATIONS = "violations"
_CENT = 0.005
_MADE_OF = ("ingredient", "material", "allergen", "fabric")
"""Of a record's details, those that say what a thing is made of."""
_GOODS = "goods"
"""The block of a person that holds what stands in the house; what is used up is bought again."""


class ViolationRow(TypedDict):
    kind: Literal["owned", "ruled_out", "limit"]
    why: str
    product: NotRequired[str]
    attribute: NotRequired[str]
    """Of the person, where it is one that is broken."""


class ViolationsTask(Task[Answer]):
    name = VIOLATIONS
    version = 4
    subject = "answer"
    needs = ("rules",)
    metrics = ("pqr",)
    asks = False

    def versions(self, desk: Desk) -> Mapping[str, str]:
        return {self.name: str(self.version)}

    def plan(self, desk: Desk, about: Answer, judged: Judged) -> Iterable[Unit]:
        budget = judged.rules.get(about.key, {}).get("budget")
        if desk.repeat or (desk.shop is None and budget is None):
            return
        query = desk.questions.get(about.query_id)
        person = desk.persons.of(query, about.user_id)
        fields = {
            "answer": about.key,
            "person": None if person is None else person.content_hash,
            "shop": None if desk.shop is None else desk.shop.manifest.content_hash,
            "limits": None if budget is None else _broken(budget),
        }
        spec = {
            "answer": about.key,
            "person": None if person is None else person.model_dump(mode="json"),
            "limits": fields["limits"],
            "again": query is not None and query.intent == "reorder",
        }
        yield self.unit(desk, f"violations \u00b7 {about.label}", fields, spec)

    async def work(self, desk: Desk, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        answer = desk.answer(spec["answer"])
        person = None if spec["person"] is None else Person.model_validate(spec["person"])
        about = subject(answer, desk.shop, desk.shop_url)
        found = await read_in_time(
            answer.report, lambda: list(violations(about, person, again=bool(spec["again"])))
        )
        found += [ViolationRow(kind="limit", why=why) for why in spec["limits"] or ()]
        return Outcome({"violations": found})

    def read(self, record: Record, judged: Judged) -> None:
        found = record.result["violations"] if record.done else None
        judged.others.setdefault(self.name, {})[record.key_fields["answer"]] = found

    def estimate(self, desk: Desk, unit: Unit) -> None:
        return None


VIOLATIONS_TASK = ViolationsTask()


def violations_of(judged: Judged, answer: str) -> list[ViolationRow] | None:
    """`None` where nobody looked, or looking failed."""
    return cast("list[ViolationRow] | None", judged.others.get(VIOLATIONS, {}).get(answer))


def violations(about: Subject, person: Person | None, *, again: bool = False) -> Iterator[ViolationRow]:
    """Of the products that the plan's cost counts; `again` where the question is known to be for one more of the same."""
    mentions = Mentions(about)
    counted = {
        product_id: product
        for product_id in counted_products(mentions)
        if (product := about.product(product_id)) is not None
    }
    if not counted:
        return
    if person is not None and not again and not AGAIN.may_be_again(about.query or ""):
        yield from _owned(mentions, counted, person)
    yield from _ruled_out(about, counted, person)


def counted_products(mentions: Mentions) -> list[str]:
    """Those whose own price a total of the report is made of, each once: what is only compared is not offered."""
    found: dict[str, None] = {}
    counted = _counted_amounts(mentions)
    for mention in mentions.mentions if counted else ():
        optional = OPTIONAL.search(mentions.plain[mention.start : mention.end])
        if (
            mention.own
            and not optional
            and any(_is_its_price(mentions, mention, start, value) for start, value in counted)
        ):
            found[mention.product_id] = None
    return list(found)


def _counted_amounts(mentions: Mentions) -> list[tuple[int, float]]:
    """Where each stands: the rows of a table with its total, else the entries of a list with one; sentences may only tell a price."""
    sums = sums_of(mentions)
    if not sums.grands():
        return []
    if any(one.label is None and one.computed is not None for one in sums.tables):
        costs = [row.cost[1] for row in sums.rows if row.cost is not None and not row.is_total]
        return [(cost.start, cost.value) for cost in costs]
    lines = mentions.layout.lines
    listed = [part for part in sums.parts if not part.optional and lines[part.line].kind != "text"]
    return [(part.start, part.value) for part in listed]


def _is_its_price(mentions: Mentions, mention: Mention, start: int, value: float) -> bool:
    product = mentions.subject.product(mention.product_id)
    price = None if product is None else product.price
    return price is not None and mention.start <= start < mention.end and abs(price - value) <= _CENT


def _owned(mentions: Mentions, counted: Mapping[str, Product], person: Person) -> Iterator[ViolationRow]:
    """A report that itself says of a product that it was bought offers it knowingly."""
    spoken = {
        one.product_id for one in mentions.mentions if PURCHASES.speaks(mentions.plain[one.start : one.end])
    }
    for attribute in person.attributes:
        if attribute.block != _GOODS or attribute.basis == "invented":
            continue
        for product_id in dict.fromkeys(ground.product_id for ground in attribute.evidence):
            if product_id is not None and product_id in counted and product_id not in spoken:
                yield ViolationRow(
                    kind="owned",
                    why=f"counts {product_id}, and the person {attribute.statement}",
                    product=product_id,
                    attribute=attribute.id,
                )


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
            said = _made_of(product, thing)
            if said is not None:
                row = ViolationRow(
                    kind="ruled_out",
                    why=f"counts {product_id}, whose record says {said}: {thing} is ruled out",
                    product=product_id,
                )
                yield row if attribute_id is None else {**row, "attribute": attribute_id}


def _made_of(product: Product, thing: str) -> str | None:
    """The detail of a record that names the thing; not one that says it is without something."""
    wanted = families(thing)
    for key, value in product.details.items():
        if not any(word in key.casefold() for word in _MADE_OF) or not isinstance(value, str):
            continue
        words = families(value)
        if wanted and wanted <= words and not exclusions(f"{key}: {value}"):
            return f"{key}: {value[:80]}"
    return None


def _broken(budget: CheckRow) -> list[str]:
    """What the rule is certain of; the remarks behind are what it was not."""
    if budget["status"] != "fail":
        return []
    counts = budget["value"]
    failed = counts.get("failed") if isinstance(counts, Mapping) else None
    return list(budget["evidence"][: int(failed)] if isinstance(failed, int) else budget["evidence"][:1])
