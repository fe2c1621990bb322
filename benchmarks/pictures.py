"""Makes the pictures of README and guide from the folder of `make demo`: `python -m benchmarks.pictures [DEMO]`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from drr.app.commands.demo import worst_lie
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
SIZE = {"width": 1200, "height": 750}


def main(demo: Path) -> None:
    with TemporaryDirectory() as place, sync_playwright() as playwright:
        words = ("judges", "annotate", str(demo / "live"), "--bundle", place)
        few = ("--annotators", "1", "--pairs", "2", "--quiet")
        command = [sys.executable, "-m", "drr.app.cli", *words, *few]
        subprocess.run(command, check=True, capture_output=True)
        flags = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=which("chromium"), args=flags)
        shoot(browser, worst_lie(demo).page, "caught")
        shoot(browser, (Path(place) / "annotator-1.html").as_uri(), "annotation")
        browser.close()


def shoot(browser: Browser, address: str, name: str) -> None:
    page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
    page.goto(address)
    page.wait_for_timeout(300)
    path = ROOT / "docs" / "images" / f"{name}.png"
    page.screenshot(path=path)
    Image.open(path).quantize(128).save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1] if sys.argv[1:] else "demo"))
