"""Makes the pictures of the README and of the guide from the folder of `make demo`: `python -m benchmarks.pictures [DEMO]`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

IMAGES = Path(__file__).parents[1] / "docs" / "images"
SIZE = {"width": 1200, "height": 750}


def main(demo: Path) -> None:
    answer = next(page for page in sorted((demo / "study" / "viewer" / "r").glob("*.html")) if "react+ws" in page.read_text("utf-8")[:4000])  # fmt: skip
    with TemporaryDirectory() as place, sync_playwright() as playwright:
        study = str(demo / "study" / "study")
        words = [
            "judges",
            "annotate",
            study,
            "--bundle",
            place,
            "--annotators",
            "1",
            "--pairs",
            "2",
            "--quiet",
        ]
        subprocess.run([sys.executable, "-m", "drr.app.cli", *words], check=True, capture_output=True)
        flags = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=which("chromium"), args=flags)
        shoot(browser, answer, "viewer-report", ".report li mark[data-claim]")
        shoot(browser, Path(place) / "annotator-1.html", "annotation", None)
        browser.close()


def shoot(browser: Browser, file: Path, name: str, clicked: str | None) -> None:
    page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
    page.goto(file.as_uri())
    if clicked:
        page.locator(clicked).first.click()
    page.wait_for_timeout(300)
    path = IMAGES / f"{name}.png"
    page.screenshot(path=path)
    Image.open(path).quantize(128).save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1] if sys.argv[1:] else "demo"))
