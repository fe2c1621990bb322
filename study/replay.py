"""A unit's way until it was stopped. The answers of models and the web, given again in place of asking again.

Every answer is saved as it comes. When the unit is begun again, whoever asks the same is answered from what was saved, in the
order in which it came, so that the work comes to where it was without paying for any of it twice, and goes on from there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from hashlib import sha256

from drr.env.web.base import Page, WebHit, WebSearch
from drr.llm.journal import PaidAnswer
from drr.study.unit import WAY


class Replay:
    """A `Journal` over what was saved of one unit."""

    def __init__(
        self, saved: Mapping[str, bytes], save: Callable[[str, str], None], *, usable_only: bool = False
    ) -> None:
        self.usable_only = usable_only
        self._saved = saved
        self._save = save
        self._asked: Counter[str] = Counter()

    def next(self, request: str) -> PaidAnswer | None:
        text = self.next_text(request)
        return None if text is None else PaidAnswer.read(text)

    def add(self, request: str, answered: PaidAnswer) -> None:
        self.add_text(request, answered.text())

    def next_text(self, request: str) -> str | None:
        text = self._saved.get(f"{WAY}{request}:{self._asked[request]}")
        if text is None:
            return None
        self._asked[request] += 1
        return text.decode("utf-8")

    def add_text(self, request: str, text: str) -> None:
        number = self._asked[request]
        self._asked[request] += 1
        self._save(f"{WAY}{request}:{number}", text)


class ReplayedWeb:
    """A live web whose searches are given again as they came. Pages that were read are kept by the web itself."""

    def __init__(self, web: WebSearch, replay: Replay) -> None:
        self._web = web
        self._replay = replay

    @property
    def name(self) -> str:
        return self._web.name

    @property
    def content_hash(self) -> str | None:
        return self._web.content_hash

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        request = sha256(json.dumps(["web_search", query, top_k]).encode()).hexdigest()
        before = self._replay.next_text(request)
        if before is not None:
            return [WebHit(*row) for row in json.loads(before)]
        hits = await self._web.search(query, top_k)
        self._replay.add_text(request, json.dumps(hits))
        return hits

    async def read(self, url: str) -> Page:
        return await self._web.read(url)
