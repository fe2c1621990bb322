"""An answer to be rewarded: its form and report, with what its tools returned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from drr.citations.addresses import canonical_url
from drr.citations.links import scan
from drr.env.checkable import (
    Checkable,
    asks_for_findable,
    same_figure,
)
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.query import Query
from drr.env.source import Source
from drr.eval.asking.seen import seen_text
from drr.eval.report_lists import ReportLists
from drr.eval.rewards.answer_forms import AnswerForm, Form, PointsForm
from drr.wording.currency import DOLLARS
from drr.wording.money import without_foreign


def truth_of(query: Query) -> Checkable:
    """Return what code can check about a question. `Misuse` where the question has nothing to check."""
    truth = query.checkable
    if not asks_for_findable(truth):
        raise Misuse(
            f"question {query.id}: has nothing to be found that code can check, so it cannot be trained on; "
            "`drr queries generate --checkable` makes such questions"
        )
    return truth


@dataclass(frozen=True)
class Rewarded:
    """An answer with the truth about its question and with what its tools returned."""

    query: Query
    report: str
    form: Form | None
    sources: Sequence[Source]

    @cached_property
    def truth(self) -> Checkable:
        return truth_of(self.query)

    @cached_property
    def records(self) -> dict[str, JsonObject]:
        """Return the records of the products that the tools returned, by id. A row of a search lacks what the whole record has."""
        found: dict[str, JsonObject] = {}
        for one in self.sources:
            if one.type == "product" and one.record:
                known = found.setdefault(str(one.record["product_id"]), {})
                known.update(one.record)
        return found

    @cached_property
    def prices(self) -> dict[str, float | None]:
        """Return the prices of the products that the tools returned, by id."""
        return {one: record["price"] for one, record in self.records.items()}

    @cached_property
    def returned(self) -> dict[str, str]:
        """Map canonical addresses that the tools returned to the id of the product there, if any."""
        return {
            canonical_url(one.url): str(one.record["product_id"])
            if one.type == "product" and one.record
            else ""
            for one in self.sources
        }

    @cached_property
    def cited(self) -> set[str]:
        return {canonical_url(link.url) for link in scan(self.report).links}

    @cached_property
    def lists(self) -> ReportLists:
        # `$12.50` says nothing of a price in a shop of euros.
        return ReportLists(without_foreign(seen_text(self.report)[0], self.query.currency or DOLLARS.code))

    @cached_property
    def listed(self) -> list[str]:
        """Return the products under the report's heading `Picks`, by id."""
        return list(dict.fromkeys(self.ids(one.url for one in self.lists.picks or ())))

    @cached_property
    def picks(self) -> list[str]:
        """Return the picked products by id, each once. A pick that no tool returned stays as written."""
        if self.form is None:
            return self.listed
        if isinstance(self.form, PointsForm):
            return list(dict.fromkeys(self.ids(p.product for one in self.form.points for p in one.picks)))
        return list(dict.fromkeys(self.ids(self.form.picks if isinstance(self.form, AnswerForm) else ())))

    @cached_property
    def recommended(self) -> frozenset[str]:
        """Return the picks, or all cited products where the answer has neither a form nor a heading `Picks`."""
        is_named = self.form is not None or self.lists.picks is not None
        return frozenset(self.picks if is_named else filter(None, map(self.returned.get, self.cited)))

    def ids(self, named: Iterable[str | None]) -> list[str]:
        """Return the ids of products that are named by id or address."""
        return [self.returned.get(canonical_url(one)) or one for one in named if one]

    def pages(self, product: str) -> set[str]:
        """Return the addresses at which the tools returned a product."""
        return {url for url, one in self.returned.items() if one == product}

    def holders(self, value: float | str, sources: Iterable[str]) -> set[str]:
        """Return the returned addresses that hold a figure. An order's product holds it at that price."""
        wanted = set(map(canonical_url, sources)) & self.returned.keys()
        ordered = {
            str(one.record["product_id"])
            for one in self.sources
            if one.record and "order_id" in one.record and canonical_url(one.url) in wanted
        }
        return wanted.union(*(self.pages(one) for one in ordered if same_figure(value, self.prices.get(one))))

    def prices_beside(self) -> int:
        """Count the listed picks beside whose link another price stands."""
        ids = [self.ids([one.url]) for one in self.lists.picks or ()]
        return self.lists.wrong_prices([self.prices.get("".join(one)) for one in ids])
