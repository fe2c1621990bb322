"""A real Chromium, driven by Playwright. Absent, the tests skip and say why; CI (DRR_REQUIRE_BROWSER=1) may not skip."""

from __future__ import annotations

import os
from collections.abc import Iterator
from shutil import which

import pytest
from playwright.sync_api import Browser, Page, sync_playwright


@pytest.fixture(
    scope="module"
)  # Playwright keeps an event loop running, which would be in the way of other tests
def browser() -> Iterator[Browser]:
    program = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := which(name))), None
    )
    if program is None:
        if os.environ.get("DRR_REQUIRE_BROWSER"):
            pytest.fail(
                "no Chromium found, and DRR_REQUIRE_BROWSER forbids skipping: install Debian's `chromium`"
            )
        pytest.skip("no Chromium found: install Debian's `chromium` to run the browser tests")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ],
        )
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page that fails its test on any script error, dialog (an injected script at work), or outside request."""
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(f"script error: {error}"))
    page.on("dialog", lambda dialog: (trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))

    def watch(url: str) -> None:
        if not url.startswith(("http://127.0.0.1:", "file://", "data:", "blob:", "about:")):
            trouble.append(f"outside request: {url}")

    page.on("request", lambda request: watch(request.url))
    yield page
    context.close()
    assert trouble == []
