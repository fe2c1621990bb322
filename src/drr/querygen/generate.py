"""Generates questions as work of a study: a seeded sample of shoppers, and one unit for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

from drr.env.entities import Product, User
from drr.env.errors import DrrError
from drr.env.profile import build_profile
from drr.env.query import Constraints, Query
from drr.env.records.lines import one_line
from drr.env.shop import Shop
from drr.env.statistics import UserStatistics
from drr.llm.factory import Models
from drr.llm.names import OFFLINE
from drr.llm.prompts import Prompts
from drr.llm.role import Policy
from drr.querygen.asking import (
    DepartmentBrief,
    Draft,
    ForeignDraft,
    Mode,
    OwnKind,
    ShopperBrief,
    again_message,
    drafts_of,
    generic_messages,
    profile_messages,
    prompts_of_shop,
    records,
    tool_list,
)
from drr.querygen.checks import Checked
from drr.querygen.demands import demands_of
from drr.querygen.stock import Stock
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context

ROLE = "query_writer"
REFILLS = 5
"""The number of times that a shopper's rejected questions are written again."""
_TASK: dict[Mode, str] = {"profile": "writer_profile", "generic": "writer_generic"}


class WritingRules(NamedTuple):
    """The stand-in that writes questions under the `offline` model."""

    policy: Policy
    version: str
    """The version of the rules, in the key of every unit that they write."""


@dataclass(frozen=True)
class Writer:
    """The data that all units of one generation share."""

    shop: Shop
    models: Models
    prompts: Prompts
    mode: Mode
    count: int
    """The number of questions for each shopper."""
    max_tokens: int
    rules: WritingRules

    @property
    def _foreign(self) -> bool:
        return any(self.shop.manifest.asked_in.values())

    @cached_property
    def own_prompts(self) -> Prompts:
        return prompts_of_shop(self.prompts, self.shop.manifest)

    @property
    def prompt_hash(self) -> str:
        """Return the hash of all that the writer reads besides the shopper: both prompts and the tools."""
        prompts = self.own_prompts
        parts = [prompts["writer_system"].sha256, prompts[_TASK[self.mode]].sha256, tool_list()]
        return sha256("\0".join(parts).encode()).hexdigest()

    def units(self, users: Sequence[Sampled]) -> list[Unit]:
        departments = sorted(self.shop.catalog.categories())
        return [self._unit(place, user, departments) for place, user in enumerate(users)]

    def refills(self, first: Sequence[Unit], written: Sequence[Checked]) -> list[Unit]:
        """Return units that write as many questions again as the checks rejected, for each shopper whose unit was done."""
        by_user: dict[str, list[Checked]] = {}
        for row in written:
            by_user.setdefault(row.query.user_id, []).append(row)
        found = list[Unit]()
        for unit in first:
            rows = by_user.get(unit.spec["user_id"], [])
            lacking = self.count - sum(not row.failed for row in rows)
            if not rows or lacking <= 0:
                continue
            before = [
                {
                    "query": row.query.query,
                    "failed": "; ".join(f"{name}: {why}" for name, why in row.failed.items()),
                }
                for row in rows
            ]
            own = {"count": lacking, "before": before}
            fields = {**unit.key_fields, **own, "again": self.prompts["writer_again"].sha256}
            label = f"{unit.label} \u00b7 {len(before)} before"
            found.append(Unit("generation", fields, {**unit.spec, **own}, label))
        return found

    def _unit(self, place: int, user: Sampled, departments: Sequence[str]) -> Unit:
        model = self.models.name_of(ROLE)
        fields: dict[str, object] = {
            "mode": self.mode,
            "user_id": user.user_id,
            "count": self.count,
            "shop": self.shop.manifest.content_hash,
            "model": model,
            "prompt": self.prompt_hash,
            "max_tokens": self.max_tokens,
        }
        if model == OFFLINE:
            fields["rules"] = self.rules.version
        if self.mode == "generic":
            fields["department"] = departments[place % len(departments)]
            fields["batch"] = place // len(departments)
        spec: dict[str, object] = {
            name: fields[name] for name in ("user_id", "department", "batch") if name in fields
        }
        return Unit("generation", fields, spec, f"{user.user_id} · {self.mode}")

    async def work(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        as_of = self.shop.manifest.as_of
        count, before = spec.get("count", self.count), spec.get("before", ())
        profile_hash: str | None = None
        brief: ShopperBrief | DepartmentBrief
        if self.mode == "profile":
            profile = build_profile(self.shop.store, spec["user_id"], as_of, self.shop.manifest.money)
            profile_hash = profile.sha256
            unsold = before and all("answerable:" in row["failed"] for row in before[: self.count])
            owned = self.shop.store.products([one.product_id for one in records(profile)])
            kinds = _kinds(owned) if unsold or self._foreign else None
            brief = ShopperBrief(profile, count, len(before), kinds, self.shop.manifest.money)
            messages = profile_messages(self.own_prompts, brief)
        else:
            place = spec["department"], spec["batch"]
            kinds = _kinds(Stock(self.shop).of_category(place[0])) if self._foreign else None
            brief = DepartmentBrief(*place, count, len(before), self.shop.manifest.money, kinds)
            messages = generic_messages(self.own_prompts, brief, as_of)
        if before:
            messages = [*messages, again_message(self.prompts, count, before)]
        context.replaying()
        model = context.models.role(ROLE, self.rules.policy)
        foreign = bool(self.shop.manifest.foreign_language) and not model.rule_written
        form = ForeignDraft if foreign else Draft
        drafts = await model.structured(messages, drafts_of(count, form), brief=brief)
        queries = [
            self._query(draft, spec["user_id"], profile_hash, model.name, model.rule_written)
            for draft in drafts.queries
        ]
        return Outcome(
            {"queries": [query.model_dump(mode="json") for query in queries]},
            {"prompt": "\n\n".join(message.text for message in messages)},
        )

    def _query(
        self, draft: Draft, user_id: str, profile_hash: str | None, model: str, rule_written: bool
    ) -> Query:
        text, manifest = one_line(" ".join(draft.query.split()), 4000), self.shop.manifest
        own = {**manifest.asked_in, **({"language": None} if rule_written else {})}
        stated = draft.limits.model_dump() if isinstance(draft, ForeignDraft) else {}
        query = Query(
            query=text,
            user_id=user_id,
            mode=self.mode,
            rationale=draft.rationale,
            tools=draft.tools,
            web_need=draft.web_need or None,
            intent=draft.intent,
            needs=draft.needs,
            facts_used=draft.facts_used,
            constraints=Constraints(**stated),
            profile_hash=profile_hash,
            shop_hash=manifest.content_hash,
            model=model,
            prompt_hash=self.prompt_hash,
            rule_written=rule_written,
            **own,
        )
        query.constraints = demands_of(query)
        return query


def _kinds(products: Sequence[Product]) -> dict[str, OwnKind]:
    """Return the kinds of products. A category's own name is one; no word is cut from a name or a title."""
    found = dict[str, OwnKind]()
    for one in products:
        if one.price and one.categories and '"' not in (name := one.categories[-1]):
            earlier = found[name].products if name in found else ()
            found[name] = OwnKind(one.price, (*earlier, one.product_id))
    return found


def written_queries(study: Study, units: Sequence[Unit]) -> list[Query]:
    """Return the queries of the done units, in the order of the sample."""
    found: list[Query] = []
    for unit in units:
        record = study.record(unit.key)
        if record is not None and record.done:
            found += [Query.model_validate(raw) for raw in record.result["queries"]]
    return found


_OVERSAMPLE = 20


class Sampled(NamedTuple):
    user_id: str
    category: str
    """The category of most of the user's orders."""
    activity: str
    """The user's number of orders compared with the other candidates: few, some or many."""


def sample_users(shop: Shop, count: int, *, seed: int, min_orders: int) -> list[Sampled]:
    """Sample users in turn from each (category, activity) group, or fewer than `count` where the shop has no more."""
    candidates = drawn_users(shop, count * _OVERSAMPLE, seed=seed, min_orders=min_orders)
    return _spread(_grouped(shop, candidates), count)


def drawn_users(shop: Shop, count: int, *, seed: int, min_orders: int) -> list[str]:
    """Return a seeded sample of users, the same on every backend; fewer than `count` if the shop has no more."""
    users = shop.store.sample_users(count, seed=seed, min_orders=min_orders)
    if not users:
        raise DrrError(
            f"{shop.spec}: no user has {min_orders} orders; lower --min-orders (`drr shop info` shows orders per user)"
        )
    return users


def named_user(shop: Shop, user_id: str) -> User:
    user = shop.store.user(user_id)
    if user is None:
        raise DrrError(
            f"{shop.spec}: no user {user_id!r}; ids are 28 characters, `drr shop info` counts users"
        )
    return user


def named_users(shop: Shop, users: Sequence[str], *, min_orders: int) -> list[Sampled]:
    """Return the users with these ids. All must exist and have enough orders."""
    for user_id in users:
        named_user(shop, user_id)
        orders = shop.store.orders(user_id, limit=1).total
        if orders < min_orders:
            raise DrrError(
                f"user {user_id} has {orders} orders and --min-orders is {min_orders}: too few to write from; lower it or "
                "choose another user"
            )
    return _grouped(shop, users)


def _grouped(shop: Shop, users: Sequence[str]) -> list[Sampled]:
    found: list[tuple[str, UserStatistics]] = []
    for user_id in users:
        statistics = shop.store.statistics(user_id)
        if statistics is not None and statistics.by_category:
            found.append((user_id, statistics))
    counts = sorted(statistics.orders for _, statistics in found)
    low, high = (counts[len(counts) * k // 3] for k in (1, 2)) if counts else (0, 0)
    return [
        Sampled(
            user_id,
            statistics.by_category[0].name,
            "few" if statistics.orders <= low else "some" if statistics.orders <= high else "many",
        )
        for user_id, statistics in found
    ]


def _spread(users: Sequence[Sampled], count: int) -> list[Sampled]:
    """Choose users with categories in turn, and activities in turn within a category."""
    groups: dict[str, dict[str, list[Sampled]]] = {}
    for user in users:
        groups.setdefault(user.category, {}).setdefault(user.activity, []).append(user)
    queues = [_interleaved(list(groups[name].values())) for name in sorted(groups)]
    return _interleaved(queues)[:count]


def _interleaved(queues: Sequence[Sequence[Sampled]]) -> list[Sampled]:
    longest = max(map(len, queues), default=0)
    return [queue[place] for place in range(longest) for queue in queues if place < len(queue)]
