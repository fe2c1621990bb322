"""A real Chromium, driven by Playwright. Absent, the tests skip and say why; CI (DRR_REQUIRE_BROWSER=1) may not skip."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn
from drr.app.pages.serve import bind

if TYPE_CHECKING:  # this file is read by every lane
    from playwright.sync_api import Browser, Page


def drr(*words: str | Path) -> None:
    """Run a command in a process of its own: Playwright keeps this one's event loop busy."""
    command = [sys.executable, "-m", "drr.app.cli", *map(str, words)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)


def imported(home: Path, rows: Iterable[object], what: str) -> Path:
    """Write reports of others into a study that is judged by rules."""
    (home / "reports.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    drr("import", home / "study", home / "reports.jsonl")
    drr("judge", home / "study", "--judge", "offline", "--what", what, "--quiet")
    return home / "study"


@contextmanager
def serving(made: Callable[[int], Any], port: int = 0) -> Iterator[int]:
    """Serve what is made for the port, which is told."""
    listener = bind(port)
    port = listener.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(made(port), log_level="error"))
    thread = Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join()


FLAGS = ("no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
         "disable-component-update", "disable-sync")  # fmt: skip


@pytest.fixture(scope="module")  # Playwright keeps an event loop running, which would be in the way of others
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        told = "no Chromium found: install Debian's `chromium`"
        (pytest.fail if os.environ.get("DRR_REQUIRE_BROWSER") else pytest.skip)(told)
    with sync_playwright() as playwright:
        args = [f"--{flag}" for flag in FLAGS]
        browser = playwright.chromium.launch(executable_path=program, args=args)
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
