"""The viewer's pages say what the ledger says, are served to their owner only, and open from disk."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.cli import main
from app.viewer.reader import Reader
from app.viewer.site import site
from study.study import Study


@pytest.fixture(scope="module")
def reader(judged_study: Path) -> Reader:
    reader = Reader(Study.open(judged_study))
    reader.measure()
    return reader


def test_the_index_has_every_answer_with_its_own_precision(reader: Reader) -> None:
    entries = reader.entries()
    assert len(entries) == 12
    assert all(entry.status == "done" and entry.fp is not None and 0 <= entry.fp <= 1 for entry in entries)


def test_the_reports_precision_averages_to_the_headline(reader: Reader, judged_study: Path) -> None:
    from eval.metrics import study_document

    with Study.open(judged_study) as study:
        headline = study_document(study)["metrics"]["react"]["fp"]["value"]
    own = [entry.fp for entry in reader.entries() if entry.variant == "react" and entry.fp is not None]
    assert sum(own) / len(own) == pytest.approx(headline)


def test_claims_stand_where_they_are_quoted_and_their_passages_hold_the_support(reader: Reader) -> None:
    entry = next(entry for entry in reader.entries() if entry.variant == "react+ws")
    view = reader.report(entry.key)
    assert view is not None
    assert view.claims
    supported = 0
    for claim in view.claims:
        assert view.report[claim.start : claim.end].strip()
        for verdict in claim.verdicts:
            for passage in verdict.passages:
                for start, end in passage.spans:
                    supported += 1
                    assert passage.text[start:end].strip()
    assert supported > 3
    brought = [source for source in view.sources if source.call is not None]
    calls = {call.number: call for call in view.calls}
    assert brought
    for source in brought:
        assert source.call is not None
        assert source.url in calls[source.call].result


def test_pages_answer_only_to_the_token_and_only_from_this_study(reader: Reader) -> None:
    entry = reader.entries()[0]
    with TestClient(site(reader, "secret-token", 8124), base_url="http://127.0.0.1:8124") as client:
        assert client.get("/index.html").status_code == 403
        assert client.get("/?token=secret-token").status_code == 200
        assert client.get(f"/r/{entry.key}.html").status_code == 200
        assert client.get(f"/q/{entry.query_id}.html").status_code == 200
        for wrong in (
            "/r/zzz.html",
            "/q/zzz.html",
            "/p/" + "0" * 64 + ".html",
            "/p/..%2f..%2fledger.sqlite.html",
            "/x/y.html",
        ):
            assert client.get(wrong).status_code == 404
        assert client.get("/static/..%2f..%2fserve.py").status_code == 404
        assert client.get("/live.json").status_code == 200


def test_a_frozen_page_is_shown_as_text(reader: Reader) -> None:
    views = [reader.report(entry.key) for entry in reader.entries() if entry.variant == "react+ws"]
    pages = [source.page for view in views if view is not None for source in view.sources if source.page]
    assert pages
    text = reader.page(pages[0])
    assert text is not None
    assert len(text) >= 200


def test_the_static_folder_is_complete_and_small(judged_study: Path, tmp_path: Path) -> None:
    out = tmp_path / "pages"
    assert main(["view", str(judged_study), "--static", str(out), "--quiet"]) == 0
    assert len(list((out / "r").glob("*.html"))) == 12
    assert max(path.stat().st_size for path in (out / "r").glob("*.html")) <= 150_000
    for page in out.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r'(?:href|src)="([^"#]+)', text):
            if not target.startswith(("http://", "https://", "user://")):
                assert (page.parent / target).is_file(), f"{page.name} leads to {target}"
        assert "Content-Security-Policy" in text
    again = tmp_path / "other"
    again.mkdir()
    (again / "mine.txt").write_text("x", encoding="utf-8")
    assert main(["view", str(judged_study), "--static", str(again), "--quiet"]) == 2
