"""The viewer's pages say what the ledger says, are served to their owner only, and open from disk."""

from __future__ import annotations

import errno
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from drr.app.viewer.model import Passage, ShownFinding
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import StudyPages, marked
from drr.app.viewer.site import ServedReport, site
from drr.eval.checks.results import CheckRow
from drr.eval.metrics import metrics
from drr.eval.metrics.document import study_document
from drr.eval.stats.faithfulness import Against, JudgedClaim, Status, VerdictRow
from drr.study.study import Study
from starlette.testclient import TestClient

from tests.app.conftest import shown, view_of
from tests.commands import Drr
from tests.entering import entered
from tests.tampering import rewrite, tampered

PAGES = StudyPages("s", served=False)


def served(reader: Reader, token: str = "t", **more: Any) -> TestClient:
    return TestClient(site(reader, token, 8124, **more), base_url="http://127.0.0.1:8124")


def test_the_index_has_every_answer_and_its_precisions_average_to_the_headline(reader: Reader) -> None:
    entries = reader.entries()
    assert len(entries) == 12 and {entry.status for entry in entries} == {"done"}
    scores = [entry.scores["fp"] for entry in entries]
    assert all(score is not None and 0 <= score <= 1 for score in scores)
    headline = study_document(reader.study)["metrics"]["react"]["fp"]["value"]
    own = [entry.scores["fp"] or 0.0 for entry in entries if entry.variant == "react"]
    assert sum(own) / len(own) == pytest.approx(headline)


def test_claims_stand_where_they_are_quoted_and_their_passages_hold_the_support(reader: Reader) -> None:
    view, supported = view_of(reader, "react+ws"), 0
    assert view.verdicts.claims
    for claim in view.verdicts.claims:
        assert view.report[claim.start : claim.end].strip()
        for passage in (one for name in claim.verdicts for one in view.verdicts.evidence[name].passages):
            supported += len(passage.spans)
            assert all(passage.text[start:end].strip() for start, end in passage.spans)
    assert supported > 3
    brought = [(source.url, source.call) for source in view.sources if source.call is not None]
    results = {call.number: call.result for call in view.calls}
    assert brought and all(url in results[number] for url, number in brought)
    pages = [source.page for source in view.sources if source.page]
    assert pages and len(reader.page(pages[0]) or "") >= 200, "a frozen page is shown as text"


def test_each_source_stands_once(reader: Reader) -> None:
    for view in (shown(reader, entry) for entry in reader.entries()):
        verdicts = [one for claim in view.verdicts.claims for one in claim.verdicts.items()]
        by_code = [name for name, v in verdicts if v.get("by") == "rule" and v["status"] == "full"]
        assert all(view.verdicts.evidence[name][:2] != ([], []) for name in by_code)
        page = PAGES.report(view)
        for number, url in re.findall(r"^\[(\d+)\].*?(http\S+)$", view.report, re.MULTILINE):
            place = next(s.number for s in view.sources if s.url == url)
            assert re.search(rf'id="source-{place}"><details><summary>\[{number}\] ', page)
    returned = 0
    for view in (shown(reader, entry) for entry in reader.entries()):
        urls = [source.url for source in view.sources]
        assert len(set(urls)) == len(urls)
        assert [source.number for source in view.sources] == list(range(1, len(urls) + 1))
        results = {call.number: call.result for call in view.calls}
        for source in view.sources:
            assert len(set(source.calls)) == len(source.calls)
            assert all(source.url in results[number] for number in source.calls)
        most = max(len(source.calls) for source in view.sources)
        returned = max(returned, most)
        assert most <= 1 or f"returned {most} times" in PAGES.report(view)
        texts = max(len(source.seen) for source in view.sources)
        assert texts == 1 or f"text 2 of {texts}, as a tool gave it" in PAGES.report(view)
    assert returned > 1


def test_rule_values_and_passages_are_told_as_people_read_them(reader: Reader) -> None:
    cut = 0
    for view in (shown(reader, entry) for entry in reader.entries()):
        assert view.rules
        found = re.findall(r'<tr data-mark="rule".*?<td class="text">(.*?)</td></tr>', PAGES.report(view))
        assert len(found) == len(view.rules)
        assert not [told for told in found if "{" in told or told.startswith("&#39;")]
        frozen = [text for source in view.sources for text in source.seen]
        for passage in (one for evidence in view.verdicts.evidence.values() for one in evidence.passages):
            begun, ended = passage.text.startswith("…"), passage.text.endswith("…")
            cut += begun + ended
            inner = passage.text.strip("…")
            for text in (one for one in frozen if inner in one):
                at = text.index(inner)
                assert begun or not text[:at].strip()
                assert at == 0 or text[at - 1].isspace() or inner[:1].isspace()
    assert cut


def test_an_error_is_red_wherever_it_is_stated(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    shop = judged_study.parent / "shop"
    item, other = (one for one in drr.json("shop", "search", shop, "bird feeder")["items"][:2])
    line = f"**{item['title']}** costs $1.23 [1]."
    row = f"| product | price |\n| --- | --- |\n| **{item['title']}** | **$1.23** [1] |\n"
    prose = "At $1.23 [1] it is a bargain. Ships at $11.23 or $1.235 [1].\n\nPay $1.23 and no more.\n\nThe seed is $1.23 too [2].\n"
    listed = "".join(
        f"[{n}] http://ecommerce.example/{one['product_id']}\n" for n, one in enumerate((item, other), 1)
    )
    report = f"# Feeder\n\n{row}\n## Again\n\n- {line}\n\n{prose}\n## Sources\n\n{listed}"
    row = {"id": "1", "system": "hasty", "query": "Which feeder?", "report_markdown": report}
    (tmp_path / "reports.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    drr.out("import", tmp_path / "study", tmp_path / "reports.jsonl", "--shop", shop, "--quiet")
    drr.out("judge", tmp_path / "study", "--judge", "offline", "--what", "faithfulness,rules", "--quiet")
    with Study.open(tmp_path / "study") as study:
        view = view_of(Reader(study, shop=str(shop)), "hasty")
        (side,) = Reader(study).query(view.entry.question_page)
    price = next(one for one in view.findings if one.rule == "price")
    assert price.why == f"Price: $1.23; record: ${item['price']:.2f}"
    assert [view.report[start:end] for start, end in price.spans] == ["$1.23"] * 4
    assert "too [2]" not in view.report[price.spans[-1][0] :].partition("\n")[0]
    statuses = [rule["status"] for rule in view.rules.values()]
    assert statuses == sorted(statuses, key=["fail", "remark", "pass", "unverifiable"].index)
    page = PAGES.report(view)
    cards = page.partition("<aside")[2].partition('id="overview">')[2]
    assert cards.lstrip().startswith('<h2 id="wrong">') and cards.count(f"<h3>{price.why}</h3>") == 1
    assert not {"|", "*"} & {*cards.partition("</li>")[0]}
    places = re.findall(
        rf'<mark class="wrong" id="{price.name}-(\d)"><a href="#{price.name}">\$1.23</a>', page
    )
    assert places == ["1", "2", "3", "4"]
    assert all(f'href="#{price.name}-{number}"' in cards for number in places)
    assert price.why in page.partition('id="rules"')[0] and price.why not in page.partition('id="rules"')[2]
    brief = page.partition('<ul class="brief">')[2].partition("</ul>")[0]
    assert f"{price.why}</a> <small>{item['title'][:12]}" in brief, "a phone names the product"
    assert "At least 1 error, by code</a>" in page and "claims, by surface rules:</span>" in page
    ruled: dict[str, CheckRow] = {name: {**rule, "status": "pass"} for name, rule in view.rules.items()}
    cases: list[tuple[dict[str, CheckRow], str]] = [
        ({}, "not checked by code"),
        (ruled, "no error found by code"),
    ]
    for rules, told in cases:
        right = replace(side, findings=(), rules=rules)
        assert told in PAGES.query([right], []) and told not in PAGES.query([side], [])
    with Study.open(tmp_path / "study") as study:
        (whole,) = Reader(study).query(view.entry.question_page)
    assert whole.rules.keys() == view.rules.keys(), "beside other answers, too"
    compared = PAGES.query([side], [])
    assert re.search(rf'<mark class="wrong" id="{view.entry.key}-{price.name}-1">\$1.23', compared)


def test_what_the_record_has_in_place_of_an_error_is_marked() -> None:
    passage = Passage("Feeder\nPrice: $19.49", ((0, 6),))
    wrong = [ShownFinding("wrong-1", "price", "Price: $15.49; record: $19.49", ((1, 2),), None, "$19.49")]
    assert marked(passage, wrong) == "<mark>Feeder</mark>\nPrice: <mark>$19.49</mark>"
    assert marked(passage, [replace(wrong[0], record=None)]).count("<mark>") == 1


def test_a_whole_count_of_one_answer_has_no_decimals_and_a_share_has() -> None:
    known = metrics()
    for name, value, text in (("n_cited", 6, "6"), ("overall", 6.5, "6.50"), ("fp", 1, "1.00")):
        assert known[name].shown(float(value), alone=True) == text
    assert known["n_cited"].shown(6.0) == "6.00", "a mean"


def test_a_study_that_lost_its_shop_says_so(judged_study: Path, tmp_path: Path) -> None:
    moved = tmp_path / "study"
    shutil.copytree(judged_study, moved)
    resolved = (moved / "study.toml").read_text(encoding="utf-8")
    where = f'shop = "{judged_study.parent / "shop"}"'
    assert where in resolved
    rewrite(moved / "study.toml", resolved.replace(where, 'shop = "gone"'))
    with Study.open(moved) as study:
        view = view_of(Reader(study), "react")
        assert view.missing_shop == "gone"
        assert "the shop cannot be opened" in PAGES.report(view)
        found = view_of(Reader(study, shop=str(judged_study.parent / "shop")), "react")
        assert found.profile and found.missing_shop is None
    (tmp_path / "gone").symlink_to(judged_study.parent / "shop")
    with Study.open(moved) as study:
        assert view_of(Reader(study), "react").profile, "beside the study"


def test_a_question_shows_ratings_and_who_won_and_a_report_its_shopper_and_tokens(reader: Reader) -> None:
    entry = reader.entries()[0]
    page = PAGES.query(reader.query(entry.query_id), reader.outcomes(entry.query_id))
    assert re.search(r'<th scope="row">overall</th><td data-side="\w+"><span data-key="\d+">\d+ of 10', page)
    assert '<th scope="row">clarity</th>' in page and "who won, both orders together" in page
    assert len(reader.outcomes(entry.query_id)) % 7 == 0
    view = shown(reader, entry)
    assert view.shopper is not None
    page = PAGES.report(view)
    assert f"<dt>orders</dt><dd>{view.shopper.orders}," in page
    orders = page.partition("Orders: recent and notable purchases</summary>")[2].partition("</ul>")[0]
    assert orders.count("<li>") == len(view.shopper.notable) > 0
    assert all(f"<li>{one.last}: " in orders for one in view.shopper.notable)
    view = view_of(reader, "react")
    told = sum(conversation.output_tokens or 0 for conversation in view.conversations)
    assert told == view.usage["agent"]["output_tokens"] > 0


def test_every_response_forbids_what_is_not_ours(reader: Reader) -> None:
    with served(reader) as client:
        client.follow_redirects = False
        asked = [client.get("/index.html"), entered(client, "t")]
        for path in ("index.html", "none", "r/none.html", "static/viewer.js", "static/none.js", "live.json"):
            asked.append(client.get(f"/{path}"))
        for name in ("host", "origin"):
            asked.append(client.get("/", headers={name: "http://evil.example"}))
        asked.append(client.post("/index.html"))
    for response in asked:
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "server" not in response.headers


OUTSIDE = ("r/zzz.html", "q/zzz.html", "p/" + "0" * 64 + ".html", "p/..%2f..%2fledger.sqlite.html", "x/y.html", "static/..%2f..%2fserve.py")  # fmt: skip


def test_pages_answer_only_to_the_token_and_only_from_this_study(reader: Reader) -> None:
    entry = reader.entries()[0]
    with served(reader, "secret-token") as client:
        assert client.get("/index.html").status_code == 403
        assert entered(client, "secret-token").status_code == 200
        for path in (f"r/{entry.key}.html", f"q/{entry.query_id}.html", "live.json"):
            assert client.get(f"/{path}").status_code == 200
        for path in OUTSIDE:
            assert client.get(f"/{path}").status_code == 404


@pytest.mark.slow
def test_the_static_folder_is_complete_and_small(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    out = tmp_path / "pages"
    code, _, err = drr("view", judged_study, "--static", out)
    assert code == 0 and err
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
    for more in ((), ("--shop", tmp_path / "none"), ("--judge", "nobody")):
        drr.err("view", judged_study, "--static", again if not more else tmp_path / "p", "--quiet", *more)


def test_a_page_knows_what_it_shows_so_that_no_news_is_missed(judged_study: Path) -> None:
    with Study.open(judged_study) as study, served(Reader(study)) as client:
        entered(client, "t")
        shown: list[str] = []
        for _ in range(200):
            page, version = client.get("/index.html").text, client.get("/live.json").json()["version"]
            shown = re.findall(r'data-version="([^"]*)"', page)
            if version.endswith(" 1") and shown == [version]:
                break
            time.sleep(0.05)
        assert shown == [version]
        assert "12 of 12 answers" in page and 'data-v="' in page


@pytest.mark.long
def test_units_without_an_answer_say_why(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    broken = tmp_path / "study"
    shutil.copytree(judged_study, broken)
    with tampered(broken / "ledger.sqlite") as ledger:
        ledger.execute(
            "UPDATE records SET status = 'failed', reason = 'timeout', message = 'it <b>took</b> too long' "
            "WHERE key IN (SELECT key FROM units WHERE kind = 'answer' AND json_extract(spec, '$.variant') = 'react')"
        )
    drr.out("view", broken, "--static", tmp_path / "pages", "--quiet")
    index = (tmp_path / "pages" / "index.html").read_text(encoding="utf-8")
    failed = re.findall(r'href="(r/\w+\.html)" class="status-failed">timeout<', index)
    assert len(failed) == 4
    page = (tmp_path / "pages" / failed[0]).read_text(encoding="utf-8")
    assert "No answer: timeout" in page
    assert "it &lt;b&gt;took&lt;/b&gt; too long" in page
    assert "not judged yet" not in page
    drr.out("report", broken, "--out", tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    table = page.partition('id="failures"')[2].partition("</section>")[0]
    assert re.findall(r"<td>(?:<[^>]*>)?(\d+)", table.partition(">react</th>")[2])[:2] == ["0", "4"]


@pytest.mark.slow
def test_every_served_page_leads_to_the_report(reader: Reader) -> None:
    entry = reader.entries()[0]
    with served(reader) as client:
        assert client.get("/report/index.html").status_code == 403
        entered(client, "t")
        for page in ("index.html", f"r/{entry.key}.html"):
            root = "../" if "/" in page else ""
            assert f'<a href="{root}report/index.html">Report</a>' in client.get(f"/{page}").text
        assert client.get(f"/viewer/r/{entry.key}.html").status_code == 200, "where a report leads"
        for outside in ("..%2findex.html", "%2e%2e/index.html", "none.html", "%00", "x" * 300):
            assert client.get(f"/report/{outside}").status_code == 404
        assert "<h3>What was judged" in client.get("/report/index.html").text
        answers = client.get(f"/report/answers/{entry.variant}.html").text
        place = re.search(rf'href="([^"]*/r/{entry.key}.html)"', answers)
        assert place is not None
        assert client.get(f"/report/answers/{place[1]}").status_code == 200


@pytest.mark.long
def test_figures_are_never_served_cut(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full in the middle of it; before, the half of it was served from then on."""
    report = ServedReport(reader)
    from matplotlib.figure import Figure

    whole = Figure.savefig

    def cut(figure: Figure, path: Path, **more: Any) -> None:
        whole(figure, path, **more)
        path.write_bytes(path.read_bytes()[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(Figure, "savefig", cut)
        with pytest.raises(OSError):
            report.file("figures/tool-calls.svg")
    file = report.file("figures/tool-calls.svg")
    assert file is not None and file.read_text("utf-8").rstrip().endswith("</svg>")
    assert [path.name for path in file.parent.iterdir()] == ["tool-calls.svg"]
    report = ServedReport(reader)
    page = report.file("index.html")
    assert page is not None and 'href="figures/tool-calls.svg"' in page.read_text("utf-8")
    drawn = page.parent / "figures"
    assert list(drawn.iterdir()) == []
    for form in ("tool-calls.svg", "tool-calls-dark.pdf"):
        assert report.file(f"figures/{form}") == drawn / form
    assert report.file("figures/nothing.svg") is None and report.file("figures/../../none.svg") is None
    assert {path.name for path in drawn.iterdir()} == {"tool-calls.svg", "tool-calls-dark.pdf"}


@pytest.mark.long
def test_view_serves_until_it_is_interrupted(judged_study: Path) -> None:
    command = [sys.executable, "-u", "-m", "drr.app.cli", "view", str(judged_study)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        with httpx.Client(follow_redirects=True, timeout=60) as client:
            assert "12 of 12 answers" in client.get(address).text
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) in (0, 130)


def test_what_an_imported_answer_took_is_unknown(tmp_path: Path, drr: Drr) -> None:
    study, row = tmp_path / "study", {"id": "a", "system": "other", "query": "Which?", "report_markdown": "# One"}  # fmt: skip
    (tmp_path / "reports.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    drr.out("import", study, tmp_path / "reports.jsonl", "--quiet")
    with Study.open(study) as opened:
        page = PAGES.report(view_of(Reader(opened), "other"))
    assert "<dt>seconds</dt><dd>unknown</dd>" in page and "<dt>cost</dt><dd>unknown</dd>" in page
    assert "$0" not in page
    listed = drr.out("study", "trace", study)
    assert "unknown" in listed and "0.0 s" not in listed
    assert "0.0 s" not in drr.out("study", "trace", study, listed.split()[0])
    document = drr.json("study", "trace", study, listed.split()[0])
    assert document["seconds"] is None and document["cost_usd"] is None
    assert "what the 1 imported answer cost is unknown" in drr.out("status", study)
    drr.out("export", study, "--out", tmp_path / "tables")
    (unit,) = map(json.loads, (tmp_path / "tables" / "units.jsonl").read_text(encoding="utf-8").splitlines())
    unknown = ("calls", "input_tokens", "output_tokens", "cost_usd", "seconds")
    assert {unit[name] for name in unknown} == {None}


def test_a_claim_shows_the_weakest_verdict_that_counts() -> None:
    def verdict(status: Status, against: Against) -> VerdictRow:
        return {
            "claim_id": "c1",
            "type": "web",
            "against": against,
            "status": status,
            "reason": "",
            "sources": [],
            "spans": [],
        }

    page, seen = verdict("partial", "page"), verdict("none", "seen")
    for verdicts, status in (((page, seen), "partial"), ((seen,), "none"), ((), "unscored")):
        named = {str(number): one for number, one in enumerate(verdicts)}
        assert JudgedClaim("c1", urls=["https://a.example/"], verdicts=named).status == status
