"""A judge and a reader get the same text: what Chromium shows of a report on our page, and the requests about it."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest
from drr.app.pages.serve import STATIC
from drr.app.viewer.highlight import marked_html
from drr.citations.parse import parse
from drr.eval.asking.conversation import Section, conversation
from drr.eval.asking.forms import FoundClaims
from drr.eval.asking.safety import visible_text
from drr.eval.tasks.claim_extraction import extract_with_model
from playwright.sync_api import Page

from tests.security.hostile_reports import COUNT, hostile_reports

pytestmark = pytest.mark.browser
_SITE = re.compile(r"(\w+://)(?:[^/?#@]*@)?([\w.-]+)")
SHOWN = """() => [...document.querySelectorAll("main.report")].map(report => {
  for (const list of report.querySelectorAll("ol"))
    [...list.children].forEach((item, at) => item.prepend(`${list.start + at}. `))
  return [report.innerText, [...report.querySelectorAll("a")].filter(a => a.innerText.trim()).map(a => a.getAttribute("href") || "")]
})"""
"""What is shown, with the numbers that a page puts before the items of a list, and the addresses of its links."""


class _Listener:
    def __init__(self) -> None:
        self.requests: list[str] = []

    async def answer(self, asking: Any) -> FoundClaims:
        self.requests.append(asking.messages[1].text)
        return FoundClaims(claims=[])


async def asked_for_claims(report: str) -> list[str]:
    listener = _Listener()
    await extract_with_model(report, parse(report), cast(Any, listener), "Find the claims.")
    return listener.requests


def fenced(request: str, label: str) -> str:
    (found,) = re.findall(rf"<{label} (\w+)>\n(.*)\n</{label} \1>", request, re.DOTALL)
    return str(found[1])


def letters(text: str) -> str:
    return "".join(c for c in visible_text(text) if unicodedata.category(c)[0] in "LN")


def without_addresses(text: str, addresses: Iterable[str]) -> str:
    """Take the targets behind labels out of a request, whole or as the site."""
    for address in addresses:
        site = _SITE.match(address)
        for one in (address, f"{site[1]}{site[2]}" if site else address):
            text = text.replace(f"]({one})", "]", 1)
    return text


def test_what_chromium_shows_of_two_hundred_hostile_reports_is_what_a_judge_is_sent(
    page: Page, tmp_path: Path
) -> None:
    reports = list(hostile_reports())
    styles = "".join(f'<link rel="stylesheet" href="{STATIC / name}.css">' for name in ("look", "viewer"))
    drawn = "".join(f'<main class="report">{marked_html(one, ())}</main>' for one in reports)
    (tmp_path / "page.html").write_text(f'<!doctype html><meta charset="utf-8">{styles}{drawn}', "utf-8")
    page.goto((tmp_path / "page.html").as_uri())
    shown = page.evaluate(SHOWN)
    assert len(shown) == len({*reports}) == COUNT
    wrong = []
    for report, (text, addresses) in zip(reports, shown, strict=True):
        with ThreadPoolExecutor(1) as beside:  # Playwright keeps this thread's loop busy
            asked = beside.submit(asyncio.run, asked_for_claims(report)).result()
        rated = conversation("Rate it.", [Section("answer", report, report=True)])[1].text
        claimed = " ".join(fenced(one, "report") for one in asked)
        for read in (fenced(rated, "answer"), claimed):
            if letters(without_addresses(read, addresses)) != letters(text):
                wrong.append((report, text, read))
    assert not wrong, f"{len(wrong)}: {wrong[:3]}"
