"""The paper's page reader behind our protocol. crawl4ai is in no lock or extra of ours: it pulls in a fork of a package that
once shipped malware, so whoever wants it adds it at their own risk (`docs/tools.md`).

Only its HTML-to-markdown step is used, on HTML that the guarded fetcher brought: crawl4ai itself asks the network for nothing.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.web.readable import Readable


class Crawl4ai:
    def __init__(self) -> None:
        try:
            self._version = version("crawl4ai")
        except PackageNotFoundError:
            raise Misuse(
                "setting page_reader: crawl4ai is not installed; docs/tools.md says how to add it, or use trafilatura"
            ) from None

    @property
    def name(self) -> str:
        return f"crawl4ai/{self._version}"

    async def read(self, html: str, url: str) -> Readable:
        crawl4ai = import_module("crawl4ai")
        async with crawl4ai.AsyncWebCrawler() as crawler:
            result = await crawler.arun(url="raw:" + html)
        return from_result(result.model_dump() if hasattr(result, "model_dump") else dict(result))


def from_result(result: JsonObject) -> Readable:
    """The parts of a crawl result that count; its markdown was a string once and is an object now."""
    markdown = result.get("markdown") or ""
    if isinstance(markdown, dict):
        markdown = markdown.get("fit_markdown") or markdown.get("raw_markdown") or ""
    if not result.get("success", True):
        markdown = ""
    return Readable((result.get("metadata") or {}).get("title"), str(markdown))
