"""The viewer's pages say what the ledger says, are served to their owner only, and open from disk."""

from __future__ import annotations

import errno
import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import Pages
from drr.app.viewer.site import ServedReport, site
from drr.study.study import Study
from starlette.testclient import TestClient

from tests.entering import entered
from tests.tampering import tampered


@pytest.fixture(scope="module")
def reader(judged_study: Path) -> Reader:
    reader = Reader(Study.open(judged_study))
    reader.measure()
    return reader


def test_the_index_has_every_answer_with_its_own_precision(reader: Reader) -> None:
    entries = reader.entries()
    assert len(entries) == 12
    assert {entry.status for entry in entries} == {"done"}
    assert all(0 <= (entry.scores["fp"] or 0.0) <= 1 and entry.scores["fp"] is not None for entry in entries)


def test_the_reports_precision_averages_to_the_headline(reader: Reader, judged_study: Path) -> None:
    from drr.eval.metrics.document import study_document

    with Study.open(judged_study) as study:
        headline = study_document(study)["metrics"]["react"]["fp"]["value"]
    found = [entry.scores["fp"] for entry in reader.entries() if entry.variant == "react"]
    own = [value for value in found if value is not None]
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


def test_evidence_is_named_as_the_report_numbers_it_and_records_show_their_passage(reader: Reader) -> None:
    pages, marked = Pages("study", served=False), 0
    for entry in reader.entries():
        view = reader.report(entry.key)
        assert view is not None
        by_code = [
            v for c in view.claims for v in c.verdicts if v.judge.startswith("code") and v.status == "full"
        ]
        assert all(v.passages or v.missing for v in by_code)
        marked += sum(bool(passage.spans) for v in by_code for passage in v.passages)
        page = pages.report(view)
        for number, url in re.findall(r"^\[(\d+)\].*?(http\S+)$", view.report, re.MULTILINE):
            place = next(s.number for s in view.sources if s.url == url)
            assert re.search(rf'id="source-{place}"><details><summary>\[{number}\] ', page)
    assert marked


def test_each_source_stands_once_with_how_often_it_was_returned(reader: Reader) -> None:
    returned = 0
    for entry in reader.entries():
        view = reader.report(entry.key)
        assert view is not None
        urls = [source.url for source in view.sources]
        assert len(set(urls)) == len(urls)
        assert [source.number for source in view.sources] == list(range(1, len(urls) + 1))
        results = {call.number: call.result for call in view.calls}
        for source in view.sources:
            assert len(set(source.calls)) == len(source.calls)
            assert all(source.url in results[number] for number in source.calls)
        most = max(view.sources, key=lambda source: len(source.calls))
        returned = max(returned, len(most.calls))
        if len(most.calls) > 1:
            assert f"returned {len(most.calls)} times" in Pages("s", served=False).report(view)
    assert returned > 1


def test_rule_values_and_passages_are_told_as_people_read_them(reader: Reader) -> None:
    cut = 0
    for entry in reader.entries():
        view = reader.report(entry.key)
        assert view is not None
        assert view.rules
        assert not [rule.value for rule in view.rules if "{" in rule.value or "'" in rule.value]
        frozen = [text for source in view.sources for text in source.seen]
        for passage in (p for c in view.claims for v in c.verdicts for p in v.passages):
            begun, ended = passage.text.startswith("…"), passage.text.endswith("…")
            cut += begun + ended
            inner = passage.text.strip("…")
            for text in (one for one in frozen if inner in one):
                at = text.index(inner)
                assert begun or not text[:at].strip()
                assert at == 0 or text[at - 1].isspace() or inner[:1].isspace()
    assert cut


def test_a_study_that_lost_its_shop_says_so(judged_study: Path, tmp_path: Path) -> None:
    moved = tmp_path / "study"
    shutil.copytree(judged_study, moved)
    resolved = (moved / "study.toml").read_text(encoding="utf-8")
    where = f'shop = "{judged_study.parent / "shop"}"'
    assert where in resolved
    (moved / "study.toml").write_text(resolved.replace(where, 'shop = "gone"'), encoding="utf-8")
    with Study.open(moved) as study:
        reader = Reader(study)
        entry = next(e for e in reader.entries() if e.variant == "react")
        view = reader.report(entry.key)
        assert view is not None
        assert view.missing_shop == "gone"
        assert "the shop cannot be opened" in Pages("s", served=False).report(view)
        found = Reader(study, shop=str(judged_study.parent / "shop")).report(entry.key)
        assert found is not None
        assert found.profile
        assert found.missing_shop is None
    (tmp_path / "gone").symlink_to(judged_study.parent / "shop")
    with Study.open(moved) as study:
        beside = Reader(study).report(entry.key)
        assert beside is not None
        assert beside.profile


def test_a_question_shows_ratings_and_who_won(reader: Reader) -> None:
    entry = reader.entries()[0]
    page = Pages("s", served=False).query(reader.query(entry.query_id), reader.outcomes(entry.query_id))
    assert "Ratings by rules-2" in page
    assert "who won, both orders together" in page
    assert len(reader.outcomes(entry.query_id)) % 7 == 0


def test_every_response_forbids_what_is_not_ours(reader: Reader) -> None:
    with TestClient(
        site(reader, "t", 8124), base_url="http://127.0.0.1:8124", follow_redirects=False
    ) as client:
        asked = [client.get("/index.html"), entered(client, "t")]
        asked += [
            client.get(path)
            for path in ("/index.html", "/none", "/r/none.html", "/static/viewer.js", "/live.json")
        ]
        asked += [client.post("/index.html"), client.get("/", headers={"host": "evil.example"})]
        asked += [client.get("/", headers={"origin": "http://evil.example"}), client.get("/static/none.js")]
    for response in asked:
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "server" not in response.headers


def test_pages_answer_only_to_the_token_and_only_from_this_study(reader: Reader) -> None:
    entry = reader.entries()[0]
    with TestClient(site(reader, "secret-token", 8124), base_url="http://127.0.0.1:8124") as client:
        assert client.get("/index.html").status_code == 403
        assert entered(client, "secret-token").status_code == 200
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
            if not target.startswith(("http://", "https://", "user://", "data:")):
                assert (page.parent / target).is_file(), f"{page.name} leads to {target}"
        assert "Content-Security-Policy" in text
    again = tmp_path / "other"
    again.mkdir()
    (again / "mine.txt").write_text("x", encoding="utf-8")
    assert main(["view", str(judged_study), "--static", str(again), "--quiet"]) == 2


def test_a_page_knows_what_it_shows_so_that_no_news_is_missed(judged_study: Path) -> None:
    with (
        Study.open(judged_study) as study,
        TestClient(site(Reader(study), "t", 8124), base_url="http://127.0.0.1:8124") as client,
    ):
        entered(client, "t")
        shown: list[str] = []
        for _ in range(200):
            page, version = client.get("/index.html").text, client.get("/live.json").text
            shown = re.findall(r'data-version="([^"]*)"', page)
            if version.endswith(" 1") and shown == [version]:
                break
            time.sleep(0.05)
        assert shown == [version]
        assert "12 of 12 answers" in page
        assert 'data-v="' in page


@pytest.mark.long
def test_units_without_an_answer_have_a_page_that_says_why(judged_study: Path, tmp_path: Path) -> None:
    broken = tmp_path / "study"
    shutil.copytree(judged_study, broken)
    with tampered(broken / "ledger.sqlite") as ledger:
        ledger.execute(
            "UPDATE records SET status = 'failed', reason = 'timeout', message = 'it <b>took</b> too long' "
            "WHERE key IN (SELECT key FROM units WHERE kind = 'answer' AND json_extract(spec, '$.variant') = 'react')"
        )
    assert main(["view", str(broken), "--static", str(tmp_path / "pages"), "--quiet"]) == 0
    index = (tmp_path / "pages" / "index.html").read_text(encoding="utf-8")
    failed = re.findall(r'href="(r/\w+\.html)" class="status-failed">timeout<', index)
    assert len(failed) == 4
    page = (tmp_path / "pages" / failed[0]).read_text(encoding="utf-8")
    assert "No answer: timeout" in page
    assert "it &lt;b&gt;took&lt;/b&gt; too long" in page
    assert main(["report", str(broken), "--out", str(tmp_path / "report")]) == 0
    table = (tmp_path / "report" / "tables" / "failures.md").read_text(encoding="utf-8")
    assert "| react | 0 | 4 |" in table


def test_a_shop_that_is_not_there_is_misuse(judged_study: Path, tmp_path: Path) -> None:
    words = ["view", str(judged_study), "--static", str(tmp_path / "p"), "--quiet"]
    assert main([*words, "--shop", str(tmp_path / "none")]) == 2
    assert main([*words, "--judge", "nobody"]) == 2


def test_the_shopper_is_a_card_with_orders(reader: Reader) -> None:
    view = reader.report(reader.entries()[0].key)
    assert view is not None
    assert view.shopper is not None
    page = Pages("s", served=False).report(view)
    assert f"<dt>orders</dt><dd>{view.shopper.orders}," in page
    shown = page.partition("Orders: recent and notable purchases</summary>")[2].partition("</ul>")[0]
    assert shown.count("<li>") == len(view.shopper.notable) > 0
    assert all(f"<li>{one.last}: " in shown for one in view.shopper.notable)


def test_the_timeline_has_the_tokens_of_each_conversation(reader: Reader) -> None:
    entry = next(entry for entry in reader.entries() if entry.variant == "react")
    view = reader.report(entry.key)
    assert view is not None
    assert view.conversations
    told = sum(conversation.output_tokens or 0 for conversation in view.conversations)
    assert told == view.usage["agent"]["output_tokens"]


def test_every_served_page_leads_to_the_report_that_was_written(reader: Reader, tmp_path: Path) -> None:
    entry = reader.entries()[0]
    given = tmp_path / "given"
    given.mkdir()
    (given / "index.html").write_text("as it was written", encoding="utf-8")
    with TestClient(site(reader, "t", 8124, report=given), base_url="http://127.0.0.1:8124") as client:
        assert client.get("/report/index.html").status_code == 403
        entered(client, "t")
        for page in ("index.html", f"r/{entry.key}.html"):
            root = "../" if "/" in page else ""
            assert f'<a href="{root}report/index.html">Report</a>' in client.get(f"/{page}").text
        assert client.get("/report/index.html").text == "as it was written"
        assert client.get(f"/viewer/r/{entry.key}.html").status_code == 200, "where such a report leads"
        for outside in ("..%2findex.html", "%2e%2e/index.html", "none.html"):
            assert client.get(f"/report/{outside}").status_code == 404


def test_a_report_that_nobody_wrote_is_written_when_it_is_asked_for_and_leads_back(reader: Reader) -> None:
    entry = reader.entries()[0]
    with TestClient(site(reader, "t", 8124), base_url="http://127.0.0.1:8124") as client:
        entered(client, "t")
        assert "<h2>What was judged" in client.get("/report/index.html").text
        answers = client.get(f"/report/answers/{entry.variant}.html").text
        place = re.search(rf'href="([^"]*/r/{entry.key}.html)"', answers)
        assert place is not None
        assert client.get(f"/report/answers/{place[1]}").status_code == 200


@pytest.mark.long
def test_a_figure_that_could_not_be_written_whole_is_not_served(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full in the middle of it; before, the half of it was served from then on."""
    report = ServedReport(reader, None)
    from matplotlib.figure import Figure

    whole = Figure.savefig

    def cut(figure: Figure, path: Path, **more: Any) -> None:
        whole(figure, path, **more)
        path.write_bytes(path.read_bytes()[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(Figure, "savefig", cut)
        with pytest.raises(OSError):
            report.file("figures/differences.svg")
    file = report.file("figures/differences.svg")
    assert file is not None and file.read_text("utf-8").rstrip().endswith("</svg>")
    assert [path.name for path in file.parent.iterdir()] == ["differences.svg"]


@pytest.mark.long
def test_a_figure_of_a_served_report_is_drawn_when_somebody_looks_at_it(reader: Reader) -> None:
    report = ServedReport(reader, None)
    page = report.file("index.html")
    assert page is not None and 'src="figures/differences.svg"' in page.read_text("utf-8")
    drawn = page.parent / "figures"
    assert list(drawn.iterdir()) == []
    for form in ("differences.svg", "differences-dark.pdf"):
        assert report.file(f"figures/{form}") == drawn / form
    assert report.file("figures/nothing.svg") is None and report.file("figures/../../none.svg") is None
    assert {path.name for path in drawn.iterdir()} == {"differences.svg", "differences-dark.pdf"}
