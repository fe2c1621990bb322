"""The way from a cited address to the frozen text it stands for. The type of a source comes from its address, never from a model."""

from __future__ import annotations

from collections.abc import Mapping

from drr.citations.addresses import canonical_url, host_of
from drr.citations.files import KnownPlaces
from drr.env.given import RECORDS, setting_of
from drr.env.shop import Shop
from drr.env.shop_world import as_returned, as_seen
from drr.env.source import Frozen, Source
from drr.env.web.base import Page
from drr.env.world import Holdings, is_paged, kinds_of, owner_of
from drr.eval.evidence.answers import Answer

NEVER_ASKED = "no tool returned this address, so it was never asked for; `drr judge STUDY --refetch --unknown` reads it now"


class Book:
    """The evidence of one answer. `refetched` are pages read now, by canonical address; they replace frozen ones."""

    def __init__(
        self,
        answer: Answer,
        shop: Shop | None,
        *,
        shop_hosts: frozenset[str] = frozenset(),
        refetched: Mapping[str, Page] | None = None,
    ) -> None:
        self.answer = answer
        self.shop = shop
        self._by_url: dict[str, list[Source]] = {}
        for source in answer.sources:
            self._by_url.setdefault(canonical_url(source.url), []).append(source)
        self._shown = {canonical_url(url) for source in answer.sources for url in source.addresses}
        self._files = KnownPlaces(self._by_url)
        self._made_up = {
            canonical_url(extra.url): Source(
                url=extra.url, type="web", seen="", page=extra.text, page_status=extra.status
            )
            for extra in answer.extras
        }
        holdings = Holdings(
            shop=shop,
            shop_hosts=shop_hosts,
            user_id=answer.user_id,
            withheld=not setting_of(answer.record.spec.get("setting") or RECORDS.name).has_records,
            changes=answer.state_changes,
            pages=refetched or {},
            folder=answer.study.folder,
            place=answer.study.config.get("run", {}).get("place"),
            spec=answer.record.spec,
        )
        self._refetched = refetched or {}
        self._kinds = kinds_of(holdings)
        self._by_name = {kind.name: kind for kind in self._kinds}
        self._hosts = self._hosts_by_kind()
        self._types: dict[str, str] = {}

    def type_of(self, url: str) -> str:
        """Type an address by itself; else as the tool said that returned it; else as its host's other addresses are."""
        if url not in self._types:  # each claim of a report asks again
            self._types[url] = self._type_of(canonical_url(url))
        return self._types[url]

    def _type_of(self, url: str) -> str:
        owner = owner_of(url, self._kinds)
        if not owner.paged:
            return owner.name
        known = self._by_url.get(url)
        if known and not is_paged(known[0].type):
            return known[0].type
        return self._hosts.get(host_of(url), owner.name)

    def resolves(self, url: str) -> bool:
        """Tell whether the address is a source: a tool returned it, or the shop has it. What nobody returned is made up.

        Of imported reports it is not known what was returned, so any address counts but that of a record that is not there.
        """
        if canonical_url(url) in self._shown or self._returned(canonical_url(url)):
            return True
        if self.answer.imported:
            return is_paged(self.type_of(url)) or self.page(url).status != "unreachable"
        return not is_paged(self.type_of(url)) and self.page(url).status == "ok"

    def page(self, url: str) -> Frozen:
        """Return what stands behind the address: the store's record, or the page as it was frozen."""
        url = canonical_url(url)
        name = self.type_of(url)
        returned = self._returned(url)
        kind = self._by_name.get(name)
        if kind is None:
            return as_returned(url, name, returned) or Frozen(
                url, name, "not_frozen", reason=f"nothing here can look up a source of the type {name}"
            )
        if kind.paged and url in self._made_up:
            made_up = self._made_up[url]
            if not returned and made_up.page_status is None and url not in self._refetched:
                return Frozen(url, name, "unreachable", reason=NEVER_ASKED)
            returned.append(made_up)
        return kind.text(url, returned)

    def seen(self, url: str) -> Frozen:
        """Return what the agent read of the address; one that no tool returned supports nothing."""
        url = canonical_url(url)
        return as_seen(url, self.type_of(url), self._returned(url))

    def _returned(self, url: str) -> list[Source]:
        """Collect what the tools gave of it. Of a place in a file, what they gave of places that it shares something with."""
        own = self._by_url.get(url)
        if own is not None:
            return list(own)
        return [source for known in self._files.meeting(url) for source in self._by_url[known]]

    def _hosts_by_kind(self) -> dict[str, str]:
        """Map hosts of web addresses that a tool returned as something else than a web page. The shop of an imported report."""
        found: dict[str, str] = {}
        for source in self.answer.sources:
            host = host_of(source.url) if source.url.lower().startswith("http") else ""
            if host and source.type in self._by_name and not is_paged(source.type):
                found.setdefault(host, source.type)
        return found
