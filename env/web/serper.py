"""The paper's search engine. The key comes from the settings and goes nowhere but into the request's header."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

from drr.env.web.base import WebHit, WebUnavailable
from pydantic import SecretStr

ENDPOINT = "https://google.serper.dev/search"
ATTEMPTS = 3
LONGEST_PAUSE = 8.0
_TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
Sleep = Callable[[float], Awaitable[None]]


class Serper:
    """The only layer that retries a search: three attempts within the deadline of the call."""

    name = "serper"

    def __init__(
        self,
        key: SecretStr | None,
        *,
        timeout: float = 20.0,
        endpoint: str = ENDPOINT,
        sleep: Sleep = asyncio.sleep,
        jitter: random.Random | None = None,
    ) -> None:
        self._key, self._timeout, self._endpoint = key, timeout, endpoint
        self._sleep, self._jitter = sleep, jitter or random.Random(0)

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        if self._key is None:
            raise WebUnavailable("there is no key for Serper; set SERPER_API_KEY")
        try:
            async with asyncio.timeout(self._timeout):
                return _hits(await self._ask(query, top_k, self._key.get_secret_value()), top_k)
        except TimeoutError:
            raise WebUnavailable(f"Serper gave no answer within {self._timeout:g} s") from None

    async def _ask(self, query: str, top_k: int, key: str) -> Any:
        import httpx

        problem = ""
        async with httpx.AsyncClient(timeout=self._timeout, follow_redirects=False) as client:
            for attempt in range(ATTEMPTS):
                if attempt:
                    await self._sleep(min(2**attempt * (0.25 + self._jitter.random() / 4), LONGEST_PAUSE))
                try:
                    reply = await client.post(
                        self._endpoint,
                        json={"q": query, "num": top_k},
                        headers={"X-API-KEY": key},
                    )
                except httpx.TransportError as error:
                    problem = f"connection failed ({type(error).__name__})"
                    continue
                if reply.status_code in _TRANSIENT:
                    problem = f"status {reply.status_code}"
                    continue
                if reply.status_code in (401, 403):
                    raise WebUnavailable(f"Serper refused the key (status {reply.status_code})")
                if reply.status_code != 200:
                    raise WebUnavailable(f"Serper answered with status {reply.status_code}")
                try:
                    return reply.json()
                except ValueError:
                    raise WebUnavailable("Serper answered with something that is not JSON") from None
        raise WebUnavailable(f"Serper failed {ATTEMPTS} times, last: {problem}")


def _hits(answer: Any, top_k: int) -> list[WebHit]:
    rows = answer.get("organic") if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        raise WebUnavailable("Serper answered without results in the known form")
    found = []
    for row in rows:
        link = row.get("link") if isinstance(row, dict) else None
        if not isinstance(link, str) or not link.lower().startswith(("http://", "https://")):
            continue
        dated = f"{row['date']} - " if isinstance(row.get("date"), str) else ""
        found.append(WebHit(str(row.get("title") or ""), link, dated + str(row.get("snippet") or "")))
    return found[:top_k]
