"""Calls the tools of a bundle's answers again, and compares the shop's results with the recorded results."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from drr.app.bundles.answers import is_ours
from drr.app.bundles.findings import BundleFindings
from drr.citations.addresses import canonical_url
from drr.citations.parse import parse
from drr.citations.repair import dangling_ids, remove, unknown_urls, with_addresses
from drr.env.errors import DrrError, Misuse
from drr.env.json_object import JsonObject
from drr.env.settings import resolve
from drr.env.shop import Shop
from drr.env.shop_world import USER_TOOLS, ShopRealm, open_realm
from drr.env.source import text_hash
from drr.env.web.made_web import with_own_web
from drr.env.web.sandbox import open_sandbox
from drr.env.world import Site, is_paged
from drr.eval.evidence.answers import AnswerEvidence, answer_of
from drr.eval.tasks.desk import profile_text
from drr.study.study import Study
from drr.study.unit import Record, canonical_json
from drr.tools import registry
from drr.tools.base import ToolContext, ToolError

_SUMMARIES = "+ws"
_PASSING = frozenset({"timeout", "unavailable"})
"""Kinds of tool errors that need not occur again when a call is repeated."""
_SHOP_TOOLS = {*USER_TOOLS, "product_catalog_search", "get_product_details"}


def shop_as_stated(
    stated: JsonObject, shop: str, given: Mapping[str, object], study: Study
) -> AbstractContextManager[ShopRealm]:
    """Return a context with the named shop, opened under the address and the search that the bundle states.

    Where no web is named, it is the one made with the shop, or the one in the box if the answers were found there.
    """
    plain = {name: stated[name] for name in ("shop_url", "search") if isinstance(stated.get(name), str)}
    try:
        settings = resolve({**plain, **given}).settings
    except Misuse as error:  # mostly caused by the bundle's own settings
        raise DrrError(str(error)) from error
    if settings.sandbox is None and open_sandbox().content_hash not in _played_webs(study):
        settings = with_own_web(settings, shop)
    return open_realm(Site(settings=settings, shop=shop))


def _played_webs(study: Study) -> set[str]:
    """Return the hashes of the webs in which the bundle says that its answers were found."""
    webs = (record.key_fields.get("web") for record in study.records("answer", None))
    return {str(web.get("content_hash")) for web in webs if isinstance(web, dict)}


def check_shop_is_theirs(study: Study, realm: ShopRealm) -> None:
    """Raise `Misuse` where the named shop is not the shop of the bundle."""
    own = [one for one in study.records("answer", None) if not one.made_elsewhere]
    for records in (own, study.records("judgement", None)):
        if hashes := {record.key_fields.get("shop") for record in records} - {None}:
            if realm.shop.manifest.content_hash not in hashes:
                raise Misuse(f"{realm.shop.spec}: is another shop than that of the bundle; name that one")
            return


def check_tools(study: Study, realm: ShopRealm, found: BundleFindings) -> None:
    """Repeat the tool calls of every answer in order, in a session of its own, and add differences to `found`."""
    for record in study.records("answer", None):
        if record.made_elsewhere:
            continue
        with found.unless_broken("tools", record.label):
            called = {call["name"] for call in record.result.get("tool_calls") or ()}
            if record.key_fields.get("shop"):
                texts = [study.text(record, name) or "" for name in ("report", "raw_report")]
                pages = realm.shop.shop_url, realm.shop.known_ids
                cited = {canonical_url(one.url) for text in texts for one in parse(text, *pages).sources}
                asyncio.run(_Replay(record, realm, found).run(cited))
                if record.done and is_ours(record):
                    _check_repair(study, record, realm.shop, found)
            elif called & _SHOP_TOOLS:
                found.fail("tools", record.label, "called tools of a shop, and its key names none")


def _check_repair(study: Study, record: Record, shop: Shop, found: BundleFindings) -> None:
    """Check a report by removing made-up citations from the raw report again, where code alone removed them."""
    fields = record.key_fields
    if fields.get("citation_repair") != "remove" or fields["shop"] != shop.manifest.content_hash:
        return
    returned = AnswerEvidence(answer_of(study, record, {}), None).resolves
    pages = shop.shop_url, shop.known_ids
    raw = study.text(record, "raw_report") or ""
    made_up = unknown_urls(parse(raw, *pages), returned)
    report = with_addresses(raw, returned, *pages)
    if made_up or dangling_ids(parse(report, *pages)):
        report = remove(report, made_up, *pages)
    if report != study.text(record, "report"):
        found.fail("report", record.label, "is not what was written without its made-up citations")


class _Replay:
    """Repeats the tool calls of one answer."""

    def __init__(self, record: Record, realm: ShopRealm, found: BundleFindings) -> None:
        self._record, self._found = record, found
        fields = record.key_fields
        user = fields.get("user_id")
        world = realm.strangers_world(record.spec) if user is None else realm.world(record.spec)
        own: Mapping[str, Any] = world.key_fields()
        self._other = {
            one
            for one in ("shop", "web", "search")
            if canonical_json(own.get(one)) != canonical_json(fields.get(one))
        }
        self._context = ToolContext(world, int(fields.get("top_k", 5)), asked=record.spec["query"])
        self._seen: dict[tuple[str, str], set[tuple[str | None, str | None]]] = {}
        """Titles of returned sources with hashes of the shop's records, by address and text hash."""
        if user is not None:  # some agents are told the profile beforehand
            self._seen[f"user://{user}/profile", text_hash(profile_text(realm.shop, user))] = set()
        self._whole = True

    async def run(self, cited: Collection[str]) -> None:
        own = self._record.key_fields.get("own_tools") or {}
        for call in self._record.result.get("tool_calls") or ():
            if call["name"] in own:
                self._whole = False
                what = f"{call['name']}: is a tool of its author's own, which is not run here"
                self._found.skip("tools", self._record.label, what)
            if call["name"] in registry.TOOLS and not (call.get("error") and call.get("kind") != "api"):
                await self._call(call)
        if "web" not in self._other:
            await self._check_pages(cited)
        if self._whole:
            self._check_sources()

    async def _call(self, call: Mapping[str, Any]) -> None:
        if why := self._cannot(call):
            self._whole &= bool(call.get("error"))  # a failed call returned no source
            self._found.skip("tools", self._record.label, f"{call['name']}: {why}")
            return
        self._found.checked["calls of tools"] += 1
        # Short listings of earlier versions did not depend on the question.
        for context in (self._context, replace(self._context, asked="")):
            try:
                answer = await registry.call(call["name"], call["arguments"], context)
                text = answer.text
                for source in answer.sources:
                    behind = None if source.record is None else text_hash(canonical_json(source.record))
                    place = source.url, text_hash(source.seen)
                    self._seen.setdefault(place, set()).update({(source.title, behind), (None, behind)})
            except ToolError as error:
                text = error.text
            if text_hash(text) == call["result_sha256"]:
                break
        else:
            what = f"call {call['number']}, {call['name']}: the shop returns something else"
            self._found.fail("tools", self._record.label, what)

    def _cannot(self, call: Mapping[str, Any]) -> str:
        """Return the reason why a call cannot be repeated; empty where it can."""
        name, kind = call["name"], (call.get("error") or {}).get("kind")
        if kind in _PASSING:
            return f"ended as {kind}"
        if name == "web_search" and _SUMMARIES in str(self._record.spec["variant"]):
            return "its pages were summarised by a model"
        if name == "web_search" and "web" in self._other:
            return "was searched on another web"
        if name == "product_catalog_search" and "search" in self._other:
            return "was searched in another way"
        changed = [row["field"] for row in self._record.result.get("state_changes") or ()]
        if "service" in self._record.spec:
            return "was made in a talk, which nobody plays any more"
        if name in USER_TOOLS and changed:
            return "the shopper's records were changed meanwhile"
        return "was called on another shop" if "shop" in self._other else ""

    async def _check_pages(self, cited: Collection[str]) -> None:
        """Read the cited pages again and compare them; a cited page that was not kept is a fault."""
        result, label = self._record.result, self._record.label
        for row in (*(result.get("sources") or ()), *(result.get("fabricated") or ())):
            where = row["url"][:80]
            if is_paged(row.get("type", "web")) and row["page_status"] is not None:
                page = await self._context.world.web.read(row["url"])
                behind = None if page.markdown is None else text_hash(page.markdown)
                if (page.status, behind) != (row["page_status"], row["page_sha256"]):
                    self._found.fail("evidence", label, f"{where}: the web has another page")
            elif row.get("type") == "web" and self._record.done and canonical_url(row["url"]) in cited:
                self._found.fail("evidence", label, f"{where}: is cited, and its page is left out")

    def _check_sources(self) -> None:
        for number, row in enumerate(self._record.result.get("sources") or (), 1):
            known = self._seen.get((row["url"], row["sha256"]))
            if known is None or (known and (row["title"], row["record_sha256"]) not in known):
                what = f"source {number}: the shop has it, its title or its record otherwise"
                self._found.fail("evidence", self._record.label, what)
