"""The task of adoption: which products a report puts before its reader, and what they cost. Code alone tells; that a trait of a person is
named in a report does not show that it changed the advice, but other products for another person do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict, cast

from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.desk import Desk, Task, text_id
from drr.eval.tasks.judged import Judged, Judging
from drr.eval.tasks.key_points.matching import named_products
from drr.study.unit import Outcome, Record, Unit

ADOPTION = "adoption"


class AdoptedProduct(TypedDict):
    id: str
    price: float | None
    """`None`: the shop does not know it."""


class AdoptionTask(Task[Answer]):
    name = ADOPTION
    subject = "answer"
    asks = False
    metrics = ("swap",)

    def versions(self, desk: Desk) -> Mapping[str, str]:
        return {}

    def plan(self, desk: Desk, about: Answer, judged: Judged) -> Iterable[Unit]:
        if desk.shop is None:
            return
        fields = {
            "task": self.name,
            "judge": "rules",
            "version": str(self.version),
            "answer": about.key,
            "report": text_id(about.report),
            "shop": desk.shop.manifest.content_hash,
            "shop_url": desk.shop_url,
        }
        yield Unit(
            "judgement",
            fields,
            {"task": self.name, "answer": about.key},
            f"adoption \u00b7 {about.label}",
        )

    async def work(self, desk: Desk, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        assert desk.shop is not None
        named = sorted(named_products(desk, desk.answer(spec["answer"])))
        found = desk.shop.store.products(named)
        rows: list[AdoptedProduct] = [{"id": one.product_id, "price": one.price} for one in found]
        return Outcome({"products": rows})

    def read(self, record: Record, judged: Judged) -> None:
        if record.done:
            rows = judged.others.setdefault(ADOPTION, {})
            rows[record.key_fields["answer"]] = record.result["products"]

    def belongs(self, fields: Mapping[str, Any], judging: Judging) -> bool:
        return True

    def estimate(self, desk: Desk, unit: Unit) -> None:
        return None


ADOPTION_TASK = AdoptionTask()


def adopted(judged: Judged, answer: str) -> list[AdoptedProduct] | None:
    """Find those of the shop that the report shows; `None` where nobody looked."""
    return cast("list[AdoptedProduct] | None", judged.others.get(ADOPTION, {}).get(answer))
